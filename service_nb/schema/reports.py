"""The shapes of reports: replays, identical, different and why, or refused and why; what a report tells of a card.

Fields stand in the order of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from msgspec import Struct, to_builtins

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.schema.card import CardKind

ReplayStatus = Literal["identical", "differs", "refused"]
HowFound = Literal["registered", "given", "kept", "origin", "service.toml", "deployment"]
REPORT_VERSION = 1


class _JsonShape(Struct, frozen=True, kw_only=True):
    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them; numbers that other readers of JSON would round are texts."""
        return {name: _keep_exact(value) for name, value in to_builtins(self).items()}


class Difference(_JsonShape, frozen=True, kw_only=True):
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


class Comparison(_JsonShape, frozen=True, kw_only=True):
    """A comparison of two texts of a result: the first differences, their number, and the largest in ulps."""

    values: int  # that were compared
    differing: int
    largest_ulps: int | None = None
    differences: tuple[Difference, ...] = ()


class Change(_JsonShape, frozen=True, kw_only=True):
    """An input of a result that has changed since. `cause` is its stable name."""

    cause: str
    what: str  # "content of flights", "numpy"
    expected: str | None
    met: str | None


class SourceUsed(_JsonShape, frozen=True, kw_only=True):
    """A source that a replay read: the way it was found, and its content."""

    name: str
    found: HowFound
    sha256: str | None
    schema_revision: str


class Replay(_JsonShape, frozen=True, kw_only=True):
    """One stored result, run again. `expected` and `met` are the values of the digest that `digest` names."""

    subject: str  # where the card was: "cell 3, output 1", a file's name, an id
    kind: CardKind | None
    result_id: str | None = None
    question: str = ""  # in words
    time: str | None = None  # of the stored result
    verified: str | None = None  # verified | incomplete | mismatch: what the card's verification said before
    signer: str | None = None  # the id of the key that signed it, if that signature holds
    status: ReplayStatus
    cause: str | None  # the stable name of why it differs or was refused; None if it is identical
    message: str  # the outcome in a sentence or two
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


class ReplayReport(_JsonShape, frozen=True, kw_only=True):
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
        head = {"service_nb_replay": REPORT_VERSION, "subject": self.subject, "time": self.time}
        told = {"made_by": dict(self.made_by), "keys": [*self.keys], "is_identical": self.is_identical}
        return head | told | {"counts": self.counts, "replays": [replay.to_dict() for replay in self.replays]}


def _keep_exact(value: object) -> object:
    if isinstance(value, dict):
        return {key: _keep_exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_keep_exact(item) for item in value]
    return str(value) if isinstance(value, int) and value > MAX_SAFE_INTEGER else value


class ShownAnswer(TypedDict, total=False):
    """The answer that a card displays: a table of displayed text, one value, or a sentence."""

    heads: list[str]
    aligned: list[str]  # "point" of a column of quantities, else "left"
    rows: list[list[str]]
    value: str
    text: str
    note: str


class CardSigner(TypedDict):
    """The key that signed a card; `name` is "you" for the reader's own, and empty if the reader has not named it."""

    key: str
    id: str
    name: str
    trusted: bool
