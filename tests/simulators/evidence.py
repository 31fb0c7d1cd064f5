"""Genuine evidence, and an honest or dishonest hand that makes it: cards, receipts, notebooks, ledgers.

Written from the shapes in `records` with `cryptography`, `rfc8785` and hashlib alone, so that what verifies it is held
to something that no code of ours has made. Keys, times and ids are fixed: the same evidence in every run.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

MIME = "application/vnd.service-nb.card.v1+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
CONTRACT = "sha256:" + hashlib.sha256(b"the contract of the samples").hexdigest()
LEDGER_ID = hashlib.sha256(b"the ledger of the samples").hexdigest()[:32]
PREDICATES = {"clarification": "refusal", "rejection": "refusal"}


@dataclass(frozen=True)
class Key:
    """An Ed25519 key of a fixed seed."""

    name: str

    @cached_property
    def private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(sha256(self.name.encode()))

    @cached_property
    def raw(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    @cached_property
    def public_key(self) -> str:
        return b64(self.raw)

    @cached_property
    def id(self) -> str:
        der = self.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return sha256(der).hex()[:16]

    def sign(self, data: bytes) -> bytes:
        return self.private.sign(data)


AUTHOR, FORGER = Key("the author"), Key("the forger")


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def text(value: Any) -> str:
    """The canonical JSON of a value."""
    return rfc8785.dumps(value).decode()


def value(canonical: str) -> Any:
    """The value of canonical JSON, in which a large whole float looks like an integer."""
    return json.loads(canonical, parse_int=lambda token: int(token) if abs(int(token)) < 2**53 else float(token))


def digest(domain: str, *parts: str) -> str:
    return sha256(f"{domain}\0{''.join(parts)}".encode()).hex()


# --- cards --------------------------------------------------------------------------------------------------------


def sealed(card: dict[str, Any]) -> dict[str, Any]:
    """The card with the digests that its texts and its view have; those of texts that it does not hold stay."""
    digests, texts, view = dict(card["digests"]), card["canonical"], card["view"]
    if "plan" in texts:
        digests["plan_hash"] = digest("service:plan:v1", texts["plan"])
        digests["schema_revision"] = json.loads(texts["plan"])["schema_revision"]
    if "result" in texts:
        digests["result_hash"] = digest("service:result:v1", digests["plan_hash"], texts["result"])
    if "resolution" in texts:
        digests["refusal_hash"] = digest("service:refusal:v1", texts["spec"], "\0", texts["resolution"])
    if "error" in texts:
        digests["error_hash"] = digest("service:error:v1", texts["error"])
    if "arguments" in texts:
        digests["input_hash"] = sha256(texts["arguments"].encode()).hex()
    if "identity" in texts:
        digests["invocation_hash"] = digest("service:invocation:v1", texts["identity"])
        digests["contract_hash"] = json.loads(texts["identity"])["contract_hash"]
    if "value" in texts:
        digests["computation_hash"] = digest("service:computation:v1", digests["invocation_hash"], texts["value"])
    if "report" in texts:
        digests["replay_hash"] = digest("service:replay:v1", texts["report"])
    digests["view_hash"] = digest("service:view:v1", text({key: view[key] for key in view if key != "rows"}))
    if "rows" in view:
        digests["rows_hash"] = digest("service:rows:v1", text(view["rows"]))
    return card | {"digests": digests}


def card(kind: str, texts: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    """An unsigned card; the texts are given as values."""
    canonical = {name: text(value) for name, value in texts.items()}
    return sealed({"kind": kind, "version": 1, "canonical": canonical, "digests": {}, "receipt": None, "view": view})


_SCHEMA = sha256(b"the schema of the samples").hex()
_PLAN = {
    "aggregation": "sum",
    "decision_path": "exact",
    "group_by": "carrier",
    "metric": "arr_delay",
    "schema_revision": _SCHEMA,
    "source_name": "flights",
}
_IDENTITY = {
    "args": [0.1, {"length": 4, "sha256": sha256(b"flows").hex()}],
    "contract_hash": CONTRACT,
    "execution_scope": "this call",
    "function": "npv",
    "kwargs": {},
    "module": "finance",
    "threshold": 1e17,
}
_REFUSED = {"question": "sum delay from flights", "ask": "sum delay from flights", "missing": [], "did_you_mean": []}


def query_card(rows: int = 3) -> dict[str, Any]:
    values = [["AA", 1.5, 4], ["Ünïted \u2028 €", -0.1, 2], [None, 12345678901.25, 7], ["ZZ", 1e21, 1]][:rows]
    shown = [[None if value is None else str(value) for value in row] for row in values]
    columns = [{"name": "carrier", "type": "text", "physical": "string", "role": "key"}]
    view = {"status": "ok", "question": "Sum of arr_delay by carrier in flights", "columns": columns, "rows": shown}
    view |= {"row_count": rows, "plan": ["Read flights"], "source": {"name": "flights", "row_count": 14}, "notes": []}
    return card("query", {"plan": _PLAN, "result": values}, view | {"latency_ms": 0.25, "query_id": "query_00"})


def computation_card(npv: float = 42.125) -> dict[str, Any]:
    view = {"status": "ok", "call": "finance.npv", "columns": ["value", "unit", "about"], "latex": None}
    view |= {"rows": [[str(npv), "EUR", "net present value"]], "row_count": 1, "tier": "certified", "latency_ms": 3}
    view |= {"determinism": {"thread_count": 1, "seed": None}, "bindings": [], "version": 2}
    texts = {"identity": _IDENTITY, "arguments": [0.1, [-100, 60.5, 70.25]], "value": {"unit": "EUR", "value": npv}}
    return card("computation", texts, view)


def refusal_card(kind: str) -> dict[str, Any]:
    status = {"clarification": "needs_clarification", "rejection": "rejected"}[kind]
    resolution = {"reason": "delay could be arr_delay or dep_delay", "rule": "ambiguous", "status": status}
    spec = {"aggregation": "sum", "metric": "delay", "source_name": "flights"}
    return card(kind, {"spec": spec, "resolution": resolution}, {"status": status, **_REFUSED})


def error_card() -> dict[str, Any]:
    told = {"code": "limit_exceeded", "hint": None, "message": "The file has 9 rows, more than 8."}
    view = {"status": "error", **told}
    return card("error", {"error": told | {"retryable": False, "source": "engine"}}, view)


def replay_card(status: str = "identical") -> dict[str, Any]:
    report = {"of": "query_00", "status": status, "values": 12, "differences": [], "version": 1}
    return card("replay", {"report": report}, {"status": status, "of": "query_00", "values": 12})


def cards() -> list[dict[str, Any]]:
    """One unsigned card of each kind, and a second query and computation."""
    refusals = [refusal_card("clarification"), refusal_card("rejection")]
    answers = [query_card(), computation_card(), query_card(4), computation_card(-0.5)]
    return [answers[0], *refusals, error_card(), answers[1], replay_card(), *answers[2:]]


# --- statements, envelopes, ledgers -----------------------------------------------------------------------------------


def statement(card: dict[str, Any], number: int = 0, **changes: Any) -> dict[str, Any]:
    """What is signed of a card; `changes` are of the predicate."""
    kind = card["kind"]
    predicate = {
        "version": 1,
        "id": f"{kind}_{number:016x}",
        "kind": kind,
        "time": f"2026-11-21T13:22:{number:02}.123456Z",
        "tenant": None,
        "digests": card["digests"],
        "inputs": [],
        "bindings": [],
        "determinism": {"thread_count": 1} if kind == "computation" else None,
        "place": {"notebook": "report.ipynb", "cell": f"cell-{number}"},
        "made_by": {"service_nb": "0.5.0", "contract_hash": CONTRACT if kind == "computation" else None},
    }
    subjects = {name: sha256(each.encode()).hex() for name, each in card["canonical"].items()}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": f"urn:service-nb:{PREDICATES.get(kind, kind)}:v1",
        "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
        "predicate": predicate | changes,
    }


def payload_of(card: dict[str, Any], number: int = 0) -> bytes:
    return text(statement(card, number)).encode()


def envelope(payload: bytes, key: Key | None) -> dict[str, Any]:
    pae = b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)
    signatures = [{"keyid": key.id, "sig": b64(key.sign(pae))}] if key else []
    return {"payloadType": PAYLOAD_TYPE, "payload": b64(payload), "signatures": signatures}


def leaf(payload: bytes) -> bytes:
    return sha256(b"\0" + payload)


def root(leaves: list[bytes]) -> bytes:
    """RFC 6962, 2.1, as it is defined there."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else sha256(b"")
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + root(leaves[:half]) + root(leaves[half:]))


