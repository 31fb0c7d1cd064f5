"""Intervals and scales by PyTuning."""

from __future__ import annotations

from importlib.metadata import version

import sympy
from oracle import OracleTable
from pytuning.scales import create_equal_interval_scale
from pytuning.utilities import ratio_to_cents

TABLE = OracleTable("pytuning", version("pytuning"))
FIFTH = sympy.Rational(3, 2)


def go_meantone(fifths: int, comma_fraction: float) -> float:
    """Return the last note of a scale of that many meantone fifths, brought into the octave."""
    part = sympy.Rational(str(comma_fraction))
    generator = FIFTH * sympy.Rational(80, 81) ** part
    scale = create_equal_interval_scale(
        generator, scale_size=fifths + 1, number_down_intervals=0, sort=False, remove_duplicates=False
    )
    return float(scale[fifths])


TABLE.add(
    "music.interval_cents",
    "pytuning.utilities.ratio_to_cents",
    lambda lower, upper: float(ratio_to_cents(sympy.Rational(str(upper)) / sympy.Rational(str(lower)))),
    draws={"lower": [20.0, 4000.0], "upper": [20.0, 4000.0]},
    near_zero=1e-9,
)
TABLE.add(
    "music.meantone_ratio",
    "pytuning.scales.create_equal_interval_scale",
    go_meantone,
    draws={"fifths": [0, 12], "comma_fraction": [0.2, 0.25, 0.3, 0.16]},
)
