"""Calls that ask for more than there is: each ends in a value or a typed error, and a small call answers after it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service_nb import create_service
from service_nb.client.service import Service
from service_nb.errors import ServiceError
from service_nb.runtimes.interface import Invocation
from service_nb.runtimes.managed import Managed
from tests.simulators.resident import LONG, NPV, NPV_VALUE, front, managed, own_home, processes, value, wait_until

Property = Callable[[str, object], None]
SECONDS = 0.5  # that a call may take
CODES = {
    *("domain_error", "limit_exceeded", "invalid_intent", "timeout", "undecided", "seed_required"),
    *("unsupported_operation", "compute_runtime_unavailable", "engine_failed"),
}
DRAWN = np.random.default_rng(20)
BIG, HUGE = 10**48 - 11, 10**299 + 669
SEMIPRIME = (10**23 + 117) * (10**24 + 7)
EDGES = [[i, j] for i in range(200) for j in range(i)]


def doubles(*shape: int) -> Any:
    return DRAWN.normal(size=shape)


def wholes(rows: int, columns: int, bits: int) -> list[list[int]]:
    return [[int.from_bytes(DRAWN.bytes(bits // 8), "little") for _ in range(columns)] for _ in range(rows)]


def nested(depth: int) -> list[Any]:
    made: list[Any] = [1.0]
    for _ in range(depth):
        made = [made]
    return made


@functools.cache
def calls() -> list[Invocation]:
    """The calls, which are made where the first of them is tried: their arguments are large."""
    made: list[Invocation] = []

    def add(name: str, *several: tuple[Any, ...], seed: int | None = None) -> None:
        made.extend(Invocation(name, arguments, seed) for arguments in several)

    # Long inside of C, where no clock is heard.
    add("number_theory.is_prime", (HUGE,), (HUGE - 2,), (2**127 - 1,), (10**300 - 1,), (3**628,), (-(10**299),))
    add("number_theory.factorize", (BIG,), (SEMIPRIME,), (2**159,), (10**48,), (10**47 + 7,))
    add("number_theory.divisors", (2**40 * 3**20 * 5**10 * 7**5,), (10**40,), (10**39 + 3,))
    add("number_theory.next_prime", (10**100 - 1,), (-(10**100),))
    add("number_theory.multiplicative_order", (3, 10**39 + 7), (2, 10**40 - 1))
    add("number_theory.primitive_root", (10**39 + 3,), (10**40,))
    add("number_theory.discrete_logarithm", (3, 7, 999_999_999_989), (5, 123_456, 10**12))
    add("number_theory.decimal_period", (10**30 - 1,), (10**29 + 7,))
    add("number_theory.prime_count", (10**11,), (10**11 - 1,))
    add("number_theory.nth_prime", (2_000_000,))
    add("number_theory.mertens", (2_000_000,))
    add("number_theory.pell_solution", (999_999_937,), (10**9 - 1,))
    add("number_theory.collatz_steps", (10**100 - 1,), (2**300 - 1,))
    add("number_theory.modular_power", (7**3_000, 10**6_000, 10**6_000 + 1), (3, 2**900_000, 2**900_000 + 1))
    add(
        "number_theory.continued_fraction",
        (7**100_000, 5**100_000),
    )
    add("number_theory.lcm_of", ([10**3_000 + at for at in range(1, 1_000)],), (list(range(1, 100_000)),))
    add("number_theory.primes_between", (0, 10**18), (10**18 - 2_000_000, 10**18))
    add("number_theory.representations_as_four_squares", (10**40,), (SEMIPRIME % 10**40,))
    # Numbers of a size.
    add("combinatorics.fibonacci", (1_000_000,), (10**5_000,), (-1_000_000,))
    add("combinatorics.partitions", (1_000_000,))
    add("combinatorics.bell", (5_000,))
    add("combinatorics.bernoulli_number", (3_000,))
    add("combinatorics.catalan", (100_000,))
    add("combinatorics.binomial", (1_000_000, 500_000))
    add("combinatorics.permutations", (100_000, 100_000))
    add("combinatorics.change_ways", (200_000, list(range(1, 50))), (200_000, [1] * 50))
    add("combinatorics.standard_young_tableaux", ([500] * 500,), ([1] * 500,))
    add("combinatorics.multinomial", ([1_000] * 1_000,), ([1] * 1_000_000,))
    add("special.factorial", (100_000,), (2**4_000_000,))
    add("special.zeta_zero", (100_000,))
    add("special.stieltjes_constant", (10_000,), (9_999,))
    add("special.spherical_harmonic", (200, 200, 3.14, 1e3))
    add("special.jacobi", (200, 1e3, 1e3, 1e6), (200, -0.999, 1e3, -1e6))
    add("special.coulomb_f", (100, 50.0, 200.0), (0, -50.0, 1e-300))
    add("number_theory.gcd", (2**3_900_000, 3**2_400_000), (2**4_000_001, 1))
    add("number_theory.digits", (2**3_900_000, 2), (7**1_000_000, 1_000_000))
    # Slow roots, quadratures and decompositions.
    add(
        "polynomials.roots",
        (doubles(60).tolist(),),
        ([1.0] * 61,),
        ([1.0] + [0.0] * 58 + [1e-300],),
        ([1e308, 5e-324] * 20,),
    )
    add("polynomials.real_roots", ([1.0, -1e300] * 30,), (doubles(50).tolist(),))
    add(
        "polynomials.factor_integer",
        ([int(n) for n in DRAWN.integers(-(10**9), 10**9, 60)],),
        ([1] * 60,),
        ([10**30] * 60,),
    )
    add("polynomials.compose", ([1.0] * 60, [1.0] * 60))
    add("polynomials.resultant", (doubles(60).tolist(), doubles(60).tolist()))
    add("calculus.newton_sequence", ([1.0, 1e-300, 1e300] * 4, 0.5, 8))
    add("calculus.taylor_coefficients", ("exp(" * 500 + "x" + ")" * 500, 0.0, 60), ("x" * 100_000, 0.0, 60))
    add("bonds.yield_to_maturity", (1e-300, 1e300, 1e300, 12, 1_200), (1e300, 1e-300, 0.0, 1, 1_200))
    add("finance.irr", ([-1e-300, 1e300] * 2_000,), (doubles(5_000).tolist(),))
    add("finance.npv", (-0.999999999, [1.0] * 100_000), (1e300, [1e308] * 100_000), (5e-324, doubles(1_000_000)))
    add("linalg.eigenvalues", (doubles(30, 30),), (doubles(400, 400),), (np.full((20, 20), 1e308),))
    add("linalg.eigenvalues_large", (doubles(400, 400),), (doubles(2_000, 500),), (np.full((400, 400), 1e308),))
    add("linalg.svd_large", (doubles(400, 400),), (np.zeros((400, 400)),))
    add("linalg.matrix_exponential", (doubles(20, 20) * 1e3,), (np.full((10, 10), 1e308),))
    add("linalg.matrix_power", (doubles(20, 20), 1_000), (doubles(20, 20), -100))
    add("linalg.hilbert_inverse", (60,))
    add("linalg.determinant_integer", (wholes(30, 30, 640),), (wholes(60, 60, 320),))
    add("linalg.lattice_reduction", (wholes(30, 30, 640),), (wholes(20, 20, 2_000),))
    add("linalg.smith_normal_form", (wholes(20, 20, 960),))
    add("linalg.kronecker", (doubles(100, 100), doubles(100, 100)), (doubles(1_000, 1), doubles(1, 1_000)))
    add("linalg.condition_number", (1.0 / (np.add.outer(np.arange(30.0), np.arange(30.0)) + 1),))
    add("optimization.edit_distance", ("ab" * 1_000, "ba" * 1_000), ("a" * 1_000_000, "b" * 1_000_000))
    add("optimization.knapsack", ([1.0] * 1_000, [1] * 1_000, 100_000))
    add("optimization.subset_sum", (list(range(1, 1_000)), 1_000_000))
    add("optimization.assignment", (doubles(100, 100),))
    add("optimization.linear_program", (doubles(30).tolist(), doubles(30, 30), doubles(30).tolist()))
    add("graph_theory.betweenness_centrality", (200, EDGES), (500, [[0, 1]] * 100_000))
    add("graph_theory.chromatic_polynomial", (14, [[i, j] for i in range(14) for j in range(i)][:16]))
    add("graph_theory.maximum_flow", (200, EDGES, [1.0] * len(EDGES), [0, 199]))
    add("graph_theory.connected_components", (100_000, [[0, 10**300]]), (1, [[0]] * 1_000))
    add("game_theory.kemeny_ranking", ([list(map(int, DRAWN.permutation(8))) for _ in range(100)],))
    add("game_theory.shapley_value", (doubles(2**10).tolist(),), (doubles(2**16).tolist(),))
    # Memory, within the limits of arguments and beyond.
    add("stats.sum", (doubles(2_000_000),), (np.full(2_000_000, 1e308),), (np.broadcast_to(np.ones(1), (10_000_001,)),))
    add("stats.ecdf", (doubles(500_000), 0.0), (doubles(200_000),))
    add("stats.variance", (doubles(1_000_000),), (np.full(1_000_000, 5e-324),))
    add("linalg.outer", (doubles(1_000), doubles(1_000)), (doubles(100_000), doubles(100_000)))
    add("signal_processing.autocorrelation_sequence", (doubles(100_000), 10_000))
    add("time_series.moving_median", (doubles(20_000), 9_999))
    add("simulation.pi_estimate", (10_000_000,), seed=1)
    add("simulation.random_walk", (1_000_000, 0.5), seed=2)
    add(
        "simulation.asian_option",
        (1.0, 1.0, 1.0, 0.0, 1.0, "call", 10_000, 5_000_000),
        (1.0, 1.0, 1.0, 0.0, 1.0, "call", 4, 5_000_000),
        seed=3,
    )
    add("simulation.sir_epidemic", (10**6, 10**6, 1.0, 1e-300), seed=4)
    add("simulation.branching_process", (10**6, 100.0, 1_000), seed=5)
    add("simulation.mm1_queue", (1.0, 1e-300, 2_000_000), seed=6)
    add("simulation.bootstrap_mean", (doubles(10_000), 0.95, 100_000), seed=7)
    # Forms.
    add(
        "finance.npv",
        (0.1, nested(40)),
        (0.1, nested(90)),
        (0.1, nested(50_000)),
        ("x" * 10_000_000, []),
        (0.1, ["x"] * 500_000),
    )
    add("linalg.trace", (nested(3),), ([[1.0] * 3, [1.0]] * 1_000,), ([[]] * 100_000,), ("x" * 1_000_000,))
    add("text_metrics.bleu", ([10**300] * 4, [1] * 4, 1, 1), ([2**4_000_000], [1], 1, 1))
    add("x" * 1_000_000, ())
    return made


COUNT = 158


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with own_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def runtime(home: Path) -> Iterator[Managed]:
    made = managed()
    yield made
    made.close()


@pytest.fixture(scope="module")
def service(home: Path) -> Iterator[Service]:
    made = create_service()
    yield made
    made.close()


def exhausts(home: Path, runtime: Managed, asked: Invocation) -> None:
    assert value(runtime) == NPV_VALUE
    pid = front(home)
    assert outcome(runtime, [asked]) in CODES | {"value"}
    assert value(runtime, NPV, timeout_s=20) == NPV_VALUE
    assert front(home) == pid


@pytest.mark.parametrize("number", range(2, COUNT, 5))
def test_a_call_that_asks_for_too_much_ends_and_the_next_one_answers(
    home: Path, runtime: Managed, number: int, record_property: Property
) -> None:
    exhausts(home, runtime, calls()[number])
    record_property("bad_inputs", 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(COUNT))
def test_every_call_that_asks_for_too_much_ends_and_the_next_one_answers(
    home: Path, runtime: Managed, number: int, record_property: Property
) -> None:
    exhausts(home, runtime, calls()[number])
    record_property("bad_inputs", 1)


def test_there_are_enough_of_them() -> None:
    assert len(calls()) == COUNT
    assert COUNT >= 150


def test_while_a_worker_is_kept_busy_others_are_answered(home: Path, runtime: Managed) -> None:
    with ThreadPoolExecutor(1) as pool:
        heavy = pool.submit(outcome, runtime, [LONG] * 50)
        another = managed()
        assert [value(another) for _ in range(20)] == [NPV_VALUE] * 20
        another.close()
        assert heavy.result() == "timeout"


def outcome(runtime: Managed, calls: list[Invocation]) -> str:
    try:
        runtime.run(calls, timeout_s=SECONDS)
    except ServiceError as error:
        return error.code
    return "value"


def test_more_heavy_calls_than_workers_end_one_and_all(home: Path, runtime: Managed) -> None:
    value(runtime)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: outcome(runtime, [LONG]), range(4))) == {"timeout"}
    assert value(runtime) == NPV_VALUE
    wait_until(lambda: len(processes(home)) <= 5)


@pytest.mark.parametrize(
    "spec",
    [
        {"module": "combinatorics", "function": "fibonacci", "args": [10**5_000]},
        {"module": "finance", "function": "npv", "args": [0.1, nested(100_000)]},
        {"module": "finance", "function": "npv", "args": ["9" * 10**7, [1.0]]},
        {"module": "optimization", "function": "edit_distance", "args": ["a" * 10**6, "b" * 10**6]},
        {"module": "stats", "function": "mean", "args": [np.broadcast_to(np.ones(1), (10_000_001,))]},
        {"module": "x" * 10**6, "function": "y" * 10**6, "args": []},
    ],
    ids=lambda spec: spec["function"][:20],
)
def test_a_client_is_not_exhausted_either(service: Service, spec: dict[str, Any], record_property: Property) -> None:
    with pytest.raises(ServiceError) as caught:
        service.compute(spec, timeout=SECONDS)
    assert caught.value.code in CODES
    assert service.compute("finance.npv", args=list(NPV.arguments)).value == NPV_VALUE
    record_property("bad_inputs", 1)
