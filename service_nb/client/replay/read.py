"""Read what is stored of a result: verified first, and believed no further than it is well-formed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from service_nb.client.replay.find import RefusedError
from service_nb.core.canonical import canonical_text
from service_nb.errors import EvidenceError
from service_nb.evidence.causes import explain_cause
from service_nb.evidence.changes import Ground
from service_nb.evidence.standalone import Verdict, key_id, read_object
from service_nb.evidence.verify import open_outcome, open_receipt
from service_nb.schema.card import CardKind
from service_nb.schema.entry import Input, Origin
from service_nb.schema.source import Reading

_COMPARED: Mapping[CardKind, str] = {
    "query": "result_hash",
    "computation": "computation_hash",
    "clarification": "refusal_hash",
    "rejection": "refusal_hash",
}
_PLACES = ("file", "provider", "table", "query")
_OPTIONS = ("sheet", "delimiter", "encoding")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """Where a stored result comes from. `statement` and `texts` are what a ledger keeps beside a card.

    `is_own` says that the client's own ledger wrote it.
    """

    subject: str
    card: Any
    statement: bytes | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutcome:
    """A stored result as its evidence tells it; see `read_outcome`."""

    subject: str
    kind: CardKind
    texts: Mapping[str, str]
    digests: Mapping[str, str]
    view: Mapping[str, Any]
    inputs: tuple[Input, ...]
    bindings: tuple[Mapping[str, Any], ...]
    ground: Ground
    verdict: Verdict
    has_statement: bool
    is_own: bool
    result_id: str | None
    time: str | None
    signer: str | None

    @property
    def question(self) -> str:
        """The question in words, as the card says it."""
        said = self.view.get("question")
        return said if isinstance(said, str) else ""

    @property
    def digest(self) -> str | None:
        """The name of the digest that a replay compares."""
        return _COMPARED.get(self.kind)

    @property
    def is_trusted(self) -> bool:
        """Whether a trusted key signed it, or the client's own ledger holds it."""
        return self.is_own or any(check.name == "signer" and check.status == "passed" for check in self.verdict.checks)

    @property
    def is_live(self) -> bool:
        """Whether it was made from a source whose data may have changed without anyone being told."""
        return any(each["content"].get("algorithm") == "live" for each in self.inputs)

    @property
    def is_hidden(self) -> bool:
        """Whether a policy hid columns of its sources, so that no digest tells whether the data are the same."""
        return any(each["content"].get("algorithm") == "hidden" for each in self.inputs)

    def text(self, name: str) -> str:
        """Return a hashed text, or refuse: without it nothing can be run again."""
        try:
            return self.texts[name]
        except KeyError:
            raise RefusedError(
                "text_not_kept",
                f"The card holds the hash of its {name} and not the text; the ledger that recorded it may have it.",
            ) from None

    def record(self, name: str) -> Mapping[str, Any]:
        """Return a hashed text that is to be an object."""
        met = read_object(self.text(name))
        if met is None:
            raise refuse_invalid(f"its {name} is not an object in strict JSON")
        return met


def refuse_invalid(what: str) -> RefusedError:
    """Return the refusal of evidence that is not well-formed."""
    return RefusedError("evidence_invalid", f"The stored result cannot be read: {what}.")


def read_outcome(source: StoredCard, verdict: Verdict, *, demands_key: bool, is_forced: bool) -> StoredOutcome:
    """Read what a replay needs of a card that was verified.

    Raises
    ------
    RefusedError
        `evidence_invalid`: it is altered and was not asked to be replayed nevertheless, or is malformed; or a signature
        by one of certain keys is demanded, and it has none.
    """
    if verdict.status == "altered" and (not is_forced or verdict.checks[0].status == "failed"):
        cause = verdict.causes[0]
        raise RefusedError("evidence_invalid", f"The card does not verify ({cause}). {explain_cause(cause).means}")
    if demands_key and not is_forced and verdict.status in ("unaltered", "consistent"):
        raise RefusedError("evidence_invalid", "The card is not signed by any of the keys that were given.")
    card = source.card
    predicate = _read_predicate(source, verdict)
    view = card["view"]
    inputs = [_read_input(raw) for raw in predicate["inputs"]] if predicate else _read_card_inputs(card)
    determinism = predicate["determinism"] if predicate else view.get("determinism")
    return StoredOutcome(
        subject=source.subject,
        kind=card["kind"],
        texts={**source.texts, **card["canonical"]},
        digests=card["digests"],
        view=view,
        inputs=tuple(inputs),
        bindings=_check_objects(predicate["bindings"] if predicate else view.get("bindings", [])),
        ground=Ground(
            sources={each["name"]: (each["content"].get("sha256"), each["schema_revision"]) for each in inputs},
            readings={each["name"]: (_write_reading(each["reading"]), each["source_id"]) for each in inputs},
            contract_hash=card["digests"].get("contract_hash"),
            determinism=determinism if isinstance(determinism, Mapping) else None,
            service_nb=predicate["made_by"].get("service_nb") if predicate else None,
            scope=view["scope"] if isinstance(view.get("scope"), str) else None,
        ),
        verdict=verdict,
        has_statement=predicate is not None,
        is_own=source.is_own,
        result_id=predicate["id"] if predicate else _find_id(view),
        time=predicate["time"] if predicate else None,
        signer=_find_signer(card, verdict),
    )


