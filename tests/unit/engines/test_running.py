"""Threads that work are used again, and nothing runs that nobody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from service_nb.engines import running
from service_nb.engines.running import Runner
from service_nb.errors import QueryInterruptedError, QueryTimeoutError

PATIENCE_S = 120.0
# Idle threads of the process do not come along into its fork: what waits for one of them would wait for ever.
FORKED = """
import os, time
from service_nb.engines import running
runner = running.Runner(lambda: None)
assert runner.run(lambda: 1, None) == 1
until = time.monotonic() + 60
while not running._HELPERS._idle and time.monotonic() < until:
    time.sleep(0.01)
assert running._HELPERS._idle
child = os.fork()
if not child:
    os._exit(runner.run(lambda: 7, time.monotonic() + 60))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_a_thread_that_is_idle_works_again() -> None:
    helpers, met = running._Helpers(), []
    for _ in range(3):
        done = threading.Event()

        def work(done: threading.Event = done) -> None:
            met.append(threading.get_ident())
            done.set()

        helpers.start(work)
        assert done.wait(PATIENCE_S)
        until = time.monotonic() + PATIENCE_S
        while not helpers._idle and time.monotonic() < until:
            time.sleep(0.001)
    assert len(met) == 3
    assert len(set(met)) == 1


def test_an_error_of_some_work_leaves_its_thread_for_the_next() -> None:
    runner = Runner(lambda: None)
    for error in (ValueError, TimeoutError, KeyboardInterrupt):

        def fail(error: type[BaseException] = error) -> None:
            raise error

        with pytest.raises(Exception):  # noqa: B017  # which of them becomes what is told elsewhere
            runner.run(fail, None)
    assert runner.run(lambda: 5, None) == 5


def test_work_that_has_not_begun_when_it_is_ended_never_runs() -> None:
    ran: list[int] = []
    outcome: Future[Any] = Future()
    runner = Runner(lambda: None)
    runner._running = outcome
    runner._end()
    running._settle(outcome, lambda: ran.append(1))
    assert ran == []


def test_work_that_does_not_end_is_left_after_its_patience() -> None:
    release = threading.Event()
    runner = Runner(lambda: None, again_s=0.01, patience_s=0.05)
    with pytest.raises(QueryTimeoutError):
        runner.run(lambda: release.wait(PATIENCE_S), time.monotonic() + 0.05)
    assert runner.lost
    release.set()


def test_a_fork_works_with_threads_of_its_own() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=120)


class Pressed:
    """A lock at which Ctrl-C is pressed in the moment in which it is got."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        self.release = lock.release

    def acquire(self, timeout: float) -> bool:
        assert self._lock.acquire(timeout=timeout)
        raise KeyboardInterrupt


def test_ctrl_c_in_the_moment_in_which_its_turn_comes_leaves_the_turn_to_others() -> None:
    runner = Runner(lambda: None)
    turn = runner._turn
    runner._turn = Pressed(turn)
    with pytest.raises(QueryInterruptedError):
        runner.run(lambda: 1, None)
    runner._turn = turn
    with ThreadPoolExecutor(1) as others:
        assert others.submit(runner.run, lambda: 2, time.monotonic() + PATIENCE_S).result() == 2


def test_ctrl_c_while_an_end_is_awaited_is_told_when_nothing_runs_any_more() -> None:
    outcome: Future[Any] = Future()
    outcome.set_running_or_notify_cancel()
    asked: list[int] = []

    def interrupt() -> None:
        asked.append(1)
        if len(asked) < 3:
            raise KeyboardInterrupt
        outcome.set_result(1)

    runner = Runner(interrupt)
    runner._running = outcome
    with pytest.raises(KeyboardInterrupt):
        runner._end()
    assert outcome.done()
    assert runner.run(lambda: 2, None) == 2
