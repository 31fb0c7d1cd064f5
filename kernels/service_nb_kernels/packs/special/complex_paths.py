"""Special functions evaluated through the complex plane: Dawson, Faddeeva, Clausen, Whittaker, Coulomb."""

from fractions import Fraction
from math import comb, factorial

from flint import acb, arb, fmpq, fmpq_poly, fmpz
from service_nb_kernels.declare import P, R, capability, case

HALF = fmpq(1, 2)
WHITTAKER = {
    "k": P("float64", about="first parameter, kappa", domain="[-50, 50]"),
    "mu": P("float64", about="second parameter, mu", domain="[0, 50]"),
    "x": P("float64", about="argument", domain="(0, 1000]"),
}
COULOMB = {
    "l": P("int", about="angular momentum", domain="[0, 100]"),
    "eta": P("float64", about="Sommerfeld parameter, above 0 where the charges repel", domain="[-50, 50]"),
    "rho": P("float64", about="wave number times the radial distance", domain="(0, 10000]"),
}
POLYLOG, LERCHPHI = "mpmath 1.3.0, mpmath.polylog: imaginary part at i x", "mpmath 1.3.0, mpmath.lerchphi"
MP, WOFZ = "mpmath 1.4.1, 50 digits", "scipy 1.17.1, scipy.special.wofz"
HARMONIC, VOIGT = "scipy 1.17.1, scipy.special.sph_harm_y", "scipy 1.17.1, scipy.special.voigt_profile"


def faddeeva_ball(x, y):
    """Return w(x + iy) = exp(-z^2) erfc(-iz)."""
    z = acb(x, y)
    return (-z * z).exp() * acb(y, -arb(x)).erfc()


@capability(
    "special.dawson",
    tier="certified",
    version=2,
    source="dlmf, 7.2.5",
    params={"x": P("float64", about="upper end of the integral")},
    result=R("float64", about="Dawson's integral"),
    cases=[
        case(x=0.5, result=0.4244363835020223, origin="mpmath 1.4.1, 50 digits"),
        case(x=-2.0, result=-0.30134038892379195, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.0, result=0.0, origin="by hand"),
        case(x=-2.39, result=-0.2366156661594488, within=1e-14, origin="scipy 1.17.1, scipy.special.dawsn"),
    ],
)
def dawson(x):
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    ball = arb(x)
    return (
        (-ball * ball).exp() * ball.erfi() * arb.pi().sqrt() / 2
        if abs(x) < 1000
        else faddeeva_ball(x, 0).imag * arb.pi().sqrt() / 2
    )


@capability(
    "special.erfi",
    tier="certified",
    version=2,
    source="dlmf, 7.2.1",
    params={"x": P("float64", about="argument", domain="[-26.7, 26.7]")},
    result=R("float64", about="imaginary error function"),
    cases=[
        case(x=0.5, result=0.614952094696511, origin="mpmath 1.4.1, 50 digits"),
        case(x=-3.0, result=-1629.9946226015657, origin="mpmath 1.4.1, 50 digits"),
        case(x=-4.53, result=-104414822.58978432, within=1e-14, origin="scipy 1.17.1, scipy.special.erfi"),
    ],
)
def erfi(x):
    """Imaginary error function: -i erf(ix)."""
    return arb(x).erfi()


@capability(
    "special.faddeeva",
    tier="certified",
    version=2,
    source="dlmf, 7.2.3",
    params={
        "x": P("float64", about="real part"),
        "y": P("float64", about="imaginary part", domain="[0, inf)"),
    },
    result=R(
        fields={"real": R("float64", about="real part of w"), "imaginary": R("float64", about="imaginary part of w")}
    ),
    cases=[
        case(x=0.5, y=1.0, result={"real": 0.3912340214521361, "imaginary": 0.127202410884648}, origin=MP),
        case(x=-2.0, y=0.1, result={"real": 0.04020139816145129, "imaginary": -0.3315826873345631}, origin=MP),
        case(
            x=1.86,
            y=0.269,
            result={"real": 0.09033264673738581, "imaginary": 0.33728202871872937},
            within=1e-14,
            origin=WOFZ,
        ),
    ],
)
def faddeeva(x, y):
    """Faddeeva function w(z) in the upper half plane, by its real and imaginary parts."""
    value = faddeeva_ball(x, y)
    return {"real": value.real, "imaginary": acb(value).imag if x else Fraction(0)}


