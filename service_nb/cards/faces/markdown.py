"""The face for Markdown hosts: a table and lists, in which no datum can become markup, a link or a formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    SIGNS,
    Block,
    CardFace,
    Command,
    Commands,
    Facts,
    Figure,
    Formula,
    Mark,
    Sentence,
    Span,
    Status,
    Table,
    list_notes,
)
from service_nb.cards.compose import compose_face
from service_nb.schema.card import Card

# Alone in a span: between tags no renderer pairs them into mathematics, an address or a link of its own.
_ALONE = re.compile(r"[$\\@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# An underscore inside a word is no emphasis anywhere, and names are full of them.
_MARKUP = re.compile(r"[`*{}\[\]#!|<>&~^]|(?<![^\W_])_|_(?![^\W_])")
_NO_CODE_SPAN = re.compile(r"[`$\\]")
_LINE_START = re.compile(r"([0-9]*)((?<![0-9])[-+=:]|(?<=[0-9])[.)])")


def to_markdown(card: Card) -> str:
    """Write a card as Markdown."""
    return write_markdown(compose_face(card))


def write_markdown(blocks: Iterable[Block]) -> str:
    """Write blocks as Markdown paragraphs, tables and lists."""
    return "\n\n".join(_paragraph(block) for block in blocks) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown, GitHub and MathJax show as it is, anywhere but at the start of a line."""
    parts: list[str] = []
    at = 0
    shown = fmt.make_visible(text)
    for match in _ALONE.finditer(shown):
        parts += [_MARKUP.sub(_entity, shown[at : match.start()]), f"<span>{_entity(match)}</span>"]
        at = match.end()
    return "".join([*parts, _MARKUP.sub(_entity, shown[at:])])


def escape_line(text: str) -> str:
    """Return text for the start of a line, where a dash or a number and a dot would begin a list."""
    escaped = escape(fmt.make_visible(text).lstrip())
    start = _LINE_START.match(escaped)
    return escaped if start is None else f"{start[1]}&#{ord(start[2])};{escaped[start.end() :]}"


def strong(text: str) -> str:
    """Return text in bold; asterisks beside a space would be asterisks."""
    return f"**{escape(fmt.make_visible(text).strip())}**"


def code(text: str) -> str:
    r"""Return text as code: as a code span, or as the element where a code span would not hold it.

    nbconvert finds `$$ … $$` and `\[ … \]` before it finds code spans, across them and across paragraphs.
    """
    shown = fmt.make_visible(text)
    plain = shown == shown.strip() and not _NO_CODE_SPAN.search(shown)
    return f"`{shown}`" if plain and shown else f"<code>{escape(shown)}</code>"


def _entity(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" for char in match[0])


def _paragraph(block: Block) -> str:
    match block:
        case Status():
            notes = list_notes(block)
            return " · ".join([strong(f"{SIGNS[block.tone]} {block.label}"), *map(escape, notes)])
        case Figure():
            return f"{strong(block.value)} {escape(block.caption)}"
        case Table():
            return "\n".join([*_table(block), "", escape_line(block.caption)])
        case Sentence():
            return escape_line(block.text)
        case Formula():
            return f"$${block.latex}$$" if fmt.is_plain_latex(block.latex) else code(block.text)
        case Commands():
            return _commands(block)
        case Facts():
            return "\n".join(_facts(block))
        case Mark():
            return escape_line(block.text)


def _table(table: Table) -> Iterator[str]:
    yield _row(head.text for head in table.heads)
    yield "|" + "|".join("---:" if head.aligned == "point" else ":---" for head in table.heads) + "|"
    for row in table.rows:
        yield _row(row)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"


def _commands(block: Commands) -> str:
    title = strong(block.title) if block.title else ""
    if len(block.commands) == 1:
        return f"{title} {_command(block.commands[0])}".lstrip()
    return "\n".join([title, "", *(f"- {_command(command)}" for command in block.commands)])


def _command(command: Command) -> str:
    return code(command.line) + (f" · {escape(command.note)}" if command.note else "")


def _facts(block: Facts) -> Iterator[str]:
    for fact in block.facts:
        head = f"- {strong(fact.label)}"
        if len(fact.lines) == 1 and not fact.is_steps:
            yield f"{head} {_spans(fact.lines[0])}"
            continue
        yield head
        for index, line in enumerate(fact.lines, 1):
            yield f"   {index}. {_spans(line)}" if fact.is_steps else f"   - {_spans(line)}"


def _spans(spans: Iterable[Span]) -> str:
    first, *rest = spans
    return _span(first, escape_line) + "".join(_span(span, escape) for span in rest)


def _span(span: Span, escaped: Callable[[str], str]) -> str:
    return escaped(span.text) if span.kind == "text" else code(span.text)


FACE = CardFace(name="markdown", mime="text/markdown", write=write_markdown, rank=1)
