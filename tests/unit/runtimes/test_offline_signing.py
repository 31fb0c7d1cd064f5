"""A release is signed by a key that no build machine has: a manifest goes out, 512 bytes come back."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import trust
from service_nb.runtimes.archive import open_bundle, verify_bundle
from service_nb.runtimes.release import attach_signature, main
from service_nb.runtimes.trust import BundleTerms, make_key
from tests.simulators.bundles import (
    CONTRACT,
    FILES,
    LAST,
    head,
    key_id,
    manifest,
    members,
    packed,
    private_key,
    raw_signature,
    signature,
)

NAME = "linux-x64-cp311.json"
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
DATES = {"issued": f"{TODAY:%Y-%m-%dT%H:%M:%SZ}", "expires": f"{TODAY + timedelta(days=90):%Y-%m-%dT%H:%M:%SZ}"}
CONTENT = manifest(minimum_client="0.1.0", **DATES)
RAW = raw_signature(CONTENT, private_key())
FINISHED = packed(members(), beginning=head(CONTENT, signature(CONTENT)))


@pytest.fixture(autouse=True)
def _this_package_trusts_the_release_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    keys = [private_key(name).public_key() for name in ("older", "release")]
    ders = [key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) for key in keys]
    monkeypatch.setattr(trust, "TRUSTED", tuple(base64.b64encode(der).decode() for der in ders))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What a build machine leaves, signed by a key that is thrown away."""
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / NAME).write_bytes(CONTENT)
    (folder / f"{NAME}.sig").write_bytes(signature(CONTENT, "thrown away"))
    bundle = packed(members(), beginning=head(CONTENT, signature(CONTENT, "thrown away")))
    (folder / "service-nb-runtime-0.3.0-linux-x64-cp311.tar").write_bytes(bundle)
    return folder / NAME


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def reason_of(call: Callable[[], object]) -> str:
    with pytest.raises(RuntimeProvisionError) as caught:
        call()
    return caught.value.reason


def test_the_true_signature_takes_the_place_of_the_other(built: Path) -> None:
    path, sha256 = attach_signature(built, RAW)
    assert contents(built.parent) == {
        path.name: FINISHED,
        NAME: CONTENT,
        f"{NAME}.sig": signature(CONTENT),
        f"{NAME}.sha256": f"{hashlib.sha256(FINISHED).hexdigest()}\n".encode(),
    }
    assert sha256 == hashlib.sha256(FINISHED).hexdigest()


def test_who_trusts_the_release_key_takes_what_comes_of_it(built: Path) -> None:
    path, _ = attach_signature(built, RAW)
    terms = BundleTerms(
        keys=(make_key(private_key().public_key()),), contract_hash=CONTRACT, platform="linux-x64", python="cp311"
    )
    with open_bundle(path) as file:
        assert verify_bundle(file, terms).signed.key.key_id == key_id()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (raw_signature(CONTENT, private_key("thrown away")), "signature_invalid"),
        (raw_signature(CONTENT + b"\n", private_key()), "signature_invalid"),
        (RAW[:-1], "signature_malformed"),
        (b"", "signature_malformed"),
        (base64.b64encode(RAW), "signature_malformed"),
    ],
    ids=["another key", "another content", "a byte less", "nothing", "base64"],
)
def test_another_signature_changes_nothing(built: Path, raw: bytes, expected: str) -> None:
    before = contents(built.parent)
    assert reason_of(lambda: attach_signature(built, raw)) == expected
    assert contents(built.parent) == before


def test_an_archive_that_is_not_the_manifests_changes_nothing(built: Path) -> None:
    (archive,) = built.parent.glob("*.tar")
    archive.write_bytes(packed(members({**FILES, LAST: FILES[LAST][:-1] + b"\1"}), beginning=head(CONTENT)))
    before = contents(built.parent)
    assert reason_of(lambda: attach_signature(built, RAW)) == "member_digest"
    assert contents(built.parent) == before


def test_an_archive_with_another_manifest_changes_nothing(built: Path) -> None:
    (archive,) = built.parent.glob("*.tar")
    other = manifest(minimum_client="0.0.1", **DATES)
    archive.write_bytes(packed(members(), beginning=head(other, signature(other, "thrown away"))))
    assert reason_of(lambda: attach_signature(built, RAW)) == "signature_invalid"


def test_an_expired_manifest_is_no_release(built: Path) -> None:
    content = manifest(issued="2020-01-01T00:00:00Z", expires="2021-01-01T00:00:00Z")
    (archive,) = built.parent.glob("*.tar")
    archive.write_bytes(packed(members(), beginning=head(content, signature(content, "thrown away"))))
    built.write_bytes(content)
    assert reason_of(lambda: attach_signature(built, raw_signature(content, private_key()))) == "manifest_expired"


def test_the_key_of_a_machine_signs_no_release(built: Path, tmp_path: Path) -> None:
    own = tmp_path / "home" / "config" / "bundle-signing-key.pem"
    own.parent.mkdir(parents=True, mode=0o700)
    own.touch(mode=0o600)
    own.write_bytes(private_key("machine").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert (
        reason_of(lambda: attach_signature(built, raw_signature(CONTENT, private_key("machine"))))
        == "signature_invalid"
    )


def test_the_command_says_what_it_wrote(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = built.with_suffix(".raw")
    raw.write_bytes(RAW)
    assert main([str(built), str(raw)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "service-nb-runtime-0.3.0-linux-x64-cp311.tar"
    assert told[1].split() == ["sha256", hashlib.sha256(FINISHED).hexdigest()]
    assert told[2].split() == ["contract", CONTRACT]


@pytest.mark.parametrize("missing", ["manifest", "signature", "archive"])
def test_the_command_says_what_it_misses(built: Path, capsys: pytest.CaptureFixture[str], missing: str) -> None:
    raw = built.with_suffix(".raw")
    raw.write_bytes(RAW)
    {"manifest": built, "signature": raw, "archive": next(built.parent.glob("*.tar"))}[missing].unlink()
    assert main([str(built), str(raw)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("archive_unreadable: ")
    assert str(built.parent) not in told.err


def test_the_handbooks_commands_make_a_key_its_id_and_a_signature(built: Path) -> None:
    folder = built.parent
    pem = private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "release-1.pem").write_bytes(pem)
    if shutil.which("openssl"):

        def shell(command: str) -> str:
            run = subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True, text=True)
            return run.stdout.strip()

        identity = shell("openssl pkey -in release-1.pem -pubout -outform DER | sha256sum | cut -c1-16")
        public = shell("openssl pkey -in release-1.pem -pubout -outform DER | openssl base64 -A")
        shell(f"openssl dgst -sha256 -sign release-1.pem -out {NAME}.raw {NAME}")
        assert (identity, public) == (key_id(), trust.TRUSTED[1])
    else:  # by the library that the program is made of
        (folder / f"{NAME}.raw").write_bytes(RAW)
    assert (folder / f"{NAME}.raw").read_bytes() == RAW
    assert attach_signature(built, RAW)[0].read_bytes() == FINISHED
