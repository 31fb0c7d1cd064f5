"""The interface of every reader, `ReadOptions` in and a `Dataset` out; and the options that a caller declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pyarrow as pa

from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.readers.text_forms import DECIMALS, PLAIN, THOUSANDS, TextForm, build_date_pattern, is_currency
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import DEFAULT_LIMITS, Content, Field, FileStamp, Limits, Reading, TypeReason

MOST_FORMAT = 60  # characters of a date format


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """The caller's wishes. A connector refuses an option that means nothing to it (`invalid_intent`)."""

    types: Mapping[str, str] = field(default_factory=dict)  # column -> string | number | … | decimal(12,2) | int64 …
    sheet: str | None = None  # Excel
    delimiter: str | None = None  # delimited text
    encoding: str | None = None  # delimited text; default UTF-8
    nulls: tuple[str, ...] = ()  # delimited text: what stands for null beside the empty cell, such as NA
    form: TextForm = PLAIN  # texts: how numbers and dates are written
    defer_digest: bool = False  # Parquet: hash later, before a receipt is issued
    limits: Limits = DEFAULT_LIMITS

    @property
    def reading(self) -> Reading:
        """The options that decide what is read, as they were given; those that were not are not in it."""
        given = {
            "types": dict(sorted(self.types.items())),
            "nulls": sorted(set(self.nulls)),
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "sheet": self.sheet,
            "thousands": self.form.thousands,
            "decimal": self.form.decimal if self.form.decimal != PLAIN.decimal else None,
            "date_format": self.form.date_format,
            "percent": self.form.percent,
            "trim": self.form.trim,
            "currency": self.form.currency,
        }
        return cast("Reading", {key: value for key, value in given.items() if value})


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
    descriptor: Mapping[str, object] | None = None  # what `persist` writes: never data, never secrets
    reasons: tuple[TypeReason, ...] = ()  # why columns of text have their type
    reading_notes: tuple[ReadingNote, ...] = ()  # what cards of its columns tell; their sentences are in `notes` too
    stamps: tuple[FileStamp, ...] = ()  # the files behind it, as they were when read


FORM = ("decimal", "thousands", "date_format", "percent", "trim", "currency")  # how numbers and dates are written
READING = ("types", "nulls", "delimiter", "encoding", "sheet", *FORM)  # what decides what is read
OPTION_KEYS = (*READING, "aliases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The options that a caller declares for a source, beside its location; `service.toml` keeps them unchanged."""

    types: Mapping[str, str] | None = None
    sheet: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    nulls: Sequence[str] | None = None
    thousands: str | None = None
    decimal: str | None = None
    date_format: str | None = None
    percent: bool | None = None
    trim: bool | None = None
    currency: str | None = None
    aliases: Mapping[str, str] | None = None

    def merge_stored(self, stored: Mapping[str, Any]) -> Declared:
        """Fill what is not declared with what was stored."""
        return Declared(**{key: getattr(self, key) or stored.get(key) for key in OPTION_KEYS})

    def check(self) -> None:
        """Raise `invalid_intent` unless types and aliases are texts by name, and the rest is text."""
        for path in ("sheet", "delimiter", "encoding"):
            if not isinstance(getattr(self, path), str | None):
                raise option_error(path, getattr(self, path), "text")
        for path in ("types", "aliases"):
            by_name = getattr(self, path) or {}
            if not isinstance(by_name, Mapping) or not all(
                isinstance(text, str) and text for pair in by_name.items() for text in pair
            ):
                raise option_error(path, by_name, "texts by name")

    def list_columns(self) -> list[str]:
        """List every column that is named."""
        return [*(self.types or {}), *(self.aliases or {}).values()]

    def to_dict(self) -> dict[str, object]:
        """Convert the declared options to an object; those that are not set are left out."""
        return {key: value for key in OPTION_KEYS if (value := getattr(self, key))}

    def build_options(self, limits: Limits, *, defer: bool) -> ReadOptions:
        """Build the options that a reader is called with."""
        nulls = self.nulls or ()
        if not isinstance(nulls, list | tuple) or not all(isinstance(text, str) for text in nulls):
            raise option_error("nulls", nulls, "a list of texts")
        return ReadOptions(
            types=self.types or {},
            sheet=self.sheet,
            delimiter=self.delimiter,
            encoding=self.encoding,
            nulls=tuple(nulls),
            form=build_form({name: getattr(self, name) for name in FORM}),
            defer_digest=defer,
            limits=limits,
        )


def build_form(given: Mapping[str, object]) -> TextForm:
    """Build the form of numbers and dates from the options of `FORM`. Raises `invalid_intent`."""
    thousands, decimal, date_format = (given.get(name) for name in ("thousands", "decimal", "date_format"))
    percent, trim, currency = (given.get(name) for name in ("percent", "trim", "currency"))
    for path, value, known in (("thousands", thousands, THOUSANDS), ("decimal", decimal, DECIMALS)):
        if value is not None and value not in known:
            raise option_error(path, value, "one of " + ", ".join(map(repr, known)))
    for path, switch in (("percent", percent), ("trim", trim)):
        if not isinstance(switch, bool | None):
            raise option_error(path, switch, "True or False")
    point = str(decimal or PLAIN.decimal)
    if thousands == point:
        other = "," if point == "." else "."
        message = f"{point!r} cannot stand both between thousands and before decimal places."
        hint = f"Pass decimal={other!r} with thousands={point!r}."
        raise InvalidIntentError(message, hint=hint, path="thousands", met=thousands, expected="two signs")
    if date_format is not None:
        if not isinstance(date_format, str) or not date_format.isprintable() or len(date_format) > MOST_FORMAT:
            raise option_error("date_format", date_format, "a short text such as %d.%m.%Y")
        build_date_pattern(date_format)
    if currency is not None and not (isinstance(currency, str) and is_currency(currency)):
        raise option_error("currency", currency, "the sign as it stands in the file, such as '€' or 'CHF'")
    return TextForm(
        decimal=point,
        thousands=None if thousands is None else str(thousands),
        date_format=date_format,
        percent=bool(percent),
        trim=bool(trim),
        currency=None if currency is None else str(currency),
    )


def option_error(path: str, value: object, expected: str) -> InvalidIntentError:
    """Build the error of an option that holds what it cannot."""
    met = describe_value(value)
    message = f"{path} is {met}; expected {expected}."
    return InvalidIntentError(message, path=path, met=met, expected=expected)


def check_aliases(aliases: Mapping[str, str], names: Sequence[str]) -> None:
    """Raise `invalid_intent` unless each alias stands for a column, and is not the name of one."""
    for alias, name in aliases.items():
        if alias.encode("utf-8", "ignore").decode() != alias:
            met, fault = alias, "has a lone surrogate"
        elif name not in names:
            met, fault = name, f"stands for {describe_value(name)}, which is not a column"
        elif alias in names:
            met, fault = alias, "is a column's own name"
        else:
            continue
        message = f"The alias {describe_value(alias)} {fault}."
        raise InvalidIntentError(message, path="aliases", met=describe_value(met))
