"""Interest rates and bonds of QuantLib."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import QuantLib as ql
from oracle import OracleTable

TABLE = OracleTable("QuantLib", ql.__version__)
TODAY = ql.Date(1, 1, 2020)
ql.Settings.instance().evaluationDate = TODAY
YEAR = ql.Actual365Fixed()


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"QuantLib.{function}", compute, **{"within": 1e-10, **more})


def flat(rate: float) -> Any:
    return ql.YieldTermStructureHandle(ql.FlatForward(TODAY, rate, YEAR, ql.Continuous))


# Interest rates
def _rate(rate: float, compounding: Any = ql.Compounded, frequency: float = 1) -> Any:
    return ql.InterestRate(rate, YEAR, compounding, int(frequency))


RATES = {"rate": (-0.05, 0.2), "nominal_rate": (0.001, 0.2), "continuous_rate": (-0.1, 0.3), "time": (0.1, 20),
         "periods": (0.5, 30), "principal": (10, 1000), "frequency": [1.0, 2.0, 4.0, 12.0], "new_frequency": [1.0, 2.0, 4.0, 12.0]}  # fmt: skip


def _add_rate(capability: str, method: str, compute: Any) -> None:
    _add(capability, f"InterestRate.{method}", compute, draws=RATES, near_zero=1e-15)


_add_rate("finance.compound_amount", "compoundFactor", lambda principal, rate, periods: principal * _rate(rate).compoundFactor(periods))
_add_rate("finance.simple_interest_amount", "compoundFactor", lambda principal, rate, time: principal * _rate(rate, ql.Simple).compoundFactor(time))
_add_rate("finance.continuous_amount", "compoundFactor", lambda principal, rate, time: principal * _rate(rate, ql.Continuous).compoundFactor(time))
_add_rate("finance.effective_rate", "equivalentRate", lambda nominal_rate, frequency: _rate(nominal_rate, frequency=frequency).equivalentRate(ql.Compounded, ql.Annual, 1).rate())
_add_rate("finance.continuous_to_effective_rate", "equivalentRate", lambda continuous_rate: _rate(continuous_rate, ql.Continuous).equivalentRate(ql.Compounded, ql.Annual, 1).rate())
_add_rate("finance.equivalent_nominal_rate", "equivalentRate", lambda nominal_rate, frequency, new_frequency: _rate(nominal_rate, frequency=frequency).equivalentRate(ql.Compounded, int(new_frequency), 1).rate())
_add_rate("bonds.discount_factor", "discountFactor", lambda rate, time: _rate(rate, ql.Continuous).discountFactor(time))
_add_rate("bonds.discount_factor_simple", "discountFactor", lambda rate, time: _rate(rate, ql.Simple).discountFactor(time))
_add("bonds.forward_rate_simple", "InterestRate.impliedRate", lambda short_factor, long_factor, accrual: ql.InterestRate.impliedRate(short_factor / long_factor, YEAR, ql.Simple, ql.Annual, accrual).rate(), draws={"short_factor": (0.8, 0.99), "long_factor": (0.5, 0.8), "accrual": (0.2, 2)})

# Bonds
MONTHS = ql.Thirty360(ql.Thirty360.BondBasis)
BOND = {"face": (100, 1000), "coupon_rate": (0.01, 0.1), "yield_rate": (0.005, 0.12), "frequency": [1, 2, 4, 12],
        "periods": (1, 20)}  # fmt: skip


def _bond(face: float, coupon_rate: float, frequency: int, periods: int, redemption: float = 100.0) -> Any:
    months = 12 // frequency
    end = TODAY + ql.Period(months * periods, ql.Months)
    schedule = ql.Schedule(
        TODAY, end, ql.Period(months, ql.Months), ql.NullCalendar(), ql.Unadjusted, ql.Unadjusted,
        ql.DateGeneration.Backward, False,
    )  # fmt: skip
    return ql.FixedRateBond(0, face, schedule, [coupon_rate], MONTHS, ql.Unadjusted, redemption)


def _settle(frequency: int, elapsed: float) -> Any:
    days = round(elapsed * 360 / frequency)
    return ql.Date(1 + days % 30, 1 + days // 30, 2020)


def _elapse(drawn: dict[str, Any]) -> dict[str, Any]:
    period = 360 // drawn["frequency"]
    days = min(int(drawn["elapsed"] * period), period - 1)
    return drawn | {"elapsed": (days - days % 30 + min(days % 30, 27)) / period}


def _quote(function: str) -> Any:
    def compute(face: float, coupon_rate: float, yield_rate: float, frequency: int, periods: int, elapsed: float) -> float:
        bond = _bond(face, coupon_rate, frequency, periods)
        day = _settle(frequency, elapsed)
        quoted = getattr(bond, function)(yield_rate, MONTHS, ql.Compounded, frequency, day)
        return float(quoted) * face / 100

    return compute


def _rate_of_bond(yield_rate: float, frequency: int) -> Any:
    return ql.InterestRate(yield_rate, MONTHS, ql.Compounded, frequency)


_add("bonds.full_price", "FixedRateBond.dirtyPrice", _quote("dirtyPrice"), draws=BOND, prepare=_elapse)
_add("bonds.clean_price", "FixedRateBond.cleanPrice", _quote("cleanPrice"), draws=BOND, prepare=_elapse)
_add(
    "bonds.yield_to_call",
    "BondFunctions.bondYield",
    lambda price, face, coupon_rate, frequency, periods, call_price: ql.BondFunctions.bondYield(
        _bond(face, coupon_rate, frequency, periods, call_price / face * 100),
        ql.BondPrice(price / face * 100, ql.BondPrice.Clean), MONTHS, ql.Compounded, frequency, TODAY, 1e-13, 1000,
    ),
    draws=BOND | {"price": (0.8, 1.2), "call_price": (1.0, 1.1)},
    prepare=lambda drawn: (
        drawn
        | {"price": round(drawn["price"] * drawn["face"], 3), "call_price": round(drawn["call_price"] * drawn["face"], 3)}
    ),
    within=1e-8,
    near_zero=1e-11,
)  # fmt: skip
_add(
    "bonds.dv01",
    "BondFunctions.duration",
    lambda face, coupon_rate, yield_rate, frequency, periods: (
        ql.BondFunctions.duration(
            _bond(face, coupon_rate, frequency, periods), _rate_of_bond(yield_rate, frequency), ql.Duration.Modified,
            TODAY,
        )
        * _quote("dirtyPrice")(face, coupon_rate, yield_rate, frequency, periods, 0.0)
        / 10_000
    ),
    draws=BOND,
    asked="modified duration times dirtyPrice, of a basis point",
)  # fmt: skip
_add(
    "bonds.accrued_interest",
    "BondFunctions.accruedAmount",
    lambda face, coupon_rate, frequency, days_elapsed, days_in_period: ql.BondFunctions.accruedAmount(_bond(face, coupon_rate, frequency, 4), _settle(frequency, days_elapsed / days_in_period)) * face / 100,
    draws=BOND | {"days_elapsed": [1.0, 5.0, 12.0, 20.0, 27.0]},
    prepare=lambda drawn: drawn | {"days_in_period": 360.0 / drawn["frequency"]},
)
_add(
    "bonds.vasicek_bond_price",
    "Vasicek.discountBond",
    lambda short_rate, reversion, mean_rate, volatility, time: ql.Vasicek(
        short_rate, reversion, mean_rate, volatility
    ).discountBond(0.0, time, short_rate),
    draws={"short_rate": (-0.01, 0.1), "reversion": (0.1, 2), "mean_rate": (0.01, 0.08), "volatility": (0.005, 0.03), "time": (0.5, 20)},
)  # fmt: skip
_add(
    "bonds.cir_bond_price",
    "CoxIngersollRoss.discountBond",
    lambda short_rate, reversion, mean_rate, volatility, time: ql.CoxIngersollRoss(
        short_rate, mean_rate, reversion, volatility
    ).discountBond(0.0, time, short_rate),
    draws={"short_rate": (0.005, 0.1), "reversion": (0.2, 2), "mean_rate": (0.02, 0.08), "volatility": (0.01, 0.06), "time": (0.5, 20)},
)  # fmt: skip
_add(
    "bonds.vasicek_mean", "OrnsteinUhlenbeckProcess.expectation", lambda short_rate, reversion, mean_rate, time: ql.OrnsteinUhlenbeckProcess(reversion, 0.01, short_rate, mean_rate).expectation(0.0, short_rate, time), draws={"short_rate": (-0.01, 0.1), "reversion": (0.1, 2), "mean_rate": (0.01, 0.08), "time": (0.5, 20)}
)
_add("bonds.vasicek_variance", "OrnsteinUhlenbeckProcess.variance", lambda reversion, volatility, time: ql.OrnsteinUhlenbeckProcess(reversion, volatility, 0.02, 0.03).variance(0.0, 0.02, time), draws={"reversion": (0.1, 2), "volatility": (0.005, 0.03), "time": (0.5, 20)})


def _discount(drawn: dict[str, Any]) -> dict[str, Any]:
    expiry, maturity = drawn["expiry"], drawn["expiry"] + drawn["maturity"]
    factors = {"expiry_factor": math.exp(-0.03 * expiry), "bond_factor": math.exp(-0.03 * maturity)}
    return drawn | factors | {"maturity": maturity, "strike": factors["bond_factor"] / factors["expiry_factor"] * drawn["strike"]}  # fmt: skip


def _bond_option(kind: Any) -> Any:
    def compute(expiry_factor: float, bond_factor: float, strike: float, reversion: float, volatility: float, expiry: float, maturity: float) -> float:
        model = ql.HullWhite(flat(0.03), reversion, volatility)
        return float(model.discountBondOption(kind, strike, expiry, maturity))

    return compute


for _name, _kind in (("call", ql.Option.Call), ("put", ql.Option.Put)):
    _add(f"bonds.zero_bond_{_name}", "HullWhite.discountBondOption", _bond_option(_kind), prepare=_discount, draws={"expiry": (0.5, 4), "maturity": (0.5, 6), "strike": (0.97, 1.03), "reversion": (0.05, 0.8), "volatility": (0.005, 0.03)}, asked="of a flat curve at 3%", within=1e-8, near_zero=1e-12)
BLACK = {"notional": (100, 1000), "accrual": (0.2, 1.1), "annuity": (1, 9), "discount_factor": (0.6, 1), "forward_rate": (0.01, 0.08),
         "swap_rate": (0.01, 0.08), "strike": (0.01, 0.08), "volatility": (0.1, 0.6), "expiry": (0.2, 8)}  # fmt: skip
for _name, _kind in (("caplet", ql.Option.Call), ("floorlet", ql.Option.Put)):
    _add(f"bonds.{_name}", "blackFormula", lambda notional, accrual, discount_factor, forward_rate, strike, volatility, expiry, kind=_kind: notional * accrual * ql.blackFormula(kind, strike, forward_rate, volatility * math.sqrt(expiry), discount_factor), draws=BLACK, near_zero=1e-12)
for _name, _kind in (("payer", ql.Option.Call), ("receiver", ql.Option.Put)):
    _add(f"bonds.{_name}_swaption", "blackFormula", lambda notional, annuity, swap_rate, strike, volatility, expiry, kind=_kind: notional * ql.blackFormula(kind, strike, swap_rate, volatility * math.sqrt(expiry), annuity), draws=BLACK, near_zero=1e-12)
