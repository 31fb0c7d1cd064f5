"""The adversarial tables in real databases, by typed inserts."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from service_nb.readers.dataset import Dataset
from tests.servers.fixtures import ClickHouseDatabase, MariaDatabase, PostgresDatabase

Types = Mapping[str, str]
POSTGRES: Types = {"int64": "bigint", "float64": "double precision", "string": "text", "datetime": "timestamp"}
MARIADB: Types = {"int64": "bigint", "float64": "double", "string": "text", "datetime": "datetime(6)"}
SQLITE: Types = {"int64": "integer", "float64": "real", "string": "text collate nocase"}
CLICKHOUSE: Types = {
    "int64": "Int64", "float64": "Float64", "string": "String", "date": "Date32", "boolean": "Bool",
    "datetime": "DateTime64(6, 'UTC')",
}  # fmt: skip


def into_postgres(database: PostgresDatabase, name: str, dataset: Dataset) -> dict[str, Any]:
    """Load the table and return what a descriptor says of it."""
    with database.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({_columns(dataset, POSTGRES, quoted)})")
        cursor.executemany(f"INSERT INTO {name} VALUES ({_marks(dataset)})", _rows(dataset))
    return database.descriptor(table=name)


def into_mariadb(database: MariaDatabase, name: str, dataset: Dataset) -> dict[str, Any]:
    """Load the table and return what a descriptor says of it; its collation is blind to case and trailing spaces."""
    with closing(database.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({_columns(dataset, MARIADB, backquoted)}) COLLATE utf8mb4_general_ci")
        cursor.executemany(f"INSERT INTO {name} VALUES ({_marks(dataset)})", _rows(dataset))
    return database.descriptor(table=name)


def into_sqlite(folder: Path, name: str, dataset: Dataset) -> dict[str, Any]:
    """Load the table into a file and return what a descriptor says of it."""
    path = folder / f"{name}.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {name} ({_columns(dataset, SQLITE, quoted)})")
        connection.executemany(f"INSERT INTO {name} VALUES ({_marks(dataset, '?')})", _rows(dataset))
        connection.commit()
    return {"type": "sqlite", "path": str(path), "table": name}


def into_clickhouse(database: ClickHouseDatabase, name: str, dataset: Dataset) -> dict[str, Any]:
    """Load the table and return what a descriptor says of it; doubles as their bits."""
    nullable = {kind: f"Nullable({named})" for kind, named in CLICKHOUSE.items()}
    columns = ", ".join(
        f"{backslashed(field.name)} {nullable.get(field.physical, f'Nullable({field.physical})')}"
        for field in dataset.fields
    )
    database.run(f"CREATE TABLE {database.name}.{name} ({columns}) ENGINE = MergeTree ORDER BY tuple()")
    rows = ", ".join(f"({', '.join(map(_clickhouse, row))})" for row in _rows(dataset))
    database.run(f"INSERT INTO {database.name}.{name} VALUES {rows}")
    return database.descriptor(table=name)


def quoted(name: str) -> str:
    """A name in standard SQL."""
    return '"' + name.replace('"', '""') + '"'


def backquoted(name: str) -> str:
    """A name in MySQL."""
    return "`" + name.replace("`", "``") + "`"


def backslashed(name: str) -> str:
    """A name in ClickHouse."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _columns(dataset: Dataset, types: Types, quote: Callable[[str], str]) -> str:
    return ", ".join(f"{quote(field.name)} {types.get(field.physical, field.physical)}" for field in dataset.fields)


def _marks(dataset: Dataset, mark: str = "%s") -> str:
    return ", ".join([mark] * len(dataset.fields))


def _rows(dataset: Dataset) -> Sequence[tuple[Any, ...]]:
    assert dataset.table is not None
    return list(zip(*(column.to_pylist() for column in dataset.table.columns), strict=True))


def _clickhouse(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"reinterpretAsFloat64(toUInt64({struct.unpack('<Q', struct.pack('<d', value))[0]}))"
    if isinstance(value, int):
        return f"toInt64('{value}')"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"
