"""Where a client's computations run: in the managed runtime, in the caller's own process, or where the caller says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from service_nb import device
from service_nb.base.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.base import Runtime
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.progress import Report

NAMES = ("managed", "in_process")


def placed(chosen: Runtime | str, modules: Sequence[str] = (), progress: Report | None = None) -> Callable[[], Runtime]:
    """Return what makes the runtime at the first computation, so that who only asks loads no gRPC.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no runtime of that name, or the modules are no list of names.
    """
    if isinstance(chosen, str) and chosen not in NAMES:
        raise InvalidIntentError(
            f"runtime is {shown(chosen)}.", path="runtime", met=chosen, expected="managed, in_process, or a Runtime"
        )
    if isinstance(modules, str) or not all(isinstance(name, str) for name in modules):
        raise InvalidIntentError(
            f"runtime_modules is {shown(modules)}.", path="runtime_modules", expected='a list such as ["finance"]'
        )
    wanted = tuple(modules)

    @cache
    def runtime() -> Runtime:
        if chosen == "managed":
            from service_nb.runtimes.managed import Managed  # noqa: PLC0415  # gRPC loads with it

            return Managed(wanted, admit=device.require, report=progress)
        return InProcess() if isinstance(chosen, str) else chosen

    return runtime
