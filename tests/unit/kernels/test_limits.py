"""What exact arithmetic would not end with is refused before it begins; what looked so and is not, ends."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import betainc, log1p, mp, mpf
from service_nb_kernels.certified import incomplete
from service_nb_kernels.certified.rounding import set_deadline
from service_nb_kernels.errors import LimitError
from service_nb_kernels.execute import Executor


def test_matrices_of_magnitudes_far_apart_are_refused_when_they_are_large() -> None:
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(60, 60)) * 10.0 ** rng.uniform(-150, 150, (60, 60))
    with pytest.raises(LimitError):
        Executor().execute("linalg.lu", [wide], timeout_s=120)
    assert Executor().execute("linalg.trace", [wide[:3, :3]]) == float(sum(map(Fraction, wide.diagonal()[:3].tolist())))


@pytest.mark.parametrize(
    ("x", "a", "b"), [(0.27, 1e6, 3.0), (0.9, 3.0, 1e5), (0.5, 1e9, 1e9), (0.999999, 1e6, 2.0), (1e-7, 2.0, 1e6)]
)
def test_beta_tails_of_large_shapes_end_and_are_right(x: float, a: float, b: float) -> None:
    found = Executor().execute("distributions.beta_cdf", [x, a, b], timeout_s=120)
    with mp.workdps(60):
        # By the other end: mpmath's own series there is short.
        exact = 1 - betainc(mpf(b), mpf(a), 0, 1 - mpf(x), regularized=True) if x * (a + b) > a else None
        if exact is not None:
            assert found == float(exact)
    assert 0.0 <= found <= 1.0


@pytest.mark.parametrize(
    ("x", "a", "b"),
    [
        (0.75, 1e6, 1e6),
        (0.3, 2e5, 4e5),
        (1e-3, 51.0, 1e4),
        (1 - 1e-6, 1e7, 0.5),
        (1 - 2e-6, 1e6, 1e-3),
        (8.9e-9, 6.5, 1e10),
        (0.2, 0.4, 60.0),
        (0.5, 300.0, 301.5),
    ],
)
@pytest.mark.parametrize("bits", [96, 300, 480])
def test_our_series_of_the_incomplete_beta_function_agrees_with_arb(x: float, a: float, b: float, bits: int) -> None:
    before = ctx.prec
    try:
        ctx.prec = 224
        known = arb(x).beta_lower(a, b, regularized=1)
        if not known.is_finite() or known.rel_accuracy_bits() < 100:
            known = 1 - (1 - arb(x)).beta_lower(b, a, regularized=1)
        ctx.prec = bits
        found = incomplete.beta_regularized(arb(x), arb(a), arb(b))
        assert found.rel_accuracy_bits() > bits - 32
        assert found.overlaps(known)
    finally:
        ctx.prec = before


@pytest.mark.parametrize("bits", [96, 300, 1500])
@pytest.mark.parametrize(("a", "x"), [(1e9, 0.9988e9), (1e5, 0.9e5), (60.0, 3.0), (2e6, 1.99e6), (1e4, 1.2e4)])
def test_both_incomplete_gamma_functions_agree_with_arb(a: float, x: float, bits: int) -> None:
    before = ctx.prec
    try:
        ctx.prec = 3000
        upper = arb(x).gamma_upper(a, regularized=1)
        ctx.prec = bits
        lower = incomplete.gamma_p(arb(a), arb(x))
        assert lower.rel_accuracy_bits() > bits - 32
        assert lower.overlaps(1 - upper)
        assert incomplete.gamma_q(arb(a), arb(x)).overlaps(upper)
    finally:
        ctx.prec = before


@pytest.mark.parametrize(("x", "a", "b"), [(0.23, 2.5, 404.0), (1.2, 900.0, 1100.0), (2.0, 300.0, 200.0)])
def test_logarithms_of_what_is_nearly_one_are_right(x: float, a: float, b: float) -> None:
    found = Executor().execute("distributions.beta_prime_log_cdf", [x, a, b])
    with mp.workdps(80):
        rest = 1 / (1 + mpf(x))
        assert found == float(log1p(-betainc(mpf(b), mpf(a), 0, rest, regularized=True)))


def test_a_series_hears_the_deadline() -> None:
    before = ctx.prec
    try:
        ctx.prec = 4096
        set_deadline(0.0)
        with pytest.raises(LimitError):
            incomplete.beta_regularized(arb(0.5), arb(1e10), arb(1e10))
        set_deadline(None)
        with pytest.raises(LimitError, match="terms"):
            incomplete.beta_regularized(arb(1 - 1e-6), arb(1e10), arb(0.5))
    finally:
        ctx.prec = before
        set_deadline(None)


def spread(count: int, rows: int = 0) -> list[Any]:
    """Numbers of many digits, ascending, or so many rows of them."""
    line = [k + 1 / (k + 3) for k in range(count)]
    return [[x * (1 + r % 7) + r for x in line] for r in range(rows)] if rows else line


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("interpolation.divided_differences", [spread(100), spread(100)[::-1]]),
        ("interpolation.polynomial_value", [spread(100), spread(100)[::-1], 2.5]),
        ("decision.value_of_perfect_information", [spread(1000, 1000), [0.001] * 1000]),
        ("survival.hazard_ratio_log_rank", [spread(20_000), [1] * 20_000, [k % 2 for k in range(20_000)]]),
    ],
)
def test_the_largest_arguments_hear_a_deadline(name: str, arguments: list[Any]) -> None:
    given = [np.array(each) if isinstance(each, list) and name.startswith("decision") else each for each in arguments]
    started = time.process_time()
    with contextlib.suppress(LimitError):
        Executor().execute(name, given, timeout_s=0.5)
    assert time.process_time() - started < 3
