"""Curves through given points: polynomials, splines and rational functions, in exact rationals."""

from bisect import bisect_right
from itertools import pairwise

from flint import arb, fmpq, fmpq_poly
from service_nb_kernels.certified.linalg import root_of
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

MOST_EXACT = 1000  # scattered values whose weighted mean is summed in rationals; balls beyond


def points(x, y):
    """Return the coordinates as rationals; the nodes ascend."""
    nodes = column(rational(x))
    if any(a >= b for a, b in pairwise(nodes)):
        raise DomainError("x", None, "nodes in ascending order")
    return nodes, column(rational(y))


def within(nodes, at, name="at"):
    """Return the exact point and the number of the interval that it lies in."""
    point = exact_number(at)
    if not nodes[0] <= point <= nodes[-1]:
        raise DomainError(name, at, f"a point between {float(nodes[0])!r} and {float(nodes[-1])!r}")
    return point, min(bisect_right(nodes, point), len(nodes) - 1) - 1


def divided_differences(nodes, values):
    """Return Newton's coefficients."""
    found, row = [values[0]], values
    for order in range(1, len(nodes)):
        check_deadline()
        row = [(b - a) / (nodes[k + order] - nodes[k]) for k, (a, b) in enumerate(pairwise(row))]
        found.append(row[0])
    return found


def newton_polynomial(nodes, values):
    """Return the polynomial through points."""
    total, basis = fmpq_poly([0]), fmpq_poly([1])
    for node, coefficient in zip(nodes, divided_differences(nodes, values), strict=True):
        total += basis * coefficient
        basis *= fmpq_poly([-node, 1])
    return total


def hermite_piece(nodes, values, slopes, point, k):
    """Return the cubic with given values and slopes at both ends of an interval."""
    h = nodes[k + 1] - nodes[k]
    t = (point - nodes[k]) / h
    ends = values[k] * (1 + 2 * t) * (1 - t) ** 2 + values[k + 1] * (3 - 2 * t) * t**2
    return ends + h * (slopes[k] * t * (1 - t) ** 2 - slopes[k + 1] * (1 - t) * t**2)


