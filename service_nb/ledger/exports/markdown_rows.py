"""Markdown: the exact texts of rows, in which no datum can become markup, and the hash that they have below them."""

from __future__ import annotations

from service_nb.cards.faces.markdown import escape
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card
from service_nb.ledger.exports.table import Cell, CellTable, ExactNumber, build_table
from service_nb.schema.card import Card

NULL = "—"
_HASHES = {"query": "result_hash", "computation": "computation_hash"}


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one card."""
    return to_markdown(require_card(material, "A Markdown table")).encode()


def to_markdown(card: Card) -> str:
    """Return the rows of a card as a Markdown table, with their hash on the last line."""
    table = build_table(card)
    name = _HASHES[card["kind"]]
    return "\n".join([*_write_lines(table), "", f"`{name}` `{card['digests'][name]}`", ""])


def _write_lines(table: CellTable) -> list[str]:
    width = len(table.heads) or max(map(len, table.rows), default=0)
    heads = table.heads or tuple(map(str, range(width)))
    is_number = [all(row[at] is None or isinstance(row[at], ExactNumber) for row in table.rows) for at in range(width)]
    return [
        _write_line([escape(head) for head in heads]),
        f"|{'|'.join('---:' if number else ':---' for number in is_number)}|",
        *(_write_line(list(map(_write_cell, row))) for row in table.rows),
    ]


def _write_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _write_cell(cell: Cell) -> str:
    if cell is None:
        return NULL
    return ("true" if cell else "false") if isinstance(cell, bool) else escape(cell)


FORMAT = ExportFormat(name="markdown", ending=".md", words="the rows as a table, and their hash", write=export)
