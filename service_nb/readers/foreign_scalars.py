"""Scalars of NumPy and pandas as Python's own, and their missing values as None."""

from __future__ import annotations

import datetime
from typing import Any

from service_nb.errors import SourceMalformedError
from service_nb.readers.columns import bad_column_error
from service_nb.readers.frame_lines import Library, write_hint

_LISTED = "biufO"  # kinds of NumPy's arrays whose list holds Python's own values
_FINE = "holds values of type {} finer than a microsecond"


def convert_scalars(name: str, values: list[object], library: Library | None) -> list[object]:
    """Return the values of a column with those of NumPy and pandas as Python's own. Raises `source_malformed`."""
    foreign = {kind for kind in set(map(type, values)) if kind.__module__.partition(".")[0] in ("numpy", "pandas")}
    if not foreign:
        return values
    return [_convert(name, value, library) if type(value) in foreign else value for value in values]


def _convert(name: str, value: Any, library: Library | None) -> object:
    kind = type(value).__name__
    match kind:
        case "NaTType" | "NAType":
            return None
        case "Timestamp" if value.nanosecond:
            raise _refuse(name, _FINE.format(kind), kind, library)
        case "Timestamp":
            return value.to_pydatetime()
        case "Timedelta" if value.nanoseconds:
            raise _refuse(name, _FINE.format(kind), kind, library)
        case "Timedelta":
            return value.to_pytimedelta()
        case "datetime64" | "timedelta64":
            return _convert_time(name, value, library)
        case "ndarray" if value.dtype.kind in _LISTED and value.dtype.itemsize <= 8:
            return value.tolist()
        case "ndarray" | "Series" | "Index" | "DataFrame":  # of one value, `item` would take it out
            return value
    return value.item() if hasattr(value, "item") else value


def _convert_time(name: str, value: Any, library: Library | None) -> object:
    """A time or duration of NumPy in any unit that has a length, None for its missing one."""
    kind = str(value.dtype)
    if value != value:  # NaT
        return None
    if kind.endswith(("[Y]", "[M]", "[W]")) or "[" not in kind:
        raise _refuse(name, f"holds values of type {kind}, which have no one length", kind, library)
    if kind == "datetime64[D]":
        found = value.item()
    else:
        cut = value.astype(f"{kind.partition('[')[0]}[us]")
        if cut.astype(value.dtype) != value or (cut != value):
            raise _refuse(name, _FINE.format(kind), kind, library)
        found = cut.item()
    if not isinstance(found, datetime.date | datetime.timedelta):
        raise _refuse(name, f"holds values of type {kind} beyond the years 1 to 9999", kind, library)
    return found


def _refuse(name: str, fault: str, met: str, library: Library | None) -> SourceMalformedError:
    return bad_column_error(name, fault, write_hint("object", name, library), met=met)
