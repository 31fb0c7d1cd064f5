"""A small deployment on a real socket: a real server, real Services, keys by hand, sources of rows and DuckDB."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from service_nb import create_service
from service_nb.deployment.asked import SourceRequest
from service_nb.deployment.wire import DeviceCodeAnswer, DeviceTokenAnswer, KindAnswer, Scope
from service_nb.errors import ConnectorNotFoundError, SourceAlreadyRegisteredError, UnauthenticatedError
from service_nb.query.policy import Policy
from service_nb.records.compute import RuntimeDescription
from service_nb.server.ports import SCOPES, Bounds, Caller, Enrolment, Pending, Reach
from service_nb.server.serving import Server, bind, server
from service_nb.service import Service

ROWS = [
    {"region": "north", "revenue": 0.1, "units": 3, "day": "2024-01-31"},
    {"region": "south", "revenue": 0.2, "units": 9_007_199_254_740_993, "day": "2024-02-01"},
    {"region": "north", "revenue": 0.3, "units": 1, "day": None},
]
WIDE = Bounds(requests_per_s=100_000.0, burst=100_000, attempts_per_s=100_000.0)


@dataclass
class Codes:
    """Device codes: granted as soon as they are asked for a second time."""

    asked: int = 0

    def begin(self, client_id: str, scope: str | None) -> DeviceCodeAnswer:
        assert (client_id and scope is None) or isinstance(scope, str)
        return DeviceCodeAnswer(
            device_code="d" * 40,
            user_code="BCDF-GHJK",
            verification_uri="http://localhost/",
            expires_in=600,
            interval=5,
        )

    def poll(self, client_id: str, device_code: str) -> DeviceTokenAnswer | Pending:
        assert client_id
        assert device_code
        self.asked += 1
        return Pending("authorization_pending") if self.asked == 1 else DeviceTokenAnswer(
            access_token="granted", token_type="Bearer"
        )  # fmt: skip


@dataclass
class OneReach:
    """What a caller reaches: its tenant's service, and connectors that are kept in memory."""

    service: Service
    kept: dict[str, dict[str, Any]]

    def connect(self, asked: SourceRequest) -> Mapping[str, Any]:
        if asked.connector_id is not None:
            self.connector(asked.connector_id)
        rows = json.loads((asked.descriptor or {}).get("query") or asked.query or "[]")
        return self.service.connect(rows, name=asked.name, aliases=asked.aliases, types=asked.types)

    def sources(self) -> list[Mapping[str, Any]]:
        return list(self.service.sources())

    def source(self, name: str) -> Mapping[str, Any]:
        return self.service.source(name)

    def forget_source(self, name: str) -> None:
        self.service.source(name)
        raise SourceAlreadyRegisteredError("kept for the tests") if name == "kept" else UnboundLocalError(name)

    def test_connector(self, descriptor: Mapping[str, Any], deadline_s: float) -> Mapping[str, Any]:
        assert deadline_s > 0
        return {"success": descriptor.get("type") == "rows", "message": "tried"}

    def create_connector(self, descriptor: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
        made = {"id": f"connector_{len(self.kept):016x}", "type": str(descriptor.get("type")), "name": name}
        self.kept[made["id"] or ""] = made
        return made

    def connectors(self) -> list[Mapping[str, Any]]:
        return list(self.kept.values())

    def connector(self, connector_id: str) -> Mapping[str, Any]:
        try:
            return self.kept[connector_id]
        except KeyError:
            raise ConnectorNotFoundError("There is none.") from None

    def forget_connector(self, connector_id: str) -> None:
        self.connector(connector_id)
        del self.kept[connector_id]


@dataclass
class Small:
    """A deployment of two tenants."""

    services: dict[str, Service]
    bounds: Bounds = WIDE
    enrolment: Enrolment = field(default_factory=Codes)
    callers: dict[bytes, Caller] = field(default_factory=dict)
    kept: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    health: dict[str, bool] = field(default_factory=lambda: {"store": True})

    def key(self, text: str, tenant: str, *scopes: Scope, policy: Policy | None = None) -> str:
        """Have a key of a tenant, with all scopes unless told."""
        self.callers[hashlib.sha256(text.encode()).digest()] = Caller(
            tenant=tenant, key_id=f"key_{text}", policy=policy or Policy(), scopes=frozenset(scopes or SCOPES)
        )
        return text

    def authenticate(self, bearer: str) -> Caller:
        caller = self.callers.get(hashlib.sha256(bearer.encode()).digest())
        if caller is None:
            raise UnauthenticatedError("The key is not known.")
        return caller

    def reach(self, caller: Caller) -> Reach:
        service = self.services[caller.tenant].narrow(caller.policy.to_dict())
        return OneReach(service, self.kept.setdefault(caller.tenant, {}))

    def kinds(self) -> list[KindAnswer]:
        return [KindAnswer(type="rows", title="Rows", group="tests", keys=["query"])]

    def runtime(self) -> RuntimeDescription | None:
        return None

    def checks(self) -> dict[str, bool]:
        return self.health

    def close(self) -> None:
        for service in self.services.values():
            service.close()


@dataclass
class Stand:
    """A deployment that is being served."""

    url: str
    port: int
    deployment: Small
    server: Server
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread

    def client(self, key: str | None = "good", **options: Any) -> httpx.Client:
        """Return a client with a key."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False, **options)

    def drain(self) -> None:
        """Have it drain, as a signal would."""
        self.loop.call_soon_threadsafe(self.server.drain)


def small(folder: Path, bounds: Bounds = WIDE) -> Small:
    """Return a deployment of the tenants `one` and `two`, each with a ledger and the source `sales`."""
    services = {}
    for tenant in ("one", "two"):
        (folder / tenant).mkdir(parents=True)
        services[tenant] = create_service(
            tenant_id=tenant, project=folder / tenant, ledger=folder / tenant / ".service", runtime="in_process"
        )
        services[tenant].connect(ROWS, name="sales", types={"day": "date"})
    deployment = Small(services, bounds)
    deployment.key("good", "one")
    deployment.key("other", "two")
    return deployment


@contextmanager
def standing(deployment: Small) -> Iterator[Stand]:
    """Serve a deployment on a free port of 127.0.0.1, in a thread."""
    bound = bind("127.0.0.1", 0)
    port = bound.getsockname()[1]
    running = server(deployment)
    started = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        loops[0].call_soon(started.set)
        await running.serve(sockets=[bound])

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="stand")
    thread.start()
    assert started.wait(10)
    url = f"http://127.0.0.1:{port}"
    try:
        yield Stand(url, port, deployment, running, loops[0], thread)
    finally:
        running.should_exit = True
        thread.join(30)
        bound.close()
        assert not thread.is_alive()
