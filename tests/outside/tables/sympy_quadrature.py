"""The rule of Gauss and Lobatto of SymPy."""

# fmt: off
from __future__ import annotations

from typing import Any

import sympy
from oracle import OracleTable
from sympy.integrals.quadrature import gauss_lobatto

TABLE = OracleTable("sympy", sympy.__version__)


def _rule(n: int) -> dict[str, Any]:
    nodes, weights = gauss_lobatto(n, 25)
    return {"nodes": list(map(float, nodes)), "weights": list(map(float, weights))}


TABLE.add("calculus.gauss_lobatto", "sympy.integrals.quadrature.gauss_lobatto", _rule, draws={"n": (3, 4)}, within=1e-14, near_zero=1e-17)
