"""Quadrature: certified nodes and weights, exact rules on samples, and integrals of standard integrands."""

from itertools import pairwise
from math import comb, factorial

from flint import arb, fmpq, fmpq_poly
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.polynomials import real_roots
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, ShapeError
from service_nb_kernels.packs.elementary.pi_multiples import cosine


def trapezoid_sum(values, step):
    """Return the trapezoid rule for equally spaced values."""
    return step * (sum(values, fmpq(0)) - (values[0] + values[-1]) / 2)


def at(polynomial, x):
    """Return a rational polynomial at a ball."""
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * x + arb(coefficient)
    return total


def rule_record(pairs):
    """Return nodes and weights as a record."""
    return {"nodes": [x for x, _ in pairs], "weights": [w for _, w in pairs]}


@capability(
    "calculus.gauss_legendre",
    tier="certified",
    source="dlmf, 3.5(v)",
    params={
        "n": P("int", about="number of nodes", domain="[1, 300]"),
    },
    result=R(
        fields={
            "nodes": R("float64[n]", about="nodes in ascending order, between -1 and 1"),
            "weights": R("float64[n]", about="weights"),
        }
    ),
    cases=[
        case(
            n=2,
            result={"nodes": [-0.5773502691896257, 0.5773502691896257], "weights": [1.0, 1.0]},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=3,
            result={
                "nodes": [-0.7745966692414834, 0.0, 0.7745966692414834],
                "weights": [0.5555555555555556, 0.8888888888888888, 0.5555555555555556],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=5,
            result={
                "nodes": [-0.906179845938664, -0.5384693101056831, 0.0, 0.5384693101056831, 0.906179845938664],
                "weights": [
                    0.23692688505618908,
                    0.47862867049936647,
                    0.5688888888888889,
                    0.47862867049936647,
                    0.23692688505618908,
                ],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=1,
            result={"nodes": [0.0], "weights": [2.0]},
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.roots_legendre",
        ),
    ],
)
def gauss_legendre(n):
    """Nodes and weights of Gauss-Legendre quadrature on the interval from -1 to 1."""
    return rule_record([arb.legendre_p_root(n, k, True) for k in range(n - 1, -1, -1)])


@capability(
    "calculus.gauss_laguerre",
    tier="certified",
    version=2,
    source="dlmf, 3.5(v)",
    params={
        "n": P("int", about="number of nodes", domain="[1, 100]"),
    },
    result=R(
        fields={
            "nodes": R("float64[n]", about="nodes in ascending order"),
            "weights": R("float64[n]", about="weights for the factor exp(-x)"),
        }
    ),
    cases=[
        case(n=1, result={"nodes": [1.0], "weights": [1.0]}, origin="by hand"),
        case(
            n=2,
            result={
                "nodes": [0.585786437626905, 3.414213562373095],
                "weights": [0.8535533905932737, 0.14644660940672624],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=3,
            result={
                "nodes": [0.415774556783, 2.294280360279, 6.289945082937],
                "weights": [0.711093009929, 0.278517733569, 0.0103892565016],
            },
            within=1e-11,
            origin="as1964, table 25.9",
        ),
    ],
)
def gauss_laguerre(n):
    """Nodes and weights of Gauss-Laguerre quadrature from zero to infinity."""
    polynomial = fmpq_poly([fmpq((-1) ** k * comb(n, k), factorial(k)) for k in range(n + 1)])
    slope = polynomial.derivative()
    return rule_record([(x, 1 / (x * at(slope, x) ** 2)) for x, _ in real_roots(polynomial)])


@capability(
    "calculus.gauss_hermite",
    tier="certified",
    version=2,
    source="dlmf, 3.5(v)",
    params={
        "n": P("int", about="number of nodes", domain="[1, 128]"),
    },
    result=R(
        fields={
            "nodes": R("float64[n]", about="nodes in ascending order"),
            "weights": R("float64[n]", about="weights for the factor exp(-x^2)"),
        }
    ),
    cases=[
        case(
            n=2,
            result={
                "nodes": [-0.7071067811865476, 0.7071067811865476],
                "weights": [0.886226925452758, 0.886226925452758],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=3,
            result={
                "nodes": [-1.224744871391589, 0.0, 1.224744871391589],
                "weights": [0.29540897515091935, 1.1816359006036774, 0.29540897515091935],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=4,
            result={
                "nodes": [-1.650680123885785, -0.52464762327529, 0.52464762327529, 1.650680123885785],
                "weights": [0.08131283544725, 0.8049140900055, 0.8049140900055, 0.08131283544725],
            },
            within=1e-12,
            origin="as1964, table 25.10",
        ),
    ],
)
def gauss_hermite(n):
    """Nodes and weights of Gauss-Hermite quadrature over the whole line, for the factor exp(-x^2)."""
    polynomial = hermite_polynomial(n)
    slope = polynomial.derivative()
    scale = arb.pi().sqrt() * arb(2) ** (n + 1) * arb(factorial(n))
    return rule_record([(x, scale / at(slope, arb(x)) ** 2) for x, _ in real_roots(polynomial)])


def hermite_polynomial(n):
    """Return the physicists' Hermite polynomial."""
    terms = [0] * (n + 1)
    for k in range(n // 2 + 1):
        terms[n - 2 * k] = (-1) ** k * factorial(n) // (factorial(k) * factorial(n - 2 * k)) * 2 ** (n - 2 * k)
    return fmpq_poly(terms)


@capability(
    "calculus.gauss_chebyshev",
    tier="certified",
    source="dlmf, 3.5(v)",
    params={
        "n": P("int", about="number of nodes", domain="[1, 1000]"),
    },
    result=R(
        fields={
            "nodes": R("float64[n]", about="nodes in ascending order"),
            "weight": R("float64", about="the one weight of all nodes"),
        }
    ),
    cases=[
        case(
            n=2,
            result={"nodes": [-0.7071067811865476, 0.7071067811865476], "weight": 1.5707963267948966},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=3,
            result={"nodes": [-0.8660254037844386, 0.0, 0.8660254037844386], "weight": 1.0471975511965979},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=8,
            result={
                "nodes": [
                    -0.9807852804032304,
                    -0.8314696123025453,
                    -0.555570233019602,
                    -0.1950903220161282,
                    0.19509032201612833,
                    0.5555702330196023,
                    0.8314696123025452,
                    0.9807852804032304,
                ],
                "weight": 0.39269908169872414,
            },
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.chebyshev.chebgauss",
        ),
    ],
)
def gauss_chebyshev(n):
    """Nodes and the weight of Gauss-Chebyshev quadrature, for the factor 1 / sqrt(1 - x^2)."""
    return {"nodes": [cosine(fmpq(2 * k - 1, 2 * n)) for k in range(n, 0, -1)], "weight": arb.pi() / n}


@capability(
    "calculus.gauss_lobatto",
    tier="certified",
    version=2,
    source="dlmf, 3.5(v); davis1984, sec. 2.7.1",
    params={
        "n": P("int", about="number of nodes, the ends included", domain="[2, 128]"),
    },
    result=R(
        fields={
            "nodes": R("float64[n]", about="nodes in ascending order, from -1 to 1"),
            "weights": R("float64[n]", about="weights"),
        }
    ),
    cases=[
        case(
            n=3,
            result={"nodes": [-1.0, 0.0, 1.0], "weights": [0.3333333333333333, 1.3333333333333333, 0.3333333333333333]},
            origin="by hand: Simpson's rule",
        ),
        case(
            n=4,
            result={
                "nodes": [-1.0, -0.4472135954999579, 0.4472135954999579, 1.0],
                "weights": [0.16666666666666666, 0.8333333333333334, 0.8333333333333334, 0.16666666666666666],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=4,
            result={
                "nodes": [-1.0, -0.4472135954999579, 0.4472135954999579, 1.0],
                "weights": [0.16666666666666666, 0.8333333333333334, 0.8333333333333334, 0.16666666666666666],
            },
            within=1e-14,
            origin="sympy 1.14.0, sympy.integrals.quadrature.gauss_lobatto",
        ),
    ],
)
def gauss_lobatto(n):
    """Nodes and weights of Gauss-Lobatto quadrature, which includes both ends."""
    polynomial = fmpq_poly.legendre_p(n - 1)
    edge = fmpq(2, n * (n - 1))
    inner = (
        [(x, arb(edge) / at(polynomial, arb(x)) ** 2) for x, _ in real_roots(polynomial.derivative())] if n > 2 else []
    )
    return rule_record([(fmpq(-1), edge), *inner, (fmpq(1), edge)])


@capability(
    "calculus.clenshaw_curtis",
    tier="certified",
    source="dlmf, 3.5(iv)",
    params={
        "n": P("int", about="number of intervals", domain="[1, 200]"),
    },
    result=R(
        fields={
            "nodes": R("float64[m]", about="nodes in ascending order, from -1 to 1"),
            "weights": R("float64[m]", about="weights"),
        }
    ),
    cases=[
        case(
            n=4,
            result={
                "nodes": [-1.0, -0.7071067811865476, 0.0, 0.7071067811865476, 1.0],
                "weights": [0.06666666666666667, 0.5333333333333333, 0.8, 0.5333333333333333, 0.06666666666666667],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            n=2,
            result={"nodes": [-1.0, 0.0, 1.0], "weights": [0.3333333333333333, 1.3333333333333333, 0.3333333333333333]},
            within=1e-14,
            origin="chaospy 4.3.21, chaospy.quadrature.clenshaw_curtis",
        ),
    ],
)
def clenshaw_curtis(n):
    """Nodes and weights of Clenshaw-Curtis quadrature, at the extremes of a Chebyshev polynomial."""
    pairs = []
    for k in range(n, -1, -1):
        total = arb(1)
        for j in range(1, n // 2 + 1):
            total -= arb(fmpq(1 if 2 * j == n else 2, 4 * j * j - 1)) * arb.cos_pi_fmpq(fmpq(2 * j * k, n))
        pairs.append((cosine(fmpq(k, n)), total * fmpq(1 if k in (0, n) else 2, n)))
    return rule_record(pairs)


@capability(
    "calculus.newton_cotes",
    tier="certified",
    source="dlmf, 3.5(ii); as1964, sec. 25.4",
    params={
        "n": P("int", about="number of intervals", domain="[1, 40]"),
    },
    result=R("float64[k]", about="weights for nodes at unit distance"),
    cases=[
        case(
            n=2, result=[0.3333333333333333, 1.3333333333333333, 0.3333333333333333], origin="by hand: Simpson's rule"
        ),
        case(n=3, result=[0.375, 1.125, 1.125, 0.375], origin="as1964, 25.4.13"),
        case(
            n=4,
            result=[0.3111111111111111, 1.4222222222222223, 0.5333333333333333, 1.4222222222222223, 0.3111111111111111],
            origin="as1964, 25.4.14",
        ),
    ],
)
def newton_cotes(n):
    """Weights of the closed Newton-Cotes rule for equally spaced nodes at unit distance."""
    weights = []
    for k in range(n + 1):
        basis = fmpq_poly([1])
        for j in range(n + 1):
            if j != k:
                basis *= fmpq_poly([fmpq(-j, k - j), fmpq(1, k - j)])
        weights.append(basis.integral()(fmpq(n)))
    return weights


@capability(
    "calculus.gauss_legendre_integral",
    tier="certified",
    source="dlmf, 3.5(v)",
    keywords=["integrate a function", "quadrature"],
    params={
        "values": P("float64[n]", about="integrand at the Gauss-Legendre nodes, in ascending order"),
        "low": P("float64", about="lower end"),
        "high": P("float64", about="upper end"),
    },
    result=R("float64", about="estimate of the integral"),
    limit={"n": 300},
    cases=[
        case(values=[1.0, 1.0], low=0.0, high=3.0, result=3.0, origin="by hand: of one"),
        case(
            values=[0.1, 0.1, 0.1, 0.1, 0.1], low=0.0, high=3.0, result=0.30000000000000004, origin="by hand: 3 * 0.1"
        ),
        case(values=[1.0, 2.0, 3.0], low=-1.0, high=1.0, result=4.0, origin="by hand: 5/9 (1 + 3) + 8/9 2"),
        case(
            values=[-0.996, 1.6, 0.944, 2.06, -0.156],
            low=-1.35,
            high=1.9,
            result=3.275792444525353,
            within=1e-14,
            origin="scipy 1.17.1, scipy.integrate.fixed_quad: weights of scipy.special.roots_legendre",
        ),
    ],
)
def gauss_legendre_integral(values, low, high):
    """Integral from values at the Gauss-Legendre nodes of an interval."""
    n, half = len(values), (exact_number(high) - exact_number(low)) / 2
    exact = column(rational(values))
    means = [(a + b) / 2 for a, b in zip(exact, exact[::-1], strict=True)][: (n + 1) // 2]
    total = 2 * means[0]  # all weights sum to 2, so that a constant or odd integrand comes out exactly
    for k, mean in enumerate(means[1:], 1):
        if mean != means[0]:
            weight = fmpq(8, 9) if n == 3 else arb.legendre_p_root(n, k, True)[1] * (1 if 2 * k + 1 == n else 2)
            total = total + weight * (mean - means[0])
    return half * total


@capability(
    "calculus.trapezoid",
    tier="certified",
    source="dlmf, 3.5(i)",
    keywords=["trapezoidal rule", "area under a curve"],
    params={
        "x": P("float64[n]", about="nodes in ascending order", unit="?u", min_size=2),
        "y": P("float64[n]", about="values", unit="?v"),
    },
    result=R("float64", about="area", unit="?u*?v"),
    limit={"n": 100000},
    cases=[
        case(x=[0.0, 1.0, 3.0], y=[1.0, 2.0, 4.0], result=7.5, origin="exact fractions, Python 3.11 fractions"),
        case(x=[0.1, 0.2, 0.4], y=[0.3, 0.5, 0.7], result=0.16, origin="exact fractions, Python 3.11 fractions"),
        case(x=[1.0, 0.0], y=[1.0, 1.0], error="domain_error", origin="by hand"),
        case(
            x=[-3.25, -3.0, -2.35, 0.824, 1.42],
            y=[4.4, -4.17, -3.17, 3.35, -2.51],
            result=-1.820769999999999,
            within=1e-14,
            origin="numpy 2.4.6, numpy.trapezoid",
        ),
    ],
)
def trapezoid(x, y):
    """Area under the broken line through given points, rounded once."""
    nodes, values = ascending(x), column(rational(y))
    return (
        sum(((b - a) * (p + q) for (a, b), (p, q) in zip(pairwise(nodes), pairwise(values), strict=True)), fmpq(0)) / 2
    )


def ascending(x):
    """Return nodes as rationals; they ascend."""
    nodes = column(rational(x))
    if any(a >= b for a, b in pairwise(nodes)):
        raise DomainError("x", None, "nodes in ascending order")
    return nodes


@capability(
    "calculus.cumulative_trapezoid",
    tier="certified",
    source="dlmf, 3.5(i)",
    params={
        "x": P("float64[n]", about="nodes in ascending order", unit="?u", min_size=2),
        "y": P("float64[n]", about="values", unit="?v"),
    },
    result=R("float64[n]", about="areas from the first node, starting with zero", unit="?u*?v"),
    limit={"n": 20000},
    cases=[
        case(x=[0.0, 1.0, 3.0], y=[1.0, 2.0, 4.0], result=[0.0, 1.5, 7.5], origin="by hand"),
        case(x=[0.0, 0.5, 1.0], y=[0.0, 1.0, 2.0], result=[0.0, 0.25, 1.0], origin="by hand"),
        case(
            x=[-3.7, 4.6],
            y=[-4.88, 1.52],
            result=[0.0, -13.944],
            within=1e-14,
            origin="scipy 1.17.1, scipy.integrate.cumulative_trapezoid: initial 0",
        ),
    ],
)
def cumulative_trapezoid(x, y):
    """Running areas under the broken line through given points."""
    nodes, values, total, found = ascending(x), column(rational(y)), fmpq(0), [fmpq(0)]
    for (a, b), (p, q) in zip(pairwise(nodes), pairwise(values), strict=True):
        total += (b - a) * (p + q) / 2
        found.append(total)
    return found


@capability(
    "calculus.simpson",
    tier="certified",
    source="dlmf, 3.5.7",
    keywords=["area under a curve", "Simpson's rule"],
    params={
        "values": P("float64[n]", about="values at equally spaced nodes, an odd number of them", unit="?v", min_size=3),
        "step": P("float64", about="distance of the nodes", domain="(0, inf)", unit="?u"),
    },
    result=R("float64", about="estimate of the integral", unit="?u*?v"),
    limit={"n": 100001},
    cases=[
        case(values=[0.0, 1.0, 4.0, 9.0, 16.0], step=1.0, result=21.333333333333332, origin="by hand: exact for x^2"),
        case(
            values=[0.1, 0.2, 0.4],
            step=0.5,
            result=0.21666666666666667,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(values=[1.0, 2.0, 3.0, 4.0], step=1.0, error="invalid_intent", origin="by hand: an even number"),
        case(
            values=[3.06, -3.24, -2.8, 0.76, 4.51],
            step=4.5,
            result=-11.924999999999999,
            within=1e-14,
            origin="scipy 1.17.1, scipy.integrate.simpson",
        ),
    ],
)
def simpson(values, step):
    """Integral by Simpson's composite rule from equally spaced values."""
    if len(values) % 2 == 0:
        raise ShapeError("values", f"{len(values)} items", "an odd number of them")
    v = column(rational(values))
    total = v[0] + v[-1] + 4 * sum(v[1::2], fmpq(0)) + 2 * sum(v[2:-1:2], fmpq(0))
    return total * exact_number(step) / 3


@capability(
    "calculus.boole",
    tier="certified",
    source="as1964, 25.4.14",
    params={
        "values": P(
            "float64[n]",
            about="values at equally spaced nodes, one more than a multiple of four",
            unit="?v",
            min_size=5,
        ),
        "step": P("float64", about="distance of the nodes", domain="(0, inf)", unit="?u"),
    },
    result=R("float64", about="estimate of the integral", unit="?u*?v"),
    limit={"n": 100001},
    cases=[
        case(values=[0.0, 1.0, 16.0, 81.0, 256.0], step=1.0, result=204.8, origin="by hand: exact for x^4"),
        case(values=[1.0, 1.0, 1.0, 1.0, 1.0], step=0.25, result=1.0, origin="by hand"),
        case(
            values=[2.69, -0.236, 4.21, 0.93, -3.13],
            step=0.496,
            result=1.5353514666666666,
            within=1e-14,
            origin="scipy 1.17.1, scipy.integrate.newton_cotes: order 4",
        ),
    ],
)
def boole(values, step):
    """Integral by Boole's composite rule from equally spaced values."""
    if len(values) % 4 != 1:
        raise ShapeError("values", f"{len(values)} items", "one more than a multiple of four")
    v = column(rational(values))
    total = 7 * (v[0] + v[-1]) + 32 * sum(v[1::2], fmpq(0)) + 12 * sum(v[2::4], fmpq(0)) + 14 * sum(v[4:-1:4], fmpq(0))
    return total * exact_number(step) * 2 / 45


@capability(
    "calculus.romberg",
    tier="certified",
    source="dlmf, 3.5(iii)",
    params={
        "values": P(
            "float64[n]", about="values at equally spaced nodes, one more than a power of two", unit="?v", min_size=3
        ),
        "step": P("float64", about="distance of the nodes", domain="(0, inf)", unit="?u"),
    },
    result=R("float64", about="estimate of the integral", unit="?u*?v"),
    limit={"n": 65537},
    cases=[
        case(values=[0.0, 1.0, 4.0], step=1.0, result=2.6666666666666665, origin="by hand: Simpson's rule"),
        case(
            values=[0.0, 1.0, 32.0, 243.0, 1024.0], step=1.0, result=682.6666666666666, origin="by hand: exact for x^5"
        ),
        case(values=[1.0, 2.0, 3.0, 4.0], step=1.0, error="invalid_intent", origin="by hand"),
        case(
            values=[-4.41, -2.0, 0.477, -1.94, 1.98, -4.67, 4.13, -3.08, -1.4],
            step=9.92,
            result=-150.41149787654322,
            within=1e-14,
            origin="scipy 1.17.1, scipy.integrate.romb",
        ),
    ],
)
def romberg(values, step):
    """Integral by Romberg's repeated extrapolation of the trapezoid rule."""
    intervals = len(values) - 1
    if intervals & (intervals - 1):
        raise ShapeError("values", f"{len(values)} items", "one more than a power of two")
    v, h, level, stride = column(rational(values)), exact_number(step), [], intervals
    while stride:
        level.append(trapezoid_sum(v[::stride], h * stride))
        stride //= 2
    power = 4
    while len(level) > 1:
        level = [(power * b - a) / (power - 1) for a, b in pairwise(level)]
        power *= 4
    return level[0]
