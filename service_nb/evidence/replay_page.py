"""The replay report as one page that loads nothing and runs nothing, reads well on paper, in light and in dark.

The outcome comes first, then every result in a line, then what differs or was refused, value by value, then the sources
that were read and the terms under which all was done. Outcomes are told by sign and word, never by colour alone.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from service_nb.core.words import clip, make_visible
from service_nb.evidence.replay_words import (
    LABELS,
    SIGNS,
    distance,
    headline,
    moment,
    outcome,
    results,
    short,
    summary,
    ulps,
)
from service_nb.schema.replay import Change, Comparison, Difference, Replay, ReplayReport, SourceUsed

_LONGEST_QUESTION = 240
_BRIEF = 28  # characters of a value that is kept on one line: those of a double, and some more
_PROVES = (
    "Identical means: the stored question or call was run again by the code named here, on sources whose content has"
    " the digests named here, and every value came out bit for bit the same. It does not say that the question was a"
    " good one, or that the source was right. An ulp is one step from a double to its neighbour."
)
_FOUND = {
    "deployment": "as the deployment has it",
    "registered": "registered in the client",
    "given": "where the auditor said",
    "kept": "kept by the ledger",
    "origin": "where it was read from then",
    "service.toml": "kept in service.toml",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --soft: #5d6670; --paper: #fff; --rule: rgba(127, 127, 127, .35);
  --band: rgba(127, 127, 127, .08); --identical: #1f7a54; --differs: #b3332a; --refused: #8a5d00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa3ad; --paper: #16191d;
  --identical: #5cc79a; --differs: #f08177; --refused: #e0a83c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 48px; max-width: 1040px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 15px; font-weight: 600; margin: 0 0 12px; color: var(--soft); }
h2 { font-size: 18px; margin: 36px 0 4px; }
h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
p { margin: 4px 0; }
code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.proves { margin-top: 16px; }
.soft { color: var(--soft); font-size: 13px; }
.box { border: 1px solid var(--rule); border-left: 5px solid; border-radius: 4px; padding: 14px 18px; margin: 10px 0; }
.box > strong { font-size: 22px; line-height: 1.3; }
.identical { border-left-color: var(--identical); } .differs { border-left-color: var(--differs); }
.refused { border-left-color: var(--refused); } .not_replayable { border-left-color: var(--rule); }
.identical .sign { color: var(--identical); } .differs .sign, .apart { color: var(--differs); }
.refused .sign { color: var(--refused); }
.sign { font-weight: 700; display: inline-block; min-width: 1.1em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 12px 0 0; font-size: 13px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--rule); }
th, td { padding: 5px 14px 5px 0; vertical-align: top; } td { border-bottom: 1px solid var(--band); }
td.where, td.outcome, td.brief { white-space: nowrap; } td.words { overflow-wrap: anywhere; min-width: 12em; }
td.outcome { font-weight: 600; } td.outcome .soft { font-weight: 400; margin-left: 1.45em; }
td.value, td.brief { font: 12px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 8px 0 0; font-size: 13px; }
dt { font-weight: 600; } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.detail table { margin-top: 10px; } .detail { margin: 14px 0; }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --identical: #1f7a54;
  --differs: #b3332a; --refused: #8a5d00; } body { padding: 0; max-width: none; font-size: 11px; }
  h2, h3 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
  .scroll { overflow: visible; } }
@page { margin: 16mm; }
""".strip()


def to_html(report: ReplayReport) -> str:
    """Return the report as one page."""
    counts = report.counts
    tone = next((name for name in ("differs", "refused", "identical") if counts[name]), "not_replayable")
    sign = next(mark for name, mark in SIGNS.items() if name == tone)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(headline(report))} · service-nb replay</title><style>{_STYLE}</style></head><body>",
            f"<h1>Replay report · {_text(report.subject)}</h1>",
            f'<div class="box {tone}"><strong><span class="sign">{sign}</span> {_text(headline(report))}</strong>',
            f"<p>{_text(_told(report))}</p></div>",
            *_overview(report),
            *_details(report),
            *_sources(report),
            *_terms(report),
            "</body></html>",
            "",
        ]
    )


def _told(report: ReplayReport) -> str:
    return f"{results(len(report.replays))}, {moment(report.time)}: {summary(report)}."


def _overview(report: ReplayReport) -> Iterator[str]:
    if not report.replays:
        return
    yield from _head("Every result", ("Where", "What was asked", "Hash then", "Hash now", "Outcome"))
    for replay in report.replays:
        met = outcome(replay)
        apart = " apart" if replay.status == "differs" else ""
        cause = f'<br><span class="soft">{_text(str(replay.cause))}</span>' if replay.cause else ""
        yield (
            f'<tr class="{met}"><td class="where">{_text(replay.subject)}</td>'
            f'<td class="words">{_question(replay)}</td>'
            f'<td class="brief">{_hash(replay.expected)}</td><td class="brief{apart}">{_hash(replay.met)}</td>'
            f'<td class="outcome"><span class="sign">{SIGNS[met]}</span> {LABELS[met]}{cause}</td></tr>'
        )
    yield "</tbody></table></div>"


def _question(replay: Replay) -> str:
    return _text(clip(replay.question or str(replay.kind or "no card"), _LONGEST_QUESTION))


def _hash(digest: str | None) -> str:
    return '<span class="soft">none</span>' if digest is None else _text(short(digest))


