"""Counting: arrangements, selections, partitions and the numbers named after those who counted them."""

from math import comb, factorial, perm

from flint import fmpq, fmpz
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def eulerian_row(n):
    """Return the Eulerian numbers of a row."""
    return [sum((-1) ** j * comb(n + 1, j) * (k + 1 - j) ** n for j in range(k + 1)) for k in range(max(n, 1))]


def restricted_partitions(n, parts):
    """Return in how many ways n is a sum of parts that may repeat, for every number up to n."""
    ways = [1] + [0] * n
    for part in parts:
        for total in range(part, n + 1):
            ways[total] += ways[total - part]
    return ways


@capability(
    "combinatorics.binomial",
    tier="certified",
    source="dlmf, 26.3.1",
    keywords=["combinations", "n choose k"],
    params={
        "n": P("int", about="number of things", domain="[0, 1000000]"),
        "k": P("int", about="number chosen", domain="[0, 1000000]"),
    },
    result=R("int", about="number of selections"),
    cases=[
        case(n=10, k=3, result=120, origin="Python 3.11, exact integers"),
        case(n=100, k=50, result="100891344545564193334812497256", origin="Python 3.11, exact integers"),
        case(n=3, k=5, result=0, origin="by hand"),
        case(n=18, k=18, result=1, origin="scipy 1.17.1, scipy.special.comb: exact"),
    ],
)
def binomial(n, k):
    """Number of ways to choose k of n things: the binomial coefficient, all of its digits."""
    return fmpz.bin_uiui(n, k)


@capability(
    "combinatorics.permutations",
    tier="certified",
    source="graham1994, sec. 2.6",
    params={
        "n": P("int", about="number of things", domain="[0, 100000]"),
        "k": P("int", about="number of places", domain="[0, 100000]"),
    },
    result=R("int", about="number of arrangements"),
    cases=[
        case(n=10, k=3, result=720, origin="Python 3.11, exact integers"),
        case(n=30, k=30, result="265252859812191058636308480000000", origin="Python 3.11, exact integers"),
        case(n=2, k=4, result=0, origin="scipy 1.17.1, scipy.special.perm: exact"),
    ],
)
def permutations(n, k):
    """Number of ways to fill k places with different ones of n things, in order."""
    return perm(n, k)


@capability(
    "combinatorics.multinomial",
    tier="certified",
    source="dlmf, 26.4.2",
    params={
        "counts": P("int[n]", about="sizes of the groups", domain="[0, 1000]"),
    },
    result=R("int", about="number of divisions; groups of the same size are told apart"),
    limit={"n": 1000},
    cases=[
        case(counts=[2, 3, 4], result=1260, origin="by hand: 9! / (2! 3! 4!)"),
        case(counts=[1, 4, 4, 2], result=34650, origin="by hand: letters of MISSISSIPPI"),
        case(counts=[4, 4, 1], result=630, origin="sympy 1.14.0, sympy.ntheory.multinomial.multinomial_coefficients"),
    ],
)
def multinomial(counts):
    """Number of ways to divide things into groups of given sizes that have names: the multinomial coefficient."""
    parts = fmpz(1)
    for count in counts:
        parts *= fmpz.fac_ui(count)
    return fmpz.fac_ui(sum(counts)) // parts


@capability(
    "combinatorics.multisets",
    tier="certified",
    source="stanley2012, sec. 1.2",
    params={
        "n": P("int", about="number of kinds", domain="[0, 100000]"),
        "k": P("int", about="number chosen", domain="[0, 100000]"),
    },
    result=R("int", about="number of selections"),
    cases=[
        case(n=3, k=2, result=6, origin="by hand"),
        case(n=6, k=3, result=56, origin="by hand: three dice"),
        case(n=0, k=0, result=1, origin="by hand"),
        case(n=2, k=5, result=6, origin="scipy 1.17.1, scipy.special.comb: exact, with repetition"),
    ],
)
def multisets(n, k):
    """Number of ways to choose k things of n kinds, with repetition and without order."""
    return comb(n + k - 1, k) if n else int(k == 0)


@capability(
    "combinatorics.catalan",
    tier="certified",
    source="dlmf, 26.5.1; oeis, A000108",
    params={
        "n": P("int", about="number of pairs", domain="[0, 100000]"),
    },
    result=R("int", about="Catalan number"),
    cases=[
        case(n=5, result=42, origin="oeis, A000108"),
        case(n=20, result=6564120420, origin="oeis, A000108"),
    ],
)
def catalan(n):
    """Catalan number: how many ways n pairs of brackets match."""
    return comb(2 * n, n) // (n + 1)


