"""What can go wrong while a runtime is brought here: a typed error, nothing half-installed, and the next run works."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.fetching import fetch_wheels
from service_nb.runtimes.folders import InstallProgress, RuntimeStore
from service_nb.runtimes.install import Installed, audit
from service_nb.runtimes.manifest import Member
from service_nb.runtimes.provision import find_installed, provision
from tests.security.conftest import snapshot
from tests.simulators import wheels
from tests.simulators.index import hang, index, send, send_part, serving
from tests.simulators.runtimes import MEMBERS, bundle, with_wheels
from tests.tools.sampling import sample

ROOT = Path(__file__).resolve().parents[2]
ALPHA = "alpha-1.0-py3-none-any.whl"
WHEEL = wheels.wheel()
MEMBER = Member(f"wheels/{ALPHA}", sha256(WHEEL).hexdigest(), len(WHEEL))
CLOSED = "http://127.0.0.1:9/simple"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, without anything in it; gone afterwards, since a runtime takes 300 MB."""
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def file(home: Path, tmp_path: Path) -> Path:
    """A small bundle that this home trusts."""
    return bundle(home, tmp_path / "file")


def refusal(act: Callable[[], object]) -> str:
    """Why it is refused; and the error tells no path of this machine."""
    with pytest.raises(RuntimeProvisionError) as caught:
        act()
    assert "/tmp" not in str(caught.value.to_dict())
    assert "127.0.0.1" not in caught.value.message or caught.value.reason == "index_unreachable"
    return caught.value.reason


def sound(found: Installed | None) -> bool:
    """Whether a runtime is there, whole."""
    return found is not None and audit(found) == []


def leftovers(home: Path) -> list[str]:
    """What interrupted runs left."""
    return [path.name for path in home.rglob(".part-*")]


# --- the index --------------------------------------------------------------------------------------------------------


