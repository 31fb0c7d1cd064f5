"""One statement at a time over a database's connection: rendered, watched, and ended at its deadline for certain."""

from __future__ import annotations

import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.cursors import gathered, left, plain, record_batch, stopped
from service_nb.connectors.described import Met, described
from service_nb.connectors.parameters import numbered, remembered
from service_nb.connectors.watching import Watch
from service_nb.errors import EngineError, QueryInterruptedError, ServiceError
from service_nb.query.spelling import Spelling
from service_nb.schema.connector import Kind
from service_nb.schema.source import Field

BATCH = 10_000  # rows fetched at once
GRACE_S = 1.0  # that a server has to answer a request to cancel, before the connection is cut


class StatementLink(ABC):
    """A link that holds the deadline though the server does not: what cancels in vain is cut off."""

    kind: ClassVar[Kind]
    double_percent: ClassVar[bool] = False  # of drivers that format
    name: str
    spelling: Spelling
    left_out: tuple[str, ...] = ()
    casts: Mapping[str, exp.Expr] = MappingProxyType({})
    holds = True  # by locks that are kept until the transaction ends

    def __init__(self, connection: Any, spelling: Spelling) -> None:
        self.spelling = spelling
        self._connection = connection
        self._cursor: Any = None  # whose statement runs
        self._interrupted = False
        self._describing: tuple[exp.Expr, str] | None = None
        self._asking = False  # within a question

    # --- what a driver does in its own way -------------------------------------------------------------------------

    @abstractmethod
    def _executed(self, text: str, parameters: Sequence[Any], seconds: float) -> Any:
        """Execute within `seconds`, as the server holds them too, and return the cursor; set `_cursor` before."""

    @abstractmethod
    def _finish(self) -> None:
        """Leave nothing of a statement behind but the transaction that it ran in. Never raises."""

    @abstractmethod
    def _release(self) -> None:
        """End the transaction, if there is one: no lock is left. Never raises."""

    def _settle(self) -> None:
        """End a transaction in which all went well, and raise if names stand for other tables by now."""
        self._release()

    @abstractmethod
    def _physical(self, column: Any) -> str | None:
        """Return the physical type of a column that a cursor describes, or None where it has none."""

    @abstractmethod
    def _type_name(self, column: Any) -> str:
        """Return the database's name of a column's type."""

    @abstractmethod
    def _explained(self, error: Exception) -> ServiceError:
        """Return the error of ours that one of the driver means, without any text of the driver."""

    @abstractmethod
    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""

    @abstractmethod
    def close(self) -> None:
        """Close the session; never raises."""

    def _mark(self, place: int) -> str:
        return numbered(place)

    @abstractmethod
    def _cut(self) -> None:
        """End the connection below the driver, so that whoever waits for it is told at once. Safe from any thread."""

    # --- SqlLink ----------------------------------------------------------------------------------------------------

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
        with Watch(lambda _: self._cut(), max(GRACE_S, deadline - time.monotonic())) as watch:
            try:
                yield
            except ServiceError:
                raise
            except Exception as error:
                raise stopped() if watch.is_late else self._explained(error) from error

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; no row of it is read."""
        with self._run(self._describes(relation), (), deadline) as cursor:
            found = described(self.kind, relation, self._met(cursor.description))
        self.left_out = found.left_out
        return found.fields

    def _is_description(self, text: str) -> bool:
        return self._describing is not None and text == self._describing[1]

    def _describes(self, relation: exp.Expr) -> str:
        """Return the text that reads no row; written once, for it is asked for before each question."""
        if self._describing is None or self._describing[0] is not relation:
            tree = exp.select("*").from_(relation.copy()).where(exp.false())
            self._describing = relation, self._rendered(tree, ())[0]
        return self._describing[1]

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        with self._statement(tree, parameters, deadline) as cursor:
            return gathered(cursor.fetchmany, most, lambda row: tuple(map(plain, row)), BATCH)

    def batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches."""
        with self._statement(tree, parameters, deadline) as cursor:
            fields = described(self.kind, None, self._met(cursor.description)).fields
            while rows := cursor.fetchmany(BATCH):
                yield record_batch(rows, fields)

    def _met(self, description: Sequence[Any] | None) -> list[Met]:
        if not description:
            raise EngineError("The database returned no columns.", engine=self.name)
        return [Met(column[0], self._physical(column), self._type_name(column)) for column in description]

    # --- one statement ----------------------------------------------------------------------------------------------

    @contextmanager
    def _statement(self, tree: exp.Expr, parameters: Sequence[Any], deadline: float) -> Iterator[Any]:
        with self._run(*self._rendered(tree, parameters), deadline) as cursor:
            yield cursor

    def _rendered(self, tree: exp.Expr, parameters: Sequence[Any]) -> tuple[str, list[Any]]:
        text = remembered(tree, parameters, self.spelling.dialect)
        return text.bound(parameters, self._mark, double_percent=self.double_percent)

    @contextmanager
    def _run(self, text: str, bound: Sequence[Any], deadline: float) -> Iterator[Any]:
        """Run a text within the scheme that keeps the session from writing."""
        self._interrupted = False
        with Watch(self._stop_late, left(deadline)) as watch:
            try:
                yield self._executed(text, bound, left(deadline))
                self._check_whole(watch)
            except ServiceError:
                raise
            except Exception as error:
                if watch.is_late:
                    raise stopped() from error
                if self._interrupted:
                    raise QueryInterruptedError("The question was interrupted.") from error
                raise self._explained(error) from error
            finally:
                self._finish()
                if not self._asking:
                    self._release()

    def _check_whole(self, watch: Watch) -> None:
        """Refuse an answer that came after a request to end it: some functions then return as if they had finished."""
        if watch.is_late:
            raise stopped()
        if self._interrupted:
            raise QueryInterruptedError("The question was interrupted.")

    def _stop_late(self, done: threading.Event) -> None:
        with contextlib.suppress(Exception):  # cut off below, whatever the driver makes of it
            self.cancel()
        if not done.wait(GRACE_S):
            self._cut()
