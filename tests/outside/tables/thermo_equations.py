"""The equation of van der Waals of thermo, from the critical point that its constants imply."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from scipy.constants import R
from thermo.eos import VDW

TABLE = OracleTable("thermo", version("thermo"))


def _press(temperature: float, molar_volume: float, covolume: float, attraction: float) -> float:
    critical = 8 * attraction / (27 * R * covolume)
    return float(VDW(Tc=critical, Pc=attraction / (27 * covolume**2), T=temperature, V=molar_volume).P)


TABLE.add("thermodynamics.van_der_waals_pressure", "thermo.eos.VDW.P", _press, asked="from the critical point that the constants imply", draws={"temperature": (250, 900), "molar_volume": (0.0005, 0.03), "covolume": (0.00002, 0.0001), "attraction": (0.05, 1.5)}, within=1e-10)
