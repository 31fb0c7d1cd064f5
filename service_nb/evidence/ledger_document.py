"""Ledger documents: a whole ledger as one JSON text, what `service-nb export --format ledger` writes.

``{"service_nb_ledger": 1, "ledger": id, "entries": [envelope, …], "public_key": base64 | null, "checkpoint": text,
"texts": {sha256: text}}``, and nothing else. The checks, in this order:

* `form`: exactly these keys and types (`malformed_ledger`, `unknown_version`); alone if it fails
* `entry`: each entry is an envelope of a statement (`entry_malformed`), and its signature, if it has one, is by the
  document's key (`signature_invalid`); the first entry that fails names the cause, and ends the checks. Entries from
  before there was a key make it `not_checkable`, cause `unsigned`: only the checkpoint vouches for them
* `order`: no two entries have the same id (`duplicate_id`)
* `texts`: each text has the SHA-256 that it is kept under (`text_mismatch`) and belongs to an entry (`text_unknown`)
* `root`: the entries give the size and the root of the checkpoint, which is of this ledger (`root_mismatch`;
  `checkpoint_malformed`)
* `signer`, `checkpoint`: as of a card; without a public key both are `not_checkable`, cause `unsigned`, but `signer`
  fails with `unknown_signer` if trusted keys were given
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from service_nb.core.digest import sha256_hex
from service_nb.core.merkle import leaf_hash, new_nodes, root
from service_nb.errors import EvidenceError
from service_nb.evidence.checkpoint import opened, verify_checkpoint
from service_nb.evidence.checks import attempt, failed, not_checkable, passed, refuse, signer_check
from service_nb.evidence.keys import KEY_BYTES
from service_nb.evidence.reading import require_json
from service_nb.evidence.receipt import bytes_of, natural, opened_envelope
from service_nb.evidence.statement import parse_statement, subjects_of
from service_nb.schema.verdict import Check

VERSION = 1
_KEYS = {"service_nb_ledger", "ledger", "entries", "public_key", "checkpoint", "texts"}
_LEDGER_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


def ledger_checks(document: Mapping[str, Any], keys: Collection[str]) -> Iterator[Check]:
    """Yield the checks of a parsed ledger document in their order."""
    form = attempt("form", lambda: _require_form(document))
    yield form
    if form.status == "failed":
        return
    public_key = bytes_of(document["public_key"], KEY_BYTES)
    try:
        payloads, unsigned = _read_entries(document["entries"], public_key)
    except EvidenceError as error:
        yield failed("entry", error)
        return
    yield not_checkable("entry", "unsigned", f"{unsigned} entries are not signed.") if unsigned else passed("entry")
    statements = [parse_statement(payload) for payload in payloads]
    yield attempt("order", lambda: _require_unique([each["predicate"]["id"] for each in statements]))
    yield attempt("texts", lambda: _require_texts(document["texts"], statements))
    yield attempt("root", lambda: _require_root(document, payloads))
    yield from _signer_checks(document["checkpoint"], public_key, keys)


def tree_root(payloads: Sequence[bytes]) -> bytes:
    """Return the root of the tree over the statements of a whole ledger."""
    nodes: dict[tuple[int, int], bytes] = {}
    for size, payload in enumerate(payloads):
        made = new_nodes(size, leaf_hash(payload), lambda level, index: nodes[level, index])
        nodes.update({(level, index): value for level, index, value in made})
    return root(len(payloads), lambda level, index: nodes[level, index])


def _require_form(document: Mapping[str, Any]) -> None:
    require_json(document)
    if document.keys() != _KEYS:
        _malformed(f"it does not hold exactly {', '.join(sorted(_KEYS))}")
    version = document["service_nb_ledger"]
    if natural(version) is None:
        _malformed("its version is no whole number")
    if natural(version) != VERSION:
        refuse("unknown_version", f"The ledger document is of version {version}; known here is {VERSION}.")
    ledger, texts = document["ledger"], document["texts"]
    if not isinstance(ledger, str) or not _LEDGER_ID.fullmatch(ledger):
        _malformed("its id is not 32 hex digits")
    if not isinstance(document["entries"], list) or not isinstance(document["checkpoint"], str):
        _malformed("entries or checkpoint is of another type")
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        _malformed("its texts are no object of texts")
    if document["public_key"] is not None and bytes_of(document["public_key"], KEY_BYTES) is None:
        _malformed("its public_key is neither the base64 of 32 bytes nor null")


def _read_entries(entries: Sequence[Any], public_key: bytes | None) -> tuple[list[bytes], int]:
    """The statements, and how many of them are not signed."""
    payloads, unsigned = [], 0
    for index, entry in enumerate(entries):
        try:
            sealed = opened_envelope(entry)
            parse_statement(sealed.payload)
        except EvidenceError as error:
            raise EvidenceError(f"Entry {index}: {error}", reason="entry_malformed") from error
        if sealed.signature is None:
            unsigned += 1
        elif public_key is None or not sealed.is_signed_by(public_key):
            refuse("signature_invalid", f"Entry {index}: the key of the ledger has not signed it.")
        payloads.append(sealed.payload)
    return payloads, unsigned


def _require_unique(ids: Sequence[str]) -> None:
    if len(set(ids)) != len(ids):
        refuse("duplicate_id", "Two entries have the same id.")


def _require_texts(texts: Mapping[str, str], statements: Sequence[Mapping[str, Any]]) -> None:
    known = {value for each in statements for value in subjects_of(each).values()}
    for stated, text in texts.items():
        if sha256_hex(text.encode()) != stated:
            refuse("text_mismatch", f"The text that is kept as {stated[:12]}… has another SHA-256.")
    if not texts.keys() <= known:
        refuse("text_unknown", f"{len(texts.keys() - known)} texts belong to no entry.")


def _require_root(document: Mapping[str, Any], payloads: Sequence[bytes]) -> None:
    stated = opened(document["checkpoint"]).checkpoint
    if stated.origin != f"service-nb/{document['ledger']}":
        refuse("root_mismatch", "The checkpoint is of another ledger.")
    if stated.size != len(payloads):
        refuse("root_mismatch", f"The checkpoint is for {stated.size} entries, and {len(payloads)} are here.")
    if stated.root != tree_root(payloads):
        refuse("root_mismatch", "The entries do not give the root that the checkpoint states.")


def _signer_checks(checkpoint: str, public_key: bytes | None, keys: Collection[str]) -> Iterator[Check]:
    if public_key is not None:
        yield signer_check(public_key, keys)
        yield attempt("checkpoint", lambda: verify_checkpoint(checkpoint, public_key))
        return
    message = "The ledger names no key: nobody vouches for it."
    yield not_checkable("signer", "unsigned", message)
    yield not_checkable("checkpoint", "unsigned", message)


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"The ledger document is malformed: {what}.", reason="malformed_ledger")
