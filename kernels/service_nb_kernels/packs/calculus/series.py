"""Power series as far as they are known: products, inverses, Taylor and Pade, and sums of powers."""

from math import comb

from flint import acb, arb, arb_series, fmpq, fmpq_mat, fmpq_series
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.polynomials import exact_polynomial
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np


@capability(
    "calculus.pade",
    tier="certified",
    source="baker1996, sec. 1.1",
    params={
        "coefficients": P(
            "float64[n]", about="Taylor coefficients from the constant up, as many as both degrees and one"
        ),
        "numerator_degree": P("int", about="degree of the numerator", domain="[0, 40]"),
        "denominator_degree": P("int", about="degree of the denominator", domain="[0, 40]"),
    },
    result=R(
        fields={
            "numerator": R("float64[k]", about="coefficients of the numerator from the constant up"),
            "denominator": R("float64[m]", about="coefficients of the denominator from the constant up, which is 1"),
        }
    ),
    limit={"n": 81},
    requires=["len(coefficients) == numerator_degree + denominator_degree + 1"],
    cases=[
        case(
            coefficients=[1.0, 1.0, 0.5],
            numerator_degree=1,
            denominator_degree=1,
            result={"numerator": [1.0, 0.5], "denominator": [1.0, -0.5]},
            origin="by hand: of exp",
        ),
        case(
            coefficients=[0.0, 1.0, -0.5, 0.25, -0.125],
            numerator_degree=2,
            denominator_degree=2,
            error="domain_error",
            origin="by hand: x / (1 + x / 2) has a smaller degree",
        ),
        case(
            coefficients=[1.0, 2.0, 4.0, 9.0],
            numerator_degree=2,
            denominator_degree=1,
            result={"numerator": [1.0, -0.25, -0.5], "denominator": [1.0, -2.25]},
            origin="by hand",
        ),
        case(
            coefficients=[-3.03, -3.44, 1.76, -1.6, 0.474, -0.485, 1.73],
            numerator_degree=3,
            denominator_degree=3,
            result={
                "numerator": [-3.03, 8.066922913927563, 10.205754725301771, -21.659374547884198],
                "denominator": [1.0, -3.7976643280288993, 1.5241619020190238, 2.6839499629068957],
            },
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.pade",
        ),
    ],
)
def pade(coefficients, numerator_degree, denominator_degree):
    """Pade approximant: the quotient of polynomials that agrees with a series for longest."""
    c, m, k = column(rational(coefficients)), numerator_degree, denominator_degree
    below = [fmpq(1)]
    if k:
        table = fmpq_mat(
            [[c[m + i - j] if m + i - j >= 0 else fmpq(0) for j in range(1, k + 1)] for i in range(1, k + 1)]
        )
        try:
            below += column(table.solve(fmpq_mat([[-c[m + i]] for i in range(1, k + 1)])))
        except ZeroDivisionError:
            raise DomainError("coefficients", None, "a series with an approximant of just these degrees") from None
    above = [sum((below[j] * c[i - j] for j in range(min(i, k) + 1)), fmpq(0)) for i in range(m + 1)]
    return {"numerator": above, "denominator": below}


@capability(
    "calculus.series_product",
    tier="certified",
    source="graham1994, eq. 7.8",
    params={
        "a": P("float64[n]", about="coefficients of the first series from the constant up"),
        "b": P("float64[n]", about="coefficients of the second series from the constant up"),
    },
    result=R("float64[n]", about="coefficients of the product, cut off alike"),
    limit={"n": 2000},
    cases=[
        case(a=[1.0, 1.0, 1.0], b=[1.0, -1.0, 0.0], result=[1.0, 0.0, 0.0], origin="by hand"),
        case(a=[1.0, 2.0, 3.0], b=[0.5, 0.25, 1.0], result=[0.5, 1.25, 3.0], origin="by hand"),
        case(
            a=[1.0, 3.0, 1.0, 1.0],
            b=[1.0, -1.5, 0.25, 0.25],
            result=[1.0, 1.5, -3.25, 0.5],
            within=1e-14,
            origin="sympy 1.14.0, sympy.series",
        ),
    ],
)
def series_product(a, b):
    """Product of two power series, as far as both are known."""
    product = (exact_polynomial(a) * exact_polynomial(b)).coeffs()
    return (product + [fmpq(0)] * len(a))[: len(a)]


