"""Read the entries of a ledger: each value is checked against its hash before it is given out."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

from service_nb.core.digest import (
    HASH_BYTES,
    compute_sha256,
    compute_sha256_hex,
    hash_leaf,
    prove_inclusion,
)
from service_nb.errors import EvidenceError, ResultNotFoundError
from service_nb.evidence.documents import (
    assemble_receipt,
    build_envelope,
    is_card_of,
    is_signed_by,
    open_outcome,
    verify_checkpoint,
)
from service_nb.evidence.standalone import (
    KEY_BYTES,
    ORIGIN_PREFIX,
    SIGNATURE_BYTES,
    Checkpoint,
    Sealed,
    compute_key_id,
    compute_proven_root,
    decode_base64,
    encode_base64,
)
from service_nb.ledger.attachments import Blobs
from service_nb.ledger.database import read_nodes, refuse
from service_nb.schema.entry import STATEMENT_BYTES, Envelope, LogProof, Receipt

INLINE_BYTES = 16 * 1024  # of a text; what is larger is a file of its own
KEPT_BYTES = 16 * 1024**2  # of a text; of what is larger the ledger holds the digest alone

RESULT_ID = re.compile(r"[a-z]{1,16}_[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry as the ledger holds it, checked when it was read."""

    index: int
    id: str
    kind: str
    time: str
    tenant: str | None
    payload: bytes
    signature: bytes | None
    keyid: str | None
    public_key: str | None  # base64 of the key that signed it
    subjects: Mapping[str, str]  # the SHA-256 of every hashed text by name, in hex
    texts: Mapping[str, str] = field(default_factory=dict)  # those that are kept here; none where many are listed
    card: str | None = None

    @property
    def envelope(self) -> Envelope:
        """The statement in its envelope, as it was signed."""
        return build_envelope(Sealed(self.payload, self.keyid, self.signature))


