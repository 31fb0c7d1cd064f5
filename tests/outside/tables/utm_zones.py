"""Zones of the universal transverse Mercator grid by utm."""

from __future__ import annotations

from importlib.metadata import version

import utm
from oracle import OracleTable

TABLE = OracleTable("utm", version("utm"))
TABLE.add(
    "geodesy.utm_zone",
    "utm.latlon_to_zone_number",
    lambda latitude, longitude: utm.latlon_to_zone_number(latitude, longitude),
)
