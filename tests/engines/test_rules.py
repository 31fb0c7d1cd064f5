"""What a group is, what its least and largest values are, and what is counted: the same on every engine."""

from __future__ import annotations

import datetime
import decimal
import math
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service_nb.engines import duckdb as duckdb_engine
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.readers.dataset import Dataset
from service_nb.schema.source import Limits
from tests.engines import cases
from tests.engines.cases import bits

Ask = Callable[[pa.Table, dict[str, Any]], list[cases.Groups]]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Asks every engine and form of storage a question; they stay open for further questions of the same table."""
    with ExitStack() as opened:
        held: list[tuple[pa.Table, Dataset, list[Engine]]] = []

        def engines(table: pa.Table) -> Iterator[Engine]:
            dataset = cases.held(table)
            yield MemoryEngine(dataset)
            for form in (
                cases.as_enum(dataset),
                cases.as_plain(dataset),
                cases.stored(tmp_path, table, row_group_size=2),
                cases.stored(tmp_path, table, name="bare", write_statistics=False),
            ):
                yield opened.enter_context(cases.duckdb(form))

        def asked(table: pa.Table, spec: dict[str, Any]) -> list[cases.Groups]:
            if not held or held[0][0] is not table:
                opened.close()
                held[:] = [(table, cases.held(table), list(engines(table)))]
            _, dataset, forms = held[0]
            plan = cases.plan_for(dataset, **spec)
            return [cases.groups(engine, plan) for engine in forms]

        yield asked


def one(value: Any, rows: int) -> cases.Groups:
    return {(): (rows, bits(value))}


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


ASTRAL = "\U0001f600"
BEYOND_UTF16_ORDER = "\uffff"

EXTREMES: dict[str, tuple[pa.DataType, list[Any], Any, Any]] = {
    "floats": (pa.float64(), [2.5, None, -1.5], -1.5, 2.5),
    "infinities": (pa.float64(), [math.inf, 0.0, -math.inf], -math.inf, math.inf),
    "a NaN wins": (pa.float64(), [1.0, math.nan, 2.0], math.nan, math.nan),
    "a NaN wins over infinities": (pa.float64(), [math.inf, math.nan], math.nan, math.nan),
    "negative zero is zero": (pa.float64(), [-0.0, -0.0], 0.0, 0.0),
    "integers": (pa.int64(), [2**63 - 1, -(2**63), 0], -(2**63), 2**63 - 1),
    "decimals": (pa.decimal128(38, 2), [Decimal("1.50"), Decimal("-0.01")], Decimal("-0.01"), Decimal("1.50")),
    "text by code point": (pa.string(), ["b", "Z", "é", "a", ""], "", "é"),
    "text beyond the BMP": (pa.string(), [ASTRAL, BEYOND_UTF16_ORDER], BEYOND_UTF16_ORDER, ASTRAL),
    "dates": (pa.date32(), [day("2024-02-29"), day("0001-01-01")], day("0001-01-01"), day("2024-02-29")),
    "moments": (
        pa.timestamp("us"),
        [moment("2024-02-29T12:00:00.000001"), moment("9999-12-31T23:59:59.999999")],
        moment("2024-02-29T12:00:00.000001"),
        moment("9999-12-31T23:59:59.999999"),
    ),
    "nulls alone": (pa.float64(), [None, None], None, None),
    "no text at all": (pa.string(), [None], None, None),
}


@pytest.mark.parametrize("case", EXTREMES.values(), ids=EXTREMES)
def test_the_least_and_the_largest_value(case: tuple[pa.DataType, list[Any], Any, Any], ask: Ask) -> None:
    kind, values, least, largest = case
    table = pa.table({"x": pa.array(values, kind)})
    for aggregation, expected in (("min", least), ("max", largest)):
        for answer in ask(table, {"metric": "x", "aggregation": aggregation}):
            assert answer == one(expected, len(values))


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=3), min_size=1, max_size=20))
@settings(max_examples=settings.default.max_examples // 6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_is_ordered_as_python_orders_it(ask: Ask, values: list[str]) -> None:
    # Python compares strings by code point, and documents it.
    table = pa.table({"x": pa.array(values, pa.string())})
    for aggregation, expected in (("min", min(values)), ("max", max(values))):
        for answer in ask(table, {"metric": "x", "aggregation": aggregation}):
            assert answer == one(expected, len(values))


MEDIANS: dict[str, tuple[pa.DataType, list[Any], float | None]] = {
    "the middle of an odd count": (pa.float64(), [3.0, None, 0.1, -2.0], 0.1),
    "the mean of two": (pa.float64(), [1.0, 4.0, 2.0, -7.0], 1.5),
    "a mean that is rounded once": (pa.float64(), [0.1, 0.2], 0.15000000000000002),
    "a mean beyond the range of a sum": (pa.float64(), [1.7e308, 1.7e308], 1.7e308),
    "a mean below the range of a half": (pa.float64(), [5e-324, 0.0], 0.0),
    "values that are equal": (pa.float64(), [2.5] * 6, 2.5),
    "negative zero is zero": (pa.float64(), [-0.0, -0.0, -0.0], 0.0),
    "a NaN wins": (pa.float64(), [1.0, math.nan, 2.0, 3.0], math.nan),
    "an infinity at an end": (pa.float64(), [1.0, math.inf, 2.0], 2.0),
    "an infinity in the middle": (pa.float64(), [1.0, math.inf], math.inf),
    "infinities alone": (pa.float64(), [-math.inf], -math.inf),
    "infinities of both signs in the middle": (pa.float64(), [math.inf, -math.inf], math.nan),
    "integers": (pa.int64(), [3, 1, 2, 10], 2.5),
    "integers that no double holds": (pa.int64(), [2**53 + 1, 2**53 + 3], 2.0**53 + 2),
    "the middle integer is rounded": (pa.int64(), [2**53 + 1], 2.0**53),
    "the ends of the integers": (pa.int64(), [2**63 - 1, -(2**63)], -0.5),
    "decimals": (pa.decimal128(38, 2), [Decimal("0.10"), Decimal("0.20"), None], 0.15),
    "nulls alone": (pa.float64(), [None, None], None),
}


@pytest.mark.parametrize("gathered", [True, False], ids=["held in memory", "numbered"])
@pytest.mark.parametrize("case", MEDIANS.values(), ids=MEDIANS)
def test_the_median(
    case: tuple[pa.DataType, list[Any], float | None], ask: Ask, gathered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, values, expected = case
    monkeypatch.setattr(duckdb_engine, "GATHERED_BYTES", 64 if gathered else 2**60)
    for answer in ask(pa.table({"x": pa.array(values, kind)}), {"metric": "x", "aggregation": "median"}):
        assert answer == one(expected, len(values))


@given(st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.floats(allow_nan=False, allow_infinity=False))))
@settings(max_examples=settings.default.max_examples // 6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_median_is_the_double_nearest_to_that_of_fractions(ask: Ask, rows: list[tuple[str, float | None]]) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    table = pa.table({"g": pa.array(keys, pa.string()), "x": pa.array(values, pa.float64())})
    expected = {}
    for key in set(keys):
        present = [Fraction(value) for other, value in rows if other == key and value is not None]
        middle = float(statistics.median(present)) + 0.0 if present else None
        expected[(bits(key),)] = (keys.count(key), bits(middle))
    for answer in ask(table, {"metric": "x", "aggregation": "median", "group_by": "g"}):
        assert answer == expected


PERCENTILES: dict[str, tuple[pa.DataType, list[Any], str, float | None]] = {
    "one value": (pa.float64(), [3.5, None], "90", 3.5),
    "a value itself": (pa.float64(), [4.0, 1.0, 3.0, 2.0, 5.0], "75", 4.0),
    "between two": (pa.float64(), [1.0, 2.0, 3.0, 4.0], "90", 3.7),
    "the least": (pa.float64(), [3.0, -1.0, 2.0], "0", -1.0),
    "the greatest": (pa.float64(), [3.0, -1.0, 2.0], "100", 3.0),
    "values that are equal": (pa.float64(), [0.1] * 7, "33.3", 0.1),
    "negative zero is zero": (pa.float64(), [-0.0, -0.0], "10", 0.0),
    "a difference beyond the doubles": (pa.float64(), [-1.7e308, 1.7e308], "75", 8.5e307),
    "a value below the doubles": (pa.float64(), [-5e-324, 0.0], "75", 0.0),
    "a NaN wins": (pa.float64(), [1.0, math.nan, 2.0], "0", math.nan),
    "an infinity beside": (pa.float64(), [1.0, math.inf, 2.0], "50", 2.0),
    "an infinity above": (pa.float64(), [1.0, math.inf, 2.0], "51", math.inf),
    "an infinity below": (pa.float64(), [-math.inf, 1.0], "99", -math.inf),
    "infinities alone": (pa.float64(), [math.inf, math.inf], "20", math.inf),
    "between infinities of both signs": (pa.float64(), [math.inf, -math.inf], "20", math.nan),
    "integers": (pa.int64(), [3, 1, 2, 10], "90", 7.9),
    "the ends of the integers": (pa.int64(), [2**63 - 1, -(2**63)], "100", 2.0**63),
    "decimals": (pa.decimal128(38, 2), [Decimal("0.10"), Decimal("0.20"), None], "12.5", 0.1125),
    "nulls alone": (pa.float64(), [None, None], "95", None),
}


@pytest.mark.parametrize("case", PERCENTILES.values(), ids=PERCENTILES)
def test_a_percentile(case: tuple[pa.DataType, list[Any], str, float | None], ask: Ask) -> None:
    kind, values, percent, expected = case
    table = pa.table({"x": pa.array(values, kind)})
    for answer in ask(table, {"metric": "x", "aggregation": "percentile", "percent": percent}):
        assert answer == one(expected, len(values))


def percentile(values: list[Fraction], percent: Decimal) -> Fraction:
    """Type 7 of Hyndman and Fan, in fractions."""
    place = (len(values) - 1) * Fraction(percent) / 100
    low, high = sorted(values)[math.floor(place)], sorted(values)[math.ceil(place)]
    return low + (place - math.floor(place)) * (high - low)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.none() | st.sampled_from([0.0, 0.1, -3.5]) | st.floats(allow_nan=False, allow_infinity=False),
        )
    ),
    st.sampled_from(["0", "50", "100", "90", "99.9"]) | st.decimals(0, 100, places=4).map(str),
)
@settings(max_examples=settings.default.max_examples // 6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_percentile_is_the_double_nearest_to_that_of_fractions(
    ask: Ask, rows: list[tuple[str, float | None]], percent: str
) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    table = pa.table({"g": pa.array(keys, pa.string()), "x": pa.array(values, pa.float64())})
    expected = {}
    for key in set(keys):
        present = [value for other, value in rows if other == key and value is not None]
        exact = percentile([*map(Fraction, present)], Decimal(percent)) if present else None
        expected[(bits(key),)] = (keys.count(key), bits(None if exact is None else float(exact) + 0.0))
        if exact is not None and max(map(abs, present)) < 1e300:
            near = float(np.quantile(present, float(Decimal(percent) / 100)))
            assert near == pytest.approx(float(exact), rel=1e-9, abs=1e-9 * max(map(abs, present)))
    for answer in ask(table, {"metric": "x", "aggregation": "percentile", "percent": percent, "group_by": "g"}):
        assert answer == expected
    if percent == "50":
        for answer in ask(table, {"metric": "x", "aggregation": "median", "group_by": "g"}):
            assert answer == expected


ROOT_HALF = 0.7071067811865476
SPREADS: dict[str, tuple[pa.DataType, list[Any], float | None, float | None]] = {
    "two values": (pa.float64(), [1.0, 2.0], ROOT_HALF, 0.5),
    "one value": (pa.float64(), [3.5, None], None, None),
    "one NaN": (pa.float64(), [math.nan], None, None),
    "nulls alone": (pa.float64(), [None, None], None, None),
    "values that are equal": (pa.float64(), [0.1] * 7, 0.0, 0.0),
    "zeros of both signs": (pa.float64(), [0.0, -0.0], 0.0, 0.0),
    "a NaN wins": (pa.float64(), [1.0, math.nan, 2.0], math.nan, math.nan),
    "an infinity makes NaN": (pa.float64(), [1.0, -math.inf, 2.0], math.nan, math.nan),
    "a huge mean and a tiny spread": (pa.float64(), [2.0**53, 2.0**53 - 1], ROOT_HALF, 0.5),
    "squares beyond the doubles": (pa.float64(), [1e308, -1e308], 1.4142135623730951e308, math.inf),
    "a root beyond the doubles": (pa.float64(), [1.7e308, -1.7e308], math.inf, math.inf),
    "squares below the doubles": (pa.float64(), [1e-200, 3e-200], 1.414213562373095e-200, 0.0),
    "subnormal values": (pa.float64(), [0.0, 5e-324], 5e-324, 0.0),
    "both ends of the doubles": (pa.float64(), [1.7e308, 5e-324, 1.7e308], 9.814954576223638e307, math.inf),
    "integers": (pa.int64(), [2, 4, 4, 4, 5, 5, 7, 9, None], 2.138089935299395, 32 / 7),
    "the ends of the integers": (pa.int64(), [2**63 - 1, -(2**63)], 1.3043817825332783e19, 1.7014118346046923e38),
    "integers that no double holds": (pa.int64(), [2**62, 2**62 + 1], ROOT_HALF, 0.5),
    "decimals": (pa.decimal128(5, 2), [Decimal("0.10"), Decimal("-0.30"), None], 0.28284271247461901, 0.08),
    "decimals of 38 digits": (
        pa.decimal128(38, 0),
        [10**38 - 1, 10**38 - 3, -(10**38) + 1],
        1.1547005383792516e38,
        1.3333333333333334e76,
    ),
}


@pytest.mark.parametrize("case", SPREADS.values(), ids=SPREADS)
def test_the_standard_deviation_and_the_variance(
    case: tuple[pa.DataType, list[Any], float | None, float | None], ask: Ask
) -> None:
    kind, values, deviation, variance = case
    table = pa.table(
        {"x": pa.array([None if v is None else Decimal(v) if pa.types.is_decimal(kind) else v for v in values], kind)}
    )
    for aggregation, expected in (("stddev", deviation), ("variance", variance)):
        for answer in ask(table, {"metric": "x", "aggregation": aggregation}):
            assert answer == one(expected, len(values))


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.none()
            | st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda value: round(value, 9))
            | st.integers(-9, 9).map(lambda near: 1e8 + near * 2.0**-26),
        )
    )
)
@settings(max_examples=settings.default.max_examples // 6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_variance_is_the_double_nearest_to_that_of_fractions(ask: Ask, rows: list[tuple[str, float | None]]) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    table = pa.table({"g": pa.array(keys, pa.string()), "x": pa.array(values, pa.float64())})
    variances: dict[str, Any] = {}
    for key in set(keys):
        present = [Fraction(value) for other, value in rows if other == key and value is not None]
        variances[key] = statistics.variance(present) if len(present) > 1 else None
    for aggregation, near in (("variance", nearest), ("stddev", nearest_root)):
        expected = {
            (bits(key),): (keys.count(key), bits(None if exact is None else near(exact)))
            for key, exact in variances.items()
        }
        for answer in ask(table, {"metric": "x", "aggregation": aggregation, "group_by": "g"}):
            assert answer == expected


@pytest.mark.parametrize("rows", [4_000, 4_000_000], ids=["in one state", "in states that are combined"])
def test_duckdb_refuses_a_sum_beyond_128_bits(rows: int) -> None:
    """Products of limbs of the largest doubles may add up to so much; a sum that wrapped would be a wrong variance."""
    factor = 2**53 - 1 if rows > 2**20 else 2**62
    with pytest.raises(duckdb.OutOfRangeException, match="Overflow"):
        duckdb.execute(f"SELECT sum({factor}::HUGEINT * {factor}::HUGEINT) FROM range({rows})").fetchall()


def nearest(exact: Fraction) -> float:
    """The double nearest to a fraction."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf


