"""Check the evidence of service_nb alone: this file, Python's standard library, no network, nothing else.

    python standalone.py FILE... [--key BASE64]... [--contract sha256:HEX]... [--json]

FILE is a notebook, a card or a ledger document (JSON), or a `ledger.sqlite`. Exit code, of the worst that was found: 0
all verified, 1 something altered, 2 usage, 3 signed by a key that you did not give, 4 not signed, 5 not checkable here.

What a passed check proves
    `…_hash`      the text that a card holds is the one that was hashed
    `shown`       each leaf that a card shows follows from these texts, but for the author's words (AUTHORS_WORDS)
    `capability`  what was computed is in the contract that the card names, and arguments and value fit it
    `signature`   the owner of a key signed the statement; `signer`: it is a key that you gave with `--key`
    `statement`   the statement is about this very card
    `inclusion`   it is an entry of a ledger; `checkpoint`: of one whose state the same key has signed
    `contract`    the computation ran under definitions that you gave with `--contract`
    `root`        the ledger is complete up to its checkpoint: nothing in it was changed, dropped, added or moved
    `cards`       a sealed notebook shows the cards that it was sealed with, in their order

What no check proves: that a number is right (replay it), that a clock was right, that a signer is honest, that a
checkpoint is the newest one, that a notebook without a seal never had one, and, without `--key`, who signed. Of a
database the entries, the texts and the newest checkpoint are read, and none of what was derived from them. What other
forms of an output (HTML, text) show beside a card is not compared here.

A verdict is `altered` if a check failed; `not_checkable` if one that decides could not be made; `consistent` if nobody
signed; `unaltered` if a key signed that you did not give; else `verified`. The file reads from documents down to bits;
the command is at its end.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

WIDGETS_MIME = "application/vnd.jupyter.widget-state+json"
FACE = re.compile(r"(?:^|[\n>])[ \t]*Card of service\\?_nb [0-9A-Za-z.+!-]{1,40}[ \t]*(?:[\n<\])},]|$)", re.ASCII)

# --- shapes, written by labextension/shapes.py from service_nb/schema: do not edit them here
# fmt: off
CARD_MIME, PAYLOAD_TYPE = "application/vnd.service-nb.card.v1+json", "application/vnd.in-toto+json"
CARD_BYTES, STATEMENT_BYTES, DOCUMENT_BYTES = 1048576, 262144, 33554432
MAX_DEPTH, MAX_DIGITS, MAX_INTEGER = 64, 400, 9007199254740991
# What cannot be checked without the verdict being open: nothing that is shown depends on a text that
# is not kept, or `shown` would say so; an unknown signer, or none, has a verdict of its own.
UNDECIDING = {"rows_not_kept", "text_not_kept", "unknown_signer", "unsigned"}
# Of each kind of card: the texts that it may hold, the digests that it must hold, what its view may
# say, the last word of its predicate's type, the texts that give what it shows, but for rows.
KINDS: dict[str, tuple[Any, ...]] = {
    "query": (("plan", "result", "provenance"), ("plan_hash", "result_hash", "schema_revision", "provenance_hash"),
        ("ok",), "query", ("plan", "provenance")),
    "clarification": (("spec", "resolution"), ("refusal_hash",), ("needs_clarification",), "refusal",
        ("spec", "resolution")),
    "rejection": (("spec", "resolution"), ("refusal_hash",), ("rejected",), "refusal", ("spec", "resolution")),
    "error": (("error",), ("error_hash",), ("error",), "error", ("error",)),
    "computation": (("identity", "arguments", "value", "definition", "provenance"),
        ("input_hash", "invocation_hash", "computation_hash", "contract_hash", "definition_hash", "provenance_hash"),
        ("ok",), "computation", ("identity", "definition", "provenance")),
    "replay": (("report",), ("replay_hash",), ("identical", "differs", "refused"), "replay", ("report",)),
}
# What a digest is the SHA-256 of: a domain with a NUL, another digest of the card, texts with NUL.
HASHED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "plan_hash": ("service:plan:v1\u0000", "", ("plan",)),
    "result_hash": ("service:result:v1\u0000", "plan_hash", ("result",)),
    "refusal_hash": ("service:refusal:v1\u0000", "", ("spec", "resolution")),
    "error_hash": ("service:error:v1\u0000", "", ("error",)),
    "input_hash": ("", "", ("arguments",)),
    "invocation_hash": ("service:invocation:v1\u0000", "", ("identity",)),
    "computation_hash": ("service:computation:v1\u0000", "invocation_hash", ("value",)),
    "definition_hash": ("service:definition:v1\u0000", "", ("definition",)),
    "provenance_hash": ("service:provenance:v1\u0000", "", ("provenance",)),
    "replay_hash": ("service:replay:v1\u0000", "", ("report",)),
}
# A digest that stands in a text of the card under its own name.
QUOTED = {
    "schema_revision": "plan",
    "contract_hash": "identity",
}
SHAPES: dict[str, Any] = {
    "Card": {"kind": ("is", "query", "clarification", "rejection", "error", "computation", "replay"),
        "version": ("is", 1), "canonical": ("map", "text"), "digests": ("map", "text"),
        "receipt": ("or", "object", "null"), "view": "object"},
    "Name": ("name",),
    "NullText": {"column": "Name", "op": ("is", "is_null", "is_not_null")},
    "ListText": {"column": "Name", "op": ("is", "in", "not_in"), "values": ["scalar"]},
    "RangeText": {"column": "Name", "op": ("is", "between"), "values": ("list", "scalar", 2, 2)},
    "ComparisonText": {"column": "Name", "op": ("is", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"),
        "value": "scalar"},
    "PeriodText": {"column": "Name", "period": "text"},
    "FilterText": {"conditions?": [("by", "op", "NullText", "ListText", "RangeText", "ComparisonText")],
        "time_filter?": "PeriodText"},
    "Whole": ("whole",),
    "SpecText": {"aggregation?": ("is", "sum", "avg", "count", "min", "max"), "metric?": "Name", "group_by?": ["Name"],
        "filter?": "FilterText", "order?": ("is", "asc", "desc"), "limit?": "Whole", "source_name?": "Name"},
    "Hash": ("like", "[0-9a-f]{64}"),
    "PlanFilterText": {"conditions": [("by", "op", "NullText", "ListText", "RangeText", "ComparisonText")]},
    "PlanText": {"aggregation": ("is", "sum", "avg", "count", "min", "max"), "order": ("is", "asc", "desc"),
        "schema_revision": "Hash", "metric?": "Name", "group_by?": ["Name"], "filter?": "PlanFilterText",
        "limit?": "Whole"},
    "Column": {"name": "Name", "type": "text", "physical": "text", "role": ("is", "key", "metric", "count")},
    "Input": {"name": "Name", "source_id": "text", "schema_revision": "Hash", "row_count": "Whole", "content": "object",
        "origin": ("or", "object", "null"), "reading": ("or", "object", "null")},
    "AnswerProvenance": {"columns": ["Column"], "decision_path": "text", "engine": "text", "method": "text",
        "notes": ("map", "text"), "row_count": "Whole", "shown_rows": "Whole", "sources": ("list", "Input", 1, 1)},
    "BoundColumns": {"source_name": "Name", "fields": ["Name"], "parameters": ["Name"], "input_hash": "Hash",
        "schema_revision?": "any", "row_count?": "any", "dropped?": "any", "filter?": "any"},
    "RunProvenance": {"bindings": ["BoundColumns"], "determinism": "object", "sources": ["Input"]},
    "ResolvedBinding": {"source_name": "Name", "fields": ["Name"], "input_hash": "Hash", "parameter?": "Name",
        "parameters?": ["Name"]},
    "CallIdentity": {"args": ["any"], "contract_hash": "text", "execution_scope": "text", "function": "Name",
        "kwargs": "object", "module": "Name", "resolved_bindings": ["ResolvedBinding"],
        "seed": ("or", "Whole", "null")},
    "ParameterEntry": {"name": "Name", "type": "text", "unit": "text", "about?": "text", "shape?": ["text"],
        "domain?": "any", "symbol?": "any", "min_size?": "any", "choices?": "any"},
    "ValueType": {"type": "text", "unit": "text", "about?": "text", "name?": "text", "shape?": ["text"]},
    "RecordType": {"type": ("is", "record"), "fields": ("map", "ValueType"), "about?": "text"},
    "CapabilityEntry": {"id": "Name", "module": "Name", "function": "Name", "summary": "Name", "source": "Name",
        "version": "Whole", "tier": ("is", "certified", "pinned", "seeded"), "params": ["ParameterEntry"],
        "result": ("by", "type", "RecordType", "ValueType"), "formula?": "text", "latex?": "text", "call?": "text",
        "entry?": "text", "requires?": ["any"], "limits?": "object"},
    "Definition": {"capability": "CapabilityEntry", "index": "Whole", "proof": ["Hash"], "size": "Whole"},
    "Bytes": ("base64", None),
    "SignatureBytes": ("base64", 64),
    "EnvelopeSignature": {"keyid": "text", "sig": "SignatureBytes"},
    "Envelope": {"payloadType": ("is", "application/vnd.in-toto+json"), "payload": "Bytes",
        "signatures": ("list", "EnvelopeSignature", 0, 1)},
    "PublicKey": ("base64", 32),
    "LogProof": {"index": "Whole", "size": "Whole", "proof": ["Hash"], "checkpoint": "text"},
    "Receipt": {"version": ("is", 1), "envelope": "Envelope", "public_key": "PublicKey", "log": "LogProof"},
    "SubjectDigest": {"sha256": "Hash"},
    "Subject": {"name": "text", "digest": "SubjectDigest"},
    "Statement": {"_type": ("is", "https://in-toto.io/Statement/v1"), "predicateType": "text", "subject": ["Subject"],
        "predicate": "object"},
    "Moment": ("like", ("[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:"
        "(?:[0-5][0-9]|60)(?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")),
    "Predicate": {"version": ("is", 1), "id": "text",
        "kind": ("is", "query", "clarification", "rejection", "error", "computation", "replay"), "time": "Moment",
        "tenant": ("or", "text", "null"), "digests": "object", "inputs": ["any"], "bindings": ["any"],
        "determinism": ("or", "object", "null"), "place": ("or", "object", "null"), "made_by": "object"},
    "IndexedCard": {"cell": ("or", "text", "null"), "kind": "text", "id": ("or", "text", "null"), "digest": "Hash"},
    "IndexPredicate": {"version": ("is", 1), "time": "Moment", "cards": ["IndexedCard"]},
    "NotebookSeal": {"version": ("is", 1), "envelope": "Envelope", "public_key": "PublicKey"},
    "LedgerId": ("like", "[0-9a-f]{32}"),
    "LedgerDocument": {"service_nb_ledger": ("is", 1), "ledger": "LedgerId", "entries": ["any"],
        "public_key": ("or", "PublicKey", "null"), "checkpoint": "text", "texts": ("map", "text")},
    "ContractHash": ("like", "sha256:[0-9a-f]{64}"),
}
# fmt: on
# --- end of the shapes


class Check(NamedTuple):
    """One check: passed, failed or not_checkable; `cause` is the stable name of why it did not pass."""

    check: str
    status: str = "passed"
    cause: str | None = None
    message: str = ""


class Fault(Exception):  # noqa: N818  a finding, no error of this program
    """What does not hold: a cause, a message, and `not_checkable` instead of `failed` if it cannot be known here."""


def _need(holds: object, cause: str, message: str = "", status: str = "failed") -> None:
    if not holds:
        raise Fault(cause, message or cause.replace("_", " "), status)


def _made(name: str, test: Callable[..., object], *arguments: Any) -> Check:
    try:
        test(*arguments)
    except Fault as fault:
        cause, message, status = fault.args
        return Check(name, status, cause, message)
    return Check(name)


# --- the form of a value ----------------------------------------------------------------------------------------------
# A shape is a word of SHAPES or of WORDS; {key: shape}, an object with exactly these keys, but for `key?`; [shape], a
# list; a rule with its arguments, (rule, ...); or a test.


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, str):
        return WORDS[shape](value) if shape in WORDS else _fits(value, SHAPES[shape])
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        return RULES[shape[0]](value, *shape[1:])
    if isinstance(shape, dict):
        return isinstance(value, dict) and _has_members(value, shape)
    return bool(shape(value))


def _has_members(value: dict[str, Any], shape: dict[str, Any]) -> bool:
    met = 0
    for name, each in shape.items():
        key = name.removesuffix("?")
        if key in value:
            met += 1
            if not _fits(value[key], each):
                return False
        elif key is name:
            return False
    return met == len(value)


def _is_by(value: Any, tag: str, *words: str) -> bool:
    met = value.get(tag) if isinstance(value, dict) else None
    return _fits(value, next((word for word in words if _fits(met, SHAPES[word][tag])), words[-1]))


def _is_whole(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= MAX_INTEGER and value == int(value)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_base64(value: Any, size: int | None = None) -> bool:
    return isinstance(value, str) and _decoded(value, size) is not None


WORDS: dict[str, Callable[[Any], bool]] = {
    "any": lambda _: True,
    "text": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
    "scalar": _is_scalar,
}
RULES: dict[str, Callable[..., bool]] = {
    "by": _is_by,
    "or": lambda value, *shapes: any(_fits(value, shape) for shape in shapes),
    "is": lambda value, *choices: not isinstance(value, bool | dict | list) and value in choices,
    "list": lambda value, shape, least, most: _fits(value, [shape]) and least <= len(value) <= most,
    "map": lambda value, shape: isinstance(value, dict) and _fits([*value.values()], [shape]),
    "name": lambda value: isinstance(value, str) and value != "",
    "like": lambda value, pattern: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None,
    "base64": _is_base64,
    "whole": _is_whole,
}


# --- documents --------------------------------------------------------------------------------------------------------


def check_document(content: bytes, keys: Collection[str] = (), contracts: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return a verdict for each card, seal or ledger in the bytes of a document."""
    try:
        document = parse(content, DOCUMENT_BYTES)
        marks = document.keys() & {"nbformat", "kind", "service_nb_ledger"} if isinstance(document, dict) else ()
        _need(marks, "unknown_document", "it is no notebook, no card and no ledger document")
        if "nbformat" in marks:
            return [_verdict(subject, checks) for subject, checks in _notebook(document, keys, contracts)]
        if "kind" not in marks:
            return [_verdict("ledger", _ledger(document, keys))]
        _need(len(content) <= CARD_BYTES, "too_large", "it is a card of more than 1 MB")
    except Fault as fault:
        return [_verdict("document", [Check("form", "failed", *fault.args[:2])])]
    return [_verdict("card", check_card(document, keys, contracts))]


