"""Elementary functions over balls: integers stay integers, complex balls (inside of integrals) stay analytic.

Where a function is undefined for certain, that is said at once; where a ball only reaches over the edge, the result is
not finite, and more precision decides.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb, fmpq, fmpz

from service_nb_kernels.errors import DomainError, Inexact, Unseparated

Ball = Any  # int, arb or acb: flint publishes no types that mypy could use
LOST = arb((1, -2200))  # far below the smallest double; what is computed with 4096 bits seldom comes so near to 0
HUGE = 10**8  # beyond it, exp is far outside of every double, and Arb's own answer says nothing


def real(value: Ball) -> Ball:
    """Return a ball; an integer becomes an exact one."""
    if type(value) is arb or isinstance(value, acb):
        return value
    return arb(fmpz(value) if isinstance(value, int) else value)


def unused(*_: Ball) -> Ball:
    """Stand for what the evaluator does itself."""
    raise Unseparated


def refuse(function: str, value: Ball, expected: str) -> DomainError:
    """Return the error for an argument that a function does not take."""
    shown = float(value) if isinstance(value, arb | int) else None
    return DomainError(f"the argument of {function}", shown, expected)


def at_zero(value: int) -> Callable[[Any], Any]:
    """Return the rational form of a function that is rational at 0 only."""
    return _only_at(0, value)


def at_one(value: int) -> Callable[[Any], Any]:
    """Return the rational form of a function that is rational at 1 only."""
    return _only_at(1, value)


def _only_at(place: int, value: int) -> Callable[[Any], Any]:
    def exact(argument: Any) -> Any:
        if argument == place:
            return value
        raise Inexact

    return exact


def divide(a: Ball, b: Ball) -> Ball:
    """Return a / b; of integers, the exact fraction."""
    if b == 0:
        raise DomainError("a divisor", 0, "a number that is not 0")
    if isinstance(a, int) and isinstance(b, int):
        return a // b if a % b == 0 else fmpq(a, b)
    return a / b


def power(a: Ball, b: Ball) -> Ball:
    """Return a ** b, with a real value or a refusal."""
    if type(b) is int:
        return _ball_power(a, b) if type(a) is arb and b >= 0 else _whole_power(a, b)
    if isinstance(b, fmpq):  # a literal such as 0.5 or 1/3
        if b.q == 1:
            return _whole_power(a, int(b.p))
        if b.p == 1 and b.q == 2:
            return sqrt(a)
        if isinstance(a, acb):
            return a.pow(acb(arb(b)), analytic=True)
        a, b = real(a), arb(b)
    if isinstance(a, acb) or isinstance(b, acb):
        return a**b if not isinstance(a, acb) else a.pow(acb(b), analytic=True)
    a, b = real(a), real(b)
    if a < 0:
        if b.is_exact() and b.is_integer():
            return a**b
        raise refuse("a power with a broken exponent", a, "a base of 0 or more")
    if a == 0:
        if b < 0:
            raise DomainError("a divisor", 0, "a number that is not 0")
        return arb(0) if b > 0 else a**b
    if b > 0 and _is_lost(a):
        return arb(0).union(a.upper() ** b)
    return a**b


def _ball_power(a: Ball, b: int) -> Ball:
    value = a**b
    if value.is_finite():
        return value
    value = arb(1)  # FLINT has no power of a ball around 0
    for bit in f"{b:b}":
        value *= value
        if bit == "1":
            value *= a
    return value


def _whole_power(a: Ball, b: int) -> Ball:
    if b >= 0:
        if isinstance(a, int | fmpq) and power_bits(a, b) > MOST_BITS:
            return arb(fmpz(a) if isinstance(a, int) else a) ** b
        return _ball_power(a, b) if isinstance(a, arb) else a**b
    if a == 0:
        raise DomainError("a divisor", 0, "a number that is not 0")
    return divide(1, _whole_power(a, -b))


def power_bits(a: Any, b: int) -> int:
    """Return at most how many bits the exact power of an integer or a fraction has, before it is computed."""
    if a in (0, 1, -1):
        return 1
    bits = a.bit_length() if isinstance(a, int) else max(a.p.bit_length(), a.q.bit_length())
    return abs(b) * int(bits)


MOST_BITS = 100_000  # of an exact power; a ball beyond. FLINT ends the process where it has no room for the result


def smaller(*values: Ball) -> Ball:
    """Return the least of the values."""
    least = values[0]
    for value in values[1:]:
        least = min(least, value) if isinstance(least, int) and isinstance(value, int) else real(least).min(real(value))
    return least


def larger(*values: Ball) -> Ball:
    """Return the greatest of the values."""
    most = values[0]
    for value in values[1:]:
        most = max(most, value) if isinstance(most, int) and isinstance(value, int) else real(most).max(real(value))
    return most


def whole(ball: Ball) -> int:
    """Return the one integer that an exact value is."""
    if isinstance(ball, fmpq):
        ball = arb(ball) if ball.q != 1 else int(ball.p)
    found = ball.unique_fmpz() if not isinstance(ball, int) else ball
    if found is None or (not isinstance(ball, int) and not ball.is_exact()):
        raise Unseparated
    return int(found)


def floor(value: Ball) -> int:
    """Return the greatest integer that is not above."""
    return exact_floor(value) if isinstance(value, int | fmpq) else whole(value.floor())


def ceil(value: Ball) -> int:
    """Return the least integer that is not below."""
    return exact_ceil(value) if isinstance(value, int | fmpq) else whole(value.ceil())


def nearest(value: Ball) -> int:
    """Return the nearest integer; halves go to the even one."""
    if isinstance(value, int | fmpq):
        return exact_nearest(value)
    doubled = value * 2
    if doubled.is_exact() and doubled.is_integer():  # a half is possible only here
        return round(Fraction(whole(doubled), 2))
    return floor(value + arb(fmpq(1, 2)))


def sign(value: Ball) -> int:
    """Return -1, 0 or 1."""
    if value > 0:
        return 1
    if value < 0:
        return -1
    if value == 0:
        return 0
    raise Unseparated


def exact_floor(value: Any) -> int:
    """Return the greatest integer that is not above a rational."""
    return value if isinstance(value, int) else int(value.floor())


def exact_ceil(value: Any) -> int:
    """Return the least integer that is not below a rational."""
    return value if isinstance(value, int) else int(value.ceil())


def exact_nearest(value: Any) -> int:
    """Return the nearest integer to a rational; halves go to the even one."""
    return value if isinstance(value, int) else round(Fraction(int(value.p), int(value.q)))


def exact_sign(value: Any) -> int:
    """Return -1, 0 or 1."""
    return int(value > 0) - int(value < 0)


def exact_sqrt(value: Any) -> Any:
    """Return the root of a rational that is a square."""
    if value < 0:
        raise refuse("a square root", real(value), "0 or more")
    numerator, denominator = (fmpz(value), fmpz(1)) if isinstance(value, int) else (value.p, value.q)
    if not (numerator.is_square() and denominator.is_square()):
        raise Inexact
    return fmpq(numerator.isqrt(), denominator.isqrt())


def exact_log2(value: Any) -> int:
    """Return the logarithm of a power of two."""
    return _exact_log(value, 2)


def exact_log10(value: Any) -> int:
    """Return the logarithm of a power of ten."""
    return _exact_log(value, 10)


def _exact_log(value: Any, base: int) -> int:
    fraction = Fraction(value) if isinstance(value, int) else Fraction(int(value.p), int(value.q))
    if fraction <= 0:
        raise DomainError("the argument of a logarithm", float(fraction), "a number above 0")
    whole_part, sign_of = (fraction.numerator, 1) if fraction >= 1 else (fraction.denominator, -1)
    if 1 not in (fraction.numerator, fraction.denominator):
        raise Inexact
    exponent = 0
    while whole_part % base == 0:
        whole_part //= base
        exponent += 1
    if whole_part != 1:
        raise Inexact
    return sign_of * exponent


def sqrt(x: Ball) -> Ball:
    """Return the square root."""
    if isinstance(x, acb):
        return x.sqrt(analytic=True)
    x = real(x)
    if x < 0:
        raise refuse("a square root", x, "0 or more")
    return arb(0).union(x.upper().sqrt()) if _is_lost(x) else x.sqrt()


def _is_lost(x: Ball) -> bool:
    """Whether an argument is 0 or so near that no precision tells its sign: it is then taken as not negative.

    So it is for a radicand such as 1 + cos(pi), which is 0 and whose ball always reaches below it.
    """
    return bool(x.contains(0)) and bool(abs(x) < LOST)


def cbrt(x: Ball) -> Ball:
    """Return the real cube root, negative for negative arguments."""
    x = real(x)
    if x < 0:
        return -(-x).root(3)
    root = x.root(3)
    if not root.is_finite() and x.is_finite():  # a ball around 0
        most = abs(x).upper().root(3)
        return (-most).union(most)
    return root


def hypot(*parts: Ball) -> Ball:
    """Return the length of a vector."""
    squares = sum((part * part for part in map(real, parts)), arb(0))
    return squares.nonnegative_part().sqrt() if isinstance(squares, arb) else sqrt(squares)


def exp(x: Ball) -> Ball:
    """Return e to the power x."""
    x = real(x)
    result = x.exp()
    if not result.is_finite() and isinstance(x, arb):
        if x > HUGE:
            raise DomainError("the value", None, "less than the largest double, 1.8e308; the exponential is beyond it")
        if x < -HUGE:
            return arb(0, arb((1, -HUGE)))
    return result


def expm1(x: Ball) -> Ball:
    """Return e to the power x, less one."""
    x = real(x)
    if isinstance(x, arb) and abs(x) > HUGE:
        return exp(x) - 1
    return x.expm1()


def log(x: Ball) -> Ball:
    """Return the natural logarithm."""
    if isinstance(x, acb):
        return x.log(analytic=True)
    x = real(x)
    if x <= 0:
        raise refuse("a logarithm", x, "a number above 0")
    return x.log()


def log1p(x: Ball) -> Ball:
    """Return the natural logarithm of 1 + x."""
    if isinstance(x, acb):
        return (x + 1).log(analytic=True)
    x = real(x)
    if x <= -1:
        raise refuse("log1p", x, "a number above -1")
    return x.log1p()


def log2(x: Ball) -> Ball:
    """Return the logarithm to base 2; of a power of two, exactly."""
    return _log_base(x, 2)


def log10(x: Ball) -> Ball:
    """Return the logarithm to base 10; of a power of ten, exactly."""
    return _log_base(x, 10)


def _log_base(x: Ball, base: int) -> Ball:
    if isinstance(x, acb):
        return log(x) / arb(base).log()
    x = real(x)
    if x <= 0:
        raise refuse("a logarithm", x, "a number above 0")
    return x.log_base(base)


def _plain(name: str) -> Callable[[Ball], Ball]:
    def function(x: Ball) -> Ball:
        return getattr(real(x), name)()

    return function


sin, cos, atan, tanh, asinh = map(_plain, ("sin", "cos", "atan", "tanh", "asinh"))
tan, sinc = map(_plain, ("tan", "sinc"))


def sinh(x: Ball) -> Ball:
    """Return the hyperbolic sine."""
    return _hyperbolic(real(x), "sinh")


def cosh(x: Ball) -> Ball:
    """Return the hyperbolic cosine."""
    return _hyperbolic(real(x), "cosh")


def _hyperbolic(x: Ball, name: str) -> Ball:
    if isinstance(x, arb) and abs(x) > HUGE:
        return exp(abs(x))  # refuses: the value is beyond every double
    return getattr(x, name)()


def _within_one(name: str, *, open_ends: bool = False) -> Callable[[Ball], Ball]:
    def function(x: Ball) -> Ball:
        x = real(x)
        if isinstance(x, arb) and (abs(x) > 1 or (open_ends and abs(x) == 1)):
            raise refuse(name, x, "a number in (-1, 1)" if open_ends else "a number in [-1, 1]")
        if isinstance(x, arb) and not open_ends and _is_lost(1 - abs(x)):
            end = 1 if x > 0 else -1
            return getattr(arb(end), name)().union(getattr(x.lower() if end == 1 else x.upper(), name)())
        return getattr(x, name)()

    return function


asin, acos, atanh = _within_one("asin"), _within_one("acos"), _within_one("atanh", open_ends=True)


def acosh(x: Ball) -> Ball:
    """Return the inverse hyperbolic cosine."""
    x = real(x)
    if x < 1:
        raise refuse("acosh", x, "1 or more")
    return arb(0).union(x.upper().acosh()) if _is_lost(x - 1) else x.acosh()


def atan2(y: Ball, x: Ball) -> Ball:
    """Return the angle of the point (x, y)."""
    return arb.atan2(real(y), real(x))
