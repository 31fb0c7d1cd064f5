"""Open a ledger's database to append or to read, check its tables, and read its tree and its checkpoints.

SQLite's `mode=ro` alone still makes two files beside a database in WAL mode. So a database whose log is empty is
opened as immutable; one that another process has open, with that process's files; and one whose log was left behind
(a copy, a read-only medium, a kill) is copied to a temporary directory first. Rows are only ever added. One append
writes at the end of each table, so it touches few pages however long the ledger is.

A subtree of 2**level leaves at `index` is complete with leaf (index + 1) * 2**level - 1, so its hash stands in that
leaf's row, at place `level`: appending writes one row, and a proof reads one row a hash.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn
from urllib.parse import quote

from service_nb.core.digest import HASH_BYTES, Nodes, compute_root, list_completed_nodes
from service_nb.core.own_files import PRIVATE, Identity, flush_folder
from service_nb.core.sqlite_log import can_share_log, copy_with_log
from service_nb.errors import EvidenceError, LedgerError
from service_nb.evidence.documents import open_checkpoint
from service_nb.evidence.standalone import ORIGIN_PREFIX, Checkpoint

Reason = Literal[
    "disk_full",
    "busy",
    "not_writable",
    "not_readable",
    "damaged",
    "rolled_back",
    "too_new",
    "not_a_ledger",
    "duplicate_id",
    "foreign",
]

_HINTS: dict[str, str] = {
    "disk_full": "Free disk space, then ask again; earlier records are intact.",
    "busy": "Another kernel is writing to it. Retry; if that does not help, stop the other kernel.",
    "not_writable": "Make the folder writable, name another with SERVICE_LEDGER, or set SERVICE_LEDGER=off.",
    "not_readable": "Make the folder readable for you.",
    "damaged": "`service-nb verify` names each fault. Restore a copy, or move .service away to begin a new ledger.",
    "rolled_back": "Put the newest copy of .service back, or move this one away to begin a new ledger.",
    "too_new": "Update service-nb.",
    "not_a_ledger": "Move it away; the next result begins a new ledger.",
    "duplicate_id": "Nothing was recorded; ask again.",
    "foreign": "Set SERVICE_LEDGER to its folder to go on with it all the same.",
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CODES: dict[int, Reason] = {
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_READONLY: "not_writable",
    sqlite3.SQLITE_PERM: "not_writable",
    sqlite3.SQLITE_CANTOPEN: "not_writable",
    sqlite3.SQLITE_NOTADB: "not_a_ledger",
}
# A quota or a limit on the size of files is no full disk to SQLite, but a write that failed.
_FAILED_WRITES = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
_FAILED_READS = (
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
_MESSAGES: dict[str, str] = {
    "disk_full": "The disk has no room for the ledger.",
    "busy": "The ledger was locked by another process for too long.",
    "not_writable": "The ledger cannot be written to.",
    "not_readable": "The ledger cannot be read.",
    "damaged": "The database of the ledger is damaged.",
    "not_a_ledger": "This is not a ledger.",
}


def refuse(reason: Reason, message: str, cause: BaseException | None = None, **details: object) -> NoReturn:
    """Raise the error of a reason."""
    raise LedgerError(message, reason=reason, hint=_HINTS[reason], **details) from cause


@contextmanager
def translate_errors(*, reads: bool = False) -> Iterator[None]:
    """Turn what SQLite and the system raise inside into errors of the ledger; they tell no path."""
    try:
        yield
    except sqlite3.Error as error:
        reason = _find_reason(error)
        if reads and reason == "not_writable":
            reason = "not_readable"
        refuse(reason, _MESSAGES[reason], error, met=getattr(error, "sqlite_errorname", None))
    except (OverflowError, UnicodeDecodeError) as error:  # a number or a text in the database that is none
        refuse("damaged", _MESSAGES["damaged"], error)
    except OSError as error:
        reason = "disk_full" if error.errno in _FULL else "not_readable" if reads else "not_writable"
        refuse(reason, _MESSAGES[reason], error, met=error.strerror)


def _find_reason(error: sqlite3.Error) -> Reason:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by Python's module itself, such as for a text that is no UTF-8
        return "damaged"
    if code in _FAILED_WRITES:
        return "disk_full"
    if code & 0xFF == sqlite3.SQLITE_IOERR:
        return "damaged" if code in _FAILED_READS else "not_writable"
    return _CODES.get(code & 0xFF, "damaged")


NAME = "ledger.sqlite"
PART = ".part-"  # how names of files begin that are being written
PATIENCE_S = 10.0  # for others that write; an append holds the lock for some milliseconds
LARGEST_VALUE = 4 * 1024**2  # bytes of a row: a statement, a card, a text of 16 kB
LOG_PAGES = 4_000  # 16 MB of log before it is merged: some hundred appends
_MERGED_BYTES = 32 * 1024**2  # to which the log shrinks when it was longer
_BESIDE = ("", "-wal", "-shm", "-journal")


class LedgerPlace(NamedTuple):
    """Where a ledger is: a folder, which need not exist yet."""

    folder: Path

    @property
    def database(self) -> Path:
        """The database's file."""
        return self.folder / NAME

    def exists(self) -> bool:
        """Tell whether the database's path exists; links are refused.

        Raises `ledger_unavailable`.
        """
        folder = _read_mode(self.folder)
        if folder is None:
            return False
        if not stat.S_ISDIR(folder):
            refuse("not_a_ledger", f"{self.folder.name} is a link or not a folder; links are not followed.")
        for ending in _BESIDE:
            mode = _read_mode(self._build_path(ending))
            if mode is not None and not stat.S_ISREG(mode):
                refuse("not_a_ledger", f"{NAME}{ending} is a link or not a file; links are not followed.")
        if _read_mode(self._build_path("-journal")) is not None:
            refuse("not_a_ledger", f"There is a rollback journal beside {NAME}, which a ledger never leaves.")
        return self.read_size("") is not None

    def read_size(self, ending: str) -> int | None:
        """Return the size of the database's file, or of one beside it; None if there is none."""
        try:
            return self._build_path(ending).lstat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read_identity(self) -> tuple[int, int] | None:
        """Read the file's identity, which differs for another file in its place."""
        try:
            met = os.stat(_build_database_path(self.folder), follow_symlinks=False)  # noqa: PTH116  # at each append
        except OSError:
            return None
        return met.st_dev, met.st_ino

    def read_stamp(self) -> Identity | None:
        """Read a stamp that changes whenever the database's file does."""
        try:
            met = self.database.lstat()
        except OSError:
            return None
        return (met.st_dev, met.st_ino, met.st_size, met.st_mtime_ns, met.st_ctime_ns)

    def create(self) -> None:
        """Have the folder and an empty database, private to the user and kept out of version control."""
        make_folder(self.folder)
        ignore = self.folder / ".gitignore"
        if _read_mode(ignore) is None:
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
            _put_in_place(part, self.database)
        finally:
            part.unlink(missing_ok=True)
        flush_folder(self.folder)

    def _build_path(self, ending: str) -> Path:
        return self.folder / f"{NAME}{ending}"


