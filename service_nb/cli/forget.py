"""`service-nb forget`: delete a source, or a connector, here and at the deployment."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.verb import Reply, Verb, declare_option
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
    name="forget",
    summary="Delete a source from service.toml and, with its secrets, from the deployment, for all its users.",
    run=run,
    options=(
        declare_option("name", metavar="NAME", nargs="?", help="a source of service.toml or the deployment"),
        declare_option("--connector", metavar="ID", help="a connector that no source uses"),
    ),
    help="""\
What was recorded of it stays in every ledger, and verifies. `disconnect` leaves it at the deployment.

examples:
  service-nb forget orders
  service-nb forget --connector connector_0123456789abcdef
""",
)
