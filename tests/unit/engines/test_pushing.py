"""A statement that was written before is what would be written anew, whatever its conditions compare with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from sqlglot import exp

from service_nb.connectors.mysql import MySQLSpelling
from service_nb.connectors.postgres import PostgresSpelling
from service_nb.connectors.sql_link import WrittenQuery, render_cached, write_query
from service_nb.engines.pushing import MOST_PARAMETERS, Statements
from service_nb.errors import EngineError
from service_nb.query.limbs import plan_limbs
from service_nb.query.spelling import Spelling
from service_nb.query.sql import Method, Shape, SqlStatement, build_columns, build_statement
from service_nb.schema.query import Condition, Plan
from service_nb.schema.source import Field

FIELDS = {
    "units": Field(name="units", type="number", physical="int64"),
    "price": Field(name="price", type="number", physical="float64"),
    "region": Field(name="region", type="string", physical="string"),
}
RELATION = exp.Table(this=exp.to_identifier("orders", quoted=True))
OPERANDS: dict[str, tuple[Any, ...]] = {  # beyond the column's range, between its values, what no database holds
    "units": (5, 0.5, 2**70),
    "price": (0.1, -0.0),
    "region": ("north", "", "a\0b"),
}


def plan(*conditions: Condition, **how: Any) -> Plan:
    made = Plan(
        source_name="orders",
        schema_revision="",
        aggregation="sum",
        metric="units",
        group_by=("region",),
        conditions=conditions,
        order="desc",
        limit=None,
        decision_path="exact_spec",
        plan_hash="",
        notes={},
    )
    return replace(made, **how)


def shape(spelling: Spelling, **how: Any) -> Shape:
    return Shape(**{"fields": FIELDS, "columns": None, "method": Method.WIDE, "spelling": spelling, **how})


def conditions() -> Iterator[tuple[Condition, ...]]:
    for column, operands in OPERANDS.items():
        for op, operand in product(("eq", "lt"), operands):
            yield (Condition(column=column, op=op, operand=operand),)  # type: ignore[arg-type]
        for op, low, high in product(("in", "between"), operands, operands):
            yield (Condition(column=column, op=op, operand=(low, high)),)  # type: ignore[arg-type]
    yield ()
    yield Condition(column="units", op="in", operand=(1, 2, 3)), Condition(column="region", op="is_null")


def text(made: SqlStatement, spelling: Spelling) -> tuple[str, list[Any]]:
    return write_query(made.tree, spelling.dialect).bind(made.parameters, "${1}")


def test_a_statement_of_before_is_the_one_that_would_be_built_for_any_operand() -> None:
    spelling, trees = PostgresSpelling(), set()
    known = Statements()
    asked = [plan(*some, metric=None, aggregation="count") for some in conditions()]
    for one in asked:
        how = shape(spelling, method=Method.COUNT)
        made, anew = known.build_groups(one, RELATION, how), build_statement(one, RELATION, how)
        assert text(made, spelling) == text(anew, spelling)
        assert made.measures == anew.measures
        trees.add(id(made.tree))
    assert len(trees) < len(asked) / 2


def test_whatever_a_statement_depends_on_makes_another() -> None:
    spelling, limbs = PostgresSpelling(), replace(plan_limbs(1e6, 1e-3), proven=False)
    some, float_sum = Condition(column="units", op="gt", operand=1), {"metric": "price", "aggregation": "avg"}
    questions: list[tuple[Plan, Shape]] = [
        (plan(), shape(spelling)),
        (plan(group_by=()), shape(spelling)),
        (plan(some), shape(spelling)),
        (plan(some), shape(spelling, indexed=False)),
        (plan(some, some), shape(spelling)),
        (plan(aggregation="min"), shape(spelling, method=Method.EXTREME)),
        (plan(aggregation="max"), shape(spelling, method=Method.EXTREME)),
        (plan(**float_sum), shape(spelling, method=limbs, bound=1e6)),
        (plan(**float_sum), shape(spelling, method=limbs, bound=1e7)),
        (plan(**float_sum), shape(spelling, method=limbs, bound=1e6, nonfinite=True)),
        (plan(**float_sum), shape(spelling, method=plan_limbs(1e9, 1e-3), bound=1e6)),
        (plan(), shape(MySQLSpelling())),
    ]
    known = Statements()
    for _ in range(2):
        made = [known.build_groups(*one[:1], RELATION, one[1]) for one in questions]
        assert [text(each, PostgresSpelling()) for each in made] == [
            text(build_statement(one, RELATION, how), PostgresSpelling()) for one, how in questions
        ]
    columns = known.build_columns(plan(some, metric=None), RELATION, shape(spelling))
    anew = build_columns(plan(some, metric=None), RELATION, shape(spelling))
    assert text(columns, spelling) == text(anew, spelling)


def test_long_lists_are_not_kept() -> None:
    known, spelling = Statements(), PostgresSpelling()
    long = plan(Condition(column="units", op="in", operand=tuple(range(MOST_PARAMETERS + 1))))
    first, second = (known.build_groups(long, RELATION, shape(spelling)).tree for _ in range(2))
    assert first is not second


def test_a_tree_is_written_once_and_only_if_it_reads() -> None:
    tree = build_statement(
        plan(Condition(column="units", op="gt", operand=1)), RELATION, shape(PostgresSpelling())
    ).tree
    first = render_cached(tree, (1,), "postgres")
    assert render_cached(tree, (1,), "postgres") is first
    assert render_cached(tree.copy(), (1,), "postgres") == first
    deletes = exp.delete("orders")
    for _ in range(2):
        with pytest.raises(EngineError):
            render_cached(deletes, (), "postgres")


def test_parameters_stand_where_their_placeholders_do() -> None:
    made = WrittenQuery(texts=("a ", " b ", " 100% ", ""), places=(1, 0, 1))
    assert made.bind(["x", "y"], "${1}") == ("a $1 b $2 100% $3", ["y", "x", "y"])
    assert made.bind(["x", "y"], "%s")[0] == "a %s b %s 100%% %s"
    with pytest.raises(EngineError):
        made.bind(["x"], "${1}")
