"""The moon by the full theory of ERFA, from which short series differ by what they promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import erfa
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("pyerfa", erfa.__version__)
J2000 = 2451545.0


def find_moon(centuries: float) -> tuple[float, float, float]:
    """Return ecliptic longitude and latitude of date in degrees, and the distance in meters."""
    x, y, z = erfa.moon98(J2000, 36525 * centuries)["p"]
    longitude, latitude = erfa.eqec06(J2000, 36525 * centuries, np.arctan2(y, x), np.arctan2(z, np.hypot(x, y)))
    distance = float(np.sqrt(x * x + y * y + z * z)) * 149597870700.0
    return float(np.degrees(longitude)) % 360, float(np.degrees(latitude)), distance


def find_phase(centuries: float) -> float:
    """Return the lit part of the moon's disk, from the places of sun and moon."""
    moon = erfa.moon98(J2000, 36525 * centuries)["p"]
    heliocentric, _ = erfa.epv00(J2000, 36525 * centuries)
    sun = -heliocentric["p"]
    to_sun, to_earth = sun - moon, -moon
    cosine = to_sun @ to_earth / np.linalg.norm(to_sun) / np.linalg.norm(to_earth)
    return float((1 + cosine) / 2)


def _add(name: str, function: str, compute: Callable[..., Any], within: float, **more: Any) -> None:
    draws = {"centuries": (-0.5, 0.5), **more.pop("draws", {})}
    TABLE.add(f"ephemerides.{name}", f"erfa.{function}", compute, within=within, draws=draws, **more)


_add("moon_longitude", "moon98", lambda centuries: find_moon(centuries)[0], 2e-3, near_zero=0.4)
_add("moon_latitude", "moon98", lambda centuries: find_moon(centuries)[1], 5e-2, near_zero=0.25)
_add("moon_distance", "moon98", lambda centuries: find_moon(centuries)[2], 5e-3)
_add("moon_illuminated_fraction", "moon98", find_phase, 1e-2, near_zero=5e-3, asked="and the sun by epv00")
