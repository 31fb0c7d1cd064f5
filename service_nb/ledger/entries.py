"""Entries: what is given to a ledger, what it gives back, and what is checked whenever a row is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import orjson

from service_nb.core.canonical import canonical_bytes, parse_strict
from service_nb.core.digest import ROWS_DOMAIN, VIEW_DOMAIN, digest, sha256, sha256_hex
from service_nb.core.merkle import HASH_BYTES, leaf_hash
from service_nb.errors import CanonicalJsonError, EvidenceError, LimitExceededError
from service_nb.evidence.keys import KEY_BYTES, SIGNATURE_BYTES, encoded, key_id
from service_nb.evidence.receipt import Sealed, Signer, pae
from service_nb.evidence.statement import parse_statement
from service_nb.schema.entry import PAYLOAD_TYPE, STATEMENT_BYTES, Envelope, EnvelopeSignature

INLINE_BYTES = 16 * 1024  # of a text; what is larger is a file of its own
KEPT_BYTES = 16 * 1024**2  # of a text; of what is larger the ledger holds the digest alone
CARD_BYTES = 1024**2

RESULT_ID = re.compile(r"[a-z]{1,16}_[0-9a-f]{16}", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """An outcome to be recorded.

    Parameters
    ----------
    id, kind, time : str
        As the statement says them.
    payload : bytes
        The statement.
    texts : Mapping
        The hashed texts by name, each one a subject of the statement; subjects without a text are recorded by digest.
    card : str, optional
        The card as JSON, without a receipt.
    """

    id: str
    kind: str
    time: str
    payload: bytes
    texts: Mapping[str, str] = field(default_factory=dict)
    card: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
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
        return envelope_of(Sealed(self.payload, self.keyid, self.signature))


class Prepared(NamedTuple):
    """A new entry, checked and signed, before its place in the ledger is known."""

    entry: NewEntry
    tenant: str | None
    sealed: Sealed
    leaf: bytes
    kept: str
    texts: tuple[tuple[bytes, bytes], ...]  # (sha256, content) of what is kept
    card_sha256: bytes | None


class EntryFaultError(Exception):
    """A row that is not an entry as it was appended; `cause` is the stable name of how."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


class Row(NamedTuple):
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
    card_sha256: Any
    hashes: Any


SELECT = (
    "SELECT e.number, e.id, e.kind, e.time, e.tenant, e.key, e.signature, e.kept, e.payload, e.card_sha256, t.hashes"
    " FROM entries e LEFT JOIN tree t ON t.number = e.number"
)


def envelope_of(sealed: Sealed) -> Envelope:
    """Return the envelope of a statement that was signed before, or was not."""
    signatures: list[EnvelopeSignature] = []
    if sealed.keyid is not None and sealed.signature is not None:
        signatures.append({"keyid": sealed.keyid, "sig": encoded(sealed.signature)})
    return {"payloadType": PAYLOAD_TYPE, "payload": encoded(sealed.payload), "signatures": signatures}


def prepared(entry: NewEntry, signer: Signer | None) -> Prepared:
    """Check that an entry says of itself what its statement says, hash what it brings, and sign it if there is a key.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reason `statement_malformed`: the statement is none, or contradicts what is recorded with it.
    """
    if len(entry.payload) > STATEMENT_BYTES:  # it could never be read again, nor any page of entries that it is on
        raise EvidenceError(
            f"The statement has {len(entry.payload):,} bytes; at most {STATEMENT_BYTES:,} are recorded.",
            reason="statement_malformed",
        )
    predicate, subjects = _opened(entry.payload)
    if (entry.id, entry.kind, entry.time) != (predicate["id"], predicate["kind"], predicate["time"]):
        raise _contradiction("id, kind or time")
    if not RESULT_ID.fullmatch(entry.id):
        raise _contradiction("the form of an id")
    texts, kept = [], []
    for name, text in sorted(entry.texts.items()):
        content = text.encode()
        if subjects.get(name) != sha256_hex(content) or not _NAME.fullmatch(name):
            raise _contradiction("the text of a subject")
        if len(content) <= KEPT_BYTES:
            kept.append(name)
            texts.append((bytes.fromhex(subjects[name]), content))
    card = None if entry.card is None else entry.card.encode()
    if card is not None and (len(card) > CARD_BYTES or not card_holds(card, predicate, subjects)):
        raise _contradiction("the card")
    signature = None if signer is None else signer.sign(pae(PAYLOAD_TYPE, entry.payload))
    sealed = Sealed(entry.payload, None if signer is None else signer.id, signature)
    return Prepared(
        entry,
        predicate["tenant"],
        sealed,
        leaf_hash(entry.payload),
        " ".join(kept),
        tuple(texts),
        None if card is None else sha256(card),
    )


