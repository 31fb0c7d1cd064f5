"""`service-nb search`: capabilities by words."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.capability import found
from service_nb.cli.console import DONE, FAILED, print_blocks, print_json

SUMMARY = "Search capabilities by name, by words or beginnings of words; small misspellings are tolerated."
EXAMPLES = """\
examples:
  service-nb search net present value
  service-nb search student quantile --limit 3
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `search`."""
    parser.add_argument("words", metavar="WORD", nargs="+", help="words to search for")
    parser.add_argument("--limit", metavar="N", type=int, default=10, help="how many to show; default 10")


def run(arguments: argparse.Namespace) -> int:
    """Print what matches, the best first; fail if nothing does."""
    query = " ".join(arguments.words)
    hits = service_nb.create_service().search_capabilities(query, limit=arguments.limit)
    if arguments.json:
        print_json(hits)
    else:
        print_blocks(found(query, hits))
    return DONE if hits else FAILED
