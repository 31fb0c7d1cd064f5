"""`service-nb disconnect`: take a source out of the project's service.toml."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.verb import Reply, Verb, declare_option


def run(arguments: argparse.Namespace) -> Reply:
    """Remove the source from service.toml, or fail if it is not there."""
    service_nb.create_service().disconnect(arguments.name, persist=True)
    document = {"status": "ok", "name": arguments.name, "forgotten": ["service.toml"]}
    return Reply(document, f"Removed {arguments.name} from service.toml.")


VERB = Verb(
    name="disconnect",
    summary="Remove a source from the project's service.toml; the deployment keeps it.",
    run=run,
    options=(declare_option("name", metavar="NAME", help="a source of service.toml"),),
    help="""\
examples:
  service-nb disconnect orders
""",
)