@capability(
    "special.voigt_profile",
    tier="certified",
    version=2,
    source="dlmf, 7.19.1; olivero1977, eq. 1",
    params={
        "x": P("float64", about="distance from the line's center", unit="?u"),
        "sigma": P("float64", about="standard deviation of the Gaussian", domain="(0, inf)", unit="?u"),
        "gamma": P("float64", about="half width at half maximum of the Lorentzian", domain="[0, inf)", unit="?u"),
    },
    result=R("float64", about="Voigt profile", unit="1/?u"),
    cases=[
        case(x=0.5, sigma=1.0, gamma=0.75, result=0.22329997256848652, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.0, sigma=0.5, gamma=1.0, result=0.07131216334708113, origin="mpmath 1.4.1, 50 digits"),
        case(x=4.32, sigma=0.606, gamma=1.12, result=0.018883511346511648, within=1e-13, origin=VOIGT),
    ],
)
def voigt_profile(x, sigma, gamma):
    """Voigt line profile: the convolution of a Gaussian with a Lorentzian, of unit area."""
    width = arb(sigma) * arb(2).sqrt()
    return faddeeva_ball(arb(x) / width, arb(gamma) / width).real / (width * arb.pi().sqrt())


@capability(
    "special.hyperbolic_sine_integral",
    tier="certified",
    source="dlmf, 6.2.15",
    params={"x": P("float64", about="upper end of the integral", domain="[-700, 700]")},
    result=R("float64", about="hyperbolic sine integral"),
    cases=[
        case(x=0.5, result=0.5069967498196672, origin="mpmath 1.4.1, 50 digits"),
        case(x=-5.0, result=-20.093211825697228, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.537, result=0.5456777998669824, within=1e-14, origin="scipy 1.17.1, scipy.special.shichi"),
    ],
)
def hyperbolic_sine_integral(x):
    """Hyperbolic sine integral: of sinh(t) / t from 0 to x."""
    return arb(x).shi() if x else Fraction(0)


@capability(
    "special.hyperbolic_cosine_integral",
    tier="certified",
    source="dlmf, 6.2.16",
    params={"x": P("float64", about="argument", domain="(0, 700]")},
    result=R("float64", about="hyperbolic cosine integral"),
    cases=[
        case(x=0.5, result=-0.05277684495649362, origin="mpmath 1.4.1, 50 digits"),
        case(x=5.0, result=20.09206353010595, origin="mpmath 1.4.1, 50 digits"),
        case(x=1.78, result=2.0581835220822304, within=1e-14, origin="scipy 1.17.1, scipy.special.shichi"),
    ],
)
def hyperbolic_cosine_integral(x):
    """Hyperbolic cosine integral Chi(x) of a positive argument."""
    return arb(x).chi()


@capability(
    "special.clausen",
    tier="certified",
    version=2,
    source="lewin1981, eq. 4.1",
    params={"angle": P("float64", about="angle", domain="[-1e15, 1e15]", unit="rad")},
    result=R("float64", about="Clausen integral"),
    cases=[
        case(angle=1.0, result=1.0139591323607684, origin="mpmath 1.4.1, 50 digits"),
        case(angle=4.5, result=-0.8318392208232194, origin="mpmath 1.4.1, 50 digits"),
        case(angle=5.45, result=-0.9933023366219744, within=1e-14, origin="mpmath 1.3.0, mpmath.clsin"),
    ],
)
def clausen(angle):
    """Clausen's integral of order two: the sum of sin(k angle) / k^2."""
    return acb(0, angle).exp().polylog(acb(2)).imag


