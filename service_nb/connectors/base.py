"""What live connectors do: one file a type, behind one of two interfaces.

A module `service_nb.connectors.<type>` has `KIND` and

- of a database that plans are pushed down to, `open_link(descriptor, deadline) -> SqlLink`;
- of every other source, `extract(descriptor, options, deadline) -> Dataset`: bounded pages, read once;
- where it is reached by a connection string, an address or a default, `hosts(descriptor)`: every host that the driver
  is told, taken apart as the driver does it. What checks hosts asks nobody else.

Deadlines are moments of `time.monotonic()`. A driver's own errors never leave a connector: they become
`ConnectorError`, whose text names neither secrets nor addresses with secrets in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp

from service_nb.query.spelling import Spelling
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field


class SqlLink(Protocol):
    """One open session with a database, that cannot write. One thread uses it at a time; any may cancel."""

    name: str  # and version, as a card shows it: "postgres 18.6"
    spelling: Spelling  # how plans are written for this server
    left_out: tuple[str, ...]  # sentences about columns of the table last described that have no exact counterpart
    casts: Mapping[str, exp.Expr]  # columns of the relation last described that are read as something else
    holds: bool  # whether columns stay within a question as they were described in it; if not, they are looked at again

    def question(self, deadline: float) -> AbstractContextManager[None]:
        """Ask what belongs together within the block: in one transaction, where the database has such.

        Where the link `holds`, what is read in the block has the columns that were described in it. After an error
        that leaves the block nothing is held any more.

        Raises
        ------
        SourceChangedError [source_changed]
            At the end of the block: the names that were described are those of other tables by now.
        """
        ...

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery as fields; read anew each time it is asked for.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            There is no such table, or this account may not see it.
        UnsupportedSourceError [unsupported_source]
            A column's type has no counterpart; the message names column and type. Of a table such columns are left
            out, unless there are no others.
        """
        ...

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most.

        Values are int, float, Decimal, str, bool, date, datetime (naive, UTC) or None; text that the spelling asked for
        as bytes is decoded. The deadline is set at the server too, and held on this side.
        """
        ...

    def batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches, without ever holding all of them."""
        ...

    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""
        ...

    def close(self) -> None:
        """Close the session; never raises, never waits for longer than a second."""
        ...


class SqlConnector(Protocol):
    """A kind of database."""

    KIND: Kind

    def open_link(self, descriptor: Descriptor, deadline: float) -> SqlLink:
        """Open a session that cannot write.

        Raises
        ------
        DriverMissingError [driver_missing], ConnectorError [connector_failed], InvalidIntentError [invalid_intent]
        """
        ...


class PageConnector(Protocol):
    """A kind of source without SQL that could be pushed down."""

    KIND: Kind

    def extract(self, descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
        """Read the source within limits, in bounded pages, and return it normalised.

        Raises
        ------
        DriverMissingError [driver_missing], ConnectorError [connector_failed], SourceMalformedError
        [source_malformed], LimitExceededError [limit_exceeded], InvalidIntentError [invalid_intent]
        """
        ...
