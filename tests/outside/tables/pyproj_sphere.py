"""Map projections of the sphere by PROJ."""

from __future__ import annotations

from typing import Any

import pyproj
from oracle import OracleTable

TABLE = OracleTable("pyproj", pyproj.__version__)


def _add(name: str, definition: str, within: float = 1e-9, **more: Any) -> None:
    def project(**a: float) -> dict[str, float]:
        where = f" +lon_0={a['central_meridian']} +R={a['radius']} +no_defs"
        x, y = pyproj.Proj(definition.format(**a) + where)(a["longitude"], a["latitude"], errcheck=True)
        return {"easting": x, "northing": y}

    draws = {"radius": [1000.0, 7e6], "longitude": [-180.0, 180.0], "central_meridian": [-180.0, 180.0], **more}
    asked = definition.split(maxsplit=1)[0]
    TABLE.add(
        f"map_projections.{name}", "pyproj.Proj", project, within=within, near_zero=1e-6, draws=draws, asked=asked
    )


_add("mercator", "+proj=merc")
_add("plate_carree", "+proj=eqc +lat_ts={standard_parallel}")
_add("cylindrical_equal_area", "+proj=cea +lat_ts={standard_parallel}")
_add("sinusoidal", "+proj=sinu")
_add("miller_cylindrical", "+proj=mill")
_add("central_cylindrical", "+proj=cc")
_add("gall_stereographic", "+proj=gall")
_add("transverse_mercator", "+proj=tmerc +approx +k_0={scale_factor} +lat_0={origin_latitude}", scale_factor=[0.5, 2.0])
_add("cassini", "+proj=cass +lat_0={origin_latitude}")
_add("lambert_conformal_conic", "+proj=lcc +lat_1={first_parallel} +lat_2={second_parallel} +lat_0={origin_latitude}")
_add("albers_conic", "+proj=aea +lat_1={first_parallel} +lat_2={second_parallel} +lat_0={origin_latitude}")
_add("equidistant_conic", "+proj=eqdc +lat_1={first_parallel} +lat_2={second_parallel} +lat_0={origin_latitude}")
_add("stereographic", "+proj=stere +lat_0={center_latitude} +k_0={scale_factor}", scale_factor=[0.5, 2.0])
_add("orthographic", "+proj=ortho +lat_0={center_latitude}")
_add("gnomonic", "+proj=gnom +lat_0={center_latitude}")
_add("lambert_azimuthal_equal_area", "+proj=laea +lat_0={center_latitude}")
_add("azimuthal_equidistant", "+proj=aeqd +lat_0={center_latitude}")
_add("mollweide", "+proj=moll")
_add("polyconic", "+proj=poly +lat_0={origin_latitude}")
_add("bonne", "+proj=bonne +lat_1={standard_parallel}")
_add("aitoff", "+proj=aitoff")
_add("hammer", "+proj=hammer")
_add("winkel_tripel", "+proj=wintri +lat_1={standard_parallel}")
_add("kavrayskiy_vii", "+proj=kav7")
_add("eckert_iv", "+proj=eck4")
_add("eckert_vi", "+proj=eck6")
_add("craster_parabolic", "+proj=crast")
_add("quartic_authalic", "+proj=qua_aut")
_add("equal_earth", "+proj=eqearth")
