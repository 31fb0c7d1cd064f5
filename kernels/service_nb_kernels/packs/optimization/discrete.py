"""Knapsacks, packings, alignments and schedules: dynamic programs and greedy choices that are proven optimal."""

from flint import fmpq
from service_nb_kernels.certified.linalg import dot
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError


@capability(
    "optimization.knapsack",
    tier="certified",
    source="martello1990, sec. 2.6",
    params={
        "values": P("float64[n]", about="value of each item", domain="[0, inf)"),
        "weights": P("int[n]", about="weight of each item", domain="[0, 1000000]"),
        "capacity": P("int", about="capacity", domain="[0, 100000]"),
    },
    result=R(
        fields={
            "value": R("float64", about="greatest total value"),
            "items": R("int[k]", about="items that are taken, from 0"),
        }
    ),
    limit={"n": 200},
    cases=[
        case(
            values=[60.0, 100.0, 120.0],
            weights=[10, 20, 30],
            capacity=50,
            result={"value": 220.0, "items": [1, 2]},
            origin="cormen2022, sec. 15.2",
        ),
        case(
            values=[10.0, 40.0, 30.0, 50.0],
            weights=[5, 4, 6, 3],
            capacity=10,
            result={"value": 90.0, "items": [1, 3]},
            origin="by hand",
        ),
    ],
)
def knapsack(values, weights, capacity):
    """Items of greatest total value within a capacity, each taken once at most."""
    worth, best, taken = column(rational(values)), [fmpq(0)] * (capacity + 1), []
    if len(weights) * capacity > 5_000_000:
        raise LimitError("The items times the capacity exceed 5,000,000.")
    for value, weight in zip(worth, weights, strict=True):
        check_deadline()
        flags = bytearray(capacity + 1)
        for room in range(capacity, weight - 1, -1):
            if best[room - weight] + value > best[room]:
                best[room], flags[room] = best[room - weight] + value, 1
        taken.append(flags)
    room, items = capacity, []
    for item in range(len(weights) - 1, -1, -1):
        if taken[item][room]:
            items.append(item)
            room -= weights[item]
    return {"value": best[capacity], "items": items[::-1]}


@capability(
    "optimization.knapsack_unbounded",
    tier="certified",
    source="martello1990, sec. 3.6",
    params={
        "values": P("float64[n]", about="value of each kind", domain="[0, inf)"),
        "weights": P("int[n]", about="weight of each kind", domain="[1, 1000000]"),
        "capacity": P("int", about="capacity", domain="[0, 100000]"),
    },
    result=R("float64", about="greatest total value"),
    limit={"n": 50},
    cases=[
        case(values=[10.0, 30.0, 20.0], weights=[5, 10, 15], capacity=100, result=300.0, origin="by hand"),
        case(values=[1.0, 4.0, 5.0], weights=[1, 3, 4], capacity=7, result=9.0, origin="by hand"),
        case(
            values=[20.3, 24.9, 17.4],
            weights=[10, 2, 12],
            capacity=49,
            result=597.5999999999999,
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.milp: whole numbers",
        ),
    ],
)
def knapsack_unbounded(values, weights, capacity):
    """Greatest total value within a capacity when each kind may be taken any number of times."""
    worth, best = column(rational(values)), [fmpq(0)] * (capacity + 1)
    for room in range(1, capacity + 1):
        best[room] = max(
            [best[room - w] + v for v, w in zip(worth, weights, strict=True) if w <= room], default=fmpq(0)
        )
    return best[capacity]


