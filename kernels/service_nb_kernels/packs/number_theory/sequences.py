"""Continued fractions, sums of squares, digits, and what a few steps of arithmetic lead to."""

from math import gcd, isqrt

from flint import fmpz
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError, quotable

MOST_BITS = 100_000_000  # of all convergents together


def period_of_root(n):
    """Return the whole part and the period of the continued fraction of a square root."""
    first = isqrt(n)
    if first * first == n:
        return first, []
    m, d, a, period = 0, 1, first, []
    while a != 2 * first:
        m = d * a - m
        d = (n - m * m) // d
        a = (first + m) // d
        period.append(a)
        if len(period) > 100_000:
            raise LimitError("The period is longer than 100,000 terms.")
    return first, period


def convergents_of(terms):
    """Yield numerator and denominator of the convergents."""
    p, q, p_before, q_before = 1, 0, 0, 1
    for a in terms:
        p, p_before = a * p + p_before, p
        q, q_before = a * q + q_before, q
        yield p, q


@capability(
    "number_theory.continued_fraction",
    tier="certified",
    source="hardy2008, sec. 10.6",
    params={
        "numerator": P("int", about="numerator"),
        "denominator": P("int", about="denominator", domain="[1, inf)"),
    },
    result=R("int[k]", about="partial quotients"),
    cases=[
        case(numerator=415, denominator=93, result=[4, 2, 6, 7], origin="by hand"),
        case(numerator=-7, denominator=3, result=[-3, 1, 2], origin="by hand"),
        case(
            numerator=795,
            denominator=19,
            result=[41, 1, 5, 3],
            origin="sympy 1.14.0, sympy.ntheory.continued_fraction.continued_fraction",
        ),
    ],
)
def continued_fraction(numerator, denominator):
    """Partial quotients of the continued fraction of a rational number."""
    terms = []
    while denominator:
        check_deadline()
        quotient, rest = divmod(numerator, denominator)
        terms.append(quotient)
        numerator, denominator = denominator, rest
        if len(terms) > 100_000:
            raise LimitError("The fraction has more than 100,000 partial quotients.")
    return terms


@capability(
    "number_theory.continued_fraction_of_root",
    tier="certified",
    source="hardy2008, sec. 10.12",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e12]"),
    },
    result=R(
        fields={
            "whole": R("int", about="whole part of the root"),
            "period": R("int[k]", about="period of the partial quotients, empty for a square"),
        }
    ),
    cases=[
        case(n=7, result={"whole": 2, "period": [1, 1, 1, 4]}, origin="oeis, A010121"),
        case(n=13, result={"whole": 3, "period": [1, 1, 1, 1, 6]}, origin="oeis, A010122"),
        case(n=9, result={"whole": 3, "period": []}, origin="by hand"),
    ],
)
def continued_fraction_of_root(n):
    """Continued fraction of the square root of an integer: its whole part and its period."""
    first, period = period_of_root(n)
    return {"whole": first, "period": period}


@capability(
    "number_theory.convergents",
    tier="certified",
    source="hardy2008, thm. 149",
    params={
        "terms": P("int[n]", about="partial quotients, positive from the second on"),
    },
    result=R(fields={"numerators": R("int[n]", about="numerators"), "denominators": R("int[n]", about="denominators")}),
    limit={"n": 2000},
    cases=[
        case(
            terms=[3, 7, 15, 1],
            result={"numerators": [3, 22, 333, 355], "denominators": [1, 7, 106, 113]},
            origin="oeis, A002485 and A002486: convergents of pi",
        ),
        case(
            terms=[1, 1, 1, 1, 1],
            result={"numerators": [1, 2, 3, 5, 8], "denominators": [1, 1, 2, 3, 5]},
            origin="by hand: Fibonacci",
        ),
    ],
)
def convergents(terms):
    """Convergents of a continued fraction, each a best approximation."""
    if min(terms[1:], default=1) < 1:
        raise DomainError("terms", min(terms[1:]), "positive partial quotients from the second on")
    digits = len(terms) * sum(term.bit_length() for term in terms)
    if digits > MOST_BITS:
        raise LimitError(f"The convergents may have {digits:,} bits together; expected at most {MOST_BITS:,}.")
    pairs = list(convergents_of(terms))
    return {"numerators": [p for p, _ in pairs], "denominators": [q for _, q in pairs]}


