"""Primes, factors and divisors of single integers, and the arithmetic functions that follow from them."""

from math import lcm, prod

from flint import fmpz
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError


def factors(n):
    """Return (prime, exponent) pairs of a positive integer."""
    return [(int(p), int(e)) for p, e in fmpz(n).factor()] if n > 1 else []


def prime(name, p):
    """Refuse what is no prime."""
    if not fmpz(p).is_prime():
        raise DomainError(name, p, "a prime")


@capability(
    "number_theory.is_prime",
    tier="certified",
    source="crandall2005, ch. 4",
    params={
        "n": P("int", about="integer", domain="[-1e300, 1e300]"),
    },
    result=R("bool", about="whether it is a prime"),
    cases=[
        case(n=1000000007, result=True, origin="sympy 1.14.0, sympy.isprime"),
        case(n=561, result=False, origin="by hand: 3 * 11 * 17, a Carmichael number"),
        case(n="170141183460469231731687303715884105727", result=True, origin="by hand: Lucas 1876, 2^127 - 1"),
        case(n=1, result=False, origin="by hand"),
    ],
)
def is_prime(n):
    """Whether an integer is a prime, proven and not merely probable."""
    return n > 1 and bool(fmpz(n).is_prime())


@capability(
    "number_theory.next_prime",
    tier="certified",
    source="crandall2005, ch. 1",
    params={
        "n": P("int", about="integer", domain="[-1e100, 1e100]"),
    },
    result=R("int", about="least prime above it"),
    cases=[
        case(n=100, result=101, origin="sympy 1.14.0, sympy.nextprime"),
        case(n=1000000, result=1000003, origin="sympy 1.14.0, sympy.nextprime"),
        case(n=-5, result=2, origin="by hand"),
    ],
)
def next_prime(n):
    """Least prime that is greater than an integer."""
    if n < 2:
        return 2
    candidate = n + 1 + (n % 2 if n > 2 else 0)
    while not fmpz(candidate).is_prime():
        check_deadline()
        candidate += 2
    return candidate


@capability(
    "number_theory.previous_prime",
    tier="certified",
    source="crandall2005, ch. 1",
    params={
        "n": P("int", about="integer", domain="[3, 1e100]"),
    },
    result=R("int", about="greatest prime below it"),
    cases=[
        case(n=100, result=97, origin="sympy 1.14.0, sympy.prevprime"),
        case(n=1000000, result=999983, origin="sympy 1.14.0, sympy.prevprime"),
        case(n=3, result=2, origin="by hand"),
    ],
)
def previous_prime(n):
    """Greatest prime that is less than an integer."""
    if n == 3:
        return 2
    candidate = n - 1 - (n % 2)
    candidate += candidate % 2 == 0
    while not fmpz(candidate).is_prime():
        check_deadline()
        candidate -= 2
    return candidate


@capability(
    "number_theory.factorize",
    tier="certified",
    source="crandall2005, ch. 5 and 6",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R(
        fields={
            "primes": R("int[k]", about="prime factors in ascending order"),
            "exponents": R("int[k]", about="their exponents"),
        }
    ),
    cases=[
        case(n=360, result={"primes": [2, 3, 5], "exponents": [3, 2, 1]}, origin="sympy 1.14.0, sympy.factorint"),
        case(
            n="1234567890123456789",
            result={"primes": [3, 101, 3541, 3607, 3803, 27961], "exponents": [2, 1, 1, 1, 1, 1]},
            origin="sympy 1.14.0, sympy.factorint",
        ),
        case(
            n="18446744073709551617",
            result={"primes": [274177, 67280421310721], "exponents": [1, 1]},
            origin="by hand: Landry's factors of 2^64 + 1",
        ),
    ],
)
def factorize(n):
    """Prime factors of a positive integer, with their exponents."""
    found = factors(n)
    return {"primes": [p for p, _ in found], "exponents": [e for _, e in found]}


