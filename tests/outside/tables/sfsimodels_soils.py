"""Weights and voids of soils of sfsimodels."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from sfsimodels import Soil

TABLE = OracleTable("sfsimodels", version("sfsimodels"))
NAME = "sfsimodels.models.soils.Soil"
DRAWS = {"specific_gravity": (2.5, 2.9), "water_weight": (9, 11), "void_ratio": (0.3, 1.2), "loosest": (0.9, 1.4), "densest": (0.2, 0.4), "water_content": (0.01, 0.1)}


def _saturate(water_content: float, specific_gravity: float, void_ratio: float) -> float:
    """Give the soil its dry weight and that of the water, which tell its saturation."""
    soil = Soil(specific_gravity=specific_gravity, e_curr=void_ratio)
    soil.unit_moist_weight = soil.unit_dry_weight * (1 + water_content)
    return float(soil.saturation)


TABLE.add("soil_mechanics.dry_unit_weight", f"{NAME}.unit_dry_weight", lambda specific_gravity, water_weight, void_ratio: Soil(wmd=1, g=water_weight, specific_gravity=specific_gravity, e_curr=void_ratio).unit_dry_weight, draws=DRAWS)
TABLE.add("soil_mechanics.porosity", f"{NAME}.porosity", lambda void_ratio: Soil(e_curr=void_ratio).porosity, draws=DRAWS)
TABLE.add("soil_mechanics.relative_density", f"{NAME}.relative_density", lambda loosest, densest, void_ratio: Soil(e_max=loosest, e_min=densest, e_curr=void_ratio).relative_density, draws=DRAWS | {"void_ratio": (0.45, 0.85)})
TABLE.add("soil_mechanics.saturation_degree", f"{NAME}.saturation", _saturate, asked="of the moist weight, the dry one and the water's share of it", draws=DRAWS, within=1e-11)
