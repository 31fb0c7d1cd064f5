"""Wheels of the user's package index, fetched into the cache.

Wheels are fetched by the user's own `pip`, in a process of its own: so mirrors, proxies, certificates and credentials
are the user's, whatever they are. It is told names, versions and hashes, and is not believed: each wheel's digest is
computed again.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import msgspec

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import RuntimeProvisionError, UnsupportedPlatformError
from service_nb.runtimes.folders import InstallProgress, RuntimeStore, digest_file, read_json, write_file
from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import Member

# What the runtime imports; typing-extensions is what grpcio imports.
PACKAGES = frozenset({"grpcio", "numpy", "protobuf", "python-flint", "scipy", "threadpoolctl", "typing-extensions"})
WHEELS = "wheels/"
MAX_LOCK = 8 * 1024**2
_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_FILE = re.compile(
    r"([A-Za-z0-9_.]+)-([A-Za-z0-9_.!+]+)(?:-\d[A-Za-z0-9_.]*)?-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl"
)
_LABEL = "Fetching wheels"
_WHICH_INDEX = "Check which index pip is configured for: pip config list."


# --- wheels into the cache --------------------------------------------------------------------------------------------


def fetch_locked_wheels(store: RuntimeStore, lock: Path, progress: InstallProgress) -> list[Member]:
    """Have the wheels that a lock allows for this interpreter in the cache, and return them.

    Raises as `_run_pip`.
    """
    lines = read_lock(lock)
    key = compute_sha256_hex(f"{lines}\n{sys.version}\n{platform.machine()}\n{get_platform_key()}".encode())
    note = store.fetched / f"{key}.json"
    allowed = set(_HASH.findall(lines))
    known = _read_note(note, allowed)
    if len(known) == len(PACKAGES) and all(_is_cached(store, member) for member in known):
        return known
    progress.begin(_LABEL)
    members = _fetch(store, lines, progress, allowed)
    write_file(note, write_canonical_bytes({"wheels": msgspec.to_builtins(members)}))
    return members


def fetch_wheels(store: RuntimeStore, members: Iterable[Member], progress: InstallProgress) -> None:
    """Have the wheels of a manifest in the cache; those that are not come from the index. Raises as `_run_pip`."""
    missing = {member.sha256: member for member in members if not _is_cached(store, member)}
    if not missing:
        return
    lines = "".join(f"{parse_requirement(each.path)} --hash=sha256:{sha256}\n" for sha256, each in missing.items())
    progress.begin(_LABEL, sum(member.size for member in missing.values()))
    fetched = {member.sha256 for member in _fetch(store, lines, progress, missing)}
    for sha256, member in missing.items():
        if sha256 not in fetched:
            raise _wrong_wheel_error(member.path.removeprefix(WHEELS))


def parse_requirement(path: str) -> str:
    """Read from a wheel's file name what it is: `numpy==2.4.6`."""
    name = path.removeprefix(WHEELS)
    met = _FILE.fullmatch(name)
    if met is None:
        raise RuntimeProvisionError(
            f"The manifest names {name}, which is not a wheel's name.", reason="manifest_malformed"
        )
    return f"{met[1]}=={met[2]}"


def parse_project(path: str) -> str:
    """Read from a wheel's file name the project that it is of, in its normal form: `python-flint`."""
    return _normalise_name(parse_requirement(path).partition("==")[0])


def read_lock(lock: Path) -> str:
    """Read the lines of a lock that are about what the runtime imports, markers and hashes included."""
    text = lock.read_text(encoding="utf-8")
    if len(text) > MAX_LOCK:
        raise RuntimeProvisionError(f"{lock.name} is larger than any lock.", reason="lock_malformed")
    kept, is_kept = [], False
    for line in text.splitlines():
        met = _PINNED.match(line)
        if met is not None:
            is_kept = _normalise_name(met[1]) in PACKAGES
        elif not line[:1].isspace():
            is_kept = False
        if is_kept:
            kept.append(line)
    return "\n".join(kept) + "\n"


def is_wheel(member: Member) -> bool:
    """Tell whether a member of a bundle is a wheel; the others are our kernels."""
    return member.path.startswith(WHEELS)


def _normalise_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _fetch(
    store: RuntimeStore, lines: str, progress: InstallProgress, allowed: set[str] | Mapping[str, Member]
) -> list[Member]:
    with store.make_part(store.cache) as part:
        members = []
        for path in _run_pip(lines, part, progress.reach):
            with path.open("rb") as file:
                digest = digest_file(file)
            member = Member(WHEELS + path.name, digest.hexdigest(), digest.size)
            if member.sha256 not in allowed:
                raise _wrong_wheel_error(path.name)
            path.replace(store.find_fetched_file(member.sha256))
            members.append(member)
        progress.reach(sum(member.size for member in members))
    return sorted(members)


def _is_cached(store: RuntimeStore, member: Member) -> bool:
    file = store.open_fetched_wheel(member.sha256)
    if file is None:
        return False
    file.close()
    return True


