"""Weights of criteria that the table of outcomes itself gives, and how consistent comparisons of criteria are."""

from flint import arb, fmpq
from service_nb_kernels.certified.linalg import characteristic, dot, root_of
from service_nb_kernels.certified.matrices import integers, rational, rows
from service_nb_kernels.certified.polynomials import real_roots
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.decision.criteria import ABOUT, LIMIT, span


@capability(
    "decision.entropy_weights",
    tier="certified",
    version=2,
    source="shannon1948; hwang1981, sec. 2.3",
    keywords=["objective weights", "MCDM", "Shannon entropy"],
    params={"outcomes": P("float64[m,n]", domain="[0, 1e100]", about=ABOUT, min_size=2)},
    result=R("float64[n]", about="weight of each criterion", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[[0.0, 1.0], [2.0, 1.0]],
            result=[1.0, 0.0],
            origin="by hand: all of the first is with one action, and the second tells nothing",
        ),
        case(
            outcomes=[
                [44.4, 80.6, 55.8],
                [33.1, 39.9, 43.5],
                [6.25, 70.0, 10.4],
                [15.5, 57.0, 67.2],
                [78.6, 28.3, 85.3],
                [81.0, 58.9, 82.2],
            ],
            result=[0.5801561512434804, 0.12450686213523243, 0.2953369866212872],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.entropy_weights",
        ),
        case(
            outcomes=[
                [51.3, 52.5, 2.72, 77.7],
                [38.7, 17.6, 28.7, 60.8],
                [15.5, 7.92, 49.7, 34.0],
                [54.6, 20.8, 67.1, 31.2],
                [52.1, 40.3, 28.7, 1.15],
                [15.1, 69.0, 35.6, 23.9],
            ],
            result=[0.14681871656215878, 0.26081190692414896, 0.25445068412427796, 0.3379186923894143],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.entropy_weights",
        ),
    ],
)
def entropy_weights(outcomes):
    """Weights of criteria by the entropy method: more for those in which actions differ more."""
    found = []
    for line in zip(*rows(rational(outcomes)), strict=True):
        total = sum(line, fmpq(0))
        if total == 0:
            raise DomainError("outcomes", 0.0, "criteria that are not 0 for all actions")
        entropy = sum((arb(-x / total) * arb(x / total).log() for x in line if x != 0), arb(0)) / arb(len(line)).log()
        found.append(fmpq(0) if min(line) == max(line) else 1 - entropy)
    if not any(isinstance(each, arb) for each in found):
        raise DomainError("outcomes", None, "actions that differ")
    total = sum(found, arb(0))
    return [each / total if isinstance(each, arb) else each for each in found]


def deviate(line):
    """Return the differences of values from their mean."""
    mean = sum(line, fmpq(0)) / len(line)
    return [x - mean for x in line]


@capability(
    "decision.deviation_weights",
    tier="certified",
    version=2,
    source="diakoulaki1995",
    keywords=["standard deviation method", "objective weights", "MCDM"],
    params={
        "outcomes": P(
            "float64[m,n]",
            domain="[-1e100, 1e100]",
            about=f"{ABOUT}; scale them alike before, for the weights follow their units",
            min_size=2,
        )
    },
    result=R("float64[n]", about="weight of each criterion", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[
                [22.4, 64.8, 62.3, 16.6],
                [15.4, 10.1, 88.2, 6.6],
                [8.16, 80.2, 67.4, 46.1],
                [73.9, 87.8, 32.7, 2.01],
            ],
            result=[0.277408325453024, 0.3258887074845411, 0.21268778955685144, 0.18401517750558366],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.standard_deviation_weights",
        ),
        case(
            outcomes=[[65.5, 82.3, 41.7], [20.0, 76.8, 65.0], [4.25, 87.2, 24.1], [29.9, 89.0, 3.76]],
            result=[0.45188807282461835, 0.09522579533435906, 0.45288613184102255],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.standard_deviation_weights",
        ),
    ],
)
def deviation_weights(outcomes):
    """Weights of criteria in proportion to the standard deviations of their values."""
    lines = [deviate(line) for line in zip(*rows(rational(outcomes)), strict=True)]
    squares = [dot(line, line) for line in lines]
    if not any(squares):
        raise DomainError("outcomes", None, "actions that differ")
    found = [root_of(square) if square else fmpq(0) for square in squares]
    total = sum(found, arb(0))
    return [each / total if square else each for each, square in zip(found, squares, strict=True)]


