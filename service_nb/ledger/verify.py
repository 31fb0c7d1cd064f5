"""Verification of a whole ledger: everything in it, against its hashes, its signatures and its checkpoints.

==========  ======================================================================================================
check       what it says; causes of a failure
==========  ======================================================================================================
form        a sound database with exactly the tables of a ledger: `damaged`, `not_a_ledger`, `too_new`
entry       each entry is a statement, the one that was appended at its place, and says what its row says:
            `entry_malformed`, `entry_missing`, `entry_replaced`, `entry_added`
signature   each entry is signed by the key it names: `signature_invalid`; `unsigned` where there was no key
order       no two entries have one id: `duplicate_id`. Entries of an earlier time than one before them are told there,
            as time_backwards, and are no fault: clocks are set back now and then
texts       each text and card that is kept is the one that was recorded: `text_mismatch`, `text_missing`,
            `text_unknown`, `card_replaced`
root        the entries give every hash of the tree, and the root of every checkpoint: `node_mismatch`,
            `root_mismatch`, `checkpoint_malformed`
signer      with trusted keys: each entry and checkpoint is by one of them: `unknown_signer`
checkpoint  for each key, its newest checkpoint is signed by it: `checkpoint_invalid`
remembered  it continues what was seen of it on this machine, if that was kept: `rolled_back`
==========  ======================================================================================================

Signatures are what takes time. Every entry's is checked, since each receipt stands for itself. Of the checkpoints, each
one's root is computed anew, but only the newest signature of each key is checked: it covers all entries before it, so
an older one adds nothing to what is known of the ledger. `receipt` checks the one that it hands out.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from service_nb.core.digest import HASH_BYTES, compute_sha256, hash_leaf
from service_nb.errors import EvidenceError, LedgerError
from service_nb.evidence.documents import is_card_of, open_checkpoint, verify_checkpoint
from service_nb.evidence.standalone import ORIGIN_PREFIX, Check, Checkpoint, Verdict, encode_base64
from service_nb.ledger.attachments import Blobs
from service_nb.ledger.database import (
    GrowingTree,
    LedgerHead,
    LedgerPlace,
    check_not_rolled_back,
    open_to_read,
    read_head,
    refuse,
    translate_errors,
)
from service_nb.ledger.entries import SELECT, EntryFaultError, EntryRow, check_text, read_entry, read_keys
from service_nb.ledger.remembered import read_highest
from service_nb.ledger.signatures import LostError, SignatureCheck

_NAMED = 5  # places that a message names


@dataclass(slots=True)
class _Fault:
    status: Literal["failed", "not_checkable"]
    text: str
    places: list[str] = field(default_factory=list)  # the first
    count: int = 0  # of all

    def describe(self) -> str:
        more = self.count - len(self.places)
        where = f"{', '.join(self.places)}{f' and {more} more' if more else ''}: " if self.places else ""
        return where + self.text


class Findings:
    """Faults, in the order in which they were met first."""

    def __init__(self) -> None:
        self._faults: dict[tuple[str, str], _Fault] = {}
        self._said: dict[str, str] = {}

    def fail(self, check: str, cause: str, text: str, place: str = "") -> None:
        """Note that a check failed, and where; `text` is said once a cause."""
        self._note((check, cause), _Fault("failed", text), place)

    def note_uncheckable(self, check: str, cause: str, text: str) -> None:
        """Note that a check, or a part of it, could not be made here."""
        self._note((check, cause), _Fault("not_checkable", text), "")

    def say(self, check: str, text: str) -> None:
        """Have a check say more when it passed."""
        self._said[check] = text

    def has(self, check: str) -> bool:
        """Tell whether any part of a check failed."""
        return any(name == check and fault.status == "failed" for (name, _), fault in self._faults.items())

    def list_checks(self, order: Sequence[str]) -> tuple[Check, ...]:
        """List the checks: one for each cause, or one that passed."""
        checks = []
        for name in order:
            found = [(cause, fault) for (check, cause), fault in self._faults.items() if check == name]
            checks += [Check(name, fault.status, cause, fault.describe()) for cause, fault in found]
            if not found:
                checks.append(Check(name, message=self._said.get(name, "")))
        return tuple(checks)

    def _note(self, key: tuple[str, str], fault: _Fault, place: str) -> None:
        known = self._faults.setdefault(key, fault)
        known.count += 1
        if place and len(known.places) < _NAMED:
            known.places.append(place)


Progress = Callable[[int, int], object]
_KEY_NAME = "service-nb/device/"
_LEAP_SECOND = re.compile(r":60(?=[.Z+-])")
_UNORDERED = timedelta(minutes=1)  # processes that write at once take turns after each has looked at the clock
_EVERY = 1_000  # entries between two reports of progress
_PASSING = ("busy", "not_readable", "disk_full")  # not of the content


def verify_ledger(place: LedgerPlace, blobs: Blobs, keys: Collection[str], progress: Progress | None) -> Verdict:
    """Return the verdict on the ledger in a place."""
    while True:
        stamp = place.read_stamp()
        try:
            verdict = _build_verdict(place, blobs, keys, progress)
        except LostError:  # another process for the signatures is a gain of time, and no more
            verdict = _build_verdict(place, blobs, keys, progress, alone=True)
        if verdict.status != "altered" or stamp == place.read_stamp():
            return verdict  # else somebody began to write while it was read as a file that nobody changes


def _build_verdict(
    place: LedgerPlace, blobs: Blobs, keys: Collection[str], progress: Progress | None, *, alone: bool = False
) -> Verdict:
    findings = Findings()
    is_read = False
    try:
        # Before the state that is verified, which others may have taken further by the time that it is.
        with _snapshot(place) as (_, now):
            before = read_highest(now.ledger_id)
        with _snapshot(place) as (connection, now):
            _require_sound(connection)
            is_read = True
            with closing(SignatureCheck(0 if alone else now.checkpoint.size)) as signatures:
                walk = _LedgerWalk(connection, now, findings, signatures)
                walk.check_entries(progress)
                walk.check_texts(blobs)
                walk.check_signatures()
            walk.check_keys(keys)
            walk.check_remembered(before)
    except LedgerError as error:
        if error.reason in _PASSING:
            raise
        findings.fail("form", error.reason, error.message)
    order = ("form", "entry", "order", "texts", "root", "signer", "checkpoint", "remembered")
    checks = findings.list_checks(order if is_read and not findings.has("form") else ("form",))
    return Verdict(subject="ledger", checks=checks)


@contextmanager
def _snapshot(place: LedgerPlace) -> Iterator[tuple[sqlite3.Connection, LedgerHead]]:
    """The ledger as it is at one moment."""
    with translate_errors(reads=True):
        if not place.exists():
            refuse("not_a_ledger", "There is no ledger here.")
        with open_to_read(place) as connection:
            connection.execute("BEGIN")
            now = read_head(connection)
            if now is None:
                refuse("not_a_ledger", "The ledger holds nothing yet.")
            yield connection, now


def _require_sound(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        refuse("damaged", "The database of the ledger is damaged.")


class _LedgerWalk:
    """One pass over a ledger."""

    def __init__(
        self, connection: sqlite3.Connection, now: LedgerHead, findings: Findings, signatures: SignatureCheck
    ) -> None:
        self._connection = connection
        self._now = now
        self._signatures = signatures
        self._findings = findings
        self._keys = read_keys(connection)
        self._tree = GrowingTree()
        self._ids: set[str] = set()
        self._latest: datetime | None = None
        self._backwards: list[int] = []
        self._signers: set[str | None] = set()
        self._needed: dict[str, int] = {}  # texts by hash, with the first entry that keeps each
        self._checkpoints = _Checkpoints(connection, now, findings)

    def check_entries(self, progress: Progress | None) -> None:
        """Check each entry, and with it the tree and the checkpoints."""
        size = self._now.checkpoint.size
        query = f"{SELECT.replace(' FROM entries', ', e.card FROM entries')} ORDER BY e.number"
        for *values, card in self._connection.execute(query):
            row = EntryRow(*values)
            if not 0 <= row.number < size:
                self._fail("entry_added", "beyond what the newest checkpoint covers", _name_place(row.number))
                continue
            self._fill_gap(row.number)
            self._check_entry(row, card)
            if progress is not None and self._tree.size % _EVERY == 0:
                progress(self._tree.size, size)
        self._fill_gap(size)
        self._say_backwards()
        self._checkpoints.finish()
        if progress is not None:
            progress(size, size)

    def _say_backwards(self) -> None:
        found = self._backwards
        if found:
            more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
            self._findings.say(
                "order",
                f"time_backwards: {_name_place(found[0])}{more} has an earlier time than one before it. "
                "Clocks may be set back; the order is that of the ledger.",
            )

    def check_texts(self, blobs: Blobs) -> None:
        """Check each text that is kept, in the database or in a file."""
        fail = self._findings.fail
        met = set()
        for key, size, content in self._connection.execute("SELECT sha256, bytes, content FROM texts"):
            name = key.hex() if type(key) is bytes and len(key) == HASH_BYTES else ""
            place = f"text {name[:12]}…"
            if name not in self._needed:
                if not self._findings.has("entry"):  # else it belongs to an entry that is missing or altered
                    fail("texts", "text_unknown", "belongs to no entry", place)
            elif check_text(blobs, name, size, content) is None:
                fail("texts", "text_mismatch", "is missing, or not what its SHA-256 says", place)
            met.add(name)
        for name, number in self._needed.items():
            if name not in met:
                fail("texts", "text_missing", "a stored text is missing", _name_place(number))
        leftovers = sum(name not in met for name in blobs.list_names())
        if leftovers:
            self._findings.say("texts", f"{leftovers} files of interrupted writers, which nothing refers to.")

    def check_signatures(self) -> None:
        """Name the entries that their key has not signed."""
        for number in self._signatures.list_invalid():
            self._fail("signature_invalid", "its signature is not valid for the key", _name_place(number))

    def check_keys(self, trusted: Collection[str]) -> None:
        """Check who signed the entries, and the newest checkpoint of each key."""
        findings = self._findings
        self._checkpoints.check_signatures(self._keys)
        signers = self._signers | self._checkpoints.list_signers()
        unknown = sorted(
            key for key in signers if key is not None and encode_base64(self._keys.get(key, b"")) not in trusted
        )
        if signers <= {None}:
            findings.note_uncheckable("signer", "unsigned", "Not signed.")
        elif unknown:
            told = f"Signed by {', '.join(f'key {key}' for key in unknown)}, which is not trusted here."
            findings.note_uncheckable("signer", "unknown_signer", told)

    def check_remembered(self, before: Checkpoint | None) -> None:
        """Check that the ledger goes on from what was seen of it here."""
        if before is None:
            self._findings.say("remembered", "This machine has not seen this ledger before.")
            return
        try:
            check_not_rolled_back(self._connection, self._now.checkpoint.size, before)
        except LedgerError as error:
            self._findings.fail("remembered", error.reason, error.message)

    def _check_entry(self, row: EntryRow, card: object) -> None:
        place = _name_place(row.number)
        is_typed = type(row.payload) is bytes
        try:
            stored, predicate = read_entry(row, self._keys)
        except EntryFaultError as fault:
            self._fail(fault.cause, str(fault), place)
            self._append(hash_leaf(row.payload if is_typed else b""), row.hashes)
            return
        self._append(hash_leaf(row.payload), row.hashes)
        self._signers.add(stored.keyid)
        if stored.keyid is None:
            self._findings.note_uncheckable(
                "entry", "unsigned", "Entries from before there was a device key are not signed."
            )
        elif stored.signature is not None:
            self._signatures.add(row.number, self._keys[stored.keyid], stored.signature, stored.payload)
        if stored.id in self._ids:
            self._findings.fail("order", "duplicate_id", "an entry before it has the same id", place)
        self._ids.add(stored.id)
        self._compare_time(row.number, stored.time)
        for name in row.kept.split():
            self._needed.setdefault(stored.subjects[name], row.number)
        self._check_card(row, card, predicate, stored.subjects)

    def _compare_time(self, number: int, written: str) -> None:
        try:
            time = datetime.fromisoformat(_LEAP_SECOND.sub(":59", written))
        except ValueError:  # a day that its month does not have
            return
        if self._latest is not None and time < self._latest - _UNORDERED:
            self._backwards.append(number)
        self._latest = time if self._latest is None else max(time, self._latest)

    def _check_card(self, row: EntryRow, card: Any, predicate: Any, subjects: Any) -> None:
        if card is None and row.card_sha256 is None:
            return
        content = card.encode() if isinstance(card, str) else b""
        if compute_sha256(content) != row.card_sha256 or not is_card_of(content, predicate, subjects):
            place = _name_place(row.number)
            self._findings.fail("texts", "card_replaced", "its card is not the one of its statement", place)

    def _append(self, leaf: bytes, hashes: object) -> None:
        """Go on with the tree, and compare it with what is stored of it."""
        number = self._tree.size
        made = self._tree.append(leaf)
        # From the first fault on, the hashes above the leaf differ as a matter of course.
        if made != hashes and not self._findings.has("entry"):
            place = _name_place(number)
            self._findings.fail("root", "node_mismatch", "the stored hashes are not those of the tree", place)
        self._checkpoints.compare(self._tree)

    def _fill_gap(self, until: int) -> None:
        """Go on with the hashes of entries that are missing, as far as those are there."""
        first = self._tree.size
        if first == until:
            return
        place = _name_place(first) if until - first == 1 else f"entries at index {first} to {until - 1}"
        self._fail("entry_missing", "not there", place)
        for number, hashes in self._connection.execute(
            "SELECT number, hashes FROM tree WHERE number >= ? AND number < ? ORDER BY number", (first, until)
        ):
            if number != self._tree.size or type(hashes) is not bytes:
                break
            self._append(hashes[:HASH_BYTES], hashes)
        if self._tree.size != until:
            refuse("damaged", f"The tree of the ledger lacks hashes of entries {self._tree.size} to {until - 1}.")

    def _fail(self, cause: str, text: str, place: str) -> None:
        self._findings.fail("entry", cause, text, place)


def _name_place(number: int) -> str:
    """Say which entry: cards count from 1, so an index says that it is one."""
    return f"entry at index {number}"


class _Checkpoints:
    """The checkpoints of a ledger beside its tree while that grows."""

    def __init__(self, connection: sqlite3.Connection, now: LedgerHead, findings: Findings) -> None:
        self._rows = iter(connection.execute("SELECT size, key, note FROM checkpoints ORDER BY size"))
        self._findings = findings
        self._origin = ORIGIN_PREFIX + now.ledger_id
        self._newest: dict[str | None, tuple[int, str]] = {}
        self._next: tuple[int, Checkpoint] | None = None
        self._advance()

    def compare(self, tree: GrowingTree) -> None:
        """Compare the root of the tree with the checkpoint of its size, if there is one."""
        if self._next is not None and self._next[0] == tree.size:
            if self._next[1].root != tree.compute_root():
                self._fail("root_mismatch", "the entries do not give the root that the checkpoint states", tree.size)
            self._advance()

    def finish(self) -> None:
        """Name the checkpoints that fit no size."""
        while self._next is not None:
            self._fail("root_mismatch", "a checkpoint of a size that never was", self._next[0])
            self._advance()

    def check_signatures(self, keys: dict[str, bytes]) -> None:
        """Check the newest checkpoint of each key."""
        for key, (size, note) in self._newest.items():
            if key is None:
                continue
            try:
                verify_checkpoint(note, keys.get(key, b""))
            except EvidenceError as error:
                self._findings.fail("checkpoint", "checkpoint_invalid", error.message, f"size {size}")
        if self._newest and max(self._newest.values())[0] == self._newest.get(None, (-1, ""))[0]:
            self._findings.note_uncheckable(
                "checkpoint", "unsigned", "The newest checkpoint is not signed: there was no key."
            )

    def list_signers(self) -> set[str | None]:
        """Return the keys that checkpoints name; None for none."""
        return set(self._newest)

    def _advance(self) -> None:
        self._next = None
        for size, key, note in self._rows:
            try:
                met = open_checkpoint(note if isinstance(note, str) else "")
            except EvidenceError as error:
                self._fail("checkpoint_malformed", error.message, size)
                continue
            name = None if key is None else f"{_KEY_NAME}{key}"
            if (met.checkpoint.origin, met.checkpoint.size, met.key_name) != (self._origin, size, name):
                self._fail("root_mismatch", "a checkpoint of another ledger, size or key", size)
                continue
            self._newest[key] = (size, note)
            self._next = (size, met.checkpoint)
            return

    def _fail(self, cause: str, text: str, size: object) -> None:
        self._findings.fail("root", cause, text, f"size {size}")
