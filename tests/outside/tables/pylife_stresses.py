"""Equivalent stresses, elastic constants and lives of pyLife."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pandas as pd
import pylife.materiallaws  # noqa: F401  # registers the Woehler curve of a series
from oracle import OracleTable
from pylife.materiallaws.hookeslaw import HookesLaw3d
from pylife.stress import equistress

TABLE = OracleTable("pylife", version("pylife"))
STRESS = (-4e8, 4e8)
DRAWS = {"first": STRESS, "second": STRESS, "third": STRESS, "stress_x": STRESS, "stress_y": STRESS, "shear": (1e6, 4e8), "modulus": (1e9, 4e11), "poisson_ratio": (0.05, 0.45)}


def _live(stress_amplitude: float, strength_coefficient: float, exponent: float) -> float:
    """Ask for the cycles of the curve that has the strength coefficient at half a cycle."""
    curve = pd.Series({"SD": strength_coefficient, "ND": 0.5, "k_1": -1 / exponent, "TN": 1.0, "TS": 1.0})
    return float(np.asarray(curve.woehler.miner_elementary().basquin_cycles(stress_amplitude)).item())


TABLE.add("materials.von_mises_stress", "pylife.stress.equistress.mises", lambda first, second, third: float(equistress.mises(first, second, third, 0.0, 0.0, 0.0)), draws=DRAWS, within=1e-11)
TABLE.add("materials.von_mises_plane_stress", "pylife.stress.equistress.mises", lambda stress_x, stress_y, shear: float(equistress.mises(stress_x, stress_y, 0.0, shear, 0.0, 0.0)), draws=DRAWS, within=1e-11)
TABLE.add("materials.tresca_stress", "pylife.stress.equistress.tresca", lambda first, second, third: float(np.asarray(equistress.tresca(*(np.array([s]) for s in (first, second, third, 0.0, 0.0, 0.0)))).item()), draws=DRAWS, within=1e-11)
TABLE.add("materials.shear_modulus", "pylife.materiallaws.hookeslaw.HookesLaw3d.G", lambda modulus, poisson_ratio: float(HookesLaw3d(modulus, poisson_ratio).G), draws=DRAWS)
TABLE.add("materials.bulk_modulus", "pylife.materiallaws.hookeslaw.HookesLaw3d.K", lambda modulus, poisson_ratio: float(HookesLaw3d(modulus, poisson_ratio).K), draws=DRAWS)
TABLE.add("materials.basquin_life", "pylife.materiallaws.WoehlerCurve.basquin_cycles", _live, asked="a curve through the strength coefficient at half a cycle", draws={"stress_amplitude": (1e8, 6e8), "strength_coefficient": (7e8, 2e9), "exponent": (-0.14, -0.05)}, within=1e-10)
