"""Energies and accelerations of bodies of SymPy."""

# fmt: off
from __future__ import annotations

import sympy
from oracle import OracleTable
from sympy.physics import mechanics, vector

TABLE = OracleTable("sympy", sympy.__version__)
FRAME = vector.ReferenceFrame("N")
ORIGIN = vector.Point("O")
ORIGIN.set_vel(FRAME, 0)
DRAWS = {"mass": (0.1, 90), "speed": (0.1, 40), "inertia": (0.1, 9), "angular_speed": (0.1, 50), "radius": (0.2, 30)}


def _move(mass: float, speed: float) -> float:
    place = ORIGIN.locatenew("P", 0)
    place.set_vel(FRAME, speed * FRAME.x)
    return float(mechanics.Particle("body", place, mass).kinetic_energy(FRAME))


def _turn(inertia: float, angular_speed: float) -> float:
    body = FRAME.orientnew("B", "Axis", [0, FRAME.z])
    body.set_ang_vel(FRAME, angular_speed * FRAME.z)
    rigid = mechanics.RigidBody("body", ORIGIN, body, 1, (mechanics.inertia(body, 1, 1, inertia), ORIGIN))
    return float(rigid.kinetic_energy(FRAME))


def _circle(mass: float, speed: float, radius: float) -> float:
    """Find the acceleration of a point that is fixed in a turning frame."""
    turning = FRAME.orientnew("B", "Axis", [0, FRAME.z])
    turning.set_ang_vel(FRAME, speed / radius * FRAME.z)
    place = ORIGIN.locatenew("P", radius * turning.x)
    return float(mass * place.a2pt_theory(ORIGIN, FRAME, turning).magnitude())


TABLE.add("mechanics.kinetic_energy", "sympy.physics.mechanics.Particle.kinetic_energy", _move, draws=DRAWS, within=1e-12)
TABLE.add("mechanics.rotational_energy", "sympy.physics.mechanics.RigidBody.kinetic_energy", _turn, draws=DRAWS, within=1e-12)
TABLE.add("mechanics.centripetal_force", "sympy.physics.vector.Point.a2pt_theory", _circle, asked="times the mass", draws=DRAWS, within=1e-12)
