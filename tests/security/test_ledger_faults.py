"""T4 and T21: what is altered in a ledger is named, and whoever is stopped while recording loses nothing committed.

Stopped means: killed by a timer, before the n-th call into C (each write, sync, rename and statement of SQLite is one),
at the n-th byte of a file (inside SQLite's own writes, which are torn there), or by a disk that is full.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service_nb.errors import LedgerError, ResultNotFoundError
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import DATABASE, Key, copied, ledger_of, new_entry, result_id

ROOT = Path(__file__).resolve().parents[2]
KEYS = [Key().public_key]
BEFORE = 6  # entries that are there before a kill
Record = Callable[[str, object], None]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".service"


# --- entries dropped, moved, doubled, changed -------------------------------------------------------------------------

ALTERATIONS: dict[str, tuple[str, str]] = {
    "dropped": ("DELETE FROM entries WHERE number = :n", "entry_missing"),
    "dropped and closed up": (
        (
            "DELETE FROM entries WHERE number = :n; UPDATE entries SET number = -number WHERE number > :n;"
            "UPDATE entries SET number = -number - 1 WHERE number < 0"
        ),
        "entry_replaced",
    ),
    "swapped with the next": (
        (
            "UPDATE entries SET number = -1 WHERE number = :n; UPDATE entries SET number = :n WHERE number = :m;"
            "UPDATE entries SET number = :m WHERE number = -1"
        ),
        "entry_replaced",
    ),
    "doubled over the next": (
        (
            "DELETE FROM entries WHERE number = :m; INSERT INTO entries SELECT :m, id || 'x', kind, time, tenant, key,"
            " signature, kept, payload, card_sha256, card FROM entries WHERE number = :n"
        ),
        "entry_malformed",
    ),
    "doubled at the end": (
        (
            "INSERT INTO entries SELECT :size, id || 'x', kind, time, tenant, key, signature, kept, payload,"
            " card_sha256, card FROM entries WHERE number = :n"
        ),
        "entry_added",
    ),
    "given another id": ("UPDATE entries SET id = 'query_ffffffffffffffff' WHERE number = :n", "entry_malformed"),
    "given another tenant": ("UPDATE entries SET tenant = 'south' WHERE number = :n", "entry_malformed"),
    "given another time": ("UPDATE entries SET time = '2020' WHERE number = :n", "entry_malformed"),
    "given a text for bytes": ("UPDATE entries SET payload = 'x' WHERE number = :n", "entry_malformed"),
    "given another statement": (
        "UPDATE entries SET payload = CAST(replace(CAST(payload AS TEXT), '0.1.0', '0.1.1') AS BLOB) WHERE number = :n",
        "entry_replaced",
    ),
    "given the signature of the next": (
        "UPDATE entries SET signature = (SELECT signature FROM entries WHERE number = :m) WHERE number = :n",
        "signature_invalid",
    ),
    "robbed of its signature": ("UPDATE entries SET signature = NULL WHERE number = :n", "entry_malformed"),
    "robbed of its leaf": ("DELETE FROM tree WHERE number = :n", "entry_malformed"),
    "given another leaf": ("UPDATE tree SET hashes = zeroblob(32) WHERE number = :n", "entry_replaced"),
    "given further hashes": (
        "UPDATE tree SET hashes = CAST(hashes || hashes AS BLOB) WHERE number = :n",
        "node_mismatch",
    ),
    "given another card": ("UPDATE entries SET card = replace(card, 'ok', 'no') WHERE number = :n", "card_replaced"),
    "given a card of 9 MB": ("UPDATE entries SET card = zeroblob(9000000) WHERE number = :n", "damaged"),
    "robbed of its card": ("UPDATE entries SET card = NULL WHERE number = :n", "card_replaced"),
    "given other texts": (
        (
            "UPDATE texts SET content = CAST(replace(CAST(content AS TEXT), '5', '6') AS BLOB)"
            " WHERE number IN (2 * :n + 1, 2 * :n + 2)"
        ),
        "text_mismatch",
    ),
    "robbed of its texts": ("DELETE FROM texts WHERE number IN (2 * :n + 1, 2 * :n + 2)", "text_missing"),
    "given a text more": ("INSERT INTO texts (sha256, bytes, content) VALUES (zeroblob(32), 0, x'')", "text_unknown"),
}
SIZE = 24


def alter(folder: Path, sql: str, number: int, size: int) -> None:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        for statement in sql.split(";"):
            names = {"n": number, "m": number + 1 if number + 1 < size else 0, "size": size}
            connection.execute(statement, {key: names[key] for key in names if f":{key}" in statement})


@pytest.mark.parametrize("how", ALTERATIONS)
def test_what_is_done_to_an_entry_is_named(folder: Path, how: str, record_property: Record) -> None:
    ledger_of(folder, SIZE)
    sql, cause = ALTERATIONS[how]
    for number in (0, 7, SIZE - 2):
        copy = copied(folder, folder.with_name(f"copy{number}"))
        alter(copy, sql, number, SIZE)
        verdict = Ledger(copy, lambda: None).verify(keys=KEYS)
        assert cause in verdict.causes
        told = next(check.message for check in verdict.checks if check.cause == cause)
        if cause.startswith(("entry", "signature", "card")):
            place = SIZE if "end" in how else number + 1 if how == "doubled over the next" else number
            assert re.search(rf"index ({place}|{number})\b", told)
        record_property("bad_inputs", 1)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["dropped", "swapped with the next", "doubled over the next"])
def test_each_of_a_thousand_entries_is_missed(folder: Path, how: str, record_property: Record) -> None:
    with Ledger(folder, lambda: None) as ledger:  # signatures take most of the time, and are looked at above
        ledger.append([new_entry(number, card=None) for number in range(1_000)])
    sql, cause = ALTERATIONS[how]
    for number in range(1_000):
        copy = copied(folder, folder.with_name("copy"))
        alter(copy, sql, number, 1_000)
        verdict = Ledger(copy, lambda: None).verify()
        assert verdict.causes[:1] == (cause,)
        told = next(check.message for check in verdict.checks if check.cause == cause)
        assert re.search(rf"index ({number}|{(number + 1) % 1_000})\b", told)
        shutil.rmtree(copy)
        record_property("bad_inputs", 1)


def test_an_altered_entry_is_not_given_out(folder: Path, record_property: Record) -> None:
    ledger_of(folder, SIZE)
    refusals = set()
    harmless = {"dropped and closed up", "swapped with the next", "doubled at the end", "given a text more"}
    for how, (sql, _) in ALTERATIONS.items():
        copy = copied(folder, folder.with_name(how))
        alter(copy, sql, 7, SIZE)
        ledger = Ledger(copy, lambda: None)
        try:
            stored = ledger.get(result_id(7))
            receipt = ledger.read_receipt(stored.index)
        except ResultNotFoundError:
            pass
        except LedgerError as error:
            refusals.add(error.reason)
        else:  # then it is the entry as it was
            assert how in harmless | {"given further hashes", "doubled over the next"}
            assert (stored.payload, stored.card) == (new_entry(7).payload, new_entry(7).card)
            assert receipt is not None
        record_property("bad_inputs", 1)
    assert refusals == {"damaged"}


def test_a_ledger_made_anew_with_another_key_is_not_the_one_that_was_trusted(
    folder: Path, record_property: Record
) -> None:
    ledger_of(folder, 5, signer=lambda: Key(2))
    verdict = Ledger(folder, lambda: None).verify(keys=KEYS)
    assert (verdict.status, verdict.causes) == ("unaltered", ())
    assert {check.cause for check in verdict.checks if check.status != "passed"} == {"unknown_signer"}
    record_property("bad_inputs", 1)


def test_checkpoints_that_were_altered_are_named(folder: Path, record_property: Record) -> None:
    ledger = Ledger(folder, Key)
    for number in range(9):
        ledger.append([new_entry(number)])
    ledger.close()
    cases = {
        "UPDATE checkpoints SET note = (SELECT note FROM checkpoints WHERE size = 5) WHERE size = 4": "root_mismatch",
        "UPDATE checkpoints SET note = replace(note, '=', '!') WHERE size = 4": "checkpoint_malformed",
        "UPDATE checkpoints SET key = NULL WHERE size = 4": "root_mismatch",
        "UPDATE checkpoints SET key = 7 WHERE size = 4": "root_mismatch",
        "UPDATE checkpoints SET note = substr(note, 1, 110) || 'AAAA' || substr(note, 115) WHERE size = 4": "",
        "INSERT INTO checkpoints SELECT 0, key, note FROM checkpoints WHERE size = 4": "root_mismatch",
        "UPDATE keys SET public_key = zeroblob(32)": "entry_malformed",
        "UPDATE keys SET id = 'ffffffffffffffff'": "entry_malformed",
        "UPDATE ledger SET id = 'ffffffffffffffffffffffffffffffff'": "damaged",
    }
    for at, (sql, cause) in enumerate(cases.items()):
        copy = copied(folder, folder.with_name(f"copy{at}"))
        alter(copy, sql, 4, 9)
        verdict = Ledger(copy, lambda: None).verify(keys=KEYS)
        assert verdict.status == "altered", sql
        assert not cause or cause in verdict.causes
        record_property("bad_inputs", 1)


def test_a_forged_newest_checkpoint_does_not_hold(folder: Path, record_property: Record) -> None:
    ledger = ledger_of(folder, 9)
    lines = ledger.read_checkpoint().split("\n")
    other = ledger_of(folder.with_name("other"), 9).read_checkpoint().split("\n")
    forged = "\n".join([*lines[:4], other[4], ""])
    alter(folder, f"UPDATE checkpoints SET note = '{forged}'", 0, 9)
    assert Ledger(folder, lambda: None).verify(keys=KEYS).causes == ("checkpoint_invalid",)
    record_property("bad_inputs", 1)


# --- rolled back ------------------------------------------------------------------------------------------------------


def test_an_earlier_copy_that_is_put_back_is_noticed(folder: Path, home: Path, record_property: Record) -> None:
    ledger_of(folder, 5)
    copied(folder, folder.with_name("backup"))
    ledger = Ledger(folder, Key)
    ledger.append([new_entry(5)])
    ledger.close()
    shutil.rmtree(folder)
    copied(folder.with_name("backup"), folder)
    for reader in (ledger, Ledger(folder, Key)):
        with pytest.raises(LedgerError) as caught:
            reader.append([new_entry(6)])
        assert caught.value.reason == "rolled_back"
        assert reader.verify(keys=KEYS).causes == ("rolled_back",)
        assert reader.get(result_id(4)).index == 4
        reader.close()
        record_property("bad_inputs", 1)
    shutil.rmtree(home / "data" / "ledgers")  # on another machine, nobody knows
    assert Ledger(folder, Key).append([new_entry(6)])


def test_another_continuation_of_an_earlier_copy_is_noticed(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch, record_property: Record
) -> None:
    ledger_of(folder, 5)
    copy = copied(folder, folder.with_name("copy"))
    Ledger(folder, Key).append([new_entry(5), new_entry(6)])
    monkeypatch.setenv("SERVICE_HOME", str(home / "elsewhere"))
    elsewhere = Ledger(copy, Key)
    elsewhere.append([new_entry(number) for number in range(10, 20)])
    assert elsewhere.verify(keys=KEYS).status == "verified"
    monkeypatch.setenv("SERVICE_HOME", str(home))
    assert elsewhere.verify(keys=KEYS).causes == ("rolled_back",)
    elsewhere.close()
    with pytest.raises(LedgerError) as caught:
        Ledger(copy, Key).append([new_entry(30)])
    assert caught.value.reason == "rolled_back"
    record_property("bad_inputs", 1)


@pytest.mark.parametrize("memory", [b"", b"x", b"\xff" * 300, b"service-nb/" + b"0" * 32 + b"\n9\n", None])
def test_a_memory_that_is_damaged_says_nothing_and_is_put_right(
    folder: Path, home: Path, memory: bytes | None, record_property: Record
) -> None:
    ledger = ledger_of(folder, 3)
    kept = home / "data" / "ledgers" / str(ledger.read_id())
    assert kept.read_text() == ledger.read_checkpoint()
    kept.write_bytes(memory if memory is not None else kept.read_bytes()[:100])
    assert ledger.verify(keys=KEYS).status == "verified"
    ledger.append([new_entry(3)])
    assert kept.read_text() == ledger.read_checkpoint()
    record_property("bad_inputs", 1)


# --- cut, and with flipped bits ---------------------------------------------------------------------------------------


def content(folder: Path) -> list[tuple[bytes, str | None, dict[str, str]]]:
    ledger = Ledger(folder, lambda: None)
    found = [ledger.get(stored.id) for stored in ledger.iter_entries()]
    return [(stored.payload, stored.card, dict(stored.texts)) for stored in found]


def is_never_wrong(folder: Path, whole: list[tuple[bytes, str | None, dict[str, str]]]) -> bool:
    """Whether a damaged ledger is refused or holds exactly what it held; True if it was refused."""
    try:
        verdict = Ledger(folder, lambda: None).verify(keys=KEYS)
        met = content(folder)
    except LedgerError as error:
        if error.reason not in ("damaged", "not_a_ledger", "too_new"):
            raise
        return True
    except ResultNotFoundError:  # an entry that is listed is not found by its id: its index is damaged
        assert verdict.status == "altered"
        return True
    assert met == whole, "an altered entry was given out"
    return verdict.status == "altered"


def cut(folder: Path, name: str, offsets: list[int]) -> int:
    whole, before = content(folder), (folder / name).read_bytes()
    refused = 0
    for offset in offsets:
        (folder / name).write_bytes(before[:offset])
        refused += is_never_wrong(folder, whole)
    (folder / name).write_bytes(before)
    assert content(folder) == whole
    return refused


def test_a_database_cut_within_its_last_page_is_refused(folder: Path, record_property: Record) -> None:
    ledger_of(folder, 9)  # whose last page is full: no cut takes only what no table uses
    size = (folder / DATABASE).stat().st_size
    offsets = [*random.Random(1).sample(range(size - 4096, size), 12), size - 4096, size - 1]
    assert cut(folder, DATABASE, offsets) == len(offsets)
    record_property("bad_inputs", len(offsets))


@pytest.mark.slow
def test_a_database_cut_at_every_byte_of_its_last_page_is_refused(folder: Path, record_property: Record) -> None:
    ledger_of(folder, 9)  # whose last page is full: no cut takes only what no table uses
    size = (folder / DATABASE).stat().st_size
    assert cut(folder, DATABASE, list(range(size - 4096, size))) == 4096
    record_property("bad_inputs", 4096)


def cut_log(folder: Path, every: int, record_property: Record) -> None:
    """Cut the log of the last appends, as a power cut may: what is left is a state that was, and verifies."""
    ledger = Ledger(folder, Key)
    for number in range(3):
        ledger.append([new_entry(number)])
    states = {len(ledger_content): ledger_content for ledger_content in [content(folder)]}
    copy = copied(folder, folder.with_name("copy"))
    ledger.close()
    (copy / f"{DATABASE}-shm").unlink()
    log = (copy / f"{DATABASE}-wal").read_bytes()
    sizes = set()
    for offset in range(len(log) - 1, 0, -every):
        (copy / f"{DATABASE}-wal").write_bytes(log[:offset])
        left = Ledger(copy, lambda: None)
        size = left.count_entries()
        assert content(copy) == states[3][:size]
        assert size == 0 or set(left.verify(keys=KEYS).causes) <= {"rolled_back"}
        sizes.add(size)
        record_property("bad_inputs", 1)
    assert sizes == {0, 1, 2}


def test_a_log_that_was_cut_is_an_earlier_state(folder: Path, record_property: Record) -> None:
    cut_log(folder, 4_001, record_property)


@pytest.mark.slow
def test_a_log_that_was_cut_anywhere_is_an_earlier_state(folder: Path, record_property: Record) -> None:
    cut_log(folder, 97, record_property)


def flip(folder: Path, seed: int, flips: int, record_property: Record) -> None:
    ledger_of(folder, 4, large=1)
    whole = content(folder)
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore"]
    draw = random.Random(seed)
    refused = 0
    for _ in range(flips):
        path = draw.choices(files, [path.stat().st_size for path in files])[0]
        before = path.read_bytes()
        at = draw.randrange(len(before))
        path.chmod(0o600)
        path.write_bytes(before[:at] + bytes([before[at] ^ 1 << draw.randrange(8)]) + before[at + 1 :])
        refused += is_never_wrong(folder, whole)
        path.write_bytes(before)
        record_property("bad_inputs", 1)
    assert refused > flips // 20  # most of a small database is unused room


def test_a_flipped_bit_is_refused_or_changes_nothing(folder: Path, record_property: Record) -> None:
    flip(folder, 1, 100, record_property)


@pytest.mark.slow
def test_ten_thousand_flipped_bits_are_refused_or_change_nothing(folder: Path, record_property: Record) -> None:
    flip(folder, 2, 10_000, record_property)


# --- stopped while recording ------------------------------------------------------------------------------------------

# What is acknowledged on the pipe was returned by `append`, so it is committed.
CHILD = """
import os, signal, sys
from pathlib import Path
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, large_text, new_entry
folder, how, at, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
key = Key()
new = [new_entry(n, result=large_text(n)) if n % 3 == 0 else new_entry(n) for n in range(first, first + 12)]
batches = [new[:1], new[1:4], new[4:5], new[5:9], new[9:]]
os.write(1, b"begin\\n")
if how == "file":
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))
if how == "call":
    def stop(frame, event, argument):
        global at
        if event == "c_call":
            at -= 1
            if at < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(stop)
