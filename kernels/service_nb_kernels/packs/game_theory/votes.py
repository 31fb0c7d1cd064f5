"""Votes and matchings: rankings that are merged, seats that are shared out, partners that stay together."""

from flint import fmpq
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def ballots_of(ballots):
    """Return the number of candidates; every ballot ranks each of them once."""
    size = len(ballots[0])
    for ballot in ballots:
        if sorted(ballot) != list(range(size)):
            raise DomainError("ballots", ballot, f"each of 0 to {size - 1} once")
    return size


def preferences(ballots):
    """Return how many ballots put one candidate before another."""
    size = ballots_of(ballots)
    table = [[0] * size for _ in range(size)]
    for ballot in ballots:
        for place, a in enumerate(ballot):
            for b in ballot[place + 1 :]:
                table[a][b] += 1
    return table


def apportioned(votes, seats, divisor):
    """Return the seats by a method of divisors, ties to the earlier party."""
    if not any(votes):
        raise DomainError("votes", 0, "at least one vote")
    found = [0] * len(votes)
    for _ in range(seats):
        winner = max(range(len(votes)), key=lambda k: (votes[k] / divisor(found[k]), -k))
        found[winner] += 1
    return found


@capability(
    "game_theory.stable_matching",
    tier="certified",
    source="gale1962",
    params={
        "proposers": P("int[n,m]", about="ranking of the others by each proposer, the best first, from 0"),
        "receivers": P("int[n,m]", about="ranking of the proposers by each receiver"),
    },
    result=R("int[n]", about="partner of each proposer"),
    limit={"n": 500, "m": 500},
    cases=[
        case(proposers=[[0, 1], [0, 1]], receivers=[[1, 0], [0, 1]], result=[1, 0], origin="by hand"),
        case(
            proposers=[[0, 1, 2], [1, 2, 0], [2, 0, 1]],
            receivers=[[1, 2, 0], [2, 0, 1], [0, 1, 2]],
            result=[0, 1, 2],
            origin="gale1962, example 1: each proposer gets his first choice",
        ),
    ],
)
def stable_matching(proposers, receivers):
    """Partners so that no two prefer each other to their own, best for those who propose."""
    n = ballots_of(proposers)
    if ballots_of(receivers) != n or len(proposers) != n:
        raise DomainError("receivers", None, "as many rankings as there are to rank")
    order = [{a: place for place, a in enumerate(ranking)} for ranking in receivers]
    following, partner, free = [0] * n, {}, list(range(n))[::-1]
    while free:
        a = free.pop()
        b = proposers[a][following[a]]
        following[a] += 1
        held = partner.get(b)
        if held is None or order[b][a] < order[b][held]:
            partner[b] = a
            a = held
        if a is not None:
            free.append(a)
    found = {a: b for b, a in partner.items()}
    return [found[a] for a in range(n)]


@capability(
    "game_theory.borda_scores",
    tier="certified",
    source="brandt2016, sec. 2.4",
    params={
        "ballots": P("int[m,n]", about="rankings, the best first, from 0"),
    },
    result=R("int[n]", about="score of each candidate"),
    limit={"m": 20000, "n": 200},
    cases=[
        case(ballots=[[0, 1, 2], [1, 0, 2], [0, 2, 1]], result=[5, 3, 1], origin="by hand"),
        case(ballots=[[1, 0]], result=[0, 1], origin="by hand"),
        case(
            ballots=[[2, 1, 0], [2, 1, 0], [2, 0, 1], [1, 2, 0], [2, 1, 0]],
            result=[1, 5, 9],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.borda_scores",
        ),
    ],
)
def borda_scores(ballots):
    """Points of each candidate: on each ballot, one for everyone who is ranked below."""
    size = ballots_of(ballots)
    found = [0] * size
    for ballot in ballots:
        for place, candidate in enumerate(ballot):
            found[candidate] += size - 1 - place
    return found


