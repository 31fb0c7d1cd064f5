"""What links over a database driver's cursors have in common.

One statement at a time, a deadline that is held on both sides, columns described before they are believed, and values
in the few forms that the engine knows.
"""

from __future__ import annotations

import datetime
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.described import Met, described
from service_nb.connectors.parameters import question, rendered
from service_nb.errors import (
    EngineError,
    LimitExceededError,
    QueryTimeoutError,
    ServiceError,
    SourceChangedError,
    SourceMalformedError,
    SourceNotFoundError,
)
from service_nb.query.spelling import Spelling
from service_nb.readers.columns import arrow_type
from service_nb.schema.connector import Kind
from service_nb.schema.source import Field

MOST_CHARS = 1 << 28  # of all texts of an answer
BATCH = 1_000  # rows fetched at once: some drivers make room for as many of the widest
MOST_DIGITS = 38  # of an exact number
WIDEST_INT64 = 18  # decimal digits that always fit


class CursorLink(ABC):
    """A session over one connection of a DB-API driver. A subclass says how its driver differs."""

    kind: ClassVar[Kind]
    name: str
    spelling: Spelling
    left_out: tuple[str, ...] = ()
    casts: Mapping[str, exp.Expr] = MappingProxyType({})
    holds = False

    def __init__(self, connection: Any, spelling: Spelling) -> None:
        self._connection = connection
        self.spelling = spelling
        self._cursor: Any = None  # whose statement runs
        self._stopped = threading.Event()
        self._asking = self._begun = False  # within a question, within a transaction

    # --- what a driver does in its own way -------------------------------------------------------------------------

    @abstractmethod
    def _executed(self, text: str, parameters: Sequence[Any], seconds: float) -> Any:
        """Execute within `seconds`, as the server holds them too, and return the cursor; set `_cursor` before."""

    @abstractmethod
    def _physical(self, column: Any) -> str | None:
        """Return the physical type of a column that a cursor describes, or None where it has none."""

    @abstractmethod
    def _explained(self, error: Exception) -> ServiceError:
        """Return the error of ours that one of the driver means, without any text of the driver."""

    @abstractmethod
    def _stop(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""

    def _ended(self) -> None:  # noqa: B027  # most drivers have nothing to end
        """Leave nothing of a question behind: no transaction, no lock."""

    def _mark(self, place: int) -> str:
        """Return the driver's placeholder of the value at that place."""
        return question(place)

    def _value(self, value: Any) -> Any:
        """Return a value of a result as the engine knows it."""
        return plain(value)

    def _type_name(self, column: Any) -> str:
        return str(column[1])

    def _cast(self, column: Any) -> exp.Expr | None:  # noqa: ARG002
        """Return what a column is read as, where its own type cannot be but another of the database's says it all."""
        return None

    # --- SqlLink ----------------------------------------------------------------------------------------------------

    @contextmanager
    def question(self, deadline: float) -> Iterator[None]:  # noqa: ARG002  # each statement has it
        """Ask all that is asked within the block in one transaction, where there are such."""
        self._asking = True
        try:
            yield
        finally:
            self._asking = False
            self._end()

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; no row of it is read."""
        tree = exp.select("*").from_(relation.copy()).where(exp.false())
        with self._statement(tree, (), deadline) as cursor:
            found = described(self.kind, relation, self._met(cursor.description))
        self.left_out, self.casts = found.left_out, found.casts
        return found.fields

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        with self._statement(tree, parameters, deadline) as cursor:
            return gathered(cursor.fetchmany, most, lambda row: tuple(map(self._value, row)))

    def batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches."""
        with self._statement(tree, parameters, deadline) as cursor:
            while rows := cursor.fetchmany(BATCH):
                yield record_batch(rows, described(self.kind, None, self._met(cursor.description)).fields)

    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""
        self._stopped.set()  # what the driver then raises says so in as many ways as there are drivers
        self._stop()

    def close(self) -> None:
        """Close the session."""
        with suppress(Exception):
            self._connection.close()

    # --- one statement ----------------------------------------------------------------------------------------------

    @contextmanager
    def _statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        text, given = rendered(tree, parameters, dialect=self.spelling.dialect, mark=self._mark)
        seconds = left(deadline)
        self._stopped.clear()
        timer = threading.Timer(seconds, self.cancel)
        timer.daemon = True
        timer.start()
        ends = True
        try:
            yield self._executed(text, given, seconds)
            ends = not self._asking
        except ServiceError:
            raise
        except Exception as error:
            raise stopped() if self._stopped.is_set() else self._explained(error) from error
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
            self._ended()
        self._begun = False

    def _met(self, description: Sequence[Any] | None) -> list[Met]:
        if not description:
            raise EngineError("The database returned no columns.", engine=self.name)
        return [
            Met(column[0], self._physical(column), self._type_name(column), cast=self._cast(column))
            for column in description
        ]


def gathered(
    fetch: Callable[[int], Sequence[Any]], most: int, made: Callable[[Any], tuple[Any, ...]], at_once: int = BATCH
) -> list[tuple[Any, ...]]:
    """Return rows as `made` makes them, `most` + 1 at most: fetched some at a time, and weighed as they come.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        Their texts are more than one answer may be, however few rows there are.
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


def left(deadline: float) -> float:
    """Return the seconds that are left.

    Raises
    ------
    QueryTimeoutError [timeout]
        There are none.
    """
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise stopped()
    return seconds


def stopped() -> QueryTimeoutError:
    """Return the error of a statement that was ended at its deadline."""
    return QueryTimeoutError("The question was stopped at its timeout.", hint="Raise `timeout`, or narrow it.")


def exact_number(precision: int | None, scale: int | None) -> str | None:
    """Return the physical type of decimals of so many digits, so many of them after the point; None beyond 38."""
    if precision is None or scale is None or not 0 < precision <= MOST_DIGITS or not 0 <= scale <= precision:
        return None
    return "int64" if scale == 0 and precision <= WIDEST_INT64 else f"decimal({precision},{scale})"


def plain(value: Any) -> Any:
    """Return a value as int, float, Decimal, str, bool, date, datetime (naive, UTC) or None."""
    if isinstance(value, bytes | bytearray | memoryview):
        return decoded(bytes(value))
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else value
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def decoded(data: bytes) -> str:
    """Return text that was asked for as bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise SourceMalformedError("The source holds text that is not UTF-8.", expected="UTF-8") from error


def record_batch(rows: Sequence[Sequence[Any]], fields: Sequence[Field]) -> pa.RecordBatch:
    """Return rows as one batch of Arrow columns in their fields' physical types."""
    columns = zip(*rows, strict=True)
    try:
        arrays = [
            pa.array([plain(value) for value in column], arrow_type(field.physical))
            for field, column in zip(fields, columns, strict=True)
        ]
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise SourceMalformedError("The source sent values that do not fit its own column types.") from error
    return pa.RecordBatch.from_arrays(arrays, names=[field.name for field in fields])


def altered() -> SourceChangedError:
    """Return the error of a source that was altered, or is another, since the question began."""
    return SourceChangedError(
        "The source was altered while it was asked.",
        hint="Ask again, or run `refresh` to describe it again.",
        changed="columns",
    )


def no_such_table(kind: Kind) -> SourceNotFoundError:
    """Return the error of a relation that is not there, or that this account may not see."""
    return SourceNotFoundError(
        f"{kind.title} has no such table or column, or this account may not see it.",
        hint="Check its name, upper and lower case included, and the account's grants.",
        type=kind.type,
    )
