"""Read SQLite: a table, a view or the answer of one SELECT, without the means to write.

`mode=ro` alone still lets SQL create, copy and attach databases. So an authorizer allows reading, a list of functions
and nothing else; limits bound values and statements; a progress handler stops what takes too many steps, too much time
or too much memory. SQLite would put two files next to a database in WAL mode, so it is told that nobody writes, or
reads a copy. SQL is parsed in a number of steps bounded by its length: the parser tries one reading after the other,
and nesting doubles its work.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import importlib
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from service_nb.core.sqlite_log import can_share_log, copy_with_log
from service_nb.core.words import describe_value, find_nearest, split_words
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    SourceChangedError,
    SourceMalformedError,
    SourceNotFoundError,
    SourceUnreadableError,
)
from service_nb.readers.columns import bad_column_error, check_cells, limit_error
from service_nb.readers.dataset import Dataset, ReadOptions, option_error
from service_nb.readers.python_rows import build_table_from_columns
from service_nb.readers.source_files import find_file, has_changed, read_stamp
from service_nb.schema.source import FileStamp, Limits

MOST_SQL = 100_000  # characters of a query
STEPS_A_TOKEN = 10  # texts that people write take one to three
FREE_STEPS = 5_000


def parse_statements(query: str, dialect: str) -> list[exp.Expr]:
    """Return the statements of a text. Raises `limit_exceeded`."""
    spoken = Dialect.get_or_raise(dialect)
    tokens = spoken.tokenize(query)
    parser = _build_parser(dialect)(dialect=spoken)
    parser.steps_left = FREE_STEPS + STEPS_A_TOKEN * len(tokens)
    return [tree for tree in parser.parse(tokens, query) if tree is not None]


def parse_select(query: str, dialect: str, path: str) -> exp.Query:
    """Parse a query that is exactly one SELECT; `path` names it. Raises `invalid_intent`, `limit_exceeded`."""
    if len(query) > MOST_SQL:
        message = f"The query has {len(query):,} characters; at most {MOST_SQL:,} are read."
        raise LimitExceededError(message, limit=MOST_SQL, value=len(query))
    try:
        trees = parse_statements(query, dialect)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise InvalidIntentError("The query is not valid SQL.", path=path, expected="SELECT") from error
    if len(trees) == 1 and isinstance(trees[0], exp.Select | exp.SetOperation):
        return trees[0]
    met = " and ".join(tree.key.upper() for tree in trees[:3]) or "nothing"
    raise InvalidIntentError(f"The query is {met}; expected exactly one SELECT.", path=path, met=met, expected="SELECT")


@cache
def _build_parser(dialect: str) -> Any:
    """Return the dialect's parser, which gives up when it has gone back and forth for too long."""

    class Patient(Dialect.get_or_raise(dialect).parser_class):  # type: ignore[misc]  # which one is known here
        steps_left = FREE_STEPS

        def _advance(self, times: int = 1) -> None:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise LimitExceededError(
                    "The query is nested too deeply.",
                    hint="Move the innermost part into a WITH clause.",
                    path="connector.query",
                    limit_name="steps",
                )
            super()._advance(times)

    return Patient


STEPS = 1_000  # of SQLite's machine between two looks: a step makes one value at most
ROWS_AT_ONCE = 500
SHARE = 4  # a statement, and the rows that are fetched at once, each have one part of so many of the memory


class MemoryGuard:
    """Called by SQLite every `STEPS` steps; ends a statement that takes too much memory, `steps` or `seconds`."""

    def __init__(self, memory_bytes: int, steps: int | None = None, seconds: float | None = None) -> None:
        self._left = -1 if steps is None else steps // STEPS
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._used, self._most = find_allocated(), memory_bytes
        self._start = self._used()
        self.interrupted = self.is_over_steps = self.is_over_time = self.is_over_memory = False

    def watch(self, connection: sqlite3.Connection) -> None:
        """Look at all that a connection runs."""
        connection.set_progress_handler(self, STEPS)

    def __call__(self) -> bool:
        """Tell SQLite whether to end the statement."""
        try:
            self._left -= 1
            self.is_over_steps = self.is_over_steps or self._left == -1
            if self._deadline is not None and time.monotonic() > self._deadline:
                self.is_over_time = True
            self.is_over_memory = self.is_over_memory or self._used() - self._start > self._most
        except KeyboardInterrupt:  # SQLite would swallow it
            self.interrupted = True
        return self.interrupted or self.is_over_steps or self.is_over_time or self.is_over_memory

    def statement_memory_error(self) -> LimitExceededError:
        """Return the error of a statement that took too much memory."""
        return LimitExceededError(
            f"SQLite needs more than {self._most:,} bytes for the query.",
            hint="Select, sort and group fewer or shorter values.",
            limit=self._most,
            limit_name="memory_bytes",
        )


