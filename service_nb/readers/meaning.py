"""Refuse columns of Arrow whose storage is not what their type means, however deep it is nested.

An extension type stores one thing and means another, bytes mean nothing, and some dates are beyond what Python and the
engines hold. What passes here has the same meaning once it is cast or written out.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.columns import bad_column_error, is_text
from service_nb.readers.frame_lines import Library, Remedy, write_hint

EXTENSION_NAME = b"ARROW:extension:name"  # of a field whose extension type is not registered: its type is the storage

# Extensions that are read. Of those of BigQuery, the storage already has the meaning.
TEXTS = frozenset(("arrow.json", "google:sqlType:json", "google:sqlType:geography"))
UUID, BOOLEAN = "arrow.uuid", "arrow.bool8"
_READ = TEXTS | {UUID, BOOLEAN, "google:sqlType:datetime"}

_LONGEST_NAME = 100
_DAYS = (-719_162, 2_932_896)  # 0001-01-01 and 9999-12-31, in days since 1970
_DAY_SECONDS = 86_400
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_INFINITIES = (-(2**63) + 1, 2**63 - 1)  # how DuckDB exports its infinite timestamps


def find_extension(field: pa.Field) -> str | None:
    """Return the name of the extension type of a field, registered or not; None if it has none."""
    if isinstance(field.type, pa.BaseExtensionType):
        name = str(field.type.extension_name)
    elif (stored := (field.metadata or {}).get(EXTENSION_NAME)) is not None:
        name = stored.decode("utf-8", "replace")
    else:
        return None
    return "".join(char if char.isprintable() else "?" for char in name[:_LONGEST_NAME])  # it is shown


def find_odd_extension(field: pa.Field) -> str | None:
    """Return the name of an extension type, of a field or within it, whose meaning is not known here."""
    name = find_extension(field)
    if name is not None and name not in _READ:
        return name
    return next((odd for child in _list_children(field.type) if (odd := find_odd_extension(child))), None)


def _list_children(kind: pa.DataType) -> list[pa.Field]:
    if isinstance(kind, pa.BaseExtensionType):
        return []
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return [pa.field("values", kind.value_type)]
    return [kind.field(at) for at in range(kind.num_fields)] if pa.types.is_nested(kind) else []


def check_meaning(field: pa.Field, column: pa.ChunkedArray, library: Library | None) -> None:
    """Raise `source_malformed` for a column that cannot be read by its meaning."""
    odd = find_odd_extension(field)
    if odd is not None:
        remedy: Remedy = "storage" if isinstance(field.type, pa.BaseExtensionType) else "text"
        fault = f"is of the extension type {odd}, whose meaning is not known here"
        raise _refuse(field, fault, remedy, library if remedy == "storage" else None, odd)
    if _is_plain(column.type):
        return
    for chunk in column.chunks:
        for leaf in _iter_leaves(chunk):
            _check_leaf(field, leaf, library)


def _is_plain(kind: pa.DataType) -> bool:
    """Tell whether every value of a type is what it is stored as."""
    types = pa.types
    return bool(types.is_primitive(kind) and not types.is_temporal(kind)) or is_text(kind) or types.is_decimal(kind)


def _iter_leaves(array: pa.Array) -> Iterator[pa.Array]:
    """Yield the arrays of the values that are nested in an array, itself if none are."""
    kind = array.type
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        yield array
    elif types.is_dictionary(kind):
        yield from _iter_leaves(array.dictionary)
    elif types.is_run_end_encoded(kind):
        yield from _iter_leaves(array.values)
    elif types.is_map(kind):
        yield from _iter_leaves(array.keys)
        yield from _iter_leaves(array.items)
    elif types.is_struct(kind):
        for part in array.flatten():
            yield from _iter_leaves(part)
    elif types.is_union(kind):
        for at in range(kind.num_fields):
            yield from _iter_leaves(array.field(at))
    elif types.is_nested(kind):
        yield from _iter_leaves(array.flatten())
    else:
        yield array


def _check_leaf(field: pa.Field, leaf: pa.Array, library: Library | None) -> None:
    kind, types = leaf.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or _is_view(kind):
        # Within lists no library has a short line for it.
        raise _refuse(field, "holds bytes, which cannot be queried", "hex", library if kind == field.type else None)
    if types.is_interval(kind):
        raise _refuse(field, "holds intervals of months and days, which have no one length", "text", library)
    if types.is_date(kind) or types.is_timestamp(kind):
        _check_range(field, leaf, library)
    if (types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind)) and kind.unit == "ns":
        _check_whole_microseconds(field, leaf, library)


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary_view(kind))


def _check_range(field: pa.Field, leaf: pa.Array, library: Library | None) -> None:
    kind = leaf.type
    if pa.types.is_date32(kind):
        low, high = _DAYS
    else:
        day = _DAY_SECONDS * (10**3 if pa.types.is_date64(kind) else _TICKS[kind.unit])
        low, high = _DAYS[0] * day, (_DAYS[1] + 1) * day - 1
    ends = pc.min_max(leaf.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())).as_py()
    if ends["min"] is None:
        return
    if max(low, _INFINITIES[0] + 1) <= ends["min"] and ends["max"] <= min(high, _INFINITIES[1] - 1):
        return
    what = "dates" if pa.types.is_date(kind) else "times"
    fault = f"holds infinite {what}, or {what} beyond the years 1 to 9999"
    raise _refuse(field, fault, "clip", library if kind == field.type else None, expected="the years 1 to 9999")


def _check_whole_microseconds(field: pa.Field, leaf: pa.Array, library: Library | None) -> None:
    wanted = {"time64[ns]": pa.time64("us"), "duration[ns]": pa.duration("us")}.get(str(leaf.type))
    try:
        leaf.cast(wanted or pa.timestamp("us", leaf.type.tz))
    except pa.ArrowInvalid as error:
        what = {"time64[ns]": "times of day", "duration[ns]": "durations"}.get(str(leaf.type), "times")
        line = library if leaf.type == field.type and what != "times of day" else None
        raise _refuse(
            field, f"holds {what} finer than a microsecond", "round", line, expected="whole microseconds"
        ) from error


def _refuse(
    field: pa.Field, fault: str, remedy: Remedy, library: Library | None, met: str | None = None, **details: object
) -> Exception:
    kind = str(field.type)
    name = field.name
    where = fault if met is not None else f"of type {kind} {fault}"
    return bad_column_error(name, where, write_hint(remedy, name, library), met=met or kind, **details)
