"""Plans as the text that each database is sent, and that text as DuckDB can run it.

`python -m tests.engines.written` writes `golden/<dialect>.sql` anew; what changes there is read before it is committed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from service_nb.connectors.bigquery import BigQuerySpelling
from service_nb.connectors.mssql import MssqlSpelling
from service_nb.connectors.oracle import OracleSpelling
from service_nb.connectors.redshift import RedshiftSpelling
from service_nb.connectors.snowflake import SnowflakeSpelling
from service_nb.connectors.sql_link import write_query
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.value_counts import build_value_counts
from service_nb.query.aggregations.aggregation import normalise_zero
from service_nb.query.limbs import plan_limbs
from service_nb.query.spelling import Spelling
from service_nb.query.sql import (
    Method,
    Shape,
    SqlStatement,
    build_finisher,
    build_remainder_check,
    build_statement,
    find_fixed_method,
)
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Plan
from tests.engines.cases import Groups, bits, held, plan_for

GOLDEN = Path(__file__).parent / "golden"
SPELLINGS: Mapping[str, Spelling] = {
    "mssql": MssqlSpelling(),
    "oracle": OracleSpelling(),
    "snowflake": SnowflakeSpelling(),
    "bigquery": BigQuerySpelling(),
    "redshift": RedshiftSpelling(),
}
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime.fromisoformat("2024-02-29T23:59:59.999999")


def table(name: str) -> Dataset:
    """Rows that engines disagree on, without what a database cannot hold: Oracle has no dates without a time."""
    days = pa.timestamp("us") if name == "oracle" else pa.date32()
    count = 60
    texts = ["a", "a ", "A", "ä", "a\u0301", "\uffff", "\U0001f600", "b%", "b_", "c'd", "e\\f", None]
    floats = [1e16, 1.0, -1e16, 1e-16, 0.1, 2.5, -0.0, 0.0, None, 3.5, 1e-16, 7e15, 2.0**53, -(2.0**53) + 1]
    wide = [9999999999999999999999999999.9999999999, -1, 0, 12345678901234567890.5]
    return held(
        {
            "g": pa.array([texts[row % len(texts)] for row in range(count)], pa.string()),
            "x": pa.array([floats[row % len(floats)] for row in range(count)], pa.float64()),
            "i": pa.array([(row - 30) * 300_000_000_000_000_000 for row in range(count)], pa.int64()),
            "d": pa.array([None if row % 7 == 0 else row * 100 - 3 for row in range(count)], pa.int64())
            .cast(pa.decimal128(38, 2))
            .cast(pa.decimal128(12, 2)),
            "w": pa.array([int(wide[row % 4]) for row in range(count)], pa.decimal128(38, 10)),
            "day": pa.array([DAY + datetime.timedelta(days=row % 5) for row in range(count)], pa.date32()).cast(days),
            "moment": pa.array(
                [MOMENT + datetime.timedelta(microseconds=row % 3) for row in range(count)], pa.timestamp("us")
            ),
        }
    )


def where(*conditions: tuple[Any, ...]) -> dict[str, Any]:
    """A filter of conditions: column, operator, and value or values."""
    listed = []
    for column, op, *operand in conditions:
        key = "values" if op in ("in", "not_in", "between") else "value"
        listed.append({"column": column, "op": op, **({key: operand[0]} if operand else {})})
    return {"conditions": listed}


QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    "rows": {"aggregation": "count"},
    "sum of doubles": {"metric": "x", "aggregation": "sum", "group_by": "g"},
    "mean of doubles": {"metric": "x", "aggregation": "avg"},
    "largest double": {"metric": "x", "aggregation": "max", "group_by": "g"},
    "doubles by double": {"metric": "d", "aggregation": "count", "group_by": "x"},
    "sum of integers": {"metric": "i", "aggregation": "sum", "group_by": "g"},
    "sum of decimals": {"metric": "d", "aggregation": "sum", "group_by": "day"},
    "sum of long decimals": {"metric": "w", "aggregation": "sum", "group_by": "g"},
    "mean of decimals": {"metric": "d", "aggregation": "avg", "group_by": "g"},
    "smallest text": {"metric": "g", "aggregation": "min", "group_by": "day"},
    "times": {"metric": "moment", "aggregation": "max", "group_by": "day", "filter": where(("moment", "lte", MOMENT))},
    "median of doubles": {"metric": "x", "aggregation": "median", "group_by": "g"},
    "median of decimals": {"metric": "d", "aggregation": "median"},
    "percentile of doubles": {"metric": "x", "aggregation": "percentile", "percent": 90, "group_by": "g"},
    "percentile of integers": {"metric": "i", "aggregation": "percentile", "percent": "99.9"},
    "different texts": {"metric": "g", "aggregation": "count_distinct", "group_by": "day"},
    "different doubles": {"metric": "x", "aggregation": "count_distinct"},
    "spread of doubles": {"metric": "x", "aggregation": "stddev", "group_by": "g"},
    "spread of decimals": {"metric": "d", "aggregation": "variance"},
    "text contains": {"aggregation": "count", "group_by": "g", "filter": where(("g", "contains", "a"))},
    "text starts with": {"aggregation": "count", "group_by": "g", "filter": where(("g", "starts_with", "b%"))},
    "text is one of": {"aggregation": "count", "group_by": "g", "filter": where(("g", "in", ["a ", "ä", "c'd"]))},
    "text comes after": {"aggregation": "count", "group_by": "g", "filter": where(("g", "gte", "b"))},
    "numbers between": {
        "metric": "x",
        "aggregation": "sum",
        "filter": where(("x", "between", [-2.5, 1e16]), ("i", "gt", -5), ("d", "not_in", [1, 97]), ("day", "gte", DAY)),
    },
}


def plans(dataset: Dataset) -> dict[str, Plan]:
    """The plans of all questions by their names."""
    found = {name: plan_for(dataset, **question) for name, question in QUESTIONS.items()}
    return {name: build_value_counts(plan) or plan for name, plan in found.items()}


def statement(plan: Plan, dataset: Dataset, spelling: Spelling) -> tuple[SqlStatement, Shape]:
    """The statement of a plan over the table `data`, as a live source's engine asks for it."""
    shape = Shape(
        fields={field.name: field for field in dataset.fields},
        columns=None,
        method=_method(plan, dataset, spelling),
        nonfinite=bool(spelling.nonfinite) and plan.metric == "x",
        bound=1e16 if plan.metric == "x" and plan.aggregation in ("sum", "avg") else None,
        spelling=spelling,
    )
    return build_statement(plan, exp.Table(this=exp.to_identifier("data", quoted=True)), shape), shape


