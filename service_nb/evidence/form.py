"""Hold a parsed card to its form, which `schema/` declares and the standalone verifier checks."""

from __future__ import annotations

from service_nb.errors import EvidenceError
from service_nb.evidence.reading import require_json
from service_nb.evidence.standalone import Fault, require_card


def require_form(card: object) -> None:
    """Hold a parsed value to the form of a card.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reason `unsafe_number`, `too_deep`, `malformed_json`, `malformed_card`, `unknown_version` or `unknown_kind`.
    """
    require_json(card)
    try:
        require_card(card)
    except Fault as fault:
        cause, message, _ = fault.args
        start = "The card is malformed: " if cause == "malformed_card" else ""
        text = f"{start}{message}."
        raise EvidenceError(text[0].upper() + text[1:], reason=cause) from fault
