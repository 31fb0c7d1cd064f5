"""Threads and processes that write to one ledger: everything is there once, in one order, under one tree."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, new_entry, result_id

ROOT = Path(__file__).resolve().parents[3]
WRITER = """
import sys
from pathlib import Path
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, new_entry
key = Key(int(sys.argv[2]))
ledger = Ledger(Path(sys.argv[1]), lambda: key)
sys.stdin.read(1)
for number in range(int(sys.argv[3]), int(sys.argv[4])):
    receipt, = ledger.append([new_entry(number)])
    assert ledger.read_receipt(receipt["log"]["index"]) == receipt
ledger.close()
"""


def writer(folder: Path, key: int, numbers: range) -> subprocess.Popen[bytes]:
    arguments = [str(folder), str(key), str(numbers.start), str(numbers.stop)]
    return subprocess.Popen([sys.executable, "-c", WRITER, *arguments], cwd=ROOT, stdin=subprocess.PIPE)


def test_kernels_that_begin_a_ledger_at_once_share_it(folder: Path) -> None:
    writers = [writer(folder, number, range(100 * number, 100 * number + 40)) for number in (1, 2, 3)]
    for one in writers:
        assert one.stdin is not None
        one.stdin.write(b"x")
        one.stdin.flush()
    for one in writers:
        one.communicate(timeout=300)
    assert [one.returncode for one in writers] == [0, 0, 0]
    ledger = Ledger(folder, lambda: None)
    met = [stored.id for stored in ledger.iter_entries()]
    expected = [result_id(100 * number + at) for number in (1, 2, 3) for at in range(40)]
    assert sorted(met) == sorted(expected)
    for number in (1, 2, 3):  # each one's in the order in which it appended them
        own = expected[40 * (number - 1) : 40 * number]
        assert [each for each in met if each in own] == own
    assert ledger.verify(keys=[Key(number).public_key for number in (1, 2, 3)]).status == "verified"


def test_threads_share_one_ledger_object_while_others_read(ledger: Ledger) -> None:
    ledger.append([new_entry(0)])
    faults: list[BaseException] = []

    def run(numbers: range) -> None:
        try:
            for number in numbers:
                (receipt,) = ledger.append([new_entry(number)])
                assert receipt is not None
                assert ledger.get(result_id(number)).index == receipt["log"]["index"]
                assert next(ledger.iter_entries(newest_first=True)).index >= receipt["log"]["index"]
        except BaseException as fault:
            faults.append(fault)
            raise

    threads = [threading.Thread(target=run, args=(range(100 * at, 100 * at + 25),)) for at in range(1, 5)]
    for thread in threads:
        thread.start()
    verdicts = [ledger.verify(keys=[Key().public_key]).status for _ in range(5)]
    for thread in threads:
        thread.join()
    assert faults == []
    assert verdicts == ["verified"] * 5
    assert ledger.count_entries() == 101
    assert ledger.verify(keys=[Key().public_key]).status == "verified"


def test_two_objects_in_one_process_take_turns(folder: Path) -> None:
    one, other = (Ledger(folder, Key) for _ in range(2))
    for number in range(0, 30, 3):
        one.append([new_entry(number)])
        other.append([new_entry(number + 1), new_entry(number + 2)])
        assert one.count_entries() == other.count_entries() == number + 3
    assert one.read_checkpoint() == other.read_checkpoint()
    assert one.verify(keys=[Key().public_key]).status == "verified"
