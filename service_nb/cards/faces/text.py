"""The face for terminals: plain text, dense and aligned, nothing that a terminal would obey."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    SIGNS,
    Block,
    CardFace,
    Commands,
    Facts,
    Figure,
    Formula,
    Mark,
    Sentence,
    Status,
    Table,
    TextSpan,
)
from service_nb.cards.compose import compose_face
from service_nb.schema.card import Card

WIDTH = 100
_INDENT = "  "


def to_text(card: Card, width: int = WIDTH) -> str:
    """Write a card as plain text of lines up to `width` terminal cells, wider only where numbers need it."""
    return write_text(compose_face(card), width)


def write_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Write blocks as plain text."""
    return "\n".join(line.rstrip() for block in blocks for line in _write_block(block, max(width, 40)))


def _write_block(block: Block, width: int) -> Iterator[str]:
    match block:
        case Status():
            note = f" · {fmt.make_visible(block.note)}" if block.note else ""
            yield f"{SIGNS[block.tone]} {fmt.make_visible(block.label)}{note}"
        case Figure():
            yield ""
            yield f"{_INDENT}{block.value}"
            yield f"{_INDENT}{fmt.make_visible(block.caption)}"
        case Table():
            yield ""
            yield from _write_table(block, width)
        case Sentence():
            if block.role != "hint":
                yield ""
            yield from _wrap_text(fmt.make_visible(block.text), width, _INDENT, _INDENT)
        case Formula():
            if not block.latex:  # else it stands among the details
                yield from _wrap_text(
                    fmt.make_visible(" ; ".join(block.text.splitlines())), width, _INDENT, _INDENT * 2
                )
        case Commands():
            yield from _write_commands(block)
        case Facts():
            yield ""
            yield from _write_facts(block, width)
        case Mark():
            yield _INDENT + block.text


def _write_table(table: Table, width: int) -> Iterator[str]:
    heads, rows = fmt.align_table(table, width - len(_INDENT))
    yield _INDENT + fmt.GAP.join(heads)
    yield _INDENT + fmt.GAP.join("─" * fmt.measure_width(head) for head in heads)
    for row in rows:
        yield _INDENT + fmt.GAP.join(row)
    yield _INDENT + fmt.make_visible(table.caption)


def _write_commands(block: Commands) -> Iterator[str]:
    if block.title:
        yield ""
    if block.title and len(block.commands) == 1:
        yield f"{_INDENT}{fmt.make_visible(block.title)}{fmt.GAP}{fmt.make_visible(block.commands[0].line)}"
        return
    if block.title:
        yield f"{_INDENT}{fmt.make_visible(block.title)}:"
    inset = _INDENT * 2 if block.title else _INDENT
    notes = [fmt.make_visible(command.note) for command in block.commands]
    margin = max(map(fmt.measure_width, notes), default=0)
    for command, note in zip(block.commands, notes, strict=True):
        lead = note + " " * (margin - fmt.measure_width(note)) + fmt.GAP if margin else ""
        # Never wrapped: a line to run must stay one line to copy.
        yield f"{inset}{lead}{fmt.make_visible(command.line)}"


def _write_facts(block: Facts, width: int) -> Iterator[str]:
    labels = [fmt.make_visible(fact.label) for fact in block.facts]
    margin = max(map(len, labels), default=0) + len(fmt.GAP)
    hanging = _INDENT + " " * margin
    for label, fact in zip(labels, block.facts, strict=True):
        first = _INDENT + label.ljust(margin)
        lines = ["".join(_write_span(span) for span in spans) for spans in fact.lines]
        if not fact.is_steps:
            yield from _wrap_text(" · ".join(lines), width, first, hanging)
            continue
        for index, line in enumerate(lines, 1):
            number = f"{index}. "
            start = hanging if index > 1 else first
            yield from _wrap_text(line, width, start + number, hanging + " " * len(number))


def _write_span(span: TextSpan) -> str:
    shown = fmt.make_visible(span.text)
    return shown[: fmt.SHORT_DIGEST] if span.kind == "digest" else shown


def _wrap_text(text: str, width: int, first: str, rest: str) -> list[str]:
    if len(first) + len(text) <= width and text and text == text.strip() and text.isprintable():
        return [first + text]  # as most are, and what follows takes its time
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=True, break_on_hyphens=False
    )
    return lines or [first]


FACE = CardFace(name="text", mime="text/plain", write=write_text, rank=3)
