"""Elastic rocks, their fluids and their reflections by bruges."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np
from bruges.filters import ricker
from bruges.petrophysics import density_to_porosity, gardner
from bruges.reflection import reflection
from bruges.rockphysics import anisotropy, bounds, elastic, fluids, fluidsub, moduli, rockphysicsmodels
from bruges.transform import v_rms
from oracle import OracleTable

TABLE = OracleTable("bruges", metadata.version("bruges"))
ROCK = {
    "p_velocity": (2000.0, 6000.0),
    "s_velocity": (800.0, 1900.0),
    "density": (1900.0, 2900.0),
    "porosity": (0.05, 0.35),
    "mineral_bulk_modulus": (3.0e10, 8.0e10),
    "mineral_shear_modulus": (2.0e10, 5.0e10),
    "dry_bulk_modulus": (5e9, 2e10),
    "saturated_bulk_modulus": (1e10, 2.5e10),
    "fluid_bulk_modulus": (1e8, 3e9),
    "new_fluid_bulk_modulus": (1e8, 3e9),
    "bulk_modulus": (1e10, 7e10),
    "shear_modulus": (5e9, 4e10),
    "bulk_modulus1": (1e9, 4e9),
    "bulk_modulus2": (1e7, 1e9),
    "saturation": (0.0, 1.0),
    "mineral_density": (2600.0, 2900.0),
    "water_density": (1000.0, 1150.0),
    "hydrocarbon_density": (100.0, 900.0),
    "matrix_density": (2600.0, 2900.0),
    "fluid_density": (1000.0, 1100.0),
    "stress": (5e6, 5e7),
    "critical_porosity": (0.36, 0.45),
    "contacts": (5.0, 10.0),
    "adhesion": (0.0, 1.0),
    "temperature": (10.0, 120.0),
    "pressure": (1e6, 9e7),
    "salinity": (0.001, 0.25),
    "aspect_ratio": (0.01, 0.5),
    "quality_factor": (10.0, 300.0),
    "frequency": (10.0, 80.0),
    "time": (-0.05, 0.05),
}
FACE = {
    "p_velocity1": (2000.0, 3000.0),
    "s_velocity1": (900.0, 1400.0),
    "density1": (2000.0, 2400.0),
    "p_velocity2": (2500.0, 3500.0),
    "s_velocity2": (1200.0, 1900.0),
    "density2": (2100.0, 2600.0),
    "angle": (0.0, 35.0),
    "delta1": (-0.1, 0.2),
    "epsilon1": (0.0, 0.3),
    "delta2": (-0.1, 0.2),
    "epsilon2": (0.0, 0.3),
}


def _add(name: str, function: str, compute: Callable[..., Any], within: float = 1e-10, **more: Any) -> None:
    draws = {**ROCK, **FACE, **more.pop("draws", {})}
    TABLE.add(f"rock_physics.{name}", f"bruges.{function}", compute, within=within, draws=draws, **more)


def _both(pair: tuple[Any, Any]) -> dict[str, float]:
    """Turn moduli in gigapascals into the record of the capabilities."""
    return {"bulk_modulus": float(pair[0]) * 1e9, "shear_modulus": float(pair[1]) * 1e9}


def _reflect(method: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    """Ask for a reflectivity at one angle."""

    def ask(
        p_velocity1: float,
        s_velocity1: float,
        density1: float,
        p_velocity2: float,
        s_velocity2: float,
        density2: float,
        angle: float = 0.0,
    ) -> Any:
        value = method(p_velocity1, s_velocity1, density1, p_velocity2, s_velocity2, density2, angle, **more)
        return value if more else float(np.real(value))

    return ask


def _name_gradient(found: Any) -> dict[str, float]:
    return {"intercept": float(np.real(found.intercept)), "gradient": float(np.real(found.gradient))}


def _mix(fractions: list[float], values: list[float]) -> dict[str, float]:
    parts = np.array(fractions), np.array(values)
    return {
        "voigt": bounds.voigt_bound(*parts),
        "reuss": bounds.reuss_bound(*parts),
        "hill": bounds.hill_average(*parts),
    }


def _bound(fractions: list[float], bulk_moduli: list[float], shear_moduli: list[float]) -> dict[str, float]:
    """Return the bounds of the bulk modulus; those of the shear modulus bruges takes from the bulk moduli too."""
    found = bounds.hashin_shtrikman(np.array(fractions), bulk_moduli, shear_moduli, "bulk")
    return {"lower": found.lower_bound, "upper": found.upper_bound}


def _split(given: dict[str, Any]) -> dict[str, Any]:
    """Make arguments of two constituents whose fractions add up exactly."""
    part = round(given["fractions"][0] % 1 * 64) / 64
    pairs = {name: list(values[:2]) for name, values in given.items() if name != "fractions"}
    return {"fractions": [part, 1 - part], **pairs}


SIZES = {"values": (1e10, 8e10), "bulk_moduli": (1e10, 8e10), "shear_moduli": (5e9, 5e10), "fractions": (0.0, 1.0)}

_add(
    "dynamic_poisson_ratio",
    "rockphysics.moduli.pr",
    lambda p_velocity, s_velocity: moduli.pr(vp=p_velocity, vs=s_velocity),
)
_add(
    "dynamic_young_modulus",
    "rockphysics.moduli.youngs",
    lambda p_velocity, s_velocity, density: moduli.youngs(vp=p_velocity, vs=s_velocity, rho=density),
)
_add(
    "dynamic_bulk_modulus",
    "rockphysics.moduli.bulk",
    lambda p_velocity, s_velocity, density: moduli.bulk(vp=p_velocity, vs=s_velocity, rho=density),
)
_add(
    "gassmann_bulk_modulus",
    "rockphysics.fluidsub.smith_gassmann",
    lambda dry_bulk_modulus, mineral_bulk_modulus, fluid_bulk_modulus, porosity: fluidsub.smith_gassmann(
        dry_bulk_modulus, mineral_bulk_modulus, fluid_bulk_modulus, porosity
    ),
)
_add(
    "gassmann_fluid_substitution",
    "rockphysics.fluidsub.avseth_gassmann",
    lambda saturated_bulk_modulus, fluid_bulk_modulus, new_fluid_bulk_modulus, mineral_bulk_modulus, porosity: (
        fluidsub.avseth_gassmann(
            saturated_bulk_modulus, fluid_bulk_modulus, new_fluid_bulk_modulus, mineral_bulk_modulus, porosity
        )
    ),
)
_add(
    "wood_bulk_modulus",
    "rockphysics.fluids.wood",
    lambda saturation, bulk_modulus1, bulk_modulus2: fluids.wood(bulk_modulus1, bulk_modulus2, saturation),
)
_add(
    "saturated_rock_density",
    "rockphysics.fluidsub.rhosat",
    lambda porosity, saturation, mineral_density, water_density, hydrocarbon_density: fluidsub.rhosat(
        porosity, saturation, mineral_density, water_density, hydrocarbon_density
    ),
)
_add(
    "brine_density",
    "rockphysics.fluids.rho_brine",
    lambda temperature, pressure, salinity: float(fluids.rho_brine(temperature, pressure, salinity)) * 1e3,
    asked="in grams per cubic centimeter",
)
_add(
    "brine_velocity",
    "rockphysics.fluids.v_brine",
    lambda temperature, pressure, salinity: float(fluids.v_brine(temperature, pressure, salinity)),
)
_add("voigt_reuss_hill_average", "rockphysics.bounds.hill_average", _mix, draws=SIZES, prepare=_split)
_add("hashin_shtrikman_bulk_modulus", "rockphysics.bounds.hashin_shtrikman", _bound, draws=SIZES, prepare=_split)
_add(
    "critical_porosity_moduli",
    "rockphysics.rockphysicsmodels.critical_porosity",
    lambda mineral_bulk_modulus, mineral_shear_modulus, porosity, critical_porosity: _both(
        rockphysicsmodels.critical_porosity(
            mineral_bulk_modulus / 1e9, mineral_shear_modulus / 1e9, porosity, critical_porosity
        )
    ),
)
_add(
    "hertz_mindlin_moduli",
    "rockphysics.rockphysicsmodels.hertz_mindlin",
    lambda mineral_bulk_modulus, mineral_shear_modulus, stress, critical_porosity, contacts, adhesion: _both(
        rockphysicsmodels.hertz_mindlin(
            mineral_bulk_modulus / 1e9, mineral_shear_modulus / 1e9, stress / 1e6, critical_porosity, contacts, adhesion
        )
    ),
)
_add(
    "soft_sand_moduli",
    "rockphysics.rockphysicsmodels.soft_sand",
    lambda mineral_bulk_modulus, mineral_shear_modulus, porosity, stress, critical_porosity, contacts, adhesion: _both(
        rockphysicsmodels.soft_sand(
            mineral_bulk_modulus / 1e9,
            mineral_shear_modulus / 1e9,
            porosity,
            stress / 1e6,
            critical_porosity,
            contacts,
            adhesion,
        )
    ),
)
_add(
    "stiff_sand_moduli",
    "rockphysics.rockphysicsmodels.stiff_sand",
    lambda mineral_bulk_modulus, mineral_shear_modulus, porosity, stress, critical_porosity, contacts, adhesion: _both(
        rockphysicsmodels.stiff_sand(
            mineral_bulk_modulus / 1e9,
            mineral_shear_modulus / 1e9,
            porosity,
            stress / 1e6,
            critical_porosity,
            contacts,
            adhesion,
        )
    ),
)
_add("gardner_density", "petrophysics.gardner", lambda p_velocity: gardner(p_velocity))
_add(
    "density_porosity",
    "petrophysics.density_to_porosity",
    lambda density, matrix_density, fluid_density: density_to_porosity(density, matrix_density, fluid_density),
    draws={"density": (2000.0, 2550.0)},
)
_add(
    "zoeppritz_reflectivity", "reflection.reflection.zoeppritz_rpp", _reflect(reflection.zoeppritz_rpp), near_zero=1e-12
)
_add(
    "aki_richards_reflectivity", "reflection.reflection.akirichards", _reflect(reflection.akirichards), near_zero=1e-12
)
_add("shuey_reflectivity", "reflection.reflection.shuey", _reflect(reflection.shuey), near_zero=1e-12)
_add("fatti_reflectivity", "reflection.reflection.fatti", _reflect(reflection.fatti), near_zero=1e-12)
_add(
    "shuey_intercept_and_gradient",
    "reflection.reflection.shuey",
    lambda **given: _name_gradient(_reflect(reflection.shuey, return_gradient=True)(**given)),
    near_zero=1e-12,
    asked="its intercept and gradient",
)
_add(
    "ruger_reflectivity",
    "rockphysics.anisotropy.ruger",
    lambda p_velocity1, s_velocity1, density1, delta1, epsilon1, p_velocity2, s_velocity2, density2, delta2, epsilon2, angle: (
        anisotropy.ruger(
            p_velocity1,
            s_velocity1,
            density1,
            delta1,
            epsilon1,
            p_velocity2,
            s_velocity2,
            density2,
            delta2,
            epsilon2,
            angle,
        )
    ),
    near_zero=1e-12,
)
_add(
    "elastic_impedance",
    "rockphysics.elastic.elastic_impedance",
    lambda p_velocity, s_velocity, density, angle, reference_p_velocity, reference_s_velocity, reference_density: float(
        elastic.elastic_impedance(
            np.array([p_velocity] * 2),
            np.array([s_velocity] * 2),
            np.array([density] * 2),
            angle,
            k=(reference_s_velocity / reference_p_velocity) ** 2,
            normalize=True,
            constants=(reference_p_velocity, reference_s_velocity, reference_density),
        )[0]
    ),
    draws={
        "reference_p_velocity": (2000.0, 4000.0),
        "reference_s_velocity": (900.0, 1900.0),
        "reference_density": (2000.0, 2600.0),
    },
)
_add(
    "ricker_wavelet",
    "filters.ricker",
    lambda time, frequency: float(ricker(None, None, frequency, t=np.array([time, 1.0])).amplitude[0]),
    near_zero=1e-12,
)
_add(
    "crack_density",
    "rockphysics.anisotropy.crack_density",
    lambda porosity, aspect_ratio: anisotropy.crack_density(porosity, aspect_ratio),
)
_add(
    "kjartansson_exponent",
    "rockphysics.anisotropy.dispersion_parameter",
    lambda quality_factor: anisotropy.dispersion_parameter(quality_factor),
)
_add(
    "rms_velocity",
    "transform.v_rms",
    lambda thicknesses, velocities: float(v_rms(np.array(velocities), depth=np.array(thicknesses))[-1]),
    draws={"thicknesses": (10.0, 500.0), "velocities": (1500.0, 5000.0)},
)
