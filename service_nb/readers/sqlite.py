"""SQLite: a table, a view or the answer of one SELECT, read without the means to write.

`mode=ro` alone still lets SQL create, copy and attach databases. So an authorizer allows reading, a list of functions
and nothing else, limits bound values and statements, and a handler stops what runs for too long or takes too much
memory. Nothing is written beside the file either: SQLite would put two files next to a database in WAL mode, were it
not told that nobody writes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlglot
from sqlglot import exp

from service_nb.core.words import nearest, shown
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    SourceChangedError,
    SourceMalformedError,
    SourceNotFoundError,
    SourceUnreadableError,
)
from service_nb.readers import parsing
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.columns import check_cells
from service_nb.readers.content import content_of_values
from service_nb.readers.files import ABSENT, changed, regular_file, stamp_of
from service_nb.readers.rows import typed_columns
from service_nb.readers.sqlite_memory import SHARE, Guard, rows_at_once
from service_nb.schema.source import FileStamp, Limits

KEYS = ("provider", "path", "table", "query")
MOST_SQL = 100_000  # characters of a query
STEPS_A_BYTE = 8
LEAST_CHARS, CHARS_A_BYTE = 2**28, 4  # of texts: an answer has as many in any case, or so many for a byte of its file
# Functions that are read like tables: newer releases make them without asking for anything else.
TABLE_FUNCTIONS = ("bytecode", "dbstat", "generate_series", "json_each", "json_tree", "tables_used")
CELL_BYTES = 40  # what a cell costs as a Python object, texts not counted

# Pure, and cheap for each row. What makes large values (`zeroblob`), loads code or leaves the row is not here.
FUNCTIONS = frozenset(
    (
        *("abs", "round", "sign", "min", "max", "sum", "total", "avg", "count", "group_concat"),
        *("coalesce", "ifnull", "nullif", "iif", "typeof", "likely", "unlikely", "likelihood"),
        *("lower", "upper", "length", "substr", "substring", "trim", "ltrim", "rtrim", "replace", "instr"),
        *("like", "glob", "hex", "unicode", "json_extract", "->", "->>"),
        *("date", "time", "datetime", "julianday", "strftime"),
        *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"),
        *("lag", "lead", "first_value", "last_value", "nth_value"),
    )
)
READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a table, a view or a query's answer."""
    path, statement, parts = _request(source)
    stamps = stamps_of(path)
    # A row of a table takes its bytes of the file, which bounds the work; only a damaged file exceeds that.
    limits = options.limits
    guard = Guard(limits.memory_bytes // SHARE, limits.sql_steps + STEPS_A_BYTE * stamps[0].size)
    chars = min(limits.memory_bytes, max(LEAST_CHARS, CHARS_A_BYTE * stamps[0].size))
    with closing(opened(path)) as connection, _faults(path, guard, limits):
        if "table" in parts:
            statement = _select_all(connection, parts["table"])
        _lock(connection, guard, limits)
        names, values = _fetch(connection, statement, chars, limits)
    if changed(stamps):
        raise SourceChangedError(
            f"{shown(path.name)} changed while it was read.", hint="Connect it again when no program writes to it."
        )
    columns = typed_columns(names, values, options)
    return Dataset(
        fields=columns.fields,
        row_count=columns.table.num_rows,
        content=content_of_values(columns),
        table=columns.table,
        notes=columns.notes,
        stamps=stamps,
    )


def _request(source: Any) -> tuple[Path, str, Mapping[str, str]]:
    """Return the path, the query if there is one, and all parts of a request, checked."""
    if not isinstance(source, Mapping) or source.get("provider") != "sqlite":
        provider = shown(source.get("provider") if isinstance(source, Mapping) else source)
        raise InvalidIntentError(f"The provider is {provider}; expected 'sqlite'.", path="provider", met=provider)
    parts = {key: value for key, value in source.items() if value is not None}
    for key, value in parts.items():
        if key not in KEYS:
            raise InvalidIntentError(
                f"A SQLite source has no key {shown(key)}.",
                path=shown(key),
                did_you_mean=nearest(str(key), KEYS) or None,
            )
        if not isinstance(value, str) and not (key == "path" and isinstance(value, Path)):
            raise InvalidIntentError(f"{key} is {shown(value)}; expected text.", path=key, met=shown(value))
    if "path" not in parts or ("table" in parts) == ("query" in parts):
        raise InvalidIntentError(
            "A SQLite source needs a path and either a table or a query.", path="table", expected="path and table"
        )
    return regular_file(parts["path"]), _one_select(parts["query"]) if "query" in parts else "", parts


def _one_select(query: str) -> str:
    """Return the query, provided that it is exactly one SELECT.

    The authorizer would stop everything else as well; this says so before the file is opened, and in fewer words.
    """
    if len(query) > MOST_SQL:
        raise LimitExceededError(
            f"The query has {len(query):,} characters; at most {MOST_SQL:,} are read.",
            limit=MOST_SQL,
            value=len(query),
        )
    try:
        statements = parsing.statements(query, "sqlite")
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        raise InvalidIntentError("The query is not valid SQL.", path="query", expected="SELECT") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Select | exp.SetOperation):
        met = " and ".join(tree.key.upper() for tree in statements[:3]) or "nothing"
        raise InvalidIntentError(
            f"The query is {met}; expected exactly one SELECT.", path="query", met=met, expected="SELECT"
        )
    return query


