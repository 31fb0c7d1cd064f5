"""Well-typed arguments that are far too large: every call ends soon, with a value or with a typed refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import ServiceError

SECONDS = 300.0  # the deadline of each call, which on a busy machine none may meet; nearly all take milliseconds
INTENT, DOMAIN, LIMIT = "invalid_intent", "domain_error", "limit_exceeded"
MOST = 1.7976931348623157e308
HUGE = 10**300
Arguments = Callable[[], list[Any]]  # made when they are used: some of them are large


def deep(depth: int) -> list[Any]:
    nested: list[Any] = [1.0]
    for _ in range(depth):
        nested = [nested]
    return nested


def spread(size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Values that differ in magnitude by 300 orders."""
    return 10.0 ** np.linspace(-150.0, 150.0, size)


REFUSED: list[tuple[str, Arguments, str]] = [
    # integers
    ("number_theory.is_prime", lambda: ["9" * 10**9], INTENT),
    ("number_theory.factorize", lambda: ["1" + "0" * 10**8], INTENT),
    ("number_theory.gcd", lambda: [1 << 10**8, 6], INTENT),
    ("number_theory.gcd_of", lambda: [[6, "9" * 10**7]], INTENT),
    ("number_theory.factorize", lambda: [HUGE], DOMAIN),
    ("number_theory.divisors", lambda: [HUGE], DOMAIN),
    ("number_theory.nth_prime", lambda: [HUGE], DOMAIN),
    ("number_theory.nth_prime", lambda: [10**12], DOMAIN),
    ("number_theory.prime_count", lambda: [HUGE], DOMAIN),
    ("number_theory.primes_between", lambda: [0, 10**18], DOMAIN),
    ("number_theory.mertens", lambda: [HUGE], DOMAIN),
    ("number_theory.primorial", lambda: [10**9], DOMAIN),
    ("number_theory.digits", lambda: [HUGE, HUGE], DOMAIN),
    ("number_theory.discrete_logarithm", lambda: [2, 3, HUGE], DOMAIN),
    ("number_theory.lcm_of", lambda: [[(1 << 14_000) + 2 * at + 1 for at in range(2_000)]], LIMIT),
    ("number_theory.convergents", lambda: [[1 << 14_000] * 2_000], LIMIT),
    ("special.factorial", lambda: [HUGE], DOMAIN),
    ("special.factorial", lambda: [10**9], DOMAIN),
    ("combinatorics.binomial", lambda: [HUGE, 2], DOMAIN),
    ("combinatorics.partitions", lambda: [HUGE], DOMAIN),
    ("combinatorics.partitions", lambda: [10**9], DOMAIN),
    ("combinatorics.bell", lambda: [10**7], DOMAIN),
    ("combinatorics.fibonacci", lambda: [-HUGE], DOMAIN),
    ("combinatorics.josephus", lambda: [HUGE, 2], DOMAIN),
    ("combinatorics.multinomial", lambda: [[10**9] * 10], DOMAIN),
    # exponents and parameters
    ("elementary.power", lambda: [10.0, 1e300], DOMAIN),
    ("elementary.exp", lambda: [1e300], DOMAIN),
    ("special.gamma", lambda: [1e300], DOMAIN),
    ("linalg.matrix_power", lambda: [[[1.0, 1.0], [0.0, 1.0]], HUGE], DOMAIN),
    ("polynomials.evaluate", lambda: [[1.0, 1.0, 1.0], 1e300], DOMAIN),
    ("distributions.binomial_cdf", lambda: [1, HUGE, 0.5], DOMAIN),
    ("distributions.poisson_quantile", lambda: [0.5, 1e300], DOMAIN),
    ("queueing.erlang_b", lambda: [HUGE, 1.0], DOMAIN),
    # lengths
    ("finance.npv", lambda: [0.1, np.ones(10**7)], LIMIT),
    ("finance.irr", lambda: [np.ones(10**6)], LIMIT),
    ("elementary.softmax", lambda: [np.ones(10**7)], LIMIT),
    ("stats.median", lambda: [np.ones(10**7 + 1)], LIMIT),
    ("combinatorics.inversions", lambda: [np.arange(10**6, 0.0, -1.0)], LIMIT),
    ("combinatorics.permutation_rank", lambda: [list(range(10**5))], LIMIT),
    ("interpolation.linear", lambda: [np.arange(10.0**7), np.arange(10.0**7), 0.5], LIMIT),
    # matrices
    ("linalg.determinant", lambda: [np.ones((1, 10**6))], INTENT),
    ("linalg.norm_1", lambda: [np.ones((1, 10**6))], LIMIT),
    ("linalg.rank", lambda: [np.ones((10**4, 2))], LIMIT),
    ("linalg.rank", lambda: [[[1.0, 2.0]] * 10**5], LIMIT),
    ("linalg.rank", lambda: [[[1.0, 2.0]] * 10**5 + [[1.0]]], INTENT),
    ("linalg.determinant", lambda: [deep(100_000)], INTENT),
    ("stats.mean", lambda: [deep(100_000)], INTENT),
    # what has no end or no solution
    ("finance.irr", lambda: [[1.0, 1.0, 1.0]], DOMAIN),
    ("finance.xirr", lambda: [[1.0, 1e300], [0.0, 1e300]], DOMAIN),
    ("bonds.yield_to_maturity", lambda: [1.0, 1.0, 0.1, 1, HUGE], DOMAIN),
    ("calculus.van_der_pol", lambda: [50.0, [1e4, -1e4], [1000.0]], LIMIT),
]
ANSWERED: list[tuple[str, Arguments, Any]] = [
    ("number_theory.is_prime", lambda: [2**127 - 1], True),
    ("number_theory.gcd", lambda: ["6" + "0" * 4_000, 7], 1),
    ("number_theory.modular_power", lambda: [2, HUGE, 3], 1),
    ("number_theory.factorial_valuation", lambda: [10**18, 2], 999999999999999976),
    ("elementary.power", lambda: [1.0, 1e300], 1.0),
    ("elementary.power", lambda: [0.5, 1e300], 0.0),
    ("elementary.exp", lambda: [-1e300], 0.0),
    ("elementary.sum", lambda: [np.concatenate([spread(10_000), -spread(10_000)])], 0.0),
    ("stats.mean", lambda: [np.full(10**6, MOST)], MOST),
    ("stats.median", lambda: [spread(1_000_001)], 1.0),
    ("combinatorics.binomial", lambda: [10**6, 1], 10**6),
    ("distributions.normal_cdf", lambda: [MOST, 0.0, 1.0], 1.0),
    ("special.zeta", lambda: [MOST], 1.0),
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("project")
    made = service_nb.create_service(project=folder, timeout=SECONDS)
    yield made
    made.close()


def named(calls: list[tuple[str, Arguments, Any]]) -> list[str]:
    return [f"{name}-{place}" for place, (name, _, _) in enumerate(calls)]


@pytest.mark.parametrize(("name", "arguments", "code"), REFUSED, ids=named(REFUSED))
def test_what_is_too_large_is_refused_by_its_code(
    service: Service, name: str, arguments: Arguments, code: str, record_property: Callable[[str, object], None]
) -> None:
    given = arguments()
    with pytest.raises(ServiceError) as caught:
        service.compute(name, args=given)
    assert caught.value.code == code, caught.value.to_dict()
    assert len(str(caught.value)) < 2_000
    record_property("bad_inputs", 1)


@pytest.mark.parametrize(("name", "arguments", "value"), ANSWERED, ids=named(ANSWERED))
def test_what_is_large_but_within_reach_is_answered(
    service: Service, name: str, arguments: Arguments, value: Any
) -> None:
    assert service.compute(name, args=arguments()).value == value
