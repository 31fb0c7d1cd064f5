"""Between which ends a formula's value lies when its parameters lie in their domains: wide enough, not the tightest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from service_nb_kernels.domain import Domain
from service_nb_kernels.formula.tree import Binary, Call, Name, Negative, Node, Number, Where

End = Fraction | float  # a float only where it is infinite
LARGEST_POWER = 12
NICE = 10_000  # of an end that is shown: larger parts of a fraction say nothing to a reader


@dataclass(frozen=True, slots=True)
class Range:
    """An interval; an infinite end never belongs to it."""

    low: End
    high: End
    has_low: bool = False
    has_high: bool = False

    def within(self, other: Range) -> tuple[bool, bool]:
        """Whether the low end, and whether the high end, lie inside of another range."""
        low = self.low > other.low or (self.low == other.low and (other.has_low or not self.has_low))
        high = self.high < other.high or (self.high == other.high and (other.has_high or not self.has_high))
        return low, high

    @property
    def text(self) -> str:
        """The domain that this range is, widened to ends worth showing."""
        low, high = _nice(self.low, -1), _nice(self.high, 1)
        opening = "[" if self.has_low and low == self.low else "("
        closing = "]" if self.has_high and high == self.high else ")"
        return f"{opening}{_written(low)}, {_written(high)}{closing}"


LINE = Range(-math.inf, math.inf)
POSITIVE = Range(Fraction(0), math.inf)
NOT_NEGATIVE = Range(Fraction(0), math.inf, has_low=True)
UNIT = Range(Fraction(0), Fraction(1))
PI = Fraction(math.pi)
NAMED = {"pi": Range(PI, PI, has_low=True, has_high=True), "e": Range(Fraction(2), Fraction(3)), "inf": LINE}


def _written(end: End) -> str:
    return str(end) if isinstance(end, float) or end.denominator == 1 else repr(float(end))


def _nice(end: End, outwards: int) -> End:
    if isinstance(end, float):
        return end
    if (abs(end) <= NICE and end.denominator == 1) or abs(end) in (PI, PI / 2):
        return end
    return Fraction(0) if end * outwards < 0 else outwards * math.inf


def of_domain(domain: Domain) -> Range:
    """Return the range that a domain is."""
    low, high = (end if math.isinf(end) else Fraction(end) for end in (domain.low, domain.high))
    return Range(low, high, domain.includes_low and low != -math.inf, domain.includes_high and high != math.inf)


def range_of(node: Node, known: Mapping[str, Range]) -> Range:
    """Return a range that holds every value of a formula."""
    match node:
        case Number(value):
            return Range(value, value, has_low=True, has_high=True)
        case Name(name):
            return known.get(name) or NAMED.get(name, LINE)
        case Negative(operand):
            return _negative(range_of(operand, known))
        case Binary(operator, left, right):
            join = JOINED.get(operator)
            return LINE if join is None else join(range_of(left, known), range_of(right, known))
        case Where(_, then, otherwise):
            return _either(range_of(then, known), range_of(otherwise, known))
        case Call(function, (argument,)) if function in CALLED:
            return CALLED[function](range_of(argument, known))
    return LINE


def _negative(a: Range) -> Range:
    return Range(-a.high, -a.low, a.has_high, a.has_low)


def _either(a: Range, b: Range) -> Range:
    return _hull([(a.low, a.has_low), (b.low, b.has_low)], [(a.high, a.has_high), (b.high, b.has_high)])


def _hull(lows: list[tuple[End, bool]], highs: list[tuple[End, bool]]) -> Range:
    low, high = min(end for end, _ in lows), max(end for end, _ in highs)
    return Range(low, high, (low, True) in lows, (high, True) in highs)


def _sum(a: Range, b: Range) -> Range:
    return Range(a.low + b.low, a.high + b.high, a.has_low and b.has_low, a.has_high and b.has_high)


def _product(a: Range, b: Range) -> Range:
    ends = []
    for (x, has_x), (y, has_y) in product(_ends(a), _ends(b)):
        nothing = (x == 0 and has_x) or (y == 0 and has_y)
        ends.append((_times(x, y), nothing or (has_x and has_y)))
    return _hull(ends, ends)


def _times(x: End, y: End) -> End:
    if 0 in (x, y):
        return Fraction(0)
    if isinstance(x, float) or isinstance(y, float):  # a float is infinite, and a tiny fraction no double
        return math.inf if (x > 0) == (y > 0) else -math.inf
    return x * y


def _ends(a: Range) -> tuple[tuple[End, bool], tuple[End, bool]]:
    return (a.low, a.has_low), (a.high, a.has_high)


def _reciprocal(a: Range) -> Range:
    if a.low < 0 < a.high or a.low == a.high == 0:
        return LINE
    low, high = (_over(end, sign) for end, sign in ((a.high, -1), (a.low, 1)))
    return Range(low, high, a.has_high and a.high != 0, a.has_low and a.low != 0)


def _over(end: End, sign: int) -> End:
    return sign * math.inf if end == 0 else Fraction(0) if isinstance(end, float) else 1 / end


def _power(a: Range, b: Range) -> Range:
    if b.low != b.high or isinstance(b.low, float):
        return _to_any(a, b)
    exponent = b.low
    if exponent < 0:
        return _reciprocal(_power(a, _negative(b)))
    if exponent.denominator == 1 and exponent <= LARGEST_POWER:
        return _whole_power(a, int(exponent))
    has_low = a.low < 0 or (a.has_low and a.low in (0, 1))  # what is below 0 has no such power
    return Range(*_root_ends(a), has_low=has_low, has_high=a.has_high and a.high in (0, 1))


def _to_any(a: Range, b: Range) -> Range:
    if a.low < 0:
        return LINE
    rises = b.low >= 0
    if rises and a.low >= 1:
        return Range(Fraction(1), math.inf, has_low=True)
    if rises and a.high <= 1:
        return Range(Fraction(0), Fraction(1), has_low=a.has_low and a.low == 0, has_high=True)
    return NOT_NEGATIVE if a.has_low and a.low == 0 else POSITIVE


def _whole_power(a: Range, exponent: int) -> Range:
    if exponent % 2 == 0:
        a = _size(a)
    return Range(a.low**exponent, a.high**exponent, a.has_low, a.has_high)


def _root_ends(a: Range) -> tuple[End, End]:
    """The ends of a broken power of what is not negative: 0 and 1 stay, others are widened to them."""
    low = Fraction(1) if a.low >= 1 else Fraction(0)
    high = math.inf if a.high > 1 else Fraction(1) if a.high > 0 else Fraction(0)
    return low, high


def _size(a: Range) -> Range:
    if a.low >= 0:
        return a
    if a.high <= 0:
        return _negative(a)
    ends = [(-a.low, a.has_low), (a.high, a.has_high)]
    return Range(Fraction(0), max(ends)[0], has_low=True, has_high=(max(ends)[0], True) in ends)


def _within(outer: Range, turn: int = 0) -> Callable[[Range], Range]:
    """A rising function with this range that has the sign of its argument less `turn`."""

    def image(a: Range) -> Range:
        low, high = (outer.low, outer.has_low), (outer.high, outer.has_high)
        if a.low >= turn:
            low = Fraction(0), a.has_low and a.low == turn
        if a.high <= turn:
            high = Fraction(0), a.has_high and a.high == turn
        return Range(low[0], high[0], low[1], high[1])

    return image


def _exponential(a: Range) -> Range:
    shifted = _within(Range(Fraction(-1), math.inf))(a)
    return Range(shifted.low + 1, shifted.high + 1, shifted.has_low, shifted.has_high)


def _always(outer: Range) -> Callable[[Range], Range]:
    return lambda _: outer


JOINED: Mapping[str, Callable[[Range, Range], Range]] = {
    "+": _sum,
    "-": lambda a, b: _sum(a, _negative(b)),
    "*": _product,
    "/": lambda a, b: _product(a, _reciprocal(b)),
    "**": _power,
}
QUARTER = Range(-PI / 2, PI / 2, has_low=True, has_high=True)
HALF_TURN = Range(Fraction(0), PI, has_low=True, has_high=True)
WAVE = Range(Fraction(-1), Fraction(1), has_low=True, has_high=True)
CALLED: Mapping[str, Callable[[Range], Range]] = {
    "abs": _size,
    "sqrt": lambda a: _power(a, Range(Fraction(1, 2), Fraction(1, 2), has_low=True, has_high=True)),
    "exp": _exponential,
    "expm1": _within(Range(Fraction(-1), math.inf)),
    "log": _within(LINE, turn=1),
    "log2": _within(LINE, turn=1),
    "log10": _within(LINE, turn=1),
    "sin": _always(WAVE),
    "cos": _always(WAVE),
    "asin": _within(QUARTER),
    "acos": _always(HALF_TURN),
    "atan": _within(QUARTER),
    "cosh": _always(Range(Fraction(1), math.inf, has_low=True)),
    "acosh": _always(NOT_NEGATIVE),
    "tanh": _within(Range(Fraction(-1), Fraction(1))),
    "erf": _within(Range(Fraction(-1), Fraction(1))),
    "normal_cdf": _always(UNIT),
    "normal_sf": _always(UNIT),
    **dict.fromkeys(("cbrt", "log1p", "sinh", "asinh", "atanh", "erf_inverse"), _within(LINE)),
}
