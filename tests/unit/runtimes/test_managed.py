"""The managed runtime as a client sees it: the values, refusals and envelope of one process, whatever is asked."""

from __future__ import annotations

import collections
import random
import signal
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import Capability
from service_nb_kernels.runtime.profile import supported

from service_nb import create_service
from service_nb.client import user_keys as devices
from service_nb.client.service import Service
from service_nb.core.stopping import Stop, stopping
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    InvalidIntentError,
    LimitExceededError,
    LoginRequiredError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    UnsupportedOperationError,
)
from service_nb.runtimes import managed as clients
from service_nb.runtimes.connection import Channel
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.interface import Invocation
from service_nb.runtimes.managed import Managed
from tests.simulators.pressing import ctrl_c
from tests.simulators.resident import (
    LONG,
    NPV,
    NPV_VALUE,
    bundle,
    client,
    front,
    is_busy,
    managed,
    own_home,
    processes,
    run_folder,
    said,
    stop_all,
    value,
    wait_until,
    workers,
)

IN_PROCESS = InProcess()


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same types and bits at every place."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    return bool(one == other)


# --- the same as in this process --------------------------------------------------------------------------------------


def sample(count: int) -> list[tuple[Capability, list[Any], int | None]]:
    """Cases of the contract: of every kind of capability, the same ones each time."""
    drawn = random.Random(20_260_000)
    known = [declared for declared in capabilities().values() if declared.tier == "certified" and declared.cases]
    found = []
    for declared in drawn.sample(known, count):
        case = drawn.choice(declared.cases)
        arguments = [typed(case.arguments[parameter.name], parameter.scalar) for parameter in declared.params]
        found.append((declared, arguments, case.seed))
    return found


def typed(value: Any, scalar: str) -> Any:
    if isinstance(value, list):
        return [typed(item, scalar) for item in value]
    return float(value) if scalar == "float64" else int(value) if scalar == "int" else value


def altered(declared: Capability, arguments: list[Any]) -> Iterator[list[Any]]:
    """The arguments with one of them at a time at the border of what there is, or beyond."""
    beyond: dict[str, list[Any]] = {
        "float64": [-1e308, 0.0, 1e308, 5e-324],
        "int": [-(10**30), 0, 10**30],
        "string": ["", "\u2028x"],
        "bool": [],
    }
    for place, parameter in enumerate(declared.params):
        for odd in beyond[parameter.scalar]:
            if parameter.shape:
                yield [
                    *arguments[:place],
                    [[odd] * 2] * 3 if len(parameter.shape) > 1 else [odd],
                    *arguments[place + 1 :],
                ]
            else:
                yield [*arguments[:place], odd, *arguments[place + 1 :]]


def outcome(runtime: InProcess | Managed, call: Invocation, patience_s: float = 20) -> Any:
    try:
        return runtime.run([call], timeout_s=patience_s).values[0]
    except ServiceError as error:
        details = {key: met for key, met in error.details.items() if key != "engine"}
        return type(error).__name__, error.code, error.retryable, details


def test_cases_of_the_contract_have_the_same_value_or_refusal_as_in_process(runtime: Managed) -> None:
    calls = [Invocation(declared.id, arguments, seed) for declared, arguments, seed in sample(200)]
    differ = [call for call in calls if not same(outcome(runtime, call), outcome(IN_PROCESS, call))]
    assert differ == []