def proof(index: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962, 2.1.1, as it is defined there."""
    if len(leaves) <= 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*proof(index, leaves[:half]), root(leaves[half:])]
    return [*proof(index - half, leaves[half:]), root(leaves[:half])]


def checkpoint(ledger: str, size: int, tree: bytes, key: Key | None) -> str:
    note = f"service-nb/{ledger}\n{size}\n{b64(tree)}\n"
    if key is None:
        return note + "\n"
    name = f"service-nb/device/{key.id}"
    hint = sha256(name.encode() + b"\n\x01" + key.raw)[:4]
    return f"{note}\n— {name} {b64(hint + key.sign(note.encode()))}\n"


@dataclass
class Log:
    """A ledger: payloads in order, and the texts of their subjects."""

    key: Key | None = AUTHOR
    id: str = LEDGER_ID
    payloads: list[bytes] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def append(self, card: dict[str, Any]) -> int:
        self.payloads.append(payload_of(card, len(self.payloads)))
        self.texts |= {sha256(each.encode()).hex(): each for each in card["canonical"].values()}
        return len(self.payloads) - 1

    def note(self) -> str:
        return checkpoint(self.id, len(self.payloads), root(self.leaves), self.key)

    @property
    def leaves(self) -> list[bytes]:
        return [leaf(payload) for payload in self.payloads]

    def receipt(self, index: int) -> dict[str, Any]:
        assert self.key is not None
        way = [each.hex() for each in proof(index, self.leaves)]
        log = {"index": index, "size": len(self.payloads), "proof": way, "checkpoint": self.note()}
        made = envelope(self.payloads[index], self.key)
        return {"version": 1, "envelope": made, "public_key": self.key.public_key, "log": log}

    def document(self) -> dict[str, Any]:
        return {
            "service_nb_ledger": 1,
            "ledger": self.id,
            "entries": [envelope(payload, self.key) for payload in self.payloads],
            "public_key": self.key.public_key if self.key else None,
            "checkpoint": self.note(),
            "texts": dict(self.texts),
        }


def log_of(unsigned: list[dict[str, Any]], key: Key | None = AUTHOR, ledger: str = LEDGER_ID) -> Log:
    made = Log(key, ledger)
    for each in unsigned:
        made.append(each)
    return made


def signed(unsigned: list[dict[str, Any]], key: Key = AUTHOR, ledger: str = LEDGER_ID) -> list[dict[str, Any]]:
    """Cards with the receipts of one ledger, each as it was when the last had been appended."""
    made = log_of(unsigned, key, ledger)
    return [each | {"receipt": made.receipt(index)} for index, each in enumerate(unsigned)]


def signed_alone(unsigned: dict[str, Any], key: Key) -> dict[str, Any]:
    """A card as a forger would sign it: in a ledger of its own, with its digests as they are."""
    return unsigned | {"receipt": log_of([unsigned], key).receipt(0)}


# --- notebooks --------------------------------------------------------------------------------------------------------


def notebook(shown: list[dict[str, Any]]) -> dict[str, Any]:
    """A notebook of one card a cell, the second with two outputs, and a cell of prose between."""
    prose = {"cell_type": "markdown", "id": "prose", "metadata": {}, "source": ["# Report"]}
    cells: list[dict[str, Any]] = [prose]
    for number, each in enumerate(shown):
        stream = {"output_type": "stream", "name": "stdout", "text": ["read\n"]}
        output = {"output_type": "display_data", "metadata": {}, "data": {MIME: each}}
        cell = {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": [], "execution_count": number}
        cells.append(cell | {"outputs": [stream, output] if number == 1 else [output]})
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def index_of(shown: list[dict[str, Any]], key: Key) -> dict[str, Any]:
    """The index that seals a notebook of these cards."""
    listed = []
    for number, each in enumerate(shown):
        hashed = sha256(rfc8785.dumps(each["digests"])).hex()
        listed.append(
            {"cell": f"cell-{number}", "kind": each["kind"], "id": f"{each['kind']}_{number}", "digest": hashed}
        )
    predicate = {"version": 1, "time": "2026-11-21T14:00:00.000000Z", "cards": listed}
    made = {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "urn:service-nb:index:v1",
        "subject": [{"name": "cards", "digest": {"sha256": sha256(rfc8785.dumps(listed)).hex()}}],
        "predicate": predicate,
    }
    return {"version": 1, "envelope": envelope(rfc8785.dumps(made), key), "public_key": key.public_key}


def sealed_notebook(shown: list[dict[str, Any]], key: Key = AUTHOR) -> dict[str, Any]:
    made = copy.deepcopy(notebook(shown))
    made["metadata"]["service_nb"] = index_of(shown, key)
    return made
