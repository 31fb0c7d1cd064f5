"""Inventories of stockpyl."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from stockpyl import eoq, loss_functions, newsvendor

TABLE = OracleTable("stockpyl", version("stockpyl"))


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"logistics.{capability}", f"stockpyl.{function}", compute, **{"within": 1e-9, "draws": {"demand": (100, 900), "order_cost": (5, 90), "holding_cost": (0.5, 9), "production": (1000, 5000), "quantity": (10, 200), "mean": (50, 200), "deviation": (3, 30), "underage": (1, 20), "overage": (1, 20), "k": (-2, 3)}, **more})


_add("economic_order_quantity", "eoq.economic_order_quantity", lambda demand, order_cost, holding_cost: eoq.economic_order_quantity(order_cost, holding_cost, demand)[0])
_add("yearly_lot_cost", "eoq.economic_order_quantity", lambda demand, order_cost, holding_cost, quantity: eoq.economic_order_quantity(order_cost, holding_cost, demand, quantity)[1], asked="cost")
_add("production_quantity", "eoq.economic_production_quantity", lambda demand, order_cost, holding_cost, production: eoq.economic_production_quantity(order_cost, holding_cost, demand, production)[0])
_add("newsvendor_quantity", "newsvendor.newsvendor_normal", lambda mean, deviation, underage, overage: newsvendor.newsvendor_normal(overage, underage, mean, deviation)[0])
_add("unit_normal_loss", "loss_functions.standard_normal_loss", lambda k: loss_functions.standard_normal_loss(k)[0])
TABLE.add("insurance.normal_stop_loss", "stockpyl.loss_functions.normal_loss", lambda mean, deviation, retention: loss_functions.normal_loss(retention, mean, deviation)[0], within=1e-8, draws={"mean": (50, 200), "deviation": (5, 50), "retention": (50, 220)}, near_zero=1e-9)
