"""Compute all hashes of the package: SHA-256 with a domain for each meaning, ids of results, and Merkle trees.

A domain string and a NUL byte stand before the hashed texts, so that equal texts of different meaning never share a
hash. The versions in the domains change whenever what is hashed changes.

The tree is that of RFC 6962, section 2.1: a leaf is SHA-256(0x00, entry), a node SHA-256(0x01, left, right), and the
root of no entries SHA-256 of nothing. The tree of n leaves is split at the largest power of two below n, so complete
subtrees never change when leaves are appended: a store keeps each of them once, and gives it out by level and index.
Whatever is asked of the tree reads about log2(n) of them. That a proof of inclusion holds is checked in `evidence`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Protocol

from service_nb.core.canonical import write_canonical_text

PLAN_DOMAIN = "service:plan:v1"
RESULT_DOMAIN = "service:result:v1"
REFUSAL_DOMAIN = "service:refusal:v2"
ERROR_DOMAIN = "service:error:v1"
SCHEMA_DOMAIN = "service:schema:v1"
SOURCE_DOMAIN = "service:source:v2"
ID_DOMAIN = "service:id:v1"

PROVENANCE_DOMAIN = "service:provenance:v1"
DEFINITION_DOMAIN = "service:definition:v1"
VIEW_DOMAIN = "service:view:v1"
ROWS_DOMAIN = "service:rows:v1"
REPLAY_DOMAIN = "service:replay:v1"

INVOCATION_DOMAIN = "service:invocation:v1"
COMPUTATION_DOMAIN = "service:computation:v1"

SOURCE_ID_DIGITS = 24
_ID_DIGITS = 16


class _NamedType(Protocol):
    """The properties of a field that are hashed: name and type for a schema, `physical` too for a source."""

    @property
    def name(self) -> str:
        """The field's name."""

    @property
    def type(self) -> str:
        """The field's type."""

    @property
    def physical(self) -> str:
        """The physical type of the field's values."""


class FileDigest:
    """SHA-256 and size of bytes that arrive in blocks."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def update(self, block: bytes | bytearray | memoryview) -> None:
        """Take the next block."""
        self._hash.update(block)
        self.size += memoryview(block).nbytes

    def hexdigest(self) -> str:
        """Return the digest of all blocks so far."""
        return self._hash.hexdigest()


def compute_sha256(data: bytes | bytearray | memoryview) -> bytes:
    """Compute the SHA-256 of `data` without a domain, as 32 bytes."""
    return hashlib.sha256(data).digest()


def compute_sha256_hex(data: bytes | bytearray | memoryview) -> str:
    """Compute the SHA-256 of `data` without a domain, as hex."""
    return hashlib.sha256(data).hexdigest()


def digest(domain: str, *parts: str | bytes) -> str:
    """Compute the hex SHA-256 of `domain`, one NUL byte and the concatenated `parts`, text as UTF-8.

    Parts are not separated: a caller whose parts could be cut differently puts the separator among them.
    """
    state = hashlib.sha256(domain.encode() + b"\0")
    for part in parts:
        state.update(part.encode() if isinstance(part, str) else part)
    return state.hexdigest()


def compute_blocks_sha256(blocks: Iterable[bytes]) -> str:
    """Compute the hex SHA-256 of concatenated blocks, without a domain."""
    state = hashlib.sha256()
    for block in blocks:
        state.update(block)
    return state.hexdigest()


def hash_schema(fields: Iterable[_NamedType]) -> str:
    """Hash a schema: the names and types of its fields, in order."""
    return digest(SCHEMA_DOMAIN, write_canonical_text([{"name": field.name, "type": field.type} for field in fields]))


def identify_source(name: str, fields: Iterable[_NamedType], content: str, reading: Mapping[str, object]) -> str:
    """Compute the id of a source: 24 hex digits over its name, columns, content and reading options.

    `content` is the content's digest, or the text that stands for it. Of columns it takes also how they are held: the
    same cells as float64 and as decimal give different sums. `reading` has the options that were given.
    """
    columns = list(fields)
    held = write_canonical_text({"physical": [column.physical for column in columns], "reading": dict(reading)})
    parts = (name, b"\0", hash_schema(columns), b"\0", content, b"\0", held)
    return digest(SOURCE_DOMAIN, *parts)[:SOURCE_ID_DIGITS]


# --- ids --------------------------------------------------------------------------------------------------------------


class _Names:
    """A sequence of ids derived from a seed: the same seed gives the same ids in the same order."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._numbers = count()

    def create_next(self, kind: str) -> str:
        text = "\0".join((self._seed, kind, str(next(self._numbers))))
        return f"{kind}_{digest(ID_DOMAIN, text)[:_ID_DIGITS]}"


