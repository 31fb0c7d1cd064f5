"""Hostile bundles: refused by name, nothing unpacked, nothing outside touched, nothing started.

Each archive is made by hand, byte by byte, because no writer writes such. Each is read twice: to be unpacked, and to be
verified only, which must refuse it for the same reason. An audit hook of the interpreter sees every file that is opened
for writing, every process, socket and piece of code.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import os
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service_nb.runtimes.archive import unpack_bundle, verify_bundle
from service_nb.runtimes.manifest import MAX_MANIFEST_BYTES
from tests.simulators.bundles import (
    FILES,
    FIRST,
    LAST,
    entry,
    head,
    key_id,
    listed,
    manifest,
    members,
    packed,
    private_key,
    raw_signature,
    signature,
    signed_bundle,
    terms,
)
from tests.simulators.watching import Refused, outside, refuser, watched

Make = Callable[[], bytes]
Cases = dict[str, tuple[str, Make]]


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What loads with a first bundle is loaded; and the hook sees what a sound one writes, there and nowhere else."""
    folder = tmp_path_factory.mktemp("sound") / "bundle"
    unpack_bundle(io.BytesIO(signed_bundle()), folder, terms())
    with watched() as seen:
        unpack_bundle(io.BytesIO(signed_bundle()), folder.with_name("again"), terms())
    assert sum(event == "open" for event, _ in seen) == len(FILES) + 2
    assert outside(seen, folder.with_name("again")) == []
    with watched() as seen:
        (folder / "stray").touch()
    assert outside(seen, folder.with_name("again")) != []


