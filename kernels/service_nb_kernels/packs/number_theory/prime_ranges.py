"""Primes in ranges: listed, counted and multiplied by sieves."""

import math
from itertools import pairwise
from math import isqrt, prod

from flint import arb, fmpz
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.numeric import np


def sieve(limit):
    """Return the primes up to a limit."""
    flags = bytearray([1]) * (limit + 1)
    flags[:2] = b"\x00\x00"[: limit + 1]
    for p in range(2, isqrt(limit) + 1):
        if flags[p]:
            flags[p * p :: p] = bytes(len(range(p * p, limit + 1, p)))
    return [n for n, flag in enumerate(flags) if flag]


@capability(
    "number_theory.primes_between",
    tier="certified",
    source="crandall2005, sec. 3.2",
    params={
        "low": P("int", about="lower end, included", domain="[0, 1e18]"),
        "high": P("int", about="upper end, included", domain="[0, 1e18]"),
    },
    result=R("int[k]", about="primes in ascending order"),
    requires=["low <= high", "high - low <= 2000000"],
    cases=[
        case(
            low=10,
            high=50,
            result=[11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47],
            origin="sympy 1.14.0, sympy.primerange",
        ),
        case(
            low=1000000000000,
            high=1000000000100,
            result=[1000000000039, 1000000000061, 1000000000063, 1000000000091],
            origin="sympy 1.14.0, sympy.primerange",
        ),
        case(low=24, high=28, result=[], origin="by hand"),
    ],
)
def primes_between(low, high):
    """Primes from one integer to another, both included, in ascending order."""
    if high <= 4_000_000:
        return [p for p in sieve(high) if p >= low]
    small = sieve(min(isqrt(high), 1_000_000))
    flags = bytearray([1]) * (high - low + 1)
    for p in small:
        start = max(p * p, -(-low // p) * p)
        flags[start - low :: p] = bytes(len(range(start, high + 1, p)))
    check_deadline()
    return [
        low + k for k, flag in enumerate(flags) if flag and low + k > 1 and (high < 10**12 or fmpz(low + k).is_prime())
    ]


@capability(
    "number_theory.prime_count",
    tier="certified",
    source="lagarias1985, sec. 2",
    params={
        "x": P("int", about="upper end, included", domain="[0, 100000000000]"),
    },
    result=R("int", about="number of primes"),
    cases=[
        case(x=100, result=25, origin="oeis, A006880"),
        case(x=1000000, result=78498, origin="oeis, A006880"),
        case(x=1000000000, result=50847534, origin="oeis, A006880"),
    ],
)
def prime_count(x):
    """Number of the primes up to an integer."""
    if x < 2:
        return 0
    root = isqrt(x)
    small = list(range(root + 1))  # of the numbers up to v, those that survive the sieve so far, less one
    large = [0, *(x // k for k in range(1, root + 1))]
    low, high = np.array(small, dtype=np.int64) - 1, np.array(large, dtype=np.int64) - 1
    for p in range(2, root + 1):
        if low[p] == low[p - 1]:
            continue
        check_deadline()
        below, square = low[p - 1], p * p
        last = min(root, x // square)
        inner = min(last, root // p)
        places = np.arange(1, last + 1)
        taken = np.concatenate([high[places[:inner] * p], low[x // (places[inner:] * p)]])
        high[1 : last + 1] -= taken - below
        if square <= root:
            values = np.arange(square, root + 1)
            low[square:] -= low[values // p] - below
    return int(high[1])


@capability(
    "number_theory.nth_prime",
    tier="certified",
    source="crandall2005, sec. 1.1",
    params={
        "n": P("int", about="index, the first is 1", domain="[1, 2000000]"),
    },
    result=R("int", about="prime"),
    cases=[
        case(n=1, result=2, origin="sympy 1.14.0, sympy.prime"),
        case(n=1000, result=7919, origin="sympy 1.14.0, sympy.prime"),
        case(n=100000, result=1299709, origin="oeis, A000040"),
    ],
)
def nth_prime(n):
    """The n-th prime, counted from 2."""
    limit = 15 if n < 6 else int(n * (math.log(n) + math.log(math.log(n)))) + 1  # Rosser and Schoenfeld
    return sieve(limit)[n - 1]


@capability(
    "number_theory.primorial",
    tier="certified",
    source="hardy2008, sec. 22.2",
    params={
        "n": P("int", about="upper end, included", domain="[0, 100000]"),
    },
    result=R("int", about="product of the primes up to it"),
    cases=[
        case(n=10, result=210, origin="sympy 1.14.0, sympy.primorial"),
        case(n=30, result=6469693230, origin="sympy 1.14.0, sympy.primorial"),
    ],
)
def primorial(n):
    """Product of all primes up to an integer."""
    return prod(sieve(n)) if n > 1 else 1


@capability(
    "number_theory.twin_primes_between",
    tier="certified",
    source="hardy2008, sec. 1.4",
    params={
        "low": P("int", about="lower end, included", domain="[0, 4000000]"),
        "high": P("int", about="upper end, included", domain="[0, 4000000]"),
    },
    result=R("int[k]", about="lesser members of the pairs, which lie in the range"),
    requires=["low <= high"],
    cases=[
        case(low=1, high=50, result=[3, 5, 11, 17, 29, 41], origin="oeis, A001359"),
        case(low=100, high=140, result=[101, 107, 137], origin="oeis, A001359"),
    ],
)
def twin_primes_between(low, high):
    """Lesser members of the pairs of primes that differ by two, in a range."""
    primes = sieve(high + 2)
    return [p for p, q in pairwise(primes) if q - p == 2 and low <= p <= high]


@capability(
    "number_theory.chebyshev_theta",
    tier="certified",
    version=2,
    source="hardy2008, sec. 22.1",
    params={
        "n": P("int", about="upper end, included", domain="[0, 200000]"),
    },
    result=R("float64", about="sum of the natural logarithms of the primes"),
    cases=[
        case(n=10, result=5.3471075307174685, origin="mpmath 1.4.1, 50 digits"),
        case(n=1, result=0.0, origin="by hand: no prime"),
        case(n=1000, result=956.2452651200589, origin="mpmath 1.4.1, 50 digits"),
        case(
            n=14, result=10.309952160977376, within=1e-14, origin="sympy 1.14.0, sympy.primorial: logarithm, nth=False"
        ),
    ],
)
def chebyshev_theta(n):
    """Chebyshev's theta function: the logarithm of the product of the primes up to n."""
    return arb(fmpz(prod(sieve(n)))).log()


@capability(
    "number_theory.mertens",
    tier="certified",
    source="hardy2008, sec. 22.17",
    params={
        "n": P("int", about="upper end, included", domain="[1, 2000000]"),
    },
    result=R("int", about="sum of the Moebius function"),
    cases=[
        case(n=100, result=1, origin="oeis, A002321"),
        case(n=1000, result=2, origin="oeis, A002321"),
    ],
)
def mertens(n):
    """Mertens function: the sum of the Moebius function up to an integer."""
    values = np.ones(n + 1, dtype=np.int8)
    for p in sieve(n):
        values[p::p] *= -1
        if p * p <= n:
            values[p * p :: p * p] = 0
    return int(values[1:].sum(dtype=np.int64))
