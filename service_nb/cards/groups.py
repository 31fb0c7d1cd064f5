"""What a list of computations says of itself: how many of which call. Their values stand on their own cards alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Sentence, Status
from service_nb.cards.bundle import Bundle, write_bundle

MOST_CARDS = 20  # that a cell shows of a list


def groups_bundle(computations: Sequence[Mapping[str, Any]], *, shown: int = 0) -> Bundle:
    """Return the bundle of a list of computations, of which so many are shown already."""
    return write_bundle(_blocks(computations, shown))


def _blocks(computations: Sequence[Mapping[str, Any]], shown: int) -> list[Block]:
    said = fmt.count(len(computations), "computation")
    calls = Counter(f"{each['module']}.{each['function']}" for each in computations)
    note = ", ".join(call for call, _ in calls.most_common(3)) + (", …" if len(calls) > 3 else "")
    status = Status(tone="source", label=f"First {shown} of {said}" if shown else said, note=note)
    hint = Sentence(text="Each has its own card: select one by its index, such as `found[0]`.", role="hint")
    return [status, hint] if computations else [status]
