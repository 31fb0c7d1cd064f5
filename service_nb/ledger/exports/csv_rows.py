"""CSV (RFC 4180, UTF-8): texts in quotes, numbers bare with all their digits, null as nothing at all."""

from __future__ import annotations

from service_nb.ledger.exports.guard import guarded, printable
from service_nb.ledger.exports.material import Material, the_card
from service_nb.ledger.exports.table import Cell, Number, Table, table_of

NAME = "csv"
SUFFIX = ".csv"
SUMMARY = "the rows, for every spreadsheet and program; texts that look like formulas are guarded"


def export(material: Material) -> bytes:
    """Return the rows of one card."""
    return to_csv(table_of(the_card(material, "A CSV file")))


def to_csv(table: Table) -> bytes:
    """Return a table as CSV."""
    rows = [table.heads, *table.rows] if table.heads else table.rows
    # A line of nothing would be skipped by readers, so a lone null is an empty text.
    return "".join((",".join(map(_field, row)) or '""') + "\r\n" for row in rows).encode()


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    # A number has passed the grammar of numbers, so nothing else can hide in it.
    return str(cell) if isinstance(cell, Number) else '"' + printable(guarded(cell)).replace('"', '""') + '"'
