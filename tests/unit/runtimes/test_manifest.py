"""A manifest has one form; everything else is refused, and says where."""

from __future__ import annotations

import contextlib
import json
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.manifest import (
    LIFETIME,
    MAX_MANIFEST_BYTES,
    MAX_MEMBERS,
    MAX_TOTAL_BYTES,
    Member,
    get_python_key,
    is_safe,
    parse_base_version,
    parse_manifest,
    render_manifest,
)
from tests.simulators.bundles import CONTRACT, canonical, fields, listed, manifest

ISSUED = datetime(2031, 1, 1, tzinfo=UTC)
KERNELS = "kernels/service_nb_kernels/"


def rendered(**changes: Any) -> bytes:
    told: dict[str, Any] = {
        "version": "0.3.0",
        "platform": "linux-x64",
        "python": "cp311",
        "contract_hash": CONTRACT,
        "minimum_client": "0.1.0",
        "issued": ISSUED,
        "expires": datetime(2032, 1, 1, tzinfo=UTC),
        "members": [Member(**member) for member in listed()],
    }
    return render_manifest(**(told | changes))


def refusal(content: bytes) -> RuntimeProvisionError:
    with pytest.raises(RuntimeProvisionError) as caught:
        parse_manifest(content)
    assert caught.value.code == "runtime_provision_failed"
    assert caught.value.reason == "manifest_malformed"
    return caught.value


def with_member(**changes: Any) -> bytes:
    return manifest(members=[{"path": KERNELS + "a.py", "sha256": "0" * 64, "size": 1} | changes])


def with_paths(*paths: str) -> bytes:
    return manifest(members=[{"path": path, "sha256": "0" * 64, "size": 1} for path in paths])


def test_what_is_rendered_is_what_another_writer_of_canonical_json_writes() -> None:
    assert rendered() == manifest()


def test_what_is_rendered_reads_back() -> None:
    met = parse_manifest(rendered())
    assert (met.version, met.platform, met.python, met.contract_hash) == ("0.3.0", "linux-x64", "cp311", CONTRACT)
    assert (met.issue_date, met.expiry_date) == (ISSUED, datetime(2032, 1, 1, tzinfo=UTC))
    assert list(msgspec.to_builtins(met.members)) == listed()
    assert met.content == rendered()


def test_the_order_in_which_members_are_given_does_not_matter() -> None:
    assert rendered(members=[Member(**member) for member in reversed(listed())]) == rendered()


def test_a_date_in_another_zone_is_the_same_date() -> None:
    assert rendered(issued=ISSUED.astimezone(timezone(timedelta(hours=-7)))) == rendered()


@pytest.mark.parametrize("change", [{"version": "0.3"}, {"members": []}, {"expires": ISSUED}])
def test_what_no_reader_takes_is_not_rendered(change: dict[str, Any]) -> None:
    with pytest.raises(RuntimeProvisionError) as caught:
        rendered(**change)
    assert caught.value.reason == "manifest_malformed"


@pytest.mark.parametrize(
    ("version", "is_development"), [("0.1.0", False), ("0.1.0+dev", True), ("12.0.345", False), ("999999.0.0", False)]
)
def test_versions(version: str, is_development: bool) -> None:
    met = parse_manifest(manifest(version=version))
    assert met.is_development is is_development
    assert met.bundle_name == f"service-nb-runtime-{version}-linux-x64-cp311.tar"


