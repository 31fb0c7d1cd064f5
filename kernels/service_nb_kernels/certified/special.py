"""Special functions over balls, through Arb; each takes integers, real balls, and complex ones where Arb does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpz

from service_nb_kernels.certified.elementary import HUGE, Ball, exp, real, refuse, sqrt, whole
from service_nb_kernels.errors import Inexact, LimitError

LARGEST_FACTORIAL = 1_000_000
FAR = 8  # from here on the error that Arb states for erfc of an inexact ball is above the value
LARGEST_HARMONIC = 10_000  # in exact arithmetic
LARGEST_PARAMETER = 10**10  # of incomplete functions: beyond it Arb may not end, and cannot be stopped


def method(name: str) -> Callable[[Ball], Ball]:
    """Return the function that a ball has as a method of that name."""

    def function(x: Ball) -> Ball:
        return getattr(real(x), name)()

    return function


def bessel(name: str) -> Callable[[Ball, Ball], Ball]:
    """Return a Bessel function of (order, argument)."""

    def function(order: Ball, x: Ball) -> Ball:
        return getattr(real(x), name)(real(order))

    return function


def bessel_k(order: Ball, x: Ball) -> Ball:
    """Return the modified Bessel function of the second kind."""
    order, x = real(order), real(x)
    if isinstance(order, arb) and isinstance(x, arb) and x > 0 and order != 0 and abs(order) < arb((1, -ctx.prec)):
        # Arb loses all digits. It is even in the order, and its logarithm convex, as Hoelder's inequality tells of its
        # integral: K_0 <= K_v <= K_0 (K_1 / K_0)^|v|.
        least = x.bessel_k(0)
        return least.union(least * (x.bessel_k(1) / least) ** abs(order))
    return x.bessel_k(order)


def ordered(name: str) -> Callable[[Ball, Ball], Ball]:
    """Return an orthogonal polynomial of (degree, argument)."""

    def function(degree: Ball, x: Ball) -> Ball:
        return getattr(real(x), name)(real(degree))

    return function


def elliptic(name: str) -> Callable[[Ball], Ball]:
    """Return a complete elliptic integral of the parameter m <= 1, through the complex ball that Arb has it for."""

    def function(m: Ball) -> Ball:
        m = real(m)
        if isinstance(m, acb):
            return getattr(m, name)()
        if m > 1:
            raise refuse(name, m, "a parameter of 1 or less")
        return getattr(acb(m), name)().real

    return function


def check_parameters(function: str, *parameters: Ball) -> None:
    """Refuse parameters with which Arb may not end."""
    for parameter in parameters:
        if isinstance(parameter, arb) and abs(parameter) > LARGEST_PARAMETER:
            raise LimitError(f"A parameter of {function} is {float(parameter):.3g}; expected at most 1e10.")


def _is_pole(x: Ball) -> bool:
    return isinstance(x, arb) and x.is_exact() and x.is_integer() and bool(x <= 0)


def gamma(x: Ball) -> Ball:
    """Return the gamma function."""
    x = real(x)
    if _is_pole(x):
        raise refuse("gamma", x, "no integer of 0 or less")
    return x.gamma()


def exact_gamma(x: Any) -> int:
    """Return the gamma function of a positive integer."""
    if isinstance(x, fmpq) and x.q == 1:
        x = int(x.p)
    if isinstance(x, int) and 0 < x <= LARGEST_FACTORIAL:
        return math.factorial(x - 1) if x < 1000 else int(fmpz.fac_ui(fmpz(x - 1)))
    raise Inexact


def log_gamma(x: Ball) -> Ball:
    """Return the logarithm of the gamma function's absolute value's argument: for x > 0, ln(gamma(x))."""
    x = real(x)
    if isinstance(x, arb) and x <= 0:
        raise refuse("log_gamma", x, "a number above 0")
    return x.lgamma()


def digamma(x: Ball) -> Ball:
    """Return the logarithmic derivative of gamma."""
    x = real(x)
    if _is_pole(x):
        raise refuse("digamma", x, "no integer of 0 or less")
    return x.digamma()


def harmonic(x: Ball) -> Ball:
    """Return the harmonic number of x, the sum of 1 / k up to it for a whole x."""
    return digamma(real(x) + 1) + arb.const_euler()


def exact_harmonic(x: Any) -> Any:
    """Return the harmonic number of a whole number."""
    if isinstance(x, fmpq) and x.q == 1:
        x = int(x.p)
    if isinstance(x, int) and 0 <= x <= LARGEST_HARMONIC:
        return fmpq.harmonic(x)
    raise Inexact


def polygamma(order: Ball, x: Ball) -> Ball:
    """Return the derivative of digamma of a whole order."""
    x = real(x)
    if _is_pole(x):
        raise refuse("polygamma", x, "no integer of 0 or less")
    return acb(x).polygamma(acb(real(order))).real


def beta(a: Ball, b: Ball) -> Ball:
    """Return the beta function."""
    a, b = real(a), real(b)
    return gamma(a) * gamma(b) * (a + b).rgamma()


def log_beta(a: Ball, b: Ball) -> Ball:
    """Return the logarithm of the beta function of positive arguments."""
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def factorial(n: Ball) -> Ball:
    """Return n! of a whole n; of a broken one, gamma(n + 1)."""
    if isinstance(n, fmpq):
        return exact_gamma(n + 1)
    if not isinstance(n, int):
        return gamma(n + 1)
    if n < 0:
        raise refuse("factorial", n, "0 or more")
    if n > LARGEST_FACTORIAL:
        raise LimitError(f"The factorial of {n:.3g}; expected at most {LARGEST_FACTORIAL}.", expected=LARGEST_FACTORIAL)
    return int(fmpz.fac_ui(fmpz(n)))


def binomial(n: Ball, k: Ball) -> Ball:
    """Return the binomial coefficient of integers; of a broken n, by falling factorials."""
    if isinstance(k, fmpq | arb):
        k = int(k.p) if isinstance(k, fmpq) and k.q == 1 else whole(k) if isinstance(k, arb) else _inexact()
    if isinstance(n, fmpq) and n.q == 1:
        n = int(n.p)
    if k < 0:
        return 0
    if isinstance(n, int) and n >= 0:
        if min(k, n - k) > LARGEST_FACTORIAL:
            raise LimitError("The binomial coefficient is too long.", expected=LARGEST_FACTORIAL)
        return int(fmpz.bin_uiui(n, k)) if n < 2**63 else math.comb(n, k)
    return real(n).bin(k)


def _inexact() -> Any:
    raise Inexact


def erf_inverse(x: Ball) -> Ball:
    """Return the inverse error function."""
    x = real(x)
    if abs(x) >= 1:
        raise refuse("erf_inverse", x, "a number in (-1, 1)")
    return x.erfinv()


def erfc(x: Ball) -> Ball:
    """Return the complementary error function."""
    x = real(x)
    if isinstance(x, arb) and x > FAR and not x.is_exact():
        return x.lower().erfc().union(x.upper().erfc())  # erfc decreases
    return x.erfc()


def normal_pdf(x: Ball) -> Ball:
    """Return the density of the standard normal distribution."""
    x = real(x)
    return exp(x * x / -2) / sqrt(2 * arb.pi())


def normal_cdf(x: Ball) -> Ball:
    """Return the distribution function of the standard normal distribution."""
    return erfc(real(x) / -arb(2).sqrt()) / 2


def normal_sf(x: Ball) -> Ball:
    """Return the upper tail of the standard normal distribution."""
    return erfc(real(x) / arb(2).sqrt()) / 2


def normal_quantile(p: Ball) -> Ball:
    """Return the quantile of the standard normal distribution."""
    p = real(p)
    if p <= 0 or p >= 1:
        raise refuse("normal_quantile", p, "a probability in (0, 1)")
    # erfcinv keeps the lower tail; the upper one is its mirror, and 1 - p is exact in a ball of enough bits.
    if p < fmpq(1, 2):
        return -arb(2).sqrt() * (2 * p).erfcinv()
    return arb(2).sqrt() * (2 * (1 - p)).erfcinv()


def zeta(s: Ball, a: Ball = 1) -> Ball:
    """Return the Riemann zeta function; with a second argument Hurwitz's."""
    s = real(s)
    if s == 1:
        raise refuse("zeta", s, "a number that is not 1")
    if isinstance(s, arb) and s > LARGEST_PARAMETER and isinstance(a, int) and a == 1:
        return arb(1, arb((1, -(LARGEST_PARAMETER // 2))))  # below 1 + 2^(1 - s)
    check_parameters("zeta", s)
    return s.zeta() if isinstance(a, int) and a == 1 else s.zeta(real(a))


def polylog(s: Ball, x: Ball) -> Ball:
    """Return the polylogarithm of order s for x <= 1."""
    x = real(x)
    if x > 1:
        raise refuse("polylog", x, "1 or less")
    return x.polylog(real(s))


def lambert_w(x: Ball, branch: Ball = 0) -> Ball:
    """Return Lambert's W on its branch 0 or -1."""
    x = real(x)
    if x < -(arb(-1).exp()):
        raise refuse("lambert_w", x, "-1/e or more")
    return x.lambertw(int(branch))


def ei(x: Ball) -> Ball:
    """Return the exponential integral Ei, refused beyond where it is larger than every double."""
    x = real(x)
    return exp(x) if isinstance(x, arb) and x > HUGE else x.ei()


def expint(n: Ball, x: Ball) -> Ball:
    """Return the generalised exponential integral E_n(x)."""
    return real(x).expint(real(n))


def hyp0f1(a: Ball, x: Ball) -> Ball:
    """Return the confluent hypergeometric limit function."""
    return real(x).hypgeom_0f1(real(a))


def hyp1f1(a: Ball, b: Ball, x: Ball) -> Ball:
    """Return Kummer's function."""
    return real(x).hypgeom_1f1(real(a), real(b))


def hyp2f1(a: Ball, b: Ball, c: Ball, x: Ball) -> Ball:
    """Return Gauss's hypergeometric function."""
    return real(x).hypgeom_2f1(real(a), real(b), real(c))


def hypu(a: Ball, b: Ball, x: Ball) -> Ball:
    """Return Tricomi's function."""
    return real(x).hypgeom_u(real(a), real(b))
