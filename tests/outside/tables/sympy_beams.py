"""Beams and sections of SymPy."""

from __future__ import annotations

import sympy
from oracle import OracleTable
from sympy import Point, Polygon
from sympy.physics.continuum_mechanics.beam import Beam


def exact(value):
    """Return the decimal that a number is printed as."""
    return sympy.Rational(str(value))


def solve(length, supports, loads):
    """Solve a beam of unit stiffness; supports are places and kinds, loads are sizes, places, orders and ends."""
    made, reactions = Beam(exact(length), 1, 1), []
    for at, kind in supports:
        found = made.apply_support(exact(at), kind)
        reactions += list(found) if isinstance(found, tuple) else [found]
    for size, at, order, *end in loads:
        made.apply_load(exact(size), exact(at), order, **({"end": exact(end[0])} if end else {}))
    made.solve_for_reaction_loads(*reactions)
    return made, [made.reaction_loads[each] for each in reactions]


def bend(length, supports, loads, at):
    """Return the deflection of a beam at a place, in the sense of its loads."""
    made, _ = solve(length, supports, loads)
    return float(made.deflection().subs(made.variable, exact(at)))


def slope(length, supports, loads, at):
    """Return the slope of a beam at a place."""
    made, _ = solve(length, supports, loads)
    return float(made.slope().subs(made.variable, exact(at)))


def moment_at(length, supports, loads, at):
    """Return the bending moment of a beam under a load, sagging positive."""
    made, _ = solve(length, supports, loads)
    return abs(float(made.bending_moment().subs(made.variable, exact(at) - sympy.Rational(1, 10**30))))


def worst(length, distance):
    """Return where the deflection under a load is largest, to 30 digits."""
    near = min(exact(distance), exact(length) - exact(distance))
    spot = sympy.sqrt((exact(length) ** 2 - near**2) / 3)
    return str((spot if near == exact(length) - exact(distance) else exact(length) - spot).evalf(30))


def simple(length):
    """Return two supports at the ends."""
    return [(0, "pin"), (length, "roller")]


def put(arguments, *names, share=1.0):
    """Let distances lie on the beam."""
    return {**arguments, **{name: float(f"{share * arguments[name] * arguments['length']:.3g}") for name in names}}


def shape(width, height, web, flange, is_tee=False):
    """Return the outline of an I, or of a T with its flange on top."""
    width, height, web, flange = map(exact, (width, height, web, flange))
    right = [(width / 2, height), (width / 2, height - flange), (web / 2, height - flange)]
    right += [(web / 2, 0)] if is_tee else [(web / 2, flange), (width / 2, flange), (width / 2, 0)]
    return Polygon(*[Point(-x, y) for x, y in right], *[Point(x, y) for x, y in reversed(right)])


def ring(xs, ys):
    """Return the polygon of corners."""
    return Polygon(*[Point(exact(x), exact(y)) for x, y in zip(xs, ys, strict=True)])


