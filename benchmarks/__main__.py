"""Run every benchmark beside its peers, print one table, and write `build/bench.json`.

A benchmark is a module of this folder with a function `main` that returns rows. Name some to run only those:
``python -m benchmarks startup small_ask``. Those that take minutes run only when they are named.
"""

from __future__ import annotations

import argparse
import base64
import importlib
import json
import os
import platform
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Row

FOLDER = Path(__file__).resolve().parent
RESULT = FOLDER.parent / "build" / "bench.json"
LIBRARIES = ("duckdb", "numpy", "pandas", "polars", "pyarrow", "python-flint", "scipy", "statsmodels", "QuantLib")
LONG = ("deployment_load",)
HEADS = ("what", "ours", "peer", "ratio", "bar", "", "peak memory")


def main(chosen: Sequence[str]) -> int:
    """Run the chosen benchmarks, all when none is named; fail when a bar is missed."""
    machine = describe_machine()
    print(", ".join(f"{key} {value}" for key, value in machine.items()), flush=True)
    rows = [row for name in chosen or sorted(module_names()) for row in run(name)]
    print_table(rows)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps({"machine": machine, "rows": [row._asdict() for row in rows]}, indent=2) + "\n")
    return 1 if any(row.met is False for row in rows) else 0


def module_names() -> Iterable[str]:
    """Return the names of the benchmarks in this folder, but for those that take minutes: they are named to be run."""
    return (path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__main__", "measure", "scan", *LONG))


def run(name: str) -> list[Row]:
    """Run one benchmark and return its rows; one that breaks is a row too, and the others still run."""
    print(f"  {name} ...", file=sys.stderr, flush=True)
    try:
        with own_home():
            rows: list[Row] = importlib.import_module(f"benchmarks.{name}").main()
    except Exception:  # noqa: BLE001  # shown, and counted as a bar that was missed
        traceback.print_exc()
        return [Row(name, "BROKEN", met=False)]
    return rows


@contextmanager
def own_home() -> Iterator[None]:
    """Have a home and a login of one's own: what is measured depends on nobody's settings, key or deployment."""
    before = dict(os.environ)
    with TemporaryDirectory(prefix="bench-") as home:
        for name in [name for name in os.environ if name.startswith("SERVICE_")]:
            del os.environ[name]
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what a user has installed is not compiled at each start
        os.environ["SERVICE_HOME"] = home
        os.environ["SERVICE_DEVICE_KEY"] = base64.b64encode(os.urandom(32)).decode()
        os.environ["SERVICE_LEDGER"] = "off"  # what recording costs has a row of its own
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def describe_machine() -> dict[str, str]:
    """Return what the figures depend on."""
    return {
        "cpu": _cpu(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{library: _version(library) for library in LIBRARIES},
    }


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # a peer need not be there; its rows say so too
        return "not installed"


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def print_table(rows: Sequence[Row]) -> None:
    """Print the rows, columns aligned."""
    signs = {True: "✓", False: "✗ MISSED", None: ""}
    cells = [
        HEADS,
        *(
            (*row[:3], "" if row.ratio is None else f"{row.ratio:.2f}x", row.bar, signs[row.met], row.memory)
            for row in rows
        ),
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADS))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def parse_arguments() -> argparse.Namespace:
    """Read which benchmarks to run, each by its name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n\n")[0])
    known = (*sorted(module_names()), *LONG)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"one of {', '.join(known)}; all but the last by default"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(known):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return arguments


if __name__ == "__main__":
    sys.exit(main(parse_arguments().names))
