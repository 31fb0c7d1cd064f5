"""A card by itself: the file that `verify`, `replay` and `import` read."""

from __future__ import annotations

import json

from service_nb.ledger.exports.material import Material, the_card

NAME = "card"
SUFFIX = ".servicecard.json"
SUMMARY = "the card with its receipt, checkable alone"


def export(material: Material) -> bytes:
    """Return the card as JSON."""
    return (json.dumps(the_card(material, "A card file"), ensure_ascii=False, indent=1) + "\n").encode()
