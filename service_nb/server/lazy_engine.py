"""Open engines at their first use, and close them when nobody has used them for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service_nb.core.stopping import find_current_stop
from service_nb.engines.base import Engine, EngineAnswer
from service_nb.engines.sql import SqlEngine
from service_nb.errors import QueryInterruptedError, QueryTimeoutError, ServiceError, SourceNotFoundError
from service_nb.schema.compute import Vector
from service_nb.schema.query import Plan
from service_nb.schema.source import FieldStats

TICK_S = 0.1  # between two looks at what may end a wait

Opening = Callable[[float], Engine]


class LazyEngine:
    """An engine that is opened when it is used, by `open_`, which is told a deadline. Thread-safe.

    `longest_s` is how long opening may take where the caller sets no limit.
    """

    def __init__(self, name: str, open_: Opening, longest_s: float, engine: Engine | None = None) -> None:
        self.name = name
        self._open, self._longest_s, self._engine = open_, longest_s, engine
        self._state = threading.Condition()
        self._users = 0
        self._is_opening = self._is_closed = False
        self._why: ServiceError | None = None
        self._used = time.monotonic()

    def aggregate(self, plan: Plan, timeout_s: float | None) -> EngineAnswer:
        """Compute the plan's groups; the time to open the source is part of the limit."""
        with self._borrow(timeout_s) as (engine, measure_left):
            return engine.aggregate(plan, measure_left())

    def columns(self, plan: Plan, timeout_s: float | None) -> list[Vector]:
        """Return the plan's group columns, not grouped."""
        with self._borrow(timeout_s) as (engine, measure_left):
            return engine.columns(plan, measure_left())

    def statistics(self, name: str) -> FieldStats:
        """Return the statistics of a column."""
        with self._borrow(None) as (engine, _):
            return engine.statistics(name)

    def known_values(self, name: str) -> tuple[str, ...]:
        """Return the values that cost no scan; nothing is opened for them."""
        with self._state:
            engine = self._engine
            if engine is None or self._is_closed:
                return ()
            self._users += 1
        try:
            return engine.known_values(name)
        finally:
            self._release_engine()

    def check(self) -> None:
        """Raise `source_changed` unless a database has the columns that it had when the source was connected."""
        with self._borrow(None) as (engine, _):
            if isinstance(engine, SqlEngine):
                engine.check(self._longest_s)

    def replace(self, engine: Engine) -> None:
        """Go on with another engine for the same source, or close it while the present one is in use."""
        with self._state:
            is_idle = self._users == 0 and not self._is_opening and not self._is_closed
            unused = self._engine if is_idle else engine
            if is_idle:
                self._engine, self.name, self._used = engine, engine.name, time.monotonic()
        if unused is not None:
            unused.close()

    def close_idle(self, idle_s: float) -> bool:
        """Close the engine if nobody has used it for so long; the next use opens it again."""
        with self._state:
            is_idle = self._users == 0 and not self._is_opening and time.monotonic() - self._used >= idle_s
            engine = self._engine if is_idle else None
            if engine is not None:
                self._engine = None
        if engine is not None:
            engine.close()
        return engine is not None

    def close(self, why: ServiceError | None = None) -> None:
        """Close the engine for good: now, or when its last user is done. Who comes later is told `why`."""
        with self._state:
            self._why = self._why or why
            self._is_closed = True
            engine = self._engine if self._users == 0 else None
            if engine is not None:
                self._engine = None
            self._state.notify_all()
        if engine is not None:
            engine.close()

    @contextmanager
    def _borrow(self, timeout_s: float | None) -> Iterator[tuple[Engine, Callable[[], float | None]]]:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s

        def measure_left() -> float | None:
            return None if deadline is None else max(deadline - time.monotonic(), 0.001)

        engine = self._acquire_engine(deadline)
        try:
            yield engine, measure_left
        finally:
            self._release_engine()

    def _acquire_engine(self, deadline: float | None) -> Engine:
        with self._state:
            while self._is_opening and not self._is_closed:
                self._state.wait(TICK_S)
                _check_deadline(deadline)
            if self._is_closed:
                raise self._build_closed_error()
            if self._engine is not None:
                self._users += 1
                return self._engine
            self._is_opening = True
        return self._open_engine(deadline)

    def _build_closed_error(self) -> ServiceError:
        """Build the error of a call after the end: a new one for each, for errors collect tracebacks."""
        why = self._why
        if why is None:
            return SourceNotFoundError("The source was forgotten during the request.")
        return type(why)(why.message, hint=why.hint, **why.details)

    def _open_engine(self, deadline: float | None) -> Engine:
        engine: Engine | None = None
        try:
            latest = time.monotonic() + self._longest_s
            engine = self._open(latest if deadline is None else min(deadline, latest))
        finally:
            with self._state:
                self._is_opening = False
                self._engine = engine
                self._users += engine is not None
                if engine is not None:
                    self.name = engine.name
                self._state.notify_all()
        return engine

    def _release_engine(self) -> None:
        with self._state:
            self._users -= 1
            self._used = time.monotonic()
            engine = self._engine if self._is_closed and self._users == 0 else None
            if engine is not None:
                self._engine = None
        if engine is not None:
            engine.close()


def _check_deadline(deadline: float | None) -> None:
    stop = find_current_stop()
    if stop is not None and stop.is_requested:
        raise QueryInterruptedError("The question was interrupted.")
    if deadline is not None and time.monotonic() >= deadline:
        raise QueryTimeoutError("The source was not opened before the timeout.", hint="Raise `timeout`.")
