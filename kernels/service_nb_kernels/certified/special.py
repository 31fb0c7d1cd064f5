"""Special functions over balls, through Arb; each takes integers, real balls, and complex ones where Arb does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpz

from service_nb_kernels.certified.elementary import HUGE, Ball, exp, real, refuse, sqrt, whole
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.errors import Inexact, LimitError

HALF, THREE_QUARTERS = arb(0.5), arb(0.75)
LARGEST_FACTORIAL = 1_000_000
LONG_TAIL = 10**7  # degrees of freedom; with as many, Arb takes seconds for what is less than any double
BELOW_DOUBLES = arb((1, -1100))  # what is less is rounded to 0
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


def _bounded(function: str, *parameters: Ball) -> None:
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


def normal_pdf(x: Ball) -> Ball:
    """Return the density of the standard normal distribution."""
    x = real(x)
    return exp(x * x / -2) / sqrt(2 * arb.pi())


def normal_cdf(x: Ball) -> Ball:
    """Return the distribution function of the standard normal distribution."""
    return (real(x) / -arb(2).sqrt()).erfc() / 2


def normal_sf(x: Ball) -> Ball:
    """Return the upper tail of the standard normal distribution."""
    return (real(x) / arb(2).sqrt()).erfc() / 2


def normal_quantile(p: Ball) -> Ball:
    """Return the quantile of the standard normal distribution."""
    p = real(p)
    if p <= 0 or p >= 1:
        raise refuse("normal_quantile", p, "a probability in (0, 1)")
    # erfcinv keeps the lower tail; the upper one is its mirror, and 1 - p is exact in a ball of enough bits.
    if p < fmpq(1, 2):
        return -arb(2).sqrt() * (2 * p).erfcinv()
    return arb(2).sqrt() * (2 * (1 - p)).erfcinv()


def gamma_p(a: Ball, x: Ball) -> Ball:
    """Return the regularised lower incomplete gamma function."""
    x, a = real(x), real(a)
    _bounded("gamma_p", a)
    if x == 0:
        return arb(0)
    if isinstance(x, arb) and isinstance(a, arb) and a > LARGE_SHAPE and x > 0:
        return _lower_tail(a, x)
    return x.gamma_lower(a, regularized=1)


LARGE_SHAPE = 50  # beyond it Arb's own lower function is slow, or says nothing, for x below a
TINY = arb((1, -64))  # a parameter next to 0
MOST_CANCELLED = 8_000  # bits


def _lower_tail(a: Ball, x: Ball) -> Ball:
    """1 - Q(a, x), with as many bits more as the subtraction will cancel.

    P lies between f and f (a + 1) / (a + 1 - x), where f = x^a e^-x / gamma(a + 1) is the first term of its series; so
    f tells how many they are. Where that is thousands, the bounds themselves are the enclosure: far below every double.
    """
    first = (a * x.log() - x - (a + 1).lgamma()).exp()
    if not x < a:  # P is about a half or more: nothing cancels
        return 1 - x.gamma_upper(a, regularized=1)
    size = first.mid().log() / arb(2).log() if first > 0 else -arb(MOST_CANCELLED)
    extra = 16 - int(size.lower().floor().unique_fmpz() or 0)
    if extra > MOST_CANCELLED:
        series = x.gamma_lower(a, regularized=1)  # good again far below a
        return series if series.rel_accuracy_bits() > ctx.prec / 2 else first.union(first * (a + 1) / (a + 1 - x))
    before = ctx.prec
    try:
        ctx.prec = before + extra
        value = 1 - x.gamma_upper(a, regularized=1)
    finally:
        ctx.prec = before
    return +value


def gamma_q(a: Ball, x: Ball) -> Ball:
    """Return the regularised upper incomplete gamma function."""
    x, a = real(x), real(a)
    _bounded("gamma_q", a)
    return arb(1) if x == 0 else x.gamma_upper(a, regularized=1)


LARGEST_NONCENTRALITY = 10**8  # its square root is how many terms are summed


def noncentral_chi2_cdf(x: Ball, df: Ball, noncentrality: Ball) -> Ball:
    """Return the distribution function of noncentral chi-square."""
    return _mixed_gamma(x, df, noncentrality, upper=False)


def noncentral_chi2_sf(x: Ball, df: Ball, noncentrality: Ball) -> Ball:
    """Return the upper tail of noncentral chi-square."""
    return _mixed_gamma(x, df, noncentrality, upper=True)


def noncentral_beta_cdf(x: Ball, a: Ball, b: Ball, noncentrality: Ball) -> Ball:
    """Return the distribution function of the noncentral beta distribution."""
    return _mixed_beta(real(x), real(a), real(b), real(noncentrality) / 2, upper=False)


def noncentral_beta_sf(x: Ball, a: Ball, b: Ball, noncentrality: Ball) -> Ball:
    """Return the upper tail of the noncentral beta distribution."""
    return _mixed_beta(real(x), real(a), real(b), real(noncentrality) / 2, upper=True)


def noncentral_t_cdf(t: Ball, df: Ball, noncentrality: Ball) -> Ball:
    """Return the distribution function of noncentral Student's t."""
    return noncentral_t_sf(-real(t), df, -real(noncentrality))


