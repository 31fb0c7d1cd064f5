"""Complex numbers by their real and imaginary parts: both parts of every result are the nearest doubles."""

from flint import acb, arb, fmpq
from service_nb_kernels.certified.linalg import root_of
from service_nb_kernels.certified.polynomials import rational
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.elementary.pi_multiples import cosine, sine

MP, EXACT = "mpmath 1.4.1, 50 digits", "exact fractions, Python 3.11 fractions"
SQRT, EXP, LOG, SIN = (f"mpmath 1.3.0, mpmath.{name}" for name in ("sqrt", "exp", "log", "sin"))
COS, GAMMA, ZETA, POWER = (f"mpmath 1.3.0, mpmath.{name}" for name in ("cos", "gamma", "zeta", "power"))


def parts(real, imaginary):
    """Return both parts as a record."""
    return {"real": real, "imaginary": imaginary}


def from_ball(ball):
    """Return both parts of a complex ball."""
    return parts(ball.real, ball.imag)


def both(z):
    """Return both parts as rationals."""
    return rational(float(z[0])), rational(float(z[1]))


@capability(
    "complex_numbers.multiply",
    tier="certified",
    source="dlmf, 1.9(i)",
    params={
        "z": P("float64[n]", about="first number, as real and imaginary part", min_size=2),
        "w": P("float64[n]", about="second number"),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], w=[3.0, -1.0], result={"real": 5.0, "imaginary": 5.0}, origin="by hand"),
        case(z=[0.1, 0.2], w=[0.3, 0.4], result={"real": -0.05000000000000001, "imaginary": 0.1}, origin=EXACT),
        case(
            z=[-3.13, -4.1],
            w=[3.35, 1.61],
            result={"real": -3.8845, "imaginary": -18.7743},
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.mpc: product",
        ),
    ],
)
def multiply(z, w):
    """Product of two complex numbers, free of cancellation."""
    (a, b), (c, d) = both(z), both(w)
    return parts(a * c - b * d, a * d + b * c)


@capability(
    "complex_numbers.divide",
    tier="certified",
    source="dlmf, 1.9(i)",
    params={
        "z": P("float64[n]", about="dividend, as real and imaginary part", min_size=2),
        "w": P("float64[n]", about="divisor"),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], w=[3.0, -1.0], result={"real": 0.1, "imaginary": 0.7}, origin="by hand"),
        case(z=[1e300, 1e-300], w=[1e300, 1e300], result={"real": 0.5, "imaginary": -0.5}, origin=EXACT),
        case(z=[1.0, 0.0], w=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            z=[2.09, 0.476],
            w=[-1.2, -0.685],
            result={"real": -1.4844033573832314, "imaginary": 0.45068024983959465},
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.mpc: quotient",
        ),
    ],
)
def divide(z, w):
    """Quotient of two complex numbers, free of overflow and cancellation."""
    (a, b), (c, d) = both(z), both(w)
    square = c * c + d * d
    if square == 0:
        raise DomainError("w", 0, "a number other than zero")
    return parts((a * c + b * d) / square, (b * c - a * d) / square)


@capability(
    "complex_numbers.modulus",
    tier="certified",
    source="dlmf, 1.9(i)",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", min_size=2),
    },
    result=R("float64", about="absolute value"),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result=2.23606797749979, origin="mpmath 1.4.1, 50 digits"),
        case(z=[-0.1, 0.7], result=0.7071067811865475, origin="mpmath 1.4.1, 50 digits"),
        case(z=[3.0, 4.0], result=5.0, origin="by hand"),
        case(z=[-2.35, -2.18], result=3.205448486561592, within=1e-14, origin="mpmath 1.3.0, mpmath.fabs"),
    ],
)
def modulus(z):
    """Absolute value of a complex number."""
    a, b = both(z)
    return root_of(a * a + b * b)


