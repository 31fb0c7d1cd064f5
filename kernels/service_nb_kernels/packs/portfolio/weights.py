"""Weights of portfolios that solve linear equations: in exact rationals, so that no condition number matters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

COVARIANCE = P(
    "float64[n,n]", about="covariance matrix of the returns", symbol="\\Sigma", structure="positive_definite"
)
RETURNS = P("float64[n]", about="expected returns", symbol="\\mu")
WEIGHTS = R("float64[n]", about="weight of each asset; they sum to 1")
LIMIT = {"n": 200}
TWO = [[0.0625, 0.0], [0.0, 0.25]]
THREE = [[0.04, 0.006, 0.01], [0.006, 0.09, 0.02], [0.01, 0.02, 0.16]]
MEANS = [0.08, 0.1, 0.14]
MPMATH = "mpmath 1.4.1, 50 digits, lu_solve"


def rational(value: float) -> fmpq:
    """Return a double as the rational that it is."""
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def matrix(values: NDArray[Any]) -> fmpq_mat:
    """Return an array of doubles as an exact matrix; a vector becomes a column."""
    rows = values.tolist()
    return fmpq_mat([[rational(x) for x in row] if isinstance(row, list) else [rational(row)] for row in rows])


def solved(covariance: NDArray[Any], right: fmpq_mat) -> fmpq_mat:
    """Return the solution of covariance * x = right, of a positive definite covariance."""
    return matrix(covariance).solve(right)


def column(entries: fmpq_mat) -> list[Any]:
    """Return the entries of a column."""
    return [entries[row, 0] for row in range(entries.nrows())]


def normalised(weights: list[Any], parameter: str) -> list[Any]:
    """Return weights over their sum."""
    total = sum(weights, fmpq(0))
    if total == 0:
        raise DomainError(parameter, None, "one whose solution does not sum to 0")
    return [weight / total for weight in weights]


def ones(size: int) -> fmpq_mat:
    """Return a column of ones."""
    return fmpq_mat([[fmpq(1)] for _ in range(size)])


@capability(
    "portfolio.minimum_variance_weights",
    tier="certified",
    source="merton1972",
    params={"covariance": COVARIANCE},
    result=WEIGHTS,
    limit=LIMIT,
    latex=r"\frac{\Sigma^{-1} \mathbf{1}}{\mathbf{1}^\top \Sigma^{-1} \mathbf{1}}",
    keywords=["global minimum variance", "GMV"],
    version=3,
    cases=[
        case(covariance=TWO, result=[0.8, 0.2], origin="by hand: inversely to the variances"),
        case(covariance=THREE, result=[0.645462080397845, 0.24865312888520516, 0.10588479071694985], origin=MPMATH),
        case(covariance=[[1.0, 1.0], [1.0, 1.0]], error="domain_error", origin="by hand: singular"),
        case(
            covariance=[
                [15.748, -4.93, -2.99, 4.03],
                [-4.93, 18.03, 4.68, -1.8],
                [-2.99, 4.68, 15.217, 4.04],
                [4.03, -1.8, 4.04, 18.35],
            ],
            result=[0.36452754999263187, 0.2852043061894738, 0.22455356200708354, 0.12571458181081083],
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.minimize",
        ),
    ],
)
def minimum_variance_weights(covariance: NDArray[Any]) -> list[Any]:
    """Weights of the portfolio of least variance, short positions allowed."""
    return normalised(column(solved(covariance, ones(len(covariance)))), "covariance")


@capability(
    "portfolio.tangency_weights",
    tier="certified",
    source="tobin1958",
    params={
        "expected_returns": RETURNS,
        "covariance": COVARIANCE,
        "risk_free": P(about="risk-free return", symbol="r_f"),
    },
    result=WEIGHTS,
    limit=LIMIT,
    latex=r"\frac{\Sigma^{-1} (\mu - r_f \mathbf{1})}{\mathbf{1}^\top \Sigma^{-1} (\mu - r_f \mathbf{1})}",
    keywords=["maximum Sharpe ratio", "market portfolio", "optimal risky portfolio"],
    version=4,
    cases=[
        case(
            expected_returns=[0.125, 0.25],
            covariance=TWO,
            risk_free=0.0,
            result=[0.6666666666666666, 0.3333333333333333],
            origin="by hand: 2 to 1",
        ),
        case(
            expected_returns=MEANS,
            covariance=THREE,
            risk_free=0.03,
            result=[0.47388160562238135, 0.27165833220705504, 0.2544600621705636],
            origin=MPMATH,
        ),
    ],
)
def tangency_weights(expected_returns: NDArray[Any], covariance: NDArray[Any], risk_free: float) -> list[Any]:
    """Weights of the portfolio of the highest Sharpe ratio, short positions allowed."""
    free = rational(risk_free)
    excess = fmpq_mat([[rational(mean) - free] for mean in expected_returns.tolist()])
    weights = column(solved(covariance, excess))
    if sum(weights, fmpq(0)) < 0:
        raise DomainError("risk_free", risk_free, "one below the return of the portfolio of least variance")
    return normalised(weights, "expected_returns")


@capability(
    "portfolio.efficient_weights",
    tier="certified",
    source="merton1972",
    params={
        "expected_returns": RETURNS,
        "covariance": COVARIANCE,
        "target": P(about="expected return of the portfolio", symbol="m"),
    },
    result=WEIGHTS,
    limit=LIMIT,
    latex=r"\arg\min_w w^\top \Sigma w \quad \text{with } w^\top \mu = m,\ w^\top \mathbf{1} = 1",
    keywords=["mean-variance", "efficient frontier", "Markowitz"],
    version=4,
    cases=[
        case(
            expected_returns=[0.125, 0.25], covariance=TWO, target=0.1875, result=[0.5, 0.5], origin="by hand: half way"
        ),
        case(
            expected_returns=MEANS,
            covariance=THREE,
            target=0.11,
            result=[0.30368098159509216, 0.294478527607362, 0.4018404907975459],
            origin=MPMATH,
        ),
        case(
            expected_returns=[0.1, 0.1],
            covariance=TWO,
            target=0.2,
            error="domain_error",
            origin="by hand: all returns are 0.1",
        ),
        case(
            expected_returns=[0.125, 0.125],
            covariance=TWO,
            target=0.125,
            result=[0.8, 0.2],
            origin="by hand: inversely to the variances, as of the least variance",
        ),
    ],
)
def efficient_weights(expected_returns: NDArray[Any], covariance: NDArray[Any], target: float) -> list[Any]:
    """Weights of the portfolio of least variance with a stated expected return, short positions allowed."""
    size = len(covariance)
    means, one = matrix(expected_returns), ones(size)
    by_mean, by_one = solved(covariance, means), solved(covariance, one)
    a, b, c = (one.transpose() * by_mean)[0, 0], (means.transpose() * by_mean)[0, 0], (one.transpose() * by_one)[0, 0]
    spread = b * c - a * a
    goal = rational(target)
    if spread == 0:  # all returns are equal
        if c * goal != a:
            raise DomainError("target", target, "the return of the assets, which all have the same")
        return normalised(column(by_one), "covariance")
    mean_part, one_part = (c * goal - a) / spread, (b - a * goal) / spread
    return [mean_part * x + one_part * y for x, y in zip(column(by_mean), column(by_one), strict=True)]


@capability(
    "portfolio.black_litterman_returns",
    tier="certified",
    source="black1992, app.",
    params={
        "equilibrium": P("float64[n]", about="expected returns in equilibrium", symbol="\\Pi"),
        "covariance": COVARIANCE,
        "tau": P(
            domain="(0, inf)", about="uncertainty of the equilibrium, as a part of the covariance", symbol="\\tau"
        ),
        "views": P("float64[k,n]", about="weights of the portfolio of each view, a row each", symbol="P"),
        "view_returns": P("float64[k]", about="expected return of each view", symbol="Q"),
        "view_variances": P("float64[k]", domain="(0, inf)", about="variance of each view", symbol="\\omega"),
    },
    result=R("float64[n]", about="expected returns with the views"),
    limit={"n": 200, "k": 30},
    latex=r"\Pi + \tau \Sigma P^\top (P \tau \Sigma P^\top + \Omega)^{-1} (Q - P \Pi)",
    keywords=["Bayesian", "investor views", "posterior"],
    version=3,
    cases=[
        case(
            equilibrium=[0.25, 0.5],
            covariance=TWO,
            tau=1.0,
            views=[[1.0, 0.0]],
            view_returns=[0.5],
            view_variances=[0.0625],
            result=[0.375, 0.5],
            origin="by hand: the mean of two equally sure returns",
        ),
        case(
            equilibrium=MEANS,
            covariance=THREE,
            tau=0.05,
            views=[[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
            view_returns=[0.01, 0.12],
            view_variances=[0.001, 0.002],
            result=[0.08627636363636364, 0.08049454545454546, 0.12357818181818182],
            origin="mpmath 1.4.1, 50 digits, precision-weighted form",
        ),
        case(
            equilibrium=[0.118, 0.0716],
            covariance=[[0.063376, 0.030965], [0.030965, 0.053401]],
            tau=0.441,
            views=[[0.965, 0.656]],
            view_returns=[0.0756],
            view_variances=[0.0436],
            result=[0.08644364898437006, 0.04645733891101697],
            within=1e-14,
            origin="pyportfolioopt 1.6.0, pypfopt.black_litterman.BlackLittermanModel.bl_returns",
        ),
    ],
)
def black_litterman_returns(  # noqa: PLR0917  # its parameters, in their order
    equilibrium: NDArray[Any],
    covariance: NDArray[Any],
    tau: float,
    views: NDArray[Any],
    view_returns: NDArray[Any],
    view_variances: NDArray[Any],
) -> list[Any]:
    """Expected returns of assets when views of an investor are joined to those of the market's equilibrium."""
    prior, picks = matrix(equilibrium), matrix(views)
    carried = matrix(covariance) * picks.transpose() * rational(tau)
    spread = picks * carried
    for row, variance in enumerate(view_variances.tolist()):
        spread[row, row] += rational(variance)
    surprise = matrix(view_returns) - picks * prior
    try:
        return column(prior + carried * spread.solve(surprise))
    except ZeroDivisionError:
        raise DomainError("views", None, "views whose covariance has an inverse") from None
