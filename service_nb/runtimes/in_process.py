"""Computations inside the caller's own process: no start-up, no isolation, no pins.

Certified capabilities have the same bits here as anywhere. Pinned and seeded ones run with whatever libraries are
installed, and the envelope says `unpinned`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from service_nb._version import __version__
from service_nb.base.words import shown
from service_nb.errors import (
    DomainError,
    EngineError,
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
    QueryTimeoutError,
    SeedRequiredError,
    ServiceError,
    UndecidedError,
)
from service_nb.records.compute import RuntimeDescription
from service_nb.runtimes.base import architecture, platform_key

if TYPE_CHECKING:
    from service_nb_kernels.errors import KernelError
    from service_nb_kernels.execute import Executor

UNMANAGED = "unmanaged"
_ERRORS: dict[str, type[ServiceError]] = {
    "domain_error": DomainError,
    "undecided": UndecidedError,
    "limit_exceeded": LimitExceededError,
    "invalid_intent": InvalidIntentError,
    "seed_required": SeedRequiredError,
}


class InProcess:
    """A `Runtime` of the kernels as they are imported; loaded at the first call."""

    @cached_property
    def _executor(self) -> Executor:
        from service_nb_kernels.execute import Executor  # noqa: PLC0415  # lazy: NumPy and FLINT load with it

        return Executor()

    @cached_property
    def _kernel_error(self) -> type[KernelError]:
        from service_nb_kernels.errors import KernelError  # noqa: PLC0415  # as above

        return KernelError

    @cached_property
    def _description(self) -> RuntimeDescription:
        import service_nb_kernels  # noqa: PLC0415  # as above

        return RuntimeDescription(
            bundle_version=UNMANAGED,
            bundle_sha256=UNMANAGED,
            platform=platform_key(),
            architecture=architecture(),
            kernel_build=f"service_nb_kernels {__version__}",
            libraries=service_nb_kernels.environment(),
            is_pinned=False,
        )

    def execute(
        self, capability_id: str, arguments: Sequence[Any], *, seed: int | None = None, timeout_s: float | None = None
    ) -> Any:
        """Return the value of a capability; see `Runtime.execute`."""
        started = time.monotonic()
        try:
            return self._executor.execute(capability_id, arguments, seed=seed, timeout_s=timeout_s)
        except KeyboardInterrupt:
            raise QueryInterruptedError(
                "The computation was stopped.", hint="Sources and session are intact."
            ) from None
        except Exception as error:
            if timeout_s is not None and time.monotonic() - started >= timeout_s:
                raise QueryTimeoutError(
                    f"{capability_id} was stopped at its deadline.", hint="Raise `timeout`, or compute less."
                ) from error
            if isinstance(error, self._kernel_error):
                _refuse(capability_id, error)
            raise EngineError(f"{capability_id} failed with {type(error).__name__}.", engine="in_process") from error

    def describe(self) -> RuntimeDescription:
        """Return what runs here; see `Runtime.describe`."""
        return self._description


def _refuse(capability_id: str, error: KernelError) -> NoReturn:
    kind = _ERRORS.get(error.code)
    if kind is None:
        raise EngineError(f"{capability_id} failed with {error.code}.", engine="in_process") from error
    details = {key: value for key, value in error.details.items() if key not in ("hint", "message")}
    if "value" in details:
        details["met"] = shown(details.pop("value"))
    raise kind(f"{capability_id}: {error}", **details) from error