def fetch(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], member: Member = MEMBER) -> None:
    """Have a wheel in the cache, from the index that this environment names."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    store = RuntimeStore()
    with store.lock():
        fetch_wheels(store, [member], InstallProgress(None))
    assert store.find_fetched_file(member.sha256).read_bytes() == WHEEL


def responses() -> dict[str, tuple[Callable[..., None], str]]:
    files = {ALPHA: WHEEL}
    return {
        "cuts each answer": (
            index(files, lambda _, handler, content: send_part(handler, content)),
            "index_unreachable wheel_digest",  # a pip before 25 takes what has come for the whole file
        ),
        "fails for the file": (index(files, lambda _, handler, __: send(handler, b"", code=503)), "index_unreachable"),
        "forbids everything": (lambda _, handler: send(handler, b"", code=403), "index_unreachable"),
        "fails for everything": (lambda _, handler: send(handler, b"", code=500), "index_unreachable"),
        "gives another file": (index(files, lambda _, handler, c: send(handler, c[:-1] + b"x")), "wheel_digest"),
        "gives a page": (index(files, lambda _, handler, __: send(handler, b"<html>sign in</html>")), "wheel_digest"),
        "lacks the project": (index({}), "wheel_missing"),
        "lacks the version": (index({"alpha-2.0-py3-none-any.whl": b""}), "wheel_missing"),
        "has it for others": (index({"alpha-1.0-cp27-cp27m-win32.whl": b""}), "wheel_missing"),
    }


@pytest.mark.parametrize("how", sample(responses(), 5))
def test_an_index_that_fails_and_then_works(home: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    respond, reason = responses()[how]
    with serving(respond) as served:
        assert refusal(lambda: fetch(monkeypatch, served.environment())) in reason.split()
    assert not list((home / "cache" / "wheels").glob("*.whl"))
    assert not leftovers(home)
    with serving(index({ALPHA: WHEEL})) as served:
        fetch(monkeypatch, served.environment())


@pytest.mark.parametrize("address", sample([CLOSED, "https://nowhere.invalid/simple", "https://127.0.0.1:9/simple"], 3))
def test_no_network_and_then_one(home: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    with serving(index({ALPHA: WHEEL})) as served:
        environment = served.environment()
        assert refusal(lambda: fetch(monkeypatch, environment | {"PIP_INDEX_URL": address})) == "index_unreachable"
        assert not leftovers(home)
        fetch(monkeypatch, environment)


def test_credentials_of_an_index_are_never_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _, handler: send(handler, b"", code=401)) as served:
        address = served.address.replace("http://", "http://somebody:hunter2@") + "/simple"
        with pytest.raises(RuntimeProvisionError) as caught:
            fetch(monkeypatch, served.environment() | {"PIP_INDEX_URL": address})
    assert "hunter2" not in str(caught.value.to_dict())


def test_an_interpreter_without_an_installer_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")  # as where Python is embedded
    assert refusal(lambda: fetch(monkeypatch, {})) == "no_installer"


UV = """\
#!/bin/sh
# As the real one does it: options, then `--`, then what to run in an environment that has pip.
[ "$1" = run ] || exit 9
while [ "$1" != -- ]; do shift; done
shift 2
exec {python} "$@"
"""


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (UV, None),
        (None, "no_installer"),
        (
            "#!/bin/sh\necho 'error: Request failed' >&2; echo ' error sending request for url' >&2; exit 2",
            "index_unreachable",
        ),
        ("#!/bin/sh\nexit 2", "installer_failed"),
    ],
)
def test_an_interpreter_without_pip_takes_uv(
    home: Path, tmp_path: Path, program: str | None, reason: str | None
) -> None:
    # All that this interpreter has, but for pip.
    libraries, programs = tmp_path / "libraries", tmp_path / "programs"
    for folder in (libraries, programs):
        folder.mkdir()
    for entry in Path(sysconfig.get_path("platlib")).iterdir():
        if not entry.name.startswith("pip"):
            (libraries / entry.name).symlink_to(entry)
    if program is not None:
        (programs / "uv").write_text(program.replace("{python}", sys.executable))
        (programs / "uv").chmod(0o755)
    path = os.pathsep.join(map(str, (ROOT, ROOT / "kernels", libraries)))
    with serving(index({ALPHA: WHEEL})) as served:
        run = subprocess.run(
            [
                getattr(sys, "_base_executable", sys.executable),
                "-s",
                "-c",
                f"{HIDING}{FETCHING}",
                *map(str, astuple(MEMBER)),
            ],
            env={**os.environ, **served.environment(), "PYTHONPATH": path, "PATH": str(programs)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (run.stdout.strip() or None) == reason, run.stderr
    assert RuntimeStore().find_fetched_file(MEMBER.sha256).exists() == (reason is None)


def test_a_pip_beside_the_notebook_is_not_run(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    with serving(index({ALPHA: WHEEL})) as served:
        fetch(monkeypatch, served.environment())
    assert not (tmp_path / "ran").exists()


# The base interpreter may have a pip of its own: a system's installer would have none.
HIDING = """\
import sys
sys.path = [entry for entry in sys.path if not entry.endswith("site-packages")]
"""
FETCHING = """\
import sys
from service_nb.runtimes.fetching import fetch_wheels
from service_nb.runtimes.manifest import Member
from service_nb.runtimes.folders import InstallProgress
from service_nb.runtimes.folders import RuntimeStore
from service_nb.errors import RuntimeProvisionError
store = RuntimeStore()
try:
    with store.lock():
        fetch_wheels(store, [Member(sys.argv[1], sys.argv[2], int(sys.argv[3]))], InstallProgress(None))
except RuntimeProvisionError as error:
    print(error.reason)
