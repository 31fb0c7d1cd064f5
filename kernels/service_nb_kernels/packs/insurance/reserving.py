"""Triangles of claims, and totals of random numbers of claims."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.certified.solve import root
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

TRIANGLE = {
    "triangle": P(
        "float64[n,n]",
        unit="money",
        domain="[0, inf)",
        min_size=2,
        about="cumulative claims: a row for each year of origin, a column for each year of development; "
        "what lies below the diagonal from the lower left is not read but has to be a number, such as 0",
    )
}
SMALL = [[100.0, 150.0, 180.0], [120.0, 180.0, 0.0], [140.0, 0.0, 0.0]]
TAYLOR = [  # Taylor and Ashe 1983, as in Mack 1993, table 1
    [357848.0, 1124788.0, 1735330.0, 2218270.0, 2745596.0, 3319994.0, 3466336.0, 3606286.0, 3833515.0, 3901463.0],
    [352118.0, 1236139.0, 2170033.0, 3353322.0, 3799067.0, 4120063.0, 4647867.0, 4914039.0, 5339085.0, 0.0],
    [290507.0, 1292306.0, 2218525.0, 3235179.0, 3985995.0, 4132918.0, 4628910.0, 4909315.0, 0.0, 0.0],
    [310608.0, 1418858.0, 2195047.0, 3757447.0, 4029929.0, 4381982.0, 4588268.0, 0.0, 0.0, 0.0],
    [443160.0, 1136350.0, 2128333.0, 2897821.0, 3402672.0, 3873311.0, 0.0, 0.0, 0.0, 0.0],
    [396132.0, 1333217.0, 2180715.0, 2985752.0, 3691712.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [440832.0, 1288463.0, 2419861.0, 3483130.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [359480.0, 1421128.0, 2864498.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [376686.0, 1363294.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [344014.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
]
MACK_FACTORS = [3.49, 1.75, 1.46, 1.174, 1.104, 1.086, 1.054, 1.077, 1.018]
MACK_RESERVES = [0.0, 94634.0, 469511.0, 709638.0, 984889.0, 1419459.0, 2177641.0, 3920301.0, 4278972.0, 4625811.0]
LIMIT = {"n": 100}
MACK = "mack1993, tables 1 and 2"


def _factors(rows: list[list[Fraction]]) -> list[Fraction]:
    size, factors = len(rows), []
    for year in range(size - 1):
        known = rows[: size - 1 - year]
        before = sum(row[year] for row in known)
        if before == 0:
            raise DomainError("triangle", 0.0, f"claims in column {year + 1}")
        factors.append(sum(row[year + 1] for row in known) / before)
    return factors


def _exact(triangle: NDArray[Any]) -> list[list[Fraction]]:
    return [[Fraction(claim) for claim in row] for row in triangle.tolist()]


@capability(
    "insurance.chain_ladder_factors",
    tier="certified",
    source="mack1993, sec. 1",
    params=TRIANGLE,
    result=R("float64[]", about="factor from each year of development to the next"),
    limit=LIMIT,
    latex=r"f_k = \frac{\sum_i C_{i,k+1}}{\sum_i C_{i,k}}",
    keywords=["age-to-age factors", "link ratios", "loss reserving"],
    cases=[
        case(triangle=SMALL, result=[1.5, 1.2], origin="by hand: 330 / 220 and 180 / 150"),
        case(
            triangle=TAYLOR,
            result=MACK_FACTORS,
            within=2e-3,
            origin=MACK,
        ),
    ],
)
def chain_ladder_factors(triangle: NDArray[Any]) -> list[Fraction]:
    """Development factors of a triangle of cumulative claims, weighted by volume."""
    return _factors(_exact(triangle))


@capability(
    "insurance.chain_ladder_reserves",
    tier="certified",
    source="mack1993, sec. 1",
    params=TRIANGLE,
    result=R("float64[n]", unit="money", about="reserve of each year of origin"),
    limit=LIMIT,
    latex=r"R_i = C_{i,n+1-i} \left(\prod_{k \ge n+1-i} f_k - 1\right)",
    keywords=["IBNR", "loss reserving", "outstanding claims"],
    cases=[
        case(triangle=SMALL, result=[0.0, 36.0, 112.0], origin="by hand: 180 * 0.2 and 140 * 0.8"),
        case(triangle=TAYLOR, result=MACK_RESERVES, within=6e-6, origin=MACK),
    ],
)
def chain_ladder_reserves(triangle: NDArray[Any]) -> list[Fraction]:
    """Claims still to come for each year of origin, by the chain ladder method."""
    rows = _exact(triangle)
    factors, reserves, growth = _factors(rows), [], Fraction(1)
    for origin, row in enumerate(rows):
        year = len(rows) - 1 - origin
        growth *= factors[year] if origin else 1
        reserves.append(row[year] * (growth - 1))
    return reserves


@capability(
    "insurance.compound_poisson_distribution",
    tier="certified",
    version=3,
    source="panjer1981, theorem",
    params={
        "mean_count": P(domain="[0, 500]", about="expected number of claims", symbol="\\lambda"),
        "claim_probabilities": P(
            "float64[k]",
            domain="[0, 1]",
            min_size=1,
            about="probability that a claim is 1, 2, 3 … units; they sum to 1",
            symbol="f",
            structure="probabilities",
        ),
        "largest": P("int", domain="[0, 2000]", about="largest total wanted, in units", symbol="n"),
    },
    result=R("float64[]", about="probability that the total is 0, 1, 2 … units", range="[0, 1]"),
    limit={"k": 500},
    latex=r"g_s = \frac{\lambda}{s} \sum_{j=1}^{s} j f_j g_{s-j}, \quad g_0 = e^{-\lambda}",
    keywords=["Panjer recursion", "aggregate claims", "collective risk model"],
    cases=[
        case(
            mean_count=2.0,
            claim_probabilities=[1.0],
            largest=4,
            result=[
                0.1353352832366127,
                0.2706705664732254,
                0.2706705664732254,
                0.18044704431548358,
                0.09022352215774179,
            ],
            origin="mpmath 1.4.1, 50 digits, Poisson",
        ),
        case(
            mean_count=1.5,
            claim_probabilities=[0.5, 0.25, 0.25],
            largest=6,
            result=[
                0.22313016014842982,
                0.16734762011132237,
                0.14642916759740707,
                0.16211800698284354,
                0.10491911339010641,
                0.07300213076535908,
                0.052637281828716354,
            ],
            origin="mpmath 1.4.1, 50 digits, sum over the number of claims",
        ),
        case(
            mean_count=2.82,
            claim_probabilities=[0.062, 0.938],
            largest=4,
            result=[
                0.059605942708939375,
                0.010421503023230961,
                0.1585783032102689,
                0.027619638802380872,
                0.21093974667188947,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.fft.ifft: of the generating function",
        ),
    ],
)
def compound_poisson_distribution(mean_count: float, claim_probabilities: NDArray[Any], largest: int) -> list[Any]:
    """Distribution of the total of a Poisson number of claims that are whole units."""
    sizes = [arb(chance) * size for size, chance in enumerate(claim_probabilities.tolist(), 1)]
    mean = arb(mean_count)
    found = [(-mean).exp()]
    for total in range(1, largest + 1):
        check_deadline()
        near = reversed(found[-len(sizes) :])
        found.append(mean / total * sum((size * chance for size, chance in zip(sizes, near, strict=False)), arb(0)))
    return found


@capability(
    "insurance.erlang_adjustment_coefficient",
    tier="certified",
    source="asmussen2010, ch. IV",
    params={
        "shape": P("int", domain="[1, 50]", about="shape of the claims; 1 for exponential ones", symbol="k"),
        "mean_claim": P(unit="money", domain="(0, inf)", about="mean claim", symbol="\\mu"),
        "loading": P(domain="(0, inf)", about="relative safety loading of the premium", symbol="\\theta"),
    },
    result=R(unit="1/money", about="adjustment coefficient R; exp(-R u) bounds the probability of ruin"),
    latex=r"\left(1 - \frac{\mu R}{k}\right)^{-k} = 1 + (1 + \theta) \mu R",
    keywords=["Lundberg bound", "ruin", "gamma claims"],
    cases=[
        case(shape=1, mean_claim=2.0, loading=0.25, result=0.1, origin="by hand: theta / ((1 + theta) mu)"),
        case(
            shape=2,
            mean_claim=1000.0,
            loading=0.2,
            result=0.00022676495032502447,
            origin="mpmath 1.4.1, 50 digits, roots of the polynomial",
        ),
        case(
            shape=3,
            mean_claim=10.0,
            loading=0.5,
            result=0.053477424688085785,
            origin="mpmath 1.4.1, 50 digits, roots of the polynomial",
        ),
    ],
)
def erlang_adjustment_coefficient(shape: int, mean_claim: float, loading: float) -> Any:
    """Lundberg's coefficient of a surplus with Poisson arrivals of Erlang claims."""
    growth = (1 + arb(loading)) * shape

    def left(x: Any) -> Any:  # (1 - (1 - x)^k (1 + growth x)) / x without the division: one root within (0, 1)
        powers = sum(((1 - x) ** power for power in range(shape)), arb(0))
        return powers - growth * (1 - x) ** shape

    return root(left, arb(0), arb(1)) * shape / arb(mean_claim)
