"""Elections by ranked ballots. Ties stay: all who win are returned."""

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.packs.game_theory.votes import ballots_of, preferences

BALLOTS = {"ballots": P("int[m,n]", about="rankings, the best first, from 0")}
WINNERS = R("int[k]", about="candidates who win, more than one where they tie")
LAST_ONES = R("int[k]", about="candidates who win, or tie for it; all who tie for the last place drop out together")
LIMIT = {"m": 20000, "n": 60}


def margins_of(ballots):
    """Return by how many ballots each candidate is ahead of each other one."""
    table = preferences(ballots)
    size = len(table)
    return [[table[a][b] - table[b][a] for b in range(size)] for a in range(size)]


def count_first(ballots, left):
    """Count the ballots on which each of the candidates left is first."""
    counts = dict.fromkeys(left, 0)
    for ballot in ballots:
        counts[next(each for each in ballot if each in counts)] += 1
    return counts


def score_borda(ballots, left):
    """Return Borda scores among the candidates left."""
    scores = dict.fromkeys(left, 0)
    for ballot in ballots:
        ranked = [each for each in ballot if each in scores]
        for place, each in enumerate(ranked):
            scores[each] += len(ranked) - 1 - place
    return scores


def find_majority(ballots, left):
    """Return whom more than half of the ballots put first."""
    return [each for each, many in count_first(ballots, left).items() if 2 * many > len(ballots)]


def eliminate(ballots, find_winners, find_last):
    """Drop candidates, all that tie for it together, until somebody wins; the last ones win where all would go."""
    left = set(range(ballots_of(ballots)))
    while True:
        check_deadline()
        winners = find_winners(left)
        if winners:
            return sorted(winners)
        last = find_last(left)
        if len(last) == len(left):
            return sorted(last)
        left -= set(last)


def take_least(scores):
    """Return those with the lowest score."""
    least = min(scores.values())
    return [each for each, score in scores.items() if score == least]


@capability(
    "game_theory.pairwise_margins",
    tier="certified",
    source="brandt2016, sec. 2.1",
    keywords=["margin matrix", "head to head", "Condorcet", "ranked ballots"],
    params=BALLOTS,
    result=R("int[n,n]", about="ballots for the candidate of the row less those for that of the column"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[[4, 3, 2, 0, 1], [3, 1, 0, 4, 2], [1, 3, 2, 4, 0], [2, 3, 0, 4, 1]],
            result=[[0, 0, -2, -4, 0], [0, 0, 0, -2, 0], [2, 0, 0, -2, 0], [4, 2, 2, 0, 2], [0, 0, 0, -2, 0]],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.margin_matrix",
        ),
        case(
            ballots=[[3, 1, 2, 0], [0, 1, 2, 3], [0, 2, 1, 3]],
            result=[[0, 1, 1, 1], [-1, 0, 1, 1], [-1, -1, 0, 1], [-1, -1, -1, 0]],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.margin_matrix",
        ),
    ],
)
def pairwise_margins(ballots):
    """Margins by which candidates beat each other head to head, from ranked ballots."""
    return margins_of(ballots)


@capability(
    "game_theory.plurality_scores",
    tier="certified",
    source="brandt2016, sec. 2.2",
    keywords=["first past the post", "first preferences", "election"],
    params=BALLOTS,
    result=R("int[n]", about="ballots on which each candidate is first"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[[0, 1, 2], [1, 2, 0], [0, 1, 2], [2, 0, 1], [2, 0, 1]],
            result=[2, 1, 2],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.plurality_scores",
        ),
        case(
            ballots=[[1, 2, 4, 0, 3], [1, 0, 3, 2, 4], [4, 3, 2, 0, 1], [0, 1, 3, 2, 4], [4, 0, 2, 3, 1]],
            result=[1, 2, 0, 0, 2],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.plurality_scores",
        ),
    ],
)
def plurality_scores(ballots):
    """First places of each candidate on ranked ballots (plurality, first past the post)."""
    size = ballots_of(ballots)
    counts = count_first(ballots, range(size))
    return [counts[each] for each in range(size)]


