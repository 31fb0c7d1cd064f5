"""Zeros of Bessel and Airy functions, and the coupling coefficients of angular momenta."""

from fractions import Fraction
from math import factorial

from flint import arb, arb_series, fmpq
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.certified.solve import root
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

STEP = 3  # neighbouring zeros of J and Y are more than 3.06 apart for orders of 0 and more, so a step holds one at most


def nth_zero(function, start, n):
    """Return the n-th zero above a point where none lies below, by counting changes of sign."""
    low, sign, found = start, function(arb(start)) > 0, 0
    while True:
        check_deadline()
        high = low + STEP
        value = function(arb(high))
        if (value > 0) != sign:
            found, sign = found + 1, not sign
            if found == n:
                return root(function, arb(low), arb(high))
        low = high


def doubled(name, values):
    """Return twice each spin as an integer."""
    if any(2 * value != int(2 * value) for value in values):
        raise DomainError(name, values.tolist(), "multiples of one half")
    return [int(2 * value) for value in values]


def signed_root(sign_and_factor, square):
    """Return a rational times the root of a rational, rounded once."""
    factor = Fraction(sign_and_factor)
    if factor == 0 or square == 0:
        return Fraction(0)
    ball = arb(fmpq(square.numerator, square.denominator)).sqrt()
    return ball * arb(fmpq(factor.numerator, factor.denominator))


