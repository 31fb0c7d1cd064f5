"""Check libraries, contract, login, runtime and engine, and that sums and known values are exact.

examples:
  service-nb doctor
  service-nb doctor --parity --json
  service-nb doctor --strict
"""

from __future__ import annotations

import argparse

from service_nb.cli.console import align_columns
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.client.health import build_report


def run(arguments: argparse.Namespace) -> Reply:
    """Make all checks; fail if something is wrong."""
    found = build_report(parity=arguments.parity, strict=arguments.strict)
    signs = ["✗" if not check["ok"] else "!" if check["warning"] else "✓" for check in found["checks"]]
    texts = align_columns([(check["name"], check["found"]) for check in found["checks"]])
    lines = [f"{sign} {text}" for sign, text in zip(signs, texts, strict=True)]
    verdict = "All checks passed." if found["ok"] else "Some checks failed: see the lines marked ✗."
    return Reply(found, "\n".join([*lines, "", verdict]), DONE if found["ok"] else FAILED)


VERB = Verb(
    run=run,
    options=(
        Option("--parity", "compare the contract's hash in this package, in the runtime and in the TypeScript client"),
        Option("--strict", "treat warnings as failures"),
    ),
)
