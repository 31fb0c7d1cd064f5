"""Say what verdicts, checks and causes mean, and report a verification as text, JSON and JUnit XML.

The words stand in `catalogue.json`, which the TypeScript packages read as well; `report_pages.py` has the page. A cause
is the same name in every verifier, in JSON, in JUnit and on the page, and is never used again for something else.

Everything that comes from a card is foreign text: nothing of it is obeyed by a terminal, and none of it is proven by
being shown. What is said in words of a card is what the card says of itself.
"""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml  # writes, and never parses

from service_nb.core.words import clip, make_visible, measure_width
from service_nb.evidence.standalone import UNDECIDING, Check, CheckStatus, Verdict, VerdictStatus
from service_nb.schema.reports import CardSigner, ShownAnswer


class Cause(NamedTuple):
    """The meaning of a cause, and its remedy."""

    means: str
    remedy: str


class StatusWords(NamedTuple):
    """The text of a verdict's status: its word, its sign, and its meaning in a sentence."""

    word: str
    sign: str
    means: str


_CATALOGUE = json.loads(files("service_nb.evidence").joinpath("catalogue.json").read_bytes())
_UNKNOWN = Cause(
    "This version does not know the cause.", "Verify with the version that wrote the document, or a newer one."
)

CAUSES: Mapping[str, Cause] = MappingProxyType({name: Cause(**each) for name, each in _CATALOGUE["causes"].items()})
CHECKS: Mapping[str, str] = MappingProxyType(_CATALOGUE["checks"])
STATUSES: Mapping[VerdictStatus, StatusWords] = MappingProxyType(
    {status: StatusWords(**each) for status, each in _CATALOGUE["statuses"].items()}
)


def explain_cause(cause: str | None) -> Cause:
    """Return the meaning and the remedy of a cause; an unknown one has a text of its own."""
    return CAUSES.get(cause or "", _UNKNOWN)


ROWS_KEPT = " rows kept"  # of a card that shows rows of a result that it does not hold: 20 of 5,000 rows kept
NOT_SIGNED = " · not signed"


def describe_verdict(verdict: Verdict) -> str:
    """Describe a verdict in one line, the same wherever verdicts are shown."""
    word = STATUSES[verdict.status].word
    if verdict.status in ("altered", "not_checkable"):
        if _is_part_kept(verdict):
            kept = next(check.message for check in verdict.checks if check.cause == "shown_not_kept")
            return kept + (NOT_SIGNED if any(check.cause == "unsigned" for check in verdict.checks) else "")
        status = "failed" if verdict.status == "altered" else "not_checkable"
        open_ones = (check for check in verdict.checks if check.status == status)
        first = next(check for check in open_ones if check.cause not in UNDECIDING)
        means = explain_cause(first.cause).means
        return f"{word}: {means[0].lower()}{means[1:].rstrip('.')}"
    if verdict.status == "consistent":
        return f"{word}: anyone can have made it"
    signer = next((check.message for check in verdict.checks if check.name == "signer" and check.message), None)
    return word if signer is None else f"{word} · {signer}"


def _is_part_kept(verdict: Verdict) -> bool:
    """Tell whether nothing failed, and all that is open is that a card shows rows of a result that it does not hold."""
    deciding = [check for check in verdict.checks if check.status != "passed" and check.cause not in UNDECIDING]
    return bool(deciding) and all(
        check.status == "not_checkable" and check.cause == "shown_not_kept" and check.message.endswith(ROWS_KEPT)
        for check in deciding
    )


def format_counts(counts: Mapping[VerdictStatus, int], number: int) -> str:
    """Return counts of verdicts, found in a number of files, in a line."""
    files = "1 file" if number == 1 else f"{number:,} files"
    told = ", ".join(f"{count:,} {STATUSES[status].word.lower()}" for status, count in counts.items() if count)
    return f"{sum(counts.values()):,} checked in {files}: {told or 'nothing to verify'}"


# From the worst to the best: a document is as good as the worst that it holds.
RANKED: tuple[VerdictStatus, ...] = ("altered", "not_checkable", "consistent", "unaltered", "verified")
LONGEST_WORDS = 200  # characters that a card may say of itself

