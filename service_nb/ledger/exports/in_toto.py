"""in-toto: the signed statement of a card as it is, a DSSE envelope that supply-chain tools verify."""

from __future__ import annotations

import json

from service_nb.errors import EvidenceError
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_cards
from service_nb.schema.card import Card


def export(material: ExportMaterial) -> bytes:
    """Return the envelopes of the cards, one a line: a file of one is a JSON document, too.

    Raises `evidence_invalid`.
    """
    return "".join(_write_envelope(card) + "\n" for card in require_cards(material, "export a statement of")).encode()


def _write_envelope(card: Card) -> str:
    if card["receipt"] is None:
        raise EvidenceError(
            "The card has no receipt: it is not signed.",
            reason="unsigned",
            hint="Run `service-nb login`: results from then on are signed.",
        )
    return json.dumps(card["receipt"]["envelope"], separators=(",", ":"))


FORMAT = ExportFormat(
    name="in-toto", ending=".intoto.jsonl", words="the signed statement (DSSE), one a line", write=export
)
