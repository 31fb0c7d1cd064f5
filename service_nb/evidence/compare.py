"""Two canonical texts of a result, value by value: where they differ, by how many doubles, by what exact amount.

Texts are read number by number as they are written: no value passes through a float that could round it.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from service_nb.core.canonical import MAX_DIGITS, parse_strict, write_canonical_text
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.schema.replay import Comparison, Difference

MOST_DIFFERENCES = 20  # that are told; the rest is counted
MOST_BYTES = 256 * 1024**2  # of one text
SHOWN_CHARS = 400  # of one value that differs

# The scalar type of every value, or the types by column or field; None where it is not known.
Types = Mapping[str, str] | str | None
Path = tuple[str | int, ...]

_SIGN, _MAGNITUDE = 1 << 63, (1 << 63) - 1
_NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


_ABSENT = object()


class _Number(str):
    """A number of a JSON text, as it is written there."""

    __slots__ = ()


def count_ulps(one: float, other: float) -> int | None:
    """Count the steps between neighbouring doubles from one value to the other; None if only one of them is NaN.

    The doubles are counted in their order, so the way may cross zero (whose two signs are one value) and may end at an
    infinity, the neighbour of the largest double. Two NaN are no step apart.
    """
    if math.isnan(one) or math.isnan(other):
        return 0 if math.isnan(one) and math.isnan(other) else None
    return abs(_rank_double(one) - _rank_double(other))


def _rank_double(value: float) -> int:
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return -(bits & _MAGNITUDE) if bits & _SIGN else bits


def compare(expected: str, met: str, types: Types = None, keys: Sequence[str] = ()) -> Comparison:
    """Compare two canonical JSON texts.

    Parameters
    ----------
    expected, met : str
        The stored text and the new one.
    types : mapping or str, optional
        float64, int64, int, decimal(p,s), string … of every value, or by column or field. Where it is not known,
        numbers with a point or an exponent are taken for float64.
    keys : sequence of str
        Columns that name a row. Rows are then held against the row of the same name, wherever it stands.
    """
    walk = _Walk(types)
    before, after = _read_json(expected), _read_json(met)
    if before is _ABSENT or after is _ABSENT:
        walk.note((), expected, met, _clip_text)
    elif keys and _has_named_rows(before, keys) and _has_named_rows(after, keys):
        walk.rows(before, after, keys)
    else:
        walk.tree((), before, after)
    return Comparison(
        values=walk.values,
        differing=walk.differing,
        differences=tuple(walk.differences),
        largest_ulps=walk.largest_ulps,
    )


def _read_json(text: str) -> Any:
    """Read a JSON text, its numbers as written; `_ABSENT` if it is no JSON or beyond the limits."""
    try:
        parse_strict(text, max_bytes=MOST_BYTES)
    except (CanonicalJsonError, LimitExceededError):
        return _ABSENT
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def _has_named_rows(rows: object, keys: Sequence[str]) -> bool:
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= set(keys) for row in rows):
        return False
    return len({_name_row(row, keys) for row in rows}) == len(rows)


def _name_row(row: Mapping[str, object], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(_write_json(row[key]) for key in keys)


class _Walk:
    """A walk through two values at once, which gathers the differences."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self.values = self.differing = 0
        self.differences: list[Difference] = []
        self.largest_ulps: int | None = None

    def rows(self, before: list[Any], after: list[Any], keys: Sequence[str]) -> None:
        """Compare rows by name, then the order of the rows that both sides have."""
        places = {_name_row(row, keys): (index, row) for index, row in enumerate(after)}
        common: list[tuple[int, tuple[str, ...]]] = []
        for index, row in enumerate(before):
            name = _name_row(row, keys)
            at, there = places.pop(name, (-1, None))
            if there is None:
                self._add_missing(index, name, keys, row, None)
                continue
            common.append((at, name))
            told = _describe_row(index, name, keys)
            for column in dict.fromkeys((*row, *there)):
                if column not in keys:
                    self.tree((index, column), row.get(column), there.get(column), f"{told}, {column}")
        for name, (index, row) in places.items():
            self._add_missing(index, name, keys, None, row)
        self._order(common)

    def _order(self, common: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Add a difference if common rows changed their order; `common` has their new places in the old order."""
        for (at, name), (now, other) in zip(common, sorted(common), strict=True):
            if at != now:
                where = "order of the rows"
                self._add(Difference(path=(), where=where, expected=_format_name(name), met=_format_name(other)))
                return

    def _add_missing(
        self, index: int, name: tuple[str, ...], keys: Sequence[str], before: object, after: object
    ) -> None:
        self.values += 1
        where = _describe_row(index, name, keys)
        self._add(Difference(path=(index,), where=where, expected=_format_value(before), met=_format_value(after)))

    def tree(self, path: Path, before: object, after: object, where: str | None = None) -> None:
        """Compare two values of any shape."""
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                self._compare_child((*path, key), before.get(key, _ABSENT), after.get(key, _ABSENT))
        elif isinstance(before, list) and isinstance(after, list):
            for index in range(max(len(before), len(after))):
                one = before[index] if index < len(before) else _ABSENT
                other = after[index] if index < len(after) else _ABSENT
                self._compare_child((*path, index), one, other)
        else:
            self.values += 1
            if type(before) is not type(after) or before != after:
                self._add_leaf(path, before, after, where)

    def _compare_child(self, path: Path, before: object, after: object) -> None:
        if before is _ABSENT or after is _ABSENT:
            self.values += 1
            self.note(
                path, before, after, lambda value: None if value is _ABSENT else _format_value(value, is_absent=False)
            )
        else:
            self.tree(path, before, after)

    def note(self, path: Path, before: object, after: object, told: Callable[[Any], str | None]) -> None:
        """Add a difference of which nothing can be measured."""
        self._add(Difference(path=path, where=_describe_place(path), expected=told(before), met=told(after)))

    def _add_leaf(self, path: Path, before: object, after: object, where: str | None) -> None:
        kind = self._kind(path)
        ulps, by = _measure_difference(before, after, kind)
        difference = Difference(
            path=path,
            where=where or _describe_place(path),
            expected=_format_exact(before, kind),
            met=_format_exact(after, kind),
            ulps=ulps,
            by=by,
        )
        self._add(difference)

    def _kind(self, path: Path) -> str | None:
        if self._types is None or isinstance(self._types, str):
            return self._types
        return next(
            (self._types[step] for step in reversed(path) if isinstance(step, str) and step in self._types), None
        )

    def _add(self, difference: Difference) -> None:
        self.differing += 1
        if difference.ulps is not None:
            self.largest_ulps = max(difference.ulps, self.largest_ulps or 0)
        if len(self.differences) < MOST_DIFFERENCES:
            self.differences.append(difference)


def _measure_difference(before: object, after: object, kind: str | None) -> tuple[int | None, str | None]:
    """Return the distance in ulps of two doubles, or the exact difference of two other numbers."""
    one, other = _read_number(before, kind), _read_number(after, kind)
    if isinstance(one, float) and isinstance(other, float):
        return count_ulps(one, other), None
    if one is None or other is None or isinstance(one, float) or isinstance(other, float):
        return None, None
    if isinstance(one, int) and isinstance(other, int):
        return None, f"{other - one:+d}"
    digits = len(str(before)) + len(str(after)) + 2
    return None, f"{Context(prec=digits).subtract(Decimal(other), Decimal(one)):+f}"


def _read_number(value: object, kind: str | None) -> int | float | Decimal | None:
    """Read a value as a number of its type; None if it is none."""
    if not isinstance(value, str) or len(value) > MAX_DIGITS or (kind is None and not isinstance(value, _Number)):
        return None
    whole = value.removeprefix("-").isdecimal() and value.isascii()
    try:
        if kind == "float64" or (kind is None and not whole):
            return _NONFINITE[value] if value in _NONFINITE else float(value) if isinstance(value, _Number) else None
        if kind in (None, "int", "int64"):
            return int(value) if whole else None
        if kind.startswith("decimal"):
            number = Decimal(value)
            return number if number.is_finite() else None
    except (ValueError, InvalidOperation):
        pass  # it is text after all
    return None


def _format_exact(value: object, kind: str | None) -> str:
    """Format a value exactly: a number without the quotes that JSON needs for some."""
    return _clip_text(str(value)) if _read_number(value, kind) is not None else _clip_text(_write_json(value))


def _format_value(value: object, *, is_absent: bool = True) -> str | None:
    return None if value is None and is_absent else _clip_text(_write_json(value))


def _clip_text(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def _write_json(value: object) -> str:
    """Return the JSON of a value that `_read_json` gave."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{write_canonical_text(key)}:{_write_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write_json, value)) + "]"
    return write_canonical_text(value)


def _describe_row(index: int, name: tuple[str, ...], keys: Sequence[str]) -> str:
    told = ", ".join(f"{key} {_clip_text(value)}" for key, value in zip(keys, name, strict=True))
    return f"row {index + 1} ({told})"


def _format_name(name: tuple[str, ...]) -> str:
    return _clip_text(", ".join(name)) + " first"


def _describe_place(path: Path) -> str:
    """Describe the place of a value, counting as cards do: rows of a table from 1, items of an array from 0."""
    match path:
        case ():
            return "the value"
        case (int(row), str(column)):
            return f"row {row + 1}, {column}"
        case (int(), *_):
            return "item " + ", ".join(map(str, path))
    head, *rest = path
    return f"{head}{''.join(f'[{step}]' if isinstance(step, int) else f'.{step}' for step in rest)}"
