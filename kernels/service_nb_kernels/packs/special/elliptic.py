"""Elliptic integrals, Carlson's forms, Jacobian elliptic functions and theta functions of real arguments."""

from flint import acb, arb
from service_nb_kernels.declare import P, R, capability, case


def thetas(z, nome):
    """Return the four theta functions at z, in radians, of a real nome."""
    if nome == 0:
        return [arb(0), arb(0), arb(1), arb(1)]
    tau = acb(0, -arb(nome).log() / arb.pi())
    return [value.real for value in acb(arb(z) / arb.pi()).modular_theta(tau)]


def jacobi(u, m):
    """Return sn, cn and dn."""
    if m == 0:
        return [arb(u).sin(), arb(u).cos(), arb(1)]
    if m == 1:
        return [arb(u).tanh(), arb(u).sech(), arb(u).sech()]
    quarter = acb(m).elliptic_k().real
    tau = acb(0, acb(1 - arb(m)).elliptic_k().real / quarter)
    at_zero = [value.real for value in acb(0).modular_theta(tau)]
    at = [value.real for value in acb(arb(u) / (2 * quarter)).modular_theta(tau)]
    return [
        at_zero[2] / at_zero[1] * at[0] / at[3],
        at_zero[3] / at_zero[1] * at[1] / at[3],
        at_zero[3] / at_zero[2] * at[2] / at[3],
    ]


@capability(
    "special.elliptic_parameter_from_nome",
    tier="certified",
    version=2,
    source="dlmf, 22.2.2",
    params={"nome": P("float64", about="nome", domain="[0, 1)")},
    result=R("float64", about="parameter m", range="[0, 1]"),
    cases=[
        case(nome=0.05, result=0.5518703454669689, origin="mpmath 1.4.1, 50 digits"),
        case(nome=0.3, result=0.9956043683608302, origin="mpmath 1.4.1, 50 digits"),
        case(nome=0.337, result=0.9981680753650065, within=1e-14, origin="mpmath 1.3.0, mpmath.mfrom"),
        case(nome=0.106, result=0.8212322978885966, within=1e-14, origin="mpmath 1.3.0, mpmath.mfrom"),
    ],
)
def elliptic_parameter_from_nome(nome):
    """Parameter of the Jacobian elliptic functions that belongs to a nome."""
    return acb.modular_lambda(acb(0, -arb(nome).log() / arb.pi())).real if nome else arb(0)


@capability(
    "special.elliptic_f",
    tier="certified",
    version=2,
    requires=["m < 1 or abs(phi) < pi / 2"],
    source="dlmf, 19.2.4",
    params={
        "phi": P("float64", about="amplitude", domain="[-1e15, 1e15]", unit="rad"),
        "m": P("float64", about="parameter, the square of the modulus", domain="(-inf, 1]"),
    },
    result=R("float64", about="incomplete elliptic integral"),
    cases=[
        case(phi=0.5, m=0.3, result=0.5061402119623553, origin="mpmath 1.4.1, 50 digits"),
        case(phi=2.0, m=-1.5, result=1.509529769238836, origin="mpmath 1.4.1, 50 digits"),
        case(
            phi=-4.18, m=0.213, result=-4.405616059289396, within=1e-14, origin="scipy 1.17.1, scipy.special.ellipkinc"
        ),
    ],
)
def elliptic_f(phi, m):
    """Incomplete elliptic integral of the first kind, of an amplitude and a parameter."""
    return acb.elliptic_f(acb(phi), acb(m)).real