@capability(
    "optimization.knapsack_fractional",
    tier="certified",
    version=3,
    source="martello1990, thm. 2.1",
    params={
        "values": P("float64[n]", about="value of each item", domain="[0, inf)"),
        "weights": P("float64[n]", about="weight of each item", domain="[0, inf)"),
        "capacity": P("float64", about="capacity", domain="[0, inf)"),
    },
    result=R(
        fields={
            "value": R("float64", about="greatest total value"),
            "shares": R("float64[n]", about="share of each item that is taken", range="[0, 1]"),
        }
    ),
    limit={"n": 10000},
    cases=[
        case(
            values=[60.0, 100.0, 120.0],
            weights=[10.0, 20.0, 30.0],
            capacity=50.0,
            result={"value": 240.0, "shares": [1.0, 1.0, 0.6666666666666666]},
            origin="cormen2022, sec. 15.2",
        ),
        case(
            values=[1.0, 2.0],
            weights=[1.0, 1.0],
            capacity=1.5,
            result={"value": 2.5, "shares": [0.5, 1.0]},
            origin="by hand",
        ),
        case(
            values=[1.0, 2.0],
            weights=[0.0, 4.0],
            capacity=1.0,
            result={"value": 1.5, "shares": [1.0, 0.25]},
            origin="by hand: what weighs nothing is taken whole",
        ),
    ],
)
def knapsack_fractional(values, weights, capacity):
    """Shares of items of greatest total value within a capacity, when items can be cut."""
    worth, heavy = column(rational(values)), column(rational(weights))
    room, shares = fmpq(*capacity.as_integer_ratio()), [fmpq(int(weight == 0)) for weight in heavy]
    for item in sorted((i for i, weight in enumerate(heavy) if weight), key=lambda i: (-worth[i] / heavy[i], i)):
        shares[item] = min(fmpq(1), room / heavy[item])
        room -= shares[item] * heavy[item]
    return {"value": dot(worth, shares), "shares": shares}


@capability(
    "optimization.subset_sum",
    tier="certified",
    source="martello1990, ch. 4",
    params={
        "values": P("int[n]", about="whole numbers", domain="[0, 1000000000]"),
        "target": P("int", about="wanted sum", domain="[0, 1000000]"),
    },
    result=R("int[k]", about="items that are taken, from 0"),
    limit={"n": 500},
    cases=[
        case(values=[3, 34, 4, 12, 5, 2], target=9, result=[2, 4], origin="by hand"),
        case(values=[5, 5], target=7, error="domain_error", origin="by hand"),
        case(values=[1, 2, 3], target=0, result=[], origin="by hand"),
    ],
)
def subset_sum(values, target):
    """Items of whole numbers that add up exactly to a target."""
    mask, reached = (1 << (target + 1)) - 1, [1]
    for value in values:
        reached.append((reached[-1] | (reached[-1] << value if value <= target else 0)) & mask)
    if not reached[-1] >> target & 1:
        raise DomainError("target", target, "a sum of some of the values")
    items = []
    for item in range(len(values) - 1, -1, -1):
        if not reached[item] >> target & 1:
            items.append(item)
            target -= values[item]
    return items[::-1]


