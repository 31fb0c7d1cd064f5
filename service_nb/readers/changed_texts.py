"""Find texts that became another number: no double is the same, or the text was told from others by its spelling.

A double has a shortest text, which reads back as the same double. A text is changed if it says another number than it,
unless it is the very digits that the double has when a program writes more of them than it needs: `0.1` is not changed,
nor is `0.10000000000000001` (what C prints of it), and `9007199254740993` is. Fifteen digits are never changed, so only
longer texts are looked at, and those of numbers too small for a double.

Spellings: only an exponent without a point and a sign (`1E5`) beside whole numbers, or beside the same number in other
digits, is noted. Who writes numbers writes no such thing, who writes codes does. `1.50` beside `1.5`, and `5.` beside
`5`, are how people type: a note on each such column would be read by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.canonical import write_float
from service_nb.readers.conversions import convert
from service_nb.readers.decimal_texts import LONG, count_places
from service_nb.schema.reading_notes import ReadingNote

SAFE_CHARS = 15  # no text of so many characters is changed, unless its number is too small
LEAST_NORMAL = 2.0**-1022
# `pa.scalar` and `pa.array` would load pandas.
_LEAST = pa.Array.from_buffers(pa.float64(), 1, [None, pa.py_buffer(np.float64(LEAST_NORMAL).tobytes())])[0]
_SAFE = pa.Array.from_buffers(pa.int32(), 1, [None, pa.py_buffer(np.int32(SAFE_CHARS).tobytes())])[0]
EXACT_INTEGER = 2**53
MOST_DIGITS = 767  # of a double written out in full
MOST_CHARS = 40  # of a text in a note
CODE = r"[1-9][0-9]*[eE][0-9]{1,3}"
_WHOLE_OR_CODE = rf"^(?:0|[1-9][0-9]*|{CODE})$"
_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_DIGITS = np.array([chr(byte) in "0123456789.eE+-" for byte in range(256)])
_BEFORE = np.array([chr(byte) in ": \t\r\n" for byte in range(256)])
_LEAST_SMALL = 6  # letters of a number too small for a double: 1e-310
_NAME, _NAME_BYTES = re.compile(rb'"(?:[^"\\]|\\.)*+"\Z', re.DOTALL), 200
_FIRST_OF_DIGITS, _WIDTH_OF_DIGITS = 46, 12  # `.`, `/` and the ten digits follow each other


Tell = Callable[[int], str]  # the place of a row in words


class Changed(NamedTuple):
    """A text that became another number, and the number of its row, from 1."""

    row: int
    text: str
    value: float


class WrittenFloat(float):
    """A double of a document, with its text there."""

    __slots__ = ("text",)
    text: str

    @classmethod
    def parse(cls, text: str) -> float:
        """Parse a number of a JSON document; one that is changed keeps its text."""
        value = float(text)
        if not is_changed(text, value):
            return value
        written = cls(value)
        written.text = text
        return written


def is_changed(text: str, value: float) -> bool:
    """Tell whether the number of a text is another one than that of the double it was read as."""
    if value - value != 0:  # NaN and infinities are words
        return False
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an exponent of more digits than numbers have
        return True
    if exact == Decimal(repr(value)):
        return False
    digits = len(exact.as_tuple().digits)
    return exact != (Decimal(value) if digits > MOST_DIGITS else Decimal(f"{value:.{max(digits - 1, 0)}e}"))


def note_rounded(name: str, changed: Iterable[Changed], tell: Tell, types: str | None) -> ReadingNote | None:
    """Build the note on texts that became other numbers; `types` is a type that holds them all. None without any."""
    count, first = 0, None
    for each in changed:
        count += 1
        first = each if first is None or each.row < first.row else first
    if first is None:
        return None
    facts = {"count": str(count), "first": shorten(first.text), "place": tell(first.row)}
    facts["read"] = write_float(first.value)
    return ReadingNote("rounded", (name,), {**facts, "types": types} if types is not None else facts)


def note_decimals(name: str, values: Sequence[object]) -> ReadingNote | None:
    """Note decimals that are read as doubles for others beside them: 0.1 becomes the double near it."""
    met = [
        (row, value)
        for row, value in enumerate(values, 1)
        if isinstance(value, Decimal) and value.is_finite() and value != (double := float(value))
        if not is_changed(str(value), double)  # which another note tells
    ]
    if not met:
        return None
    row, first = met[0]
    facts = {"count": str(len(met)), "first": shorten(str(first)), "place": f"row {row}"}
    return ReadingNote("decimals", (name,), facts)


def propose_exact(texts: pa.ChunkedArray) -> str | None:
    """Propose the decimal type that holds all of these numbers as they are written; None if there is none."""
    places = count_places(texts, LONG)
    kind = f"decimal({LONG},{places})"
    return kind if places is not None and convert(texts, kind) is not None else None


def shorten(text: str) -> str:
    """Cut a text to what a note has of it."""
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


# --- delimited text ---------------------------------------------------------------------------------------------------


def iter_changed(texts: pa.ChunkedArray, doubles: pa.ChunkedArray) -> Iterator[Changed]:
    """Yield the texts of a column that became other numbers; both have nulls in the same places."""
    start = 0
    for chunk in texts.chunks:
        values = doubles.slice(start, len(chunk)).combine_chunks()
        is_short = (pc.max(pc.binary_length(chunk)).as_py() or 0) <= SAFE_CHARS
        if is_short or not _has_shortest_texts(chunk, values):
            for each in _iter_changed(chunk, values, is_short=is_short):
                yield each._replace(row=each.row + start)
        start += len(chunk)


def _has_shortest_texts(texts: pa.StringArray, doubles: pa.DoubleArray) -> bool:
    """Tell whether all texts are the shortest of their doubles: one after the other they are the same letters."""
    _, offset_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    values = np.from_dlpack(doubles.drop_null())  # `to_numpy` would load pandas
    written = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].replace(b",", b"")
    data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    return np.array_equal(np.frombuffer(written, np.uint8), data)


def _iter_changed(texts: pa.StringArray, doubles: pa.DoubleArray, *, is_short: bool) -> Iterator[Changed]:
    small = pc.less(pc.abs(doubles), _LEAST)
    looked_at = None if is_short else pc.greater(pc.binary_length(texts), _SAFE)
    if pc.any(small).as_py():
        has_exponent = pc.and_(small, pc.match_substring(texts, "e", ignore_case=True))
        looked_at = has_exponent if looked_at is None else pc.or_(looked_at, has_exponent)
    if looked_at is None:
        return
    rows = pc.indices_nonzero(looked_at)
    texts, doubles = texts.take(rows), doubles.take(rows)
    for place in _find_unlike(texts, np.from_dlpack(doubles)):
        text, value = texts[place].as_py(), doubles[place].as_py()
        if is_changed(text, value):
            yield Changed(rows[place].as_py() + 1, text, value)


def _find_unlike(texts: pa.StringArray, doubles: npt.NDArray[Any]) -> Sequence[int]:
    """Find the places of texts that are not the shortest of their doubles, letter by letter."""
    if not len(texts):
        return ()
    # One call writes all of them, without a step of Python for each: only where they differ does one begin.
    written = orjson.dumps(np.ascontiguousarray(doubles), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]
    ends = np.append(np.flatnonzero(np.frombuffer(written, np.uint8) == ord(",")), len(written))
    offsets = np.concatenate([[0], ends - np.arange(len(ends))]).astype(np.int32)
    shortest = pa.StringArray.from_buffers(
        len(doubles), pa.py_buffer(offsets), pa.py_buffer(written.replace(b",", b""))
    )
    unlike: list[int] = pc.indices_nonzero(pc.not_equal(texts, shortest)).to_pylist()
    return unlike


def find_spellings(name: str, texts: pa.ChunkedArray, doubles: pa.ChunkedArray, tell: Tell) -> ReadingNote | None:
    """Note whole numbers with an exponent where they may be codes: beside other digits for the same, or none but such.

    One in another column is a number as programs write it.
    """
    with_exponent = pc.or_(pc.match_substring(texts, "e"), pc.match_substring(texts, "E"))
    rows = pc.indices_nonzero(with_exponent)
    if not len(rows):
        return None
    exponents = texts.take(rows)
    met = pc.match_substring_regex(exponents, f"^{CODE}$")
    if not (pc.any(met).as_py() and pc.all(pc.match_substring_regex(texts, _WHOLE_OR_CODE)).as_py()):
        values = doubles.take(rows)
        same = pc.is_in(doubles, value_set=pc.unique(values))
        met = pc.is_in(values, value_set=_list_values_of_several(pc.unique(texts.filter(same))))
    count = pc.sum(met).as_py()
    if not count:
        return None
    row = rows[pc.index(met, True).as_py()].as_py()
    facts = {"count": str(count), "first": shorten(texts[row].as_py()), "place": tell(row + 1)}
    return ReadingNote("spelling", (name,), {**facts, "read": write_float(doubles[row].as_py()), "types": "string"})


def _list_values_of_several(spelt: pa.Array) -> pa.Array:
    """List the doubles that have several of these texts."""
    counts = pc.value_counts(pc.cast(spelt, pa.float64()))
    return counts.field("values").filter(pc.greater(counts.field("counts"), 1))


# --- JSON -------------------------------------------------------------------------------------------------------------


def find_changed_members(text: bytes, table: pa.Table, *, has_lines: bool) -> dict[str, list[Changed]]:
    """Find the numbers of flat JSON objects that became other doubles, by column.

    Almost every document is cleared by a look at each fourth byte: a long number has digits at four of them in a row.
    """
    doubles = {name: table[name] for name in table.column_names if pa.types.is_floating(table[name].type)}
    found: dict[str, list[Changed]] = {}
    if not doubles:
        return found
    has_small = _may_have_small_numbers(text, doubles.values())
    if not (has_small or _may_have_long_numbers(text)):
        return found
    extremes = [pc.min_max(column).as_py() for column in doubles.values()]
    ends = [abs(end) for each in extremes for end in each.values() if end is not None]
    for place, number in _iter_unlike(text, has_large=max(ends, default=0) >= EXACT_INTEGER, has_small=has_small):
        value = float(number)
        name = _find_name(text, place) if is_changed(number, value) else None
        if name is not None and name in doubles:
            row = text.count(b"\n", 0, place) + 1 if has_lines else text.count(b"{", 0, place)
            found.setdefault(name, []).append(Changed(row, number, value))
    return found


def _may_have_long_numbers(text: bytes) -> bool:
    met = (np.frombuffer(text, np.uint8)[::4] - np.uint8(_FIRST_OF_DIGITS)) < _WIDTH_OF_DIGITS
    met = met[:-1] & met[1:]
    return bool((met[:-2] & met[2:]).any())


def _may_have_small_numbers(text: bytes, doubles: Iterable[pa.ChunkedArray]) -> bool:
    is_small = any(pc.any(pc.less(pc.abs(column), _LEAST), min_count=0).as_py() for column in doubles)
    return is_small and (b"e-" in text or b"E-" in text)


def _iter_unlike(text: bytes, *, has_large: bool, has_small: bool) -> Iterator[tuple[int, str]]:
    """Yield numbers that are not the shortest text of a double, and their places, of those that may be changed."""
    data = np.frombuffer(text, np.uint8)
    met = _DIGITS[data]
    edges = np.concatenate([[0], np.flatnonzero(met[1:] != met[:-1]) + 1, [len(data)]])
    starts, lengths = edges[:-1], edges[1:] - edges[:-1]
    least = _LEAST_SMALL if has_small else SAFE_CHARS + 1
    runs = np.flatnonzero(met[starts] & _BEFORE[data[starts - 1]] & (lengths >= least))
    pieces = pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(edges.astype(np.int64)), pa.py_buffer(text))
    numbers = pieces.take(pa.array(runs)).cast(pa.string())
    wanted = _choose_numbers(numbers, has_large=has_large, has_small=has_small)
    places, numbers = starts[runs[np.from_dlpack(pc.indices_nonzero(wanted))]], numbers.filter(wanted)
    for at in _find_unlike(numbers, np.from_dlpack(pc.cast(numbers, pa.float64()))):
        yield int(places[at]), numbers[at].as_py()


def _choose_numbers(numbers: pa.StringArray, *, has_large: bool, has_small: bool) -> pa.BooleanArray:
    """Choose the numbers that may be changed from runs of letters of numbers, such as dates."""
    with_exponent = pc.or_(pc.match_substring(numbers, "e"), pc.match_substring(numbers, "E"))
    wanted = pc.or_(with_exponent, pc.match_substring(numbers, "."))
    if has_large:  # else whole numbers in columns of doubles are exact
        wanted = pc.or_(wanted, pc.is_valid(numbers))
    if has_small:
        is_long = pc.greater(pc.binary_length(numbers), _SAFE)
        wanted = pc.and_(wanted, pc.or_(is_long, with_exponent))
    try:
        pc.cast(numbers.filter(wanted), pa.float64())
    except pa.ArrowInvalid:
        wanted = pc.and_(wanted, pc.match_substring_regex(numbers, _NUMBER))
    return wanted


def _find_name(text: bytes, place: int) -> str | None:
    """Find the name of the member whose value stands at that place."""
    for reach in (_NAME_BYTES, 100 * _NAME_BYTES):
        before = text[max(0, place - reach) : place].rstrip(b" \t\r\n")
        found = _NAME.search(before[:-1].rstrip(b" \t\r\n")) if before.endswith(b":") else None
        if found is not None:
            with suppress(orjson.JSONDecodeError):
                return str(orjson.loads(found[0]))
    return None
