"""Describe why a question has no plan: a refusal for each part that cannot be resolved, and the ways on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from service_nb.schema.card import Candidate
from service_nb.schema.query import Plan, QuerySpec, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A question with one fault mended: `name`, of `type`, stands in its `slot` now."""

    slot: str
    name: str
    type: str
    spec: QuerySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why one part of a question cannot be resolved, with alternatives.

    `ways` may lead to what is refused too; `candidates` are those of them that resolve.
    """

    status: Literal["needs_clarification", "rejected"]
    reason: str
    code: str | None = None  # of a rejection
    name: str | None = None  # that is not one of a column that may be named
    rule: str | None = None
    column: str | None = None  # of text, whose type is in the way
    missing: str | None = None
    unknown: tuple[str, str] | None = None  # a slot, and what stood there: none of its choices
    did_you_mean: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result of resolving a question: either a `plan` or `refusals`, never both."""

    plan: Plan | None = None
    refusals: tuple[Refusal, ...] = ()

    @property
    def status(self) -> Status:
        """`rejected` when any part of the question is."""
        if self.plan is not None:
            return "ok"
        return "rejected" if any(refusal.status == "rejected" for refusal in self.refusals) else "needs_clarification"

    @property
    def leading(self) -> Refusal | None:
        """The refusal that is told first."""
        return next((refusal for refusal in self.refusals if refusal.status == self.status), None)

    def to_json(self) -> dict[str, Any]:
        """The `resolution` of an outcome."""
        leading = self.leading
        unknown = [{"slot": each.unknown[0], "value": each.unknown[1]} for each in self.refusals if each.unknown]
        return {
            **({"unknown": unknown} if unknown else {}),
            "candidates": [dict(candidate) for refusal in self.refusals for candidate in refusal.candidates],
            "rejection_reason": leading.code if leading else None,
            "reason": leading.reason if leading else None,
            "rule": leading.rule if leading else None,
            "missing": [refusal.missing for refusal in self.refusals if refusal.missing],
            "did_you_mean": list(dict.fromkeys(name for refusal in self.refusals for name in refusal.did_you_mean)),
        }
