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
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import OpenMember, compute_bundle_sha256, write_bundle
from service_nb.runtimes.fetching import fetch_locked_wheels, is_wheel
from service_nb.runtimes.folders import InstallProgress, RuntimeStore, write_file
from service_nb.runtimes.interface import Report, get_platform_key
from service_nb.runtimes.manifest import DEVELOPMENT, Member, get_python_key, parse_manifest, render_manifest
from service_nb.runtimes.trust import SignedManifest, load_development_key, make_key, sign

ISSUED = datetime(2026, 11, 1, tzinfo=UTC)  # of this version; a release moves it
LIFE = timedelta(days=1_095)
KERNELS = "kernels/"
LOCK = "requirements.lock"
PACKAGE = "service_nb_kernels"
_DATA = ("contract.json", "constants.toml")


class Bundle(NamedTuple):
    """A bundle whose parts are on this machine: what it is, and where each member is read."""

    signed: SignedManifest
    signature: bytes
    sha256: str  # of the archive
    open_member: OpenMember


class Built(NamedTuple):
    """An archive that was written."""

    path: Path
    version: str
    sha256: str
    key_id: str


def find_checkout_lock() -> Path | None:
    """Find the lock of the checkout that this package runs from, or was installed from; None of a release.

    A package that was built of a checkout carries the lock. A release has signed manifests beside it, and they count.
    """
    here = Path(__file__).resolve()
    root = here.parents[2]
    if (root / "pyproject.toml").is_file() and (root / LOCK).is_file():
        return root / LOCK
    carried = here.with_name(LOCK)
    return carried if carried.is_file() and not here.with_name("manifests").is_dir() else None


def find_kernels() -> Path:
    """Find the folder in which our kernels lie as a package."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeProvisionError(
            "The kernels are not installed.", reason="package_altered", hint="Reinstall service-nb."
        )
    return Path(next(iter(spec.submodule_search_locations)))


def list_kernel_files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """List the files of the kernels that runs need, by their place below the package: code, contract, constants."""
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


def compute_fingerprint(lock: Path) -> str:
    """Hash sizes and times of the kernels and the lock, which change with each edit; no file is read."""
    met = [("", lock.stat()), *list_kernel_files(find_kernels())]
    return compute_sha256_hex("\n".join(sorted(f"{name} {s.st_size} {s.st_mtime_ns}" for name, s in met)).encode())


def build_development_bundle(store: RuntimeStore, lock: Path, progress: InstallProgress) -> Bundle:
    """Build the bundle of a checkout, signed by this machine; its wheels are in the cache afterwards."""
    key = load_development_key(find_folders())
    return _build_bundle(store, lock, progress, key=key, issued=_find_issue_date(), suffix=DEVELOPMENT)


def write_checkout_bundle(folder: Path, *, key: RSAPrivateKey | None = None, report: Report | None = None) -> Built:
    """Write the bundle of the checkout into `folder`; an installed package builds nothing (`no_checkout`).

    With a release key the version has no `+dev`, and beside the archive there are the three files that ship in the
    package for this platform and Python: manifest, signature, and the archive's digest.
    """
    lock = find_checkout_lock()
    if lock is None:
        raise RuntimeProvisionError(
            "Only a checkout can build a bundle; this package was installed without one.",
            reason="no_checkout",
            hint="Clone the repository and run `service-nb runtime build` there.",
        )
    store, progress = RuntimeStore(), InstallProgress(report)
    with store.lock(progress.wait):
        signer, suffix = (load_development_key(find_folders()), DEVELOPMENT) if key is None else (key, "")
        issued = _read_epoch() or _find_issue_date()
        bundle = _build_bundle(store, lock, progress, key=signer, issued=issued, suffix=suffix)
        manifest = bundle.signed.manifest
        progress.begin("Writing the bundle")
        folder.mkdir(parents=True, exist_ok=True)
        path = write_bundle(folder, manifest.content, bundle.signature, bundle.open_member)
    if key is not None:
        name = f"{manifest.platform}-{manifest.python}.json"
        write_file(folder / name, manifest.content)
        write_file(folder / f"{name}.sig", bundle.signature)
        write_file(folder / f"{name}.sha256", f"{bundle.sha256}\n".encode())
    return Built(path, manifest.version, bundle.sha256, bundle.signed.key.key_id)


def make_opener(store: RuntimeStore, kernels: Path) -> OpenMember:
    """Make what opens members: wheels in the cache, kernels below a folder that holds their package."""

    def open_member(member: Member) -> BinaryIO:
        if is_wheel(member):
            return store.find_fetched_file(member.sha256).open("rb")
        return (kernels / member.path.removeprefix(KERNELS)).open("rb")

    return open_member


def _build_bundle(
    store: RuntimeStore, lock: Path, progress: InstallProgress, *, key: RSAPrivateKey, issued: datetime, suffix: str
) -> Bundle:
    package = find_kernels()
    members = fetch_locked_wheels(store, lock, progress)
    for name, _ in list_kernel_files(package):
        content = (package / name).read_bytes()
        members.append(Member(f"{KERNELS}{PACKAGE}/{name}", compute_sha256_hex(content), len(content)))
    content = render_manifest(
        version=__version__ + suffix,
        platform=get_platform_key(),
        python=get_python_key(),
        contract_hash=service_nb_kernels.contract_hash(),
        minimum_client=__version__,
        issued=issued,
        expires=issued + LIFE,
        members=members,
    )
    manifest, signature, open_member = parse_manifest(content), sign(content, key), make_opener(store, package.parent)
    progress.begin("Checking the bundle")
    sha256 = compute_bundle_sha256(manifest, signature, open_member)
    signer = make_key(key.public_key(), is_development=manifest.is_development)
    return Bundle(SignedManifest(manifest, signer), signature, sha256, open_member)


def _read_epoch() -> datetime | None:
    """Read the date that SOURCE_DATE_EPOCH asks builds to have."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    is_date = text.isascii() and text.isdigit() and len(text) <= 10
    return datetime.fromtimestamp(int(text), UTC) if is_date else None


def _find_issue_date() -> datetime:
    """Find the date of this version; of an old one, whole lives later. Never the moment itself: builds are equal."""
    return ISSUED + max(0, (datetime.now(UTC) - ISSUED) // LIFE) * LIFE