@pytest.mark.parametrize("python", ["cp311", "cp39", "cp314t"])
def test_interpreters(python: str) -> None:
    assert parse_manifest(manifest(python=python)).python == python


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", "0.3"),
        ("version", "0.3.0.1"),
        ("version", "0.03.0"),
        ("version", "0.3.0 "),
        ("version", "0.3.0\n"),
        ("version", "0.3.0-rc1"),
        ("version", "0.3.0+local"),
        ("version", "0.3.0+dev+dev"),
        ("version", "0.3.1000000"),
        ("version", "\u0660.\u0663.\u0660"),
        ("version", "../0.3.0"),
        ("version", 3),
        ("version", None),
        ("version", ""),
        ("platform", "linux"),
        ("platform", "linux-x64/.."),
        ("platform", "LINUX-x64"),
        ("python", "cp27"),
        ("python", "py3"),
        ("python", "cp311-abi3"),
        ("contract_hash", "5a" * 32),
        ("contract_hash", "sha256:" + "5A" * 32),
        ("contract_hash", "sha512:" + "5a" * 32),
        ("contract_hash", "sha256:" + "5a" * 31),
        ("minimum_client", "0.1.0+dev"),
        ("minimum_client", "1"),
        ("issued", "2031-01-01"),
        ("issued", "2031-02-30T00:00:00Z"),
        ("issued", "2031-01-01T24:00:00Z"),
        ("issued", "2031-01-01T00:00:00+00:00"),
        ("issued", "1931-01-01T00:00:00Z"),
        ("issued", 1_925_000_000),
        ("expires", "never"),
        ("expires", "2031-01-01T00:00:00Z"),
        ("expires", "2030-12-31T23:59:59Z"),
        ("expires", "2099-01-01T00:00:00Z"),
        ("format", 2),
        ("format", "1"),
        ("format", True),
        ("format", None),
        ("members", None),
        ("members", {}),
        ("members", []),
        ("members", ["kernels/service_nb_kernels/a.py"]),
    ],
)
def test_a_field_that_is_none_is_named(field: str, value: Any) -> None:
    named: str = refusal(manifest(**{field: value})).details["field"]
    assert named.partition("[")[0] == field


@pytest.mark.parametrize("field", sorted(fields()))
def test_every_field_is_needed(field: str) -> None:
    refusal(canonical({name: value for name, value in fields().items() if name != field}))


def test_no_other_field_is_taken() -> None:
    refusal(manifest(signature="none"))


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "0" * 63},
        {"sha256": "0" * 65},
        {"sha256": "A" * 64},
        {"sha256": "0" * 63 + "\n"},
        {"sha256": None},
        {"size": -1},
        {"size": True},
        {"size": "1"},
        {"size": 1.5},
        {"size": None},
        {"size": MAX_TOTAL_BYTES + 1},
        {"path": None},
        {"path": 7},
        {"mode": 493},
        {"link": "/etc/passwd"},
    ],
)
def test_a_member_is_path_digest_and_size(change: dict[str, Any]) -> None:
    assert refusal(with_member(**change)).details["field"].startswith("members[0]")


SAFE = [
    KERNELS + "a.py",
    KERNELS + "packs/finance/npv.py",
    KERNELS + "py.typed",
    KERNELS + "__init__.py",
    "wheels/numpy-2.4.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    "wheels/scipy-1.17.0+local.1-cp311-cp311-macosx_14_0_arm64.whl",
    KERNELS + "x" * 100,
]
UNSAFE = [
    "",
    ".",
    "..",
    "/",
    "a.py",
    "manifest.json",
    "manifest.json.sig",
    "installed.json",
    "/etc/passwd",
    "//server/share/x",
    "C:/x",
    "C:\\x",
    "kernels",
    "kernels/",
    "kernels/a.py",
    "kernels/other/a.py",
    "Kernels/service_nb_kernels/a.py",
    "wheels",
    "wheels/",
    "wheels/.whl",
    "wheels/a.tar.gz",
    "wheels/a/b.whl",
    "wheels/../a.whl",
    "wheels/..whl",
    KERNELS,
    KERNELS + "../a.py",
    KERNELS + "../../../../etc/cron.d/x",
    KERNELS + "a/../../b.py",
    KERNELS + "./a.py",
    KERNELS + "a//b.py",
    KERNELS + "a/",
    KERNELS + ".hidden",
    KERNELS + "...",
    KERNELS + "a.",
    KERNELS + "a ",
    KERNELS + " a",
    KERNELS + "a b",
    KERNELS + "-rf",
    KERNELS + "~root",
    KERNELS + "$HOME",
    KERNELS + "a\\b",
    KERNELS + "..\\..\\a",
    KERNELS + "a:b",
    KERNELS + "a\x00.py",
    KERNELS + "a\n.py",
    KERNELS + "a.py\n",
    KERNELS + "a\x1b[2J",
    KERNELS + "é.py",
    KERNELS + "e\u0301.py",
    KERNELS + "\u202egnp.py",
    KERNELS + "a\u2215b",
    KERNELS + "\uff0e\uff0e/a.py",
    KERNELS + "con",
    KERNELS + "NUL.py",
    KERNELS + "aux.tar.gz",
    KERNELS + "com1",
    KERNELS + "x" * 101,
    KERNELS + "/".join(["abcdefghi"] * 20),
]


