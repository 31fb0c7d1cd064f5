"""Circular functions of multiples of pi and of degrees: exact where the angle is special."""

import math
from decimal import Decimal
from fractions import Fraction

from flint import arb, fmpq
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

HALF = fmpq(1, 2)
SINES = {0: 0, 1: HALF, 3: 1, 5: HALF, 6: 0, 7: -HALF, 9: -1, 11: -HALF}  # of twelfths of a turn, where rational


def turn(angle, full):
    """Return an exact angle as a share of half turns, between 0 and 2."""
    value = fmpq(*angle.as_integer_ratio()) * 2 / full
    return value - 2 * (value / 2).floor()


def sine(halves):
    """Return the sine of a rational number of half turns."""
    twelfths = halves * 6
    if twelfths.q == 1 and int(twelfths.p) in SINES:
        return fmpq(SINES[int(twelfths.p)])
    return arb.sin_pi_fmpq(halves)


def cosine(halves):
    """Return the cosine of a rational number of half turns."""
    shifted = halves + HALF
    return sine(shifted - 2 if shifted >= 2 else shifted)


def tangent(halves, angle):
    """Return the tangent of a rational number of half turns; the poles are refused."""
    quarters = halves * 4
    if quarters.q == 1:
        if int(quarters.p) % 4 == 2:
            raise DomainError("angle", angle, "an angle that is no odd multiple of a right angle")
        return {0: 0, 1: 1, 3: -1}[int(quarters.p) % 4]
    return sine(halves) / cosine(halves)


@capability(
    "elementary.sin_pi",
    tier="certified",
    source="ieee754, table 9.1",
    params={
        "x": P("float64", about="angle in half turns", domain="[-1e15, 1e15]"),
    },
    result=R("float64", about="sine of pi times x"),
    cases=[
        case(x=0.1, result=0.30901699437494745, origin="mpmath 1.4.1, 50 digits"),
        case(x=1000000.0, result=0.0, origin="by hand"),
        case(x=12345.75, result=-0.7071067811865476, origin="mpmath 1.4.1, 50 digits"),
        case(x=-2.52, result=-0.9980267284282716, within=1e-14, origin="mpmath 1.3.0, mpmath.sinpi"),
    ],
)
def sin_pi(x):
    """Sine of pi times a number, exact at multiples of one half."""
    return sine(turn(x, 2))


@capability(
    "elementary.cos_pi",
    tier="certified",
    source="ieee754, table 9.1",
    params={
        "x": P("float64", about="angle in half turns", domain="[-1e15, 1e15]"),
    },
    result=R("float64", about="cosine of pi times x"),
    cases=[
        case(x=0.1, result=0.9510565162951535, origin="mpmath 1.4.1, 50 digits"),
        case(x=0.5, result=0.0, origin="by hand"),
        case(x=12345.75, result=0.7071067811865476, origin="mpmath 1.4.1, 50 digits"),
        case(x=-4.87, result=-0.9177546256839813, within=1e-14, origin="mpmath 1.3.0, mpmath.cospi"),
    ],
)
def cos_pi(x):
    """Cosine of pi times a number, exact at multiples of one half."""
    return cosine(turn(x, 2))


@capability(
    "elementary.tan_pi",
    tier="certified",
    source="ieee754, table 9.1",
    params={
        "x": P("float64", about="angle in half turns", domain="[-1e15, 1e15]"),
    },
    result=R("float64", about="tangent of pi times x"),
    cases=[
        case(x=0.1, result=0.32491969623290634, origin="mpmath 1.4.1, 50 digits"),
        case(x=2.25, result=1.0, origin="by hand"),
        case(x=0.5, error="domain_error", origin="by hand"),
        case(x=3.02, result=0.06291466725364982, within=1e-14, origin="mpmath 1.3.0, mpmath.sinpi: over cospi"),
    ],
)
def tan_pi(x):
    """Tangent of pi times a number, exact at multiples of one quarter."""
    return tangent(turn(x, 2), x)


