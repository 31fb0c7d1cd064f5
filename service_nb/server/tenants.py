"""A running deployment: its tenants, each with sources, connectors and a ledger that no other ever sees."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from service_nb.client.context import Cache, LazyRuntime, Library
from service_nb.client.factory import compose
from service_nb.client.live_sources import LiveSource
from service_nb.client.record import Recorder, read_local_clock
from service_nb.client.registry import Registry
from service_nb.client.results import ServiceSource
from service_nb.client.service import Service
from service_nb.connectors import catalog
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.deployment.messages import KindAnswer, SourceRequest
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.engine import Engine
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.query.policy import Policy, hide_column_names
from service_nb.query.spec import MAX_NAME
from service_nb.readers.dataset import ReadOptions
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.schema.compute import RuntimeDescription
from service_nb.schema.source import Content, Limits
from service_nb.server.bundle_shelf import BundleShelf
from service_nb.server.config import Config
from service_nb.server.deployment_store import Store, close_on_error
from service_nb.server.guard import Guard, describe_public
from service_nb.server.keys import Caller, DeviceCodes, Keys, format_time
from service_nb.server.secrets import Vault
from service_nb.server.source_engines import LazyEngine, identify_database, is_database, open_database, open_pages
from service_nb.server.tenant_store import (
    SourceShape,
    StoredConnector,
    StoredSource,
    TenantStore,
    build_connector,
    build_connector_binding,
    migrate_sources,
)

_POLICIES = 256  # of a tenant that are remembered
_LOOK_S = 5.0  # between two looks for what is idle
_NO_SHAPE = SourceShape(fields=(), row_count=0, content=Content(algorithm="live", sha256=None, size=0), engine="")
_PROBED = Limits(text_bytes=1 << 20, json_bytes=1 << 20, cells=100_000, memory_bytes=256 << 20)  # of a test
_LEAVE_S = 0.5  # of a test's deadline, to tell how it went


class Deployment:
    """A running deployment, as `deployment.toml` has it. Everything here may block: it is called in threads.

    Raises
    ------
    DeploymentUnavailableError [deployment_unavailable], SecretUnavailableError [secret_unavailable],
    RuntimeProvisionError [runtime_provision_failed]
        The store cannot be opened, the master key is not there or is another one, the data folder is not private.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._vault = Vault(config.secrets.master_key, Path(config.folder))
        self._store = Store(config.data)
        self._keys = Keys(self._store)
        self.enrolment = DeviceCodes(self._store, config.enrolment, config.public_address)
        bundles = config.runtime.bundles
        self.bundles = BundleShelf(config.resolve_path(bundles) if bundles else None, config.data / "selections")
        self._library = Library(map_packaged_contract)
        self._runtime = LazyRuntime(config.runtime.kind, config.runtime.modules, mode="deployment")
        self._tenants: dict[str, Tenant] = {}
        self._lock = threading.Lock()
        self._described: RuntimeDescription | None = None
        self._ended = threading.Event()
        self._reaper = threading.Thread(target=self._close_idle, name="service-nb-idle", daemon=True)
        with close_on_error(self._store):
            _check_vault(self._store, self._vault)
            migrate_sources(self._store, self._vault)
        self._reaper.start()

    def authenticate(self, bearer: str) -> Caller:
        """Return whoever holds the key; raises `unauthenticated`."""
        return self._keys.authenticate(bearer)

    def reach(self, caller: Caller) -> TenantReach:
        """Open the tenant of a caller, under the caller's policy."""
        with self._lock:
            tenant = self._tenants.get(caller.tenant)
            if tenant is None:
                tenant = self._tenants[caller.tenant] = self._create_tenant(caller.tenant)
        tenant.follow()
        return TenantReach(tenant, tenant.find_service(caller.policy))

    def check_health(self) -> dict[str, bool]:
        """Check what has to hold for requests to be taken."""
        return {"store": self._store.is_healthy()}

    def list_kinds(self) -> list[KindAnswer]:
        """Return the kinds of live sources that may be connected, and whether their drivers are installed."""
        types = self.config.connectors.types
        return [
            _describe_kind(type_) for type_ in catalog.TYPES if (not types or type_ in types) and _is_importable(type_)
        ]

    def describe_runtime(self) -> RuntimeDescription | None:
        """Describe the runtime; None while it is not installed. It is started for it, and never installed."""
        if self._described is None and self._is_installed():
            with suppress(ServiceError):
                self._described = self._runtime.get().describe()
        return self._described

    def _is_installed(self) -> bool:
        if self.config.runtime.kind != "managed":
            return True
        from service_nb.runtimes.provision import find_installed  # noqa: PLC0415  # lazy: what only asks loads no runtime

        return find_installed(tuple(sorted(set(self.config.runtime.modules)))) is not None

    def close(self) -> None:
        """Close the sources, the ledgers and the store."""
        self._ended.set()
        self._reaper.join()
        with self._lock:
            tenants, self._tenants = list(self._tenants.values()), {}
        for tenant in tenants:
            tenant.close()
        self._runtime.close()
        self._store.close()

    def _create_tenant(self, name: str) -> Tenant:
        config = self.config
        folder = config.data / "tenants" / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the ledger is made in it, with the first outcome
        registry = Registry()
        base = compose(
            project=folder,
            library=self._library,
            runtime=self._runtime,
            recorder=Recorder(
                folder=folder / "ledger" if config.ledger.enabled else None, tenant=name, clock=read_local_clock
            ),
            timeout_s=config.timeouts.request_s,
            limits=Limits(groups=config.limits.groups, memory_bytes=config.limits.memory_bytes),
            mode="deployment",
            registry=registry,
            is_whole=True,
        )
        store = TenantStore(self._store, self._vault, name, config.connectors.most)
        return Tenant(base, registry, store, Guard(config=config, tenant=name), self._store.read_version)

    def _close_idle(self) -> None:
        """Close what is idle, until the deployment ends."""
        while not self._ended.wait(min(_LOOK_S, self.config.connectors.idle_s)):
            with self._lock:
                tenants = list(self._tenants.values())
            for tenant in tenants:
                tenant.close_idle(self.config.connectors.idle_s)


