"""The confusion matrix of any number of classes."""

from __future__ import annotations

from typing import Any

from service_nb_kernels.declare import P, R, capability, case


@capability(
    "metrics.confusion_matrix",
    tier="certified",
    version=2,
    source="sokolova2009, tab. 1",
    compares=["labels", "predictions"],
    params={
        "labels": P("int[n]", domain="[0, 9999]", about="true classes, counted from 0", min_size=1),
        "predictions": P("int[n]", domain="[0, 9999]", about="predicted classes, counted from 0"),
        "classes": P("int", domain="[1, 200]", about="number of classes"),
    },
    result=R("int[k,k]", unit="1", about="confusion matrix: true classes down, predicted classes across"),
    requires=["max(labels) < classes", "max(predictions) < classes"],
    limit={"n": 100000},
    cases=[
        case(
            labels=[0, 1, 2, 2, 0],
            predictions=[0, 2, 2, 2, 1],
            classes=3,
            result=[[1, 1, 0], [0, 0, 1], [0, 0, 2]],
            origin="numpy 2.4.6, numpy.histogram2d",
        ),
        case(
            labels=[1, 0, 1, 1, 0, 1],
            predictions=[1, 1, 0, 1, 0, 1],
            classes=2,
            result=[[1, 1], [1, 3]],
            within=1e-12,
            origin="scikit-learn 1.9.1, sklearn.metrics.confusion_matrix",
        ),
    ],
)
def confusion_matrix(labels: list[int], predictions: list[int], classes: int) -> Any:
    """Counts of each pair of true and predicted class, true classes down."""
    table = [[0] * classes for _ in range(classes)]
    for label, prediction in zip(labels, predictions, strict=True):
        table[label][prediction] += 1
    return table