def nearest_root(exact: Fraction) -> float:
    """The double nearest to a root: of 1,500 digits, which are enough to tell that no tie is near."""
    with decimal.localcontext(prec=1_500, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        return nearest(Fraction((Decimal(exact.numerator) / exact.denominator).sqrt()))


DISTINCT: dict[str, tuple[pa.DataType, list[Any], int]] = {
    "zeros are one, all NaN are one": (pa.float64(), [0.0, -0.0, math.nan, -math.nan, None, math.inf, -math.inf], 4),
    "neighbours are two": (pa.float64(), [0.1, math.nextafter(0.1, 1)], 2),
    "integers": (pa.int64(), [2**63 - 1, 2**63 - 2, 0, 0, None], 3),
    "decimals": (pa.decimal128(5, 2), [Decimal("1.50"), Decimal("1.50"), Decimal("-0.10")], 2),
    "truth": (pa.bool_(), [True, False, None, True], 2),
    "text by code point": (pa.string(), ["a", "A", "a ", "", None, "a", "á", "a\u0301"], 6),
    "days": (pa.date32(), [day("2024-02-29"), day("2024-02-29"), None], 1),
    "nulls alone": (pa.float64(), [None, None], 0),
}


@pytest.mark.parametrize("case", DISTINCT.values(), ids=DISTINCT)
def test_distinct_values_are_told_apart_as_groups_are(case: tuple[pa.DataType, list[Any], int], ask: Ask) -> None:
    kind, values, expected = case
    table = pa.table({"x": pa.array(values, kind)})
    by_value = {
        "aggregation": "count",
        "group_by": "x",
        "filter": {"conditions": [{"column": "x", "op": "is_not_null"}]},
    }
    assert [len(groups) for groups in ask(table, by_value)] == [expected] * 5
    for answer in ask(table, {"metric": "x", "aggregation": "count_distinct"}):
        assert answer == one(expected, len(values))
    for answer in ask(table.slice(0, 0), {"metric": "x", "aggregation": "count_distinct"}):
        assert answer == one(0, 0)


def test_counts_are_of_values_and_rows_are_of_rows(ask: Ask) -> None:
    table = pa.table({"x": pa.array([1.0, None, math.nan, 2.0]), "g": ["a", "a", "b", None]})
    for answer in ask(table, {"metric": "x", "aggregation": "count"}):
        assert answer == one(3, 4)
    for answer in ask(table, {"aggregation": "count", "group_by": "g"}):
        assert answer == {
            (bits("a"),): (2, bits(2)),
            (bits("b"),): (1, bits(1)),
            (bits(None),): (1, bits(1)),
        }


@pytest.mark.parametrize(
    ("kind", "values", "groups"),
    [
        (pa.float64(), [0.0, -0.0, 1.0], {0.0: 2, 1.0: 1}),
        (pa.float64(), [math.nan, None, math.nan, None, 1.0], {math.nan: 2, None: 2, 1.0: 1}),
        (pa.float64(), [math.inf, -math.inf, math.inf], {math.inf: 2, -math.inf: 1}),
        (pa.int64(), [0, None, 0, 2**63 - 1], {0: 2, None: 1, 2**63 - 1: 1}),
        (pa.bool_(), [True, False, None, True], {True: 2, False: 1, None: 1}),
        (pa.decimal128(5, 2), [Decimal("1.50"), Decimal("1.50"), Decimal("-0.10")], {"1.50": 2, "-0.10": 1}),
        (pa.string(), ["a", "A", "a ", "", None, "a"], {"a": 2, "A": 1, "a ": 1, "": 1, None: 1}),
        (pa.string(), ["é", "e\u0301"], {"é": 1, "e\u0301": 1}),
        (pa.date32(), [day("2024-01-01"), None], {day("2024-01-01"): 1, None: 1}),
        (pa.timestamp("us"), [moment("2024-01-01T00:00:00.000001")], {moment("2024-01-01T00:00:00.000001"): 1}),
    ],
    ids=str,
)
def test_equal_keys_are_one_group(kind: pa.DataType, values: list[Any], groups: dict[Any, int], ask: Ask) -> None:
    def key(value: Any) -> Any:
        return bits(Decimal(value)) if isinstance(value, str) and pa.types.is_decimal(kind) else bits(value)

    expected = {(key(value),): (rows, bits(rows)) for value, rows in groups.items()}
    for answer in ask(pa.table({"x": pa.array(values, kind)}), {"aggregation": "count", "group_by": "x"}):
        assert answer == expected


def test_every_payload_of_a_nan_is_one_group(ask: Ask) -> None:
    words = [0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF]
    column = pa.Array.from_buffers(
        pa.float64(), len(words), [None, pa.py_buffer(b"".join(word.to_bytes(8, "little") for word in words))]
    )
    for answer in ask(pa.table({"x": column}), {"aggregation": "count", "group_by": "x"}):
        assert answer == {(bits(math.nan),): (4, bits(4))}


def test_groups_of_several_columns(ask: Ask) -> None:
    table = pa.table({"a": ["x", "x", "y", None], "b": [1, None, 1, None], "v": [0.1, 0.2, 0.3, 0.4]})
    for answer in ask(table, {"metric": "v", "aggregation": "sum", "group_by": ["b", "a"]}):
        assert answer == {
            (bits(1), bits("x")): (1, bits(0.1)),
            (bits(None), bits("x")): (1, bits(0.2)),
            (bits(1), bits("y")): (1, bits(0.3)),
            (bits(None), bits(None)): (1, bits(0.4)),
        }


@pytest.mark.parametrize("aggregation", ["sum", "avg", "min", "max", "count"])
def test_no_rows_are_one_group_without_keys_and_none_with(aggregation: str, ask: Ask) -> None:
    table = pa.table({"x": pa.array([], pa.float64()), "g": pa.array([], pa.string())})
    nothing = 0 if aggregation == "count" else None
    for answer in ask(table, {"metric": "x", "aggregation": aggregation}):
        assert answer == one(nothing, 0)
    for answer in ask(table, {"metric": "x", "aggregation": aggregation, "group_by": "g"}):
        assert answer == {}


@pytest.mark.parametrize("aggregation", ["sum", "avg", "min", "max", "count"])
@pytest.mark.parametrize(
    "values",
    [
        pa.array([1.5], pa.float64()),
        pa.array([7], pa.int64()),
        pa.array([Decimal("0.10")], pa.decimal128(38, 2)),
        pa.array([10**38 - 1], pa.decimal128(38, 0)),
    ],
    ids=lambda values: str(values.type),
)
def test_a_condition_that_nothing_meets_leaves_nothing_to_add(values: pa.Array, aggregation: str, ask: Ask) -> None:
    never = {"conditions": [{"column": "x", "op": "lt", "value": 0}]}
    for answer in ask(pa.table({"x": values}), {"metric": "x", "aggregation": aggregation, "filter": never}):
        assert answer == one(0 if aggregation == "count" else None, 0)


# --- names ------------------------------------------------------------------------------------------------------------

# Names that the statement itself uses, reserved words, quotes, and names that differ by case alone.
HOSTILE_NAMES = [
    *("data", "input", "s", "k0", "k1", "m", "r0", "q0", "q1", "rows", "n", "total", "c0", "c1", "incoming", "members"),
    *("select", "from", "table", "null", "rowid", "count", "sum", "COUNT(*)", "*", "?", "$1", ":x", "{x}", "%s"),
    *('"', '""', "'", "`", ";", '"; drop table data; --', "'; attach 'x' as y; --", "a.b", "data.c0", "/*", "--", "\\"),
    *("Amount", "amount", "AMOUNT", "ﬀ", "FF", "é", "e\u0301", "\u202eabc", "\U0001f600", "  x  "),
]


def test_hostile_names_of_columns_are_only_names() -> None:
    wide = {name: [index, 10 * index, None] for index, name in enumerate(HOSTILE_NAMES)}
    dataset = cases.held(pa.table(wide))
    with cases.duckdb(dataset) as engine:
        for index, name in enumerate(HOSTILE_NAMES):
            other = HOSTILE_NAMES[index - 1]
            plan = cases.plan_for(
                dataset,
                metric=name,
                aggregation="sum",
                group_by=other,
                filter={
                    "conditions": [{"column": "m", "op": "is_not_null"}, {"column": name, "op": "gte", "value": 0}]
                },
            )
            assert cases.groups(engine, plan) == cases.direct_groups(dataset, plan)
            whole = cases.plan_for(dataset, metric=name, aggregation="sum")
            assert cases.groups(engine, whole) == one(11 * index, 3)


def test_hostile_names_of_columns_of_parquet_are_only_names(tmp_path: Path) -> None:
    wide = pa.table({name: [float(index), 1.0] for index, name in enumerate(HOSTILE_NAMES)})
    dataset = cases.stored(tmp_path, wide)
    with cases.duckdb(dataset) as engine:
        for index, name in enumerate(HOSTILE_NAMES):
            plan = cases.plan_for(dataset, metric=name, aggregation="sum")
            assert cases.groups(engine, plan) == one(index + 1.0, 2)


@pytest.mark.parametrize("folder", ["x=7", "day=2024-01-01", "a [1]", "a*b", "q?", "it's", "a\\b"])
def test_the_name_of_a_folder_is_no_data(folder: str, tmp_path: Path) -> None:
    # `x=7` is how Hive names partitions, and the brackets of a glob would match a neighbour.
    for name in (folder, "a 1", "aXb", "qq"):
        (tmp_path / name).mkdir(exist_ok=True)
        cases.stored(tmp_path / name, {"x": [1_000.0]})
    dataset = cases.stored(tmp_path / folder, {"x": [1.0, 2.0]})
    plan = cases.plan_for(dataset, metric="x", aggregation="sum")
    assert cases.duckdb_groups(dataset, plan) == one(3.0, 2)


def test_instants_of_parquet_are_read_in_utc_whatever_the_machine_thinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    noon = datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.UTC)
    dataset = cases.stored(tmp_path, {"t": pa.array([noon], pa.timestamp("us", "Asia/Tokyo"))})
    plan = cases.plan_for(dataset, metric="t", aggregation="max")
    assert cases.duckdb_groups(dataset, plan) == one(noon.replace(tzinfo=None), 1)


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [MemoryEngine, DuckDBEngine])
def test_a_result_of_too_many_groups_is_refused(engine: type[MemoryEngine | DuckDBEngine]) -> None:
    dataset = cases.held({"x": [1, 2, 3]})
    plan = cases.plan_for(dataset, aggregation="count", group_by="x")
    held = engine(dataset, Limits(groups=2))
    with pytest.raises(LimitExceededError) as caught:
        held.aggregate(plan, None)
    assert caught.value.code == "limit_exceeded"
    assert caught.value.details["limit"] == 2
    assert len(engine(dataset, Limits(groups=3)).aggregate(plan, None).groups) == 3


