"""`service-nb refresh`: a live source is described as it is now."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cards.source import source_text
from service_nb.cli.console import DONE, print_json, text_width

SUMMARY = "Describe a live source again: its columns and rows, or the pages that are read of it."
EXAMPLES = """\
Plans for the old columns are refused from then on. Existing cards do not change, and verify.

examples:
  service-nb refresh orders
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `refresh`."""
    parser.add_argument("name", metavar="NAME", help="a source of the deployment")


def run(arguments: argparse.Namespace) -> int:
    """Have it described, and print the description."""
    source = service_nb.create_service().refresh(arguments.name)
    if arguments.json:
        print_json(source)
    else:
        print(source_text(source, width=text_width()))
    return DONE
