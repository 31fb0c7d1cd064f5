"""Broken and hostile Parquet and Arrow files: refused by a typed error, or read within the memory that is allowed."""

from __future__ import annotations

import io
import json
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb import create_service
from service_nb.errors import ServiceError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.schema.source import Limits

MALFORMED, LIMIT, INTENT = "source_malformed", "limit_exceeded", "invalid_intent"
TABLE = pa.table(
    {
        "n": pa.array(range(300)),
        "x": np.linspace(0, 1, 300),
        "s": ["a", "bb", None] * 100,
        "d": pa.array([1, 2, 3] * 100, pa.int32()).cast(pa.date32()),
        "c": pa.array(["u", "v", "w"] * 100).dictionary_encode(),
        "t": pa.array([1_000] * 300, pa.timestamp("ns")),
    }
)


def parquet(table: pa.Table = TABLE, **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    return stream.getvalue()


def arrow(table: pa.Table = TABLE, compression: str | None = None, *, stream: bool = False) -> bytes:
    sink = io.BytesIO()
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def names(*columns: str) -> pa.Table:
    return pa.table([[1]] * len(columns), names=list(columns))


def with_claimed_size(size: int) -> bytes:
    """A packed Arrow file, each buffer of which claims to unpack to `size` bytes."""
    packed = arrow(pa.table({"x": np.zeros(10_000)}), "lz4")
    return packed.replace(struct.pack("<q", 80_000), struct.pack("<q", size))


def with_offsets(*offsets: int) -> bytes:
    """An Arrow file of one text column whose offsets point where they like."""
    sound = pa.table({"s": ["aa", "bb", "cc"]})
    return arrow(sound).replace(struct.pack("<4i", 0, 2, 4, 6), struct.pack("<4i", *offsets))


def nulls(rows: int) -> bytes:
    """An Arrow file of a column of so many nulls, which takes no room in it."""
    few = arrow(pa.table({"a": pa.nulls(1_234_567)}))
    return few.replace(struct.pack("<q", 1_234_567), struct.pack("<q", rows))


GOOD, GOOD_ARROW = parquet(), arrow()
ONE_LONG_TEXT = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, np.int32)), pa.array(["x" * 1_000_000]))

