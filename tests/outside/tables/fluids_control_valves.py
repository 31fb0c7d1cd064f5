"""Control valves, by fluids."""

from __future__ import annotations

import fluids
from fluids import control_valve
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "control_valves.liquid_flow_coefficient",
    "fluids.control_valve.size_control_valve_l",
    lambda flow_rate, relative_density, inlet_pressure, outlet_pressure, vapor_pressure, critical_pressure, recovery_factor: (
        control_valve.size_control_valve_l(
            relative_density * control_valve.rho0,
            vapor_pressure * 1e3,
            critical_pressure * 1e3,
            1e-3,
            inlet_pressure * 1e3,
            outlet_pressure * 1e3,
            flow_rate / 3600,
            FL=recovery_factor,
        )
    ),
    draws={
        "flow_rate": [1.0, 400.0],
        "relative_density": [0.5, 1.6],
        "inlet_pressure": [300.0, 3000.0],
        "outlet_pressure": [50.0, 2800.0],
        "vapor_pressure": [0.5, 250.0],
        "critical_pressure": [2500.0, 22120.0],
        "recovery_factor": [0.5, 0.95],
    },
)
TABLE.add(
    "control_valves.gas_flow_coefficient",
    "fluids.control_valve.size_control_valve_g",
    lambda flow_rate, molar_mass, temperature, compressibility, heat_capacity_ratio, inlet_pressure, outlet_pressure, differential_ratio: (
        control_valve.size_control_valve_g(
            temperature,
            molar_mass,
            1e-5,
            heat_capacity_ratio,
            compressibility,
            inlet_pressure * 1e3,
            outlet_pressure * 1e3,
            flow_rate / 3600,
            xT=differential_ratio,
        )
    ),
    draws={
        "flow_rate": [50.0, 9000.0],
        "molar_mass": [2.0, 100.0],
        "temperature": [250.0, 600.0],
        "compressibility": [0.7, 1.1],
        "heat_capacity_ratio": [1.05, 1.66],
        "inlet_pressure": [300.0, 3000.0],
        "outlet_pressure": [50.0, 2800.0],
        "differential_ratio": [0.3, 0.85],
    },
)
TABLE.add(
    "control_valves.critical_pressure_ratio_factor",
    "fluids.control_valve.FF_critical_pressure_ratio_l",
    lambda vapor_pressure, critical_pressure: control_valve.FF_critical_pressure_ratio_l(
        vapor_pressure, critical_pressure
    ),
    draws={"vapor_pressure": [0.5, 250.0], "critical_pressure": [2500.0, 22120.0]},
)
TABLE.add(
    "control_valves.liquid_choked_outlet_pressure",
    "fluids.control_valve.control_valve_choke_P_l",
    lambda inlet_pressure, vapor_pressure, critical_pressure, recovery_factor: (
        control_valve.control_valve_choke_P_l(
            vapor_pressure * 1e3, critical_pressure * 1e3, recovery_factor, inlet_pressure * 1e3
        )
        / 1e3
    ),
    draws={
        "inlet_pressure": [300.0, 3000.0],
        "vapor_pressure": [0.5, 250.0],
        "critical_pressure": [2500.0, 22120.0],
        "recovery_factor": [0.5, 0.95],
    },
)
TABLE.add(
    "control_valves.gas_choked_outlet_pressure",
    "fluids.control_valve.control_valve_choke_P_g",
    lambda inlet_pressure, heat_capacity_ratio, differential_ratio: (
        control_valve.control_valve_choke_P_g(differential_ratio, heat_capacity_ratio, inlet_pressure * 1e3) / 1e3
    ),
    draws={"inlet_pressure": [300.0, 3000.0], "heat_capacity_ratio": [1.05, 1.66], "differential_ratio": [0.3, 0.85]},
)
TABLE.add(
    "control_valves.valve_reynolds_number",
    "fluids.control_valve.Reynolds_valve",
    lambda flow_rate, kinematic_viscosity, pipe_diameter, recovery_factor, style_modifier, flow_coefficient: (
        control_valve.Reynolds_valve(
            kinematic_viscosity, flow_rate, pipe_diameter, recovery_factor, style_modifier, flow_coefficient
        )
    ),
    draws={
        "flow_rate": [1.0, 400.0],
        "kinematic_viscosity": [1e-07, 0.0001],
        "pipe_diameter": [25.0, 400.0],
        "recovery_factor": [0.5, 0.95],
        "style_modifier": [0.1, 1.0],
        "flow_coefficient": [2.0, 400.0],
    },
)
TABLE.add(
    "control_valves.fittings_loss_coefficient",
    "fluids.control_valve.loss_coefficient_piping",
    lambda valve_diameter, inlet_diameter, outlet_diameter: control_valve.loss_coefficient_piping(
        valve_diameter, inlet_diameter, outlet_diameter
    ),
    draws={"valve_diameter": [15.0, 200.0], "inlet_diameter": [40.0, 400.0], "outlet_diameter": [40.0, 400.0]},
)
TABLE.add(
    "control_valves.cavitation_index",
    "fluids.control_valve.cavitation_index",
    lambda inlet_pressure, outlet_pressure, vapor_pressure: control_valve.cavitation_index(
        inlet_pressure, outlet_pressure, vapor_pressure
    ),
    draws={"inlet_pressure": [300.0, 3000.0], "outlet_pressure": [50.0, 2800.0], "vapor_pressure": [0.5, 250.0]},
)