@capability(
    "complex_numbers.polar",
    tier="certified",
    source="dlmf, 1.9(i)",
    params={
        "z": P("float64[n]", about="number other than zero, as real and imaginary part", min_size=2),
    },
    result=R(
        fields={
            "modulus": R("float64", about="absolute value"),
            "argument": R("float64", about="angle, above -pi and up to pi", unit="rad"),
        }
    ),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"modulus": 2.23606797749979, "argument": 1.1071487177940904}, origin=MP),
        case(z=[-1.0, 0.0], result={"modulus": 1.0, "argument": 3.141592653589793}, origin="mpmath 1.4.1, 50 digits"),
        case(z=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            z=[-4.26, -2.11],
            result={"modulus": 4.753914176760031, "argument": -2.681707961917855},
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.polar",
        ),
    ],
)
def polar(z):
    """Absolute value and angle of a complex number other than zero."""
    a, b = both(z)
    if a == 0 and b == 0:
        raise DomainError("z", 0, "a number other than zero")
    return {"modulus": root_of(a * a + b * b), "argument": fmpq(0) if b == 0 and a > 0 else arb.atan2(arb(b), arb(a))}


@capability(
    "complex_numbers.from_polar",
    tier="certified",
    source="dlmf, 1.9(i)",
    params={
        "modulus": P("float64", about="absolute value", domain="[0, inf)"),
        "argument": P("float64", about="angle", domain="[-1000000, 1000000]", unit="rad"),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    cases=[
        case(modulus=2.0, argument=1.0, result={"real": 1.0806046117362795, "imaginary": 1.682941969615793}, origin=MP),
        case(
            modulus=0.5,
            argument=-2.5,
            result={"real": -0.40057180777346685, "imaginary": -0.2992360720519783},
            origin=MP,
        ),
        case(
            modulus=0.783,
            argument=1.77,
            result={"real": -0.15494694183893237, "imaginary": 0.7675157621930396},
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.rect",
        ),
    ],
)
def from_polar(modulus, argument):
    """Complex number with a given absolute value and angle."""
    sine, cosine = arb(argument).sin_cos()
    return parts(modulus * cosine, modulus * sine)


@capability(
    "complex_numbers.sqrt",
    tier="certified",
    source="dlmf, 4.2(iv)",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", min_size=2),
    },
    result=R(
        fields={
            "real": R("float64", about="real part, not negative"),
            "imaginary": R("float64", about="imaginary part"),
        }
    ),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"real": 1.272019649514069, "imaginary": 0.7861513777574233}, origin=MP),
        case(z=[-4.0, 0.0], result={"real": 0.0, "imaginary": 2.0}, origin="by hand"),
        case(z=[3.0, -4.0], result={"real": 2.0, "imaginary": -1.0}, origin="by hand"),
        case(
            z=[4.03, 4.86],
            result={"real": 2.2741500879195895, "imaginary": 1.068531058221836},
            within=1e-14,
            origin=SQRT,
        ),
    ],
)
def square_root(z):
    """Principal square root of a complex number."""
    a, b = both(z)
    if b == 0:
        return parts(root_of(a), fmpq(0)) if a >= 0 else parts(fmpq(0), root_of(-a))
    return from_ball(acb(arb(a), arb(b)).sqrt())


@capability(
    "complex_numbers.exp",
    tier="certified",
    source="dlmf, 4.2.19",
    params={
        "z": P("float64[n]", about="exponent, as real and imaginary part", domain="[-1000000, 1000000]", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"real": -1.1312043837568135, "imaginary": 2.4717266720048188}, origin=MP),
        case(
            z=[-0.5, 3.141592653589793],
            result={"real": -0.6065306597126334, "imaginary": 7.42785831001809e-17},
            origin=MP,
        ),
        case(
            z=[-0.229, 2.28],
            result={"real": -0.517941530882393, "imaginary": 0.6035594807428399},
            within=1e-14,
            origin=EXP,
        ),
    ],
)
def exponential(z):
    """Exponential of a complex number."""
    return parts(arb(float(z[0])).exp(), fmpq(0)) if z[1] == 0 else from_ball(acb(float(z[0]), float(z[1])).exp())


