"""Find texts of a column that look like others of it, and texts with blanks around them.

Two texts look alike if they are the same once they are folded: without blanks around them and without signs that are
not seen, each blank within them an ordinary one, letters composed. What differs otherwise, as `New  York` and
`New York`, is seen to differ. Nothing is folded but here: a column keeps its texts.

Almost every column is cleared by a look at its bytes, for a text that is no fold of itself has a blank at an end, or
a character of a few (`_list_odd_points`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
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
WITHIN = "\\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # blanks that look like an ordinary one
_UNSEEN, _JOINERS, _WITHIN = re.compile(f"[{UNSEEN}]"), re.compile("[\u200c\u200d]"), re.compile(f"[{WITHIN}]")
MOST_SHOWN, MOST_BEFORE = 40, 12  # characters of a text in a note, and of what is the same before they differ
# Bytes: of C2 are controls and signs, of C3 to CB letters that stay what they are, of F0 and 9F pictures.
_SPACE, _DELETE, _SIGNS, _BEYOND_LATIN, _FIRST_OF_FOUR, _PICTURES = 0x20, 0x7F, 0xC2, 0xCC, 0xF0, 0xF09F
_SIGN, _COMPOSED = 1, 2
_ALL = np.uint64(2**64 - 1)
_NONE = np.empty(0, np.int64)
_BLOCK = 1 << 18  # bytes that stay near the processor
_FEW = 1 << 14  # bytes that are folded sooner than looked at
# Code points that are looked up one by one: signs of East Asia and syllables of Hangul stay what they are.
_LOOKED_AT = (range(0x3400), range(0xA000, 0xAC00), range(0xF900, 0x10000))
_POINTS, _FIRST_ASTRAL, _FIRST_PICTURE = 0x20000, 0x10000, 0x1F000

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
    whole = _join(texts)
    for sign in sorted(set(_UNSEEN.findall(whole))):  # a few, each of which is faster to find than a class of them
        texts = pc.replace_substring(texts, sign, "")
    if _JOINERS.search(whole) is not None:
        texts = pc.replace_substring_regex(texts, JOINERS, r"\1")
    for blank in sorted(set(_WITHIN.findall(whole))):
        texts = pc.replace_substring(texts, blank, " ")
    texts = pc.utf8_trim(texts, characters=BLANKS)
    return texts if unicodedata.is_normalized("NFC", _join(texts)) else pc.utf8_normalize(texts, "NFC")


def _join(texts: pa.Array) -> str:
    """Join texts without a step of Python for each."""
    _, offset_buffer, data_buffer = texts.buffers()
    if data_buffer is None or not len(texts):
        return ""
    offsets = np.frombuffer(offset_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return str(memoryview(data_buffer)[int(offsets[0]) : int(offsets[-1])], "utf-8")


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
    found, start = [_NONE], 0
    for chunk in entries.chunks:
        found.append(_find_doubtful(chunk) + start)
        start += len(chunk)
    return _Texts(column, entries, _to_arrow(np.concatenate(found)))


def _find_doubtful(chunk: pa.StringArray) -> npt.NDArray[np.int64]:
    """Find the texts that a fold may change: by their ends, and by the characters in them."""
    _, offset_buffer, data_buffer = chunk.buffers()
    if data_buffer is None or not len(chunk):
        return _NONE
    offsets = np.frombuffer(offset_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    if offsets[-1] - offsets[0] <= _FEW:
        return np.flatnonzero(offsets[1:] > offsets[:-1])
    data = np.frombuffer(data_buffer, np.uint8)[: offsets[-1]]
    # Of an empty value a neighbour's byte is looked at, which can only make the answer more careful.
    ends = data.take(offsets[:-1], mode="clip"), data.take(offsets[1:] - 1, mode="wrap")
    met = np.zeros(len(chunk), np.bool_)
    for end in ends:
        met |= end <= _SPACE
    has_signs = bool(met.any())
    for places, is_sign in _iter_odd_places(data, int(offsets[0])):
        met[np.searchsorted(offsets, places, side="right") - 1] = True
        has_signs |= is_sign
    rows = np.flatnonzero(met)
    if not len(rows):
        return _NONE
    is_composed = not has_signs and unicodedata.is_normalized("NFC", _join(chunk.take(_to_arrow(rows))))
    return _NONE if is_composed else rows


def _to_arrow(rows: npt.NDArray[np.int64]) -> pa.Array:
    """Return numbers as an array of Arrow; `pa.array` would load pandas."""
    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(rows.astype(np.int64))])


def _iter_odd_places(data: npt.NDArray[np.uint8], start: int) -> Iterator[tuple[npt.NDArray[np.int64], bool]]:
    """Yield the places of characters that a fold may change, and whether one is no matter of composition.

    It goes on a block at a time; most have none by their bytes.
    """
    for base in range(start, len(data), _BLOCK):
        block = data[base : base + _BLOCK]
        low, high = block.min(), block.max()
        is_plain = low >= _SPACE and high < _BEYOND_LATIN
        if is_plain and (high < _DELETE or not ((block == _DELETE).any() or (block == _SIGNS).any())):
            continue
        odd = _list_odd_points()
        leads = np.frombuffer(block.tobytes().translate(odd.leads), np.bool_)
        places = np.flatnonzero(leads) + base
        seconds, thirds = (data.take(places + step, mode="clip") for step in (1, 2))
        masks = odd.thirds.take(data.take(places).astype(np.uint16) << 8 | seconds)
        places = places[(masks >> (thirds & 0x3F) & np.uint64(1)).astype(np.bool_)]
        if len(places):
            kinds = odd.points.take(_read_points(data, places))
            places = places[kinds > 0]
            yield places, bool((kinds == _SIGN).any())


def _read_points(data: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return the code points of the characters that start at these places; of any beyond the table, its end."""
    lead = data[places].astype(np.int32)
    second, third, fourth = (data.take(places + step, mode="clip").astype(np.int32) & 0x3F for step in (1, 2, 3))
    of_two, of_three = (lead & 0x1F) << 6 | second, (lead & 0x0F) << 12 | second << 6 | third
    of_four = (lead & 0x07) << 18 | second << 12 | third << 6 | fourth
    point = np.select([lead < 0x80, lead < 0xE0, lead < 0xF0], [lead, of_two, of_three], of_four)
    return np.minimum(point, _POINTS)