@capability(
    "calculus.series_reciprocal",
    tier="certified",
    source="graham1994, sec. 7.3",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up, which is not zero"),
    },
    result=R("float64[n]", about="coefficients of the reciprocal series"),
    limit={"n": 200},
    requires=["coefficients[0] != 0"],
    cases=[
        case(coefficients=[1.0, -1.0, 0.0, 0.0], result=[1.0, 1.0, 1.0, 1.0], origin="by hand: geometric series"),
        case(coefficients=[2.0, 1.0, 0.0], result=[0.5, -0.25, 0.125], origin="by hand"),
        case(
            coefficients=[3.0, 3.0, 1.0],
            result=[0.3333333333333333, -0.3333333333333333, 0.2222222222222222],
            within=1e-14,
            origin="sympy 1.14.0, sympy.series",
        ),
    ],
)
def series_reciprocal(coefficients):
    """Reciprocal of a power series, as far as it is known."""
    return padded(1 / series(coefficients), len(coefficients))


def series(coefficients):
    """Return an exact power series."""
    return fmpq_series(column(rational(coefficients)), prec=len(coefficients))


def padded(found, size):
    """Return the coefficients of a series up to a size."""
    return (list(found.coeffs()) + [fmpq(0)] * size)[:size]


@capability(
    "calculus.series_composition",
    tier="certified",
    source="graham1994, sec. 7.5",
    params={
        "outer": P("float64[n]", about="coefficients of the outer series from the constant up"),
        "inner": P("float64[n]", about="coefficients of the inner series from the constant up, which is zero"),
    },
    result=R("float64[n]", about="coefficients of the composition"),
    limit={"n": 60},
    requires=["inner[0] == 0"],
    cases=[
        case(outer=[1.0, 1.0, 1.0], inner=[0.0, 2.0, 1.0], result=[1.0, 2.0, 5.0], origin="by hand"),
        case(outer=[0.0, 1.0, 0.5], inner=[0.0, 1.0, 1.0], result=[0.0, 1.0, 1.5], origin="by hand"),
        case(
            outer=[3.0, 0.5, 3.0],
            inner=[0.0, -1.5, 1.0],
            result=[3.0, -0.75, 7.25],
            within=1e-14,
            origin="sympy 1.14.0, sympy.series",
        ),
    ],
)
def series_composition(outer, inner):
    """Power series of a power series that vanishes at zero, as far as both are known."""
    if not np.any(inner):  # flint does not compose with zero
        return padded(fmpq_series([exact_number(outer[0])]), len(outer))
    return padded(series(outer)(series(inner)), len(outer))


@capability(
    "calculus.series_reversion",
    tier="certified",
    source="graham1994, sec. 7.5; dlmf, 1.10(vii)",
    params={
        "coefficients": P(
            "float64[n]", about="coefficients from the constant up, which is zero; that of x is not", min_size=2
        ),
    },
    result=R("float64[n]", about="coefficients of the inverse series"),
    limit={"n": 60},
    requires=["coefficients[0] == 0", "coefficients[1] != 0"],
    cases=[
        case(
            coefficients=[0.0, 1.0, -1.0, 0.0, 0.0],
            result=[0.0, 1.0, 1.0, 2.0, 5.0],
            origin="oeis, A000108: Catalan numbers",
        ),
        case(coefficients=[0.0, 2.0, 0.0], result=[0.0, 0.5, 0.0], origin="by hand"),
    ],
)
def series_reversion(coefficients):
    """Power series of the inverse function, by Lagrange's theorem."""
    return padded(series(coefficients).reversion(), len(coefficients))