@capability(
    "special.elliptic_e_incomplete",
    tier="certified",
    version=2,
    source="dlmf, 19.2.5",
    params={
        "phi": P("float64", about="amplitude", domain="[-1e15, 1e15]", unit="rad"),
        "m": P("float64", about="parameter, the square of the modulus", domain="(-inf, 1]"),
    },
    result=R("float64", about="incomplete elliptic integral"),
    cases=[
        case(phi=0.5, m=0.3, result=0.49399114472896843, origin="mpmath 1.4.1, 50 digits"),
        case(phi=2.0, m=-1.5, result=2.719379408369527, origin="mpmath 1.4.1, 50 digits"),
        case(phi=2.67, m=0.74, result=1.9757256625246644, within=1e-14, origin="scipy 1.17.1, scipy.special.ellipeinc"),
    ],
)
def elliptic_e_incomplete(phi, m):
    """Incomplete elliptic integral of the second kind: an ellipse's arc from its minor axis over half the major one."""
    return acb.elliptic_e_inc(acb(phi), acb(m)).real


@capability(
    "special.elliptic_pi",
    tier="certified",
    version=2,
    source="dlmf, 19.2.8",
    params={
        "n": P("float64", about="characteristic n of the factor 1 - n sin(theta)^2", domain="(-inf, 1)"),
        "m": P("float64", about="parameter, the square of the modulus", domain="(-inf, 1)"),
    },
    result=R("float64", about="complete elliptic integral"),
    cases=[
        case(n=0.25, m=0.125, result=1.879349451879604, origin="mpmath 1.4.1, 50 digits"),
        case(n=-2.0, m=0.7, result=1.108594061743365, origin="mpmath 1.4.1, 50 digits"),
        case(n=-2.42, m=-0.598, result=0.7798053017554571, within=1e-14, origin="mpmath 1.3.0, mpmath.ellippi"),
    ],
)
def elliptic_pi(n, m):
    """Complete elliptic integral of the third kind, of a characteristic and a parameter."""
    return acb.elliptic_pi(acb(n), acb(m)).real


@capability(
    "special.elliptic_pi_incomplete",
    tier="certified",
    version=2,
    requires=["m < 1 or abs(phi) < pi / 2", "n < 1 or (abs(phi) < pi / 2 and n * sin(phi)**2 < 1)"],
    source="dlmf, 19.2.7",
    params={
        "n": P("float64", about="characteristic n of the factor 1 - n sin(theta)^2"),
        "phi": P("float64", about="amplitude", domain="[-1e15, 1e15]", unit="rad"),
        "m": P("float64", about="parameter, the square of the modulus", domain="(-inf, 1]"),
    },
    result=R("float64", about="incomplete elliptic integral"),
    cases=[
        case(n=0.25, phi=0.5, m=0.125, result=0.5128718023282086, origin="mpmath 1.4.1, 50 digits"),
        case(n=-2.0, phi=1.2, m=0.7, result=0.8867740033849888, origin="mpmath 1.4.1, 50 digits"),
        case(
            n=-1.35, phi=0.542, m=0.502, result=0.49728880526048613, within=1e-14, origin="mpmath 1.3.0, mpmath.ellippi"
        ),
    ],
)
def elliptic_pi_incomplete(n, phi, m):
    """Incomplete elliptic integral of the third kind."""
    return acb.elliptic_pi_inc(acb(n), acb(phi), acb(m)).real


@capability(
    "special.carlson_rf",
    tier="certified",
    version=2,
    source="carlson1995, eq. 1.1",
    params={
        "x": P("float64", about="first argument", domain="[0, inf)"),
        "y": P("float64", about="second argument", domain="[0, inf)"),
        "z": P("float64", about="third argument", domain="[0, inf)"),
    },
    result=R("float64", about="symmetric integral"),
    requires=["x + y > 0", "y + z > 0", "x + z > 0"],
    cases=[
        case(x=1.0, y=0.0, z=0.0, error="domain_error", origin="by hand: it diverges"),
        case(x=1.0, y=2.0, z=0.0, result=1.3110287771460598, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.0, y=1.0, z=2.0, result=1.3110287771460598, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.0, y=3.0, z=4.0, result=0.5840828416771517, origin="mpmath 1.4.1, 50 digits"),
        case(
            x=0.841,
            y=0.232,
            z=0.524,
            result=1.4223500387609276,
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.elliprf",
        ),
    ],
)
def carlson_rf(x, y, z):
    """Carlson's symmetric elliptic integral of the first kind."""
    return acb.elliptic_rf(acb(x), acb(y), acb(z)).real


