"""What became of many replays, for people and for programs: as text and as JSON; `pages.py` has the page.

Everything that comes from a card is foreign text: nothing of it is obeyed by a terminal, none of it is proven by being
shown.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Literal

from service_nb.core.words import clip, make_visible, measure_width
from service_nb.schema.replay import Difference, Replay, ReplayReport

_QUESTION = 64  # cells of a line before its outcome, where the terminal has more than enough
_VALUE = 40

Outcome = Literal["identical", "differs", "refused", "not_replayable"]
SIGNS: Mapping[Outcome, str] = {"identical": "=", "differs": "≠", "refused": "⊘", "not_replayable": "·"}
LABELS: Mapping[Outcome, str] = {
    "identical": "identical",
    "differs": "differs",
    "refused": "refused",
    "not_replayable": "nothing to replay",
}
SHORT_DIGEST = 12
_COUNTABLE = 10**9
_MOMENT = re.compile(r"([0-9-]{10})T([0-9:]{8})(?:\.[0-9]+)?Z", re.ASCII)


def outcome(replay: Replay) -> Outcome:
    """Return what became of a replay, told apart from what holds nothing to be replayed."""
    return replay.status if replay.is_replayable else "not_replayable"


def headline(report: ReplayReport) -> str:
    """Return the outcome of all in a few words."""
    counts = report.counts
    total = sum(counts.values()) - counts["not_replayable"]
    if not total:
        return "Nothing was replayed"
    if counts["differs"]:
        return f"{counts['differs']:,} of {results(total)} {'differs' if counts['differs'] == 1 else 'differ'}"
    if counts["refused"]:
        return f"{counts['refused']:,} of {results(total)} could not be run again"
    return "Every result came out the same"


def summary(report: ReplayReport) -> str:
    """Return the counts in a line."""
    told = [f"{count:,} {LABELS[name]}" for name, count in _counts(report) if count]
    return ", ".join(told) or "no result was found"


def _counts(report: ReplayReport) -> list[tuple[Outcome, int]]:
    counts = report.counts
    return [(name, counts[name]) for name in SIGNS]


def results(count: int) -> str:
    """Return a number of results in words."""
    return "1 result" if count == 1 else f"{count:,} results"


def short(digest: str | None) -> str:
    """Return the beginning of a digest."""
    return "nothing" if digest is None else digest.removeprefix("sha256:")[:SHORT_DIGEST]


def describe_distance(difference: Difference) -> str:
    """Return how far two values are apart, as far as that can be told."""
    if difference.ulps is not None:
        return ulps(difference.ulps)
    return difference.by or ""


def ulps(count: int) -> str:
    """Return a number of steps from a double to its neighbour, to two digits where it is beyond counting."""
    if count == 1:
        return "1 ulp"
    return f"{count:,} ulps" if count < _COUNTABLE else f"about {count:.1e} ulps"


def moment(time: str) -> str:
    """Return a moment as people read it, to the second; what is not written as we write it comes back as it is."""
    match = _MOMENT.fullmatch(time)
    return f"{match[1]} {match[2]} UTC" if match else time


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
    told = describe_distance(difference)
    line = f"{make_visible(difference.where)}: {expected} then, {met} now{f', {told}' if told else ''}"
    yield from _wrapped(line, columns)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    yield from textwrap.wrap(text, max(columns, 40), initial_indent=" " * 6, subsequent_indent=" " * 8)