def stamps_of(path: Path) -> tuple[FileStamp, ...]:
    """Stamps of the database and of its log: changes may wait in the log while the file stays as it is."""
    return (stamp_of(path), stamp_of(_beside(path, "-wal")))


def _beside(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


def opened(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """Open a database that this connection neither writes to nor puts files beside."""
    waiting = {ending: stamp_of(_beside(path, ending)).size > 0 for ending in ("-wal", "-journal")}
    if waiting["-wal"] and stamp_of(_beside(path, "-shm")).size == ABSENT:
        raise SourceUnreadableError(
            f"{shown(path.name)} has unmerged changes in its write-ahead log (-wal).",
            hint="Open and close it once with SQLite, which merges them; this reader never writes.",
            met="-wal without -shm",
        )
    # With nothing in a log or journal, nobody is writing: the file can be read as it stands, without a lock or a new
    # file beside it. Whoever starts to write meanwhile changes a stamp.
    immutable = "" if any(waiting.values()) else "&immutable=1"
    try:
        name = f"file:{quote(str(path.resolve()))}?mode=ro{immutable}"
        return sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=not any_thread)
    except sqlite3.Error as error:
        raise SourceUnreadableError(f"{shown(path.name)} cannot be opened.", met=type(error).__name__) from error


def tables(path: Path, limits: Limits) -> list[str]:
    """Return the names of the tables and views of a database."""
    guard = Guard(limits.memory_bytes // SHARE, limits.sql_steps)
    with closing(opened(path)) as connection, _faults(path, guard, limits):
        return _names(connection)


def _names(connection: sqlite3.Connection) -> list[str]:
    listed = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    return [name for (name,) in listed if not name.startswith("sqlite_")]


def _select_all(connection: sqlite3.Connection, table: str) -> str:
    names = _names(connection)
    if table not in names:
        close = nearest(table, names)
        raise SourceNotFoundError(
            f"The database has no table {shown(table)}.",
            hint=f"Did you mean {shown(close[0])}?" if close else None,
            met=shown(table),
            did_you_mean=close or None,
        )
    return exp.select("*").from_(exp.to_identifier(table, quoted=True)).sql(dialect="sqlite")


def _lock(connection: sqlite3.Connection, guard: Guard, limits: Limits) -> None:
    connection.execute("PRAGMA query_only = 1")
    connection.execute("PRAGMA trusted_schema = 0")
    connection.execute("PRAGMA cell_size_check = 1")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.cell_chars)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 4 * MOST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100)
    connection.setlimit(sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 100)
    connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
    guard.watch(connection)
    connection.set_authorizer(_allowed)


