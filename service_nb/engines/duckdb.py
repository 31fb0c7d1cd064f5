"""DuckDB, locked down: one private in-memory database a source, which can read nothing but that source.

A table is loaded; Parquet files are scanned in place. `try_forbidden` tests the lock.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from service_nb.engines.duckdb_profile import ProfiledColumn, profile_columns
from service_nb.engines.duckdb_statistics import TABLE, count_texts, list_measures, read_measures
from service_nb.engines.engine import (
    MOST_ROWS,
    EngineAnswer,
    build_vector,
    join_answers,
    too_many_groups_error,
    too_many_rows_error,
)
from service_nb.engines.first_groups import add_counts, count_all_rows, find_first_groups, is_cut_by_value
from service_nb.engines.running import Runner, require_time
from service_nb.engines.text_orders import find_text_order
from service_nb.engines.value_counts import build_value_counts, fold_value_counts
from service_nb.errors import (
    EngineError,
    LimitExceededError,
    ServiceError,
    SourceChangedError,
    SourceMalformedError,
)
from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import Measure, normalise_zero
from service_nb.query.group_keys import build_key_check, check_zone, list_key_columns
from service_nb.query.limbs import MAX_WIDTH, Limbs, plan_limbs
from service_nb.query.sql import (
    Method,
    Shape,
    SqlStatement,
    build_columns,
    build_finisher,
    build_remainder_check,
    build_statement,
    describe_method,
    find_fixed_method,
)
from service_nb.query.sql_squares import find_limb_width
from service_nb.query.used_rows import build_null_counter
from service_nb.readers.dataset import Dataset
from service_nb.schema.compute import Vector
from service_nb.schema.query import DateKey, Group, Plan
from service_nb.schema.source import DEFAULT_LIMITS, ColumnProfile, Field, FieldStats, Limits
from service_nb.schema.text_order import TextOrder

T = TypeVar("T")

GUESSED_LIMBS = 2  # of columns whose smallest magnitude is unknown: 104 bits below the largest, then a certificate
GATHERED_BYTES = 64  # of memory for each value that is held to find the middle ones, with room for the rest
MOST_MULTIPLIED = 8  # limbs whose products are summed; beyond, values are counted where they are few
STATISTICS_AT_ONCE = 100  # columns in one statement
ROWS_OF_MANY_GROUPS = 100_000  # a source of fewer rows has no result that is long
GROUPS_BETWEEN_LOOKS = 10_000  # at the clock

ComputeGroups = Callable[[Plan, Shape, float | None], EngineAnswer | None]

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
        # Names of columns never reach the database: it knows no case, and what is not sent cannot be injected.
        self._columns = {field.name: f"c{index}" for index, field in enumerate(dataset.fields)}
        self._rows = dataset.row_count
        self._limits = limits
        self._members: dict[str, tuple[str, ...]] = {}
        self._statistics: dict[str, FieldStats] = {}
        self._profiles: dict[str, ColumnProfile] = {}
        self._bounds: dict[str, float | None] = {}
        self._text_orders: dict[str, TextOrder] = {}
        self._years: dict[str, tuple[int, ...]] = {}
        self._parquet = dataset.parquet
        scratch = tempfile.mkdtemp(prefix="service-nb-")
        self._connection = _open_locked_down(scratch, limits, dataset.parquet or ())
        self._runner = Runner(self._connection.interrupt)
        self._finalizer = weakref.finalize(self, _dispose, self._connection, scratch)
        try:
            self._take_in(dataset)
        except BaseException as error:  # whatever ends it, no database is left open
            self.close()
            if isinstance(error, duckdb.Error):
                raise _translate_error(error, self.name, in_place=self._parquet is not None) from error
            raise

    def _take_in(self, dataset: Dataset) -> None:
        if dataset.table is not None:
            self._load(dataset.table)
            self._take_statistics(list(dataset.fields))
        else:
            columns = {self._columns[field.name]: (field, _find_sql_type(field)) for field in dataset.fields}
            self._create("VIEW", _scan_files(dataset.parquet or (), columns))
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Close the database and remove its temporary folder."""
        self._finalizer()

    # --- loading ------------------------------------------------------------------------------------------------

    def _load(self, table: pa.Table) -> None:
        columns = []
        for name, field, column in zip(self._columns.values(), self._fields.values(), table.columns, strict=True):
            members = _list_members(column) if pa.types.is_dictionary(column.type) else ()
            kind: str | exp.DataType = "VARCHAR" if pa.types.is_dictionary(column.type) else ""
            if members:
                self._members[field.name] = members
                kind = self._create_enum(f"{name}_members", members)
            columns.append(exp.alias_(exp.cast(exp.column(name), kind), name) if kind else exp.column(name))
        self._connection.register("incoming", table.rename_columns(list(self._columns.values())))
        selected = exp.select(*columns).from_("incoming")
        self._create("TABLE", selected)
        self._connection.unregister("incoming")

    def _create_enum(self, kind: str, members: tuple[str, ...]) -> exp.DataType:
        # The members come from a registered table, not from literals. Their order is by code point, so min and max are.
        listed = pa.table({"member": pa.array(members, pa.string()), "rank": pa.array(range(len(members)))})
        self._connection.register("members", listed)
        members_query = exp.select("member").from_("members").order_by("rank")
        self._connection.execute(f"CREATE TYPE {kind} AS ENUM ({members_query.sql(dialect='duckdb')})")
        self._connection.unregister("members")
        return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind)

    def _create(self, kind: str, selected: exp.Select) -> None:
        tree = exp.Create(this=exp.to_table(TABLE), kind=kind, expression=selected)
        self._connection.execute(tree.sql(dialect="duckdb"))

    # --- statistics ---------------------------------------------------------------------------------------------

    def read_statistics(self, name: str, deadline: float | None = None) -> FieldStats:
        """Read the statistics of a column's values; for Parquet scanned in place, they are read on first use."""
        if name not in self._statistics:
            self._run_stoppable(lambda: self._take_statistics([self._fields[name]]), deadline)
        return self._statistics[name]

    def list_known_values(self, name: str) -> tuple[str, ...]:
        """List the values of an ENUM column, in code-point order."""
        return self._members.get(name, ())

    def _take_statistics(self, fields: list[Field]) -> None:
        for start in range(0, len(fields), STATISTICS_AT_ONCE):
            chunk = fields[start : start + STATISTICS_AT_ONCE]
            asked = [list_measures(field, self._columns[field.name]) for field in chunk]
            query = exp.select(*chain.from_iterable(asked)).from_(TABLE)
            values = iter(self._connection.execute(query.sql(dialect="duckdb")).fetchone() or ())
            for field in chunk:
                members = self._members.get(field.name)
                self._statistics[field.name] = read_measures(field, self._rows, values, members)

    def _read_footer_bound(self, name: str, deadline: float | None) -> float | None:
        if name not in self._bounds:
            files = self._parquet or ()
            self._bounds[name] = self._run_stoppable(
                lambda: _read_footer_bound(self._connection, files, name), deadline
            )
        return self._bounds[name]

    # --- running ------------------------------------------------------------------------------------------------

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> EngineAnswer:
        """Compute the plan's groups in one scan; in two when a guess of limbs did not suffice."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._check_calendar(plan, deadline)
        # Several measures are several scans: the table never changes, and a file is looked at around the question.
        compute = self._compute_first_groups if self._has_long_result(plan) else self._compute_groups
        answers = [self._aggregate_measure(each, compute, deadline) for each in plan.split()]
        return join_answers(answers) if len(answers) > 1 else answers[0]

    def _has_long_result(self, plan: Plan) -> bool:
        """Tell whether there may be many groups, of which the result has the first: not where their keys are few."""
        is_few = all(isinstance(key, str) and key in self._members for key in plan.group_by)
        return self._rows >= ROWS_OF_MANY_GROUPS and not is_few and is_cut_by_value(plan)

    def _aggregate_measure(self, plan: Plan, compute: ComputeGroups, deadline: float | None) -> EngineAnswer:
        shape = self._build_shape(plan, deadline)
        answer = self._count_values(plan, shape, deadline) or compute(plan, shape, deadline)
        if answer is None:  # the certificate failed: take statistics, then prove
            self.read_statistics(plan.metric or "", deadline)
            answer = compute(plan, self._build_shape(plan, deadline), deadline)
        if answer is None:
            raise EngineError("A sum does not fit the number of limbs that was proven sufficient.", engine=self.name)
        return answer

    def read_columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:
        """Read the plan's group columns, not grouped, of the rows that meet its conditions."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._check_calendar(plan, deadline)
        shape = Shape(fields=self._fields, columns=self._columns, method=Method.COUNT, members=self._members)
        statement = build_columns(plan, TABLE, shape)
        table = self._run_stoppable(lambda: self._fetch_table(statement), deadline)
        kinds = [self._fields[name].physical for name in list_key_columns(plan.group_by)]
        return [build_vector(kind, column) for kind, column in zip(kinds, table.columns, strict=True)]

    def read_first_rows(self, names: Sequence[str], count: int, timeout_s: float | None = None) -> list[Vector]:
        """Read columns of the first rows, in the source's order."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        plan = Plan(aggregation="count", group_by=tuple(names))
        self._check_calendar(plan, deadline)
        shape = Shape(fields=self._fields, columns=self._columns, method=Method.COUNT, members=self._members)
        statement = build_columns(plan, TABLE, shape)
        pairs = zip(
            names, self._run_stoppable(lambda: self._fetch_table(statement, count), deadline).columns, strict=True
        )
        return [build_vector(self._fields[name].physical, column) for name, column in pairs]

    def find_statistics(self, name: str) -> FieldStats | None:
        """Find the statistics of a column; of Parquet scanned in place they are unknown until they are used."""
        return self._statistics.get(name)

    def find_text_order(self, name: str) -> TextOrder:
        """Find what the texts of a column read as; of Parquet scanned in place those of the first rows."""
        if name not in self._text_orders:
            count = partial(count_texts, self._connection, self._columns[name], is_cut=self._parquet is not None)
            self._text_orders[name] = find_text_order(*self._run_stoppable(count, None))
        return self._text_orders[name]

    def has_profiles(self, names: Sequence[str]) -> bool:
        """Tell whether all of the columns were profiled before."""
        return all(name in self._profiles for name in names)

    def profile_columns(self, names: Sequence[str], timeout_s: float | None = None) -> list[ColumnProfile]:
        """Count what columns hold, in one scan beside one for each column of text."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        wanted = [self._fields[name] for name in names if name not in self._profiles]
        for field in wanted:
            self.read_statistics(field.name, deadline)
        measured = [ProfiledColumn(each, self._columns[each.name], self._statistics[each.name]) for each in wanted]
        profile = partial(profile_columns, self._connection, TABLE, self._rows, measured)
        for field, found in zip(wanted, self._run_stoppable(profile, deadline), strict=True):
            self._profiles[field.name] = found
        return [self._profiles[name] for name in names]

    def _fetch_table(self, statement: SqlStatement, most: int = MOST_ROWS + 1) -> pa.Table:
        query = statement.tree.limit(most).sql(dialect="duckdb")
        table: pa.Table = self._connection.sql(query, params=statement.parameters).to_arrow_table()
        if table.num_rows > MOST_ROWS:
            raise too_many_rows_error()
        return table

    def _check_calendar(self, plan: Plan, deadline: float | None) -> None:
        """Refuse dates that no result can hold before one of them leaves the engine; statistics meet them all."""
        extremes = [each for each in plan.split() if find_fixed_method(each) is Method.EXTREME]
        leaving = {*list_key_columns(plan.group_by), *(each.metric for each in extremes if each.metric is not None)}
        for name in sorted(leaving):
            if self._fields[name].type in ("date", "datetime"):
                self.read_statistics(name, deadline)
        for key in plan.group_by:
            if isinstance(key, DateKey) and key.zone is not None:
                found = self._statistics[key.column]
                check_zone(key, self._fields[key.column], found.minimum, found.maximum)

    def _list_years(self, name: str, deadline: float | None) -> tuple[int, ...]:
        """List the years that a column has; one date in the year 9999, as stands for none, is not a reason for all."""
        if name not in self._years:
            year = exp.cast(exp.func("year", exp.column(self._columns[name])), "integer")
            query = exp.select(year).distinct().from_(TABLE).sql(dialect="duckdb")
            rows = self._run_stoppable(lambda: self._connection.execute(query).fetchall(), deadline)
            self._years[name] = tuple(sorted(value for (value,) in rows if value is not None))
        return self._years[name]

    def _build_shape(self, plan: Plan, deadline: float | None) -> Shape:
        metric = plan.metric
        method: Method | Limbs | None = find_fixed_method(plan)
        unknown = method in (Method.EXTREME, Method.MIDDLE) and self._fields[metric or ""].physical == "float64"
        if method is None:
            adds = RECORDS[plan.aggregation].measure is Measure.TOTAL
            choose = self._choose_adding_method if adds else self._choose_squaring_method
            method = choose(self._fields[metric or ""], deadline)
        stats = None if metric is None else self._statistics.get(metric)
        return Shape(
            fields=self._fields,
            columns=self._columns,
            method=method,
            nulls=stats is None or stats.nulls > 0,
            nonfinite=unknown if stats is None else stats.nonfinite > 0,
            digits=self._count_digits(metric or "", deadline) if method is Method.SQUARES else 0,
            members=self._members,
            gathers=self._rows * GATHERED_BYTES <= self._limits.memory_bytes,
            years={
                key.column: self._list_years(key.column, deadline)
                for key in plan.group_by
                if isinstance(key, DateKey) and key.zone is not None
            },
        )

    def _choose_adding_method(self, field: Field, deadline: float | None) -> Method | Limbs:
        if field.physical == "float64":
            return self._plan_float_limbs(field.name, deadline)
        if field.physical == "int64":
            return Method.WIDE  # SUM of BIGINT is a HUGEINT here: 2**63 rows of 2**63 fit
        fits = _find_largest_whole(field, self.read_statistics(field.name, deadline)) * max(self._rows, 1) < 10**38
        return Method.WIDE if fits else Method.SPLIT

    def _choose_squaring_method(self, field: Field, deadline: float | None) -> Method | Limbs:
        if field.physical != "float64":
            return Method.SQUARES
        stats = self.read_statistics(field.name, deadline)
        return plan_limbs(*_find_magnitudes(stats), width=find_limb_width(self._rows, MAX_WIDTH - 1))

    def _count_digits(self, name: str, deadline: float | None) -> int:
        return len(str(_find_largest_whole(self._fields[name], self.read_statistics(name, deadline))))

    def _plan_float_limbs(self, name: str, deadline: float | None) -> Limbs:
        bound = None if name in self._statistics else self._read_footer_bound(name, deadline)
        if bound is not None:
            return replace(plan_limbs(bound, None, limit=GUESSED_LIMBS), proven=False)
        return plan_limbs(*_find_magnitudes(self.read_statistics(name, deadline)))

    def _compute_groups(self, plan: Plan, shape: Shape, deadline: float | None) -> EngineAnswer | None:
        """Compute all groups; None where a value was not fully taken by the limbs."""
        statement = build_statement(plan, TABLE, shape)
        rows = self._run_stoppable(lambda: self._fetch(statement), deadline)
        groups = self._finish_groups(plan, shape, statement, rows, deadline)
        return None if groups is None else EngineAnswer(groups=groups, method=describe_method(plan, shape))

    def _compute_first_groups(self, plan: Plan, shape: Shape, deadline: float | None) -> EngineAnswer | None:
        """Compute the groups that can be among the first; None where a value was not fully taken by the limbs."""
        statement = build_statement(plan, TABLE, shape)
        table = self._run_stoppable(lambda: self._fetch_group_table(statement), deadline)
        totals = add_counts(statement.measures, table)
        if build_remainder_check(statement.measures)(totals):
            return None
        first = find_first_groups(plan, shape.method, statement.measures, table)
        kept = table if first is None else table.take(first)
        rows = zip(*(column.to_pylist() for column in kept.columns), strict=True)
        groups = self._finish_groups(plan, shape, statement, rows, deadline) or []
        used = count_all_rows(plan, statement.measures, totals)
        return EngineAnswer(groups=groups, method=describe_method(plan, shape), is_cut=True, used=used)

    def _finish_groups(
        self, plan: Plan, shape: Shape, statement: SqlStatement, rows: Iterable[Any], deadline: float | None
    ) -> list[Group] | None:
        width, check_keys = len(plan.group_by), build_key_check(plan.group_by, self._fields)
        incomplete, value = build_remainder_check(statement.measures), build_finisher(plan, shape, statement)
        groups: list[Group] = []
        count_nulls = build_null_counter(statement.measures)
        for row in rows:
            if not len(groups) % GROUPS_BETWEEN_LOOKS:
                require_time(deadline)
            measures = row[width:]
            if incomplete(measures):
                return None
            keys = tuple(map(normalise_zero, row[:width]))
            check_keys(keys)
            groups.append(Group(keys, measures[0], value(measures), nulls=count_nulls(measures)))
        return groups

    def _count_values(self, plan: Plan, shape: Shape, deadline: float | None) -> EngineAnswer | None:
        """Compute a variance from how often each value is there; None where that is not due, or they are too many."""
        counting, limbs = build_value_counts(plan), shape.method
        if counting is None or not isinstance(limbs, Limbs) or len(limbs.scales) <= MOST_MULTIPLIED:
            return None
        try:
            counted = self._compute_groups(counting, self._build_shape(counting, deadline), deadline)
        except LimitExceededError:
            return None
        groups = fold_value_counts(plan, counted.groups if counted else [])
        return EngineAnswer(groups=groups, method=describe_method(plan, shape)) if groups else None

    def _fetch_group_table(self, statement: SqlStatement) -> pa.Table:
        query = statement.tree.limit(self._limits.groups + 1).sql(dialect="duckdb")
        table: pa.Table = self._connection.sql(query, params=statement.parameters).to_arrow_table()
        if table.num_rows > self._limits.groups:
            raise too_many_groups_error(self._limits)
        return table

    def _fetch(self, statement: SqlStatement) -> list[tuple[Any, ...]]:
        text = statement.tree.sql(dialect="duckdb")
        parsed = duckdb.extract_statements(text)
        if [one.type for one in parsed] != [duckdb.StatementType.SELECT]:
            raise EngineError("The plan did not become exactly one SELECT.", engine=self.name)
        rows = self._connection.execute(parsed[0], statement.parameters).fetchmany(self._limits.groups + 1)
        if len(rows) > self._limits.groups:
            raise too_many_groups_error(self._limits)
        return rows

    def _run_stoppable(self, work: Callable[[], T], deadline: float | None) -> T:
        """Run `work` in a thread, so that deadline, Ctrl-C and a request to stop reach us while the engine is busy."""

        def work_to_its_end() -> T:
            try:
                return work()
            finally:  # DuckDB refuses other work while a result of `execute` is unread, as an interrupt leaves it
                self._connection.abort()

        try:
            return self._runner.run(work_to_its_end, deadline)
        except duckdb.Error as error:
            raise _translate_error(error, self.name, in_place=self._parquet is not None) from error


