"""Heat flows of PyChemEngg."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from pychemengg.heattransfer.steadystate import Slab

TABLE = OracleTable("pychemengg", version("pychemengg"))
TABLE.add("heat_transfer.convection_heat_flow", "pychemengg.heattransfer.steadystate.Slab.heatrateof_conv", lambda coefficient, area, surface_temperature, fluid_temperature: float(Slab(thickness=1.0, area=area, thermalconductivity=1.0).heatrateof_conv(heattransfercoefficient=coefficient, dT=surface_temperature - fluid_temperature)), asked="of the temperatures' difference", draws={"coefficient": (1, 900), "area": (0.01, 30), "surface_temperature": (300, 600), "fluid_temperature": (250, 290)}, within=1e-12)
