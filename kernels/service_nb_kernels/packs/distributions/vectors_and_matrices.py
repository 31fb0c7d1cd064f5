"""Distributions of vectors, covariance matrices and directions, certified."""

from flint import arb, fmpq

from service_nb_kernels.certified.linalg import dot
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def _log_gamma(value):
    return arb(value).lgamma()


def _log_multigamma(size, value):
    """Logarithm of the gamma function of positive definite matrices of that size."""
    terms = (_log_gamma(value - fmpq(i, 2)) for i in range(size))
    return fmpq(size * (size - 1), 4) * arb.pi().log() + sum(terms, arb(0))


def _gap(x, mean, matrix):
    """Squared length of a point's distance from the mean, in units of a covariance."""
    away = rational(x) - rational(mean)
    return (away.transpose() * rational(matrix).solve(away))[0, 0]


def _check_freedom(matrix, df):
    size, freedom = len(matrix), fmpq(*df.as_integer_ratio())
    if freedom <= size - 1:
        raise DomainError("df", df, f"more than {size - 1}, the rows of the matrix less one")
    return size, freedom


@capability(
    "distributions.multivariate_normal_log_pdf",
    tier="certified",
    version=2,
    source="kotz2000, ch. 45",
    params={
        "x": P("float64[n]", about="point"),
        "mean": P("float64[n]", about="mean vector"),
        "covariance": P("float64[n,n]", about="covariance matrix", structure="positive_definite"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 150},
    keywords=["Gaussian vector", "log-likelihood"],
    cases=[
        case(
            x=[0.5, -1.2],
            mean=[0.0, 0.3],
            covariance=[[2.0, 0.5], [0.5, 1.0]],
            result=-3.689113531805628,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.logpdf",
        ),
        case(
            x=[1.1, 0.4, -0.7],
            mean=[0.9, 0.1, 0.2],
            covariance=[[1.6, 0.4, 0.1], [0.4, 0.9, -0.2], [0.1, -0.2, 1.3]],
            result=-3.3237210135305943,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.logpdf",
        ),
    ],
)
def multivariate_normal_log_pdf(x, mean, covariance):
    """Natural logarithm of the density of the multivariate normal distribution at a point."""
    size = len(x)
    spread = rational(covariance).det()
    return -(_gap(x, mean, covariance) + size * (2 * arb.pi()).log() + arb(spread).log()) / 2


@capability(
    "distributions.multivariate_normal_pdf",
    tier="certified",
    version=2,
    source="kotz2000, ch. 45",
    params={
        "x": P("float64[n]", about="point"),
        "mean": P("float64[n]", about="mean vector"),
        "covariance": P("float64[n,n]", about="covariance matrix", structure="positive_definite"),
    },
    result=R("float64", range="[0, inf)", about="density"),
    limit={"n": 150},
    keywords=["Gaussian vector", "bivariate normal", "likelihood"],
    cases=[
        case(
            x=[0.5, -1.2],
            mean=[0.0, 0.3],
            covariance=[[2.0, 0.5], [0.5, 1.0]],
            result=0.024994148742558845,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.pdf",
        ),
        case(
            x=[1.1, 0.4, -0.7],
            mean=[0.9, 0.1, 0.2],
            covariance=[[1.6, 0.4, 0.1], [0.4, 0.9, -0.2], [0.1, -0.2, 1.3]],
            result=0.03601855655277121,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.pdf",
        ),
    ],
)
def multivariate_normal_pdf(x, mean, covariance):
    """Probability density of the multivariate normal distribution at a point."""
    return multivariate_normal_log_pdf(x, mean, covariance).exp()


@capability(
    "distributions.multivariate_normal_entropy",
    tier="certified",
    version=2,
    source="kotz2000, ch. 45",
    params={
        "covariance": P("float64[n,n]", about="covariance matrix", structure="positive_definite"),
    },
    result=R("float64", about="entropy, in natural units"),
    limit={"n": 150},
    keywords=["Gaussian vector", "differential entropy"],
    cases=[
        case(
            covariance=[[2.0, 0.5], [0.5, 1.0]],
            result=3.1176849603770567,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.entropy",
        ),
        case(
            covariance=[[1.6, 0.4, 0.1], [0.4, 0.9, -0.2], [0.1, -0.2, 1.3]],
            result=4.483943235752817,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_normal.entropy",
        ),
    ],
)
def multivariate_normal_entropy(covariance):
    """Entropy of the multivariate normal distribution in nats."""
    size = len(covariance)
    return (size * (1 + (2 * arb.pi()).log()) + arb(rational(covariance).det()).log()) / 2


@capability(
    "distributions.multivariate_t_log_pdf",
    tier="certified",
    version=2,
    source="kotz2004b, ch. 1",
    params={
        "x": P("float64[n]", about="point"),
        "location": P("float64[n]", about="location"),
        "shape": P(
            "float64[n,n]",
            about="shape matrix; the covariance is it times df / (df - 2)",
            structure="positive_definite",
        ),
        "df": P("float64", domain="(0, inf)", about="degrees of freedom"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 150},
    keywords=["heavy tails", "log-likelihood"],
    cases=[
        case(
            x=[0.5, -1.2],
            location=[0.0, 0.3],
            shape=[[2.0, 0.5], [0.5, 1.0]],
            df=4.0,
            result=-3.8571404461358827,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_t.logpdf",
        ),
        case(
            x=[1.1, 0.4, -0.7],
            location=[0.9, 0.1, 0.2],
            shape=[[1.6, 0.4, 0.1], [0.4, 0.9, -0.2], [0.1, -0.2, 1.3]],
            df=11.5,
            result=-3.338508693875068,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_t.logpdf",
        ),
    ],
)
def multivariate_t_log_pdf(x, location, shape, df):
    """Natural logarithm of the density of the multivariate Student t distribution at a point."""
    size, freedom = len(x), fmpq(*df.as_integer_ratio())
    half = (freedom + size) / 2
    whole = _log_gamma(half) - _log_gamma(freedom / 2) - size * (arb.pi() * freedom).log() / 2
    spread = arb(rational(shape).det()).log() / 2
    return whole - spread - half * arb(1 + _gap(x, location, shape) / freedom).log()


@capability(
    "distributions.multivariate_t_pdf",
    tier="certified",
    version=2,
    source="kotz2004b, ch. 1",
    params={
        "x": P("float64[n]", about="point"),
        "location": P("float64[n]", about="location"),
        "shape": P(
            "float64[n,n]",
            about="shape matrix; the covariance is it times df / (df - 2)",
            structure="positive_definite",
        ),
        "df": P("float64", domain="(0, inf)", about="degrees of freedom"),
    },
    result=R("float64", range="[0, inf)", about="density"),
    limit={"n": 150},
    keywords=["heavy tails", "likelihood"],
    cases=[
        case(
            x=[0.5, -1.2],
            location=[0.0, 0.3],
            shape=[[2.0, 0.5], [0.5, 1.0]],
            df=4.0,
            result=0.021128330821674843,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_t.pdf",
        ),
        case(
            x=[1.1, 0.4, -0.7],
            location=[0.9, 0.1, 0.2],
            shape=[[1.6, 0.4, 0.1], [0.4, 0.9, -0.2], [0.1, -0.2, 1.3]],
            df=11.5,
            result=0.035489844499083746,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.multivariate_t.pdf",
        ),
    ],
)
def multivariate_t_pdf(x, location, shape, df):
    """Probability density of the multivariate Student t distribution at a point."""
    return multivariate_t_log_pdf(x, location, shape, df).exp()


@capability(
    "distributions.wishart_log_pdf",
    tier="certified",
    version=2,
    source="eaton1983",
    params={
        "matrix": P("float64[n,n]", about="positive definite matrix", structure="positive_definite"),
        "scale": P(
            "float64[n,n]", about="scale matrix: the mean over the degrees of freedom", structure="positive_definite"
        ),
        "df": P("float64", domain="(0, 1e6]", about="degrees of freedom, more than the rows of the matrix less one"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 60},
    keywords=["random covariance", "prior", "log-likelihood"],
    cases=[
        case(
            matrix=[[2.5, 0.3], [0.3, 1.4]],
            scale=[[1.0, 0.25], [0.25, 0.5]],
            df=3.5,
            result=-3.9194843986883914,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.wishart.logpdf",
        ),
        case(
            matrix=[[3.0, 0.5, 0.2], [0.5, 4.0, -0.3], [0.2, -0.3, 2.0]],
            scale=[[0.5, 0.125, 0.0], [0.125, 0.75, 0.25], [0.0, 0.25, 1.0]],
            df=6.0,
            result=-9.682810092461882,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.wishart.logpdf",
        ),
    ],
)
def wishart_log_pdf(matrix, scale, df):
    """Natural logarithm of the density of the Wishart distribution of covariance matrices."""
    size, freedom = _check_freedom(matrix, df)
    x, v = rational(matrix), rational(scale)
    inner = v.solve(x)
    trace = sum((inner[i, i] for i in range(size)), fmpq(0))
    whole = freedom * size / 2 * arb(2).log() + freedom / 2 * arb(v.det()).log() + _log_multigamma(size, freedom / 2)
    return (freedom - size - 1) / 2 * arb(x.det()).log() - trace / 2 - whole


@capability(
    "distributions.inverse_wishart_log_pdf",
    tier="certified",
    version=2,
    source="eaton1983",
    params={
        "matrix": P("float64[n,n]", about="positive definite matrix", structure="positive_definite"),
        "scale": P(
            "float64[n,n]",
            about="scale matrix: df - n - 1 times the mean, n being its rows",
            structure="positive_definite",
        ),
        "df": P("float64", domain="(0, 1e6]", about="degrees of freedom, more than the rows of the matrix less one"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 60},
    keywords=["random covariance", "conjugate prior", "log-likelihood"],
    cases=[
        case(
            matrix=[[2.5, 0.3], [0.3, 1.4]],
            scale=[[1.0, 0.25], [0.25, 0.5]],
            df=3.5,
            result=-8.615778482181172,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.invwishart.logpdf",
        ),
        case(
            matrix=[[3.0, 0.5, 0.2], [0.5, 4.0, -0.3], [0.2, -0.3, 2.0]],
            scale=[[0.5, 0.125, 0.0], [0.125, 0.75, 0.25], [0.0, 0.25, 1.0]],
            df=6.0,
            result=-28.39947878685035,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.invwishart.logpdf",
        ),
    ],
)
def inverse_wishart_log_pdf(matrix, scale, df):
    """Natural logarithm of the density of the inverse Wishart distribution of covariance matrices."""
    size, freedom = _check_freedom(matrix, df)
    x, v = rational(matrix), rational(scale)
    inner = x.solve(v)
    trace = sum((inner[i, i] for i in range(size)), fmpq(0))
    whole = freedom * size / 2 * arb(2).log() - freedom / 2 * arb(v.det()).log() + _log_multigamma(size, freedom / 2)
    return -(freedom + size + 1) / 2 * arb(x.det()).log() - trace / 2 - whole


@capability(
    "distributions.von_mises_fisher_log_pdf",
    tier="certified",
    source="mardia2000, ch. 9",
    params={
        "direction": P("float64[n]", min_size=2, about="direction; only where it points counts, not its length"),
        "mean_direction": P("float64[n]", about="mean direction; its length does not count"),
        "concentration": P("float64", domain="(0, 10000]", about="concentration about the mean direction"),
    },
    result=R("float64", about="logarithm of the density per unit area of the unit sphere"),
    limit={"n": 100},
    keywords=["spherical data", "directional statistics", "log-likelihood"],
    cases=[
        case(
            direction=[0.6, 0.8],
            mean_direction=[1.0, 0.0],
            concentration=2.5,
            result=-1.5287157376053733,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.vonmises_fisher.logpdf",
        ),
        case(
            direction=[0.0, 0.6, -0.8],
            mean_direction=[0.0, 0.0, 1.0],
            concentration=1.25,
            result=-3.7790830313530988,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.vonmises_fisher.logpdf",
        ),
    ],
)
def von_mises_fisher_log_pdf(direction, mean_direction, concentration):
    """Natural logarithm of the density of the von Mises-Fisher distribution of directions."""
    a, b = column(rational(direction)), column(rational(mean_direction))
    lengths = [dot(vector, vector) for vector in (a, b)]
    if not all(lengths):
        raise DomainError("direction", None, "directions that are not 0")
    cosine = dot(a, b) / arb(lengths[0] * lengths[1]).sqrt()
    order, size = fmpq(len(a), 2) - 1, len(a)
    strength = arb(concentration)
    whole = order * strength.log() - fmpq(size, 2) * (2 * arb.pi()).log() - strength.bessel_i(order).log()
    return whole + strength * cosine


@capability(
    "distributions.matrix_normal_log_pdf",
    tier="certified",
    version=2,
    source="dawid1981",
    params={
        "matrix": P("float64[n,m]", about="matrix of values"),
        "mean": P("float64[n,m]", about="mean of each value"),
        "row_covariance": P("float64[n,n]", about="covariance between rows", structure="positive_definite"),
        "column_covariance": P("float64[m,m]", about="covariance between columns", structure="positive_definite"),
    },
    result=R("float64", about="logarithm of the density"),
    limit={"n": 60, "m": 60},
    keywords=["matrix variate", "log-likelihood"],
    cases=[
        case(
            matrix=[[0.5, 1.0], [1.5, -0.25], [0.0, 2.0]],
            mean=[[0.0, 0.5], [1.0, 0.0], [0.25, 1.0]],
            row_covariance=[[1.0, 0.25, 0.0], [0.25, 2.0, 0.5], [0.0, 0.5, 1.5]],
            column_covariance=[[1.0, 0.5], [0.5, 2.0]],
            result=-7.935852587762936,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.matrix_normal.logpdf",
        ),
        case(
            matrix=[[0.1, 0.7, -0.4], [1.3, 0.2, 0.9]],
            mean=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.5]],
            row_covariance=[[1.2, 0.3], [0.3, 0.8]],
            column_covariance=[[1.0, 0.5, 0.1], [0.5, 2.0, 0.2], [0.1, 0.2, 0.7]],
            result=-6.006601732216392,
            within=1e-12,
            origin="scipy 1.17.1, scipy.stats.matrix_normal.logpdf",
        ),
    ],
)
def matrix_normal_log_pdf(matrix, mean, row_covariance, column_covariance):
    """Natural logarithm of the density of the matrix normal distribution."""
    n, m = len(row_covariance), len(column_covariance)
    away, u, v = rational(matrix) - rational(mean), rational(row_covariance), rational(column_covariance)
    inner = v.solve(away.transpose()) * u.solve(away)
    trace = sum((inner[i, i] for i in range(m)), fmpq(0))
    return -(n * m * (2 * arb.pi()).log() + n * arb(v.det()).log() + m * arb(u.det()).log() + trace) / 2