@capability(
    "complex_numbers.log",
    tier="certified",
    source="dlmf, 4.2.3",
    params={
        "z": P("float64[n]", about="number other than zero, as real and imaginary part", min_size=2),
    },
    result=R(
        fields={
            "real": R("float64", about="logarithm of the absolute value"),
            "imaginary": R("float64", about="angle in radians, above -pi and up to pi"),
        }
    ),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"real": 0.8047189562170501, "imaginary": 1.1071487177940904}, origin=MP),
        case(z=[-2.0, 0.0], result={"real": 0.6931471805599453, "imaginary": 3.141592653589793}, origin=MP),
        case(z=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            z=[2.77, -4.98],
            result={"real": 1.740209106613246, "imaginary": -1.0631864878638624},
            within=1e-14,
            origin=LOG,
        ),
    ],
)
def logarithm(z):
    """Principal logarithm of a complex number other than zero."""
    a, b = both(z)
    if a == 0 and b == 0:
        raise DomainError("z", 0, "a number other than zero")
    square = a * a + b * b
    angle = fmpq(0) if b == 0 and a > 0 else arb.atan2(arb(b), arb(a))
    return parts(fmpq(0) if square == 1 else arb(square).log() / 2, angle)


@capability(
    "complex_numbers.power",
    tier="certified",
    source="dlmf, 4.2.26",
    params={
        "z": P("float64[n]", about="base other than zero, as real and imaginary part", min_size=2),
        "w": P("float64[n]", about="exponent", domain="[-10000, 10000]"),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(
            z=[1.0, 2.0], w=[0.5, 0.25], result={"real": 0.8259032269525078, "imaginary": 0.7767752634267687}, origin=MP
        ),
        case(
            z=[-1.5, 0.5], w=[2.5, -1.0], result={"real": 50.24528227492292, "imaginary": 15.999408454257937}, origin=MP
        ),
        case(z=[0.0, 1.0], w=[2.0, 0.0], result={"real": -1.0, "imaginary": 0.0}, origin="by hand"),
        case(
            z=[2.0, 4.81],
            w=[2.63, 2.68],
            result={"real": 1.0804702021167225, "imaginary": 3.0938800403981466},
            within=1e-14,
            origin=POWER,
        ),
    ],
)
def power(z, w):
    """Principal power of a complex number; whole powers are exact."""
    a, b = both(z)
    if a == 0 and b == 0:
        raise DomainError("z", 0, "a number other than zero")
    if w[1] == 0 and w[0] == int(w[0]) and abs(w[0]) <= 1000:
        return whole_power(a, b, int(w[0]))
    return from_ball((acb(arb(a), arb(b)).log() * acb(float(w[0]), float(w[1]))).exp())


def whole_power(a, b, exponent):
    """Return a whole power exactly."""
    real, imaginary = fmpq(1), fmpq(0)
    for _ in range(abs(exponent)):
        real, imaginary = real * a - imaginary * b, real * b + imaginary * a
    if exponent < 0:
        square = real * real + imaginary * imaginary
        real, imaginary = real / square, -imaginary / square
    return parts(real, imaginary)


