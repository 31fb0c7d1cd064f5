"""The exact sums behind a variance: of values and of their squares, as integers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class SquareSums:
    """The sum ``total / denominator`` of `count` values, and ``squares / denominator**2`` of their squares."""

    total: int
    squares: int
    denominator: int
    count: int

    def compute_variance(self) -> tuple[int, int]:
        """Compute the sample variance of at least two values as a ratio of integers."""
        top = self.count * self.squares - self.total**2
        return top, self.denominator**2 * self.count * (self.count - 1)


def sum_squares(counts: Mapping[float | Decimal, int]) -> SquareSums | None:
    """Add values, each as often as it is counted, and their squares; None if one of them is not finite."""
    if not all(map(math.isfinite, counts)):
        return None
    ratios = [(*value.as_integer_ratio(), times) for value, times in counts.items()]
    denominator = math.lcm(*{bottom for _, bottom, _ in ratios})
    whole = [(top * (denominator // bottom), times) for top, bottom, times in ratios]
    return SquareSums(
        total=sum(value * times for value, times in whole),
        squares=sum(value * value * times for value, times in whole),
        denominator=denominator,
        count=sum(counts.values()),
    )