ledger = Ledger(folder, lambda: key)
for batch in batches:
    for receipt in ledger.append(batch):
        os.write(1, b"%d\\n" % receipt["log"]["index"])
if how != "never":
    ledger.close()
sys.setprofile(None)
os.write(1, b"end\\n")
"""


def stopped(folder: Path, how: str, at: float, first: int = 100) -> tuple[int, bool]:
    """Run a writer that is stopped on its way; return how many entries it had acknowledged, and whether it ended."""
    arguments = [str(folder), "timer" if how == "timer" else how, str(int(at)), str(first)]
    child = subprocess.Popen([sys.executable, "-c", CHILD, *arguments], cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begin\n"
    if how == "timer":
        until = time.perf_counter() + at
        while time.perf_counter() < until:
            pass
        child.send_signal(signal.SIGKILL)
    said, _ = child.communicate(timeout=300)
    return sum(line.isdigit() for line in said.split()), said.endswith(b"end\n")


def holds(folder: Path, acknowledged: int, before: int) -> int:
    """Check that a ledger lost nothing, holds batches whole, and goes on; return its size when it was stopped."""
    ledger = Ledger(folder, Key)
    size = ledger.count_entries()
    assert size - before in (0, 1, 4, 5, 9, 12), "a batch was torn"
    assert size >= before + acknowledged, "a committed entry was lost"
    if size:
        assert ledger.verify(keys=KEYS).status == "verified"
    for number in range(before, size):
        assert ledger.get(result_id(100 + number - before)).payload
    ledger.append([new_entry(99)])
    assert ledger.verify(keys=KEYS).status == "verified"
    ledger.close()
    return size


def runs(folder: Path, moments: list[tuple[str, float]], record_property: Record) -> set[int]:
    """Stop a writer at each moment: on a new ledger, and on one with entries in turn; return the sizes that it left."""
    ledger_of(folder, BEFORE)
    sizes = set()
    for at, (how, moment) in enumerate(moments):
        before = BEFORE if at % 2 else 0
        copy = folder.with_name("copy")
        if before:
            copied(folder, copy)
        acknowledged, _ = stopped(copy, how, moment)
        sizes.add(holds(copy, acknowledged, before) - before)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.rmtree(Path(os.environ["SERVICE_HOME"]) / "data" / "ledgers", ignore_errors=True)
        record_property("bad_inputs", 1)
    return sizes


def calls(folder: Path) -> int:
    """How many calls into C a whole run makes."""
    low, high = 0, 1 << 16
    while low + 50 < high:
        middle = (low + high) // 2
        _, ended = stopped(folder, "call", middle)
        shutil.rmtree(folder, ignore_errors=True)
        low, high = (low, middle) if ended else (middle, high)
    return high


def moments(draw: random.Random, kills: int, most_calls: int) -> Iterator[tuple[str, float]]:
    for at in range(kills):
        if at % 5 < 2:
            yield "call", draw.randrange(most_calls)
        elif at % 5 < 4:
            yield "file", draw.randrange(1, 700_000) if at % 2 else draw.randrange(1, 60_000)
        else:
            yield "timer", draw.random() * 0.08


def test_a_writer_that_is_killed_loses_nothing_committed(folder: Path, record_property: Record) -> None:
    sizes = runs(folder, list(moments(random.Random(3), 16, 9_000)), record_property)
    assert len(sizes) >= 3  # it was stopped on the way, and not only before or after


@pytest.mark.slow
def test_a_writer_that_is_killed_five_hundred_times_loses_nothing_committed(
    folder: Path, record_property: Record
) -> None:
    most = calls(folder.with_name("probe"))
    assert runs(folder, list(moments(random.Random(4), 500, most)), record_property) == {0, 1, 4, 5, 9, 12}


# --- a full disk ------------------------------------------------------------------------------------------------------

LIMITED = """
import resource, signal, sys
from pathlib import Path
from service_nb.errors import LedgerError
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, large_text, new_entry
folder, most, first = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
key = Key()
new = [new_entry(n, result=large_text(n)) if n % 3 == 0 else new_entry(n) for n in range(first, first + 300)]
ledger = Ledger(folder, lambda: key)
if most:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for entry in new:
    try:
        ledger.append([entry])
    except LedgerError as error:
        print("refused", error.reason)
        break
    print("kept", flush=True)
