"""A release: its wheel has a signed manifest, and all else comes from the index, a file or nowhere."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import service_nb_kernels
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import get_python_key
from tests.simulators.bundles import private_key
from tests.simulators.runtimes import put_instead, with_unpacked, with_wheels
from tests.tools.node import lab

ROOT = Path(__file__).resolve().parents[3]
NAME = f"{get_platform_key()}-{get_python_key()}.json"
NO_INDEX = {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
BUILD = """\
import json, sys
from pathlib import Path
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from service_nb.runtimes.checkout import write_checkout_bundle
key = load_pem_private_key(Path(sys.argv[1]).read_bytes(), password=None)
made = write_checkout_bundle(Path(sys.argv[2]), key=key)
print(json.dumps([str(made.path), made.version, made.sha256, made.key_id]))
"""
PROVISION = """\
import json, sys
from pathlib import Path
import service_nb
from service_nb.errors import ServiceError
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.install import audit
steps = []
try:
    file = Path(sys.argv[1]) if sys.argv[1] else None
    found = provision(sys.argv[2:], from_file=file, report=steps.append)
    assert find_installed(sys.argv[2:]) == found
    told = {"version": found.bundle_version, "sha256": found.bundle_sha256, "audit": audit(found)}
    told |= {"folder": found.folder.name, "paths": len(found.python_path)}
except ServiceError as error:
    told = {"code": error.code, "reason": error.details.get("reason"), "message": str(error)}
told |= {"labels": sorted({step.label for step in steps}), "package": service_nb.__file__}
print(json.dumps(told))
"""


class Release(NamedTuple):
    """A release that was built and unpacked as an installer does."""

    source: Path
    site: Path
    bundle: Path
    sha256: str
    key_id: str


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Release]:
    """This project, released with a key of this test: bundle first, then the wheel that has its manifest."""
    base = tmp_path_factory.mktemp("release")
    source, site, key = base / "source", base / "site", private_key("release")
    lab()  # what a wheel carries is built once, not in the copy
    for name in ("service_nb", "kernels", "labextension", "typescript"):
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "dist", "build")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    files = (
        "pyproject.toml",
        "hatch_build.py",
        "package.json",
        "package-lock.json",
        "requirements.lock",
        "README.md",
        "LICENSE",
    )
    for name in files:
        shutil.copy(ROOT / name, source / name)
    trust = source / "service_nb" / "runtimes" / "trust.py"
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    before, none = trust.read_text(encoding="utf-8"), "TRUSTED: tuple[str, ...] = ()"
    assert none in before
    trust.write_text(before.replace(none, f"TRUSTED = ({base64.b64encode(public).decode()!r},)"), encoding="utf-8")
    pem = base / "key.pem"
    pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    home = with_wheels(base / "home")
    made = told(BUILD, str(pem), str(base / "out"), path=[source, source / "kernels"], home=home)
    manifests = source / "service_nb" / "runtimes" / "manifests"
    manifests.mkdir(exist_ok=True)
    for name in (NAME, f"{NAME}.sig", f"{NAME}.sha256"):
        shutil.copy(base / "out" / name, manifests / name)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation", "-w", base / "dist", source],
        check=True,
    )
    with zipfile.ZipFile(next((base / "dist").glob("*.whl"))) as wheel:
        wheel.extractall(site)
    yield Release(source, site, Path(made[0]), made[2], made[3])
    shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(autouse=True)
def emptied(tmp_path: Path) -> Iterator[None]:
    """Nothing is left of a test: a runtime takes 300 MB."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


