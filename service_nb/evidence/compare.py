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

from service_nb.core.canonical import canonical_text
from service_nb.core.parse import MAX_DIGITS, parse_strict
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


def ulp_distance(one: float, other: float) -> int | None:
    """Return how many steps to a neighbouring double lead from one value to the other; None if one of them is NaN.

    The doubles are counted in their order, so the way may cross zero (whose two signs are one value) and may end at an
    infinity, the neighbour of the largest double. Two NaN are no step apart.
    """
    if math.isnan(one) or math.isnan(other):
        return 0 if math.isnan(one) and math.isnan(other) else None
    return abs(_ordered(one) - _ordered(other))


def _ordered(value: float) -> int:
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
    before, after = _read(expected), _read(met)
    if before is _ABSENT or after is _ABSENT:
        walk.note((), expected, met, _clipped)
    elif keys and _are_named(before, keys) and _are_named(after, keys):
        walk.rows(before, after, keys)
    else:
        walk.tree((), before, after)
    return Comparison(
        values=walk.values,
        differing=walk.differing,
        differences=tuple(walk.differences),
        largest_ulps=walk.largest_ulps,
    )


def _read(text: str) -> Any:
    """Return what a text says, its numbers as written; `_ABSENT` if it is no JSON within limits."""
    try:
        parse_strict(text, max_bytes=MOST_BYTES)
    except (CanonicalJsonError, LimitExceededError):
        return _ABSENT
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def _are_named(rows: object, keys: Sequence[str]) -> bool:
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= set(keys) for row in rows):
        return False
    return len({_name(row, keys) for row in rows}) == len(rows)


def _name(row: Mapping[str, object], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(_json(row[key]) for key in keys)


class _Walk:
    """Goes through two values at once and gathers what differs."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self.values = self.differing = 0
        self.differences: list[Difference] = []
        self.largest_ulps: int | None = None

    def rows(self, before: list[Any], after: list[Any], keys: Sequence[str]) -> None:
        """Compare rows by name, then say whether those that both have stand in the same order."""
        places = {_name(row, keys): (index, row) for index, row in enumerate(after)}
        common: list[tuple[int, tuple[str, ...]]] = []
        for index, row in enumerate(before):
            name = _name(row, keys)
            at, there = places.pop(name, (-1, None))
            if there is None:
                self._missing(index, name, keys, row, None)
                continue
            common.append((at, name))
            told = _row_in_words(index, name, keys)
            for column in dict.fromkeys((*row, *there)):
                if column not in keys:
                    self.tree((index, column), row.get(column), there.get(column), f"{told}, {column}")
        for name, (index, row) in places.items():
            self._missing(index, name, keys, None, row)
        self._order(common)

    def _order(self, common: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Say from where on rows that both have stand in another order; `common` are their new places, in the old."""
        for (at, name), (now, other) in zip(common, sorted(common), strict=True):
            if at != now:
                where = "order of the rows"
                self._add(Difference(path=(), where=where, expected=_named(name), met=_named(other)))
                return

    def _missing(self, index: int, name: tuple[str, ...], keys: Sequence[str], before: object, after: object) -> None:
        self.values += 1
        where = _row_in_words(index, name, keys)
        self._add(Difference(path=(index,), where=where, expected=_told(before), met=_told(after)))

    def tree(self, path: Path, before: object, after: object, where: str | None = None) -> None:
        """Compare two values of any shape."""
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                self._child((*path, key), before.get(key, _ABSENT), after.get(key, _ABSENT))
        elif isinstance(before, list) and isinstance(after, list):
            for index in range(max(len(before), len(after))):
                one = before[index] if index < len(before) else _ABSENT
                other = after[index] if index < len(after) else _ABSENT
                self._child((*path, index), one, other)
        else:
            self.values += 1
            if type(before) is not type(after) or before != after:
                self._leaf(path, before, after, where)

    def _child(self, path: Path, before: object, after: object) -> None:
        if before is _ABSENT or after is _ABSENT:
            self.values += 1
            self.note(path, before, after, lambda value: None if value is _ABSENT else _told(value, is_absent=False))
        else:
            self.tree(path, before, after)

    def note(self, path: Path, before: object, after: object, told: Callable[[Any], str | None]) -> None:
        """Add a difference of which nothing can be measured."""
        self._add(Difference(path=path, where=_in_words(path), expected=told(before), met=told(after)))

    def _leaf(self, path: Path, before: object, after: object, where: str | None) -> None:
        kind = self._kind(path)
        ulps, by = _measured(before, after, kind)
        difference = Difference(
            path=path,
            where=where or _in_words(path),
            expected=_shown(before, kind),
            met=_shown(after, kind),
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


def _measured(before: object, after: object, kind: str | None) -> tuple[int | None, str | None]:
    """Return the distance in ulps of two doubles, or the exact difference of two other numbers."""
    one, other = _number(before, kind), _number(after, kind)
    if isinstance(one, float) and isinstance(other, float):
        return ulp_distance(one, other), None
    if one is None or other is None or isinstance(one, float) or isinstance(other, float):
        return None, None
    if isinstance(one, int) and isinstance(other, int):
        return None, f"{other - one:+d}"
    digits = len(str(before)) + len(str(after)) + 2
    return None, f"{Context(prec=digits).subtract(Decimal(other), Decimal(one)):+f}"


def _number(value: object, kind: str | None) -> int | float | Decimal | None:
    """Return a value as the number that its type says it is; None if it is none."""
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


def _shown(value: object, kind: str | None) -> str:
    """Return the exact text of a value: a number without the quotes that JSON needs for some."""
    return _clipped(str(value)) if _number(value, kind) is not None else _clipped(_json(value))


def _told(value: object, *, is_absent: bool = True) -> str | None:
    return None if value is None and is_absent else _clipped(_json(value))


def _clipped(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def _json(value: object) -> str:
    """Return the JSON of a value that `_read` gave."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical_text(key)}:{_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return canonical_text(value)


def _row_in_words(index: int, name: tuple[str, ...], keys: Sequence[str]) -> str:
    told = ", ".join(f"{key} {_clipped(value)}" for key, value in zip(keys, name, strict=True))
    return f"row {index + 1} ({told})"


def _named(name: tuple[str, ...]) -> str:
    return _clipped(", ".join(name)) + " first"


def _in_words(path: Path) -> str:
    """Say where a value stands, counting as cards do: rows of a table from 1, items of an array from 0."""
    match path:
        case ():
            return "the value"
        case (int(row), str(column)):
            return f"row {row + 1}, {column}"
        case (int(), *_):
            return "item " + ", ".join(map(str, path))
    head, *rest = path
    return f"{head}{''.join(f'[{step}]' if isinstance(step, int) else f'.{step}' for step in rest)}"
