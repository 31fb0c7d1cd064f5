"""Measures, periods of dates, bins of numbers and order_by give what a naive computation gives, on every engine."""

from __future__ import annotations

import datetime
import json
import math
import sqlite3
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import service_nb
from service_nb.client.service import Service
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.errors import LimitExceededError
from service_nb.evidence.documents import check_card
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.plan import build_result_columns, build_row, sort_groups
from service_nb.query.spec import parse_spec, write_spec
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import AskedMeasure, BinKey, DateKey, Plan
from tests.engines import cases
from tests.tools.node import built, node

VERDICTS = Path(__file__).parents[1] / "tools" / "card_verdicts.mjs"

WIDTHS = ["1", "10", "0.1", "0.25", "0.3", "7", "0.001", "2.5", "1000"]
UNITS = ["day", "week", "month", "quarter", "year"]


def load(columns: dict[str, pa.Array]) -> Dataset:
    return cases.held(pa.table(columns))


def engines(columns: dict[str, pa.Array]) -> list[Engine]:
    return [MemoryEngine(load(columns)), DuckDBEngine(load(columns))]


def edge_of(value: float, width: Fraction) -> float:
    """The lower edge of a double's bin, by exact arithmetic over rounded edges."""
    place = math.floor(Fraction(value) / width)
    found = [k for k in range(place - 2, place + 3) if float(k * width) <= value < float((k + 1) * width)]
    assert len(found) == 1
    return float(found[0] * width)


def count_by(engine: Engine, *keys: Any) -> dict[tuple[Any, ...], int]:
    groups = engine.aggregate(Plan(aggregation="count", group_by=keys), None).groups
    return {tuple("NaN" if key != key else key for key in group.keys): group.rows for group in groups}


@st.composite
def near_edges(draw: st.DrawFn) -> tuple[str, list[float | None]]:
    """A width, and doubles at its edges and beside them."""
    text = draw(st.sampled_from(WIDTHS))
    width = Fraction(Decimal(text))
    most = 2**49 // max(width.numerator, 1)
    place = st.integers(-most, most) | st.integers(-20, 20)
    edge = place.map(lambda k: float(k * width))
    beside = edge.flatmap(lambda x: st.sampled_from([x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf)]))
    strange = st.sampled_from([None, math.nan, math.inf, -math.inf, -0.0, 5e-324, -5e-324])
    return text, draw(st.lists(beside | strange, min_size=1, max_size=12))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(near_edges())
def test_a_double_lies_in_the_bin_whose_rounded_edges_hold_it(given_: tuple[str, list[float | None]]) -> None:
    text, values = given_
    width = Fraction(Decimal(text))
    assume(
        all(value is None or not math.isfinite(value) or abs(value) < 2.0**49 / width.denominator for value in values)
    )
    due: dict[tuple[Any, ...], int] = {}
    for value in values:
        key: Any = value
        if value is not None:
            key = "NaN" if value != value else value if math.isinf(value) else edge_of(value, width)
        due[(key,)] = due.get((key,), 0) + 1
    for engine in engines({"x": pa.array(values, pa.float64())}):
        met = count_by(engine, BinKey(column="x", width=Decimal(text)))
        assert met == due, engine.name
        assert all(math.copysign(1, key) == 1 for (key,) in met if key == 0)


