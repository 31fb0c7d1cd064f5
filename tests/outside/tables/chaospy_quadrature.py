"""The rule of Clenshaw and Curtis of chaospy."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import chaospy
from oracle import OracleTable

TABLE = OracleTable("chaospy", version("chaospy"))


def _rule(n: int) -> dict[str, Any]:
    nodes, weights = chaospy.quadrature.clenshaw_curtis(n, (-1, 1))
    return {"nodes": list(map(float, nodes.ravel())), "weights": list(map(float, weights))}


TABLE.add("calculus.clenshaw_curtis", "chaospy.quadrature.clenshaw_curtis", _rule, draws={"n": (2, 5)}, within=1e-11, near_zero=1e-14)