@pytest.fixture
def refused(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    return refuser(tmp_path, record_property)


def spliced(place: int, *new: bytes, drop: int = 0) -> Make:
    """A bundle whose members have others put among them, or in their place."""

    def make() -> bytes:
        entries = members()
        entries[place : place + drop] = new
        return packed(entries)

    return make


def instead(*new: bytes) -> Make:
    """A bundle in which something stands in the place of its first member."""
    return spliced(0, *new, drop=1)


# --- members ------------------------------------------------------------------------------------------------------

EVIL = b"import os; os.system('touch /tmp/owned')\n"
PATHS: dict[str, tuple[str, str | bytes]] = {
    "parent": ("member_unsafe", "../evil.py"),
    "many parents": ("member_unsafe", "../../../../../../../../tmp/evil"),
    "parent inside": ("member_unsafe", "kernels/service_nb_kernels/../../../evil.py"),
    "parent at the end": ("member_unsafe", "kernels/service_nb_kernels/.."),
    "absolute": ("member_unsafe", "/etc/cron.d/evil"),
    "absolute twice": ("member_unsafe", "//etc/cron.d/evil"),
    "a drive": ("member_unsafe", "C:/evil.py"),
    "a backslash": ("member_unsafe", "..\\..\\evil.py"),
    "a share": ("member_unsafe", "\\\\server\\share\\evil"),
    "a stream": ("member_unsafe", "wheels/a.whl:evil"),
    "a home": ("member_unsafe", "~root/.profile"),
    "a variable": ("member_unsafe", "$HOME/.profile"),
    "nothing": ("member_unsafe", ""),
    "here": ("member_unsafe", "."),
    "a step here": ("member_unsafe", f"./{FIRST}"),
    "a step here inside": ("member_unsafe", FIRST.replace("/", "/./", 1)),
    "two slashes": ("member_unsafe", FIRST.replace("/", "//", 1)),
    "a slash at the end": ("member_unsafe", f"{FIRST}/"),
    "a slash before": ("member_unsafe", f"/{FIRST}"),
    "a hidden file": ("member_unsafe", "kernels/service_nb_kernels/.pth"),
    "a line end": ("member_unsafe", f"{FIRST}\n"),
    "an escape of a terminal": ("member_unsafe", "kernels/service_nb_kernels/\x1b]0;owned\x07"),
    "composed letters": ("member_unsafe", "kernels/service_nb_kernels/é.py".encode()),
    "decomposed letters": ("member_unsafe", "kernels/service_nb_kernels/e\u0301.py".encode()),
    "wide letters": ("member_unsafe", "kernels/service_nb_kernels/\uff0e\uff0e/a".encode()),
    "a letter that looks like another": ("member_unsafe", "kernels/service_nb_kern\u0435ls/a.py".encode()),
    "right to left": ("member_unsafe", "kernels/service_nb_kernels/\u202eyp.a".encode()),
    "no UTF-8": ("member_unsafe", b"kernels/service_nb_kernels/\xff\xfe.py"),
    "overlong UTF-8 of a slash": ("member_unsafe", b"kernels/service_nb_kernels/..\xc0\xaf..\xc0\xafevil"),
    "another case of the folder": ("member_unsafe", FIRST.replace("kernels/", "Kernels/", 1)),
    "another case of a wheel": ("member_unlisted", LAST.replace("beta", "BETA")),
    "another case of a kernel": ("member_unlisted", FIRST.replace("__init__", "__INIT__")),
    "a file that is not listed": ("member_unlisted", "kernels/service_nb_kernels/sitecustomize.py"),
    "a wheel that is not listed": ("member_unlisted", "wheels/evil-1.0-py3-none-any.whl"),
    "a name cut at 100": ("member_unlisted", "kernels/service_nb_kernels/" + "a" * 73),
    "a file above the kernels": ("member_unsafe", "usercustomize.py"),
    "a path file": ("member_unsafe", "wheels/evil.pth"),
    "what an installation writes": ("member_unsafe", "installed.json"),
    "the manifest again": ("member_duplicate", "manifest.json"),
    "the signature again": ("member_duplicate", "manifest.json.sig"),
}
KINDS: dict[str, bytes] = {
    "hard link": b"1",
    "symbolic link": b"2",
    "character device": b"3",
    "block device": b"4",
    "folder": b"5",
    "FIFO": b"6",
    "contiguous file": b"7",
    "sparse file": b"S",
    "long name": b"L",
    "long link": b"K",
    "extended header": b"x",
    "Solaris extended header": b"X",
    "global header": b"g",
    "volume label": b"V",
    "continued file": b"M",
    "dump of a folder": b"D",
    "old long name": b"N",
    "access control list": b"A",
    "old regular file": b"\0",
    "unknown kind": b"Z",
}


def pax(**records: str) -> bytes:
    """An extended header of pax."""
    content = b""
    for name, value in records.items():
        rest = f" {name.replace('_', '.')}={value}\n"
        size = len(rest) + len(str(len(rest)))
        size = len(rest) + len(str(size))
        content += f"{size}{rest}".encode()
    return entry("PaxHeaders/evil", content, kind=b"x")


FIRST_CONTENT, LAST_CONTENT = FILES[FIRST], FILES[LAST]
SECOND = sorted(FILES)[1]
TRICKS: Cases = {
    # Headers before a member that say something else of it than its own does.
    "GNU long name": (
        "member_unsafe",
        instead(entry("././@LongLink", b"../../evil\0", kind=b"L"), entry(FIRST)),
    ),
    "GNU long name without an end": (
        "member_unsafe",
        instead(entry("././@LongLink", b"", kind=b"L", size=0o77777777777), entry(FIRST)),
    ),
    "pax path": ("member_unsafe", instead(pax(path="../../evil"), entry(FIRST))),
    "pax link": ("member_unsafe", instead(pax(linkpath="/etc/passwd"), entry(FIRST, kind=b"2"))),
    "pax size": ("member_unsafe", instead(pax(size="99999999"), entry(FIRST))),
    "pax negative size": ("member_unsafe", instead(pax(size="-512"), entry(FIRST))),
    "pax sparse": ("member_unsafe", instead(pax(GNU_sparse_name="../evil", GNU_sparse_realsize="1"), entry(FIRST))),
    "pax character set": ("member_unsafe", instead(pax(hdrcharset="BINARY"), entry(FIRST))),
    "pax for all": (
        "member_unsafe",
        instead(entry("pax_global_header", b"17 path=../evil\n", kind=b"g"), entry(FIRST)),
    ),
    "pax before the end": ("member_unsafe", spliced(len(FILES), pax(path="../../evil"))),
    # Links, and files through them.
    "a link out, then a file through it": (
        "member_unsafe",
        instead(entry("kernels", kind=b"2", link=b"/tmp"), entry(FIRST)),
    ),
    "a link to itself": ("member_unsafe", instead(entry(FIRST, kind=b"2", link=FIRST.encode()))),
    "a chain of links": (
        "member_unsafe",
        instead(*(entry(f"wheels/l{n}.whl", kind=b"2", link=f"l{n + 1}.whl".encode()) for n in range(40))),
    ),
    "a hard link to a secret": ("member_unsafe", instead(entry(FIRST, kind=b"1", link=b"/etc/shadow"))),
    "a hard link to the manifest": ("member_unsafe", instead(entry(FIRST, kind=b"1", link=b"manifest.json"))),
    "a link after the last": ("member_unsafe", spliced(len(FILES), entry(LAST, kind=b"2", link=b"/etc/passwd"))),
    "a regular file with a link's name in it": (
        "archive_malformed",
        instead(entry(FIRST, link=b"/etc/passwd")),
    ),
    "a link with a content": ("member_unsafe", instead(entry(FIRST, EVIL, kind=b"2", link=b"x"))),
    # Names in other fields.
    "a prefix that leads out": ("member_unsafe", instead(entry("evil", prefix=b"../.."))),
    "an absolute prefix": ("member_unsafe", instead(entry("evil", prefix=b"/etc/cron.d"))),
    "a prefix of a slash": ("member_unsafe", instead(entry(FIRST, prefix=b"/"))),
    "a prefix that is cut elsewhere": (
        "archive_malformed",
        instead(entry(FIRST.partition("/")[2], prefix=FIRST.partition("/")[0].encode())),
    ),
    "something after the name's end": ("archive_malformed", instead(entry(FIRST.encode() + b"\0/../../evil"))),
    "a name in 255 bytes": ("member_unsafe", instead(entry("a" * 100, prefix=b"b" * 155))),
    # Again, twice, elsewhere, not at all.
    "the first again": ("member_duplicate", spliced(1, entry(FIRST, FIRST_CONTENT))),
    "the first again with another content": ("member_duplicate", spliced(1, entry(FIRST, EVIL))),
    "the last again": ("member_duplicate", spliced(len(FILES), entry(LAST, LAST_CONTENT))),
    "the first again at the end": ("member_duplicate", spliced(len(FILES), entry(FIRST, EVIL))),
    "all of it twice": ("member_duplicate", lambda: packed(members() * 2)),
    "two in each other's place": ("member_missing", lambda: packed([*members()[1::-1], *members()[2:]])),
    "from the end": ("member_missing", lambda: packed(members()[::-1])),
    "without the first": ("member_missing", spliced(0, drop=1)),
    "without the second": ("member_missing", spliced(1, drop=1)),
    "without the last": ("member_missing", spliced(len(FILES) - 1, drop=1)),
    "without any": ("member_missing", lambda: packed([])),
    "an end in the middle": ("member_missing", spliced(2, bytes(1024))),
    "an empty block in the middle": ("member_missing", spliced(2, bytes(512))),
    "one more at the end": ("member_unlisted", spliced(len(FILES), entry("wheels/z.whl", EVIL))),
    "one more in the middle": ("member_unlisted", spliced(2, entry("wheels/z.whl", EVIL))),
    "a thousand more": (
        "member_unlisted",
        spliced(len(FILES), *(entry(f"wheels/z{number}.whl", EVIL) for number in range(1_000))),
    ),
    # Sizes that are not the true ones.
    "a byte more than listed": ("member_size", spliced(1, entry(SECOND, FILES[SECOND] + b"x"), drop=1)),
    "a byte less than listed": ("member_size", spliced(1, entry(SECOND, FILES[SECOND][:-1]), drop=1)),
    "a size of zero before a content": ("member_size", spliced(1, entry(SECOND, FILES[SECOND], size=0), drop=1)),
    "a size before no content": ("member_size", instead(entry(FIRST, size=1_000_000))),
    "8 GiB": ("member_size", instead(entry(FIRST, size=0o77777777777))),
    "negative in 256": ("member_size", instead(entry(FIRST, size=b"\xff" * 12))),
    "enormous in 256": ("member_size", instead(entry(FIRST, size=b"\x80" + b"\xff" * 11))),
    "zero in 256": ("archive_malformed", instead(entry(FIRST, size=b"\x80" + bytes(11)))),
    "a minus": ("member_size", instead(entry(FIRST, size=b"-0000000001\0"))),
    "no number": ("archive_malformed", instead(entry(FIRST, size=b"evil\0" + bytes(7)))),
    "spaces": ("archive_malformed", instead(entry(FIRST, size=b"          0 "))),
    "an underscore": ("archive_malformed", instead(entry(FIRST, size=b"0000_000000\0"))),
    "no size": ("archive_malformed", instead(entry(FIRST, size=bytes(12)))),
    # Contents that are not the true ones.
    "another content": (
        "member_digest",
        spliced(1, entry(SECOND, EVIL.ljust(len(FILES[SECOND]), b"#")), drop=1),
    ),
    "zeros": ("member_digest", spliced(1, entry(SECOND, bytes(len(FILES[SECOND]))), drop=1)),
    "the last byte": ("member_digest", spliced(len(FILES) - 1, entry(LAST, LAST_CONTENT[:-1] + b"\1"), drop=1)),
    # Headers in another form.
    "a wrong checksum": ("archive_malformed", instead(entry(FIRST, checksum=b"000000\0 "))),
    "a checksum that is no number": ("archive_malformed", instead(entry(FIRST, checksum=b"evil\0\0\0\0"))),
    "a checksum without its NUL": ("archive_malformed", instead(entry(FIRST, checksum=b"  010234"))),
    "set user id": ("archive_malformed", instead(entry(FIRST, mode=b"0004755\0"))),
    "executable": ("archive_malformed", instead(entry(FIRST, mode=b"0000755\0"))),
    "an owner": ("archive_malformed", instead(entry(FIRST, uid=b"0001750\0"))),
    "a named owner": ("archive_malformed", instead(entry(FIRST, uname=b"root"))),
    "a time": ("archive_malformed", instead(entry(FIRST, mtime=b"14700000000\0"))),
    "GNU's magic": ("archive_malformed", instead(entry(FIRST, magic=b"ustar  \0"))),
    "no magic": ("archive_malformed", instead(entry(FIRST, magic=bytes(8)))),
    "noise": ("archive_malformed", instead(random.Random(4).randbytes(512))),
    # Between and after.
    "something in the padding": (
        "archive_malformed",
        lambda: packed([*members()[:1], members()[1][:-1] + b"\1", *members()[2:]]),
    ),
    "something in the last block": ("archive_malformed", lambda: packed(members(), end=bytes(1023) + b"\1")),
    "one block at the end": ("archive_truncated", lambda: packed(members(), end=bytes(512))),
    "no end": ("archive_truncated", lambda: packed(members(), end=b"")),
    "a third block at the end": ("archive_too_large", lambda: packed(members(), end=bytes(1536))),
    "the records of other writers": ("archive_too_large", lambda: packed(members(), end=bytes(10_240))),
    "a megabyte of zeros at the end": ("archive_too_large", lambda: packed(members(), end=bytes(2**20))),
    "a file after the end": (
        "archive_too_large",
        lambda: packed(members(), end=bytes(1024) + entry("../evil", EVIL) + bytes(1024)),
    ),
}


@pytest.mark.parametrize(("reason", "path"), PATHS.values(), ids=PATHS)
def test_a_member_of_another_path_is_refused(refused: Refused, reason: str, path: str | bytes) -> None:
    assert refused(instead(entry(path, EVIL))()) == reason
    assert refused(spliced(len(FILES), entry(path, EVIL))()) == reason


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_no_plain_file_is_refused_wherever_it_stands(refused: Refused, kind: bytes) -> None:
    assert refused(instead(entry(FIRST, kind=kind, link=b"/etc/passwd"))()) == "member_unsafe"
    assert refused(spliced(3, entry("wheels/new.whl", EVIL, kind=kind))()) == "member_unsafe"
    assert refused(spliced(len(FILES), entry(LAST, kind=kind, link=b"../../evil"))()) == "member_unsafe"


@pytest.mark.parametrize(("reason", "make"), TRICKS.values(), ids=TRICKS)
def test_a_trick_among_the_members_is_refused(refused: Refused, reason: str, make: Make) -> None:
    assert refused(make()) == reason


# --- manifest and signature, at the head --------------------------------------------------------------------------

CONTENT = manifest()
SIGNED = signature(CONTENT)


def begins(*entries: bytes) -> Make:
    """A bundle with another beginning."""
    return lambda: packed(members(), beginning=b"".join(entries))


def says(**changes: Any) -> Make:
    """A bundle with another manifest, which the release key has signed all the same."""
    return lambda: signed_bundle(**changes)


def says_bytes(content: Callable[[], bytes]) -> Make:
    return lambda: packed(members(), beginning=head(content()))


def signed(make: Callable[[], bytes]) -> Make:
    """A bundle with another signature file."""
    return lambda: packed(members(), beginning=head(CONTENT, make()))


def lists(**changes: Any) -> Make:
    """A bundle whose manifest says something else of its first member."""
    return says(members=[listed()[0] | changes, *listed()[1:]])


def lists_paths(*paths: str) -> Make:
    return says(members=[{"path": path, "sha256": "0" * 64, "size": 0} for path in paths])


HEADS: Cases = {
    "no manifest": ("archive_malformed", begins()),
    "no signature": ("archive_malformed", begins(entry("manifest.json", CONTENT))),
    "the signature first": (
        "archive_malformed",
        begins(entry("manifest.json.sig", SIGNED), entry("manifest.json", CONTENT)),
    ),
    "two manifests": ("archive_malformed", begins(entry("manifest.json", manifest(version="9.0.0")), head())),
    "a member first": ("archive_malformed", begins(members()[0], head())),
    "a folder first": ("archive_malformed", begins(entry("./", kind=b"5"), head())),
    "git's header first": (
        "archive_malformed",
        begins(entry("pax_global_header", b"13 comment=x\n", kind=b"g"), head()),
    ),
    "another spelling": (
        "archive_malformed",
        begins(entry("./manifest.json", CONTENT), entry("manifest.json.sig", SIGNED)),
    ),
    "another case": (
        "archive_malformed",
        begins(entry("MANIFEST.json", CONTENT), entry("manifest.json.sig", SIGNED)),
    ),
    "a manifest that is a link": (
        "archive_malformed",
        begins(entry("manifest.json", kind=b"2", link=b"/etc/passwd"), entry("manifest.json.sig", SIGNED)),
    ),
    "a manifest of the old kind": (
        "archive_malformed",
        begins(entry("manifest.json", CONTENT, kind=b"\0"), entry("manifest.json.sig", SIGNED)),
    ),
    "an executable manifest": (
        "archive_malformed",
        begins(entry("manifest.json", CONTENT, mode=b"0000755\0"), entry("manifest.json.sig", SIGNED)),
    ),
    "a manifest with a size in 256": (
        "archive_malformed",
        begins(entry("manifest.json", CONTENT, size=b"\x80" + len(CONTENT).to_bytes(11, "big"))),
    ),
    "a manifest with a negative size": (
        "archive_malformed",
        begins(entry("manifest.json", CONTENT, size=b"\xff" * 12)),
    ),
    "a manifest of 8 GiB": ("archive_too_large", begins(entry("manifest.json", CONTENT, size=0o77777777777))),
    "a manifest beyond the limit": (
        "archive_too_large",
        begins(entry("manifest.json", b" " * (MAX_MANIFEST_BYTES + 1))),
    ),
    "a signature beyond the limit": (
        "archive_too_large",
        begins(entry("manifest.json", CONTENT), entry("manifest.json.sig", SIGNED + b" " * 2_048)),
    ),
    "a manifest cut short": (
        "signature_invalid",
        begins(entry("manifest.json", CONTENT[:-1]), entry("manifest.json.sig", SIGNED)),
    ),
    "something in the manifest's padding": (
        "archive_malformed",
        begins(entry("manifest.json", CONTENT)[:-1] + b"\1", entry("manifest.json.sig", SIGNED)),
    ),
    "an empty manifest": ("signature_invalid", begins(entry("manifest.json"), entry("manifest.json.sig", SIGNED))),
    "an empty signature": ("signature_malformed", begins(entry("manifest.json", CONTENT), entry("manifest.json.sig"))),
}
SIGNATURES: Cases = {
    "algorithm none": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="none"))),
    "algorithm none and no signature": (
        "algorithm_refused",
        signed(lambda: signature(CONTENT, algorithm="none", signature="")),
    ),
    "HMAC under the public key": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="HS256"))),
    "PSS": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="PS256"))),
    "SHA-512": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="RS512"))),
    "a curve": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="ES256"))),
    "small letters": ("algorithm_refused", signed(lambda: signature(CONTENT, algorithm="rs256"))),
    "a list of algorithms": ("signature_malformed", signed(lambda: signature(CONTENT, algorithm=["RS256", "none"]))),
    "two algorithms": (
        "signature_malformed",
        signed(lambda: SIGNED.replace(b'"algorithm"', b'"algorithm":"none","algorithm"')),
    ),
    "a key of its own in it": ("signature_malformed", signed(lambda: signature(CONTENT, jwk={"kty": "RSA"}))),
    "a token": ("signature_malformed", signed(lambda: b"eyJhbGciOiJub25lIn0..")),
    "deep": ("signature_malformed", signed(lambda: b"[" * 2_000)),
    "a stranger's key": ("key_unknown", signed(lambda: signature(CONTENT, "stranger"))),
    "a stranger's key by a known name": (
        "signature_invalid",
        signed(lambda: signature(CONTENT, "stranger", key_id=key_id())),
    ),
    "a path for a key": ("key_unknown", signed(lambda: signature(CONTENT, key_id="../../dev/null"))),
    "of another manifest": ("signature_invalid", signed(lambda: signature(manifest(version="9.0.0")))),
    "of nothing": ("signature_invalid", signed(lambda: signature(b"", key_id=key_id()))),
    "zeros": (
        "signature_invalid",
        signed(lambda: signature(CONTENT, signature=base64.b64encode(bytes(512)).decode())),
    ),
    "shorter": (
        "signature_malformed",
        signed(lambda: signature(CONTENT, signature=base64.b64encode(bytes(256)).decode())),
    ),
    "this machine's key for a release": ("key_not_for_version", signed(lambda: signature(CONTENT, "machine"))),
    "a release key for a checkout": ("key_not_for_version", says(version="0.3.0+dev")),
    "another machine's key for a checkout": (
        "key_unknown",
        lambda: signed_bundle(key="stranger", version="0.3.0+dev"),
    ),
}
KERNELS = "kernels/service_nb_kernels/"
MANIFESTS: Cases = {
    "no JSON": ("manifest_malformed", says_bytes(lambda: b"\x80\x04K\x01.")),
    "YAML": ("manifest_malformed", says_bytes(lambda: b"!!python/object/apply:os.system ['id']")),
    "spaces": ("manifest_malformed", says_bytes(lambda: CONTENT.replace(b",", b", "))),
    "a line end": ("manifest_malformed", says_bytes(lambda: CONTENT + b"\n")),
    "a field twice": (
        "manifest_malformed",
        says_bytes(lambda: CONTENT.replace(b'"format":1', b'"format":1,"format":1')),
    ),
    "deep": ("manifest_malformed", says_bytes(lambda: b"[" * 100_000)),
    "a field too many": ("manifest_malformed", says(run="rm -rf /")),
    "another format": ("manifest_malformed", says(format=2)),
    "no members": ("manifest_malformed", says(members=[])),
    "5,000 members": ("manifest_malformed", lists_paths(*(f"wheels/{n:04}.whl" for n in range(5_000)))),
    "traversal": ("manifest_malformed", lists(path="../evil")),
    "traversal inside": ("manifest_malformed", lists(path=KERNELS + "../../evil")),
    "absolute": ("manifest_malformed", lists(path="/etc/passwd")),
    "a backslash": ("manifest_malformed", lists(path=KERNELS + "..\\evil")),
    "a NUL": ("manifest_malformed", lists(path=KERNELS + "a\x00")),
    "letters beyond ASCII": ("manifest_malformed", lists(path=KERNELS + "é.py")),
    "a device of Windows": ("manifest_malformed", lists(path=KERNELS + "aux.py")),
    "a path file": ("manifest_malformed", lists(path="wheels/evil.pth")),
    "the manifest itself": ("manifest_malformed", lists(path="manifest.json")),
    "a path twice": ("manifest_malformed", lists_paths(KERNELS + "a", KERNELS + "a")),
    "two cases of a path": ("manifest_malformed", lists_paths(KERNELS + "A.py", KERNELS + "a.py")),
    "two cases of a folder": ("manifest_malformed", lists_paths(KERNELS + "A/x", KERNELS + "a/y")),
    "a file that is a folder": ("manifest_malformed", lists_paths(KERNELS + "a", KERNELS + "a/b")),
    "not sorted": ("manifest_malformed", lists_paths(KERNELS + "b", KERNELS + "a")),
    "a negative size": ("manifest_malformed", lists(size=-1)),
    "a size of 2**63": ("manifest_malformed", lists(size=2**63)),
    "sizes of more than a gigabyte in all": (
        "manifest_malformed",
        says(members=[{"path": f"wheels/{n}.whl", "sha256": "0" * 64, "size": 2**29} for n in range(3)]),
    ),
    "a digest of another kind": ("manifest_malformed", lists(sha256="md5:" + "0" * 60)),
    "expired": ("manifest_expired", says(expires="2031-05-31T00:00:00Z")),
    "from the future": ("manifest_not_yet_valid", says(issued="2031-06-03T00:00:00Z")),
    "for ever": ("manifest_malformed", says(expires="9999-01-01T00:00:00Z")),
    "below the floor": ("version_rolled_back", says(version="0.0.9")),
    "for a later client": ("client_too_old", says(minimum_client="0.4.0")),
    "for another platform": ("platform_mismatch", says(platform="darwin-arm64")),
    "for another Python": ("python_mismatch", says(python="cp313")),
    "for another contract": ("contract_mismatch", says(contract_hash="sha256:" + "0" * 64)),
}