@capability(
    "complex_numbers.nth_roots",
    tier="certified",
    source="dlmf, 1.11(iv)",
    params={
        "z": P("float64[k]", about="number other than zero, as real and imaginary part", min_size=2),
        "degree": P("int", about="degree", domain="[1, 100]"),
    },
    result=R("float64[n,m]", about="real and imaginary part of each root, by ascending angle from the principal one"),
    limit={"k": 2},
    cases=[
        case(
            z=[0.0, 1.0],
            degree=3,
            result=[[0.8660254037844386, 0.5], [-0.8660254037844386, 0.5], [0.0, -1.0]],
            origin=MP,
        ),
        case(z=[16.0, 0.0], degree=4, result=[[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0], [0.0, -2.0]], origin="by hand"),
        case(
            z=[1.0, 2.0],
            degree=5,
            result=[
                [1.1459399633250587, 0.2579753126091295],
                [0.10876582110065519, 1.169572425128737],
                [-1.0787189890705633, 0.4648601984250716],
                [-0.7754508206561896, -0.8822730224850224],
                [0.599464025301039, -1.0101349136779156],
            ],
            origin=MP,
        ),
        case(
            z=[-3.93, 4.64],
            degree=2,
            result=[[1.0369826618452769, 2.237260163898628], [-1.0369826618452769, -2.237260163898628]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.root",
        ),
    ],
)
def nth_roots(z, degree):
    """All roots of a degree of a complex number other than zero."""
    a, b = both(z)
    if a == 0 and b == 0:
        raise DomainError("z", 0, "a number other than zero")
    eighths = axis_angle(a, b)
    if eighths is None:
        principal = (acb(arb(a), arb(b)).log() / degree).exp()
        roots = [principal * acb(fmpq(2 * k, degree)).exp_pi_i() for k in range(degree)]
        return [[root.real, root.imag] for root in roots]
    square = a * a + b * b
    length = arb(square).log() / (2 * degree)
    turns = [(fmpq(eighths, 4) + 2 * k) / degree for k in range(degree)]  # in half turns
    return [[scaled(cosine(turn), length), scaled(sine(turn), length)] for turn in turns]


def axis_angle(a, b):
    """Return the angle in eighths of a turn, if it is such a multiple."""
    table = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (-1, 1): 3, (-1, 0): 4, (-1, -1): -3, (0, -1): -2, (1, -1): -1}
    if a and b and abs(a) != abs(b):
        return None
    return table[(a > 0) - (a < 0), (b > 0) - (b < 0)]


def scaled(factor, logarithm):
    """Return a factor times the exponential of a logarithm; zero stays exact."""
    return fmpq(0) if isinstance(factor, fmpq) and factor == 0 else logarithm.exp() * arb(factor)


@capability(
    "complex_numbers.moebius_transform",
    tier="certified",
    version=2,
    source="ahlfors1979, sec. 3.3",
    params={
        "matrix": P("float64[m,k]", about="a, b, c, d, one complex number a row, with a d other than b c", min_size=4),
        "z": P("float64[k]", about="number, as real and imaginary part", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"m": 4, "k": 2},
    cases=[
        case(
            matrix=[[1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]],
            z=[0.0, 1.0],
            result={"real": 0.0, "imaginary": 0.0},
            origin="by hand: Cayley's transform of i",
        ),
        case(
            matrix=[[1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]],
            z=[1.0, 1.0],
            result={"real": 0.2, "imaginary": -0.4},
            origin="by hand",
        ),
        case(
            matrix=[[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]],
            z=[1.0, 0.0],
            error="domain_error",
            origin="by hand: a pole",
        ),
        case(
            matrix=[[1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [4.0, 0.0]],
            z=[1.0, 0.0],
            error="domain_error",
            origin="by hand: a constant",
        ),
    ],
)
def moebius_transform(matrix, z):
    """Image of a complex number under a fractional linear map (a z + b) / (c z + d)."""
    (x, y), ((a, e), (b, f), (c, g), (d, h)) = both(z), (both(row) for row in matrix)
    if a * d - e * h == b * c - f * g and a * h + e * d == b * g + f * c:
        raise DomainError("matrix", None, "coefficients with a d other than b c, else the map is constant")
    p, q = a * x - e * y + b, a * y + e * x + f
    r, s = c * x - g * y + d, c * y + g * x + h
    square = r * r + s * s
    if square == 0:
        raise DomainError("z", z.tolist(), "a number that the map does not send to infinity")
    return parts((p * r + q * s) / square, (q * r - p * s) / square)


@capability(
    "complex_numbers.sin",
    tier="certified",
    version=2,
    source="dlmf, 4.21.37",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", domain="[-1000000, 1000000]", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"real": 3.165778513216168, "imaginary": 1.9596010414216058}, origin=MP),
        case(z=[-0.5, 0.25], result={"real": -0.494485780933195, "imaginary": 0.22168816414957482}, origin=MP),
        case(
            z=[-0.604, 2.22],
            result={"real": -2.6454441670738733, "imaginary": 3.744444498054895},
            within=1e-14,
            origin=SIN,
        ),
    ],
)
def sin(z):
    """Sine of a complex number, by its real and imaginary parts."""
    a, b = arb(float(z[0])), arb(float(z[1]))
    return parts(a.sin() * b.cosh(), a.cos() * b.sinh())


@capability(
    "complex_numbers.cos",
    tier="certified",
    version=2,
    source="dlmf, 4.21.38",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", domain="[-1000000, 1000000]", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[1.0, 2.0], result={"real": 2.0327230070196656, "imaginary": -3.0518977991518}, origin=MP),
        case(z=[-0.5, 0.25], result={"real": 0.9051501505596067, "imaginary": 0.12110879604381165}, origin=MP),
        case(
            z=[2.34, 0.355],
            result={"real": -0.7398547463073328, "imaginary": -0.26044607793856045},
            within=1e-14,
            origin=COS,
        ),
    ],
)
def cos(z):
    """Cosine of a complex number, by its real and imaginary parts."""
    a, b = arb(float(z[0])), arb(float(z[1]))
    return parts(a.cos() * b.cosh(), -(a.sin() * b.sinh()))


