"""Reading changes nothing, and what is no ledger is not opened: any file may lie where a ledger is expected."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from service_nb.errors import LedgerError
from service_nb.ledger.database import APPLICATION
from service_nb.ledger.store import Ledger
from tests.security.conftest import snapshot
from tests.simulators.ledgers import DATABASE, Key, large_text, ledger_of, new_entry, result_id

ROOT = Path(__file__).resolve().parents[3]
KILLED = """
import os, signal, sys
from pathlib import Path
from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key, large_text, new_entry
key = Key()
ledger = Ledger(Path(sys.argv[1]), lambda: key)
for number in range(20):
    ledger.append([new_entry(number)])
ledger.append([new_entry(20, result=large_text(20))])
os.kill(os.getpid(), signal.SIGKILL)
"""


def read_all(folder: Path) -> None:
    ledger = Ledger(folder, lambda: None)
    assert ledger.count_entries() == 21
    assert ledger.get(result_id(20)).texts["result"] == large_text(20)
    assert len(list(ledger.iter_entries())) == 21
    assert ledger.read_receipt(3) is not None
    assert len(ledger.prove_consistency(5, 21)) > 2
    assert ledger.verify(keys=[Key().public_key]).status == "verified"


def killed(folder: Path) -> Path:
    """A ledger whose writer was killed: most of it is in the log."""
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], cwd=ROOT, timeout=300, check=False)
    assert (folder / f"{DATABASE}-wal").stat().st_size > 0
    return folder


def test_reading_a_closed_ledger_makes_nothing(folder: Path) -> None:
    ledger_of(folder, 21, large=1)
    before = snapshot(folder), {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    read_all(folder)
    assert (snapshot(folder), {path: path.stat().st_mtime_ns for path in folder.rglob("*")}) == before


def test_reading_after_a_kill_makes_and_merges_nothing(folder: Path) -> None:
    killed(folder)
    before = snapshot(folder)
    read_all(folder)
    after = snapshot(folder)
    assert after.pop(f"{DATABASE}-shm")
    assert {name: digest for name, digest in before.items() if not name.endswith("-shm")} == after


def test_a_copy_that_has_the_log_without_its_index_is_read_and_left_as_it_is(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(killed(folder), tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm"))
    before = snapshot(copy)
    read_all(copy)
    assert snapshot(copy) == before


@pytest.mark.parametrize("state", ["closed", "killed"])
def test_a_medium_that_cannot_be_written_is_read(folder: Path, state: str) -> None:
    if state == "killed":
        killed(folder)
    else:
        ledger_of(folder, 21, large=1)
    code = "import os, sys, tests.unit.ledger.test_opening as test; from pathlib import Path\n"
    if os.getuid() == 0:  # whom no mode stops
        code += "os.setgid(65534); os.setuid(65534)\n"
    code += "folder = Path(sys.argv[1]); assert not os.access(folder, os.W_OK)\ntest.read_all(folder)"
    with tempfile.TemporaryDirectory() as open_to_all:  # the folders of pytest are not
        medium = shutil.copytree(folder, Path(open_to_all) / "medium")
        Path(open_to_all).chmod(0o755)
        paths = [medium, *medium.rglob("*")]
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = snapshot(medium)
        try:
            subprocess.run([sys.executable, "-c", code, str(medium)], cwd=ROOT, timeout=300, check=True)
            assert snapshot(medium) == before
        finally:
            for path in paths:
                path.chmod(0o700)


def test_a_ledger_that_is_being_written_is_read_from_elsewhere(ledger: Ledger, folder: Path) -> None:
    ledger.append([new_entry(number) for number in range(20)])
    ledger.append([new_entry(20, result=large_text(20))])
    read_all(folder)
    ledger.append([new_entry(21)])
    assert Ledger(folder, lambda: None).count_entries() == 22


# --- what is no ledger ------------------------------------------------------------------------------------------------


def run_sql(*statements: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
        connection.execute("PRAGMA writable_schema = 1")
        for statement in statements:
            connection.execute(statement)
        connection.close()

    return spoil


def rewritten(content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / DATABASE).write_bytes(content) and None


def linked(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).rename(folder.parent / "elsewhere")
        (folder / name).symlink_to(folder.parent / "elsewhere")

    return spoil


def linked_folder(folder: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


def replaced_by_a_folder(folder: Path) -> None:
    (folder / DATABASE).unlink()
    (folder / DATABASE).mkdir()


def replaced_by_a_pipe(folder: Path) -> None:
    (folder / DATABASE).unlink()
    os.mkfifo(folder / DATABASE)


def beside(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / f"{DATABASE}{name}").symlink_to(folder.parent / "victim")

    return spoil


def with_journal(folder: Path) -> None:
    (folder / f"{DATABASE}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"/etc/passwd")


FOREIGN: dict[str, tuple[Callable[[Path], None], str]] = {
    "a text": (rewritten(b"no database, but quite long enough to be taken for one" * 10), "not_a_ledger"),
    "an empty file": (rewritten(b""), "not_a_ledger"),
    "another database": (run_sql("PRAGMA application_id = 1"), "not_a_ledger"),
    "a newer version": (run_sql("PRAGMA user_version = 2"), "too_new"),
    "an older version": (run_sql("PRAGMA user_version = 0"), "not_a_ledger"),
    "without a log": (run_sql("PRAGMA journal_mode = DELETE"), ""),
    "a trigger": (
        run_sql("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM checkpoints; END"),
        "not_a_ledger",
    ),
    "a view": (run_sql("ALTER TABLE keys RENAME TO k", "CREATE VIEW keys AS SELECT * FROM k"), "not_a_ledger"),
    "a further table": (run_sql("CREATE TABLE more (x)"), "not_a_ledger"),
    "a table less": (run_sql("DROP TABLE texts"), "not_a_ledger"),
    "another column": (run_sql("ALTER TABLE entries ADD COLUMN more TEXT DEFAULT (1)"), "not_a_ledger"),
    "a schema that loads code": (
        run_sql("UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE keys USING fts5(x)' WHERE name = 'keys'"),
        "not_a_ledger damaged",
    ),
    "two ids": (run_sql("UPDATE ledger SET id = 'x'"), "damaged"),
    "no id": (run_sql("DELETE FROM ledger"), "damaged"),
    "no checkpoint": (run_sql("DELETE FROM checkpoints"), "damaged"),
    "a checkpoint of bytes": (run_sql("UPDATE checkpoints SET note = x'00'"), "damaged"),
    "a checkpoint of another size": (run_sql("UPDATE checkpoints SET size = 99"), "damaged"),
    "no tree": (run_sql("DELETE FROM tree"), "damaged"),
    "a short tree": (run_sql("UPDATE tree SET hashes = x'00'"), "damaged"),
    "fewer entries": (run_sql("DELETE FROM entries WHERE number = 4"), "damaged"),
    "a folder": (replaced_by_a_folder, "not_a_ledger"),
    "a pipe": (replaced_by_a_pipe, "not_a_ledger"),
    "a link": (linked(DATABASE), "not_a_ledger"),
    "a linked folder": (linked_folder, "not_a_ledger"),
    "a linked log": (beside("-wal"), "not_a_ledger"),
    "a linked index": (beside("-shm"), "not_a_ledger"),
    "a rollback journal": (with_journal, "not_a_ledger"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(
    folder: Path, what: str, record_property: Callable[[str, object], None]
) -> None:
    ledger_of(folder, 5).close()
    spoil, reasons = FOREIGN[what]
    spoil(folder)
    before = snapshot(folder.parent)
    ledger = Ledger(folder, Key)
    with pytest.raises(LedgerError) as caught:
        ledger.append([new_entry(9)])
    ledger.close()
    assert caught.value.reason in (reasons.split() or ["not_a_ledger"])
    assert str(folder.parent) not in str(caught.value.to_dict())
    if reasons:  # to those who read, one without a log is a ledger
        assert ledger.verify().status == "altered"
    assert snapshot(folder.parent) == before
    record_property("bad_inputs", 1)


def test_links_among_the_blobs_are_not_followed(folder: Path) -> None:
    ledger_of(folder, 3, large=1)
    (blob,) = (path for path in (folder / "blobs").rglob("*") if path.is_file())
    for link in (blob, blob.parent, folder / "blobs" / "sha256", folder / "blobs"):
        target = folder.parent / "elsewhere"
        link.rename(target)
        link.symlink_to(target)
        with pytest.raises(LedgerError) as caught:
            Ledger(folder, lambda: None).get(result_id(2))
        assert caught.value.reason == "damaged"
        assert "text_mismatch" in Ledger(folder, lambda: None).verify().causes
        link.unlink()
        target.rename(link)
    assert Ledger(folder, lambda: None).get(result_id(2)).texts["result"] == large_text(2)


def test_a_folder_that_cannot_be_written_is_told(folder: Path) -> None:
    with pytest.raises(LedgerError) as caught:
        Ledger(folder / "missing" / ".service", lambda: None).append([new_entry(1)])
    assert caught.value.reason == "not_writable"
    assert str(folder) not in str(caught.value.to_dict())


def test_a_ledger_that_another_process_holds_locked_is_busy(
    ledger: Ledger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service_nb.ledger.database.PATIENCE_S", 0.05)
    ledger.append([new_entry(1)])
    holder = sqlite3.connect(folder / DATABASE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError) as caught:
        ledger.append([new_entry(2)])
    assert caught.value.reason == "busy"
    assert ledger.get(result_id(1)).index == 0
    holder.execute("ROLLBACK")
    holder.close()
    ledger.append([new_entry(2)])
    assert ledger.count_entries() == 2


def test_the_number_that_marks_a_ledger_is_stated() -> None:
    assert APPLICATION.to_bytes(4, "big") == b"SNL1"
