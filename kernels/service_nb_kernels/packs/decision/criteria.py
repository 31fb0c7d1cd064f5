"""Decisions by several criteria: scores of actions."""

from flint import arb, fmpq
from service_nb_kernels.certified.linalg import dot, root_of
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

ABOUT = "value of each action, in rows, for each criterion"
OUTCOMES = P("float64[m,n]", domain="(0, 1e100]", about=ABOUT, min_size=2)
FROM_ZERO = P("float64[m,n]", domain="[0, 1e100]", about=f"{ABOUT}; 0 only where more is better", min_size=2)
ANY_OUTCOMES = P("float64[m,n]", domain="[-1e100, 1e100]", about=ABOUT, min_size=2)
WEIGHTS = P(
    "float64[n]", domain="[0, 1e100]", about="weights of the criteria; their sum is made 1, those of 0 are left out"
)
DIRECTIONS = P("bool[n]", about="whether more of a criterion is better")
CRITERIA = {"outcomes": OUTCOMES, "weights": WEIGHTS, "more_is_better": DIRECTIONS}
CRITERIA_FROM_ZERO = {**CRITERIA, "outcomes": FROM_ZERO}
ANY_CRITERIA = {**CRITERIA, "outcomes": ANY_OUTCOMES}
LIMIT = {"m": 300, "n": 50}


def read(outcomes, weights, more_is_better):
    """Return the criteria that count, each with its weight, direction and values of the actions."""
    scale = column(rational(weights))
    total = sum(scale, fmpq(0))
    if total == 0:
        raise DomainError("weights", 0.0, "a weight above 0")
    criteria = zip(scale, more_is_better, zip(*rows(rational(outcomes)), strict=True), strict=True)
    return [(weight / total, more, line) for weight, more, line in criteria if weight != 0]


def check_costs(line, *, more):
    """Check that a criterion can be divided by: no cost is 0, and not all benefits are."""
    if (max(line) if more else min(line)) == 0:
        raise DomainError("outcomes", 0.0, "costs above 0 and a benefit above 0 in each criterion")


def relate_to_best(line, *, more):
    """Relate values to the best of them: 1 for the best, less for the others."""
    check_costs(line, more=more)
    best = max(line) if more else min(line)
    return [x / best if more else best / x for x in line]


def span(line):
    """Return the least and the greatest value of a criterion, which have to differ."""
    low, high = min(line), max(line)
    if low == high:
        raise DomainError("outcomes", float(arb(low)), "criteria that tell actions apart")
    return low, high


def add_up(parts):
    """Add up the parts of each action over the criteria."""
    return [sum(cells, fmpq(0)) for cells in zip(*parts, strict=True)]


def multiply(parts):
    """Multiply the weighted powers of each action over the criteria."""
    found = []
    for cells in zip(*parts, strict=True):
        logarithm = sum((arb(weight) * arb(x).log() for weight, x in cells if x != 1), arb(0))
        found.append(logarithm.exp() if any(x != 1 for _, x in cells) else fmpq(1))
    return found


@capability(
    "decision.weighted_sum_scores",
    tier="certified",
    version=3,
    source="hwang1981, sec. 3.1",
    keywords=["simple additive weighting", "SAW", "WSM", "scoring model", "decision matrix"],
    params=CRITERIA_FROM_ZERO,
    result=R("float64[m]", about="score of each action; of a cost counts the least one over its own", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[2.0, 0.0], [4.0, 9.0]],
            weights=[3.0, 0.0],
            more_is_better=[True, False],
            result=[0.5, 1.0],
            origin="by hand: the second criterion does not count",
        ),
        case(
            outcomes=[[0.0, 2.0], [4.0, 1.0]],
            weights=[1.0, 3.0],
            more_is_better=[True, False],
            result=[0.375, 1.0],
            origin="by hand: 3/4 * 1/2, and all",
        ),
        case(
            outcomes=[[1.0, 0.0], [4.0, 1.0]],
            weights=[1.0, 3.0],
            more_is_better=[True, False],
            error="domain_error",
            origin="by hand: a cost of 0 is better than any other by more than all measure",
        ),
        case(
            outcomes=[[1.58, 31.9, 18.8], [71.7, 87.9, 11.6], [11.6, 46.1, 80.1], [48.4, 61.8, 77.3]],
            weights=[8.75, 6.59, 8.49],
            more_is_better=[True, True, False],
            result=[0.32828034626850455, 1.0, 0.25603535883941686, 0.49575520648740795],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WSM: linear normalization",
        ),
        case(
            outcomes=[
                [53.1, 61.7, 41.7, 65.5],
                [43.4, 17.3, 67.6, 57.1],
                [7.95, 85.1, 13.5, 46.7],
                [66.5, 7.84, 63.4, 79.4],
                [18.8, 14.6, 42.6, 25.3],
            ],
            weights=[2.11, 7.54, 4.62, 8.73],
            more_is_better=[True, True, True, False],
            result=[0.5814567659092283, 0.4955638988543293, 0.5845395723616669, 0.4312748225415232, 0.5883267571886999],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WSM: linear normalization",
        ),
    ],
)
def weighted_sum_scores(outcomes, weights, more_is_better):
    """Weighted sums (SAW) of the criteria of actions, each criterion related to the best value that it has."""
    criteria = read(outcomes, weights, more_is_better)
    return add_up([[weight * x for x in relate_to_best(line, more=more)] for weight, more, line in criteria])


