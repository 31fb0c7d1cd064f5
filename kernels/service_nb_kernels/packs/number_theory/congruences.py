"""Common divisors, congruences, residues and logarithms modulo an integer."""

from math import gcd, isqrt, lcm, prod

from flint import fmpz
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.packs.number_theory.divisibility import factors, prime

MOST_BITS = 1_000_000  # of all values together


def least_primitive_root(p):
    """Return the least primitive root of a prime."""
    if p == 2:
        return 1
    parts = [(p - 1) // q for q, _ in factors(p - 1)]
    return next(g for g in range(2, p) if all(pow(g, part, p) != 1 for part in parts))


@capability(
    "number_theory.gcd",
    tier="certified",
    source="hardy2008, sec. 2.9",
    keywords=["greatest common divisor"],
    params={
        "a": P("int", about="first integer"),
        "b": P("int", about="second integer"),
    },
    result=R("int", about="greatest common divisor"),
    cases=[
        case(a=12, b=18, result=6, origin="Python 3.11, exact integers"),
        case(a=-270, b=192, result=6, origin="Python 3.11, exact integers"),
        case(a=0, b=0, result=0, origin="by hand"),
        case(a=21, b=-20, result=1, origin="sympy 1.14.0, sympy.igcd"),
    ],
)
def greatest_common_divisor(a, b):
    """Greatest common divisor of two integers, never negative."""
    return gcd(a, b)


@capability(
    "number_theory.gcd_of",
    tier="certified",
    source="hardy2008, sec. 2.9",
    params={
        "values": P("int[n]", about="integers"),
    },
    result=R("int", about="greatest common divisor"),
    limit={"n": 100000},
    cases=[
        case(values=[12, 18, 27], result=3, origin="Python 3.11, exact integers"),
        case(values=[100, 75, 35, 5], result=5, origin="Python 3.11, exact integers"),
        case(values=[5, -26, -87], result=1, origin="sympy 1.14.0, sympy.igcd"),
    ],
)
def gcd_of(values):
    """Greatest common divisor of many integers, never negative."""
    return gcd(*values)


@capability(
    "number_theory.lcm",
    tier="certified",
    source="hardy2008, sec. 5.1",
    keywords=["least common multiple"],
    params={
        "a": P("int", about="first integer"),
        "b": P("int", about="second integer"),
    },
    result=R("int", about="least common multiple"),
    cases=[
        case(a=4, b=6, result=12, origin="Python 3.11, exact integers"),
        case(a=-21, b=6, result=42, origin="Python 3.11, exact integers"),
        case(a=-45, b=-79, result=3555, origin="sympy 1.14.0, sympy.ilcm"),
    ],
)
def least_common_multiple(a, b):
    """Least common multiple of two integers, never negative."""
    return lcm(a, b)


@capability(
    "number_theory.lcm_of",
    tier="certified",
    source="hardy2008, sec. 5.1",
    params={
        "values": P("int[n]", about="integers"),
    },
    result=R("int", about="least common multiple"),
    limit={"n": 2000},
    cases=[
        case(values=[4, 6, 10], result=60, origin="Python 3.11, exact integers"),
        case(values=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], result=2520, origin="Python 3.11, exact integers"),
        case(values=[37, -22], result=814, origin="sympy 1.14.0, sympy.ilcm"),
    ],
)
def lcm_of(values):
    """Least common multiple of many integers, never negative."""
    bits = sum(value.bit_length() for value in values)
    if bits > MOST_BITS:
        raise LimitError(f"values have {bits:,} bits together; expected at most {MOST_BITS:,}.")
    return lcm(*values)


@capability(
    "number_theory.extended_gcd",
    tier="certified",
    source="cohen1993, alg. 1.3.6",
    params={
        "a": P("int", about="first integer"),
        "b": P("int", about="second integer"),
    },
    result=R(
        fields={
            "gcd": R("int", about="greatest common divisor"),
            "x": R("int", about="coefficient of the first"),
            "y": R("int", about="coefficient of the second"),
        }
    ),
    cases=[
        case(a=240, b=46, result={"gcd": 2, "x": -9, "y": 47}, origin="by hand: 240 (-9) + 46 * 47 = 2"),
        case(a=99, b=78, result={"gcd": 3, "x": -11, "y": 14}, origin="by hand: 99 (-11) + 78 * 14 = 3"),
        case(a=86, b=85, result={"x": 1, "y": -1, "gcd": 1}, origin="sympy 1.14.0, sympy.core.intfunc.igcdex"),
    ],
)
def extended_gcd(a, b):
    """Greatest common divisor of two integers, and the least coefficients that combine them to it."""
    old, new, old_x, new_x = abs(a), abs(b), 1, 0
    while new:
        check_deadline()
        quotient = old // new
        old, new = new, old - quotient * new
        old_x, new_x = new_x, old_x - quotient * new_x
    y = (old - old_x * abs(a)) // abs(b) if b else 0
    return {"gcd": old, "x": -old_x if a < 0 else old_x, "y": -y if b < 0 else y}


