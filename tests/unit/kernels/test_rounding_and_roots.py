"""Ties, zeros, overflow, what cannot be decided; roots and first integers, found and proven."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from service_nb_kernels.bibliography import Publication
from service_nb_kernels.certified.rounding import Proven, set_deadline, settle
from service_nb_kernels.certified.solve import root, smallest
from service_nb_kernels.errors import DomainError, Inexact, LimitError, Undecided
from service_nb_kernels.execute import Executor
from service_nb_kernels.reader import declared

FINITE = st.floats(allow_nan=False, allow_infinity=False)


BOOK = Publication(key="s", author="A. Author", title="A Book", year=2000, publisher="Press")


def value(formula: str, types: dict[str, str] | None = None, timeout_s: float = 60.0, **arguments: Any) -> Any:
    kinds = types or {}
    params = {name: {"about": "argument", "type": kinds.get(name, "float64")} for name in arguments}
    table = {"summary": "", "source": "s", "formula": formula, "params": params, "result": {}, "cases": []}
    made = declared("test.f", table, {"s": BOOK}, {}, "test")
    return Executor({made.id: made}).execute(made.id, list(arguments.values()), timeout_s=timeout_s)


@given(FINITE, FINITE)
def test_sums_and_products_are_those_of_the_processor(x: float, y: float) -> None:
    """IEEE 754 rounds one operation correctly, so for single ones the processor is a judge."""
    for formula, expected in (("x + y", x + y), ("x * y", x * y), ("x - y", x - y)):
        if math.isinf(expected):
            with pytest.raises(DomainError):
                value(formula, x=x, y=y)
        else:
            assert value(formula, x=x, y=y) == expected


@given(FINITE.filter(bool), FINITE)
def test_zero_is_zero_without_a_sign(x: float, y: float) -> None:
    for formula in ("x - x", "x * y - y * x", "(x + y) - (y + x)", "0 * x", "x / x - 1"):
        assert math.copysign(1, value(formula, x=x, y=y)) == 1
        assert value(formula, x=x, y=y) == 0


@given(st.integers(2**53, 2**60))
def test_ties_go_to_even(n: int) -> None:
    # n + 1/2 behind the binary point of an even and an odd mantissa, reached by a division that no ball shows exactly.
    half = Fraction(2 * n + 1, 2)
    exact = value("(2 * n + 1) * 3 / 2 / 3", types={"n": "int"}, n=n)
    assert exact == half.numerator / half.denominator


def test_a_tie_is_settled_in_fractions_and_refused_where_they_end() -> None:
    tie = fmpq(2**53 + 1, 2**53)  # between 1 and the double above it
    assert settle(lambda _: arb(tie) / 3 * 3, None, lambda: tie) == 1.0
    with pytest.raises(Undecided):
        settle(lambda _: arb(tie) + arb(0, arb((1, -5000))), None, _irrational)


def _irrational() -> Any:
    raise Inexact


def test_zero_that_does_not_show_itself_is_proven_to_round_to_zero() -> None:
    assert value("sin(x)**2 + cos(x)**2 - 1", x=0.5) == 0.0


def test_comparison_with_a_hidden_zero_is_undecided() -> None:
    with pytest.raises(Undecided):
        value("1 if sin(x)**2 + cos(x)**2 > 1 else 0", x=0.5)


def test_beyond_the_doubles_is_refused_and_below_them_is_zero_or_subnormal() -> None:
    for formula in ("exp(x)", "x**x", "exp(exp(x))", "cosh(x)", "x * 1e308"):
        with pytest.raises(DomainError):
            value(formula, x=1000.0)
    assert value("exp(x)", x=-1e300) == 0.0
    assert value("exp(x)", x=-745.0) == 5e-324
    assert value("x * 1e-300", x=1e-300) == 0.0
    assert value("1e-324 * x", x=6.0) == 5e-324


def test_records_vectors_and_whole_numbers_are_rounded_in_every_part() -> None:
    assert settle(
        lambda _: {"a": [arb(1) / 3, fmpq(1, 3)], "b": 2**70, "c": Proven(0.1), "d": Fraction(1, 3)}, None
    ) == {
        "a": [1 / 3, 1 / 3],
        "b": 2**70,
        "c": 0.1,
        "d": 1 / 3,
    }


def test_the_callers_precision_is_left_as_it_was() -> None:
    before, ctx.prec = ctx.prec, 71
    try:
        value("exp(x)", x=1.0)
        assert ctx.prec == 71
    finally:
        ctx.prec = before


def test_loops_end_at_the_deadline() -> None:
    with pytest.raises(LimitError):
        value("sum(sin(i) for i in range(n))", types={"n": "int"}, timeout_s=0.3, n=10**12)  # it would take months


ROOTS = [
    ("x**2 - a", "0", "inf", lambda x, a: x * x - a, [2.0, 1e-300, 1e300, 4.0, 0.3]),
    ("exp(x) - a", "-inf", "inf", lambda x, a: mpmath.exp(x) - a, [1e-300, 1.0, 1e300, 2.0, 1.0000000000000002]),
    ("x**3 + x - a", "-inf", "inf", lambda x, a: x**3 + x - a, [0.0, 5.0, -1e-200, 1e100, -3.5]),
    ("cos(x) - a * x", "0", "2", lambda x, a: mpmath.cos(x) - a * x, [1.0, 0.1, 50.0, 1e10, 1e-10]),
    ("log(x) + a", "0", "inf", lambda x, a: mpmath.log(x) + a, [0.0, 700.0, -700.0, 1e-15, 1.0]),
    ("1 / (1 + x) - a", "-1", "inf", lambda x, a: 1 / (1 + x) - a, [1e-9, 0.5, 1.0, 2.0, 1e9]),
    ("exp(x) - 1 - a", "-3", "2", lambda x, a: mpmath.expm1(x) - a, [0.0, 1e-300, -0.5]),
    ("sin(x + pi) + a", "-3/2", "1", lambda x, a: -mpmath.sin(x) + a, [0.0, 1e-300, -0.5]),
    ("x - a", "-1", "1", lambda x, a: x - a, [0.25, -0.999999, 1e-310, 0.0, -0.1]),
]


@pytest.mark.parametrize(("formula", "low", "high", "function", "many"), ROOTS, ids=[case[0] for case in ROOTS])
def test_root_is_the_double_nearest_to_it(formula: str, low: str, high: str, function: Any, many: list[float]) -> None:
    """Between the midpoints to its neighbours the function changes its sign, in mpmath's own arithmetic."""
    for a in many:
        found = value(f"root(lambda x: {formula}, {low}, {high})", a=a)
        with mp.workdps(700):
            below = (mpf(math.nextafter(found, -math.inf)) + mpf(found)) / 2
            above = (mpf(math.nextafter(found, math.inf)) + mpf(found)) / 2
            at_low, at_high = (function(point, mpf(a)) for point in (below, above))
            assert at_low * at_high <= 0 or function(mpf(found), mpf(a)) == 0, (a, found)


def test_equation_without_solution_is_outside_of_the_domain() -> None:
    with pytest.raises(DomainError):
        value("root(lambda x: exp(x) + a, -inf, inf)", a=1.0)
    with pytest.raises(DomainError):
        value("root(lambda x: x - a, 0, 1)", a=3.0)


def test_root_of_a_ball_encloses_and_never_guesses() -> None:
    ctx.prec, before = 96, ctx.prec
    try:
        blurred = arb(2, arb((1, -20)))  # a coefficient known to a millionth
        found = root(lambda x: x * x - blurred, arb(0), arb.pos_inf())
        assert found.contains(arb(2).sqrt())
        assert found.contains((arb(2) + arb((1, -21))).sqrt().mid())
        assert float(found.rad()) < 1e-4
    finally:
        ctx.prec = before


@given(st.integers(-(10**30), 10**30))
def test_smallest_integer_is_the_first(n: int) -> None:
    start = min(n, 0) - 5
    assert smallest(lambda k: k >= n, start) == n


def test_condition_that_never_holds_ends() -> None:
    set_deadline(None)
    with pytest.raises(LimitError):
        smallest(lambda _: False, 0)
