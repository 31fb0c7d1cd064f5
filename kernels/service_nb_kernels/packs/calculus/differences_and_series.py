"""Finite differences, derivatives of samples, accelerated sequences and steps towards roots: exact rationals."""

from itertools import pairwise
from math import factorial

from flint import arb, fmpq, fmpq_mat
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.polynomials import exact_polynomial
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.rounding import check_deadline, check_growth, is_long
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, ShapeError, Unseparated


def difference_weights(nodes, order):
    """Return the weights of values at nodes for a derivative at zero, from the equations of the moments."""
    size = len(nodes)
    if order >= size:
        raise DomainError("order", order, f"an order below the number of nodes, {size}")
    moments = fmpq_mat([[node**k for node in nodes] for k in range(size)])
    target = fmpq_mat([[factorial(order) if k == order else 0] for k in range(size)])
    try:
        return column(moments.solve(target))
    except ZeroDivisionError:
        raise DomainError("nodes", None, "distinct nodes") from None


def finite(found, before):
    """Return an extrapolation, or the last term where the denominator vanishes."""
    numerator, denominator = found
    return before if denominator == 0 else numerator / denominator


@capability(
    "calculus.finite_difference_weights",
    tier="certified",
    source="fornberg1988, sec. 2",
    params={
        "nodes": P("float64[n]", about="nodes, all different"),
        "at": P("float64", about="point of the derivative"),
        "order": P("int", about="order of the derivative", domain="[0, 30]"),
    },
    result=R("float64[n]", about="weights of the values at the nodes"),
    limit={"n": 30},
    cases=[
        case(nodes=[-1.0, 0.0, 1.0], at=0.0, order=2, result=[1.0, -2.0, 1.0], origin="fornberg1988, table 1"),
        case(
            nodes=[-2.0, -1.0, 0.0, 1.0, 2.0],
            at=0.0,
            order=1,
            result=[0.08333333333333333, -0.6666666666666666, 0.0, 0.6666666666666666, -0.08333333333333333],
            origin="fornberg1988, table 1",
        ),
        case(nodes=[0.0, 1.0, 2.0], at=0.0, order=1, result=[-1.5, 2.0, -0.5], origin="fornberg1988, table 3"),
        case(nodes=[0.0, 0.0, 2.0], at=0.0, order=1, error="domain_error", origin="by hand"),
    ],
)
def finite_difference_weights(nodes, at, order):
    """Weights with which values at any nodes give a derivative at a point."""
    center = exact_number(at)
    return difference_weights([node - center for node in column(rational(nodes))], order)


@capability(
    "calculus.derivative_of_samples",
    tier="certified",
    source="fornberg1988, sec. 3",
    keywords=["numerical derivative"],
    params={
        "x": P("float64[n]", about="nodes in ascending order", unit="?u", min_size=3),
        "y": P("float64[n]", about="values", unit="?v"),
    },
    result=R("float64[n]", about="derivatives at the nodes", unit="?v/?u"),
    limit={"n": 5000},
    cases=[
        case(
            x=[0.0, 1.0, 3.0, 4.0],
            y=[0.0, 1.0, 9.0, 16.0],
            result=[0.0, 2.0, 6.0, 8.0],
            origin="by hand: the parabola x^2",
        ),
        case(
            x=[0.0, 0.1, 0.3],
            y=[1.0, 0.5, 0.7],
            result=[-7.000000000000001, -2.999999999999999, 4.999999999999999],
            within=1e-12,
            origin="numpy 2.4.6, numpy.gradient: edge_order 2",
        ),
    ],
)
def derivative_of_samples(x, y):
    """Derivatives at unequally spaced points, by parabolas through each three neighbors."""
    nodes, values = column(rational(x)), column(rational(y))
    if any(a >= b for a, b in pairwise(nodes)):
        raise DomainError("x", None, "nodes in ascending order")
    found = []
    for k in range(len(nodes)):
        first = min(max(k - 1, 0), len(nodes) - 3)
        weights = difference_weights([nodes[j] - nodes[k] for j in range(first, first + 3)], 1)
        found.append(sum((w * v for w, v in zip(weights, values[first : first + 3], strict=True)), fmpq(0)))
    return found


@capability(
    "calculus.finite_differences",
    tier="certified",
    source="graham1994, sec. 5.3",
    params={
        "values": P("float64[n]", about="values at unit distance", unit="?u", min_size=2),
        "order": P("int", about="order of the differences", domain="[1, 1000]"),
    },
    result=R("float64[k]", about="differences, each value less the one before", unit="?u"),
    limit={"n": 5000},
    cases=[
        case(values=[1.0, 4.0, 9.0, 16.0], order=2, result=[2.0, 2.0], origin="by hand"),
        case(values=[0.5, 1.0, 4.0], order=1, result=[0.5, 3.0], origin="by hand"),
        case(values=[0.5, 1.0], order=2, error="invalid_intent", origin="by hand"),
        case(
            values=[-2.95, 0.124, -1.61, -0.473, 4.68, -1.29],
            order=1,
            result=[3.0740000000000003, -1.734, 1.137, 5.153, -5.97],
            within=1e-14,
            origin="numpy 2.4.6, numpy.diff",
        ),
    ],
)
def finite_differences(values, order):
    """Repeated differences of neighboring values, each rounded once."""
    if order >= len(values):
        raise ShapeError("values", f"{len(values)} items", f"more than the order {order}")
    found = column(rational(values))
    for _ in range(order):
        found = [b - a for a, b in pairwise(found)]
    return found