@capability(
    "calculus.taylor_coefficients",
    tier="certified",
    source="dlmf, 1.10(i)",
    params={
        "function": P(
            "string",
            about="function",
            choices=[
                "exp",
                "log",
                "sin",
                "cos",
                "tan",
                "atan",
                "asin",
                "sinh",
                "cosh",
                "tanh",
                "sqrt",
                "erf",
                "gamma",
                "reciprocal",
            ],
        ),
        "center": P("float64", about="center of the expansion", domain="[-100, 100]"),
        "terms": P("int", about="number of coefficients", domain="[1, 60]"),
    },
    result=R("float64[n]", about="coefficients of the powers of x less the center, from the constant up"),
    cases=[
        case(function="exp", center=0.0, terms=4, result=[1.0, 1.0, 0.5, 0.16666666666666666], origin="by hand"),
        case(
            function="sin",
            center=0.5,
            terms=4,
            result=[0.479425538604203, 0.8775825618903728, -0.2397127693021015, -0.1462637603150621],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            function="gamma",
            center=1.5,
            terms=3,
            result=[0.886226925452758, 0.03233839744888501, 0.4148134536883012],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(function="log", center=-1.0, terms=3, error="domain_error", origin="by hand"),
        case(
            function="exp",
            center=0.584,
            terms=3,
            result=[1.7931968918506624, 1.7931968918506624, 0.8965984459253312],
            within=1e-14,
            origin="sympy 1.14.0, sympy.diff: over sympy.factorial",
        ),
    ],
)
def taylor_coefficients(function, center, terms):
    """Taylor coefficients of a named function about a center."""
    if center == 0 and function in EXACT_AT_ZERO:
        return padded(EXACT_AT_ZERO[function](fmpq_series([0, 1], prec=terms)), terms)
    if (
        function in ("log", "sqrt", "reciprocal", "gamma")
        and center <= 0
        and (function in ("log", "sqrt") or center == 0 or (function == "gamma" and center == int(center)))
    ):
        raise DomainError("center", center, f"a point where {function} has a Taylor series")
    if function == "asin" and abs(center) >= 1:
        raise DomainError("center", center, "a point between -1 and 1")
    found = list(BALLS[function](arb_series([arb(center), arb(1)], prec=terms)).coeffs())
    return (found + [arb(0)] * terms)[:terms]


def hyperbolic(x, sign):
    """Return exp(x) + sign exp(-x), halved."""
    return (x.exp() + sign * (-x).exp()) / 2


def method(name):
    """Return the function that calls a method."""
    return lambda x: getattr(x, name)()


DIRECT = ("exp", "log", "sin", "cos", "tan", "atan", "asin", "sqrt", "erf", "gamma")
BALLS = {name: method(name) for name in DIRECT} | {
    "sinh": lambda x: hyperbolic(x, -1),
    "cosh": lambda x: hyperbolic(x, 1),
    "tanh": lambda x: hyperbolic(x, -1) / hyperbolic(x, 1),
    "reciprocal": lambda x: 1 / x,
}
EXACT_AT_ZERO = {name: method(name) for name in ("exp", "sin", "cos", "tan", "atan", "asin", "sinh", "cosh", "tanh")}


@capability(
    "calculus.power_sum",
    tier="certified",
    source="graham1994, eq. 6.78",
    params={
        "n": P("int", about="number of terms", domain="[0, 1e300]"),
        "power": P("int", about="whole power", domain="[0, 300]"),
    },
    result=R("int", about="sum of the powers of 1 to n"),
    cases=[
        case(n=10, power=1, result=55, origin="Python 3.11, exact integers"),
        case(n=100, power=5, result=171708332500, origin="Python 3.11, exact integers"),
        case(n=7, power=0, result=7, origin="Python 3.11, exact integers"),
        case(n=22, power=0, result=22, origin="sympy 1.14.0, sympy.summation"),
    ],
)
def power_sum(n, power):
    """Sum of a whole power of the numbers from 1 to n, by Faulhaber's formula."""
    total = fmpq(0)
    for j in range(power + 1):
        total += fmpq_binomial(power + 1, j) * fmpq.bernoulli(j) * (-1) ** j * fmpq(n) ** (power + 1 - j)
    return int((total / (power + 1)).p)


def fmpq_binomial(n, k):
    """Return a binomial coefficient as a rational."""
    return fmpq(comb(n, k))


@capability(
    "calculus.partial_fractions",
    tier="certified",
    source="graham1994, sec. 7.3",
    params={
        "numerator": P("float64[m]", about="coefficients of the numerator from the constant up, of a smaller degree"),
        "poles": P("float64[n]", about="distinct poles of the monic denominator"),
    },
    result=R("float64[n]", about="residue at each pole"),
    limit={"m": 60, "n": 60},
    requires=["len(numerator) <= len(poles)"],
    cases=[
        case(numerator=[1.0], poles=[1.0, 2.0], result=[-1.0, 1.0], origin="by hand"),
        case(
            numerator=[3.0, 1.0],
            poles=[0.0, -1.0, 2.0],
            result=[-1.5, 0.6666666666666666, 0.8333333333333334],
            origin="by hand",
        ),
        case(numerator=[1.0, 0.0], poles=[1.0, 1.0], error="domain_error", origin="by hand"),
        case(
            numerator=[3.0, 1.0],
            poles=[-1.5, 0.5, 5.0],
            result=[0.11538461538461539, -0.3888888888888889, 0.27350427350427353],
            within=1e-14,
            origin="sympy 1.14.0, sympy.residue",
        ),
    ],
)
def partial_fractions(numerator, poles):
    """Residues of a rational function at simple poles: its partial fractions."""
    polynomial, nodes, found = exact_polynomial(numerator), column(rational(poles)), []
    for a in nodes:
        product = fmpq(1)
        for b in (b for place, b in enumerate(nodes) if nodes[place] is not a):
            product *= a - b
        if product == 0:
            raise DomainError("poles", float(a), "distinct poles")
        found.append(polynomial(a) / product)
    return found


@capability(
    "calculus.power_sum_real",
    tier="certified",
    version=2,
    source="dlmf, 25.11.1",
    params={
        "exponent": P("float64", about="exponent", domain="[-50, 50]"),
        "n": P("int", about="number of terms", domain="[1, 1000000000000]"),
    },
    result=R("float64", about="sum of the powers"),
    cases=[
        case(exponent=-1.0, n=1000000, result=14.392726722865724, origin="mpmath 1.4.1, mpmath.harmonic"),
        case(exponent=0.5, n=10, result=22.4682781862041, origin="mpmath 1.4.1, 50 digits"),
        case(exponent=-2.0, n=100, result=1.634983900184893, origin="mpmath 1.4.1, 50 digits"),
        case(exponent=-1.5, n=1000000, result=2.6103753491854884, origin="mpmath 1.4.1, 50 digits"),
        case(exponent=0.938, n=8, result=32.51995287995234, within=1e-14, origin="mpmath 1.3.0, mpmath.fsum"),
    ],
)
def power_sum_real(exponent, n):
    """Sum of a real power of the whole numbers up to n, through the zeta function; of -1 the harmonic number."""
    if n <= 500:
        return sum((arb(k) ** arb(exponent) for k in range(1, n + 1)), arb(0))
    if exponent == -1:  # a harmonic number, where the zeta function has its pole
        return arb(n + 1).digamma() + arb.const_euler()
    s = acb(-arb(exponent))
    return (s.zeta() - s.zeta(acb(n + 1))).real