def open_to_write(place: LedgerPlace) -> sqlite3.Connection:
    """Return a connection that appends; the folder and the database are made if they are not there."""
    if not place.exists():
        place.create()
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
def open_to_read(place: LedgerPlace) -> Iterator[sqlite3.Connection]:
    """Open the database of a ledger so that nothing of it, or beside it, is made or changed."""
    if not place.read_size("-wal"):
        with closing(_connect(place.database, "mode=ro&immutable=1")) as connection:
            _restrict(connection, reads=True)
            yield connection
    elif can_share_log(place.database):
        with _share(place) as connection:
            yield connection
    else:
        with tempfile.TemporaryDirectory(prefix="service-nb-") as folder:
            copy = copy_with_log(place.database, Path(folder))
            if copy is None:  # somebody opened it meanwhile
                with _share(place) as connection:
                    yield connection
            else:
                with closing(_connect(copy, "mode=rw")) as connection:
                    _restrict(connection, reads=True)
                    yield connection


@contextmanager
def _share(place: LedgerPlace) -> Iterator[sqlite3.Connection]:
    """Read with the log and the index of the process that has the database open."""
    with closing(_connect(place.database, "mode=ro")) as connection:
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
def _build_database_path(folder: Path) -> str:
    """Return the database of a ledger as text, which the system takes faster than a path."""
    return str(folder / NAME)


