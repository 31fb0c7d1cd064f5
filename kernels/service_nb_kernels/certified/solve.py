"""Roots by certified bracketing, the first integer of a condition, and integrals: each an enclosure, never a guess.

A root is searched with floating-point heuristics, but what is returned is a ball whose two ends were proven to have
opposite signs. That it is the only root is the promise of the formula's author: the function is monotone in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import acb, arb, ctx

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.errors import DomainError, KernelError, LimitError, Unseparated

Ball = Any
MOST_BITS_MORE = 512  # of the working precision, to decide one sign
ENOUGH_BITS = 256  # of the working precision, to say that no sign changes: signs are tried with 1,280 bits and more
STEPS = 400
TINY = arb((1, -1300))  # far below the smallest double


def root(function: Callable[[Ball], Ball], low: Ball, high: Ball) -> Ball:
    """Return a ball around the root of a monotone function in an open interval, whose ends may be infinite."""
    bracket = _bracket(function, low, high)
    return bracket[0] if len(bracket) == 1 else _narrowed(function, *bracket)


def _value(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """The function's value at an exact point, with its sign decided, or 0; None if no precision at hand decides it."""
    bits = ctx.prec
    try:
        while True:
            try:
                value = arb(function(x))
                if value.is_finite() and (value > 0 or value < 0 or value == 0):
                    return value
            except Unseparated:
                pass
            if ctx.prec >= 2 * bits + MOST_BITS_MORE:
                return None
            ctx.prec *= 2
    finally:
        ctx.prec = bits


def _points(low: Ball, high: Ball) -> Iterator[Ball]:
    """Points of an open interval that come closer and closer to both ends."""
    low_finite, high_finite = low.is_finite(), high.is_finite()
    if low_finite and high_finite:
        width = high.lower() - low.upper()
        yield (low.mid() + width / 2).mid()
        for power in _powers():
            if power > ctx.prec:
                yield from (low.mid(), high.mid())  # a root at the very end
                return
            yield (low.upper() + width / 2**power).mid()
            yield (high.lower() - width / 2**power).mid()
    for power in (0, *_powers()):
        far = arb((1, power))
        if low_finite or high_finite:
            end, side = (low.upper(), 1) if low_finite else (high.lower(), -1)
            yield (end + side * far).mid()
            yield (end + side / far).mid()
        else:
            yield from (-far, far)


