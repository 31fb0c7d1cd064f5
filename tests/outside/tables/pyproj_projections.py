"""Map projections of the ellipsoid by PROJ."""

from __future__ import annotations

from typing import Any

import pyproj
from oracle import OracleTable

TABLE = OracleTable("pyproj", pyproj.__version__)
ELLIPSOID = {"semi_major_axis": 6378137.0, "inverse_flattening": 298.257223563}
FIGURE = " +a={semi_major_axis!r} +rf={inverse_flattening!r} +no_defs"
WHERE = " +lon_0={central_meridian!r}" + FIGURE


def make_projection(definition: str, arguments: dict[str, Any]) -> pyproj.Proj:
    """Make a projection from a definition that names the arguments of a capability."""
    return pyproj.Proj(definition.format(**{**ELLIPSOID, **arguments}))


def needs_meridian(definition: str) -> bool:
    """Whether a definition leaves the central meridian open."""
    return not any(each in definition for each in ("+zone", "=ups", "=krovak"))


def _add(name: str, definition: str, within: float = 1e-9, near_zero: float = 1e-6, **draws: Any) -> None:
    where = WHERE if needs_meridian(definition) else FIGURE

    def project(longitude: float, latitude: float, **rest: Any) -> dict[str, float]:
        if "southern" in rest:
            rest["south"] = "+south" if rest["southern"] else ""
        x, y = make_projection(definition + where, rest)(longitude, latitude, errcheck=True)
        return {"easting": x, "northing": y}

    def find(easting: float, northing: float, **rest: Any) -> dict[str, float]:
        if "southern" in rest:
            rest["south"] = "+south" if rest["southern"] else ""
        projection = make_projection(definition + where, rest)
        longitude, latitude = projection(easting, northing, inverse=True, errcheck=True)
        return {"longitude": longitude, "latitude": latitude}

    usual = {"semi_major_axis": [6.3e6, 6.4e6], "inverse_flattening": [290.0, 300.0], "scale_factor": [0.9, 1.1]}
    if name.startswith("geodetic_from"):
        compute = find
    else:
        compute = project
        usual |= {"longitude": [-20.0, 20.0], "central_meridian": [-20.0, 20.0], "latitude": [-80.0, 80.0]}
    TABLE.add(
        f"map_projections.{name}",
        "pyproj.Proj",
        compute,
        within=within,
        near_zero=near_zero,
        draws={**usual, **draws},
        asked=definition.split(maxsplit=1)[0],
    )


def _add_factor(name: str, factor: str, **more: Any) -> None:
    def find(longitude: float, latitude: float, **rest: Any) -> float:
        rest = {"scale_factor": 1.0, **rest}
        projection = make_projection("+proj=tmerc +k_0={scale_factor!r}" + WHERE, rest)
        return getattr(projection.get_factors(longitude, latitude), factor)

    draws = {"longitude": [-3.0, 3.0], "central_meridian": [-2.0, 2.0], "latitude": [-80.0, 80.0]}
    draws |= {"semi_major_axis": [6.3e6, 6.4e6], "inverse_flattening": [290.0, 300.0], "scale_factor": [0.9, 1.1]}
    TABLE.add(f"map_projections.{name}", "pyproj.Proj.get_factors", find, draws=draws, asked="+proj=tmerc", **more)


# In degrees from an inverse projection 1e-10 is a hundredth of a millimeter.
_add("ellipsoidal_transverse_mercator", "+proj=tmerc +lat_0={origin_latitude!r} +k_0={scale_factor!r}")
_add(
    "geodetic_from_transverse_mercator",
    "+proj=tmerc +lat_0={origin_latitude!r} +k_0={scale_factor!r}",
    near_zero=1e-10,
    easting=[-1e6, 1e6],
    northing=[-3e6, 3e6],
    origin_latitude=[-40.0, 40.0],
    central_meridian=[-100.0, 100.0],
)
_add("utm", "+proj=utm +zone={zone} {south}", longitude=[-6.0, 18.0], zone=[30, 31, 32, 33])
_add(
    "geodetic_from_utm",
    "+proj=utm +zone={zone} {south}",
    near_zero=1e-10,
    easting=[1e5, 9e5],
    northing=[1e6, 9e6],
    zone=[2, 59],
)
_add_factor("transverse_mercator_convergence", "meridian_convergence", within=1e-8, near_zero=1e-9)
_add_factor("transverse_mercator_scale", "meridional_scale", within=1e-8)
_add("ellipsoidal_mercator", "+proj=merc +k_0={scale_factor!r}")
PARALLELS = "+lat_1={first_parallel!r} +lat_2={second_parallel!r} +lat_0={origin_latitude!r}"
CONE: dict[str, Any] = {"first_parallel": [20.0, 40.0], "second_parallel": [41.0, 60.0], "origin_latitude": [0.0, 60.0]}
_add("ellipsoidal_lambert_conformal_conic", f"+proj=lcc {PARALLELS}", **CONE)
_add("ellipsoidal_albers_conic", f"+proj=aea {PARALLELS}", **CONE)
_add("ellipsoidal_equidistant_conic", f"+proj=eqdc {PARALLELS}", **CONE)
_add("ellipsoidal_lambert_azimuthal", "+proj=laea +lat_0={center_latitude!r}", center_latitude=[-80.0, 80.0])
_add("ellipsoidal_cylindrical_equal_area", "+proj=cea +lat_ts={standard_parallel!r}", standard_parallel=[-70.0, 70.0])
_add(
    "polar_stereographic",
    "+proj=stere +lat_0=90 +lat_ts={standard_parallel!r}",
    standard_parallel=[60.0, 85.0],
    latitude=[-10.0, 89.0],
)
_add("universal_polar_stereographic", "+proj=ups {south}")
_add(
    "oblique_stereographic", "+proj=sterea +lat_0={center_latitude!r} +k_0={scale_factor!r}", center_latitude=[-70, 70]
)
_add(
    "swiss_oblique_mercator",
    "+proj=somerc +lat_0={center_latitude!r} +k_0={scale_factor!r}",
    center_latitude=[20, 60],
    latitude=[10, 70],
)
_add(
    "krovak",
    "+proj=krovak +lat_0=49.5 +lon_0=24.8333333333333333 +k_0=0.9999",
    longitude=[12.0, 23.0],
    latitude=[47.0, 52.0],
)
_add("ellipsoidal_polyconic", "+proj=poly +lat_0={origin_latitude!r}")
_add(
    "ellipsoidal_cassini",
    "+proj=cass +lat_0={origin_latitude!r}",
    longitude=[-2.0, 2.0],
    central_meridian=[-2.0, 2.0],
    latitude=[-70.0, 70.0],
)
