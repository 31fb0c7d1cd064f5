"""What holds at any arguments: inverses lead back, and values lie in the ranges that results declare."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from service_nb_kernels.check import read
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import WHOLE_LINE, Capability
from service_nb_kernels.errors import DomainError, PackError
from service_nb_kernels.excluded_ends import find_reason, find_unused, list_candidates, list_excluded, parse_reasons
from service_nb_kernels.execute import Executor
from service_nb_kernels.formula.invert import solved_for
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.properties import find_excluded_ends, find_outside, find_pairs, find_unreturned
from service_nb_kernels.reader import fields_of_packs

FIELDS = fields_of_packs()
# Calls of an inverse, and of a capability with a range.
RETURNS = pytest.mark.parametrize("calls", [50, pytest.param(200, marks=pytest.mark.slow)])
HELD = pytest.mark.parametrize("calls", [25, pytest.param(1_000, marks=pytest.mark.slow)])


@pytest.fixture(scope="module")
def executor() -> Executor:
    return Executor()


def of_field(field: str) -> list[Capability]:
    every = capabilities()
    return [every[id_] for id_ in every if id_.startswith(f"{field}.")]


@RETURNS
@pytest.mark.parametrize("field", FIELDS)
def test_formulas_give_back_what_their_inverses_were_given(field: str, calls: int, executor: Executor) -> None:
    wrong = []
    for base, unknown, inverse in find_pairs(of_field(field)):
        wrong += [(inverse.id, fault) for fault in find_unreturned(executor, base, unknown, inverse, calls)]
    assert wrong == []


@HELD
@pytest.mark.parametrize("field", FIELDS)
def test_values_lie_in_the_ranges_that_are_declared(field: str, calls: int, executor: Executor) -> None:
    found = of_field(field)
    assert [(each.id, fault) for each in found for fault in find_outside(executor, each, calls)] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("chemistry.ionic_strength_from_debye_huckel_coefficient", [0.509, 1.0, 2.0]),
        ("optics.index_inside_from_critical_angle", [1.0, 2.0]),
        ("quantum.spacing_from_bragg_angle", [1, 1e-10, 2.0]),
        ("quantum.wavelength_from_bragg_angle", [1, 3e-10, 2.0]),
        ("optics.index_refracted_from_brewster_angle", [1.0, 2.0]),
        ("aerodynamics.mach_from_mach_angle", [2.0]),
        ("mechanics.length_from_large_pendulum_period", [9.81, 0.5, -2.0]),
        ("portfolio.breadth_from_fundamental_law_information_ratio", [0.05, 0.5, -0.4]),
        ("radar.antenna_height_from_radar_horizon", [8.5e6, 68.0, 0.2]),
        ("thermodynamics.compression_ratio_from_otto_efficiency", [1.4, -1.0]),
        ("portfolio.equally_weighted_variance", [1.0, -0.5, 4]),
        ("refrigeration.volumetric_efficiency", [0.5, 100.0, 1.2]),
        ("text_metrics.bleu", [[5, 1], [4, 4], 4, 4]),
        ("transportation.greenshields_speed", [100.0, 201.0, 200.0]),
        ("evapotranspiration.romanenko_evapotranspiration", [-60.0, 0.0]),
        ("hydraulics.sluice_gate_flow", [0.6, 2.0, 0.5, 9.81, 0.1]),
        ("thermodynamics.diesel_efficiency", [2.0, 3.0, 1.4]),
        ("ecology.lincoln_petersen", [10.0, 20.0, 11.0]),
        ("experiments.size_for_mean_difference", [1.0, 2.0, 0.05, 0.001]),
        ("meteorology.log_wind_speed", [0.4, 0.01, 0.03]),
        ("convection.gnielinski_gas_nusselt", [200.0, 0.7]),
        ("tribology.effective_radius", [0.02, -0.01]),
    ],
)
def test_what_nothing_can_have_is_refused(name: str, arguments: list[Any], executor: Executor) -> None:
    with pytest.raises(DomainError):
        executor.execute(name, arguments)


@pytest.mark.parametrize(
    ("formula", "conditions"),
    [
        ("2 * sqrt(x)", ["0 <= y / 2"]),
        ("x**2 + 1", ["0 <= y - 1"]),
        ("x**3", []),
        ("2 * asin(x)", ["-pi / 2 <= y / 2 <= pi / 2"]),
        ("acos(x)", ["0 <= y <= pi"]),
        ("atan(x)", ["-pi / 2 < y < pi / 2"]),
        ("log(3 * x)", []),
    ],
)
def test_a_step_is_undone_only_where_it_has_values(formula: str, conditions: list[str]) -> None:
    _, branches = solved_for(parse(formula), "x", "y")
    assert [branch.text for branch in branches] == conditions


def test_a_value_outside_of_its_range_is_named_with_the_range(executor: Executor) -> None:
    with pytest.raises(DomainError, match=r"the result side_friction is -0\.07.*; expected a number in \[0, inf\)"):
        executor.execute("transportation.side_friction_from_curve_radius", [5.0, 0.1, 100.0])


BOUNDED = re.compile(r"^(probability|share|mole fraction|mass fraction|p-value|adjusted p-value|standard error)\\b")
UNBOUNDED = {"game_theory.shapley_value"}  # shares of what a coalition wins, which may be anything


def test_shares_p_values_and_errors_declare_where_they_lie_in_arrays_and_records() -> None:
    open_ = [
        (declared.id, name)
        for declared in capabilities().values()
        for name, part in (declared.result.fields or {"": declared.result}).items()
        if (declared.result.fields or "[" in part.type) and part.range == WHOLE_LINE
        if (name == "pvalue" or BOUNDED.match(part.about)) and declared.id not in UNBOUNDED
    ]
    assert open_ == []


def test_an_end_that_is_excluded_without_a_reason_is_found() -> None:
    declared = capabilities()["reliability.exponential_reliability"]
    narrowed = replace(declared, params=tuple(replace(each, domain="(0, inf)") for each in declared.params))
    assert list(find_excluded_ends(declared)) == []
    assert [name for name, end in find_excluded_ends(narrowed) if end == 0] == [each.name for each in declared.params]
    assert [find_reason(end) for end in list_excluded([narrowed])] == [None] * len(declared.params)


@pytest.mark.parametrize("field", FIELDS)
def test_an_end_is_excluded_for_a_reason_where_the_formula_has_a_value(field: str) -> None:
    assert [str(end) for end in list_excluded(of_field(field)) if find_reason(end) is None] == []


def test_no_reason_is_given_for_ends_that_no_domain_excludes() -> None:
    assert find_unused(list_candidates(capabilities().values())) == []


@pytest.mark.slow
def test_no_reason_is_given_for_ends_without_a_value() -> None:
    assert find_unused(list_excluded(capabilities().values())) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('why = "No body is without mass."', "a reason has a `why`"),
        ('why = "No body is without mass."\nends = []', "a reason has a `why`"),
        ('why = "No body is without mass."\nends = ["a.b: mass 0"]\nsource = "us"', "a reason has a `why`"),
        ('why = "no mass"\nends = ["a.b: mass 0"]', "one sentence"),
        ('why = "No body is without mass."\nends = ["mass 0"]', "is no pattern"),
        ('why = "No body is without mass."\nends = ["a.b: mass none"]', "is no pattern"),
        ('why = "No body is without mass."\nends = ["a.b: mass 1.2.3"]', "is no end"),
        ('why = "No body is without mass."\nends = ["a.b: mass 0", "a.b: mass 0"]', "twice"),
    ],
)
def test_a_reason_that_is_not_one_is_refused(text: str, fault: str) -> None:
    with pytest.raises(PackError, match=fault):
        parse_reasons(f"[[reason]]\n{text}\n")


@pytest.mark.parametrize(
    ("pattern", "is_found"),
    [
        ("reliability.*: failure_rate 0", True),
        ("*.exponential_*: *_rate *", True),
        ("reliability.*: failure_rate 1", False),
        ("queueing.*: failure_rate 0", False),
    ],
)
def test_a_pattern_names_ends(pattern: str, is_found: bool) -> None:
    declared = capabilities()["reliability.exponential_reliability"]
    narrowed = replace(declared, params=tuple(replace(each, domain="(0, inf)") for each in declared.params))
    reason = parse_reasons(f'[[reason]]\nwhy = "Said so."\nends = ["{pattern}"]')[0]
    end = next(end for end in list_excluded([narrowed]) if end.parameter == "failure_rate")
    assert reason.ends[0].matches(end) is is_found


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("reliability.exponential_reliability", {"failure_rate": 0.0}, 1.0),
        ("biochemistry.pcr_copies", {"cycles": 0.0}, None),
        ("queueing.mm1_mean_number", {"arrival_rate": 0.0}, 0.0),
        ("relativity.relativistic_kinetic_energy", {"speed": 0.0}, 0.0),
        ("cryptography.gambler_catch_up", {"attacker": 0.5}, 1.0),
        ("soil_mechanics.passive_pressure_coefficient", {"friction": 0.0}, 1.0),
        ("bonds.discount_factor", {"time": 0.0}, 1.0),
    ],
)
def test_rest_and_nothing_are_arguments(
    name: str, arguments: dict[str, float], expected: float | None, executor: Executor
) -> None:
    declared = capabilities()[name]
    case = next(case for case in declared.cases if case.error is None)
    given = {**case.arguments, **arguments}
    value = executor.execute(name, [given[each.name] for each in declared.params])
    assert value == (given["start_copies"] if expected is None else expected)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("pharmacokinetics.oral_concentration", [1.0, 100.0, 0.5, 20.0, 0.5, 2.0], 5 * math.exp(-1)),
        ("pharmacokinetics.peak_time", [0.25, 0.25], 4.0),
        ("nuclear.daughter_amount", [8.0, 0.5, 0.5, 2.0], 8 * math.exp(-1)),
        ("environmental.oxygen_deficit", [0.5, 8.0, 0.5, 1.0, 2.0], 9 * math.exp(-1)),
        ("chemical_kinetics.order_half_life", [1.0, 0.5, 3.0], 2 * math.log(2)),
        ("elementary.box_cox", [3.0, 0.0], math.log(3)),
        ("elementary.logarithmic_mean", [3.0, 3.0], 3.0),
        ("elementary.identric_mean", [3.0, 3.0], 3.0),
        ("information_theory.hill_number", [[1.0, 1.0, 0.0], 1.0], 2.0),
        ("information_theory.tsallis_entropy", [[1.0, 1.0, 0.0], 1.0], math.log(2)),
        ("information_theory.renyi_divergence", [[1.0, 0.0], [1.0, 1.0], 1.0], math.log(2)),
        ("economics.theil_index", [[1.0, 0.0]], math.log(2)),
        ("metrics.homogeneity", [[[3, 2]]], 1.0),
        ("special.dirichlet_eta", [1.0], math.log(2)),
    ],
)
def test_a_formula_has_its_limit_where_it_divides_by_0(
    name: str, arguments: list[Any], expected: float, executor: Executor
) -> None:
    assert executor.execute(name, arguments) == pytest.approx(expected, rel=1e-15)


def test_an_inverse_that_leads_elsewhere_is_found() -> None:
    base, unknown, inverse = next(iter(find_pairs(read(["optics"])[0])))

    class Elsewhere(Executor):
        def execute(self, capability_id: str, arguments: Any, **options: Any) -> Any:
            value = super().execute(capability_id, arguments, **options)
            return value * 1.01 if capability_id == inverse.id else value

    declared: Mapping[str, Capability] = {base.id: base, inverse.id: inverse}
    assert list(find_unreturned(Elsewhere(declared), base, unknown, inverse, 20))
