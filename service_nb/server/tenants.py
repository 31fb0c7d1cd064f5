"""A running deployment: its tenants, each with sources, connectors and a ledger that no other ever sees."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from service_nb.client.compose import compose
from service_nb.client.context import LazyRuntime, Library
from service_nb.client.live import LiveSource
from service_nb.client.record import Recorder, read_local_clock
from service_nb.client.registry import Registry
from service_nb.client.service import Service
from service_nb.connectors import catalog
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value
from service_nb.deployment.messages import KindAnswer, SourceRequest
from service_nb.errors import InvalidIntentError, ServiceError, SourceNotFoundError
from service_nb.query.policy import Policy, hide_column_names, hide_test_message
from service_nb.query.spec import MAX_NAME
from service_nb.runtimes.base import read_packaged_contract
from service_nb.schema.compute import RuntimeDescription
from service_nb.schema.source import Limits
from service_nb.server.config import Bounds, Config
from service_nb.server.guard import Guard
from service_nb.server.keys import Caller, DeviceCodes, Keys
from service_nb.server.live import TenantLive, describe_connector
from service_nb.server.secrets import Vault
from service_nb.server.store import Store
from service_nb.server.tenant_store import TenantStore, build_connector_binding, migrate_sources

_POLICIES = 256  # of a tenant that are remembered
_LOOK_S = 5.0  # between two looks for what is idle


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
        self._codes = DeviceCodes(self._store, config.enrolment, config.public_address)
        self._library = Library(read_packaged_contract)
        self._runtime = LazyRuntime(config.runtime.kind, config.runtime.modules, mode="deployment")
        self._tenants: dict[str, Tenant] = {}
        self._lock = threading.Lock()
        self._described: RuntimeDescription | None = None
        self._ended = threading.Event()
        self._reaper = threading.Thread(target=self._close_idle, name="service-nb-idle", daemon=True)
        try:
            _check_vault(self._store, self._vault)
            migrate_sources(self._store, self._vault)
        except BaseException:
            self._store.close()
            raise
        self._reaper.start()

    @property
    def bounds(self) -> Bounds:
        """The limits of the server."""
        return self.config.bounds

    @property
    def enrolment(self) -> DeviceCodes:
        """Device codes."""
        return self._codes

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
            tenant.base.close()
        self._runtime.close()
        self._store.close()

    def _create_tenant(self, name: str) -> Tenant:
        config = self.config
        folder = config.data / "tenants" / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the ledger is made in it, with the first outcome
        kept = TenantStore(self._store, self._vault, name, config.connectors.most)
        limits = Limits(groups=config.limits.groups, memory_bytes=config.limits.memory_bytes)
        live = TenantLive(kept, Guard(config=config, tenant=name), config, limits)
        ledger = folder / "ledger" if config.ledger.enabled else None
        registry = Registry()
        base = compose(
            project=folder,
            library=self._library,
            runtime=self._runtime,
            recorder=Recorder(folder=ledger, tenant=name, clock=read_local_clock),
            timeout_s=config.timeouts.request_s,
            limits=limits,
            mode="deployment",
            live=live,
            registry=registry,
        )
        return Tenant(base, registry, kept, live, self._store.read_version)

    def _close_idle(self) -> None:
        """Close what is idle, until the deployment ends."""
        while not self._ended.wait(min(_LOOK_S, self.config.connectors.idle_s)):
            with self._lock:
                tenants = list(self._tenants.values())
            for tenant in tenants:
                tenant.live.close_idle(self.config.connectors.idle_s)


class Tenant:
    """One tenant: its service, the same under each policy, and what it keeps."""

    def __init__(
        self, base: Service, registry: Registry, kept: TenantStore, live: TenantLive, version: Callable[[], int]
    ) -> None:
        self.base, self.registry, self.kept, self.live = base, registry, kept, live
        self._version = version
        self._lock = threading.RLock()
        self._followed: int | None = None
        self._known: dict[str, tuple[object, ...]] = {}
        self._services: OrderedDict[str, Service] = OrderedDict()

    def follow(self) -> None:
        """Register what the store has and forget what it has no longer: after a start, or when another process wrote.

        No source is reached for it.
        """
        version = self._version()
        if version == self._followed:
            return
        with self._lock:
            if version == self._followed:
                return
            marks = self.kept.read_versions()
            for name in [name for name in self._known if name not in marks]:
                self.live.discard(name)
                self._forget(name)
            for name in [name for name, mark in marks.items() if self._known.get(name) != mark]:
                self.live.discard(name, is_gone=False)
                with suppress(SourceNotFoundError):  # forgotten meanwhile
                    self.register(self.live.open(name))
            self._followed = version

    def register(self, source: LiveSource, visible: Callable[[str], bool] = lambda _: True) -> None:
        """Register a source that the store has, in the place of what it was before."""
        with self._lock:
            self.registry.add_live(source, visible=visible, limits=self.base.limits, anew=True)
            mark = self.kept.read_versions().get(source.name)
            if mark is not None:
                self._known[source.name] = mark

    def refresh(self, name: str) -> None:
        """Describe a source as it is now, in the store and here. Raises `source_not_found`."""
        self.live.refresh(name)
        with self._lock:  # of two at once, both register what the store has in the end
            self.register(self.live.open(name))

    def forget(self, name: str) -> None:
        """Forget a source, in the store and here. Raises `source_not_found`."""
        with self._lock:
            self.live.forget(name)
            self._forget(name)

    def _forget(self, name: str) -> None:
        self._known.pop(name, None)
        self.registry.remove(name)

    def find_service(self, policy: Policy) -> Service:
        """Return the service under a policy; remembered, for it remembers answers."""
        text = write_canonical_text(policy.to_dict())
        with self._lock:
            found = self._services.get(text)
            if found is None:
                found = self._services[text] = self.base.under(policy)
            self._services.move_to_end(text)
            while len(self._services) > _POLICIES:
                self._services.popitem(last=False)
            return found


class TenantReach:
    """The service and live sources of one caller, under its policy: what is denied is not there."""

    def __init__(self, tenant: Tenant, service: Service) -> None:
        self._tenant, self._service = tenant, service

    @property
    def service(self) -> Service:
        """The tenant's service under the key's policy."""
        return self._service

    def connect(self, asked: SourceRequest) -> Mapping[str, Any]:
        """Register a live source and return its ServiceSource."""
        _check_name(asked.name, "name")
        types, aliases = asked.types or {}, asked.aliases or {}
        policy = self._service.policy
        policy.require_source(asked.name)
        self._check_fields_allowed(asked.name, [*types, *aliases.values()])
        with hide_column_names(policy, asked.name, "connected"):
            source = self._connect(asked, types, aliases)
        try:
            self._tenant.register(source, lambda field: policy.allows_field(asked.name, field))
        except InvalidIntentError:  # an alias that stands for no column: then there is no such source
            self._tenant.forget(asked.name)
            raise
        return self.source(asked.name)

    def _connect(self, asked: SourceRequest, types: Mapping[str, str], aliases: Mapping[str, str]) -> LiveSource:
        live = self._tenant.live
        if asked.descriptor is not None:
            return live.connect(asked.name, asked.descriptor, types=types, aliases=aliases)
        return live.connect_stored(asked)

    def sources(self) -> list[Mapping[str, Any]]:
        """Return the ServiceSources that the policy allows, by name."""
        return [self._add_mark(source) for source in self._service.sources()]

    def source(self, name: str) -> Mapping[str, Any]:
        """Return one ServiceSource, or raise `source_not_found`."""
        self._check_source_allowed(name)
        return self._add_mark(self._service.source(name))

    def _add_mark(self, source: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a ServiceSource with the mark that a plan for it may carry."""
        with suppress(SourceNotFoundError):  # forgotten meanwhile
            mark = self._tenant.registry.get(source["name"]).mark
            return source if mark is None else {**source, "mark": mark}
        return source

    def refresh_source(self, name: str) -> Mapping[str, object]:
        """Describe a source as it is now and return its ServiceSource."""
        self._check_source_allowed(name)
        with hide_column_names(self._service.policy, name, "refreshed"):
            self._tenant.refresh(name)
        return self.source(name)

    def forget_source(self, name: str) -> None:
        """Forget a source; what was recorded of it stays."""
        self._check_source_allowed(name)
        self._tenant.forget(name)

    def test_connector(self, descriptor: Mapping[str, object], deadline_s: float) -> Mapping[str, object]:
        """Return ``{"success": …, "message": …}`` by the deadline."""
        return hide_test_message(self._service.policy, self._tenant.live.test(descriptor, deadline_s))

    def create_connector(self, descriptor: Mapping[str, object], name: str | None) -> Mapping[str, object]:
        """Keep a connector and return its description."""
        if name is not None:
            _check_name(name, "name")
        return self._tenant.live.create(descriptor, name)

    def connectors(self) -> list[Mapping[str, object]]:
        """Return the tenant's connectors, without their secrets."""
        return list(self._tenant.live.connectors())

    def connector(self, connector_id: str) -> Mapping[str, object]:
        """Return one connector, or raise `connector_not_found`."""
        return describe_connector(self._tenant.kept.find_connector(connector_id))

    def forget_connector(self, connector_id: str) -> None:
        """Forget a connector and its secrets."""
        self._tenant.live.forget_connector(connector_id)

    def _check_source_allowed(self, name: str) -> None:
        if not self._service.policy.allows_source(name):  # in the words of the registry
            raise SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)

    def _check_fields_allowed(self, source: str, names: list[str]) -> None:
        policy = self._service.policy
        for name in names:
            if not policy.allows_field(source, name):
                raise InvalidIntentError(
                    f"{describe_value(name)} is not a column of {describe_value(source)}.", path="types", met=name
                )


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
