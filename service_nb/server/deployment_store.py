"""Store keys, connectors, sources and device codes of a deployment in one SQLite file.

It is written by several threads of a server, by `service-nb serve key` beside it, and during a rolling restart by two
servers: each change is one transaction that is on the disk when it returns. Nothing in it opens anything: keys are
hashes, and what connectors hold is sealed.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn, Protocol
from urllib.parse import quote

from service_nb.core.own_files import flush_folder, flush_path, make_private
from service_nb.errors import DeploymentUnavailableError, InvalidIntentError

FILE = "server.sqlite"
VERSION = 3
PATIENCE_S = 10.0  # for another process that writes
_APPLICATION = 0x534E4231  # "SNB1": what tells the file from any other SQLite file
_LARGEST_VALUE = 4 * 1024**2

# What leads from one version to the next; a file of a later version than ours is refused.
_MIGRATIONS = (
    """
    CREATE TABLE api_key (
        id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, tenant TEXT NOT NULL, label TEXT NOT NULL,
        scopes TEXT NOT NULL, policy TEXT NOT NULL,
        created INTEGER NOT NULL, expires INTEGER, revoked INTEGER, used_day INTEGER
    ) STRICT;
    CREATE INDEX api_key_tenant ON api_key (tenant);
    CREATE TABLE connector (
        id TEXT PRIMARY KEY, tenant TEXT NOT NULL, of_source INTEGER NOT NULL,
        key_id TEXT NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX connector_tenant ON connector (tenant);
    CREATE TABLE source (
        tenant TEXT NOT NULL, name TEXT NOT NULL, connector TEXT NOT NULL REFERENCES connector (id),
        key_id TEXT NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (tenant, name)
    ) STRICT;
    CREATE INDEX source_connector ON source (connector);
    CREATE TABLE device (
        hash BLOB PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, client TEXT NOT NULL, asked TEXT NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL, interval_s INTEGER NOT NULL, polled REAL NOT NULL,
        state TEXT NOT NULL, tenant TEXT, label TEXT, scopes TEXT, policy TEXT, key_expires INTEGER, key TEXT
    ) STRICT;
    """,
    # Names of sources, which are mostly those of tables, were not sealed; `sealing` brings over what is in `source_1`.
    """
    ALTER TABLE source RENAME TO source_1;
    DROP INDEX source_connector;
    CREATE TABLE source (
        id TEXT PRIMARY KEY, tenant TEXT NOT NULL, connector TEXT NOT NULL REFERENCES connector (id),
        key_id TEXT NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX source_tenant ON source (tenant);
    CREATE INDEX source_connector ON source (connector);
    """,
    # Whence a device asks: how many of one address wait is bounded, and whoever approves sees it.
    """
    ALTER TABLE device ADD COLUMN address TEXT;
    """,
)


def read_clock() -> int:
    """Read the clock as the store writes it: whole seconds since 1970."""
    return int(time.time())


class Store:
    """The file in a folder, which is made, private to its user, if it is not there. Thread-safe, beside others.

    Every fault is `deployment_unavailable`, with the reason `store_foreign` (something else is in its place),
    `store_newer`, `store_damaged`, `store_full` or `store_busy`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = make_private(folder)
        self._lock = threading.Lock()
        path = self.folder / FILE
        if path.is_symlink():
            _refuse("store_foreign", f"{FILE} is a link; links are not followed.")
        if not path.exists():
            _create_file(path)
        with _translate_faults():
            self._connection = _open_connection(path, "rw")
        with close_on_error(self._connection), _translate_faults():
            _prepare_connection(self._connection)
            with _begin(self._connection) as connection:  # of two servers that start at once, one migrates
                _migrate(connection)

    def select(self, statement: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return the rows of a SELECT."""
        with self._lock, _translate_faults():
            return self._connection.execute(statement, parameters).fetchall()

    def select_one(self, statement: str, parameters: Sequence[object] = ()) -> sqlite3.Row | None:
        """Return the first row of a SELECT, or None."""
        found = self.select(statement, parameters)
        return found[0] if found else None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open one transaction: committed at the end of the block, undone when the block raises."""
        with self._lock, _translate_faults(), _begin(self._connection) as connection:
            yield connection

    def write(self, statement: str, parameters: Sequence[object] = ()) -> int:
        """Run one statement in a transaction of its own, and return how many rows it changed."""
        with self.transaction() as connection:
            return connection.execute(statement, parameters).rowcount

    def read_version(self) -> int:
        """Return a number that changes when another process, or a connection beside this one, has written."""
        found: int = self.select("PRAGMA data_version")[0][0]
        return found

    def is_healthy(self) -> bool:
        """Tell whether the store can be read and written now."""
        try:
            with self.transaction() as connection:
                connection.execute("SELECT 1 FROM api_key LIMIT 1").fetchall()
        except DeploymentUnavailableError:
            return False
        return True

    def flush_log(self) -> None:
        """Write the log into the file and empty it, as far as nobody reads an earlier moment."""
        self.select("PRAGMA wal_checkpoint(TRUNCATE)")

    def back_up(self, target: Path) -> int:
        """Write a copy of one moment to a new file, whole or not at all, and return its size; writers go on."""
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            with _translate_faults():
                _create_file(part)
                # A connection of its own, so that readers and writers of this one do not wait.
                with (
                    closing(_open_connection(self.folder / FILE, "ro")) as source,
                    closing(_open_connection(part, "rw")) as copy,
                ):
                    source.backup(copy, pages=256)
                    copy.execute("PRAGMA journal_mode = DELETE")
            flush_path(part)
            os.link(part, target)  # never over what is there
        except FileExistsError:
            raise InvalidIntentError(
                f"{target.name} exists; a backup never overwrites a file.", hint="Name another.", path="path"
            ) from None
        except OSError as error:
            _refuse("store_full", f"The backup cannot be written: {error.strerror}.", error)
        finally:
            part.unlink(missing_ok=True)
        flush_folder(target.parent)
        return target.stat().st_size

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


class _Closable(Protocol):
    def close(self) -> None: ...


@contextmanager
def close_on_error(thing: _Closable) -> Iterator[None]:
    """Close something that nobody else can close any more when the block raises."""
    try:
        yield
    except BaseException:  # also where a thread is interrupted
        thing.close()
        raise


@contextmanager
def _begin(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:  # also where a thread is interrupted
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _migrate(connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != _APPLICATION and (application or version or tables):
        _refuse("store_foreign", f"{FILE} is not a deployment's database.")
    if version > VERSION:
        _refuse("store_newer", f"{FILE} has version {version}; this release knows {VERSION}. Update it.")
    for script in _MIGRATIONS[version:]:
        for statement in filter(str.strip, script.split(";")):
            connection.execute(statement)
    if version < VERSION:
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _create_file(path: Path) -> None:
    """Make an empty file that only its user can read; SQLite gives its log the same rights."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except FileExistsError:
        return
    except OSError as error:
        _refuse("store_full", f"{path.name} cannot be made: {error.strerror}.", error)


def _open_connection(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=PATIENCE_S,
        check_same_thread=False,  # the store has a lock of its own
    )
    connection.row_factory = sqlite3.Row
    return connection


def _prepare_connection(connection: sqlite3.Connection) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.execute("PRAGMA trusted_schema = 0")
    connection.execute("PRAGMA foreign_keys = 1")
    connection.execute("PRAGMA secure_delete = 1")  # what was sealed, and is deleted, is overwritten
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        _refuse("store_full", "The file system does not support a write-ahead log, as some network drives.")
    connection.execute("PRAGMA synchronous = FULL")


@contextmanager
def _translate_faults() -> Iterator[None]:
    """Raise SQLite's own faults as ours: its texts name the columns and files of a server."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise  # whoever wrote knows what was in the way
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        busy = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        damaged = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        reason = "store_busy" if code in busy else "store_damaged" if code in damaged else "store_full"
        said = {
            "store_busy": "The deployment's store was locked by another process for too long.",
            "store_damaged": "The deployment's store is damaged; restore a backup.",
            "store_full": "The deployment's store cannot be read or written.",
        }
        _refuse(reason, said[reason], error)


def _refuse(reason: str, message: str, cause: Exception | None = None) -> NoReturn:
    raise DeploymentUnavailableError(message, reason=reason) from cause
