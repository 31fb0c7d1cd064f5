"""Effectiveness of equipment, by oee."""

from __future__ import annotations

from importlib.metadata import version

import oee
from oracle import OracleTable


def run(planned_time, run_time, cycle_time, total, good, all_time=None):
    """Compute the effectiveness of a run."""
    return oee.oee(
        planned_time,
        run_time=run_time,
        ideal_cycle_time=cycle_time,
        total_count=total,
        good_count=good,
        all_time=all_time,
    )


def shares(planned_time, run_time, cycle_time, total, good):
    """Make the record of a run."""
    found = run(planned_time, run_time, cycle_time, total, good)
    return {name: getattr(found, name) for name in ("availability", "performance", "quality", "oee")}


def order(arguments):
    """Let the times and counts of a run fit."""
    arguments = dict(arguments)
    arguments["good"] = min(arguments["good"], arguments["total"])
    if "run_time" in arguments:
        arguments["run_time"] = float(f"{arguments['run_time'] * arguments['planned_time']:.4g}")
        arguments["cycle_time"] = float(f"{arguments['cycle_time'] * arguments['run_time'] / arguments['total']:.4g}")
    return arguments


TABLE = OracleTable("oee", version("oee"))
TABLE.add(
    "manufacturing.equipment_effectiveness",
    "oee.oee",
    lambda planned_time, run_time, cycle_time, total, good: shares(planned_time, run_time, cycle_time, total, good),
    draws={
        "planned_time": (300.0, 1400.0),
        "run_time": (0.5, 1.0),
        "cycle_time": (0.5, 0.99),
        "total": (50, 900),
        "good": (30, 900),
    },
    prepare=lambda arguments: order(arguments),
    within=1e-11,
)
TABLE.add(
    "manufacturing.total_effective_performance",
    "oee.oee",
    lambda all_time, cycle_time, good: run(all_time, all_time, cycle_time, max(good, 1), good, all_time).teep,
    draws={"all_time": (9000.0, 12000.0), "cycle_time": (0.2, 9.0), "good": (50, 900)},
    asked="teep",
    within=1e-11,
)
TABLE.add(
    "manufacturing.takt_time",
    "oee.takt_time",
    lambda available_time, demand: oee.takt_time(available_time, demand),
    draws={"available_time": (300.0, 1400.0), "demand": (20.0, 900.0)},
    within=1e-12,
)
TABLE.add(
    "manufacturing.oee",
    "oee.oee_from_factors",
    lambda availability, performance, quality: oee.oee_from_factors(availability, performance, quality).oee,
    draws={"availability": (0.3, 1.0), "performance": (0.3, 1.0), "quality": (0.3, 1.0)},
    within=1e-12,
)
