"""Decisions under uncertainty: rules over tables of outcomes, information, and weights of criteria."""

from flint import arb, fmpq, fmpq_mat, fmpq_poly
from service_nb_kernels.certified.linalg import characteristic, dot, root_of
from service_nb_kernels.certified.matrices import column, integers, rational, rows
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.polynomials import real_roots
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.linalg.spectra import adjoint_coefficients, arb_value


def first_best(values):
    """Return the greatest value and the first action that has it."""
    best = max(range(len(values)), key=lambda k: (values[k], -k))
    return {"action": best, "value": values[best]}


def shares(probabilities):
    """Return probabilities as rationals that sum to one; a rounded sum is scaled."""
    exact = column(rational(probabilities))
    total = sum(exact, fmpq(0))
    if abs(total - 1) > fmpq(len(exact), 2**50):
        raise DomainError("probabilities", float(arb(total)), "probabilities that sum to one")
    return [p / total for p in exact]


@capability(
    "decision.expected_value_choice",
    tier="certified",
    source="raiffa1961, sec. 1.3",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
        "probabilities": P("float64[n]", about="probability of each state", domain="[0, 1]"),
    },
    result=R(
        fields={
            "action": R("int", about="best action, from 0; of equals the first"),
            "value": R("float64", about="its expected outcome", unit="?u"),
        }
    ),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]],
            probabilities=[0.5, 0.5],
            result={"action": 0, "value": 40.0},
            origin="by hand",
        ),
        case(
            outcomes=[[4.0, 0.0], [1.0, 1.5]],
            probabilities=[0.25, 0.75],
            result={"action": 1, "value": 1.375},
            origin="by hand",
        ),
        case(outcomes=[[4.0, 0.0]], probabilities=[0.25, 0.5], error="domain_error", origin="by hand"),
    ],
)
def expected_value_choice(outcomes, probabilities):
    """Action with the greatest expected outcome."""
    weights = shares(probabilities)
    return first_best([dot(row, weights) for row in rows(rational(outcomes))])


@capability(
    "decision.maximin_choice",
    tier="certified",
    source="luce1957, sec. 13.2",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
    },
    result=R(
        fields={
            "action": R("int", about="best action, from 0; of equals the first"),
            "value": R("float64", about="its worst outcome", unit="?u"),
        }
    ),
    limit={"m": 300, "n": 300},
    cases=[
        case(outcomes=[[100.0, -20.0], [30.0, 30.0]], result={"action": 1, "value": 30.0}, origin="by hand"),
        case(outcomes=[[4.0, 0.0], [1.0, 1.5]], result={"action": 1, "value": 1.0}, origin="by hand"),
    ],
)
def maximin_choice(outcomes):
    """Action whose worst outcome is best: Wald's rule."""
    return first_best([min(row) for row in rows(rational(outcomes))])


@capability(
    "decision.minimax_regret_choice",
    tier="certified",
    source="luce1957, sec. 13.2",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
    },
    result=R(
        fields={
            "action": R("int", about="best action, from 0; of equals the first"),
            "regret": R("float64", about="its greatest regret", unit="?u"),
        }
    ),
    limit={"m": 300, "n": 300},
    cases=[
        case(outcomes=[[100.0, -20.0], [30.0, 30.0]], result={"action": 0, "regret": 50.0}, origin="by hand"),
        case(outcomes=[[4.0, 0.0], [1.0, 1.5]], result={"action": 0, "regret": 1.5}, origin="by hand"),
    ],
)
def minimax_regret_choice(outcomes):
    """Action whose greatest regret is least: Savage's rule."""
    table = rows(rational(outcomes))
    best = [max(line) for line in zip(*table, strict=True)]
    found = first_best([-max(b - x for b, x in zip(best, row, strict=True)) for row in table])
    return {"action": found["action"], "regret": -found["value"]}


@capability(
    "decision.hurwicz_choice",
    tier="certified",
    source="luce1957, sec. 13.2",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
        "optimism": P("float64", about="weight of the best outcome", domain="[0, 1]"),
    },
    result=R(
        fields={
            "action": R("int", about="best action, from 0; of equals the first"),
            "value": R("float64", about="its weighted outcome", unit="?u"),
        }
    ),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]], optimism=0.5, result={"action": 0, "value": 40.0}, origin="by hand"
        ),
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]],
            optimism=0.25,
            result={"action": 1, "value": 30.0},
            origin="by hand",
        ),
    ],
)
def hurwicz_choice(outcomes, optimism):
    """Action whose best and worst outcome weigh most together: the rule of Hurwicz."""
    hope = exact_number(optimism)
    ends = zip(outcomes.max(axis=1).tolist(), outcomes.min(axis=1).tolist(), strict=True)
    return first_best([hope * exact_number(best) + (1 - hope) * exact_number(worst) for best, worst in ends])


