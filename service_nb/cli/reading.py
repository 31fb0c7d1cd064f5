"""The options that say how a file is read, and the sources that a line of the command connects."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import service_nb
from service_nb.cli.console import quote
from service_nb.cli.verb import Option
from service_nb.client.advice.offers import Face
from service_nb.core.canonical import parse_strict
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import (
    CanonicalJsonError,
    EvidenceError,
    InvalidIntentError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.evidence.standalone import Verdict
from service_nb.readers.descriptor import read_descriptor
from service_nb.readers.source_files import read_bytes
from service_nb.readers.text_forms import read_sign

_COMMA_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")


def _read_types(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in _COMMA_OUTSIDE_PARENTHESES.split(text)]
    if not all(name.strip() and kind.strip() for name, _, kind in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of COLUMN=TYPE")
    return {name.strip(): kind.strip() for name, _, kind in pairs}


RESULT_ID = re.compile(r"(?:query|service|refusal|error|replay)_[0-9a-f]{16}", re.ASCII)
_POLICY_BYTES = 1_000_000
_GROUP = "how to read the file"
READING = (
    Option("--sheet NAME", "the sheet of a workbook", group=_GROUP),
    Option("--table NAME", "the table of an SQLite database, or of a connector", group=_GROUP),
    Option("--connector FILE", "a live source's descriptor, TOML or JSON; FILE is then its name", group=_GROUP),
    Option("--delimiter CHAR", "the delimiter of a text file", group=_GROUP),
    Option("--encoding NAME", "the encoding of a text file; default UTF-8", group=_GROUP),
    Option("--nulls TEXT,…", "texts that are read as null, beside the empty cell, such as NA", group=_GROUP),
    Option("--thousands SIGN", "the sign between thousands: . , space apostrophe", type=read_sign, group=_GROUP),
    Option("--decimal SIGN", "the sign before decimal places: , or .", type=read_sign, group=_GROUP),
    Option("--date-format FORMAT", "how dates are written, such as %%d.%%m.%%Y", group=_GROUP),
    Option("--percent", "read percents as exact hundredths: 10%% as 0.10", default=None, group=_GROUP),
    Option("--trim", "remove blanks around values", default=None, group=_GROUP),
    Option("--currency SIGN", "the sign that stands with numbers, such as € or CHF", group=_GROUP),
    Option(
        "--types COLUMN=TYPE,…",
        "types that replace inference, such as zip=string,amount=decimal(12,2)",
        type=_read_types,
        group=_GROUP,
    ),
)
_OPTIONS = tuple(each.names[0].removeprefix("--").replace("-", "_") for each in READING)


def connect_source(service: service_nb.Service, path: str, arguments: argparse.Namespace) -> service_nb.ServiceSource:
    """Connect a file under its name without the ending, or a stored or live source by its name."""
    if arguments.connector is not None:
        return _connect_live(service, path, arguments)
    if not os.path.lexists(path):
        kept = {*service.stored_sources(), *service.live_sources()}
        if path in kept:
            refuse_unused(arguments, f"{path} is a stored source, which is read as it was connected")
            return service.connect(name=path)
        _refuse_unknown_name(path, sorted(kept))
    with advising_options(path, arguments):
        return read_source(service, path, arguments)


def read_source(
    service: service_nb.Service, path: str, arguments: argparse.Namespace, **more: Any
) -> service_nb.ServiceSource:
    """Connect a file with the options that say how it is read."""
    source = path if arguments.table is None else {"provider": "sqlite", "path": path, "table": arguments.table}
    return service.connect(
        source,
        **more,
        types=arguments.types,
        sheet=arguments.sheet,
        delimiter=arguments.delimiter,
        encoding=arguments.encoding,
        nulls=None if arguments.nulls is None else arguments.nulls.split(","),
        thousands=arguments.thousands,
        decimal=arguments.decimal,
        date_format=arguments.date_format,
        percent=bool(arguments.percent),
        trim=bool(arguments.trim),
        currency=arguments.currency,
    )


def read_policy(path: Path) -> Any:
    """Read a policy from a file of JSON, for who checks it."""
    try:
        return parse_strict(read_bytes(path, _POLICY_BYTES, "policy")[0])
    except CanonicalJsonError as error:
        raise InvalidIntentError(f"{path.name}: {error.message}", hint=error.hint, path="policy") from error


def refuse_altered(name: str, verdicts: Iterable[Verdict], outcome: str, hint: str = "") -> None:
    """Raise `evidence_invalid` for the first verdict on a document that says it was altered."""
    for verdict in verdicts:
        if verdict.status == "altered":
            raise EvidenceError(
                f"{name}, {verdict.subject}: it does not verify, so it is not {outcome}.",
                reason=verdict.causes[0],
                hint=f"Run `service-nb verify` for details.{hint}",
            )


@contextmanager
def advising_options(path: str, arguments: argparse.Namespace) -> Iterator[None]:
    """Add to an error the option, or the file, that would be read."""
    try:
        yield
    except UnsupportedSourceError as error:
        tables, files = error.details.get("tables"), error.details.get("did_you_mean")
        if tables and arguments.table is None:
            hint = f"Add --table {quote(tables[0])}."
        elif files:
            hint = f"Did you mean {quote(files[0])} in the place of {quote(path)}?"
        else:
            raise
        raise UnsupportedSourceError(error.message, hint=hint, **error.details) from None


def write_options(arguments: argparse.Namespace) -> list[str]:
    """Write the options that were given as words of a command line, in one order."""
    written: list[str] = []
    for name in _OPTIONS:
        value = getattr(arguments, name)
        if value is not None:
            text = ",".join(f"{column}={kind}" for column, kind in value.items()) if name == "types" else value
            written += [_write_flag(name), *([] if value is True else [text])]
    return written


def _write_flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def describe_lines(arguments: argparse.Namespace, files: Sequence[str]) -> Face:
    """Describe how a question and a computation on the same files are typed."""
    options = [quote(word) for word in write_options(arguments)]

    def ask(line: str) -> str:
        return " ".join(["service-nb ask", quote(files[0]) if files else "FILE", quote(line), *options])

    def compute(line: str, over: str | None) -> str:
        read = [word for file in files for word in ("--file", quote(file))]
        return " ".join(
            ["service-nb compute", quote(line), *read, *([] if over is None else ["--over", quote(over)]), *options]
        )

    return Face(ask=ask, compute=compute)


def refuse_unused(arguments: argparse.Namespace, why: str, *, used: tuple[str, ...] = ()) -> None:
    """Raise `invalid_intent` for an option that does not apply to what is read."""
    for name in _OPTIONS:
        if name not in used and getattr(arguments, name) is not None:
            hint = "What a null in a column means to a computation is --null-policy." if name == "nulls" else None
            raise InvalidIntentError(f"{_write_flag(name)} cannot be used: {why}.", hint=hint, path=name)


def _refuse_unknown_name(name: str, kept: list[str]) -> None:
    """Raise `source_not_found` for what looks like the name of a source: it is no file without an ending."""
    if Path(name).name == name and name.isidentifier():
        raise SourceNotFoundError(
            f"There is no file {describe_value(name)}, and no stored source with that name.",
            hint=f"Stored sources: {', '.join(kept[:20])}." if kept else "There are no stored sources.",
            did_you_mean=find_nearest(name, kept) or None,
        )


def _connect_live(service: service_nb.Service, name: str, arguments: argparse.Namespace) -> service_nb.ServiceSource:
    refuse_unused(arguments, "a connector takes --types and --table only", used=("connector", "table", "types"))
    connector = read_descriptor(arguments.connector)
    if arguments.table is not None:
        connector = {**connector, "table": arguments.table}
    return service.connect(connector=connector, name=name, types=arguments.types)
