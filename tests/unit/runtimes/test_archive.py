"""An archive is decided by manifest, signature and contents, to the byte; others read it, and it comes out whole."""

from __future__ import annotations

import base64
import errno
import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import hypothesis.strategies as st
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import archive, folders
from service_nb.runtimes.archive import (
    build_header,
    compute_bundle_sha256,
    open_bundle,
    unpack_bundle,
    verify_bundle,
    write_bundle,
)
from service_nb.runtimes.manifest import Member, parse_manifest
from tests.simulators.bundles import (
    FILES,
    FIRST,
    LAST,
    entry,
    listed,
    manifest,
    private_key,
    read_by_others,
    signature,
    signed_bundle,
    terms,
)

CONTENT = manifest()
SIGNED = signature(CONTENT)


def opener(files: Mapping[str, bytes] = FILES) -> Callable[[Member], BinaryIO]:
    return lambda member: io.BytesIO(files[member.path])


def reason_of(call: Callable[[], object]) -> str:
    with pytest.raises(RuntimeProvisionError) as caught:
        call()
    return caught.value.reason


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Drops(io.RawIOBase):
    """A file that gives what it has in pieces of its own choice, as a pipe or a socket does."""

    def __init__(self, content: bytes, sizes: Iterator[int]) -> None:
        self._file, self._sizes = io.BytesIO(content), sizes

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, next(self._sizes)))


# --- writing ------------------------------------------------------------------------------------------------------


def test_two_runs_write_the_same_bytes_and_a_second_hand_writes_them_too(tmp_path: Path) -> None:
    paths = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        paths.append(write_bundle(tmp_path / name, CONTENT, SIGNED, opener()))
    assert paths[0].read_bytes() == paths[1].read_bytes() == signed_bundle()
    assert [path.name for path in paths] == ["service-nb-runtime-0.3.0-linux-x64-cp311.tar"] * 2


