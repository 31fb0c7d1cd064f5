"""Remove a source from the project's service.toml; the deployment keeps it.

examples:
  service-nb disconnect orders
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.verb import Option, Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    """Remove the source from service.toml, or fail if it is not there."""
    service_nb.create_service().disconnect(arguments.name, persist=True)
    document = {"status": "ok", "name": arguments.name, "forgotten": ["service.toml"]}
    return Reply(document, f"Removed {arguments.name} from service.toml.")


VERB = Verb(run=run, options=(Option("name NAME", "a source of service.toml"),))