@capability(
    "elementary.sin_degrees",
    tier="certified",
    source="as1964, sec. 4.3",
    params={
        "angle": P("float64", about="angle in degrees", domain="[-1e15, 1e15]", unit="deg"),
    },
    result=R("float64", about="sine"),
    cases=[
        case(angle=29.0, result=0.484809620246337, origin="mpmath 1.4.1, 50 digits"),
        case(angle=725.5, result=0.095845752520224, origin="mpmath 1.4.1, 50 digits"),
        case(angle=-30.0, result=-0.5, origin="by hand"),
        case(angle=1.11, result=0.01937194286730691, within=1e-14, origin="scipy 1.17.1, scipy.special.sindg"),
    ],
)
def sin_degrees(angle):
    """Sine of an angle in degrees, exact where it is rational."""
    return sine(turn(angle, 360))


@capability(
    "elementary.cos_degrees",
    tier="certified",
    source="as1964, sec. 4.3",
    params={
        "angle": P("float64", about="angle in degrees", domain="[-1e15, 1e15]", unit="deg"),
    },
    result=R("float64", about="cosine"),
    cases=[
        case(angle=29.0, result=0.8746197071393959, origin="mpmath 1.4.1, 50 digits"),
        case(angle=60.0, result=0.5, origin="by hand"),
        case(angle=-90.0, result=0.0, origin="by hand"),
        case(angle=3.8, result=0.99780146829205, within=1e-14, origin="scipy 1.17.1, scipy.special.cosdg"),
    ],
)
def cos_degrees(angle):
    """Cosine of an angle in degrees, exact where it is rational."""
    return cosine(turn(angle, 360))


@capability(
    "elementary.tan_degrees",
    tier="certified",
    source="as1964, sec. 4.3",
    params={
        "angle": P("float64", about="angle in degrees", domain="[-1e15, 1e15]", unit="deg"),
    },
    result=R("float64", about="tangent"),
    cases=[
        case(angle=29.0, result=0.5543090514527689, origin="mpmath 1.4.1, 50 digits"),
        case(angle=-45.0, result=-1.0, origin="by hand"),
        case(angle=90.0, error="domain_error", origin="by hand"),
        case(angle=2.27, result=0.03963971652442444, within=1e-14, origin="scipy 1.17.1, scipy.special.tandg"),
    ],
)
def tan_degrees(angle):
    """Tangent of an angle in degrees, exact at multiples of forty-five."""
    return tangent(turn(angle, 360), angle)


@capability(
    "elementary.next_up",
    tier="certified",
    source="ieee754, sec. 5.3.1",
    params={
        "x": P("float64", about="a double", domain="(-1.7976931348623157e308, 1.7976931348623157e308)"),
    },
    result=R("float64", about="the next double above"),
    cases=[
        case(x=1.0, result=1.0000000000000002, origin="by hand: 1 + 2^-52"),
        case(x=0.0, result=5e-324, origin="by hand: the least subnormal"),
        case(x=-1.0, result=-0.9999999999999999, origin="by hand"),
        case(x=53.8, result=53.800000000000004, within=1e-14, origin="numpy 2.4.6, numpy.nextafter: towards infinity"),
    ],
)
def next_up(x):
    """Least double that is greater than a number."""
    return Fraction(math.nextafter(x, math.inf))


@capability(
    "elementary.ulp",
    tier="certified",
    source="goldberg1991, sec. 1.2",
    params={
        "x": P("float64", about="a double"),
    },
    result=R("float64", about="unit in the last place"),
    cases=[
        case(x=1.0, result=2.220446049250313e-16, origin="by hand: 2^-52"),
        case(x=-1000.0, result=1.1368683772161603e-13, origin="by hand: 2^-43"),
        case(x=0.0, result=5e-324, origin="by hand: 2^-1074"),
        case(x=-1.15, result=2.220446049250313e-16, within=1e-14, origin="numpy 2.4.6, numpy.spacing"),
    ],
)
def ulp(x):
    """Unit in the last place of a double: the weight of its last binary digit."""
    _, exponent = math.frexp(x)
    return Fraction(2) ** max(exponent - 53, -1074) if x else Fraction(1, 2**1074)


