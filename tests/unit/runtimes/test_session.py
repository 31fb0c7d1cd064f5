"""Streams that stay open: many of them at once, what ends them, and that an ended one is not used again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from service_nb.errors import QueryTimeoutError
from service_nb.runtimes.connection import Channel, StatusError, StreamPool
from service_nb.runtimes.managed import Managed
from tests.simulators.resident import LONG, NPV_VALUE, managed, value


@pytest.mark.slow
def test_a_hundred_streams_stay_open_and_nobody_waits_for_another(home: Path) -> None:
    clients = [managed() for _ in range(100)]
    assert {value(each) for each in clients} == {NPV_VALUE}
    assert {value(each) for each in clients} == {NPV_VALUE}
    for each in clients:
        each.close()


def test_a_thread_has_a_stream_for_itself_and_leaves_it_to_the_next(runtime: Managed) -> None:
    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: value(runtime), range(64))) == {NPV_VALUE}
    assert runtime._link is not None
    assert isinstance(runtime._link.connection, Channel)
    assert 1 <= len(runtime._link.connection._streams._idle) <= 8


def test_a_stream_that_ended_late_is_not_used_again(runtime: Managed) -> None:
    for _ in range(2):
        with pytest.raises(QueryTimeoutError):
            runtime.run([LONG], timeout_s=0.2)
        assert value(runtime) == NPV_VALUE


class Script:
    """The other end of streams, as it might behave: it answers nothing until it is told to, or ends."""

    def __init__(self, *, ends: bool) -> None:
        self.ends, self.was_cancelled = ends, threading.Event()

    def stream_stream(self, _: str) -> Script:
        return self

    def __call__(self, _: Iterator[bytes], **__: object) -> Script:
        return self

    def __next__(self) -> bytes:
        if self.ends:
            raise StopIteration
        self.was_cancelled.wait(30)
        raise grpc.RpcError

    def cancel(self) -> None:
        self.was_cancelled.set()


@pytest.mark.parametrize(("ends", "status"), [(True, "UNAVAILABLE"), (False, "DEADLINE_EXCEEDED")])
def test_an_end_without_an_answer_has_a_status(ends: bool, status: str) -> None:
    script = Script(ends=ends)
    sessions = StreamPool(script, ())  # type: ignore[arg-type]
    with pytest.raises(StatusError) as caught:
        sessions.exchange(b"", 0.1)
    assert caught.value.status.name == status
    assert script.was_cancelled.is_set()
    assert not sessions._idle
    sessions.close()
