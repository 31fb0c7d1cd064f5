"""The blocks of a face, in reading order. Writers turn them into HTML, LaTeX, Markdown and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Tone = Literal["answered", "unclear", "rejected", "error", "source", "verified"]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A run of text. A `digest` is shown whole where there is room and shortened where there is not."""

    text: str
    kind: Literal["text", "code", "digest"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The first line: an outcome in words and by a sign, never by colour alone.

    Evidence is something a verifier could check; a static view of it says that it has not.
    """

    tone: Tone
    label: str
    note: str = ""
    is_evidence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An answer that is one value."""

    value: str
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The heading of a table's column. Quantities are aligned at their decimal point."""

    text: str
    aligned: Literal["left", "point"]
    is_whole: bool = False  # its cells are never cut, as names to be typed are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of shown text, and what is to be said of them below."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A line of prose: the question in words, a reason, a message, a hint."""

    text: str
    role: Literal["question", "message", "hint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula as it is computed, and as books set it; where mathematics cannot be set, the text is shown.

    LaTeX comes from the contract. Faces show it only if it holds nothing but mathematics (`is_plain_latex`).
    """

    text: str
    latex: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A line that can be run as it stands, with a word on what it is."""

    line: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """Lines to run, under a heading where there is a choice."""

    commands: tuple[Command, ...]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A labelled detail of one or more lines. Steps are numbered; other lines may share one where room is dear."""

    label: str
    lines: tuple[tuple[TextSpan, ...], ...]
    is_steps: bool = False

    @classmethod
    def of(cls, label: str, text: str) -> Fact:
        """Build a fact of one line of plain text."""
        return cls(label=label, lines=((TextSpan(text),),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The details, last in reading order."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The last line of a card's face: the version that wrote it. `schema.card` says what it is for."""

    version: str

    @property
    def text(self) -> str:
        """The line as faces have it."""
        return f"Card of service_nb {self.version}"


Block = Status | Figure | Table | Sentence | Formula | Commands | Facts | Mark


@dataclass(frozen=True, slots=True, kw_only=True)
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


def list_notes(status: Status) -> list[str]:
    """List the notes after the label: its own, and for evidence that this static view has not verified it."""
    return [note for note in (status.note, UNVERIFIED if status.is_evidence else "") if note]


def build_heads(*texts: str, whole: Iterable[str] = ()) -> tuple[Head, ...]:
    """Make the headings of columns of text; the cells of `whole` columns are never cut."""
    return tuple(Head(text=text, aligned="left", is_whole=text in whole) for text in texts)