TABLE = OracleTable("sympy", sympy.__version__)
TABLE.add(
    "structural.simple_beam_point_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, distance, position, length, modulus, inertia: (
        bend(length, simple(length), [(load, distance, -1)], position) / (modulus * inertia)
    ),
    draws={
        "load": (0.2, 9),
        "distance": (0.05, 0.95),
        "position": (0.05, 0.95),
        "length": (0.5, 5),
        "modulus": (0.5, 5),
        "inertia": (0.2, 4),
    },
    prepare=lambda arguments: put(arguments, "distance", "position"),
    within=1e-11,
)
TABLE.add(
    "structural.simple_beam_point_load_largest_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, distance, length, modulus, inertia: (
        bend(length, simple(length), [(load, distance, -1)], worst(length, distance)) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
    near_zero=1e-12,
)
TABLE.add(
    "structural.simple_beam_triangular_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(length, simple(length), [(load / length, 0, 1)], length / 2) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.simple_beam_two_loads_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, distance, length, modulus, inertia: (
        bend(length, simple(length), [(load, distance, -1), (load, length - distance, -1)], length / 2)
        / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    prepare=lambda arguments: put(arguments, "distance", share=0.5),
    within=1e-11,
)
TABLE.add(
    "structural.simple_beam_uniform_load_end_slope",
    "sympy.physics.continuum_mechanics.beam.Beam.slope",
    lambda load, length, modulus, inertia: slope(length, simple(length), [(load, 0, 0)], 0) / (modulus * inertia),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.cantilever_tip_slope",
    "sympy.physics.continuum_mechanics.beam.Beam.slope",
    lambda load, length, modulus, inertia: (
        slope(length, [(0, "fixed")], [(load, length, -1)], length) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.cantilever_point_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, distance, length, modulus, inertia: (
        bend(length, [(0, "fixed")], [(load, distance, -1)], length) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
)
TABLE.add(
    "structural.cantilever_end_moment_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda moment, length, modulus, inertia: (
        -bend(length, [(0, "fixed")], [(moment, length, -2)], length) / (modulus * inertia)
    ),
    draws={"moment": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.cantilever_triangular_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(length, [(0, "fixed")], [(load, 0, 0), (-load / length, 0, 1)], length) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.overhang_tip_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, overhang, length, modulus, inertia: (
        bend(length + overhang, simple(length), [(load, length + overhang, -1)], length + overhang)
        / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "overhang": (0.2, 2), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.fixed_beam_center_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(length, [(0, "fixed"), (length, "fixed")], [(load, length / 2, -1)], length / 2) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.fixed_beam_point_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, distance, length, modulus, inertia: (
        bend(length, [(0, "fixed"), (length, "fixed")], [(load, distance, -1)], distance) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
)
TABLE.add(
    "structural.propped_cantilever_uniform_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(length, [(0, "fixed"), (length, "roller")], [(load, 0, 0)], length / 2) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.propped_cantilever_center_load_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(length, [(0, "fixed"), (length, "roller")], [(load, length / 2, -1)], length / 2) / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.propped_cantilever_point_load_reaction",
    "sympy.physics.continuum_mechanics.beam.Beam.reaction_loads",
    lambda load, distance, length: (
        -float(solve(length, [(0, "fixed"), (length, "roller")], [(load, distance, -1)])[1][2])
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
)
TABLE.add(
    "structural.fixed_beam_end_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.reaction_loads",
    lambda load, distance, length: abs(
        float(solve(length, [(0, "fixed"), (length, "fixed")], [(load, distance, -1)])[1][1])
    ),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
)
TABLE.add(
    "structural.simple_beam_largest_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, distance, length: moment_at(length, simple(length), [(load, distance, -1)], distance),
    draws={"load": (0.2, 9), "distance": (0.05, 0.95), "length": (0.5, 5)},
    prepare=lambda arguments: put(arguments, "distance"),
    within=1e-11,
)
TABLE.add(
    "structural.two_span_beam_middle_reaction",
    "sympy.physics.continuum_mechanics.beam.Beam.reaction_loads",
    lambda load, length: (
        -float(solve(2 * length, [(0, "pin"), (length, "roller"), (2 * length, "roller")], [(load, 0, 0)])[1][1])
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.two_span_beam_deflection",
    "sympy.physics.continuum_mechanics.beam.Beam.deflection",
    lambda load, length, modulus, inertia: (
        bend(2 * length, [(0, "pin"), (length, "roller"), (2 * length, "roller")], [(load, 0, 0)], length / 2)
        / (modulus * inertia)
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5), "modulus": (0.5, 5), "inertia": (0.2, 4)},
    within=1e-11,
)
TABLE.add(
    "structural.simple_beam_uniform_load_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(length, simple(length), [(load, 0, 0)], length / 2),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.cantilever_uniform_load_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(length, [(0, "fixed")], [(load, 0, 0)], "1e-25"),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.fixed_beam_uniform_load_end_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(length, [(0, "fixed"), (length, "fixed")], [(load, 0, 0)], length),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.propped_cantilever_uniform_load_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(length, [(0, "fixed"), (length, "roller")], [(load, 0, 0)], "1e-25"),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.fixed_beam_center_load_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(length, [(0, "fixed"), (length, "fixed")], [(load, length / 2, -1)], length / 2),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.two_span_beam_middle_moment",
    "sympy.physics.continuum_mechanics.beam.Beam.bending_moment",
    lambda load, length: moment_at(
        2 * length, [(0, "pin"), (length, "roller"), (2 * length, "roller")], [(load, 0, 0)], length
    ),
    draws={"load": (0.2, 9), "length": (0.5, 5)},
    within=1e-11,
)
TABLE.add(
    "structural.i_section_inertia",
    "sympy.geometry.polygon.Polygon.second_moment_of_area",
    lambda width, height, web, flange: float(shape(width, height, web, flange).second_moment_of_area()[0]),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0), "web": (0.1, 0.5), "flange": (0.1, 0.5)},
    within=1e-12,
)
TABLE.add(
    "structural.i_section_weak_inertia",
    "sympy.geometry.polygon.Polygon.second_moment_of_area",
    lambda width, height, web, flange: float(shape(width, height, web, flange).second_moment_of_area()[1]),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0), "web": (0.1, 0.5), "flange": (0.1, 0.5)},
    within=1e-12,
)
TABLE.add(
    "structural.t_section_inertia",
    "sympy.geometry.polygon.Polygon.second_moment_of_area",
    lambda width, height, web, flange: float(shape(width, height, web, flange, True).second_moment_of_area()[0]),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0), "web": (0.1, 0.5), "flange": (0.1, 0.5)},
    within=1e-12,
)
TABLE.add(
    "structural.t_section_centroid",
    "sympy.geometry.polygon.Polygon.centroid",
    lambda width, height, web, flange: float(shape(width, height, web, flange, True).centroid.y),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0), "web": (0.1, 0.5), "flange": (0.1, 0.5)},
    within=1e-12,
)
TABLE.add(
    "structural.triangle_inertia",
    "sympy.geometry.polygon.Polygon.second_moment_of_area",
    lambda width, height: float(ring([0, width, width / 4], [0, 0, height]).second_moment_of_area()[0]),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0)},
    within=1e-12,
)
TABLE.add(
    "structural.ellipse_inertia",
    "sympy.geometry.ellipse.Ellipse.second_moment_of_area",
    lambda width, height: float(
        sympy.Ellipse(Point(0, 0), exact(width) / 2, exact(height) / 2).second_moment_of_area()[0]
    ),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0)},
    within=1e-12,
)
TABLE.add(
    "structural.trapezoid_inertia",
    "sympy.geometry.polygon.Polygon.second_moment_of_area",
    lambda top, bottom, height: float(ring([0, bottom, top, 0], [0, 0, height, height]).second_moment_of_area()[0]),
    draws={"top": (0.2, 3), "bottom": (0.2, 3), "height": (1.5, 5.0)},
    within=1e-12,
)
TABLE.add(
    "structural.rectangle_section_modulus",
    "sympy.geometry.polygon.Polygon.section_modulus",
    lambda width, height: float(ring([0, width, width, 0], [0, 0, height, height]).section_modulus()[0]),
    draws={"width": (1.0, 3.0), "height": (1.5, 5.0)},
    within=1e-12,
)
