"""What a whole ledger's verification says; what it says of altered ones is in tests/security/test_ledger_faults.py."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from service_nb.core.canonical import write_canonical_bytes
from service_nb.errors import EvidenceError
from service_nb.evidence.verdicts import CAUSES
from service_nb.ledger import signatures, verify
from service_nb.ledger.store import Ledger, NewEntry
from tests.simulators.ledgers import DATABASE, Key, large_text, ledger_of, new_entry

KEYS = [Key().public_key]
CHECKS = ["form", "entry", "order", "texts", "root", "signer", "checkpoint", "remembered"]


def test_a_sound_ledger_passes_each_check(folder: Path) -> None:
    verdict = ledger_of(folder, 30, large=2).verify(keys=KEYS)
    assert [(check.name, check.status) for check in verdict.checks] == [(name, "passed") for name in CHECKS]


def test_signed_by_a_key_that_is_not_trusted_it_is_unaltered_and_no_more(folder: Path) -> None:
    for keys in ([], [Key(2).public_key]):
        verdict = ledger_of(folder.with_name(f"ledger-{len(keys)}"), 3).verify(keys=keys)
        assert (verdict.status, verdict.causes) == ("unaltered", ())
        assert [check.cause for check in verdict.checks if check.cause] == ["unknown_signer"]


def at(number: int, time: str) -> NewEntry:
    """An entry of a stated time."""
    entry = new_entry(number)
    said = json.loads(entry.payload)
    said["predicate"]["time"] = time
    return replace(entry, payload=write_canonical_bytes(said), card=None)


def test_a_time_that_runs_backwards_is_told_and_is_no_fault(folder: Path) -> None:
    ledger = Ledger(folder, Key)
    times = ("2026-11-21T13:00:00.5Z", "2026-11-21T15:00:00+02:00", "2026-11-21T12:59:30Z", "2026-12-31T23:59:60Z")
    ledger.append([at(number, time) for number, time in enumerate(times)])
    order = next(check for check in ledger.verify(keys=KEYS).checks if check.name == "order")
    assert (order.status, order.message) == ("passed", "")
    ledger.append([at(4, "2026-11-30T00:00:00Z"), at(5, "2026-12-01T00:00:00Z"), at(6, "2027-01-01T00:00:00Z")])
    verdict = ledger.verify(keys=KEYS)
    order = next(check for check in verdict.checks if check.name == "order")
    assert (verdict.status, order.status) == ("verified", "passed")
    assert order.message.startswith("time_backwards: entry at index 4 and 1 more")
    ledger.close()


@pytest.mark.parametrize("time", ["", "yesterday", "2026-11-21", "2026-11-21T13:00:00", "2026-13-01T00:00:00Z"])
def test_an_entry_whose_time_is_no_time_is_not_recorded(folder: Path, time: str) -> None:
    with closing(Ledger(folder, Key)) as ledger, pytest.raises(EvidenceError) as caught:
        ledger.append([at(0, time)])
    assert caught.value.reason == "statement_malformed"


def test_without_a_device_key_it_says_that_nobody_signed(folder: Path) -> None:
    ledger = ledger_of(folder, 3, signer=lambda: None)
    unsigned = {check.name for check in ledger.verify().checks if check.cause == "unsigned"}
    assert unsigned == {"entry", "signer", "checkpoint"}
    for keys in ([], KEYS):
        assert (ledger.verify(keys=keys).status, ledger.verify(keys=keys).causes) == ("consistent", ())


def test_what_no_ledger_is_has_one_check(folder: Path) -> None:
    assert [check.cause for check in Ledger(folder, lambda: None).verify().checks] == ["not_a_ledger"]
    folder.mkdir()
    (folder / DATABASE).write_bytes(b"x" * 5_000)
    assert [check.cause for check in Ledger(folder, lambda: None).verify().checks] == ["not_a_ledger"]


def test_files_that_nothing_refers_to_are_told_and_harm_nothing(folder: Path) -> None:
    ledger = ledger_of(folder, 3, large=1)
    (folder / "blobs" / ".part-0123").write_text("half of a te")
    (folder / "blobs" / "sha256" / "aa").mkdir()
    (folder / "blobs" / "sha256" / "aa" / ("aa" * 32)).write_text("left by a kill between file and transaction")
    verdict = ledger.verify(keys=KEYS)
    assert verdict.status == "verified"
    assert "2" in next(check.message for check in verdict.checks if check.name == "texts")


@pytest.mark.parametrize("fault", [None, 17])
def test_many_signatures_are_checked_in_a_second_process_to_the_same_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fault: int | None
) -> None:
    ledger = ledger_of(folder, 40)
    if fault is not None:
        with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
            swap = "UPDATE entries SET signature = (SELECT signature FROM entries WHERE number = 3) WHERE number = ?"
            connection.execute(swap, (fault,))
    alone = ledger.verify(keys=KEYS)
    monkeypatch.setattr(signatures, "MANY", 10)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with closing(signatures.SignatureCheck(40)) as check:
        assert check._other is not None
    assert ledger.verify(keys=KEYS) == alone
    assert alone.causes == (() if fault is None else ("signature_invalid",))


def test_a_second_process_that_ends_costs_time_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = ledger_of(folder, 40)
    monkeypatch.setattr(signatures, "MANY", 10)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for code in ("print('ready')", "print('ready'); print('x')", "raise SystemExit(1)", "import os; os.abort()"):
        monkeypatch.setattr(signatures, "_COMMAND", ("-c", code))
        assert ledger.verify(keys=KEYS).status == "verified"
    monkeypatch.setattr(signatures.sys, "executable", str(folder / "missing"))
    assert ledger.verify(keys=KEYS).status == "verified"


def test_progress_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service_nb.ledger.verify._EVERY", 10)
    told: list[tuple[int, int]] = []
    ledger_of(folder, 25).verify(progress=lambda done, of: told.append((done, of)))
    assert told == [(10, 25), (20, 25), (25, 25)]


def test_a_ledger_is_verified_while_it_is_written(ledger: Ledger) -> None:
    for number in range(10):
        ledger.append([new_entry(number, result=large_text(number))])
        assert ledger.verify(keys=KEYS).status == "verified"


def test_every_cause_of_a_failure_is_explained() -> None:
    stated = set(re.findall(r"`([a-z_]+)`", verify.__doc__ or "")) - {"receipt"}
    assert {"entry_missing", "node_mismatch", "rolled_back"} < stated
    assert stated - CAUSES.keys() == set()
