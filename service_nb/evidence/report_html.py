"""The audit report: one page that loads nothing and runs nothing, reads well on paper, in light and in dark.

The verdict comes first, then what failed with its cause in words, then every card with its checks, then the answers,
who signed them, what was compared, and the terms under which all this was found. Statuses are told by sign and word,
never by colour alone.

The page is written from the report's JSON alone. The sidebar of JupyterLab writes the same page, byte for byte, from
the same JSON (`lab/src/report/page.ts`); `tests/vectors/reports.json` holds both to it.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service_nb.core.words import make_visible
from service_nb.evidence.causes import CHECKS, STATUSES, counted, explained
from service_nb.evidence.report import Report, to_dict
from service_nb.evidence.standalone import CheckStatus, VerdictStatus

Json = Mapping[str, Any]

_MARKS: Mapping[CheckStatus, str] = {"passed": "✓", "not_checkable": "○", "failed": "✗"}
_LABELS = {"contract_hash": "contract named", "schema_revision": "schema", "_hash": "", "_": " "}
_COLUMNS: Mapping[CheckStatus, str] = {"passed": "hold", "not_checkable": "not here", "failed": "failed"}
_CODE = re.compile(r"`([^`]*)`")
_PROVES = (
    "Verification proves who states a result, and that what is shown is what was recorded and signed. It does not prove"
    " that the result is true: a replay recomputes it from its sources. It does not prove that the question was a good"
    " one."
)
_EVIDENCE = "This page proves nothing by itself: whoever sends it could have written it. The files are the evidence:"

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --soft: #5d6670; --paper: #fff; --rule: rgba(127, 127, 127, .35);
  --band: rgba(127, 127, 127, .08); --verified: #1f7a54; --neutral: #4d5a67; --altered: #b3332a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa3ad; --paper: #16191d;
  --verified: #5cc79a; --neutral: #aab4be; --altered: #f08177; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 48px; max-width: 1040px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 15px; font-weight: 600; margin: 0 0 12px; color: var(--soft); }
h2 { font-size: 18px; margin: 36px 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 0 0 4px; }
p { margin: 4px 0; }
code, .hash { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 13px; }
.verdict { border: 1px solid var(--rule); border-left: 5px solid; border-radius: 4px; padding: 14px 18px; }
.verdict strong { font-size: 22px; line-height: 1.3; }
.verified { border-left-color: var(--verified); } .verdict { border-left-color: var(--neutral); }
.verdict.verified { border-left-color: var(--verified); } .verdict.altered { border-left-color: var(--altered); }
.verified .sign, td.verified { color: var(--verified); } .altered .sign, td.altered, .failed { color: var(--altered); }
.fault { border: 1px solid var(--rule); border-left: 5px solid var(--altered); border-radius: 4px; padding: 10px 14px;
  margin: 10px 0; break-inside: avoid; }
.fault dl { margin: 6px 0 0; } .fault dt { font-weight: 600; } .fault dd { margin: 0 0 6px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 12px 0 0; font-size: 13px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--rule); }
th, td { padding: 5px 12px 5px 0; vertical-align: top; } td { border-bottom: 1px solid var(--band); }
.cards td:first-child, .cards th:first-child { padding-left: 6px; font-weight: 600; }
.cards th:nth-child(1) { width: 22%; } .cards th:nth-child(2) { width: 10.5em; } .cards th:nth-child(4) { width: 26%; }
th.count, td.count { text-align: right; white-space: nowrap; width: 6.5em; font-variant-numeric: tabular-nums; }
td.where { white-space: nowrap; } td.words { overflow-wrap: anywhere; min-width: 12em; }
.check { display: inline-block; white-space: nowrap; margin-right: 10px; color: var(--soft); }
.check.failed { color: var(--altered); font-weight: 600; }
dl.terms { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 8px 0 0; font-size: 13px; }
dl.terms dt { font-weight: 600; } dl.terms dd { margin: 0; min-width: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule); padding: 8px 12px; }
.answer { margin: 14px 0 0; break-inside: avoid; } .answer .figure { font-size: 20px; margin: 2px 0; }
.answer table { width: auto; } .answer th.point, .answer td.point { text-align: right; white-space: pre;
  font-variant-numeric: tabular-nums; }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --verified: #1f7a54;
  --neutral: #4d5a67; --altered: #b3332a; } body { padding: 0; max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
  .scroll { overflow: visible; } }
@page { margin: 16mm; }
""".strip()


