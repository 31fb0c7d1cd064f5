"""The ledger: every outcome of a project, appended, never changed, each one provably there.

An append is one transaction: texts, entries, the tree's new hashes, and the checkpoint that states size and root. What
is returned from it is on the disk. Several kernels write to one ledger in turns. Whatever is read is checked against
its hashes first, because the file may have come from anywhere; and reading makes and changes nothing.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from service_nb.core.merkle import consistency_proof
from service_nb.errors import LedgerError
from service_nb.evidence.receipt import Signer
from service_nb.ledger import reading
from service_nb.ledger.blobs import Blobs
from service_nb.ledger.entries import NewEntry, Prepared, Stored, prepared
from service_nb.ledger.faults import refuse, told
from service_nb.ledger.opening import Place, opened_to_read
from service_nb.ledger.reading import Head
from service_nb.ledger.tree import stored_nodes
from service_nb.ledger.verify import verified
from service_nb.ledger.writing import Writer, leave_transaction
from service_nb.schema.entry import Receipt
from service_nb.schema.verdict import Verdict

_T = TypeVar("_T")


@dataclass(slots=True, eq=False)
class _Batch:
    """Entries of one call, which wait to be appended, and their receipts once they are."""

    new: Sequence[Prepared]
    signer: Signer | None
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
    """

    def __init__(self, folder: Path, signer: Callable[[], Signer | None], *, tenant: str | None = None) -> None:
        self._place = Place(Path(folder))
        self._blobs = Blobs(self._place.folder)
        self._signer = signer
        self._tenant = tenant
        self._lock = threading.RLock()
        self._waiting: list[_Batch] = []
        self._writer = Writer(self._place, self._blobs)
        weakref.finalize(self, self._writer.close)  # at the latest when the interpreter ends: it merges the log

    @property
    def folder(self) -> Path:
        """The ledger's folder, whether or not it exists."""
        return self._place.folder

    def append(self, entries: Sequence[NewEntry]) -> list[Receipt | None]:
        """Append entries in one transaction; return their receipts, None for each where there is no device key.

        When it returns, they are on the disk. When it raises, none of them is recorded.

        Raises
        ------
        LedgerError [ledger_unavailable]
            The reason says why: `disk_full`, `busy`, `not_writable`, `damaged`, `rolled_back`, `too_new`,
            `not_a_ledger`, `duplicate_id`.
        EvidenceError [evidence_invalid]
            Reason `statement_malformed`: an entry contradicts its statement.
        LoginRequiredError [login_required]
            There is a device key, and it cannot be used.
        """
        if not entries:
            return []
        signer = self._signer()
        new = [prepared(entry, signer) for entry in entries]
        if self._tenant is not None and any(one.tenant != self._tenant for one in new):
            raise ValueError("an entry of another tenant than the ledger's")
        return self._together(_Batch(new, signer))

    def _together(self, mine: _Batch) -> list[Receipt | None]:
        """Append what waits in one transaction: threads that append at once wait for the disk once.

        Whoever gets the lock first appends for all that wait by then. What cannot be appended together is appended by
        each for itself, so that nobody meets another's error.
        """
        self._waiting.append(mine)
        try:
            with self._lock, told():
                if mine.receipts is None:
                    same = [each for each in list(self._waiting) if each.key == mine.key]
                    if len(same) == 1 or not self._appended(same):
                        mine.receipts = self._writer.append(mine.new, mine.signer)
                return mine.receipts or []
        finally:
            with suppress(ValueError):  # another thread has taken it out, once it was on the disk
                self._waiting.remove(mine)

    def _appended(self, batches: Sequence[_Batch]) -> bool:
        try:
            receipts = iter(self._writer.append([one for each in batches for one in each.new], batches[0].signer))
        except (sqlite3.Error, LedgerError):
            return False
        for each in batches:
            each.receipts = list(islice(receipts, len(each.new)))
            self._waiting.remove(each)
        return True

    def get(self, result_id: str, tenant: str | None = None) -> Stored:
        """Return an entry with its texts and its card, all checked.

        Raises
        ------
        ResultNotFoundError [result_not_found]
            There is none, or it is another tenant's.
        LedgerError [ledger_unavailable]
            Reasons `damaged`, `busy`, `not_readable`, `too_new`, `not_a_ledger`.
        """
        found = self._read(lambda connection, _: reading.entry_by_id(connection, self._blobs, result_id, tenant))
        return found or reading.not_found()

    def entries(self, start: int = 0, stop: int | None = None, *, newest_first: bool = False) -> Iterator[Stored]:
        """Yield entries by their index from `start` up to before `stop`, without texts and card."""
        low, high = max(start, 0), self.size() if stop is None else min(stop, self.size())
        while low < high:
            page = self._page(low, high, newest_first=newest_first)
            if not page:
                refuse("damaged", f"Entries from {low} up to {high} are missing from the ledger.")
            yield from (one for one in page if self._tenant in (None, one.tenant))
            if newest_first:
                high = page[-1].index
            else:
                low = page[-1].index + 1

    def id(self) -> str | None:
        """Return the 32 hex digits that name the ledger; None before the first append."""
        head = self._head()
        return None if head is None else head.ledger_id

    def size(self) -> int:
        """Return the number of entries."""
        head = self._head()
        return 0 if head is None else head.checkpoint.size

    def checkpoint(self) -> str:
        """Return the newest checkpoint, a signed note.

        Raises
        ------
        LedgerError [ledger_unavailable]
            Reason `not_a_ledger`: there is none yet.
        """
        head = self._head()
        if head is None:
            refuse("not_a_ledger", "There is no ledger here yet.")
        return head.note

    def receipt(self, index: int) -> Receipt | None:
        """Return the receipt of an entry, as it was given when it was appended; None if it was not signed."""
        found = self._read(lambda connection, head: (reading.receipt_of(connection, head.ledger_id, index),))
        return reading.not_found() if found is None else found[0]

    def consistency(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the ledger at size `old` is the beginning of the ledger at size `new`."""

        def prove(connection: sqlite3.Connection, head: Head) -> list[bytes] | None:
            if not 0 <= old <= new <= head.checkpoint.size:
                return None
            return consistency_proof(old, new, stored_nodes(connection))

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
        return verified(self._place, self._blobs, keys, progress)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock, told():
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _head(self) -> Head | None:
        return self._read(lambda _, head: head)

    def _page(self, low: int, high: int, *, newest_first: bool) -> list[Stored] | None:
        return self._read(lambda connection, _: reading.entries_from(connection, low, high, newest_first=newest_first))

    def _read(self, work: Callable[[sqlite3.Connection, Head], _T]) -> _T | None:
        """Return what `work` reads from one state of the ledger; None where there is no ledger."""
        while True:
            stamp = self._place.stamp()
            try:
                with self._lock, told(reads=True):
                    return self._read_once(work)
            except LedgerError as error:
                # Somebody began to write while it was read as a file that nobody changes.
                if error.reason != "damaged" or stamp == self._place.stamp():
                    raise

    def _read_once(self, work: Callable[[sqlite3.Connection, Head], _T]) -> _T | None:
        if not self._place.exists():
            return None
        connection = self._writer.connection
        opened = opened_to_read(self._place) if connection is None else nullcontext(connection)
        with opened as connection, _one_state(connection):
            head = reading.head(connection)
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
