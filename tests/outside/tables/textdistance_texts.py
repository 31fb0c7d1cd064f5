"""Similarities of texts by textdistance."""

from __future__ import annotations

from importlib.metadata import version

import textdistance
from oracle import OracleTable

TABLE = OracleTable("textdistance", version("textdistance"))
WORDS = [
    "GATTACA", "GCATGCG", "kitten", "sitting", "Saturday", "Sunday", "a cat", "an act", "night", "nacht",
    "context", "contact", "receive", "recieve", "industry", "interest", "banana", "ananas", "Michelle", "Michael",
]  # fmt: skip
TEXTS = {"first": WORDS, "second": WORDS, "size": [1, 3], "gap": [0.5, 1.0, 1.5, 2.0]}

TABLE.add(
    "text_metrics.longest_common_subsequence",
    "textdistance.LCSSeq.similarity",
    lambda first, second: textdistance.LCSSeq(external=False).similarity(first, second),
    draws=TEXTS,
)
TABLE.add(
    "text_metrics.longest_common_substring",
    "textdistance.LCSStr.similarity",
    lambda first, second: textdistance.LCSStr(external=False).similarity(first, second),
    draws=TEXTS,
)
TABLE.add(
    "text_metrics.gram_dice_similarity",
    "textdistance.Sorensen.similarity",
    lambda first, second, size: textdistance.Sorensen(qval=size, external=False).similarity(first, second),
    draws=TEXTS,
)
TABLE.add(
    "text_metrics.gram_jaccard_similarity",
    "textdistance.Jaccard.similarity",
    lambda first, second, size: textdistance.Jaccard(qval=size, external=False).similarity(first, second),
    draws=TEXTS,
)
TABLE.add(
    "text_metrics.needleman_wunsch_score",
    "textdistance.NeedlemanWunsch",
    lambda first, second, gap: float(textdistance.NeedlemanWunsch(gap_cost=gap, external=False)(first, second)),
    draws=TEXTS,
)
