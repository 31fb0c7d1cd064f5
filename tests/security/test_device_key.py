"""Device keys and licences that are not what login made: each is refused by its reason, and nothing is changed."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from service_nb.client import user_keys as device
from service_nb.core.canonical import write_canonical_bytes
from service_nb.errors import LoginRequiredError
from service_nb.evidence.standalone import compute_key_id
from tests.security.conftest import snapshot

Refused = Callable[[str], LoginRequiredError]
DOMAIN = b"service:licence:v1\0"


def pem(key: Any, form: PrivateFormat = PrivateFormat.PKCS8, password: bytes | None = None) -> bytes:
    lock = NoEncryption() if password is None else BestAvailableEncryption(password)
    content: bytes = key.private_bytes(Encoding.PEM, form, lock)
    return content


KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
GOOD = pem(KEY)
LINES = GOOD.splitlines()
PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
P256 = ec.generate_private_key(ec.SECP256R1())


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(device.INJECTED, raising=False)
    device.login()
    return tmp_path / "home" / "config"


@pytest.fixture
def refused(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    """Ask for the device and return the error; fails if it is given, or if anything on the disk changed."""

    def check(reason: str) -> LoginRequiredError:
        before = snapshot(tmp_path)
        for attempt in (device.require_device, device.find_device):
            with pytest.raises(LoginRequiredError) as caught:
                attempt()
            error = caught.value
            assert (error.code, error.details["reason"]) == ("login_required", reason)
            assert error.hint
            assert str(tmp_path) not in str(error.to_dict())
        assert snapshot(tmp_path) == before
        record_property("bad_inputs", 1)
        return error

    return check


BROKEN_KEYS = {
    "empty": (b"", "key_malformed"),
    "a text": (b"secret", "key_malformed"),
    "zeros": (bytes(119), "key_malformed"),
    "only a head": (b"-----BEGIN PRIVATE KEY-----", "key_malformed"),
    "no content": (LINES[0] + b"\n" + LINES[2] + b"\n", "key_malformed"),
    "cut": (GOOD[:60], "key_malformed"),
    "without an end": (b"\n".join(LINES[:2]), "key_malformed"),
    "a letter changed": (GOOD.replace(LINES[1], b"N" + LINES[1][1:]), "key_malformed"),
    "no base64": (GOOD.replace(LINES[1], b"\xff" * 64), "key_malformed"),
    "DER": (KEY.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()), "key_malformed"),
    "a bare seed": (KEY.private_bytes_raw(), "key_malformed"),
    "OpenSSH": (pem(KEY, PrivateFormat.OpenSSH), "key_malformed"),
    "the public half": (PUBLIC, "key_malformed"),
    "with a password": (pem(KEY, password=b"x"), "key_malformed"),
    "two keys": (GOOD + GOOD, "key_malformed"),
    "a mark before it": (b"\xef\xbb\xbf" + GOOD, "key_malformed"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "key_malformed"),
    "JSON": (b'{"key": "' + base64.b64encode(KEY.private_bytes_raw()) + b'"}', "key_malformed"),
    "RSA": (pem(rsa.generate_private_key(65537, 2048)), "key_of_another_kind"),
    "P-256": (pem(P256), "key_of_another_kind"),
    "P-256 in an older form": (pem(P256, PrivateFormat.TraditionalOpenSSL), "key_malformed"),
    "Ed448": (pem(ed448.Ed448PrivateKey.generate()), "key_of_another_kind"),
    "X25519": (pem(x25519.X25519PrivateKey.generate()), "key_of_another_kind"),
    "large": (GOOD + b"\n" * 5_000, "key_too_large"),
    "a megabyte": (b"-----BEGIN PRIVATE KEY-----\n" + b"A" * 2**20, "key_too_large"),
}


@pytest.mark.parametrize("case", BROKEN_KEYS)
def test_a_broken_key_is_refused_and_never_replaced(config: Path, refused: Refused, case: str) -> None:
    content, reason = BROKEN_KEYS[case]
    (config / "device.pem").write_bytes(content)
    refused(reason)
    with pytest.raises(LoginRequiredError):
        device.login()
    assert (config / "device.pem").read_bytes() == content
    assert device.logout() == ("device.pem", "licence.json")
    assert device.login().origin == "made"


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o660, 0o666, 0o620, 0o602, 0o601, 0o777], ids=oct)
def test_a_key_that_others_may_use_is_refused(config: Path, refused: Refused, mode: int) -> None:
    (config / "device.pem").chmod(mode)
    refused("key_exposed")


@pytest.mark.parametrize("name", ["device.pem", "licence.json"])
@pytest.mark.parametrize("kind", ["link", "link to nothing", "loop", "folder", "fifo", "socket"])
def test_what_is_no_regular_file_is_refused(config: Path, refused: Refused, name: str, kind: str) -> None:
    path = config / name
    elsewhere = config.parent / "elsewhere"
    path.rename(elsewhere)
    match kind:
        case "link":
            path.symlink_to(elsewhere)
        case "link to nothing":
            path.symlink_to(config.parent / "nothing")
        case "loop":
            path.symlink_to(path)
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case _:
            bound(path)
    refused(f"{'key' if name == 'device.pem' else 'licence'}_no_file")
    assert elsewhere.is_file()


def bound(path: Path) -> None:
    # Bound by a short relative name: that of a test's folder is longer than the name of a socket may be.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def test_login_puts_a_licence_in_the_place_of_a_link_and_leaves_alone_where_it_led(config: Path) -> None:
    precious = config.parent / "precious"
    precious.write_bytes(b"precious")
    (config / "licence.json").unlink()
    (config / "licence.json").symlink_to(precious)
    assert device.login().origin == "licensed"
    assert precious.read_bytes() == b"precious"
    assert not (config / "licence.json").is_symlink()


def test_logout_removes_a_link_and_leaves_alone_where_it_led(config: Path) -> None:
    (config / "device.pem").rename(config.parent / "precious")
    (config / "device.pem").symlink_to(config.parent / "precious")
    assert device.logout() == ("device.pem", "licence.json")
    assert (config.parent / "precious").is_file()


@pytest.mark.parametrize("name", ["device.pem", "licence.json"])
def test_a_file_of_another_user_is_refused(
    config: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # Only root can give files away, so it is told of one what it would tell of such.
    mine = (config / name).stat().st_ino
    real = os.fstat

    def of_another(descriptor: int) -> os.stat_result:
        met = real(descriptor)
        return os.stat_result((*met[:4], met.st_uid + 1, *met[5:])) if met.st_ino == mine else met

    monkeypatch.setattr(os, "fstat", of_another)
    (config / name).touch()  # so that it is looked at again
    refused(f"{'key' if name == 'device.pem' else 'licence'}_foreign")


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777], ids=oct)
def test_a_folder_that_others_can_write_is_refused(config: Path, refused: Refused, mode: int) -> None:
    config.chmod(mode)
    (config / "device.pem").touch()
    refused("folder_unsafe")


def test_a_folder_that_is_a_link_is_refused(config: Path, refused: Refused) -> None:
    elsewhere = config.rename(config.parent / "elsewhere")
    config.symlink_to(elsewhere)
    (config / "device.pem").touch()
    refused("folder_unsafe")
    with pytest.raises(LoginRequiredError):
        device.logout()
    assert (elsewhere / "device.pem").is_file()


def signed(key: Ed25519PrivateKey, **changes: Any) -> bytes:
    """A licence with fields that are not what login writes, signed all the same."""
    public = base64.b64encode(key.public_key().public_bytes_raw()).decode()
    licence = {
        "version": 1,
        "tier": "developer",
        "device": compute_key_id(key.public_key().public_bytes_raw()),
        "public_key": public,
        "issued": "2026-01-02T03:04:05Z",
    }
    licence |= changes
    signature = base64.b64encode(key.sign(DOMAIN + write_canonical_bytes(licence))).decode()
    return write_canonical_bytes(licence | {"signature": signature})


FINE = json.loads(signed(KEY))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))


def text(**changes: Any) -> bytes:
    """The fine licence with changes that the signature does not know; None takes a field away."""
    changed = {**FINE, **changes}
    return json.dumps({name: value for name, value in changed.items() if value is not None}).encode()


LONG = base64.b64encode(bytes(65)).decode()
BROKEN_LICENCES = {
    "empty": (b"", "licence_malformed"),
    "no JSON": (b"developer", "licence_malformed"),
    "an array": (b"[]", "licence_malformed"),
    "null": (b"null", "licence_malformed"),
    "an empty object": (b"{}", "licence_malformed"),
    "NaN": (b'{"version": NaN}', "licence_malformed"),
    "cut": (text()[:-1], "licence_malformed"),
    "more behind it": (text() + b"{}", "licence_malformed"),
    "a field twice": (text().replace(b'{"device"', b'{"version": 1, "device"', 1), "licence_malformed"),
    "a field more": (text(admin=True), "licence_malformed"),
    "a signed field more": (signed(KEY, admin="yes"), "licence_malformed"),
    "nested": (b"[" * 1_000 + b"]" * 1_000, "licence_malformed"),
    "UTF-16": (text().decode().encode("utf-16"), "licence_malformed"),
    "a mark before it": (b"\xef\xbb\xbf" + text(), "licence_malformed"),
    "half a character": (text(tier="\ud800"), "licence_malformed"),
    "bytes": (bytes(range(256)), "licence_malformed"),
    "large": (text() + b" " * 5_000, "licence_too_large"),
    **{f"without {name}": (text(**{name: None}), "licence_malformed") for name in FINE},
    **{f"{name} is a list": (text(**{name: []}), "licence_malformed") for name in FINE},
    "version is true": (signed(KEY, version=True), "licence_malformed"),
    "version is a float": (text().replace(b'"version": 1', b'"version": 1.0'), "licence_malformed"),
    "another version": (signed(KEY, version=2), "licence_unknown"),
    "another tier": (signed(KEY, tier="enterprise"), "licence_unknown"),
    "another device": (signed(KEY, device="0" * 16), "licence_of_another_key"),
    "of another key": (signed(OTHER), "licence_of_another_key"),
    "another's public key": (signed(KEY, public_key=json.loads(signed(OTHER))["public_key"]), "licence_of_another_key"),
    "issued anew": (text(issued="2027-01-01T00:00:00Z"), "licence_signature_invalid"),
    "signed by another": (text(signature=json.loads(signed(OTHER))["signature"]), "licence_signature_invalid"),
    "no signature": (text(signature=""), "licence_signature_invalid"),
    "a signature of zeros": (text(signature=base64.b64encode(bytes(64)).decode()), "licence_signature_invalid"),
    "a signature too long": (text(signature=LONG), "licence_signature_invalid"),
    "a signature of no base64": (text(signature="é" * 88), "licence_signature_invalid"),
    "signed without the domain": (
        text(signature=base64.b64encode(KEY.sign(write_canonical_bytes(FINE))).decode()),
        "licence_signature_invalid",
    ),
}


@pytest.mark.parametrize("case", BROKEN_LICENCES)
def test_a_broken_licence_is_refused_and_login_makes_another(config: Path, refused: Refused, case: str) -> None:
    content, reason = BROKEN_LICENCES[case]
    (config / "device.pem").write_bytes(GOOD)
    (config / "licence.json").write_bytes(content)
    refused(reason)
    again = device.login()
    assert (again.origin, again.id) == ("licensed", compute_key_id(KEY.public_key().public_bytes_raw()))
    assert device.require_device().id == again.id


def test_the_licence_that_these_are_made_of_is_accepted(config: Path) -> None:
    (config / "device.pem").write_bytes(GOOD)
    (config / "licence.json").write_bytes(text())
    assert device.require_device().issued == FINE["issued"]


SEED = base64.b64encode(KEY.private_bytes_raw()).decode()
BROKEN_TEXTS = {
    "blank": (" ", "injected_key_malformed"),
    "a word": ("secret", "injected_key_malformed"),
    "31 bytes": (base64.b64encode(bytes(31)).decode(), "injected_key_malformed"),
    "33 bytes": (base64.b64encode(bytes(33)).decode(), "injected_key_malformed"),
    "64 bytes": (base64.b64encode(bytes(64)).decode(), "injected_key_malformed"),
    "hex": (KEY.private_bytes_raw().hex(), "injected_key_malformed"),
    "without its end": (SEED[:-1], "injected_key_malformed"),
    "a blank in it": (SEED[:8] + " " + SEED[8:], "injected_key_malformed"),
    "two seeds": (SEED + SEED, "injected_key_malformed"),
    "no ASCII": ("é" * 44, "injected_key_malformed"),
    "a megabyte": ("A" * 2**16, "injected_key_malformed"),
    "the path of a key": ("device.pem", "injected_key_malformed"),
    "the body of a PEM": (LINES[1].decode(), "injected_key_malformed"),
    "a PEM on one line": (GOOD.decode().replace("\n", "\\n"), "injected_key_malformed"),
    "the public half": (PUBLIC.decode(), "injected_key_malformed"),
    "a password": (pem(KEY, password=b"x").decode(), "injected_key_malformed"),
    "P-256": (pem(P256).decode(), "injected_key_of_another_kind"),
}


@pytest.mark.parametrize("case", BROKEN_TEXTS)
def test_a_broken_key_of_the_environment_is_refused_and_not_told(
    config: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    content, reason = BROKEN_TEXTS[case]
    monkeypatch.setenv(device.INJECTED, content)
    error = refused(reason)
    assert len(content) < 20 or content.strip() not in str(error.to_dict())
    with pytest.raises(LoginRequiredError):
        device.login()


def test_a_full_disk_leaves_nothing_half_written(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device.logout()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(LoginRequiredError) as caught:
            device.login()
    assert caught.value.details["reason"] == "not_kept"
    assert list(config.iterdir()) == []
    assert device.login().origin == "made"
