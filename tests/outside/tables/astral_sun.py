"""The sun by astral, which computes as the calculator of NOAA does."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from importlib import metadata
from math import degrees
from typing import Any

import astral
from astral import SunDirection, sun
from oracle import OracleTable

TABLE = OracleTable("astral", metadata.version("astral"))


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-11, **more: Any) -> None:
    draws = {"centuries": (-1.0, 1.0), **more.pop("draws", {})}
    TABLE.add(f"ephemerides.{name}", f"astral.{function}", compute, within=within, draws=draws, **more)


def _show(latitude: float, longitude: float, julian_date: float) -> dict[str, float]:
    """Return the direction of the sun at a date that is a whole number of seconds."""
    at = datetime.datetime(2000, 1, 1, 12, tzinfo=datetime.UTC) + datetime.timedelta(julian_date - 2451545)
    observer = astral.Observer(latitude, longitude)
    return {
        "azimuth": sun.azimuth(observer, at),
        "altitude": sun.elevation(observer, at, with_refraction=False),
    }


_add("sun_mean_longitude", "sun.geom_mean_long_sun", sun.geom_mean_long_sun)
_add("sun_mean_anomaly", "sun.geom_mean_anomaly_sun", lambda centuries: sun.geom_mean_anomaly_sun(centuries) % 360)
_add("earth_orbit_eccentricity", "sun.eccentric_location_earth_orbit", sun.eccentric_location_earth_orbit)
_add("sun_equation_of_center", "sun.sun_eq_of_center", sun.sun_eq_of_center, near_zero=1e-11)
_add("sun_true_longitude", "sun.sun_true_long", lambda centuries: sun.sun_true_long(centuries) % 360)
_add("sun_apparent_longitude", "sun.sun_apparent_long", lambda centuries: sun.sun_apparent_long(centuries) % 360)
_add("sun_distance", "sun.sun_rad_vector", lambda centuries: sun.sun_rad_vector(centuries) * 149597870700.0)
_add("true_obliquity", "sun.obliquity_correction", sun.obliquity_correction)
_add("sun_right_ascension", "sun.sun_rt_ascension", lambda centuries: sun.sun_rt_ascension(centuries) % 360)
_add("sun_declination", "sun.sun_declination", sun.sun_declination, near_zero=1e-10)
_add("equation_of_time", "sun.eq_of_time", sun.eq_of_time, near_zero=1e-9)
_add(
    "sunrise_hour_angle",
    "sun.hour_angle",
    lambda latitude, declination, zenith=90.833: degrees(
        sun.hour_angle(latitude, declination, zenith, SunDirection.RISING)
    ),
    draws={"latitude": (-60.0, 60.0), "declination": (-23.4, 23.4), "zenith": (90.0, 96.0)},
)
_add(
    "horizon_dip",
    "sun.adjust_to_horizon",
    lambda height, radius: sun.adjust_to_horizon(height),
    1e-9,
    draws={"height": (10.0, 9000.0)},
    prepare=lambda given: {**given, "radius": 6356900.0},
)
_add(
    "sun_azimuth_and_altitude",
    "sun.zenith_and_azimuth",
    _show,
    1e-6,
    near_zero=1e-6,
    draws={"latitude": (-65.0, 65.0), "longitude": (-179.0, 179.0), "julian_date": (2433283.0, 2488070.0)},
    prepare=lambda given: {**given, "julian_date": round(given["julian_date"] * 64) / 64},
)
