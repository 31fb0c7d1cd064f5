"""Sessions with databases: one statement at a time, rendered from its tree, ended at its deadline, typed on return."""

from __future__ import annotations

import datetime
import re
import secrets
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.base import DescribedColumn, SqlLink, count_seconds_left, describe_columns, timeout_error
from service_nb.connectors.bounds import DeadlineWatch
from service_nb.errors import (
    EngineError,
    LimitExceededError,
    QueryInterruptedError,
    ServiceError,
    SourceMalformedError,
)
from service_nb.query.spelling import Spelling
from service_nb.readers.columns import find_arrow_type
from service_nb.schema.connector import Kind
from service_nb.schema.source import Field

_WRITES = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command)
MOST_PARAMETERS = 100  # of a statement that is remembered
Mark = Callable[[int], str]  # the placeholder of the parameter at that place, as a driver wants it


def mark_numbered(place: int) -> str:
    """`$1`, as PostgreSQL's own protocol has it."""
    return f"${place + 1}"


def mark_question(_: int) -> str:
    """`?`."""
    return "?"


def mark_percent(_: int) -> str:
    """`%s`, of drivers that format; what else is `%` in the text is doubled."""
    return "%s"


def mark_named(place: int) -> str:
    """`:p0`."""
    return f":p{place}"


@dataclass(frozen=True, slots=True)
class WrittenQuery:
    """A tree as text, cut at its placeholders, and of each of these which parameter it stands for."""

    texts: tuple[str, ...]
    places: tuple[int, ...]

    def bound(
        self, parameters: Sequence[object], mark: Mark, *, double_percent: bool = False
    ) -> tuple[str, list[object]]:
        """Return the text with `mark` for each placeholder, and the parameters in the order of the text."""
        if len(set(self.places)) != len(parameters):
            raise EngineError(f"A statement has {len(set(self.places))} placeholders and {len(parameters)} parameters.")
        texts = [text.replace("%", "%%") for text in self.texts] if double_percent else self.texts
        marks = map(mark, range(len(self.places)))
        text = texts[0] + "".join(part for pair in zip(marks, texts[1:], strict=True) for part in pair)
        return text, [parameters[place] for place in self.places]


def render(
    tree: exp.Expr, parameters: Sequence[Any], *, dialect: str, mark: Mark, double_percent: bool = False
) -> tuple[str, list[Any]]:
    """Return the tree's text with `mark` for each placeholder, and the parameters in the order of the text."""
    return write_query(tree, dialect).bound(parameters, mark, double_percent=double_percent)


def render_cached(tree: exp.Expr, parameters: Sequence[object], dialect: str) -> WrittenQuery:
    """Return the text of a tree that reads and that nobody changes any more; of one that was met before, the same."""
    if len(parameters) > MOST_PARAMETERS:  # long lists are seldom of one length twice, and large
        check_reads(tree)
        return write_query(tree, dialect)
    return _write_cached(_Same(tree), dialect)


def check_reads(tree: exp.Expr) -> None:
    """Refuse a tree that is no query, or has a part that writes: whoever made it has made a mistake."""
    if not isinstance(tree, exp.Query) or tree.find(*_WRITES) is not None:
        raise EngineError("A statement that does more than read was to be run.", met=tree.key.upper())


def write_query(tree: exp.Expr, dialect: str) -> WrittenQuery:
    """Return the tree as text.

    The placeholders of a tree stand in the order of its parameters as DuckDB's text has them. A dialect may write parts
    in another order, or one twice; so each placeholder is written as a word that no one can guess, and found again.
    Comments are left out: some databases run what is in them.
    """
    marked = tree.copy()
    secret = f"p{secrets.token_hex(8)}"
    nodes = list(marked.find_all(exp.Placeholder))
    for index, node in enumerate(nodes):
        node.replace(exp.Var(this=f"{secret}_{index}_"))
    word = re.compile(f"{secret}_([0-9]+)_")
    bound = dict.fromkeys(word.findall(marked.sql(dialect="duckdb", comments=False))) if nodes else {}
    if len(bound) != len(nodes):
        raise EngineError(f"A statement of {len(nodes)} placeholders is written with {len(bound)}.")
    order = {index: place for place, index in enumerate(bound)}
    pieces = word.split(marked.sql(dialect=dialect, comments=False, copy=False))
    return WrittenQuery(tuple(pieces[::2]), tuple(order[index] for index in pieces[1::2]))


