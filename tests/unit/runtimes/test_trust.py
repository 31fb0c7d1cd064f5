"""A bundle comes from whom it says, for here and for now; and this machine's own key is for this machine."""

from __future__ import annotations

import base64
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA512
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

import service_nb
from service_nb.core.own_files import Folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import trust
from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import Reason, get_python_key
from service_nb.runtimes.trust import (
    FLOOR,
    REVOKED,
    SIGNING_KEY,
    BundleTerms,
    HighestVersion,
    Key,
    SignedManifest,
    find_development_key,
    find_trusted_keys,
    load_development_key,
    make_key,
    sign,
    verify_manifest,
    verify_signature,
)
from tests.simulators.bundles import (
    CONTRACT,
    NOW,
    canonical,
    key_id,
    manifest,
    private_key,
    raw_signature,
    signature,
    terms,
)

CONTENT = manifest()
SHORT = 2_048


def reason_of(call: Callable[[], object]) -> str:
    with pytest.raises(RuntimeProvisionError) as caught:
        call()
    assert caught.value.code == "runtime_provision_failed"
    return caught.value.reason


def reason(signed: bytes, content: bytes = CONTENT, **changes: Any) -> str:
    return reason_of(lambda: verify_manifest(content, signed, terms(**changes)))


def check(content: bytes, key: str = "release", **changes: Any) -> SignedManifest:
    return verify_manifest(content, signature(content, key), terms(**changes))


def signed_by(raw: bytes, **changes: Any) -> bytes:
    return signature(CONTENT, **({"signature": base64.b64encode(raw).decode()} | changes))


@pytest.fixture
def own(tmp_path: Path) -> Folders:
    return Folders(*(tmp_path / name for name in ("config", "data", "cache", "run")))


@pytest.fixture
def kept(own: Folders) -> Path:
    """A key of this machine, put where it is kept."""
    own.config.mkdir(mode=0o700)
    path = own.config / SIGNING_KEY
    path.write_bytes(pem("machine"))
    path.chmod(0o600)
    return path


def pem(name: str, bits: int = 4_096) -> bytes:
    return private_key(name, bits).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


# --- signatures ---------------------------------------------------------------------------------------------------


def test_what_is_signed_verifies_and_names_its_key() -> None:
    key = make_key(private_key().public_key())
    assert verify_signature(CONTENT, sign(CONTENT, private_key()), keys=[key], revoked=REVOKED) == key


def test_a_signature_is_the_same_bytes_each_time_and_in_one_form() -> None:
    assert sign(CONTENT, private_key()) == sign(CONTENT, private_key()) == signature(CONTENT)


