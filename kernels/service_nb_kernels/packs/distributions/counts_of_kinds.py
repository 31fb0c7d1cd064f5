"""Distributions of counts of several kinds, and of successes in unlike trials, certified."""

from flint import arb, fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

SMALL = 60  # counts in all: below it a probability is found as a fraction, which settles ties


def _log_gamma(value):
    return arb(value).lgamma()


def _log_binomial(n, k):
    return _log_gamma(n + 1) - _log_gamma(k + 1) - _log_gamma(n - k + 1)


def _shares(weights):
    total = sum(weights, fmpq(0))
    if total == 0:
        raise DomainError("weights", None, "weights of which one is not 0")
    return [weight / total for weight in weights]


def _same_length(name, values, others):
    if len(values) != len(others):
        raise DomainError(name, None, f"{len(others)} values, one for each kind, not {len(values)}")


def _is_impossible(counts, weights):
    _same_length("counts", counts, weights)
    if not any(weights):
        raise DomainError("weights", None, "weights of which one is not 0")
    return any(count and not weight for count, weight in zip(counts, weights, strict=True))


def _log_multinomial(counts, weights):
    if _is_impossible(counts, weights):
        raise DomainError("counts", None, "no count of a kind whose probability is 0")
    shares = _shares(column(rational(weights)))
    if sum(counts) <= SMALL:
        return arb(_small_multinomial(counts, weights)).log()
    terms = (k * arb(share).log() - _log_gamma(k + 1) for k, share in zip(counts, shares, strict=True) if k)
    return _log_gamma(sum(counts) + 1) + sum(terms, arb(0))


def _small_multinomial(counts, weights):
    found, total = fmpq(1), 0
    for count, share in zip(counts, _shares(column(rational(weights))), strict=True):
        for i in range(1, count + 1):
            total += 1
            found *= share * fmpq(total, i)
    return found


def _small_dirichlet_multinomial(counts, powers):
    _same_length("counts", counts, powers)
    found, total, mass = fmpq(1), 0, sum(powers, fmpq(0))
    for count, power in zip(counts, powers, strict=True):
        for i in range(1, count + 1):
            found *= fmpq(total + 1, i) * (power + i - 1) / (mass + total)
            total += 1
    return found


def _count_chances(probabilities):
    """Probability of each number of successes."""
    found = [arb(1)]
    for p in map(arb, probabilities):
        check_deadline()
        rest = 1 - p
        found = [a * rest + b * p for a, b in zip([*found, arb(0)], [arb(0), *found], strict=True)]
    return found


@capability(
    "distributions.multinomial_log_pmf",
    tier="certified",
    source="johnson1997, ch. 35",
    params={
        "counts": P("int[n]", domain="[0, 1000000]", about="count of each kind"),
        "weights": P(
            "float64[n]", domain="[0, inf)", min_size=1, about="probability of each kind; divided by their sum"
        ),
    },
    result=R("float64", about="logarithm of the probability"),
    limit={"n": 1000},
    keywords=["categories", "log-likelihood"],
    cases=[
        case(
            counts=[3, 1, 2],
            weights=[0.5, 0.2, 0.3],
            result=-2.002480500543708,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.logpmf",
        ),
        case(
            counts=[7, 0, 4, 9],
            weights=[0.25, 0.125, 0.125, 0.5],
            result=-6.429577530339429,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.logpmf",
        ),
    ],
)
def multinomial_log_pmf(counts, weights):
    """Natural logarithm of the probability of the counts of a multinomial distribution."""
    return _log_multinomial(counts, weights)


@capability(
    "distributions.multinomial_pmf",
    tier="certified",
    version=2,
    source="johnson1997, ch. 35",
    params={
        "counts": P("int[n]", domain="[0, 1000000]", about="count of each kind"),
        "weights": P(
            "float64[n]", domain="[0, inf)", min_size=1, about="probability of each kind; divided by their sum"
        ),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 1000},
    keywords=["categories", "dice", "likelihood"],
    cases=[
        case(
            counts=[3, 1, 2],
            weights=[0.5, 0.2, 0.3],
            result=0.13499999999999993,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.pmf",
        ),
        case(
            counts=[7, 0, 4, 9],
            weights=[0.25, 0.125, 0.125, 0.5],
            result=0.0016131321899592892,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.pmf",
        ),
    ],
)
def multinomial_pmf(counts, weights):
    """Probability of the counts of a multinomial distribution."""
    if _is_impossible(counts, weights):
        return fmpq(0)
    if sum(counts) <= SMALL:
        return _small_multinomial(counts, weights)
    return _log_multinomial(counts, weights).exp()


