"""Overlap of two orders of items, of any length."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def check_once(name: str, items: list[int]) -> None:
    """Refuse an order in which an item stands twice."""
    if len(set(items)) < len(items):
        raise DomainError(name, None, "each item once")


@capability(
    "metrics.rank_biased_overlap",
    tier="certified",
    version=3,
    source="webber2010, eq. 4",
    compares=["first", "second"],
    params={
        "first": P("int[n]", about="items of one order, each once, best first", min_size=1),
        "second": P("int[n]", about="items of the other order, each once, best first"),
        "persistence": P(domain="[0, 1)", about="chance to look at the next rank", symbol="p"),
    },
    result=R("float64", unit="1", about="lower bound of rank-biased overlap", range="[0, 1]"),
    limit={"n": 10000},
    keywords=["RBO"],
    latex=r"(1 - p) \sum_d p^{d-1} \frac{|A_{1:d} \cap B_{1:d}|}{d}",
    cases=[
        case(
            first=[1, 2, 3, 4],
            second=[2, 1, 5, 4],
            persistence=0.0,
            result=0.0,
            origin="by hand: only the first rank is looked at, 2 against 1",
        ),
        case(
            first=[1, 2, 3, 4],
            second=[2, 1, 5, 4],
            persistence=0.9,
            result=0.19867499999999996,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(first=[7, 8], second=[7, 9], persistence=0.5, result=0.625, origin="mpmath 1.4.1, 50 digits"),
        case(first=[7, 7], second=[7, 9], persistence=0.5, error="domain_error", origin="by hand: 7 stands twice"),
    ],
)
def rank_biased_overlap(first: list[int], second: list[int], persistence: float) -> Any:
    """Rank-biased overlap of two orders of items, from their prefixes, without extrapolation."""
    check_once("first", first)
    check_once("second", second)
    base = arb(persistence)
    weight, total, common = 1 - base, arb(0), 0
    ours: set[int] = set()
    theirs: set[int] = set()
    for depth, (a, b) in enumerate(zip(first, second, strict=True), 1):
        check_deadline()
        common += (a == b) + (a in theirs) + (b in ours)
        ours.add(a)
        theirs.add(b)
        total += weight * fmpq(common, depth)
        weight *= base
    return total
