"""Describe a live source again: its columns and rows, or the pages that are read of it.

Plans for the old columns are refused from then on. Existing cards do not change, and verify.

examples:
  service-nb refresh orders
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.faces.text import write_text
from service_nb.cards.page_blocks import compose_source
from service_nb.cli.console import measure_terminal
from service_nb.cli.verb import Option, Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    """Describe the source again, and reply with the description."""
    source = service_nb.create_service().refresh(arguments.name)
    return Reply(source, write_text(compose_source(source), measure_terminal()))


VERB = Verb(run=run, options=(Option("name NAME", "a source of the deployment"),))