@capability(
    "interpolation.linear",
    tier="certified",
    source="burden2016, sec. 3.1",
    keywords=["interpolation"],
    params={
        "x": P("float64[n]", about="nodes in ascending order", unit="?u", min_size=2),
        "y": P("float64[n]", about="values", unit="?v"),
        "at": P("float64", about="point between the first and the last node", unit="?u"),
    },
    result=R("float64", about="value on the broken line", unit="?v"),
    limit={"n": 100000},
    cases=[
        case(x=[0.0, 1.0, 3.0], y=[1.0, 2.0, 0.0], at=2.0, result=1.0, origin="by hand"),
        case(x=[0.1, 0.3], y=[1.0, 2.0], at=0.2, result=1.5, origin="exact fractions, Python 3.11 fractions"),
        case(x=[0.0, 1.0], y=[1.0, 2.0], at=2.0, error="domain_error", origin="by hand"),
        case(
            x=[-1.46, -0.951, -0.0527, 2.16, 3.7],
            y=[-2.14, 0.696, -0.00534, -1.1, -4.95],
            at=-1.3599999999999999,
            result=-1.5828290766208246,
            within=1e-14,
            origin="numpy 2.4.6, numpy.interp",
        ),
    ],
)
def linear(x, y, at):
    """Value at a point on the broken line through given points."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    return values[k] + (values[k + 1] - values[k]) * (point - nodes[k]) / (nodes[k + 1] - nodes[k])


@capability(
    "interpolation.linear_many",
    tier="certified",
    source="burden2016, sec. 3.1",
    params={
        "x": P("float64[n]", about="nodes in ascending order", unit="?u", min_size=2),
        "y": P("float64[n]", about="values", unit="?v"),
        "at": P("float64[m]", about="points between the first and the last node", unit="?u"),
    },
    result=R("float64[m]", about="values on the broken line", unit="?v"),
    limit={"n": 20000, "m": 20000},
    cases=[
        case(x=[0.0, 1.0, 3.0], y=[1.0, 2.0, 0.0], at=[0.5, 2.0, 3.0], result=[1.5, 1.0, 0.0], origin="by hand"),
        case(x=[0.0, 2.0], y=[1.0, 0.0], at=[0.25], result=[0.875], origin="by hand"),
        case(
            x=[-2.85, -2.71, -1.15, 0.456],
            y=[-1.51, -2.98, 0.489, -1.41],
            at=[-1.65, -2.85, -2.85],
            result=[-0.6228589743589747, -1.51, -1.51],
            within=1e-14,
            origin="numpy 2.4.6, numpy.interp",
        ),
    ],
)
def linear_many(x, y, at):
    """Values at several points on the broken line through given points."""
    nodes, values = points(x, y)
    found = []
    for place in at.tolist():
        point, k = within(nodes, place)
        found.append(values[k] + (values[k + 1] - values[k]) * (point - nodes[k]) / (nodes[k + 1] - nodes[k]))
    return found


@capability(
    "interpolation.polynomial_value",
    tier="certified",
    source="berrut2004, eq. 1.1",
    keywords=["Lagrange interpolation"],
    params={
        "x": P("float64[n]", about="nodes in ascending order"),
        "y": P("float64[n]", about="values"),
        "at": P("float64", about="point"),
    },
    result=R("float64", about="value"),
    limit={"n": 100},
    cases=[
        case(
            x=[0.0, 1.0, 3.0],
            y=[1.0, 2.0, 0.0],
            at=2.0,
            result=1.6666666666666667,
            origin="sympy 1.14.0, sympy.interpolate",
        ),
        case(
            x=[0.1, 0.3, 0.4, 0.7],
            y=[1.0, 2.0, 1.5, -0.3],
            at=0.2,
            result=1.9361111111111111,
            origin="sympy 1.14.0, sympy.interpolate",
        ),
    ],
)
def polynomial_value(x, y, at):
    """Value at a point of the polynomial of least degree through given points."""
    nodes, values = points(x, y)
    return newton_polynomial(nodes, values)(exact_number(at))


@capability(
    "interpolation.polynomial_coefficients",
    tier="certified",
    source="burden2016, sec. 3.1",
    params={
        "x": P("float64[n]", about="nodes in ascending order"),
        "y": P("float64[n]", about="values"),
    },
    result=R("float64[k]", about="coefficients from the constant up"),
    limit={"n": 60},
    cases=[
        case(
            x=[0.0, 1.0, 3.0],
            y=[1.0, 2.0, 0.0],
            result=[1.0, 1.6666666666666667, -0.6666666666666666],
            origin="sympy 1.14.0, sympy.interpolate",
        ),
        case(
            x=[0.1, 0.3, 0.4],
            y=[1.0, 2.0, 1.5],
            result=[-0.4999999999999999, 18.333333333333332, -33.33333333333333],
            origin="sympy 1.14.0, sympy.interpolate",
        ),
    ],
)
def polynomial_coefficients(x, y):
    """Coefficients of the polynomial of least degree through given points, from the constant up."""
    return newton_polynomial(*points(x, y)).coeffs() or [fmpq(0)]


@capability(
    "interpolation.divided_differences",
    tier="certified",
    source="burden2016, sec. 3.3",
    params={
        "x": P("float64[n]", about="nodes in ascending order"),
        "y": P("float64[n]", about="values"),
    },
    result=R("float64[n]", about="Newton's coefficients"),
    limit={"n": 100},
    cases=[
        case(x=[0.0, 1.0, 3.0], y=[1.0, 2.0, 0.0], result=[1.0, 1.0, -0.6666666666666666], origin="by hand"),
        case(x=[0.0, 1.0, 2.0, 3.0], y=[0.0, 1.0, 8.0, 27.0], result=[0.0, 1.0, 3.0, 1.0], origin="by hand: x^3"),
        case(
            x=[-2.72, -0.089, 1.06],
            y=[-1.13, -0.0833, -4.9],
            result=[-1.13, 0.3978335233751425, -1.2142628552912444],
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.KroghInterpolator: c",
        ),
    ],
)
def newton_coefficients(x, y):
    """Newton's divided differences of values at nodes."""
    return divided_differences(*points(x, y))


@capability(
    "interpolation.barycentric_weights",
    tier="certified",
    source="berrut2004, eq. 3.2",
    params={
        "x": P("float64[n]", about="nodes in ascending order"),
    },
    result=R("float64[n]", about="weights: 1 over the product of the differences to the other nodes, not scaled"),
    limit={"n": 100},
    cases=[
        case(
            x=[0.0, 1.0, 3.0],
            result=[0.3333333333333333, -0.5, 0.16666666666666666],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            x=[0.1, 0.2, 0.4, 0.8],
            result=[-47.61904761904761, 83.33333333333331, -41.66666666666666, 5.952380952380952],
            origin="exact fractions, Python 3.11 fractions",
        ),
    ],
)
def barycentric_weights(x):
    """Barycentric weights of nodes, for fast interpolation of any values there."""
    nodes, _ = points(x, x)
    found = []
    for a in nodes:
        product = fmpq(1)
        for b in nodes:
            product *= a - b if a != b else 1
        found.append(1 / product)
    return found


