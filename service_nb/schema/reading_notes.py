"""Notes on a reading: what a reader had to decide, because the bytes of a file leave it open, and the words for it.

A note says of which columns it speaks, and has facts as texts. Its kind gives the words, which both languages read from
`NOTE_KINDS`. A value never changes by a note.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NotRequired, TypedDict

from service_nb.core.words import clip, make_visible
from service_nb.schema.primitives import Name

MOST_NOTES = 20  # on a card
MOST_COLUMNS = 3  # that a sentence names
_WIDTH = 64  # of a fact in a sentence
_PLACE = re.compile(r"\{(\w+)\}")
_SOURCE = "source"  # a fact that stands before the columns


class NoteKind(NamedTuple):
    """The words of a kind: `{name}` is a fact of the note; a part is left out where one of its facts is missing.

    Facts of `example` are values of the data. `of_rows`: whichever columns a question uses, its rows are concerned.
    """

    short: str  # beside the answer of a card
    says: str
    example: str = ""
    advice: str = ""  # at connect: options that read it otherwise
    of_rows: bool = False


NOTE_KINDS: Mapping[str, NoteKind] = {
    "rounded": NoteKind(
        "numbers rounded when read",
        "{count} of its texts became another number, for no double is the same",
        ", first '{first}' ({place}), read as {read}",
        "; types {column}={types} reads them exactly",
    ),
    "spelling": NoteKind(
        "texts with an exponent read as numbers",
        "{count} of its texts have an exponent and are read as numbers, as if they were written in digits",
        ", first '{first}' ({place}), read as {read}",
        "; types {column}={types} keeps the texts",
    ),
    "decimals": NoteKind(
        "decimals read as doubles",
        "{count} of its decimals stand beside doubles and are read as doubles, which are near them and not the same",
        ", first {first} ({place})",
    ),
    "narrow": NoteKind(
        "numbers of few bits",
        "its numbers were held in {bits} bits and are read as doubles, which decimals such as 0.1 do not equal",
        ", first {first}, read as {read}",
    ),
    "digits": NoteKind(
        "numbers with more digits than a sheet keeps",
        "{count} of its whole numbers have more digits than a sheet keeps: each may have been another number",
        ", first {first} ({place})",
    ),
    "as_text": NoteKind(
        "values read as text",
        "read as text, because it holds {what}",
        ", first '{first}'",
    ),
    "categories": NoteKind(
        "order of categories not kept",
        "the order of its categories is not kept: min, max, order and comparisons go by their {what}",
    ),
    "alike": NoteKind(
        "values that look alike",
        "{count} of its values look like others, and differ only in blanks, in signs that are not seen or in how"
        " letters are composed",
        ", first '{first}' ({place}) beside '{other}'",
        "; {option} makes them the same",
    ),
    "blanks": NoteKind(
        "blanks around values",
        "{count} of its values have blanks around them, and are others than the same without blanks",
        ", first '{first}' ({place})",
        "; {option} removes them",
    ),
    "unseen": NoteKind(
        "values with signs that are not seen",
        "{count} of its values have signs that are not seen, other blanks or letters in parts, and are others than the"
        " same without",
        ", first '{first}' ({place})",
    ),
    "by_place": NoteKind(
        "rows paired by their place",
        "paired in the order of their rows, which different conditions or sources select",
    ),
    "merged": NoteKind(
        "merged cells",
        "cells are merged ({count} times, first {range}): one cell of each has the value, the others are read as empty",
    ),
    "total": NoteKind(
        "the last row is a total",
        "the last row ({place}) is the total of the rows above it, and is read as one of them",
        of_rows=True,
    ),
    "no_total": NoteKind(
        "the last row says that it is a total",
        "the last row ({place}) says that it is a total, is not the sum of the rows above it, and is read as one of"
        " them",
        of_rows=True,
    ),
    "average": NoteKind(
        "the last row is an average",
        "the last row ({place}) is the average of the rows above it, and is read as one of them",
        of_rows=True,
    ),
    "totals": NoteKind(
        "rows that are totals of others",
        "rows are totals or averages of others ({count}, first {place}), and are read as rows like them",
        of_rows=True,
    ),
    "remark": NoteKind(
        "the last row may be a remark",
        "the last rows ({count}, first {place}) have a text in their first cell alone, and may be a remark;"
        " they are read as rows",
        of_rows=True,
    ),
    "sentinel": NoteKind(
        "a number may stand for missing",
        "{count} of its values are far from all others, and may stand for missing",
        ": {first}, beside {least} to {most}",
        "; nulls {null} reads them as missing",
    ),
    "placeholder": NoteKind(
        "a day may stand for missing",
        "{count} of its values are on a day far from all others, which may stand for missing",
        ": {first}, beside {least} to {most}",
        "; nulls {null} reads them as missing",
    ),
    "header": NoteKind(
        "the first row is read as names",
        "the first row is read as names, which look like values of their columns",
        of_rows=True,
    ),
    "names_again": NoteKind(
        "rows that repeat the names",
        "rows ({count}, first {place}) have the names of the columns as their values, and are read as rows",
        of_rows=True,
    ),
    "envelope": NoteKind(
        "one row around a list",
        "the document is one object and is read as one row, in which this is or holds a list of {count} objects",
        ": {inside}",
        of_rows=True,
    ),
    "keyed": NoteKind(
        "one row of objects by key",
        "the document is one object and is read as one row, in which {count} objects of the same fields stand by key",
        of_rows=True,
    ),
    "pages": NoteKind(
        "rows around lists",
        "each row is an object around a list, and the lists have {count} objects in all: these may be the rows",
        of_rows=True,
    ),
    "tables": NoteKind(
        "a second table on the sheet",
        "a row below empty ones ({place} of the sheet) has texts like names: another table may begin there,"
        " and both are read as one",
        of_rows=True,
    ),
}


CHANGING = ("rounded", "spelling", "decimals")  # kinds of which no method may say that nothing is rounded


class ReadingNoteText(TypedDict):
    """A note as provenance and cards have it."""

    kind: Name
    columns: list[Name]
    facts: NotRequired[dict[str, str]]


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """A note on a reading: its kind, the columns that it speaks of, its facts."""

    kind: str
    columns: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    def is_needed_for(self, used: Collection[str]) -> bool:
        """Tell whether the note is_needed_for a question that uses these columns."""
        return NOTE_KINDS[self.kind].of_rows or any(name in used for name in self.columns)

    def drop_facts(self, names: Iterable[str]) -> ReadingNote:
        """Return the note without these facts."""
        left_out = set(names)
        return replace(self, facts={name: text for name, text in self.facts.items() if name not in left_out})

    def name_source(self, name: str) -> ReadingNote:
        """Return the note with the name of its source, for a card of several."""
        return replace(self, facts={**self.facts, _SOURCE: name})

    def to_dict(self) -> ReadingNoteText:
        """Return the note as provenance and cards have it."""
        told = ReadingNoteText(kind=self.kind, columns=list(self.columns))
        return {**told, "facts": dict(self.facts)} if self.facts else told


def choose_notes(notes: Iterable[ReadingNote], used: Collection[str]) -> list[ReadingNoteText]:
    """Choose the notes that concern a question which uses these columns, as its card has them: without advice."""
    chosen = [note for note in notes if note.is_needed_for(used)]
    return [note.drop_facts(_PLACE.findall(NOTE_KINDS[note.kind].advice)).to_dict() for note in chosen[:MOST_NOTES]]


def drop_values(note: ReadingNoteText) -> ReadingNoteText:
    """Return a note without values of the data, for a card that shows none."""
    left_out = _PLACE.findall(NOTE_KINDS[note["kind"]].example)
    return ReadingNote(note["kind"], tuple(note["columns"]), note.get("facts", {})).drop_facts(left_out).to_dict()


def narrow_notes(notes: Iterable[ReadingNote], allowed: Collection[str]) -> tuple[ReadingNote, ...]:
    """Keep what a caller limited to these fields may know: notes that speak of no other, nor of its values."""
    return tuple(note for note in notes if all(name in allowed for name in note.columns))


def write_note(note: Mapping[str, Any], *, with_advice: bool = False) -> str:
    """Write the sentence of a note, as provenance has it; a kind of another version is named."""
    columns, facts = note["columns"], {**note.get("facts", {})}
    facts["column"] = columns[0] if columns else ""
    named = _name_columns(columns, facts.get(_SOURCE))
    kind = NOTE_KINDS.get(note["kind"])
    if kind is None:
        return f"{named}{_write_fact('', note['kind'])}."
    parts = [kind.says, kind.example, *([kind.advice] if with_advice else [])]
    return f"{named}{''.join(_fill_in(part, facts) for part in parts)}."


def write_short(note: Mapping[str, Any]) -> str:
    """Write what stands of a note beside the answer of a card."""
    kind = NOTE_KINDS.get(note["kind"])
    return _write_fact("", note["kind"]) if kind is None else kind.short


def _name_columns(columns: Sequence[str], source: str | None) -> str:
    if not columns:
        return "" if source is None else f"{_write_fact('', source)}: "
    before = "" if source is None else f"{_write_fact('', source)}."
    named = ", ".join(before + _write_fact("", name) for name in columns[:MOST_COLUMNS])
    more = f" and {len(columns) - MOST_COLUMNS:,} more" if len(columns) > MOST_COLUMNS else ""
    return f"{named}{more}: "


def _fill_in(words: str, facts: Mapping[str, str]) -> str:
    if not all(name in facts for name in _PLACE.findall(words)):
        return ""
    return _PLACE.sub(lambda found: _write_fact(found[1], facts[found[1]]), words)


def _write_fact(name: str, text: str) -> str:
    is_count = name == "count" and re.fullmatch("[0-9]{1,15}", text) is not None
    return f"{int(text):,}" if is_count else clip(make_visible(text), _WIDTH)