def _verdict(subject: str, checks: Iterable[Check]) -> dict[str, Any]:
    made = [check._asdict() for check in checks]
    return {"subject": subject, "status": status_of([(each["status"], each["cause"]) for each in made]), "checks": made}


def status_of(checks: Sequence[tuple[str, str | None]]) -> str:
    """Return the one of five words that checks come to: verified, unaltered, consistent, not_checkable, altered."""
    open_causes = {cause for status, cause in checks if status == "not_checkable"}
    if any(status == "failed" for status, _ in checks):
        return "altered"
    if open_causes - UNDECIDING:
        return "not_checkable"
    return "consistent" if "unsigned" in open_causes else "unaltered" if "unknown_signer" in open_causes else "verified"


def _notebook(book: Any, keys: Collection[str], contracts: Collection[str]) -> Iterator[tuple[str, Iterable[Check]]]:
    bad = "malformed_notebook"
    shown: list[tuple[str, dict[str, Any]]] = []
    metadata = book.get("metadata", {})
    _need(_fits(book.get("cells"), ["object"]) and isinstance(metadata, dict), bad, "it has no cells, or odd metadata")
    for at, cell in enumerate(book["cells"], 1):
        outputs = cell.get("outputs", [])
        has_data = _fits(outputs, ["object"]) and _fits([each.get("data", {}) for each in outputs], ["object"])
        _need(has_data, bad, f"cell {at}")
        for number, output in enumerate(outputs, 1):
            shown.append((f"cell {at}, output {number}", output.get("data", {})))
    shown += _in_widgets(metadata)
    cards = [data[CARD_MIME] for _, data in shown if CARD_MIME in data]
    for place, data in shown:
        if CARD_MIME in data:
            yield place, check_card(data[CARD_MIME], keys, contracts)
        elif _is_face(data):
            yield place, [Check("faces", "failed", "card_missing", "the output shows a card, and holds none")]
    if "service_nb" in metadata:
        yield "index", _seal(metadata["service_nb"], cards, keys)


