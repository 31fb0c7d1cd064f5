"""Incomplete gamma and beta functions over balls, and the distributions that are made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count

from flint import arb, ctx

from service_nb_kernels.certified.elementary import Ball, real, refuse
from service_nb_kernels.certified.rounding import PRECISIONS, check_deadline
from service_nb_kernels.certified.special import check_parameters, log_beta, normal_cdf
from service_nb_kernels.errors import LimitError

HALF, THREE_QUARTERS = arb(0.5), arb(0.75)
LONG_TAIL = 10**7  # degrees of freedom; with as many, Arb takes seconds for what is less than any double
BELOW_DOUBLES = arb((1, -1100))  # what is less is rounded to 0
LARGE_SHAPE = 50  # beyond it Arb's own lower function is slow, or says nothing, for x below a
TINY = arb((1, -64))  # a parameter next to 0
QUICK_BITS = 224  # with as many, what Arb needs is mostly milliseconds
QUICK_GAMMA_BITS, QUICK_BETA_BITS = 992, 480  # tenths of a second; each doubling takes six and fourteen times as long
TERMS_PER_BIT = 100  # of a series summed here: about as long as Arb with as many bits
MOST_TERMS = 10**8  # minutes
MOST_CANCELLED = 8_000  # bits
LEAST_WEIGHT = arb((1, -(10**6)))  # what is left out below it changes no result, not even a logarithm
LARGEST_NONCENTRALITY = 10**8  # its square root is how many terms are summed


def gamma_p(a: Ball, x: Ball) -> Ball:
    """Return the regularised lower incomplete gamma function."""
    x, a = real(x), real(a)
    check_parameters("gamma_p", a)
    if x == 0:
        return arb(0)
    if _is_large_gamma(a, x):
        return _lower_tail(a, x) if x < a else _less_than_one(lambda: x.gamma_upper(a, regularized=1))
    return x.gamma_lower(a, regularized=1)


def _is_large_gamma(a: Ball, x: Ball) -> bool:
    return isinstance(x, arb) and isinstance(a, arb) and bool(a > LARGE_SHAPE) and bool(x > 0)


def _less_than_one(small: Callable[[], Ball]) -> Ball:
    """1 - small(), which is computed with the bits that the difference can hold of it."""
    bits = ctx.prec
    if bits > QUICK_BITS:
        with ctx.workprec(PRECISIONS[0]):
            bound = small()
        needed = bits + _exponent(bound) + 16
        if needed < bits:
            if bound.rel_accuracy_bits() < needed:
                with ctx.workprec(max(needed, 32)):
                    bound = small()
            return 1 - bound
    return 1 - small()


def _exponent(value: Ball) -> int:
    """The exponent of a power of two that is not below; 0 if none is known."""
    most = abs(value).upper()
    return int((most.log() / arb(2).log()).upper().ceil().unique_fmpz() or 0) if most > 0 and most < 1 else 0


def _lower_tail(a: Ball, x: Ball) -> Ball:
    """P(a, x) for x below a: by its series; or 1 - Q(a, x), with as many bits more as the subtraction will cancel.

    P lies between f and f (a + 1) / (a + 1 - x), where f = x^a e^-x / gamma(a + 1) is the first term of its series; so
    f tells how many they are.
    """

    def log_first() -> Ball:
        return a * x.log() - x - (a + 1).lgamma()

    bits = ctx.prec
    extra = 16 + max(0, -math.floor(float(log_first()) / math.log(2)))
    if bits + extra > QUICK_BITS:
        length = _length(x.log(), a, None, x - a - 1, bits)
        if bits + extra > QUICK_GAMMA_BITS or length <= TERMS_PER_BIT * (bits + extra):
            with ctx.workprec(bits + _guard(length, a)):
                value = log_first().exp() * _sum_series(length, x, a)
            return +value
    with ctx.workprec(bits + extra):
        value = 1 - x.gamma_upper(a, regularized=1)
    return +value


def _guard(length: int, size: Ball) -> int:
    """The bits that the sum of a series and the power before it lose."""
    return 16 + length.bit_length() + math.ceil(math.log2(float(size)))


def _length(log_x: Ball, a: Ball, both: Ball | None, peak: Ball, bits: int) -> int:
    """About how many terms of a series of `_sum_series` are to be summed for so many bits, found in doubles."""
    slope, start, top = float(log_x), float(a) + 1, None if both is None else float(both)
    first = math.lgamma(start) - (0.0 if top is None else math.lgamma(top))

    def log_term(n: float) -> float:
        return n * slope - math.lgamma(start + n) + first + (0.0 if top is None else math.lgamma(top + n))

    before = max(0.0, min(float(peak), 2.0 * MOST_TERMS))
    least = log_term(before) - (bits + 32) * math.log(2)
    step = 16.0
    while before + step < 2 * MOST_TERMS and log_term(before + step) > least:
        step *= 1.25
    return math.ceil(before + step)


def _sum_series(length: int, x: Ball, a: Ball, both: Ball | None = None) -> Ball:
    """The sum of x^n / ((a + 1)...(a + n)), each term times both...(both + n - 1) if there is such a parameter.

    All are positive. A ratio of neighbors moves to its limit, x or 0, from one side: what is left out is less than a
    geometric series of the greater of it and that limit.
    """
    total = term = arb(1)
    for n in range(length):
        if not n % 1024:
            check_deadline()
        term = term * x / (a + (n + 1)) if both is None else term * (x * (both + n)) / (a + (n + 1))
        total += term
    ratio = x / (a + (length + 1)) if both is None else arb.max(x * (both + length) / (a + (length + 1)), x)
    return total + arb(0).union((term * ratio / (1 - ratio)).upper()) if ratio < 1 else arb.nan()


def gamma_q(a: Ball, x: Ball) -> Ball:
    """Return the regularised upper incomplete gamma function."""
    x, a = real(x), real(a)
    check_parameters("gamma_q", a)
    if ctx.prec > QUICK_GAMMA_BITS and _is_large_gamma(a, x) and x < a:
        return _less_than_one(lambda: _lower_tail(a, x))
    return arb(1) if x == 0 else x.gamma_upper(a, regularized=1)


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
    a step to the one before it is known. The sum begins beyond the mean, where the weights are small, and passes it
    until they are small beside the sum: far out in a tail most of it comes from counts far from the mean. What is left
    out on either side has less weight than a geometric series; there each tail is below the first one, or below 1.
    """
    if mean > LARGEST_NONCENTRALITY:
        raise LimitError(f"The noncentrality is {float(mean) * 2:.3g}; expected at most 2e8.")
    small = arb((1, -ctx.prec - 16))
    at, weight, before = _begin_weights(mean, offset, small, below=upper)
    value, step = tail(at), step_at(at)
    rest, total = value * before, arb(0)
    for turn in count():
        if not turn % 1024:
            check_deadline()
        total += weight * value
        if not upper and at == 0:
            break
        ratio = mean / (at + 1 + offset) if upper else (at + offset) / mean
        if not turn % 16 and ratio < 1:
            after = weight * ratio / (1 - ratio)
            if after < total * small or after < LEAST_WEIGHT:
                rest += after
                break
        weight *= ratio
        if upper:
            value += step
            at += 1
            step = step * ratio_at(at)
        else:
            step = step / ratio_at(at)
            at -= 1
            value += step
    return total + arb(0).union(rest.upper())