@capability(
    "elementary.round_decimal",
    tier="certified",
    source="ieee754, sec. 4.3.1",
    params={
        "x": P("float64", about="number"),
        "digits": P("int", about="decimal places", domain="[-300, 300]"),
    },
    result=R("float64", about="nearest decimal with so many places"),
    cases=[
        case(x=2.675, digits=2, result=2.67, origin="Python 3.11, exact integers"),
        case(x=0.125, digits=2, result=0.12, origin="Python 3.11, exact integers"),
        case(x=1234567.0, digits=-3, result=1235000.0, origin="Python 3.11, exact integers"),
        case(
            x=-1.21,
            digits=1,
            result=-1.2,
            within=1e-14,
            origin="numpy 2.4.6, numpy.format_float_positional: not unique, as a number",
        ),
    ],
)
def round_decimal(x, digits):
    """Nearest decimal fraction with a number of places, halves to even, by the double's exact value."""
    scale = Fraction(10) ** digits
    return round(Fraction(x) * scale) / scale


@capability(
    "elementary.round_significant",
    tier="certified",
    source="ieee754, sec. 4.3.1",
    params={
        "x": P("float64", about="number"),
        "digits": P("int", about="significant digits", domain="[1, 50]"),
    },
    result=R("float64", about="nearest decimal with so many digits"),
    cases=[
        case(x=123456.789, digits=4, result=123500.0, origin="Python 3.11, exact integers"),
        case(x=-0.00098765, digits=2, result=-0.00099, origin="Python 3.11, exact integers"),
        case(x=9.995, digits=3, result=9.99, origin="Python 3.11, exact integers"),
        case(
            x=-46.5,
            digits=1,
            result=-50.0,
            within=1e-14,
            origin="numpy 2.4.6, numpy.format_float_positional: not unique, not fractional, as a number",
        ),
    ],
)
def round_significant(x, digits):
    """Nearest decimal number with so many significant digits, halves to even."""
    value = Fraction(x)
    if value == 0:
        return value
    exponent = math.floor(math.log10(abs(x)))
    while abs(value) >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while abs(value) < Fraction(10) ** exponent:
        exponent -= 1
    scale = Fraction(10) ** (digits - 1 - exponent)
    return round(value * scale) / scale


@capability(
    "elementary.decimal_digits",
    tier="certified",
    source="ieee754, sec. 5.12",
    params={
        "x": P("float64", about="a double"),
    },
    result=R("string", about="its exact decimal expansion"),
    cases=[
        case(
            x=0.1,
            result="0.1000000000000000055511151231257827021181583404541015625",
            origin="by hand: decimal of the double 0.1",
        ),
        case(x=-2.5, result="-2.5", origin="by hand"),
        case(x=8.0, result="8", origin="by hand"),
        case(
            x=1.49,
            result="1.4899999999999999911182158029987476766109466552734375",
            origin="numpy 2.4.6, numpy.format_float_positional: not unique, trimmed",
        ),
    ],
)
def decimal_digits(x):
    """Exact decimal expansion of a double, all of its digits."""
    text = format(Decimal(x), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@capability(
    "elementary.nearest_fraction",
    tier="certified",
    source="goldberg1991, sec. 1",
    params={
        "x": P("float64", about="number", domain="[-1e15, 1e15]"),
        "largest": P("int", about="largest denominator", domain="[1, 1000000000000]"),
    },
    result=R(fields={"numerator": R("int", about="numerator"), "denominator": R("int", about="denominator")}),
    cases=[
        case(
            x=3.141592653589793,
            largest=1000,
            result={"numerator": 355, "denominator": 113},
            origin="by hand: Zu Chongzhi's ratio",
        ),
        case(x=0.3333, largest=10, result={"numerator": 1, "denominator": 3}, origin="by hand"),
        case(x=-0.75, largest=100, result={"numerator": -3, "denominator": 4}, origin="by hand"),
        case(
            x=-4.27,
            largest=100,
            result={"numerator": -427, "denominator": 100},
            origin="sympy 1.14.0, sympy.Rational: limit_denominator",
        ),
    ],
)
def nearest_fraction(x, largest):
    """Fraction with a bounded denominator that is nearest to a number."""
    found = Fraction(x).limit_denominator(largest)
    return {"numerator": found.numerator, "denominator": found.denominator}
