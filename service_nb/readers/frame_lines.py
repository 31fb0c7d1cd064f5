"""Lines that convert a column in the library that a frame comes from, for the refusals of its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Library = Literal["pandas", "polars", "duckdb", "arrow"]
Remedy = Literal["hex", "text", "clip", "round", "storage", "float", "object"]

_SAYS: Mapping[Remedy, str] = {
    "hex": "Leave it out, or convert it to text, such as its digits in base 16",
    "text": "Leave it out, or convert it to text",
    "clip": "Set those beyond the years 1 to 9999 to null",
    "round": "Round or cut them before connecting, so that no digits are lost unnoticed",
    "storage": "Convert it to a type that says what its values mean, or take them as they are stored",
    "float": "Convert it to doubles, or to text",
    "object": "Convert its values to text or numbers",
}

# Each line assigns the frame under the name that the library's own pages give it.
_LINES: Mapping[Library, Mapping[Remedy, str]] = {
    "pandas": {
        "hex": "frame[{name}] = frame[{name}].map(bytes.hex, na_action='ignore')",
        "text": "frame[{name}] = frame[{name}].map(str, na_action='ignore')",
        "clip": "frame[{name}] = frame[{name}].where(frame[{name}].dt.year.between(1, 9999))",
        "round": "frame[{name}] = frame[{name}].dt.round('us')",
        "float": "frame[{name}] = frame[{name}].astype('float64')",
        "object": "frame[{name}] = frame[{name}].map(str, na_action='ignore')",
    },
    "polars": {
        "hex": "frame = frame.with_columns(pl.col({name}).bin.encode('hex'))",
        "text": "frame = frame.with_columns(pl.col({name}).cast(pl.String))",
        "clip": "frame = frame.with_columns(pl.when(pl.col({name}).dt.year().is_between(1, 9999)).then({name}))",
        "round": "frame = frame.with_columns(pl.col({name}).dt.cast_time_unit('us'))",
        "object": "frame = frame.with_columns(pl.Series({name}, map(str, frame[{name}])))",
    },
    "duckdb": dict.fromkeys(("hex", "text", "clip", "round"), "relation = relation.project({replace})"),
    "arrow": {
        "hex": "pa.array([None if value is None else value.hex() for value in table[{name}].to_pylist()])",
        "text": "pa.array([None if value is None else str(value) for value in table[{name}].to_pylist()])",
        "round": "pc.round_temporal(table[{name}], unit='microsecond')",
        "storage": "table[{name}].cast(table[{name}].type.storage_type)",
    },
}
_SQL: Mapping[Remedy, str] = {
    "hex": "hex({0})",
    "text": "cast({0} as varchar)",
    "clip": "case when isfinite({0}) and year({0}) between 1 and 9999 then {0} end",
    "round": "cast({0} as timestamp)",
}


def write_hint(remedy: Remedy, name: str, library: Library | None) -> str:
    """Write what to do about a column, with the line of its library that does it."""
    line = _LINES[library].get(remedy) if library is not None else None
    if line is None:
        return f"{_SAYS[remedy]}." if remedy != "storage" else "Convert it before connecting, or leave it out."
    if library == "duckdb":
        quoted = '"' + name.replace('"', '""') + '"'
        line = line.format(replace=repr(f"* replace ({_SQL[remedy].format(quoted)} as {quoted})"))
    else:
        line = line.format(name=repr(name))
    if library == "arrow":
        place = f"table.column_names.index({name!r})"
        line = f"table = table.set_column({place}, {name!r}, {line})"
    return f"{_SAYS[remedy]}: {line}"
