"""Metrics of ranked retrieval of ranx."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from ranx import Qrels, Run, evaluate

TABLE = OracleTable("ranx", version("ranx"))
RANKED = {"n": (5, 8), "relevant": (0, 1), "k": (1, 6), "total": (8, 9), "persistence": [0.5, 0.8, 0.95]}


def _judge(relevant: Any, metric: str, total: int = 0) -> float:
    """Evaluate a run of one query; relevant items that it did not find are judged as well."""
    missing = max(total - sum(relevant), 0)
    judged = {f"d{at}": int(grade) for at, grade in enumerate(relevant)} | {f"m{at}": 1 for at in range(missing)}
    run = {f"d{at}": float(len(relevant) - at) for at in range(len(relevant))}
    return float(evaluate(Qrels({"q": judged}), Run({"q": run}), metric))


def _add(capability: str, metric: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"metrics.{capability}", f"ranx.metrics.{metric}", compute, **{"within": 1e-10, "near_zero": 1e-13, "draws": RANKED, **more})


_add("reciprocal_rank", "reciprocal_rank", lambda relevant: _judge(relevant, "mrr"))
_add("precision_at_k", "precision", lambda relevant, k: _judge(relevant, f"precision@{k}"))
_add("recall_at_k", "recall", lambda relevant, k, total: _judge(relevant, f"recall@{k}", total))
_add("average_precision_ranked", "average_precision", lambda relevant, total: _judge(relevant, "map", total))
_add("r_precision", "r_precision", lambda relevant, total: _judge(relevant, "r-precision", total))
_add("bpref", "bpref", lambda relevant: _judge(relevant, "bpref"))
_add("rank_biased_precision", "rank_biased_precision", lambda gains, persistence: _judge(gains, f"rbp.{round(persistence * 100)}"), draws=RANKED | {"gains": [0.0, 1.0, 1.0, 0.0, 1.0], "persistence": [0.5, 0.8, 0.95]})
_add("mean_reciprocal_rank", "reciprocal_rank", lambda ranks: sum(_judge([0] * (rank - 1) + [1], "mrr") for rank in ranks) / len(ranks), draws={"ranks": (1, 9), "n": (2, 5)}, asked="mean")
_add("hit_rate_at_k", "hit_rate", lambda ranks, k: sum(_judge([0] * (rank - 1) + [1], f"hit_rate@{k}") for rank in ranks) / len(ranks), draws={"ranks": (1, 9), "n": (2, 5), "k": (1, 6)}, asked="mean")