@capability(
    "number_theory.pell_solution",
    tier="certified",
    source="cohen1993, sec. 5.7",
    params={
        "n": P("int", about="positive integer that is no square", domain="[2, 1e9]"),
    },
    result=R(fields={"x": R("int", about="least x"), "y": R("int", about="least y")}),
    cases=[
        case(n=2, result={"x": 3, "y": 2}, origin="oeis, A002350, A002349"),
        case(n=61, result={"x": 1766319049, "y": 226153980}, origin="oeis, A002350: Fermat 1657"),
        case(n=9, error="domain_error", origin="by hand"),
    ],
)
def pell_solution(n):
    """Least positive solution of Pell's equation x^2 - n y^2 = 1."""
    first, period = period_of_root(n)
    if not period:
        raise DomainError("n", n, "an integer that is no square")
    terms = [first, *period[:-1]] if len(period) % 2 == 0 else [first, *period, *period[:-1]]
    *_, (x, y) = convergents_of(terms)
    return {"x": x, "y": y}


@capability(
    "number_theory.sum_of_two_squares",
    tier="certified",
    source="hardy2008, thm. 366",
    params={
        "n": P("int", about="whole number", domain="[0, 1e12]"),
    },
    result=R(fields={"a": R("int", about="lesser number, the least possible"), "b": R("int", about="greater number")}),
    cases=[
        case(n=25, result={"a": 0, "b": 5}, origin="by hand"),
        case(n=325, result={"a": 1, "b": 18}, origin="by hand"),
        case(n=7, error="domain_error", origin="hardy2008, thm. 366"),
        case(
            n=232, result={"a": 6, "b": 14}, origin="sympy 1.14.0, sympy.solvers.diophantine.diophantine.sum_of_squares"
        ),
    ],
)
def sum_of_two_squares(n):
    """Two squares that add up to a whole number, with the least first one."""
    for a in range(isqrt(n // 2) + 1):
        rest = n - a * a
        if isqrt(rest) ** 2 == rest:
            return {"a": a, "b": isqrt(rest)}
    raise DomainError("n", n, "a sum of two squares")


@capability(
    "number_theory.representations_as_two_squares",
    tier="certified",
    source="hardy2008, thm. 278",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e40]"),
    },
    result=R("int", about="number of representations, with order and sign"),
    cases=[
        case(n=25, result=12, origin="oeis, A004018"),
        case(n=5, result=8, origin="oeis, A004018"),
        case(n=3, result=0, origin="oeis, A004018"),
    ],
)
def representations_as_two_squares(n):
    """In how many ways a positive integer is a sum of two squares, with order and sign."""
    count = 4
    for p, e in fmpz(n).factor() if n > 1 else ():
        count *= int(e) + 1 if p % 4 == 1 else 1 if p == 2 or e % 2 == 0 else 0
    return count


@capability(
    "number_theory.representations_as_four_squares",
    tier="certified",
    source="hardy2008, thm. 386",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e40]"),
    },
    result=R("int", about="number of representations, with order and sign"),
    cases=[
        case(n=1, result=8, origin="oeis, A000118"),
        case(n=4, result=24, origin="oeis, A000118"),
        case(n=15, result=192, origin="oeis, A000118"),
    ],
)
def representations_as_four_squares(n):
    """In how many ways a positive integer is a sum of four squares, by Jacobi's theorem."""
    odd = n
    while odd % 2 == 0:
        odd //= 2
    return (8 if n % 2 else 24) * int(fmpz(odd).divisor_sigma(1))


@capability(
    "number_theory.primitive_pythagorean_triples",
    tier="certified",
    source="hardy2008, thm. 225",
    params={
        "largest": P("int", about="longest hypotenuse", domain="[1, 100000]"),
    },
    result=R("int[k,m]", about="triples in ascending order of the hypotenuse"),
    cases=[
        case(
            largest=30, result=[[3, 4, 5], [5, 12, 13], [8, 15, 17], [7, 24, 25], [20, 21, 29]], origin="oeis, A020882"
        ),
        case(largest=5, result=[[3, 4, 5]], origin="by hand"),
    ],
)
def primitive_pythagorean_triples(largest):
    """Right triangles with whole sides without a common divisor, up to a longest side."""
    found = []
    for m in range(2, isqrt(largest) + 1):
        for n in range(1 + m % 2, m, 2):
            if m * m + n * n <= largest and gcd(m, n) == 1:
                legs = sorted((m * m - n * n, 2 * m * n))
                found.append([m * m + n * n, *legs])
    return [[a, b, c] for c, a, b in sorted(found)]