@capability(
    "combinatorics.motzkin",
    tier="certified",
    source="stanley1999, ex. 6.38; oeis, A001006",
    params={
        "n": P("int", about="number of points", domain="[0, 5000]"),
    },
    result=R("int", about="Motzkin number"),
    cases=[
        case(n=5, result=21, origin="oeis, A001006"),
        case(n=10, result=2188, origin="oeis, A001006"),
    ],
)
def motzkin(n):
    """Motzkin number: how many ways chords join points on a circle without crossing."""
    before, now = 1, 1
    for k in range(2, n + 1):
        before, now = now, ((2 * k + 1) * now + (3 * k - 3) * before) // (k + 2)
    return now


@capability(
    "combinatorics.narayana",
    tier="certified",
    source="stanley1999, ex. 6.36; oeis, A001263",
    params={
        "n": P("int", about="semilength", domain="[1, 10000]"),
        "k": P("int", about="number of peaks", domain="[1, 10000]"),
    },
    result=R("int", about="Narayana number"),
    cases=[
        case(n=4, k=2, result=6, origin="oeis, A001263"),
        case(n=5, k=3, result=20, origin="oeis, A001263"),
    ],
)
def narayana(n, k):
    """Narayana number: how many matched bracket words have a given number of innermost pairs."""
    return comb(n, k) * comb(n, k - 1) // n


@capability(
    "combinatorics.delannoy",
    tier="certified",
    source="oeis, A008288",
    params={
        "m": P("int", about="steps east", domain="[0, 2000]"),
        "n": P("int", about="steps north", domain="[0, 2000]"),
    },
    result=R("int", about="Delannoy number"),
    cases=[
        case(m=3, n=3, result=63, origin="oeis, A001850"),
        case(m=2, n=4, result=41, origin="oeis, A008288"),
    ],
)
def delannoy(m, n):
    """Delannoy number: how many lattice paths go east, north or diagonally to a corner."""
    return sum(comb(m, k) * comb(n, k) * 2**k for k in range(min(m, n) + 1))


@capability(
    "combinatorics.schroeder",
    tier="certified",
    source="oeis, A006318",
    params={
        "n": P("int", about="number of steps east to the corner, and of those north", domain="[0, 2000]"),
    },
    result=R("int", about="large Schroeder number"),
    cases=[
        case(n=4, result=90, origin="oeis, A006318"),
        case(n=6, result=1806, origin="oeis, A006318"),
    ],
)
def schroeder(n):
    """Large Schroeder number: lattice paths east, north or diagonally to a corner, never above the diagonal."""
    return sum(comb(n + k, n - k) * catalan(k) for k in range(n + 1))


@capability(
    "combinatorics.stirling_first",
    tier="certified",
    source="dlmf, 26.8.1; oeis, A132393",
    params={
        "n": P("int", about="number of things", domain="[0, 1000]"),
        "k": P("int", about="number of cycles", domain="[0, 1000]"),
    },
    result=R("int", about="unsigned Stirling number of the first kind"),
    cases=[
        case(n=5, k=2, result=50, origin="oeis, A132393"),
        case(n=6, k=3, result=225, origin="oeis, A132393"),
    ],
)
def stirling_first(n, k):
    """Unsigned Stirling number of the first kind: arrangements with a given number of cycles."""
    return abs(int(fmpz.stirling_s1(n, k)))


@capability(
    "combinatorics.stirling_second",
    tier="certified",
    source="dlmf, 26.8.4; oeis, A008277",
    params={
        "n": P("int", about="number of things", domain="[0, 2000]"),
        "k": P("int", about="number of groups, without names and none empty", domain="[0, 2000]"),
    },
    result=R("int", about="Stirling number of the second kind"),
    cases=[
        case(n=5, k=2, result=15, origin="oeis, A008277"),
        case(n=10, k=5, result=42525, origin="oeis, A008277"),
    ],
)
def stirling_second(n, k):
    """Stirling number of the second kind: divisions of n things into k groups."""
    return fmpz.stirling_s2(n, k)


@capability(
    "combinatorics.lah",
    tier="certified",
    source="oeis, A105278",
    params={
        "n": P("int", about="number of things", domain="[1, 5000]"),
        "k": P("int", about="number of ordered groups, without names and none empty", domain="[1, 5000]"),
    },
    result=R("int", about="Lah number"),
    cases=[
        case(n=4, k=2, result=36, origin="oeis, A105278"),
        case(n=5, k=3, result=120, origin="oeis, A105278"),
    ],
)
def lah(n, k):
    """Lah number: divisions of n things into k groups that are each in order."""
    return comb(n - 1, k - 1) * factorial(n) // factorial(k)


@capability(
    "combinatorics.bell",
    tier="certified",
    source="dlmf, 26.7; oeis, A000110",
    params={
        "n": P("int", about="number of things", domain="[0, 5000]"),
    },
    result=R("int", about="Bell number"),
    cases=[
        case(n=5, result=52, origin="oeis, A000110"),
        case(n=15, result=1382958545, origin="oeis, A000110"),
    ],
)
def bell(n):
    """Bell number: in how many ways n things fall into groups."""
    return fmpz.bell_number(n)


