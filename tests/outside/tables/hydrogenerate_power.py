"""Power of falling water of HydroGenerate."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from types import SimpleNamespace

from HydroGenerate import hydropower_potential
from oracle import OracleTable
from scipy.constants import g

TABLE = OracleTable("HydroGenerate", version("HydroGenerate"))
hydropower_potential.g = g  # theirs has three digits


def _fall(efficiency: float, density: float, flow: float, head: float) -> float:
    hydropower_potential.rho = density
    plant = SimpleNamespace(flow=flow, head=head, rated_power=None, system_efficiency=efficiency, head_loss=None)
    hydropower_potential.Basic().hydropower_calculation(plant)
    return 1e3 * float(plant.rated_power)


TABLE.add("energy.hydro_power", "HydroGenerate.hydropower_potential.Basic.hydropower_calculation", _fall, asked="in kilowatts, with the standard gravity", draws={"efficiency": (0.5, 0.95), "density": (990, 1005), "flow": (0.01, 90), "head": (1, 300)}, within=1e-11)
