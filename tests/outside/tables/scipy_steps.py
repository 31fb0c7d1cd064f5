"""Single steps of SciPy's search for the roots of polynomials."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import optimize

TABLE = OracleTable("scipy", scipy.__version__)


def _step(coefficients: list[float], x: float, *, second: float | None = None, steps: int = 1) -> list[float]:
    polynomial = np.polynomial.Polynomial(coefficients)
    slope = None if second is not None else polynomial.deriv()
    found, at = [], x
    for _ in range(steps):
        at = float(optimize.newton(polynomial, at, slope, x1=second, maxiter=1, disp=False, full_output=True, tol=1e-300)[0])
        found.append(at)
    return found


def _add(capability: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"calculus.{capability}", "scipy.optimize.newton", compute, asked="one iteration", draws={"coefficients": (-5, 5), "x": (-3, 3), "a": (-3, 0), "b": (0.5, 3), "n": (3, 5), "steps": (1, 3)}, within=1e-9, **more)


_add("newton_step", lambda coefficients, x: _step(coefficients, x)[0])
_add("newton_sequence", lambda coefficients, x, steps: _step(coefficients, x, steps=steps))
_add("secant_step", lambda coefficients, a, b: _step(coefficients, a, second=b)[0])
