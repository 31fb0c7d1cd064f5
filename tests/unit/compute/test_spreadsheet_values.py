"""Functions of spreadsheets give, through the table of names, what Microsoft's pages print of their examples, and what
the formulas of these pages give in exact fractions or in fifty digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from service_nb.compute.foreign_names import find_counterpart
from tests.tools.foreign_calls import RUN, run_counterpart

STRENGTHS = [1345.0, 1301.0, 1368.0, 1322.0, 1310.0, 1370.0, 1318.0, 1350.0, 1303.0, 1299.0]
SKEWED = [3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 7.0]
MEANS = [4.0, 5.0, 8.0, 7.0, 11.0, 4.0, 3.0]
LINE = {"known_ys": [2.0, 3.0, 9.0, 1.0, 8.0, 7.0, 5.0], "known_xs": [6.0, 5.0, 11.0, 7.0, 5.0, 4.0, 4.0]}
PAIRED = {
    "array1": [3.0, 4.0, 5.0, 8.0, 9.0, 1.0, 2.0, 4.0, 5.0],
    "array2": [6.0, 19.0, 3.0, 2.0, 14.0, 4.0, 5.0, 17.0, 1.0],
}
CORRELATED = {"array1": [3.0, 2.0, 4.0, 5.0, 6.0], "array2": [9.0, 7.0, 12.0, 15.0, 17.0]}
# The examples of Microsoft's pages of the functions, with the digits that they print. These were written down without
# the pages at hand: what such a page may have been remembered wrongly of, is computed again in COMPUTED.
PRINTED: list[tuple[str, dict[str, Any], str]] = [
    ("STDEV.S", {"number1": STRENGTHS}, "27.46391572"),
    ("STDEV.P", {"number1": STRENGTHS}, "26.05455814"),
    ("VAR.S", {"number1": STRENGTHS}, "754.27"),
    ("VAR.P", {"number1": STRENGTHS}, "678.84"),
    ("PERCENTILE.INC", {"array": [1.0, 3.0, 2.0, 4.0], "k": 0.3}, "1.9"),
    ("PERCENTILE.EXC", {"array": [1.0, 2.0, 3.0, 6.0, 6.0, 6.0, 7.0, 8.0, 9.0], "k": 0.25}, "2.5"),
    ("QUARTILE.INC", {"array": [1.0, 2.0, 4.0, 7.0, 8.0, 9.0, 10.0, 12.0], "quart": 1}, "3.5"),
    ("QUARTILE.EXC", {"array": [6.0, 7.0, 15.0, 36.0, 39.0, 40.0, 41.0, 42.0, 43.0, 47.0, 49.0], "quart": 3}, "43"),
    ("SKEW", {"number1": SKEWED}, "0.359543"),
    ("SKEW.P", {"number1": SKEWED}, "0.303193"),
    ("KURT", {"number1": SKEWED}, "-0.151800"),
    ("AVEDEV", {"number1": [4.0, 5.0, 6.0, 7.0, 5.0, 4.0, 3.0]}, "1.020408"),
    ("DEVSQ", {"number1": MEANS}, "48"),
    ("GEOMEAN", {"number1": MEANS}, "5.476987"),
    ("HARMEAN", {"number1": MEANS}, "5.028376"),
    ("TRIMMEAN", {"array": [4.0, 5.0, 6.0, 7.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0], "percent": 0.2}, "3.778"),
    ("CORREL", CORRELATED, "0.997054"),
    ("COVARIANCE.P", CORRELATED, "5.2"),
    ("COVARIANCE.S", {"array1": [2.0, 4.0, 8.0], "array2": [5.0, 11.0, 12.0]}, "9.666666667"),
    ("SLOPE", LINE, "0.305556"),
    ("INTERCEPT", {"known_ys": [2.0, 3.0, 9.0, 1.0, 8.0], "known_xs": [6.0, 5.0, 11.0, 7.0, 5.0]}, "0.0483871"),
    ("RSQ", LINE, "0.05795"),
    ("NORM.DIST", {"x": 42.0, "mean": 40.0, "standard_dev": 1.5, "cumulative": "TRUE"}, "0.9087888"),
    ("NORM.DIST", {"x": 42.0, "mean": 40.0, "standard_dev": 1.5, "cumulative": "FALSE"}, "0.10934"),
    ("NORM.S.DIST", {"z": 1.333333}, "0.908788726"),
    ("NORM.INV", {"probability": 0.908789, "mean": 40.0, "standard_dev": 1.5}, "42.000002"),
    ("NORM.S.INV", {"probability": 0.908789}, "1.3333347"),
    ("T.DIST", {"x": 60.0, "deg_freedom": 1.0}, "0.99469533"),
    ("T.DIST", {"x": 8.0, "deg_freedom": 3.0, "cumulative": "FALSE"}, "0.00073691"),
    ("T.DIST.RT", {"x": 1.959999998, "deg_freedom": 60.0}, "0.027322"),
    ("T.INV.2T", {"probability": 0.546449, "deg_freedom": 60.0}, "0.606533"),
    ("CHISQ.DIST", {"x": 0.5, "deg_freedom": 1.0}, "0.52049988"),
    ("CHISQ.DIST.RT", {"x": 18.307, "deg_freedom": 10.0}, "0.0500006"),
    ("CHISQ.INV", {"probability": 0.93, "deg_freedom": 1.0}, "3.283020287"),
    ("CHISQ.INV.RT", {"probability": 0.050001, "deg_freedom": 10.0}, "18.306973"),
    ("F.DIST", {"x": 15.2069, "deg_freedom1": 6.0, "deg_freedom2": 4.0}, "0.99"),
    ("F.DIST", {"x": 15.2069, "deg_freedom1": 6.0, "deg_freedom2": 4.0, "cumulative": "FALSE"}, "0.0012238"),
    ("F.INV", {"probability": 0.01, "deg_freedom1": 6.0, "deg_freedom2": 4.0}, "0.10930991"),
    ("F.INV.RT", {"probability": 0.01, "deg_freedom1": 6.0, "deg_freedom2": 4.0}, "15.20686"),
    ("BINOM.DIST", {"number_s": 6, "trials": 10, "probability_s": 0.5, "cumulative": "FALSE"}, "0.2050781"),
    ("BINOM.INV", {"trials": 6, "probability_s": 0.5, "alpha": 0.75}, "4"),
    ("POISSON.DIST", {"x": 2, "mean": 5.0}, "0.124652"),
    ("POISSON.DIST", {"x": 2, "mean": 5.0, "cumulative": "FALSE"}, "0.084224"),
    ("EXPON.DIST", {"x": 0.2, "lambda": 10.0}, "0.86466472"),
    ("EXPON.DIST", {"x": 0.2, "lambda": 10.0, "cumulative": "FALSE"}, "1.35335283"),
    ("GAMMA.DIST", {"x": 10.00001131, "alpha": 9.0, "beta": 2.0, "cumulative": "FALSE"}, "0.032639"),
    ("GAMMA.DIST", {"x": 10.00001131, "alpha": 9.0, "beta": 2.0}, "0.068094"),
    ("GAMMA.INV", {"probability": 0.068094, "alpha": 9.0, "beta": 2.0}, "10.0000112"),
    ("WEIBULL.DIST", {"x": 105.0, "alpha": 20.0, "beta": 100.0}, "0.929581"),
    ("WEIBULL.DIST", {"x": 105.0, "alpha": 20.0, "beta": 100.0, "cumulative": "FALSE"}, "0.035589"),
    ("LOGNORM.DIST", {"x": 4.0, "mean": 3.5, "standard_dev": 1.2}, "0.0390836"),
    ("LOGNORM.DIST", {"x": 4.0, "mean": 3.5, "standard_dev": 1.2, "cumulative": "FALSE"}, "0.0176176"),
    ("LOGNORM.INV", {"probability": 0.039084, "mean": 3.5, "standard_dev": 1.2}, "4.0000252"),
    ("HYPGEOM.DIST", {"sample_s": 1, "number_sample": 4, "population_s": 8, "number_pop": 20}, "0.4654"),
    (
        "HYPGEOM.DIST",
        {"sample_s": 1, "number_sample": 4, "population_s": 8, "number_pop": 20, "cumulative": "FALSE"},
        "0.3633",
    ),
    ("NEGBINOM.DIST", {"number_f": 10, "number_s": 5, "probability_s": 0.25}, "0.3135141"),
    ("NEGBINOM.DIST", {"number_f": 10, "number_s": 5, "probability_s": 0.25, "cumulative": "FALSE"}, "0.0550487"),
    ("T.TEST", {**PAIRED, "tails": 2, "type": 1}, "0.196016"),
    ("F.TEST", {"array1": [6.0, 7.0, 9.0, 15.0, 21.0], "array2": [20.0, 28.0, 31.0, 38.0, 40.0]}, "0.64831785"),
    ("FISHER", {"x": 0.75}, "0.9729551"),
    ("PMT", {"rate": 0.08 / 12, "nper": 10, "pv": 10000.0}, "-1037.03"),
    ("PMT", {"rate": 0.08 / 12, "nper": 10, "pv": 10000.0, "fv": 0, "type": 1}, "-1030.16"),
    ("IPMT", {"rate": 0.1 / 12, "per": 1, "nper": 36, "pv": 8000.0}, "-66.67"),
    ("PPMT", {"rate": 0.1 / 12, "per": 1, "nper": 24, "pv": 2000.0}, "-75.62"),
    ("CUMIPMT", {"rate": 0.0075, "nper": 360, "pv": 125000.0, "start_period": 13, "end_period": 24}, "-11135.23213"),
    ("PV", {"rate": 0.08 / 12, "nper": 240, "pmt": 500.0}, "-59777.15"),
    ("FV", {"rate": 0.01, "nper": 12, "pmt": -1000.0}, "12682.50"),
    ("RATE", {"nper": 48, "pmt": -200.0, "pv": 8000.0}, "0.0077"),
    (
        "MIRR",
        {
            "values": [-120000.0, 39000.0, 30000.0, 21000.0, 37000.0, 46000.0],
            "finance_rate": 0.1,
            "reinvest_rate": 0.12,
        },
        "0.1261",
    ),
    ("IRR", {"values": [-70000.0, 12000.0, 15000.0, 18000.0, 21000.0, 26000.0]}, "0.0866"),
    ("EFFECT", {"nominal_rate": 0.0525, "npery": 4}, "0.0535427"),
    ("NOMINAL", {"effect_rate": 0.053543, "npery": 4}, "0.05250032"),
    ("RRI", {"nper": 96, "pv": 10000.0, "fv": 11000.0}, "0.0009933"),
    ("PDURATION", {"rate": 0.025, "pv": 2000.0, "fv": 2200.0}, "3.86"),
    ("SLN", {"cost": 30000.0, "salvage": 7500.0, "life": 10}, "2250"),
    ("SYD", {"cost": 30000.0, "salvage": 7500.0, "life": 10, "per": 1}, "4090.91"),
    ("COMBIN", {"number": 8, "number_chosen": 2}, "28"),
    ("COMBINA", {"number": 4, "number_chosen": 3}, "20"),
    ("PERMUT", {"number": 100, "number_chosen": 3}, "970200"),
    ("MULTINOMIAL", {"number1": [2, 3, 4]}, "1260"),
    ("ATAN2", {"x_num": -1.0, "y_num": -1.0}, "-2.35619449"),
    ("ERFC", {"x": 1.0}, "0.15729921"),
    ("GAMMALN", {"x": 4.0}, "1.7917595"),
    ("LOG", {"number": 8.0, "base": 2.0}, "3"),
    ("LOG", {"number": 10.0}, "1"),
]


@pytest.mark.parametrize(
    ("name", "given", "printed"), PRINTED, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(PRINTED)]
)
def test_a_function_of_spreadsheets_gives_what_its_page_prints(name: str, given: dict[str, Any], printed: str) -> None:
    value = float(run_counterpart(name, given, "spreadsheet"))
    last = Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))
    assert abs(Decimal(value) - Decimal(printed)) < Decimal("1.05") * last


def decline(cost: int, salvage: int, life: int, period: int, factor: Fraction) -> Fraction:
    """The formula of Microsoft's page of DDB: min((cost - before) * factor / life, cost - salvage - before)."""
    before = taken = Fraction(0)
    for _ in range(period):
        taken = min((cost - before) * factor / life, cost - salvage - before)
        before += taken
    return taken


