"""The checks of a card's receipt: who signed it, what is said of this card, and that a ledger holds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from service_nb.core.digest import sha256_hex
from service_nb.core.merkle import leaf_hash, verify_inclusion
from service_nb.errors import EvidenceError
from service_nb.evidence.checkpoint import opened, verify_checkpoint
from service_nb.evidence.checks import attempt, failed, judge, not_checkable, passed, refuse, signer_check
from service_nb.evidence.keys import key_id
from service_nb.evidence.receipt import OpenedReceipt, opened_receipt
from service_nb.evidence.standalone import require_told
from service_nb.evidence.statement import parse_statement, subjects_of
from service_nb.schema.verdict import Check


def receipt_checks(card: dict[str, Any], keys: Collection[str]) -> Iterator[Check]:
    """Yield the checks of a card's receipt; only `signature` if there is none, or if its signature does not hold."""
    if card["receipt"] is None:
        yield not_checkable("signature", "unsigned", "The card has no receipt: nobody vouches for what it says.")
        return
    try:
        met = _signed(card["receipt"])
    except EvidenceError as error:
        yield failed("signature", error)
        return
    yield passed("signature")
    yield signer_check(met.public_key, keys)
    yield _statement_check(met.sealed.payload, card)
    yield attempt("inclusion", lambda: _require_inclusion(met))
    yield attempt("checkpoint", lambda: verify_checkpoint(met.checkpoint, met.public_key))


def _signed(receipt: Mapping[str, Any]) -> OpenedReceipt:
    met = opened_receipt(receipt)
    if not met.sealed.is_signed_by(met.public_key):
        refuse("signature_invalid", f"Device {key_id(met.public_key)} has not signed this statement.")
    return met


def _statement_check(payload: bytes, card: dict[str, Any]) -> Check:
    try:
        predicate = _require_statement(payload, card)
    except EvidenceError as error:
        return failed("statement", error)
    return judge("statement", lambda card, read: require_told(predicate, card, read), card)


def _require_statement(payload: bytes, card: Mapping[str, Any]) -> dict[str, Any]:
    """Hold a statement to the kind, the digests and the texts of a card, and return what it says of the outcome."""
    said = parse_statement(payload)
    subjects, predicate = subjects_of(said), said["predicate"]
    if predicate["kind"] != card["kind"]:
        refuse("receipt_of_another_card", f"The receipt is of a {predicate['kind']}, the card is a {card['kind']}.")
    if predicate["digests"] != card["digests"]:
        refuse("receipt_of_another_card", "The receipt states other digests than the card.")
    for name, text in card["canonical"].items():
        if subjects.get(name) != sha256_hex(text.encode()):
            refuse("receipt_of_another_card", f"The {name} of the card is not the one that the receipt is of.")
    return dict(predicate)


def _require_inclusion(met: OpenedReceipt) -> None:
    stated = opened(met.checkpoint).checkpoint
    if met.size != stated.size:
        refuse("inclusion_invalid", f"The proof is for {met.size} entries, the checkpoint for {stated.size}.")
    leaf = leaf_hash(met.sealed.payload)
    if not verify_inclusion(leaf, met.index, met.size, met.proof, stated.root):
        refuse("inclusion_invalid", f"The proof of entry {met.index} does not lead to the root of the checkpoint.")
