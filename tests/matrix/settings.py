"""The axes: in what ways a process is started that should give the same bits, or is known not to."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from service_nb_kernels.runtime.profile import PORTABLE, X86_64_V3, pins, supported

CERTIFIED = frozenset({"certified"})
HAS_PROFILE = supported() == X86_64_V3
PINNED = pins()
PROMISED = frozenset({"certified", "pinned", "seeded"}) if HAS_PROFILE else CERTIFIED
BEYOND_V3 = "X86_V4 AVX512_ICL AVX512_SPR"  # NumPy's names, of 2.4 and later


@dataclass(frozen=True)
class Setting:
    """One way to start a process.

    Parameters
    ----------
    environment : dict
        All of it, but for where modules are found.
    holds : set of str
        Tiers whose values must be those of the reference. What moves of others is reported.
    model : str, optional
        The CPU that an emulator shows; otherwise this machine's.
    architecture : str, optional
        That of the CPU, where it is another than this machine's: with a Python and libraries of its own.
    """

    name: str
    environment: dict[str, str]
    holds: frozenset[str] = CERTIFIED
    layout: str = "lists"
    model: str = ""
    architecture: str = ""

    @property
    def is_profile(self) -> bool:
        """Whether every pin of the profile is set, so that none of its faults may be found."""
        return HAS_PROFILE and self.environment == PINNED


REFERENCE = Setting("pinned", PINNED, PROMISED)
# What moves without a pin is reported, and must be nothing of a certified capability.
ANYWHERE = (
    Setting("pinned, arrays in C order", PINNED, PROMISED, layout="C"),
    Setting("pinned, arrays in Fortran order", PINNED, PROMISED, layout="F"),
    *(Setting(f"pinned, hash seed {seed}", PINNED | {"PYTHONHASHSEED": str(seed)}, PROMISED) for seed in range(1, 5)),
    Setting("no pins", {}),
    Setting("no pins, arrays in Fortran order", {}, layout="F"),
    Setting("pinned, but 2 threads", PINNED | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}),
)
X86_64 = (
    Setting("pinned, but BLAS kernel Sandybridge", PINNED | {"OPENBLAS_CORETYPE": "Sandybridge"}),
    Setting("pinned, but BLAS kernel Nehalem", PINNED | {"OPENBLAS_CORETYPE": "Nehalem"}),
    Setting("no pins, AVX-512 off", {"NPY_DISABLE_CPU_FEATURES": BEYOND_V3}),
    Setting("no pins, AVX2 off", {"NPY_DISABLE_CPU_FEATURES": f"X86_V3 {BEYOND_V3}", "OPENBLAS_CORETYPE": "Nehalem"}),
    Setting("pinned, but a C library without FMA", PINNED | {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}),
)
NATIVE = ANYWHERE + (X86_64 if HAS_PROFILE else ())
# Nehalem has neither AVX2 nor FMA, and OpenBLAS would choose a kernel that it cannot run.
EMULATED = (
    (
        Setting("pinned, Intel Haswell of 2013", PINNED, PROMISED, model="Haswell"),
        Setting("pinned, AMD EPYC of 2019", PINNED, PROMISED, model="EPYC-Rome"),
        Setting("Intel Nehalem of 2008", pins(PORTABLE) | {"OPENBLAS_CORETYPE": "Nehalem"}, model="Nehalem"),
        Setting("arm64, Neoverse N1 of 2019", pins(PORTABLE), model="neoverse-n1", architecture="aarch64"),
    )
    if HAS_PROFILE
    else ()
)


def machine() -> str:
    """Return what the figures were taken on, and whether one axis could show anything."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if sys.platform == "linux" else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    avx512 = "with" if any(" avx512f " in line for line in lines) else "without"
    return f"{name}, {avx512} AVX-512, {os.cpu_count()} cores, Python {platform.python_version()}"
