"""Thin films of tmm: what a slab reflects and lets pass."""
# fmt: off  # a row compares one capability

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import tmm
from oracle import OracleTable

TABLE = OracleTable("tmm", version("tmm"))


def _choose(given: dict[str, Any]) -> dict[str, Any]:
    """The reflectance that a slab of this index has in air."""
    outside = math.asin(given["index"] * math.sin(given["angle"]))
    return {**given, "reflectance": float(tmm.interface_R("s", 1.0, given["index"], outside, given["angle"]))}


def _pass(reflectance: float, index: float, thickness: float, angle: float, wavelength: float) -> float:
    return float(
        tmm.coh_tmm(
            "s", [1, index, 1], [math.inf, thickness, math.inf], math.asin(index * math.sin(angle)), wavelength
        )["T"]
    )


TABLE.add(
    "optics.fresnel_normal_reflectance",
    "tmm.interface_R",
    lambda index_incident, index_refracted: tmm.interface_R("s", index_incident, index_refracted, 0, 0),
    within=1e-9,
    draws={"index_incident": (1, 1.5), "index_refracted": (1.6, 4)},
)
TABLE.add(
    "photonics.fabry_perot_transmission",
    "tmm.coh_tmm",
    _pass,
    prepare=_choose,
    within=1e-8,
    asked="a slab in air",
    draws={"index": (1.4, 3.5), "angle": (0, 0.25), "thickness": (0.5, 5), "wavelength": (0.4, 1)},
)