@capability(
    "game_theory.condorcet_winner",
    tier="certified",
    source="brandt2016, sec. 2.1",
    params={
        "ballots": P("int[m,n]", about="rankings, the best first, from 0"),
    },
    result=R("int", about="candidate who beats every other, or -1"),
    limit={"m": 20000, "n": 100},
    cases=[
        case(ballots=[[0, 1, 2], [1, 0, 2], [0, 2, 1]], result=0, origin="by hand"),
        case(ballots=[[0, 1, 2], [1, 2, 0], [2, 0, 1]], result=-1, origin="by hand: Condorcet's paradox"),
        case(
            ballots=[[3, 2, 0, 1], [2, 1, 3, 0], [0, 1, 2, 3], [3, 2, 1, 0]],
            result=-1,
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.condorcet_winner",
        ),
    ],
)
def condorcet_winner(ballots):
    """Candidate who wins against each other one by majority, or -1 if there is none."""
    table = preferences(ballots)
    return next(
        (a for a in range(len(table)) if all(a == b or table[a][b] > table[b][a] for b in range(len(table)))), -1
    )


@capability(
    "game_theory.schulze_ranking",
    tier="certified",
    source="brandt2016, sec. 4.5",
    params={
        "ballots": P("int[m,n]", about="rankings, the best first, from 0"),
    },
    result=R("int[n]", about="candidates, the winner first, ties by number"),
    limit={"m": 20000, "n": 60},
    cases=[
        case(ballots=[[0, 1, 2], [1, 0, 2], [0, 2, 1]], result=[0, 1, 2], origin="by hand"),
        case(
            ballots=[[0, 1, 2], [0, 1, 2], [1, 2, 0], [1, 2, 0], [1, 2, 0], [2, 0, 1], [2, 0, 1]],
            result=[1, 2, 0],
            origin="by hand: strongest paths 4, 5, 5",
        ),
    ],
)
def schulze_ranking(ballots):
    """Order of candidates by the strongest chains of majorities, after Schulze."""
    table = preferences(ballots)
    n = len(table)
    strength = [[table[a][b] if table[a][b] > table[b][a] else 0 for b in range(n)] for a in range(n)]
    for c in range(n):
        for a in range(n):
            for b in range(n):
                if a != b:
                    strength[a][b] = max(strength[a][b], min(strength[a][c], strength[c][b]))
    victories = [sum(strength[a][b] > strength[b][a] for b in range(n)) for a in range(n)]
    return sorted(range(n), key=lambda a: (-victories[a], a))


@capability(
    "game_theory.kemeny_ranking",
    tier="certified",
    version=2,
    source="brandt2016, sec. 4.1",
    params={
        "ballots": P("int[m,n]", about="rankings, the best first, from 0"),
    },
    result=R("int[n]", about="candidates in the order of least disagreement, the first of equals"),
    limit={"m": 20000, "n": 16},
    cases=[
        case(ballots=[[0, 1, 2], [1, 0, 2], [0, 2, 1]], result=[0, 1, 2], origin="by hand"),
        case(ballots=[[2, 1, 0], [2, 0, 1], [1, 2, 0]], result=[2, 1, 0], origin="by hand"),
        case(
            ballots=[[2, 1, 0], [1, 0, 2], [2, 1, 0], [2, 0, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]],
            result=[1, 2, 0],
            origin="pref_voting 1.18.2, pref_voting.other_methods.kemeny_young_rankings",
        ),
    ],
)
def kemeny_ranking(ballots):
    """Order of candidates that disagrees with the fewest pairs of all ballots."""
    table = preferences(ballots)
    n = len(table)
    least = [0] * (1 << n)  # disagreement of the best order of each set, which is the sum of 2^i over its members i
    first = [0] * (1 << n)
    for members in range(1, 1 << n):
        check_deadline()
        inside = [each for each in range(n) if members >> each & 1]
        costs = [sum(table[b][a] for b in inside) + least[members ^ 1 << a] for a in inside]
        least[members] = min(costs)
        first[members] = inside[costs.index(least[members])]
    order, left = [], (1 << n) - 1
    while left:
        order.append(first[left])
        left ^= 1 << first[left]
    return order