@capability(
    "optimization.bin_packing_lower_bound",
    tier="certified",
    source="martello1990, sec. 8.3",
    params={
        "sizes": P("int[n]", about="sizes of the items", domain="[0, 1000000000]"),
        "capacity": P("int", about="capacity of a bin", domain="[1, 1000000000]"),
    },
    result=R("int", about="number of bins that are needed at least"),
    limit={"n": 5000},
    cases=[
        case(sizes=[6, 6, 6], capacity=10, result=3, origin="by hand: no two fit together"),
        case(sizes=[5, 5, 5, 5], capacity=10, result=2, origin="by hand"),
        case(sizes=[7, 3, 3], capacity=6, error="domain_error", origin="by hand"),
    ],
)
def bin_packing_lower_bound(sizes, capacity):
    """Bins that items need at least, by the bound of Martello and Toth."""
    if max(sizes) > capacity:
        raise DomainError("sizes", max(sizes), f"sizes up to the capacity {capacity}")
    best = -(-sum(sizes) // capacity)
    for small in {s for s in sizes if 2 * s <= capacity} | {0}:
        large = [s for s in sizes if s > capacity - small]
        middle = [s for s in sizes if capacity - small >= s > capacity // 2 and 2 * s > capacity]
        rest = sum(s for s in sizes if 2 * s <= capacity and s >= small)
        room = len(middle) * capacity - sum(middle)
        best = max(best, len(large) + len(middle) + max(0, -(-(rest - room) // capacity)))
    return best


@capability(
    "optimization.longest_common_subsequence",
    tier="certified",
    source="cormen2022, sec. 14.4",
    params={
        "a": P("string", about="first text"),
        "b": P("string", about="second text"),
    },
    result=R("int", about="length of the longest common subsequence"),
    cases=[
        case(a="ABCBDAB", b="BDCABA", result=4, origin="cormen2022, sec. 14.4"),
        case(a="kitten", b="sitting", result=4, origin="by hand: ittn"),
    ],
)
def longest_common_subsequence(a, b):
    """Length of the longest text that can be read in order, with gaps, in two texts."""
    bounded(a, b)
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], corner + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def bounded(a, b):
    """Refuse texts that are too long."""
    if len(a) * len(b) > 4_000_000:
        raise LimitError("The product of the lengths exceeds 4,000,000.")


@capability(
    "optimization.edit_distance",
    tier="certified",
    source="cormen2022, prob. 14-5",
    keywords=["Levenshtein distance"],
    params={
        "a": P("string", about="first text"),
        "b": P("string", about="second text"),
    },
    result=R("int", about="number of edits"),
    cases=[
        case(a="kitten", b="sitting", result=3, origin="by hand: Levenshtein distance"),
        case(a="flaw", b="lawn", result=2, origin="by hand"),
        case(a="saturday", b="azced", result=6, origin="rapidfuzz 3.14.6, rapidfuzz.distance.Levenshtein.distance"),
    ],
)
def edit_distance(a, b):
    """Insertions, deletions and replacements that turn one text into another, at least."""
    bounded(a, b)
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


@capability(
    "optimization.matrix_chain",
    tier="certified",
    source="cormen2022, sec. 14.2",
    params={
        "sizes": P("int[n]", about="rows of the first matrix, then columns of each", domain="[1, 1000000]", min_size=2),
    },
    result=R("int", about="least number of multiplications of entries"),
    limit={"n": 120},
    cases=[
        case(sizes=[30, 35, 15, 5, 10, 20, 25], result=15125, origin="cormen2022, sec. 14.2"),
        case(sizes=[10, 100, 5, 50], result=7500, origin="cormen2022, sec. 14.2"),
    ],
)
def matrix_chain(sizes):
    """Fewest multiplications for a product of matrices, by the best order of brackets."""
    n = len(sizes) - 1
    best = [[0] * n for _ in range(n)]
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            best[i][j] = min(best[i][k] + best[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j))
    return best[0][-1]


@capability(
    "optimization.interval_scheduling",
    tier="certified",
    source="cormen2022, sec. 15.1",
    params={
        "starts": P("float64[n]", about="starts"),
        "ends": P("float64[n]", about="ends, after the starts"),
    },
    result=R("int[k]", about="intervals that are taken, from 0; one may start where another ends"),
    limit={"n": 100000},
    cases=[
        case(starts=[1.0, 3.0, 0.0, 5.0, 8.0], ends=[4.0, 5.0, 6.0, 7.0, 9.0], result=[0, 3, 4], origin="by hand"),
        case(starts=[0.0, 1.0], ends=[3.0, 2.0], result=[1], origin="by hand"),
        case(starts=[2.0], ends=[1.0], error="domain_error", origin="by hand"),
    ],
)
def interval_scheduling(starts, ends):
    """Greatest number of intervals of which no two overlap, by earliest ends."""
    if any(a >= b for a, b in zip(starts, ends, strict=True)):
        raise DomainError("ends", None, "ends after their starts")
    taken, free = [], -float("inf")
    for item in sorted(range(len(starts)), key=lambda i: (ends[i], i)):
        if starts[item] >= free:
            taken.append(item)
            free = ends[item]
    return sorted(taken)
