"""A family of distributions is declared once; what follows from it is right at the ends and far out in the tails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from service_nb_kernels.check import read
from service_nb_kernels.errors import DomainError, PackError
from service_nb_kernels.execute import Executor
from service_nb_kernels.families import expand

DECLARED: Mapping[str, Any] = {
    "about": "power distribution of the tests",
    "source": "book, p. 1",
    "support": "[0, scale]",
    "define": {"z": "x / scale"},
    "density": "2 * z / scale",
    "cdf": "z**2",
    "variance": "scale**2 / 18",
    "params": {"scale": {"domain": "(0, inf)", "about": "upper end"}},
    "cases": [
        {"scale": 2.0, "x": 1.0, "pdf": 0.5, "cdf": 0.25, "origin": "by hand"},
        {"scale": 2.0, "x": 3.0, "cdf": 1.0, "log_pdf": "domain_error", "origin": "by hand"},
    ],
}


def expanded(**changes: Any) -> dict[str, Mapping[str, Any]]:
    entries = expand("power", {**DECLARED, **changes}, field="tests", define={})
    return {entry["name"]: entry for entry in entries}


@pytest.fixture(scope="module")
def distributions() -> Executor:
    found, faults = read(["distributions"])
    assert faults == []
    return Executor({declared.id: declared for declared in found})


def test_a_density_and_a_distribution_function_give_both_tails_logarithms_and_quantiles() -> None:
    names = {name.removeprefix("power_") for name in expanded()}
    logs = {"log_pdf", "log_cdf", "log_sf"}
    assert names == {"pdf", "cdf", "sf", "quantile", "upper_quantile", "variance", "std"} | logs


def test_a_moment_takes_only_the_parameters_that_it_needs() -> None:
    assert list(expanded()["power_std"]["params"]) == ["scale"]
    assert list(expanded()["power_cdf"]["params"]) == ["x", "scale"]


def test_a_condition_holds_for_each_function_that_has_what_it_names() -> None:
    entries = expanded(requires=["abs(scale) < 2 * pi", "x < 3 if scale > 1 else x < 2"])
    assert entries["power_pdf"]["requires"] == ["abs(scale) < 2 * pi", "x < 3 if scale > 1 else x < 2"]
    assert entries["power_std"]["requires"] == ["abs(scale) < 2 * pi"]


def test_a_case_becomes_one_case_of_each_function_that_it_names() -> None:
    entries = expanded()
    assert [case["result"] for case in entries["power_cdf"]["cases"]] == [0.25, 1.0]
    assert entries["power_log_pdf"]["cases"][0]["error"] == "domain_error"


@pytest.mark.parametrize(
    "changes",
    [
        {"suport": "[0, 1]"},
        {"mass": "1"},
        {"support": "all numbers"},
        {"define": {"z": "2 * z"}},
        {"cases": [{"scale": 1.0, "mean": 0.5, "origin": "by hand"}]},
        {"params": {"variance": {"about": "a name that the family needs itself"}}},
    ],
)
def test_a_declaration_that_breaks_a_rule_is_refused(changes: Mapping[str, Any]) -> None:
    with pytest.raises(PackError):
        expanded(**changes)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [  # mpmath 1.4.1, 50 digits: erfc, logarithms, and roots of the logarithm of erfc
        ("normal_sf", [37.0, 0.0, 1.0], 5.725571222524577e-300),
        ("normal_quantile", [1e-12, 0.0, 1.0], -7.034483825301132),
        ("normal_upper_quantile", [1e-300, 0.0, 1.0], 37.0470962993612),
        ("exponential_upper_quantile", [1e-300, 1.0], 690.7755278982137),
        ("uniform_pdf", [5.0, 0.0, 4.0], 0.0),
        ("uniform_cdf", [5.0, 0.0, 4.0], 1.0),
        ("uniform_sf", [-5.0, 0.0, 4.0], 1.0),
        ("exponential_pdf", [0.0, 2.0], 2.0),
        ("gamma_pdf", [-1.0, 2.0, 1.0], 0.0),
        ("gpd_sf", [11.5, 1.5, 2.5, -0.25], 0.0),
        ("gev_cdf", [-3.0, 0.0, 1.0, 0.5], 0.0),
    ],
)
def test_values_far_out_and_outside_of_the_support(
    distributions: Executor, function: str, arguments: list[Any], expected: float
) -> None:
    assert distributions.execute(f"distributions.{function}", arguments) == expected


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [  # printed tables: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7
        ("student_t_quantile", [0.975, 10.0], 2.228),
        ("student_t_quantile", [0.995, 30.0], 2.750),
        ("chi2_upper_quantile", [0.05, 10.0], 18.307),
        ("f_upper_quantile", [0.05, 5.0, 10.0], 3.326),
    ],
)
def test_printed_tables_are_met_to_their_digits(
    distributions: Executor, function: str, arguments: list[float], expected: float
) -> None:
    assert round(distributions.execute(f"distributions.{function}", arguments), 3) == expected


def test_a_discrete_quantile_decides_a_tie_exactly(distributions: Executor) -> None:
    """Of three fair coins, at most one head has a probability of exactly a half."""
    assert distributions.execute("distributions.binomial_quantile", [0.5, 3, 0.5]) == 1
    assert distributions.execute("distributions.geometric_quantile", [0.5, 0.5]) == 1
    assert distributions.execute("distributions.binomial_cdf", [1, 3, 0.5]) == 0.5


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("exponential_log_pdf", [-1.0, 1.0]),
        ("student_t_variance", [2.0]),
        ("uniform_cdf", [0.0, 2.0, 1.0]),
        ("gev_log_cdf", [-9.0, 0.0, 1.0, 0.5]),
        ("anglit_log_pdf", [3.0, 0.0, 1.0]),
    ],
)
def test_what_does_not_exist_is_a_domain_error(distributions: Executor, function: str, arguments: list[Any]) -> None:
    with pytest.raises(DomainError) as raised:
        distributions.execute(f"distributions.{function}", arguments)
    assert raised.value.code == "domain_error"


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("gamma_quantile", [0.0, 2.0, 1.0], 0.0),
        ("beta_quantile", [1.0, 2.0, 3.0], 1.0),
        ("beta_upper_quantile", [1.0, 2.0, 3.0], 0.0),
        ("binomial_quantile", [1.0, 7, 0.25], 7),
        ("binomial_upper_quantile", [0.0, 7, 0.25], 7),
        ("weibull_upper_quantile", [1.0, 2.0, 3.0], 0.0),
        ("binomial_pmf", [7, 7, 1.0], 1.0),
        ("binomial_cdf", [0, 100, 0.0], 1.0),
        ("geometric_pmf", [1, 1.0], 1.0),
        ("poisson_pmf", [0, 0.0], 1.0),
        ("poisson_sf", [0, 0.0], 0.0),
        ("bernoulli_entropy", [0.0], 0.0),
    ],
)
def test_the_ends_of_probability_are_those_of_the_support(
    distributions: Executor, function: str, arguments: list[Any], expected: float
) -> None:
    assert distributions.execute(f"distributions.{function}", arguments) == expected


@pytest.mark.parametrize("arguments", [[0.0], [1.0]])
def test_a_quantile_ends_before_a_probability_whose_end_is_infinite(
    distributions: Executor, arguments: list[float]
) -> None:
    with pytest.raises(DomainError):
        distributions.execute("distributions.normal_quantile", [*arguments, 0.0, 1.0])
    if arguments == [1.0]:
        with pytest.raises(DomainError):
            distributions.execute("distributions.gamma_quantile", [*arguments, 2.0, 1.0])
