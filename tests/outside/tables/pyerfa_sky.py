"""Directions, epochs and the rotation of the earth by ERFA."""

from __future__ import annotations

import math

import erfa
from oracle import OracleTable

TABLE = OracleTable("pyerfa", erfa.__version__)
D = 180 / math.pi
J0 = 2451545.0
R = math.radians


def turn_into_half(angles):
    """Give an hour angle of -180 degrees as 180: the same meridian."""
    hour_angle, declination = angles
    return (180.0 if hour_angle + 180 < 1e-9 else hour_angle), declination


TABLE.add(
    "celestial_coordinates.angular_separation",
    "erfa.seps",
    lambda longitude1, latitude1, longitude2, latitude2: (
        D * erfa.seps(R(longitude1), R(latitude1), R(longitude2), R(latitude2))
    ),
    within=1e-11,
    draws={"longitude1": [-180.0, 360.0], "longitude2": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.position_angle",
    "erfa.pas",
    lambda longitude1, latitude1, longitude2, latitude2: (
        D * erfa.pas(R(longitude1), R(latitude1), R(longitude2), R(latitude2))
    ),
    within=1e-11,
    draws={"longitude1": [-180.0, 360.0], "longitude2": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.horizontal_from_equatorial",
    "erfa.hd2ae",
    lambda hour_angle, declination, latitude: dict(
        zip(
            ("azimuth", "altitude"),
            (D * v for v in erfa.hd2ae(R(hour_angle), R(declination), R(latitude))),
            strict=True,
        )
    ),
    within=1e-11,
    draws={"hour_angle": [-179.9, 179.9]},  # at 180 degrees the azimuth is 0, or nearly 360
)
TABLE.add(
    "celestial_coordinates.equatorial_from_horizontal",
    "erfa.ae2hd",
    lambda azimuth, altitude, latitude: dict(
        zip(
            ("hour_angle", "declination"),
            turn_into_half(D * v for v in erfa.ae2hd(R(azimuth), R(altitude), R(latitude))),
            strict=True,
        )
    ),
    within=1e-11,
    draws={"azimuth": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.parallactic_angle",
    "erfa.hd2pa",
    lambda hour_angle, declination, latitude: D * erfa.hd2pa(R(hour_angle), R(declination), R(latitude)),
    within=1e-11,
    draws={"hour_angle": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.galactic_from_icrs",
    "erfa.icrs2g",
    lambda right_ascension, declination: dict(
        zip(("longitude", "latitude"), (D * v for v in erfa.icrs2g(R(right_ascension), R(declination))), strict=True)
    ),
    within=1e-11,
    draws={"right_ascension": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.icrs_from_galactic",
    "erfa.g2icrs",
    lambda longitude, latitude: dict(
        zip(("right_ascension", "declination"), (D * v for v in erfa.g2icrs(R(longitude), R(latitude))), strict=True)
    ),
    within=1e-11,
    draws={"longitude": [-180.0, 360.0]},
)
TABLE.add(
    "celestial_coordinates.mean_obliquity_1980",
    "erfa.obl80",
    lambda centuries: D * erfa.obl80(J0, 36525.0 * centuries),
    within=1e-11,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.mean_obliquity_2006",
    "erfa.obl06",
    lambda centuries: D * erfa.obl06(J0, 36525.0 * centuries),
    within=1e-11,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.precession_angles",
    "erfa.p06e",
    lambda centuries: dict(
        zip(
            ("zeta", "z", "theta"), (D * float(erfa.p06e(J0, 36525.0 * centuries)[k]) for k in (10, 9, 11)), strict=True
        )
    ),
    within=1e-11,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.mean_anomaly_of_moon",
    "erfa.fal03",
    lambda centuries: D * erfa.fal03(centuries) % 360.0,
    within=1e-09,
    near_zero=1e-07,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.mean_anomaly_of_sun",
    "erfa.falp03",
    lambda centuries: D * erfa.falp03(centuries) % 360.0,
    within=1e-09,
    near_zero=1e-07,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.argument_of_latitude_of_moon",
    "erfa.faf03",
    lambda centuries: D * erfa.faf03(centuries) % 360.0,
    within=1e-09,
    near_zero=1e-07,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.mean_elongation_of_moon",
    "erfa.fad03",
    lambda centuries: D * erfa.fad03(centuries) % 360.0,
    within=1e-09,
    near_zero=1e-07,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "celestial_coordinates.ascending_node_of_moon",
    "erfa.faom03",
    lambda centuries: D * erfa.faom03(centuries) % 360.0,
    within=1e-09,
    near_zero=1e-07,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "time_scales.earth_rotation_angle",
    "erfa.era00",
    lambda days: D * erfa.era00(J0, days),
    within=1e-09,
    near_zero=1e-07,
    draws={"days": [-40000.0, 40000.0]},
)
TABLE.add(
    "time_scales.greenwich_mean_sidereal_time_2000",
    "erfa.gmst00",
    lambda days, centuries: D * erfa.gmst00(J0, days, J0, 36525.0 * centuries),
    within=1e-09,
    near_zero=1e-07,
    draws={"days": [-40000.0, 40000.0]},
    prepare=lambda drawn: {**drawn, "centuries": drawn["days"] / 36525},
)
TABLE.add(
    "time_scales.greenwich_mean_sidereal_time_2006",
    "erfa.gmst06",
    lambda days, centuries: D * erfa.gmst06(J0, days, J0, 36525.0 * centuries),
    within=1e-09,
    near_zero=1e-07,
    draws={"days": [-40000.0, 40000.0]},
    prepare=lambda drawn: {**drawn, "centuries": drawn["days"] / 36525},
)
TABLE.add(
    "time_scales.greenwich_mean_sidereal_time_1982",
    "erfa.gmst82",
    lambda days: D * erfa.gmst82(J0, days),
    within=1e-09,
    near_zero=1e-07,
    draws={"days": [-40000.0, 40000.0]},
)
TABLE.add(
    "time_scales.julian_epoch",
    "erfa.epj",
    lambda julian_date: erfa.epj(julian_date, 0.0),
    within=1e-11,
    draws={"julian_date": [2300000.0, 2600000.0]},
)
TABLE.add(
    "time_scales.besselian_epoch",
    "erfa.epb",
    lambda julian_date: erfa.epb(julian_date, 0.0),
    within=1e-11,
    draws={"julian_date": [2300000.0, 2600000.0]},
)


def _lead(convert, julian_date):
    """Seconds by which the converted date is ahead, from both parts of it."""
    whole = math.floor(julian_date)
    first, second = convert(whole, julian_date - whole)
    return ((first - whole) + (second - (julian_date - whole))) * 86400


DATES = {"julian_date": [2300000.0, 2600000.0]}
for name, convert, within in (
    ("tt_minus_tcg", erfa.tcgtt, 1e-4),
    ("tcg_minus_tt", erfa.tttcg, 1e-4),
    ("tdb_minus_tcb", erfa.tcbtdb, 1e-5),
    ("tcb_minus_tdb", erfa.tdbtcb, 1e-5),
):
    TABLE.add(
        f"time_scales.{name}",
        f"erfa.{convert.__name__}",
        lambda julian_date, convert=convert: _lead(convert, julian_date),
        within=within,
        near_zero=2e-9,  # what a day in two doubles resolves
        draws=DATES,
    )
TABLE.add(
    "time_scales.tio_locator",
    "erfa.sp00",
    lambda centuries: D * erfa.sp00(J0, 36525.0 * centuries),
    within=1e-11,
    draws={"centuries": [-5.0, 5.0]},
)
TABLE.add(
    "time_scales.leap_seconds",
    "erfa.dat",
    lambda year, month: float(erfa.dat(year, month, 1, 0.0)),
    draws={"year": [1972, 2025], "month": [1, 12]},
)
TABLE.add(
    "time_scales.calendar_date",
    "erfa.jd2cal",
    lambda julian_date: dict(
        zip(("year", "month", "day", "fraction"), (v.item() for v in erfa.jd2cal(julian_date, 0.0)), strict=True)
    ),
    near_zero=1e-9,
    draws={"julian_date": [0.0, 4000000.0]},
)
TABLE.add(
    "time_scales.julian_date_from_julian_epoch",
    "erfa.epj2jd",
    lambda epoch: sum(erfa.epj2jd(epoch)),
    draws={"epoch": [1500.0, 2500.0]},
)
TABLE.add(
    "time_scales.julian_date_from_besselian_epoch",
    "erfa.epb2jd",
    lambda epoch: sum(erfa.epb2jd(epoch)),
    draws={"epoch": [1500.0, 2500.0]},
)
TABLE.add(
    "geodesy.geodetic_from_earth_centered",
    "erfa.gc2gde",
    lambda x, y, z, semi_major_axis=6378137.0, inverse_flattening=298.257223563: dict(
        zip(
            ("longitude", "latitude", "height"),
            (
                f * v
                for f, v in zip((D, D, 1), erfa.gc2gde(semi_major_axis, 1 / inverse_flattening, (x, y, z)), strict=True)
            ),
            strict=True,
        )
    ),
    within=1e-11,
    near_zero=1e-6,
    draws={
        "x": [-3e7, 3e7],
        "y": [-3e7, 3e7],
        "z": [-3e7, 3e7],
        "semi_major_axis": [6.3e6, 6.4e6],
        "inverse_flattening": [100.0, 300.0],
    },
)
