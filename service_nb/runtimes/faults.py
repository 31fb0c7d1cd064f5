"""What a runtime's refusal is called on this side: one table for every runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service_nb.core.words import shown
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    DomainError,
    EngineError,
    InvalidIntentError,
    LimitExceededError,
    QueryTimeoutError,
    SeedRequiredError,
    ServiceError,
    UndecidedError,
    UnsupportedOperationError,
    UnsupportedPlatformError,
)

_ERRORS: dict[str, type[ServiceError]] = {
    "domain_error": DomainError,
    "undecided": UndecidedError,
    "limit_exceeded": LimitExceededError,
    "invalid_intent": InvalidIntentError,
    "seed_required": SeedRequiredError,
    "unsupported_operation": UnsupportedOperationError,
    "unsupported_platform": UnsupportedPlatformError,
    "compute_runtime_unavailable": ComputeRuntimeUnavailableError,
}
_HINTS = {
    "unsupported_operation": "Add its module to runtime_modules, or leave the option out.",
    "unsupported_platform": 'create_service(runtime="in_process") runs it with what is installed here, unpinned.',
    "compute_runtime_unavailable": "Call again: the runtime has replaced it.",
}


def error_of(capability_id: str, code: str, message: str, details: Mapping[str, Any], *, engine: str) -> ServiceError:
    """Return the error for a kernel's refusal or failure of a call."""
    if code == "timeout":
        return late(capability_id)
    kind = _ERRORS.get(code)
    if kind is None:
        return EngineError(f"{capability_id} failed with {message}.", engine=engine)
    facts = {key: value for key, value in details.items() if key not in ("hint", "message")}
    if "value" in facts:
        facts["met"] = shown(facts.pop("value"))
    return kind(f"{capability_id}: {message}", **{"hint": _HINTS.get(code), **facts})


def late(capability_id: str) -> QueryTimeoutError:
    """Return the error for a call that was stopped at its deadline."""
    return QueryTimeoutError(f"{capability_id} was stopped at its deadline.", hint="Raise `timeout`, or compute less.")