@capability(
    "number_theory.divisors",
    tier="certified",
    source="hardy2008, sec. 16.7",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e40]"),
    },
    result=R("int[k]", about="divisors in ascending order, 1 and n included"),
    cases=[
        case(n=28, result=[1, 2, 4, 7, 14, 28], origin="sympy 1.14.0, sympy.divisors"),
        case(
            n=360,
            result=[1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 18, 20, 24, 30, 36, 40, 45, 60, 72, 90, 120, 180, 360],
            origin="sympy 1.14.0, sympy.divisors",
        ),
    ],
)
def divisors(n):
    """All divisors of a positive integer, in ascending order."""
    found = factors(n)
    if prod(e + 1 for _, e in found) > 200_000:
        raise LimitError("The integer has more than 200,000 divisors.")
    values = [1]
    for p, e in found:
        values = [value * p**k for value in values for k in range(e + 1)]
    return sorted(values)


@capability(
    "number_theory.divisor_count",
    tier="certified",
    source="dlmf, 27.2.9",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="number of divisors, 1 and n included"),
    cases=[
        case(n=360, result=24, origin="sympy 1.14.0, sympy.divisor_count"),
        case(n=1000000007, result=2, origin="sympy 1.14.0, sympy.divisor_count"),
    ],
)
def divisor_count(n):
    """Number of the divisors of a positive integer."""
    return prod(e + 1 for _, e in factors(n))


@capability(
    "number_theory.divisor_sum",
    tier="certified",
    source="dlmf, 27.2.10",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
        "power": P("int", about="power of the divisors", domain="[0, 100]"),
    },
    result=R("int", about="sum of the powers of the divisors, 1 and n included"),
    cases=[
        case(n=28, power=1, result=56, origin="sympy 1.14.0, sympy.divisor_sigma"),
        case(n=360, power=2, result=201110, origin="sympy 1.14.0, sympy.divisor_sigma"),
    ],
)
def divisor_sum(n, power):
    """Sum of the powers of the divisors of a positive integer: the sigma functions."""
    return fmpz_sigma(n, power)


def fmpz_sigma(n, power):
    """Return sigma by the multiplicative formula."""
    return prod(e + 1 if power == 0 else (p ** (power * (e + 1)) - 1) // (p**power - 1) for p, e in factors(n))


@capability(
    "number_theory.totient",
    tier="certified",
    source="dlmf, 27.2.7",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="Euler's totient"),
    cases=[
        case(n=36, result=12, origin="sympy 1.14.0, sympy.totient"),
        case(n=1000000, result=400000, origin="sympy 1.14.0, sympy.totient"),
    ],
)
def totient(n):
    """Euler's totient: how many integers up to n have no common divisor with it."""
    return prod(p ** (e - 1) * (p - 1) for p, e in factors(n))


@capability(
    "number_theory.carmichael",
    tier="certified",
    source="crandall2005, sec. 2.1",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="Carmichael function"),
    cases=[
        case(n=561, result=80, origin="sympy 1.14.0, sympy.reduced_totient"),
        case(n=1000, result=100, origin="sympy 1.14.0, sympy.reduced_totient"),
    ],
)
def carmichael(n):
    """Carmichael function: the least exponent that turns every unit modulo n to one."""
    orders = [p ** (e - 1) * (p - 1) // (2 if p == 2 and e > 2 else 1) for p, e in factors(n)]
    return lcm(*orders)


@capability(
    "number_theory.moebius",
    tier="certified",
    source="dlmf, 27.2.12",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="Moebius function"),
    cases=[
        case(n=30, result=-1, origin="sympy 1.14.0, sympy.mobius"),
        case(n=12, result=0, origin="sympy 1.14.0, sympy.mobius"),
        case(n=1, result=1, origin="by hand"),
    ],
)
def moebius(n):
    """Moebius function: zero for a squared factor, else the sign of the number of prime factors."""
    found = factors(n)
    return 0 if any(e > 1 for _, e in found) else (-1) ** len(found)


@capability(
    "number_theory.liouville",
    tier="certified",
    source="dlmf, 27.2.13",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="Liouville function"),
    cases=[
        case(n=30, result=-1, origin="oeis, A008836"),
        case(n=12, result=-1, origin="oeis, A008836"),
        case(n=36, result=1, origin="by hand"),
    ],
)
def liouville(n):
    """Liouville function: the sign of the number of prime factors with multiplicity."""
    return (-1) ** sum(e for _, e in factors(n))


