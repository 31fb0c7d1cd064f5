"""Conduction shape factors, annular fins and exchangers with several passes, by ht."""

from __future__ import annotations

import ht
from ht import conduction, core, hx
from oracle import OracleTable

TABLE = OracleTable("ht", ht.__version__)
TABLE.add(
    "heat_transfer.buried_pipe_shape_factor",
    "ht.conduction.S_isothermal_pipe_to_plane",
    lambda diameter, depth, length: conduction.S_isothermal_pipe_to_plane(diameter, depth, length),
    draws={"diameter": [0.05, 0.5], "depth": [0.6, 4.0], "length": [1.0, 50.0]},
)
TABLE.add(
    "heat_transfer.buried_sphere_shape_factor",
    "ht.conduction.S_isothermal_sphere_to_plane",
    lambda diameter, depth: conduction.S_isothermal_sphere_to_plane(diameter, depth),
    draws={"diameter": [0.1, 1.0], "depth": [0.6, 4.0]},
)
TABLE.add(
    "heat_transfer.vertical_rod_shape_factor",
    "ht.conduction.S_isothermal_pipe_normal_to_plane",
    lambda diameter, length: conduction.S_isothermal_pipe_normal_to_plane(diameter, length),
    draws={"diameter": [0.01, 0.2], "length": [1.0, 20.0]},
)
TABLE.add(
    "heat_transfer.parallel_pipes_shape_factor",
    "ht.conduction.S_isothermal_pipe_to_isothermal_pipe",
    lambda first_diameter, second_diameter, spacing, length: conduction.S_isothermal_pipe_to_isothermal_pipe(
        first_diameter, second_diameter, spacing, length
    ),
    draws={"first_diameter": [0.05, 0.5], "second_diameter": [0.05, 0.5], "spacing": [0.6, 4.0], "length": [1.0, 50.0]},
)
TABLE.add(
    "heat_transfer.pipe_between_planes_shape_factor",
    "ht.conduction.S_isothermal_pipe_to_two_planes",
    lambda diameter, depth, length: conduction.S_isothermal_pipe_to_two_planes(diameter, depth, length),
    draws={"diameter": [0.05, 0.5], "depth": [0.6, 4.0], "length": [1.0, 50.0]},
)
TABLE.add(
    "heat_transfer.eccentric_cylinders_shape_factor",
    "ht.conduction.S_isothermal_pipe_eccentric_to_isothermal_pipe",
    lambda inner_diameter, outer_diameter, offset, length: conduction.S_isothermal_pipe_eccentric_to_isothermal_pipe(
        inner_diameter, outer_diameter, offset, length
    ),
    draws={"inner_diameter": [0.05, 0.2], "outer_diameter": [0.4, 0.8], "offset": [0.01, 0.09], "length": [1.0, 50.0]},
)
TABLE.add(
    "heat_transfer.annular_fin_efficiency",
    "ht.core.fin_efficiency_Kern_Kraus",
    lambda tube_diameter, fin_diameter, fin_thickness, fin_conductivity, coefficient: core.fin_efficiency_Kern_Kraus(
        tube_diameter, fin_diameter, fin_thickness, fin_conductivity, coefficient
    ),
    within=1e-11,
    draws={
        "tube_diameter": [0.01, 0.03],
        "fin_diameter": [0.04, 0.08],
        "fin_thickness": [0.0002, 0.003],
        "fin_conductivity": [15.0, 400.0],
        "coefficient": [5.0, 200.0],
    },
)
TABLE.add(
    "heat_transfer.shell_and_tube_effectiveness",
    "ht.hx.effectiveness_from_NTU",
    lambda units, capacity_ratio, shells: hx.effectiveness_from_NTU(units, capacity_ratio, "S&T", shells),
    asked="S&T",
    draws={"units": [0.1, 4.0], "capacity_ratio": [0.05, 0.95], "shells": [1, 5]},
)
TABLE.add(
    "heat_transfer.crossflow_mixed_minimum_effectiveness",
    "ht.hx.effectiveness_from_NTU",
    lambda units, capacity_ratio: hx.effectiveness_from_NTU(units, capacity_ratio, "crossflow, mixed Cmin"),
    asked="crossflow, mixed Cmin",
    draws={"units": [0.1, 4.0], "capacity_ratio": [0.05, 0.95]},
)
TABLE.add(
    "heat_transfer.crossflow_mixed_maximum_effectiveness",
    "ht.hx.effectiveness_from_NTU",
    lambda units, capacity_ratio: hx.effectiveness_from_NTU(units, capacity_ratio, "crossflow, mixed Cmax"),
    asked="crossflow, mixed Cmax",
    draws={"units": [0.1, 4.0], "capacity_ratio": [0.05, 0.95]},
)
TABLE.add(
    "heat_transfer.phase_change_effectiveness",
    "ht.hx.effectiveness_from_NTU",
    lambda units: hx.effectiveness_from_NTU(units, 0.0, "boiler"),
    asked="boiler",
    draws={"units": [0.1, 4.0]},
)
TABLE.add(
    "heat_transfer.lmtd_correction_factor",
    "ht.hx.F_LMTD_Fakheri",
    lambda hot_inlet, hot_outlet, cold_inlet, cold_outlet, shells: hx.F_LMTD_Fakheri(
        hot_inlet, hot_outlet, cold_inlet, cold_outlet, shells
    ),
    within=1e-09,
    draws={
        "hot_inlet": [370.0, 400.0],
        "hot_outlet": [345.0, 360.0],
        "cold_inlet": [285.0, 300.0],
        "cold_outlet": [310.0, 330.0],
        "shells": [1, 5],
    },
)