_CURRENT: ContextVar[_Names | None] = ContextVar("names", default=None)


def create_id(kind: str) -> str:
    """Create an id such as `query_` and 16 hex digits: random, or derived from the seed of `named_after`."""
    names = _CURRENT.get()
    return f"{kind}_{secrets.token_hex(_ID_DIGITS // 2)}" if names is None else names.create_next(kind)


@contextmanager
def named_after(seed: str) -> Iterator[None]:
    """Derive the ids of the block's outcomes from `seed`, so that the same work again has the same ids."""
    token = _CURRENT.set(_Names(seed))
    try:
        yield
    finally:
        _CURRENT.reset(token)


# --- Merkle trees -----------------------------------------------------------------------------------------------------

HASH_BYTES = 32
EMPTY_ROOT = compute_sha256(b"")

# (level, index) -> the hash of a complete subtree of 2**level leaves, which starts at leaf index * 2**level.
Nodes = Callable[[int, int], bytes]


def hash_leaf(entry: bytes) -> bytes:
    """Hash one entry as a leaf."""
    return compute_sha256(b"\x00" + entry)


def hash_node(left: bytes, right: bytes) -> bytes:
    """Hash two subtrees as their parent node."""
    return compute_sha256(b"\x01" + left + right)


def list_completed_nodes(size: int, leaf: bytes, nodes: Nodes) -> list[tuple[int, int, bytes]]:
    """List (level, index, hash) of each subtree that appending a leaf to `size` leaves completes, the leaf first."""
    made = [(0, size, leaf)]
    level, value = 0, leaf
    while size >> level & 1:
        value = hash_node(nodes(level, (size >> level) - 1), value)
        level += 1
        made.append((level, size >> level, value))
    return made


def compute_root(size: int, nodes: Nodes) -> bytes:
    """Compute the root of the first `size` leaves."""
    return _hash_span(0, size, nodes) if size else EMPTY_ROOT


def prove_inclusion(index: int, size: int, nodes: Nodes) -> list[bytes]:
    """List the siblings on the path from a leaf to the root of the first `size` leaves, the lowest first."""
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    proof: list[bytes] = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _compute_split(stop - start)
        if index < middle:
            proof.append(_hash_span(middle, stop, nodes))
            stop = middle
        else:
            proof.append(_hash_span(start, middle, nodes))
            start = middle
    return proof[::-1]


def prove_consistency(old: int, new: int, nodes: Nodes) -> list[bytes]:
    """Build the proof that the tree of `old` leaves is a prefix of the tree of `new`; empty if `old` is 0."""
    if not 0 <= old <= new:
        raise ValueError(f"no tree of {old} leaves at the beginning of one of {new}")
    if old in (0, new):
        return []
    proof: list[bytes] = []
    start, stop = 0, new
    while stop != old:
        middle = start + _compute_split(stop - start)
        if old <= middle:
            proof.append(_hash_span(middle, stop, nodes))
            stop = middle
        else:
            proof.append(_hash_span(start, middle, nodes))
            start = middle
    # The subtree at which both trees end is known to whoever knows the old root only if it is the old tree as a whole.
    if start:
        proof.append(_hash_span(start, old, nodes))
    return proof[::-1]


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether `proof` shows that the tree of `old` leaves is a prefix of the tree of `new`."""
    if not 0 <= old <= new or len(proof) > new.bit_length() + 1:
        return False
    if old == 0:
        return not proof and old_root == EMPTY_ROOT and (new > 0 or new_root == EMPTY_ROOT)
    if old == new:
        return not proof and old_root == new_root
    # A complete old tree is itself the subtree at which the proof starts.
    way = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    return bool(way) and _compute_both_roots(old - 1, new - 1, way) == (old_root, new_root)


def _compute_both_roots(at: int, last: int, way: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    while at & 1:
        at, last = at >> 1, last >> 1
    old_value = new_value = way[0]
    for sibling in way[1:]:
        if last == 0:
            return None
        if at & 1 or at == last:
            old_value, new_value = hash_node(sibling, old_value), hash_node(sibling, new_value)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new_value = hash_node(new_value, sibling)
        at, last = at >> 1, last >> 1
    return (old_value, new_value) if last == 0 else None


def _hash_span(start: int, stop: int, nodes: Nodes) -> bytes:
    """Hash the leaves of one subtree; `start` is a multiple of a power of two that is not below their number."""
    parts = []
    while start < stop:
        level = (stop - start).bit_length() - 1
        parts.append(nodes(level, start >> level))
        start += 1 << level
    value = parts.pop()
    while parts:
        value = hash_node(parts.pop(), value)
    return value


def _compute_split(size: int) -> int:
    """Compute the largest power of two below `size`, which is 2 or more."""
    return int(1 << (size - 1).bit_length() - 1)
