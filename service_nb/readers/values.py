"""Columns of Python values, as JSON, SQLite, Excel and object columns of pandas hold them, typed by all their values.

Whole numbers stay exact, numbers beside fractions are doubles, texts that are all ISO dates are dates. What mixes
kinds, or has no type of ours, is kept as text, and a note says so. Numbers in quotes stay text.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa

from service_nb.core.canonical import canonical_text
from service_nb.core.words import shown
from service_nb.errors import CanonicalJsonError, LimitExceededError, SourceMalformedError
from service_nb.readers import inference

MOST_DIGITS = 38


def typed_values(name: str, values: list[Any], notes: list[str], declared: str | None = None) -> pa.ChunkedArray:
    """Return values as a typed column; what was decided is added to `notes`.

    Raises
    ------
    SourceMalformedError [source_malformed]
        A value that no type holds exactly, or a text that does not fit the declared type.
    """
    try:
        values = _native(values)
        kinds = {_KINDS.get(kind) or _kind(kind) for kind in set(map(type, values))} - {"null"}
        column = _column(name, values, kinds)
        if column is None:
            notes.append(_kept_as_text(name, kinds))
            column = pa.array([None if value is None else _text(name, value) for value in values], pa.string())
    except (TypeError, ValueError, OverflowError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds values that cannot be represented exactly.",
            column=name,
            met=type(error).__name__,
        ) from error
    chunked = pa.chunked_array([column])
    if kinds != {"text"}:
        return chunked
    if declared is None:
        return _dates(name, chunked, notes)
    return inference.declared(name, chunked, declared, "Row", lambda row: row).column


def _kept_as_text(name: str, kinds: set[str]) -> str:
    met = " and ".join(sorted(kinds))
    if kinds == {"numbers"}:
        met = f"numbers of more than {MOST_DIGITS} digits"
    elif kinds == {"times"}:
        met = "times with and without a time zone"
    return f"{name}: read as text, because it holds {met}."


def _native(values: list[Any]) -> list[Any]:
    """Scalars of NumPy and pandas as Python's own, and their missing values as None."""
    foreign = {kind for kind in set(map(type, values)) if kind.__module__.partition(".")[0] in ("numpy", "pandas")}
    if not foreign:
        return values
    return [_native_scalar(value) if type(value) in foreign else value for value in values]


def _native_scalar(value: Any) -> Any:
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if getattr(value, "nanosecond", 0):
        raise pa.ArrowInvalid("finer than a microsecond")
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    if type(value).__name__ == "datetime64":
        return pa.scalar(value).cast(pa.timestamp("us")).as_py()
    return value.item() if hasattr(value, "item") else value


# Types as they come; subclasses are looked up by `_kind`.
_KINDS = {type(None): "null", bool: "booleans", int: "numbers", float: "numbers", Decimal: "numbers", str: "text"}


def _kind(kind: type) -> str:
    families = (
        ("numbers", (int, float, Decimal)),
        ("text", (str,)),
        ("times", (datetime.datetime,)),
        ("dates", (datetime.date,)),
        ("times of day", (datetime.time, datetime.timedelta)),
    )
    return next((name for name, family in families if issubclass(kind, family)), "nested values")


def _column(name: str, values: list[Any], kinds: set[str]) -> pa.Array | None:
    match sorted(kinds):
        case []:
            return pa.array(values, pa.null())
        case ["booleans"]:
            return pa.array(values, pa.bool_())
        case ["numbers"]:
            return _numbers(name, values)
        case ["text"]:
            return _texts(name, values)
        case ["dates"]:
            return pa.array(values, pa.date32())
        case ["times"]:
            return _times(values)
    return None


def _times(values: list[Any]) -> pa.Array | None:
    zoned = {value.tzinfo is not None for value in values if value is not None}
    if len(zoned) > 1:
        return None  # an instant and a reading of a clock cannot be compared
    return pa.array(values, pa.timestamp("us", "UTC" if zoned == {True} else None))


def _numbers(name: str, values: list[Any]) -> pa.Array | None:
    kinds = set(map(type, values)) - {type(None)}
    if any(issubclass(kind, float) for kind in kinds):
        return pa.array([None if value is None else _double(name, value) for value in values], pa.float64())
    present = [value for value in values if value is not None]
    if any(issubclass(kind, Decimal) for kind in kinds):
        return pa.array([None if value is None else Decimal(value) for value in values])
    low, high = min(present), max(present)
    if low >= -(2**63) and high < 2**63:
        return pa.array(values, pa.int64())
    if low > -(10**MOST_DIGITS) and high < 10**MOST_DIGITS:
        return pa.array([None if value is None else Decimal(value) for value in values], pa.decimal128(38, 0))
    return None


def _double(name: str, value: Any) -> float:
    number = float(value)  # of a whole number too large, this is the OverflowError
    if math.isinf(number) and not isinstance(value, float):
        raise SourceMalformedError(f"Column {shown(name)} holds a number beyond the range of doubles.", column=name)
    return number


def _texts(name: str, values: list[Any]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds a lone surrogate.", column=name, expected="text"
        ) from error


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    try:
        return canonical_text(value)
    except (CanonicalJsonError, LimitExceededError) as error:
        raise SourceMalformedError(
            f"Column {shown(name)} holds a value {shown(value)}, which cannot be written as text.",
            column=name,
            met=shown(value),
        ) from error


def _dates(name: str, column: pa.ChunkedArray, notes: list[str]) -> pa.ChunkedArray:
    found = inference.infer(name, column)
    if found.physical not in ("date", "datetime"):
        return column
    notes += [found.note] if found.note else []
    return found.column
