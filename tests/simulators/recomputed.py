"""A third verifier, which shares no code with the other two: it recomputes what all shared vectors state.

    python -m tests.simulators.recomputed

It recomputes, from each document's bytes alone: the form of cards, receipts, statements, seals and ledgers (msgspec's
types; `json` only finds keys that come twice), every digest (`rfc8785`, hashlib), every signature and key
(`cryptography`, with the points of small order by the arithmetic of `odd_signatures`), every Merkle root and proof (by
the recursion of RFC 6962, where the others walk levels), the proof that a capability is in its contract, kind, signer,
statement, inclusion, checkpoint, contract, where cards stand in a notebook, the list of a seal, the entries, order,
texts and root of a ledger, and the word that all checks of a verdict come to.

It takes from the vectors, and only adds up, what is a whole second program: `shown` and the rest of `capability`, which
derive the view of a card (TypeScript does), `faces`, and what makes a document no strict JSON or no notebook at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec import UNSET, Meta, Struct, UnsetType

from tests.simulators.recomputed_places import Places
from tests.vectors.odd_signatures import SMALL_ORDER, L, P

Json = dict[str, Any]
Check = tuple[str, str, str | None]
FOLDER = Path(__file__).parents[1] / "vectors" / "evidence"
MIME = "application/vnd.service-nb.card.v1+json"
TAKEN = {"shown", "faces"}  # by name; and a `form` that fails for one of these causes
UNREADABLE = {"malformed_json", "too_deep", "too_large", "unsafe_number", "malformed_notebook", "unknown_document"}


class Refused(Exception):  # noqa: N818  a finding
    """Why a check did not pass: its cause, and whether it could not be made."""

    def __init__(self, cause: str, status: str = "failed") -> None:
        super().__init__(cause)
        self.cause, self.status = cause, status


def need(holds: object, cause: str, status: str = "failed") -> None:
    if not holds:
        raise Refused(cause, status)


# --- forms ------------------------------------------------------------------------------------------------------------

Hex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Whole = Annotated[float, Meta(ge=0, le=2**53 - 1, multiple_of=1)]  # 1.0 is one
One = Annotated[float, Meta(ge=1, le=1)]
Moment = Annotated[
    str,
    Meta(
        pattern=r"\A[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
        r"(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\Z"
    ),
]
Kind = Literal["query", "clarification", "rejection", "error", "computation", "replay"]


class Exact(Struct, forbid_unknown_fields=True):
    """An object with exactly its fields."""


class Card(Exact):
    kind: str
    version: Whole
    canonical: dict[str, str]
    digests: dict[str, str]
    receipt: Json | None
    view: Json


class Signature(Exact):
    keyid: str
    sig: str


class Envelope(Exact):
    payloadType: Literal["application/vnd.in-toto+json"]  # noqa: N815  its name
    payload: str
    signatures: Annotated[list[Signature], Meta(max_length=1)]


class Log(Exact):
    index: Whole
    size: Whole
    proof: list[Hex]
    checkpoint: str


class Seal(Exact):
    version: One
    envelope: Envelope
    public_key: str


class Receipt(Seal):
    log: Log


class Sha256(Exact):
    sha256: Hex


class Subject(Exact):
    name: str
    digest: Sha256


class Statement(Exact):
    """Without its `_type`: msgspec takes no field that begins with an underscore."""

    predicateType: str  # noqa: N815  its name
    subject: list[Subject]
    predicate: Json


class Outcome(Exact):
    version: One
    id: str
    kind: Kind
    time: Moment
    tenant: str | None
    digests: Json
    inputs: list[Any]
    bindings: list[Any]
    determinism: Json | None
    place: Json | None
    made_by: Json


class Listed(Exact):
    cell: str | None
    kind: str
    id: str | None
    digest: Hex


class Index(Exact):
    version: One
    time: Moment
    cards: list[Listed]


class Ledger(Exact):
    service_nb_ledger: Whole
    ledger: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    entries: list[Any]
    public_key: str | None
    checkpoint: str
    texts: dict[str, str]


def of_type(value: Any, type_: Any, cause: str) -> Any:
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError:
        raise Refused(cause) from None


def unbase64(text: str, size: int | None, cause: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused(cause) from None
    need(base64.b64encode(data).decode() == text and size in (None, len(data)), cause)
    return data


def strict(text: str | bytes) -> Any:
    """The value of a text that is JSON with one meaning; ValueError if it is not."""

    def once(pairs: list[tuple[str, Any]]) -> Json:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    content = text if isinstance(text, str) else text.decode()
    json.loads(content, object_pairs_hook=once)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", content)
    deepest = max(accumulate((mark in "[{") - (mark in "]}") for mark in bare)) if bare else 0
    if deepest > 64 or any(len(number) > 400 for number in re.findall("[-+.0-9eE]+", bare)):
        raise ValueError("a long number, or too deep")
    return msgspec.json.decode(content)


# --- hashes, trees, signatures ----------------------------------------------------------------------------------------


def sha(data: bytes | str) -> bytes:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def tagged(domain: str, text: str) -> str:
    return sha(f"service:{domain}:v1\0{text}").hex()


def canonical(value: Any) -> str:
    return rfc8785.dumps(value).decode()


def split(size: int) -> int:
    """The largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def root(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) < 2:
        return leaves[0] if leaves else sha(b"")
    at = split(len(leaves))
    return sha(b"\x01" + root(leaves[:at]) + root(leaves[at:]))


