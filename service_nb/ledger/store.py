"""The ledger: every outcome of a project, appended, never changed, each one provably there.

An append is one transaction: texts, entries, the tree's new hashes, and the checkpoint that states size and root. What
it returns is on the disk. Several kernels write to one ledger in turns. Everything read is checked against its hashes,
because the file may have come from anywhere; reading creates and changes nothing.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn, Self, TypeVar

from service_nb.core.digest import compute_sha256, compute_sha256_hex, hash_leaf, prove_consistency, prove_inclusion
from service_nb.errors import EvidenceError, LedgerError
from service_nb.evidence.documents import (
    SigningKey,
    assemble_receipt,
    is_card_of,
    open_outcome,
    seal,
    sign_checkpoint,
)
from service_nb.evidence.standalone import ORIGIN_PREFIX, Checkpoint, Sealed, Verdict, decode_base64
from service_nb.ledger.attachments import Blobs
from service_nb.ledger.database import (
    GrowingTree,
    LedgerHead,
    LedgerPlace,
    check_not_rolled_back,
    create_tables,
    open_to_read,
    open_to_write,
    read_head,
    read_nodes,
    refuse,
    translate_errors,
)
from service_nb.ledger.entries import (
    INLINE_BYTES,
    KEPT_BYTES,
    RESULT_ID,
    StoredEntry,
    build_receipt,
    find_entry,
    raise_not_found,
    read_page,
)
from service_nb.ledger.remembered import is_written_here, keep_highest, read_highest, remember_unsigned
from service_nb.ledger.verify import verify_ledger
from service_nb.schema.card import CARD_FILE_BYTES
from service_nb.schema.entry import STATEMENT_BYTES, LogProof, Receipt

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)  # of a text
_ENTRY = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TEXT = "INSERT OR IGNORE INTO texts (sha256, bytes, content) VALUES (?, ?, ?)"
# Connections of processes that this one was forked from: SQLite wants them neither used nor closed here.
_OF_PARENTS: list[sqlite3.Connection] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """An outcome to be recorded.

    Parameters
    ----------
    payload : bytes
        The statement.
    texts : Mapping
        The hashed texts by name, each one a subject of the statement; subjects without a text are recorded by digest.
    card : str, optional
        The card as JSON, without a receipt.
    """

    payload: bytes
    texts: Mapping[str, str] = field(default_factory=dict)
    card: str | None = None


class PreparedEntry(NamedTuple):
    """A new entry, checked and signed, before its place in the ledger is known."""

    about: tuple[str, str, str, str | None]  # id, kind, time and tenant, as the statement says them
    sealed: Sealed
    kept: str
    texts: tuple[tuple[bytes, bytes], ...]  # (sha256, content) of what is kept
    card_sha256: bytes | None
    card: str | None


def prepare_entry(entry: NewEntry, signer: SigningKey | None) -> PreparedEntry:
    """Check that texts and card of an entry are those of its statement, hash them, and sign it if there is a key.

    Raises `evidence_invalid`.
    """
    if len(entry.payload) > STATEMENT_BYTES:  # it could never be read again, nor any page of entries that it is on
        raise EvidenceError(
            f"The statement has {len(entry.payload):,} bytes; at most {STATEMENT_BYTES:,} are recorded.",
            reason="statement_malformed",
        )
    statement = open_outcome(entry.payload)
    predicate, subjects = statement["predicate"], statement["subject"]
    if not RESULT_ID.fullmatch(predicate["id"]):
        raise _contradiction_error("the form of an id")
    texts, kept = [], []
    for name, text in sorted(entry.texts.items()):
        content = text.encode()
        if subjects.get(name) != compute_sha256_hex(content) or not _NAME.fullmatch(name):
            raise _contradiction_error("the text of a subject")
        if len(content) <= KEPT_BYTES:
            kept.append(name)
            texts.append((bytes.fromhex(subjects[name]), content))
    card = None if entry.card is None else entry.card.encode()
    if card is not None and (len(card) > CARD_FILE_BYTES or not is_card_of(card, predicate, subjects)):
        raise _contradiction_error("the card")
    about = (predicate["id"], predicate["kind"], predicate["time"], predicate["tenant"])
    card_sha256 = None if card is None else compute_sha256(card)
    return PreparedEntry(about, seal(entry.payload, signer), " ".join(kept), tuple(texts), card_sha256, entry.card)


def _contradiction_error(what: str) -> EvidenceError:
    return EvidenceError(f"The statement differs from the row that records it in {what}.", reason="statement_malformed")


class Writer:
    """A connection that appends to one ledger, and what it knows of it from the last time."""

    def __init__(self, place: LedgerPlace, blobs: Blobs, *, continues_any: bool = True) -> None:
        self._place = place
        self._blobs = blobs
        self._continues_any = continues_any
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[object, int] | None = None  # the file's identity, and the process
        self._head: LedgerHead | None = None
        self._tree = GrowingTree()
        self._seen: dict[str, Checkpoint] = {}

    @property
    def connection(self) -> sqlite3.Connection | None:
        """The connection, if it is open and still to the file that is in the ledger's place."""
        if self._connection is not None and self._opened != (self._place.read_identity(), os.getpid()):
            self.close()
        return self._connection

    def append(self, new: Sequence[PreparedEntry], signer: SigningKey | None) -> list[Receipt | None]:
        """Append entries in one transaction, and return their receipts once they are on the disk."""
        connection = self.connection or self._open(signer)
        for sha256, content in _iter_unique_texts(new, lambda size: size > INLINE_BYTES):
            self._blobs.keep(sha256.hex(), content)
        leave_transaction(connection)
        try:
            # Inside, for an interrupt that came while this waited for others is raised as soon as the lock is there.
            connection.execute("BEGIN IMMEDIATE")
            before = self._load_current(connection, signer)
            replaced = None if self._head is None else self._head.note
            self._tree.begin()
            leaves = [
                (self._tree.size, self._tree.append(hash_leaf(one.sealed.payload), keeps=signer is not None))
                for one in new
            ]
            now = self._sign_head(before, signer)
            if signer is None:
                remember_unsigned(now.ledger_id, replaced, now.note)
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
        keep_highest(now.ledger_id, now.note, now.checkpoint)
        return [self._build_receipt(one, number, signer, now) for one, (number, _) in zip(new, leaves, strict=True)]

    def close(self) -> None:
        """Let go of the file. A connection of the process that this one was forked from is left alone."""
        if self._connection is not None and self._opened is not None:
            if self._opened[1] == os.getpid():
                self._connection.close()
            else:
                _OF_PARENTS.append(self._connection)
        self._connection = self._opened = self._head = None

    def _open(self, signer: SigningKey | None) -> sqlite3.Connection:
        if not self._continues_any and not is_continued_here(self._place, signer):
            raise_foreign()  # before SQLite has made a file beside it
        self._connection = open_to_write(self._place)
        self._opened = (self._place.read_identity(), os.getpid())
        return self._connection

    def _load_current(self, connection: sqlite3.Connection, signer: SigningKey | None) -> str:
        """Know the ledger as it is, now that nobody else can write; return its id."""
        row = (
            connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1") if self._head else None
        )
        if self._head and row and row.fetchone() == (self._head.checkpoint.size, self._head.note):
            return self._head.ledger_id
        self._head = now = read_head(connection)
        if now is None:
            ledger_id = secrets.token_hex(16)
            create_tables(connection, ledger_id)
            self._tree = GrowingTree()
            return ledger_id
        if not self._continues_any and not is_written_here(now.ledger_id, now.note, signer):
            raise_foreign()
        self._tree = GrowingTree.load(now.checkpoint.size, read_nodes(connection))
        _check_state(connection, now, self._tree)
        for before in filter(None, (self._seen.get(now.ledger_id), read_highest(now.ledger_id))):
            check_not_rolled_back(connection, now.checkpoint.size, before)
        return now.ledger_id

    def _sign_head(self, ledger_id: str, signer: SigningKey | None) -> LedgerHead:
        checkpoint = Checkpoint(ORIGIN_PREFIX + ledger_id, self._tree.size, self._tree.compute_root())
        return LedgerHead(ledger_id, checkpoint, sign_checkpoint(checkpoint, signer))

    def _build_receipt(self, one: PreparedEntry, index: int, signer: SigningKey, now: LedgerHead) -> Receipt:
        size = now.checkpoint.size
        proof = [value.hex() for value in prove_inclusion(index, size, self._tree.get_node)]
        log: LogProof = {"index": index, "size": size, "proof": proof, "checkpoint": now.note}
        return assemble_receipt(one.sealed, signer.public_key, log)


