"""Equilibria and ions in solutions of ChemPy."""

# fmt: off
from __future__ import annotations

import math
from types import SimpleNamespace

import chempy
from chempy.electrochemistry.nernst import nernst_potential
from chempy.electrolytes import ionic_strength
from chempy.henry import Henry_H_at_T
from chempy.thermodynamics.expressions import GibbsEqConst
from oracle import OracleTable
from scipy.constants import N_A, R, e
from scipy.optimize import brentq


class _Plain(float):
    """A constant without a unit: what asks for the number in base units gets it."""

    simplified = property(float)


TABLE = OracleTable("chempy", chempy.__version__)
DRAWS = {"temperature": (250, 500), "gibbs_energy": (-6e4, 6e4), "constant_1": (0.01, 90), "reaction_enthalpy": (-6e4, 6e4), "temperature_1": (280, 300), "temperature_2": (300, 350), "n": (2, 5), "concentrations": (0.001, 0.5), "charges": [-3, -2, -1, 1, 2, 3]}


def _rest(electrons: int, standard_potential: float, temperature: float) -> float:
    """Find the quotient at which the standard potential is all used up."""
    exact = SimpleNamespace(molar_gas_constant=_Plain(R), Faraday_constant=_Plain(e * N_A))

    def miss(logarithm: float) -> float:
        return float(nernst_potential(math.exp(logarithm), 1.0, electrons, temperature, exact)) - standard_potential

    return math.exp(brentq(miss, -200, 200, xtol=1e-14, rtol=1e-15))


TABLE.add("chemistry.vant_hoff_constant", "chempy.henry.Henry_H_at_T", lambda constant, enthalpy, first, second: float(Henry_H_at_T(second, constant, -enthalpy / R, first)), asked="of the enthalpy in kelvins", draws=DRAWS, within=1e-11)
TABLE.add("chemistry.equilibrium_constant", "chempy.thermodynamics.expressions.GibbsEqConst", lambda gibbs_energy, temperature: float(GibbsEqConst([gibbs_energy / R, 0.0])({"temperature": temperature})), asked="of the energy in kelvins, without entropy", draws=DRAWS, within=1e-11)
TABLE.add("chemistry.ionic_strength", "chempy.electrolytes.ionic_strength", lambda concentrations, charges: float(ionic_strength(concentrations, charges, warn=False)), draws=DRAWS)
TABLE.add("electrochemistry.cell_equilibrium_constant", "chempy.electrochemistry.nernst.nernst_potential", _rest, asked="the quotient that has the standard potential", draws={"electrons": [1, 2, 3], "standard_potential": (-0.5, 0.5), "temperature": (275, 350)}, within=1e-9)
