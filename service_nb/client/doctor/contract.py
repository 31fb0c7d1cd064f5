"""The contract of this package: its hash is computed anew, and a few of its values too.

The hash is computed by what is written of it, not by what wrote it: the kernels compile the contract with their own
code, and here it is read and put into canonical form as any other reader would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

from service_nb.client.doctor.check import Check
from service_nb.core.canonical import canonical_bytes
from service_nb.core.merkle import complete_nodes, compute_root, hash_leaf

if TYPE_CHECKING:
    from service_nb.client.service import Service

# Of an entry: what no card shows, and no hash covers.
_UNDEFINED = frozenset({"keywords", "cases", "digest", "leaf"})

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
    document = orjson.loads(content)
    leaves = [{key: document[key] for key in ("contract_version", "runtime")}]
    leaves += [_definition(document["capabilities"][name]) for name in sorted(document["capabilities"])]
    nodes: dict[tuple[int, int], bytes] = {}
    for size, leaf in enumerate(map(hash_leaf, map(canonical_bytes, leaves))):
        made = complete_nodes(size, leaf, lambda level, index: nodes[level, index])
        nodes.update({(level, index): value for level, index, value in made})
    return f"sha256:{compute_root(len(leaves), lambda level, index: nodes[level, index]).hex()}"


def _definition(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key not in _UNDEFINED}


def values(service: Service, where: str, modules: Sequence[str] = ()) -> Iterator[Check]:
    """Compute what is known, of these modules if any are named, and compare the bits."""
    for line, expected in KNOWN:
        if modules and line.partition(".")[0] not in modules:
            continue
        met = service.compute(line)["value"]
        found = repr(met) if met == expected else f"{met!r}; the right double is {expected!r}"
        yield Check(name=f"{where}: {line.partition(' ')[0]}", ok=met == expected, found=found)
