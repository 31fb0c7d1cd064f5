"""Sockets that stay open: many of them at once, what ends them, and that an ended one is not used again."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from service_nb_kernels.runtime.frames import LENGTHS, Closed, receive, send
from service_nb_kernels.runtime.runtime_pb2 import Reply

from service_nb.errors import QueryTimeoutError
from service_nb.runtimes.connection import CallSockets, Channel, StatusError
from service_nb.runtimes.managed import Managed, _split_calls
from tests.simulators.resident import LONG, NPV_VALUE, managed, value


@pytest.mark.slow
def test_a_hundred_sockets_stay_open_and_nobody_waits_for_another(home: Path) -> None:
    clients = [managed() for _ in range(100)]
    assert {value(each) for each in clients} == {NPV_VALUE}
    assert {value(each) for each in clients} == {NPV_VALUE}
    for each in clients:
        each.close()


def test_a_thread_has_a_socket_for_itself_and_leaves_it_to_the_next(runtime: Managed) -> None:
    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: value(runtime), range(64))) == {NPV_VALUE}
    assert runtime._link is not None
    assert isinstance(runtime._link.connection, Channel)
    assert 1 <= len(runtime._link.connection._sockets._idle) <= 8


def test_a_socket_that_ended_late_is_not_used_again(runtime: Managed) -> None:
    for _ in range(2):
        with pytest.raises(QueryTimeoutError):
            runtime.run([LONG], timeout_s=0.2)
        assert value(runtime) == NPV_VALUE


@pytest.mark.parametrize(("ends", "status"), [(True, "UNAVAILABLE"), (False, "DEADLINE_EXCEEDED")])
def test_an_end_without_an_answer_has_a_status(ends: bool, status: str, tmp_path: Path) -> None:
    """The other end says nothing until it is told to, or ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "calls"))
        listener.listen()
        sockets = CallSockets(f"unix:{quote(str(tmp_path / 'calls'))}", "token")
        with ThreadPoolExecutor(1) as other:
            accepted = other.submit(listener.accept)
            if ends:
                other.submit(lambda: accepted.result()[0].close())  # noqa: PLW0108  # the result is not there yet
            with pytest.raises(StatusError) as caught:
                sockets.exchange(b"request", (), 0.3)
            assert caught.value.status.name == status
            with accepted.result()[0] as heard:
                if not ends:
                    assert heard.recv(100).startswith(b"token")
                    assert heard.recv(100) == b""  # what waited there was ended
        assert not sockets._idle


def test_a_connection_without_the_token_is_closed_unread(runtime: Managed) -> None:
    value(runtime)
    assert runtime._link is not None
    endpoint = runtime._link._endpoint
    for said in (b"", b"x" * len(endpoint.token), endpoint.token.encode()[:-1] + b"!"):
        sockets = CallSockets(endpoint.calls, said.decode())
        with pytest.raises(StatusError) as caught:
            sockets.exchange(b"request", (), 15)
        assert caught.value.status.name == "UNAVAILABLE"
    assert value(runtime) == NPV_VALUE


def test_who_sends_more_before_the_answer_is_not_answered(runtime: Managed) -> None:
    value(runtime)
    assert runtime._link is not None
    (batch,) = _split_calls([LONG], None)
    sockets = CallSockets(runtime._link._endpoint.calls, runtime._link._endpoint.token)
    with sockets._open() as channel:
        send(channel, batch.request.SerializeToString())
        time.sleep(0.3)  # it is being computed
        channel.sendall(b"more")
        assert Reply.FromString(receive(channel)[0]).fault.code == "compute_runtime_unavailable"
    with sockets._open() as channel:
        channel.sendall(LENGTHS.pack(4 + 7, 7) + b"requestmore")
        with pytest.raises(Closed):
            receive(channel)
    assert value(runtime) == NPV_VALUE