def discount(rate: Fraction, periods: int) -> Fraction:
    return sum((1 / (1 + rate) ** each for each in range(1, periods + 1)), Fraction(0))


def find_rate(periods: int, payment: int, loan: int) -> Any:
    return mpmath.findroot(lambda rate: payment * (1 - (1 + rate) ** -periods) / rate - loan, 0.01)


# Nothing of these is printed by a page: fractions are exact, mpmath 1.4.1 has fifty digits. BESSELJ's page prints
# 0.329925829 of the first, which is right in its first six digits alone.
COMPUTED: list[tuple[str, dict[str, Any], Callable[[], Any]]] = [
    ("BESSELJ", {"x": 1.9, "n": 2.0}, lambda: mpmath.besselj(2, mpmath.mpf(1.9))),
    ("BESSELJ", {"x": 3.45, "n": 4.0}, lambda: mpmath.besselj(4, mpmath.mpf(3.45))),
    ("BESSELY", {"x": 2.5, "n": 1.0}, lambda: mpmath.bessely(1, 2.5)),
    ("BESSELI", {"x": 1.5, "n": 1.0}, lambda: mpmath.besseli(1, 1.5)),
    ("BESSELK", {"x": 1.5, "n": 1.0}, lambda: mpmath.besselk(1, 1.5)),
    ("NORM.S.INV", {"probability": 0.9088}, lambda: mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(0.9088) - 1)),
    ("NORM.S.INV", {"probability": 0.908789}, lambda: mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(0.908789) - 1)),
    ("NORM.DIST", {"x": 42.0, "mean": 40.0, "standard_dev": 1.5}, lambda: mpmath.ncdf(mpmath.mpf(4) / 3)),
    ("CHISQ.DIST.RT", {"x": 18.307, "deg_freedom": 10.0}, lambda: mpmath.gammainc(5, a=mpmath.mpf(18.307) / 2) / 24),
    ("T.DIST", {"x": 60.0, "deg_freedom": 1.0}, lambda: mpmath.mpf(1) / 2 + mpmath.atan(60) / mpmath.pi),
    ("T.INV.2T", {"probability": 0.5, "deg_freedom": 1.0}, lambda: 1),
    ("F.DIST.RT", {"x": 3.0, "deg_freedom1": 2.0, "deg_freedom2": 4.0}, lambda: Fraction(4, 25)),
    ("GAMMA.DIST", {"x": 10.0, "alpha": 9.0, "beta": 2.0}, lambda: mpmath.gammainc(9, b=5) / mpmath.factorial(8)),
    (
        "WEIBULL.DIST",
        {"x": 105.0, "alpha": 20.0, "beta": 100.0},
        lambda: 1 - mpmath.exp(-((mpmath.mpf(21) / 20) ** 20)),
    ),
    (
        "HYPGEOM.DIST",
        {"sample_s": 1, "number_sample": 4, "population_s": 8, "number_pop": 20, "cumulative": "FALSE"},
        lambda: Fraction(8 * 220, 4845),
    ),
    ("BETA.DIST", {"x": 0.25, "alpha": 2.0, "beta": 3.0}, lambda: Fraction(67, 256)),
    ("BETA.INV", {"probability": 0.26171875, "alpha": 2.0, "beta": 3.0}, lambda: Fraction(1, 4)),
    (
        "DDB",
        {"cost": 2400.0, "salvage": 300.0, "life": 120, "period": 1},
        lambda: decline(2400, 300, 120, 1, Fraction(2)),
    ),
    (
        "DDB",
        {"cost": 2400.0, "salvage": 300.0, "life": 10, "period": 1, "factor": 2.0},
        lambda: decline(2400, 300, 10, 1, Fraction(2)),
    ),
    (
        "DDB",
        {"cost": 2400.0, "salvage": 300.0, "life": 10, "period": 2, "factor": 1.5},
        lambda: decline(2400, 300, 10, 2, Fraction(3, 2)),
    ),
    (
        "DDB",
        {"cost": 2400.0, "salvage": 300.0, "life": 10, "period": 10},
        lambda: decline(2400, 300, 10, 10, Fraction(2)),
    ),
    ("FV", {"rate": 0.25, "nper": 3, "pmt": -1000.0}, lambda: 1000 * (Fraction(25, 16) + Fraction(5, 4) + 1)),
    (
        "FV",
        {"rate": 0.25, "nper": 3, "pmt": 1000.0, "pv": 0, "type": 1},
        lambda: -1250 * (Fraction(25, 16) + Fraction(5, 4) + 1),
    ),
    ("PV", {"rate": 0.25, "nper": 3, "pmt": -500.0}, lambda: 500 * discount(Fraction(1, 4), 3)),
    ("PV", {"rate": 0.25, "nper": 3, "pmt": 500.0, "fv": 0, "type": 1}, lambda: -625 * discount(Fraction(1, 4), 3)),
    ("PMT", {"rate": 0.25, "nper": 3, "pv": 1000.0}, lambda: -1000 / discount(Fraction(1, 4), 3)),
    (
        "NPER",
        {"rate": 0.01, "pmt": -100.0, "pv": 1000.0},
        lambda: -mpmath.log(1 - 10 * mpmath.mpf(0.01)) / mpmath.log1p(mpmath.mpf(0.01)),
    ),
    ("RATE", {"nper": 48, "pmt": -200.0, "pv": 8000.0}, lambda: find_rate(48, 200, 8000)),
    ("PERMUTATIONA", {"number": 3.0, "number_chosen": 2.0}, lambda: 9),
    ("GCD", {"number1": 24, "number2": 36}, lambda: 12),
    ("LCM", {"number1": 24, "number2": 36}, lambda: 72),
    ("Z.TEST", {"array": [3.0, 6.0, 7.0, 8.0], "x": 4.0, "sigma": 2.0}, lambda: 1 - mpmath.ncdf(2)),
]


@pytest.mark.parametrize(
    ("name", "given", "compute"), COMPUTED, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(COMPUTED)]
)
def test_a_function_of_spreadsheets_gives_what_its_formula_gives(
    name: str, given: dict[str, Any], compute: Callable[[], Any]
) -> None:
    value = float(run_counterpart(name, given, "spreadsheet"))
    with mpmath.workdps(50):
        expected = float(compute())
    assert abs(value - expected) <= 1e-12 * abs(expected)


def test_net_present_value_of_a_spreadsheet_discounts_the_first_flow_too() -> None:
    row = find_counterpart("NPV")
    assert row is not None
    assert not row.is_same
    flows = [-10000.0, 3000.0, 4200.0, 6800.0]  # Microsoft's page of NPV prints 1,188.44
    value = RUN.execute("finance.npv", [0.1, np.asarray([0.0, *flows])])
    assert round(value, 2) == 1188.44
    assert abs(RUN.execute("finance.npv", [0.1, np.asarray(flows)]) / 1.1 - value) < 1e-9
