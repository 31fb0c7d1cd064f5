"""Where a client's computations run: in the managed runtime, in the caller's own process, or where the caller says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Literal

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.base import Report, Runtime
from service_nb.runtimes.in_process import InProcess

Mode = Literal["local", "deployment"]
NAMES = ("managed", "in_process")


class Placement:
    """The runtime of a client, made at its first computation: who only asks loads no gRPC.

    Parameters
    ----------
    chosen : "managed", "in_process", a Runtime, or what makes one
    modules : sequence of str
        Fields that a managed runtime shall have; all when empty.
    progress : callable, optional
        Told how far the installation of a managed runtime is.
    mode : "local" or "deployment"
        What the execution scope of its computations says: `deployment` where they are computed by one, seen from a
        client and from the deployment itself.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no runtime of that name, or the modules are no list of names.
    """

    def __init__(
        self,
        chosen: Runtime | Callable[[], Runtime] | str,
        modules: Sequence[str] = (),
        progress: Report | None = None,
        *,
        mode: Mode = "local",
    ) -> None:
        if isinstance(chosen, str) and chosen not in NAMES:
            raise InvalidIntentError(
                f"runtime is {shown(chosen)}.", path="runtime", met=chosen, expected="managed, in_process, or a Runtime"
            )
        if isinstance(modules, str) or not all(isinstance(name, str) for name in modules):
            raise InvalidIntentError(
                f"runtime_modules is {shown(modules)}.", path="runtime_modules", expected='a list such as ["finance"]'
            )
        self.mode = mode
        self._chosen = chosen
        self._modules = tuple(modules)
        self._progress = progress
        self._made: Runtime | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Runtime:
        """Return the runtime."""
        if self._made is None:
            with self._lock:
                self._made = self._made or self._make()
        return self._made

    def _make(self) -> Runtime:
        if self._chosen == "managed":
            from service_nb.client import device_key as device  # noqa: PLC0415  # cryptography loads with it
            from service_nb.runtimes.managed import Managed  # noqa: PLC0415  # and gRPC with it

            return Managed(self._modules, admit=device.require, report=self._progress)
        if isinstance(self._chosen, str):
            return InProcess()
        return self._chosen() if callable(self._chosen) else self._chosen

    def close(self) -> None:
        """Let go of what was made; the next computation takes it up again."""
        if self._made is not None:
            self._made.close()
