"""The face for Markdown hosts: a table and lists. No value from data can become markup, a link or a formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from service_nb.cards import blocks, folding
from service_nb.cards.formulas import write_formula
from service_nb.core.words import make_visible

# Alone in a span: between tags no renderer pairs them into mathematics, an address or a link of its own.
_ALONE = re.compile(r"[$\\@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# An underscore inside a word is no emphasis anywhere, and names are full of them.
_MARKUP = re.compile(r"[`*{}\[\]#!|<>&~^]|(?<![^\W_])_|_(?![^\W_])")
_NO_CODE_SPAN = re.compile(r"[`$\\]")
_LINE_START = re.compile(r"([0-9]*)((?<![0-9])[-+=:]|(?<=[0-9])[.)])")


def write_markdown(content: Iterable[blocks.Block]) -> str:
    """Write blocks as Markdown paragraphs, tables and lists."""
    seen, folded, marks = folding.split_details(content)
    parts = [_write_block(block) for block in seen]
    if folded:
        opened = f"<details><summary>{folding.DETAILS}</summary>"
        parts += [opened, *(_write_block(block) for block in folded), "</details>"]
    return "\n\n".join([*parts, *(_write_block(block) for block in marks)]) + "\n"


def escape(text: str) -> str:
    """Escape text for Markdown, GitHub and MathJax, anywhere but at the start of a line."""
    parts: list[str] = []
    at = 0
    shown = make_visible(text)
    for match in _ALONE.finditer(shown):
        parts += [_MARKUP.sub(_write_entities, shown[at : match.start()]), f"<span>{_write_entities(match)}</span>"]
        at = match.end()
    return "".join([*parts, _MARKUP.sub(_write_entities, shown[at:])])


def escape_line(text: str) -> str:
    """Escape text for the start of a line, where a dash or a number and a dot would begin a list."""
    escaped = escape(make_visible(text).lstrip())
    start = _LINE_START.match(escaped)
    return escaped if start is None else f"{start[1]}&#{ord(start[2])};{escaped[start.end() :]}"


def write_bold(text: str) -> str:
    """Write text in bold, stripped: asterisks beside a space are not read as bold."""
    return f"**{escape(make_visible(text).strip())}**"


def write_code(text: str) -> str:
    r"""Write text as a code span, or as a `code` element where a code span would not hold it.

    nbconvert finds `$$ … $$` and `\[ … \]` before it finds code spans, across them and across paragraphs.
    """
    shown = make_visible(text)
    plain = shown == shown.strip() and not _NO_CODE_SPAN.search(shown)
    return f"`{shown}`" if plain and shown else f"<code>{escape(shown)}</code>"


def _write_entities(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" for char in match[0])


def _write_block(block: blocks.Block) -> str:
    match block:
        case blocks.Title():
            return " · ".join([write_bold(folding.write_title(block)), *([escape(block.note)] if block.note else [])])
        case blocks.Status():
            notes = folding.list_notes(block)
            return " · ".join([escape_line(f"{blocks.SIGNS[block.tone]} {block.label}"), *map(escape, notes)])
        case blocks.Figure():
            return f"{write_bold(block.value)} {escape(block.caption)}"
        case blocks.Table():
            return "\n".join([*_write_table(block), "", escape_line(block.caption)])
        case blocks.Sentence():
            return escape_line(block.text)
        case blocks.Formula():
            shown = write_formula(block.text, block.latex)
            return write_code(shown) if shown == block.text else "\n\n".join(map(escape_line, shown.split("\n")))
        case blocks.Commands():
            return _write_commands(block)
        case blocks.Facts():
            return "\n".join(_write_facts(block))
        case blocks.Mark():
            return escape_line(block.text)


def _write_table(table: blocks.Table) -> Iterator[str]:
    yield _write_row(head.text for head in table.heads)
    yield "|" + "|".join("---:" if head.aligned == "point" else ":---" for head in table.heads) + "|"
    for row in table.rows:
        yield _write_row(row)


def _write_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"


def _write_commands(block: blocks.Commands) -> str:
    title = write_bold(block.title) if block.title else ""
    if len(block.commands) == 1:
        return f"{title} {_write_command(block.commands[0])}".lstrip()
    return "\n".join([title, "", *(f"- {_write_command(command)}" for command in block.commands)])


def _write_command(command: blocks.Command) -> str:
    return write_code(command.line) + (f" · {escape(command.note)}" if command.note else "")


def _write_facts(block: blocks.Facts) -> Iterator[str]:
    for fact in block.facts:
        head = f"- {write_bold(fact.label)}"
        if len(fact.lines) == 1 and not fact.is_steps:
            yield f"{head} {_write_spans(fact.lines[0])}"
            continue
        yield head
        for index, line in enumerate(fact.lines, 1):
            yield f"   {index}. {_write_spans(line)}" if fact.is_steps else f"   - {_write_spans(line)}"


def _write_spans(spans: Iterable[blocks.TextSpan]) -> str:
    first, *rest = spans
    return _write_span(first, escape_line) + "".join(_write_span(span, escape) for span in rest)


def _write_span(span: blocks.TextSpan, escaped: Callable[[str], str]) -> str:
    return escaped(span.text) if span.kind == "text" else write_code(span.text)


FACE = blocks.CardFace(name="markdown", mime="text/markdown", write=write_markdown, rank=1)
