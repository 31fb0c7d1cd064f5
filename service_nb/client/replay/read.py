"""Read the stored evidence of a result: verify it first, and trust only well-formed parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from service_nb.client.replay.find import RefusedError, ReplayOptions
from service_nb.core.canonical import write_canonical_text
from service_nb.errors import EvidenceError
from service_nb.evidence.differences import Ground
from service_nb.evidence.documents import open_outcome, open_receipt
from service_nb.evidence.standalone import Verdict, compute_key_id, read_object
from service_nb.evidence.verdicts import explain_cause
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
_OPTIONS = ("sheet", "delimiter", "encoding", "thousands", "decimal", "date_format", "currency")
_SWITCHES = ("percent", "trim")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """A stored card with its origin; `statement` and `texts` are what a ledger keeps beside a card.

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
    view: Mapping[str, object]
    inputs: tuple[Input, ...]
    bindings: tuple[Mapping[str, object], ...]
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
        """Tell whether a trusted key signed the result, or the client's own ledger holds it."""
        return self.is_own or any(check.name == "signer" and check.status == "passed" for check in self.verdict.checks)

    @property
    def is_live(self) -> bool:
        """Tell whether a live source is among the inputs, whose data may change unnoticed."""
        return any(each["content"].get("algorithm") == "live" for each in self.inputs)

    @property
    def is_hidden(self) -> bool:
        """Tell whether a policy hid columns of the inputs, so that no digest can compare the data."""
        return any(each["content"].get("algorithm") == "hidden" for each in self.inputs)

    def get_text(self, name: str) -> str:
        """Return a hashed text, or raise `RefusedError`: without it the result cannot run again."""
        try:
            return self.texts[name]
        except KeyError:
            raise RefusedError(
                "text_not_kept",
                f"The card holds the hash of its {name} and not the text; the ledger that recorded it may have it.",
            ) from None

    def record(self, name: str) -> Mapping[str, object]:
        """Return a hashed text, parsed as an object."""
        met = read_object(self.get_text(name))
        if met is None:
            raise build_invalid_error(f"its {name} is not an object in strict JSON")
        return met


def build_invalid_error(what: str) -> RefusedError:
    """Build the error for evidence that is malformed."""
    return RefusedError("evidence_invalid", f"The stored result cannot be read: {what}.")


def read_outcome(source: StoredCard, verdict: Verdict, options: ReplayOptions) -> StoredOutcome:
    """Read from a verified card all that a replay needs.

    Raises
    ------
    RefusedError
        `evidence_invalid`: it is altered and was not asked to be replayed nevertheless, or is malformed; or a signature
        by one of certain keys is demanded, and it has none.
    """
    if verdict.status == "altered" and (not options.is_forced or verdict.checks[0].status == "failed"):
        cause = verdict.causes[0]
        raise RefusedError("evidence_invalid", f"The card does not verify ({cause}). {explain_cause(cause).means}")
    if options.demands_key and not options.is_forced and verdict.status in ("unaltered", "consistent"):
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


def list_hints(cards: Iterable[object]) -> dict[tuple[str, str], Input]:
    """List the inputs that receipts state, by name and schema, as hints for cards without a receipt.

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


def _find_id(view: Mapping[str, object]) -> str | None:
    told = view.get("query_id") or view.get("request_id")
    return told if isinstance(told, str) else None


def _find_signer(card: Mapping[str, object], verdict: Verdict) -> str | None:
    if not any(check.name == "signature" and check.status == "passed" for check in verdict.checks):
        return None
    return compute_key_id(open_receipt(card["receipt"]).key)


def _read_predicate(source: StoredCard, verdict: Verdict) -> dict[str, Any] | None:
    """Read the signed predicate of an outcome, or the ledger's; None if there is neither."""
    payload = source.statement
    if payload is None:
        if not any(check.name == "statement" and check.status == "passed" for check in verdict.checks):
            return None
        payload = open_receipt(source.card["receipt"]).sealed.payload
    try:
        predicate: dict[str, object] = open_outcome(payload)["predicate"]
    except EvidenceError as error:
        raise build_invalid_error("its statement is malformed") from error
    if predicate["digests"] != source.card["digests"]:
        raise build_invalid_error("its statement is of another card")
    return predicate


