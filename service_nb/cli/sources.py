"""Describe files: fields, types, rows, revision, digest. Without files: list sources to connect by name.

examples:
  service-nb sources sales.csv orders.parquet
  service-nb sources codes.csv --types zip=string --json
  service-nb sources
  service-nb sources --connectors
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import service_nb
from service_nb.cards import format as fmt
from service_nb.cards.faces.text import write_text
from service_nb.cards.page_blocks import compose_source
from service_nb.cli.console import print_error
from service_nb.cli.reading import READING, connect_source
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.client.project import list_stored_names
from service_nb.errors import ServiceError


def run(arguments: argparse.Namespace) -> Reply:
    """Describe every source that can be read; fail if one cannot."""
    if arguments.connectors:
        return _list_connectors()
    found: list[service_nb.ServiceSource] = []
    failed: list[ServiceError] = []
    for connect in _prepare_connections(arguments, failed):
        try:
            found.append(connect())
        except ServiceError as fault:
            failed.append(fault)
    for error in failed:
        print_error(error, as_json=False)
    pages = [write_text(compose_source(source)) for source in found]
    return Reply(
        {"sources": found, "errors": [error.to_dict() for error in failed]},
        "\n\n".join(pages) or (None if failed else "No sources."),
        FAILED if failed else DONE,
    )


def _list_connectors() -> Reply:
    connectors = service_nb.create_service().connectors()
    names = [fmt.write_word(each["name"]) if each.get("name") else "" for each in connectors]
    lines = [f"{each['id']}  {each['type']}  {name}".rstrip() for each, name in zip(connectors, names, strict=True)]
    return Reply({"connectors": connectors}, "\n".join(lines) or "No connectors.")


def _prepare_connections(
    arguments: argparse.Namespace, failed: list[ServiceError]
) -> list[Callable[[], service_nb.ServiceSource]]:
    if arguments.files:
        # A service each: two files of one name in different folders are both described.
        return [partial(connect_source, service_nb.create_service(), path, arguments) for path in arguments.files]
    service = service_nb.create_service()
    kept = list_stored_names(service.project)
    live: list[str] = []
    try:
        live = [name for name in service.live_sources() if name not in kept]
    except ServiceError as fault:  # files are described all the same
        failed.append(fault)
    return [partial(service.connect, name=name) for name in [*kept, *live]]


VERB = Verb(
    run=run,
    options=(
        Option("files FILE", "CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow or SQLite", nargs="*"),
        Option("--connectors", "list the deployment's connectors, without their secrets"),
        *READING,
    ),
)
