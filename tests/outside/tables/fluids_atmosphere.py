"""The standard atmosphere of fluids, which asks for geometric heights."""

from __future__ import annotations

from importlib.metadata import version

from fluids.atmosphere import ATMOSPHERE_1976
from oracle import OracleTable

TABLE = OracleTable("fluids", version("fluids"))
RADIUS = 6356766.0  # of the earth, in m, by which it makes geopotential heights
for _name, _property in [("temperature", "T"), ("density", "rho"), ("sound_speed", "v_sonic")]:
    TABLE.add(
        f"aerodynamics.standard_atmosphere_{_name}",
        f"fluids.atmosphere.ATMOSPHERE_1976.{_property}",
        lambda height, _of=_property: getattr(ATMOSPHERE_1976(RADIUS * height / (RADIUS - height)), _of),
        within=1e-5,  # its gas constant is that of 1976
        draws={"height": (0, 10900)},
    )
