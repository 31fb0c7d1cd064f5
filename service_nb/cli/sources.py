"""`service-nb sources`: what files hold, and what the project keeps."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import service_nb
from service_nb.cards import format as fmt
from service_nb.cards.source import source_bundle
from service_nb.cli import inputs
from service_nb.cli.console import DONE, FAILED, print_error, print_json
from service_nb.client.project import stored_names
from service_nb.errors import ServiceError

SUMMARY = "Describe files: fields, types, rows, revision, digest. Without files: list sources to connect by name."
EXAMPLES = """\
examples:
  service-nb sources sales.csv orders.parquet
  service-nb sources codes.csv --types zip=string --json
  service-nb sources
  service-nb sources --connectors
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sources`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow or SQLite"
    )
    parser.add_argument(
        "--connectors", action="store_true", help="list the deployment's connectors, without their secrets"
    )
    inputs.register(parser)


def run(arguments: argparse.Namespace) -> int:
    """Describe every source that can be read; fail if one cannot."""
    if arguments.connectors:
        return _connectors(arguments)
    found: list[service_nb.ServiceSource] = []
    failed: list[ServiceError] = []
    for connect in _connections(arguments, failed):
        try:
            found.append(connect())
        except ServiceError as fault:
            failed.append(fault)
    if arguments.json:
        print_json({"sources": found, "errors": [error.to_dict() for error in failed]})
    elif found or not failed:
        print("\n\n".join(source_bundle(source)[0]["text/plain"] for source in found) or "No sources.")
    for error in failed:
        print_error(error, as_json=False)
    return FAILED if failed else DONE


def _connectors(arguments: argparse.Namespace) -> int:
    connectors = service_nb.create_service().connectors()
    if arguments.json:
        print_json({"connectors": connectors})
        return DONE
    for each in connectors:
        name = fmt.word(each["name"]) if each.get("name") else ""
        print(f"{each['id']}  {each['type']}  {name}".rstrip())
    if not connectors:
        print("No connectors.")
    return DONE


def _connections(
    arguments: argparse.Namespace, failed: list[ServiceError]
) -> list[Callable[[], service_nb.ServiceSource]]:
    if arguments.files:
        # A service each: two files of one name in different folders are both described.
        return [partial(inputs.connect, service_nb.create_service(), path, arguments) for path in arguments.files]
    service = service_nb.create_service()
    kept = stored_names(service.project)
    live: list[str] = []
    try:
        live = [name for name in service.live_sources() if name not in kept]
    except ServiceError as fault:  # files are described all the same
        failed.append(fault)
    return [partial(service.connect, name=name) for name in [*kept, *live]]
