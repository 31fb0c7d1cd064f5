"""DuckDB, locked down: one private in-memory database a source, which can read nothing but that source."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from service_nb.connectors.base import Dataset
from service_nb.engines.base import Answer
from service_nb.errors import (
    EngineError,
    LimitExceededError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceChangedError,
)
from service_nb.query.exact import Limbs, plan_limbs
from service_nb.query.finish import finisher, leaves_remainder, method_words, positive_zero
from service_nb.query.sql import Method, Shape, Statement, build
from service_nb.records.query import Group, Plan
from service_nb.records.source import DEFAULT_LIMITS, Field, FieldStats, Limits

T = TypeVar("T")

TABLE = "data"
GUESSED_LIMBS = 2  # of columns whose smallest magnitude is unknown: 104 bits below the largest, then a certificate
STATISTICS_AT_ONCE = 100  # columns in one statement

SQL_TYPES = {
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
}


class DuckDBEngine:
    """One source in DuckDB: loaded as a table, or Parquet files scanned in place."""

    name = f"duckdb {duckdb.__version__}"

    def __init__(self, dataset: Dataset, limits: Limits = DEFAULT_LIMITS) -> None:
        self._fields = {field.name: field for field in dataset.fields}
        self._rows = dataset.row_count
        self._limits = limits
        self._members: dict[str, tuple[str, ...]] = {}
        self._statistics: dict[str, FieldStats] = {}
        self._parquet = dataset.parquet
        self._one_at_a_time = threading.Lock()
        scratch = tempfile.mkdtemp(prefix="service-nb-")
        self._connection = _locked_down(scratch, limits, dataset.parquet or ())
        self._finalizer = weakref.finalize(self, _dispose, self._connection, scratch)
        if dataset.table is not None:
            self._load(dataset.table)
            self._take_statistics(list(dataset.fields))
        else:
            self._scan_in_place(dataset.parquet or ())
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Close the database and remove its temporary folder."""
        self._finalizer()

    # --- loading ------------------------------------------------------------------------------------------------

    def _load(self, table: pa.Table) -> None:
        columns = []
        for index, (field, column) in enumerate(zip(self._fields.values(), table.columns, strict=True)):
            name = exp.column(exp.to_identifier(field.name, quoted=True))
            if pa.types.is_dictionary(column.type):
                self._members[field.name] = members = _members(column)
                kind = self._create_enum(index, members) if members else exp.DataType.build("VARCHAR")
                columns.append(exp.alias_(exp.Cast(this=name, to=kind), field.name, quoted=True))
                if not members:
                    del self._members[field.name]
            else:
                columns.append(name)
        self._with_incoming(
            table, exp.Create(this=exp.to_table(TABLE), kind="TABLE", expression=_select(columns, "incoming"))
        )

    def _create_enum(self, index: int, members: tuple[str, ...]) -> exp.DataType:
        kind = f"enum_{index}"
        # The members come from a registered table, not from literals. Their order is by code point, so min and max are.
        listed = pa.table({"member": pa.array(members, pa.string()), "rank": pa.array(range(len(members)))})
        self._connection.register("members", listed)
        members_query = exp.select("member").from_("members").order_by("rank")
        self._connection.execute(f"CREATE TYPE {kind} AS ENUM ({members_query.sql(dialect='duckdb')})")
        self._connection.unregister("members")
        return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind)

    def _with_incoming(self, table: pa.Table, statement: exp.Expr) -> None:
        self._connection.register("incoming", table)
        try:
            self._connection.execute(statement.sql(dialect="duckdb"))
        finally:
            self._connection.unregister("incoming")

    def _scan_in_place(self, files: Sequence[str]) -> None:
        listed = exp.Array(expressions=[exp.Literal.string(path) for path in files])
        columns = [
            exp.alias_(
                exp.cast(exp.column(exp.to_identifier(field.name, quoted=True)), _sql_type(field)),
                field.name,
                quoted=True,
            )
            for field in self._fields.values()
        ]
        scan = exp.select(*columns).from_(exp.func("read_parquet", listed))
        self._connection.execute(
            exp.Create(this=exp.to_table(TABLE), kind="VIEW", expression=scan).sql(dialect="duckdb")
        )

    # --- statistics ---------------------------------------------------------------------------------------------

    def statistics(self, name: str) -> FieldStats:
        """What is known of a column's values; of Parquet scanned in place, read on first use."""
        if name not in self._statistics:
            self._take_statistics([self._fields[name]])
        return self._statistics[name]

    def known_values(self, name: str) -> tuple[str, ...]:
        """Return the values of an ENUM column, in code-point order."""
        return self._members.get(name, ())

    def _take_statistics(self, fields: list[Field]) -> None:
        for start in range(0, len(fields), STATISTICS_AT_ONCE):
            chunk = fields[start : start + STATISTICS_AT_ONCE]
            measures = [
                exp.alias_(tree, f"c{i}")
                for i, tree in enumerate(chain.from_iterable(_measures(field) for field in chunk))
            ]
            row = self._connection.execute(_select(measures, TABLE).sql(dialect="duckdb")).fetchone() or ()
            values = iter(row)
            for field in chunk:
                self._statistics[field.name] = self._read_statistics(field, values)

    def _read_statistics(self, field: Field, values: Iterator[Any]) -> FieldStats:
        nulls = self._rows - next(values)
        if field.type in ("string", "boolean"):
            return FieldStats(nulls=nulls, distinct=self._members.get(field.name))
        minimum, maximum = next(values), next(values)
        if field.physical != "float64":
            return FieldStats(nulls=nulls, minimum=minimum, maximum=maximum)
        return FieldStats(
            nulls=nulls, minimum=minimum, maximum=maximum, smallest_nonzero=next(values), nonfinite=next(values)
        )

    def _footer_bound(self, name: str) -> float | None:
        """The largest magnitude that the Parquet footers admit, None where one of them does not say."""
        largest = 0.0
        for path in self._parquet or ():
            metadata = pq.read_metadata(path)
            index = metadata.schema.to_arrow_schema().get_field_index(name)
            for group in range(metadata.num_row_groups):
                stats = metadata.row_group(group).column(index).statistics if index >= 0 else None
                if stats is None or not stats.has_min_max or not isinstance(stats.min, float):
                    return None
                largest = max(largest, abs(stats.min), abs(stats.max))
        return largest if largest < float("inf") else None

    # --- running ------------------------------------------------------------------------------------------------

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> Answer:
        """Compute the plan's groups in one scan; in two when a guess of limbs did not suffice."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        shape = self._shape(plan)
        groups = self._groups(plan, shape, deadline)
        if groups is None:  # the certificate failed: take statistics, then prove
            self._stoppable(lambda: self.statistics(plan.metric or ""), deadline)
            shape = self._shape(plan)
            groups = self._groups(plan, shape, deadline)
        if groups is None:
            raise EngineError("Limbs that were proven to suffice left a remainder.", engine=self.name)
        return Answer(groups=groups, method=method_words(plan, shape.method))

    def _shape(self, plan: Plan) -> Shape:
        if plan.metric is None:
            return Shape(fields=self._fields, method=Method.COUNT, members=self._members)
        field = self._fields[plan.metric]
        stats = self._statistics.get(plan.metric)
        if stats is None and not (field.physical == "float64" and plan.aggregation in ("sum", "avg")):
            stats = None if plan.aggregation == "count" else self.statistics(plan.metric)
        return Shape(
            fields=self._fields,
            method=self._method(plan, field, stats),
            nulls=stats is None or stats.nulls > 0,
            nonfinite=stats is not None and stats.nonfinite > 0,
            members=self._members,
        )

    def _method(self, plan: Plan, field: Field, stats: FieldStats | None) -> Method | Limbs:
        if plan.aggregation == "count":
            return Method.COUNT
        if plan.aggregation in ("min", "max"):
            return Method.EXTREME
        if field.physical == "float64":
            return self._float_limbs(field.name, stats)
        if field.physical == "int64" or stats is None:
            return Method.WIDE  # SUM of BIGINT is a HUGEINT here: 2**63 rows of 2**63 fit
        largest = max(
            (abs(Fraction(value)) for value in (stats.minimum, stats.maximum) if isinstance(value, Decimal)), default=0
        )
        fits = largest * 10 ** (field.decimal_scale or 0) * max(self._rows, 1) < 10**38
        return Method.WIDE if fits else Method.SPLIT

    def _float_limbs(self, name: str, stats: FieldStats | None) -> Limbs:
        if stats is None:
            bound = self._footer_bound(name)
            if bound is not None:
                return plan_limbs(bound, None, limit=GUESSED_LIMBS)
            stats = self.statistics(name)
        extremes = [abs(value) for value in (stats.minimum, stats.maximum) if isinstance(value, float)]
        return plan_limbs(max(extremes, default=0.0), stats.smallest_nonzero)

    def _groups(self, plan: Plan, shape: Shape, deadline: float | None) -> list[Group] | None:
        statement = build(plan, TABLE, shape)
        rows = self._stoppable(lambda: self._fetch(statement), deadline)
        width = len(plan.group_by)
        incomplete, value = leaves_remainder(statement.measures), finisher(plan, shape, statement.measures)
        groups = []
        for row in rows:
            measures = row[width:]
            if incomplete(measures):
                return None
            groups.append(Group(tuple(map(positive_zero, row[:width])), measures[0], value(measures)))
        return groups

    def _fetch(self, statement: Statement) -> list[tuple[Any, ...]]:
        text = statement.tree.sql(dialect="duckdb")
        if [parsed.type for parsed in duckdb.extract_statements(text)] != [duckdb.StatementType.SELECT]:
            raise EngineError("A plan became something else than one SELECT.", engine=self.name)
        rows = self._connection.execute(text, statement.parameters).fetchmany(self._limits.groups + 1)
        if len(rows) > self._limits.groups:
            raise LimitExceededError(
                f"The result has more than {self._limits.groups:,} groups.",
                hint="Group by a column with fewer values, or add a condition.",
                limit=self._limits.groups,
            )
        return rows

    def _stoppable(self, work: Callable[[], T], deadline: float | None) -> T:
        """Run `work` in a thread, so that Ctrl-C and the deadline reach us while the engine is busy."""
        with self._one_at_a_time:
            outcome: Future[T] = Future()
            worker = threading.Thread(target=_settle, args=(outcome, work), daemon=True)
            worker.start()
            try:
                return outcome.result(None if deadline is None else max(0.0, deadline - time.monotonic()))
            except TimeoutError as error:
                self._stop(worker)
                raise QueryTimeoutError(
                    "The question was stopped at its deadline.", hint="Raise `timeout`, or narrow it."
                ) from error
            except KeyboardInterrupt:
                self._stop(worker)
                raise QueryInterruptedError(
                    "The question was stopped.", hint="Sources and session are intact."
                ) from None
            except duckdb.Error as error:
                raise _translated(error, self.name) from error

    def _stop(self, worker: threading.Thread) -> None:
        # An interrupt that arrives between two statements is lost, so ask until the worker has ended.
        while worker.is_alive():
            self._connection.interrupt()
            worker.join(0.02)


def _settle(outcome: Future[T], work: Callable[[], T]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  # handed to the thread that waits, whatever it is
        outcome.set_exception(error)


def _translated(error: duckdb.Error, engine: str) -> ServiceError:
    if isinstance(error, duckdb.OutOfMemoryException):
        return LimitExceededError(
            "The question needs more memory than the engine may use.",
            hint="Raise Limits(memory_bytes=…).",
            limit="memory_bytes",
        )
    if isinstance(error, duckdb.IOException):
        return SourceChangedError("A file of the source cannot be read any more.", hint="Connect it again.")
    return EngineError(f"The engine failed with {type(error).__name__}.", engine=engine)


def _locked_down(scratch: str, limits: Limits, files: Sequence[str]) -> duckdb.DuckDBPyConnection:
    """Open a database that reaches no file but `files`, no network, no extension and no Python variable."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
            "memory_limit": f"{limits.memory_bytes}B",
            "threads": str(limits.threads or os.cpu_count() or 1),
            "temp_directory": scratch,
            "max_temp_directory_size": f"{16 * limits.memory_bytes}B",
            "preserve_insertion_order": "false",
        },
    )
    listed = exp.Array(expressions=[exp.Literal.string(path) for path in files])
    connection.execute(f"SET allowed_paths = {listed.sql(dialect='duckdb')}")
    connection.execute("SET enable_external_access = false")
    return connection


