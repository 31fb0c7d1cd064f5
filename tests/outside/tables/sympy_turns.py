"""Angular momentum of SymPy."""

# fmt: off
from __future__ import annotations

import sympy
from oracle import OracleTable
from scipy.constants import hbar
from sympy.physics.quantum.constants import hbar as unit
from sympy.physics.quantum.spin import J2

TABLE = OracleTable("sympy", sympy.__version__)


def _turn(level: int, inertia: float) -> float:
    """Ask for the square of the angular momentum of a state."""
    return float(J2.matrix_element(level, 0, level, 0).subs(unit, hbar)) / (2 * inertia)


TABLE.add("quantum.rotor_level_energy", "sympy.physics.quantum.spin.J2", _turn, asked="the eigenvalue, over twice the moment of inertia", draws={"level": [1, 2, 3, 7], "inertia": (1e-47, 1e-44)}, within=1e-12)
