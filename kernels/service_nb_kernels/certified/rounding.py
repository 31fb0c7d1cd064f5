"""From enclosures to the one double: the promise of the certified tier is kept here and nowhere else.

A computation is run with more and more bits until both ends of every ball round to the same double (to nearest, ties to
even, subnormal and zero included). A tie, or a value that is zero without showing it, never separates: it is settled in
exact rational arithmetic where the formula stays rational, or else refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any, TypeVar

from flint import arb, ctx, fmpq, fmpz

from service_nb_kernels.errors import DomainError, Inexact, LimitError, Undecided, Unseparated

PRECISIONS = (96, 224, 480, 992, 2016, 4096)  # bits
EXACT_AFTER = 480  # most ties are cheap to settle exactly; most hard cases need only a little more precision
MOST_BITS = 1_000_000  # of a fraction in an exact recursion
LONG_BITS = 20_000  # of a fraction that grows with each step: a ball of a few thousand bits is faster
OVERFLOW = "the value"
BEYOND = "less than the largest double in absolute value, 1.8e308; it is beyond it"

Given = TypeVar("Given")
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@dataclass(frozen=True, slots=True)
class Proven:
    """A double that its maker has proven to be the correctly rounded value."""

    value: float


def set_deadline(timeout_s: float | None) -> None:
    """Let `check_deadline` stop what runs longer than this from now; None for no end."""
    _deadline.set(None if timeout_s is None else monotonic() + timeout_s)


def check_deadline() -> None:
    """Stop the call if its time is over; loops ask now and then."""
    end = _deadline.get()
    if end is not None and monotonic() > end:
        raise LimitError("The call ran out of time.")


def check_growth(*fractions: Any) -> None:
    """Stop an exact recursion at its deadline, or when its fractions have grown so long that a step takes minutes."""
    check_deadline()
    bits = max(map(_count_bits, map(fmpq, fractions)))
    if bits > MOST_BITS:
        raise LimitError(f"An exact step has numbers of {bits:,} bits; expected at most {MOST_BITS:,}.")


def settle(enclose: Callable[[Given], Any], given: Given, exact: Callable[[], Any] | None = None) -> Any:
    """Return what `enclose` encloses, with every number rounded once.

    Parameters
    ----------
    enclose : callable
        Computes the value at flint's working precision: balls, exact numbers, text, and lists and dicts of them.
    given : Any
        What it is called with.
    exact : callable, optional
        The same in rationals; it raises `Inexact` where the formula leaves them.

    Raises
    ------
    Undecided [undecided], DomainError [domain_error], LimitError [limit_exceeded]
    """
    for bits in PRECISIONS:
        ctx.prec = bits
        try:
            value = enclose(given)
            return nearest_double(value) if type(value) is arb else rounded(value)
        except Unseparated:
            check_deadline()
        if bits == EXACT_AFTER and exact is not None:
            try:
                return rounded(exact())
            except Inexact:
                exact = None
    raise Undecided(f"The value is too close to a tie or to zero to be rounded with {PRECISIONS[-1]} bits.")


def rounded(value: Any) -> Any:
    """Round every number in a value, or raise `Unseparated` if the precision does not suffice."""
    if isinstance(value, arb):
        return nearest_double(value)
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, fmpq):
        return _of_fraction(int(value.p), int(value.q))
    if isinstance(value, Fraction):
        return _of_fraction(value.numerator, value.denominator)
    if isinstance(value, Proven):
        return value.value
    return int(value) if isinstance(value, fmpz) else value


def nearest_double(ball: Any) -> float:
    """Return the double that every number of the ball rounds to."""
    low, high = float(ball.lower()), float(ball.upper())  # correctly rounded by Arb, outward at the working precision
    if low != high:
        raise Unseparated
    if math.isinf(low):
        raise DomainError(OVERFLOW, None, BEYOND)
    return low + 0.0  # one zero


def _of_fraction(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator  # Python's division of integers is correctly rounded
    except OverflowError:
        raise DomainError(OVERFLOW, None, BEYOND) from None


def is_long(*numbers: Any) -> bool:
    """Return whether one of the numbers is a fraction so long that a recursion goes on faster in balls."""
    return any(isinstance(each, fmpq) and _count_bits(each) > LONG_BITS for each in numbers)


def _count_bits(fraction: Any) -> int:
    return max(int(fraction.p.bit_length()), int(fraction.q.bit_length()))


def to_float(value: int) -> float:
    """Return an exact integer as a double."""
    return _of_fraction(value, 1)
