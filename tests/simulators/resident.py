"""Homes in which runtimes really live: found in the system's list of processes, counted, watched until they are gone.

What is installed for all tests of this checkout is linked into each home, so that nothing is fetched or unpacked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service_nb.client.user_keys import INJECTED
from service_nb.core.own_files import find_folders
from service_nb.runtimes.install import Installed
from service_nb.runtimes.interface import Invocation
from service_nb.runtimes.managed import Managed
from service_nb.runtimes.process import kill_runtime
from service_nb.runtimes.provision import find_installed, provision
from tests.simulators.runtimes import SHARED, install_shared

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0
NPV = Invocation("finance.npv", [0.1, [-1000.0, 300.0, 420.0, 560.0, 680.0]])
NPV_VALUE = 505.0201488969332
LONG = Invocation("number_theory.is_prime", [10**299 + 669])  # seconds inside of C, which listens to no clock


class Process(NamedTuple):
    """A process of a runtime."""

    pid: int
    is_worker: bool


@contextmanager
def own_home(folder: Path | None = None) -> Iterator[Path]:
    """A home with the runtime installed, in force until the end; nothing that started in it may be left then."""
    with pytest.MonkeyPatch.context() as patch:
        # In a short folder, because the path of a socket may have 100 bytes only.
        home = Path(tempfile.mkdtemp(prefix="nb-")) if folder is None else folder
        link_installed(home)
        patch.setenv("SERVICE_HOME", str(home))
        try:
            yield home
        finally:
            stop_all(home)
            left = processes(home)
            shutil.rmtree(home, ignore_errors=True)
            assert left == [], "processes that nobody has ended"


def link_installed(home: Path) -> None:
    """Install the runtime in a home by links to what is installed for all tests, with its wheels and its key."""
    made = install_shared()
    for path in (made.folder, *made.python_path[1:], SHARED / "cache" / "wheels", SHARED / "config"):
        _link(path, home / path.relative_to(SHARED))


def _link(source: Path, target: Path) -> None:
    for parent in reversed(target.parents):
        parent.mkdir(mode=0o700, exist_ok=True)
    shutil.copytree(source, target, copy_function=os.link, dirs_exist_ok=True)


def stop_all(home: Path) -> None:
    """End every runtime of a home; one that cannot be found by its files is found by its processes."""
    run = home / "run"
    if run.is_dir():
        for folder in run.iterdir():
            if folder.is_dir():
                kill_runtime(folder)
    for process in processes(home):
        _kill(process.pid)
    wait_until(lambda: not processes(home))
    if run.is_symlink() or run.is_file():
        run.unlink()
    shutil.rmtree(run, ignore_errors=True)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return


def bundle() -> Installed:
    """What is installed in the home that is in force."""
    made = find_installed() or provision()
    assert made is not None
    return made


def run_folder() -> Path:
    """Where the runtime of the home that is in force has its files."""
    return find_folders().run / bundle().folder.name


def managed(modules: Sequence[str] = (), admit: Callable[[], object] = lambda: None) -> Managed:
    """A client of its own."""
    return Managed(modules, admit=admit)


def value(runtime: Managed, call: Invocation = NPV, timeout_s: float | None = None) -> Any:
    """The value of one call."""
    return runtime.run([call], timeout_s=timeout_s).values[0]


def processes(home: Path) -> list[Process]:
    """All that lives of a home's runtimes; a runtime names its folder on the command line, as do its workers."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            words = _words(int(entry.name))
            if b"service_nb_kernels.runtime" in words and os.fsencode(home) + b"/" in words:
                found.append(Process(int(entry.name), b"service_nb_kernels.runtime.worker" in words))
    return sorted(found)


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def front(home: Path) -> int:
    """The process of the one runtime with all fields of a home; one with some of them may live beside it."""
    whole = f'{bundle().folder.name}"'.encode()
    found = {each.pid for each in processes(home) if not each.is_worker and whole in _words(each.pid)}
    # A worker that is being started looks like who starts it until it has a program of its own.
    [pid] = {pid for pid in found if _parent(pid) not in {0, *found}}  # 0: it has ended meanwhile
    return pid


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def workers(home: Path) -> list[int]:
    """The processes that compute for the runtimes of a home."""
    return [each.pid for each in processes(home) if each.is_worker]


def is_busy(home: Path) -> bool:
    """Whether a worker computes, or starts."""
    return any(_state(pid) == "R" for pid in workers(home))


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:  # it has ended meanwhile
        return ""


def zombies() -> list[int]:
    """Children of this process that have ended and that nobody has waited for."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (
                    (entry / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[:2]
                )
            except (OSError, ValueError):
                continue
            if state == "Z" and int(parent) == os.getpid():
                found.append(int(entry.name))
    return found


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for what has to become true; a test that waits in vain fails."""
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


CLIENT = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "kernels")!r}]
from service_nb.errors import ServiceError
from service_nb.runtimes import managed, process
from service_nb.runtimes.interface import Invocation
from service_nb.runtimes.managed import Managed
from service_nb.runtimes.provision import find_installed
LONG = Invocation("number_theory.is_prime", [10**299 + 669])
NPV = Invocation("finance.npv", [0.1, [-1000.0, 300.0, 420.0, 560.0, 680.0]])
runtime = Managed(admit=lambda: None)
"""


@contextmanager
def client(code: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process of its own that is a client of the home in force: `runtime`, `LONG` and `NPV` are there."""
    kept = {name: text for name, text in os.environ.items() if name not in environment and name != INJECTED}
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT + code],
        env={**kept, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def said(process: subprocess.Popen[str]) -> str:
    """What a client says until its end, which has to come, and to be a good one."""
    output, errors = process.communicate(timeout=2 * PATIENCE_S)
    assert process.returncode == 0, errors
    return output