@pytest.mark.parametrize(("reason", "make"), HEADS.values(), ids=HEADS)
def test_another_head_is_refused_before_anything_is_written(refused: Refused, reason: str, make: Make) -> None:
    assert refused(make(), untouched=True) == reason


@pytest.mark.parametrize(("reason", "make"), SIGNATURES.values(), ids=SIGNATURES)
def test_another_signature_is_refused_before_anything_is_written(refused: Refused, reason: str, make: Make) -> None:
    assert refused(make(), untouched=True) == reason


@pytest.mark.parametrize(("reason", "make"), MANIFESTS.values(), ids=MANIFESTS)
def test_a_hostile_manifest_is_refused_even_if_it_is_signed(refused: Refused, reason: str, make: Make) -> None:
    assert refused(make(), untouched=True) == reason


# --- what is no such archive --------------------------------------------------------------------------------------

SOUND = signed_bundle()


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("../evil", EVIL)
    return stream.getvalue()


def with_bytes(place: int, new: bytes, bundle: bytes = SOUND) -> Make:
    return lambda: bundle[:place] + new + bundle[place + len(new) :]


FRAMES: Cases = {
    "nothing": ("archive_truncated", lambda: b""),
    "a byte": ("archive_truncated", lambda: b"m"),
    "a part of a header": ("archive_truncated", lambda: SOUND[:300]),
    "a header only": ("archive_truncated", lambda: SOUND[:512]),
    "zeros": ("archive_malformed", lambda: bytes(10_240)),
    "text": ("archive_malformed", lambda: b"<!DOCTYPE html><title>404</title>".ljust(4_000)),
    "a script": ("archive_malformed", lambda: b"#!/bin/sh\ntouch /tmp/owned\n" + SOUND),
    "a program": ("archive_malformed", lambda: b"\x7fELF\2\1\1" + SOUND),
    "zip": ("archive_malformed", lambda: zipped() + SOUND),
    "gzip": ("archive_malformed", lambda: gzip.compress(SOUND, mtime=0)),
    "gzip that packs nothing": ("archive_malformed", lambda: gzip.compress(SOUND, 0, mtime=0)),
    "xz": ("archive_malformed", lambda: lzma.compress(SOUND)),
    "bzip2": ("archive_malformed", lambda: bz2.compress(SOUND)),
    "zlib": ("archive_malformed", lambda: zlib.compress(SOUND)),
    "zstd": ("archive_malformed", lambda: b"\x28\xb5\x2f\xfd" + SOUND[:600]),
    "a bomb of 1,000 to 1": ("archive_malformed", lambda: gzip.compress(head() + bytes(2**25), mtime=0)),
    "a bomb in a bomb": (
        "archive_truncated",  # packed twice, it is shorter than a header
        lambda: gzip.compress(gzip.compress(bytes(2**24), mtime=0), mtime=0),
    ),
    "a bomb after the manifest": ("archive_malformed", lambda: head() + gzip.compress(bytes(2**24), mtime=0)),
    "a zero before": ("archive_malformed", lambda: b"\0" + SOUND),
    "a block of zeros before": ("archive_malformed", lambda: bytes(512) + SOUND),
    "a byte less": ("archive_truncated", lambda: SOUND[:-1]),
    "without its end": ("archive_truncated", lambda: SOUND[:-1_024]),
    "a byte more": ("archive_too_large", lambda: SOUND + b"\0"),
    "text after the end": ("archive_too_large", lambda: SOUND + b"; rm -rf /"),
    "a member after the end": ("archive_too_large", lambda: SOUND + entry("../evil", EVIL) + bytes(1024)),
    "a second bundle": ("archive_too_large", lambda: SOUND + SOUND),
    "a zip at its end": ("archive_too_large", lambda: SOUND + zipped()),
    "a byte of the end": ("archive_malformed", with_bytes(len(SOUND) - 1, b"\1")),
}