def _read_note(path: Path, allowed: set[str]) -> list[Member]:
    """Read what a lock came to; it is believed only where the lock allows it."""
    try:
        members = msgspec.convert(read_json(path).get("wheels"), list[Member])
    except msgspec.ValidationError:
        return []
    return [
        member for member in members if member.sha256 in allowed and _FILE.fullmatch(member.path.removeprefix(WHEELS))
    ]


def _wrong_wheel_error(name: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The package index gave {name} with other bytes than this release was tested with.",
        reason="wheel_digest",
        hint=_WHICH_INDEX,
    )


# --- pip --------------------------------------------------------------------------------------------------------------

MAX_LOG = 1024**2
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
# What went wrong is read from pip's text: its report (`--report`) is written by runs that succeed, and by those alone.
# An index that does not have a project answers 404 and is sound; everything else that is not answered is a fault.
_UNREACHABLE = re.compile(
    r"Could not fetch URL (?!.*404 Client Error)|connection broken|Max retries|timed out|HTTP error (?!404)"
    r"|Connection(?:Reset|Refused)?Error|ProxyError|SSLError|ProtocolError|IncompleteRead|not enough bytes"
    r"|error sending request"  # this is how uv says it
)
_PRIVATE = re.compile(r"\S*(?:://|[/\\@])\S*")  # addresses, credentials and paths


def _run_pip(requirements: str, folder: Path, report: Callable[[int], None]) -> list[Path]:
    """Have pip download wheels for this interpreter below `folder`, and return them; `report` is told their bytes.

    Each line of `requirements` has `==` and hashes; markers are pip's to judge.
    """
    listed, fetched, temporary = folder / "requirements.txt", folder / "fetched", folder / "temporary"
    listed.write_text(requirements, encoding="utf-8")
    temporary.mkdir()
    fetched.mkdir()
    log = folder / "log"  # has what became of each address; the output has it only where pip tries again
    options = ("--requirement", str(listed), "--dest", str(fetched), "--log", str(log))
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # a fixed command, and paths of ours
            [*_find_installer(), "download", *_OPTIONS, *options],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**os.environ, "TMPDIR": str(temporary), "PYTHONIOENCODING": "utf-8"},
            start_new_session=True,
        )
        try:
            while process.poll() is None:
                try:
                    process.wait(_POLL_S)
                except subprocess.TimeoutExpired:
                    report(_count_bytes(fetched) + _count_bytes(temporary))
        finally:  # it ends with us
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            assert process.stdin is not None  # noqa: S101  # a pipe was asked for
            process.stdin.close()
    if process.returncode:
        raise _explain_failure(_read_end(folder / "output"), _read_end(log))
    return sorted(fetched.glob("*.whl"))


def _find_installer() -> list[str]:
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


def _count_bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118  # asked ten times a second
            except FileNotFoundError:  # moved on meanwhile
                continue
    return total


def _read_end(path: Path) -> str:
    if not path.exists():  # an installer that did not come to its work
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_LOG))
        return file.read(MAX_LOG).decode("utf-8", "replace")


def _explain_failure(output: str, log: str) -> RuntimeProvisionError | UnsupportedPlatformError:
    last = _find_last_error(output)
    if _OTHER_BYTES in output:
        reason, hint = "wheel_digest", _WHICH_INDEX
        message = "The package index gave a wheel that is not the one this release was tested with."
    elif _UNREACHABLE.search(output) or _UNREACHABLE.search(log):
        reason, message = "index_unreachable", f"The package index did not answer, or stopped half-way ({last})."
        hint = "Try again when it can be reached, or take a bundle: service-nb runtime install --from-file <bundle>."
    elif any(sign in output for sign in _NOTHING_FITS):
        if not _has_published_wheels():
            return UnsupportedPlatformError(
                f"There are no wheels of the runtime's libraries for this platform ({last}).",
                hint="Certified capabilities run with runtime='in_process'.",
            )
        reason, hint = "wheel_missing", _WHICH_INDEX
        message = f"The package index lacks a wheel that the runtime needs ({last})."
    elif "No space left" in output or "Disk quota" in output:
        reason, message = "disk_full", "The disk or a quota is full; nothing was installed."
        hint = "Free about 400 MB, or set SERVICE_HOME to a folder on another disk; then try again."
    else:
        reason, message = "installer_failed", f"pip failed: {last}"
        hint = "Run pip download numpy in a terminal to see more."
    return RuntimeProvisionError(message, reason=reason, hint=hint)


def _has_published_wheels() -> bool:
    """Tell whether wheels are published for this platform, so that an index without them is at fault."""
    systems = {"linux": ("x86_64", "aarch64"), "darwin": ("x86_64", "arm64")}
    is_musl = sys.platform == "linux" and "gnu" not in getattr(sys.implementation, "_multiarch", "gnu")
    is_known = os.uname().machine in systems.get(sys.platform, ()) if hasattr(os, "uname") else False
    return is_known and not is_musl and sys.implementation.name == "cpython"


def _find_last_error(text: str) -> str:
    """Find the last error that pip wrote, without addresses, credentials and paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.partition(" ")[2].strip() for line in lines if line.startswith(_SIGNS)]
    line = ([line for line in errors if line != "Exception:"] or lines or ["it said nothing"])[-1]
    return _PRIVATE.sub("…", "".join(c for c in line if c.isprintable()))[:200]
