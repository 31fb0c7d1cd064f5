"""How two or more variables go together: covariances and correlations from exact sums of products, and rank ones."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from service_nb_kernels.certified import order, sums
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

X = P("float64[n]", unit="?u", about="values of one variable", min_size=2, symbol="x")
Y = P("float64[n]", unit="?v", about="values of the other variable", min_size=2, symbol="y")
TABLE = P("float64[m,n]", about="observations in rows, variables in columns", min_size=2)
LONG = {"n": 10_000_000}
XS = [2.5, 3.1, 4.7, 5.0, 5.9, 5.0, 12.25, 0.1]
YS = [1.0, 0.5, 3.0, 2.25, 4.0, 2.25, 3.5, 0.25]
ZS = [0.5, 0.25, 1.0, 3.0, 2.0, 2.5, 1.5, 0.75]
ROWS = [[2.5, 1.0, 0.5], [3.1, 0.5, 0.25], [4.7, 3.0, 1.0], [5.0, 2.25, 3.0], [5.9, 4.0, 2.0]]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def products(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Return the exact sum of products of deviations from the means."""
    return sums.dot(x, y) - sums.total(x) * sums.total(y) / int(x.size)


def _correlation(sxy: Any, sxx: Any, syy: Any) -> Any:
    if not sxx or not syy:
        raise DomainError("x and y", expected="values of each that are not all equal")
    return sxy / order.square_root(sxx * syy) if sxy else fmpq(0)


