"""Cards, receipts, notebooks and ledgers for the vectors, made without the code that they test.

Hashes by hashlib, canonical JSON by `rfc8785`, envelopes by `securesystemslib`, signatures by `cryptography`, the tree
by the recursive definitions of RFC 6962. The texts of the cards are in `evidence/parts.json`; all but the replay are of
real results.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope

FOLDER = Path(__file__).parent / "evidence"
PARTS = json.loads((FOLDER / "parts.json").read_text(encoding="utf-8"))
MIME = "application/vnd.service-nb.card.v1+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
LEDGER_ID = "00112233445566778899aabbccddeeff"
IDS = {"query": "query", "computation": "service", "replay": "replay", "error": "error"}
URNS = {"clarification": "refusal", "rejection": "refusal"}
CONTRACT = json.loads(PARTS["computation"]["canonical"]["identity"])["contract_hash"]

Json = dict[str, Any]


class Key:
    """An Ed25519 key from a fixed seed; `sign` may be replaced by a test that signs oddly."""

    def __init__(self, name: str) -> None:
        private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"service_nb vectors: {name}".encode()).digest())
        self.public: bytes = private.public_key().public_bytes_raw()
        self.sign: Callable[[bytes], bytes] = private.sign
        der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.keyid = hashlib.sha256(der).hexdigest()[:16]
        self.text = b64(self.public)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def canonical(value: Any) -> str:
    return rfc8785.dumps(value).decode()


def sha(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def h(domain: str, text: str) -> str:
    return sha(f"service:{domain}:v1\0{text}")


# --- cards --------------------------------------------------------------------------------------------------------


def card(kind: str, **changes: Any) -> Json:
    """An unsigned card with the right digests; `changes` replace parts of `canonical` and `view` before hashing."""
    parts = copy.deepcopy(PARTS[kind])
    canonical_, view = parts["canonical"], parts["view"]
    canonical_.update({name: value for name, value in changes.items() if name in canonical_})
    view.update({name: value for name, value in changes.items() if name not in canonical_})
    made = {"kind": kind, "version": 1, "canonical": canonical_, "digests": {}, "receipt": None, "view": view}
    return rehashed(made)


def rehashed(made: Json) -> Json:
    """The card with digests that fit its texts and its view; those of absent texts stay."""
    kind, texts, digests, view = made["kind"], made["canonical"], made["digests"], made["view"]
    if kind == "query" and "plan" in texts:
        digests["plan_hash"] = h("plan", texts["plan"])
        digests["schema_revision"] = json.loads(texts["plan"])["schema_revision"]
    if kind == "query" and "result" in texts:
        digests["result_hash"] = h("result", digests["plan_hash"] + texts["result"])
    if kind in ("clarification", "rejection"):
        digests["refusal_hash"] = refused(texts)
    if kind == "error":
        digests["error_hash"] = h("error", texts["error"])
    if kind == "replay":
        digests["replay_hash"] = h("replay", texts["report"])
    if kind in ("query", "computation") and "provenance" in texts:
        digests["provenance_hash"] = h("provenance", texts["provenance"])
    if kind == "computation":
        digests["definition_hash"] = h("definition", texts["definition"])
        digests["input_hash"] = sha(texts["arguments"])
        digests["invocation_hash"] = h("invocation", texts["identity"])
        digests["computation_hash"] = h("computation", digests["invocation_hash"] + texts["value"])
        digests["contract_hash"] = json.loads(texts["identity"])["contract_hash"]
    digests["view_hash"] = h("view", canonical({name: value for name, value in view.items() if name != "rows"}))
    if "rows" in view:
        digests["rows_hash"] = h("rows", canonical(view["rows"]))
    return made


def refused(texts: Json) -> str:
    """The hash of a refusal: of codes, slots and candidates, without the sentence."""
    try:
        told = json.loads(texts["resolution"])
    except ValueError:
        told = None
    codes = {key: value for key, value in told.items() if key != "reason"} if isinstance(told, dict) else told
    return sha(f"service:refusal:v2\0{texts['spec']}\0{canonical(codes)}")


def stripped(made: Json, *texts: str) -> Json:
    """The card without some of its texts and without its rows, as it is stored where values are to stay out."""
    made = copy.deepcopy(made)
    for name in texts:
        del made["canonical"][name]
    made["view"]["rows"] = []
    return made


# --- statements, envelopes, ledgers --------------------------------------------------------------------------------


def told(made: Json) -> Json:
    """How an outcome came about, as its statement has it: the same as in its card."""
    try:
        provenance = json.loads(made["canonical"].get("provenance", "{}"))
    except ValueError:
        provenance = {}
    return {
        "inputs": provenance.get("sources", []),
        "bindings": provenance.get("bindings", []),
        "determinism": provenance.get("determinism"),
    }


def statement(made: Json, number: int = 0, **changes: Any) -> Json:
    kind, view = made["kind"], made["view"]
    predicate = {
        "version": 1,
        "id": view.get("query_id") or view.get("request_id") or f"{IDS.get(kind, 'refusal')}_{number:016x}",
        "kind": kind,
        "time": f"2026-11-21T13:22:{number % 60:02d}.123456Z",
        "tenant": None,
        "digests": made["digests"],
        **told(made),
        "place": {"notebook": "report.ipynb", "cell": f"cell-{number}"},
        "made_by": {"service_nb": "0.5.0", "contract_hash": made["digests"].get("contract_hash")},
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": f"urn:service-nb:{URNS.get(kind, kind)}:v1",
        "subject": [
            {"name": name, "digest": {"sha256": sha(text)}} for name, text in sorted(made["canonical"].items())
        ],
        "predicate": predicate | changes,
    }


def envelope(payload: bytes, key: Key | None, payload_type: str = PAYLOAD_TYPE) -> Json:
    if key is None:
        return {"payloadType": payload_type, "payload": b64(payload), "signatures": []}
    sig = key.sign(Envelope(payload, payload_type, {}).pae())
    return {
        "payloadType": payload_type,
        "payload": b64(payload),
        "signatures": [{"keyid": key.keyid, "sig": b64(sig)}],
    }


def leaf(payload: bytes) -> bytes:
    return hashlib.sha256(b"\0" + payload).digest()


def mth(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, section 2.1."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return hashlib.sha256(b"\1" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """RFC 6962, section 2.1.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def note(size: int, root: bytes, key: Key | None, ledger: str = LEDGER_ID) -> str:
    text = f"service-nb/{ledger}\n{size}\n{b64(root)}\n"
    if key is None:
        return text + "\n"
    name = f"service-nb/device/{key.keyid}"
    hint = hashlib.sha256(name.encode() + b"\n\x01" + key.public).digest()[:4]
    return f"{text}\n— {name} {b64(hint + key.sign(text.encode()))}\n"


