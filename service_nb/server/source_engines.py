"""Open the sources of a tenant: at once when they are connected, later at the first use, until they are idle."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from service_nb.client.registry import open_engine
from service_nb.connectors import catalog
from service_nb.connectors.catalog import OpenedSource
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import digest, hash_schema
from service_nb.core.stopping import find_current_stop
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.engine import Engine, EngineAnswer, Row
from service_nb.engines.inspecting import inspect_source
from service_nb.engines.running import Runner
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import (
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceNotFoundError,
)
from service_nb.query.plan import seal_plan
from service_nb.readers.dataset import ReadOptions
from service_nb.schema.compute import Vector
from service_nb.schema.connector import Descriptor
from service_nb.schema.query import Inspection, Plan
from service_nb.schema.source import Content, Field, Limits
from service_nb.server.deployment_store import close_on_error
from service_nb.server.tenant_store import SourceShape

TICK_S = 0.1  # between two looks at what may end a wait

Opening = Callable[[float], Engine]


def is_database(type_: str) -> bool:
    """Tell whether sources of a type are asked in SQL; all others are read in pages, whole."""
    return catalog.find_connector(type_).kind.dialect is not None


def identify_database(descriptor: Descriptor) -> str:
    """Compute a key for the database that a descriptor leads to, whatever is read of it."""
    text = None if descriptor.connection_string is None else descriptor.connection_string.reveal()
    options = sorted((key, value) for key, value in descriptor.options.items() if isinstance(value, str))
    place = [descriptor.type, descriptor.host, descriptor.port, descriptor.database, descriptor.path, text, options]
    return digest("service:database:v1", write_canonical_text(place))


def open_pages(
    descriptor: Descriptor, types: Mapping[str, str], limits: Limits, deadline: float
) -> tuple[SourceShape, Engine]:
    """Read a source of pages whole, and hold what was read in an engine."""
    dataset = catalog.extract_source(descriptor, ReadOptions(types=types, limits=limits), deadline)
    engine = open_engine(dataset, limits)
    shape = SourceShape(
        fields=dataset.fields,
        row_count=dataset.row_count,
        content=dataset.content,
        engine=engine.name,
        notes=dataset.notes,
    )
    return shape, engine


def open_database(
    resolve: Callable[[], Descriptor], canary: CanaryVerdict, limits: Limits, deadline: float, *, counts: bool
) -> tuple[SourceShape, SqlEngine]:
    """Open a table or query of a database, by the deadline.

    Parameters
    ----------
    resolve : callable
        Returns the descriptor; asked again for each session.
    canary : CanaryVerdict
        What is known of the database from other sources.
    counts : bool
        Whether the rows are counted, and the database's arithmetic is tried.
    """
    opened = _open_first_session(resolve(), deadline)
    engine = SqlEngine(
        lambda until: catalog.open_link(resolve(), until),
        opened.relation,
        opened.fields,
        limits,
        link=opened.link,
        trust=canary,
    )
    with close_on_error(engine):
        rows = _count_rows(engine, opened, deadline) if counts else 0
    content = Content(algorithm="live", sha256=None, size=rows)
    shape = SourceShape(fields=opened.fields, row_count=rows, content=content, engine=engine.name, notes=opened.notes)
    return shape, engine


def _open_first_session(descriptor: Descriptor, deadline: float) -> OpenedSource:
    """Open the first session in a thread that can be left: a driver that hangs must not hold up who asks."""
    unwanted = threading.Event()

    def work() -> OpenedSource:
        opened = catalog.open_source(descriptor, deadline)
        if unwanted.is_set():
            opened.link.close()
        return opened

    try:
        return Runner(lambda: None, patience_s=0.0).run(work, deadline)
    except ServiceError:
        unwanted.set()
        raise


def _count_rows(engine: SqlEngine, opened: OpenedSource, deadline: float) -> int:
    engine.is_trusted(deadline)
    plan = Plan(aggregation="count", schema_revision=hash_schema(opened.fields))
    answer = engine.aggregate(seal_plan(plan), max(deadline - time.monotonic(), 0.001))
    return sum(group.rows for group in answer.groups)


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
        with self._borrow(timeout_s) as (engine, left_s):
            return engine.aggregate(plan, left_s)

    def read_columns(self, plan: Plan, timeout_s: float | None) -> list[Vector]:
        """Read the plan's group columns, not grouped."""
        with self._borrow(timeout_s) as (engine, left_s):
            return engine.read_columns(plan, left_s)

    def inspect(self, plan: Inspection, fields: Sequence[Field], rows: int, timeout_s: float | None) -> list[Row]:
        """Show columns of the source."""
        with self._borrow(timeout_s) as (engine, left_s):
            return inspect_source(engine, plan, fields, rows, left_s)

    def list_known_values(self, name: str) -> tuple[str, ...]:
        """List the values that cost no scan; nothing is opened for them."""
        with self._state:
            engine = None if self._is_closed else self._engine
            self._users += engine is not None
        if engine is None:
            return ()
        try:
            return engine.list_known_values(name)
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

    def close_idle(self, idle_s: float) -> None:
        """Close the engine if nobody has used it for so long; the next use opens it again."""
        with self._state:
            is_idle = self._users == 0 and not self._is_opening and time.monotonic() - self._used >= idle_s
            unused = self._detach_engine() if is_idle else None
        if unused is not None:
            unused.close()

    def close(self, why: ServiceError | None = None) -> None:
        """Close the engine for good: now, or when its last user is done. Who comes later is told `why`."""
        with self._state:
            self._why = self._why or why
            self._is_closed = True
            unused = self._detach_engine() if self._users == 0 else None
            self._state.notify_all()
        if unused is not None:
            unused.close()

    def _detach_engine(self) -> Engine | None:
        engine, self._engine = self._engine, None
        return engine

    @contextmanager
    def _borrow(self, timeout_s: float | None) -> Iterator[tuple[Engine, float | None]]:
        """Lend the engine, and what is left of the time once it is open."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        engine = self._acquire_engine(deadline)
        try:
            yield engine, None if deadline is None else max(deadline - time.monotonic(), 0.001)
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
        engine: Engine | None = None
        try:
            latest = time.monotonic() + self._longest_s
            engine = self._open(latest if deadline is None else min(deadline, latest))
        finally:
            with self._state:
                self._is_opening = False
                self._engine = engine
                if engine is not None:
                    self._users, self.name = self._users + 1, engine.name
                self._state.notify_all()
        return engine

    def _release_engine(self) -> None:
        with self._state:
            self._users -= 1
            self._used = time.monotonic()
            unused = self._detach_engine() if self._is_closed and self._users == 0 else None
        if unused is not None:
            unused.close()

    def _build_closed_error(self) -> ServiceError:
        """Build the error of a call after the end: a new one for each, for errors collect tracebacks."""
        why = self._why
        if why is None:
            return SourceNotFoundError("The source was forgotten during the request.")
        return type(why)(why.message, hint=why.hint, **why.details)


def _check_deadline(deadline: float | None) -> None:
    stop = find_current_stop()
    if stop is not None and stop.is_requested:
        raise QueryInterruptedError("The question was interrupted.")
    if deadline is not None and time.monotonic() >= deadline:
        raise QueryTimeoutError("The source was not opened before the timeout.", hint="Raise `timeout`.")
