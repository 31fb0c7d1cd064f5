"""Reading a ledger through one connection: each value is checked against its hash before it is given out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from service_nb.core.digest import sha256, sha256_hex
from service_nb.core.merkle import inclusion_proof, leaf_hash, verify_inclusion
from service_nb.errors import EvidenceError, ResultNotFoundError
from service_nb.evidence.checkpoint import ORIGIN_PREFIX, Checkpoint, opened, verify_checkpoint
from service_nb.evidence.keys import decoded
from service_nb.evidence.receipt import Sealed, receipt
from service_nb.ledger import schema
from service_nb.ledger.blobs import Blobs
from service_nb.ledger.entries import (
    INLINE_BYTES,
    KEPT_BYTES,
    RESULT_ID,
    SELECT,
    EntryFaultError,
    Row,
    Stored,
    card_holds,
    envelope_of,
    read_entry,
    sound_keys,
    with_content,
)
from service_nb.ledger.faults import refuse
from service_nb.ledger.tree import stored_nodes
from service_nb.schema.entry import LogProof, Receipt

_PAGE = 256  # entries read at once where many are listed
_MOST_KEYS = 10_000


class Head(NamedTuple):
    """What a ledger says of itself: its id, and its newest checkpoint."""

    ledger_id: str
    checkpoint: Checkpoint
    note: str  # the checkpoint's text


def head(connection: sqlite3.Connection) -> Head | None:
    """Return the newest checkpoint of a ledger; None if nothing was ever appended.

    Raises
    ------
    LedgerError [ledger_unavailable]
        Reasons `not_a_ledger`, `too_new`, `damaged`.
    """
    if schema.is_empty(connection):
        return None
    ledger_id = schema.checked_id(connection)
    row = connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
    if row is None:
        refuse("damaged", "The ledger has no checkpoint.")
    return Head(ledger_id, checkpoint_of(row, ledger_id), row[1])


def checkpoint_of(row: tuple[Any, Any], ledger_id: str) -> Checkpoint:
    """Return the checkpoint of a row (size, note), which is one of this ledger; its signature is not checked."""
    size, note = row
    try:
        checkpoint = opened(note if isinstance(note, str) else "").checkpoint
    except EvidenceError as error:
        refuse("damaged", f"The checkpoint at size {size} is malformed.", error)
    if (checkpoint.origin, checkpoint.size) != (ORIGIN_PREFIX + ledger_id, size):
        refuse("damaged", f"The checkpoint at size {size} is of another ledger, or another size.")
    return checkpoint


def keys_of(connection: sqlite3.Connection) -> dict[str, bytes]:
    """Return the keys that have signed in this ledger, by id."""
    return sound_keys(connection.execute("SELECT id, public_key FROM keys LIMIT ?", (_MOST_KEYS,)).fetchall())


def entry_by_id(connection: sqlite3.Connection, blobs: Blobs, result_id: str, tenant: str | None) -> Stored:
    """Return an entry with its texts and its card.

    Raises
    ------
    ResultNotFoundError [result_not_found]
        There is none, or it is of another tenant: the same to whoever asks.
    LedgerError [ledger_unavailable]
        Reason `damaged`.
    """
    found = connection.execute(f"{SELECT} WHERE e.id = ?", (result_id,)).fetchone() if _is_id(result_id) else None
    if found is None or Row(*found).tenant != tenant:
        not_found()
    row = Row(*found)
    stored, predicate = _checked(row, keys_of(connection))
    texts = {}
    for name in row.kept.split():
        content = text_of(connection, blobs, stored.subjects[name])
        if content is None:
            refuse("damaged", f"The text {name} of entry {row.number} is missing, or has changed.")
        texts[name] = content.decode()
    return with_content(stored, texts, _card(connection, row, predicate, stored.subjects))


def not_found() -> NoReturn:
    """Say that there is no result of an id, in the one way that this is said."""
    raise ResultNotFoundError(
        "The ledger has no result with that id.", hint="`service-nb log` or %service_log lists what it holds."
    )


def entries_from(connection: sqlite3.Connection, at: int, stop: int, *, newest_first: bool) -> list[Stored]:
    """Return the entries of one page: from `at` up to before `stop`, or from before `stop` down to `at`."""
    order = "DESC" if newest_first else "ASC"
    rows = connection.execute(
        f"{SELECT} WHERE e.number >= ? AND e.number < ? ORDER BY e.number {order} LIMIT ?", (at, stop, _PAGE)
    ).fetchall()
    keys = keys_of(connection)
    return [_checked(Row(*row), keys)[0] for row in rows]


def text_of(connection: sqlite3.Connection, blobs: Blobs, sha256_text: str) -> bytes | None:
    """Return a kept text if it is what its hash says; None if it is not, or not there."""
    row = connection.execute(
        "SELECT bytes, content FROM texts WHERE sha256 = ?", (bytes.fromhex(sha256_text),)
    ).fetchone()
    return None if row is None else checked_text(blobs, sha256_text, row[0], row[1])


def checked_text(blobs: Blobs, sha256_text: str, size: Any, content: Any) -> bytes | None:
    """Return the text of a row of `texts`, from the row or from its file, if it is what its hash says."""
    if type(size) is not int or not 0 <= size <= KEPT_BYTES:
        return None
    if content is None and size > INLINE_BYTES:
        content = blobs.read(sha256_text, size)
    is_it = type(content) is bytes and len(content) == size and sha256_hex(content) == sha256_text
    return content if is_it and _is_utf8(content) else None


def receipt_of(connection: sqlite3.Connection, ledger_id: str, index: int) -> Receipt | None:
    """Return the receipt of an entry as it was given when it was appended; None if it was not signed."""
    found = connection.execute(f"{SELECT} WHERE e.number = ?", (index,)).fetchone()
    if found is None:
        not_found()
    stored, _ = _checked(Row(*found), keys_of(connection))
    if stored.public_key is None or stored.keyid is None:
        return None
    public_key = decoded(stored.public_key) or b""
    sealed = Sealed(stored.payload, stored.keyid, stored.signature)
    if not sealed.is_signed_by(public_key):
        refuse("damaged", f"The signature of entry {index} is not valid.")
    candidates = (
        (_signed_checkpoint(size, note, ledger_id, public_key), note)
        for size, note in _notes_over(connection, index, stored.keyid)
    )
    checkpoint, note = next(((met, note) for met, note in candidates if met is not None), (None, ""))
    if checkpoint is None:
        refuse("damaged", f"No checkpoint of the key that signed entry {index} holds.")
    proof = inclusion_proof(index, checkpoint.size, stored_nodes(connection))
    if not verify_inclusion(leaf_hash(stored.payload), index, checkpoint.size, proof, checkpoint.root):
        refuse("damaged", f"The tree of the ledger does not prove entry {index}.")
    log: LogProof = {
        "index": index,
        "size": checkpoint.size,
        "proof": [value.hex() for value in proof],
        "checkpoint": note,
    }
    return receipt(envelope_of(sealed), stored.public_key, log)


def _notes_over(connection: sqlite3.Connection, index: int, key: str) -> Iterator[tuple[Any, Any]]:
    """The checkpoint of the append that brought the entry; should that one be damaged, the key's newest."""
    for order in ("ASC", "DESC"):
        query = f"SELECT size, note FROM checkpoints WHERE size > ? AND key = ? ORDER BY size {order} LIMIT 1"  # noqa: S608
        yield from connection.execute(query, (index, key)).fetchall()


