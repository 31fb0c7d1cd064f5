"""Appending: one transaction that brings texts, entries, the tree's new hashes and a checkpoint, or nothing."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from service_nb.core.merkle import inclusion_proof, root
from service_nb.evidence.checkpoint import ORIGIN_PREFIX, Checkpoint, signed
from service_nb.evidence.keys import decoded
from service_nb.evidence.receipt import Signer, receipt
from service_nb.ledger import remembered, schema
from service_nb.ledger.blobs import Blobs
from service_nb.ledger.entries import INLINE_BYTES, Prepared, envelope_of
from service_nb.ledger.faults import refuse
from service_nb.ledger.opening import Place, open_to_write
from service_nb.ledger.reading import Head, head
from service_nb.ledger.tree import Growing, stored_nodes
from service_nb.schema.entry import LogProof, Receipt

_ENTRY = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TEXT = "INSERT OR IGNORE INTO texts (sha256, bytes, content) VALUES (?, ?, ?)"
# Connections of processes that this one was forked from: SQLite wants them neither used nor closed here.
_OF_PARENTS: list[sqlite3.Connection] = []


class Writer:
    """A connection that appends to one ledger, and what it knows of it from the last time."""

    def __init__(self, place: Place, blobs: Blobs) -> None:
        self._place = place
        self._blobs = blobs
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[object, int] | None = None  # the file's identity, and the process
        self._head: Head | None = None
        self._tree = Growing()
        self._seen: dict[str, Checkpoint] = {}

    @property
    def connection(self) -> sqlite3.Connection | None:
        """The connection, if it is open and still to the file that is in the ledger's place."""
        if self._connection is not None and self._opened != (self._place.identity(), os.getpid()):
            self.close()
        return self._connection

    def append(self, new: Sequence[Prepared], signer: Signer | None) -> list[Receipt | None]:
        """Append entries in one transaction, and return their receipts once they are on the disk."""
        connection = self.connection or self._open()
        for sha256, content in _unique(new, lambda size: size > INLINE_BYTES):
            self._blobs.keep(sha256.hex(), content)
        leave_transaction(connection)
        try:
            # Inside, for an interrupt that came while this waited for others is raised as soon as the lock is there.
            connection.execute("BEGIN IMMEDIATE")
            before = self._current(connection)
            self._tree.begin()
            leaves = [(self._tree.size, self._tree.append(one.leaf, keeps=signer is not None)) for one in new]
            now = self._checkpoint(before, signer)
            _insert(connection, new, leaves, now, signer)
            connection.execute("COMMIT")
        except BaseException:
            self._head = None  # and with it the tree, which may have grown
            with suppress(sqlite3.Error):
                leave_transaction(connection)
            raise
        self._head = now
        self._seen[now.ledger_id] = now.checkpoint
        if signer is None:
            return [None] * len(new)
        remembered.keep(now.ledger_id, now.note, now.checkpoint)
        return [self._receipt(one, number, signer, now) for one, (number, _) in zip(new, leaves, strict=True)]

    def close(self) -> None:
        """Let go of the file. A connection of the process that this one was forked from is left alone."""
        if self._connection is not None and self._opened is not None:
            if self._opened[1] == os.getpid():
                self._connection.close()
            else:
                _OF_PARENTS.append(self._connection)
        self._connection = self._opened = self._head = None

    def _open(self) -> sqlite3.Connection:
        self._connection = open_to_write(self._place)
        self._opened = (self._place.identity(), os.getpid())
        return self._connection

    def _current(self, connection: sqlite3.Connection) -> str:
        """Know the ledger as it is, now that nobody else can write; return its id."""
        row = (
            connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1") if self._head else None
        )
        if self._head and row and row.fetchone() == (self._head.checkpoint.size, self._head.note):
            return self._head.ledger_id
        now = head(connection)
        if now is None:
            ledger_id = secrets.token_hex(16)
            schema.create(connection, ledger_id)
            self._tree = Growing()
            return ledger_id
        self._tree = Growing.of(now.checkpoint.size, stored_nodes(connection))
        _check_state(connection, now, self._tree)
        for before in filter(None, (self._seen.get(now.ledger_id), remembered.highest(now.ledger_id))):
            check_not_rolled_back(connection, now, before)
        return now.ledger_id

    def _checkpoint(self, ledger_id: str, signer: Signer | None) -> Head:
        checkpoint = Checkpoint(ORIGIN_PREFIX + ledger_id, self._tree.size, self._tree.root())
        return Head(ledger_id, checkpoint, signed(checkpoint, signer))

    def _receipt(self, one: Prepared, index: int, signer: Signer, now: Head) -> Receipt:
        size = now.checkpoint.size
        proof = [value.hex() for value in inclusion_proof(index, size, self._tree.node)]
        log: LogProof = {"index": index, "size": size, "proof": proof, "checkpoint": now.note}
        return receipt(envelope_of(one.sealed), signer.public_key, log)


