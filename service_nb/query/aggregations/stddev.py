"""The sample standard deviation (n - 1): the root of the exact sample variance, rounded once."""

from __future__ import annotations

import math

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, round_ratio

_ROOT_BITS = 64  # of a root before it is rounded


def round_root(numerator: int, denominator: int) -> float:
    """Return the double nearest to the square root of a ratio of integers that is not negative, ties to even."""
    # Times 2**shift the root has 63 bits or more before its point. What is behind the point only matters for not being
    # zero, and a half stands for it: doubles of 53 bits, and the ties between them, are integers here.
    shift = _ROOT_BITS - (numerator.bit_length() - denominator.bit_length()) // 2
    if shift >= 0:
        numerator <<= 2 * shift
    else:
        denominator <<= -2 * shift
    root = math.isqrt(numerator // denominator)
    twice = 2 * root + (root * root * denominator != numerator)
    return round_ratio(twice, 2 << shift) if shift >= 0 else round_ratio(twice << -shift, 2)


AGGREGATION = Aggregation(
    name="stddev",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.SQUARES,
    finish=round_root,
    rounds=True,
    noun="Standard deviation (sample, n-1) of",
    step="Take the root of the exact sample variance (n-1) of {of}, round once; nulls are left out",
    label="stddev (standard deviation, sample n-1)",
    help="The double nearest to the sample standard deviation (n-1); null of fewer than two values.",
    synonyms=("std", "stdev", "stddev_samp", "sd", "standard_deviation"),
)