class _Same:
    """A tree that is equal to itself alone: to compare two would take as long as to write them."""

    def __init__(self, tree: exp.Expr) -> None:
        self.tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tree is other.tree

    def __hash__(self) -> int:
        return id(self.tree)


@lru_cache(maxsize=256)
def _write_cached(same: _Same, dialect: str) -> WrittenQuery:
    check_reads(same.tree)
    return write_query(same.tree, dialect)


MOST_CHARS = 1 << 28  # of all texts of an answer
BATCH = 1_000  # rows fetched at once: some drivers make room for as many of the widest
MOST_DIGITS = 38  # of an exact number
WIDEST_INT64 = 18  # decimal digits that always fit


class _DriverLink(SqlLink):
    """A session over one connection of a driver. A subclass says how its driver differs."""

    kind: ClassVar[Kind]
    batch: ClassVar[int]  # rows fetched at once

    def __init__(self, connection: Any, spelling: Spelling) -> None:
        self._connection = connection
        self.spelling = spelling
        self._cursor: Any = None  # whose statement runs
        self._asking = False  # within a question

    # --- what a driver does in its own way -------------------------------------------------------------------------

    @abstractmethod
    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        """Execute within `seconds`, as the server holds them too, and return the cursor; set `_cursor` before."""

    @abstractmethod
    def _find_physical_type(self, column: object) -> str | None:
        """Return the physical type of a column that a cursor describes, or None where it has none."""

    @abstractmethod
    def _explain(self, error: Exception) -> ServiceError:
        """Return the error of ours that one of the driver means, without any text of the driver."""

    @abstractmethod
    def _run_description(self, relation: exp.Expr, deadline: float) -> AbstractContextManager[Any]:
        """Run what describes a relation and reads no row of it."""

    @abstractmethod
    def _run_statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> AbstractContextManager[Any]:
        """Run one statement, and yield its cursor."""

    def _mark(self, place: int) -> str:
        """Return the driver's placeholder of the value at that place."""
        return mark_question(place)

    def _convert_value(self, value: object) -> object:
        """Return a value of a result as the engine knows it."""
        return convert_value(value)

    def _find_type_name(self, column: Any) -> str:
        """Return the database's name of a column's type."""
        return str(column[1])

    def _cast(self, column: object) -> exp.Expr | None:  # noqa: ARG002
        """Find the type to cast a column to, where its own cannot be read but another one holds all its values."""
        return None

    # --- SqlLink ----------------------------------------------------------------------------------------------------

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Describe the columns of a table or subquery; no row of it is read."""
        with self._run_description(relation, deadline) as cursor:
            found = describe_columns(self.kind, relation, self._describe_columns(cursor.description))
        self.left_out, self.casts = found.left_out, found.casts
        return found.fields

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        with self._run_statement(tree, parameters, deadline) as cursor:
            return gather_rows(cursor.fetchmany, most, lambda row: tuple(map(self._convert_value, row)), self.batch)

    def batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches."""
        with self._run_statement(tree, parameters, deadline) as cursor:
            fields: tuple[Field, ...] | None = None  # some drivers know the columns once something has come
            while rows := cursor.fetchmany(self.batch):
                fields = fields or describe_columns(self.kind, None, self._describe_columns(cursor.description)).fields
                yield build_batch(rows, fields)

    def _describe_columns(self, description: Sequence[Any] | None) -> list[DescribedColumn]:
        if not description:
            raise EngineError("The database returned no columns.", engine=self.name)
        return [
            DescribedColumn(
                column[0], self._find_physical_type(column), self._find_type_name(column), cast=self._cast(column)
            )
            for column in description
        ]


