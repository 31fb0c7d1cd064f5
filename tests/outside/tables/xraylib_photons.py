"""Photons that electrons and crystals scatter, of xraylib."""

from __future__ import annotations

import math
from typing import Any

import xraylib
from oracle import OracleTable

TABLE = OracleTable("xraylib", xraylib.__version__)
BARN = 1e-28  # in m^2
LENGTH = xraylib.KEV2ANGST  # of a wave of 1 keV, in Angstrom
SILICON = xraylib.Crystal_GetCrystal("Si")


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    # Its constants have six to nine digits.
    TABLE.add(f"crystallography.{capability}", f"xraylib.{function}", compute, **{"within": 2e-6, **more})


def _reflect(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make an order the planes of silicon of that order, and the wavelength one that they reflect."""
    spacing = xraylib.Crystal_dSpacing(SILICON, 1, 1, 1)
    return {"spacing": spacing, "wavelength": drawn["wavelength"], "order": drawn["order"]}


def _find_angle(spacing: float, wavelength: float, order: int) -> float:
    planes = next(
        (h, k, l)
        for h, k, l in [(1, 1, 1), (2, 2, 0), (3, 1, 1)]
        if abs(xraylib.Crystal_dSpacing(SILICON, h, k, l) - spacing) < 1e-9
    )
    angle = xraylib.Bragg_angle(SILICON, LENGTH / wavelength, *(order * each for each in planes))
    return math.degrees(angle)


ANGLE, ENERGY = {"angle": (5, 175)}, {"energy": (5, 800)}
_add(
    "thomson_cross_section",
    "DCS_Thoms",
    lambda angle: BARN * xraylib.DCS_Thoms(math.radians(angle)),
    draws=ANGLE,
)
_add(
    "klein_nishina_cross_section",
    "DCS_KN",
    lambda energy, angle: BARN * xraylib.DCS_KN(energy, math.radians(angle)),
    draws=ANGLE | ENERGY,
)
_add("klein_nishina_total_cross_section", "CS_KN", lambda energy: BARN * xraylib.CS_KN(energy), draws=ENERGY)
_add(
    "compton_energy",
    "ComptonEnergy",
    lambda energy, angle: xraylib.ComptonEnergy(energy, math.radians(angle)),
    draws=ANGLE | ENERGY,
)
_add(
    "momentum_transfer",
    "MomentTransf",
    lambda energy, angle: 10 * xraylib.MomentTransf(energy, math.radians(angle)),
    draws=ANGLE | ENERGY,
)
_add(
    "bragg_angle",
    "Bragg_angle",
    _find_angle,
    draws={"wavelength": (0.4, 1.5), "order": (1, 4)},
    prepare=_reflect,
    asked="of silicon",
)
# The angle of the package is in radians, and the order is that of the planes' index.
TABLE.add(
    "quantum.bragg_angle",
    "xraylib.Bragg_angle",
    lambda order, wavelength, spacing: xraylib.Bragg_angle(SILICON, LENGTH / (1e10 * wavelength), order, order, order),
    asked="the planes 111 of silicon",
    within=2e-6,
    draws={
        "order": [1, 2, 3],
        "wavelength": (2e-11, 1.5e-10),
        "spacing": [xraylib.Crystal_dSpacing(SILICON, 1, 1, 1) / 1e10],
    },
)
