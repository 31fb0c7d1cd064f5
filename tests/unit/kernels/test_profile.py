"""The profile of the process that computes: whatever did not take effect of it is found, in the process itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from service_nb_kernels.runtime.profile import PORTABLE, X86_64_V3, Blas, State, faults, pins, supported

from tests.security.libraries import FLUSH_BOTH, NOTHING, write_library

ROOT = Path(__file__).parents[3]
ISOLATED = ("-S", "-s", "-P", "-B")
LOOPS_HERE = [name for name in __cpu_dispatch__ if __cpu_features__[name]]  # AVX-512 or not; an old processor has none
TOLD = """
import json
state = profile.effective()
print(json.dumps([list(fault) for fault in profile.faults(state, {profile})]))
"""


def told(
    code: str = "",
    changes: dict[str, str] | None = None,
    flags: tuple[str, ...] = ISOLATED,
    first: str = "",
    profile: str = "profile.supported()",
) -> dict[str, str]:
    """Run code in a process with the pins and some changes, and return the faults that it finds: name to met."""
    lines = (
        f"{first}\nfrom service_nb_kernels.runtime import profile\nimport numpy\n{code}\n{TOLD.format(profile=profile)}"
    )
    path = os.pathsep.join([sysconfig.get_path("platlib"), str(ROOT / "kernels")])
    environment = pins() | {"PYTHONPATH": path} | (changes or {})
    done = subprocess.run(
        [sys.executable, *flags, "-c", lines], env=environment, capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return {name: met for name, met, _ in json.loads(done.stdout.splitlines()[-1])}


def test_a_process_with_all_pins_has_no_fault() -> None:
    assert told() == {}
    assert told("import scipy.linalg") == {}


def test_reading_the_profile_loads_no_library_that_computes() -> None:
    code = "import sys; from service_nb_kernels.runtime import profile; profile.pins(); profile.supported()"
    code += "; profile.effective(); print(*sorted({'numpy', 'scipy', 'flint'} & sys.modules.keys()))"
    path = os.pathsep.join([sysconfig.get_path("platlib"), str(ROOT / "kernels")])
    done = subprocess.run(
        [sys.executable, *ISOLATED, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"OPENBLAS_CORETYPE": "Nehalem"}, "OPENBLAS_CORETYPE of numpy"),
        ({"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}, "OPENBLAS_NUM_THREADS of numpy"),
        ({"NPY_ENABLE_CPU_FEATURES": ""}, None),  # what NumPy then chooses depends on the machine
        ({"PYTHONHASHSEED": "1"}, "PYTHONHASHSEED"),
        ({"PYTHONHASHSEED": "random"}, "PYTHONHASHSEED"),
        ({"TZ": "America/New_York"}, "TZ"),
        ({"OPENBLAS_CORTYPE": "Haswell"}, "environment"),
        ({"NPY_DISABLE_CPU_FEATURES": ""}, "environment"),
        ({"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}, "environment"),
        ({"LD_LIBRARY_PATH": "/"}, "environment"),
        ({"PYTHONHOME": sys.base_prefix}, "environment"),
        ({"MKL_CBWR": "AVX2"}, "environment"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_pin_that_did_not_take_is_named(change: dict[str, str], fault: str | None) -> None:
    found = told(changes=change)
    if fault is not None:
        assert fault in found
    assert set(found) <= {fault, "NPY_ENABLE_CPU_FEATURES"}


def test_loops_of_another_simd_than_the_pinned_are_named() -> None:
    first = f"""
