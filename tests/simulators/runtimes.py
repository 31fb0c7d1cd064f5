"""Homes in which runtimes are installed, and small bundles that this machine's own key has signed.

The real wheels are fetched once for a checkout, into `build/test-home`, and linked from there into the homes of tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
import service_nb_kernels

from service_nb.core.own_files import Folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import write_bundle
from service_nb.runtimes.checkout import find_checkout_lock
from service_nb.runtimes.fetching import fetch_locked_wheels
from service_nb.runtimes.folders import InstallProgress, RuntimeStore
from service_nb.runtimes.install import Installed
from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import Member, get_python_key, render_manifest
from service_nb.runtimes.provision import provision
from service_nb.runtimes.trust import SIGNING_KEY, load_development_key, sign
from tests.simulators import wheels

SHARED = Path(__file__).resolve().parents[2] / "build" / "test-home"
BUNDLE = f"service-nb-runtime-0.1.0+dev-{get_platform_key()}-{get_python_key()}.tar"
BETA = "beta-2.0.dist-info"
BETA_FILES = {"beta/__init__.py": b"", "beta/zeros.bin": bytes(3_000_000), f"{BETA}/METADATA": b"Name: beta\n"}
MEMBERS: dict[str, bytes] = {
    "kernels/service_nb_kernels/__init__.py": b"",
    "kernels/service_nb_kernels/contract.json": b"{}\n",
    "kernels/service_nb_kernels/packs/__init__.py": b"",
    "kernels/service_nb_kernels/packs/finance/returns.py": b"X = 1\n",
    "wheels/alpha-1.0-py3-none-any.whl": wheels.wheel(),
    "wheels/beta-2.0-py3-none-any.whl": wheels.wheel(wheels.parts(BETA_FILES, info=BETA)),
}


def places(home: Path) -> Folders:
    """The folders of a home."""
    return Folders(home / "config", home / "data", home / "cache", home / "run")


def with_key(home: Path) -> Path:
    """Give a home the signing key that all test homes of this checkout share: to make one takes seconds."""
    shared = places(SHARED)
    load_development_key(shared)
    config = places(home).config
    config.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copy2(shared.config / SIGNING_KEY, config / SIGNING_KEY)
    return home


def with_wheels(home: Path) -> Path:
    """Give a home a key, and in its cache all that the lock has for this interpreter; nothing is installed yet."""
    store, target, lock = RuntimeStore(places(SHARED)), RuntimeStore(places(with_key(home))), find_checkout_lock()
    assert lock is not None
    target.fetched.mkdir(parents=True, exist_ok=True, mode=0o700)
    with store.lock():
        fetch_locked_wheels(store, lock, InstallProgress(None))
        for path in store.fetched.iterdir():
            if path.suffix in (".whl", ".json"):
                _link(path, target.fetched / path.name)
    return home


def with_unpacked(home: Path) -> Path:
    """Give a home what `with_wheels` does, and the wheels as they are unpacked and compiled: to do so takes seconds.

    They are links: what damages a file puts another in its place.
    """
    with_wheels(home)
    installed = install_shared()
    for folder in installed.python_path[1:]:
        target = home / folder.relative_to(SHARED)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        target.parents[1].chmod(0o700)
        shutil.copytree(folder, target, copy_function=_link)
    return home


def install_shared() -> Installed:
    """Install the runtime that the tests of this checkout share, or find it installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_HOME", str(SHARED))
        try:
            return provision()
        except RuntimeProvisionError as error:
            if error.reason != "package_altered":
                raise
            return provision()  # somebody has edited the kernels meanwhile


def put_instead(path: Path, content: bytes) -> None:
    """Put a file in the place of another, which links elsewhere keep."""
    path.unlink()
    path.write_bytes(content)


def _link(path: Path | str, target: Path | str) -> None:
    try:
        os.link(path, target)
    except OSError:  # on another disk
        shutil.copy2(path, target)


def bundle(home: Path, folder: Path, members: Mapping[str, bytes] = MEMBERS, *, version: str = "0.1.0+dev") -> Path:
    """A bundle of these members for this very machine, signed with a home's own key."""
    now = datetime.now(UTC)
    content = render_manifest(
        version=version,
        platform=get_platform_key(),
        python=get_python_key(),
        contract_hash=service_nb_kernels.contract_hash(),
        minimum_client="0.1.0",
        issued=now - timedelta(hours=1),
        expires=now + timedelta(days=30),
        members=[Member(path, sha256(held).hexdigest(), len(held)) for path, held in members.items()],
    )
    signature = sign(content, load_development_key(places(with_key(home))))
    folder.mkdir(exist_ok=True)
    return write_bundle(folder, content, signature, lambda member: BytesIO(members[member.path]))
