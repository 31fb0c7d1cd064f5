"""Where a number may lie: intervals with open or closed ends, in the notation of books."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from service_nb_kernels.errors import PackError

INTERVAL = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval of the line. Its bounds are doubles, so that 0.1 lies in [0, 0.1]."""

    low: float
    high: float
    includes_low: bool
    includes_high: bool
    text: str

    def __contains__(self, value: float) -> bool:
        return (self.low < value < self.high) or (
            (self.includes_low and value == self.low) or (self.includes_high and value == self.high)
        )

    def __str__(self) -> str:
        return self.text

    @property
    def edges(self) -> tuple[tuple[float, bool], ...]:
        """The finite ends, each with whether it belongs."""
        ends = ((self.low, self.includes_low), (self.high, self.includes_high))
        return tuple(end for end in ends if not math.isinf(end[0]))


@lru_cache(maxsize=1024)
def parse_domain(text: str) -> Domain:
    """Return the domain that a text such as ``"(0, inf)"`` or ``"[0, 1]"`` names."""
    match = INTERVAL.fullmatch(text)
    if match is None:
        raise PackError(f"No interval: {text!r}; expected such as '(0, inf)' or '[0, 1]'.")
    opening, low, high, closing = match.groups()
    domain = Domain(_bound(low), _bound(high), opening == "[", closing == "]", text)
    if domain.low > domain.high:
        raise PackError(f"The interval {text!r} is empty.")
    return domain


def _bound(text: str) -> float:
    try:
        exact = float(text) if text in ("inf", "+inf", "-inf") else Fraction(text)
    except ValueError:
        raise PackError(f"No bound of an interval: {text!r}.") from None
    return float(exact)  # a tenth means the double that people write as 0.1
