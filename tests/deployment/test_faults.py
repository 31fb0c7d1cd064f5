"""Everything that a deployment stands on is killed while it is asked, and the network fails as well.

Every call ends in a right answer or in a typed error that is marked as passing, by its deadline. Afterwards ledgers
hold: each answer that a client has is one entry of its own, and one entry of the deployment's.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.client.user_keys import require_device
from service_nb.core.canonical import parse_strict
from service_nb.errors import ServiceError
from service_nb.ledger.store import Ledger
from service_nb.server.config import read_config
from service_nb.server.deployment_store import Store
from service_nb.server.keys import Grant, Keys
from service_nb.server.upkeep import create_deployment
from tests.servers.fixtures import READER, READER_PASSWORD, PostgresDatabase
from tests.servers.mortal import Deployed, MortalPostgres, mortal_postgres
from tests.servers.proxy import Network, network
from tests.simulators.resident import own_home, processes, workers

ROWS = 3_000
TIMEOUT_S = 6.0
SLACK_S = 60.0  # of a machine that is busy: what takes longer has no deadline
TEXT = """
[server]
data = "data"
[runtime]
kind = "managed"
[timeouts]
connect_s = 4.0
[rate]
requests_per_s = 10000
burst = 10000
"""
DATABASE_FAULTS = ("drop", "delay", "cut", "trickle", "hang")  # its protocol has no digest: nothing may be changed


@dataclass
class Called:
    """One call and its end."""

    spec: dict[str, Any]
    expected: Any
    seconds: float
    outcome: Any = None
    error: ServiceError | None = None


@dataclass
class World:
    """What is asked, what it stands on, and the networks between."""

    database: MortalPostgres
    deployed: Deployed
    home: Path
    front: Network
    back: Network
    key: str
    kills: Counter[str] = field(default_factory=Counter)


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """A database, a deployment of it and networks that work, until `often` is set."""
    with ExitStack() as stack:
        home = stack.enter_context(own_home())
        database = stack.enter_context(mortal_postgres())
        fill(PostgresDatabase(database.server, "postgres"))
        back = stack.enter_context(network(database.server.port, seed=3, faults=DATABASE_FAULTS, hang_s=0.3))
        deployed = Deployed(folder)
        (folder / "deployment.toml").write_text(TEXT)
        create_deployment(folder / "deployment.toml")
        key = new_key(folder)
        stack.callback(deployed.end)
        deployed.start()
        front = stack.enter_context(network(deployed.port, seed=4, hang_s=0.3))
        yield World(database, deployed, home, front, back, key)


def fill(database: PostgresDatabase) -> None:
    """Make a table whose answers are known without asking for them."""
    database.run("CREATE ROLE reader LOGIN PASSWORD '" + READER_PASSWORD.replace("'", "''") + "'")
    database.run("CREATE TABLE orders (id int8, region text, price float8)")
    columns = [[row[name] for row in rows()] for name in ("id", "region", "price")]
    database.run("INSERT INTO orders SELECT * FROM unnest(%s::int8[], %s::text[], %s::float8[])", *columns)
    database.run(f"GRANT SELECT ON orders TO {READER}")


def rows() -> list[dict[str, Any]]:
    return [{"id": i, "region": "aBÄ"[i % 3], "price": (i / 7) * 10.0 ** (i % 9 - 4)} for i in range(ROWS)]


def new_key(folder: Path) -> str:
    store = Store(read_config(folder / "deployment.toml").data)
    try:
        return Keys(store).create(Grant(tenant="one"))[1].reveal()
    finally:
        store.close()


def descriptor(world_: World, **changes: Any) -> dict[str, Any]:
    return {
        "type": "postgres", "host": "127.0.0.1", "port": world_.back.port, "database": "postgres", "user": READER,
        "password": READER_PASSWORD, "table": "orders", "sslmode": "disable", **changes,
    }  # fmt: skip


# --- what is killed ---------------------------------------------------------------------------------------------------


def killers(world_: World) -> dict[str, Callable[[], bool]]:
    """Return what can be killed: each says whether there was anything to kill; servers live again afterwards."""

    def server() -> bool:
        world_.deployed.kill()
        world_.deployed.start()
        return True

    def database() -> bool:
        world_.database.kill()
        world_.database.start()
        return True

    return {
        "server": server,
        "database": database,
        "session": lambda: one_of(world_.database.sessions()),
        "worker": lambda: one_of(workers(world_.home)),
        "runtime": lambda: one_of([each.pid for each in processes(world_.home) if not each.is_worker]),
        "connector": lambda: one_of(world_.deployed.helpers()),
    }


def one_of(pids: list[int]) -> bool:
    """Kill one of some processes, which may have ended meanwhile."""
    with contextlib.suppress(ProcessLookupError, IndexError):
        os.kill(random.choice(pids), signal.SIGKILL)
        return True
    return False


def kill_some(world_: World, kills: int, seed: int) -> None:
    """Kill at random, every kind as often."""
    drawn = random.Random(seed)
    known = killers(world_)
    some = [list(known)[number % len(known)] for number in range(kills)]
    drawn.shuffle(some)
    for name in some:
        time.sleep(drawn.uniform(0.05, 0.4))
        until = time.monotonic() + 60.0
        while not (is_killed := known[name]()) and time.monotonic() < until:
            time.sleep(0.01)  # it is not there at every moment
        world_.kills[name] += is_killed


# --- what is asked ----------------------------------------------------------------------------------------------------


def call(client: Service, number: int, world_: World) -> Called:
    """Make one call that no other is like, and tell how it ended."""
    spec, expected = asked(number)
    began = time.monotonic()
    try:
        if "module" in spec:
            outcome: Any = client.compute(spec)
        elif "metric" in spec:
            outcome = client.ask(spec)
        else:
            outcome = client.test_connector(descriptor(world_))
    except ServiceError as error:
        return Called(spec, expected, time.monotonic() - began, error=error)
    return Called(spec, expected, time.monotonic() - began, outcome=outcome)


def asked(number: int) -> tuple[dict[str, Any], Any]:
    """Return a question or a computation that no other number has."""
    some = {"conditions": [{"column": "id", "op": "between", "values": [0, number % ROWS]}]}
    if number % 4 == 3:
        return {"test": True}, None
    if number % 4 == 1:
        values = [float(number), float(number + 2)]
        return {"module": "stats", "function": "median", "args": [values]}, number + 1.0
    if number % 4 == 2:
        bound = {"source": "orders", "parameter": "values", "field": "price", "filter": some}
        return {"module": "stats", "function": "mean", "bindings": [bound]}, None
    kind = ("sum", "avg", "count")[number % 3]
    told = {"metric": "price", "aggregation": kind, "group_by": "region", "source_name": "orders"}
    return told | {"filter": some, "limit": number + 10}, None


def loaded(world_: World, folder: Path, clients: int, kills: int) -> list[Called]:
    """Ask from several clients while everything is killed, and return all calls."""
    numbers, answered, ended = count(), threading.Event(), threading.Event()
    local = memory()
    made = [connected(world_, folder / f"client{number}") for number in range(clients)]

    def asks(client: Service) -> list[Called]:
        calls = []
        while not ended.is_set():
            calls.append(call(client, next(numbers), world_))
            if calls[-1].error is None:
                answered.set()
        return calls

    world_.front.often, world_.back.often = 0.02, 0.005
    try:
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(asks, client) for client in made]
            try:
                kill_some(world_, kills, seed=kills)
                answered.clear()
                assert answered.wait(120), "nothing answers any more"
            finally:
                ended.set()
            calls = [each for one in running for each in one.result()]
    finally:
        world_.front.often = world_.back.often = 0.0
        for client in made:
            client.close()
    check_answers(calls, local)
    local.close()
    return calls


def connected(world_: World, folder: Path) -> Service:
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_DEPLOYMENT_URL", world_.front.url)
        patch.setenv("SERVICE_API_KEY", world_.key)
        client = service_nb.create_service(project=folder, ledger=folder / "ledger", timeout=TIMEOUT_S)
    client.connect(connector=descriptor(world_), name="orders")
    return client


def memory() -> Service:
    """The same rows in this process."""
    made = service_nb.create_service(mode="local", runtime="in_process", ledger="off")
    made.connect(rows(), name="orders", types={"id": "int64", "price": "float64"})
    return made


# --- what must hold ---------------------------------------------------------------------------------------------------


def check_answers(calls: list[Called], local: Service) -> None:
    """Hold every answer to what this process computes itself, and every error to what it promises."""
    errors = [each.error.to_dict() for each in calls if each.error is not None]
    assert [error for error in errors if not error["retryable"]] == []
    assert [each for each in calls if each.seconds > TIMEOUT_S + SLACK_S] == []
    for each in calls:
        if each.error is not None:
            continue
        if "metric" in each.spec:
            right = local.ask(each.spec)["data"]
            assert each.outcome["data"]["result"] == right["result"], each.spec
            assert each.outcome["data"]["result_hash"] == right["result_hash"], each.spec
        elif "bindings" in each.spec:
            assert each.outcome.value == local.compute(each.spec).value, each.spec
        elif "module" in each.spec:
            assert each.outcome.value == each.expected
        else:
            assert type(each.outcome["success"]) is bool


def check_ledgers(world_: World, folder: Path, clients: int, calls: list[Called]) -> None:
    """Hold what was written down to what was answered: nothing twice, nothing lost."""
    kept = [each.outcome for each in calls if each.error is None and "test" not in each.spec]
    failed = sum(each.error is not None for each in calls)
    entries = [one for number in range(clients) for one in recorded(folder / f"client{number}" / "ledger")]
    ids = Counter(one["id"] for one in entries)
    assert set(ids.values()) <= {1}
    answered = [identity(outcome) for outcome in kept]
    assert len(set(answered)) == len(answered)  # no two calls are alike
    assert Counter(one["kind"] for one in entries if one["kind"] != "error").total() == len(kept)
    assert sum(one["kind"] == "error" for one in entries) == failed
    theirs = recorded(world_.deployed.folder / "data" / "tenants" / "one" / "ledger", tenant="one")
    assert set(Counter(one["id"] for one in theirs).values()) <= {1}
    there = Counter(served(one) for one in theirs if one["kind"] in ("query", "computation"))
    assert set(there.values()) <= {1}  # one for each idempotency key, however often it was sent
    assert {served_of(outcome) for outcome in kept} <= set(there)


def recorded(folder: Path, tenant: str | None = None) -> list[dict[str, Any]]:
    """Return what a ledger holds, once every hash and signature of it is checked."""
    with Ledger(folder, lambda: None, tenant=tenant) as ledger:
        verdict = ledger.verify(keys=[require_device().public_key])
        assert verdict.status == "verified", verdict.to_dict()
        return [parse_strict(one.payload.decode())["predicate"] for one in ledger.iter_entries()]


def identity(outcome: Any) -> str:
    return str(outcome["data"]["result_hash"] if "data" in outcome else outcome["computation_hash"])


def served_of(outcome: Any) -> str:
    """Return what the deployment's own entry of an answer has as well."""
    return str(outcome["data"]["result_hash"] if "data" in outcome else outcome["determinism"]["input_hash"])