def read_entry(row: Row, keys: Mapping[str, bytes]) -> tuple[Stored, Mapping[str, Any]]:
    """Return the entry of a row and its statement's predicate, once the row is known to be as it was appended.

    Raises
    ------
    EntryFaultError
        Causes `entry_malformed`, `entry_replaced`.
    """
    _check_types(row, keys)
    if row.hashes[:HASH_BYTES] != leaf_hash(row.payload):
        raise EntryFaultError("entry_replaced", "its statement is not the one that was appended there")
    try:
        predicate, subjects = _opened(row.payload)
    except EvidenceError as error:
        raise EntryFaultError("entry_malformed", "its statement is malformed") from error
    said = tuple(predicate[name] for name in ("id", "kind", "time", "tenant"))
    if said != (row.id, row.kind, row.time, row.tenant):
        raise EntryFaultError("entry_malformed", "its id, kind, time or tenant is not what its statement says")
    if not all(name in subjects for name in row.kept.split()):
        raise EntryFaultError("entry_malformed", "it stores a text that is not among its subjects")
    public_key = None if row.key is None else encoded(keys[row.key])
    stored = Stored(
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


def with_content(stored: Stored, texts: Mapping[str, str], card: str | None) -> Stored:
    """Return an entry with what is kept of it."""
    return replace(stored, texts=texts, card=card)


def card_holds(card: bytes, predicate: Mapping[str, Any], subjects: Mapping[str, str]) -> bool:
    """Return whether a card is the one of a statement: its digests, its texts, and all of what it shows."""
    try:
        # A text that comes out of the writer as it went in is canonical, so it has no key twice and reads one way.
        met = orjson.loads(card)
        if orjson.dumps(met, option=orjson.OPT_SORT_KEYS) != card:
            met = parse_strict(card, max_bytes=CARD_BYTES)
        return _card_fits(met, predicate, subjects)
    except (orjson.JSONDecodeError, TypeError, CanonicalJsonError, LimitExceededError):
        return False


def _card_fits(card: Any, predicate: Mapping[str, Any], subjects: Mapping[str, str]) -> bool:
    if not isinstance(card, dict) or card.get("kind") != predicate["kind"]:
        return False
    digests, texts, view = card.get("digests"), card.get("canonical"), card.get("view")
    if digests != predicate["digests"] or not isinstance(texts, dict) or not isinstance(view, dict):
        return False
    if not all(
        isinstance(text, str) and subjects.get(name) == sha256_hex(text.encode()) for name, text in texts.items()
    ):
        return False
    shown = {key: value for key, value in view.items() if key != "rows"}
    if not _has_hash(shown, VIEW_DOMAIN, digests.get("view_hash")):
        return False
    rows = view.get("rows")  # an empty list where they were left out
    return rows in (None, []) or _has_hash(rows, ROWS_DOMAIN, digests.get("rows_hash"))


def _has_hash(value: Any, domain: str, expected: Any) -> bool:
    # Whatever text has the hash is the one that was hashed: the fast writer's, if it gives the same as ours.
    fast = digest(domain, orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
    return bool(fast == expected) or bool(digest(domain, canonical_bytes(value)) == expected)


def _opened(payload: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    statement = parse_statement(payload)
    return statement["predicate"], {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}


def _check_types(row: Row, keys: Mapping[str, bytes]) -> None:
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


def sound_keys(rows: list[tuple[Any, Any]]) -> dict[str, bytes]:
    """Return the keys of a ledger by id; those that are none, or stand under another id, are left out."""
    return {
        key: public_key
        for key, public_key in rows
        if type(public_key) is bytes and len(public_key) == KEY_BYTES and key_id(public_key) == key
    }


def _contradiction(what: str) -> EvidenceError:
    return EvidenceError(f"The statement and what is recorded with it differ in {what}.", reason="statement_malformed")
