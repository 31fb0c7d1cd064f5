"""Distributions of particle sizes, by fluids."""

from __future__ import annotations

import fluids
from fluids import particle_size_distribution
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "particle_technology.rosin_rammler_passing",
    "fluids.particle_size_distribution.cdf_Rosin_Rammler",
    lambda diameter, characteristic_diameter, exponent: particle_size_distribution.cdf_Rosin_Rammler(
        diameter, characteristic_diameter**-exponent, exponent
    ),
    within=1e-11,
    draws={"diameter": [0.0001, 0.003], "characteristic_diameter": [0.0005, 0.002], "exponent": [0.6, 3.0]},
)
TABLE.add(
    "particle_technology.rosin_rammler_density",
    "fluids.particle_size_distribution.pdf_Rosin_Rammler",
    lambda diameter, characteristic_diameter, exponent: particle_size_distribution.pdf_Rosin_Rammler(
        diameter, characteristic_diameter**-exponent, exponent
    ),
    within=1e-11,
    draws={"diameter": [0.0001, 0.003], "characteristic_diameter": [0.0005, 0.002], "exponent": [0.6, 3.0]},
)
TABLE.add(
    "particle_technology.schuhmann_passing",
    "fluids.particle_size_distribution.cdf_Gates_Gaudin_Schuhman",
    lambda diameter, largest_diameter, exponent: particle_size_distribution.cdf_Gates_Gaudin_Schuhman(
        diameter, largest_diameter, exponent
    ),
    draws={"diameter": [0.0001, 0.003], "largest_diameter": [0.001, 0.004], "exponent": [0.6, 3.0]},
)
