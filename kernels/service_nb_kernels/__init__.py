"""Capability packs, their evaluators and the contract: named, read-only computations with a stated promise each."""

from __future__ import annotations

import json
import mmap
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

__all__ = ["contract_hash", "environment", "map_contract"]
LIBRARIES = ("numpy", "scipy", "python-flint")
_CONTRACT = Path(__file__).with_name("contract.json")
# On Linux all pages come at once, in half of the time of one after the other.
_READ_ONLY = (
    {"flags": mmap.MAP_SHARED | mmap.MAP_POPULATE, "prot": mmap.PROT_READ}
    if sys.platform == "linux"
    else {"access": mmap.ACCESS_READ}
)
_IMPORTED_AS = {"python-flint": "flint"}


def map_contract() -> mmap.mmap:
    """Map the compiled contract, a capability a line, into memory: a process copies the few lines that it reads."""
    with _CONTRACT.open("rb") as contract:
        return mmap.mmap(contract.fileno(), 0, **_READ_ONLY)


def contract_hash() -> str:
    """Return the hash that the contract states of itself, on its first line."""
    with _CONTRACT.open("rb") as contract:
        head = json.loads(contract.readline() + b"}}")
    return str(head["contract_hash"])


def environment() -> dict[str, str]:
    """Return the versions of the libraries that compute here; a runtime of some modules may do without one."""
    return {library: version(library) for library in LIBRARIES if find_spec(_IMPORTED_AS.get(library, library))}
