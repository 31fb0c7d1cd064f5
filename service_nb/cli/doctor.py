"""`service-nb doctor`: check that this machine is fit, the contract agrees, and numbers are right."""

from __future__ import annotations

import argparse

from service_nb.cli.verb import DONE, FAILED, Reply, Verb, declare_option


def run(arguments: argparse.Namespace) -> Reply:
    """Make all checks; fail if something is wrong."""
    from service_nb.client.doctor.report import build_report  # noqa: PLC0415  # lazy: no other verb waits for all of it to load

    found = build_report(parity=arguments.parity, strict=arguments.strict)
    width = max(len(check["name"]) for check in found["checks"])
    signs = ["✗" if not check["ok"] else "!" if check["warning"] else "✓" for check in found["checks"]]
    lines = [
        f"{sign} {check['name'].ljust(width)}  {check['found']}"
        for sign, check in zip(signs, found["checks"], strict=True)
    ]
    verdict = "All checks passed." if found["ok"] else "Some checks failed: see the lines marked ✗."
    return Reply(found, "\n".join([*lines, "", verdict]), DONE if found["ok"] else FAILED)


VERB = Verb(
    name="doctor",
    summary="Check libraries, contract, login, runtime and engine, and that sums and known values are exact.",
    run=run,
    options=(
        declare_option(
            "--parity", action="store_true", help="compare the contract's hash in this package and in the runtime"
        ),
        declare_option("--strict", action="store_true", help="treat warnings as failures"),
    ),
    help="""\
examples:
  service-nb doctor
  service-nb doctor --parity --json
  service-nb doctor --strict
""",
)
