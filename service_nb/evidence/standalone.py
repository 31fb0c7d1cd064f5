"""Check the evidence of service_nb alone: this file, Python's standard library, no network, nothing else.

    python standalone.py FILE... [--key BASE64]... [--contract sha256:HEX]... [--json]

FILE is a notebook, a card or a ledger document (JSON), or a `ledger.sqlite`. Exit code: 0 nothing failed, 1 something
did, 2 usage.

What a passed check proves
    `…_hash`      the text that a card holds is the one that was hashed; its view is the one that was shown
    `signature`   the holder of a key signed the statement; `signer`: it is a key that you gave with `--key`
    `statement`   the statement speaks of this very card
    `inclusion`   it is an entry of a ledger; `checkpoint`: of one whose state the same key has signed
    `contract`    the computation ran under definitions that you gave with `--contract`
    `root`        the ledger is complete up to its checkpoint: nothing in it was changed, dropped, added or moved
    `cards`       a sealed notebook shows the cards that it was sealed with, in their order

What no check proves: that a number is right (replay it), that a clock was right, that a signer is honest, that a
checkpoint is the newest one, that a notebook without a seal never had one, and, without `--key`, who signed. Of a
database the entries, the texts and the newest checkpoint are read, and none of what was derived from them.

A verdict is `mismatch` if a check failed, `incomplete` if one could not be made here, else `verified`. The file reads
from documents down to bits; the command is at its end.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import re
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

CARD_MIME = "application/vnd.service-nb.card.v1+json"
WIDGETS_MIME = "application/vnd.jupyter.widget-state+json"
FACE = re.compile(r"(?:^|[\n>])[ \t]*Card of service\\?_nb [0-9A-Za-z.+!-]{1,40}[ \t]*(?:[\n<\])},]|$)", re.ASCII)
PAYLOAD_TYPE = "application/vnd.in-toto+json"
CARD_BYTES, STATEMENT_BYTES, DOCUMENT_BYTES = 2**20, 2**18, 2**24
MAX_DEPTH, MAX_DIGITS, MAX_INTEGER = 64, 400, 2**53 - 1

# Of each kind of card: the texts that it may hold, the digests that it must hold, what its view may say, its predicate.
_REFUSAL = ("spec", "resolution"), ("refusal_hash",)
_COMPUTATION = ("input_hash", "invocation_hash", "computation_hash", "contract_hash")
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str]] = {
    "query": (("plan", "result"), ("plan_hash", "result_hash", "schema_revision"), ("ok",), "query"),
    "clarification": (*_REFUSAL, ("needs_clarification",), "refusal"),
    "rejection": (*_REFUSAL, ("rejected",), "refusal"),
    "error": (("error",), ("error_hash",), ("error",), "error"),
    "computation": (("identity", "arguments", "value"), _COMPUTATION, ("ok",), "computation"),
    "replay": (("report",), ("replay_hash",), ("identical", "differs", "refused"), "replay"),
}
# What a digest is the SHA-256 of: a domain with a NUL, another digest of the card, texts of the card joined by NUL.
HASHED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "plan_hash": ("service:plan:v1\0", "", ("plan",)),
    "result_hash": ("service:result:v1\0", "plan_hash", ("result",)),
    "refusal_hash": ("service:refusal:v1\0", "", ("spec", "resolution")),
    "error_hash": ("service:error:v1\0", "", ("error",)),
    "input_hash": ("", "", ("arguments",)),
    "invocation_hash": ("service:invocation:v1\0", "", ("identity",)),
    "computation_hash": ("service:computation:v1\0", "invocation_hash", ("value",)),
    "replay_hash": ("service:replay:v1\0", "", ("report",)),
}
# A digest that stands in a text of the card under its own name.
QUOTED = {"schema_revision": ("plan",), "contract_hash": ("identity",)}


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


# --- shapes: an object has exactly these keys, a list any number of one shape, all else tests a value -----------------


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, dict):
        has_keys = isinstance(value, dict) and value.keys() == shape.keys()
        return has_keys and all(_fits(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(item, shape[0]) for item in value)
    return bool(shape(value))


def _of(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


def _hex(digits: int, prefix: str = "") -> Callable[[Any], bool]:
    pattern = re.compile(f"{prefix}[0-9a-f]{{{digits}}}")
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _base64(size: int | None) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and _decoded(value, size) is not None


def _whole(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= MAX_INTEGER and value == int(value)


def _one(value: Any) -> bool:
    return _whole(value) and value == 1


def _object_of(**shapes: Any) -> dict[str, Any]:
    return shapes


_ANY, _TEXT, _LIST, _OBJECT, _HASH = (lambda _: True), _of(str), _of(list), _of(dict), _hex(64)
_TEXT_OR_NULL, _OBJECT_OR_NULL = _of(str, type(None)), _of(dict, type(None))
_KEY_OR_NULL = lambda value: value is None or _base64(32)(value)  # noqa: E731  it stands among its likes

CARD = _object_of(kind=_TEXT, version=_whole, canonical=_ANY, digests=_ANY, receipt=_OBJECT_OR_NULL, view=_OBJECT)
SIGNATURE = _object_of(keyid=_TEXT, sig=_base64(64))
ENVELOPE = _object_of(
    payloadType=lambda value: value == PAYLOAD_TYPE,
    payload=_base64(None),
    signatures=lambda value: _fits(value, [SIGNATURE]) and len(value) <= 1,
)
LOG = _object_of(index=_whole, size=_whole, proof=[_HASH], checkpoint=_TEXT)
SEAL = _object_of(version=_one, envelope=ENVELOPE, public_key=_base64(32))
RECEIPT = SEAL | _object_of(log=LOG)
STATEMENT = _object_of(
    _type=lambda value: value == "https://in-toto.io/Statement/v1",
    predicateType=_TEXT,
    subject=[_object_of(name=_TEXT, digest=_object_of(sha256=_HASH))],
    predicate=_OBJECT,
)
OUTCOME = _object_of(
    version=_one, id=_TEXT, kind=_TEXT, time=_TEXT, tenant=_TEXT_OR_NULL, digests=_OBJECT
) | _object_of(inputs=_LIST, bindings=_LIST, determinism=_OBJECT_OR_NULL, place=_OBJECT_OR_NULL, made_by=_OBJECT)
LISTED = _object_of(cell=_TEXT_OR_NULL, kind=_TEXT, id=_TEXT_OR_NULL, digest=_HASH)
LEDGER = _object_of(
    service_nb_ledger=_whole, ledger=_hex(32), entries=_LIST, public_key=_KEY_OR_NULL, checkpoint=_TEXT, texts=_OBJECT
)


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
    statuses = {check["status"] for check in made}
    status = "mismatch" if "failed" in statuses else "incomplete" if "not_checkable" in statuses else "verified"
    return {"subject": subject, "status": status, "checks": made}


def _notebook(book: Any, keys: Collection[str], contracts: Collection[str]) -> Iterator[tuple[str, Iterable[Check]]]:
    bad = "malformed_notebook"
    shown: list[tuple[str, dict[str, Any]]] = []
    metadata = book.get("metadata", {})
    _need(_fits(book.get("cells"), [_OBJECT]) and isinstance(metadata, dict), bad, "it has no cells, or odd metadata")
    for at, cell in enumerate(book["cells"], 1):
        outputs = cell.get("outputs", [])
        _need(_fits(outputs, [lambda each: _of(dict)(each) and _of(dict)(each.get("data", {}))]), bad, f"cell {at}")
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
        _need(_fits(seal, SEAL) and seal["envelope"]["signatures"], "index_malformed")
        statement, key = _statement(_payload(seal["envelope"]), "index_malformed"), _raw(seal["public_key"])
        shape = {"version": _one, "time": _TEXT, "cards": [LISTED]}
        is_list = statement["predicateType"] == "urn:service-nb:index:v1" and _fits(statement["predicate"], shape)
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
    yield (form := _made("form", _require_card, card))
    if form.status != "passed":
        return
    yield from (_made(name, _require_digest, name, card) for name in _digest_names(card))
    yield _made("kind", _require_kind, card["kind"], card["view"])
    if card["receipt"] is None:
        cause, status = ("receipt_missing", "failed") if keys else ("unsigned", "not_checkable")
        yield Check("signature", status, cause, "the card has no receipt")
    else:
        yield from _receipt(card["receipt"], card, keys)
    if card["kind"] == "computation":
        cause, stated = "contract_unknown" if contracts else "no_known_contracts", card["digests"]["contract_hash"]
        yield _made("contract", _need, stated in contracts, cause, f"it ran under {stated}", "not_checkable")


def _require_card(card: Any) -> None:
    bad = "malformed_card"
    _require_exact(card)
    _need(isinstance(card, dict) and card.keys() == CARD.keys(), bad, f"its keys are not {', '.join(CARD)}")
    _need(_whole(card["version"]) and isinstance(card["kind"], str), bad, "its version or kind is of another type")
    _need(card["version"] == 1, "unknown_version")
    _need(card["kind"] in KINDS, "unknown_kind")
    _need(_fits(card, CARD) and isinstance(card["view"].get("rows", []), list), bad, "a part is of another type")
    digests = dict.fromkeys(_digest_names(card), _HASH)
    if card["kind"] == "computation":
        digests["contract_hash"] = _hex(64, "sha256:")
    _need(_fits(card["digests"], digests), bad, f"its digests are not {', '.join(digests)}, in hex")
    texts = card["canonical"]
    _need(isinstance(texts, dict) and texts.keys() <= set(KINDS[card["kind"]][0]), bad, "it holds other texts")
    _need(_fits([*texts.values()], [_TEXT]), bad, "one of its texts is of another type")


def _require_exact(value: Any) -> None:
    """Whole numbers that a browser would round have no place in what it shows."""
    _need(type(value) is not int or abs(value) <= MAX_INTEGER, "unsafe_number", "an integer is beyond 2**53 - 1")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_exact(item)


def _digest_names(card: dict[str, Any]) -> list[str]:
    return [*KINDS[card["kind"]][1], "view_hash", *(["rows_hash"] if "rows" in card["view"] else [])]


def _require_digest(name: str, card: dict[str, Any]) -> None:
    texts, digests, view, met = card["canonical"], card["digests"], card["view"], None
    domain, chained, hashed = HASHED.get(name, ("", "", QUOTED.get(name, ())))
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


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = parse(text.encode(), DOCUMENT_BYTES)
    except Fault:
        return None
    return found if isinstance(found, dict) else None


def _require_kind(kind: str, view: dict[str, Any]) -> None:
    _need(view.get("status") in KINDS[kind][2], "kind_contradicted", "its view has another status")
    shown, count = len(view.get("rows", ())), view.get("row_count", -1)
    counted = kind != "query" or (_whole(count) and count >= shown)
    _need(counted, "kind_contradicted", "it shows more rows than it counts")


# --- receipts ---------------------------------------------------------------------------------------------------------


def _receipt(receipt: Any, card: dict[str, Any], keys: Collection[str]) -> Iterator[Check]:
    try:
        _need(_fits(receipt, RECEIPT) and receipt["envelope"]["signatures"], "receipt_malformed")
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
    _need(keys, "no_trusted_keys", f"{told}; say with --key whom you trust", "not_checkable")
    _need({base64.b64encode(key).decode() for key in signers} <= set(keys), "unknown_signer", told)


def _statement(payload: bytes, bad: str) -> dict[str, Any]:
    """An in-toto statement, its subjects as `{name: sha256}`."""
    try:
        statement = parse(payload, STATEMENT_BYTES)
    except Fault as fault:
        raise Fault(bad, *fault.args[1:]) from fault
    _need(_fits(statement, STATEMENT), bad, "what is signed is no statement")
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    _need(len(subjects) == len(statement["subject"]), bad, "two of its subjects share a name")
    return {**statement, "subject": subjects}


def _outcome(payload: bytes, bad: str = "statement_malformed") -> dict[str, Any]:
    """The statement of an entry of the ledger."""
    statement = _statement(payload, bad)
    predicate = statement["predicate"]
    _need(_fits(predicate, OUTCOME) and predicate["kind"] in KINDS, bad, "it is of no outcome")
    _need(statement["predicateType"] == f"urn:service-nb:{KINDS[predicate['kind']][3]}:v1", bad, "of another type")
    return statement


def _require_statement(payload: bytes, card: dict[str, Any]) -> None:
    statement = _outcome(payload)
    is_same = all(statement["predicate"][name] == card[name] for name in ("kind", "digests"))
    hashes = {name: _sha256(text).hex() for name, text in card["canonical"].items()}
    _need(is_same and hashes.items() <= statement["subject"].items(), "receipt_of_another_card")


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
    is_note = 0 <= int(size) <= MAX_INTEGER and _base64(32)(root) and (signer is None or _base64(68)(signature))
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
            _need(_fits(entry, ENVELOPE), "entry_malformed", "it is no envelope")
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
        yield Check("signer", *(("failed", "unknown_signer") if keys else ("not_checkable", "unsigned")))
        yield Check("checkpoint", "not_checkable", "unsigned")
    else:
        yield _made("signer", _require_trusted, [key, *(by_id[each] for each in signers)], keys)
        yield _made("checkpoint", _require_checkpoint, document["checkpoint"], key)


def _require_ledger(document: dict[str, Any]) -> None:
    bad, version = "malformed_ledger", document["service_nb_ledger"]
    _require_exact(document)
    _need(document.keys() == LEDGER.keys() and _whole(version), bad, f"its keys are not {', '.join(LEDGER)}")
    _need(version == 1, "unknown_version")
    _need(_fits(document, LEDGER) and _fits([*document["texts"].values()], [_TEXT]), bad, "a part is of another type")


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
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return number_text(value) if type(value) in (int, float) else json.dumps(value, ensure_ascii=False)


def number_text(value: float) -> str:
    """Return a number as ECMAScript writes it."""
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
        return check_document(content, keys, contracts)
    try:
        document, ring = _database(path)
        return [_verdict("ledger", _ledger(document, keys, ring))]
    except (sqlite3.Error, AttributeError, LookupError, TypeError, ValueError) as error:
        return [_verdict("ledger", [Check("form", "failed", "not_a_ledger", str(error))])]


def _database(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    """What the database of a ledger holds, as a ledger document, and the keys that it was written with."""
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
    if not _fits(options.key, [_base64(32)]):
        parser.error("--key takes a public key, the base64 of 32 bytes")
    if not _fits(options.contract, [_hex(64, "sha256:")]):
        parser.error("--contract takes sha256: and 64 hex digits")
    found = []
    for path in options.files:
        try:
            found += [{"file": path.name, **each} for each in _check_file(path, options.key, options.contract)]
        except OSError as error:
            parser.error(f"{path.name} cannot be read: {error.strerror}")
    told = json.dumps(found, indent=1) if options.json else "\n".join(map(_told, found)) or "nothing to check"
    sys.stdout.write(f"{told}\n")
    return int(any(each["status"] == "mismatch" for each in found))


def _told(verdict: dict[str, Any]) -> str:
    lines = [f"{verdict['file']}, {verdict['subject']}: {verdict['status']}"]
    for name, status, cause, message in (check.values() for check in verdict["checks"]):
        lines += [f"  {status:13} {name:17} {cause or ''} {message[:300]}".rstrip()]
    # What a document says may hold characters that command a terminal.
    return "\n".join(re.sub("[^ -~]", "?", line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