@capability(
    "decision.weighted_product_scores",
    tier="certified",
    version=2,
    source="triantaphyllou2000, ch. 2",
    keywords=["WPM", "multiplicative scoring", "decision matrix"],
    params=CRITERIA,
    result=R("float64[m]", about="score of each action; of a cost counts the least one over its own", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[68.5, 48.1, 32.3], [86.9, 1.7, 13.7], [3.72, 45.3, 46.2], [69.2, 61.3, 60.6]],
            weights=[2.08, 2.58, 7.21],
            more_is_better=[True, False, False],
            result=[0.275492563427685, 1.0, 0.13479112691942555, 0.1786507468038531],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WPM: linear normalization",
        ),
        case(
            outcomes=[
                [43.5, 1.38, 48.6],
                [66.2, 47.2, 70.3],
                [19.0, 88.2, 78.6],
                [89.9, 46.5, 58.0],
                [1.18, 36.7, 37.9],
                [79.4, 7.33, 76.5],
            ],
            weights=[7.74, 3.21, 3.11],
            more_is_better=[True, True, False],
            result=[
                0.2456556292009987,
                0.6389932291039679,
                0.36169269336855,
                0.7864166170786396,
                0.07535123452405594,
                0.45308758151054146,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WPM: linear normalization",
        ),
    ],
)
def weighted_product_scores(outcomes, weights, more_is_better):
    """Weighted products (WPM) of the criteria of actions, each criterion related to the best value that it has."""
    criteria = read(outcomes, weights, more_is_better)
    return multiply([[(weight, x) for x in relate_to_best(line, more=more)] for weight, more, line in criteria])


@capability(
    "decision.waspas_scores",
    tier="certified",
    version=2,
    source="zavadskas2012",
    keywords=["weighted aggregated sum product assessment", "MCDM"],
    params={
        **CRITERIA,
        "share_of_sum": P(domain="[0, 1]", default=0.5, about="share of the weighted sum", symbol="\\lambda"),
    },
    result=R("float64[m]", about="score of each action; of a cost counts the least one over its own", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[27.0, 1.65], [16.8, 22.6], [39.1, 64.2], [14.6, 6.47], [76.9, 43.2], [89.7, 43.7]],
            weights=[5.05, 7.28],
            more_is_better=[True, False],
            share_of_sum=0.944,
            result=[
                0.7079912745779342,
                0.11911934793542829,
                0.18744625488090066,
                0.21695373734892576,
                0.36039904595420325,
                0.41577003361436965,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WASPAS",
        ),
        case(
            outcomes=[
                [61.4, 77.1, 70.5, 10.2],
                [54.4, 37.3, 9.6, 55.1],
                [2.97, 25.8, 86.2, 19.1],
                [62.5, 87.2, 62.4, 71.0],
                [49.8, 27.0, 4.71, 79.6],
                [75.3, 52.3, 11.5, 50.4],
            ],
            weights=[8.13, 7.19, 5.17, 3.35],
            more_is_better=[True, False, False, False],
            share_of_sum=0.547,
            result=[
                0.4610023538093141,
                0.5665825208862637,
                0.2931787209789713,
                0.3516422818699563,
                0.7002318512849831,
                0.5730383865403982,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.WASPAS",
        ),
    ],
)
def waspas_scores(outcomes, weights, more_is_better, share_of_sum):
    """WASPAS scores of actions: a mixture of the weighted sum and the weighted product of their criteria."""
    sums = weighted_sum_scores(outcomes, weights, more_is_better)
    products = weighted_product_scores(outcomes, weights, more_is_better)
    share = rational([[share_of_sum]])[0, 0]
    return [share * a + (1 - share) * b for a, b in zip(sums, products, strict=True)]


