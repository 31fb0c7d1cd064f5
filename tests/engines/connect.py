"""Tables for servers of Spark Connect, as Parquet that lies where they can read it, and links that know them."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.connectors import spark
from service_nb.core.secret import Secret
from service_nb.schema.connector import Descriptor
from tests.servers.sail import Connect

PATIENCE_S = 600.0


def stored(table: pa.Table, place: Path) -> Path:
    """Write the rows in two files, so that there are partitions, and let a server's user read them."""
    place.mkdir(parents=True)
    half = (table.num_rows + 1) // 2
    for number, part in enumerate((table.slice(0, half), table.slice(half))):
        pq.write_table(_without_dictionaries(part), place / f"part-{number}.parquet")
    for path in (place, *place.iterdir()):
        path.chmod(0o755)
    return place


def _without_dictionaries(table: pa.Table) -> pa.Table:
    columns = [column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column for column in table.columns]
    return pa.table(columns, names=table.column_names)


def link(server: Connect, **tables: Path) -> spark.SparkLink:
    """A link to a server that has these tables. Sail keeps tables for one session, so each link brings its own."""
    descriptor = Descriptor(type="spark", connection_string=Secret(server.url))
    made = spark.open_link(descriptor, time.monotonic() + PATIENCE_S)
    for name, place in tables.items():
        run(made, f"CREATE TABLE IF NOT EXISTS {name} USING parquet LOCATION 'file://{place}'")
    return made


def run(opened: spark.SparkLink, statement: str) -> None:
    """Run a statement that no connector ever writes, in the session of a link."""
    list(opened._session.execute(statement, (), time.monotonic() + PATIENCE_S))
