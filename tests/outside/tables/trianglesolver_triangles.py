"""Triangles of trianglesolver."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from trianglesolver import solve

TABLE = OracleTable("trianglesolver", version("trianglesolver"))
TABLE.add(
    "geometry.side_from_angles",
    "trianglesolver.solve",
    lambda a, angle_a, angle_b: solve(a=a, A=angle_a, B=angle_b)[1],
    asked="of a side and two angles",
    draws={"a": (0.1, 9), "angle_a": (0.1, 1.5), "angle_b": (0.1, 1.5)},
    within=1e-11,
)
TABLE.add(
    "geometry.triangle_angle",
    "trianglesolver.solve",
    lambda opposite, b, c: solve(a=opposite, b=b, c=c)[3],
    asked="of three sides",
    draws={"opposite": (2, 3.9), "b": (2, 4), "c": (2, 4)},
    within=1e-11,
)
