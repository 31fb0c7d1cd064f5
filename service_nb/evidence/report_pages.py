"""Reports as pages that load nothing and run nothing, read well on paper, in light and in dark.

The templates are in `templates/`. The outcome comes first, then what failed or differs and why, then everything in a
line each, then the terms under which all this was found. Statuses are told by sign and word, never by colour alone.

The audit report is written from the report's JSON alone. The sidebar of JupyterLab writes the same page, byte for byte,
from the same JSON (`labextension/src/report/page.ts`); `tests/vectors/reports.json` holds both to it.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from service_nb.core.words import clip, make_visible
from service_nb.evidence.replay_report import (
    LABELS,
    SIGNS,
    classify_replay,
    describe_distance,
    format_headline,
    format_moment,
    format_result_count,
    format_summary,
    format_ulps,
    shorten_digest,
)
from service_nb.evidence.standalone import CheckStatus, VerdictStatus
from service_nb.evidence.verdicts import CHECKS, STATUSES, Report, explain_cause, format_counts, to_dict
from service_nb.schema.reports import Change, Replay, ReplayReport

_MARKS: Mapping[CheckStatus, str] = {"passed": "✓", "not_checkable": "○", "failed": "✗"}
_COLUMNS: Mapping[CheckStatus, str] = {"passed": "hold", "not_checkable": "not here", "failed": "failed"}
_LABELS = {"contract_hash": "contract named", "schema_revision": "schema", "_hash": "", "_": " "}
_CODE = re.compile(r"`([^`]*)`")
_LONGEST_QUESTION = 240
_FOUND = {
    "deployment": "as the deployment has it",
    "registered": "registered in the client",
    "given": "where the auditor said",
    "kept": "kept by the ledger",
    "origin": "where it was read from then",
    "service.toml": "kept in service.toml",
}


def write_report(report: Report) -> str:
    """Return the page of what was verified."""
    return write_page(to_dict(report))


def write_page(report: Mapping[str, Any]) -> str:
    """Return the page of a report that is given as its JSON."""
    counts = report["counts"]
    status: VerdictStatus = report["status"] if sum(counts.values()) else "not_checkable"
    verdicts = [verdict for file in report["files"] for verdict in file["verdicts"]]
    checks = [check for verdict in verdicts for check in verdict["checks"]]
    made = Counter((check["check"], check["status"]) for check in checks)
    signers = [verdict["signer"] for verdict in verdicts if verdict["signer"]]
    cards = Counter(signer["key"] for signer in signers)
    ranks = {name: rank for rank, name in enumerate(CHECKS)}
    names = sorted({name for name, _ in made}, key=lambda name: (ranks.get(name, len(ranks)), name))
    return _load_template("report.html").render(
        report=report,
        status=status,
        counted=format_counts(counts, len(report["files"])),
        unchecked=sorted({str(check["cause"]) for check in checks if check["status"] == "not_checkable"}),
        signers=[(each, cards[each["key"]]) for each in {each["key"]: each for each in signers}.values()],
        made=[(name, [made[name, each] for each in _COLUMNS]) for name in names],
        statuses=STATUSES,
        checks=CHECKS,
        columns=_COLUMNS,
        marks=_MARKS,
        explained=explain_cause,
        label=_format_label,
        prose=_format_prose,
    )


def write_replay(report: ReplayReport) -> str:
    """Return the page of what was replayed."""
    counts, replays = report.counts, report.replays
    tone = next((name for name in ("differs", "refused", "identical") if counts[name]), "not_replayable")
    return _load_template("replay.html").render(
        report=report,
        tone=tone,
        headline=format_headline(report),
        told=f"{format_result_count(len(replays))}, {format_moment(report.time)}: {format_summary(report)}.",
        apart=[each for each in replays if each.status != "identical" and each.is_replayable],
        changed=[each for each in replays if each.status == "identical" and each.changes],
        sources=list(dict.fromkeys(source for each in replays for source in each.sources)),
        signs=SIGNS,
        labels=LABELS,
        found=_FOUND,
        outcome=classify_replay,
        results=format_result_count,
        moment=format_moment,
        short=shorten_digest,
        ulps=format_ulps,
        distance=describe_distance,
        distinct=_list_changes,
        question=lambda text: clip(text, _LONGEST_QUESTION),
    )


def _list_changes(replays: Iterable[Replay]) -> list[Change]:
    return list(dict.fromkeys(change for replay in replays for change in replay.changes))


@cache
def _load_template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("service_nb.evidence"),
        autoescape=True,
        finalize=_escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


def _escape(value: object) -> Markup:
    """Write a value of a template: what is visible of it, escaped as the page of the sidebar escapes it."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(make_visible(str(value)), quote=True))  # noqa: S704  escaped right here


def _format_label(name: str) -> str:
    for part, said in _LABELS.items():
        name = name.replace(part, said)
    return name


def _format_prose(text: str) -> Markup:
    """Return one of our own sentences, which set commands between backticks."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(_escape(text))))  # noqa: S704  escaped above
