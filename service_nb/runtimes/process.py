"""The runtime's process: found where it lives, started where none does, asked how it is, stopped.

Each bundle has a folder below `run/` with four files of its one runtime: `alive`, which the living process holds locked
and which has its pid; `socket`; `token`, without which it answers nothing; and `log`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from service_nb_kernels.runtime.settings import CALLS, SOCKET, Settings, socket_address

from service_nb._version import __version__
from service_nb.core.own_files import find_folders, make_private
from service_nb.errors import ComputeRuntimeUnavailableError, InvalidIntentError, RuntimeProvisionError, ServiceError
from service_nb.runtimes.folders import create_file, disk_errors, is_locked, lock_file, open_regular, remove_tree
from service_nb.runtimes.install import Installed, audit, verify_installed
from service_nb.runtimes.interface import get_architecture, get_platform_key

ALIVE, TOKEN, ADDRESS, LOG, START = "alive", "token", "address", "log", "start"
PATIENCE_S = 60.0  # until a runtime that was started has to serve
TURN_S = 90.0  # for others that start it
IDLE_MINUTES = 60.0
LOOPBACK = re.compile(r"127\.0\.0\.1:[1-9][0-9]{0,4}")
SECRET = re.compile(r"[\w-]{43}", re.ASCII)
PLACE = re.compile(r"/[^\s'\"]*/")  # of a path: all but its name
NO_PINS = ("alive", "worker")  # what keeps a runtime from serving beside its pins
LONGEST = 1_000  # bytes of an address or a token


class Endpoint(NamedTuple):
    """Where a runtime listens, and what it wants to hear first."""

    folder: Path
    address: str  # of gRPC
    calls: str  # of the plain socket
    token: str
    alive: int  # a descriptor of the file that the living runtime holds locked

    def is_alive(self) -> bool:
        """Tell within a microsecond whether the runtime still lives, however it may have ended."""
        return is_locked(self.alive)

    def wait_for_end(self, wait_s: float = 5.0) -> bool:
        """Wait for the runtime's end; whether it came in time."""
        until = time.monotonic() + wait_s
        while self.is_alive():
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        """Close the descriptor."""
        with contextlib.suppress(OSError):
            os.close(self.alive)


def ensure_running(installed: Installed) -> Endpoint:
    """Find the runtime of a bundle, started if none lives. Two callers at once start one.

    Raises `pin_not_taken` where a pin had no effect, `start_failed` where it ended before it served and says why, and
    `compute_runtime_unavailable` where somebody killed it or its first worker.
    """
    folder = _make_folder(installed)
    with disk_errors(), lock_file(folder / START, _limit_wait(TURN_S)):
        found = find_endpoint(folder)
        if found is None:
            _start(installed, folder)
            found = find_endpoint(folder)
        if found is None:
            raise _end_error(folder, "it ended as soon as it served")
        return found


def find_running(installed: Installed) -> Endpoint | None:
    """Find the runtime of a bundle if it lives."""
    return find_endpoint(_make_folder(installed))


def find_endpoint(folder: Path) -> Endpoint | None:
    """Find what lives in a folder, if anything does and serves."""
    alive = _open_alive(folder)
    if alive is None:
        return None
    address, _, calls = _read_text(folder / ADDRESS).partition(" ")
    endpoint = Endpoint(folder, address, calls, _read_text(folder / TOKEN), alive)
    is_ours = all(
        each == socket_address(folder, name) or LOOPBACK.fullmatch(each)
        for each, name in ((address, SOCKET), (calls, CALLS))
    )
    if is_ours and SECRET.fullmatch(endpoint.token) and endpoint.is_alive():
        return endpoint
    endpoint.close()
    return None


def kill_runtime(folder: Path) -> bool:
    """Kill what lives in a folder and does not listen, and wait until it is gone; whether there was anything."""
    alive = _open_alive(folder)
    if alive is None:
        return False
    endpoint = Endpoint(folder, "", "", "", alive)
    try:
        if not endpoint.is_alive():
            return False
        pid = _find_holder(alive)
        if pid is not None:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return endpoint.wait_for_end()
    finally:
        endpoint.close()


def remove_altered(installed: Installed) -> bool:
    """Remove each wheel and bundle of a runtime in which something is not as signed, once it has stopped.

    Whoever calls it holds the lock. Returns whether there was any.
    """
    altered = {Path(*Path(finding.place).parts[:2]) for finding in audit(installed)}
    if altered:
        kill_runtime(find_folders().run / installed.folder.name)
    for folder in altered:
        remove_tree(find_folders().data / folder)
    return bool(altered)


def _make_folder(installed: Installed) -> Path:
    make_private(find_folders().run)
    return make_private(find_folders().run / installed.folder.name)


