"""in-toto test-result v0.1: replays as the tests of results, for tools that ask whether all tests have passed.

The subject is each replayed result, by the hash that was replayed. A replay that was refused has not passed: it is
among the failed ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.core.canonical import write_canonical_bytes
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.documents import build_envelope, seal
from service_nb.ledger.exports.card_run import TERMS
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, drop_unknown
from service_nb.schema.card import Card
from service_nb.schema.entry import STATEMENT_TYPE

PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"


def export(material: ExportMaterial) -> bytes:
    """Return one envelope about all replays among the cards. Raises `invalid_intent`."""
    if not material.cards or any(card["kind"] != "replay" for card in material.cards):
        kinds = ", ".join(sorted({card["kind"] for card in material.cards})) or "nothing"
        raise InvalidIntentError(
            f"A test result is made from replays, and this is {kinds}.",
            hint="Replay it with `service-nb replay`, and export its result.",
            met=kinds,
            expected="replay",
        )
    try:
        statement = write_canonical_bytes(_build_statement(material.cards))
    except (AttributeError, LookupError, TypeError) as error:
        raise EvidenceError("Malformed replay card.", reason="malformed_card") from error
    return (json.dumps(build_envelope(seal(statement, material.signer)), separators=(",", ":")) + "\n").encode()


def _build_statement(cards: Sequence[Card]) -> dict[str, Any]:
    named = [(_name(card["view"]), card["view"]["status"] == "identical") for card in cards]
    failed = [name for name, is_identical in named if not is_identical]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [subject for card in cards for subject in _list_subjects(card)],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": "FAILED" if failed else "PASSED",
            "configuration": [_build_configuration(card) for card in cards],
            "passedTests": [name for name, is_identical in named if is_identical],
            "failedTests": failed,
        },
    }


def _list_subjects(card: Card) -> list[dict[str, object]]:
    """The replayed result by the hash that was to come out again; the replay itself where there was none to compare."""
    view = card["view"]
    if view["digest"] is None or view["expected"] is None:
        return [{"name": _name(view), "digest": {f"{TERMS}replay_hash": card["digests"]["replay_hash"]}}]
    return [{"name": _name(view), "digest": {TERMS + view["digest"]: view["expected"]}}]


def _build_configuration(card: Card) -> dict[str, object]:
    """List the inputs of the test: the replay's own record, and the sources that it read."""
    view = card["view"]
    return {
        "name": f"replay of {_name(view)}",
        "digest": {f"{TERMS}replay_hash": card["digests"]["replay_hash"]},
        "annotations": drop_unknown({"status": view["status"], "cause": view["cause"], "sources": view["sources"]}),
    }


def _name(view: Mapping[str, object]) -> str:
    return str(view["result_id"] or view["subject"])


FORMAT = ExportFormat(
    name="test-result",
    ending=".test-result.intoto.jsonl",
    words="replays as an in-toto test-result, signed by this machine's key",
    write=export,
    is_signed=True,
)