"""


@pytest.mark.parametrize("blow", sample([signal.SIGKILL, signal.SIGINT, signal.SIGTERM], 3))
def test_pip_ends_with_whoever_started_it(home: Path, monkeypatch: pytest.MonkeyPatch, blow: signal.Signals) -> None:
    with serving(index({ALPHA: WHEEL}, lambda served, handler, _: hang(served, handler))) as served:
        process = subprocess.Popen(
            [sys.executable, "-c", FETCHING, *map(str, astuple(MEMBER))],
            env={**os.environ, **served.environment(), "PIP_DEFAULT_TIMEOUT": "600"},
            stderr=subprocess.DEVNULL,
        )
        assert served.is_waited_for.wait(60)
        process.send_signal(blow)
        assert process.wait(30) != 0
        assert served.was_left.wait(30), "pip lives on"
    with serving(index({ALPHA: WHEEL})) as served:
        fetch(monkeypatch, served.environment())
    assert not leftovers(home)


# --- the cache --------------------------------------------------------------------------------------------------------


def damages() -> dict[str, Callable[[Path], object]]:
    return {
        "cut": lambda path: os.truncate(path, 100),
        "one byte": lambda path: path.write_bytes(b"x" + WHEEL[1:]),
        "empty": lambda path: path.write_bytes(b""),
        "another wheel": lambda path: path.write_bytes(wheels.wheel(wheels.parts({"alpha/__init__.py": b"evil"}))),
        "a link": lambda path: (path.unlink(), path.symlink_to(ROOT / "LICENSE")),
        "a link to the right bytes": lambda path: (path.rename(path.with_suffix(".x")), path.symlink_to(f"{path}.x")),
        "a link to itself": lambda path: (path.unlink(), path.symlink_to(path)),
    }


@pytest.mark.parametrize("how", sample(damages(), 5))
def test_a_damaged_cache_is_never_used(home: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    with serving(index({ALPHA: WHEEL})) as served:
        fetch(monkeypatch, served.environment())
        damages()[how](RuntimeStore().find_fetched_file(MEMBER.sha256))
        assert refusal(lambda: fetch(monkeypatch, {"PIP_INDEX_URL": CLOSED})) == "index_unreachable"
        fetch(monkeypatch, served.environment())
    assert len([path for path in served.asked if path.startswith("/files")]) == 2


# --- interrupted ------------------------------------------------------------------------------------------------------


def struck(how: str, home: Path, file: Path, every: int) -> Counter[tuple[str, str]]:
    """What came of provisioning that was struck at every step, and of the run after it."""
    arguments = [sys.executable, "-m", "tests.simulators.interrupted", how, str(home), str(file), str(every)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'kernels'}"}
    run = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    met = json.loads(run.stdout)
    assert met[-1]["outcome"] == "came to its end"
    return Counter((one["outcome"], one["after"]) for one in met[:-1])


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_killed_at_any_step_the_next_run_works(home: Path, file: Path, every: int) -> None:
    met = struck("kill", home, file, every)
    assert met.keys() == {("killed", "whole")}
    assert met.total() > 60 / every


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_a_disk_that_is_full_at_any_step(home: Path, file: Path, every: int) -> None:
    met = struck("full", home, file, every)
    # A folder that cannot be made for whatever reason is `folder_unwritable`.
    assert met.keys() <= {("disk_full", "whole"), ("folder_unwritable", "whole")}
    assert met["disk_full", "whole"] > 40 / every


LIMITED = """\
import json, resource, sys
from pathlib import Path
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.provision import find_installed, provision
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    provision(from_file=Path(sys.argv[1]))
except RuntimeProvisionError as error:
    print(json.dumps([error.reason, find_installed() is None]))
