"""A runtime on a machine that has none: wheels from the package index, then from the cache; and what is there, found.

The index is the one that pip is configured for, with pip's own cache off.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.measure import Row, best, within
from service_nb.runtimes.install import verify_installed
from service_nb.runtimes.interface import Step
from service_nb.runtimes.provision import find_installed, provision

FROM_INDEX_S = 20.0
FROM_CACHE_S = 3.0
FOUND_S = 0.01


def main() -> list[Row]:
    """Return the rows; the files that are measured with are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="service-nb-", dir=Path(__file__).parents[1] / "build") as folder:
        home = Path(folder) / "home"
        with _environment(SERVICE_HOME=str(home), PIP_NO_CACHE_DIR="1", SERVICE_RUNTIME_MODULES=""):
            from_index, fetching = _provisioned()
            from_cache = min(_again(home) for _ in range(3))
            bundle = provision()
            verified = verify_installed(bundle)
            size = sum(path.stat().st_size for path in (home / "cache" / "wheels").glob("*.whl"))
            return [
                within(f"provisioning, wheels of {size / 1e6:.0f} MB from the index", from_index, FROM_INDEX_S),
                Row("  of which fetching", f"{fetching:.3g} s"),
                within(f"provisioning from the cache, {verified.size / 1e6:.0f} MB unpacked", from_cache, FROM_CACHE_S),
                within("an installed runtime found", best(find_installed), FOUND_S),
                Row(
                    f"  and verified, all {verified.files:,} files",
                    f"{best(lambda: verify_installed(bundle), 3):.3g} s",
                ),
            ]


def _provisioned() -> tuple[float, float]:
    """Seconds of provisioning, and of them those until the last wheel had come."""
    started = perf_counter()
    moments: dict[str, float] = {}

    def report(step: Step) -> None:
        moments.setdefault(step.label, perf_counter() - started)

    provision(report=report, asked=True)
    return perf_counter() - started, moments["Checking the bundle"] - moments["Fetching wheels"]


def _again(home: Path) -> float:
    """Seconds of provisioning a machine that has nothing but the wheels."""
    shutil.rmtree(home / "data")
    started = perf_counter()
    provision(asked=True)
    return perf_counter() - started


@contextmanager
def _environment(**changes: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
