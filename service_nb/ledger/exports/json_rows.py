"""JSON: the hashed text of the rows as it stands, with its hash and the hash that goes before it."""

from __future__ import annotations

import json

from service_nb.errors import InvalidIntentError
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, missing_text_error, require_card
from service_nb.ledger.exports.table import IN_LEDGER
from service_nb.schema.card import Card

_TEXTS = {
    "query": ("result", "result_hash", "plan_hash", "query_id"),
    "computation": ("value", "computation_hash", "invocation_hash", "request_id"),
}


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one card."""
    return to_json(require_card(material, "A JSON file of rows")).encode()


def to_json(card: Card) -> str:
    """Return the hashed text of a card's rows within an object that names its hashes; the text is not written anew."""
    if card["kind"] not in _TEXTS:
        raise InvalidIntentError(
            f"A card of kind {card['kind']} has no rows.",
            hint="Export it with --format card.",
            met=card["kind"],
            expected="query",
        )
    name, own, before, id_ = _TEXTS[card["kind"]]
    text = card["canonical"].get(name)
    if text is None:
        raise missing_text_error(f"its {name}", IN_LEDGER)
    digests = card["digests"]
    head = {"id": card["view"].get(id_), own: digests[own], before: digests[before]}
    return f'{json.dumps(head, ensure_ascii=False, separators=(",", ":"))[:-1]},"{name}":{text}}}\n'


FORMAT = ExportFormat(name="json", ending=".json", words="the hashed text of the rows, and its hashes", write=export)
