"""Export formats: one file each, with a record `FORMAT`; found by looking into this folder and at entry points.

A format takes `ExportMaterial` (verified cards, or a part of a ledger) and returns a file's bytes or a folder's files.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from service_nb.core.plugins import load_plugins
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.documents import SigningKey
from service_nb.ledger import exports
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
class ExportMaterial:
    """The input of an export format.

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
    signer: SigningKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A format: how it is named and described, and what writes it.

    Parameters
    ----------
    name : str
        As `--format` takes it.
    ending : str
        Of the written file; "" for a folder.
    words : str
        One line of help.
    write : Callable
        Returns a file's bytes, or the files of a folder by their paths in it.
    of : "cards" or "ledger"
        What its material holds.
    is_signed : bool
        Whether it states something new, and is given a signer for it.
    """

    name: str
    ending: str
    words: str
    write: Callable[[ExportMaterial], bytes | Files]
    of: Literal["cards", "ledger"] = "cards"
    is_signed: bool = False


@cache
def find_formats() -> Mapping[str, ExportFormat]:
    """Find all formats by name: those of this folder, then those of other distributions."""
    here = [info.name for info in pkgutil.iter_modules(exports.__path__)]
    modules = (importlib.import_module(f"{exports.__name__}.{name}") for name in here)
    own = {module.FORMAT.name: module.FORMAT for module in modules if hasattr(module, "FORMAT")}
    return own | load_plugins("service_nb.exports", ExportFormat, taken=own)


def find_format(name: str) -> ExportFormat:
    """Find a format by its name, or raise `invalid_intent` with the nearest one."""
    found = find_formats()
    if name in found:
        return found[name]
    close = find_nearest(name, tuple(found))
    raise InvalidIntentError(
        f"There is no export format {describe_value(name)}.",
        hint=f"Did you mean {close[0]}?" if close else f"There are {', '.join(found)}.",
        path="--format",
        met=describe_value(name),
        expected=list(found),
    )


def require_card(material: ExportMaterial, name: str) -> Card:
    """Return the only card of a format that holds one. Raises `invalid_intent`."""
    if len(material.cards) != 1:
        raise InvalidIntentError(
            f"{name} holds one result, and {len(material.cards)} were given.",
            hint="Name one by its id, or export each card alone.",
            met=len(material.cards),
            expected=1,
        )
    return material.cards[0]


def require_cards(material: ExportMaterial, use: str = "export") -> Sequence[Card]:
    """Return the cards of a format that holds one or more. Raises `invalid_intent`."""
    if not material.cards:
        raise InvalidIntentError(f"There is no card to {use}.", expected="one card or more", met=0)
    return material.cards


def missing_text_error(what: str, hint: str) -> EvidenceError:
    """Return the error of a card that does not hold what a format is of."""
    return EvidenceError(f"This card does not hold {what}.", reason="text_not_kept", hint=hint)


def drop_unknown(value: Mapping[str, object]) -> dict[str, object]:
    """Return an object without what is not known: None, and lists and objects of nothing."""
    return {key: item for key, item in value.items() if item is not None and item not in ([], {})}
