"""Tail probabilities of test statistics: one or two sides of a symmetric distribution, quantiles, exact counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified import incomplete, special
from service_nb_kernels.certified.solve import root

ALTERNATIVES = ["two-sided", "less", "greater"]
Sf = Callable[[Any], Any]


def symmetric(statistic: Any, alternative: str, sf: Sf) -> Any:
    """Return the p-value of a statistic whose distribution is symmetric about 0, from its upper tail."""
    if statistic == 0:
        return fmpq(1) if alternative == "two-sided" else fmpq(1, 2)
    if alternative == "two-sided":
        return 2 * sf(abs(arb(statistic)))
    return sf(arb(statistic) if alternative == "greater" else -arb(statistic))


def student(statistic: Any, df: Any, alternative: str = "two-sided") -> Any:
    """Return the p-value of a Student t statistic."""
    return symmetric(statistic, alternative, lambda t: incomplete.student_t_sf(t, df))


def normal(statistic: Any, alternative: str = "two-sided") -> Any:
    """Return the p-value of a standard normal statistic."""
    return symmetric(statistic, alternative, special.normal_sf)


def chi2(statistic: Any, df: Any) -> Any:
    """Return the upper tail of chi-square at a statistic."""
    return fmpq(1) if statistic == 0 else incomplete.chi2_sf(arb(statistic), df)


def f(statistic: Any, first: Any, second: Any) -> Any:
    """Return the upper tail of F at a statistic."""
    return fmpq(1) if statistic == 0 else incomplete.f_sf(arb(statistic), first, second)


def student_quantile(upper: Any, df: Any) -> Any:
    """Return the point above the middle that a Student t variable exceeds with this probability, below a half."""
    return root(lambda t: incomplete.student_t_sf(t, df) - upper, fmpq(0), float("inf"))


def of_counts(counts: Mapping[int, int], met: int, alternative: str, *, doubled: bool = True) -> fmpq:
    """Return the exact p-value of a statistic, from how many of the equally likely outcomes have each value.

    Two-sided: twice the smaller tail, at most 1; or else (`doubled=False`) all outcomes no likelier than the one met.
    """
    whole = sum(counts.values())
    if alternative == "two-sided" and not doubled:
        return fmpq(sum(n for n in counts.values() if n <= counts[met]), whole)
    low = fmpq(sum(n for value, n in counts.items() if value <= met), whole)
    high = fmpq(sum(n for value, n in counts.items() if value >= met), whole)
    return {"less": low, "greater": high}.get(alternative, min(2 * min(low, high), fmpq(1)))


def convolved(counts: Mapping[int, int], steps: Mapping[int, int]) -> dict[int, int]:
    """Return the counts of a sum of two independent outcomes."""
    found: dict[int, int] = {}
    for value, n in counts.items():
        for step, m in steps.items():
            found[value + step] = found.get(value + step, 0) + n * m
    return found


def chi2_lower(statistic: Any, df: Any) -> Any:
    """Return the distribution function of chi-square at a statistic."""
    return fmpq(0) if statistic == 0 else incomplete.chi2_cdf(arb(statistic), df)
