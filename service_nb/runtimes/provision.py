"""The managed runtime, brought to this machine: from a checkout, a release's manifest, a file, or a build service.

Whichever way it comes, it is verified before anything of it is unpacked, installed whole or not at all, and then used
without a network until the package changes.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import service_nb_kernels

from service_nb._version import __version__
from service_nb.compute.contract import Contract
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError, UnsupportedPlatformError
from service_nb.runtimes.archive import open_bundle, unpack_bundle
from service_nb.runtimes.checkout import (
    Bundle,
    build_development_bundle,
    compute_fingerprint,
    find_checkout_lock,
    find_kernels,
    make_opener,
)
from service_nb.runtimes.fetching import fetch_wheels, is_wheel
from service_nb.runtimes.folders import InstallationNote, InstallProgress, RuntimeStore, disk_errors
from service_nb.runtimes.install import Installed, install
from service_nb.runtimes.interface import Report, get_platform_key, map_packaged_contract
from service_nb.runtimes.manifest import Member, get_python_key, make_refusal
from service_nb.runtimes.process import remove_altered
from service_nb.runtimes.selection import compute_cache_key, require_known, select_members
from service_nb.runtimes.trust import REVOKED, BundleTerms, HighestVersion, find_trusted_keys, verify_manifest

MANIFESTS = Path(__file__).with_name("manifests")
_SHA256_LENGTH = 64
_WHEEL = re.compile(r"wheels/[0-9a-f]{64}")
_TRIES = 3  # of a checkout that is edited meanwhile


def find_installed(modules: Sequence[str] = ()) -> Installed | None:
    """Find the runtime that is installed for this package as it is now; None when there is none. Reads little."""
    wanted, origin, store = _choose_modules(modules), _describe_origin(), RuntimeStore()
    for folder, note in store.list_bundles():
        if note.origin == origin and note.modules == wanted:
            found = _read_installed(store, folder, note)
            if found is not None:
                return found
    return None


def provision(
    modules: Sequence[str] = (), *, report: Report | None = None, from_file: Path | None = None, asked: bool = False
) -> Installed:
    """Install the runtime for this package and return it; at once, if it is installed already.

    `modules` are the fields to install; empty for those of SERVICE_RUNTIME_MODULES, or all. From a bundle's file
    nothing is fetched. When the user `asked` for it, what is installed is read again, and what is damaged comes anew;
    what happens by itself respects SERVICE_RUNTIME_AUTO_INSTALL=0, and reads little.
    """
    wanted = _choose_modules(modules)
    _require_platform()
    if not asked and from_file is None and os.environ.get("SERVICE_RUNTIME_AUTO_INSTALL") == "0":
        raise RuntimeProvisionError(
            "The runtime is not installed, and SERVICE_RUNTIME_AUTO_INSTALL=0 turns automatic installation off.",
            reason="auto_install_disabled",
            hint="Run: service-nb runtime install",
        )
    if wanted:
        require_known(wanted, Contract(map_packaged_contract()))
    store, progress = RuntimeStore(), InstallProgress(report)
    with store.lock(progress.wait), disk_errors():
        found = None if from_file is not None else find_installed(wanted)
        if found is not None and not (asked and remove_altered(found)):
            return found
        for _ in range(_TRIES):
            _Provisioning(store, wanted, progress).run(from_file)
            found = find_installed(wanted)
            if found is not None:
                return found
    raise RuntimeProvisionError(
        "Files of the package changed while its runtime was installed.",
        reason="package_altered",
        hint="Try again when nothing modifies them.",
    )


class _Provisioning:
    """One run of provisioning, under the lock."""

    def __init__(self, store: RuntimeStore, modules: tuple[str, ...], progress: InstallProgress) -> None:
        self._store = store
        self._modules = modules
        self._progress = progress
        self._origin = _describe_origin()
        self._contract_hash = service_nb_kernels.contract_hash()

    def run(self, from_file: Path | None) -> None:
        """Install what the package needs as it was when this began."""
        lock = find_checkout_lock()
        service = os.environ.get("SERVICE_BUILD_SERVICE_URL")
        if from_file is not None:
            self._install_file(from_file)
        elif service and self._modules:
            self._install_from_service(service)
        elif lock is not None:
            bundle = build_development_bundle(self._store, lock, self._progress)
            verify_manifest(bundle.signed.manifest.content, bundle.signature, self._make_terms())
            self._install(bundle, self._select(bundle))
        else:
            self._install_release()

    def _install_release(self) -> None:
        """Install by the manifest that ships in this package: wheels from the index, kernels from the package."""
        path = MANIFESTS / f"{get_platform_key()}-{get_python_key()}.json"
        try:
            content, signature, digest = (Path(f"{path}{suffix}").read_bytes() for suffix in ("", ".sig", ".sha256"))
        except FileNotFoundError:
            raise UnsupportedPlatformError(
                f"No runtime is published for {get_platform_key()} and {get_python_key()}.",
                hint="Certified capabilities have the same bits with runtime='in_process'.",
                platform=get_platform_key(),
                python=get_python_key(),
            ) from None
        signed = verify_manifest(content, signature, self._make_terms())
        sha256 = digest.decode("ascii", "replace").strip()
        if len(sha256) != _SHA256_LENGTH:
            raise RuntimeProvisionError(
                "The digest of the release is damaged.", reason="package_altered", hint="Reinstall service-nb."
            )
        bundle = Bundle(signed, signature, sha256, make_opener(self._store, find_kernels().parent))
        kept = self._select(bundle)
        fetch_wheels(self._store, filter(is_wheel, kept), self._progress)
        self._install(bundle, kept)

    def _install_file(self, path: Path) -> None:
        with self._store.make_part(self._store.cache) as part, open_bundle(path) as file:
            bundle, _ = self._unpack(file, part, ())
            self._install(bundle, self._select(bundle))

    def _install_from_service(self, service: str) -> None:
        """Install what a build service selected, if it is exactly what the modules need by our own account."""
        from service_nb.runtimes.build_service import fetch_bundle  # noqa: PLC0415 - httpx takes 0.1 s to import

        with self._store.make_part(self._store.cache) as part:
            wanted = {
                "modules": list(self._modules),
                "platform": get_platform_key(),
                "python": get_python_key(),
                "contract_hash": self._contract_hash,
                "client": __version__,
            }
            built = fetch_bundle(service, wanted, part / "bundle.tar", self._progress)
            with open_bundle(part / "bundle.tar") as file:
                bundle, members = self._unpack(file, part, self._modules)
            if built.cache_key != compute_cache_key(bundle.signed.manifest, self._modules):
                raise make_refusal("selection_mismatch", "The build service's cache key is that of another selection.")
            if tuple(self._select(bundle)) != members:
                raise make_refusal("selection_mismatch", "The build service selected other files than needed.")
            self._install(bundle, members)

    def _unpack(self, file: BinaryIO, part: Path, modules: Sequence[str]) -> tuple[Bundle, tuple[Member, ...]]:
        """Unpack an archive, its wheels into the cache; return it and the members that it has."""
        terms = self._make_terms(self._store.find_highest(self._contract_hash))
        grow = self._progress.begin("Reading the bundle", os.fstat(file.fileno()).st_size)
        read = unpack_bundle(file, part / "bundle", terms, modules=modules, grow=grow)
        for member in filter(is_wheel, read.members):
            (part / "bundle" / member.path).replace(self._store.find_fetched_file(member.sha256))
        open_member = make_opener(self._store, part / "bundle" / "kernels")
        return Bundle(read.signed, read.signature, read.sha256, open_member), read.members

    def _make_terms(self, highest: HighestVersion | None = None) -> BundleTerms:
        return BundleTerms(keys=find_trusted_keys(find_folders()), contract_hash=self._contract_hash, highest=highest)

    def _select(self, bundle: Bundle) -> Sequence[Member]:
        contract = Contract(map_packaged_contract())
        return select_members(bundle.signed.manifest.members, self._modules, contract, bundle.open_member)

    def _install(self, bundle: Bundle, members: Sequence[Member]) -> None:
        manifest = bundle.signed.manifest
        key = compute_cache_key(manifest, self._modules) if self._modules else ""
        modules, origin = self._modules, self._origin
        install(self._store, bundle, members, self._progress, modules=modules, key=key, origin=origin)
        if not manifest.is_development:
            version = HighestVersion(manifest.version, bundle.signed.key.key_id)
            self._store.raise_highest(self._contract_hash, version)


def _describe_origin() -> str:
    """Describe what this package is now: another after each edit of a checkout, and with each release."""
    lock = find_checkout_lock()
    if lock is not None:
        return f"checkout {compute_fingerprint(lock)} {__version__}"
    manifest = b""
    with suppress(OSError):
        manifest = (MANIFESTS / f"{get_platform_key()}-{get_python_key()}.json").read_bytes()
    return f"release {__version__} {service_nb_kernels.contract_hash()} {compute_sha256_hex(manifest)}"


def _read_installed(store: RuntimeStore, folder: Path, note: InstallationNote) -> Installed | None:
    """Read what a bundle notes of itself, if that can be true: the folders are there, and for this interpreter."""
    if (note.platform, note.python) != (get_platform_key(), get_python_key()) or note.key_id in REVOKED:
        return None
    if note.paths[:1] != (f"bundles/{folder.name}/kernels",) or not all(map(_WHEEL.fullmatch, note.paths[1:])):
        return None
    python_path = tuple(store.data / path for path in note.paths)
    if not all(path.is_dir() and not path.is_symlink() for path in python_path):
        return None
    facts = {name: getattr(note, name) for name in Installed._fields if name in note.__struct_fields__}
    return Installed(**facts, folder=folder, python_path=python_path)


def _require_platform() -> None:
    if sys.platform == "win32" or platform.python_implementation() != "CPython":
        raise UnsupportedPlatformError(
            f"No runtime is published for {platform.python_implementation()} on {get_platform_key()}.",
            hint="Certified capabilities have the same bits with runtime='in_process'.",
            platform=get_platform_key(),
        )


# --- the modules that are wanted --------------------------------------------------------------------------------------


def _choose_modules(modules: Sequence[str]) -> tuple[str, ...]:
    """Choose the fields that are wanted, sorted: those given, else those of SERVICE_RUNTIME_MODULES; none means all."""
    named = modules or os.environ.get("SERVICE_RUNTIME_MODULES", "").split(",")
    return tuple(sorted({name.strip() for name in named if name.strip()}))