@capability(
    "number_theory.modular_inverse",
    tier="certified",
    source="hardy2008, sec. 5.4",
    params={
        "a": P("int", about="integer"),
        "modulus": P("int", about="modulus", domain="[2, inf)"),
    },
    result=R("int", about="inverse between 1 and the modulus"),
    cases=[
        case(a=3, modulus=11, result=4, origin="Python 3.11, exact integers"),
        case(a=-7, modulus=26, result=11, origin="Python 3.11, exact integers"),
        case(a=2, modulus=4, error="domain_error", origin="by hand"),
        case(a=19, modulus=16, result=11, origin="sympy 1.14.0, sympy.mod_inverse"),
    ],
)
def modular_inverse(a, modulus):
    """Inverse of an integer for multiplication modulo another."""
    if gcd(a, modulus) != 1:
        raise DomainError("a", a, f"an integer without a common divisor with the modulus {modulus}")
    return pow(a, -1, modulus)


@capability(
    "number_theory.modular_power",
    tier="certified",
    source="cohen1993, alg. 1.2.1",
    keywords=["modular exponentiation"],
    params={
        "base": P("int", about="base"),
        "exponent": P("int", about="exponent", domain="[0, inf)"),
        "modulus": P("int", about="modulus", domain="[1, inf)"),
    },
    result=R("int", about="remainder of the power"),
    cases=[
        case(base=2, exponent=100, modulus=1000007, result=698635, origin="Python 3.11, exact integers"),
        case(base=-3, exponent=5, modulus=7, result=2, origin="Python 3.11, exact integers"),
        case(base=2, exponent=36, modulus=27, result=1, origin="sympy 1.14.0, sympy.Pow: sympy.Mod of it"),
    ],
)
def modular_power(base, exponent, modulus):
    """Remainder of a power by a modulus, without forming the power."""
    if exponent.bit_length() * modulus.bit_length() ** 2 > 10**12:
        raise LimitError("The power takes too long; expected fewer digits of exponent and modulus.")
    return pow(base, exponent, modulus)


@capability(
    "number_theory.chinese_remainder",
    tier="certified",
    source="hardy2008, thm. 121",
    params={
        "remainders": P("int[n]", about="remainders"),
        "moduli": P("int[n]", about="moduli", domain="[1, inf)"),
    },
    result=R(
        fields={
            "solution": R("int", about="least solution that is not negative"),
            "modulus": R("int", about="least common multiple of the moduli"),
        }
    ),
    limit={"n": 1000},
    cases=[
        case(
            remainders=[2, 3, 2],
            moduli=[3, 5, 7],
            result={"solution": 23, "modulus": 105},
            origin="by hand: Sunzi Suanjing, 3rd to 5th century",
        ),
        case(remainders=[1, 3], moduli=[4, 6], result={"solution": 9, "modulus": 12}, origin="by hand"),
        case(remainders=[1, 2], moduli=[4, 6], error="domain_error", origin="by hand: odd and even at once"),
        case(
            remainders=[16, 20, 8],
            moduli=[20, 13, 23],
            result={"solution": 5896, "modulus": 5980},
            origin="sympy 1.14.0, sympy.ntheory.modular.crt",
        ),
    ],
)
def chinese_remainder(remainders, moduli):
    """Least integer with given remainders by several moduli, which may share divisors."""
    bits = sum(divisor.bit_length() for divisor in moduli)
    if bits > MOST_BITS // 10:  # each step works on all digits found so far
        raise LimitError(f"moduli have {bits:,} bits together; expected at most {MOST_BITS // 10:,}.")
    solution, modulus = 0, 1
    for remainder, divisor in zip(remainders, moduli, strict=True):
        common = gcd(modulus, divisor)
        if (remainder - solution) % common:
            raise DomainError("remainders", remainder, "remainders that no two moduli contradict")
        rest = divisor // common
        step = (remainder - solution) // common * pow(modulus // common, -1, rest) % rest if rest > 1 else 0
        solution, modulus = solution + modulus * step, modulus * rest
    return {"solution": solution % modulus, "modulus": modulus}