@capability(
    "special.carlson_rc",
    tier="certified",
    version=2,
    source="carlson1995, eq. 1.3",
    params={
        "x": P("float64", about="first argument", domain="[0, inf)"),
        "y": P("float64", about="second argument; below 0 the principal value is meant", domain="(-inf, inf)"),
    },
    result=R("float64", about="degenerate integral"),
    requires=["y != 0"],
    cases=[
        case(x=0.0, y=0.25, result=3.141592653589793, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.25, y=2.0, result=0.6931471805599453, origin="mpmath 1.4.1, 50 digits"),
        case(x=1.0, y=-2.0, result=0.3801729981504732, within=1e-14, origin="scipy 1.17.1, scipy.special.elliprc"),
        case(x=8.38, y=2.6, result=0.4948748214108977, within=1e-14, origin="scipy 1.17.1, scipy.special.elliprc"),
    ],
)
def carlson_rc(x, y):
    """Carlson's degenerate elliptic integral, an elementary function."""
    if y < 0:  # DLMF 19.2.20
        shifted = arb(x) - arb(y)
        return (arb(x) / shifted).sqrt() * acb.elliptic_rc(acb(shifted), acb(-y)).real
    return acb.elliptic_rc(acb(x), acb(y)).real


@capability(
    "special.carlson_rj",
    tier="certified",
    version=2,
    source="carlson1995, eq. 1.2",
    params={
        "x": P("float64", about="first argument", domain="[0, inf)"),
        "y": P("float64", about="second argument", domain="[0, inf)"),
        "z": P("float64", about="third argument", domain="[0, inf)"),
        "p": P("float64", about="fourth argument; below 0 the principal value is meant", domain="(-inf, inf)"),
    },
    result=R("float64", about="symmetric integral"),
    requires=["p != 0", "x + y > 0", "y + z > 0", "x + z > 0"],
    cases=[
        case(x=0.0, y=1.0, z=2.0, p=3.0, result=0.7768862377858233, origin="mpmath 1.4.1, 50 digits"),
        case(
            x=2.0,
            y=3.0,
            z=4.0,
            p=-0.5,
            result=0.24723819703051564,
            within=1e-13,
            origin="scipy 1.17.1, scipy.special.elliprj",
        ),
        case(
            x=2.0,
            y=3.0,
            z=4.0,
            p=-5.0,
            result=-0.1271123004296391,
            within=1e-13,
            origin="scipy 1.17.1, scipy.special.elliprj",
        ),
        case(x=2.0, y=3.0, z=4.0, p=5.0, result=0.14297579667156754, origin="mpmath 1.4.1, 50 digits"),
        case(
            x=1.09,
            y=9.4,
            z=1.98,
            p=5.62,
            result=0.12625090035880152,
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.elliprj",
        ),
    ],
)
def carlson_rj(x, y, z, p):
    """Carlson's symmetric elliptic integral of the third kind."""
    if p > 0:
        return acb.elliptic_rj(acb(x), acb(y), acb(z), acb(p)).real
    x, y, z = (arb(value) for value in sorted([float(x), float(y), float(z)]))
    q, a, b, c = -arb(p), acb(x), acb(y), acb(z)  # DLMF 19.20.14
    positive = (z * (x + y + q) - x * y) / (z + q)
    outer = (x * y * z / (x * y + positive * q)).sqrt() * acb.elliptic_rc(acb(x * y + positive * q), acb(positive * q))
    inner = (positive - z) * acb.elliptic_rj(a, b, c, acb(positive)) - 3 * acb.elliptic_rf(a, b, c) + 3 * outer
    return inner.real / (z + q)


