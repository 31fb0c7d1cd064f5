"""Factors of matrices of NumPy, with the signs of ours: the largest part of a vector, or its first, is positive."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)


def _eigen(matrix: list[list[float]], *, by_first: bool) -> dict[str, Any]:
    values, vectors = np.linalg.eigh(np.array(matrix))
    rows = vectors.T
    deciding = rows[:, 0] if by_first else rows[range(len(rows)), abs(rows).argmax(axis=1)]
    return {"values": values.tolist(), "vectors": (rows * np.sign(deciding)[:, None]).tolist()}


def _mirror(drawn: dict[str, Any]) -> dict[str, Any]:
    matrix = np.array(drawn["matrix"])
    return {"matrix": (matrix + matrix.T).round(3).tolist()}


DRAWS = {"matrix": (-9, 9), "n": (2, 4), "m": (2, 4)}
TABLE.add("linalg.eigen_symmetric_large", "numpy.linalg.eigh", lambda matrix: _eigen(matrix, by_first=False), prepare=_mirror, draws=DRAWS, within=1e-10, near_zero=1e-11)
TABLE.add("linalg.eigenvectors_symmetric", "numpy.linalg.eigh", lambda matrix: _eigen(matrix, by_first=True), prepare=_mirror, draws=DRAWS, within=1e-10, near_zero=1e-11)