@capability(
    "game_theory.copeland_scores",
    tier="certified",
    source="brandt2016, sec. 2.1",
    keywords=["Condorcet method", "head to head", "election", "tournament"],
    params=BALLOTS,
    result=R("int[n]", about="score of each candidate"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[
                [0, 1, 2, 3],
                [2, 1, 3, 0],
                [0, 2, 1, 3],
                [2, 3, 1, 0],
                [3, 1, 0, 2],
                [1, 2, 0, 3],
                [3, 2, 0, 1],
                [1, 2, 0, 3],
                [1, 2, 3, 0],
            ],
            result=[-3, 3, 1, -1],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.copeland_scores",
        ),
        case(
            ballots=[[2, 1, 0], [1, 0, 2], [0, 2, 1]],
            result=[0, 0, 0],
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.copeland_scores",
        ),
    ],
)
def copeland_scores(ballots):
    """Copeland scores of candidates: majorities that they win against others, less those that they lose."""
    return [sum((each > 0) - (each < 0) for each in row) for row in margins_of(ballots)]


@capability(
    "game_theory.condorcet_loser",
    tier="certified",
    source="brandt2016, sec. 2.1",
    keywords=["majority loser", "head to head", "election"],
    params=BALLOTS,
    result=R("int", about="candidate who loses to every other, or -1", range="[-1, inf)"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[[0, 2, 1], [2, 0, 1], [0, 2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0], [0, 1, 2], [0, 2, 1]],
            result=1,
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.condorcet_loser",
        ),
        case(
            ballots=[[1, 2, 0], [0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1]],
            result=2,
            origin="pref_voting 1.18.2, pref_voting.profiles.Profile.condorcet_loser",
        ),
    ],
)
def condorcet_loser(ballots):
    """Candidate who loses against each other one by majority, or -1 if there is none."""
    table = margins_of(ballots)
    return next((a for a, row in enumerate(table) if all(each < 0 for b, each in enumerate(row) if a != b)), -1)


