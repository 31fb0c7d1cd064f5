"""The device key: what it is, how it is made, and when it is looked at again."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from service_nb.client import user_keys as device
from service_nb.core.canonical import write_canonical_bytes
from service_nb.errors import LoginRequiredError

# RFC 8032, section 7.1, test 2: a seed, its public key, and the signature of the byte 0x72.
SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
PUBLIC = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
SIGNATURE = bytes.fromhex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path))
    monkeypatch.delenv(device.INJECTED, raising=False)
    return tmp_path / "config"


def test_before_the_login_there_is_no_device_and_nothing_on_the_disk(tmp_path: Path) -> None:
    assert device.find_device() is None
    with pytest.raises(LoginRequiredError) as caught:
        device.require_device()
    assert (caught.value.code, caught.value.source) == ("login_required", "service")
    assert caught.value.details["reason"] == "no_key"
    assert "service-nb login" in (caught.value.hint or "")
    assert "%service_login" in (caught.value.hint or "")
    assert device.logout() == ()
    assert list(tmp_path.iterdir()) == []


def test_login_makes_a_key_that_is_kept(config: Path) -> None:
    made = device.login()
    assert made.origin == "made"
    assert re.fullmatch(r"[0-9a-f]{16}", made.id)
    assert {path.name for path in config.iterdir()} == {"device.pem", "licence.json"}
    kept = device.require_device()
    assert (kept.id, kept.public_key, kept.issued, kept.origin) == (made.id, made.public_key, made.issued, "kept")


def test_a_second_login_changes_nothing(config: Path) -> None:
    first = device.login()
    before = {path.name: path.read_bytes() for path in config.iterdir()}
    second = device.login()
    assert (second.origin, second.id) == ("kept", first.id)
    assert {path.name: path.read_bytes() for path in config.iterdir()} == before


def test_the_key_is_pkcs8_and_its_id_is_of_the_public_key(config: Path) -> None:
    made = device.login()
    public = load_pem_private_key((config / "device.pem").read_bytes(), password=None).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert made.id == hashlib.sha256(der).hexdigest()[:16]
    assert base64.b64decode(made.public_key) == public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def test_the_licence_is_signed_by_the_key_over_the_rest_of_it(config: Path) -> None:
    made = device.login()
    licence = json.loads((config / "licence.json").read_bytes())
    signature = base64.b64decode(licence.pop("signature"))
    assert licence == {
        "version": 1,
        "tier": "developer",
        "device": made.id,
        "public_key": made.public_key,
        "issued": made.issued,
    }
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(made.public_key))
    public.verify(signature, b"service:licence:v1\0" + write_canonical_bytes(licence))


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_what_is_kept_is_for_its_user_alone(config: Path, mask: int) -> None:
    config.parent.chmod(0o755)
    before = os.umask(mask)
    try:
        device.login()
    finally:
        os.umask(before)
    assert config.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in config.iterdir()} == {0o600}


def test_a_signature_is_that_of_the_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(device.INJECTED, base64.b64encode(SEED).decode())
    assert device.require_device().sign(b"\x72") == SIGNATURE
    assert base64.b64decode(device.require_device().public_key) == PUBLIC


def test_a_key_from_the_environment_is_never_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(device.INJECTED, base64.b64encode(SEED).decode())
    found = device.login()
    assert (found.origin, found.issued, found.to_dict()["files"]) == ("environment", None, [])
    assert found == device.require_device()
    assert device.logout() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_key_from_the_environment_may_be_the_pem_of_another_machine(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = device.login()
    text = (config / "device.pem").read_text(encoding="ascii")
    device.logout()
    for injected in (text, text.strip(), f"\n  {text}\n"):
        monkeypatch.setenv(device.INJECTED, injected)
        assert device.require_device().id == made.id


def test_a_key_from_the_environment_goes_before_the_one_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = device.login()
    monkeypatch.setenv(device.INJECTED, base64.b64encode(SEED).decode())
    assert device.require_device().id != kept.id
    monkeypatch.setenv(device.INJECTED, "")
    assert device.require_device().id == kept.id


def test_logout_removes_both_and_what_was_left_over_and_nothing_else(config: Path) -> None:
    first = device.login()
    (config / ".device.pem.abc").write_text("left by a login that was killed", encoding="utf-8")
    (config / "bundle-signing-key.pem").write_text("another key", encoding="utf-8")
    assert device.logout() == ("device.pem", ".device.pem.abc", "licence.json")
    assert [path.name for path in config.iterdir()] == ["bundle-signing-key.pem"]
    assert device.find_device() is None
    assert device.login().id != first.id


def test_logout_removes_the_folder_that_login_made(config: Path) -> None:
    device.login()
    assert device.logout() == ("device.pem", "licence.json")
    assert not config.exists()


def test_a_licence_that_is_missing_is_made_anew_for_the_same_key(config: Path) -> None:
    first = device.login()
    (config / "licence.json").unlink()
    with pytest.raises(LoginRequiredError) as caught:
        device.require_device()
    assert caught.value.details["reason"] == "licence_missing"
    again = device.login()
    assert (again.origin, again.id) == ("licensed", first.id)
    assert device.require_device().id == first.id


def test_a_device_that_was_found_is_looked_at_again_when_its_files_change(config: Path) -> None:
    first = device.login()
    assert device.require_device() is device.require_device()
    device.logout()
    second = device.login()
    assert device.require_device().id == second.id != first.id
    licence = (config / "licence.json").read_bytes()
    (config / "licence.json").write_bytes(licence.replace(b"developer", b"developed"))
    with pytest.raises(LoginRequiredError):
        device.require_device()


def test_another_home_has_another_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = device.login()
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "other"))
    assert device.find_device() is None
    second = device.login()
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path))
    assert device.require_device().id == first.id != second.id


def test_a_home_that_is_relative_is_found_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_HOME", "kept")
    monkeypatch.chdir(tmp_path)
    made = device.login()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert device.find_device() is None
    monkeypatch.chdir(tmp_path)
    assert device.require_device().id == made.id


def test_the_secret_is_in_no_text_of_a_device(config: Path) -> None:
    made = device.login()
    pem = (config / "device.pem").read_text(encoding="ascii")
    secret = pem.splitlines()[1]
    assert secret not in f"{made!r} {made} {made.to_dict()}"
    assert str(config) not in str(made.to_dict())
