"""Mercator's projection of the unit sphere by PROJ, which joins circular and hyperbolic functions."""

# fmt: off
from __future__ import annotations

import math

import pyproj
from oracle import OracleTable

TABLE = OracleTable("pyproj", pyproj.__version__)
MERCATOR = pyproj.Proj("+proj=merc +R=1")
TABLE.add("elementary.gudermannian", "pyproj.Proj", lambda x: math.radians(MERCATOR(0, x, inverse=True)[1]), draws={"x": (-5, 5)}, within=1e-12, asked="latitude that Mercator's projection maps there")
TABLE.add("elementary.inverse_gudermannian", "pyproj.Proj", lambda angle: MERCATOR(0, math.degrees(angle))[1], draws={"angle": (-1.5, 1.5)}, within=1e-12, asked="Mercator's projection of the latitude")
