"""Keep a file, and how it is read, as a source of the project: its description, never its data.

examples:
  service-nb connect sales.csv                  (named after the file: sales)
  service-nb connect orders data/orders.csv --nulls n/a --types amount=decimal(12,2)
  service-nb connect orders shop.sqlite --table orders --replace
  service-nb connect umsatz umsatz.csv --decimal , --thousands . --date-format %d.%m.%Y
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.console import quote
from service_nb.cli.reading import READING, advising_options, read_source
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.client.advice.reading import write_line
from service_nb.client.project import FILE_NAME
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, SourceAlreadyRegisteredError, SourceNotFoundError


def run(arguments: argparse.Namespace) -> Reply:
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
    with advising_options(path, arguments):
        source = read_source(service, path, arguments, name=names[0] if names else None)
    _require_same_source(source, arguments)
    read_source(service, path, arguments, name=source["name"], persist=True)
    named = "" if names else ", named after its file or table,"
    text = (
        f"{source['name']}{named} is in {FILE_NAME}: {source['row_count']:,} rows, id {source['source_id']}.\n"
        f'service-nb ask {quote(source["name"])} "count"'
    )
    return Reply({"status": "ok", "kept": FILE_NAME, "source": source}, "\n".join([text, *_list_notes(source, path)]))


def _list_notes(source: service_nb.ServiceSource, path: str) -> list[str]:
    """List what was decided while the file was read, and the line that reads it in the form that it seems to have."""
    notes: list[str] = source["notes"]
    advice = source["advice"]
    if advice is None:
        return notes
    line = write_line("service-nb connect", source["name"], path, advice["options"], quote)
    return [*notes[:-1], *([f"Reconnect: {line}"] if line is not None else [])]


def _require_same_source(source: service_nb.ServiceSource, arguments: argparse.Namespace) -> None:
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
        f"{FILE_NAME} already has another source, or another reading of it, as {describe_value(name)}.",
        hint="Add --replace to take its place, or choose another name.",
        met=source["source_id"],
        expected=None if known is None else known["source_id"],
    )


VERB = Verb(
    run=run,
    options=(
        Option("words [NAME] FILE", "a file, and before it a name for it", nargs="+"),
        Option("--replace", "take the place of the source that has this name"),
        *READING,
    ),
)
