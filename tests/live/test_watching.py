"""Deadlines of statements: one thread looks after all of them, and calls what is late, once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from service_nb.connectors.bounds import DeadlineWatch


def test_what_ends_in_time_is_never_called() -> None:
    looked = threading.Event()
    called: dict[DeadlineWatch, threading.Event] = {}
    for _ in range(100):
        event = threading.Event()
        with DeadlineWatch(lambda _, event=event: event.set(), 1.0) as watch:
            called[watch] = event
    with DeadlineWatch(lambda _: looked.set(), 1.0):
        assert looked.wait(60)
    in_time = [event for watch, event in called.items() if not watch.is_late]
    assert in_time  # a machine may stand still for a second, but not a hundred times
    assert not any(event.is_set() for event in in_time)


def test_what_is_late_is_called_once_and_told_when_the_block_has_ended() -> None:
    met: list[threading.Event] = []
    called = threading.Event()

    def late(done: threading.Event) -> None:
        met.append(done)
        called.set()

    with DeadlineWatch(late, 0.02) as watch:
        assert called.wait(60)
        assert watch.is_late
        assert not met[0].is_set()
    assert met[0].is_set()
    assert len(met) == 1


def test_a_sooner_deadline_is_kept_beside_later_ones() -> None:
    called = threading.Event()
    with DeadlineWatch(lambda _: None, 300.0), DeadlineWatch(lambda _: called.set(), 0.02):
        assert called.wait(60)


def test_what_hangs_holds_up_no_other() -> None:
    released, called = threading.Event(), threading.Event()
    with DeadlineWatch(lambda _: released.wait(60), 0.0), DeadlineWatch(lambda _: called.set(), 0.02):
        assert called.wait(60)
    released.set()


def test_many_statements_at_once_take_one_thread() -> None:
    def one(_: int) -> bool:
        with DeadlineWatch(lambda _: None, 300.0) as watch:
            time.sleep(0.001)
            return watch.is_late

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(one, range(400)))
    assert sum(thread.name == "service-nb-statements" for thread in threading.enumerate()) == 1
