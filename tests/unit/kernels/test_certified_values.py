"""Every value is the nearest double: against mpmath at 200 digits, whose value is rounded here by integer division."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath
import pytest
from mpmath import mp, mpf
from service_nb_kernels.bibliography import Publication
from service_nb_kernels.errors import DomainError
from service_nb_kernels.execute import Executor
from service_nb_kernels.reader import declared

DIGITS = 200
FEW, MANY = 120, 2_100  # calls of each function: in `make test`, and 100,000 over all of them in `make test-all`
HALF = mpf(1) / 2


BOOK = Publication(key="mpmath", author="A. Author", title="A Book", year=2000, publisher="Press")


def nearest(value: mpf) -> float:
    """The double nearest to an mpf, halves to even: Python divides integers so, subnormal results included."""
    sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return (-1) ** sign * (exact.numerator / exact.denominator) + 0.0


def anything(rng: random.Random) -> float:
    """Any finite double, each exponent as likely as the others, subnormal ones included."""
    while True:
        value = random_bits(rng)
        if math.isfinite(value):
            return value


def random_bits(rng: random.Random) -> float:
    return float(struct.unpack("<d", rng.randbytes(8))[0])


def spread(low: float, high: float) -> Callable[[random.Random], float]:
    """Positive doubles between powers of ten, each decade as likely as the others."""
    return lambda rng: 10 ** rng.uniform(low, high)


def signed(low: float, high: float) -> Callable[[random.Random], float]:
    return lambda rng: rng.choice((-1, 1)) * 10 ** rng.uniform(low, high)


def between(low: float, high: float) -> Callable[[random.Random], float]:
    return lambda rng: rng.uniform(low, high)


def probability(rng: random.Random) -> float:
    """A probability: in the middle, or far out in either tail."""
    return rng.choice((rng.uniform(0, 1), 10 ** rng.uniform(-300, -1), 1 - 10 ** rng.uniform(-15, -1)))


def counts(low: int, high: int) -> Callable[[random.Random], float]:
    return lambda rng: float(rng.randint(low, high))


def vector(size: int) -> Callable[[random.Random], list[float]]:
    return lambda rng: [rng.choice((-1, 1)) * 10 ** rng.uniform(-8, 8) for _ in range(rng.randint(2, size))]


def t_sf(t: mpf, df: mpf) -> mpf:
    tail = mpmath.betainc(df / 2, HALF, 0, df / (df + t * t), regularized=True) / 2
    return tail if t >= 0 else 1 - tail


def normal_quantile(p: mpf) -> mpf:
    """By Newton steps on erfc from a double, not by an inverse error function."""
    x = mpf(NormalDist().inv_cdf(float(p))) if 1e-300 < p < 1 - mpf(2) ** -52 else mpf(-37 if p < HALF else 8.2)
    for _ in range(14):
        x -= (mpmath.erfc(-x / mpmath.sqrt(2)) / 2 - p) * mpmath.sqrt(2 * mp.pi) * mpmath.exp(x * x / 2)
    return x


def npv(rate: mpf, flows: list[mpf]) -> mpf:
    return mpmath.fsum(flow * (1 + rate) ** -place for place, flow in enumerate(flows))


def call_price(s: mpf, k: mpf, t: mpf, r: mpf, v: mpf) -> mpf:
    up = (mpmath.log(s) - mpmath.log(k) + (r + v * v / 2) * t) / (v * mpmath.sqrt(t))
    return s * mpmath.ncdf(up) - k * mpmath.exp(-r * t) * mpmath.ncdf(up - v * mpmath.sqrt(t))


def variance(values: list[mpf]) -> mpf:
    mean = mpmath.fsum(values) / len(values)
    return mpmath.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


# formula over x, y, … : where its arguments are drawn from, and the same in mpmath.
FUNCTIONS: dict[str, tuple[tuple[Any, ...], Callable[..., Any]]] = {
    "x + y": ((anything, anything), lambda x, y: x + y),
    "x * y": ((anything, anything), lambda x, y: x * y),
    "x / y": ((anything, anything), lambda x, y: x / y),
    "x - y": ((spread(-300, 300), spread(-300, 300)), lambda x, y: x - y),
    "x**2 - y**2": ((spread(-150, 150), spread(-150, 150)), lambda x, y: x * x - y * y),
    "sqrt(x)": ((spread(-320, 308),), mpmath.sqrt),
    "cbrt(x)": ((spread(-320, 308),), mpmath.cbrt),
    "hypot(x, y)": ((signed(-300, 300), signed(-300, 300)), mpmath.hypot),
    "exp(x)": ((between(-745.2, 709.7),), mpmath.exp),
    "expm1(x)": ((signed(-300, 2.8),), mpmath.expm1),
    "log(x)": ((spread(-323, 308),), mpmath.log),
    "log1p(x)": ((spread(-300, 300),), mpmath.log1p),
    "log2(x)": ((spread(-323, 308),), lambda x: mpmath.log(x) / mpmath.log(2)),
    "log10(x)": ((spread(-323, 308),), lambda x: mpmath.log(x) / mpmath.log(10)),
    "sin(x)": ((signed(-300, 100),), mpmath.sin),
    "cos(x)": ((signed(-300, 100),), mpmath.cos),
    "tan(x)": ((signed(-300, 100),), mpmath.tan),
    "asin(x)": ((between(-1, 1),), mpmath.asin),
    "acos(x)": ((between(-1, 1),), mpmath.acos),
    "atan(x)": ((signed(-300, 300),), mpmath.atan),
    "atan2(x, y)": ((signed(-300, 300), signed(-300, 300)), mpmath.atan2),
    "sinh(x)": ((signed(-300, 2.8),), mpmath.sinh),
    "cosh(x)": ((signed(-300, 2.8),), mpmath.cosh),
    "tanh(x)": ((signed(-300, 3),), mpmath.tanh),
    "asinh(x)": ((signed(-300, 300),), mpmath.asinh),
    "atanh(x)": ((between(-1, 1),), mpmath.atanh),
    "x**y": ((spread(-30, 30), between(-10, 10)), mpmath.power),
    "gamma(x)": ((between(0.01, 171),), mpmath.gamma),
    "log_gamma(x)": ((spread(-20, 20),), mpmath.loggamma),
    "digamma(x)": ((spread(-10, 10),), mpmath.digamma),
    "harmonic(x)": ((spread(-10, 10),), mpmath.harmonic),
    "beta(x, y)": ((spread(-3, 2), spread(-3, 2)), mpmath.beta),
    "erf(x)": ((signed(-300, 1.2),), mpmath.erf),
    "erfc(x)": ((between(-6, 27.2),), mpmath.erfc),
    "normal_cdf(x)": ((between(-38.5, 9),), mpmath.ncdf),
    "normal_quantile(x)": ((probability,), normal_quantile),
    "gamma_p(x, y)": ((spread(-1, 1.5), spread(-2, 1.5)), lambda a, x: mpmath.gammainc(a, 0, x, regularized=True)),
    "beta_regularized(x, y, z)": (
        (between(0.01, 0.99), spread(-1, 1.3), spread(-1, 1.3)),
        lambda x, a, b: mpmath.betainc(a, b, 0, x, regularized=True),
    ),
    "student_t_sf(x, y)": ((signed(-3, 3), spread(-0.3, 1.7)), t_sf),
    "bessel_j(x, y)": ((counts(0, 8), spread(-3, 1.5)), mpmath.besselj),
    "bessel_k(x, y)": ((between(0.1, 5), spread(-2, 1.5)), mpmath.besselk),
    "zeta(x)": ((between(1.001, 40),), mpmath.zeta),
    "lambert_w(x)": ((spread(-20, 30),), lambda x: mpmath.lambertw(x).real),
    "elliptic_k(x)": ((between(-5, 0.999),), mpmath.ellipk),
    "expint(x, y)": ((counts(1, 6), spread(-3, 1.3)), mpmath.expint),
    "sum(value / (1 + x)**place for place, value in enumerate(v))": ((between(-0.5, 2), vector(12)), npv),
    "mean = sum(v) / len(v)\nsum((value - mean)**2 for value in v) / (len(v) - 1)": ((vector(20),), variance),
    "d = (log(x / y) + (w + u**2 / 2) * z) / (u * sqrt(z))\n"
    "x * normal_cdf(d) - y * exp(-w * z) * normal_cdf(d - u * sqrt(z))": (
        (spread(-1, 3), spread(-1, 3), spread(-2, 1), between(-0.1, 0.3), spread(-2, 0.3)),
        call_price,
    ),
}
NAMES = ("x", "y", "z", "w", "u")


def compiled(formula: str, draws: tuple[Any, ...]) -> Executor:
    is_vector = [isinstance(draw(random.Random(0)), list) for draw in draws]
    names = ["v" if vector_like else NAMES[place] for place, vector_like in enumerate(is_vector)]
    params = {
        name: {"about": "argument", "type": "float64[n]" if vector_like else "float64"}
        for name, vector_like in zip(names, is_vector, strict=True)
    }
    table = {"summary": "", "source": "mpmath", "formula": formula, "params": params, "result": {}, "cases": []}
    made = declared("test.function", table, {"mpmath": BOOK}, {}, "test")
    return Executor({made.id: made})


def agreement(formula: str, calls: int, seed: int) -> list[str]:
    """The calls whose value is not the nearest double; a value beyond all doubles has to be refused."""
    draws, reference = FUNCTIONS[formula]
    executor, rng, wrong = compiled(formula, draws), random.Random(f"{formula} {seed}"), []
    with mp.workdps(DIGITS):
        for _ in range(calls):
            arguments = [draw(rng) for draw in draws]
            exact = [[mpf(item) for item in a] if isinstance(a, list) else mpf(a) for a in arguments]
            try:
                expected: float | None = nearest(reference(*exact))
            except (OverflowError, ZeroDivisionError):
                expected = None
            try:
                found: float | None = executor.execute("test.function", arguments)
            except DomainError:
                found = None
            if found != expected:
                wrong.append(f"{arguments}: {found!r}, not {expected!r}")
    return wrong


@pytest.mark.parametrize("formula", FUNCTIONS)
def test_value_is_the_nearest_double(formula: str) -> None:
    assert agreement(formula, FEW, seed=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("formula", FUNCTIONS)
def test_value_is_the_nearest_double_many_times(formula: str) -> None:
    assert agreement(formula, MANY, seed=2) == []


def test_the_long_run_makes_a_hundred_thousand_calls() -> None:
    assert MANY * len(FUNCTIONS) + FEW * len(FUNCTIONS) >= 100_000


@pytest.mark.parametrize("weights", [[0.2, 0.3, 0.5], [3.0, 1.0, 4.0, 1.5], [1.0, 1.0, 1.0], [0.07, 0.11, 0.82]])
def test_the_double_nearest_to_e_means_nats(weights: list[float]) -> None:
    with mpmath.workdps(50):
        total = mpmath.fsum(weights)
        nats = mpmath.fsum(x / total * mpmath.log(total / x) for x in map(mpmath.mpf, weights))
    assert Executor().execute("information_theory.shannon_entropy", [weights, math.e]) == float(nats)