@capability(
    "number_theory.radical",
    tier="certified",
    source="oeis, A007947",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="product of the distinct primes"),
    cases=[
        case(n=360, result=30, origin="oeis, A007947"),
        case(n=49, result=7, origin="by hand"),
    ],
)
def radical(n):
    """Product of the distinct prime factors of a positive integer."""
    return prod(p for p, _ in factors(n))


@capability(
    "number_theory.distinct_prime_factors",
    tier="certified",
    source="dlmf, 27.2.1",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="number of distinct primes"),
    cases=[
        case(n=360, result=3, origin="sympy 1.14.0, sympy.primefactors"),
        case(n=30030, result=6, origin="sympy 1.14.0, sympy.primefactors"),
    ],
)
def distinct_prime_factors(n):
    """Number of the distinct prime factors of a positive integer."""
    return len(factors(n))


@capability(
    "number_theory.prime_factors_with_multiplicity",
    tier="certified",
    source="hardy2008, sec. 22.10",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="number of prime factors"),
    cases=[
        case(n=360, result=6, origin="sympy 1.14.0, sympy.factorint"),
        case(n=1024, result=10, origin="sympy 1.14.0, sympy.factorint"),
    ],
)
def prime_factors_with_multiplicity(n):
    """Number of the prime factors of a positive integer, each as often as it divides."""
    return sum(e for _, e in factors(n))


@capability(
    "number_theory.squarefree_part",
    tier="certified",
    source="hardy2008, sec. 2.6",
    params={
        "n": P("int", about="positive integer", domain="[1, 1e48]"),
    },
    result=R("int", about="squarefree part"),
    cases=[
        case(n=72, result=2, origin="oeis, A007913"),
        case(n=60, result=15, origin="oeis, A007913"),
    ],
)
def squarefree_part(n):
    """Least positive integer that makes a square of n when multiplied by it."""
    return prod(p for p, e in factors(n) if e % 2)


@capability(
    "number_theory.p_adic_valuation",
    tier="certified",
    version=2,
    source="cohen1993, sec. 4.1",
    params={
        "n": P("int", about="integer other than zero"),
        "p": P("int", about="prime", domain="[2, 1e300]"),
    },
    result=R("int", about="exponent of the prime"),
    cases=[
        case(n=48, p=2, result=4, origin="by hand"),
        case(n=-250, p=5, result=3, origin="by hand"),
        case(n=12, p=6, error="domain_error", origin="by hand: no prime"),
        case(n=2729, p=3, result=0, origin="sympy 1.14.0, sympy.multiplicity"),
    ],
)
def p_adic_valuation(n, p):
    """How often a prime divides an integer other than zero."""
    prime("p", p)
    if n == 0:
        raise DomainError("n", n, "an integer other than zero")
    powers, rest, count = [p], abs(n), 0
    while powers[-1].bit_length() * 2 <= rest.bit_length() + 1:  # by squares, so that long integers take few divisions
        powers.append(powers[-1] ** 2)
    for k in reversed(range(len(powers))):
        check_deadline()
        while rest % powers[k] == 0:
            rest, count = rest // powers[k], count + 2**k
    return count


@capability(
    "number_theory.factorial_valuation",
    tier="certified",
    version=2,
    source="hardy2008, thm. 416",
    params={
        "n": P("int", about="whole number", domain="[0, inf)"),
        "p": P("int", about="prime", domain="[2, 1e300]"),
    },
    result=R("int", about="exponent of the prime in n factorial"),
    cases=[
        case(n=100, p=5, result=24, origin="by hand: 20 + 4 trailing zeros"),
        case(n=10, p=2, result=8, origin="by hand: 10! = 3628800"),
        case(n=300, p=7, result=48, origin="sympy 1.14.0, sympy.ntheory.factor_.multiplicity_in_factorial"),
    ],
)
def factorial_valuation(n, p):
    """How often a prime divides a factorial, by Legendre's formula."""
    prime("p", p)
    total = 0
    while n:
        n //= p
        total += n
    return total