def served(entry: dict[str, Any]) -> str:
    return str(entry["digests"]["result_hash"] if entry["kind"] == "query" else entry["digests"]["input_hash"])


def figures(world_: World, calls: list[Called]) -> str:
    """Say what was met, for whoever runs this by hand."""
    errors = Counter(each.error.code for each in calls if each.error is not None)
    killed = ", ".join(f"{name} {number}" for name, number in sorted(world_.kills.items()))
    faults = sum(world_.front.done.values()) + sum(world_.back.done.values())
    longest = max(each.seconds for each in calls)
    answered = sum(each.error is None for each in calls)
    return (
        f"{world_.kills.total()} kills ({killed}), {faults} faults of networks: {len(calls)} calls, {answered} right "
        f"answers, 0 wrong; {dict(errors)}; the longest took {longest:.1f} s"
    )


def run(folder: Path, clients: int, kills: int) -> tuple[World, list[Called]]:
    (folder / "served").mkdir()
    with world(folder / "served") as made:
        calls = loaded(made, folder, clients, kills)
        made.deployed.end()
        check_ledgers(made, folder, clients, calls)
        print(figures(made, calls))
        return made, calls


def test_whatever_is_killed_answers_are_right_and_recorded_once(tmp_path: Path) -> None:
    made, calls = run(tmp_path, clients=3, kills=9)
    assert made.kills.total() >= 7
    assert any(
        each.error is None for each in calls
    )  # how many depends on the machine: most of the time something is dead


@pytest.mark.slow
def test_a_hundred_kills_under_load_leave_every_answer_right_and_recorded_once(tmp_path: Path) -> None:
    made, calls = run(tmp_path, clients=8, kills=102)
    assert made.kills.total() >= 95
    assert min(made.kills.values()) >= 10
    assert sum(each.error is None for each in calls) > 40  # most of the time something is dead
