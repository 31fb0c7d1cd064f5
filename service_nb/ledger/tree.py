"""The Merkle tree as it is stored: each leaf's row holds the hashes of the subtrees that this leaf completes.

A subtree of 2**level leaves at `index` is complete with leaf (index + 1) * 2**level - 1, so its hash stands in that
row, at place `level`: appending writes one row at the end, and a proof reads one row a hash.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from service_nb.core.merkle import HASH_BYTES, Nodes, new_nodes, root
from service_nb.ledger.faults import refuse


def stored_nodes(connection: sqlite3.Connection) -> Nodes:
    """Return the hashes of a ledger, by level and index."""

    def node(level: int, index: int) -> bytes:
        number = (index + 1 << level) - 1
        found = connection.execute("SELECT hashes FROM tree WHERE number = ?", (number,)).fetchone()
        value = found[0][level * HASH_BYTES : (level + 1) * HASH_BYTES] if found and type(found[0]) is bytes else b""
        if len(value) != HASH_BYTES:
            refuse("damaged", f"The tree of the ledger has no hash at level {level}, index {index}.")
        return bytes(value)

    return node


class Growing:
    """A tree to which leaves are appended, held by the roots of its complete subtrees alone, one a level."""

    def __init__(self, size: int = 0, peaks: Mapping[int, bytes] | None = None) -> None:
        self.size = size
        self._peaks = dict(peaks or {})
        self.made: dict[tuple[int, int], bytes] = {}  # what was appended, if it is kept for proofs

    @classmethod
    def of(cls, size: int, nodes: Nodes) -> Growing:
        """Return the tree of the first `size` leaves."""
        levels = (level for level in range(size.bit_length()) if size >> level & 1)
        return cls(size, {level: nodes(level, (size >> level) - 1) for level in levels})

    def append(self, leaf: bytes, *, keeps: bool = False) -> bytes:
        """Append a leaf, and return the hashes that it completes, one after the other."""
        made = new_nodes(self.size, leaf, self._peak)
        for level, _, _ in made[:-1]:
            self._peaks.pop(level, None)
        self._peaks[made[-1][0]] = made[-1][2]
        self.size += 1
        if keeps:
            self.made.update({(level, index): value for level, index, value in made})
        return b"".join(value for _, _, value in made)

    def root(self) -> bytes:
        """Return the root of what there is."""
        return root(self.size, self._peak)

    def node(self, level: int, index: int) -> bytes:
        """Return a hash that the proof of a leaf appended here needs: made here, or a subtree that was there."""
        return self.made.get((level, index)) or self._old[level, index]

    def begin(self) -> None:
        """Remember the subtrees that are there, for proofs of what is appended from now on."""
        self.made = {}
        self._old = {(level, (self.size >> level) - 1): value for level, value in self._peaks.items()}

    def copy(self) -> Growing:
        """Return a tree that grows on its own."""
        return Growing(self.size, self._peaks)

    def _peak(self, level: int, _: int) -> bytes:
        return self._peaks[level]
