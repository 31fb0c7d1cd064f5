"""What a case is, and how its expected verdict is written down by hand: the checks, and those that do not pass."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.vectors.evidence_maker import CONTRACT, Json, Key

ALICE, BOB, MALLORY = Key("first device"), Key("second device"), Key("forger")

DIGESTS = {
    "query": "plan_hash result_hash schema_revision provenance_hash view_hash rows_hash",
    "computation": "input_hash invocation_hash computation_hash contract_hash definition_hash provenance_hash"
    " view_hash rows_hash",
    "clarification": "refusal_hash view_hash",
    "rejection": "refusal_hash view_hash",
    "error": "error_hash view_hash",
    "replay": "replay_hash view_hash rows_hash",
}
RECEIPT = "signature signer statement inclusion checkpoint"
LEDGER = "form entry order texts root signer checkpoint"
INDEX = "form signature signer cards"
TRUSTED, KNOWN = [ALICE.text], [CONTRACT]

Verdict = dict[str, Any]


def verdict(subject: str, checks: str, /, **causes: str) -> Verdict:
    """The named checks passed, but for those with a cause: failed; with `?` before it not checkable here."""
    names = checks.split()
    unknown = set(causes) - set(names)
    assert not unknown, unknown
    checks = [[name, *_outcome(causes.get(name))] for name in names]
    return {"subject": subject, "status": status_of(checks), "checks": checks}


def status_of(checks: Sequence[Sequence[str | None]]) -> str:
    """What checks come to, by the table of docs/decisions/0019."""
    if any(status == "failed" for _, status, _ in checks):
        return "altered"
    causes = {cause for _, status, cause in checks if status == "not_checkable"}
    causes -= {"text_not_kept", "rows_not_kept", "not_sealed", "card_repeated", "card_out_of_order"}
    if causes - {"unsigned", "unknown_signer"}:
        return "not_checkable"
    return "consistent" if "unsigned" in causes else "unaltered" if "unknown_signer" in causes else "verified"


def _outcome(cause: str | None) -> tuple[str, str | None]:
    if cause is None:
        return "passed", None
    return ("not_checkable", cause[1:]) if cause.startswith("?") else ("failed", cause)


def of(kind: str, /, *, subject: str = "card", is_signed: bool = True, **causes: str) -> Verdict:
    """The verdict of a card of this kind, signed by a trusted key under a known contract, but for what is named."""
    contract, capability = (" contract", " capability") if kind == "computation" else ("", "")
    receipt = RECEIPT if is_signed and causes.get("signature") is None else "signature"
    return verdict(subject, f"form {DIGESTS[kind]} kind shown{capability} {receipt}{contract}", **causes)


def loose(*verdicts: Verdict, cause: str = "not_sealed") -> tuple[Verdict, ...]:
    """The verdicts of cards in a notebook that is not sealed: their order and number are open."""
    return tuple(_and(each, "cards", cause) for each in verdicts)


def below(each: Verdict, cause: str | None = None) -> Verdict:
    """The verdict of a card whose statement names the source of its cell, and where that is another one the cause."""
    return _and(each, "cell", cause)


def _and(each: Verdict, check: str, cause: str | None) -> Verdict:
    if each["checks"][0][1] != "passed":
        return each  # what is no card is looked at no further
    checks = [*each["checks"], [check, "not_checkable" if cause else "passed", cause]]
    return {"subject": each["subject"], "status": status_of(checks), "checks": checks}


def open_form(subject: str = "document") -> Verdict:
    """The verdict of a notebook that viewers do not read alike."""
    return verdict(subject, "form", form="?notebook_form")


FACES = verdict("faces", "faces", faces="?faces_not_compared")


def bad_form(cause: str, subject: str = "card") -> Verdict:
    return verdict(subject, "form", form=cause)


def case(
    name: str,
    document: Json | str | bytes,
    *verdicts: Verdict,
    keys: Sequence[str] = tuple(TRUSTED),
    contracts: Sequence[str] = tuple(KNOWN),
) -> Json:
    made: Json = {"name": name}
    if isinstance(document, bytes):
        made["document_base64"] = base64.b64encode(document).decode()
    else:
        made["document"] = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return made | {"keys": list(keys), "contracts": list(contracts), "verdicts": list(verdicts)}


Cases = Iterator[Json]