def _allowed(action: int, first: str | None, second: str | None, database: str | None, _: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if (second or "").lower() in FUNCTIONS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ:
        table = (first or "").lower()
        if database not in ("main", "", None) or table.startswith("sqlite_") or table in TABLE_FUNCTIONS:
            return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


def _fetch(
    connection: sqlite3.Connection, statement: str, most_chars: int, limits: Limits
) -> tuple[list[str], list[list[Any]]]:
    """Return names and columns; values as long as they may be are never more at once than a share of the memory."""
    share = limits.memory_bytes // SHARE
    value_bytes = min(limits.cell_chars, share // _width(connection, statement))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, value_bytes)
    cursor = connection.execute(statement)
    names = [column[0] for column in cursor.description]
    columns: list[list[Any]] = [[] for _ in names]
    at_once = rows_at_once(len(names), value_bytes, share)
    chars = rows = 0
    while batch := cursor.fetchmany(at_once):
        rows += len(batch)
        check_cells(rows, len(names), limits)
        for number, (column, values) in enumerate(zip(columns, zip(*batch, strict=True), strict=True)):
            kinds = set(map(type, values))
            if bytes in kinds:
                raise _blob(names[number])
            chars += sum(len(value) for value in values if type(value) is str) if str in kinds else 0
            column.extend(values)
        if chars > most_chars or chars + CELL_BYTES * rows * len(names) > limits.memory_bytes:
            raise _too_much(chars, most_chars, limits)
    return names, columns


def _width(connection: sqlite3.Connection, statement: str) -> int:
    """Return how many columns a statement has, before its first row is made; of one that hides it, the most."""
    try:
        empty = connection.execute(f"SELECT * FROM (\n{statement}\n) LIMIT 0")  # noqa: S608  # one SELECT, and locked
    except sqlite3.Error:
        return connection.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    return len(empty.description)


def _too_much(chars: int, most_chars: int, limits: Limits) -> LimitExceededError:
    is_text = chars > most_chars
    most = most_chars if is_text else limits.memory_bytes
    return LimitExceededError(
        f"The texts of the rows have more than {most:,} characters."
        if is_text
        else f"The rows need more than {most:,} bytes.",
        hint="Select fewer rows or columns" + ("." if is_text else ", or raise Limits(memory_bytes=…)."),
        limit=most,
        limit_name="answer_chars" if is_text else "memory_bytes",
        value=chars,
    )


def _blob(name: str) -> SourceMalformedError:
    return SourceMalformedError(
        f"Column {shown(name)} holds bytes, which cannot be queried.",
        hint="Leave it out: pass a query that selects the other columns.",
        column=name,
        met="BLOB",
        expected="numbers or text",
    )


@contextmanager
def _faults(path: Path, guard: Guard, limits: Limits) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        if guard.interrupted:
            raise KeyboardInterrupt from error
        if guard.is_over_memory:
            raise guard.too_much() from error
        if guard.is_over_time:
            raise LimitExceededError(
                f"The query took more than {limits.sql_steps:,} steps.",
                hint="Simplify it, or raise Limits(sql_steps=…).",
                limit=limits.sql_steps,
                limit_name="sql_steps",
            ) from error
        raise _explained(path, error, limits) from error


def _explained(path: Path, error: Exception, limits: Limits) -> Exception:
    name, text = shown(path.name), str(error)
    code = getattr(error, "sqlite_errorcode", None)
    undecoded = re.match(r"Could not decode to UTF-8 column '(.*?)'", text, re.DOTALL)
    if undecoded is not None:
        column = undecoded[1]
        return SourceMalformedError(
            f"Column {shown(column)} holds text that is not UTF-8.", column=column, expected="UTF-8"
        )
    if isinstance(error, sqlite3.DataError) or code == sqlite3.SQLITE_TOOBIG:
        return LimitExceededError(
            f"A value of {name} is longer than {limits.cell_chars:,} bytes.",
            limit=limits.cell_chars,
            limit_name="cell_chars",
        )
    if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY) or text.startswith("not authorized"):
        return InvalidIntentError(
            "The query may only read this database.",
            hint="Use only tables of this file, and functions that compute from the values of a row.",
            path="query",
            functions=sorted(FUNCTIONS),
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return SourceUnreadableError(f"{name} is locked: another program writes to it.", hint="Try again.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT) or (
        code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
    ):
        return SourceMalformedError(f"{name} is not a valid SQLite database.", met=text, expected="a SQLite database")
    return InvalidIntentError(f"SQLite cannot run the query: {text[:200]}.", path="query", met=text[:200])
