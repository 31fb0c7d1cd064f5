"""Distributions of shares of a whole, certified."""

from flint import arb, fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def _log_gamma(value):
    return arb(value).lgamma()


def _last_share(shares, kinds):
    if len(shares) != kinds - 1:
        raise DomainError("shares", None, f"{kinds - 1} shares, one for each kind but the last, not {len(shares)}")
    rest = 1 - sum(shares, fmpq(0))
    if rest <= 0:
        raise DomainError("shares", None, "shares of all kinds but the last, with a sum below 1")
    return [*shares, rest]


@capability(
    "distributions.dirichlet_log_pdf",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "shares": P(
            "float64[m]", domain="(0, 1)", min_size=1, about="share of each kind but the last, which has the rest"
        ),
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 1000},
    keywords=["simplex", "compositions", "log-likelihood"],
    cases=[
        case(
            shares=[0.25, 0.5],
            concentrations=[2.0, 3.5, 1.5],
            result=1.6867503542185731,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.logpdf",
        ),
        case(
            shares=[0.125, 0.3125, 0.0625],
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=2.477295101873424,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.logpdf",
        ),
    ],
)
def dirichlet_log_pdf(shares, concentrations):
    """Natural logarithm of the density of the Dirichlet distribution at shares of a whole."""
    powers = column(rational(concentrations))
    whole = _last_share(column(rational(shares)), len(powers))
    terms = ((a - 1) * arb(x).log() - _log_gamma(a) for x, a in zip(whole, powers, strict=True))
    return _log_gamma(sum(powers, fmpq(0))) + sum(terms, arb(0))


@capability(
    "distributions.dirichlet_pdf",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "shares": P(
            "float64[m]", domain="(0, 1)", min_size=1, about="share of each kind but the last, which has the rest"
        ),
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64", range="[0, inf)", about="density"),
    limit={"n": 1000},
    keywords=["simplex", "compositions", "prior"],
    cases=[
        case(
            shares=[0.25, 0.5],
            concentrations=[2.0, 3.5, 1.5],
            result=5.401897896942638,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.pdf",
        ),
        case(
            shares=[0.125, 0.3125, 0.0625],
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=11.909008158710611,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.pdf",
        ),
    ],
)
def dirichlet_pdf(shares, concentrations):
    """Probability density of the Dirichlet distribution at shares of a whole."""
    return dirichlet_log_pdf(shares, concentrations).exp()


@capability(
    "distributions.dirichlet_mean",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64[n]", range="[0, 1]", about="mean of each share"),
    limit={"n": 1000},
    keywords=["simplex", "expectation"],
    cases=[
        case(
            concentrations=[2.0, 3.5, 1.5],
            result=[0.2857142857142857, 0.5, 0.21428571428571427],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.mean",
        ),
        case(
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=[0.08860759493670885, 0.5063291139240506, 0.12658227848101264, 0.27848101265822783],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.mean",
        ),
    ],
)
def dirichlet_mean(concentrations):
    """Mean share of each kind of the Dirichlet distribution."""
    powers = column(rational(concentrations))
    return [a / sum(powers, fmpq(0)) for a in powers]


@capability(
    "distributions.dirichlet_variance",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64[n]", range="[0, 0.25]", about="variance of each share"),
    limit={"n": 1000},
    keywords=["simplex"],
    cases=[
        case(
            concentrations=[2.0, 3.5, 1.5],
            result=[0.025510204081632654, 0.03125, 0.021045918367346938],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.var",
        ),
        case(
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=[0.009073740343397863, 0.028085386777183863, 0.01242238261298517, 0.022576330140120875],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.var",
        ),
    ],
)
def dirichlet_variance(concentrations):
    """Variance of the share of each kind of the Dirichlet distribution."""
    powers = column(rational(concentrations))
    total = sum(powers, fmpq(0))
    return [a * (total - a) / (total * total * (total + 1)) for a in powers]


@capability(
    "distributions.dirichlet_covariance",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64[n,n]", about="covariance matrix"),
    limit={"n": 200},
    keywords=["simplex"],
    cases=[
        case(
            concentrations=[2.0, 3.5, 1.5],
            result=[
                [0.025510204081632654, -0.017857142857142856, -0.007653061224489795],
                [-0.017857142857142856, 0.03125, -0.013392857142857142],
                [-0.007653061224489795, -0.013392857142857142, 0.021045918367346938],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.cov",
        ),
        case(
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=[
                [0.009073740343397863, -0.005040966857443256, -0.001260241714360814, -0.002772531771593791],
                [-0.005040966857443256, 0.028085386777183866, -0.0072013812249189365, -0.015843038694821662],
                [-0.001260241714360814, -0.0072013812249189365, 0.012422382612985169, -0.003960759673705416],
                [-0.002772531771593791, -0.015843038694821662, -0.003960759673705416, 0.022576330140120875],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.cov",
        ),
    ],
)
def dirichlet_covariance(concentrations):
    """Covariance matrix of the shares of the Dirichlet distribution."""
    powers = column(rational(concentrations))
    total = sum(powers, fmpq(0))
    factor = 1 / (total * total * (total + 1))
    return [[factor * a * ((i == j) * total - b) for j, b in enumerate(powers)] for i, a in enumerate(powers)]


@capability(
    "distributions.dirichlet_entropy",
    tier="certified",
    source="kotz2000, ch. 49",
    params={
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64", about="entropy, in natural units"),
    limit={"n": 1000},
    keywords=["simplex", "differential entropy"],
    cases=[
        case(
            concentrations=[2.0, 3.5, 1.5],
            result=-1.2068434306052676,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.entropy",
        ),
        case(
            concentrations=[0.7, 4.0, 1.0, 2.2],
            result=-3.1534737794546777,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet.entropy",
        ),
    ],
)
def dirichlet_entropy(concentrations):
    """Entropy of the Dirichlet distribution in nats."""
    powers = column(rational(concentrations))
    total, size = sum(powers, fmpq(0)), len(powers)
    terms = (_log_gamma(a) - (a - 1) * arb(a).digamma() for a in powers)
    return sum(terms, arb(0)) - _log_gamma(total) + (total - size) * arb(total).digamma()
