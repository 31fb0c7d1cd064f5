"""NIST's Statistical Reference Datasets, which SciPy carries: all of one-way analysis of variance, and Norris.

The certified values are those of the decimal data. Doubles of `1000000000000.4` have lost four of its digits, whatever
is computed from them. So they are made whole numbers, without the leading digits that all have: F does not change.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest
from service_nb_kernels.execute import Executor

SCIPY = find_spec("scipy")  # its statistics take a second to import, and only their files are read
assert SCIPY is not None
assert SCIPY.origin is not None
DATA = Path(SCIPY.origin).parent / "stats" / "tests" / "data"
ANOVA = ("AtmWtAg", "SiRstv", *(f"SmLs0{at}" for at in range(1, 10)))
RUN = Executor()


def read_columns(path: Path) -> tuple[str, list[Decimal], list[Decimal]]:
    """Read the certified values, as text, and the two columns of a dataset."""
    text = path.read_text(encoding="ascii")
    certified, data = re.split(r"^Data:.*(?:AgWt|Resistance|Response|x) *$", text, maxsplit=1, flags=re.MULTILINE)
    rows = [list(map(Decimal, line.split())) for line in data.splitlines() if line.strip()]
    return certified, [row[0] for row in rows], [row[1] for row in rows]


@pytest.mark.parametrize("name", ANOVA)
def test_analysis_of_variance(name: str) -> None:
    certified, groups, values = read_columns(DATA / "nist_anova" / f"{name}.dat")
    between, within = (
        re.findall(rf"^{word} .*$", certified, re.MULTILINE)[0].split() for word in ("Between", "Within")
    )
    statistic, labels = float(between[-1]), [int(group) for group in groups]
    leading, places = min(values).to_integral_value(), max(-int(value.as_tuple().exponent) for value in values)
    whole = [float((value - leading).scaleb(places)) for value in values]
    found = RUN.execute("hypothesis.anova", [whole, labels])
    assert found["statistic"] == pytest.approx(statistic, rel=1e-14)
    assert [found["df_between"], found["df_within"]] == [int(between[-4]), int(within[-3])]
    raw = [float(value) for value in values]
    assert RUN.execute("hypothesis.anova", [raw, labels])["statistic"] == compute_f(raw, labels)


def compute_f(values: list[float], groups: list[int]) -> float:
    """Compute F of the doubles as they are, exactly, rounded once."""
    by_group: dict[int, list[Fraction]] = {}
    for group, value in zip(groups, values, strict=True):
        by_group.setdefault(group, []).append(Fraction(value))
    means = {group: sum(each) / len(each) for group, each in by_group.items()}
    grand = sum(map(Fraction, values)) / len(values)
    between = sum(len(each) * (means[group] - grand) ** 2 for group, each in by_group.items()) / (len(means) - 1)
    within = sum((value - means[group]) ** 2 for group, each in by_group.items() for value in each)
    return float(between / (within / (len(values) - len(means))))


def test_simple_linear_regression() -> None:
    certified, response, predictor = read_columns(DATA / "nist_linregress" / "Norris.dat")
    found = RUN.execute("stats.linear_regression", [[float(x) for x in predictor], [float(y) for y in response]])
    lines = [re.findall(rf"^ *{name} .*$", certified, re.MULTILINE)[0].split() for name in ("B0", "B1")]
    (intercept, intercept_error), (slope, slope_error) = (map(float, line[1:]) for line in lines)
    residual, squared = (float(re.findall(rf"{word}\s+(0\.\d+)", certified)[0]) for word in ("Deviation", "R-Squared"))
    expected = {
        "slope": slope,
        "intercept": intercept,
        "r_squared": squared,
        "slope_error": slope_error,
        "intercept_error": intercept_error,
        "residual_error": residual,
    }
    assert found == pytest.approx(expected, rel=3e-12)