def told(program: str, *arguments: str, path: list[Path], home: Path, **more: str) -> Any:
    """What a program prints as JSON."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")},
            "SERVICE_HOME": str(home),
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            **more,
        },
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def provisioned(release: Release, home: Path, *modules: str, file: Path | None = None, **more: str) -> Any:
    """What came of provisioning from the installed release."""
    home.mkdir(exist_ok=True)
    met = told(PROVISION, str(file or ""), *modules, path=[release.site], home=home, **more)
    assert Path(met.pop("package")).is_relative_to(release.site)
    return met


@pytest.mark.slow
def test_a_release_takes_its_wheels_from_the_cache_or_the_index(release: Release, tmp_path: Path) -> None:
    home = with_wheels(tmp_path / "home")
    met = provisioned(release, home)
    assert met["version"] == "0.1.0"
    assert met["sha256"] == release.sha256
    assert met["audit"] == []
    assert met["labels"] == ["Compiling", "Unpacking"]
    assert json.loads((home / "data" / "highest.json").read_bytes()).popitem()[1]["key_id"] == release.key_id
    assert provisioned(release, home, **NO_INDEX)["labels"] == [], "what is there is found"


@pytest.mark.slow
def test_a_selection_of_a_release_fetches_less(release: Release, tmp_path: Path) -> None:
    met = provisioned(release, tmp_path, "finance")
    assert met["labels"] == ["Compiling", "Fetching wheels", "Unpacking"]
    assert met["sha256"] == release.sha256, "the bundle is the platform's; less of it is here"
    assert met["folder"].startswith(f"{release.sha256[:32]}-")
    assert not any("scipy" in path.name for path in tmp_path.glob("data/wheels/*/*"))
    assert len(list(tmp_path.glob("cache/wheels/*.whl"))) == met["paths"] - 1


def test_a_machine_without_a_network_takes_the_release_from_a_file(release: Release, tmp_path: Path) -> None:
    met = provisioned(release, tmp_path, file=release.bundle, **NO_INDEX)
    assert (met["version"], met["sha256"], met["audit"]) == ("0.1.0", release.sha256, [])


def test_without_a_network_and_a_file_there_is_none(release: Release, tmp_path: Path) -> None:
    met = provisioned(release, tmp_path, **NO_INDEX)
    assert (met["code"], met["reason"]) == ("runtime_provision_failed", "wheel_missing")


def test_a_release_installs_nothing_by_itself_when_that_is_forbidden(release: Release, tmp_path: Path) -> None:
    met = provisioned(release, tmp_path, SERVICE_RUNTIME_AUTO_INSTALL="0")
    assert (met["code"], met["reason"]) == ("runtime_provision_failed", "auto_install_disabled")


@pytest.fixture
def altered(release: Release, tmp_path: Path) -> Release:
    """The release once more, to be tampered with."""
    shutil.copytree(release.site, tmp_path / "site", copy_function=os.link)
    return release._replace(site=tmp_path / "site")


def flipped(content: bytes) -> bytes:
    return content[:-20] + (b"A" if content[-20:-19] != b"A" else b"B") + content[-19:]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (f"service_nb/runtimes/manifests/{NAME}", "signature_invalid"),
        (f"service_nb/runtimes/manifests/{NAME}.sig", "signature_invalid"),
        ("service_nb_kernels/execute.py", "member_digest"),
    ],
)
def test_a_package_that_was_tampered_with_installs_nothing(
    altered: Release, tmp_path: Path, place: str, reason: str
) -> None:
    home = with_wheels(tmp_path / "home")
    path = altered.site / place
    put_instead(path, flipped(path.read_bytes()) if place.startswith("service_nb/") else path.read_bytes() + b"#")
    met = provisioned(altered, home)
    assert (met["code"], met["reason"]) == ("runtime_provision_failed", reason)
    assert not list((home / "data" / "bundles").iterdir())


def test_a_platform_without_a_manifest_is_not_supported(altered: Release, tmp_path: Path) -> None:
    (altered.site / "service_nb" / "runtimes" / "manifests" / NAME).unlink()
    assert provisioned(altered, tmp_path / "home")["code"] == "unsupported_platform"


def test_a_withdrawn_key_takes_back_what_it_signed(altered: Release, tmp_path: Path) -> None:
    home = with_unpacked(tmp_path / "home")
    assert provisioned(altered, home, "finance")["version"] == "0.1.0"
    trust = altered.site / "service_nb" / "runtimes" / "trust.py"
    text = trust.read_text(encoding="utf-8")
    text = text.replace("frozenset[str] = frozenset()", f"frozenset[str] = frozenset({{{altered.key_id!r}}})", 1)
    put_instead(trust, text.encode())
    met = provisioned(altered, home, "finance")
    assert (met["code"], met["reason"]) == ("runtime_provision_failed", "key_revoked")


def test_a_lower_version_from_a_file_is_rolled_back(release: Release, tmp_path: Path) -> None:
    marks = {service_nb_kernels.contract_hash(): {"version": "0.2.0", "key_id": release.key_id}}
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "highest.json").write_text(json.dumps(marks))
    met = provisioned(release, tmp_path, file=release.bundle)
    assert (met["code"], met["reason"]) == ("runtime_provision_failed", "version_rolled_back")


def test_a_release_and_a_checkout_do_not_take_each_other_for_their_own(release: Release, tmp_path: Path) -> None:
    home, checkout = with_unpacked(tmp_path / "home"), [ROOT, ROOT / "kernels"]
    assert told(PROVISION, "", "finance", path=checkout, home=home)["version"] == "0.1.0+dev"
    assert provisioned(release, home, "finance")["version"] == "0.1.0"
    assert told(PROVISION, "", "finance", path=checkout, home=home)["labels"] == []
    assert provisioned(release, home, "finance")["labels"] == []


@pytest.mark.slow
def test_an_edit_of_a_checkout_makes_another_bundle_and_to_take_it_back_makes_the_first(
    release: Release, tmp_path: Path
) -> None:
    home, checkout = with_wheels(tmp_path / "home"), [release.source, release.source / "kernels"]
    edited = release.source / "kernels" / "service_nb_kernels" / "units.py"
    before = edited.read_bytes()

    def now() -> Any:
        return told(PROVISION, "", "finance", path=checkout, home=home)

    first = now()
    edited.write_bytes(before + b"# edited\n")
    second = now()
    edited.write_bytes(before)
    third = now()
    assert first["sha256"] == third["sha256"] != second["sha256"]
    assert (first["folder"], first["audit"]) == (third["folder"], third["audit"]) == (third["folder"], [])
    assert second["labels"] == third["labels"] == ["Checking the bundle"], "wheels stay as they are"
    assert now()["labels"] == []
