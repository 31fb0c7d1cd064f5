"""The table of other libraries' names is whole, and what is looked up in it is found or refused."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from typing import Any

import pytest
import service_nb_kernels

from service_nb.compute.contract import Contract
from service_nb.compute.foreign_names import (
    CONVERSIONS,
    Counterpart,
    ForeignArgument,
    convert_value,
    find_absent,
    find_counterpart,
    find_parameter,
    list_absent,
    list_all_counterparts,
    list_counterparts,
    list_parameter_words,
)

CONTRACT = Contract(service_nb_kernels.map_contract())
FILLERS = {"model", "formula", "method"}  # that are left out around a name
TONGUES = ("fr", "de", "es", "it", "pt")


def list_parameters(capability: str) -> list[str]:
    return [each["name"] for each in CONTRACT.read_entry(capability)["params"]]


def test_every_counterpart_is_in_the_contract_with_its_arguments() -> None:
    for row in list_all_counterparts():
        assert row.capability in CONTRACT, row.name
        named = {each.parameter for each in row.arguments.values()} - {None}
        assert {*named, *row.fixed} <= {*list_parameters(row.capability)}, row.name
        assert {each.conversion for each in row.arguments.values()} <= {"", *CONVERSIONS}, row.name
        assert {*row.settings, *row.defaults} <= {*row.arguments}, row.name
        assert row.origin
        fields = CONTRACT.read_entry(row.capability)["result"].get("fields", {})
        assert not row.part or row.part in fields, row.name


def test_a_row_of_another_definition_says_how_it_differs() -> None:
    assert all(row.difference for row in list_all_counterparts() if not row.is_same)


def test_the_table_has_three_hundred_names_and_forty_words_of_each_language() -> None:
    names = defaultdict(set)
    for row in list_all_counterparts():
        names[row.library].add(row.name)
    assert sum(len(each) for library, each in names.items() if library not in TONGUES) >= 300
    assert all(len(names[tongue]) >= 40 for tongue in TONGUES)


def test_rows_of_one_name_have_its_arguments_in_one_order_and_other_settings() -> None:
    rows: dict[tuple[str, str], list[Counterpart]] = defaultdict(list)
    for row in list_all_counterparts():
        rows[row.library, row.name].append(row)
    for several in rows.values():
        assert len({tuple(row.arguments) for row in several}) == 1, several[0].name
        told = [(json.dumps(dict(row.settings), sort_keys=True), *sorted(row.arguments.items())) for row in several]
        assert len({str(each) for each in told}) == len(told), several[0].name


def test_every_absent_method_is_absent_and_what_is_nearest_is_there() -> None:
    assert len(list_absent()) >= 60
    for absent in list_absent():
        assert absent.nearest
        assert all(name in CONTRACT for name in absent.nearest), absent.name
        assert absent.reason
        functions = {name.partition(".")[2].replace("_", " ") for name in CONTRACT}
        assert functions.isdisjoint(word.lower().replace("-", " ") for word in absent.words), absent.name
        plain = [word for word in absent.words if FILLERS.isdisjoint(word.split())]
        assert not any(list_counterparts(word) for word in plain), absent.name


def test_every_word_of_a_parameter_is_of_a_parameter_that_its_places_have() -> None:
    fields: dict[str, set[str]] = defaultdict(set)
    for name in CONTRACT:
        fields[name.partition(".")[0]] |= {*list_parameters(name)}
    for row in list_parameter_words():
        assert row.origin
        for place in row.places:
            here = list_parameters(place) if place in CONTRACT else fields[place]
            assert here, (row, place)
            assert row.parameter == "" or row.parameter in here, (row, place)


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("np.std", "stats.std_population"),
        ("numpy.std", "stats.std_population"),
        ("numpy std", "stats.std_population"),
        ("np.std([1, 2])", "stats.std_population"),
        ("scipy.stats.norm.cdf", "distributions.normal_cdf"),
        ("stats.norm.cdf", "distributions.normal_cdf"),
        ("norm.ppf", "distributions.normal_quantile"),
        ("=STDEV.S(A1:A9)", "stats.std"),
        ("excel percentile.inc", "stats.quantile"),
        ("T.TEST", "hypothesis.t_test_welch"),
        ("t.test", "hypothesis.t_test_welch"),
        ("pnorm", "distributions.normal_cdf"),
        ("rmse", "metrics.root_mean_squared_error"),
        ("Écart-type", "stats.std"),
        ("finance.pmt", "finance.loan_payment"),
        ("var", None),  # NumPy's divides by n, R's by n - 1
        ("skew", None),
        ("np.nothing", None),
        ("", None),
    ],
)
def test_a_name_is_found_as_people_write_it(name: str, capability: str | None) -> None:
    row = find_counterpart(name)
    assert (row and row.capability) == capability


@pytest.mark.parametrize(
    ("name", "given", "capability"),
    [
        ("np.std", {"a": "[1, 2]", "ddof": "1"}, "stats.std"),
        ("np.std", {"axis": "0"}, None),
        ("np.average", {"a": "x", "weights": "w"}, "stats.weighted_mean"),
        (
            "PMT",
            {"rate": "0.01", "nper": "12", "pv": "100", "type": "1"},
            "finance.payment_from_annuity_due_present_value",
        ),
        ("PMT", {"fv": "10"}, None),
        ("T.TEST", {"tails": "2", "type": "1"}, "hypothesis.t_test_paired"),
        ("t.test", {"paired": "TRUE"}, "hypothesis.t_test_paired"),
        ("wilcox.test", {"paired": "TRUE"}, "hypothesis.wilcoxon_exact"),
        ("pnorm", {"q": "1", "lower.tail": "FALSE"}, "distributions.normal_sf"),
        ("p.adjust", {"p": "x", "method": "'BH'"}, "hypothesis.benjamini_hochberg"),
    ],
)
def test_what_is_given_decides_between_the_rows_of_a_name(
    name: str, given: dict[str, str], capability: str | None
) -> None:
    row = find_counterpart(name, given)
    assert (row and row.capability) == capability


@pytest.mark.parametrize(
    ("capability", "word", "parameter"),
    [
        ("option_pricing.black_scholes_call", "S", "spot"),
        ("option_pricing.black_scholes_call", "K", "strike"),
        ("option_pricing.black_scholes_call", "r", "rate"),
        ("option_pricing.black_scholes_call", "sigma", "volatility"),
        ("option_pricing.black_scholes_call", "\N{GREEK SMALL LETTER SIGMA}", "volatility"),
        ("option_pricing.black_scholes_call", "T", "time"),
        ("option_pricing.black_scholes_call", "spot", "spot"),
        ("option_pricing.black_scholes_call", "beta", None),
        ("finance.loan_payment", "nper", "periods"),
        ("finance.loan_payment", "pv", "principal"),
        ("finance.loan_payment", "years", None),  # the rate may be of months
        ("stats.quantile", "q", None),  # of 100, or of 1
        ("distributions.poisson_pmf", "lambda", "rate"),
        ("metrics.mean_squared_error", "y_true", "actual"),
        ("hypothesis.t_test_one_sample", "mu", "mean"),
        ("mechanics.kinetic_energy", "velocity", "speed"),
        ("distributions.lognormal_cdf", "mean", None),  # of the values, or of their logarithms
        ("distributions.lognormal_cdf", "meanlog", "log_mean"),
        ("distributions.gamma_cdf", "beta", None),  # a scale, or a rate
        ("distributions.weibull_cdf", "beta", None),  # a scale, or the shape
        ("distributions.weibull_cdf", "eta", "scale"),
        ("distributions.gev_cdf", "c", None),  # SciPy's has the other sign
        ("bonds.price", "C", None),  # money, or a rate
        ("finance.loan_interest_part", "payment", None),  # money, or a number
        ("finance.annuity_present_value", "pmt", "payment"),
        ("finance.npv", "Zins", "rate"),
    ],
)
def test_a_word_of_a_field_is_a_parameter_or_none(capability: str, word: str, parameter: str | None) -> None:
    found = find_parameter(CONTRACT.read_entry(capability), word)
    assert (found and found.parameter) == parameter


def test_a_parameter_of_another_measure_says_how_it_is_turned() -> None:
    row = find_counterpart("np.percentile")
    assert row is not None
    assert row.arguments["q"] == ForeignArgument("probability", "percent")
    assert row.fixed == {"definition": 7}


@pytest.mark.parametrize(
    ("text", "conversion", "expected"),
    [
        ("90", "percent", "0.9"),
        ("97.5", "percent", "0.975"),
        ("-1e3", "negated", "1000"),
        ("0.05", "half", "0.025"),
        ("3", "quarter", "0.75"),
        ("4", "reciprocal", "0.25"),
        ("0", "reciprocal", None),
        ("two.sided", "dashes", "two-sided"),
        ("x", "percent", None),
        ("x", "", "x"),
        ("nan", "negated", None),
    ],
)
def test_values_are_turned_without_rounding(text: str, conversion: str, expected: str | None) -> None:
    assert convert_value(text, conversion) == expected


def test_conversions_are_those_of_decimals() -> None:
    factors: dict[str, Any] = {
        "percent": Decimal("0.01"),
        "negated": -1,
        "half": Decimal("0.5"),
        "quarter": Decimal("0.25"),
    }
    for text in ("0.1", "33", "1e-7", "123456789.123456789", "2E3"):
        for conversion, factor in factors.items():
            assert Decimal(convert_value(text, conversion) or "nan") == Decimal(text) * factor


def test_a_method_that_is_not_there_is_known_with_words_around_it() -> None:
    for words in ("logistic regression", "fit a Logistic Regression model", "LogisticRegression"):
        absent = find_absent(words)
        assert absent is not None
        assert absent.nearest == ("elementary.logistic",)
    assert find_absent("Ohm\N{RIGHT SINGLE QUOTATION MARK}s law") is not None
    assert find_absent("net present value") is None
