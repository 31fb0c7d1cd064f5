"""A request as handlers get it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from service_nb.core.ids import named_after
from service_nb.errors import InvalidIntentError, LedgerError
from service_nb.server.errors import no_such_route
from service_nb.server.ports import Caller, Deployment, Reach

T = TypeVar("T")
SOONEST_S = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, checked: who asks for what, and how long it may take."""

    deployment: Deployment
    caller: Caller | None  # None of what everyone may ask
    asked: Any = None  # the body, of the route's type
    path: Mapping[str, str]
    query: Mapping[str, str]
    left_s: Callable[[], float]
    seed: str | None = None  # of the ids of what is recorded
    known: str = ""  # If-None-Match
    address: str = ""  # of whoever asks, as `limits.address_group` has it

    @property
    def reach(self) -> Reach:
        """What the caller can reach."""
        if self.caller is None:
            raise no_such_route()
        return self.deployment.reach(self.caller)

    @property
    def timeout_s(self) -> float:
        """Seconds that are left, as engines want them."""
        return max(SOONEST_S, self.left_s())

    def recorded(self, work: Callable[[], T]) -> T:
        """Do what is recorded, under ids that follow from the request's key where it has one.

        Where another outcome has been recorded under them, the retried request has met other data: that is an outcome
        of its own.
        """
        naming: AbstractContextManager[None] = nullcontext() if self.seed is None else named_after(self.seed)
        try:
            with naming:
                return work()
        except LedgerError as fault:
            if self.seed is None or fault.reason != "duplicate_id":
                raise
        return work()


def exactly_one(one: str, first: Any, other: str, second: Any) -> None:
    """Raise `invalid_intent` unless a body has one of two keys."""
    if (first is None) == (second is None):
        raise InvalidIntentError(f"The body takes either `{one}` or `{other}`.", path=one, expected=f"{one} or {other}")