def is_continued_here(place: LedgerPlace, signer: SigningKey | None) -> bool:
    """Tell whether this machine may go on with a ledger: it wrote the newest checkpoint, or there is none yet."""
    seen: LedgerHead | None = None
    while place.exists():
        with open_to_read(place) as connection:
            head = read_head(connection)
        if head is None or is_written_here(head.ledger_id, head.note, signer):
            return True
        if head == seen:
            return False
        seen = head  # another process may have gone on with it between the two looks
    return True


def raise_foreign() -> NoReturn:
    """Say that a ledger is not written to because it is somebody else's."""
    refuse("foreign", "The newest checkpoint of the ledger is not this machine's, so nothing is written to it.")


def leave_transaction(connection: sqlite3.Connection) -> None:
    """End the transaction that an interrupt may have left open: it would keep all others from the ledger."""
    if connection.in_transaction:  # a failed write may have ended it by itself
        connection.execute("ROLLBACK")


def _check_state(connection: sqlite3.Connection, now: LedgerHead, tree: GrowingTree) -> None:
    (last_entry,) = connection.execute("SELECT max(number) FROM entries").fetchone()
    (last_leaf,) = connection.execute("SELECT max(number) FROM tree").fetchone()
    if not last_entry == last_leaf == now.checkpoint.size - 1 or tree.compute_root() != now.checkpoint.root:
        refuse("damaged", "The newest checkpoint of the ledger does not fit its entries.")


