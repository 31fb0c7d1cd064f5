"""The statement of a plan is made of the engine's own names, typed literals and placeholders: nothing of the caller."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from service_nb.query.limbs import plan_limbs
from service_nb.query.sql import Method, Shape, SqlStatement, build_statement
from service_nb.schema.query import Condition, Plan
from service_nb.schema.source import Field

MARK = "zq9"  # in every name and every text of the caller's
NAMES = [f"{MARK}'; DROP TABLE data; --", f'{MARK}"', f"{MARK} `x`", f"{MARK}\\", f"{MARK} select"]
KINDS = [
    ("number", "float64"),
    ("number", "int64"),
    ("number", "decimal(12,2)"),
    ("string", "string"),
    ("date", "date"),
]
FIELDS = {
    name: Field(name=name, type=kind, physical=physical)  # type: ignore[arg-type]
    for name, (kind, physical) in zip(NAMES, KINDS, strict=True)
}
COLUMNS = {name: f"c{index}" for index, name in enumerate(NAMES)}
TEXT = f"{MARK}' OR 1=1; --"

OPERANDS: dict[str, Any] = {
    NAMES[0]: 0.1,
    NAMES[1]: 12345,
    NAMES[2]: Decimal("1.25"),
    NAMES[3]: TEXT,
    NAMES[4]: datetime.date(2024, 1, 1),
}
METHODS = [Method.COUNT, Method.EXTREME, plan_limbs(1e10, 1e-10), plan_limbs(1e10, None, limit=2)]


def statement(method: Any, conditions: tuple[Condition, ...] = (), **shape: Any) -> SqlStatement:
    aggregation = {Method.COUNT: "count", Method.EXTREME: "max"}.get(method, "sum")
    plan = Plan(
        source_name=TEXT,
        schema_revision="0" * 64,
        aggregation=aggregation,  # type: ignore[arg-type]
        metric=NAMES[0],
        group_by=(NAMES[3], NAMES[0]),
        conditions=conditions,
        order="desc",
        limit=5,
        decision_path="exact_spec",
        plan_hash="",
        notes={},
    )
    return build_statement(plan, "data", Shape(fields=FIELDS, columns=COLUMNS, method=method, **shape))


def conditions_of(column: str) -> tuple[Condition, ...]:
    value = OPERANDS[column]
    ops = ["eq", "ne", "gt", "gte", "lt", "lte"] + (["contains", "starts_with"] if column == NAMES[3] else [])
    return (
        *(Condition(column=column, op=op, operand=value) for op in ops),  # type: ignore[arg-type]
        *(Condition(column=column, op=op, operand=(value, value)) for op in ("in", "not_in", "between")),  # type: ignore[arg-type]
        *(Condition(column=column, op=op) for op in ("is_null", "is_not_null")),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("nonfinite", [True, False])
@pytest.mark.parametrize("members", [{}, {NAMES[3]: (TEXT, f"{MARK}other")}], ids=["text", "enum"])
def test_nothing_of_the_callers_is_in_the_statement(method: Any, nonfinite: bool, members: Any) -> None:
    conditions = tuple(condition for column in NAMES for condition in conditions_of(column))
    made = statement(method, conditions, nonfinite=nonfinite, members=members)
    text = made.tree.sql(dialect="duckdb")
    assert MARK not in text
    assert "12345" not in text
    assert text.count("?") == len(made.parameters)
    assert {str(literal) for literal in made.tree.find_all(exp.Literal) if literal.is_string} == set()
    assert re.fullmatch(r"[\w\s.,()*+\-<>=?/%]+", text)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_statement_is_one_select_over_one_table(method: Any) -> None:
    made = statement(method, nonfinite=True)
    parsed = sqlglot.parse(made.tree.sql(dialect="duckdb"), dialect="duckdb")
    assert len(parsed) == 1
    assert isinstance(parsed[0], exp.Select)
    assert {table.name for table in parsed[0].find_all(exp.Table)} == {"data"}
    columns = {column.name for column in parsed[0].find_all(exp.Column)}
    assert columns <= {*COLUMNS.values(), "m", "k0", "k1", *(f"{kind}{i}" for kind in "qr" for i in range(50))}


@given(st.lists(st.sampled_from(NAMES), max_size=6), st.data())
def test_parameters_stand_in_the_order_of_their_placeholders(columns: list[str], data: st.DataObject) -> None:
    conditions = tuple(data.draw(st.sampled_from(conditions_of(column))) for column in columns)
    made = statement(Method.COUNT, conditions)
    expected = [
        value
        for condition in conditions
        for value in (condition.operand if isinstance(condition.operand, tuple) else (condition.operand,))
        if value is not None
    ]
    assert made.tree.sql(dialect="duckdb").count("?") == len(made.parameters) == len(expected)
    pairs = zip(made.parameters, expected, strict=True)
    assert [Decimal(bound) if isinstance(value, Decimal) else bound for bound, value in pairs] == expected


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("source", "null"), "asked_source"),
        (("ASKED_SOURCE", "null"), "asked_source0"),
        (("asked_source.null", "null"), "asked_source0"),
        (("asked_source", "asked_source0", "null"), "asked_source00"),
    ],
)
def test_the_relation_is_called_as_no_column_is(columns: tuple[str, ...], name: str) -> None:
    fields = {column: Field(name=column, type="number", physical="int64") for column in columns}
    plan = Plan(
        source_name="", schema_revision="", aggregation="count", metric="null", group_by=(), conditions=(),
        order="desc", limit=None, decision_path="exact_spec", plan_hash="", notes={},
    )  # fmt: skip
    made = build_statement(plan, exp.to_table("t"), Shape(fields=fields, columns=None, method=Method.COUNT))
    assert {column.table for column in made.tree.find_all(exp.Column) if column.name == "null"} == {name}
    assert {table.alias for table in made.tree.find_all(exp.Table)} == {name}
