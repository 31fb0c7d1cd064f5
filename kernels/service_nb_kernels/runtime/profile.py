"""The pins of the process that computes, and what really took effect there.

Environment variables act only before NumPy is loaded, and some fail silently: a mistyped OPENBLAS_CORETYPE selects
another kernel than the default one. So a process is started with `pins()`, and inside of it `effective()` is read back
and compared by `faults()`. Nothing here loads NumPy or SciPy.

x86_64-v3   Linux with glibc on a CPU with AVX2 and FMA: pinned and seeded values have the same bits on all of them
portable    everything else, and certified capabilities only: their values do not depend on the machine
"""

from __future__ import annotations

import ctypes
import hashlib
import locale
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import threadpoolctl  # type: ignore[import-untyped]

X86_64_V3 = "x86_64-v3"
PORTABLE = "portable"
_KERNEL = "Haswell"  # of OpenBLAS: the fastest one that every x86-64-v3 CPU has
_EVERYWHERE = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
_X86_64_V3 = {"NPY_ENABLE_CPU_FEATURES": "X86_V3", "OPENBLAS_CORETYPE": _KERNEL}
# The names of /proc/cpuinfo for what x86-64-v3 has beyond the first 64-bit CPUs; lzcnt is a part of abm there.
_FLAGS_V3 = {
    *("cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"),
    *("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"),
}


class Fault(NamedTuple):
    """A pin that did not take."""

    name: str
    met: str
    expected: str


@dataclass(frozen=True)
class Blas:
    """A BLAS library that is loaded, and the kernel and threads that it uses."""

    owner: str  # numpy, scipy: whose wheel brought it
    library: str  # openblas, mkl, …
    version: str
    kernel: str
    threads: int


@dataclass(frozen=True)
class State:
    """What is in force in this process."""

    simd: tuple[str, ...]  # NumPy's loops beyond its baseline that may be chosen here
    blas: tuple[Blas, ...]
    libc: str
    libm: str  # digest of the C library's mathematics, which NumPy's wheels do not bring
    hash_seed: str  # 0, or random
    locale: str  # of numbers
    timezone: str
    is_isolated: bool  # neither site-packages nor the caller's customizations were loaded
    float_control: str  # words that control the floating-point units, where they can be read
    float_faults: tuple[str, ...]
    variables: tuple[str, ...]  # of the environment that are no pins and may change numbers
    foreign: tuple[str, ...]  # libraries from elsewhere than the bundle, the interpreter and the system

    @property
    def libraries(self) -> dict[str, str]:
        """What computes here, for an envelope."""
        found = {f"{each.owner}.{each.library}": f"{each.version} {each.kernel} {_threads(each)}" for each in self.blas}
        return {"libc": self.libc, "libm": self.libm, "simd": " ".join(self.simd) or "baseline", **found}


def supported() -> str:
    """Return the profile that this machine can hold."""
    return X86_64_V3 if _has_glibc() and platform.machine() == "x86_64" and _flags() >= _FLAGS_V3 else PORTABLE


def pins(named: str | None = None) -> dict[str, str]:
    """Return the environment of a process of a profile: that of this machine, unless another is named."""
    return {**_EVERYWHERE, **(_X86_64_V3 if (named or supported()) == X86_64_V3 else {})}


def effective(bundle: Iterable[str | Path] | None = None) -> State:
    """Return what is in force in this process: of NumPy and SciPy as far as they are loaded by now.

    Parameters
    ----------
    bundle : folders, optional
        Where libraries may be loaded from, beside the interpreter's and the system's folders; otherwise `sys.path`.
    """
    control = _float_control()
    return State(
        simd=_simd(),
        blas=tuple(_blas(found) for found in threadpoolctl.threadpool_info()),
        libc=_libc(),
        libm=_libm(),
        hash_seed="random" if sys.flags.hash_randomization else "0",
        locale=locale.setlocale(locale.LC_NUMERIC),
        timezone=time.tzname[0],
        is_isolated=bool(sys.flags.no_site) and not {"sitecustomize", "usercustomize"} & sys.modules.keys(),
        float_control=control,
        float_faults=_float_faults(control),
        variables=tuple(sorted(name for name in _variables() if _changes_numbers(name))),
        foreign=_foreign(sys.path if bundle is None else bundle),
    )


