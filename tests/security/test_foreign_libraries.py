"""T22: what the caller's environment holds does not reach the process that computes; a library that does is named."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from service_nb_kernels.runtime.runtime_pb2 import Call, Reply, Request
from service_nb_kernels.runtime.wire import from_message, to_message

from service_nb.runtimes import managed, process
from service_nb.runtimes.install import Installed
from service_nb.runtimes.interface import get_platform_key
from tests.security.conftest import snapshot
from tests.security.libraries import FLUSH_ARGUMENTS, FLUSH_BOTH, NOTHING, ROUND_UP, write_library

ROOT = Path(__file__).parents[2]
LIBRARIES = Path(sysconfig.get_path("platlib"))
KERNELS = ROOT / "kernels"
TRACE = "TRACE"  # of code that ran and should not have

# What a process of the runtime tells of itself: faults of its profile, where its modules are from, and three values.
TELLS = """
import json, sys
from service_nb_kernels.runtime import profile
from service_nb_kernels.execute import Executor
import numpy, flint
run = Executor().execute
table = numpy.arange(10_000.0).reshape(100, 100) / 7
fft, mean = run("signal_processing.fft_large", [[0.1, 0.7, 0.3]]), run("stats.mean", [[0.1, 5e-324]])
values = (table @ table / 3).sum(), fft, mean
print(json.dumps({
    "faults": profile.faults(profile.effective(), profile.supported()),
    "modules": {name: sys.modules[name].__file__ for name in ("json", "numpy", "flint", "service_nb_kernels")},
    "flags": [sys.flags.optimize, sys.flags.inspect, sys.flags.dev_mode, sys.flags.utf8_mode],
    "values": repr(values),
}))
"""


def bundle(folder: Path, *first: Path, kernels: Path = KERNELS) -> Installed:
    """A runtime as if it were installed from this checkout, with folders before those of its own."""
    return Installed(
        bundle_version="0.0.0+dev",
        bundle_sha256="0" * 64,
        contract_hash="sha256:0",
        platform=get_platform_key(),
        python="cp311",
        modules=(),
        folder=folder,
        python_path=(*first, LIBRARIES, kernels),
    )


def told(installed: Installed, folder: Path) -> dict[str, Any]:
    """Start a process exactly as the runtime's is started, but for what it runs."""
    done = subprocess.run(
        [*process._find_interpreter(), "-c", TELLS],
        env=process._build_environment(installed),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is told where nobody planted anything."""
    folder = tmp_path_factory.mktemp("usual")
    found = told(bundle(folder), folder)
    assert found["faults"] == []
    return found


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder full of traps: modules under the names of others, customizations, libraries."""
    folder = tmp_path / "planted"
    site = folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    local = folder / ".local" / site.relative_to(folder)
    trap = f"open({str(tmp_path / TRACE)!r}, 'a').close()\nprint('reached')\n"
    for place in (folder, site, local):
        place.mkdir(parents=True, exist_ok=True)
        for name in ("sitecustomize", "usercustomize", "numpy", "flint", "json", "ctypes", "threadpoolctl"):
            (place / f"{name}.py").write_text(trap, encoding="utf-8")
        (place / "trap.pth").write_text("import sitecustomize\n", encoding="utf-8")
    (folder / "service_nb_kernels").mkdir()
    (folder / "service_nb_kernels/__init__.py").write_text(trap, encoding="utf-8")
    (folder / "startup.py").write_text(trap, encoding="utf-8")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\n", encoding="utf-8")
    write_library(folder / "flush.so", FLUSH_BOTH)
    write_library(folder / "libm.so.6", FLUSH_BOTH)
    return folder


VARIABLES = {
    "LD_PRELOAD": "{planted}/flush.so",
    "LD_AUDIT": "{planted}/flush.so",
    "LD_LIBRARY_PATH": "{planted}",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
    "HOME": "{planted}",
    "VIRTUAL_ENV": "{planted}",
    "PYTHONPATH": "{planted}",
    "PYTHONHOME": "{planted}",
    "PYTHONUSERBASE": "{planted}",
    "PYTHONSTARTUP": "{planted}/startup.py",
    "PYTHONEXECUTABLE": "{planted}/startup.py",
    "PYTHONPLATLIBDIR": "planted",
    "PYTHONPYCACHEPREFIX": "{planted}",
    "PYTHONSAFEPATH": "",
    "PYTHONINSPECT": "1",
    "PYTHONOPTIMIZE": "2",
    "PYTHONDEVMODE": "1",
    "PYTHONMALLOC": "debug",
    "PYTHONWARNINGS": "error",
    "PYTHONVERBOSE": "1",
    "PYTHONIOENCODING": "utf-16",
    "PYTHONHASHSEED": "7",
    "PYTHONUTF8": "0",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3",
    "NPY_ENABLE_CPU_FEATURES": "",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "2",
    "OPENBLAS_MAIN_FREE": "1",
    "GOTO_NUM_THREADS": "2",
    "OMP_NUM_THREADS": "2",
    "MKL_NUM_THREADS": "2",
    "LC_ALL": "de_DE.UTF-8",
    "LC_NUMERIC": "de_DE.UTF-8",
    "TZ": "America/New_York",
}


@pytest.fixture
def counted(record_property: Callable[[str, object], None], tmp_path: Path) -> Iterator[None]:
    """Count an attempt, after it left no trace."""
    yield
    assert not (tmp_path / TRACE).exists()
    record_property("bad_inputs", 1)


@pytest.mark.usefixtures("counted")
def test_all_variables_of_the_caller_at_once_do_not_reach_the_runtime(
    planted: Path, usual: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value.format(planted=planted))
    before = snapshot(planted)
    assert told(bundle(tmp_path), tmp_path) == usual
    assert snapshot(planted) == before


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    "name",
    [name if at % 4 == 0 else pytest.param(name, marks=pytest.mark.slow) for at, name in enumerate(VARIABLES)],
)
def test_a_variable_of_the_caller_does_not_reach_the_runtime(
    name: str, planted: Path, usual: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, VARIABLES[name].format(planted=planted))
    before = snapshot(planted)
    assert told(bundle(tmp_path), tmp_path) == usual
    assert snapshot(planted) == before


