"""Install a bundle whose parts are on this machine, and verify later that every file is still what was signed.

Wheels are unpacked once for all bundles; kernels lie beside their manifest.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.base import Report
from service_nb.runtimes.build import KERNELS, Bundle
from service_nb.runtimes.fetching import WHEELS, is_wheel
from service_nb.runtimes.manifest import Manifest, Member, parse_manifest
from service_nb.runtimes.store import (
    INSTALLED,
    InstallProgress,
    RuntimeStore,
    digest_file,
    move_into_place,
    read_json,
    remove_tree,
    write_file,
)
from service_nb.runtimes.trust import find_trusted_keys, verify_signature
from service_nb.runtimes.wheels import (
    READ_ONLY,
    Unpacking,
    flush_files,
    parse_record,
    read_record,
    unpack_wheels,
)

_KEPT = 4  # of a checkout's bundles: sessions that began before an edit go on with the bundle they have
_KEY_DIGITS, _SELECTION_DIGITS = 32, 8
_THREADS = 4
_SHOWN = 20  # of the findings, in an error


class Installed(NamedTuple):
    """A runtime that is installed, and with it what a process needs to run it."""

    bundle_version: str
    bundle_sha256: str
    contract_hash: str
    platform: str
    python: str
    modules: tuple[str, ...]  # empty for all
    folder: Path
    python_path: tuple[Path, ...]  # the folders of PYTHONPATH, in this order


class Selection(NamedTuple):
    """The part of a bundle that is installed, and for what."""

    modules: tuple[str, ...]  # the fields that were selected; empty for all
    key: str  # tells that selection from others; empty for all
    origin: str  # what the package was when it asked for this
    members: Sequence[Member]


class Finding(NamedTuple):
    """Something that is not as it was installed."""

    place: str  # below the folder for data
    reason: str  # missing, changed, unexpected; of the manifest also why its signature is refused


class Verified(NamedTuple):
    """The extent of a successful verification: how many files were read, and their size."""

    files: int
    size: int


# --- installing -------------------------------------------------------------------------------------------------------


def install(store: RuntimeStore, bundle: Bundle, selection: Selection, progress: InstallProgress) -> Path:
    """Install the selected members of a bundle, and return its folder. Whoever calls it holds the lock.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons `wheel_malformed`, `wheel_digest`, `member_digest`.
    OSError
        The disk is full, or the folder cannot be written.
    """
    name = "-".join(filter(None, (bundle.sha256[:_KEY_DIGITS], selection.key[:_SELECTION_DIGITS])))
    wheels = [member for member in selection.members if is_wheel(member)]
    kernels = [member for member in selection.members if not is_wheel(member)]
    with store.make_part(store.bundles) as part:
        # First what takes little: kernels that are not those of the manifest are refused before much is written.
        (part / MANIFEST).write_bytes(bundle.manifest.content)
        (part / SIGNATURE).write_bytes(bundle.signature)
        _copy_kernels(bundle, kernels, part)
        _unpack_missing(store, wheels, progress)
        note = {
            "bundle_version": bundle.manifest.version,
            "bundle_sha256": bundle.sha256,
            "contract_hash": bundle.manifest.contract_hash,
            "platform": bundle.manifest.platform,
            "python": bundle.manifest.python,
            "key_id": bundle.key_id,
            "modules": list(selection.modules),
            "origin": selection.origin,
            "kernels": [member.path for member in kernels],
            "wheels": {
                wheel.path: {
                    "sha256": wheel.sha256,
                    "record": compute_sha256_hex(_find_record(store.find_wheel_folder(wheel.sha256)).read_bytes()),
                }
                for wheel in wheels
            },
            "paths": [f"bundles/{name}/{KERNELS}".rstrip("/"), *(f"{WHEELS}{wheel.sha256}" for wheel in wheels)],
        }
        write_file(part / INSTALLED, write_canonical_bytes(note))
        move_into_place(part, store.bundles / name)
    _remove_old_bundles(store, store.bundles / name)
    return store.bundles / name


def _copy_kernels(bundle: Bundle, kernels: Sequence[Member], part: Path) -> None:
    for member in kernels:
        with bundle.open_member(member) as file:
            content = file.read(member.size + 1)
        if len(content) != member.size or compute_sha256_hex(content) != member.sha256:
            raise RuntimeProvisionError(
                f"{member.path.rpartition('/')[2]} of the kernels is not what the manifest says.",
                reason="member_digest",
                hint="Install service-nb again, or try again if you were editing it.",
            )
        path = part / member.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READ_ONLY), "wb") as target:
            target.write(content)
    flush_files([part / member.path for member in kernels])


def _unpack_missing(store: RuntimeStore, wheels: Sequence[Member], progress: InstallProgress) -> None:
    with ExitStack() as stack:
        jobs = []
        for wheel in wheels:
            if _is_whole(store.find_wheel_folder(wheel.sha256)):
                continue
            file = store.open_fetched_wheel(wheel.sha256)
            if file is None:
                raise RuntimeProvisionError(
                    "A wheel vanished from the cache while it was used.",
                    reason="wheel_digest",
                    hint="Try again: it will be fetched again.",
                )
            stack.enter_context(file)
            part = stack.enter_context(store.make_part(store.wheels))
            jobs.append((Unpacking(file, wheel.path.removeprefix(WHEELS), part), store.find_wheel_folder(wheel.sha256)))
        if jobs:
            unpack_wheels([job for job, _ in jobs], lambda total: progress.begin("Unpacking", total))
        for job, folder in jobs:
            move_into_place(job.folder, folder)


def _is_whole(folder: Path) -> bool:
    """Tell whether an unpacked wheel still has the files of its RECORD, in their sizes; no file is read."""
    try:
        listed = parse_record(_find_record(folder).read_bytes(), folder.name)
        return not folder.is_symlink() and all(
            size is None or os.lstat(f"{folder}/{path}").st_size == size for path, (_, size) in listed.items()
        )
    except (OSError, RuntimeProvisionError):
        return False


def _find_record(folder: Path) -> Path:
    found = sorted(folder.glob("*.dist-info/RECORD"))
    if len(found) != 1:
        raise FileNotFoundError(folder.name)
    return found[0]


def _remove_old_bundles(store: RuntimeStore, present: Path) -> None:
    """Remove what earlier states of a checkout left: bundles that no process runs, and wheels that no bundle names.

    Releases stay until they are removed by name: another environment of the same user may be of that release.
    """
    made = [folder for folder, note in store.list_bundles() if str(note.get("bundle_version")).endswith("+dev")]
    old = [folder for folder in made[_KEPT:] if folder != present and not store.is_running(folder)]
    for folder in old:
        remove_tree(folder)
    if old:
        named: set[object] = set()
        for _, note in store.list_bundles():
            paths = note.get("paths")
            named.update(paths if isinstance(paths, list) else ())
        for folder in store.wheels.iterdir():
            if f"{WHEELS}{folder.name}" not in named:
                remove_tree(folder)


# --- verifying --------------------------------------------------------------------------------------------------------


def verify_installed(installed: Installed, *, with_wheels: bool = True, report: Report | None = None) -> Verified:
    """Read every file of an installed runtime again; return how much that was. Without wheels before each start.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `installation_altered`; `details["findings"]` lists places and what was found there.
    """
    reading = _Verification(installed, InstallProgress(report))
    findings = reading.find_changes(with_wheels=with_wheels)
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
    return Verified(reading.files, reading.size)


def audit(installed: Installed) -> list[Finding]:
    """Read every file of an installed runtime again; return all that is not as it has to be.

    The manifest is held against its signature, kernels against the manifest, wheels against their RECORD, and RECORD
    against the wheel as it was fetched, while the cache has it.
    """
    return _Verification(installed, InstallProgress(None)).find_changes()


def remove_altered(installed: Installed) -> bool:
    """Remove each wheel and bundle of a runtime in which something is not as signed; whether there was any."""
    store, findings = RuntimeStore(), audit(installed)
    for folder in {Path(*Path(finding.place).parts[:2]) for finding in findings}:
        remove_tree(store.data / folder)
    return bool(findings)


class _Verification:
    """One reading of an installed runtime."""

    def __init__(self, installed: Installed, progress: InstallProgress) -> None:
        self._store = RuntimeStore()
        self._installed = installed
        self._progress = progress
        self.files = 0
        self.size = 0

    def find_changes(self, *, with_wheels: bool = True) -> list[Finding]:
        """Read everything; return what is not as it has to be, sorted."""
        folder = self._installed.folder
        self._progress.begin("Verifying")
        try:
            content, signature = ((folder / name).read_bytes() for name in (MANIFEST, SIGNATURE))
            verify_signature(content, signature, keys=find_trusted_keys(find_folders()))
            manifest = parse_manifest(content)
        except OSError:
            return [self._found(folder / MANIFEST, "missing")]
        except RuntimeProvisionError as error:
            return [self._found(folder / MANIFEST, error.reason)]
        note, installed = read_json(folder / INSTALLED), self._installed
        kernels, wheels = note.get("kernels"), note.get("wheels")
        noted = (installed.bundle_version, installed.contract_hash, installed.platform, installed.python)
        is_of_manifest = noted == (manifest.version, manifest.contract_hash, manifest.platform, manifest.python)
        if not is_of_manifest or not isinstance(kernels, list) or not isinstance(wheels, dict):
            return [self._found(folder / INSTALLED, "changed")]
        digests = {member.path: member.sha256 for member in manifest.members if not is_wheel(member)}
        expected: dict[Path, str | None] = {folder / path: digests[path] for path in kernels if path in digests}
        expected |= dict.fromkeys((folder / name for name in (MANIFEST, SIGNATURE, INSTALLED)), None)
        findings = set(self._compare(folder, expected))
        if with_wheels:
            findings.update(self._read_wheels(manifest, wheels))
        return sorted(findings)

    def _read_wheels(self, manifest: Manifest, noted: Mapping[str, object]) -> Iterator[Finding]:
        unpacked = {
            self._store.find_wheel_folder(member.sha256): member.path for member in manifest.members if is_wheel(member)
        }
        for folder in self._installed.python_path[1:]:
            path = unpacked.get(folder)
            if path is None or path not in noted:
                yield self._found(folder, "unexpected")
                continue
            try:
                record = _find_record(folder)
                content = record.read_bytes()
                listed = parse_record(content, path)
            except (OSError, RuntimeProvisionError):
                yield self._found(folder, "missing")
                continue
            # The wheel itself is what was signed; what was noted stands in for it once the cache was emptied.
            note = noted[path]
            record_sha256 = note.get("record") if isinstance(note, dict) else None
            if compute_sha256_hex(content) != (self._hash_fetched_record(folder.name, path) or record_sha256):
                yield self._found(record, "changed")
            yield from self._compare(folder, {folder / name: sha256 for name, (sha256, _) in listed.items()})

    def _hash_fetched_record(self, sha256: str, name: str) -> str | None:
        """Compute the digest of the RECORD in the wheel as it was fetched; None if the cache has it no more."""
        file = self._store.open_fetched_wheel(sha256)
        if file is None:
            return None
        with file:
            return compute_sha256_hex(read_record(file, name))

    def _compare(self, folder: Path, expected: Mapping[Path, str | None]) -> Iterator[Finding]:
        """Compare all files of a folder with their digests; None where others than a digest vouch for a file."""
        for path in _list_files(folder):
            if path not in expected:
                yield self._found(path, "unexpected")
        with ThreadPoolExecutor(_THREADS) as pool:
            for path, (size, reason) in zip(
                expected, pool.map(_check_file, expected.keys(), expected.values()), strict=True
            ):
                self.files += 1
                self.size += size
                self._progress.grow(size)
                if reason is not None:
                    yield self._found(path, reason)

    def _found(self, path: Path, reason: str) -> Finding:
        is_kept = path.is_relative_to(self._store.data)  # else it was started from elsewhere, and its name says enough
        return Finding(path.relative_to(self._store.data).as_posix() if is_kept else path.name, reason)


def _list_files(folder: Path) -> Iterator[Path]:
    """List everything below a folder that is no folder; links are not followed."""
    for parent, below, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)
        yield from (path for name in below if (path := Path(parent, name)).is_symlink())


def _check_file(path: Path, sha256: str | None) -> tuple[int, str | None]:
    """Return the size of a file, and what is wrong with it."""
    try:
        # A FIFO in its place would have us wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return 0, "changed"
            digest = digest_file(file)
    except FileNotFoundError:
        return 0, "missing"
    except OSError:
        return 0, "changed"
    return digest.size, None if sha256 in (None, digest.hexdigest()) else "changed"
