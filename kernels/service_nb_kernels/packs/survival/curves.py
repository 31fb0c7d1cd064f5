"""Survival of censored subjects: curves, their errors, and comparisons of groups."""

from __future__ import annotations

from flint import arb, fmpq

from service_nb_kernels.certified import order, special, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np

TIMES = P(
    "float64[n]",
    unit="?t",
    domain="[0, inf)",
    about="time of the event or of censoring of each subject",
    min_size=1,
    symbol="t",
)
EVENTS = P("int[n]", domain="[0, 1]", about="1 if the event was seen, 0 if the subject was censored", min_size=1)
FOLLOWED = "no later than the last one unless that is an event"
AT = P(unit="?t", domain="[0, inf)", about=f"time at which the curve is read, {FOLLOWED}")
LIMIT = {"n": 20_000}
REMISSION = [6.0, 6.0, 6.0, 6.0, 7.0, 9.0, 10.0, 10.0, 11.0, 13.0, 16.0, 17.0, 19.0, 20.0]
REMISSION += [22.0, 23.0, 25.0, 32.0, 32.0, 34.0, 35.0]
RELAPSED = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
MERCAPTOPURINE = "klein2003, table 4.1, 6-MP patients"
EXACT = "Python 3.11, fractions.Fraction"
MP = "mpmath 1.4.1, 60 digits"


def risk_table(times, events):
    """Return for each time of an event: the time, the events, and those at risk just before."""
    times, seen = sums.finite(times, "times"), np.array(events, dtype=bool)
    ordered = np.sort(times)
    moments, counts = np.unique(times[seen], return_counts=True)
    before = np.searchsorted(ordered, moments, side="left")
    rows = zip(moments.tolist(), counts.tolist(), before.tolist(), strict=True)
    return [(time, int(count), int(times.size) - int(gone)) for time, count, gone in rows]


def curve(times, events):
    """Return the times of events and the exact product-limit estimate just after each."""
    survival, found = fmpq(1), []
    for time, count, at_risk in risk_table(times, events):
        survival *= fmpq(at_risk - count, at_risk)
        found.append((time, survival))
    return found


@capability(
    "survival.kaplan_meier",
    tier="certified",
    version=3,
    source="kaplan1958",
    params={"times": TIMES, "events": EVENTS},
    result=R(
        fields={
            "times": R("float64[k]", unit="?t", about="times of events"),
            "at_risk": R("int[k]", about="subjects at risk just before"),
            "events": R("int[k]", about="events at each time"),
            "survival": R("float64[k]", about="probability to survive each time", range="[0, 1]"),
        }
    ),
    latex=r"\hat{S}(t) = \prod_{t_i \le t} \left(1 - \frac{d_i}{n_i}\right)",
    limit=LIMIT,
    keywords=["product limit", "survival curve", "censored data"],
    cases=[
        case(
            times=[1.0, 2.0, 2.0, 3.0],
            events=[1, 1, 0, 1],
            result={"times": [1.0, 2.0, 3.0], "at_risk": [4, 3, 1], "events": [1, 1, 1], "survival": [0.75, 0.5, 0.0]},
            origin="by hand",
        ),
        case(
            times=REMISSION,
            events=RELAPSED,
            result={
                "times": [6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0],
                "at_risk": [21, 17, 15, 12, 11, 7, 6],
                "events": [3, 1, 1, 1, 1, 1, 1],
                "survival": [0.857, 0.807, 0.753, 0.69, 0.627, 0.538, 0.448],
            },
            within=1e-3,
            origin=MERCAPTOPURINE,
        ),
    ],
)
def kaplan_meier(times, events):
    """Product-limit estimate of the survival curve of censored subjects, at each time of an event."""
    table = risk_table(times, events)
    return {
        "times": [order.rational(time) for time, _, _ in table],
        "at_risk": [at_risk for _, _, at_risk in table],
        "events": [count for _, count, _ in table],
        "survival": [survival for _, survival in curve(times, events)],
    }


