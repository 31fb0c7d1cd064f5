"""Receipts held against a ledger: it holds the very entry, and goes on from the state that was handed out.

A receipt proves by itself that some ledger held the entry. Only the ledger as it is now shows that nothing was taken
back since: its entry at that place must be the receipt's, and its tree must begin with the receipt's tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from service_nb.core.digest import compute_root, hash_leaf, hash_node
from service_nb.errors import EvidenceError
from service_nb.evidence.documents import open_checkpoint, open_envelope, open_receipt
from service_nb.evidence.standalone import Check, Checkpoint, OpenedReceipt

NAME = "ledger"


class Log(Protocol):
    """A ledger as it is now."""

    @property
    def checkpoint(self) -> Checkpoint:
        """Its own state."""

    def find_payload(self, index: int) -> bytes | None:
        """The statement at a place; None if there is none."""

    def has_prefix(self, old: Checkpoint) -> bool:
        """Tell whether its tree begins with an older one of at most its size."""


class DocumentLog:
    """The ledger of a ledger document, whose tree is computed from its entries and never taken from its checkpoint.

    Raises
    ------
    EvidenceError [evidence_invalid]
        An entry or the checkpoint is malformed.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._payloads = [open_envelope(entry).payload for entry in document["entries"]]
        self._origin = open_checkpoint(document["checkpoint"]).checkpoint.origin

    @property
    def checkpoint(self) -> Checkpoint:
        """See `Log`."""
        size = len(self._payloads)
        return Checkpoint(self._origin, size, compute_root(size, self._find_node))

    def find_payload(self, index: int) -> bytes | None:
        """See `Log`."""
        return self._payloads[index] if 0 <= index < len(self._payloads) else None

    def has_prefix(self, old: Checkpoint) -> bool:
        """See `Log`."""
        return compute_root(old.size, self._find_node) == old.root

    def _find_node(self, level: int, index: int) -> bytes:
        return self._nodes[level][index]

    @cached_property
    def _nodes(self) -> list[list[bytes]]:
        levels = [[hash_leaf(payload) for payload in self._payloads]]
        while len(levels[-1]) > 1:
            below = levels[-1]
            levels.append([hash_node(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])
        return levels


def check_held(card: Mapping[str, object], logs: Sequence[Log]) -> Check | None:
    """Check the receipt of a card against ledgers; None if it has no readable receipt, which other checks report."""
    try:
        receipt = open_receipt(card["receipt"])
        seen = open_checkpoint(receipt.checkpoint).checkpoint
    except (EvidenceError, KeyError, TypeError):
        return None
    log = next((log for log in logs if log.checkpoint.origin == seen.origin), None)
    if log is None:
        return _build_failure("entry_not_in_ledger", "The receipt is of another ledger than the one that was given.")
    return _check_receipt(receipt, seen, log)


def _check_receipt(receipt: OpenedReceipt, seen: Checkpoint, log: Log) -> Check:
    now = log.checkpoint
    if seen.size > now.size:
        return _build_failure("rolled_back", f"The receipt saw {seen.size:,} entries; the ledger has {now.size:,}.")
    if not log.has_prefix(seen):
        return _build_failure("rolled_back", f"The first {seen.size:,} entries are not those that the receipt saw.")
    if log.find_payload(receipt.index) != receipt.sealed.payload:
        return _build_failure("entry_not_in_ledger", f"Entry {receipt.index:,} of the ledger is another one.")
    return Check(name=NAME, status="passed", message=f"Entry {receipt.index:,} of {now.size:,}.")


def _build_failure(cause: str, message: str) -> Check:
    return Check(name=NAME, status="failed", cause=cause, message=message)