# A call that takes longer is compared where minutes count for nothing: in this process nothing can end it.
@pytest.mark.parametrize("patience_s", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_refusals_are_the_same_as_in_process(runtime: Managed, patience_s: float) -> None:
    drawn, refused, differ = random.Random(7), collections.Counter[str](), []
    for declared, arguments, seed in sample(150):
        odd = list(altered(declared, arguments))
        for some in drawn.sample(odd, min(2, len(odd))):
            call = Invocation(declared.id, some, seed)
            met = outcome(runtime, call, patience_s)
            if isinstance(met, tuple) and met[1] == "timeout":
                refused["timeout"] += 1
                continue
            expected = outcome(IN_PROCESS, call)
            if not same_outcome(met, expected):
                differ.append((call, met, expected))
            if isinstance(expected, tuple):
                refused[expected[1]] += 1
    assert differ == []
    assert refused["domain_error"] > 30
    assert refused["invalid_intent"] > 5
    assert refused["timeout"] < 5


def same_outcome(one: Any, other: Any) -> bool:
    return one == other if isinstance(one, tuple) else same(one, other)


@pytest.mark.parametrize(
    "call",
    [
        Invocation("finance.npv", [float("inf"), [1.0]]),
        Invocation("finance.npv", [float("nan"), [1.0]]),
        Invocation("finance.npv", [0.1, [float("nan")]]),
        Invocation("finance.npv", [0.1, []]),
        Invocation("finance.npv", [0.1, np.array([[1.0]])]),
        Invocation("number_theory.divisors", [10**44]),
        Invocation("number_theory.is_prime", [10**400]),
        Invocation("number_theory.digit_sum", [10**4_000, 1]),
        Invocation("simulation.pi_estimate", [100]),
        Invocation("linalg.eigenvalues_large", [np.ones((500, 500))]),
    ],
    ids=lambda call: call.capability_id + str(call.arguments[0])[:8],
)
def test_odd_arguments_have_the_same_refusal_as_in_process(runtime: Managed, call: Invocation) -> None:
    met = outcome(runtime, call)
    assert isinstance(met, tuple)
    assert met == outcome(IN_PROCESS, call)


@pytest.mark.parametrize(
    "call",
    [
        Invocation("stats.sum", [np.linspace(-1.0, 1.0, 300_001)]),
        Invocation("stats.sum", [np.linspace(-1.0, 1.0, 300_001).tolist()]),
        Invocation("stats.sum", [np.linspace(-1.0, 1.0, 600_001)[::2]]),
        Invocation("linalg.trace", [np.asfortranarray(np.arange(10_000.0).reshape(100, 100))]),
        Invocation("linalg.matrix_vector", [np.arange(12.0).reshape(3, 4).T, [1.0, 2.0, 3.0]]),
        Invocation("number_theory.gcd_of", [[6 * 10**40 + 6 * at for at in range(100_000)]]),  # long, and no array
        Invocation("text_metrics.yule_k", [list(range(1, 1_000))]),
        Invocation("number_theory.gcd", [10**3_000, 6 ** (10**5)]),
        Invocation("combinatorics.fibonacci", [500_000]),
    ],
    ids=lambda call: call.capability_id,
)
def test_long_arguments_and_values_are_the_same_as_in_process(runtime: Managed, call: Invocation) -> None:
    assert same(value(runtime, call), IN_PROCESS.run([call]).values[0])


@pytest.mark.slow
def test_a_long_value_comes_back_whole(runtime: Managed) -> None:
    call = Invocation("simulation.random_walk", [600_000, 0.5], seed=7)
    met = value(runtime, call)
    assert same(met, IN_PROCESS.run([call]).values[0])


@pytest.mark.slow
def test_ten_million_values_have_the_same_bits_as_in_process(runtime: Managed) -> None:
    vector = np.random.default_rng(1).normal(size=10_000_000)
    for name in ("stats.sum", "stats.mean", "stats.range"):
        call = Invocation(name, [vector])
        assert same(value(runtime, call), IN_PROCESS.run([call]).values[0])


# --- what is said of it -----------------------------------------------------------------------------------------------


def test_it_is_described_by_the_process_that_computed(home: Path, runtime: Managed) -> None:
    told, status, made = runtime.describe(), clients.read_status(bundle()), bundle()
    assert status is not None
    assert (told.bundle_version, told.bundle_sha256) == (made.bundle_version, made.bundle_sha256)
    assert told.profile == supported()
    assert told.is_pinned == (supported() != "portable")
    assert {"numpy", "scipy", "python-flint", "libc", "libm", "simd", "numpy.openblas"} <= told.libraries.keys()
    assert told.libraries["numpy.openblas"].endswith(" 1 thread")
    assert status.pid == front(home)
    assert status.description == told
    assert status.contract_hash == made.contract_hash
    assert status.memory_bytes > 10_000_000
    assert status.idle_s >= 0.0
    assert runtime.run([NPV]).description == told
    nothing = runtime.run([])
    assert (nothing.values, nothing.description) == ([], told)


def test_the_envelope_names_the_bundle_the_profile_and_the_libraries(service: Service) -> None:
    told = service.compute("simulation.pi_estimate", args=[100], seed=5)["determinism"]
    assert told["runtime_bundle_version"] == bundle().bundle_version
    assert told["runtime_bundle_sha256"] == bundle().bundle_sha256
    assert told["profile"] == supported()
    assert told["pinning"] == "pinned"
    assert told["thread_count"] == 1
    assert told["kernel_build"].startswith("service_nb_kernels ")
    assert told["libraries"] == dict(managed().describe().libraries)


# --- round trips ------------------------------------------------------------------------------------------------------


@pytest.fixture
def counted(home: Path, monkeypatch: pytest.MonkeyPatch) -> collections.Counter[str]:
    """Count what goes to the runtime, by the name of the method; a call is counted as a call."""
    met: collections.Counter[str] = collections.Counter()
    ask, call = Channel.ask, Channel.call

    def ask_counted(channel: Channel, method: str, *given: Any) -> bytes:
        met[method] += 1
        return ask(channel, method, *given)

    def call_counted(channel: Channel, *given: Any) -> bytes:
        met["call"] += 1
        return call(channel, *given)

    monkeypatch.setattr(Channel, "ask", ask_counted)
    monkeypatch.setattr(Channel, "call", call_counted)
    return met


@pytest.fixture
def service(home: Path) -> Iterator[Service]:
    made = create_service()
    yield made
    made.close()


def test_the_start_of_the_runtime_is_told_apart_from_the_time_of_the_first_call(tmp_path: Path) -> None:
    with own_home():
        fresh = managed()
        began = time.monotonic()
        first = fresh.run([NPV])
        whole_s = time.monotonic() - began
        assert 0 < first.setup_s < whole_s
        assert whole_s - first.setup_s < first.setup_s  # nearly all of it was the start of the process
        assert fresh.run([NPV]).setup_s == 0.0
        fresh.close()
        service = create_service(project=tmp_path, ledger="off", runtime=managed())
        computed = [service.compute("finance.npv", args=[0.1, [-1000.0, 1100.0]]) for _ in range(2)]
        assert computed[0].setup_ms > 0.0
        assert computed[1].setup_ms == 0.0
        service.close()


def test_many_calls_go_in_one_round_trip(counted: collections.Counter[str], service: Service) -> None:
    spec = {"module": "finance", "function": "npv"}
    service.compute({**spec, "args": [0.1, [1.0]]})
    counted.clear()
    made = service.compute_many([{**spec, "args": [0.1, [float(at), 1.0]]} for at in range(500)])
    assert [one.value for one in made[:2]] == [1 / 1.1, 1 + 1 / 1.1]
    assert counted == {"call": 1}


def test_groups_go_in_one_round_trip(counted: collections.Counter[str], service: Service) -> None:
    service.connect([{"flow": float(at), "region": f"r{at % 50}"} for at in range(500)], name="budget")
    service.compute("finance.npv", args=[0.1, [1.0]])
    counted.clear()
    binding = {"parameter": "cashflows", "source": "budget", "field": "flow"}
    made = service.compute(
        {"module": "finance", "function": "npv", "args": [0.1], "bindings": [binding]}, over="region"
    )
    assert len(made) == 50
    assert counted == {"call": 1}


def test_a_long_vector_goes_in_one_call(counted: collections.Counter[str], runtime: Managed) -> None:
    value(runtime)
    counted.clear()
    value(runtime, Invocation("stats.sum", [np.ones(500_000)]))
    assert counted == {"call": 1}


def test_very_many_long_vectors_go_in_several_turns_and_keep_their_order(
    counted: collections.Counter[str], runtime: Managed
) -> None:
    value(runtime)
    counted.clear()
    calls = [Invocation("stats.sum", [np.full(500_000, float(at))]) for at in range(20)]
    assert runtime.run(calls).values == [500_000.0 * at for at in range(20)]
    assert counted == {"call": 2}


def test_the_first_refusal_ends_the_calls_and_is_that_of_its_call(runtime: Managed) -> None:
    wrong = Invocation("finance.npv", [-2.0, [1.0]])
    with pytest.raises(ServiceError) as caught:
        runtime.run([NPV, NPV, wrong, Invocation("no.such", [])])
    assert caught.value.code == "domain_error"
    assert caught.value.details["met"] == "-2.0"


# --- threads, and the life of a connection ----------------------------------------------------------------------------


def test_threads_have_their_own_values(runtime: Managed) -> None:
    def sums(start: int) -> list[Any]:
        return [value(runtime, Invocation("stats.sum", [[float(at), 0.5]])) for at in range(start, start + 20)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(sums, range(0, 800, 100)))
    assert found == [[at + 0.5 for at in range(start, start + 20)] for start in range(0, 800, 100)]


def test_threads_that_start_together_share_one_connection(counted: collections.Counter[str], home: Path) -> None:
    stop_all(home)
    runtime = managed()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: value(runtime), range(8))) == {NPV_VALUE}
    assert counted == {"Describe": 1, "call": 8}
    runtime.close()


