"""What is exported, and the one shape of a format: a module beside this one with a name, an ending and `export`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.receipt import Signer
from service_nb.schema.card import Card
from service_nb.schema.entry import Envelope

Files = Mapping[str, bytes]  # by their path below the folder, with "/" between


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPart:
    """The entries of a ledger in their order, as it signed them, and the texts that they stand for."""

    ledger: str  # its id
    entries: Sequence[Envelope]
    public_key: str | None
    checkpoint: str
    texts: Mapping[str, str]  # by the SHA-256 of their bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a format is given.

    Parameters
    ----------
    cards : Sequence
        Parsed cards, verified by the caller, oldest first; with the texts of the ledger where the card left them out.
    time : str
        When the export is made, such as `2026-11-21T13:22:52Z`: what an undated card is dated by.
    ledger : LedgerPart, optional
        For the format that is of a ledger and not of cards.
    signer : Signer, optional
        For the format that says something new about the cards, and signs it.
    """

    cards: Sequence[Card] = ()
    time: str
    ledger: LedgerPart | None = None
    signer: Signer | None = None


class Format(Protocol):
    """A module of this package."""

    NAME: str  # as `--format` has it
    SUFFIX: str  # of the written file; "" for a folder
    SUMMARY: str  # one line of help

    def export(self, material: Material) -> bytes | Files:
        """Return what is to be written: a file, or the files of a folder."""


def the_card(material: Material, name: str) -> Card:
    """Return the only card of a format that holds one.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There are several, or none.
    """
    if len(material.cards) != 1:
        raise InvalidIntentError(
            f"{name} holds one result, and {len(material.cards)} were given.",
            hint="Name one by its id, or export each card alone.",
            met=len(material.cards),
            expected=1,
        )
    return material.cards[0]


def not_kept(what: str, hint: str) -> EvidenceError:
    """Return the error of a card that does not hold what a format is of."""
    return EvidenceError(f"This card does not hold {what}.", reason="text_not_kept", hint=hint)


def compact(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without what is not known: None, and lists and objects of nothing."""
    return {key: item for key, item in value.items() if item is not None and item not in ([], {})}