def _details(report: ReplayReport) -> Iterator[str]:
    told = [replay for replay in report.replays if replay.status != "identical" and replay.is_replayable]
    if told:
        yield "<h2>What is not the same</h2>"
    for replay in told:
        yield from _detail(replay)
    changed = [replay for replay in report.replays if replay.status == "identical" and replay.changes]
    if changed:
        yield "<h2>What changed and made no difference</h2>"
        yield f'<p class="soft">Of {results(len(changed))} that came out the same.</p>'
        yield from _changes(_distinct(changed))


def _distinct(replays: Iterable[Replay]) -> list[Change]:
    return list(dict.fromkeys(change for replay in replays for change in replay.changes))


def _detail(replay: Replay) -> Iterator[str]:
    met = outcome(replay)
    title = f"{replay.subject} · {clip(replay.question, _LONGEST_QUESTION)}" if replay.question else replay.subject
    yield f'<div class="box detail {met}"><h3><span class="sign">{SIGNS[met]}</span> {_text(title)}</h3>'
    yield f"<p>{_text(replay.message)}</p><dl><dt>cause</dt><dd><code>{_text(str(replay.cause))}</code></dd>"
    if replay.expected is not None and replay.digest is not None:
        label = _text(replay.digest.replace("_", " "))
        yield f"<dt>{label} then</dt><dd><code>{_text(replay.expected)}</code></dd>"
        if replay.status == "differs":
            now = f"<code>{_text(replay.met)}</code>" if replay.met else "none"
            yield f"<dt>{label} now</dt><dd>{now}</dd>"
    yield from _about(replay)
    yield "</dl>"
    if replay.comparison is not None:
        yield from _comparison(replay.comparison)
    if replay.changes:
        yield from _changes(replay.changes)
    yield "</div>"


def _about(replay: Replay) -> Iterator[str]:
    if replay.result_id:
        asked = f", {_text(moment(replay.time))}" if replay.time else ""
        yield f"<dt>stored as</dt><dd><code>{_text(replay.result_id)}</code>{asked}</dd>"
    if replay.verified is not None:
        signed = f", signed by <code>{_text(replay.signer)}</code>" if replay.signer else ", not signed"
        yield f"<dt>its card</dt><dd>{_text(replay.verified)}{signed}</dd>"


def _comparison(comparison: Comparison) -> Iterator[str]:
    yield f"{_scroll('Values')}<table><thead><tr><th>Value</th><th>Then</th><th>Now</th><th>Apart by</th></tr></thead>"
    yield "<tbody>"
    yield from map(_difference, comparison.differences)
    yield "</tbody></table></div>"
    more = comparison.differing - len(comparison.differences)
    rest = f"; {more:,} more are not listed" if more > 0 else ""
    largest = "" if comparison.largest_ulps is None else f", at most {ulps(comparison.largest_ulps)} apart"
    yield f'<p class="soft">{comparison.differing:,} of {comparison.values:,} values differ{largest}{rest}.</p>'


def _difference(difference: Difference) -> str:
    expected, met = (
        "<em>nothing</em>" if text is None else _text(text) for text in (difference.expected, difference.met)
    )
    is_brief = all(len(text or "") <= _BRIEF for text in (difference.expected, difference.met))
    kind = "brief" if is_brief else "value"
    return (
        f'<tr><td class="words">{_text(difference.where)}</td><td class="{kind}">{expected}</td>'
        f'<td class="{kind} apart">{met}</td><td class="where">{_text(distance(difference))}</td></tr>'
    )


def _changes(changes: Iterable[Change]) -> Iterator[str]:
    yield f"{_scroll('Changes')}<table><thead><tr><th>What changed since</th><th>Then</th><th>Now</th></tr></thead>"
    yield "<tbody>"
    for change in changes:
        yield (
            f'<tr><td class="words">{_text(change.what)}</td><td class="value">{_text(change.expected or "")}</td>'
            f'<td class="value">{_text(change.met or "")}</td></tr>'
        )
    yield "</tbody></table></div>"


def _sources(report: ReplayReport) -> Iterator[str]:
    used: list[SourceUsed] = list(dict.fromkeys(source for replay in report.replays for source in replay.sources))
    if not used:
        return
    yield from _head("Sources that were read", ("Name", "Found", "Content", "Schema"))
    for source in used:
        yield (
            f'<tr><td class="words">{_text(source.name)}</td><td class="words">{_FOUND[source.how]}</td>'
            f'<td class="value">{_text(source.sha256 or "not hashed")}</td>'
            f'<td class="value">{_text(short(source.schema_revision))}</td></tr>'
        )
    yield "</tbody></table></div>"


def _head(title: str, heads: Iterable[str]) -> Iterator[str]:
    yield f"<h2>{title}</h2>{_scroll(title)}<table><thead><tr>"
    yield "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead><tbody>"


def _scroll(name: str) -> str:
    """The beginning of a place that scrolls where it is narrow, by the keyboard too."""
    return f'<div class="scroll" role="group" aria-label="{name}" tabindex="0">'


def _terms(report: ReplayReport) -> Iterator[str]:
    yield "<h2>Under which terms</h2><dl>"
    yield f"<dt>document</dt><dd>{_text(report.subject)}</dd><dt>replayed</dt><dd>{_text(moment(report.time))}</dd>"
    for name, value in report.made_by.items():
        yield f"<dt>{_text(name.replace('_', ' '))}</dt><dd><code>{_text(value)}</code></dd>"
    keys = "<br>".join(f"<code>{_text(key)}</code>" for key in report.keys)
    yield f"<dt>trusted keys</dt><dd>{keys or 'none were given: whose the signatures are nobody said'}</dd>"
    yield f'</dl><p class="soft proves">{_text(_PROVES)}</p>'


def _text(text: str) -> str:
    return html.escape(make_visible(text), quote=True)
