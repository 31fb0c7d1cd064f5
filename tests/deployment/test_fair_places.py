"""Whoever asks most waits longest: places and the queue before them are shared between tenants, and their keys."""

from __future__ import annotations

import asyncio
import http.server
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from service_nb.errors import OverloadedError
from service_nb.server.admission import SPARE, AdmissionQueue, Asker, ByteBudget, Shares
from tests.deployment.conftest import REACHABLE
from tests.deployment.stand import made, standing

LONG_S = 600.0
ONE, TWO, THREE = Asker("one", "a"), Asker("two", "b"), Asker("three", "c")


class Crowd:
    """Askers before some places: who came in, in which order, and who was refused."""

    def __init__(self, running: int, queued: int) -> None:
        self.places = AdmissionQueue(running, queued, LONG_S, Shares())
        self.entered: list[Asker] = []
        self._inside: list[Asker] = []
        self.refused: list[OverloadedError] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self, *askers: Asker) -> None:
        """Have some come, one after another, and wait for what comes of it at once."""
        for asker in askers:
            self._tasks.append(asyncio.create_task(self._enter(asker)))
            await settled()

    async def _enter(self, asker: Asker) -> None:
        try:
            if await self.places.enter(asker, asyncio.get_running_loop().create_future()):
                self.entered.append(asker)
                self._inside.append(asker)
        except OverloadedError as error:
            self.refused.append(error)

    async def go(self, *askers: Asker) -> None:
        """Have some give their places back."""
        for asker in askers:
            self._inside.remove(asker)
            self.places.leave(asker)
            await settled()

    async def empty(self) -> list[Asker]:
        """Let everybody in and out, and return in which order they came in from now on."""
        before = len(self.entered)
        while self._inside:
            await self.go(self._inside[0])
        return self.entered[before:]


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def crowded(work: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(work())  # type: ignore[arg-type]


def test_a_tenant_that_comes_later_waits_for_no_others_flood() -> None:
    async def work() -> None:
        crowd = Crowd(running=1, queued=100)
        await crowd.come(*[ONE] * 50, TWO, TWO, THREE)
        await crowd.go(ONE)
        order = crowd.entered[1:] + await crowd.empty()
        assert set(order[:3]) == {ONE, TWO, THREE}  # each tenant had a turn before any had a second
        assert order.count(TWO) == 2
        assert order.index(TWO) < 3
        assert [each for each in order[5:] if each is not ONE] == []

    crowded(work)


def test_keys_of_a_tenant_have_their_turns_too() -> None:
    async def work() -> None:
        crowd, other = Crowd(running=1, queued=100), Asker("one", "other key")
        await crowd.come(*[ONE] * 20, other)
        await crowd.go(ONE)
        await crowd.go(ONE)
        assert other in crowd.entered[1:3]

    crowded(work)


def test_a_full_queue_takes_who_has_little_in_it_and_refuses_the_newest_of_who_has_most() -> None:
    async def work() -> None:
        crowd = Crowd(running=1, queued=8)
        await crowd.come(*[ONE] * 12)
        assert (len(crowd.entered), crowd.places.queued, len(crowd.refused)) == (1, 8, 3)
        await crowd.come(*[TWO] * 6)
        assert crowd.places.queued == 8
        assert len(crowd.refused) == 9  # four of the flood for four of the other, then two of the other
        assert all(error.retryable and error.details["retry_after_s"] >= 1 for error in crowd.refused)
        came = Counter(await crowd.empty())
        assert came == {ONE: 4, TWO: 4}

    crowded(work)


def test_a_full_queue_is_fair_between_the_keys_of_a_tenant() -> None:
    async def work() -> None:
        crowd, other = Crowd(running=1, queued=6), Asker("one", "other key")
        await crowd.come(*[ONE] * 7, *[other] * 5)
        assert len(crowd.refused) == 5
        assert Counter(await crowd.empty()) == {ONE: 3, other: 3}

    crowded(work)


def test_of_several_tenants_none_has_all_places_and_one_alone_may() -> None:
    async def work() -> None:
        crowd = Crowd(running=2 * SPARE, queued=100)
        await crowd.come(*[ONE] * 2 * SPARE)
        assert len(crowd.entered) == 2 * SPARE
        await crowd.empty()
        await crowd.come(TWO)
        await crowd.go(TWO)
        crowd.entered.clear()
        await crowd.come(*[ONE] * 3 * SPARE)
        assert crowd.entered == [ONE] * (2 * SPARE - 2)
        await crowd.come(TWO, TWO)
        assert crowd.entered[-2:] == [TWO, TWO]  # at once, though others wait
        await crowd.empty()
        assert crowd.places.queued == 0

    crowded(work)


def test_who_goes_from_the_queue_takes_nobodys_place_with_it() -> None:
    async def work() -> None:
        crowd = Crowd(running=1, queued=4)
        await crowd.come(ONE, ONE, TWO)
        gone = asyncio.get_running_loop().create_future()
        going = asyncio.create_task(crowd.places.enter(THREE, gone))
        await settled()
        gone.set_result(None)
        assert await going is False
        cancelled = asyncio.create_task(crowd.places.enter(THREE, asyncio.get_running_loop().create_future()))
        await settled()
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assert crowd.places.queued == 2
        await crowd.go(ONE)
        assert crowd.places.queued == 1
        # Its place comes in the same moment as it goes: another has it.
        both = asyncio.get_running_loop().create_future()
        late = asyncio.create_task(crowd.places.enter(THREE, both))
        await settled()
        crowd.places.leave(crowd.entered[-1])
        both.set_result(None)
        assert await late is False
        await settled()
        assert crowd.places.queued == 0
        assert Counter(crowd.entered) == {ONE: 2, TWO: 1}

    crowded(work)


def test_whatever_comes_and_goes_no_place_is_lost_and_none_made() -> None:
    async def work() -> None:
        crowd = Crowd(running=3, queued=5)
        askers = [Asker(f"t{number % 4}", f"k{number % 7}") for number in range(200)]
        await crowd.come(*askers)
        assert len(crowd.entered) <= 3
        await crowd.empty()
        assert len(crowd.entered) + len(crowd.refused) == 200
        assert (crowd.places.queued, crowd.places._free, dict(crowd.places._had)) == (0, 3, {})
        assert crowd.places._lines == {}

    crowded(work)


def test_of_several_tenants_none_holds_all_bytes_of_bodies() -> None:
    held = ByteBudget(80, Shares())
    held.take(TWO, 1)
    held.take(ONE, 70)
    with pytest.raises(OverloadedError):
        held.take(ONE, 1)
    held.take(TWO, 9)
    held.give_back(ONE, 70)
    held.give_back(TWO, 10)
    held.take(TWO, 70)


# --- on a server ------------------------------------------------------------------------------------------------------


class Hanging(http.server.ThreadingHTTPServer):
    """A source that answers when it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        self.released = threading.Event()
        super().__init__(("127.0.0.1", 0), _Answers)

    @property
    def descriptor(self) -> dict[str, str]:
        return {"type": "rest", "url": f"http://127.0.0.1:{self.server_port}/"}


class _Answers(http.server.BaseHTTPRequestHandler):
    server: Hanging

    def do_GET(self) -> None:
        self.server.released.wait(LONG_S)
        with suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b'[{"n": 1}]')

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def hanging() -> Iterator[Hanging]:
    with Hanging() as source:
        thread = threading.Thread(target=source.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield source
        finally:
            source.released.set()
            source.shutdown()
            thread.join()


def figures(client: httpx.Client) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in client.get("/metrics").text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines if name in ("service_nb_running", "service_nb_queued")}


def until(condition: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if condition():
            return
        threading.Event().wait(0.02)
    raise AssertionError("it never came about")


def test_a_tenant_that_floods_takes_neither_places_nor_queue_from_another(tmp_path: Path) -> None:
    text = REACHABLE + f"\n[timeouts]\nconnect_s = {LONG_S}\nrequest_s = {LONG_S}\n"
    bounds = {"running": 2, "queued": 8, "queue_s": LONG_S, "request_s": LONG_S}
    with (
        hanging() as source,
        standing(made(tmp_path, text, **bounds)) as stand,
        stand.client("one") as one,
        stand.client("two") as two,
        ThreadPoolExecutor(40) as threads,
    ):
        one.timeout = two.timeout = httpx.Timeout(LONG_S)
        body = {"descriptor": source.descriptor}
        try:
            assert {one.get("/v1/sources").status_code, two.get("/v1/sources").status_code} == {200}
            flood = [threads.submit(one.post, "/v1/connectors/test", json=body) for _ in range(20)]
            until(lambda: sum(future.done() for future in flood) == 11)  # one runs, eight wait, the others are refused
            assert figures(two) == {"service_nb_running": 1, "service_nb_queued": 8}
            answers = [two.get("/v1/sources").status_code for _ in range(20)]
            assert answers == [200] * 20

            # With its own place taken, it waits for that, in the queue that another has filled.
            own = threads.submit(two.post, "/v1/connectors/test", json=body)
            until(lambda: figures(two)["service_nb_running"] == 2)
            waiting = [threads.submit(two.get, "/v1/sources") for _ in range(4)]
            until(lambda: sum(future.done() for future in flood) == 15)
            assert figures(two) == {"service_nb_running": 2, "service_nb_queued": 8}
            assert not any(future.done() for future in [own, *waiting])
        finally:
            source.released.set()
        assert [future.result().status_code for future in [own, *waiting]] == [200] * 5
        check_refused(flood, 15)


def check_refused(flood: list[Future[httpx.Response]], count: int) -> None:
    refused = [answer for future in flood if (answer := future.result()).status_code != 200]
    assert len(refused) == count
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(503, "overloaded")}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
