"""Points, bodies, springs and mirrors of SymPy; distances and scales of temperature of SciPy stand in `scipy_everyday`."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import sympy
from oracle import OracleTable
from sympy.physics import mechanics, vector
from sympy.physics.mechanics import functions, loads
from sympy.physics.optics import utils as optics

TABLE = OracleTable("sympy", sympy.__version__)
FRAME = vector.ReferenceFrame("N")
ORIGIN = vector.Point("O")
ORIGIN.set_vel(FRAME, 0)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"sympy.{function}", compute, **{"within": 1e-12, **more})


def _move(mass: float, velocity: float, distance: float = 0.0) -> mechanics.Particle:
    """Make a particle on the first axis that moves along the second."""
    place = ORIGIN.locatenew("P", distance * FRAME.x)
    place.set_vel(FRAME, velocity * FRAME.y)
    return mechanics.Particle("body", place, mass)


def _fall(force: Any, distance: float) -> float:
    """Find the potential energy that a field of force gives to a place on the first axis."""
    end = ORIGIN.locatenew("E", distance * FRAME.x)
    return float(vector.scalar_potential_difference(force, FRAME, ORIGIN, end, ORIGIN) * -1)


def _stretch(maker: Any, constant: float, *, length: float, speed: float) -> float:
    """Find the force of a spring or a damper between two points on a line."""
    end = vector.Point("E")
    size = mechanics.dynamicsymbols("size")
    end.set_pos(ORIGIN, size * FRAME.x)
    end.set_vel(FRAME, size.diff() * FRAME.x)
    path = mechanics.LinearPathway(ORIGIN, end)
    force = maker(constant, path).force
    return float(force.subs(size.diff(), speed).subs(size, length).doit())


def _weigh(masses: list[float], positions: list[float]) -> float:
    places = [ORIGIN.locatenew(f"P{at}", x * FRAME.x) for at, x in enumerate(positions)]
    bodies = [mechanics.Particle(f"b{at}", place, m) for at, (place, m) in enumerate(zip(places, masses, strict=True))]
    return float(vector.dot(functions.center_of_mass(ORIGIN, *bodies), FRAME.x))


def _shift(inertia: float, mass: float, distance: float) -> float:
    body = mechanics.RigidBody("B", ORIGIN, FRAME, mass, (mechanics.inertia(FRAME, inertia, inertia, inertia), ORIGIN))
    moved = body.parallel_axis(ORIGIN.locatenew("S", distance * FRAME.x), FRAME)
    return float(vector.dot(vector.dot(FRAME.y, moved), FRAME.y))


def _point(coordinates: list[float]) -> sympy.Point:
    return sympy.Point(*coordinates, evaluate=False)


NEAR = {"x": (-9, 9), "y": (-9, 9), "n": (2, 5)}
_add(
    "geometry.midpoint",
    "geometry.Point.midpoint",
    lambda x, y: [float(each) for each in sympy.Point(*x).midpoint(sympy.Point(*y))],
    draws=NEAR,
    near_zero=1e-12,
)
_add(
    "geometry.line_slope",
    "geometry.Line.slope",
    lambda x1, y1, x2, y2: float(sympy.Line(sympy.Point(x1, y1), sympy.Point(x2, y2)).slope),
    draws=dict.fromkeys(("x1", "y1", "x2", "y2"), (-9, 9)),
)
_add(
    "geometry.circle_circumference",
    "geometry.Circle.circumference",
    lambda radius: float(sympy.Circle(sympy.Point(0, 0), radius).circumference),
    draws={"radius": (0.1, 90)},
)
_add(
    "geometry.trapezoid_area",
    "geometry.Polygon.area",
    lambda first, second, height: abs(float(sympy.Polygon((0, 0), (first, 0), (second, height), (0, height)).area)),
    asked="of a trapezoid with a right angle",
    draws={"first": (1, 9), "second": (1, 9), "height": (1, 9)},
)
BODY = {
    "mass": (0.1, 90), "velocity": (-40, 40), "distance": (0.1, 9), "gravity": (1, 20), "height": (-50, 50),
    "stiffness": (10, 2000), "stretch": (0.01, 2), "damping": (1, 900), "force": (1, 200), "arm": (0.1, 3),
    "angle": (1, 179), "central_inertia": (0.1, 9), "masses": (0.1, 9), "positions": (-9, 9), "n": (2, 6),
}  # fmt: skip
_add(
    "mechanics.weight",
    "physics.mechanics.loads.gravity",
    lambda mass, gravity: float(vector.dot(loads.gravity(gravity * FRAME.x, _move(mass, 0.0))[0][1], FRAME.x)),
    draws=BODY,
)
_add(
    "mechanics.momentum",
    "physics.mechanics.Particle.linear_momentum",
    lambda mass, velocity: float(vector.dot(_move(mass, velocity).linear_momentum(FRAME), FRAME.y)),
    draws=BODY,
)
_add(
    "mechanics.angular_momentum",
    "physics.mechanics.Particle.angular_momentum",
    lambda *given: float(vector.dot(_move(*given).angular_momentum(ORIGIN, FRAME), FRAME.z)),
    draws=BODY,
)
_add(
    "mechanics.gravitational_potential_energy",
    "physics.vector.scalar_potential_difference",
    lambda mass, height, gravity: _fall(-mass * gravity * FRAME.x, height),
    draws=BODY,
)
_add(
    "mechanics.spring_energy",
    "physics.vector.scalar_potential_difference",
    lambda stiffness, stretch: _fall(-stiffness * FRAME[0] * FRAME.x, stretch),
    draws=BODY,
)
_add(
    "mechanics.spring_force",
    "physics.mechanics.LinearSpring",
    lambda stiffness, stretch: _stretch(mechanics.LinearSpring, stiffness, length=stretch, speed=0.0),
    draws=BODY,
)
_add(
    "mechanics.damper_force",
    "physics.mechanics.LinearDamper",
    lambda damping, velocity: _stretch(mechanics.LinearDamper, damping, length=1.0, speed=velocity),
    draws=BODY,
)
_add(
    "mechanics.work_of_force",
    "physics.vector.dot",
    lambda force, distance, angle: float(
        vector.dot(force * (cos(radians(angle)) * FRAME.x + sin(radians(angle)) * FRAME.y), distance * FRAME.x)
    ),
    draws=BODY,
    near_zero=1e-12,
)
_add(
    "mechanics.torque",
    "physics.vector.cross",
    lambda force, arm, angle: float(
        vector.cross(arm * FRAME.x, force * (cos(radians(angle)) * FRAME.x + sin(radians(angle)) * FRAME.y)).magnitude()
    ),
    draws=BODY,
)
_add("mechanics.center_of_mass", "physics.mechanics.functions.center_of_mass", _weigh, draws=BODY, near_zero=1e-12)
_add("mechanics.parallel_axis_inertia", "physics.mechanics.RigidBody.parallel_axis", _shift, draws=BODY)
_add(
    "optics.mirror_image_distance",
    "physics.optics.mirror_formula",
    lambda focal, distance: float(optics.mirror_formula(focal_length=focal, u=distance)),
    draws={"focal_length": (-30, -5), "object_distance": (-90, -31)},
)
_add(
    "optics.transverse_magnification",
    "physics.optics.transverse_magnification",
    lambda image, distance: float(optics.transverse_magnification(image, distance)),
    draws={"image_distance": (-30, 30), "object_distance": (1, 90)},
)
