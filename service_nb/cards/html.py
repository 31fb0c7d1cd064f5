"""The face for front ends and reports: HTML of the few tags that three sanitisers leave alone.

It reads in order with every style removed, as GitHub and nbconvert's sanitiser show it. Styles, where they survive,
come from `LOOK` alone and are never built from data; they set no text colour, so light and dark themes both work. Why
inline styles at all, and why a table is a `pre`: docs/decisions/0002-inline-style-in-cards.md.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Command, Commands, Facts, Figure, Sentence, Span, Status, Table
from service_nb.cards.compose import compose
from service_nb.cards.grid import GAP, grid
from service_nb.cards.signs import SIGNS
from service_nb.records.card import Card

UNVERIFIED = "not verified in this view"

_LINE = "1px solid rgba(127, 127, 127, 0.35)"
_CODE = "background-color: transparent; padding: 0; font-size: 12px"
_CARD = f"border: {_LINE}; border-radius: 4px; padding: 10px 14px; margin: 4px 0; max-width: 960px; line-height: 1.5; border-left: 4px solid "

# class -> style. The class is there for style sheets of reports; the style is what an untrusted notebook keeps.
LOOK: Mapping[str, str] = {
    "service-card service-answered": _CARD + "#2e9f6e",
    "service-card service-unclear": _CARD + "#c98500",
    "service-card service-rejected": _CARD + "#8b6fc0",
    "service-card service-error": _CARD + "#d0453a",
    "service-card service-source": _CARD + "#5b7fb5",
    "service-status": "font-size: 14px",
    "service-note": "opacity: 0.7; font-size: 12px",
    "service-figure": "font-size: 24px; line-height: 1.3; margin: 8px 0 0 0",
    "service-caption": "opacity: 0.7; font-size: 12px",
    "service-table": "display: table; white-space: pre; font-size: 13px; line-height: 1.6; margin: 8px 0 4px 0; padding: 0; background-color: transparent",
    "service-heads": f"display: block; border-bottom: {_LINE}; padding: 0 8px",
    "service-row": "display: block; padding: 0 8px",
    "service-row service-odd": "display: block; padding: 0 8px; background-color: rgba(127, 127, 127, 0.09)",
    "service-scroll": "overflow-x: auto",
    "service-question": "margin: 8px 0 0 0",
    "service-message": "margin: 6px 0",
    "service-hint": "margin: 6px 0; opacity: 0.8",
    "service-commands": "list-style: none; margin: 2px 0 6px 0; padding: 0",
    "service-command": "margin: 0; padding: 1px 0",
    "service-code": _CODE,
    "service-facts": f"display: table; list-style: none; margin: 10px 0 0 0; padding: 0; font-size: 12px; opacity: 0.8; border-top: {_LINE}",
    "service-fact": "display: table-row; margin: 0",
    "service-label": "display: table-cell; padding: 4px 16px 0 0; font-weight: 600; white-space: nowrap",
    "service-lines": "display: table-cell; padding: 4px 0 0 0; word-wrap: break-word",
}

# MathJax typesets `$…$` and `\(…\)` in outputs; it never looks across tags, so a lone delimiter stays what it is.
_MATH = re.compile(r"[$\\]")


def to_html(card: Card) -> str:
    """Return the card as one `div`."""
    return write_html(compose(card))


def write_html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML, on lines without a blank one among them: Markdown hosts end raw HTML there."""
    parts = list(blocks)
    tone = next((block.tone for block in parts if isinstance(block, Status)), "source")
    lines = [line for block in parts for line in _lines(block)]
    return "\n".join([_open("div", f"service-card service-{tone}"), *lines, "</div>"])


def escape(text: str) -> str:
    """Return text for the inside of an element, with nothing left that HTML, MathJax or a bidi reader would obey."""
    return _MATH.sub(r"<span>\g<0></span>", html.escape(fmt.visible(text), quote=True))


def _open(tag: str, look: str) -> str:
    return f'<{tag} class="{look}" style="{LOOK[look]}">'


def _element(tag: str, look: str, inner: str) -> str:
    return f"{_open(tag, look)}{inner}</{tag}>"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Status():
            yield _status(block)
        case Figure():
            yield _element("div", "service-figure", f"<strong>{escape(block.value)}</strong>")
            yield _element("div", "service-caption", escape(block.caption))
        case Table():
            yield _element("div", "service-scroll", _table(block))
            yield _element("div", "service-caption", escape(block.caption))
        case Sentence():
            yield _element("div", f"service-{block.role}", escape(block.text))
        case Commands():
            yield from _commands(block)
        case Facts():
            yield from _facts(block)


def _status(block: Status) -> str:
    said = [f"<strong>{escape(SIGNS[block.tone])} {escape(block.label)}</strong>"]
    notes = [note for note in (block.note, "" if block.tone == "source" else UNVERIFIED) if note]
    said += [_element("span", "service-note", f"· {escape(note)}") for note in notes]
    return _element("div", "service-status", " ".join(said))


def _table(table: Table) -> str:
    heads, rows = grid(table)
    lines = [_element("span", "service-heads", f"<strong>{escape(GAP.join(heads))}</strong>\n")]
    for index, row in enumerate(rows):
        look = "service-row service-odd" if index % 2 else "service-row"
        lines.append(_element("span", look, escape(GAP.join(row)) + "\n"))
    return _element("pre", "service-table", "".join(lines))


def _commands(block: Commands) -> Iterator[str]:
    if not block.title and len(block.commands) == 1:
        yield _element("div", "service-command", _command(block.commands[0]))
        return
    if block.title:
        yield _element("div", "service-message", f"<strong>{escape(block.title)}</strong>")
    yield _open("ul", "service-commands")
    for command in block.commands:
        yield _element("li", "service-command", _command(command))
    yield "</ul>"


def _command(command: Command) -> str:
    note = " " + _element("span", "service-note", f"· {escape(command.note)}") if command.note else ""
    return _element("code", "service-code", escape(command.line)) + note


def _facts(block: Facts) -> Iterator[str]:
    yield _open("ul", "service-facts")
    for fact in block.facts:
        said = "".join(f"<div>{''.join(_span(span) for span in line)}</div>" for line in fact.lines)
        label = _element("strong", "service-label", escape(fact.label))
        yield _element("li", "service-fact", f"{label} {_element('div', 'service-lines', said)}")
    yield "</ul>"


def _span(span: Span) -> str:
    return escape(span.text) if span.kind == "text" else _element("code", "service-code", escape(span.text))
