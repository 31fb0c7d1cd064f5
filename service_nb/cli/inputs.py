"""The options that say how a file is to be read, the same for every verb that reads one."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import service_nb
from service_nb.cli.console import quoted
from service_nb.client.advice import Face
from service_nb.core.words import nearest, shown
from service_nb.errors import InvalidIntentError, SourceNotFoundError, UnsupportedSourceError
from service_nb.readers.descriptor_file import descriptor_of

_OPTIONS = ("sheet", "table", "connector", "delimiter", "encoding", "nulls", "types")
_COMMA_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options to a verb."""
    group = parser.add_argument_group("how to read the file")
    group.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook")
    group.add_argument("--table", metavar="NAME", help="the table of an SQLite database, or of a connector")
    group.add_argument(
        "--connector", metavar="FILE", help="a live source's descriptor, TOML or JSON; FILE is then its name"
    )
    group.add_argument("--delimiter", metavar="CHAR", help="the delimiter of a text file")
    group.add_argument("--encoding", metavar="NAME", help="the encoding of a text file; default UTF-8")
    group.add_argument(
        "--nulls", metavar="TEXT,…", help="texts that are read as null, beside the empty cell, such as NA"
    )
    group.add_argument(
        "--types",
        metavar="COLUMN=TYPE,…",
        type=_types,
        help="types that replace inference, such as zip=string,amount=decimal(12,2)",
    )


def connect(service: service_nb.Service, path: str, arguments: argparse.Namespace) -> service_nb.ServiceSource:
    """Register the file under its own name without the ending; or by its name what the project or deployment keeps."""
    if arguments.connector is not None:
        return _connect_live(service, path, arguments)
    if not os.path.lexists(path):
        kept = {*service.stored_sources(), *service.live_sources()}
        if path in kept:
            refuse_unused(arguments, f"{path} is a stored source, which is read as it was connected")
            return service.connect(name=path)
        _refuse_a_bare_name(path, sorted(kept))
    with lines(path, arguments):
        return read(service, path, arguments)


def read(
    service: service_nb.Service, path: str, arguments: argparse.Namespace, **more: Any
) -> service_nb.ServiceSource:
    """Register a file with the options that say how it is read."""
    source: Any = path if arguments.table is None else {"provider": "sqlite", "path": path, "table": arguments.table}
    return service.connect(
        source,
        **more,
        types=arguments.types,
        sheet=arguments.sheet,
        delimiter=arguments.delimiter,
        encoding=arguments.encoding,
        nulls=None if arguments.nulls is None else arguments.nulls.split(","),
    )


@contextmanager
def lines(path: str, arguments: argparse.Namespace) -> Iterator[None]:
    """Offer what reads a file, where an error knows it."""
    try:
        yield
    except UnsupportedSourceError as error:
        tables, files = error.details.get("tables"), error.details.get("did_you_mean")
        if tables and arguments.table is None:
            hint = f"Add --table {quoted(tables[0])}."
        elif files:
            hint = f"Did you mean {quoted(files[0])} in the place of {quoted(path)}?"
        else:
            raise
        raise UnsupportedSourceError(error.message, hint=hint, **error.details) from None


def given(arguments: argparse.Namespace) -> list[str]:
    """Return the options as they are written again, in one order."""
    written: list[str] = []
    for option in _OPTIONS:
        value = getattr(arguments, option)
        if value is not None:
            text = ",".join(f"{name}={kind}" for name, kind in value.items()) if option == "types" else value
            written += [f"--{option}", text]
    return written


def face(arguments: argparse.Namespace, files: Sequence[str]) -> Face:
    """Return how a question and a computation on the same files are typed."""
    options = [quoted(word) for word in given(arguments)]

    def ask(line: str) -> str:
        return " ".join(["service-nb ask", quoted(files[0]) if files else "FILE", quoted(line), *options])

    def compute(line: str, over: str | None) -> str:
        read = [word for file in files for word in ("--file", quoted(file))]
        return " ".join(
            ["service-nb compute", quoted(line), *read, *([] if over is None else ["--over", quoted(over)]), *options]
        )

    return Face(ask=ask, compute=compute)


def refuse_unused(arguments: argparse.Namespace, why: str, *, used: tuple[str, ...] = ()) -> None:
    """Raise `invalid_intent` where an option says how something is read that is not read that way."""
    for option in _OPTIONS:
        if option not in used and getattr(arguments, option) is not None:
            hint = "What a null in a column means to a computation is --null-policy." if option == "nulls" else None
            raise InvalidIntentError(f"--{option} cannot be used: {why}.", hint=hint, path=option)


def _refuse_a_bare_name(name: str, kept: list[str]) -> None:
    """Say of a name that could be a source's that nobody has it, rather than that it has no ending."""
    if Path(name).name == name and name.isidentifier():
        raise SourceNotFoundError(
            f"There is no file {shown(name)}, and no stored source with that name.",
            hint=f"Stored sources: {', '.join(kept[:20])}." if kept else "There are no stored sources.",
            did_you_mean=nearest(name, kept) or None,
        )


def _connect_live(service: service_nb.Service, name: str, arguments: argparse.Namespace) -> service_nb.ServiceSource:
    refuse_unused(arguments, "a connector takes --types and --table only", used=("connector", "table", "types"))
    connector: Any = descriptor_of(arguments.connector)
    if arguments.table is not None:
        connector = {**connector, "table": arguments.table}
    return service.connect(connector=connector, name=name, types=arguments.types)


def _types(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in _COMMA_OUTSIDE_PARENTHESES.split(text)]
    if not all(name.strip() and kind.strip() for name, _, kind in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of COLUMN=TYPE")
    return {name.strip(): kind.strip() for name, _, kind in pairs}
