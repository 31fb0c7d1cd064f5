"""CSV (RFC 4180, UTF-8): texts in quotes, numbers bare with all their digits, null as nothing at all."""

from __future__ import annotations

import json

from service_nb.core.digest import compute_sha256_hex
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card
from service_nb.ledger.exports.table import Cell, CellTable, ExactNumber, build_table, guard_text, make_printable
from service_nb.schema.card import Card


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one card."""
    return to_csv(build_table(require_card(material, "A CSV file")))


def to_csv(table: CellTable) -> bytes:
    """Return a table as CSV."""
    rows = [table.heads, *table.rows] if table.heads else table.rows
    # A line of nothing would be skipped by readers, so a lone null is an empty text.
    return "".join((",".join(map(_format_field, row)) or '""') + "\r\n" for row in rows).encode()


def describe_csv(card: Card, name: str, content: bytes) -> bytes:
    """Describe the CSV file of an answer in a document of its own, by the rules of CSV on the Web.

    The file itself has no place for a hash that every reader would leave alone.
    """
    digests = {
        f"urn:service-nb:terms:v1#{name}": digest for name, digest in card["digests"].items() if name.endswith("_hash")
    }
    columns = [
        {"name": column["name"], "titles": column["name"], "datatype": _DATATYPES[column["physical"].partition("(")[0]]}
        for column in card["view"]["columns"]
    ]
    document = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "tableSchema": {"columns": columns},
        **digests,
        "urn:service-nb:terms:v1#sha256": compute_sha256_hex(content),
    }
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


_DATATYPES = {
    "int64": "integer",
    "float64": "double",
    "decimal": "decimal",
    "string": "string",
    "counts": "string",
    "boolean": "boolean",
    "date": "date",
    "datetime": "datetime",
}


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
