"""SQLite on the machine of a deployment: a file that others may write to, opened anew for each question.

What keeps a statement from writing: the file is opened for reading, `query_only`, no other file can be attached, and an
authorizer allows reading, and functions that only compute, and nothing else.

SQLite lets a column hold values of any type. So its types are counted; and plans check every value that they read to be
of the type that was found: a text in a column of numbers ends the question, it does not become 0.
"""

from __future__ import annotations

import contextlib
import math
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Batches,
    Connector,
    DescribedColumn,
    connection_error,
    describe_columns,
    missing_table_error,
    query_error,
)
from service_nb.connectors.options import require
from service_nb.connectors.sql_link import DriverLink, build_batch
from service_nb.errors import LimitExceededError, ServiceError, SourceChangedError, SourceMalformedError
from service_nb.query.conditions import list_conjuncts
from service_nb.query.spelling import Spelling, Summand, call
from service_nb.query.sql_conditions import build_lookup, compute_value_range, find_text_after, list_lookup_values
from service_nb.readers.columns import check_names, make_field
from service_nb.readers.source_files import find_file, has_changed
from service_nb.readers.sqlite_files import (
    FUNCTIONS,
    READS,
    SHARE,
    MemoryGuard,
    count_rows_at_once,
    open_database,
    read_stamps,
)
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.query import Condition
from service_nb.schema.source import DEFAULT_LIMITS, Field, FileStamp

KIND = Kind(
    type="sqlite",
    title="SQLite",
    group="relational",
    keys=("path", "database", "table", "query"),
    dialect="sqlite",
)
MOST_LENGTH = DEFAULT_LIMITS.cell_chars  # bytes of one value
MOST_MEMORY = 2**30  # bytes that SQLite may allocate for a question
CURE = "To read it, give the connector a query that leaves it out, or whose CAST makes it one type."
_STEP = 52  # 2**52 is an integer and a double
_SAFE = 2**53  # all integers up to it are doubles
_HALF = 32  # bits of one half of an integer that is summed in two
_KINDS: Mapping[str, tuple[str, ...]] = {
    "int64": ("integer",),
    "boolean": ("integer",),
    "float64": ("real", "integer"),
    "string": ("text",),
}


def open_link(descriptor: Descriptor, deadline: float) -> SqliteLink:  # noqa: ARG001  # a file answers at once
    """Open a session that cannot write."""
    path = find_file(require(KIND, "path", descriptor.path or descriptor.database))
    link = SqliteLink(path)
    open_database(path).close()
    return link