class Tenant:
    """One tenant: its sources, the engines that reach them, and its service under each policy. Thread-safe."""

    def __init__(
        self, base: Service, registry: Registry, store: TenantStore, guard: Guard, read_version: Callable[[], int]
    ) -> None:
        self.base, self.store = base, store
        self.registry, self._guard, self._read_version = registry, guard, read_version
        self._timeouts = guard.config.timeouts
        self._lock = threading.RLock()
        self._followed: int | None = None
        self._versions: dict[str, object] = {}  # of the registered sources, as the store has them
        self._engines: dict[str, LazyEngine] = {}  # by the source's name
        self._canaries: dict[str, CanaryVerdict] = {}  # by database, whatever is read of it
        self._services: Cache[Service] = Cache(_POLICIES)
        self._found: Cache[tuple[Policy, Service]] = Cache(_POLICIES)  # by the identity of the policy, which is held

    def find_service(self, policy: Policy) -> Service:
        """Return the service under a policy; remembered, for it remembers answers."""
        same = self._found.get(id(policy))
        if same is not None and same[0] is policy:  # a key's policy is the same object at each request
            return same[1]
        text = write_canonical_text(policy.to_dict())
        found = self._services.get(text)
        if found is None:
            found = self.base.under(policy)
            self._services.put(text, found)
        self._found.put(id(policy), (policy, found))
        return found

    # --- what the store has, as it is registered ------------------------------------------------------------------

    def follow(self) -> None:
        """Register what the store has and forget what it has no longer: after a start, or when another process wrote.

        No source is reached for it.
        """
        version = self._read_version()
        if version == self._followed:
            return
        with self._lock:
            if version == self._followed:
                return
            versions = self.store.read_versions()
            for name in self._versions.keys() - versions.keys():
                self._drop(name)
            for name, met in versions.items():
                if self._versions.get(name) != met:
                    self._close_engine(name, _build_described_again(name))
                    with suppress(SourceNotFoundError):  # forgotten meanwhile
                        self.register(self._open(self.store.find_source(name)))
            self._followed = version

    def register(self, source: LiveSource, visible: Callable[[str], bool] = lambda _: True) -> None:
        """Register a source that the store has, in the place of what it was before."""
        with self._lock:
            self.registry.add_live(source, visible=visible, limits=self.base.limits, anew=True)
            version = self.store.read_version(source.name)
            if version is not None:
                self._versions[source.name] = version

    def forget(self, name: str) -> None:
        """Forget a source, in the store and here. Raises `source_not_found`."""
        with self._lock:
            self.store.delete_source(name)
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._close_engine(name)
        self._versions.pop(name, None)
        self.registry.remove(name)

    def _close_engine(self, name: str, why: ServiceError | None = None) -> None:
        """Close what reaches a source that is gone, or, as `why` says, has become another one."""
        with self._lock:
            engine = self._engines.pop(name, None)
        if engine is not None:
            engine.close(why)

    # --- what is reached ------------------------------------------------------------------------------------------

    def connect(self, asked: SourceRequest) -> LiveSource:
        """Make a source, or return the one that was made before. It is not registered yet.

        Raises `source_already_registered` where the name is bound to something else, and what keeps it from being read.
        """
        if asked.table is not None and asked.query is not None:
            raise InvalidIntentError("There is a table and a query; expected one of them.", path="query")
        if asked.descriptor is None:
            connector = self.store.find_connector(str(asked.connector_id))
        else:
            connector = build_connector(self._guard.parse(asked.descriptor), None, of_source=True)
        wanted = StoredSource(
            name=asked.name,
            connector=connector,
            shape=_NO_SHAPE,
            table=asked.table,
            query=asked.query,
            types=asked.types or {},
            aliases=asked.aliases or {},
            seed=secrets.token_hex(16),
        )
        known = self.store.find_same(wanted)
        if known is not None:
            return self._connect_again(known)
        made, engine = self._reach(wanted, time.monotonic() + self._timeouts.request_s, counts=True)
        lent = self._build_engine(made, engine)
        with close_on_error(lent), self._lock:  # of several that connect the same at once, one engine stays
            kept = self.store.add_source(made)
            is_ours = kept.connector.id == made.connector.id and kept.name not in self._engines
            if is_ours:
                self._engines[kept.name] = lent
        if is_ours:
            return replace(_build_live_source(kept, lent), aliases=kept.aliases)
        lent.close()
        return self._open(kept)

    def _connect_again(self, kept: StoredSource) -> LiveSource:
        """Return a source that is connected once more: as it was, or where a database has other columns, as it is.

        What is read in pages costs as much as the first time, so it stays as it was until it is refreshed.
        """
        if is_database(kept.connector.descriptor.type):
            try:
                self._find_engine(kept).check()
            except SourceChangedError:
                self.refresh(kept.name)
                kept = self.store.find_source(kept.name)
        return self._open(kept)

    def refresh(self, name: str) -> None:
        """Describe a source as it is now, with nothing believed of what was known; it stays as it was if that fails.

        Plans that were made for other columns, or pages, are not run on what is there now: they are refused.
        """
        kept = self.store.find_source(name)
        made, engine = self._reach(kept, time.monotonic() + self._timeouts.request_s, counts=True, believes=False)
        lent = self._build_engine(made, engine)
        with close_on_error(lent), self._lock:
            self.store.update_shape(made)
            known = self._engines.get(name)
            is_same = known is not None and made.mark == kept.mark
            if not is_same:
                self._engines[name] = lent
        if known is not None and is_same:
            known.replace(engine)
        elif known is not None:
            known.close(_build_changed(name, kept.shape, made.shape))
        with self._lock:  # of two at once, both register what the store has in the end
            self.register(self._open(self.store.find_source(name)))

    def test_connector(self, descriptor: Mapping[str, object], deadline_s: float) -> dict[str, object]:
        """Try a connector: ``{"success": …, "message": …}``, by the deadline whatever the other side does."""
        limit_s = max(min(deadline_s, self._timeouts.connect_s) - _LEAVE_S, 0.1)
        try:
            resolved = self._guard.resolve(self._guard.parse(descriptor))
            if is_database(resolved.type):
                return catalog.try_connector(resolved, limit_s)
            # In this process, unlike a database's test: these readers leave at the deadline by themselves.
            connector, deadline = catalog.find_connector(resolved.type), time.monotonic() + limit_s
            with self._guard.allow_private_hosts():
                return {"success": True, "message": catalog.probe_pages(connector, resolved, _PROBED, deadline)}
        except LimitExceededError:
            return {"success": True, "message": "It answers, with more than a test reads."}
        except ServiceError as error:
            return {"success": False, "message": f"{error.code}: {error}", "code": error.code}

    def create_connector(self, given: Mapping[str, object], name: str | None) -> dict[str, object]:
        """Keep a connector without a table or query, and return its description."""
        if name is not None:
            _check_name(name, "name")
        descriptor = self._guard.parse(given)
        for key in ("table", "query"):
            if getattr(descriptor, key) is not None:
                raise InvalidIntentError(
                    f"A stored connector has no {key}; set it on its sources.", path=f"connector.{key}"
                )
        return describe_connector(self.store.add_connector(descriptor, name))

    def close_idle(self, idle_s: float) -> None:
        """Close what nobody has used for so long."""
        with self._lock:
            engines = list(self._engines.values())
        for lent in engines:
            lent.close_idle(idle_s)

    def close(self) -> None:
        """Close the service, and all connections."""
        self.base.close()
        with self._lock:
            engines, self._engines = list(self._engines.values()), {}
        for lent in engines:
            lent.close()

    def _open(self, kept: StoredSource) -> LiveSource:
        """Return a kept source with the engine that reaches it at its first question."""
        return _build_live_source(kept, self._find_engine(kept))

    def _find_engine(self, kept: StoredSource) -> LazyEngine:
        with self._lock:
            lent = self._engines.get(kept.name)
            if lent is None:
                lent = self._engines[kept.name] = self._build_engine(kept)
        return lent

    def _build_engine(self, kept: StoredSource, engine: Engine | None = None) -> LazyEngine:
        def reopen(deadline: float) -> Engine:
            found, opened = self._reach(kept, deadline)
            if (found.shape.fields, found.shape.content.sha256) != (kept.shape.fields, kept.shape.content.sha256):
                opened.close()
                raise _build_changed(kept.name, kept.shape, found.shape)
            return opened

        is_quick = is_database(kept.connector.descriptor.type)  # to open a session, unlike reading pages
        longest_s = self._timeouts.connect_s if is_quick else self._timeouts.request_s
        return LazyEngine(kept.shape.engine, reopen, longest_s, engine)

    def _reach(
        self, kept: StoredSource, deadline: float, *, counts: bool = False, believes: bool = True
    ) -> tuple[StoredSource, Engine]:
        """Open a source, and return it as it is now; `believes`: what is known of its database holds."""
        limits = self.base.limits
        with self._guard.allow_private_hosts():
            descriptor = self._guard.resolve(kept.descriptor)
            if not is_database(descriptor.type):
                shape, engine = open_pages(descriptor, kept.types, limits, deadline)
                return replace(kept, shape=shape), engine
            if kept.types:
                raise InvalidIntentError(
                    "The database declares the types of its columns.",
                    hint="Leave `types` out, or give the connector a query that casts.",
                    path="types",
                )
            canary = self._canaries.setdefault(identify_database(descriptor), CanaryVerdict())
            if not believes:
                canary.forget_verdict()
            resolve = partial(self._guard.resolve, kept.descriptor)
            opened, database = open_database(resolve, canary, limits, deadline, counts=counts)
            return replace(kept, shape=opened), database


