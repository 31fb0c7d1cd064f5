"""Computations inside the caller's own process: no start-up, no isolation, no pins.

Certified capabilities have the same bits here as anywhere. Pinned and seeded ones run with whatever libraries are
installed, and the envelope says `unpinned`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from service_nb._version import __version__
from service_nb.errors import EngineError, QueryInterruptedError, ServiceError
from service_nb.runtimes.interface import (
    Invocation,
    RunResult,
    get_architecture,
    get_platform_key,
    make_fault,
    make_timeout,
    mark_failed_call,
)
from service_nb.schema.compute import RuntimeDescription

if TYPE_CHECKING:
    from service_nb_kernels.execute import Executor

UNMANAGED = "unmanaged"


class InProcess:
    """A `Runtime` of the kernels as they are imported; loaded at the first call."""

    @cached_property
    def _executor(self) -> Executor:
        from service_nb_kernels.execute import Executor  # noqa: PLC0415  # lazy: NumPy and FLINT load with it

        return Executor()

    @cached_property
    def _description(self) -> RuntimeDescription:
        import service_nb_kernels  # noqa: PLC0415  # as above

        return RuntimeDescription(
            bundle_version=UNMANAGED,
            bundle_sha256=UNMANAGED,
            platform=get_platform_key(),
            architecture=get_architecture(),
            kernel_build=f"service_nb_kernels {__version__}",
            libraries=service_nb_kernels.environment(),
            is_pinned=False,
        )

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        """Run calls here; see `Runtime.run`."""
        began, is_loaded = time.monotonic(), "_executor" in self.__dict__
        _ = self._executor
        setup_s = 0.0 if is_loaded else time.monotonic() - began
        values: list[object] = []
        try:
            for call in calls:
                values.append(self._compute_value(call, timeout_s))  # noqa: PERF401  # their number says which one failed
        except ServiceError as error:
            mark_failed_call(error, len(values), len(calls))
            raise
        return RunResult(values, self._description, setup_s)

    def _compute_value(self, call: Invocation, timeout_s: float | None) -> object:
        started = time.monotonic()
        try:
            return self._executor.execute(call.capability_id, call.arguments, seed=call.seed, timeout_s=timeout_s)
        except KeyboardInterrupt:
            raise QueryInterruptedError(
                "The computation was interrupted.", hint="Sources and session are intact."
            ) from None
        except Exception as error:  # a kernel runs libraries, which may raise anything
            from service_nb_kernels.errors import KernelError  # noqa: PLC0415  # lazy: as above

            if timeout_s is not None and time.monotonic() - started >= timeout_s:
                raise make_timeout(call.capability_id) from error
            if isinstance(error, KernelError):
                raise make_fault(
                    call.capability_id, error.code, str(error), error.details, engine="in_process"
                ) from error
            raise EngineError(
                f"{call.capability_id} failed with {type(error).__name__}.", engine="in_process"
            ) from error

    def describe(self) -> RuntimeDescription:
        """Describe the runtime; see `Runtime.describe`."""
        return self._description

    def close(self) -> None:
        """Nothing is held."""
