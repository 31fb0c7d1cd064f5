"""Polynomials with the coefficients given from the constant one up: exact arithmetic."""

from math import factorial

from flint import fmpq, fmpq_poly, fmpz_poly
from service_nb_kernels.certified.polynomials import (
    exact_polynomial,
    rational,
)
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def listed(polynomial):
    """Return the coefficients; of the zero polynomial, its one zero."""
    return polynomial.coeffs() or [fmpq(0)]


def nonzero(name, coefficients):
    """Return a polynomial that is not zero."""
    polynomial = exact_polynomial(coefficients)
    if polynomial == 0:
        raise DomainError(name, 0, "a polynomial that is not zero")
    return polynomial


def monic(polynomial):
    """Return a polynomial divided by its leading coefficient."""
    return polynomial / polynomial.leading_coefficient() if polynomial != 0 else polynomial


@capability(
    "polynomials.evaluate",
    tier="certified",
    source="barbeau1989, sec. 1.3",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
        "x": P("float64", about="argument"),
    },
    result=R("float64", about="value"),
    limit={"n": 1000},
    cases=[
        case(coefficients=[1.0, -2.0, 3.0], x=0.1, result=0.83, origin="exact fractions, Python 3.11 fractions"),
        case(
            coefficients=[-1.0, 3.0, -3.0, 1.0],
            x=1.0000001,
            result=1.0000000017516016e-21,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            coefficients=[0.6, 1.09, -0.339],
            x=2.51,
            result=1.2001661000000001,
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyval",
        ),
    ],
)
def evaluate(coefficients, x):
    """Value of a polynomial, exact before it is rounded once: no cancellation near a root."""
    return exact_polynomial(coefficients)(rational(x))


@capability(
    "polynomials.evaluate_many",
    tier="certified",
    source="barbeau1989, sec. 1.3",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
        "points": P("float64[m]", about="arguments"),
    },
    result=R("float64[m]", about="values"),
    limit={"n": 200, "m": 5000},
    cases=[
        case(
            coefficients=[1.0, -2.0, 3.0],
            points=[0.1, 0.2],
            result=[0.83, 0.72],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            coefficients=[0.5, 0.1],
            points=[1.0, -1.0, 0.3],
            result=[0.6, 0.4, 0.53],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            coefficients=[-2.62, -0.262, -0.666, 1.9, -2.28, -1.76],
            points=[2.26, -4.96, -3.29, 4.49],
            result=[-147.92737379097596, 3653.997041022976, 334.6541489994241, -3983.666278478624],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyval",
        ),
    ],
)
def evaluate_many(coefficients, points):
    """Values of a polynomial at several points, each rounded once."""
    polynomial = exact_polynomial(coefficients)
    values = []
    for x in points:
        check_deadline()
        values.append(polynomial(rational(x)))
    return values


@capability(
    "polynomials.add",
    tier="certified",
    source="barbeau1989, sec. 1.2",
    params={
        "a": P("float64[m]", about="coefficients from the constant up"),
        "b": P("float64[n]", about="coefficients from the constant up"),
    },
    result=R("float64[k]", about="coefficients of the sum"),
    limit={"m": 10000, "n": 10000},
    cases=[
        case(a=[1.0, 2.0], b=[3.0, 4.0, 5.0], result=[4.0, 6.0, 5.0], origin="by hand"),
        case(a=[1.0, 2.0], b=[0.5, -2.0], result=[1.5], origin="by hand: the leading terms cancel"),
        case(
            a=[-4.24, -0.309, -1.87],
            b=[1.85, 3.15, -2.8],
            result=[-2.39, 2.8409999999999997, -4.67],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyadd",
        ),
    ],
)
def add(a, b):
    """Sum of two polynomials, without leading zeros."""
    return listed(exact_polynomial(a) + exact_polynomial(b))


