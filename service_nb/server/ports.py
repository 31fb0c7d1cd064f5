"""What the routes need of a deployment: who calls, and what a caller can reach. `tenants.py` has the one that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from service_nb.client.service import Service
from service_nb.deployment.messages import DeviceCodeAnswer, DeviceTokenAnswer, KindAnswer, Scope, SourceRequest
from service_nb.query.policy import Policy
from service_nb.schema.compute import RuntimeDescription

SCOPES: tuple[Scope, ...] = ("query", "compute", "sources", "connectors", "results", "metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whoever holds a key: its tenant, what it may do, and the id (never the key) that logs may show."""

    tenant: str
    key_id: str
    policy: Policy
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the server takes on: the table `[limits]` of the configuration."""

    body_bytes: int = 64 * 1024**2
    header_bytes: int = 32 * 1024
    body_timeout_s: float = 30.0  # for a request to arrive whole
    timeout_s: float = 300.0  # for a request to be answered; a client may ask for less
    running: int = 16
    queued: int = 256
    queue_wait_s: float = 10.0
    requests_per_s: float = 100.0  # of one key
    burst: int = 200
    attempts_per_s: float = 5.0  # of keys that are not known, from one address
    codes_per_s: float = 10 / 60  # of device codes, from one address
    codes_at_once: float = 10.0  # after a pause
    connections: int = 2_000
    drain_s: float = 30.0
    names: frozenset[str] | None = None  # by which it may be asked beside addresses; None: every one


class Reach(Protocol):
    """What one caller can reach: a service narrowed to its policy, and the verbs of its tenant's live sources.

    What its policy denies is answered as what is not there. All of it may be called from several threads at once.
    """

    @property
    def service(self) -> Service:
        """The tenant's service under the key's policy; the tenant's sources are registered in it."""
        ...

    def connect(self, asked: SourceRequest) -> Mapping[str, Any]:
        """Register a live source and return its ServiceSource; the same again is the same.

        Raises
        ------
        SourceAlreadyRegisteredError, ConnectorNotFoundError, ConnectorError, PolicyDeniedError, InvalidIntentError,
        DriverMissingError, SecretUnavailableError, UnsupportedSourceError, SourceNotFoundError
        """
        ...

    def sources(self) -> list[Mapping[str, Any]]:
        """Return the ServiceSources that the policy allows, by name. None of them is reached for it."""
        ...

    def source(self, name: str) -> Mapping[str, Any]:
        """Return one ServiceSource, or raise `source_not_found`."""
        ...

    def refresh_source(self, name: str) -> Mapping[str, Any]:
        """Describe a source as it is now and return its ServiceSource; raises `source_not_found`."""
        ...

    def forget_source(self, name: str) -> None:
        """Forget a source; what was recorded of it stays. Raises `source_not_found`."""
        ...

    def test_connector(self, descriptor: Mapping[str, Any], deadline_s: float) -> Mapping[str, Any]:
        """Return ``{"success": …, "message": …}`` by the deadline, whatever the other side does."""
        ...

    def create_connector(self, descriptor: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
        """Keep a connector and return what `wire.ConnectorAnswer` has of it."""
        ...

    def connectors(self) -> list[Mapping[str, Any]]:
        """Return the tenant's connectors, without their secrets."""
        ...

    def connector(self, connector_id: str) -> Mapping[str, Any]:
        """Return one connector, or raise `connector_not_found`."""
        ...

    def forget_connector(self, connector_id: str) -> None:
        """Forget a connector and its secrets. Raises `connector_not_found`; `forbidden` while sources use it."""
        ...


@dataclass(frozen=True, slots=True)
class Pending:
    """A device that has no key yet; `reason` as RFC 8628, 3.5 says it."""

    reason: str  # authorization_pending | slow_down | access_denied | expired_token


class Enrolment(Protocol):
    """Device codes."""

    def begin(self, client_id: str, scope: str | None, address: str = "") -> DeviceCodeAnswer:
        """Return new codes; raises `overloaded` when too many are waiting, at all or from that address."""
        ...

    def poll(self, client_id: str, device_code: str) -> DeviceTokenAnswer | Pending:
        """Return the key once it was granted, and once only."""
        ...


class Deployment(Protocol):
    """A running deployment. Everything here may block: it is called in threads."""

    @property
    def bounds(self) -> Bounds:
        """What the server takes on."""
        ...

    @property
    def enrolment(self) -> Enrolment:
        """Device codes."""
        ...

    def authenticate(self, bearer: str) -> Caller:
        """Return whoever holds the key, in a time that tells nothing; raises `unauthenticated`."""
        ...

    def reach(self, caller: Caller) -> Reach:
        """Return what the caller can reach; cheap after the tenant's first call."""
        ...

    def kinds(self) -> list[KindAnswer]:
        """Return the kinds of live sources, and whether their drivers are installed."""
        ...

    def runtime(self) -> RuntimeDescription | None:
        """Return what computes here; None while it is not there yet. Never waits for an installation."""
        ...

    def checks(self) -> dict[str, bool]:
        """Return what has to hold for requests to be taken: ``{"store": True, "runtime": True}``."""
        ...

    def close(self) -> None:
        """Let go of sources, ledgers and the store."""
        ...