def _find_largest_whole(field: Field, stats: FieldStats) -> int:
    """Find the largest magnitude of a column of integers or decimals, in units of its last digit."""
    extremes = [abs(Fraction(value)) for value in (stats.minimum, stats.maximum) if isinstance(value, int | Decimal)]
    return int(max(extremes, default=0) * 10 ** (field.decimal_scale or 0))


def _find_magnitudes(stats: FieldStats) -> tuple[float, float | None]:
    """Find the largest magnitude of a column of doubles, and the smallest beside zero."""
    extremes = [abs(value) for value in (stats.minimum, stats.maximum) if isinstance(value, float)]
    return max(extremes, default=0.0), stats.smallest_nonzero


def _translate_error(error: duckdb.Error, engine: str, *, in_place: bool) -> ServiceError:
    if isinstance(error, duckdb.OutOfMemoryException):
        return LimitExceededError(
            "The question needs more memory than the engine may use.",
            hint="Raise Limits(memory_bytes=…).",
            limit="memory_bytes",
        )
    if isinstance(error, duckdb.IOException):
        return SourceChangedError("A file of the source can no longer be read.", hint="Connect it again.")
    # What its Parquet reader stumbles over has one of two classes, both without anything more specific.
    if in_place and (isinstance(error, duckdb.InvalidInputException) or type(error) is duckdb.Error):
        return SourceMalformedError(
            "A Parquet file of the source is damaged: its footer can be read, its pages cannot.",
            hint="Restore the file, or write it again.",
            expected="an intact Parquet file",
        )
    return EngineError(f"The engine failed with {type(error).__name__}.", engine=engine)


