"""Read values from JSON back to exact native values, by the physical type of their column."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal

from service_nb.core.canonical import MAX_DIGITS
from service_nb.schema.source import Value

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII)
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
Read = Callable[[object], Value]


class UnreadableError(ValueError):
    """A value that does not have its column's type."""


def find_reader(physical: str) -> Read:
    """Return the function that reads values of a physical type, None among them; both raise `UnreadableError`."""
    read = _READERS.get("decimal" if physical.startswith("decimal(") else physical)
    if read is None:
        raise UnreadableError(physical)
    return lambda value: None if value is None else read(value)


def _read_whole(value: object) -> int:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer() and abs(value) < 2**53:  # 3.0 is how others write 3
        return int(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _WHOLE.fullmatch(value):
        return int(value)
    raise UnreadableError


def _read_double(value: object) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise UnreadableError from None
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    raise UnreadableError


def _read_decimal(value: object) -> Decimal:
    if type(value) is int:
        return Decimal(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _DECIMAL.fullmatch(value):
        return Decimal(value)
    raise UnreadableError


def _read_text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise UnreadableError


def _read_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise UnreadableError


def _read_date(value: object) -> datetime.date:
    try:
        return datetime.date.fromisoformat(_read_text(value))
    except ValueError:
        raise UnreadableError from None


def parse_datetime(text: str) -> datetime.datetime:
    """Parse an ISO 8601 date and time. There is no hour 24 in it, though Python takes one from 3.14 on.

    Raises
    ------
    ValueError
        The text is none.
    """
    if text[11:13] == "24":
        raise ValueError(text)
    return datetime.datetime.fromisoformat(text)


def _read_datetime(value: object) -> datetime.datetime:
    try:
        moment = parse_datetime(_read_text(value))
    except ValueError:
        raise UnreadableError from None
    if moment.tzinfo is not None:
        raise UnreadableError
    return moment


_READERS: dict[str, Read] = {
    "int64": _read_whole,
    "float64": _read_double,
    "decimal": _read_decimal,
    "string": _read_text,
    "counts": _read_text,
    "boolean": _read_bool,
    "date": _read_date,
    "datetime": _read_datetime,
}