@capability(
    "calculus.richardson_extrapolation",
    tier="certified",
    source="dlmf, 3.9(ii); burden2016, sec. 4.2",
    params={
        "values": P("float64[n]", about="approximations with the step halved each time", min_size=2),
        "order": P("int", about="power of the step in the first error term", domain="[1, 20]"),
        "increment": P("int", about="by how much the powers grow", domain="[1, 10]"),
    },
    result=R("float64", about="extrapolated value"),
    limit={"n": 60},
    cases=[
        case(values=[4.0, 3.25, 3.0625], order=2, increment=2, result=3.0, origin="by hand: 3 + h^2"),
        case(values=[1.5, 1.25], order=1, increment=1, result=1.0, origin="by hand"),
    ],
)
def richardson_extrapolation(values, order, increment):
    """Limit for a vanishing step from approximations with a step that is halved each time."""
    level, power = column(rational(values)), order
    while len(level) > 1:
        level = [(2**power * b - a) / (2**power - 1) for a, b in pairwise(level)]
        power += increment
    return level[0]


@capability(
    "calculus.aitken",
    tier="certified",
    source="dlmf, 3.9.7",
    params={
        "values": P("float64[n]", about="terms of a convergent sequence", min_size=3),
    },
    result=R(
        "float64[k]",
        about="accelerated sequence, two terms shorter: each item from a term and the two after it",
    ),
    limit={"n": 5000},
    cases=[
        case(values=[1.0, 1.5, 1.75], result=[2.0], origin="by hand: geometric"),
        case(
            values=[1.0, 2.0, 2.5, 3.0], result=[3.0, 3.0], origin="by hand: geometric, then without second difference"
        ),
    ],
)
def aitken(values):
    """Aitken's acceleration of a sequence; where there is no second difference, the last of the three terms stands."""
    terms = column(rational(values))
    return [finite((c * a - b * b, c - 2 * b + a), c) for a, b, c in zip(terms, terms[1:], terms[2:], strict=False)]


@capability(
    "calculus.wynn_epsilon",
    tier="certified",
    version=2,
    source="dlmf, 3.9.11",
    params={
        "values": P("float64[n]", about="partial sums, an odd number of them", min_size=3),
    },
    result=R("float64", about="accelerated limit; once two last estimates in a column are equal, that value"),
    limit={"n": 101},
    cases=[
        case(values=[1.0, 0.5, 0.75], result=0.6666666666666666, origin="by hand: geometric with ratio -1/2"),
        case(values=[1.0, 0.5, 0.75, 0.625, 0.6875], result=0.6666666666666666, origin="by hand: geometric"),
        case(
            values=[4.0, 2.5, 3.5, 2.75, 3.375], result=3.0833333333333335, origin="sympy 1.14.0, Shanks determinants"
        ),
        case(
            values=[-1.96, 4.02, 4.93, -2.41, -2.12],
            result=1.3978876048511146,
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.shanks",
        ),
        case(values=[1.0, 2.0, 3.0], error="domain_error", origin="by hand: no geometric part, so no limit"),
        case(values=[1.0, 1.0, 0.5, 0.5, 0.75], error="domain_error", origin="by hand: the first step is 0"),
    ],
)
def wynn_epsilon(values):
    """Limit of a sequence by Wynn's epsilon algorithm, the diagonal of the Pade table, where its steps exist."""
    if len(values) % 2 == 0:
        raise ShapeError("values", f"{len(values)} items", "an odd number of them")
    before, level = [fmpq(0)] * (len(values) + 1), column(rational(values))
    for place in range(len(values) - 1):
        check_growth(*level)
        steps = [b - a for a, b in pairwise(level)]
        if place % 2 == 0 and steps[-1] == 0:  # the columns between only help to form the next one
            break
        if 0 in steps:
            raise DomainError("values", None, "partial sums of which no two that the algorithm divides by are equal")
        before, level = level, [before[k + 1] + 1 / step for k, step in enumerate(steps)]
    return level[-1]