def led(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which an audit path leads, read from its end, as RFC 6962 defines it; None if it is none."""
    if index >= size or bool(path) != (size > 1):
        return None
    if size == 1:
        return leaf
    *rest, sibling = path
    at = split(size)
    if index < at:
        below = led(leaf, index, at, rest)
        return None if below is None else sha(b"\x01" + below + sibling)
    below = led(leaf, index - at, size - at, rest)
    return None if below is None else sha(b"\x01" + sibling + below)


def has_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    y = int.from_bytes(key, "little") % 2**255
    if len(key) != 32 or y >= P or y in {point[1] for point in SMALL_ORDER} or len(signature) != 64:
        return False
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def id_of(key: bytes) -> str:
    try:
        der = Ed25519PublicKey.from_public_bytes(key).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except ValueError:
        return ""
    return sha(der).hex()[:16]


def opened(envelope: Envelope, cause: str) -> tuple[bytes, Signature | None, bytes]:
    payload = unbase64(envelope.payload, None, cause)
    one = envelope.signatures[0] if envelope.signatures else None
    return payload, one, unbase64(one.sig, 64, cause) if one else b""


def pae(payload: bytes) -> bytes:
    kind = b"application/vnd.in-toto+json"
    return b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])


def statement_of(payload: bytes, cause: str) -> tuple[str, dict[str, str], Json]:
    try:
        value = strict(payload)
    except ValueError:
        raise Refused(cause) from None
    need(isinstance(value, dict) and value.get("_type") == "https://in-toto.io/Statement/v1", cause)
    met = of_type({name: value[name] for name in value if name != "_type"}, Statement, cause)
    subjects = {each.name: each.digest.sha256 for each in met.subject}
    need(len(subjects) == len(met.subject), cause)
    return met.predicateType, subjects, met.predicate


def outcome_of(payload: bytes, cause: str) -> tuple[dict[str, str], Outcome]:
    type_, subjects, predicate = statement_of(payload, cause)
    outcome = of_type(predicate, Outcome, cause)
    word = "refusal" if outcome.kind in ("clarification", "rejection") else outcome.kind
    need(type_ == f"urn:service-nb:{word}:v1", cause)
    return subjects, outcome


def note_of(text: str, cause: str) -> tuple[str, str, int, bytes, str, bytes]:
    """What is signed of a checkpoint, its ledger, size and root, the name of its key, and hash and signature."""
    signed, gap, last = text.partition("\n\n")
    parts = signed.split("\n")
    need(gap and len(parts) == 3 and len(text) <= 1024, cause)
    need(re.fullmatch("service-nb/[0-9a-f]{32}", parts[0]) and re.fullmatch("0|[1-9][0-9]{0,15}", parts[1]), cause)
    need(int(parts[1]) < 2**53, cause)
    tree = unbase64(parts[2], 32, cause)
    if not last:
        return signed + "\n", parts[0][11:], int(parts[1]), tree, "", b""
    words = last.split(" ")
    need(last.endswith("\n") and last.count("\n") == 1 and len(words) == 3 and words[0] == "—", cause)
    need(re.fullmatch("service-nb/device/[0-9a-f]{16}", words[1]), cause)
    return signed + "\n", parts[0][11:], int(parts[1]), tree, words[1], unbase64(words[2][:-1], 68, cause)


# --- cards ------------------------------------------------------------------------------------------------------------

# Of each kind: the texts; then each digest, with what it is over: domain, another digest, texts.
OVER: dict[str, tuple[str, str, str]] = {
    "plan_hash": ("plan", "", "plan"),
    "result_hash": ("result", "plan_hash", "result"),
    "refusal_hash": ("refusal", "", "spec resolution"),
    "error_hash": ("error", "", "error"),
    "invocation_hash": ("invocation", "", "identity"),
    "computation_hash": ("computation", "invocation_hash", "value"),
    "definition_hash": ("definition", "", "definition"),
    "provenance_hash": ("provenance", "", "provenance"),
    "replay_hash": ("replay", "", "report"),
}
KINDS = {
    "query": ("plan result provenance", "plan_hash result_hash schema_revision provenance_hash", "ok"),
    "clarification": ("spec resolution", "refusal_hash", "needs_clarification"),
    "rejection": ("spec resolution", "refusal_hash", "rejected"),
    "error": ("error", "error_hash", "error"),
    "computation": (
        "identity arguments value definition provenance",
        "input_hash invocation_hash computation_hash contract_hash definition_hash provenance_hash",
        "ok",
    ),
    "replay": ("report", "replay_hash", "identical differs refused"),
}


class Work:
    """One vector: what is trusted and known, and what its verdicts say of the checks that are taken from them."""

    def __init__(self, keys: Collection[str], contracts: Collection[str]) -> None:
        self.keys, self.contracts = keys, contracts

    def card(self, value: Any) -> Iterator[Check]:
        card = yield from made("form", self.form, value)
        if card is None:
            return
        for name in [*KINDS[card.kind][1].split(), "view_hash", *(["rows_hash"] if "rows" in card.view else [])]:
            yield from made(name, self.digest, name, card)
        yield from made("kind", self.kind, card)
        yield "shown", "taken", None
        if card.kind == "computation":
            yield from made("capability", self.capability, card)
        if card.receipt is None:
            yield "signature", "not_checkable", "unsigned"
        else:
            yield from self.receipt(card)
        if card.kind == "computation":
            yield from made("contract", self.contract, card)

    def form(self, value: Any) -> Card:
        bad = "malformed_card"
        need(isinstance(value, dict) and set(value) == set(Card.__struct_fields__), bad)
        of_type(value["version"], Whole, bad)
        need(isinstance(value["kind"], str), bad)
        need(value["version"] == 1, "unknown_version")
        need(value["kind"] in KINDS, "unknown_kind")
        card: Card = of_type(value, Card, bad)
        texts, digests, _ = (each.split() for each in KINDS[card.kind])
        rows = card.view.get("rows", UNSET)
        need(set(card.canonical) <= set(texts) and isinstance(rows, list | UnsetType), bad)
        due = {*digests, "view_hash", *([] if rows is UNSET else ["rows_hash"])}
        need(set(card.digests) == due, bad)
        for name, text in card.digests.items():
            need(re.fullmatch(("sha256:" if name == "contract_hash" else "") + "[0-9a-f]{64}", text), bad)
        return card

    def digest(self, name: str, card: Card) -> None:
        stated, met = card.digests[name], None
        if name == "view_hash":
            met = tagged("view", canonical({key: card.view[key] for key in card.view if key != "rows"}))
        elif name == "rows_hash":
            met = tagged("rows", canonical(card.view["rows"]))
            need(card.view["rows"] or met == stated, "rows_not_kept", "not_checkable")
        else:
            quoted = {"schema_revision": "plan", "contract_hash": "identity", "input_hash": "arguments"}
            domain, before, names = OVER.get(name, ("", "", quoted.get(name, "")))
            texts = [card.canonical.get(each) for each in names.split()]
            need(None not in texts, "text_not_kept", "not_checkable")
            held = object_of(texts[0] or "")
            if name == "input_hash":
                met = sha(texts[0] or "").hex()
            elif name in quoted:
                met = (held or {}).get(name)
            elif name == "refusal_hash":
                whole = "\0".join(map(str, texts))
                need(stated != tagged("refusal", whole), "older_form", "not_checkable")
                told = object_of(texts[1] or "")
                if told is not None and canonical(told) == texts[1]:
                    codes = canonical({key: told[key] for key in told if key != "reason"})
                    met = sha(f"service:refusal:v2\0{texts[0]}\0{codes}").hex()
            elif held is not None or name not in ("plan_hash", "invocation_hash"):
                met = tagged(domain, card.digests.get(before, "") + "\0".join(map(str, texts)))
        need(met == stated, f"{name}_mismatch")

    def kind(self, card: Card) -> None:
        need(card.view.get("status") in KINDS[card.kind][2].split(), "kind_contradicted")
        if card.kind == "query":
            count = of_type(card.view.get("row_count"), Whole, "kind_contradicted")
            need(count >= len(card.view.get("rows", ())), "kind_contradicted")

    def capability(self, card: Card) -> None:
        need({"definition", "identity"} <= set(card.canonical), "text_not_kept", "not_checkable")
        held = object_of(card.canonical["definition"]) or {}
        try:
            path = [bytes.fromhex(each) for each in held["proof"]]
            tree = led(sha(b"\0" + canonical(held["capability"]).encode()), held["index"], held["size"], path)
        except (KeyError, TypeError, ValueError):
            tree = None
        need(tree is not None and f"sha256:{tree.hex()}" == card.digests["contract_hash"], "capability_not_in_contract")
        raise Refused("", "taken")  # how the call fits its capability is a part of `shown`

    def contract(self, card: Card) -> None:
        need(self.contracts, "no_known_contracts", "not_checkable")
        need(card.digests["contract_hash"] in self.contracts, "contract_unknown", "not_checkable")

    def receipt(self, card: Card) -> Iterator[Check]:
        found = yield from made("signature", self.signature, card)
        if found is None:
            return
        payload, key, log = found
        yield from made("signer", self.signer, [key])
        yield from made("statement", self.statement, payload, card)
        yield from made("inclusion", self.inclusion, payload, log)
        yield from made("checkpoint", self.checkpoint, log.checkpoint, key)

    def signature(self, card: Card) -> tuple[bytes, bytes, Log]:
        bad = "receipt_malformed"
        receipt: Receipt = of_type(card.receipt, Receipt, bad)
        key = unbase64(receipt.public_key, 32, bad)
        payload, one, signature = opened(receipt.envelope, bad)
        need(one, bad)
        need(one and one.keyid == id_of(key) and has_signed(key, pae(payload), signature), "signature_invalid")
        return payload, key, receipt.log

    def signer(self, keys: Sequence[bytes]) -> None:
        need(all(base64.b64encode(key).decode() in self.keys for key in keys), "unknown_signer", "not_checkable")

    def statement(self, payload: bytes, card: Card) -> None:
        subjects, said = outcome_of(payload, "statement_malformed")
        another = "receipt_of_another_card"
        need((said.kind, said.digests) == (card.kind, card.digests), another)
        need(all(subjects.get(name) == sha(text).hex() for name, text in card.canonical.items()), another)
        for name in ("query_id", "request_id"):
            need(card.view.get(name, said.id) == said.id, another)
        if "provenance" in KINDS[card.kind][0] and "provenance" not in card.canonical:
            return
        how = object_of(card.canonical.get("provenance", "{}"))
        need(how is not None, another)
        how = how or {}
        pairs = [(said.bindings, how.get("bindings", []), ["filter"])]
        pairs += [(said.inputs, how["sources"], ["origin", "reading"])] if "sources" in how else []
        for stated, recorded, left_out in pairs:
            need(isinstance(recorded, list) and len(stated) == len(recorded), another)
            for one, full in zip(stated, recorded, strict=True):
                need(isinstance(one, dict) and isinstance(full, dict), another)
                shorter = [full | dict.fromkeys(left_out[:n]) for n in range(len(left_out) + 1)]
                need(canonical(one) in map(canonical, shorter), another)
        need(canonical(said.determinism) == canonical(how.get("determinism")), another)

    def inclusion(self, payload: bytes, log: Log) -> None:
        _, _, size, tree, _, _ = note_of(log.checkpoint, "checkpoint_malformed")
        found = led(sha(b"\0" + payload), int(log.index), int(log.size), [*map(bytes.fromhex, log.proof)])
        need(log.size == size and found == tree, "inclusion_invalid")

    def checkpoint(self, text: str, key: bytes) -> None:
        signed, _, _, _, name, signature = note_of(text, "checkpoint_invalid")
        due = f"service-nb/device/{id_of(key)}"
        holds = name == due and signature[:4] == sha(due.encode() + b"\n\x01" + key)[:4]
        need(holds and has_signed(key, signed.encode(), signature[4:]), "checkpoint_invalid")

    # --- seals and ledgers ---

    def seal(self, value: Any, cards: Sequence[Any]) -> Iterator[Check]:
        found = yield from made("form", self.sealed, value)
        if found is None:
            return
        payload, one, signature, key, listed = found
        holds = one.keyid == id_of(key) and has_signed(key, pae(payload), signature)
        yield "signature", *(("passed", None) if holds else ("failed", "signature_invalid"))
        if holds:
            yield from made("signer", self.signer, [key])
            yield from made("cards", self.cards, [each["digest"] for each in listed], cards)

    def sealed(self, value: Any) -> Any:
        bad = "index_malformed"
        seal: Seal = of_type(value, Seal, bad)
        key = unbase64(seal.public_key, 32, bad)
        payload, one, signature = opened(seal.envelope, bad)
        need(one, bad)
        type_, subjects, predicate = statement_of(payload, bad)
        of_type(predicate, Index, bad)
        need(type_ == "urn:service-nb:index:v1", bad)
        need(subjects == {"cards": sha(canonical(predicate["cards"])).hex()}, bad)
        return payload, one, signature, key, predicate["cards"]

    def cards(self, sealed: list[str], cards: Sequence[Any]) -> None:
        met = [digest_of(card) for card in cards]
        need(len(met) >= len(sealed), "card_missing")
        need(len(met) <= len(sealed), "card_added")
        need(Counter(met) == Counter(sealed), "card_replaced")
        need(met == sealed, "card_moved")

    def ledger(self, value: Any) -> Iterator[Check]:
        ledger = yield from made("form", self.ledger_form, value)
        if ledger is None:
            return
        key = unbase64(ledger.public_key, 32, "") if ledger.public_key else None
        found = yield from made("entry", self.entries, ledger, key, silent=("unsigned",))
        if found is None:
            return
        payloads, outcomes = found
        ids = [outcome.id for _, outcome in outcomes]
        yield from made("order", need, len(ids) == len(set(ids)), "duplicate_id")
        yield from made("texts", self.texts, ledger, {each for subjects, _ in outcomes for each in subjects.values()})
        yield from made("root", self.root, ledger, payloads)
        if key is None:
            yield from (("signer", "not_checkable", "unsigned"), ("checkpoint", "not_checkable", "unsigned"))
        else:
            yield from made("signer", self.signer, [key])
            yield from made("checkpoint", self.checkpoint, ledger.checkpoint, key)

    def ledger_form(self, value: Json) -> Ledger:
        bad = "malformed_ledger"
        need(set(value) == set(Ledger.__struct_fields__), bad)
        need(of_type(value["service_nb_ledger"], Whole, bad) == 1, "unknown_version")
        ledger: Ledger = of_type(value, Ledger, bad)
        if ledger.public_key is not None:
            unbase64(ledger.public_key, 32, bad)
        return ledger

    def entries(self, ledger: Ledger, key: bytes | None) -> Any:
        payloads, outcomes, unsigned = [], [], 0
        for entry in ledger.entries:
            payload, one, signature = opened(of_type(entry, Envelope, "entry_malformed"), "entry_malformed")
            outcomes.append(outcome_of(payload, "entry_malformed"))
            payloads.append(payload)
            unsigned += one is None
            holds = one is None or (key and one.keyid == id_of(key) and has_signed(key, pae(payload), signature))
            need(holds, "signature_invalid")
        return (payloads, outcomes), "unsigned" if unsigned else None

    def texts(self, ledger: Ledger, known: Collection[str]) -> None:
        need(all(sha(text).hex() == name for name, text in ledger.texts.items()), "text_mismatch")
        need(set(ledger.texts) <= set(known), "text_unknown")

    def root(self, ledger: Ledger, payloads: Sequence[bytes]) -> None:
        _, name, size, tree, _, _ = note_of(ledger.checkpoint, "checkpoint_malformed")
        leaves = [sha(b"\0" + payload) for payload in payloads]
        need((name, size, tree) == (ledger.ledger, len(leaves), root(leaves)), "root_mismatch")


def made(name: str, test: Any, *arguments: Any, silent: Sequence[str] = ()) -> Any:
    """Yield a check; the generator's value is what the test returns, None if it failed."""
    try:
        found = test(*arguments)
    except Refused as refused:
        yield name, refused.status, refused.cause or None
        return None
    cause = None
    if silent:
        found, cause = found
    yield name, "not_checkable" if cause else "passed", cause
    return found


def object_of(text: str) -> Json | None:
    try:
        value = strict(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def digest_of(card: Any) -> str:
    digests = card.get("digests") if isinstance(card, dict) else None
    is_listed = isinstance(digests, dict) and all(isinstance(each, str) for each in digests.values())
    return sha(canonical(digests)).hex() if is_listed else ""


# --- the vectors ------------------------------------------------------------------------------------------------------


def word_of(checks: Sequence[Sequence[Any]]) -> str:
    """What checks come to, as docs/decisions/0019 says it."""
    failed = any(status == "failed" for _, status, _ in checks)
    causes = {cause for _, status, cause in checks if status == "not_checkable"}
    named = {"not_sealed", "card_repeated", "card_out_of_order"}  # of a notebook that is not sealed
    decided = causes <= {"text_not_kept", "rows_not_kept", "unsigned", "unknown_signer", *named}
    quiet = "consistent" if "unsigned" in causes else "unaltered" if "unknown_signer" in causes else "verified"
    return "altered" if failed else quiet if decided else "not_checkable"


def differing(case: Json) -> list[str]:
    """Where a vector's verdicts are not what this program comes to."""
    content = base64.b64decode(case["document_base64"]) if "document_base64" in case else case["document"].encode()
    due = {each["subject"]: each for each in case["verdicts"]}
    found = [f"{name}: {each['status']}" for name, each in due.items() if each["status"] != word_of(each["checks"])]
    if "document" in due:
        return found  # what is no strict JSON, no notebook, no card and no ledger document
    document, work = msgspec.json.decode(content), Work(case["keys"], case["contracts"])
    met: dict[str, Iterator[Check]] = {}
    unread = {
        name for name, each in due.items() if each["checks"][0][0] == "form" and each["checks"][0][2] in UNREADABLE
    }
    if "nbformat" in document:
        places = Places(document)
        cards = [data[MIME] for data in places.shown.values() if MIME in data]
        own = {
            place: [("form", "failed", None)] if place in unread else [*work.card(data[MIME])]
            for place, data in places.shown.items()
            if MIME in data
        }
        met = {name: iter([*own[name], *around]) for name, around in places.around(own).items()}
        met |= {name: iter(checks) for name, checks in places.others.items()}
        if "service_nb" in document.get("metadata", {}):
            met["index"] = work.seal(document["metadata"]["service_nb"], cards)
    elif "kind" in document:
        met["card"] = work.card(document)
    else:
        met["ledger"] = work.ledger(document)
    taken = {name for name, each in due.items() if {check[0] for check in each["checks"]} <= TAKEN}
    if met.keys() | taken != due.keys():
        found.append(f"verdicts of {sorted(met)}")
    for name in met.keys() & due.keys():
        stated = [tuple(check) for check in due[name]["checks"]]
        if name in unread:
            continue
        ours = list(met[name])
        same = len(ours) == len(stated) and all(
            one == other or (one[1] == "taken" and one[0] == other[0]) for one, other in zip(ours, stated, strict=False)
        )
        if not same:
            others = [each for each in stated if each not in ours]
            found.append(f"{name}: {[each for each in ours if each not in stated]}, not {others}")
    return found


def vectors() -> Iterator[tuple[str, Json]]:
    for path in sorted(FOLDER.glob("*.json")):
        cases = json.loads(path.read_bytes()).get("cases", [])
        yield from ((f"{path.stem}: {case['name']}", case) for case in cases if "verdicts" in case)


def main() -> int:
    count, wrong = 0, 0
    for name, case in vectors():
        count += 1
        for each in differing(case):
            wrong += 1
            sys.stdout.write(f"{name}: {each}\n")
    sys.stdout.write(f"{count:,} vectors, {wrong:,} differences\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