def test_a_refused_result_leaves_the_source_free_for_the_next_question() -> None:
    dataset = cases.held({"x": list(range(10_000))})
    plan = cases.plan_for(dataset, aggregation="count", group_by="x")
    with cases.duckdb(dataset, groups=2) as held:
        with pytest.raises(LimitExceededError):
            held.aggregate(plan, None)
        assert len(held.read_columns(plan, None)[0][0]) == 10_000


DAYS_OUTSIDE = [2_932_897, -719_163, 2**31 - 1, -(2**31) + 1]  # 10000-01-01, 0000-12-31, and the infinities of DuckDB


@pytest.mark.parametrize("days", DAYS_OUTSIDE)
@pytest.mark.parametrize("engine", [MemoryEngine, DuckDBEngine])
def test_a_date_that_no_result_can_hold_is_refused(days: int, engine: type[MemoryEngine | DuckDBEngine]) -> None:
    table = pa.table({"d": pa.array([days, 0], pa.int32()).cast(pa.date32())})
    with pytest.raises(SourceMalformedError):
        cases.held(table)
    dataset = replace(cases.held(table.slice(0, 0)), table=table, row_count=2)  # as if no reader had looked
    with pytest.raises(SourceMalformedError):
        engine(dataset)


@pytest.mark.parametrize("days", DAYS_OUTSIDE)
@pytest.mark.parametrize("spec", [{"metric": "d", "aggregation": "max"}, {"aggregation": "count", "group_by": "d"}])
def test_a_date_of_parquet_that_no_result_can_hold_is_refused_when_asked_for(
    days: int, spec: dict[str, Any], tmp_path: Path
) -> None:
    dataset = cases.stored(tmp_path, {"d": pa.array([days, 0], pa.int32()).cast(pa.date32()), "x": [1, 2]})
    with cases.duckdb(dataset) as engine:
        with pytest.raises(SourceMalformedError):
            engine.aggregate(cases.plan_for(dataset, **spec), None)
        assert cases.groups(engine, cases.plan_for(dataset, metric="x", aggregation="sum")) == one(3, 2)


