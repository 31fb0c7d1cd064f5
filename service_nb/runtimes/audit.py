"""Whether what is installed is still what was signed: every file on the disk is read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from service_nb.base.digest import FileDigest, sha256_hex
from service_nb.base.folders import folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import wheels
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.fetching import is_wheel
from service_nb.runtimes.install import INSTALLED, record_file
from service_nb.runtimes.manifest import Manifest, parse_manifest
from service_nb.runtimes.provision import Installed
from service_nb.runtimes.store import Store, read_json
from service_nb.runtimes.trust import trusted, verify

_THREADS = 4
_OWN = {MANIFEST, SIGNATURE, INSTALLED}


class Finding(NamedTuple):
    """Something that is not as it was installed."""

    place: str  # below the folder for data
    reason: str  # missing, changed, unexpected, or why the signature is refused


class _Expected(NamedTuple):
    path: Path
    sha256: str


def audit(installed: Installed) -> list[Finding]:
    """Read every file of an installed runtime again, and return what is not as it has to be; nothing if all is well.

    The manifest is held against its signature, kernels against the manifest, wheels against their RECORD, and RECORD
    against the wheel as it was fetched, while the cache has it.
    """
    store = Store()
    try:
        content, signature = ((installed.folder / name).read_bytes() for name in (MANIFEST, SIGNATURE))
        verify(content, signature, keys=trusted(folders()))
        manifest = parse_manifest(content)
    except OSError:
        return [Finding(_place(store, installed.folder / MANIFEST), "missing")]
    except RuntimeProvisionError as error:
        return [Finding(_place(store, installed.folder / MANIFEST), error.reason)]
    told = read_json(installed.folder / INSTALLED)
    return sorted(
        {
            *_told(store, installed, manifest),
            *_kernels(store, installed, manifest, told.get("kernels", [])),
            *_wheels(store, manifest, told.get("wheels", {})),
        }
    )


def _told(store: Store, installed: Installed, manifest: Manifest) -> Iterator[Finding]:
    """What the folder says of itself has to be what the manifest says."""
    met = (installed.bundle_version, installed.contract_hash, installed.platform, installed.python)
    if met != (manifest.version, manifest.contract_hash, manifest.platform, manifest.python):
        yield Finding(_place(store, installed.folder / INSTALLED), "changed")


def _kernels(store: Store, installed: Installed, manifest: Manifest, kept: Iterable[str]) -> Iterator[Finding]:
    members = {member.path: member.sha256 for member in manifest.members if not is_wheel(member)}
    wanted = [path for path in kept if path in members]
    expected = [_Expected(installed.folder / path, members[path]) for path in wanted]
    expected += [_Expected(installed.folder / name, "") for name in _OWN]
    yield from _compared(store, installed.folder, expected)


def _wheels(store: Store, manifest: Manifest, kept: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    members = {member.path: member.sha256 for member in manifest.members if is_wheel(member)}
    for path, told in kept.items():
        folder = store.wheel_folder(told["sha256"])
        if members.get(path) != told["sha256"]:
            yield Finding(_place(store, folder), "unexpected")
            continue
        try:
            record = record_file(folder)
            content = record.read_bytes()
            listed = wheels.record(content, path)
        except (OSError, RuntimeProvisionError):
            yield Finding(_place(store, folder), "missing")
            continue
        # The wheel itself is what was signed; what was noted stands in for it once the cache was emptied.
        if sha256_hex(content) != (_record_of_wheel(store, told["sha256"], path) or told["record"]):
            yield Finding(_place(store, record), "changed")
        yield from _compared(
            store, folder, [_Expected(folder / name, sha256 or "") for name, (sha256, _) in listed.items()]
        )


def _record_of_wheel(store: Store, sha256: str, name: str) -> str | None:
    """The digest of the RECORD in the wheel as it was fetched; None if the cache has it no more."""
    file = store.fetched_wheel(sha256)
    if file is None:
        return None
    with file:
        return sha256_hex(wheels.record_content(file, name))


def _compared(store: Store, folder: Path, expected: list[_Expected]) -> Iterator[Finding]:
    met = set(_files(folder))
    for path in met - {one.path for one in expected}:
        yield Finding(_place(store, path), "unexpected")
    with ThreadPoolExecutor(_THREADS) as pool:
        for one, reason in zip(expected, pool.map(_reason, expected), strict=True):
            if reason is not None:
                yield Finding(_place(store, one.path), reason)


def _files(folder: Path) -> Iterator[Path]:
    """Everything below a folder that is no folder; links are not followed."""
    for parent, folders_, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)
        yield from (Path(parent, name) for name in folders_ if Path(parent, name).is_symlink())


def _reason(one: _Expected) -> str | None:
    try:
        descriptor = os.open(one.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "changed"
    digest = FileDigest()
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "changed"
        if one.sha256:
            while block := file.read(1024**2):
                digest.update(block)
    return None if not one.sha256 or digest.hexdigest() == one.sha256 else "changed"


def _place(store: Store, path: Path) -> str:
    return path.relative_to(store.data).as_posix()