@capability(
    "special.inverse_tangent_integral",
    tier="certified",
    source="lewin1981, eq. 2.1",
    params={"x": P("float64", about="upper end of the integral", domain="[-1e6, 1e6]")},
    result=R("float64", about="inverse tangent integral"),
    cases=[
        case(x=0.5, result=0.4872223582945224, origin="mpmath 1.4.1, 50 digits"),
        case(x=-3.0, result=-2.0550701160805893, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.0, result=0.0, origin="by hand"),
        case(x=3.04, result=2.071640233122968, within=1e-14, origin=POLYLOG),
    ],
)
def inverse_tangent_integral(x):
    """Inverse tangent integral: of atan(t) / t from 0 to x."""
    return acb(0, x).polylog(acb(2)).imag if x else Fraction(0)


@capability(
    "special.barnes_g",
    tier="certified",
    version=2,
    source="dlmf, 5.17.1; adamchik2001, eq. 1",
    params={"x": P("float64", about="argument", domain="(0, 28]")},
    result=R("float64", about="Barnes G-function"),
    cases=[
        case(x=0.5, result=0.6032442812094462, origin="mpmath 1.4.1, 50 digits"),
        case(x=3.75, result=1.5373585228600015, origin="mpmath 1.4.1, 50 digits"),
        case(x=6.0, result=288.0, origin="dlmf, 5.17.2: 1! 2! 3! 4!"),
    ],
)
def barnes_g(x):
    """Barnes G-function, which multiplies up the gamma function."""
    return acb(x).barnes_g().real


@capability(
    "special.lerch_phi",
    tier="certified",
    source="dlmf, 25.14.1",
    params={
        "z": P("float64", about="argument", domain="(-1, 1)"),
        "s": P("float64", about="exponent", domain="[-10, 50]"),
        "a": P("float64", about="shift", domain="(0, 1000]"),
    },
    result=R("float64", about="Lerch transcendent"),
    cases=[
        case(z=0.5, s=2.0, a=0.75, result=1.9872642978385864, origin="mpmath 1.4.1, 50 digits"),
        case(z=-0.9, s=1.5, a=3.0, result=0.12329081481366452, origin="mpmath 1.4.1, 50 digits"),
        case(z=-0.595, s=0.618, a=4.45, result=0.26137862958896796, within=1e-14, origin=LERCHPHI),
    ],
)
def lerch_phi(z, s, a):
    """Lerch's transcendent: the sum of z^k / (k + a)^s."""
    if s <= 0 and s == int(s):
        return rational_lerch(fmpq(*z.as_integer_ratio()), -int(s), fmpq(*a.as_integer_ratio()))
    return acb.lerch_phi(acb(z), acb(s), acb(a)).real


def rational_lerch(z, power, a):
    """Return the sum of z^k (k + a)^power, through the sums of z^k k^j, by Stirling's numbers of the second kind."""
    total = fmpq(0)
    for j in range(power + 1):
        parts = (int(fmpz.stirling_s2(j, i)) * factorial(i) * z**i / (1 - z) ** (i + 1) for i in range(j + 1))
        total += comb(power, j) * a ** (power - j) * sum(parts, fmpq(0))
    return total


@capability(
    "special.stieltjes_constant",
    tier="certified",
    source="dlmf, 25.2.5",
    params={"n": P("int", about="index, from 0 for Euler's constant", domain="[0, 10000]")},
    result=R("float64", about="Stieltjes constant"),
    cases=[
        case(n=1, result=-0.07281584548367673, origin="mpmath 1.4.1, 50 digits"),
        case(n=10, result=0.0002053328149090648, origin="mpmath 1.4.1, 50 digits"),
        case(n=0, result=0.5772156649015329, origin="dlmf, 5.2.3: Euler's constant"),
    ],
)
def stieltjes_constant(n):
    """Stieltjes constant: (-1)^n n! times a coefficient of the Laurent series of the zeta function at one."""
    return acb.stieltjes(n).real