# --- statistics -------------------------------------------------------------------------------------------------------


def test_both_engines_know_the_same_of_a_column(tmp_path: Path) -> None:
    table = pa.table(
        {
            "x": pa.array([1.5, None, math.nan, -math.inf, -0.0, 5e-324]),
            "n": pa.array([3, None, -5, 0, 0, 1], pa.int64()),
            "d": pa.array([day("2024-01-01"), None, day("0001-01-01"), None, None, None]),
            "t": pa.array([moment("2024-01-01T10:00:00.5"), *[None] * 5], pa.timestamp("us")),
            "w": pa.array(["b", "a", None, "b", "", "a"]),
            "f": pa.array([True, None, False, True, True, True]),
        }
    )
    dataset = cases.as_enum(cases.held(table))
    direct = MemoryEngine(dataset)
    with cases.duckdb(dataset) as engine, cases.duckdb(cases.stored(tmp_path, table)) as parquet:
        for name in ("x", "n", "d", "t"):
            assert engine.read_statistics(name) == direct.read_statistics(name) == parquet.read_statistics(name)
        assert engine.read_statistics("w") == direct.read_statistics("w")
        assert engine.list_known_values("w") == direct.list_known_values("w") == ("", "a", "b")
        assert parquet.list_known_values("w") == ()
        assert engine.read_statistics("f").nulls == direct.read_statistics("f").nulls == 1
