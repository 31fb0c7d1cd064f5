"""Drag and the speed numbers of pumps of fluids."""

# fmt: off
from __future__ import annotations

import math

import fluids
from fluids.core import Drag
from fluids.pump import specific_speed
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add("fluids.drag_force", "fluids.core.Drag", lambda drag_coefficient, density, speed, area: drag_coefficient / Drag(1.0, area, speed, density), asked="the force with that coefficient, as 1 N has another", draws={"drag_coefficient": (0.01, 2), "density": (0.5, 1100), "speed": (0.1, 300), "area": (0.001, 30)})
TABLE.add("pumps.specific_speed", "fluids.pump.specific_speed", lambda speed, flow, gravity, head: 2 * math.pi * specific_speed(flow, gravity * head, speed), asked="of the head as energy, in radians", draws={"speed": (5, 90), "flow": (0.001, 9), "gravity": (9.7, 9.9), "head": (1, 300)})
