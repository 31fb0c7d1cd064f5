"""Exact order statistics and ranks of doubles, and roots of rationals that are rational."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from flint import arb, fmpq

from service_nb_kernels.numeric import np

Vector = Any  # a float64 numpy.ndarray of one dimension


def rational(value: Any) -> Any:
    """Return one double, or whole number, as an exact rational."""
    return fmpq(value) if isinstance(value, int) else fmpq(*float(value).as_integer_ratio())


def smallest(values: Vector, place: int) -> Any:
    """Return the value at a place of the sorted order, counted from 0, without sorting all of them."""
    return rational(np.partition(values, place)[place])


def median(values: Vector) -> Any:
    """Return the middle value, or the exact midpoint of the two middle ones."""
    half = values.size // 2
    if values.size % 2:
        return smallest(values, half)
    parted = np.partition(values, [half - 1, half])
    return (rational(parted[half - 1]) + rational(parted[half])) / 2


def median_of(values: Sequence[fmpq]) -> Any:
    """Return the median of exact rationals."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def doubled_ranks(values: Vector) -> list[int]:
    """Return twice the average rank of each value, so that the rank of a tie is whole."""
    _, places, counts = np.unique(values + 0.0, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled = 2 * last - counts + 1
    return [int(rank) for rank in doubled[places.ravel()].tolist()]


def tie_sizes(values: Vector) -> list[int]:
    """Return how often each distinct value occurs, in the order of the values."""
    return [int(count) for count in np.unique(values + 0.0, return_counts=True)[1].tolist()]


def square_root(value: Any) -> Any:
    """Return the square root: the rational one if there is one, else a ball."""
    value = fmpq(value)
    if value < 0:
        raise ValueError(f"No square root of {value}.")
    top, bottom = math.isqrt(int(value.p)), math.isqrt(int(value.q))
    if top * top == value.p and bottom * bottom == value.q:
        return fmpq(top, bottom)
    return arb(value).sqrt()
