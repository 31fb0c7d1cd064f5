"""Parts of BM25 of bm25s."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import bm25s
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("bm25s", version("bm25s"))
DRAWS = {"documents": (50, 9000), "document_frequency": (1, 49), "document_frequencies": (1, 49), "frequencies": (0, 9), "frequency": (1, 20), "idf": (0.1, 6), "length": (20, 300), "mean_length": (50, 200), "k1": (0.5, 2), "b": (0.1, 0.9), "n": (1, 4)}


def _rate(frequency: Any, length: float, mean_length: float, k1: float, b: float) -> Any:
    return bm25s.scoring._score_tfc_atire(np.array(frequency, dtype=float), length, mean_length, k1, b)


def _idf(frequency: int, documents: int) -> float:
    return bm25s.scoring._score_idf_lucene(frequency, documents)


TABLE.add("rag_retrieval.bm25_idf", "bm25s.scoring._score_idf_lucene", lambda documents, document_frequency: _idf(document_frequency, documents), draws=DRAWS, within=1e-12)
TABLE.add("rag_retrieval.bm25_term_score", "bm25s.scoring._score_tfc_atire", lambda idf, frequency, length, mean_length, k1, b: idf * _rate(frequency, length, mean_length, k1, b), draws=DRAWS, within=1e-12, asked="times the inverse document frequency")
TABLE.add("rag_retrieval.bm25_score", "bm25s.scoring._score_tfc_atire", lambda frequencies, document_frequencies, documents, length, mean_length, k1, b: sum(_idf(each, documents) * rate for each, rate in zip(document_frequencies, _rate(frequencies, length, mean_length, k1, b), strict=True)), draws=DRAWS, within=1e-12, asked="times _score_idf_lucene, summed")
