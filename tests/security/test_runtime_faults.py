"""Faults of the runtime's processes, files and folders: each call ends in the right value or in a typed error.

The next one works, and no process is left.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from service_nb.core.own_files import find_folders
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    QueryTimeoutError,
    RuntimeProvisionError,
    ServiceError,
)
from service_nb.runtimes import connection, process
from service_nb.runtimes import managed as clients
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.interface import Invocation
from service_nb.runtimes.managed import Managed
from service_nb.runtimes.manifest import parse_manifest
from service_nb.runtimes.process import ensure_running, kill_runtime
from service_nb.runtimes.trust import load_development_key, sign
from tests.simulators.resident import (
    LONG,
    NPV,
    NPV_VALUE,
    bundle,
    client,
    front,
    managed,
    own_home,
    processes,
    run_folder,
    said,
    stop_all,
    value,
    wait_until,
    workers,
    zombies,
)

Property = Callable[[str, object], None]
UNAVAILABLE = "compute_runtime_unavailable"
HALF = Invocation("number_theory.is_prime", [10**199 + 153])  # a good part of a second inside of C
SUM = Invocation("stats.sum", [np.ones(400_001)])  # in a stream of several pieces
SUM_VALUE = 400_001.0


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with own_home() as folder:
        yield folder


@pytest.fixture
def fresh(home: Path) -> Path:
    """The home, and nothing lives there."""
    stop_all(home)
    return home


@pytest.fixture
def runtime(home: Path) -> Iterator[Managed]:
    """A client; after the test its next call works, one runtime lives, and nobody waits for its parent."""
    made = managed()
    yield made
    assert value(made) == NPV_VALUE
    made.close()
    front(home)
    assert zombies() == []


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that finds out sooner that nobody listens."""
    monkeypatch.setattr(connection, "HEARD_S", 2.0)
    monkeypatch.setattr(clients, "GRACE_S", 0.5)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False


def busy(home: Path) -> list[int]:
    return [pid for pid in workers(home) if is_running(pid)]


# --- killed -----------------------------------------------------------------------------------------------------------


def killed_at_random(home: Path, runtime: Managed, calls: int, kills: int, kill: Callable[[], int]) -> None:
    drawn = random.Random(calls)
    struck = set(drawn.sample(range(calls), kills))
    outcomes = []
    for at in range(calls):
        call, expected = drawn.choice([(NPV, NPV_VALUE), (SUM, SUM_VALUE)])
        timer = threading.Timer(drawn.uniform(0.0, 0.02), lambda: os.kill(kill(), signal.SIGKILL))
        if at in struck:
            value(runtime)  # there is something to kill
            timer.start()
        outcomes.append(outcome(runtime, call))
        assert outcomes[-1] in (expected, (UNAVAILABLE, True))
        if at in struck:
            timer.join()
            assert once_more(runtime, call) == expected
    assert len(outcomes) == calls
    front(home)


def outcome(runtime: Managed, call: Invocation) -> Any:
    """The value, or code and whether to try again."""
    try:
        return value(runtime, call)
    except ServiceError as error:
        return error.code, error.retryable


def once_more(runtime: Managed, call: Invocation) -> Any:
    """The value of the next call; the blow may have fallen between two calls, and then it is this one that meets it."""
    try:
        return value(runtime, call)
    except ComputeRuntimeUnavailableError:
        return value(runtime, call)


def test_fifty_calls_while_the_runtime_is_killed_now_and_then(home: Path, runtime: Managed) -> None:
    value(runtime)
    killed_at_random(home, runtime, 50, 3, lambda: front(home))


@pytest.mark.slow
def test_fifty_calls_while_the_runtime_is_killed_at_each(home: Path, runtime: Managed) -> None:
    value(runtime)
    killed_at_random(home, runtime, 50, 50, lambda: front(home))