@capability(
    "special.legendre_q",
    tier="certified",
    version=2,
    source="dlmf, 14.7.2",
    params={
        "n": P("int", about="degree", domain="[0, 1000]"),
        "x": P("float64", about="argument", domain="(-1, 1)"),
    },
    result=R("float64", about="Legendre function of the second kind"),
    cases=[
        case(n=0, x=0.5, result=0.5493061443340549, origin="mpmath 1.4.1, 50 digits"),
        case(n=1, x=0.3, result=-0.9071441187390665, origin="mpmath 1.4.1, 50 digits"),
        case(n=2, x=-0.4, result=0.7101487218503365, origin="mpmath 1.4.1, 50 digits"),
        case(n=7, x=-0.233, result=-0.09066725798112235, within=1e-14, origin="mpmath 1.3.0, mpmath.legenq"),
    ],
)
def legendre_q(n, x):
    """Legendre function of the second kind of a whole degree, between -1 and 1."""
    value = acb(x).legendre_q(n).real
    if x == 0 and n % 2 == 0:  # an odd function
        return Fraction(0)
    return value


@capability(
    "special.associated_legendre",
    tier="certified",
    source="dlmf, 14.6.1",
    params={
        "n": P("int", about="degree", domain="[0, 200]"),
        "m": P("int", about="order, not above the degree", domain="[0, 200]"),
        "x": P("float64", about="argument", domain="[-1, 1]"),
    },
    result=R("float64", about="associated Legendre function, not normalized"),
    cases=[
        case(n=2, m=1, x=0.5, result=-1.299038105676658, origin="mpmath 1.4.1, 50 digits"),
        case(n=3, m=2, x=-0.3, result=-4.095, origin="mpmath 1.4.1, 50 digits"),
        case(n=4, m=3, x=0.8, result=-18.143999999999995, origin="mpmath 1.4.1, 50 digits"),
        case(n=4, m=1, x=0.0318, result=0.23781690868030908, within=1e-14, origin="mpmath 1.3.0, mpmath.legenp"),
    ],
)
def associated_legendre(n, m, x):
    """Associated Legendre function with the Condon-Shortley phase, between -1 and 1."""
    return legendre_derivative(n, m, x) * (1 - arb(x) ** 2).sqrt() ** m * (-1) ** m


def legendre_derivative(n, m, x):
    """Return the m-th derivative of the Legendre polynomial, exactly."""
    if m > n:
        return arb(0)
    derivative = fmpq_poly.legendre_p(n)
    for _ in range(m):
        derivative = derivative.derivative()
    return arb(derivative(fmpq(*x.as_integer_ratio())))


@capability(
    "special.spherical_harmonic",
    tier="certified",
    source="dlmf, 14.30.1",
    params={
        "degree": P("int", about="degree l", domain="[0, 200]"),
        "order": P("int", about="order m, not above the degree in absolute value", domain="[-200, 200]"),
        "polar": P("float64", about="polar angle, from the pole", domain="[0, 3.141592653589793]", unit="rad"),
        "azimuth": P("float64", about="azimuth", domain="[-1000, 1000]", unit="rad"),
    },
    result=R(fields={"real": R("float64", about="real part"), "imaginary": R("float64", about="imaginary part")}),
    requires=["-degree <= order", "order <= degree"],
    cases=[
        case(
            degree=2,
            order=1,
            polar=0.5,
            azimuth=1.25,
            result={"real": -0.10249191815254764, "imaginary": -0.3084565686879388},
            origin=MP,
        ),
        case(
            degree=5,
            order=-3,
            polar=2.0,
            azimuth=0.75,
            result={"real": -0.09126554369774102, "imaginary": -0.11304402283372908},
            origin=MP,
        ),
        case(
            degree=6,
            order=1,
            polar=2.0,
            azimuth=0.87,
            result={"real": 0.07985040004250789, "imaginary": 0.09464866427534908},
            within=1e-14,
            origin=HARMONIC,
        ),
    ],
)
def spherical_harmonic(degree, order, polar, azimuth):
    """Spherical harmonic with the Condon-Shortley phase, whose squared modulus has the integral 1 over the sphere."""
    value = acb.spherical_y(degree, order, acb(polar), acb(azimuth))
    return {"real": value.real, "imaginary": Fraction(0) if order == 0 or azimuth == 0 else value.imag}