class EntryFaultError(Exception):
    """A row that is not an entry as it was appended; `cause` is the stable name of how."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


class EntryRow(NamedTuple):
    """A row of `entries` with its row of `tree`, as the database gives it: any type, any size."""

    number: Any
    id: Any
    kind: Any
    time: Any
    tenant: Any
    key: Any
    signature: Any
    kept: Any
    payload: Any
    card_sha256: object
    hashes: Any


SELECT = (
    "SELECT e.number, e.id, e.kind, e.time, e.tenant, e.key, e.signature, e.kept, e.payload, e.card_sha256, t.hashes"
    " FROM entries e LEFT JOIN tree t ON t.number = e.number"
)


def read_entry(row: EntryRow, keys: Mapping[str, bytes]) -> tuple[StoredEntry, Mapping[str, object]]:
    """Return the entry of a row and its statement's predicate, once the row is known to be as it was appended.

    Raises
    ------
    EntryFaultError
        Causes `entry_malformed`, `entry_replaced`.
    """
    _check_types(row, keys)
    if row.hashes[:HASH_BYTES] != hash_leaf(row.payload):
        raise EntryFaultError("entry_replaced", "its statement is not the one that was appended there")
    try:
        statement = open_outcome(row.payload)
    except EvidenceError as error:
        raise EntryFaultError("entry_malformed", "its statement is malformed") from error
    predicate, subjects = statement["predicate"], statement["subject"]
    said = tuple(predicate[name] for name in ("id", "kind", "time", "tenant"))
    if said != (row.id, row.kind, row.time, row.tenant):
        raise EntryFaultError("entry_malformed", "its id, kind, time or tenant is not what its statement says")
    if not all(name in subjects for name in row.kept.split()):
        raise EntryFaultError("entry_malformed", "it stores a text that is not among its subjects")
    public_key = None if row.key is None else encode_base64(keys[row.key])
    stored = StoredEntry(
        index=row.number,
        id=row.id,
        kind=row.kind,
        time=row.time,
        tenant=row.tenant,
        payload=row.payload,
        signature=row.signature,
        keyid=row.key,
        public_key=public_key,
        subjects=subjects,
    )
    return stored, predicate


def _check_types(row: EntryRow, keys: Mapping[str, bytes]) -> None:
    texts = (row.id, row.kind, row.time, row.kept)
    are_typed = (
        all(type(text) is str for text in texts)
        and type(row.tenant) in (str, type(None))
        and type(row.payload) is bytes
        and len(row.payload) <= STATEMENT_BYTES
        and (row.card_sha256 is None or type(row.card_sha256) is bytes)
        and RESULT_ID.fullmatch(row.id) is not None
    )
    if not are_typed:
        raise EntryFaultError("entry_malformed", "a value of its row is of another type, size or form")
    if type(row.hashes) is not bytes:
        raise EntryFaultError("entry_malformed", "the tree has no leaf for it")
    if row.key is None and row.signature is None:
        return
    if type(row.key) is not str or row.key not in keys:
        raise EntryFaultError("entry_malformed", "the ledger does not hold the key that signed it")
    if type(row.signature) is not bytes or len(row.signature) != SIGNATURE_BYTES:
        raise EntryFaultError("entry_malformed", "its signature is not 64 bytes")


def _select_keys(rows: list[tuple[object, object]]) -> dict[str, bytes]:
    """Return the keys of a ledger by id; those that are none, or stand under another id, are left out."""
    return {
        key: public_key
        for key, public_key in rows
        if type(public_key) is bytes and len(public_key) == KEY_BYTES and compute_key_id(public_key) == key
    }


_PAGE = 256  # entries read at once where many are listed
_MOST_KEYS = 10_000


def read_keys(connection: sqlite3.Connection) -> dict[str, bytes]:
    """Return the keys that have signed in this ledger, by id."""
    return _select_keys(connection.execute("SELECT id, public_key FROM keys LIMIT ?", (_MOST_KEYS,)).fetchall())


def find_entry(connection: sqlite3.Connection, blobs: Blobs, result_id: str, tenant: str | None) -> StoredEntry:
    """Return an entry with its texts and its card. Raises `result_not_found`, `ledger_unavailable`."""
    found = connection.execute(f"{SELECT} WHERE e.id = ?", (result_id,)).fetchone() if _is_id(result_id) else None
    if found is None or EntryRow(*found).tenant != tenant:
        raise_not_found()
    row = EntryRow(*found)
    stored, predicate = _check_entry(row, read_keys(connection))
    texts = {}
    for name in row.kept.split():
        content = _find_text(connection, blobs, stored.subjects[name])
        if content is None:
            refuse("damaged", f"The text {name} of entry {row.number} is missing, or has changed.")
        texts[name] = content.decode()
    return replace(stored, texts=texts, card=_read_card(connection, row, predicate, stored.subjects))


def raise_not_found() -> NoReturn:
    """Say that there is no result of an id, in the one way that this is said."""
    raise ResultNotFoundError(
        "The ledger has no result with that id.", hint="`service-nb log` or %service_log lists what it holds."
    )


def read_page(connection: sqlite3.Connection, at: int, stop: int, *, newest_first: bool) -> list[StoredEntry]:
    """Return the entries of one page: from `at` up to before `stop`, or from before `stop` down to `at`."""
    order = "DESC" if newest_first else "ASC"
    rows = connection.execute(
        f"{SELECT} WHERE e.number >= ? AND e.number < ? ORDER BY e.number {order} LIMIT ?", (at, stop, _PAGE)
    ).fetchall()
    keys = read_keys(connection)
    return [_check_entry(EntryRow(*row), keys)[0] for row in rows]


def _find_text(connection: sqlite3.Connection, blobs: Blobs, sha256_text: str) -> bytes | None:
    """Return a kept text if it is what its hash says; None if it is not, or not there."""
    row = connection.execute(
        "SELECT bytes, content FROM texts WHERE sha256 = ?", (bytes.fromhex(sha256_text),)
    ).fetchone()
    return None if row is None else check_text(blobs, sha256_text, row[0], row[1])


def check_text(blobs: Blobs, sha256_text: str, size: Any, content: Any) -> bytes | None:
    """Return the text of a row of `texts`, from the row or from its file, if it is what its hash says."""
    if type(size) is not int or not 0 <= size <= KEPT_BYTES:
        return None
    if content is None and size > INLINE_BYTES:
        content = blobs.read(sha256_text, size)
    is_it = type(content) is bytes and len(content) == size and compute_sha256_hex(content) == sha256_text
    return content if is_it and _is_utf8(content) else None


def build_receipt(connection: sqlite3.Connection, ledger_id: str, index: int) -> Receipt | None:
    """Return the receipt of an entry as it was given when it was appended; None if it was not signed."""
    found = connection.execute(f"{SELECT} WHERE e.number = ?", (index,)).fetchone()
    if found is None:
        raise_not_found()
    stored, _ = _check_entry(EntryRow(*found), read_keys(connection))
    if stored.public_key is None or stored.keyid is None:
        return None
    public_key = decode_base64(stored.public_key) or b""
    sealed = Sealed(stored.payload, stored.keyid, stored.signature)
    if not is_signed_by(sealed, public_key):
        refuse("damaged", f"The signature of entry {index} is not valid.")
    candidates = (
        (_verify_note(size, note, ledger_id, public_key), note)
        for size, note in _iter_notes_over(connection, index, stored.keyid)
    )
    checkpoint, note = next(((met, note) for met, note in candidates if met is not None), (None, ""))
    if checkpoint is None:
        refuse("damaged", f"No checkpoint of the key that signed entry {index} holds.")
    proof = prove_inclusion(index, checkpoint.size, read_nodes(connection))
    if compute_proven_root(hash_leaf(stored.payload), index, checkpoint.size, proof) != checkpoint.root:
        refuse("damaged", f"The tree of the ledger does not prove entry {index}.")
    log: LogProof = {
        "index": index,
        "size": checkpoint.size,
        "proof": [value.hex() for value in proof],
        "checkpoint": note,
    }
    return assemble_receipt(sealed, stored.public_key, log)


def _iter_notes_over(connection: sqlite3.Connection, index: int, key: str) -> Iterator[tuple[Any, Any]]:
    """The checkpoint of the append that brought the entry; should that one be damaged, the key's newest."""
    for order in ("ASC", "DESC"):
        query = f"SELECT size, note FROM checkpoints WHERE size > ? AND key = ? ORDER BY size {order} LIMIT 1"  # noqa: S608
        yield from connection.execute(query, (index, key)).fetchall()


