"""A stream of raw 64-bit words from a seed, and our own transforms of them: the same bits on every machine.

The words are those of NumPy's PCG64 seeded through SeedSequence, both of which NumPy keeps stable. NumPy's own
distributions are not: they may change between versions, and use the platform's logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.seeded.exact import Doubles, exp, log, normal_quantile

Integers = NDArray[np.int64]
WORD = 2**64
MOST_WORDS = 200_000_000  # of one call
SPLIT = 64.0  # means of Poisson variables beyond it are split: exp(-mean) stays far from the smallest double


class Words:
    """The words of one seed, in order; each transform takes the next ones.

    Parameters
    ----------
    seed : int
        Any whole number of 0 or more.
    """

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise DomainError("seed", seed, "a whole number of 0 or more")
        self._source = np.random.PCG64(seed)
        self.taken = 0

    def raw(self, count: int) -> NDArray[np.uint64]:
        """Return the next words."""
        self.taken += count
        if self.taken > MOST_WORDS:
            raise LimitError(f"More than {MOST_WORDS} random words in one call.", expected=MOST_WORDS)
        return self._source.random_raw(count) if count else np.empty(0, np.uint64)

    def uniform(self, count: int) -> Doubles:
        """Return numbers of [0, 1): multiples of 2**-53, each as likely as the others; a word each."""
        return (self.raw(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def open_uniform(self, count: int) -> Doubles:
        """Return numbers of (0, 1), the middles of 2**52 equal cells; a word each."""
        return ((self.raw(count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    def below(self, bound: int, count: int) -> Integers:
        """Return whole numbers of 0 .. bound - 1, exactly equally likely: words of the last, cut cycle are left."""
        if not 1 <= bound <= 2**62:
            raise DomainError("bound", bound, "1 .. 2**62")
        last = np.uint64(WORD - WORD % bound - 1)
        words = self.raw(count)
        while (kept := words[words <= last]).size < count:
            words = np.concatenate([kept, self.raw(count - kept.size)])
        return (kept % np.uint64(bound)).astype(np.int64)

    def happens(self, probability: float, count: int) -> NDArray[np.bool_]:
        """Return whether an event of that probability happened, for each trial; a word each, exact to 2**-64."""
        whole, part = divmod(probability, 1.0)
        if whole >= 1 or part < 0:
            self.raw(count)
            return np.full(count, probability >= 1)
        return self.raw(count) < np.uint64(int(math.ldexp(part, 64)))

    def normal(self, count: int) -> Doubles:
        """Return standard normal numbers, by inversion; a word each."""
        return normal_quantile(self.open_uniform(count))

    def exponential(self, count: int) -> Doubles:
        """Return exponential numbers of mean 1, by inversion; a word each."""
        return -log(self.open_uniform(count))

    def poisson(self, mean: float, count: int) -> Integers:
        """Return Poisson numbers: sums of numbers of smaller equal means, each by inversion."""
        if mean == 0:
            return np.zeros(count, np.int64)
        parts = max(1, math.ceil(mean / SPLIT))
        table = _poisson_table(mean / parts)
        found = np.searchsorted(table, self.uniform(count * parts), side="right")
        totals: Integers = found.reshape(count, parts).sum(axis=1, dtype=np.int64)
        return totals

    def binomial(self, trials: int, probability: float, count: int) -> Integers:
        """Return how many of the trials happened, for each of `count` runs; a word for each trial."""
        happened = self.happens(probability, count * trials).reshape(count, trials)
        totals: Integers = happened.sum(axis=1, dtype=np.int64)
        return totals

    def choice(self, weights: Sequence[float], count: int) -> Integers:
        """Return places of the weights, each as often as its weight says."""
        ends = np.array([math.fsum(weights[: place + 1]) for place in range(len(weights))])
        found = np.searchsorted(ends, self.uniform(count) * ends[-1], side="right")
        last = int(np.flatnonzero(np.asarray(weights) > 0)[-1])  # rounding never leads to a weight of 0
        places: Integers = np.minimum(found, last)
        return places

    def subsets(self, size: int, chosen: int, count: int) -> Integers:
        """Return `count` rows: the first `chosen` places of random permutations of 0 .. size - 1 (Fisher and Yates)."""
        order = np.tile(np.arange(size, dtype=np.int64), (count, 1))
        rows = np.arange(count)
        for place in range(min(chosen, size - 1)):
            other = place + self.below(size - place, count)
            order[rows, place], order[rows, other] = order[rows, other], order[rows, place].copy()
        return order[:, :chosen]


def _poisson_table(mean: float) -> Doubles:
    """The distribution function of a Poisson variable at 0, 1, 2, ... up to where it no longer grows."""
    term = float(exp(np.array([-mean]))[0])
    total, table, k = term, [term], 0
    while k < mean or term > total * 2.0**-60:
        k += 1
        term = term * mean / k
        total += term
        table.append(total)
    return np.array(table)
