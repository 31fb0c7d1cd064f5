"""The blocks of a face, in reading order. Writers turn them into HTML, LaTeX, Markdown and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Tone = Literal["answered", "unclear", "rejected", "error", "source", "verified"]
SpanKind = Literal["text", "code", "digest"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A run of text. A `digest` is shown whole where there is room and shortened where there is not."""

    text: str
    kind: SpanKind = "text"


Line = tuple[TextSpan, ...]


@dataclass(frozen=True, slots=True)
class Title:
    """The first line: the question in words, or what a page is about. Only a verdict has a sign before it."""

    text: str
    note: str = ""
    tone: Tone = "source"


@dataclass(frozen=True, slots=True)
class Status:
    """A quiet line below the answer: an outcome in words and by a sign, never by colour alone. Details follow it.

    Evidence is something a verifier could check; a static view of it says that it has not.
    """

    tone: Tone
    label: str
    note: str = ""
    is_evidence: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """An answer that is one value: as shown, and the exact text of a number."""

    value: str
    caption: str
    exact: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of a table's column. Quantities are aligned at their decimal point."""

    text: str
    aligned: Literal["left", "point"] = "left"
    is_whole: bool = False  # its cells are never cut, as names to be typed are not


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of shown text, and what is to be said of them below.

    Where numbers are rounded, `exact` has the same rows with every digit, for a face that can fold them.
    """

    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    exact: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of prose: the question in words, a reason, a message, a hint."""

    text: str
    role: Literal["question", "message", "hint"]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it is computed, and as books set it; where mathematics cannot be set, readable text is shown.

    LaTeX comes from the contract. Only what typesets obeys it, if it holds nothing but mathematics (`is_plain_latex`).
    """

    text: str
    latex: str


@dataclass(frozen=True, slots=True)
class Command:
    """A line that can be run as it stands, with a word on what it is."""

    line: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to run, under a heading where there is a choice."""

    commands: tuple[Command, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled detail of one or more lines. Steps are numbered; other lines may share one where room is dear."""

    label: str
    lines: tuple[Line, ...]
    is_steps: bool = False

    @classmethod
    def from_texts(cls, label: str, *texts: str, kind: SpanKind = "text", is_steps: bool = False) -> Fact:
        """Build a fact of a line for each text."""
        return cls(label, tuple((TextSpan(text, kind),) for text in texts), is_steps)


@dataclass(frozen=True, slots=True)
class Facts:
    """The details, last in reading order and folded where a face can; not folded where they are the answer."""

    facts: tuple[Fact, ...]
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """The last line of a card's face: the version that wrote it. `schema.card` says what it is for."""

    version: str

    @property
    def text(self) -> str:
        """The line as faces have it."""
        return f"Card of service_nb {self.version}"


Block = Title | Status | Figure | Table | Sentence | Formula | Commands | Facts | Mark


@dataclass(frozen=True, slots=True)
class CardFace:
    """A face: a name, the MIME type of what it writes, and the writer, which escapes all that comes from data."""

    name: str
    mime: str
    write: Callable[[Iterable[Block]], str]
    rank: int = 100  # where it stands in a bundle, the richest first


# The sign beside each outcome. A card has no tick: it says what was answered; only a verdict says that it holds.
SIGNS: Mapping[Tone, str] = {
    "answered": "●",
    "unclear": "?",
    "rejected": "⊘",
    "error": "✕",
    "source": "◆",
    "verified": "✓",
}
UNVERIFIED = "not verified in this view"


def build_line(words: str, value: str, kind: SpanKind = "digest", more: str = "") -> Line:
    """Build a line of words and a value, such as a digest, and words behind it."""
    return (TextSpan(words), TextSpan(value, kind), *((TextSpan(more),) if more else ()))


def build_heads(*texts: str, whole: Iterable[str] = (), numbers: Iterable[str] = ()) -> tuple[Head, ...]:
    """Build the headings of columns; the cells of `whole` columns are never cut, those of `numbers` are aligned."""
    return tuple(Head(text, "point" if text in numbers else "left", text in whole) for text in texts)
