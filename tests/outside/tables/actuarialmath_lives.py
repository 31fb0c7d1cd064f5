"""Life tables, premiums and laws of mortality of actuarialmath."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

from actuarialmath import LifeTable, Makeham
from oracle import OracleTable

TABLE = OracleTable("actuarialmath", version("actuarialmath"))
LIFE = {"rate": (0.01, 0.1), "death_rates": (0.01, 0.3), "n": (3, 9), "years": (0, 2)}
LAW = {"makeham": (0.0001, 0.01), "constant": (0.0001, 0.01), "level": (1e-6, 1e-3), "hazard": (1e-6, 1e-3), "growth": (0.02, 0.2), "age": (10, 90), "time": (10, 90)}


def _live(rate: float, death_rates: list[float]) -> Any:
    """Lives of the table, and years beyond it: the package ends a contract that it believes to outlast the lives."""
    life = LifeTable().set_interest(i=rate)
    alive = {0: 1.0}
    for age, chance in enumerate(death_rates):
        alive[age + 1] = alive[age] * (1 - chance)
    last = len(death_rates)
    alive |= {last + more: alive[last] / 2**more for more in range(1, last + 1)} | {2 * last + 1: 0.0}
    return life.set_table(radix=1, minage=0, maxage=2 * last + 1, l=alive)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"actuarialmath.{function}", compute, **{"within": 1e-10, "near_zero": 1e-12, "draws": LIFE, **more})


_add("insurance.curtate_life_expectancy", "LifeTable.e_x", lambda death_rates: _live(0.05, death_rates).e_x(0, n=len(death_rates), curtate=True), asked="curtate, within the years of the table")
_add("insurance.life_annuity_due", "LifeTable.temporary_annuity", lambda rate, death_rates: _live(rate, death_rates).temporary_annuity(0, t=len(death_rates)))
_add("insurance.life_annuity_immediate", "LifeTable.immediate_annuity", lambda rate, death_rates: _live(rate, death_rates).immediate_annuity(0, t=len(death_rates)))
_add("insurance.term_insurance", "LifeTable.term_insurance", lambda rate, death_rates: _live(rate, death_rates).term_insurance(0, t=len(death_rates)))
_add("insurance.endowment_insurance", "LifeTable.endowment_insurance", lambda rate, death_rates: _live(rate, death_rates).endowment_insurance(0, t=len(death_rates)))
_add("insurance.pure_endowment", "LifeTable.E_x", lambda rate, death_rates: _live(rate, death_rates).E_x(0, t=len(death_rates)))
_add("insurance.term_net_premium", "LifeTable.net_premium", lambda rate, death_rates: _live(rate, death_rates).net_premium(0, t=len(death_rates)))
_add("insurance.endowment_net_premium", "LifeTable.net_premium", lambda rate, death_rates: _live(rate, death_rates).net_premium(0, t=len(death_rates), endowment=1), asked="with an endowment of 1")
_add("insurance.term_net_reserve", "LifeTable.net_policy_value", lambda rate, death_rates, years: _live(rate, death_rates).net_policy_value(0, t=years, n=len(death_rates)))
_add("insurance.makeham_force", "Makeham.mu_x", lambda makeham, level, growth, age: Makeham(A=makeham, B=level, c=math.exp(growth)).mu_x(age), draws=LAW, asked="c as a power of e")
_add("survival.makeham_hazard", "Makeham.mu_x", lambda time, constant, hazard, growth: Makeham(A=constant, B=hazard, c=math.exp(growth)).mu_x(time), draws=LAW, asked="c as a power of e")
