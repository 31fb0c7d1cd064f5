"""The report of many replays, for people and for programs: as text and as JSON; `report_pages.py` has the page.

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
from service_nb.schema.reports import Difference, Replay, ReplayReport

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


def classify_replay(replay: Replay) -> Outcome:
    """Classify a replay: its status, or `not_replayable` where there is nothing to run again."""
    return replay.status if replay.is_replayable else "not_replayable"


def format_headline(report: ReplayReport) -> str:
    """Format the outcome of all replays in a few words."""
    counts = report.counts
    total = sum(counts.values()) - counts["not_replayable"]
    if not total:
        return "Nothing was replayed"
    if counts["differs"]:
        return (
            f"{counts['differs']:,} of {format_result_count(total)} {'differs' if counts['differs'] == 1 else 'differ'}"
        )
    if counts["refused"]:
        return f"{counts['refused']:,} of {format_result_count(total)} could not be run again"
    return "Every result came out the same"


def format_summary(report: ReplayReport) -> str:
    """Format the counts in one line."""
    told = [f"{count:,} {LABELS[name]}" for name, count in _list_counts(report) if count]
    return ", ".join(told) or "no result was found"


def _list_counts(report: ReplayReport) -> list[tuple[Outcome, int]]:
    counts = report.counts
    return [(name, counts[name]) for name in SIGNS]


def format_result_count(count: int) -> str:
    """Format a number of results: `1 result`, `2,000 results`."""
    return "1 result" if count == 1 else f"{count:,} results"


def shorten_digest(digest: str | None) -> str:
    """Shorten a digest to its beginning."""
    return "nothing" if digest is None else digest.removeprefix("sha256:")[:SHORT_DIGEST]


def describe_distance(difference: Difference) -> str:
    """Describe the distance of two values; empty where it cannot be measured."""
    if difference.ulps is not None:
        return format_ulps(difference.ulps)
    return difference.by or ""


def format_ulps(count: int) -> str:
    """Format a number of ulps, to two digits where it is very large."""
    if count == 1:
        return "1 ulp"
    return f"{count:,} ulps" if count < _COUNTABLE else f"about {count:.1e} ulps"


def format_moment(time: str) -> str:
    """Format a time for people, to the second; a text of another form is returned as it is."""
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
        lines.append(f"  {SIGNS[classify_replay(replay)]} {told}  {_format_status(replay)}")
        if replay.status != "identical":
            lines += _iter_details(replay, columns)
    lines += ["", f"{format_headline(report)}: {format_summary(report)}"]
    return "\n".join(lines)


def _format_status(replay: Replay) -> str:
    return (
        f"identical  {shorten_digest(replay.met)}" if replay.status == "identical" else LABELS[classify_replay(replay)]
    )


def _iter_details(replay: Replay, columns: int) -> Iterator[str]:
    yield from _wrap_lines(make_visible(f"{replay.cause}: {replay.message}"), columns)
    if replay.status == "differs":
        yield (
            f"      {(replay.digest or '').replace('_', ' ')}: {shorten_digest(replay.expected)} then,"
            f" {shorten_digest(replay.met)} now"
        )
    comparison = replay.comparison
    if comparison is None:
        return
    for difference in comparison.differences:
        yield from _iter_difference_lines(difference, columns)
    more = comparison.differing - len(comparison.differences)
    if more > 0:
        yield f"      … and {more:,} more"


def _iter_difference_lines(difference: Difference, columns: int) -> Iterator[str]:
    expected, met = (clip(make_visible(text or "nothing"), _VALUE) for text in (difference.expected, difference.met))
    told = describe_distance(difference)
    line = f"{make_visible(difference.where)}: {expected} then, {met} now{f', {told}' if told else ''}"
    yield from _wrap_lines(line, columns)


def _wrap_lines(text: str, columns: int) -> Iterator[str]:
    yield from textwrap.wrap(text, max(columns, 40), initial_indent=" " * 6, subsequent_indent=" " * 8)