@capability(
    "decision.value_of_perfect_information",
    tier="certified",
    source="raiffa1961, sec. 4.5",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
        "probabilities": P("float64[n]", about="probability of each state", domain="[0, 1]"),
    },
    result=R("float64", about="expected gain", unit="?u"),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(outcomes=[[100.0, -20.0], [30.0, 30.0]], probabilities=[0.5, 0.5], result=25.0, origin="by hand: 65 - 40"),
        case(outcomes=[[1.0, 1.0]], probabilities=[0.25, 0.75], result=0.0, origin="by hand"),
    ],
)
def value_of_perfect_information(outcomes, probabilities):
    """Expected gain from knowing the state before acting."""
    weights = shares(probabilities)
    informed = dot(column(rational(outcomes.max(axis=0))), weights)
    return informed - max(_expect(row, weights) for row in outcomes)


def _expect(outcomes, weights):
    check_deadline()
    return dot(column(rational(outcomes)), weights)


@capability(
    "decision.value_of_sample_information",
    tier="certified",
    source="raiffa1961, sec. 4.5",
    params={
        "outcomes": P(
            "float64[m,n]", about="gain from each action, in rows, in each state; a cost is negative", unit="?u"
        ),
        "probabilities": P("float64[n]", about="probability of each state", domain="[0, 1]"),
        "likelihoods": P(
            "float64[k,n]",
            about="probability of each signal, in rows, in each state",
            domain="[0, 1]",
            structure="column_stochastic",
        ),
    },
    result=R("float64", about="expected gain", unit="?u", range="[0, inf)"),
    limit={"m": 300, "n": 300, "k": 300},
    version=3,
    cases=[
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]],
            probabilities=[0.5, 0.5],
            likelihoods=[[0.1, 0.1], [0.2, 0.2], [0.7, 0.7]],
            result=0.0,
            origin="by hand: a signal that says nothing",
        ),
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]],
            probabilities=[0.5, 0.5],
            likelihoods=[[1.0, 0.0], [0.0, 1.0]],
            result=25.0,
            origin="by hand: a perfect signal",
        ),
        case(
            outcomes=[[100.0, -20.0], [30.0, 30.0]],
            probabilities=[0.5, 0.5],
            likelihoods=[[0.75, 0.25], [0.25, 0.75]],
            result=10.0,
            origin="by hand: 35 + 15 - 40",
        ),
    ],
)
def value_of_sample_information(outcomes, probabilities, likelihoods):
    """Expected gain from an uncertain signal about the state before acting."""
    table, weights = rows(rational(outcomes)), shares(probabilities)
    total, signals = fmpq(0), rows(rational(likelihoods))
    sums = [sum(line, fmpq(0)) for line in zip(*signals, strict=True)]  # one to within rounding
    for signal in signals:
        joint = [a / whole * b for a, whole, b in zip(signal, sums, weights, strict=True)]
        total += max(dot(row, joint) for row in table)
    return total - max(dot(row, weights) for row in table)


