"""Distances of points, and scales of temperature, of SciPy."""

from __future__ import annotations

import scipy
from oracle import OracleTable
from scipy.constants import convert_temperature
from scipy.spatial import distance

TABLE = OracleTable("scipy", scipy.__version__)
NEAR = {"x": (-9, 9), "y": (-9, 9), "n": (2, 6), "order": (1, 6)}
for _name, _function in [
    ("euclidean", distance.euclidean),
    ("manhattan", distance.cityblock),
    ("chebyshev", distance.chebyshev),
    ("minkowski", distance.minkowski),
    ("canberra", distance.canberra),
]:
    TABLE.add(
        f"geometry.{_name}_distance",
        f"scipy.spatial.distance.{_function.__name__}",
        _function,
        within=1e-12,
        draws=NEAR,
    )
TABLE.add(
    "geometry.hamming_distance",
    "scipy.spatial.distance.hamming",
    distance.hamming,
    draws={"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0], "n": (3, 9)},
)
for _name, _from, _to in [
    ("fahrenheit_to_celsius", "Fahrenheit", "Celsius"),
    ("celsius_to_kelvin", "Celsius", "Kelvin"),
    ("rankine_to_kelvin", "Rankine", "Kelvin"),
]:
    TABLE.add(
        f"thermodynamics.{_name}",
        "scipy.constants.convert_temperature",
        lambda value, _from=_from, _to=_to: convert_temperature(value, _from, _to),
        near_zero=1e-12,
        draws={"fahrenheit": (-100, 400), "celsius": (-100, 400), "rankine": (1, 900)},
    )
