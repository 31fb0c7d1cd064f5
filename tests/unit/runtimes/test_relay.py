"""A process that was forked from one which has computed: it computes as well, through a helper that speaks gRPC."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulators.resident import NPV_VALUE, client, front, is_busy, said, wait_until

# What a forked process does is given as the lines of `forked`; how it ended is the status that `ended` returns.
FORKS = """
import os, threading
import numpy as np
from service_nb.core.stopping import Stop, stopping
from service_nb.runtimes.connection import Relay

def value(call=NPV, timeout_s=None):
    return runtime.run([call], timeout_s=timeout_s).values[0]

def met(*given):
    try:
        return value(*given)
    except ServiceError as error:
        return error.code

def ended(work):
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def tell(*told):
    print(*told, flush=True)

value()
"""


def helpers(home: Path) -> list[int]:
    """The processes that speak gRPC for clients of a home."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
        except OSError:
            continue
        if b"runtimes.connection import run_helper" in words and b"SERVICE_HOME=" + os.fsencode(home) in environment:
            found.append(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def _no_helper_is_left(home: Path) -> Iterator[None]:
    yield
    wait_until(lambda: not helpers(home))


def test_one_that_ends_as_python_does_leaves_its_parents_connection_open(home: Path) -> None:
    code = """
import sys
child = os.fork()
if not child:
    sys.exit(0)  # finalizers run
os.waitpid(child, 0)
tell(value())
"""
    with client(FORKS + code) as other:
        assert said(other) == f"{NPV_VALUE}\n"


def test_it_has_a_connection_of_its_own_and_leaves_its_parents_alone(home: Path) -> None:
    code = """
for _ in range(2):
    assert ended(lambda: tell(value(), value())) == 0
    tell(value())
"""
    with client(FORKS + code) as other:
        assert said(other) == f"{NPV_VALUE} {NPV_VALUE}\n{NPV_VALUE}\n" * 2
    front(home)


def test_so_has_one_that_was_forked_from_it(home: Path) -> None:
    code = """
def first():
    tell(value())
    assert ended(lambda: tell(value())) == 0
    tell(value())
assert ended(first) == 0
"""
    with client(FORKS + code) as other:
        assert said(other) == f"{NPV_VALUE}\n" * 3


def test_one_whose_parent_has_not_computed_needs_no_helper(home: Path) -> None:
    code = """
def first():
    value()
    tell(type(runtime._link.connection).__name__)
assert ended(first) == 0
"""
    with client(FORKS.rpartition("value()")[0] + code) as other:
        assert said(other) == "Channel\n"


def test_long_vectors_refusals_deadlines_and_threads_are_as_elsewhere(home: Path) -> None:
    code = """
def work():
    tell(value(Invocation("stats.sum", [np.ones(500_000)])))
    tell(met(Invocation("finance.npv", [-2.0, [1.0]])))
    tell(met(LONG, 0.3))
    sums = {}
    def add(at):
        sums[at] = value(Invocation("stats.sum", [[float(at), 0.5]]))
    threads = [threading.Thread(target=add, args=(at,)) for at in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    tell([sums[at] for at in range(4)])
    tell(runtime.send_echo(b"heard"), runtime.describe().is_pinned, managed.read_status(find_installed()).pid)
    runtime.close()
    tell(value())
assert ended(work) == 0
"""
    with client(FORKS + code) as other:
        told = said(other).splitlines()
    assert told[:4] == ["500000.0", "domain_error", "timeout", "[0.5, 1.5, 2.5, 3.5]"]
    assert told[4:] == [f"b'heard' True {front(home)}", str(NPV_VALUE)]


def test_a_request_to_stop_ends_its_call_and_the_next_one_is_answered(home: Path) -> None:
    code = """
def work():
    value()
    stop = Stop()
    timer = threading.Timer(1.0, stop.request)
    timer.start()
    with stopping(stop):
        tell(met(LONG))
    timer.join()
    tell(value())
assert ended(work) == 0
"""
    with client(FORKS + code) as other:
        assert said(other) == f"interrupted {NPV_VALUE}\n".replace(" ", "\n")


def test_the_end_of_a_helper_is_a_call_to_repeat(home: Path) -> None:
    code = """
def work():
    value()
    runtime._link.connection._idle[0].process.kill()
    tell(met())
    tell(value())
assert ended(work) == 0
"""
    with client(FORKS + code) as other:
        assert said(other) == f"compute_runtime_unavailable\n{NPV_VALUE}\n"


def test_when_it_is_killed_its_helper_and_its_call_end_with_it(home: Path) -> None:
    code = """
child = os.fork()
if not child:
    value()
    tell(os.getpid())
    value(LONG)
os.waitpid(child, 0)
tell(value())
"""
    with client(FORKS + code) as other:
        assert other.stdout is not None
        child = int(other.stdout.readline())
        wait_until(lambda: is_busy(home))
        assert len(helpers(home)) == 1
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: not helpers(home))
        wait_until(lambda: not is_busy(home))
        assert said(other) == f"{NPV_VALUE}\n"
