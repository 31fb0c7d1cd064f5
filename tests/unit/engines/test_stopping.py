"""A question stops at its deadline and at Ctrl-C, and the engine answers the next one.

The question would take many seconds, so it was stopped if it ends in an error; when it did is printed.
"""

from __future__ import annotations

import _thread
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from service_nb.core.stopping import Stop, stopping
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.errors import LimitExceededError, QueryInterruptedError, QueryTimeoutError
from service_nb.readers.dataset import Dataset
from tests.engines import cases
from tests.simulators.pressing import ctrl_c, sigint, under_impatience

ROWS = 3_000_000


@pytest.fixture(scope="module")
def slow() -> Iterator[tuple[DuckDBEngine, Any, Any]]:
    """An engine, a question that keeps it busy for many seconds, and one that does not."""
    rng = np.random.default_rng(1)
    values = rng.choice([-1.0, 1.0], ROWS) * 10.0 ** rng.uniform(-300, 300, ROWS)  # forty limbs
    dataset = cases.held({"key": rng.integers(0, ROWS // 2, ROWS), "x": values})
    with cases.duckdb(dataset, threads=1, groups=10 * ROWS) as engine:
        long = cases.plan_for(dataset, metric="x", aggregation="sum", group_by="key")
        yield engine, long, cases.plan_for(dataset, aggregation="count")


def test_a_deadline_stops_a_long_question(slow: tuple[DuckDBEngine, Any, Any], capsys: Any) -> None:
    engine, long, short = slow
    started = time.perf_counter()
    with pytest.raises(QueryTimeoutError) as caught:
        engine.aggregate(long, 0.2)
    over = time.perf_counter() - started - 0.2
    assert caught.value.code == "timeout"
    assert caught.value.retryable
    assert engine.aggregate(short).groups[0].rows == ROWS
    with capsys.disabled():
        print(f"\nstopped {over:.3f} s after its deadline")


def works(engine: DuckDBEngine) -> bool:
    """Say whether a question is under way: what is pressed before that may meet Python anywhere."""
    running = engine._runner._running
    return running is not None and running.running()


# A signal wakes the thread that waits; interrupt_main, as kernels use it on Windows, does not.
@pytest.mark.parametrize("interrupt", [sigint, _thread.interrupt_main])
def test_ctrl_c_stops_a_long_question(
    interrupt: Callable[[], None], slow: tuple[DuckDBEngine, Any, Any], capsys: Any
) -> None:
    engine, long, short = slow
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        interrupt()

    with pytest.raises(QueryInterruptedError) as caught, ctrl_c(lambda: works(engine), press):
        engine.aggregate(long)
    stopped = time.perf_counter() - pressed[0]
    assert caught.value.code == "interrupted"
    assert engine.aggregate(short).groups[0].rows == ROWS
    with capsys.disabled():
        print(f"\nstopped {stopped:.3f} s after Ctrl-C ({interrupt.__name__})")


@pytest.mark.parametrize("interrupt", [sigint, _thread.interrupt_main])
def test_impatient_ctrl_c_leaves_the_engine_usable(
    interrupt: Callable[[], None], slow: tuple[DuckDBEngine, Any, Any]
) -> None:
    engine, long, short = slow
    with pytest.raises((QueryInterruptedError, KeyboardInterrupt)):
        under_impatience(lambda: engine.aggregate(long), lambda: works(engine), interrupt)
    with ThreadPoolExecutor(1) as pool:  # by another thread, which gets no turn that was not given back
        assert pool.submit(engine.aggregate, short).result().groups[0].rows == ROWS


@pytest.mark.parametrize("timeout", [0.001, 1e-9])
def test_the_smallest_deadline_is_kept(timeout: float, slow: tuple[DuckDBEngine, Any, Any]) -> None:
    engine, long, short = slow
    for _ in range(3):
        with pytest.raises(QueryTimeoutError):
            engine.aggregate(long, timeout)
    assert engine.aggregate(short).groups[0].rows == ROWS


@pytest.mark.parametrize("timeout", [math.inf, 1e300, 10.0**12])
def test_the_largest_deadline_is_no_deadline(timeout: float, slow: tuple[DuckDBEngine, Any, Any]) -> None:
    engine, _, short = slow
    assert engine.aggregate(short, timeout).groups[0].rows == ROWS


def test_waiting_for_another_question_counts_towards_the_deadline(slow: tuple[DuckDBEngine, Any, Any]) -> None:
    engine, long, short = slow
    stop = Stop()

    def asks() -> None:
        with stopping(stop):
            engine.aggregate(long)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(asks)
        while not works(engine):
            time.sleep(0.005)
        with pytest.raises(QueryTimeoutError):
            engine.aggregate(short, 0.1)
        assert not first.done()
        stop.request()
        with pytest.raises(QueryInterruptedError):
            first.result()
    assert engine.aggregate(short).groups[0].rows == ROWS


def test_statistics_of_parquet_stop_at_the_deadline(tmp_path: Path) -> None:
    # Without statistics in the footer the whole column is read before the question itself runs.
    n = 2_000_000
    rng = np.random.default_rng(2)
    columns = {"x": rng.uniform(0, 1, n)}
    dataset = cases.stored(tmp_path, columns, write_statistics=False, compression="zstd")
    plan = cases.plan_for(dataset, metric="x", aggregation="sum")
    with cases.duckdb(dataset, threads=1) as engine:
        with pytest.raises(QueryTimeoutError):
            engine.aggregate(plan, 0.001)
        assert engine.aggregate(plan).groups[0].rows == n


def test_many_threads_may_ask_one_engine() -> None:
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 1, 50_000)
    dataset = cases.held({"key": rng.integers(0, 7, 50_000), "x": values})
    with cases.duckdb(dataset) as engine:
        plans = [
            cases.plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
            for aggregation in ("sum", "avg", "min", "max", "count")
        ]
        alone = [cases.groups(engine, plan) for plan in plans]
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda i: cases.groups(engine, plans[i % 5]), range(60)))
    assert together == [alone[i % 5] for i in range(60)]


@pytest.fixture
def many_words(tmp_path: Path) -> Dataset:
    n = 200_000  # in 28 MiB some of it is written to files: 11 MB
    columns = {"word": pa.array([f"{i:040d}" for i in range(n)]), "x": np.arange(n, dtype=np.float64)}
    return cases.stored(tmp_path, columns, compression="zstd")


def test_a_question_larger_than_the_memory_limit_spills_to_the_scratch_folder(many_words: Dataset) -> None:
    n = many_words.row_count
    with cases.duckdb(many_words, memory_bytes=28 * 1024**2, threads=1) as engine:
        answer = engine.aggregate(cases.plan_for(many_words, metric="x", aggregation="sum", group_by="word"))
    assert {group.keys[0]: group.value for group in answer.groups} == {f"{i:040d}": float(i) for i in range(n)}


def test_a_question_beyond_the_memory_limit_is_refused_and_the_engine_stays_usable(many_words: Dataset) -> None:
    with cases.duckdb(many_words, memory_bytes=3 * 1024**2, threads=1) as engine:
        with pytest.raises(LimitExceededError) as caught:
            engine.aggregate(cases.plan_for(many_words, aggregation="count", group_by="word"))
        assert caught.value.code == "limit_exceeded"
        assert caught.value.details["limit"] == "memory_bytes"
        assert engine.aggregate(cases.plan_for(many_words, aggregation="count")).groups[0].rows == many_words.row_count
