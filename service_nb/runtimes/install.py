"""Install a bundle whose parts are on this machine, and verify later that every file is still what was signed.

Wheels are unpacked once for all bundles; kernels lie beside their manifest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.bytecode import compile_wheels, digest_bytecode, is_for_other_python
from service_nb.runtimes.checkout import Bundle
from service_nb.runtimes.fetching import WHEELS, is_wheel
from service_nb.runtimes.folders import (
    INSTALLED,
    InstallationNote,
    InstallProgress,
    RuntimeStore,
    WheelNote,
    create_file,
    digest_file,
    move_into_place,
    open_regular,
    read_note,
    remove_tree,
    write_file,
)
from service_nb.runtimes.interface import Report
from service_nb.runtimes.manifest import DEVELOPMENT, Member, parse_manifest
from service_nb.runtimes.trust import find_trusted_keys, verify_signature
from service_nb.runtimes.wheels import READ_ONLY, Unpacking, flush_files, parse_record, read_record, unpack_wheels

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


class Finding(NamedTuple):
    """Something that is not as it was installed."""

    place: str  # below the folder for data
    reason: str  # missing, changed, unexpected; of the manifest also why its signature is refused


class Verified(NamedTuple):
    """The extent of a successful verification: how many files were read, and their size."""

    files: int
    size: int


# --- installing -------------------------------------------------------------------------------------------------------


def install(
    store: RuntimeStore,
    bundle: Bundle,
    members: Sequence[Member],
    progress: InstallProgress,
    *,
    modules: tuple[str, ...],
    key: str,
    origin: str,
) -> None:
    """Install the members of a bundle that some modules need. Whoever calls it holds the lock.

    `key` tells this selection from others, and is empty for all; `origin` is what the package was when it asked.
    """
    manifest = bundle.signed.manifest
    name = "-".join(filter(None, (bundle.sha256[:_KEY_DIGITS], key[:_SELECTION_DIGITS])))
    wheels = [member for member in members if is_wheel(member)]
    kernels = [member for member in members if not is_wheel(member)]
    with store.make_part(store.bundles) as part:
        # First what takes little: kernels that are not those of the manifest are refused before much is written.
        (part / MANIFEST).write_bytes(manifest.content)
        (part / SIGNATURE).write_bytes(bundle.signature)
        _copy_kernels(bundle, kernels, part)
        _unpack_missing(store, wheels, progress)
        folders = {each.path: store.find_wheel_folder(each.sha256) for each in wheels}
        compile_wheels([*folders.values()], progress)
        records = {path: _find_record(folder).read_bytes() for path, folder in folders.items()}
        note = InstallationNote(
            bundle_version=manifest.version,
            bundle_sha256=bundle.sha256,
            contract_hash=manifest.contract_hash,
            platform=manifest.platform,
            python=manifest.python,
            key_id=bundle.signed.key.key_id,
            modules=modules,
            origin=origin,
            kernels=tuple(member.path for member in kernels),
            wheels={
                each.path: WheelNote(
                    each.sha256, compute_sha256_hex(records[each.path]), digest_bytecode(folders[each.path])
                )
                for each in wheels
            },
            paths=(f"bundles/{name}/kernels", *(f"{WHEELS}{each.sha256}" for each in wheels)),
        )
        write_file(part / INSTALLED, write_canonical_bytes(msgspec.to_builtins(note)))
        move_into_place(part, store.bundles / name)
    _remove_old_bundles(store, store.bundles / name)


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
        with create_file(path, READ_ONLY) as target:
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
    made = [folder for folder, note in store.list_bundles() if note.bundle_version.endswith(DEVELOPMENT)]
    old = [folder for folder in made[_KEPT:] if folder != present and not store.is_running(folder)]
    for folder in old:
        remove_tree(folder)
    if old:
        named = {path for _, note in store.list_bundles() for path in note.paths}
        for folder in store.wheels.iterdir():
            if f"{WHEELS}{folder.name}" not in named:
                remove_tree(folder)


# --- verifying --------------------------------------------------------------------------------------------------------


def verify_installed(installed: Installed, *, with_wheels: bool = True, report: Report | None = None) -> Verified:
    """Read every file of an installed runtime again; return how much that was. Without wheels before each start.

    Raises `installation_altered`, with places and what was found there as `findings`.
    """
    findings, verified = _read_installed(installed, InstallProgress(report), with_wheels=with_wheels)
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
    return verified


def audit(installed: Installed) -> list[Finding]:
    """Read every file of an installed runtime again; return all that is not as it has to be."""
    return _read_installed(installed, InstallProgress(None))[0]


def _read_installed(
    installed: Installed, progress: InstallProgress, *, with_wheels: bool = True
) -> tuple[list[Finding], Verified]:
    """Hold the manifest against its signature, kernels against the manifest, and wheels against their RECORD."""
    store, folder = RuntimeStore(), installed.folder
    progress.begin("Verifying")
    try:
        content, signature = ((folder / name).read_bytes() for name in (MANIFEST, SIGNATURE))
        verify_signature(content, signature, keys=find_trusted_keys(find_folders()))
        manifest = parse_manifest(content)
    except OSError:
        return [_make_finding(store, folder / MANIFEST, "missing")], Verified(0, 0)
    except RuntimeProvisionError as error:
        return [_make_finding(store, folder / MANIFEST, error.reason)], Verified(0, 0)
    note = read_note(folder)
    met = (installed.bundle_version, installed.contract_hash, installed.platform, installed.python)
    if note is None or met != (manifest.version, manifest.contract_hash, manifest.platform, manifest.python):
        return [_make_finding(store, folder / INSTALLED, "changed")], Verified(0, 0)
    signed = {member.path: member.sha256 for member in manifest.members if not is_wheel(member)}
    expected: dict[Path, str | None] = {folder / path: signed[path] for path in note.kernels if path in signed}
    expected |= dict.fromkeys((folder / name for name in (MANIFEST, SIGNATURE, INSTALLED)), None)
    found, expected_of = list[tuple[Path, str]](), {folder: expected}
    if with_wheels:
        names = {store.find_wheel_folder(each.sha256): each.path for each in manifest.members if is_wheel(each)}
        for place in installed.python_path[1:]:
            name = names.get(place, "")
            expected_of[place] = _expect_wheel(store, place, name, note.wheels.get(name), found)
    for place, listed in expected_of.items():
        files = (path for path in _list_files(place) if listed and path not in listed)
        found += [(path, "unexpected") for path in files if not is_for_other_python(path)]
    digests = {path: sha256 for listed in expected_of.values() for path, sha256 in listed.items()}
    total = 0
    with ThreadPoolExecutor(_THREADS) as pool:
        for path, (size, reason) in zip(digests, pool.map(_check_file, digests, digests.values()), strict=True):
            total += size
            progress.grow(size)
            if reason is not None:
                found.append((path, reason))
    return sorted({_make_finding(store, *each) for each in found}), Verified(len(digests), total)


def _expect_wheel(
    store: RuntimeStore, folder: Path, name: str, note: WheelNote | None, found: list[tuple[Path, str]]
) -> dict[Path, str | None]:
    """List the files of an unpacked wheel with their digests; add to `found` what is wrong with the list itself."""
    if note is None:
        found.append((folder, "unexpected"))
        return {}
    try:
        record = _find_record(folder)
        content = record.read_bytes()
        listed = parse_record(content, name)
    except (OSError, RuntimeProvisionError):
        found.append((folder, "missing"))
        return {}
    # The wheel itself is what was signed; what was noted stands in for it once the cache was emptied.
    signed, wheel = note.record, store.open_fetched_wheel(folder.name)
    if wheel is not None:
        with wheel:
            signed = compute_sha256_hex(read_record(wheel, name))
    if compute_sha256_hex(content) != signed:
        found.append((record, "changed"))
    digests = {path: sha256 for path, (sha256, _) in listed.items()} | note.bytecode
    return {folder / path: sha256 for path, sha256 in digests.items()}


def _make_finding(store: RuntimeStore, path: Path, reason: str) -> Finding:
    is_kept = path.is_relative_to(store.data)  # else it was started from elsewhere, and its name says enough
    return Finding(path.relative_to(store.data).as_posix() if is_kept else path.name, reason)


def _list_files(folder: Path) -> Iterator[Path]:
    """List everything below a folder that is no folder; links are not followed."""
    for parent, below, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)
        yield from (path for name in below if (path := Path(parent, name)).is_symlink())


def _check_file(path: Path, sha256: str | None) -> tuple[int, str | None]:
    """Return the size of a file, and what is wrong with it."""
    try:
        with open_regular(path) as file:
            digest = digest_file(file)
    except FileNotFoundError:
        return 0, "missing"
    except OSError:
        return 0, "changed"
    return digest.size, None if sha256 in (None, digest.hexdigest()) else "changed"
