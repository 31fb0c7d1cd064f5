"""T3: a signature's signer, algorithm or metadata is stripped, rewritten, or chosen by the forger.

Who signed, with what, and what for is bound to the key and to the signed bytes; nothing beside them in an envelope is
believed. Each forgery is made by an attacker with an Ed25519 key and by one with an RSA key, against a card whose
signer is trusted, and given to the verifier and to the one of the standard library.
"""

from __future__ import annotations

import copy
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope

from service_nb.evidence import standalone
from service_nb.evidence.documents import check_document
from tests.security.conftest import snapshot
from tests.vectors.evidence_cases import ALICE, TRUSTED
from tests.vectors.evidence_maker import PAYLOAD_TYPE, b64, canonical, card, note, rehashed, sha, signed, statement

CARD = card("query")
GOOD = signed(CARD, ALICE)
PAYLOAD = canonical(statement(CARD)).encode()

Json = dict[str, Any]


@dataclass(frozen=True)
class Attacker:
    """A key of the attacker's own."""

    public: bytes  # as their tools write it: 32 bytes, or DER
    sign: Callable[[bytes], bytes]

    @property
    def keyid(self) -> str:
        return sha(self.public)[:16]


def ed25519() -> Attacker:
    private = Ed25519PrivateKey.generate()
    return Attacker(private.public_key().public_bytes_raw(), private.sign)


def rsa_2048() -> Attacker:
    private = rsa.generate_private_key(65537, 2048)
    der = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Attacker(der, lambda data: private.sign(data, padding.PKCS1v15(), SHA256()))


ATTACKERS = {"ed25519": ed25519(), "rsa": rsa_2048()}


