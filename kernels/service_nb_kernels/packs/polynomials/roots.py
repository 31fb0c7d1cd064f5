"""Roots of polynomials, certified, and what is known of them without solving."""

from itertools import pairwise

from flint import arb, fmpq, fmpq_poly
from service_nb_kernels.certified.polynomials import (
    complex_roots,
    exact_polynomial,
    ordered_pairs,
    rational,
    real_roots,
)
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.polynomials.exact import monic, nonzero


@capability(
    "polynomials.roots",
    tier="certified",
    source="vonzurgathen2013, sec. 15.6; dlmf, 3.8(iv)",
    keywords=["polynomial roots"],
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
    },
    result=R("float64[k,m]", about="real and imaginary part of each root, by ascending real part"),
    limit={"n": 65},
    cases=[
        case(coefficients=[2.0, -3.0, 1.0], result=[[1.0, 0.0], [2.0, 0.0]], origin="by hand"),
        case(coefficients=[1.0, 0.0, 1.0], result=[[0.0, -1.0], [0.0, 1.0]], origin="by hand"),
        case(
            coefficients=[-2.0, 0.0, 0.0, 1.0],
            result=[
                [-0.6299605249474366, -1.0911236359717214],
                [-0.6299605249474366, 1.0911236359717214],
                [1.2599210498948732, 0.0],
            ],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(coefficients=[1.0, -2.0, 1.0], result=[[1.0, 0.0], [1.0, 0.0]], origin="by hand: a double root"),
        case(
            coefficients=[-3.08, -3.21, 4.41],
            result=[[-0.5475746257833022, 0.0], [1.2754657822458872, 0.0]],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Poly.nroots",
        ),
    ],
)
def roots(coefficients):
    """All complex roots of a polynomial, repeated ones as often as they occur, each part certified."""
    return ordered_pairs(complex_roots(nonzero("coefficients", coefficients)))


@capability(
    "polynomials.real_roots",
    tier="certified",
    source="vonzurgathen2013, sec. 4.6",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
    },
    result=R("float64[k]", about="distinct real roots in ascending order"),
    limit={"n": 65},
    cases=[
        case(
            coefficients=[-2.0, 0.0, 1.0],
            result=[-1.4142135623730951, 1.4142135623730951],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(coefficients=[0.0, -1.0, 0.0, 1.0], result=[-1.0, 0.0, 1.0], origin="by hand"),
        case(coefficients=[1.0, 0.0, 1.0], result=[], origin="by hand"),
        case(coefficients=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            coefficients=[3.0, -4.0, -4.0, 0.5],
            result=[-1.3372915122207965, 0.5081683184088697, 8.829123193811927],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Poly.real_roots",
        ),
    ],
)
def real_roots_of(coefficients):
    """Distinct real roots of a polynomial in ascending order: none is missed, none invented."""
    return [root for root, _ in real_roots(nonzero("coefficients", coefficients))]


@capability(
    "polynomials.count_real_roots",
    tier="certified",
    version=2,
    source="barbeau1989, sec. 5.2",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
        "low": P("float64", about="lower end, excluded"),
        "high": P("float64", about="upper end, included"),
    },
    result=R("int", about="number of distinct real roots"),
    limit={"n": 100},
    requires=["low < high"],
    cases=[
        case(coefficients=[0.0, -1.0, 0.0, 1.0], low=-0.5, high=2.0, result=2, origin="by hand: roots 0 and 1"),
        case(coefficients=[-2.0, 0.0, 1.0], low=1.0, high=2.0, result=1, origin="by hand"),
        case(coefficients=[1.0, 0.0, 1.0], low=-10.0, high=10.0, result=0, origin="by hand"),
        case(coefficients=[-2.0, 5.0, -4.0, 1.0], low=0.0, high=1.0, result=1, origin="by hand: (x - 1)^2 (x - 2)"),
        case(coefficients=[-2.0, 5.0, -4.0, 1.0], low=1.0, high=3.0, result=1, origin="by hand: (x - 1)^2 (x - 2)"),
        case(
            coefficients=[1.0, 0.5, 1.0, -4.0],
            low=-2.16,
            high=1.54,
            result=1,
            origin="sympy 1.14.0, sympy.Poly.count_roots",
        ),
    ],
)
def count_real_roots(coefficients, low, high):
    """Number of distinct real roots of a polynomial in an interval, by Sturm's theorem."""
    first = nonzero("coefficients", coefficients)
    first = first // first.gcd(first.derivative())  # a repeated root at an end would vanish in the whole chain
    chain = [first, first.derivative()]
    while chain[-1] != 0:
        check_deadline()
        chain.append(-_shortest(chain[-2] % chain[-1]))
    return changes(chain, rational(low)) - changes(chain, rational(high))


