"""Springs and gears of me-toolbox."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version
from types import SimpleNamespace

from me_toolbox.fatigue import stress
from me_toolbox.gears import Transmission
from me_toolbox.springs import HelicalCompressionSpring
from oracle import OracleTable
from sympy import Circle, Point

TABLE = OracleTable("me-toolbox", version("me-toolbox"))


def _press(force: float, coil_diameter: float, wire_diameter: float) -> float:
    spring = HelicalCompressionSpring(force, wire_diameter, coil_diameter, 1e9, 0.5, 8e10, 2e11, "plain", 1e3)
    return float(spring.max_shear_stress)


def _mesh(pinion_teeth: float, wheel_teeth: float, pressure_angle: float) -> float:
    """Mesh two gears of module 1."""
    gears = [SimpleNamespace(pitch_diameter=teeth, pressure_angle=math.degrees(pressure_angle), modulus=1, pitch=math.pi) for teeth in (pinion_teeth, wheel_teeth)]
    Transmission._contact_ratio(SimpleNamespace(gear1=gears[0], gear2=gears[1]))
    return float(gears[0].contact_ratio)


TABLE.add("machine_design.helical_spring_stress", "me_toolbox.springs.HelicalCompressionSpring.max_shear_stress", _press, draws={"force": (1, 900), "coil_diameter": (0.02, 0.06), "wire_diameter": (0.002, 0.008)}, within=1e-12)
TABLE.add("machine_design.gear_contact_ratio", "me_toolbox.gears.Transmission._contact_ratio", _mesh, draws={"pinion_teeth": (20, 40), "wheel_teeth": (41, 90), "pressure_angle": (0.3, 0.45)}, within=1e-11)
TABLE.add("structural.bending_stress", "me_toolbox.fatigue.stress.bending_stress", lambda moment, distance, inertia: float(stress.bending_stress(moment, inertia, distance)), draws={"moment": (1, 9e4), "distance": (0.001, 0.5), "inertia": (1e-8, 1e-3)}, within=1e-12)
TABLE.add("structural.shaft_torsion_stress", "me_toolbox.fatigue.stress.torsion_stress", lambda torque, diameter: float(stress.torsion_stress(torque, diameter / 2, float(Circle(Point(0, 0), diameter / 2).polar_second_moment_of_area()))), asked="with SymPy's polar moment of the circle", draws={"torque": (1, 9e4), "diameter": (0.01, 0.5)}, within=1e-11)
