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
from service_nb.connectors.live.parameters import numbered, rendered
from service_nb.errors import EngineError, QueryInterruptedError, ServiceError

_WRITES = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command)
GRACE_S = 1.0  # that a server has to answer a request to cancel, before the connection is cut


def check_reads(tree: exp.Expr) -> None:
    """Refuse a tree that is no query, or has a part that writes: whoever made it has made a mistake."""
    if not isinstance(tree, exp.Query) or tree.find(*_WRITES) is not None:
        raise EngineError("A statement that does more than read was to be run.", met=tree.key.upper())


class StatementLink(CursorLink):
    """A link that holds the deadline though the server does not: what cancels in vain is cut off."""

    double_percent = False
    _interrupted = False

    def _mark(self, place: int) -> str:
        return numbered(place)

    @abstractmethod
    def _cut(self) -> None:
        """End the connection below the driver, so that whoever waits for it is told at once. Safe from any thread."""

    @contextmanager
    def _statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        check_reads(tree)
        text, bound = rendered(
            tree, parameters, dialect=self.spelling.dialect, mark=self._mark, double_percent=self.double_percent
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
                self._check_whole(watch)
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

    def _check_whole(self, watch: Watch) -> None:
        """Refuse an answer that came after a request to end it: some functions then return as if they had finished."""
        if watch.is_late:
            raise stopped()
        if self._interrupted:
            raise QueryInterruptedError("The question was stopped.")

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