def _in_widgets(metadata: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What widgets show, as of `interact`: those that have outputs, in the order of their ids."""
    held: Any = metadata
    for key in ("widgets", WIDGETS_MIME, "state"):
        held = held.get(key) if isinstance(held, dict) else None
    models = held if isinstance(held, dict) else {}
    states = (models[key] for key in sorted(models, key=lambda each: each.encode("utf-16-be", "surrogatepass")))
    inner = (model.get("state") if isinstance(model, dict) else None for model in states)
    listed = (state.get("outputs") if isinstance(state, dict) else None for state in inner)
    for at, outputs in enumerate((each for each in listed if isinstance(each, list) and each), 1):
        for number, output in enumerate(outputs, 1):
            if isinstance(output, dict) and isinstance(output.get("data"), dict):
                yield f"widget {at}, output {number}", output["data"]


def _is_face(data: dict[str, Any]) -> bool:
    """Whether an output is marked as what a card looks like elsewhere: `Card of service_nb 0.1.0`."""
    for kind in ("text/html", "text/markdown", "text/latex", "text/plain"):
        lines: list[Any] = data[kind] if isinstance(data.get(kind), list) else [data.get(kind)]
        if all(isinstance(line, str) for line in lines) and FACE.search("".join(lines)):
            return True
    return False


def _seal(seal: Any, cards: Sequence[Any], keys: Collection[str]) -> Iterator[Check]:
    """The checks of the signed list of a notebook's cards."""
    try:
        _need(_fits(seal, "NotebookSeal") and seal["envelope"]["signatures"], "index_malformed")
        statement, key = _statement(_payload(seal["envelope"]), "index_malformed"), _raw(seal["public_key"])
        is_index = statement["predicateType"] == "urn:service-nb:index:v1"
        is_list = is_index and _fits(statement["predicate"], "IndexPredicate")
        listed = statement["predicate"]["cards"] if is_list else []
        _need(is_list and statement["subject"] == {"cards": _sha256(canonical(listed)).hex()}, "index_malformed")
    except Fault as fault:
        yield Check("form", "failed", *fault.args[:2])
        return
    yield Check("form")
    yield (signed := _made("signature", _require_signed, seal["envelope"], key))
    if signed.status == "passed":
        yield _made("signer", _require_trusted, [key], keys)
        yield _made("cards", _require_cards, [card["digest"] for card in listed], [_listed(card) for card in cards])


def _require_cards(sealed: list[str], met: list[str]) -> None:
    _need(len(met) >= len(sealed), "card_missing", f"{len(sealed)} cards were sealed, and {len(met)} are here")
    _need(len(met) <= len(sealed), "card_added", f"{len(sealed)} cards were sealed, and {len(met)} are here")
    _need(sorted(met) == sorted(sealed), "card_replaced")
    _need(met == sealed, "card_moved")


def _listed(card: Any) -> str:
    """What a seal lists of a card; nothing that could be listed if it is none."""
    digests = card.get("digests") if isinstance(card, dict) else None
    is_listed = isinstance(digests, dict) and all(isinstance(each, str) for each in digests.values())
    return _sha256(canonical(digests)).hex() if is_listed else ""


# --- cards ------------------------------------------------------------------------------------------------------------


def check_card(card: Any, keys: Collection[str] = (), contracts: Collection[str] = ()) -> Iterator[Check]:
    """Yield the checks of a parsed card."""
    yield (form := _made("form", require_card, card))
    if form.status != "passed":
        return
    yield from (_made(name, _require_digest, name, card) for name in digest_names(card))
    yield _made("kind", _require_kind, card["kind"], card["view"])
    yield _made("shown", require_shown, card, _read)
    if card["kind"] == "computation":
        yield _made("capability", require_capability, card, _read)
    if card["receipt"] is None:
        yield Check("signature", "not_checkable", "unsigned", "the card has no receipt")
    else:
        yield from _receipt(card["receipt"], card, keys)
    if card["kind"] == "computation":
        cause, stated = "contract_unknown" if contracts else "no_known_contracts", card["digests"]["contract_hash"]
        yield _made("contract", _need, stated in contracts, cause, f"it ran under {stated}", "not_checkable")


def require_card(card: Any) -> None:
    """Hold a parsed value to the form of a card."""
    bad = "malformed_card"
    _require_exact(card)
    names = SHAPES["Card"].keys()
    _need(isinstance(card, dict) and card.keys() == names, bad, f"it is no object of exactly {', '.join(names)}")
    _need(_is_whole(card["version"]) and isinstance(card["kind"], str), bad, "its version or kind is of another type")
    _need(card["version"] == 1, "unknown_version", f"the card is of version {card['version']}; known here is 1")
    _need(card["kind"] in KINDS, "unknown_kind", f"the card is of a kind that is none of {', '.join(KINDS)}")
    for name, shape in SHAPES["Card"].items():
        _need(_fits(card[name], shape), bad, f"its {name} is of another type")
    _need(isinstance(card["view"].get("rows", []), list), bad, "the rows of its view are no list")
    digests = {name: "ContractHash" if name == "contract_hash" else "Hash" for name in digest_names(card)}
    _need(_fits(card["digests"], digests), bad, f"its digests are not {', '.join(digests)}, in hex")
    texts = KINDS[card["kind"]][0]
    _need(card["canonical"].keys() <= set(texts), bad, f"its canonical texts are not among {', '.join(texts)}")


def _require_exact(value: Any) -> None:
    """Whole numbers that a browser would round have no place in what it shows."""
    _need(type(value) is not int or abs(value) <= MAX_INTEGER, "unsafe_number", "an integer is beyond 2**53 - 1")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_exact(item)


def digest_names(card: dict[str, Any]) -> list[str]:
    """Name the digests that a card must hold, in the order of their checks."""
    return [*KINDS[card["kind"]][1], "view_hash", *(["rows_hash"] if "rows" in card["view"] else [])]


def _require_digest(name: str, card: dict[str, Any]) -> None:
    texts, digests, view, met = card["canonical"], card["digests"], card["view"], None
    domain, chained, hashed = HASHED.get(name, ("", "", (QUOTED[name],) if name in QUOTED else ()))
    _need(texts.keys() >= set(hashed), "text_not_kept", "the card holds the digest alone", "not_checkable")
    if name == "view_hash":
        met = _sha256("service:view:v1\0" + canonical({key: view[key] for key in view if key != "rows"})).hex()
    elif name == "rows_hash":
        met = _sha256("service:rows:v1\0" + canonical(view["rows"])).hex()
        _need(view["rows"] or met == digests[name], "rows_not_kept", "the rows were taken out", "not_checkable")
    elif name in QUOTED:
        met = (_object(texts[hashed[0]]) or {}).get(name)
    elif name not in ("plan_hash", "invocation_hash") or _object(texts[hashed[0]]) is not None:
        met = _sha256(domain + digests.get(chained, "") + "\0".join(texts[each] for each in hashed)).hex()
    _need(met == digests[name], f"{name}_mismatch", f"the card states {digests[name]}, its content gives {met}")


def _read(text: str) -> Any:
    try:
        return parse(text.encode(), DOCUMENT_BYTES)
    except Fault:
        return None


def _object(text: str) -> dict[str, Any] | None:
    found = _read(text)
    return found if isinstance(found, dict) else None


def _require_kind(kind: str, view: dict[str, Any]) -> None:
    _need(view.get("status") in KINDS[kind][2], "kind_contradicted", "its view has another status")
    shown, count = len(view.get("rows", ())), view.get("row_count", -1)
    counted = kind != "query" or (_is_whole(count) and count >= shown)
    _need(counted, "kind_contradicted", "it shows more rows than it counts")


# --- what a card shows: each leaf of its view is derived from the hashed texts, or is the author's word ---------------

NO_ROWS = hashlib.sha256(b"service:rows:v1\0[]").hexdigest()
AUTHORS_WORDS = {"latency_ms", "query_id", "request_id"}  # an id is compared with the statement, where there is one
MOST_SHOWN, MOST_LISTED, MOST_ITEMS, MOST_CHARS = 20, 10, 8, 60
PHYSICAL = {"int64": "number", "float64": "number"} | {k: k for k in ("string", "boolean", "date", "datetime")}
OPERATORS = {"eq": ("=", "="), "ne": ("≠", "!="), "gt": (">", ">"), "gte": ("≥", ">="), "lt": ("<", "<")} | {
    "lte": ("≤", "<="), "contains": ("contains", "contains"), "starts_with": ("starts with", "starts with")
}  # fmt: skip
ORDERED = ("number", "string", "date", "datetime")
# Of each aggregation: its noun, its step, and how its result is held, or the types of columns that it keeps.
AGGREGATIONS: dict[str, tuple[str, str, str | None, tuple[str, ...]]] = {
    "sum": ("Sum of", "Add the values of {of} exactly and round once; nulls are left out", None, ("number",)),
    "avg": ("Average of", "Divide the exact sum of {of} by its count of values, round once; nulls are left out",
            "float64", ("number",)),
    "count": ("Count of", "Count the values of {of} that are not null", "int64", ("number",)),
    "min": ("Smallest", "Take the smallest value of {of}; nulls are left out", None, ORDERED),
    "max": ("Largest", "Take the largest value of {of}; nulls are left out", None, ORDERED),
}  # fmt: skip
KEYWORDS = {
    "by", "from", "where", "order", "limit", "asc", "desc", "and", "or", "not", "in", "between", "is", "null",
    "contains", "starts_with", "during", "true", "false",
}  # fmt: skip
CERTIFIED = (
    "The value is proven to be the correctly rounded result of the formula for exactly these arguments: the same on "
    "every machine."
)
PINNED = "The value has the same bits wherever the pinned runtime runs"
UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor."


def require_shown(card: dict[str, Any], read: Callable[[str], Any]) -> None:
    """Hold every leaf of a card's view to its texts; `read` parses one of them, and returns None if it is no JSON."""
    names, derive = KINDS[card["kind"]][4], SHOWN[card["kind"]]
    view, texts = card["view"], card["canonical"]
    missing = [name for name in names if name not in texts]
    _need(not missing, "shown_not_kept", f"the card does not hold its {', '.join(missing)}", "not_checkable")
    told = {name: read(text) for name, text in texts.items()}
    due, is_whole = derive(told, card)
    is_emptied = view.get("rows") == [] and card["digests"]["rows_hash"] != NO_ROWS  # which says that there were some
    for name in sorted(view.keys() | due.keys()):
        if name in AUTHORS_WORDS & due.keys() & view.keys():
            _need(view[name] is None or _is_scalar(view[name]), "shown_differs", f"{name} is no text and no number")
        elif name not in due or name not in view:
            raise Fault("shown_differs", f"{name} is {'not recorded' if name in view else 'not shown'}", "failed")
        elif name != "rows" or (is_whole and not is_emptied):
            _require_same(name, view[name], due[name])
    _need(is_whole or not view["rows"], "shown_not_kept", "the card does not hold what its rows show", "not_checkable")


def _require_same(path: str, shown: Any, recorded: Any) -> None:
    if not _same(shown, recorded):
        raise Fault("shown_differs", _difference(path, shown, recorded), "failed")


def _difference(path: str, shown: Any, recorded: Any) -> str:
    """Name the first leaf that differs, what is shown there, and what was recorded."""
    if isinstance(shown, dict) and isinstance(recorded, dict):
        for key in sorted(shown.keys() | recorded.keys()):
            if key not in shown or key not in recorded or not _same(shown[key], recorded[key]):
                return _difference(f"{path}.{key}", shown.get(key), recorded.get(key))
    if isinstance(shown, list) and isinstance(recorded, list):
        for at in range(max(len(shown), len(recorded))):
            ours, theirs = shown[at : at + 1], recorded[at : at + 1]
            if not _same(ours, theirs):
                return _difference(f"{path}[{at}]", *(ours or [None]), *(theirs or [None]))
    return f"{path}: shown {_brief(shown)}, recorded {_brief(recorded)}"


def _brief(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _same(left: Any, right: Any) -> bool:
    """Whether two values of JSON are the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, str) or left is None:
        return bool(left == right)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return (type(left) is type(right) or (_number(left) and _number(right))) and bool(left == right)


def _shape(value: Any, shape: Any, what: str) -> Any:
    _need(_fits(value, shape), "shown_differs", f"its {what} has another form")
    return value


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NULLARY, _LISTS = ("is_null", "is_not_null"), ("in", "not_in", "between")


def _query(told: dict[str, Any], _: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    plan, how = _shape(told["plan"], "PlanText", "plan"), _shape(told["provenance"], "AnswerProvenance", "provenance")
    (source,) = how["sources"]
    _need("metric" in plan or plan["aggregation"] == "count", "shown_differs", "the plan names no metric")
    names = _result_columns(plan)
    _need([each["name"] for each in how["columns"]] == names, "shown_differs", f"columns: the plan gives {names}")
    _require_columns(plan, how["columns"])
    _need(source["schema_revision"] == plan["schema_revision"], "shown_differs", "the source has another schema")
    rows = []
    if "result" in told:
        rows = _shape(told["result"], ["object"], "result")
        _require_result(plan, how, rows)
    due = {key: how[key] for key in ("columns", "decision_path", "engine", "method", "row_count")} | {
        "status": "ok",
        "question": _plan_words(plan, source["name"]),
        "ask": _ask(
            {key: value for key, value in plan.items() if (key, value) != ("order", "desc")}
            | {"source_name": source["name"]}
        ),
        "plan": _steps(plan, source),
        "source": {key: value for key, value in source.items() if key != "origin"},
        "notes": [f"{name}: {text}" for name, text in sorted(how["notes"].items())],
        "rows": [[_exact_text(row[name]) for name in names] for row in rows[: int(how["shown_rows"])]],
        "query_id": None,
        "latency_ms": None,
    }
    return due, "result" in told


def _result_columns(plan: dict[str, Any]) -> list[str]:
    names = list(plan.get("group_by", ()))
    if "metric" in plan:
        names.append(_free(names, plan["metric"], f"{plan['aggregation']}_{plan['metric']}"))
    return [*names, _free(names, "count", "row_count")]


def _free(taken: Sequence[str], first: str, second: str) -> str:
    name = first if first not in taken else second
    while name in taken:
        name += "_"
    return name


def _require_columns(plan: dict[str, Any], columns: list[dict[str, str]]) -> None:
    """Hold the columns of a result to the plan: what each is for, and the types that follow from the aggregation."""
    roles = ["key"] * len(plan.get("group_by", ())) + ["metric"] * ("metric" in plan) + ["count"]
    for column, role in zip(columns, roles, strict=True):
        is_decimal = re.fullmatch(r"decimal\([0-9]{1,2},[0-9]{1,2}\)", column["physical"], re.ASCII)
        type_ = "number" if is_decimal else PHYSICAL.get(column["physical"])
        is_right = column["role"] == role and column["type"] == type_
        _, _, held, types = AGGREGATIONS["count" if role == "count" else plan["aggregation"]]
        if role != "key":
            is_right = is_right and type_ in types and held in (None, column["physical"])
        _need(is_right, "shown_differs", f"column {column['name']}: its role or its type is not that of the plan")


def _require_result(plan: dict[str, Any], how: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Hold the rows of a result to the plan: their number, their columns and types, their order, no key twice."""
    columns, limit = how["columns"], plan.get("limit", len(rows))
    names = {each["name"] for each in columns}
    _require_same("row_count", how["row_count"], len(rows))
    _need(len(rows) <= limit and (plan.get("group_by") or len(rows) == 1), "shown_differs", "the plan gives fewer rows")
    is_row = all(row.keys() == names for row in rows)
    _need(is_row, "shown_differs", "a row of the result does not have the columns of the plan")
    ranks = []
    for row in rows:
        *keys, count = (_rank(row[each["name"]], each["physical"]) for each in columns)
        metric = keys.pop() if "metric" in plan else count
        ranks.append((metric, keys))
    is_desc = plan["order"] == "desc"
    for (left, first), (right, second) in pairwise(ranks):
        is_before = left[0] < right[0] or (left[0] == right[0] == 0 and (left > right if is_desc else left < right))
        is_tie = left == right and first < second
        _need(is_before or is_tie, "shown_differs", "the rows of the result are not in the order of the plan")
    keys_met = {repr(keys) for _, keys in ranks}
    _need(len(keys_met) == len(rows), "shown_differs", "the result has two rows of one group")


def _rank(value: Any, physical: str) -> tuple[int, Any]:
    """Return what a value of a result is ordered by: numbers exactly, then NaN, then null; text by code point."""
    if value is None:
        return 2, 0
    if physical == "boolean":
        _need(isinstance(value, bool), "shown_differs", "a value of the result is not of its column's type")
        return 0, value
    if physical not in ("int64", "float64") and not physical.startswith("decimal"):
        _need(isinstance(value, str), "shown_differs", "a value of the result is not of its column's type")
        return 0, value
    if physical == "float64" and value in ("NaN", "Infinity", "-Infinity"):
        return (1, 0) if value == "NaN" else (0, float(value))
    is_digits = isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value, re.ASCII) is not None
    is_number = _number(value) if physical == "float64" else is_digits or (physical == "int64" and type(value) is int)
    _need(is_number, "shown_differs", "a value of the result is not of its column's type")
    return 0, Fraction(value)


def _exact_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return canonical(value)


# --- questions in words -----------------------------------------------------------------------------------------------


def _plan_words(plan: dict[str, Any], source: str) -> str:
    words = f"{AGGREGATIONS[plan['aggregation']][0]} {plan.get('metric', 'rows')}"
    if plan.get("group_by"):
        words += f" by {', '.join(plan['group_by'])}"
    words += f" in {source}{_where(plan)}"
    return words + (f", first {int(plan['limit']):,}" if "limit" in plan else "")


def _where(plan: dict[str, Any]) -> str:
    conditions = plan.get("filter", {}).get("conditions", ())
    return " where " + " and ".join(map(_condition_words, conditions)) if conditions else ""


def _steps(plan: dict[str, Any], source: dict[str, Any]) -> list[str]:
    is_live = source["content"].get("algorithm") == "live"
    size = "" if is_live else f"{int(source['row_count']):,} rows, "
    steps = [f"Read {source['name']} ({size}schema {plan['schema_revision'][:12]})"]
    if _where(plan):
        steps.append("Keep the rows" + _where(plan))
    groups = ", ".join(plan.get("group_by", ()))
    each = " of each group" if groups else ""
    steps += [f"Group by {groups}"] if groups else []
    metric = plan.get("metric")
    if metric is None:
        steps.append(f"Count the rows{each}")
    else:
        steps.append(AGGREGATIONS[plan["aggregation"]][1].replace("{of}", f"{metric}{each}"))
    if groups:
        direction = "descending" if plan["order"] == "desc" else "ascending"
        key = "count" if metric is None else metric
        steps.append(f"Order by {key} {direction}, nulls last, ties by {groups} ascending")
    return steps + ([f"Keep the first {int(plan['limit']):,} rows"] if "limit" in plan else [])


def _condition_words(condition: dict[str, Any]) -> str:
    column, op = condition["column"], condition["op"]
    if op in _NULLARY:
        return f"{column} is {'not ' if op == 'is_not_null' else ''}null"
    if op in _LISTS:
        values = [*map(_ask_value, condition["values"])]
        if op == "between":
            return f"{column} is between {values[0]} and {values[1]}"
        more = f", … {len(values) - MOST_LISTED} more" if len(values) > MOST_LISTED else ""
        return f"{column} is {'one' if op == 'in' else 'none'} of {', '.join(values[:MOST_LISTED])}{more}"
    return f"{column} {OPERATORS[op][0]} {_ask_value(condition['value'])}"


def _ask(spec: dict[str, Any]) -> str:
    """Return the ask line of a recorded spec or plan."""
    filter_ = spec.get("filter", {})
    conditions = [*map(_ask_condition, filter_.get("conditions", ()))]
    if "time_filter" in filter_:
        period = filter_["time_filter"]
        conditions.append(f"{_ask_name(period['column'])} during {period['period']}")
    groups = ", ".join(map(_ask_name, spec.get("group_by", ())))
    parts = [
        spec.get("aggregation", "<aggregation>"),
        _ask_name(spec["metric"]) if "metric" in spec else "",
        f"by {groups}" if groups else "",
        f"from {_ask_name(spec['source_name'])}" if "source_name" in spec else "",
        f"where {' and '.join(conditions)}" if conditions else "",
        f"order {spec['order']}" if "order" in spec else "",
        f"limit {int(spec['limit'])}" if "limit" in spec else "",
    ]
    return " ".join(part for part in parts if part)


def _ask_condition(condition: dict[str, Any]) -> str:
    column, op = _ask_name(condition["column"]), condition["op"]
    if op in _NULLARY:
        return f"{column} {op.replace('_', ' ')}"
    if op == "between":
        return f"{column} between {' and '.join(map(_ask_value, condition['values']))}"
    if op in _LISTS:
        return f"{column} {op.replace('_', ' ')} ({', '.join(map(_ask_value, condition['values']))})"
    value = condition["value"]
    if op in ("contains", "starts_with"):  # text stands there quoted, also if it looks like a date
        return f"{column} {OPERATORS[op][1]} {_quoted(_exact_text(value) or '')}"
    return f"{column} {OPERATORS[op][1]} {_ask_value(value)}"


def _ask_name(name: str) -> str:
    is_plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in KEYWORDS
    return name if is_plain else "`" + name.replace("`", "``") + "`"


def _ask_value(value: Any) -> str:
    date = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?"
    if isinstance(value, str):
        return value if re.fullmatch(date, value) else _quoted(value)
    return canonical(value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# --- computations -----------------------------------------------------------------------------------------------------


def _computation(told: dict[str, Any], card: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    entry = _shape(told["definition"], "Definition", "definition")["capability"]
    identity, run = (
        _shape(told["identity"], "CallIdentity", "identity"),
        _shape(told["provenance"], "RunProvenance", "provenance"),
    )
    _require_run(entry, identity, run, card["digests"])
    result, is_whole = entry["result"], "value" in told
    if is_whole:
        _need(_is_value(told["value"], result), "shown_differs", "the value is not of the type of the result")
    value = told.get("value")
    due = {
        "status": "ok",
        "call": entry["id"],
        "question": _call_words(entry, identity, run["bindings"]),
        **{key: entry[key] for key in ("summary", "tier", "version")},
        **{key: entry.get(key) for key in ("formula", "latex")},
        "citation": entry["source"],
        "columns": _value_columns(result),
        "rows": _value_rows(value, result) if is_whole else [],
        "row_count": len(value) if isinstance(value, list | dict) else 1,
        "value_type": _type_words(result),
        "promise": _promise(entry["tier"], run["determinism"]),
        "bindings": run["bindings"],
        "determinism": run["determinism"],
        "scope": identity["execution_scope"],
        "request_id": None,
        "latency_ms": None,
    }
    return due if is_whole else due | {"row_count": card["view"].get("row_count")}, is_whole


def _require_run(entry: dict[str, Any], identity: dict[str, Any], run: dict[str, Any], digests: dict[str, str]) -> None:
    """Hold how a value came about to what was called."""
    stated = {"input_hash": digests["input_hash"], "tier": entry["tier"], "capability_version": entry["version"]}
    for name, value in stated.items():
        _require_same(f"determinism.{name}", run["determinism"].get(name), value)
    bindings = run["bindings"]
    resolved = [{"parameters": _parameters(each), **each} for each in identity["resolved_bindings"]]
    keys = ("source_name", "fields", "parameters", "input_hash")
    met, due = ([{key: each[key] for key in keys} for each in listed] for listed in (bindings, resolved))
    _require_same("bindings", met, due)
    sources = {each["name"]: each["schema_revision"] for each in run["sources"]}
    read = {each["source_name"]: each.get("schema_revision") for each in bindings}
    _need(len(sources) == len(run["sources"]) and sources == read, "shown_differs", "its sources are not those it read")


def _parameters(resolved: dict[str, Any]) -> list[Any]:
    return resolved.get("parameters") or [resolved.get("parameter")]


def _call_words(entry: dict[str, Any], identity: dict[str, Any], bindings: list[dict[str, Any]]) -> str:
    names = [each["name"] for each in entry["params"]]
    said = {name: _literal(value) for name, value in zip(names, identity["args"], strict=False)}
    said |= {name: _literal(value) for name, value in identity["kwargs"].items()}
    for binding in bindings:
        filtered = " (filtered)" if binding.get("filter") else ""
        for name, field in zip(binding["parameters"], binding["fields"], strict=False):
            said[name] = f"{_ask_name(binding['source_name'])}.{_ask_name(field)}{filtered}"
    parts = [f"{name}={said.get(name, '')}" for name in names]
    parts += [] if identity["seed"] is None else [f"seed={canonical(identity['seed'])}"]
    return f"{entry['id']}({', '.join(parts)})"


def _literal(value: Any) -> str:
    if isinstance(value, list):
        is_short = len(value) <= MOST_ITEMS
        items = ", ".join(map(_literal, value if is_short else value[:3]))
        return f"[{items}]" if is_short else f"[{items}, … {len(value):,} items]"
    text = canonical(value)
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_SHOWN]}…{text[-MOST_SHOWN:]}"


def _promise(tier: str, determinism: dict[str, Any]) -> str:
    if tier == "certified":
        return CERTIFIED
    promise = f"{PINNED} with this seed." if tier == "seeded" else f"{PINNED}."
    return promise if determinism.get("pinning") == "pinned" else f"{promise} {UNPINNED}"


def _value_columns(result: dict[str, Any]) -> list[str]:
    if result["type"] == "record":
        return ["name", "value", "unit"]
    if result["type"].endswith("[][]"):
        return []
    return ["item", "value"] if result["type"].endswith("[]") else ["value", "unit", "about"]


def _value_rows(value: Any, result: dict[str, Any]) -> list[list[str]]:
    if isinstance(value, dict):
        return [[name, _value_text(value[name]), each["unit"]] for name, each in _by_name(result["fields"])]
    if not isinstance(value, list):
        return [[_value_text(value), result["unit"], result.get("about", "")]]
    if result["type"].endswith("[][]"):
        return [[_value_text(item) for item in row[:MOST_SHOWN]] for row in value[:MOST_SHOWN]]
    return [[str(at), _value_text(item)] for at, item in enumerate(value[:MOST_SHOWN])]


def _by_name(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(fields.items(), key=lambda item: item[0].encode("utf-16-be"))


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value_text, value[:MOST_SHOWN])) + (", …]" if len(value) > MOST_SHOWN else "]")
    return value if isinstance(value, str) else canonical(value)


