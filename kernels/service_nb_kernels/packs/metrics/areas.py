"""Areas under curves of ranked scores, exact for any number of them."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from service_nb_kernels.certified import order
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

MP = "mpmath 1.4.1, 50 digits"


def _area(labels: list[int], scores: NDArray[Any]) -> fmpq:
    """The rank sum of the cases, after Mann and Whitney, as a share of all pairs."""
    size, cases = len(labels), sum(labels)
    if cases in (0, size):
        raise DomainError("labels", None, "both classes")
    doubled = sum(rank for rank, label in zip(order.doubled_ranks(scores), labels, strict=True) if label)
    return fmpq(doubled - cases * (cases + 1), 2 * cases * (size - cases))


@capability(
    "metrics.roc_auc",
    tier="certified",
    source="hanley1982, sec. II",
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
