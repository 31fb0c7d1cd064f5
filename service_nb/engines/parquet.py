"""Parquet files scanned in place by DuckDB: what it is told of them, and what their footers admit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from service_nb.errors import SourceChangedError
from service_nb.records.source import Field

# hive_partitioning would put a folder's name in place of a column's values; can_have_nan keeps the optimizer from
# concluding from footers, which leave NaN out, that a row group cannot hold one.
OPTIONS = {"hive_partitioning": exp.false(), "can_have_nan": exp.true()}


def pattern(path: str) -> str:
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
    in_file = _metadata(files[0]).schema.to_arrow_schema().names
    place = {field.name: f"f{in_file.index(field.name)}" for field, _ in columns.values()}
    listed = exp.Array(expressions=[exp.Literal.string(pattern(path)) for path in files])
    options = [exp.Kwarg(this=exp.var(name), expression=value.copy()) for name, value in OPTIONS.items()]
    named = exp.TableAlias(
        this=exp.to_identifier("files"), columns=[exp.to_identifier(f"f{index}") for index in range(len(in_file))]
    )
    table = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[listed, *options]), alias=named)
    selected = [
        exp.alias_(exp.cast(exp.column(place[field.name]), sql_type), name)
        for name, (field, sql_type) in columns.items()
    ]
    return exp.select(*selected).from_(table)


def footer_bound(files: Sequence[str], name: str) -> float | None:
    """Return the largest magnitude of a float column that the footers admit, None where one of them does not say.

    It is a hint: footers leave NaN out, and nobody has checked them.
    """
    largest = 0.0
    for path in files:
        found = _largest(_metadata(path), name)
        if found is None:
            return None
        largest = max(largest, found)
    return largest if largest < float("inf") else None


def _metadata(path: str) -> pq.FileMetaData:
    try:
        return pq.read_metadata(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceChangedError("A file of the source cannot be read any more.", hint="Connect it again.") from error


def _largest(metadata: pq.FileMetaData, name: str) -> float | None:
    paths = [metadata.schema.column(index).path for index in range(metadata.num_columns)]
    if name not in paths:
        return None
    index, largest = paths.index(name), 0.0
    for group in range(metadata.num_row_groups):
        stats = metadata.row_group(group).column(index).statistics
        if stats is None or not stats.has_min_max or not isinstance(stats.min, float):
            return None
        largest = max(largest, abs(stats.min), abs(stats.max))
    return largest
