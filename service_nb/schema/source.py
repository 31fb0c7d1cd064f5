"""The shapes of a source: values and their exact text, fields, statistics, content, limits."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_text, write_float

FieldType = Literal["string", "number", "boolean", "date", "datetime"]
FIELD_TYPES: tuple[FieldType, ...] = ("string", "number", "boolean", "date", "datetime")

# A value of a cell or of a result. `datetime` is naive; instants with a zone are stored as UTC.
Value = str | int | float | Decimal | bool | datetime.date | datetime.datetime | None


def write_exact_text(value: Value) -> str | None:
    """Return the exact text of a value: its canonical JSON, without quotes; None for null."""
    if value is None:
        return None
    if type(value) is float:
        return write_float(value).strip('"')  # of what is not finite the name
    ready = convert_to_json(value)
    return ready if isinstance(ready, str) else write_canonical_text(ready)


def convert_to_json(value: Value) -> Any:
    """Return the value as JSON carries it without loss: long integers, decimals, dates and non-finite as text."""
    kind = type(value)  # of each value of each row, so the usual ones are told first, and in the fastest way
    if kind is str or kind is bool or value is None:
        return value
    if isinstance(value, int):
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if isinstance(value, str) else value.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column: its name, its type, and the physical type of its values.

    `physical` is one of int64, float64, decimal(p,s) with p <= 38, string, boolean, date, datetime (microseconds).
    `zone` is UTC of instants, whose times had a zone and are kept in it; in a result, what its periods are of.
    """

    name: str
    type: FieldType
    physical: str
    zone: str | None = None

    @property
    def decimal_scale(self) -> int | None:
        """Digits after the point of an exact numeric column (0 for int64), None for every other."""
        if self.physical == "int64":
            return 0
        if self.physical.startswith("decimal("):
            return int(self.physical[:-1].split(",")[1])
        return None


class Reading(TypedDict, total=False):
    """The reading options of a source that were given, empty if none was. They are part of its id."""

    types: dict[str, str]  # by column
    nulls: list[str]  # sorted, each once
    delimiter: str
    encoding: str
    sheet: str
    thousands: str
    decimal: str
    date_format: str
    percent: bool  # True
    trim: bool  # True
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeReason:
    """The reason for the type of a column of a text file, as far as a person should know it.

    `code` is stable: fixed_places, few_places, time_zone; of text also text, mixed, number_form, date_form, percent,
    currency, leading_zeros, blanks, calendar, digits, no_number. `value` is the first text that decided it, at `place`
    (a line or row, as `unit` says), and `count` how many there are, where that was counted. `options` are options of
    `connect` with which the column has another type, or loses its blanks; each was tried on the whole column.
    """

    column: str
    code: str
    text: str
    count: int | None = None
    unit: str = "row"
    place: int | None = None
    value: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    is_told: bool = True  # in the notes

    @property
    def note(self) -> str | None:
        """The sentence of the notes."""
        return f"{self.column}: {self.text}." if self.is_told else None

    def to_dict(self) -> dict[str, Any]:
        """Return the reason in JSON form, as in `ServiceSource["reasons"]`; what is not known is left out."""
        place = {self.unit: self.place} if self.place is not None else {}
        told = {"code": self.code, "text": self.text, "count": self.count, **place, "value": self.value}
        known = {key: value for key, value in told.items() if value is not None}
        return {**known, "options": dict(self.options)} if self.options else known


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldStats:
    """Statistics of a column's values, computed once; minimum and maximum leave out nulls and NaN.

    For float64 also the smallest non-zero magnitude, and how many values are NaN or infinite (those are
    outside minimum, maximum and smallest_nonzero). `distinct` lists the values of a low-cardinality string column
    in code-point order.
    """

    nulls: int
    minimum: Value = None
    maximum: Value = None
    smallest_nonzero: float | None = None
    nonfinite: int = 0
    distinct: tuple[str, ...] | None = None


class Bin(NamedTuple):
    """The values of a column from `low` to below `high`, two exact texts, and how many there are."""

    low: str
    high: str
    rows: int


class Frequent(NamedTuple):
    """A frequent value of a column, as its exact text, and how often it occurs."""

    value: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """The profile of a column: nulls, distinct values beside null, extremes beside NaN, and a small distribution.

    `counts` are bins that follow each other for numbers and dates of more than one value, NaN and infinities in none
    of them; else the most frequent values, ties by code point.
    """

    nulls: int
    distinct: int
    minimum: Value
    maximum: Value
    counts: tuple[Bin, ...] | tuple[Frequent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The digest of what was read: of a file's bytes (`sha256-file`) or of values (`sha256-arrow`).

    `size` counts bytes for a file and rows for values. `sha256` is None while a deferred digest is pending, and always
    of a live source (`live`): its data may change at any time, so there is nothing to take a digest of. It is None too
    where a policy hides columns (`hidden`): a digest over them would confirm whoever guesses what they hold.
    """

    algorithm: Literal["sha256-file", "sha256-files", "sha256-arrow", "live", "hidden"]
    sha256: str | None
    size: int
    fields: tuple[str, ...] | None = None  # of what is hidden: the names that the policy's list leaves

    @property
    def is_live(self) -> bool:
        """Tell whether the data can change without notice between two runs."""
        return self.algorithm == "live"

    def to_dict(self) -> dict[str, Any]:
        """Return the content in JSON form, as in `ServiceSource["content"]`."""
        unit = "bytes" if self.algorithm in ("sha256-file", "sha256-files") else "rows"
        told = {"algorithm": self.algorithm, "sha256": self.sha256, unit: self.size}
        return told if self.fields is None else {**told, "fields": list(self.fields)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStamp:
    """The state of a file when it was read; if it differs, the file is read and hashed again before the next run."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what comes from outside. Hitting one raises `limit_exceeded` naming limit and value."""

    text_bytes: int = 4 * 1024**3  # CSV, TSV, NDJSON, held in memory while read
    json_bytes: int = 512 * 1024**2  # one JSON document
    json_depth: int = 64
    workbook_bytes: int = 256 * 1024**2  # a workbook as stored
    inflated_bytes: int = 1024**3  # all that a container (xlsx) may inflate to
    inflate_ratio: int = 200  # of one member, beyond its first 10 MB
    members: int = 10_000  # files in a container, or in a folder or glob
    columns: int = 4_096
    name_chars: int = 1_024  # a column's or source's name
    cell_chars: int = 1_000_000
    cells: int = 4_000_000_000  # rows x columns of what is held in memory
    sql_steps: int = 300_000_000  # instructions of SQLite's machine that a user's query may take
    sql_seconds: float = 20.0  # that such a query may take; more where the file is large
    groups: int = 1_000_000  # groups of one result
    memory_bytes: int = 4 * 1024**3  # the engine's memory limit for one source
    threads: int | None = None  # None: what the machine has


DEFAULT_LIMITS = Limits()
