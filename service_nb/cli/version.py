"""`service-nb version`."""

from __future__ import annotations

import argparse

from service_nb._version import __version__
from service_nb.cli.console import DONE, print_json
from service_nb.records.card import CARD_MIME, CARD_VERSION

SUMMARY = "Print the version."
EXAMPLES = """\
examples:
  service-nb version
  service-nb version --json
"""


def register(parser: argparse.ArgumentParser) -> None:
    """`version` has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print the version; as JSON also that of the cards it writes."""
    if arguments.json:
        print_json({"version": __version__, "card": {"version": CARD_VERSION, "mime": CARD_MIME}})
    else:
        print(f"service-nb {__version__}")
    return DONE
