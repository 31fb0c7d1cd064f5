"""Belts around circles of Shapely."""

# fmt: off
from __future__ import annotations

import shapely
from oracle import OracleTable

TABLE = OracleTable("shapely", shapely.__version__)


def _wrap(distance: float, large_diameter: float, small_diameter: float) -> float:
    wheels = [shapely.Point(x, 0).buffer(diameter / 2, quad_segs=40000) for x, diameter in ((0, large_diameter), (distance, small_diameter))]
    return float(shapely.MultiPolygon(wheels).convex_hull.length)


TABLE.add("machine_design.open_belt_length", "shapely.convex_hull", _wrap, asked="of two circles of 160,000 sides", draws={"distance": (1, 3), "large_diameter": (0.4, 0.9), "small_diameter": (0.1, 0.3)}, within=1e-8)
