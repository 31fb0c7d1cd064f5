"""Comparisons of the survival of groups, and of predicted with observed survival."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import order, sums, tails
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.survival.curves import risk_table

TIMES = P(
    "float64[n]",
    unit="?t",
    domain="[0, inf)",
    about="time of the event or of censoring of each subject",
    min_size=1,
    symbol="t",
)
EVENTS = P("int[n]", domain="[0, 1]", about="1 if the event was seen, 0 if the subject was censored", min_size=1)
GROUP = P("int[n]", domain="[0, 1]", about="group of each subject, 0 or 1", min_size=1)
LIMIT = {"n": 20_000}
BOTH = [6.0, 6.0, 6.0, 6.0, 7.0, 9.0, 10.0, 10.0, 11.0, 13.0, 16.0, 17.0, 19.0, 20.0]
BOTH += [22.0, 23.0, 25.0, 32.0, 32.0, 34.0, 35.0]
BOTH += [1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 5.0, 8.0, 8.0, 8.0, 8.0, 11.0]
BOTH += [11.0, 12.0, 12.0, 15.0, 17.0, 22.0, 23.0]
SEEN = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]
SEEN += [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
SEEN += [1, 1]
ARMS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
ARMS += [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
ARMS += [0, 0]
COMPARED = R(
    fields={
        "statistic": R(about="chi-square with one degree of freedom"),
        "pvalue": R(about="two-sided p-value", range="[0, 1]"),
    }
)
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def _two_groups(times, events, groups, weight):
    """Weighted observed less expected events of group 1, its variance, and both without weights."""
    times, mine = sums.finite(times, "times"), np.array(groups, dtype=bool)
    seen = np.array(events, dtype=bool)
    ordered = np.sort(times[mine])
    distance = variance = expected = fmpq(0)
    for time, count, at_risk in risk_table(times, events):
        check_deadline()
        inside = int(ordered.size - np.searchsorted(ordered, time, side="left"))
        own, w = int((seen & mine & (times == time)).sum()), weight(at_risk)
        share = fmpq(count * inside, at_risk)
        expected += share
        distance += w * (own - share)
        if at_risk > 1:
            above = count * inside * (at_risk - inside) * (at_risk - count)
            variance += w * w * fmpq(above, at_risk * at_risk * (at_risk - 1))
    if variance == 0:
        raise DomainError("groups", expected="two groups that are at risk together")
    return distance, variance, int((seen & mine).sum()), expected


@capability(
    "survival.log_rank",
    tier="certified",
    version=2,
    source="mantel1966",
    params={"times": TIMES, "events": EVENTS, "groups": GROUP},
    result=COMPARED,
    limit=LIMIT,
    keywords=["Mantel-Cox", "compare survival curves", "log-rank test"],
    cases=[
        case(
            times=BOTH,
            events=SEEN,
            groups=ARMS,
            result={"statistic": 16.79, "pvalue": 4.17e-5},
            within=1e-3,
            origin="R 4.3, survival::survdiff: the 6-MP trial, 16.8 on 1 degree of freedom",
        ),
        case(
            times=BOTH,
            events=SEEN,
            groups=ARMS,
            result={"statistic": 16.792940989216532, "pvalue": 4.1688091093345416e-05},
            origin="mpmath 1.4.1, 50 digits, from exact fractions",
        ),
    ],
)
def log_rank(times, events, groups):
    """Whether two groups survive alike, by observed against expected events at each time."""
    distance, variance, _, _ = _two_groups(times, events, groups, lambda _: 1)
    statistic = distance**2 / variance
    return {"statistic": statistic, "pvalue": tails.chi2(statistic, 1)}


@capability(
    "survival.gehan_wilcoxon",
    tier="certified",
    version=2,
    source="klein2003, sec. 7.3",
    params={"times": TIMES, "events": EVENTS, "groups": GROUP},
    result=COMPARED,
    limit=LIMIT,
    keywords=["Breslow", "generalised Wilcoxon", "early differences"],
    cases=[
        case(
            times=BOTH,
            events=SEEN,
            groups=ARMS,
            result={"statistic": 13.457852049631066, "pvalue": 0.00024398292189053983},
            within=1e-10,
            origin="statsmodels 0.15.0, statsmodels.duration.survfunc.survdiff: weight_type gb",
        ),
        case(
            times=[1.0, 2.0, 3.0, 4.0],
            events=[1, 1, 1, 1],
            groups=[0, 0, 1, 1],
            result={"statistic": 2.6666666666666665, "pvalue": 0.10247043485974942},
            origin="by hand: (-2 - 2)^2 over 4 + 2; mpmath 1.4.1",
        ),
    ],
)
def gehan_wilcoxon(times, events, groups):
    """Whether two groups survive alike, differences weighted by the number at risk."""
    distance, variance, _, _ = _two_groups(times, events, groups, lambda at_risk: at_risk)
    statistic = distance**2 / variance
    return {"statistic": statistic, "pvalue": tails.chi2(statistic, 1)}


@capability(
    "survival.hazard_ratio_peto",
    tier="certified",
    version=2,
    source="klein2003, sec. 7.3",
    params={"times": TIMES, "events": EVENTS, "groups": GROUP},
    result=R(
        fields={
            "hazard_ratio": R(about="hazard of group 1 over group 0"),
            "log_error": R(about="standard error of its logarithm", range="[0, inf)"),
        }
    ),
    latex=r"\exp\left(\frac{O - E}{V}\right)",
    limit=LIMIT,
    keywords=["one-step estimate", "Peto"],
    cases=[
        case(
            times=[1.0, 2.0, 3.0, 4.0],
            events=[1, 1, 1, 1],
            groups=[0, 0, 1, 1],
            result={"hazard_ratio": 0.08453511783334167, "log_error": 1.4552137502179978},
            origin=MP,
        ),
        case(
            times=BOTH,
            events=SEEN,
            groups=ARMS,
            result={"hazard_ratio": 0.1947, "log_error": 0.3992},
            within=3e-2,
            origin="R 4.3, survival::survdiff: observed 9, expected 19.25, variance 6.26",
        ),
    ],
)
def hazard_ratio_peto(times, events, groups):
    """Hazard ratio of two groups from observed less expected events over their variance, after Peto."""
    distance, variance, _, _ = _two_groups(times, events, groups, lambda _: 1)
    return {"hazard_ratio": arb(distance / variance).exp(), "log_error": order.square_root(1 / variance)}


@capability(
    "survival.hazard_ratio_log_rank",
    tier="certified",
    source="klein2003, sec. 7.3",
    params={"times": TIMES, "events": EVENTS, "groups": GROUP},
    result=R(about="hazard of group 1 over group 0"),
    latex=r"\frac{O_1 / E_1}{O_0 / E_0}",
    limit=LIMIT,
    keywords=["relative hazard", "observed over expected"],
    cases=[
        case(
            times=[1.0, 2.0, 3.0, 4.0],
            events=[1, 1, 1, 1],
            groups=[0, 0, 1, 1],
            result=0.2631578947368421,
            origin=EXACT,
        ),
        case(
            times=BOTH,
            events=SEEN,
            groups=ARMS,
            result=0.239,
            within=5e-3,
            origin="R 4.3, survival::survdiff: observed 9 and 21, expected 19.25 and 10.75",
        ),
    ],
)
def hazard_ratio_log_rank(times, events, groups):
    """Hazard ratio of two groups from their observed over expected events."""
    _, _, observed, expected = _two_groups(times, events, groups, lambda _: 1)
    others, expected_others = sum(events) - observed, sum(events) - expected
    if not others:
        raise DomainError("groups", expected="events in group 0")
    return observed / expected * expected_others / others


@capability(
    "survival.concordance_index",
    tier="certified",
    source="harrell1996",
    params={
        "times": TIMES,
        "events": EVENTS,
        "scores": P("float64[n]", about="predicted risk, higher for earlier events", min_size=1),
    },
    result=R(about="concordance index", range="[0, 1]"),
    version=3,
    limit={"n": 5000},
    keywords=["Harrell C", "discrimination", "prognostic model"],
    cases=[
        case(times=[1.0, 2.0, 3.0], events=[1, 1, 1], scores=[3.0, 2.0, 1.0], result=1.0, origin="by hand"),
        case(
            times=[1.0, 2.0, 3.0, 4.0],
            events=[1, 0, 1, 1],
            scores=[2.0, 5.0, 2.0, 1.0],
            result=0.625,
            origin="by hand: 2.5 of 4 pairs",
        ),
        case(
            times=[1.0, 1.0], events=[1, 0], scores=[2.0, 1.0], result=1.0, origin="by hand: censored at a tie is later"
        ),
        case(
            times=[1.0, 2.0],
            events=[0, 1],
            scores=[1.0, 2.0],
            error="domain_error",
            origin="by hand: no pair can be judged",
        ),
        case(
            times=[7.97, 5.37, 0.673, 6.23, 4.7, 7.99, 4.63, 7.96],
            events=[0, 1, 0, 1, 1, 1, 0, 1],
            scores=[1.96, -2.87, -3.42, -1.99, 1.27, -4.37, -4.88, 1.89],
            result=0.42857142857142855,
            within=1e-14,
            origin="lifelines 0.30.3, lifelines.utils.concordance_index: of the negative scores",
        ),
    ],
)
def concordance_index(times, events, scores):
    """Part of the pairs that can be judged in which the higher risk has the earlier event, ties by half.

    Whoever is censored at the time of another's event is judged as later.
    """
    times, scores = sums.finite(times, "times"), sums.finite(scores, "scores")
    doubled = pairs = 0
    for place in range(int(times.size)):
        if events[place]:
            later = (times > times[place]) | ((times == times[place]) & (np.asarray(events) == 0))
            pairs += int(later.sum())
            doubled += int((np.sign(scores[place] - scores[later]) + 1).sum())
    if not pairs:
        raise DomainError("events", expected="an event before another subject's time")
    return fmpq(doubled, 2 * pairs)
