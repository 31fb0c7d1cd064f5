"""The parts of every connector: its record, the session of a database, and the errors that it raises.

A module `service_nb.connectors.<type>` has a record `CONNECTOR`. Deadlines are moments of `time.monotonic()`. Errors of
a driver never leave a connector: they become `ConnectorError`, whose text names no address, no account and nothing that
a driver wrote.
"""

from __future__ import annotations

import importlib
import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Literal

import pyarrow as pa
from sqlglot import exp

from service_nb.core.words import describe_value
from service_nb.errors import (
    ConnectorError,
    DriverMissingError,
    InvalidIntentError,
    QueryTimeoutError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.errors.deployment import Failure
from service_nb.query.spelling import Spelling
from service_nb.readers.columns import check_names, make_field
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Field

Batches = Iterator[pa.RecordBatch]
Row = tuple[Any, ...]  # of values as `SqlLink.fetch_rows` says


class SqlLink(ABC):
    """One open session with a database, that cannot write. One thread uses it at a time; any may cancel.

    `casts` are columns of the relation last described that are read as something else; `left_out` tells of those that
    have no exact counterpart. Where it `holds`, columns stay within a question as they were described in it; where it
    does not, they are looked at again.
    """

    name: str  # and version, as a card shows it: "postgres 18.6"
    spelling: Spelling  # how plans are written for this server
    left_out: tuple[str, ...] = ()
    casts: Mapping[str, exp.Expr] = MappingProxyType({})
    holds: bool = False

    def begin_question(self, deadline: float) -> AbstractContextManager[None]:  # noqa: ARG002  # each statement has it
        """Ask what belongs together within the block: in one transaction, where the database has such.

        After an error that leaves the block nothing is held any more. At its end it raises `source_changed` where the
        names that were described are those of other tables by now.
        """
        return nullcontext()

    @abstractmethod
    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Describe the columns of a table or subquery, read anew each time, without reading a row.

        A column whose type has no counterpart is left out of a table, unless there are no others, and refused in a
        query (`unsupported_source`).
        """

    @abstractmethod
    def fetch_rows(self, tree: exp.Select, parameters: Sequence[object], most: int, deadline: float) -> list[Row]:
        """Run one SELECT and return its rows, `most` + 1 of them at most.

        Values are int, float, Decimal, str, bool, date, datetime (naive, UTC) or None; text that the spelling asked for
        as bytes is decoded. The deadline is set at the server too, and held on this side.
        """

    @abstractmethod
    def fetch_batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Batches:
        """Run one SELECT and yield its rows in bounded batches, without ever holding all of them."""

    @abstractmethod
    def cancel(self) -> None:
        """End what runs, from another thread; of no effect when nothing does."""

    @abstractmethod
    def close(self) -> None:
        """Close the session; never raises, never waits for longer than a second."""


def read_host(descriptor: Descriptor) -> tuple[str, ...]:
    """Return the host of a descriptor, of drivers that are told nothing else."""
    return () if descriptor.host is None else (descriptor.host,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A kind of live source: what its descriptor holds, and what reaches it.

    Parameters
    ----------
    kind : Kind
        Its type, words, keys, options, driver.
    reads_files : bool
        Whether `path`, or `database` in its place, names a file or folder of this machine. A deployment then reads it
        only within the folders that its configuration allows.
    open_link : Callable, optional
        Of a database that plans are pushed down to: opens a session that cannot write.
    extract : Callable, optional
        Of every other source: reads it within limits, in bounded pages, and returns it normalised.
    probe : Callable, optional
        Says that a source answers which is costly to read whole.
    find_hosts : Callable
        Every host that the driver is told, as it takes the descriptor apart. Checks of hosts ask nobody else.
    own_hosts : tuple of str
        How hosts end that need no mention in the configuration, of a driver that trusts whoever answers.
    """

    kind: Kind
    reads_files: bool
    open_link: Callable[[Descriptor, float], SqlLink] | None = None
    extract: Callable[[Descriptor, ReadOptions, float], Dataset] | None = None
    probe: Callable[[Descriptor, float], str] | None = None
    find_hosts: Callable[[Descriptor], tuple[str, ...]] = read_host
    own_hosts: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The type, by which it is found."""
        return self.kind.type


_WORDS: dict[Failure, tuple[str, str]] = {
    "unreachable": ("{} cannot be reached.", "Look at host and port, and whether a firewall is between."),
    "timed_out": ("{} did not answer in time.", "Try again, or allow more time."),
    "lost": ("The connection to {} was lost.", "Try again."),
    "login_refused": ("{} refused the login.", "Check user, password and database, and that this host may log in."),
    "not_allowed": ("{} denies this to the account.", "Grant it SELECT on the tables that it reads."),
    "misconfigured": ("{} cannot be used as it is set up.", "Look at the connector's options and at the server's."),
    "malformed": ("The server at that address does not speak the protocol of {}.", "Look at host and port."),
}


def connection_error(
    kind: Kind, reason: Failure, *, hint: str | None = None, code: str | None = None
) -> ConnectorError:
    """Return the error of a source that failed for that reason; `code` is the database's own, never its text."""
    message, advice = _WORDS[reason]
    details = {} if code is None else {"database_code": code}
    return ConnectorError(message.format(kind.title), reason=reason, hint=hint or advice, type=kind.type, **details)


Cause = Failure | Literal["stopped", "absent", "altered", "busy"]


def explain_code(kind: Kind, causes: Mapping[Any, Cause], *codes: object) -> ServiceError | None:
    """Return the error that the first of a database's codes means which is among `causes`; None where none is.

    The first code is told in the error's details. Of SQLSTATEs the beginnings are given after it.
    """
    cause = next((causes[code] for code in codes if code in causes), None)
    match cause:
        case None:
            return None
        case "stopped":
            return timeout_error()
        case "absent":
            return missing_table_error(kind)
        case "altered":
            return altered_error()
        case "busy":
            hint = "The server is overloaded; try again."
            return connection_error(kind, "unreachable", hint=hint, code=str(codes[0]))
    return connection_error(kind, cause, code=str(codes[0]))


def import_driver(kind: Kind, module: str | None = None) -> ModuleType:
    """Import the driver of a kind, or a module of it. Raises `driver_missing`."""
    try:
        return importlib.import_module(module or kind.driver or "")
    except ImportError as error:
        raise DriverMissingError(
            f"{kind.title} needs {kind.driver}, which is not installed.",
            hint=f'pip install "service-nb[{kind.extra}]"',
            extra=kind.extra,
            type=kind.type,
        ) from error


def query_error(kind: Kind, met: str | None = None) -> InvalidIntentError:
    """Return the error of a query that the database does not run."""
    return InvalidIntentError(
        f"{kind.title} cannot run the query.",
        hint="Try it in the database's own console: a name may be wrong, or a type.",
        path="connector.query",
        met=met,
    )


def count_seconds_left(deadline: float) -> float:
    """Return the seconds that are left. Raises `timeout`."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise timeout_error()
    return seconds


def count_whole_seconds(deadline: float, least: int = 1) -> int:
    """Return the seconds that are left, rounded up, for drivers that know no parts of one. Raises `timeout`."""
    return max(least, math.ceil(count_seconds_left(deadline)))


def timeout_error() -> QueryTimeoutError:
    """Return the error of a statement that was ended at its deadline."""
    return QueryTimeoutError("The question was stopped at its timeout.", hint="Raise `timeout`, or narrow it.")


def altered_error() -> SourceChangedError:
    """Return the error of a source that was altered, or is another, since the question began."""
    return SourceChangedError(
        "The source was altered while it was asked.",
        hint="Ask again, or run `refresh` to describe it again.",
        changed="columns",
    )


def missing_table_error(kind: Kind) -> SourceNotFoundError:
    """Return the error of a relation that is not there, or that this account may not see."""
    return SourceNotFoundError(
        f"{kind.title} has no such table or column, or this account may not see it.",
        hint="Name it as catalog.schema.table."
        if kind.group == "engine"
        else "Check its name, upper and lower case included, and the account's grants.",
        type=kind.type,
    )


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column as a database tells it.

    `physical` is None where its type, `type`, has no exact counterpart. With `cast` it is read as that: what a database
    can say exactly in another of its types.
    """

    name: str
    physical: str | None
    type: str
    hint: str | None = None
    cast: exp.Expr | None = None
    is_instant: bool = False  # its times have a zone, and `type` does not say so


_INSTANT = re.compile(r"timestamptz|with (?:local )?time zone|timestamp_l?tz", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Description:
    """The columns that can be asked about, a sentence for each one that a table has beside them, and casts by name."""

    fields: tuple[Field, ...]
    left_out: tuple[str, ...]
    casts: Mapping[str, exp.Expr]


def describe_columns(kind: Kind, relation: exp.Expr | None, columns: Iterable[DescribedColumn]) -> Description:
    """Return the columns of a relation; only of a table may some be left out, and not all of them.

    Raises `unsupported_source`, `source_malformed`, `limit_exceeded`.
    """
    met = list(columns)
    check_names([column.name for column in met], DEFAULT_LIMITS)
    strange = [column for column in met if column.physical is None]
    if strange and (not isinstance(relation, exp.Table) or len(strange) == len(met)):
        first, casts_to = strange[0], "a number of fixed digits, a text or a date"
        raise UnsupportedSourceError(
            f"Column {describe_value(first.name)} has the type {first.type}, which cannot be queried.",
            hint=first.hint or f"Give the connector a query that leaves it out, or casts it to {casts_to}.",
            column=first.name,
            met=first.type,
            type=kind.type,
        )
    fields = tuple(
        make_field(column.name, column.physical, is_zoned=column.is_instant or bool(_INSTANT.search(column.type)))
        for column in met
        if column.physical is not None
    )
    casts = {column.name: column.cast for column in met if column.cast is not None}
    return Description(fields, tuple(_describe_left_out(kind, column) for column in strange), casts)


def _describe_left_out(kind: Kind, column: DescribedColumn) -> str:
    name = exp.to_identifier(column.name, quoted=True).sql(dialect=kind.dialect)
    cure = column.hint or (
        f"To read it, give the connector a query, instead of the table, that selects CAST({name} AS …) "
        "as a number of fixed digits, a text or a date."
    )
    return (
        f"Column {describe_value(column.name)} of the type {column.type} is left out: it cannot be represented"
        f" exactly. {cure}"
    )


def cast_columns(relation: exp.Expr, fields: Sequence[Field], casts: Mapping[str, exp.Expr]) -> exp.Expr:
    """Return the relation with some columns read otherwise: as what a database can hold them in here."""
    if not casts:
        return relation
    names = [exp.to_identifier(each.name, quoted=True) for each in fields]
    read = [casts[each.name].copy() if each.name in casts else exp.column(each.name, quoted=True) for each in fields]
    columns = [exp.alias_(one, name, copy=False) for one, name in zip(read, names, strict=True)]
    inner = relation.copy()
    return exp.Select(expressions=columns).from_(inner, copy=False).subquery(exp.to_identifier("read", quoted=True))
