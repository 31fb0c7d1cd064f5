"""What a deployment does not take on, and how it says so: every refusal is an answer with a code."""

from __future__ import annotations

import http.server
import select
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deployment.conftest import REACHABLE
from tests.deployment.raw import Answer, raw, request
from tests.deployment.stand import Stand, key, made, standing

JSON = "Content-Type: application/json"


class Hanging:
    """An HTTP source that answers when it is told to."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.released = threading.Event()
        told = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                told.asked.release()
                told.released.wait(120)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "10")
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):  # who asked has gone
                    self.wfile.write(b'[{"n": 1}]')

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.descriptor = {"type": "rest", "url": f"http://127.0.0.1:{self.server.server_port}/"}


@contextmanager
def hanging() -> Iterator[Hanging]:
    made_one = Hanging()
    thread = threading.Thread(target=made_one.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made_one
    finally:
        made_one.released.set()
        made_one.server.shutdown()
        thread.join()
        made_one.server.server_close()


@pytest.fixture
def limited(tmp_path: Path) -> Callable[..., Any]:
    return lambda **bounds: standing(made(tmp_path, REACHABLE, **bounds))


def figure(client: httpx.Client, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1_200):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it never came about")


# --- how often, how many --------------------------------------------------------------------------------------------


def test_a_key_that_asks_too_often_waits_and_no_other_with_it(limited: Callable[..., Any]) -> None:
    with limited(requests_per_s=0.02, burst=3) as stand, stand.client("one") as one, stand.client("two") as two:
        answers = [one.get("/v1/sources") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert answers[-1].json()["code"] == "rate_limited"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 50
        assert two.get("/v1/sources").status_code == 200


def test_strangers_are_slowed_down_and_keys_are_not(limited: Callable[..., Any]) -> None:
    with limited(attempts_per_s=0.01) as stand, stand.client(None) as stranger, stand.client() as client:
        statuses = [stranger.get("/v1/sources").status_code for _ in range(4)]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        assert client.get("/v1/sources").status_code == 200


def test_what_is_too_much_at_once_waits_and_what_is_more_is_refused(limited: Callable[..., Any]) -> None:
    bounds = {"running": 1, "queued": 1, "queue_s": 600.0}
    with limited(**bounds) as stand, hanging() as slow, ThreadPoolExecutor(2) as others:
        body = {"descriptor": slow.descriptor}
        with stand.client() as client:
            first = others.submit(client.post, "/v1/connectors/test", json=body)
            assert slow.asked.acquire(timeout=300)
            second = others.submit(client.get, "/v1/sources")
            until(lambda: figure(client, "service_nb_queued") == 1)
            refused = client.get("/v1/sources")
            assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
            assert refused.json()["retryable"] is True
            assert int(refused.headers["retry-after"]) >= 1
            slow.released.set()
            assert first.result().json()["success"] is True
            assert second.result().status_code == 200


def test_nobody_waits_in_the_queue_for_long(limited: Callable[..., Any]) -> None:
    with (
        limited(running=1, queue_s=0.2) as stand,
        hanging() as slow,
        ThreadPoolExecutor(1) as others,
        stand.client() as client,
    ):
        first = others.submit(client.post, "/v1/connectors/test", json={"descriptor": slow.descriptor})
        assert slow.asked.acquire(timeout=300)
        assert client.get("/v1/sources").json()["code"] == "overloaded"
        slow.released.set()
        assert first.result().status_code == 200


def test_who_leaves_the_queue_gives_up_the_place(limited: Callable[..., Any]) -> None:
    with (
        limited(running=1, queued=1, queue_s=600.0) as stand,
        hanging() as slow,
        ThreadPoolExecutor(1) as others,
        stand.client() as client,
    ):
        first = others.submit(client.post, "/v1/connectors/test", json={"descriptor": slow.descriptor})
        assert slow.asked.acquire(timeout=300)
        with raw(stand) as leaving:
            leaving.send(request("GET", "/v1/sources", f"Authorization: Bearer {stand.keys['one',]}"))
            until(lambda: figure(client, "service_nb_queued") == 1)
        until(lambda: figure(client, "service_nb_queued") == 0)
        slow.released.set()
        assert first.result().status_code == 200
        assert client.get("/v1/sources").status_code == 200


def test_there_are_no_more_connections_than_there_may_be(limited: Callable[..., Any]) -> None:
    with limited(connections=2) as stand, raw(stand) as one, raw(stand) as two:
        for each in (one, two):
            each.send(request("GET", "/healthz"))
            assert each.answer().status == 200
        with raw(stand) as three:
            answer = three.answer()
            assert (answer.status, answer.code) == (503, "overloaded")
            assert three.is_closed()
        one.send(request("GET", "/healthz"))
        assert one.answer().status == 200


# --- how large, how slow --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(made(tmp_path_factory.mktemp("small"), body_bytes=2_000, body_s=60.0, header_bytes=4_000)) as one:
        one.keys["one",] = key(one.deployment, "one")
        yield one


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """One that waits for nobody. What is to be answered is asked of another: who is slow here is refused."""
    with standing(made(tmp_path_factory.mktemp("hasty"), body_s=0.5)) as one:
        yield one


@pytest.fixture
def bearer(small: Stand) -> str:
    return f"Authorization: Bearer {small.keys['one',]}"


PATH = "/v1/query/execute"


def test_a_large_body_is_refused_before_it_is_sent(small: Stand, bearer: str) -> None:
    with raw(small) as connection:
        connection.send(request("POST", PATH, bearer, JSON, "Content-Length: 2001", "Expect: 100-continue"))
        answer = connection.answer()
        assert (answer.status, answer.code) == (413, "limit_exceeded")
        assert connection.is_closed()


@pytest.mark.parametrize("length", ["9" * 18, "9" * 40])
def test_an_absurd_length_is_refused(small: Stand, bearer: str, length: str) -> None:
    with raw(small) as connection:
        connection.send(request("POST", PATH, bearer, JSON, f"Content-Length: {length}"))
        assert connection.answer().status in (400, 413)
        assert connection.is_closed()


def test_a_large_body_in_chunks_is_refused_as_it_comes(small: Stand, bearer: str) -> None:
    with raw(small) as connection:
        connection.send(request("POST", PATH, bearer, JSON, "Transfer-Encoding: chunked"))
        connection.send(b"3e8\r\n" + b" " * 1_000 + b"\r\n", b"7d0\r\n" + b" " * 2_000 + b"\r\n")
        answer = connection.answer()
        assert (answer.status, answer.code) == (413, "limit_exceeded")
        assert connection.is_closed()


def test_a_body_of_the_largest_size_is_taken(small: Stand, bearer: str) -> None:
    with raw(small) as connection:
        connection.send(request("POST", PATH, bearer, JSON, body=b"{}".ljust(2_000)))
        assert connection.answer().code == "invalid_intent"


def test_who_has_no_key_sends_no_large_body(tmp_path: Path) -> None:
    with standing(made(tmp_path)) as one, raw(one) as connection:
        connection.send(request("POST", "/v1/device/code", JSON, "Content-Length: 20000"))
        answer = connection.answer()
        assert (answer.status, answer.code) == (413, "limit_exceeded")
        assert connection.is_closed()


def test_all_bodies_together_are_bounded_and_small_ones_come_in_all_the_same(tmp_path: Path) -> None:
    head = (JSON, "Content-Length: 1000000")
    with standing(made(tmp_path, body_bytes=1_000_000, body_s=600.0)) as one:
        bearer = f"Authorization: Bearer {key(one.deployment, 'one')}"
        with ExitStack() as stack:
            nine = [stack.enter_context(raw(one)).connection for _ in range(9)]
            for connection in nine:
                with suppress(ConnectionError):  # refused as this is sent
                    connection.sendall(request("POST", PATH, bearer, *head) + b" " * 999_999)
            answered, _, _ = select.select(nine, [], [], 60)
            assert [connection.recv(12) for connection in answered] == [b"HTTP/1.1 503"]
            with raw(one) as small_one:
                small_one.send(request("POST", PATH, bearer, JSON, body=b"{}"))
                assert small_one.answer().code == "invalid_intent"

        def taken() -> bool:
            with raw(one) as connection, suppress(ConnectionError):
                connection.send(request("POST", PATH, bearer, JSON, body=b"{}".ljust(1_000_000)))
                return connection.connection.recv(12) == b"HTTP/1.1 400"
            return False

        until(taken)  # what was held is given back


def test_a_body_that_takes_for_ever_is_not_waited_for(hasty: Stand) -> None:
    bearer = f"Authorization: Bearer {key(hasty.deployment, 'one')}"
    with raw(hasty) as connection:
        connection.send(request("POST", PATH, bearer, JSON, "Content-Length: 100"), b'{"spec":')
        answer = connection.answer()
        assert (answer.status, answer.code) == (408, "invalid_intent")
        assert connection.is_closed()


@pytest.mark.parametrize("beginning", [b"", b"G", b"GET / HTTP/1.1\r\nHost: te"])
def test_a_head_that_takes_for_ever_is_not_waited_for(hasty: Stand, beginning: bytes) -> None:
    with raw(hasty) as connection:
        connection.send(beginning)
        answer = connection.answer()
        assert (answer.status, answer.code) == (408, "invalid_intent")
        assert connection.is_closed()


def test_a_second_head_has_a_deadline_too(hasty: Stand) -> None:
    for _ in range(60):
        with raw(hasty) as connection:
            connection.send(request("GET", "/healthz"))
            if connection.answer().status == 200:  # else this process was too slow for the first one already
                connection.send(b"GET /hea")
                assert connection.answer().status == 408
                assert connection.is_closed()
                return
    pytest.fail("no request was in time")


@pytest.mark.parametrize(
    "head",
    [
        request("GET", "/healthz", "X-Long: " + "x" * 100_000),
        request("GET", "/" + "x" * 100_000),
        request("GET", "/healthz", *(f"X-{number}: x" for number in range(5_000))),
    ],
    ids=["a value", "a path", "many"],
)
def test_a_giant_head_is_refused(small: Stand, head: bytes) -> None:
    with raw(small) as connection:
        connection.send(head)
        answer = connection.answer()
        assert (answer.status, answer.code) == (431, "limit_exceeded")


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",  # TLS, to a port without it
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"\x00" * 1_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_told_so(small: Stand, nonsense: bytes) -> None:
    with raw(small) as connection:
        connection.send(nonsense)
        answer = connection.answer()
        assert (answer.status, answer.code) == (400, "invalid_intent")
        assert connection.is_closed()


def test_chunks_that_are_none_end_the_request(small: Stand, bearer: str) -> None:
    with raw(small) as connection:
        connection.send(request("POST", PATH, bearer, JSON, "Transfer-Encoding: chunked"), b"zz\r\n{}\r\n0\r\n\r\n")
        assert connection.answer().status == 400
        assert connection.is_closed()


def test_requests_in_one_packet_are_answered_in_their_order(small: Stand, bearer: str) -> None:
    paths = ["/healthz", "/v1/sources", "/nothing", "/v1/sources/sales", "/readyz"] * 4
    with raw(small) as connection:
        connection.send(b"".join(request("GET", path, bearer) for path in paths))
        answers: list[Answer] = [connection.answer() for _ in paths]
        assert [answer.status for answer in answers] == [200, 200, 404, 200, 200] * 4


def test_a_body_that_nobody_wants_is_no_second_request(small: Stand, bearer: str) -> None:
    inner = request("DELETE", "/v1/sources/sales", bearer)
    with raw(small) as connection:
        connection.send(request("POST", "/nothing", bearer, JSON, body=inner))
        assert connection.answer().status == 404
        assert connection.is_closed()
    with small.client() as client:
        assert client.get("/v1/sources/sales").status_code == 200


def test_two_lengths_of_one_body_are_refused(small: Stand, bearer: str) -> None:
    with raw(small) as connection:
        smuggled = b"0\r\n\r\n" + request("DELETE", "/v1/sources/sales", bearer)
        head = request("POST", PATH, bearer, JSON, f"Content-Length: {len(smuggled)}", "Transfer-Encoding: chunked")
        connection.send(head + smuggled)
        assert connection.answer().status in (400, 415)
    with small.client() as client:
        assert client.get("/v1/sources/sales").status_code == 200


def test_an_old_client_is_answered(small: Stand) -> None:
    with raw(small) as connection:
        connection.send(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert connection.answer().status == 200
        assert connection.is_closed()
