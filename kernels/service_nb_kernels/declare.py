"""What a capability is: the one record that a TOML entry and a decorated function both become.

A `.py` topic declares the capabilities whose algorithm we own::

    @capability("stats.median", tier="certified", source="hyndman1996, def. 7", params={...}, result=R(...), cases=...)
    def median(values): ...

The decorator returns the function unchanged, with its declaration beside it in `DECLARATION`; nothing is registered
anywhere, the reader of packs looks at the module's functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from service_nb_kernels.certified.rounding import Proven
from service_nb_kernels.domain import Domain, parse_domain
from service_nb_kernels.errors import PackError
from service_nb_kernels.formula.tree import Node
from service_nb_kernels.origins import Grade

__all__ = ["Capability", "Case", "P", "Parameter", "Proven", "R", "Result", "Tier", "capability", "case"]

Tier = Literal["certified", "pinned", "seeded"]
TIERS = ("certified", "pinned", "seeded")
TYPE = re.compile(r"(float64|int|bool|string|date)(?:\[([a-z]\w*(?:,\s*[a-z]\w*)*)?\])?(\[\])?")
WHOLE_LINE = "(-inf, inf)"
DECLARATION = "__capability__"
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument: its type with symbolic sizes, unit, domain and meaning."""

    name: str
    type: str = "float64"
    unit: str = "1"
    domain: str = WHOLE_LINE
    about: str
    symbol: str | None = None
    choices: tuple[str, ...] = ()
    min_size: int = 0
    structure: str | None = None  # of a matrix: a name of `structures.STRUCTURES`
    default: float | int | str | None = None  # where a field has one; callers fill it in, so it is hashed like any

    @property
    def scalar(self) -> str:
        """The type of one item."""
        return split_type(self.type)[0]

    @property
    def shape(self) -> tuple[str, ...]:
        """The symbolic sizes; empty for a scalar."""
        return split_type(self.type)[1]

    @property
    def interval(self) -> Domain:
        """The domain, parsed."""
        return parse_domain(self.domain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What comes back; a record has fields, each a result of its own."""

    type: str = "float64"
    unit: str = "1"
    about: str = ""
    name: str | None = None
    range: str = WHOLE_LINE  # where every value lies; another one is refused
    symbol: str | None = None
    fields: Mapping[str, Result] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Arguments and what an outside origin says comes back, to the relative accuracy that the origin has."""

    arguments: Mapping[str, Any]
    result: Any = None
    error: str | None = None
    within: float = 0.0
    seed: int | None = None
    origin: str
    grade: Grade = "derived"  # made from the origin by the reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """A named, read-only, side-effect-free computation."""

    id: str
    tier: Tier
    summary: str
    source: str
    params: tuple[Parameter, ...]
    result: Result
    cases: tuple[Case, ...]
    formula: str | None = None
    tree: Node | None = None
    call: str | None = None
    entry: str | None = None
    latex: str | None = None
    requires: tuple[str, ...] = ()
    limit: Mapping[str, int] = field(default_factory=dict)
    compares: tuple[
        str, ...
    ] = ()  # parameters that are set against each other: one column for two of them says nothing
    keywords: tuple[str, ...] = ()
    version: int = 1
    grade: Grade = "derived"  # the best that its cases give
    cited: tuple[str, ...] = ()  # keys of the bibliography
    file: str = ""

    @property
    def module(self) -> str:
        """The field, as callers name it."""
        return self.id.partition(".")[0]

    @property
    def function(self) -> str:
        """The name within the field."""
        return self.id.partition(".")[2]


def split_type(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the scalar type and the symbolic sizes of ``"float64[m,n]"``."""
    match = TYPE.fullmatch(text.strip())
    if match is None:
        raise PackError(f"No type: {text!r}; expected such as 'float64', 'int', 'float64[n]', 'float64[m,n]'.")
    scalar, sizes, _ = match.groups()
    return scalar, tuple(size.strip() for size in sizes.split(",")) if sizes else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The fields that the decorator was given, as a TOML entry has them."""

    id: str
    table: Mapping[str, Any]


def P(type: str = "float64", **fields: Any) -> dict[str, Any]:  # noqa: A002, N802  # reads as a table entry does
    """Return a parameter's table: `unit`, `domain`, `about`, `symbol`, `choices`, `structure`, `min_size`, …."""
    return {"type": type, **fields}


def R(type: str = "float64", **fields: Any) -> dict[str, Any]:  # noqa: A002, N802  # reads as a table entry does
    """Return a result's table: `unit`, `about`, `fields`, `range`."""
    return {"type": type, **fields}


def case(
    *,
    origin: str,
    result: Any = None,
    error: str | None = None,
    within: float = 0.0,
    seed: int | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Return a case's table: the arguments by name, the `result` or the `error` code, and who says so."""
    outcome = {"result": result} if error is None else {"error": error}
    extra = ({"within": within} if within else {}) | ({} if seed is None else {"seed": seed})
    return {**arguments, **outcome, **extra, "origin": origin}


def capability(  # the fields of a declaration, each by its name
    id: str,  # noqa: A002  # what it is called everywhere
    *,
    tier: Tier,
    source: str,
    params: Mapping[str, Mapping[str, Any]],
    result: Mapping[str, Any],
    cases: Sequence[Mapping[str, Any]],
    latex: str | None = None,
    requires: Sequence[str] = (),
    limit: Mapping[str, int] | None = None,
    compares: Sequence[str] = (),
    keywords: Sequence[str] = (),
    version: int = 1,
    summary: str | None = None,
) -> Callable[[Function], Function]:
    """Declare the function below as a capability; its docstring's first line is the summary."""

    def declared(function: Function) -> Function:
        lines = (function.__doc__ or "").strip().splitlines()
        table = {
            "summary": summary or (lines[0] if lines else ""),
            "tier": tier,
            "source": source,
            "params": params,
            "result": result,
            "cases": cases,
            "latex": latex,
            "requires": requires,
            "limit": limit or {},
            "compares": compares,
            "keywords": keywords,
            "version": version,
        }
        setattr(
            function, DECLARATION, Declared(id=id, table={k: v for k, v in table.items() if v not in (None, (), {})})
        )
        return function

    return declared
