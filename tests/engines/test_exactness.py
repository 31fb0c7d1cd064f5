"""Sums and means are the doubles nearest to the real ones, whatever the data, the order, the threads and the engine.

Every expected value comes from `fractions.Fraction`; `float(Fraction)` is correctly rounded.
"""

from __future__ import annotations

import itertools
import math
import random
import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service_nb.engines.memory import MemoryEngine
from tests.engines import cases
from tests.engines.cases import bits, direct_groups, duckdb, duckdb_groups, groups, held, plan_for, reference_groups

SUMS = ("sum", "avg")
LARGEST = 1.7976931348623157e308
SMALLEST = 5e-324


def magnitudes(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-300, 300, n)


def moderate(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-8, 8, n)


def cancelling(rng: np.random.Generator, n: int) -> np.ndarray:
    half = moderate(rng, n // 2)
    values = np.concatenate([half, -half, rng.uniform(-1e-6, 1e-6, n - 2 * (n // 2))])
    values[: n // 4] += 1e-8
    return rng.permutation(values)


def subnormals(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(-(2**52), 2**52, n).astype(np.float64) * SMALLEST


def near_overflow(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice([-1.0, 1.0], n) * rng.uniform(0.5, 1.0, n) * LARGEST


def random_bits(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 2**64, n, dtype=np.uint64, endpoint=False).view(np.float64)


def halfway(rng: np.random.Generator, n: int) -> np.ndarray:
    # Sums that lie exactly between two doubles, or a last bit beside it.
    return rng.choice([1.0, 2.0**-53, -(2.0**-53), 2.0**-106, 2.0**53, -(2.0**53)], n)


FAMILIES = {
    family.__name__: family
    for family in (magnitudes, moderate, cancelling, subnormals, near_overflow, random_bits, halfway)
}


@pytest.mark.parametrize("n", [1, 2, 3, 50, 2_500])
@pytest.mark.parametrize("family", FAMILIES)
def test_sums_and_means_are_correctly_rounded_on_both_engines(family: str, n: int) -> None:
    for seed in range(2):
        rng = np.random.default_rng([seed, n])
        values = FAMILIES[family](rng, n)
        keys = rng.integers(0, 4, n)
        dataset = held({"key": keys, "x": values})
        with duckdb(dataset) as engine:
            for aggregation in SUMS:
                plan = plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
                expected = reference_groups(aggregation, keys.tolist(), values.tolist())
                assert groups(engine, plan) == expected
                assert direct_groups(dataset, plan) == expected


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow), 8])
def test_a_million_rows_are_correctly_rounded_at_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(20_130_101)
    n = 1_000_000
    values = np.concatenate([moderate(rng, n // 2), cancelling(rng, n // 2)])
    keys = rng.integers(0, 5, n)
    dataset = held({"key": pa.array([f"k{key}" for key in keys]), "x": values})
    names = [f"k{key}" for key in keys]
    with duckdb(dataset, threads=threads) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
            assert groups(engine, plan) == reference_groups(aggregation, names, values.tolist())


def test_the_order_of_the_rows_changes_no_bit() -> None:
    rng = np.random.default_rng(7)
    values, keys = cancelling(rng, 30_000), rng.integers(0, 3, 30_000)
    orders = [np.argsort(values), np.argsort(-np.abs(values)), *(rng.permutation(len(values)) for _ in range(3))]
    expected = reference_groups("sum", keys.tolist(), values.tolist())
    for order in orders:
        dataset = held({"key": keys[order], "x": values[order]})
        assert duckdb_groups(dataset, plan_for(dataset, metric="x", aggregation="sum", group_by="key")) == expected


# --- NaN, infinities, zeros, nulls ----------------------------------------------------------------------------------

SPECIAL = {
    "a NaN": [1.0, math.nan, 2.0],
    "an infinity": [1.0, math.inf, -2.0],
    "a negative infinity": [-math.inf, LARGEST],
    "infinities of both signs": [math.inf, 5.0, -math.inf],
    "a NaN among infinities": [math.inf, math.nan],
    "negative zeros alone": [-0.0, -0.0],
    "zeros of both signs": [0.0, -0.0],
    "a sum that vanishes": [1.5, -1.5],
    "nulls alone": [None, None],
    "a null among values": [None, 0.1, 0.2],
    "one null": [None],
    "beyond the range at the end": [LARGEST, LARGEST],
    "beyond the range below": [-LARGEST, -LARGEST, -1.0],
    "beyond the range in the middle only": [LARGEST, LARGEST, -LARGEST],
    "half an ulp beyond the largest": [LARGEST, 2.0**970],
    "less than half an ulp beyond it": [LARGEST, 2.0**970, -SMALLEST],
    "the least double": [SMALLEST],
    "an underflow of the mean": [SMALLEST, 0.0, 0.0],
    "half the least double": [SMALLEST, 0.0],
    "three halves of the least double": [SMALLEST, SMALLEST, SMALLEST, 0.0, 0.0],
    "every exponent at once": [LARGEST, 1.0, SMALLEST, -LARGEST],
    "the largest integer and one": [2.0**53, 1.0],
    "a tie to even": [2.0**53, 1.0, 2.0],
    "a tie broken by the last bit": [2.0**53, 1.0, SMALLEST],
}


@pytest.mark.parametrize("values", SPECIAL.values(), ids=SPECIAL)
def test_special_values_follow_the_rules(values: list[float | None], tmp_path: Path) -> None:
    columns = {"x": pa.array(values, pa.float64())}
    dataset = held(columns)
    stored = cases.stored(tmp_path, columns)
    bare = cases.stored(tmp_path, columns, name="bare", write_statistics=False)
    with duckdb(dataset) as loaded, duckdb(stored) as in_place, duckdb(bare) as without_statistics:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation)
            expected = {(): (len(values), bits(cases.reference(aggregation, values)))}
            for engine in (MemoryEngine(dataset), loaded, in_place, without_statistics):
                assert groups(engine, plan) == expected


def test_every_special_group_keeps_to_itself(tmp_path: Path) -> None:
    rows = [(name, value) for name, values in SPECIAL.items() for value in values]
    random.Random(1).shuffle(rows)
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    columns = {"key": pa.array(keys), "x": pa.array(values, pa.float64())}
    dataset = held(columns)
    for aggregation in SUMS:
        plan = plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
        expected = reference_groups(aggregation, keys, values)
        assert direct_groups(dataset, plan) == expected
        assert duckdb_groups(dataset, plan) == expected
        assert duckdb_groups(cases.stored(tmp_path, columns, row_group_size=3), plan) == expected


ANY_DOUBLE = st.integers(0, 2**64 - 1).map(lambda word: struct.unpack("<d", struct.pack("<Q", word))[0])
CELLS = st.one_of(st.none(), st.floats(), ANY_DOUBLE, st.sampled_from([0.1, 1e16, -1e16, SMALLEST, LARGEST, -0.0]))


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), CELLS), max_size=40))
@settings(max_examples=settings.default.max_examples // 5)  # each is many limbs, planned and run four times
def test_any_doubles_are_summed_correctly_on_both_engines(rows: list[tuple[str | None, float | None]]) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    dataset = held({"key": pa.array(keys, pa.string()), "x": pa.array(values, pa.float64())})
    with duckdb(dataset) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
            expected = reference_groups(aggregation, keys, values)
            assert groups(engine, plan) == expected
            assert direct_groups(dataset, plan) == expected


@given(st.lists(CELLS, max_size=200))
def test_the_direct_engine_sums_any_doubles_correctly(values: list[float | None]) -> None:
    dataset = held({"x": pa.array(values, pa.float64())})
    for aggregation in SUMS:
        answer = direct_groups(dataset, plan_for(dataset, metric="x", aggregation=aggregation))
        assert answer == {(): (len(values), bits(cases.reference(aggregation, values)))}


# --- Parquet in place: certified, proven, and files that lie --------------------------------------------------------


def method(engine: object, plan: object) -> str:
    return str(engine.aggregate(plan, None).method)  # type: ignore[attr-defined]


@pytest.mark.parametrize("row_group_size", [100, 7_919, 50_000])
@pytest.mark.parametrize("write_statistics", [True, False])
@pytest.mark.parametrize(
    "family", ["cancelling", *(pytest.param(family, marks=pytest.mark.slow) for family in ("moderate", "magnitudes"))]
)
def test_the_split_into_row_groups_changes_no_bit(
    family: str, write_statistics: bool, row_group_size: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    values, keys = FAMILIES[family](rng, 50_000), rng.integers(0, 3, 50_000)
    dataset = cases.stored(
        tmp_path, {"key": keys, "x": values}, row_group_size=row_group_size, write_statistics=write_statistics
    )
    with duckdb(dataset) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation, group_by="key")
            assert groups(engine, plan) == reference_groups(aggregation, keys.tolist(), values.tolist())


def test_the_split_into_files_changes_no_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    table = pa.table({"key": rng.integers(0, 3, 9_000), "x": cancelling(rng, 9_000)})
    expected = reference_groups("sum", table["key"].to_pylist(), table["x"].to_pylist())
    for count in (1, 2, 7):
        paths = [tmp_path / f"{count} of [{part}].parquet" for part in range(count)]
        size = math.ceil(len(table) / count)
        for part, path in enumerate(paths):
            pq.write_table(table.slice(part * size, size), path)
        dataset = cases.in_place(paths, table)
        plan = plan_for(dataset, metric="x", aggregation="sum", group_by="key")
        assert duckdb_groups(dataset, plan) == expected


def test_a_certificate_says_that_two_limbs_sufficed(tmp_path: Path) -> None:
    values = [1.5, 2.25, -1e10, 0.1]
    dataset = cases.stored(tmp_path, {"x": values})
    plan = plan_for(dataset, metric="x", aggregation="sum")
    with duckdb(dataset) as engine:
        assert groups(engine, plan) == {(): (4, bits(cases.reference("sum", values)))}
        assert "limbs:2 certified" in method(engine, plan)


def test_a_failed_certificate_leads_to_proven_limbs(tmp_path: Path) -> None:
    values = [1e300, 1.0, 1e-300, -1e300]
    dataset = cases.stored(tmp_path, {"x": values})
    plan = plan_for(dataset, metric="x", aggregation="sum")
    with duckdb(dataset) as engine:
        assert groups(engine, plan) == {(): (4, bits(1.0))}
        assert "proven" in method(engine, plan)


def test_a_certificate_is_read_group_by_group(tmp_path: Path) -> None:
    # One value of one group needs a third limb; all other groups are fine with two.
    keys, values = ["a", "b", "c", "c"], [1e20, 5.0, 1.0, 2.0**-60]
    dataset = cases.stored(tmp_path, {"key": keys, "x": values})
    plan = plan_for(dataset, metric="x", aggregation="sum", group_by="key")
    assert duckdb_groups(dataset, plan) == reference_groups("sum", keys, values)


def test_without_statistics_in_the_footer_limbs_are_proven(tmp_path: Path) -> None:
    dataset = cases.stored(tmp_path, {"x": [0.1, 0.2]}, write_statistics=False)
    plan = plan_for(dataset, metric="x", aggregation="sum")
    with duckdb(dataset) as engine:
        assert groups(engine, plan) == {(): (2, bits(0.30000000000000004))}
        assert "proven" in method(engine, plan)


def with_footer_claiming(path: Path, true: float, claimed: float) -> None:
    """Rewrite the statistics in a Parquet footer: a little-endian double is replaced by another."""
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = data[start:]
    assert struct.pack("<d", true) in footer
    path.write_bytes(data[:start] + footer.replace(struct.pack("<d", true), struct.pack("<d", claimed)))


@pytest.mark.parametrize("claimed", [0.0, SMALLEST, 1e-300, 1.0, 2.0**60, LARGEST])
@pytest.mark.parametrize("largest", [3.0, 1e10, 1e300])
def test_a_footer_that_lies_about_the_largest_value_changes_no_sum(
    largest: float, claimed: float, tmp_path: Path
) -> None:
    values = [largest, 0.1, -largest / 3, 1e-20]
    dataset = cases.stored(tmp_path, {"x": values}, compression="none", use_dictionary=False)
    path = Path(dataset.parquet[0])  # type: ignore[index]
    for true in (largest, min(values)):
        with_footer_claiming(path, true, math.copysign(claimed, true))
    assert pq.read_metadata(path).row_group(0).column(0).statistics.max == claimed
    with duckdb(dataset) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation)
            assert groups(engine, plan) == {(): (4, bits(cases.reference(aggregation, values)))}


# --- integers and decimals ------------------------------------------------------------------------------------------

INT64 = st.integers(-(2**63), 2**63 - 1)


def exact_groups(aggregation: str, values: list[int | Decimal | None]) -> cases.Groups:
    """Integers and decimals as fractions: a sum keeps its scale, a mean is rounded once."""
    present = [value for value in values if value is not None]
    if not present:
        return {(): (len(values), bits(None))}
    total = sum(map(Fraction, present), Fraction())
    if aggregation == "avg":
        return {(): (len(values), bits(cases.nearest(total / len(present)) + 0.0))}
    scale = 0 if isinstance(present[0], int) else -int(present[0].as_tuple().exponent)
    if scale == 0:
        return {(): (len(values), bits(int(total)))}
    units = total * 10**scale
    sign = "-" if units < 0 else ""
    digits = str(abs(int(units))).rjust(scale + 1, "0")
    return {(): (len(values), bits(Decimal(f"{sign}{digits[:-scale]}.{digits[-scale:]}")))}


@given(st.lists(st.one_of(st.none(), INT64), max_size=30))
@settings(max_examples=settings.default.max_examples // 3)
def test_integers_are_summed_exactly_beyond_64_bits(values: list[int | None]) -> None:
    dataset = held({"x": pa.array(values, pa.int64())})
    with duckdb(dataset) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation)
            expected = exact_groups(aggregation, list(values))
            assert groups(engine, plan) == expected
            assert direct_groups(dataset, plan) == expected


def test_a_million_largest_integers_are_summed_exactly() -> None:
    n, largest = 1_000_000, 2**63 - 1
    dataset = held({"x": np.full(n, largest)})
    with duckdb(dataset) as engine:
        assert groups(engine, plan_for(dataset, metric="x", aggregation="sum")) == {(): (n, bits(n * largest))}
        assert groups(engine, plan_for(dataset, metric="x", aggregation="avg")) == {(): (n, bits(float(largest)))}


@st.composite
def decimal_columns(draw: st.DrawFn) -> tuple[int, int, list[Decimal | None]]:
    precision = draw(st.one_of(st.integers(1, 38), st.sampled_from([18, 19, 37, 38])))
    scale = draw(st.integers(0, precision))
    units = st.integers(1 - 10**precision, 10**precision - 1)
    edges = st.sampled_from([1 - 10**precision, 10**precision - 1, 0, 1, -1])
    column = draw(st.lists(st.one_of(st.none(), units, edges), max_size=20))
    return precision, scale, [None if unit is None else decimal_of(unit, scale) for unit in column]


def decimal_of(units: int, scale: int) -> Decimal:
    return Decimal((1 if units < 0 else 0, tuple(map(int, str(abs(units)))), -scale))


@given(decimal_columns())
@settings(max_examples=settings.default.max_examples // 4)
def test_decimals_are_summed_exactly_whatever_their_precision(case: tuple[int, int, list[Decimal | None]]) -> None:
    precision, scale, values = case
    dataset = held({"x": pa.array(values, pa.decimal128(precision, scale))})
    with duckdb(dataset) as engine:
        for aggregation in SUMS:
            plan = plan_for(dataset, metric="x", aggregation=aggregation)
            expected = exact_groups(aggregation, list(values))
            assert groups(engine, plan) == expected
            assert direct_groups(dataset, plan) == expected


@pytest.mark.parametrize("scale", [0, 1, 19, 37, 38])
@pytest.mark.parametrize("in_place", [False, True])
def test_decimals_of_38_digits_add_beyond_38_digits(scale: int, in_place: bool, tmp_path: Path) -> None:
    values = [decimal_of(unit, scale) for unit in (10**38 - 1, 10**38 - 1, -1, 10**38 - 2)]
    columns = {"x": pa.array(values, pa.decimal128(38, scale))}
    dataset = cases.stored(tmp_path, columns) if in_place else held(columns)
    for aggregation in SUMS:
        plan = plan_for(dataset, metric="x", aggregation=aggregation)
        assert duckdb_groups(dataset, plan) == exact_groups(aggregation, list(values))


# --- why --------------------------------------------------------------------------------------------------------------


def test_plain_sums_depend_on_the_order_and_are_not_the_nearest_double() -> None:
    """Why the engines' own `sum` is not used: the same million doubles, in eight orders.

    Floating-point addition is not associative, so each library's sum is right by its own rules, and different.
    """
    import duckdb as plain_duckdb
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(11)
    values = cancelling(rng, 1_000_000)
    orders = [values, np.sort(values), *(rng.permutation(values) for _ in range(6))]
    exact = cases.reference("sum", values.tolist())

    connection = plain_duckdb.connect(config={"threads": "1"})

    def duckdb_sum(column: np.ndarray) -> float:
        connection.register("plain", pa.table({"x": column}))
        found = connection.execute("SELECT sum(x) FROM plain").fetchall()[0]
        return float(found[0])

    plain = {
        "pandas": [float(pd.Series(order).sum()) for order in orders],
        "Polars": [float(pl.Series(order).sum()) for order in orders],
        "DuckDB": [duckdb_sum(order) for order in orders],
    }
    connection.close()
    for library, sums in plain.items():
        assert len(set(sums)) > 1, library
        assert all(found != exact for found in sums), library

    dataset = held({"x": orders[1]})
    assert duckdb_groups(dataset, plan_for(dataset, metric="x", aggregation="sum")) == {(): (len(values), bits(exact))}


def test_both_engines_agree_on_every_aggregation_of_the_same_rows() -> None:
    rng = np.random.default_rng(5)
    n = 1_500
    dataset = held(
        {
            "word": pa.array(rng.choice(["a", "b", "Z", "é", "\U0001f600", "\uffff"], n)),
            "flag": rng.integers(0, 2, n).astype(bool),
            "whole": rng.integers(-(2**62), 2**62, n),
            "x": random_bits(rng, n),
        }
    )
    direct = MemoryEngine(dataset)
    with duckdb(dataset) as engine:
        for metric, aggregation, key in itertools.product(
            ["whole", "x"], ["sum", "avg", "count", "min", "max"], ["word", "flag"]
        ):
            plan = plan_for(dataset, metric=metric, aggregation=aggregation, group_by=key)
            assert groups(engine, plan) == groups(direct, plan)