@capability(
    "special.parabolic_cylinder_d",
    tier="certified",
    version=2,
    source="dlmf, 12.4.1 and 12.7.14",
    params={
        "order": P("float64", about="order", domain="[-100, 100]"),
        "x": P("float64", about="argument", domain="[-100, 100]"),
    },
    result=R("float64", about="parabolic cylinder function D, which is U(-order - 1/2, x)"),
    cases=[
        case(order=2.5, x=-1.3, result=1.2651577948299508, within=1e-13, origin="scipy 1.17.1, scipy.special.pbdv"),
        case(order=3.0, x=0.0, result=0.0, origin="by hand: odd, x (x^2 - 3) e^(-x^2 / 4)"),
        case(order=0.5, x=1.0, result=0.8422032440698396, origin="mpmath 1.4.1, 50 digits"),
        case(order=-2.5, x=3.0, result=0.004722444550879637, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.57, x=0.526, result=-0.11647965259015305, within=1e-14, origin="scipy 1.17.1, scipy.special.pbdv"),
    ],
)
def parabolic_cylinder_d(order, x):
    """Parabolic cylinder function D of a real order."""
    square = arb(x) ** 2
    if x <= 0:
        half, scale = -arb(order) / 2, 2 ** (arb(order) / 2) * (-square / 4).exp() * arb.pi().sqrt()
        even = (half + HALF).rgamma() * (square / 2).hypgeom_1f1(half, arb(HALF))
        odd = half.rgamma() * (square / 2).hypgeom_1f1(half + HALF, arb(fmpq(3, 2))) * x if x else arb(0)
        return scale * (even - arb(2).sqrt() * odd)
    return 2 ** (arb(order) / 2) * (-square / 4).exp() * (square / 2).hypgeom_u(-arb(order) / 2, arb(HALF))


@capability(
    "special.whittaker_m",
    tier="certified",
    version=2,
    source="dlmf, 13.14.2",
    params=WHITTAKER,
    result=R("float64", about="Whittaker function M"),
    cases=[
        case(k=0.5, mu=0.75, x=1.0, result=0.8450896754197321, origin="mpmath 1.4.1, 50 digits"),
        case(k=-1.5, mu=1.0, x=3.0, result=23.287539520654967, origin="mpmath 1.4.1, 50 digits"),
        case(k=-1.74, mu=1.75, x=7.14, result=1761.4393373647779, within=1e-14, origin="mpmath 1.3.0, mpmath.whitm"),
    ],
)
def whittaker_m(k, mu, x):
    """Whittaker's function M, the solution that is regular at zero."""
    x, a = arb(x), arb(mu) + HALF
    return (-x / 2).exp() * x**a * x.hypgeom_1f1(a - arb(k), 1 + 2 * arb(mu))