def _type_words(result: dict[str, Any]) -> str:
    if result["type"] == "record":
        return "{" + ", ".join(f"{name}: {_type_words(each)}" for name, each in _by_name(result["fields"])) + "}"
    shape = result.get("shape")
    return f"{result['type'].replace('[]', '')}[{','.join(shape)}]" if shape else str(result["type"])


def require_capability(card: dict[str, Any], read: Callable[[str], Any]) -> None:
    """Hold a call to the contract that it names: the capability is in it, and the arguments and the value fit it."""
    texts, unknown = card["canonical"], "capability_not_in_contract"
    missing = [name for name in ("definition", "identity") if name not in texts]
    _need(not missing, "text_not_kept", f"the card does not hold its {', '.join(missing)}", "not_checkable")
    definition, identity = read(texts["definition"]), read(texts["identity"])
    _need(_fits(definition, "Definition"), unknown, "its definition has another form")
    _need(_fits(identity, "CallIdentity"), "call_misfit", "its identity has another form")
    entry, size = definition["capability"], int(definition["size"])
    proof = map(bytes.fromhex, definition["proof"])
    root = proven_root(_leaf(canonical(entry).encode()), int(definition["index"]), size, proof)
    is_member = root is not None and f"sha256:{root.hex()}" == card["digests"]["contract_hash"]
    _need(is_member, unknown, f"the contract that the card names has no such {entry['id'][:80]}")
    called = (identity["module"], identity["function"], f"{identity['module']}.{identity['function']}")
    _need(called == (entry["module"], entry["function"], entry["id"]), "call_misfit", "it defines another capability")
    given = _require_arguments(entry, identity)
    if "arguments" in texts:
        places = {each["name"]: at for at, each in enumerate(entry["params"])}
        passed = read(texts["arguments"])
        is_list = isinstance(passed, list) and len(passed) == len(entry["params"])
        is_same = is_list and all(_same(passed[places[name]], value) for name, value in given)
        _need(is_same, "call_misfit", "the arguments are not the literals of the call")
    if "value" in texts:
        _need(_is_value(read(texts["value"]), entry["result"]), "call_misfit", "the value is of another type")


