"""Who knocks at the runtime without being a client of it: nothing is computed, the refusal has a name, it lives on."""

from __future__ import annotations

import random
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from service_nb_kernels.runtime.frames import cut, piece
from service_nb_kernels.runtime.runtime_pb2 import Call, Floats, List, Nothing, Piece, Reply, Request, Value

from service_nb.runtimes.connection import SERVICE
from service_nb.runtimes.process import Endpoint, ensure_running
from tests.simulators.resident import (
    LONG,
    NPV_VALUE,
    bundle,
    front,
    is_busy,
    managed,
    own_home,
    processes,
    value,
    wait_until,
    workers,
)

Property = Callable[[str, object], None]
METHODS = ("Execute", "Describe", "Echo", "Stop")
NPV = Request(
    calls=[
        Call(
            capability="finance.npv",
            arguments=[
                Value(float64=0.1),
                Value(list=List(items=[Value(float64=flow) for flow in (-1000.0, 300.0, 420.0, 560.0, 680.0)])),
            ],
        )
    ]
)
OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with own_home() as folder:
        yield folder


@pytest.fixture
def endpoint(home: Path) -> Iterator[Endpoint]:
    """Where the runtime listens; it is the same process after the test as before, and computes."""
    found = ensure_running(bundle())
    pid = front(home)
    yield found
    found.close()
    runtime = managed()
    assert value(runtime) == NPV_VALUE
    runtime.close()
    assert front(home) == pid


@pytest.fixture
def channel(endpoint: Endpoint) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(endpoint.address, options=OPTIONS) as made:
        yield made


def unary(
    channel: grpc.Channel, method: str, content: bytes, *metadata: tuple[str, Any], timeout_s: float = 20.0
) -> Any:
    call: Any = channel.unary_unary(f"{SERVICE}{method}")
    return call(content, metadata=metadata, timeout=timeout_s)


def stream(channel: grpc.Channel, pieces: Any, *metadata: tuple[str, Any]) -> Any:
    method: Any = channel.stream_stream(f"{SERVICE}Stream")
    return method(iter(pieces), metadata=metadata, timeout=120.0)


def streamed(channel: grpc.Channel, pieces: Any, *metadata: tuple[str, Any]) -> bytes:
    return whole(stream(channel, pieces, *metadata))


def session(channel: grpc.Channel, requests: Any, *metadata: tuple[str, Any]) -> Any:
    method: Any = channel.stream_stream(f"{SERVICE}Session")
    return method(iter(requests), metadata=metadata, timeout=120.0)


def whole(answers: Any) -> bytes:
    return b"".join(Piece.FromString(answer).content for answer in answers)


def refusal(act: Callable[[], object]) -> grpc.StatusCode:
    with pytest.raises(grpc.RpcError) as caught:
        act()
    code: grpc.StatusCode = caught.value.code()
    return code


# --- who has no token -------------------------------------------------------------------------------------------------

