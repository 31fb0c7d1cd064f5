"""One statement at a time over a database's connection: rendered, watched, and ended at its deadline for certain."""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from sqlglot import exp

from service_nb.connectors.live.cursors import CursorLink, left, stopped
from service_nb.connectors.live.parameters import Mark, numbered, rendered
from service_nb.errors import QueryInterruptedError, ServiceError

GRACE_S = 1.0  # that a server has to answer a request to cancel, before the connection is cut


class StatementLink(CursorLink):
    """A link that holds the deadline though the server does not: what cancels in vain is cut off."""

    mark: Mark = staticmethod(numbered)
    double_percent = False
    _interrupted = False

    @abstractmethod
    def _cut(self) -> None:
        """End the connection below the driver, so that whoever waits for it is told at once. Safe from any thread."""

    @contextmanager
    def _statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        text, bound = rendered(
            tree, parameters, dialect=self.spelling.dialect, mark=self.mark, double_percent=self.double_percent
        )
        with self._run(text, bound, deadline) as cursor:
            yield cursor

    @contextmanager
    def _run(self, text: str, bound: Sequence[Any], deadline: float) -> Iterator[Any]:
        """Run a text within the scheme that keeps the session from writing."""
        self._interrupted = False
        with Watch(self._stop_late, left(deadline)) as watch:
            try:
                yield self._executed(text, bound, left(deadline))
            except ServiceError:
                raise
            except Exception as error:
                if watch.is_late:
                    raise stopped() from error
                if self._interrupted:
                    raise QueryInterruptedError("The question was stopped.") from error
                raise self._explained(error) from error
            finally:
                self._finish()

    def _stop_late(self, done: threading.Event) -> None:
        with contextlib.suppress(Exception):  # cut off below, whatever the driver makes of it
            self.cancel()
        if not done.wait(GRACE_S):
            self._cut()


class Watch:
    """Calls `late` in another thread when the time is up before the block has ended."""

    def __init__(self, late: Any, seconds: float) -> None:
        self._done = threading.Event()
        self._late = late
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True
        self.is_late = False

    def _fire(self) -> None:
        self.is_late = True
        self._late(self._done)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._done.set()
        self._timer.cancel()