FILES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    # Parquet
    "empty": ("parquet", lambda: b"", MALFORMED),
    "text": ("parquet", lambda: b"a,b\n1,2\n", MALFORMED),
    "marks alone": ("parquet", lambda: b"PAR1PAR1", MALFORMED),
    "marks and nothing between": ("parquet", lambda: b"PAR1" + b"\0" * 100 + b"PAR1", MALFORMED),
    "an encrypted footer": ("parquet", lambda: GOOD[:-4] + b"PARE", MALFORMED),
    "no end": ("parquet", lambda: GOOD[:-1], MALFORMED),
    "half": ("parquet", lambda: GOOD[: len(GOOD) // 2], MALFORMED),
    "no start": ("parquet", lambda: GOOD[1_000:], MALFORMED),
    "a footer of 4 GB": ("parquet", lambda: GOOD[:-8] + b"\xff\xff\xff\xffPAR1", MALFORMED),
    "a footer of minus one byte": ("parquet", lambda: GOOD[:-8] + struct.pack("<i", -1) + b"PAR1", MALFORMED),
    "a footer of nothing": ("parquet", lambda: GOOD[:-8] + b"\0\0\0\0PAR1", MALFORMED),
    "a footer of random bytes": (
        "parquet",
        lambda: b"PAR1" + random.Random(1).randbytes(500) + struct.pack("<i", 500) + b"PAR1",
        MALFORMED,
    ),
    "a footer of nested structs": ("parquet", lambda: b"PAR1" + b"\x1c" * 5_000 + b"\x88\x13\0\0PAR1", MALFORMED),
    "a footer of lists": ("parquet", lambda: b"PAR1" + b"\x19\xfc\xff\xff\xff\xff\x0f" + b"\7\0\0\0PAR1", MALFORMED),
    "an Arrow file": ("parquet", lambda: GOOD_ARROW, MALFORMED),
    "no columns": ("parquet", lambda: parquet(pa.table({})), MALFORMED),
    "only columns of lists": ("parquet", lambda: parquet(pa.table({"a": [[1]]})), MALFORMED),
    "only columns of bytes": ("parquet", lambda: parquet(pa.table({"a": [b"x"]})), MALFORMED),
    "an empty name": ("parquet", lambda: parquet(names("a", "")), MALFORMED),
    "a blank name": ("parquet", lambda: parquet(names(" ")), MALFORMED),
    "a duplicate name": ("parquet", lambda: parquet(names("a", "b", "a")), MALFORMED),
    "a control character in a name": ("parquet", lambda: parquet(names("a\x1bb")), MALFORMED),
    "a name too long": ("parquet", lambda: parquet(names("n" * 2_000)), LIMIT),
    "10,000 columns": ("parquet", lambda: parquet(names(*(f"c{i}" for i in range(10_000)))), LIMIT),
    "nanoseconds": ("parquet", lambda: parquet(pa.table({"t": pa.array([1], pa.timestamp("ns"))})), MALFORMED),
    # Arrow
    "an empty Arrow file": ("arrow", lambda: b"", MALFORMED),
    "text for Arrow": ("arrow", lambda: b"a,b\n1,2\n", MALFORMED),
    "a mark alone": ("arrow", lambda: b"ARROW1", MALFORMED),
    "two marks": ("arrow", lambda: b"ARROW1\0\0ARROW1", MALFORMED),
    "half an Arrow file": ("arrow", lambda: GOOD_ARROW[: len(GOOD_ARROW) // 2], MALFORMED),
    "an Arrow file without its end": ("arrow", lambda: GOOD_ARROW[:-1], MALFORMED),
    "an Arrow footer of 2 GB": ("arrow", lambda: GOOD_ARROW[:-10] + b"\xff\xff\xff\x7fARROW1", MALFORMED),
    "an Arrow footer of minus one": ("arrow", lambda: GOOD_ARROW[:-10] + b"\xff\xff\xff\xffARROW1", MALFORMED),
    "half an Arrow stream": ("arrow", lambda: arrow(stream=True)[:1_500], MALFORMED),
    "a stream that states 2 GB": ("arrow", lambda: b"\xff\xff\xff\xff\xff\xff\xff\x7f", MALFORMED),
    "Feather of version 1": ("feather", lambda: b"FEA1" + b"\0" * 100 + b"FEA1", MALFORMED),
    "an Arrow file without columns": ("arrow", lambda: arrow(pa.table({})), MALFORMED),
    "a duplicate name in Arrow": ("arrow", lambda: arrow(names("a", "a")), MALFORMED),
    "bytes in Arrow": ("arrow", lambda: arrow(pa.table({"a": [b"x"]})), MALFORMED),
    "nanoseconds in Arrow": ("arrow", lambda: arrow(pa.table({"t": pa.array([1], pa.timestamp("ns"))})), MALFORMED),
    "offsets beyond the texts": ("arrow", lambda: with_offsets(0, 2, 4, 2_000_000_000), MALFORMED),
    "offsets before the texts": ("arrow", lambda: with_offsets(-2_000_000_000, 2, 4, 6), MALFORMED),
    "offsets that go back": ("arrow", lambda: with_offsets(0, 4, 2, 6), MALFORMED),
    "a buffer that claims 8 EB": ("arrow", lambda: with_claimed_size(2**63 - 1), LIMIT),
    "a buffer that claims 16 GB": ("arrow", lambda: with_claimed_size(2**34), LIMIT),
    "a buffer that claims less than nothing": ("arrow", lambda: with_claimed_size(-5), MALFORMED),
    "a buffer that claims too little": ("arrow", lambda: with_claimed_size(10), MALFORMED),
    "4 TB of nulls": ("arrow", lambda: nulls(2**40), LIMIT),
    "one text 20,000 times": ("arrow", lambda: arrow(pa.table({"s": ONE_LONG_TEXT}), "zstd"), LIMIT),
}


@pytest.mark.parametrize("name", FILES)
def test_broken_file_is_refused(name: str, tmp_path: Path, refused: Any) -> None:
    ending, content, code = FILES[name]
    path = tmp_path / f"data.{ending}"
    path.write_bytes(content())
    refused(path, code)


@pytest.mark.parametrize("name", ["another type", "another name", "another order", "a column more", "a column less"])
def test_files_of_different_schemas_are_no_source(name: str, tmp_path: Path, refused: Any) -> None:
    other = {
        "another type": pa.table({"a": [1.5], "b": ["x"]}),
        "another name": pa.table({"a": [1], "B": ["x"]}),
        "another order": pa.table({"b": ["x"], "a": [1]}),
        "a column more": pa.table({"a": [1], "b": ["x"], "c": [1]}),
        "a column less": pa.table({"a": [1]}),
    }[name]
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(other, tmp_path / "2.parquet")
    refused(tmp_path, MALFORMED, file="2.parquet")
    refused(f"{tmp_path}/*.parquet", MALFORMED, file="2.parquet")


def test_more_files_than_allowed_are_refused(tmp_path: Path, refused: Any) -> None:
    for number in range(6):
        pq.write_table(pa.table({"a": [1]}), tmp_path / f"{number}.parquet")
    few = ReadOptions(limits=Limits(members=5))
    refused(tmp_path, LIMIT, few, limit_name="members")
    refused(f"{tmp_path}/*.parquet", LIMIT, few, limit_name="members")


def test_types_of_parquet_are_not_overridden(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(GOOD)
    refused(path, INTENT, ReadOptions(types={"n": "string"}), path="types", expected="int64")
    refused(path, INTENT, ReadOptions(types={"nn": "string"}), path="types", did_you_mean=["n"])


def test_packed_file_is_measured_before_it_is_unpacked(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow(pa.table({"x": np.zeros(10_000_000)}), "zstd"))
    assert path.stat().st_size < 200_000
    before = pa.total_allocated_bytes()
    refused(path, LIMIT, ReadOptions(limits=Limits(memory_bytes=50_000_000)), limit_name="memory_bytes")
    assert pa.total_allocated_bytes() <= before


READER = """
import json, sys
from pathlib import Path
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.errors import ServiceError

outcome = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        found = read(path, ReadOptions())
        outcome[path.name] = "read"
        if found.table is not None:
            found.table.validate(full=True)
    except ServiceError as error:
        outcome[path.name] = error.code
    except BaseException as error:
        outcome[path.name] = f"crash: {error!r}"
print(json.dumps(outcome))
"""
SOUND = {"parquet": GOOD, "arrow": GOOD_ARROW, "feather": arrow(TABLE, "lz4")}


def flipped(content: bytes, chance: random.Random) -> bytes:
    """The content with up to four bits flipped, most of them near the end, where the footer is, or cut short."""
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        low = 0 if chance.random() < 0.5 else max(0, len(data) - 900)
        data[chance.randrange(low, len(data))] ^= 1 << chance.randrange(8)
    return bytes(data[: chance.randrange(len(data))] if chance.random() < 0.1 else data)


def fuzz(ending: str, count: int, seed: int, folder: Path) -> dict[str, str]:
    """What a process of its own makes of damaged files."""
    chance = random.Random(seed)
    for number in range(count):
        (folder / f"{number}.{ending}").write_bytes(flipped(SOUND[ending], chance))
    run = subprocess.run([sys.executable, "-c", READER, str(folder)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2_000:]
    outcome: dict[str, str] = json.loads(run.stdout)
    assert len(outcome) == count == len(list(folder.iterdir()))
    return outcome


@pytest.mark.parametrize("ending", SOUND)
def test_flipped_bits_never_crash_the_reader(
    ending: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    outcome = fuzz(ending, 100, 1, tmp_path)
    assert set(outcome.values()) <= {"read", MALFORMED, LIMIT, INTENT}
    record_property("bad_inputs", sum(code != "read" for code in outcome.values()))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 9))
@pytest.mark.parametrize("ending", SOUND)
def test_flipped_bits_never_crash_the_reader_at_length(
    ending: str, seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    outcome = fuzz(ending, 400, seed, tmp_path)
    assert set(outcome.values()) <= {"read", MALFORMED, LIMIT, INTENT}
    record_property("bad_inputs", sum(code != "read" for code in outcome.values()))


def test_page_that_breaks_off_fails_the_question_as_a_fault_of_the_file(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    # Footers that can be read are all that connecting asks for; the pages are read by the engine.
    chance = random.Random(7)
    codes = set()
    for _ in range(60):
        path = tmp_path / "data.parquet"
        path.write_bytes(flipped(GOOD, chance))
        service = create_service(project=tmp_path)
        try:
            service.connect(path, name="data")
            for question in ("sum n by c from data", "avg x from data", "max s from data", "max t from data"):
                service.ask(question)
        except ServiceError as error:
            codes.add(error.code)
            record_property("bad_inputs", 1)
        finally:
            service.close()
    assert codes <= {MALFORMED, LIMIT}, codes


def test_sound_files_of_these_tests_are_read(tmp_path: Path) -> None:
    for ending, content in SOUND.items():
        path = tmp_path / f"sound.{ending}"
        path.write_bytes(content)
        assert read(path, ReadOptions()).row_count == 300