@capability(
    "special.whittaker_w",
    tier="certified",
    version=2,
    source="dlmf, 13.14.3",
    params=WHITTAKER,
    result=R("float64", about="Whittaker function W"),
    cases=[
        case(k=0.5, mu=0.75, x=1.0, result=0.90619636286737, origin="mpmath 1.4.1, 50 digits"),
        case(k=-1.5, mu=1.0, x=3.0, result=0.023108087179820044, origin="mpmath 1.4.1, 50 digits"),
        case(k=-0.531, mu=2.24, x=4.97, result=0.06592636548368806, within=1e-14, origin="mpmath 1.3.0, mpmath.whitw"),
    ],
)
def whittaker_w(k, mu, x):
    """Whittaker's function W, the solution that decays."""
    x, a = arb(x), arb(mu) + HALF
    return (-x / 2).exp() * x**a * x.hypgeom_u(a - arb(k), 1 + 2 * arb(mu))


@capability(
    "special.coulomb_f",
    tier="certified",
    version=2,
    source="dlmf, 33.2.3",
    params=COULOMB,
    result=R("float64", about="regular Coulomb function"),
    cases=[
        case(l=0, eta=0.5, rho=2.0, result=1.0211202242957036, origin="mpmath 1.4.1, 50 digits"),
        case(l=2, eta=-1.5, rho=6.0, result=-0.4756178029561931, origin="mpmath 1.4.1, 50 digits"),
        case(l=2, eta=2.34, rho=9.54, result=0.619310291376583, within=1e-14, origin="mpmath 1.3.0, mpmath.coulombf"),
    ],
)
def coulomb_f(l, eta, rho):
    """Regular Coulomb wave function of a whole angular momentum."""
    return arb(rho).coulomb_f(arb(l), arb(eta))


@capability(
    "special.coulomb_g",
    tier="certified",
    version=2,
    source="dlmf, 33.2.11",
    params=COULOMB,
    result=R("float64", about="irregular Coulomb function"),
    cases=[
        case(l=0, eta=0.5, rho=2.0, result=0.5322112059077913, origin="mpmath 1.4.1, 50 digits"),
        case(l=2, eta=-1.5, rho=6.0, result=0.7998867111244964, origin="mpmath 1.4.1, 50 digits"),
        case(l=0, eta=2.18, rho=2.76, result=2.685491651413831, within=1e-14, origin="mpmath 1.3.0, mpmath.coulombg"),
    ],
)
def coulomb_g(l, eta, rho):
    """Irregular Coulomb wave function of a whole angular momentum."""
    return arb(rho).coulomb_g(arb(l), arb(eta))


@capability(
    "special.riemann_siegel_z",
    tier="certified",
    source="edwards1974, sec. 6.5",
    params={"t": P("float64", about="height on the critical line", domain="[0, 1000000]")},
    result=R("float64", about="Hardy's Z"),
    cases=[
        case(t=18.0, result=2.336799689916952, origin="mpmath 1.4.1, 50 digits"),
        case(t=1000.5, result=2.5492611355555557, origin="mpmath 1.4.1, 50 digits"),
        case(t=50.2, result=-0.6626714322781424, within=1e-14, origin="mpmath 1.3.0, mpmath.siegelz"),
    ],
)
def riemann_siegel_z(t):
    """Hardy's function Z: the zeta function on its critical line, turned to be real."""
    s = acb(HALF, t)
    angle = acb(fmpq(1, 4), arb(t) / 2).lgamma().imag - arb(t) / 2 * arb.pi().log()
    return (acb(0, angle).exp() * s.zeta()).real


@capability(
    "special.zeta_zero",
    tier="certified",
    source="edwards1974, sec. 6.1",
    params={"n": P("int", about="index, from 1 for the lowest above the real axis", domain="[1, 100000]")},
    result=R("float64", about="imaginary part of the zero"),
    cases=[
        case(n=1, result=14.134725141734695, origin="mpmath 1.4.1, 50 digits"),
        case(n=29, result=98.83119421819369, origin="mpmath 1.4.1, 50 digits"),
        case(n=52, result=147.42276534255961, within=1e-14, origin="mpmath 1.3.0, mpmath.zetazero"),
    ],
)
def zeta_zero(n):
    """Imaginary part of a zero of the Riemann zeta function on the critical line."""
    return acb.zeta_zero(n).imag
