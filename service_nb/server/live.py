"""Reach the live sources of one tenant: open their connectors, keep their sources, lend their engines."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from service_nb.client.live import LiveSource, Offered
from service_nb.client.registry import open_engine
from service_nb.connectors import catalog
from service_nb.connectors.base import SqlLink
from service_nb.connectors.catalog import OpenedSource
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import digest, hash_schema
from service_nb.core.words import describe_value
from service_nb.deployment.messages import SourceRequest
from service_nb.engines.base import Engine
from service_nb.engines.running import Runner
from service_nb.engines.sql import CanaryVerdict, SqlEngine
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError, SourceChangedError
from service_nb.query.plan import seal_plan
from service_nb.readers.base import ReadOptions
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.query import Plan
from service_nb.schema.source import Content, Limits
from service_nb.server.config import Config
from service_nb.server.guard import Guard, describe_public
from service_nb.server.lazy_engine import LazyEngine
from service_nb.server.tenant_store import (
    SourceShape,
    StoredConnector,
    StoredSource,
    TenantStore,
    build_connector,
    create_seed,
)

Resolved = Callable[[], Descriptor]  # with what its secrets refer to now


@dataclass(frozen=True, slots=True)
class ReachedSource:
    """A source as it is now, and the engine that answers for it."""

    shape: SourceShape
    engine: Engine


def find_kind(type_: str) -> Kind:
    """Return the kind of a type."""
    return catalog.find_connector(type_).kind


class TrustCache:
    """The knowledge of each database of one tenant, by its address, whatever is read of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, CanaryVerdict] = {}

    def find(self, descriptor: Descriptor) -> CanaryVerdict:
        """Find what is known of the database that a descriptor leads to."""
        text = None if descriptor.connection_string is None else descriptor.connection_string.reveal()
        options = sorted((key, value) for key, value in descriptor.options.items() if isinstance(value, str))
        place = [descriptor.type, descriptor.host, descriptor.port, descriptor.database, descriptor.path, text, options]
        with self._lock:
            return self._known.setdefault(digest("service:database:v1", write_canonical_text(place)), CanaryVerdict())


def reach_source(
    resolved: Resolved,
    types: Mapping[str, str],
    limits: Limits,
    deadline: float,
    *,
    first: bool,
    trusts: TrustCache,
    doubts: bool = False,
) -> ReachedSource:
    """Open what a descriptor describes, by the deadline.

    Parameters
    ----------
    resolved : callable
        Returns the descriptor; asked again for each session.
    types : Mapping
        Declared types of columns, where it has none of its own.
    first : bool
        Whether it is connected now: then a database's rows are counted, and its arithmetic is tried.
    trusts : TrustCache
        What is known of databases from other sources.
    doubts : bool, optional
        Whether nothing is believed of what is known.
    """
    descriptor = resolved()
    if find_kind(descriptor.type).dialect is None:
        return _extract_source(descriptor, types, limits, deadline)
    if types:
        raise InvalidIntentError(
            "The database declares the types of its columns.",
            hint="Leave `types` out, or give the connector a query that casts.",
            path="types",
        )
    opened = _open_first_session(descriptor, deadline)
    trust = trusts.find(descriptor)
    if doubts:
        trust.forget_verdict()
    engine = SqlEngine(
        lambda until: _open_link(resolved, until),
        opened.relation,
        opened.fields,
        limits,
        link=opened.link,
        trust=trust,
    )
    try:
        rows = _count_rows(engine, opened, deadline) if first else 0
    except BaseException:
        engine.close()
        raise
    shape = SourceShape(
        fields=opened.fields,
        row_count=rows,
        content=Content(algorithm="live", sha256=None, size=rows),
        engine=engine.name,
        notes=opened.notes,
    )
    return ReachedSource(shape, engine)


