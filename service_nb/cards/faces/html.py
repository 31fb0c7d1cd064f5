"""The face for front ends and reports: HTML of the few tags that three sanitisers leave alone.

It reads in order with every style removed, as GitHub and nbconvert's sanitiser show it. Styles, where they survive,
come from `LOOK` alone and are never built from data; they set no text colour, so light and dark themes both work; a
table takes that of the page, where VS Code has one of its own for code. Why inline styles at all, and why a table is a
`pre`: docs/decisions/0002-inline-style-in-cards.md.
"""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Iterable, Iterator, Mapping

from service_nb.cards import blocks, folding
from service_nb.cards import format as fmt
from service_nb.cards.formulas import write_formula
from service_nb.core.words import make_visible

_RULE = "1px solid rgba(127, 127, 127, 0.35)"
_CARD = f"border: {_RULE}; border-radius: 4px; padding: 10px 14px; margin: 4px 0; max-width: 960px; line-height: 1.5"
_NEUTRAL = f"{_CARD}; border-left: 4px solid rgba(127, 127, 127, 0.6)"  # no green that nobody verified
_ROW = "display: block; padding: 0 8px"
_SMALL = "opacity: 0.75; font-size: 12px"

# class -> style. The class is there for style sheets of reports; the style is what an untrusted notebook keeps.
LOOK: Mapping[str, str] = {
    "service-card service-answered": _NEUTRAL,
    "service-card service-unclear": _NEUTRAL,
    "service-card service-rejected": _NEUTRAL,
    "service-card service-error": f"{_CARD}; border-left: 4px solid #d0453a",
    "service-card service-source": _NEUTRAL,
    "service-card service-verified": f"{_CARD}; border-left: 4px solid #2e9f6e",
    "service-head": "font-size: 15px; margin: 0 0 4px 0",
    "service-status": f"margin: 6px 0 0 0; {_SMALL}",
    "service-note": _SMALL,
    "service-figure": "font-size: 24px; line-height: 1.3; margin: 8px 0 0 0",
    "service-scroll": "overflow-x: auto; margin: 8px 0 4px 0",
    "service-table": "display: table; white-space: pre; margin: 0; padding: 0; background-color: transparent",
    "service-grid": (
        "white-space: pre; font-size: 13px; line-height: 1.6; padding: 0; background-color: transparent; color: inherit"
    ),
    "service-heads": f"{_ROW}; border-bottom: {_RULE}",
    "service-row": _ROW,
    "service-row service-odd": f"{_ROW}; background-color: rgba(127, 127, 127, 0.09)",
    "service-caption": _SMALL,
    "service-question": "margin: 8px 0 0 0",
    "service-message": "margin: 6px 0",
    "service-formula": "margin: 6px 0; overflow-x: auto",
    "service-hint": "margin: 6px 0; opacity: 0.8",
    "service-title": _SMALL,
    "service-commands": "list-style: none; margin: 2px 0 6px 0; padding: 0",
    "service-command": "margin: 0; padding: 1px 0",
    "service-code": "background-color: transparent; padding: 0; font-size: 12px; white-space: pre-wrap",
    "service-facts": (
        "list-style: none; margin: 8px 0 0 0; padding: 0; font-size: 12px; line-height: 1.45; opacity: 0.8"
    ),
    "service-fact": "display: flex; flex-wrap: wrap; margin: 0",
    "service-label": "min-width: 8em; padding: 3px 16px 0 0; font-weight: 600; word-wrap: break-word",
    "service-lines": "flex-basis: 20em; flex-grow: 1; min-width: 0; padding: 3px 0 0 0; word-break: break-word",
    "service-steps": "margin: 0; padding: 0 0 0 16px",
    "service-step": "margin: 0",
    "service-mark": f"margin: 6px 0 0 0; {_SMALL}",
}

# MathJax typesets `$…$` and `\(…\)` in outputs; it never looks across tags, so a lone delimiter stays what it is.
_MATH = re.compile(r"[$\\]")


def write_html(content: Iterable[blocks.Block]) -> str:
    """Write blocks as HTML, on lines without a blank one among them: Markdown hosts end raw HTML there."""
    parts = list(content)
    seen, folded, marks = folding.split_details(parts)
    lines = [line for block in seen for line in _write_block(block)]
    if folded:
        # Bare tags: a sanitiser that does not know them shows them as text.
        lines += [
            "<details>",
            _write_summary(),
            *(line for block in parts if isinstance(block, blocks.Table) for line in _write_exact(block)),
            *(line for block in folded for line in _write_block(block)),
            "</details>",
        ]
    lines += [line for block in marks for line in _write_block(block)]
    return "\n".join([_write_open_tag("div", f"service-card service-{folding.find_tone(parts)}"), *lines, "</div>"])


def _write_summary() -> str:
    return f"<summary>{_write_element('span', 'service-note', folding.DETAILS)}</summary>"


def escape(text: str) -> str:
    """Escape text for the inside of an element: nothing is left that HTML, MathJax or a bidi reader would obey."""
    return _MATH.sub(r"<span>\g<0></span>", html.escape(make_visible(text), quote=True))


