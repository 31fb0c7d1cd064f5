"""`service-nb doctor`: whether this machine is fit, the lock holds, and numbers are right."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from service_nb.cli.console import DONE, FAILED, print_json
from service_nb.client.doctor.machine import LIBRARIES

__all__ = ["EXAMPLES", "LIBRARIES", "SUMMARY", "register", "run"]

SUMMARY = "Check libraries, contract, login, runtime and engine, and that sums and known values are exact."
EXAMPLES = """\
examples:
  service-nb doctor
  service-nb doctor --parity --json
  service-nb doctor --strict
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument(
        "--parity", action="store_true", help="compare the contract's hash in this package and in the runtime"
    )
    parser.add_argument("--strict", action="store_true", help="treat warnings as failures")


def run(arguments: argparse.Namespace) -> int:
    """Look at everything and print what was found; fail if something is wrong."""
    from service_nb.client.doctor.report import report  # noqa: PLC0415  # lazy: no other verb waits for all of it to load

    found = report(parity=arguments.parity, strict=arguments.strict)
    if arguments.json:
        print_json(found)
        return DONE if found["ok"] else FAILED
    width = max(len(check["name"]) for check in found["checks"])
    for check in found["checks"]:
        print(f"{sign(check)} {check['name'].ljust(width)}  {check['found']}")
    print("\nAll checks passed." if found["ok"] else "\nSome checks failed: see the lines marked ✗.")
    return DONE if found["ok"] else FAILED


def sign(check: Mapping[str, Any]) -> str:
    """Return the sign of a line: ✓, ! for a warning, ✗."""
    return "✗" if not check["ok"] else "!" if check["warning"] else "✓"
