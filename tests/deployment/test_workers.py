"""`service-nb serve --workers`: several processes at one address, which share limits and lose nothing when one dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service_nb.ledger.store import Ledger
from service_nb.server.config import Config
from service_nb.server.metrics import merge_metrics
from tests.deployment.conftest import REACHABLE
from tests.deployment.deployments import deployed
from tests.deployment.test_limits import hanging, until
from tests.deployment.test_serve import Served, key
from tests.servers.mortal import children

RATE = "\n[rate]\nrequests_per_s = {per_s}\nburst = {burst}\n"
WIDE = RATE.format(per_s=100_000, burst=100_000)
SPEC = {"metric": "n", "aggregation": "sum", "group_by": "a", "source_name": "items"}


@contextmanager
def served(config: Config, bearer: str, workers: int = 2) -> Iterator[Served]:
    command = [sys.executable, "-m", "service_nb.cli.main", "serve", "--port", "0", "--json", "--quiet"]
    process = subprocess.Popen(
        [*command, "--workers", str(workers)],
        cwd=config.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield Served(process, told["address"], bearer)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=120)
        finally:
            process.kill()
            process.communicate()


def alive(pid: int) -> bool:
    """Tell whether a process runs: one that has ended and was not waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def connect(one: Served, records: str) -> None:
    with one.client() as client:
        body = {"name": "items", "descriptor": {"type": "rest", "url": records}}
        assert client.post("/v1/sources", json=body).status_code == 201


def test_a_worker_is_killed_within_a_load_and_what_was_answered_is_what_was_recorded(
    tmp_path: Path, records: str
) -> None:
    config = deployed(tmp_path, REACHABLE + WIDE)
    answered: list[str] = []
    faults: list[str] = []
    over = threading.Event()

    def load(one: Served, number: int) -> None:
        client, count = one.client(), 0
        while not over.is_set():
            count += 1
            headers = {"Idempotency-Key": f"{number}-{count}"}
            latest = time.monotonic() + 60
            while time.monotonic() < latest:  # as our own client does: the same request again, until it is answered
                try:
                    answer = client.post("/v1/query/execute", json={"spec": SPEC}, headers=headers)
                except httpx.TransportError:
                    client.close()
                    client = one.client()
                    continue
                if answer.status_code == 200:
                    answered.append(answer.json()["data"]["query_id"])
                    break
                if answer.status_code != 503:
                    faults.append(answer.text)
                    break
            else:
                faults.append("no answer within a minute")
        client.close()

    with served(config, key(config)) as one:
        connect(one, records)
        with ThreadPoolExecutor(8) as pool:
            loads = [pool.submit(load, one, number) for number in range(8)]
            try:
                until(lambda: len(answered) > 50)
                killed = children(one.process.pid)[0]
                os.kill(killed, signal.SIGKILL)
                at = len(answered)
                until(lambda: not alive(killed) and len([*filter(alive, children(one.process.pid))]) == 2)
                until(lambda: len(answered) > at + 100)
            finally:
                over.set()
            for each in loads:
                each.result()
        one.process.terminate()
        assert one.ended() == 0
    assert faults == []
    with Ledger(config.data / "tenants" / "one" / "ledger", lambda: None, tenant="one") as ledger:
        recorded = [entry.id for entry in ledger.iter_entries() if entry.kind == "query"]
        assert ledger.verify().status != "altered"
    assert Counter(recorded) == Counter(answered)


def test_the_rate_of_a_key_is_one_for_all_workers(tmp_path: Path) -> None:
    config = deployed(tmp_path, REACHABLE + RATE.format(per_s=0.01, burst=20))
    with served(config, key(config), workers=3) as one:
        statuses: Counter[int] = Counter()
        for _ in range(30):  # each over a connection of its own, which any worker may take
            with one.client() as client:
                statuses[client.get("/v1/sources").status_code] += 1
    assert statuses == {200: 20, 429: 10}


