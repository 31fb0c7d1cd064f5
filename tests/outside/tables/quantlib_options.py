"""Options of QuantLib."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import QuantLib as ql
from oracle import OracleTable
from scipy.differentiate import derivative
from tables.quantlib_rates import TODAY, YEAR, flat

TABLE = OracleTable("QuantLib", ql.__version__)
MARKET = {
    "spot": (80, 125), "strike": (80, 125), "forward": (80, 125), "time": (0.2, 3), "rate": (0.005, 0.09),
    "dividend_yield": (0, 0.06), "foreign_rate": (0, 0.06), "volatility": (0.1, 0.5), "normal_volatility": (5, 30),
    "cash": (1, 50),
}  # fmt: skip


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"QuantLib.{function}", compute, **{"within": 1e-10, "draws": MARKET, **more})


def _days(*names: str) -> Any:
    """Make whole days of 1/365 year of drawn times: QuantLib reckons from dates."""

    def prepare(drawn: dict[str, Any]) -> dict[str, Any]:
        return drawn | {name: max(1, round(drawn[name] * 365)) / 365 for name in names}

    return prepare


def _date(time: float) -> Any:
    return TODAY + round(time * 365)


def _process(spot: float, rate: float, dividend_yield: float, volatility: float) -> Any:
    return ql.BlackScholesMertonProcess(ql.QuoteHandle(ql.SimpleQuote(spot)), flat(dividend_yield), flat(rate), ql.BlackVolTermStructureHandle(ql.BlackConstantVol(TODAY, ql.NullCalendar(), volatility, YEAR)))


def _price(option: Any, engine: Any) -> float:
    option.setPricingEngine(engine)
    return float(option.NPV())


# Options of the model of Black and Scholes
def _calculator(payoff: Any, spot: float, time: float, rate: float, dividend_yield: float, volatility: float) -> Any:
    forward = spot * math.exp((rate - dividend_yield) * time)
    return ql.BlackCalculator(payoff, forward, volatility * math.sqrt(time), math.exp(-rate * time))


def _vanilla(spot: float, strike: float, time: float, rate: float, dividend_yield: float, volatility: float, kind: Any) -> Any:
    return _calculator(ql.PlainVanillaPayoff(kind, strike), spot, time, rate, dividend_yield, volatility)


CALL, PUT = ql.Option.Call, ql.Option.Put


def _add_greek(name: str, method: str, kind: Any, ask: Any) -> None:
    _add(f"option_pricing.{name}", f"BlackCalculator.{method}", lambda spot, strike, time, rate, dividend_yield, volatility: getattr(_vanilla(spot, strike, time, rate, dividend_yield, volatility, kind), method)(*ask(spot, time)), near_zero=1e-12)


_add_greek("vega", "vega", CALL, lambda spot, time: [time])
_add_greek("theta_call", "theta", CALL, lambda spot, time: [spot, time])
_add_greek("rho_put", "rho", PUT, lambda spot, time: [time])
_add_greek("phi_call", "dividendRho", CALL, lambda spot, time: [time])
_add_greek("phi_put", "dividendRho", PUT, lambda spot, time: [time])
_add_greek("elasticity_call", "elasticity", CALL, lambda spot, time: [spot])
_add_greek("vanna", "vanna", CALL, lambda spot, time: [spot, time])
_add_greek("dual_delta_call", "strikeSensitivity", CALL, lambda spot, time: [])
_add_greek("dual_delta_put", "strikeSensitivity", PUT, lambda spot, time: [])
_add_greek("dual_gamma", "strikeGamma", CALL, lambda spot, time: [])
_add_greek("exercise_probability_call", "itmCashProbability", CALL, lambda spot, time: [])


def _add_derivative(name: str, method: str, by: str, kind: Any, ask: Any, sign: int = 1) -> None:
    """Compare a Greek of higher order with the derivative of one of lower order, taken by SciPy."""

    def compute(**market: float) -> float:
        def greek(value: float) -> float:
            at = market | {by: value}
            return float(getattr(_vanilla(**at, kind=kind), method)(*ask(at["spot"], at["time"])))

        return sign * float(derivative(np.vectorize(greek), market[by], initial_step=market[by] / 20).df)

    _add(f"option_pricing.{name}", f"BlackCalculator.{method}", compute, asked=f"its derivative by {by}", within=1e-7, near_zero=1e-8)


def _spot(spot: float, time: float) -> list[float]:
    return [spot]


_add_derivative("speed", "gamma", "spot", CALL, _spot)
_add_derivative("zomma", "gamma", "volatility", CALL, _spot)
_add_derivative("color", "gamma", "time", CALL, _spot, sign=-1)
_add_derivative("charm_call", "delta", "time", CALL, _spot, sign=-1)
_add_derivative("charm_put", "delta", "time", PUT, _spot, sign=-1)
_add_derivative("veta", "vega", "time", CALL, lambda spot, time: [time], sign=-1)
_add_derivative("vera", "rho", "volatility", CALL, lambda spot, time: [time])
_add_derivative("volga", "vega", "volatility", CALL, lambda spot, time: [time])


def _add_value(name: str, payoff: Any) -> None:
    _add(f"option_pricing.{name}", "BlackCalculator.value", lambda spot, time, rate, dividend_yield, volatility, **more: _calculator(payoff(**more), spot, time, rate, dividend_yield, volatility).value(), near_zero=1e-12, draws=MARKET | {"trigger": (80, 125)})


_add_value("cash_or_nothing_call", lambda strike, cash: ql.CashOrNothingPayoff(CALL, strike, cash))
_add_value("asset_or_nothing_call", lambda strike: ql.AssetOrNothingPayoff(CALL, strike))
_add_value("gap_put", lambda trigger, strike: ql.GapPayoff(PUT, trigger, strike))
_add("option_pricing.garman_kohlhagen_put", "BlackCalculator.value", lambda spot, strike, time, rate, foreign_rate, volatility: _vanilla(spot, strike, time, rate, foreign_rate, volatility, PUT).value(), near_zero=1e-12)
for _name, _kind in (("call", CALL), ("put", PUT)):
    _add(f"option_pricing.bachelier_{_name}", "bachelierBlackFormula", lambda forward, strike, time, rate, normal_volatility, kind=_kind: ql.bachelierBlackFormula(kind, strike, forward, normal_volatility * math.sqrt(time), math.exp(-rate * time)), near_zero=1e-12)
    _add(
        f"option_pricing.black76_implied_volatility_{_name}",
        "blackFormulaImpliedStdDev",
        lambda forward, strike, time, rate, kind=_kind, **price: ql.blackFormulaImpliedStdDev(kind, strike, forward, price.popitem()[1], math.exp(-rate * time), 0.0, 0.3, 1e-14, 1000) / math.sqrt(time),
        draws=MARKET | {"call": (26, 60), "put": (46, 60)},
        within=1e-8,
    )
    _add(
        f"option_pricing.bachelier_implied_volatility_{_name}",
        "bachelierBlackFormulaImpliedVol",
        lambda forward, strike, time, rate, kind=_kind, **price: ql.bachelierBlackFormulaImpliedVol(kind, strike, forward, time, price.popitem()[1], math.exp(-rate * time)),
        draws=MARKET | {"call": (46, 60), "put": (46, 60)},
        within=1e-8,
    )
_add(
    "option_pricing.implied_volatility_put",
    "blackFormulaImpliedStdDev",
    lambda spot, strike, time, rate, dividend_yield, put: (
        ql.blackFormulaImpliedStdDev(
            PUT, strike, spot * math.exp((rate - dividend_yield) * time), put, math.exp(-rate * time), 0.0, 0.3, 1e-14,
            1000,
        )
        / math.sqrt(time)
    ),
    draws=MARKET | {"put": (46, 60)},
    within=1e-8,
)  # fmt: skip
_add(
    "option_pricing.sabr_normal_volatility_atm",
    "sabrVolatility",
    lambda forward, time, alpha, beta_exponent, correlation, volvol: ql.sabrVolatility(
        forward, forward, time, alpha, beta_exponent, volvol, correlation, ql.Normal
    ),
    draws={"forward": (0.5, 3), "time": (0.2, 3), "alpha": (0.05, 0.4), "beta_exponent": (0.05, 0.95), "correlation": (-0.8, 0.8), "volvol": (0.1, 0.8)},
    within=1e-9,
)  # fmt: skip


# Options with an engine of their own
def _european(time: float) -> Any:
    return ql.EuropeanExercise(_date(time))


for _name, _kind in (("call", CALL), ("put", PUT)):
    if _name == "call":
        _add(
            "option_pricing.geometric_asian_call",
            "AnalyticContinuousGeometricAveragePriceAsianEngine",
            lambda spot, strike, time, rate, dividend_yield, volatility: _price(ql.ContinuousAveragingAsianOption(ql.Average.Geometric, ql.PlainVanillaPayoff(CALL, strike), _european(time)), ql.AnalyticContinuousGeometricAveragePriceAsianEngine(_process(spot, rate, dividend_yield, volatility))),
            prepare=_days("time"),
            near_zero=1e-10,
            within=1e-8,
        )
    _add(
        f"option_pricing.geometric_asian_discrete_{_name}",
        "AnalyticDiscreteGeometricAveragePriceAsianEngine",
        lambda spot, strike, time, fixings, rate, dividend_yield, volatility, kind=_kind: _price(
            ql.DiscreteAveragingAsianOption(ql.Average.Geometric, 1.0, 0, [TODAY + round(time * 365 / fixings * (i + 1)) for i in range(fixings)], ql.PlainVanillaPayoff(kind, strike), _european(time)), ql.AnalyticDiscreteGeometricAveragePriceAsianEngine(_process(spot, rate, dividend_yield, volatility))
        ),
        draws=MARKET | {"fixings": (1, 12)},
        prepare=lambda drawn: drawn | {"time": max(1, round(drawn["time"] * 365 / drawn["fixings"])) * drawn["fixings"] / 365},
        near_zero=1e-10,
        within=1e-8,
    )
    _add(
        f"option_pricing.turnbull_wakeman_{_name}",
        "ContinuousArithmeticAsianLevyEngine",
        lambda spot, strike, time, rate, dividend_yield, volatility, kind=_kind: _price(
            ql.ContinuousAveragingAsianOption(ql.Average.Arithmetic, ql.PlainVanillaPayoff(kind, strike), _european(time)), ql.ContinuousArithmeticAsianLevyEngine(_process(spot, rate, dividend_yield, volatility), ql.QuoteHandle(ql.SimpleQuote(0.0)), TODAY)
        ),
        prepare=_days("time"),
        near_zero=1e-9,
        within=1e-7,
    )
_add(
    "option_pricing.floating_lookback_put",
    "AnalyticContinuousFloatingLookbackEngine",
    lambda spot, highest, time, rate, dividend_yield, volatility: _price(ql.ContinuousFloatingLookbackOption(highest, ql.FloatingTypePayoff(PUT), _european(time)), ql.AnalyticContinuousFloatingLookbackEngine(_process(spot, rate, dividend_yield, volatility))),
    draws=MARKET | {"highest": (126, 140), "rate": (0.07, 0.09)},
    prepare=_days("time"),
    within=1e-8,
)
_add(
    "option_pricing.fixed_lookback_put",
    "AnalyticContinuousFixedLookbackEngine",
    lambda spot, lowest, strike, time, rate, dividend_yield, volatility: _price(ql.ContinuousFixedLookbackOption(lowest, ql.PlainVanillaPayoff(PUT, strike), _european(time)), ql.AnalyticContinuousFixedLookbackEngine(_process(spot, rate, dividend_yield, volatility))),
    draws=MARKET | {"lowest": (60, 79), "rate": (0.07, 0.09)},
    prepare=_days("time"),
    within=1e-8,
)


def _compound(outer: Any, inner: Any) -> Any:
    def compute(
        spot: float, outer_strike: float, inner_strike: float, outer_time: float, time: float, rate: float,
        dividend_yield: float, volatility: float,
    ) -> float:  # fmt: skip
        return _price(
            ql.CompoundOption(
                ql.PlainVanillaPayoff(outer, outer_strike), _european(outer_time),
                ql.PlainVanillaPayoff(inner, inner_strike), _european(time),
            ),
            ql.AnalyticCompoundOptionEngine(_process(spot, rate, dividend_yield, volatility)),
        )  # fmt: skip

    return compute


for _name, _outer, _inner in (("call_on_call", CALL, CALL), ("call_on_put", CALL, PUT), ("put_on_put", PUT, PUT)):
    _add(f"option_pricing.{_name}", "AnalyticCompoundOptionEngine", _compound(_outer, _inner), draws=MARKET | {"outer_strike": (2, 12), "inner_strike": (85, 115), "outer_time": (0.1, 0.6), "time": (0.7, 2)}, prepare=_days("outer_time", "time"), within=1e-5, near_zero=1e-4)
PAIR = {"first": (80, 125), "second": (80, 125), "strike": (80, 125), "trigger": (80, 125), "time": (0.2, 2), "rate": (0.01, 0.08),
        "first_yield": (0, 0.05), "second_yield": (0, 0.05), "first_volatility": (0.1, 0.4), "second_volatility": (0.1, 0.4),
        "correlation": (-0.8, 0.8)}  # fmt: skip


def _pair(payoff: Any, kind: Any) -> Any:
    def compute(
        first: float, second: float, strike: float, time: float, rate: float, first_yield: float, second_yield: float,
        first_volatility: float, second_volatility: float, correlation: float,
    ) -> float:  # fmt: skip
        return _price(ql.BasketOption(payoff(ql.PlainVanillaPayoff(kind, strike)), _european(time)), ql.StulzEngine(_process(first, rate, first_yield, first_volatility), _process(second, rate, second_yield, second_volatility), correlation))

    return compute


for _name, _payoff, _kind in (("call_on_minimum", ql.MinBasketPayoff, CALL), ("put_on_minimum", ql.MinBasketPayoff, PUT), ("put_on_maximum", ql.MaxBasketPayoff, PUT)):
    _add(f"option_pricing.{_name}", "StulzEngine", _pair(_payoff, _kind), draws=PAIR, prepare=_days("time"), within=1e-7, near_zero=1e-8)
_add(
    "option_pricing.two_asset_correlation_put",
    "AnalyticTwoAssetCorrelationEngine",
    lambda first, second, trigger, strike, time, rate, first_yield, second_yield, first_volatility, second_volatility,
    correlation: _price(
        ql.TwoAssetCorrelationOption(PUT, trigger, strike, _european(time)),
        ql.AnalyticTwoAssetCorrelationEngine(
            _process(first, rate, first_yield, first_volatility),
            _process(second, rate, second_yield, second_volatility),
            ql.QuoteHandle(ql.SimpleQuote(correlation)),
        ),
    ),
    draws=PAIR,
    prepare=_days("time"),
    within=1e-5,
    near_zero=1e-4,
)  # fmt: skip
_add(
    "option_pricing.no_touch",
    "AnalyticDigitalAmericanKOEngine",
    lambda spot, barrier, cash, time, rate, dividend_yield, volatility: _price(ql.VanillaOption(ql.CashOrNothingPayoff(PUT if barrier < spot else CALL, barrier, cash), ql.AmericanExercise(TODAY, _date(time), True)), ql.AnalyticDigitalAmericanKOEngine(_process(spot, rate, dividend_yield, volatility))),
    draws=MARKET | {"barrier": (70, 140)},
    prepare=_days("time"),
    within=1e-7,
    near_zero=1e-9,
)
_add(
    "option_pricing.forward_start_put",
    "ForwardEuropeanEngine",
    lambda spot, moneyness, start, time, rate, dividend_yield, volatility: _price(ql.ForwardVanillaOption(moneyness, _date(start), ql.PlainVanillaPayoff(PUT, 0.0), _european(time)), ql.ForwardEuropeanEngine(_process(spot, rate, dividend_yield, volatility))),
    draws=MARKET | {"moneyness": (0.8, 1.2), "start": (0.1, 0.6), "time": (0.8, 3)},
    prepare=_days("start", "time"),
    within=1e-8,
    near_zero=1e-9,
)
_add(
    "option_pricing.quanto_put",
    "QuantoEuropeanEngine",
    lambda spot, strike, time, rate, foreign_rate, dividend_yield, volatility, currency_volatility, correlation,
    exchange_rate: exchange_rate * _price(
        ql.QuantoVanillaOption(ql.PlainVanillaPayoff(PUT, strike), _european(time)),
        ql.QuantoEuropeanEngine(
            _process(spot, rate, dividend_yield, volatility), flat(foreign_rate),
            ql.BlackVolTermStructureHandle(ql.BlackConstantVol(TODAY, ql.NullCalendar(), currency_volatility, YEAR)),
            ql.QuoteHandle(ql.SimpleQuote(correlation)),
        ),
    ),
    draws=MARKET | {"currency_volatility": (0.05, 0.3), "correlation": (-0.8, 0.8), "exchange_rate": (0.5, 2)},
    prepare=_days("time"),
    within=1e-8,
    near_zero=1e-9,
)  # fmt: skip


def _pay(spot: float, strike: float, time: float, rate: float, volatility: float, dividends: list[float], dividend_times: list[float]) -> float:  # fmt: skip
    schedule = ql.DividendSchedule([ql.FixedDividend(amount, _date(at)) for amount, at in zip(dividends, dividend_times, strict=True)])  # fmt: skip
    return _price(ql.VanillaOption(ql.PlainVanillaPayoff(PUT, strike), _european(time)), ql.AnalyticDividendEuropeanEngine(_process(spot, rate, 0.0, volatility), schedule))


_add(
    "option_pricing.escrowed_dividend_put",
    "AnalyticDividendEuropeanEngine",
    _pay,
    draws=MARKET | {"n": (1, 3), "dividends": (0.5, 3), "dividend_times": (0.1, 0.9), "time": (1, 2)},
    prepare=lambda drawn: _days("time")(drawn) | {"dividend_times": sorted(max(1, round(each * 365)) / 365 for each in drawn["dividend_times"])},
    within=1e-8,
    near_zero=1e-9,
)
