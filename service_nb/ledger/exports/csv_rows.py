"""CSV (RFC 4180, UTF-8): texts in quotes, numbers bare with all their digits, null as nothing at all."""

from __future__ import annotations

from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card
from service_nb.ledger.exports.table import Cell, CellTable, ExactNumber, build_table, guard_text, make_printable


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one card."""
    return to_csv(build_table(require_card(material, "A CSV file")))


def to_csv(table: CellTable) -> bytes:
    """Return a table as CSV."""
    rows = [table.heads, *table.rows] if table.heads else table.rows
    # A line of nothing would be skipped by readers, so a lone null is an empty text.
    return "".join((",".join(map(_format_field, row)) or '""') + "\r\n" for row in rows).encode()


def _format_field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    # A number has passed the grammar of numbers, so nothing else can hide in it.
    return (
        str(cell) if isinstance(cell, ExactNumber) else '"' + make_printable(guard_text(cell)).replace('"', '""') + '"'
    )


FORMAT = ExportFormat(name="csv", ending=".csv", words="the rows, guarded against formulas", write=export)
