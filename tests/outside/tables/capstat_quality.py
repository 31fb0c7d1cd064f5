"""Control charts and sampling plans of capstat-core."""

from __future__ import annotations

from importlib.metadata import version

import capstat_core as cs
import numpy as np
from oracle import OracleTable


def two(mean, deviation):
    """Return two measurements that have a mean, and a deviation by their moving range."""
    half = deviation * cs.d2(2) / 2
    return [mean - half, mean + half]


def plan(size, acceptance_number, lot_size=None):
    """Make a plan of single samples."""
    return cs.SamplingPlan(size, acceptance_number, lot_size)


def fill(arguments):
    """Let a plan accept fewer defectives than it draws, and draw no more than the lot."""
    arguments = dict(arguments)
    if "lot_size" in arguments:
        arguments["size"] = min(arguments["size"], arguments["lot_size"])
    if "defective" in arguments:
        arguments["defective"] = min(arguments["defective"], arguments["lot_size"])
    arguments["acceptance_number"] = min(arguments["acceptance_number"], arguments["size"] - 1)
    return arguments


def chart(pair, first, second):
    """Make the record of a pair of charts."""
    one, other = pair.location.limits, pair.dispersion.limits
    return {
        "center": one.center,
        "lower": one.lower,
        "upper": one.upper,
        f"{second}_center": other.center,
        f"{second}_lower": other.lower,
        f"{second}_upper": other.upper,
        "deviation": pair.sigma_within,
    }


def ranges(pair):
    """Make the record of a chart of means by ranges."""
    one = pair.location.limits
    return {
        "center": one.center,
        "lower": one.lower,
        "upper": one.upper,
        "mean_range": pair.dispersion.limits.center,
        "deviation": pair.sigma_within,
    }


def design(acceptable, rejectable, producer_risk, consumer_risk):
    """Design a plan of single samples."""
    found = cs.design_single_sampling_plan(
        acceptable, rejectable, producer_risk=producer_risk, consumer_risk=consumer_risk
    )
    return {"size": found.sample_size, "acceptance_number": found.acceptance_number}


def study(values, trials, significance):
    """Make the record of a study of a measuring system."""
    data = np.array(values).reshape(len(values), -1, trials)
    found = cs.gage_rr(data, interaction_alpha=significance)
    variances = {
        "repeatability": found.var_repeatability,
        "reproducibility": found.var_reproducibility,
        "gauge": found.var_gage_rr,
        "part": found.var_part,
        "share": found.var_gage_rr / found.var_total,
    }
    return {name: variance**0.5 for name, variance in variances.items()}


def weighted(values, target, deviation, weight, width):
    """Make the record of an EWMA chart."""
    found = cs.ewma_chart(values, target=target, sigma=deviation, lmbda=weight, L=width)
    return {"points": list(found.points), "lower": list(found.lower), "upper": list(found.upper)}


def sums(series, target, slack):
    """Make the record of a CUSUM chart."""
    found = cs.cusum_chart(series, target=target, sigma=1.0, k=slack)
    return {"high": list(found.upper), "low": list(found.lower)}