def _dispose(connection: duckdb.DuckDBPyConnection, scratch: str) -> None:
    connection.close()
    shutil.rmtree(scratch, ignore_errors=True)


def _members(column: pa.ChunkedArray) -> tuple[str, ...]:
    used = column.unify_dictionaries().unique().dictionary_decode() if column.num_chunks else column
    return tuple(sorted(value for value in used.to_pylist() if value is not None))


def _select(columns: Sequence[exp.Expr], table: str) -> exp.Select:
    return exp.select(*columns).from_(exp.to_table(table))


def _sql_type(field: Field) -> str:
    return SQL_TYPES.get(field.physical) or field.physical.upper()


def _measures(field: Field) -> list[exp.Expr]:
    """Return count of values; for ordered types the extremes; for floats those of the finite, and the rest."""
    column = exp.column(exp.to_identifier(field.name, quoted=True))
    count = exp.Count(this=column)
    if field.type in ("string", "boolean"):
        return [count]
    if field.physical != "float64":
        return [count, exp.Min(this=column.copy()), exp.Max(this=column.copy())]
    is_finite = exp.func("isfinite", column.copy())
    finite = exp.Case().when(is_finite, column.copy())
    nonzero = exp.NEQ(this=column.copy(), expression=exp.Literal.number(0))
    magnitude = exp.Case().when(exp.and_(is_finite.copy(), nonzero), exp.Abs(this=column.copy()))
    return [
        count,
        exp.Min(this=finite),
        exp.Max(this=finite.copy()),
        exp.Min(this=magnitude),
        exp.CountIf(this=exp.not_(is_finite.copy())),
    ]
