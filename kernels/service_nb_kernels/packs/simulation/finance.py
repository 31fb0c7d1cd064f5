"""Simulations of prices: paths, and options valued by the mean of many of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from service_nb_kernels.certified.rounding import BEYOND, OVERFLOW
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.seeded.exact import Doubles, exp
from service_nb_kernels.seeded.words import Words

MOST = 20_000_000  # normal numbers of one call
SPOT = P(unit="money", domain="(0, inf)", about="price of the underlying today", symbol="S")
STRIKE = P(unit="money", domain="(0, inf)", about="exercise price", symbol="K")
TIME = P(unit="yr", domain="(0, inf)", about="time to expiry, in years", symbol="T")
RATE = P(unit="1/yr", about="risk-free rate, continuously compounded, per year", symbol="r")
VOLATILITY = P(
    unit="1/yr^0.5", domain="[0, inf)", about="standard deviation of the yearly log return", symbol="\\sigma"
)
KIND = P("string", choices=["call", "put"], about="call or put")
PATHS = P("int", domain="[2, 5000000]", about="number of simulated paths", symbol="N")
PRICED = R(
    fields={
        "price": R(unit="money", about="estimated price"),
        "standard_error": R(unit="money", about="standard error of the estimate", range="[0, inf)"),
    }
)


def total(values: list[float]) -> float:
    """Return the correctly rounded sum, or refuse one that no double can hold."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):  # on the way to the sum, or infinities of both signs
        raise DomainError(OVERFLOW, None, BEYOND) from None


def summary_of(values: Doubles) -> tuple[float, float]:
    """Return the mean and its standard error; sums are correctly rounded, so their order does not matter."""
    count = values.size
    mean = total(values.tolist()) / count
    spread = values - mean
    return mean, math.sqrt(total((spread * spread).tolist()) / (count - 1) / count)


def check_size(draws: int) -> None:
    """Refuse a call that would draw too many numbers."""
    if draws > MOST:
        raise LimitError(f"{draws} random numbers; expected at most {MOST} in one call.", expected=MOST)


def _payoff(kind: str, price: Doubles, strike: float) -> Doubles:
    return np.maximum(price - strike if kind == "call" else strike - price, 0.0)


def _priced(payoff: Doubles, discount: float) -> dict[str, float]:
    mean, error = summary_of(payoff)
    return {"price": mean * discount, "standard_error": error * discount}


def _exp(x: float) -> float:
    return float(exp(np.array([x]))[0])


EUROPEAN: dict[str, Any] = {
    "spot": 100.0,
    "strike": 105.0,
    "time": 1.0,
    "rate": 0.05,
    "volatility": 0.2,
    "paths": 100_000,
}
LATER: dict[str, Any] = {"spot": 60.0, "strike": 65.0, "time": 0.25, "rate": 0.08, "volatility": 0.3, "paths": 200_000}


@capability(
    "simulation.european_option",
    tier="seeded",
    version=2,
    source="glasserman2003, ch. 1",
    params={
        "spot": SPOT,
        "strike": STRIKE,
        "time": TIME,
        "rate": RATE,
        "volatility": VOLATILITY,
        "kind": KIND,
        "paths": PATHS,
    },
    result=PRICED,
    latex=r"e^{-rT} \frac{1}{N} \sum_i \max(\pm(S_T^{(i)} - K), 0)",
    keywords=["Monte Carlo", "Black-Scholes"],
    cases=[
        case(
            **EUROPEAN,
            kind="call",
            seed=1,
            result={"price": 8.0214, "standard_error": 0.04175},
            within=2e-2,
            origin="by hand: Black-Scholes price; error from the variance of the pay-off",
        ),
        case(
            **LATER,
            kind="call",
            seed=2,
            result={"price": 2.1334, "standard_error": 0.01011},
            within=2e-2,
            origin="haug2007, ch. 1, and put-call parity; error from the variance of the pay-off",
        ),
        case(
            **EUROPEAN,
            kind="put",
            seed=3,
            result={"price": 7.9004, "standard_error": 0.03275},
            within=2e-2,
            origin="by hand: Black-Scholes price; error from the variance of the pay-off",
        ),
    ],
)
def european_option(  # noqa: PLR0917  # its parameters, in their order
    spot: float, strike: float, time: float, rate: float, volatility: float, kind: str, paths: int, *, words: Words
) -> dict[str, float]:
    """Price of a European option, as the discounted mean pay-off of simulated lognormal prices."""
    check_size(paths)
    drift = (rate - volatility * volatility / 2) * time
    price = spot * exp(drift + volatility * math.sqrt(time) * words.normal(paths))
    return _priced(_payoff(kind, price, strike), _exp(-rate * time))


