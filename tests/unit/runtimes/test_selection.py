"""A build service selects and is not believed: what is installed is what the modules need, or nothing."""

from __future__ import annotations

import functools
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import service_nb_kernels

from service_nb.cli.main import main
from service_nb.errors import InvalidIntentError, RuntimeProvisionError
from service_nb.runtimes.archive import BLOCK, MANIFEST, SELECTION, SIGNATURE, build_header
from service_nb.runtimes.install import audit
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.selection import build_selection
from tests.simulators import wheels
from tests.simulators.index import Served, send, serving
from tests.simulators.runtimes import MEMBERS, bundle

PACKAGE = "kernels/service_nb_kernels/"
RETURNS, OTHER = f"{PACKAGE}packs/finance/returns.py", f"{PACKAGE}packs/stats/mean.py"
ALPHA = "wheels/alpha-1.0-py3-none-any.whl"
FILES = MEMBERS | {f"{PACKAGE}contract.json": service_nb_kernels.map_contract()[:], OTHER: b"Y = 2\n"}
Archive = list[tuple[str, bytes]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def whole(home: Path, tmp_path: Path) -> Path:
    """A bundle that this machine trusts, as a file."""
    return bundle(home, tmp_path / "bundles", FILES)


def test_a_selection_is_the_same_bytes_wherever_it_is_made(whole: Path, tmp_path: Path) -> None:
    first, second = (build_selection(whole, ["finance"], _make(tmp_path / name)) for name in ("one", "two"))
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.sha256 == second.sha256 == sha256(first.path.read_bytes()).hexdigest()
    names = [name for name, _ in _read(first.path.read_bytes())]
    assert names[:3] == [MANIFEST, SIGNATURE, SELECTION]
    assert RETURNS in names
    assert OTHER not in names
    told = json.loads(dict(_read(first.path.read_bytes()))[SELECTION])
    assert told["modules"] == ["finance"]
    assert told["members"] == names[3:]


def test_a_module_that_there_is_not_is_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        build_selection(whole, ["fnance"], tmp_path)
    assert caught.value.details["met"] == "fnance"


def test_files_of_a_static_export_answer_for_a_service(
    whole: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    assert main(["runtime", "select", "--from-file", str(whole), "--modules", "finance", "--output", str(site)]) == 0
    with _files(site) as address:
        monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", address)
        found = provision(["finance"])
    assert found.modules == ("finance",)
    assert find_installed(["finance"]) == found
    assert audit(found) == []
    assert (found.folder / RETURNS).is_file()
    assert not (found.folder / OTHER).exists()


# --- lies -------------------------------------------------------------------------------------------------------------


def _replace(name: str, content: bytes) -> Callable[[Archive], Archive]:
    return lambda archive: [(each, content if each == name else held) for each, held in archive]


def _drop(name: str) -> Callable[[Archive], Archive]:
    """Leave a file out, and out of selection.json too."""
    return lambda archive: _list([each for each in archive if each[0] != name])


def _add(name: str, content: bytes) -> Callable[[Archive], Archive]:
    """Add a file in its place, and to selection.json too."""
    return lambda archive: _list([*archive[:3], *sorted([*archive[3:], (name, content)])])


def _list(archive: Archive) -> Archive:
    told = json.loads(dict(archive)[SELECTION]) | {"members": [name for name, _ in archive[3:]]}
    return _replace(SELECTION, _canonical(told))(archive)


def _tell(**changes: Any) -> Callable[[Archive], Archive]:
    def change(archive: Archive) -> Archive:
        told = json.loads(dict(archive)[SELECTION]) | changes
        return _replace(SELECTION, _canonical({key: value for key, value in told.items() if value is not None}))(
            archive
        )

    return change


def _members(change: Callable[[list[str]], list[str]]) -> Callable[[Archive], Archive]:
    return lambda archive: _tell(members=change(json.loads(dict(archive)[SELECTION])["members"]))(archive)


def _canonical(told: object) -> bytes:
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


LIES: dict[str, tuple[Callable[[Archive], Archive], str]] = {
    "a needed pack is left out": (_drop(RETURNS), "member_missing selection_mismatch"),
    "the package itself is left out": (_drop(f"{PACKAGE}__init__.py"), "member_missing selection_mismatch"),
    "the contract is left out": (_drop(f"{PACKAGE}contract.json"), "selection_mismatch"),
    "a wheel is left out": (_drop(ALPHA), "selection_mismatch"),
    "another pack comes along": (_add(OTHER, FILES[OTHER]), "selection_mismatch"),
    "a file of its own, listed": (_add(f"{PACKAGE}packs/evil.py", b"evil"), "selection_malformed"),
    "a path that climbs, listed": (_add("kernels/../../evil.py", b"evil"), "selection_malformed"),
    "an absolute path, listed": (_add("/etc/evil", b"evil"), "selection_malformed"),
    "an unlisted file": (lambda archive: [*archive, (OTHER, FILES[OTHER])], "member_unlisted"),
    "a listed file is not there": (lambda archive: [each for each in archive if each[0] != ALPHA], "member_missing"),
    "other code in a pack": (_replace(RETURNS, b"X = 2\n"), "member_digest"),
    "longer code in a pack": (_replace(RETURNS, b"X = 1\nimport os\n"), "member_size"),
    "another wheel": (_replace(ALPHA, wheels.wheel()[:-1] + b"x"), "member_digest"),
    "two files are swapped": (lambda archive: [*archive[:3], *reversed(archive[3:])], "member_missing"),
    "a file twice": (lambda archive: [*archive[:4], archive[3], *archive[4:]], "member_duplicate"),
    "selection.json says other modules": (_tell(modules=["stats"]), "selection_mismatch"),
    "selection.json says more modules": (_tell(modules=["finance", "stats"]), "selection_mismatch"),
    "selection.json is of another manifest": (_tell(manifest_sha256="0" * 64), "selection_mismatch"),
    "selection.json has no modules": (_tell(modules=[]), "selection_malformed"),
    "selection.json has no members": (_tell(members=[]), "selection_malformed"),
    "selection.json lacks its manifest": (_tell(manifest_sha256=None), "selection_malformed"),
    "selection.json has another key": (_tell(more=1), "selection_malformed"),
    "selection.json is of another format": (_tell(format=2), "selection_malformed"),
    "selection.json is no JSON": (_replace(SELECTION, b"{"), "selection_malformed"),
    "selection.json is a list": (_replace(SELECTION, b"[]"), "selection_malformed"),
    "selection.json is written otherwise": (
        lambda archive: _replace(SELECTION, dict(archive)[SELECTION] + b"\n")(archive),
        "selection_malformed",
    ),
    "selection.json lists a member twice": (_members(lambda paths: [paths[0], *paths]), "selection_malformed"),
    "selection.json is out of order": (_members(lambda paths: paths[::-1]), "selection_malformed"),
    "selection.json is huge": (_replace(SELECTION, b" " * (2 * 1024**2)), "archive_too_large"),
    "there is no selection.json": (lambda archive: [*archive[:2], *archive[3:]], "archive_malformed"),
    "another manifest": (
        lambda archive: _replace(MANIFEST, dict(archive)[MANIFEST].replace(b"alpha", b"gamma"))(archive),
        "signature_invalid",
    ),
    "no signature": (_replace(SIGNATURE, b"{}"), "signature_malformed"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_service_installs_nothing(whole: Path, tmp_path: Path, home: Path, lie: str, monkeypatch: Any) -> None:
    change, reasons = LIES[lie]
    true = build_selection(whole, ["finance"], _make(tmp_path / "true"))
    content = _write(change(_read(true.path.read_bytes())))
    told = {"url": "/it", "sha256": sha256(content).hexdigest(), "cache_key": true.cache_key}
    _expect_refusal(content, told, reasons, home, monkeypatch)


@pytest.mark.parametrize("place", ["all of the bundle", "an end that is cut", "bytes behind its end"])
def test_an_archive_that_is_no_selection_installs_nothing(
    whole: Path, tmp_path: Path, home: Path, place: str, monkeypatch: Any
) -> None:
    true = build_selection(whole, ["finance"], _make(tmp_path / "true"))
    content = true.path.read_bytes()
    content, reasons = {
        "all of the bundle": (whole.read_bytes(), "archive_malformed"),
        "an end that is cut": (content[:-2_000], "archive_truncated"),
        "bytes behind its end": (content + b"x", "archive_too_large"),
    }[place]
    told = {"url": "/it", "sha256": sha256(content).hexdigest(), "cache_key": true.cache_key}
    _expect_refusal(content, told, reasons, home, monkeypatch)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"cache_key": "0" * 64}, "selection_mismatch"), ({"sha256": "0" * 64}, "bundle_digest")],
)
def test_an_answer_that_does_not_fit_installs_nothing(
    whole: Path, home: Path, changes: dict[str, str], reason: str, monkeypatch: Any
) -> None:
    true = build_selection(whole, ["finance"], whole.parent)
    told = {"url": "/it", "sha256": true.sha256, "cache_key": true.cache_key} | changes
    _expect_refusal(true.path.read_bytes(), told, reason, home, monkeypatch)


