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

from tests.simulators import shown
from tests.simulators.contracts import CAPABILITIES, CONTRACT, HEAD, audit_path, definition, tree

MIME = "application/vnd.service-nb.card.v1+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
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


def _hash_refusal(texts: dict[str, str]) -> str:
    """The hash of a refusal: of codes, slots and candidates, without the sentence."""
    codes = {key: each for key, each in json.loads(texts["resolution"]).items() if key != "reason"}
    return digest("service:refusal:v2", texts["spec"], "\0", text(codes))


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
        digests["refusal_hash"] = _hash_refusal(texts)
    if "error" in texts:
        digests["error_hash"] = digest("service:error:v1", texts["error"])
    if "arguments" in texts:
        digests["input_hash"] = sha256(texts["arguments"].encode()).hex()
    if "identity" in texts:
        digests["invocation_hash"] = digest("service:invocation:v1", texts["identity"])
        digests["contract_hash"] = json.loads(texts["identity"])["contract_hash"]
    if "value" in texts:
        digests["computation_hash"] = digest("service:computation:v1", digests["invocation_hash"], texts["value"])
    if "definition" in texts:
        digests["definition_hash"] = digest("service:definition:v1", texts["definition"])
    if "provenance" in texts:
        digests["provenance_hash"] = digest("service:provenance:v1", texts["provenance"])
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
_COLUMNS = [
    {"name": "carrier", "type": "string", "physical": "string", "role": "key"},
    {"name": "arr_delay", "type": "number", "physical": "float64", "role": "metric"},
    {"name": "count", "type": "number", "physical": "int64", "role": "count"},
]
_PLAN = {
    "aggregation": "sum",
    "group_by": ["carrier"],
    "metric": "arr_delay",
    "order": "asc",
    "schema_revision": _SCHEMA,
}
_RESULT: list[list[Any]] = [["AA", 1.5, 4], ["Ünïted \u2028 €", 2.1, 2], [None, 12345678901.25, 7], ["ZZ", 1e21, 1]]
_SOURCE = {
    "name": "flights",
    "source_id": sha256(b"the source of the samples").hex()[:24],
    "schema_revision": _SCHEMA,
    "row_count": 14,
    "content": {"algorithm": "sha256-arrow", "rows": 14, "sha256": sha256(b"the rows of the samples").hex()},
    "origin": {"file": "flights.csv"},
    "reading": {"nulls": ["n/a"]},
}
_ARGUMENTS = [0.1, [-100, 60.5, 1e17]]
_FLOWS = sha256(text(_ARGUMENTS[1]).encode()).hex()
_BINDING = {"source_name": "flights", "fields": ["arr_delay"], "parameters": ["cashflows"], "input_hash": _FLOWS}
_BINDING |= {"schema_revision": _SCHEMA, "row_count": 3, "dropped": 11}


def query_card(rows: int = 3) -> dict[str, Any]:
    result = [dict(zip(("carrier", "arr_delay", "count"), row, strict=True)) for row in _RESULT[:rows]]
    how: dict[str, Any] = {
        "columns": _COLUMNS,
        "decision_path": "exact_spec",
        "engine": "direct",
        "method": "exact sum, rounded once",
    }
    how |= {"notes": {"nulls": "2 rows have no arr_delay"}, "row_count": rows, "shown_rows": rows, "sources": [_SOURCE]}
    view = shown.query(_PLAN, result, how, query_id=f"query_{rows:016x}", latency_ms=0.25)
    return card("query", {"plan": _PLAN, "result": result, "provenance": how}, view)


def computation_card(npv: float = 42.125) -> dict[str, Any]:
    identity = {
        "args": [],
        "contract_hash": CONTRACT,
        "execution_scope": "linux-x64:local",
        "function": "npv",
        "kwargs": {"rate": _ARGUMENTS[0]},
        "module": "finance",
        "resolved_bindings": [{"input_hash": _FLOWS}],
        "seed": None,
    }
    defined = definition(HEAD, CAPABILITIES, "finance.npv")
    entry = defined["capability"]
    determinism: dict[str, Any] = {
        "thread_count": 1,
        "input_hash": sha256(text(_ARGUMENTS).encode()).hex(),
        "tier": entry["tier"],
    }
    determinism |= {"capability_version": entry["version"], "libraries": {"libc": "glibc 2.36"}}
    how = {"bindings": [_BINDING], "determinism": determinism, "sources": [_SOURCE]}
    number = sha256(text(npv).encode()).hex()[:16]
    view = shown.computation(identity, npv, entry, how, request_id=f"service_{number}", latency_ms=3)
    texts = {"identity": identity, "arguments": _ARGUMENTS, "value": npv, "definition": defined, "provenance": how}
    return card("computation", texts, view)