def test_openssl_accepts_our_signature_and_we_accept_its(tmp_path: Path) -> None:
    # Where there is no such program, the library that it is made of says the same.
    public = tmp_path / "public.pem"
    public.write_bytes(private_key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    (tmp_path / "manifest.json").write_bytes(CONTENT)
    raw = base64.b64decode(json.loads(sign(CONTENT, private_key()))["signature"])
    (tmp_path / "raw").write_bytes(raw)
    try:
        run = subprocess.run(
            [
                "openssl",
                "dgst",
                "-sha256",
                "-verify",
                public,
                "-signature",
                tmp_path / "raw",
                tmp_path / "manifest.json",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        assert raw == raw_signature(CONTENT, private_key())
    else:
        assert (run.returncode, run.stdout.strip()) == (0, "Verified OK")


def test_the_id_of_a_key_is_made_of_the_key() -> None:
    key = private_key().public_key()
    other = private_key("machine").public_key()
    assert make_key(key).key_id == key_id() != make_key(other).key_id
    assert len(key_id()) == 16


ALGORITHMS = ["none", "None", "", "HS256", "RS384", "RS512", "PS256", "ES256", "EdDSA", "rs256", "RS256 ", "RS256\x00"]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=ascii)
def test_another_algorithm_is_refused_even_over_a_true_signature(algorithm: str) -> None:
    assert reason(signature(CONTENT, algorithm=algorithm)) == "algorithm_refused"


@pytest.mark.parametrize(
    "raw",
    [
        lambda: raw_signature(CONTENT, private_key(), SHA512()),
        lambda: raw_signature(CONTENT, private_key(), SHA1()),
        lambda: private_key().sign(CONTENT, PSS(MGF1(SHA256()), 32), SHA256()),
        lambda: raw_signature(CONTENT, private_key("machine")),
        lambda: raw_signature(CONTENT + b" ", private_key()),
        lambda: raw_signature(b"", private_key()),
        lambda: bytes(512),
        lambda: b"\xff" * 512,
        lambda: bytes(511) + b"\1",
    ],
    ids=["SHA-512", "SHA-1", "PSS", "another key", "other content", "nothing", "zeros", "ones", "one"],
)
def test_a_signature_of_something_else_is_refused(raw: Callable[[], bytes]) -> None:
    assert reason(signed_by(raw())) == "signature_invalid"


def test_a_signature_keyed_with_the_public_key_is_no_signature() -> None:
    # The swap that broke readers of tokens: HMAC under the text of the public key, by the name of RS256 or its own.
    import hmac

    public = private_key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    mac = base64.b64encode(hmac.digest(public, CONTENT, "sha256")).decode()
    assert reason(signature(CONTENT, algorithm="HS256", signature=mac)) == "algorithm_refused"
    assert reason(signature(CONTENT, signature=mac)) == "signature_malformed"


SOUND = signature(CONTENT)
TEXT = json.loads(SOUND)["signature"]
MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "raw bytes": base64.b64decode(TEXT),
    "a list": b"[]",
    "null": b"null",
    "a token": b"eyJhbGciOiJub25lIn0.e30.",
    "PEM": b"-----BEGIN SIGNATURE-----\n",
    "spaces": json.dumps(json.loads(SOUND)).encode(),
    "a line end": SOUND + b"\n",
    "two": SOUND + SOUND,
    "truncated": SOUND[:-2],
    "no UTF-8": SOUND.replace(b"RS256", b"RS\xff56"),
    "too large": SOUND[:-1] + b" " * 4_096 + b"}",
    "deep": b'{"algorithm":' + b"[" * 400 + b"]" * 400 + b"}",
    "the algorithm twice": SOUND.replace(b'"algorithm":"RS256"', b'"algorithm":"none","algorithm":"RS256"'),
    "a certificate chain": signature(CONTENT, x5c=["MII"]),
    "a key of its own": signature(CONTENT, jwk={"kty": "RSA"}),
    "no algorithm": canonical({"key_id": key_id(), "signature": TEXT}),
    "no key": canonical({"algorithm": "RS256", "signature": TEXT}),
    "no signature": canonical({"algorithm": "RS256", "key_id": key_id()}),
    "an algorithm that is a list": signature(CONTENT, algorithm=["RS256"]),
    "an algorithm that is null": signature(CONTENT, algorithm=None),
    "a key id that is a number": signature(CONTENT, key_id=7),
    "a signature that is null": signature(CONTENT, signature=None),
    "an empty signature": signature(CONTENT, signature=""),
    "no base64": signature(CONTENT, signature="%" * 684),
    "base64 for addresses": signature(CONTENT, signature=TEXT[:-4] + "-_-_"),
    "base64 in lines": signature(CONTENT, signature=TEXT[:76] + "\n" + TEXT[76:]),
    "base64 without padding": signature(CONTENT, signature=TEXT.rstrip("=")),
    "base64 with other spare bits": signature(CONTENT, signature=base64.b64encode(bytes(512)).decode()[:-2] + "B="),
    "a byte less": signature(CONTENT, signature=base64.b64encode(base64.b64decode(TEXT)[:-1]).decode()),
    "a zero before": signature(CONTENT, signature=base64.b64encode(b"\0" + base64.b64decode(TEXT)).decode()),
    "a zero after": signature(CONTENT, signature=base64.b64encode(base64.b64decode(TEXT) + b"\0").decode()),
    "hex": signature(CONTENT, signature=base64.b64decode(TEXT).hex()),
}


@pytest.mark.parametrize("signed", MALFORMED.values(), ids=MALFORMED)
def test_a_signature_file_has_one_form(signed: bytes) -> None:
    assert reason(signed) == "signature_malformed"


def test_the_form_is_looked_at_before_the_algorithm_and_the_algorithm_before_the_key() -> None:
    assert reason(signature(CONTENT, algorithm="none", key_id=7)) == "signature_malformed"
    assert reason(signature(CONTENT, algorithm="none", key_id="0" * 16, signature="")) == "algorithm_refused"
    assert reason(signature(CONTENT, key_id="0" * 16)) == "key_unknown"


@pytest.mark.parametrize("asked", ["0" * 16, "", "*", "../release", "None"])
def test_an_unknown_key_is_refused(asked: str) -> None:
    assert reason(signature(CONTENT, key_id=asked)) == "key_unknown"


def test_a_key_that_names_itself_as_a_trusted_one_does_not_verify() -> None:
    assert reason(signature(CONTENT, "stranger")) == "key_unknown"
    assert reason(signature(CONTENT, "stranger", key_id=key_id("release"))) == "signature_invalid"


def test_the_id_of_a_key_counts_as_it_is_spelled() -> None:
    assert reason(signature(CONTENT, key_id=key_id()[:-1])) == "key_unknown"
    assert reason(signature(CONTENT, key_id=key_id().swapcase() + " ")) == "key_unknown"


def test_a_revoked_key_is_refused_whether_it_is_still_listed_or_not() -> None:
    revoked = frozenset({key_id()})
    assert reason(SOUND, revoked=revoked) == "key_revoked"
    assert reason(SOUND, revoked=revoked, keys=()) == "key_revoked"


def test_without_any_key_nothing_is_trusted() -> None:
    assert reason(SOUND, keys=()) == "key_unknown"


def test_a_short_key_is_refused_even_if_somebody_lists_it() -> None:
    short = private_key("short", SHORT)
    signed = canonical(
        {
            "algorithm": "RS256",
            "key_id": key_id("short", SHORT),
            "signature": base64.b64encode(bytes(256) + raw_signature(CONTENT, short)).decode(),
        }
    )
    assert reason(signed, keys=(make_key(short.public_key()),)) == "key_too_short"


def test_every_bit_of_a_signature_counts() -> None:
    raw = base64.b64decode(TEXT)
    for bit in range(0, 4_096, 61):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        assert reason(signed_by(bytes(changed))) == "signature_invalid"


def test_every_byte_of_a_manifest_counts_and_none_is_read_before_the_signature_holds() -> None:
    for place in range(0, len(CONTENT), 17):
        changed = bytearray(CONTENT)
        changed[place] ^= 1
        assert reason(SOUND, bytes(changed)) == "signature_invalid"
    assert reason(SOUND, b"") == "signature_invalid"


# --- terms --------------------------------------------------------------------------------------------------------


def test_a_sound_manifest_is_accepted_with_the_key_that_vouches_for_it() -> None:
    met = check(CONTENT)
    assert met.manifest.content == CONTENT
    assert (met.manifest.version, met.key.key_id) == ("0.3.0", key_id())
    assert not met.key.is_development


def test_terms_are_those_of_this_machine_unless_told_otherwise() -> None:
    met = BundleTerms(keys=(), contract_hash=CONTRACT)
    assert (met.platform, met.python, met.client) == (get_platform_key(), get_python_key(), service_nb.__version__)
    assert (met.floor, met.revoked, met.highest) == (FLOOR, REVOKED, None)
    assert datetime.now(UTC) - met.now < timedelta(hours=1)


def test_a_signed_manifest_that_is_malformed_is_refused_after_its_signature() -> None:
    content = manifest(version="1")
    assert reason(signature(content), content) == "manifest_malformed"
    assert reason(signature(content, "stranger"), content) == "key_unknown"


DEVELOPMENT = manifest(version="0.3.0+dev")


def test_the_key_of_the_machine_signs_development_versions_only_and_no_other_key_does() -> None:
    assert check(DEVELOPMENT, "machine").key.is_development
    assert reason(signature(CONTENT, "machine")) == "key_not_for_version"
    assert reason(signature(DEVELOPMENT), DEVELOPMENT) == "key_not_for_version"


def test_another_machines_key_is_trusted_nowhere_else() -> None:
    assert reason(signature(DEVELOPMENT, "stranger"), DEVELOPMENT) == "key_unknown"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2030-12-30T23:59:59", "manifest_not_yet_valid"),
        ("1970-01-01T00:00:00", "manifest_not_yet_valid"),
        ("2032-01-01T00:00:00", "manifest_expired"),
        ("2099-01-01T00:00:00", "manifest_expired"),
    ],
)
def test_a_manifest_has_its_time(now: str, expected: str) -> None:
    assert reason(SOUND, now=datetime.fromisoformat(now).replace(tzinfo=UTC)) == expected