def _verify_note(size: object, note: object, ledger_id: str, public_key: bytes) -> Checkpoint | None:
    try:
        checkpoint = verify_checkpoint(note if isinstance(note, str) else "", public_key)
    except EvidenceError:
        return None
    return checkpoint if (checkpoint.origin, checkpoint.size) == (ORIGIN_PREFIX + ledger_id, size) else None


def _check_entry(row: EntryRow, keys: Mapping[str, bytes]) -> tuple[StoredEntry, Mapping[str, object]]:
    try:
        return read_entry(row, keys)
    except EntryFaultError as fault:
        refuse("damaged", f"Entry {row.number} of the ledger does not verify: {fault}.", fault, met=fault.cause)


def _read_card(
    connection: sqlite3.Connection, row: EntryRow, predicate: Mapping[str, object], subjects: Mapping[str, str]
) -> str | None:
    (card,) = connection.execute("SELECT card FROM entries WHERE number = ?", (row.number,)).fetchone()
    if card is None and row.card_sha256 is None:
        return None
    content = card.encode() if isinstance(card, str) else b""
    if compute_sha256(content) != row.card_sha256 or not is_card_of(content, predicate, subjects):
        refuse("damaged", f"The card of entry {row.number} is not the one that was recorded.")
    return content.decode()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_id(result_id: object) -> bool:
    return isinstance(result_id, str) and RESULT_ID.fullmatch(result_id) is not None
