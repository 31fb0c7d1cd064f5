"""What is appended comes back as it was, with a receipt that holds by itself."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from service_nb.core.digest import compute_root, compute_sha256_hex, hash_leaf, list_completed_nodes, verify_consistency
from service_nb.errors import EvidenceError, LedgerError, LoginRequiredError, ResultNotFoundError
from service_nb.evidence.documents import check_card, open_checkpoint, verify_checkpoint
from service_nb.evidence.standalone import compute_proven_root, decode_base64
from service_nb.ledger import entries, store
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import DATABASE, Key, large_text, new_entry, result_id


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_made_before_the_first_append(ledger: Ledger, folder: Path, home: Path) -> None:
    assert (ledger.count_entries(), ledger.read_id(), list(ledger.iter_entries())) == (0, None, [])
    for read in (lambda: ledger.get(result_id(0)), lambda: ledger.read_receipt(0)):
        with pytest.raises(ResultNotFoundError):
            read()
    with pytest.raises(LedgerError) as caught:
        ledger.read_checkpoint()
    assert caught.value.reason == "not_a_ledger"
    assert ledger.append([]) == []
    assert not folder.exists()
    assert not home.exists()


def test_what_is_stored_is_private_and_kept_out_of_version_control(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(1, result=large_text(1))])
    ledger.close()
    text = compute_sha256_hex(large_text(1).encode())
    assert names(folder) == {DATABASE, ".gitignore", f"blobs/sha256/{text[:2]}/{text}"}
    assert (folder / ".gitignore").read_text() == "*\n"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert modes[".service"] == modes["blobs"] == modes[text[:2]] == 0o700
    assert modes[DATABASE] == 0o600
    assert modes[text] == 0o444


def test_an_entry_comes_back_as_it_was(ledger: Ledger) -> None:
    new = new_entry(7, tenant="north")
    ledger.append([new_entry(1), new])
    stored = ledger.get(result_id(7), "north")
    time = "2026-11-21T13:22:52.000007Z"
    assert (stored.index, stored.id, stored.kind, stored.time) == (1, result_id(7), "query", time)
    assert stored.tenant == "north"
    assert (stored.payload, stored.texts, stored.card) == (new.payload, new.texts, new.card)
    assert stored.public_key == Key().public_key


@pytest.mark.parametrize("size", [entries.INLINE_BYTES - 1, entries.INLINE_BYTES, entries.INLINE_BYTES + 1, 200_000])
def test_texts_of_all_sizes_come_back(ledger: Ledger, folder: Path, size: int) -> None:
    text = json.dumps("ü" + "x" * (size - 4), ensure_ascii=False)
    assert len(text.encode()) == size
    ledger.append([new_entry(1, result=text)])
    assert ledger.get(result_id(1)).texts["result"] == text
    assert (folder / "blobs").exists() == (size > entries.INLINE_BYTES)


def test_a_text_beyond_the_limit_is_recorded_by_its_digest_alone(
    ledger: Ledger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (entries, store):
        monkeypatch.setattr(module, "KEPT_BYTES", 50_000)
    ledger.append([new_entry(1, result=json.dumps("x" * 49_998)), new_entry(2, result=json.dumps("x" * 49_999))])
    assert sorted(ledger.get(result_id(1)).texts) == ["plan", "provenance", "result"]
    assert sorted(ledger.get(result_id(2)).texts) == ["plan", "provenance"]
    assert sorted(ledger.get(result_id(2)).subjects) == ["plan", "provenance", "result"]
    assert ledger.verify(keys=[Key().public_key]).status == "verified"


def test_a_text_that_many_entries_share_is_kept_once(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(number, result=large_text(0)) for number in range(3)])
    ledger.append([new_entry(number, result=large_text(0)) for number in range(3, 6)])
    assert len([name for name in names(folder) if name.startswith("blobs")]) == 1
    assert {ledger.get(result_id(number)).texts["result"] for number in range(6)} == {large_text(0)}


def test_the_same_text_appended_again_mends_a_damaged_one(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(1, result=large_text(0)), new_entry(2, result='["small"]')])
    ledger.close()
    (blob,) = (path for path in (folder / "blobs").rglob("*") if path.is_file())
    blob.chmod(0o600)
    blob.write_text("torn")
    with sqlite3.connect(folder / DATABASE) as connection:
        connection.execute("UPDATE texts SET content = x'00' WHERE bytes = 9")
    connection.close()
    for number in (1, 2):
        with pytest.raises(LedgerError) as caught:
            ledger.get(result_id(number))
        assert caught.value.reason == "damaged"
    ledger.append([new_entry(3, result=large_text(0)), new_entry(4, result='["small"]')])
    assert ledger.get(result_id(1)).texts["result"] == large_text(0)
    assert ledger.get(result_id(2)).texts["result"] == '["small"]'


# --- receipts ---------------------------------------------------------------------------------------------------------


def test_the_receipt_of_every_entry_holds_alone_and_is_given_again_to_the_byte(ledger: Ledger) -> None:
    receipts = []
    for batch in ([0], [1, 2, 3], [4], list(range(5, 20)), [20]):
        receipts += ledger.append([new_entry(number) for number in batch])
    for index, receipt in enumerate(receipts):
        assert receipt is not None
        assert receipt == ledger.read_receipt(index)
        card = json.loads(ledger.get(result_id(index)).card or "") | {"receipt": receipt}
        assert check_card(card, keys=[Key().public_key], contracts=[]).status == "verified"
        checkpoint = verify_checkpoint(receipt["log"]["checkpoint"], decode_base64(receipt["public_key"]) or b"")
        proof = [bytes.fromhex(value) for value in receipt["log"]["proof"]]
        leaf = hash_leaf(new_entry(index).payload)
        assert compute_proven_root(leaf, index, checkpoint.size, proof) == checkpoint.root


def test_every_size_has_the_root_of_the_textbook_and_each_is_the_beginning_of_the_next(ledger: Ledger) -> None:
    kept: dict[tuple[int, int], bytes] = {}

    def nodes(level: int, index: int) -> bytes:
        return kept[level, index]

    roots = [compute_root(0, nodes)]
    for number in range(40):
        ledger.append([new_entry(number)])
        leaf = hash_leaf(new_entry(number).payload)
        kept |= {(level, at): value for level, at, value in list_completed_nodes(number, leaf, nodes)}
        roots.append(compute_root(number + 1, nodes))
        assert open_checkpoint(ledger.read_checkpoint()).checkpoint.root == roots[-1]
    for old in range(0, 41, 3):
        for new in range(old, 41, 4):
            assert verify_consistency(old, new, roots[old], roots[new], ledger.prove_consistency(old, new))
    with pytest.raises(ValueError):
        ledger.prove_consistency(3, 41)


def test_a_ledger_goes_on_without_a_key_and_under_another_one(folder: Path) -> None:
    first, second = Key(1), Key(2)
    signers = [None, first, first, None, second, first]
    given = []
    for number, signer in enumerate(signers):
        with Ledger(folder, lambda signer=signer: signer) as ledger:
            given += ledger.append([new_entry(number)])
    ledger = Ledger(folder, lambda: None)
    assert [None if one is None else one["public_key"] for one in given] == [
        None if signer is None else signer.public_key for signer in signers
    ]
    assert [ledger.read_receipt(number) for number in range(6)] == given
    verdict = ledger.verify()
    assert verdict.causes == ()
    assert {check.cause for check in verdict.checks if check.status != "passed"} == {"unsigned", "unknown_signer"}


def test_a_device_key_that_cannot_be_used_stops_the_append(folder: Path) -> None:
    def broken() -> None:
        raise LoginRequiredError("", reason="key_malformed")

    with pytest.raises(LoginRequiredError):
        Ledger(folder, broken).append([new_entry(1)])
    assert not folder.exists()


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked", ["query_0000000000000002", "", "query_1", "../ledger", "QUERY_0000000000000001", "x" * 99]
)
def test_what_is_not_there_and_what_is_no_id_is_not_found(ledger: Ledger, asked: str) -> None:
    ledger.append([new_entry(1)])
    with pytest.raises(ResultNotFoundError) as caught:
        ledger.get(asked)
    assert caught.value.code == "result_not_found"


def test_another_tenants_result_and_a_missing_one_are_the_same(ledger: Ledger) -> None:
    ledger.append([new_entry(1, tenant="north"), new_entry(2)])
    told = []
    for asked, tenant in [(1, "south"), (1, None), (2, "north"), (3, "north"), (3, None)]:
        with pytest.raises(ResultNotFoundError) as caught:
            ledger.get(result_id(asked), tenant)
        told.append(caught.value.to_dict())
    assert all(one == told[0] for one in told)


def test_entries_are_listed_in_pages_in_both_orders(ledger: Ledger) -> None:
    ledger.append([new_entry(number) for number in range(600)])
    assert [stored.index for stored in ledger.iter_entries()] == list(range(600))
    assert [stored.index for stored in ledger.iter_entries(newest_first=True)] == list(range(599, -1, -1))
    assert [stored.index for stored in ledger.iter_entries(250, 262)] == list(range(250, 262))
    assert [stored.index for stored in ledger.iter_entries(-5, 3, newest_first=True)] == [2, 1, 0]
    assert list(ledger.iter_entries(600)) == list(ledger.iter_entries(5, 5)) == []
    assert next(ledger.iter_entries()).payload == new_entry(0).payload


def test_a_ledger_of_one_tenant_lists_and_takes_its_own_entries(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(1, tenant="north"), new_entry(2), new_entry(3, tenant="south")])
    north = Ledger(folder, lambda: None, tenant="north")
    assert [stored.index for stored in north.iter_entries()] == [0]
    with pytest.raises(ValueError):
        north.append([new_entry(4, tenant="south")])


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"payload": new_entry(2).payload},
        {"payload": b"{}"},
        {"payload": b"{"},
        {"texts": {"plan": "another"}},
        {"texts": {"value": "1"}},
        {"card": "{}"},
        {"card": "["},
        {"card": str(new_entry(2).card)},
        {"card": str(new_entry(1).card).replace("in flights_1", "in flights_2")},
        {"card": str(new_entry(1).card).replace('["AA","1","1"]', '["AA","2","1"]')},
        {"card": str(new_entry(1).card).replace('"version":1', '"version":1,"version":1')},
    ],
)
def test_an_entry_that_contradicts_its_statement_is_refused(ledger: Ledger, changes: dict[str, object]) -> None:
    ledger.append([new_entry(0)])
    with pytest.raises(EvidenceError) as caught:
        ledger.append([new_entry(5), replace(new_entry(1), **changes)])
    assert caught.value.reason == "statement_malformed"
    assert ledger.count_entries() == 1


def test_a_statement_that_is_too_large_to_be_read_again_is_refused(ledger: Ledger) -> None:
    with pytest.raises(EvidenceError) as caught:
        ledger.append([new_entry(0), new_entry(1, tenant="x" * 300_000)])
    assert caught.value.details["reason"] == "statement_malformed"
    assert ledger.count_entries() == 0


def test_an_id_that_is_taken_is_refused_and_the_ledger_goes_on(ledger: Ledger) -> None:
    ledger.append([new_entry(1)])
    for batch in ([new_entry(1)], [new_entry(2), new_entry(1)], [new_entry(3), new_entry(3)]):
        with pytest.raises(LedgerError) as caught:
            ledger.append(batch)
        assert caught.value.reason == "duplicate_id"
    assert ledger.append([new_entry(2)])[0] == ledger.read_receipt(1)
    assert ledger.verify(keys=[Key().public_key]).status == "verified"


def test_a_card_without_its_rows_is_that_card_still(ledger: Ledger) -> None:
    stripped = str(new_entry(1).card).replace('[["AA","1"]]', "[]")
    ledger.append([new_entry(1, card=stripped)])
    assert ledger.get(result_id(1)).card == stripped


def test_a_database_that_is_put_in_place_of_an_open_one_is_noticed(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(1)])
    first = ledger.read_id()
    folder.rename(folder.with_name("moved"))
    ledger.append([new_entry(1)])
    assert (ledger.count_entries(), ledger.read_id() == first) == (1, False)
    assert Ledger(folder.with_name("moved"), lambda: None).read_id() == first


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of threads that the test runner has
def test_a_forked_process_leaves_the_connection_to_its_parent(ledger: Ledger) -> None:
    ledger.append([new_entry(1)])
    child = os.fork()
    if not child:
        try:
            ledger.append([new_entry(2)])
            ledger.close()
        finally:
            os._exit(ledger.count_entries() != 2)
    assert os.waitpid(child, 0)[1] == 0
    ledger.append([new_entry(3)])
    assert [stored.id for stored in ledger.iter_entries()] == [result_id(1), result_id(2), result_id(3)]
    assert ledger.verify(keys=[Key().public_key]).status == "verified"
