"""What exact arithmetic would not end with is refused before it begins; what looked so and is not, ends."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import betainc, mp, mpf
from service_nb_kernels.errors import LimitError
from service_nb_kernels.execute import Executor


def test_matrices_of_magnitudes_far_apart_are_refused_when_they_are_large() -> None:
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(60, 60)) * 10.0 ** rng.uniform(-150, 150, (60, 60))
    with pytest.raises(LimitError):
        Executor().execute("linalg.lu", [wide], timeout_s=120)
    assert Executor().execute("linalg.trace", [wide[:3, :3]]) == float(sum(map(Fraction, wide.diagonal()[:3].tolist())))


@pytest.mark.parametrize(
    ("x", "a", "b"), [(0.27, 1e6, 3.0), (0.9, 3.0, 1e5), (0.5, 1e9, 1e9), (0.999999, 1e6, 2.0), (1e-7, 2.0, 1e6)]
)
def test_beta_tails_of_large_shapes_end_and_are_right(x: float, a: float, b: float) -> None:
    found = Executor().execute("distributions.beta_cdf", [x, a, b], timeout_s=120)
    with mp.workdps(60):
        # By the other end: mpmath's own series there is short.
        exact = 1 - betainc(mpf(b), mpf(a), 0, 1 - mpf(x), regularized=True) if x * (a + b) > a else None
        if exact is not None:
            assert found == float(exact)
    assert 0.0 <= found <= 1.0


def spread(count: int, rows: int = 0) -> list[Any]:
    """Numbers of many digits, ascending, or so many rows of them."""
    line = [k + 1 / (k + 3) for k in range(count)]
    return [[x * (1 + r % 7) + r for x in line] for r in range(rows)] if rows else line


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("interpolation.divided_differences", [spread(100), spread(100)[::-1]]),
        ("interpolation.polynomial_value", [spread(100), spread(100)[::-1], 2.5]),
        ("decision.value_of_perfect_information", [spread(1000, 1000), [0.001] * 1000]),
        ("survival.hazard_ratio_log_rank", [spread(20_000), [1] * 20_000, [k % 2 for k in range(20_000)]]),
    ],
)
def test_the_largest_arguments_hear_a_deadline(name: str, arguments: list[Any]) -> None:
    given = [np.array(each) if isinstance(each, list) and name.startswith("decision") else each for each in arguments]
    started = time.process_time()
    with contextlib.suppress(LimitError):
        Executor().execute(name, given, timeout_s=0.5)
    assert time.process_time() - started < 3