def list_hints(cards: Iterable[Any]) -> dict[tuple[str, str], Input]:
    """Return the inputs that receipts tell of, by name and schema: where cards without a receipt may look too.

    Under the name and no schema stands one that tells where the source was read, for cards whose policy hid that.

    Nothing is checked here: a hint is a place to look at, and what is found there is held against the card.
    """
    found: dict[tuple[str, str], Input] = {}
    for card in cards:
        try:
            payload = open_receipt(card["receipt"] if isinstance(card, dict) else None).sealed.payload
            told = [_read_input(raw) for raw in open_outcome(payload)["predicate"]["inputs"]]
        except (EvidenceError, RefusedError, KeyError):
            continue
        for each in told:
            key = (each["name"], each["schema_revision"])
            is_same = key not in found or found[key]["source_id"] == each["source_id"]
            # Of sources that were read in several ways only the place is a hint.
            found[key] = each if is_same else {**each, "source_id": "", "reading": None}
        found.update({(each["name"], ""): each for each in told if each["origin"] is not None})
    return found


def _find_id(view: Mapping[str, Any]) -> str | None:
    told = view.get("query_id") or view.get("request_id")
    return told if isinstance(told, str) else None


def _find_signer(card: Mapping[str, Any], verdict: Verdict) -> str | None:
    if not any(check.name == "signature" and check.status == "passed" for check in verdict.checks):
        return None
    return key_id(open_receipt(card["receipt"]).key)


def _read_predicate(source: StoredCard, verdict: Verdict) -> dict[str, Any] | None:
    """Return what was said of the outcome under a signature, or in the ledger; None if nobody vouches for it."""
    payload = source.statement
    if payload is None:
        if not any(check.name == "statement" and check.status == "passed" for check in verdict.checks):
            return None
        payload = open_receipt(source.card["receipt"]).sealed.payload
    try:
        predicate: dict[str, Any] = open_outcome(payload)["predicate"]
    except EvidenceError as error:
        raise refuse_invalid("its statement is malformed") from error
    if predicate["digests"] != source.card["digests"]:
        raise refuse_invalid("its statement is of another card")
    return predicate


def _check_objects(raw: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
        raise refuse_invalid("its bindings are not a list of objects")
    return tuple(raw)


def _read_input(raw: Any) -> Input:
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), dict):
        raise refuse_invalid("an input is not an object with a content")
    content, origin = raw["content"], raw.get("origin")
    for holder, key in ((raw, "name"), (raw, "schema_revision"), (content, "algorithm")):
        if not isinstance(holder.get(key), str) or not holder[key]:
            raise refuse_invalid(f"an input has no {key}")
    if not isinstance(content.get("sha256"), str | None):
        raise refuse_invalid("the digest of an input is not text")
    fields = content.get("fields", [])
    if not isinstance(fields, list) or not all(isinstance(each, str) for each in fields):
        raise refuse_invalid("the fields of an input are not a list of names")
    return Input(
        name=raw["name"],
        source_id=str(raw.get("source_id", "")),
        schema_revision=raw["schema_revision"],
        row_count=raw["row_count"] if type(raw.get("row_count")) is int else 0,
        content=content,
        origin=None if origin is None else _read_origin(origin),
        reading=None if raw.get("reading") is None else _read_reading(raw["reading"]),
    )


def _read_origin(raw: Any) -> Origin:
    """Return where a source was read from; what is said in another form than ours is a forgery, not an older one."""
    if not isinstance(raw, dict):
        raise refuse_invalid("an origin is not an object")
    for key, value in raw.items():
        if key not in _PLACES or not isinstance(value, str):
            raise refuse_invalid(f"{key!r} of an origin is unknown or of another type")
    return cast(Origin, raw)


def _read_reading(raw: Any) -> Reading:
    """Return how a source was read."""
    if not isinstance(raw, dict):
        raise refuse_invalid("a reading is not an object")
    for key, value in raw.items():
        is_text = key in _OPTIONS and isinstance(value, str)
        is_types = key == "types" and isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
        is_nulls = key == "nulls" and isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not (is_text or is_types or is_nulls):
            raise refuse_invalid(f"{key!r} of a reading is unknown or of another type")
    return cast(Reading, raw)


def _write_reading(reading: Reading | None) -> str | None:
    return None if reading is None else canonical_text(reading)


def _read_card_inputs(card: Mapping[str, Any]) -> list[Input]:
    """Return the inputs that an unsigned card tells of: in its provenance, or else what it shows."""
    if "provenance" not in card["canonical"]:
        return _read_shown_inputs(card["kind"], card["view"])
    provenance = read_object(card["canonical"]["provenance"])
    if provenance is None:
        raise refuse_invalid("its provenance is not an object in strict JSON")
    return [_read_input(raw) for raw in _check_objects(provenance.get("sources"))]


def _read_shown_inputs(kind: CardKind, view: Mapping[str, Any]) -> list[Input]:
    """Return the inputs that a card shows: of a computation without the digests of their content."""
    if kind == "query":
        source = view.get("source")
        return [_read_input({**source, "origin": None} if isinstance(source, dict) else source)]
    if kind != "computation":
        return []
    named: dict[str, Input] = {}
    for binding in _check_objects(view.get("bindings", [])):
        name, schema = binding.get("source_name"), binding.get("schema_revision")
        if not isinstance(name, str) or not isinstance(schema, str):
            raise refuse_invalid("a binding names no source")
        named[name] = Input(
            name=name, source_id="", schema_revision=schema, row_count=0, content={}, origin=None, reading=None
        )
    return list(named.values())