"""


def filled(folder: Path, most: int = 0, prefix: tuple[str, ...] = ()) -> tuple[int, str]:
    """Append until there is no room; return how many were kept, and why the next was refused."""
    command = [*prefix, sys.executable, "-c", LIMITED, str(folder), str(most), "100"]
    said = subprocess.run(command, cwd=ROOT, timeout=300, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return said.count("kept"), said[-1]


@pytest.mark.parametrize("most", [1, 3_000, 10_000, 21_000, 50_000, 99_000, 400_000])
def test_where_files_may_not_grow_nothing_committed_is_lost(folder: Path, most: int, record_property: Record) -> None:
    ledger = ledger_of(folder, BEFORE)
    kept, reason = filled(folder, most)
    assert reason == "disk_full"
    assert ledger.count_entries() == BEFORE + kept
    assert ledger.verify(keys=KEYS).status == "verified"
    ledger.append([new_entry(99)])
    assert ledger.verify(keys=KEYS).status == "verified"
    record_property("bad_inputs", 1)


def can_mount() -> bool:
    """Whether a file system of its own can be made here, as outside of most containers."""
    command = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /tmp"]
    return (
        shutil.which("unshare") is not None and not subprocess.run(command, check=False, capture_output=True).returncode
    )


ON_A_SMALL_DISK = """
set -e
mount -t tmpfs -o size=$2 tmpfs $1
cp -a $1.before $1/.service
shift 2
"$@"
cp -a $0/.service $0.after
"""


@pytest.mark.parametrize("size", ["250k", "500k", "900k", "1500k"] if can_mount() else [])
def test_a_disk_that_is_full_loses_nothing_committed(tmp_path: Path, size: str, record_property: Record) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    ledger_of(tmp_path / "disk.before", BEFORE)
    script = ON_A_SMALL_DISK.replace("$0", str(disk))
    prefix = ("unshare", "-rm", "sh", "-c", script, "sh", str(disk), size)
    kept, reason = filled(disk / ".service", prefix=prefix)
    assert reason == "disk_full"
    after = Ledger(tmp_path / "disk.after", Key)
    assert after.count_entries() == BEFORE + kept
    assert after.verify(keys=KEYS).status == "verified"
    after.append([new_entry(99)])
    assert after.verify(keys=KEYS).status == "verified"
    record_property("bad_inputs", 1)