def _require_arguments(entry: dict[str, Any], identity: dict[str, Any]) -> list[tuple[str, Any]]:
    """Hold the arguments of a call to its capability, and return the literals among them by parameter."""
    types = {each["name"]: each["type"] for each in entry["params"]}
    given = list(zip(types, identity["args"], strict=False)) + list(identity["kwargs"].items())
    bound = [name for each in identity["resolved_bindings"] for name in _parameters(each)]
    names = [*(name for name, _ in given), *bound]
    is_once = len(identity["args"]) <= len(types) and sorted(map(str, names)) == sorted(types)
    _need(is_once, "call_misfit", f"it takes each of {', '.join(types)} exactly once")
    for name, value in given:
        _need(_is_of(value, types[name]), "call_misfit", f"{name} is no {types[name]}")
    _need((identity["seed"] is None) == (entry["tier"] != "seeded"), "call_misfit", "a seed is for simulations alone")
    return given


def _is_value(value: Any, result: dict[str, Any]) -> bool:
    if result["type"] != "record":
        return _is_of(value, result["type"], is_result=True)
    fields = result["fields"]
    has_keys = isinstance(value, dict) and value.keys() == fields.keys()
    return has_keys and all(_is_of(value[name], each["type"], is_result=True) for name, each in fields.items())