@capability(
    "special.carlson_rd",
    tier="certified",
    version=2,
    source="carlson1995, eq. 1.4",
    params={
        "x": P("float64", about="first argument", domain="[0, inf)"),
        "y": P("float64", about="second argument", domain="[0, inf)"),
        "z": P("float64", about="third argument, whose factor has the power 3/2", domain="(0, inf)"),
    },
    result=R("float64", about="degenerate integral"),
    requires=["x + y > 0"],
    cases=[
        case(x=0.0, y=2.0, z=1.0, result=1.7972103521033884, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.0, y=3.0, z=4.0, result=0.16510527294261054, origin="mpmath 1.4.1, 50 digits"),
        case(
            x=0.121,
            y=3.04,
            z=7.45,
            result=0.13399414004306473,
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.elliprd",
        ),
    ],
)
def carlson_rd(x, y, z):
    """Carlson's elliptic integral of the second kind."""
    return acb.elliptic_rd(acb(x), acb(y), acb(z)).real


@capability(
    "special.carlson_rg",
    tier="certified",
    version=2,
    source="dlmf, 19.16.3",
    params={
        "x": P("float64", about="first argument", domain="[0, inf)"),
        "y": P("float64", about="second argument", domain="[0, inf)"),
        "z": P("float64", about="third argument", domain="[0, inf)"),
    },
    result=R("float64", about="symmetric integral; an ellipsoid has the area 4 pi RG(a^2 b^2, a^2 c^2, b^2 c^2)"),
    cases=[
        case(x=0.0, y=16.0, z=16.0, result=3.141592653589793, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.0, y=3.0, z=4.0, result=1.7255030280692278, origin="mpmath 1.4.1, 50 digits"),
        case(
            x=0.234,
            y=0.108,
            z=5.15,
            result=1.2255578268688643,
            within=1e-14,
            origin="scipy 1.17.1, scipy.special.elliprg",
        ),
    ],
)
def carlson_rg(x, y, z):
    """Carlson's symmetric elliptic integral RG: the mean of a root over the sphere, as ellipsoids' areas need it."""
    return acb.elliptic_rg(acb(x), acb(y), acb(z)).real


@capability(
    "special.jacobi_sn",
    tier="certified",
    version=2,
    source="dlmf, 22.2.4",
    params={
        "u": P("float64", about="argument", domain="[-1e15, 1e15]"),
        "m": P("float64", about="parameter, the square of the modulus", domain="[0, 1]"),
    },
    result=R("float64", about="sn"),
    cases=[
        case(u=0.75, m=0.5, result=0.6585147441299967, origin="mpmath 1.4.1, 50 digits"),
        case(u=-12.5, m=0.9, result=-0.9920336525975754, origin="mpmath 1.4.1, 50 digits"),
        case(u=0.5, m=1.0, result=0.46211715726000974, origin="mpmath 1.4.1, 50 digits"),
        case(u=-3.39, m=0.26, result=0.007583510038193931, within=1e-12, origin="scipy 1.17.1, scipy.special.ellipj"),
    ],
)
def jacobi_sn(u, m):
    """Jacobian elliptic function sn, which is the sine of the amplitude."""
    return jacobi(u, m)[0]


@capability(
    "special.jacobi_cn",
    tier="certified",
    version=2,
    source="dlmf, 22.2.5",
    params={
        "u": P("float64", about="argument", domain="[-1e15, 1e15]"),
        "m": P("float64", about="parameter, the square of the modulus", domain="[0, 1]"),
    },
    result=R("float64", about="cn"),
    cases=[
        case(u=0.75, m=0.5, result=0.7525678253575587, origin="mpmath 1.4.1, 50 digits"),
        case(u=-12.5, m=0.9, result=0.12597314044633953, origin="mpmath 1.4.1, 50 digits"),
        case(u=-4.17, m=0.353, result=-0.7894525822953771, within=1e-14, origin="scipy 1.17.1, scipy.special.ellipj"),
    ],
)
def jacobi_cn(u, m):
    """Jacobian elliptic function cn: the cosine of the amplitude, as in cnoidal waves."""
    return jacobi(u, m)[1]