@capability(
    "number_theory.frobenius_number",
    tier="certified",
    source="ramirez2005, ch. 2",
    params={
        "a": P("int", about="first coin", domain="[2, inf)"),
        "b": P("int", about="second coin", domain="[2, inf)"),
    },
    result=R("int", about="greatest amount that cannot be paid"),
    cases=[
        case(a=5, b=7, result=23, origin="by hand: Sylvester 1884"),
        case(a=6, b=9, error="domain_error", origin="by hand: a common divisor"),
        case(a=3, b=4, result=5, origin="by hand"),
    ],
)
def frobenius_number(a, b):
    """Greatest amount that two coins without a common divisor cannot pay."""
    if gcd(a, b) != 1:
        raise DomainError("b", b, f"an integer without a common divisor with {quotable(a)}")
    return a * b - a - b


@capability(
    "number_theory.integer_root",
    tier="certified",
    source="knuth1998, sec. 4.7",
    params={
        "n": P("int", about="whole number", domain="[0, inf)"),
        "degree": P("int", about="degree of the root", domain="[1, 1000]"),
    },
    result=R("int", about="whole part of the root"),
    cases=[
        case(n=1000, degree=3, result=10, origin="by hand"),
        case(n=99, degree=2, result=9, origin="by hand"),
        case(n="1000000000000000000000000000000000000000000", degree=7, result=1000000, origin="by hand"),
        case(n=57254, degree=3, result=38, origin="sympy 1.14.0, sympy.integer_nthroot"),
    ],
)
def integer_root(n, degree):
    """Whole part of a root of a whole number."""
    return int(fmpz(n).root(degree)) if n > 1 else n


@capability(
    "number_theory.is_perfect_power",
    tier="certified",
    source="crandall2005, sec. 1.1",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e300]"),
    },
    result=R("bool", about="whether it is a power with an exponent above one"),
    cases=[
        case(n=243, result=True, origin="by hand"),
        case(n=72, result=False, origin="by hand"),
        case(n=1, result=True, origin="by hand"),
        case(n=32, result=True, origin="sympy 1.14.0, sympy.perfect_power"),
    ],
)
def is_perfect_power(n):
    """Whether a positive integer is a whole power of an integer, with an exponent above one."""
    return n == 1 or bool(fmpz(n).is_perfect_power())


@capability(
    "number_theory.digit_sum",
    tier="certified",
    source="knuth1998, sec. 4.1",
    params={
        "n": P("int", about="integer, whose sign does not count"),
        "base": P("int", about="base", domain="[2, 1000]"),
    },
    result=R("int", about="sum of the digits"),
    cases=[
        case(n=9875, base=10, result=29, origin="by hand"),
        case(n=255, base=2, result=8, origin="by hand"),
        case(n=87408, base=13, result=24, origin="sympy 1.14.0, sympy.ntheory.digits.digits: sum"),
    ],
)
def digit_sum(n, base):
    """Sum of the digits of an integer in a base."""
    return sum(digits_of(abs(n), base))


def digits_of(n, base):
    """Return the digits from the lowest."""
    if n.bit_length() > 100_000:
        raise LimitError("The integer has more than 100,000 bits.")
    found = []
    while n:
        n, digit = divmod(n, base)
        found.append(digit)
    return found or [0]


@capability(
    "number_theory.digits",
    tier="certified",
    source="knuth1998, sec. 4.1",
    params={
        "n": P("int", about="whole number", domain="[0, inf)"),
        "base": P("int", about="base", domain="[2, 1000000]"),
    },
    result=R("int[k]", about="digits from the highest"),
    cases=[
        case(n=255, base=16, result=[15, 15], origin="by hand"),
        case(n=1000, base=7, result=[2, 6, 2, 6], origin="by hand"),
        case(n=37059, base=9, result=[5, 5, 7, 4, 6], origin="sympy 1.14.0, sympy.ntheory.digits.digits"),
    ],
)
def digits(n, base):
    """Digits of a whole number in a base, from the highest."""
    return digits_of(n, base)[::-1]