def test_many_threads_keep_no_other_client_out(runtime: Managed) -> None:
    at_once = threading.Barrier(60)

    def call(_: int) -> Any:
        at_once.wait(30)
        return value(runtime)

    with ThreadPoolExecutor(60) as pool:
        assert set(pool.map(call, range(60))) == {NPV_VALUE}
    another = managed()
    assert value(another) == NPV_VALUE
    another.close()


def test_a_call_that_fails_does_not_end_those_of_other_threads(runtime: Managed) -> None:
    value(runtime)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(value, runtime, LONG)
        with pytest.raises(QueryTimeoutError):
            value(runtime, LONG, timeout_s=0.2)
        assert value(runtime) == NPV_VALUE
        assert other.result() is True


def test_a_connection_that_another_thread_closes_is_a_typed_error(home: Path, runtime: Managed) -> None:
    value(runtime)
    before = threading.Event()

    def call() -> Any:
        before.set()
        return value(runtime, LONG)

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(call)
        before.wait()
        wait_until(lambda: is_busy(home))
        runtime.close()
        with pytest.raises(ComputeRuntimeUnavailableError):
            other.result()
    assert value(runtime) == NPV_VALUE


def test_a_client_can_be_closed_and_used_again(home: Path, runtime: Managed) -> None:
    pid = None
    for _ in range(3):
        assert value(runtime) == NPV_VALUE
        assert pid in (None, front(home))
        pid = front(home)
        runtime.close()
        runtime.close()


