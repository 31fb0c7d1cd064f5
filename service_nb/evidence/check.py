"""Verification of one card: every hash is computed anew from what the card holds, then its receipt is checked.

The checks, their order and their causes are the same in `standalone.py` and in TypeScript, over tests/vectors/evidence:

1. `form`. If it fails it is the only one.
2. each digest under its own name; a text or rows that the card no longer holds make it `not_checkable`
3. `kind`: the view shows what a card of this kind may show
4. `shown`: every leaf of the view is what the texts give, or one of the author's words
5. `capability`, of a computation: it is in the contract that the card names, and the call fits it
6. `signature`, `signer`, `statement`, `inclusion`, `checkpoint`, as `proof.py` says
7. `contract`, of a computation

What a card shows is derived anew in `standalone.py`, for both programs in Python: that file shares nothing with the
code that makes cards, so that the two would have to be wrong alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from service_nb.core.canonical import canonical_text
from service_nb.core.digest import (
    COMPUTATION_DOMAIN,
    DEFINITION_DOMAIN,
    ERROR_DOMAIN,
    INVOCATION_DOMAIN,
    PLAN_DOMAIN,
    PROVENANCE_DOMAIN,
    REFUSAL_DOMAIN,
    REPLAY_DOMAIN,
    RESULT_DOMAIN,
    ROWS_DOMAIN,
    VIEW_DOMAIN,
    digest,
    sha256_hex,
)
from service_nb.errors import EvidenceError
from service_nb.evidence.checks import attempt, failed, judge, not_checkable, passed, refuse
from service_nb.evidence.form import require_form
from service_nb.evidence.proof import receipt_checks
from service_nb.evidence.reading import read_object
from service_nb.evidence.receipt import natural
from service_nb.evidence.standalone import digest_names, require_capability, require_shown
from service_nb.schema.card import CARD_KINDS
from service_nb.schema.verdict import Check, Verdict

# What a digest is over: a domain, another digest of the card, and texts of the card with NUL between two of them.
_HASHED: Mapping[str, tuple[str, str | None, tuple[str, ...]]] = {
    "plan_hash": (PLAN_DOMAIN, None, ("plan",)),
    "result_hash": (RESULT_DOMAIN, "plan_hash", ("result",)),
    "refusal_hash": (REFUSAL_DOMAIN, None, ("spec", "resolution")),
    "error_hash": (ERROR_DOMAIN, None, ("error",)),
    "invocation_hash": (INVOCATION_DOMAIN, None, ("identity",)),
    "computation_hash": (COMPUTATION_DOMAIN, "invocation_hash", ("value",)),
    "definition_hash": (DEFINITION_DOMAIN, None, ("definition",)),
    "provenance_hash": (PROVENANCE_DOMAIN, None, ("provenance",)),
    "replay_hash": (REPLAY_DOMAIN, None, ("report",)),
}
# A digest that a text of the card holds under the digest's own name.
_STATED_IN = {"schema_revision": "plan", "contract_hash": "identity"}
_OBJECTS = {"plan_hash", "invocation_hash"}  # their text must be an object in strict JSON


def check_card(card: Any, *, keys: Collection[str] = (), contracts: Collection[str] = ()) -> Verdict:
    """Verify a parsed card.

    Parameters
    ----------
    card : Any
        The card as JSON was parsed; nothing is assumed of it.
    keys : collection of str, optional
        The base64 of public keys that are trusted.
    contracts : collection of str, optional
        The contract hashes that are known, `sha256:…`.
    """
    return Verdict(subject="card", checks=tuple(card_checks(card, keys, contracts)))


def card_checks(card: Any, keys: Collection[str], contracts: Collection[str]) -> Iterator[Check]:
    """Yield the checks of a parsed card in their order."""
    form = attempt("form", lambda: require_form(card))
    yield form
    if form.status == "failed":
        return
    for name in digest_names(card):
        yield _digest_check(name, card)
    yield attempt("kind", lambda: _require_kind(card))
    yield judge("shown", require_shown, card)
    if card["kind"] == "computation":
        yield judge("capability", require_capability, card)
    yield from receipt_checks(card, keys)
    if card["kind"] == "computation":
        yield _contract_check(card["digests"]["contract_hash"], contracts)


def _digest_check(name: str, card: Mapping[str, Any]) -> Check:
    if name == "view_hash":
        return _view_check(card)
    if name == "rows_hash":
        return _rows_check(card)
    texts = card["canonical"]
    if missing := [text for text in _texts_of(name) if text not in texts]:
        return not_checkable(name, "text_not_kept", f"The card does not hold its {missing[0]}.")
    if name in _STATED_IN:
        return _compared(name, card, (read_object(texts[_STATED_IN[name]]) or {}).get(name))
    if name == "input_hash":
        return _compared(name, card, sha256_hex(texts["arguments"].encode()))
    if name in _OBJECTS and read_object(texts[_texts_of(name)[0]]) is None:
        return failed(name, EvidenceError("The text is no object in strict JSON.", reason=f"{name}_mismatch"))
    domain, before, hashed = _HASHED[name]
    chained = card["digests"][before] if before else ""
    return _compared(name, card, digest(domain, chained + "\0".join(texts[text] for text in hashed)))


def _texts_of(name: str) -> tuple[str, ...]:
    if name in _STATED_IN:
        return (_STATED_IN[name],)
    return ("arguments",) if name == "input_hash" else _HASHED[name][2]


def _view_check(card: Mapping[str, Any]) -> Check:
    shown = {key: value for key, value in card["view"].items() if key != "rows"}
    return _compared("view_hash", card, digest(VIEW_DOMAIN, canonical_text(shown)))


def _rows_check(card: Mapping[str, Any]) -> Check:
    rows = card["view"]["rows"]
    check = _compared("rows_hash", card, digest(ROWS_DOMAIN, canonical_text(rows)))
    if check.status == "failed" and not rows:
        return not_checkable("rows_hash", "rows_not_kept", "The rows were taken out of the card; their hash is left.")
    return check


def _compared(name: str, card: Mapping[str, Any], computed: Any) -> Check:
    stated = card["digests"][name]
    if computed == stated:
        return passed(name)
    met = computed if isinstance(computed, str) else "none"
    message = f"The card states {_shown(stated)}, its content gives {_shown(met)}."
    return failed(name, EvidenceError(message, reason=f"{name}_mismatch"))


def _shown(value: str) -> str:
    value = value.removeprefix("sha256:")
    return f"{value[:12]}…" if len(value) > 12 else value


def _require_kind(card: Mapping[str, Any]) -> None:
    kind, view = card["kind"], card["view"]
    status, known = view.get("status"), CARD_KINDS[card["kind"]].statuses
    if not isinstance(status, str) or status not in known:
        refuse("kind_contradicted", f"The view of a {kind} does not show {' or '.join(sorted(known))}.")
    if kind != "query":
        return
    count = natural(view.get("row_count"))
    if count is None or count < len(view.get("rows", ())):
        refuse("kind_contradicted", "The view shows more rows than it counts.")


def _contract_check(stated: str, contracts: Collection[str]) -> Check:
    if not contracts:
        return not_checkable("contract", "no_known_contracts", "No contract was given to compare with.")
    if stated in contracts:
        return passed("contract")
    return not_checkable("contract", "contract_unknown", f"It was computed under the contract {_shown(stated)}.")
