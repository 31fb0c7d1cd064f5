"""Tables of the database itself, named where one does not look for a table."""

from __future__ import annotations

from typing import Any

import pytest

from service_nb.connectors import catalog, user_query
from service_nb.errors import InvalidIntentError
from tests.security.test_rewritten_queries import DIALECTS

LOGIN = {"user": "u", "password": "p"}
DEFAULTS: tuple[dict[str, Any], ...] = (
    {"type": "clickhouse", "host": "h", "database": "system", "table": "query_log"},
    {"type": "clickhouse", "host": "h", "database": "System", "query": "SELECT query FROM query_log"},
    {"type": "clickhouse", "host": "h", "database": "INFORMATION_SCHEMA", "table": "tables"},
    {"type": "mysql", "host": "h", **LOGIN, "database": "mysql", "table": "user"},
    {"type": "mysql", "host": "h", **LOGIN, "database": "information_schema", "table": "processlist"},
    {"type": "mssql", "host": "h", **LOGIN, "database": "master", "table": "spt_values"},
    {"type": "trino", "host": "h", "user": "u", "database": "system", "schema": "runtime", "table": "queries"},
    {"type": "trino", "host": "h", "user": "u", "database": "hive", "schema": "information_schema", "table": "tables"},
    {"type": "snowflake", "account": "a", **LOGIN, "database": "SNOWFLAKE", "schema": "x", "table": "query_history"},
    {"type": "bigquery", "project": "p", "database": "p.information_schema", "table": "schemata"},
)


@pytest.mark.parametrize("given", DEFAULTS, ids=lambda given: f"{given['type']} {given['database']}")
def test_a_database_that_holds_no_data_is_no_default_for_tables(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        user_query.build_relation(catalog.parse_descriptor(given), catalog.find_connector(given["type"]).kind.dialect)


def test_databases_that_are_called_like_one_of_another_product_are_read() -> None:
    given = {"type": "postgres", "host": "h", **LOGIN, "database": "system", "table": "orders"}
    assert user_query.build_relation(catalog.parse_descriptor(given), "postgres").name == "orders"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("listed", ["system.users", "u", '"u"'])
def test_a_name_in_place_of_a_list_is_refused(dialect: str, listed: str) -> None:
    for condition in (f"a IN {listed}", f"a NOT IN {listed}", f"(a, b) IN {listed}"):
        with pytest.raises(InvalidIntentError):
            user_query.check_query(f"SELECT a FROM t WHERE {condition}", dialect)


@pytest.mark.parametrize("listed", ["(system.users)", "(u)", "((u))", '("system"."users")', "(system.users.name)"])
def test_brackets_around_a_name_make_no_list_of_it_in_clickhouse(listed: str) -> None:
    with pytest.raises(InvalidIntentError):
        user_query.check_query(f"SELECT a FROM t WHERE a IN {listed}", "clickhouse")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_lists_and_subqueries_are_taken(dialect: str) -> None:
    for listed in ("(1)", "(1, 2)", "('x')", "(t.a, t.b)", "(SELECT u.a FROM u)"):
        user_query.check_query(f"SELECT t.a FROM t WHERE t.a IN {listed}", dialect)
