"""Delete a source from service.toml and, with its secrets, from the deployment, for all its users.

What was recorded of it stays in every ledger, and verifies. `disconnect` leaves it at the deployment.

examples:
  service-nb forget orders
  service-nb forget --connector connector_0123456789abcdef
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.errors import InvalidIntentError


def run(arguments: argparse.Namespace) -> Reply:
    """Delete it, and say where it was."""
    if (arguments.name is None) == (arguments.connector is None):
        raise InvalidIntentError("Expected the name of a source, or a connector.", expected="NAME or --connector ID")
    service = service_nb.create_service()
    if arguments.connector is not None:
        service.forget_connector(arguments.connector)
    places = ["deployment"] if arguments.connector is not None else service.forget(arguments.name)
    deleted = arguments.name or arguments.connector
    document = {"status": "ok", "name": deleted, "forgotten": places}
    return Reply(document, f"{deleted} was deleted: {', '.join(places)}.")


VERB = Verb(
    run=run,
    options=(
        Option("name NAME", "a source of service.toml or the deployment", nargs="?"),
        Option("--connector ID", "a connector that no source uses"),
    ),
)
