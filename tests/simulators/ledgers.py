"""Entries as a service records them, and keys to sign with: ledgers of any length without questions behind them."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import (
    PLAN_DOMAIN,
    PROVENANCE_DOMAIN,
    RESULT_DOMAIN,
    ROWS_DOMAIN,
    VIEW_DOMAIN,
    compute_sha256_hex,
    digest,
)
from service_nb.evidence.documents import build_statement
from service_nb.evidence.standalone import compute_key_id
from service_nb.ledger.store import Ledger, NewEntry
from service_nb.schema.entry import Predicate
from tests.simulators import shown

DATABASE, SCHEMA = "ledger.sqlite", "5" * 64
COLUMNS = [
    {"name": "carrier", "type": "string", "physical": "string", "role": "key"},
    {"name": "delay", "type": "number", "physical": "float64", "role": "metric"},
    {"name": "count", "type": "number", "physical": "int64", "role": "count"},
]


class Key:
    """A device key."""

    def __init__(self, seed: int = 1) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        raw = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = compute_key_id(raw)
        self.public_key = base64.b64encode(raw).decode()

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def new_entry(
    number: int, *, tenant: str | None = None, result: str | None = None, texts: bool = True, **changes: Any
) -> NewEntry:
    """An answered question, the same for the same number."""
    asked = {"aggregation": "sum", "group_by": ["carrier"], "metric": "delay", "order": "desc"}
    asked["schema_revision"] = SCHEMA
    rows = [{"carrier": "AA", "count": 1, "delay": number}, {"carrier": "UA", "count": 2, "delay": number / 3}]
    source = {"name": f"flights_{number}", "source_id": "5" * 24, "schema_revision": SCHEMA, "row_count": 3}
    source |= {"content": {"algorithm": "sha256-arrow", "rows": 3, "sha256": "5" * 64}, "origin": None, "reading": {}}
    told: dict[str, Any] = {
        "columns": COLUMNS,
        "decision_path": "exact_spec",
        "engine": "direct",
        "method": "exact sum",
    }
    told |= {"notes": {}, "row_count": 2, "shown_rows": 2 if result is None else 0, "sources": [source]}
    view = shown.query(asked, rows, told, query_id=f"query_{number:016x}", latency_ms=number / 7)
    plan, provenance = write_canonical_text(asked), write_canonical_text(told)
    result = result if result is not None else write_canonical_text(rows)
    beside = {key: value for key, value in view.items() if key != "rows"}
    plan_hash = digest(PLAN_DOMAIN, plan)
    hashes = {"plan_hash": plan_hash, "result_hash": digest(RESULT_DOMAIN, plan_hash, result)}
    digests = {
        **hashes,
        "schema_revision": SCHEMA,
        "provenance_hash": digest(PROVENANCE_DOMAIN, provenance),
        "view_hash": digest(VIEW_DOMAIN, write_canonical_text(beside)),
        "rows_hash": digest(ROWS_DOMAIN, write_canonical_text(view["rows"])),
    }
    held = {"plan": plan, "result": result, "provenance": provenance}
    canonical = {name: text for name, text in held.items() if len(text) < 16_000}
    card = {"kind": "query", "version": 1, "canonical": canonical, "digests": digests, "receipt": None, "view": view}
    predicate: Predicate = {
        "version": 1,
        "id": f"query_{number:016x}",
        "kind": "query",
        "time": f"2026-11-21T13:22:52.{number % 1_000_000:06d}Z",
        "tenant": tenant,
        "digests": digests,
        "inputs": [source],
        "bindings": [],
        "determinism": None,
        "place": None,
        "made_by": {"service_nb": "0.1.0", "contract_hash": None},
    }
    fields: dict[str, Any] = {
        "payload": build_statement(
            "query", {name: compute_sha256_hex(text.encode()) for name, text in held.items()}, predicate
        ),
        "texts": held if texts else {},
        "card": write_canonical_text(card),
    }
    return NewEntry(**(fields | changes))


def result_id(number: int) -> str:
    """The id of that entry."""
    return f"query_{number:016x}"


def ledger_of(folder: Path, entries: int, *, signer: Callable[[], Key | None] = Key, large: int = 0) -> Ledger:
    """A closed ledger of that many entries, of which the last `large` have a result in a file of its own."""
    ledger = Ledger(folder, signer)
    small = entries - large
    for start in range(0, small, 250):
        ledger.append([new_entry(number) for number in range(start, min(start + 250, small))])
    for number in range(small, entries):
        ledger.append([new_entry(number, result=large_text(number))])
    ledger.close()
    return ledger


def large_text(number: int) -> str:
    """A result that is too large for the database."""
    return write_canonical_text([["AA", f"{number}-{'x' * 20_000}"]])


def copied(ledger: Path, target: Path) -> Path:
    """A copy of a closed ledger's folder."""
    shutil.copytree(ledger, target)
    return target