@dataclass(frozen=True, slots=True)
class TenantReach:
    """A tenant as one caller reaches it, under its policy: what is denied is not there."""

    tenant: Tenant
    service: Service

    def connect(self, asked: SourceRequest) -> Mapping[str, object]:
        """Register a live source and return its ServiceSource."""
        _check_name(asked.name, "name")
        policy = self.service.policy
        policy.require_source(asked.name)
        for column in (*(asked.types or {}), *(asked.aliases or {}).values()):
            if not policy.allows_field(asked.name, column):
                raise InvalidIntentError(
                    f"{describe_value(column)} is not a column of {describe_value(asked.name)}.",
                    path="types",
                    met=column,
                )
        with hide_column_names(policy, asked.name, "connected"):
            source = self.tenant.connect(asked)
        try:
            self.tenant.register(source, lambda field: policy.allows_field(asked.name, field))
        except InvalidIntentError:  # an alias that stands for no column: then there is no such source
            self.tenant.forget(asked.name)
            raise
        return self.describe_source(asked.name)

    def list_sources(self) -> list[Mapping[str, object]]:
        """List the ServiceSources that the policy allows, by name."""
        return [self._add_engine_and_mark(source) for source in self.service.sources()]

    def describe_source(self, name: str) -> Mapping[str, object]:
        """Return one ServiceSource, or raise `source_not_found`."""
        self._check_source_allowed(name)
        return self._add_engine_and_mark(self.service.source(name))

    def refresh_source(self, name: str) -> Mapping[str, object]:
        """Describe a source as it is now and return its ServiceSource."""
        self._check_source_allowed(name)
        with hide_column_names(self.service.policy, name, "refreshed"):
            self.tenant.refresh(name)
        return self.describe_source(name)

    def forget_source(self, name: str) -> None:
        """Forget a source; what was recorded of it stays."""
        self._check_source_allowed(name)
        self.tenant.forget(name)

    def _add_engine_and_mark(self, source: ServiceSource) -> Mapping[str, object]:
        """Return a ServiceSource with the engine that answers for it, and the mark that a plan for it may carry."""
        registered = self.tenant.registry.find(source["name"])  # None: forgotten meanwhile
        if registered is None:
            return source
        told = {"engine": registered.engine.name, "mark": registered.mark}
        return {**source, **{key: value for key, value in told.items() if value is not None}}

    def _check_source_allowed(self, name: str) -> None:
        if not self.service.policy.allows_source(name):  # in the words of the registry
            raise SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)


