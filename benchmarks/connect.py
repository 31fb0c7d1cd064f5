"""Connecting a file: reading it, typing every row of it, its digest and statistics, beside plain readers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv

import service_nb
from benchmarks.measure import Row, against, best_beside

ROWS, OBJECTS, SHEET_ROWS = 1_000_000, 200_000, 100_000
REGIONS = ["north", "south", "east", "west", "centre"]


def main() -> list[Row]:
    """Connect a CSV file of 1,000,000 rows of 6 columns, JSON of 200,000 objects, and a workbook of 100,000 rows."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_compare_csv(str(Path(folder, "sales.csv"))),
            *_compare_json(make_sales(OBJECTS), folder),
            *_compare_workbook(make_sales(SHEET_ROWS), str(Path(folder, "sales.xlsx"))),
        ]


def make_sales(rows: int) -> pa.Table:
    """Make the same random sales each time."""
    random = np.random.default_rng(20_240_101)
    days = np.datetime64("2020-01-01") + random.integers(0, 1_500, rows)
    return pa.table(
        {
            "id": np.arange(rows) + 10_000_000,
            "day": days,
            "region": pa.array(REGIONS).take(pa.array(random.integers(0, 5, rows))),
            "amount": np.round(random.lognormal(4, 1, rows), 2),
            "quantity": random.integers(1, 100, rows),
            "customer": [f"c{number:05d}" for number in random.integers(0, 90_000, rows)],
        }
    )


def write_sales(path: str, rows: int = ROWS) -> None:
    """Write the same random sales each time."""
    arrow_csv.write_csv(make_sales(rows), path, arrow_csv.WriteOptions(quoting_style="none"))


def _compare_csv(path: str) -> list[Row]:
    write_sales(path)
    megabytes = Path(path).stat().st_size / 1e6
    ours, bare, pandas, polars = best_beside(
        lambda: _connect(path), lambda: _read_bare(path), lambda: pd.read_csv(path), lambda: pl.read_csv(path)
    )
    what = f"connect a CSV of 1M rows, 6 columns, {megabytes:.0f} MB"
    return [
        against(what, ours, ("DuckDB read_csv", bare), most=1),
        against(what, ours, ("pandas read_csv", pandas)),
        against(what, ours, ("Polars read_csv", polars)),
    ]


def _compare_json(sales: pa.Table, folder: str) -> list[Row]:
    lines, document = Path(folder, "sales.ndjson"), Path(folder, "sales.json")
    frame = sales.to_pandas()
    frame["day"] = frame["day"].astype(str)
    frame.to_json(lines, orient="records", lines=True)
    frame.to_json(document, orient="records")
    found = []
    kinds: list[tuple[str, Path, Callable[[Path], object]]] = [
        ("lines", lines, pl.read_ndjson),
        ("list", document, pl.read_json),
    ]
    for kind, path, read in kinds:
        ours, polars, pandas = best_beside(
            partial(_connect, str(path)),
            partial(read, path),
            partial(pd.read_json, path, orient="records", lines=kind == "lines"),
        )
        what = f"connect a JSON {kind} of {sales.num_rows:,} objects, {path.stat().st_size / 1e6:.0f} MB"
        found += [
            against(what, ours, (f"Polars {read.__name__}", polars), most=2),
            against(what, ours, ("pandas read_json", pandas)),
        ]
    return found


def _compare_workbook(sales: pa.Table, path: str) -> list[Row]:
    sales.to_pandas().to_excel(path, index=False, engine="openpyxl")
    ours, pandas = best_beside(lambda: _connect(path), lambda: pd.read_excel(path, engine="openpyxl"), repeats=3)
    what = f"connect a workbook of {sales.num_rows:,} rows, 6 columns"
    return [against(what, ours, ("pandas with openpyxl", pandas), most=0.5)]


def _connect(path: str) -> None:
    service = service_nb.create_service()
    service.connect(path, name="sales")
    service.close()


def _read_bare(path: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE sales AS SELECT * FROM read_csv(?)", [path])
