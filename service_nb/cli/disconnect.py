"""`service-nb disconnect`: a source is taken out of the project's service.toml."""

from __future__ import annotations

import argparse

import service_nb
from service_nb.cli.console import DONE, print_json

SUMMARY = "Remove a source from the project's service.toml; the deployment keeps it."
EXAMPLES = """\
examples:
  service-nb disconnect orders
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `disconnect`."""
    parser.add_argument("name", metavar="NAME", help="a source of service.toml")


def run(arguments: argparse.Namespace) -> int:
    """Take it out, or fail if it is not there."""
    service_nb.create_service().disconnect(arguments.name, persist=True)
    if arguments.json:
        print_json({"status": "ok", "name": arguments.name, "forgotten": ["service.toml"]})
    else:
        print(f"Removed {arguments.name} from service.toml.")
    return DONE
