"""Cubic equations of state, by thermo."""

from __future__ import annotations

from collections.abc import Callable

import thermo
from oracle import OracleTable
from thermo import eos, eos_alpha_functions, eos_mix_methods


def _find_roots(state: eos.GCEOS) -> list[float]:
    """Compressibilities above the covolume, in order: one, or that of the liquid and that of the vapor."""
    return [getattr(state, name) for name in ("Z_l", "Z_g") if hasattr(state, name)]


def _at_root(equation: type[eos.GCEOS]) -> Callable[[dict[str, float]], dict[str, float]]:
    """Arguments at a root of an equation: its vapor where the temperature is even, else its liquid."""

    def prepare(drawn: dict[str, float]) -> dict[str, float]:
        state = equation(
            T=drawn["temperature"],
            P=drawn["pressure"],
            Tc=drawn["critical_temperature"],
            Pc=drawn["critical_pressure"],
            omega=drawn["acentric_factor"],
        )
        return drawn | {"compressibility": _find_roots(state)[-1 if int(drawn["temperature"]) % 2 == 0 else 0]}

    return prepare


def _read(state: eos.GCEOS, name: str, compressibility: float) -> float:
    """A property of the phase that has the compressibility."""
    phases = [phase for phase in ("l", "g") if hasattr(state, f"Z_{phase}")]
    return getattr(state, f"{name}_{min(phases, key=lambda each: abs(getattr(state, f'Z_{each}') - compressibility))}")


_at_soave = _at_root(eos.SRK)
_at_peng = _at_root(eos.PR)


def _mix(amounts: list[float], attractions: list[float], interactions: list[list[float]]) -> float:
    shares = [each / sum(amounts) for each in amounts]
    rest = [[1 - each for each in row] for row in interactions]
    return eos_mix_methods.a_alpha_and_derivatives(attractions, 300.0, shares, rest)[0]


def _symmetric(drawn: dict) -> dict:
    """Interaction parameters that are symmetric, with zeros between equals."""
    k = drawn["interactions"]
    return drawn | {
        "interactions": [[0.0 if i == j else k[min(i, j)][max(i, j)] for j in range(len(k))] for i in range(len(k))]
    }


