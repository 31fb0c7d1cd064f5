"""Entries as a service records them, and keys to sign with: ledgers of any length without questions behind them."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from service_nb.base.canonical import canonical_text
from service_nb.base.digest import ROWS_DOMAIN, VIEW_DOMAIN, digest, plan_hash, result_hash, sha256_hex
from service_nb.evidence.keys import key_id
from service_nb.evidence.statement import statement
from service_nb.ledger.entries import NewEntry
from service_nb.ledger.store import Ledger
from service_nb.records.entry import Predicate

DATABASE = "ledger.sqlite"


class Key:
    """A device key."""

    def __init__(self, seed: int = 1) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        raw = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = key_id(raw)
        self.public_key = base64.b64encode(raw).decode()

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def new_entry(
    number: int, *, tenant: str | None = None, result: str | None = None, texts: bool = True, **changes: Any
) -> NewEntry:
    """An answered question, the same for the same number."""
    plan = canonical_text({"schema_revision": "5" * 64, "source_name": "flights", "limit": number})
    result = result if result is not None else canonical_text([["AA", number], ["UA", number / 3]])
    view = {
        "status": "ok",
        "question": f"Question {number}: Größe",
        "latency_ms": number / 7,
        "row_count": 2,
        "rows": [["AA", "1"]],
    }
    shown = {key: value for key, value in view.items() if key != "rows"}
    hashes = {"plan_hash": plan_hash(plan), "result_hash": result_hash(plan_hash(plan), result)}
    digests = {
        **hashes,
        "schema_revision": "5" * 64,
        "view_hash": digest(VIEW_DOMAIN, canonical_text(shown)),
        "rows_hash": digest(ROWS_DOMAIN, canonical_text(view["rows"])),
    }
    held = {"plan": plan, "result": result}
    canonical = {name: text for name, text in held.items() if len(text) < 16_000}
    card = {"kind": "query", "version": 1, "canonical": canonical, "digests": digests, "receipt": None, "view": view}
    predicate: Predicate = {
        "version": 1,
        "id": f"query_{number:016x}",
        "kind": "query",
        "time": f"2026-11-21T13:22:52.{number % 1_000_000:06d}Z",
        "tenant": tenant,
        "digests": digests,
        "inputs": [],
        "bindings": [],
        "determinism": None,
        "place": None,
        "made_by": {"service_nb": "0.1.0", "contract_hash": None},
    }
    fields: dict[str, Any] = {
        "id": predicate["id"],
        "kind": "query",
        "time": predicate["time"],
        "payload": statement("query", {name: sha256_hex(text.encode()) for name, text in held.items()}, predicate),
        "texts": held if texts else {},
        "card": canonical_text(card),
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
    return canonical_text([["AA", f"{number}-{'x' * 20_000}"]])


def copied(ledger: Path, target: Path) -> Path:
    """A copy of a closed ledger's folder."""
    shutil.copytree(ledger, target)
    return target