def faults(state: State, named: str) -> list[Fault]:
    """Return each pin of the profile that did not take: its name, what was met, and what was expected.

    The portable profile asks only for what certified values need: floating-point units that round as IEEE 754 says.
    """
    found = [Fault("floating point", met, "round to nearest, subnormals kept") for met in state.float_faults]
    if named != X86_64_V3:
        return found
    wanted = [
        ("NPY_ENABLE_CPU_FEATURES", " ".join(state.simd) or "baseline", "X86_V3"),
        ("PYTHONHASHSEED", state.hash_seed, "0"),
        ("LC_ALL", state.locale, "C"),
        ("TZ", state.timezone, "UTC"),
        ("isolation", "isolated" if state.is_isolated else "site packages or customizations", "isolated"),
    ]
    for blas in state.blas:
        wanted += [
            (f"BLAS of {blas.owner}", blas.library, "openblas"),
            (f"OPENBLAS_CORETYPE of {blas.owner}", blas.kernel, _KERNEL),
            (f"OPENBLAS_NUM_THREADS of {blas.owner}", _threads(blas), "1 thread"),
        ]
    if not any(blas.owner == "numpy" for blas in state.blas):
        wanted.append(("BLAS of numpy", "none is loaded", "openblas"))
    if not state.libc.startswith("glibc"):
        wanted.append(("C library", state.libc, "glibc"))
    found += [Fault(*each) for each in wanted if each[1] != each[2]]
    found += [Fault("environment", name, "no variable but the pins") for name in state.variables]
    found += [Fault("foreign library", name, "those of the bundle, Python and the system") for name in state.foreign]
    return found


class Watch:
    """Asks again and again whether the profile still holds: each time of floating point, of the rest as it may change.

    Parameters
    ----------
    named : str
        The profile.
    bundle : folders, optional
        As for `effective`.
    """

    def __init__(self, named: str, bundle: Iterable[str | Path] | None = None) -> None:
        self._find_named, self._bundle = named, bundle
        self._loads = -1
        self._found: list[Fault] = []

    def faults(self) -> list[Fault]:
        """Return what `faults` does of the state now: in 2 microseconds while no library was loaded since."""
        loads = _loads()
        if loads < 0 or loads != self._loads or self._found or not probe_fpu():
            self._found = faults(effective(self._bundle), self._find_named)
            self._loads = loads
        return self._found


# Numbers at which each fault of the floating-point units shows. They are variables: the compiler computes constants.
_one, _half = 1.0, 0.5
_least_normal, _least = sys.float_info.min, 5e-324
_tie, _above_tie = 2.0**-53, 2.0**-53 * (1 + 2.0**-40)


def probe_fpu() -> bool:
    """Return whether this thread rounds to nearest and keeps subnormal numbers; in a fraction of a microsecond."""
    return _keeps_subnormals() and _rounds_to_nearest()


def _keeps_subnormals() -> bool:
    return _least * _one > 0.0 and _least_normal * _half > 0.0


def _rounds_to_nearest() -> bool:
    return (
        _one + _tie == 1.0  # else: rounds up
        and -_one - _tie == -1.0  # else: rounds down
        and _one + _above_tie > 1.0  # else: rounds to zero, or first to a wider format
        and -_one - _above_tie < -1.0
    )


def _loads() -> int:
    """How many libraries were ever loaded into this process, in a microsecond; -1 where it cannot be told."""
    seen = ctypes.c_ulonglong()
    if _iterate is None:
        return -1
    _iterate(_FIRST, ctypes.byref(seen))
    return seen.value


def _threads(blas: Blas) -> str:
    return f"{blas.threads} thread" + ("s" if blas.threads != 1 else "")


def _has_glibc() -> bool:
    return _libc().startswith("glibc")


@cache
def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    except (AttributeError, ValueError, OSError):  # another C library, another system
        return f"{platform.system()} {platform.release()}"


@cache
def _libm() -> str:
    for path in _mapped():
        if re.fullmatch(r"libm[.-].*", Path(path).name):
            return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return "unknown"