@pytest.mark.parametrize(("reason", "make"), FRAMES.values(), ids=FRAMES)
def test_another_archive_is_refused(refused: Refused, reason: str, make: Make) -> None:
    assert refused(make()) == reason


class Endless(io.RawIOBase):
    """A file that never ends, and counts what was taken of it."""

    def __init__(self, beginning: bytes, then: Callable[[int], bytes]) -> None:
        self._beginning, self._then = beginning, then
        self.taken = 0

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.taken = offset
        return offset

    def read(self, size: int = -1, /) -> bytes:
        content = self._beginning[self.taken : self.taken + size] or self._then(size)[:size]
        self.taken += len(content)
        return content


ENDLESS: dict[str, tuple[str, int, Callable[[], Endless]]] = {
    "zeros": ("archive_malformed", 512, lambda: Endless(b"", bytes)),
    "noise": ("archive_malformed", 512, lambda: Endless(b"", os.urandom)),
    "a manifest without end": (
        "archive_too_large",
        512,
        lambda: Endless(entry("manifest.json", size=0o77777777777), bytes),
    ),
    "long names without end": (
        "archive_malformed",
        512,
        lambda: Endless(b"", lambda size: (entry("././@LongLink", bytes(512), kind=b"L") * 9)[:size]),
    ),
    "an extended header without end": (
        "archive_malformed",
        512,
        lambda: Endless(entry("x", kind=b"x", size=0o77777777777), os.urandom),
    ),
    "an extended header after the manifest": (
        "member_unsafe",
        len(head()) + 512,
        lambda: Endless(head() + entry("x", kind=b"x", size=0o77777777777), os.urandom),
    ),
    "zeros after the bundle": ("archive_too_large", len(SOUND) + 1, lambda: Endless(SOUND, bytes)),
    "bundles after the bundle": (
        "archive_too_large",
        len(SOUND) + 1,
        lambda: Endless(SOUND, lambda size: SOUND[:size]),
    ),
}


