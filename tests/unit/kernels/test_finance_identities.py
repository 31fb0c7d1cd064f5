"""What must hold between capabilities of finance, whatever their formulas: parities, pricing equation, round trips."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest
from service_nb_kernels.check import read
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor

FIELDS = ("option_pricing", "bonds", "finance", "portfolio", "risk", "simulation", "economics")
TRIALS = 25


@pytest.fixture(scope="module")
def call():
    executor = Executor({declared.id: declared for declared in read(FIELDS)[0]})
    return lambda id_, *arguments, seed=None: executor.execute(id_, list(arguments), seed=seed, timeout_s=60)


def options() -> Iterator[tuple[float, ...]]:
    """Spot, strike, time, rate, dividend yield, volatility."""
    draw = random.Random(20_261_121)
    for _ in range(TRIALS):
        yield (
            draw.uniform(50, 150),
            draw.uniform(50, 150),
            draw.uniform(0.05, 3),
            draw.uniform(0.001, 0.12),
            draw.uniform(0.001, 0.08),
            draw.uniform(0.08, 0.6),
        )


def test_a_call_less_a_put_is_a_forward_contract(call):
    for spot, strike, time, rate, drain, volatility in options():
        option = (spot, strike, time, rate, drain, volatility)
        difference = call("option_pricing.merton_call", *option) - call("option_pricing.merton_put", *option)
        forward = call("option_pricing.forward_value", spot, strike, time, rate, drain)
        assert difference == pytest.approx(forward, abs=1e-11)


def test_prices_and_sensitivities_solve_the_equation_of_black_and_scholes(call):
    for option in options():
        spot, _, _, rate, drain, volatility = option
        for kind in ("call", "put"):
            price = call(f"option_pricing.merton_{kind}", *option)
            delta, theta = (call(f"option_pricing.{greek}_{kind}", *option) for greek in ("delta", "theta"))
            gamma = call("option_pricing.gamma", *option)
            rest = theta + (rate - drain) * spot * delta + (volatility * spot) ** 2 / 2 * gamma - rate * price
            assert rest == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize(("side", "level"), [("down", 0.9), ("up", 1.1)])
@pytest.mark.parametrize("kind", ["call", "put"])
def test_an_option_that_starts_and_one_that_ends_at_a_barrier_are_the_plain_option(call, side, level, kind):
    for spot, strike, *rest in options():
        barrier = (spot, strike, spot * level, 0.0, *rest)
        parts = sum(call(f"option_pricing.{side}_and_{word}_{kind}", *barrier) for word in ("in", "out"))
        assert parts == pytest.approx(call(f"option_pricing.merton_{kind}", spot, strike, *rest), abs=1e-10)


def test_implied_volatility_gives_the_volatility_back(call):
    for *option, volatility in options():
        price = call("option_pricing.merton_put", *option, volatility)
        if price > 1e-3:
            assert call("option_pricing.implied_volatility_put", *option, price) == pytest.approx(volatility, rel=1e-9)


def test_early_exercise_is_worth_something_but_not_everything(call):
    for option in options():
        european, american = (call(f"option_pricing.crr_{kind}_put", *option, 60) for kind in ("european", "american"))
        spot, strike, *_ = option
        assert max(european, strike - spot) <= american <= strike


def test_a_lattice_of_many_steps_comes_close_to_the_formula(call):
    for option in options():
        lattice, formula = (
            call("option_pricing.crr_european_call", *option, 400),
            call("option_pricing.merton_call", *option),
        )
        assert lattice == pytest.approx(formula, abs=2e-3 * option[0])


def test_options_on_the_dearer_and_on_the_cheaper_asset_are_the_two_plain_options(call):
    for first, second, time, rate, drain, volatility in options():
        two = (first, second, 100.0, time, rate, drain, 0.02, volatility, 0.25, 0.35)
        both = call("option_pricing.call_on_maximum", *two) + call("option_pricing.call_on_minimum", *two)
        plain = call("option_pricing.merton_call", first, 100.0, time, rate, drain, volatility)
        plain += call("option_pricing.merton_call", second, 100.0, time, rate, 0.02, 0.25)
        assert both == pytest.approx(plain, abs=1e-10)


def test_a_bond_at_its_yield_to_maturity_has_its_price(call):
    draw = random.Random(7)
    for _ in range(TRIALS):
        coupon, frequency, periods, price = (
            draw.uniform(0, 0.12),
            draw.choice([1, 2, 4]),
            draw.randint(1, 60),
            draw.uniform(60, 140),
        )
        found = call("bonds.yield_to_maturity", price, 100.0, coupon, frequency, periods)
        assert call("bonds.price", 100.0, coupon, found, frequency, periods) == pytest.approx(price, rel=1e-12)


def test_bonds_at_the_bootstrapped_curve_are_at_par(call):
    rates = [0.02, 0.025, 0.03, 0.028, 0.035]
    factors = call("bonds.bootstrap_discount_factors", rates)
    for years, rate in enumerate(rates, 1):
        assert rate * math.fsum(factors[:years]) + factors[years - 1] == pytest.approx(1, abs=1e-14)


def test_the_internal_rate_of_return_leaves_no_net_present_value(call):
    draw = random.Random(8)
    for _ in range(TRIALS):
        flows = [-draw.uniform(50, 500) for _ in range(draw.randint(1, 4))]
        flows += [draw.uniform(1, 200) for _ in range(draw.randint(1, 20))]
        rate = call("finance.irr", flows)
        assert call("finance.npv", rate, flows) == pytest.approx(
            0, abs=1e-8 * math.fsum(map(abs, flows)) / (1 + rate) ** len(flows)
        )


def test_no_other_weights_have_less_variance(call):
    covariance = [[0.04, 0.006, 0.01], [0.006, 0.09, 0.02], [0.01, 0.02, 0.16]]
    best = call("portfolio.minimum_variance_weights", covariance)
    least = call("portfolio.variance", best, covariance)
    assert math.fsum(best) == pytest.approx(1, abs=1e-15)
    draw = random.Random(9)
    for _ in range(TRIALS):
        moves = [draw.gauss(0, 0.1) for _ in range(2)]
        other = [best[0] + moves[0], best[1] + moves[1], best[2] - moves[0] - moves[1]]
        assert call("portfolio.variance", other, covariance) >= least


def test_risk_contributions_add_up_to_the_volatility(call):
    covariance, weights = [[0.04, 0.006], [0.006, 0.09]], [0.7, 0.3]
    parts = call("portfolio.risk_contributions", weights, covariance)
    assert math.fsum(parts) == pytest.approx(call("portfolio.volatility", weights, covariance), rel=1e-15)


def test_the_index_of_fisher_lies_between_those_of_laspeyres_and_paasche(call):
    old, new, before, after = [35.0, 7.0, 12.0], [40.0, 6.5, 15.0], [10.0, 55.0, 24.0], [9.0, 60.0, 21.0]
    ends = sorted([
        call("economics.laspeyres_price_index", old, new, before),
        call("economics.paasche_price_index", old, new, after),
    ])  # fmt: skip
    assert ends[0] < call("economics.fisher_price_index", old, new, before, after) < ends[1]


def test_a_simulation_repeats_for_its_seed_and_for_no_other(call):
    queue = ("simulation.mm1_queue", 1.0, 2.0, 500)
    assert call(*queue, seed=5) == call(*queue, seed=5)
    assert call(*queue, seed=5) != call(*queue, seed=6)


def test_a_simulation_without_a_seed_is_refused(call):
    with pytest.raises(KernelError) as caught:
        call("simulation.random_walk", 5, 0.5)
    assert caught.value.code == "seed_required"


@pytest.mark.parametrize("kind", ["call", "put"])
def test_simulated_prices_lie_within_four_standard_errors_of_the_formula(call, kind):
    for seed in range(5):
        found = call("simulation.european_option", 100.0, 105.0, 1.0, 0.05, 0.2, kind, 20_000, seed=seed)
        price = call(f"option_pricing.black_scholes_{kind}", 100.0, 105.0, 1.0, 0.05, 0.2)
        assert abs(found["price"] - price) < 4 * found["standard_error"]
