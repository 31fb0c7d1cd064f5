"""Predictive values and differences of risk of zEpid."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from zepid import calc

TABLE = OracleTable("zepid", version("zepid"))
SHARES = {"sensitivity": (0.5, 0.99), "specificity": (0.5, 0.99), "prevalence": (0.02, 0.9)}
TABLE.add("epidemiology.positive_predictive_value", "zepid.calc.ppv_converter", calc.ppv_converter, draws=SHARES, within=1e-11)
TABLE.add("epidemiology.negative_predictive_value", "zepid.calc.npv_converter", calc.npv_converter, draws=SHARES, within=1e-11)


def _attribute(exposed: float, relative_risk: float) -> float:
    """Ask for whole counts of 1,000,000 people whose unexposed have a risk of 1 in 100."""
    people = round(exposed * 1_000_000)
    ill, other = people * relative_risk / 100, (1_000_000 - people) / 100
    return float(calc.population_attributable_fraction(ill, people - ill, other, 1_000_000 - people - other))


TABLE.add("epidemiology.attributable_fraction", "zepid.calc.population_attributable_fraction", _attribute, draws={"exposed": (0.05, 0.9), "relative_risk": (1.1, 9)}, within=1e-9)
TABLE.add("hypothesis.number_needed_to_treat", "zepid.calc.number_needed_to_treat", lambda control_risk, treated_risk: -calc.number_needed_to_treat(treated_risk * 1000, (1 - treated_risk) * 1000, control_risk * 1000, (1 - control_risk) * 1000)[0], draws={"control_risk": (0.4, 0.9), "treated_risk": (0.05, 0.39)}, within=1e-9, asked="less")
COUNTS = (5, 400)
TABLE.add("epidemiology.incidence_rate_difference", "zepid.calc.incidence_rate_difference", lambda exposed_cases, other_cases, exposed_time, other_time, confidence: dict(zip(("difference", "low", "high"), map(float, calc.incidence_rate_difference(exposed_cases, other_cases, exposed_time, other_time, alpha=1 - confidence)[:3]), strict=True)), draws={"exposed_cases": COUNTS, "other_cases": COUNTS, "exposed_time": (100.0, 9000.0), "other_time": (100.0, 9000.0), "confidence": (0.9, 0.95, 0.99)}, within=1e-10)
TABLE.add("epidemiology.population_attributable_risk", "zepid.calc.attributable_community_risk", lambda *table: float(calc.attributable_community_risk(*table)), draws={"exposed_cases": COUNTS, "exposed_well": COUNTS, "other_cases": COUNTS, "other_well": COUNTS}, within=1e-11, near_zero=1e-14)
TABLE.add("epidemiology.surprisal_of_p_value", "zepid.calc.s_value", lambda p_value: float(calc.s_value(p_value)), draws={"p_value": (0.001, 0.9)})
TABLE.add("epidemiology.pooled_imputations", "zepid.calc.rubins_rules", lambda estimates, errors: dict(zip(("estimate", "standard_error"), map(float, calc.rubins_rules(estimates, errors)), strict=True)), draws={"n": (3, 8), "estimates": (0.5, 2.5), "errors": (0.1, 0.8)})


def _update(prior: float, prior_low: float, prior_high: float, ratio: float, low: float, high: float, confidence: float) -> dict[str, float]:
    """Take in a prior."""
    found = calc.semibayes(prior, prior_low, prior_high, ratio, low, high, ln_transform=True, alpha=1 - confidence, print_results=False)
    return dict(zip(("ratio", "low", "high"), map(float, found), strict=True))


TABLE.add("epidemiology.semi_bayes_ratio", "zepid.calc.semibayes", _update, draws={"prior": (0.8, 1.6), "prior_low": (0.2, 0.7), "prior_high": (1.8, 5.0), "ratio": (1.2, 2.5), "low": (0.5, 1.1), "high": (2.6, 7.0), "confidence": (0.9, 0.95, 0.99)}, within=1e-10)
