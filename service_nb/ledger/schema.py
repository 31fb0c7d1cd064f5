"""The tables of a ledger, and whether a database has exactly these.

Rows are only ever added. What one append writes lies at the end of each table, so it touches few pages, however long
the ledger is; only the indexes on `id` and `sha256` are in no order.
"""

from __future__ import annotations

import re
import sqlite3
from functools import lru_cache

from service_nb.ledger.faults import refuse

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


def create(connection: sqlite3.Connection, ledger_id: str) -> None:
    """Make the tables, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for statement in TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO ledger VALUES (1, ?)", (ledger_id,))


def is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether a database has nothing yet: whoever was to make the tables was killed before."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not tables and _pragma(connection, "user_version") == _pragma(connection, "application_id") == 0


def checked_id(connection: sqlite3.Connection) -> str:
    """Return the id of the ledger in a database, once its tables are known to be exactly those above.

    A foreign database can have views, triggers and generated columns under these names; none passes.

    Raises
    ------
    LedgerError [ledger_unavailable]
        Reasons `not_a_ledger`, `too_new`, `damaged`.
    """
    version = _pragma(connection, "user_version")
    if _pragma(connection, "application_id") != APPLICATION:
        refuse("not_a_ledger", "The database is not one of a ledger.")
    if version > VERSION:
        refuse("too_new", f"The ledger is of version {version}; this one reads version {VERSION}.", met=version)
    if version != VERSION or _shape(connection) != _expected():
        refuse("not_a_ledger", "The database has other tables than a ledger.")
    rows = connection.execute("SELECT id FROM ledger LIMIT 2").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][0], str) or not _ID.fullmatch(rows[0][0]):
        refuse("damaged", "The ledger has no id.")
    ledger_id: str = rows[0][0]
    return ledger_id


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _shape(connection: sqlite3.Connection) -> _Shape:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100")
    return frozenset(rows.fetchall())


@lru_cache(maxsize=1)
def _expected() -> _Shape:
    connection = sqlite3.connect(":memory:")
    try:
        create(connection, "")
        return _shape(connection)
    finally:
        connection.close()
