"""Walls, exchangers and convection of ht."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from typing import Any

import ht
from oracle import OracleTable

TABLE = OracleTable("ht", ht.__version__)
_EXCHANGER = {"capacity_ratio": (0.05, 0.95), "units": (0.1, 5), "effectiveness": (0.1, 0.9)}
_TUBE = {"reynolds_number": (1e4, 1e6), "prandtl_number": (0.7, 100), "friction_factor": (0.01, 0.05)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"ht.{function}", compute, **{"within": 1e-10, **more})


_add(
    "heat_transfer.log_mean_temperature_difference",
    "core.LMTD",
    lambda first_difference, second_difference: ht.LMTD(first_difference, second_difference, 0, 0),
    within=1e-8,
)
_add(
    "heat_transfer.counterflow_effectiveness",
    "hx.effectiveness_from_NTU",
    lambda units, capacity_ratio: ht.effectiveness_from_NTU(units, capacity_ratio, "counterflow"),
    draws=_EXCHANGER,
)
_add(
    "heat_transfer.parallel_flow_effectiveness",
    "hx.effectiveness_from_NTU",
    lambda units, capacity_ratio: ht.effectiveness_from_NTU(units, capacity_ratio, "parallel"),
    draws=_EXCHANGER,
    asked="parallel",
)
_add(
    "heat_transfer.crossflow_unmixed_effectiveness",
    "hx.effectiveness_from_NTU",
    lambda units, capacity_ratio: ht.effectiveness_from_NTU(units, capacity_ratio, "crossflow approximate"),
    draws=_EXCHANGER,
    asked="crossflow approximate",
)
_add(
    "heat_transfer.counterflow_ntu",
    "hx.NTU_from_effectiveness",
    lambda effectiveness, capacity_ratio: ht.NTU_from_effectiveness(effectiveness, capacity_ratio, "counterflow"),
    draws=_EXCHANGER,
    within=1e-8,
)
_add(
    "heat_transfer.ntu",
    "hx.NTU_from_UA",
    lambda coefficient, area, smaller_capacity_rate: ht.NTU_from_UA(coefficient * area, smaller_capacity_rate),
)
_add(
    "heat_transfer.dittus_boelter_nusselt",
    "conv_internal.turbulent_Dittus_Boelter",
    lambda reynolds_number, prandtl_number: ht.turbulent_Dittus_Boelter(reynolds_number, prandtl_number),
    draws=_TUBE,
)
_add(
    "heat_transfer.gnielinski_nusselt",
    "conv_internal.turbulent_Gnielinski",
    lambda friction_factor, reynolds_number, prandtl_number: ht.turbulent_Gnielinski(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws=_TUBE,
)
_add(
    "heat_transfer.cylinder_wall_heat_flow",
    "conduction.R_cylinder",
    lambda length, conductivity, inner_temperature, outer_temperature, inner_radius, outer_radius: (
        (inner_temperature - outer_temperature)
        / ht.conduction.R_cylinder(2 * inner_radius, 2 * outer_radius, conductivity, length)
    ),
    draws={"inner_radius": (0.1, 1), "outer_radius": (1.1, 3)},
    near_zero=1e-12,
)
