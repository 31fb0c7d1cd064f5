"""The managed runtime, brought to this machine: from a checkout, a release's manifest, a file, or a build service.

Whichever way it comes, it is verified before anything of it is unpacked, installed whole or not at all, and then used
without a network until the package changes.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import service_nb_kernels

from service_nb._version import __version__
from service_nb.compute.contract import Contract
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError, UnsupportedPlatformError
from service_nb.runtimes.archive import open_bundle, unpack_bundle
from service_nb.runtimes.base import Report, get_platform_key, read_packaged_contract
from service_nb.runtimes.build import (
    Bundle,
    build_development_bundle,
    compute_fingerprint,
    find_checkout_lock,
    find_kernels,
    make_opener,
)
from service_nb.runtimes.fetching import fetch_bundle, fetch_wheels, is_wheel
from service_nb.runtimes.install import Installed, Selection, install, remove_altered
from service_nb.runtimes.manifest import Member, get_python_key
from service_nb.runtimes.selection import choose_modules, compute_cache_key, require_known, select_members
from service_nb.runtimes.store import InstallProgress, RuntimeStore, disk_errors
from service_nb.runtimes.trust import REVOKED, BundleTerms, HighestVersion, find_trusted_keys, verify_manifest

MANIFESTS = Path(__file__).with_name("manifests")
_SHA256_LENGTH = 64
_TRIES = 3  # of a checkout that is edited meanwhile


def find_installed(modules: Sequence[str] = ()) -> Installed | None:
    """Find the runtime that is installed for this package as it is now; None when there is none. Reads little."""
    wanted, origin, store = choose_modules(modules), _describe_origin(), RuntimeStore()
    for folder, note in store.list_bundles():
        if note.get("origin") == origin and note.get("modules") == list(wanted):
            found = _read_note(store, folder, note)
            if found is not None:
                return found
    return None


def provision(
    modules: Sequence[str] = (), *, report: Report | None = None, from_file: Path | None = None, asked: bool = False
) -> Installed:
    """Install the runtime for this package and return it; at once, if it is installed already.

    Parameters
    ----------
    modules : sequence of str
        Fields to install, such as `finance`; empty for those of SERVICE_RUNTIME_MODULES, or all. It decides what is
        installed, and never what a value is.
    report : callable, optional
        Told how far it is.
    from_file : Path, optional
        A bundle to take it from. Nothing is fetched then.
    asked : bool
        Whether the user asked for this very thing. Then what is installed is read again, and what is damaged comes
        anew. What happens by itself respects SERVICE_RUNTIME_AUTO_INSTALL=0, and reads little.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        `details["reason"]` says why; nothing was installed then.
    UnsupportedPlatformError [unsupported_platform]
        There is no runtime for this platform.
    InvalidIntentError [invalid_intent]
        There is no module of that name.
    """
    wanted = choose_modules(modules)
    _require_platform()
    if not asked and from_file is None and os.environ.get("SERVICE_RUNTIME_AUTO_INSTALL") == "0":
        raise RuntimeProvisionError(
            "The runtime is not installed, and SERVICE_RUNTIME_AUTO_INSTALL=0 turns automatic installation off.",
            reason="auto_install_disabled",
            hint="Run: service-nb runtime install",
        )
    if wanted:
        require_known(wanted, Contract(read_packaged_contract()))
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
            verify_manifest(bundle.manifest.content, bundle.signature, self._make_terms(None))
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
        signed = verify_manifest(content, signature, self._make_terms(None))
        sha256 = digest.decode("ascii", "replace").strip()
        if len(sha256) != _SHA256_LENGTH:
            raise RuntimeProvisionError(
                "The digest of the release is damaged.", reason="package_altered", hint="Reinstall service-nb."
            )
        open_member = make_opener(self._store, find_kernels().parent)
        bundle = Bundle(signed.manifest, signature, signed.key.key_id, sha256, open_member)
        kept = self._select(bundle)
        fetch_wheels(self._store, filter(is_wheel, kept), self._progress)
        self._install(bundle, kept, signed.version)

    def _install_file(self, path: Path, sha256: str | None = None, cache_key: str | None = None) -> None:
        """Install all of one archive; of a build service, digest and selection are known."""
        terms = self._make_terms(self._store.find_highest(self._contract_hash))
        with self._store.make_part(self._store.cache) as part, open_bundle(path) as file:
            grow = self._progress.begin("Reading the bundle", os.fstat(file.fileno()).st_size)
            read = unpack_bundle(file, part / "bundle", terms, grow=grow)
            if sha256 is not None and read.sha256 != sha256:
                raise RuntimeProvisionError(
                    "The file is not the one that the build service named.", reason="bundle_digest", hint="Try again."
                )
            for member in filter(is_wheel, read.manifest.members):
                (part / "bundle" / member.path).replace(self._store.find_fetched_file(member.sha256))
            open_member = make_opener(self._store, part / "bundle" / "kernels")
            bundle = Bundle(read.manifest, read.signature, read.signed.key.key_id, read.sha256, open_member)
            kept = self._select(bundle) if cache_key is None else list(read.manifest.members)
            self._install(bundle, kept, read.signed.version, cache_key)

    def _install_from_service(self, service: str) -> None:
        with self._store.make_part(self._store.cache) as part:
            wanted = {
                "modules": list(self._modules),
                "platform": get_platform_key(),
                "python": get_python_key(),
                "contract_hash": self._contract_hash,
                "client": __version__,
            }
            built = fetch_bundle(service, wanted, part / "bundle.tar", self._progress)
            self._install_file(part / "bundle.tar", built.sha256, built.cache_key)

    def _make_terms(self, highest: HighestVersion | None) -> BundleTerms:
        return BundleTerms(keys=find_trusted_keys(find_folders()), contract_hash=self._contract_hash, highest=highest)

    def _select(self, bundle: Bundle) -> list[Member]:
        if not self._modules:
            return list(bundle.manifest.members)

        def read(member: Member) -> bytes:
            with bundle.open_member(member) as file:
                return file.read(member.size)

        return select_members(bundle.manifest.members, self._modules, Contract(read_packaged_contract()), read)

    def _install(
        self,
        bundle: Bundle,
        members: Sequence[Member],
        version: HighestVersion | None = None,
        cache_key: str | None = None,
    ) -> None:
        key = compute_cache_key(self._modules) if cache_key is None else cache_key
        install(self._store, bundle, Selection(self._modules, key, self._origin, members), self._progress)
        if version is not None and not bundle.manifest.is_development:
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


def _read_note(store: RuntimeStore, folder: Path, note: Mapping[str, object]) -> Installed | None:
    """Read what a bundle notes of itself, if that can be true: the folders are there, and for this interpreter."""
    texts = {name: text for name in Installed._fields[:5] if isinstance(text := note.get(name), str)}
    paths, modules = note.get("paths"), note.get("modules")
    if len(texts) != 5 or not isinstance(paths, list) or not paths or not isinstance(modules, list):
        return None
    if (texts["platform"], texts["python"]) != (get_platform_key(), get_python_key()) or note.get("key_id") in REVOKED:
        return None
    if paths[0] != f"bundles/{folder.name}/kernels" or not all(map(_is_wheel_path, paths[1:])):
        return None
    python_path = tuple(store.data / path for path in paths)
    if not all(path.is_dir() and not path.is_symlink() for path in python_path):
        return None
    return Installed(**texts, modules=tuple(modules), folder=folder, python_path=python_path)


def _is_wheel_path(path: object) -> bool:
    top, _, sha256 = path.partition("/") if isinstance(path, str) else ("", "", "")
    return top == "wheels" and len(sha256) == _SHA256_LENGTH and sha256.isalnum()


def _require_platform() -> None:
    if sys.platform == "win32" or platform.python_implementation() != "CPython":
        raise UnsupportedPlatformError(
            f"No runtime is published for {platform.python_implementation()} on {get_platform_key()}.",
            hint="Certified capabilities have the same bits with runtime='in_process'.",
            platform=get_platform_key(),
        )