@pytest.mark.parametrize("now", ["2030-12-31T00:00:00", "2031-01-01T00:00:00", "2031-12-31T23:59:59"])
def test_clocks_may_differ_by_a_day(now: str) -> None:
    assert check(CONTENT, now=datetime.fromisoformat(now).replace(tzinfo=UTC)).manifest.version == "0.3.0"


@pytest.mark.parametrize("version", ["0.0.0", "0.0.9", "0.0.999999", "0.0.1+dev"])
def test_below_the_floor_nothing_is_accepted(version: str) -> None:
    content = manifest(version=version)
    signed = signature(content, "machine" if version.endswith("+dev") else "release")
    assert reason(signed, content) == "version_rolled_back"


def test_the_floor_is_part_of_the_package_and_forgets_nothing() -> None:
    assert FLOOR == "0.1.0"
    content = manifest(version="0.1.0")
    assert check(content, highest=None).manifest.version == "0.1.0"
    assert reason(signature(content), content, floor="0.2.0") == "version_rolled_back"


@pytest.mark.parametrize("highest", ["0.3.1", "0.10.0", "1.0.0", "0.3.1+dev"])
def test_what_is_lower_than_what_was_here_before_is_refused(highest: str) -> None:
    assert reason(SOUND, highest=HighestVersion(highest, key_id())) == "version_rolled_back"


