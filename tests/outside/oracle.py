"""A table of comparisons with an independent package, and the process that answers them where the package is installed.

A table maps capabilities to functions of one package::

    TABLE = OracleTable("scipy", scipy.__version__)
    TABLE.add("special.erf", "scipy.special.erf", lambda x: special.erf(x), within=1e-13)

The function gets the capability's arguments by name, or in their order where its names are others, and returns what
its result should be. `within` is the relative accuracy that the package promises for it. What is drawn where nothing is
said follows from the declared domains; `draws` says otherwise, `prepare` changes what was drawn, for example a
probability into a quantile.

This file is run by its path, and tables import it as `oracle`: some packages install a `tests` of their own.
"""

from __future__ import annotations

import importlib
import inspect
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Arguments = Mapping[str, Any]
Draws = Mapping[str, Sequence[Any]]  # two numbers are a range, anything else are choices
TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One capability, and the function of a package that computes the same."""

    capability: str
    function: str  # dotted, as an origin names it
    compute: Callable[..., Any]
    within: float
    near_zero: float = 0.0  # absolute accuracy, for values that cancel
    draws: Draws = field(default_factory=dict)
    prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    asked: str = ""  # what stands after the colon of the origin
    group: str = ""  # comparisons of one group get the same arguments
    may_miss: bool = False  # where a table adds what a family may not have


class OracleTable:
    """The comparisons with one package."""

    def __init__(self, package: str, version: str) -> None:
        self.package, self.version = package, version
        self.comparisons: dict[str, Comparison] = {}

    def add(
        self, capability: str, function: str, compute: Callable[..., Any], *, within: float = 1e-12, **more: Any
    ) -> None:
        """Compare a capability with a function; `more` are fields of `Comparison`."""
        if capability in self.comparisons:
            raise ValueError(f"{capability} is compared twice with {self.package}.")
        self.comparisons[capability] = Comparison(
            capability=capability, function=function, compute=compute, within=within, **more
        )

    def describe(self) -> Iterator[dict[str, Any]]:
        """Describe the comparisons for the process that asks: no functions."""
        for each in self.comparisons.values():
            yield {
                "capability": each.capability,
                "origin": f"{self.package} {self.version}, {each.function}" + (f": {each.asked}" if each.asked else ""),
                "package": f"{self.package} {self.version}",
                "within": each.within,
                "near_zero": each.near_zero,
                "draws": {name: list(choice) for name, choice in each.draws.items()},
                "group": each.group or each.capability,
                "may_miss": each.may_miss,
            }

    def answer(self, capability: str, drawn: Arguments) -> tuple[dict[str, Any], Any]:
        """Return the arguments that were asked, and the value; None where the package has none."""
        comparison = self.comparisons[capability]
        arguments = dict(drawn)
        try:
            if comparison.prepare is not None:
                arguments = comparison.prepare(arguments)
            if _takes_names(comparison.compute, arguments):
                return arguments, make_plain(comparison.compute(**arguments))
            return arguments, make_plain(comparison.compute(*arguments.values()))
        except Exception:  # noqa: BLE001  # whatever a package raises, it has no value here
            return arguments, None


def _takes_names(compute: Callable[..., Any], arguments: Arguments) -> bool:
    """Whether a function has parameters of these names; others get the arguments in the capability's order."""
    try:
        inspect.signature(compute).bind(**arguments)
    except (TypeError, ValueError):
        return False
    return True


def make_plain(value: Any) -> Any:
    """Make JSON of a value: numbers, texts, lists and records; None for what has no finite value."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {name: make_plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [make_plain(each) for each in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return float(value) if math.isfinite(value) else None


def read_tables(names: Sequence[str]) -> list[OracleTable]:
    """Import tables, all of them where none is named; what is not installed is said and left out."""
    tables = []
    for path in sorted(TABLES.glob("*.py")):
        if names and path.stem not in names:
            continue
        try:
            tables.append(importlib.import_module(f"tables.{path.stem}").TABLE)
        except ModuleNotFoundError as error:
            print(f"{path.stem}: {error.name} is not installed", file=sys.stderr)
    return tables


def main() -> None:
    """Describe the comparisons on the first line; then answer a line of drawn arguments with a line of values."""
    warnings.simplefilter("ignore")
    tables = read_tables(sys.argv[1:])
    print(
        json.dumps([{**each, "table": at} for at, table in enumerate(tables) for each in table.describe()]), flush=True
    )
    for line in sys.stdin:
        asked = json.loads(line)
        table = tables[asked["table"]]
        print(json.dumps([table.answer(asked["capability"], drawn) for drawn in asked["drawn"]]), flush=True)


if __name__ == "__main__":
    main()