import os
os.environ.pop("NPY_ENABLE_CPU_FEATURES", None)
os.environ["NPY_DISABLE_CPU_FEATURES"] = {" ".join(LOOPS_HERE)!r}
"""
    assert told(first=first, profile="profile.X86_64_V3")["NPY_ENABLE_CPU_FEATURES"] == "baseline"


def test_the_loops_that_numpy_chooses_by_itself_are_named_unless_they_are_the_pinned() -> None:
    found = told(first="import os; os.environ.pop('NPY_ENABLE_CPU_FEATURES', None)", profile="profile.X86_64_V3")
    assert found.get("NPY_ENABLE_CPU_FEATURES", "X86_V3") == (" ".join(LOOPS_HERE) or "baseline")


def test_the_blas_of_scipy_is_read_once_it_is_loaded() -> None:
    code = "import threadpoolctl, scipy.linalg\nthreadpoolctl.threadpool_limits(2)"
    assert set(told(code)) == {"OPENBLAS_NUM_THREADS of numpy", "OPENBLAS_NUM_THREADS of scipy"}


@pytest.mark.parametrize("flags", [("-s", "-P", "-B"), ("-I", "-B"), ()], ids=["site", "-I", "none"])
def test_an_interpreter_that_loads_site_packages_or_ignores_the_seed_is_named(flags: tuple[str, ...]) -> None:
    path = f"import sys; sys.path[:0] = [{sysconfig.get_path('platlib')!r}, {str(ROOT / 'kernels')!r}]"
    found = told(flags=flags, first=path)
    assert "isolation" in found
    assert ("PYTHONHASHSEED" in found) == ("-I" in flags)


CONTROL = """
import ctypes
words = (ctypes.c_uint16 * 16)()
library = ctypes.CDLL(None)
library.fegetenv(ctypes.byref(words))
words[{place}] = {value}
library.fesetenv(ctypes.byref(words))
"""


@pytest.mark.parametrize(
    ("place", "value", "is_probed"),
    [
        (14, 0x9F80, True),  # flush to zero
        (14, 0x1FC0, True),  # subnormal arguments are zero
        (14, 0x9FC0, True),
        (14, 0x3F80, True),  # down
        (14, 0x5F80, True),  # up
        (14, 0x7F80, True),  # to zero
        (0, 0x027F, False),  # x87 with 53 bits: long doubles lose digits, doubles do not
        (0, 0x0F7F, False),  # x87 to zero
    ],
)
def test_every_other_mode_of_the_floating_point_units_is_found(place: int, value: int, is_probed: bool) -> None:
    code = CONTROL.format(place=place, value=value) + f"assert profile.probe_fpu() is {not is_probed}"
    found = told(code)
    assert set(found) == {"floating point"}
    assert f"{value:04x}" in found["floating point"]


def test_the_portable_profile_asks_for_floating_point_and_for_nothing_else(tmp_path: Path) -> None:
    library = write_library(tmp_path / "flush.so", FLUSH_BOTH)
    lines = "import sys, ctypes; from service_nb_kernels.runtime.profile import *; import numpy; found = []"
    lines += "\nfound.append(faults(effective(), PORTABLE))"
    lines += f"\nctypes.CDLL({str(library)!r}); found.append(faults(effective(), PORTABLE))"
    lines += "\nassert found[0] == [], found; assert [each.name for each in found[1]] == ['floating point'], found"
    path = os.pathsep.join([sysconfig.get_path("platlib"), str(ROOT / "kernels")])
    done = subprocess.run(
        [sys.executable, "-B", "-c", lines], env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_watch_asks_again_when_a_library_was_loaded_or_floating_point_changed(tmp_path: Path) -> None:
    library = write_library(tmp_path / "foreign.so", NOTHING)
    undone = CONTROL.format(place=14, value=0x1F80).replace("import ctypes", "")
    code = f"""
import ctypes
watch = profile.Watch(profile.X86_64_V3)
assert watch.faults() == []
{CONTROL.format(place=14, value=0x9FC0)}
assert [each.name for each in watch.faults()] == ["floating point"]
{undone}
assert watch.faults() == []
ctypes.CDLL({str(library)!r})
assert [(each.name, each.met) for each in watch.faults()] == [("foreign library", "foreign.so")]
"""
    assert told(code) == {"foreign library": "foreign.so"}


def state_of(**changes: object) -> State:
    usual: dict[str, object] = {
        "simd": ("X86_V3",),
        "blas": (Blas("numpy", "openblas", "0.3", "Haswell", 1), Blas("scipy", "openblas", "0.3", "Haswell", 1)),
        "libc": "glibc 2.36",
        "libm": "sha256:0",
        "hash_seed": "0",
        "locale": "C",
        "timezone": "UTC",
        "is_isolated": True,
        "float_control": "unknown",
        "float_faults": (),
        "variables": (),
        "foreign": (),
    }
    return State(**(usual | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "name", "met"),
    [
        ({"simd": ("X86_V3", "X86_V4")}, "NPY_ENABLE_CPU_FEATURES", "X86_V3 X86_V4"),
        ({"blas": (Blas("numpy", "mkl", "2026", "intel", 1),)}, "BLAS of numpy", "mkl"),
        ({"blas": (Blas("numpy", "openblas", "0.3", "SkylakeX", 1),)}, "OPENBLAS_CORETYPE of numpy", "SkylakeX"),
        ({"blas": ()}, "BLAS of numpy", "none is loaded"),
        ({"libc": "musl"}, "C library", "musl"),
        ({"locale": "de_DE.UTF-8"}, "LC_ALL", "de_DE.UTF-8"),
    ],
)
def test_what_other_machines_and_builds_have_is_refused(changes: dict[str, object], name: str, met: str) -> None:
    assert faults(state_of(), X86_64_V3) == []
    assert (name, met) in [(fault.name, fault.met) for fault in faults(state_of(**changes), X86_64_V3)]
    assert faults(state_of(**changes), PORTABLE) == []


def test_pins_are_those_of_the_machine_unless_a_profile_is_named() -> None:
    assert pins() == pins(supported())
    assert set(pins(X86_64_V3)) - set(pins(PORTABLE)) == {"NPY_ENABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"}