@pytest.mark.parametrize("highest", ["0.1.0", "0.2.9", "0.3.0", "0.3.0+dev"])
def test_the_same_version_may_come_again_and_a_checkout_of_it_counts_as_equal(highest: str) -> None:
    assert check(CONTENT, highest=HighestVersion(highest, key_id())).manifest.version == "0.3.0"
    assert check(DEVELOPMENT, "machine", highest=HighestVersion(highest, key_id())).manifest.version == "0.3.0+dev"


def test_a_mark_that_a_revoked_key_has_set_keeps_nothing_out() -> None:
    mark = HighestVersion("999999.0.0", key_id("stolen"))
    assert reason(SOUND, highest=mark) == "version_rolled_back"
    assert check(CONTENT, highest=mark, revoked=frozenset({key_id("stolen")})).manifest.version == "0.3.0"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"minimum_client": "0.3.1"}, "client_too_old"),
        ({"minimum_client": "1.0.0"}, "client_too_old"),
        ({"platform": "darwin-arm64"}, "platform_mismatch"),
        ({"platform": "linux-arm64"}, "platform_mismatch"),
        ({"python": "cp312"}, "python_mismatch"),
        ({"python": "cp311t"}, "python_mismatch"),
        ({"contract_hash": "sha256:" + "5b" * 32}, "contract_mismatch"),
    ],
)
def test_a_bundle_for_elsewhere_is_refused(change: dict[str, str], expected: str) -> None:
    content = manifest(**change)
    assert reason(signature(content), content) == expected


