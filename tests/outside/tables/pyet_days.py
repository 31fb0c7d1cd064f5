"""Lengths of days of pyet."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

import pyet
from oracle import OracleTable

TABLE = OracleTable("pyet", version("pyet"))
TABLE.add("energy.day_length", "pyet.sunset_angle", lambda latitude, declination: 24 / math.pi * float(pyet.sunset_angle(math.radians(declination), math.radians(latitude))), asked="24 h for pi, of both angles in radians", draws={"latitude": (-65, 65), "declination": (-23.4, 23.4)}, within=1e-12)
