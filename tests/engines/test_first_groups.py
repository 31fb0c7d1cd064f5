"""Long results of which the first groups are wanted: finishing only these gives what finishing all would."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import service_nb
from service_nb.engines import duckdb as duckdb_engine
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import Engine, EngineAnswer
from service_nb.engines.memory import MemoryEngine
from service_nb.errors import QueryTimeoutError
from service_nb.query.plan import sort_groups
from service_nb.query.used_rows import UsedRows, count_used_rows
from service_nb.schema.query import Group, Plan
from tests.engines.cases import held, stored

ASKED = (("sum", "value"), ("avg", "value"), ("sum", "whole"), ("count", "value"), ("count", None))
# Sums of these cancel, tie after rounding, and are at both ends of the doubles.
VALUES = [0.1, 0.2, 0.3, -0.3, 1e16, 1.0, -1e16, 5e-324, 1e-300, 2.0**53, 1e308, -1e308, None]


def draw_table(seed: int, values: list[float | None], *, nonfinite: bool = False) -> pa.Table:
    random = np.random.default_rng(seed)
    chosen = [values[at] for at in random.integers(0, len(values), 400)]
    if nonfinite:
        chosen[:2] = [float("nan"), float("inf")]
    keys = [None if key == 0 else f"k{key}" for key in random.integers(0, 90, 400)]
    whole = pa.array(random.integers(-(2**62), 2**62, 400))
    return pa.table({"key": keys, "value": pa.array(chosen, pa.float64()), "whole": whole})


def read_first(engine: Engine, plan: Plan) -> tuple[list[Group], UsedRows]:
    answer = engine.aggregate(plan, None)
    return sort_groups(answer.groups, plan), answer.used or count_used_rows(plan, answer.groups)


@given(
    seed=st.integers(0, 2**32 - 1),
    values=st.lists(st.sampled_from(VALUES), min_size=1, max_size=6),
    nonfinite=st.booleans(),
    order=st.sampled_from(["asc", "desc"]),
    limit=st.integers(1, 100),
)
def test_the_first_groups_are_those_of_the_whole_result(
    seed: int, values: list[float | None], nonfinite: bool, order: Literal["asc", "desc"], limit: int
) -> None:
    table = draw_table(seed, values, nonfinite=nonfinite)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(duckdb_engine, "ROWS_OF_MANY_GROUPS", 0)
        whole, engines = (
            MemoryEngine(held(table)),
            [DuckDBEngine(held(table)), DuckDBEngine(stored(Path(folder), table))],
        )
        for aggregation, metric in ASKED:
            plan = Plan(aggregation=aggregation, metric=metric, group_by=("key",), order=order, limit=limit)
            for engine in engines:
                assert read_first(engine, plan) == read_first(whole, plan)
        for engine in engines:
            engine.close()


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_sums_that_differ_in_their_last_bits_are_told_apart(
    order: Literal["asc", "desc"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_engine, "ROWS_OF_MANY_GROUPS", 0)
    random = np.random.default_rng(11)
    base = random.normal(100, 1e-3, 60)
    values = np.tile(base, (200, 1)) * (1 + random.integers(-20, 21, (200, 60)) * 2.0**-52)
    table = pa.table({"key": np.repeat(np.arange(200), 60), "value": values.ravel()})
    engine, whole = DuckDBEngine(held(table)), MemoryEngine(held(table))
    for limit in range(1, 100):
        for aggregation in ("sum", "avg"):
            plan = Plan(aggregation=aggregation, metric="value", group_by=("key",), order=order, limit=limit)
            assert read_first(engine, plan) == read_first(whole, plan)
    engine.close()


def test_few_groups_of_many_are_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    finished = []
    finish = duckdb_engine.DuckDBEngine.aggregate

    def aggregate(engine: Any, *arguments: Any) -> EngineAnswer:
        answer = finish(engine, *arguments)
        finished.append((len(answer.groups), answer.used))
        return answer

    monkeypatch.setattr(duckdb_engine.DuckDBEngine, "aggregate", aggregate)
    random = np.random.default_rng(5)
    table = pa.table({"key": random.integers(0, 50_000, 200_000), "value": random.normal(100, 30, 200_000)})
    with service_nb.create_service(ledger="off") as service:
        service.connect(table, name="t")
        answer = service.ask("sum value by key from t limit 10")
    ((count, used),) = finished
    assert len(answer.rows) == 10
    assert count <= 12
    assert used is not None
    assert used.count == 200_000


def test_the_deadline_holds_while_groups_are_finished() -> None:
    keys = np.arange(400_000)
    with service_nb.create_service(ledger="off", limits=service_nb.Limits(groups=500_000)) as service:
        service.connect(pa.table({"key": keys, "value": keys / 7}), name="t")
        with pytest.raises(QueryTimeoutError):
            service.ask(
                {
                    "metric": "value",
                    "aggregation": "sum",
                    "group_by": "key",
                    "source_name": "t",
                    "order_by": "key",
                    "limit": 5,
                },
                timeout=0.35,
            )
