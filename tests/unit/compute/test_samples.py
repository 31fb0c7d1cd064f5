"""Samples: which parameters share their rows and which lose nulls alone, through the whole contract."""

from __future__ import annotations

import datetime
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from service_nb.compute.call_arguments import BindingColumns, bind, bind_rows
from service_nb.compute.contract import Contract
from service_nb.compute.samples import (
    drop_null_items,
    find_broken_pair,
    find_same_sample,
    group_paired,
    share_rows,
)
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.schema.compute import Binding, Bound, Capability, Parameter, Vector
from service_nb.schema.source import Field

CONTRACT = Contract(map_packaged_contract())
# Read one by one: capabilities whose arrays, those that a column can be, do not all share their rows.
APART = {
    "calculus.lorenz", "calculus.lotka_volterra", "calculus.partial_fractions", "calculus.pendulum",
    "calculus.sir_epidemic", "calculus.van_der_pol", "compositional_data.group_balance",
    "distributions.dirichlet_log_pdf", "distributions.dirichlet_pdf", "elementary.ratio_of_sums",
    "game_theory.is_in_core", "graph_theory.effective_resistance", "graph_theory.maximum_flow",
    "graph_theory.shortest_path", "hypothesis.f_test", "hypothesis.ks_two_sample", "hypothesis.mann_whitney_exact",
    "hypothesis.mann_whitney_normal", "hypothesis.mood_median_test", "hypothesis.permutation_test",
    "hypothesis.t_test_two_sample", "hypothesis.t_test_welch", "hypothesis.z_test_two_sample",
    "information_theory.wasserstein_distance", "interpolation.bilinear", "interpolation.cubic_spline_clamped",
    "interpolation.inverse_distance",
    "interpolation.linear_many", "linalg.outer", "linalg.solve_tridiagonal", "metrics.mean_absolute_scaled_error",
    "metrics.root_mean_squared_scaled_error", "metrology.calibrated_value", "optimization.least_squares_equality",
    "optimization.linear_program", "optimization.linear_program_dual", "optimization.linear_program_equality",
    "optimization.linear_program_large", "optimization.quadratic_program_equality", "optimization.transportation",
    "polynomials.add", "polynomials.compose", "polynomials.divide", "polynomials.evaluate_many",
    "polynomials.greatest_common_divisor", "polynomials.multiply", "polynomials.resultant",
    "portfolio.black_litterman_returns", "signal_processing.convolve", "signal_processing.cross_correlate",
    "simulation.permutation_test", "stats.histogram_counts", "stats.pooled_variance",
    "time_series.weighted_moving_average",
}  # fmt: skip
SAMPLES = [each.id for each in CONTRACT.values() if each.compares and not share_rows(each, each.compares)]


def list_vectors(capability: Capability) -> list[Parameter]:
    return [each for each in capability.parameters if len(each.shape) == 1]


SEVERAL = [each for each in CONTRACT.values() if len(list_vectors(each)) > 1]


def bind_holed(capability: Capability, policy: Any = "drop", rows: Any = bind) -> tuple[Bound, ...]:
    """Bind a table of as many rows as columns and one more, in which each column has a null in a row of its own."""
    vectors = list_vectors(capability)
    size = len(vectors) + 1
    of = {
        "float64": ("float64", np.float64),
        "int": ("int64", np.int64),
        "bool": ("boolean", None),
        "string": ("string", None),
    }
    columns = BindingColumns(
        fields=tuple(Field(name=each.name, type="number", physical=of[each.scalar][0]) for each in vectors),
        vectors=tuple(Vector(fill(each.scalar, size), np.arange(size) == at) for at, each in enumerate(vectors)),
        schema_revision="0" * 64,
    )
    names = tuple(each.name for each in vectors)
    binding = Binding(parameters=names, fields=names, source="table", null_policy=policy)
    made = rows(binding, vectors, columns)
    return made if isinstance(made, tuple) else (made,)