def _flags() -> frozenset[str]:
    """What the CPU has, as Linux says: NumPy knows too, but once it is loaded it is too late for pins."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return next((frozenset(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), frozenset())


def _simd() -> tuple[str, ...]:
    core = sys.modules.get("numpy._core._multiarray_umath")
    features: Mapping[str, bool] = getattr(core, "__cpu_features__", {})
    return tuple(name for name in getattr(core, "__cpu_dispatch__", ()) if features.get(name))


def _blas(found: Mapping[str, Any]) -> Blas:
    path = Path(str(found.get("filepath", "")))
    folders = [folder.partition(".")[0] for folder in reversed(path.parts[:-1])]  # numpy.libs, or numpy/.dylibs
    return Blas(
        owner=next((name for name in folders if name in ("numpy", "scipy")), path.name),
        library=str(found.get("internal_api")),
        version=str(found.get("version")),
        kernel=str(found.get("architecture", "unknown")),
        threads=int(found.get("num_threads", 0)),
    )


def _variables() -> Iterable[str]:
    """Names of the environment as it was at the start: threadpoolctl, for one, sets a variable when it is imported."""
    try:
        return {each.partition("=")[0] for each in os.fsdecode(Path("/proc/self/environ").read_bytes()).split("\0")}
    except OSError:
        return os.environ


def _changes_numbers(name: str) -> bool:
    """Whether a variable of the environment reaches the linker, the C library, NumPy, BLAS or Python's start."""
    pinned = name in _EVERYWHERE or name in _X86_64_V3 or name == "PYTHONPATH"
    return not pinned and bool(re.match(r"(LD|GLIBC|NPY|OPENBLAS|GOTO|OMP|GOMP|KMP|MKL|BLIS|PYTHON|DYLD)_?", name))


def _float_faults(control: str) -> tuple[str, ...]:
    """The witnesses of `probe_fpu` by their names; and what they cannot see, which only some libraries would meet."""
    shown = {"subnormal numbers become zero": _keeps_subnormals(), "sums round otherwise": _rounds_to_nearest()}
    found = tuple(f"{name} ({control})" for name, holds in shown.items() if not holds)
    is_usual = control in ("unknown", "mxcsr 1f80, x87 037f")
    return found or (() if is_usual else (f"control words {control}",))


def _float_control() -> str:
    """The control words of SSE and x87, without the flags of what has happened; C libraries keep both in fenv_t."""
    if platform.machine() != "x86_64" or sys.platform != "linux":
        return "unknown"
    words = (ctypes.c_uint16 * 16)()
    if ctypes.CDLL(None).fegetenv(ctypes.byref(words)) != 0:
        return "unknown"
    return f"mxcsr {words[14] & ~0x3F:04x}, x87 {words[0]:04x}"


def _foreign(bundle: Iterable[str | Path]) -> tuple[str, ...]:
    known = tuple(os.path.realpath(folder) + os.sep for folder in (*map(str, bundle), *_system()) if folder)
    executable = os.path.realpath(sys.executable)
    return tuple(
        Path(path).name
        for path in _mapped()
        if path != executable and not path.startswith(known) and not re.match(r"/memfd:libffi|/tmp/ffi\w{6} ", path)
    )


def _system() -> Sequence[str]:
    """Folders of the interpreter's libraries and of the system's. In Nix and Guix every package has its own."""
    own = [f"{prefix}/{lib}" for prefix in (sys.base_prefix, sys.base_exec_prefix) for lib in ("lib", "lib64")]
    return [*own, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store"]


def _mapped() -> list[str]:
    """Files whose code is mapped into this process; none where the system does not tell."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    columns = (line.split(None, 5) for line in lines)
    files = (row for row in columns if len(row) == 6 and row[5].startswith("/"))
    return sorted({row[5] for row in files if "x" in row[1] or ".so" in row[5]})  # emulators may not show the x


class _Object(ctypes.Structure):
    """The start of `dl_phdr_info`, as far as the count of loads."""

    _fields_ = (
        ("address", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.c_void_p),
        ("count", ctypes.c_uint16),
        ("loads", ctypes.c_ulonglong),
    )


def _first(each: Any, _: int, seen: Any) -> int:
    """Every object says the number of all loads: the first is enough."""
    seen[0] = each[0].loads
    return 1


_FIRST = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Object), ctypes.c_size_t, ctypes.POINTER(ctypes.c_ulonglong))(
    _first
)
_process = ctypes.CDLL(None) if os.name == "posix" else None
_iterate: Callable[..., int] | None = getattr(_process, "dl_iterate_phdr", None)