def _check_followed(times, events, at, name="at"):
    """Beyond the last time the estimate is known only if nobody was left: the last one is an event of all at risk."""
    last = max(times)
    if at > last and any(time == last and not seen for time, seen in zip(times, events, strict=True)):
        raise DomainError(name, at, f"no more than {last}, the last time, at which a subject is censored")


def _survival(times, events, at):
    _check_followed(times, events, at)
    return next((s for time, s in reversed(curve(times, events)) if time <= at), fmpq(1))


@capability(
    "survival.survival_at",
    tier="certified",
    version=3,
    source="kaplan1958",
    params={"times": TIMES, "events": EVENTS, "at": AT},
    result=R(about="probability to survive", range="[0, 1]"),
    latex=r"\hat{S}(t) = \prod_{t_i \le t} (1 - \frac{d_i}{n_i})",
    limit=LIMIT,
    keywords=["Kaplan-Meier", "product limit"],
    cases=[
        case(times=REMISSION, events=RELAPSED, at=12.0, result=0.7529411764705882, origin=EXACT),
        case(times=[1.0, 2.0, 2.0, 3.0], events=[1, 1, 0, 1], at=0.5, result=1.0, origin="by hand"),
        case(times=[1.0, 2.0, 2.0, 3.0], events=[1, 1, 0, 1], at=9.0, result=0.0, origin="by hand: nobody was left"),
        case(
            times=[1.0, 2.0, 3.0],
            events=[1, 1, 0],
            at=3.5,
            error="domain_error",
            origin="by hand: whoever was left at 3 was not followed",
        ),
        case(
            times=[8.17, 2.81, 1.85, 2.16, 3.04, 2.28, 6.06, 3.84, 4.66, 5.68],
            events=[0, 0, 0, 0, 1, 1, 1, 1, 1, 0],
            at=2.13,
            result=1.0,
            within=1e-14,
            origin="lifelines 0.30.3, lifelines.KaplanMeierFitter.survival_function_at_times",
        ),
    ],
)
def survival_at(times, events, at):
    """Probability to survive a stated time, by the product-limit estimate."""
    return _survival(times, events, at)


def _greenwood(times, events, at):
    """The sum of d / (n (n - d)) up to a time."""
    rows = [(count, at_risk) for time, count, at_risk in risk_table(times, events) if time <= at]
    if any(count == at_risk for count, at_risk in rows):
        raise DomainError("at", at, "a time that some subject survives")
    return sum((fmpq(count, at_risk * (at_risk - count)) for count, at_risk in rows), fmpq(0))


@capability(
    "survival.greenwood_error",
    tier="certified",
    version=3,
    source="klein2003, sec. 4.2",
    params={"times": TIMES, "events": EVENTS, "at": AT},
    result=R(about="standard error of the survival probability", range="[0, inf)"),
    latex=r"\hat{S}(t) \sqrt{\sum_{t_i \le t} \frac{d_i}{n_i (n_i - d_i)}}",
    limit=LIMIT,
    keywords=["Kaplan-Meier", "standard error"],
    cases=[
        case(times=REMISSION, events=RELAPSED, at=6.0, result=0.0764, within=1e-3, origin=MERCAPTOPURINE),
        case(times=REMISSION, events=RELAPSED, at=23.0, result=0.1346, within=1e-3, origin=MERCAPTOPURINE),
        case(times=[1.0, 2.0], events=[0, 1], at=1.0, result=0.0, origin="by hand: no event yet"),
    ],
)
def greenwood_error(times, events, at):
    """Standard error of a product-limit estimate by the formula of Greenwood."""
    return _survival(times, events, at) * order.square_root(_greenwood(times, events, at))


