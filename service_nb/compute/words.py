"""A computation in words: the call as people write it, what its tier promises, how it is explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import write_name
from service_nb.schema.compute import Bound, Checked, Tier

PROMISES: Mapping[Tier, str] = {
    "certified": "The value is proven to be the correctly rounded result of the formula for exactly these arguments: "
    "the same on every machine.",
    "pinned": "The value has the same bits wherever the pinned runtime runs.",
    "seeded": "The value has the same bits wherever the pinned runtime runs with this seed.",
}
UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor."
MOST_ITEMS = 8  # of an array that is written out
MOST_CHARS = 60  # of a text or a number
_KEPT_CHARS = 20  # at each end of a longer one


def describe_promise(tier: Tier, *, is_pinned: bool) -> str:
    """Describe the promise of a tier for a value, in a sentence or two."""
    return PROMISES[tier] if tier == "certified" or is_pinned else f"{PROMISES[tier]} {UNPINNED}"


def format_call(checked: Checked, bound: Sequence[Bound]) -> str:
    """Format the call for people: `finance.npv(rate=0.1, cashflows=budget.flow)`."""
    names = checked.capability.names
    said = {name: _format_literal(value) for name, value in zip(names, checked.args, strict=False)}
    said |= {name: _format_literal(value) for name, value in checked.kwargs.items()}
    for one in bound:
        said |= _format_columns(one)
    parts = [f"{name}={said[name]}" for name in names]
    if checked.seed is not None:
        parts.append(f"seed={checked.seed}")
    return f"{checked.capability.id}({', '.join(parts)})"


def _format_columns(one: Bound) -> dict[str, str]:
    filtered = " (filtered)" if one.filter else ""
    pairs = zip(one.binding.parameters, one.fields, strict=True)
    source = write_name(one.binding.source)
    return {parameter: f"{source}.{write_name(field)}{filtered}" for parameter, field in pairs}


def _format_literal(value: object) -> str:
    if isinstance(value, list | np.ndarray):
        few = len(value) <= MOST_ITEMS
        some = value if few else value[:3]
        items = ", ".join(map(_format_literal, some.tolist() if isinstance(some, np.ndarray) else some))
        return f"[{items}]" if few else f"[{items}, … {len(value):,} items]"
    text = write_canonical_text(value)
    return text if len(text) <= MOST_CHARS else f"{text[:_KEPT_CHARS]}…{text[-_KEPT_CHARS:]}"
