"""From a resolved descriptor to an engine: a database that plans are pushed down to, or pages that are read once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from service_nb.client.registry import engine_over
from service_nb.connectors import catalog
from service_nb.connectors.base import SqlLink
from service_nb.connectors.catalog import OpenedSource
from service_nb.core.canonical import canonical_text
from service_nb.core.digest import digest, schema_revision
from service_nb.engines.base import Engine
from service_nb.engines.running import Runner
from service_nb.engines.sql import SqlEngine, Trust
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.query.plan import sealed
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.query import Plan
from service_nb.schema.source import Content, Limits
from service_nb.server.keeping import Shape

Resolved = Callable[[], Descriptor]  # with what its secrets refer to now


@dataclass(frozen=True, slots=True)
class Reached:
    """What a source is now, and the engine that answers for it. `rows` is None where nobody counted."""

    shape: Shape
    engine: Engine


def kind_of(type_: str) -> Kind:
    """Return the kind of a type."""
    kind: Kind = catalog.load_module(type_).KIND
    return kind


class Trusts:
    """What is known of each database, by where it is: learned once, whatever is read of it. Of one tenant."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Trust] = {}

    def of(self, descriptor: Descriptor) -> Trust:
        """Return what is known of the database that a descriptor leads to."""
        text = None if descriptor.connection_string is None else descriptor.connection_string.reveal()
        options = sorted((key, value) for key, value in descriptor.options.items() if isinstance(value, str))
        place = [descriptor.type, descriptor.host, descriptor.port, descriptor.database, descriptor.path, text, options]
        with self._lock:
            return self._known.setdefault(digest("service:database:v1", canonical_text(place)), Trust())


def reached(
    resolved: Resolved,
    types: Mapping[str, str],
    limits: Limits,
    deadline: float,
    *,
    first: bool,
    trusts: Trusts,
    doubts: bool = False,
) -> Reached:
    """Open what a descriptor describes, by the deadline.

    Parameters
    ----------
    resolved : callable
        Returns the descriptor; asked again for each session.
    types : Mapping
        Declared types of columns, where it has none of its own.
    first : bool
        Whether it is connected now: then a database's rows are counted, and its arithmetic is tried.
    trusts : Trusts
        What is known of databases from other sources.
    doubts : bool, optional
        Whether nothing is believed of what is known.
    """
    descriptor = resolved()
    if kind_of(descriptor.type).dialect is None:
        return _extracted(descriptor, types, limits, deadline)
    if types:
        raise InvalidIntentError(
            "The database declares the types of its columns.",
            hint="Leave `types` out, or give the connector a query that casts.",
            path="types",
        )
    opened = _opened(descriptor, deadline)
    trust = trusts.of(descriptor)
    if doubts:
        trust.doubt()
    engine = SqlEngine(
        lambda until: _link(resolved, until),
        opened.relation,
        opened.fields,
        limits,
        link=opened.link,
        trust=trust,
    )
    try:
        rows = _counted(engine, opened, deadline) if first else 0
    except BaseException:
        engine.close()
        raise
    shape = Shape(
        fields=opened.fields,
        row_count=rows,
        content=Content(algorithm="live", sha256=None, size=rows),
        engine=engine.name,
        notes=opened.notes,
    )
    return Reached(shape, engine)


def _extracted(descriptor: Descriptor, types: Mapping[str, str], limits: Limits, deadline: float) -> Reached:
    options = ReadOptions(types=types, limits=limits)
    dataset: Dataset = catalog.load_module(descriptor.type).extract(descriptor, options, deadline)
    engine = engine_over(dataset, limits)
    shape = Shape(
        fields=dataset.fields,
        row_count=dataset.row_count,
        content=dataset.content,
        engine=engine.name,
        notes=dataset.notes,
    )
    return Reached(shape, engine)


def _opened(descriptor: Descriptor, deadline: float) -> OpenedSource:
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


def _link(resolved: Resolved, deadline: float) -> SqlLink:
    descriptor = resolved()
    link: SqlLink = catalog.load_module(descriptor.type).open_link(descriptor, deadline)
    return link


def _counted(engine: SqlEngine, opened: OpenedSource, deadline: float) -> int:
    engine.trusted(deadline)
    plan = Plan(
        source_name="",
        schema_revision=schema_revision(opened.fields),
        aggregation="count",
        metric=None,
        group_by=(),
        conditions=(),
        order="desc",
        limit=None,
        decision_path="exact_spec",
        plan_hash="",
        notes={},
    )
    answer = engine.aggregate(sealed(plan), max(deadline - time.monotonic(), 0.001))
    return sum(group.rows for group in answer.groups)