def _powers() -> Iterator[int]:
    power = 2
    while power <= 1100:  # the exponents of doubles end at 1024 and -1074
        yield power
        power = power + max(1, power // 2)


def _bracket(function: Callable[[Ball], Ball], low: Ball, high: Ball) -> tuple[Any, ...]:
    """Two points with values of opposite sign; or one, if it is the root."""
    seen: list[tuple[Ball, Ball]] = []
    undecided = False
    for x in _points(arb(low), arb(high)):
        check_deadline()
        value = _value(function, x)
        if value is None:
            undecided = True
            continue
        if value == 0:
            return (x,)
        other = [pair for pair in seen if (pair[1] > 0) != (value > 0)]
        if other:  # the nearest of them
            y, seen_value = min(other, key=lambda pair: float(abs(pair[0] - x)))
            return (x, value, y, seen_value) if x < y else (y, seen_value, x, value)
        seen.append((x, value))
    if undecided and ctx.prec < ENOUGH_BITS:
        raise Unseparated
    raise DomainError("the equation", None, "arguments for which it has a solution")


def _narrowed(function: Callable[[Ball], Ball], a: Ball, fa: Ball, b: Ball, fb: Ball) -> Ball:
    """Shrink a bracket to the working precision: secant, with a guard on both sides of it.

    If both guards hold, the bracket becomes as small as they are apart, and the next ones stand closer by a power; if
    not, one end moves and the guards widen. Far apart, or stuck, it halves: in exponents while the ends differ by more
    than a factor.
    """
    close, small = 1, arb((1, 12 - ctx.prec))
    if a < 0 < b:  # halving never ends at a root that is 0
        at_zero = _value(function, arb(0))
        if at_zero is None:
            return _enclose_zero(function, fa)
        if at_zero == 0:
            return arb(0)
        if (at_zero > 0) == (fa > 0):
            a, fa = arb(0), at_zero
        else:
            b, fb = arb(0), at_zero
    for _ in range(STEPS):
        check_deadline()
        width = (b - a).mid()
        if width <= abs(b) * small or width <= abs(a) * small or width < TINY:
            break
        points, tight = _guards((a, fa), (b, fb), close)
        moved = (False, False)
        for x in points:
            if not (a < x < b):
                continue
            value = _value(function, x)
            if value is None:  # the function is not known well enough here: what is proven must do
                return a.union(b)
            if value == 0:
                return x
            if (value > 0) == (fa > 0):
                a, fa, moved = x, value, (True, moved[1])
            else:
                b, fb, moved = x, value, (moved[0], True)
        close = _next(close, tight=tight, both=moved == (True, True), halved=bool(b - a <= width / 2))
    return a.union(b)


def _enclose_zero(function: Callable[[Ball], Ball], below: Ball) -> Ball:
    """Return a ball around 0, smaller than the smallest double, after proof that the root is in it."""
    left, right = (_value(function, x) for x in (-TINY, TINY))
    if (
        left is None
        or right is None
        or left == 0
        or right == 0
        or (left > 0) != (below > 0)
        or (left > 0) == (right > 0)
    ):
        raise Unseparated
    return (-TINY).union(TINY)


def _next(close: int, *, tight: bool, both: bool, halved: bool) -> int:
    """How close the next guards stand, in bits of the bracket's width; 0 asks for the middle instead."""
    if not tight:
        return max(close, 1)
    if both:
        return min(2 * close, ctx.prec)
    return max(close // 2, 1) if halved else 0


def _guards(left: tuple[Ball, Ball], right: tuple[Ball, Ball], close: int) -> tuple[tuple[Ball, ...], bool]:
    """The points to try next between two with known values, and whether they are guards around a secant."""
    (a, fa), (b, fb) = left, right
    width = b - a
    far_apart = (a < 0 < b) or not (a / 8 < b < 8 * a or 8 * a < b < a / 8)
    if close == 0 or (far_apart and close == 1):
        return (_middle(a, b),), False
    secant = (a - fa * width / (fb - fa)).mid()
    slack = (width * arb((1, -close - 1))).mid()
    return ((secant - slack).mid(), (secant + slack).mid()), True


def _middle(a: Ball, b: Ball) -> Ball:
    """The middle of two points; of two far apart on one side of zero, the middle of their exponents."""
    if a > 0 and b > 4 * a:
        return (a * b).sqrt().mid()
    if b < 0 and a < 4 * b:
        return -((a * b).sqrt()).mid()
    if a == 0 and b > 0:
        return (b * arb((1, -60 if b > arb((1, -1000)) else -1))).mid()
    if b == 0 and a < 0:
        return (a * arb((1, -60 if a < -arb((1, -1000)) else -1))).mid()
    return ((a + b) / 2).mid()


def smallest(condition: Callable[[int], bool], start: int) -> int:
    """Return the first integer from `start` on for which a condition holds that stays true once it is."""
    if condition(start):
        return start
    step = 1
    while not condition(start + step):
        check_deadline()
        step *= 2
        if step > 2**200:
            raise LimitError("No integer below 2**200 fulfils the condition.")
    low, high = start + step // 2, start + step
    while high - low > 1:
        check_deadline()
        middle = (low + high) // 2
        if condition(middle):
            high = middle
        else:
            low = middle
    return high


def integral(function: Callable[[Ball], Ball], low: Ball, high: Ball) -> Ball:
    """Return a ball around the integral of an analytic function over a finite interval."""
    low, high = arb(low), arb(high)
    if not (low.is_finite() and high.is_finite()):
        raise DomainError("an end of an integral", None, "a finite number")
    failed: list[Exception] = []

    def integrand(x: Ball, _: Any) -> Ball:
        if failed:  # what is raised in here would be lost in C: end quickly, and raise it after
            return acb(0)
        try:
            check_deadline()
            return acb(function(x))
        except Unseparated:  # too wide a piece: halve it
            return acb(arb.nan())
        except (KernelError, OverflowError, ValueError) as error:
            failed.append(error)
            return acb(0)

    value = acb.integral(integrand, acb(low), acb(high)).real
    if failed:
        raise failed[0] if isinstance(failed[0], KernelError) else Unseparated from failed[0]
    return value