def test_the_client_may_be_a_candidate_of_the_version_that_is_needed() -> None:
    assert check(manifest(minimum_client="0.3.0"), client="0.3.0rc1").manifest.minimum_client == "0.3.0"


ORDER = [
    ({"expires": "2031-05-01T00:00:00Z"}, "manifest_expired"),
    ({"version": "0.0.1"}, "version_rolled_back"),
    ({"minimum_client": "9.0.0"}, "client_too_old"),
    ({"platform": "darwin-arm64"}, "platform_mismatch"),
    ({"python": "cp399"}, "python_mismatch"),
    ({"contract_hash": "sha256:" + "0" * 64}, "contract_mismatch"),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_of_several_faults_the_first_in_the_order_is_named(first: int) -> None:
    changes: dict[str, str] = {}
    for change, _ in ORDER[first:]:
        changes |= change
    content = manifest(**changes)
    assert reason(signature(content), content) == ORDER[first][1]


# --- the keys that are built in -----------------------------------------------------------------------------------


def test_the_keys_that_are_built_in_are_rsa_of_4096_bits_and_none_is_revoked(own: Folders) -> None:
    keys = find_trusted_keys(own)
    assert len({key.key_id for key in keys}) == len(trust.TRUSTED)
    assert all(key.public_key.key_size == 4_096 and not key.is_development for key in keys)
    assert all(key.public_key.public_numbers().e == 65_537 for key in keys)
    assert {key.key_id for key in keys} & REVOKED == set()


def test_a_key_that_a_release_builds_in_is_trusted(own: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    der = private_key().public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    monkeypatch.setattr(trust, "TRUSTED", (base64.b64encode(der).decode(),))
    assert check(CONTENT, keys=find_trusted_keys(own)).key == Key(key_id(), private_key().public_key())


def test_a_key_of_another_kind_cannot_be_built_in(own: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    monkeypatch.setattr(trust, "TRUSTED", (base64.b64encode(der).decode(),))
    with pytest.raises(TypeError):
        find_trusted_keys(own)


# --- the key of this machine --------------------------------------------------------------------------------------


def test_asking_what_is_trusted_makes_no_key_and_no_folder(own: Folders, tmp_path: Path) -> None:
    assert find_development_key(own) is None
    assert find_trusted_keys(own) == ()
    assert list(tmp_path.iterdir()) == []


def test_the_first_build_makes_a_key_for_its_user_alone_and_keeps_it(own: Folders) -> None:
    made = load_development_key(own)
    path = own.config / SIGNING_KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(own.config.stat().st_mode) == 0o700
    assert [each.name for each in own.config.iterdir()] == [SIGNING_KEY]
    assert made.key_size == 4_096
    again = load_development_key(own)
    assert again.private_numbers() == made.private_numbers()
    (key,) = find_trusted_keys(own)
    assert key.is_development
    assert key.key_id == make_key(made.public_key()).key_id


@pytest.mark.slow
def test_several_that_build_for_the_first_time_at_once_end_with_one_key(own: Folders) -> None:
    code = (
        "import sys; from pathlib import Path; from service_nb.core.own_files import find_folders\n"
        "from service_nb.runtimes.trust import load_development_key\n"
        "print(load_development_key(find_folders()).private_numbers().p)"
    )
    environment = {**os.environ, "SERVICE_HOME": str(own.config.parent), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(_: int) -> str:
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(run, range(3)))) == 1
    assert [each.name for each in own.config.iterdir()] == [SIGNING_KEY]


def test_a_key_in_a_folder_where_others_can_put_one_is_refused(own: Folders, kept: Path) -> None:
    own.config.chmod(0o770)
    assert reason_of(lambda: find_trusted_keys(own)) == "signing_key_unsafe"
    own.config.chmod(0o750)
    assert find_trusted_keys(own)[0].key_id == key_id("machine")


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o666, 0o601, 0o620])
def test_a_key_that_others_can_reach_is_refused_and_not_mended(own: Folders, kept: Path, mode: int) -> None:
    kept.chmod(mode)
    assert reason_of(lambda: load_development_key(own)) == "signing_key_unsafe"
    assert reason_of(lambda: find_trusted_keys(own)) == "signing_key_unsafe"
    assert stat.S_IMODE(kept.stat().st_mode) == mode