@capability(
    "game_theory.instant_runoff_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["IRV", "ranked-choice voting", "alternative vote", "Hare", "election"],
    params=BALLOTS,
    result=LAST_ONES,
    limit=LIMIT,
    cases=[
        case(
            ballots=[[2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [0, 2, 1]],
            result=[2],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.instant_runoff",
        ),
        case(
            ballots=[[0, 2, 1], [0, 2, 1], [0, 2, 1]],
            result=[0],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.instant_runoff",
        ),
    ],
)
def instant_runoff_winners(ballots):
    """Winner of an instant runoff (ranked-choice voting): those with the fewest first places drop out in turn."""
    return eliminate(
        ballots,
        lambda left: find_majority(ballots, left),
        lambda left: take_least(count_first(ballots, left)),
    )


@capability(
    "game_theory.two_round_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["plurality with runoff", "second round", "ballotage", "election"],
    params=BALLOTS,
    result=WINNERS,
    limit=LIMIT,
    cases=[
        case(
            ballots=[[1, 0, 3, 2], [2, 0, 3, 1], [1, 0, 2, 3], [3, 2, 1, 0], [3, 2, 1, 0], [3, 0, 1, 2], [1, 0, 2, 3]],
            result=[3],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.plurality_with_runoff_put",
        ),
        case(
            ballots=[[0, 2, 1], [2, 0, 1], [2, 1, 0], [2, 1, 0], [0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 2, 0], [0, 2, 1]],
            result=[2],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.plurality_with_runoff_put",
        ),
    ],
)
def two_round_winners(ballots):
    """Winner of a runoff between the two candidates with the most first places, by ranked ballots."""
    size, table = ballots_of(ballots), margins_of(ballots)
    if size == 1:
        return [0]
    counts = count_first(ballots, range(size))
    first = [a for a in counts if counts[a] == max(counts.values())]
    second = first
    if len(first) == 1:
        runner_up = max(many for a, many in counts.items() if a != first[0])
        second = [a for a, many in counts.items() if many == runner_up and a != first[0]]
    pairs = [(a, b) for a in first for b in second if a != b]
    return sorted({each for a, b in pairs for each in (a, b) if table[each][a + b - each] >= 0})


@capability(
    "game_theory.coombs_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["elimination", "last places", "election"],
    params=BALLOTS,
    result=LAST_ONES,
    limit=LIMIT,
    cases=[
        case(
            ballots=[
                [2, 4, 0, 1, 3],
                [2, 4, 3, 1, 0],
                [1, 2, 4, 0, 3],
                [2, 0, 3, 4, 1],
                [4, 0, 2, 3, 1],
                [0, 1, 4, 2, 3],
            ],
            result=[2],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.coombs",
        ),
        case(
            ballots=[[2, 3, 1, 0], [3, 0, 2, 1], [0, 2, 1, 3], [3, 1, 0, 2], [3, 2, 1, 0], [0, 3, 1, 2], [3, 2, 0, 1]],
            result=[3],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.coombs",
        ),
    ],
)
def coombs_winners(ballots):
    """Winner by Coombs: those with the most last places drop out until somebody has a majority."""
    backwards = [ballot[::-1] for ballot in ballots]

    def find_last(left):
        return take_least({each: -many for each, many in count_first(backwards, left).items()})

    return eliminate(ballots, lambda left: find_majority(ballots, left), find_last)


@capability(
    "game_theory.baldwin_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["Borda elimination", "election"],
    params=BALLOTS,
    result=LAST_ONES,
    limit=LIMIT,
    cases=[
        case(
            ballots=[[3, 0, 2, 4, 1], [0, 3, 1, 2, 4], [2, 1, 0, 3, 4]],
            result=[0],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.baldwin",
        ),
        case(
            ballots=[
                [3, 0, 2, 1, 4],
                [4, 0, 2, 1, 3],
                [2, 4, 0, 3, 1],
                [4, 0, 3, 2, 1],
                [2, 4, 3, 0, 1],
                [3, 4, 0, 2, 1],
                [2, 4, 1, 0, 3],
                [1, 0, 3, 4, 2],
            ],
            result=[4],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.baldwin",
        ),
    ],
)
def baldwin_winners(ballots):
    """Winner by Baldwin: those with the lowest Borda score drop out in turn."""
    return eliminate(
        ballots,
        lambda left: left if len(left) == 1 else [],
        lambda left: take_least(score_borda(ballots, left)),
    )


@capability(
    "game_theory.nanson_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["Borda elimination", "election"],
    params=BALLOTS,
    result=WINNERS,
    limit=LIMIT,
    cases=[
        case(
            ballots=[[1, 2, 4, 0, 3], [3, 0, 4, 2, 1], [1, 2, 0, 4, 3]],
            result=[1],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.strict_nanson",
        ),
        case(
            ballots=[[2, 0, 1], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 2, 0], [1, 0, 2], [0, 1, 2], [1, 2, 0], [0, 2, 1]],
            result=[0],
            origin="pref_voting 1.18.2, pref_voting.iterative_methods.strict_nanson",
        ),
    ],
)
def nanson_winners(ballots):
    """Winner by Nanson: those with less than the average Borda score drop out together, again and again."""
    left = set(range(ballots_of(ballots)))
    while True:
        check_deadline()
        scores = score_borda(ballots, left)
        below = {each for each in left if len(left) * scores[each] < sum(scores.values())}
        if not below:
            return sorted(left)
        left -= below


@capability(
    "game_theory.bucklin_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["Grand Junction system", "second choices", "election"],
    params=BALLOTS,
    result=WINNERS,
    limit=LIMIT,
    cases=[
        case(
            ballots=[
                [3, 1, 2, 0],
                [0, 2, 1, 3],
                [2, 1, 3, 0],
                [1, 2, 3, 0],
                [3, 2, 0, 1],
                [3, 0, 1, 2],
                [3, 0, 2, 1],
                [1, 3, 0, 2],
                [0, 1, 3, 2],
            ],
            result=[1, 3],
            origin="pref_voting 1.18.2, pref_voting.other_methods.bucklin",
        ),
        case(
            ballots=[[2, 1, 0], [1, 2, 0], [0, 1, 2], [1, 2, 0], [0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]],
            result=[1, 2],
            origin="pref_voting 1.18.2, pref_voting.other_methods.bucklin",
        ),
    ],
)
def bucklin_winners(ballots):
    """Winner by Bucklin: second and further choices are added until somebody has a majority."""
    size = ballots_of(ballots)
    counts = [0] * size
    for place in range(size):
        for ballot in ballots:
            counts[ballot[place]] += 1
        if 2 * max(counts) > len(ballots):
            break
    return [each for each, many in enumerate(counts) if many == max(counts)]


