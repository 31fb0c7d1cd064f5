"""Not how fast but how right: one column in eight orders, summed by ours and by its peers, judged by `math.fsum`.

Two columns of a million doubles: one whose values span 16 powers of ten, and one that is nearly its own negation, so
that what remains after cancellation is far smaller than its parts (gains and losses, debits and credits).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

import service_nb
from benchmarks.measure import Row

Vector = NDArray[np.float64]
ROWS = 1_000_000
ORDERS = 8


def main() -> list[Row]:
    rng = np.random.default_rng(7)
    wide = rng.normal(size=ROWS) * 10.0 ** rng.uniform(-8, 8, ROWS)
    half = wide[: ROWS // 2]
    cancelling = np.concatenate([half, -half + 1e-7 * rng.random(ROWS // 2)])
    return [
        row
        for name, column in (("wide magnitudes", wide), ("cancellation", cancelling))
        for row in compared(name, [rng.permutation(column) for _ in range(ORDERS)])
    ]


def compared(name: str, orders: list[Vector]) -> list[Row]:
    """Return what each library makes of the same values in several orders."""
    exact = math.fsum(orders[0])
    found, ours_ok = verdict([ours(order) for order in orders], exact)
    rows = []
    for peer, add in PEERS.items():
        theirs, _ = verdict([add(order) for order in orders], exact)
        rows.append(Row(f"sum, {name}, {ORDERS} orders", found, f"{peer} {theirs}", bar="1 result, exact", met=ours_ok))
    return rows


def verdict(sums: list[float], exact: float) -> tuple[str, bool]:
    """Return how many results there were, how far the worst is from the exact sum, and whether all are it."""
    worst = max(abs(Fraction(found) - Fraction(exact)) for found in sums)
    count = f"{len(set(sums))} result{'s' if len(set(sums)) > 1 else ''}"
    if not worst:
        return f"{count}, exact", len(set(sums)) == 1
    ulps, relative = float(worst / Fraction(math.ulp(exact))), float(worst / abs(Fraction(exact)))
    return f"{count}, off by {ulps:.3g} ulp ({relative:.1e})", False


def ours(values: Vector) -> float:
    service = service_nb.create_service()
    service.connect(pa.table({"x": values}), name="t")
    found: float = service.ask("sum x from t")["data"]["result"][0]["x"]
    service.close()
    return found


def by_duckdb(values: Vector) -> float:
    connection = duckdb.connect(":memory:")
    connection.register("t", pa.table({"x": values}))
    row = connection.execute("SELECT sum(x) FROM t").fetchone()
    return float(row[0]) if row else math.nan


PEERS: dict[str, Callable[[Vector], float]] = {
    "pandas": lambda values: float(pd.Series(values).sum()),
    "NumPy": lambda values: float(np.sum(values)),
    "Polars": lambda values: float(pl.Series(values).sum()),
    "pyarrow": lambda values: float(pc.sum(pa.array(values)).as_py()),
    "DuckDB": by_duckdb,
}