def leave_transaction(connection: sqlite3.Connection) -> None:
    """End the transaction that an interrupt may have left open: it would keep all others from the ledger."""
    if connection.in_transaction:  # a failed write may have ended it by itself
        connection.execute("ROLLBACK")


def check_not_rolled_back(connection: sqlite3.Connection, now: Head, before: Checkpoint) -> None:
    """Refuse a ledger that is not the continuation of what was seen of it before.

    Raises
    ------
    LedgerError [ledger_unavailable]
        Reason `rolled_back`: it is shorter, or what it begins with is another.
    """
    size = now.checkpoint.size
    if before.size > size:
        refuse("rolled_back", f"The ledger has {size} entries, and {before.size} were seen here.", met=size)
    if root(before.size, stored_nodes(connection)) != before.root:
        refuse("rolled_back", f"The first {before.size} entries of the ledger are not those that were seen here.")


def _check_state(connection: sqlite3.Connection, now: Head, tree: Growing) -> None:
    (last_entry,) = connection.execute("SELECT max(number) FROM entries").fetchone()
    (last_leaf,) = connection.execute("SELECT max(number) FROM tree").fetchone()
    if not last_entry == last_leaf == now.checkpoint.size - 1 or tree.root() != now.checkpoint.root:
        refuse("damaged", "The newest checkpoint of the ledger does not fit its entries.")


def _insert(
    connection: sqlite3.Connection,
    new: Sequence[Prepared],
    leaves: Sequence[tuple[int, bytes]],
    now: Head,
    signer: Signer | None,
) -> None:
    for sha256, content in _unique(new, lambda _: True):
        _keep_text(connection, sha256, content)
    try:
        connection.executemany(_ENTRY, (_row(one, number) for one, (number, _) in zip(new, leaves, strict=True)))
    except sqlite3.IntegrityError as error:
        refuse("duplicate_id", "The ledger already holds an entry of that id.", error)
    connection.executemany("INSERT INTO tree VALUES (?, ?)", leaves)
    if signer is not None:
        public_key = decoded(signer.public_key)
        connection.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (signer.id, public_key))
    key = None if signer is None else signer.id
    connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?)", (now.checkpoint.size, key, now.note))


def _row(one: Prepared, number: int) -> tuple[object, ...]:
    entry, sealed = one.entry, one.sealed
    about = (number, entry.id, entry.kind, entry.time, one.tenant)
    return (*about, sealed.keyid, sealed.signature, one.kept, entry.payload, one.card_sha256, entry.card)


def _unique(new: Sequence[Prepared], wanted: Callable[[int], bool]) -> Iterator[tuple[bytes, bytes]]:
    given = set()
    for one in new:
        for sha256, content in one.texts:
            if sha256 not in given and wanted(len(content)):
                given.add(sha256)
                yield sha256, content


def _keep_text(connection: sqlite3.Connection, sha256: bytes, content: bytes) -> None:
    """Have a text in its table; one that is there and damaged is put right, since this is what it was."""
    row = (len(content), content if len(content) <= INLINE_BYTES else None)
    if connection.execute(_TEXT, (sha256, *row)).rowcount:
        return
    if connection.execute("SELECT bytes, content FROM texts WHERE sha256 = ?", (sha256,)).fetchone() != row:
        connection.execute("UPDATE texts SET bytes = ?, content = ? WHERE sha256 = ?", (*row, sha256))
