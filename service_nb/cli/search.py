"""`service-nb search`: capabilities by words."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.capability import found
from service_nb.cli.console import DONE, FAILED, print_blocks, print_json

SUMMARY = "Find capabilities by words, by the beginning of a name, or by something spelt like one."
EXAMPLES = """\
examples:
  service-nb search net present value
  service-nb search student quantile --limit 3
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `search`."""
    parser.add_argument("words", metavar="WORD", nargs="+", help="what is looked for")
    parser.add_argument("--limit", metavar="N", type=int, default=10, help="how many to show; 10 unless told")


def run(arguments: argparse.Namespace) -> int:
    """Print what matches, the best first; fail if nothing does."""
    query = " ".join(arguments.words)
    hits = service_nb.create_service().search_capabilities(query, limit=arguments.limit)
    if arguments.json:
        print_json(hits)
    else:
        print_blocks(found(query, hits))
    return DONE if hits else FAILED
