"""Games: equilibria, values, power and fair shares of coalitions, computed exactly."""

from math import comb, factorial

from flint import fmpq
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, ShapeError
from service_nb_kernels.packs.optimization.linear_and_integer import inequality_form


def coalition_values(values):
    """Return the exact values of all coalitions and the number of players."""
    players = len(values).bit_length() - 1
    if len(values) != 1 << players or players < 1:
        raise ShapeError("values", f"{len(values)} items", "2^n of them, one a coalition")
    if values[0] != 0:
        raise DomainError("values", float(values[0]), "zero for the empty coalition")
    return column(rational(values)), players


def wins(weights, quota):
    """Return in how many coalitions of each size every player is the one who tips the scale."""
    n = len(weights)
    step = n + 1  # bits of a count: a number holds those of coalitions of each size, from 0
    ways = [1] + [0] * (quota - 1)  # by weight, below the quota
    for weight in weights:
        check_deadline()
        for total in reversed(range(weight, quota)):
            ways[total] += ways[total - weight] << step
    swings = {weight: _without(ways, weight, step) for weight in set(weights)}
    return [[swings[weight] >> step * size & (1 << step) - 1 for size in range(n)] for weight in weights]


def _without(ways, weight, step):
    """Return the coalitions without a player of a weight that the player makes win, packed by size."""
    check_deadline()
    others = list(ways)
    for total in range(weight, len(others) if weight else 0):
        others[total] -= others[total - weight] << step
    return sum(others[max(len(others) - weight, 0) :]) if weight else 0


