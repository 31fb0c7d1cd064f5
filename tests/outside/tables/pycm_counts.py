"""Scores of confusion matrices of PyCM."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from pycm import ConfusionMatrix

TABLE = OracleTable("pycm", version("pycm"))
DRAWS = {"tp": (1, 60), "fp": (0, 40), "fn": (0, 40), "false_positive_weight": (0.1, 2), "false_negative_weight": (0.1, 2)}


def _count(tp: float, fp: float, fn: float) -> ConfusionMatrix:
    return ConfusionMatrix(matrix={0: {0: int(tp), 1: int(fn)}, 1: {0: int(fp), 1: 7}})


TABLE.add("metrics.fowlkes_mallows_counts", "pycm.ConfusionMatrix.G", lambda tp, fp, fn: _count(tp, fp, fn).G[0], draws=DRAWS, within=1e-12)
TABLE.add("ml.tversky_index", "pycm.ConfusionMatrix.TI", lambda tp, fp, fn, false_positive_weight, false_negative_weight: _count(tp, fp, fn).TI(false_negative_weight, false_positive_weight)[0], draws=DRAWS | {"tp": [3.0, 8.0, 40.0, 55.0], "fp": [0.0, 2.0, 9.0, 30.0], "fn": [0.0, 1.0, 6.0, 21.0]}, within=1e-12, asked="the weight of misses first")
