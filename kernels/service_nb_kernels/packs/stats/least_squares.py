"""Linear models of several predictors, from exact normal equations."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat

from service_nb_kernels.certified import order, sums
from service_nb_kernels.certified.matrices import check_elimination
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

X = P("float64[n]", unit="?u", about="values of the independent variable", min_size=2, symbol="x")
DESIGN = P(
    "float64[n,p]", about="design matrix, a row for each observation; a column of ones is the intercept", min_size=1
)
RESPONSE = P("float64[n]", unit="?v", about="response of each observation", min_size=1, symbol="y")
WIDE = {"n": 10_000, "p": 20}
XS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.5]
YS = [1.1, 1.9, 3.2, 3.9, 5.3, 6.1]
ROWS = [[1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [1.0, 3.0, 5.0], [1.0, 4.0, 2.0], [1.0, 5.5, 3.0]]
RESPONSES = [3.0, 4.0, 9.0, 8.5, 11.0]
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def exact_rows(table: NDArray[Any]) -> Any:
    """Return a matrix of doubles as exact rationals."""
    return [sums.rationals(row) for row in sums.finite(table, "design")]


def solved(design: list[list[fmpq]], response: list[fmpq], weights: list[fmpq] | None = None) -> Any:
    """The exact solution of the normal equations."""
    x = fmpq_mat(design)
    left = x.transpose()
    if weights is not None:
        left = fmpq_mat([[v * w for v, w in zip(row, weights, strict=True)] for row in left.table()])
    check_elimination(x)
    normal = left * x
    check_elimination(normal)
    try:
        found = normal.solve(left * fmpq_mat([[value] for value in response]))
    except ZeroDivisionError:
        raise DomainError("design", expected="columns that are linearly independent") from None
    return [row[0] for row in found.table()]


@capability(
    "stats.least_squares",
    tier="certified",
    version=2,
    source="draper1998, sec. 5.1",
    params={"design": DESIGN, "response": RESPONSE},
    result=R("float64[p]", about="coefficients", unit="?v"),
    latex=r"\hat{\beta} = (X^\mathsf{T} X)^{-1} X^\mathsf{T} y",
    limit=WIDE,
    keywords=["multiple regression", "OLS", "linear model", "coefficients"],
    cases=[
        case(
            design=[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], response=[1.0, 3.0, 5.0], result=[1.0, 2.0], origin="by hand"
        ),
        case(
            design=ROWS,
            response=RESPONSES,
            result=[-0.060294117647058824, 1.6264705882352941, 0.8147058823529412],
            origin=EXACT,
        ),
        case(
            design=[[1.0, 2.0], [2.0, 4.0]],
            response=[1.0, 2.0],
            error="domain_error",
            origin="by hand: the columns are proportional",
        ),
        case(
            design=[[3.19, 2.49], [4.95, -4.4], [3.09, -4.98]],
            response=[0.642, -3.44, 2.3],
            result=[-0.17635350860773102, 0.002514492024269067],
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.lstsq",
        ),
    ],
)
def least_squares(design: NDArray[Any], response: NDArray[Any]) -> Any:
    """Coefficients of a multiple linear regression, the exact solution of the normal equations rounded once."""
    return solved(exact_rows(design), sums.rationals(sums.finite(response)))


def _fitted(design: NDArray[Any], response: NDArray[Any]) -> tuple[list[list[fmpq]], list[fmpq], list[fmpq]]:
    rows, observed = exact_rows(design), sums.rationals(sums.finite(response))
    coefficients = solved(rows, observed)
    fitted = (fmpq_mat(rows) * fmpq_mat([[c] for c in coefficients])).table()
    return rows, coefficients, [y - value[0] for y, value in zip(observed, fitted, strict=True)]


def _unexplained(rows: list[list[fmpq]], observed: list[fmpq]) -> Any:
    """The sum of squared residuals: that of the response less what the coefficients explain of it."""
    column = fmpq_mat([[value] for value in observed])
    products = (fmpq_mat(rows).transpose() * column).table()
    explained = sum((c * p[0] for c, p in zip(solved(rows, observed), products, strict=True)), fmpq(0))
    return (column.transpose() * column)[0, 0] - explained


def _inverse_gram(rows: list[list[fmpq]]) -> fmpq_mat:
    x = fmpq_mat(rows)
    return (x.transpose() * x).inv()


@capability(
    "stats.coefficient_errors",
    tier="certified",
    version=3,
    source="draper1998, sec. 5.2",
    params={"design": DESIGN, "response": RESPONSE},
    result=R(
        "float64[p]",
        about="standard errors, from the residual variance with divisor n - p",
        unit="?v",
        range="[0, inf)",
    ),
    limit=WIDE,
    keywords=["multiple regression", "standard errors"],
    requires=["len(response) > len(design[0])"],
    cases=[
        case(
            design=ROWS,
            response=RESPONSES,
            result=[0.4817970403810653, 0.1236402397328618, 0.14237896780386855],
            origin=MP,
        ),
        case(design=[[1.0], [1.0], [1.0]], response=[1.0, 2.0, 3.0], result=[0.5773502691896257], origin=MP),
        case(
            design=[
                [2.48, 2.0],
                [-2.81, 4.62],
                [1.2, -3.28],
                [-3.86, -0.754],
                [-4.19, -4.37],
                [-4.42, -2.26],
                [-4.79, 2.86],
                [0.755, -3.49],
                [4.16, 1.64],
                [4.67, 1.18],
            ],
            response=[-0.134, 4.94, 1.93, 1.81, 2.1, 3.45, -2.97, 2.57, 1.04, -4.82],
            result=[0.2582069080808313, 0.318859575057227],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.OLS: bse",
        ),
    ],
)
def coefficient_errors(design: NDArray[Any], response: NDArray[Any]) -> Any:
    """Standard errors of the coefficients of a multiple linear regression."""
    rows = exact_rows(design)
    variance = _unexplained(rows, sums.rationals(sums.finite(response))) / (len(rows) - len(rows[0]))
    inverse = _inverse_gram(rows)
    return [order.square_root(variance * inverse[i, i]) for i in range(len(rows[0]))]


@capability(
    "stats.residuals",
    tier="certified",
    version=2,
    source="draper1998, sec. 5.1",
    params={"design": DESIGN, "response": RESPONSE},
    result=R("float64[n]", unit="?v", about="residuals, observed less fitted"),
    latex=r"e = y - X \hat{\beta}",
    limit=WIDE,
    keywords=["multiple regression"],
    cases=[
        case(design=[[1.0], [1.0], [1.0]], response=[1.0, 2.0, 6.0], result=[-2.0, -1.0, 3.0], origin="by hand"),
        case(
            design=ROWS,
            response=RESPONSES,
            result=[-0.19558823529411765, -0.007352941176470588, 0.10735294117647058, 0.425, -0.32941176470588235],
            origin=EXACT,
        ),
        case(
            design=[
                [2.24, -0.29],
                [-1.86, -0.768],
                [-2.89, 1.16],
                [-0.173, -3.21],
                [-0.16, -4.18],
                [4.49, 0.293],
                [2.66, -4.08],
            ],
            response=[-0.507, 1.63, 1.12, 4.99, 2.62, -1.61, -3.26],
            result=[
                0.8612179331603323,
                0.03339486640645872,
                -0.28652384495868644,
                3.4088146549626854,
                0.6047408095013651,
                1.5316393534570578,
                -3.340467993566603,
            ],
            within=1e-13,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.OLS: resid",
        ),
    ],
)
def residuals(design: NDArray[Any], response: NDArray[Any]) -> Any:
    """What a multiple linear regression leaves unexplained of each observation."""
    return _fitted(design, response)[2]


@capability(
    "stats.multiple_r_squared",
    tier="certified",
    version=2,
    source="draper1998, sec. 5.2",
    params={"design": DESIGN, "response": RESPONSE},
    result=R(
        about="coefficient of determination, not adjusted; below 0 if a fit without a constant is worse than the mean"
    ),
    latex=r"R^2 = 1 - \frac{\sum e_i^2}{\sum (y_i - \bar{y})^2}",
    limit=WIDE,
    keywords=["coefficient of determination", "explained variance"],
    cases=[
        case(design=ROWS, response=RESPONSES, result=0.9928184197407777, origin=EXACT),
        case(
            design=[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
            response=[1.0, 3.0, 5.0],
            result=1.0,
            origin="by hand: the points are on a line",
        ),
        case(
            design=[
                [1.0, 1.54, 3.2],
                [1.0, -2.33, 2.34],
                [1.0, 0.627, -4.99],
                [1.0, -0.0902, 4.92],
                [1.0, -0.655, -1.46],
                [1.0, -1.46, -1.59],
                [1.0, -2.42, -1.17],
                [1.0, -4.41, -0.921],
                [1.0, -3.09, -3.82],
                [1.0, 2.71, 0.305],
            ],
            response=[2.62, 2.71, -1.23, 0.89, 3.03, 0.311, 3.16, -1.05, -4.8, 1.15],
            result=0.33926505212757485,
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.OLS: rsquared, with a constant",
        ),
    ],
)
def multiple_r_squared(design: NDArray[Any], response: NDArray[Any]) -> Any:
    """Part of the variation about the mean that a multiple linear regression explains."""
    observed = sums.rationals(sums.finite(response))
    rest = _unexplained(exact_rows(design), observed)
    centre = sum(observed, fmpq(0)) / len(observed)
    whole = sum(((y - centre) ** 2 for y in observed), fmpq(0))
    if not whole:
        raise DomainError("response", expected="values that are not all equal")
    return 1 - rest / whole


@capability(
    "stats.leverages",
    tier="certified",
    version=3,
    source="draper1998, sec. 8.1",
    params={"design": DESIGN},
    result=R("float64[n]", about="leverage of each observation", range="[0, 1]"),
    latex=r"h_{ii} = x_i^\mathsf{T} (X^\mathsf{T} X)^{-1} x_i",
    limit={"n": 2000, "p": 20},
    keywords=["hat matrix", "influence"],
    cases=[
        case(
            design=[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
            result=[0.8333333333333334, 0.3333333333333333, 0.8333333333333334],
            origin="by hand",
        ),
        case(
            design=ROWS,
            result=[0.5617647058823527, 0.5049019607843135, 0.9049019607843134, 0.3500000000000002, 0.6784313725490199],
            within=1e-12,
            origin="statsmodels 0.15.0, statsmodels.stats.outliers_influence.OLSInfluence",
        ),
    ],
)
def leverages(design: NDArray[Any]) -> Any:
    """Weight of each observation in its own fitted value: the diagonal of the hat matrix."""
    rows = exact_rows(design)
    solved(rows, [fmpq(0)] * len(rows))  # refuses dependent columns
    return _leverages(rows)


def _leverages(rows: list[list[fmpq]]) -> Any:
    (whole, scale), (inverse, below) = fmpq_mat(rows).numer_denom(), _inverse_gram(rows).numer_denom()
    found = []
    for left, row in zip((whole * inverse).table(), whole.table(), strict=True):
        check_deadline()
        found.append(fmpq(sum(a * b for a, b in zip(left, row, strict=True)), scale * scale * below))
    return found


@capability(
    "stats.cooks_distances",
    tier="certified",
    version=3,
    source="draper1998, sec. 8.3",
    params={"design": DESIGN, "response": RESPONSE},
    result=R("float64[n]", about="Cook's distance of each observation", range="[0, inf)"),
    latex=r"D_i = \frac{e_i^2}{p s^2} \frac{h_{ii}}{(1 - h_{ii})^2}",
    limit={"n": 2000, "p": 20},
    requires=["len(response) > len(design[0])"],
    keywords=["influence", "outlier"],
    cases=[
        case(
            design=ROWS,
            response=RESPONSES,
            result=[0.2200756168996091, 0.0002190249307786828, 2.26794763586523, 0.2942835016921408, 1.400178852325566],
            within=1e-11,
            origin="statsmodels 0.15.0, statsmodels.stats.outliers_influence.OLSInfluence",
        ),
        case(
            design=[[1.0], [1.0], [1.0]],
            response=[0.0, 0.0, 3.0],
            result=[0.25, 0.25, 1.0],
            origin="by hand: h = 1/3, s^2 = 3",
        ),
    ],
)
def cooks_distances(design: NDArray[Any], response: NDArray[Any]) -> Any:
    """How far the fit moves when each observation is left out, after Cook."""
    rows, _, rest = _fitted(design, response)
    variance: Any = sum((e * e for e in rest), fmpq(0)) / (len(rows) - len(rows[0]))
    lever = _leverages(rows)
    if not variance or any(h == 1 for h in lever):
        raise DomainError("design", expected="residuals, and no observation that is fitted by itself alone")
    return [e * e * h / (len(rows[0]) * variance * (1 - h) ** 2) for e, h in zip(rest, lever, strict=True)]


@capability(
    "stats.ridge_regression",
    tier="certified",
    version=2,
    source="hoerl1970",
    params={
        "design": DESIGN,
        "response": RESPONSE,
        "penalty": P(
            domain="[0, inf)",
            about="penalty on the squared coefficients, added to the sum (not the mean) of squared residuals",
            symbol=r"\lambda",
        ),
    },
    result=R("float64[p]", about="coefficients", unit="?v"),
    latex=r"(X^\mathsf{T} X + \lambda I)^{-1} X^\mathsf{T} y",
    limit=WIDE,
    keywords=["Tikhonov regularisation", "shrinkage", "L2 penalty"],
    cases=[
        case(design=[[1.0], [2.0]], response=[2.0, 4.0], penalty=5.0, result=[1.0], origin="by hand: 10 / (5 + 5)"),
        case(
            design=ROWS,
            response=RESPONSES,
            penalty=0.5,
            result=[0.10791940953520845, 1.5785624044151871, 0.8029789214708425],
            origin=EXACT,
        ),
        case(
            design=[
                [4.54, 0.406, -2.7],
                [1.58, -2.91, 0.261],
                [1.65, 0.25, -2.47],
                [-1.38, 3.64, -3.27],
                [3.05, -1.98, 3.25],
                [-1.17, 3.16, -4.49],
                [-2.79, 3.81, 4.34],
                [0.523, 4.93, -2.13],
            ],
            response=[2.71, 0.839, 2.2, -0.654, -3.1, 0.298, 3.71, 2.57],
            penalty=2.21,
            result=[0.269400469089101, 0.5173877204528795, 0.0790097201348851],
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.linear_model.Ridge",
        ),
    ],
)
def ridge_regression(design: NDArray[Any], response: NDArray[Any], penalty: float) -> Any:
    """Coefficients of a linear model shrunk by a penalty on their squares, every column penalized alike."""
    x = fmpq_mat(exact_rows(design))
    gram = x.transpose() * x
    for i in range(gram.nrows()):
        gram[i, i] = gram[i, i] + order.rational(penalty)
    try:
        found = gram.solve(x.transpose() * fmpq_mat([[y] for y in sums.rationals(sums.finite(response))]))
    except ZeroDivisionError:
        raise DomainError("design", expected="a penalty above 0, or columns that are linearly independent") from None
    return [row[0] for row in found.table()]


@capability(
    "stats.polynomial_fit",
    tier="certified",
    source="draper1998, ch. 12",
    params={
        "x": P("float64[n]", about="values of the independent variable", min_size=1, symbol="x"),
        "y": P("float64[n]", unit="?v", about="values of the dependent variable", min_size=1, symbol="y"),
        "degree": P("int", domain="[0, 20]", about="degree of the polynomial"),
    },
    result=R("float64[k]", unit="?v", about="coefficients, the constant first"),
    limit={"n": 5000},
    keywords=["polyfit", "polynomial regression", "curve fitting"],
    cases=[
        case(x=[0.0, 1.0, 2.0, 3.0], y=[1.0, 2.0, 5.0, 10.0], degree=2, result=[1.0, 0.0, 1.0], origin="by hand"),
        case(
            x=XS,
            y=YS,
            degree=3,
            result=[0.6357187997250566, 0.21467414135479823, 0.27619888637740275, -0.027600997823729632],
            origin=EXACT,
        ),
        case(
            x=[1.0, 2.0], y=[1.0, 2.0], degree=2, error="domain_error", origin="by hand: two points, three coefficients"
        ),
        case(
            x=[-2.06, -0.0787, 4.56, -2.77, -2.87, 4.15, -4.18, -1.14, 3.51, 2.11],
            y=[2.34, 1.04, -3.27, 3.1, -1.71, -4.89, 4.68, -1.77, 0.162, -1.42],
            degree=2,
            result=[-0.3787749821220287, -0.7054941523769487, 0.031139864292797664],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyfit",
        ),
    ],
)
def polynomial_fit(x: NDArray[Any], y: NDArray[Any], degree: int) -> Any:
    """Coefficients of the least-squares polynomial of a stated degree, the constant first."""
    design = [[value**power for power in range(degree + 1)] for value in sums.rationals(sums.finite(x))]
    return solved(design, sums.rationals(sums.finite(y)))


@capability(
    "stats.variance_inflation_factors",
    tier="certified",
    version=2,
    source="draper1998, sec. 16.4",
    params={"table": P("float64[n,p]", about="predictors in columns, without a column of ones", min_size=3)},
    result=R("float64[p]", about="variance inflation factor of each predictor", range="[1, inf)"),
    latex=r"\mathrm{VIF}_j = \frac{1}{1 - R_j^2}",
    limit={"n": 20_000, "p": 30},
    keywords=["multicollinearity", "VIF"],
    cases=[
        case(
            table=[[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]],
            result=[1.0, 1.0],
            origin="by hand: the columns are orthogonal",
        ),
        case(
            table=[[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 2.0], [5.5, 3.0]],
            result=[1.100392156862745, 1.100392156862745],
            origin=MP,
        ),
        case(
            table=[
                [3.12, -1.61],
                [2.1, 1.67],
                [-1.81, 4.56],
                [1.34, 0.0192],
                [-4.12, 0.669],
                [3.96, -4.34],
                [-4.93, -2.42],
                [-2.84, 0.647],
                [4.47, -2.06],
                [-3.37, 4.05],
                [4.41, -2.04],
                [2.39, 2.95],
            ],
            result=[1.2098764195206009, 1.2098764195206009],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.outliers_influence.variance_inflation_factor",
        ),
    ],
)
def variance_inflation_factors(table: NDArray[Any]) -> Any:
    """Factor by which each predictor's dependence on the others inflates the variance of its coefficient."""
    columns = [np.ascontiguousarray(table[:, place]) for place in range(table.shape[1])]
    size = int(table.shape[0])
    totals = [sums.total(column) for column in columns]
    gram = fmpq_mat([
        [sums.dot(a, b) - s * t / size for b, t in zip(columns, totals, strict=True)]
        for a, s in zip(columns, totals, strict=True)
    ])  # fmt: skip
    check_elimination(gram)
    try:
        inverse = gram.inv()
    except ZeroDivisionError:
        raise DomainError("table", expected="columns that are linearly independent, and vary") from None
    return [gram[j, j] * inverse[j, j] for j in range(len(columns))]
