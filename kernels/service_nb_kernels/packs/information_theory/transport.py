"""Distances of two samples by the work that moves the mass of one to the other."""

from __future__ import annotations

import numpy as np

from service_nb_kernels.certified import sums
from service_nb_kernels.declare import P, R, capability, case

SCIPY = "scipy 1.17.1, scipy.stats.wasserstein_distance"


@capability(
    "information_theory.wasserstein_distance",
    tier="certified",
    version=2,
    source="villani2009, ch. 6",
    latex=r"\int_{-\infty}^{\infty} \left|F(x) - G(x)\right| dx",
    compares=["first", "second"],
    params={
        "first": P("float64[m]", unit="?u", about="one sample", min_size=1),
        "second": P("float64[n]", unit="?u", about="the other sample", min_size=1),
    },
    result=R(unit="?u", about="first Wasserstein distance"),
    limit={"m": 20_000, "n": 20_000},
    keywords=["earth mover's distance", "optimal transport"],
    cases=[
        case(first=[0.0, 1.0], second=[1.0, 2.0], result=1.0, origin="by hand"),
        case(
            first=[1.0, 3.5, 2.0], second=[0.5, 2.5, 6.0], result=1.1666666666666667, origin="mpmath 1.4.1, 50 digits"
        ),
        case(
            first=[0.1, 0.2, 0.7, 0.4],
            second=[0.3, 0.9, 0.1, 0.0],
            result=0.12500000000000003,
            within=1e-12,
            origin=SCIPY,
        ),
        case(
            first=[3.4, 3.9, 7.5, 7.8],
            second=[4.5, 1.4],
            result=2.7,
            within=1e-12,
            origin=SCIPY + ": sizes that differ",
        ),
        case(
            first=[0.1, 0.2, 0.7, 0.4, 2.5],
            second=[0.3, 0.9, 0.1],
            result=0.41333333333333333,
            within=1e-12,
            origin=SCIPY + ": sizes that differ",
        ),
    ],
)
def wasserstein_distance(first, second):
    """Least work that moves one sample's mass to another's on the line: the area between their distributions."""
    m, n = int(first.size), int(second.size)
    places = np.sort(np.concatenate([sums.finite(first, "first"), sums.finite(second, "second")]))
    below = [np.searchsorted(np.sort(v), places, side="right").astype(np.int64) for v in (first, second)]
    heights = np.abs(below[0] * n - below[1] * m)  # of the area above each place, times m n; none above the last
    # The area is a sum over the places themselves, since their differences may be no doubles.
    weights = np.diff(heights, prepend=0).astype(np.float64)
    return -sums.dot(weights, places) / (m * n)