def test_places_are_those_of_all_workers_and_free_again_when_one_dies(tmp_path: Path) -> None:
    limits = "\n[limits]\nrunning = 2\nqueued = 0\n"
    config = deployed(tmp_path, REACHABLE + WIDE + limits)
    with served(config, key(config), workers=2) as one, hanging() as slow, ThreadPoolExecutor(8) as pool:

        def hang() -> int:
            try:
                with one.client() as client:
                    return client.post("/v1/sources", json={"name": "slow", "descriptor": slow.descriptor}).status_code
            except httpx.TransportError:
                return 0

        def ask() -> int:
            try:
                with one.client() as client:
                    return client.get("/v1/sources").status_code
            except httpx.TransportError:
                return 0

        waiting = [pool.submit(hang) for _ in range(2)]
        for _ in waiting:
            assert slow.asked.acquire(timeout=300)
        assert {ask() for _ in range(8)} == {503}  # whichever worker is asked
        for each in children(one.process.pid):
            os.kill(each, signal.SIGKILL)
        until(lambda: ask() == 200)
        assert {ask() for _ in range(8)} == {200}
        slow.released.set()
        assert [each.result() for each in waiting] == [0, 0]


def test_metrics_are_those_of_all_workers(tmp_path: Path) -> None:
    config = deployed(tmp_path, REACHABLE + WIDE)
    with served(config, key(config), workers=3) as one:
        for _ in range(12):
            with one.client() as client:
                assert client.get("/v1/sources").status_code == 200
        with one.client() as client:
            text = client.get("/metrics").text
    assert 'service_nb_requests_total{method="GET",route="/v1/sources",status="200"} 12.0' in text.splitlines()
    assert text.count("service_nb_build{") == 1


def test_what_is_counted_is_added_up_and_of_one_process_stays_as_it_is() -> None:
    one = b'# HELP a A.\n# TYPE a counter\na{b="x y"} 1.0\na_created{b="x y"} 7.5\nservice_nb_build{version="1"} 1.0\n'
    other = b'# HELP a A.\n# TYPE a counter\na{b="x y"} 2.0\na{b="z"} 4.0\na_created{b="x y"} 6.5\n'
    assert merge_metrics([one]) == one
    assert merge_metrics([one, other]).decode().splitlines() == [
        "# HELP a A.",
        "# TYPE a counter",
        'a{b="x y"} 3.0',
        'a_created{b="x y"} 6.5',
        'service_nb_build{version="1"} 1.0',
        'a{b="z"} 4.0',
    ]


def test_all_workers_drain_and_the_command_ends(tmp_path: Path) -> None:
    config = deployed(tmp_path, REACHABLE + WIDE + "\n[timeouts]\ndrain_s = 120.0\n")
    with served(config, key(config)) as one, hanging() as slow, ThreadPoolExecutor(1) as pool, one.client() as client:
        workers = children(one.process.pid)
        asked = pool.submit(client.post, "/v1/connectors/test", json={"descriptor": slow.descriptor})
        assert slow.asked.acquire(timeout=300)
        one.process.terminate()
        slow.released.set()
        assert asked.result().json()["success"] is True
        assert one.ended() == 0
    until(lambda: not any(map(alive, workers)))


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    config = deployed(tmp_path, REACHABLE)
    with served(config, key(config)) as one:
        workers = children(one.process.pid)
        assert len(workers) == 2
        one.process.kill()
        until(lambda: not any(map(alive, workers)))


@pytest.mark.parametrize("count", ["0", "65", "-1"])
def test_a_number_of_workers_that_no_deployment_has_is_refused(tmp_path: Path, count: str) -> None:
    config = deployed(tmp_path, REACHABLE)
    command = [sys.executable, "-m", "service_nb.cli.main", "serve", "--json", "--workers", count]
    ended = subprocess.run(command, cwd=config.folder, capture_output=True, text=True, check=False)
    error: dict[str, Any] = json.loads(ended.stdout)["error"]
    assert (ended.returncode, error["code"], error["details"]["path"]) == (2, "invalid_intent", "workers")
