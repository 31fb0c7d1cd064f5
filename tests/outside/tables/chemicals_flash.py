"""Flash calculations, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import rachford_rice, utils
from oracle import OracleTable


def _flash(amounts: list[float], k_values: list[float]) -> tuple[float, list[float]]:
    """The vapor's share and the liquid's composition, where there are two phases."""
    shares = [each / sum(amounts) for each in amounts]
    vapor, liquid, _ = rachford_rice.Rachford_Rice_solution_LN2(shares, k_values)
    if not 0 < vapor < 1:
        raise ValueError(vapor)
    return vapor, liquid


TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "phase_equilibrium.rachford_rice_vapor_fraction",
    "chemicals.rachford_rice.Rachford_Rice_solution_LN2",
    lambda amounts, k_values: _flash(amounts, k_values)[0],
    within=1e-09,
    draws={"amounts": [0.2, 1.0], "k_values": [0.1, 4.0], "n": [2, 5]},
)
TABLE.add(
    "phase_equilibrium.flash_liquid_fractions",
    "chemicals.rachford_rice.Rachford_Rice_solution_LN2",
    lambda amounts, k_values: _flash(amounts, k_values)[1],
    within=1e-09,
    asked="composition of the liquid",
    draws={"amounts": [0.2, 1.0], "k_values": [0.1, 4.0], "n": [2, 5]},
)
TABLE.add(
    "phase_equilibrium.vapor_mass_quality",
    "chemicals.utils.vapor_mass_quality",
    lambda vapor_fraction, liquid_molar_mass, vapor_molar_mass: utils.vapor_mass_quality(
        vapor_fraction, liquid_molar_mass, vapor_molar_mass
    ),
    draws={"vapor_fraction": [0.05, 0.95], "liquid_molar_mass": [20.0, 150.0], "vapor_molar_mass": [16.0, 100.0]},
)