@pytest.mark.usefixtures("counted")
def test_modules_in_the_folder_of_the_caller_are_not_found(
    planted: Path, usual: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(planted)
    assert told(bundle(tmp_path), planted) == usual


@pytest.mark.usefixtures("counted")
def test_customizations_in_a_folder_of_the_bundle_do_not_run(
    usual: dict[str, Any], planted: Path, tmp_path: Path
) -> None:
    wheel = tmp_path / "wheel"
    wheel.mkdir()
    for name in ("sitecustomize.py", "usercustomize.py", "trap.pth"):
        shutil.copy(planted / name, wheel)
    assert told(bundle(tmp_path, wheel), tmp_path) == usual


# --- a library that is there all the same -----------------------------------------------------------------------------


def started(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    """Start a runtime below an environment, and return what it says; one that would serve is ended."""
    installed = bundle(folder)
    (folder / process.TOKEN).write_text("token", encoding="ascii")
    done = subprocess.run(
        [*process._find_interpreter(), "-m", "service_nb_kernels.runtime", process._write_settings(installed, folder)],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    process.kill_runtime(folder)
    return dict(json.loads(done.stdout))


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("on_load", "names"),
    [
        (FLUSH_BOTH, {"floating point", "environment", "foreign library"}),
        (FLUSH_ARGUMENTS, {"floating point", "environment", "foreign library"}),
        (ROUND_UP, {"floating point", "environment", "foreign library"}),
        (NOTHING, {"environment", "foreign library"}),
    ],
    ids=["FTZ and DAZ", "DAZ", "rounds up", "does nothing"],
)
def test_a_runtime_with_a_preloaded_library_refuses_to_serve_and_names_it(
    on_load: bytes, names: set[str], tmp_path: Path
) -> None:
    library = write_library(tmp_path / "foreign.so", on_load)
    environment = process._build_environment(bundle(tmp_path))
    said = started(environment | {"LD_PRELOAD": str(library)}, tmp_path)
    assert {name for name, _, _ in said["faults"]} == names
    assert ["foreign library", "foreign.so"] in [fault[:2] for fault in said["faults"]]


@pytest.fixture
def loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], managed._Link]]:
    """Connect to a runtime one of whose packs loads a library, with this code in it, when it is first called."""
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    # The pack is altered, so it is nothing that was signed; that such kernels are not started is tested elsewhere.
    monkeypatch.setattr(process, "verify_installed", lambda *_, **__: None)
    links: list[managed._Link] = []

    def connect(on_load: bytes) -> managed._Link:
        library = write_library(tmp_path / "foreign.so", on_load)
        kernels = tmp_path / "kernels"
        shutil.copytree(KERNELS, kernels, ignore=shutil.ignore_patterns("__pycache__"))
        pack = kernels / "service_nb_kernels/packs/linalg/large_pinned.py"
        text = pack.read_text(encoding="utf-8")
        pack.write_text(f"{text}\nimport ctypes\nctypes.CDLL({str(library)!r})\n", encoding="utf-8")
        links.append(managed._Link(bundle(tmp_path / "bundle", kernels=kernels)))
        return links[-1]

    yield connect
    for link in links:
        process.kill_runtime(link._endpoint.folder)
        link.close()


def replied(link: managed._Link, capability: str, *arguments: Any) -> Reply:
    call = Call(capability=capability, arguments=[to_message(argument) for argument in arguments])
    return Reply.FromString(link.connection.call(Request(calls=[call]).SerializeToString(), (), 30.0))


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("on_load", [FLUSH_BOTH, FLUSH_ARGUMENTS, ROUND_UP], ids=["FTZ and DAZ", "DAZ", "rounds up"])
def test_a_library_that_is_loaded_during_a_call_takes_the_value_back_and_is_named(
    on_load: bytes, loading: Callable[[bytes], managed._Link]
) -> None:
    link = loading(on_load)
    refused = replied(link, "linalg.solve_large", [[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])
    assert list(refused.values) == []
    assert refused.fault.code == "compute_runtime_unavailable"
    assert json.loads(refused.fault.details["reason"]) == "floating_point_mode"
    # The process that it was loaded into is gone: the next one computes right.
    usual = replied(link, "stats.mean", [0.1, 0.2])
    assert list(map(from_message, usual.values)) == [0.15000000000000002]
