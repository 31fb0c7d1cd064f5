from __future__ import annotations

import datetime
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.detect import read
from service_nb.readers.source_files import has_changed


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop #1 ä%20?.db"
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE "order items" (id INTEGER, price REAL, day TEXT, note TEXT, big INTEGER, odd)')
        connection.executemany(
            'INSERT INTO "order items" VALUES (?, ?, ?, ?, ?, ?)',
            [(1, 1.5, "2024-01-01", "x", 2**63 - 1, 1), (2, 2, "2024-01-02", None, -(2**63), "a")],
        )
        connection.execute('CREATE VIEW totals AS SELECT day, sum(price) AS total FROM "order items" GROUP BY day')
    connection.close()
    return path


def connect(path: Path, **parts: str) -> Dataset:
    return read({"provider": "sqlite", "path": path, **parts}, ReadOptions())


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    assert dataset.table is not None
    found: list[dict[str, Any]] = dataset.table.to_pylist()
    return found


def test_table_is_typed_by_its_values(shop: Path) -> None:
    found = connect(shop, table="order items")
    assert [field.physical for field in found.fields] == ["int64", "float64", "date", "string", "int64", "string"]
    assert rows(found)[0] == {
        "id": 1,
        "price": 1.5,
        "day": datetime.date(2024, 1, 1),
        "note": "x",
        "big": 2**63 - 1,
        "odd": "1",
    }
    assert [note.partition(":")[0] for note in found.notes] == ["odd"]


def test_view_and_query_are_tables_too(shop: Path) -> None:
    expected = [
        {"day": datetime.date(2024, 1, 1), "total": 1.5},
        {"day": datetime.date(2024, 1, 2), "total": 2.0},
    ]
    assert rows(connect(shop, table="totals")) == expected
    assert rows(connect(shop, query="SELECT * FROM totals ORDER BY day")) == expected


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS a;",
        "-- one\nSELECT 1 AS a /* two */",
        "WITH x AS (SELECT 1 AS a) SELECT * FROM x",
        "SELECT 1 AS a UNION SELECT 1",
        "WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c WHERE a < 1) SELECT a FROM c",
        "SELECT max(id) - 1 AS a FROM [order items]",
        'SELECT row_number() OVER (ORDER BY id) AS a FROM "order items" LIMIT 1',
        "SELECT coalesce(NULL, abs(-1)) AS a",
        "SELECT CAST(substr('123', 1, 1) AS INTEGER) AS a",
        "SELECT iif(id = 1, 1, 2) AS a FROM \"order items\" WHERE note LIKE 'X%'",
        "SELECT count(*) AS a FROM \"order items\" WHERE strftime('%Y-%m', day) = '2024-01' AND id = 1",
        'SELECT a.id AS a FROM "order items" a JOIN "order items" b ON a.id = b.id ORDER BY 1 LIMIT 1',
        "SELECT '1; DROP TABLE x' = '' OR 1 AS a",
    ],
)  # fmt: skip
def test_select_is_read(query: str, shop: Path) -> None:
    assert rows(connect(shop, query=query)) == [{"a": 1}]


def test_answer_without_rows_is_a_table_without_rows(shop: Path) -> None:
    found = connect(shop, query='SELECT id, note FROM "order items" WHERE 0')
    assert (found.row_count, [field.name for field in found.fields]) == (0, ["id", "note"])


def test_content_is_of_the_values_and_changes_with_them(shop: Path) -> None:
    before = connect(shop, table="order items")
    assert before.content.algorithm == "sha256-arrow"
    assert connect(shop, query='SELECT * FROM "order items"').content == before.content
    assert not has_changed(before.stamps)
    with sqlite3.connect(shop) as connection:
        connection.execute('UPDATE "order items" SET price = 9')
    connection.close()
    assert has_changed(before.stamps)
    assert connect(shop, table="order items").content != before.content


def test_change_that_waits_in_the_log_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.close()  # which merges the log
    stamps = connect(path, table="t").stamps
    connection = sqlite3.connect(path, isolation_level=None)
    assert not has_changed(stamps)
    connection.execute("INSERT INTO t VALUES (2)")  # which leaves the file itself as it is
    assert has_changed(stamps)
    assert connect(path, table="t").row_count == 2
    connection.close()


def test_nothing_is_created_beside_the_file(shop: Path) -> None:
    connect(shop, table="totals")
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]
