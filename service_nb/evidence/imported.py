"""Read and verify evidence that was made elsewhere: cards, ledger documents, signed statements by themselves.

A statement by itself (DSSE, one a line) names the id of a key and not the key, so whoever verifies it has to bring the
key; its verdict has the checks

* `form`: a DSSE envelope around a statement about a result (`receipt_malformed`, `statement_malformed`)
* `signature`: by one of the keys that are given: `signature_invalid` where the key of that id did not sign this,
  `not_checkable` for `key_unknown` where the key is not among them, or for `unsigned`
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from service_nb.errors import EvidenceError
from service_nb.evidence.documents import is_signed_by, open_envelope, open_outcome, open_receipt, read_json
from service_nb.evidence.standalone import KEY_BYTES, Check, Sealed, Verdict, compute_key_id, decode_base64

MAX_LINES = 100_000


class ImportedResult(Struct, frozen=True, kw_only=True):
    """A result named by a document. What only a statement says is None where there is none."""

    kind: str
    id: str | None = None
    time: str | None = None
    question: str | None = None  # which only cards hold
    signed: str | None = None  # the id of the key that signed, as the document says
    digests: dict[str, str]


def has_envelopes(content: bytes) -> bool:
    """Tell whether a document consists of signed statements, one a line, and is no document of ours."""
    try:
        document = read_json(content.splitlines()[0]) if content.strip() else None
    except EvidenceError:
        # A statement laid out over several lines does not end with the first of them.
        document = _read_whole(content)
    return isinstance(document, dict) and "payloadType" in document


def check_envelopes(content: bytes, keys: Collection[str]) -> list[Verdict]:
    """Verify signed statements, one a line, by the keys that are given (base64)."""
    known = {compute_key_id(raw): raw for key in keys if (raw := decode_base64(key, KEY_BYTES)) is not None}
    try:
        envelopes = _read_envelopes(content)
    except EvidenceError as error:
        return [Verdict("document", (Check("form", "failed", error.reason, str(error)),))]
    return [
        Verdict(f"statement {number}", tuple(_iter_checks(envelope, known)))
        for number, envelope in enumerate(envelopes, 1)
    ]


def list_imported_results(content: bytes) -> list[ImportedResult]:
    """List the results in a verified document, in its order.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is no card, no ledger document and no signed statement; the reason is the cause.
    """
    if has_envelopes(content):
        return [_read_statement(open_envelope(each)) for each in _read_envelopes(content)]
    document = read_json(content)
    if isinstance(document, dict) and "service_nb_ledger" in document:
        return [_read_statement(open_envelope(each)) for each in document["entries"]]
    if not isinstance(document, dict) or "kind" not in document:
        told = "It is no card, no ledger document and no signed statement."
        raise EvidenceError(told, reason="unknown_document")
    words = document["view"].get("question") or document["view"].get("message")
    question = words if isinstance(words, str) else None
    if document["receipt"] is None:
        return [ImportedResult(kind=document["kind"], question=question, digests=document["digests"])]
    return [_read_statement(open_receipt(document["receipt"]).sealed, question)]


def _read_statement(sealed: Sealed, question: str | None = None) -> ImportedResult:
    said = open_outcome(sealed.payload)["predicate"]
    told = {name: said[name] for name in ("kind", "id", "time", "digests")}
    return ImportedResult(**told, question=question, signed=sealed.keyid)


def _iter_checks(envelope: object, known: Mapping[str, bytes]) -> Iterator[Check]:
    try:
        sealed = open_envelope(envelope)
        open_outcome(sealed.payload)
    except EvidenceError as error:
        yield Check("form", "failed", error.reason, str(error))
        return
    yield Check("form")
    if sealed.keyid is None:
        yield Check("signature", "not_checkable", "unsigned", "The envelope holds no signature.")
    elif sealed.keyid not in known:
        yield Check("signature", "not_checkable", "key_unknown", f"The key {sealed.keyid} is not among those given.")
    elif is_signed_by(sealed, known[sealed.keyid]):
        yield Check("signature")
    else:
        told = f"The key {sealed.keyid} has not signed this statement."
        yield Check("signature", "failed", "signature_invalid", told)


def _read_envelopes(content: bytes) -> list[object]:
    whole = _read_whole(content)
    if whole is not None:
        return [whole]
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) > MAX_LINES:
        told = f"The document has {len(lines):,} lines, more than the {MAX_LINES:,} allowed."
        raise EvidenceError(told, reason="too_large")
    return [read_json(line) for line in lines]


def _read_whole(content: bytes) -> object:
    try:
        return read_json(content)
    except EvidenceError:
        return None
