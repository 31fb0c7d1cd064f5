"""Differential pressure flow meters, by fluids."""

from __future__ import annotations

from math import pi

import fluids
from fluids import flow_meter
from oracle import OracleTable


def _choose_taps(drawn: dict) -> dict:
    """Corner taps, D and D/2 taps, or flange taps, which have one distance."""
    if drawn["upstream_tap"] == 2.0:
        return drawn | {
            "upstream_tap": 0.0254 / drawn["pipe_diameter"],
            "downstream_tap": 0.0254 / drawn["pipe_diameter"],
        }
    return drawn | {"downstream_tap": 0.47 * drawn["upstream_tap"]}


def _name_taps(upstream: float) -> str:
    return {0.0: "corner", 1.0: "D and D/2"}.get(upstream, "flange")


TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "flow_measurement.meter_mass_flow",
    "fluids.flow_meter.flow_meter_discharge",
    lambda pipe_diameter, throat_diameter, pressure_difference, density, discharge_coefficient, expansibility: (
        flow_meter.flow_meter_discharge(
            pipe_diameter, throat_diameter, pressure_difference, 0.0, density, discharge_coefficient, expansibility
        )
    ),
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "pressure_difference": [500.0, 90000.0],
        "density": [1.0, 1000.0],
        "discharge_coefficient": [0.58, 0.99],
        "expansibility": [0.85, 1.0],
    },
)
TABLE.add(
    "flow_measurement.velocity_of_approach_factor",
    "fluids.flow_meter.velocity_of_approach_factor",
    lambda pipe_diameter, throat_diameter: flow_meter.velocity_of_approach_factor(pipe_diameter, throat_diameter),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045]},
)
TABLE.add(
    "flow_measurement.orifice_discharge_coefficient",
    "fluids.flow_meter.C_Reader_Harris_Gallagher",
    lambda pipe_diameter, throat_diameter, reynolds_number, upstream_tap, downstream_tap: (
        flow_meter.C_Reader_Harris_Gallagher(
            pipe_diameter,
            throat_diameter,
            1000.0,
            0.001,
            reynolds_number * pi * pipe_diameter * 0.001 / 4,
            _name_taps(upstream_tap),
        )
    ),
    prepare=_choose_taps,
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "reynolds_number": [10000.0, 2000000.0],
        "upstream_tap": [0.0, 1.0, 2.0],
        "downstream_tap": [0.0],
    },
)
TABLE.add(
    "flow_measurement.eccentric_orifice_discharge_coefficient",
    "fluids.flow_meter.C_eccentric_orifice_ISO_15377_1998",
    lambda pipe_diameter, throat_diameter: flow_meter.C_eccentric_orifice_ISO_15377_1998(
        pipe_diameter, throat_diameter
    ),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045]},
)
TABLE.add(
    "flow_measurement.quarter_circle_orifice_discharge_coefficient",
    "fluids.flow_meter.C_quarter_circle_orifice_ISO_15377_1998",
    lambda pipe_diameter, throat_diameter: flow_meter.C_quarter_circle_orifice_ISO_15377_1998(
        pipe_diameter, throat_diameter
    ),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045]},
)
TABLE.add(
    "flow_measurement.long_radius_nozzle_discharge_coefficient",
    "fluids.flow_meter.C_long_radius_nozzle",
    lambda pipe_diameter, throat_diameter, reynolds_number: flow_meter.C_long_radius_nozzle(
        pipe_diameter, throat_diameter, 1000.0, 0.001, reynolds_number * pi * pipe_diameter * 0.001 / 4
    ),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045], "reynolds_number": [50000.0, 2000000.0]},
)
TABLE.add(
    "flow_measurement.isa_nozzle_discharge_coefficient",
    "fluids.flow_meter.C_ISA_1932_nozzle",
    lambda pipe_diameter, throat_diameter, reynolds_number: flow_meter.C_ISA_1932_nozzle(
        pipe_diameter, throat_diameter, 1000.0, 0.001, reynolds_number * pi * pipe_diameter * 0.001 / 4
    ),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045], "reynolds_number": [50000.0, 2000000.0]},
)
TABLE.add(
    "flow_measurement.venturi_nozzle_discharge_coefficient",
    "fluids.flow_meter.C_venturi_nozzle",
    lambda pipe_diameter, throat_diameter: flow_meter.C_venturi_nozzle(pipe_diameter, throat_diameter),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045]},
)
TABLE.add(
    "flow_measurement.orifice_expansibility",
    "fluids.flow_meter.orifice_expansibility",
    lambda pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent: (
        flow_meter.orifice_expansibility(
            pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent
        )
    ),
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "upstream_pressure": [500.0, 900.0],
        "downstream_pressure": [400.0, 495.0],
        "isentropic_exponent": [1.1, 1.67],
    },
)
TABLE.add(
    "flow_measurement.orifice_expansibility_1989",
    "fluids.flow_meter.orifice_expansibility_1989",
    lambda pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent: (
        flow_meter.orifice_expansibility_1989(
            pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent
        )
    ),
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "upstream_pressure": [500.0, 900.0],
        "downstream_pressure": [400.0, 495.0],
        "isentropic_exponent": [1.1, 1.67],
    },
)
TABLE.add(
    "flow_measurement.nozzle_expansibility",
    "fluids.flow_meter.nozzle_expansibility",
    lambda pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent: (
        flow_meter.nozzle_expansibility(
            pipe_diameter, throat_diameter, upstream_pressure, downstream_pressure, isentropic_exponent
        )
    ),
    within=1e-11,
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "upstream_pressure": [500.0, 900.0],
        "downstream_pressure": [400.0, 495.0],
        "isentropic_exponent": [1.1, 1.67],
    },
)
TABLE.add(
    "flow_measurement.orifice_pressure_loss",
    "fluids.flow_meter.dP_orifice",
    lambda pipe_diameter, throat_diameter, pressure_difference, discharge_coefficient: flow_meter.dP_orifice(
        pipe_diameter, throat_diameter, pressure_difference, 0.0, discharge_coefficient
    ),
    draws={
        "pipe_diameter": [0.06, 0.5],
        "throat_diameter": [0.015, 0.045],
        "pressure_difference": [500.0, 90000.0],
        "discharge_coefficient": [0.58, 0.99],
    },
)
TABLE.add(
    "flow_measurement.orifice_loss_coefficient",
    "fluids.flow_meter.discharge_coefficient_to_K",
    lambda pipe_diameter, throat_diameter, discharge_coefficient: flow_meter.discharge_coefficient_to_K(
        pipe_diameter, throat_diameter, discharge_coefficient
    ),
    draws={"pipe_diameter": [0.06, 0.5], "throat_diameter": [0.015, 0.045], "discharge_coefficient": [0.58, 0.99]},
)
TABLE.add(
    "flow_measurement.cone_meter_diameter_ratio",
    "fluids.flow_meter.diameter_ratio_cone_meter",
    lambda pipe_diameter, cone_diameter: flow_meter.diameter_ratio_cone_meter(pipe_diameter, cone_diameter),
    draws={"pipe_diameter": [0.06, 0.2], "cone_diameter": [0.03, 0.055]},
)
TABLE.add(
    "flow_measurement.cone_meter_expansibility",
    "fluids.flow_meter.cone_meter_expansibility_Stewart",
    lambda pipe_diameter, cone_diameter, upstream_pressure, downstream_pressure, isentropic_exponent: (
        flow_meter.cone_meter_expansibility_Stewart(
            pipe_diameter, cone_diameter, upstream_pressure, downstream_pressure, isentropic_exponent
        )
    ),
    draws={
        "pipe_diameter": [0.06, 0.2],
        "cone_diameter": [0.03, 0.055],
        "upstream_pressure": [500.0, 900.0],
        "downstream_pressure": [400.0, 495.0],
        "isentropic_exponent": [1.1, 1.67],
    },
)
TABLE.add(
    "flow_measurement.cone_meter_pressure_loss",
    "fluids.flow_meter.dP_cone_meter",
    lambda pipe_diameter, cone_diameter, pressure_difference: flow_meter.dP_cone_meter(
        pipe_diameter, cone_diameter, pressure_difference, 0.0
    ),
    draws={"pipe_diameter": [0.06, 0.2], "cone_diameter": [0.03, 0.055], "pressure_difference": [500.0, 90000.0]},
)
TABLE.add(
    "flow_measurement.wedge_meter_diameter_ratio",
    "fluids.flow_meter.diameter_ratio_wedge_meter",
    lambda pipe_diameter, wedge_gap: flow_meter.diameter_ratio_wedge_meter(pipe_diameter, wedge_gap),
    within=1e-11,
    draws={"pipe_diameter": [0.06, 0.2], "wedge_gap": [0.012, 0.05]},
)
TABLE.add(
    "flow_measurement.wedge_meter_discharge_coefficient",
    "fluids.flow_meter.C_wedge_meter_ISO_5167_6_2017",
    lambda pipe_diameter, wedge_gap: flow_meter.C_wedge_meter_ISO_5167_6_2017(pipe_diameter, wedge_gap),
    draws={"pipe_diameter": [0.06, 0.2], "wedge_gap": [0.012, 0.05]},
)
TABLE.add(
    "flow_measurement.wedge_meter_pressure_loss",
    "fluids.flow_meter.dP_wedge_meter",
    lambda pipe_diameter, wedge_gap, pressure_difference: flow_meter.dP_wedge_meter(
        pipe_diameter, wedge_gap, pressure_difference, 0.0
    ),
    draws={"pipe_diameter": [0.06, 0.2], "wedge_gap": [0.012, 0.05], "pressure_difference": [500.0, 90000.0]},
)
TABLE.add(
    "flow_measurement.wet_gas_venturi_pressure_loss",
    "fluids.flow_meter.dP_Reader_Harris_Gallagher_wet_venturi_tube",
    lambda pipe_diameter, throat_diameter, pressure_difference, liquid_flow_rate, gas_flow_rate, liquid_density, gas_density, surface_parameter: (
        flow_meter.dP_Reader_Harris_Gallagher_wet_venturi_tube(
            pipe_diameter,
            throat_diameter,
            pressure_difference,
            0.0,
            liquid_flow_rate,
            gas_flow_rate,
            liquid_density,
            gas_density,
            surface_parameter,
        )
    ),
    draws={
        "pipe_diameter": [0.06, 0.2],
        "throat_diameter": [0.03, 0.055],
        "pressure_difference": [500.0, 90000.0],
        "liquid_flow_rate": [0.01, 2.0],
        "gas_flow_rate": [0.5, 5.0],
        "liquid_density": [700.0, 1000.0],
        "gas_density": [10.0, 90.0],
        "surface_parameter": [1.0, 1.35, 0.79],
    },
)
TABLE.add(
    "flow_measurement.wet_gas_venturi_discharge_coefficient",
    "fluids.flow_meter.C_Reader_Harris_Gallagher_wet_venturi_tube",
    lambda gas_flow_rate, liquid_flow_rate, gas_density, liquid_density, pipe_diameter, throat_diameter: (
        flow_meter.C_Reader_Harris_Gallagher_wet_venturi_tube(
            gas_flow_rate, liquid_flow_rate, gas_density, liquid_density, pipe_diameter, throat_diameter
        )
    ),
    draws={
        "gas_flow_rate": [0.5, 5.0],
        "liquid_flow_rate": [0.001, 0.2],
        "gas_density": [10.0, 90.0],
        "liquid_density": [700.0, 1000.0],
        "pipe_diameter": [0.06, 0.2],
        "throat_diameter": [0.03, 0.055],
    },
)
