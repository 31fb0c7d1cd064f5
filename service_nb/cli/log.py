"""List what the project's ledger has recorded, the newest first: answers, refusals, errors, replays.

examples:
  service-nb log
  service-nb log --limit 5 --kind computation
  service-nb log --project analysis --json
  service-nb log --own

A ledger in a folder that you received is read and never written to: what you ask or replay there is recorded in your
own ledger, which --own lists.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import get_args

import service_nb
from service_nb.cards.faces.text import write_text
from service_nb.cards.page_blocks import compose_log
from service_nb.cli.console import measure_terminal
from service_nb.cli.verb import PROJECT, Option, Reply, Verb
from service_nb.schema.card import CardKind

MOST = 100_000
WIDTH = 120  # at least: below it nothing would be left of the questions


def run(arguments: argparse.Namespace) -> Reply:
    """List the entries."""
    with closing(service_nb.create_service(project=arguments.project)) as service:
        entries = service.log(arguments.limit, arguments.kind, own=arguments.own)
    return Reply({"status": "ok", "entries": entries}, write_text(compose_log(entries), max(measure_terminal(), WIDTH)))


def _read_count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= MOST:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to {MOST:,}")
    return count


VERB = Verb(
    run=run,
    options=(
        Option("--limit N", "how many to list; default 20", type=_read_count, default=20),
        Option("--kind", "only of this kind", choices=get_args(CardKind)),
        Option("--own", "list your own ledger instead"),
        PROJECT,
    ),
)
