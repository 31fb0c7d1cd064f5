"""Functions of Kelvin and of Struve."""

from fractions import Fraction

from flint import acb, arb, fmpq
from service_nb_kernels.declare import P, R, capability, case

HALF = fmpq(1, 2)
MP, STRUVE = "mpmath 1.4.1, 50 digits", "scipy 1.17.1, scipy.special.struve"
MODSTRUVE = "scipy 1.17.1, scipy.special.modstruve"


def kelvin(order, x, name):
    """Return a modified Bessel function at x times the eighth root of unity."""
    turn = acb(1, 1) / arb(2).sqrt()
    return getattr(acb(x) * turn, name)(acb(order))


@capability(
    "special.kelvin_ber",
    tier="certified",
    version=2,
    source="dlmf, 10.61.1",
    params={"x": P("float64", about="argument", domain="[-500, 500]")},
    result=R("float64", about="ber(x)"),
    cases=[
        case(x=0.0, result=1.0, origin="scipy 1.17.1, scipy.special.ber"),
        case(x=-7.5, result=5.45496218438436, within=1e-13, origin="scipy 1.17.1, scipy.special.ber"),
        case(x=1.0, result=0.9843817812130868, origin="mpmath 1.4.1, 50 digits"),
        case(x=7.5, result=5.45496218438436, origin="mpmath 1.4.1, 50 digits"),
        case(x=1.08, result=0.9787549112379429, within=1e-14, origin="scipy 1.17.1, scipy.special.ber"),
    ],
)
def kelvin_ber(x):
    """Kelvin function ber of order zero, as in the skin effect of a wire."""
    return kelvin(0, x, "bessel_i").real


@capability(
    "special.kelvin_bei",
    tier="certified",
    version=2,
    source="dlmf, 10.61.1",
    params={"x": P("float64", about="argument", domain="[-500, 500]")},
    result=R("float64", about="bei(x)"),
    cases=[
        case(x=0.0, result=0.0, origin="scipy 1.17.1, scipy.special.bei"),
        case(x=1.0, result=0.24956604003665972, origin="mpmath 1.4.1, 50 digits"),
        case(x=7.5, result=-29.11571186716797, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.49, result=1.4471995190543403, within=1e-14, origin="scipy 1.17.1, scipy.special.bei"),
    ],
)
def kelvin_bei(x):
    """Kelvin function bei of order zero, as in the skin effect of a wire."""
    return kelvin(0, x, "bessel_i").imag


@capability(
    "special.kelvin_ker",
    tier="certified",
    version=2,
    source="dlmf, 10.61.2",
    params={"x": P("float64", about="argument", domain="(0, 500]")},
    result=R("float64", about="ker(x)"),
    cases=[
        case(x=1.0, result=0.28670620872831604, origin="mpmath 1.4.1, 50 digits"),
        case(x=7.5, result=0.0018598880551383599, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.484, result=0.8855858510213167, within=1e-14, origin="scipy 1.17.1, scipy.special.ker"),
    ],
)
def kelvin_ker(x):
    """Kelvin function ker of order zero, which decays."""
    return kelvin(0, x, "bessel_k").real


@capability(
    "special.kelvin_kei",
    tier="certified",
    version=2,
    source="dlmf, 10.61.2",
    params={"x": P("float64", about="argument", domain="[0, 500]")},
    result=R("float64", about="kei(x)"),
    cases=[
        case(x=0.0, result=-0.7853981633974483, origin="by hand: -pi / 4"),
        case(x=1.0, result=-0.4949946365187199, origin="mpmath 1.4.1, 50 digits"),
        case(x=7.5, result=0.0012668678638891658, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.134, result=-0.7713622895238461, within=1e-14, origin="scipy 1.17.1, scipy.special.kei"),
    ],
)
def kelvin_kei(x):
    """Kelvin function kei of order zero: the bending of a plate on an elastic base."""
    return kelvin(0, x, "bessel_k").imag if x else -arb.pi() / 4


@capability(
    "special.struve_h",
    tier="certified",
    version=2,
    source="dlmf, 11.2.1",
    params={
        "order": P("float64", about="order", domain="[0, 100]"),
        "x": P("float64", about="argument", domain="[0, 500]"),
    },
    result=R("float64", about="Struve function"),
    cases=[
        case(order=0.0, x=0.0, result=0.0, origin=STRUVE),
        case(order=0.0, x=1.0, result=0.5686566270482879, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.5, x=6.0, result=1.0703827553279077, origin="mpmath 1.4.1, 50 digits"),
        case(order=5.56, x=1.19, result=4.492912481845313e-05, within=1e-14, origin=STRUVE),
    ],
)
def struve_h(order, x):
    """Struve function H of a real order, as in the sound of a vibrating piston."""
    if x == 0:
        return Fraction(0)
    half, shift = arb(x) / 2, arb(order) + fmpq(3, 2)
    series = acb(-half * half).hypgeom([acb(1)], [acb(fmpq(3, 2)), acb(shift)]).real
    return half ** (arb(order) + 1) * series * shift.rgamma() * 2 / arb.pi().sqrt()


@capability(
    "special.struve_l",
    tier="certified",
    version=2,
    source="dlmf, 11.2.2",
    params={
        "order": P("float64", about="order", domain="[0, 100]"),
        "x": P("float64", about="argument", domain="[0, 500]"),
    },
    result=R("float64", about="modified Struve function"),
    cases=[
        case(order=2.0, x=0.0, result=0.0, origin=MODSTRUVE),
        case(order=0.0, x=1.0, result=0.7102431859378909, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.5, x=6.0, result=53.831147005338615, origin="mpmath 1.4.1, 50 digits"),
        case(order=1.07, x=0.133, result=0.00295573469960645, within=1e-14, origin=MODSTRUVE),
    ],
)
def struve_l(order, x):
    """Modified Struve function L of a real order."""
    if x == 0:
        return Fraction(0)
    half, shift = arb(x) / 2, arb(order) + fmpq(3, 2)
    series = acb(half * half).hypgeom([acb(1)], [acb(fmpq(3, 2)), acb(shift)]).real
    return half ** (arb(order) + 1) * series * shift.rgamma() * 2 / arb.pi().sqrt()