def _write_open_tag(tag: str, look: str) -> str:
    return f'<{tag} class="{look}" style="{LOOK[look]}">'


def _write_element(tag: str, look: str, inner: str) -> str:
    return f"{_write_open_tag(tag, look)}{inner}</{tag}>"


def _write_block(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.Title():
            yield _write_title(block)
        case blocks.Status():
            yield _write_status(block)
        case blocks.Figure():
            yield _write_element("div", "service-figure", f"<strong>{escape(block.value)}</strong>")
            yield _write_element("div", "service-caption", escape(block.caption))
        case blocks.Table():
            yield _write_scrolled(block)
            caption = f"{block.caption} · rounded; every digit in {folding.DETAILS}" if block.exact else block.caption
            yield _write_element("div", "service-caption", escape(caption))
        case blocks.Sentence():
            yield _write_element("div", f"service-{block.role}", escape(block.text))
        case blocks.Formula():
            yield _write_element("div", "service-formula", _write_formula(block))
        case blocks.Commands():
            yield from _write_commands(block)
        case blocks.Facts():
            yield from _write_facts(block)
        case blocks.Mark():
            yield _write_element("div", "service-mark", escape(block.text))


def _write_title(block: blocks.Title) -> str:
    said = f"<strong>{escape(folding.write_title(block))}</strong>"
    note = " " + _write_element("span", "service-note", f"· {escape(block.note)}") if block.note else ""
    return _write_element("div", "service-head", said + note)


def _write_status(block: blocks.Status) -> str:
    said = [f"{escape(blocks.SIGNS[block.tone])} {escape(block.label)}", *map(escape, folding.list_notes(block))]
    return _write_element("div", "service-status", " · ".join(said))


def _write_exact(table: blocks.Table) -> Iterator[str]:
    """Write the rows with every digit. No attribute has them: JupyterLab drops a `title`, and no key reaches one."""
    if table.exact:
        yield _write_element("div", "service-caption", escape("Exact values"))
        yield _write_scrolled(dataclasses.replace(table, rows=table.exact))


def _write_scrolled(table: blocks.Table) -> str:
    # Focusable: a keyboard scrolls what is wider than its page.
    return f'{_write_open_tag("div", "service-scroll")[:-1]} tabindex="0">{_write_table(table)}</div>'


def _write_table(table: blocks.Table) -> str:
    heads, rows = fmt.align_table(table)
    lines = [_write_element("span", "service-heads", f"<strong>{escape(fmt.GAP.join(heads))}</strong>\n")]
    for index, row in enumerate(rows):
        look = "service-row service-odd" if index % 2 else "service-row"
        lines.append(_write_element("span", look, escape(fmt.GAP.join(row)) + "\n"))
    # `code` as well: the theme of a front end may take the fixed width from a bare `pre`.
    return _write_element("pre", "service-table", _write_element("code", "service-grid", "".join(lines)))


def _write_formula(block: blocks.Formula) -> str:
    shown = write_formula(block.text, block.latex)
    if shown == block.text:
        return _write_element("code", "service-code", escape(shown))
    lines = [escape(line) for line in shown.split("\n")]
    return lines[0] if len(lines) == 1 else "".join(f"<div>{line}</div>" for line in lines)


def _write_commands(block: blocks.Commands) -> Iterator[str]:
    title = _write_element("strong", "service-title", escape(block.title)) + " " if block.title else ""
    if len(block.commands) == 1:
        yield _write_element("div", "service-command", title + _write_command(block.commands[0]))
        return
    yield f"<div>{title}</div>"
    yield _write_open_tag("ul", "service-commands")
    for command in block.commands:
        yield _write_element("li", "service-command", _write_command(command))
    yield "</ul>"


def _write_command(command: blocks.Command) -> str:
    note = " " + _write_element("span", "service-note", f"· {escape(command.note)}") if command.note else ""
    return _write_element("code", "service-code", escape(command.line)) + note


def _write_facts(block: blocks.Facts) -> Iterator[str]:
    yield _write_open_tag("ul", "service-facts")
    for fact in block.facts:
        label = _write_element("strong", "service-label", escape(fact.label))
        yield _write_element("li", "service-fact", f"{label} {_write_fact_lines(fact)}")
    yield "</ul>"


def _write_fact_lines(fact: blocks.Fact) -> str:
    lines = ["".join(map(_write_span, line)) for line in fact.lines]
    if fact.is_steps:
        steps = "".join(_write_element("li", "service-step", line) for line in lines)
        return _write_element("div", "service-lines", _write_element("ol", "service-steps", steps))
    if len(lines) == 1:
        return _write_element("span", "service-lines", lines[0])
    return _write_element("div", "service-lines", "".join(f"<div>{line}</div>" for line in lines))


def _write_span(span: blocks.TextSpan) -> str:
    return escape(span.text) if span.kind == "text" else _write_element("code", "service-code", escape(span.text))


FACE = blocks.CardFace(name="html", mime="text/html", write=write_html, rank=0)