def fill(scalar: str, size: int) -> Any:
    match scalar:
        case "float64":
            return np.arange(size, dtype=np.float64)
        case "int":
            return np.arange(size)
        case "bool":
            return [True] * size
    return ["a"] * size


def test_the_contract_says_which_arrays_are_paired_as_they_were_reviewed() -> None:
    apart = {each.id for each in SEVERAL if len(group_paired(list_vectors(each))) > 1}
    assert apart == APART
    assert len(SEVERAL) - len(apart) > 350
    assert len(SAMPLES) == 14


def test_what_is_called_one_sample_and_the_other_has_a_size_of_its_own() -> None:
    for capability in SEVERAL:
        told = [each for each in list_vectors(capability) if each.about.startswith(("one sample", "the other sample"))]
        assert len({each.shape for each in told}) == len(told), capability.id


@pytest.mark.parametrize("capability", SEVERAL, ids=lambda each: each.id)
def test_only_paired_arrays_lose_rows_together(capability: Capability) -> None:
    vectors = list_vectors(capability)
    letters = {each.name: each.shape for each in vectors}
    values = {
        name: list(value)
        for one in bind_holed(capability)
        for name, value in zip(one.binding.parameters, one.values, strict=True)
    }
    for at, each in enumerate(vectors):
        lost = {at} if each.name not in values else {
            place for place, other in enumerate(vectors) if letters[other.name] == letters[each.name]
        }  # fmt: skip
        kept = [place for place in range(len(vectors) + 1) if place not in lost]
        full = fill(each.scalar, len(vectors) + 1)
        assert values[each.name] == [full[place] for place in kept], each.name
    assert sum(one.dropped for one in bind_holed(capability)) == len(vectors)


def test_what_was_recorded_row_by_row_is_bound_row_by_row() -> None:
    (one,) = bind_holed(CONTRACT["hypothesis.t_test_welch"], rows=bind_rows)
    assert one.binding.parameters == ("first", "second")
    assert (one.row_count, one.dropped) == (1, 2)


def test_a_refused_null_of_an_independent_sample_is_told_with_a_condition_of_its_own() -> None:
    with pytest.raises(InvalidIntentError) as caught:
        bind_holed(CONTRACT["hypothesis.t_test_welch"], "refuse")
    assert caught.value.details["parameter"] == "first"
    assert "first=table.first[first is not null] second=table.second[second is not null]" in str(caught.value.hint)
    with pytest.raises(InvalidIntentError) as paired:
        bind_holed(CONTRACT["stats.correlation"], "refuse")
    assert "[" not in str(paired.value.hint)


def test_single_values_are_of_one_row_and_take_none_from_an_array() -> None:
    assert group_paired(CONTRACT["finance.npv"].parameters) == [("rate",), ("cashflows",)]
    assert group_paired(CONTRACT["option_pricing.black_scholes_call"].parameters) == [
        CONTRACT["option_pricing.black_scholes_call"].names
    ]
    assert not share_rows(CONTRACT["hypothesis.t_test_welch"], ["first", "second"])
    assert share_rows(CONTRACT["hypothesis.t_test_paired"], ["before", "after"])
    assert share_rows(CONTRACT["hypothesis.t_test_welch"], ["second"])


# --- one sample on both sides ----------------------------------------------------------------------------------------


def bound_column(name: str, field: str = "a", filter_: Any = None, rows: int = 5, source: str = "t") -> Bound:
    return Bound(
        binding=Binding(parameters=(name,), fields=(field,), source=source),
        fields=(field,),
        values=([],),
        schema_revision="",
        row_count=rows,
        dropped=0,
        input_hash="",
        input_hashes=("",),
        filter=filter_,
    )


COMPARING = [each for each in CONTRACT.values() if each.compares]
NORTH, SOUTH = ({"conditions": [{"column": "region", "op": "eq", "value": value}]} for value in ("north", "south"))


