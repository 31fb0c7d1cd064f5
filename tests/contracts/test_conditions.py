"""Whatever speaks of conditions knows all of their operators: who forgot one is named here."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from sqlglot import exp

from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.conditions import OPERATORS, bind_condition
from service_nb.query.plan import describe_steps
from service_nb.query.spec import parse_spec
from service_nb.query.sql import DUCKDB, Method, Shape, build_statement
from service_nb.schema.query import ComparisonOp, ListOp, NullOp, Op, Plan
from service_nb.schema.source import Field

ROOT = Path(__file__).parents[2]
TEXT = Field(name="t", type="string", physical="string")
OPERANDS: dict[str, dict[str, object]] = {
    "none": {},
    "one": {"value": "a"},
    "text": {"value": "a"},
    "two": {"values": ["a", "b"]},
}
OPERANDS["list"] = {"values": ["a"]}


def test_every_operator_has_a_record_and_a_shape_on_cards() -> None:
    assert set(OPERATORS) == set(get_args(Op))
    takes = {"none": NullOp, "list": ListOp, "one": ComparisonOp, "text": ComparisonOp}
    assert [op for op, record in OPERATORS.items() if op not in get_args(takes.get(record.takes, Op))] == []


def test_no_two_operators_have_one_spelling() -> None:
    words = [word for record in OPERATORS.values() for word in record.ask]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_is_read_written_described_and_asked_for(op: Op) -> None:
    spec = {
        "aggregation": "count",
        "filter": {"conditions": [{"column": "t", "op": op, **OPERANDS[OPERATORS[op].takes]}]},
    }
    assert parse_ask(format_ask(spec)) == spec, "ask line"
    (condition,) = bind_condition(parse_spec(spec).conditions[0], TEXT)
    plan = Plan(aggregation="count", conditions=(condition,))
    assert OPERATORS[op].words in describe_steps(plan)[1]
    shape = Shape(fields={"t": TEXT}, columns={"t": "c0"}, method=Method.COUNT, spelling=DUCKDB)
    assert build_statement(plan, "data", shape).tree.find(exp.Where) is not None, "SQL"


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_is_in_the_handbook_and_in_the_panel(op: Op) -> None:
    assert f"`{op}`" in (ROOT / "docs" / "handbook" / "asking.md").read_text(encoding="utf-8")
    assert op in (ROOT / "labextension" / "packages" / "panel" / "src" / "question.ts").read_text(encoding="utf-8")


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_is_compared_across_engines(op: Op) -> None:
    assert f'"{op}"' in (ROOT / "tests" / "engines" / "adversarial.py").read_text(encoding="utf-8"), (
        "adversarial tables"
    )