@capability(
    "game_theory.minimax_winners",
    tier="certified",
    source="brandt2016, sec. 2.4",
    keywords=["Simpson-Kramer", "Condorcet method", "successive reversal", "election"],
    params=BALLOTS,
    result=WINNERS,
    limit=LIMIT,
    cases=[
        case(
            ballots=[[2, 1, 0], [2, 0, 1], [2, 0, 1], [2, 1, 0], [2, 0, 1], [1, 2, 0], [0, 1, 2], [0, 1, 2], [2, 1, 0]],
            result=[2],
            origin="pref_voting 1.18.2, pref_voting.margin_based_methods.minimax",
        ),
        case(
            ballots=[[1, 0, 2], [2, 0, 1], [1, 0, 2], [2, 1, 0]],
            result=[1, 2],
            origin="pref_voting 1.18.2, pref_voting.margin_based_methods.minimax",
        ),
    ],
)
def minimax_winners(ballots):
    """Winner by minimax (Simpson-Kramer): whose worst defeat head to head is by the smallest margin."""
    table = margins_of(ballots)
    worst = [max(0, *(-each for each in row)) for row in table]
    return [each for each, margin in enumerate(worst) if margin == min(worst)]


@capability(
    "game_theory.smith_set",
    tier="certified",
    source="brandt2016, sec. 3.3",
    keywords=["top cycle", "GETCHA", "Condorcet", "election", "tournament"],
    params=BALLOTS,
    result=R("int[k]", about="candidates of the set"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[[2, 1, 0, 3], [0, 2, 3, 1], [2, 3, 0, 1], [3, 0, 1, 2], [1, 0, 2, 3], [0, 2, 3, 1]],
            result=[0],
            origin="pref_voting 1.18.2, pref_voting.c1_methods.top_cycle",
        ),
        case(
            ballots=[
                [1, 2, 3, 0, 4],
                [4, 0, 2, 3, 1],
                [4, 2, 3, 1, 0],
                [1, 2, 0, 4, 3],
                [0, 1, 3, 2, 4],
                [0, 2, 3, 4, 1],
            ],
            result=[0, 1, 2, 3, 4],
            origin="pref_voting 1.18.2, pref_voting.c1_methods.top_cycle",
        ),
    ],
)
def smith_set(ballots):
    """Smallest set of candidates who each beat everybody outside of it by majority (Smith set, top cycle)."""
    table = margins_of(ballots)
    wins = [sum(each > 0 for each in row) for row in table]
    found = [each for each, many in enumerate(wins) if many == max(wins)]
    for inside in found:  # grows while it is walked: who is not beaten from inside belongs to it
        found.extend(b for b in range(len(table)) if b not in found and table[inside][b] <= 0)
    return sorted(found)


@capability(
    "game_theory.uncovered_set",
    tier="certified",
    source="brandt2016, sec. 3.3",
    keywords=["Gillies", "covering relation", "Condorcet", "tournament"],
    params=BALLOTS,
    result=R("int[k]", about="candidates of the set"),
    limit=LIMIT,
    cases=[
        case(
            ballots=[[0, 1, 2], [0, 1, 2], [1, 2, 0], [2, 0, 1]],
            result=[0, 2],
            origin="pref_voting 1.18.2, pref_voting.c1_methods.uc_gill",
        ),
        case(
            ballots=[
                [3, 2, 0, 1],
                [3, 1, 0, 2],
                [1, 0, 2, 3],
                [3, 2, 0, 1],
                [2, 3, 0, 1],
                [1, 0, 2, 3],
                [3, 0, 2, 1],
                [2, 1, 0, 3],
                [2, 1, 3, 0],
            ],
            result=[2],
            origin="pref_voting 1.18.2, pref_voting.c1_methods.uc_gill",
        ),
    ],
)
def uncovered_set(ballots):
    """Candidates whom nobody covers: beats them and is beaten only by those who beat them too (Gillies)."""
    table = margins_of(ballots)
    size = len(table)
    over = [{b for b in range(size) if table[b][a] > 0} for a in range(size)]
    return [a for a in range(size) if not any(over[b] <= over[a] for b in over[a])]
