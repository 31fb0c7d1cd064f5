"""Larger and harder inputs than the cases of pinned and seeded capabilities, from whole numbers alone.

Built by integer arithmetic and exact divisions by powers of two, so that every process starts from the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

Matrix = list[list[float]]


class Larger(NamedTuple):
    """Arguments in the order of the parameters, and a seed where one is asked for."""

    arguments: list[Any]
    seed: int | None = None


@cache
def larger(capability: str) -> list[Larger]:
    """Return the larger inputs of a capability; none for a certified one, whose cases are hard enough."""
    return [make() for make in MADE.get(capability, ())]


def words(seed: int) -> Iterator[int]:
    """Yield 64-bit words without end: SplitMix64."""
    state, most = seed, 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & most
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & most
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & most
        yield word ^ (word >> 31)


def vector(size: int, seed: int) -> list[float]:
    """Numbers of [-1, 1) with all the digits that a double has."""
    source = words(seed)
    return [((next(source) >> 11) - 2**52) / 2**52 for _ in range(size)]


def matrix(rows: int, columns: int, seed: int) -> Matrix:
    numbers = vector(rows * columns, seed)
    return [numbers[row * columns : (row + 1) * columns] for row in range(rows)]


def symmetric(size: int, seed: int, diagonal: float = 0.0) -> Matrix:
    """With a heavy diagonal it is positive definite."""
    made = matrix(size, size, seed)
    return [[made[max(i, j)][min(i, j)] + (diagonal if i == j else 0.0) for j in range(size)] for i in range(size)]


def shifted(size: int, seed: int) -> Matrix:
    """Every eigenvalue far on the right of zero."""
    return [
        [item + (2.0 * size if i == j else 0.0) for j, item in enumerate(row)]
        for i, row in enumerate(matrix(size, size, seed))
    ]


def scaled(values: list[float], by: float, plus: float = 0.0) -> list[float]:
    return [value * by + plus for value in values]


def times(last: int, count: int) -> list[float]:
    return [last * (step + 1) / count for step in range(count)]


def program(variables: int, constraints: int) -> list[Any]:
    """Costs that push outwards, positive rows and bounds: there is always a best corner."""
    rows = [[abs(item) + 1 / 64 for item in row] for row in matrix(constraints, variables, 81)]
    return [scaled(vector(variables, 82), 1.0, -1.5), rows, scaled(vector(constraints, 83), 4.0, 8.0)]


MADE: dict[str, tuple[Callable[[], Larger], ...]] = {
    "linalg.solve_large": (lambda: Larger([matrix(300, 300, 1), vector(300, 2)]),),
    "linalg.inverse_large": (lambda: Larger([matrix(200, 200, 3)]),),
    "linalg.log_determinant_large": (lambda: Larger([matrix(300, 300, 4)]),),
    "linalg.least_squares_large": (lambda: Larger([matrix(400, 60, 5), vector(400, 6)]),),
    "linalg.eigenvalues_symmetric_large": (lambda: Larger([symmetric(200, 7)]),),
    "linalg.eigen_symmetric_large": (lambda: Larger([symmetric(120, 8)]),),
    "linalg.eigenvalues_large": (lambda: Larger([matrix(120, 120, 9)]),),
    "linalg.singular_values_large": (lambda: Larger([matrix(160, 120, 10)]),),
    "linalg.svd_large": (lambda: Larger([matrix(120, 80, 11)]),),
    "linalg.cholesky_large": (lambda: Larger([symmetric(300, 12, diagonal=301.0)]),),
    "linalg.qr_large": (lambda: Larger([matrix(200, 120, 13)]),),
    "linalg.matrix_product_large": (lambda: Larger([matrix(300, 300, 14), matrix(300, 300, 15)]),),
    "linalg.matrix_exponential_large": (lambda: Larger([matrix(100, 100, 16)]),),
    "linalg.matrix_logarithm": (lambda: Larger([shifted(60, 17)]),),
    "linalg.matrix_square_root": (lambda: Larger([shifted(80, 18)]),),
    "signal_processing.fft_large": (
        lambda: Larger([vector(4096, 19)]),
        lambda: Larger([vector(6000, 20)]),
        lambda: Larger([vector(997, 21)]),  # a prime: another algorithm
    ),
    "optimization.assignment_large": (lambda: Larger([matrix(80, 100, 22)]),),
    "optimization.linear_program_large": (lambda: Larger(program(20, 30)),),
    "calculus.lorenz": (
        lambda: Larger([[10.0, 28.0, 8 / 3], [1.0, 1.0, 1.0], times(25, 50)]),
    ),  # chaos: no bit is lost
    "calculus.lotka_volterra": (lambda: Larger([[1.1, 0.4, 0.4, 0.1], [10.0, 10.0], times(60, 60)]),),
    "calculus.pendulum": (lambda: Larger([2.5, [3.0, 0.5], times(40, 80)]),),
    "calculus.sir_epidemic": (lambda: Larger([[0.7, 0.2], [0.99, 0.01, 0.0], times(90, 90)]),),
    "calculus.van_der_pol": (lambda: Larger([5.0, [2.0, 0.0], times(30, 60)]),),
    "simulation.asian_option": (lambda: Larger([100.0, 97.0, 1.5, 0.03, 0.35, "call", 13, 4000], seed=2**70 + 1),),
    "simulation.european_option": (lambda: Larger([100.0, 120.0, 0.7, -0.01, 0.6, "put", 20000], seed=2),),
    "simulation.geometric_brownian_path": (lambda: Larger([50.0, 0.07, 0.4, 3.0, 2000], seed=3),),
    "simulation.bootstrap_mean": (lambda: Larger([vector(150, 31), 0.95, 2000], seed=4),),
    "simulation.permutation_test": (lambda: Larger([vector(60, 32), scaled(vector(70, 33), 1.0, 0.1), 1999], seed=5),),
    "simulation.polynomial_integral": (lambda: Larger([vector(9, 34), -1.3, 2.1, 30000], seed=6),),
    "simulation.pi_estimate": (lambda: Larger([100_001], seed=7),),
    "simulation.random_walk": (lambda: Larger([20_000, 0.53], seed=8),),
    "simulation.mm1_queue": (lambda: Larger([0.9, 1.0, 20_000], seed=9),),
    "simulation.sir_epidemic": (lambda: Larger([3000, 5, 2.1, 0.9], seed=10),),
    "simulation.branching_process": (lambda: Larger([200, 1.2, 18], seed=11),),
    "simulation.gamblers_ruin": (lambda: Larger([20, 41, 0.49, 3000], seed=12),),
    "simulation.poisson_arrivals": (lambda: Larger([3.7, 5000], seed=13),),
}