def _expect_refusal(
    content: bytes, told: dict[str, str], reasons: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(_: Served, handler: BaseHTTPRequestHandler) -> None:
        send(handler, json.dumps(told).encode() if handler.path == "/v1/runtime/build" else content)

    with serving(respond) as served:
        monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", served.address)
        with pytest.raises(RuntimeProvisionError) as caught:
            provision(["finance"])
    assert caught.value.reason in reasons.split()
    assert find_installed(["finance"]) is None
    assert not list(home.rglob(".part-*"))


# --- archives as lists of files ---------------------------------------------------------------------------------------


def _make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _read(content: bytes) -> Archive:
    archive: Archive = []
    at = 0
    while any(header := content[at : at + BLOCK]):
        name, size = header[:100].rstrip(b"\0").decode(), int(header[124:135], 8)
        archive.append((name, content[at + BLOCK : at + BLOCK + size]))
        at += BLOCK + size + -size % BLOCK
    return archive


def _write(archive: Archive) -> bytes:
    parts = [build_header(name, len(held)) + held + bytes(-len(held) % BLOCK) for name, held in archive]
    return b"".join(parts) + bytes(2 * BLOCK)


@contextmanager
def _files(folder: Path) -> Iterator[str]:
    """Serve a folder as a server of files does, which takes no POST."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        shutil.rmtree(folder)
