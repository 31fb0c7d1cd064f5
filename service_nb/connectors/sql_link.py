"""Sessions with databases: one statement at a time, rendered from its tree, ended at its deadline, typed on return."""

from __future__ import annotations

import datetime
import re
import secrets
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.base import (
    Batches,
    DescribedColumn,
    Row,
    SqlLink,
    count_seconds_left,
    describe_columns,
    timeout_error,
)
from service_nb.connectors.bounds import DeadlineWatch
from service_nb.errors import (
    EngineError,
    LimitExceededError,
    QueryInterruptedError,
    ServiceError,
    SourceMalformedError,
)
from service_nb.readers.columns import find_arrow_type
from service_nb.schema.connector import Kind
from service_nb.schema.source import Field

_WRITES = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command)
MOST_PARAMETERS = 100  # of a statement that is remembered


@dataclass(frozen=True, slots=True)
class WrittenQuery:
    """A tree as text, cut at its placeholders, and of each of these which parameter it stands for."""

    texts: tuple[str, ...]
    places: tuple[int, ...]

    def bind(self, parameters: Sequence[object], mark: str) -> tuple[str, list[object]]:
        """Return the text with `mark` for each placeholder, and the parameters in the order of the text.

        A `{0}` in the mark is the place of the parameter, from 0; a `{1}` the same from 1. Of drivers that format what
        else is `%` in the text is doubled.
        """
        if len(set(self.places)) != len(parameters):
            raise EngineError(f"A statement has {len(set(self.places))} placeholders and {len(parameters)} parameters.")
        texts = [text.replace("%", "%%") for text in self.texts] if mark == "%s" else self.texts
        marks = [mark.format(place, place + 1) for place in range(len(self.places))]
        text = texts[0] + "".join(part for pair in zip(marks, texts[1:], strict=True) for part in pair)
        return text, [parameters[place] for place in self.places]


def render_cached(tree: exp.Expr, parameters: Sequence[object], dialect: str) -> WrittenQuery:
    """Return the text of a tree that reads and that nobody changes any more; of one that was met before, the same."""
    if len(parameters) > MOST_PARAMETERS:  # long lists are seldom of one length twice, and large
        check_reads(tree)
        return write_query(tree, dialect)
    return _write_cached(_Same(tree), dialect)


def check_reads(tree: exp.Expr) -> None:
    """Refuse a tree that is no query, or has a part that writes: whoever made it has made a mistake."""
    if not isinstance(tree, exp.Query) or tree.find(*_WRITES) is not None:
        raise EngineError("The statement does more than read, so it was not run.", met=tree.key.upper())


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
        self.tree, self._hash = tree, hash(id(tree))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tree is other.tree

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=256)
def _write_cached(same: _Same, dialect: str) -> WrittenQuery:
    check_reads(same.tree)
    return write_query(same.tree, dialect)


MOST_CHARS = 1 << 28  # of all texts of an answer
BATCH = 1_000  # rows fetched at once: some drivers make room for as many of the widest
MOST_DIGITS = 38  # of an exact number
WIDEST_INT64 = 18  # decimal digits that always fit
GRACE_S = 1.0  # that a server has to answer a request to cancel, before the connection is cut


@contextmanager
def translate_faults(explain: Callable[[Exception], ServiceError]) -> Iterator[None]:
    """Raise what a driver raises in the block as an error of ours; its text may name addresses and accounts."""
    try:
        yield
    except ServiceError:
        raise
    except Exception as error:  # noqa: BLE001  # drivers have trees of errors of their own, and fail in other ways too
        raise explain(error) from None


@contextmanager
def watch_statement(
    seconds: float,
    late: Callable[[threading.Event], object],
    interrupted: threading.Event,
    explain: Callable[[Exception], ServiceError],
    late_error: Callable[[], ServiceError] = timeout_error,
) -> Iterator[DeadlineWatch]:
    """Call `late` at the deadline of a block, and raise what ends it as the error that it means."""

    def explain_end(error: Exception) -> ServiceError:
        if watch.is_late:
            return late_error()
        return QueryInterruptedError("The question was interrupted.") if interrupted.is_set() else explain(error)

    with DeadlineWatch(late, seconds) as watch, translate_faults(explain_end):
        yield watch


