"""Wind over the ground of windpowerlib."""

from __future__ import annotations

import math

import numpy as np
import windpowerlib
from oracle import OracleTable
from windpowerlib.power_output import power_coefficient_curve
from windpowerlib.wind_speed import hellman, logarithmic_profile

TABLE = OracleTable("windpowerlib", windpowerlib.__version__)
TABLE.add(
    "energy.wind_at_height",
    "windpowerlib.wind_speed.hellman",
    lambda speed, height, reference_height, exponent: hellman(
        speed, reference_height, height, hellman_exponent=exponent
    ),
    draws={"height": (50, 150), "reference_height": (2, 20), "exponent": (0.05, 0.4)},
)
TABLE.add(
    "meteorology.log_wind_speed",
    "windpowerlib.wind_speed.logarithmic_profile",
    lambda friction_velocity, height, roughness: logarithmic_profile(
        friction_velocity / 0.4, math.e * roughness, height, roughness
    ),
    asked="from the height at which the logarithm is 1",
    draws={"friction_velocity": (0.1, 1.2), "height": (5, 200), "roughness": (0.001, 1.2)},
    within=1e-12,
)
TABLE.add(
    "energy.wind_power",
    "windpowerlib.power_output.power_coefficient_curve",
    lambda power_coefficient, density, area, speed: float(
        power_coefficient_curve(
            np.array([speed]), [0.0, 99.0], [power_coefficient] * 2, 2 * math.sqrt(area / math.pi), density
        )[0]
    ),
    asked="of a rotor with the area",
    draws={"power_coefficient": (0.2, 0.55), "density": (1.0, 1.3), "area": (10, 9000), "speed": (3, 25)},
    within=1e-12,
)
