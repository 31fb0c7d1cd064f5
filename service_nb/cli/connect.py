"""`service-nb connect`: how a file is read is kept in the project's service.toml, under a name."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli import inputs
from service_nb.cli.console import DONE, print_json, quoted
from service_nb.client.project import FILE_NAME
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, SourceAlreadyRegisteredError, SourceNotFoundError

SUMMARY = "Keep a file, and how it is read, as a source of the project: its description, never its data."
EXAMPLES = """\
examples:
  service-nb connect sales.csv                  (named after the file: sales)
  service-nb connect orders data/orders.csv --nulls n/a --types amount=decimal(12,2)
  service-nb connect orders shop.sqlite --table orders --replace
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `connect`."""
    parser.add_argument("words", metavar="[NAME] FILE", nargs="+", help="a file, and before it a name for it")
    parser.add_argument("--replace", action="store_true", help="take the place of the source that has this name")
    inputs.register(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the file and keep its description."""
    if len(arguments.words) > 2 or arguments.connector is not None:
        raise InvalidIntentError(
            "connect takes a file, and perhaps a name before it.",
            hint="A live source is asked by its descriptor: service-nb ask orders … --connector shop.toml.",
            met=len(arguments.words),
            expected="[NAME] FILE",
        )
    *names, path = arguments.words
    service = service_nb.create_service()
    with inputs.lines(path, arguments):
        source = inputs.read(service, path, arguments, name=names[0] if names else None)
    _require_the_same(source, arguments)
    inputs.read(service, path, arguments, name=source["name"], persist=True)
    if arguments.json:
        print_json({"status": "ok", "kept": FILE_NAME, "source": source})
    else:
        named = "" if names else ", named after its file or table,"
        print(f"{source['name']}{named} is in {FILE_NAME}: {source['row_count']:,} rows, id {source['source_id']}.")
        print(f'service-nb ask {quoted(source["name"])} "count"')
    return DONE


def _require_the_same(source: service_nb.ServiceSource, arguments: argparse.Namespace) -> None:
    """Raise unless the name is free, stands for the same source, or is to be replaced."""
    name = source["name"]
    kept = service_nb.create_service()
    if arguments.replace or name not in kept.stored_sources():
        return
    try:
        known = kept.connect(name=name)
    except SourceNotFoundError:
        known = None
    if known is not None and known["source_id"] == source["source_id"]:
        return
    raise SourceAlreadyRegisteredError(
        f"{FILE_NAME} already has another source, or another reading of it, as {shown(name)}.",
        hint="Add --replace to take its place, or choose another name.",
        met=source["source_id"],
        expected=None if known is None else known["source_id"],
    )
