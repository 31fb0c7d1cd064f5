"""Equilibria and ions in solutions of ChemPy."""

# fmt: off
from __future__ import annotations

import chempy
from chempy.electrolytes import ionic_strength
from chempy.henry import Henry_H_at_T
from chempy.thermodynamics.expressions import GibbsEqConst
from oracle import OracleTable
from scipy.constants import R

TABLE = OracleTable("chempy", chempy.__version__)
DRAWS = {"temperature": (250, 500), "gibbs_energy": (-6e4, 6e4), "constant_1": (0.01, 90), "reaction_enthalpy": (-6e4, 6e4), "temperature_1": (280, 300), "temperature_2": (300, 350), "n": (2, 5), "concentrations": (0.001, 0.5), "charges": [-3, -2, -1, 1, 2, 3]}
TABLE.add("chemistry.vant_hoff_constant", "chempy.henry.Henry_H_at_T", lambda constant, enthalpy, first, second: float(Henry_H_at_T(second, constant, -enthalpy / R, first)), asked="of the enthalpy in kelvins", draws=DRAWS, within=1e-11)
TABLE.add("chemistry.equilibrium_constant", "chempy.thermodynamics.expressions.GibbsEqConst", lambda gibbs_energy, temperature: float(GibbsEqConst([gibbs_energy / R, 0.0])({"temperature": temperature})), asked="of the energy in kelvins, without entropy", draws=DRAWS, within=1e-11)
TABLE.add("chemistry.ionic_strength", "chempy.electrolytes.ionic_strength", lambda concentrations, charges: float(ionic_strength(concentrations, charges, warn=False)), draws=DRAWS)
