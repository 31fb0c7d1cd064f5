from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from service_nb.errors import DeploymentUnavailableError, InvalidIntentError
from service_nb.server.deployment_store import FILE, VERSION, Store
from service_nb.server.keys import Grant, Keys

ROOT = Path(__file__).parents[2]
# Makes keys for ever, and says each that is kept.
WRITER = """
import sys
from pathlib import Path
from service_nb.server.keys import Grant, Keys
from service_nb.server.deployment_store import Store
keys = Keys(Store(Path(sys.argv[1])))
while True:
    key_id, key = keys.create(Grant(tenant="t"))
    sys.stdout.write(f"{key_id} {key.reveal()}\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "data")
    yield made
    made.close()


def writer(folder: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels")])
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def killed(process: subprocess.Popen[str], after: int) -> list[str]:
    """Return what a writer said it had kept, killed in the midst of it."""
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.stdout.close()
    process.wait()
    lines = "".join([*said, rest]).splitlines(keepends=True)
    return [line.split()[1] for line in lines if line.endswith("\n")]


def test_a_store_that_is_killed_while_it_writes_has_all_that_it_said_it_kept(tmp_path: Path) -> None:
    told: list[str] = []
    for after in (1, 7, 23):
        told += killed(writer(tmp_path / "data"), after)
    store = Store(tmp_path / "data")
    try:
        keys = Keys(store)
        assert {keys.authenticate(key).tenant for key in told} == {"t"}
        assert store.select("PRAGMA integrity_check")[0][0] == "ok"
        # At most the one that was being written at each kill is there without having been told.
        assert len(told) <= len(keys.list()) <= len(told) + 3
    finally:
        store.close()


def test_two_processes_write_one_store_and_see_each_other(tmp_path: Path) -> None:
    first, second = writer(tmp_path / "data"), writer(tmp_path / "data")
    told = killed(first, 15) + killed(second, 15)
    store = Store(tmp_path / "data")
    try:
        assert len({Keys(store).authenticate(key).key_id for key in told}) == len(told) >= 30
    finally:
        store.close()


def test_threads_write_one_store(store: Store) -> None:
    keys = Keys(store)
    threads = [threading.Thread(target=lambda: [keys.create(Grant(tenant="t")) for _ in range(5)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys.list()) == 30


def test_what_another_process_wrote_is_told_by_the_version(store: Store) -> None:
    before = store.read_version()
    Keys(store).create(Grant(tenant="t"))
    assert store.read_version() == before  # one's own writing is known already
    other = Store(store.folder)
    Keys(other).create(Grant(tenant="t"))
    other.close()
    assert store.read_version() != before


def test_the_file_its_log_and_its_folder_are_private(store: Store) -> None:
    Keys(store).create(Grant(tenant="t"))
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    for path in store.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
    assert (store.folder / f"{FILE}-wal").exists()


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    class OwnError(Exception):
        pass

    def half() -> None:
        with store.transaction() as connection:
            connection.execute("INSERT INTO connector VALUES ('a', 't', 0, 'k', x'00', 0)")
            raise OwnError

    with pytest.raises(OwnError):
        half()
    assert store.select("SELECT * FROM connector") == []
    assert store.write("DELETE FROM connector") == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (f"PRAGMA user_version = {VERSION + 1}", "store_newer"),
        ("PRAGMA application_id = 7", "store_foreign"),
    ],
)
def test_a_store_of_a_later_release_or_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, change: str, reason: str
) -> None:
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute(change)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(DeploymentUnavailableError) as caught:
        Store(tmp_path)
    assert caught.value.details["reason"] == reason
    assert (tmp_path / FILE).read_bytes() == before


def test_another_programs_database_is_not_taken_over(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(DeploymentUnavailableError) as caught:
        Store(tmp_path)
    assert caught.value.details["reason"] == "store_foreign"


@pytest.mark.parametrize("content", [b"not a database at all, but text" * 40, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(DeploymentUnavailableError) as caught:
        Store(tmp_path)
    assert caught.value.details["reason"] == "store_damaged"


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).symlink_to(elsewhere / "taken.sqlite")
    with pytest.raises(DeploymentUnavailableError) as caught:
        Store(tmp_path / "data")
    assert caught.value.details["reason"] == "store_foreign"
    assert list(elsewhere.iterdir()) == []


def test_a_backup_is_of_one_moment_and_opens_like_the_store(store: Store, tmp_path: Path) -> None:
    keys = Keys(store)
    _, key = keys.create(Grant(tenant="t"))
    target = tmp_path / "copy" / FILE
    target.parent.mkdir()
    assert store.back_up(target) == target.stat().st_size
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    _, later = keys.create(Grant(tenant="t"))
    copy = Store(target.parent)
    try:
        assert Keys(copy).authenticate(key.reveal()).tenant == "t"
        assert len(Keys(copy).list()) == 1
    finally:
        copy.close()
    assert keys.authenticate(later.reveal()).tenant == "t"


def test_a_backup_is_made_while_another_process_writes(store: Store, tmp_path: Path) -> None:
    process = writer(store.folder)
    try:
        assert process.stdout is not None
        first = process.stdout.readline().split()[1]
        store.back_up(tmp_path / "copy.sqlite")
    finally:
        killed(process, 0)
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM api_key").fetchone()[0] >= 1
    assert Keys(store).authenticate(first).tenant == "t"


def test_a_backup_is_never_written_over_a_file(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("mine")
    with pytest.raises(InvalidIntentError) as caught:
        store.back_up(target)
    assert (caught.value.code, caught.value.details["path"]) == ("invalid_intent", "path")
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_store_that_is_locked_for_too_long_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.select("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(store.folder / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DeploymentUnavailableError) as caught:
            Keys(store).create(Grant(tenant="t"))
        assert not store.is_healthy()
    assert caught.value.details["reason"] == "store_busy"
    assert caught.value.retryable
    assert store.is_healthy()
