"""A few sessions with one database: opened when needed, used by one question at a time, dropped when in doubt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from service_nb.connectors.base import SqlLink
from service_nb.engines.running import Runner, compute_wait, stopped_as_told
from service_nb.errors import ServiceError, SourceNotFoundError

T = TypeVar("T")

OpenLink = Callable[[float], SqlLink]
PATIENCE_S = 3.0  # for a statement to end that was cancelled
CANCEL_AGAIN_S = 0.5
IDLE_S = 300.0  # after which a session is not believed to live any more


class Links:
    """At most `most` sessions. Safe to use from several threads."""

    def __init__(self, open_link: OpenLink, most: int, first: SqlLink | None = None) -> None:
        self._open_link = open_link
        self._free: list[tuple[SqlLink, float]] = [] if first is None else [(first, time.monotonic())]
        self._busy = 0
        self._most = most
        self._state = threading.Condition()
        self._closed = False

    def run(self, work: Callable[[SqlLink], T], deadline: float, *, fresh: bool = False) -> T:
        """Run `work` on a session, by the deadline; on one that was opened for it where `fresh`.

        A session goes back when the work has returned. After any error it is closed: a request to cancel may still be
        on its way to it, or half an answer.
        """
        with self._place(deadline):
            link = self._take_session(deadline, fresh=fresh)
            runner = Runner(link.cancel, again_s=CANCEL_AGAIN_S, patience_s=PATIENCE_S)
            try:
                result = runner.run(lambda: work(link), deadline)
            except BaseException:
                _close(link)
                raise
            self._give_back(link)
            return result

    def close(self) -> None:
        """Close all sessions; those in use when their work is done."""
        with self._state:
            self._closed = True
            free, self._free = self._free, []
            self._state.notify_all()
        for link, _ in free:
            link.close()

    @contextmanager
    def _place(self, deadline: float) -> Iterator[None]:
        """Wait until one more session may be used."""
        with stopped_as_told(), self._state:
            while self._busy >= self._most and not self._closed:
                self._state.wait(compute_wait(deadline))
            if self._closed:
                raise SourceNotFoundError("The source was closed.")
            self._busy += 1
        try:
            yield
        finally:
            with self._state:
                self._busy -= 1
                self._state.notify()

    def _take_session(self, deadline: float, *, fresh: bool) -> SqlLink:
        earliest = time.monotonic() - IDLE_S
        with self._state:
            free = [] if fresh else [(link, since) for link, since in self._free if since > earliest]
            stale = [pair for pair in self._free if pair not in free]
            found = free.pop() if free else None
            self._free = free
        for link, _ in stale:
            _close(link)
        return found[0] if found is not None else self._open_session(deadline)

    def _open_session(self, deadline: float) -> SqlLink:
        """Open a session in a thread that can be left: a database that hangs must not hold up who asks."""
        unwanted = threading.Event()

        def work() -> SqlLink:
            link = self._open_link(deadline)
            if unwanted.is_set():
                link.close()
            return link

        try:
            return Runner(lambda: None, patience_s=0.0).run(work, deadline)
        except ServiceError:
            unwanted.set()
            raise

    def _give_back(self, link: SqlLink) -> None:
        with self._state:
            wanted = not self._closed
            if wanted:
                self._free.append((link, time.monotonic()))
        if not wanted:
            link.close()


def _close(link: SqlLink) -> None:
    """Close a session that something went wrong with, without waiting for it: a statement may still run on it."""
    threading.Thread(target=link.close, daemon=True).start()
