"""Whether what is installed is still what was signed: every file on the disk is read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from service_nb.core.digest import FileDigest, sha256_hex
from service_nb.core.folders import folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import wheels
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.fetching import is_wheel
from service_nb.runtimes.install import INSTALLED, Installed, record_file
from service_nb.runtimes.manifest import Manifest, parse_manifest
from service_nb.runtimes.progress import Progress, Report
from service_nb.runtimes.store import Store, read_json, remove_tree
from service_nb.runtimes.trust import trusted
from service_nb.runtimes.trust import verify as verify_signature

_THREADS = 4
_SHOWN = 20  # of the findings, in an error
_OWN = {MANIFEST, SIGNATURE, INSTALLED}


class Finding(NamedTuple):
    """Something that is not as it was installed."""

    place: str  # below the folder for data
    reason: str  # missing, changed, unexpected; of the manifest also why its signature is refused


class Verified(NamedTuple):
    """What was read and found to be as it has to be."""

    files: int
    size: int


class _Expected(NamedTuple):
    path: Path
    sha256: str  # empty where others than a digest vouch for it


def verify(installed: Installed, *, report: Report | None = None) -> Verified:
    """Read every file of an installed runtime again; return how much that was.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `installation_altered`; `details["findings"]` lists places and what was found there.
    """
    reading = _Reading(installed, Progress(report))
    _refuse(reading.findings())
    return Verified(reading.files, reading.size)


def verify_kernels(installed: Installed) -> Verified:
    """Read manifest and kernels of an installed runtime again, and not the wheels: before each start of it.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        As `verify`.
    """
    reading = _Reading(installed, Progress(None))
    _refuse(reading.findings(with_wheels=False))
    return Verified(reading.files, reading.size)


def _refuse(findings: list[Finding]) -> None:
    if findings:
        first = findings[0]
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        raise RuntimeProvisionError(
            f"The installed runtime differs from what was signed: {first.place} is {first.reason}{more}.",
            reason="installation_altered",
            hint="Run: service-nb runtime install. Damaged files are replaced.",
            findings=[finding._asdict() for finding in findings[:_SHOWN]],
            count=len(findings),
        )


def audit(installed: Installed) -> list[Finding]:
    """Read every file of an installed runtime again; return all that is not as it has to be.

    The manifest is held against its signature, kernels against the manifest, wheels against their RECORD, and RECORD
    against the wheel as it was fetched, while the cache has it.
    """
    return _Reading(installed, Progress(None)).findings()


def mended(installed: Installed) -> bool:
    """Remove each wheel and bundle of a runtime in which something is not as signed; whether there was any."""
    store, findings = Store(), audit(installed)
    for folder in {Path(*Path(finding.place).parts[:2]) for finding in findings}:
        remove_tree(store.data / folder)
    return bool(findings)


class _Reading:
    """One reading of an installed runtime."""

    def __init__(self, installed: Installed, progress: Progress) -> None:
        self._store = Store()
        self._installed = installed
        self._progress = progress
        self.files = 0
        self.size = 0

    def findings(self, *, with_wheels: bool = True) -> list[Finding]:
        """Read everything; return what is not as it has to be, sorted."""
        folder = self._installed.folder
        self._progress.begin("Verifying")
        try:
            content, signature = ((folder / name).read_bytes() for name in (MANIFEST, SIGNATURE))
            verify_signature(content, signature, keys=trusted(folders()))
            manifest = parse_manifest(content)
        except OSError:
            return [self._finding(folder / MANIFEST, "missing")]
        except RuntimeProvisionError as error:
            return [self._finding(folder / MANIFEST, error.reason)]
        told = read_json(folder / INSTALLED)
        kernels, wheels_ = told.get("kernels"), told.get("wheels")
        if not self._is_told(manifest) or not isinstance(kernels, list) or not isinstance(wheels_, dict):
            return [self._finding(folder / INSTALLED, "changed")]
        of_wheels = self._wheels(manifest, wheels_) if with_wheels else ()
        return sorted({*self._kernels(manifest, kernels), *of_wheels})

    def _is_told(self, manifest: Manifest) -> bool:
        """What the folder says of itself has to be what the manifest says."""
        told = self._installed
        met = (told.bundle_version, told.contract_hash, told.platform, told.python)
        return met == (manifest.version, manifest.contract_hash, manifest.platform, manifest.python)

    def _kernels(self, manifest: Manifest, kept: list[Any]) -> Iterator[Finding]:
        folder = self._installed.folder
        members = {member.path: member.sha256 for member in manifest.members if not is_wheel(member)}
        expected = [_Expected(folder / path, members[path]) for path in kept if path in members]
        yield from self._compared(folder, [*expected, *(_Expected(folder / name, "") for name in _OWN)])

    def _wheels(self, manifest: Manifest, kept: dict[str, Any]) -> Iterator[Finding]:
        members = {member.path: member.sha256 for member in manifest.members if is_wheel(member)}
        unpacked = {self._store.wheel_folder(sha256): path for path, sha256 in members.items()}
        for folder in self._installed.python_path[1:]:
            path = unpacked.get(folder)
            if path is None or path not in kept:
                yield self._finding(folder, "unexpected")
            else:
                yield from self._wheel(folder, path, kept[path])

    def _wheel(self, folder: Path, path: str, told: Any) -> Iterator[Finding]:
        try:
            record = record_file(folder)
            content = record.read_bytes()
            listed = wheels.record(content, path)
        except (OSError, RuntimeProvisionError):
            yield self._finding(folder, "missing")
            return
        # The wheel itself is what was signed; what was noted stands in for it once the cache was emptied.
        noted = told.get("record") if isinstance(told, dict) else None
        if sha256_hex(content) != (self._fetched_record(folder.name, path) or noted):
            yield self._finding(record, "changed")
        expected = [_Expected(folder / name, sha256 or "") for name, (sha256, _) in listed.items()]
        yield from self._compared(folder, expected)

    def _fetched_record(self, sha256: str, name: str) -> str | None:
        """The digest of the RECORD in the wheel as it was fetched; None if the cache has it no more."""
        file = self._store.fetched_wheel(sha256)
        if file is None:
            return None
        with file:
            return sha256_hex(wheels.record_content(file, name))

    def _compared(self, folder: Path, expected: list[_Expected]) -> Iterator[Finding]:
        for path in set(_files(folder)) - {one.path for one in expected}:
            yield self._finding(path, "unexpected")
        with ThreadPoolExecutor(_THREADS) as pool:
            for one, (size, reason) in zip(expected, pool.map(_read, expected), strict=True):
                self.files += 1
                self.size += size
                self._progress.grow(size)
                if reason is not None:
                    yield self._finding(one.path, reason)

    def _finding(self, path: Path, reason: str) -> Finding:
        is_kept = path.is_relative_to(self._store.data)  # else it was started from elsewhere, and its name says enough
        return Finding(path.relative_to(self._store.data).as_posix() if is_kept else path.name, reason)


def _files(folder: Path) -> Iterator[Path]:
    """Everything below a folder that is no folder; links are not followed."""
    for parent, below, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)
        yield from (path for name in below if (path := Path(parent, name)).is_symlink())


def _read(one: _Expected) -> tuple[int, str | None]:
    """The bytes of a file, and what is wrong with it."""
    digest = FileDigest()
    try:
        # A FIFO in its place would have us wait for a writer.
        descriptor = os.open(one.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return 0, "changed"
            while block := file.read(1024**2):
                digest.update(block)
    except FileNotFoundError:
        return 0, "missing"
    except OSError:
        return 0, "changed"
    return digest.size, None if one.sha256 in ("", digest.hexdigest()) else "changed"