def test_fifty_calls_while_workers_are_killed_now_and_then(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    killed_at_random(home, runtime, 50, 3, lambda: random.choice(workers(home) or [front(home)]))
    assert front(home) == pid


@pytest.mark.parametrize("how", ["killed", pytest.param("stopped", marks=pytest.mark.slow)])
def test_a_client_finds_the_runtime_with_which_another_one_replaced_its_own(
    home: Path, runtime: Managed, how: str
) -> None:
    value(runtime)
    if how == "killed":
        os.kill(front(home), signal.SIGKILL)
        wait_until(lambda: not processes(home))
    else:
        assert clients.stop(bundle())
    another = managed()
    assert value(another) == NPV_VALUE
    pid = front(home)
    assert value(runtime) == value(another) == NPV_VALUE
    assert front(home) == pid
    another.close()


def test_a_runtime_that_is_killed_takes_its_workers_along(home: Path, runtime: Managed) -> None:
    value(runtime)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(value, runtime, LONG)
        wait_until(lambda: busy(home))
        os.kill(front(home), signal.SIGKILL)
        with pytest.raises(ComputeRuntimeUnavailableError):
            other.result()
    wait_until(lambda: not processes(home))


def test_a_worker_that_is_killed_fails_its_own_call_and_no_other(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    with ThreadPoolExecutor(5) as pool:
        # More than there are workers for: some wait.
        others: list[Future[Any]] = [pool.submit(value, runtime, HALF) for _ in range(4)]
        wait_until(lambda: busy(home))
        os.kill(busy(home)[0], signal.SIGKILL)
        outcomes = [other.exception() or other.result() for other in others]
    failed = [outcome for outcome in outcomes if outcome is not True]
    assert len(failed) == 1
    assert isinstance(failed[0], ComputeRuntimeUnavailableError)
    assert failed[0].retryable
    assert front(home) == pid


# --- stopped ----------------------------------------------------------------------------------------------------------


def stop(pid: int) -> None:
    """Stop a process, and wait until none of its threads runs any more: on another core one may go on for a moment."""
    os.kill(pid, signal.SIGSTOP)
    tasks = Path(f"/proc/{pid}/task")
    wait_until(lambda: {(each / "stat").read_text().rpartition(")")[2].split()[0] for each in tasks.iterdir()} == {"T"})


@pytest.mark.usefixtures("impatient")
def test_a_runtime_that_was_stopped_is_noticed_at_the_deadline_and_replaced(
    home: Path, runtime: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    value(runtime)
    pid = front(home)
    stop(pid)
    with pytest.raises(QueryTimeoutError):
        value(runtime, NPV, timeout_s=0.2)
    monkeypatch.undo()  # the new one may take its time
    assert value(runtime) == NPV_VALUE
    assert front(home) != pid


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_runtime_that_was_stopped_before_a_client_came_is_replaced(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    stop(pid)
    another = managed()
    assert value(another) == NPV_VALUE
    assert front(home) != pid
    another.close()


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_was_stopped_ends_at_the_deadline(
    home: Path, runtime: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    value(runtime)
    pid, before = front(home), workers(home)
    for each in before:
        stop(each)
    with pytest.raises(QueryTimeoutError):
        value(runtime, NPV, timeout_s=0.2)
    monkeypatch.undo()  # it is to be the same runtime, however long that takes
    for each in workers(home):
        os.kill(each, signal.SIGCONT)
    assert value(runtime) == NPV_VALUE
    assert front(home) == pid
    wait_until(lambda: not set(before) <= set(workers(home)))  # whichever the call had


# --- files ------------------------------------------------------------------------------------------------------------

NAMES = ("socket", "token", "address", "alive", "start", "log")


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff\0-1\n" * 1_000)


def folder(path: Path) -> None:
    path.mkdir()
    (path / "x").write_bytes(b"")


def pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def link(path: Path) -> None:
    path.symlink_to(bystander(path))


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def bystander(path: Path) -> Path:
    """A file of the user that nothing here may touch."""
    return path.parents[2] / "bystander"


def spoilt(path: Path, spoil: Callable[[Path], None], runtime: Managed, record_property: Property) -> None:
    """Call with something else in the place of a file: a value, or a typed error, and a value once it is gone."""
    bystander(path).write_bytes(b"mine")
    told = ""
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    spoil(path)
    try:
        assert value(runtime) == NPV_VALUE
    except (RuntimeProvisionError, ComputeRuntimeUnavailableError) as error:
        told = str(error.to_dict())
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    assert value(runtime) == NPV_VALUE
    assert str(path.parent) not in told
    assert bystander(path).read_bytes() == b"mine"
    record_property("bad_inputs", 1)


EVERY = [(name, spoil) for name in NAMES for spoil in (garbage, folder, pipe, link, dangling)]
SOME = [("token", link), ("start", folder)]


@pytest.mark.parametrize(("name", "spoil"), SOME)
def test_something_else_in_the_place_of_a_file_of_a_runtime_that_ended(
    fresh: Path, runtime: Managed, name: str, spoil: Any, record_property: Property
) -> None:
    run_folder().mkdir(mode=0o700, parents=True)
    spoilt(run_folder() / name, spoil, runtime, record_property)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "spoil"), [each for each in EVERY if each not in SOME])
def test_anything_else_in_the_place_of_any_file_of_a_runtime_that_ended(
    fresh: Path, runtime: Managed, name: str, spoil: Any, record_property: Property
) -> None:
    run_folder().mkdir(mode=0o700, parents=True)
    spoilt(run_folder() / name, spoil, runtime, record_property)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "spoil"), EVERY)
def test_anything_else_in_the_place_of_any_file_of_a_runtime_that_lives(
    fresh: Path, runtime: Managed, name: str, spoil: Any, record_property: Property
) -> None:
    other = managed()
    value(other)
    spoilt(run_folder() / name, spoil, runtime, record_property)
    assert once_more(other, NPV) == NPV_VALUE
    other.close()
    # One that lost its files has noticed, and ended; one whose start was spoilt lives on.
    wait_until(lambda: len([each for each in processes(fresh) if not each.is_worker]) == 1)


def test_garbage_in_all_files_at_once(fresh: Path, runtime: Managed, record_property: Property) -> None:
    run_folder().mkdir(mode=0o700, parents=True)
    for name in NAMES:
        garbage(run_folder() / name)
        record_property("bad_inputs", 1)
    assert value(runtime) == NPV_VALUE


def test_garbage_in_the_files_of_a_runtime_that_lives(home: Path, runtime: Managed, record_property: Property) -> None:
    value(runtime)
    pid = front(home)
    for name in ("token", "address", "alive"):
        garbage(run_folder() / name)
        record_property("bad_inputs", 1)
    assert value(runtime) == NPV_VALUE  # who is connected needs none of them
    another = managed()
    assert value(another) == NPV_VALUE
    another.close()
    assert front(home) != pid  # who is not finds another one, and nobody the first


def test_what_a_killed_runtime_leaves_is_in_nobodys_way(home: Path, runtime: Managed) -> None:
    value(runtime)
    os.kill(front(home), signal.SIGKILL)
    wait_until(lambda: not processes(home))
    left = {path.name for path in run_folder().iterdir()}
    assert {"socket", "token", "address", "alive"} <= left
    assert clients.read_status(bundle()) is None
    assert not clients.stop(bundle())
    assert not kill_runtime(run_folder())
    assert value(managed()) == NPV_VALUE


# --- folders ----------------------------------------------------------------------------------------------------------


def test_a_run_folder_that_is_a_link_is_refused(fresh: Path, runtime: Managed, record_property: Property) -> None:
    elsewhere = fresh / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    for place in (run_folder().parent, run_folder()):
        place.parent.mkdir(mode=0o700, exist_ok=True)
        place.symlink_to(elsewhere)
        with pytest.raises(RuntimeProvisionError) as caught:
            value(runtime)
        assert caught.value.reason == "folder_unsafe"
        assert str(fresh) not in str(caught.value.to_dict())
        assert list(elsewhere.iterdir()) == []
        assert processes(fresh) == []
        place.unlink()
        record_property("bad_inputs", 1)


def test_a_run_folder_that_is_a_file_is_refused(fresh: Path, runtime: Managed, record_property: Property) -> None:
    run_folder().parent.write_bytes(b"mine")
    with pytest.raises(RuntimeProvisionError) as caught:
        value(runtime)
    assert caught.value.reason in ("folder_unsafe", "folder_unwritable")
    assert run_folder().parent.read_bytes() == b"mine"
    run_folder().parent.unlink()
    record_property("bad_inputs", 1)


@pytest.mark.slow
def test_a_run_folder_that_all_can_write_is_made_private(fresh: Path, runtime: Managed) -> None:
    for place in (run_folder().parent, run_folder()):
        place.mkdir(exist_ok=True)
        place.chmod(0o777)
    assert value(runtime) == NPV_VALUE
    for place in (run_folder().parent, run_folder()):
        assert place.stat().st_mode & 0o777 == 0o700


def test_a_run_folder_that_is_removed_takes_its_runtime_along(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    shutil.rmtree(run_folder().parent)
    assert once_more(managed(), NPV) == NPV_VALUE
    wait_until(lambda: pid not in [each.pid for each in processes(home)])
    assert (run_folder() / "socket").exists()  # the one that went took nothing of the one that came
    assert once_more(runtime, NPV) == NPV_VALUE


@pytest.mark.parametrize(
    ("most_bytes", "reason"), [(0, "disk_full"), pytest.param(50, "start_failed", marks=pytest.mark.slow)]
)
def test_a_full_disk_is_named(fresh: Path, runtime: Managed, most_bytes: int, reason: str) -> None:
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, resource.RLIM_INFINITY))
try:
    runtime.run([NPV])
