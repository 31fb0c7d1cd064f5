"""How far provisioning is, for whoever shows it: a label, and bytes done of bytes in all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, cast

_EVERY_S = 0.05


class Step(NamedTuple):
    """A moment of provisioning, in bytes; `total` is 0 where it is not known."""

    label: str
    done: int = 0
    total: int = 0


Report = Callable[[Step], None]


class _Counted:
    """A file that tells how far it was read, and can do nothing else."""

    def __init__(self, file: BinaryIO, grown: Callable[[int], None]) -> None:
        self._file = file
        self._grown = grown

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        content = self._file.read(size)
        self._grown(len(content))
        return content


def counted(file: BinaryIO, grown: Callable[[int], None]) -> BinaryIO:
    """Return a file to read from start to end, which tells how many bytes each reading gave."""
    return cast(BinaryIO, _Counted(file, grown))


class Progress:
    """Tells a report of steps, some twenty times a second at most."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._step = Step("")
        self._told = 0.0

    def begin(self, label: str, total: int = 0) -> Callable[[int], None]:
        """Begin a step, and return what is told how many bytes have come since it was last told."""
        self._step = Step(label, 0, total)
        self._tell(is_due=True)
        return self.grow

    def grow(self, more: int) -> None:
        """Add bytes to the present step."""
        self.reach(self._step.done + more)

    def reach(self, done: int) -> None:
        """Say how many bytes of the present step are done; what a file that moves seems to take back stays done."""
        total, done = self._step.total, max(done, self._step.done)
        self._step = self._step._replace(done=min(done, total) if total else done)
        self._tell(is_due=0 < total <= done)

    def waiting(self) -> None:
        """Say that somebody else is installing."""
        if self._step.label != _WAITING:
            self.begin(_WAITING)

    def _tell(self, *, is_due: bool) -> None:
        now = time.monotonic()
        if self._report is not None and (is_due or now - self._told >= _EVERY_S):
            self._told = now
            self._report(self._step)


_WAITING = "Waiting for another installation"
