"""Time value of money of pyxirr."""

# fmt: off
from __future__ import annotations

from datetime import date, timedelta
from importlib.metadata import version
from typing import Any

import pyxirr
from oracle import OracleTable

TABLE = OracleTable("pyxirr", version("pyxirr"))
MONEY = {"rate": (0.005, 0.2), "payment": (10, 900), "principal": (100, 9000), "periods": (2, 40), "payment_number": (1, 2), "payments_made": (1, 2), "n": (3, 6), "cashflows": (10, 500), "deferral": [1.0, 2.0, 3.0], "growth": (0.01, 0.1), "returns": (-0.3, 0.5)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"finance.{capability}", f"pyxirr.{function}", compute, **{"within": 1e-10, "near_zero": 1e-12, "draws": MONEY, **more})


def _round(drawn: dict[str, Any]) -> dict[str, Any]:
    return drawn | {"periods": float(round(drawn["periods"]))}


def _outlay(drawn: dict[str, Any]) -> dict[str, Any]:
    return drawn | {"cashflows": [-drawn["cashflows"][0], *drawn["cashflows"][1:]]}


_add("annuity_present_value", "pv", lambda payment, rate, periods: -pyxirr.pv(rate, periods, payment), asked="less")
_add("annuity_future_value", "fv", lambda payment, rate, periods: -pyxirr.fv(rate, periods, payment, 0), asked="less")
_add("annuity_due_present_value", "pv", lambda payment, rate, periods: -pyxirr.pv(rate, periods, payment, pmt_at_beginning=True), asked="at the beginning, less")
_add("annuity_due_future_value", "fv", lambda payment, rate, periods: -pyxirr.fv(rate, periods, payment, 0, pmt_at_beginning=True), asked="at the beginning, less")
_add("deferred_annuity_present_value", "pv", lambda payment, rate, periods, deferral: -pyxirr.pv(rate, deferral, 0, -pyxirr.pv(rate, periods, payment)), asked="of pv, less")
_add("growing_annuity_present_value", "npv", lambda payment, rate, growth, periods: pyxirr.npv(rate, [0.0, *(payment * (1 + growth) ** k for k in range(periods))]), within=1e-9)
_add("growing_annuity_future_value", "nfv", lambda payment, rate, growth, periods: pyxirr.nfv(rate, periods + 1, [0.0, *(payment * (1 + growth) ** k for k in range(periods))]), within=1e-9)
_add("increasing_annuity_present_value", "npv", lambda unit_payment, rate, periods: pyxirr.npv(rate, [0.0, *(unit_payment * (k + 1) for k in range(periods))]), within=1e-9)
_add("annuity_rate", "rate", lambda present_value, payment, periods: pyxirr.rate(periods, payment, -present_value), draws={"present_value": (400, 900), "payment": (60, 90), "periods": (12, 18)}, within=1e-8)
_add("net_future_value", "nfv", lambda rate, cashflows: pyxirr.nfv(rate, len(cashflows), cashflows))
_add("xnpv", "xnpv", lambda rate, cashflows, times: pyxirr.xnpv(rate, [date(2020, 1, 1) + timedelta(round(time * 365)) for time in times], cashflows), draws=MONEY | {"times": (0.1, 5)}, prepare=lambda drawn: drawn | {"times": [0.0, *(round(time * 365) / 365 for time in drawn["times"][1:])]})
_add("profitability_index", "npv", lambda rate, cashflows: pyxirr.npv(rate, [0.0, *cashflows[1:]]) / -cashflows[0], prepare=_outlay, asked="of the later flows, over the outlay")
_add("equivalent_annual_annuity", "pmt", lambda rate, cashflows: -pyxirr.pmt(rate, len(cashflows) - 1, pyxirr.npv(rate, cashflows)), prepare=_outlay, asked="of npv, less")
_add("loan_balance", "fv", lambda principal, rate, periods, payments_made: -pyxirr.fv(rate, payments_made, pyxirr.pmt(rate, periods, principal), principal), asked="with pmt, less", within=1e-9)
_add("loan_interest_part", "ipmt", lambda principal, rate, periods, payment_number: -pyxirr.ipmt(rate, payment_number, periods, principal), asked="less", within=1e-9)
_add("loan_principal_part", "ppmt", lambda principal, rate, periods, payment_number: -pyxirr.ppmt(rate, payment_number, periods, principal), asked="less", within=1e-9)


def _schedule(principal: float, rate: float, periods: int) -> dict[str, Any]:
    numbers = range(1, periods + 1)
    return {"balance": [-pyxirr.fv(rate, k, pyxirr.pmt(rate, periods, principal), principal) for k in numbers], "interest": [-pyxirr.ipmt(rate, k, periods, principal) for k in numbers], "principal": [-pyxirr.ppmt(rate, k, periods, principal) for k in numbers]}


_add("loan_schedule", "ppmt", _schedule, asked="ipmt, ppmt and fv, less", draws=MONEY | {"periods": (2, 5)}, within=1e-8, near_zero=1e-8)
_add("add_on_loan_rate", "rate", lambda principal, add_on_rate, periods: pyxirr.rate(periods, principal * (1 + add_on_rate * periods) / periods, -principal), draws={"principal": (100, 900), "add_on_rate": (0.005, 0.05), "periods": (3, 40)}, within=1e-8)
_add("declining_balance_rate", "rate", lambda cost, salvage, life: -pyxirr.rate(life, 0, -cost, salvage), draws={"cost": (500, 900), "salvage": (50, 300), "life": (3, 12)}, asked="less", within=1e-8)
_add("gordon_value", "npv", lambda next_dividend, required_return, growth: pyxirr.npv(required_return, [0.0, *(next_dividend * (1 + growth) ** k for k in range(3000))]), draws={"next_dividend": (1, 9), "required_return": (0.08, 0.15), "growth": (0, 0.04)}, asked="of 3000 dividends", within=1e-9)
_add("growing_perpetuity_present_value", "npv", lambda payment, rate, growth: pyxirr.npv(rate, [0.0, *(payment * (1 + growth) ** k for k in range(3000))]), draws={"payment": (1, 9), "rate": (0.08, 0.15), "growth": (0, 0.04)}, asked="of 3000 payments", within=1e-9)
_add("perpetuity_present_value", "pv", lambda payment, rate: -pyxirr.pv(rate, 5000, payment), draws={"payment": (1, 90), "rate": (0.02, 0.2)}, asked="of 5000 payments, less", within=1e-9)
_add("two_stage_dividend_value", "npv", lambda dividend, required_return, early_growth, years, late_growth: pyxirr.npv(required_return, [0.0, *(dividend * (1 + early_growth) ** min(k, years) * (1 + late_growth) ** max(k - years, 0) for k in range(1, 3000))]), draws={"dividend": (1, 9), "required_return": (0.08, 0.15), "early_growth": (0.05, 0.2), "late_growth": (0, 0.04), "years": (1, 8)}, asked="of 3000 dividends", within=1e-9)
