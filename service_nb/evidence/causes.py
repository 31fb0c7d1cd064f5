"""The words of verdicts: what a status, a check and a cause mean, and what to do about a cause.

They stand in `catalogue.json`, which the TypeScript packages read as well. A cause is the same name in every verifier,
in JSON, in JUnit and on the page, and is never used again for something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from service_nb.evidence.standalone import UNDECIDING, Verdict, VerdictStatus


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


def describe_verdict(verdict: Verdict) -> str:
    """Describe a verdict in one line, the same wherever verdicts are shown."""
    word = STATUSES[verdict.status].word
    if verdict.status in ("altered", "not_checkable"):
        status = "failed" if verdict.status == "altered" else "not_checkable"
        causes = (check.cause for check in verdict.checks if check.status == status)
        means = explain_cause(next(cause for cause in causes if cause not in UNDECIDING)).means
        return f"{word}: {means[0].lower()}{means[1:].rstrip('.')}"
    if verdict.status == "consistent":
        return f"{word}: anyone can have made it"
    signer = next((check.message for check in verdict.checks if check.name == "signer" and check.message), None)
    return word if signer is None else f"{word} · {signer}"


def format_counts(counts: Mapping[VerdictStatus, int], number: int) -> str:
    """Return counts of verdicts, found in a number of files, in a line."""
    files = "1 file" if number == 1 else f"{number:,} files"
    told = ", ".join(f"{count:,} {STATUSES[status].word.lower()}" for status, count in counts.items() if count)
    return f"{sum(counts.values()):,} checked in {files}: {told or 'nothing to verify'}"
