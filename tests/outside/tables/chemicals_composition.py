"""Composition of mixtures, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import safety, utils
from oracle import OracleTable


def _share(amounts: list[float]) -> list[float]:
    return [each / sum(amounts) for each in amounts]


TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "chemistry.mass_fractions",
    "chemicals.utils.zs_to_ws",
    lambda amounts, molar_masses: utils.zs_to_ws(_share(amounts), molar_masses),
    draws={"amounts": [0.1, 1.0], "molar_masses": [2.0, 200.0], "n": [2, 5]},
)
TABLE.add(
    "chemistry.mole_fractions",
    "chemicals.utils.ws_to_zs",
    lambda masses, molar_masses: utils.ws_to_zs(_share(masses), molar_masses),
    draws={"masses": [0.1, 1.0], "molar_masses": [2.0, 200.0], "n": [2, 5]},
)
TABLE.add(
    "chemistry.volume_fractions",
    "chemicals.utils.zs_to_Vfs",
    lambda amounts, molar_volumes: utils.zs_to_Vfs(_share(amounts), molar_volumes),
    draws={"amounts": [0.1, 1.0], "molar_volumes": [2e-05, 0.0002], "n": [2, 5]},
)
TABLE.add(
    "chemistry.mass_concentration_of_ppm",
    "chemicals.safety.ppmv_to_mgm3",
    lambda volume_fraction, molar_mass, temperature, pressure: (
        safety.ppmv_to_mgm3(volume_fraction, molar_mass, temperature, pressure) * 1e-3
    ),
    draws={
        "volume_fraction": [1.0, 500.0],
        "molar_mass": [16.0, 200.0],
        "temperature": [270.0, 320.0],
        "pressure": [90000.0, 105000.0],
    },
)
