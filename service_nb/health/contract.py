"""The contract of this package: its hash is computed anew, and a few of its values too.

The hash is computed by what is written of it, not by what wrote it: the kernels compile the contract with their own
code, and here it is read and put into canonical form as any other reader would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from service_nb.base.canonical import canonical_bytes
from service_nb.base.digest import sha256_hex
from service_nb.health.check import Check

if TYPE_CHECKING:
    from service_nb.service import Service

# What may change without a change of any value: no hash covers it.
_PROSE = frozenset({"summary", "source", "keywords", "latex", "cases", "digest"})
_PROSE_OF_PARTS = frozenset({"about", "symbol"})

# From outside: mpmath 1.4 at 60 digits, of the doubles as they stand, rounded once; the last one by hand.
KNOWN = (
    ("finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]", 505.0201488969332),
    ("option_pricing.black_scholes_call spot=42 strike=40 time=0.5 rate=0.1 volatility=0.2", 4.759422392871533),
    ("special.gamma x=0.1", 9.51350769866873),
    ("stats.mean values=[1e16, 1, -1e16, 1]", 0.5),
)


def contract(content: bytes, stated: str) -> Check:
    """Compare the hash that a contract states with that of what it says."""
    computed = computed_hash(content)
    if computed == stated:
        return Check(name="contract", found=computed)
    return Check(name="contract", ok=False, found=f"it states {stated}, and what it says has {computed}")


def computed_hash(content: bytes) -> str:
    """Return the hash of what a contract says, whatever it states."""
    return f"sha256:{sha256_hex(canonical_bytes(_hashed(orjson.loads(content))))}"


def _hashed(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "contract_version": document["contract_version"],
        "runtime": document["runtime"],
        "capabilities": {
            name: {key: _bare(value) for key, value in entry.items() if key not in _PROSE}
            for name, entry in document["capabilities"].items()
        },
    }


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(part) for key, part in value.items() if key not in _PROSE_OF_PARTS}
    return [_bare(part) for part in value] if isinstance(value, list) else value


def values(service: Service, where: str, modules: Sequence[str] = ()) -> Iterator[Check]:
    """Compute what is known, of these modules if any are named, and compare the bits."""
    for line, expected in KNOWN:
        if modules and line.partition(".")[0] not in modules:
            continue
        met = service.compute(line)["value"]
        found = repr(met) if met == expected else f"{met!r}; the right double is {expected!r}"
        yield Check(name=f"{where}: {line.partition(' ')[0]}", ok=met == expected, found=found)