@capability(
    "polynomials.multiply",
    tier="certified",
    source="vonzurgathen2013, sec. 2.3",
    params={
        "a": P("float64[m]", about="coefficients from the constant up"),
        "b": P("float64[n]", about="coefficients from the constant up"),
    },
    result=R("float64[k]", about="coefficients of the product"),
    limit={"m": 5000, "n": 5000},
    cases=[
        case(a=[1.0, 2.0], b=[3.0, 4.0, 5.0], result=[3.0, 10.0, 13.0, 10.0], origin="by hand"),
        case(a=[0.1, 0.2], b=[0.3, 0.4], result=[0.03, 0.1, 0.08000000000000002], origin="by hand"),
        case(
            a=[0.39, -2.93, 2.88, -4.3, 1.74],
            b=[-1.48, -2.17, -1.26, 3.62, -0.00268, -2.55],
            result=[
                -0.5772,
                3.4901000000000004,
                1.6043000000000007,
                5.218000000000001,
                -7.480645200000001,
                11.0811524,
                -10.2946184,
                -1.0336759999999996,
                10.960336799999999,
                -4.436999999999999,
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polymul",
        ),
    ],
)
def multiply(a, b):
    """Product of two polynomials, every coefficient rounded once: an exact convolution."""
    return listed(exact_polynomial(a) * exact_polynomial(b))


@capability(
    "polynomials.divide",
    tier="certified",
    source="vonzurgathen2013, sec. 2.4",
    params={
        "a": P("float64[m]", about="coefficients of the dividend from the constant up"),
        "b": P("float64[n]", about="coefficients of the divisor from the constant up"),
    },
    result=R(
        fields={
            "quotient": R("float64[k]", about="coefficients of the quotient"),
            "remainder": R("float64[k]", about="coefficients of the remainder"),
        }
    ),
    limit={"m": 500, "n": 500},
    cases=[
        case(
            a=[-4.0, 0.0, -2.0, 1.0],
            b=[-3.0, 1.0],
            result={"quotient": [3.0, 1.0, 1.0], "remainder": [5.0]},
            origin="by hand",
        ),
        case(a=[1.0, 2.0, 1.0], b=[1.0, 1.0], result={"quotient": [1.0, 1.0], "remainder": [0.0]}, origin="by hand"),
        case(a=[1.0], b=[0.0], error="domain_error", origin="by hand"),
        case(
            a=[0.5, -2.0, 0.5],
            b=[2.0, 1.0, -1.0],
            result={"quotient": [-0.5], "remainder": [1.5, -1.5]},
            within=1e-14,
            origin="sympy 1.14.0, sympy.div",
        ),
    ],
)
def divide(a, b):
    """Quotient and remainder of two polynomials, by exact long division."""
    quotient, remainder = divmod(exact_polynomial(a), nonzero("b", b))
    return {"quotient": listed(quotient), "remainder": listed(remainder)}


@capability(
    "polynomials.greatest_common_divisor",
    tier="certified",
    source="vonzurgathen2013, alg. 3.14",
    params={
        "a": P("float64[m]", about="coefficients from the constant up"),
        "b": P("float64[n]", about="coefficients from the constant up"),
    },
    result=R("float64[k]", about="coefficients of the divisor, the last is 1; of two zero polynomials, 0"),
    limit={"m": 100, "n": 100},
    cases=[
        case(a=[-1.0, 0.0, 1.0], b=[1.0, -2.0, 1.0], result=[-1.0, 1.0], origin="by hand"),
        case(a=[1.0, 1.0], b=[2.0, 1.0], result=[1.0], origin="by hand"),
        case(
            a=[-2.0, 1.0, -2.0, 3.0, 0.5],
            b=[-1.0, 0.5],
            result=[1.0],
            within=1e-14,
            origin="sympy 1.14.0, sympy.gcd: monic",
        ),
    ],
)
def greatest_common_divisor(a, b):
    """Monic greatest common divisor of two polynomials, exactly."""
    return listed(monic(exact_polynomial(a).gcd(exact_polynomial(b))))


@capability(
    "polynomials.derivative",
    tier="certified",
    source="barbeau1989, sec. 2.1",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
        "order": P("int", about="order of the derivative", domain="[1, 1000]"),
    },
    result=R("float64[k]", about="coefficients of the derivative"),
    limit={"n": 5000},
    cases=[
        case(coefficients=[5.0, 3.0, 0.0, 2.0], order=1, result=[3.0, 0.0, 6.0], origin="by hand"),
        case(coefficients=[1.0, 1.0, 1.0, 1.0], order=2, result=[2.0, 6.0], origin="by hand"),
        case(coefficients=[4.0], order=1, result=[0.0], origin="by hand"),
        case(
            coefficients=[4.48, -2.66, -1.38, 3.1],
            order=1,
            result=[-2.66, -2.76, 9.3],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyder",
        ),
    ],
)
def derivative(coefficients, order):
    """Derivative of a polynomial of any order."""
    factor, found = factorial(order) if order < len(coefficients) else 0, []
    for k, coefficient in enumerate(coefficients[order:].tolist(), order):
        check_deadline()
        found.append(rational(coefficient) * factor)
        factor = factor * (k + 1) // (k + 1 - order)
    while len(found) > 1 and found[-1] == 0:
        found.pop()
    return found or [fmpq(0)]


