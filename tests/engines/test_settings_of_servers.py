"""What an administrator has set at a server cuts no answer short, and changes none."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from service_nb.connectors import catalog
from service_nb.connectors.clickhouse import ClickHouseLink
from service_nb.engines.canary import CanaryVerdict
from service_nb.engines.sql_engine import SqlEngine
from service_nb.errors import InvalidIntentError, SourceMalformedError
from tests.engines.cases import direct_groups, groups, held, plan_for
from tests.engines.loading import into_clickhouse, into_mariadb
from tests.servers.fixtures import READER, ClickHouseDatabase, MariaDatabase, PostgresDatabase

LONGEST_S = 600.0
TRUSTED = CanaryVerdict()  # the canary of each server is a matter of other tests
TRUSTED.learn_verdict(lambda: True, time.monotonic() + LONGEST_S)


@contextmanager
def engine(descriptor: dict[str, Any]) -> Iterator[SqlEngine]:
    parsed = catalog.parse_descriptor(descriptor)
    met = catalog.open_source(parsed, time.monotonic() + LONGEST_S)
    made = SqlEngine(
        lambda deadline: catalog.open_source(parsed, deadline).link,
        met.relation,
        met.fields,
        link=met.link,
        trust=TRUSTED,
    )
    with closing(made):
        yield made


def where(column: str, op: str, value: Any) -> dict[str, Any]:
    return {"conditions": [{"column": column, "op": op, "values" if isinstance(value, list) else "value": value}]}


def test_a_limit_of_rows_that_mariadb_sets_for_all_leaves_no_group_out(mariadb_database: MariaDatabase) -> None:
    dataset = held({"g": pa.array(range(12), pa.int64()), "x": pa.array([n / 8 for n in range(12)], pa.float64())})
    descriptor = into_mariadb(mariadb_database, "limited", dataset)
    plan = plan_for(dataset, aggregation="sum", metric="x", group_by="g")
    mariadb_database.run("SET GLOBAL sql_select_limit = 5")
    try:
        with engine(descriptor) as live:
            assert groups(live, plan) == direct_groups(dataset, plan)
            assert (
                len(live.read_columns(plan_for(dataset, aggregation="count", group_by="g"), LONGEST_S)[0].values) == 12
            )
    finally:
        mariadb_database.run("SET GLOBAL sql_select_limit = DEFAULT")


def test_an_index_of_postgres_that_may_return_some_rows_returns_all(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE EXTENSION btree_gin")
    postgres_database.run("CREATE TABLE fuzzy AS SELECT 'a' AS g, n FROM generate_series(1, 5000) AS n")
    postgres_database.run("CREATE INDEX ON fuzzy USING gin (g)")
    dataset = held({"g": pa.array(["a"]), "n": pa.array([1], pa.int64())})
    plan = plan_for(dataset, aggregation="count", metric="n", filter=where("g", "eq", "a"))
    settings = {"gin_fuzzy_search_limit": "10", "enable_seqscan": "off"}
    for name, value in settings.items():
        postgres_database.run(f"ALTER ROLE {READER} SET {name} = {value}")
    try:
        with engine(postgres_database.descriptor(table="fuzzy")) as live:
            assert [group.value for group in live.aggregate(plan, LONGEST_S).groups] == [5000]
    finally:
        for name in settings:
            postgres_database.run(f"ALTER ROLE {READER} RESET {name}")


def test_what_others_have_not_committed_is_not_added(mariadb_database: MariaDatabase) -> None:
    dataset = held({"x": pa.array([100, 200], pa.int64())})
    descriptor = into_mariadb(mariadb_database, "uncommitted", dataset)
    plan = plan_for(dataset, aggregation="sum", metric="x")
    mariadb_database.run("SET GLOBAL tx_isolation = 'READ-UNCOMMITTED'")
    try:
        with closing(mariadb_database.connect()) as writer, writer.cursor() as cursor:
            cursor.execute("START TRANSACTION")
            cursor.execute("UPDATE uncommitted SET x = x - 50 WHERE x = 100")
            with engine(descriptor) as live:
                assert groups(live, plan) == direct_groups(dataset, plan)
            writer.rollback()
    finally:
        mariadb_database.run("SET GLOBAL tx_isolation = DEFAULT")


@pytest.mark.wide
@pytest.mark.parametrize(
    "settings",
    [
        {"max_rows_to_read_leaf": "100", "read_overflow_mode_leaf": "break"},
        {"max_bytes_to_read_leaf": "100", "read_overflow_mode_leaf": "break"},
    ],
    ids=str,
)
def test_what_clickhouse_may_leave_out_is_refused(
    settings: dict[str, str], clickhouse_database: ClickHouseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = held({"g": pa.array([n % 7 for n in range(3_000)], pa.int64())})
    descriptor = into_clickhouse(clickhouse_database, f"leaf{len(settings)}{min(settings)}", dataset)
    plan = plan_for(dataset, aggregation="sum", metric="g")
    build = ClickHouseLink._build_request

    def build_in_profile(link: ClickHouseLink, *given: Any, **more: str) -> dict[str, Any]:
        """As of a profile: what the link sets itself comes after it."""
        request: dict[str, Any] = build(link, *given, **more)
        return {**request, "settings": {**settings, **request["settings"]}}

    monkeypatch.setattr(ClickHouseLink, "_build_request", build_in_profile)
    with engine(descriptor) as live, pytest.raises(Exception, match="ClickHouse") as refused:
        live.aggregate(plan, LONGEST_S)
    assert refused.value.code == "invalid_intent"  # type: ignore[attr-defined]


# --- texts that a server holds otherwise ----------------------------------------------------------------------------


@pytest.mark.parametrize(("charset", "held_as"), [("cp1251", "_cp1251 X'98'"), ("sjis", "_sjis X'8740'")])
def test_a_character_that_becomes_a_question_mark_is_an_error_and_no_group(
    charset: str, held_as: str, mariadb_database: MariaDatabase
) -> None:
    name = f"lost_{charset}"
    mariadb_database.run(f"CREATE TABLE {name} (s VARCHAR(9) CHARACTER SET {charset}, n BIGINT)")
    mariadb_database.run(f"INSERT INTO {name} VALUES ({held_as}, 1), ('?', 2)")
    dataset = held({"s": pa.array(["?"]), "n": pa.array([2], pa.int64())})
    with engine(mariadb_database.descriptor(table=name)) as live:
        for spec in ({"aggregation": "count", "group_by": "s"}, {"aggregation": "max", "metric": "s"}):
            with pytest.raises(SourceMalformedError):
                live.aggregate(plan_for(dataset, **spec), LONGEST_S)
        plan = plan_for(dataset, aggregation="sum", metric="n")
        assert live.aggregate(plan, LONGEST_S).groups[0].value == 3  # where no text is read, none is lost


@pytest.mark.parametrize(
    ("charset", "held_as", "text"),
    [
        ("sjis", "_sjis X'5C'", "\\"),
        ("cp932", "_cp932 X'ED40'", "纊"),
    ],
)
def test_a_text_that_a_character_set_spells_twice_is_found_under_both(
    charset: str, held_as: str, text: str, mariadb_database: MariaDatabase
) -> None:
    name = f"twice_{charset}"
    mariadb_database.run(f"CREATE TABLE {name} (s VARCHAR(9) CHARACTER SET {charset}, KEY (s))")
    mariadb_database.run(f"INSERT INTO {name} VALUES ({held_as}), (%s), ('a')", text)
    dataset = held({"s": pa.array([text, text, "a"])})
    with engine(mariadb_database.descriptor(table=name)) as live:
        for operand in (text, "a", "é"):
            for op, value in (("eq", operand), ("in", [operand, "b"])):
                plan = plan_for(dataset, aggregation="count", group_by="s", filter=where("s", op, value))
                assert groups(live, plan) == direct_groups(dataset, plan)


# --- casts of a query -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["NUMERIC", "DECIMAL(20, 0)"])
def test_a_query_of_sqlite_casts_as_sqlite_does(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (s TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("9007199254740993",), ("2",)])
        connection.commit()
        written = f"SELECT CAST(s AS {kind}) AS n FROM t"
        dataset = held({"n": pa.array([value for (value,) in connection.execute(written)], pa.int64())})
    plan = plan_for(dataset, aggregation="sum", metric="n")
    with engine({"type": "sqlite", "path": str(path), "query": written}) as live:
        assert groups(live, plan) == direct_groups(dataset, plan)


@pytest.mark.parametrize("kind", ["DATE", "TIME"])
def test_a_cast_to_a_day_of_which_sqlite_makes_a_number_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (s TEXT)")
        connection.commit()
    given = {"type": "sqlite", "path": str(path), "query": f"SELECT CAST(s AS {kind}) AS n FROM t"}
    with pytest.raises(InvalidIntentError):
        catalog.open_source(catalog.parse_descriptor(given), time.monotonic() + LONGEST_S)


# --- decimals that are no number ------------------------------------------------------------------------------------


def test_of_decimals_with_nan_among_them_there_is_no_least(postgres_database: PostgresDatabase) -> None:
    postgres_database.run("CREATE TABLE least (g text, n numeric(10, 2))")
    postgres_database.run("INSERT INTO least VALUES ('a', 1.5), ('a', 'NaN'), ('b', 2.5), ('b', 3.5), ('c', NULL)")
    dataset = held({"g": pa.array(["a", "b"]), "n": pa.array([Decimal("1.50"), Decimal("2.50")], pa.decimal128(10, 2))})
    with engine(postgres_database.descriptor(table="least")) as live:
        with pytest.raises(SourceMalformedError):
            live.aggregate(plan_for(dataset, aggregation="min", metric="n"), LONGEST_S)
        plan = plan_for(dataset, aggregation="min", metric="n", group_by="g", filter=where("g", "in", ["b", "c"]))
        assert {group.keys: group.value for group in live.aggregate(plan, LONGEST_S).groups} == {
            ("b",): Decimal("2.50"),
            ("c",): None,
        }
