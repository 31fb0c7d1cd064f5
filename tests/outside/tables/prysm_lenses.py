"""Thin lenses of prysm."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from prysm.thinlens import object_to_image_dist
from scipy.optimize import brentq

TABLE = OracleTable("prysm", version("prysm"))


def _focus(focal_length: float, f_number: float, confusion: float) -> float:
    """Find the object whose sharp image lets light from afar spread over the circle of confusion."""
    def spread(distance: float) -> float:
        image = float(object_to_image_dist(focal_length, -distance))
        return focal_length / f_number * (image - focal_length) / focal_length - confusion

    return float(brentq(spread, 2 * focal_length, 1e6 * focal_length, xtol=1e-14, rtol=1e-14))


TABLE.add("optics.hyperfocal_distance", "prysm.thinlens.object_to_image_dist", _focus, asked="the object that leaves the far light as wide as the circle", draws={"focal_length": (0.02, 0.3), "f_number": (1.4, 22), "confusion": (5e-6, 5e-5)}, within=1e-8)
