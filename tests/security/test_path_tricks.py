"""Paths that name no regular file, or that change under the reader: refused at once, or flagged afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb.errors import ServiceError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.readers.source_files import has_changed

NOT_FOUND, UNREADABLE, UNSUPPORTED, MALFORMED = (
    "source_not_found",
    "source_unreadable",
    "unsupported_source",
    "source_malformed",
)
ENDINGS = (".csv", ".tsv", ".json", ".ndjson", ".xlsx", ".parquet", ".arrow")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    # The name of a socket may have about a hundred characters, so it is bound from inside its folder.
    with socket.socket(socket.AF_UNIX) as listener:
        folder = Path.cwd()
        os.chdir(path.parent)
        listener.bind(path.name)
        os.chdir(folder)


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def nothing(path: Path) -> None:
    assert not path.exists()


THINGS: list[tuple[Callable[[Path], None], str]] = [
    (a_folder, UNREADABLE),
    (a_pipe, UNREADABLE),
    (a_socket, UNREADABLE),
    (a_link_to_nothing, NOT_FOUND),
    (a_link_to_itself, UNREADABLE),
    (a_link_to_a_device, UNREADABLE),
    (a_link_to_a_pipe, UNREADABLE),
    (nothing, NOT_FOUND),
]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("make", "code"), THINGS, ids=lambda value: getattr(value, "__name__", value))
def test_path_to_no_regular_file_is_refused_at_once(
    make: Callable[[Path], None], code: str, ending: str, tmp_path: Path, refused: Any
) -> None:
    path = tmp_path / f"data{ending}"
    make(path)
    if ending == ".parquet" and make is a_folder:
        code = NOT_FOUND  # a folder of Parquet, but an empty one
    refused(path, code)  # a pipe would be waited for without end


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", UNSUPPORTED),
        (".", NOT_FOUND),
        ("/dev/zero", UNSUPPORTED),
        ("/dev/stdin", UNSUPPORTED),
        ("/proc/self/mem", UNSUPPORTED),
        ("/etc/passwd", UNSUPPORTED),
        ("data", UNSUPPORTED),
        ("data.", UNSUPPORTED),
        (".csv", UNSUPPORTED),
        ("data.csv.gz", UNSUPPORTED),
        ("data.csv.zip", UNSUPPORTED),
        ("data.tar", UNSUPPORTED),
        ("data.xls", UNSUPPORTED),
        ("data.db", UNSUPPORTED),
        ("data.sqlite", UNSUPPORTED),
        ("data.exe", UNSUPPORTED),
        ("data.csv\n", UNSUPPORTED),
        ("data.csv ", UNSUPPORTED),
        ("data.csv;rm -rf .", UNSUPPORTED),
        ("file:///etc/passwd.csv", UNSUPPORTED),
        ("http://127.0.0.1:9/data.csv", UNSUPPORTED),
        ("https://127.0.0.1:9/data.parquet", UNSUPPORTED),
        ("s3://bucket/data.parquet", UNSUPPORTED),
        ("hf://datasets/a/b/*.parquet", UNSUPPORTED),
        ("\\\\127.0.0.1\\share\\data.csv", NOT_FOUND),
        ("C:\\data.csv", NOT_FOUND),
        ("~nobody-of-this-name/data.csv", UNREADABLE),
        ("da\0ta.csv", UNREADABLE),
        ("data.csv\0.txt", UNREADABLE),
        ("\ud800.csv", UNREADABLE),
        ("n" * 300 + ".csv", UNREADABLE),
        ("n/" * 3_000 + "x.csv", UNREADABLE),
        ("../" * 40 + "etc/nothing.csv", NOT_FOUND),
        ("real.csv/", MALFORMED),
        ("real.csv/x.csv", UNREADABLE),
        ("real.csv/../other.csv", UNREADABLE),
        ("nothing-*.parquet", NOT_FOUND),
        ("**/nothing.parquet", NOT_FOUND),
        ("[.parquet", NOT_FOUND),
        ("{real,other}.csv", NOT_FOUND),
        ("$HOME/data.csv", NOT_FOUND),
        ("%2e%2e/data.csv", NOT_FOUND),
    ],
)
def test_odd_path_is_refused(
    path: str, code: str, tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.csv").write_bytes(b"")  # empty: even what is found is refused
    refused(path, code)


def test_message_names_the_file_and_no_folder(tmp_path: Path, refused: Any) -> None:
    folder = tmp_path / "secret-project"
    folder.mkdir()
    error = refused(folder / "x.csv", NOT_FOUND)
    assert "x.csv" in error.message
    assert "secret-project" not in str(error.to_dict())


@pytest.mark.parametrize("name", ["a*.parquet", "a[1].parquet", "a?.parquet"])
def test_file_named_like_a_pattern_is_that_file_and_no_other(name: str, tmp_path: Path) -> None:
    for number, file in enumerate((name, "a1.parquet", "ab.parquet", "a.parquet")):
        pq.write_table(pa.table({"a": [number] * (number + 1)}), tmp_path / file)
    found = read(tmp_path / name, ReadOptions())
    assert found.row_count == 1
    assert [Path(path).name for path in found.parquet or ()] == [name]


def test_folder_link_is_not_followed_out_of_a_folder_of_parquet(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    pq.write_table(pa.table({"a": [1]}), outside / "other.parquet")
    pq.write_table(pa.table({"a": [2]}), inside / "own.parquet")
    (inside / "link").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    found = read(inside, ReadOptions())
    assert [Path(path).name for path in found.parquet or ()] == ["own.parquet"]


def test_partitions_and_delta_tables_are_refused(tmp_path: Path, refused: Any) -> None:
    for folder in ("by/year=2024", "delta/_delta_log"):
        (tmp_path / folder).mkdir(parents=True)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "by/year=2024/a.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "delta/a.parquet")
    refused(tmp_path / "by", UNSUPPORTED)
    refused(tmp_path / "delta", UNSUPPORTED, met="_delta_log")


def rewritten(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"3\n")


def same_size(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-2] + b"9\n")


def replaced(path: Path) -> None:
    other = path.with_name("other")
    shutil.copy2(path, other)
    other.replace(path)


def removed(path: Path) -> None:
    path.unlink()


def became_a_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("/dev/zero")


def became_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("change", [rewritten, same_size, replaced, removed, became_a_link, became_a_pipe])
def test_file_that_changes_after_it_was_read_is_seen(change: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"a\n1\n2\n")
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    stamps = read(path, ReadOptions()).stamps
    assert not has_changed(stamps)
    change(path)
    assert has_changed(stamps)


def test_digest_is_of_the_very_bytes_that_were_read(tmp_path: Path) -> None:
    import hashlib

    versions = [b"a,b\n" + b"%d,x\n" % number * (2_000 + number) for number in range(2)]
    known = {hashlib.sha256(data).hexdigest(): data for data in versions}
    path = tmp_path / "data.csv"
    path.write_bytes(versions[0])
    stop = threading.Event()

    def rewrite() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            fresh = tmp_path / "fresh"
            fresh.write_bytes(versions[turn % 2])
            fresh.replace(path)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(200):
            found = read(path, ReadOptions())
            data = known[found.content.sha256 or ""]
            assert found.table is not None
            assert found.row_count == data.count(b"\n") - 1
            assert found.table.column("a")[0].as_py() == versions.index(data)
    finally:
        stop.set()
        writer.join()


def test_swap_of_file_and_link_under_the_reader_never_reads_a_device(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for target in ("good", "/dev/zero", "nothing"):
                fresh = tmp_path / "fresh"
                fresh.symlink_to(target)
                fresh.replace(path)

    (tmp_path / "good").write_bytes(b"a\n1\n")
    path.symlink_to("good")
    writer = threading.Thread(target=swap)
    writer.start()
    seen = set()
    try:
        for _ in range(500):
            try:
                assert read(path, ReadOptions()).row_count == 1
                seen.add("read")
            except ServiceError as error:
                seen.add(error.code)
    finally:
        stop.set()
        writer.join()
    assert seen <= {"read", NOT_FOUND, UNREADABLE}
