"""Gas pipelines and compression, by fluids."""

from __future__ import annotations

import fluids
from fluids import compressible
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "gas_pipelines.panhandle_a_flow",
    "fluids.compressible.Panhandle_A",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Panhandle_A(
            SG=gas_gravity,
            Tavg=temperature,
            L=length * 1000.0,
            D=diameter / 1000.0,
            P1=inlet_pressure * 1000.0,
            P2=outlet_pressure * 1000.0,
            Ts=base_temperature,
            Ps=base_pressure * 1000.0,
            Zavg=compressibility,
            E=efficiency,
        )
        * 86400.0
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [10.0, 200.0],
        "diameter": [150.0, 900.0],
        "inlet_pressure": [5000.0, 9000.0],
        "outlet_pressure": [2000.0, 4900.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95.0, 105.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.panhandle_b_flow",
    "fluids.compressible.Panhandle_B",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Panhandle_B(
            SG=gas_gravity,
            Tavg=temperature,
            L=length * 1000.0,
            D=diameter / 1000.0,
            P1=inlet_pressure * 1000.0,
            P2=outlet_pressure * 1000.0,
            Ts=base_temperature,
            Ps=base_pressure * 1000.0,
            Zavg=compressibility,
            E=efficiency,
        )
        * 86400.0
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [10.0, 200.0],
        "diameter": [150.0, 900.0],
        "inlet_pressure": [5000.0, 9000.0],
        "outlet_pressure": [2000.0, 4900.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95.0, 105.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.weymouth_flow",
    "fluids.compressible.Weymouth",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Weymouth(
            SG=gas_gravity,
            Tavg=temperature,
            L=length * 1000.0,
            D=diameter / 1000.0,
            P1=inlet_pressure * 1000.0,
            P2=outlet_pressure * 1000.0,
            Ts=base_temperature,
            Ps=base_pressure * 1000.0,
            Zavg=compressibility,
            E=efficiency,
        )
        * 86400.0
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [10.0, 200.0],
        "diameter": [150.0, 900.0],
        "inlet_pressure": [5000.0, 9000.0],
        "outlet_pressure": [2000.0, 4900.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95.0, 105.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.fritzsche_flow",
    "fluids.compressible.Fritzsche",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Fritzsche(
            SG=gas_gravity,
            Tavg=temperature,
            L=length * 1000.0,
            D=diameter / 1000.0,
            P1=inlet_pressure * 1000.0,
            P2=outlet_pressure * 1000.0,
            Ts=base_temperature,
            Ps=base_pressure * 1000.0,
            Zavg=compressibility,
            E=efficiency,
        )
        * 86400.0
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [10.0, 200.0],
        "diameter": [150.0, 900.0],
        "inlet_pressure": [5000.0, 9000.0],
        "outlet_pressure": [2000.0, 4900.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95.0, 105.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.spitzglass_flow",
    "fluids.compressible.Spitzglass_high",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Spitzglass_high(
            SG=gas_gravity,
            Tavg=temperature,
            L=length,
            D=diameter,
            P1=inlet_pressure,
            P2=outlet_pressure,
            Ts=base_temperature,
            Ps=base_pressure,
            Zavg=compressibility,
            E=efficiency,
        )
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [500.0, 50000.0],
        "diameter": [0.1, 0.6],
        "inlet_pressure": [5000000.0, 9000000.0],
        "outlet_pressure": [2000000.0, 4900000.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95000.0, 105000.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.spitzglass_low_pressure_flow",
    "fluids.compressible.Spitzglass_low",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Spitzglass_low(
            SG=gas_gravity,
            Tavg=temperature,
            L=length,
            D=diameter,
            P1=inlet_pressure,
            P2=outlet_pressure,
            Ts=base_temperature,
            Ps=base_pressure,
            Zavg=compressibility,
            E=efficiency,
        )
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [500.0, 50000.0],
        "diameter": [0.1, 0.6],
        "inlet_pressure": [103000.0, 107000.0],
        "outlet_pressure": [101400.0, 102900.0],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [95000.0, 105000.0],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.oliphant_flow",
    "fluids.compressible.Oliphant",
    lambda gas_gravity, temperature, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure: (
        compressible.Oliphant(
            SG=gas_gravity,
            Tavg=temperature,
            L=length * 1609.344,
            D=diameter * 0.0254,
            P1=inlet_pressure * 6894.757293168361,
            P2=outlet_pressure * 6894.757293168361,
            Ts=base_temperature,
            Ps=base_pressure * 6894.757293168361,
        )
        * 86400.0
        / 0.3048**3
    ),
    within=1e-10,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "length": [5.0, 90.0],
        "diameter": [6.0, 36.0],
        "inlet_pressure": [725.1631617113852, 1305.2936910804933],
        "outlet_pressure": [290.06526468455405, 710.6598984771575],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [13.778100072516319, 15.228426395939088],
    },
)
TABLE.add(
    "gas_pipelines.muller_flow",
    "fluids.compressible.Muller",
    lambda gas_gravity, temperature, viscosity, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.Muller(
            SG=gas_gravity,
            Tavg=temperature,
            mu=viscosity * 0.45359237 / 0.3048,
            L=length * 0.3048,
            D=diameter * 0.0254,
            P1=inlet_pressure * 6894.757293168361,
            P2=outlet_pressure * 6894.757293168361,
            Ts=base_temperature,
            Ps=base_pressure * 6894.757293168361,
            Zavg=compressibility,
            E=efficiency,
        )
        * 3600.0
        / 0.3048**3
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "viscosity": [6e-06, 9e-06],
        "length": [5000.0, 300000.0],
        "diameter": [6.0, 36.0],
        "inlet_pressure": [725.1631617113852, 1305.2936910804933],
        "outlet_pressure": [290.06526468455405, 710.6598984771575],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [13.778100072516319, 15.228426395939088],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.igt_flow",
    "fluids.compressible.IGT",
    lambda gas_gravity, temperature, viscosity, length, diameter, inlet_pressure, outlet_pressure, base_temperature, base_pressure, compressibility, efficiency: (
        compressible.IGT(
            SG=gas_gravity,
            Tavg=temperature,
            mu=viscosity * 0.45359237 / 0.3048,
            L=length * 0.3048,
            D=diameter * 0.0254,
            P1=inlet_pressure * 6894.757293168361,
            P2=outlet_pressure * 6894.757293168361,
            Ts=base_temperature,
            Ps=base_pressure * 6894.757293168361,
            Zavg=compressibility,
            E=efficiency,
        )
        * 3600.0
        / 0.3048**3
    ),
    within=1e-11,
    draws={
        "gas_gravity": [0.55, 0.8],
        "temperature": [278.0, 320.0],
        "viscosity": [6e-06, 9e-06],
        "length": [5000.0, 300000.0],
        "diameter": [6.0, 36.0],
        "inlet_pressure": [725.1631617113852, 1305.2936910804933],
        "outlet_pressure": [290.06526468455405, 710.6598984771575],
        "base_temperature": [273.15, 288.7, 289.0],
        "base_pressure": [13.778100072516319, 15.228426395939088],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.85, 1.0],
    },
)
TABLE.add(
    "gas_pipelines.isothermal_pipe_flow",
    "fluids.compressible.isothermal_gas",
    lambda density, friction_factor, length, diameter, inlet_pressure, outlet_pressure: compressible.isothermal_gas(
        rho=density, fd=friction_factor, P1=inlet_pressure, P2=outlet_pressure, L=length, D=diameter
    ),
    draws={
        "density": [5.0, 50.0],
        "friction_factor": [0.008, 0.03],
        "length": [200.0, 2000.0],
        "diameter": [0.1, 0.6],
        "inlet_pressure": [500000.0, 900000.0],
        "outlet_pressure": [300000.0, 490000.0],
    },
)
TABLE.add(
    "gas_pipelines.isothermal_critical_pressure",
    "fluids.compressible.P_isothermal_critical_flow",
    lambda friction_factor, length, diameter, inlet_pressure: compressible.P_isothermal_critical_flow(
        inlet_pressure, friction_factor, diameter, length
    ),
    within=1e-09,
    draws={
        "friction_factor": [0.008, 0.03],
        "length": [20.0, 300.0],
        "diameter": [0.1, 0.6],
        "inlet_pressure": [500000.0, 900000.0],
    },
)
TABLE.add(
    "gas_pipelines.isentropic_compression_work",
    "fluids.compressible.isentropic_work_compression",
    lambda inlet_temperature, suction_pressure, discharge_pressure, isentropic_exponent, compressibility, efficiency: (
        compressible.isentropic_work_compression(
            T1=inlet_temperature,
            k=isentropic_exponent,
            Z=compressibility,
            P1=suction_pressure,
            P2=discharge_pressure,
            eta=efficiency,
        )
    ),
    draws={
        "inlet_temperature": [280.0, 330.0],
        "suction_pressure": [100000.0, 500000.0],
        "discharge_pressure": [600000.0, 3000000.0],
        "isentropic_exponent": [1.1, 1.67],
        "compressibility": [0.85, 1.0],
        "efficiency": [0.6, 0.9],
    },
)
TABLE.add(
    "gas_pipelines.compressor_outlet_temperature",
    "fluids.compressible.isentropic_T_rise_compression",
    lambda inlet_temperature, suction_pressure, discharge_pressure, isentropic_exponent, efficiency: (
        compressible.isentropic_T_rise_compression(
            inlet_temperature, suction_pressure, discharge_pressure, isentropic_exponent, efficiency
        )
    ),
    draws={
        "inlet_temperature": [280.0, 330.0],
        "suction_pressure": [100000.0, 500000.0],
        "discharge_pressure": [600000.0, 3000000.0],
        "isentropic_exponent": [1.1, 1.67],
        "efficiency": [0.6, 0.9],
    },
)
TABLE.add(
    "gas_pipelines.isentropic_efficiency_of_polytropic",
    "fluids.compressible.isentropic_efficiency",
    lambda suction_pressure, discharge_pressure, isentropic_exponent, efficiency: compressible.isentropic_efficiency(
        suction_pressure, discharge_pressure, isentropic_exponent, eta_p=efficiency
    ),
    draws={
        "suction_pressure": [100000.0, 500000.0],
        "discharge_pressure": [600000.0, 3000000.0],
        "isentropic_exponent": [1.1, 1.67],
        "efficiency": [0.65, 0.92],
    },
)
TABLE.add(
    "gas_pipelines.polytropic_exponent",
    "fluids.compressible.polytropic_exponent",
    lambda isentropic_exponent, efficiency: compressible.polytropic_exponent(isentropic_exponent, eta_p=efficiency),
    draws={"isentropic_exponent": [1.1, 1.67], "efficiency": [0.75, 0.95]},
)
TABLE.add(
    "gas_pipelines.critical_flow_pressure",
    "fluids.compressible.P_critical_flow",
    lambda upstream_pressure, isentropic_exponent: compressible.P_critical_flow(upstream_pressure, isentropic_exponent),
    draws={"upstream_pressure": [200000.0, 5000000.0], "isentropic_exponent": [1.1, 1.67]},
)
