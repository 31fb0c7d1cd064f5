"""Likelihoods of models whose variance follows from the returns before."""

from __future__ import annotations

from typing import Any

from flint import arb

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

RECURSION = "mpmath 1.4.1, 50 digits, by the recursion"


@capability(
    "risk.garch_log_likelihood",
    tier="certified",
    version=2,
    source="bollerslev1986, sec. 5",
    params={
        "returns": P("float64[n]", min_size=1, about="returns, the oldest first", symbol="x"),
        "constant": P(domain="[0, inf)", about="constant term of the variance", symbol="\\omega"),
        "reaction": P(domain="[0, 1)", about="weight of the last squared return", symbol="\\alpha"),
        "persistence": P(domain="[0, 1)", about="weight of the last variance", symbol="\\beta"),
        "start_variance": P(domain="(0, inf)", about="variance of the first return", symbol="\\sigma_1^2"),
    },
    result=R(name="log_likelihood", about="log-likelihood"),
    limit={"n": 20_000},
    latex=r"-\frac{1}{2} \sum_t \left(\ln(2 \pi \sigma_t^2) + \frac{x_t^2}{\sigma_t^2}\right), \quad "
    r"\sigma_{t+1}^2 = \omega + \alpha x_t^2 + \beta \sigma_t^2",
    keywords=["maximum likelihood"],
    cases=[
        case(
            returns=[0.01, -0.02, 0.015, -0.035, 0.005, 0.02, -0.01, 0.0, -0.005, 0.03],
            constant=2e-06,
            reaction=0.13,
            persistence=0.86,
            start_variance=0.0004,
            result=25.297770584124965,
            origin=RECURSION,
        ),
        case(
            returns=[0.12, -0.05, 0.2, 0.03, 0.08],
            constant=0.0001,
            reaction=0.1,
            persistence=0.8,
            start_variance=0.01,
            result=3.334824529970178,
            origin=RECURSION,
        ),
        case(
            returns=[0.0, 0.1],
            constant=0.0,
            reaction=0.5,
            persistence=0.0,
            start_variance=0.01,
            error="domain_error",
            origin="by hand: the second return has no variance",
        ),
    ],
)
def garch_log_likelihood(
    returns: NDArray[Any], constant: float, reaction: float, persistence: float, start_variance: float
) -> Any:
    """Logarithm of the normal likelihood of returns under a GARCH(1,1) model."""
    base, alpha, beta, variance = arb(constant), arb(reaction), arb(persistence), arb(start_variance)
    total = arb(0)
    for value in returns.tolist():
        check_deadline()
        if variance == 0:
            raise DomainError("constant", constant, "one with which no variance is 0")
        square = arb(value) ** 2
        total += (2 * arb.pi() * variance).log() + square / variance
        variance = base + alpha * square + beta * variance
    return -total / 2