@capability(
    "interpolation.hermite_value",
    tier="certified",
    source="burden2016, sec. 3.4",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=2),
        "y": P("float64[n]", about="values"),
        "slopes": P("float64[n]", about="derivatives"),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value"),
    limit={"n": 20000},
    cases=[
        case(x=[0.0, 1.0], y=[0.0, 1.0], slopes=[0.0, 0.0], at=0.25, result=0.15625, origin="by hand: 3 t^2 - 2 t^3"),
        case(x=[0.0, 2.0], y=[0.0, 8.0], slopes=[0.0, 12.0], at=1.5, result=3.375, origin="by hand: x^3"),
        case(
            x=[-4.11, -3.83, -2.83, -0.769, 3.0],
            y=[-3.02, -2.76, 4.22, 1.21, -3.04],
            slopes=[2.27, -1.29, 0.397, 2.59, 2.52],
            at=-3.73,
            result=-2.6726229999999993,
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.CubicHermiteSpline",
        ),
    ],
)
def hermite_value(x, y, slopes, at):
    """Value at a point of the piecewise cubic with given values and derivatives."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    return hermite_piece(nodes, values, column(rational(slopes)), point, k)


@capability(
    "interpolation.bilinear",
    tier="certified",
    source="burden2016, sec. 3.1",
    params={
        "x": P("float64[m]", about="nodes of the rows in ascending order", min_size=2),
        "y": P("float64[n]", about="nodes of the columns in ascending order", min_size=2),
        "values": P("float64[m,n]", about="values on the grid"),
        "at": P("float64[k]", about="point, by its two coordinates", min_size=2),
    },
    result=R("float64", about="value"),
    limit={"m": 2000, "n": 2000, "k": 2},
    cases=[
        case(x=[0.0, 1.0], y=[0.0, 1.0], values=[[1.0, 2.0], [3.0, 5.0]], at=[0.5, 0.5], result=2.75, origin="by hand"),
        case(
            x=[0.0, 2.0],
            y=[0.0, 1.0, 2.0],
            values=[[0.0, 1.0, 4.0], [2.0, 3.0, 6.0]],
            at=[1.0, 1.5],
            result=3.5,
            origin="by hand",
        ),
        case(
            x=[-4.95, -3.48, 0.228],
            y=[-1.48, -1.38, -0.755],
            values=[[2.76, 3.84, -4.97], [-4.69, -2.3, -3.59], [3.49, -0.878, 0.913]],
            at=[-4.215, -1.0675],
            result=-1.7550000000000008,
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.RegularGridInterpolator",
        ),
    ],
)
def bilinear(x, y, values, at):
    """Value at a point of the surface that is linear along each axis between grid points."""
    rows_, columns_ = points(x, x)[0], points(y, y)[0]
    (p, i), (q, j) = within(rows_, float(at[0])), within(columns_, float(at[1]))
    s, t = (p - rows_[i]) / (rows_[i + 1] - rows_[i]), (q - columns_[j]) / (columns_[j + 1] - columns_[j])
    (a, b), (c, d) = rational(values[i : i + 2, j : j + 2]).tolist()
    return (1 - s) * ((1 - t) * a + t * b) + s * ((1 - t) * c + t * d)


@capability(
    "interpolation.bezier_point",
    tier="certified",
    source="deboor2001, ch. X",
    params={
        "controls": P("float64[m,n]", about="control points, one a row", min_size=2),
        "t": P("float64", about="parameter", domain="[0, 1]"),
    },
    result=R("float64[n]", about="point of the curve"),
    limit={"m": 60, "n": 10},
    cases=[
        case(controls=[[0.0, 0.0], [1.0, 2.0], [2.0, 0.0]], t=0.5, result=[1.0, 1.0], origin="by hand"),
        case(
            controls=[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
            t=0.25,
            result=[0.15625, 0.5625],
            origin="by hand",
        ),
        case(
            controls=[[-3.32, 0.153, 3.42], [-4.25, -0.884, -4.12], [4.11, 2.75, -1.89], [3.89, -0.917, -3.65]],
            t=0.612,
            result=[1.3148832966400004, 0.7533201219839999, -2.59963532928],
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.BPoly",
        ),
    ],
)
def bezier_point(controls, t):
    """Point of a Bezier curve, by de Casteljau's repeated interpolation."""
    level, share = rational(controls).tolist(), exact_number(t)
    while len(level) > 1:
        level = [[p + share * (q - p) for p, q in zip(a, b, strict=True)] for a, b in pairwise(level)]
    return level[0]