@capability(
    "polynomials.antiderivative",
    tier="certified",
    source="barbeau1989, sec. 2.1",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
    },
    result=R("float64[k]", about="coefficients of the antiderivative, which is zero at zero"),
    limit={"n": 5000},
    cases=[
        case(coefficients=[3.0, 0.0, 6.0], result=[0.0, 3.0, 0.0, 2.0], origin="by hand"),
        case(coefficients=[0.1, 0.1, 0.1], result=[0.0, 0.1, 0.05, 0.03333333333333333], origin="by hand"),
        case(
            coefficients=[2.62, -4.72, 4.85],
            result=[0.0, 2.62, -2.36, 1.6166666666666665],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyint",
        ),
    ],
)
def antiderivative(coefficients):
    """Antiderivative of a polynomial that vanishes at zero."""
    return listed(exact_polynomial(coefficients).integral())


@capability(
    "polynomials.definite_integral",
    tier="certified",
    source="barbeau1989, sec. 2.1",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
        "low": P("float64", about="lower end"),
        "high": P("float64", about="upper end"),
    },
    result=R("float64", about="integral"),
    limit={"n": 1000},
    cases=[
        case(
            coefficients=[0.0, 0.0, 3.0], low=0.0, high=2.0, result=8.0, origin="exact fractions, Python 3.11 fractions"
        ),
        case(
            coefficients=[0.1, 0.2, 0.3],
            low=-0.5,
            high=0.7,
            result=0.1908,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            coefficients=[3.0, 3.0],
            low=-0.955,
            high=0.708,
            result=4.3728584999999995,
            within=1e-14,
            origin="sympy 1.14.0, sympy.integrate",
        ),
    ],
)
def definite_integral(coefficients, low, high):
    """Integral of a polynomial between two points, rounded once."""
    primitive = exact_polynomial(coefficients).integral()
    return primitive(rational(high)) - primitive(rational(low))


@capability(
    "polynomials.discriminant",
    tier="certified",
    version=2,
    source="cohen1993, def. 3.3.3",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=3),
    },
    result=R("float64", about="discriminant"),
    limit={"n": 60},
    cases=[
        case(coefficients=[1.0, -3.0, 2.0], result=1.0, origin="sympy 1.14.0, sympy.discriminant"),
        case(
            coefficients=[0.1, 0.2, 0.3, 0.4], result=-0.020000000000000007, origin="sympy 1.14.0, sympy.discriminant"
        ),
        case(coefficients=[1.0, -2.0, 1.0], result=0.0, origin="by hand: a double root"),
    ],
)
def discriminant(coefficients):
    """Discriminant of a polynomial, which is zero just for a repeated root."""
    polynomial = nonzero("coefficients", coefficients)
    if polynomial.degree() < 1:
        raise DomainError("coefficients", None, "a polynomial that is not constant")
    return polynomial.discriminant()


@capability(
    "polynomials.resultant",
    tier="certified",
    source="cohen1993, def. 3.3.2",
    params={
        "a": P("float64[m]", about="coefficients from the constant up", min_size=2),
        "b": P("float64[n]", about="coefficients from the constant up", min_size=2),
    },
    result=R("float64", about="resultant"),
    limit={"m": 60, "n": 60},
    cases=[
        case(a=[-1.0, 0.0, 1.0], b=[-4.0, 0.0, 1.0], result=9.0, origin="sympy 1.14.0, sympy.resultant"),
        case(a=[0.1, 0.2, 0.3], b=[0.5, 0.7], result=0.05399999999999999, origin="sympy 1.14.0, sympy.resultant"),
        case(a=[-1.0, 1.0], b=[-1.0, 0.0, 1.0], result=0.0, origin="by hand: a common root"),
    ],
)
def resultant(a, b):
    """Resultant of two polynomials, which is zero just for a common root."""
    return nonzero("a", a).resultant(nonzero("b", b))


@capability(
    "polynomials.from_roots",
    tier="certified",
    source="barbeau1989, sec. 1.2",
    params={
        "roots": P("float64[n]", about="real roots"),
    },
    result=R("float64[k]", about="coefficients from the constant up, the last is 1"),
    limit={"n": 200},
    cases=[
        case(roots=[1.0, 2.0, 3.0], result=[-6.0, 11.0, -6.0, 1.0], origin="sympy 1.14.0, exact fractions"),
        case(
            roots=[0.1, 0.2],
            result=[0.020000000000000004, -0.30000000000000004, 1.0],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            roots=[-0.889, 1.39, 2.42],
            result=[2.9904181999999997, -0.023290000000000255, -2.921, 1.0],
            within=1e-14,
            origin="numpy 2.4.6, numpy.polynomial.polynomial.polyfromroots",
        ),
    ],
)
def from_roots(roots):
    """Monic polynomial with given real roots."""
    polynomial = fmpq_poly([1])
    for root in roots:
        polynomial *= fmpq_poly([-rational(root), 1])
    return listed(polynomial)