def count_rows_at_once(columns: int, value_bytes: int, memory_bytes: int) -> int:
    """Compute the rows to fetch at once, so that the longest allowed values fit in memory."""
    return max(1, min(ROWS_AT_ONCE, memory_bytes // max(1, columns * value_bytes)))


@cache
def find_allocated() -> Callable[[], int]:
    """Find the function that reports SQLite's allocated bytes, or the peak of the process if SQLite does not count."""
    name = "sqlite3" if sys.platform == "win32" else getattr(_sqlite3, "__file__", None)
    try:
        told = ctypes.CDLL(name).sqlite3_memory_used
    except (AttributeError, OSError):
        return _read_peak
    told.restype, told.argtypes = ctypes.c_int64, ()
    connection = sqlite3.connect(":memory:")
    try:
        return told if told() > 0 else _read_peak  # built without counting
    finally:
        connection.close()


def _read_peak() -> int:
    if sys.platform == "win32":
        return 0
    resource = importlib.import_module("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


KEYS = ("provider", "path", "table", "query")
STEPS_A_BYTE = 8
LEAST_CHARS, CHARS_A_BYTE = 2**28, 4  # of texts: an answer has as many in any case, or so many for a byte of its file
# Functions that are read like tables: newer releases make them without asking for anything else.
TABLE_FUNCTIONS = ("bytecode", "dbstat", "generate_series", "json_each", "json_tree", "tables_used")
CELL_BYTES = 40  # what a cell costs as a Python object, texts not counted

# Pure, and cheap for each row. What makes large values (`zeroblob`), loads code or leaves the row is not here.
FUNCTIONS = frozenset(
    split_words("""
    abs round sign min max sum total avg count group_concat coalesce ifnull nullif iif typeof likely unlikely likelihood
    lower upper length substr substring trim ltrim rtrim replace instr like glob hex unicode json_extract -> ->>
    date time datetime julianday strftime row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
    last_value nth_value
""")
)
SETTINGS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 4 * MOST_SQL,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)


def read(source: object, options: ReadOptions) -> Dataset:
    """Read a table, a view or a query's answer."""
    path, statement, parts = _parse_request(source)
    stamps = read_stamps(path)
    # A row of a table takes its bytes of the file, which bounds the work; only a damaged file exceeds that.
    limits = options.limits
    guard = _build_guard(limits, STEPS_A_BYTE * stamps[0].size)
    chars = min(limits.memory_bytes, max(LEAST_CHARS, CHARS_A_BYTE * stamps[0].size))
    with closing(open_database(path)) as connection, _translate_faults(path, guard, limits):
        if "table" in parts:
            statement = _select_all(connection, parts["table"])
        _lock(connection, guard, limits)
        names, values = _fetch(connection, statement, chars, limits)
    if has_changed(stamps):
        raise SourceChangedError(
            f"{describe_value(path.name)} changed while it was read.",
            hint="Connect it again when no program writes to it.",
        )
    return build_table_from_columns(names, values, options).build_dataset(None, *stamps)


def _parse_request(source: object) -> tuple[Path, str, Mapping[str, str]]:
    """Return the path, the query if there is one, and all parts of a request, checked."""
    if not isinstance(source, Mapping) or source.get("provider") != "sqlite":
        raise option_error("provider", source.get("provider") if isinstance(source, Mapping) else source, "'sqlite'")
    parts = {key: value for key, value in source.items() if value is not None}
    for key, value in parts.items():
        if key not in KEYS:
            met, close = describe_value(key), find_nearest(str(key), KEYS) or None
            raise InvalidIntentError(f"A SQLite source has no key {met}.", path=met, did_you_mean=close)
        if not isinstance(value, str) and not (key == "path" and isinstance(value, Path)):
            raise option_error(key, value, "text")
    if "path" not in parts or ("table" in parts) == ("query" in parts):
        message = "A SQLite source needs a path and either a table or a query."
        raise InvalidIntentError(message, path="table", expected="path and table")
    if "query" in parts:
        # The authorizer would stop all but a SELECT as well; this says so before the file is opened, in fewer words.
        parse_select(parts["query"], "sqlite", "query")
    return find_file(parts["path"]), parts.get("query", ""), parts


def read_stamps(path: Path) -> tuple[FileStamp, ...]:
    """Stamps of the database and of its log: changes may wait in the log while the file stays as it is."""
    return (read_stamp(path), read_stamp(_find_sibling(path, "-wal")))


def _find_sibling(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


class _Connection(sqlite3.Connection):
    """A connection to a database, or to a copy of one in a folder that is removed with it."""

    folder: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Close the connection, and remove the copy."""
        super().close()
        if self.folder is not None:
            self.folder.cleanup()


def open_database(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """Open a database that this connection neither writes to nor puts files beside."""
    try:
        return _open_database(path.resolve(), any_thread=any_thread)
    except (OSError, sqlite3.Error) as error:
        raise SourceUnreadableError(
            f"{describe_value(path.name)} cannot be opened.", met=type(error).__name__
        ) from error


def _open_database(path: Path, *, any_thread: bool) -> sqlite3.Connection:
    waiting = {ending: read_stamp(_find_sibling(path, ending)).size > 0 for ending in ("-wal", "-journal")}
    if waiting["-wal"] and not can_share_log(path):
        return _open_copy(path, any_thread=any_thread)
    # With nothing in a log or journal, nobody is writing: the file can be read as it stands, without a lock or a new
    # file beside it. Whoever starts to write meanwhile changes a stamp.
    return _connect(path, "mode=ro" if any(waiting.values()) else "mode=ro&immutable=1", any_thread=any_thread)


def _open_copy(path: Path, *, any_thread: bool) -> sqlite3.Connection:
    """Open a copy of a database whose log was left behind: to read the log, SQLite would make a file beside it."""
    size = read_stamp(path).size + read_stamp(_find_sibling(path, "-wal")).size
    folder = tempfile.TemporaryDirectory(prefix="service-nb-")
    if size > shutil.disk_usage(folder.name).free // 2:
        folder.cleanup()
        raise SourceUnreadableError(
            f"{describe_value(path.name)} has unmerged changes in its write-ahead log (-wal), and there is no room for"
            " a copy.",
            hint="Open and close it once with SQLite, which merges them; this reader never writes.",
            met="-wal",
        )
    copy = copy_with_log(path, Path(folder.name))
    if copy is None:  # somebody opened it meanwhile
        folder.cleanup()
        return _connect(path, "mode=ro", any_thread=any_thread)
    connection = _connect(copy, "mode=rw", any_thread=any_thread)
    connection.folder = folder
    return connection


def _connect(path: Path, mode: str, *, any_thread: bool) -> _Connection:
    address = f"file:{quote(str(path))}?{mode}"
    return sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=not any_thread, factory=_Connection
    )


def list_tables(path: Path, limits: Limits) -> list[str]:
    """Return the names of the tables and views of a database."""
    guard = _build_guard(limits)
    with closing(open_database(path)) as connection, _translate_faults(path, guard, limits):
        return _list_names(connection)


def _build_guard(limits: Limits, more_steps: int = 0) -> MemoryGuard:
    """Build the guard of a statement; one that may take `more_steps` may take so much longer."""
    steps = limits.sql_steps + more_steps
    seconds = limits.sql_seconds * steps / max(1, limits.sql_steps)
    return MemoryGuard(limits.memory_bytes // SHARE, steps, seconds)


def _list_names(connection: sqlite3.Connection) -> list[str]:
    listed = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    return [name for (name,) in listed if not name.startswith("sqlite_")]


def _select_all(connection: sqlite3.Connection, table: str) -> str:
    names = _list_names(connection)
    if table not in names:
        close = find_nearest(table, names)
        raise SourceNotFoundError(
            f"The database has no table {describe_value(table)}.",
            hint=f"Did you mean {describe_value(close[0])}?" if close else None,
            met=describe_value(table),
            did_you_mean=close or None,
        )
    return exp.select("*").from_(exp.to_identifier(table, quoted=True)).sql(dialect="sqlite")


def _lock(connection: sqlite3.Connection, guard: MemoryGuard, limits: Limits) -> None:
    for setting in ("query_only = 1", "trusted_schema = 0", "cell_size_check = 1", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {setting}")
    for limit, most in {**SETTINGS, sqlite3.SQLITE_LIMIT_LENGTH: limits.cell_chars}.items():
        connection.setlimit(limit, most)
    guard.watch(connection)
    connection.set_authorizer(_decide_action)


def _decide_action(action: int, first: str | None, second: str | None, database: str | None, _: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if (second or "").lower() in FUNCTIONS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ:
        table = (first or "").lower()
        if database not in ("main", "", None) or table.startswith("sqlite_") or table in TABLE_FUNCTIONS:
            return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


def _fetch(
    connection: sqlite3.Connection, statement: str, most_chars: int, limits: Limits
) -> tuple[list[str], list[list[object]]]:
    """Return names and columns; values as long as they may be are never more at once than a share of the memory."""
    share = limits.memory_bytes // SHARE
    value_bytes = min(limits.cell_chars, share // _count_columns(connection, statement))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, value_bytes)
    cursor = connection.execute(statement)
    names = [column[0] for column in cursor.description]
    columns: list[list[Any]] = [[] for _ in names]
    at_once = count_rows_at_once(len(names), value_bytes, share)
    chars = rows = 0
    while batch := cursor.fetchmany(at_once):
        rows += len(batch)
        check_cells(rows, len(names), limits)
        for number, (column, values) in enumerate(zip(columns, zip(*batch, strict=True), strict=True)):
            kinds = set(map(type, values))
            if bytes in kinds:
                hint = "Leave it out: pass a query that selects the other columns."
                fault = "holds bytes, which cannot be queried"
                raise bad_column_error(names[number], fault, hint, met="BLOB", expected="numbers or text")
            chars += sum(len(value) for value in values if type(value) is str) if str in kinds else 0
            column.extend(values)
        if chars > most_chars or chars + CELL_BYTES * rows * len(names) > limits.memory_bytes:
            raise _too_much_data_error(chars, most_chars, limits)
    return names, columns


def _count_columns(connection: sqlite3.Connection, statement: str) -> int:
    """Count a statement's columns before its first row is made; assume the most if it hides them."""
    try:
        empty = connection.execute(f"SELECT * FROM (\n{statement}\n) LIMIT 0")  # noqa: S608  # one SELECT, and locked
    except sqlite3.Error:
        return connection.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    return len(empty.description)


def _too_much_data_error(chars: int, most_chars: int, limits: Limits) -> LimitExceededError:
    if chars > most_chars:
        hint = "Select fewer rows or columns."
        return limit_error("answer_chars", most_chars, chars, "The texts of the rows have more characters", hint)
    hint = "Select fewer rows or columns, or raise Limits(memory_bytes=…)."
    return limit_error("memory_bytes", limits.memory_bytes, chars, "The rows need more bytes", hint)


@contextmanager
def _translate_faults(path: Path, guard: MemoryGuard, limits: Limits) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        if guard.interrupted:
            raise KeyboardInterrupt from error
        if guard.is_over_memory:
            raise guard.statement_memory_error() from error
        if guard.is_over_time:
            raise LimitExceededError(
                f"The query took more than {limits.sql_seconds:g} seconds.",
                hint="Simplify it, or raise Limits(sql_seconds=…).",
                limit=limits.sql_seconds,
                limit_name="sql_seconds",
            ) from error
        if guard.is_over_steps:
            raise LimitExceededError(
                f"The query took more than {limits.sql_steps:,} steps.",
                hint="Simplify it, or raise Limits(sql_steps=…).",
                limit=limits.sql_steps,
                limit_name="sql_steps",
            ) from error
        raise _explain(path, error, limits) from error
    except UnicodeDecodeError as error:  # of a name, in a file that is damaged
        met = f"0x{error.object[error.start]:02x}"
        message = f"{describe_value(path.name)} holds a name that is not UTF-8."
        raise SourceMalformedError(message, met=met, expected="UTF-8") from error


def _explain(path: Path, error: Exception, limits: Limits) -> Exception:
    name, text = describe_value(path.name), str(error)
    code = getattr(error, "sqlite_errorcode", None)
    undecoded = re.match(r"Could not decode to UTF-8 column '(.*?)'", text, re.DOTALL)
    if undecoded is not None:
        return bad_column_error(undecoded[1], "holds text that is not UTF-8", expected="UTF-8")
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
