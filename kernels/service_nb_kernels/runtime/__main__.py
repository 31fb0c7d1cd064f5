"""The managed runtime as a process of its own: `python -m service_nb_kernels.runtime SETTINGS`.

It detaches from who started it, holds the lock `alive` for as long as it lives, starts a worker, listens, and then says
so in one line of JSON on its standard output: `{"address": …}`, or `{"faults": …}` when a pin did not take.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from concurrent import futures
from pathlib import Path
from typing import Any

from service_nb_kernels.runtime.pool import Pool, WorkerEndedError, WorkerProcess
from service_nb_kernels.runtime.settings import CALLS, SOCKET, Settings, from_text, socket_address

ALIVE, TOKEN_FILE, ADDRESS = "alive", "token", "address"
LONGEST_SOCKET_PATH = 100  # bytes; systems allow 104 or 108
CALLS_AT_ONCE = 512  # that are answered, or wait for a worker, or are open; each has a thread, made when it is needed
TURN_S = 0.5
GRACE_S = 1.0  # for calls that run when the runtime is stopped
REFUSED = 3


def main(arguments: Sequence[str]) -> int:
    """Detach, serve, and return when there was nothing to do for long, or a client said stop."""
    settings = from_text(arguments[0])
    if os.fork():
        return 0
    os.setsid()  # Ctrl-C in the starter's terminal is not for us
    os.umask(0o077)
    lock = _claim(settings.path)
    if lock is None:
        return _say({"faults": [["alive", "another runtime serves this folder", "none"]]}, REFUSED)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    worker = WorkerProcess(settings)  # loads NumPy while this process loads gRPC
    pool = Pool(settings)
    try:
        return _serve(settings, pool, worker, lock)
    finally:
        pool.end()
        worker.kill()
        if not _lives_in(settings.path, lock):
            os._exit(0)  # what has the names of our files is another one's, and gRPC would remove its socket
        _forget(settings.path)


def _claim(folder: Path) -> int | None:
    """Take the lock that says who lives here; the system lets go of it when this process ends, however it ends."""
    descriptor = os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for _ in range(10):  # clients that look whether a runtime lives here hold it for a moment, too
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.1)
        else:
            if not _is_wanted():
                os.close(descriptor)
                return None
            os.truncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
            return descriptor
    return None


def _is_wanted() -> bool:
    """Whether the starter still listens. Else it was killed, and the next one may be starting another runtime here."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # that nobody reads any more is told unasked
    return not poll.poll(0)


def _lives_in(folder: Path, lock: int) -> bool:
    """Whether the folder still has the file that this process holds: else nobody finds it any more."""
    try:
        return os.path.samestat((folder / ALIVE).lstat(), os.fstat(lock))
    except OSError:
        return False


def _serve(settings: Settings, pool: Pool, worker: WorkerProcess, lock: int) -> int:
    import grpc  # noqa: PLC0415  # after the first worker was started

    from service_nb_kernels.runtime.calls import CallServer  # noqa: PLC0415  # as above
    from service_nb_kernels.runtime.front import Front  # noqa: PLC0415  # as above

    server = grpc.server(
        futures.ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="call"), options=[("grpc.so_reuseport", 0)]
    )
    address = _listen(server, settings.path)
    listener, calls_address = _listen_for_calls(settings.path)
    try:
        hello = worker.hello()
    except WorkerEndedError as error:
        name = "killed" if worker.process.returncode == -signal.SIGKILL else "worker"
        return _say({"faults": [[name, error.why, "a worker that serves"]]}, REFUSED)
    if hello["faults"]:
        return _say({"faults": hello["faults"]}, REFUSED)
    token = (settings.path / TOKEN_FILE).read_text(encoding="ascii")
    front = Front(settings, token, pool, hello)
    calls = CallServer(listener, token.encode(), front.answer)
    signal.signal(signal.SIGTERM, lambda *_: front.stopped.set())  # calls that run would keep an exit waiting
    server.add_generic_rpc_handlers((front,))
    server.start()
    calls.start()
    pool.add(worker)
    (settings.path / ADDRESS).write_text(f"{address} {calls_address}", encoding="ascii")
    _say({"address": address}, 0)
    while not front.stopped.is_set() and not pool.is_broken and front.idle_s() < settings.idle_s:
        pool.tend(TURN_S)
        if not _lives_in(settings.path, lock):
            return 0
    calls.close()
    server.stop(GRACE_S).wait()
    until = time.monotonic() + GRACE_S
    while pool.busy and time.monotonic() < until:
        time.sleep(TURN_S / 10)
    return 0


def _listen_for_calls(folder: Path) -> tuple[socket.socket, str]:
    """Listen for calls as frames, where `_listen` would."""
    path = folder / CALLS
    path.unlink(missing_ok=True)
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        listener = socket.create_server(("127.0.0.1", 0))
        return listener, f"127.0.0.1:{listener.getsockname()[1]}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.fsencode(path))
    path.chmod(0o600)
    listener.listen()
    return listener, socket_address(folder, CALLS)


def _listen(server: Any, folder: Path) -> str:
    """Listen on a socket of the file system where its path is short enough, else on a port of the loopback."""
    path = folder / SOCKET
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        return f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    path.unlink(missing_ok=True)
    address = socket_address(folder)
    server.add_insecure_port(address)
    path.chmod(0o600)
    return address


def _say(what: dict[str, Any], code: int) -> int:
    """Tell the starter, who reads one line."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _forget(folder: Path) -> None:
    for name in (SOCKET, CALLS, ADDRESS, TOKEN_FILE):
        (folder / name).unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
