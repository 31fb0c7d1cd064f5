"""Activity coefficients of liquid mixtures, by thermo."""

from __future__ import annotations

from collections.abc import Callable

import thermo
from oracle import OracleTable
from thermo import nrtl, regular_solution, uniquac, wilson


def _share(amounts: list[float]) -> list[float]:
    return [each / sum(amounts) for each in amounts]


def _diagonal(value: float) -> Callable[[dict], dict]:
    """Arguments whose interactions of a component with itself are the value that changes nothing."""

    def prepare(drawn: dict) -> dict:
        rows = drawn["interactions"]
        return drawn | {
            "interactions": [[value if i == j else rows[i][j] for j in range(len(rows))] for i in range(len(rows))]
        }

    return prepare


_zeros, _ones = _diagonal(0.0), _diagonal(1.0)


TABLE = OracleTable("thermo", thermo.__version__)
TABLE.add(
    "phase_equilibrium.wilson_activity_coefficients",
    "thermo.wilson.Wilson_gammas",
    lambda amounts, interactions: wilson.Wilson_gammas(_share(amounts), interactions),
    within=1e-11,
    prepare=_ones,
    draws={"amounts": [0.1, 1.0], "interactions": [0.1, 2.0], "n": [2, 4]},
)
TABLE.add(
    "phase_equilibrium.nrtl_activity_coefficients",
    "thermo.nrtl.NRTL_gammas",
    lambda amounts, interactions, nonrandomness: nrtl.NRTL_gammas(_share(amounts), interactions, nonrandomness),
    within=1e-11,
    prepare=_zeros,
    draws={"amounts": [0.1, 1.0], "interactions": [-0.5, 2.0], "nonrandomness": [0.2, 0.47], "n": [2, 4]},
)
TABLE.add(
    "phase_equilibrium.uniquac_activity_coefficients",
    "thermo.uniquac.UNIQUAC_gammas",
    lambda amounts, volumes, surfaces, interactions: uniquac.UNIQUAC_gammas(
        _share(amounts), volumes, surfaces, interactions
    ),
    within=1e-11,
    prepare=_ones,
    draws={
        "amounts": [0.1, 1.0],
        "volumes": [0.9, 5.0],
        "surfaces": [0.9, 5.0],
        "interactions": [0.2, 2.0],
        "n": [2, 4],
    },
)
TABLE.add(
    "phase_equilibrium.regular_solution_activity_coefficients",
    "thermo.regular_solution.RegularSolution.gammas",
    lambda temperature, amounts, molar_volumes, solubility_parameters: regular_solution.RegularSolution(
        T=temperature, xs=_share(amounts), Vs=molar_volumes, SPs=solubility_parameters
    ).gammas(),
    within=1e-11,
    draws={
        "temperature": [280.0, 420.0],
        "amounts": [0.1, 1.0],
        "molar_volumes": [2e-05, 0.0002],
        "solubility_parameters": [14000.0, 26000.0],
        "n": [2, 4],
    },
)
TABLE.add(
    "phase_equilibrium.flory_huggins_activity_coefficients",
    "thermo.regular_solution.FloryHuggins.gammas",
    lambda temperature, amounts, molar_volumes, solubility_parameters: regular_solution.FloryHuggins(
        T=temperature, xs=_share(amounts), Vs=molar_volumes, SPs=solubility_parameters
    ).gammas(),
    within=1e-11,
    draws={
        "temperature": [280.0, 420.0],
        "amounts": [0.1, 1.0],
        "molar_volumes": [2e-05, 0.0002],
        "solubility_parameters": [14000.0, 26000.0],
        "n": [2, 4],
    },
)
