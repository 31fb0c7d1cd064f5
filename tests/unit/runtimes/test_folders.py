"""Runtimes lie where they shall, whole; one writes at a time; what was interrupted goes away."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from hashlib import sha256
from pathlib import Path

import pytest

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.folders import RuntimeStore, disk_errors, move_into_place, read_json, remove_tree, write_file
from service_nb.runtimes.install import Installed, audit, verify_installed
from service_nb.runtimes.process import remove_altered
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.trust import HighestVersion
from tests.simulators import wheels
from tests.simulators.runtimes import BUNDLE, MEMBERS, bundle

CONTRACT, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RuntimeStore:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    return RuntimeStore()


@pytest.fixture
def runtime(store: RuntimeStore, tmp_path: Path) -> Installed:
    """A small runtime, installed from a file."""
    return provision(from_file=bundle(tmp_path / "home", tmp_path / "file"))


def test_nothing_is_written_by_looking(store: RuntimeStore, tmp_path: Path) -> None:
    assert find_installed() is None
    assert store.list_bundles() == []
    assert store.find_highest(CONTRACT) is None
    assert store.open_fetched_wheel("0" * 64) is None
    assert not (tmp_path / "home").exists()


def test_folders_are_the_users_alone(store: RuntimeStore) -> None:
    with store.lock():
        for folder in (store.data, store.cache, store.wheels, store.bundles, store.fetched):
            assert folder.stat().st_mode & 0o777 == 0o700


def test_one_holds_the_lock_and_the_other_waits(store: RuntimeStore) -> None:
    order: list[str] = []
    is_waiting = threading.Event()

    def second() -> None:
        with RuntimeStore().lock(is_waiting.set):
            order.append("second")

    thread = threading.Thread(target=second)
    with store.lock():
        thread.start()
        assert is_waiting.wait(30)
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]


def test_a_part_is_gone_unless_it_was_settled(store: RuntimeStore) -> None:
    with store.lock():
        with store.make_part(store.wheels) as part:
            (part / "deep").mkdir()
            (part / "deep" / "file").write_bytes(b"x")
        assert list(store.wheels.iterdir()) == []
        with store.make_part(store.wheels) as part:
            (part / "file").write_bytes(b"x")
            move_into_place(part, store.wheels / "name")
        assert [path.name for path in store.wheels.iterdir()] == ["name"]


def test_what_is_settled_replaces_what_was_there(store: RuntimeStore) -> None:
    with store.lock():
        for content in (b"old", b"new"):
            with store.make_part(store.wheels) as part:
                (part / "file").write_bytes(content)
                move_into_place(part, store.wheels / "name")
        assert (store.wheels / "name" / "file").read_bytes() == b"new"
        assert len(list(store.wheels.iterdir())) == 1


def test_a_fetched_wheel_is_opened_only_if_it_is_the_one(store: RuntimeStore) -> None:
    content = wheels.wheel()
    name = sha256(content).hexdigest()
    with store.lock():
        store.find_fetched_file(name).write_bytes(content)
        store.find_fetched_file("0" * 64).write_bytes(content)
    file = store.open_fetched_wheel(name)
    assert file is not None
    with file:
        assert file.read() == content
    assert store.open_fetched_wheel("0" * 64) is None
    assert not store.find_fetched_file("0" * 64).exists(), "and what is not is removed"


def test_the_highest_version_only_rises_and_is_of_one_contract(store: RuntimeStore) -> None:
    with store.lock():
        for version in ("0.2.0", "0.10.0", "0.9.9"):
            store.raise_highest(CONTRACT, HighestVersion(version, "key"))
        store.raise_highest(OTHER, HighestVersion("0.1.0", "other"))
    assert store.find_highest(CONTRACT) == HighestVersion("0.10.0", "key")
    assert store.find_highest(OTHER) == HighestVersion("0.1.0", "other")


def test_a_small_file_is_replaced_whole(store: RuntimeStore) -> None:
    with store.lock():
        write_file(store.data / "note.json", b'{"a":1}')
        write_file(store.data / "note.json", b'{"a":2}')
        assert read_json(store.data / "note.json") == {"a": 2}
        assert not list(store.data.glob(".part-*"))


def test_a_folder_is_removed_and_what_it_links_to_is_not(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    for name in ("folder", "link", "missing"):
        remove_tree(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]
    assert (tmp_path / "kept" / "file").is_file()


def test_what_a_disk_says_becomes_a_reason(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "folder_failed"), (tmp_path / "none" / "file", "folder_failed")):
        with pytest.raises(RuntimeProvisionError) as caught, disk_errors():
            path.write_bytes(b"")
        assert caught.value.reason == reason
    with (
        pytest.raises(RuntimeProvisionError) as caught,
        disk_errors(),
        Path("/dev/full").open("wb", buffering=0) as full,
    ):
        full.write(b"x")
    assert caught.value.reason == "disk_full"


# --- verification -----------------------------------------------------------------------------------------------------


def test_what_is_as_signed_is_counted(runtime: Installed) -> None:
    verified = verify_installed(runtime)
    files = [path for folder in (runtime.folder, *runtime.python_path[1:]) for path in folder.rglob("*")]
    assert verified.files == sum(path.is_file() for path in files)
    assert verified.size == sum(path.stat().st_size for path in files if path.is_file())


def spoil(path: Path, content: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(content)


@pytest.mark.parametrize("empty_cache", [False, True])
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("kernels/service_nb_kernels/contract.json", "changed"),
        ("kernels/service_nb_kernels/packs/finance/returns.py", "changed"),
        ("manifest.json", "signature_invalid"),
        ("manifest.json.sig", "signature_malformed"),
        ("installed.json", "changed"),
    ],
)
def test_a_changed_byte_of_a_bundle_is_found(
    runtime: Installed, store: RuntimeStore, place: str, reason: str, empty_cache: bool
) -> None:
    path = runtime.folder / place
    spoil(path, path.read_bytes().replace(b"0.1.0", b"0.1.1").replace(b"{", b"[").replace(b"X", b"Y"))
    if empty_cache:
        remove_tree(store.fetched)
    assert reason in {finding.reason for finding in audit(runtime)}
    with pytest.raises(RuntimeProvisionError) as caught:
        verify_installed(runtime)
    assert caught.value.reason == "installation_altered"


@pytest.mark.parametrize("empty_cache", [False, True])
@pytest.mark.parametrize("number", [1, 2])
def test_a_change_in_a_wheel_is_found_even_if_its_record_agrees(
    runtime: Installed, store: RuntimeStore, number: int, empty_cache: bool
) -> None:
    folder = runtime.python_path[number]
    path = next(folder.glob("*/__init__.py"))
    record = next(folder.glob("*.dist-info/RECORD"))
    before = wheels.digest(path.read_bytes())
    spoil(path, path.read_bytes() + b"#")
    if empty_cache:
        remove_tree(store.fetched)
    assert [finding.reason for finding in audit(runtime)] == ["changed"]
    spoil(record, record.read_bytes().replace(before.encode(), wheels.digest(path.read_bytes()).encode()))
    assert [finding.place.rpartition("/")[2] for finding in audit(runtime)] == ["RECORD"]


def test_what_is_damaged_comes_anew_when_that_is_asked_for(
    runtime: Installed, store: RuntimeStore, tmp_path: Path
) -> None:
    for path in (runtime.python_path[1] / "alpha" / "__init__.py", runtime.folder / "manifest.json"):
        spoil(path, path.read_bytes() + b" ")
        assert audit(runtime) != []
        assert remove_altered(runtime)
        assert find_installed() is None
        assert audit(provision(from_file=tmp_path / "file" / BUNDLE)) == []
    assert not remove_altered(runtime)


def test_what_is_missing_and_what_is_there_too_is_found(runtime: Installed) -> None:
    first = runtime.python_path[1]
    (first / "sitecustomize.py").write_bytes(b"")
    (first / "link").symlink_to("/etc")
    (runtime.python_path[0] / "numpy.py").write_bytes(b"")
    next(first.glob("*.dist-info/METADATA")).unlink()
    os.mkfifo(first / "fifo")
    found = {(finding.place.rpartition("/")[2], finding.reason) for finding in audit(runtime)}
    assert found == {
        ("sitecustomize.py", "unexpected"),
        ("link", "unexpected"),
        ("numpy.py", "unexpected"),
        ("fifo", "unexpected"),
        ("METADATA", "missing"),
    }


def test_a_file_that_became_a_link_to_the_same_bytes_is_found(runtime: Installed, tmp_path: Path) -> None:
    path = runtime.folder / "kernels" / "service_nb_kernels" / "contract.json"
    path.rename(tmp_path / "aside")
    path.symlink_to(tmp_path / "aside")
    assert [finding.reason for finding in audit(runtime)] == ["changed"]


def test_a_wheel_that_is_gone_is_found(runtime: Installed) -> None:
    remove_tree(runtime.python_path[1])
    assert [finding.reason for finding in audit(runtime)] == ["missing"]
    assert find_installed() is None


# --- what edits leave -------------------------------------------------------------------------------------------------


def test_bundles_of_earlier_edits_go_but_for_those_that_run(store: RuntimeStore, tmp_path: Path) -> None:
    home, folders = tmp_path / "home", []
    for turn in range(8):
        content = f"X = {turn}\n".encode()
        members = {**MEMBERS, "kernels/service_nb_kernels/packs/finance/returns.py": content}
        folders.append(provision(from_file=bundle(home, tmp_path / f"{turn}", members)).folder)
        if turn == 0:
            run = home / "run" / folders[0].name
            run.mkdir(parents=True)
            alive = (run / "alive").open("wb")
            fcntl.flock(alive, fcntl.LOCK_EX)
        time.sleep(0.01)  # which is later is told by the clock of the disk
    assert {folder for folder in folders if folder.is_dir()} == {folders[0], *folders[-4:]}
    alive.close()
    assert find_installed() is not None


def test_wheels_that_no_bundle_names_go_with_the_last_that_did(store: RuntimeStore, tmp_path: Path) -> None:
    home = tmp_path / "home"
    few = {path: content for path, content in MEMBERS.items() if "beta" not in path}
    first = provision(from_file=bundle(home, tmp_path / "first"))
    for turn in range(5):
        members = {**few, "kernels/service_nb_kernels/x.py": f"X = {turn}\n".encode()}
        provision(from_file=bundle(home, tmp_path / f"{turn}", members))
        time.sleep(0.01)
    assert not first.folder.exists()
    assert [path.name for path in store.wheels.iterdir()] == [first.python_path[1].name]
