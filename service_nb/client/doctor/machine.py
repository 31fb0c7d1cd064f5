"""The machine: Python, libraries, memory."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

from service_nb.client.doctor.check import Check
from service_nb.schema.source import DEFAULT_LIMITS

OLDEST = (3, 11)
LIBRARIES = (
    "cryptography", "defusedxml", "duckdb", "grpcio", "httpcore", "httpx", "idna", "ipython", "jinja2", "lark",
    "markupsafe", "matplotlib", "msgspec", "numpy",
    "openpyxl", "orjson", "pandas", "platformdirs", "protobuf", "pyarrow", "python-flint", "pyyaml", "scipy",
    "sqlglot", "threadpoolctl", "tomlkit",
)  # fmt: skip

Lock = Mapping[str, Sequence[str]]


def machine(lock: Lock) -> Iterator[Check]:
    """Look at Python, the libraries and the memory.

    Parameters
    ----------
    lock : mapping
        The libraries whose versions the contract was made with, each with the lines of its lock.
    """
    yield Check(name="python", ok=sys.version_info >= OLDEST, found=platform.python_version())
    yield Check(name="platform", found=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    for name in LIBRARIES:
        yield _library(name, lock)
    yield _memory()


def strange(name: str, version: str, lock: Lock) -> str | None:
    """Return the versions that a lock has of a library, in words, if the one that is met is none of them."""
    locked = [line.split()[0] for line in lock.get(name, ())]
    return None if not locked or version in locked else " or ".join(dict.fromkeys(locked))


def _library(name: str, lock: Lock) -> Check:
    try:
        version = installed_version(name)
    except PackageNotFoundError:
        return Check(name=name, ok=False, found="not installed")
    expected = strange(name, version, lock)
    if expected is None:
        return Check(name=name, found=version)
    return Check(name=name, found=f"{version}; the contract was made with {expected}", warning=True)


def _memory() -> Check:
    wanted = DEFAULT_LIMITS.memory_bytes
    if not hasattr(os, "sysconf"):
        return Check(name="memory", found="unknown on this platform")
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    note = "" if present >= wanted else f"; set Limits(memory_bytes=…) below the default of {wanted / 2**30:.0f} GiB"
    return Check(name="memory", found=f"{present / 2**30:.1f} GiB{note}")