TABLE = OracleTable("capstat-core", version("capstat-core"))
TABLE.add(
    "quality_control.range_factor",
    "capstat_core.d2",
    lambda size: cs.d2(size),
    draws={"size": (2, 25)},
    within=1e-08,
)
TABLE.add(
    "quality_control.deviation_factor",
    "capstat_core.c4",
    lambda size: cs.c4(size),
    draws={"size": (2, 400)},
    within=1e-12,
)
TABLE.add(
    "quality_control.mean_range_chart",
    "capstat_core.xbar_r_chart",
    lambda values: ranges(cs.xbar_r_chart(values)),
    draws={"values": (9.0, 11.0), "k": (4, 6), "n": (2, 5)},
    within=1e-08,
)
TABLE.add(
    "quality_control.mean_deviation_chart",
    "capstat_core.xbar_s_chart",
    lambda values: chart(cs.xbar_s_chart(values), "center", "deviation"),
    draws={"values": (9.0, 11.0), "k": (4, 6), "n": (2, 5)},
    within=1e-11,
)
TABLE.add(
    "quality_control.individuals_chart",
    "capstat_core.i_mr_chart",
    lambda values: {
        name: value for name, value in chart(cs.i_mr_chart(values), "center", "range").items() if name != "range_lower"
    },
    draws={"values": (9.0, 11.0), "n": (5, 9)},
    within=1e-08,
)
TABLE.add(
    "quality_control.ewma_chart",
    "capstat_core.ewma_chart",
    lambda values, target, deviation, weight, width: weighted(values, target, deviation, weight, width),
    draws={
        "values": (9.0, 11.0),
        "n": (4, 7),
        "target": (9.5, 10.5),
        "deviation": (0.2, 1.0),
        "weight": (0.05, 1.0),
        "width": (2.0, 3.5),
    },
    within=1e-11,
)
TABLE.add(
    "quality_control.within_subgroup_deviation",
    "capstat_core.capability",
    lambda values: cs.capability(values, lsl=0.0, within_method="pooled").sigma_within,
    draws={"values": (9.0, 11.0), "k": (4, 6), "n": (2, 5)},
    asked="sigma_within, pooled",
    within=1e-11,
)
TABLE.add(
    "quality_control.performance_ppk",
    "capstat_core.capability",
    lambda values, lower, upper: cs.capability(values, lsl=lower, usl=upper).ppk,
    draws={"values": (9.0, 11.0), "n": (5, 9), "lower": (7.0, 9.0), "upper": (11.0, 13.0)},
    asked="ppk",
    within=1e-11,
)
TABLE.add(
    "quality_control.performance_pp",
    "capstat_core.capability",
    lambda values, lower, upper: cs.capability(values, lsl=lower, usl=upper).pp,
    draws={"values": (9.0, 11.0), "n": (5, 9), "lower": (7.0, 9.0), "upper": (11.0, 13.0)},
    asked="pp",
    within=1e-11,
)
TABLE.add(
    "quality_control.acceptance_probability",
    "capstat_core.probability_of_acceptance",
    lambda fraction, size, acceptance_number: cs.probability_of_acceptance(plan(size, acceptance_number), fraction),
    draws={"size": (2, 300), "acceptance_number": (0, 10), "fraction": (0.0, 0.2), "lot_size": (300, 5000)},
    prepare=lambda arguments: fill(arguments),
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "quality_control.lot_acceptance_probability",
    "capstat_core.probability_of_acceptance",
    lambda lot_size, defective, size, acceptance_number: cs.probability_of_acceptance(
        plan(size, acceptance_number, lot_size), defective / lot_size, model="hypergeometric"
    ),
    draws={"lot_size": (20, 500), "defective": (0, 40), "size": (2, 60), "acceptance_number": (0, 5)},
    prepare=lambda arguments: fill(arguments),
    asked="hypergeometric",
    within=1e-10,
    near_zero=1e-14,
)
TABLE.add(
    "quality_control.average_outgoing_quality",
    "capstat_core.average_outgoing_quality",
    lambda fraction, lot_size, size, acceptance_number: cs.average_outgoing_quality(
        plan(size, acceptance_number, lot_size), fraction
    ),
    draws={"size": (2, 300), "acceptance_number": (0, 10), "fraction": (0.0, 0.2), "lot_size": (300, 5000)},
    prepare=lambda arguments: fill(arguments),
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "quality_control.outgoing_quality_limit",
    "capstat_core.aoq_limit",
    lambda lot_size, size, acceptance_number: cs.aoq_limit(plan(size, acceptance_number, lot_size)).aoql,
    draws={"size": (2, 300), "acceptance_number": (0, 10), "fraction": (0.0, 0.2), "lot_size": (300, 5000)},
    prepare=lambda arguments: fill(arguments),
    within=1e-08,
)
TABLE.add(
    "quality_control.average_total_inspection",
    "capstat_core.average_total_inspection",
    lambda fraction, lot_size, size, acceptance_number: cs.average_total_inspection(
        plan(size, acceptance_number, lot_size), fraction
    ),
    draws={"size": (2, 300), "acceptance_number": (0, 10), "fraction": (0.0, 0.2), "lot_size": (300, 5000)},
    prepare=lambda arguments: fill(arguments),
    within=1e-11,
)
TABLE.add(
    "quality_control.quality_at_acceptance",
    "capstat_core.quality_for_acceptance",
    lambda probability, size, acceptance_number: cs.quality_for_acceptance(plan(size, acceptance_number), probability),
    draws={
        "size": (2, 300),
        "acceptance_number": (0, 10),
        "fraction": (0.0, 0.2),
        "lot_size": (300, 5000),
        "probability": (0.02, 0.98),
    },
    prepare=lambda arguments: fill(arguments),
    within=1e-08,
)
TABLE.add(
    "quality_control.single_sampling_plan",
    "capstat_core.design_single_sampling_plan",
    lambda acceptable, rejectable, producer_risk, consumer_risk: design(
        acceptable, rejectable, producer_risk, consumer_risk
    ),
    draws={
        "acceptable": (0.01, 0.05),
        "rejectable": (0.1, 0.3),
        "producer_risk": (0.02, 0.1),
        "consumer_risk": (0.05, 0.2),
    },
    within=1e-12,
)
TABLE.add(
    "quality_control.gauge_repeatability_reproducibility",
    "capstat_core.gage_rr",
    lambda values, trials, significance: study(values, trials, significance),
    draws={"p": (4, 6), "m": (6, 6), "trials": [2, 3, 2], "values": (9.0, 11.0), "significance": [0.25, 0.25, 0.05]},
    within=1e-09,
    near_zero=1e-09,
)
TABLE.add(
    "manufacturing.capability_cp",
    "capstat_core.capability",
    lambda upper, lower, deviation: cs.capability(two((upper + lower) / 2, deviation), lsl=lower, usl=upper).cp,
    draws={"upper": (6.0, 9.0), "lower": (1.0, 4.0), "deviation": (0.2, 1.0)},
    asked="cp of two measurements",
    within=1e-08,
)
TABLE.add(
    "manufacturing.capability_cpk",
    "capstat_core.capability",
    lambda upper, lower, mean, deviation: cs.capability(two(mean, deviation), lsl=lower, usl=upper).cpk,
    draws={"upper": (6.0, 9.0), "lower": (1.0, 4.0), "mean": (3.0, 7.0), "deviation": (0.2, 1.0)},
    asked="cpk of two measurements",
    within=1e-08,
)
TABLE.add(
    "manufacturing.capability_cpm",
    "capstat_core.capability",
    lambda upper, lower, deviation, mean, target: (
        cs.capability(two(mean, deviation), lsl=lower, usl=upper, target=target).cpm
    ),
    draws={"upper": (6.0, 9.0), "lower": (1.0, 4.0), "mean": (3.0, 7.0), "target": (4.0, 6.0), "deviation": (0.2, 1.0)},
    asked="cpm of two measurements",
    within=1e-08,
)
TABLE.add(
    "time_series.cusum",
    "capstat_core.cusum_chart",
    lambda series, target, slack: sums(series, target, slack),
    draws={"series": (-3.0, 3.0), "target": (-1.0, 1.0), "slack": (0.1, 1.5)},
    within=1e-11,
    near_zero=1e-13,
)
