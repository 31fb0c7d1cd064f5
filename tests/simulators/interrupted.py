"""Provisioning from a file, struck at every step at which it touches the disk: killed, or told that the disk is full.

Run as a program, with a process of its own for each blow, so that a kill is a kill:
``python -m tests.simulators.interrupted kill|full HOME BUNDLE EVERY``. It prints what came of each.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.install import audit
from service_nb.runtimes.provision import find_installed, provision

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.chmod", "tempfile.mkstemp", "tempfile.mkdtemp")
REMOVALS = ("os.remove", "os.rmdir", "shutil.rmtree")
MOST = 2_000

Blow = Callable[[], None]


def main(how: str, home: Path, bundle: Path, every: int) -> None:
    """Strike at the first step, the one after `every` steps, and so on, until a run comes to its end."""
    events = (*CHANGES, *REMOVALS) if how == "kill" else CHANGES
    blow = _kill if how == "kill" else _full
    met: list[dict[str, Any]] = []
    for step in range(1, MOST, every):
        for folder in ("data", "cache"):
            shutil.rmtree(home / folder, ignore_errors=True)
        outcome = _in_child(lambda step=step: _struck(bundle, step, events, blow))
        after = _in_child(lambda: _recovered(home, bundle))
        met.append({"step": step, "outcome": outcome, "after": after})
        if outcome == "came to its end":
            break
    print(json.dumps(met))


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _struck(bundle: Path, step: int, events: tuple[str, ...], blow: Blow) -> str:
    """Provision; at the given step, and from then on, the blow falls."""
    left = step

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in events or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING):
            left -= 1
            if left <= 0:
                blow()

    sys.addaudithook(hook)
    try:
        provision(from_file=bundle)
    except RuntimeProvisionError as error:
        return error.reason
    return "came to its end" if left > 0 else "did not notice"


def _recovered(home: Path, bundle: Path) -> str:
    """What the next run finds, and whether it mends it."""
    found = find_installed()
    if found is not None and audit(found):
        return "half of it counts as installed"
    made = provision(from_file=bundle)
    if audit(made):
        return "not mended"
    parts = [path.name for folder in ("data", "cache") for path in (home / folder).rglob(".part-*")]
    return f"left behind: {parts}" if parts else "whole"


def _in_child(act: Callable[[], str]) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = act()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the parent shows it
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode()[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said_:
        text = said_.read()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL else text


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
