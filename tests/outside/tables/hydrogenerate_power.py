"""Power of falling water of HydroGenerate."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from types import SimpleNamespace

from HydroGenerate import hydropower_potential
from oracle import OracleTable
from scipy.constants import g

TABLE = OracleTable("HydroGenerate", version("HydroGenerate"))


def _fall(efficiency: float, density: float, flow: float, head: float, gravity: float = g) -> float:
    hydropower_potential.rho, hydropower_potential.g = density, gravity  # theirs have three digits
    plant = SimpleNamespace(flow=flow, head=head, rated_power=None, system_efficiency=efficiency, head_loss=None)
    hydropower_potential.Basic().hydropower_calculation(plant)
    return 1e3 * float(plant.rated_power)



def _lift(density: float, gravity: float, flow: float, head: float, efficiency: float) -> float:
    return _fall(1 / efficiency, density, flow, head, gravity)


TABLE.add("energy.hydro_power", "HydroGenerate.hydropower_potential.Basic.hydropower_calculation", _fall, asked="in kilowatts, with the standard gravity", draws={"efficiency": (0.5, 0.95), "density": (990, 1005), "flow": (0.01, 90), "head": (1, 300)}, within=1e-11)
TABLE.add("pumps.shaft_power", "HydroGenerate.hydropower_potential.Basic.hydropower_calculation", _lift, asked="of the inverse efficiency, as the water is lifted", draws={"density": (600, 1200), "gravity": (9.7, 9.9), "flow": (0.01, 9), "head": (1, 300), "efficiency": (0.4, 0.9)}, within=1e-11)
