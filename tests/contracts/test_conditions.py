"""Whatever speaks of conditions knows all of their operators: who forgot one is named here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast, get_args

import pytest
from sqlglot import exp

from service_nb.evidence import standalone
from service_nb.notebook.completion import _suggest_words
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.ask_state import read_ask_state
from service_nb.query.conditions import OPERATORS, bind_condition
from service_nb.query.plan import describe_steps
from service_nb.query.spec import parse_spec
from service_nb.query.sql import DUCKDB, Method, Shape, build_statement
from service_nb.schema.query import ComparisonOp, Condition, ListOp, NullOp, Op, Plan, RangeOp
from service_nb.schema.source import Field
from service_nb.server.openapi import FORMS

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
    takes = {"none": NullOp, "list": ListOp, "one": ComparisonOp, "text": ComparisonOp, "two": RangeOp}
    assert [op for op, record in OPERATORS.items() if op not in get_args(takes[record.takes])] == []


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
    (condition,) = bind_condition(cast("Condition", parse_spec(spec).conditions[0]), TEXT)
    plan = Plan(aggregation="count", conditions=(condition,))
    assert OPERATORS[op].words in describe_steps(plan)[1]
    shape = Shape(fields={"t": TEXT}, columns={"t": "c0"}, method=Method.COUNT, spelling=DUCKDB)
    assert build_statement(plan, "data", shape).tree.find(exp.Where) is not None, "SQL"


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_has_the_same_words_in_the_standalone_verifier(op: Op) -> None:
    condition = {"column": "t", "op": op, **OPERANDS[OPERATORS[op].takes]}
    (bound,) = parse_spec({"aggregation": "count", "filter": {"conditions": [condition]}}).conditions
    described = describe_steps(Plan(aggregation="count", conditions=(bound,)))[1]
    assert described.endswith(standalone._describe_condition(condition)), "evidence/standalone.py"
    line = format_ask({"aggregation": "count", "filter": {"conditions": [condition]}})
    assert line == f"count where {standalone._format_ask_condition(condition)}", "evidence/standalone.py"


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_is_completed_and_in_openapi(op: Op) -> None:
    spelling = OPERATORS[op].ask[0]
    state = read_ask_state("count where t ", "")
    assert state is not None
    offered = {suggestion.text for suggestion in _suggest_words(state, {"t": "string"})}
    assert offered & {spelling, f"{spelling} ("}, "notebook/completion.py"
    listed = [form["properties"]["op"].get("enum", ()) for form in cast("Any", FORMS)["ConditionSpec"]]
    assert sum(op in ops for ops in listed) == 1, "server/openapi.py"


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize(
    ("path", "forms"),
    [
        ("docs/handbook/asking.md", ["`{}`"]),
        ("typescript/packages/panel/src/question.ts", ['"{}"']),
        ("typescript/packages/panel/src/words.ts", [" {}: "]),
        ("typescript/packages/verify/src/shown/words.ts", ['"{}"', " {}: "]),
        ("tests/engines/adversarial.py", ['"{}"']),
    ],
)
def test_an_operator_is_in_each_place_with_words_of_its_own(path: str, forms: list[str], op: Op) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert any(form.format(op) in text for form in forms), path
