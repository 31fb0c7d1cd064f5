"""Geodesics, meridian arcs and changes of datum by PROJ."""

from __future__ import annotations

from typing import Any

import pyproj
from oracle import OracleTable

TABLE = OracleTable("pyproj", pyproj.__version__)
EARTHS = {"semi_major_axis": [6.3e6, 6.4e6], "inverse_flattening": [290.0, 300.0]}


def make_geod(semi_major_axis: float = 6378137.0, inverse_flattening: float = 298.257223563) -> pyproj.Geod:
    """Make the solver of geodesics on an ellipsoid."""
    return pyproj.Geod(a=semi_major_axis, rf=inverse_flattening)


TABLE.add(
    "geodesy.rectifying_radius",
    "pyproj.Geod.inv",
    lambda **ellipsoid: make_geod(**ellipsoid).inv(0, -90, 0, 90)[2] / 3.141592653589793,
    within=1e-13,
    draws=EARTHS,
    asked="from pole to pole, over pi",
)
TABLE.add(
    "geodesy.meridian_arc_length",
    "pyproj.Geod.inv",
    lambda latitude, **ellipsoid: (1 if latitude > 0 else -1) * make_geod(**ellipsoid).inv(0, 0, 0, latitude)[2],
    within=1e-12,
    near_zero=1e-8,
    draws=EARTHS,
    asked="along the meridian",
)
TABLE.add(
    "geodesy.footpoint_latitude",
    "pyproj.Geod.fwd",
    lambda length, **ellipsoid: make_geod(**ellipsoid).fwd(0, 0, 0, length)[1],
    within=1e-12,
    near_zero=1e-13,
    draws={**EARTHS, "length": [-9.8e6, 9.8e6]},
    asked="along the meridian",
)


def transform_helmert(x: float, y: float, z: float, scale: float, **more: float) -> Any:
    """Transform by PROJ, which takes arc seconds and parts per million."""
    shifts = " ".join(f"+{axis}={more['shift_' + axis]!r}" for axis in "xyz")
    turns = " ".join(f"+r{axis}={more['rotation_' + axis] * 3600!r}" for axis in "xyz")
    text = f"+proj=helmert {shifts} {turns} +s={scale * 1e6!r} +convention=position_vector"
    return dict(zip("xyz", pyproj.Transformer.from_pipeline(text).transform(x, y, z), strict=True))


TABLE.add(
    "geodesy.helmert_transformation",
    "pyproj.Transformer.transform",
    transform_helmert,
    within=1e-11,
    near_zero=1e-7,
    draws={
        **{axis: [-7e6, 7e6] for axis in "xyz"},
        **{f"shift_{axis}": [-1000.0, 1000.0] for axis in "xyz"},
        **{f"rotation_{axis}": [-0.01, 0.01] for axis in "xyz"},
        "scale": [-1e-4, 1e-4],
    },
    asked="+proj=helmert",
)
