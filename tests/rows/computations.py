"""Computations over columns: two samples with nulls, of different lengths, one column on both sides, pairs. Reference: SciPy."""

import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

from tests.rows.case import Case, always, as_csv

A: list[float | None] = [1.5, 2.25, None, 3.0, 5.5, 4.0, 2.0, None]
B: list[float | None] = [4.0, None, 6.5, 7.0, 9.25, None, 3.5, 8.0]
ARMS = ["A", "A", "B", "A", "B", "B", "A", "B"]
TABLE = [
    {"i": i, "a": a, "b": b, "arm": arm, "whole": i * i % 7, "c": float(i), "t": str(i)}
    for i, (a, b, arm) in enumerate(zip(A, B, ARMS, strict=True))
]
PAIRS = [(a, b) for a, b in zip(A, B, strict=True) if a is not None and b is not None]
LEFT, RIGHT = [a for a, _ in PAIRS], [b for _, b in PAIRS]
Numbers = Sequence[float]


def keep(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def result_of(call: Any) -> Callable[[Numbers, Numbers], dict[str, float]]:
    return lambda first, second: {
        "statistic": float(call(first, second).statistic),
        "pvalue": float(call(first, second).pvalue),
    }


def f_test(first: Numbers, second: Numbers) -> dict[str, float]:
    ratio = statistics.variance(first) / statistics.variance(second)
    below = float(stats.f.cdf(ratio, len(first) - 1, len(second) - 1))
    return {"statistic": ratio, "pvalue": 2 * min(below, 1 - below)}


def rank_sums(first: Numbers, second: Numbers) -> dict[str, float]:
    """All ways to choose the first sample from both, since SciPy's exact method knows no ties."""
    ranks = stats.rankdata([*first, *second])
    least = len(first) * (len(first) + 1) / 2
    met = float(sum(ranks[: len(first)])) - least
    all_sums = [
        sum(ranks[place] for place in places) - least
        for places in itertools.combinations(range(len(ranks)), len(first))
    ]
    tail = min(sum(one <= met for one in all_sums), sum(one >= met for one in all_sums))
    return {"statistic": met, "pvalue": min(1.0, 2 * tail / len(all_sums))}


TWO: dict[str, Callable[[Numbers, Numbers], Any]] = {
    "hypothesis.t_test_welch": result_of(lambda x, y: stats.ttest_ind(x, y, equal_var=False)),
    "hypothesis.t_test_two_sample": result_of(stats.ttest_ind),
    "hypothesis.mann_whitney_exact": rank_sums,
    "hypothesis.mann_whitney_normal": lambda x, y: {
        "pvalue": float(stats.mannwhitneyu(x, y, method="asymptotic", use_continuity=False).pvalue)
    },
    "hypothesis.ks_two_sample": result_of(lambda x, y: stats.ks_2samp(x, y, method="exact")),
    "hypothesis.f_test": f_test,
}
PAIRED: dict[str, tuple[str, str, Callable[[Numbers, Numbers], Any]]] = {
    "stats.correlation": ("x", "y", lambda x, y: float(stats.pearsonr(x, y).statistic)),
    "stats.spearman": ("x", "y", lambda x, y: float(stats.spearmanr(x, y).statistic)),
    "stats.kendall_tau": ("x", "y", lambda x, y: float(stats.kendalltau(x, y).statistic)),
    "stats.covariance": ("x", "y", lambda x, y: float(np.cov(x, y)[0, 1])),
    "stats.linear_regression": (
        "x",
        "y",
        lambda x, y: {
            "slope": float(stats.linregress(x, y).slope),
            "intercept": float(stats.linregress(x, y).intercept),
        },
    ),
    "hypothesis.t_test_paired": ("before", "after", result_of(stats.ttest_rel)),
    "metrics.root_mean_squared_error": (
        "actual",
        "predicted",
        lambda x, y: math.sqrt(statistics.fmean((u - v) ** 2 for u, v in zip(x, y, strict=True))),
    ),
    "metrics.mean_absolute_error": (
        "actual",
        "predicted",
        lambda x, y: statistics.fmean(abs(u - v) for u, v in zip(x, y, strict=True)),
    ),
}


def bind(parameter: str, field: str, **more: Any) -> dict[str, Any]:
    return {"parameter": parameter, "source": "s", "field": field, **more}


DROP = {"null_policy": "drop"}
ARM_A = {"filter": {"conditions": [{"column": "arm", "op": "eq", "value": "A"}]}}
ARM_B = {"filter": {"conditions": [{"column": "arm", "op": "eq", "value": "B"}]}}


def case(name: str, question: Any, want: Any, **more: Any) -> Case:
    return Case(name, "computations", always(TABLE), question, want, computes=True, **more)


def list_two() -> Iterator[Case]:
    both = (keep(A), keep(B))
    arms = (
        [row["a"] for row in TABLE if row["arm"] == "A" and row["a"] is not None],
        [row["a"] for row in TABLE if row["arm"] == "B" and row["a"] is not None],
    )
    whole = ([row["c"] for row in TABLE if row["arm"] == "A"], [row["c"] for row in TABLE if row["arm"] == "B"])
    for name, reference in TWO.items():
        yield case(
            f"{name}: nulls on both sides dropped alone",
            (name, {"bindings": [bind("first", "a", **DROP), bind("second", "b", **DROP)]}),
            reference(*both),
        )
        joint = {"parameters": ["first", "second"], "fields": ["a", "b"], "source": "s", "null_policy": "drop"}
        yield case(f"{name}: one binding of both", (name, {"bindings": [joint]}), reference(*both), refusal=True)
        rowwise = {**joint, "alignment": "rowwise"}
        yield case(f"{name}: one binding, rowwise", (name, {"bindings": [rowwise]}), reference(*both), refusal=True)
        yield case(
            f"{name}: nulls refused",
            (name, {"bindings": [bind("first", "a"), bind("second", "b")]}),
            None,
            refusal=True,
        )
        yield case(
            f"{name}: a null on one side alone",
            (name, {"bindings": [bind("first", "a", **DROP), bind("second", "c")]}),
            reference(both[0], [row["c"] for row in TABLE]),
        )
        yield case(
            f"{name}: arms",
            (name, {"bindings": [bind("first", "a", **DROP, **ARM_A), bind("second", "a", **DROP, **ARM_B)]}),
            reference(*arms),
        )
        yield case(f"{name}: arms on a line", f"{name} first=s.c[arm = 'A'] second=s.c[arm = 'B']", reference(*whole))
        yield case(
            f"{name}: arms on a line, nulls", f"{name} first=s.a[arm = 'A'] second=s.a[arm = 'B']", None, refusal=True
        )
        yield case(
            f"{name}: one where for one column", f"{name} first=s.c second=s.c where arm = 'A'", None, refusal=True
        )
        yield case(f"{name}: one column and no where", f"{name} first=s.c second=s.c", None, refusal=True)
        yield case(
            f"{name}: two columns and one where",
            f"{name} first=s.c second=s.i where arm = 'A'",
            reference(whole[0], whole[0]),
            refusal=True,
        )
        yield case(
            f"{name}: the same condition twice",
            f"{name} first=s.c[arm = 'A'] second=s.c[arm = 'A']",
            None,
            refusal=True,
        )
        yield case(
            f"{name}: where beside brackets",
            f"{name} first=s.c[arm = 'A'] second=s.c[arm = 'B'] where i < 6",
            reference([0.0, 1.0, 3.0], [2.0, 4.0, 5.0]),
        )


def list_pairs() -> Iterator[Case]:
    for name, (first, second, reference) in PAIRED.items():
        rowwise = {"parameters": [first, second], "fields": ["a", "b"], "source": "s", "alignment": "rowwise"}
        yield case(
            f"{name}: rows with a null dropped from both",
            (name, {"bindings": [{**rowwise, **DROP}]}),
            reference(LEFT, RIGHT),
        )
        yield case(f"{name}: rows with a null refused", (name, {"bindings": [rowwise]}), None, refusal=True)
        yield case(
            f"{name}: a binding for each side",
            (name, {"bindings": [bind(first, "a", **DROP), bind(second, "b", **DROP)]}),
            reference(LEFT, RIGHT),
            refusal=True,
        )
        yield case(
            f"{name}: a null on one side alone",
            (name, {"bindings": [bind(first, "a", **DROP), bind(second, "c")]}),
            reference(keep(A), [float(i) for i, a in enumerate(A) if a is not None]),
            refusal=True,
        )
        yield case(
            f"{name}: different conditions",
            f"{name} {first}=s.c[arm = 'A'] {second}=s.c[arm = 'B']",
            reference([0.0, 1.0, 3.0, 6.0], [2.0, 4.0, 5.0, 7.0]),
            refusal=True,
        )
        yield case(
            f"{name}: conditions of different lengths",
            f"{name} {first}=s.c[i < 3] {second}=s.c[i > 3]",
            None,
            refusal=True,
        )
        yield case(
            f"{name}: one where for two columns",
            f"{name} {first}=s.c {second}=s.whole where arm = 'A'",
            reference([0.0, 1.0, 3.0, 6.0], [0.0, 1.0, 2.0, 1.0]),
        )
        literal = (
            name,
            {"kwargs": {second: [1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 3.0, 6.0]}, "bindings": [bind(first, "a", **DROP)]},
        )
        yield case(
            f"{name}: a column with nulls beside a list",
            literal,
            reference(
                keep(A),
                [value for value, a in zip([1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 3.0, 6.0], A, strict=True) if a is not None],
            ),
            refusal=True,
        )
        if name.startswith("stats.") and name != "stats.linear_regression":
            yield case(
                f"{name}: a column with itself",
                f"{name} {first}=s.c {second}=s.c",
                reference([row["c"] for row in TABLE], [row["c"] for row in TABLE]),
                refusal=True,
            )
        else:
            yield case(
                f"{name}: a column with itself",
                f"{name} {first}=s.c {second}=s.c",
                None if name != "stats.linear_regression" else {"slope": 1.0, "intercept": 0.0},
                refusal=True,
            )


def list_single() -> Iterator[Case]:
    one: dict[str, Callable[[list[float]], float]] = {
        "stats.mean": statistics.fmean, "stats.median": statistics.median, "stats.std": statistics.stdev, "stats.variance": statistics.variance, "stats.sum": math.fsum,
    }  # fmt: skip
    for name, reference in one.items():
        yield case(f"{name}: nulls dropped", (name, {"bindings": [bind("values", "a", **DROP)]}), reference(keep(A)))
        yield case(f"{name}: nulls refused", f"{name} values=s.a", None, refusal=True)
        yield case(
            f"{name}: nulls of other rows", f"{name} values=s.a where arm = 'A'", reference([1.5, 2.25, 3.0, 2.0])
        )
        yield case(f"{name}: no row", f"{name} values=s.c where arm = 'C'", None, refusal=True)
        yield case(f"{name}: a text", f"{name} values=s.t", None, refusal=True)
    big = as_csv("x", "9007199254740993", "1")
    yield Case(
        "a whole number that no double holds",
        "computations",
        big,
        "stats.sum values=s.x",
        Fraction(9007199254740994),
        computes=True,
        refusal=True,
    )
    yield Case(
        "a decimal that no double holds",
        "computations",
        as_csv("x,k", "0.10,1", "0.20,1"),
        "stats.sum values=s.x",
        0.3,
        computes=True,
    )
    sentinel = as_csv("k,n", *(f"{place},{n}" for place, n in enumerate([12, 15, 11, 14, 13, 16, -999, -999])))
    yield Case(
        "mean beside -999, computed",
        "computations",
        sentinel,
        "stats.mean values=s.n",
        13.5,
        computes=True,
        refusal=True,
        note="missing|far from",
    )
    total = as_csv("region,n", "north,10", "south,20", "west,45", "Total,75")
    yield Case(
        "mean above a total, computed",
        "computations",
        total,
        "stats.mean values=s.n",
        25.0,
        computes=True,
        refusal=True,
        note="total|adds up",
    )
    rounded = as_csv("k,x", "0,9007199254740993", "1,0.5")
    yield Case(
        "sum of a rounded text, computed",
        "computations",
        rounded,
        "stats.sum values=s.x",
        Fraction(9007199254740994),
        computes=True,
        refusal=True,
        note="9007199254740993|rounded",
    )
    nan = always([{"x": 1.5}, {"x": math.nan}, {"x": 2.5}])
    yield Case("a mean of NaN", "computations", nan, "stats.mean values=s.x", None, computes=True, refusal=True)
    yield Case(
        "a mean of NaN, nulls dropped",
        "computations",
        nan,
        ("stats.mean", {"bindings": [bind("values", "x", **DROP)]}),
        None,
        computes=True,
        refusal=True,
    )
    yield Case(
        "a mean of texts of numbers",
        "computations",
        as_csv("k;x", "0;9,5", "1;10,5"),
        "stats.mean values=s.x",
        10.0,
        {"delimiter": ";"},
        computes=True,
        refusal=True,
    )
    yield Case(
        "a value out of several rows",
        "computations",
        always(TABLE),
        "stats.quantile values=s.c probability=s.c",
        None,
        computes=True,
        refusal=True,
    )


COMPUTATIONS = [*list_two(), *list_pairs(), *list_single()]
