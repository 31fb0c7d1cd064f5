"""BLEU of sacreBLEU from counts of n-grams."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from sacrebleu.metrics import BLEU

TABLE = OracleTable("sacrebleu", version("sacrebleu"))
DRAWS = {"totals": (20, 90), "matches": (0.0, 1.0), "candidate_length": (20, 90), "reference_length": (20, 90), "n": (1, 6)}


def _match(drawn: dict[str, Any]) -> dict[str, Any]:
    """No more n-grams than words or than shorter ones, no more matches than n-grams, and one at least."""
    totals = sorted((min(n, drawn["candidate_length"]) for n in drawn["totals"]), reverse=True)
    return drawn | {"totals": totals, "matches": [max(round(share * n), 1) for share, n in zip(drawn["matches"], totals, strict=True)]}


def _score(matches: list[int], totals: list[int], candidate_length: int, reference_length: int) -> Any:
    return BLEU.compute_bleu(matches, totals, candidate_length, reference_length, smooth_method="none", max_ngram_order=len(matches))


TABLE.add("text_metrics.bleu", "sacrebleu.metrics.BLEU.compute_bleu", lambda **counts: _score(**counts).score / 100, draws=DRAWS, prepare=_match, within=1e-12, asked="without smoothing, over 100")
TABLE.add("text_metrics.brevity_penalty", "sacrebleu.metrics.BLEU.compute_bleu", lambda candidate_length, reference_length: _score([1], [1], candidate_length, reference_length).bp, draws=DRAWS, within=1e-12, asked="bp")
