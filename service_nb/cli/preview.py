"""Show the first rows of a file, in its own order.

examples:
  service-nb preview sales.csv
  service-nb preview sales.csv --rows 50 --json
  service-nb preview book.xlsx --sheet Orders
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.card_blocks import compose_card
from service_nb.cli.console import quote, write_for_shell
from service_nb.cli.reading import READING, connect_source, write_options
from service_nb.cli.verb import DONE, Option, Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    """Connect, reply with the card of the first rows."""
    service = service_nb.create_service()
    source = connect_source(service, arguments.file, arguments)
    outcome = service.preview(source["name"], arguments.rows)
    line = " ".join(["service-nb preview", *map(quote, [arguments.file, *write_options(arguments)])])
    line += f" --rows {arguments.rows}"
    return Reply(outcome, write_for_shell(compose_card(outcome.card), asked=line), DONE)


VERB = Verb(
    run=run,
    options=(
        Option("file FILE", "a file, or the name of a stored source"),
        Option("--rows N", "how many rows, at most 10,000; default 20", type=int, default=20),
        *READING,
    ),
)
