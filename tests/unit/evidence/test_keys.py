"""Signatures: RFC 8032's vectors, and where we are stricter than the library that computes them."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from service_nb.client.user_keys import Device, _build_device
from service_nb.evidence import standalone
from service_nb.evidence.documents import is_signature
from service_nb.evidence.standalone import compute_key_id, decode_base64
from tests.vectors import odd_signatures
from tests.vectors.odd_signatures import ACCEPTED, EIGHT, NEUTRAL, REFUSED, SMALL_ORDER, encode, times

# RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
MESSAGE = b"a statement"


def openssl_takes(public: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, MESSAGE)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_signatures_of_the_rfc_hold_and_none_of_their_bits_can_change(
    public: str, message: str, signature: str
) -> None:
    key, text, good = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
    assert is_signature(key, text, good)
    assert not is_signature(key, text + b"\0", good)
    for bit in range(512):
        other = (int.from_bytes(good, "little") ^ 1 << bit).to_bytes(64, "little")
        assert not is_signature(key, text, other)


@pytest.mark.parametrize("name", REFUSED)
def test_signatures_on_which_libraries_differ_are_refused(name: str) -> None:
    key = REFUSED[name]
    assert not is_signature(key.public, MESSAGE, key.sign(MESSAGE))


@pytest.mark.parametrize("name", ACCEPTED)
def test_signatures_that_hold_without_the_cofactor_are_taken(name: str) -> None:
    key = ACCEPTED[name]
    assert is_signature(key.public, MESSAGE, key.sign(MESSAGE))


def test_the_library_alone_would_take_keys_of_small_order_and_other_encodings() -> None:
    """Why the rules are ours: whoever holds no secret could sign anything under such a key."""
    taken = {name for name, key in REFUSED.items() if openssl_takes(key.public, key.sign(MESSAGE))}
    assert {name for name in REFUSED if "small order, " in name} <= taken
    assert "the neutral point as the key, written as p + 1" in taken


def test_the_points_of_small_order_are_eight() -> None:
    assert len(set(SMALL_ORDER)) == 8
    assert times(8, EIGHT) == NEUTRAL
    assert all(not is_signature(encode(point), MESSAGE, bytes(64)) for point in SMALL_ORDER)


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_keys_of_other_sizes_are_no_keys(size: int) -> None:
    assert not is_signature(bytes(range(size)), MESSAGE, bytes(64))


@pytest.mark.parametrize("size", [0, 32, 63, 65, 128])
def test_signatures_of_other_sizes_do_not_hold(size: int) -> None:
    assert not is_signature(odd_signatures.HONEST.public, MESSAGE, bytes(size))


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64))
def test_any_bytes_are_judged_and_refused(public: bytes, signature: bytes) -> None:
    assert not is_signature(public, MESSAGE, signature)


def test_the_id_of_a_key_is_that_of_the_device() -> None:
    device: Device = _build_device(Ed25519PrivateKey.from_private_bytes(bytes(32)), "environment", None)
    public = decode_base64(device.public_key, 32)
    assert public is not None
    assert compute_key_id(public) == device.id
    assert is_signature(public, MESSAGE, device.sign(MESSAGE))


@given(st.binary(max_size=40))
def test_base64_comes_back(data: bytes) -> None:
    assert decode_base64(standalone.encode_base64(data)) == data
    assert decode_base64(standalone.encode_base64(data), len(data) + 1) is None


@given(st.text(alphabet="AQgw=+/-_ \n*é", max_size=12))
def test_there_is_one_base64_text_for_each_bytes(text: str) -> None:
    data = decode_base64(text)
    assert data is None or standalone.encode_base64(data) == text
