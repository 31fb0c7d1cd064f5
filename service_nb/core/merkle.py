"""The Merkle tree of RFC 6962, section 2.1: a root over all entries, and short proofs of what it holds.

A leaf is SHA-256(0x00, entry), a node SHA-256(0x01, left, right), and the root of no entries SHA-256 of nothing. The
tree of n leaves is split at the largest power of two below n, so the complete subtrees never change when leaves are
appended: a store keeps each of them once, and gives it out by level and index. Whatever is asked of the tree reads
about log2(n) of them.

The checks are those of RFC 9162, sections 2.1.3.2 and 2.1.4.2. They take what they are given as hostile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service_nb.core.digest import compute_sha256

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


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Tell whether `proof` leads from a leaf at `index` to the root of a tree of `size`."""
    if not 0 <= index < size or len(proof) > size.bit_length():
        return False
    at, last, value = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            value = hash_node(sibling, value)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            value = hash_node(value, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and value == root


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
