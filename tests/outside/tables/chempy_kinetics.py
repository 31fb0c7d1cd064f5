"""Rates, electrodes and activities of ChemPy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import chempy
from chempy import debye_huckel
from chempy.electrochemistry.nernst import nernst_potential
from chempy.kinetics.arrhenius import arrhenius_equation
from chempy.kinetics.eyring import eyring_equation
from oracle import OracleTable
from scipy.constants import N_A, R, e, h, k

TABLE = OracleTable("chempy", chempy.__version__)


class _Plain(float):
    """A constant without a unit: what asks for the number in base units gets it."""

    simplified = property(float)


_EXACT = SimpleNamespace(
    molar_gas_constant=_Plain(R), Faraday_constant=e * N_A, Boltzmann_constant=k, Planck_constant=h
)  # theirs have fewer digits
_WARM = {
    "temperature": (280, 400),
    "activation_energy": (1e4, 9e4),
    "activation_gibbs_energy": (4e4, 9e4),
    "ionic_strength": (0.001, 0.4),
    "constant": (0.4, 0.6),
    "electrons": (1, 3),
    "quotient": (0.01, 100),
}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"chempy.{function}", compute, **{"within": 1e-8, "draws": _WARM, **more})


_add(
    "chemical_kinetics.arrhenius_constant",
    "kinetics.arrhenius.arrhenius_equation",
    lambda prefactor, activation_energy, temperature: arrhenius_equation(
        prefactor, activation_energy, temperature, constants=_EXACT
    ),
)
_add(
    "chemical_kinetics.eyring_constant",
    "kinetics.eyring.eyring_equation",
    lambda temperature, activation_gibbs_energy: eyring_equation(
        activation_gibbs_energy, 0.0, temperature, constants=_EXACT
    ),
)
_add(
    "electrochemistry.nernst_potential",
    "electrochemistry.nernst_potential",
    lambda standard_potential, temperature, electrons, quotient: (
        standard_potential - float(nernst_potential(quotient, 1.0, electrons, temperature, constants=_EXACT))
    ),
    asked="of the quotient, taken off the standard potential",
)
_add(
    "chemistry.debye_huckel_coefficient",
    "debye_huckel.limiting_log_gamma",
    lambda constant, charge, ionic_strength: 10 ** (debye_huckel.limiting_log_gamma(ionic_strength, charge, constant)),
)
_add(
    "chemistry.davies_coefficient",
    "debye_huckel.davies_log_gamma",
    lambda constant, charge, ionic_strength: (
        10 ** (debye_huckel.davies_log_gamma(ionic_strength, charge, constant, C=-0.3))
    ),
)
