"""Texts of some hundred characters over which whoever reads them carelessly is busy for hours.

Nobody can end a thread, and an expression that goes back and forth keeps every other one from working too. There is no
clock in these tests: without what they are about, they do not end.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from service_nb.connectors import mssql, user_query
from service_nb.connectors.objects import build_matcher
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.readers import sqlite_files as sqlite
from service_nb.readers.dataset import ReadOptions
from service_nb.schema.source import DEFAULT_LIMITS
from service_nb.server.guard import Guard
from tests.deployment.deployments import QUIET, deployed

DOUBLING = (("postgres", "STRUCT("), ("mysql", "date("), ("clickhouse", "decimal("), ("bigquery", "timestamp("))
LEVELS = 40
MOST = 4_096  # characters of a key's text


@pytest.mark.parametrize(("dialect", "opened"), DOUBLING)
def test_a_query_whose_brackets_double_the_work_is_given_up(dialect: str, opened: str) -> None:
    with pytest.raises(LimitExceededError):
        user_query.check_query(f"SELECT {opened * LEVELS}1{')' * LEVELS} AS one FROM t", dialect)


def test_a_query_of_a_file_is_given_up_as_well(tmp_path: Path) -> None:
    path = tmp_path / "data.sqlite"
    path.touch()
    with pytest.raises(LimitExceededError):
        sqlite.read(
            {"provider": "sqlite", "path": str(path), "query": f"SELECT {'date(' * LEVELS}1{')' * LEVELS}"},
            ReadOptions(limits=DEFAULT_LIMITS),
        )


def test_long_queries_that_people_write_are_read_within_the_steps() -> None:
    columns = ", ".join(f"CAST(coalesce(a{each}, (0)) AS DECIMAL(12, 2)) AS b{each}" for each in range(100))
    assert len(sqlite.parse_statements(f"SELECT {columns}, date(timestamp(date(c))) FROM t", "postgres")) == 1


@pytest.mark.parametrize(
    "text", ["a:" * (MOST // 2), "a:/" * (MOST // 3), ":" * MOST, "@" * MOST, "a:b" * 1_000 + "/@"]
)
def test_a_text_of_colons_is_looked_through_once(text: str, tmp_path: Path) -> None:
    keeper = Guard(config=deployed(tmp_path / "deployment", QUIET), tenant="one")
    given = {"type": "postgres", "host": "db", "database": text, "user": "u", "password": "p", "table": "t"}
    assert keeper.parse(given).database == text


@pytest.mark.parametrize(
    "text", ["postgres://u:p@h/d", "see postgres://u:p@h", "https:u:p@h", "a:b:c@d", "a@b https://x:y@z"]
)
def test_a_password_in_a_text_is_still_found(text: str, tmp_path: Path) -> None:
    keeper = Guard(config=deployed(tmp_path / "deployment", QUIET), tenant="one")
    with pytest.raises(InvalidIntentError):
        keeper.parse({"type": "postgres", "host": "db", "database": text, "user": "u", "table": "t"})


def test_a_connection_string_of_blanks_is_looked_through_once() -> None:
    assert mssql.PART.match(" " * 200_000 + "x") is None


def test_a_pattern_of_many_wildcards_reads_a_key_once() -> None:
    keys = ["x" * 500, "x" * 500 + "y"]
    assert build_matcher("**x" * 30 + "y")(keys) == [False, True]
    assert build_matcher("*x" * 30 + "y")(keys) == [False, True]


@pytest.mark.parametrize(
    ("asked", "named", "others"),
    [
        ("data/", ["data/a.csv", "data/b/c.csv"], ["data/", "other/a.csv"]),
        ("data/*.csv", ["data/a.csv", "data/.csv"], ["data/b/a.csv", "data/a.csv\n", "data/acsv"]),
        ("**/a?.csv", ["ab.csv", "x/y/ab.csv"], ["a.csv", "a/.csv"]),
        ("a**b", ["ab", "a/x/b"], ["a/x/bc"]),
        ("[!a-c]x[]-].csv", ["dx-.csv", "dx].csv"], ["ax-.csv", "dxx.csv"]),
        ("a b#-~&+(é)$.csv*", ["a b#-~&+(é)$.csv", "a b#-~&+(é)$.csv\n"], ["a b#-~&+e$.csv"]),
    ],
)
def test_patterns_name_what_they_named(asked: str, named: list[str], others: list[str]) -> None:
    matches = build_matcher(asked)
    assert matches(named) == [True] * len(named)
    assert matches(others) == [False] * len(others)


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidIntentError):
        build_matcher("a[z-a]*")
