"""Data for engines: the same rows held by each of them, plans over them, and answers in a form that compares bits."""

from __future__ import annotations

import datetime
import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MemoryEngine
from service_nb.query.resolve import Catalog, SourceView, resolve
from service_nb.query.spec import parse_spec
from service_nb.readers import frame
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.query import Plan
from service_nb.schema.source import Content, Limits

NOW = datetime.datetime(2024, 5, 15, 12, tzinfo=datetime.UTC)
Bits = Any  # a value by which two results are equal only if they are the same to the bit
Groups = dict[tuple[Bits, ...], tuple[int, Bits]]


def held(columns: Mapping[str, Any] | pa.Table) -> Dataset:
    """The columns in memory, as the connector of frames hands them on."""
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    return frame.read(table, ReadOptions())


def stored(folder: Path, columns: Mapping[str, Any] | pa.Table, name: str = "data", **options: Any) -> Dataset:
    """The columns in a Parquet file that is scanned in place."""
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    path = folder / f"{name}.parquet"
    pq.write_table(table, path, **options)
    return in_place([path], table)


def in_place(paths: Iterable[Path], table: pa.Table) -> Dataset:
    """Parquet files that together hold the rows of `table`."""
    return Dataset(
        fields=held(table.slice(0, 0)).fields,  # of their types alone: what stands there is for the engine to see
        row_count=table.num_rows,
        content=Content(algorithm="sha256-files", sha256="0" * 64, size=1),
        parquet=tuple(str(path) for path in paths),
    )


def as_enum(dataset: Dataset) -> Dataset:
    """The same with every string column dictionary-encoded, which DuckDB holds as ENUM."""
    return _with_strings(dataset, lambda column: column.cast(pa.string()).dictionary_encode().unify_dictionaries())


def as_plain(dataset: Dataset) -> Dataset:
    """The same with every string column as plain text."""
    return _with_strings(dataset, lambda column: column.cast(pa.string()))


def _with_strings(dataset: Dataset, form: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> Dataset:
    assert dataset.table is not None
    columns = [
        form(column) if field.type == "string" else column
        for field, column in zip(dataset.fields, dataset.table.columns, strict=True)
    ]
    return replace(dataset, table=pa.table(columns, names=dataset.table.column_names))


@contextmanager
def duckdb(dataset: Dataset, **limits: Any) -> Iterator[DuckDBEngine]:
    """The dataset in DuckDB."""
    engine = DuckDBEngine(dataset, Limits(**limits))
    try:
        yield engine
    finally:
        engine.close()


def plan_for(dataset: Dataset, **spec: Any) -> Plan:
    """The plan of a question that is to resolve."""
    view = SourceView(
        name="data",
        fields={field.name: field for field in dataset.fields},
        schema_revision="0" * 64,
        row_count=dataset.row_count,
        aliases={},
        restricted=False,
    )
    resolution = resolve(parse_spec(spec), Catalog(sources={"data": view}, restricted=False), NOW)
    assert resolution.plan is not None, resolution.to_json()
    return resolution.plan


def groups(engine: Engine, plan: Plan) -> Groups:
    """The groups of a plan by their keys: rows and value, to the bit."""
    answer = engine.aggregate(plan, None)
    found = {tuple(map(bits, group.keys)): (group.rows, bits(group.value)) for group in answer.groups}
    assert len(found) == len(answer.groups)
    return found


def direct_groups(dataset: Dataset, plan: Plan) -> Groups:
    """The same from the engine without a database."""
    return groups(MemoryEngine(dataset), plan)


def duckdb_groups(dataset: Dataset, plan: Plan, **limits: Any) -> Groups:
    """The same from DuckDB."""
    with duckdb(dataset, **limits) as engine:
        return groups(engine, plan)


def bits(value: Any) -> Bits:
    """A form of the value that tells -0.0 from 0, 1 from True and from 1.0; all NaN are one."""
    if isinstance(value, float):
        return ("float64", "NaN" if math.isnan(value) else struct.pack(">d", value).hex())
    return (type(value).__name__, str(value))


# --- the reference: fractions.Fraction ------------------------------------------------------------------------------


def exact_sum(values: Iterable[float]) -> Fraction:
    """The real sum of finite doubles; every double is a fraction, and CPython adds fractions exactly."""
    numerators: Counter[int] = Counter()
    for value in values:
        numerator, denominator = value.as_integer_ratio()
        numerators[denominator] += numerator
    return sum((Fraction(numerator, denominator) for denominator, numerator in numerators.items()), Fraction())


def nearest(value: Fraction) -> float:
    """The double nearest to a fraction: `float(Fraction)` is correctly rounded, and raises beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def reference(aggregation: str, values: Iterable[float | None]) -> float | None:
    """The sum or mean of one group by the rules of IEEE 754 and one rounding at the end."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    special = [value for value in present if not math.isfinite(value)]
    if special:
        return sum(special)  # NaN and infinities: IEEE addition of these has one answer in any order
    total = exact_sum(present)
    return nearest(total / len(present) if aggregation == "avg" else total) + 0.0


def reference_groups(aggregation: str, keys: Iterable[Any], values: Iterable[float | None]) -> Groups:
    """The reference of every group of a column, by one key."""
    members: dict[Any, list[float | None]] = {}
    for key, value in zip(keys, values, strict=True):
        members.setdefault(key, []).append(value)
    return {(bits(key),): (len(group), bits(reference(aggregation, group))) for key, group in members.items()}
