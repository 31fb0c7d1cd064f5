"""Measures of a clustering from the distances of all its points to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import arb, fmpq, fmpz, fmpz_mat

from service_nb_kernels.certified.matrices import integers
from service_nb_kernels.certified.order import square_root
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

SEVEN = [[0.0, 0.1], [0.3, 0.0], [2.0, 2.1], [2.2, 1.7], [0.2, 0.4], [5.0, 0.5], [5.5, 0.2]]
THREE = [0, 0, 1, 1, 0, 2, 2]
ON_A_LINE, TWO = [[1.0], [1.5], [4.0], [4.25], [6.0]], [0, 0, 1, 1, 1]
BLOCK = 64  # points whose products with all others are made at a time


def squared_distances(points: NDArray[Any]) -> Iterator[tuple[int, list[fmpz]]]:
    """Yield each point's place with its exact squared distances to those before it, to a common scale."""
    whole, _ = integers(points)
    table = whole.tolist()
    norms = [sum((x * x for x in row), fmpz(0)) for row in table]
    turned = whole.transpose()
    for start in range(0, len(table), BLOCK):
        check_deadline()
        products = (fmpz_mat(table[start : start + BLOCK]) * turned).tolist()
        for i, row in enumerate(products, start):
            yield i, [norms[i] + norms[j] - 2 * row[j] for j in range(i)]


def exact(total: Any) -> Any:
    """Return a sum of roots as a whole number where all of them are whole."""
    return fmpq(total.unique_fmpz()) if total.is_exact() and total.unique_fmpz() is not None else total


def silhouette_of(own: Any, other: Any) -> Any:
    """Return the silhouette of a point from its mean distances to its own and to the nearest other cluster."""
    if isinstance(own, fmpq) and isinstance(other, fmpq):
        return (other - own) / max(own, other) if own != other else fmpq(0)
    return (arb(other) - arb(own)) / arb(own).max(arb(other))


def nearest(means: Sequence[Any]) -> Any:
    """Return the least of numbers, some of which may be balls."""
    if all(isinstance(mean, fmpq) for mean in means):
        return min(means)
    least = arb(means[0])
    for mean in means[1:]:
        least = least.min(arb(mean))
    return least


@capability(
    "metrics.silhouette",
    tier="certified",
    version=3,
    source="rousseeuw1987, sec. 2",
    params={
        "points": P("float64[n,d]", about="coordinates: a point a row", min_size=2),
        "labels": P("int[n]", domain="[0, 999]", about="cluster of each point, counted from 0"),
        "clusters": P("int", domain="[2, 100]", about="number of clusters, each of which has points"),
    },
    result=R("float64", unit="1", about="mean silhouette; a point alone in its cluster counts 0", range="[-1, 1]"),
    requires=["max(labels) < clusters"],
    limit={"n": 1000, "d": 100},
    keywords=["cluster validity", "number of clusters"],
    cases=[
        case(
            points=SEVEN,
            labels=THREE,
            clusters=3,
            result=0.8433243031174954,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            points=ON_A_LINE,
            labels=TWO,
            clusters=2,
            result=0.7151318856582014,
            within=1e-12,
            origin="scikit-learn 1.9.1, sklearn.metrics.silhouette_score",
        ),
        case(
            points=[[1.0], [1.0], [1.0], [3.0]],
            labels=[0, 0, 1, 1],
            clusters=2,
            result=0.25,
            origin="by hand: (1 + 1 - 1 + 0) / 4",
        ),
        case(
            points=[[1.0], [1.0], [1.0], [1.0]],
            labels=[0, 0, 1, 1],
            clusters=2,
            result=0.0,
            origin="by hand: points at one place are neither near nor far",
        ),
        case(
            points=[[0.0], [1.0], [5.0]],
            labels=[0, 0, 0],
            clusters=2,
            error="domain_error",
            origin="by hand: an empty cluster",
        ),
    ],
)
def silhouette(points: NDArray[Any], labels: list[int], clusters: int) -> Any:
    """Mean silhouette of a clustering under Euclidean distance, from -1 to 1."""
    sizes = [0] * clusters
    for label in labels:
        sizes[label] += 1
    if 0 in sizes:
        raise DomainError("labels", sizes.index(0), "points in each cluster")
    reach = [[arb(0)] * clusters for _ in labels]
    for i, squares in squared_distances(points):
        check_deadline()
        here, mine = reach[i], labels[i]
        for j, square in enumerate(squares):
            distance = arb(square).sqrt()
            here[labels[j]] += distance
            reach[j][mine] += distance
    total = fmpq(0)
    for label, sums in zip(labels, reach, strict=True):
        if sizes[label] > 1:
            own = exact(sums[label]) / (sizes[label] - 1)
            total += silhouette_of(
                own, nearest([exact(s) / k for a, (s, k) in enumerate(zip(sums, sizes, strict=True)) if a != label])
            )
    return total / len(labels)


@capability(
    "metrics.dunn_index",
    tier="certified",
    version=3,
    source="dunn1974",
    params={
        "points": P("float64[n,d]", about="coordinates: a point a row", min_size=2),
        "labels": P("int[n]", domain="[0, 999]", about="cluster of each point"),
    },
    result=R("float64", unit="1", about="Dunn index", range="[0, inf)"),
    requires=["max(labels) > min(labels)"],
    limit={"n": 1000, "d": 100},
    keywords=["cluster validity", "number of clusters"],
    cases=[
        case(
            points=SEVEN,
            labels=THREE,
            result=4.0908793819479765,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            points=ON_A_LINE,
            labels=TWO,
            result=1.25,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            points=[
                [-0.194, -8.28],
                [0.366, 3.55],
                [6.94, 6.41],
                [8.39, 3.91],
                [-5.22, -3.89],
                [1.07, 6.08],
                [-1.13, 1.79],
                [-7.1, -2.52],
            ],
            labels=[0, 1, 0, 0, 0, 1, 1, 1],
            result=0.14244506067914461,
            within=1e-14,
            origin="validclust 0.1.1, validclust.dunn",
        ),
        case(
            points=[
                [-2.66, -8.97],
                [8.51, -3.43],
                [-0.364, -7.17],
                [5.98, -7.27],
                [-1.38, 7.77],
                [-5.31, -3.35],
                [7.73, -4.26],
            ],
            labels=[0, 0, 1, 1, 1, 1, 0],
            result=0.17423656915435215,
            within=1e-14,
            origin="validclust 0.1.1, validclust.dunn",
        ),
        case(points=[[0.0], [1.0]], labels=[0, 1], error="domain_error", origin="by hand: no cluster has a diameter"),
    ],
)
def dunn_index(points: NDArray[Any], labels: list[int]) -> Any:
    """Dunn index: least distance between clusters over the largest diameter of one."""
    gap: fmpz | None = None
    diameter = fmpz(0)
    for i, squares in squared_distances(points):
        check_deadline()
        mine = labels[i]
        for j, square in enumerate(squares):
            if labels[j] == mine:
                diameter = max(diameter, square)
            elif gap is None or square < gap:
                gap = square
    if gap is None or diameter == 0:
        raise DomainError("labels", None, "a cluster with two points that are apart")
    return square_root(fmpq(gap, diameter))
