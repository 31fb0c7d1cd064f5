"""The face of one computation for each value of a column: a table of values, each with the hash of its own card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Head, Sentence, Status, Table
from service_nb.cards.bundle import Bundle, write_bundle
from service_nb.cards.compose import CELL_WIDTH

SHOWN = 100

Groups = Sequence[tuple[Any, Mapping[str, Any]]]  # the value of the column, and the computation


def groups_bundle(over: str, groups: Groups) -> Bundle:
    """Return the bundle of a list of computations."""
    return write_bundle(_blocks(over, groups))


def _blocks(over: str, groups: Groups) -> list[Block]:
    if not groups:
        return [Status(tone="answered", label="Computed", note=f"for each {fmt.word(over)}: nothing to show")]
    first = groups[0][1]
    call, tier = f"{first['module']}.{first['function']}", first["determinism"]["tier"]
    values = [_shown(computation["value"]) for _, computation in groups]
    aligned = "point" if all(map(fmt.is_number, values)) else "left"
    rows = [
        (_shown(group), value, computation["computation_hash"][: fmt.SHORT_DIGEST])
        for (group, computation), value in zip(groups, values, strict=True)
    ]
    said = fmt.count(len(rows), "computation")
    return [
        Status(tone="answered", label="Computed", note=f"{call} for each {fmt.word(over)} · {tier}"),
        Table(
            heads=(
                Head(text=fmt.word(over), aligned="left"),
                Head(text="value", aligned=aligned),  # type: ignore[arg-type]  # one of the two
                Head(text="computation", aligned="left"),
            ),
            rows=tuple(rows[:SHOWN]),
            caption=said if len(rows) <= SHOWN else f"First {SHOWN} of {said}",
        ),
        Sentence(text="Each has a card of its own: take one by its index.", role="hint"),
    ]


def _shown(value: Any) -> str:
    if value is None:
        return fmt.NULL
    return repr(value) if isinstance(value, float) else fmt.clip(fmt.word(str(value)), CELL_WIDTH)
