"""Richness of vocabulary of lexicalrichness, of texts that have the counts."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from lexicalrichness import LexicalRichness
from oracle import OracleTable

TABLE = OracleTable("lexicalrichness", version("lexicalrichness"))
DRAWS = {"counts": (1, 9), "n": (3, 9), "types": (3, 20), "tokens": (21, 60)}


def _write(counts: list[int]) -> Any:
    return LexicalRichness(" ".join(" ".join(["abcdefghijklmnopqrstuvwxyz"[at] * 3] * count) for at, count in enumerate(counts)))


TABLE.add("text_metrics.yule_k", "lexicalrichness.LexicalRichness.yulek", lambda counts: _write(counts).yulek, draws=DRAWS, within=1e-11)
TABLE.add("text_metrics.herdan_c", "lexicalrichness.LexicalRichness.Herdan", lambda types, tokens: _write([tokens - types + 1] + [1] * (types - 1)).Herdan, draws=DRAWS, within=1e-11)
