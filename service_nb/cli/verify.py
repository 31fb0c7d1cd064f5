"""`service-nb verify`: whether notebooks, cards and ledgers hold, and what does not."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from service_nb.cli.console import DONE, FAILED, print_json, text_width
from service_nb.errors import InvalidIntentError

if TYPE_CHECKING:
    from service_nb.evidence.report import Report

SUMMARY = "Check notebooks, cards and ledgers: every hash, signature and proof. No kernel, no network."
EXAMPLES = """\
examples:
  service-nb verify report.ipynb
  service-nb verify notebooks/*.ipynb --strict --key authors.keys --junit verify.xml
  service-nb verify report.ipynb .service --report audit.html
  service-nb verify card.json --json
  service-nb verify --self-check

A key is the base64 of 32 bytes, or a file of such, one a line, or in PEM. Where one is given, each card must be signed
by one of them. Where a ledger is given too, each card's receipt must be found in it.

exit codes: 0 nothing failed, with --strict nothing was left unchecked either; 1 something failed; 2 usage
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `verify`."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="notebook, card or ledger as JSON, folder of a ledger")
    parser.add_argument(
        "--key", metavar="KEY", action="append", default=[], help="a trusted public key; may be repeated"
    )
    parser.add_argument("--require-signature", action="store_true", help="fail what is not signed, by whomever")
    parser.add_argument("--require-seal", action="store_true", help="fail notebooks that are not sealed")
    parser.add_argument("--strict", action="store_true", help="fail what could not be checked, too")
    parser.add_argument("--junit", metavar="OUT.XML", help="write JUnit XML: a test case for each card")
    parser.add_argument("--report", metavar="OUT.HTML", help="write a page for people: verdicts, causes, terms")
    parser.add_argument("--self-check", action="store_true", help="refuse the shipped forgeries, each for its cause")


def run(arguments: argparse.Namespace) -> int:
    """Verify, write what was asked for, print; fail if something does not hold."""
    if arguments.self_check:
        return _self_check(arguments)
    if not arguments.files:
        raise InvalidIntentError("verify takes a file.", hint="For example: service-nb verify report.ipynb")
    from service_nb.evidence.report import to_dict, to_text  # noqa: PLC0415  # lazy: no other verb needs cryptography
    from service_nb.verifying import local_terms, verify_files  # noqa: PLC0415

    terms = local_terms(arguments.key, requires_signature=arguments.require_signature)
    terms = replace(terms, requires_seal=arguments.require_seal)
    report = verify_files(arguments.files, terms, strict=arguments.strict)
    _write(report, arguments)
    if arguments.json:
        print_json(to_dict(report))
    else:
        print(to_text(report, text_width()))
    return DONE if report.is_accepted else FAILED


def _write(report: Report, arguments: argparse.Namespace) -> None:
    from service_nb.evidence.report import to_junit  # noqa: PLC0415
    from service_nb.evidence.report_html import to_html  # noqa: PLC0415

    for option, path, writes in (("--junit", arguments.junit, to_junit), ("--report", arguments.report, to_html)):
        if path is None:
            continue
        if any(Path(path).resolve() == Path(file).resolve() for file in arguments.files):
            raise InvalidIntentError(f"{option} would write over {Path(path).name}, which is verified.", path=option)
        try:
            Path(path).write_text(writes(report), encoding="utf-8")
        except OSError as error:
            raise InvalidIntentError(
                f"{option} {Path(path).name} cannot be written: {error.strerror}.", path=option
            ) from error


def _self_check(arguments: argparse.Namespace) -> int:
    from service_nb.evidence.self_check import VERIFIED, self_check  # noqa: PLC0415

    if arguments.files:
        raise InvalidIntentError("--self-check takes no file: the forgeries are shipped.", met=arguments.files[0])
    folder = files("service_nb.evidence").joinpath("forgeries")
    cases = [json.loads(file.read_bytes()) for file in sorted(folder.iterdir(), key=lambda each: each.name)]
    results = self_check(cases)
    is_right = bool(results) and all(result.is_right for result in results)
    if arguments.json:
        print_json({"status": "ok" if is_right else "failed", "results": [result.to_dict() for result in results]})
        return DONE if is_right else FAILED
    margin = max((len(result.name) for result in results), default=0)
    for result in results:
        told = result.met if result.is_right else f"{result.met}, and not {result.expected}"
        print(f"{'✓' if result.is_right else '✗'} {result.name.ljust(margin)}  {told}")
    genuine = sum(result.expected == VERIFIED for result in results)
    print(f"\n{len(results) - genuine} forgeries, {genuine} genuine documents.", end=" ")
    print("Each was told for what it is." if is_right else "The verifier is not to be trusted: see the lines marked ✗.")
    return DONE if is_right else FAILED
