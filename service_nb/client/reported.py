"""What a report tells of a card beside its verdict: the answer that it shows, and who signed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from service_nb.cards.blocks import Figure, Sentence, Table
from service_nb.cards.compose import compose
from service_nb.client.outputs import UNSHOWABLE
from service_nb.evidence.keys import KEY_BYTES, decoded, key_id
from service_nb.schema.card import Card
from service_nb.schema.report import Answer, Signer
from service_nb.schema.verdict import Verdict


def answers_of(cards: Mapping[str, Any], verdicts: Mapping[str, Verdict]) -> dict[str, Answer]:
    """Return what each card shows as its answer, by subject; nothing of one that is altered is told as an answer."""
    held = {subject: _answer(card) for subject, card in cards.items() if verdicts[subject].status != "altered"}
    return {subject: answer for subject, answer in held.items() if answer is not None}


def signers_of_cards(
    cards: Mapping[str, Any], verdicts: Mapping[str, Verdict], trusted: Mapping[str, str]
) -> dict[str, Signer]:
    """Return whose key signed each card, by subject, where the signature holds."""
    signed = [subject for subject, verdict in verdicts.items() if subject in cards and _is_signed(verdict)]
    keys = {subject: cards[subject]["receipt"]["public_key"] for subject in signed}
    return {
        subject: Signer(
            key=key, id=key_id(decoded(key, KEY_BYTES) or b""), name=trusted.get(key, ""), trusted=key in trusted
        )
        for subject, key in keys.items()
    }


def _is_signed(verdict: Verdict) -> bool:
    return any(check.name == "signature" and check.status == "passed" for check in verdict.checks)


def _answer(card: Any) -> Answer | None:
    """The second block of every card is its answer: the first says how it came about. A card may not be showable."""
    try:
        block = compose(cast(Card, card))[1]
    except UNSHOWABLE:
        return None
    match block:
        case Table():
            return Answer(
                heads=[head.text for head in block.heads],
                aligned=[head.aligned for head in block.heads],
                rows=[list(row) for row in block.rows],
                note=block.caption,
            )
        case Figure():
            return Answer(value=block.value, note=block.caption)
        case Sentence():
            return Answer(text=block.text)
        case _:
            raise AssertionError(f"no answer is a {type(block).__name__}")