def _method(plan: Plan, dataset: Dataset, spelling: Spelling) -> Any:
    if (method := find_fixed_method(plan)) is not None:
        return method
    field = next(field for field in dataset.fields if field.name == plan.metric)
    if field.physical == "float64":
        return replace(plan_limbs(1e16, 1e-16), proven=False)
    return Method.SPLIT if spelling.build_wide_sum(field, exp.column("m")) is None else Method.WIDE


def text(plan: Plan, dataset: Dataset, spelling: Spelling) -> str:
    """The text of a plan's statement, with `?` for what is bound."""
    made, _ = statement(plan, dataset, spelling)
    return write_query(made.tree, spelling.dialect).bind(made.parameters, "?")[0]


def groups(plan: Plan, made: SqlStatement, shape: Shape, rows: list[tuple[Any, ...]]) -> Groups:
    """The groups that the rows of a statement mean, as `cases.groups` has them."""
    width = len(plan.group_by)
    value, incomplete = build_finisher(plan, shape, made), build_remainder_check(made.measures)
    found = {}
    for row in rows:
        keys, measures = tuple(map(normalise_zero, row[:width])), row[width:]
        assert not incomplete(measures), "a value was not taken whole by the limbs"
        found[tuple(map(bits, keys))] = (int(measures[0]), bits(value(measures)))
    assert len(found) == len(rows)
    return found


def expected(plan: Plan, dataset: Dataset) -> Groups:
    """What the plan means."""
    answer = MemoryEngine(dataset).aggregate(plan)
    return {tuple(map(bits, group.keys)): (group.rows, bits(group.value)) for group in answer.groups}


# --- the same in DuckDB ---------------------------------------------------------------------------------------------

