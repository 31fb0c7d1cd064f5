"""Fatigue curves and mean stress corrections of fatpack."""

from __future__ import annotations

from importlib.metadata import version

import fatpack
import numpy as np
from oracle import OracleTable


def below(arguments):
    """Let stresses be those of a detail that lives long."""
    return {**arguments, "stress_range": float(f"{arguments['stress_range'] * arguments['category']:.4g}")}


TABLE = OracleTable("fatpack", version("fatpack"))
TABLE.add(
    "materials.swt_amplitude",
    "fatpack.find_swt_equivalent_stress",
    lambda stress_amplitude, mean_stress: (
        fatpack.find_swt_equivalent_stress(np.array([2 * stress_amplitude]), np.array([mean_stress]))[0] / 2
    ),
    draws={"stress_amplitude": (50.0, 300.0), "mean_stress": (-40.0, 300.0)},
    within=1e-11,
)
TABLE.add(
    "materials.walker_amplitude",
    "fatpack.find_walker_equivalent_stress",
    lambda stress_amplitude, mean_stress, exponent: (
        fatpack.find_walker_equivalent_stress(np.array([2 * stress_amplitude]), np.array([mean_stress]), exponent)[0]
        / 2
    ),
    draws={"stress_amplitude": (50.0, 300.0), "mean_stress": (-40.0, 300.0), "exponent": (0.3, 0.9)},
    within=1e-11,
)
TABLE.add(
    "materials.detail_category_life",
    "fatpack.TriLinearEnduranceCurve.get_endurance",
    lambda stress_range, category: float(fatpack.TriLinearEnduranceCurve(category).get_endurance(stress_range)),
    draws={"stress_range": (0.41, 3.0), "category": (36.0, 160.0)},
    prepare=lambda arguments: below(arguments),
    within=1e-11,
)
TABLE.add(
    "materials.detail_category_damage",
    "fatpack.TriLinearEnduranceCurve.find_miner_sum",
    lambda stress_ranges, counts, category: fatpack.TriLinearEnduranceCurve(category).find_miner_sum(
        np.column_stack([stress_ranges, counts])
    ),
    draws={"n": (3, 6), "stress_ranges": (10.0, 200.0), "counts": (100.0, 1000000.0), "category": (36.0, 160.0)},
    within=1e-11,
)
TABLE.add(
    "materials.goodman_amplitude",
    "fatpack.find_goodman_equivalent_stress",
    lambda stress_amplitude, mean_stress, ultimate_strength: fatpack.find_goodman_equivalent_stress(
        stress_amplitude, mean_stress, ultimate_strength
    ),
    draws={"stress_amplitude": (50.0, 300.0), "mean_stress": (-100.0, 300.0), "ultimate_strength": (350.0, 900.0)},
    within=1e-11,
)
