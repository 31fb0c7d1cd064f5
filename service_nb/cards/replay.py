"""From the card of a replay to blocks: what came of running a stored result again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Fact, Facts, Head, Sentence, Span, Status, Table
from service_nb.cards.proof import proof
from service_nb.schema.card import Card

CELL_WIDTH = 64
_SIGNS: Mapping[str, tuple[Any, str]] = {
    "identical": ("answered", "Identical"),
    "differs": ("error", "Differs"),
    "refused": ("rejected", "Not replayed"),
}


def compose_replay(card: Card) -> list[Block]:
    """Return the card's blocks: status, what came of it, the values that differ, details."""
    view = card["view"]
    tone, label = _SIGNS[view["status"]]
    note = view["result_id"] or view["subject"]
    return [
        Status(tone=tone, label=label, note=note, is_evidence=True),
        Sentence(text=view["message"], role="message"),
        *([_differences(view)] if view["rows"] else []),
        *([Sentence(text=view["question"], role="question")] if view["question"] else []),
        Facts(facts=tuple(_facts(card))),
    ]


def _differences(view: Mapping[str, Any]) -> Block:
    heads = (
        Head(text="where", aligned="left"),
        Head(text="stored", aligned="left"),
        Head(text="now", aligned="left"),
        Head(text="doubles apart", aligned="point"),
    )
    rows = tuple(tuple("" if cell is None else fmt.clip(str(cell), CELL_WIDTH) for cell in row) for row in view["rows"])
    shown, total = len(view["rows"]), view["row_count"]
    said = fmt.count(total, "value") if shown >= total else f"First {shown:,} of {fmt.count(total, 'value')}"
    return Table(heads=heads, rows=rows, caption=f"{said} that {'differs' if total == 1 else 'differ'}")


def _facts(card: Card) -> Iterable[Fact]:
    view = card["view"]
    if view["cause"]:
        yield Fact(label="cause", lines=((Span(view["cause"], "code"),),))
    if view["expected"]:
        label = str(view["digest"]).removesuffix("_hash")
        lines = [(Span(f"{label} then "), Span(view["expected"], "digest"))]
        lines += [(Span(f"{label} now "), Span(view["met"], "digest"))] if view["met"] else []
        yield Fact(label="compared", lines=tuple(lines))
    for source in view["sources"]:
        yield Fact(label="source", lines=((Span(f"{fmt.word(source['name'])}: {source['found']}"),),))
    for change in view["changes"]:
        then, now = ("nothing" if change[key] is None else change[key] for key in ("expected", "met"))
        told = f"{change['what']}: {then} then, {now} now"
        yield Fact(label="changed", lines=((Span(told),),))
    yield from proof(card)
