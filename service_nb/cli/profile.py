"""Show what each column of a file holds: nulls, distinct values, extremes, and how they are distributed.

All is counted exactly, over all rows.

examples:
  service-nb profile sales.csv
  service-nb profile sales.csv --json
  service-nb profile shop.sqlite --table orders
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.card_blocks import compose_card
from service_nb.cli.console import quote, write_for_shell
from service_nb.cli.reading import READING, connect_source, write_options
from service_nb.cli.verb import DONE, Option, Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    """Connect, reply with the card of the profile."""
    service = service_nb.create_service()
    source = connect_source(service, arguments.file, arguments)
    outcome = service.profile(source["name"])
    line = " ".join(["service-nb profile", *map(quote, [arguments.file, *write_options(arguments)])])
    return Reply(outcome, write_for_shell(compose_card(outcome.card), asked=line), DONE)


VERB = Verb(run=run, options=(Option("file FILE", "a file, or the name of a stored source"), *READING))
