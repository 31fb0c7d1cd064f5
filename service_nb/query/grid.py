"""The exact numbers that an integer or decimal column can hold."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from service_nb.schema.source import Field


@dataclass(frozen=True, slots=True)
class Grid:
    """The exact numbers that a column can hold: whole multiples of 10**-scale from `smallest` to `largest` of them."""

    scale: int
    smallest: int
    largest: int

    @classmethod
    def of(cls, field_: Field) -> Grid:
        """Return the grid of an int64 or decimal column."""
        if field_.physical == "int64":
            return cls(0, -(2**63), 2**63 - 1)
        precision = int(field_.physical[len("decimal(") :].split(",")[0])
        return cls(field_.decimal_scale or 0, 1 - 10**precision, 10**precision - 1)

    def units(self, value: int | Decimal) -> Fraction:
        """Return how many units of the grid a number is."""
        return Fraction(value) * Fraction(10) ** self.scale

    def holds(self, units: Fraction) -> bool:
        """Whether the column can hold a number of so many units."""
        return units.denominator == 1 and self.smallest <= units <= self.largest

    def bound(self, value: int | Decimal, up: bool) -> int:
        """Return the units of the nearest number of the grid that is not below (`up`) or not above `value`."""
        return ceil(self.units(value)) if up else floor(self.units(value))

    def value(self, units: int) -> int | Decimal:
        """Return the number of so many units, as the column's values are."""
        if self.scale == 0 and self.largest < 2**63:
            return units
        sign = 1 if units < 0 else 0
        return Decimal((sign, tuple(int(digit) for digit in str(abs(units))), -self.scale))
