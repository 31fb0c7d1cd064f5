"""What a deployment holds does not grow with what it is asked: twenty thousand requests, hardly two of them alike."""

from __future__ import annotations

import gc
import http.client
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.stand import TEXT, Stand, key, made, standing
from tests.servers.fixtures import PostgresDatabase

REQUESTS, EARLY, CLIENTS = 20_000, 5_000, 4
MOST_BYTES = 24_000_000
MOST_OBJECTS = 20_000
HOSTS = TEXT + '\n[connectors]\nprivate_hosts = ["127.0.0.1"]\n'


def some_request(number: int) -> tuple[str, str, Any]:
    """Return a request that is like no other: questions, refusals, plans, computations, and what is none."""
    some = {"conditions": [{"column": "n", "op": "between", "values": [0, number]}]}
    asked = {"metric": "n", "aggregation": "sum", "group_by": "k", "filter": some, "source_name": "live"}
    rows = {"conditions": [{"column": "revenue", "op": "gte", "value": -number / 3}]}
    match number % 10:
        case 0 | 1 | 2:
            return "POST", "/v1/query/execute", {"spec": asked}
        case 3:
            sales = {"metric": "revenue", "aggregation": "avg", "group_by": "region", "source_name": "sales"}
            return "POST", "/v1/query/execute", {"spec": sales | {"filter": rows}}
        case 4:
            return "POST", "/v1/query/resolve", {"spec": asked | {"limit": number + 1}}
        case 5:
            return "POST", "/v1/query/execute", {"spec": asked | {"metric": f"revenu {number}"}}
        case 6 | 7:
            return "POST", "/v1/libraries/execute", {"module": "stats", "function": "mean", "args": [[number, 0.5]]}
        case 8:
            return "POST", "/v1/libraries/execute", {"module": "stats", "function": f"mean{number}", "args": []}
        case _:
            return "GET", f"/v1/results/query_{number:016x}", None


def asked(stand: Stand, bearer: str, first: int, last: int) -> Counter[int]:
    """Make requests by their numbers, from several clients, and return how often each status came."""

    def client(start: int) -> Counter[int]:
        connection = http.client.HTTPConnection("127.0.0.1", stand.port, timeout=60)
        met: Counter[int] = Counter()
        for number in range(first + start, last, CLIENTS):
            method, path, body = some_request(number)
            sent = None if body is None else json.dumps(body)
            headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
            connection.request(method, path, sent, headers if sent else {"Authorization": headers["Authorization"]})
            answer = connection.getresponse()
            answer.read()
            met[answer.status] += 1
        connection.close()
        return met

    with ThreadPoolExecutor(CLIENTS) as pool:
        return sum(pool.map(client, range(CLIENTS)), Counter())


def held() -> tuple[int, int]:
    """Return the bytes in memory, and the objects that the collector knows, once it has collected."""
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    resident = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))
    return resident, len(gc.get_objects())


@pytest.mark.slow
def test_twenty_thousand_requests_leave_no_more_behind_than_five_thousand(
    tmp_path: Path, postgres_database: PostgresDatabase
) -> None:
    postgres_database.run("CREATE TABLE live AS SELECT i AS n, chr(97 + i % 5) AS k FROM generate_series(0, 999) AS i")
    postgres_database.run("GRANT SELECT ON live TO reader")
    deployment = made(tmp_path / "served", HOSTS)
    with standing(deployment) as stand:
        with stand.client() as client:
            source = {"name": "live", "descriptor": postgres_database.descriptor(table="live")}
            assert client.post("/v1/sources", json=source).status_code == 201
        bearer = key(deployment, "one")
        statuses = asked(stand, bearer, 0, EARLY)
        bytes_before, objects_before = held()
        statuses += asked(stand, bearer, EARLY, REQUESTS)
        bytes_after, objects_after = held()
    print(
        f"{statuses}; {bytes_before / 1e6:.0f} MB after {EARLY:,} requests, {bytes_after / 1e6:.0f} MB after "
        f"{REQUESTS:,}; {objects_before:,} and {objects_after:,} objects"
    )
    assert set(statuses) <= {200, 404}
    assert statuses[200] == REQUESTS * 8 // 10
    assert bytes_after - bytes_before < MOST_BYTES
    assert objects_after - objects_before < MOST_OBJECTS
