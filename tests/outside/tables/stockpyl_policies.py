"""Lot sizes and stocking policies of stockpyl."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from stockpyl import eoq, loss_functions, newsvendor, rq, ss, supply_uncertainty, wagner_whitin


def backorders(demand, order_cost, holding_cost, backorder_cost):
    """Make the record of a lot with planned backorders."""
    found = eoq.economic_order_quantity_with_backorders(order_cost, holding_cost, backorder_cost, demand)
    return dict(zip(("quantity", "backorder_share", "cost"), found, strict=True))


def plan(demands, order_cost, holding_cost):
    """Make the record of a plan of lots."""
    found = wagner_whitin.wagner_whitin(len(demands), holding_cost, order_cost, demands)
    return {"quantities": found[0][1:], "cost": found[1]}


def power(mean, deviation, order_cost, holding_cost, shortage_cost):
    """Make the record of an (s, S) policy."""
    found = ss.s_s_power_approximation(holding_cost, shortage_cost, order_cost, mean, deviation)
    return {"reorder_point": found[0], "order_up_to": found[1]}


TABLE = OracleTable("stockpyl", version("stockpyl"))
TABLE.add(
    "logistics.backorder_order_quantity",
    "stockpyl.eoq.economic_order_quantity_with_backorders",
    lambda demand, order_cost, holding_cost, backorder_cost: backorders(
        demand, order_cost, holding_cost, backorder_cost
    ),
    draws={
        "demand": (100, 900),
        "order_cost": (5, 90),
        "holding_cost": (0.5, 9),
        "backorder_cost": (1, 30),
        "yield_mean": (5, 40),
        "yield_deviation": (1, 10),
    },
    within=1e-12,
)
TABLE.add(
    "logistics.additive_yield_order_quantity",
    "stockpyl.supply_uncertainty.eoq_with_additive_yield_uncertainty",
    lambda demand, order_cost, holding_cost, yield_mean, yield_deviation: (
        supply_uncertainty.eoq_with_additive_yield_uncertainty(
            order_cost, holding_cost, demand, yield_mean, yield_deviation
        )[0]
    ),
    draws={
        "demand": (100, 900),
        "order_cost": (5, 90),
        "holding_cost": (0.5, 9),
        "backorder_cost": (1, 30),
        "yield_mean": (5, 40),
        "yield_deviation": (1, 10),
    },
    within=1e-12,
)
TABLE.add(
    "logistics.multiplicative_yield_order_quantity",
    "stockpyl.supply_uncertainty.eoq_with_multiplicative_yield_uncertainty",
    lambda demand, order_cost, holding_cost, yield_mean, yield_deviation: (
        supply_uncertainty.eoq_with_multiplicative_yield_uncertainty(
            order_cost, holding_cost, demand, yield_mean, yield_deviation
        )[0]
    ),
    draws={
        "demand": (100, 900),
        "order_cost": (5, 90),
        "holding_cost": (0.5, 9),
        "backorder_cost": (1, 30),
        "yield_mean": (0.5, 1.0),
        "yield_deviation": (0.0, 0.3),
    },
    within=1e-12,
)
TABLE.add(
    "logistics.disruption_order_quantity",
    "stockpyl.supply_uncertainty.eoq_with_disruptions",
    lambda demand, order_cost, holding_cost, shortage_cost, disruption_rate, recovery_rate: (
        supply_uncertainty.eoq_with_disruptions(
            order_cost, holding_cost, shortage_cost, demand, disruption_rate, recovery_rate, approximate=True
        )[0]
    ),
    draws={
        "demand": (100, 900),
        "order_cost": (5, 90),
        "holding_cost": (0.5, 9),
        "backorder_cost": (1, 30),
        "yield_mean": (5, 40),
        "yield_deviation": (1, 10),
        "shortage_cost": (1, 40),
        "disruption_rate": (0.2, 3),
        "recovery_rate": (4, 30),
    },
    asked="approximate",
    within=1e-12,
)
TABLE.add(
    "logistics.newsvendor_cost",
    "stockpyl.newsvendor.newsvendor_normal_cost",
    lambda level, mean, deviation, holding_cost, shortage_cost: newsvendor.newsvendor_normal_cost(
        level, holding_cost, shortage_cost, mean, deviation
    ),
    draws={
        "mean": (20, 80),
        "deviation": (2, 15),
        "holding_cost": (0.2, 5),
        "shortage_cost": (1, 20),
        "level": (10, 100),
        "lead_time": (0, 6),
    },
    within=1e-09,
    near_zero=1e-09,
)
TABLE.add(
    "logistics.newsvendor_profit",
    "stockpyl.newsvendor.newsvendor_normal_explicit",
    lambda mean, deviation, price, cost, salvage: newsvendor.newsvendor_normal_explicit(
        price, cost, salvage, mean, deviation
    )[1],
    draws={
        "mean": (20, 80),
        "deviation": (2, 15),
        "holding_cost": (0.2, 5),
        "shortage_cost": (1, 20),
        "level": (10, 100),
        "lead_time": (0, 6),
        "price": (10, 20),
        "cost": (4, 9),
        "salvage": (0, 3),
    },
    within=1e-09,
)
TABLE.add(
    "logistics.base_stock_level",
    "stockpyl.newsvendor.newsvendor_normal",
    lambda mean, deviation, lead_time, holding_cost, shortage_cost: newsvendor.newsvendor_normal(
        holding_cost, shortage_cost, mean, deviation, lead_time=lead_time
    )[0],
    draws={
        "mean": (20, 80),
        "deviation": (2, 15),
        "holding_cost": (0.2, 5),
        "shortage_cost": (1, 20),
        "level": (10, 100),
        "lead_time": (0, 6),
    },
    within=1e-10,
)
TABLE.add(
    "logistics.poisson_newsvendor_quantity",
    "stockpyl.newsvendor.newsvendor_poisson",
    lambda mean, holding_cost, shortage_cost: int(newsvendor.newsvendor_poisson(holding_cost, shortage_cost, mean)[0]),
    draws={
        "mean": (20, 80),
        "deviation": (2, 15),
        "holding_cost": (0.2, 5),
        "shortage_cost": (1, 20),
        "level": (10, 100),
        "lead_time": (0, 6),
    },
    within=1e-12,
)
TABLE.add(
    "logistics.poisson_expected_shortage",
    "stockpyl.loss_functions.poisson_loss",
    lambda level, mean: loss_functions.poisson_loss(level, mean)[0],
    draws={"level": (0, 60), "mean": (5, 50)},
    within=1e-08,
    near_zero=1e-10,
)
TABLE.add(
    "logistics.lognormal_expected_shortage",
    "stockpyl.loss_functions.lognormal_loss",
    lambda level, log_mean, log_deviation: loss_functions.lognormal_loss(level, log_mean, log_deviation)[0],
    draws={"level": (5, 40), "log_mean": (3, 4), "log_deviation": (0.3, 1)},
    within=1e-08,
    near_zero=1e-10,
)
TABLE.add(
    "logistics.gamma_expected_shortage",
    "stockpyl.loss_functions.gamma_loss",
    lambda level, shape, scale: loss_functions.gamma_loss(level, shape, scale)[0],
    draws={"level": (10, 80), "shape": (2, 9), "scale": (3, 9)},
    within=1e-08,
    near_zero=1e-10,
)
TABLE.add(
    "logistics.unit_normal_second_loss",
    "stockpyl.loss_functions.standard_normal_second_loss",
    lambda k: loss_functions.standard_normal_second_loss(k)[0],
    draws={"k": (-3, 4)},
    within=1e-08,
    near_zero=1e-12,
)
TABLE.add(
    "logistics.reorder_policy_cost",
    "stockpyl.rq.r_q_cost",
    lambda reorder_point, quantity, demand, demand_deviation, lead_time, order_cost, holding_cost, backorder_cost: (
        rq.r_q_cost(
            reorder_point, quantity, holding_cost, backorder_cost, order_cost, demand, demand_deviation, lead_time
        )
    ),
    draws={
        "reorder_point": (5, 60),
        "quantity": (20, 200),
        "demand": (100, 900),
        "demand_deviation": (20, 90),
        "lead_time": (0.02, 0.2),
        "order_cost": (5, 90),
        "holding_cost": (0.5, 9),
        "backorder_cost": (1, 40),
    },
    within=1e-07,
)
TABLE.add(
    "logistics.power_approximation_policy",
    "stockpyl.ss.s_s_power_approximation",
    lambda mean, deviation, order_cost, holding_cost, shortage_cost: power(
        mean, deviation, order_cost, holding_cost, shortage_cost
    ),
    draws={
        "mean": (20, 80),
        "deviation": (2, 15),
        "holding_cost": (0.2, 5),
        "shortage_cost": (1, 20),
        "level": (10, 100),
        "lead_time": (0, 6),
        "order_cost": (20, 200),
    },
    within=1e-11,
)
TABLE.add(
    "logistics.wagner_whitin",
    "stockpyl.wagner_whitin.wagner_whitin",
    lambda demands, order_cost, holding_cost: plan(demands, order_cost, holding_cost),
    draws={"n": (4, 8), "demands": (5.0, 200.0), "order_cost": (50, 600), "holding_cost": (0.2, 4)},
    within=1e-12,
)
