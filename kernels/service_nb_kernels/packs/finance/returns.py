"""Internal rates of return and payback: what is solved for, rather than reckoned by a formula."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.certified.solve import root
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

FLOWS = P("float64[n]", unit="money", min_size=2, about="cash flows, the first at time 0", symbol="c")
TIMES = P(
    "float64[n]", domain="[0, inf)", about="time of each cash flow, in years or other periods of the rate", symbol="t"
)
RATE = P(domain="(-1, inf)", about="discount rate per period", symbol="r")
PROJECT = [-1000.0, 300.0, 420.0, 560.0, 680.0]
DATES = [0.0, 0.1643835616438356, 0.8301369863013699, 1.126027397260274, 1.2493150684931507]
RISKY = [-10000.0, 2750.0, 4250.0, 3250.0, 2750.0]
EXCEL = "excel, example of the function XIRR: days over 365"
SECANT = "mpmath 1.4.1, 50 digits, secant iteration"


@capability(
    "finance.irr",
    tier="certified",
    source="brealey2020, ch. 5",
    params={"cashflows": FLOWS},
    result=R(about="internal rate of return per period"),
    limit={"n": 2000},
    latex=r"\sum_{t} \frac{c_t}{(1 + \mathrm{irr})^t} = 0",
    keywords=["internal rate of return", "yield", "IRR"],
    cases=[
        case(cashflows=PROJECT, result=0.2855809481412084, origin=SECANT),
        case(
            cashflows=[-100.0, 39.0, 59.0, 55.0, 20.0],
            result=0.28095,
            within=1e-5,
            origin="numpy-financial 1.0, numpy_financial.irr",
        ),
        case(cashflows=[-100.0, 39.0, 59.0, 55.0, 20.0], result=0.2809484211599611, origin=SECANT),
        case(cashflows=[-100.0, 50.0, 50.0], result=0.0, origin="by hand: paid back without interest"),
        case(cashflows=[-100.0, 230.0, -132.0], error="domain_error", origin="by hand: 10 % and 20 % both solve it"),
        case(cashflows=[100.0, 50.0], error="domain_error", origin="by hand: never negative"),
    ],
)
def irr(cashflows: NDArray[Any]) -> Any:
    """Rate at which the cash flows, whose sign changes exactly once, have no net present value."""
    flows = cashflows.tolist()
    _one_change(flows)
    if sum(map(Fraction, flows)) == 0:
        return 0
    balls = [arb(flow) for flow in reversed(flows)]

    def value(factor: Any) -> Any:  # by Horner's rule, in the discount factor
        total = arb(0)
        for flow in balls:
            total = total * factor + flow
        return total

    return 1 / root(value, arb(0), arb("inf")) - 1


@capability(
    "finance.xirr",
    tier="certified",
    source="luenberger2014, ch. 2",
    params={"cashflows": FLOWS, "times": TIMES},
    result=R(about="internal rate of return per period"),
    limit={"n": 2000},
    latex=r"\sum_{k} \frac{c_k}{(1 + \mathrm{irr})^{t_k}} = 0",
    keywords=["internal rate of return", "irregular dates", "money-weighted return"],
    cases=[
        case(cashflows=RISKY, times=DATES, result=0.373362535, within=1e-7, origin=EXCEL),
        case(cashflows=RISKY, times=DATES, result=0.37336253351883153, origin=SECANT),
        case(cashflows=PROJECT, times=[0.0, 0.5, 1.25, 2.0, 3.5], result=0.4197713910428603, origin=SECANT),
        case(cashflows=[-1.0, 1.0], times=[1.0, 1.0], error="domain_error", origin="by hand: nothing at any time"),
    ],
)
def xirr(cashflows: NDArray[Any], times: NDArray[Any]) -> Any:
    """Rate at which cash flows at stated times, whose sign changes exactly once, have no net present value."""
    at: dict[float, Fraction] = {}
    for flow, time in zip(cashflows.tolist(), times.tolist(), strict=True):
        at[time] = at.get(time, Fraction(0)) + Fraction(flow)
    moments = sorted(at)
    _one_change([at[time] for time in moments])
    if sum(at.values()) == 0:
        return 0
    balls = [(arb(time), arb(fmpq(at[time].numerator, at[time].denominator))) for time in moments]

    def value(force: Any) -> Any:  # in the force of interest; each sum over exponentials of one change has one root
        return sum((flow * (-force * time).exp() for time, flow in balls), arb(0))

    return root(value, arb("-inf"), arb("inf")).expm1()


def _one_change(flows: Sequence[Any]) -> None:
    """Descartes: with one change of sign there is exactly one positive discount factor."""
    signs = [flow > 0 for flow in flows if flow != 0]
    changes = sum(before != after for before, after in pairwise(signs))
    if changes != 1:
        raise DomainError("cashflows", f"{changes} changes of sign", "exactly one, so that one rate solves it")


@capability(
    "finance.payback_period",
    tier="certified",
    source="brealey2020, ch. 5",
    params={"cashflows": FLOWS},
    result=R(about="number of periods, with a part of the last"),
    limit={"n": 20000},
    latex=r"k + \frac{-\sum_{t \le k} c_t}{c_{k+1}}",
    cases=[
        case(cashflows=[-2000.0, 500.0, 500.0, 5000.0], result=2.2, origin="by hand: 1000 of the last 5000"),
        case(cashflows=[-2000.0, 1800.0, 500.0], result=1.4, origin="by hand: 200 of 500"),
        case(cashflows=[-10.0, 4.0], error="domain_error", origin="by hand: never paid back"),
    ],
)
def payback_period(cashflows: NDArray[Any]) -> Any:
    """Number of periods until the first outlay is recovered, cash flowing evenly within a period."""
    return _payback([Fraction(flow) for flow in cashflows.tolist()])


@capability(
    "finance.discounted_payback_period",
    tier="certified",
    source="brealey2020, ch. 5",
    params={"rate": RATE, "cashflows": FLOWS},
    result=R(about="number of periods, with a part of the last"),
    limit={"n": 500},
    latex=r"k + \frac{-\sum_{t \le k} c_t (1 + r)^{-t}}{c_{k+1} (1 + r)^{-k-1}}",
    cases=[
        case(rate=0.25, cashflows=[-100.0, 75.0, 75.0, 75.0], result=1.8333333333333333, origin="by hand: 1 + 40/48"),
        case(rate=1.0, cashflows=[-8.0, 8.0, 8.0, 16.0, 64.0], result=3.0, origin="by hand: 4 + 2 + 2"),
        case(rate=1.0, cashflows=[-8.0, 8.0, 8.0], error="domain_error", origin="by hand: never paid back"),
    ],
)
def discounted_payback_period(rate: float, cashflows: NDArray[Any]) -> Any:
    """Number of periods until the first outlay is recovered with interest, cash flowing evenly within a period."""
    factor, power, worths = 1 / (1 + Fraction(rate)), Fraction(1), []
    for flow in cashflows.tolist():
        check_deadline()
        worths.append(Fraction(flow) * power)
        power *= factor
    return _payback(worths)


def _payback(flows: Sequence[Fraction]) -> Fraction:
    balance = flows[0]
    if balance >= 0:
        raise DomainError("cashflows", float(balance), "an outlay first")
    for period, flow in enumerate(flows[1:]):
        check_deadline()
        if balance + flow >= 0:
            return period - balance / flow
        balance += flow
    raise DomainError("cashflows", None, "enough to recover the first outlay")
