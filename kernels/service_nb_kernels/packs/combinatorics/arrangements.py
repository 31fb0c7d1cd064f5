"""Arrangements: their order and parity, fixed points, colourings up to symmetry, and who is left in a circle."""

from itertools import pairwise
from math import comb, factorial, lcm, prod

from flint import fmpz
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


@capability(
    "combinatorics.derangements",
    tier="certified",
    source="graham1994, eq. 5.50; oeis, A000166",
    params={
        "n": P("int", about="number of things", domain="[0, 10000]"),
    },
    result=R("int", about="number of derangements"),
    cases=[
        case(n=4, result=9, origin="oeis, A000166"),
        case(n=10, result=1334961, origin="oeis, A000166"),
        case(n=0, result=1, origin="oeis, A000166"),
    ],
)
def derangements(n):
    """Number of arrangements in which nothing stays in its place."""
    count = 1
    for k in range(1, n + 1):
        count = k * count + (-1) ** k
    return count


@capability(
    "combinatorics.rencontres",
    tier="certified",
    source="stanley2012, sec. 2.2; oeis, A008290",
    params={
        "n": P("int", about="number of things", domain="[0, 5000]"),
        "k": P("int", about="number that stay in place", domain="[0, 5000]"),
    },
    result=R("int", about="number of arrangements"),
    cases=[
        case(n=4, k=1, result=8, origin="oeis, A008290"),
        case(n=5, k=2, result=20, origin="oeis, A008290"),
        case(n=5, k=4, result=0, origin="by hand"),
    ],
)
def rencontres(n, k):
    """Number of arrangements in which exactly k of n things stay in their place."""
    return comb(n, k) * derangements(n - k) if k <= n else 0


@capability(
    "combinatorics.ballot",
    tier="certified",
    source="stanley2012, ex. 1.1; graham1994, sec. 7.5",
    params={
        "a": P("int", about="votes of the winner", domain="[0, 10000]"),
        "b": P("int", about="votes of the loser", domain="[0, 10000]"),
    },
    result=R("int", about="number of counts in which the winner always leads"),
    requires=["a > b"],
    cases=[
        case(a=3, b=2, result=2, origin="by hand"),
        case(a=5, b=3, result=14, origin="by hand: (5 - 3) / 8 of C(8, 3)"),
    ],
)
def ballot(a, b):
    """Number of orders of counting votes in which the winner leads from the first to the last."""
    return comb(a + b, b) * (a - b) // (a + b)