@pytest.mark.parametrize("path", SAFE)
def test_a_safe_path_is_taken(path: str) -> None:
    assert is_safe(path)
    assert parse_manifest(with_member(path=path)).members[0].path == path


@pytest.mark.parametrize("path", UNSAFE, ids=ascii)
def test_a_path_that_could_mean_something_else_is_refused(path: str) -> None:
    assert not is_safe(path)
    assert refusal(with_member(path=path)).details["field"].startswith("members[0]")


@given(st.text(max_size=40))
def test_a_safe_path_stays_below_its_folder_whatever_stands_in_it(text: str) -> None:
    path = KERNELS + text
    if is_safe(path):
        folder = Path("/data/bundle")
        met = Path(f"{folder}/{path}")
        assert met.is_relative_to(folder)
        assert ".." not in met.parts
        assert met.as_posix() == f"{folder}/{path}"


@pytest.mark.parametrize(
    "paths",
    [
        ("a.py", "a.py"),
        ("b.py", "a.py"),
        ("A.py", "a.py"),
        ("Packs/a.py", "packs/b.py"),
        ("a", "a/b.py"),
        ("A", "a/b.py"),
        ("a/b", "a/b/c"),
        ("p/q/X/a", "p/q/x/b"),
    ],
)
def test_two_paths_that_some_file_system_cannot_tell_apart_are_refused(paths: tuple[str, str]) -> None:
    assert refusal(with_paths(*(KERNELS + path for path in paths))).details["field"] == "members"


def test_files_beside_a_folder_of_like_name_are_taken() -> None:
    paths = sorted(KERNELS + path for path in ("a.py", "a/b.py", "a/c.py", "ab.py"))
    assert [member.path for member in parse_manifest(with_paths(*paths)).members] == paths