class CursorLink(_DriverLink):
    """A session over a DB-API connection whose server ends what is late; each question is one transaction."""

    batch = BATCH

    def __init__(self, connection: Any, spelling: Spelling) -> None:
        super().__init__(connection, spelling)
        self._stopped = threading.Event()
        self._begun = False  # within a transaction

    @abstractmethod
    def _stop(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""

    def _end_transaction(self) -> None:  # most drivers have nothing to end
        """Leave nothing of a question behind: no transaction, no lock."""

    @contextmanager
    def question(self, deadline: float) -> Iterator[None]:  # noqa: ARG002  # each statement has it
        """Ask all that is asked within the block in one transaction, where there are such."""
        self._asking = True
        try:
            yield
        finally:
            self._asking = False
            self._end()

    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""
        self._stopped.set()  # what the driver then raises says so in as many ways as there are drivers
        self._stop()

    def close(self) -> None:
        """Close the session."""
        with suppress(Exception):
            self._connection.close()

    def _run_description(self, relation: exp.Expr, deadline: float) -> AbstractContextManager[Any]:
        return self._run_statement(exp.select("*").from_(relation.copy()).where(exp.false()), (), deadline)

    @contextmanager
    def _run_statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        text, given = render(tree, parameters, dialect=self.spelling.dialect, mark=self._mark)
        seconds = count_seconds_left(deadline)
        self._stopped.clear()
        timer = threading.Timer(seconds, self.cancel)
        timer.daemon = True
        timer.start()
        ends = True
        try:
            yield self._execute(text, given, seconds)
            ends = not self._asking
        except ServiceError:
            raise
        except Exception as error:
            raise timeout_error() if self._stopped.is_set() else self._explain(error) from error
        finally:
            timer.cancel()
            self._finish(ends=ends)

    def _finish(self, *, ends: bool = True) -> None:
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            with suppress(Exception):
                cursor.close()
        if ends:
            self._end()

    def _end(self) -> None:
        with suppress(Exception):  # a connection that is gone has nothing left to end; the next statement says so
            self._end_transaction()
        self._begun = False


def gather_rows(
    fetch: Callable[[int], Sequence[Any]], most: int, made: Callable[[Any], tuple[Any, ...]], at_once: int = BATCH
) -> list[tuple[Any, ...]]:
    """Return rows as `made` makes them, `most` + 1 at most: fetched some at a time, and weighed as they come.

    Raises `limit_exceeded`.
    """
    found: list[tuple[Any, ...]] = []
    size = 0
    while len(found) <= most and (rows := fetch(min(most + 1 - len(found), at_once))):
        for row in rows:
            values = made(row)
            size += sum(len(value) for value in values if type(value) is str)
            if size > MOST_CHARS:
                raise LimitExceededError(
                    f"The texts of the answer have more than {MOST_CHARS:,} characters.",
                    hint="Group by something shorter, or add a condition.",
                    limit=MOST_CHARS,
                    limit_name="answer_chars",
                )
            found.append(values)
    return found


def find_decimal_type(precision: int | None, scale: int | None) -> str | None:
    """Return the physical type of decimals of so many digits, so many of them after the point; None beyond 38."""
    if precision is None or scale is None or not 0 < precision <= MOST_DIGITS or not 0 <= scale <= precision:
        return None
    return "int64" if scale == 0 and precision <= WIDEST_INT64 else f"decimal({precision},{scale})"


def convert_value(value: object) -> object:
    """Return a value as int, float, Decimal, str, bool, date, datetime (naive, UTC) or None."""
    if isinstance(value, bytes | bytearray | memoryview):
        return decode_text(bytes(value))
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else value
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def decode_text(data: bytes) -> str:
    """Return text that was asked for as bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise SourceMalformedError("The source holds text that is not UTF-8.", expected="UTF-8") from error


def build_batch(rows: Sequence[Sequence[object]], fields: Sequence[Field]) -> pa.RecordBatch:
    """Return rows as one batch of Arrow columns in their fields' physical types."""
    columns = zip(*rows, strict=True)
    try:
        arrays = [
            pa.array([convert_value(value) for value in column], find_arrow_type(field.physical))
            for field, column in zip(fields, columns, strict=True)
        ]
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise SourceMalformedError("The source sent values that do not fit its own column types.") from error
    return pa.RecordBatch.from_arrays(arrays, names=[field.name for field in fields])


STATEMENT_BATCH = 10_000  # rows fetched at once
GRACE_S = 1.0  # that a server has to answer a request to cancel, before the connection is cut


class StatementLink(_DriverLink):
    """A session that holds the deadline though the server does not: what cancels in vain is cut off."""

    batch = STATEMENT_BATCH
    double_percent: ClassVar[bool] = False  # of drivers that format
    holds = True  # by locks that are kept until the transaction ends

    def __init__(self, connection: Any, spelling: Spelling) -> None:
        super().__init__(connection, spelling)
        self._interrupted = False
        self._describing: tuple[exp.Expr, str] | None = None

    @abstractmethod
    def _finish(self) -> None:
        """Leave nothing of a statement behind but the transaction that it ran in. Never raises."""

    @abstractmethod
    def _release(self) -> None:
        """End the transaction, if there is one: no lock is left. Never raises."""

    def _settle(self) -> None:
        """End a transaction in which all went well, and raise if names stand for other tables by now."""
        self._release()

    def _mark(self, place: int) -> str:
        return mark_numbered(place)

    @abstractmethod
    def _cut(self) -> None:
        """End the connection below the driver, so that whoever waits for it is told at once. Safe from any thread."""

    @contextmanager
    def question(self, deadline: float) -> Iterator[None]:
        """Ask all that is asked within the block in one transaction."""
        self._asking = True
        try:
            yield
            with self._ending(deadline):
                self._settle()
        finally:
            self._asking = False
            with self._ending(deadline):
                self._release()

    @contextmanager
    def _ending(self, deadline: float) -> Iterator[None]:
        """Wait for the end of a transaction not for ever, but for a moment also when the time is up."""
        with DeadlineWatch(lambda _: self._cut(), max(GRACE_S, deadline - time.monotonic())) as watch:
            try:
                yield
            except ServiceError:
                raise
            except Exception as error:
                raise timeout_error() if watch.is_late else self._explain(error) from error

    def _run_description(self, relation: exp.Expr, deadline: float) -> AbstractContextManager[Any]:
        return self._run(self._render_description(relation), (), deadline)

    def _is_description(self, text: str) -> bool:
        return self._describing is not None and text == self._describing[1]

    def _render_description(self, relation: exp.Expr) -> str:
        """Return the text that reads no row; written once, for it is asked for before each question."""
        if self._describing is None or self._describing[0] is not relation:
            tree = exp.select("*").from_(relation.copy()).where(exp.false())
            self._describing = relation, self._render_statement(tree, ())[0]
        return self._describing[1]

    @contextmanager
    def _run_statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        with self._run(*self._render_statement(tree, parameters), deadline) as cursor:
            yield cursor

    def _render_statement(self, tree: exp.Expr, parameters: Sequence[object]) -> tuple[str, list[object]]:
        text = render_cached(tree, parameters, self.spelling.dialect)
        return text.bound(parameters, self._mark, double_percent=self.double_percent)

    @contextmanager
    def _run(self, text: str, bound: Sequence[Any], deadline: float) -> Iterator[Any]:
        """Run a text within the scheme that keeps the session from writing."""
        self._interrupted = False
        with DeadlineWatch(self._stop_late, count_seconds_left(deadline)) as watch:
            try:
                yield self._execute(text, bound, count_seconds_left(deadline))
                self._check_whole(watch)
            except ServiceError:
                raise
            except Exception as error:
                if watch.is_late:
                    raise timeout_error() from error
                if self._interrupted:
                    raise QueryInterruptedError("The question was interrupted.") from error
                raise self._explain(error) from error
            finally:
                self._finish()
                if not self._asking:
                    self._release()

    def _check_whole(self, watch: DeadlineWatch) -> None:
        """Refuse an answer that came after a request to end it: some functions then return as if they had finished."""
        if watch.is_late:
            raise timeout_error()
        if self._interrupted:
            raise QueryInterruptedError("The question was interrupted.")

    def _stop_late(self, done: threading.Event) -> None:
        with suppress(Exception):  # cut off below, whatever the driver makes of it
            self.cancel()
        if not done.wait(GRACE_S):
            self._cut()
