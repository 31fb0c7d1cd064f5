"""The shapes of replays: identical, different and why, or refused and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.schema.card import CardKind

ReplayStatus = Literal["identical", "differs", "refused"]
HowFound = Literal["registered", "given", "kept", "origin", "service.toml", "deployment"]
REPORT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that differs in the replay. `path` counts from 0, as JSON does; `where` is for people.

    `expected` and `met` are exact texts, None where there is no such value. Two float64 values have `ulps`, the number
    of doubles from one to the other; whole numbers and decimals have `by`, the exact difference.
    """

    path: tuple[str | int, ...]
    where: str
    expected: str | None
    met: str | None
    ulps: int | None = None
    by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON has it."""
        return {
            "path": list(self.path),
            "where": self.where,
            "expected": self.expected,
            "met": self.met,
            "ulps": _encode_count(self.ulps),
            "by": self.by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of two texts of a result: the first differences, their number, and the largest in ulps."""

    values: int  # that were compared
    differing: int
    differences: tuple[Difference, ...] = ()
    largest_ulps: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON has it."""
        return {
            "values": self.values,
            "differing": self.differing,
            "largest_ulps": _encode_count(self.largest_ulps),
            "differences": [difference.to_dict() for difference in self.differences],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An input of a result that has changed since. `cause` is its stable name."""

    cause: str
    what: str  # "content of flights", "numpy"
    expected: str | None
    met: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON has it."""
        return {"cause": self.cause, "what": self.what, "expected": self.expected, "met": self.met}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUsed:
    """A source that a replay read: the way it was found, and its content."""

    name: str
    how: HowFound
    sha256: str | None
    schema_revision: str

    def to_dict(self) -> dict[str, Any]:
        """Return the source as JSON has it."""
        return {"name": self.name, "found": self.how, "sha256": self.sha256, "schema_revision": self.schema_revision}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One stored result, run again. `expected` and `met` are the values of the digest that `digest` names."""

    subject: str  # where the card was: "cell 3, output 1", a file's name, an id
    kind: CardKind | None
    status: ReplayStatus
    cause: str | None  # the stable name of why it differs or was refused; None if it is identical
    message: str  # the outcome in a sentence or two
    result_id: str | None = None
    question: str = ""  # in words
    time: str | None = None  # of the stored result
    verified: str | None = None  # verified | incomplete | mismatch: what the card's verification said before
    signer: str | None = None  # the id of the key that signed it, if that signature holds
    digest: str | None = None  # result_hash, computation_hash, refusal_hash
    expected: str | None = None
    met: str | None = None
    comparison: Comparison | None = None
    changes: tuple[Change, ...] = ()
    sources: tuple[SourceUsed, ...] = ()

    @property
    def is_replayable(self) -> bool:
        """Tell whether the outcome can be run again; an error or the record of another replay cannot."""
        return self.cause != "not_replayable"

    def to_dict(self) -> dict[str, Any]:
        """Return the replay as JSON has it."""
        return {
            "subject": self.subject,
            "kind": self.kind,
            "result_id": self.result_id,
            "question": self.question,
            "time": self.time,
            "verified": self.verified,
            "signer": self.signer,
            "status": self.status,
            "cause": self.cause,
            "message": self.message,
            "digest": self.digest,
            "expected": self.expected,
            "met": self.met,
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "changes": [change.to_dict() for change in self.changes],
            "sources": [source.to_dict() for source in self.sources],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """The replays of one document, with the time and the versions of the software: a report for an auditor."""

    subject: str  # the document: "report.ipynb"
    time: str  # 2026-11-21T13:22:52Z
    made_by: Mapping[str, str]  # service_nb, contract_hash, runtime, platform, as far as known
    keys: tuple[str, ...]  # that were trusted, base64
    replays: tuple[Replay, ...]

    @property
    def is_identical(self) -> bool:
        """Tell whether every result that can be replayed is identical."""
        return all(replay.status == "identical" for replay in self.replays if replay.is_replayable)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of replays that are identical, differ, were refused, and cannot be replayed."""
        told = {"identical": 0, "differs": 0, "refused": 0, "not_replayable": 0}
        for replay in self.replays:
            told[replay.status if replay.is_replayable else "not_replayable"] += 1
        return told

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "service_nb_replay": REPORT_VERSION,
            "subject": self.subject,
            "time": self.time,
            "made_by": dict(self.made_by),
            "keys": list(self.keys),
            "is_identical": self.is_identical,
            "counts": self.counts,
            "replays": [replay.to_dict() for replay in self.replays],
        }


def _encode_count(count: int | None) -> int | str | None:
    """Encode a whole number so that no reader of JSON rounds it: as text beyond 2**53 - 1."""
    return count if count is None or count <= MAX_SAFE_INTEGER else str(count)