@capability(
    "special.jacobi_dn",
    tier="certified",
    version=2,
    source="dlmf, 22.2.6",
    params={
        "u": P("float64", about="argument", domain="[-1e15, 1e15]"),
        "m": P("float64", about="parameter, the square of the modulus", domain="[0, 1]"),
    },
    result=R("float64", about="dn"),
    cases=[
        case(u=0.75, m=0.5, result=0.8849741046390581, origin="mpmath 1.4.1, 50 digits"),
        case(u=-12.5, m=0.9, result=0.33805666522422223, origin="mpmath 1.4.1, 50 digits"),
        case(u=3.66, m=0.064, result=0.9935390009249434, within=1e-14, origin="scipy 1.17.1, scipy.special.ellipj"),
    ],
)
def jacobi_dn(u, m):
    """Jacobian elliptic function dn, the delta amplitude."""
    return jacobi(u, m)[2]


@capability(
    "special.theta_1",
    tier="certified",
    version=2,
    source="dlmf, 20.2.1",
    params={
        "z": P("float64", about="argument in radians", domain="[-1e15, 1e15]"),
        "nome": P("float64", about="nome q", domain="[0, 0.9999]"),
    },
    result=R("float64", about="theta function"),
    cases=[
        case(z=0.75, nome=0.1, result=0.7578757901484625, origin="mpmath 1.4.1, 50 digits"),
        case(z=-2.0, nome=0.6, result=-1.7291051264658694, origin="mpmath 1.4.1, 50 digits"),
        case(z=1.09, nome=0.0835, result=0.9541782552171991, within=1e-14, origin="mpmath 1.3.0, mpmath.jtheta"),
    ],
)
def theta_1(z, nome):
    """Jacobi's first theta function of a real argument and nome."""
    return thetas(z, nome)[0]


@capability(
    "special.theta_2",
    tier="certified",
    version=2,
    source="dlmf, 20.2.2",
    params={
        "z": P("float64", about="argument in radians", domain="[-1e15, 1e15]"),
        "nome": P("float64", about="nome q", domain="[0, 0.9999]"),
    },
    result=R("float64", about="theta function"),
    cases=[
        case(z=0.75, nome=0.1, result=0.8158518936817366, origin="mpmath 1.4.1, 50 digits"),
        case(z=-2.0, nome=0.6, result=-0.19241299560138186, origin="mpmath 1.4.1, 50 digits"),
        case(z=4.99, nome=0.336, result=0.2922779055743939, within=1e-14, origin="mpmath 1.3.0, mpmath.jtheta"),
    ],
)
def theta_2(z, nome):
    """Jacobi's second theta function of a real argument and nome."""
    return thetas(z, nome)[1]


@capability(
    "special.theta_3",
    tier="certified",
    version=2,
    source="dlmf, 20.2.3",
    params={
        "z": P("float64", about="argument in radians", domain="[-1e15, 1e15]"),
        "nome": P("float64", about="nome q", domain="[0, 0.9999]"),
    },
    result=R("float64", about="theta function"),
    cases=[
        case(z=0.75, nome=0.1, result=1.013949441412629, origin="mpmath 1.4.1, 50 digits"),
        case(z=-2.0, nome=0.6, result=0.19438425010240815, origin="mpmath 1.4.1, 50 digits"),
        case(z=1.52, nome=0.162, result=0.6790195870218549, within=1e-14, origin="mpmath 1.3.0, mpmath.jtheta"),
    ],
)
def theta_3(z, nome):
    """Jacobi's third theta function: a periodic sum of Gaussians."""
    return thetas(z, nome)[2]


