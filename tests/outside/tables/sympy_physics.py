"""Beams and optics of SymPy: deflections by integration of the load, light by its own formulas and matrices."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from typing import Any

import sympy
from oracle import OracleTable
from sympy.physics import optics
from sympy.physics.continuum_mechanics.beam import Beam
from sympy.physics.optics import gaussopt
from sympy.physics.optics.polarization import jones_vector, linear_polarizer

TABLE = OracleTable("sympy", sympy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"sympy.physics.{function}", compute, **{"within": 1e-10, **more})


# Beams: the load is integrated four times
def _deflect(supports: list[tuple[int, str]], at: float, place: float, order: int) -> Any:
    def compute(load: float, length: float, modulus: float, inertia: float) -> float:
        q, whole, e, i = (sympy.Rational(str(each)) for each in (load, length, modulus, inertia))
        beam = Beam(whole, e, i)
        reactions: list[Any] = []
        for end, kind in supports:
            made = beam.apply_support(end * whole, kind)
            reactions += list(made) if isinstance(made, tuple) else [made]
        beam.apply_load(q, sympy.Rational(str(place)) * whole, order)
        beam.solve_for_reaction_loads(*reactions)
        return float(beam.deflection().subs(beam.variable, sympy.Rational(str(at)) * whole))

    return compute


for _name, _made in {
    "cantilever_end_load_deflection": ([(0, "fixed")], 1, 1, -1),
    "cantilever_uniform_load_deflection": ([(0, "fixed")], 1, 0, 0),
    "simple_beam_center_load_deflection": ([(0, "pin"), (1, "roller")], 0.5, 0.5, -1),
    "simple_beam_uniform_load_deflection": ([(0, "pin"), (1, "roller")], 0.5, 0, 0),
    "fixed_beam_uniform_load_deflection": ([(0, "fixed"), (1, "fixed")], 0.5, 0, 0),
}.items():
    _add(f"structural.{_name}", "continuum_mechanics.beam.Beam.deflection", _deflect(*_made))

# Optics
_RIGHT = {"incidence_angle": (0.05, 0.6), "index_incident": (1, 1.5), "index_refracted": (1.2, 2.5)}
_add(
    "optics.lensmaker_focal_length",
    "optics.lens_makers_formula",
    lambda index, front_radius, back_radius: optics.lens_makers_formula(index, 1, front_radius, back_radius),
)
_add(
    "optics.thin_lens_image_distance",
    "optics.lens_formula",
    lambda focal_length, object_distance: optics.lens_formula(focal_length=focal_length, u=-object_distance),
)
_add(
    "optics.brewster_angle",
    "optics.brewster_angle",
    lambda index_incident, index_refracted: optics.brewster_angle(index_incident, index_refracted),
)
_add(
    "optics.critical_angle",
    "optics.critical_angle",
    lambda index_inside, index_outside: optics.critical_angle(index_inside, index_outside),
    draws={"index_inside": (1.5, 3), "index_outside": (1, 1.5)},
)
_add(
    "optics.snell_refraction_angle",
    "optics.refraction_angle",
    lambda index_incident, incidence_angle, index_refracted: optics.refraction_angle(
        incidence_angle, index_incident, index_refracted
    ),
    draws=_RIGHT,
)
_add(
    "optics.fresnel_p_reflectance",
    "optics.fresnel_coefficients",
    lambda index_incident, incidence_angle, index_refracted: (
        float(optics.fresnel_coefficients(incidence_angle, index_incident, index_refracted)[0]) ** 2
    ),
    draws=_RIGHT,
    within=1e-7,
)
_add(
    "optics.fresnel_s_reflectance",
    "optics.fresnel_coefficients",
    lambda index_incident, incidence_angle, index_refracted: (
        float(optics.fresnel_coefficients(incidence_angle, index_incident, index_refracted)[1]) ** 2
    ),
    draws=_RIGHT,
    within=1e-7,
    near_zero=1e-30,
)
_add(
    "optics.malus_intensity",
    "optics.polarization.linear_polarizer",
    lambda intensity, angle: intensity * float((linear_polarizer(angle) * jones_vector(0, 0)).norm()) ** 2,
    within=1e-9,
    near_zero=1e-12,
)


def _focus(first: float, second: float, apart: float) -> float:
    system = gaussopt.ThinLens(second) * gaussopt.FreeSpace(apart) * gaussopt.ThinLens(first)
    return float(-1 / system.C)


def _resonate(length: float, first_radius: float, second_radius: float) -> float:
    trip = (
        gaussopt.FreeSpace(length)
        * gaussopt.CurvedMirror(second_radius)
        * gaussopt.FreeSpace(length)
        * gaussopt.CurvedMirror(first_radius)
    )
    return float((trip.A + trip.D + 2) / 4)


_add(
    "optics.lens_separation_focal_length",
    "optics.gaussopt.ThinLens",
    lambda first_focal_length, second_focal_length, separation: _focus(
        first_focal_length, second_focal_length, separation
    ),
    within=1e-8,
)
_add(
    "photonics.resonator_stability",
    "optics.gaussopt.CurvedMirror",
    _resonate,
    within=1e-8,
    near_zero=1e-10,
    asked="half of the trace of a round trip, and 1, halved",
)
_add(
    "photonics.rayleigh_range",
    "optics.gaussopt.waist2rayleigh",
    lambda waist_radius, wavelength: gaussopt.waist2rayleigh(waist_radius, wavelength),
)
_add(
    "photonics.gaussian_beam_radius",
    "optics.gaussopt.BeamParameter.w",
    lambda waist_radius, wavelength, distance: gaussopt.BeamParameter(wavelength, distance, w=waist_radius).w,
)
_add(
    "photonics.gaussian_beam_divergence",
    "optics.gaussopt.BeamParameter.divergence",
    lambda beam_quality, wavelength, waist_radius: gaussopt.BeamParameter(wavelength, 0, w=waist_radius).divergence,
    draws={"beam_quality": [1.0]},
)