@capability(
    "survival.survival_interval",
    tier="certified",
    version=4,
    source="klein2003, sec. 4.3",
    params={
        "times": TIMES,
        "events": EVENTS,
        "at": AT,
        "level": P(domain="(0, 1)", about="confidence level", default=0.95),
    },
    result=R(fields={"low": R(about="lower limit", range="[0, 1]"), "high": R(about="upper limit", range="[0, 1]")}),
    limit=LIMIT,
    keywords=["Kaplan-Meier", "log-log confidence interval"],
    cases=[
        case(
            times=REMISSION,
            events=RELAPSED,
            at=12.0,
            level=0.95,
            result={"low": 0.5031995107999564, "high": 0.8893618351692656},
            origin=MP,
        ),
        case(
            times=[1.0, 2.0, 3.0, 4.0],
            events=[1, 1, 0, 1],
            at=2.5,
            level=0.9,
            result={"low": 0.10326098397038587, "high": 0.8092825988522615},
            origin=MP,
        ),
        case(
            times=[1.0, 2.0],
            events=[0, 1],
            at=0.5,
            level=0.9,
            error="domain_error",
            origin="by hand: the estimate is 1",
        ),
        case(
            times=[0.892, 5.72, 5.85, 1.35, 6.22, 6.28],
            events=[1, 1, 1, 1, 0, 0],
            at=2.35,
            level=0.919,
            result={"low": 0.2455217200973777, "high": 0.8895277546360147},
            within=1e-14,
            origin="lifelines 0.30.3, lifelines.KaplanMeierFitter.confidence_interval_",
        ),
    ],
)
def survival_interval(times, events, at, level):
    """Confidence interval of a survival probability on the scale of log(-log), which stays between 0 and 1."""
    survival = _survival(times, events, at)
    if survival in (0, 1):
        raise DomainError("at", at, "a time with an estimate between 0 and 1")
    log = arb(survival).log()
    z = special.normal_quantile((1 + order.rational(level)) / 2)
    factor = (z * arb(_greenwood(times, events, at)).sqrt() / log).exp()
    return {"low": (log / factor).exp(), "high": (log * factor).exp()}


@capability(
    "survival.median_survival",
    tier="certified",
    source="klein2003, sec. 4.5",
    params={"times": TIMES, "events": EVENTS},
    result=R(unit="?t", about="median survival time"),
    limit=LIMIT,
    keywords=["Kaplan-Meier"],
    cases=[
        case(times=REMISSION, events=RELAPSED, result=23.0, origin=MERCAPTOPURINE),
        case(times=[1.0, 2.0, 2.0, 3.0], events=[1, 1, 0, 1], result=2.0, origin="by hand"),
        case(times=[1.0, 2.0, 3.0], events=[1, 0, 0], error="domain_error", origin="by hand: it is not reached"),
    ],
)
def median_survival(times, events):
    """First time by which the product-limit estimate has fallen to one half or below."""
    for time, survival in curve(times, events):
        if survival <= fmpq(1, 2):
            return order.rational(time)
    raise DomainError("events", expected="an estimate that reaches one half")


@capability(
    "survival.restricted_mean",
    tier="certified",
    version=2,
    source="klein2003, sec. 4.5",
    params={
        "times": TIMES,
        "events": EVENTS,
        "horizon": P(
            unit="?t", domain="(0, inf)", about=f"time up to which survival counts, {FOLLOWED}", symbol=r"\tau"
        ),
    },
    result=R(unit="?t", about="restricted mean survival time"),
    latex=r"\int_0^\tau \hat{S}(t)\, dt",
    limit=LIMIT,
    keywords=["RMST", "life expectancy"],
    cases=[
        case(
            times=[1.0, 2.0, 2.0, 3.0], events=[1, 1, 0, 1], horizon=3.0, result=2.25, origin="by hand: 1 + 0.75 + 0.5"
        ),
        case(times=REMISSION, events=RELAPSED, horizon=20.0, result=16.116526610644257, origin=EXACT),
        case(
            times=[0.631, 3.06, 3.04, 3.19, 8.64, 2.1, 1.15],
            events=[1, 1, 0, 1, 0, 0, 0],
            horizon=6.62,
            result=3.7672857142857143,
            within=1e-14,
            origin="lifelines 0.30.3, lifelines.utils.restricted_mean_survival_time",
        ),
    ],
)
def restricted_mean(times, events, horizon):
    """Mean survival time up to a horizon: the area under the product-limit estimate."""
    _check_followed(times, events, horizon, "horizon")
    end, area, before, level = order.rational(horizon), fmpq(0), fmpq(0), fmpq(1)
    for time, survival in curve(times, events):
        now = min(order.rational(time), end)
        area, before, level = area + level * (now - before), now, survival
        if now == end:
            return area
    return area + level * (end - before)


