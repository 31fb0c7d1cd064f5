"""Receipts, statements and checkpoints: the same bytes as outside tools make, read by them and they by us."""

from __future__ import annotations

import base64
import copy
import json
from dataclasses import dataclass
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from service_nb.errors import EvidenceError
from service_nb.evidence.documents import (
    assemble_receipt,
    build_envelope,
    build_statement,
    is_signature,
    is_signed_by,
    open_checkpoint,
    open_envelope,
    open_outcome,
    open_receipt,
    seal,
    sign_checkpoint,
    verify_checkpoint,
)
from service_nb.evidence.standalone import Checkpoint, decode_base64, encode_pae, hash_key
from service_nb.schema.entry import PAYLOAD_TYPE
from tests.vectors import evidence_maker as maker
from tests.vectors.evidence_cases import ALICE, MALLORY

PAYLOAD = maker.canonical(maker.statement(maker.card("query"))).encode()


@dataclass(frozen=True)
class Device:
    """A key as `service-nb login` keeps it, from the vectors' fixed seeds."""

    key: maker.Key

    @property
    def id(self) -> str:
        return self.key.keyid

    @property
    def public_key(self) -> str:
        return self.key.text

    def sign(self, data: bytes) -> bytes:
        return self.key.sign(data)


SIGNER = Device(ALICE)


def theirs(key: maker.Key) -> SSlibKey:
    return SSlibKey(key.keyid, "ed25519", "ed25519", {"public": key.public.hex()})


# --- envelopes ----------------------------------------------------------------------------------------------------


def test_securesystemslib_verifies_our_envelopes() -> None:
    made: Any = build_envelope(seal(PAYLOAD, SIGNER))
    read = Envelope.from_dict(copy.deepcopy(made))
    assert read.payload == PAYLOAD
    assert read.pae() == encode_pae(PAYLOAD_TYPE, PAYLOAD)
    assert read.verify([theirs(ALICE)], threshold=1).keys() == {ALICE.keyid}
    with pytest.raises(VerificationError):
        read.verify([theirs(MALLORY)], threshold=1)


def test_we_verify_the_envelopes_of_securesystemslib() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = private.public_key().public_bytes_raw()
    signer = CryptoSigner(private)
    made = Envelope(PAYLOAD, PAYLOAD_TYPE, {})
    made.sign(signer)
    document = made.to_dict()
    # Ids of keys are each tool's own; ours is not secured by the signature, but bound to the key.
    sealed = open_envelope(document | {"signatures": [document["signatures"][0] | {"keyid": maker_id(public)}]})
    assert is_signed_by(sealed, public)
    assert not is_signed_by(open_envelope(document), public)
    assert not is_signed_by(sealed, ALICE.public)


def maker_id(public: bytes) -> str:
    return maker.sha(bytes.fromhex("302a300506032b6570032100") + public)[:16]


def test_the_encoding_that_is_signed_is_that_of_the_specification() -> None:
    # github.com/secure-systems-lab/dsse, protocol.md, test vectors
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert encode_pae("http://example.com/HelloWorld", b"hello world") == expected


def test_an_envelope_without_a_key_has_no_signature() -> None:
    made = build_envelope(seal(PAYLOAD, None))
    assert made["signatures"] == []
    sealed = open_envelope(made)
    assert (sealed.payload, sealed.signature, sealed.keyid) == (PAYLOAD, None, None)
    assert not is_signed_by(sealed, ALICE.public)


def test_receipts_are_those_that_outside_tools_make() -> None:
    outside = maker.receipt(PAYLOAD, ALICE)
    made = assemble_receipt(seal(PAYLOAD, SIGNER), SIGNER.public_key, outside["log"])
    assert made == outside
    met = open_receipt(json.loads(json.dumps(made)))
    assert (met.key, met.index, met.size) == (ALICE.public, 4, 7)
    assert is_signed_by(met.sealed, ALICE.public)


def test_what_is_no_receipt_is_named_so() -> None:
    for value in (None, [], "receipt", {}, {"version": 1}):
        with pytest.raises(EvidenceError) as caught:
            open_receipt(value)
        assert (caught.value.code, caught.value.reason) == ("evidence_invalid", "receipt_malformed")