def noncentral_t_sf(t: Ball, df: Ball, noncentrality: Ball) -> Ball:
    """Return the upper tail of noncentral Student's t: of t^2 / (t^2 + df), mixed beta functions of both parities."""
    t, half, shift = real(t), real(df) / 2, real(noncentrality)
    mean = shift * shift / 2
    if t < 0:  # the beta functions are those of -t, and of the normal distribution what lies beyond 0
        t, shift, upper = -t, -shift, False
    else:
        upper = True
    y = t * t / (t * t + 2 * half)
    even = _mixed_beta(y, HALF, half, mean, upper=upper)
    odd = _mixed_beta(y, arb(1), half, mean, upper=upper, offset=HALF)
    mixed = (even + odd * (1 if shift > 0 else -1)) / 2 if shift != 0 else even / 2
    return mixed if upper else mixed + normal_cdf(-shift)


def _mixed_gamma(x: Ball, df: Ball, noncentrality: Ball, *, upper: bool) -> Ball:
    """The gamma functions of df / 2 + j, weighted by the probabilities of j in Poisson's distribution."""
    y, shape, mean = real(x) / 2, real(df) / 2, real(noncentrality) / 2
    tail = gamma_q if upper else gamma_p
    if y <= 0:
        return arb(int(upper))
    if mean == 0:
        return tail(shape, y)
    return _mix(
        mean,
        lambda at: tail(shape + at, y),
        lambda at: ((shape + at) * y.log() - y - (shape + at + 1).lgamma()).exp(),
        lambda at: y / (shape + at),
        upper=upper,
    )


def _mixed_beta(y: Ball, a: Ball, b: Ball, mean: Ball, *, upper: bool, offset: Ball = 0) -> Ball:
    """The beta functions of a + j and b, weighted by the probabilities of j + offset in Poisson's distribution."""
    if y <= 0 or y >= 1:
        return arb(int(upper == bool(y <= 0))) * _sum_weights(mean, offset)

    def tail(at: int) -> Ball:
        return beta_regularized(1 - y, b, a + at) if upper else beta_regularized(y, a + at, b)

    if mean == 0:
        return tail(0) if offset == 0 else arb(0)
    return _mix(
        mean,
        tail,
        lambda at: ((a + at) * y.log() + b * (1 - y).log() - log_beta(a + at, b)).exp() / (a + at),
        lambda at: y * (a + b + at - 1) / (a + at),
        upper=upper,
        offset=offset,
    )


def _sum_weights(mean: Ball, offset: Ball) -> Ball:
    return arb(1) if offset == 0 else gamma_p(offset, mean)


def _mix(
    mean: Ball,
    tail: Callable[[int], Ball],
    step_at: Callable[[int], Ball],
    ratio_at: Callable[[int], Ball],
    *,
    upper: bool,
    offset: Ball = 0,
) -> Ball:
    """Sum tails that are weighted by the probabilities of counts in Poisson's distribution.

    Each tail follows from its neighbor by adding a positive step, from the end at which they are smallest; the ratio of
    a step to the one before it is known. What is left out on either side has less weight than a geometric series.
    """
    if mean > LARGEST_NONCENTRALITY:
        raise LimitError(f"The noncentrality is {float(mean) * 2:.3g}; expected at most 2e8.")
    first, weights, rest = _poisson_weights(mean, offset)
    at = first if upper else first + len(weights) - 1
    value, step = tail(at), step_at(at)
    total = arb(0)
    for turn, weight in enumerate(weights if upper else reversed(weights)):
        if not turn % 1024:
            check_deadline()
        total += weight * value
        if upper:
            value += step
            at += 1
            step = step * ratio_at(at)
        else:
            step = step / ratio_at(at)
            at -= 1
            value += step
    return total + arb(0).union(rest.upper())