@capability(
    "special.theta_4",
    tier="certified",
    version=2,
    source="dlmf, 20.2.4",
    params={
        "z": P("float64", about="argument in radians", domain="[-1e15, 1e15]"),
        "nome": P("float64", about="nome q", domain="[0, 0.9999]"),
    },
    result=R("float64", about="theta function"),
    cases=[
        case(z=0.75, nome=0.1, result=0.9856545615887311, origin="mpmath 1.4.1, 50 digits"),
        case(z=-2.0, nome=0.6, result=1.729107884812714, origin="mpmath 1.4.1, 50 digits"),
        case(z=3.17, nome=0.141, result=0.7192403798145001, within=1e-14, origin="mpmath 1.3.0, mpmath.jtheta"),
    ],
)
def theta_4(z, nome):
    """Jacobi's fourth theta function of a real argument and nome."""
    return thetas(z, nome)[3]


@capability(
    "special.euler_function",
    tier="certified",
    source="dlmf, 27.14.2",
    params={
        "q": P("float64", about="base", domain="(0, 0.99]"),
    },
    result=R("float64", about="infinite product"),
    cases=[
        case(q=0.5, result=0.2887880950866024, origin="mpmath 1.4.1, 50 digits"),
        case(q=0.1, result=0.8900100999989989, origin="mpmath 1.4.1, 50 digits"),
        case(q=0.505, result=0.2808849037976706, within=1e-14, origin="mpmath 1.3.0, mpmath.qp"),
    ],
)
def euler_function(q):
    """Euler's function: the infinite product of 1 - q^k, whose reciprocal counts partitions."""
    tau = acb(0, -arb(q).log() / (2 * arb.pi()))
    return (acb.modular_eta(tau).real) / (arb(q).log() / 24).exp()


@capability(
    "special.dedekind_eta",
    tier="certified",
    source="dlmf, 27.14.12",
    params={
        "y": P("float64", about="imaginary part of the argument", domain="(0, 100]"),
    },
    result=R("float64", about="Dedekind eta at iy"),
    cases=[
        case(y=1.0, result=0.7682254223260566, origin="mpmath 1.4.1, 50 digits"),
        case(y=0.3, result=0.7628619270903184, origin="mpmath 1.4.1, 50 digits"),
        case(y=5.09, result=0.2638013598400718, within=1e-14, origin="mpmath 1.3.0, mpmath.eta"),
    ],
)
def dedekind_eta(y):
    """Dedekind eta function on the imaginary axis, at i times y."""
    return acb.modular_eta(acb(0, y)).real


@capability(
    "special.klein_j",
    tier="certified",
    source="dlmf, 23.15.7",
    params={
        "y": P("float64", about="imaginary part of the argument", domain="(0, 100]"),
    },
    result=R("float64", about="absolute invariant times 1728"),
    cases=[
        case(y=1.0, result=1728.0, origin="dlmf, 23.15: j(i) = 1728"),
        case(y=1.25, result=3399.691669768013, origin="mpmath 1.4.1, 50 digits"),
        case(y=0.6, result=36061.50043180894, origin="mpmath 1.4.1, 50 digits"),
    ],
)
def klein_j(y):
    """Modular invariant j on the imaginary axis, at i times y."""
    return acb.modular_j(acb(0, y)).real


@capability(
    "special.modular_lambda",
    tier="certified",
    source="dlmf, 23.15.6",
    params={
        "y": P("float64", about="imaginary part of the argument", domain="[0.05, 100]"),
    },
    result=R("float64", about="modular lambda at iy"),
    cases=[
        case(y=1.25, result=0.27050969240601086, origin="mpmath 1.4.1, 50 digits"),
        case(y=0.6, result=0.9183761133730962, origin="mpmath 1.4.1, 50 digits"),
        case(y=4.04, result=4.920721974905561e-05, within=1e-14, origin="mpmath 1.3.0, mpmath.mfrom"),
    ],
)
def modular_lambda(y):
    """Elliptic modular function lambda on the imaginary axis, at i times y."""
    return acb.modular_lambda(acb(0, y)).real