@capability(
    "combinatorics.necklaces",
    tier="certified",
    source="graham1994, eq. 4.63; oeis, A075195",
    params={
        "beads": P("int", about="number of beads", domain="[1, 2000]"),
        "colors": P("int", about="number of colors to choose from; some may stay unused", domain="[1, 1000]"),
    },
    result=R("int", about="number of necklaces"),
    cases=[
        case(beads=6, colors=2, result=14, origin="oeis, A000031"),
        case(beads=4, colors=3, result=24, origin="oeis, A001867"),
    ],
)
def necklaces(beads, colors):
    """Number of colorings of a necklace that no rotation turns into each other."""
    return (
        sum(int(fmpz(d).euler_phi()) * colors ** (beads // d) for d in range(1, beads + 1) if beads % d == 0) // beads
    )


@capability(
    "combinatorics.bracelets",
    tier="certified",
    source="oeis, A051137",
    params={
        "beads": P("int", about="number of beads", domain="[1, 2000]"),
        "colors": P("int", about="number of colors to choose from; some may stay unused", domain="[1, 1000]"),
    },
    result=R("int", about="number of bracelets"),
    cases=[
        case(beads=6, colors=2, result=13, origin="oeis, A000029"),
        case(beads=4, colors=3, result=21, origin="oeis, A027671"),
        case(beads=5, colors=2, result=8, origin="oeis, A000029"),
    ],
)
def bracelets(beads, colors):
    """Number of colorings of a bracelet that neither rotation nor turning over changes into each other."""
    half = beads // 2
    mirrored = 2 * colors ** (half + 1) if beads % 2 else colors**half * (colors + 1)
    return (2 * necklaces(beads, colors) + mirrored) // 4


@capability(
    "combinatorics.surjections",
    tier="certified",
    source="stanley2012, eq. 1.94",
    params={
        "n": P("int", about="number of things", domain="[0, 1000]"),
        "k": P("int", about="number of boxes", domain="[0, 1000]"),
    },
    result=R("int", about="number of ways without an empty box"),
    cases=[
        case(n=4, k=2, result=14, origin="by hand: 2^4 - 2"),
        case(n=5, k=3, result=150, origin="by hand: 3^5 - 3 * 2^5 + 3"),
        case(
            n=2,
            k=2,
            result=2,
            origin="sympy 1.14.0, sympy.functions.combinatorial.numbers.stirling: times sympy.factorial",
        ),
    ],
)
def surjections(n, k):
    """Number of ways to put n different things into k different boxes without an empty one."""
    return factorial(k) * int(fmpz.stirling_s2(n, k))


@capability(
    "combinatorics.labeled_trees",
    tier="certified",
    source="stanley1999, prop. 5.3.2",
    params={
        "n": P("int", about="number of vertices", domain="[1, 5000]"),
    },
    result=R("int", about="number of trees"),
    cases=[
        case(n=4, result=16, origin="oeis, A000272"),
        case(n=1, result=1, origin="by hand"),
        case(n=6, result=1296, origin="oeis, A000272"),
    ],
)
def labeled_trees(n):
    """Number of trees on n vertices that have names, by Cayley's formula."""
    return n ** (n - 2) if n > 1 else 1


@capability(
    "combinatorics.standard_young_tableaux",
    tier="certified",
    source="stanley1999, cor. 7.21.6",
    params={
        "shape": P("int[n]", about="row lengths in descending order", domain="[1, 500]"),
    },
    result=R("int", about="number of tableaux"),
    limit={"n": 200},
    cases=[
        case(shape=[3, 2], result=5, origin="by hand: hooks 4 3 1 2 1"),
        case(shape=[4, 3, 2, 1], result=768, origin="oeis, A005118"),
        case(shape=[1, 2], error="domain_error", origin="by hand"),
    ],
)
def standard_young_tableaux(shape):
    """Number of standard fillings of a Young diagram, by the hook lengths."""
    if any(a < b for a, b in pairwise(shape)):
        raise DomainError("shape", shape, "row lengths in descending order")
    columns = [sum(row > j for row in shape) for j in range(shape[0])]
    hooks = prod(shape[i] - j + columns[j] - i - 1 for i in range(len(shape)) for j in range(shape[i]))
    return factorial(sum(shape)) // hooks


@capability(
    "combinatorics.permutation_parity",
    tier="certified",
    source="stanley2012, sec. 1.3",
    params={
        "permutation": P("int[n]", about="images of 0, 1, ...", domain="[0, 100000]"),
    },
    result=R("int", about="1 for an even, -1 for an odd arrangement"),
    limit={"n": 100000},
    cases=[
        case(permutation=[1, 0, 2], result=-1, origin="by hand"),
        case(permutation=[1, 2, 0], result=1, origin="by hand"),
        case(permutation=[1, 1], error="domain_error", origin="by hand"),
        case(
            permutation=[1, 3, 4, 0, 5, 6, 2],
            result=-1,
            origin="sympy 1.14.0, sympy.combinatorics.Permutation: signature",
        ),
    ],
)
def permutation_parity(permutation):
    """Sign of an arrangement: one if an even number of exchanges makes it."""
    return (-1) ** (len(permutation) - len(cycle_lengths(permutation)))


def cycle_lengths(permutation):
    """Return the lengths of the cycles."""
    if sorted(permutation) != list(range(len(permutation))):
        raise DomainError("permutation", None, "each of 0, 1, ... once")
    seen, lengths = set(), []
    for start in permutation:
        length, at = 0, start
        while at not in seen:
            seen.add(at)
            length, at = length + 1, permutation[at]
        if length:
            lengths.append(length)
    return lengths


@capability(
    "combinatorics.permutation_order",
    tier="certified",
    source="stanley2012, sec. 1.3",
    params={
        "permutation": P("int[n]", about="images of 0, 1, ...", domain="[0, 100000]"),
    },
    result=R("int", about="order"),
    limit={"n": 100000},
    cases=[
        case(permutation=[1, 0, 3, 4, 2], result=6, origin="by hand: cycles of 2 and 3"),
        case(permutation=[0, 1, 2], result=1, origin="by hand"),
        case(
            permutation=[0, 6, 1, 2, 3, 4, 5, 7],
            result=6,
            origin="sympy 1.14.0, sympy.combinatorics.Permutation: order",
        ),
    ],
)
def permutation_order(permutation):
    """How often an arrangement is repeated until everything is back in place."""
    return lcm(*cycle_lengths(permutation))


@capability(
    "combinatorics.inversions",
    tier="certified",
    source="stanley2012, sec. 1.3",
    params={
        "values": P("float64[n]", about="numbers in order"),
    },
    result=R("int", about="number of inversions"),
    limit={"n": 100000},
    cases=[
        case(values=[3.0, 1.0, 2.0], result=2, origin="by hand"),
        case(values=[1.0, 1.0, 0.5], result=2, origin="by hand"),
        case(values=[4.0, 3.0, 2.0, 1.0], result=6, origin="by hand"),
        case(values=[-4.4, -1.51, -2.79], result=1, origin="sympy 1.14.0, sympy.combinatorics.Permutation: inversions"),
    ],
)
def inversions(values):
    """Number of pairs of a sequence of which the greater one comes first."""
    return merged(values.tolist())[1]


def merged(values):
    """Return the values in order, and how many pairs were out of it."""
    if len(values) < 2:
        return values, 0
    half = len(values) // 2
    (left, a), (right, b) = merged(values[:half]), merged(values[half:])
    count, i, result = a + b, 0, []
    for value in right:
        while i < len(left) and left[i] <= value:
            result.append(left[i])
            i += 1
        count += len(left) - i
        result.append(value)
    return result + left[i:], count


@capability(
    "combinatorics.permutation_rank",
    tier="certified",
    source="stanley2012, sec. 1.3",
    params={
        "permutation": P("int[n]", about="images of 0, 1, ...", domain="[0, 2000]"),
    },
    result=R("int", about="rank from 0"),
    limit={"n": 2000},
    cases=[
        case(permutation=[2, 0, 1], result=4, origin="by hand"),
        case(permutation=[0, 1, 2, 3], result=0, origin="by hand"),
        case(permutation=[3, 2, 1, 0], result=23, origin="by hand"),
        case(
            permutation=[3, 6, 4, 5, 1, 2, 0], result=2853, origin="sympy 1.14.0, sympy.combinatorics.Permutation: rank"
        ),
    ],
)
def permutation_rank(permutation):
    """Place of an arrangement in the alphabetical order of all."""
    cycle_lengths(permutation)
    rest, rank = sorted(permutation), 0
    for value in permutation:
        place = rest.index(value)
        rank = rank * len(rest) + place
        rest.pop(place)
    return rank


@capability(
    "combinatorics.josephus",
    tier="certified",
    source="graham1994, sec. 1.3",
    params={
        "n": P("int", about="number of people", domain="[1, 1000000]"),
        "step": P("int", about="step of the count: 2 if every second one leaves", domain="[1, 1000000]"),
    },
    result=R("int", about="place of the last, from 1"),
    cases=[
        case(n=10, step=2, result=5, origin="graham1994, sec. 1.3"),
        case(n=41, step=3, result=31, origin="by hand: Josephus"),
    ],
)
def josephus(n, step):
    """Place of the one who is left when a circle is counted off in equal steps (Josephus problem)."""
    place = 0
    for size in range(2, n + 1):
        place = (place + step) % size
    return place + 1
