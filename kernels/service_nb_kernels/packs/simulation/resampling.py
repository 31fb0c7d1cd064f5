"""Simulations that draw again from data, or draw points: bootstrap, permutation test, Monte Carlo integration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.packs.simulation.finance import check_size, summary_of, total
from service_nb_kernels.seeded.exact import Doubles, polynomial
from service_nb_kernels.seeded.words import Words

BLOCK = 1_000_000  # numbers drawn at a time
MICE_TREATED = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0]
MICE_CONTROL = [52.0, 104.0, 146.0, 10.0, 50.0, 31.0, 40.0, 27.0, 46.0]


def row_means(table: Doubles) -> Doubles:
    """Return the mean of each row, from correctly rounded sums."""
    sums = np.array([total(row) for row in table.tolist()])
    means: Doubles = sums / table.shape[1]
    return means


def quantile(ordered: Doubles, part: float) -> float:
    """Return the quantile between order statistics (Hyndman and Fan, definition 7)."""
    place = part * (ordered.size - 1)
    low = min(math.floor(place), ordered.size - 1)
    high = min(low + 1, ordered.size - 1)
    return float(ordered[low] + (place - low) * (ordered[high] - ordered[low]))


@capability(
    "simulation.bootstrap_mean",
    tier="seeded",
    version=2,
    source="efron1993, ch. 13",
    params={
        "values": P("float64[n]", unit="?u", min_size=2, about="sample", symbol="x"),
        "confidence": P(domain="(0, 1)", about="probability of the interval"),
        "replicates": P("int", domain="[100, 100000]", about="number of samples drawn again", symbol="B"),
    },
    result=R(
        fields={
            "mean": R(unit="?u", about="mean of the sample"),
            "low": R(unit="?u", about="lower end of the percentile interval"),
            "high": R(unit="?u", about="upper end of the percentile interval"),
            "standard_error": R(unit="?u", about="standard deviation of the replicated means", range="[0, inf)"),
        }
    ),
    limit={"n": 100_000},
    latex=r"\bar{x}^{*}_{(\alpha/2)},\ \bar{x}^{*}_{(1-\alpha/2)}",
    keywords=["confidence interval", "resampling", "percentile interval"],
    cases=[
        case(
            values=MICE_TREATED,
            confidence=0.9,
            replicates=20_000,
            seed=41,
            result={"mean": 86.857142857142857, "low": 49.43, "high": 126.43, "standard_error": 23.31},
            within=5e-2,
            origin="scipy 1.17.1, scipy.stats.bootstrap: percentile, 200000 resamples",
        ),
        case(
            values=[3.0, 3.0, 3.0],
            confidence=0.95,
            replicates=100,
            seed=42,
            result={"mean": 3.0, "low": 3.0, "high": 3.0, "standard_error": 0.0},
            origin="by hand: all values are equal",
        ),
    ],
)
def bootstrap_mean(values: NDArray[Any], confidence: float, replicates: int, *, words: Words) -> dict[str, float]:
    """Percentile interval and standard error of a mean, from samples drawn again with replacement."""
    size = values.size
    check_size(size * replicates)
    chunk = max(1, BLOCK // size)
    means = []
    for start in range(0, replicates, chunk):
        check_deadline()
        rows = min(chunk, replicates - start)
        means.append(row_means(values[words.below(size, rows * size)].reshape(rows, size)))
    ordered = np.sort(np.concatenate(means))
    _, error = summary_of(ordered)
    return {
        "mean": total(values.tolist()) / size,
        "low": quantile(ordered, (1 - confidence) / 2),
        "high": quantile(ordered, (1 + confidence) / 2),
        "standard_error": error * math.sqrt(replicates),
    }


@capability(
    "simulation.permutation_test",
    tier="seeded",
    version=3,
    source="phipson2010, eq. 2",
    compares=["first", "second"],
    params={
        "first": P("float64[m]", unit="?u", min_size=1, about="first sample"),
        "second": P("float64[n]", unit="?u", min_size=1, about="second sample"),
        "permutations": P("int", domain="[99, 100000]", about="number of random permutations", symbol="B"),
    },
    result=R(
        fields={
            "difference": R(unit="?u", about="mean of the first sample less that of the second"),
            "pvalue": R(about="two-sided p-value, the observed order counted", range="[0, 1]"),
        }
    ),
    limit={"m": 10_000, "n": 10_000},
    latex=r"p = \frac{1 + \#\{|\Delta^*| \ge |\Delta|\}}{B + 1}",
    keywords=["randomisation test", "two-sample", "exact test"],
    cases=[
        case(
            first=MICE_TREATED,
            second=MICE_CONTROL,
            permutations=50_000,
            seed=51,
            result={"difference": 30.634920634920636, "pvalue": 0.2811188811188811},
            within=5e-2,
            origin="scipy 1.17.1, scipy.stats.permutation_test: all 11440 permutations",
        ),
        case(
            first=[1.0, 2.0],
            second=[3.0, 4.0],
            permutations=50_000,
            seed=52,
            result={"difference": -2.0, "pvalue": 0.3333333333333333},
            within=3e-2,
            origin="by hand: 2 of the 6 orders",
        ),
    ],
)
def permutation_test(first: NDArray[Any], second: NDArray[Any], permutations: int, *, words: Words) -> dict[str, float]:
    """Two-sided test that two samples have one mean, by the differences after random exchanges between them."""
    pooled = np.concatenate([first, second])
    check_size(pooled.size * permutations)
    pooled_sum = total(pooled.tolist())
    difference = total(first.tolist()) / first.size - total(second.tolist()) / second.size
    chunk, extreme = max(1, BLOCK // pooled.size), 0
    bound = abs(difference) - 1e-12 * float(np.abs(pooled).max())  # equal but for rounding counts as equal
    for start in range(0, permutations, chunk):
        check_deadline()
        rows = words.subsets(pooled.size, first.size, min(chunk, permutations - start))
        means = row_means(pooled[rows])
        others = (pooled_sum - means * first.size) / second.size
        extreme += int(np.count_nonzero(np.abs(means - others) >= bound))
    return {"difference": difference, "pvalue": (1 + extreme) / (1 + permutations)}


@capability(
    "simulation.polynomial_integral",
    tier="seeded",
    version=2,
    source="robert2004, sec. 3.2",
    params={
        "coefficients": P(
            "float64[n]", min_size=1, about="coefficients of the polynomial, the constant first", symbol="a"
        ),
        "low": P(about="lower end"),
        "high": P(about="upper end"),
        "points": P("int", domain="[2, 5000000]", about="number of random points", symbol="N"),
    },
    result=R(
        fields={
            "integral": R(about="estimated integral"),
            "standard_error": R(about="standard error of the estimate", range="[0, inf)"),
        }
    ),
    limit={"n": 100},
    requires=["low < high"],
    latex=r"\frac{b - a}{N} \sum_i f(U_i)",
    keywords=["Monte Carlo integration", "crude Monte Carlo"],
    cases=[
        case(
            coefficients=[0.0, 0.0, 3.0],
            low=0.0,
            high=1.0,
            points=1_000_000,
            seed=61,
            result={"integral": 1.0, "standard_error": 0.000894427},
            within=1e-2,
            origin="by hand: variance 4/5",
        ),
        case(
            coefficients=[1.0, 2.0],
            low=-1.0,
            high=3.0,
            points=1_000_000,
            seed=62,
            result={"integral": 12.0, "standard_error": 0.00923760},
            within=1e-2,
            origin="by hand: x + x^2, variance 16/3",
        ),
    ],
)
def polynomial_integral(
    coefficients: NDArray[Any], low: float, high: float, points: int, *, words: Words
) -> dict[str, float]:
    """Integral of a polynomial by the mean of its values at uniformly random points, with its standard error."""
    check_size(points)
    mean, error = summary_of(polynomial(coefficients[::-1].tolist(), low + (high - low) * words.uniform(points)))
    return {"integral": (high - low) * mean, "standard_error": (high - low) * error}


@capability(
    "simulation.pi_estimate",
    tier="seeded",
    version=2,
    source="robert2004, sec. 3.2",
    params={"points": P("int", domain="[2, 10000000]", about="number of random points in the unit square", symbol="N")},
    result=R(
        fields={
            "estimate": R(about="four times the part of the points within the quarter circle"),
            "standard_error": R(about="standard error of the estimate", range="[0, inf)"),
        }
    ),
    latex=r"\frac{4}{N} \#\{X^2 + Y^2 \le 1\}",
    keywords=["Monte Carlo", "quarter circle"],
    cases=[
        case(
            points=1_000_000,
            seed=71,
            result={"estimate": math.pi, "standard_error": 0.00164212},
            within=2e-3,
            origin="by hand: sqrt(pi (4 - pi) / N)",
        ),
        case(
            points=4_000_000,
            seed=72,
            result={"estimate": math.pi, "standard_error": 0.00082106},
            within=2e-3,
            origin="by hand: sqrt(pi (4 - pi) / N)",
        ),
    ],
)
def pi_estimate(points: int, *, words: Words) -> dict[str, float]:
    """Estimate of pi from random points in a square, with its standard error."""
    check_size(2 * points)
    x, y = words.uniform(points), words.uniform(points)
    part = int(np.count_nonzero(x * x + y * y <= 1.0)) / points
    return {"estimate": 4 * part, "standard_error": 4 * math.sqrt(part * (1 - part) / points)}
