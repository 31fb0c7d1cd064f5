"""Threads that append at once wait for the disk once; none meets another's error, and each has its own receipt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service_nb.errors import LedgerError
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, new_entry, result_id


def at_once(ledger: Ledger, works: list[Callable[[], object]]) -> list[object]:
    """Do works in threads that all wait at the ledger's lock, and return what came of each, errors among it."""

    def outcome(work: Callable[[], object]) -> object:
        try:
            return work()
        except LedgerError as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        with ledger._lock:
            done = [pool.submit(outcome, work) for work in works]
            while len(ledger._waiting) < len(works):
                threading.Event().wait(0.01)
        return [each.result() for each in done]


def appending(ledger: Ledger, *numbers: int) -> Callable[[], object]:
    return lambda: ledger.append([new_entry(number) for number in numbers])


def test_each_has_the_receipts_of_its_own_entries(ledger: Ledger) -> None:
    ledger.append([new_entry(0)])
    calls = [(1, 2), (3,), (4, 5, 6), (7,)]
    outcomes = at_once(ledger, [appending(ledger, *numbers) for numbers in calls])
    for numbers, receipts in zip(calls, outcomes, strict=True):
        assert isinstance(receipts, list)
        for number, receipt in zip(numbers, receipts, strict=True):
            assert ledger.get(result_id(number)).index == receipt["log"]["index"]
            assert ledger.read_receipt(receipt["log"]["index"]) == receipt
    assert ledger.count_entries() == 8
    assert ledger.verify(keys=[Key().public_key]).status == "verified"
    assert ledger._waiting == []


def test_they_are_one_transaction(ledger: Ledger) -> None:
    at_once(ledger, [appending(ledger, number) for number in range(6)])
    receipts = [ledger.read_receipt(index) for index in range(6)]
    assert {receipt["log"]["size"] for receipt in receipts if receipt is not None} == {6}


def test_what_one_did_wrong_is_told_to_that_one_alone(ledger: Ledger) -> None:
    ledger.append([new_entry(0)])
    outcomes = at_once(ledger, [appending(ledger, number) for number in (1, 0, 2, 0, 3)])
    reasons = [each.reason if isinstance(each, LedgerError) else None for each in outcomes]
    assert reasons == [None, "duplicate_id", None, "duplicate_id", None]
    assert sorted(stored.id for stored in ledger.iter_entries()) == sorted(result_id(number) for number in range(4))
    assert ledger.verify(keys=[Key().public_key]).status == "verified"


def test_the_same_entry_at_once_is_there_once(ledger: Ledger) -> None:
    outcomes = at_once(ledger, [appending(ledger, 1) for _ in range(5)])
    assert sum(isinstance(each, LedgerError) for each in outcomes) == 4
    assert ledger.count_entries() == 1


def test_entries_of_two_keys_are_signed_with_their_own(folder: Path) -> None:
    keys = [Key(1), Key(2)]
    own = threading.local()
    ledger = Ledger(folder, lambda: own.key)

    def appended(number: int) -> object:
        own.key = keys[number % 2]
        return ledger.append([new_entry(number)])

    at_once(ledger, [lambda number=number: appended(number) for number in range(6)])  # type: ignore[misc]
    met = {stored.id: stored.keyid for stored in ledger.iter_entries()}
    assert met == {result_id(number): keys[number % 2].id for number in range(6)}
    ledger.close()
