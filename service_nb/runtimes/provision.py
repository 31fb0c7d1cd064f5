"""The managed runtime, brought to this machine: from a checkout, a release's manifest, a file, or a build service.

Whichever way it comes, it is verified before anything of it is unpacked, installed whole or not at all, and then used
without a network until the package changes.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import service_nb_kernels

from service_nb._version import __version__
from service_nb.compute.contract import Contract
from service_nb.core.digest import sha256_hex
from service_nb.core.folders import folders
from service_nb.errors import RuntimeProvisionError, UnsupportedPlatformError
from service_nb.runtimes.archive import open_bundle, unpack_bundle
from service_nb.runtimes.base import packaged_contract, platform_key
from service_nb.runtimes.build import (
    Bundle,
    checkout_lock,
    development_bundle,
    fingerprint,
    kernels_folder,
    opener,
)
from service_nb.runtimes.build_service import fetched_bundle
from service_nb.runtimes.fetching import provided, wheels_of
from service_nb.runtimes.install import Installed, Target, install
from service_nb.runtimes.manifest import Member, python_key
from service_nb.runtimes.progress import Progress, Report, Step, counted
from service_nb.runtimes.selection import cache_key, chosen, require_known, selected
from service_nb.runtimes.store import Store, writing
from service_nb.runtimes.trust import REVOKED, Seen, Terms, checked, trusted
from service_nb.runtimes.verification import mended

__all__ = ["Installed", "Report", "Step", "installed", "provision"]

MANIFESTS = Path(__file__).with_name("manifests")
_SHA256_LENGTH = 64
_TRIES = 3  # of a checkout that is edited meanwhile


def installed(modules: Sequence[str] = ()) -> Installed | None:
    """Return the runtime that is installed for this package as it is now; None when there is none. Reads little."""
    wanted, origin, store = chosen(modules), _origin(), Store()
    for folder, told in store.installed():
        if told.get("origin") == origin and told.get("modules") == list(wanted):
            found = _read(store, folder, told)
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
    wanted = chosen(modules)
    _require_platform()
    if not asked and from_file is None and os.environ.get("SERVICE_RUNTIME_AUTO_INSTALL") == "0":
        raise RuntimeProvisionError(
            "The runtime is not installed, and SERVICE_RUNTIME_AUTO_INSTALL=0 turns automatic installation off.",
            reason="auto_install_disabled",
            hint="Run: service-nb runtime install",
        )
    if wanted:
        require_known(wanted, Contract(packaged_contract()))
    store, progress = Store(), Progress(report)
    with store.locked(progress.waiting), writing():
        found = None if from_file is not None else installed(wanted)
        if found is not None and not (asked and mended(found)):
            return found
        for _ in range(_TRIES):
            _Provisioning(store, wanted, progress).run(from_file)
            found = installed(wanted)
            if found is not None:
                return found
    raise RuntimeProvisionError(
        "The package was changed again and again while its runtime was installed.",
        reason="package_altered",
        hint="Try again when it rests.",
    )


class _Provisioning:
    """One run of provisioning, under the lock."""

    def __init__(self, store: Store, modules: tuple[str, ...], progress: Progress) -> None:
        self._store = store
        self._modules = modules
        self._progress = progress
        self._origin = _origin()
        self._contract_hash = service_nb_kernels.contract_hash()

    def run(self, from_file: Path | None) -> None:
        """Install what the package needs as it was when this began."""
        lock = checkout_lock()
        service = os.environ.get("SERVICE_BUILD_SERVICE_URL")
        if from_file is not None:
            self._from_file(from_file)
        elif service and self._modules:
            self._from_service(service)
        elif lock is not None:
            bundle = development_bundle(self._store, lock, self._progress)
            checked(bundle.manifest.content, bundle.signature, self._terms(None))
            self._install(bundle, self._selected(bundle))
        else:
            self._from_index()

    def _from_index(self) -> None:
        """By the manifest that ships in this package: wheels from the index, kernels from the package itself."""
        name = f"{platform_key()}-{python_key()}.json"
        try:
            content, signature, digest = (
                (MANIFESTS / f"{name}{suffix}").read_bytes() for suffix in ("", ".sig", ".sha256")
            )
        except FileNotFoundError:
            raise UnsupportedPlatformError(
                f"No runtime is published for {platform_key()} and {python_key()}.",
                hint="Certified capabilities have the same bits with runtime='in_process'.",
                platform=platform_key(),
                python=python_key(),
            ) from None
        vouched = checked(content, signature, self._terms(None))
        opened = opener(self._store, kernels_folder().parent)
        sha256 = digest.decode("ascii", "replace").strip()
        if len(sha256) != _SHA256_LENGTH:
            raise RuntimeProvisionError(
                "The digest of the release is damaged.", reason="package_altered", hint="Reinstall service-nb."
            )
        bundle = Bundle(vouched.manifest, signature, vouched.key.key_id, sha256, opened)
        kept = self._selected(bundle)
        provided(self._store, wheels_of(kept), self._progress)
        self._install(bundle, kept, vouched.seen)

    def _from_file(self, path: Path, sha256: str | None = None, selection: str | None = None) -> None:
        """Everything from one archive; `sha256` is what the archive has to be, if that is known."""
        terms = self._terms(self._store.highest(self._contract_hash))
        with self._store.part(self._store.cache) as part, open_bundle(path) as file:
            grown = self._progress.begin("Reading the bundle", os.fstat(file.fileno()).st_size)
            read = unpack_bundle(counted(file, grown), part / "bundle", terms)
            if sha256 is not None and read.sha256 != sha256:
                raise RuntimeProvisionError(
                    "The file is not the one that the build service named.", reason="bundle_digest", hint="Try again."
                )
            for member in wheels_of(read.manifest.members):
                (part / "bundle" / member.path).replace(self._store.fetched_file(member.sha256))
            opened = opener(self._store, part / "bundle" / "kernels")
            bundle = Bundle(read.manifest, read.signature, read.checked.key.key_id, read.sha256, opened)
            kept = self._selected(bundle) if selection is None else list(read.manifest.members)
            self._install(bundle, kept, read.checked.seen, selection)

    def _from_service(self, service: str) -> None:
        with self._store.part(self._store.cache) as part:
            wanted = {
                "modules": list(self._modules),
                "platform": platform_key(),
                "python": python_key(),
                "contract_hash": self._contract_hash,
                "client": __version__,
            }
            answer = fetched_bundle(service, wanted, part / "bundle.tar.gz", self._progress)
            self._from_file(answer.path, answer.sha256, answer.cache_key)

    def _terms(self, highest: Seen | None) -> Terms:
        return Terms(keys=trusted(folders()), contract_hash=self._contract_hash, highest=highest)

    def _selected(self, bundle: Bundle) -> list[Member]:
        if not self._modules:
            return list(bundle.manifest.members)

        def read(member: Member) -> bytes:
            with bundle.open_member(member) as file:
                return file.read(member.size)

        return selected(bundle.manifest.members, self._modules, Contract(packaged_contract()), read)

    def _install(
        self, bundle: Bundle, kept: Sequence[Member], seen: Seen | None = None, selection: str | None = None
    ) -> None:
        key = cache_key(self._modules) if selection is None else selection
        install(Target(self._store, self._modules, key, self._origin), bundle, kept, self._progress)
        if seen is not None and not bundle.manifest.is_development:
            self._store.raise_highest(self._contract_hash, seen)


def _origin() -> str:
    """What this package is now: another one after each edit of a checkout, and with each release."""
    lock = checkout_lock()
    if lock is not None:
        return f"checkout {fingerprint(lock)} {__version__}"
    manifest = b""
    with suppress(OSError):
        manifest = (MANIFESTS / f"{platform_key()}-{python_key()}.json").read_bytes()
    return f"release {__version__} {service_nb_kernels.contract_hash()} {sha256_hex(manifest)}"


def _read(store: Store, folder: Path, told: dict[str, Any]) -> Installed | None:
    """What a bundle says of itself, if that can be true: the folders are there, and for this interpreter."""
    texts = {name: text for name in Installed._fields[:5] if isinstance(text := told.get(name), str)}
    paths = told.get("paths")
    if len(texts) != 5 or not isinstance(paths, list) or not paths:
        return None
    if (told["platform"], told["python"]) != (platform_key(), python_key()) or told.get("key_id") in REVOKED:
        return None
    own, *others = paths
    if own != f"bundles/{folder.name}/kernels" or not all(_is_wheel_path(path) for path in others):
        return None
    python_path = tuple(store.data / path for path in paths)
    if not all(path.is_dir() and not path.is_symlink() for path in python_path):
        return None
    return Installed(**texts, modules=tuple(told["modules"]), folder=folder, python_path=python_path)


def _is_wheel_path(path: Any) -> bool:
    top, _, sha256 = path.partition("/") if isinstance(path, str) else ("", "", "")
    return top == "wheels" and len(sha256) == _SHA256_LENGTH and sha256.isalnum()


def _require_platform() -> None:
    if sys.platform == "win32" or platform.python_implementation() != "CPython":
        raise UnsupportedPlatformError(
            f"No runtime is published for {platform.python_implementation()} on {platform_key()}.",
            hint="Certified capabilities have the same bits with runtime='in_process'.",
            platform=platform_key(),
        )