_HEX = "CAST(CONVERT(VARCHAR(MAX), CAST(CAST("
_HEX_END = " COLLATE Latin1_General_100_BIN2_UTF8 AS VARCHAR(MAX)) AS VARBINARY(MAX)), 2) AS VARBINARY(MAX))"
MACROS = (
    "CREATE MACRO hex_of(x) AS encode(hex(encode(x)))",
    "CREATE MACRO to_varbyte(x, y) AS encode(x)",
    "CREATE MACRO sys_extract_utc(x) AS CAST(x AS TIMESTAMP)",
    "CREATE MACRO datalength(x) AS strlen(x)",
    "CREATE MACRO charindex(x, y) AS strpos(y, x)",
)


def _tsql(written: str) -> str:
    # DuckDB has no CONVERT with a style; both ends of what means "its bytes in hexadecimal" are known to the letter.
    written = written.replace(_HEX, "HEX_OF(").replace(_HEX_END, ")")
    written = written.replace(" AS FLOAT)", " AS DOUBLE PRECISION)")  # of 53 bits here, of 24 in SQLGlot's mind
    return written.replace(" COLLATE Latin1_General_100_BIN2_UTF8", "")


def _oracle(written: str) -> str:
    written = re.sub(r"\b([0-9][0-9.]*e[+-]?[0-9]+)d\b", r"CAST('\1' AS BINARY_DOUBLE)", written)
    written = written.replace("BINARY_DOUBLE_NAN", "CAST('NaN' AS BINARY_DOUBLE)")
    written = written.replace("BINARY_DOUBLE_INFINITY", "CAST('inf' AS BINARY_DOUBLE)")
    value = r'"[a-z0-9_]+"(?:\."[a-z0-9_]+")?'
    return re.sub(rf"(CAST\({value} AS BINARY_DOUBLE\)|{value}) IS NAN", r"isnan(\1)", written)


_READABLE: Mapping[str, Callable[[str], str]] = {"mssql": _tsql, "oracle": _oracle}


def readable(name: str, written: str) -> str:
    """The text without the few words of its database that SQLGlot writes and does not read."""
    return _READABLE.get(name, str)(written)


def for_duckdb(name: str, written: str) -> str:
    """The text of one database as SQLGlot translates it for DuckDB."""
    dialect = SPELLINGS[name].dialect
    tree = sqlglot.parse_one(readable(name, written), read=dialect)
    for kind in tree.find_all(exp.DataType):
        if kind.is_type(*exp.DataType.TEXT_TYPES):
            kind.set("expressions", [])
        if kind.this in (exp.DataType.Type.DECIMAL, exp.DataType.Type.BIGDECIMAL) and not kind.expressions:
            kind.replace(exp.DataType.build("decimal(38,9)"))
    return tree.sql(dialect="duckdb")


@dataclass
class Stand:
    """DuckDB, standing in for the database that a text was written for."""

    connection: duckdb.DuckDBPyConnection

    @classmethod
    def holding(cls, dataset: Dataset) -> Stand:
        """One that holds the rows as the table `data`."""
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        for macro in MACROS:
            connection.execute(macro)
        connection.register("incoming", dataset.table)
        connection.execute("CREATE TABLE data AS SELECT * FROM incoming")
        return cls(connection)

    def rows(self, name: str, made: SqlStatement) -> list[tuple[Any, ...]]:
        """The rows of a statement, bytes of text decoded as a link decodes them."""
        written, given = write_query(made.tree, SPELLINGS[name].dialect).bind(made.parameters, "?")
        found = self.connection.execute(for_duckdb(name, written), given).fetchall()
        return [tuple(decoded(name, value) for value in row) for row in found]


def decoded(name: str, value: Any) -> Any:
    """Bytes of text as text."""
    if not isinstance(value, bytes):
        return value
    return (bytes.fromhex(value.decode()) if name == "mssql" else value).decode()


def golden(name: str) -> str:
    """All texts of one database, as its file holds them."""
    dataset, spelling = table(name), SPELLINGS[name]
    listed = [f"-- {title}\n{text(plan, dataset, spelling)};\n" for title, plan in plans(dataset).items()]
    return "\n".join(listed)


if __name__ == "__main__":
    for name in SPELLINGS:
        (GOLDEN / f"{name}.sql").write_text(golden(name))
