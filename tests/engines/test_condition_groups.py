"""Conditions joined by and, or and brackets keep the rows that a naive reading of the tree keeps, on every engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import service_nb
from service_nb.client.service import Service
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.readers.dataset import Dataset
from tests.engines import cases, loading
from tests.engines.test_filters import holds, number

SOME = settings.default.max_examples // 2
COLUMNS: Mapping[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int64(), [1, 2, None, 3, 2, None, -1, 0, 2**53 + 1, 1]),
    "f": (pa.float64(), [0.5, math.nan, None, -0.0, 0.0, math.inf, 2.0, math.nan, -math.inf, 2.0]),
    "t": (pa.string(), ["a", "B", None, "b", "", "a b", "it's", None, "%", "a"]),
}
OPERANDS: Mapping[str, list[Any]] = {
    "i": [0, 1, 2, 2.5, 2**53, -1],
    "f": [0, 0.5, 2, -1.5, 1e300],
    "t": ["", "a", "b", "B", "%", "it's", "zz"],
}
ROWS = len(COLUMNS["i"][1])
ALONE = ["eq", "ne", "gt", "gte", "lt", "lte"]


@st.composite
def leaves(draw: st.DrawFn) -> dict[str, Any]:
    column = draw(st.sampled_from(sorted(COLUMNS)))
    operand = st.sampled_from(OPERANDS[column])
    texts = ["contains", "starts_with"] if column == "t" else []
    op = draw(st.sampled_from([*ALONE, "in", "not_in", "between", "is_null", "is_not_null", *texts]))
    if op in ("is_null", "is_not_null"):
        return {"column": column, "op": op}
    if op in ("in", "not_in", "between"):
        sizes = {"min_size": 2, "max_size": 2} if op == "between" else {"min_size": 1, "max_size": 3}
        return {"column": column, "op": op, "values": draw(st.lists(operand, **sizes))}
    return {"column": column, "op": op, "value": draw(operand)}


TREES = st.recursive(
    leaves(),
    lambda parts: st.builds(
        lambda joiner, listed: {joiner: listed},
        st.sampled_from(["any", "all"]),
        st.lists(parts, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def keeps(tree: Mapping[str, Any], row: int, *, has_nan: bool = True) -> bool:
    """Whether a row meets a tree, by the words of the handbook."""
    for joiner, join in (("any", any), ("all", all)):
        if joiner in tree:
            return join(keeps(part, row, has_nan=has_nan) for part in tree[joiner])
    column, operand = tree["column"], tree.get("values", tree.get("value"))
    physical = {"i": "int64", "f": "float64", "t": "string"}[column]
    read = (lambda value: value) if physical == "string" else (lambda value: number(value, physical))
    value = COLUMNS[column][1][row]
    return holds(tree["op"], value if has_nan or value == value else None, operand, read)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    columns = {name: pa.array(values, kind) for name, (kind, values) in COLUMNS.items()}
    return pa.table({**columns, "row": pa.array([2**index for index in range(ROWS)], pa.int64())})


@pytest.fixture(scope="module")
def dataset(table: pa.Table) -> Dataset:
    return cases.held(table)


@pytest.fixture(scope="module")
def engines(
    table: pa.Table, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Engine]]:
    stored = cases.stored(tmp_path_factory.mktemp("groups"), table, row_group_size=3)
    forms = {"duckdb enum": cases.as_enum(dataset), "duckdb plain": cases.as_plain(dataset), "parquet": stored}
    with ExitStack() as opened:
        held = {name: opened.enter_context(cases.duckdb(form)) for name, form in forms.items()}
        yield {"direct": MemoryEngine(dataset), **held}


@pytest.fixture(scope="module")
def live(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("live")
    finite = [
        None if value is not None and math.isnan(value) else value for value in COLUMNS["f"][1]
    ]  # as SQLite has it
    held = table.set_column(1, "f", pa.array(finite, pa.float64()))
    described = loading.into_sqlite(folder, "rows", cases.held(held))
    with service_nb.create_service() as service:
        service.connect({"provider": "sqlite", "path": described["path"], "table": "rows"}, name="held")
        yield service


@given(trees=st.lists(TREES, min_size=1, max_size=3))
@settings(max_examples=SOME, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_tree_keeps_what_it_says_on_every_engine(
    trees: list[Any], engines: Mapping[str, Engine], dataset: Dataset
) -> None:
    kept = [row for row in range(ROWS) if all(keeps(tree, row) for tree in trees)]
    expected = {(): (len(kept), cases.bits(sum(2**row for row in kept) if kept else None))}
    plan = cases.plan_for(dataset, metric="row", aggregation="sum", filter={"conditions": trees})
    for name, engine in engines.items():
        assert cases.groups(engine, plan) == expected, name


@given(trees=st.lists(TREES, min_size=1, max_size=3))
@settings(max_examples=SOME, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_tree_keeps_what_it_says_in_sqlite(trees: list[Any], live: Service) -> None:
    asked = {"metric": "row", "aggregation": "sum", "filter": {"conditions": trees}}
    (answer,) = live.ask(asked).rows
    kept = [
        row for row in range(ROWS) if all(keeps(tree, row, has_nan=False) for tree in trees)
    ]  # it keeps NaN as null
    assert answer == {"row": sum(2**row for row in kept) if kept else None, "count": len(kept)}


@given(trees=st.lists(TREES, min_size=1, max_size=3))
def test_a_tree_and_its_line_are_one_question(trees: list[Any], dataset: Dataset) -> None:
    spec = {"aggregation": "count", "filter": {"conditions": trees}}
    assert cases.plan_for(dataset, **parse_ask(format_ask(spec))).plan_hash == cases.plan_for(dataset, **spec).plan_hash


A, B, C = ({"column": "i", "op": "eq", "value": value} for value in (1, 2, 3))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([A, B], [{"all": [B, {"all": [A]}]}]),
        ([{"any": [A, B, C]}], [{"any": [{"any": [C, A]}, B, A]}]),
        ([{"any": [A]}], [A]),
        ([{"any": [{"all": [A, B]}, C]}], [{"any": [C, {"all": [B, A, B]}]}]),
        ([{"any": [A, {"all": [A, A]}]}], [A]),
    ],
)
def test_one_meaning_has_one_hash(one: list[Any], other: list[Any], dataset: Dataset) -> None:
    plans = [cases.plan_for(dataset, aggregation="count", filter={"conditions": each}) for each in (one, other)]
    assert plans[0].plan_hash == plans[1].plan_hash


def test_a_day_among_alternatives_is_the_whole_day() -> None:
    with service_nb.create_service() as service:
        rows = [{"at": f"2024-01-0{day}T23:00:00", "n": day} for day in (1, 2, 3)]
        service.connect(rows, name="rows")
        answer = service.ask("sum n where at = 2024-01-01 or (at >= 2024-01-03 and n > 1)")
        assert answer.rows == [{"n": 4, "count": 2}]
        assert "(at ≥ " in answer["data"]["plan"][1]
