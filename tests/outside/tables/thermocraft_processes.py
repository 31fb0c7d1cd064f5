"""Sorption, lethality, walls and ventilation of ThermoCraft."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import numpy as np
from oracle import OracleTable
from scipy.optimize import brentq
from thermocraft.core.building_envelope import Construction, Layer
from thermocraft.core.drying_models import GABParams, SorptionIsotherm
from thermocraft.core.reaction_kinetics import MicrobialInactivation
from thermocraft.core.ventilation import co2_required_flow_l_s
from thermocraft.suites.food.sterilization.models import numerical_F0

TABLE = OracleTable("thermocraft", version("thermocraft"))
SHARE = 1e6  # parts per million
PROCESS = {"time": (1, 60), "temperature": (380, 410), "reference_temperature": (390, 400), "z_value": (7, 14), "d_value": (0.1, 5)}


def _hold(time: float, temperature: float, reference_temperature: float, z_value: float) -> float:
    """Hold one temperature for a time: two points of it."""
    return float(numerical_F0(np.array([temperature, temperature]), np.array([0.0, 60 * time]), reference_temperature, z_value)[-1])


def _build(inner_coefficient: float, outer_coefficient: float, thicknesses: list[float], conductivities: list[float]) -> float:
    """Its surfaces have the resistances of ISO 6946."""
    return Construction("wall", [Layer(thickness, conductivity, 1.0, 1.0) for thickness, conductivity in zip(thicknesses, conductivities, strict=True)]).u_value()



def _sterilize(reductions: float, d_value: float) -> float:
    germs = MicrobialInactivation(D_ref=d_value)

    def miss(time: float) -> float:
        return float(germs.log_reduction(np.array([germs.T_ref, germs.T_ref]), np.array([0.0, 60 * time]))) - reductions

    return float(brentq(miss, 1e-3, 1e3, xtol=1e-14, rtol=1e-14))


TABLE.add("food_engineering.gab_moisture", "thermocraft.core.drying_models.SorptionIsotherm.gab", lambda monolayer, constant, factor, activity: float(SorptionIsotherm.gab(np.array([activity]), GABParams(monolayer, constant, factor))[0]), draws={"monolayer": (0.02, 0.15), "constant": (2, 40), "factor": (0.6, 0.99), "activity": (0.05, 0.95)}, within=1e-11)
TABLE.add("food_engineering.lethality", "thermocraft.suites.food.sterilization.models.numerical_F0", _hold, asked="of a constant temperature", draws=PROCESS, within=1e-11)
TABLE.add("food_engineering.d_value_at_temperature", "thermocraft.core.reaction_kinetics.MicrobialInactivation.D_value", lambda d_value, temperature, reference_temperature, z_value: float(MicrobialInactivation(D_ref=d_value, T_ref=reference_temperature, z=z_value).D_value(temperature)), draws=PROCESS, within=1e-11)
TABLE.add("heat_transfer.composite_wall_u_value", "thermocraft.core.building_envelope.Construction.u_value", _build, asked="between the surfaces of ISO 6946", draws={"inner_coefficient": [1 / 0.13], "outer_coefficient": [1 / 0.04], "n": (1, 4), "thicknesses": (0.01, 0.4), "conductivities": (0.02, 2)}, within=1e-11)
TABLE.add("refrigeration.carbon_dioxide_ventilation", "thermocraft.core.ventilation.co2_required_flow_l_s", lambda generation, indoor_share, outdoor_share: co2_required_flow_l_s(1, SHARE * indoor_share, SHARE * outdoor_share, 1e3 * generation) / 1e3, asked="in litres and parts per million", draws={"generation": (1e-6, 1e-3), "indoor_share": (8e-4, 5e-3), "outdoor_share": (3e-4, 5e-4)}, within=1e-11)
TABLE.add("food_engineering.commercial_process_time", "thermocraft.core.reaction_kinetics.MicrobialInactivation.log_reduction", _sterilize, asked="solved for the time at the reference temperature", draws={"reductions": (1, 12), "d_value": (0.1, 5)}, within=1e-9)