@capability(
    "decision.vikor_scores",
    tier="certified",
    version=3,
    source="opricovic2004",
    keywords=["compromise ranking", "MCDM", "group utility", "individual regret"],
    params={
        **ANY_CRITERIA,
        "weight_of_majority": P(domain="[0, 1]", default=0.5, about="weight of the group utility", symbol="v"),
    },
    result=R(
        fields={
            "compromise": R("float64[m]", about="index Q of each action; the least is the compromise", range="[0, 1]"),
            "group_utility": R("float64[m]", about="S: weighted sum of the distances from the best", range="[0, 1]"),
            "regret": R("float64[m]", about="R: greatest weighted distance from the best", range="[0, 1]"),
        }
    ),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[-1.0, 0.0], [1.0, 2.0], [3.0, 4.0]],
            weights=[3.0, 1.0],
            more_is_better=[True, False],
            weight_of_majority=0.5,
            result={
                "compromise": [1.0, 0.375, 0.0],
                "group_utility": [0.75, 0.5, 0.25],
                "regret": [0.75, 0.375, 0.25],
            },
            origin="by hand: S and R from 0.25 to 0.75 each",
        ),
        case(
            outcomes=[[20.5, 90.0, 71.0], [14.4, 55.7, 40.9], [87.6, 55.3, 72.7], [51.6, 52.3, 61.1]],
            weights=[7.07, 4.91, 6.24],
            more_is_better=[True, True, False],
            weight_of_majority=0.134,
            result={
                "compromise": [0.7637878086419753, 0.9300303872264493, 0.5332314814814816, 0.13100175375879536],
                "group_utility": [0.6798709345594378, 0.6332156053190158, 0.5905205169938885, 0.6778717214727514],
                "regret": [0.35569886571533116, 0.3880351262349067, 0.34248079034028545, 0.26948408342480795],
            },
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.VIKOR",
        ),
        case(
            outcomes=[[41.3, 64.9, 30.8], [72.1, 57.8, 46.5], [88.0, 68.4, 1.54], [53.5, 85.1, 17.6]],
            weights=[4.81, 1.03, 7.84],
            more_is_better=[True, False, False],
            weight_of_majority=0.826,
            result={
                "compromise": [0.9359732512818125, 0.9406706639933676, 0.0, 0.6635918332567617],
                "group_utility": [0.7441632337680287, 0.6928118386616077, 0.02923441081335821, 0.5397605515232142],
                "regret": [0.37297350731514434, 0.5730994152046783, 0.02923441081335821, 0.2597533716518276],
            },
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.VIKOR",
        ),
    ],
)
def vikor_scores(outcomes, weights, more_is_better, weight_of_majority):
    """VIKOR indices of actions by several criteria: less is nearer to the best compromise."""
    parts = []
    for weight, more, line in read(outcomes, weights, more_is_better):
        low, high = span(line)
        parts.append([weight * (high - x if more else x - low) / (high - low) for x in line])
    utility, regret = add_up(parts), [max(cells) for cells in zip(*parts, strict=True)]
    majority = rational([[weight_of_majority]])[0, 0]
    scaled = []
    for share, line in ((majority, utility), (1 - majority, regret)):
        low, high = span(line)
        scaled.append([share * (x - low) / (high - low) for x in line])
    return {"compromise": add_up(scaled), "group_utility": utility, "regret": regret}


