"""`service-nb doctor`: whether this machine is fit, the lock holds, and sums are exact."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

import service_nb
from service_nb.cli.console import DONE, FAILED, print_json
from service_nb.records.source import DEFAULT_LIMITS

SUMMARY = "Check Python, libraries and memory, that the engine is locked down, and that sums are exact."
EXAMPLES = """\
examples:
  service-nb doctor
  service-nb doctor --json
"""

LIBRARIES = (
    "cryptography", "defusedxml", "duckdb", "grpcio", "ipython", "lark", "matplotlib", "numpy", "openpyxl", "orjson",
    "pandas", "platformdirs", "protobuf", "pyarrow", "python-flint", "pyyaml", "scipy", "sqlglot", "threadpoolctl",
    "tomlkit",
)  # fmt: skip

# Ones among numbers sixteen orders larger, which cancel: any order of plain additions loses some of them.
HARD_TO_ADD = (1e16, 1.0, -1e16, 1.0, 0.1, 1e300, -0.3, -1e300, 5e-324, 3.0, 1e-9, -2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the report."""

    name: str
    ok: bool
    found: str


def register(parser: argparse.ArgumentParser) -> None:
    """`doctor` has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Run all checks and print them; fail if one fails."""
    checks = list(_checks())
    healthy = all(check.ok for check in checks)
    if arguments.json:
        print_json({"ok": healthy, "checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            print(f"{'✓' if check.ok else '✗'} {check.name.ljust(width)}  {check.found}")
        print("\nAll is well." if healthy else "\nSomething is wrong: see the lines marked ✗.")
    return DONE if healthy else FAILED


def _checks() -> Iterator[Check]:
    yield Check(name="python", ok=sys.version_info >= (3, 11), found=platform.python_version())
    yield Check(name="platform", ok=True, found=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    yield from map(_library, LIBRARIES)
    yield _memory()
    yield from _lock_down()
    yield from _exactness()


def _library(name: str) -> Check:
    try:
        return Check(name=name, ok=True, found=installed_version(name))
    except PackageNotFoundError:
        return Check(name=name, ok=False, found="not installed")


def _memory() -> Check:
    wanted = DEFAULT_LIMITS.memory_bytes
    if not hasattr(os, "sysconf"):
        return Check(name="memory", ok=True, found="unknown on this platform")
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    note = "" if present >= wanted else f"; set Limits(memory_bytes=…) below the default of {wanted / 2**30:.0f} GiB"
    return Check(name="memory", ok=True, found=f"{present / 2**30:.1f} GiB{note}")


def _lock_down() -> Iterator[Check]:
    # Lazy: `service-nb --help` and `version` shall not wait for the database to load.
    from service_nb.engines.lockdown import try_forbidden  # noqa: PLC0415

    for attempt, refused in try_forbidden().items():
        yield Check(name=f"engine: {attempt}", ok=refused, found="refused" if refused else "NOT REFUSED")


def _exactness() -> Iterator[Check]:
    for rows in (len(HARD_TO_ADD), 1_000 * len(HARD_TO_ADD)):  # in lists, and in the database
        values = HARD_TO_ADD * (rows // len(HARD_TO_ADD))
        service = service_nb.create_service()
        service.connect({"records": [{"value": value} for value in values]}, name="numbers")
        outcome = service.ask("sum value from numbers")
        met, expected = outcome.rows[0]["value"], float(sum(map(Fraction, values)))
        found = f"{met!r} over {rows:,} rows" + ("" if met == expected else f"; the exact sum is {expected!r}")
        yield Check(name=f"exact sum: {outcome['data']['provenance']['engine']}", ok=met == expected, found=found)
        service.close()