def _put_in_place(part: Path, target: Path) -> None:
    try:
        os.link(part, target)  # of several that try at once, one succeeds
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if _read_mode(target) is None:
            part.replace(target)


def _read_mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def make_folder(folder: Path) -> None:
    """Create a private folder (mode 0700) and flush it. Raise if the path exists and is no folder."""
    try:
        folder.mkdir(mode=PRIVATE)
    except FileExistsError:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            refuse("not_a_ledger", f"{folder.name} of the ledger is a link or no folder.")
    else:
        flush_folder(folder.parent)


VERSION = 1  # in user_version; a change of a table is a new one
APPLICATION = 0x534E4C31  # "SNL1", in application_id

TABLES = """
CREATE TABLE ledger (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL -- 32 hex digits, random
);
CREATE TABLE keys (
  id TEXT NOT NULL PRIMARY KEY, -- 16 hex digits
  public_key BLOB NOT NULL -- 32 bytes
);
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, -- from 0, without gaps: the index of the leaf
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  time TEXT NOT NULL,
  tenant TEXT,
  key TEXT, -- of the signature; both are null where there was no device key
  signature BLOB,
  kept TEXT NOT NULL, -- names of the subjects whose text is kept here, with a space between
  payload BLOB NOT NULL, -- the statement: the bytes that are hashed and signed
  card_sha256 BLOB,
  card TEXT
);
CREATE TABLE tree (
  number INTEGER PRIMARY KEY,
  hashes BLOB NOT NULL -- of the subtrees that this leaf completes, 32 bytes each, its own first
);
CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY,
  key TEXT,
  note TEXT NOT NULL
);
CREATE TABLE texts (
  number INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  content BLOB -- null: in a file of its own below blobs
);
"""

_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_Shape = frozenset[tuple[str, str, str, str | None]]


def create_tables(connection: sqlite3.Connection, ledger_id: str) -> None:
    """Make the tables, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for statement in TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO ledger VALUES (1, ?)", (ledger_id,))


def is_empty(connection: sqlite3.Connection) -> bool:
    """Tell whether a database is still empty: its writer was killed before it created the tables."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not tables and _read_pragma(connection, "user_version") == _read_pragma(connection, "application_id") == 0


def read_id(connection: sqlite3.Connection) -> str:
    """Return the id of the ledger in a database, once its tables are known to be exactly those above.

    A foreign database can have views, triggers and generated columns under these names; none passes.

    Raises `ledger_unavailable`.
    """
    version = _read_pragma(connection, "user_version")
    if _read_pragma(connection, "application_id") != APPLICATION:
        refuse("not_a_ledger", "The database is not one of a ledger.")
    if version > VERSION:
        refuse("too_new", f"The ledger is of version {version}; this one reads version {VERSION}.", met=version)
    if version != VERSION or _read_shape(connection) != _build_expected_shape():
        refuse("not_a_ledger", "The database has other tables than a ledger.")
    rows = connection.execute("SELECT id FROM ledger LIMIT 2").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][0], str) or not _ID.fullmatch(rows[0][0]):
        refuse("damaged", "The ledger has no id.")
    ledger_id: str = rows[0][0]
    return ledger_id


def _read_pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _read_shape(connection: sqlite3.Connection) -> _Shape:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100")
    return frozenset(rows.fetchall())


@lru_cache(maxsize=1)
def _build_expected_shape() -> _Shape:
    connection = sqlite3.connect(":memory:")
    try:
        create_tables(connection, "")
        return _read_shape(connection)
    finally:
        connection.close()


# --- the tree and its checkpoints -------------------------------------------------------------------------------------