# --- statements ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", maker.PARTS)
def test_statements_are_canonical_bytes_in_the_order_of_their_subjects(kind: Any) -> None:
    outside = maker.statement(maker.card(kind))
    subjects = {each["name"]: each["digest"]["sha256"] for each in reversed(outside["subject"])}
    payload = build_statement(kind, subjects, outside["predicate"])
    assert payload == maker.canonical(outside).encode()
    assert open_outcome(payload) == outside | {"subject": subjects}


def test_a_statement_is_of_the_type_that_in_toto_reads() -> None:
    # github.com/in-toto/attestation, spec/v1/statement.md
    read = json.loads(PAYLOAD)
    assert read["_type"] == "https://in-toto.io/Statement/v1"
    assert set(read) == {"_type", "subject", "predicateType", "predicate"}
    assert all(set(each) == {"name", "digest"} for each in read["subject"])


@pytest.mark.parametrize("payload", [b"", b"{}", b"[]", b"\xff", PAYLOAD[:-1], PAYLOAD + PAYLOAD])
def test_what_is_no_statement_is_named_so(payload: bytes) -> None:
    with pytest.raises(EvidenceError) as caught:
        open_outcome(payload)
    assert caught.value.reason == "statement_malformed"


# --- checkpoints --------------------------------------------------------------------------------------------------

ROOT = maker.mth([maker.leaf(PAYLOAD)])
MADE = Checkpoint(f"service-nb/{maker.LEDGER_ID}", 7, ROOT)


def test_the_body_of_a_checkpoint_is_that_of_the_specification() -> None:
    # c2sp.org/tlog-checkpoint, the example
    root = base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
    text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    assert Checkpoint("example.com/behind-the-sofa", 20852163, root).text == text


def test_notes_of_others_are_signed_as_ours_are() -> None:
    # golang.org/x/mod/sumdb/note, the example of the package
    public = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    line = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    hint, signature = base64.b64decode(line)[:4], base64.b64decode(line)[4:]
    assert hash_key("PeterNeumann", public) == hint == bytes.fromhex("c74f20a3")
    assert is_signature(public, text.encode(), signature)


def test_the_key_of_the_checksum_database_has_its_published_hash() -> None:
    # golang.org/x/mod/sumdb: sum.golang.org+033de0ae+…
    public = base64.b64decode("Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")[1:]
    assert hash_key("sum.golang.org", public).hex() == "033de0ae"


def test_checkpoints_are_those_that_outside_tools_make() -> None:
    text = sign_checkpoint(MADE, SIGNER)
    assert text == maker.note(7, ROOT, ALICE)
    assert verify_checkpoint(text, ALICE.public) == MADE
    met = open_checkpoint(text)
    assert (met.checkpoint, met.key_name) == (MADE, f"service-nb/device/{ALICE.keyid}")


def test_a_checkpoint_without_a_key_ends_after_the_empty_line() -> None:
    text = sign_checkpoint(MADE, None)
    assert text == MADE.text + "\n"
    assert open_checkpoint(text).signature is None
    with pytest.raises(EvidenceError) as caught:
        verify_checkpoint(text, ALICE.public)
    assert caught.value.reason == "checkpoint_invalid"


def test_a_checkpoint_holds_for_the_key_that_signed_it_and_no_other() -> None:
    with pytest.raises(EvidenceError) as caught:
        verify_checkpoint(sign_checkpoint(MADE, SIGNER), MALLORY.public)
    assert caught.value.reason == "checkpoint_invalid"


def test_no_character_of_a_checkpoint_can_change() -> None:
    text = sign_checkpoint(MADE, SIGNER)
    for at in range(len(text)):
        for other in ("", text[at] * 2, chr(ord(text[at]) ^ 1)):
            with pytest.raises(EvidenceError):
                verify_checkpoint(text[:at] + other + text[at + 1 :], ALICE.public)


def test_a_ledger_of_no_entries_has_a_checkpoint() -> None:
    empty = Checkpoint(MADE.origin, 0, maker.mth([]))
    assert verify_checkpoint(sign_checkpoint(empty, SIGNER), decode_base64(SIGNER.public_key) or b"") == empty