class RowCursor(Protocol):
    """The part of a driver's cursor that a link reads rows with."""

    @property
    def description(self) -> Sequence[object] | None: ...
    def fetchmany(self, size: int, /) -> Sequence[Sequence[object]]: ...


class DriverLink(SqlLink):
    """A session over one connection of a driver, which holds deadlines though the server does not.

    What cancels in vain is cut off. A subclass says how its driver differs; what is asked within a question is asked in
    one transaction, where the database has such.

    Attributes
    ----------
    mark : str
        The driver's placeholder, see `WrittenQuery.bind`.
    batch : int
        Rows fetched at once.
    cancels_cursor : bool
        Whether a request to cancel names its statement. Where it does not, the next statement waits for it.
    """

    kind: ClassVar[Kind]
    mark: ClassVar[str] = "?"
    batch: ClassVar[int] = BATCH
    cancels_cursor: ClassVar[bool] = False

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._cursor: Any = None  # whose statement runs
        self._cancelling = nullcontext() if self.cancels_cursor else threading.Lock()
        self._interrupted = threading.Event()
        self._asking = self._begun = False  # within a question, a transaction
        self._describing: tuple[exp.Expr, str] | None = None

    # --- what a driver does in its own way -------------------------------------------------------------------------

    @abstractmethod
    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        """Execute within `seconds`, as the server holds them too, and return a `RowCursor`; set `_cursor` before."""

    @abstractmethod
    def _describe_column(self, column: Any) -> DescribedColumn:
        """Describe a column that a cursor describes."""

    @abstractmethod
    def _explain(self, error: Exception) -> ServiceError:
        """Return the error of ours that one of the driver means, without any text of the driver."""

    @abstractmethod
    def _stop(self) -> None:
        """End the statement of `_cursor`, from another thread. What it raises is of no account."""

    def _cut(self) -> None:  # most drivers end by themselves
        """End the connection below the driver, so that whoever waits for it is told at once. Safe from any thread."""

    def _end_transaction(self) -> None:  # most drivers have nothing to end
        """End the transaction that has begun: no lock is left."""

    def _settle(self) -> None:
        """End a transaction in which all went well, and raise if names stand for other tables by now."""
        self._release()

    def _convert_value(self, value: object) -> object:
        """Return a value of a result as the engine knows it."""
        return convert_value(value)

    def _find_converter(self, cursor: Any) -> Callable[[Sequence[object]], tuple[object, ...]]:  # noqa: ARG002
        """Return the function that makes the values of a row ours."""
        return lambda row: tuple(map(self._convert_value, row))

    def _limit_batch(self, cursor: Any) -> int:  # noqa: ARG002
        """Compute the number of rows to fetch at once."""
        return self.batch

    # --- SqlLink ----------------------------------------------------------------------------------------------------

    @contextmanager
    def begin_question(self, deadline: float) -> Iterator[None]:
        self._asking = True
        try:
            yield
            with self._watch_end(deadline):
                self._settle()
        finally:
            self._asking = False
            with self._watch_end(deadline):
                self._release()

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        with self._run(self._render_description(relation), (), deadline) as cursor:
            found = describe_columns(self.kind, relation, self._describe_columns(cursor))
        self.left_out, self.casts = found.left_out, found.casts
        return found.fields

    def fetch_rows(self, tree: exp.Select, parameters: Sequence[object], most: int, deadline: float) -> list[Row]:
        with self._run(*self._render(tree, parameters), deadline) as cursor:
            return gather_rows(cursor.fetchmany, most, self._find_converter(cursor), self._limit_batch(cursor))

    def fetch_batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Batches:
        with self._run(*self._render(tree, parameters), deadline) as cursor:
            fields: tuple[Field, ...] | None = None  # some drivers know the columns once something has come
            while rows := cursor.fetchmany(self.batch):
                fields = fields or describe_columns(self.kind, None, self._describe_columns(cursor)).fields
                yield build_batch(rows, fields)

    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""
        with self._cancelling, suppress(Exception):  # what cannot be cancelled is cut off
            if self._cursor is not None:
                self._interrupted.set()
                self._stop()

    def close(self) -> None:
        with suppress(Exception):
            self._connection.close()

    # --- one statement ----------------------------------------------------------------------------------------------

    def _describe_columns(self, cursor: RowCursor) -> list[DescribedColumn]:
        if not cursor.description:
            raise EngineError("The database returned no columns.", engine=self.name)
        return list(map(self._describe_column, cursor.description))

    def _render(self, tree: exp.Expr, parameters: Sequence[object]) -> tuple[str, list[object]]:
        return render_cached(tree, parameters, self.spelling.dialect).bind(parameters, self.mark)

    def _render_description(self, relation: exp.Expr) -> str:
        """Return the text that reads no row; written once, for it is asked for before each question."""
        if self._describing is None or self._describing[0] is not relation:
            tree = exp.select("*").from_(relation.copy()).where(self.spelling.build_never())
            self._describing = relation, self._render(tree, ())[0]
        return self._describing[1]

    def _is_description(self, text: str) -> bool:
        return self._describing is not None and text == self._describing[1]

    @contextmanager
    def _run(self, text: str, bound: Sequence[object], deadline: float) -> Iterator[Any]:
        """Run a text within the scheme that keeps the session from writing."""
        self._interrupted.clear()
        seconds = count_seconds_left(deadline)
        with watch_statement(seconds, self._stop_late, self._interrupted, self._explain) as watch:
            try:
                yield self._execute(text, bound, count_seconds_left(deadline))
                self._check_whole(watch)
            finally:
                self._finish()
                if not self._asking:
                    self._release()

    def _check_whole(self, watch: DeadlineWatch) -> None:
        """Refuse an answer that came after a request to end it: some functions then return as if they had finished."""
        if watch.is_late:
            raise timeout_error()
        if self._interrupted.is_set():
            raise QueryInterruptedError("The question was interrupted.")

    def _stop_late(self, done: threading.Event) -> None:
        self.cancel()
        if not done.wait(GRACE_S):
            self._cut()

    def _finish(self) -> None:
        """Leave nothing of a statement behind but the transaction that it ran in. Never raises."""
        with self._cancelling:  # a request that is on its way meets this statement, and none that comes after
            cursor, self._cursor = self._cursor, None
        with suppress(Exception):  # a connection that is gone has nothing left to end; the next statement says so
            if cursor is not None:
                cursor.close()

    def _release(self) -> None:
        """End the transaction, if there is one. Never raises."""
        begun, self._begun = self._begun, False
        with suppress(Exception):  # as above
            if begun:
                self._end_transaction()

    def _watch_end(self, deadline: float) -> AbstractContextManager[object]:
        """Wait for the end of a transaction not for ever, but for a moment also when the time is up."""
        seconds = max(GRACE_S, deadline - time.monotonic())
        return watch_statement(seconds, lambda _: self._cut(), threading.Event(), self._explain)


def gather_rows(
    fetch: Callable[[int], Sequence[Sequence[object]]],
    most: int,
    convert: Callable[[Sequence[object]], tuple[object, ...]],
    at_once: int,
) -> list[Row]:
    """Return rows as `convert` makes them, `most` + 1 at most: fetched some at a time, and weighed as they come.

    Raises `limit_exceeded`.
    """
    found: list[Row] = []
    size = 0
    while len(found) <= most and (rows := fetch(min(most + 1 - len(found), at_once))):
        for row in rows:
            values = convert(row)
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
