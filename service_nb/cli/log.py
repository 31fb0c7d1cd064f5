"""`service-nb log`: what was asked and computed in a project, the newest first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

import service_nb
from service_nb.cards.log import log_blocks
from service_nb.cards.text import write_text
from service_nb.cli.console import DONE, print_json, text_width
from service_nb.schema.card import CardKind

SUMMARY = "List what the project's ledger has recorded, the newest first: answers, refusals, errors, replays."
EXAMPLES = """\
examples:
  service-nb log
  service-nb log --limit 5 --kind computation
  service-nb log --project analysis --json
"""
MOST = 100_000
WIDTH = 120  # at least: below it nothing would be left of the questions


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `log`."""
    parser.add_argument("--limit", metavar="N", type=_count, default=20, help="how many to list; default 20")
    parser.add_argument("--kind", choices=get_args(CardKind), help="only of this kind")
    parser.add_argument("--project", metavar="DIR", type=Path, help="folder of the project; default: the current one")


def run(arguments: argparse.Namespace) -> int:
    """Print the log."""
    service = service_nb.create_service(project=arguments.project)
    try:
        lines = service.log(arguments.limit, arguments.kind)
    finally:
        service.close()
    if arguments.json:
        print_json({"status": "ok", "entries": lines})
    else:
        print(write_text(log_blocks(lines), max(text_width(), WIDTH)))
    return DONE


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= MOST:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to {MOST:,}")
    return count
