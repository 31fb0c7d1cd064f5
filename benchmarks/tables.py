"""A table of 100,000 rows in a browser: how long until it is seen, how it scrolls, how long it sorts and filters."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, duration
from typescript import build

PROBE = Path(__file__).parent / "browser" / "tables.mjs"
ROWS = 100_000
PAINT, FRAME, SORT = 0.100, 0.050, 0.300  # seconds


def main() -> list[Row]:
    browser = shutil.which("chromium")
    if browser is None:
        raise AssertionError("install Debian's package chromium")
    build.link()
    met = json.loads(build.a_node().run(PROBE, browser, str(ROWS)))
    if met["lines"] > 200:
        raise AssertionError(f"{met['lines']} rows are in the page, and not only those in sight")
    return list(compare(met))


def compare(met: dict[str, Any]) -> Iterator[Row]:
    """Yield what each took, beside its bar."""
    what = f"a table of {ROWS:,} rows"
    yield _row(f"{what}: read from {met['characters'] / 1e6:.1f} MB of text, and checked", met["read"])
    yield _row(f"{what}: first paint", met["paint"], PAINT)
    yield _row(f"{what}: longest frame, by the wheel", met["wheel"], FRAME)
    yield _row(f"{what}: longest frame, by the thumb", met["thumb"], FRAME)
    for name, (first, second) in met["sorts"].items():
        yield _row(f"{what}: sort by {name}", first, SORT)
        yield _row(f"{what}: sort by {name}, the other way", second, SORT)
    yield _row(f"{what}: filter by a text, the first letter", met["filter"])
    yield _row(f"{what}: filter by a text, the next letter", met["refilter"])


def _row(what: str, took: dict[str, Any], most: float | None = None) -> Row:
    """Return a row by the work of the page's thread, beside a clock and what that work was; a bar is for the work."""
    work, wall = took["work"] / 1000, took["wall"] / 1000
    bar = "" if most is None else f"<= {duration(most)}"
    parts = " · ".join(f"{name} {each:.1f}" for name, each in took["parts"].items())
    said = f"{duration(wall)} by the clock; ms: {parts}"
    return Row(what, duration(work), said, bar=bar, met=None if most is None else work <= most)