def test_the_capabilities_that_compare_are_those_that_were_reviewed() -> None:
    assert len(COMPARING) == 102
    modules = {each.module for each in COMPARING}
    assert modules == {
        "compositional_data", "economics", "elementary", "forecast_verification", "hydrology_scores", "hypothesis",
        "inequality", "information_theory", "metrics", "risk", "simulation", "stats",
    }  # fmt: skip
    # Of a column with itself these say something: a correlation is 1, a product a square, a distance 0 on a diagonal.
    for name in ("stats.correlation", "linalg.dot", "polynomials.multiply", "time_series.cross_correlation",
                 "stats.weighted_mean", "geometry.euclidean_distance", "information_theory.jensen_shannon_distance",
                 "signal_processing.convolve", "signal_processing.cross_correlate"):  # fmt: skip
        assert CONTRACT[name].compares == ()


@pytest.mark.parametrize("capability", COMPARING, ids=lambda each: each.id)
def test_one_column_under_one_condition_is_found_on_both_sides(capability: Capability) -> None:
    for first, second in combinations(capability.compares, 2):
        for filter_ in (None, NORTH):
            same = [bound_column(first, filter_=filter_), bound_column(second, filter_=filter_)]
            assert find_same_sample(capability, same) == (first, second)
        everything = [bound_column(first, filter_=NORTH), bound_column(second)]
        assert find_same_sample(capability, everything) == (first, second)  # the condition left out no row
        for other in (
            bound_column(second, filter_=SOUTH),
            bound_column(second, "b", filter_=NORTH),
            bound_column(second, filter_=NORTH, source="u"),
            bound_column(second, rows=6),
        ):
            assert find_same_sample(capability, [bound_column(first, filter_=NORTH), other]) is None
        assert find_same_sample(capability, [bound_column(first)]) is None


# --- pairs -----------------------------------------------------------------------------------------------------------


def test_a_paired_array_that_would_lose_rows_alone_is_found() -> None:
    correlation, welch = CONTRACT["stats.correlation"], CONTRACT["hypothesis.t_test_welch"]
    holed = Bound(
        binding=Binding(parameters=("x",), fields=("a",), source="t", null_policy="drop"),
        fields=("a",), values=([1.0],), schema_revision="", row_count=1, dropped=1, input_hash="", input_hashes=("",),
    )  # fmt: skip
    assert find_broken_pair(correlation, [holed, bound_column("y")]) == ("x", "y")
    assert find_broken_pair(correlation, [holed]) == ("x", "y")  # whose partner is a literal
    assert find_broken_pair(correlation, [bound_column("x"), bound_column("y")]) is None
    assert find_broken_pair(welch, bind_holed(welch)) is None
    assert find_broken_pair(correlation, bind_holed(correlation)) is None


def test_nulls_of_lists_are_dropped_as_those_of_columns() -> None:
    a, b = [1.0, None, 3.0, 4.0], [2.0, 5.0, None, 1.0]
    assert drop_null_items(CONTRACT["stats.correlation"], {"x": a, "y": b}) == {"x": [1.0, 4.0], "y": [2.0, 1.0]}
    assert drop_null_items(CONTRACT["hypothesis.t_test_welch"], {"first": a, "second": b}) == {
        "first": [1.0, 3.0, 4.0],
        "second": [2.0, 5.0, 1.0],
    }
    # Whose rows are not known keep their nulls, and are refused where they are converted.
    assert drop_null_items(CONTRACT["stats.correlation"], {"x": a, "y": b[:3]}) == {"x": a, "y": b[:3]}
    assert drop_null_items(CONTRACT["stats.correlation"], {"x": a}) == {"x": a}
    assert drop_null_items(CONTRACT["stats.mean"], {"values": [None, datetime.date(2024, 1, 1)]}) == {
        "values": [datetime.date(2024, 1, 1)]
    }
