"""Check notebooks, cards and ledgers: every hash, signature and proof. No kernel, no network.

examples:
  service-nb verify report.ipynb
  service-nb verify notebooks/*.ipynb --strict --key authors.keys --junit verify.xml
  service-nb verify report.ipynb .service --report audit.html
  service-nb verify card.json --json
  service-nb verify --self-check

Trusted are your own key and those that you trust (service-nb key trust); with --key only those that are given: each the
base64 of 32 bytes, or a file of such, one a line, or in PEM. Where a ledger is given too, each card's receipt must be
found in it.

exit codes, of the worst that was found:
  0 all verified
  1 something is altered; with --strict: something is not verified
  2 usage
  3 unaltered, signed by a key that is not trusted
  4 consistent, and not signed
  5 not checkable here
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from service_nb.cli.console import align_columns, measure_terminal, write_output
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.client.user_keys import TRUSTED, read_proposed_keys
from service_nb.client.verification import Terms, build_terms, verify_files
from service_nb.core.words import make_visible
from service_nb.errors import InvalidIntentError
from service_nb.evidence.report_pages import write_report
from service_nb.evidence.self_check import VERIFIED, read_forgeries, run_self_check
from service_nb.evidence.verdicts import Report, to_dict, to_junit, to_text

_CODES = {"verified": DONE, "altered": FAILED, "unaltered": 3, "consistent": 4, "not_checkable": 5}


def run(arguments: argparse.Namespace) -> Reply:
    """Verify, write the reports, reply with the verdicts; fail if something does not hold."""
    if arguments.self_check:
        return _check_forgeries(arguments)
    if not arguments.files:
        raise InvalidIntentError("verify takes a file.", hint="For example: service-nb verify report.ipynb")

    terms = build_terms(arguments.key, requires_signature=arguments.require_signature)
    terms = replace(terms, requires_seal=arguments.require_seal)
    report = verify_files(arguments.files, terms, strict=arguments.strict)
    _write_reports(report, arguments)
    text = "\n".join([to_text(report, measure_terminal()), *_propose_keys(arguments.files, terms)])
    return Reply(to_dict(report), text, _CODES[report.status] if report.is_accepted else FAILED)


def _propose_keys(files: Sequence[str], terms: Terms) -> Iterator[str]:
    """Name the keys that a file `trusted-keys` beside a document proposes, and that its reader does not trust."""
    for folder in dict.fromkeys(Path(file).parent for file in files):
        unknown = [each for each in read_proposed_keys(folder) if each.key not in terms.trusted]
        if unknown:
            named = ", ".join(f"{make_visible(each.name) or 'no name'} (key {each.id[:8]}…)" for each in unknown)
            yield f"\n{TRUSTED} beside it names keys that you have not trusted: {named}."
            yield f"Compare their fingerprints, then run: service-nb key trust {folder / TRUSTED}"


def _write_reports(report: Report, arguments: argparse.Namespace) -> None:
    for name, path, writes in (("--junit", arguments.junit, to_junit), ("--report", arguments.report, write_report)):
        if path is None:
            continue
        if any(Path(path).resolve() == Path(file).resolve() for file in arguments.files):
            raise InvalidIntentError(f"{name} would overwrite {Path(path).name}, which is being verified.", path=name)
        write_output(name, Path(path), writes(report))


def _check_forgeries(arguments: argparse.Namespace) -> Reply:
    if arguments.files:
        raise InvalidIntentError("--self-check takes no file: the forgeries are shipped.", met=arguments.files[0])
    results = run_self_check(read_forgeries())
    is_right = bool(results) and all(result.is_right for result in results)
    texts = [(each.name, each.met if each.is_right else f"{each.met}; expected {each.expected}") for each in results]
    signs = ["✓ " if each.is_right else "✗ " for each in results]
    lines = [sign + text for sign, text in zip(signs, align_columns(texts), strict=True)]
    genuine = sum(result.expected == VERIFIED for result in results)
    verdict = "Each was recognised." if is_right else "The verifier failed: see the lines marked ✗."
    lines.append(f"\n{len(results) - genuine} forgeries, {genuine} genuine documents. {verdict}")
    document = {"status": "ok" if is_right else "failed", "results": [result.to_dict() for result in results]}
    return Reply(document, "\n".join(lines), DONE if is_right else FAILED)


VERB = Verb(
    run=run,
    options=(
        Option("files FILE", "notebook, card or ledger as JSON, folder of a ledger", nargs="*"),
        Option(
            "--key KEY", "trust this public key, and only those given; may be repeated", action="append", default=[]
        ),
        Option("--require-signature", "fail what is not signed"),
        Option("--require-seal", "fail notebooks that are not sealed"),
        Option("--strict", "fail everything that is not verified"),
        Option("--junit OUT.XML", "write JUnit XML: a test case for each card"),
        Option("--report OUT.HTML", "write an HTML report: verdicts, causes, terms"),
        Option("--self-check", "test the verifier on the shipped forgeries"),
    ),
)