TABLE = OracleTable("thermo", thermo.__version__)
TABLE.add(
    "equations_of_state.redlich_kwong_pressure",
    "thermo.eos.RK",
    lambda temperature, molar_volume, critical_temperature, critical_pressure: (
        eos.RK(T=temperature, V=molar_volume, Tc=critical_temperature, Pc=critical_pressure).P
    ),
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "molar_volume": [0.0003, 0.02],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_pressure",
    "thermo.eos.SRK",
    lambda temperature, molar_volume, critical_temperature, critical_pressure, acentric_factor: (
        eos.SRK(T=temperature, V=molar_volume, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor).P
    ),
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "molar_volume": [0.0003, 0.02],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_pressure",
    "thermo.eos.PR",
    lambda temperature, molar_volume, critical_temperature, critical_pressure, acentric_factor: (
        eos.PR(T=temperature, V=molar_volume, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor).P
    ),
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "molar_volume": [0.0003, 0.02],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.redlich_kwong_vapor_compressibility",
    "thermo.eos.RK",
    lambda temperature, pressure, critical_temperature, critical_pressure: _find_roots(
        eos.RK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure)
    )[-1],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_vapor_compressibility",
    "thermo.eos.SRK",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor: _find_roots(
        eos.SRK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor)
    )[-1],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_liquid_compressibility",
    "thermo.eos.SRK",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor: _find_roots(
        eos.SRK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor)
    )[0],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_vapor_compressibility",
    "thermo.eos.PR",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor: _find_roots(
        eos.PR(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor)
    )[-1],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_liquid_compressibility",
    "thermo.eos.PR",
    lambda temperature, pressure, critical_temperature, critical_pressure, acentric_factor: _find_roots(
        eos.PR(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor)
    )[0],
    within=1e-10,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_fugacity_coefficient",
    "thermo.eos.SRK",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.SRK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "phi",
        compressibility,
    ),
    within=1e-09,
    prepare=_at_soave,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_enthalpy_departure",
    "thermo.eos.SRK",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.SRK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "H_dep",
        compressibility,
    ),
    within=1e-08,
    prepare=_at_soave,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.soave_redlich_kwong_entropy_departure",
    "thermo.eos.SRK",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.SRK(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "S_dep",
        compressibility,
    ),
    within=1e-08,
    prepare=_at_soave,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_fugacity_coefficient",
    "thermo.eos.PR",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.PR(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "phi",
        compressibility,
    ),
    within=1e-09,
    prepare=_at_peng,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_enthalpy_departure",
    "thermo.eos.PR",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.PR(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "H_dep",
        compressibility,
    ),
    within=1e-08,
    prepare=_at_peng,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.peng_robinson_entropy_departure",
    "thermo.eos.PR",
    lambda temperature, pressure, compressibility, critical_temperature, critical_pressure, acentric_factor: _read(
        eos.PR(T=temperature, P=pressure, Tc=critical_temperature, Pc=critical_pressure, omega=acentric_factor),
        "S_dep",
        compressibility,
    ),
    within=1e-08,
    prepare=_at_peng,
    draws={
        "temperature": [330.0, 650.0],
        "pressure": [200000.0, 4000000.0],
        "compressibility": [0.5, 0.6],
        "critical_temperature": [400.0, 600.0],
        "critical_pressure": [2500000.0, 6000000.0],
        "acentric_factor": [0.0, 0.5],
    },
)
TABLE.add(
    "equations_of_state.soave_alpha",
    "thermo.eos.SRK",
    lambda temperature, critical_temperature, acentric_factor: (lambda state: state.a_alpha / state.a)(
        eos.SRK(T=temperature, P=1e5, Tc=critical_temperature, Pc=4e6, omega=acentric_factor)
    ),
    within=1e-11,
    draws={"temperature": [330.0, 650.0], "critical_temperature": [400.0, 600.0], "acentric_factor": [0.0, 0.5]},
)
TABLE.add(
    "equations_of_state.peng_robinson_alpha",
    "thermo.eos.PR",
    lambda temperature, critical_temperature, acentric_factor: (lambda state: state.a_alpha / state.a)(
        eos.PR(T=temperature, P=1e5, Tc=critical_temperature, Pc=4e6, omega=acentric_factor)
    ),
    within=1e-11,
    draws={"temperature": [330.0, 650.0], "critical_temperature": [400.0, 600.0], "acentric_factor": [0.0, 0.5]},
)
TABLE.add(
    "equations_of_state.peng_robinson_1978_alpha",
    "thermo.eos.PR78",
    lambda temperature, critical_temperature, acentric_factor: (lambda state: state.a_alpha / state.a)(
        eos.PR78(T=temperature, P=1e5, Tc=critical_temperature, Pc=4e6, omega=acentric_factor)
    ),
    within=1e-11,
    draws={"temperature": [330.0, 650.0], "critical_temperature": [400.0, 600.0], "acentric_factor": [0.2, 0.9]},
)
TABLE.add(
    "equations_of_state.twu_alpha",
    "thermo.eos_alpha_functions.Twu91_alpha_pure",
    lambda temperature, critical_temperature, constant_1, constant_2, constant_3: eos_alpha_functions.Twu91_alpha_pure(
        temperature, critical_temperature, constant_1, constant_2, constant_3
    ),
    draws={
        "temperature": [330.0, 650.0],
        "critical_temperature": [400.0, 600.0],
        "constant_1": [0.1, 1.0],
        "constant_2": [0.6, 0.99],
        "constant_3": [0.5, 3.0],
    },
)
TABLE.add(
    "equations_of_state.mathias_copeman_alpha",
    "thermo.eos_alpha_functions.Mathias_Copeman_untruncated_alpha_pure",
    lambda temperature, critical_temperature, constant_1, constant_2, constant_3: (
        eos_alpha_functions.Mathias_Copeman_untruncated_alpha_pure(
            temperature, critical_temperature, constant_1, constant_2, constant_3
        )
    ),
    within=1e-11,
    draws={
        "temperature": [330.0, 650.0],
        "critical_temperature": [400.0, 600.0],
        "constant_1": [0.1, 1.0],
        "constant_2": [0.6, 0.99],
        "constant_3": [0.5, 3.0],
    },
)
TABLE.add(
    "equations_of_state.redlich_kwong_attraction",
    "thermo.eos.SRK",
    lambda critical_temperature, critical_pressure: (
        eos.SRK(T=300.0, P=1e5, Tc=critical_temperature, Pc=critical_pressure, omega=0.1).a
    ),
    draws={"critical_temperature": [400.0, 600.0], "critical_pressure": [2500000.0, 6000000.0]},
)
TABLE.add(
    "equations_of_state.redlich_kwong_covolume",
    "thermo.eos.SRK",
    lambda critical_temperature, critical_pressure: (
        eos.SRK(T=300.0, P=1e5, Tc=critical_temperature, Pc=critical_pressure, omega=0.1).b
    ),
    draws={"critical_temperature": [400.0, 600.0], "critical_pressure": [2500000.0, 6000000.0]},
)
TABLE.add(
    "equations_of_state.peng_robinson_attraction",
    "thermo.eos.PR",
    lambda critical_temperature, critical_pressure: (
        eos.PR(T=300.0, P=1e5, Tc=critical_temperature, Pc=critical_pressure, omega=0.1).a
    ),
    draws={"critical_temperature": [400.0, 600.0], "critical_pressure": [2500000.0, 6000000.0]},
)
TABLE.add(
    "equations_of_state.peng_robinson_covolume",
    "thermo.eos.PR",
    lambda critical_temperature, critical_pressure: (
        eos.PR(T=300.0, P=1e5, Tc=critical_temperature, Pc=critical_pressure, omega=0.1).b
    ),
    draws={"critical_temperature": [400.0, 600.0], "critical_pressure": [2500000.0, 6000000.0]},
)
TABLE.add(
    "equations_of_state.mixture_attraction",
    "thermo.eos_mix_methods.a_alpha_and_derivatives",
    lambda amounts, attractions, interactions: _mix(amounts, attractions, interactions),
    prepare=_symmetric,
    draws={"amounts": [0.1, 1.0], "attractions": [0.5, 5.0], "interactions": [0.0, 0.1], "n": [2, 4]},
)
