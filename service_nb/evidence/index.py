"""The index of a notebook: a signed list of its cards, so that a card which is taken out or added is noticed.

``metadata.service_nb = {"version": 1, "envelope": {…}, "public_key": base64}``. The envelope holds an in-toto statement
of type `urn:service-nb:index:v1`; its predicate is ``{"version": 1, "time": …, "cards": [{"cell": id | null, "kind": …,
"id": result id | null, "digest": sha256}, …]}``, with the SHA-256 of the canonical JSON of each card's digests, and its
one subject is `cards`, the SHA-256 of the canonical JSON of that list. The checks, in this order:

* `form`: exactly this shape, the subject included (`index_malformed`); alone if it fails
* `signature` (`signature_invalid`); the last if it fails
* `signer`, as of a card
* `cards`: the notebook's cards have these digests in this order: `card_missing` if there are fewer, `card_added` if
  there are more, `card_replaced` if others, `card_moved` if the same in another order. Cells and ids are for people.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import sha256_hex
from service_nb.core.visible import visible
from service_nb.errors import EvidenceError
from service_nb.evidence.checks import attempt, failed, passed, refuse, signer_check
from service_nb.evidence.keys import KEY_BYTES, key_id
from service_nb.evidence.receipt import Sealed, Signer, bytes_of, envelope, natural, opened_envelope
from service_nb.evidence.statement import is_time, opened_statement, parse_statement, statement_bytes, subjects_of
from service_nb.schema.verdict import Check

METADATA_KEY = "service_nb"
INDEX_TYPE = "urn:service-nb:index:v1"
VERSION = 1

_INDEX = {"version", "envelope", "public_key"}
_PREDICATE = {"version", "time", "cards"}
_LISTED = {"cell", "kind", "id", "digest"}
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Placed:
    """A card in a notebook: the name of its place, and the id of the cell that it stands below, if it has one."""

    subject: str
    cell_id: str | None
    card: Any


@dataclass(frozen=True, slots=True)
class _Opened:
    sealed: Sealed
    public_key: bytes
    cards: tuple[Mapping[str, Any], ...]


def sealed_index(cards: Sequence[Placed], *, time: str, signer: Signer) -> dict[str, Any]:
    """Return the index of a notebook's cards, for its `metadata.service_nb`."""
    listed = [_listed(placed) for placed in cards]
    payload = statement_bytes(
        INDEX_TYPE, {"cards": _list_digest(listed)}, {"version": VERSION, "time": time, "cards": listed}
    )
    return {"version": VERSION, "envelope": envelope(payload, signer), "public_key": signer.public_key}


def index_checks(index: Any, cards: Sequence[Placed], keys: Collection[str]) -> Iterator[Check]:
    """Yield the checks of a notebook's index against the cards that the notebook holds."""
    try:
        met = _opened(index)
    except EvidenceError as error:
        yield failed("form", EvidenceError(f"The index is malformed: {error}", reason="index_malformed"))
        return
    yield passed("form")
    signature = attempt("signature", lambda: _require_signature(met))
    yield signature
    if signature.status == "passed":
        yield signer_check(met.public_key, keys)
        yield attempt("cards", lambda: _require_cards(met.cards, [digest_of(each.card) for each in cards]))


def digest_of(card: Any) -> str | None:
    """Return the digest under which an index lists a card; None if it has no digests, and so cannot be listed."""
    digests = card.get("digests") if isinstance(card, dict) else None
    if not isinstance(digests, dict) or not all(isinstance(value, str) for value in digests.values()):
        return None
    return sha256_hex(canonical_bytes(digests))


def _listed(placed: Placed) -> dict[str, Any]:
    digest = digest_of(placed.card)
    if digest is None or not isinstance(placed.card.get("kind"), str):
        raise EvidenceError(f"{placed.subject}: it is no card.", reason="malformed_card")
    return {"cell": placed.cell_id, "kind": placed.card["kind"], "id": _result_id(placed.card), "digest": digest}


def _result_id(card: Mapping[str, Any]) -> str | None:
    """The id of the entry that the card's receipt is of."""
    if card.get("receipt") is None:
        return None
    try:
        said = parse_statement(opened_envelope(card["receipt"].get("envelope")).payload)
    except (EvidenceError, AttributeError):
        return None
    identity: str = said["predicate"]["id"]
    return identity


def _opened(index: Any) -> _Opened:
    if not isinstance(index, dict) or index.keys() != _INDEX or natural(index["version"]) != VERSION:
        _malformed("it is no object of version, envelope and public_key")
    public_key, sealed = bytes_of(index["public_key"], KEY_BYTES), opened_envelope(index["envelope"])
    if public_key is None or sealed.signature is None:
        _malformed("it is not signed, or its public_key is not the base64 of 32 bytes")
    said = opened_statement(sealed.payload)
    predicate = said["predicate"]
    if said["predicateType"] != INDEX_TYPE or predicate.keys() != _PREDICATE:
        _malformed("its predicate is no index")
    if natural(predicate["version"]) != VERSION or not is_time(predicate["time"]):
        _malformed("the version of its predicate is unknown, or its time is no time")
    listed = predicate["cards"]
    if not isinstance(listed, list) or not all(map(_is_listed, listed)):
        _malformed("it does not list cards by cell, kind, id and digest")
    if subjects_of(said) != {"cards": _list_digest(listed)}:
        _malformed("its subject is not the list of cards that it holds")
    return _Opened(sealed, public_key, tuple(listed))


def _is_listed(card: Any) -> bool:
    if not isinstance(card, dict) or card.keys() != _LISTED:
        return False
    texts = all(card[name] is None or isinstance(card[name], str) for name in ("cell", "id"))
    is_digest = isinstance(card["digest"], str) and _DIGEST.fullmatch(card["digest"]) is not None
    return texts and isinstance(card["kind"], str) and is_digest


def _list_digest(listed: Sequence[Mapping[str, Any]]) -> str:
    return sha256_hex(canonical_bytes(listed))


def _require_signature(met: _Opened) -> None:
    if not met.sealed.is_signed_by(met.public_key):
        refuse("signature_invalid", f"Device {key_id(met.public_key)} has not signed this index.")


def _require_cards(listed: Sequence[Mapping[str, Any]], met: Sequence[str | None]) -> None:
    sealed = [card["digest"] for card in listed]
    if len(met) != len(sealed):
        cause = "card_missing" if len(met) < len(sealed) else "card_added"
        refuse(cause, f"{len(sealed)} cards were sealed, and {len(met)} are here.{_missing(listed, met)}")
    if sorted(sealed) != sorted(digest or "" for digest in met):
        at = next(at for at, (left, right) in enumerate(zip(sealed, met, strict=True), 1) if left != right)
        refuse("card_replaced", f"A card is not one that was sealed; the first that differs is card {at}.")
    if list(sealed) != list(met):
        refuse("card_moved", "The cards are those that were sealed, in another order.")


def _missing(listed: Sequence[Mapping[str, Any]], met: Sequence[str | None]) -> str:
    """Name the first sealed card that is not here, as the index names it: its number, kind, id and cell."""
    left = Counter(met)
    for number, card in enumerate(listed, 1):
        if not left[card["digest"]]:
            named = " ".join(visible(card[name]) for name in ("kind", "id") if card[name])
            below = f", below the cell {visible(card['cell'])}" if card["cell"] else ""
            return f" Not here is card {number}: {named}{below}."
        left[card["digest"]] -= 1
    return ""


def _malformed(what: str) -> NoReturn:
    raise EvidenceError(f"{what}.", reason="index_malformed")
