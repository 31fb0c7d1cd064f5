"""A network that fails between client and deployment: every call ends in a right answer or in a typed error."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service_nb.client.service import Service
from service_nb.deployment.http import BaseUrl
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    DeploymentUnavailableError,
    QueryTimeoutError,
    ServiceError,
)
from tests.deployment.clients.backed import Backed
from tests.deployment.clients.conftest import POSTGRES, MakeClient
from tests.deployment.stand import Stand
from tests.servers.hostile import Speak, refusing, saying, silent, speaking
from tests.servers.proxy import FAULTS, Fault, network

ENDS = (DeploymentUnavailableError, QueryTimeoutError, ComputeRuntimeUnavailableError)
CALLS = 30  # at least
LATE_S = 60.0  # what is still not over then has no deadline; not a measure of speed


def tried(work: Callable[[], object]) -> object:
    """Return what comes of a call: its value, or the error that a failing network may end in."""
    try:
        return work()
    except ENDS as error:
        return error


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_network_does_an_answer_is_right_or_an_error_and_nothing_is_recorded_twice(
    served: tuple[Stand, Backed], make_client: MakeClient, sales: Service, fault: Fault, tmp_path: Path
) -> None:
    stand, there = served
    with network(stand.port, seed=FAULTS.index(fault) + 1, often=0.15, faults=(fault,), hang_s=0.2) as net:
        client = make_client(net.url, timeout=10.0, ledger=tmp_path / "faulty")
        often, net.often = net.often, 0.0
        client.connect(name="sales")
        client.compute("stats.median", args=[[1.0]])
        net.often = often
        expected = sales.ask("sum revenue by region")["data"]
        before = Counter(str(entry["digests"]) for entry in there.recorded())

        def one(number: int) -> object:
            if number % 2:
                return tried(lambda: client.compute("stats.median", args=[[float(number), float(number + 2)]])["value"])
            return tried(lambda: client.ask(f"sum revenue by region limit {number + 3}")["data"]["result"])

        ends = [one(number) for number in range(CALLS)]
        while net.done[fault] <= 3:  # which requests meet a fault is a matter of their order
            ends.append(one(len(ends)))
    for number, end in enumerate(ends):
        if not isinstance(end, ServiceError):
            assert end == (number + 1.0 if number % 2 else expected["result"])
    answered = [end for end in ends if not isinstance(end, ServiceError)]
    assert len(answered) > len(ends) / 2
    after = Counter(str(entry["digests"]) for entry in there.recorded())
    new = after - before
    assert set(new.values()) == {1}  # each call asks for something else, and was written down once at most
    assert len(answered) <= len(new) <= len(ends)
    log = client.log(1_000)
    assert sum(entry["kind"] != "error" for entry in log) == len(answered) + 1
    assert sum(entry["kind"] == "error" for entry in log) == len(ends) - len(answered)


def test_several_clients_at_once_through_all_faults(
    served: tuple[Stand, Backed], make_client: MakeClient, sales: Service
) -> None:
    stand, there = served
    expected = sales.ask("count by region")["data"]["result_hash"]
    with network(stand.port, seed=7, often=0.1, hang_s=0.2) as net:
        often, net.often = net.often, 0.0
        client = make_client(net.url, timeout=5.0, ledger="off")
        client.connect(name="sales")
        net.often = often
        with ThreadPoolExecutor(8) as pool:
            ends = list(pool.map(lambda _: tried(lambda: client.ask("count by region")["data"]), range(120)))
    hashes = {end["result_hash"] for end in ends if isinstance(end, dict)}
    assert hashes == {expected}
    assert sum(net.done.values()) > 10
    assert len(there.recorded()) <= 120 + 1


def _dripping(peer: socket.socket) -> None:
    peer.recv(65_536)
    peer.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        peer.sendall(b"X")
        time.sleep(0.05)


STRANGERS: dict[str, Speak] = {
    "hangs": silent,
    "closes": lambda _: None,
    "speaks nonsense": saying(b"220 mail.example ESMTP\r\n" * 10),
    "drips": _dripping,
    "is somebody else": saying(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"),
}


@pytest.mark.parametrize("kind", ["refuses", *STRANGERS])
def test_what_is_no_deployment_is_told_apart_by_the_deadline(make_client: MakeClient, kind: str) -> None:
    with refusing() if kind == "refuses" else speaking(STRANGERS[kind]) as port:
        client = make_client(f"http://127.0.0.1:{port}", ledger="off", timeout=1.0)
        started = time.monotonic()
        with pytest.raises(ServiceError) as caught:
            client._sources.live.deployment.get("/v1/sources", dict, timeout_s=1.0)  # type: ignore[union-attr]
        assert time.monotonic() - started < LATE_S
    assert isinstance(caught.value, ENDS)
    assert caught.value.retryable == (kind != "is somebody else")


@pytest.mark.parametrize("kind", ["refuses", "hangs", "drips"])
def test_what_has_not_answered_is_only_probed_the_next_time(make_client: MakeClient, kind: str) -> None:
    with refusing() if kind == "refuses" else speaking(STRANGERS[kind]) as port:
        client = make_client(f"http://127.0.0.1:{port}", ledger="off", timeout=10 * LATE_S)
        calls: list[Callable[[], object]] = [
            lambda: client.compute("stats.median", args=[[1.0, 2.0]]),
            client.live_sources,
            lambda: client.connect(name="sales"),
            lambda: client.connect(connector=POSTGRES, name="sales"),
        ]
        deployment = client._sources.live.deployment  # type: ignore[union-attr]
        assert isinstance(tried(lambda: deployment.get("/v1/sources", dict, timeout_s=1.0)), ENDS)
        for call in calls:
            started = time.monotonic()
            assert isinstance(tried(call), ENDS)
            assert time.monotonic() - started < LATE_S


def test_a_deployment_that_answers_again_is_asked_again_at_once(
    make_client: MakeClient, served: tuple[Stand, Backed]
) -> None:
    with refusing() as port:
        client = make_client(f"http://127.0.0.1:{port}", ledger="off", timeout=5.0)
        deployment = client._sources.live.deployment  # type: ignore[union-attr]
        assert isinstance(tried(lambda: deployment.get("/v1/sources", dict)), ENDS)
        deployment._base = BaseUrl.parse(served[0].url)
        assert "sources" in deployment.get("/v1/sources", dict)


def test_an_unreachable_deployment_is_never_replaced_by_this_machine(make_client: MakeClient) -> None:
    with refusing() as port:
        client = make_client(f"http://127.0.0.1:{port}", ledger="off", timeout=1.0)
        with pytest.raises(DeploymentUnavailableError) as caught:
            client.compute("stats.median", args=[[1.0, 2.0]])
    assert caught.value.retryable


def test_to_ask_what_computes_there_is_part_of_a_call_s_time(make_client: MakeClient) -> None:
    with speaking(silent) as port:
        client = make_client(f"http://127.0.0.1:{port}", ledger="off")
        started = time.monotonic()
        with pytest.raises(QueryTimeoutError):
            client.compute("stats.median", args=[[1.0, 2.0]], timeout=0.5)
        assert time.monotonic() - started < LATE_S