@capability(
    "game_theory.apportion_dhondt",
    tier="certified",
    version=2,
    source="balinski2001, ch. 3 and app. A",
    params={
        "votes": P("int[n]", about="votes of each party", domain="[0, inf)"),
        "seats": P("int", about="seats", domain="[1, 5000]"),
    },
    result=R("int[n]", about="seats of each party, ties to the earlier one"),
    limit={"n": 200},
    cases=[
        case(
            votes=[100000, 80000, 30000, 20000],
            seats=8,
            result=[4, 3, 1, 0],
            origin="by hand: quotients 100, 80, 50, 40, 33.3, 30, 26.7, 25",
        ),
        case(votes=[7, 3], seats=1, result=[1, 0], origin="by hand"),
        case(
            votes=[3141, 9713, 5740, 5612, 4309, 8150],
            seats=14,
            result=[1, 4, 2, 2, 2, 3],
            origin="apportionment 1.0, apportionment.methods.compute: dhondt",
        ),
        case(votes=[0, 0], seats=2, error="domain_error", origin="by hand"),
    ],
)
def apportion_dhondt(votes, seats):
    """Seats of parties by the method of D'Hondt and Jefferson."""
    return apportioned([fmpq(v) for v in votes], seats, lambda held: held + 1)


@capability(
    "game_theory.apportion_sainte_lague",
    tier="certified",
    version=2,
    source="balinski2001, ch. 4 and app. A",
    params={
        "votes": P("int[n]", about="votes of each party", domain="[0, inf)"),
        "seats": P("int", about="seats", domain="[1, 5000]"),
    },
    result=R("int[n]", about="seats of each party, ties to the earlier one"),
    limit={"n": 200},
    cases=[
        case(
            votes=[100000, 80000, 30000, 20000],
            seats=8,
            result=[3, 3, 1, 1],
            origin="by hand: quotients 100, 80, 33.3, 30, 26.7, 20, 20, 16",
        ),
        case(
            votes=[53000, 24000, 23000],
            seats=7,
            result=[3, 2, 2],
            origin="by hand: quotients 53, 24, 23, 17.7, 10.6, 8, 7.7",
        ),
        case(
            votes=[6642, 6575, 7210, 5342],
            seats=6,
            result=[2, 1, 2, 1],
            origin="apportionment 1.0, apportionment.methods.compute: saintelague",
        ),
        case(votes=[0, 0], seats=2, error="domain_error", origin="by hand"),
    ],
)
def apportion_sainte_lague(votes, seats):
    """Seats of parties by the method of Sainte-Lague and Webster."""
    return apportioned([fmpq(v) for v in votes], seats, lambda held: 2 * held + 1)


@capability(
    "game_theory.apportion_largest_remainder",
    tier="certified",
    source="balinski2001, ch. 2",
    params={
        "votes": P("int[n]", about="votes of each party", domain="[0, inf)"),
        "seats": P("int", about="seats", domain="[1, 100000]"),
    },
    result=R("int[n]", about="seats of each party, ties to the earlier one"),
    limit={"n": 10000},
    cases=[
        case(
            votes=[47000, 16000, 15800, 12000, 6100, 3100],
            seats=10,
            result=[5, 2, 1, 1, 1, 0],
            origin="by hand: quotas 4.7, 1.6, 1.58, 1.2, 0.61, 0.31",
        ),
        case(votes=[1, 1, 1], seats=2, result=[1, 1, 0], origin="by hand: ties"),
        case(votes=[0, 0], seats=2, error="domain_error", origin="by hand"),
        case(
            votes=[5104, 3435, 9873],
            seats=13,
            result=[4, 2, 7],
            origin="apportionment 1.0, apportionment.methods.compute: hamilton",
        ),
    ],
)
def apportion_largest_remainder(votes, seats):
    """Seats of parties by whole quotas and the largest remainders, after Hamilton and Hare."""
    total = sum(votes)
    if total == 0:
        raise DomainError("votes", 0, "at least one vote")
    found = [v * seats // total for v in votes]
    order = sorted(range(len(votes)), key=lambda k: (-(votes[k] * seats % total), k))
    for k in order[: seats - sum(found)]:
        found[k] += 1
    return found
