"""Complex numbers of mpmath."""

# fmt: off
from __future__ import annotations

from typing import Any

import mpmath as mp
from oracle import OracleTable

TABLE = OracleTable("mpmath", mp.__version__)
mp.mp.dps = 25


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"complex_numbers.{capability}", f"mpmath.{function}", compute, **{"within": 1e-12, "near_zero": 1e-15, "draws": {"n": (2, 2), "k": (2, 2), "m": (2, 2), "degree": (2, 5)}, **more})


def _part(value: Any) -> dict[str, float]:
    return {"real": float(mp.re(value)), "imaginary": float(mp.im(value))}


_add("multiply", "mpc", lambda z, w: _part(mp.mpc(*z) * mp.mpc(*w)), asked="product")
_add("divide", "mpc", lambda z, w: _part(mp.mpc(*z) / mp.mpc(*w)), asked="quotient")
_add("modulus", "fabs", lambda z: float(mp.fabs(mp.mpc(*z))))
_add("polar", "polar", lambda z: dict(zip(("modulus", "argument"), map(float, mp.polar(mp.mpc(*z))), strict=True)))
_add("from_polar", "rect", lambda modulus, argument: _part(mp.rect(modulus, argument)))
_add("power", "power", lambda z, w: _part(mp.power(mp.mpc(*z), mp.mpc(*w))))
for _name in ("sqrt", "exp", "log", "sin", "cos", "gamma", "zeta"):
    _add(_name, _name, lambda z, function=getattr(mp, _name): _part(function(mp.mpc(*z))))
_add("nth_roots", "root", lambda z, degree: [[float(mp.re(root)), float(mp.im(root))] for root in (mp.root(mp.mpc(*z), degree, k) for k in range(degree))])
