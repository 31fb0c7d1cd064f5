"""Metrics, kernels and linear models of scikit-learn."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from oracle import OracleTable
from sklearn import linear_model, metrics, preprocessing
from sklearn.gaussian_process import kernels
from sklearn.metrics import pairwise

TABLE = OracleTable("scikit-learn", sklearn.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"sklearn.{function}", compute, **{"within": 1e-10, "near_zero": 1e-13, **more})


# Classes, from counts: the labels that have them
RIGHT = dict.fromkeys(("tp", "fp", "fn", "tn", "tp_a", "fp_a", "fn_a", "tp_b", "fp_b", "fn_b"), (1, 20))


def _labels(tp: int = 0, fp: int = 0, fn: int = 0, tn: int = 0) -> tuple[list[int], list[int]]:
    return [1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * tp + [1] * fp + [0] * fn + [0] * tn


def _recall(label: int, **counts: int) -> float:
    return float(metrics.recall_score(*_labels(**counts), pos_label=label))


def _precision(label: int, **counts: int) -> float:
    return float(metrics.precision_score(*_labels(**counts), pos_label=label))


_add("metrics.specificity", "metrics.recall_score", lambda **counts: _recall(0, **counts), draws=RIGHT, asked="of label 0")
_add("metrics.negative_predictive_value", "metrics.precision_score", lambda **counts: _precision(0, **counts), draws=RIGHT, asked="of label 0")
_add("metrics.false_positive_rate", "metrics.recall_score", lambda **counts: 1 - _recall(0, **counts), draws=RIGHT, asked="1 less that of label 0")
_add("metrics.false_negative_rate", "metrics.recall_score", lambda **counts: 1 - _recall(1, **counts), draws=RIGHT, asked="1 less it")
_add("metrics.false_discovery_rate", "metrics.precision_score", lambda **counts: 1 - _precision(1, **counts), draws=RIGHT, asked="1 less it")
_add("metrics.false_omission_rate", "metrics.precision_score", lambda **counts: 1 - _precision(0, **counts), draws=RIGHT, asked="1 less that of label 0")
_add("metrics.markedness", "metrics.precision_score", lambda **counts: _precision(1, **counts) + _precision(0, **counts) - 1, draws=RIGHT, asked="of both labels, less 1")
_add("metrics.diagnostic_odds_ratio", "metrics.class_likelihood_ratios", lambda **counts: (lambda found: found[0] / found[1])(metrics.class_likelihood_ratios(*_labels(**counts))), draws=RIGHT, asked="positive over negative")
_add("metrics.equal_opportunity_difference", "metrics.recall_score", lambda tp_a, fn_a, tp_b, fn_b: _recall(1, tp=tp_a, fn=fn_a) - _recall(1, tp=tp_b, fn=fn_b), draws=RIGHT, asked="difference")
_add("metrics.predictive_parity_difference", "metrics.precision_score", lambda tp_a, fp_a, tp_b, fp_b: _precision(1, tp=tp_a, fp=fp_a) - _precision(1, tp=tp_b, fp=fp_b), draws=RIGHT, asked="difference")
SCORED = {"n": (6, 12)}


def _two(drawn: dict[str, Any]) -> dict[str, Any]:
    """Let the first two labels be of both classes."""
    return drawn | {"labels": [0, 1, *drawn["labels"][2:]]}


def _scale(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make probabilities of the rows."""
    rows = [[0.05 + abs(each) for each in row] for row in drawn["probabilities"]]
    whole = [[round(each / sum(row), 4) for each in row] for row in rows]
    size = len(whole[0])
    return {"labels": [at % size for at in range(len(whole))], "probabilities": [[*row[:-1], round(1 - sum(row[:-1]), 4)] for row in whole]}


_add("metrics.gini_coefficient", "metrics.roc_auc_score", lambda labels, scores: 2 * metrics.roc_auc_score(labels, scores) - 1, draws=SCORED, prepare=_two, asked="twice, less 1")
_add("metrics.categorical_log_loss", "metrics.log_loss", lambda labels, probabilities: metrics.log_loss(labels, probabilities, labels=range(len(probabilities[0]))), draws={"n": (6, 9), "k": (3, 4)}, prepare=_scale)
_add("metrics.multiclass_brier_score", "metrics.brier_score_loss", lambda labels, probabilities: metrics.brier_score_loss(labels, probabilities, labels=range(len(probabilities[0]))), draws={"n": (6, 9), "k": (3, 4)}, prepare=_scale)
_add("metrics.brier_skill_score", "metrics.d2_brier_score", lambda labels, probabilities: metrics.d2_brier_score(labels, probabilities), draws={"n": (6, 12), "probabilities": (0.02, 0.98)}, prepare=_two)
_add("metrics.exponential_gain_dcg", "metrics.dcg_score", lambda grades: metrics.dcg_score([[2**each - 1 for each in grades]], [list(range(len(grades), 0, -1))]), draws={"grades": [0.0, 1.0, 2.0, 3.0], "n": (3, 8)}, asked="of 2^grade - 1")


