"""Variation of populations by scikit-allel."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import allel
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("scikit-allel", version("scikit-allel"))
SITES = {"n": [3, 12], "derived": [1, 11], "chromosomes": [12, 40], "sites": [1, 200]}
MANY = 1000  # chromosomes that stand for a frequency
NAMES = ("h1", "h12", "h123", "h2_h1")


def count(derived: Sequence[int], chromosomes: int) -> allel.AlleleCountsArray:
    """Make allele counts of sites."""
    return allel.AlleleCountsArray([[chromosomes - each, each] for each in derived])


def share(frequencies: Sequence[float]) -> allel.AlleleCountsArray:
    """Make allele counts of frequencies."""
    return count([round(each * MANY) for each in frequencies], MANY)


def compare_populations(first: Sequence[int], first_many: int, second: Sequence[int], second_many: int) -> float:
    """Return Hudson's FST over all sites."""
    above, below = allel.hudson_fst(count(first, first_many), count(second, second_many))
    return float(above.sum() / below.sum())


def find_d(*populations: Sequence[float]) -> float:
    """Return Patterson's D over all sites."""
    above, below = allel.patterson_d(*map(share, populations))
    return float(above.sum() / below.sum())


def make_haplotypes(counts: Sequence[int]) -> allel.HaplotypeArray:
    """Make that many copies of each haplotype: haplotype k has its one at site k."""
    which = np.repeat(np.arange(len(counts)), counts)
    return allel.HaplotypeArray((np.arange(len(counts))[:, None] == which[None, :]).astype("i1"))


TABLE.add(
    "genetics.mean_pairwise_differences",
    "allel.mean_pairwise_difference",
    lambda derived, chromosomes: float(allel.mean_pairwise_difference(count(derived, chromosomes)).sum()),
    draws=SITES,
)
TABLE.add(
    "genetics.watterson_estimator",
    "allel.watterson_theta",
    lambda sites, chromosomes: (
        sites
        * float(allel.watterson_theta(np.arange(1, sites + 1), count([1] * sites, chromosomes), start=1, stop=sites))
    ),
    draws=SITES,
    asked="for each site, times the sites",
)
TABLE.add(
    "genetics.tajima_d",
    "allel.tajima_d",
    lambda derived, chromosomes: float(allel.tajima_d(count(derived, chromosomes), min_sites=1)),
    draws=SITES,
    within=1e-9,
)
TABLE.add(
    "genetics.haplotype_diversity",
    "allel.haplotype_diversity",
    lambda counts: float(allel.haplotype_diversity(make_haplotypes(counts))),
    draws={"n": [2, 6], "counts": [1, 9]},
)
TABLE.add(
    "genetics.hudson_fst",
    "allel.hudson_fst",
    lambda first, first_chromosomes, second, second_chromosomes: compare_populations(
        first, first_chromosomes, second, second_chromosomes
    ),
    draws={"first": [0, 20], "second": [0, 20], "first_chromosomes": [20, 30], "second_chromosomes": [20, 30]},
    within=1e-10,
    near_zero=1e-13,
)
TABLE.add(
    "genetics.absolute_divergence",
    "allel.mean_pairwise_difference_between",
    lambda first, second: float(allel.mean_pairwise_difference_between(share(first), share(second)).sum()),
    draws={"first": [0.1, 0.999], "second": [0.1, 0.999]},
)
TABLE.add(
    "genetics.patterson_d",
    "allel.patterson_d",
    find_d,
    draws={name: [0.1, 0.999] for name in ("first", "second", "third", "outgroup")},
    within=1e-9,
    near_zero=1e-13,
)
TABLE.add(
    "genetics.garud_statistics",
    "allel.garud_h",
    lambda counts: dict(zip(NAMES, map(float, allel.garud_h(make_haplotypes(counts))), strict=True)),
    draws={"n": [3, 7], "counts": [1, 9]},
    within=1e-11,
)
