"""The constants that a formula may name, from constants.toml: exact decimals, or formulas of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

from service_nb_kernels.formula.parse import parse
from service_nb_kernels.formula.tree import Node, Number
from service_nb_kernels.units import Unit, parse_unit


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant: its tree, unit and symbol."""

    tree: Node
    unit: Unit
    symbol: str


@cache
def constants() -> Mapping[str, Constant]:
    """Return every constant by name."""
    table = tomllib.loads(files("service_nb_kernels").joinpath("constants.toml").read_text(encoding="utf-8"))
    return {name: _constant(entry) for name, entry in {**table["constants"], **table["derived"]}.items()}


@cache
def list_sources() -> list[str]:
    """List the sources of the constants, as keys of the bibliography."""
    table = tomllib.loads(files("service_nb_kernels").joinpath("constants.toml").read_text(encoding="utf-8"))
    return sorted({str(entry["source"]) for entry in table["constants"].values()})


@cache
def trees() -> Mapping[str, Node]:
    """Return the trees of the constants, for the evaluator."""
    return {name: constant.tree for name, constant in constants().items()}


def _constant(entry: Mapping[str, str]) -> Constant:
    text = entry.get("value")
    node = Number(Fraction(text), text) if text is not None else parse(entry["formula"])
    return Constant(node, parse_unit(entry["unit"]), entry["symbol"])
