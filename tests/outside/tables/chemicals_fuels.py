"""Fuels, by chemicals."""

from __future__ import annotations

import chemicals
from chemicals import combustion, interface, safety, utils
from oracle import OracleTable


def _share(amounts: list[float]) -> list[float]:
    return [each / sum(amounts) for each in amounts]


TABLE = OracleTable("chemicals", chemicals.__version__)
TABLE.add(
    "fuels.api_gravity",
    "chemicals.utils.SG_to_API",
    lambda specific_gravity: utils.SG_to_API(specific_gravity),
    within=1e-11,
    draws={"specific_gravity": [0.65, 1.05]},
)
TABLE.add(
    "fuels.light_baume_degrees",
    "chemicals.utils.SG_to_Baume_light",
    lambda specific_gravity: utils.SG_to_Baume_light(specific_gravity),
    within=1e-11,
    draws={"specific_gravity": [0.65, 0.99]},
)
TABLE.add(
    "fuels.heavy_baume_degrees",
    "chemicals.utils.SG_to_Baume_heavy",
    lambda specific_gravity: utils.SG_to_Baume_heavy(specific_gravity),
    within=1e-11,
    draws={"specific_gravity": [1.01, 1.9]},
)
TABLE.add(
    "fuels.watson_factor",
    "chemicals.utils.Watson_K",
    lambda boiling_temperature, specific_gravity: utils.Watson_K(boiling_temperature, specific_gravity),
    draws={"boiling_temperature": [330.0, 800.0], "specific_gravity": [0.65, 1.05]},
)
TABLE.add(
    "fuels.petroleum_surface_tension",
    "chemicals.interface.API10A32",
    lambda temperature, critical_temperature, watson_factor: interface.API10A32(
        temperature, critical_temperature, watson_factor
    ),
    draws={"temperature": [280.0, 400.0], "critical_temperature": [550.0, 850.0], "watson_factor": [10.0, 13.0]},
)
TABLE.add(
    "fuels.derived_cetane_number",
    "chemicals.combustion.IDT_to_DCN",
    lambda ignition_delay: combustion.IDT_to_DCN(ignition_delay),
    draws={"ignition_delay": [0.002, 0.02]},
)
TABLE.add(
    "fuels.anti_knock_index",
    "chemicals.combustion.AKI",
    lambda research_octane_number, motor_octane_number: combustion.AKI(research_octane_number, motor_octane_number),
    draws={"research_octane_number": [80.0, 110.0], "motor_octane_number": [75.0, 100.0]},
)
TABLE.add(
    "fuels.dulong_heating_value",
    "chemicals.combustion.HHV_modified_Dulong",
    lambda carbon, hydrogen, oxygen, sulfur: (
        -combustion.HHV_modified_Dulong({"C": carbon, "H": hydrogen, "O": oxygen, "S": sulfur})
    ),
    within=1e-11,
    draws={"carbon": [0.5, 0.9], "hydrogen": [0.02, 0.15], "oxygen": [0.0, 0.1], "sulfur": [0.0, 0.05]},
)
TABLE.add(
    "fuels.stoichiometric_oxygen",
    "chemicals.combustion.combustion_stoichiometry",
    lambda carbons, hydrogens, oxygens, sulfurs: (
        -combustion.combustion_stoichiometry({"C": carbons, "H": hydrogens, "O": oxygens, "S": sulfurs})["O2"]
    ),
    draws={"carbons": [1, 10], "hydrogens": [4, 22], "oxygens": [0, 2], "sulfurs": [0, 1]},
)
TABLE.add(
    "fuels.crowl_louvar_lower_limit",
    "chemicals.safety.Crowl_Louvar_LFL",
    lambda carbons, hydrogens, oxygens: safety.Crowl_Louvar_LFL({"C": carbons, "H": hydrogens, "O": oxygens}),
    draws={"carbons": [1, 10], "hydrogens": [4, 22], "oxygens": [0, 2]},
)
TABLE.add(
    "fuels.crowl_louvar_upper_limit",
    "chemicals.safety.Crowl_Louvar_UFL",
    lambda carbons, hydrogens, oxygens: safety.Crowl_Louvar_UFL({"C": carbons, "H": hydrogens, "O": oxygens}),
    draws={"carbons": [1, 10], "hydrogens": [4, 22], "oxygens": [0, 2]},
)
TABLE.add(
    "fuels.suzuki_lower_limit",
    "chemicals.safety.Suzuki_LFL",
    lambda combustion_enthalpy: safety.Suzuki_LFL(combustion_enthalpy * 1000),
    within=1e-10,
    draws={"combustion_enthalpy": [-6000.0, -800.0]},
)
TABLE.add(
    "fuels.suzuki_upper_limit",
    "chemicals.safety.Suzuki_UFL",
    lambda combustion_enthalpy: safety.Suzuki_UFL(combustion_enthalpy * 1000),
    within=1e-09,
    draws={"combustion_enthalpy": [-6000.0, -800.0]},
)
TABLE.add(
    "fuels.le_chatelier_flammability_limit",
    "chemicals.safety.fire_mixing",
    lambda amounts, limits: safety.fire_mixing(_share(amounts), limits),
    draws={"amounts": [0.1, 1.0], "limits": [0.01, 0.15], "n": [2, 5]},
)
