"""Whole numbers, polynomials, matrices, series and figures of SymPy."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import sympy
from oracle import OracleTable
from sympy.combinatorics import Permutation
from sympy.core.intfunc import igcdex
from sympy.matrices.normalforms import smith_normal_form
from sympy.ntheory import modular, residue_ntheory
from sympy.ntheory.continued_fraction import continued_fraction
from sympy.ntheory.digits import digits as write_digits
from sympy.solvers.diophantine.diophantine import sum_of_squares

TABLE = OracleTable("sympy", sympy.__version__)
X = sympy.Symbol("x")


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"sympy.{function}", compute, **{"within": 1e-12, "near_zero": 1e-300, **more})


def _float(value: Any) -> float:
    return float(sympy.N(value, 25))


# Whole numbers
WHOLE = {"a": (-90, 90), "b": (-90, 90), "n": (2, 5), "values": (-90, 90), "base": (2, 16), "exponent": (0, 40), "modulus": (2, 60)}
_add("number_theory.gcd", "igcd", lambda a, b: int(sympy.igcd(a, b)), draws=WHOLE)
_add("number_theory.gcd_of", "igcd", lambda values: int(sympy.igcd(*values)), draws=WHOLE)
_add("number_theory.lcm", "ilcm", lambda a, b: int(sympy.ilcm(a, b)), draws=WHOLE)
_add("number_theory.lcm_of", "ilcm", lambda values: int(sympy.ilcm(*values)), draws=WHOLE)
_add("number_theory.extended_gcd", "core.intfunc.igcdex", lambda a, b: dict(zip(("x", "y", "gcd"), map(int, igcdex(a, b)), strict=True)), draws=WHOLE | {"a": (1, 90), "b": (1, 90)})
_add("number_theory.modular_inverse", "mod_inverse", lambda a, modulus: int(sympy.mod_inverse(a, modulus)) % modulus, draws=WHOLE)
_add("number_theory.modular_power", "Pow", lambda base, exponent, modulus: int(sympy.Mod(sympy.Pow(base, exponent), modulus)), draws=WHOLE, asked="sympy.Mod of it")
_add("number_theory.chinese_remainder", "ntheory.modular.crt", lambda remainders, moduli: dict(zip(("solution", "modulus"), map(int, modular.solve_congruence(*zip(remainders, moduli, strict=True))), strict=True)), draws={"n": (2, 3), "remainders": (0, 20), "moduli": (2, 30)})
_add("number_theory.linear_congruence", "ntheory.residue_ntheory.polynomial_congruence", lambda a, b, modulus: (lambda found: {"solution": min(found), "modulus": modulus // len(found)})(residue_ntheory.polynomial_congruence(a * X - b, modulus)), draws=WHOLE)
_add("number_theory.p_adic_valuation", "multiplicity", lambda n, p: int(sympy.multiplicity(p, n)), draws={"n": (1, 5000), "p": [2, 3, 5, 7, 11]})
_add("number_theory.factorial_valuation", "ntheory.factor_.multiplicity_in_factorial", lambda n, p: int(sympy.ntheory.factor_.multiplicity_in_factorial(p, n)), draws={"n": (0, 300), "p": [2, 3, 5, 7, 11]})
_add("number_theory.chebyshev_theta", "primorial", lambda n: _float(sympy.log(sympy.primorial(n, nth=False))), draws={"n": (2, 90)}, asked="logarithm, nth=False")
_add("number_theory.continued_fraction", "ntheory.continued_fraction.continued_fraction", lambda numerator, denominator: [int(each) for each in continued_fraction(sympy.Rational(numerator, denominator))], draws={"numerator": (-90, 900), "denominator": (1, 90)})
_add("number_theory.sum_of_two_squares", "solvers.diophantine.diophantine.sum_of_squares", lambda n: (lambda found: {"a": int(found[0]), "b": int(found[1])})(min(tuple(sorted(each)) for each in sum_of_squares(n, 2, True))), draws={"n": (1, 900)})
_add("number_theory.integer_root", "integer_nthroot", lambda n, degree: int(sympy.integer_nthroot(n, degree)[0]), draws={"n": (0, 90000), "degree": (1, 6)})
_add("number_theory.is_perfect_power", "perfect_power", lambda n: bool(sympy.perfect_power(n)), draws={"n": (2, 130)})
_add("number_theory.digit_sum", "ntheory.digits.digits", lambda n, base: sum(write_digits(n, base)[1:]), draws={"n": (0, 90000), "base": (2, 16)}, asked="sum")
_add("number_theory.digits", "ntheory.digits.digits", lambda n, base: write_digits(n, base)[1:], draws={"n": (1, 90000), "base": (2, 16)})
_add("number_theory.from_digits", "Poly", lambda digits, base: int(sympy.Poly(digits, X).eval(base)), draws={"n": (2, 6), "digits": (1, 9), "base": (10, 16)}, asked="eval")
_add("elementary.nearest_fraction", "Rational", lambda x, largest: (lambda found: {"numerator": int(found.p), "denominator": int(found.q)})(sympy.Rational(x).limit_denominator(largest)), draws={"largest": (1, 200), "x": (-5, 5)}, asked="limit_denominator")
_add("combinatorics.permutation_parity", "combinatorics.Permutation", lambda permutation: int(Permutation(permutation).signature()), draws={"n": (3, 8)}, prepare=lambda drawn: {"permutation": _arrange(drawn["permutation"])}, asked="signature")
_add("combinatorics.permutation_order", "combinatorics.Permutation", lambda permutation: int(Permutation(permutation).order()), draws={"n": (3, 8)}, prepare=lambda drawn: {"permutation": _arrange(drawn["permutation"])}, asked="order")
_add("combinatorics.permutation_rank", "combinatorics.Permutation", lambda permutation: int(Permutation(permutation).rank()), draws={"n": (3, 8)}, prepare=lambda drawn: {"permutation": _arrange(drawn["permutation"])}, asked="rank")
_add("combinatorics.inversions", "combinatorics.Permutation", lambda values: int(Permutation([sorted(values).index(each) for each in values]).inversions()), draws={"n": (3, 8)}, asked="inversions")
_add("combinatorics.multinomial", "ntheory.multinomial.multinomial_coefficients", lambda counts: int(sympy.ntheory.multinomial_coefficients(len(counts), sum(counts))[tuple(counts)]), draws={"n": (2, 3), "counts": (0, 5)})
_add("combinatorics.surjections", "functions.combinatorial.numbers.stirling", lambda n, k: int(sympy.functions.combinatorial.numbers.stirling(n, k) * sympy.factorial(k)), draws={"n": (1, 9), "k": (1, 5)}, asked="times sympy.factorial")
_add("combinatorics.compositions", "binomial", lambda n, k: int(sympy.binomial(n - 1, k - 1)), draws={"n": (4, 20), "k": (1, 4)}, asked="of n - 1 over k - 1")


def _arrange(drawn: list[int]) -> list[int]:
    """Make an arrangement of the order of what was drawn."""
    keys = sorted(range(len(drawn)), key=lambda at: (drawn[at] * 7 + at * 5) % 11)
    return [*keys]


# Polynomials: the lowest coefficient is first here
def _poly(coefficients: Any) -> Any:
    return sympy.Poly([sympy.Rational(each) for each in reversed(coefficients)], X)


def _coefficients(poly: Any) -> list[float]:
    return [_float(each) for each in reversed(poly.all_coeffs())]


POLY = {"m": (3, 5), "n": (2, 3), "a": [1.0, -2.0, 3.0, 0.5, 2.5], "b": [1.0, -1.0, 2.0, 0.5], "coefficients": [1.0, -2.0, 3.0, 0.5, -4.0], "low": (-3, 0), "high": (0.5, 3), "count": (1, 5), "outer": (-3, 3), "inner": (-3, 3)}
_add("polynomials.divide", "div", lambda a, b: dict(zip(("quotient", "remainder"), map(_coefficients, sympy.div(_poly(a), _poly(b))), strict=True)), draws=POLY)
_add("polynomials.greatest_common_divisor", "gcd", lambda a, b: _coefficients(sympy.gcd(_poly(a), _poly(b)).monic()), draws=POLY, asked="monic")
_add("polynomials.definite_integral", "integrate", lambda coefficients, low, high: _float(sympy.integrate(_poly(coefficients).as_expr(), (X, sympy.Rational(low), sympy.Rational(high)))), draws=POLY)
_add("polynomials.compose", "compose", lambda outer, inner: _coefficients(sympy.compose(_poly(outer), _poly(inner))), draws=POLY | {"m": (2, 4)}, within=1e-9)
_add("polynomials.real_roots", "Poly.real_roots", lambda coefficients: [_float(each) for each in sorted(set(_poly(coefficients).real_roots()))], draws=POLY | {"n": (3, 5)})
_add("polynomials.count_real_roots", "Poly.count_roots", lambda coefficients, low, high: int(_poly(coefficients).sqf_part().count_roots(sympy.Rational(low), sympy.Rational(high))), draws=POLY | {"n": (3, 5)})
_add("polynomials.quadratic_real_roots", "real_roots", lambda a, b, c: dict(zip(("smaller", "larger"), [_float(each) for each in sympy.real_roots(_poly([c, b, a]))], strict=True)), draws={"a": (1, 3), "b": (5, 9), "c": (-3, 3)})
_add("polynomials.roots", "Poly.nroots", lambda coefficients: sorted([float(sympy.re(each)), float(sympy.im(each))] for each in _poly(coefficients).nroots(n=25)), draws=POLY | {"n": (3, 5), "coefficients": (-5, 5)})
_add("polynomials.is_stable", "Poly.nroots", lambda coefficients: all(sympy.re(each) < 0 for each in _poly(coefficients).nroots(n=25)), draws=POLY | {"n": (3, 4), "coefficients": (0.5, 5)}, asked="real parts below 0")
_add("polynomials.newton_sums", "Poly.nroots", lambda coefficients, count: [float(sympy.re(sum(root**k for root in _poly(coefficients).nroots(n=30)))) for k in range(1, count + 1)], draws=POLY | {"n": (3, 5), "coefficients": (0.5, 5)}, asked="sums of powers", near_zero=1e-12)


# Series
def _series(coefficients: Any) -> Any:
    return sum(sympy.Rational(each) * X**at for at, each in enumerate(coefficients))


def _expand(expression: Any, terms: int) -> list[float]:
    poly = sympy.Poly(sympy.series(expression, X, 0, terms).removeO(), X)
    return [_float(poly.coeff_monomial(X**at)) for at in range(terms)]


SERIES = {"n": (3, 4), "coefficients": [1.0, -2.0, 0.5, 3.0], "a": [1.0, -2.0, 0.5, 3.0], "b": [1.0, -1.5, 0.25], "outer": [1.0, -2.0, 0.5, 3.0], "inner": [1.0, -1.5, 0.25]}
_add("calculus.series_product", "series", lambda a, b: _expand(_series(a) * _series(b), len(a)), draws=SERIES)
_add("calculus.series_reciprocal", "series", lambda coefficients: _expand(1 / _series(coefficients), len(coefficients)), draws=SERIES)
_add("calculus.series_composition", "series", lambda outer, inner: _expand(_series(outer).subs(X, _series(inner)), len(outer)), draws=SERIES, prepare=lambda drawn: drawn | {"inner": [0.0, *drawn["inner"][1:]]})
_add(
    "calculus.taylor_coefficients",
    "diff",
    lambda function, center, terms: [_float(sympy.diff(getattr(sympy, function)(X), X, at).subs(X, sympy.Rational(center)) / sympy.factorial(at)) for at in range(terms)],
    draws={"function": ["exp", "log", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "sqrt", "erf"], "center": (0.2, 1), "terms": (2, 5)},
    asked="over sympy.factorial",
)
_add("calculus.power_sum", "summation", lambda n, power: int(sympy.summation(X**power, (X, 1, n))), draws={"n": (0, 30), "power": (0, 6)})
_add(
    "calculus.partial_fractions",
    "residue",
    lambda numerator, poles: [_float(sympy.residue(_series(numerator) / sympy.prod([X - sympy.Rational(each) for each in poles]), X, sympy.Rational(pole))) for pole in poles],
    draws={"m": (1, 2), "n": (3, 3), "numerator": [1.0, -2.0, 3.0]},
    prepare=lambda drawn: drawn | {"poles": [-1.5, 0.5, 2.0 + drawn["numerator"][0]]},
)


# Matrices
def _matrix(rows: Any) -> Any:
    return sympy.Matrix([[sympy.Rational(each) for each in row] for row in rows])


def _rows(matrix: Any) -> list[list[float]]:
    return [[_float(each) for each in matrix.row(at)] for at in range(matrix.rows)]


SMALL = {"n": (2, 3), "m": (2, 3), "k": (2, 3)}


def _symmetric(drawn: dict[str, Any]) -> dict[str, Any]:
    rows = drawn["matrix"]
    return drawn | {"matrix": [[rows[min(i, j)][max(i, j)] + 3 * (i == j) for j in range(len(rows))] for i in range(len(rows))]}


def _define(matrix: Any) -> str:
    exact = _matrix(matrix)
    for word in ("positive_definite", "negative_definite", "positive_semidefinite", "negative_semidefinite", "indefinite"):
        if getattr(exact, f"is_{word}"):
            return word
    raise ValueError


_add("linalg.schur_complement", "Matrix.inv", lambda a, b, c, d: _rows(_matrix(a) - _matrix(b) * _matrix(d).inv() * _matrix(c)), draws=SMALL, within=1e-9)
_add("linalg.definiteness", "Matrix.is_positive_definite", lambda matrix: _define(matrix), draws=SMALL, prepare=_symmetric, asked="and its likes")
_add(
    "linalg.inertia",
    "Matrix.eigenvals",
    lambda matrix: (lambda values: {"positive": sum(each > 0 for each in values), "negative": sum(each < 0 for each in values), "zero": sum(each == 0 for each in values)})([_float(sympy.re(each)) for each, count in _matrix(matrix).eigenvals().items() for _ in range(count)]),
    draws=SMALL | {"n": (2, 2)},
    prepare=_symmetric,
    asked="signs",
)
_add("linalg.projection_matrix", "Matrix.pinv", lambda matrix: _rows(_matrix(matrix) * _matrix(matrix).pinv()), draws={"m": (3, 4), "n": (2, 2)}, asked="A times it")
_add("linalg.smith_normal_form", "matrices.normalforms.smith_normal_form", lambda matrix: [[abs(int(each)) for each in row] for row in smith_normal_form(sympy.Matrix(matrix), domain=sympy.ZZ).tolist()], draws={"m": (2, 3), "n": (2, 3), "matrix": (-9, 9)}, asked="without signs")
_add("linalg.triple_product", "Matrix.det", lambda x, y, z: _float(_matrix([x, y, z]).det()), draws={"n": (3, 3)}, asked="of three rows")
_add("linalg.quadratic_form", "Matrix.dot", lambda matrix, vector: _float(_matrix([vector]).dot(_matrix(matrix) * _matrix([vector]).T)), draws=SMALL)
_add("linalg.vector_projection", "Matrix.project", lambda vector, onto: [_float(each) for each in _matrix([vector]).project(_matrix([onto]))], draws=SMALL)
_add("linalg.angle_between", "geometry.Line.angle_between", lambda x, y: _float(sympy.Line3D((0, 0, 0), direction_ratio=list(map(sympy.Rational, x))).angle_between(sympy.Line3D((0, 0, 0), direction_ratio=list(map(sympy.Rational, y))))), draws={"n": (3, 3)})
_add("linalg.minimal_polynomial", "Matrix.charpoly", lambda matrix: [_float(each) for each in reversed(_matrix(matrix).charpoly().all_coeffs())], draws=SMALL, asked="of a matrix without repeated eigenvalues")


# Figures
def _point(values: Any) -> Any:
    return sympy.Point(*[sympy.Rational(each) for each in values])


def _triangle(*sides: float) -> Any:
    return sympy.Triangle(sss=tuple(sympy.Rational(each) for each in sides))


SIDES = {"a": (3, 5), "b": (3, 5), "c": (3, 5), "opposite": (3, 5)}
_add("geometry.triangle_area", "geometry.Triangle", lambda a, b, c: _float(_triangle(a, b, c).area), draws=SIDES, asked="area")
_add("geometry.circumradius", "geometry.Triangle", lambda a, b, c: _float(_triangle(a, b, c).circumradius), draws=SIDES, asked="circumradius")
_add("geometry.inradius", "geometry.Triangle", lambda a, b, c: _float(_triangle(a, b, c).inradius), draws=SIDES, asked="inradius")
_add("geometry.third_side", "geometry.Triangle", lambda a, b, angle: _float(sympy.Triangle(sas=(sympy.Rational(a), sympy.Rational(math.degrees(angle)), sympy.Rational(b))).sides[1].length), draws={"angle": (0.3, 2.8)}, within=1e-10, asked="sides")
_add("geometry.circle_area", "geometry.Circle", lambda radius: _float(sympy.Circle((0, 0), sympy.Rational(radius)).area), asked="area")
_add("geometry.ellipse_area", "geometry.Ellipse", lambda a, b: _float(sympy.Ellipse((0, 0), sympy.Rational(a), sympy.Rational(b)).area), asked="area")
_add("geometry.ellipse_eccentricity", "geometry.Ellipse", lambda a, b: _float(sympy.Ellipse((0, 0), sympy.Rational(a), sympy.Rational(b)).eccentricity), draws={"a": (3, 9), "b": (0.5, 3)}, asked="eccentricity")
_add("geometry.regular_polygon_area", "geometry.RegularPolygon", lambda sides, side: _float(sympy.RegularPolygon((0, 0), sympy.Rational(side) / (2 * sympy.sin(sympy.pi / sides)), sides).area), draws={"sides": (3, 9)}, asked="area")
_add("geometry.circle_through_points", "geometry.Circle", lambda points: (lambda found: {"x": _float(found.center.x), "y": _float(found.center.y), "radius": _float(found.radius)})(sympy.Circle(*map(_point, points))), draws={"m": (3, 3), "k": (2, 2)})
_add("geometry.point_line_distance", "geometry.Line", lambda x, y, a, b, c: _float(sympy.Line(sympy.Rational(a) * X + sympy.Rational(b) * sympy.Symbol("y") + sympy.Rational(c), x="x", y="y").distance(_point([x, y]))), asked="distance")
_add("geometry.rotate_point", "geometry.Point.rotate", lambda point, center, angle: [_float(each) for each in _point(point).rotate(sympy.Rational(angle), _point(center))], draws={"k": (2, 2)})
_add("geometry.quaternion_product", "algebras.Quaternion", lambda p, q: (lambda found: [_float(each) for each in (found.a, found.b, found.c, found.d)])(sympy.algebras.Quaternion(*map(sympy.Rational, p)) * sympy.algebras.Quaternion(*map(sympy.Rational, q))), draws={"k": (4, 4)}, within=1e-10)
_add(
    "geometry.polygon_second_moments",
    "geometry.Polygon.second_moment_of_area",
    lambda points: dict(zip(("xx", "yy", "xy"), [_float(each) for each in sympy.Polygon(*map(_point, points)).second_moment_of_area((0, 0))], strict=True)),
    draws={"k": (2, 2)},
    prepare=lambda drawn: {"points": [[0.5, 0.5], [4.0, 0.5 + abs(drawn["points"][0][0]) / 5], [3.0, 3.0], [1.0, 2.0 + abs(drawn["points"][1][1]) / 5]]},
)
_add("geometry.orientation", "geometry.Polygon", lambda points: int(sympy.sign(sympy.Triangle(*map(_point, points)).area)), draws={"m": (3, 3), "k": (2, 2)}, asked="sign of the area")
_add("geometry.in_circle", "geometry.Circle.encloses_point", lambda points, point: 1 if sympy.Circle(*map(_point, points)).encloses_point(_point(point)) else -1, draws={"m": (3, 3), "k": (2, 2)})
_add("geometry.simplex_volume", "Matrix.det", lambda points: _float(abs(_matrix([[a - b for a, b in zip(row, points[0], strict=True)] for row in points[1:]]).det()) / sympy.factorial(len(points) - 1)), draws={"m": (4, 4), "k": (3, 3)}, within=1e-10, asked="over factorial")
