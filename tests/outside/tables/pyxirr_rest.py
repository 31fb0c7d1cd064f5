"""Periods and discounted sums of pyxirr."""

# fmt: off
from __future__ import annotations

import math
from datetime import date, timedelta
from importlib.metadata import version

import pyxirr
from oracle import OracleTable

TABLE = OracleTable("pyxirr", version("pyxirr"))
TABLE.add("finance.doubling_time", "pyxirr.nper", lambda rate: pyxirr.nper(rate, 0, -1, 2), draws={"rate": (0.005, 0.5)}, within=1e-10)
TABLE.add("finance.present_value_continuous", "pyxirr.xnpv", lambda rate, cashflows, times: pyxirr.xnpv(math.expm1(rate), [date(2020, 1, 1) + timedelta(round(time * 365)) for time in times], cashflows), draws={"rate": (0.01, 0.2), "times": (0.1, 5), "n": (3, 5)}, prepare=lambda drawn: drawn | {"times": [0.0, *(round(time * 365) / 365 for time in drawn["times"][1:])]}, within=1e-10, near_zero=1e-12, asked="at expm1 of the rate")
TABLE.add("ml.discounted_return", "pyxirr.npv", lambda rewards, discount: pyxirr.npv(1 / discount - 1, rewards), draws={"discount": (0.3, 0.99), "n": (2, 6)}, within=1e-10, near_zero=1e-13, asked="at 1 / discount - 1")
TABLE.add("finance.loan_payment", "pyxirr.pmt", lambda principal, rate, periods: pyxirr.pmt(rate, periods, -principal), draws={"principal": (100, 9e5), "rate": (0.001, 0.1), "periods": (1, 400)}, within=1e-10)
