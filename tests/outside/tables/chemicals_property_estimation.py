"""Property estimation, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import (
    acentric,
    critical,
    heat_capacity,
    interface,
    phase_change,
    solubility,
    thermal_conductivity,
    viscosity,
    volume,
)
from oracle import OracleTable

TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "property_estimation.riedel_vaporization_enthalpy",
    "chemicals.phase_change.Riedel",
    lambda boiling_temperature, critical_temperature, critical_pressure: phase_change.Riedel(
        boiling_temperature, critical_temperature, critical_pressure
    ),
    draws={
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "property_estimation.chen_vaporization_enthalpy",
    "chemicals.phase_change.Chen",
    lambda boiling_temperature, critical_temperature, critical_pressure: phase_change.Chen(
        boiling_temperature, critical_temperature, critical_pressure
    ),
    draws={
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "property_estimation.vetere_vaporization_enthalpy",
    "chemicals.phase_change.Vetere",
    lambda boiling_temperature, critical_temperature, critical_pressure, factor: phase_change.Vetere(
        boiling_temperature, critical_temperature, critical_pressure, factor
    ),
    draws={
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "factor": [0.95, 1.1],
    },
)
TABLE.add(
    "property_estimation.pitzer_vaporization_enthalpy",
    "chemicals.phase_change.Pitzer",
    lambda temperature, critical_temperature, acentric_factor: phase_change.Pitzer(
        temperature, critical_temperature, acentric_factor
    ),
    draws={"temperature": [200.0, 600.0], "critical_temperature": [420.0, 750.0], "acentric_factor": [0.01, 0.8]},
)
TABLE.add(
    "property_estimation.watson_vaporization_enthalpy",
    "chemicals.phase_change.Watson",
    lambda temperature, reference_enthalpy, reference_temperature, critical_temperature, exponent: phase_change.Watson(
        temperature, reference_enthalpy, reference_temperature, critical_temperature, exponent
    ),
    draws={
        "temperature": [200.0, 600.0],
        "reference_enthalpy": [15000.0, 50000.0],
        "reference_temperature": [250.0, 400.0],
        "critical_temperature": [420.0, 750.0],
        "exponent": [0.3, 0.45],
    },
)
TABLE.add(
    "property_estimation.sivaraman_vaporization_enthalpy",
    "chemicals.phase_change.SMK",
    lambda temperature, critical_temperature, acentric_factor: phase_change.SMK(
        temperature, critical_temperature, acentric_factor
    ),
    draws={"temperature": [200.0, 600.0], "critical_temperature": [420.0, 750.0], "acentric_factor": [0.01, 0.8]},
)
TABLE.add(
    "property_estimation.acentric_factor",
    "chemicals.acentric.omega_definition",
    lambda vapor_pressure, critical_pressure: acentric.omega_definition(vapor_pressure, critical_pressure),
    draws={"vapor_pressure": [50000.0, 900000.0], "critical_pressure": [2000000.0, 9000000.0]},
)
TABLE.add(
    "property_estimation.lee_kesler_acentric_factor",
    "chemicals.acentric.LK_omega",
    lambda boiling_temperature, critical_temperature, critical_pressure: acentric.LK_omega(
        boiling_temperature, critical_temperature, critical_pressure
    ),
    draws={
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "property_estimation.stiel_polar_factor",
    "chemicals.acentric.Stiel_polar_factor",
    lambda vapor_pressure, critical_pressure, acentric_factor: acentric.Stiel_polar_factor(
        vapor_pressure, critical_pressure, acentric_factor
    ),
    draws={
        "vapor_pressure": [20000.0, 400000.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "property_estimation.ihmels_critical_pressure",
    "chemicals.critical.Ihmels",
    lambda critical_temperature, critical_volume: critical.Ihmels(Tc=critical_temperature, Vc=critical_volume),
    draws={"critical_temperature": [420.0, 750.0], "critical_volume": [6e-05, 0.0006]},
)
TABLE.add(
    "property_estimation.meissner_critical_pressure",
    "chemicals.critical.Meissner",
    lambda critical_temperature, critical_volume: critical.Meissner(Tc=critical_temperature, Vc=critical_volume),
    draws={"critical_temperature": [420.0, 750.0], "critical_volume": [6e-05, 0.0006]},
)
TABLE.add(
    "property_estimation.grigoras_critical_pressure",
    "chemicals.critical.Grigoras",
    lambda critical_temperature, critical_volume: critical.Grigoras(Tc=critical_temperature, Vc=critical_volume),
    draws={"critical_temperature": [420.0, 750.0], "critical_volume": [6e-05, 0.0006]},
)
TABLE.add(
    "property_estimation.rackett_liquid_volume",
    "chemicals.volume.Rackett",
    lambda temperature, critical_temperature, critical_pressure, critical_compressibility: volume.Rackett(
        temperature, critical_temperature, critical_pressure, critical_compressibility
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "critical_compressibility": [0.2, 0.31],
    },
)
TABLE.add(
    "property_estimation.yamada_gunn_liquid_volume",
    "chemicals.volume.Yamada_Gunn",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: volume.Yamada_Gunn(
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
    "property_estimation.costald_liquid_volume",
    "chemicals.volume.COSTALD",
    lambda temperature, critical_temperature, characteristic_volume, acentric_factor: volume.COSTALD(
        temperature, critical_temperature, characteristic_volume, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "characteristic_volume": [6e-05, 0.0006],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "property_estimation.townsend_hales_liquid_volume",
    "chemicals.volume.Townsend_Hales",
    lambda temperature, critical_temperature, critical_volume, acentric_factor: volume.Townsend_Hales(
        temperature, critical_temperature, critical_volume, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_volume": [6e-05, 0.0006],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "property_estimation.brock_bird_surface_tension",
    "chemicals.interface.Brock_Bird",
    lambda temperature, boiling_temperature, critical_temperature, critical_pressure: interface.Brock_Bird(
        temperature, boiling_temperature, critical_temperature, critical_pressure
    ),
    draws={
        "temperature": [200.0, 600.0],
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "property_estimation.pitzer_surface_tension",
    "chemicals.interface.Pitzer_sigma",
    lambda temperature, critical_temperature, critical_pressure, acentric_factor: interface.Pitzer_sigma(
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
    "property_estimation.sastri_rao_surface_tension",
    "chemicals.interface.Sastri_Rao",
    lambda temperature, boiling_temperature, critical_temperature, critical_pressure: interface.Sastri_Rao(
        temperature, boiling_temperature, critical_temperature, critical_pressure
    ),
    draws={
        "temperature": [200.0, 600.0],
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
    },
)
TABLE.add(
    "property_estimation.somayajulu_surface_tension",
    "chemicals.interface.Somayajulu",
    lambda temperature, critical_temperature, first, second, third: (
        1000 * interface.Somayajulu(temperature, critical_temperature, first, second, third)
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "first": [100.0, 250.0],
        "second": [-90.0, -5.0],
        "third": [-8.0, 8.0],
    },
)
TABLE.add(
    "property_estimation.rowlinson_liquid_heat_capacity",
    "chemicals.heat_capacity.Rowlinson_Poling",
    lambda temperature, critical_temperature, acentric_factor, gas_heat_capacity: heat_capacity.Rowlinson_Poling(
        temperature, critical_temperature, acentric_factor, gas_heat_capacity
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "acentric_factor": [0.01, 0.8],
        "gas_heat_capacity": [40.0, 250.0],
    },
)
TABLE.add(
    "property_estimation.solubility_parameter",
    "chemicals.solubility.solubility_parameter",
    lambda temperature, vaporization_enthalpy, molar_volume: solubility.solubility_parameter(
        temperature, vaporization_enthalpy, molar_volume
    ),
    draws={"temperature": [200.0, 600.0], "vaporization_enthalpy": [12000.0, 60000.0], "molar_volume": [2e-05, 0.0004]},
)
TABLE.add(
    "property_estimation.letsou_stiel_viscosity",
    "chemicals.viscosity.Letsou_Stiel",
    lambda temperature, molar_mass, critical_temperature, critical_pressure, acentric_factor: viscosity.Letsou_Stiel(
        temperature, molar_mass, critical_temperature, critical_pressure, acentric_factor
    ),
    draws={
        "temperature": [200.0, 600.0],
        "molar_mass": [16.0, 180.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "acentric_factor": [0.01, 0.8],
    },
)
TABLE.add(
    "property_estimation.stiel_thodos_gas_viscosity",
    "chemicals.viscosity.Stiel_Thodos",
    lambda temperature, critical_temperature, critical_pressure, molar_mass: viscosity.Stiel_Thodos(
        temperature, critical_temperature, critical_pressure, molar_mass
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "molar_mass": [16.0, 180.0],
    },
)
TABLE.add(
    "property_estimation.yoon_thodos_gas_viscosity",
    "chemicals.viscosity.Yoon_Thodos",
    lambda temperature, critical_temperature, critical_pressure, molar_mass: viscosity.Yoon_Thodos(
        temperature, critical_temperature, critical_pressure, molar_mass
    ),
    draws={
        "temperature": [200.0, 600.0],
        "critical_temperature": [420.0, 750.0],
        "critical_pressure": [2000000.0, 9000000.0],
        "molar_mass": [16.0, 180.0],
    },
)
TABLE.add(
    "property_estimation.sato_riedel_conductivity",
    "chemicals.thermal_conductivity.Sato_Riedel",
    lambda temperature, molar_mass, boiling_temperature, critical_temperature: thermal_conductivity.Sato_Riedel(
        temperature, molar_mass, boiling_temperature, critical_temperature
    ),
    draws={
        "temperature": [200.0, 600.0],
        "molar_mass": [16.0, 180.0],
        "boiling_temperature": [250.0, 480.0],
        "critical_temperature": [420.0, 750.0],
    },
)
TABLE.add(
    "property_estimation.eucken_conductivity",
    "chemicals.thermal_conductivity.Eucken",
    lambda molar_mass, heat_capacity, viscosity: thermal_conductivity.Eucken(
        molar_mass * 1000, heat_capacity, viscosity
    ),
    draws={"molar_mass": [0.016, 0.18], "heat_capacity": [20.0, 220.0], "viscosity": [6e-06, 3e-05]},
)