@capability(
    "combinatorics.fubini",
    tier="certified",
    source="oeis, A000670",
    params={
        "n": P("int", about="number of things", domain="[0, 500]"),
    },
    result=R("int", about="Fubini number"),
    cases=[
        case(n=4, result=75, origin="oeis, A000670"),
        case(n=6, result=4683, origin="oeis, A000670"),
    ],
)
def fubini(n):
    """Fubini number: the rankings of n things with ties allowed."""
    return sum(factorial(k) * int(fmpz.stirling_s2(n, k)) for k in range(n + 1))


@capability(
    "combinatorics.eulerian",
    tier="certified",
    source="dlmf, 26.14.5; oeis, A008292",
    params={
        "n": P("int", about="number of things", domain="[1, 500]"),
        "k": P("int", about="number of ascents", domain="[0, 500]"),
    },
    result=R("int", about="Eulerian number"),
    cases=[
        case(n=4, k=1, result=11, origin="oeis, A008292"),
        case(n=5, k=2, result=66, origin="oeis, A008292"),
        case(n=3, k=3, result=0, origin="by hand"),
    ],
)
def eulerian(n, k):
    """Eulerian number: arrangements of n things with a given number of ascents."""
    return eulerian_row(n)[k] if k < n else 0


@capability(
    "combinatorics.euler_number",
    tier="certified",
    source="dlmf, 24.2.6; oeis, A122045",
    params={
        "n": P("int", about="index", domain="[0, 2000]"),
    },
    result=R("int", about="Euler number"),
    cases=[
        case(n=4, result=5, origin="oeis, A122045"),
        case(n=6, result=-61, origin="oeis, A122045"),
        case(n=3, result=0, origin="oeis, A122045"),
    ],
)
def euler_number(n):
    """Euler number: n! times the coefficient of x^n in the series of the hyperbolic secant."""
    return fmpz.euler_number(n)


@capability(
    "combinatorics.zigzag",
    tier="certified",
    source="oeis, A000111",
    params={
        "n": P("int", about="number of things", domain="[0, 1000]"),
    },
    result=R("int", about="number of alternating arrangements"),
    cases=[
        case(n=5, result=16, origin="oeis, A000111"),
        case(n=7, result=272, origin="oeis, A000111"),
        case(n=6, result=61, origin="oeis, A000111"),
    ],
)
def zigzag(n):
    """Number of arrangements that rise first, then fall and rise in turn: the secant and tangent numbers."""
    if n % 2 == 0:
        return abs(int(fmpz.euler_number(n)))
    bernoulli = fmpq.bernoulli(n + 1)
    return abs(int((bernoulli * 2 ** (n + 1) * (2 ** (n + 1) - 1) / (n + 1)).p))


@capability(
    "combinatorics.bernoulli_number",
    tier="certified",
    source="dlmf, 24.2.1",
    params={
        "n": P("int", about="index; the number 1 is taken as -1/2", domain="[0, 3000]"),
    },
    result=R(fields={"numerator": R("int", about="numerator"), "denominator": R("int", about="denominator")}),
    cases=[
        case(n=10, result={"numerator": 5, "denominator": 66}, origin="sympy 1.14.0, sympy.bernoulli"),
        case(n=12, result={"numerator": -691, "denominator": 2730}, origin="sympy 1.14.0, sympy.bernoulli"),
        case(n=30, result={"numerator": 8615841276005, "denominator": 14322}, origin="sympy 1.14.0, sympy.bernoulli"),
    ],
)
def bernoulli_number(n):
    """Bernoulli number as a reduced fraction."""
    value = fmpq.bernoulli(n)
    return {"numerator": value.p, "denominator": value.q}


@capability(
    "combinatorics.harmonic_number",
    tier="certified",
    source="graham1994, eq. 6.54",
    params={
        "n": P("int", about="number of terms", domain="[0, 20000]"),
    },
    result=R(fields={"numerator": R("int", about="numerator"), "denominator": R("int", about="denominator")}),
    cases=[
        case(n=4, result={"numerator": 25, "denominator": 12}, origin="by hand"),
        case(n=10, result={"numerator": 7381, "denominator": 2520}, origin="oeis, A001008, A002805"),
    ],
)
def harmonic_number(n):
    """Harmonic number as a reduced fraction."""
    value = fmpq.harmonic(n)
    return {"numerator": value.p, "denominator": value.q}


