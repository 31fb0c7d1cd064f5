"""Gravity, magnetic fields and roots of mountains by Harmonica."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from typing import Any

import harmonica
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("harmonica", metadata.version("harmonica"))
CRUST = {"density": (1500.0, 3500.0), "crust_density": (2500.0, 2900.0), "mantle_density": (3100.0, 3500.0)}
FIELD = {
    "east": (-4e-5, 4e-5),
    "north": (-4e-5, 4e-5),
    "up": (-4e-5, 4e-5),
    "intensity": (2e-5, 7e-5),
    "inclination": (-89.0, 89.0),
    "declination": (-180.0, 180.0),
}
PRISM = {
    "west": (-500.0, -100.0),
    "east": (100.0, 700.0),
    "south": (-400.0, -50.0),
    "north": (90.0, 600.0),
    "top_depth": (10.0, 100.0),
    "bottom_depth": (150.0, 900.0),
}


def _add(name: str, function: str, compute: Callable[..., Any], draws: dict[str, Any], **more: Any) -> None:
    TABLE.add(f"geophysics.{name}", f"harmonica.{function}", compute, within=1e-9, draws=draws, **more)


def _find_moho(
    topography: float, crust_density: float, mantle_density: float, water_density: float, reference_depth: float
) -> float:
    layers = {"water": (-topography, water_density)} if topography < 0 else None
    return float(
        harmonica.isostatic_moho_airy(
            topography,
            layers=layers,
            density_crust=crust_density,
            density_mantle=mantle_density,
            reference_depth=reference_depth,
        )
    )


def _find_prism(
    west: float, east: float, south: float, north: float, top_depth: float, bottom_depth: float, density: float
) -> float:
    prism = [west, east, south, north, -bottom_depth, -top_depth]
    return float(harmonica.prism_gravity((0.0, 0.0, 0.0), prism, density, field="g_z")) / 1e5


_add(
    "bouguer_slab",
    "bouguer_correction",
    lambda density, thickness: float(harmonica.bouguer_correction(np.array([thickness]), density)[0]) / 1e5,
    CRUST | {"thickness": (1.0, 5000.0)},
)
_add(
    "marine_bouguer_correction",
    "bouguer_correction",
    lambda depth, crust_density, water_density: (
        float(harmonica.bouguer_correction(np.array([-depth]), crust_density, water_density)[0]) / 1e5
    ),
    CRUST | {"depth": (10.0, 6000.0), "water_density": (1000.0, 1050.0)},
    asked="of a negative topography",
)
_add(
    "airy_root",
    "isostatic_moho_airy",
    lambda height, crust_density, mantle_density: harmonica.isostatic_moho_airy(
        height, density_crust=crust_density, density_mantle=mantle_density, reference_depth=0.0
    ),
    CRUST | {"height": (100.0, 8000.0)},
    asked="with a reference depth of 0",
)
_add(
    "isostatic_moho_depth",
    "isostatic_moho_airy",
    _find_moho,
    CRUST | {"topography": (-6000.0, 6000.0), "water_density": (1000.0, 1050.0), "reference_depth": (2.5e4, 3.5e4)},
)
_add(
    "buried_sphere_gravity",
    "point_gravity",
    lambda mass, depth, distance: (
        float(harmonica.point_gravity((distance, 0.0, 0.0), (0.0, 0.0, -depth), mass, field="g_z")) / 1e5
    ),
    {"mass": (1e8, 1e12), "depth": (50.0, 3000.0), "distance": (0.0, 5000.0)},
)
_add("prism_gravity", "prism_gravity", _find_prism, PRISM | {"density": (-800.0, 3000.0)})
_add(
    "total_field_anomaly",
    "total_field_anomaly",
    lambda east, north, up, inclination, declination: float(
        harmonica.total_field_anomaly((east, north, up), inclination, declination)
    ),
    FIELD,
    near_zero=1e-15,
)
_add(
    "magnetic_field_components",
    "magnetic_angles_to_vec",
    lambda intensity, inclination, declination: dict(
        zip(
            ("east", "north", "up"),
            map(float, harmonica.magnetic_angles_to_vec(intensity, inclination, declination)),
            strict=True,
        )
    ),
    FIELD,
    near_zero=1e-18,
)
_add(
    "magnetic_inclination_and_declination",
    "magnetic_vec_to_angles",
    lambda east, north, up: dict(
        zip(
            ("intensity", "inclination", "declination"),
            map(float, harmonica.magnetic_vec_to_angles(east, north, up)),
            strict=True,
        )
    ),
    FIELD | {"north": (1e-6, 4e-5)},  # to the south Harmonica mirrors the declination
    near_zero=1e-12,
)
