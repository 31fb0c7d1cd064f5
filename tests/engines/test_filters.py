"""Conditions keep the same rows on every engine: those that a naive reading of the operator keeps.

Row i holds 2**i in a second column, so that the sum of what is kept says exactly which rows it was.
"""

from __future__ import annotations

import datetime
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.query.conditions import OPS
from tests.engines import cases

SOME = settings.default.max_examples // 12  # each opens three databases
CONDITIONS = 3  # that are tried on each
LEAST, MOST = -(2**63), 2**63 - 1
TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "%",
    "_",
    "a%b",
    "\\",
    "'",
    '"',
    "a'b",
    "é",
    "e\u0301",
    "\uffff",
    "\U0001f600",
    "a\nb",
    "\0",
]


# --- the naive reading ------------------------------------------------------------------------------------------------


def number(value: Any, physical: str) -> Fraction | float:
    """A number as the real number that it stands for; for a float64 column the nearest double of it."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    exact = Fraction(str(value))
    return Fraction(float(exact)) if physical == "float64" else exact


def holds(op: str, value: Any, operand: Any, read: Callable[[Any], Any]) -> bool:
    """Whether a cell satisfies a condition, by the words of the handbook."""
    if op == "is_null":
        return value is None
    if value is None:
        return False
    if op == "is_not_null":
        return True
    cell = read(value)
    not_a_number = isinstance(cell, float) and math.isnan(cell)
    operands = [read(one) for one in operand] if isinstance(operand, list) else [read(operand)]
    first = operands[0]
    return {
        "eq": lambda: not not_a_number and cell == first,
        "ne": lambda: not_a_number or cell != first,
        "gt": lambda: not not_a_number and cell > first,
        "gte": lambda: not not_a_number and cell >= first,
        "lt": lambda: not not_a_number and cell < first,
        "lte": lambda: not not_a_number and cell <= first,
        "between": lambda: not not_a_number and first <= cell <= operands[1],
        "in": lambda: not not_a_number and any(cell == one for one in operands),
        "not_in": lambda: not_a_number or all(cell != one for one in operands),
        "contains": lambda: first in cell,
        "starts_with": lambda: cell[: len(first)] == first,
    }[op]()


# --- data -------------------------------------------------------------------------------------------------------------

FLOATS = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, 0.1, 0.3, 1.0, 2.0**53, 5e-324, 1.7976931348623157e308, math.nan])
)
INTEGERS = st.one_of(st.integers(LEAST, MOST), st.sampled_from([LEAST, LEAST + 1, -1, 0, 1, 2**53 + 1, MOST]))
NUMBERS = st.one_of(
    INTEGERS,
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6),
    st.sampled_from(
        [0.5, Decimal("0.1"), Decimal("1.50"), Decimal("-0.001"), LEAST - 1, MOST + 1, 10**30, "12", "1.5"]
    ),
)
SMALL = st.sampled_from([-2, -1, 0, 1, 2, 0.5, -0.5, Decimal("1.00"), 1.0])
DAYS = st.one_of(st.dates(), st.sampled_from([datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]))
MOMENTS = st.one_of(
    st.datetimes(), st.sampled_from(["2024-01-01", "9999-12-31T23"]).map(datetime.datetime.fromisoformat)
)
STRINGS = st.one_of(
    st.sampled_from(TEXTS), st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Z")), max_size=4)
)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    edge = 10**precision - 1
    return st.one_of(st.integers(-edge, edge), st.sampled_from([-edge, edge, 0, 1])).map(
        lambda units: Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -scale))
    )


COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = {
    "int64": (pa.int64(), st.one_of(INTEGERS, st.integers(-2, 2)), st.one_of(NUMBERS, SMALL)),
    "float64": (pa.float64(), st.one_of(FLOATS, SMALL.map(float)), st.one_of(NUMBERS, SMALL)),
    "decimal(5,2)": (pa.decimal128(5, 2), decimals(5, 2), st.one_of(NUMBERS, SMALL, decimals(5, 2))),
    "decimal(38,38)": (pa.decimal128(38, 38), decimals(38, 38), st.one_of(NUMBERS, SMALL, decimals(38, 38))),
    "decimal(38,0)": (pa.decimal128(38, 0), decimals(38, 0), st.one_of(NUMBERS, SMALL, decimals(38, 0))),
    "string": (pa.string(), STRINGS, STRINGS),
    "boolean": (pa.bool_(), st.booleans(), st.booleans()),
    "date": (pa.date32(), DAYS, DAYS),
    "datetime": (pa.timestamp("us"), MOMENTS, MOMENTS),
}
NOT_ORDERED = ("gt", "gte", "lt", "lte", "between")


def applies(op: str, physical: str) -> bool:
    if op in ("contains", "starts_with"):
        return physical == "string"
    return physical != "boolean" or op not in NOT_ORDERED


@st.composite
def conditions(draw: st.DrawFn, physical: str, column: list[Any]) -> tuple[str, Any]:
    operands = COLUMNS[physical][2]
    op = draw(st.sampled_from([op for op in OPS if applies(op, physical)]))
    # Half of the operands are values of the column: equality and edges matter most.
    present = [value for value in column if value is not None and value == value and abs_is_finite(value)]
    operand = st.one_of(operands, st.sampled_from(present)) if present else operands
    if op in ("is_null", "is_not_null"):
        return op, None
    if op == "between":
        return op, [draw(operand), draw(operand)]
    if op in ("in", "not_in"):
        return op, draw(st.lists(operand, min_size=1, max_size=4))
    return op, draw(operand)


def abs_is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def reader(physical: str) -> Callable[[Any], Any]:
    if physical in ("string", "boolean", "date", "datetime"):
        return lambda value: value
    return lambda value: number(value, physical)


class Column:
    """A column in every form that an engine holds: opened once, for every condition that is tried on it."""

    def __init__(self, physical: str, values: Sequence[Any], folder: Path, opened: ExitStack) -> None:
        self._physical, self._values = physical, values
        table = pa.table(
            {
                "x": pa.array(values, COLUMNS[physical][0]),
                "row": pa.array([2**index for index in range(len(values))], pa.int64()),
            }
        )
        self._dataset = cases.held(table)
        assert self._dataset.fields[0].physical == physical
        stored = {
            "duckdb enum": cases.as_enum(self._dataset),
            "duckdb plain": cases.as_plain(self._dataset),
            "parquet": cases.stored(folder, table, row_group_size=3),
        }
        self._engines: dict[str, Engine] = {"direct": MemoryEngine(self._dataset)}
        self._engines |= {name: opened.enter_context(cases.duckdb(form)) for name, form in stored.items()}

    def check(self, op: str, operand: Any) -> None:
        """Ask every form which rows a condition keeps."""
        condition: dict[str, Any] = {"column": "x", "op": op}
        if operand is not None:
            condition["values" if isinstance(operand, list) else "value"] = operand
        plan = cases.plan_for(self._dataset, metric="row", aggregation="sum", filter={"conditions": [condition]})
        read = reader(self._physical)
        kept = [i for i, value in enumerate(self._values) if holds(op, value, operand, read)]
        expected = {(): (len(kept), cases.bits(sum(2**i for i in kept) if kept else None))}
        for name, engine in self._engines.items():
            assert cases.groups(engine, plan) == expected, name


Held = Callable[..., Column]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """Columns that several tests ask: a database costs twenty times what a question does."""
    with ExitStack() as opened:

        @functools.cache
        def column(physical: str, *values: Any) -> Column:
            return Column(physical, values, tmp_path_factory.mktemp("column"), opened)

        yield column


@pytest.mark.parametrize("physical", COLUMNS)
@given(data=st.data())
@settings(max_examples=SOME, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_operator_keeps_what_it_says_on_every_engine(physical: str, tmp_path: Path, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.one_of(st.none(), COLUMNS[physical][1]), max_size=12))
    with ExitStack() as opened:
        column = Column(physical, values, tmp_path, opened)
        for _ in range(CONDITIONS):
            column.check(*data.draw(conditions(physical, values)))


@pytest.mark.parametrize("op", [op for op in OPS if op not in ("contains", "starts_with")])
@pytest.mark.parametrize(
    "column",
    [[5.0, math.nan, 5.0], [math.nan, math.nan], [4.0, math.nan, 6.0], [5.0, None, math.nan], [math.inf, -math.inf]],
    ids=str,
)
def test_nan_is_kept_by_ne_and_not_in_alone(op: str, column: list[float | None], held: Held) -> None:
    # Footers of Parquet leave NaN out, so an optimizer that trusts them drops or keeps the wrong row groups.
    for bound in (4.0, 5.0, 6.0):
        operand = {"is_null": None, "is_not_null": None, "between": [bound, 6.0], "in": [bound], "not_in": [bound]}
        held("float64", *column).check(op, operand.get(op, bound))


@pytest.mark.parametrize("op", ["eq", "ne", "gt", "gte", "lt", "lte", "in", "not_in", "between"])
@pytest.mark.parametrize(
    "operand", [LEAST, LEAST - 1, MOST, MOST + 1, 0.5, -0.5, Decimal("9223372036854775806.5"), 10**40, -(10**40)]
)
def test_integers_are_compared_with_any_real_number(op: str, operand: Any, held: Held) -> None:
    many = {"in": [operand, 1], "not_in": [operand, 1], "between": [operand, MOST]}
    held("int64", LEAST, -1, 0, 1, None, MOST - 1, MOST).check(op, many.get(op, operand))


@pytest.mark.parametrize("op", ["contains", "starts_with", "eq", "lt", "gt"])
@pytest.mark.parametrize("operand", TEXTS)
def test_text_is_compared_as_it_stands(op: str, operand: str, held: Held) -> None:
    held("string", *TEXTS, None).check(op, operand)


def test_text_is_ordered_by_code_point_and_not_by_utf16_units(held: Held) -> None:
    # U+FFFF sorts before U+1F600; in UTF-16 the surrogate pair of the latter would come first.
    held("string", "\uffff", "\U0001f600").check("gt", "\uffff")


def test_a_float_column_is_compared_with_the_nearest_double(held: Held) -> None:
    held("float64", 0.1, 0.3, 0.30000000000000004).check("eq", Decimal("0.1"))
    held("float64", 0.1, 0.3, 0.30000000000000004).check("gt", "0.3")
    held("float64", 2.0**53, 2.0**53 + 2).check("eq", 2**53 + 1)


def test_conditions_on_one_column_hold_together(tmp_path: Path) -> None:
    dataset = cases.held({"x": [1, 2, 3, 4, None], "y": ["a", "b", "a", "b", "a"]})
    plan = cases.plan_for(
        dataset,
        aggregation="count",
        filter={
            "conditions": [
                {"column": "x", "op": "gt", "value": 1},
                {"column": "x", "op": "not_in", "values": [4]},
                {"column": "y", "op": "eq", "value": "a"},
            ]
        },
    )
    assert cases.direct_groups(dataset, plan) == cases.duckdb_groups(dataset, plan) == {(): (1, ("int", "1"))}


def test_a_hundred_conditions_of_many_values_are_bound(tmp_path: Path) -> None:
    dataset = cases.held({"x": list(range(3_000)), "word": [f"w{i}" for i in range(3_000)]})
    plan = cases.plan_for(
        dataset,
        aggregation="count",
        filter={
            "conditions": [
                {"column": "x", "op": "in", "values": list(range(-5_000, 5_000))},
                {"column": "word", "op": "not_in", "values": [f"w{i}" for i in range(10, 10_000)]},
                *({"column": "x", "op": "ne", "value": i} for i in range(98)),
            ]
        },
    )
    assert cases.duckdb_groups(dataset, plan) == cases.direct_groups(dataset, plan) == {(): (0, ("int", "0"))}


# --- decimals of 38 places --------------------------------------------------------------------------------------------


def least(units: int) -> Decimal:
    """A decimal of 38 places, of so many of the last one."""
    return Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -38))


@pytest.mark.parametrize("form", ["held", "stored"])
def test_neighbours_among_38_places_are_two_numbers_whatever_stands_beside_them(form: str, tmp_path: Path) -> None:
    top = 10**38 - 1
    columns = {
        "x": pa.array([least(units) for units in (top, top - 1, 0, 1, 2)], pa.decimal128(38, 38)),
        "row": pa.array([1, 2, 4, 8, 16]),
    }
    dataset = cases.held(columns) if form == "held" else cases.stored(tmp_path, columns)
    asked: list[tuple[str, dict[str, Any], int]] = [
        ("in", {"values": [least(top), least(0)]}, 5),
        ("not_in", {"values": [least(top), least(1)]}, 22),
        ("eq", {"value": least(1)}, 8),
        ("gt", {"value": least(1)}, 19),
        ("lt", {"value": least(2)}, 12),
        ("between", {"values": [least(1), least(top - 1)]}, 26),
    ]
    with cases.duckdb(dataset) as engine:
        for op, operand, kept in asked:
            conditions = [{"column": "x", "op": op, **operand}]
            plan = cases.plan_for(dataset, metric="row", aggregation="sum", filter={"conditions": conditions})
            assert cases.groups(engine, plan) == {(): (kept.bit_count(), cases.bits(kept))}, op
