"""Cards signed as a ledger of one entry signs them: real keys, real proofs, no disk."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service_nb.core.digest import hash_leaf
from service_nb.evidence.documents import assemble_receipt, build_statement, seal, sign_checkpoint
from service_nb.evidence.standalone import Checkpoint, compute_key_id

TIME = "2026-11-21T13:22:52.123456Z"
LEDGER = "0123456789abcdef0123456789abcdef"


class Key:
    """An Ed25519 key made of one byte, which signs as a device does."""

    def __init__(self, seed: int = 1) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        raw = self._private.public_key().public_bytes_raw()
        self.raw, self.id, self.public_key = raw, compute_key_id(raw), base64.b64encode(raw).decode()

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def payload_of(card: Any, **told: Any) -> bytes:
    """The statement of a card, which says of how it came about what the card does."""
    view = card["view"]
    how = json.loads(card["canonical"].get("provenance", "{}"))
    subjects = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in card["canonical"].items()}
    predicate: Any = {
        "version": 1,
        "id": view.get("query_id") or view.get("request_id") or "refusal_0123456789abcdef",
        "kind": card["kind"],
        "time": TIME,
        "tenant": None,
        "digests": card["digests"],
        "inputs": how.get("sources", []),
        "bindings": how.get("bindings", []),
        "determinism": how.get("determinism"),
        "place": None,
        "made_by": {"service_nb": "0.1.0", "contract_hash": card["digests"].get("contract_hash")},
        **told,
    }
    return build_statement(card["kind"], subjects, predicate)


def signed_card(card: Any, key: Key | None = None, **told: Any) -> Any:
    """The card with the receipt of a ledger that holds nothing else."""
    signer = Key() if key is None else key
    payload = payload_of(card, **told)
    note = sign_checkpoint(Checkpoint(f"service-nb/{LEDGER}", 1, hash_leaf(payload)), signer)
    log: Any = {"index": 0, "size": 1, "proof": [], "checkpoint": note}
    return card | {"receipt": assemble_receipt(seal(payload, signer), signer.public_key, log)}
