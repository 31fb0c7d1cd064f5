"""Phase equilibrium, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import flash_basic, solubility, vapor_pressure, virial
from oracle import OracleTable

TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "phase_equilibrium.antoine_vapor_pressure",
    "chemicals.vapor_pressure.Antoine",
    lambda temperature, first, second, third: vapor_pressure.Antoine(temperature, first, second, third),
    draws={"temperature": [200.0, 600.0], "first": [8.0, 11.0], "second": [600.0, 2500.0], "third": [-80.0, -5.0]},
)
TABLE.add(
    "phase_equilibrium.yaws_vapor_pressure",
    "chemicals.vapor_pressure.Yaws_Psat",
    lambda temperature, first, second, third, fourth, fifth: vapor_pressure.Yaws_Psat(
        temperature, first, second, third, fourth, fifth
    ),
    draws={
        "temperature": [200.0, 600.0],
        "first": [25.0, 45.0],
        "second": [-3500.0, -2000.0],
        "third": [-13.0, -6.0],
        "fourth": [1e-10, 0.004],
        "fifth": [1e-07, 3e-06],
    },
)
TABLE.add(
    "phase_equilibrium.wagner_vapor_pressure",
    "chemicals.vapor_pressure.Wagner",
    lambda temperature, critical_temperature, critical_pressure, first, second, third, fourth: vapor_pressure.Wagner(
        temperature, critical_temperature, critical_pressure, first, second, third, fourth
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "first": [-9.0, -5.0],
        "second": [0.8, 2.0],
        "third": [-3.0, -0.3],
        "fourth": [-4.0, -1.0],
    },
)
TABLE.add(
    "phase_equilibrium.wagner_original_vapor_pressure",
    "chemicals.vapor_pressure.Wagner_original",
    lambda temperature, critical_temperature, critical_pressure, first, second, third, fourth: (
        vapor_pressure.Wagner_original(
            temperature, critical_temperature, critical_pressure, first, second, third, fourth
        )
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "first": [-9.0, -5.0],
        "second": [0.8, 2.0],
        "third": [-3.0, -0.3],
        "fourth": [-4.0, -1.0],
    },
)
TABLE.add(
    "phase_equilibrium.lee_kesler_vapor_pressure",
    "chemicals.vapor_pressure.Lee_Kesler",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: vapor_pressure.Lee_Kesler(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.ambrose_walton_vapor_pressure",
    "chemicals.vapor_pressure.Ambrose_Walton",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: vapor_pressure.Ambrose_Walton(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.sanjari_vapor_pressure",
    "chemicals.vapor_pressure.Sanjari",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: vapor_pressure.Sanjari(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.edalat_vapor_pressure",
    "chemicals.vapor_pressure.Edalat",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: vapor_pressure.Edalat(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.5],
    },
)
TABLE.add(
    "phase_equilibrium.boiling_point_vapor_pressure",
    "chemicals.vapor_pressure.boiling_critical_relation",
    lambda temperature, boiling_temperature, critical_temperature, critical_pressure: (
        vapor_pressure.boiling_critical_relation(
            temperature, boiling_temperature, critical_temperature, critical_pressure
        )
    ),
    draws={
        "temperature": [200.0, 600.0],
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "phase_equilibrium.wilson_k_value",
    "chemicals.flash_basic.Wilson_K_value",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor: flash_basic.Wilson_K_value(
        temperature, pressure, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "pressure": [50000.0, 3000000.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.eutectic_solubility",
    "chemicals.solubility.solubility_eutectic",
    lambda temperature, melting_temperature, fusion_enthalpy, liquid_heat_capacity, solid_heat_capacity, activity_coefficient: (
        solubility.solubility_eutectic(
            temperature,
            melting_temperature,
            fusion_enthalpy,
            liquid_heat_capacity,
            solid_heat_capacity,
            activity_coefficient,
        )
    ),
    draws={
        "temperature": [220.0, 400.0],
        "melting_temperature": [280.0, 500.0],
        "fusion_enthalpy": [4000.0, 40000.0],
        "liquid_heat_capacity": [50.0, 300.0],
        "solid_heat_capacity": [40.0, 250.0],
        "activity_coefficient": [0.5, 3.0],
    },
)
TABLE.add(
    "phase_equilibrium.freezing_point_depression_of_fraction",
    "chemicals.solubility.Tm_depression_eutectic",
    lambda melting_temperature, fusion_enthalpy, mole_fraction: solubility.Tm_depression_eutectic(
        melting_temperature, fusion_enthalpy, x=mole_fraction
    ),
    draws={"melting_temperature": [280.0, 500.0], "fusion_enthalpy": [4000.0, 40000.0], "mole_fraction": [0.001, 0.2]},
)
TABLE.add(
    "phase_equilibrium.pitzer_curl_virial_coefficient",
    "chemicals.virial.BVirial_Pitzer_Curl",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: virial.BVirial_Pitzer_Curl(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.abbott_virial_coefficient",
    "chemicals.virial.BVirial_Abbott",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: virial.BVirial_Abbott(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.tsonopoulos_virial_coefficient",
    "chemicals.virial.BVirial_Tsonopoulos",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: virial.BVirial_Tsonopoulos(
        temperature, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "phase_equilibrium.virial_coefficient_of_compressibility",
    "chemicals.virial.B_from_Z",
    lambda compressibility, temperature, pressure: virial.B_from_Z(compressibility, temperature, pressure),
    draws={"compressibility": [0.5, 1.3], "temperature": [200.0, 600.0], "pressure": [50000.0, 3000000.0]},
)
