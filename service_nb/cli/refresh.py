"""`service-nb refresh`: describe a live source as it is now."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.pages import source_text
from service_nb.cli.console import text_width
from service_nb.cli.verb import Reply, Verb, option


def run(arguments: argparse.Namespace) -> Reply:
    """Describe the source again, and reply with the description."""
    source = service_nb.create_service().refresh(arguments.name)
    return Reply(source, source_text(source, width=text_width()))


VERB = Verb(
    name="refresh",
    summary="Describe a live source again: its columns and rows, or the pages that are read of it.",
    run=run,
    options=(option("name", metavar="NAME", help="a source of the deployment"),),
    help="""\
Plans for the old columns are refused from then on. Existing cards do not change, and verify.

examples:
  service-nb refresh orders
""",
)
