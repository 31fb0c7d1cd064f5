"""Courses and triangles on a sphere, and fixes of points in the plane, by PyGeodesy."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import metadata
from typing import Any

from oracle import OracleTable
from pygeodesy import (
    Ellipsoid,
    Vector3d,
    cassini,
    equirectangular,
    excessLHuilier_,
    horizon,
    hubeny,
    intersection3d3,
    snellius3,
    trilaterate2d2,
)
from pygeodesy.sphericalTrigonometry import LatLon, triangle8_

TABLE = OracleTable("pygeodesy", metadata.version("pygeodesy"))
MEAN = 6371008.8  # the default radius of the capabilities
DRAWS = {
    "latitude": (-80.0, 80.0),
    "longitude": (-179.0, 179.0),
    "to_latitude": (-80.0, 80.0),
    "to_longitude": (-179.0, 179.0),
    "off_latitude": (-80.0, 80.0),
    "off_longitude": (-179.0, 179.0),
    "course": (0.0, 359.0),
    "distance": (1e5, 1e7),
    "radius": (1e6, 7e7),
    "fraction": (0.0, 1.0),
}


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-9, **more: Any) -> None:
    draws = {**DRAWS, **more.pop("draws", {})}
    TABLE.add(name, f"pygeodesy.{function}", compute, within=within, draws=draws, **more)


def _say(name: str, method: str, compute: Callable[..., Any], **more: Any) -> None:
    """Compare with a method of a point on the sphere."""

    def ask(latitude: float, longitude: float, **rest: float) -> Any:
        start = LatLon(latitude, longitude)
        if "to_latitude" in rest:
            rest = {"end": LatLon(rest.pop("to_latitude"), rest.pop("to_longitude")), **rest}  # type: ignore[dict-item]
        return compute(start, **rest)

    _add(f"navigation.{name}", f"sphericalTrigonometry.LatLon.{method}", ask, **more)


def _place(point: Any) -> dict[str, float]:
    return {"latitude": point.lat, "longitude": point.lon}


def _cross(start: Any, end: Any, parallel: float) -> dict[str, float]:
    first, second = start.crossingParallels(end, parallel)
    return {"first": first, "second": second}


_say("great_circle_initial_course", "initialBearingTo", lambda start, end: start.initialBearingTo(end))
_say("great_circle_final_course", "finalBearingTo", lambda start, end: start.finalBearingTo(end))
_say(
    "great_circle_distance",
    "vincentysTo",
    lambda start, end, radius=MEAN: start.vincentysTo(end, radius=radius),
)
_say(
    "great_circle_destination",
    "destination",
    lambda start, course, distance, radius=MEAN: _place(start.destination(distance, course, radius=radius)),
    near_zero=1e-9,
)
_say("great_circle_midpoint", "midpointTo", lambda start, end: _place(start.midpointTo(end)), near_zero=1e-9)
_say(
    "great_circle_point",
    "intermediateTo",
    lambda start, end, fraction: _place(start.intermediateTo(end, fraction)),
    near_zero=1e-9,
)
_add(
    "navigation.great_circle_highest_latitude",
    "sphericalTrigonometry.LatLon.maxLat",
    lambda latitude, course: LatLon(latitude, 10.0).maxLat(course),
)
_say(
    "great_circle_parallel_crossing",
    "crossingParallels",
    _cross,
    near_zero=1e-8,
    draws={"latitude": (40.0, 80.0), "to_latitude": (-80.0, -40.0), "parallel": (-38.0, 38.0)},
)
_say(
    "cross_track_distance",
    "crossTrackDistanceTo",
    lambda start, end, off_latitude, off_longitude, radius=MEAN: LatLon(
        off_latitude, off_longitude
    ).crossTrackDistanceTo(start, end, radius=radius),
    near_zero=1e-3,
)
_say(
    "along_track_distance",
    "alongTrackDistanceTo",
    lambda start, end, off_latitude, off_longitude, radius=MEAN: LatLon(
        off_latitude, off_longitude
    ).alongTrackDistanceTo(start, end, radius=radius),
    near_zero=1e-1,
)
_say("rhumb_course", "rhumbAzimuthTo", lambda start, end: start.rhumbAzimuthTo(end, b360=True))
_say(
    "rhumb_distance",
    "rhumbDistanceTo",
    lambda start, end, radius=MEAN: start.rhumbDistanceTo(end, radius=radius),
)
_say(
    "rhumb_destination",
    "rhumbDestination",
    lambda start, course, distance, radius=MEAN: _place(start.rhumbDestination(distance, course, radius=radius)),
    near_zero=1e-8,
    draws={"latitude": (-50.0, 50.0), "distance": (1e4, 3e6), "radius": (6e6, 7e6)},
)
_add(
    "navigation.equirectangular_distance",
    "equirectangular",
    lambda latitude, longitude, to_latitude, to_longitude, radius=MEAN: equirectangular(
        latitude, longitude, to_latitude, to_longitude, radius=radius
    ),
    draws={
        "latitude": (40.0, 50.0),
        "to_latitude": (40.0, 50.0),
        "longitude": (5.0, 15.0),
        "to_longitude": (5.0, 15.0),
    },
)
_add(
    "navigation.short_distance_on_ellipsoid",
    "hubeny",
    lambda latitude, longitude, to_latitude, to_longitude, semi_major_axis, inverse_flattening: hubeny(
        latitude, longitude, to_latitude, to_longitude, datum=Ellipsoid(semi_major_axis, None, inverse_flattening)
    ),
    draws={
        "latitude": (40.0, 42.0),
        "to_latitude": (40.0, 42.0),
        "longitude": (5.0, 7.0),
        "to_longitude": (5.0, 7.0),
        "semi_major_axis": (6.3e6, 6.4e6),
        "inverse_flattening": (290.0, 300.0),
    },
)
_say("antipode", "antipode", lambda start: _place(start.antipode()))

PLANE = {
    "x1": (-900.0, -600.0),
    "y1": (300.0, 600.0),
    "x2": (600.0, 900.0),
    "y2": (400.0, 700.0),
    "x3": (-100.0, 100.0),
    "y3": (800.0, 1200.0),
    "angle1": (20.0, 60.0),
    "angle2": (20.0, 60.0),
    "distance1": (900.0, 1500.0),
    "distance2": (900.0, 1500.0),
    "bearing1": (30.0, 80.0),
    "bearing2": (280.0, 330.0),
    "side_a": (300.0, 900.0),
    "side_b": (300.0, 900.0),
    "angle_c": (60.0, 110.0),  # PyGeodesy takes a wrong branch where the three angles are beyond 180 degrees
    "alpha": (20.0, 34.0),
    "beta": (20.0, 34.0),
}


def _fix(name: str, function: str, compute: Callable[..., Any], **more: Any) -> None:
    _add(f"geodesy.{name}", function, compute, **{"draws": PLANE, "within": 1e-8, "near_zero": 1e-7, **more})


def _plane(point: Any) -> dict[str, float]:
    return {"x": point.x, "y": point.y}


def _resect(x1: float, y1: float, x2: float, y2: float, x3: float, y3: float, angle1: float, angle2: float) -> Any:
    point = cassini(Vector3d(x1, y1, 0), Vector3d(x3, y3, 0), Vector3d(x2, y2, 0), angle1, angle2)
    return _plane(point)


def _trilaterate(drawn: dict[str, Any]) -> dict[str, Any]:
    """Put distances to one point in the place of the drawn ones."""
    x, y = 37.0, -210.0
    return {
        **drawn,
        **{f"distance{at}": ((drawn[f"x{at}"] - x) ** 2 + (drawn[f"y{at}"] - y) ** 2) ** 0.5 for at in (1, 2, 3)},
    }


_fix(
    "resection",
    "cassini",
    _resect,
    draws={**PLANE, "x2": (-100.0, 100.0), "y2": (800.0, 1200.0), "x3": (600.0, 900.0), "y3": (400.0, 700.0)},
)
_fix(
    "snellius_pothenot_distances",
    "snellius3",
    lambda side_a, side_b, angle_c, alpha, beta: dict(
        zip(("to_a", "to_b", "to_c"), snellius3(side_a, side_b, angle_c, alpha, beta), strict=True)
    ),
)
_fix(
    "trilateration",
    "trilaterate2d2",
    lambda x1, y1, distance1, x2, y2, distance2, x3, y3, distance3: _plane(
        trilaterate2d2(x1, y1, distance1, x2, y2, distance2, x3, y3, distance3)
    ),
    prepare=_trilaterate,
)
_fix(
    "bearing_intersection",
    "intersection3d3",
    lambda x1, y1, bearing1, x2, y2, bearing2: _plane(
        intersection3d3(Vector3d(x1, y1, 0), bearing1, Vector3d(x2, y2, 0), bearing2, useZ=False).point
    ),
)

ANGLES = {"a": (0.8, 1.2), "b": (0.8, 1.2), "c": (0.8, 1.2), "angle": (0.1, 2.8)}


def _triangle(b: float, c: float, angle: float) -> Any:
    """Return the triangle with a corner at the pole: the angle there, and the two sides at it."""
    return triangle8_(math.pi / 2, 0.0, math.pi / 2 - c, 0.0, math.pi / 2 - b, angle)


_add(
    "geometry.horizon_distance", "horizon", lambda radius, height: horizon(height, radius), draws={"height": (1.0, 1e5)}
)
_add("geometry.spherical_excess_area", "excessLHuilier_", lambda a, b, c: excessLHuilier_(a, b, c), draws=ANGLES)
_add(
    "geometry.spherical_side",
    "sphericalTrigonometry.triangle8_",
    lambda b, c, angle: _triangle(b, c, angle).a,
    draws=ANGLES,
)