def to_html(report: Report) -> str:
    """Return the report as one page."""
    return page(to_dict(report))


def page(report: Json) -> str:
    """Return the page of a report, given as its JSON."""
    counts = report["counts"]
    status: VerdictStatus = report["status"] if sum(counts.values()) else "not_checkable"
    word = STATUSES[status]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(word.word)} · service-nb verify</title><style>{_STYLE}</style></head><body>",
            "<h1>Verification report</h1>",
            f'<div class="verdict {status}"><strong><span class="sign">{word.sign}</span> ',
            f"{_text(word.word)}</strong><p>{_text(word.means)}</p>",
            f"<p>{_text(counted(counts, len(report['files'])))}</p>{_strictness(report)}</div>",
            *(line for file in report["files"] for line in _file(file)),
            *_not_checked(report),
            *_signers(report),
            *_made(report),
            *_terms(report),
            *_again(report),
            "</body></html>",
            "",
        ]
    )


def _strictness(report: Json) -> str:
    if not report["strict"]:
        return ""
    outcome = "Accepted" if report["accepted"] else "Not accepted"
    return f'<p class="soft">Strict: everything that is not verified counts as failed. {outcome}.</p>'


def _file(file: Json) -> Iterator[str]:
    yield f"<h2>{_text(file['file'])}</h2>"
    if file["sha256"]:
        yield f'<p class="soft">SHA-256 <span class="hash">{_text(file["sha256"])}</span></p>'
    for verdict in file["verdicts"]:
        if verdict["status"] == "altered":
            yield from _fault(verdict)
    if not file["verdicts"]:
        yield "<p>Nothing to verify.</p>"
        return
    yield '<div class="scroll" role="group" aria-label="Cards" tabindex="0"><table class="cards">'
    yield "<thead><tr><th>Status</th><th>Where</th><th>What it says of itself</th><th>Checks</th></tr></thead><tbody>"
    for verdict in file["verdicts"]:
        yield (
            f'<tr><td class="{verdict["status"]}">{_standing(verdict)}</td>'
            f'<td class="where">{_text(verdict["subject"])}</td><td class="words">{_text(verdict["words"] or "")}</td>'
            f"<td>{_checks(verdict)}</td></tr>"
        )
    yield "</tbody></table></div>"
    answered = [verdict for verdict in file["verdicts"] if verdict["answer"] is not None]
    if answered:
        yield "<h2>Answers</h2>"
    for verdict in answered:
        yield from _answer(verdict)


def _standing(verdict: Json) -> str:
    return f"{STATUSES[verdict['status']].sign} {_text(verdict['headline'])}"


def _checks(verdict: Json) -> str:
    """How many hold, and by name those that do not: a page of ticks is read by nobody."""
    checks = verdict["checks"]
    held = sum(check["status"] == "passed" for check in checks)
    rest = [
        f'<span class="check {check["status"]}">{_MARKS[check["status"]]} {_text(_label(check["check"]))}</span>'
        for check in checks
        if check["status"] != "passed"
    ]
    return " ".join([f'<span class="check">{held} of {len(checks)} hold</span>', *rest])


def _fault(verdict: Json) -> Iterator[str]:
    yield f'<div class="fault"><h3><span class="failed">✗</span> {_text(verdict["subject"])}</h3>'
    if verdict["words"]:
        yield f'<p class="soft">It says of itself: {_text(verdict["words"])}</p>'
    yield "<dl>"
    for check in verdict["checks"]:
        if check["status"] != "failed":
            continue
        cause = explained(check["cause"])
        yield f'<dt><code class="failed">{_text(check["cause"] or "")}</code></dt><dd>{_prose(cause.means)}'
        if check["message"]:
            yield f'<br><span class="soft">{_text(check["message"])}</span>'
        yield f"<br>What to do: {_prose(cause.remedy)}</dd>"
    yield "</dl></div>"


def _answer(verdict: Json) -> Iterator[str]:
    answer = verdict["answer"]
    yield f'<div class="answer"><h3>{_text(verdict["subject"])}: {_text(verdict["words"] or "")}</h3>'
    yield f'<p class="soft">{_standing(verdict)}</p>'
    if "value" in answer:
        yield f'<p class="figure"><strong>{_text(answer["value"])}</strong></p>'
    if "text" in answer:
        yield f"<p>{_text(answer['text'])}</p>"
    if "rows" in answer:
        yield '<div class="scroll" role="group" aria-label="Answer" tabindex="0"><table><thead><tr>'
        yield "".join(map(_head, answer["heads"], answer["aligned"]))
        yield "</tr></thead><tbody>"
        for row in answer["rows"]:
            yield f"<tr>{''.join(map(_cell, row, answer['aligned']))}</tr>"
        yield "</tbody></table></div>"
    if answer.get("note"):
        yield f'<p class="soft">{_text(answer["note"])}</p>'
    yield "</div>"


