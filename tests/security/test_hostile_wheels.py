"""Wheels that lie, reach outside, or unfold without end: refused by name, and nothing written beside their folder."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import wheels
from tests.security.conftest import snapshot
from tests.simulators.wheels import FILES, NAME, Part, parts, record, wheel

SOUND = parts()
MALFORMED, DIGEST = "wheel_malformed", "wheel_digest"
Refused = Callable[[bytes, str], None]


@pytest.fixture
def refused_wheel(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    """Unpack a wheel; fails unless it is refused for that reason, and nothing is written but below its folder."""

    def check(content: bytes, reason: str) -> None:
        path, folder = tmp_path / "wheel.whl", tmp_path / "out"
        path.write_bytes(content)
        folder.mkdir()
        before = snapshot(tmp_path)
        with path.open("rb") as file, pytest.raises(RuntimeProvisionError) as caught:
            wheels.unpack_wheels([wheels.Unpacking(file, NAME, folder)], lambda _: lambda _: None)
        assert caught.value.reason == reason
        assert str(tmp_path) not in str(caught.value.to_dict())
        after = snapshot(tmp_path)
        assert {name: met for name, met in after.items() if not name.startswith("out/")} == before
        written = sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
        assert written <= wheels.SMALL, "a bomb fills nothing"
        record_property("bad_inputs", 1)

    return check


def named(name: str, **more: object) -> bytes:
    """A sound wheel and one more file of this name, which its RECORD has too."""
    extra = Part(name, b"x")._replace(**more)  # type: ignore[arg-type]
    return wheel([*parts(said=record({**FILES, name: b"x"})), extra])


PATHS = [
    "../outside",
    "alpha/../../outside",
    "/etc/outside",
    "//server/outside",
    "alpha//twice",
    "alpha/./dot",
    "./alpha/dot",
    "..",
    ".",
    "alpha\\..\\..\\outside",
    "C:/outside",
    "C:outside",
    "alpha/file:stream",
    "alpha/new\nline",
    "alpha/tab\there",
    "alpha/escape\x1b[2J",
    "alpha/delete\x7f",
    "alpha/ends.",
    "alpha/ends ",
    "alpha. /ends",
    "a" * 256,
    "/".join(["a"] * 300),
    "alpha-1.0.data/purelib/../../outside",
    "alpha-1.0.data/platlib//outside",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_name_that_leaves_its_folder_or_is_odd(refused_wheel: Refused, path: str) -> None:
    refused_wheel(named(path), MALFORMED)


def test_a_name_that_ends_where_c_ends_it(refused_wheel: Refused) -> None:
    refused_wheel(named("alpha/a.py\0.txt"), MALFORMED)


@pytest.mark.parametrize(
    "name", ["alpha/a.py", "alpha", "alpha/__init__.py/inner", "ALPHA/__INIT__.PY", "alpha/Data.bin"]
)
def test_two_files_that_could_be_one(refused_wheel: Refused, name: str) -> None:
    twice = [Part("alpha/a.py", b"x"), Part(name, b"x")]
    said = record({**FILES, "alpha/a.py": b"x", name: b"x"})
    refused_wheel(wheel([*parts(said=said), *twice]), MALFORMED)


def test_a_file_of_the_data_folder_over_another(refused_wheel: Refused) -> None:
    refused_wheel(named("alpha-1.0.data/purelib/alpha/__init__.py"), MALFORMED)


def test_letters_that_two_normal_forms_write(refused_wheel: Refused) -> None:
    files = {**FILES, "alpha/\u00e9": b"", "alpha/e\u0301": b""}
    refused_wheel(wheel(parts(files)), MALFORMED)


@pytest.mark.parametrize("kind", [0o120777, 0o010644, 0o020644, 0o060644, 0o140644, 0o040755])
def test_what_is_no_regular_file(refused_wheel: Refused, kind: int) -> None:
    refused_wheel(named("alpha/odd", mode=kind), MALFORMED)


def test_a_folder_with_content(refused_wheel: Refused) -> None:
    refused_wheel(named("alpha/folder/"), MALFORMED)


@pytest.mark.parametrize("flags", [0x1, 0x41, 0x40])
def test_what_is_encrypted(refused_wheel: Refused, flags: int) -> None:
    refused_wheel(named("alpha/odd", flags=flags), MALFORMED)


@pytest.mark.parametrize("method", [1, 9, 12, 14, 93, 99])
def test_what_is_packed_in_another_way(refused_wheel: Refused, method: int) -> None:
    refused_wheel(named("alpha/odd", method=method), MALFORMED)


@pytest.mark.parametrize("size", [0, 1, 255_999, 256_001, 2**31])
def test_a_file_of_another_size_than_the_directory_says(refused_wheel: Refused, size: int) -> None:
    members = [part._replace(size=size) if part.name == "alpha/data.bin" else part for part in SOUND]
    refused_wheel(wheel(members), MALFORMED)


@pytest.mark.parametrize("size", [0, 255_999, 256_001])
def test_a_file_of_another_size_that_record_confirms(refused_wheel: Refused, size: int) -> None:
    said = record(FILES).replace(b",256000\n", b",%d\n" % size)
    members = [part._replace(size=size) if part.name == "alpha/data.bin" else part for part in parts(said=said)]
    refused_wheel(wheel(members), MALFORMED)


def test_a_bomb_that_its_directory_hides(refused_wheel: Refused) -> None:
    bomb = Part("alpha/bomb", bytes(200_000_000), size=1_000, crc=0)
    said = record({**FILES, "alpha/bomb": bytes(1_000)})
    refused_wheel(wheel([*parts(said=said), bomb]), MALFORMED)


def test_a_bomb_that_its_directory_admits(refused_wheel: Refused) -> None:
    refused_wheel(wheel(parts({**FILES, "alpha/bomb": bytes(60_000_000)})), MALFORMED)


def test_files_that_share_their_bytes(refused_wheel: Refused) -> None:
    # Each name is another file to the directory, and all are the same few bytes of the archive.
    shared = [Part(f"alpha/data{i}.bin", b"", size=256_000, packed=b"", offset=0) for i in range(50)]
    said = record({**FILES, **{part.name: FILES["alpha/data.bin"] for part in shared}})
    refused_wheel(wheel([*parts(said=said), *shared]), MALFORMED)


@pytest.mark.parametrize("local", ["alpha/__init__.pz", "../../outside.py..", ""])
def test_a_file_that_has_another_name_where_it_lies(refused_wheel: Refused, local: str) -> None:
    members = [part._replace(local_name=local) if part.name == "alpha/__init__.py" else part for part in SOUND]
    refused_wheel(wheel(members), MALFORMED)


@pytest.mark.parametrize("offset", [1, 10_000_000, 2**32 - 2])
def test_a_file_that_lies_elsewhere(refused_wheel: Refused, offset: int) -> None:
    refused_wheel(named("alpha/odd", offset=offset), MALFORMED)


def test_a_wrong_checksum(refused_wheel: Refused) -> None:
    refused_wheel(named("alpha/odd", crc=1), MALFORMED)


@pytest.mark.parametrize("packed", [b"", b"\x07", b"\xff" * 20, zlib.compress(b"x")])
def test_what_cannot_be_unpacked(refused_wheel: Refused, packed: bytes) -> None:
    refused_wheel(named("alpha/odd", packed=packed), MALFORMED)


RECORDS = {
    "a file that is not listed": record({name: FILES[name] for name in list(FILES)[1:]}),
    "a file that is not there": record({**FILES, "alpha/missing.py": b""}),
    "a file without a digest": record(FILES).replace(b"alpha/__init__.py,sha256=", b"alpha/__init__.py,,#"),
    "a digest of another kind": record(FILES).replace(b"sha256=", b"md5=", 1),
    "a digest that is none": record(FILES).replace(b"sha256=", b"sha256=!!", 1),
    "a digest that is short": record(FILES).replace(b"sha256=", b"sha256=AA,1\n#", 1),
    "a size that is none": record(FILES).replace(b",10\n", b",ten\n"),
    "a size that is negative": record(FILES).replace(b",10\n", b",-10\n"),
    "too many columns": record(FILES).replace(b",10\n", b",10,1\n"),
    "too few": record(FILES).replace(b",10\n", b"\n"),
    "a file listed twice": record(FILES) + record(FILES),
    "an open quotation mark": record(FILES) + b'"open',
    "no text": b"\xff\xfe" * 40,
    "a NUL": record(FILES) + b"\0",
    "nothing": b"",
}


@pytest.mark.parametrize("said", RECORDS.values(), ids=RECORDS)
def test_a_record_that_is_none(refused_wheel: Refused, said: bytes) -> None:
    refused_wheel(wheel(parts(said=said)), MALFORMED)


@pytest.mark.parametrize("changed", [name for name in FILES if "tests" not in name])
def test_a_file_that_is_not_what_record_says(refused_wheel: Refused, changed: str) -> None:
    content = bytes(reversed(FILES[changed]))
    refused_wheel(wheel(parts({**FILES, changed: content}, said=record(FILES))), DIGEST)


def test_no_record_and_two(refused_wheel: Refused) -> None:
    refused_wheel(wheel([part for part in SOUND if not part.name.endswith("RECORD")]), MALFORMED)


def test_two_records(refused_wheel: Refused) -> None:
    refused_wheel(named("beta-1.0.dist-info/RECORD"), MALFORMED)


NO_WHEELS: dict[str, bytes] = {
    "nothing": b"",
    "a few bytes": b"PK\x05\x06",
    "no archive": b"x" * 4_000,
    "a web page": b"<html>" * 100,
    "an end alone": wheel()[-22:],
}


@pytest.mark.parametrize("content", NO_WHEELS.values(), ids=NO_WHEELS)
def test_what_is_no_archive(refused_wheel: Refused, content: bytes) -> None:
    refused_wheel(content, MALFORMED)


AROUND: dict[str, bytes] = {
    "a comment": wheel(comment=b"PK\x05\x06" + bytes(18)),
    "bytes behind it": wheel() + b"x",
    "bytes before it": b"x" * 10 + wheel(),
    "an archive before it": wheel([Part("../outside", b"x")]) + wheel(),
    "an archive behind it": wheel() + wheel([Part("../outside", b"x")]),
    "a gap before the directory": wheel(gap=b"x" * 100),
    "a directory that lies beyond it": wheel()[:-6] + struct.pack("<LH", 2**31, 0),
    "a directory of the other format": wheel()[:-6] + struct.pack("<LH", 2**32 - 1, 0),
    "too high a count": wheel(count=1),
    "too low a count": wheel(count=-1),
}


@pytest.mark.parametrize("content", AROUND.values(), ids=AROUND)
def test_what_lies_around_a_wheel_changes_nothing_of_it_or_it_is_refused(tmp_path: Path, content: bytes) -> None:
    sound = outcome(wheel(), tmp_path / "sound")
    assert outcome(content, tmp_path / "met") in (sound, MALFORMED)
    assert not (tmp_path / "outside").exists()


def test_more_entries_than_any_wheel(refused_wheel: Refused) -> None:
    refused_wheel(wheel([Part(f"{i}", b"", method=0) for i in range(wheels.MAX_ENTRIES + 1)]), MALFORMED)


def test_a_wheel_cut_short_anywhere(refused_wheel: Refused, tmp_path: Path) -> None:
    content = wheel()
    for length in range(0, len(content), 97):
        refused_wheel(content[:length], MALFORMED)
        (tmp_path / "out").rmdir()


def test_a_wheel_with_a_damaged_byte_is_refused_or_the_same(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    # Time, mode and version of a member may be anything; whatever else changes is noticed.
    content, random_ = wheel(), random.Random(7)
    sound = outcome(content, tmp_path / "sound")
    assert isinstance(sound, dict)
    for turn in range(400):
        damaged = bytearray(content)
        damaged[random_.randrange(len(content))] ^= 1 << random_.randrange(8)
        assert outcome(bytes(damaged), tmp_path / f"{turn}") in (sound, MALFORMED, DIGEST)
        record_property("bad_inputs", 1)


def outcome(content: bytes, folder: Path) -> dict[str, str] | str:
    """What a wheel unpacks to, or why it is refused."""
    path = folder.with_suffix(".whl")
    path.write_bytes(content)
    folder.mkdir()
    try:
        with path.open("rb") as file:
            wheels.unpack_wheels([wheels.Unpacking(file, NAME, folder)], lambda _: lambda _: None)
    except RuntimeProvisionError as error:
        return error.reason
    return snapshot(folder)