def test_descriptors_are_given_back(runtime: Managed) -> None:
    value(runtime)
    runtime.close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    rounds = 40
    for _ in range(rounds):
        value(runtime)
        runtime.close()
    # gRPC keeps some of its own and gives them back late; what is never given back is one or more a round.
    assert len(list(Path("/proc/self/fd").iterdir())) < before + rounds // 2


# --- being stopped ----------------------------------------------------------------------------------------------------


def test_ctrl_c_stops_the_call_its_worker_and_nothing_else(home: Path) -> None:
    code = """
runtime.run([NPV])
try:
    print("calls", flush=True)
    runtime.run([LONG] * 1000)
except ServiceError as error:
    print(error.code, runtime.run([NPV]).values[0])
"""
    value(managed())
    pid = front(home)
    wait_until(lambda: not is_busy(home))  # a worker that is starting works, too
    with client(code) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "calls\n"
        wait_until(lambda: is_busy(home))
        before = set(workers(home))  # one of them computes; a spare one may be starting
        other.send_signal(signal.SIGINT)
        assert said(other) == f"interrupted {NPV_VALUE}\n"
    wait_until(lambda: before - set(workers(home)))
    assert front(home) == pid


def test_ctrl_c_in_this_very_process(home: Path, runtime: Managed) -> None:
    value(runtime)
    wait_until(lambda: not is_busy(home))
    interrupted = runtime._link
    with pytest.raises(QueryInterruptedError), ctrl_c(lambda: is_busy(home)):
        runtime.run([LONG] * 1_000)
    assert value(runtime) == NPV_VALUE
    assert runtime._link is not interrupted  # which may still hold a lock of gRPC, for ever