@capability(
    "interpolation.bspline_basis",
    tier="certified",
    version=2,
    source="deboor2001, eq. IX.14",
    params={
        "knots": P("float64[m]", about="knots, not descending", min_size=2),
        "degree": P("int", about="degree", domain="[0, 10]"),
        "at": P("float64", about="point; at the last knot the values from the left are meant, outside of all knots 0"),
    },
    result=R("float64[k]", about="value of each basis function"),
    limit={"m": 200},
    requires=["len(knots) >= degree + 2"],
    cases=[
        case(
            knots=[0.0, 1.0, 2.0, 3.0, 4.0],
            degree=2,
            at=1.5,
            result=[0.75, 0.125],
            origin="scipy 1.17.1, scipy.interpolate.BSpline.basis_element",
        ),
        case(
            knots=[0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0],
            degree=2,
            at=2.0,
            result=[0.0, 0.0, 0.0, 1.0],
            origin="scipy 1.17.1, scipy.interpolate.BSpline.design_matrix",
        ),
        case(
            knots=[0.0, 0.5, 1.5, 2.0, 4.0, 5.0],
            degree=3,
            at=1.75,
            result=[0.6300595238095238, 0.35595238095238096],
            origin="exact fractions, by the recursion of Cox and de Boor",
        ),
    ],
)
def bspline_basis(knots, degree, at):
    """Values at a point of all B-splines of a degree on given knots."""
    t, point = column(rational(knots)), exact_number(at)
    if any(a > b for a, b in pairwise(t)):
        raise DomainError("knots", None, "knots that do not descend")
    level = [fmpq(int(a <= point < b or a < b == t[-1] == point)) for a, b in pairwise(t)]
    for p in range(1, degree + 1):
        level = [
            share(point - t[i], t[i + p] - t[i]) * level[i]
            + share(t[i + p + 1] - point, t[i + p + 1] - t[i + 1]) * level[i + 1]
            for i in range(len(level) - 1)
        ]
    return level


def share(part, whole):
    """Return a quotient, and zero on an interval without length."""
    return part / whole if whole else fmpq(0)


@capability(
    "interpolation.inverse_distance",
    tier="certified",
    version=3,
    source="shepard1968, eq. 1",
    params={
        "positions": P("float64[m,n]", about="places of the data, one a row"),
        "values": P("float64[m]", about="values"),
        "at": P("float64[n]", about="point"),
        "power": P("int", about="power of the distance", domain="[1, 10]"),
    },
    result=R("float64", about="weighted mean"),
    limit={"m": 50000, "n": 10},
    cases=[
        case(
            positions=[[0.0], [1.0]],
            values=[1.0, 3.0],
            at=[0.25],
            power=2,
            result=1.2,
            origin="by hand: weights 16 and 16/9",
        ),
        case(
            positions=[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]],
            values=[1.0, 2.0, 4.0],
            at=[0.0, 0.0],
            power=1,
            result=1.0,
            origin="by hand: at a place of the data",
        ),
        case(positions=[[0.0], [4.0]], values=[1.0, 5.0], at=[1.0], power=1, result=2.0, origin="by hand"),
        case(
            positions=[[1.0], [1.0], [4.0]],
            values=[1.0, 2.0, 5.0],
            at=[1.0],
            power=2,
            error="domain_error",
            origin="by hand: two values at one place",
        ),
        case(
            positions=[[-2.65, 2.95], [-1.34, -1.49], [-4.8, -0.406]],
            values=[2.68, 2.6, -2.06],
            at=[-1.16, 3.32],
            power=3,
            result=2.562844346191932,
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.neighbors.KNeighborsRegressor",
        ),
    ],
)
def inverse_distance(positions, values, at, power):
    """Mean of scattered values, weighted by the inverse powers of their distances: Shepard's method."""
    place, total, weight, here, unit = column(rational(at)), 0, 0, [], None
    number = fmpq if len(values) <= MOST_EXACT else arb  # a sum of many fractions grows with each
    for row, value in zip(rational(positions).tolist(), column(rational(values)), strict=True):
        check_deadline()
        square = sum(((a - b) ** 2 for a, b in zip(row, place, strict=True)), fmpq(0))
        if square == 0:
            here.append(value)
            continue
        unit = square if unit is None else unit  # only ratios count, and these are exact at equal distances
        ratio = square / unit
        share_ = 1 / (number(ratio ** (power // 2)) * (root_of(ratio) if power % 2 else 1))
        total, weight = total + share_ * value, weight + share_
    if any(value != here[0] for value in here):
        raise DomainError("values", None, "one value at each place")
    return here[0] if here else total / weight