def read_nodes(connection: sqlite3.Connection) -> Nodes:
    """Return the hashes of a ledger, by level and index."""

    def read_node(level: int, index: int) -> bytes:
        number = (index + 1 << level) - 1
        found = connection.execute("SELECT hashes FROM tree WHERE number = ?", (number,)).fetchone()
        value = found[0][level * HASH_BYTES : (level + 1) * HASH_BYTES] if found and type(found[0]) is bytes else b""
        if len(value) != HASH_BYTES:
            refuse("damaged", f"The tree of the ledger has no hash at level {level}, index {index}.")
        return bytes(value)

    return read_node


class GrowingTree:
    """A tree to which leaves are appended, held by the roots of its complete subtrees alone, one a level."""

    def __init__(self, size: int = 0, peaks: Mapping[int, bytes] | None = None) -> None:
        self.size = size
        self._peaks = dict(peaks or {})
        self.made: dict[tuple[int, int], bytes] = {}  # what was appended, if it is kept for proofs

    @classmethod
    def load(cls, size: int, nodes: Nodes) -> GrowingTree:
        """Return the tree of the first `size` leaves."""
        levels = (level for level in range(size.bit_length()) if size >> level & 1)
        return cls(size, {level: nodes(level, (size >> level) - 1) for level in levels})

    def append(self, leaf: bytes, *, keeps: bool = False) -> bytes:
        """Append a leaf, and return the hashes that it completes, one after the other."""
        made = list_completed_nodes(self.size, leaf, self._find_peak)
        for level, _, _ in made[:-1]:
            self._peaks.pop(level, None)
        self._peaks[made[-1][0]] = made[-1][2]
        self.size += 1
        if keeps:
            self.made.update({(level, index): value for level, index, value in made})
        return b"".join(value for _, _, value in made)

    def compute_root(self) -> bytes:
        """Return the root of what there is."""
        return compute_root(self.size, self._find_peak)

    def get_node(self, level: int, index: int) -> bytes:
        """Return a hash that the proof of a leaf appended here needs: made here, or a subtree that was there."""
        return self.made.get((level, index)) or self._old[level, index]

    def begin(self) -> None:
        """Remember the subtrees that are there, for proofs of what is appended from now on."""
        self.made = {}
        self._old = {(level, (self.size >> level) - 1): value for level, value in self._peaks.items()}

    def copy(self) -> GrowingTree:
        """Return a tree that grows on its own."""
        return GrowingTree(self.size, self._peaks)

    def _find_peak(self, level: int, _: int) -> bytes:
        return self._peaks[level]


def check_not_rolled_back(connection: sqlite3.Connection, size: int, before: Checkpoint) -> None:
    """Refuse a ledger that is not the continuation of what was seen of it before. Raises `ledger_unavailable`."""
    if before.size > size:
        refuse("rolled_back", f"The ledger has {size} entries, and {before.size} were seen here.", met=size)
    if compute_root(before.size, read_nodes(connection)) != before.root:
        refuse("rolled_back", f"The first {before.size} entries of the ledger are not those that were seen here.")


class LedgerHead(NamedTuple):
    """The head of a ledger: its id and its newest checkpoint."""

    ledger_id: str
    checkpoint: Checkpoint
    note: str  # the checkpoint's text


def read_head(connection: sqlite3.Connection) -> LedgerHead | None:
    """Return the newest checkpoint of a ledger; None if nothing was ever appended. Raises `ledger_unavailable`."""
    if is_empty(connection):
        return None
    ledger_id = read_id(connection)
    row = connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
    if row is None:
        refuse("damaged", "The ledger has no checkpoint.")
    return LedgerHead(ledger_id, _read_checkpoint(row, ledger_id), row[1])


def _read_checkpoint(row: tuple[object, object], ledger_id: str) -> Checkpoint:
    """Return the checkpoint of a row (size, note), which is one of this ledger; its signature is not checked."""
    size, note = row
    try:
        checkpoint = open_checkpoint(note if isinstance(note, str) else "").checkpoint
    except EvidenceError as error:
        refuse("damaged", f"The checkpoint at size {size} is malformed.", error)
    if (checkpoint.origin, checkpoint.size) != (ORIGIN_PREFIX + ledger_id, size):
        refuse("damaged", f"The checkpoint at size {size} is of another ledger, or another size.")
    return checkpoint
