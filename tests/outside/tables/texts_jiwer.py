"""Error rates of words of JiWER, of texts that have the counts."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import jiwer
from oracle import OracleTable

TABLE = OracleTable("jiwer", version("jiwer"))
DRAWS = {"substitutions": (0, 5), "deletions": (0, 5), "insertions": (0, 5), "reference_words": (12, 30), "hits": (1, 9), "transcript_words": (10, 20)}


def _err(substitutions: int, deletions: int, insertions: int, reference_words: int) -> float:
    """Words of which the first are replaced and the next left out; new ones stand at the end."""
    said = [f"w{at}" for at in range(reference_words)]
    heard = [f"x{at}" for at in range(substitutions)] + said[substitutions + deletions :] + [f"y{at}" for at in range(insertions)]
    return jiwer.wer(" ".join(said), " ".join(heard))


def _lose(hits: int, reference_words: int, transcript_words: int) -> float:
    same = [f"w{at}" for at in range(hits)]
    said, heard = ([*same, *(f"{mark}{at}" for at in range(whole - hits))] for mark, whole in (("x", reference_words), ("y", transcript_words)))
    return jiwer.wil(" ".join(said), " ".join(heard))


def _add(capability: str, function: str, compute: Any) -> None:
    TABLE.add(f"text_metrics.{capability}", f"jiwer.{function}", compute, draws=DRAWS, within=1e-12)


_add("word_error_rate", "wer", _err)
_add("word_information_lost", "wil", _lose)