@pytest.mark.parametrize(("reason", "most", "make"), ENDLESS.values(), ids=ENDLESS)
def test_of_an_endless_file_no_more_is_read_than_a_bundle_has(
    refused: Refused, reason: str, most: int, make: Callable[[], Endless]
) -> None:
    endless = make()
    assert refused(endless) == reason
    assert endless.taken <= most


# --- every byte ---------------------------------------------------------------------------------------------------

FEW = {FIRST: b"", "kernels/service_nb_kernels/a.py": b"x = 1\n" * 90, "wheels/a.whl": bytes(range(256)) * 3}
SMALL = signed_bundle(FEW)
HEAD_ENDS = SMALL.index(b"kernels/service_nb_kernels/", SMALL.index(b"manifest.json.sig") + 600)


def cut_at(refused: Refused, places: Iterator[int]) -> None:
    assert {refused(SMALL[:place]) for place in places} == {"archive_truncated"}


def flip_at(refused: Refused, flips: Iterator[tuple[int, int]]) -> None:
    for place, change in flips:
        bundle = bytearray(SMALL)
        bundle[place] ^= change
        refused(bytes(bundle), untouched=place < HEAD_ENDS)


def test_a_bundle_that_is_cut_is_refused(refused: Refused) -> None:
    ends = {*range(0, len(SMALL), 61), *range(16), *range(len(SMALL) - 16, len(SMALL))}
    cut_at(refused, iter(sorted(ends)))