def _insert(
    connection: sqlite3.Connection,
    new: Sequence[PreparedEntry],
    leaves: Sequence[tuple[int, bytes]],
    now: LedgerHead,
    signer: SigningKey | None,
) -> None:
    for sha256, content in _iter_unique_texts(new, lambda _: True):
        _keep_text(connection, sha256, content)
    try:
        connection.executemany(_ENTRY, (_make_row(one, number) for one, (number, _) in zip(new, leaves, strict=True)))
    except sqlite3.IntegrityError as error:
        refuse("duplicate_id", "The ledger already holds an entry of that id.", error)
    connection.executemany("INSERT INTO tree VALUES (?, ?)", leaves)
    if signer is not None:
        public_key = decode_base64(signer.public_key)
        connection.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (signer.id, public_key))
    key = None if signer is None else signer.id
    connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?)", (now.checkpoint.size, key, now.note))


def _make_row(one: PreparedEntry, number: int) -> tuple[object, ...]:
    signed = (one.sealed.keyid, one.sealed.signature, one.kept, one.sealed.payload)
    return (number, *one.about, *signed, one.card_sha256, one.card)


def _iter_unique_texts(new: Sequence[PreparedEntry], wanted: Callable[[int], bool]) -> Iterator[tuple[bytes, bytes]]:
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


_T = TypeVar("_T")


