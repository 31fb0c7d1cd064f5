"""What a verb of several actions is made of: `service-nb runtime status`, `service-nb key make`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def add_action(
    actions: Any, name: str, act: Callable[[argparse.Namespace], int], about: str
) -> argparse.ArgumentParser:
    """Add an action to a verb's actions, and return its parser."""
    parser: argparse.ArgumentParser = actions.add_parser(name, help=about, description=about, allow_abbrev=False)
    # Suppressed: what stands before the action shall not be forgotten for what does not stand behind it.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document")
    parser.set_defaults(act=act)
    return parser