@capability(
    "polynomials.compose",
    tier="certified",
    source="vonzurgathen2013, sec. 12.2",
    params={
        "outer": P("float64[m]", about="coefficients of the outer polynomial from the constant up"),
        "inner": P("float64[n]", about="coefficients of the inner polynomial from the constant up"),
    },
    result=R("float64[k]", about="coefficients of the composition"),
    limit={"m": 40, "n": 40},
    cases=[
        case(outer=[0.0, 0.0, 1.0], inner=[1.0, 1.0], result=[1.0, 2.0, 1.0], origin="by hand"),
        case(outer=[1.0, 0.5], inner=[2.0, 0.0, 4.0], result=[2.0, 0.0, 2.0], origin="by hand"),
        case(
            outer=[0.0457, -0.551, 1.64],
            inner=[0.0869, 0.1],
            result=[0.010202740399999992, -0.026596800000000007, 0.0164],
            within=1e-14,
            origin="sympy 1.14.0, sympy.compose",
        ),
    ],
)
def compose(outer, inner):
    """Polynomial of a polynomial, expanded."""
    return listed(exact_polynomial(outer)(exact_polynomial(inner)))


@capability(
    "polynomials.taylor_shift",
    tier="certified",
    source="vonzurgathen2013, sec. 9.2",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up"),
        "center": P("float64", about="center of the expansion"),
    },
    result=R("float64[k]", about="coefficients of the powers of x less the center"),
    limit={"n": 300},
    cases=[
        case(coefficients=[1.0, 2.0, 3.0], center=1.0, result=[6.0, 8.0, 3.0], origin="sympy 1.14.0, sympy.Poly.shift"),
        case(
            coefficients=[0.1, 0.2, 0.3, 0.4],
            center=-0.5,
            result=[0.024999999999999994, 0.20000000000000004, -0.30000000000000004, 0.4],
            origin="sympy 1.14.0, sympy.Poly.shift",
        ),
    ],
)
def taylor_shift(coefficients, center):
    """Coefficients of a polynomial about another center."""
    return listed(exact_polynomial(coefficients)(fmpq_poly([rational(center), 1])))


@capability(
    "polynomials.cyclotomic",
    tier="certified",
    source="cohen1993, sec. 4.5",
    params={
        "n": P("int", about="index", domain="[1, 2000]"),
    },
    result=R("int[k]", about="coefficients from the constant up"),
    cases=[
        case(n=6, result=[1, -1, 1], origin="sympy 1.14.0, sympy.cyclotomic_poly"),
        case(n=12, result=[1, 0, -1, 0, 1], origin="sympy 1.14.0, sympy.cyclotomic_poly"),
        case(n=15, result=[1, -1, 0, 1, -1, 1, 0, -1, 1], origin="sympy 1.14.0, sympy.cyclotomic_poly"),
    ],
)
def cyclotomic(n):
    """Coefficients of the cyclotomic polynomial, whose roots are the primitive roots of unity."""
    return [int(c) for c in fmpz_poly.cyclotomic(n).coeffs()]


@capability(
    "polynomials.factor_integer",
    tier="certified",
    source="cohen1993, sec. 3.5",
    params={
        "coefficients": P(
            "int[n]", about="integer coefficients from the constant up", domain="[-1e30, 1e30]", min_size=2
        ),
    },
    result=R(
        fields={
            "content": R("int", about="common divisor, with the sign of the leading term"),
            "factors": R("int[k,m]", about="coefficients of each factor from the constant up, padded with zeros"),
            "exponents": R("int[k]", about="how often each factor occurs"),
        }
    ),
    limit={"n": 60},
    cases=[
        case(
            coefficients=[-1, 0, 1],
            result={"content": 1, "factors": [[-1, 1], [1, 1]], "exponents": [1, 1]},
            origin="by hand",
        ),
        case(coefficients=[2, 4, 2], result={"content": 2, "factors": [[1, 1]], "exponents": [2]}, origin="by hand"),
        case(
            coefficients=[4, 0, 0, 0, 1],
            result={"content": 1, "factors": [[2, -2, 1], [2, 2, 1]], "exponents": [1, 1]},
            origin="by hand: Germain's identity",
        ),
    ],
)
def factor_integer(coefficients):
    """Factors of a polynomial with integer coefficients that do not split any further over the integers."""
    polynomial = fmpz_poly(coefficients)
    if polynomial == 0:
        raise DomainError("coefficients", 0, "a polynomial that is not zero")
    content, found = polynomial.factor()
    pairs = sorted(([int(c) for c in factor.coeffs()], int(many)) for factor, many in found)
    pairs.sort(key=lambda pair: (len(pair[0]), pair[0]))
    width = max((len(factor) for factor, _ in pairs), default=1)
    return {
        "content": content,
        "factors": [factor + [0] * (width - len(factor)) for factor, _ in pairs],
        "exponents": [many for _, many in pairs],
    }
