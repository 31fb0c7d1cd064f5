"""Bundles from a checkout: kernels as they lie there, the wheels of its lock, a manifest, a signature.

The same checkout gives the same bytes each time. What a machine signs with its own key has a version that ends in
`+dev`; a release is signed with a release key, and its manifest ships in the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, NamedTuple

import service_nb_kernels
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from service_nb._version import __version__
from service_nb.core.digest import FileDigest, sha256_hex
from service_nb.core.folders import folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import OpenMember, bundle_sha256, write_bundle
from service_nb.runtimes.base import platform_key
from service_nb.runtimes.fetching import is_wheel, resolved
from service_nb.runtimes.manifest import DEVELOPMENT, Manifest, Member, parse_manifest, python_key, render_manifest
from service_nb.runtimes.progress import Progress, Report
from service_nb.runtimes.signing_key import development_key
from service_nb.runtimes.store import Store, write_file
from service_nb.runtimes.trust import key_of, sign

ISSUED = datetime(2026, 11, 1, tzinfo=UTC)  # of this version; a release moves it
LIFE = timedelta(days=1_095)
KERNELS = "kernels/"
LOCK = "requirements.lock"
PACKAGE = "service_nb_kernels"
_DATA = ("contract.json", "constants.toml")


class Bundle(NamedTuple):
    """A bundle whose parts are on this machine: what it is, and where each member is read."""

    manifest: Manifest
    signature: bytes
    key_id: str
    sha256: str  # of the archive
    open_member: OpenMember


class Built(NamedTuple):
    """An archive that was written."""

    path: Path
    version: str
    sha256: str
    key_id: str


def checkout_lock() -> Path | None:
    """Return the lock of the checkout that this package runs from, or was installed from; None of a release.

    A package that was built of a checkout carries the lock. A release has signed manifests beside it, and they count.
    """
    here = Path(__file__).resolve()
    root = here.parents[2]
    if (root / "pyproject.toml").is_file() and (root / LOCK).is_file():
        return root / LOCK
    carried = here.with_name(LOCK)
    return carried if carried.is_file() and not here.with_name("manifests").is_dir() else None


def kernels_folder() -> Path:
    """Return the folder in which our kernels lie as a package."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeProvisionError(
            "The kernels are not installed.", reason="package_altered", hint="Reinstall service-nb."
        )
    return Path(next(iter(spec.submodule_search_locations)))


def kernel_files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files of the kernels that runs need, by their place below the package: code, contract, constants."""
    left = [""]
    while left:
        below = left.pop()
        with os.scandir(package / below) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        left.append(f"{below}{entry.name}/")
                elif entry.name.endswith(".py") or below + entry.name in _DATA:
                    yield below + entry.name, entry.stat()


def fingerprint(lock: Path) -> str:
    """Return what changes whenever a file of the kernels or the lock was edited; nothing is read for it."""
    met = [("", lock.stat()), *kernel_files(kernels_folder())]
    return sha256_hex("\n".join(sorted(f"{name} {s.st_size} {s.st_mtime_ns}" for name, s in met)).encode())


def development_bundle(store: Store, lock: Path, progress: Progress) -> Bundle:
    """Return the bundle of a checkout, signed by this machine; its wheels are in the cache afterwards.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Wheels cannot be fetched (see `package_index`), or the machine's key is unusable (see `signing_key`).
    """
    return _bundle(store, lock, progress, _Making(__version__ + DEVELOPMENT, development_key(folders()), _issued()))


def built(folder: Path, *, key: RSAPrivateKey | None = None, report: Report | None = None) -> Built:
    """Write the bundle of the checkout into `folder`.

    Parameters
    ----------
    key : RSAPrivateKey, optional
        A release key. Then the version has no `+dev`, and beside the archive there are the three files that ship in
        the package for this platform and Python: manifest, signature, and the archive's digest.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        As `development_bundle`; also `no_checkout`: an installed package builds nothing.
    """
    lock = checkout_lock()
    if lock is None:
        raise RuntimeProvisionError(
            "Only a checkout can build a bundle, and this package was installed.",
            reason="no_checkout",
            hint="Clone the repository and run `service-nb runtime build` there.",
        )
    store, progress = Store(), Progress(report)
    with store.locked(progress.waiting):
        signer = development_key(folders()) if key is None else key
        version = __version__ + (DEVELOPMENT if key is None else "")
        bundle = _bundle(store, lock, progress, _Making(version, signer, _epoch() or _issued()))
        progress.begin("Writing the bundle")
        folder.mkdir(parents=True, exist_ok=True)
        path = write_bundle(folder, bundle.manifest.content, bundle.signature, bundle.open_member)
    if key is not None:
        for name, content in shipped(bundle).items():
            write_file(folder / name, content)
    return Built(path, bundle.manifest.version, bundle.sha256, bundle.key_id)


def shipped(bundle: Bundle) -> dict[str, bytes]:
    """Return the files of a release that ship in the package, by name."""
    name = f"{bundle.manifest.platform}-{bundle.manifest.python}.json"
    return {
        name: bundle.manifest.content,
        f"{name}.sig": bundle.signature,
        f"{name}.sha256": f"{bundle.sha256}\n".encode(),
    }


class _Making(NamedTuple):
    """What a bundle is made as."""

    version: str
    key: RSAPrivateKey
    issued: datetime


def _bundle(store: Store, lock: Path, progress: Progress, making: _Making) -> Bundle:
    package = kernels_folder()
    content = render_manifest(
        version=making.version,
        platform=platform_key(),
        python=python_key(),
        contract_hash=service_nb_kernels.contract_hash(),
        minimum_client=__version__,
        issued=making.issued,
        expires=making.issued + LIFE,
        members=[*resolved(store, lock, progress), *(_member(package, name) for name, _ in kernel_files(package))],
    )
    manifest, signature = parse_manifest(content), sign(content, making.key)
    opened = opener(store, package.parent)
    progress.begin("Checking the bundle")
    sha256 = bundle_sha256(manifest, signature, opened)
    return Bundle(manifest, signature, key_of(making.key.public_key()).key_id, sha256, opened)


def opener(store: Store, kernels: Path) -> OpenMember:
    """Return how members are opened: wheels in the cache, kernels below a folder that holds their package."""

    def opened(member: Member) -> BinaryIO:
        if is_wheel(member):
            return store.fetched_file(member.sha256).open("rb")
        return (kernels / member.path.removeprefix(KERNELS)).open("rb")

    return opened


def _member(package: Path, name: str) -> Member:
    digest = FileDigest()
    digest.update((package / name).read_bytes())
    return Member(f"{KERNELS}{PACKAGE}/{name}", digest.hexdigest(), digest.size)


def _epoch() -> datetime | None:
    """The date that SOURCE_DATE_EPOCH asks builds to have."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    is_date = text.isascii() and text.isdigit() and len(text) <= 10
    return datetime.fromtimestamp(int(text), UTC) if is_date else None


def _issued() -> datetime:
    """The date of this version; of an old one, whole lives later. Never the moment itself, so that builds are equal."""
    return ISSUED + max(0, (datetime.now(UTC) - ISSUED) // LIFE) * LIFE