@capability(
    "decision.promethee_net_flows",
    tier="certified",
    version=3,
    source="brans1985",
    keywords=["PROMETHEE II", "outranking", "usual criterion", "MCDM"],
    params=ANY_CRITERIA,
    result=R(
        "float64[m]",
        about="net flow of each action; the greatest is the best, any difference counts in full",
        range="[-1, 1]",
    ),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[-1.0, 0.0], [1.0, 2.0], [3.0, 2.0]],
            weights=[3.0, 1.0],
            more_is_better=[True, False],
            result=[-0.5, -0.125, 0.625],
            origin="by hand: 3/4 of -1, 0 and 1, and 1/4 of 1, -1/2 and -1/2",
        ),
        case(
            outcomes=[
                [55.4, 75.1, 13.4],
                [16.7, 81.6, 8.58],
                [61.7, 58.5, 80.7],
                [2.89, 1.46, 84.0],
                [47.6, 8.73, 86.8],
                [23.1, 23.9, 67.0],
            ],
            weights=[8.12, 8.35, 1.68],
            more_is_better=[True, False, False],
            result=[
                0.04793388429752071,
                -0.635922865013774,
                0.3368595041322313,
                -0.04286501377410468,
                0.2729476584022038,
                0.02104683195592283,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.PROMETHEE_II",
        ),
        case(
            outcomes=[
                [4.86, 35.8, 32.6, 68.9],
                [50.8, 41.3, 2.35, 66.3],
                [1.7, 38.1, 66.4, 45.6],
                [88.2, 8.98, 87.0, 16.0],
                [86.9, 79.4, 1.5, 20.3],
                [5.01, 69.3, 55.7, 27.3],
            ],
            weights=[4.58, 1.71, 6.02, 8.21],
            more_is_better=[True, True, False, False],
            result=[
                -0.5253411306042886,
                -0.0027290448343080254,
                -0.495906432748538,
                0.24658869395711508,
                0.7506822612085771,
                0.02670565302144251,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.PROMETHEE_II",
        ),
    ],
)
def promethee_net_flows(outcomes, weights, more_is_better):
    """PROMETHEE II net flows of actions: the weight with which they beat others, less that with which they lose."""
    found = [fmpq(0)] * len(outcomes)
    for weight, more, line in read(outcomes, weights, more_is_better):
        for place, x in enumerate(line):
            beaten = sum((x > y) - (x < y) for y in line)
            found[place] += weight * (beaten if more else -beaten) / (len(line) - 1)
    return found


@capability(
    "decision.moora_scores",
    tier="certified",
    version=4,
    source="brauers2006",
    keywords=["multi-objective optimization by ratio analysis", "ratio system", "MCDM"],
    params=ANY_CRITERIA,
    result=R("float64[m]", about="score of each action", range="[-1, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[-3.0, 0.0], [4.0, 5.0]],
            weights=[1.0, 1.0],
            more_is_better=[True, False],
            result=[-0.3, -0.1],
            origin="by hand: -3/10, and 4/10 - 1/2",
        ),
        case(
            outcomes=[
                [12.8, 75.5, 32.7],
                [76.8, 69.4, 11.0],
                [21.3, 7.39, 84.1],
                [32.2, 60.1, 76.9],
                [36.0, 64.8, 71.3],
                [38.7, 37.3, 16.0],
            ],
            weights=[5.98, 1.74, 4.58],
            more_is_better=[True, True, False],
            result=[
                0.049976013393148805,
                0.4075811332944899,
                -0.11491647531420837,
                0.009400111206825185,
                0.04721750809650688,
                0.17985352979566796,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.MOORA",
        ),
        case(
            outcomes=[
                [21.2, 1.82, 63.2, 51.7],
                [11.6, 20.9, 23.0, 6.86],
                [15.3, 56.1, 24.9, 66.7],
                [19.9, 43.6, 83.0, 79.9],
                [68.5, 11.6, 86.6, 41.6],
                [77.4, 31.7, 57.2, 71.1],
            ],
            weights=[5.95, 8.37, 3.23, 5.79],
            more_is_better=[True, True, False, False],
            result=[
                -0.09028340023071176,
                0.08616445169586134,
                0.14403550166604995,
                0.02351901922121305,
                0.05947070052610126,
                0.1444401021698718,
            ],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.MOORA",
        ),
    ],
)
def moora_scores(outcomes, weights, more_is_better):
    """MOORA scores of actions: weighted sum of benefits less costs, each divided by the root of its squares."""
    sums: dict[str, tuple[fmpq, list[fmpq]]] = {}  # of criteria whose squares have the same sum, which may cancel
    for weight, more, line in read(outcomes, weights, more_is_better):
        square = dot(line, line)
        _, held = sums.get(str(square), (square, [fmpq(0)] * len(line)))
        sign = weight if more else -weight
        sums[str(square)] = square, [score + sign * x for score, x in zip(held, line, strict=True)]
    found = []
    for cells in zip(*([(square, score) for score in held] for square, held in sums.values()), strict=True):
        parts = [score / root_of(square) for square, score in cells if score != 0]
        found.append(sum(parts, arb(0)) if parts else fmpq(0))
    return found