def _extract_source(descriptor: Descriptor, types: Mapping[str, str], limits: Limits, deadline: float) -> ReachedSource:
    options = ReadOptions(types=types, limits=limits)
    dataset = catalog.extract_source(descriptor, options, deadline)
    engine = open_engine(dataset, limits)
    shape = SourceShape(
        fields=dataset.fields,
        row_count=dataset.row_count,
        content=dataset.content,
        engine=engine.name,
        notes=dataset.notes,
    )
    return ReachedSource(shape, engine)


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


def _open_link(resolved: Resolved, deadline: float) -> SqlLink:
    descriptor = resolved()
    return catalog.open_link(descriptor, deadline)


def _count_rows(engine: SqlEngine, opened: OpenedSource, deadline: float) -> int:
    engine.trusted(deadline)
    plan = Plan(
        source_name="",
        schema_revision=hash_schema(opened.fields),
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
    answer = engine.aggregate(seal_plan(plan), max(deadline - time.monotonic(), 0.001))
    return sum(group.rows for group in answer.groups)


_NO_SHAPE = SourceShape(fields=(), row_count=0, content=Content(algorithm="live", sha256=None, size=0), engine="")
_PROBED = Limits(text_bytes=1 << 20, json_bytes=1 << 20, cells=100_000, memory_bytes=256 << 20)  # of a test
_LEAVE_S = 0.5  # of a test's deadline, to tell how it went


class TenantLive:
    """Implement `client.live.Live` over the connectors of one tenant. Thread-safe."""

    def __init__(self, store: TenantStore, guard: Guard, config: Config, limits: Limits) -> None:
        self._store, self._guard, self._config, self._limits = store, guard, config, limits
        self._trusts = TrustCache()
        self._lock = threading.Lock()
        self._engines: dict[str, LazyEngine] = {}  # by the source's name

    # --- sources --------------------------------------------------------------------------------------------------

    def connect(
        self, name: str, connector: Mapping[str, object], *, types: Mapping[str, str], aliases: Mapping[str, str]
    ) -> LiveSource:
        """Make a source of a descriptor, or return the one that it made before.

        Raises `source_already_registered` where the name is bound to something else, and what keeps it from being read.
        """
        stored = build_connector(self._guard.parse(connector), None, of_source=True)
        return self._connect(
            StoredSource(name=name, connector=stored, shape=_NO_SHAPE, types=types, aliases=aliases, seed=create_seed())
        )

    def connect_stored(self, asked: SourceRequest) -> LiveSource:
        """Make a source of a stored connector, or return the one that it made before."""
        if asked.table is not None and asked.query is not None:
            raise InvalidIntentError("There is a table and a query; expected one of them.", path="query")
        return self._connect(
            StoredSource(
                name=asked.name,
                connector=self._store.find_connector(str(asked.connector_id)),
                shape=_NO_SHAPE,
                table=asked.table,
                query=asked.query,
                types=asked.types or {},
                aliases=asked.aliases or {},
                seed=create_seed(),
            )
        )

    def _connect(self, made: StoredSource) -> LiveSource:
        known = self._store.find_same(made)
        if known is not None:
            return self._connect_again(known)
        found = self._reach_stored(made, time.monotonic() + self._choose_longest(made, first=True), first=True)
        lent = self._build_engine(made, found.shape, found.engine)
        try:
            with self._lock:  # of several that connect the same at once, one engine stays
                kept = self._store.add_source(replace(made, shape=found.shape))
                is_ours = kept.connector.id == made.connector.id and kept.name not in self._engines
                if is_ours:
                    self._engines[kept.name] = lent
        except BaseException:
            lent.close()
            raise
        if is_ours:
            return replace(_build_live_source(kept, lent), aliases=kept.aliases)
        lent.close()
        return self._build_source(kept)

    def _connect_again(self, kept: StoredSource) -> LiveSource:
        """Return a source that is connected once more: as it was, or where a database has other columns, as it is.

        What is read in pages costs as much as the first time, so it stays as it was until it is refreshed.
        """
        found = self._build_source(kept)
        if find_kind(kept.connector.descriptor.type).dialect is None:
            return found
        try:
            self._find_engine(kept).check()
        except SourceChangedError:
            return self.refresh(kept.name)
        return found

    def open(self, name: str) -> LiveSource:
        """Return a source that was connected before, or raise `source_not_found`. Nothing is reached for it."""
        return self._build_source(self._store.find_source(name))

    def open_named(self, name: str) -> LiveSource:
        """Return a source that a question names; here nothing is reached for it."""
        return self.open(name)

    def refresh(self, name: str) -> LiveSource:
        """Describe a source as it is now, with nothing believed of what was known; it stays as it was if that fails.

        Plans that were made for other columns, or pages, are not run on what is there now: they are refused.
        """
        kept = self._store.find_source(name)
        deadline = time.monotonic() + self._choose_longest(kept, first=True)
        found = self._reach_stored(kept, deadline, first=True, doubts=True)
        made = replace(kept, shape=found.shape)
        lent = self._build_engine(made, found.shape, found.engine)
        try:
            with self._lock:
                self._store.update_shape(made)
                known = self._engines.get(name)
                is_same = known is not None and made.mark == kept.mark
                if not is_same:
                    self._engines[name] = lent
        except BaseException:
            lent.close()
            raise
        if known is not None and is_same:
            known.replace(found.engine)
        elif known is not None:
            known.close(_build_changed(name, kept.shape, found.shape))
        return self.open(name)

    def _build_source(self, kept: StoredSource) -> LiveSource:
        """Return a kept source with the engine that reaches it at its first question."""
        return _build_live_source(kept, self._find_engine(kept))

    def _find_engine(self, kept: StoredSource) -> LazyEngine:
        with self._lock:
            lent = self._engines.get(kept.name)
            if lent is None:
                lent = self._engines[kept.name] = self._build_engine(kept, kept.shape, None)
        return lent

    def names(self) -> list[str]:
        """Return the names of the sources, sorted."""
        return self._store.list_names()

    @property
    def opens_by_name(self) -> bool:
        """No: here all that there is is registered."""
        return False

    def list_offered(self, wait_s: float) -> Offered:  # noqa: ARG002
        """Return nothing: every source of a tenant is registered already."""
        return Offered()

    def forget(self, name: str) -> None:
        """Forget a source and close what reaches it. Raises `source_not_found`."""
        self._store.delete_source(name)
        self.discard(name)

    def discard(self, name: str, *, is_gone: bool = True) -> None:
        """Close what reaches a source that is gone, or has become another one."""
        with self._lock:
            lent = self._engines.pop(name, None)
        if lent is not None:
            lent.close(None if is_gone else _build_described_again(name))

    # --- connectors -----------------------------------------------------------------------------------------------

    def test(self, connector: Mapping[str, object], deadline_s: float) -> dict[str, object]:
        """Try a connector: ``{"success": …, "message": …}``, by the deadline whatever the other side does."""
        limit_s = max(min(deadline_s, self._config.timeouts.connect_s) - _LEAVE_S, 0.1)
        try:
            descriptor = self._guard.resolve(self._guard.parse(connector))
            kind = find_kind(descriptor.type)
            if kind.dialect is not None:
                return catalog.try_connector(descriptor, limit_s)
            message = self._probe_pages(descriptor, time.monotonic() + limit_s)
        except LimitExceededError:
            return {"success": True, "message": "It answers, with more than a test reads."}
        except ServiceError as error:
            return {"success": False, "message": f"{error.code}: {error}"}
        return {"success": True, "message": message}

    def _probe_pages(self, descriptor: Descriptor, deadline: float) -> str:
        # In this process, unlike a database's test: these readers leave at the deadline by themselves.
        with self._guard.allow_private_hosts():
            return catalog.probe_pages(catalog.find_connector(descriptor.type), descriptor, _PROBED, deadline)

    def create(self, connector: Mapping[str, object], name: str | None) -> dict[str, object]:
        """Keep a connector without a table or query, and return its description."""
        descriptor = self._guard.parse(connector)
        for key in ("table", "query"):
            if getattr(descriptor, key) is not None:
                raise InvalidIntentError(
                    f"A stored connector has no {key}; set it on its sources.", path=f"connector.{key}"
                )
        return describe_connector(self._store.add_connector(descriptor, name))

    def connectors(self) -> list[dict[str, object]]:
        """Return the connectors that were made as such, by age, without their secrets."""
        return [describe_connector(each) for each in self._store.list_connectors()]

    def forget_connector(self, connector_id: str) -> None:
        """Forget a connector and its secrets. Raises `connector_not_found`; `forbidden` while sources use it."""
        self._store.delete_connector(connector_id)

    def close_idle(self, idle_s: float) -> None:
        """Close what nobody has used for so long."""
        with self._lock:
            engines = list(self._engines.values())
        for lent in engines:
            lent.close_idle(idle_s)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            engines, self._engines = list(self._engines.values()), {}
        for lent in engines:
            lent.close()

    # --- reaching -------------------------------------------------------------------------------------------------

    def _build_engine(self, kept: StoredSource, shape: SourceShape, engine: Engine | None) -> LazyEngine:
        def reopen(deadline: float) -> Engine:
            found = self._reach_stored(kept, deadline, first=False)
            if (found.shape.fields, found.shape.content.sha256) != (shape.fields, shape.content.sha256):
                found.engine.close()
                raise _build_changed(kept.name, shape, found.shape)
            return found.engine

        return LazyEngine(shape.engine, reopen, self._choose_longest(kept, first=False), engine)

    def _choose_longest(self, kept: StoredSource, *, first: bool) -> float:
        """Reading pages, or counting rows, takes longer than opening a session."""
        is_read = first or find_kind(kept.connector.descriptor.type).dialect is None
        return self._config.timeouts.request_s if is_read else self._config.timeouts.connect_s

    def _reach_stored(self, kept: StoredSource, deadline: float, *, first: bool, doubts: bool = False) -> ReachedSource:
        with self._guard.allow_private_hosts():
            return reach_source(
                lambda: self._guard.resolve(kept.descriptor),
                kept.types,
                self._limits,
                deadline,
                first=first,
                trusts=self._trusts,
                doubts=doubts,
            )


def describe_connector(connector: StoredConnector) -> dict[str, object]:
    """Describe a connector without its secrets."""
    descriptor = describe_public(connector.descriptor)
    return {
        "id": connector.id,
        "type": connector.descriptor.type,
        "name": connector.name,
        "created": connector.created,
        "descriptor": descriptor,
    }


def _build_live_source(kept: StoredSource, lent: LazyEngine) -> LiveSource:
    columns = {each.name for each in kept.shape.fields}
    # Columns may have come and gone since it was connected; then, an alias that fits nothing was refused.
    fit = [alias for alias, column in kept.aliases.items() if column in columns and alias not in columns]
    return LiveSource(
        name=kept.name,
        fields=kept.shape.fields,
        row_count=kept.shape.row_count,
        content=kept.shape.content,
        engine=lent,
        notes=kept.shape.notes,
        aliases={alias: kept.aliases[alias] for alias in fit},
        reading=ReadOptions(types=kept.types).reading,
        mark=kept.mark,
    )


def _build_described_again(name: str) -> SourceChangedError:
    return SourceChangedError(
        f"{describe_value(name)} was described again during the request.",
        hint="`refresh` describes it as it is now; plans of before are refused then.",
        changed="source",
    )


def _build_changed(name: str, expected: SourceShape, met: SourceShape) -> SourceChangedError:
    what = "content" if met.fields == expected.fields else "columns"
    return SourceChangedError(
        f"The {what} of {describe_value(name)} have changed since it was connected."
        if what == "columns"
        else f"The content of {describe_value(name)} has changed since it was connected.",
        hint="Run `refresh` to describe it again; older plans are refused from then on.",
        changed=what,
        met=met.content.sha256,
        expected=expected.content.sha256,
    )