def refusal_card(kind: str) -> dict[str, Any]:
    status = {"clarification": "needs_clarification", "rejection": "rejected"}[kind]
    metric = {"clarification": "delay", "rejection": "password"}[kind]
    candidate = {"slot": "metric", "name": "arr_delay", "type": "number", "ask": "sum arr_delay from flights"}
    told: dict[str, Any] = {"missing": [], "did_you_mean": [], "candidates": []}
    if kind == "clarification":
        told |= {"reason": "delay could be arr_delay or dep_delay", "rejection_reason": None, "rule": None}
        told |= {"did_you_mean": ["arr_delay", "dep_delay"], "candidates": [candidate]}
    else:
        told |= {"reason": "flights has no column password.", "rejection_reason": "unknown_field", "rule": "by name"}
    spec = {"aggregation": "sum", "metric": metric, "source_name": "flights"}
    return card(kind, {"spec": spec, "resolution": told}, shown.refusal(spec, told, status))


def error_card() -> dict[str, Any]:
    told: dict[str, Any] = {"code": "limit_exceeded", "hint": None, "message": "The file has 9 rows, more than 8."}
    told |= {"retryable": False, "source": "engine"}
    return card("error", {"error": told}, shown.error(told))


def replay_card(status: str = "identical") -> dict[str, Any]:
    met = sha256(b"the result of the samples").hex()
    report = {
        "status": status,
        "subject": "query_00",
        "result_id": "query_00",
        "kind": "query",
        "question": "Sum of arr_delay by carrier in flights",
        "cause": None,
        "message": "The same plan on the same content gave the same rows.",
        "digest": "result_hash",
        "expected": met,
        "met": met,
        "sources": [{"name": "flights", "found": "registered", "sha256": met, "schema_revision": _SCHEMA}],
        "changes": [],
        "comparison": None,
        "time": None,
        "signer": None,
        "verified": "consistent",
    }
    return card("replay", {"report": report}, shown.replay(report))


def cards() -> list[dict[str, Any]]:
    """One unsigned card of each kind, and a second query and computation."""
    refusals = [refusal_card("clarification"), refusal_card("rejection")]
    answers = [query_card(), computation_card(), query_card(4), computation_card(-0.5)]
    return [answers[0], *refusals, error_card(), answers[1], replay_card(), *answers[2:]]


# --- statements, envelopes, ledgers -----------------------------------------------------------------------------------


def statement(card: dict[str, Any], number: int = 0, **changes: Any) -> dict[str, Any]:
    """What is signed of a card; `changes` are of the predicate."""
    kind, view, told = card["kind"], card["view"], _provenance(card)
    predicate = {
        "version": 1,
        "id": view.get("query_id") or view.get("request_id") or f"{kind}_{number:016x}",
        "kind": kind,
        "time": f"2026-11-21T13:22:{number:02}.123456Z",
        "tenant": None,
        "digests": card["digests"],
        "inputs": told.get("sources", []),
        "bindings": told.get("bindings", []),
        "determinism": told.get("determinism"),
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


def _provenance(card: dict[str, Any]) -> dict[str, Any]:
    """How an outcome came about, as its card tells it; nothing where a forger left nothing of it."""
    try:
        told = value(card["canonical"].get("provenance", "{}"))
    except (ValueError, TypeError):
        return {}
    return told if isinstance(told, dict) else {}


def payload_of(card: dict[str, Any], number: int = 0) -> bytes:
    return text(statement(card, number)).encode()


def envelope(payload: bytes, key: Key | None) -> dict[str, Any]:
    pae = b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)
    signatures = [{"keyid": key.id, "sig": b64(key.sign(pae))}] if key else []
    return {"payloadType": PAYLOAD_TYPE, "payload": b64(payload), "signatures": signatures}


def leaf(payload: bytes) -> bytes:
    return sha256(b"\0" + payload)


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
        return checkpoint(self.id, len(self.payloads), tree(self.leaves), self.key)

    @property
    def leaves(self) -> list[bytes]:
        return [leaf(payload) for payload in self.payloads]

    def receipt(self, index: int) -> dict[str, Any]:
        assert self.key is not None
        way = [each.hex() for each in audit_path(index, self.leaves)]
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
    predicate: dict[str, Any] = {"version": 1, "time": "2026-11-21T14:00:00.000000Z", "cards": listed}
    made: dict[str, Any] = {
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