def _begin_weights(mean: Ball, offset: Ball, small: Ball, *, below: bool) -> tuple[int, Ball, Ball]:
    """The first count on one side of the mean whose weight is small, its weight, and a bound on those beyond it.

    With an offset the weights are the probabilities of counts and it, as the terms of the incomplete gamma function.
    """
    at = int(mean.floor().unique_fmpz() or 0)
    exponent = arb(at) + offset
    weight = (exponent * mean.log() - mean - (exponent + 1).lgamma()).exp() if exponent != 0 else (-mean).exp()
    if below:
        while at > 0 and weight > small:
            weight = weight * (at + offset) / mean
            at -= 1
        ratio = (at + offset) / mean
        return at, weight, weight * ratio / (1 - ratio) if at > 0 else arb(0)
    while weight > small or at < mean + 1:
        at += 1
        weight = weight * mean / (at + offset)
    ratio = mean / (at + 1 + offset)
    return at, weight, weight * ratio / (1 - ratio)


def beta_regularized(x: Ball, a: Ball, b: Ball) -> Ball:
    """Return the regularised incomplete beta function I_x(a, b)."""
    x, a, b = real(x), real(a), real(b)
    check_parameters("beta_regularized", a, b)
    if isinstance(x, arb):
        if x in (0, 1):
            return x
        if x < 0 or x > 1:
            raise refuse("beta_regularized", x, "a number in [0, 1]")
        if _is_nearer_one(x, a, b):
            rest = 1 - x
            return _less_than_one(lambda: _lower_beta(rest, x, b, a))
        return _lower_beta(x, 1 - x, a, b)
    return x.beta_lower(a, b, regularized=1)


def _is_quick_beta(x: Ball, rest: Ball, a: Ball, b: Ball) -> bool:
    """Whether Arb's series is short and does not cancel, or the shapes and the argument are not known well enough."""
    if not (arb.max(a, b) > LARGE_SHAPE and arb.min(a, b) > 0 and x > 0 and rest > 0):
        return True
    if ctx.prec > QUICK_BITS or not a + b < 10_000:
        return False
    return bool(x < THREE_QUARTERS and x * b < 16) or bool(b < 64 and b.is_integer())


def _lower_beta(x: Ball, rest: Ball, a: Ball, b: Ball) -> Ball:
    """I_x(a, b), of large shapes by one of our own series: Arb takes minutes for many bits, and hears no deadline.

    It is x^a rest^b / (a B(a, b)) times the sum of `_sum_series`. That from the other end, I_rest(b, a), is sometimes
    shorter; as many bits more are taken then as the subtraction from 1 will cancel, which the first term tells.
    """
    bits = ctx.prec
    if not (isinstance(a, arb) and isinstance(b, arb)) or _is_quick_beta(x, rest, a, b):
        return x.beta_lower(a, b, regularized=1)
    both = a + b

    def first() -> Ball:
        return (a * x.log() + b * rest.log() - log_beta(a, b)).exp()

    is_below = x * both < a
    lost = 16 - _exponent(first() / a) if is_below else 0
    length = _length(x.log(), a, both, (x * both - a - 1) / rest, bits)
    other = _length(rest.log(), b, both, (rest * both - b - 1) / x, bits + lost)
    is_direct = lost > MOST_CANCELLED or length <= other
    terms = length if is_direct else other
    if bits <= QUICK_BETA_BITS and terms > TERMS_PER_BIT * bits:
        return x.beta_lower(a, b, regularized=1)
    if terms > MOST_TERMS:
        raise LimitError(f"The incomplete beta function needs more than {MOST_TERMS:.0e} terms.", expected=MOST_TERMS)
    with ctx.workprec(bits + _guard(terms, both) + (0 if is_direct else lost)):
        if is_direct:
            value = first() / a * _sum_series(length, x, a, both)
        else:
            value = 1 - first() / b * _sum_series(other, rest, b, both)
    return +value


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