@capability(
    "stats.covariance",
    tier="certified",
    source="nist2012, sec. 6.5.4.1",
    params={"x": X, "y": Y},
    result=R(unit="?u*?v", about="sample covariance"),
    latex=r"\frac{1}{n-1} \sum_i (x_i - \bar{x})(y_i - \bar{y})",
    limit=LONG,
    cases=[
        case(x=[1.0, 2.0, 3.0], y=[2.0, 4.0, 9.0], result=3.5, origin="by hand"),
        case(x=XS, y=YS, result=3.7765625000000003, origin=EXACT),
        case(
            x=[-4.4, 2.97, 2.57, 0.469],
            y=[-1.7, -0.557, 1.3, 4.89],
            result=3.29269025,
            within=1e-14,
            origin="numpy 2.4.6, numpy.cov",
        ),
    ],
)
def covariance(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Unbiased covariance of paired values, with divisor n - 1."""
    return products(x, y) / (int(x.size) - 1)


@capability(
    "stats.covariance_population",
    tier="certified",
    source="kendall1994, sec. 3.27",
    params={"x": X, "y": Y},
    result=R(unit="?u*?v", about="population covariance"),
    latex=r"\frac{1}{n} \sum_i (x_i - \bar{x})(y_i - \bar{y})",
    limit=LONG,
    cases=[
        case(x=[1.0, 2.0], y=[2.0, 6.0], result=1.0, origin="by hand"),
        case(x=XS, y=YS, result=3.3044921875, origin=EXACT),
        case(
            x=[-1.75, -3.72, -3.87, 2.83],
            y=[-3.63, 1.55, 0.473, -3.14],
            result=-4.463988125,
            within=1e-14,
            origin="numpy 2.4.6, numpy.cov: ddof 0",
        ),
    ],
)
def covariance_population(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Covariance of a whole population of pairs, with divisor n."""
    return products(x, y) / int(x.size)


@capability(
    "stats.correlation",
    tier="certified",
    source="kendall1994, sec. 7.4",
    params={"x": X, "y": Y},
    result=R(about="correlation coefficient"),
    latex=r"r = \frac{\sum_i (x_i - \bar{x})(y_i - \bar{y})}{\sqrt{\sum_i (x_i - \bar{x})^2 \sum_i (y_i - \bar{y})^2}}",
    limit=LONG,
    keywords=["Pearson", "linear dependence", "between two columns"],
    cases=[
        case(x=[1.0, 2.0, 3.0], y=[6.0, 4.0, 2.0], result=-1.0, origin="by hand"),
        case(x=XS, y=YS, result=0.7677459158742777, origin=MP),
        case(x=[1.0, 1.0], y=[1.0, 2.0], error="domain_error", origin="by hand: one variable does not vary"),
        case(
            x=[-0.205, -4.01, 2.15, 0.355, -1.91],
            y=[-4.65, 1.64, -3.92, -4.67, -2.54],
            result=-0.8526650716280032,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.pearsonr",
        ),
    ],
)
def correlation(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Pearson correlation coefficient of paired values."""
    return _correlation(products(x, y), products(x, x), products(y, y))


@capability(
    "stats.spearman",
    tier="certified",
    version=2,
    source="conover1999, sec. 5.4",
    params={"x": X, "y": Y},
    result=R(about="rank correlation", range="[-1, 1]"),
    latex=r"r_s = r(\operatorname{rank}(x), \operatorname{rank}(y))",
    limit={"n": 1_000_000},
    keywords=["rank correlation", "rho", "monotone dependence"],
    cases=[
        case(x=[1.0, 2.0, 3.0, 4.0], y=[1.0, 4.0, 9.0, 16.0], result=1.0, origin="by hand"),
        case(x=XS, y=YS, result=0.8795180722891566, origin=MP),
        case(
            x=[1.41, 4.72, 1.62, 1.23],
            y=[2.3, -3.26, -4.62, -3.5],
            result=0.0,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.spearmanr",
        ),
    ],
)
def spearman(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Spearman rank correlation of paired values, with average ranks for ties."""
    a, b = (np.array(order.doubled_ranks(sums.finite(v)), dtype=np.float64) for v in (x, y))
    return _correlation(products(a, b), products(a, a), products(b, b))


def pair_counts(x: NDArray[Any], y: NDArray[Any]) -> tuple[int, int, int, int]:
    """Return concordant less discordant pairs, all pairs, and the pairs tied in x and in y."""
    score = 0
    for place in range(int(x.size) - 1):
        score += int((np.sign(x[place + 1 :] - x[place]) * np.sign(y[place + 1 :] - y[place])).sum())
    pairs = [sum(t * (t - 1) // 2 for t in order.tie_sizes(v)) for v in (x, y)]
    return score, int(x.size) * (int(x.size) - 1) // 2, pairs[0], pairs[1]


@capability(
    "stats.kendall_tau",
    tier="certified",
    source="kendall1945",
    params={"x": X, "y": Y},
    result=R(about="Kendall tau-b"),
    latex=r"\tau_b = \frac{C - D}{\sqrt{(n_0 - n_x)(n_0 - n_y)}}",
    limit={"n": 20_000},
    keywords=["rank correlation", "tau-b", "concordance"],
    cases=[
        case(
            x=[1.0, 2.0, 3.0, 4.0],
            y=[1.0, 3.0, 2.0, 4.0],
            result=0.6666666666666666,
            origin="by hand: 5 pairs agree, 1 does not",
        ),
        case(x=XS, y=YS, result=0.7037037037037037, within=1e-14, origin="scipy 1.17.1, scipy.stats.kendalltau"),
        case(
            x=[12.0, 2.0, 1.0, 12.0, 2.0],
            y=[1.0, 4.0, 7.0, 1.0, 0.0],
            result=-0.47140452079103173,
            within=1e-15,
            origin="scipy 1.17.1, scipy.stats.kendalltau: example of the documentation",
        ),
    ],
)
def kendall_tau(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Kendall rank correlation of paired values with correction for ties, tau-b."""
    score, pairs, tied_x, tied_y = pair_counts(sums.finite(x), sums.finite(y))
    return _correlation(fmpq(score), fmpq(pairs - tied_x), fmpq(pairs - tied_y))


@capability(
    "stats.goodman_kruskal_gamma",
    tier="certified",
    source="agresti2013, sec. 2.4.4",
    params={"x": X, "y": Y},
    result=R(about="gamma"),
    latex=r"\gamma = \frac{C - D}{C + D}",
    limit={"n": 20_000},
    keywords=["ordinal association"],
    cases=[
        case(
            x=[1.0, 2.0, 3.0, 4.0],
            y=[1.0, 3.0, 2.0, 4.0],
            result=0.6666666666666666,
            origin="by hand: 5 pairs agree, 1 does not",
        ),
        case(
            x=[1.0, 1.0, 2.0, 3.0],
            y=[1.0, 2.0, 2.0, 1.0],
            result=-0.3333333333333333,
            origin="by hand: 1 pair agrees, 2 do not, 3 are tied",
        ),
    ],
)
def goodman_kruskal_gamma(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Concordant less discordant pairs over their number, pairs that are tied left out."""
    agree, disagree = _split_pairs(sums.finite(x), sums.finite(y))
    if not agree + disagree:
        raise DomainError("x and y", expected="a pair that is tied in neither")
    return fmpq(agree - disagree, agree + disagree)


def _split_pairs(x: NDArray[Any], y: NDArray[Any]) -> tuple[int, int]:
    agree = disagree = 0
    for place in range(int(x.size) - 1):
        product = np.sign(x[place + 1 :] - x[place]) * np.sign(y[place + 1 :] - y[place])
        agree += int((product > 0).sum())
        disagree += int((product < 0).sum())
    return agree, disagree


@capability(
    "stats.somers_d",
    tier="certified",
    source="agresti2013, sec. 2.4.5",
    params={
        "x": P("float64[n]", unit="?u", about="values of the independent variable", min_size=2),
        "y": P("float64[n]", unit="?v", about="values of the dependent variable", min_size=2),
    },
    result=R(about="Somers D of y given x"),
    latex=r"D_{y|x} = \frac{C - D}{n_0 - n_x}",
    limit={"n": 20_000},
    keywords=["ordinal association", "asymmetric"],
    cases=[
        case(x=[1.0, 2.0, 3.0, 4.0], y=[1.0, 3.0, 2.0, 4.0], result=0.6666666666666666, origin="by hand"),
        case(x=XS, y=YS, result=0.7037037037037037, within=1e-14, origin="scipy 1.17.1, scipy.stats.somersd"),
    ],
)
def somers_d(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Concordant less discordant pairs over the pairs that are not tied in the independent variable."""
    score, pairs, tied, _ = pair_counts(sums.finite(x), sums.finite(y))
    if pairs == tied:
        raise DomainError("x", expected="values that are not all equal")
    return fmpq(score, pairs - tied)


def _columns(table: NDArray[Any]) -> list[NDArray[Any]]:
    return [np.ascontiguousarray(table[:, place]) for place in range(table.shape[1])]


@capability(
    "stats.covariance_matrix",
    tier="certified",
    source="nist2012, sec. 6.5.4.1",
    params={"table": TABLE},
    result=R("float64[n,n]", about="sample covariance of each pair of variables"),
    limit={"m": 50_000, "n": 30},
    cases=[
        case(table=[[1.0, 2.0], [2.0, 4.0], [3.0, 9.0]], result=[[1.0, 3.5], [3.5, 13.0]], origin="by hand"),
        case(
            table=ROWS,
            result=[
                [1.9680000000000002, 1.8550000000000002, 1.22625],
                [1.8550000000000002, 2.05, 0.965625],
                [1.22625, 0.965625, 1.3],
            ],
            origin=EXACT,
        ),
        case(
            table=[
                [4.0, -0.445, -2.57, -0.629],
                [1.44, 1.33, 0.972, -2.41],
                [1.09, 2.1, 3.74, -2.7],
                [4.73, 4.21, -1.76, -2.43],
                [-2.98, 4.87, 1.0, -3.87],
                [-1.85, 2.63, 2.65, 0.892],
            ],
            result=[
                [9.409336666666668, -2.557748333333334, -5.066396000000001, 0.2809936666666667],
                [-2.557748333333334, 3.748864166666667, 0.9690540000000003, -1.6051548333333336],
                [-5.066396000000001, 0.9690540000000003, 5.989576, -0.11252120000000032],
                [0.2809936666666667, -1.6051548333333336, -0.11252120000000032, 2.892387366666667],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.cov: rowvar False",
        ),
    ],
)
def covariance_matrix(table: NDArray[Any]) -> Any:
    """Unbiased covariances of all pairs of variables, the variances on the diagonal."""
    columns, divisor = _columns(table), table.shape[0] - 1
    return _symmetric(len(columns), lambda i, j: products(columns[i], columns[j]) / divisor)


@capability(
    "stats.correlation_matrix",
    tier="certified",
    version=2,
    source="kendall1994, sec. 7.4",
    params={"table": TABLE},
    result=R("float64[n,n]", about="correlation of each pair of variables", range="[-1, 1]"),
    limit={"m": 50_000, "n": 30},
    cases=[
        case(table=[[1.0, 6.0], [2.0, 4.0], [3.0, 2.0]], result=[[1.0, -1.0], [-1.0, 1.0]], origin="by hand"),
        case(
            table=ROWS,
            result=[
                [1.0, 0.9235372912322755, 0.7666458642781696],
                [0.9235372912322755, 1.0, 0.5915070080499746],
                [0.7666458642781696, 0.5915070080499746, 1.0],
            ],
            origin=MP,
        ),
        case(
            table=[
                [-2.02, 3.6, 3.23, -2.88, 0.25],
                [4.07, 2.64, -4.88, 0.767, -4.3],
                [-0.572, 2.77, -0.553, 1.97, -2.77],
                [0.486, -4.34, 0.284, -3.5, -4.98],
                [2.26, 0.837, -2.2, -3.11, -4.04],
            ],
            result=[
                [1.0, -0.09754293591121262, -0.9572519078860869, 0.1985367086552226, -0.7383549066823578],
                [-0.09754293591121262, 1.0, -0.03440102953180175, 0.5288940478303487, 0.6610488817512266],
                [
                    -0.9572519078860869,
                    -0.03440102953180175,
                    0.9999999999999999,
                    -0.45602248594204686,
                    0.7131400120247025,
                ],
                [0.19853670865522263, 0.5288940478303487, -0.4560224859420469, 1.0, -0.0417254829782549],
                [-0.7383549066823579, 0.6610488817512266, 0.7131400120247025, -0.0417254829782549, 1.0],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.corrcoef: rowvar False",
        ),
    ],
)
def correlation_matrix(table: NDArray[Any]) -> Any:
    """Pearson correlations of all pairs of variables, with ones on the diagonal."""
    columns = _columns(table)
    spread = [products(column, column) for column in columns]
    return _symmetric(len(columns), lambda i, j: _correlation(products(columns[i], columns[j]), spread[i], spread[j]))


def _symmetric(size: int, entry: Any) -> list[list[Any]]:
    rows: list[list[Any]] = [[None] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            rows[i][j] = rows[j][i] = entry(i, j)
    return rows


@capability(
    "stats.partial_correlation",
    tier="certified",
    source="kendall1991, ch. 27",
    params={
        "x": P("float64[n]", unit="?u", about="values of one variable", min_size=3),
        "y": P("float64[n]", unit="?v", about="values of the other variable", min_size=3),
        "control": P("float64[n]", unit="?w", about="values of the variable held fixed", min_size=3),
    },
    result=R(about="partial correlation"),
    latex=r"\frac{r_{xy} - r_{xz} r_{yz}}{\sqrt{(1 - r_{xz}^2)(1 - r_{yz}^2)}}",
    limit={"n": 1_000_000},
    keywords=["controlling for", "confounder"],
    cases=[
        case(x=XS, y=YS, control=ZS, result=0.7272849758025082, origin=MP),
        case(
            x=[1.0, 2.0, 3.0, 4.0],
            y=[2.0, 4.0, 6.0, 8.0],
            control=[1.0, -1.0, -1.0, 1.0],
            result=1.0,
            origin="by hand: y is twice x",
        ),
        case(
            x=[1.0, 2.0, 3.0],
            y=[1.0, 5.0, 2.0],
            control=[1.0, 2.0, 3.0],
            error="domain_error",
            origin="by hand: the control is x",
        ),
        case(
            x=[4.08, -4.07, 0.422, 2.61, -1.15, -4.82, 4.7, 4.33, 0.708],
            y=[-0.881, -2.05, 3.06, 3.28, 0.66, 1.37, -3.15, -4.05, -0.059],
            control=[3.84, 3.87, 2.38, 2.42, 1.44, 2.28, 4.93, 0.324, 1.26],
            result=-0.3179725326402232,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.linregress: scipy.stats.pearsonr of what it leaves",
        ),
    ],
)
def partial_correlation(x: NDArray[Any], y: NDArray[Any], control: NDArray[Any]) -> Any:
    """Correlation of two variables when the linear influence of a third is taken out of both."""
    czz, cxz, cyz = products(control, control), products(x, control), products(y, control)
    if not czz:
        raise DomainError("control", expected="values that are not all equal")
    rest = [products(a, b) - c * d / czz for a, b, c, d in ((x, y, cxz, cyz), (x, x, cxz, cxz), (y, y, cyz, cyz))]
    return _correlation(rest[0], rest[1], rest[2])


@capability(
    "stats.concordance_correlation",
    tier="certified",
    version=2,
    source="lin1989",
    params={
        "x": P("float64[n]", unit="?u", about="measurements by one method", min_size=2),
        "y": P("float64[n]", unit="?u", about="measurements by the other method", min_size=2),
    },
    result=R(about="concordance correlation coefficient", range="[-1, 1]"),
    latex=r"\rho_c = \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar{x} - \bar{y})^2}",
    limit=LONG,
    keywords=["agreement", "Lin", "reproducibility", "CCC"],
    cases=[
        case(x=[1.0, 2.0, 3.0], y=[2.0, 3.0, 4.0], result=0.5714285714285714, origin="by hand: 2 * 2 / (2 + 2 + 3)"),
        case(x=XS, y=YS, result=0.3302595775082277, origin=EXACT),
    ],
)
def concordance_correlation(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Agreement of two methods with the line of identity, with divisors n, after Lin."""
    size, apart = int(x.size), sums.total(x) - sums.total(y)
    below = products(x, x) + products(y, y) + apart * apart / size
    if not below:
        raise DomainError("x and y", expected="values that are not all equal")
    return 2 * products(x, y) / below


@capability(
    "stats.weighted_correlation",
    tier="certified",
    version=2,
    source="kendall1994, sec. 7.4",
    params={"x": X, "y": Y, "weights": P("float64[n]", domain="[0, inf)", about="weight of each pair", symbol="w")},
    result=R(about="weighted correlation coefficient", range="[-1, 1]"),
    limit={"n": 100_000},
    cases=[
        case(
            x=[1.0, 2.0, 3.0, 9.0],
            y=[2.0, 4.0, 6.0, 0.0],
            weights=[1.0, 1.0, 1.0, 0.0],
            result=1.0,
            origin="by hand: the last pair has no weight",
        ),
        case(x=XS, y=YS, weights=ZS, result=0.6880681435430694, origin=MP),
        case(
            x=[1.27, -0.165, -2.28, -0.0961, 1.67, 4.92],
            y=[-0.316, 0.356, -4.32, 4.06, -1.33, 1.87],
            weights=[3.12, 3.45, 1.7, 1.02, 1.45, 2.72],
            result=0.5703604250970815,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.weightstats.DescrStatsW: corrcoef",
        ),
    ],
)
def weighted_correlation(x: NDArray[Any], y: NDArray[Any], weights: NDArray[Any]) -> Any:
    """Pearson correlation of pairs that count by their weights."""
    a, b, w = (sums.rationals(sums.finite(v)) for v in (x, y, weights))
    weight = sum(w, fmpq(0))
    if not weight:
        raise DomainError("weights", expected="a sum above 0")
    wa, wb = sums.dot(x, weights), sums.dot(y, weights)
    second = [
        sum((k * p * q for k, p, q in zip(w, first, other, strict=True)), fmpq(0)) - m1 * m2 / weight
        for first, other, m1, m2 in ((a, b, wa, wb), (a, a, wa, wa), (b, b, wb, wb))
    ]
    return _correlation(second[0], second[1], second[2])


@capability(
    "stats.distance_correlation",
    tier="certified",
    version=3,
    source="szekely2007, def. 5",
    params={"x": X, "y": Y},
    result=R(about="distance correlation, not its square", range="[0, 1]"),
    limit={"n": 2000},
    keywords=["energy statistics", "nonlinear dependence"],
    cases=[
        case(x=[1.0, 2.0, 3.0], y=[2.0, 4.0, 6.0], result=1.0, origin="by hand: linear"),
        case(x=XS, y=YS, result=0.835228064469051, origin=MP),
        case(
            x=[-3.73, -3.43, 0.228, 3.86, -1.73, -3.23, -1.39],
            y=[2.02, 1.15, 0.261, -3.27, -1.11, -3.11, -1.2],
            result=0.6040604499070016,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.dist_dependence_measures.distance_correlation",
        ),
    ],
)
def distance_correlation(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Distance correlation of paired values, zero in the limit only if they are independent."""
    a, b = (sums.integers(sums.finite(v))[0] for v in (x, y))  # powers of two, and the squared size, cancel
    first, other = _distance_totals(a), _distance_totals(b)
    size = len(a)
    parts = [
        fmpq(size * size * products - 2 * size * sum(p * q for p, q in zip(r, s, strict=True)) + sum(r) * sum(s))
        for products, r, s in (
            (_distance_products(a, b), first, other),
            (2 * (size * sum(v * v for v in a) - sum(a) ** 2), first, first),
            (2 * (size * sum(v * v for v in b) - sum(b) ** 2), other, other),
        )
    ]
    squared = _correlation(parts[0], parts[1], parts[2])
    return order.square_root(squared) if isinstance(squared, fmpq) else squared.sqrt()


def _distance_products(a: list[int], b: list[int]) -> int:
    """The sum over all pairs, each in both orders, of the products of both distances."""
    found = 0
    for place, (p, q) in enumerate(zip(a, b, strict=True)):
        check_deadline()
        found += sum(abs(p - r) * abs(q - s) for r, s in zip(a[place + 1 :], b[place + 1 :], strict=True))
    return 2 * found


def _distance_totals(values: list[int]) -> list[int]:
    """The sum of the distances of each value from all."""
    size, everything, before = len(values), sum(values), 0
    found = [0] * size
    for rank, place in enumerate(sorted(range(size), key=values.__getitem__)):
        value = values[place]
        found[place] = everything - 2 * before + (2 * rank - size) * value
        before += value
    return found