@capability(
    "distributions.multinomial_covariance",
    tier="certified",
    source="johnson1997, ch. 35",
    params={
        "trials": P("int", domain="[1, 1000000000]", about="number of trials"),
        "weights": P(
            "float64[n]", domain="[0, inf)", min_size=1, about="probability of each kind; divided by their sum"
        ),
    },
    result=R("float64[n,n]", about="covariance matrix"),
    limit={"n": 200},
    keywords=["categories"],
    cases=[
        case(
            trials=6,
            weights=[0.5, 0.2, 0.3],
            result=[
                [1.5, -0.6000000000000001, -0.8999999999999999],
                [-0.6000000000000001, 0.9600000000000002, -0.36],
                [-0.8999999999999999, -0.36, 1.2599999999999998],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.cov",
        ),
        case(
            trials=20,
            weights=[0.25, 0.125, 0.125, 0.5],
            result=[
                [3.75, -0.625, -0.625, -2.5],
                [-0.625, 2.1875, -0.3125, -1.25],
                [-0.625, -0.3125, 2.1875, -1.25],
                [-2.5, -1.25, -1.25, 5.0],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multinomial.cov",
        ),
    ],
)
def multinomial_covariance(trials, weights):
    """Covariance matrix of the counts of a multinomial distribution."""
    shares = _shares(column(rational(weights)))
    return [[trials * a * ((i == j) - b) for j, b in enumerate(shares)] for i, a in enumerate(shares)]


@capability(
    "distributions.multivariate_hypergeometric_log_pmf",
    tier="certified",
    source="johnson1997, ch. 39",
    params={
        "drawn": P("int[n]", domain="[0, 1000000]", min_size=1, about="number drawn of each kind"),
        "counts": P("int[n]", domain="[0, 1000000]", about="number there is of each kind"),
    },
    result=R("float64", about="logarithm of the probability"),
    limit={"n": 1000},
    keywords=["card hands", "urn", "log-likelihood"],
    cases=[
        case(
            drawn=[2, 1, 3],
            counts=[5, 4, 9],
            result=-1.7092832474038175,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.logpmf",
        ),
        case(
            drawn=[4, 0, 3, 1],
            counts=[10, 3, 12, 6],
            result=-3.348450536507803,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.logpmf",
        ),
    ],
)
def multivariate_hypergeometric_log_pmf(drawn, counts):
    """Natural logarithm of the probability of a draw of several kinds without replacement."""
    _same_length("drawn", drawn, counts)
    if any(k > n for k, n in zip(drawn, counts, strict=True)):
        raise DomainError("drawn", list(drawn), "at most as many of each kind as there are")
    ways = sum((_log_binomial(n, k) for k, n in zip(drawn, counts, strict=True)), arb(0))
    return fmpq(0) if list(drawn) == list(counts) else ways - _log_binomial(sum(counts), sum(drawn))


@capability(
    "distributions.multivariate_hypergeometric_pmf",
    tier="certified",
    source="johnson1997, ch. 39",
    params={
        "drawn": P("int[n]", domain="[0, 1000000]", min_size=1, about="number drawn of each kind"),
        "counts": P("int[n]", domain="[0, 1000000]", about="number there is of each kind"),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 1000},
    keywords=["card hands", "urn", "colored balls"],
    cases=[
        case(
            drawn=[2, 1, 3],
            counts=[5, 4, 9],
            result=0.18099547511312197,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.pmf",
        ),
        case(
            drawn=[4, 0, 3, 1],
            counts=[10, 3, 12, 6],
            result=0.03513875816434209,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.pmf",
        ),
    ],
)
def multivariate_hypergeometric_pmf(drawn, counts):
    """Probability of a draw of several kinds without replacement: the multivariate hypergeometric distribution."""
    _same_length("drawn", drawn, counts)
    if any(k > n for k, n in zip(drawn, counts, strict=True)):
        return fmpq(0)
    return multivariate_hypergeometric_log_pmf(drawn, counts).exp() if list(drawn) != list(counts) else fmpq(1)


@capability(
    "distributions.multivariate_hypergeometric_covariance",
    tier="certified",
    version=2,
    source="johnson1997, ch. 39",
    params={
        "draws": P("int", domain="[0, 1000000]", about="number of things drawn"),
        "counts": P("int[n]", domain="[0, 1000000]", min_size=1, about="number there is of each kind"),
    },
    result=R("float64[n,n]", about="covariance matrix"),
    limit={"n": 200},
    keywords=["urn", "sampling"],
    cases=[
        case(
            draws=6,
            counts=[5, 4, 9],
            result=[
                [0.8496732026143792, -0.26143790849673204, -0.5882352941176471],
                [-0.26143790849673204, 0.7320261437908497, -0.47058823529411764],
                [-0.5882352941176471, -0.47058823529411764, 1.0588235294117647],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.cov",
        ),
        case(
            draws=8,
            counts=[10, 3, 12, 6],
            result=[
                [1.3402705515088449, -0.1914672216441207, -0.7658688865764828, -0.3829344432882414],
                [-0.1914672216441207, 0.536108220603538, -0.22976066597294487, -0.11488033298647243],
                [-0.7658688865764828, -0.22976066597294487, 1.4551508844953174, -0.45952133194588973],
                [-0.3829344432882414, -0.11488033298647243, -0.45952133194588973, 0.9573361082206036],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_hypergeom.cov",
        ),
    ],
)
def multivariate_hypergeometric_covariance(draws, counts):
    """Covariance matrix of a draw of several kinds without replacement."""
    total = sum(counts)
    if draws > total:
        raise DomainError("draws", draws, "at most as many as there are")
    factor = fmpq(draws * (total - draws), max(total * total * (total - 1), 1))  # of one thing none or all are drawn
    return [[factor * a * ((i == j) * total - b) for j, b in enumerate(counts)] for i, a in enumerate(counts)]


@capability(
    "distributions.dirichlet_multinomial_log_pmf",
    tier="certified",
    source="johnson1997, ch. 35",
    params={
        "counts": P("int[n]", domain="[0, 1000000]", about="count of each kind"),
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64", about="logarithm of the probability"),
    limit={"n": 1000},
    keywords=["overdispersed counts", "Polya", "log-likelihood"],
    cases=[
        case(
            counts=[3, 1, 2],
            concentrations=[0.5, 2.0, 1.3],
            result=-4.295899179953313,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.logpmf",
        ),
        case(
            counts=[7, 0, 4, 9],
            concentrations=[2.5, 1.2, 0.4, 6.0],
            result=-7.409745872705296,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.logpmf",
        ),
    ],
)
def dirichlet_multinomial_log_pmf(counts, concentrations):
    """Natural logarithm of the probability of counts of the Dirichlet-multinomial distribution."""
    _same_length("counts", counts, concentrations)
    powers = column(rational(concentrations))
    total, mass = sum(counts), sum(powers, fmpq(0))
    if not total:
        return fmpq(0)
    terms = (_log_gamma(a + k) - _log_gamma(a) - _log_gamma(k + 1) for a, k in zip(powers, counts, strict=True) if k)
    return _log_gamma(mass) + _log_gamma(total + 1) - _log_gamma(mass + total) + sum(terms, arb(0))


@capability(
    "distributions.dirichlet_multinomial_pmf",
    tier="certified",
    source="johnson1997, ch. 35",
    params={
        "counts": P("int[n]", domain="[0, 1000000]", about="count of each kind"),
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 1000},
    keywords=["overdispersed counts", "Polya urn"],
    cases=[
        case(
            counts=[3, 1, 2],
            concentrations=[0.5, 2.0, 1.3],
            result=0.013624315476479304,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.pmf",
        ),
        case(
            counts=[7, 0, 4, 9],
            concentrations=[2.5, 1.2, 0.4, 6.0],
            result=0.0006053245044693133,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.pmf",
        ),
    ],
)
def dirichlet_multinomial_pmf(counts, concentrations):
    """Probability of counts of the Dirichlet-multinomial distribution."""
    if sum(counts) <= SMALL:
        return _small_dirichlet_multinomial(counts, column(rational(concentrations)))
    return dirichlet_multinomial_log_pmf(counts, concentrations).exp()


@capability(
    "distributions.dirichlet_multinomial_covariance",
    tier="certified",
    source="johnson1997, ch. 35",
    params={
        "trials": P("int", domain="[1, 1000000000]", about="number of trials"),
        "concentrations": P("float64[n]", domain="(0, inf)", min_size=2, about="concentration of each kind"),
    },
    result=R("float64[n,n]", about="covariance matrix"),
    limit={"n": 200},
    keywords=["overdispersed counts"],
    cases=[
        case(
            trials=6,
            concentrations=[0.5, 2.0, 1.3],
            result=[
                [1.399757617728532, -0.8483379501385043, -0.5514196675900278],
                [-0.8483379501385043, 3.054016620498616, -2.2056786703601112],
                [-0.5514196675900278, -2.2056786703601112, 2.757098337950139],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.cov",
        ),
        case(
            trials=20,
            concentrations=[2.5, 1.2, 0.4, 6.0],
            result=[
                [10.101465056861585, -1.5949681668728815, -0.5316560556242939, -7.974840834364407],
                [-1.5949681668728815, 5.678086674067458, -0.255194906699661, -3.8279236004949153],
                [-0.5316560556242939, -0.255194906699661, 2.0628254958222603, -1.2759745334983055],
                [-7.974840834364407, -3.8279236004949153, -1.2759745334983055, 13.078738968357634],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.dirichlet_multinomial.cov",
        ),
    ],
)
def dirichlet_multinomial_covariance(trials, concentrations):
    """Covariance matrix of the counts of the Dirichlet-multinomial distribution."""
    powers = column(rational(concentrations))
    mass = sum(powers, fmpq(0))
    factor = trials * (trials + mass) / (mass * mass * (1 + mass))
    return [[factor * a * ((i == j) * mass - b) for j, b in enumerate(powers)] for i, a in enumerate(powers)]


@capability(
    "distributions.poisson_binomial_pmf",
    tier="certified",
    version=2,
    source="johnson2005, ch. 3",
    params={
        "k": P("int", domain="[0, 1000000]", about="number of successes"),
        "probabilities": P("float64[n]", domain="[0, 1]", min_size=1, about="probability of success of each trial"),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 2000},
    keywords=["Poisson-binomial distribution", "unequal probabilities"],
    cases=[
        case(
            k=2,
            probabilities=[0.1, 0.5, 0.7, 0.25],
            result=0.39,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.pmf",
        ),
        case(
            k=3,
            probabilities=[0.9, 0.35, 0.6, 0.05, 0.8, 0.42],
            result=0.38288600000000006,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.pmf",
        ),
    ],
)
def poisson_binomial_pmf(k, probabilities):
    """Probability of a number of successes in trials that differ in their probability."""
    return _count_chances(probabilities)[k] if k <= len(probabilities) else fmpq(0)


@capability(
    "distributions.poisson_binomial_cdf",
    tier="certified",
    version=2,
    source="johnson2005, ch. 3",
    params={
        "k": P("int", domain="[0, 1000000]", about="number of successes"),
        "probabilities": P("float64[n]", domain="[0, 1]", min_size=1, about="probability of success of each trial"),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 2000},
    keywords=["unequal probabilities"],
    cases=[
        case(
            k=2,
            probabilities=[0.1, 0.5, 0.7, 0.25],
            result=0.87375,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.cdf",
        ),
        case(
            k=3,
            probabilities=[0.9, 0.35, 0.6, 0.05, 0.8, 0.42],
            result=0.6460330000000001,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.cdf",
        ),
    ],
)
def poisson_binomial_cdf(k, probabilities):
    """Cumulative probability of the Poisson-binomial distribution: at most so many successes in unlike trials."""
    return sum(_count_chances(probabilities)[: k + 1], arb(0)) if k < len(probabilities) else fmpq(1)


@capability(
    "distributions.poisson_binomial_sf",
    tier="certified",
    version=2,
    source="johnson2005, ch. 3",
    params={
        "k": P("int", domain="[0, 1000000]", about="number of successes"),
        "probabilities": P("float64[n]", domain="[0, 1]", min_size=1, about="probability of success of each trial"),
    },
    result=R("float64", range="[0, 1]", about="probability"),
    limit={"n": 2000},
    keywords=["unequal probabilities", "survival function"],
    cases=[
        case(
            k=2,
            probabilities=[0.1, 0.5, 0.7, 0.25],
            result=0.12624999999999997,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.sf",
        ),
        case(
            k=3,
            probabilities=[0.9, 0.35, 0.6, 0.05, 0.8, 0.42],
            result=0.3539669999999999,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.sf",
        ),
    ],
)
def poisson_binomial_sf(k, probabilities):
    """Upper tail probability of the Poisson-binomial distribution: more than so many successes in unlike trials."""
    return sum(_count_chances(probabilities)[k + 1 :], arb(0)) if k < len(probabilities) else fmpq(0)


@capability(
    "distributions.poisson_binomial_variance",
    tier="certified",
    source="johnson2005, ch. 3",
    params={
        "probabilities": P("float64[n]", domain="[0, 1]", min_size=1, about="probability of success of each trial"),
    },
    result=R("float64", range="[0, inf)", about="variance"),
    limit={"n": 100000},
    keywords=["Poisson-binomial distribution"],
    cases=[
        case(
            probabilities=[0.1, 0.5, 0.7, 0.25],
            result=0.7375,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.var",
        ),
        case(
            probabilities=[0.9, 0.35, 0.6, 0.05, 0.8, 0.42],
            result=1.0086,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.poisson_binom.var",
        ),
    ],
)
def poisson_binomial_variance(probabilities):
    """Variance of the number of successes in trials that differ in their probability."""
    return sum((p * (1 - p) for p in column(rational(probabilities))), fmpq(0))