def _items(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """List the classes and the clusters of the items of a table."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in pairs], [j for _, j in pairs]


TABLES = {"table": (0, 5), "r": (2, 3), "c": (2, 3)}
_add("metrics.pair_jaccard", "metrics.cluster.pair_confusion_matrix", lambda table: (lambda found: found[1][1] / (found[0][1] + found[1][0] + found[1][1]))(metrics.cluster.pair_confusion_matrix(*_items(table))), draws=TABLES, asked="both over any")
_add("metrics.purity", "metrics.cluster.contingency_matrix", lambda table: (lambda found: found.max(axis=0).sum() / found.sum())(metrics.cluster.contingency_matrix(*_items(table))), draws=TABLES, asked="sum of largest counts over all")
_add(
    "metrics.variation_of_information",
    "metrics.cluster.mutual_info_score",
    lambda table: (lambda first, second: metrics.mutual_info_score(first, first) + metrics.mutual_info_score(second, second) - 2 * metrics.mutual_info_score(first, second))(*_items(table)),
    draws=TABLES,
    asked="of each with itself, less twice that of both",
)


def _cluster(points: Any, labels: Any, clusters: int) -> float:
    centers = [np.mean([x for x, c in zip(points, labels, strict=True) if c == a], axis=0) for a in range(clusters)]
    return float(np.sum(pairwise.paired_euclidean_distances(points, [centers[c] for c in labels]) ** 2))


_add("metrics.inertia", "metrics.pairwise.paired_euclidean_distances", _cluster, draws={"n": (6, 9), "d": (2, 3), "clusters": (2, 3)}, prepare=lambda drawn: drawn | {"labels": [at % drawn["clusters"] for at in range(len(drawn["points"]))]}, asked="to the means, squared")

# Forecasts
ERRORS = {"actual": (0.5, 9), "predicted": (0.5, 9), "n": (4, 9)}

# Kernels and losses
PAIR = {"d": (2, 4), "scale": (0.5, 3), "shape": (0.5, 4), "period": (0.5, 4)}


def _add_kernel(name: str, kernel: Any, function: str) -> None:
    _add(f"ml.{name}_kernel", f"gaussian_process.kernels.{function}", lambda first, second, **more: kernel(**more)(np.atleast_2d(first), np.atleast_2d(second))[0, 0], draws=PAIR)


_add_kernel("rbf", lambda scale: kernels.RBF(scale), "RBF")
for _nu, _name in ((0.5, "matern12"), (1.5, "matern32"), (2.5, "matern52")):
    _add_kernel(_name, lambda scale, nu=_nu: kernels.Matern(scale, nu=nu), "Matern")
_add_kernel("rational_quadratic", lambda shape, scale: kernels.RationalQuadratic(scale, shape), "RationalQuadratic")
_add_kernel("periodic", lambda period, scale: kernels.ExpSineSquared(scale, period), "ExpSineSquared")
_add("ml.polynomial_kernel", "metrics.pairwise.polynomial_kernel", lambda first, second, gain, offset, degree: pairwise.polynomial_kernel([first], [second], degree=degree, gamma=gain, coef0=offset)[0, 0], draws={"d": (2, 4), "degree": (1, 4), "gain": (0.2, 2), "offset": (0, 2)})
_add("linalg.gram_matrix", "metrics.pairwise.linear_kernel", lambda vectors: pairwise.linear_kernel(vectors, vectors))
_add("linalg.ridge_solution", "linear_model.Ridge", lambda matrix, right, penalty: linear_model.Ridge(penalty, fit_intercept=False, solver="cholesky").fit(matrix, right).coef_, draws={"m": (6, 9), "n": (2, 3)})
_add("stats.ridge_regression", "linear_model.Ridge", lambda design, response, penalty: linear_model.Ridge(penalty, fit_intercept=False, solver="cholesky").fit(design, response).coef_, draws={"n": (6, 9), "p": (2, 3)})
_add("stats.min_max_scale", "preprocessing.minmax_scale", lambda values: preprocessing.minmax_scale(values), near_zero=1e-15)
_add(
    "geometry.central_angle",
    "metrics.pairwise.haversine_distances",
    lambda latitude_a, longitude_a, latitude_b, longitude_b: pairwise.haversine_distances([[latitude_a, longitude_a]], [[latitude_b, longitude_b]])[0, 0],
    draws={"latitude_a": (-1.5, 1.5), "latitude_b": (-1.5, 1.5), "longitude_a": (-3, 3), "longitude_b": (-3, 3)},
)
