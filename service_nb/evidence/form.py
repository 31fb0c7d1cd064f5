"""The shape of a card: exactly these keys, of exactly these types, for each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from service_nb.errors import EvidenceError
from service_nb.evidence.reading import require_json
from service_nb.evidence.receipt import natural
from service_nb.schema.card import CARD_VERSION

_KEYS = {"kind", "version", "canonical", "digests", "receipt", "view"}
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_CONTRACT = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)


class KindShape(NamedTuple):
    """What a card of a kind holds."""

    texts: frozenset[str]
    digests: tuple[str, ...]  # in the order of their checks; view_hash and rows_hash follow
    statuses: frozenset[str]  # that its view may show


def _shape(texts: str, digests: str, statuses: str) -> KindShape:
    return KindShape(frozenset(texts.split()), tuple(digests.split()), frozenset(statuses.split()))


KINDS: Mapping[str, KindShape] = {
    "query": _shape("plan result provenance", "plan_hash result_hash schema_revision provenance_hash", "ok"),
    "clarification": _shape("spec resolution", "refusal_hash", "needs_clarification"),
    "rejection": _shape("spec resolution", "refusal_hash", "rejected"),
    "error": _shape("error", "error_hash", "error"),
    "computation": _shape(
        "identity arguments value definition provenance",
        "input_hash invocation_hash computation_hash contract_hash definition_hash provenance_hash",
        "ok",
    ),
    "replay": _shape("report", "replay_hash", "identical differs refused"),
}


def require_form(card: Any) -> None:
    """Hold a parsed value to the shape of a card.

    The causes are tried in this order: numbers and depth, the keys and the types of `version` and `kind`, their values,
    then everything else.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reason `unsafe_number`, `too_deep`, `malformed_card`, `unknown_version` or `unknown_kind`.
    """
    require_json(card)
    if not isinstance(card, dict) or card.keys() != _KEYS:
        _malformed(f"it is no object of exactly {', '.join(sorted(_KEYS))}")
    version, kind = card["version"], card["kind"]
    if natural(version) is None or not isinstance(kind, str):
        _malformed("its version or kind is of another type")
    if natural(version) != CARD_VERSION:
        raise EvidenceError(
            f"The card is of version {version}; known here is {CARD_VERSION}.", reason="unknown_version"
        )
    if kind not in KINDS:
        raise EvidenceError(f"The card is of a kind that is none of {', '.join(KINDS)}.", reason="unknown_kind")
    _require_parts(card)
    _require_digests(card["digests"], digest_names(card))


def digest_names(card: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the digests that a card must hold, in the order of their checks."""
    rows = ("rows_hash",) if "rows" in card["view"] else ()
    return (*KINDS[card["kind"]].digests, "view_hash", *rows)


def _require_parts(card: Mapping[str, Any]) -> None:
    texts, view, receipt = card["canonical"], card["view"], card["receipt"]
    if not all(isinstance(part, dict) for part in (texts, card["digests"], view)):
        _malformed("canonical, digests or view is no object")
    if receipt is not None and not isinstance(receipt, dict):
        _malformed("its receipt is neither an object nor null")
    if not texts.keys() <= KINDS[card["kind"]].texts:
        _malformed(f"its canonical texts are not among {', '.join(sorted(KINDS[card['kind']].texts))}")
    if not all(isinstance(text, str) for text in texts.values()):
        _malformed("a canonical text is no string")
    if not isinstance(view.get("rows", []), list):
        _malformed("the rows of its view are no list")


def _require_digests(digests: Mapping[str, Any], names: tuple[str, ...]) -> None:
    if digests.keys() != set(names):
        _malformed(f"its digests are not exactly {', '.join(names)}")
    for name, value in digests.items():
        form = _CONTRACT if name == "contract_hash" else _DIGEST
        if not isinstance(value, str) or not form.fullmatch(value):
            _malformed(f"its {name} is not 64 hex digits{', with sha256: before them' if form is _CONTRACT else ''}")


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"The card is malformed: {what}.", reason="malformed_card")