def _poisson_weights(mean: Ball, offset: Ball = 0) -> tuple[int, list[Ball], Ball]:
    """The probabilities of the counts around the mean: the first count, theirs, and a bound on all others together.

    With an offset they are those of the counts and it, as the terms of the incomplete gamma function.
    """
    middle = int(mean.floor().unique_fmpz() or 0)
    small = arb((1, -ctx.prec - 16))
    exponent = arb(middle) + offset
    center = (exponent * mean.log() - mean - (exponent + 1).lgamma()).exp() if exponent != 0 else (-mean).exp()
    above, below = [center], []
    while above[-1] > small or middle + len(above) < mean + 1:
        above.append(above[-1] * mean / (exponent + len(above)))
    count, weight = middle, center
    while count > 0 and weight > small:
        weight = weight * (count + offset) / mean
        count -= 1
        below.append(weight)
    rest = above[-1] / (1 - mean / (exponent + len(above) + 1))
    if count > 0:
        rest += weight / (1 - (count + offset) / mean)
    return count, [*reversed(below), *above], rest


def beta_regularized(x: Ball, a: Ball, b: Ball) -> Ball:
    """Return the regularised incomplete beta function I_x(a, b)."""
    x, a, b = real(x), real(a), real(b)
    _bounded("beta_regularized", a, b)
    if isinstance(x, arb):
        if x in (0, 1):
            return x
        if x < 0 or x > 1:
            raise refuse("beta_regularized", x, "a number in [0, 1]")
        if _is_nearer_one(x, a, b):
            return 1 - (1 - x).beta_lower(b, a, regularized=1)
    return x.beta_lower(a, b, regularized=1)


def _is_nearer_one(x: Ball, a: Ball, b: Ball) -> bool:
    """Whether the series of the incomplete beta function converges faster from the end at 1.

    So it does past the mean, where the value is about a half or more and nothing cancels. Within 1 / (a + b) of an end
    nothing cancels from there either. From the end at which a parameter is next to 0 Arb says at once if it needs more
    precision; from the other it hardly ends. Of small parameters the argument alone tells.
    """
    if not (isinstance(a, arb) and isinstance(b, arb) and bool(arb.max(a, b) > LARGE_SHAPE)):
        return bool(x > THREE_QUARTERS)
    size = a + b
    if x * size <= 1:
        return False
    if (1 - x) * size <= 1 or b < TINY:
        return True
    return bool(x * size > a) and not a < TINY


def student_t_cdf(t: Ball, df: Ball) -> Ball:
    """Return the distribution function of Student's t."""
    return student_t_sf(-real(t), df)


def student_t_sf(t: Ball, df: Ball) -> Ball:
    """Return the upper tail of Student's t; either tail keeps all of its digits."""
    t, df = real(t), real(df)
    if t < 0:
        return 1 - student_t_sf(-t, df)
    if t == 0:
        return HALF
    square = t * t
    if df > LONG_TAIL and (most := _bound_student_t_sf(t, df)) < BELOW_DOUBLES:
        return arb(0).union(most)
    if square < df:  # the centre: the smaller argument converges faster
        return (1 - beta_regularized(square / (df + square), HALF, df / 2)) / 2
    return beta_regularized(df / (df + square), df / 2, HALF) / 2


def _bound_student_t_sf(t: Ball, df: Ball) -> Ball:
    """Bound the upper tail of Student's t, whose density is at most 0.4 (1 + s² / df)^(-(df + 1) / 2) at s.

    The integral of s / t times that density, from t on, is at least the tail.
    """
    return (0.4 * df / ((df - 1) * t) * (-(df - 1) / 2 * (1 + t * t / df).log()).exp()).upper()


def chi2_cdf(x: Ball, df: Ball) -> Ball:
    """Return the distribution function of chi-square."""
    x = real(x)
    return arb(0) if x <= 0 else gamma_p(real(df) / 2, x / 2)


def chi2_sf(x: Ball, df: Ball) -> Ball:
    """Return the upper tail of chi-square."""
    x = real(x)
    return arb(1) if x <= 0 else gamma_q(real(df) / 2, x / 2)


def f_cdf(x: Ball, d1: Ball, d2: Ball) -> Ball:
    """Return the distribution function of F."""
    x, d1, d2 = real(x), real(d1), real(d2)
    return arb(0) if x <= 0 else beta_regularized(d1 * x / (d1 * x + d2), d1 / 2, d2 / 2)


def f_sf(x: Ball, d1: Ball, d2: Ball) -> Ball:
    """Return the upper tail of F."""
    x, d1, d2 = real(x), real(d1), real(d2)
    return arb(1) if x <= 0 else beta_regularized(d2 / (d1 * x + d2), d2 / 2, d1 / 2)


def zeta(s: Ball, a: Ball = 1) -> Ball:
    """Return the Riemann zeta function; with a second argument Hurwitz's."""
    s = real(s)
    if s == 1:
        raise refuse("zeta", s, "a number that is not 1")
    if isinstance(s, arb) and s > LARGEST_PARAMETER and isinstance(a, int) and a == 1:
        return arb(1, arb((1, -(LARGEST_PARAMETER // 2))))  # below 1 + 2^(1 - s)
    _bounded("zeta", s)
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
