"""Queries whose texts and names would become SQL when their trees are written: what is sent is what was checked."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from service_nb.connectors import user_query
from service_nb.errors import InvalidIntentError, LimitExceededError

DIALECTS = (
    *("postgres", "mysql", "clickhouse", "sqlite", "tsql", "oracle"),
    *("snowflake", "bigquery", "redshift", "spark", "trino"),
)
SIGNS = ("day'), evil(1", "day), evil(1) --", "day) FROM secret --", "a\\' , evil(1) --", 'a" , evil(1) --')
FORMS = (
    *("date_trunc({}, a)", "date_trunc(a, {})", "dateadd({}, 1, a)", "date_add(a, 1, {})", "date_diff(a, b, {})"),
    *(
        "date_bin(a, 1, {})",
        "timestamp_trunc(a, {})",
        "timestampdiff({}, a, b)",
        "extract({} from a)",
        "last_day(a, {})",
    ),
    *("interval {}", "interval '1' {}", "cast(a as {})", "a at time zone {}", "a collate {}", "trim({} from a)"),
    *("to_char(a, {})", "round(a, {})", "a -> {}", "json_extract(a, {})", "percentile_cont({})", "datepart({}, a)"),
)


def spelled(signs: str) -> list[str]:
    """The signs as texts of both kinds of escapes, and as names of all three kinds of quotes."""
    escaped = signs.replace("\\", "\\\\")
    texts = ("'" + signs.replace("'", "''") + "'", "'" + escaped.replace("'", "\\'") + "'")
    quoted = ('"' + signs.replace('"', '""') + '"', "`" + signs + "`", f"[{signs}]")
    return [*texts, *quoted]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_text_and_no_name_becomes_sql(dialect: str) -> None:
    taken = 0
    for signs in SIGNS:
        for form in FORMS:
            for word in spelled(signs):
                try:
                    tree = user_query.check_query(f"SELECT {form.format(word)} AS z FROM t", dialect)
                except (InvalidIntentError, LimitExceededError):
                    continue
                taken += 1
                (read,) = sqlglot.parse(tree.sql(dialect=dialect, comments=False), read=dialect)
                assert read is not None
                assert {table.name.lower() for table in read.find_all(exp.Table)} == {"t"}
                assert not [node for node in read.walk() if node.name.lower() == "evil"]
                assert "evil" not in read.sql(dialect=dialect).lower() or read == tree  # nodes are equal, types aside
    assert taken  # texts as texts are fine


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("postgres", "SELECT date_trunc('month', day) AS m, sum(x) AS s FROM t GROUP BY 1"),
        ("postgres", "SELECT a, 'it''s \\ fine -- here' AS b FROM s.t WHERE day >= DATE '2024-01-01'"),
        ("mysql", "SELECT date_format(day, '%Y-%m') AS m, 'a\\'b' AS b FROM t"),
        ("clickhouse", "SELECT toStartOfMonth(day) AS m, 'a\\'b' AS b FROM t"),
        ("spark", "SELECT at AT TIME ZONE 'UTC' AS a, date_trunc('month', day) AS m FROM t"),
        ("snowflake", "SELECT DATEADD(day, 1, at) AS a FROM t"),
        ("bigquery", "SELECT DATE_TRUNC(day, MONTH) AS m FROM `p.d.t`"),
        ("oracle", "SELECT a, b FROM t WHERE day > DATE '2024-01-01'"),
        ("tsql", "SELECT TOP 10 a, DATEADD(day, 1, b) AS c FROM t"),
        ("trino", "SELECT date_trunc('month', day) AS m FROM t"),
    ],
)
def test_plain_queries_are_what_they_were(dialect: str, query: str) -> None:
    tree = user_query.check_query(query, dialect)
    once = tree.sql(dialect=dialect, comments=False)
    assert user_query.check_query(once, dialect).sql(dialect=dialect, comments=False) == once
