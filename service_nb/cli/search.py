"""Search capabilities by name, by words or beginnings of words, by the name that another library has for it.

Small misspellings are tolerated. Where nothing matches well, it says so.

examples:
  service-nb search net present value
  service-nb search student quantile --limit 3
  service-nb search np.std
"""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.page_blocks import compose_hits
from service_nb.cli.console import write_for_shell
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb


def run(arguments: argparse.Namespace) -> Reply:
    """List what matches, the best first; fail if nothing does."""
    query = " ".join(arguments.words)
    hits = service_nb.create_service().search_capabilities(query, limit=arguments.limit)
    return Reply(hits, write_for_shell(compose_hits(hits, query)), DONE if hits else FAILED)


VERB = Verb(
    run=run,
    options=(
        Option("words WORD", "words to search for", nargs="+"),
        Option("--limit N", "how many to show; default 10", type=int, default=10),
    ),
)