def _open_alive(folder: Path) -> int | None:
    try:
        return os.open(folder / ALIVE, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None


def _read_text(path: Path) -> str:
    """Read a small file of the folder; empty when it is not there, or is no such file."""
    try:
        with open_regular(path) as file:
            return file.read(LONGEST).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def _limit_wait(limit_s: float) -> Callable[[], None]:
    until = time.monotonic() + limit_s

    def check() -> None:
        if time.monotonic() > until:
            raise ComputeRuntimeUnavailableError(
                "Another process has been starting the runtime for too long.",
                hint="Let it finish or stop it, then call again.",
            )

    return check


def _find_holder(alive: int) -> int | None:
    """Find the process that holds the lock.

    It has written its pid into the file. Where the system says who holds what, that decides: to kill somebody else's
    process because of a damaged file would be worse than a runtime that is left.
    """
    written, held = 0, set()
    with contextlib.suppress(OSError, ValueError):
        written = int(os.pread(alive, 20, 0))
    with contextlib.suppress(OSError):
        inode = str(os.fstat(alive).st_ino)
        for line in Path("/proc/locks").read_text(encoding="ascii", errors="replace").splitlines():
            lock = line.split()
            if len(lock) > 5 and lock[1:4:2] == ["FLOCK", "WRITE"] and lock[5].rpartition(":")[2] == inode:
                held.add(int(lock[4]))
    if written > 1 and (written in held or not held):
        return written
    return held.pop() if len(held) == 1 and min(held) > 1 else None


def _start(installed: Installed, folder: Path) -> None:
    verify_installed(installed, with_wheels=False)
    kill_runtime(folder)  # a process that holds the lock and serves nobody was left by a starter that was killed
    for name in (ALIVE, TOKEN, ADDRESS, LOG):
        (folder / name).unlink(missing_ok=True)  # each has files of its own: who holds an earlier one's sees its end
    with create_file(folder / TOKEN) as token:
        token.write(secrets.token_urlsafe(32).encode("ascii"))
    with create_file(folder / LOG) as log:
        process = subprocess.Popen(  # noqa: S603  # the interpreter that runs us, and the bundle that was verified
            [*_find_interpreter(), "-m", "service_nb_kernels.runtime", _write_settings(installed, folder)],
            env=_build_environment(installed),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    assert process.stdout is not None  # noqa: S101  # a pipe was asked for
    with process.stdout as output:
        said = _read_line(output)
    process.wait()  # what it started lives on
    if said is None:
        raise _end_error(folder, "it ended before it served")
    faults = said.get("faults")
    if isinstance(faults, list):
        name, met, expected = faults[0]
        if name == "killed":  # by somebody, or for want of memory: no fault of what is installed
            raise make_gone_error("while it started")
        if name in NO_PINS:
            raise _start_error(folder, f"{name}: {met}")
        raise RuntimeProvisionError(
            f"The runtime does not serve: {name} is {met}; expected {expected}.",
            reason="pin_not_taken",
            hint="`service-nb doctor` shows what took effect here.",
            pin=name,
            met=met,
            expected=expected,
        )


def _find_interpreter() -> list[str]:
    from service_nb_kernels.runtime.pool import interpreter_flags  # noqa: PLC0415  # only who starts one needs it

    # The interpreter itself, not that of a virtual environment: what is installed there is not for the runtime.
    return [str(getattr(sys, "_base_executable", None) or sys.executable), *interpreter_flags()]


def _build_environment(installed: Installed) -> dict[str, str]:
    """Build its environment: the pins, and where the bundle is; nothing of the caller's."""
    from service_nb_kernels.runtime import profile  # noqa: PLC0415  # as above

    path = os.pathsep.join(map(str, installed.python_path))
    return {**profile.pins(), "PYTHONPATH": path, "GRPC_VERBOSITY": "NONE", "GRPC_ENABLE_FORK_SUPPORT": "0"}


def _write_settings(installed: Installed, folder: Path) -> str:
    from service_nb_kernels.runtime import profile  # noqa: PLC0415  # as above

    return Settings(
        instance=secrets.token_hex(8),
        folder=str(folder),
        bundle_version=installed.bundle_version,
        bundle_sha256=installed.bundle_sha256,
        kernel_build=f"service_nb_kernels {__version__}",
        platform=get_platform_key(),
        architecture=get_architecture(),
        modules=installed.modules,
        profile=profile.supported(),
        idle_s=read_idle_minutes(os.environ) * 60,
        workers=max(2, min(4, os.cpu_count() or 1)),
    ).to_text()


def read_idle_minutes(environment: Mapping[str, str]) -> float:
    """Read after how long a runtime that nobody calls ends: `SERVICE_RUNTIME_IDLE_MINUTES`, or an hour."""
    text = environment.get("SERVICE_RUNTIME_IDLE_MINUTES")
    if text is None:
        return IDLE_MINUTES
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise InvalidIntentError(
            f"SERVICE_RUNTIME_IDLE_MINUTES is {text!r}.", met=text, expected="minutes above 0", path="environment"
        )
    return minutes


def _read_line(output: IO[bytes]) -> dict[str, object] | None:
    """Read what the runtime says once it serves; None when it ends, or says nothing for long."""
    until, said = time.monotonic() + PATIENCE_S, b""
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([output], [], [], max(0.0, until - time.monotonic()))
        block = os.read(output.fileno(), 65_536) if ready else b""
        if not block:
            return None
        said += block
    try:
        line = json.loads(said)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _end_error(folder: Path, how: str) -> ServiceError:
    """Build the error of a runtime that ended: one that says nothing in its log was killed, and the next may serve."""
    return _start_error(folder, how) if _read_last_line(folder) else make_gone_error("while it started")


def _start_error(folder: Path, how: str) -> RuntimeProvisionError:
    if line := _read_last_line(folder):
        how += f" ({PLACE.sub('', line)[:200]})"
    return RuntimeProvisionError(
        f"The runtime did not start: {how}.",
        reason="start_failed",
        hint="`service-nb runtime verify` checks what is installed, `service-nb doctor` the machine.",
    )


def _read_last_line(folder: Path) -> str:
    with contextlib.suppress(OSError):
        lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""
    return ""


def make_gone_error(when: str = "during the call") -> ComputeRuntimeUnavailableError:
    """Make the error of a call whose runtime ended meanwhile."""
    return ComputeRuntimeUnavailableError(
        f"The runtime ended {when}.", hint="Call again: the next call starts another one."
    )
