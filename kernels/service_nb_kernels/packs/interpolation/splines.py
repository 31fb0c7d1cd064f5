"""Piecewise cubics through points: splines of each end condition, and the ones that keep the shape of their data."""

from itertools import pairwise

from flint import arb, fmpq
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.packs.interpolation.through_points import hermite_piece, points, within

MOST_EXACT = 100  # nodes of a spline whose slopes are rationals, which grow with each node; balls beyond


def spline_slopes(nodes, values, ends):
    """Return the slopes of a cubic spline; `ends` gives the first and last equation over slopes."""
    size = len(nodes)
    h = [b - a for a, b in pairwise(nodes)]
    d = [(b - a) / step for (a, b), step in zip(pairwise(values), h, strict=True)]
    number = fmpq if size <= MOST_EXACT else arb  # no pivot of these equations is near 0, so that balls stay narrow
    (first, start), (last, end) = ends(h, d)
    above, slopes = [number(first.get(1, 0)) / first[0]], [number(start) / first[0]]
    for k in range(1, size):
        check_deadline()
        if k < size - 1:
            below, middle, beyond = h[k], 2 * (h[k - 1] + h[k]), h[k - 1]
            right = 3 * (h[k] * d[k - 1] + h[k - 1] * d[k])
        else:
            below, middle, beyond, right = last.get(-2, 0), last[-1], 0, end
        pivot = middle - below * above[-1]
        above.append(beyond / pivot)
        slopes.append((right - below * slopes[-1]) / pivot)
    for k in range(size - 2, -1, -1):
        check_deadline()
        slopes[k] -= above[k] * slopes[k + 1]
    return slopes


def natural(_, d):
    """Return the end equations of a spline without curvature at its ends."""
    return ({0: fmpq(2), 1: fmpq(1)}, 3 * d[0]), ({-1: fmpq(2), -2: fmpq(1)}, 3 * d[-1])


def not_a_knot(h, d):
    """Return the end equations of a spline whose first and last two pieces are one cubic each."""
    first = {0: h[1], 1: h[0] + h[1]}
    last = {-1: h[-2], -2: h[-2] + h[-1]}
    left = ((h[0] + 2 * (h[0] + h[1])) * h[1] * d[0] + h[0] ** 2 * d[1]) / (h[0] + h[1])
    right = ((h[-1] + 2 * (h[-2] + h[-1])) * h[-2] * d[-1] + h[-1] ** 2 * d[-2]) / (h[-2] + h[-1])
    return (first, left), (last, right)


@capability(
    "interpolation.cubic_spline_natural",
    tier="certified",
    version=2,
    source="deboor2001, ch. IV",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=3),
        "y": P("float64[n]", about="values"),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value"),
    limit={"n": 20000},
    cases=[
        case(x=[0.0, 1.0, 2.0], y=[0.0, 1.0, 0.0], at=0.5, result=0.6875, origin="by hand: 1.5 x - 0.5 x^3"),
        case(
            x=[1.0, 2.0, 3.0],
            y=[2.0, 3.0, 5.0],
            at=1.5,
            result=2.40625,
            origin="burden2016, sec. 3.5, example 1: 2 + 3/4 (x - 1) + 1/4 (x - 1)^3",
        ),
        case(
            x=[0.0, 0.5, 1.25, 2.0],
            y=[1.0, 0.25, 0.75, -1.0],
            at=1.0,
            result=0.647147147147147,
            within=1e-13,
            origin="scipy 1.17.1, scipy.interpolate.CubicSpline: natural",
        ),
    ],
)
def cubic_spline_natural(x, y, at):
    """Value at a point of the natural cubic spline through given points."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    return hermite_piece(nodes, values, spline_slopes(nodes, values, natural), point, k)


@capability(
    "interpolation.cubic_spline_not_a_knot",
    tier="certified",
    version=2,
    source="deboor2001, ch. IV",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=4),
        "y": P("float64[n]", about="values"),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value"),
    limit={"n": 20000},
    cases=[
        case(x=[0.0, 1.0, 2.0, 4.0], y=[0.0, 1.0, 8.0, 64.0], at=3.0, result=27.0, origin="by hand: reproduces x^3"),
        case(
            x=[0.0, 0.5, 1.25, 2.0, 3.0],
            y=[1.0, 0.25, 0.75, -1.0, 0.5],
            at=1.0,
            result=0.7253369272237198,
            within=1e-13,
            origin="scipy 1.17.1, scipy.interpolate.CubicSpline",
        ),
    ],
)
def cubic_spline_not_a_knot(x, y, at):
    """Value at a point of the cubic spline whose end pieces continue without a knot."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    return hermite_piece(nodes, values, spline_slopes(nodes, values, not_a_knot), point, k)