def triangle(a, b, c):
    """Return the triangle coefficient of three doubled spins, or 0."""
    if c < abs(a - b) or c > a + b or (a + b + c) % 2:
        return Fraction(0)
    parts = factorial((a + b - c) // 2) * factorial((a - b + c) // 2) * factorial((b + c - a) // 2)
    return Fraction(parts, factorial((a + b + c) // 2 + 1))


def three_j(spins, projections):
    """Return (factor, square) of Racah's formula for doubled arguments."""
    (j1, j2, j3), (m1, m2, m3) = spins, projections
    pairs = ((j1, m1), (j2, m2), (j3, m3))
    if m1 + m2 + m3 or any(abs(m) > j or (j + m) % 2 for j, m in pairs):
        return Fraction(0), Fraction(0)
    square = triangle(j1, j2, j3)
    if not square:
        return Fraction(0), Fraction(0)
    for j, m in pairs:
        square *= factorial((j + m) // 2) * factorial((j - m) // 2)
    total = Fraction(0)
    for k in range((j1 + j2 + j3) // 2 + 1):
        parts = [k, (j1 + j2 - j3) // 2 - k, (j1 - m1) // 2 - k, (j2 + m2) // 2 - k]
        parts += [(j3 - j2 + m1) // 2 + k, (j3 - j1 - m2) // 2 + k]
        if min(parts) >= 0:
            product = 1
            for part in parts:
                product *= factorial(part)
            total += Fraction((-1) ** k, product)
    return total * (-1) ** ((j1 - j2 - m3) // 2), square


def six_j(upper, lower):
    """Return (factor, square) of Racah's formula for doubled arguments."""
    (a, b, c), (d, e, f) = upper, lower
    triads = ((a, b, c), (a, e, f), (d, b, f), (d, e, c))
    square = Fraction(1)
    for triad in triads:
        square *= triangle(*triad)
    if not square:
        return Fraction(0), Fraction(0)
    sums = [sum(triad) // 2 for triad in triads]
    quads = [(a + b + d + e) // 2, (b + c + e + f) // 2, (c + a + f + d) // 2]
    total = Fraction(0)
    for k in range(max(sums), min(quads) + 1):
        product = 1
        for part in [k - s for s in sums] + [q - k for q in quads]:
            product *= factorial(part)
        total += Fraction((-1) ** k * factorial(k + 1), product)
    return total, square


@capability(
    "special.bessel_j_zero",
    tier="certified",
    source="dlmf, 10.21(i); watson1944, sec. 15.8",
    params={
        "order": P("float64", about="order", domain="[0, 100]"),
        "n": P("int", about="index, from 1", domain="[1, 1000]"),
    },
    result=R("float64", about="zero"),
    cases=[
        case(order=0.0, n=1, result=2.404825557695773, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.0, n=3, result=10.173468135062722, origin="mpmath 1.4.1, 50 digits"),
        case(order=2.5, n=10, result=34.47048833128499, origin="mpmath 1.4.1, 50 digits"),
        case(order=2.0, n=6, result=21.116997053021844, within=1e-14, origin="scipy 1.17.1, scipy.special.jn_zeros"),
    ],
)
def bessel_j_zero(order, n):
    """Positive zero of the Bessel function of the first kind, counted from the first."""
    return nth_zero(lambda x: x.bessel_j(arb(order)), max(order, 0.0625), n)


@capability(
    "special.bessel_y_zero",
    tier="certified",
    source="dlmf, 10.21(i); watson1944, sec. 15.8",
    params={
        "order": P("float64", about="order", domain="[0, 100]"),
        "n": P("int", about="index, from 1", domain="[1, 1000]"),
    },
    result=R("float64", about="zero"),
    cases=[
        case(order=0.0, n=1, result=0.8935769662791675, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.0, n=3, result=8.596005868331169, origin="mpmath 1.4.1, 50 digits"),
        case(order=2.5, n=10, result=32.895525188224305, origin="mpmath 1.4.1, 50 digits"),
        case(order=5.0, n=2, result=10.597176726782033, within=1e-14, origin="scipy 1.17.1, scipy.special.yn_zeros"),
    ],
)
def bessel_y_zero(order, n):
    """Positive zero of the Bessel function of the second kind, counted from the first."""
    return nth_zero(lambda x: x.bessel_y(arb(order)), max(order, 0.0625), n)


@capability(
    "special.airy_ai_zero",
    tier="certified",
    source="dlmf, 9.9",
    params={
        "n": P("int", about="index, from 1", domain="[1, 1000000]"),
    },
    result=R("float64", about="zero, negative"),
    cases=[
        case(n=1, result=-2.338107410459767, origin="mpmath 1.4.1, 50 digits"),
        case(n=50, result=-38.02100867725525, origin="mpmath 1.4.1, 50 digits"),
        case(n=2, result=-4.08794944, within=1e-8, origin="dlmf, table 9.9.1"),
    ],
)
def airy_ai_zero(n):
    """Zero of the Airy function Ai, counted from the origin."""
    return arb.airy_ai_zero(n)


@capability(
    "special.airy_bi_zero",
    tier="certified",
    source="dlmf, 9.9",
    params={
        "n": P("int", about="index, from 1", domain="[1, 1000000]"),
    },
    result=R("float64", about="zero, negative"),
    cases=[
        case(n=1, result=-1.173713222709128, origin="mpmath 1.4.1, 50 digits"),
        case(n=50, result=-37.7658343816518, origin="mpmath 1.4.1, 50 digits"),
        case(n=6, result=-8.491948846509388, within=1e-14, origin="scipy 1.17.1, scipy.special.bi_zeros"),
    ],
)
def airy_bi_zero(n):
    """Real zero of the Airy function Bi, counted from the origin."""
    return arb.airy_bi_zero(n)


@capability(
    "special.airy_ai_prime",
    tier="certified",
    version=2,
    source="dlmf, 9.2.2",
    params={
        "x": P("float64", about="argument"),
    },
    result=R("float64", about="derivative of Ai"),
    cases=[
        case(x=1.0, result=-0.1591474412967932, origin="mpmath 1.4.1, 50 digits"),
        case(x=-5.5, result=0.8641972177713984, origin="mpmath 1.4.1, 50 digits"),
        case(x=-3.27, result=-0.029765974737219165, within=1e-14, origin="scipy 1.17.1, scipy.special.airy"),
    ],
)
def airy_ai_prime(x):
    """Derivative of the Airy function Ai."""
    return arb(x).airy()[1]


@capability(
    "special.airy_bi_prime",
    tier="certified",
    version=2,
    source="dlmf, 9.2.4",
    params={
        "x": P("float64", about="argument"),
    },
    result=R("float64", about="derivative of Bi"),
    cases=[
        case(x=1.0, result=0.9324359333927756, origin="mpmath 1.4.1, 50 digits"),
        case(x=-5.5, result=0.025111583073630928, origin="mpmath 1.4.1, 50 digits"),
        case(x=-4.1, result=0.043478717931658216, within=1e-13, origin="scipy 1.17.1, scipy.special.airy"),
    ],
)
def airy_bi_prime(x):
    """Derivative of the Airy function Bi."""
    return arb(x).airy()[3]


@capability(
    "special.zeta_derivative",
    tier="certified",
    source="dlmf, 25.2.6",
    params={
        "s": P("float64", about="argument, not one", domain="[-50, 500]"),
    },
    result=R("float64", about="derivative of zeta"),
    requires=["s != 1"],
    cases=[
        case(s=2.0, result=-0.9375482543158438, origin="mpmath 1.4.1, 50 digits"),
        case(s=-0.5, result=-0.3608543395999476, origin="mpmath 1.4.1, 50 digits"),
        case(s=5.08, result=-0.02674348659511775, within=1e-14, origin="mpmath 1.3.0, mpmath.zeta: derivative 1"),
    ],
)
def zeta_derivative(s):
    """Derivative of the Riemann zeta function at a real number."""
    return arb_series([arb(s), arb(1)], prec=2).zeta()[1]


@capability(
    "special.wigner_3j",
    tier="certified",
    source="edmonds1957, eq. 3.7.3",
    params={
        "spins": P("float64[n]", about="the three spins", domain="[0, 100]", min_size=3),
        "projections": P("float64[n]", about="their projections", domain="[-100, 100]", min_size=3),
    },
    result=R("float64", about="Wigner 3j symbol"),
    limit={"n": 3},
    cases=[
        case(
            spins=[2.0, 6.0, 4.0],
            projections=[0.0, 0.0, 0.0],
            result=0.18698939800169143,
            origin="sympy 1.14.0, sympy.physics.wigner.wigner_3j",
        ),
        case(
            spins=[0.5, 1.0, 1.5],
            projections=[0.5, -1.0, 0.5],
            result=-0.28867513459481287,
            origin="sympy 1.14.0, sympy.physics.wigner.wigner_3j",
        ),
        case(spins=[1.0, 1.0, 4.0], projections=[0.0, 0.0, 0.0], result=0.0, origin="by hand: no triangle"),
        case(spins=[1.0, 1.0, 0.3], projections=[0.0, 0.0, 0.0], error="domain_error", origin="by hand"),
    ],
)
def wigner_3j(spins, projections):
    """Wigner's 3j symbol of three spins and their projections."""
    return signed_root(*three_j(doubled("spins", spins), doubled("projections", projections)))


@capability(
    "special.clebsch_gordan",
    tier="certified",
    source="edmonds1957, eq. 3.7.3",
    params={
        "spins": P("float64[n]", about="the two spins and their total", domain="[0, 100]", min_size=3),
        "projections": P("float64[n]", about="the two projections and their total", domain="[-100, 100]", min_size=3),
    },
    result=R("float64", about="Clebsch-Gordan coefficient, in the Condon-Shortley phase"),
    limit={"n": 3},
    cases=[
        case(
            spins=[1.5, 1.0, 1.5],
            projections=[0.5, -1.0, -0.5],
            result=0.7302967433402214,
            origin="sympy 1.14.0, sympy.physics.wigner.clebsch_gordan",
        ),
        case(
            spins=[2.0, 1.0, 3.0],
            projections=[1.0, 0.0, 1.0],
            result=0.7302967433402214,
            origin="sympy 1.14.0, sympy.physics.wigner.clebsch_gordan",
        ),
        case(spins=[0.5, 0.5, 1.0], projections=[0.5, 0.5, 1.0], result=1.0, origin="edmonds1957, table 5.2"),
    ],
)
def clebsch_gordan(spins, projections):
    """Clebsch-Gordan coefficient for the coupling of two spins to a total one."""
    (a, b, c), (alpha, beta, gamma) = doubled("spins", spins), doubled("projections", projections)
    factor, square = three_j((a, b, c), (alpha, beta, -gamma))
    phase = (-1) ** ((a - b + gamma) // 2) if (a - b + gamma) % 2 == 0 else 0
    return signed_root(factor * phase, square * (c + 1))


@capability(
    "special.wigner_6j",
    tier="certified",
    source="edmonds1957, eq. 6.3.7",
    params={
        "upper": P("float64[n]", about="spins of the upper row", domain="[0, 100]", min_size=3),
        "lower": P("float64[n]", about="spins of the lower row", domain="[0, 100]", min_size=3),
    },
    result=R("float64", about="Wigner 6j symbol"),
    limit={"n": 3},
    cases=[
        case(
            upper=[3.0, 3.0, 3.0],
            lower=[3.0, 3.0, 3.0],
            result=-0.07142857142857142,
            origin="sympy 1.14.0, sympy.physics.wigner.wigner_6j",
        ),
        case(
            upper=[0.5, 1.0, 1.5],
            lower=[1.0, 0.5, 1.0],
            result=-0.16666666666666666,
            origin="sympy 1.14.0, sympy.physics.wigner.wigner_6j",
        ),
    ],
)
def wigner_6j(upper, lower):
    """Wigner's 6j symbol, for the recoupling of three spins."""
    return signed_root(*six_j(doubled("upper", upper), doubled("lower", lower)))
