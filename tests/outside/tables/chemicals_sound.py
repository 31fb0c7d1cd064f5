"""Speed of sound of chemicals."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from chemicals.utils import R, speed_of_sound
from oracle import OracleTable

TABLE = OracleTable("chemicals", version("chemicals"))
TABLE.add("acoustics.sound_speed_ideal_gas", "chemicals.utils.speed_of_sound", lambda heat_capacity_ratio, temperature, molar_mass: speed_of_sound(V=0.02, dP_dV=-R * temperature / 0.02**2, Cp=heat_capacity_ratio, Cv=1.0, MW=1000 * molar_mass), draws={"heat_capacity_ratio": (1.1, 1.67), "temperature": (200, 900), "molar_mass": (0.002, 0.06)}, within=1e-12, asked="at the slope of an ideal gas's pressure")