@dataclass(slots=True, eq=False)
class _AppendBatch:
    """Entries of one call, which wait to be appended, and their receipts once they are."""

    new: Sequence[PreparedEntry]
    signer: SigningKey | None
    receipts: list[Receipt | None] | None = None

    @property
    def key(self) -> str | None:
        """Of the key that they are signed with: a transaction has one."""
        return None if self.signer is None else self.signer.id


class Ledger:
    """The ledger in a folder. Nothing is made there before the first append; threads and processes may share it.

    Parameters
    ----------
    folder : Path
        The ledger's own folder, such as ``<project>/.service``; the folder that it lies in has to exist.
    signer : Callable
        Gives the device key, or None before the login; asked at each append.
    tenant : str, optional
        List and append entries of this tenant alone.
    continues_any : bool
        Whether to append to a ledger that this machine did not write last. Else that raises, reason `foreign`, and
        leaves every byte as it is.
    """

    def __init__(
        self,
        folder: Path,
        signer: Callable[[], SigningKey | None],
        *,
        tenant: str | None = None,
        continues_any: bool = True,
    ) -> None:
        self._place = LedgerPlace(Path(folder))
        self._blobs = Blobs(self._place.folder)
        self._signer = signer
        self._tenant = tenant
        self._lock = threading.RLock()
        self._waiting: list[_AppendBatch] = []
        self._writer = Writer(self._place, self._blobs, continues_any=continues_any)
        weakref.finalize(self, self._writer.close)  # at the latest when the interpreter ends: it merges the log

    @property
    def folder(self) -> Path:
        """The ledger's folder, whether or not it exists."""
        return self._place.folder

    def append(self, entries: Sequence[NewEntry]) -> list[Receipt | None]:
        """Append entries in one transaction; return their receipts, None for each where there is no device key.

        When it returns, they are on the disk. When it raises, none of them is recorded.

        Raises `ledger_unavailable`, `evidence_invalid`, `login_required`.
        """
        if not entries:
            return []
        signer = self._signer()
        new = [prepare_entry(entry, signer) for entry in entries]
        if self._tenant is not None and any(one.about[-1] != self._tenant for one in new):
            raise ValueError("an entry of another tenant than the ledger's")
        return self._append_together(_AppendBatch(new, signer))

    def _append_together(self, mine: _AppendBatch) -> list[Receipt | None]:
        """Append what waits in one transaction: threads that append at once wait for the disk once.

        Whoever gets the lock first appends for all that wait by then. What cannot be appended together is appended by
        each for itself, so that nobody meets another's error.
        """
        self._waiting.append(mine)
        try:
            with self._lock, translate_errors():
                if mine.receipts is None:
                    same = [each for each in list(self._waiting) if each.key == mine.key]
                    if len(same) == 1 or not self._try_append_all(same):
                        mine.receipts = self._writer.append(mine.new, mine.signer)
                return mine.receipts or []
        finally:
            with suppress(ValueError):  # another thread has taken it out, once it was on the disk
                self._waiting.remove(mine)

    def _try_append_all(self, batches: Sequence[_AppendBatch]) -> bool:
        try:
            receipts = iter(self._writer.append([one for each in batches for one in each.new], batches[0].signer))
        except (sqlite3.Error, LedgerError):
            return False
        for each in batches:
            each.receipts = list(islice(receipts, len(each.new)))
            self._waiting.remove(each)
        return True

    def is_continued_here(self) -> bool:
        """Tell whether this machine wrote the newest entry, or the first is still to come."""
        with self._lock, translate_errors(reads=True):
            return is_continued_here(self._place, self._signer())

    def get(self, result_id: str, tenant: str | None = None) -> StoredEntry:
        """Return an entry with its texts and its card, all checked.

        Raises `result_not_found`, `ledger_unavailable`.
        """
        found = self._read(lambda connection, _: find_entry(connection, self._blobs, result_id, tenant))
        return found or raise_not_found()

    def iter_entries(
        self, start: int = 0, stop: int | None = None, *, newest_first: bool = False
    ) -> Iterator[StoredEntry]:
        """Yield entries by their index from `start` up to before `stop`, without texts and card."""
        low, high = max(start, 0), self.count_entries() if stop is None else min(stop, self.count_entries())
        while low < high:
            page = self._read_page(low, high, newest_first=newest_first)
            if not page:
                refuse("damaged", f"Entries from {low} up to {high} are missing from the ledger.")
            yield from (one for one in page if self._tenant in (None, one.tenant))
            if newest_first:
                high = page[-1].index
            else:
                low = page[-1].index + 1

    def read_id(self) -> str | None:
        """Return the 32 hex digits that name the ledger; None before the first append."""
        head = self._read_head()
        return None if head is None else head.ledger_id

    def count_entries(self) -> int:
        """Return the number of entries."""
        head = self._read_head()
        return 0 if head is None else head.checkpoint.size

    def read_checkpoint(self) -> str:
        """Return the newest checkpoint, a signed note. Raises `ledger_unavailable`."""
        head = self._read_head()
        if head is None:
            refuse("not_a_ledger", "There is no ledger here yet.")
        return head.note

    def read_receipt(self, index: int) -> Receipt | None:
        """Return the receipt of an entry, as it was given when it was appended; None if it was not signed."""
        found = self._read(lambda connection, head: (build_receipt(connection, head.ledger_id, index),))
        return raise_not_found() if found is None else found[0]

    def prove_consistency(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the ledger at size `old` is the beginning of the ledger at size `new`."""

        def prove(connection: sqlite3.Connection, head: LedgerHead) -> list[bytes] | None:
            if not 0 <= old <= new <= head.checkpoint.size:
                return None
            return prove_consistency(old, new, read_nodes(connection))

        proof = self._read(prove)
        if proof is None:
            raise ValueError(f"the ledger never had {old} and then {new} entries")
        return proof

    def verify(self, *, keys: Collection[str] = (), progress: Callable[[int, int], object] | None = None) -> Verdict:
        """Check every entry, hash, signature, checkpoint and text; see `verify.py` for what is checked how.

        Parameters
        ----------
        keys : Collection of str
            Public keys, base64, one of which has to have signed each entry.
        progress : Callable, optional
            Called now and then with the number of entries checked so far, and of all.

        Raises
        ------
        LedgerError [ledger_unavailable]
            Reasons `busy`, `not_readable`; whatever is wrong with the content is in the verdict.
        """
        return verify_ledger(self._place, self._blobs, keys, progress)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock, translate_errors():
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_head(self) -> LedgerHead | None:
        return self._read(lambda _, head: head)

    def _read_page(self, low: int, high: int, *, newest_first: bool) -> list[StoredEntry] | None:
        return self._read(lambda connection, _: read_page(connection, low, high, newest_first=newest_first))

    def _read(self, work: Callable[[sqlite3.Connection, LedgerHead], _T]) -> _T | None:
        """Run `work` on one state of the ledger and return its result; None where there is no ledger."""
        while True:
            stamp = self._place.read_stamp()
            try:
                with self._lock, translate_errors(reads=True):
                    return self._read_once(work)
            except LedgerError as error:
                # Somebody began to write while it was read as a file that nobody changes.
                if error.reason != "damaged" or stamp == self._place.read_stamp():
                    raise

    def _read_once(self, work: Callable[[sqlite3.Connection, LedgerHead], _T]) -> _T | None:
        if not self._place.exists():
            return None
        connection = self._writer.connection
        opened = open_to_read(self._place) if connection is None else nullcontext(connection)
        with opened as connection, _one_state(connection):
            head = read_head(connection)
            return None if head is None else work(connection, head)


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    leave_transaction(connection)
    try:
        connection.execute("BEGIN")
        yield
    finally:
        with suppress(sqlite3.Error):
            leave_transaction(connection)