def _is_of(value: Any, type_: str, *, is_result: bool = False) -> bool:
    """Whether a value of JSON is of a type of the contract; long whole numbers are texts of their digits."""
    if type_.endswith("[]"):
        return isinstance(value, list) and all(_is_of(item, type_[:-2], is_result=is_result) for item in value)
    if type_ == "float64":
        return _number(value) or (is_result and value in ("NaN", "Infinity", "-Infinity"))
    if type_ == "int":
        is_digits = isinstance(value, str) and re.fullmatch("-?[0-9]+", value, re.ASCII) is not None
        return is_digits or (type(value) is int and abs(value) <= MAX_INTEGER)
    return type(value) is {"bool": bool, "string": str}.get(type_)


# --- refusals, errors, replays ----------------------------------------------------------------------------------------

_REFUSED = ("reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates")


def _refusal(told: dict[str, Any], card: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    line = _ask(_shape(told["spec"], "SpecText", "spec"))
    resolution = _shape(told["resolution"], "object", "resolution")
    status = "needs_clarification" if card["kind"] == "clarification" else "rejected"
    return {"status": status, "question": line, "ask": line} | {key: resolution.get(key) for key in _REFUSED}, True


def _error(told: dict[str, Any], _: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    error = _shape(told["error"], "object", "error")
    return {"status": "error"} | {key: error.get(key) for key in ("code", "message", "hint")}, True


def _replay(told: dict[str, Any], _: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    report = _shape(told["report"], "object", "report")
    keys = "status subject result_id question cause message digest expected met sources changes"
    compared = report.get("comparison")
    compared = {"differences": [], "differing": 0} if compared is None else compared
    compared = _shape(
        compared, lambda value: isinstance(value, dict) and _fits(value.get("differences"), ["object"]), "report"
    )
    rows = [[each.get(key) for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]]
    return {key: report.get(key) for key in keys.split()} | {"rows": rows, "row_count": compared.get("differing")}, True


# How what a card of a kind shows is derived from its texts.
SHOWN: dict[str, Callable[..., tuple[dict[str, Any], bool]]] = {
    "query": _query,
    "computation": _computation,
    "clarification": _refusal,
    "rejection": _refusal,
    "error": _error,
    "replay": _replay,
}


# --- receipts ---------------------------------------------------------------------------------------------------------


def _receipt(receipt: Any, card: dict[str, Any], keys: Collection[str]) -> Iterator[Check]:
    try:
        _need(_fits(receipt, "Receipt") and receipt["envelope"]["signatures"], "receipt_malformed")
        envelope, key, log = receipt["envelope"], _raw(receipt["public_key"]), receipt["log"]
        _require_signed(envelope, key)
    except Fault as fault:
        yield Check("signature", "failed", *fault.args[:2])
        return
    yield Check("signature")
    yield _made("signer", _require_trusted, [key], keys)
    yield _made("statement", _require_statement, _payload(envelope), card)
    yield _made("inclusion", _require_included, _payload(envelope), log)
    yield _made("checkpoint", _require_checkpoint, log["checkpoint"], key)


def _payload(envelope: dict[str, Any]) -> bytes:
    return _raw(envelope["payload"])


def _require_signed(envelope: dict[str, Any], key: bytes) -> None:
    """DSSE: the key has signed the payload and its type, as they stand."""
    (signature,), payload = envelope["signatures"], _payload(envelope)
    pae = b"DSSEv1 %d %b %d %b" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)
    holds = signature["keyid"] == _key_id(key) and verify_ed25519(key, pae, _raw(signature["sig"]))
    _need(holds, "signature_invalid", "the key has not signed this")


def _require_trusted(signers: Sequence[bytes], keys: Collection[str]) -> None:
    told = f"signed by {', '.join(sorted({_key_id(key) for key in signers}))}"
    is_known = {base64.b64encode(key).decode() for key in signers} <= set(keys)
    _need(is_known, "unknown_signer", f"{told}; say with --key whom you trust", "not_checkable")


def _statement(payload: bytes, bad: str) -> dict[str, Any]:
    """An in-toto statement, its subjects as `{name: sha256}`."""
    try:
        statement = parse(payload, STATEMENT_BYTES)
    except Fault as fault:
        raise Fault(bad, *fault.args[1:]) from fault
    _need(_fits(statement, "Statement"), bad, "what is signed is no statement")
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    _need(len(subjects) == len(statement["subject"]), bad, "two of its subjects share a name")
    return {**statement, "subject": subjects}


def _outcome(payload: bytes, bad: str = "statement_malformed") -> dict[str, Any]:
    """The statement of an entry of the ledger."""
    statement = _statement(payload, bad)
    predicate = statement["predicate"]
    _need(_fits(predicate, "Predicate"), bad, "it is of no outcome")
    _need(statement["predicateType"] == f"urn:service-nb:{KINDS[predicate['kind']][3]}:v1", bad, "of another type")
    return statement


def _require_statement(payload: bytes, card: dict[str, Any]) -> None:
    statement = _outcome(payload)
    is_same = all(statement["predicate"][name] == card[name] for name in ("kind", "digests"))
    hashes = {name: _sha256(text).hex() for name, text in card["canonical"].items()}
    _need(is_same and hashes.items() <= statement["subject"].items(), "receipt_of_another_card")
    require_told(statement["predicate"], card, _read)


def require_told(predicate: dict[str, Any], card: dict[str, Any], read: Callable[[str], Any]) -> None:
    """Hold what a statement says of how an outcome came about to what its card holds."""
    another, view = "receipt_of_another_card", card["view"]
    for name in AUTHORS_WORDS & {"query_id", "request_id"} & view.keys():
        _need(view[name] == predicate["id"], another, f"{name} is not the id of the statement")
    if "provenance" in KINDS[card["kind"]][0] and "provenance" not in card["canonical"]:
        return
    # A refusal, an error and a replay have no provenance: no bindings, no run, and their inputs are the author's word.
    told = read(card["canonical"].get("provenance", "{}"))
    _need(isinstance(told, dict), another, "its provenance is no object")
    if "sources" in told:  # null in a statement is what was too long for it
        is_told = _is_told(predicate["inputs"], told["sources"], ("origin", "reading"))
        _need(is_told, another, "it states other inputs")
    is_told = _is_told(predicate["bindings"], told.get("bindings", []), ("filter",))
    _need(is_told, another, "it states other bindings")
    _need(_same(predicate["determinism"], told.get("determinism")), another, "it states another run")


def _is_told(stated: Any, recorded: Any, left_out: Sequence[str]) -> bool:
    if not _fits([stated, recorded], [["object"]]) or len(stated) != len(recorded):
        return False
    pairs = zip(stated, recorded, strict=True)
    return all(
        any(_same(each, full | dict.fromkeys(left_out[:n])) for n in range(len(left_out) + 1)) for each, full in pairs
    )


def _require_included(payload: bytes, log: dict[str, Any]) -> None:
    note, proof = _opened(log["checkpoint"]), map(bytes.fromhex, log["proof"])
    root = proven_root(_leaf(payload), int(log["index"]), int(log["size"]), proof)
    _need(log["size"] == note.size and root == note.root, "inclusion_invalid")


# --- ledgers ----------------------------------------------------------------------------------------------------------


class _Note(NamedTuple):
    signed: str
    ledger: str
    size: int
    root: bytes
    signer: str | None
    signature: bytes  # empty if nobody has signed


_SIGNED = r"(service-nb/([0-9a-f]{32})\n(0|[1-9][0-9]{0,15})\n([^\n]*)\n)"
_NOTE = re.compile(_SIGNED + r"\n(?:— (service-nb/device/[0-9a-f]{16}) ([^\n]*)\n)?")


def _opened(checkpoint: str, bad: str = "checkpoint_malformed") -> _Note:
    """A C2SP checkpoint: origin, size and root, an empty line, and the signature of at most one key."""
    found = _NOTE.fullmatch(checkpoint)
    signed, ledger, size, root, signer, signature = found.groups() if found else ("", "", "-1", "", None, "")
    is_note = 0 <= int(size) <= MAX_INTEGER and _is_base64(root, 32) and (signer is None or _is_base64(signature, 68))
    _need(is_note, bad, "it is no signed note of a ledger")
    return _Note(signed, ledger, int(size), _raw(root), signer, _raw(signature or ""))


def _require_checkpoint(checkpoint: str, key: bytes) -> None:
    note, name = _opened(checkpoint, "checkpoint_invalid"), f"service-nb/device/{_key_id(key)}"
    hint = _sha256(name.encode() + b"\n\x01" + key)[:4]
    holds = note.signer == name and note.signature[:4] == hint
    holds = holds and verify_ed25519(key, note.signed.encode(), note.signature[4:])
    _need(holds, "checkpoint_invalid", "the key has not signed this")


def _ledger(document: dict[str, Any], keys: Collection[str], ring: Collection[bytes] = ()) -> Iterator[Check]:
    """The checks of a ledger; `ring` has the keys of a database, which may hold more than one."""
    yield (form := _made("form", _require_ledger, document))
    if form.status != "passed":
        return
    key = _raw(document["public_key"]) if document["public_key"] else None
    by_id = {_key_id(each): each for each in (*ring, *([key] if key else []))}
    statements, signers = [], set()
    for at, entry in enumerate(document["entries"]):
        try:
            _need(_fits(entry, "Envelope"), "entry_malformed", "it is no envelope")
            statements.append(_outcome(_payload(entry), "entry_malformed"))
            for signature in entry["signatures"]:
                _require_signed(entry, by_id.get(signature["keyid"], b""))
                signers.add(signature["keyid"])
        except Fault as fault:
            yield Check("entry", "failed", fault.args[0], f"entry {at}: {fault.args[1]}")
            return
    yield _made("entry", _need, all(e["signatures"] for e in document["entries"]), "unsigned", "", "not_checkable")
    ids = {statement["predicate"]["id"] for statement in statements}
    yield _made("order", _need, len(ids) == len(statements), "duplicate_id")
    yield _made(
        "texts", _require_texts, document["texts"], {d for each in statements for d in each["subject"].values()}
    )
    yield _made("root", _require_root, document)
    if key is None:
        yield Check("signer", "not_checkable", "unsigned")
        yield Check("checkpoint", "not_checkable", "unsigned")
    else:
        yield _made("signer", _require_trusted, [key, *(by_id[each] for each in signers)], keys)
        yield _made("checkpoint", _require_checkpoint, document["checkpoint"], key)


def _require_ledger(document: dict[str, Any]) -> None:
    bad, names, version = "malformed_ledger", SHAPES["LedgerDocument"].keys(), document["service_nb_ledger"]
    _require_exact(document)
    _need(document.keys() == names and _is_whole(version), bad, f"its keys are not {', '.join(names)}")
    _need(version == 1, "unknown_version")
    _need(_fits(document, "LedgerDocument"), bad, "a part is of another type")


def _require_texts(texts: dict[str, str], known: Collection[str]) -> None:
    for name, text in texts.items():
        _need(_sha256(text).hex() == name, "text_mismatch", f"the text {name[:64]}")
    _need(texts.keys() <= set(known), "text_unknown")


def _require_root(document: dict[str, Any]) -> None:
    note, leaves = _opened(document["checkpoint"]), [_leaf(_payload(entry)) for entry in document["entries"]]
    holds = note.ledger == document["ledger"] and note.size == len(leaves)
    _need(holds and tree_root(leaves) == note.root, "root_mismatch")


# --- Merkle trees (RFC 6962) ------------------------------------------------------------------------------------------


def tree_root(level: list[bytes]) -> bytes:
    """Return the root over hashes of leaves, level by level; a last one without a partner goes up as it is."""
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_sha256(b"\x01" + left + right) for left, right in pairs] + level[len(level) & ~1 :]
    return level[0] if level else _sha256(b"")


def proven_root(leaf: bytes, index: int, size: int, proof: Iterable[bytes]) -> bytes | None:
    """Return the root to which an inclusion proof leads (RFC 9162, 2.1.3.2); None if it is none for this place."""
    here, last, root = index, size - 1, leaf
    for sibling in proof:
        if last <= 0:
            return None
        if here & 1 or here == last:
            root = _sha256(b"\x01" + sibling + root)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            root = _sha256(b"\x01" + root + sibling)
        here, last = here >> 1, last >> 1
    return root if last == 0 and index < size else None


# --- Ed25519 (RFC 8032): a point is X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z ----------------------------------------

_Point = tuple[int, int, int, int]
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ZERO = (0, 1, 1, 0)


def _add(left: _Point, right: _Point) -> _Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = left, right
    a, b, c, d = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P, 2 * D * t1 * t2 % P, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(point: _Point) -> _Point:
    x, y, z, _ = point
    g, h, e = x * x - y * y, x * x + y * y, -2 * x * y
    f = 2 * z * z + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _point(encoded: bytes) -> _Point | None:
    y, sign = int.from_bytes(encoded, "little") & (1 << 255) - 1, encoded[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or x == 0:  # of the points with x = 0, both of small order, none may be met
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def _encoded(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


BASE = _point((4 * pow(5, -1, P) % P).to_bytes(32, "little")) or ZERO


def verify_ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature holds, strictly: S < L, R is the one encoding of its point, no key of small order."""
    point = _point(key) if len(key) == 32 else None
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= L or _encoded(_double(_double(_double(point)))) == _encoded(ZERO):
        return False
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    minus = (P - point[0], point[1], 1, P - point[3])
    summands, total = (ZERO, BASE, minus, _add(BASE, minus)), ZERO
    for bit in range(252, -1, -1):  # S*B - k*A in one go: double, then add what both scalars ask for at this bit
        which = (s >> bit & 1) + 2 * (k >> bit & 1)
        total = _add(_double(total), summands[which]) if which else _double(total)
    return _encoded(total) == r


# --- JSON that has one meaning, its canonical form (RFC 8785), encodings ----------------------------------------------


def parse(content: bytes, most_bytes: int) -> Any:
    """Return the value of JSON that every reader understands alike; integers stay exact."""

    def number(token: str) -> float:
        _need(len(token) <= MAX_DIGITS, "unsafe_number", f"a number of more than {MAX_DIGITS} characters")
        value = float(token) if set(token) & set(".eE") else int(token)
        _need(abs(value) != math.inf, "unsafe_number", "a number is too large")
        return value

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _need(len(dict(pairs)) == len(pairs), "malformed_json", "an object holds the same key twice")
        return dict(pairs)

    _need(len(content) <= most_bytes, "too_large", f"it has more than {most_bytes} bytes")
    try:
        text = content.decode()
        _need(_depth(text) <= MAX_DEPTH, "too_deep", f"it is nested deeper than {MAX_DEPTH}")
        value = json.loads(text, object_pairs_hook=unique, parse_int=number, parse_float=number, parse_constant=int)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair has no UTF-8
    except ValueError as error:  # no UTF-8, a byte order mark, no JSON, int("NaN")
        raise Fault("malformed_json", f"it is not strict JSON: {error}", "failed") from error
    return value


def _depth(text: str) -> int:
    depth, deepest = 0, 0
    if text.count("[") + text.count("{") > MAX_DEPTH:
        for mark in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]++|\\.)*+"?', "", text, flags=re.DOTALL)):
            depth += 1 if mark in "[{" else -1
            deepest = max(depth, deepest)
    return deepest


def canonical(value: Any) -> str:
    """Return the canonical JSON of a parsed value."""
    if isinstance(value, str):
        return _literal_text(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join([f"{_literal_text(name)}:{canonical(value[name])}" for name in names]) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return number_text(value) if type(value) in (int, float) else _literal_text(value)


_literal_text = json.JSONEncoder(ensure_ascii=False).encode


def number_text(value: float) -> str:
    """Return a number as ECMAScript writes it."""
    if type(value) is int and abs(value) <= MAX_INTEGER:
        return str(value)
    mantissa, _, exponent = repr(abs(float(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits, sign = (whole + fraction).lstrip("0"), "-" if value < 0 else ""
    point = len(digits) - len(fraction) + int(exponent or 0)  # how many digits stand before the decimal point
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if 0 < point <= 21:
        return sign + digits[:point].ljust(point, "0") + ("." + digits[point:] if digits[point:] else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{point - 1:+d}"


def _sha256(data: str | bytes) -> bytes:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def _leaf(entry: bytes) -> bytes:
    return _sha256(b"\0" + entry)


def _key_id(key: bytes) -> str:
    """The id of a key, from its form in DER."""
    return _sha256(bytes.fromhex("302a300506032b6570032100") + key).hex()[:16]


def _raw(text: str) -> bytes:
    return base64.b64decode(text)


def _decoded(text: str, size: int | None) -> bytes | None:
    try:
        data = base64.b64decode(text)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text and size in (None, len(data)) else None


# --- the command ------------------------------------------------------------------------------------------------------


def _check_file(path: Path, keys: Collection[str], contracts: Collection[str]) -> list[dict[str, Any]]:
    with path.open("rb") as file:
        content = file.read(DOCUMENT_BYTES + 1)
    if not content.startswith(b"SQLite format 3\0"):
        return check_document(content, keys, contracts) + _faces(content)
    import sqlite3  # noqa: PLC0415  only where there is a database

    try:
        document, ring = _database(path)
        return [_verdict("ledger", _ledger(document, keys, ring))]
    except (sqlite3.Error, AttributeError, LookupError, TypeError, ValueError) as error:
        return [_verdict("ledger", [Check("form", "failed", "not_a_ledger", str(error))])]


def _faces(content: bytes) -> list[dict[str, Any]]:
    """An open verdict where outputs of a notebook have other forms beside a card, which this program does not write."""
    try:
        document = parse(content, DOCUMENT_BYTES)
        cells, metadata = (document.get(name) or {} for name in ("cells", "metadata"))
        shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
        shown += [data for _, data in _in_widgets(metadata)]
        count = sum(CARD_MIME in data and len(data) > 1 for data in shown)
    except (Fault, AttributeError, TypeError):
        return []  # which the verdict of the document says
    told = f"{count} outputs show their card in other forms too; `service-nb verify` compares them"
    return [_verdict("faces", [Check("faces", "not_checkable", "faces_not_compared", told)])] if count else []


def _database(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    """What the database of a ledger holds, as a ledger document, and the keys that it was written with."""
    import sqlite3  # noqa: PLC0415

    # Without a log beside it nobody is writing: read as it stands, and nothing is made beside it.
    alone = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("BEGIN")
        if database.execute("SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchone():
            raise ValueError("it has views or triggers")
        ((ledger,),) = database.execute("SELECT id FROM ledger").fetchall()
        ring = dict(database.execute("SELECT id, public_key FROM keys").fetchall())
        rows = database.execute("SELECT payload, key, signature FROM entries ORDER BY number").fetchall()
        newest, note = database.execute("SELECT key, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
        texts = {sha256.hex(): content for sha256, content in database.execute("SELECT sha256, content FROM texts")}
    for name, content in texts.items():
        blob = path.parent / "blobs" / "sha256" / name[:2] / name
        kept = content if content is not None else blob.read_bytes() if blob.is_file() else b""
        texts[name] = kept.decode()
    entries = [_enveloped(*row) for row in rows]
    key = None if newest is None else base64.b64encode(ring[newest]).decode()
    names = ("service_nb_ledger", "ledger", "entries", "public_key", "checkpoint", "texts")
    return dict(zip(names, (1, ledger, entries, key, note, texts), strict=True)), list(ring.values())


def _enveloped(payload: bytes, key: str | None, signature: bytes | None) -> dict[str, Any]:
    signatures = [{"keyid": key, "sig": base64.b64encode(signature).decode()}] if signature is not None else []
    return {"payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(), "signatures": signatures}


# From the worst to the best.
CODES = {"altered": 1, "not_checkable": 5, "consistent": 4, "unaltered": 3, "verified": 0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check files and say what was found."""
    parser = argparse.ArgumentParser(description="Check the evidence of service_nb.", allow_abbrev=False)
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="notebook, card, ledger document, ledger.sqlite"
    )
    parser.add_argument("--key", action="append", default=[], metavar="BASE64", help="a public key that you trust")
    parser.add_argument(
        "--contract", action="append", default=[], metavar="sha256:HEX", help="definitions that you know"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if not _fits(options.key, ["PublicKey"]):
        parser.error("--key takes a public key, the base64 of 32 bytes")
    if not _fits(options.contract, [("like", "sha256:[0-9a-f]{64}")]):
        parser.error("--contract takes sha256: and 64 hex digits")
    found = []
    for path in options.files:
        try:
            found += [{"file": path.name, **each} for each in _check_file(path, options.key, options.contract)]
        except OSError as error:
            parser.error(f"{path.name} cannot be read: {error.strerror}")
    told = json.dumps(found, indent=1) if options.json else "\n".join(map(_told, found)) or "nothing to check"
    sys.stdout.write(f"{told}\n")
    met = {each["status"] for each in found}
    return next((CODES[status] for status in CODES if status in met), 0)


def _told(verdict: dict[str, Any]) -> str:
    lines = [f"{verdict['file']}, {verdict['subject']}: {verdict['status']}"]
    for name, status, cause, message in (check.values() for check in verdict["checks"]):
        lines += [f"  {status:13} {name:17} {cause or ''} {message[:300]}".rstrip()]
    # What a document says may hold characters that command a terminal.
    return "\n".join(re.sub("[^ -~]", "?", line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