@capability(
    "decision.edas_scores",
    tier="certified",
    version=2,
    source="ghorabaee2015",
    keywords=["evaluation based on distance from average solution", "MCDM"],
    params=CRITERIA,
    result=R("float64[m]", about="appraisal score of each action", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[15.2, 15.8, 48.4], [83.1, 24.6, 56.6], [68.4, 35.9, 37.4], [75.0, 36.0, 12.8]],
            weights=[1.83, 2.13, 3.34],
            more_is_better=[True, False, False],
            result=[0.1737755374680874, 0.3284676625966179, 0.4323891419548649, 0.8631053746543285],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.EDAS",
        ),
        case(
            outcomes=[[40.8, 29.6, 87.4], [23.8, 35.4, 60.1], [31.2, 77.8, 23.5], [35.3, 50.5, 31.5]],
            weights=[5.55, 7.04, 6.9],
            more_is_better=[True, True, False],
            result=[0.08502882488358487, 0.19676858286020538, 0.9827713629237174, 0.7096803242545928],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.EDAS",
        ),
    ],
)
def edas_scores(outcomes, weights, more_is_better):
    """EDAS scores of actions by how far they are above and below the average of each criterion."""
    above, below = [], []
    for weight, more, line in read(outcomes, weights, more_is_better):
        mean = sum(line, fmpq(0)) / len(line)
        gains = [weight * (x - mean if more else mean - x) / mean for x in line]
        above.append([max(gain, fmpq(0)) for gain in gains])
        below.append([max(-gain, fmpq(0)) for gain in gains])
    gains, losses = add_up(above), add_up(below)
    if max(gains) == 0 or max(losses) == 0:
        raise DomainError("outcomes", None, "actions that differ")
    return [(gain / max(gains) + 1 - loss / max(losses)) / 2 for gain, loss in zip(gains, losses, strict=True)]


@capability(
    "decision.aras_scores",
    tier="certified",
    version=3,
    source="zavadskas2010",
    keywords=["additive ratio assessment", "degree of utility", "MCDM"],
    params=CRITERIA_FROM_ZERO,
    result=R("float64[m]", about="degree of utility of each action", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[0.0, 2.0], [4.0, 1.0]],
            weights=[1.0, 1.0],
            more_is_better=[True, False],
            result=[0.2222222222222222, 1.0],
            origin="by hand: (0 + 1/5) / (1/2 + 2/5)",
        ),
        case(
            outcomes=[
                [86.8, 82.4, 25.7, 54.7],
                [32.8, 15.2, 38.6, 11.4],
                [41.9, 30.0, 70.1, 70.3],
                [59.9, 58.5, 57.2, 33.6],
            ],
            weights=[4.94, 1.24, 7.22, 6.21],
            more_is_better=[True, True, False, False],
            result=[0.7044169076155304, 0.6954758844254116, 0.31643607545769553, 0.4789697158250915],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.ARAS",
        ),
        case(
            outcomes=[
                [62.2, 39.0, 85.8, 20.1],
                [86.9, 54.0, 22.9, 89.5],
                [87.4, 18.4, 87.5, 46.3],
                [27.3, 59.1, 85.1, 46.2],
            ],
            weights=[4.1, 4.27, 8.65, 4.07],
            more_is_better=[True, True, True, False],
            result=[0.8709965822887059, 0.51962486306936, 0.7263923794108346, 0.7264367049420973],
            within=1e-12,
            origin="pymcdm 1.4.0, pymcdm.methods.ARAS",
        ),
    ],
)
def aras_scores(outcomes, weights, more_is_better):
    """ARAS degrees of utility of actions: their weighted sums over that of an ideal with the best of all criteria."""
    parts, ideal = [], fmpq(0)
    for weight, more, line in read(outcomes, weights, more_is_better):
        check_costs(line, more=more)
        values = list(line) if more else [1 / x for x in line]
        total = sum(values, max(values))
        parts.append([weight * x / total for x in values])
        ideal += weight * max(values) / total
    return [score / ideal for score in add_up(parts)]