def _signed_checkpoint(size: Any, note: Any, ledger_id: str, public_key: bytes) -> Checkpoint | None:
    try:
        checkpoint = verify_checkpoint(note if isinstance(note, str) else "", public_key)
    except EvidenceError:
        return None
    return checkpoint if (checkpoint.origin, checkpoint.size) == (ORIGIN_PREFIX + ledger_id, size) else None


def _checked(row: Row, keys: Mapping[str, bytes]) -> tuple[Stored, Mapping[str, Any]]:
    try:
        return read_entry(row, keys)
    except EntryFaultError as fault:
        refuse("damaged", f"Entry {row.number} of the ledger does not verify: {fault}.", fault, met=fault.cause)


def _card(
    connection: sqlite3.Connection, row: Row, predicate: Mapping[str, Any], subjects: Mapping[str, str]
) -> str | None:
    (card,) = connection.execute("SELECT card FROM entries WHERE number = ?", (row.number,)).fetchone()
    if card is None and row.card_sha256 is None:
        return None
    content = card.encode() if isinstance(card, str) else b""
    if sha256(content) != row.card_sha256 or not card_holds(content, predicate, subjects):
        refuse("damaged", f"The card of entry {row.number} is not the one that was recorded.")
    return content.decode()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_id(result_id: Any) -> bool:
    return isinstance(result_id, str) and RESULT_ID.fullmatch(result_id) is not None
