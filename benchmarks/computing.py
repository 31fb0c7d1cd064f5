"""Computations: a whole call with its hashes, what a certified value costs outside of FLINT, search and loading."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx, fmpq
from service_nb_kernels import execute
from service_nb_kernels.certified import incomplete
from service_nb_kernels.certified.rounding import settle

import service_nb
from benchmarks.measure import Row, against, best_beside, duration, within
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.interface import Invocation
from tests.tools.searches import list_searches, measure_searches

Ball = Any  # flint publishes no types
Work = Callable[[], Any]
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}
OPTION = [42.0, 40.0, 0.5, 0.1, 0.2]
LONG, MANY = 10_000_000, 1_000
MOST_OUTSIDE = 0.5
WORDS = ("net present value", "student quantile", "implied volatilty", "reyn", "half life")  # one misspelt on purpose
LOADING = """
import time
import service_nb_kernels
from service_nb.compute.contract import Contract
started = time.perf_counter()
Contract(service_nb_kernels.map_contract())
print(time.perf_counter() - started)
"""


def main() -> list[Row]:
    service = service_nb.create_service(runtime="in_process")  # a call to the runtime's process is in `runtime`
    (npv,) = typical(lambda: service.compute(NPV), repeats=3_000)
    return [
        within("compute finance.npv in process, all hashes included", npv, 60e-6),
        *map(outside_flint, flint_cases()),
        many_at_once(),
        mean_of_ten_million(),
        *finding(service),
    ]


def typical(*works: Work, repeats: int) -> list[float]:
    """Return the median of many short runs of each, taken in turns, after a few that compile."""
    times: list[list[float]] = [[] for _ in works]
    for run in range(repeats + 5):
        for work, kept in zip(works, times, strict=True):
            started = time.perf_counter()
            work()
            if run >= 5:
                kept.append(time.perf_counter() - started)
    return [statistics.median(kept) for kept in times]


class Case(NamedTuple):
    """A certified capability, and what FLINT alone needs for it."""

    name: str
    capability: str
    arguments: Sequence[Any]
    by_hand: Work
    repeats: int


def outside_flint(case: Case) -> Row:
    """Compare a capability, from arguments to double, with the same calls of FLINT written by hand."""
    run = execute.Executor()
    ours, bare = typical(lambda: run.execute(case.capability, case.arguments), case.by_hand, repeats=case.repeats)
    share = 1 - bare / ours
    said = f"{duration(ours)}, {share:.0%} outside FLINT"
    bar = f"<= {MOST_OUTSIDE:.0%} outside"
    return Row(f"certified {case.name}", said, f"FLINT {duration(bare)}", ours / bare, bar, share <= MOST_OUTSIDE)


def many_at_once() -> Row:
    """Compare calls that a runtime runs together with as many of FLINT."""
    runtime, values = InProcess(), [number / MANY for number in range(1, MANY + 1)]
    calls = [Invocation("elementary.exp", (value,), None) for value in values]
    (bits,) = precisions("elementary.exp", [values[0]])

    def by_hand() -> None:
        ctx.prec = bits
        for value in values:
            ends(arb(value).exp())

    ours, bare = typical(lambda: runtime.run(calls), by_hand, repeats=30)
    return against(f"certified exp, {MANY:,} calls together", ours, ("FLINT", bare), most=1.2)


def flint_cases() -> Iterator[Case]:
    """Return each case with its FLINT calls: the same functions, as often, at the precisions that were really used."""
    exp, call, quantile = "elementary.exp", "option_pricing.black_scholes_call", "distributions.student_t_quantile"
    yield Case("exp", exp, [0.3], at_each(precisions(exp, [0.3]), lambda: arb(0.3).exp()), 3_000)
    by_hand = at_each(precisions(call, OPTION), lambda: call_price(*OPTION))
    yield Case("Black-Scholes call", call, OPTION, by_hand, 3_000)
    tails = partial(evaluate_tails, tails_of(quantile, [0.975, 10.0]))
    yield Case("Student t quantile", quantile, [0.975, 10.0], tails, 300)
    matrix = np.random.default_rng(1).normal(size=(50, 50))
    used, entries = precisions("linalg.inverse", [matrix]), matrix.tolist()
    yield Case("50 x 50 inverse", "linalg.inverse", [matrix], partial(invert, used, entries), 7)


@contextmanager
def replaced(module: ModuleType, name: str, other: Callable[..., Any]) -> Iterator[None]:
    """Let a module's function be another one for a while."""
    before = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, before)


