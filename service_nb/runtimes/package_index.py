"""Wheels from the package index that this user's `pip` is configured for, by their hashes.

`pip` itself does it, in a process of its own: so that mirrors, proxies, certificates and credentials are the user's
own, whatever they are. What it fetched is believed only for the digest that our caller takes of it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from service_nb.errors import RuntimeProvisionError, UnsupportedPlatformError

MAX_SAID = 1024**2
_POLL_S = 0.1
# Runs pip, and ends with whoever started it, even when that was killed: then nobody holds the other end of its input.
_GUARD = """\
import os, runpy, threading
def guard():
    os.read(0, 1)
    os._exit(1)
threading.Thread(target=guard, daemon=True).start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_OPTIONS = (
    "--quiet",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--require-hashes",
    "--no-deps",
    "--only-binary=:all:",
)
_OTHER_BYTES = "DO NOT MATCH THE HASHES"
_SIGNS = ("ERROR:", "error:", "\N{MULTIPLICATION SIGN}")
_NOTHING_FITS = ("No matching distribution", "Could not find a version", "is not a supported wheel")
# An index that does not have a project answers 404 and is sound; everything else that is not answered is a fault.
_UNREACHABLE = re.compile(
    r"Could not fetch URL (?!.*404 Client Error)|connection broken|Max retries|timed out|HTTP error (?!404)"
    r"|Connection(?:Reset|Refused)?Error|ProxyError|SSLError|ProtocolError|IncompleteRead|not enough bytes"
    r"|error sending request"  # this is how uv says it
)
_PRIVATE = re.compile(r"\S*(?:://|[/\\@])\S*")  # addresses, credentials and paths


def fetch(requirements: str, folder: Path, seen: Callable[[int], None]) -> list[Path]:
    """Fetch wheels for this interpreter and return their files, in a new folder below `folder`.

    Parameters
    ----------
    requirements : str
        Lines as in a requirements file, each with `==` and hashes; markers are pip's to judge.
    seen : callable
        Told now and then how many bytes have arrived.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons `index_unreachable`, `wheel_digest`, `wheel_missing`, `no_installer`, `installer_failed`.
    UnsupportedPlatformError [unsupported_platform]
        The index knows the packages, and has none for this platform.
    """
    listed, fetched, temporary = folder / "requirements.txt", folder / "fetched", folder / "temporary"
    listed.write_text(requirements, encoding="utf-8")
    temporary.mkdir()
    fetched.mkdir()
    command = [*_installer(), "download", *_OPTIONS, "--requirement", str(listed), "--dest", str(fetched)]
    log = folder / "log"  # has what became of each address; what is said has it only where pip tries again
    with (folder / "said").open("wb") as said:
        code = _run(
            [*command, "--log", str(log)],
            temporary,
            said.fileno(),
            lambda: seen(_bytes_below(fetched) + _bytes_below(temporary)),
        )
    if code:
        raise _failure(_end_of(folder / "said"), _end_of(log))
    return sorted(fetched.glob("*.whl"))


def _end_of(path: Path) -> str:
    if not path.exists():  # an installer that did not come to its work
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_SAID))
        return file.read(MAX_SAID).decode("utf-8", "replace")


def _installer() -> list[str]:
    # A `pip.py` beside a notebook is not pip: -P keeps the working folder off the search path.
    if sys.executable and find_spec("pip") is not None:
        return [sys.executable, "-P", "-c", _GUARD]
    uv = shutil.which("uv")
    if sys.executable and uv is not None:
        # For this interpreter, but in an environment of its own that has pip.
        alone = ["--quiet", "--no-project", "--isolated", "--with", "pip", "--python", sys.executable]
        return [uv, "run", *alone, "--", "python", "-P", "-c", _GUARD]
    raise RuntimeProvisionError(
        "Neither pip nor uv can be run by this Python, so no wheel can be fetched.",
        reason="no_installer",
        hint="Install pip (python -m ensurepip), or take a bundle: service-nb runtime install --from-file <bundle>.",
    )


def _run(command: list[str], temporary: Path, said: int, watch: Callable[[], None]) -> int:
    """Run pip to its end; with us, it ends too."""
    process = subprocess.Popen(  # noqa: S603  # a fixed command, and paths of ours
        command,
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=said,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONIOENCODING": "utf-8"},
        start_new_session=True,
    )
    try:
        while True:
            try:
                return process.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                watch()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118  # asked ten times a second
            except FileNotFoundError:  # moved on meanwhile
                continue
    return total


def _failure(text: str, log: str) -> RuntimeProvisionError | UnsupportedPlatformError:
    said = _last_line(text)
    if _OTHER_BYTES in text:
        return RuntimeProvisionError(
            "The package index gave a wheel that is not the one this release was tested with.",
            reason="wheel_digest",
            hint="Check which index pip is configured for: pip config list.",
        )
    if _UNREACHABLE.search(text) or _UNREACHABLE.search(log):
        return RuntimeProvisionError(
            f"The package index did not answer, or stopped half-way ({said}).",
            reason="index_unreachable",
            hint="Try again when it can be reached, or take a bundle: service-nb runtime install --from-file <bundle>.",
        )
    if any(sign in text for sign in _NOTHING_FITS):
        if not _is_common():
            return UnsupportedPlatformError(
                f"There are no wheels of the runtime's libraries for this platform ({said}).",
                hint="Certified capabilities run with runtime='in_process'.",
            )
        return RuntimeProvisionError(
            f"The package index lacks a wheel that the runtime needs ({said}).",
            reason="wheel_missing",
            hint="Check which index pip is configured for: pip config list.",
        )
    if "No space left" in text or "Disk quota" in text:
        return RuntimeProvisionError(
            "The disk or a quota is full; nothing was installed.",
            reason="disk_full",
            hint="Free about 400 MB, or set SERVICE_HOME to a folder on another disk; then try again.",
        )
    return RuntimeProvisionError(
        f"pip failed: {said}",
        reason="installer_failed",
        hint="Run pip download numpy in a terminal to see more.",
    )


def _is_common() -> bool:
    """Whether wheels are published for this platform, so that an index without them is at fault."""
    systems = {"linux": ("x86_64", "aarch64"), "darwin": ("x86_64", "arm64")}
    is_musl = sys.platform == "linux" and "gnu" not in getattr(sys.implementation, "_multiarch", "gnu")
    known = os.uname().machine in systems.get(sys.platform, ()) if hasattr(os, "uname") else False
    return known and not is_musl and sys.implementation.name == "cpython"


def _last_line(text: str) -> str:
    """The last error that pip wrote, without addresses, credentials and paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.partition(" ")[2].strip() for line in lines if line.startswith(_SIGNS)]
    line = ([line for line in errors if line != "Exception:"] or lines or ["it said nothing"])[-1]
    return _PRIVATE.sub("…", "".join(c for c in line if c.isprintable()))[:200]
