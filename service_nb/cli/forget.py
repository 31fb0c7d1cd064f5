"""`service-nb forget`: a source, or a connector, is forgotten: here and at the deployment."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.console import DONE, print_json
from service_nb.errors import InvalidIntentError

SUMMARY = "Delete a source from service.toml and, with its secrets, from the deployment, for all its users."
EXAMPLES = """\
What was recorded of it stays in every ledger, and verifies. `disconnect` leaves it at the deployment.

examples:
  service-nb forget orders
  service-nb forget --connector connector_0123456789abcdef
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `forget`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a source of service.toml or the deployment")
    parser.add_argument("--connector", metavar="ID", help="a connector that no source uses")


def run(arguments: argparse.Namespace) -> int:
    """Forget it, and say where it was."""
    if (arguments.name is None) == (arguments.connector is None):
        raise InvalidIntentError("Expected the name of a source, or a connector.", expected="NAME or --connector ID")
    service = service_nb.create_service()
    if arguments.connector is not None:
        service.forget_connector(arguments.connector)
    places = ["deployment"] if arguments.connector is not None else service.forget(arguments.name)
    forgotten = arguments.name or arguments.connector
    if arguments.json:
        print_json({"status": "ok", "name": forgotten, "forgotten": places})
    else:
        print(f"{forgotten} was deleted: {', '.join(places)}.")
    return DONE
