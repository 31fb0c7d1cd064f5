"""Seats of parties and states by further methods of divisors."""

from fractions import Fraction
from heapq import heapify, heapreplace

from service_nb_kernels.declare import P, R, capability, case

SEATS = {
    "votes": P("int[n]", about="votes of each party", domain="[1, 1e15]", min_size=1),
    "seats": P("int", about="seats to share out", domain="[0, 10000]"),
}
BEFORE = Fraction(1, 10**40)  # stands for the divisor 0 of those who have no seat: before all others, the largest first


def share_out(votes, seats, divide):
    """Return the seats by a method of divisors: each goes to the highest quotient, ties to the earlier party."""
    found = [0] * len(votes)
    queue = [(-divide(many, 0), place) for place, many in enumerate(votes)]
    heapify(queue)
    for _ in range(seats):
        place = queue[0][1]
        found[place] += 1
        heapreplace(queue, (-divide(votes[place], found[place]), place))
    return found


@capability(
    "game_theory.apportion_huntington_hill",
    tier="certified",
    source="balinski2001",
    keywords=["equal proportions", "House of Representatives", "seats of states", "census"],
    params=SEATS,
    result=R(
        "int[n]", about="seats of each party or state, ties to the earlier one; of too few, one to each of the largest"
    ),
    limit={"n": 1000},
    cases=[
        case(
            votes=[5728, 1875, 1579, 466, 2817],
            seats=22,
            result=[10, 3, 3, 1, 5],
            origin="apportionment 1.0, apportionment.methods.compute: huntington",
        ),
        case(
            votes=[8192, 8886, 733],
            seats=29,
            result=[13, 15, 1],
            origin="apportionment 1.0, apportionment.methods.compute: huntington",
        ),
    ],
)
def apportion_huntington_hill(votes, seats):
    """Seats of each party or state by Huntington and Hill, as in the US House of Representatives."""
    return share_out(votes, seats, lambda many, held: Fraction(many * many, held * (held + 1) or BEFORE))


@capability(
    "game_theory.apportion_adams",
    tier="certified",
    source="balinski2001",
    keywords=["smallest divisors", "proportional representation"],
    params=SEATS,
    result=R(
        "int[n]", about="seats of each party or state, ties to the earlier one; of too few, one to each of the largest"
    ),
    limit={"n": 1000},
    cases=[
        case(
            votes=[7518, 3637, 6834, 4895],
            seats=15,
            result=[5, 3, 4, 3],
            origin="apportionment 1.0, apportionment.methods.compute: adams",
        ),
        case(
            votes=[1629, 6499, 1671],
            seats=14,
            result=[3, 8, 3],
            origin="apportionment 1.0, apportionment.methods.compute: adams",
        ),
    ],
)
def apportion_adams(votes, seats):
    """Seats of each party or state by Adams, whose divisors 0, 1, 2, … favor the small."""
    return share_out(votes, seats, lambda many, held: Fraction(many, held or BEFORE))


@capability(
    "game_theory.apportion_dean",
    tier="certified",
    source="balinski2001",
    keywords=["harmonic mean", "proportional representation"],
    params=SEATS,
    result=R(
        "int[n]", about="seats of each party or state, ties to the earlier one; of too few, one to each of the largest"
    ),
    limit={"n": 1000},
    cases=[
        case(
            votes=[473, 8622, 1229, 535, 2588, 405],
            seats=19,
            result=[1, 11, 2, 1, 3, 1],
            origin="apportionment 1.0, apportionment.methods.compute: dean",
        ),
        case(
            votes=[9884, 8697, 4745, 9269, 9758, 4921],
            seats=21,
            result=[5, 4, 2, 4, 4, 2],
            origin="apportionment 1.0, apportionment.methods.compute: dean",
        ),
    ],
)
def apportion_dean(votes, seats):
    """Seats of each party or state by Dean, whose divisors are harmonic means of neighboring numbers."""
    return share_out(votes, seats, lambda many, held: Fraction(many * (2 * held + 1), 2 * held * (held + 1) or BEFORE))


@capability(
    "game_theory.apportion_modified_sainte_lague",
    tier="certified",
    source="balinski2001",
    keywords=["Norway", "Sweden", "first divisor 1.4", "proportional representation"],
    params=SEATS,
    result=R("int[n]", about="seats of each party, ties to the earlier one"),
    limit={"n": 1000},
    cases=[
        case(
            votes=[9371, 6185, 3410, 9300, 7753, 8925],
            seats=28,
            result=[6, 4, 2, 6, 5, 5],
            origin="apportionment 1.0, apportionment.methods.compute: modified_saintelague",
        ),
        case(
            votes=[2955, 6753, 5080],
            seats=29,
            result=[6, 13, 10],
            origin="apportionment 1.0, apportionment.methods.compute: modified_saintelague",
        ),
    ],
)
def apportion_modified_sainte_lague(votes, seats):
    """Seats of each party by the modified method of Sainte-Laguë, with 1.4 as the first divisor."""
    return share_out(votes, seats, lambda many, held: Fraction(many, 2 * held + 1) if held else Fraction(many * 5, 7))
