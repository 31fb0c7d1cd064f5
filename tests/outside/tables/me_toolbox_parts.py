"""Springs and gears of me-toolbox."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version
from types import SimpleNamespace

from me_toolbox.gears import Transmission
from me_toolbox.springs import HelicalCompressionSpring
from oracle import OracleTable

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