def pae(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    encoded: bytes = Envelope(payload, payload_type, {}).pae()
    return encoded


def other_payload(**changes: Any) -> bytes:
    return canonical(statement(CARD, **changes)).encode()


def envelope(made: Json, **parts: Any) -> Json:
    made["receipt"]["envelope"] |= parts
    return made


def signature(made: Json, **parts: Any) -> Json:
    made["receipt"]["envelope"]["signatures"][0] |= parts
    return made


def own_key(made: Json, by: Attacker) -> Json:
    made["receipt"]["public_key"] = b64(by.public)
    return made


# --- what a forger does: from the good card, the forged one -------------------------------------------------------


def stripped(made: Json, by: Attacker) -> Json:
    return envelope(made, signatures=[])


def stripped_and_named_none(made: Json, by: Attacker) -> Json:
    return signature(made, sig="", alg="none")


def resigned_under_the_trusted_id(made: Json, by: Attacker) -> Json:
    return signature(made, sig=b64(by.sign(pae(PAYLOAD))))


def resigned_under_the_attackers_id(made: Json, by: Attacker) -> Json:
    return signature(made, sig=b64(by.sign(pae(PAYLOAD))), keyid=by.keyid)


def resigned_with_the_attackers_key_beside_it(made: Json, by: Attacker) -> Json:
    return own_key(signature(made, sig=b64(by.sign(pae(PAYLOAD))), keyid=by.keyid), by)


def resigned_with_key_and_trusted_id(made: Json, by: Attacker) -> Json:
    return own_key(signature(made, sig=b64(by.sign(pae(PAYLOAD)))), by)


def signer_rewritten_only(made: Json, by: Attacker) -> Json:
    return own_key(signature(made, keyid=by.keyid), by)


def a_second_signature(made: Json, by: Attacker) -> Json:
    one = made["receipt"]["envelope"]["signatures"][0]
    return envelope(made, signatures=[{"keyid": by.keyid, "sig": b64(by.sign(pae(PAYLOAD)))}, one])


def another_time(made: Json, by: Attacker) -> Json:
    return envelope(made, payload=b64(other_payload(time="2020-01-01T00:00:00.000000Z")))


def another_author(made: Json, by: Attacker) -> Json:
    payload = other_payload(tenant="someone else")
    return signature(envelope(made, payload=b64(payload)), sig=b64(by.sign(pae(payload))))


def another_type(made: Json, by: Attacker) -> Json:
    return signature(envelope(made, payloadType="text/plain"), sig=b64(by.sign(pae(PAYLOAD, "text/plain"))))


def an_algorithm_is_named(made: Json, by: Attacker) -> Json:
    return signature(made, sig=b64(by.sign(pae(PAYLOAD))), alg="RS256" if len(by.public) > 32 else "EdDSA")


def an_hmac_under_the_public_key(made: Json, by: Attacker) -> Json:
    digest = hmac.new(ALICE.public, pae(PAYLOAD), "sha512").digest()
    return signature(made, sig=b64(digest), keyid=by.keyid)


def an_hmac_under_the_trusted_id(made: Json, by: Attacker) -> Json:
    return signature(made, sig=b64(hmac.new(ALICE.text.encode(), pae(PAYLOAD), "sha512").digest()))


def an_hmac_under_the_attackers_key(made: Json, by: Attacker) -> Json:
    return own_key(signature(made, sig=b64(hmac.new(by.public, pae(PAYLOAD), "sha512").digest()), keyid=by.keyid), by)


def the_first_64_bytes_of_a_signature(made: Json, by: Attacker) -> Json:
    return signature(made, sig=b64(by.sign(pae(PAYLOAD))[:64]))


def the_payload_is_signed_without_its_type(made: Json, by: Attacker) -> Json:
    return own_key(signature(made, sig=b64(by.sign(PAYLOAD)), keyid=by.keyid), by)


def an_edited_card_with_a_new_receipt(made: Json, by: Attacker) -> Json:
    made["canonical"]["result"] = made["canonical"]["result"].replace("1.6", "9.6")
    made["view"]["rows"][0][1] = "9.6"
    made = rehashed(made)
    payload = canonical(statement(made)).encode()
    made = signature(envelope(made, payload=b64(payload)), sig=b64(by.sign(pae(payload))), keyid=by.keyid)
    return own_key(made, by)


def an_edited_card_under_the_trusted_key(made: Json, by: Attacker) -> Json:
    made = an_edited_card_with_a_new_receipt(made, by)
    made["receipt"]["public_key"] = ALICE.text
    return signature(made, keyid=ALICE.keyid)


def the_checkpoint_is_signed_anew(made: Json, by: Attacker) -> Json:
    text = note(7, bytes(32), ALICE)
    body, _, line = text.partition("\n\n")
    name = line.split(" ")[1]
    made["receipt"]["log"]["checkpoint"] = f"{body}\n\n— {name} {b64(bytes(4) + by.sign(body.encode()))}\n"
    return made


FORGERIES: Mapping[str, Callable[[Json, Attacker], Json]] = {
    made.__name__: made
    for made in (
        stripped,
        stripped_and_named_none,
        resigned_under_the_trusted_id,
        resigned_under_the_attackers_id,
        resigned_with_the_attackers_key_beside_it,
        resigned_with_key_and_trusted_id,
        signer_rewritten_only,
        a_second_signature,
        another_time,
        another_author,
        another_type,
        an_algorithm_is_named,
        an_hmac_under_the_public_key,
        an_hmac_under_the_trusted_id,
        an_hmac_under_the_attackers_key,
        the_first_64_bytes_of_a_signature,
        the_payload_is_signed_without_its_type,
        an_edited_card_with_a_new_receipt,
        an_edited_card_under_the_trusted_key,
        the_checkpoint_is_signed_anew,
    )
}
NAMED = {
    "receipt_malformed",
    "signature_invalid",
    "unknown_signer",
    "inclusion_invalid",
    "checkpoint_malformed",
    "checkpoint_invalid",
}


def verdict(document: Json) -> Json:
    """The verdict, by OpenSSL and without, which is one."""
    content = json.dumps(document).encode()
    (ours,) = check_document(content, keys=TRUSTED)
    (alone,) = standalone.check_document(content, standalone.Anchors(TRUSTED))
    assert ours == alone
    return ours.to_dict()


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_envelope_is_refused_by_its_cause(
    forgery: str, attacker: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    before = snapshot(tmp_path)
    said = verdict(FORGERIES[forgery](copy.deepcopy(GOOD), ATTACKERS[attacker]))
    assert said["status"] == "altered"
    causes = {one["cause"] for one in said["checks"] if one["status"] == "failed"}
    assert causes
    assert causes <= NAMED
    assert snapshot(tmp_path) == before
    record_property("bad_inputs", 1)


def test_the_card_that_is_forged_is_itself_verified() -> None:
    assert verdict(copy.deepcopy(GOOD))["status"] == "verified"


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_without_a_trusted_key_a_forger_is_at_least_not_taken_for_verified(attacker: str) -> None:
    forged = an_edited_card_with_a_new_receipt(copy.deepcopy(GOOD), ATTACKERS[attacker])
    (said,) = check_document(json.dumps(forged).encode())
    assert said.status != "verified"
