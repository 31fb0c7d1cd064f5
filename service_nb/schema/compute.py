"""The shapes of the compute plane: capabilities of the contract, calls, bound columns, runtimes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Tier = Literal["certified", "pinned", "seeded"]
Grade = Literal["published", "independent", "derived"]  # where the values come from that a capability is held to
GRADES: Mapping[Grade, str] = {
    "published": "A value from a book, an article or an official table is behind this formula.",
    "independent": "A value of other software is behind this formula.",
    "derived": "Only values that were computed from the formula itself are behind it, none from outside.",
}
Scalar = Literal["float64", "int", "bool", "string"]
NullPolicy = Literal["refuse", "drop"]
NULL_POLICIES: tuple[NullPolicy, ...] = ("refuse", "drop")
ROWWISE = "rowwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a capability. `shape` holds the symbolic sizes of an array: `("n",)`, `("m", "n")`."""

    name: str
    type: str  # as people write it: float64, float64[n], int[n]
    scalar: Scalar
    shape: tuple[str, ...] = ()
    unit: str = "1"
    domain: str | None = None
    about: str = ""
    default: float | int | str | None = None  # taken where a call leaves it out


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """A capability with the properties that validation, identity and cards use; `entry` is its whole contract entry."""

    id: str
    module: str
    function: str
    version: int
    tier: Tier
    grade: Grade
    summary: str
    parameters: tuple[Parameter, ...]
    names: tuple[str, ...]  # of the parameters, in positional order
    result_type: str  # float64, int, float64[], record …
    compares: tuple[str, ...] = ()  # parameters that are set against each other
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Columns of a source in place of literals. One parameter and one field, or as many of each, row by row.

    `filter` is a question's filter as its caller wrote it.
    """

    parameters: tuple[str, ...]
    fields: tuple[str, ...]
    source: str
    filter: Mapping[str, Any] | None = None
    null_policy: NullPolicy = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A well-formed call as the caller wrote it, not yet checked against the contract."""

    capability_id: str  # finance.npv
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, object]
    bindings: tuple[Binding, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A call that fits its capability: literals have their declared types, and every parameter is given once."""

    capability: Capability
    args: tuple[Any, ...]
    kwargs: Mapping[str, object]
    bindings: tuple[Binding, ...]
    seed: int | None


class Vector(NamedTuple):
    """A column's values in the order of its source's rows: a NumPy array of float64 or int64, or a list.

    `nulls` is a NumPy array of bool, true where a value is null; None when none is.
    """

    values: Any
    nulls: Any | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A binding after its columns were read: a value for each parameter, and where they came from."""

    binding: Binding
    fields: tuple[str, ...]  # resolved names
    values: tuple[Any, ...]
    schema_revision: str
    row_count: int
    dropped: int
    input_hash: str  # of the column; of several, of the array of them
    input_hashes: tuple[str, ...]  # of each column
    filter: Mapping[str, Any] | None = None  # resolved, as JSON
    source_rows: int | None = None  # None of a live source


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeDescription:
    """The runtime that ran a computation, as the determinism envelope describes it."""

    bundle_version: str
    bundle_sha256: str
    platform: str  # linux-x64, darwin-arm64 …
    architecture: str  # x64, arm64
    kernel_build: str
    libraries: Mapping[str, str]
    is_pinned: bool
    profile: str | None = None  # the pins that took effect: x86_64-v3, portable; None: there are none
    modules: tuple[str, ...] = ()  # that a filtered runtime has; empty: all
