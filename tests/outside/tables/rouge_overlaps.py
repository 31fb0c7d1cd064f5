"""ROUGE of rouge-score, of texts that have the counts."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from rouge_score.rouge_scorer import RougeScorer

TABLE = OracleTable("rouge-score", version("rouge-score"))


def _score(overlap: int, candidate: int, reference: int) -> float:
    same = [f"w{at}" for at in range(overlap)]
    texts = (" ".join([*same, *(f"{mark}{at}" for at in range(whole - overlap))]) for mark, whole in (("x", reference), ("y", candidate)))
    return RougeScorer(["rouge1"]).score(*texts)["rouge1"].fmeasure


TABLE.add("text_metrics.rouge_f", "rouge_score.rouge_scorer.RougeScorer.score", _score, draws={"overlap": (1, 9), "candidate": (10, 40), "reference": (10, 40)}, within=1e-12, asked="rouge1, fmeasure")
