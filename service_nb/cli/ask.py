"""Answer a question about a file, or say why it cannot be answered.

the question:
  AGGREGATION [COLUMN] [by COLUMN, …] [where CONDITION and|or …] [order asc|desc] [limit N]
  AGGREGATION is sum, avg, count, min, max, median, count_distinct, stddev, variance or percentile 90 of.
  The file is a source named like it, without the ending.

examples:
  service-nb ask sales.csv "sum revenue by region"
  service-nb ask sales.csv "avg price where year between 2020 and 2024" --json
  service-nb ask sales.csv 'sum revenue where year in $years' --var 'years=(2023, 2024)'
  service-nb ask book.xlsx "count by status limit 5" --sheet Orders
  service-nb ask shop.sqlite "max total by city" --table orders
  service-nb ask orders "sum total by city" --connector shop.toml --table orders
  service-nb ask orders "sum total by city"        (a source that the project or the deployment keeps)
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

import service_nb
from service_nb.cards.blocks import Block, Command, Commands
from service_nb.cards.card_blocks import compose_card
from service_nb.cli.console import quote, write_for_shell
from service_nb.cli.reading import READING, connect_source, describe_lines, write_options
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.client.advice.offers import READ_AGAIN, advising
from service_nb.client.advice.reading import write_options as write_reading
from service_nb.errors import InvalidIntentError
from service_nb.query.variables import parse_variables


def run(arguments: argparse.Namespace) -> Reply:
    """Connect, ask, reply with the card; a refusal is printed likewise and fails."""
    _require_file_first(arguments)
    service = service_nb.create_service()
    connect_source(service, arguments.file, arguments)
    shown = {} if arguments.rows is None else {"shown_rows": arguments.rows}
    line = " ".join(arguments.question)
    with advising(line, service, describe_lines(arguments, [arguments.file])):
        variables = parse_variables(arguments.var or ())
        outcome = service.ask(line, variables=variables, timeout=arguments.timeout, **shown)
    again = " ".join(map(quote, [arguments.file, *write_options(arguments)]))
    blocks = [*compose_card(outcome.card), *_list_ways_on(arguments, line, outcome)]
    text = write_for_shell(blocks, asked=f"service-nb ask {again}")
    return Reply(outcome, text, DONE if outcome["status"] == "ok" else FAILED)


def _require_file_first(arguments: argparse.Namespace) -> None:
    *others, last = arguments.question
    if os.path.lexists(last) and not os.path.lexists(arguments.file):
        line = " ".join([arguments.file, *others])
        raise InvalidIntentError(
            "The file stands before the question.", hint=f"Write: service-nb ask {quote(last)} {quote(line)}"
        )


def _list_ways_on(arguments: argparse.Namespace, line: str, outcome: Mapping[str, Any]) -> list[Block]:
    """Write the line that reads the file so that the question can be answered, where that is why it is refused."""
    options = (outcome.get("details") or {}).get("options")
    if outcome["status"] == "ok" or options is None:
        return []
    words = ["service-nb ask", quote(arguments.file), quote(line), *map(quote, write_reading(options))]
    return [Commands((Command(" ".join(words)),), READ_AGAIN)]


def _read_row_count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of rows")
    return count


VERB = Verb(
    run=run,
    options=(
        Option("file FILE", "a file, or the name of a stored or live source"),
        Option("question QUESTION", "an ask line, quoted or not", nargs="+"),
        Option("--rows N", "how many rows of the answer to print", type=_read_row_count),
        Option("--var NAME=VALUE", "what $NAME stands for in the question; once for each", action="append"),
        Option("--timeout SECONDS", "stop the question after this time", type=float),
        *READING,
    ),
)