class _OddPoints(NamedTuple):
    """Characters that a fold may change: by their first bytes, their first three, and their code points."""

    leads: bytes  # 1 for each, as `bytes.translate` takes it
    thirds: npt.NDArray[np.uint64]  # by the first two, a bit for each third one
    points: npt.NDArray[np.uint8]  # _SIGN or _COMPOSED


@cache
def _list_odd_points() -> _OddPoints:
    """List blanks but the ordinary one and signs that are not seen; and what composition may change, or set in order.

    Beyond the table all may be changed.
    """
    signs = "".join(chr(at) for part in _LOOKED_AT for at in part)
    parts = (unicodedata.decomposition(char).split() for char in signs)
    points = np.zeros(_POINTS + 1, np.uint8)
    points[[int(each[1], 16) for each in parts if len(each) == 2 and each[0][0] != "<"]] = _COMPOSED
    points[[at for at in map(ord, signs) if unicodedata.combining(chr(at))]] = _COMPOSED
    points[[ord(char) for char in signs if unicodedata.normalize("NFC", char) != char]] = _COMPOSED
    points[0x1161:0x1176] = points[0x11A8:0x11C3] = points[_FIRST_ASTRAL:_FIRST_PICTURE] = points[_POINTS] = _COMPOSED
    points[[ord(char) for char in re.findall(f"[{UNSEEN}{WITHIN}\u0085\u2028\u2029\u200c\u200d]", signs)]] = _SIGN
    leads, thirds = bytearray(256), np.zeros(1 << 16, np.uint64)
    for at in np.flatnonzero(points[:_FIRST_ASTRAL]):
        first, *rest = chr(at).encode()[:3]
        leads[first] = True
        if len(rest) < 2:
            thirds[first << 8 | rest[0] if rest else slice(first << 8, (first + 1) << 8)] = _ALL
        else:
            thirds[first << 8 | rest[0]] |= np.uint64(1 << (rest[1] & 0x3F))
    leads[_FIRST_OF_FOUR:] = bytes([1]) * (256 - _FIRST_OF_FOUR)
    thirds[_FIRST_OF_FOUR << 8 :] = _ALL
    thirds[_PICTURES] = 0
    return _OddPoints(bytes(leads), thirds, points)