@capability(
    "number_theory.from_digits",
    tier="certified",
    source="knuth1998, sec. 4.1",
    params={
        "digits": P("int[n]", about="digits from the highest", domain="[0, 1000000]"),
        "base": P("int", about="base", domain="[2, 1000001]"),
    },
    result=R("int", about="whole number"),
    limit={"n": 10000},
    cases=[
        case(digits=[2, 6, 2, 6], base=7, result=1000, origin="by hand"),
        case(digits=[1, 0, 1], base=2, result=5, origin="by hand"),
        case(digits=[3], base=2, error="domain_error", origin="by hand"),
        case(digits=[9, 6, 7, 4, 4, 4], base=14, result=5090964, origin="sympy 1.14.0, sympy.Poly: eval"),
    ],
)
def from_digits(digits, base):
    """Whole number with given digits in a base."""
    total = 0
    for digit in digits:
        if digit >= base:
            raise DomainError("digits", digit, f"digits below {base}")
        total = total * base + digit
    return total


@capability(
    "number_theory.digital_root",
    tier="certified",
    source="hardy2008, sec. 9.5",
    params={
        "n": P("int", about="whole number", domain="[0, inf)"),
    },
    result=R("int", about="digital root"),
    cases=[
        case(n=65536, result=7, origin="oeis, A010888"),
        case(n=9, result=9, origin="by hand"),
    ],
)
def digital_root(n):
    """Last of the repeated sums of the decimal digits of a whole number."""
    return 1 + (n - 1) % 9 if n else 0


@capability(
    "number_theory.decimal_period",
    tier="certified",
    source="hardy2008, thm. 135",
    params={
        "denominator": P("int", about="denominator", domain="[1, 1e30]"),
    },
    result=R("int", about="length of the period, 0 if the decimal ends"),
    cases=[
        case(denominator=7, result=6, origin="oeis, A007732"),
        case(denominator=97, result=96, origin="oeis, A001913"),
        case(denominator=40, result=0, origin="by hand"),
    ],
)
def decimal_period(denominator):
    """Length of the repeating part of the decimal expansion of a unit fraction."""
    for p in (2, 5):
        while denominator % p == 0:
            denominator //= p
    if denominator == 1:
        return 0
    order = int(fmpz(denominator).euler_phi())
    for q, e in fmpz(order).factor():
        for _ in range(int(e)):
            if pow(10, order // int(q), denominator) == 1:
                order //= int(q)
    return order


@capability(
    "number_theory.collatz_steps",
    tier="certified",
    source="lagarias1985b, sec. 1",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e100]"),
    },
    result=R("int", about="number of steps"),
    cases=[
        case(n=27, result=111, origin="oeis, A006577"),
        case(n=6, result=8, origin="oeis, A006577"),
    ],
)
def collatz_steps(n):
    """Steps of halving, or tripling and adding one, until a positive integer becomes one."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 1_000_000:
            raise LimitError("One is not reached within 1,000,000 steps.")
    return steps


@capability(
    "number_theory.farey_sequence",
    tier="certified",
    source="hardy2008, sec. 3.1",
    params={
        "order": P("int", about="largest denominator", domain="[1, 300]"),
    },
    result=R(fields={"numerators": R("int[n]", about="numerators"), "denominators": R("int[n]", about="denominators")}),
    cases=[
        case(order=3, result={"numerators": [0, 1, 1, 2, 1], "denominators": [1, 3, 2, 3, 1]}, origin="by hand"),
        case(
            order=4,
            result={"numerators": [0, 1, 1, 1, 2, 3, 1], "denominators": [1, 4, 3, 2, 3, 4, 1]},
            origin="by hand",
        ),
    ],
)
def farey_sequence(order):
    """Reduced fractions from 0 to 1 with bounded denominators, in ascending order."""
    a, b, c, d = 0, 1, 1, order
    pairs = [(a, b)]
    while c <= order:
        step = (order + b) // d
        a, b, c, d = c, d, step * c - a, step * d - b
        pairs.append((a, b))
    return {"numerators": [p for p, _ in pairs], "denominators": [q for _, q in pairs]}