_ENTRY = 72  # cells of a line before its status, where the terminal has more than enough
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The verdicts of one file. `words` describes each verdict's subject, in the card's own words.

    `answers` are what cards show as their answers, and `signers` whose keys signed them, by subject.
    """

    name: str
    verdicts: tuple[Verdict, ...]
    words: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, ShownAnswer] = field(default_factory=dict)
    signers: Mapping[str, CardSigner] = field(default_factory=dict)
    sha256: str | None = None

    @property
    def status(self) -> VerdictStatus:
        """The worst of its verdicts."""
        return find_worst(verdict.status for verdict in self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdicts of several files, and their conditions: trusted keys, known contracts, version, time.

    With `strict`, what could not be checked counts as failed.
    """

    files: tuple[FileReport, ...]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False

    @property
    def status(self) -> VerdictStatus:
        """The worst of its files."""
        return find_worst(file.status for file in self.files)

    @property
    def is_accepted(self) -> bool:
        """Tell whether nothing is altered, and if strict, everything is verified."""
        return not any(self.is_failed(verdict) for file in self.files for verdict in file.verdicts)

    @property
    def counts(self) -> dict[VerdictStatus, int]:
        """The number of verdicts of each status."""
        met = Counter(verdict.status for file in self.files for verdict in file.verdicts)
        return {status: met[status] for status in STATUSES}

    def is_failed(self, verdict: Verdict) -> bool:
        """Tell whether a verdict counts as failed in this report."""
        return verdict.status == "altered" or (self.strict and verdict.status != "verified")


def find_worst(statuses: Iterable[VerdictStatus]) -> VerdictStatus:
    """Return the worst of some statuses."""
    met = set(statuses)
    return next((status for status in RANKED if status in met), "verified")


def describe_card(card: Any) -> str:
    """Describe a card in one line, in its own words; nothing is assumed of its form."""
    view = card.get("view") if isinstance(card, dict) else None
    if not isinstance(view, dict):
        return "no card"
    said = view.get("question") or view.get("call") or view.get("message") or view.get("summary") or card.get("kind")
    return make_visible(said[:LONGEST_WORDS]) if isinstance(said, str) else "without words"


def list_checks(verdict: Verdict, status: CheckStatus) -> list[Check]:
    """List the checks of a verdict that have a status."""
    return [check for check in verdict.checks if check.status == status]


def format_summary(report: Report) -> str:
    """Format the counts in one line."""
    return format_counts(report.counts, len(report.files))


# --- text ---------------------------------------------------------------------------------------------------------


def to_text(report: Report, columns: int = 100) -> str:
    """Return the report for a terminal: a line for each card, what failed and what to do, a summary."""
    lines: list[str] = []
    told: set[str | None] = set()  # causes that were explained already
    for file in report.files:
        lines += [make_visible(file.name), *_iter_file_lines(file, columns, told), ""]
    lines += _iter_unchecked(report, columns)
    lines.append(format_summary(report))
    if report.strict and report.status != "verified":
        lines.append("Everything that is not verified counts as failed (--strict).")
    return "\n".join(lines)


def _iter_file_lines(file: FileReport, columns: int, told: set[str | None]) -> Iterator[str]:
    if not file.verdicts:
        yield "  nothing to verify"
    margin = max((measure_width(make_visible(verdict.subject)) for verdict in file.verdicts), default=0)
    room = max(20, min(columns - 40 - margin, _ENTRY))
    for verdict in file.verdicts:
        subject = make_visible(verdict.subject)
        words = clip(make_visible(file.words.get(verdict.subject, "")), room)
        entry = "  ".join(
            (subject + " " * (margin - measure_width(subject)), words + " " * (room - measure_width(words)))
        )
        yield f"  {STATUSES[verdict.status].sign} {entry}  {describe_verdict(verdict)}"
        for check in list_checks(verdict, "failed"):
            yield from _iter_explanation(check, columns, is_known=check.cause in told)
            told.add(check.cause)


def _iter_explanation(check: Check, columns: int, *, is_known: bool) -> Iterator[str]:
    cause = explain_cause(check.cause)
    if is_known:
        yield from _wrap_lines(f"{check.cause}: {make_visible(check.message)}", columns, "      ")
        return
    yield from _wrap_lines(f"{check.cause}: {cause.means}", columns, "      ")
    if check.message:
        yield from _wrap_lines(make_visible(check.message), columns, "        ")
    yield from _wrap_lines(f"→ {cause.remedy}", columns, "        ")


def _iter_unchecked(report: Report, columns: int) -> Iterator[str]:
    """Yield each cause of unchecked items once, as it is often the same for every card."""
    causes = Counter(
        cause
        for file in report.files
        for verdict in file.verdicts
        for cause in {check.cause for check in list_checks(verdict, "not_checkable")}
    )
    if not causes:
        return
    yield "Not checked here:"
    for name, count in sorted(causes.items(), key=lambda item: (-item[1], str(item[0]))):
        cause = explain_cause(name)
        yield from _wrap_lines(f"{name} ({count:,}): {cause.means} {cause.remedy}", columns, "  ")
        for told in _list_places(report, name)[:MOST_PLACES]:
            yield from _wrap_lines(make_visible(told), columns, "    ")
    yield ""


# Causes whose message names another card or cell, and how many of them are told.
NAMING, MOST_PLACES = {"card_of_another_cell", "card_repeated", "card_out_of_order"}, 10