def _check_name(name: str, path: str) -> None:
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise InvalidIntentError(
            f"The name is {describe_value(name)}; expected printable text.", path=path, met=describe_value(name)
        )


def _check_vault(store: Store, vault: Vault) -> None:
    """Find out now, rather than at somebody's question, that the master key is another one."""
    for row in store.select("SELECT *, max(created) FROM connector GROUP BY key_id"):  # the newest of each key
        vault.open(row["key_id"], row["sealed"], *build_connector_binding(row))


@cache
def _describe_kind(type_: str) -> KindAnswer:
    kind = catalog.find_connector(type_).kind
    return KindAnswer(
        type=kind.type,
        title=kind.title,
        group=kind.group,
        keys=list(kind.keys),
        options=dict(kind.options),
        secrets=[*(key for key in catalog.SECRETS if key in kind.keys), *kind.secrets],
        extra=kind.extra,
        installed=kind.driver is None or _is_module_installed(kind.driver),
    )


@cache
def _is_importable(type_: str) -> bool:
    try:
        return catalog.find_connector(type_).name == type_
    except (ImportError, InvalidIntentError):  # a file is read where it is
        return False


def _is_module_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a parent package is not there
        return False


def describe_connector(connector: StoredConnector) -> dict[str, object]:
    """Describe a connector without its secrets."""
    descriptor = describe_public(connector.descriptor)
    return {
        "id": connector.id,
        "type": connector.descriptor.type,
        "name": connector.name,
        "created": format_time(connector.created),
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