@pytest.mark.parametrize(
    "changed",
    [
        {"PYTHONHASHSEED": "7"},
        {"TZ": "Pacific/Auckland"},
        {"LC_ALL": "C"},
        {"SOURCE_DATE_EPOCH": "1"},
        {"HOME": "/nonexistent", "USER": "somebody"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_another_process_in_another_place_writes_the_same_bytes(tmp_path: Path, changed: dict[str, str]) -> None:
    for name, content in (("manifest", CONTENT), ("signature", SIGNED)):
        (tmp_path / name).write_bytes(content)
    for path, content in FILES.items():
        (tmp_path / "files" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / path).write_bytes(content)
    code = (
        "import os; from pathlib import Path; from service_nb.runtimes.archive import write_bundle\n"
        "os.umask(0o077); here = Path.cwd(); read = lambda name: (here / name).read_bytes()\n"
        "write_bundle(here, read('manifest'), read('signature'), lambda m: (here / 'files' / m.path).open('rb'))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **changed}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    (bundle,) = tmp_path.glob("*.tar")
    assert bundle.read_bytes() == signed_bundle()


def test_the_digest_is_known_without_writing() -> None:
    met = compute_bundle_sha256(parse_manifest(CONTENT), SIGNED, opener())
    assert met == hashlib.sha256(signed_bundle()).hexdigest()


def test_nothing_but_the_archive_is_left_and_others_may_read_it(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_an_older_archive_is_replaced_whole(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    path.write_bytes(b"older")
    assert write_bundle(tmp_path, CONTENT, SIGNED, opener()) == path
    assert path.read_bytes() == signed_bundle()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (FILES[LAST][:-1], "member_size"),
        (FILES[LAST] + b"\0", "member_size"),
        (b"", "member_size"),
        (FILES[LAST][:-1] + b"\1", "member_digest"),
    ],
)
def test_a_file_that_is_not_what_the_manifest_says_ends_the_writing(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    files = opener(FILES | {LAST: content})
    assert reason_of(lambda: write_bundle(tmp_path, CONTENT, SIGNED, files)) == expected
    assert reason_of(lambda: compute_bundle_sha256(parse_manifest(CONTENT), SIGNED, files)) == expected
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_opened_ends_the_writing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    missing = lambda member: (tmp_path / member.path).open("rb")  # noqa: E731
    assert reason_of(lambda: write_bundle(tmp_path / "out", CONTENT, SIGNED, missing)) == "member_missing"
    assert list((tmp_path / "out").iterdir()) == []


# --- others read it -----------------------------------------------------------------------------------------------


def test_tarfile_of_python_reads_it() -> None:
    assert read_by_others(signed_bundle()) == {"manifest.json": CONTENT, "manifest.json.sig": SIGNED} | FILES


def test_headers_hold_nothing_of_the_machine_that_wrote_them() -> None:
    with tarfile.open(fileobj=io.BytesIO(signed_bundle()), mode="r:") as read:
        met = read.getmembers()
    assert {(m.mode, m.uid, m.gid, m.uname, m.gname, m.mtime, m.type) for m in met} == {
        (0o644, 0, 0, "", "", 0, tarfile.REGTYPE)
    }
    assert all(m.pax_headers == {} for m in met)


def test_tar_lists_it_in_order_and_sha256sum_agrees(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    names = subprocess.run(["tar", "-tf", path], check=True, capture_output=True, text=True).stdout.split()
    assert names == ["manifest.json", "manifest.json.sig", *sorted(FILES)]
    total = subprocess.run(["sha256sum", path], check=True, capture_output=True, text=True).stdout.split()[0]
    assert total == compute_bundle_sha256(parse_manifest(CONTENT), SIGNED, opener())


def test_tar_unpacks_it_and_sha256sum_checks_every_member_against_the_manifest(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    subprocess.run(["tar", "-xf", path, "-C", tmp_path], check=True)
    told = json.loads((tmp_path / "manifest.json").read_bytes())["members"]
    sums = "".join(f"{member['sha256']}  {member['path']}\n" for member in told)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet"], input=sums, cwd=tmp_path, check=True, text=True)


def test_openssl_verifies_the_manifest_that_is_in_it(tmp_path: Path) -> None:
    read = read_by_others(signed_bundle())
    raw = base64.b64decode(json.loads(read["manifest.json.sig"])["signature"])
    public = private_key().public_key()
    public.verify(raw, read["manifest.json"], PKCS1v15(), SHA256())
    if shutil.which("openssl"):
        (tmp_path / "key").write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
        (tmp_path / "raw").write_bytes(raw)
        command = ["openssl", "dgst", "-sha256", "-verify", "key", "-signature", "raw"]
        subprocess.run(command, cwd=tmp_path, input=read["manifest.json"], check=True, capture_output=True)


@pytest.mark.parametrize(
    "path",
    [
        "kernels/service_nb_kernels/a.py",
        "wheels/" + "a" * 89 + ".whl",
        "wheels/" + "a" * 96 + ".whl",
        "kernels/service_nb_kernels/" + "/".join(["abcdefghi"] * 12),
        "kernels/service_nb_kernels/" + "b" * 22 + "/" + "a" * 100,
    ],
)
def test_a_long_path_has_a_prefix_that_every_reader_joins(path: str) -> None:
    content = build_header(path, 5) + b"12345" + bytes(507) + bytes(1024)
    with tarfile.open(fileobj=io.BytesIO(content)) as read:
        (met,) = read.getmembers()
    assert (met.name, met.size) == (path, 5)


def test_a_short_header_is_what_a_second_hand_writes() -> None:
    assert build_header("wheels/a.whl", 0o1234567) == entry("wheels/a.whl", size=0o1234567)[:512]


# --- reading ------------------------------------------------------------------------------------------------------


def test_what_was_written_comes_out_whole(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    with open_bundle(path) as file:
        read = unpack_bundle(file, tmp_path / "out", terms())
    assert contents(tmp_path / "out") == {"manifest.json": CONTENT, "manifest.json.sig": SIGNED} | FILES
    assert read.manifest == parse_manifest(CONTENT)
    assert read.signature == SIGNED
    assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_comes_out_is_for_its_user_alone_and_nothing_of_it_runs(tmp_path: Path) -> None:
    unpack_bundle(io.BytesIO(signed_bundle()), tmp_path / "out", terms())
    made = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in made[:1]} == {0}


def test_a_bundle_can_be_verified_without_writing_anything(tmp_path: Path) -> None:
    read = verify_bundle(io.BytesIO(signed_bundle()), terms())
    assert read == unpack_bundle(io.BytesIO(signed_bundle()), tmp_path / "out", terms())


@pytest.mark.parametrize("size", [1, 2, 7, 511, 513, 65_536])
def test_a_stream_that_comes_in_drops_is_read_as_well(tmp_path: Path, size: int) -> None:
    files = {FIRST: b"", LAST: bytes(range(256)) * 3}
    bundle = signed_bundle(files)
    drops: Any = Drops(bundle, iter(lambda: size, 0))
    assert unpack_bundle(drops, tmp_path / "out", terms()).sha256 == hashlib.sha256(bundle).hexdigest()


def test_a_bundle_in_a_bundle_is_a_file_like_any_other(tmp_path: Path) -> None:
    files = {LAST: signed_bundle()}
    unpack_bundle(io.BytesIO(signed_bundle(files)), tmp_path / "out", terms())
    assert (tmp_path / "out" / LAST).read_bytes() == signed_bundle()
    assert len(contents(tmp_path / "out")) == 3


def test_a_folder_that_is_there_already_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kept").write_bytes(b"kept")
    assert (
        reason_of(lambda: unpack_bundle(io.BytesIO(signed_bundle()), tmp_path / "out", terms())) == "folder_unwritable"
    )
    assert contents(tmp_path / "out") == {"kept": b"kept"}


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for target in ("elsewhere", "nowhere"):
        (tmp_path / "out").symlink_to(target)
        unpack: Callable[[], object] = lambda: unpack_bundle(  # noqa: E731
            io.BytesIO(signed_bundle()), tmp_path / "out", terms()
        )
        assert reason_of(unpack) == "folder_unwritable"
        assert (tmp_path / "out").is_symlink()
        (tmp_path / "out").unlink()
    assert list((tmp_path / "elsewhere").iterdir()) == []


class Full(io.FileIO):
    """A file on a disk that is full after a while."""

    room = 0

    def write(self, data: Any) -> int:
        Full.room -= memoryview(data).nbytes
        if Full.room < 0:
            raise OSError(self.number, os.strerror(self.number))
        return super().write(data)

    number = errno.ENOSPC


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("room", [0, 1_000, 100_000, 180_000])
def test_a_disk_that_fills_up_on_the_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, number: int
) -> None:
    monkeypatch.setattr(Full, "room", room)
    monkeypatch.setattr(Full, "number", number)
    monkeypatch.setattr(folders.os, "fdopen", lambda descriptor, mode: io.BufferedWriter(Full(descriptor, mode)))
    bundle = io.BytesIO(signed_bundle())
    assert reason_of(lambda: unpack_bundle(bundle, tmp_path / "out", terms())) == "disk_full"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(Full, "room", room)
    assert reason_of(lambda: write_bundle(tmp_path, CONTENT, SIGNED, opener())) == "disk_full"
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_the_disk_has_no_room_for_is_refused_before_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = sum(map(len, FILES.values()))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=total - 1))
    monkeypatch.setattr(archive, "create_file", lambda path: pytest.fail(f"{path.name} was made"))
    bundle = io.BytesIO(signed_bundle())
    assert reason_of(lambda: unpack_bundle(bundle, tmp_path / "out", terms())) == "disk_full"
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_a_stated_size_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(total=0, used=0, free=0))
    unpack_bundle(io.BytesIO(signed_bundle()), tmp_path / "out", terms())
    assert (tmp_path / "out" / LAST).exists()


def test_a_limit_that_the_system_sets_on_files_counts_as_a_full_disk(tmp_path: Path) -> None:
    # No stand-in: the kernel itself refuses the write, half-way through a member.
    code = (
        "import io, resource, sys; from pathlib import Path; from tests.simulators import bundles\n"
        "from service_nb.errors import RuntimeProvisionError; from service_nb.runtimes.archive import unpack_bundle\n"
        "bundle, terms = io.BytesIO(bundles.signed_bundle()), bundles.terms()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try: unpack_bundle(bundle, Path(sys.argv[1]), terms)\n"
        "except RuntimeProvisionError as error: print(error.reason)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(tmp_path / "out")]
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "disk_full"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("planted", [LAST, "wheels"])
@pytest.mark.parametrize("kind", ["file", "link to a file", "link to a folder", "link to nothing"])
def test_what_another_process_plants_on_the_way_is_neither_followed_nor_overwritten(
    tmp_path: Path, planted: str, kind: str
) -> None:
    bundle, beside = signed_bundle(), tmp_path / "beside"
    (beside / "folder").mkdir(parents=True)
    (beside / "file").write_bytes(b"kept")

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            place = tmp_path / "out" / planted
            if place.parent.is_dir() and not os.path.lexists(place):
                if kind == "file":
                    place.write_bytes(b"planted")
                else:
                    place.symlink_to(beside / kind.rpartition(" ")[2])
            return super().read(size)

    assert reason_of(lambda: unpack_bundle(Watched(bundle), tmp_path / "out", terms())) == "folder_unwritable"
    assert contents(tmp_path) == {"beside/file": b"kept"}
    assert list((beside / "folder").iterdir()) == []
    assert not (tmp_path / "out").exists()


def test_ctrl_c_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    bundle = signed_bundle()

    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > len(bundle) // 2:
                raise KeyboardInterrupt
            return super().read(size)

    with pytest.raises(KeyboardInterrupt):
        unpack_bundle(Interrupted(bundle), tmp_path / "out", terms())
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 10_000:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    assert reason_of(lambda: unpack_bundle(Broken(signed_bundle()), tmp_path / "out", terms())) == "archive_unreadable"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo", "device", "link to a device", "below a file"])
def test_only_a_regular_file_is_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bundle.tar"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    elif kind == "below a file":
        (tmp_path / "file").write_bytes(b"")
        path = tmp_path / "file" / "bundle.tar"
    with pytest.raises(RuntimeProvisionError) as caught:
        open_bundle(path)
    assert caught.value.reason == "archive_unreadable"
    assert str(tmp_path) not in str(caught.value.to_dict())


def test_a_user_may_keep_the_bundle_behind_a_link(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, CONTENT, SIGNED, opener())
    (tmp_path / "latest.tar").symlink_to(path.name)
    with open_bundle(tmp_path / "latest.tar") as file:
        assert verify_bundle(file, terms()).manifest.version == "0.3.0"


@given(
    st.dictionaries(
        st.text("abcxyz_", min_size=1, max_size=8).map(lambda name: f"kernels/service_nb_kernels/{name}"),
        st.binary(max_size=3_000),
        min_size=1,
        max_size=8,
    )
)
def test_any_files_come_back_as_they_went_in(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]) -> None:
    folder = tmp_path_factory.mktemp("bundle")
    content = manifest(members=listed(files))
    path = write_bundle(folder, content, signature(content), opener(files))
    with open_bundle(path) as file:
        read = unpack_bundle(file, folder / "out", terms())
    assert contents(folder / "out") == {"manifest.json": content, "manifest.json.sig": signature(content)} | files
    assert read.sha256 == compute_bundle_sha256(read.manifest, read.signature, opener(files))
    shutil.rmtree(folder)