AVERAGE: dict[str, Any] = {
    "spot": 100.0,
    "strike": 100.0,
    "time": 1.0,
    "rate": 0.05,
    "volatility": 0.2,
    "fixings": 12,
    "paths": 50_000,
}


@capability(
    "simulation.asian_option",
    tier="seeded",
    version=2,
    source="glasserman2003, ch. 1",
    params={
        "spot": SPOT,
        "strike": STRIKE,
        "time": TIME,
        "rate": RATE,
        "volatility": VOLATILITY,
        "kind": KIND,
        "fixings": P(
            "int", domain="[1, 10000]", about="number of equally spaced fixings, the last at expiry", symbol="n"
        ),
        "paths": PATHS,
    },
    result=PRICED,
    latex=r"e^{-rT} \frac{1}{N} \sum_i \max\left(\pm\left(\frac{1}{n} \sum_j S_j^{(i)} - K\right), 0\right)",
    keywords=["Monte Carlo", "average price", "arithmetic mean"],
    cases=[
        case(
            **{**LATER, "paths": 100_000},
            fixings=1,
            kind="put",
            seed=5,
            result={"price": 5.8463, "standard_error": 0.01912},
            within=2e-2,
            origin="haug2007, ch. 1, and put-call parity; error from the variance of the pay-off",
        ),
        case(
            **AVERAGE,
            kind="call",
            seed=4,
            result={"price": np.float64(6.1561), "standard_error": np.float64(0.0381)},
            within=2e-2,
            origin="Python 3.11, 2e6 paths of NumPy 2.4.6, default_rng, with the geometric mean as control",
        ),
    ],
)
def asian_option(  # noqa: PLR0917  # its parameters, in their order
    spot: float,
    strike: float,
    time: float,
    rate: float,
    volatility: float,
    kind: str,
    fixings: int,
    paths: int,
    *,
    words: Words,
) -> dict[str, float]:
    """Price of an option on the arithmetic mean of fixings, as the discounted mean pay-off of simulated paths."""
    check_size(paths * fixings)
    step = time / fixings
    drift, spread = (rate - volatility * volatility / 2) * step, volatility * math.sqrt(step)
    level, total = np.zeros(paths), np.zeros(paths)
    for _ in range(fixings):
        level = level + (drift + spread * words.normal(paths))
        total = total + exp(level)
    return _priced(_payoff(kind, spot * (total / fixings), strike), _exp(-rate * time))


@capability(
    "simulation.geometric_brownian_path",
    tier="seeded",
    source="glasserman2003, ch. 3",
    params={
        "start": P(unit="?u", domain="(0, inf)", about="value at time 0", symbol="S_0"),
        "drift": P(unit="1/yr", about="expected growth, continuously compounded, per year", symbol="\\mu"),
        "volatility": VOLATILITY,
        "time": P(unit="yr", domain="(0, inf)", about="duration of the path, in years", symbol="T"),
        "steps": P("int", domain="[1, 1000000]", about="number of equal steps", symbol="n"),
    },
    result=R("float64[]", unit="?u", about="values at the start and after each step"),
    latex=r"S_{k+1} = S_k\, e^{(\mu - \sigma^2/2) \Delta t + \sigma \sqrt{\Delta t}\, Z_k}",
    keywords=["GBM", "stock price path", "Black-Scholes model"],
    cases=[
        case(
            start=100.0,
            drift=0.0,
            volatility=0.0,
            time=1.0,
            steps=3,
            seed=9,
            result=[100.0] * 4,
            origin="by hand: no change",
        ),
        case(
            start=2.0,
            drift=math.log(2.0),
            volatility=0.0,
            time=2.0,
            steps=2,
            seed=9,
            result=[2.0, 4.0, 8.0],
            within=1e-14,
            origin="by hand: it doubles each year",
        ),
        case(
            start=1.0,
            drift=0.05,
            volatility=0.2,
            time=1.0,
            steps=4,
            seed=0,
            result=[1.0, 1.0434524959426412, 0.9887528325311341, 0.8371426576057809, 0.6815389229133156],
            within=1e-13,
            origin="mpmath 1.4.1, 50 digits, from PCG64(0).random_raw(4)",
        ),
    ],
)
def geometric_brownian_path(
    start: float, drift: float, volatility: float, time: float, steps: int, *, words: Words
) -> Doubles:
    """A path of geometric Brownian motion, simulated without error of discretization."""
    step = time / steps
    moves = (drift - volatility * volatility / 2) * step + volatility * math.sqrt(step) * words.normal(steps)
    return start * exp(np.add.accumulate(np.concatenate([np.zeros(1), moves])))
