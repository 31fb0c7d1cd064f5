"""`service-nb logout`: remove the device key and its licence."""

from __future__ import annotations

import argparse
import os

from service_nb.cli.console import DONE, print_json

SUMMARY = "Remove the device key and its licence; what the key has signed stays valid."
EXAMPLES = """\
examples:
  service-nb logout
  service-nb logout --json
"""


def register(parser: argparse.ArgumentParser) -> None:
    """`logout` has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Remove what is there, whatever state it is in, and say so."""
    from service_nb import device  # noqa: PLC0415  # lazy: no other verb waits for cryptography to load

    removed = device.logout()
    is_injected = bool(os.environ.get(device.INJECTED))
    if arguments.json:
        print_json({"status": "ok", "removed": removed, "injected": is_injected})
        return DONE
    print(f"Removed {' and '.join(removed)}. What the key has signed stays valid." if removed else "There was no key.")
    if is_injected:
        print(f"{device.INJECTED} still gives one.")
    return DONE
