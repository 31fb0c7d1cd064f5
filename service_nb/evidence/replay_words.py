"""The words that the text of a replay report and its page share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from service_nb.schema.replay import Difference, Replay, ReplayReport

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


def distance(difference: Difference) -> str:
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