def test_numbers_and_sizes_are_limited() -> None:
    many = [f"{KERNELS}f{number:05}" for number in range(MAX_MEMBERS + 1)]
    assert len(parse_manifest(with_paths(*many[:-1])).members) == MAX_MEMBERS
    assert refusal(with_paths(*many)).details["field"] == "members"
    half = [{"path": f"wheels/{name}.whl", "sha256": "0" * 64, "size": MAX_TOTAL_BYTES // 2 + 1} for name in "ab"]
    assert refusal(manifest(members=half)).details["field"] == "members"


def test_a_manifest_beyond_its_size_is_refused_before_it_is_read() -> None:
    assert refusal(b" " * (MAX_MANIFEST_BYTES + 1)).details["field"] == "manifest"


SOUND = manifest()
OTHER_FORMS: dict[str, bytes] = {
    "empty": b"",
    "null": b"null",
    "a list": b"[]",
    "a number": b"1",
    "a text": b'"manifest"',
    "spaces": json.dumps(fields(), sort_keys=True).encode(),
    "another order": json.dumps(dict(reversed(fields().items())), separators=(",", ":")).encode(),
    "a line end": SOUND + b"\n",
    "a space before": b" " + SOUND,
    "a byte order mark": b"\xef\xbb\xbf" + SOUND,
    "UTF-16": SOUND.decode().encode("utf-16"),
    "no UTF-8": SOUND.replace(b"linux", b"lin\xff\xfe"),
    "a NUL at the end": SOUND + b"\0",
    "two documents": SOUND + SOUND,
    "truncated": SOUND[:-1],
    "a field twice": SOUND.replace(b'"format":1', b'"format":1,"format":1'),
    "a member's field twice": SOUND.replace(b'"size":0', b'"size":0,"size":0', 1),
    "an escape that need not be": SOUND.replace(b"linux", b"l\\u0069nux"),
    "a float for an integer": SOUND.replace(b'"format":1', b'"format":1.0'),
    "an exponent": SOUND.replace(b'"size":0', b'"size":0e0', 1),
    "minus zero": SOUND.replace(b'"size":0', b'"size":-0', 1),
    "a leading zero": SOUND.replace(b'"size":0', b'"size":00', 1),
    "NaN": SOUND.replace(b'"size":0', b'"size":NaN', 1),
    "too large for a double": SOUND.replace(b'"size":0', b'"size":1e999', 1),
    "a size of 2**64": SOUND.replace(b'"size":0', b'"size":18446744073709551616', 1),
    "ten thousand digits": SOUND.replace(b'"size":0', b'"size":' + b"9" * 10_000, 1),
    "a lone surrogate": SOUND.replace(b"linux", b"\\ud800"),
    "a comment": SOUND.replace(b'"format"', b'/**/"format"'),
    "deep": b'{"members":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "deep objects": b'{"members":' * 2_000 + b"1" + b"}" * 2_000,
}


@pytest.mark.parametrize("content", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_another_form_of_the_same_is_refused(content: bytes) -> None:
    assert content != SOUND
    refusal(content)


@given(st.integers(0, len(SOUND) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused_or_changes_what_is_read(place: int, change: int) -> None:
    content = bytearray(SOUND)
    content[place] ^= change
    with contextlib.suppress(RuntimeProvisionError):
        assert parse_manifest(bytes(content)) != parse_manifest(SOUND)


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_crash(content: bytes) -> None:
    refusal(content)


def test_a_refusal_shows_hostile_text_without_control_characters() -> None:
    fault = refusal(manifest(platform="\x1b]0;owned\x07" * 50))
    assert fault.message.isprintable()
    assert len(fault.message) < 200


@pytest.mark.parametrize(
    ("lower", "higher"), [("0.1.0", "0.1.1"), ("0.9.0", "0.10.0"), ("0.99.99", "1.0.0"), ("0.1.0+dev", "0.2.0")]
)
def test_versions_order_by_their_numbers(lower: str, higher: str) -> None:
    assert parse_base_version(lower) < parse_base_version(higher)


@pytest.mark.parametrize("version", ["0.2.0", "0.2.0+dev", "0.2.0rc1", "0.2.0.dev3"])
def test_what_follows_the_numbers_does_not_order(version: str) -> None:
    assert parse_base_version(version) == (0, 2, 0)


@pytest.mark.parametrize("version", ["", "1", "1.2", "v1.2.3", "1.2.1234567", "01.2.3", "one"])
def test_a_version_without_three_numbers_is_refused(version: str) -> None:
    with pytest.raises(RuntimeProvisionError) as caught:
        parse_base_version(version)
    assert caught.value.reason == "manifest_malformed"


def test_this_interpreter_has_a_key_that_manifests_take() -> None:
    assert get_python_key().startswith(f"cp{sys.version_info.major}{sys.version_info.minor}")
    assert parse_manifest(manifest(python=get_python_key())).python == get_python_key()


def test_a_lifetime_has_an_end() -> None:
    assert parse_manifest(rendered(expires=ISSUED + LIFETIME)).expiry_date == ISSUED + LIFETIME
    with pytest.raises(RuntimeProvisionError):
        rendered(expires=ISSUED + LIFETIME + timedelta(seconds=1))
