"""The interface of every runtime: run capabilities of the contract, and describe the runtime."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from mmap import mmap
from typing import Any, NamedTuple, Protocol

from service_nb.compute.contract import make_unreadable_error
from service_nb.core.words import describe_value
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
from service_nb.schema.compute import RuntimeDescription

_SYSTEMS = {"win32": "win32", "darwin": "darwin", "linux": "linux"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class Invocation(NamedTuple):
    """One call, checked: arguments have the declared types, one for each parameter in order.

    float, int, str, bool; lists, or arrays of float64 of one or two dimensions.
    """

    capability_id: str
    arguments: Sequence[object]
    seed: int | None = None


class RunResult(NamedTuple):
    """The results of some calls, each a float, int, str, bool, lists or a dict of them, and the runtime's description.

    `setup_s` is the time in seconds that it took to have a runtime at all: to install it, to start it, to load it.
    """

    values: list[object]
    description: RuntimeDescription
    setup_s: float = 0.0


class Step(NamedTuple):
    """A moment of provisioning, in bytes; `total` is 0 where it is not known."""

    label: str
    done: int = 0
    total: int = 0


Report = Callable[[Step], None]


def mark_failed_call(error: ServiceError, index: int, calls: int) -> ServiceError:
    """Say in an error's details which one of several calls failed, as `call`; return the error."""
    if calls > 1:
        error.details["call"] = index
    return error


class Runtime(Protocol):
    """Where computations run."""

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        """Run calls in order; the first error ends it, and says in `call` whose it is. `timeout_s` is for each."""
        ...

    def describe(self) -> RuntimeDescription:
        """Describe the runtime for the determinism envelope; called often, so answered from memory."""
        ...

    def close(self) -> None:
        """Let go of what this client holds; the next call takes it up again."""
        ...


def get_architecture() -> str:
    """Return this machine's architecture as the envelope writes it: `x64`, `arm64`."""
    machine = platform.machine().lower()
    return _MACHINES.get(machine, machine)


def get_platform_key() -> str:
    """Return this platform's key, such as `linux-x64`."""
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{get_architecture()}"


def map_packaged_contract() -> mmap:
    """Map the contract that is installed beside this package into memory: a client decodes a few of its lines."""
    import service_nb_kernels  # noqa: PLC0415  # lazy: a session that only asks never needs it

    try:
        return service_nb_kernels.map_contract()
    except (OSError, ValueError) as error:  # no file, or an empty one
        raise make_unreadable_error() from error


# --- what a runtime refuses -------------------------------------------------------------------------------------------

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


def make_fault(
    capability_id: str, code: str, message: str, details: Mapping[str, object], *, engine: str
) -> ServiceError:
    """Make the error for a kernel's refusal or failure of a call."""
    if code == "timeout":
        return make_timeout(capability_id)
    kind = _ERRORS.get(code)
    if kind is None:
        return EngineError(f"{capability_id} failed with {message}.", engine=engine)
    facts: dict[str, Any] = {key: value for key, value in details.items() if key not in ("hint", "message")}
    if "value" in facts:
        facts["met"] = describe_value(facts.pop("value"))
    return kind(f"{capability_id}: {message}", **{"hint": _HINTS.get(code), **facts})


def make_timeout(capability_id: str) -> QueryTimeoutError:
    """Make the error for a call that was stopped at its deadline."""
    return QueryTimeoutError(f"{capability_id} was stopped at its deadline.", hint="Raise `timeout`, or compute less.")
