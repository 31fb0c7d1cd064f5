"""The face for terminals: plain text, dense and aligned, nothing that a terminal would obey."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from service_nb.cards import blocks, folding
from service_nb.cards import format as fmt
from service_nb.cards.formulas import write_formula
from service_nb.core.words import make_visible, measure_width

WIDTH = 100
_INDENT = "  "


def write_text(content: Iterable[blocks.Block], width: int = WIDTH) -> str:
    """Write blocks as plain text."""
    lines = [line.rstrip() for block in content for line in _write_block(block, max(width, 40))]
    return "\n".join(lines[1:] if lines[:1] == [""] else lines)


def _write_block(block: blocks.Block, width: int) -> Iterator[str]:
    match block:
        case blocks.Title():
            note = f" · {make_visible(block.note)}" if block.note else ""
            yield from _wrap_text(make_visible(folding.write_title(block)) + note, width, "", _INDENT)
        case blocks.Status():
            note = f" · {make_visible(block.note)}" if block.note else ""
            yield ""
            said = f"{blocks.SIGNS[block.tone]} {make_visible(block.label)}{note}"
            yield from _wrap_text(said, width, _INDENT, _INDENT * 2)
        case blocks.Figure():
            yield ""
            yield f"{_INDENT}{block.value}"
            yield f"{_INDENT}{make_visible(block.caption)}"
        case blocks.Table():
            yield ""
            yield from _write_table(block, width)
        case blocks.Sentence():
            if block.role != "hint":
                yield ""
            yield from _wrap_text(make_visible(block.text), width, _INDENT, _INDENT)
        case blocks.Formula():
            yield ""
            for line in write_formula(block.text, block.latex).splitlines():
                yield from _wrap_text(make_visible(line), width, _INDENT, _INDENT * 2)
        case blocks.Commands():
            yield from _write_commands(block)
        case blocks.Facts():
            yield ""
            yield from _write_facts(block, width)
        case blocks.Mark():
            yield _INDENT + block.text


def _write_table(table: blocks.Table, width: int) -> Iterator[str]:
    cells = tuple(tuple(map(make_visible, row)) for row in table.rows)
    heads, rows = fmt.align_table(replace(table, rows=cells), width - len(_INDENT))
    yield _INDENT + fmt.GAP.join(heads)
    yield _INDENT + fmt.GAP.join("─" * measure_width(head) for head in heads)
    for row in rows:
        yield _INDENT + fmt.GAP.join(row)
    yield _INDENT + make_visible(table.caption)


def _write_commands(block: blocks.Commands) -> Iterator[str]:
    if block.title:
        yield ""
    if block.title and len(block.commands) == 1:
        yield f"{_INDENT}{make_visible(block.title)}{fmt.GAP}{make_visible(block.commands[0].line)}"
        return
    if block.title:
        yield f"{_INDENT}{make_visible(block.title)}:"
    inset = _INDENT * 2 if block.title else _INDENT
    notes = [make_visible(command.note) for command in block.commands]
    margin = max(map(measure_width, notes), default=0)
    for command, note in zip(block.commands, notes, strict=True):
        lead = note + " " * (margin - measure_width(note)) + fmt.GAP if margin else ""
        # Never wrapped: a line to run must stay one line to copy.
        yield f"{inset}{lead}{make_visible(command.line)}"


def _write_facts(block: blocks.Facts, width: int) -> Iterator[str]:
    labels = [make_visible(fact.label) for fact in block.facts]
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


def _write_span(span: blocks.TextSpan) -> str:
    shown = make_visible(span.text)
    return shown[: fmt.SHORT_DIGEST] if span.kind == "digest" else shown


def _wrap_text(text: str, width: int, first: str, rest: str) -> list[str]:
    if len(first) + len(text) <= width and text and text == text.strip() and text.isprintable():
        return [first + text]  # as most are, and what follows takes its time
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=True, break_on_hyphens=False
    )
    return lines or [first]


FACE = blocks.CardFace(name="text", mime="text/plain", write=write_text, rank=3)
