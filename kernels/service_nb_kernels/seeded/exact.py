"""Logarithm, exponential and normal quantile from + - * / and sqrt alone, which IEEE 754 fixes to the last bit.

The library functions of the platform differ by machine; here every step is one correctly rounded operation in a fixed
order, so that an array of doubles has the same bits everywhere. They are good to about one unit in the last place,
which a simulation cannot tell from the truth; they do not claim to be correctly rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

# ln 2 in two parts: the first has 21 trailing zero bits, so that a whole exponent times it is exact.
LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
INVERSE_LN2 = float.fromhex("0x1.71547652b82fep+0")
HALF_ROOT = float.fromhex("0x1.6a09e667f3bcdp-1")  # sqrt(1/2)
LARGEST_EXPONENT = 700.0

ATANH_SERIES = tuple(2.0 / n for n in range(25, 2, -2))  # 2 s^3/3 + 2 s^5/5 + ..., |s| < 0.172, highest first
EXP_SERIES = tuple(1.0 / math.factorial(n) for n in range(13, -1, -1))  # |r| < 0.347, highest first

# M. J. Wichura, Algorithm AS 241, Applied Statistics 37 (1988) 477-484, PPND16: highest power first.
CENTRE = (
    (2.50908_09287_30122_6727e3, 3.34305_75583_58812_8105e4, 6.72657_70927_00870_0853e4, 4.59219_53931_54987_1457e4,
     1.37316_93765_50946_1125e4, 1.97159_09503_06551_4427e3, 1.33141_66789_17843_7745e2, 3.38713_28727_96366_6080e0),
    (5.22649_52788_52854_5610e3, 2.87290_85735_72194_2674e4, 3.93078_95800_09271_0610e4, 2.12137_94301_58659_5867e4,
     5.39419_60214_24751_1077e3, 6.87187_00749_20579_0830e2, 4.23133_30701_60091_1252e1, 1.0),
)  # fmt: skip
TAIL = (
    (7.74545_01427_83414_07640e-4, 2.27238_44989_26918_45833e-2, 2.41780_72517_74506_11770e-1,
     1.27045_82524_52368_38258e0, 3.64784_83247_63204_60504e0, 5.76949_72214_60691_40550e0,
     4.63033_78461_56545_29590e0, 1.42343_71107_49683_57734e0),
    (1.05075_00716_44416_84324e-9, 5.47593_80849_95344_94600e-4, 1.51986_66563_61645_71966e-2,
     1.48103_97642_74800_74590e-1, 6.89767_33498_51000_04550e-1, 1.67638_48301_83803_84940e0,
     2.05319_16266_37758_82187e0, 1.0),
)  # fmt: skip
FAR = (
    (2.01033_43992_92288_13265e-7, 2.71155_55687_43487_57815e-5, 1.24266_09473_88078_43860e-3,
     2.65321_89526_57612_30930e-2, 2.96560_57182_85048_91230e-1, 1.78482_65399_17291_33580e0,
     5.46378_49111_64114_36990e0, 6.65790_46435_01103_77720e0),
    (2.04426_31033_89939_78564e-15, 1.42151_17583_16445_88870e-7, 1.84631_83175_10054_68180e-5,
     7.86869_13114_56132_59100e-4, 1.48753_61290_85061_48525e-2, 1.36929_88092_27358_05310e-1,
     5.99832_20655_58879_37690e-1, 1.0),
)  # fmt: skip


def polynomial(coefficients: Sequence[float], x: Doubles) -> Doubles:
    """Return the polynomial at x, by Horner's rule; the highest power comes first."""
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def log(x: Doubles) -> Doubles:
    """Return the natural logarithms of positive doubles."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < HALF_ROOT
    fraction = np.where(small, mantissa * 2.0, mantissa) - 1.0  # within [sqrt(1/2) - 1, sqrt(2) - 1], exact
    power = (exponent - small).astype(np.float64)
    s = fraction / (2.0 + fraction)
    z = s * s
    tail = s * z * polynomial(ATANH_SERIES, z)
    return power * LN2_HIGH + (2.0 * s + (tail + power * LN2_LOW))


def exp(x: Doubles) -> Doubles:
    """Return the exponentials of doubles of at most 700 in size; beyond, those of the nearer end."""
    x = np.clip(x, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    power = np.rint(x * INVERSE_LN2)
    rest = (x - power * LN2_HIGH) - power * LN2_LOW
    return np.ldexp(polynomial(EXP_SERIES, rest), power.astype(np.int32))


def normal_quantile(p: Doubles) -> Doubles:
    """Return the points below which a standard normal variable lies with the probabilities p, 0 < p < 1."""
    q = p - 0.5
    r = 0.180625 - q * q  # negative in the tails, where the value is not used
    found = q * polynomial(CENTRE[0], r) / polynomial(CENTRE[1], r)
    outside = np.abs(q) > 0.425
    if outside.any():
        found[outside] = _tails(p[outside], q[outside])
    return found


def _tails(p: Doubles, q: Doubles) -> Doubles:
    r = np.sqrt(-log(np.where(q < 0, p, 1.0 - p)))
    near = polynomial(TAIL[0], r - 1.6) / polynomial(TAIL[1], r - 1.6)
    far = polynomial(FAR[0], r - 5.0) / polynomial(FAR[1], r - 5.0)
    size = np.where(r <= 5.0, near, far)
    return np.where(q < 0, -size, size)