class SQLiteSpelling(Spelling):
    """SQLite 3.33 and later, in a database whose encoding is UTF-8.

    Casts cut off; SUM of integers raises beyond 64 bits. NaN is NULL; infinities are values. Any column may hold a
    value of any type, and a cast makes some number of every text. So a value that is not of its column's type raises
    (`_build_raising_expression`): the statement fails, and the rows are read one by one, where it is an error that can
    name the place. Literals of doubles are not always read correctly rounded, so they are computed from integers.
    """

    dialect = "sqlite"
    quoted = True
    sum_widens = False
    decimals = False
    nonfinite = (math.inf, -math.inf)
    types: ClassVar = dict.fromkeys(("string", "date", "datetime"), "text")
    computes_keys = ("float64", "int64")  # beyond 64 bits there are doubles, which no whole number is read of
    most_summed = 0  # there is no integer beyond 64 bits
    place_call, contains_call, prefix_call = "INSTR", "", ""

    def build_double(self, value: float) -> exp.Expr:
        """Return this very double as an integer times a power of two; each step on the way there is exact."""
        numerator, denominator = value.as_integer_ratio()
        exponent = 1 - denominator.bit_length()
        while numerator and numerator % 2 == 0 and abs(numerator) >= 2**_STEP:
            numerator, exponent = numerator // 2, exponent + 1
        return _build_scaled_integer(numerator, exponent)

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return an infinity: what a literal beyond the range is."""
        return exp.Literal.number("9e999") if value > 0 else exp.Neg(this=exp.Literal.number("9e999"))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; a value of another type raises."""
        kinds = _KINDS.get(field.physical, ("text",))
        found = exp.func("typeof", column.copy())
        listed: exp.Expr = exp.In(this=found, expressions=[exp.Literal.string(kind) for kind in (*kinds, "null")])
        if field.physical == "float64":  # an integer among them is one that a double holds
            bounds = {"low": exp.Literal.number(-_SAFE), "high": exp.Literal.number(_SAFE)}
            small = exp.Between(this=column.copy(), **bounds)
            is_real = exp.EQ(this=found.copy(), expression=exp.Literal.string("real"))
            listed = exp.and_(listed, exp.or_(is_real, exp.Is(this=column.copy(), expression=exp.Null()), small))
        cast = exp.cast(column, self.find_type(field.physical)) if field.physical == "float64" else column
        return exp.paren(
            exp.Case().when(listed, cast, copy=False).else_(_build_raising_expression(column.copy()), copy=False)
        )

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Return a text that compares by its bytes, whatever the column declares."""
        return exp.Collate(this=value, expression=exp.to_identifier("BINARY"))

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        return exp.LT(this=exp.Abs(this=value), expression=self.build_nonfinite(math.inf))

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return the upper bits of an integer, its sign among them, and the lower 32: 2**31 rows of both fit."""
        high = exp.BitwiseRightShift(this=value, expression=exp.Literal.number(_HALF))
        low = exp.BitwiseAnd(this=value.copy(), expression=exp.Literal.number(2**_HALF - 1))
        return (2**_HALF, high), (1, low)

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself: what is read of it has no index.

        That all values are of one type was seen within the same transaction. A number is compared as a number whatever
        the column declares, for a cast says so of the operand, but not in a list.
        """
        if field.physical == "string":
            return _build_bytes_lookup(condition, column)
        values = list_lookup_values(field, condition)
        if not values or len(values) > _MOST_LISTED:
            return None
        marks: list[exp.Expr] = [exp.cast(exp.Placeholder(), _NUMBERS[field.physical]) for _ in values]
        if condition.op == "in":
            return exp.or_(*(exp.EQ(this=column.copy(), expression=mark) for mark in marks), copy=False), values
        return build_lookup(condition, column, marks), values


def _build_bytes_lookup(condition: Condition, column: exp.Expr) -> tuple[exp.Expr, list[object]] | None:
    """Return the condition of texts as bytes, which an index has whose column declares no other collation.

    What a column declares may make a number of an operand that is one in digits. All texts come after it: so it may be
    a lower end, and nothing else.
    """
    column = exp.Collate(this=column, expression=exp.to_identifier("BINARY"))
    if condition.op == "in":
        values = list(condition.operand)
        if not values or len(values) > _MOST_LISTED or any(map(_NUMERAL.fullmatch, values)):
            return None
        return exp.In(this=column, expressions=[exp.Placeholder() for _ in values]), values
    sides: list[tuple[type[exp.Binary], str | None]]
    if condition.op == "starts_with":
        sides = [(exp.GTE, condition.operand), (exp.LT, find_text_after(condition.operand))]
    else:
        low, high = compute_value_range(condition, [part.operand for part in list_conjuncts(condition)])
        sides = [(exp.GTE, low), (exp.LTE, high)]
    held = [(kind, end) for kind, end in sides if end and (kind is exp.GTE or not _NUMERAL.fullmatch(end))]
    if not held:
        return None
    trees = [kind(this=column.copy(), expression=exp.Placeholder()) for kind, _ in held]
    return exp.and_(*trees, copy=False), [end for _, end in held]


_MOST_LISTED = 50
_NUMBERS: Mapping[str, str] = {"int64": "bigint", "float64": "double"}
_NUMERAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def _build_scaled_integer(integer: int, exponent: int) -> exp.Expr:
    """Return integer * 2**exponent, by powers of two; every literal is an integer that a double holds."""
    value = _build_integer_literal(integer)
    kind = exp.Mul if exponent > 0 else exp.Div
    left = abs(exponent)
    while left:
        step = min(left, _STEP)
        value = kind(this=value, expression=_build_integer_literal(2**step))
        left -= step
    return exp.paren(value, copy=False) if exponent else value


def _build_integer_literal(integer: int) -> exp.Expr:
    literal = exp.Literal.number(f"{abs(integer)}.0")
    return exp.Neg(this=literal) if integer < 0 else literal


def _build_raising_expression(column: exp.Expr) -> exp.Expr:
    """Build an expression that raises once a row evaluates it: the magnitude of the least integer."""
    nothing = exp.Mul(this=exp.Literal.number(0), expression=exp.func("length", column))
    least = exp.Sub(this=exp.Literal.number(-(2**63 - 1)), expression=exp.Literal.number(1))
    return exp.Abs(this=exp.Add(this=least, expression=nothing))


class SqliteLink(DriverLink):
    """A file of SQLite; each question opens it anew, and reads it in one transaction."""

    kind = KIND
    spelling = SQLiteSpelling()
    name = f"sqlite {sqlite3.sqlite_version}"
    holds = True  # by the transaction that has begun to read

    _stamps: tuple[FileStamp, ...] = ()
    _version: tuple[object, ...] | None = None  # of the file as it is read, where that is known
    _encoding: str | None = None
    _guard: MemoryGuard | None = None
    _width = 1
    _known: tuple[tuple[object, ...], tuple[Field, ...]] | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(None)
        self._path = path

    # --- columns ----------------------------------------------------------------------------------------------------

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery, typed by all of their values, which are counted.

        While the file stays as it is they are counted once. Whatever has changed unseen is refused by what reads it.
        """
        if not self._asking:
            with self.begin_question(deadline):
                return self.describe(relation, deadline)
        text = self._render_description(relation)
        with self._run(text, (), deadline) as cursor:
            names = check_names([column[0] for column in cursor.description], DEFAULT_LIMITS)
        asked = None if self._version is None else (text, *self._version)
        if asked is not None and self._known is not None and self._known[0] == asked:
            return self._known[1]
        told = describe_columns(KIND, relation, self._count_types(names, relation.copy(), (), deadline))
        self.left_out, fields = told.left_out, told.fields
        self._known = None if asked is None else (asked, fields)
        return fields

    def _count_types(
        self, names: Sequence[str], relation: exp.Expr, parameters: Sequence[object], deadline: float
    ) -> list[DescribedColumn]:
        """Describe columns by the types of all of their values."""
        counts = [count for name in names for count in _build_type_counts(name)]
        ((*found,),) = self.fetch_rows(exp.Select(expressions=counts).from_(relation), parameters, 1, deadline)
        return [_describe_values(name, found[5 * place : 5 * place + 5]) for place, name in enumerate(names)]

    def _limit_batch(self, cursor: sqlite3.Cursor) -> int:
        columns = len(cursor.description)
        return count_rows_at_once(columns, _compute_value_bytes(columns), MOST_MEMORY // SHARE)

    def fetch_batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Batches:
        """Run one SELECT and yield its rows in bounded batches, typed by their first one."""
        with self._run(*self._render(tree, parameters), deadline) as cursor:
            names = [column[0] for column in cursor.description]
            fields: list[Field] | None = None
            at_once = self._limit_batch(cursor)
            while rows := cursor.fetchmany(at_once):
                fields = fields or self._build_fields(names, rows, tree, parameters, deadline)
                yield build_batch(rows, fields)

    def _build_fields(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[object]],
        tree: exp.Select,
        parameters: Sequence[object],
        deadline: float,
    ) -> list[Field]:
        """Take types from a batch where they are plain there, and by counting all rows where it is not."""
        kinds = [{type(value) for value in column if value is not None} for column in zip(*rows, strict=True)]
        plainly = {frozenset((int,)): "int64", frozenset((str,)): "string", frozenset((bytes,)): "string"}
        found = [plainly.get(frozenset(kind)) for kind in kinds]
        if all(found):
            return [make_field(name, str(kind)) for name, kind in zip(names, found, strict=True)]
        asking, self._asking = self._asking, True  # in the transaction of the rows, which goes on
        try:
            counted = self._count_types(names, tree.copy().subquery("counted"), parameters, deadline)
        finally:
            self._asking = asking
        return list(describe_columns(KIND, None, counted).fields)

    # --- one statement ----------------------------------------------------------------------------------------------

    def _render(self, tree: exp.Expr, parameters: Sequence[object]) -> tuple[str, list[object]]:
        self._width = len(tree.expressions)  # of what is run next
        return super()._render(tree, parameters)

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:  # noqa: ARG002  # watched outside
        if self._connection is None:
            self._connection = self._open_snapshot()
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _compute_value_bytes(self._width))
        cursor = self._cursor = self._connection.cursor()
        return cursor.execute(text, list(parameters))

    def _open_snapshot(self) -> sqlite3.Connection:
        """Return a connection in a transaction that has begun to read: all that it reads is of one state of the file.

        Where the file was the same before and after that moment, its stamps and its number tell this state from others.
        """
        self._stamps = read_stamps(self._path)
        with ExitStack() as failed:
            connection = open_database(self._path, any_thread=True)
            failed.callback(connection.close)
            self._check_encoding(connection)
            connection.execute("BEGIN")
            version = connection.execute("PRAGMA schema_version").fetchone()
            self._version = None if has_changed(self._stamps) else (self._stamps, version)
            _lock_connection(connection)
            self._guard = MemoryGuard(MOST_MEMORY)
            self._guard.watch(connection)
            failed.pop_all()
        return connection

    def _check_encoding(self, connection: sqlite3.Connection) -> None:
        """Read the encoding, so that literals have it too and the canary sees it: it decides the order of texts."""
        ((encoding,),) = connection.execute("PRAGMA encoding").fetchall()
        self._encoding = self._encoding or encoding
        if encoding != self._encoding:
            raise SourceChangedError("The database has another encoding than before.", hint="Connect it again.")

    def _check_whole(self, watch: Any) -> None:
        super()._check_whole(watch)
        # With a log beside the file SQLite itself keeps what is read apart from what is written.
        if self._stamps[1].size <= 0 and has_changed(self._stamps):
            raise SourceChangedError("The database changed while it was read.", hint="Ask again.")

    def _release(self) -> None:
        with self._cancelling:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def cancel(self) -> None:
        with self._cancelling:
            if self._connection is not None:  # also while two statements of one question run
                self._interrupted.set()
                self._connection.interrupt()

    def _stop(self) -> None:
        self.cancel()

    _cut = _stop

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._release()

    def _describe_column(self, column: Any) -> DescribedColumn:
        return DescribedColumn(column[0], None, "")  # its values are counted instead

    def _explain(self, error: Exception) -> ServiceError:
        text = str(error)
        if self._guard is not None and self._guard.is_over_memory:
            return self._guard.statement_memory_error()
        if isinstance(error, sqlite3.DataError):
            return LimitExceededError(
                f"A value is longer than {MOST_LENGTH:,} bytes.", limit=MOST_LENGTH, limit_name="cell_chars"
            )
        if text == "integer overflow":
            return SourceMalformedError(
                "The type of a column's values has changed, or a sum exceeds 64 bits.", met="another type"
            )
        if text.startswith(("no such table", "no such column")):
            return missing_table_error(KIND)
        code = getattr(error, "sqlite_errorcode", None) or 0
        if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return connection_error(KIND, "unreachable", hint="A program that writes has locked it; try again.")
        if code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) or text.startswith("Could not decode"):
            return SourceMalformedError(
                "The file is not a valid SQLite database in UTF-8.", expected="a SQLite database"
            )
        if code & 0xFF == sqlite3.SQLITE_CANTOPEN:
            return connection_error(KIND, "unreachable")
        return query_error(KIND, getattr(error, "sqlite_errorname", None))


