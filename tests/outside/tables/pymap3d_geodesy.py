"""Geodesy by pymap3d, for ellipsoids as flat as a planet's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pymap3d
from oracle import OracleTable
from pymap3d import latitude as lat
from pymap3d import lox, rcurve, rsphere

TABLE = OracleTable("pymap3d", pymap3d.__version__)
PLANETS: dict[str, Sequence[Any]] = {
    "semi_major_axis": [1.0e6, 7.0e7],
    "inverse_flattening": [15.0, 300.0],
}
EARTHS: dict[str, Sequence[Any]] = {"semi_major_axis": [6.3e6, 6.4e6], "inverse_flattening": [290.0, 300.0]}


def make_ellipsoid(semi_major_axis: float, inverse_flattening: float) -> pymap3d.Ellipsoid:
    """Make an ellipsoid from its usual two numbers."""
    return pymap3d.Ellipsoid(semi_major_axis, semi_major_axis * (1 - 1 / inverse_flattening))


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-11, **more: Any) -> None:
    def ask(semi_major_axis: float = 6378137.0, inverse_flattening: float = 298.257223563, **rest: float) -> Any:
        return compute(make_ellipsoid(semi_major_axis, inverse_flattening), **rest)

    draws = {**PLANETS, **more.pop("draws", {})}
    TABLE.add(f"geodesy.{name}", f"pymap3d.{function}", ask, within=within, draws=draws, **more)


_add("semi_minor_axis", "Ellipsoid.semiminor_axis", lambda ell: ell.semiminor_axis)
_add("first_eccentricity", "Ellipsoid.eccentricity", lambda ell: ell.eccentricity)
_add("third_flattening", "Ellipsoid.thirdflattening", lambda ell: ell.thirdflattening)
_add("meridian_curvature_radius", "rcurve.meridian", lambda ell, latitude: rcurve.meridian(latitude, ell))
_add("prime_vertical_curvature_radius", "rcurve.transverse", lambda ell, latitude: rcurve.transverse(latitude, ell))
_add("parallel_radius", "rcurve.parallel", lambda ell, latitude: rcurve.parallel(latitude, ell))
_add("geocentric_radius", "rcurve.geocentric_radius", lambda ell, latitude: rcurve.geocentric_radius(latitude, ell))
_add("mean_radius", "rsphere.triaxial", lambda ell: rsphere.triaxial(ell, "mean"))
_add("authalic_radius", "rsphere.authalic", rsphere.authalic)
_add("volumetric_radius", "rsphere.eqavol", rsphere.eqavol, 1e-8, draws=EARTHS)  # a series in the flattening
_add(
    "geocentric_latitude",
    "latitude.geodetic2geocentric",
    lambda ell, latitude: lat.geodetic2geocentric(latitude, 0, ell),
)
_add(
    "parametric_latitude", "latitude.geodetic2parametric", lambda ell, latitude: lat.geodetic2parametric(latitude, ell)
)
_add("isometric_latitude", "latitude.geodetic2isometric", lambda ell, latitude: lat.geodetic2isometric(latitude, ell))
_add(
    "conformal_latitude",
    "latitude.geodetic2conformal",
    lambda ell, latitude: lat.geodetic2conformal(latitude, ell),
    near_zero=1e-12,
    draws={"latitude": [-85.0, 85.0]},
)
_add(
    "authalic_latitude",
    "latitude.geodetic2authalic",
    lambda ell, latitude: lat.geodetic2authalic(latitude, ell),
    1e-8,  # a series in the eccentricity
    draws=EARTHS,
)
_add(
    "rectifying_latitude",
    "latitude.geodetic2rectifying",
    lambda ell, latitude: lat.geodetic2rectifying(latitude, ell),
    1e-9,  # a series in the third flattening
    draws=EARTHS,
)
_add(
    "parallel_arc_length",
    "lox.departure",
    lambda ell, latitude, longitude_difference: lox.departure(0.0, longitude_difference, latitude, ell),
    draws={"longitude_difference": [0.0, 179.0]},  # beyond 180 degrees it takes the shorter way
)
_add(
    "earth_centered_from_geodetic",
    "geodetic2ecef",
    lambda ell, latitude, longitude, height: dict(
        zip("xyz", pymap3d.geodetic2ecef(latitude, longitude, height, ell), strict=True)
    ),
    near_zero=1e-6,
    draws={"height": [-1e4, 1e7], "longitude": [-180.0, 180.0]},
)
_add(
    "east_north_up",
    "geodetic2enu",
    lambda ell, latitude, longitude, height, origin_latitude, origin_longitude, origin_height: dict(
        zip(
            ("east", "north", "up"),
            pymap3d.geodetic2enu(latitude, longitude, height, origin_latitude, origin_longitude, origin_height, ell),
            strict=True,
        )
    ),
    near_zero=1e-5,
    draws={"height": [-1e4, 1e7], "origin_height": [-1e3, 1e4]},
)
_add(
    "look_angles",
    "geodetic2aer",
    lambda ell, latitude, longitude, height, observer_latitude, observer_longitude, observer_height: dict(
        zip(
            ("azimuth", "elevation", "slant_range"),
            pymap3d.geodetic2aer(
                latitude, longitude, height, observer_latitude, observer_longitude, observer_height, ell
            ),
            strict=True,
        )
    ),
    1e-9,
    draws={"height": [1e5, 4e7], "observer_height": [-1e3, 1e4]},
)
TABLE.add(
    "geodesy.earth_centered_from_east_north_up",
    "pymap3d.enu2uvw",
    lambda east, north, up, latitude, longitude: dict(
        zip("xyz", pymap3d.enu2uvw(east, north, up, latitude, longitude), strict=True)
    ),
    within=1e-11,
    near_zero=1e-8,
    draws={"east": [-1e5, 1e5], "north": [-1e5, 1e5], "up": [-1e5, 1e5]},
)