def test_a_bundle_with_a_changed_bit_is_refused(refused: Refused) -> None:
    draw = random.Random(20_310_601)
    flip_at(refused, ((place, 1 << draw.randrange(8)) for place in range(0, len(SMALL), 23)))


@pytest.mark.slow
def test_a_bundle_that_is_cut_anywhere_is_refused(refused: Refused) -> None:
    cut_at(refused, iter(range(len(SMALL))))


@pytest.mark.slow
def test_a_bundle_with_any_byte_changed_is_refused(refused: Refused) -> None:
    draw = random.Random(11)
    flip_at(refused, ((place, draw.randrange(1, 256)) for place in range(len(SMALL))))


def mangled(draw: random.Random) -> bytes:
    """The small bundle with a stretch of it dropped, doubled, moved, blanked, or replaced by one of another bundle."""
    start, size = draw.randrange(len(SMALL)), draw.choice((1, 5, 64, 512, 1_024, 3_000))
    other = draw.randrange(len(SMALL))
    stretch = SMALL[start : start + size]
    return draw.choice(
        (
            lambda: SMALL[:start] + SMALL[start + size :],
            lambda: SMALL[:start] + stretch + SMALL[start:],
            lambda: SMALL[:other] + stretch + SMALL[other + len(stretch) :],
            lambda: SMALL[:start] + bytes(len(stretch)) + SMALL[start + size :],
            lambda: SMALL[:start] + SOUND[other : other + size] + SMALL[start + size :],
            lambda: SMALL[:start] + draw.randbytes(size) + SMALL[start:],
        )
    )()


def mangle(refused: Refused, draw: random.Random, times: int) -> None:
    for _ in range(times):
        bundle = mangled(draw)
        if bundle != SMALL:
            refused(bundle)


def test_a_bundle_that_is_mangled_is_refused(refused: Refused) -> None:
    mangle(refused, random.Random(12), 250)


@pytest.mark.slow
def test_a_bundle_that_is_mangled_in_thousands_of_ways_is_refused(refused: Refused) -> None:
    mangle(refused, random.Random(13), 8_000)


def test_the_small_bundle_is_sound_so_that_only_its_changes_are_refused() -> None:
    assert verify_bundle(io.BytesIO(SMALL), terms()).manifest.version == "0.3.0"


def test_there_are_enough_of_them() -> None:
    archives = 2 * len(PATHS) + 3 * len(KINDS) + sum(map(len, (TRICKS, HEADS, SIGNATURES, MANIFESTS, FRAMES, ENDLESS)))
    assert archives >= 120
    assert raw_signature(CONTENT, private_key())  # the keys are of this run: nothing here is signed by a real one