@capability(
    "number_theory.linear_congruence",
    tier="certified",
    source="hardy2008, thm. 57",
    params={
        "a": P("int", about="coefficient"),
        "b": P("int", about="right-hand side"),
        "modulus": P("int", about="modulus", domain="[1, inf)"),
    },
    result=R(
        fields={
            "solution": R("int", about="least solution that is not negative"),
            "modulus": R("int", about="modulus of all solutions"),
        }
    ),
    cases=[
        case(a=3, b=1, modulus=7, result={"solution": 5, "modulus": 7}, origin="by hand"),
        case(a=6, b=4, modulus=10, result={"solution": 4, "modulus": 5}, origin="by hand"),
        case(a=2, b=1, modulus=4, error="domain_error", origin="by hand"),
        case(
            a=-58,
            b=-36,
            modulus=7,
            result={"solution": 4.0, "modulus": 7},
            within=1e-14,
            origin="sympy 1.14.0, sympy.ntheory.residue_ntheory.polynomial_congruence",
        ),
    ],
)
def linear_congruence(a, b, modulus):
    """Solutions of the congruence a x = b modulo an integer."""
    common = gcd(a, modulus)
    if b % common:
        raise DomainError("b", b, f"a multiple of {common}")
    rest = modulus // common
    return {"solution": b // common * pow(a // common, -1, rest) % rest if rest > 1 else 0, "modulus": rest}


@capability(
    "number_theory.linear_diophantine",
    tier="certified",
    source="hardy2008, thm. 25",
    params={
        "a": P("int", about="first coefficient"),
        "b": P("int", about="second coefficient"),
        "c": P("int", about="right-hand side"),
    },
    result=R(
        fields={
            "x": R("int", about="least x that is not negative"),
            "y": R("int", about="the y that belongs to it"),
            "step_x": R("int", about="step of x from one solution to the next"),
            "step_y": R("int", about="step of y from one solution to the next"),
        }
    ),
    cases=[
        case(a=3, b=5, c=1, result={"x": 2, "y": -1, "step_x": 5, "step_y": -3}, origin="by hand"),
        case(a=12, b=18, c=30, result={"x": 1, "y": 1, "step_x": 3, "step_y": -2}, origin="by hand"),
        case(a=2, b=4, c=1, error="domain_error", origin="by hand"),
    ],
)
def linear_diophantine(a, b, c):
    """Integer solutions of a x + b y = c, for b other than zero."""
    if b == 0:
        raise DomainError("b", b, "an integer other than zero")
    common = gcd(a, b)
    if c % common:
        raise DomainError("c", c, f"a multiple of {common}")
    rest = abs(b) // common
    x = c // common * pow(a // common, -1, rest) % rest if rest > 1 else 0
    return {"x": x, "y": (c - a * x) // b, "step_x": rest, "step_y": -a * rest // b}


@capability(
    "number_theory.multiplicative_order",
    tier="certified",
    source="cohen1993, alg. 1.4.3",
    params={
        "a": P("int", about="integer"),
        "modulus": P("int", about="modulus", domain="[2, 1e40]"),
    },
    result=R("int", about="multiplicative order"),
    cases=[
        case(a=2, modulus=7, result=3, origin="sympy 1.14.0, sympy.n_order"),
        case(a=10, modulus=983, result=982, origin="sympy 1.14.0, sympy.n_order"),
        case(a=2, modulus=6, error="domain_error", origin="by hand"),
    ],
)
def multiplicative_order(a, modulus):
    """Least positive exponent that turns an integer to one modulo another: also a decimal's period."""
    if gcd(a, modulus) != 1:
        raise DomainError("a", a, f"an integer without a common divisor with the modulus {modulus}")
    order = prod(p ** (e - 1) * (p - 1) for p, e in factors(modulus))
    for q, e in factors(order):
        for _ in range(e):
            if pow(a, order // q, modulus) == 1:
                order //= q
    return order


@capability(
    "number_theory.primitive_root",
    tier="certified",
    source="cohen1993, alg. 1.4.4",
    params={
        "p": P("int", about="prime", domain="[2, 1e40]"),
    },
    result=R("int", about="least primitive root"),
    cases=[
        case(p=23, result=5, origin="sympy 1.14.0, sympy.primitive_root"),
        case(p=40487, result=5, origin="sympy 1.14.0, sympy.primitive_root"),
        case(p=15, error="domain_error", origin="by hand"),
    ],
)
def primitive_root(p):
    """Least integer whose powers are all the units modulo a prime."""
    prime("p", p)
    return least_primitive_root(p)


@capability(
    "number_theory.discrete_logarithm",
    tier="certified",
    source="cohen1993, sec. 5.4",
    params={
        "base": P("int", about="base"),
        "value": P("int", about="power of the base"),
        "modulus": P("int", about="modulus", domain="[2, 1000000000000]"),
    },
    result=R("int", about="least exponent"),
    cases=[
        case(base=6, value=1, modulus=13, result=0, origin="by hand"),
        case(base=2, value=9, modulus=11, result=6, origin="sympy 1.14.0, sympy.discrete_log"),
        case(base=5, value=33, modulus=58, result=9, origin="sympy 1.14.0, sympy.discrete_log"),
        case(base=4, value=2, modulus=7, result=2, origin="sympy 1.14.0, sympy.discrete_log"),
        case(base=4, value=3, modulus=7, error="domain_error", origin="by hand"),
    ],
)
def discrete_logarithm(base, value, modulus):
    """Least exponent with which a base gives a value modulo an integer, by baby and giant steps."""
    if gcd(base, modulus) != 1:
        raise DomainError("base", base, f"an integer without a common divisor with the modulus {modulus}")
    if (value - 1) % modulus == 0:
        return 0
    size = isqrt(modulus) + 1
    steps, power = {}, value % modulus
    for j in range(size):  # value * base^j = base^(i * size); the largest j of the first i is the least exponent
        steps[power] = j
        power = power * base % modulus
    giant, power = pow(base, size, modulus), 1
    for i in range(1, size + 1):
        power = power * giant % modulus
        if power in steps:
            return i * size - steps[power]
    raise DomainError("value", value, f"a power of {base} modulo {modulus}")


@capability(
    "number_theory.jacobi_symbol",
    tier="certified",
    source="dlmf, 27.9",
    params={
        "a": P("int", about="integer"),
        "n": P("int", about="odd positive integer", domain="[1, inf)"),
    },
    result=R("int", about="Jacobi symbol"),
    cases=[
        case(a=1001, n=9907, result=-1, origin="sympy 1.14.0, sympy.jacobi_symbol"),
        case(a=45, n=77, result=-1, origin="sympy 1.14.0, sympy.jacobi_symbol"),
        case(a=3, n=8, error="domain_error", origin="by hand"),
    ],
)
def jacobi_symbol(a, n):
    """Jacobi symbol of an integer over an odd positive one; for a prime, Legendre's."""
    if n % 2 == 0:
        raise DomainError("n", n, "an odd integer")
    return 1 if n == 1 else int(fmpz(a % n).jacobi(fmpz(n)))


@capability(
    "number_theory.kronecker_symbol",
    tier="certified",
    source="cohen1993, def. 1.4.8",
    params={
        "a": P("int", about="integer"),
        "n": P("int", about="integer"),
    },
    result=R("int", about="Kronecker symbol"),
    cases=[
        case(a=5, n=2, result=-1, origin="sympy 1.14.0, sympy.kronecker_symbol"),
        case(a=-4, n=15, result=-1, origin="sympy 1.14.0, sympy.kronecker_symbol"),
        case(a=7, n=-12, result=1, origin="sympy 1.14.0, sympy.kronecker_symbol"),
    ],
)
def kronecker_symbol(a, n):
    """Kronecker symbol of two integers: Jacobi's symbol extended to even and negative ones."""
    if n == 0:
        return int(abs(a) == 1)
    sign = -1 if n < 0 and a < 0 else 1
    n = abs(n)
    twos = (n & -n).bit_length() - 1
    n >>= twos
    if twos and a % 2 == 0:
        return 0
    two = {1: 1, 7: 1, 3: -1, 5: -1}.get(a % 8, 1)
    return sign * two**twos * (1 if n == 1 else int(fmpz(a % n).jacobi(fmpz(n))))


@capability(
    "number_theory.modular_square_root",
    tier="certified",
    source="cohen1993, alg. 1.5.1",
    params={
        "a": P("int", about="integer"),
        "p": P("int", about="prime", domain="[2, 1e100]"),
    },
    result=R("int", about="lesser of the two square roots"),
    cases=[
        case(a=10, p=13, result=6, origin="sympy 1.14.0, sympy.sqrt_mod"),
        case(a=2, p=1000000007, result=59713600, origin="sympy 1.14.0, sympy.sqrt_mod"),
        case(a=3, p=7, error="domain_error", origin="by hand"),
    ],
)
def modular_square_root(a, p):
    """Lesser of the square roots of an integer modulo a prime."""
    prime("p", p)
    a %= p
    if p == 2 or a == 0:
        return a
    if fmpz(a).jacobi(fmpz(p)) != 1:
        raise DomainError("a", a, f"a square modulo {p}")
    root = int(fmpz(a).sqrtmod(fmpz(p)))
    return min(root, p - root)