def precisions(capability: str, arguments: Sequence[Any]) -> list[int]:
    """Return the bits of each attempt that a capability makes."""
    used: list[int] = []

    def watched(enclose: Callable[[Any], Any], *given: Any) -> Any:
        def attempt(arguments: Any) -> Any:
            used.append(ctx.prec)
            return enclose(arguments)

        return settle(attempt, *given)

    with replaced(execute, "settle", watched):
        execute.Executor().execute(capability, arguments)
    return used


def tails_of(capability: str, arguments: Sequence[Any]) -> list[tuple[Ball, Ball, int]]:
    """Return where a capability evaluates the tail of Student's t, and with how many bits."""
    met: list[tuple[Ball, Ball, int]] = []
    tail = incomplete.student_t_sf

    def watched(t: Ball, df: Ball) -> Ball:
        if t > 0:  # a negative one is turned around, and comes again
            met.append((t, df, ctx.prec))
        return tail(t, df)

    with replaced(incomplete, "student_t_sf", watched):
        execute.Executor().execute(capability, arguments)
    return met


def at_each(bits: Sequence[int], value: Callable[[], Ball]) -> Work:
    """Return a ball's computation at one precision after the other, with both of its ends as doubles."""

    def run() -> None:
        for ctx.prec in bits:
            ends(value())

    return run


def ends(ball: Ball) -> tuple[float, float]:
    """Return both ends of a ball as doubles: the rounding of a certified value."""
    return float(ball.lower()), float(ball.upper())


def call_price(spot: float, strike: float, years: float, rate: float, volatility: float) -> Ball:
    """Return the price in balls: the operations of the formula and no others."""
    s, k, t, r, v = map(arb, (spot, strike, years, rate, volatility))
    d1 = ((s / k).log() + (r + v**2 / 2) * t) / (v * t.sqrt())
    d2 = d1 - v * t.sqrt()
    return s * ((d1 / -arb(2).sqrt()).erfc() / 2) - k * (-r * t).exp() * ((d2 / -arb(2).sqrt()).erfc() / 2)


def evaluate_tails(met: Sequence[tuple[Ball, Ball, int]]) -> None:
    """Evaluate the tail of Student's t where a capability did."""
    for t, df, ctx.prec in met:
        square = t * t
        if square < df:
            (1 - beta(square / (df + square), arb(fmpq(1, 2)), df / 2)) / 2
        else:
            beta(df / (df + square), df / 2, arb(fmpq(1, 2))) / 2


def beta(x: Ball, a: Ball, b: Ball) -> Ball:
    """Return the regularised incomplete beta function, from the end where it converges fast."""
    if x > fmpq(3, 4):
        return 1 - (1 - x).beta_lower(b, a, regularized=1)
    return x.beta_lower(a, b, regularized=1)


def invert(bits: Sequence[int], rows: list[list[float]]) -> None:
    """Invert a matrix at each precision; the last one is enough to round every entry."""
    for ctx.prec in bits:
        entries = arb_mat(rows).inv().entries()
    for entry in entries:
        ends(entry)


def mean_of_ten_million() -> Row:
    """Return the certified mean of a long vector beside NumPy's plain one."""
    values = np.random.default_rng(5).normal(size=LONG)
    run = execute.Executor()
    ours, plain = best_beside(lambda: run.execute("stats.mean", [values]), lambda: np.mean(values), repeats=21)
    return against("stats.mean of 10 M values, certified", ours, ("numpy.mean", plain), most=3)


def finding(service: Any) -> list[Row]:
    """Return how long searching takes and how well it finds, and loading the contract in a process of its own."""
    texts = [*WORDS, *(query for query, _ in list_searches())]
    searching = max(typical(*(partial(service.search_capabilities, text) for text in texts), repeats=5))
    command = [sys.executable, "-c", LOADING]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    return [
        within(f"search_capabilities, the slowest of {len(texts)}", searching, 2e-3),
        judge_searches(service, 1, "on which the ranking was improved"),
        judge_searches(service, 2, "which it had never seen"),
        within("loading the contract, from its file", min(float(run.stdout) for run in runs), 15e-3),
    ]


def judge_searches(service: Any, part: int, what: str) -> Row:
    """Return how many searches in everyday words have their answer first, and among ten."""
    first, ten = measure_searches(lambda text: [hit["name"] for hit in service.search_capabilities(text, 10)], part)
    met = first >= 0.80 and ten >= 0.97
    return Row(f"searches {what}: answer first; among ten", f"{first:.0%}; {ten:.0%}", bar=">= 80%; >= 97%", met=met)
