"""Parquet files scanned in place by DuckDB: what it is told of them, and what their footers admit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from service_nb.errors import SourceChangedError
from service_nb.schema.source import Field

# hive_partitioning would put a folder's name in place of a column's values; can_have_nan keeps the optimizer from
# concluding from footers, which leave NaN out, that a row group cannot hold one.
OPTIONS = {"hive_partitioning": exp.false(), "can_have_nan": exp.true()}
STATS = ("stats_min_value", "stats_max_value")  # of one column in one row group, as text


def escape_glob(path: str) -> str:
    """Return the glob that matches this path and no other: DuckDB takes every path for a glob."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def scan(files: Sequence[str], columns: Mapping[str, tuple[Field, str]]) -> exp.Select:
    """Return the SELECT that reads files of one schema.

    Parameters
    ----------
    columns : mapping
        For each column, by the name it gets, its field and the SQL type that it is cast to. A column is found by its
        place in the file: the engine's names know no case, a file's do.
    """
    in_file = _read_schema(files[0])
    place = {name: index for index, name in enumerate(in_file.names)}
    options = [exp.Kwarg(this=exp.var(name), expression=value.copy()) for name, value in OPTIONS.items()]
    named = exp.TableAlias(
        this=exp.to_identifier("files"), columns=[exp.to_identifier(f"f{index}") for index in place.values()]
    )
    table = exp.Table(
        this=exp.Anonymous(this="read_parquet", expressions=[_build_path_list(files), *options]), alias=named
    )
    selected = [
        exp.alias_(_cast(f"f{place[field.name]}", in_file.field(place[field.name]).type, sql_type), name)
        for name, (field, sql_type) in columns.items()
    ]
    return exp.select(*selected).from_(table)


def _cast(column: str, stored: pa.DataType, sql_type: str) -> exp.Expr:
    value: exp.Expr = exp.column(column)
    if pa.types.is_timestamp(stored) and stored.unit == "ns" and stored.tz is not None:
        value = exp.cast(value, "timestamptz")  # of instants in nanoseconds, DuckDB has no other cast
    return exp.cast(value, sql_type)


def _build_path_list(files: Sequence[str]) -> exp.Array:
    return exp.Array(expressions=[exp.Literal.string(escape_glob(path)) for path in files])


def _read_schema(path: str) -> pa.Schema:
    try:
        return pq.read_metadata(path).schema.to_arrow_schema()
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceChangedError("A file of the source can no longer be read.", hint="Connect it again.") from error


def read_footer_bound(connection: duckdb.DuckDBPyConnection, files: Sequence[str], name: str) -> float | None:
    """Return the largest magnitude of a float column that the footers admit, None where one of them does not say.

    It is a hint: footers leave NaN out, and nobody has checked them. The database is asked, because pyarrow ends the
    whole process when the statistics of a column are damaged.
    """
    extremes = [exp.func("abs", exp.TryCast(this=exp.column(side), to=exp.DataType.build("double"))) for side in STATS]
    known = exp.and_(*(exp.not_(exp.Is(this=extreme.copy(), expression=exp.null())) for extreme in extremes))
    query = (
        exp.select(exp.func("bool_and", known), exp.Max(this=exp.func("greatest", *extremes)))
        .from_(exp.Table(this=exp.Anonymous(this="parquet_metadata", expressions=[_build_path_list(files)])))
        .where(exp.EQ(this=exp.column("path_in_schema"), expression=exp.Placeholder()))
    )
    complete, largest = connection.execute(query.sql(dialect="duckdb"), [name]).fetchone() or (None, None)
    return largest if complete and math.isfinite(largest) else None
