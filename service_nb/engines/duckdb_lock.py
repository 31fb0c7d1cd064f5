"""The test of the lock of DuckDB: operations that its engine must refuse, tried on one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa

from service_nb.engines.duckdb import DuckDBEngine
from service_nb.readers.dataset import Dataset
from service_nb.schema.source import Content, Field

FORBIDDEN = {
    "read a file": "SELECT * FROM read_text('{folder}/secret.txt')",
    "list a folder": "SELECT * FROM glob('{folder}/*')",
    "write a file": "COPY (SELECT 1) TO '{folder}/written.csv'",
    "attach a database": "ATTACH '{folder}/attached.db'",
    "export the database": "EXPORT DATABASE '{folder}/export'",
    "install an extension": "INSTALL httpfs",
    "load an extension": "LOAD '{folder}/secret.txt'",
    "see a Python variable": "SELECT * FROM frame",
    "lift the lock": "SET enable_external_access = true",
    "raise the memory limit": "SET memory_limit = '1TB'",
}


def try_forbidden() -> dict[str, bool]:
    """Try each forbidden operation and return whether it was refused."""
    frame = pa.Table.from_arrays([pa.nulls(1, pa.int64())], names=["x"])  # `pa.array` would load pandas, for long
    dataset = Dataset(
        fields=(Field(name="x", type="number", physical="int64"),),
        row_count=1,
        content=Content(algorithm="sha256-arrow", sha256=None, size=1),
        table=frame,
    )
    engine = DuckDBEngine(dataset)
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "secret.txt").write_text("secret", encoding="utf-8")
            outcome = {name: _is_refused(engine, sql.format(folder=folder), frame) for name, sql in FORBIDDEN.items()}
            untouched = [path.name for path in Path(folder).iterdir()] == ["secret.txt"]
    finally:
        engine.close()
    return outcome | {"leave a trace": untouched}


def _is_refused(engine: DuckDBEngine, sql: str, frame: pa.Table) -> bool:  # noqa: ARG001  # a scan may find the frame
    try:
        engine._connection.execute(sql).fetchall()  # noqa: SLF001  # of this package: no one else may run SQL
    except duckdb.Error:
        return True
    return False
