"""Virial equations of state, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import virial
from oracle import OracleTable


def _symmetric(drawn: dict) -> dict:
    """Coefficients of pairs, the same in either order."""
    b = drawn["coefficients"]
    return drawn | {"coefficients": [[b[min(i, j)][max(i, j)] for j in range(len(b))] for i in range(len(b))]}


TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "equations_of_state.virial_compressibility",
    "chemicals.virial.Z_from_virial_density_form",
    lambda temperature, pressure, second_coefficient: virial.Z_from_virial_density_form(
        temperature, pressure, [second_coefficient]
    ),
    draws={"temperature": [330.0, 650.0], "pressure": [100000.0, 1200000.0], "second_coefficient": [-0.0005, 0.0001]},
)
TABLE.add(
    "equations_of_state.meng_second_virial_coefficient",
    "chemicals.virial.BVirial_Meng",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: virial.BVirial_Meng(
        temperature, critical_temperature, critical_pressure, 3e-4, acentric_factor
    )[0],
    within=1e-11,
    draws={
        "temperature": [330.0, 650.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.orbey_vera_third_virial_coefficient",
    "chemicals.virial.CVirial_Orbey_Vera",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: virial.CVirial_Orbey_Vera(
        temperature, critical_temperature, critical_pressure, acentric_factor
    )[0],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.liu_xiang_third_virial_coefficient",
    "chemicals.virial.CVirial_Liu_Xiang",
    lambda temperature, critical_temperature, critical_pressure, critical_volume, acentric_factor: (
        virial.CVirial_Liu_Xiang(
            temperature, critical_temperature, critical_pressure, critical_volume, acentric_factor
        )[0]
    ),
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "critical_volume": [0.0002, 0.0005],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.mixture_virial_coefficient",
    "chemicals.virial.BVirial_mixture",
    lambda amounts, coefficients: virial.BVirial_mixture([each / sum(amounts) for each in amounts], coefficients),
    prepare=_symmetric,
    draws={"amounts": [0.1, 1.0], "coefficients": [-0.001, 0.0001], "n": [2, 4]},
)
TABLE.add(
    "equations_of_state.tarakad_danner_interaction",
    "chemicals.virial.Tarakad_Danner_virial_CSP_kijs",
    lambda first_volume, second_volume: virial.Tarakad_Danner_virial_CSP_kijs([first_volume, second_volume])[0][1],
    within=1e-09,
    draws={"first_volume": [0.0001, 0.0005], "second_volume": [0.0001, 0.0005]},
)
