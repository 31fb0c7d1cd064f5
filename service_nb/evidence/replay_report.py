"""What became of many replays, for people and for programs: as text and as JSON; `replay_page` has the page.

Everything that comes from a card is foreign text: nothing of it is obeyed by a terminal, none of it is proven by being
shown.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from service_nb.core.words import clip, make_visible, measure_width
from service_nb.evidence.replay_page import to_html
from service_nb.evidence.replay_words import LABELS, SIGNS, distance, headline, outcome, short, summary
from service_nb.schema.replay import Difference, Replay, ReplayReport

__all__ = ["to_html", "to_json", "to_text"]

_QUESTION = 64  # cells of a line before its outcome, where the terminal has more than enough
_VALUE = 40


def to_json(report: ReplayReport) -> str:
    """Return the report as one JSON document."""
    return json.dumps(report.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_text(report: ReplayReport, columns: int = 100) -> str:
    """Return the report for a terminal: a line for each result, what differs or was refused and why, a summary."""
    lines = [make_visible(report.subject)]
    margin = max((measure_width(make_visible(replay.subject)) for replay in report.replays), default=0)
    room = max(20, min(columns - margin - 32, _QUESTION))
    for replay in report.replays:
        subject, question = make_visible(replay.subject), clip(make_visible(replay.question), room)
        told = f"{subject}{' ' * (margin - measure_width(subject))}  {question}{' ' * (room - measure_width(question))}"
        lines.append(f"  {SIGNS[outcome(replay)]} {told}  {_said(replay)}")
        if replay.status != "identical":
            lines += _details(replay, columns)
    lines += ["", f"{headline(report)}: {summary(report)}"]
    return "\n".join(lines)


def _said(replay: Replay) -> str:
    return f"identical  {short(replay.met)}" if replay.status == "identical" else LABELS[outcome(replay)]


def _details(replay: Replay, columns: int) -> Iterator[str]:
    yield from _wrapped(make_visible(f"{replay.cause}: {replay.message}"), columns)
    if replay.status == "differs":
        yield f"      {(replay.digest or '').replace('_', ' ')}: {short(replay.expected)} then, {short(replay.met)} now"
    comparison = replay.comparison
    if comparison is None:
        return
    for difference in comparison.differences:
        yield from _difference(difference, columns)
    more = comparison.differing - len(comparison.differences)
    if more > 0:
        yield f"      … and {more:,} more"


def _difference(difference: Difference, columns: int) -> Iterator[str]:
    expected, met = (clip(make_visible(text or "nothing"), _VALUE) for text in (difference.expected, difference.met))
    told = distance(difference)
    line = f"{make_visible(difference.where)}: {expected} then, {met} now{f', {told}' if told else ''}"
    yield from _wrapped(line, columns)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    yield from textwrap.wrap(text, max(columns, 40), initial_indent=" " * 6, subsequent_indent=" " * 8)
