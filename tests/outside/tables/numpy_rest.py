"""Spectra, products and neighbors of NumPy."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"numpy.{function}", compute, **{"within": 1e-10, "near_zero": 1e-13, **more})


_add("elementary.ulp", "spacing", lambda x: np.spacing(abs(x)), within=0.0, near_zero=0.0)
_add("linalg.circulant_eigenvalues", "fft.fft", lambda first_column: [[each.real, each.imag] for each in np.fft.fft(first_column)])
_add("calculus.gauss_chebyshev", "polynomial.chebyshev.chebgauss", lambda n: (lambda found: {"nodes": sorted(found[0]), "weight": found[1][0]})(chebyshev.chebgauss(n)), draws={"n": (1, 9)})
SQUARE = {"n": (2, 4)}


def _define(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make the covariance symmetric and definite."""
    rows = drawn["covariance"]
    return drawn | {"covariance": [[(abs(rows[i][i]) + 20 if i == j else rows[min(i, j)][max(i, j)]) for j in range(len(rows))] for i in range(len(rows))]}


_add("portfolio.variance", "linalg.multi_dot", lambda weights, covariance: np.linalg.multi_dot([weights, covariance, weights]), draws=SQUARE, prepare=_define)
_add("portfolio.volatility", "linalg.multi_dot", lambda weights, covariance: math.sqrt(np.linalg.multi_dot([weights, covariance, weights])), draws=SQUARE, prepare=_define, asked="root")
_add("portfolio.portfolio_covariance", "linalg.multi_dot", lambda weights, others, covariance: np.linalg.multi_dot([weights, covariance, others]), draws=SQUARE, prepare=_define)
_add("linalg.spectral_gap", "linalg.eigvals", lambda transition: 1 - sorted(abs(np.linalg.eigvals(transition)))[-2], draws={"n": (3, 4)}, prepare=lambda drawn: {"transition": _row_sums(drawn["transition"])}, asked="second largest, from 1", within=1e-5)
_add("embeddings.centroid", "mean", lambda embeddings: np.mean(embeddings, axis=0), draws={"n": (2, 4), "d": (2, 4)}, asked="axis 0")
_add("embeddings.mean_pooling", "average", lambda embeddings, mask: np.average(embeddings, axis=0, weights=mask), draws={"n": (3, 5), "d": (2, 4)}, asked="weights")


def _row_sums(rows: list[list[float]]) -> list[list[float]]:
    """Make rows that add up to 1, in sixteenths."""
    size = len(rows)
    found = []
    for row in rows:
        parts = [1 + round(abs(each)) % 4 for each in row[:-1]]
        found.append([*(part / 16 for part in parts), (16 - sum(parts)) / 16])
    return found if size else rows


def _day(year: int, month: int, day: int) -> np.datetime64:
    """Make a day."""
    return np.datetime64(f"{year:04}-{month:02}-{day:02}")


def _split(found: Any) -> dict[str, int]:
    """Split a day into its parts."""
    return dict(zip(("year", "month", "day"), map(int, str(found).split("-")), strict=True))


_add("calendars.weekdays_between", "busday_count", lambda start_year, start_month, start_day, end_year, end_month, end_day: int(np.busday_count(_day(start_year, start_month, start_day), _day(end_year, end_month, end_day))), draws={"start_year": [1800, 2000], "end_year": [2000, 2200]})
_add("calendars.date_after_weekdays", "busday_offset", lambda year, month, day, weekdays: _split(np.busday_offset(_day(year, month, day), weekdays, roll="forward")), draws={"year": [1500, 2500], "weekdays": [-2000, 2000]}, asked="roll forward")