def _open_locked_down(scratch: str, limits: Limits, files: Sequence[str]) -> duckdb.DuckDBPyConnection:
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
            "preserve_insertion_order": "true",  # a column that is bound has the order of its source
        },
    )
    allowed = dict.fromkeys((*files, *map(_escape_glob, files)))
    listed = exp.Array(expressions=[exp.Literal.string(path) for path in allowed])
    connection.execute("SET enable_progress_bar = false")  # or it shows a widget of its own beside our progress line
    connection.execute("SET TimeZone = 'UTC'")  # or instants of Parquet would be read in the machine's zone
    connection.execute(f"SET allowed_paths = {listed.sql(dialect='duckdb')}")
    if files:  # or extremes would be what a footer claims, unread
        connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    connection.execute("SET enable_external_access = false")
    return connection


def _dispose(connection: duckdb.DuckDBPyConnection, scratch: str) -> None:
    connection.close()
    shutil.rmtree(scratch, ignore_errors=True)


def _list_members(column: pa.ChunkedArray) -> tuple[str, ...]:
    used = column.unify_dictionaries().unique().dictionary_decode() if column.num_chunks else column
    return tuple(sorted(value for value in used.to_pylist() if value is not None))


def _find_sql_type(field: Field) -> str:
    return SQL_TYPES.get(field.physical) or field.physical.upper()


