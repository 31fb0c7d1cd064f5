"""Differences between groups of fairlearn, from arrays of people made of the counts."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fairlearn import metrics
from oracle import OracleTable

TABLE = OracleTable("fairlearn", version("fairlearn"))
GROUPS = {"positives_a": (1, 20), "size_a": (20, 60), "positives_b": (21, 60), "size_b": (61, 90)}
RATES = dict.fromkeys(("tpr_a", "fpr_a", "tpr_b", "fpr_b"), (0.05, 0.95))
PEOPLE = 100


def _people(positives_a: int, size_a: int, positives_b: int, size_b: int) -> dict[str, Any]:
    predicted = [1] * positives_a + [0] * (size_a - positives_a) + [1] * positives_b + [0] * (size_b - positives_b)
    groups = ["a"] * size_a + ["b"] * size_b
    return {"y_true": predicted, "y_pred": predicted, "sensitive_features": groups}


def _order(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make group b the one with the larger share, as fairlearn takes them."""
    if drawn["positives_a"] * drawn["size_b"] <= drawn["positives_b"] * drawn["size_a"]:
        return drawn
    return {"positives_a": drawn["positives_b"], "size_a": drawn["size_b"], "positives_b": drawn["positives_a"], "size_b": drawn["size_a"]}


def _equalize(tpr_a: float, fpr_a: float, tpr_b: float, fpr_b: float) -> float:
    true, predicted, groups = [], [], []
    for name, tpr, fpr in (("a", tpr_a, fpr_a), ("b", tpr_b, fpr_b)):
        for label, rate in ((1, tpr), (0, fpr)):
            hits = round(rate * PEOPLE)
            true += [label] * PEOPLE
            predicted += [1] * hits + [0] * (PEOPLE - hits)
            groups += [name] * PEOPLE
    return float(metrics.equalized_odds_difference(true, predicted, sensitive_features=groups))


TABLE.add("metrics.demographic_parity_difference", "fairlearn.metrics.demographic_parity_difference", lambda **counts: -metrics.demographic_parity_difference(**_people(**counts)), prepare=_order, draws=GROUPS, within=1e-12, asked="of the group with the smaller share")
TABLE.add("metrics.disparate_impact_ratio", "fairlearn.metrics.demographic_parity_ratio", lambda **counts: metrics.demographic_parity_ratio(**_people(**counts)), prepare=_order, draws=GROUPS, within=1e-12, asked="of the group with the smaller share")
TABLE.add("metrics.equalized_odds_difference", "fairlearn.metrics.equalized_odds_difference", _equalize, prepare=lambda drawn: {name: round(rate, 2) for name, rate in drawn.items()}, draws=RATES, within=1e-12)
