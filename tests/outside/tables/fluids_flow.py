"""Pipes, channels and drag of fluids."""
# fmt: off  # a row compares one capability

from __future__ import annotations

import math
from typing import Any

import fluids
from fluids import compressible, core, fittings, friction, open_flow
from fluids.drag import v_terminal
from fluids.flow_meter import flow_meter_discharge
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
_PIPE = {"reynolds_number": (5e3, 1e7), "relative_roughness": (1e-6, 0.04)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"fluids.{function}", compute, **{"within": 1e-10, **more})


def _lose(friction_factor: float, length: float, diameter: float) -> float:
    return core.K_from_f(friction_factor, length, diameter)


def _drop(flow: float, viscosity: float, diameter: float, length: float) -> float:
    """A liquid so light that its flow is laminar."""
    return friction.one_phase_dP(m=flow * 1e-9, rho=1e-9, mu=viscosity, D=diameter, L=length)


def _wide(area: float) -> float:
    return math.sqrt(4 * area / math.pi)


_add(
    "fluids.reynolds_number",
    "core.Reynolds",
    lambda density, speed, length, viscosity: core.Reynolds(speed, length, density, viscosity),
)
_add(
    "fluids.weber_number",
    "core.Weber",
    lambda density, speed, length, surface_tension: core.Weber(speed, length, density, surface_tension),
)
_add("fluids.froude_number", "core.Froude", lambda speed, gravity, length: core.Froude(speed, length, gravity))
_add(
    "fluids.colebrook_friction_factor",
    "friction.Colebrook",
    lambda reynolds_number, relative_roughness: friction.Colebrook(reynolds_number, relative_roughness),
    draws=_PIPE,
)
_add(
    "fluids.haaland_friction_factor",
    "friction.Haaland",
    lambda reynolds_number, relative_roughness: friction.Haaland(reynolds_number, relative_roughness),
    draws=_PIPE,
)
_add(
    "fluids.minor_loss",
    "core.dP_from_K",
    lambda loss_coefficient, density, speed: core.dP_from_K(loss_coefficient, density, speed),
)
_add(
    "fluids.dynamic_pressure",
    "core.dP_from_K",
    lambda density, speed: core.dP_from_K(1.0, density, speed),
    asked="of a loss coefficient of 1",
)
_add(
    "fluids.darcy_weisbach_pressure_drop",
    "core.dP_from_K",
    lambda friction_factor, length, diameter, density, speed: core.dP_from_K(
        _lose(friction_factor, length, diameter), density, speed
    ),
    asked="of fluids.core.K_from_f",
)
_add(
    "fluids.darcy_weisbach_head_loss",
    "core.head_from_K",
    lambda friction_factor, length, diameter, speed, gravity: core.head_from_K(
        _lose(friction_factor, length, diameter), speed, gravity
    ),
    asked="of fluids.core.K_from_f",
)
_add(
    "fluids.hagen_poiseuille_flow_rate",
    "friction.one_phase_dP",
    lambda diameter, pressure_drop, viscosity, length: pressure_drop / _drop(1.0, viscosity, diameter, length),
    asked="laminar, per unit of flow",
)
_add(
    "fluids.stokes_terminal_speed",
    "drag.v_terminal",
    lambda gravity, diameter, sphere_density, fluid_density, viscosity: v_terminal(
        diameter, sphere_density, fluid_density, viscosity, Method="Stokes"
    ),
    draws={"gravity": [9.80665], "sphere_density": (1100, 8000), "fluid_density": (1, 1000)},
)
_add(
    "fluids.venturi_flow_rate",
    "flow_meter.flow_meter_discharge",
    lambda discharge_coefficient, throat_area, pipe_area, pressure_drop, density: (
        flow_meter_discharge(
            _wide(pipe_area), _wide(throat_area), 1e5 + pressure_drop, 1e5, density, discharge_coefficient
        )
        / density
    ),
    draws={"pipe_area": (2, 9), "throat_area": (0.2, 1.8), "pressure_drop": (1e3, 9e4)},
    within=1e-9,
)
_add(
    "fluids.sudden_expansion_loss",
    "fittings.diffuser_sharp",
    lambda area_upstream, area_downstream: fittings.diffuser_sharp(_wide(area_upstream), _wide(area_downstream)),
    draws={"area_upstream": (0.1, 2), "area_downstream": (2.5, 9)},
    within=1e-9,
)
_add(
    "hydraulics.manning_speed",
    "open_flow.V_Manning",
    lambda hydraulic_radius, slope, roughness: open_flow.V_Manning(hydraulic_radius, slope, roughness),
)
_add(
    "hydraulics.chezy_speed",
    "open_flow.V_Chezy",
    lambda coefficient, hydraulic_radius, slope: open_flow.V_Chezy(hydraulic_radius, slope, coefficient),
)
_add(
    "heat_transfer.biot_number",
    "core.Biot",
    lambda coefficient, length, conductivity: core.Biot(coefficient, length, conductivity),
)
_add(
    "heat_transfer.fourier_number",
    "core.Fourier_heat",
    lambda diffusivity, time, length: core.Fourier_heat(time, length, alpha=diffusivity),
)
_add(
    "heat_transfer.rayleigh_number",
    "core.Rayleigh",
    lambda gravity, expansion, temperature_difference, length, kinematic_viscosity, diffusivity: core.Rayleigh(
        kinematic_viscosity / diffusivity,
        core.Grashof(length, expansion, temperature_difference, 0, nu=kinematic_viscosity, g=gravity),
    ),
    asked="of the Prandtl number and fluids.core.Grashof",
)
_add(
    "thermodynamics.isentropic_temperature",
    "compressible.isentropic_T_rise_compression",
    lambda temperature, pressure, pressure_end, heat_capacity_ratio: compressible.isentropic_T_rise_compression(
        temperature, pressure, pressure_end, heat_capacity_ratio
    ),
)
