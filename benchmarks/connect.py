"""Connecting a CSV file: reading it, typing every row of it, its digest and statistics, beside plain readers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv

import service_nb
from benchmarks.measure import Row, against, best_beside

ROWS = 1_000_000
REGIONS = ["north", "south", "east", "west", "centre"]


def main() -> list[Row]:
    """Connect 1,000,000 rows of 6 columns, about 41 MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "sales.csv"))
        write_sales(path)
        megabytes = Path(path).stat().st_size / 1e6
        ours, bare, pandas, polars = best_beside(
            lambda: _connect(path), lambda: _read_bare(path), lambda: pd.read_csv(path), lambda: pl.read_csv(path)
        )
    what = f"connect a CSV of 1M rows, 6 columns, {megabytes:.0f} MB"
    return [
        against(what, ours, ("DuckDB read_csv", bare), most=2),
        against(what, ours, ("pandas read_csv", pandas)),
        against(what, ours, ("Polars read_csv", polars)),
    ]


def write_sales(path: str) -> None:
    """Write the same random sales each time."""
    random = np.random.default_rng(20_240_101)
    days = np.datetime64("2020-01-01") + random.integers(0, 1_500, ROWS)
    table = pa.table(
        {
            "id": np.arange(ROWS) + 10_000_000,
            "day": days,
            "region": pa.array(REGIONS).take(pa.array(random.integers(0, 5, ROWS))),
            "amount": np.round(random.lognormal(4, 1, ROWS), 2),
            "quantity": random.integers(1, 100, ROWS),
            "customer": [f"c{number:05d}" for number in random.integers(0, 90_000, ROWS)],
        }
    )
    arrow_csv.write_csv(table, path, arrow_csv.WriteOptions(quoting_style="none"))


def _connect(path: str) -> None:
    service = service_nb.create_service()
    service.connect(path, name="sales")
    service.close()


def _read_bare(path: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE sales AS SELECT * FROM read_csv(?)", [path])
