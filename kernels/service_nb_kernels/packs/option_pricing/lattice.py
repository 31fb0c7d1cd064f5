"""Options by lattices of a stated number of steps: the value on the lattice is certified, not the limit of many."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import arb

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

PARAMS = {
    "spot": P(unit="money", domain="(0, inf)", about="price of the underlying today", symbol="S"),
    "strike": P(unit="money", domain="(0, inf)", about="exercise price", symbol="K"),
    "time": P(unit="yr", domain="(0, inf)", about="time to expiry, in years", symbol="T"),
    "rate": P(unit="1/yr", about="risk-free rate, continuously compounded, per year", symbol="r"),
    "dividend_yield": P(unit="1/yr", about="dividend yield, continuously compounded, per year", symbol="q"),
    "volatility": P(
        unit="1/yr^0.5", domain="(0, inf)", about="standard deviation of the yearly log return", symbol="\\sigma"
    ),
    "steps": P("int", domain="[1, 1000]", about="number of steps of the lattice", symbol="n"),
}
PRICE = R(unit="money", about="price of the option on the lattice")
MPMATH = "mpmath 1.4.1, 50 digits, memoised recursion"
NAMES = tuple(PARAMS)
CRR = r"V_{i,j} = \max\left(w(S_{i,j} - K),\, e^{-r \Delta t}\left(p V_{i+1,j+1} + (1-p) V_{i+1,j}\right)\right)"
CRR_EUROPEAN = r"V_{i,j} = e^{-r \Delta t}\left(p V_{i+1,j+1} + (1-p) V_{i+1,j}\right)"
BOYLE = (
    r"V_{i,j} = \max\left(w(S_{i,j} - K),\, "
    r"e^{-r \Delta t}\left(p_u V_{i+1,j+1} + p_m V_{i+1,j} + p_d V_{i+1,j-1}\right)\right)"
)
HAUG = (100.0, 95.0, 0.5, 0.08, 0.0, 0.3, 5)
HULL = (50.0, 50.0, 0.4166666666666667, 0.1, 0.0, 0.4, 5)
YIELDING = (40.0, 42.0, 1.0, 0.04, 0.06, 0.35, 25)
FEW = (40.0, 42.0, 1.0, 0.04, 0.06, 0.35, 12)
THREE = (100.0, 110.0, 0.5, 0.1, 0.0, 0.27, 30)
TOO_FEW = (100.0, 100.0, 1.0, 0.5, 0.0, 0.1, 1)


def _case(arguments: tuple[float, ...], origin: str = MPMATH, **outcome: Any) -> dict[str, Any]:
    given: dict[str, Any] = dict(zip(NAMES, arguments, strict=True))
    return case(**given, **outcome, origin=origin)


@capability(
    "option_pricing.crr_american_call",
    tier="certified",
    source="cox1979",
    params=PARAMS,
    result=PRICE,
    latex=CRR,
    keywords=["binomial tree", "early exercise"],
    cases=[_case(HAUG, result=13.35268269354618), _case(YIELDING, result=4.29468097934131)],
)
def crr_american_call(*given: Any) -> Any:
    """Price of an American call on a binomial lattice of Cox, Ross and Rubinstein."""
    return _binomial(1, given, early=True)


@capability(
    "option_pricing.crr_american_put",
    tier="certified",
    source="cox1979",
    params=PARAMS,
    result=PRICE,
    latex=CRR,
    keywords=["binomial tree", "early exercise"],
    cases=[
        _case(HAUG, result=4.9192, within=1e-5, origin="haug2007, ch. 7"),
        _case(HULL, result=4.49, within=1e-3, origin="hull2018, ch. 21"),
        _case(YIELDING, result=6.88106070947481),
        _case(TOO_FEW, error="domain_error", origin="by hand: e^0.5 is above e^0.1"),
    ],
)
def crr_american_put(*given: Any) -> Any:
    """Price of an American put on a binomial lattice of Cox, Ross and Rubinstein."""
    return _binomial(-1, given, early=True)


@capability(
    "option_pricing.crr_european_call",
    tier="certified",
    source="cox1979",
    params=PARAMS,
    result=PRICE,
    latex=CRR_EUROPEAN,
    keywords=["binomial tree"],
    cases=[_case(HAUG, result=13.35268269354618), _case(YIELDING, result=4.183194652482321)],
)
def crr_european_call(*given: Any) -> Any:
    """Price of a European call on a binomial lattice of Cox, Ross and Rubinstein."""
    return _binomial(1, given, early=False)


@capability(
    "option_pricing.crr_european_put",
    tier="certified",
    source="cox1979",
    params=PARAMS,
    result=PRICE,
    latex=CRR_EUROPEAN,
    keywords=["binomial tree"],
    cases=[_case(HAUG, result=4.627679413016885), _case(YIELDING, result=6.865769753509948)],
)
def crr_european_put(*given: Any) -> Any:
    """Price of a European put on a binomial lattice of Cox, Ross and Rubinstein."""
    return _binomial(-1, given, early=False)


@capability(
    "option_pricing.trinomial_american_call",
    tier="certified",
    source="boyle1986",
    params=PARAMS,
    result=PRICE,
    latex=BOYLE,
    keywords=["trinomial tree", "early exercise"],
    cases=[_case(THREE, result=5.657876909577006), _case(FEW, result=4.313145485423279)],
)
def trinomial_american_call(*given: Any) -> Any:
    """Price of an American call on a trinomial lattice of Boyle."""
    return _trinomial(1, given)


@capability(
    "option_pricing.trinomial_american_put",
    tier="certified",
    source="boyle1986",
    params=PARAMS,
    result=PRICE,
    latex=BOYLE,
    keywords=["trinomial tree", "early exercise"],
    cases=[
        _case(THREE, result=11.6493, within=1e-5, origin="haug2007, ch. 7"),
        _case(THREE, result=11.649312921905606),
        _case(FEW, result=6.921110075546139),
    ],
)
def trinomial_american_put(*given: Any) -> Any:
    """Price of an American put on a trinomial lattice of Boyle."""
    return _trinomial(-1, given)


def _gains(side: int, spot: float, strike: float, up: Any, steps: int) -> list[Any]:
    """What exercise brings after a net number of ups of -steps .. steps."""
    return [side * (arb(spot) * up**net - arb(strike)) for net in range(-steps, steps + 1)]


def _binomial(side: int, given: tuple[Any, ...], *, early: bool) -> Any:
    spot, strike, time, rate, drain, volatility, steps = given
    step = arb(time) / steps
    up = (arb(volatility) * step.sqrt()).exp()
    chance = (((arb(rate) - arb(drain)) * step).exp() - 1 / up) / (up - 1 / up)
    _is_chance(chance, steps)
    discount = (-arb(rate) * step).exp()
    rise, fall = discount * chance, discount * (1 - chance)
    gains = _gains(side, spot, strike, up, steps)
    values = [gain.max(arb(0)) for gain in gains[::2]]
    for level in range(steps - 1, -1, -1):
        check_deadline()
        held = [rise * above + fall * below for below, above in pairwise(values)]
        now = gains[steps - level : steps + level + 1 : 2]
        values = [hold.max(gain) for hold, gain in zip(held, now, strict=True)] if early else held
    return values[0]


def _trinomial(side: int, given: tuple[Any, ...]) -> Any:
    spot, strike, time, rate, drain, volatility, steps = given
    step = arb(time) / steps
    half_drift = ((arb(rate) - arb(drain)) * step / 2).exp()
    half_up = (arb(volatility) * (step / 2).sqrt()).exp()
    rise = ((half_drift - 1 / half_up) / (half_up - 1 / half_up)) ** 2
    fall = ((half_up - half_drift) / (half_up - 1 / half_up)) ** 2
    _is_chance((half_drift - 1 / half_up) / (half_up - 1 / half_up), steps)
    discount = (-arb(rate) * step).exp()
    rise, fall, stay = discount * rise, discount * fall, discount * (1 - rise - fall)
    gains = _gains(side, spot, strike, half_up**2, steps)
    values = [gain.max(arb(0)) for gain in gains]
    for level in range(steps - 1, -1, -1):
        check_deadline()
        held = [
            fall * below + stay * middle + rise * above
            for below, middle, above in zip(values, values[1:], values[2:], strict=False)
        ]
        now = gains[steps - level : steps + level + 1]
        values = [hold.max(gain) for hold, gain in zip(held, now, strict=True)]
    return values[0]


def _is_chance(chance: Any, steps: int) -> None:
    if chance < 0 or chance > 1:
        raise DomainError("steps", steps, "so many that the chance of a rise lies within 0 and 1")
