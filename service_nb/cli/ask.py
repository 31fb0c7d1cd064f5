"""`service-nb ask`: one question to one file."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.compose import compose
from service_nb.cli import inputs
from service_nb.cli.console import DONE, FAILED, print_blocks, print_json, quoted
from service_nb.client.advice import advising

SUMMARY = "Answer a question about a file, or say why it cannot be answered."
EXAMPLES = """\
the question:
  AGGREGATION [COLUMN] [by COLUMN, …] [where CONDITION and …] [order asc|desc] [limit N]
  AGGREGATION is sum, avg, count, min or max. The file is a source named like it, without the ending.

examples:
  service-nb ask sales.csv "sum revenue by region"
  service-nb ask sales.csv "avg price where year between 2020 and 2024" --json
  service-nb ask book.xlsx "count by status limit 5" --sheet Orders
  service-nb ask shop.sqlite "max total by city" --table orders
  service-nb ask orders "sum total by city" --connector shop.toml --table orders
  service-nb ask orders "sum total by city"        (a source that the project or the deployment keeps)
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `ask`."""
    parser.add_argument("file", metavar="FILE", help="a file, or the name of a stored or live source")
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="an ask line, quoted or not")
    parser.add_argument("--rows", metavar="N", type=_row_count, help="how many rows of the answer to print")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="stop the question after this time")
    inputs.register(parser)


def run(arguments: argparse.Namespace) -> int:
    """Connect, ask, print the card; a refusal is printed likewise and fails."""
    service = service_nb.create_service()
    inputs.connect(service, arguments.file, arguments)
    shown = {} if arguments.rows is None else {"shown_rows": arguments.rows}
    line = " ".join(arguments.question)
    with advising(line, service, inputs.face(arguments, [arguments.file])):
        outcome = service.ask(line, timeout=arguments.timeout, **shown)
    if arguments.json:
        print_json(outcome)
    else:
        again = " ".join(map(quoted, [arguments.file, *inputs.given(arguments)]))
        print_blocks(compose(outcome.card), asked=f"service-nb ask {again}")
    return DONE if outcome["status"] == "ok" else FAILED


def _row_count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of rows")
    return count