TOKENS: list[Callable[[str], list[tuple[str, Any]]]] = [
    lambda token: [],
    lambda token: [("token", "")],
    lambda token: [("token", token[:-1])],
    lambda token: [("token", token + "x")],
    lambda token: [("token", token.swapcase())],
    lambda token: [("token", "x" * 43)],
    lambda token: [("token", "x" * 4_000)],
    lambda token: [("token-bin", token.encode())],
    lambda token: [("tokens", token)],
    lambda token: [("authorization", f"Bearer {token}")],
    lambda token: [("token", token.replace(token[5], " "))],
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metadata", TOKENS)
def test_without_the_token_no_method_answers(
    endpoint: Endpoint, channel: grpc.Channel, method: str, metadata: Any, record_property: Property
) -> None:
    given = metadata(endpoint.token)
    content = NPV.SerializeToString()
    assert refusal(lambda: unary(channel, method, content, *given)) is grpc.StatusCode.UNAUTHENTICATED
    assert refusal(lambda: streamed(channel, cut(content), *given)) is grpc.StatusCode.UNAUTHENTICATED
    assert refusal(lambda: next(session(channel, [content], *given))) is grpc.StatusCode.UNAUTHENTICATED
    record_property("bad_inputs", 3)


def test_with_the_token_it_answers(endpoint: Endpoint, channel: grpc.Channel) -> None:
    token = ("token", endpoint.token)
    content = NPV.SerializeToString()
    for answer in (unary(channel, "Execute", content, token), streamed(channel, cut(content), token)):
        reply = Reply.FromString(answer)
        assert [each.float64 for each in reply.values] == [NPV_VALUE]
        assert reply.instance
    assert unary(channel, "Echo", piece(b"x"), token) == piece(b"x")


def test_no_refusal_tells_the_token_or_a_place(endpoint: Endpoint, channel: grpc.Channel, home: Path) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        unary(channel, "Execute", b"", ("token", "x"))
    said = f"{caught.value.details()} {caught.value.trailing_metadata()}"
    assert endpoint.token not in said
    assert str(home) not in said


# --- who has one, and sends what is no request ------------------------------------------------------------------------


def deep(levels: int) -> bytes:
    """A list in a list in a list …, written by hand: no library would."""
    content = b""
    for _ in range(levels):
        inner = b"\x0a" + varint(len(content)) + content
        content = b"\x3a" + varint(len(inner)) + inner
    call = b"\x0a\x0bfinance.npv\x12" + varint(len(content)) + content
    return b"\x0a" + varint(len(call)) + call


def varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def garbage() -> list[bytes]:
    drawn, good = random.Random(3), NPV.SerializeToString()
    made = [
        b"\0",
        b"\xff" * 40,
        b"GET / HTTP/1.1\r\n\r\n",
        b"{}",
        b"\x80",
        deep(60),
        deep(5_000),
        b"\x0a\xff\xff\xff\xff\x0f",
    ]
    made += [drawn.randbytes(drawn.randint(1, 300)) for _ in range(40)]
    for _ in range(60):
        altered = bytearray(good)
        for _ in range(drawn.randint(1, 5)):
            place = drawn.randrange(len(altered))
            altered[place : place + drawn.randint(0, 2)] = drawn.randbytes(drawn.randint(0, 3))
        made.append(bytes(altered))
    made += [good[:length] for length in range(1, len(good), 3)]
    return made


def test_garbage_instead_of_a_request_is_answered(
    endpoint: Endpoint, channel: grpc.Channel, record_property: Property
) -> None:
    token = ("token", endpoint.token)
    for count, content in enumerate(garbage()):
        reply = Reply.FromString(unary(channel, "Execute", content, token))
        assert reply.instance
        if count < 8:
            assert reply.fault.code == "invalid_intent"
        record_property("bad_inputs", 1)


def test_garbage_on_a_stream_that_stays_open_is_answered_piece_by_piece(
    endpoint: Endpoint, channel: grpc.Channel, record_property: Property
) -> None:
    good, requests = NPV.SerializeToString(), []
    for content in garbage():
        requests += [content, good]
        record_property("bad_inputs", 1)
    answers = [Reply.FromString(answer) for answer in session(channel, requests, ("token", endpoint.token))]
    assert len(answers) == len(requests)
    assert all([each.float64 for each in answer.values] == [NPV_VALUE] for answer in answers[1::2])


def test_a_stream_that_is_left_during_a_call_stops_its_worker(
    endpoint: Endpoint, channel: grpc.Channel, home: Path
) -> None:
    call = Call(capability=LONG.capability_id, arguments=[Value(integer=f"{LONG.arguments[0]:x}")])
    content = Request(calls=[call] * 1_000).SerializeToString()
    wait_until(lambda: not is_busy(home))  # a worker that is starting works, too
    open_one = session(channel, [content], ("token", endpoint.token))
    wait_until(lambda: is_busy(home))
    before = set(workers(home))
    open_one.cancel()
    wait_until(lambda: before - set(workers(home)))


ODD_CALLS = [
    Call(),
    Call(capability="finance.npv"),
    Call(capability="finance.npv", arguments=[Value()] * 2),
    Call(capability="finance.npv", arguments=[Value(text="x"), Value(truth=True)]),
    Call(capability="finance.npv", arguments=[Value(float64=float("nan"))] * 2),
    Call(capability="finance.npv", arguments=[Value(float64=0.1), Value(floats=Floats(shape=[3], content=b"x"))]),
    Call(capability="finance.npv", arguments=[Value(float64=0.1), Value(floats=Floats(shape=[2**63], is_apart=True))]),
    Call(capability="finance.npv", arguments=[Value(float64=0.1)] * 5_000),
    Call(capability="simulation.pi_estimate", arguments=[Value(int64=10)], seed="x"),
    Call(capability="simulation.pi_estimate", arguments=[Value(int64=10)], seed="-1"),
    Call(capability="simulation.pi_estimate", arguments=[Value(int64=10)], seed="9" * 5_000),
    Call(capability="simulation.pi_estimate", arguments=[Value(int64=10)]),
    Call(capability="os.system", arguments=[Value(text="touch /tmp/x")]),
    Call(capability="../../x", arguments=[]),
    Call(capability="finance.npv:__import__", arguments=[]),
    Call(capability="x" * 1_000_000),
    Call(capability="number_theory.gcd", arguments=[Value(integer="f" * 900_000), Value(integer="-")]),
    Call(capability="number_theory.gcd", arguments=[Value(integer="f" * 2_000_000), Value(int64=3)]),
]


@pytest.mark.parametrize("call", ODD_CALLS, ids=range(len(ODD_CALLS)))
def test_calls_that_are_none_are_faults(
    endpoint: Endpoint, channel: grpc.Channel, call: Call, record_property: Property
) -> None:
    content = Request(calls=[call]).SerializeToString()
    reply = Reply.FromString(unary(channel, "Execute", content, ("token", endpoint.token)))
    assert not reply.values
    assert reply.fault.code
    assert len(reply.fault.message) < 2_000_000
    record_property("bad_inputs", 1)


@pytest.mark.parametrize("timeout_s", [float("nan"), float("inf"), -1.0, -0.0, 5e-324, 1e300])
def test_odd_deadlines_are_answered(endpoint: Endpoint, channel: grpc.Channel, timeout_s: float) -> None:
    content = Request(calls=NPV.calls, timeout_s=timeout_s).SerializeToString()
    reply = Reply.FromString(unary(channel, "Execute", content, ("token", endpoint.token)))
    assert reply.values or reply.fault.code


def test_an_empty_request_has_an_empty_reply(endpoint: Endpoint, channel: grpc.Channel) -> None:
    reply = Reply.FromString(unary(channel, "Execute", b"", ("token", endpoint.token)))
    assert not reply.values
    assert not reply.HasField("fault")


@pytest.mark.parametrize("head", ["0", "-1", "2", "x", "", "1e3", "999999999999", "+1", "1.0"])
def test_a_stream_that_lies_about_its_request_is_refused(
    endpoint: Endpoint, channel: grpc.Channel, head: str, record_property: Property
) -> None:
    pieces = list(cut(NPV.SerializeToString()))
    metadata = (("token", endpoint.token), ("head", head))
    assert refusal(lambda: streamed(channel, pieces, *metadata)) is grpc.StatusCode.INVALID_ARGUMENT
    record_property("bad_inputs", 1)


@pytest.mark.parametrize("pieces", [[], [b"x"], [b"\x0a\x05x"], [piece(b""), b"\0"], [b"\x0a\x80"], [b"\xff" * 100]])
def test_a_stream_of_no_pieces_is_refused(
    endpoint: Endpoint, channel: grpc.Channel, pieces: list[bytes], record_property: Property
) -> None:
    code = refusal(lambda: streamed(channel, pieces, ("token", endpoint.token)))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    record_property("bad_inputs", 1)


def test_a_stream_with_fewer_or_more_bytes_than_it_says_is_answered(endpoint: Endpoint, channel: grpc.Channel) -> None:
    token = ("token", endpoint.token)
    values = [Value(floats=Floats(shape=[10_000], is_apart=True, is_array=True))]
    content = Request(calls=[Call(capability="stats.sum", arguments=values)]).SerializeToString()
    for size, is_good in ((80_000, True), (79_999, False), (0, False), (8_000_000, True)):
        reply = Reply.FromString(streamed(channel, [*cut(content), *cut(bytes(size))], token))
        assert bool(reply.values) == is_good
        assert bool(reply.fault.code) != is_good


def test_a_stream_that_is_cut_in_the_middle_leaves_nothing(endpoint: Endpoint, channel: grpc.Channel) -> None:
    def pieces() -> Iterator[bytes]:
        yield from cut(NPV.SerializeToString())
        yield from cut(bytes(10_000_000))
        raise RuntimeError("the client breaks off")

    for _ in range(20):
        with pytest.raises(grpc.RpcError):
            streamed(channel, pieces(), ("token", endpoint.token))


def test_a_client_that_hangs_up_while_it_is_answered_leaves_nothing(endpoint: Endpoint, home: Path) -> None:
    values = [Value(int64=300_000), Value(float64=0.5)]
    content = Request(calls=[Call(capability="simulation.random_walk", arguments=values, seed="1")]).SerializeToString()
    for _ in range(3):
        with grpc.insecure_channel(endpoint.address, options=OPTIONS) as short:
            next(stream(short, cut(content), ("token", endpoint.token)))
    wait_until(lambda: len(processes(home)) >= 2)


def test_a_message_beyond_what_is_taken_is_refused(
    endpoint: Endpoint, channel: grpc.Channel, record_property: Property
) -> None:
    for given in ([], [("token", endpoint.token)]):
        for method in METHODS[:3]:
            code = refusal(lambda: unary(channel, method, bytes(5 * 2**20), *given))  # noqa: B023  # called at once
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            record_property("bad_inputs", 1)


@pytest.mark.parametrize(
    "method", ["/", "/x", "/grpc.health.v1.Health/Check", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"]
)
def test_other_methods_are_not_there(
    endpoint: Endpoint, channel: grpc.Channel, method: str, record_property: Property
) -> None:
    token = ("token", endpoint.token)
    call: Any = channel.unary_unary(method)
    assert refusal(lambda: call(b"", metadata=(token,), timeout=120)) is grpc.StatusCode.UNIMPLEMENTED
    for ours in ("execute", "Execute/", "Shutdown", "Execute\0", "../Runtime/Execute"):
        code = refusal(lambda: unary(channel, ours, Nothing().SerializeToString(), token))  # noqa: B023  # as above
        assert code in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL)
    record_property("bad_inputs", 6)


# --- who speaks no gRPC -----------------------------------------------------------------------------------------------


def raw(endpoint: Endpoint) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(120)
    made.connect(str(endpoint.folder / "socket"))
    return made


FRAMES = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
OTHERS = [
    b"",
    b"\0",
    b"\0" * 100_000,
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /../../etc/passwd HTTP/1.0\r\n\r\n",
    b"POST /service_nb.runtime.v1.Runtime/Stop HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    b"CONNECT example.org:443 HTTP/1.1\r\n\r\n",
    b"SSH-2.0-OpenSSH_9.9\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(508),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
    FRAMES + b"\xff\xff\xff\x01\x05\0\0\0\1",
    FRAMES + b"\0\0\4\3\0\0\0\0\1\0\0\0\0",
    FRAMES + b"\0\0\x08\6\0\0\0\0\0pingping" * 2_000,
    FRAMES + b"\0\0\4\x08\0\0\0\0\0\xff\xff\xff\xff",
    FRAMES + b"\0\0\3\1\4\0\0\0\1\xff\xff\xff",
    FRAMES + b"\0\0\x10\0\0\0\0\0\3" + bytes(16),
]


@pytest.mark.parametrize("sent", OTHERS, ids=range(len(OTHERS)))
def test_another_protocol_computes_nothing(endpoint: Endpoint, sent: bytes, record_property: Property) -> None:
    for is_patient in (True, False):
        with raw(endpoint) as door:
            try:
                door.sendall(sent)
                if is_patient:
                    door.shutdown(socket.SHUT_WR)
                    while met := door.recv(65_536):
                        assert b"505." not in met
                        assert endpoint.token.encode() not in met
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has hung up on us: an answer, too
        record_property("bad_inputs", 1)


def test_a_tls_client_is_hung_up_on(endpoint: Endpoint, record_property: Property) -> None:
    context = ssl.create_default_context()
    with raw(endpoint) as door, pytest.raises((ssl.SSLError, OSError)):
        context.wrap_socket(door, server_hostname="localhost")
    record_property("bad_inputs", 1)


def test_two_hundred_connections_at_once_keep_nobody_out(endpoint: Endpoint, record_property: Property) -> None:
    doors = []
    try:
        for at in range(200):
            door = raw(endpoint)
            doors.append(door)
            door.sendall(OTHERS[at % len(OTHERS)][:60])
        runtime = managed()
        assert value(runtime) == NPV_VALUE
        runtime.close()
    except BrokenPipeError:
        pytest.fail("a connection was not taken")
    finally:
        for door in doors:
            door.close()
    record_property("bad_inputs", 200)


def test_two_hundred_calls_without_a_token_at_once_keep_nobody_out(
    endpoint: Endpoint, record_property: Property
) -> None:
    def knock(_: int) -> grpc.StatusCode:
        with grpc.insecure_channel(endpoint.address, options=OPTIONS) as channel:
            return refusal(lambda: unary(channel, "Execute", NPV.SerializeToString(), ("token", "x")))

    with ThreadPoolExecutor(20) as pool:
        met = set(pool.map(knock, range(200)))
    assert met == {grpc.StatusCode.UNAUTHENTICATED}
    record_property("bad_inputs", 200)


def test_clients_that_stall_keep_nobody_out_for_long(endpoint: Endpoint) -> None:
    release: list[bool] = []

    def stalling() -> Iterator[bytes]:
        yield from cut(NPV.SerializeToString())
        wait_until(lambda: release)

    with grpc.insecure_channel(endpoint.address, options=OPTIONS) as channel:
        calls = [stream(channel, stalling(), ("token", endpoint.token)) for _ in range(8)]
        runtime = managed()
        assert value(runtime) == NPV_VALUE
        runtime.close()
        release.append(True)
        for call in calls:
            assert [each.float64 for each in Reply.FromString(whole(call)).values] == [NPV_VALUE]


def test_the_token_is_needed_on_a_port_too(tmp_path: Path, record_property: Property) -> None:
    with own_home(tmp_path / ("long" * 30)) as folder:
        found = ensure_running(bundle())
        assert found.address.startswith("127.0.0.1:")
        host, _, port = found.address.partition(":")
        with grpc.insecure_channel(found.address, options=OPTIONS) as channel:
            for method in METHODS:
                code = refusal(lambda: unary(channel, method, b"", ("token", "x" * 43)))  # noqa: B023  # called at once
                assert code is grpc.StatusCode.UNAUTHENTICATED
                record_property("bad_inputs", 1)
        with socket.create_connection((host, int(port)), timeout=120) as door:
            door.sendall(OTHERS[3])
            door.shutdown(socket.SHUT_WR)
            while door.recv(65_536):
                pass
        assert value(managed()) == NPV_VALUE
        front(folder)
        found.close()


def test_a_client_whose_token_is_not_the_runtimes_gets_another_runtime(home: Path) -> None:
    found = ensure_running(bundle())
    pid = front(home)
    (found.folder / "token").write_text("x" * 43, encoding="ascii")
    found.close()
    assert value(managed()) == NPV_VALUE
    assert front(home) != pid