@capability(
    "calculus.euler_transform",
    tier="certified",
    version=2,
    source="dlmf, 3.9.2",
    params={
        "terms": P(
            "float64[n]",
            about="absolute terms of an alternating series, the first added",
            domain="[0, inf)",
            min_size=1,
        ),
    },
    result=R("float64", about="sum"),
    limit={"n": 500},
    cases=[
        case(terms=[1.0, 0.5, 0.25], result=0.65625, origin="by hand: 1/2 + 1/8 + 1/32"),
        case(terms=[1.0, 1.0, 1.0, 1.0], result=0.5, origin="by hand: Grandi"),
    ],
)
def euler_transform(terms):
    """Sum of an alternating series by Euler's transformation, from its first absolute terms."""
    level, total, sign = column(rational(terms)), fmpq(0), 1
    for k in range(len(terms)):
        total += sign * level[0] / 2 ** (k + 1)
        level, sign = [b - a for a, b in pairwise(level)], -sign
    return total


@capability(
    "calculus.newton_step",
    tier="certified",
    source="burden2016, sec. 2.3",
    params={
        "coefficients": P("float64[n]", about="coefficients of a polynomial from the constant up", min_size=2),
        "x": P("float64", about="approximation of a root"),
    },
    result=R("float64", about="better approximation"),
    limit={"n": 200},
    cases=[
        case(
            coefficients=[-2.0, 0.0, 1.0],
            x=1.5,
            result=1.4166666666666667,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            coefficients=[0.1, -0.7, 0.3],
            x=0.2,
            result=0.1517241379310345,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(coefficients=[-2.0, 0.0, 1.0], x=0.0, error="domain_error", origin="by hand"),
        case(
            coefficients=[-2.87, 2.54, -1.48, -3.11],
            x=0.0716,
            result=1.2543145032146668,
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.newton: one iteration",
        ),
    ],
)
def newton_step(coefficients, x):
    """Next approximation of a polynomial's root by Newton's method, rounded once."""
    polynomial, point = exact_polynomial(coefficients), exact_number(x)
    slope = polynomial.derivative()(point)
    if slope == 0:
        raise DomainError("x", x, "a point where the derivative is not zero")
    return point - polynomial(point) / slope


@capability(
    "calculus.newton_sequence",
    tier="certified",
    version=2,
    source="burden2016, sec. 2.3",
    params={
        "coefficients": P("float64[n]", about="coefficients of a polynomial from the constant up", min_size=2),
        "x": P("float64", about="first approximation"),
        "steps": P("int", about="number of steps", domain="[1, 50]"),
    },
    result=R("float64[k]", about="approximations after each step"),
    limit={"n": 12},
    cases=[
        case(
            coefficients=[-2.0, 0.0, 1.0],
            x=1.0,
            steps=3,
            result=[1.5, 1.4166666666666667, 1.4142156862745099],
            origin="by hand",
        ),
        case(coefficients=[-3.0, 0.0, 1.0], x=2.0, steps=2, result=[1.75, 1.7321428571428572], origin="by hand"),
        case(
            coefficients=[-3.13, 3.71, 0.773, 4.57, -2.62],
            x=-1.1,
            steps=1,
            result=[-0.6024397662730456],
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.newton: one iteration",
        ),
    ],
)
def newton_sequence(coefficients, x, steps):
    """Approximations of a polynomial's root by several steps of Newton's method, without any error of rounding."""
    polynomial, point, found = exact_polynomial(coefficients), exact_number(x), []
    derivative = polynomial.derivative()
    for _ in range(steps):
        check_deadline()
        if is_long(point):
            point = arb(point)
        slope = horner(derivative, point)
        if slope == 0:
            raise DomainError("x", x, "a start from which no derivative vanishes")
        if isinstance(slope, arb) and slope.contains(0):
            raise Unseparated
        point -= horner(polynomial, point) / slope
        found.append(point)
    return found


def horner(polynomial, x):
    """Return a rational polynomial at a rational or a ball."""
    total = fmpq(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * x + coefficient
    return total


@capability(
    "calculus.secant_step",
    tier="certified",
    source="burden2016, sec. 2.3",
    params={
        "coefficients": P("float64[n]", about="coefficients of a polynomial from the constant up", min_size=2),
        "a": P("float64", about="first approximation"),
        "b": P("float64", about="second approximation"),
    },
    result=R("float64", about="next approximation"),
    limit={"n": 200},
    cases=[
        case(coefficients=[-2.0, 0.0, 1.0], a=1.0, b=2.0, result=1.3333333333333333, origin="by hand"),
        case(coefficients=[-6.0, 1.0, 1.0], a=1.0, b=3.0, result=1.8, origin="by hand"),
        case(coefficients=[-2.0, 0.0, 1.0], a=1.0, b=-1.0, error="domain_error", origin="by hand"),
        case(
            coefficients=[4.66, -3.33, 2.01, -4.19, 3.61],
            a=-2.29,
            b=0.984,
            result=1.0365123257787552,
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.newton: one iteration",
        ),
    ],
)
def secant_step(coefficients, a, b):
    """Next approximation of a polynomial's root by the secant through two points."""
    polynomial, p, q = exact_polynomial(coefficients), exact_number(a), exact_number(b)
    rise = polynomial(q) - polynomial(p)
    if rise == 0:
        raise DomainError("b", b, "a point where the polynomial has another value than at a")
    return q - polynomial(q) * (q - p) / rise