def test_a_key_that_is_a_link_is_never_followed(own: Folders, kept: Path) -> None:
    kept.rename(kept.with_name("elsewhere.pem"))
    kept.symlink_to("elsewhere.pem")
    assert reason_of(lambda: find_development_key(own)) == "signing_key_unsafe"


def test_a_link_to_nothing_is_no_place_for_a_new_key(own: Folders, tmp_path: Path) -> None:
    own.config.mkdir(mode=0o700)
    (own.config / SIGNING_KEY).symlink_to(tmp_path / "planted")
    assert reason_of(lambda: load_development_key(own)) == "signing_key_unsafe"
    assert not (tmp_path / "planted").exists()


def test_a_fifo_or_a_folder_is_no_key_and_nobody_waits_for_it(own: Folders) -> None:
    own.config.mkdir(mode=0o700)
    os.mkfifo(own.config / SIGNING_KEY, 0o600)
    assert reason_of(lambda: find_development_key(own)) == "signing_key_unsafe"
    (own.config / SIGNING_KEY).unlink()
    (own.config / SIGNING_KEY).mkdir(0o700)
    assert reason_of(lambda: find_development_key(own)) == "signing_key_unsafe"


def other_key(key: Any) -> bytes:
    content: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return content


BROKEN: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "text": lambda: b"not a key\n",
    "truncated": lambda: pem("machine")[:800],
    "a bit flipped": lambda: pem("machine").replace(b"M", b"!", 1),
    "too large": lambda: pem("machine") + b"\n" * 9_000,
    "2048 bits": lambda: pem("short", SHORT),
    "another kind": lambda: other_key(ed25519.Ed25519PrivateKey.generate()),
    "a curve": lambda: other_key(ec.generate_private_key(ec.SECP256R1())),
    "a password": lambda: private_key("machine").private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word")
    ),
    "a public key": lambda: (
        private_key("machine").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    ),
    "another exponent": lambda: other_key(rsa.generate_private_key(3, 4_096)),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_key_is_refused_and_left_as_it_is(own: Folders, kept: Path, content: Callable[[], bytes]) -> None:
    broken = content()
    kept.write_bytes(broken)
    assert reason_of(lambda: load_development_key(own)) == "signing_key_malformed"
    assert reason_of(lambda: find_trusted_keys(own)) == "signing_key_malformed"
    assert kept.read_bytes() == broken


def test_a_refusal_says_nothing_of_the_secret_or_its_place(own: Folders, kept: Path) -> None:
    kept.write_bytes(pem("machine")[:800])
    with pytest.raises(RuntimeProvisionError) as caught:
        load_development_key(own)
    told = json.dumps(caught.value.to_dict())
    assert str(own.config) not in told
    assert pem("machine")[100:140].decode() not in told
    assert caught.value.__cause__ is None


def test_a_folder_that_cannot_be_written_is_said_so(own: Folders) -> None:
    own.config.parent.joinpath("config").write_bytes(b"a file where a folder has to be")
    assert reason_of(lambda: load_development_key(own)) == "folder_unwritable"


def test_now_is_of_no_interest_to_a_key() -> None:
    assert verify_signature(CONTENT, SOUND, keys=terms(now=NOW - timedelta(days=9_000)).keys).key_id == key_id()


# --- the reasons --------------------------------------------------------------------------------------------------


def test_every_reason_is_explained_where_people_look() -> None:
    reasons = set(get_args(Reason))
    page = (Path(__file__).parents[3] / "docs" / "handbook" / "releasing.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| ", page, re.MULTILINE)) == reasons
