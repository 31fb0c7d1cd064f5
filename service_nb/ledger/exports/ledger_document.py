"""The ledger document: entries as they were signed, with their texts and the checkpoint, checkable by itself.

A document of all entries proves the root that its checkpoint signs; whoever has an older checkpoint can hold it against
this one. Texts may be left out: the entries hold their hashes.
"""

from __future__ import annotations

import json

from service_nb.errors import InvalidIntentError
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial

LEDGER_VERSION = 1


def export(material: ExportMaterial) -> bytes:
    """Return the ledger as a document."""
    part = material.ledger
    if part is None:
        raise InvalidIntentError(
            "A ledger document is made from a ledger, not from a card.", expected="a ledger", met="a card"
        )
    document = {
        "service_nb_ledger": LEDGER_VERSION,
        "ledger": part.ledger,
        "entries": list(part.entries),
        "public_key": part.public_key,
        "checkpoint": part.checkpoint,
        "texts": dict(sorted(part.texts.items())),
    }
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


FORMAT = ExportFormat(
    name="ledger", ending=".serviceledger.json", words="the whole ledger as one document", write=export, of="ledger"
)