@capability(
    "survival.nelson_aalen",
    tier="certified",
    version=4,
    source="aalen1978",
    params={"times": TIMES, "events": EVENTS, "at": AT},
    result=R(
        fields={
            "hazard": R(about="cumulative hazard"),
            "standard_error": R(about="its standard error, of the variance sum of d / n^2", range="[0, inf)"),
        }
    ),
    latex=r"\hat{H}(t) = \sum_{t_i \le t} \frac{d_i}{n_i}",
    limit=LIMIT,
    keywords=["cumulative hazard"],
    cases=[
        case(
            times=REMISSION,
            events=RELAPSED,
            at=6.0,
            result={"hazard": 0.1428, "standard_error": 0.0825},
            within=1e-3,
            origin="klein2003, table 4.2",
        ),
        case(
            times=REMISSION,
            events=RELAPSED,
            at=23.0,
            result={"hazard": 0.752113572701808, "standard_error": 0.27946774669500285},
            origin=MP,
        ),
    ],
)
def nelson_aalen(times, events, at):
    """Cumulative hazard at a stated time by the Nelson-Aalen estimate, with its standard error."""
    _check_followed(times, events, at)
    rows = [(count, at_risk) for time, count, at_risk in risk_table(times, events) if time <= at]
    variance = sum((fmpq(count, at_risk * at_risk) for count, at_risk in rows), fmpq(0))
    hazard = sum((fmpq(count, at_risk) for count, at_risk in rows), fmpq(0))
    return {"hazard": hazard, "standard_error": order.square_root(variance)}


@capability(
    "survival.life_table",
    tier="certified",
    version=3,
    source="cutler1958",
    params={
        "entered": P("int", domain="[1, 1000000000]", about="subjects at the start"),
        "deaths": P("int[k]", domain="[0, 1000000000]", about="deaths in each interval", min_size=1),
        "withdrawn": P(
            "int[k]", domain="[0, 1000000000]", about="subjects lost or withdrawn in each interval", min_size=1
        ),
    },
    result=R("float64[k]", about="probability to survive from the start to the end of each interval", range="[0, 1]"),
    limit={"k": 500},
    keywords=["actuarial method", "cohort life table"],
    cases=[
        case(entered=10, deaths=[2, 3], withdrawn=[0, 4], result=[0.8, 0.4], origin="by hand: 3 of 6 exposed"),
        case(
            entered=126,
            deaths=[47, 5, 2, 2, 0],
            withdrawn=[19, 17, 15, 9, 6],
            result=[0.597, 0.539, 0.502, 0.443, 0.443],
            within=4e-3,
            origin="cutler1958, kidney cancer, Connecticut 1946-1951",
        ),
        case(
            entered=3,
            deaths=[2, 2],
            withdrawn=[0, 0],
            error="domain_error",
            origin="by hand: more deaths than subjects",
        ),
        case(
            entered=4,
            deaths=[1, 0],
            withdrawn=[3, 0],
            error="domain_error",
            origin="by hand: nobody is left to follow",
        ),
    ],
)
def life_table(entered, deaths, withdrawn):
    """Survival by the actuarial method: those withdrawn count as exposed for half of their interval."""
    survival, found = fmpq(1), []
    for died, left in zip(deaths, withdrawn, strict=True):
        exposed = entered - fmpq(left, 2)
        if died + left > entered:
            raise DomainError("deaths", died, "no more deaths and withdrawals than subjects")
        if exposed == 0 and survival:
            raise DomainError("withdrawn", left, "a subject that enters each interval, until all have died")
        survival *= 1 - died / exposed if exposed != 0 else 1
        found.append(survival)
        entered -= died + left
    return found
