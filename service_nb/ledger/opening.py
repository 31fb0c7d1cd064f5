"""Opening the database of a ledger: to append to it, or to read it without touching anything.

SQLite's `mode=ro` alone still makes two files beside a database in WAL mode. So a database whose log is empty is opened
as one that nobody changes; one that another process has open, with that process's own files; and one whose log was
left without the rest (a copy, a medium that cannot be written) is copied away first, and the copy is opened.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from service_nb.core.own_files import Identity
from service_nb.core.whole_files import sync_folder
from service_nb.ledger.blobs import PART, make_folder
from service_nb.ledger.faults import refuse

NAME = "ledger.sqlite"
PATIENCE_S = 10.0  # for others that write; an append holds the lock for some milliseconds
LARGEST_VALUE = 4 * 1024**2  # bytes of a row: a statement, a card, a text of 16 kB
LOG_PAGES = 4_000  # 16 MB of log before it is merged: some hundred appends
_MERGED_BYTES = 32 * 1024**2  # to which the log shrinks when it was longer
_BESIDE = ("", "-wal", "-shm", "-journal")


class Place(NamedTuple):
    """Where a ledger is: a folder, which need not exist yet."""

    folder: Path

    @property
    def database(self) -> Path:
        """The database's file."""
        return self.folder / NAME

    def exists(self) -> bool:
        """Return whether there is anything in the place of the database; links are refused.

        Raises
        ------
        LedgerError [ledger_unavailable]
            Reason `not_a_ledger`: something there is a link or no file.
        """
        folder = _mode(self.folder)
        if folder is None:
            return False
        if not stat.S_ISDIR(folder):
            refuse("not_a_ledger", f"{self.folder.name} is a link or not a folder; links are not followed.")
        for ending in _BESIDE:
            mode = _mode(self._beside(ending))
            if mode is not None and not stat.S_ISREG(mode):
                refuse("not_a_ledger", f"{NAME}{ending} is a link or not a file; links are not followed.")
        if _mode(self._beside("-journal")) is not None:
            refuse("not_a_ledger", f"There is a rollback journal beside {NAME}, which a ledger never leaves.")
        return self.size("") is not None

    def size(self, ending: str) -> int | None:
        """Return the size of the database's file, or of one beside it; None if there is none."""
        try:
            return self._beside(ending).lstat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def identity(self) -> tuple[int, int] | None:
        """Return what tells the database's file from another one in its place."""
        try:
            met = os.stat(_database(self.folder), follow_symlinks=False)  # noqa: PTH116  # at each append
        except OSError:
            return None
        return met.st_dev, met.st_ino

    def stamp(self) -> Identity | None:
        """Return what changes when the database's file does."""
        try:
            met = self.database.lstat()
        except OSError:
            return None
        return (met.st_dev, met.st_ino, met.st_size, met.st_mtime_ns, met.st_ctime_ns)

    def make(self) -> None:
        """Have the folder and an empty database, private to the user and kept out of version control."""
        make_folder(self.folder)
        ignore = self.folder / ".gitignore"
        if _mode(ignore) is None:
            with suppress(FileExistsError), ignore.open("x", encoding="utf-8") as file:
                file.write("*\n")
        # Made elsewhere and put in place whole: SQLite's rollback journal, which could name any file of the disk to be
        # removed, never belongs to a ledger, and one that lies there is refused.
        part = self.folder / f"{PART}{secrets.token_hex(8)}"
        try:
            with closing(_connect(part, "mode=rwc")) as connection:
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                refuse("not_writable", "The file system does not support a write-ahead log, as some network drives.")
            part.chmod(0o600)
            _put(part, self.database)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(self.folder)

    def _beside(self, ending: str) -> Path:
        return self.folder / f"{NAME}{ending}"


def open_to_write(place: Place) -> sqlite3.Connection:
    """Return a connection that appends; the folder and the database are made if they are not there."""
    if not place.exists():
        place.make()
        place.exists()
    connection = _connect(place.database, "mode=rw")
    try:
        _restrict(connection)
        _check_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_MERGED_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def opened_to_read(place: Place) -> Iterator[sqlite3.Connection]:
    """Open the database of a ledger so that nothing of it, or beside it, is made or changed."""
    if not place.size("-wal"):
        with closing(_connect(place.database, "mode=ro&immutable=1")) as connection:
            _restrict(connection, reads=True)
            yield connection
    elif place.size("-shm") and os.access(place.folder / f"{NAME}-shm", os.R_OK | os.W_OK):
        with closing(_connect(place.database, "mode=ro")) as connection:
            _restrict(connection, reads=True)
            yield connection
    else:
        with tempfile.TemporaryDirectory(prefix="service-nb-") as folder:
            for ending in ("", "-wal"):
                shutil.copyfile(place.folder / f"{NAME}{ending}", Path(folder) / f"{NAME}{ending}")
            with closing(_connect(Path(folder) / NAME, "mode=rw")) as connection:
                _restrict(connection, reads=True)
                yield connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{mode}",
        uri=True,
        isolation_level=None,
        timeout=PATIENCE_S,
        check_same_thread=False,  # the ledger has a lock of its own
    )


def _restrict(connection: sqlite3.Connection, *, reads: bool = False) -> None:
    """Take the file for what it may be: somebody else's."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.execute("PRAGMA trusted_schema = 0")
    connection.execute("PRAGMA cell_size_check = 1")
    connection.execute("PRAGMA mmap_size = 0")
    connection.execute("PRAGMA temp_store = MEMORY")
    if reads:
        connection.execute("PRAGMA query_only = 1")


def _check_log(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        refuse("not_a_ledger", "The database has no write-ahead log, which every ledger has.")


@lru_cache(maxsize=64)
def _database(folder: Path) -> str:
    """Return the database of a ledger as text, which the system takes faster than a path."""
    return str(folder / NAME)


def _put(part: Path, target: Path) -> None:
    try:
        os.link(part, target)  # of several that try at once, one succeeds
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if _mode(target) is None:
            part.replace(target)


def _mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
