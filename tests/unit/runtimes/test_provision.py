"""The runtime comes by four ways, each verified; afterwards it is there, and the same whichever way it came."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from service_nb_kernels import map_contract
from service_nb_kernels.execute import Executor

from service_nb.compute.contract import Contract
from service_nb.errors import InvalidIntentError, RuntimeProvisionError
from service_nb.runtimes.checkout import Built, find_kernels, list_kernel_files, write_checkout_bundle
from service_nb.runtimes.install import Installed, audit
from service_nb.runtimes.interface import Step, map_packaged_contract
from service_nb.runtimes.manifest import Member
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.selection import build_selection, select_members
from tests.simulators.index import Served, send, send_part, serving
from tests.simulators.runtimes import MEMBERS, bundle, put_instead, with_key, with_unpacked, with_wheels

NO_INDEX = {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, without anything in it; gone afterwards, since a runtime takes 300 MB."""
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def without_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """No index can be reached."""
    for name, value in NO_INDEX.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Installed, Built]]:
    """A runtime of this checkout from the cache, and its bundle as a file."""
    base = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_HOME", str(base))
        with_unpacked(base)
        made = provision(), write_checkout_bundle(base / "out")
    yield made
    shutil.rmtree(base, ignore_errors=True)


def runs(found: Installed, program: str, *arguments: str) -> Any:
    """What a program prints as JSON that has the runtime's folders and the standard library, and nothing else."""
    base = getattr(sys, "_base_executable", sys.executable)
    run = subprocess.run(
        [base, "-S", "-s", "-P", "-B", "-X", "utf8", "-c", program, *arguments],
        env={"PYTHONPATH": os.pathsep.join(map(str, found.python_path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


IMPORTS = """\
import json, importlib, sys
names = ["numpy", "scipy.optimize", "flint", "grpc", "google.protobuf.message", "threadpoolctl", "service_nb_kernels"]
print(json.dumps([importlib.import_module(name).__file__ for name in names]))
"""
COMPUTES = """\
import json, sys
from service_nb_kernels.execute import Executor
print(json.dumps(Executor().execute(sys.argv[1], json.loads(sys.argv[2])).hex()))
"""


TAG = sys.implementation.cache_tag

# --- from a checkout --------------------------------------------------------------------------------------------------


def test_a_fresh_machine_is_provisioned_from_the_index(home: Path) -> None:
    with_key(home)
    steps: list[Step] = []
    found = provision(report=steps.append)
    assert find_installed() == found
    assert audit(found) == []
    labels = list(dict.fromkeys(step.label for step in steps))
    assert labels[0] == "Fetching wheels"
    assert labels[-2:] == ["Unpacking", "Compiling"]
    unpacked = [step for step in steps if step.label == "Unpacking"][-1]
    assert unpacked.done == unpacked.total > 100_000_000
    for label in labels:
        done = [step.done for step in steps if step.label == label]
        assert done == sorted(done)


def test_its_process_needs_nothing_but_its_folders(whole: tuple[Installed, Built]) -> None:
    found, _ = whole
    data = found.folder.parents[1]
    assert all(Path(file).is_relative_to(data) for file in runs(found, IMPORTS))
    here = Executor().execute("finance.npv", [0.1, [-1000.0, 300.0, 420.0, 560.0, 680.0]])
    assert runs(found, COMPUTES, "finance.npv", "[0.1, [-1000, 300, 420, 560, 680]]") == here.hex()


def test_what_is_installed_is_found_at_once(whole: tuple[Installed, Built], monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = whole
    monkeypatch.setenv("SERVICE_HOME", str(found.folder.parents[2]))
    steps: list[Step] = []
    assert provision(report=steps.append) == found
    assert steps == []
    assert found.bundle_version.endswith("+dev")
    assert found.modules == ()


def test_an_installation_that_was_damaged_is_mended_when_asked(home: Path) -> None:
    with_unpacked(home)
    found = provision(["finance"])
    path = next(found.folder.parents[1].glob("wheels/*/numpy/__init__.py"))
    put_instead(path, path.read_bytes() + b"#")
    assert provision(["finance"]) == found, "what happens by itself reads little"
    assert audit(found) != []
    assert provision(["finance"], asked=True) == found
    assert audit(found) == []


def test_bytecode_is_verified_like_the_wheel_and_that_of_another_python_is_left_alone(home: Path) -> None:
    with_unpacked(home)
    found = provision(["finance"])
    compiled = next(found.folder.parents[1].glob(f"wheels/*/numpy/__pycache__/__init__.{TAG}.pyc"))
    (compiled.parent / "__init__.cpython-27.pyc").write_bytes(b"of another Python")
    assert audit(found) == []
    added = compiled.with_name(f"planted.{TAG}.pyc")
    added.write_bytes(compiled.read_bytes())
    assert [finding.reason for finding in audit(found)] == ["unexpected"]
    added.unlink()
    put_instead(compiled, compiled.read_bytes()[:-1] + b"#")
    assert [finding.reason for finding in audit(found)] == ["changed"]
    assert provision(["finance"], asked=True) == found
    assert audit(found) == []


def test_a_bundle_is_the_same_bytes_each_time(whole: tuple[Installed, Built], home: Path, tmp_path: Path) -> None:
    found, first = whole
    with_wheels(home)
    second = write_checkout_bundle(tmp_path / "again")
    assert second.path.read_bytes() == first.path.read_bytes()
    assert sha256(first.path.read_bytes()).hexdigest() == first.sha256 == found.bundle_sha256
    assert second.path.name == first.path.name


@pytest.mark.slow
def test_a_build_takes_its_date_from_whoever_asks(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_wheels(home)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793000000")
    made = write_checkout_bundle(tmp_path / "dated")
    assert b'"issued":"2026-10-26T' in made.path.read_bytes()[:2_000_000]
    assert provision(from_file=made.path).bundle_sha256 == made.sha256


# --- from a file ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("without_index")
def test_a_machine_without_a_network_takes_it_from_a_file(whole: tuple[Installed, Built], home: Path) -> None:
    there, file = whole
    with_key(home)
    steps: list[Step] = []
    found = provision(from_file=file.path, report=steps.append)
    assert found._replace(folder=there.folder, python_path=there.python_path) == there
    assert audit(found) == []
    assert find_installed() == found
    assert list(dict.fromkeys(step.label for step in steps)) == ["Reading the bundle", "Unpacking", "Compiling"]
    read = [step for step in steps if step.label == "Reading the bundle"]
    assert read[-1].done == read[-1].total == file.path.stat().st_size


def test_a_file_of_another_machine_is_refused(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = bundle(home, tmp_path / "file")
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "other"))
    with pytest.raises(RuntimeProvisionError) as caught:
        provision(from_file=file)
    assert caught.value.reason == "key_unknown"
    assert find_installed() is None


@pytest.mark.parametrize("length", [0, 1, 1_000, 4_000])
def test_a_file_that_was_cut_is_refused(home: Path, tmp_path: Path, length: int) -> None:
    file = bundle(home, tmp_path / "file")
    os.truncate(file, length)
    with pytest.raises(RuntimeProvisionError) as caught:
        provision(from_file=file)
    assert caught.value.reason == "archive_truncated"
    assert find_installed() is None
    assert not list(home.rglob(".part-*"))


def test_a_file_that_is_not_there_is_refused(home: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "none.tar", tmp_path):
        with pytest.raises(RuntimeProvisionError) as caught:
            provision(from_file=path)
        assert caught.value.reason == "archive_unreadable"


def test_a_file_takes_the_place_of_what_is_installed(home: Path, tmp_path: Path) -> None:
    file = bundle(home, tmp_path / "first")
    first = provision(from_file=file)
    more = {**MEMBERS, "kernels/service_nb_kernels/more.py": b""}
    second = provision(from_file=bundle(home, tmp_path / "second", more))
    assert find_installed() == second != first
    assert provision(from_file=file) == first == find_installed()


# --- asked or not -----------------------------------------------------------------------------------------------------


def test_nothing_is_installed_by_itself_when_that_is_forbidden(home: Path, tmp_path: Path, monkeypatch: Any) -> None:
    file = bundle(home, tmp_path / "file")
    monkeypatch.setenv("SERVICE_RUNTIME_AUTO_INSTALL", "0")
    with pytest.raises(RuntimeProvisionError) as caught:
        provision()
    assert caught.value.reason == "auto_install_disabled"
    assert not (home / "data").exists()
    assert provision(from_file=file) == find_installed()
    assert provision(asked=True) == find_installed()


# --- modules ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_selection_leaves_out_what_it_does_not_need(whole: tuple[Installed, Built], home: Path) -> None:
    everything, _ = whole
    with_wheels(home)
    found = provision(["finance", "stats", "finance"])
    assert found.modules == ("finance", "stats")
    assert found.bundle_sha256 == everything.bundle_sha256, "the bundle is the same; less of it is here"
    assert found.folder.name.startswith(f"{found.bundle_sha256[:32]}-")
    assert audit(found) == []
    packs = {path.name for path in (found.folder / "kernels/service_nb_kernels/packs").iterdir() if path.is_dir()}
    assert {"finance", "stats"} <= packs
    assert "optimization" not in packs
    assert len(found.python_path) == len(everything.python_path) - 1, "without SciPy"
    values = "[0.1, [-1000, 300, 420, 560, 680]]"
    assert runs(found, COMPUTES, "finance.npv", values) == runs(everything, COMPUTES, "finance.npv", values)
    assert find_installed(("stats", "finance")) == found
    assert find_installed() is None
    assert find_installed(("finance",)) is None


def test_modules_may_be_named_by_the_environment(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_RUNTIME_MODULES", " stats , finance,,")
    found = provision(from_file=bundle(home, tmp_path / "file"))
    assert found.modules == ("finance", "stats")
    assert find_installed() == found == find_installed(["finance", "stats"])
    assert find_installed(["finance"]) is None, "what is asked for goes before"


def test_a_module_that_does_not_exist_is_refused(home: Path) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        provision(["finance", "alchemy"])
    assert caught.value.details["met"] == "alchemy"
    assert not home.exists()


def kernel_members() -> dict[str, Member]:
    package = find_kernels()
    places = {f"kernels/service_nb_kernels/{name}": met.st_size for name, met in list_kernel_files(package)}
    return {place: Member(place, "", size) for place, size in places.items()}


def open_member(member: Member) -> BinaryIO:
    return BytesIO(read(member))


def read(member: Member) -> bytes:
    return (find_kernels() / member.path.removeprefix("kernels/service_nb_kernels/")).read_bytes()


SCIPY = Member("wheels/scipy-1.17.1-cp311-cp311-linux_x86_64.whl", "", 0)


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 12])
def test_a_module_keeps_the_code_of_its_capabilities(step: int) -> None:
    contract, members = Contract(map_packaged_contract()), kernel_members()
    entries = {name: str(contract.read_entry(name).get("entry", "")).partition(":")[0] for name in contract}
    modules = sorted({name.partition(".")[0] for name in contract})[::step]
    assert len(modules) > 50 / step
    for module in modules:
        kept = {member.path for member in select_members([*members.values(), SCIPY], [module], contract, open_member)}
        for name, entry in entries.items():
            if entry and name.startswith(f"{module}."):
                assert f"kernels/{entry.replace('.', '/')}.py" in kept
        assert "kernels/service_nb_kernels/contract.json" in kept
        assert "kernels/service_nb_kernels/runtime/worker.py" in kept


IMPORTS_ALL = """\
import importlib, json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse()) if sys.argv[1] == "without" else None
for name in sys.argv[2:]:
    importlib.import_module(name)
print(json.dumps("done"))
"""


@pytest.mark.slow
def test_every_module_runs_with_what_is_kept(whole: tuple[Installed, Built], tmp_path: Path) -> None:
    found, _ = whole
    contract, members = Contract(map_packaged_contract()), kernel_members()
    entries = {name: str(contract.read_entry(name).get("entry", "")).partition(":")[0] for name in contract}
    for module in sorted({name.partition(".")[0] for name, entry in entries.items() if entry}):
        kept = select_members([*members.values(), SCIPY], [module], contract, open_member)
        for member in kept:
            if member is not SCIPY:
                path = tmp_path / module / member.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(read(member))
        few = found._replace(python_path=(tmp_path / module / "kernels", *found.python_path[1:]))
        names = sorted({entry for name, entry in entries.items() if entry and name.startswith(f"{module}.")})
        assert runs(few, IMPORTS_ALL, "with" if SCIPY in kept else "without", *names) == "done"


# --- from a build service ---------------------------------------------------------------------------------------------

Answers = Callable[[Served, BaseHTTPRequestHandler], None]


def service(content: bytes, **changes: Any) -> Answers:
    """A build service that answers with this bundle."""

    def respond(_: Served, handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/v1/runtime/build":
            wanted = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
            assert wanted["modules"] == ["finance"]
            told = {"url": "/bundle", "sha256": sha256(content).hexdigest(), "cache_key": "feed" * 16, **changes}
            send(handler, json.dumps({key: value for key, value in told.items() if value is not None}).encode())
        else:
            send(handler, content)

    return respond


def ask(served: Served, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", served.address)
    return provision(["finance"])


def test_a_build_service_sends_what_was_asked_for(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contract = {"kernels/service_nb_kernels/contract.json": map_contract()[:]}
    file = bundle(home, tmp_path / "file", MEMBERS | contract)
    built = build_selection(file, ["finance"], tmp_path)
    with serving(service(built.path.read_bytes(), cache_key=built.cache_key)) as served:
        found = ask(served, monkeypatch)
    assert found.folder.name == f"{built.sha256[:32]}-{built.cache_key[:8]}"
    assert found.modules == ("finance",)
    assert find_installed(["finance"]) == found
    assert audit(found) == []


WRONG: dict[str, dict[str, Any]] = {
    "no address": {"url": None},
    "a file": {"url": "file:///etc/passwd"},
    "another scheme": {"url": "ftp://127.0.0.1/bundle"},
    "data": {"url": "data:application/gzip;base64,AAAA"},
    "a number": {"url": 1},
    "no digest": {"sha256": None},
    "a short digest": {"sha256": "ab"},
    "capitals": {"sha256": "A" * 64},
    "no key": {"cache_key": None},
    "a key that climbs": {"cache_key": "../../../../x"},
    "a short key": {"cache_key": "a"},
    "very much": {"more": "x" * 100_000},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_a_wrong_answer_is_refused(home: Path, monkeypatch: Any, changes: dict[str, Any]) -> None:
    with serving(service(b"x", **changes)) as served, pytest.raises(RuntimeProvisionError) as caught:
        ask(served, monkeypatch)
    assert caught.value.reason == "build_service_answer"
    assert find_installed(["finance"]) is None


REDIRECTS = ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"]
FAULTY: dict[str, tuple[Answers, str]] = {
    "no JSON": (lambda _, handler: send(handler, b"<html>"), "build_service_answer"),
    "a list": (lambda _, handler: send(handler, b"[]"), "build_service_answer"),
    "an error": (lambda _, handler: send(handler, b"{}", code=500), "build_service_unreachable"),
    "not found": (lambda _, handler: send(handler, b"{}", code=404), "build_service_unreachable"),
    "half an answer": (lambda _, handler: send_part(handler, b'{"url":"/bundle"}' * 9), "build_service_unreachable"),
    **{
        f"to {url}": (
            lambda _, handler, url=url: send(handler, b"", code=302, Location=url),
            "build_service_unreachable",
        )
        for url in REDIRECTS
    },
    "round and round": (
        lambda _, handler: send(handler, b"", code=302, Location=handler.path),
        "build_service_unreachable",
    ),
    "another bundle": (service(b"x" * 5_000, sha256="0" * 64), "bundle_digest"),
    "no bundle": (service(b"x" * 5_000), "archive_malformed"),
}


@pytest.mark.parametrize("how", FAULTY)
def test_a_faulty_build_service_installs_nothing(home: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    respond, reason = FAULTY[how]
    with serving(respond) as served, pytest.raises(RuntimeProvisionError) as caught:
        ask(served, monkeypatch)
    assert caught.value.reason == reason
    assert find_installed(["finance"]) is None
    assert not list(home.rglob(".part-*"))


@pytest.mark.parametrize("address", ["file:///etc", "ftp://x", "nonsense", "http://", "http://[", "javascript:1"])
def test_an_address_that_is_none_of_the_web(home: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", address)
    with pytest.raises(RuntimeProvisionError) as caught:
        provision(["finance"])
    assert caught.value.reason == "build_service_answer"


def test_a_build_service_that_is_not_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", "http://127.0.0.1:9")
    with pytest.raises(RuntimeProvisionError) as caught:
        provision(["finance"])
    assert caught.value.reason == "build_service_unreachable"