# --- Parquet files in place -----------------------------------------------------------------------------------------

# hive_partitioning would put a folder's name in place of a column's values; can_have_nan keeps the optimizer from
# concluding from footers, which leave NaN out, that a row group cannot hold one.
SCAN_OPTIONS = {"hive_partitioning": exp.false(), "can_have_nan": exp.true()}
FOOTER_STATS = ("stats_min_value", "stats_max_value")  # of one column in one row group, as text


def _escape_glob(path: str) -> str:
    """Return the glob that matches this path and no other: DuckDB takes every path for a glob."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def _scan_files(files: Sequence[str], columns: Mapping[str, tuple[Field, str]]) -> exp.Select:
    """Build the SELECT that reads files of one schema; `columns` gives each name its field and SQL type.

    A column is found by its place in the file: the engine's names know no case, a file's do.
    """
    in_file = _read_schema(files[0])
    place = {name: index for index, name in enumerate(in_file.names)}
    options = [exp.Kwarg(this=exp.var(name), expression=value.copy()) for name, value in SCAN_OPTIONS.items()]
    named = exp.TableAlias(
        this=exp.to_identifier("files"), columns=[exp.to_identifier(f"f{index}") for index in place.values()]
    )
    table = exp.Table(
        this=exp.Anonymous(this="read_parquet", expressions=[_build_path_list(files), *options]), alias=named
    )
    selected = [
        exp.alias_(_cast_stored(f"f{place[field.name]}", in_file.field(place[field.name]).type, sql_type), name)
        for name, (field, sql_type) in columns.items()
    ]
    return exp.select(*selected).from_(table)


def _cast_stored(column: str, stored: pa.DataType, sql_type: str) -> exp.Expr:
    value: exp.Expr = exp.column(column)
    if pa.types.is_timestamp(stored) and stored.unit == "ns" and stored.tz is not None:
        value = exp.cast(value, "timestamptz")  # of instants in nanoseconds, DuckDB has no other cast
    return exp.cast(value, sql_type)


def _build_path_list(files: Sequence[str]) -> exp.Array:
    return exp.Array(expressions=[exp.Literal.string(_escape_glob(path)) for path in files])


def _read_schema(path: str) -> pa.Schema:
    try:
        return pq.read_metadata(path).schema.to_arrow_schema()
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceChangedError("A file of the source can no longer be read.", hint="Connect it again.") from error


def _read_footer_bound(connection: duckdb.DuckDBPyConnection, files: Sequence[str], name: str) -> float | None:
    """Read the largest magnitude of a float column that the footers admit, None where one of them does not say.

    It is a hint: footers leave NaN out, and nobody has checked them. The database is asked, because pyarrow ends the
    whole process when the statistics of a column are damaged.
    """
    extremes = [
        exp.func("abs", exp.TryCast(this=exp.column(side), to=exp.DataType.build("double"))) for side in FOOTER_STATS
    ]
    known = exp.and_(*(exp.not_(exp.Is(this=extreme.copy(), expression=exp.null())) for extreme in extremes))
    query = (
        exp.select(exp.func("bool_and", known), exp.Max(this=exp.func("greatest", *extremes)))
        .from_(exp.Table(this=exp.Anonymous(this="parquet_metadata", expressions=[_build_path_list(files)])))
        .where(exp.EQ(this=exp.column("path_in_schema"), expression=exp.Placeholder()))
    )
    complete, largest = connection.execute(query.sql(dialect="duckdb"), [name]).fetchone() or (None, None)
    return largest if complete and math.isfinite(largest) else None
