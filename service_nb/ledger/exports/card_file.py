"""A card by itself: the file that `verify`, `replay` and `import` read."""

from __future__ import annotations

import json

from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card


def export(material: ExportMaterial) -> bytes:
    """Return the card as JSON."""
    return (json.dumps(require_card(material, "A card file"), ensure_ascii=False, indent=1) + "\n").encode()


FORMAT = ExportFormat(name="card", ending=".servicecard.json", words="the card with its receipt", write=export)
