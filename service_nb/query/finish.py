"""From the measures of a group, as `query.sql` asked for them, to its value: here, and only here, is it rounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from service_nb.query.exact import Limbs, nonfinite_sum, rounded, unscaled
from service_nb.query.sql import Method, Shape, Statement
from service_nb.schema.query import Plan
from service_nb.schema.source import Value

SPECIAL = ("nans", "positive", "negative")  # counts of what limbs are not made of
Measures = Sequence[Any]  # of one group, in the order of `Statement.measures`


def finisher(plan: Plan, shape: Shape, statement: Statement) -> Callable[[Measures], Value]:
    """Return the function that turns the measures of one group into its value."""
    at = {name: index for index, name in enumerate(statement.measures)}
    count = at.get("n", at["rows"])
    if plan.aggregation == "count":
        return lambda measures: int(measures[count])
    if shape.method is Method.EXTREME:
        return _extreme(at)
    scale = 0 if plan.metric is None else shape.fields[plan.metric].decimal_scale or 0
    numerator, denominator = _total(shape.method, at, scale, statement.weights)
    special = _special(at)
    finish = _finish(plan, shape.method, denominator, scale)

    def value(measures: Measures) -> Value:
        rows = measures[count]
        if not rows:
            return None
        if special is not None and (found := special(measures)) is not None:
            return found
        return finish(numerator(measures), rows)

    return value


def leaves_remainder(names: Sequence[str]) -> Callable[[Measures], bool]:
    """Return the function that reads the certificate of one group: whether a value is not fully taken.

    Every value is taken by the limbs without a remainder, or is counted as NaN or as an infinity.
    """
    if "exact" not in names:
        return lambda _: False
    count = names.index("n")
    taken = [names.index(name) for name in ("exact", *SPECIAL) if name in names]
    return lambda measures: bool(sum(measures[index] for index in taken) != measures[count])


def _extreme(at: dict[str, int]) -> Callable[[Measures], Value]:
    found, count, nans = at["extreme"], at["n"], at.get("nans")

    def value(measures: Measures) -> Value:
        if not measures[count]:  # the extreme of nothing is 0 to some databases
            return None
        return math.nan if nans is not None and measures[nans] else positive_zero(measures[found])

    return value


def _special(at: dict[str, int]) -> Callable[[Measures], float | None] | None:
    places = [at.get(name) for name in SPECIAL]
    if not any(place is not None for place in places):
        return None
    return lambda measures: nonfinite_sum(*(0 if place is None else int(measures[place]) for place in places))


def _total(
    method: Method | Limbs, at: dict[str, int], scale: int, weights: Sequence[int]
) -> tuple[Callable[[Measures], int], int]:
    """Return how to read the exact sum of a group as an integer, and the denominator that all groups share."""
    if isinstance(method, Limbs):
        finest = max(method.scales)
        coarse = min(0, finest)  # a finest scale below zero means a whole multiple of a power of two
        parts = [(at[f"s{index}"], finest - step - coarse) for index, step in enumerate(method.scales)]
        return (lambda measures: sum(int(measures[index] or 0) << shift for index, shift in parts)), 1 << (
            finest - coarse
        )
    if method is Method.SPLIT:
        shares = [(weight, at[f"part{index}"]) for index, weight in enumerate(weights)]
        return (lambda measures: sum(weight * int(measures[index]) for weight, index in shares)), 10**scale
    whole = at["total"]
    if scale == 0:
        return (lambda measures: int(measures[whole])), 1
    return (lambda measures: int(Fraction(measures[whole]) * 10**scale)), 10**scale


def _finish(plan: Plan, method: Method | Limbs, denominator: int, scale: int) -> Callable[[int, int], Value]:
    if plan.aggregation == "avg":
        return lambda numerator, rows: rounded(numerator, denominator * rows)
    if isinstance(method, Limbs):
        return lambda numerator, _: rounded(numerator, denominator)
    if scale == 0:
        return lambda numerator, _: numerator
    return lambda numerator, _: unscaled(numerator, scale)


def positive_zero(value: Value) -> Value:
    """Return the value; -0.0 becomes 0."""
    return value + 0.0 if isinstance(value, float) else value


def method_words(plan: Plan, method: Method | Limbs) -> str:
    """Return how the aggregate was made exact, as a card says it."""
    if isinstance(method, Limbs):
        return f"exact by integer limbs ({method.describe()}), rounded once"
    if plan.aggregation in ("sum", "avg"):
        return "exact integer sum" + (", rounded once" if plan.aggregation == "avg" else "")
    return "exact: nothing is rounded"
