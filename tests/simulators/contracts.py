"""A contract of four capabilities, and contracts as trees of RFC 6962, with hashlib and rfc8785 alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import rfc8785

Json = dict[str, Any]


def tree(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, 2.1, as it is defined there."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree(leaves[:half]) + tree(leaves[half:])).digest()


def audit_path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """RFC 6962, 2.1.1, as it is defined there."""
    if len(leaves) <= 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*audit_path(index, leaves[:half]), tree(leaves[half:])]
    return [*audit_path(index - half, leaves[half:]), tree(leaves[:half])]


def leaves_of(head: Json, entries: Sequence[Json]) -> list[bytes]:
    """The leaves of a contract: its head, then its entries in the order of their ids."""
    told = [head, *sorted(entries, key=lambda entry: str(entry["id"]))]
    return [hashlib.sha256(b"\0" + rfc8785.dumps(each)).digest() for each in told]


def contract_hash(head: Json, entries: Sequence[Json]) -> str:
    return f"sha256:{tree(leaves_of(head, entries)).hex()}"


def definition(head: Json, entries: Sequence[Json], name: str) -> Json:
    """An entry of a contract with the proof that it is one."""
    leaves = leaves_of(head, entries)
    at = sorted(str(entry["id"]) for entry in entries).index(name) + 1
    (entry,) = (entry for entry in entries if entry["id"] == name)
    path = [each.hex() for each in audit_path(at, leaves)]
    return {"capability": entry, "index": at, "size": len(leaves), "proof": path}


HEAD = {"contract_version": 1, "runtime": "0.5.0"}
_NPV: Json = {
    "id": "finance.npv",
    "module": "finance",
    "function": "npv",
    "version": 2,
    "tier": "certified",
    "summary": "Net present value of cash flows at equal intervals.",
    "source": "R. A. Brealey, Principles of Corporate Finance, ch. 2",
    "formula": "sum(c / (1 + rate)**t for t, c in enumerate(cashflows))",
    "latex": r"\mathrm{npv} = \sum_{t} \frac{c_{t}}{(1 + r)^{t}}",
    "params": [
        {"name": "rate", "type": "float64", "unit": "1", "about": "discount rate per period"},
        {"name": "cashflows", "type": "float64[]", "unit": "EUR", "shape": ["n"], "min_size": 1},
    ],
    "result": {"type": "float64", "unit": "EUR", "about": "net present value"},
}
_MEAN = _NPV | {"id": "stats.mean", "module": "stats", "function": "mean", "params": _NPV["params"][1:]}
_IRR = _NPV | {"id": "finance.irr", "function": "irr", "params": _NPV["params"][1:], "formula": "npv(irr) = 0"}
CAPABILITIES = [_NPV, _MEAN, _IRR, _MEAN | {"id": "stats.sum", "function": "sum"}]
CONTRACT = contract_hash(HEAD, CAPABILITIES)