def _check_objects(raw: object) -> tuple[Mapping[str, object], ...]:
    if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
        raise build_invalid_error("its bindings are not a list of objects")
    return tuple(raw)


def _read_input(raw: object) -> Input:
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), dict):
        raise build_invalid_error("an input is not an object with a content")
    content, origin = raw["content"], raw.get("origin")
    for holder, key in ((raw, "name"), (raw, "schema_revision"), (content, "algorithm")):
        if not isinstance(holder.get(key), str) or not holder[key]:
            raise build_invalid_error(f"an input has no {key}")
    if not isinstance(content.get("sha256"), str | None):
        raise build_invalid_error("the digest of an input is not text")
    fields = content.get("fields", [])
    if not isinstance(fields, list) or not all(isinstance(each, str) for each in fields):
        raise build_invalid_error("the fields of an input are not a list of names")
    return Input(
        name=raw["name"],
        source_id=str(raw.get("source_id", "")),
        schema_revision=raw["schema_revision"],
        row_count=raw["row_count"] if type(raw.get("row_count")) is int else 0,
        content=content,
        origin=None if origin is None else _read_origin(origin),
        reading=None if raw.get("reading") is None else read_reading(raw["reading"]),
    )


def _read_origin(raw: object) -> Origin:
    """Check and return the origin of a source; an unknown form is a forgery, not an older version."""
    if not isinstance(raw, dict):
        raise build_invalid_error("an origin is not an object")
    for key, value in raw.items():
        if key not in _PLACES or not isinstance(value, str):
            raise build_invalid_error(f"{key!r} of an origin is unknown or of another type")
    return cast(Origin, raw)


def read_reading(raw: object) -> Reading:
    """Check and return the reading of a source."""
    if not isinstance(raw, dict):
        raise build_invalid_error("a reading is not an object")
    for key, value in raw.items():
        is_text = key in _OPTIONS and isinstance(value, str)
        is_types = key == "types" and isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
        is_nulls = key == "nulls" and isinstance(value, list) and all(isinstance(each, str) for each in value)
        is_switch = key in _SWITCHES and value is True
        if not (is_text or is_types or is_nulls or is_switch):
            raise build_invalid_error(f"{key!r} of a reading is unknown or of another type")
    return cast(Reading, raw)


def _write_reading(reading: Reading | None) -> str | None:
    return None if reading is None else write_canonical_text(reading)


def _read_card_inputs(card: Mapping[str, Any]) -> list[Input]:
    """Read the inputs of an unsigned card: from its provenance, or else from its view."""
    if "provenance" not in card["canonical"]:
        return _read_shown_inputs(card["kind"], card["view"])
    provenance = read_object(card["canonical"]["provenance"])
    if provenance is None:
        raise build_invalid_error("its provenance is not an object in strict JSON")
    return [_read_input(raw) for raw in _check_objects(provenance.get("sources"))]


def _read_shown_inputs(kind: CardKind, view: Mapping[str, object]) -> list[Input]:
    """Read the inputs from the view of a card; those of a computation have no digests."""
    if kind == "query":
        source = view.get("source")
        return [_read_input({**source, "origin": None} if isinstance(source, dict) else source)]
    if kind != "computation":
        return []
    named: dict[str, Input] = {}
    for binding in _check_objects(view.get("bindings", [])):
        name, schema = binding.get("source_name"), binding.get("schema_revision")
        if not isinstance(name, str) or not isinstance(schema, str):
            raise build_invalid_error("a binding names no source")
        named[name] = Input(
            name=name, source_id="", schema_revision=schema, row_count=0, content={}, origin=None, reading=None
        )
    return list(named.values())