@capability(
    "decision.posterior",
    tier="certified",
    version=2,
    source="raiffa1961, sec. 1.4",
    params={
        "prior": P("float64[n]", about="prior weight of each state", domain="[0, inf)"),
        "likelihoods": P(
            "float64[n]", about="probability, or density, of what was seen in each state", domain="[0, inf)"
        ),
    },
    result=R("float64[n]", about="posterior probability of each state", range="[0, 1]"),
    limit={"n": 100000},
    cases=[
        case(
            prior=[0.01, 0.99],
            likelihoods=[0.9, 0.05],
            result=[0.15384615384615385, 0.8461538461538461],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(prior=[1.0, 1.0, 2.0], likelihoods=[0.5, 0.25, 0.125], result=[0.5, 0.25, 0.25], origin="by hand"),
        case(prior=[1.0], likelihoods=[0.0], error="domain_error", origin="by hand"),
    ],
)
def posterior(prior, likelihoods):
    """Probabilities of states after an observation, by Bayes' rule."""
    joint = [a * b for a, b in zip(column(rational(prior)), column(rational(likelihoods)), strict=True)]
    total = sum(joint, fmpq(0))
    if total == 0:
        raise DomainError("likelihoods", 0, "an observation that is possible in some state")
    return [x / total for x in joint]


@capability(
    "decision.ahp_weights",
    tier="certified",
    source="saaty1980, ch. 3",
    params={
        "comparisons": P(
            "float64[n,n]",
            about="how much each criterion, in rows, outweighs each other",
            domain="(0, inf)",
            structure="reciprocal",
        ),
    },
    result=R(
        fields={
            "weights": R("float64[n]", about="weights, which sum to one"),
            "eigenvalue": R("float64", about="principal eigenvalue"),
        }
    ),
    limit={"n": 15},
    version=2,
    cases=[
        case(
            comparisons=[[1.0, 2.0], [0.5, 1.0]],
            result={"weights": [0.6666666666666666, 0.3333333333333333], "eigenvalue": 2.0},
            origin="by hand",
        ),
        case(
            comparisons=[[1.0, 2.0, 4.0], [0.5, 1.0, 2.0], [0.25, 0.5, 1.0]],
            result={"weights": [0.5714285714285714, 0.2857142857142857, 0.14285714285714285], "eigenvalue": 3.0},
            origin="by hand: consistent",
        ),
        case(
            comparisons=[[1.0, 4.0, 5.0], [0.25, 1.0, 2.0], [0.2, 0.5, 1.0]],
            result={
                "weights": [0.6833404616215991, 0.1998099631020124, 0.1168495752763885],
                "eigenvalue": 3.024595068623495,
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
    ],
)
def ahp_weights(comparisons):
    """Weights of criteria from comparisons in pairs: the principal eigenvector of Saaty's method."""
    whole, exponent = integers(comparisons)
    polynomial, scale = characteristic(whole, exponent)
    root = real_roots(polynomial)[-1][0]  # by Perron and Frobenius simple, positive and largest
    parts = adjoint_coefficients(whole, polynomial.coeffs())
    size = len(comparisons)
    vector = [arb_value(fmpq_poly([part[i, 0] for part in parts]), root) for i in range(size)]
    total = sum(vector, arb(0))
    return {"weights": [x / total for x in vector], "eigenvalue": root * scale}


@capability(
    "decision.topsis_scores",
    tier="certified",
    version=2,
    source="hwang1981, sec. 3.2",
    params={
        "outcomes": P("float64[m,n]", about="value of each action, in rows, for each criterion"),
        "weights": P("float64[n]", about="weights of the criteria; those of 0 are left out", domain="[0, inf)"),
        "more_is_better": P("bool[n]", about="whether more of a criterion is better"),
    },
    result=R(
        "float64[m]",
        about="closeness to the ideal, from zero to one, of values over the root of their squares' sum",
        range="[0, 1]",
    ),
    limit={"m": 500, "n": 20},
    cases=[
        case(
            outcomes=[[1.0, 2.0], [3.0, 4.0], [2.0, 1.0]],
            weights=[0.5, 0.5],
            more_is_better=[True, False],
            result=[0.43050087404306037, 0.4494897427831781, 0.7257081148225683],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            outcomes=[[1.0], [2.0], [3.0]],
            weights=[1.0],
            more_is_better=[True],
            result=[0.0, 0.5, 1.0],
            origin="by hand",
        ),
        case(
            outcomes=[[1.0, 5.0], [2.0, 0.0], [3.0, 7.0]],
            weights=[1.0, 0.0],
            more_is_better=[True, False],
            result=[0.0, 0.5, 1.0],
            origin="by hand: the second criterion does not count",
        ),
        case(
            outcomes=[[48.3, 52.5], [89.0, 74.8], [27.5, 37.2], [66.2, 69.4], [54.5, 2.03], [21.5, 18.9]],
            weights=[5.8, 3.43],
            more_is_better=[True, False],
            result=[
                0.36736687906980753,
                0.5826440784648761,
                0.2808520636887568,
                0.4716471475862328,
                0.629188489174311,
                0.35183616934670797,
            ],
            within=1e-14,
            origin="pymcdm 1.4.0, pymcdm.methods.TOPSIS",
        ),
    ],
)
def topsis_scores(outcomes, weights, more_is_better):
    """Closeness of actions to the ideal of all criteria, relative to the worst."""
    table, scale = rows(rational(outcomes)), column(rational(weights))
    if not any(scale):
        raise DomainError("weights", 0.0, "a weight above 0")
    lines = []  # squares of the weighted, normalised distance to the best and to the worst
    for line, weight, more in zip(zip(*table, strict=True), scale, more_is_better, strict=True):
        if weight == 0:
            continue
        length = dot(line, line)
        if length == 0:
            raise DomainError("outcomes", 0, "criteria with a value other than zero")
        best, worst = (max(line), min(line)) if more else (min(line), max(line))
        factor = weight**2 / length
        lines.append([(factor * (x - best) ** 2, factor * (x - worst) ** 2) for x in line])
    found = []
    for cells in zip(*lines, strict=True):
        far, near = (sum(side, fmpq(0)) for side in zip(*cells, strict=True))
        if far == 0 and near == 0:
            raise DomainError("outcomes", None, "actions that differ")
        found.append(fmpq(int(far == 0)) if far == 0 or near == 0 else 1 / (1 + root_of(far / near)))
    return found


@capability(
    "decision.optimal_stopping_threshold",
    tier="certified",
    version=2,
    source="puterman1994, sec. 3.4.2",
    params={
        "candidates": P("int", about="number of candidates", domain="[1, 100000]"),
    },
    result=R(
        fields={
            "skip": R("int", about="how many to let pass"),
            "probability": R("float64", about="probability to choose the best", range="[0, 1]"),
        }
    ),
    cases=[
        case(candidates=3, result={"skip": 1, "probability": 0.5}, origin="by hand"),
        case(candidates=10, result={"skip": 3, "probability": 0.3986904761904762}, origin="by hand"),
        case(candidates=1, result={"skip": 0, "probability": 1.0}, origin="by hand"),
    ],
)
def optimal_stopping_threshold(candidates):
    """How many candidates to let pass before taking the first better one, in the secretary problem."""
    if candidates < 3:
        return {"skip": 0, "probability": fmpq(1, candidates)}
    skip, tail = candidates - 1, arb(fmpq(1, candidates - 1))
    while skip > 1 and not bool(tail > 1):
        skip -= 1
        tail += arb(fmpq(1, skip))
    skip = skip if bool(tail > 1) else skip - 1
    harmonic = fmpq.harmonic(candidates - 1) - fmpq.harmonic(skip - 1) if skip else fmpq(0)
    return {"skip": skip, "probability": fmpq(skip, candidates) * harmonic}


@capability(
    "decision.markov_decision_values",
    tier="certified",
    source="puterman1994, sec. 6.2",
    params={
        "rewards": P("float64[s,a]", about="reward of each action, in columns, in each state"),
        "transitions": P(
            "float64[t,s]",
            about="probabilities of the next state: one row for each state and action, actions of a state together",
            domain="[0, 1]",
            structure="stochastic",
        ),
        "discount": P(
            "float64", about="discount factor, by which the value of the next step is multiplied", domain="[0, 0.9999]"
        ),
    },
    result=R(
        fields={
            "values": R("float64[s]", about="value of each state"),
            "actions": R("int[s]", about="best action in each state, from 0; of equals any one"),
        }
    ),
    limit={"s": 50, "a": 12, "t": 600},
    requires=["len(transitions) == len(rewards) * len(rewards[0])"],
    version=4,
    cases=[
        case(
            rewards=[[1.0], [1.0], [1.0]],
            transitions=[[0.1, 0.2, 0.7], [0.1, 0.2, 0.7], [0.1, 0.2, 0.7]],
            discount=0.75,
            result={"values": [4.0, 4.0, 4.0], "actions": [0, 0, 0]},
            origin="by hand: 1 / (1 - 0.75)",
        ),
        case(
            rewards=[[1.0, 0.0], [2.0, 0.0]],
            transitions=[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]],
            discount=0.5,
            result={"values": [2.0, 4.0], "actions": [0, 0]},
            origin="by hand: 2 = 1 + 2/2 and 0 + 4/2, ties to the first",
        ),
        case(
            rewards=[[0.0, 1.0], [5.0, 0.0]],
            transitions=[[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            discount=0.5,
            result={"values": [3.3333333333333335, 6.666666666666667], "actions": [0, 0]},
            origin="by hand",
        ),
        case(
            rewards=[[3.73, 0.697, 3.05], [5.57, 6.03, 5.03]],
            transitions=[
                [0.1875, 0.8125],
                [0.65625, 0.34375],
                [0.640625, 0.359375],
                [0.1875, 0.8125],
                [0.65625, 0.34375],
                [0.640625, 0.359375],
            ],
            discount=0.356,
            result={"values": [6.677226560030873, 8.648303153496327], "actions": [0, 1]},
            within=1e-14,
            origin="quantecon 0.11.4, quantecon.markov.DiscreteDP.solve: policy_iteration",
        ),
    ],
)
def markov_decision_values(rewards, transitions, discount):
    """Values and best actions of a Markov decision process, by exact policy iteration."""
    gain, share = rows(rational(rewards)), exact_number(discount)
    chain = [[x / whole for x in line] for line in rows(rational(transitions)) for whole in [sum(line, fmpq(0))]]
    size, wide = rewards.shape
    policy = [0] * size
    while True:
        check_deadline()
        table = [[int(i == j) - share * chain[i * wide + policy[i]][j] for j in range(size)] for i in range(size)]
        values = column(fmpq_mat(table).solve(fmpq_mat([[gain[i][policy[i]]] for i in range(size)])))
        worth = [[gain[i][k] + share * dot(chain[i * wide + k], values) for k in range(wide)] for i in range(size)]
        better = [k if worth[i][k] >= max(worth[i]) else worth[i].index(max(worth[i])) for i, k in enumerate(policy)]
        if better == policy:
            return {"values": values, "actions": policy}
        policy = better
