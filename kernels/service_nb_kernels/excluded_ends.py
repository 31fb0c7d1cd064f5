"""Why an end of a domain is excluded though the formula has a value there: the reasons of excluded_ends.toml.

    [[reason]]
    why = "No body is without mass."
    ends = ["mechanics.*: mass 0"]

A pattern names capabilities, a parameter and an end; `*`, `?` and `[…]` stand for parts of names, as in the shell,
and `*` for any end.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from service_nb_kernels.declare import Capability
from service_nb_kernels.errors import PackError
from service_nb_kernels.properties import find_excluded_ends, list_open_ends

FILE = "excluded_ends.toml"
PATTERN = re.compile(r"(?P<capability>[^\s.:]+\.[^\s.:]+): (?P<parameter>[^\s.:]+) (?P<end>\*|-?\d[\d.e+-]*)")
REASON = frozenset({"why", "ends"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """Ends that a reason excludes: of which capabilities and parameters; `end` is None where any end is meant."""

    text: str
    capability: str
    parameter: str
    end: float | None

    def matches(self, end: ExcludedEnd) -> bool:
        """Whether the pattern names an end."""
        return (
            (self.end is None or self.end == end.value)
            and fnmatchcase(end.capability, self.capability)
            and fnmatchcase(end.parameter, self.parameter)
        )


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence, and the ends that it excludes."""

    why: str
    ends: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class ExcludedEnd:
    """An end that the domain of a parameter excludes."""

    file: str
    capability: str
    parameter: str
    value: float

    def __str__(self) -> str:
        return f"{self.file}: {self.capability}: {self.parameter} may be {self.value:g}"


def list_excluded(found: Iterable[Capability]) -> Iterator[ExcludedEnd]:
    """List the ends that domains exclude though the formulas have a value there."""
    for declared in found:
        for name, value in find_excluded_ends(declared):
            yield ExcludedEnd(declared.file, declared.id, name, value)


def list_candidates(found: Iterable[Capability]) -> Iterator[ExcludedEnd]:
    """List the ends that domains of formulas exclude, whether or not the formulas have a value there."""
    for declared in found:
        for name, value in list_open_ends(declared):
            yield ExcludedEnd(declared.file, declared.id, name, value)


def find_reason(end: ExcludedEnd) -> str | None:
    """Find why an end is excluded; None where nobody has said."""
    return next((reason.why for reason in read_reasons() if any(each.matches(end) for each in reason.ends)), None)


def find_unused(ends: Iterable[ExcludedEnd]) -> list[str]:
    """Find the patterns that match none of the ends, as faults."""
    left = [pattern for reason in read_reasons() for pattern in reason.ends]
    for end in ends:
        left = [pattern for pattern in left if not pattern.matches(end)]
    return [f"{FILE}: {pattern.text!r} matches no excluded end" for pattern in left]


@cache
def read_reasons() -> tuple[Reason, ...]:
    """Return the reasons, in the order of their file."""
    return parse_reasons(files("service_nb_kernels").joinpath(FILE).read_text(encoding="utf-8"))


def parse_reasons(text: str) -> tuple[Reason, ...]:
    """Return the reasons of a text in TOML.

    Raises
    ------
    PackError
        A reason is no sentence or has no ends, or a pattern has not the form of one or stands twice.
    """
    table = tomllib.loads(text)
    if table.keys() != {"reason"}:
        raise PackError(f"{FILE}: expected tables [[reason]] alone, not {sorted(table)}")
    reasons = tuple(_parse_reason(entry) for entry in table["reason"])
    texts = [pattern.text for reason in reasons for pattern in reason.ends]
    repeated = sorted({each for each in texts if texts.count(each) > 1})
    if repeated:
        raise PackError(f"{FILE}: {', '.join(repeated)} twice")
    return reasons


def _parse_reason(entry: dict[str, object]) -> Reason:
    why, ends = entry.get("why"), entry.get("ends")
    if entry.keys() != REASON or not isinstance(why, str) or not isinstance(ends, list) or not ends:
        raise PackError(f"{FILE}: a reason has a `why` and a list of `ends`, not {entry!r:.200}")
    if not why.endswith(".") or "\n" in why:
        raise PackError(f"{FILE}: a reason is one sentence that ends with a full stop: {why!r}")
    return Reason(why, tuple(_parse_pattern(text) for text in ends))


def _parse_pattern(text: object) -> Pattern:
    match = PATTERN.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise PackError(f"{FILE}: {text!r} is no pattern; expected such as 'mechanics.*: mass 0'")
    end = None if match["end"] == "*" else _parse_end(match["end"])
    return Pattern(match[0], match["capability"], match["parameter"], end)


def _parse_end(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PackError(f"{FILE}: {text!r} is no end; expected a number or *") from None
