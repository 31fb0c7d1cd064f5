"""An exact sum by five names and by a million: 10 million rows in memory, 100 million rows of Parquet beyond memory."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import service_nb
from benchmarks.measure import Row, against, best_beside

KEYS = np.array(["Austria", "Belgium", "Croatia", "Denmark", "Estonia"])
ROWS, MANY = 10_000_000, 1_000_000
FILES, FILE_ROWS, GROUP_ROWS = 4, 25_000_000, 1_000_000
MEMORY = 512 * 2**20  # for files of about 900 MB
SPEC = {"metric": "value", "aggregation": "sum", "group_by": "key", "source_name": "big"}


def main() -> list[Row]:
    return [*in_memory(), *by_many_names(), *beyond_memory()]


def sample(rows: int, seed: int) -> pa.Table:
    """Return rows of a key drawn from five names and a normally distributed value."""
    random = np.random.default_rng(seed)
    keys = pa.DictionaryArray.from_arrays(pa.array(random.integers(0, len(KEYS), rows, dtype=np.int32)), pa.array(KEYS))
    return pa.table({"key": keys.cast(pa.string()), "value": random.normal(100.0, 30.0, rows)})


def fresh_questions(service: service_nb.Service) -> Callable[[], Any]:
    """Return a question that is never the same plan twice, so that no answer is remembered and each is a scan."""
    limits = itertools.count(len(KEYS))
    return lambda: service.ask(SPEC | {"limit": next(limits)})


def in_memory() -> list[Row]:
    table = sample(ROWS, seed=1)
    service = service_nb.create_service()
    service.connect(table, name="big")
    polars, pandas = pl.DataFrame(table), table.to_pandas()
    if polars.schema["key"] != pl.String or not pd.api.types.is_string_dtype(pandas["key"]):
        raise TypeError("the peers shall group by strings, as they hold them by default")
    plain = duckdb.connect()
    plain.register("given", table)
    plain.execute("CREATE TYPE name AS ENUM (SELECT DISTINCT key FROM given)")
    plain.execute("CREATE TABLE big AS SELECT key::name AS key, value FROM given")
    ours, theirs, slow, enums = best_beside(
        fresh_questions(service),
        lambda: polars.group_by("key").agg(pl.col("value").sum()),
        lambda: pandas.groupby("key").agg({"value": "sum"}),
        lambda: plain.execute("SELECT key, sum(value) FROM big GROUP BY key").fetchall(),
    )
    what = "ask, exact sum by 5 names, 10 million rows"
    return [
        against(what, ours, ("Polars, plain sum", theirs), 0.5),
        against(what, ours, ("pandas, plain sum", slow), 0.3),
        against(what, ours, ("DuckDB, plain sum by an ENUM", enums), 1.2),
    ]


def by_many_names() -> list[Row]:
    random = np.random.default_rng(2)
    keys = pa.DictionaryArray.from_arrays(
        pa.array(random.integers(0, MANY, ROWS, dtype=np.int32)), pa.array([f"name {number}" for number in range(MANY)])
    )
    table = pa.table({"key": keys.cast(pa.string()), "value": random.normal(100.0, 30.0, ROWS)})
    service = service_nb.create_service()
    service.connect(table, name="big")
    frame = table.to_pandas()
    ours, theirs = best_beside(
        fresh_questions(service),
        lambda: frame.groupby("key").agg({"value": "sum"}).nlargest(len(KEYS), "value"),
        repeats=3,
    )
    what = "ask, exact sum by a million names, 10 million rows, the first of them"
    return [against(what, ours, ("pandas, plain sum", theirs), 1.0)]


def beyond_memory() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            write_parquet(Path(folder, f"part-{number}.parquet"), seed=10 * number)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        quarter, _ = in_own_process("ask", f"{folder}/part-0.parquet")
        whole, memory = in_own_process("ask", folder)
        plain, plain_memory = in_own_process("duckdb", f"{folder}/*.parquet")
    what = f"ask, exact sum by 5 names, {FILES * FILE_ROWS // 10**6} million rows of Parquet, {mebibytes(size)}"
    return [
        against(what, whole, ("DuckDB, plain sum", plain), 1.3),
        against("  linear in rows", whole, ("four times that of a quarter", FILES * quarter), 1.1),
        Row(
            what="  memory used beyond the libraries",
            ours=mebibytes(memory),
            peer=f"DuckDB, plain sum {mebibytes(plain_memory)}",
            ratio=memory / plain_memory,
            bar=f"<= {mebibytes(MEMORY)}",
            met=memory <= MEMORY,
        ),
    ]


def mebibytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 2**20:.0f} MiB"


def write_parquet(path: Path, seed: int) -> None:
    """Write one file, a row group at a time."""
    with pq.ParquetWriter(path, sample(1, 0).schema) as writer:
        for group in range(FILE_ROWS // GROUP_ROWS):
            writer.write_table(sample(GROUP_ROWS, seed=1_000 * seed + group), row_group_size=GROUP_ROWS)


def in_own_process(engine: str, place: str) -> tuple[float, int]:
    """Return the best time of one engine alone, and by how much its resident memory grew at most."""
    command = [sys.executable, "-m", "benchmarks.scan", engine, place, str(MEMORY)]
    done = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return done["seconds"], done["memory"]
