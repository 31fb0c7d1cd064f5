"""Measures of ranked scores by their thresholds, exact for any number of them."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified import order
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

MP = "mpmath 1.4.1, 50 digits"


def _area(labels: list[int], scores: NDArray[Any]) -> fmpq:
    """The rank sum of the cases, after Mann and Whitney, as a share of all pairs."""
    size, cases = len(labels), sum(labels)
    if cases in (0, size):
        raise DomainError("labels", None, "both classes")
    doubled = sum(rank for rank, label in zip(order.doubled_ranks(scores), labels, strict=True) if label)
    return fmpq(doubled - cases * (cases + 1), 2 * cases * (size - cases))


def _thresholds(labels: list[int], scores: NDArray[Any]) -> tuple[list[int], list[int]]:
    """Return how many cases and others have each distinct score, the highest first."""
    distinct, places = np.unique(scores + 0.0, return_inverse=True)
    of_cases = np.asarray(labels, dtype=bool)
    counts = [np.bincount(places.ravel()[chosen], minlength=distinct.size) for chosen in (of_cases, ~of_cases)]
    found, others = ([int(count) for count in part[::-1].tolist()] for part in counts)
    return found, others


@capability(
    "metrics.roc_auc",
    tier="certified",
    source="hanley1982, sec. II",
    compares=["labels", "scores"],
    params={
        "labels": P("int[n]", domain="[0, 1]", about="true classes, 1 for a case", min_size=1),
        "scores": P("float64[n]", about="scores, higher for likelier cases"),
    },
    result=R("float64", unit="1", about="area under the ROC curve"),
    limit={"n": 1000000},
    keywords=["AUROC", "AUC", "Mann-Whitney", "concordance"],
    cases=[
        case(labels=[0, 1], scores=[0.2, 0.7], result=1.0, origin="by hand"),
        case(labels=[0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], result=0.75, origin=MP),
        case(
            labels=[1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
            scores=[0.9, 0.9, 0.8, 0.7, 0.65, 0.4, 0.4, 0.3, 0.2, 0.15],
            result=0.64,
            within=1e-12,
            origin="scikit-learn 1.9.1, sklearn.metrics.roc_auc_score",
        ),
        case(labels=[1, 1], scores=[0.2, 0.7], error="domain_error", origin="by hand"),
    ],
)
def roc_auc(labels: list[int], scores: NDArray[Any]) -> Any:
    """Area under the ROC curve: the chance that a case scores above another, ties counting half."""
    return _area(labels, scores)


@capability(
    "metrics.gini_coefficient",
    tier="certified",
    source="thomas2002, sec. 7.5",
    compares=["labels", "scores"],
    params={
        "labels": P("int[n]", domain="[0, 1]", about="true classes, 1 for a case", min_size=1),
        "scores": P("float64[n]", about="scores, higher for likelier cases"),
    },
    result=R("float64", unit="1", about="Gini coefficient"),
    limit={"n": 1000000},
    keywords=["credit scoring", "accuracy ratio", "Somers' D"],
    cases=[
        case(labels=[0, 1], scores=[0.2, 0.7], result=1.0, origin="by hand"),
        case(labels=[0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], result=0.5, origin=MP),
        case(
            labels=[1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
            scores=[0.9, 0.9, 0.8, 0.7, 0.65, 0.4, 0.4, 0.3, 0.2, 0.15],
            result=0.28,
            origin=MP,
        ),
        case(
            labels=[0, 1, 0, 1, 1, 1, 0, 1, 1, 0],
            scores=[1.49, -0.382, 1.27, -2.26, 4.89, 0.532, -1.78, 2.94, 3.04, 0.00234],
            result=0.25,
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.metrics.roc_auc_score: twice, less 1",
        ),
    ],
)
def gini_coefficient(labels: list[int], scores: NDArray[Any]) -> Any:
    """Gini coefficient of a classifier's scores: twice the area under the ROC curve less one."""
    return 2 * _area(labels, scores) - 1


@capability(
    "metrics.average_precision",
    tier="certified",
    version=3,
    source="manning2008, sec. 8.4",
    compares=["labels", "scores"],
    params={
        "labels": P("int[n]", domain="[0, 1]", about="true classes, 1 for a case", min_size=1),
        "scores": P("float64[n]", about="scores, higher for likelier cases"),
    },
    result=R("float64", unit="1", about="average precision", range="[0, 1]"),
    limit={"n": 100000},
    keywords=["AP", "precision-recall curve"],
    cases=[
        case(
            labels=[1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
            scores=[0.9, 0.9, 0.8, 0.7, 0.65, 0.4, 0.4, 0.3, 0.2, 0.15],
            result=0.6087301587301587,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            labels=[0, 0, 1, 1],
            scores=[0.1, 0.4, 0.35, 0.8],
            result=0.8333333333333333,
            within=1e-12,
            origin="scikit-learn 1.9.1, sklearn.metrics.average_precision_score",
        ),
        case(labels=[0, 0], scores=[0.2, 0.7], error="domain_error", origin="by hand: no case"),
    ],
)
def average_precision(labels: list[int], scores: NDArray[Any]) -> Any:
    """Average precision: precision at each threshold weighted by the recall it adds."""
    cases = sum(labels)
    if cases == 0:
        raise DomainError("labels", None, "at least one case")
    total, hits, taken = arb(0), 0, 0
    for found, others in zip(*_thresholds(labels, scores), strict=True):
        hits, taken = hits + found, taken + found + others
        if found:
            total += arb(found * hits) / taken
    return total / cases


@capability(
    "metrics.kolmogorov_smirnov_score",
    tier="certified",
    version=2,
    source="thomas2002, sec. 7.4",
    compares=["labels", "scores"],
    params={
        "labels": P("int[n]", domain="[0, 1]", about="true classes, 1 for a case", min_size=1),
        "scores": P("float64[n]", about="scores, higher for likelier cases"),
    },
    result=R("float64", unit="1", about="Kolmogorov-Smirnov distance", range="[0, 1]"),
    limit={"n": 1000000},
    keywords=["KS statistic", "credit scoring"],
    cases=[
        case(
            labels=[0, 0, 1, 1],
            scores=[0.1, 0.4, 0.35, 0.8],
            result=0.5,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            labels=[1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
            scores=[0.9, 0.9, 0.8, 0.7, 0.65, 0.4, 0.4, 0.3, 0.2, 0.15],
            result=0.4,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.ks_2samp",
        ),
        case(labels=[1, 1], scores=[0.2, 0.7], error="domain_error", origin="by hand: one class"),
    ],
)
def kolmogorov_smirnov_score(labels: list[int], scores: NDArray[Any]) -> Any:
    """Largest distance between the score distributions of the two classes."""
    size, cases = len(labels), sum(labels)
    if cases in (0, size):
        raise DomainError("labels", None, "both classes")
    widest = ahead = 0
    for found, others in zip(*_thresholds(labels, scores), strict=True):
        ahead += found * (size - cases) - others * cases
        widest = max(widest, abs(ahead))
    return fmpq(widest, cases * (size - cases))
