"""The runtime's process: one for all clients, private, found again, ended; its files are believed in one form only."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from service_nb_kernels.runtime.settings import CALLS, Settings, from_text, socket_address

from service_nb.errors import InvalidIntentError, RuntimeProvisionError
from service_nb.runtimes import managed as clients
from service_nb.runtimes import process
from service_nb.runtimes.process import ensure_running, find_endpoint, find_running, kill_runtime, read_idle_minutes
from tests.simulators.resident import (
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


@pytest.fixture
def fresh(home: Path) -> Path:
    """The home, and nothing lives there."""
    stop_all(home)
    return home


# --- one runtime ------------------------------------------------------------------------------------------------------


def test_eight_processes_that_start_at_once_share_one_runtime(fresh: Path) -> None:
    code = "sys.stdin.read(1)\nprint(runtime.run([NPV]).values[0], managed.read_status(find_installed()).pid)"
    with ExitStack() as stack:
        started = [stack.enter_context(client(code)) for _ in range(8)]
        for each in started:
            assert each.stdin is not None
            each.stdin.write("\n")
            each.stdin.flush()
        told = {said(each) for each in started}
    assert told == {f"{NPV_VALUE} {front(fresh)}\n"}
    assert len(workers(fresh)) <= process_settings(fresh).workers


@pytest.mark.parametrize("change", ["changed", "missing", "unexpected", "manifest"])
def test_kernels_that_are_not_as_they_were_signed_are_not_started_and_the_file_is_named(
    change: str,
) -> None:
    with own_home() as home:
        found = bundle()
        kernels = found.folder / "kernels" / "service_nb_kernels"
        path = {"unexpected": kernels / "numpy.py", "manifest": found.folder / "manifest.json"}.get(
            change, kernels / "units.py"
        )
        content = path.read_bytes() if path.exists() else b""
        path.unlink(missing_ok=True)  # a link to what all tests share
        if change != "missing":
            path.write_bytes(content + b" ")
        with pytest.raises(RuntimeProvisionError) as caught:
            ensure_running(found)
        assert caught.value.reason == "installation_altered"
        assert [Path(each["place"]).name for each in caught.value.details["findings"]] == [path.name]
        assert processes(home) == []


def process_settings(home: Path) -> Settings:
    words = Path(f"/proc/{front(home)}/cmdline").read_bytes().split(b"\0")
    return from_text(next(word for word in words if word.startswith(b"{")).decode())


def test_several_clients_of_a_process_share_one_runtime(home: Path) -> None:
    assert {value(managed()) for _ in range(3)} == {NPV_VALUE}
    assert len({managed().describe().bundle_sha256 for _ in range(3)}) == 1
    front(home)


def test_the_starter_leaves_neither_child_nor_zombie(fresh: Path) -> None:
    endpoint = ensure_running(bundle())
    endpoint.close()
    assert zombies() == []
    parent = Path(f"/proc/{front(fresh)}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1]
    assert int(parent) != os.getpid()
    assert os.getsid(front(fresh)) == front(fresh)  # Ctrl-C in a terminal of ours does not reach it


# --- privacy ----------------------------------------------------------------------------------------------------------


def test_folder_socket_and_token_are_the_users_alone(home: Path) -> None:
    value(managed())
    folder = run_folder()
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    for name in ("socket", "token", "alive", "address", "start"):
        met = (folder / name).lstat()
        assert stat.S_IMODE(met.st_mode) == 0o600, name
        assert met.st_uid == os.getuid()
    assert stat.S_ISSOCK((folder / "socket").lstat().st_mode)


@pytest.mark.slow
def test_each_runtime_has_a_token_of_its_own(fresh: Path) -> None:
    tokens = set()
    for _ in range(2):
        endpoint = ensure_running(bundle())
        tokens.add(endpoint.token)
        endpoint.close()
        kill_runtime(run_folder())
    assert len(tokens) == 2
    assert all(len(token) == 43 for token in tokens)


def test_nothing_of_the_callers_environment_reaches_the_runtime(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "NPY_DISABLE_CPU_FEATURES", "LD_PRELOAD_", "SECRET_OF_MINE"):
        monkeypatch.setenv(name, "7")
    value(managed())
    for each in processes(fresh):
        found = Path(f"/proc/{each.pid}/environ").read_bytes().split(b"\0")
        assert b"OPENBLAS_NUM_THREADS=1" in found
        assert not any(b"=7" in line or b"SECRET" in line or b"DEVICE_KEY" in line for line in found)


# --- addresses --------------------------------------------------------------------------------------------------------


def test_a_long_path_falls_back_to_a_port_of_the_loopback(tmp_path: Path) -> None:
    with own_home(tmp_path / ("long" * 30)) as folder:
        runtime = managed()
        assert value(runtime) == NPV_VALUE
        status = clients.read_status(bundle())
        assert status is not None
        assert status.address == "tcp"
        assert status.pid == front(folder)
        assert not (run_folder() / "socket").exists()
        assert (run_folder() / "address").read_text(encoding="ascii").startswith("127.0.0.1:")
        runtime.close()
        assert clients.stop(bundle())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["with space", "jörg 100%25#b?d;e"])
def test_a_path_may_have_any_characters(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with own_home() as linked:
        odd = linked.with_name(linked.name[:9]) / name
        odd.parent.mkdir(mode=0o700)
        linked.rename(odd)
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SERVICE_HOME", str(odd))
                assert value(managed()) == NPV_VALUE
                assert (run_folder() / "socket").exists()
                stop_all(odd)
        finally:
            odd.rename(linked)
            odd.parent.rmdir()


# --- the end ----------------------------------------------------------------------------------------------------------


def test_stop_ends_it_and_forgets_its_files_and_the_next_call_starts_another(fresh: Path) -> None:
    runtime = managed()
    value(runtime)
    before = front(fresh)
    assert clients.stop(bundle())
    assert processes(fresh) == []
    assert {path.name for path in run_folder().iterdir()} == {"alive", "start", "log"}
    assert not clients.stop(bundle())
    assert clients.read_status(bundle()) is None
    assert find_running(bundle()) is None
    assert value(runtime) == NPV_VALUE
    assert front(fresh) != before


def test_it_ends_by_itself_when_nobody_calls(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_RUNTIME_IDLE_MINUTES", "0.005")
    runtime = managed()
    value(runtime)
    link = runtime._link
    assert link is not None
    # A process that ends has no command line any more while it still holds its lock.
    wait_until(lambda: not processes(fresh) and not link.is_usable())
    assert not (run_folder() / "socket").exists()
    monkeypatch.delenv("SERVICE_RUNTIME_IDLE_MINUTES")
    assert value(runtime) == NPV_VALUE


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_it_ends_by_a_signal_during_a_call_and_so_do_its_workers(fresh: Path, number: signal.Signals) -> None:
    with client("runtime.run([NPV])\nprint('calls', flush=True)\nruntime.run([LONG] * 1000)") as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "calls\n"
        pid = front(fresh)
        wait_until(lambda: is_computing(fresh))
        os.kill(pid, number)
        wait_until(lambda: not processes(fresh))
        assert other.wait(timeout=120) == 1
        assert other.stderr is not None
        assert "ComputeRuntimeUnavailableError" in other.stderr.read()
    assert value(managed()) == NPV_VALUE


def is_computing(home: Path) -> bool:
    states = [
        Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] for pid in workers(home)
    ]
    return "R" in states


@pytest.mark.slow
def test_the_runtime_outlives_the_client_that_started_it(fresh: Path) -> None:
    with client("print(runtime.run([NPV]).values[0])") as other:
        assert said(other) == f"{NPV_VALUE}\n"
    pid = front(fresh)
    assert value(managed()) == NPV_VALUE
    assert front(fresh) == pid


# --- what is written in its files -------------------------------------------------------------------------------------


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A folder whose lock a process holds that is no runtime, and that writes what it likes into its files."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    code = (
        "import fcntl, os, sys, time; f = open(sys.argv[1], 'w'); f.write(str(os.getpid())); f.flush();"
        "fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(folder / "alive")], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    (folder / "address").write_text(f"{socket_address(folder)} {socket_address(folder, CALLS)}", encoding="ascii")
    (folder / "token").write_text("t" * 43, encoding="ascii")
    yield folder
    holder.kill()
    holder.communicate()


def test_what_a_living_process_wrote_is_where_it_listens(held: Path) -> None:
    endpoint = find_endpoint(held)
    assert endpoint is not None
    assert endpoint.is_alive()
    assert (endpoint.address, endpoint.calls, endpoint.token) == (
        socket_address(held),
        socket_address(held, CALLS),
        "t" * 43,
    )
    endpoint.close()


@pytest.mark.parametrize("name", ["address", "token"])
@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\0", b"\xff" * 43, b"x" * 42, b"x" * 44, b"x" * 42 + b"\n", b"a" * 10_000_000),
        *(b"unix:/tmp/other", b"127.0.0.1:0", b"127.0.0.1:", b"0.0.0.0:99", b"dns:example:443", b"127.0.0.1:99\n"),
    ],
    ids=lambda content: repr(content)[:24],
)
def test_addresses_and_tokens_of_another_form_are_not_believed(held: Path, name: str, content: bytes) -> None:
    (held / name).write_bytes(content)
    assert find_endpoint(held) is None


@pytest.mark.parametrize("name", ["address", "token", "alive"])
def test_links_pipes_and_folders_are_not_believed(held: Path, name: str) -> None:
    content = (held / name).read_bytes()
    (held / name).rename(held / "elsewhere")
    (held / name).symlink_to(held / "elsewhere")
    assert find_endpoint(held) is None
    (held / name).unlink()
    os.mkfifo(held / name)
    assert find_endpoint(held) is None
    (held / name).unlink()
    (held / name).mkdir()
    assert find_endpoint(held) is None
    (held / name).rmdir()
    (held / name).write_bytes(content)
    assert (find_endpoint(held) is None) == (name == "alive")  # a file anew is not the one that is held


@pytest.mark.parametrize("written", [b"-1", b"0", b"1", b"", b"\xff", b"99999999999999999999", b"2147483646", b"x"])
def test_a_damaged_pid_ends_the_holder_of_the_lock_and_nobody_else(held: Path, written: bytes) -> None:
    with subprocess.Popen(["sleep", "600"]) as bystander:
        try:
            (held / "alive").write_bytes(written)
            assert kill_runtime(held)
            assert not is_held(held)
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_the_pid_of_somebody_else_ends_the_holder_of_the_lock(held: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as bystander:
        try:
            (held / "alive").write_text(str(bystander.pid), encoding="ascii")
            assert kill_runtime(held)
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_where_the_lock_is_free_nobody_is_ended(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as bystander:
        try:
            assert not kill_runtime(tmp_path)
            (tmp_path / "alive").write_text(str(bystander.pid), encoding="ascii")
            assert not kill_runtime(tmp_path)
            assert bystander.poll() is None
        finally:
            bystander.kill()


def is_held(folder: Path) -> bool:
    with (folder / "alive").open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


# --- settings ---------------------------------------------------------------------------------------------------------


def test_settings_come_through_a_command_line() -> None:
    settings = Settings(
        instance="i", folder="/ä b", bundle_version="1", bundle_sha256="2", kernel_build="3", platform="4",
        architecture="5", modules=("a", "b"), idle_s=0.5,
    )  # fmt: skip
    assert from_text(settings.to_text()) == settings


@pytest.mark.parametrize(("text", "minutes"), [(None, 60.0), ("5", 5.0), ("0.25", 0.25), ("1e3", 1000.0)])
def test_the_environment_says_when_an_idle_runtime_ends(text: str | None, minutes: float) -> None:
    assert read_idle_minutes({} if text is None else {"SERVICE_RUNTIME_IDLE_MINUTES": text}) == minutes


@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "soon", "1,5"])
def test_other_idle_times_are_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read_idle_minutes({"SERVICE_RUNTIME_IDLE_MINUTES": text})
    assert caught.value.details["met"] == text


def test_a_pin_that_did_not_take_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = process._build_environment(bundle())
    monkeypatch.setattr(process, "_build_environment", lambda _: {**made, "PYTHONHASHSEED": "7"})
    with pytest.raises(RuntimeProvisionError) as caught:
        ensure_running(bundle())
    assert caught.value.reason == "pin_not_taken"
    assert {"pin", "met", "expected"} <= caught.value.details.keys()
    wait_until(lambda: not processes(fresh))
    monkeypatch.undo()
    assert value(managed()) == NPV_VALUE


def test_an_interpreter_that_cannot_start_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = process._build_environment(bundle())
    monkeypatch.setattr(process, "_build_environment", lambda _: {**made, "PYTHONPATH": "/nowhere"})
    with pytest.raises(RuntimeProvisionError) as caught:
        ensure_running(bundle())
    assert caught.value.reason == "start_failed"
    assert processes(fresh) == []