@capability(
    "decision.critic_weights",
    tier="certified",
    version=3,
    source="diakoulaki1995",
    keywords=["criteria importance through intercriteria correlation", "objective weights", "MCDM"],
    params={
        "outcomes": P(
            "float64[m,n]",
            domain="[-1e100, 1e100]",
            about=f"{ABOUT}; where less is better, with the opposite sign",
            min_size=2,
        )
    },
    result=R("float64[n]", about="weight of each criterion", range="[0, 1]"),
    limit=LIMIT,
    cases=[
        case(
            outcomes=[
                [24.6, 67.7, 76.0, 67.8],
                [38.5, 4.19, 69.8, 57.4],
                [47.8, 18.2, 2.14, 17.0],
                [64.1, 58.9, 34.4, 32.9],
            ],
            result=[0.34683899334222956, 0.23030643192432204, 0.21103886146756548, 0.21181571326588303],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.critic_weights",
        ),
        case(
            outcomes=[
                [69.9, 23.5, 82.8, 66.8],
                [51.4, 65.6, 33.2, 82.5],
                [73.0, 28.8, 48.0, 21.8],
                [30.0, 7.49, 88.8, 35.1],
                [32.9, 24.2, 1.48, 53.8],
            ],
            result=[0.2605352726578224, 0.20463615721132072, 0.31109438262441913, 0.22373418750643784],
            within=1e-10,
            origin="pymcdm 1.4.0, pymcdm.weights.critic_weights",
        ),
    ],
)
def critic_weights(outcomes):
    """Weights of criteria by CRITIC: more for those that spread widely and go together with few others."""
    lines = []
    for line in zip(*rows(rational(outcomes)), strict=True):
        low, high = span(line)
        lines.append(deviate([(x - low) / (high - low) for x in line]))
    squares = [dot(line, line) for line in lines]
    found = []
    for place, (line, square) in enumerate(zip(lines, squares, strict=True)):
        others = [k for k in range(len(lines)) if k != place]
        conflict = sum((oppose(dot(line, lines[k]), square * squares[k]) for k in others), fmpq(0))
        found.append(root_of(square) * conflict if conflict != 0 else fmpq(0))
    if not any(isinstance(each, arb) for each in found):
        raise DomainError("outcomes", None, "criteria that do not all go together")
    total = sum(found, arb(0))
    return [each / total if isinstance(each, arb) else each for each in found]


def oppose(product, squares):
    """Return one less a correlation, exactly where that is 1 or -1."""
    if product**2 == squares:
        return fmpq(0 if product > 0 else 2)
    return 1 - arb(product) / root_of(squares)


RANDOM_INDEX = tuple(fmpq(k, 100) for k in (52, 89, 111, 125, 135, 140, 145, 149, 152, 154, 156, 158, 159))  # from 3


@capability(
    "decision.ahp_consistency_ratio",
    tier="certified",
    version=2,
    source="saaty2005, p. 31",
    keywords=["CR", "consistency index", "analytic hierarchy process", "pairwise comparisons"],
    params={
        "comparisons": P(
            "float64[n,n]",
            about="how much each criterion, in rows, outweighs each other",
            domain="(0, inf)",
            structure="reciprocal",
            min_size=3,
        ),
    },
    result=R(about="consistency ratio; up to 0.1 is held to be consistent enough", range="[0, inf)"),
    limit={"n": 15},
    cases=[
        case(
            comparisons=[[1.0, 4.0, 3.0], [0.25, 1.0, 7.0], [0.3333333333333333, 0.14285714285714285, 1.0]],
            result=0.558086850976,
            within=1e-08,
            origin="ahpy 2.1, ahpy.Compare: consistency_ratio",
        ),
        case(
            comparisons=[
                [1.0, 0.5, 4.0, 3.0],
                [2.0, 1.0, 4.0, 5.0],
                [0.25, 0.25, 1.0, 0.3333333333333333],
                [0.3333333333333333, 0.2, 3.0, 1.0],
            ],
            result=0.070089238638,
            within=1e-08,
            origin="ahpy 2.1, ahpy.Compare: consistency_ratio",
        ),
        case(
            comparisons=[
                [1.0, 3.0, 9.0],
                [0.3333333333333333, 1.0, 3.0],
                [0.1111111111111111, 0.3333333333333333, 1.0],
            ],
            result=0.0,
            origin="by hand: consistent, as 3 * 3 = 9",
        ),
    ],
)
def ahp_consistency_ratio(comparisons):
    """Consistency ratio of comparisons in pairs (AHP), by Saaty's random indexes of 2005."""
    polynomial, scale = characteristic(*integers(comparisons))
    size = len(comparisons)
    if polynomial(fmpq(size) / scale) == 0:  # no ball would tell the difference from 0
        return fmpq(0)
    eigenvalue = real_roots(polynomial)[-1][0] * scale
    if bool(arb(eigenvalue) < size):  # only reciprocals that are rounded lead below
        return fmpq(0)
    return (eigenvalue - size) / (size - 1) / RANDOM_INDEX[size - 3]
