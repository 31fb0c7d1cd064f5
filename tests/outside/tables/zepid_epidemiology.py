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