@pytest.mark.parametrize("width", WIDTHS)
def test_sqlite_tells_the_bins_of_doubles_and_whole_numbers_as_the_others_do(width: str, tmp_path: Path) -> None:
    exact = Fraction(Decimal(width))
    edges = [float(k * exact) for k in (-1001, -3, -1, 0, 1, 2, 3, 7, 10**6 + 1)]
    doubles = [x for edge in edges for x in (edge, math.nextafter(edge, math.inf), math.nextafter(edge, -math.inf))]
    path = tmp_path / "bins.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (x real, n integer)")
        rows = [(x, at - 13) for at, x in enumerate([*doubles, 0.5, None])]
        connection.executemany("insert into t values (?, ?)", rows)
    connection.close()
    service = service_nb.create_service()
    service.connect({"provider": "sqlite", "path": str(path), "table": "t"}, name="t")
    outcome = service.ask({"aggregation": "count", "group_by": [{"column": "x", "width": width}], "order_by": "x_bin"})
    met = {row["x_bin"]: row["count"] for row in outcome.rows}
    due: dict[float | None, int] = {}
    for x, _ in rows:
        key = None if x is None else edge_of(x, exact)
        due[key] = due.get(key, 0) + 1
    assert met == due
    assert [row["x_bin"] for row in outcome.rows] == [*sorted(key for key in due if key is not None), None]
    assert "extracted" not in outcome.card["view"]["method"]
    if exact.denominator == 1:
        whole = service.ask({"aggregation": "count", "group_by": [{"column": "n", "width": width}]})
        step = int(exact)
        assert {row["n_bin"] for row in whole.rows} == {n // step * step for _, n in rows}


def test_whole_numbers_and_decimals_lie_in_bins_of_their_own_type() -> None:
    whole = [-(10**18), -11, -10, -1, 0, 9, 10, None, 10**18 + 9]
    money = [None if n is None else Decimal(n) / 4 for n in (-11, -10, -1, 0, 9, 10, None)]
    for engine in engines({"n": pa.array(whole, pa.int64())}):
        met = count_by(engine, BinKey(column="n", width=Decimal(10)))
        assert set(met) == {(None if n is None else n // 10 * 10,) for n in whole}, engine.name
    for engine in engines({"m": pa.array(money, pa.decimal128(12, 2))}):
        met = count_by(engine, BinKey(column="m", width=Decimal("0.5")))
        due = {(None if m is None else Decimal(math.floor(m / Decimal("0.5"))) * Decimal("0.5"),) for m in money}
        assert set(met) == due, engine.name


def test_numbers_that_are_too_large_for_exact_edges_are_refused_on_every_engine() -> None:
    for engine in engines({"x": pa.array([1.0, 1e17], pa.float64())}):
        with pytest.raises(LimitExceededError, match="too large for exact bins"):
            count_by(engine, BinKey(column="x", width=Decimal(10)))
    for engine in engines({"n": pa.array([1, -(2**63)], pa.int64())}):
        with pytest.raises(LimitExceededError, match="too large for exact bins"):
            count_by(engine, BinKey(column="n", width=Decimal(10)))


def first_day(day: datetime.date, unit: str) -> datetime.date:
    match unit:
        case "week":
            return datetime.date.fromisocalendar(*day.isocalendar()[:2], 1)
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month={0: 1, 1: 4, 2: 7, 3: 10}[(day.month - 1) // 3], day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day


@settings(deadline=None)
@given(
    days=st.lists(st.none() | st.dates(), min_size=1, max_size=12),
    times=st.lists(st.none() | st.datetimes(), min_size=1, max_size=12),
    unit=st.sampled_from(UNITS),
)
def test_a_date_lies_in_its_period(days: list[Any], times: list[Any], unit: Any) -> None:
    for kind, values in ((pa.date32(), days), (pa.timestamp("us"), times)):
        due: dict[tuple[Any, ...], int] = {}
        for value in values:
            key = None if value is None else first_day(value.date() if kind != pa.date32() else value, unit)
            due[(key,)] = due.get((key,), 0) + 1
        for engine in engines({"d": pa.array(values, kind)}):
            assert count_by(engine, DateKey(column="d", unit=unit)) == due, engine.name


MEASURES = [
    AskedMeasure(aggregation=name, metric=column)
    for name, column in [
        *(("sum", column) for column in "xn"), *(("avg", column) for column in "xn"), ("median", "x"),
        ("count", "x"), ("count", None), ("min", "d"), ("max", "r"), ("count_distinct", "r"),
    ]
]  # fmt: skip
KEYS = ["r", DateKey(column="d", unit="month"), DateKey(column="d", unit="week"), BinKey(column="n", width=Decimal(3)),
        BinKey(column="x", width=Decimal("0.5"))]  # fmt: skip
ROWS = st.tuples(
    st.none() | st.sampled_from([0.1, 0.5, 1.0, -0.3, 1e300, math.nan, 2.25]),
    st.none() | st.integers(-9, 9),
    st.none() | st.dates(datetime.date(2023, 11, 1), datetime.date(2024, 2, 28)),
    st.none() | st.sampled_from(["a", "b", "Z", ""]),
)


def in_order(rows: Sequence[tuple[Any, ...]], at: int, *, descending: bool, keys: int) -> list[tuple[Any, ...]]:
    def rank(value: Any) -> tuple[int, Any]:
        return (2, 0) if value is None else (1, 0) if value != value else (0, value)

    by_keys = sorted(rows, key=lambda row: [rank(value) for value in row[:keys]])
    plain = sorted((row for row in by_keys if rank(row[at])[0] == 0), key=lambda row: row[at], reverse=descending)
    return plain + sorted((row for row in by_keys if rank(row[at])[0]), key=lambda row: rank(row[at])[0])


@settings(deadline=None)
@given(
    rows=st.lists(ROWS, min_size=1, max_size=20),
    measures=st.lists(st.sampled_from(MEASURES), min_size=1, max_size=4, unique=True),
    keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True),
    data=st.data(),
)
def test_measures_are_those_of_each_alone_in_the_order_that_is_named(
    rows: list[Any], measures: list[Any], keys: list[Any], data: st.DataObject
) -> None:
    x, n, d, r = zip(*rows, strict=True)
    assume(not any(isinstance(key, BinKey) and key.column == "x" for key in keys) or 1e300 not in x)
    columns = {
        "x": pa.array(x, pa.float64()),
        "n": pa.array(n, pa.int64()),
        "d": pa.array(d, pa.date32()),
        "r": pa.array(r),
    }
    columns["r"] = pa.array(r, pa.string())
    first, *more = measures
    plan = Plan(aggregation=first.aggregation, metric=first.metric, more=tuple(more), group_by=tuple(keys))
    names = build_result_columns(plan)
    assert len(set(names.names)) == len(names.names)
    name, order = data.draw(st.sampled_from(names.names)), data.draw(st.sampled_from(["asc", "desc"]))
    plan = Plan(
        **{key: getattr(plan, key) for key in ("aggregation", "metric", "more", "group_by")}, order_by=name, order=order
    )
    met = []
    for engine in engines(columns):
        groups = engine.aggregate(plan, None).groups
        table = [build_row(group, names) for group in sort_groups(groups, plan)]
        assert list(map(repr, table)) == list(
            map(repr, in_order(table, names.names.index(name), descending=order == "desc", keys=len(keys)))
        )
        alone = [engine.aggregate(each, None).groups for each in plan.split()]
        for at, single in enumerate(alone):
            by_keys = {repr(group.keys): repr(group.value) for group in single}
            assert {repr(group.keys): repr((group.value, *group.more)[at]) for group in groups} == by_keys
        met.append(list(map(repr, table)))
    assert met[0] == met[1]


# --- what is asked ---------------------------------------------------------------------------------------------------


@pytest.fixture
def service() -> Service:
    made = service_nb.create_service()
    days = [datetime.date(2024, 1 + at % 5, 1 + at) for at in range(20)]
    made.connect(
        [{"day": day, "amount": at * 7.5, "region": "NS"[at % 2]} for at, day in enumerate(days)], name="sales"
    )
    return made


@pytest.mark.parametrize(
    "line",
    [
        "sum amount, avg amount, count by month of day from sales order by day_month asc limit 3",
        "count by region, amount in bins of 12.5 from sales order by amount_bin desc",
        "max day, count distinct region from sales where amount > 3",
        "sum amount by week of day, year of day from sales",
    ],
)
def test_a_line_a_spec_a_plan_a_card_and_a_replay_are_one(service: Service, line: str) -> None:
    line = line.replace("count distinct region", "count_distinct region")
    spec = parse_ask(line)
    assert format_ask(spec) == line
    assert write_spec(parse_spec(spec)) == write_spec(parse_spec(parse_ask(format_ask(write_spec(parse_spec(spec))))))
    plan = service.resolve(spec)["plan"]
    assert service.verify(plan)["valid"]
    outcome = service.ask(line)
    shown = outcome.card["view"]["ask"]
    assert shown == (f"{line} order by day_week asc" if "week" in line else line)  # what orders a series is written out
    assert service.resolve(shown)["plan_hash"] == outcome.card["digests"]["plan_hash"]
    assert service.query(plan) == outcome["data"]["result"]
    assert not any(check.status == "failed" for check in outcome.verify().checks)
    assert outcome.replay()["status"] == "identical"


def test_a_list_of_one_measure_is_that_measure(service: Service) -> None:
    one = {"aggregation": "sum", "metric": "amount"}
    assert service.resolve({"measures": [one]})["plan_hash"] == service.resolve(one)["plan_hash"]
    first = service.resolve({**one, "group_by": "region"})
    assert service.resolve({**one, "group_by": "region", "order_by": "amount"})["plan_hash"] == first["plan_hash"]
    assert parse_spec({"group_by": {"column": "a", "width": 0.5}}) == parse_spec(
        {"group_by": {"column": "a", "width": "0.50"}}
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("sum amount by month of region", "month needs a date or datetime column; region is string."),
        ("sum amount by day in bins of 5", "Bins need a number column; day is date."),
        ("sum amount by region order by price", "the result has the columns 'region', 'amount', 'count'."),
        ("sum amount, sum Amount", "measures names sum amount twice."),
    ],
)
def test_what_does_not_fit_is_rejected_with_its_reason(service: Service, line: str, reason: str) -> None:
    outcome = service.ask(line)
    assert outcome["status"] == "rejected"
    assert reason in outcome["resolution"]["reason"]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"measures": [{"aggregation": "sum", "metric": "a"}], "aggregation": "sum"}, "measures"),
        ({"measures": []}, "measures"),
        ({"measures": [{"metric": "a"}]}, "measures[0].aggregation"),
        ({"measures": [{"aggregation": "count"}] * 2}, "measures[1]"),
        ({"group_by": [{"column": "a"}]}, "group_by[0]"),
        ({"group_by": [{"column": "a", "unit": "month", "width": 1}]}, "group_by[0]"),
        ({"group_by": [{"column": "a", "unit": "hour"}]}, "group_by[0].unit"),
        *(
            ({"group_by": [{"column": "a", "width": width}]}, "group_by[0].width")
            for width in (0, -1, "x", True, "NaN", "1e99", "1_0", "\u0661\u0660", " 1")
        ),
        ({"measures": [{"aggregation": "sum", "metric": f"c{at}"} for at in range(17)]}, "measures"),
    ],
)
def test_a_malformed_spec_names_the_place(spec: dict[str, Any], path: str) -> None:
    with pytest.raises(service_nb.ServiceError) as caught:
        parse_spec(spec)
    assert caught.value.details["path"] == path


def test_a_denied_column_in_a_period_or_a_bin_is_refused_like_any_other() -> None:
    rows = [{"day": datetime.date(2024, 1, 1), "pay": 5.0, "region": "N"}]
    policy = {"allowed_fields": {"sales": ["region"]}}
    service = service_nb.create_service(policy=policy)
    service.connect(rows, name="sales")
    for line in ("count by month of day", "count by pay in bins of 5", "count, sum pay by region"):
        outcome = service.ask(f"{line} from sales")
        assert outcome["resolution"]["rejection_reason"] == "policy_denied_field", line


def test_the_browser_says_of_such_cards_what_python_says(service: Service) -> None:
    lines = [
        "sum amount, avg amount, count by month of day order by day_month asc limit 3",
        "count by region, amount in bins of 12.5 order by amount_bin desc",
        "count, sum amount by week of day, year of day order by sum_amount asc",
        "max day, count_distinct region",
    ]
    cards = [service.ask(line).card for line in lines]
    built()
    told = json.loads(node(VERDICTS, stdin=json.dumps(cards).encode()))
    assert [causes for _, causes in told] == [[] for _ in lines]
    assert all(
        "shown" in [check.name for check in check_card(card).checks if check.status == "passed"] for card in cards
    )
