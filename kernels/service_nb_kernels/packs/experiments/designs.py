"""Effects and allocations of designed experiments."""

from __future__ import annotations

from flint import fmpq

from service_nb_kernels.certified import sums
from service_nb_kernels.certified.order import square_root
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, ShapeError


@capability(
    "experiments.factorial_effects",
    tier="certified",
    source="yates1937",
    params={
        "responses": P(
            "float64[n]",
            unit="?u",
            about="mean response of each run, in standard order (1), a, b, ab, c, ...",
            min_size=2,
        )
    },
    result=R(
        "float64[n]",
        unit="?u",
        about="the mean, then the effects a, b, ab, c, ...: mean at the high level less mean at the low one",
    ),
    limit={"n": 65_536},
    keywords=["two-level factorial", "Yates algorithm", "main effects", "interactions"],
    cases=[
        case(
            responses=[20.0, 40.0, 30.0, 52.0],
            result=[35.5, 21.0, 11.0, 1.0],
            origin="montgomery2017, sec. 5.1: A = 21, B = 11, AB = 1",
        ),
        case(
            responses=[60.0, 72.0, 54.0, 68.0, 52.0, 83.0, 45.0, 80.0],
            result=[64.25, 23.0, -5.0, 1.5, 1.5, 10.0, 0.0, 0.5],
            origin="box1978, pilot plant",
        ),
        case(responses=[1.0, 2.0, 3.0], error="invalid_intent", origin="by hand: three is no power of two"),
    ],
)
def factorial_effects(responses):
    """Effects and interactions of a two-level factorial experiment, by the algorithm of Yates."""
    size = int(responses.size)
    if size & (size - 1):
        raise ShapeError("responses", f"{size} items", "a power of two")
    whole, exponent = sums.integers(responses)
    for _ in range(size.bit_length() - 1):
        pairs = list(zip(whole[::2], whole[1::2], strict=True))
        whole = [a + b for a, b in pairs] + [b - a for a, b in pairs]
    exact = [sums.scaled_by(value, exponent) for value in whole]
    return [exact[0] / size, *(2 * value / size for value in exact[1:])]


@capability(
    "experiments.two_way_sums_of_squares",
    tier="certified",
    source="montgomery2017, sec. 4.1",
    params={
        "table": P(
            "float64[m,n]", unit="?u", about="one observation for each row factor and column factor level", min_size=2
        )
    },
    result=R(
        fields={
            "rows": R(unit="?u^2", about="sum of squares of the rows"),
            "columns": R(unit="?u^2", about="sum of squares of the columns"),
            "error": R(unit="?u^2", about="sum of squares of the error"),
            "total": R(unit="?u^2", about="total sum of squares"),
        }
    ),
    limit={"m": 1000, "n": 1000},
    keywords=["two-way ANOVA", "randomised block design"],
    cases=[
        case(
            table=[[1.0, 2.0], [3.0, 6.0]],
            result={"rows": 9.0, "columns": 4.0, "error": 1.0, "total": 14.0},
            origin="by hand",
        ),
        case(
            table=[[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]],
            result={"rows": 1.5, "columns": 4.0, "error": 0.0, "total": 5.5},
            origin="by hand: additive",
        ),
        case(
            table=[[0.496, 4.93, -3.96, -4.9], [-2.67, 2.61, -1.55, 1.75]],
            result={
                "rows": 1.5966844999999996,
                "columns": 49.573933499999995,
                "error": 31.121593499999996,
                "total": 82.2922115,
            },
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.stats.anova.anova_lm",
        ),
    ],
)
def two_way_sums_of_squares(table):
    """Sums of squares of a two-way table without replication: rows, columns, error and total."""
    rows, columns = (int(size) for size in table.shape)
    flat = table.ravel()
    correction = sums.total(flat) ** 2 / (rows * columns)
    total = sums.dot(flat, flat) - correction
    by_row = sum((sums.total(row) ** 2 for row in table), fmpq(0)) / columns - correction
    by_column = sum((sums.total(column) ** 2 for column in table.T), fmpq(0)) / rows - correction
    return {"rows": by_row, "columns": by_column, "error": total - by_row - by_column, "total": total}


@capability(
    "experiments.proportional_allocation",
    tier="certified",
    version=2,
    source="balinski2001, ch. 3",
    params={
        "size": P("int", domain="[0, 1000000000]", about="units to be dealt out"),
        "shares": P("float64[k]", domain="[0, inf)", about="share of each group, to any scale", min_size=1),
    },
    result=R("int[k]", about="units of each group"),
    limit={"k": 100_000},
    keywords=["largest remainder", "Hamilton method", "apportionment", "stratified sampling"],
    cases=[
        case(size=10, shares=[1.0, 1.0, 1.0], result=[4, 3, 3], origin="by hand: the first of equal remainders"),
        case(
            size=100,
            shares=[47.0, 16.0, 15.8, 12.0, 6.1, 3.1],
            result=[47, 16, 16, 12, 6, 3],
            origin="by hand: Hamilton's method",
        ),
        case(size=5, shares=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(size=10, shares=[0.15, 0.35, 0.5], result=[2, 3, 5], origin="by hand: two halves, the first gets it"),
    ],
)
def proportional_allocation(size, shares):
    """Whole units dealt out in proportion to shares, what is left by the largest remainders.

    Shares are the decimals that they are written as, so that remainders which are equal on paper are ties.
    """
    exact, _ = sums.decimals(sums.finite(shares, "shares"))
    whole = sum(exact)
    if whole == 0:
        raise DomainError("shares", expected="a sum above 0")
    quotas = [fmpq(size * share, whole) for share in exact]
    units = [int(quota.floor()) for quota in quotas]
    order = sorted(range(len(units)), key=lambda place: (units[place] - quotas[place], place))
    for place in order[: size - sum(units)]:
        units[place] += 1
    return units


@capability(
    "experiments.standardised_differences",
    tier="certified",
    source="austin2009",
    params={
        "treated": P("float64[m,p]", about="covariates of the treated, a column each", min_size=2),
        "control": P("float64[n,p]", about="covariates of the controls, a column each", min_size=2),
    },
    result=R("float64[p]", about="standardized difference of each covariate, treated less control"),
    limit={"m": 100_000, "n": 100_000, "p": 100},
    keywords=["covariate balance", "propensity score", "matching"],
    cases=[
        case(
            treated=[[1.0], [3.0]],
            control=[[0.0], [2.0]],
            result=[0.7071067811865476],
            origin="mpmath 1.4.1, 60 digits",
        ),
        case(
            treated=[[1.0, 5.0], [3.0, 6.0], [4.0, 1.0]],
            control=[[0.0, 2.0], [2.0, 2.5]],
            result=[1.1322770341445958, 0.9271726499455306],
            origin="mpmath 1.4.1, 60 digits",
        ),
    ],
)
def standardised_differences(treated, control):
    """Balance of two groups in each covariate: difference of the means over the root mean variance."""
    found = []
    for first, second in zip(treated.T, control.T, strict=True):
        totals = [sums.total(part) for part in (first, second)]
        sizes = [int(part.size) for part in (first, second)]
        squares = [
            (sums.dot(part, part) - total * total / size) / (size - 1)
            for part, total, size in zip((first, second), totals, sizes, strict=True)
        ]
        spread = sum(squares, fmpq(0)) / 2
        if spread == 0:
            raise DomainError("treated and control", expected="covariates that vary")
        difference = totals[0] / sizes[0] - totals[1] / sizes[1]
        found.append(difference / square_root(spread) if difference != 0 else fmpq(0))
    return found
