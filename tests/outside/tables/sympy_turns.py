"""Angular momentum of SymPy."""

# fmt: off
from __future__ import annotations

import sympy
from oracle import OracleTable
from scipy.constants import h, hbar
from sympy.physics import mechanics, vector
from sympy.physics.mechanics import functions
from sympy.physics.quantum.constants import hbar as unit
from sympy.physics.quantum.spin import J2

TABLE = OracleTable("sympy", sympy.__version__)


def _turn(level: int, inertia: float) -> float:
    """Ask for the square of the angular momentum of a state."""
    return float(J2.matrix_element(level, 0, level, 0).subs(unit, hbar)) / (2 * inertia)



def _spin(mass_1: float, mass_2: float, bond_length: float) -> float:
    frame, start = vector.ReferenceFrame("N"), vector.Point("O")
    places = [0.0, bond_length]
    bodies = [mechanics.Particle("B", start.locatenew("P", place * frame.x), mass) for place, mass in zip(places, (mass_1, mass_2), strict=True)]
    middle = float(vector.dot(functions.center_of_mass(start, *bodies), frame.x))
    inertia = sum(float(body.mass) * (place - middle) ** 2 for body, place in zip(bodies, places, strict=True))
    return (_turn(1, inertia) - _turn(0, inertia)) / (2 * h)


TABLE.add("quantum.rotor_level_energy", "sympy.physics.quantum.spin.J2", _turn, asked="the eigenvalue, over twice the moment of inertia", draws={"level": [1, 2, 3, 7], "inertia": (1e-47, 1e-44)}, within=1e-12)
TABLE.add("spectroscopy.rotational_constant", "sympy.physics.quantum.spin.J2", _spin, asked="the step from the first level to the second, over twice the quantum, about the center of mass", draws={"mass_1": (1e-27, 1e-25), "mass_2": (1e-27, 1e-25), "bond_length": (7e-11, 3e-10)}, within=1e-11)