"""


@pytest.mark.parametrize("limit", sample([2_999_999, 1_000_000, 300_000], 3))
def test_a_file_that_may_not_grow(home: Path, file: Path, limit: int) -> None:
    # The system refuses to write on in the middle of a file, as it does where a quota ends.
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(file), str(limit)], capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == ["disk_full", True]
    assert not leftovers(home)
    assert sound(provision(from_file=file))


# --- several at once --------------------------------------------------------------------------------------------------

RACING = """\
import json, sys
from service_nb.runtimes.provision import provision
steps = []
found = provision(report=steps.append, asked=True)
print(json.dumps([str(found.folder), sorted({step.label for step in steps})]))
"""


def test_eight_kernels_provision_at_once_and_one_of_them_does(home: Path) -> None:
    with_wheels(home)
    processes = [
        subprocess.Popen([sys.executable, "-c", RACING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, outputs
    told = [json.loads(output) for output, _ in outputs]
    assert len({folder for folder, _ in told}) == 1
    assert sum("Unpacking" in labels for _, labels in told) == 1
    assert sound(find_installed())
    assert not leftovers(home)


def test_who_waits_is_told_and_can_give_up(home: Path, file: Path) -> None:
    store, told = RuntimeStore(), threading.Event()

    def wait(step: object) -> None:
        told.set()
        raise KeyboardInterrupt

    with store.lock(), pytest.raises(KeyboardInterrupt):
        provision(from_file=file, report=wait)
    assert told.is_set()
    assert sound(provision(from_file=file))


def test_locks_and_parts_that_a_dead_process_left_are_no_hindrance(home: Path, file: Path) -> None:
    with RuntimeStore().lock():
        pass
    for folder in ("data/wheels", "data/bundles", "data", "cache", "cache/wheels"):
        part = home / folder / ".part-left"
        part.mkdir()
        (part / "half").write_bytes(b"x")
        (home / folder / ".part-link").symlink_to(ROOT)
        (home / folder / ".part-file").write_bytes(b"x")
    assert sound(provision(from_file=file))
    assert not leftovers(home)
    assert (ROOT / "LICENSE").is_file(), "links are not followed"


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", sample(["data", "cache", "data/wheels", "data/bundles", "cache/wheels"], 3))
def test_a_folder_that_is_a_link_is_refused(home: Path, file: Path, tmp_path: Path, place: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / place).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / place).symlink_to(elsewhere)
    assert refusal(lambda: provision(from_file=file)) == "folder_unsafe"
    assert not snapshot(elsewhere)
    (home / place).unlink()
    assert sound(provision(from_file=file))


@pytest.mark.parametrize("place", ["/dev/null/home", "/proc/none/home"])
def test_a_home_that_cannot_be_made(home: Path, file: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("SERVICE_HOME", place)
    assert refusal(lambda: provision(asked=True)) == "folder_unwritable"


@pytest.mark.parametrize("kind", sample(["folder", "fifo", "link"], 2))
def test_a_lock_that_is_none(home: Path, file: Path, kind: str) -> None:
    (home / "data").mkdir(mode=0o700)
    lock = home / "data" / "provision.lock"
    {"folder": lock.mkdir, "fifo": lambda: os.mkfifo(lock), "link": lambda: lock.symlink_to(ROOT / "LICENSE")}[kind]()
    before = (ROOT / "LICENSE").read_bytes()
    try:
        assert sound(provision(from_file=file))
    except RuntimeProvisionError as error:
        reason = error.reason
    else:
        reason = "folder_failed"
    assert reason == "folder_failed"
    assert (ROOT / "LICENSE").read_bytes() == before


@pytest.mark.parametrize(
    "kind", sample(["a link elsewhere", "a file", "an empty folder", "a folder with other files"], 3)
)
def test_what_lies_where_a_wheel_shall_be(home: Path, file: Path, tmp_path: Path, kind: str) -> None:
    found = provision(from_file=file)
    wheel = found.python_path[1]
    aside = tmp_path / "aside"
    wheel.rename(aside)
    if kind == "a link elsewhere":
        wheel.symlink_to(aside)
    elif kind == "a file":
        wheel.write_bytes(b"x")
    else:
        wheel.mkdir()
        if kind == "a folder with other files":
            (wheel / "alpha.py").write_bytes(b"evil")
    kept = snapshot(aside)
    assert sound(provision(from_file=file))
    assert snapshot(aside) == kept
    assert not leftovers(home)


def test_a_colon_in_the_path_is_refused_because_python_would_split_it(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "a:b"))
    assert refusal(lambda: provision(from_file=file)) == "folder_unsuitable"


# --- what is there already --------------------------------------------------------------------------------------------

HOSTILE: list[Any] = [None, 1, -1, "", "x" * 10_000, [], {}, [[]], ["../x"], True, {"a": {"b": []}}, ["wheels/.."]]
FIELDS = ("bundle_version", "bundle_sha256", "contract_hash", "platform", "python", "modules", "paths", "origin")


def test_what_a_folder_says_of_itself_is_read_with_suspicion(
    home: Path, file: Path, record_property: Callable[[str, object], None]
) -> None:
    note = provision(from_file=file).folder / "installed.json"
    sound_note = json.loads(note.read_bytes())
    texts = [
        json.dumps({**sound_note, field: value})
        for field in FIELDS[3:]
        for value in HOSTILE
        if value or field != "modules"
    ]
    texts += [json.dumps({k: v for k, v in sound_note.items() if k != field}) for field in FIELDS]
    texts += [json.dumps({**sound_note, field: value}) for field in FIELDS[:3] for value in (None, 1, [], {})]
    texts += ["", "{", "[]", "null", '{"a":' * 500, '"' + "x" * 2_000_000 + '"', '{"paths":[],"paths":[]}', "\ud800"]
    kept = list(sound_note["paths"])
    for changed in (
        ["/etc"],
        ["bundles/../../etc"],
        kept[1:],
        [kept[0], "wheels/" + "g" * 63],
        [*kept, "wheels/x"],
        [kept[0], 3],
    ):
        texts.append(json.dumps({**sound_note, "paths": changed}))
    for text in texts:
        note.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert find_installed() is None, text[:200]
        record_property("bad_inputs", 1)
    assert sound(provision(from_file=file))


def test_notes_that_are_no_file_count_for_nothing(home: Path, file: Path, tmp_path: Path) -> None:
    found = provision(from_file=file)
    note = found.folder / "installed.json"
    copy = tmp_path / "copy.json"
    note.rename(copy)
    note.symlink_to(copy)
    assert find_installed() is None
    note.unlink()
    os.mkfifo(note)
    assert find_installed() is None
    note.unlink()
    note.mkdir()
    assert find_installed() is None
    assert sound(provision(from_file=file))


@pytest.mark.parametrize("content", sample([b"", b"{", b"[]", b'{"x":1}', b"\xff", b"{" * 100_000], 3))
def test_a_damaged_note_of_the_highest_version_is_written_anew(home: Path, file: Path, content: bytes) -> None:
    (home / "data").mkdir(mode=0o700)
    (home / "data" / "highest.json").write_bytes(content)
    assert sound(provision(from_file=file))


def test_members_of_a_bundle_are_wheels_and_kernels() -> None:
    assert {path.split("/")[0] for path in MEMBERS} == {"kernels", "wheels"}
