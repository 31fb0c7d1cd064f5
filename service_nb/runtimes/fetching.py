"""The wheels of a runtime, into the cache: those that a lock allows for this interpreter, or those of a manifest."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import FileDigest, sha256_hex
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import package_index
from service_nb.runtimes.base import platform_key
from service_nb.runtimes.manifest import Member
from service_nb.runtimes.progress import Progress
from service_nb.runtimes.store import Store, read_json, write_file

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


def resolved(store: Store, lock: Path, progress: Progress) -> list[Member]:
    """Return the wheels that a lock has for this interpreter; afterwards they are in the cache.

    Raises as `package_index.fetch`.
    """
    text = locked_lines(lock)
    key = sha256_hex(f"{text}\n{sys.version}\n{platform.machine()}\n{platform_key()}".encode())
    note = store.fetched / f"{key}.json"
    allowed = set(_HASH.findall(text))
    known = list(_noted(read_json(note).get("wheels"), allowed))
    if len(known) == len(PACKAGES) and all(_is_cached(store, member) for member in known):
        return known
    progress.begin(_LABEL)
    members = _fetched(store, text, progress, allowed)
    write_file(note, canonical_bytes({"wheels": [member._asdict() for member in members]}))
    return members


def provided(store: Store, members: Iterable[Member], progress: Progress) -> None:
    """Have the wheels of a manifest in the cache; those that are not come from the index. Raises as `resolved`."""
    missing = [member for member in members if not _is_cached(store, member)]
    if not missing:
        return
    lines = "".join(f"{requirement(member.path)} --hash=sha256:{member.sha256}\n" for member in missing)
    progress.begin(_LABEL, sum(member.size for member in missing))
    got = {member.sha256 for member in _fetched(store, lines, progress, {member.sha256 for member in missing})}
    if absent := [member for member in missing if member.sha256 not in got]:
        raise _other_bytes(absent[0].path.removeprefix(WHEELS))


def requirement(path: str) -> str:
    """Return what a wheel's file name says that it is: `numpy==2.4.6`.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `manifest_malformed`.
    """
    met = _FILE.fullmatch(path.removeprefix(WHEELS))
    if met is None:
        raise RuntimeProvisionError(
            f"The manifest names {path.removeprefix(WHEELS)}, which is not a wheel's name.", reason="manifest_malformed"
        )
    return f"{met[1]}=={met[2]}"


def project(path: str) -> str:
    """Return the name of the project that a wheel is of, in its normal form: `python-flint`."""
    return re.sub(r"[-_.]+", "-", requirement(path).partition("==")[0]).lower()


def locked_lines(lock: Path) -> str:
    """Return the lines of a lock that are about what the runtime imports, markers and hashes included."""
    text = lock.read_text(encoding="utf-8")
    if len(text) > MAX_LOCK:
        raise RuntimeProvisionError(f"{lock.name} is larger than any lock.", reason="lock_malformed")
    kept, is_kept = [], False
    for line in text.splitlines():
        met = _PINNED.match(line)
        if met is not None:
            is_kept = re.sub(r"[-_.]+", "-", met[1]).lower() in PACKAGES
        elif not line[:1].isspace():
            is_kept = False
        if is_kept:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _fetched(store: Store, lines: str, progress: Progress, allowed: set[str]) -> list[Member]:
    with store.part(store.cache) as part:
        members = []
        for path in package_index.fetch(lines, part, progress.reach):
            member = _measured(path)
            if member.sha256 not in allowed:
                raise _other_bytes(path.name)
            path.replace(store.fetched_file(member.sha256))
            members.append(member)
        progress.reach(sum(member.size for member in members))
    return sorted(members)


def _measured(path: Path) -> Member:
    digest = FileDigest()
    with path.open("rb") as file:
        while block := file.read(1024**2):
            digest.update(block)
    return Member(WHEELS + path.name, digest.hexdigest(), digest.size)


def _is_cached(store: Store, member: Member) -> bool:
    file = store.fetched_wheel(member.sha256)
    if file is None:
        return False
    file.close()
    return True


def _noted(entries: Any, allowed: set[str]) -> Iterator[Member]:
    """What a note says that a lock came to: believed only where the lock allows it."""
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.keys() == set(Member._fields) and entry["sha256"] in allowed:
            member = Member(**entry)
            if _FILE.fullmatch(str(member.path).removeprefix(WHEELS)) and type(member.size) is int:
                yield member


def _other_bytes(name: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The package index gave {name} with other bytes than this release was tested with.",
        reason="wheel_digest",
        hint="Check which index pip is configured for: pip config list.",
    )


def is_wheel(member: Member) -> bool:
    """Whether a member of a bundle is a wheel; the others are our kernels."""
    return member.path.startswith(WHEELS)


def wheels_of(members: Sequence[Member]) -> list[Member]:
    """Return the wheels among the members of a bundle."""
    return [member for member in members if is_wheel(member)]