def _head(text: str, aligned: str) -> str:
    return f'<th class="{_side(aligned)}">{_text(text)}</th>'


def _cell(text: str, aligned: str) -> str:
    return f'<td class="{_side(aligned)}">{_text(text)}</td>'


def _side(aligned: str) -> str:
    return "point" if aligned == "point" else "left"


def _label(name: str) -> str:
    for part, said in _LABELS.items():
        name = name.replace(part, said)
    return name


def _not_checked(report: Json) -> Iterator[str]:
    met = {str(check["cause"]) for check in _all_checks(report) if check["status"] == "not_checkable"}
    if met:
        yield '<h2>What could not be checked here</h2><dl class="terms">'
        for name in sorted(met):
            cause = explained(name)
            yield f"<dt><code>{_text(name)}</code></dt><dd>{_prose(cause.means)} {_prose(cause.remedy)}</dd>"
        yield "</dl>"


def _signers(report: Json) -> Iterator[str]:
    found = [verdict["signer"] for file in report["files"] for verdict in file["verdicts"] if verdict["signer"]]
    if not found:
        return
    yield '<h2>Who signed</h2><div class="scroll" role="group" aria-label="Signers" tabindex="0">'
    yield '<table><thead><tr><th>Key</th><th>Whose</th><th class="count">Cards</th></tr></thead><tbody>'
    cards = Counter(signer["key"] for signer in found)
    for signer in {signer["key"]: signer for signer in found}.values():
        whose = signer["name"] or ("a key that you trust" if signer["trusted"] else "unknown")
        key = f"<code>{_text(signer['id'])}</code><br><code>{_text(signer['key'])}</code>"
        yield f'<tr><td>{key}</td><td>{_text(whose)}</td><td class="count">{cards[signer["key"]]}</td></tr>'
    yield "</tbody></table></div>"


def _made(report: Json) -> Iterator[str]:
    made = Counter((check["check"], check["status"]) for check in _all_checks(report))
    if not made:
        return
    yield '<h2>What was checked</h2><div class="scroll" role="group" aria-label="Checks" tabindex="0">'
    yield "<table><thead><tr><th>Check</th>"
    yield "<th>What it proves where it holds</th>"
    yield "".join(f'<th class="count">{_MARKS[status]} {_COLUMNS[status]}</th>' for status in _COLUMNS)
    yield "</tr></thead><tbody>"
    for name in sorted({name for name, _ in made}, key=_place):
        counts = "".join(f'<td class="count">{made[name, status] or ""}</td>' for status in _COLUMNS)
        yield f"<tr><td>{_text(_label(name))}</td><td>{_text(CHECKS.get(name, ''))}</td>{counts}</tr>"
    yield "</tbody></table></div>"


def _all_checks(report: Json) -> Iterator[Json]:
    for file in report["files"]:
        for verdict in file["verdicts"]:
            yield from verdict["checks"]


def _place(name: str) -> tuple[int, str]:
    known = list(CHECKS)
    return (known.index(name) if name in CHECKS else len(known), name)


def _terms(report: Json) -> Iterator[str]:
    yield '<h2>Under which terms</h2><dl class="terms">'
    for name, value in report["conditions"].items():
        yield f"<dt>{_text(name.replace('_', ' '))}</dt><dd>{'<br>'.join(_values(value))}</dd>"
    yield f'</dl><p class="soft">{_text(_PROVES)}</p>'


def _again(report: Json) -> Iterator[str]:
    if report["command"]:
        yield "<h2>How to check it again</h2>"
        yield f"<p>{_text(_EVIDENCE)}</p>"
        yield f"<pre><code>{_text(report['command'])}</code></pre>"


def _values(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        return [_text(value)]
    return [f"<code>{_text(str(each))}</code>" for each in value] or ["none"]


def _text(text: str) -> str:
    return html.escape(make_visible(text), quote=True)


def _prose(text: str) -> str:
    """Our own sentences, which set commands between backticks."""
    return _CODE.sub(r"<code>\1</code>", _text(text))