def _compute_value_bytes(columns: int) -> int:
    """Compute the largest size of a value, so that one row stays within its share of the memory."""
    return min(MOST_LENGTH, MOST_MEMORY // SHARE // max(1, columns))


def _describe_values(name: str, counts: Sequence[int]) -> DescribedColumn:
    integers, reals, texts, blobs, beyond = (count or 0 for count in counts)
    if blobs or (texts and (integers or reals)) or (reals and beyond):
        met = "bytes" if blobs else "texts and numbers" if texts else "integers that no double holds"
        return DescribedColumn(name, None, met, CURE)
    return DescribedColumn(name, "float64" if reals else "int64" if integers else "string", "")


def _build_type_counts(name: str) -> list[exp.Expr]:
    """Build counts of a column's integers, reals, texts, blobs, and integers that no double holds."""
    column = exp.column(name, quoted=True)
    kinds = {kind: call("typeof", column.copy()).eq(kind) for kind in ("integer", "real", "text", "blob")}
    beyond = exp.and_(kinds["integer"], exp.not_(column.between(-_SAFE, _SAFE)))
    return [exp.Sum(this=met) for met in (*kinds.values(), beyond)]


def _lock_connection(connection: sqlite3.Connection) -> None:
    for setting in ("query_only = 1", "trusted_schema = 0", "cell_size_check = 1", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {setting}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_LENGTH)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
    connection.set_authorizer(_decide_action)


def _decide_action(action: int, first: str | None, second: str | None, database: str | None, _: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if (second or "").lower() in FUNCTIONS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and (database not in ("main", "", None) or (first or "").startswith("sqlite_")):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


CONNECTOR = Connector(kind=KIND, reads_files=True, open_link=open_link)
