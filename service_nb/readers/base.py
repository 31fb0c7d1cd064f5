"""What every connector does: turn one input into a `Dataset`, within limits, without writing anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from service_nb.schema.source import DEFAULT_LIMITS, Content, Field, FileStamp, Limits, Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """The caller's wishes. A connector refuses an option that means nothing to it (`invalid_intent`)."""

    types: Mapping[str, str] = field(default_factory=dict)  # column -> string | number | … | decimal(12,2) | int64 …
    sheet: str | None = None  # Excel
    delimiter: str | None = None  # delimited text
    encoding: str | None = None  # delimited text; default UTF-8
    nulls: tuple[str, ...] = ()  # delimited text: what stands for null beside the empty cell, such as NA
    defer_digest: bool = False  # Parquet: hash later, before a receipt is issued
    limits: Limits = DEFAULT_LIMITS

    @property
    def reading(self) -> Reading:
        """The options that decide what is read, as they were given; those that were not are not in it."""
        told = Reading()
        if self.types:
            told["types"] = {name: self.types[name] for name in sorted(self.types)}
        if self.nulls:
            told["nulls"] = sorted(set(self.nulls))
        if self.delimiter:
            told["delimiter"] = self.delimiter
        if self.encoding:
            told["encoding"] = self.encoding
        if self.sheet:
            told["sheet"] = self.sheet
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Columns read and normalised, ready for an engine.

    Exactly one of `table` and `parquet` is set. A `table` holds, per field, the Arrow type of its `physical` type:
    int64, float64, decimal128(p, s), string (or dictionary<int32, string> when of low cardinality), bool_, date32,
    timestamp('us'). `parquet` names files that are scanned in place; the engine casts their columns to `physical`.
    """

    fields: tuple[Field, ...]
    row_count: int
    content: Content
    table: pa.Table | None = None
    parquet: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()  # what a reader decided and a person should know, one sentence each
    descriptor: Mapping[str, Any] | None = None  # what `persist` writes: never data, never secrets
    stamps: tuple[FileStamp, ...] = ()  # the files behind it, as they were when read


class Connector(Protocol):
    """A kind of source. One module each; `read` is a pure function of the input's bytes and the options."""

    def read(self, source: Any, options: ReadOptions) -> Dataset:
        """Read all of `source` and return it normalised, or raise a typed error that names place, met, expected."""
        ...