def _list_places(report: Report, cause: str | None) -> list[str]:
    """List where a cause was met, and what it names."""
    verdicts = [verdict for file in report.files for verdict in file.verdicts if cause in NAMING]
    checks = [(verdict.subject, check) for verdict in verdicts for check in verdict.checks if check.cause == cause]
    return [f"{subject}: {check.message}" for subject, check in checks]


def _wrap_lines(text: str, columns: int, indent: str) -> list[str]:
    return textwrap.wrap(text, max(columns, 40), initial_indent=indent, subsequent_indent=indent + "  ")


# --- JSON ---------------------------------------------------------------------------------------------------------


def to_dict(report: Report) -> dict[str, object]:
    """Return the report as JSON has it; the causes that occur are explained beside the verdicts."""
    met = sorted(
        {check.cause for file in report.files for verdict in file.verdicts for check in verdict.checks if check.cause}
    )
    return {
        "status": report.status,
        "accepted": report.is_accepted,
        "strict": report.strict,
        "counts": report.counts,
        "conditions": dict(report.conditions),
        "command": _build_command(report),
        "files": [_build_file_dict(file) for file in report.files],
        "causes": {name: explain_cause(name)._asdict() for name in met},
    }


def _build_command(report: Report) -> str | None:
    """Build the command that verifies the same files with the same keys; None where they are not files."""
    if not report.files or any(file.sha256 is None for file in report.files):
        return None
    names = [make_visible(file.name) for file in report.files]
    keys = [str(each).partition(" ")[0] for each in report.conditions.get("trusted_keys", ())]
    files = [f"./{name}" if name.startswith("-") else name for name in names]
    return shlex.join(["service-nb", "verify", *files, *(part for key in keys for part in ("--key", key))])


def to_json(report: Report) -> str:
    """Return the report as a JSON document."""
    return json.dumps(to_dict(report), ensure_ascii=False, indent=2)


def _build_file_dict(file: FileReport) -> dict[str, object]:
    verdicts = [
        {
            **verdict.to_dict(),
            "headline": describe_verdict(verdict),
            "words": file.words.get(verdict.subject),
            "answer": file.answers.get(verdict.subject),
            "signer": file.signers.get(verdict.subject),
        }
        for verdict in file.verdicts
    ]
    return {"file": make_visible(file.name), "sha256": file.sha256, "status": file.status, "verdicts": verdicts}


# --- JUnit --------------------------------------------------------------------------------------------------------


def to_junit(report: Report) -> str:
    """Return the report as JUnit XML: a suite for each file, a test case for each card."""
    root = Xml.Element("testsuites", {"name": "service-nb verify"})
    for file in report.files:
        root.append(_build_suite(report, file))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _build_suite(report: Report, file: FileReport) -> Xml.Element:
    failures = sum(report.is_failed(verdict) for verdict in file.verdicts)
    counts = {"tests": str(len(file.verdicts)), "failures": str(failures), "errors": "0", "skipped": "0", "time": "0"}
    suite = Xml.Element("testsuite", {"name": _escape_xml(file.name), **counts})
    for verdict in file.verdicts:
        suite.append(_build_case(report, file, verdict))
    return suite


def _build_case(report: Report, file: FileReport, verdict: Verdict) -> Xml.Element:
    words = file.words.get(verdict.subject)
    name = f"{verdict.subject}: {words}" if words else verdict.subject
    case = Xml.Element("testcase", {"classname": _format_class_name(file.name), "name": _escape_xml(name), "time": "0"})
    if report.is_failed(verdict):
        checks = list_checks(verdict, "failed") or list_checks(verdict, "not_checkable")
        first = checks[0]
        told = {
            "type": _escape_xml(str(first.cause)),
            "message": _escape_xml(f"{first.cause}: {explain_cause(first.cause).means}"),
        }
        Xml.SubElement(case, "failure", told).text = _escape_xml("\n".join(iter_grounds(checks)))
    elif verdict.status != "verified":
        Xml.SubElement(case, "system-out").text = _escape_xml(
            "\n".join([describe_verdict(verdict), *iter_grounds(list_checks(verdict, "not_checkable"))])
        )
    return case


def iter_grounds(checks: Sequence[Check]) -> Iterator[str]:
    """Yield the lines that explain checks: their meaning, what was found, and what to do."""
    for check in checks:
        cause = explain_cause(check.cause)
        yield f"{check.name}: {check.cause}: {cause.means}"
        if check.message:
            yield f"  {make_visible(check.message)}"
        yield f"  What to do: {cause.remedy}"


def _format_class_name(name: str) -> str:
    """Format a path as readers of JUnit group it: folders and file between dots."""
    return _escape_xml(name.removesuffix(".ipynb").removesuffix(".json").strip("./").replace("/", "."))


def _escape_xml(text: str) -> str:
    """Escape the characters that XML cannot hold; line breaks stay."""
    lines = "\n".join(map(make_visible, text.split("\n")))
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", lines)