@capability(
    "complex_numbers.gamma",
    tier="certified",
    version=3,
    source="dlmf, 5.2.1",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", domain="[-200, 200]", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[-1.5, 0.0], result={"real": 2.363271801207355, "imaginary": 0.0}, origin="mpmath 1.4.1, mpmath.gamma"),
        case(z=[-2.0, 0.0], error="domain_error", origin="by hand: a pole"),
        case(z=[1.0, 2.0], result={"real": 0.15190400267003615, "imaginary": 0.01980488016185498}, origin=MP),
        case(z=[-0.5, 0.25], result={"real": -2.7547269757896258, "imaginary": -0.03100041637541339}, origin=MP),
        case(
            z=[-1.33, -1.02],
            result={"real": 0.09956398880748907, "imaginary": -0.261475964137854},
            within=1e-14,
            origin=GAMMA,
        ),
    ],
)
def gamma(z):
    """Gamma function of a complex number, by its real and imaginary parts."""
    if z[1] == 0:
        if z[0] <= 0 and z[0] == int(z[0]):
            raise DomainError("z", z.tolist(), "a number that is no pole, thus no whole number of 0 or less")
        return parts(arb(float(z[0])).gamma(), fmpq(0))
    return from_ball(acb(float(z[0]), float(z[1])).gamma())


@capability(
    "complex_numbers.zeta",
    tier="certified",
    version=3,
    source="dlmf, 25.2.1",
    params={
        "z": P("float64[n]", about="number, as real and imaginary part", domain="[-10000, 10000]", min_size=2),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    limit={"n": 2},
    cases=[
        case(z=[-4.0, 0.0], result={"real": 0.0, "imaginary": 0.0}, origin="mpmath 1.4.1, mpmath.zeta"),
        case(z=[2.0, 0.0], result={"real": 1.6449340668482264, "imaginary": 0.0}, origin="mpmath 1.4.1, mpmath.zeta"),
        case(z=[1.0, 0.0], error="domain_error", origin="by hand: the pole"),
        case(z=[0.5, 14.0], result={"real": 0.02224114260999359, "imaginary": -0.10325812326645006}, origin=MP),
        case(z=[2.0, 3.0], result={"real": 0.7980219851462758, "imaginary": -0.1137443080529385}, origin=MP),
        case(
            z=[-1.45, 4.3],
            result={"real": 0.29367484080712375, "imaginary": 0.31827820314163846},
            within=1e-14,
            origin=ZETA,
        ),
    ],
)
def zeta(z):
    """Riemann zeta function of a complex number, by its real and imaginary parts."""
    if z[1] == 0:
        if z[0] == 1:
            raise DomainError("z", z.tolist(), "a number other than one")
        return parts(fmpq(0) if z[0] < 0 and z[0] % 2 == 0 else arb(float(z[0])).zeta(), fmpq(0))
    return from_ball(acb(float(z[0]), float(z[1])).zeta())
