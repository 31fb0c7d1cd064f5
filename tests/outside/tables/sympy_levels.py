"""Levels of energy of SymPy."""

# fmt: off
from __future__ import annotations

import math

import sympy
from oracle import OracleTable
from scipy.constants import hbar
from sympy.physics.qho_1d import E_n
from sympy.physics.quantum.constants import hbar as unit

TABLE = OracleTable("sympy", sympy.__version__)
TABLE.add("quantum.oscillator_level_energy", "sympy.physics.qho_1d.E_n", lambda level, frequency: float(E_n(level, 2 * math.pi * frequency).subs(unit, hbar)), asked="of the angular frequency", draws={"level": [0, 1, 2, 3, 7], "frequency": (1e9, 1e15)}, within=1e-12)