def _shortest(polynomial):
    """Return a polynomial divided by a positive number, so that its coefficients are the shortest integers."""
    whole = polynomial.numer()
    return fmpq_poly(whole // whole.content()) if whole else polynomial


def changes(chain, x):
    """Return the number of changes of sign along Sturm's chain."""
    signs = []
    for polynomial in chain:
        check_deadline()
        value = polynomial(x)
        if value != 0:
            signs.append(value > 0)
    return sum(a != b for a, b in pairwise(signs))


@capability(
    "polynomials.quadratic_real_roots",
    tier="certified",
    source="dlmf, 1.11(iii)",
    params={
        "a": P("float64", about="coefficient of the square, not zero"),
        "b": P("float64", about="coefficient of x"),
        "c": P("float64", about="constant"),
    },
    result=R(fields={"smaller": R("float64", about="smaller root"), "larger": R("float64", about="larger root")}),
    requires=["a != 0"],
    cases=[
        case(
            a=1.0,
            b=-3.0,
            c=1.0,
            result={"smaller": 0.38196601125010515, "larger": 2.618033988749895},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            a=-0.5,
            b=100000000.0,
            c=0.25,
            result={"smaller": -2.5e-09, "larger": 200000000.0},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(a=1.0, b=2.0, c=0.0, result={"smaller": -2.0, "larger": 0.0}, origin="by hand"),
        case(a=1.0, b=0.0, c=1.0, error="domain_error", origin="by hand"),
        case(
            a=1.93,
            b=7.25,
            c=-0.504,
            result={"smaller": -3.824752961902496, "larger": 0.06827627796467191},
            within=1e-14,
            origin="sympy 1.14.0, sympy.real_roots",
        ),
    ],
)
def quadratic_real_roots(a, b, c):
    """Real roots of a quadratic equation, free of cancellation; a double root comes twice."""
    roots_ = [root for root, many in real_roots(exact_polynomial([c, b, a])) for _ in range(many)]
    if not roots_:
        raise DomainError("b", b, "b^2 of 4 a c or more, for real roots")
    return {"smaller": roots_[0], "larger": roots_[1]}


@capability(
    "polynomials.newton_sums",
    tier="certified",
    source="barbeau1989, sec. 1.5",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
        "count": P("int", about="how many sums", domain="[1, 200]"),
    },
    result=R("float64[k]", about="sums of the powers 1, 2, ... of the roots"),
    limit={"n": 60},
    cases=[
        case(coefficients=[2.0, -3.0, 1.0], count=3, result=[3.0, 5.0, 9.0], origin="by hand: roots 1 and 2"),
        case(coefficients=[1.0, 0.0, 1.0], count=4, result=[0.0, -2.0, 0.0, 2.0], origin="by hand: roots i and -i"),
        case(
            coefficients=[3.68, 3.17, 1.54, 4.53, 3.31],
            count=5,
            result=[
                -1.3685800604229608,
                0.9424977866211518,
                -3.526254284091377,
                1.2510223888453624,
                0.5474189772805659,
            ],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Poly.nroots: sums of powers",
        ),
    ],
)
def newton_sums(coefficients, count):
    """Sums of the powers of all roots of a polynomial, by Newton's identities."""
    descending = monic(nonzero("coefficients", coefficients)).coeffs()[::-1]
    degree, sums = len(descending) - 1, []
    for k in range(1, count + 1):
        own = k * descending[k] if k <= degree else fmpq(0)
        sums.append(-own - sum((descending[j] * sums[k - j - 1] for j in range(1, min(k - 1, degree) + 1)), fmpq(0)))
    return sums


@capability(
    "polynomials.is_stable",
    tier="certified",
    source="marden1966, sec. 40",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
    },
    result=R("bool", about="whether all roots have a negative real part; true of a constant, which has none"),
    limit={"n": 60},
    cases=[
        case(coefficients=[2.0, 3.0, 1.0], result=True, origin="by hand: roots -1 and -2"),
        case(coefficients=[1.0, 0.0, 1.0], result=False, origin="by hand: roots on the axis"),
        case(coefficients=[8.0, 2.0, 1.0, 1.0], result=False, origin="by hand: Routh, 1 * 2 < 8"),
        case(
            coefficients=[1.67, 4.92, 1.37], result=True, origin="sympy 1.14.0, sympy.Poly.nroots: real parts below 0"
        ),
    ],
)
def is_stable(coefficients):
    """Whether all roots of a polynomial lie in the left half plane: the criterion of Routh and Hurwitz."""
    polynomial = nonzero("coefficients", coefficients)
    return all(bool(arb(real) < 0) for real, _, _ in complex_roots(polynomial))


@capability(
    "polynomials.cauchy_root_bound",
    tier="certified",
    source="marden1966, thm. 27.2",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
    },
    result=R(
        "float64",
        about="bound on the absolute values: 1 and the greatest ratio of another coefficient to the leading one",
    ),
    cases=[
        case(coefficients=[2.0, -3.0, 1.0], result=4.0, origin="exact fractions, Python 3.11 fractions"),
        case(coefficients=[0.1, 0.7, 0.3], result=3.3333333333333335, origin="exact fractions, Python 3.11 fractions"),
    ],
)
def cauchy_root_bound(coefficients):
    """Cauchy's bound: no root of the polynomial is larger in absolute value."""
    terms = nonzero("coefficients", coefficients).coeffs()
    return 1 + max((abs(c / terms[-1]) for c in terms[:-1]), default=fmpq(0))