@capability(
    "combinatorics.fibonacci",
    tier="certified",
    source="graham1994, sec. 6.6; oeis, A000045",
    params={
        "n": P("int", about="index; the numbers 0 and 1 are 0 and 1", domain="[-1000000, 1000000]"),
    },
    result=R("int", about="Fibonacci number"),
    cases=[
        case(n=10, result=55, origin="oeis, A000045"),
        case(n=100, result="354224848179261915075", origin="oeis, A000045"),
        case(n=-6, result=-8, origin="by hand"),
    ],
)
def fibonacci(n):
    """Fibonacci number, for negative indices too."""
    value = int(fmpz.fib_ui(abs(n)))
    return -value if n < 0 and n % 2 == 0 else value


@capability(
    "combinatorics.lucas",
    tier="certified",
    source="graham1994, ex. 6.28; oeis, A000032",
    params={
        "n": P("int", about="index; the numbers 0 and 1 are 2 and 1", domain="[0, 1000000]"),
    },
    result=R("int", about="Lucas number"),
    cases=[
        case(n=10, result=123, origin="oeis, A000032"),
        case(n=0, result=2, origin="oeis, A000032"),
    ],
)
def lucas(n):
    """Lucas number: the sum of the two Fibonacci numbers around one."""
    return 2 * int(fmpz.fib_ui(n + 1)) - int(fmpz.fib_ui(n))


@capability(
    "combinatorics.partitions",
    tier="certified",
    source="dlmf, 26.9; oeis, A000041",
    params={
        "n": P("int", about="whole number", domain="[0, 1000000]"),
    },
    result=R("int", about="number of partitions"),
    cases=[
        case(n=10, result=42, origin="oeis, A000041"),
        case(n=100, result=190569292, origin="oeis, A000041"),
    ],
)
def partitions(n):
    """Number of ways to write a whole number as a sum of positive ones, without order."""
    return fmpz(n).partitions_p()


@capability(
    "combinatorics.partitions_into_parts",
    tier="certified",
    source="dlmf, 26.9(i); oeis, A008284",
    params={
        "n": P("int", about="whole number", domain="[0, 2000]"),
        "k": P("int", about="number of parts", domain="[0, 2000]"),
    },
    result=R("int", about="number of partitions"),
    cases=[
        case(n=7, k=3, result=4, origin="oeis, A008284"),
        case(n=10, k=4, result=9, origin="oeis, A008284"),
    ],
)
def partitions_into_parts(n, k):
    """Number of ways to write a whole number as a sum of exactly k positive ones."""
    if k > n:
        return 0
    return restricted_partitions(n - k, range(1, k + 1))[n - k]  # conjugate partitions: parts of k at most


@capability(
    "combinatorics.distinct_partitions",
    tier="certified",
    source="dlmf, 26.10; oeis, A000009",
    params={
        "n": P("int", about="whole number", domain="[0, 3000]"),
    },
    result=R("int", about="number of partitions"),
    cases=[
        case(n=10, result=10, origin="oeis, A000009"),
        case(n=20, result=64, origin="oeis, A000009"),
    ],
)
def distinct_partitions(n):
    """Number of ways to write a whole number as a sum of different positive ones."""
    return restricted_partitions(n, range(1, n + 1, 2))[n]  # Euler: as many as into odd parts


@capability(
    "combinatorics.change_ways",
    tier="certified",
    source="graham1994, sec. 7.1",
    params={
        "amount": P("int", about="amount", domain="[0, 200000]"),
        "coins": P("int[n]", about="values of the coins, all different", domain="[1, 200000]"),
    },
    result=R("int", about="number of ways, without order"),
    limit={"n": 50},
    cases=[
        case(amount=100, coins=[1, 5, 10, 25, 50], result=292, origin="graham1994, sec. 7.1"),
        case(amount=10, coins=[2, 5], result=2, origin="by hand"),
        case(amount=3, coins=[2], result=0, origin="by hand"),
    ],
)
def change_ways(amount, coins):
    """Number of ways to pay an amount with coins of given values."""
    if len(set(coins)) < len(coins):
        raise DomainError("coins", coins, "different values")
    return restricted_partitions(amount, coins)[amount]


@capability(
    "combinatorics.compositions",
    tier="certified",
    source="stanley2012, sec. 1.2",
    params={
        "n": P("int", about="whole number", domain="[1, 100000]"),
        "k": P("int", about="number of parts", domain="[1, 100000]"),
    },
    result=R("int", about="number of compositions"),
    cases=[
        case(n=5, k=3, result=6, origin="by hand"),
        case(n=10, k=4, result=84, origin="by hand: C(9, 3)"),
        case(n=10, k=2, result=9, origin="sympy 1.14.0, sympy.binomial: of n - 1 over k - 1"),
    ],
)
def compositions(n, k):
    """Number of ways to write a whole number as an ordered sum of k positive ones."""
    return comb(n - 1, k - 1)
