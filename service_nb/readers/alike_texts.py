"""Find texts of a column that look like others of it, and texts with blanks around them.

Two texts look alike if they are the same once they are folded: without blanks around them and without signs that are
not seen, each blank within them an ordinary one, letters composed. What differs otherwise, as `New  York` and
`New York`, is seen to differ. Nothing is folded but here: a column keeps its texts.

Almost every column is cleared by its bytes or by one pattern (`ODD`): a text that is no fold of itself has a blank at
an end, or one of a few characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.text_forms import BLANKS
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field

# Classes of regular expressions, which RE2, Python and JavaScript read alike.
UNSEEN = (
    "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff"
)
# Joiners are seen in scripts whose letters join, and between signs that make one picture; behind other letters not.
JOINERS = "(^|[\\x00-\u058f])[\u200c\u200d]+"
OTHER_SCRIPTS = "\u0590-\uffff\U00010000-\U0010ffff"
WITHIN = "\\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # blanks that look like an ordinary one
# What composition may change: letters that it writes otherwise, those that join the one before, and marks in a row.
_WRITTEN_OTHERWISE = (
    "\u0340-\u0344\u0374\u037e\u0387\u0958-\u095f\u09dc-\u09df\u0a33-\u0a36\u0a59-\u0a5e\u0b5c\u0b5d\u0f43-\u0fb9"
    "\u1f71-\u1ffd\u2126-\u212b\u2329\u232a\u2adc\uf900-\ufaff\ufb1d-\ufb4e\U0001d15e-\U0001d1c0\U0002f800-\U0002fa1d"
)
_JOINING = (
    "\u0300-\u0304\u0306-\u030c\u030f\u0311\u0313\u0314\u031b\u0323-\u0328\u032d\u032e\u0330\u0331\u0338\u0342\u0345"
    "\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf"
    "\u102e\u1161-\u1175\u11a8-\u11c2\u1b35\u3099\u309a\U000110ba\U00011127\U0001133e\U00011357\U000114b0\U000114ba"
    "\U000114bd\U000115af\U00011930"
)
# All that a fold may change.
ODD = f"^[{BLANKS}]|[{BLANKS}]$|[{UNSEEN}{WITHIN}\u200c\u200d{_WRITTEN_OTHERWISE}{_JOINING}]|\\p{{M}}\\p{{M}}"
MOST_SHOWN, MOST_BEFORE = 40, 12  # characters of a text in a note, and of what is the same before they differ
# Bytes: of C2 are controls and signs, of C3 to CB letters that stay what they are.
_SPACE, _DELETE, _SIGNS, _BEYOND_LATIN = 0x20, 0x7F, 0xC2, 0xCC

Tell = Callable[[int], str]  # the place of a row in words


def tell_row(row: int) -> str:
    """Tell the place of a row, from 1, in words."""
    return f"row {row}"


def find_text_notes(fields: Sequence[Field], table: pa.Table, tell: Tell, *, trims: bool) -> list[ReadingNote]:
    """Find texts that look alike and texts with blanks around them; `trims`: the reader has the option `trim`."""
    texts = [field.name for field in fields if field.type == "string"]
    return [note for name in texts for note in _iter_notes(name, table[name], tell, trims=trims)]


def fold(texts: pa.Array) -> pa.Array:
    """Fold texts: those that look alike become the same."""
    seen = pc.replace_substring_regex(texts, f"[{UNSEEN}]+", "")
    seen = pc.replace_substring_regex(seen, JOINERS, r"\1")
    plain = pc.replace_substring_regex(seen, f"[{WITHIN}]", " ")
    return pc.utf8_normalize(pc.utf8_trim(plain, characters=BLANKS), "NFC")


class _Texts(NamedTuple):
    """The texts of a column that may be no fold of themselves, and how its rows are found by them."""

    column: pa.ChunkedArray
    entries: pa.ChunkedArray  # the texts of rows, or each member of a dictionary once
    places: pa.Array  # of these texts among them

    def locate(self, texts: pa.Array) -> tuple[int, int]:
        """Count the rows of these texts, and find the first one, from 0."""
        met = pc.is_in(self.entries.take(self.places), value_set=texts)
        places = self.places.filter(met.combine_chunks())
        if not pa.types.is_dictionary(self.column.type):
            return len(places), places[0].as_py()
        members = places.cast(pa.int32())
        found = pa.chunked_array([pc.is_in(chunk.indices, value_set=members) for chunk in self.column.chunks])
        return pc.sum(found).as_py(), pc.index(found, True).as_py()


def _iter_notes(name: str, column: pa.ChunkedArray, tell: Tell, *, trims: bool) -> Iterator[ReadingNote]:
    texts = _look(column)
    if not len(texts.places):
        return
    looked_at = pc.unique(texts.entries.take(texts.places))
    folds = fold(looked_at)
    differs = pc.not_equal(looked_at, folds)
    odd, folds = looked_at.filter(differs), folds.filter(differs)
    if not len(odd):
        return
    others = _find_others(texts.entries, odd, folds)
    blank = odd.filter(pc.not_equal(pc.utf8_trim(odd, characters=BLANKS), odd))
    if others:
        count, row = texts.locate(_list_texts(others))
        text = str(column[row].as_py())
        first, other = show_apart(text, others[text])
        facts = {"count": str(count), "first": first, "place": tell(row + 1), "other": other}
        is_trimmed = all(text.strip(BLANKS) == other.strip(BLANKS) for text, other in others.items())
        yield ReadingNote("alike", (name,), {**facts, "option": "trim"} if trims and is_trimmed else facts)
    if not pc.all(pc.is_in(blank, value_set=_list_texts(others)), min_count=0).as_py():
        count, row = texts.locate(blank)
        text = str(column[row].as_py())
        facts = {"count": str(count), "first": show_apart(text, text.strip(BLANKS))[0], "place": tell(row + 1)}
        yield ReadingNote("blanks", (name,), {**facts, "option": "trim"} if trims else facts)
    told = pa.concat_arrays([blank, _list_texts(others), _list_texts(set(others.values()))])
    # Marks of other scripts are written in many orders, and their letters are not typed in parts.
    is_marked = pc.and_(
        pc.equal(pc.utf8_normalize(odd, "NFC"), folds), pc.match_substring_regex(odd, f"[{OTHER_SCRIPTS}]")
    )
    unseen = odd.filter(pc.invert(pc.or_(pc.is_in(odd, value_set=told), is_marked)))
    if len(unseen):
        count, row = texts.locate(unseen)
        text = str(column[row].as_py())
        shown = show_apart(text, fold(_list_texts([text]))[0].as_py())[0]
        yield ReadingNote("unseen", (name,), {"count": str(count), "first": shown, "place": tell(row + 1)})


def _list_texts(texts: Iterable[str]) -> pa.Array:
    return pa.array(list(texts), pa.string())


def _find_others(entries: pa.ChunkedArray, odd: pa.Array, folds: pa.Array) -> dict[str, str]:
    """Find the texts that look like another one, and which: the fold itself if it is in the column, else the first."""
    counts = pc.value_counts(folds)
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    met = pc.unique(entries.filter(pc.is_in(entries, value_set=counts.field("values"))))
    is_alike = pc.or_(pc.is_in(folds, value_set=met), pc.is_in(folds, value_set=repeated))
    plain, first, others = set(met.to_pylist()), dict[str, str](), dict[str, str]()
    for text, folded in zip(odd.filter(is_alike).to_pylist(), folds.filter(is_alike).to_pylist(), strict=True):
        other = first.setdefault(folded, folded if folded in plain else text)
        if other != text:
            others[text] = other
    return others


def show_apart(text: str, other: str) -> tuple[str, str]:
    """Write two texts that look alike so that they are seen to differ, from a little before where they do.

    A character that only one of them has is written by its number, unless it is of ASCII and printed.
    """
    same = next((at for at, (left, right) in enumerate(zip(text, other, strict=False)) if left != right), None)
    at = min(len(text), len(other)) if same is None else same
    start = at - MOST_BEFORE if max(len(text), len(other)) > MOST_SHOWN and at > 2 * MOST_BEFORE else 0
    return _cut(_escape(text, other, start), start), _cut(_escape(other, text, start), start)


def _escape(text: str, other: str, start: int) -> str:
    own = {char for char in set(text) - set(other) if not " " <= char <= "~"}
    return "".join(_write_point(char) if char in own else char for char in text[start:])


def _write_point(char: str) -> str:
    point = ord(char)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\u{{{point:x}}}"


def _cut(text: str, start: int) -> str:
    shown = f"…{text}" if start else text
    return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 1]}…"


# --- texts that are no fold of themselves -----------------------------------------------------------------------------


def _look(column: pa.ChunkedArray) -> _Texts:
    """Find the texts that may be no fold of themselves."""
    is_encoded = pa.types.is_dictionary(column.type)
    chunks = [each.dictionary for each in column.chunks[:1]] if is_encoded else column.chunks
    entries = pa.chunked_array(chunks, pa.string())
    found = pa.chunked_array([_find_odd(chunk) for chunk in entries.chunks], pa.bool_())
    return _Texts(column, entries, pc.indices_nonzero(found))


def _find_odd(chunk: pa.StringArray) -> pa.BooleanArray:
    """Find the texts that a fold may change; those of ASCII and of Latin letters are cleared by their bytes."""
    if _is_plain(chunk):
        return pa.repeat(pa.scalar(False), len(chunk))
    return pc.fill_null(pc.match_substring_regex(chunk, ODD), False)


def _is_plain(chunk: pa.StringArray) -> bool:
    _, offset_buffer, data_buffer = chunk.buffers()
    if data_buffer is None or not len(chunk):
        return True
    offsets = np.frombuffer(offset_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    if not len(data):
        return True
    low, high = data.min(), data.max()
    if low < _SPACE or high >= _BEYOND_LATIN:
        return False
    if high >= _DELETE and ((data == _DELETE).any() or (data == _SIGNS).any()):
        return False
    # Of an empty text a neighbour's byte is looked at, which can only make the answer more careful.
    places = offsets - offsets[0]
    first, last = data.take(places[:-1], mode="clip"), data.take(places[1:] - 1)
    return bool(min(first.min(), last.min()) > _SPACE)