def receipt(payload: bytes, key: Key, *, index: int = 4, size: int = 7) -> Json:
    """A receipt for the entry at `index` of a ledger of `size`; the other entries are any bytes."""
    leaves = [leaf(payload if at == index else b"entry %d" % at) for at in range(size)]
    return {
        "version": 1,
        "envelope": envelope(payload, key),
        "public_key": key.text,
        "log": {
            "index": index,
            "size": size,
            "proof": [value.hex() for value in path(index, leaves)],
            "checkpoint": note(size, mth(leaves), key),
        },
    }


def signed(made: Json, key: Key, number: int = 0, **place: int) -> Json:
    """The card with a receipt."""
    payload = canonical(statement(made, number)).encode()
    return copy.deepcopy(made) | {"receipt": receipt(payload, key, **place)}


# --- documents ----------------------------------------------------------------------------------------------------


def code(number: int, *cards: Any) -> Json:
    """A code cell that shows cards."""
    outputs = [{"output_type": "display_data", "metadata": {}, "data": {MIME: each}} for each in cards]
    return {
        "cell_type": "code",
        "id": f"cell-{number}",
        "metadata": {},
        "execution_count": number,
        "source": ["…"],
        "outputs": outputs,
    }


def words(number: int) -> Json:
    return {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": ["# Delays"]}


def notebook(*cells: Json, **metadata: Any) -> Json:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}


def index(cards: Sequence[tuple[str | None, Json]], key: Key, **changes: Any) -> Json:
    """The index of cards, each with the id of its cell."""
    listed = [
        {"cell": cell, "kind": each["kind"], "id": None, "digest": sha(canonical(each["digests"]))}
        for cell, each in cards
    ]
    said = {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "urn:service-nb:index:v1",
        "subject": [{"name": "cards", "digest": {"sha256": sha(canonical(listed))}}],
        "predicate": {"version": 1, "time": "2026-11-21T13:30:00.000000Z", "cards": listed},
    } | changes
    return {"version": 1, "envelope": envelope(canonical(said).encode(), key), "public_key": key.text}


def ledger(cards: Sequence[Json], key: Key | None, **changes: Any) -> Json:
    """A ledger document with an entry for each card."""
    payloads = [canonical(statement(each, number)).encode() for number, each in enumerate(cards)]
    return ledger_of(payloads, key, [text for each in cards for text in each["canonical"].values()]) | changes


def ledger_of(payloads: Sequence[bytes], key: Key | None, texts: Sequence[str] = ()) -> Json:
    return {
        "service_nb_ledger": 1,
        "ledger": LEDGER_ID,
        "entries": [envelope(payload, key) for payload in payloads],
        "public_key": key and key.text,
        "checkpoint": note(len(payloads), mth([leaf(payload) for payload in payloads]), key),
        "texts": {sha(text): text for text in texts},
    }
