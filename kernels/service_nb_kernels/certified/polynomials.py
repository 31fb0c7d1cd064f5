"""Roots of exact polynomials, each enclosed in a ball of its own; zero parts are found exactly, not guessed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import acb, arb, fmpq, fmpq_poly, fmpz_poly

from service_nb_kernels.certified.rounding import Proven, check_deadline, nearest_double
from service_nb_kernels.errors import Unseparated

Polynomial = Any  # flint publishes no types that mypy could use


def rational(value: float | Fraction) -> Any:
    """Return a double or fraction as flint's rational."""
    return fmpq(*value.as_integer_ratio())


def exact_polynomial(coefficients: Sequence[float]) -> Polynomial:
    """Return a polynomial with coefficients from the constant one up."""
    return fmpq_poly([rational(coefficient) for coefficient in coefficients])


def complex_roots(polynomial: Polynomial) -> list[tuple[Any, Any, int]]:
    """Return (real part, imaginary part, multiplicity) of each root; a part that is zero is the integer 0.

    Raises
    ------
    Unseparated
        More precision is needed to see how many roots lie on the imaginary axis.
    """
    whole = _whole(polynomial)
    found = [(root.real, root.imag, multiplicity) for root, multiplicity in _isolated(whole)]
    near_axis = [place for place, (real, _, _) in enumerate(found) if real.contains(0)]
    on_axis = _on_imaginary_axis(whole) if near_axis else 0
    if len(near_axis) != on_axis:
        raise Unseparated
    axis = set(near_axis)
    return [
        (0 if place in axis else real, 0 if _is_zero(imaginary) else imaginary, multiplicity)
        for place, (real, imaginary, multiplicity) in enumerate(found)
    ]


def _whole(polynomial: Polynomial) -> Polynomial:
    return polynomial if isinstance(polynomial, fmpz_poly) else polynomial.numer()


def _isolated(whole: Polynomial) -> list[tuple[Any, int]]:
    check_deadline()
    return [(acb(root), int(multiplicity)) for root, multiplicity in whole.complex_roots()]


def _is_zero(ball: Any) -> bool:
    return bool(ball.is_exact() and ball == 0)


def _on_imaginary_axis(whole: Polynomial) -> int:
    """How many distinct roots are purely imaginary or zero: common real roots of both parts of p(iy)."""
    signs = (1, 1, -1, -1)
    even = fmpz_poly([c * signs[k % 4] if k % 2 == 0 else 0 for k, c in enumerate(whole.coeffs())])
    odd = fmpz_poly([c * signs[k % 4] if k % 2 else 0 for k, c in enumerate(whole.coeffs())])
    return sum(1 for root, _ in _isolated(even.gcd(odd)) if _is_zero(root.imag))


def real_roots(polynomial: Polynomial) -> list[tuple[Any, int]]:
    """Return (root, multiplicity) of the real roots of an exact polynomial, in ascending order."""
    found = _isolated(_whole(polynomial))
    balls = [(root.real, multiplicity) for root, multiplicity in found if _is_zero(root.imag)]
    return sorted(balls, key=lambda pair: pair[0].mid())


def ordered_pairs(roots: Sequence[tuple[Any, Any, int]]) -> list[list[Proven]]:
    """Return [real, imaginary] of each root as often as it occurs, ordered by the real and then the imaginary part."""
    pairs = [
        (nearest_double(arb(real)), nearest_double(arb(imaginary)))
        for real, imaginary, multiplicity in roots
        for _ in range(multiplicity)
    ]
    return [[Proven(real), Proven(imaginary)] for real, imaginary in sorted(pairs)]
