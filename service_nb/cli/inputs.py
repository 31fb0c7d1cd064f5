"""The options that say how a file is to be read, the same for every verb that reads one."""

from __future__ import annotations

import argparse
import re
from typing import Any

import service_nb

_COMMA_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options to a verb."""
    group = parser.add_argument_group("how to read the file")
    group.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook")
    group.add_argument("--table", metavar="NAME", help="the table of an SQLite database")
    group.add_argument("--delimiter", metavar="CHAR", help="between the cells of delimited text")
    group.add_argument("--encoding", metavar="NAME", help="of delimited text; UTF-8 unless told")
    group.add_argument("--nulls", metavar="TEXT,…", help="what stands for null beside the empty cell, such as NA")
    group.add_argument(
        "--types",
        metavar="COLUMN=TYPE,…",
        type=_types,
        help="types that replace inference, such as zip=string,amount=decimal(12,2)",
    )


def connect(service: service_nb.Service, path: str, arguments: argparse.Namespace) -> service_nb.ServiceSource:
    """Register the file under its own name without the ending."""
    source: Any = path if arguments.table is None else {"provider": "sqlite", "path": path, "table": arguments.table}
    return service.connect(
        source,
        types=arguments.types,
        sheet=arguments.sheet,
        delimiter=arguments.delimiter,
        encoding=arguments.encoding,
        nulls=None if arguments.nulls is None else arguments.nulls.split(","),
    )


def _types(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in _COMMA_OUTSIDE_PARENTHESES.split(text)]
    if not all(name.strip() and kind.strip() for name, _, kind in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of COLUMN=TYPE")
    return {name.strip(): kind.strip() for name, _, kind in pairs}