def test_a_request_from_outside_stops_the_call_and_its_worker(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    wait_until(lambda: not is_busy(home))
    stop = Stop()

    def run() -> None:
        with stopping(stop):
            runtime.run([LONG] * 1_000)

    with ThreadPoolExecutor(1) as others:
        stopped = others.submit(run)
        wait_until(lambda: is_busy(home))
        before = set(workers(home))
        stop.request()
        assert isinstance(stopped.exception(timeout=120), QueryInterruptedError)
    wait_until(lambda: before - set(workers(home)))
    assert value(runtime) == NPV_VALUE
    assert front(home) == pid


def test_a_stop_that_was_requested_before_lets_no_call_begin(runtime: Managed) -> None:
    stop = Stop()
    stop.request()
    with stopping(stop), pytest.raises(QueryInterruptedError):
        runtime.run([LONG] * 1_000)
    assert value(runtime) == NPV_VALUE


@pytest.mark.slow
def test_a_call_that_listens_to_no_clock_ends_at_its_deadline_with_its_worker(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    with pytest.raises(QueryTimeoutError) as caught:
        value(runtime, LONG, timeout_s=0.2)
    assert caught.value.code == "timeout"
    assert value(runtime) == NPV_VALUE
    assert front(home) == pid


def test_a_deadline_is_for_each_call_and_not_for_all_together(runtime: Managed) -> None:
    with pytest.raises(QueryTimeoutError):
        runtime.run([NPV, LONG] + [NPV] * 5_000, timeout_s=0.2)
    assert runtime.run([NPV] * 200, timeout_s=60).values == [NPV_VALUE] * 200


def test_a_call_that_keeps_to_the_clock_ends_without_its_worker(home: Path, runtime: Managed) -> None:
    value(runtime)
    before = workers(home)
    with pytest.raises(QueryTimeoutError):
        value(runtime, Invocation("finance.npv", [0.1, [1.0] * 20_000]), timeout_s=1e-6)
    assert workers(home) == before


# --- which capabilities, and for whom ---------------------------------------------------------------------------------


def test_a_runtime_of_some_modules_refuses_the_others_and_says_what_to_do(home: Path) -> None:
    service = create_service(runtime_modules=["finance"])
    made = service.compute("finance.npv", args=[0.1, [1.0, 1.1]])
    assert made.value == 2.0
    assert made["determinism"]["runtime_modules"] == ["finance"]
    with pytest.raises(UnsupportedOperationError) as caught:
        service.compute("stats.mean", args=[[1.0, 2.0]])
    assert caught.value.code == "unsupported_operation"
    assert "runtime_modules" in str(caught.value.hint)
    service.close()


def test_an_unknown_capability_is_no_operation(runtime: Managed) -> None:
    for name in ("finance.no_such", "no.such", "", "finance", "__import__.os"):
        with pytest.raises(UnsupportedOperationError):
            value(runtime, Invocation(name, []))
    assert value(runtime) == NPV_VALUE


def test_computing_in_process_needs_no_login_and_managed_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(devices.INJECTED)
    assert create_service(runtime="in_process").compute("finance.npv", args=[0.1, [1.0]]).value == 1.0
    for runtime in ("managed", None):
        service = create_service() if runtime is None else create_service(runtime=runtime)
        with pytest.raises(LoginRequiredError):
            service.compute("finance.npv", args=[0.1, [1.0]])
    assert not (tmp_path / "home").exists()


def test_a_login_that_ends_ends_computing(home: Path) -> None:
    admitted = True

    def admit() -> None:
        if not admitted:
            raise LoginRequiredError("No.", reason="no_key")

    runtime = managed(admit=admit)
    assert value(runtime) == NPV_VALUE
    admitted = False
    with pytest.raises(LoginRequiredError):
        value(runtime)
    admitted = True
    assert value(runtime) == NPV_VALUE


# --- arguments that cannot be sent ------------------------------------------------------------------------------------


def nested(depth: int) -> list[Any]:
    made: list[Any] = [1.0]
    for _ in range(depth):
        made = [made]
    return made


@pytest.mark.parametrize(
    "odd",
    [
        *(None, object(), 1j, b"x", {1: 2.0}, "\ud800", np.float32(1), np.array(1.0), np.array([1])),
        *(nested(60), nested(500), nested(100_000)),
    ],
    ids=lambda odd: type(odd).__name__,
)
def test_an_argument_without_a_form_is_refused_before_it_is_sent(runtime: Managed, odd: Any) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        value(runtime, Invocation("finance.npv", [0.1, odd]))
    assert caught.value.code == "invalid_intent"
    assert value(runtime) == NPV_VALUE


@pytest.mark.parametrize("arguments", [[], [0.1], [0.1, [1.0], 1.0], [[1.0], 0.1], ["x", "y"], [{"a": 1.0}, []]])
def test_arguments_of_another_number_or_type_are_an_error_and_no_crash(runtime: Managed, arguments: list[Any]) -> None:
    with pytest.raises(ServiceError):
        value(runtime, Invocation("finance.npv", arguments))
    assert value(runtime) == NPV_VALUE


def test_a_request_beyond_all_limits_is_refused(runtime: Managed) -> None:
    value(runtime)
    long = np.broadcast_to(np.zeros(1), (2**28 + 1,))
    with pytest.raises(LimitExceededError):
        value(runtime, Invocation("stats.sum", [long[:10_000_001]]))
    assert value(runtime) == NPV_VALUE


def test_nothing_lives_in_a_home_where_nobody_computed() -> None:
    with own_home() as folder:
        assert clients.read_status(bundle()) is None
        assert not clients.stop(bundle())
        assert processes(folder) == []
        assert not (run_folder() / "socket").exists()
