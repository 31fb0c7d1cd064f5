"""A served deployment whose sources are tables that change while it runs, and that computes in its own process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service_nb.client.live_sources import LiveSource
from service_nb.client.service import Service
from service_nb.core.stopping import find_current_stop
from service_nb.core.words import describe_value
from service_nb.deployment.messages import SourceRequest
from service_nb.engines.engine import EngineAnswer
from service_nb.engines.memory import MemoryEngine
from service_nb.errors import ConnectorError, QueryInterruptedError, SourceAlreadyRegisteredError, SourceNotFoundError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.detect import read
from service_nb.schema.compute import Vector
from service_nb.schema.query import Plan
from service_nb.schema.source import Content
from service_nb.server.tenants import Deployment, Tenant
from tests.deployment.stand import Stand, made, standing
from tests.deployment.stand import key as new_key

Rows = list[dict[str, Any]]
SALES: Rows = [
    {"region": "north", "revenue": 0.1, "units": 3, "day": "2024-01-31", "paid": True},
    {"region": "söuth", "revenue": 0.2, "units": 9_007_199_254_740_993, "day": "2024-02-01", "paid": False},
    {"region": "north", "revenue": 0.3, "units": 1, "day": None, "paid": None},
    {"region": None, "revenue": -1e300, "units": None, "day": "1999-12-31", "paid": True},
    {"region": "north", "revenue": None, "units": -7, "day": "2024-01-31", "paid": False},
]
TYPES = {"day": "date", "units": "int64"}


@dataclass
class Tables:
    """Tables that anyone may change; `slow_s` is how long each look at one takes."""

    rows: dict[str, Rows]
    slow_s: float = 0.0
    looks: int = 0
    stopped: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def now(self, table: str, types: Mapping[str, str]) -> Dataset:
        """Return a table as it is now."""
        with self.lock:
            self.looks += 1
        until = time.monotonic() + self.slow_s
        while time.monotonic() < until:
            stop = find_current_stop()
            if stop is not None and stop.is_requested:
                self.stopped += 1
                raise QueryInterruptedError("stopped")
            time.sleep(0.01)
        kept = {name: kind for name, kind in {**TYPES, **types}.items() if name in self.rows[table][0]}
        return read(self.rows[table], ReadOptions(types=kept))


@dataclass
class TableEngine:
    """An engine over a table that may be another at each question."""

    tables: Tables
    table: str
    types: Mapping[str, str]
    name: str = "tables 1.0"

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> EngineAnswer:
        return MemoryEngine(self.tables.now(self.table, self.types)).aggregate(plan, timeout_s)

    def read_columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:
        return MemoryEngine(self.tables.now(self.table, self.types)).read_columns(plan, timeout_s)

    def list_known_values(self, _: str) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        """Nothing is held."""


class TablesLive:
    """Connects sources of a tenant that are tables; all that no table needs is the tenant's own."""

    def __init__(self, tables: Tables, own: Tenant) -> None:
        self.tables, self._own = tables, own
        self.made: dict[str, LiveSource] = {}

    def connect(self, asked: SourceRequest) -> LiveSource:
        if asked.descriptor is None:
            self._own.store.find_connector(str(asked.connector_id))
        connector: Mapping[str, Any] = asked.descriptor or {"table": asked.table}
        if connector.get("password") == "wrong password":
            raise ConnectorError("It refuses the password 'wrong password'.", reason="login_refused")
        table = str(connector.get("table"))
        if table not in self.tables.rows:
            raise SourceNotFoundError(f"There is no table {describe_value(table)}.", met=table)
        dataset = self.tables.now(table, asked.types or {})
        made = LiveSource(
            name=asked.name,
            fields=dataset.fields,
            row_count=dataset.row_count,
            content=Content(algorithm="live", sha256=None, size=dataset.row_count),
            engine=TableEngine(self.tables, table, asked.types or {}),
            aliases=dict(asked.aliases or {}),
        )
        known = self.made.setdefault(asked.name, made)
        if known.engine != made.engine:
            raise SourceAlreadyRegisteredError("It is another table.")
        return known

    def test(self, connector: Mapping[str, Any], _deadline_s: float) -> dict[str, Any]:
        return {"success": connector.get("table") in self.tables.rows, "message": "tried"}


@dataclass
class Backed:
    """A deployment over tables, whose tenant `one` has the key `key`."""

    deployment: Deployment
    tables: Tables
    service: Service
    live: TablesLive
    key: str

    def key_of(self, *scopes: Any, policy: dict[str, Any] | None = None) -> str:
        """Return another key of the same tenant."""
        return new_key(self.deployment, "one", *scopes, policy=policy)

    def recorded(self) -> list[dict[str, Any]]:
        """Return what the deployment wrote down, errors apart."""
        return [entry for entry in self.service.log(10_000) if entry["kind"] != "error"]


def backed(folder: Path) -> Backed:
    """Return a deployment over tables."""
    deployment = made(folder)
    key = new_key(deployment, "one")
    tenant = deployment.reach(deployment.authenticate(key)).tenant
    tenant.forget("sales") if "sales" in tenant.store.list_names() else tenant.registry.remove("sales")
    tables = Tables({"sales": [dict(row) for row in SALES]})
    live = TablesLive(tables, tenant)
    tenant.connect, tenant.test_connector = live.connect, live.test  # type: ignore[method-assign]
    return Backed(deployment, tables, tenant.base, live, key)


@contextmanager
def backing(folder: Path) -> Iterator[tuple[Stand, Backed]]:
    """Serve such a deployment."""
    there = backed(folder)
    with standing(there.deployment) as stand:
        yield stand, there
