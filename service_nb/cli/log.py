"""`service-nb log`: list what was asked and computed in a project, the newest first."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import get_args

import service_nb
from service_nb.cards.faces.text import write_text
from service_nb.cards.pages import compose_log
from service_nb.cli.console import measure_terminal
from service_nb.cli.verb import PROJECT, Reply, Verb, declare_option
from service_nb.schema.card import CardKind

MOST = 100_000
WIDTH = 120  # at least: below it nothing would be left of the questions


def run(arguments: argparse.Namespace) -> Reply:
    """List the entries."""
    with closing(service_nb.create_service(project=arguments.project)) as service:
        entries = service.log(arguments.limit, arguments.kind)
    return Reply({"status": "ok", "entries": entries}, write_text(compose_log(entries), max(measure_terminal(), WIDTH)))


def _read_count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= MOST:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to {MOST:,}")
    return count


VERB = Verb(
    name="log",
    summary="List what the project's ledger has recorded, the newest first: answers, refusals, errors, replays.",
    run=run,
    options=(
        declare_option("--limit", metavar="N", type=_read_count, default=20, help="how many to list; default 20"),
        declare_option("--kind", choices=get_args(CardKind), help="only of this kind"),
        PROJECT,
    ),
    help="""\
examples:
  service-nb log
  service-nb log --limit 5 --kind computation
  service-nb log --project analysis --json
""",
)
