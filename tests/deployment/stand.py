"""Deployments on real sockets: as they are configured, with two tenants, and a source of rows in each."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from msgspec import structs

from service_nb.deployment.messages import Scope
from service_nb.server.config import Config
from service_nb.server.keys import SCOPES, Grant, Keys
from service_nb.server.serving import Server, bind_socket, build_server
from service_nb.server.tenants import Deployment
from tests.deployment.conforming import conforms
from tests.deployment.deployments import deployed

ROWS = [
    {"region": "north", "revenue": 0.1, "units": 3, "day": "2024-01-31"},
    {"region": "south", "revenue": 0.2, "units": 9_007_199_254_740_993, "day": "2024-02-01"},
    {"region": "north", "revenue": 0.3, "units": 1, "day": None},
]
WIDE = {"requests_per_s": 100_000.0, "burst": 100_000, "attempts_per_s": 100_000.0, "codes_per_minute": 6e6}
WIDE |= {"most_pending": 10_000, "most_pending_per_address": 10_000}
TEXT = """
[server]
data = "data"
[runtime]
kind = "in_process"
allow_in_process = true
"""
TENANTS = ("one", "two")


def bounded(config: Config, **wanted: Any) -> Config:
    """Return a configuration with other limits, also with some that no file may set."""
    for section in ("limits", "rate", "timeouts", "enrolment"):
        kept = getattr(config, section)
        own = {key: value for key, value in wanted.items() if hasattr(kept, key)}
        config = structs.replace(config, **{section: structs.replace(kept, **own)})
    return config


@dataclass
class Stand:
    """A deployment that is being served."""

    url: str
    port: int
    deployment: Deployment
    server: Server
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread
    keys: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def client(self, tenant: str | None = "one", *scopes: Scope, **options: Any) -> httpx.Client:
        """Return a client with a key of a tenant, or without one, that holds every answer to the document."""
        headers = {}
        if tenant is not None:
            if (tenant, *scopes) not in self.keys:
                self.keys[tenant, *scopes] = key(self.deployment, tenant, *scopes)
            headers["Authorization"] = f"Bearer {self.keys[tenant, *scopes]}"
        return httpx.Client(
            base_url=self.url,
            headers=headers,
            timeout=300,
            trust_env=False,
            verify=False,  # nothing here is encrypted, and certificates take long to load
            event_hooks={"response": [conforms]},
            **options,
        )

    def drain(self) -> None:
        """Have it drain, as a signal would."""
        self.loop.call_soon_threadsafe(self.server.drain)


def made(folder: Path, text: str = TEXT, **bounds: Any) -> Deployment:
    """Return a deployment of the tenants `one` and `two`, each with a ledger and the source `sales`."""
    deployment = Deployment(bounded(deployed(folder, text), **{**WIDE, **bounds}))
    for tenant in TENANTS:
        service = base(deployment, tenant)
        service.connect(ROWS, name="sales", types={"day": "date"})
    return deployment


def base(deployment: Deployment, tenant: str) -> Any:
    """Return a tenant's own service, which has no policy."""
    caller = deployment.authenticate(key(deployment, tenant))
    return deployment.reach(caller).tenant.base  # sources of rows come in by no request


def key(deployment: Deployment, tenant: str, *scopes: Scope, policy: dict[str, Any] | None = None) -> str:
    """Return a new key of a tenant, with all scopes unless told."""
    grant = Grant(tenant=tenant, label="", scopes=scopes or SCOPES, policy=policy or {}, expires=None)
    return Keys(deployment._store).create(grant)[1].reveal()  # as `serve key` in its own process


@contextmanager
def standing(deployment: Deployment, trusted: Sequence[str] = ()) -> Iterator[Stand]:
    """Serve a deployment on a free port of 127.0.0.1, in a thread."""
    bound = bind_socket("127.0.0.1", 0)
    port = bound.getsockname()[1]
    started = threading.Event()
    running = build_server(deployment, trusted, ready=started.set)
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        await running.serve(sockets=[bound])

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="stand")
    thread.start()
    assert started.wait(60)
    url = f"http://127.0.0.1:{port}"
    try:
        yield Stand(url, port, deployment, running, loops[0], thread)
    finally:
        running.should_exit = True  # at once, unlike a signal
        thread.join(60)
        bound.close()
        assert not thread.is_alive()