except ServiceError as error:
    print(error.code, error.details["reason"])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(runtime.run([NPV]).values[0])
"""
    with client(code) as other:
        assert said(other) == f"runtime_provision_failed {reason}\n{NPV_VALUE}\n"
    front(fresh)


# --- starting ---------------------------------------------------------------------------------------------------------


def starter_is_killed(home: Path, after_s: float) -> None:
    stop_all(home)
    with client("print('starts', flush=True)\nruntime.run([NPV])\nsys.stdin.read()") as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "starts\n"
        wait_until(lambda: processes(home))
        time.sleep(after_s)
        other.kill()
        other.wait()
        assert value(managed()) == NPV_VALUE
    wait_until(lambda: len([each for each in processes(home) if not each.is_worker]) == 1)


def test_a_starter_that_is_killed_while_it_starts_leaves_no_trace(fresh: Path) -> None:
    starter_is_killed(fresh, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.05, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0])
def test_a_starter_that_is_killed_at_any_time_leaves_no_trace(fresh: Path, after_s: float) -> None:
    starter_is_killed(fresh, after_s)


def test_a_starter_that_was_stopped_holds_nobody_up_for_ever(
    fresh: Path, runtime: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "TURN_S", 0.3)
    caught: ComputeRuntimeUnavailableError | None = None
    for _ in range(20):  # one that has started it before it was stopped holds up nobody at all
        stop_all(fresh)
        with client("print('starts', flush=True)\nruntime.run([NPV])") as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "starts\n"
            wait_until(lambda: processes(fresh))
            other.send_signal(signal.SIGSTOP)
            try:
                value(runtime)
            except ComputeRuntimeUnavailableError as error:
                caught = error
            other.send_signal(signal.SIGCONT)
            said(other)
        if caught is not None:
            break
    assert caught is not None
    assert caught.retryable
    assert value(runtime) == NPV_VALUE


def test_a_worker_that_cannot_start_is_named_and_nothing_is_left(
    fresh: Path, runtime: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = process._write_settings
    with monkeypatch.context() as patch:
        patch.setattr(
            process,
            "_write_settings",
            lambda *given: settings(*given).replace('"memory_bytes": ', '"memory_bytes": 50000000, "x": ')[:-1] + "}",
        )
        with pytest.raises(RuntimeProvisionError) as caught:
            value(runtime)
    assert caught.value.reason == "start_failed"
    wait_until(lambda: not processes(fresh))


@pytest.mark.parametrize("is_worker", [True, False])
def test_what_is_killed_while_it_starts_is_no_fault_of_the_installation(
    fresh: Path, runtime: Managed, *, is_worker: bool
) -> None:
    ended = threading.Event()

    def kills() -> None:
        while not ended.wait(0.005):
            for each in processes(fresh):
                if each.is_worker == is_worker:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(each.pid, signal.SIGKILL)

    thread = threading.Thread(target=kills)
    thread.start()
    try:
        with pytest.raises(ComputeRuntimeUnavailableError) as caught:
            value(runtime)
    finally:
        ended.set()
        thread.join()
    assert caught.value.retryable
    assert str(caught.value).startswith("The runtime ended while it started.")
    assert value(runtime) == NPV_VALUE


def test_workers_that_cannot_start_any_more_end_the_runtime(home: Path, runtime: Managed) -> None:
    value(runtime)
    pid = front(home)
    wheels = home / "data" / "wheels"
    wheels.rename(home / "data" / "elsewhere")
    try:
        for worker in workers(home):
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: pid not in [each.pid for each in processes(home)])
    finally:
        (home / "data" / "elsewhere").rename(wheels)
    assert once_more(runtime, NPV) == NPV_VALUE


@pytest.mark.slow
def test_the_runtime_of_an_older_bundle_serves_its_own_clients_only(fresh: Path, runtime: Managed) -> None:
    made = bundle()
    old = made._replace(folder=made.folder.with_name("0" * 32), bundle_version="0.0.9+dev", bundle_sha256="0" * 64)
    shutil.copytree(made.folder, old.folder)
    manifest = msgspec.structs.replace(parse_manifest((made.folder / MANIFEST).read_bytes()), version="0.0.9+dev")
    for name, content in (
        (MANIFEST, manifest.content),
        (SIGNATURE, sign(manifest.content, load_development_key(find_folders()))),
    ):
        (old.folder / name).chmod(0o600)
        (old.folder / name).write_bytes(content)
    endpoint = ensure_running(old)
    try:
        assert value(runtime) == NPV_VALUE
        assert runtime.describe().bundle_sha256 == made.bundle_sha256
        told = clients.read_status(old)
        assert told is not None
        assert told.description.bundle_version == "0.0.9+dev"
        assert len([each for each in processes(fresh) if not each.is_worker]) == 2
    finally:
        endpoint.close()
        assert clients.stop(old)
