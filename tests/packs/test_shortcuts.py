"""Capabilities whose algorithm takes a shortcut give what their definition gives, tried out in full on small inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline
from service_nb_kernels.errors import DomainError, ShapeError
from service_nb_kernels.execute import Executor

EXECUTOR = Executor()
POWERS_OF_TEN = range(-150, 151)
EXTREME = [0.0, 5e-324, 1e-310, 1.0, 1e308, -1e308]


def run(name: str, *arguments: Any) -> Any:
    return EXECUTOR.execute(name, list(arguments), timeout_s=20)


def draw_points(random: Random) -> Iterator[tuple[list[float], list[float]]]:
    """Draw points at random, on a grid, on a line but for rounding, of all sizes, and of the least and the greatest."""
    for _ in range(60):
        places = range(random.randint(3, 12))
        yield [random.gauss(0, 1) for _ in places], [random.gauss(0, 1) for _ in places]
        yield [float(random.randint(0, 4)) for _ in places], [float(random.randint(0, 4)) for _ in places]
        x = [random.uniform(0, 1) for _ in places]
        yield x, [0.1 * value + 0.3 for value in x]
        yield [float(place) for place in places], [2.0 * place + random.choice([0, 2**-40, 2**-50]) for place in places]
        x, y = ([random.gauss(0, 1) * 10.0 ** random.choice(POWERS_OF_TEN) for _ in places] for _ in range(2))
        yield x, y
        yield [random.choice(EXTREME) for _ in places], [random.choice(EXTREME) for _ in places]


def find_median(values: list[Fraction]) -> Fraction:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def list_slopes(x: list[float], y: list[float], place: int, start: int) -> list[Fraction]:
    return [
        (Fraction(y[other]) - Fraction(y[place])) / (Fraction(x[other]) - Fraction(x[place]))
        for other in range(start, len(x))
        if x[other] != x[place]
    ]


def test_medians_of_slopes_are_those_of_all_fractions() -> None:
    for x, y in draw_points(Random(5)):
        all_slopes = [slope for place in range(len(x)) for slope in list_slopes(x, y, place, place + 1)]
        by_point = [list_slopes(x, y, place, 0) for place in range(len(x))]
        expected = {
            "stats.theil_sen_slope": all_slopes,
            "stats.repeated_median_slope": list(map(find_median, by_point)) if all(by_point) else [],
        }
        for name, slopes in expected.items():
            try:
                value = float(find_median(slopes))
            except (OverflowError, IndexError):
                with pytest.raises((DomainError, ShapeError)):
                    run(name, x, y)
            else:
                assert run(name, x, y) == value, (name, x, y)


def test_the_best_order_is_that_of_all_orders() -> None:
    random = Random(6)
    for _ in range(100):
        items = range(random.randint(2, 6))
        ballots = [random.sample(items, len(items)) for _ in range(random.randint(1, 6))]
        before = [[sum(each.index(a) < each.index(b) for each in ballots) for b in items] for a in items]
        costs = {
            order: sum(before[b][a] for place, a in enumerate(order) for b in order[place + 1 :])
            for order in permutations(items)
        }
        assert run("game_theory.kemeny_ranking", ballots) == list(min(costs, key=costs.__getitem__))


def test_power_is_that_of_all_coalitions() -> None:
    random = Random(7)
    for _ in range(100):
        weights = [random.choice([0, random.randint(0, 9)]) for _ in range(random.randint(1, 7))] + [3]
        quota, players = random.randint(1, sum(weights)), len(weights)
        swings = [
            [
                sum(
                    sum(weights[other] for other in chosen) in range(quota - weights[player], quota)
                    for chosen in combinations([other for other in range(players) if other != player], size)
                )
                for size in range(players)
            ]
            for player in range(players)
        ]
        orders = [math.factorial(size) * math.factorial(players - size - 1) for size in range(players)]
        shares = [
            Fraction(sum(map(math.prod, zip(orders, own, strict=True))), math.factorial(players)) for own in swings
        ]
        whole = sum(map(sum, swings))
        assert run("game_theory.shapley_shubik_index", weights, quota) == list(map(float, shares))
        assert run("game_theory.banzhaf_index", weights, quota) == [float(Fraction(sum(own), whole)) for own in swings]


def test_a_chromatic_polynomial_counts_all_colorings() -> None:
    random = Random(8)
    for _ in range(60):
        nodes = random.randint(2, 6)
        edges = [list(pair) for pair in combinations(range(nodes), 2) if random.random() < 0.5] or [[0, 1]]
        found = run("graph_theory.chromatic_polynomial", nodes, edges)
        for colors in range(1, 5):
            counted = sum(all(each[a] != each[b] for a, b in edges) for each in product(range(colors), repeat=nodes))
            assert counted == sum(coefficient * colors**power for power, coefficient in enumerate(found))


@pytest.mark.parametrize("size", [50, 101, 3000])
def test_splines_of_any_length_are_those_of_scipy(size: int) -> None:
    random = np.random.default_rng(size)
    x = np.cumsum(np.abs(random.normal(size=size)) + 0.01)
    y = np.sin(x) + random.normal(size=size) * 0.1
    at = float(x[size // 2] * 0.3 + x[size // 2 + 1] * 0.7)
    splines = {
        "cubic_spline_natural": CubicSpline(x, y, bc_type="natural"),
        "cubic_spline_not_a_knot": CubicSpline(x, y, bc_type="not-a-knot"),
        "akima": Akima1DInterpolator(x, y),
    }
    for name, spline in splines.items():
        assert run(f"interpolation.{name}", x.tolist(), y.tolist(), at) == pytest.approx(float(spline(at)), rel=1e-10)