@capability(
    "interpolation.cubic_spline_clamped",
    tier="certified",
    version=2,
    source="deboor2001, ch. IV",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=3),
        "y": P("float64[n]", about="values"),
        "slopes": P("float64[k]", about="derivative at the first and at the last node", min_size=2),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(
            x=[1.0, 2.0, 3.0],
            y=[2.0, 3.0, 5.0],
            slopes=[2.0, 1.0],
            at=1.5,
            result=2.5625,
            within=1e-13,
            origin="scipy 1.17.1, scipy.interpolate.CubicSpline: clamped",
        ),
        case(
            x=[0.0, 1.0, 2.0],
            y=[0.0, 1.0, 8.0],
            slopes=[0.0, 12.0],
            at=1.5,
            result=3.375,
            origin="by hand: reproduces x^3",
        ),
    ],
)
def cubic_spline_clamped(x, y, slopes, at):
    """Value at a point of the cubic spline with given slopes at both ends."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    first, last = column(rational(slopes))

    def clamped(_h, _d):
        return ({0: fmpq(1)}, first), ({-1: fmpq(1)}, last)

    return hermite_piece(nodes, values, spline_slopes(nodes, values, clamped), point, k)


@capability(
    "interpolation.cubic_spline_natural_integral",
    tier="certified",
    version=2,
    source="deboor2001, ch. IV",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=3),
        "y": P("float64[n]", about="values"),
    },
    result=R("float64", about="integral from the first to the last node"),
    limit={"n": 20000},
    cases=[
        case(
            x=[0.0, 1.0, 2.0], y=[0.0, 1.0, 0.0], result=1.25, origin="by hand: twice the integral of 1.5 x - 0.5 x^3"
        ),
        case(
            x=[0.0, 0.5, 1.25, 2.0],
            y=[1.0, 0.25, 0.75, -1.0],
            result=0.6987612612612613,
            within=1e-12,
            origin="scipy 1.17.1, scipy.interpolate.CubicSpline.integrate: natural",
        ),
    ],
)
def cubic_spline_natural_integral(x, y):
    """Integral of the natural cubic spline through given points."""
    nodes, values = points(x, y)
    slopes = spline_slopes(nodes, values, natural)
    total = fmpq(0)
    for k, (a, b) in enumerate(pairwise(nodes)):
        h = b - a
        total += h * (values[k] + values[k + 1]) / 2 + h**2 * (slopes[k] - slopes[k + 1]) / 12
    return total


@capability(
    "interpolation.monotone_cubic",
    tier="certified",
    version=2,
    source="fritsch1984, eq. 1.2",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=3),
        "y": P("float64[n]", about="values"),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value, with weighted harmonic means of the slopes beside a node (PCHIP)"),
    limit={"n": 100000},
    cases=[
        case(
            x=[0.0, 1.0, 2.0, 4.0],
            y=[0.0, 1.0, 4.0, 5.0],
            at=1.5,
            result=2.5711206896551726,
            within=1e-13,
            origin="scipy 1.17.1, scipy.interpolate.PchipInterpolator",
        ),
        case(
            x=[0.0, 0.5, 1.25, 2.0],
            y=[1.0, 0.25, 0.75, -1.0],
            at=1.0,
            result=0.6203703703703703,
            within=1e-13,
            origin="scipy 1.17.1, scipy.interpolate.PchipInterpolator",
        ),
        case(x=[0.0, 1.0, 2.0], y=[0.0, 0.0, 1.0], at=0.5, result=0.0, origin="by hand: flat where the data are flat"),
    ],
)
def monotone_cubic(x, y, at):
    """Value at a point of the piecewise cubic that never overshoots its data."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    nodes, values, k = near(nodes, values, k, 1)
    return hermite_piece(nodes, values, monotone_slopes(nodes, values), point, k)


