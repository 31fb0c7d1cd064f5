"""A sound wheel comes out as its RECORD says, without what nothing computes by."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from pathlib import Path

import pytest

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import wheels
from tests.simulators.wheels import FILES, INFO, NAME, parts, record, wheel


def unpacked(content: bytes, folder: Path) -> dict[str, bytes]:
    """What comes of a wheel."""
    path = folder.with_name("wheel.whl")
    path.write_bytes(content)
    folder.mkdir(exist_ok=True)
    sizes: list[int] = []
    with path.open("rb") as file:
        wheels.unpack_wheels([wheels.Unpacking(file, NAME, folder)], lambda total: sizes.append(-total) or sizes.append)
    met = {item.relative_to(folder).as_posix(): item.read_bytes() for item in folder.rglob("*") if item.is_file()}
    assert sum(sizes) == 0, "what is announced is what is written"
    return met


def test_every_file_but_tests_is_unpacked(tmp_path: Path) -> None:
    met = unpacked(wheel(), tmp_path / "out")
    assert met == {
        **{name: content for name, content in FILES.items() if "/tests/" not in name},
        f"{INFO}/RECORD": record(FILES),
    }


def test_what_others_write_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("alpha")
        for name, content in {**FILES, f"{INFO}/RECORD": record(FILES)}.items():
            archive.writestr(name, content)
    assert unpacked(buffer.getvalue(), tmp_path / "out")["alpha/data.bin"] == FILES["alpha/data.bin"]


def test_files_are_read_only_and_never_programs(tmp_path: Path) -> None:
    unpacked(wheel([part._replace(mode=0o100777) for part in parts()]), tmp_path / "out")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert all(mode & 0o333 == 0 for mode in modes)


@pytest.mark.parametrize(("place", "expected"), [("purelib", "beta.py"), ("platlib", "beta.py")])
def test_libraries_of_the_data_folder_join_the_path(tmp_path: Path, place: str, expected: str) -> None:
    files = {**FILES, f"alpha-1.0.data/{place}/{expected}": b"X = 2\n"}
    assert unpacked(wheel(parts(files)), tmp_path / "out")[expected] == b"X = 2\n"


@pytest.mark.parametrize("place", ["scripts/run", "headers/a.h", "data/share/doc.txt"])
def test_nothing_else_of_the_data_folder_is_unpacked(tmp_path: Path, place: str) -> None:
    met = unpacked(wheel(parts({**FILES, f"alpha-1.0.data/{place}": b"#!/bin/sh\n"})), tmp_path / "out")
    assert not any(name.endswith(place.rpartition("/")[2]) for name in met)


def test_a_stored_file_and_an_empty_one_are_read(tmp_path: Path) -> None:
    files = {**FILES, "alpha/empty": b"", "alpha/stored": b"abc" * 100_000}
    members = [p._replace(method=zipfile.ZIP_STORED) if p.name == "alpha/stored" else p for p in parts(files)]
    met = unpacked(wheel(members), tmp_path / "out")
    assert (met["alpha/empty"], met["alpha/stored"]) == (b"", b"abc" * 100_000)


def test_a_file_that_unfolds_far_comes_in_blocks_and_whole(tmp_path: Path) -> None:
    noise = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).digest() for i in range(8_000))
    files = {**FILES, "alpha/zeros": bytes(5_000_000), "alpha/noise": noise}
    met = unpacked(wheel(parts(files)), tmp_path / "out")
    assert (met["alpha/zeros"], met["alpha/noise"]) == (bytes(5_000_000), noise)


def test_the_record_names_what_unpacking_leaves() -> None:
    files = {**FILES, "alpha-1.0.data/purelib/beta.py": b"", "alpha-1.0.data/scripts/run": b""}
    said = wheels.parse_record(record(files), NAME)
    assert said.keys() == {
        "alpha/__init__.py",
        "alpha/data.bin",
        "beta.py",
        f"{INFO}/METADATA",
        f"{INFO}/WHEEL",
        f"{INFO}/RECORD",
    }
    assert said["alpha/data.bin"] == (hashlib.sha256(FILES["alpha/data.bin"]).hexdigest(), 256_000)


def test_the_record_in_a_wheel_is_found_without_unpacking(tmp_path: Path) -> None:
    path = tmp_path / "wheel.whl"
    path.write_bytes(wheel())
    with path.open("rb") as file:
        assert wheels.read_record(file, NAME) == record(FILES)


def test_a_damaged_file_stops_the_others_and_is_named(tmp_path: Path) -> None:
    said = record({**FILES, "alpha/__init__.py": b"VALUE = 2\n"})
    with pytest.raises(RuntimeProvisionError) as caught:
        unpacked(wheel(parts(said=said)), tmp_path / "out")
    assert caught.value.reason == "wheel_digest"
    assert caught.value.details["wheel"] == NAME


def test_signatures_of_a_wheel_need_no_digest(tmp_path: Path) -> None:
    files = {**FILES, f"{INFO}/RECORD.jws": b"{}"}
    said = record(FILES) + f"{INFO}/RECORD.jws,,\n".encode()
    assert f"{INFO}/RECORD.jws" in unpacked(wheel(parts(files, said=said)), tmp_path / "out")


def test_the_simulator_writes_what_the_standard_library_reads() -> None:
    with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
        assert archive.testzip() is None
        assert {info.filename for info in archive.infolist()} == {*FILES, f"{INFO}/RECORD"}