@capability(
    "game_theory.zero_sum_game",
    tier="certified",
    source="maschler2020, sec. 5.2",
    params={
        "payoffs": P("float64[m,n]", about="gain of the row player"),
    },
    result=R(
        fields={
            "value": R("float64", about="value of the game"),
            "rows": R("float64[m]", about="best mixed strategy of the row player"),
            "columns": R("float64[n]", about="best mixed strategy of the column player"),
        }
    ),
    limit={"m": 20, "n": 20},
    cases=[
        case(
            payoffs=[[1.0, -1.0], [-1.0, 1.0]],
            result={"value": 0.0, "rows": [0.5, 0.5], "columns": [0.5, 0.5]},
            origin="by hand: matching pennies",
        ),
        case(
            payoffs=[[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]],
            result={
                "value": 0.0,
                "rows": [0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
                "columns": [0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
            },
            origin="by hand: rock, paper, scissors",
        ),
        case(
            payoffs=[[3.0, -1.0], [-2.0, 4.0]],
            result={"value": 1.0, "rows": [0.6, 0.4], "columns": [0.5, 0.5]},
            origin="by hand",
        ),
        case(
            payoffs=[[3.71, 6.56], [-8.02, 1.87]],
            result={"value": 3.71, "rows": [1.0, 0.0], "columns": [1.0, 0.0]},
            within=1e-14,
            origin="nashpy 0.0.43, nashpy.Game.linear_program",
        ),
    ],
)
def zero_sum_game(payoffs):
    """Value of a game of two with opposite interests, and mixed strategies that secure it."""
    table = rows(rational(payoffs))
    shift = 1 - min(min(row) for row in table)
    lifted = [[x + shift for x in row] for row in table]  # the value is positive now
    m, n = payoffs.shape
    second = inequality_form([fmpq(-1)] * n, lifted, [fmpq(1)] * m)
    turned = [[-x for x in line] for line in zip(*lifted, strict=True)]
    first = inequality_form([fmpq(1)] * m, turned, [fmpq(-1)] * n)
    total = sum(second, fmpq(0))
    return {"value": 1 / total - shift, "rows": [x / total for x in first], "columns": [x / total for x in second]}


@capability(
    "game_theory.pure_equilibria",
    tier="certified",
    source="osborne1994, def. 14.1",
    keywords=["Nash equilibrium"],
    params={
        "first": P("float64[m,n]", about="gain of the row player"),
        "second": P("float64[m,n]", about="gain of the column player"),
    },
    result=R("int[k,p]", about="row and column of each equilibrium, from 0"),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(
            first=[[3.0, 0.0], [5.0, 1.0]],
            second=[[3.0, 5.0], [0.0, 1.0]],
            result=[[1, 1]],
            origin="by hand: prisoner's dilemma",
        ),
        case(
            first=[[2.0, 0.0], [0.0, 1.0]],
            second=[[1.0, 0.0], [0.0, 2.0]],
            result=[[0, 0], [1, 1]],
            origin="by hand: battle of the sexes",
        ),
        case(
            first=[[1.0, -1.0], [-1.0, 1.0]],
            second=[[-1.0, 1.0], [1.0, -1.0]],
            result=[],
            origin="by hand: matching pennies",
        ),
        case(
            first=[[-0.673, 4.53], [3.19, 0.908], [0.989, -4.44]],
            second=[[-1.93, 2.09], [1.46, -3.96], [-2.16, -4.03]],
            result=[[0, 1], [1, 0]],
            origin="quantecon 0.11.4, quantecon.game_theory.pure_nash_brute",
        ),
    ],
)
def pure_equilibria(first, second):
    """Pairs of pure strategies of which neither player wants to deviate alone."""
    best_rows, best_columns = first.max(axis=0), second.max(axis=1)
    m, n = first.shape
    return [
        [i, j] for i in range(m) for j in range(n) if first[i, j] == best_rows[j] and second[i, j] == best_columns[i]
    ]


@capability(
    "game_theory.mixed_equilibrium_2x2",
    tier="certified",
    version=2,
    source="osborne1994, sec. 3.2",
    keywords=["Nash equilibrium"],
    params={
        "first": P("float64[m,n]", about="gain of the row player, two by two", min_size=2),
        "second": P("float64[m,n]", about="gain of the column player", min_size=2),
    },
    result=R(
        fields={
            "row": R("float64", about="probability of the first row", range="[0, 1]"),
            "column": R("float64", about="probability of the first column", range="[0, 1]"),
        }
    ),
    limit={"m": 2, "n": 2},
    requires=["len(first[0]) == 2"],
    cases=[
        case(
            first=[[2.0, 0.0], [0.0, 1.0]],
            second=[[1.0, 0.0], [0.0, 2.0]],
            result={"row": 0.6666666666666666, "column": 0.3333333333333333},
            origin="by hand: battle of the sexes",
        ),
        case(
            first=[[1.0, -1.0], [-1.0, 1.0]],
            second=[[-1.0, 1.0], [1.0, -1.0]],
            result={"row": 0.5, "column": 0.5},
            origin="by hand: matching pennies",
        ),
        case(
            first=[[3.0, 0.0], [5.0, 1.0]],
            second=[[3.0, 5.0], [0.0, 1.0]],
            error="domain_error",
            origin="by hand: prisoner's dilemma has none",
        ),
        case(
            first=[[-2.8, 1.15], [2.25, -0.774]],
            second=[[-0.123, -1.78], [-1.72, -0.0684]],
            result={"row": 0.49918394487094236, "column": 0.27588184685976486},
            within=1e-14,
            origin="quantecon 0.11.4, quantecon.game_theory.support_enumeration",
        ),
    ],
)
def mixed_equilibrium_2x2(first, second):
    """Equilibrium of a game of two by two strategies in which both players mix."""
    (a, b), (c, d) = rows(rational(first))
    (e, f), (g, h) = rows(rational(second))
    row, col = e - f - g + h, a - b - c + d
    if row == 0 or col == 0 or not (0 < (h - g) / row < 1 and 0 < (d - b) / col < 1):
        raise DomainError("first and second", None, "a game in which both players can be made indifferent")
    return {"row": (h - g) / row, "column": (d - b) / col}


@capability(
    "game_theory.dominance_elimination",
    tier="certified",
    source="osborne1994, sec. 4.2",
    params={
        "first": P("float64[m,n]", about="gain of the row player"),
        "second": P("float64[m,n]", about="gain of the column player"),
    },
    result=R(
        fields={
            "rows": R("int[p]", about="rows that remain, from 0"),
            "columns": R("int[q]", about="columns that remain, from 0"),
        }
    ),
    limit={"m": 60, "n": 60},
    cases=[
        case(
            first=[[3.0, 0.0], [5.0, 1.0]],
            second=[[3.0, 5.0], [0.0, 1.0]],
            result={"rows": [1], "columns": [1]},
            origin="by hand: prisoner's dilemma",
        ),
        case(
            first=[[2.0, 0.0], [0.0, 1.0]],
            second=[[1.0, 0.0], [0.0, 2.0]],
            result={"rows": [0, 1], "columns": [0, 1]},
            origin="by hand: nothing is dominated",
        ),
    ],
)
def dominance_elimination(first, second):
    """Strategies that are left when those strictly dominated by another pure one are struck out again and again."""
    kept_rows, kept_columns = list(range(first.shape[0])), list(range(first.shape[1]))
    while True:
        left_rows = [
            i for i in kept_rows if not any(all(first[k, j] > first[i, j] for j in kept_columns) for k in kept_rows)
        ]
        left_columns = [
            j
            for j in kept_columns
            if not any(all(second[i, k] > second[i, j] for i in left_rows) for k in kept_columns)
        ]
        if left_rows == kept_rows and left_columns == kept_columns:
            return {"rows": kept_rows, "columns": kept_columns}
        kept_rows, kept_columns = left_rows, left_columns


@capability(
    "game_theory.shapley_value",
    tier="certified",
    source="osborne1994, sec. 14.4",
    params={
        "values": P(
            "float64[n]",
            about="value of each coalition from 0: its number is the sum of 2^i over its members i, from 0",
            min_size=2,
        ),
    },
    result=R("float64[p]", about="share of each player"),
    limit={"n": 65536},
    cases=[
        case(
            values=[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            result=[0.6666666666666666, 0.16666666666666666, 0.16666666666666666],
            origin="by hand: one glove against two",
        ),
        case(values=[0.0, 1.0, 2.0, 4.0], result=[1.5, 2.5], origin="by hand"),
        case(values=[0.0, 1.0, 2.0], error="invalid_intent", origin="by hand"),
        case(
            values=[0.0, 5.68, 10.5, 16.4, 9.48, 3.35, 8.87, 18.9],
            result=[5.198333333333333, 10.368333333333332, 3.3333333333333335],
            within=1e-14,
            origin="coopgt 0.0.3, coopgt.shapley_value.calculate",
        ),
    ],
)
def shapley_value(values):
    """Fair shares of a game of coalitions: each player's mean contribution over all orders of arrival."""
    worth, players = coalition_values(values)
    weights = [fmpq(1, players * comb(players - 1, k)) for k in range(players)]
    found = [fmpq(0)] * players
    for members in range(len(worth)):
        weight = weights[members.bit_count()] if members.bit_count() < players else None
        for player in range(players):
            if not members >> player & 1:
                found[player] += weight * (worth[members | 1 << player] - worth[members])
    return found


@capability(
    "game_theory.banzhaf_value",
    tier="certified",
    source="maschler2020, sec. 19.6",
    params={
        "values": P(
            "float64[n]",
            about="value of each coalition from 0: its number is the sum of 2^i over its members i, from 0",
            min_size=2,
        ),
    },
    result=R("float64[p]", about="mean contribution of each player to all coalitions of others"),
    limit={"n": 65536},
    cases=[
        case(
            values=[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            result=[0.75, 0.25, 0.25],
            origin="by hand: one glove against two",
        ),
        case(values=[0.0, 1.0, 2.0, 4.0], result=[1.5, 2.5], origin="by hand"),
    ],
)
def banzhaf_value(values):
    """Mean contribution of each player over all coalitions of the others."""
    worth, players = coalition_values(values)
    return [
        sum((worth[s | 1 << i] - worth[s] for s in range(len(worth)) if not s >> i & 1), fmpq(0)) / 2 ** (players - 1)
        for i in range(players)
    ]


@capability(
    "game_theory.shapley_shubik_index",
    tier="certified",
    version=2,
    source="maschler2020, sec. 18.4",
    keywords=["voting power", "weighted voting"],
    params={
        "weights": P("int[n]", about="votes of each player", domain="[0, 1000]"),
        "quota": P("int", about="votes that a coalition needs to win, at least", domain="[1, 100000]"),
    },
    result=R("float64[n]", about="power of each player, which sums to one"),
    limit={"n": 60},
    cases=[
        case(
            weights=[3, 2, 2],
            quota=4,
            result=[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
            origin="by hand: any two win",
        ),
        case(
            weights=[4, 2, 1],
            quota=5,
            result=[0.6666666666666666, 0.16666666666666666, 0.16666666666666666],
            origin="by hand",
        ),
        case(weights=[1, 1], quota=3, error="domain_error", origin="by hand"),
        case(
            weights=[4, 6, 8],
            quota=10,
            result=[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
            within=1e-14,
            origin="coopgt 0.0.3, coopgt.shapley_value.calculate: of the game of votes",
        ),
    ],
)
def shapley_shubik_index(weights, quota):
    """Power of voters with unequal votes: how often each is the one who decides, in orders."""
    reachable(weights, quota)
    n = len(weights)
    return [
        sum(
            (
                fmpq(count * factorial(size) * factorial(n - size - 1), factorial(n))
                for size, count in enumerate(swings)
            ),
            fmpq(0),
        )
        for swings in wins(weights, quota)
    ]


def reachable(weights, quota):
    """Refuse a quota that all votes together miss."""
    if sum(weights) < quota:
        raise DomainError("quota", quota, f"at most all {sum(weights)} votes")


@capability(
    "game_theory.banzhaf_index",
    tier="certified",
    version=3,
    source="maschler2020, sec. 18.4",
    keywords=["voting power", "weighted voting"],
    params={
        "weights": P("int[n]", about="votes of each player", domain="[0, 1000]"),
        "quota": P("int", about="votes that a coalition needs to win, at least", domain="[1, 100000]"),
    },
    result=R("float64[n]", about="share of the swings of each player, which sum to one", range="[0, 1]"),
    limit={"n": 60},
    cases=[
        case(
            weights=[3, 2, 2],
            quota=4,
            result=[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
            origin="by hand: any two win",
        ),
        case(weights=[4, 2, 1], quota=5, result=[0.6, 0.2, 0.2], origin="by hand: swings 3, 1, 1"),
    ],
)
def banzhaf_index(weights, quota):
    """Power of voters with unequal votes: each one's share of the decisive memberships."""
    reachable(weights, quota)
    swings = [sum(line) for line in wins(weights, quota)]
    return [fmpq(count, sum(swings)) for count in swings]


@capability(
    "game_theory.is_in_core",
    tier="certified",
    version=2,
    source="osborne1994, sec. 13.2",
    params={
        "values": P(
            "float64[n]",
            about="value of each coalition from 0: its number is the sum of 2^i over its members i, from 0",
            min_size=2,
        ),
        "shares": P("float64[p]", about="share of each player"),
    },
    result=R("bool", about="whether no coalition can do better alone"),
    limit={"n": 65536, "p": 16},
    cases=[
        case(
            values=[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            shares=[1.0, 0.0, 0.0],
            result=True,
            origin="by hand: one glove against two",
        ),
        case(values=[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0], shares=[0.5, 0.25, 0.25], result=False, origin="by hand"),
        case(
            values=[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            shares=[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
            result=True,
            origin="by hand: all are needed, and share alike",
        ),
    ],
)
def is_in_core(values, shares):
    """Whether shares give all away and leave every coalition its worth, to within the rounding of the shares."""
    worth, players = coalition_values(values)
    if len(shares) != players:
        raise ShapeError("shares", f"{len(shares)} items", f"{players}, one a player")
    exact = column(rational(shares))
    sums = [fmpq(0)] * len(worth)
    for members in range(1, len(worth)):
        low = members & -members
        sums[members] = sums[members ^ low] + exact[low.bit_length() - 1]
    blur = sum((abs(x) for x in exact), fmpq(0)) / 2**53  # the shares are doubles: thirds do not sum to one
    return bool(abs(sums[-1] - worth[-1]) <= blur and all(a + blur >= b for a, b in zip(sums, worth, strict=True)))


@capability(
    "game_theory.pure_security_levels",
    tier="certified",
    source="osborne1994, sec. 2.5",
    params={
        "payoffs": P("float64[m,n]", about="gain of the row player"),
    },
    result=R(
        fields={
            "maximin": R("float64", about="most that the row player can secure by one row"),
            "minimax": R("float64", about="least that the column player can hold her to by one column"),
        }
    ),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(payoffs=[[3.0, -1.0], [-2.0, 4.0]], result={"maximin": -1.0, "minimax": 3.0}, origin="by hand"),
        case(
            payoffs=[[2.0, 3.0], [1.0, 0.5]], result={"maximin": 2.0, "minimax": 2.0}, origin="by hand: a saddle point"
        ),
    ],
)
def pure_security_levels(payoffs):
    """What each player of a game of opposite interests secures by a single strategy."""
    return {"maximin": float(payoffs.min(axis=1).max()), "minimax": float(payoffs.max(axis=0).min())}