def near(nodes, values, k, beyond):
    """Return the nodes and values of an interval and of some beyond its ends, and the place of the interval in them."""
    start = max(k - beyond, 0)
    return nodes[start : k + beyond + 2], values[start : k + beyond + 2], k - start


def monotone_slopes(nodes, values):
    """Return weighted harmonic means of the neighboring slopes, and three-point slopes at the ends."""
    h = [b - a for a, b in pairwise(nodes)]
    d = [(b - a) / step for (a, b), step in zip(pairwise(values), h, strict=True)]
    inner = []
    for k in range(1, len(h)):
        if d[k - 1] * d[k] <= 0:
            inner.append(fmpq(0))
        else:
            first, second = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
            inner.append((first + second) / (first / d[k - 1] + second / d[k]))
    return [end_slope(h[0], h[1], d[0], d[1]), *inner, end_slope(h[-1], h[-2], d[-1], d[-2])]


def end_slope(h0, h1, d0, d1):
    """Return the slope at an end by three points, held back where it would break the shape."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return fmpq(0)
    return 3 * d0 if d0 * d1 < 0 and abs(slope) > 3 * abs(d0) else slope


@capability(
    "interpolation.akima",
    tier="certified",
    version=2,
    source="akima1970, sec. 2",
    params={
        "x": P("float64[n]", about="nodes in ascending order", min_size=5),
        "y": P("float64[n]", about="values"),
        "at": P("float64", about="point between the first and the last node"),
    },
    result=R("float64", about="value, with the weights of 1970 and not the modified ones"),
    limit={"n": 100000},
    cases=[
        case(
            x=[0.0, 1.0, 2.0, 3.0, 4.5],
            y=[0.0, 1.0, 0.5, 2.0, 1.0],
            at=1.5,
            result=0.7548701298701299,
            origin="exact fractions, by the definition",
        ),
        case(
            x=[0.0, 0.5, 1.25, 2.0, 3.0, 3.5],
            y=[1.0, 0.25, 0.75, -1.0, 0.5, 0.0],
            at=2.75,
            result=0.25611169258373206,
            origin="exact fractions, by the definition",
        ),
        case(
            x=[-4.1, -3.97, -2.87, -0.808, 0.125, 0.746, 4.35, 4.39, 4.4],
            y=[-2.34, 1.39, -2.41, -3.33, 1.55, 0.713, 2.98, -3.45, -2.82],
            at=-3.87,
            result=1.250764475182878,
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.Akima1DInterpolator",
        ),
    ],
)
def akima(x, y, at):
    """Value at a point of Akima's piecewise cubic, which does not ripple beside a jump."""
    nodes, values = points(x, y)
    point, k = within(nodes, at)
    nodes, values, k = near(nodes, values, k, 2)
    d = [(b - a) / (q - p) for (a, b), (p, q) in zip(pairwise(values), pairwise(nodes), strict=True)]
    d = [3 * d[0] - 2 * d[1], 2 * d[0] - d[1], *d, 2 * d[-1] - d[-2], 3 * d[-1] - 2 * d[-2]]
    slopes = []
    for j in range(len(nodes)):
        after, before = abs(d[j + 3] - d[j + 2]), abs(d[j + 1] - d[j])
        total = after + before
        slopes.append((after * d[j + 1] + before * d[j + 2]) / total if total else (d[j + 1] + d[j + 2]) / 2)
    return hermite_piece(nodes, values, slopes, point, k)
