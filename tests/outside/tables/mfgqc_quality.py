"""Control charts of counts, sigma levels and reliability tests of mfgqc."""

from __future__ import annotations

from importlib.metadata import version

import mfgqc
import pandas as pd
from mfgqc import control_charts, process_sigma
from mfgqc.reliability import availability, bearing_life, demonstration_test, k_of_n, mtbf, parallel, series
from oracle import OracleTable


def chart(kind, values, sizes=None):
    """Chart counts."""
    return control_charts.compute(mfgqc.load(pd.DataFrame({"x": values}), measure="x"), kind=kind, n=sizes)


def level(found):
    """Make the record of limits that are the same for each sample."""
    return {"center": found.location_cl, "lower": found.location_lcl[0], "upper": found.location_ucl[0]}


def steps(found):
    """Make the record of limits of samples that differ in size."""
    return {"center": found.location_cl, "lower": list(found.location_lcl), "upper": list(found.location_ucl)}


def bounds(found):
    """Make the record of a mean time between failures."""
    return {"mtbf": found.mtbf, "lower": found.lower, "upper": found.upper}


TABLE = OracleTable("mfgqc", version("mfgqc"))
TABLE.add(
    "quality_control.p_chart",
    "mfgqc.control_charts.compute",
    lambda counts, sizes: steps(chart("p", counts, sizes)),
    draws={"n": (4, 8), "counts": (0, 12), "sizes": (30, 200)},
    asked="p",
    within=1e-12,
)
TABLE.add(
    "quality_control.np_chart",
    "mfgqc.control_charts.compute",
    lambda counts, size: level(chart("np", counts, size)),
    draws={"n": (4, 8), "counts": (0, 12), "sizes": (30, 200), "size": (30, 200)},
    asked="np",
    within=1e-12,
)
TABLE.add(
    "quality_control.c_chart",
    "mfgqc.control_charts.compute",
    lambda counts: level(chart("c", counts)),
    draws={"n": (4, 8), "counts": (0, 12), "sizes": (30, 200)},
    asked="c",
    within=1e-12,
)
TABLE.add(
    "quality_control.u_chart",
    "mfgqc.control_charts.compute",
    lambda counts, sizes: steps(chart("u", counts, sizes)),
    draws={"n": (4, 8), "counts": (0, 12), "sizes": (0.5, 9.0)},
    asked="u",
    within=1e-12,
)
TABLE.add(
    "quality_control.defects_per_million",
    "mfgqc.process_sigma",
    lambda defects, units, opportunities: process_sigma(defects, units, opportunities, kind="defects").dpmo,
    draws={"defects": (1, 200), "units": (100, 5000), "opportunities": (1, 20)},
    asked="dpmo",
    within=1e-12,
)
TABLE.add(
    "quality_control.sigma_level",
    "mfgqc.process_sigma",
    lambda defects, units, opportunities, shift: (
        process_sigma(defects, units, opportunities, kind="defects").z_lt + shift
    ),
    draws={"defects": (1, 200), "units": (100, 5000), "opportunities": (1, 20), "shift": (0, 2)},
    asked="z_lt and the shift",
    within=1e-09,
    near_zero=1e-09,
)
TABLE.add(
    "quality_control.first_time_yield",
    "mfgqc.process_sigma",
    lambda defects, units: process_sigma(defects, units, kind="defects").fty,
    draws={"defects": (1, 200), "units": (100, 5000), "opportunities": (1, 20)},
    asked="fty",
    within=1e-12,
)
TABLE.add(
    "reliability.mtbf_interval",
    "mfgqc.reliability.mtbf",
    lambda total_time, failures, confidence: bounds(
        mtbf(total_time, failures, kind="time_terminated", conf=confidence)
    ),
    draws={"total_time": (100.0, 9000.0), "failures": (1, 20), "confidence": (0.5, 0.99)},
    asked="time_terminated",
    within=1e-09,
)
TABLE.add(
    "reliability.mtbf_interval_at_failure",
    "mfgqc.reliability.mtbf",
    lambda total_time, failures, confidence: bounds(
        mtbf(total_time, failures, kind="failure_terminated", conf=confidence)
    ),
    draws={"total_time": (100.0, 9000.0), "failures": (1, 20), "confidence": (0.5, 0.99)},
    asked="failure_terminated",
    within=1e-09,
)
TABLE.add(
    "reliability.demonstrated_reliability",
    "mfgqc.reliability.demonstration_test",
    lambda size, failures, confidence: demonstration_test(None, confidence, size, failures).reliability,
    draws={"size": (12, 200), "failures": (0, 8), "confidence": (0.5, 0.99)},
    within=1e-08,
)
TABLE.add(
    "reliability.demonstration_sample_size",
    "mfgqc.reliability.demonstration_test",
    lambda reliability, failures, confidence: demonstration_test(reliability, confidence, None, failures).n,
    draws={"reliability": (0.8, 0.99), "failures": (0, 5), "confidence": (0.5, 0.97)},
    within=1e-12,
)
TABLE.add(
    "reliability.operational_availability",
    "mfgqc.reliability.availability",
    lambda mtbf, mttr, delay: availability(mtbf, mttr, "operational", logistics_delay=delay).availability,
    draws={"mtbf": (10.0, 900.0), "mttr": (0.5, 20.0), "delay": (0.0, 50.0)},
    asked="operational",
    within=1e-12,
)
TABLE.add(
    "reliability.series_reliability",
    "mfgqc.reliability.series",
    lambda reliabilities: series(reliabilities).reliability,
    draws={"reliabilities": (0.5, 1.0)},
    within=1e-12,
)
TABLE.add(
    "reliability.parallel_reliability",
    "mfgqc.reliability.parallel",
    lambda reliabilities: parallel(reliabilities).reliability,
    draws={"reliabilities": (0.2, 0.95)},
    within=1e-12,
)
TABLE.add(
    "reliability.k_out_of_n_reliability",
    "mfgqc.reliability.k_of_n",
    lambda parts, needed, reliability: k_of_n(needed, parts, reliability).reliability,
    draws={"parts": (1, 12), "needed": (1, 12), "reliability": (0.3, 1.0)},
    within=1e-10,
    near_zero=1e-14,
)
TABLE.add(
    "reliability.steady_availability",
    "mfgqc.reliability.availability",
    lambda mtbf, mttr: availability(mtbf, mttr).availability,
    draws={"mtbf": (1.0, 900.0), "mttr": (0.1, 50.0)},
    within=1e-12,
)
TABLE.add(
    "reliability.success_run_samples",
    "mfgqc.reliability.demonstration_test",
    lambda reliability, confidence: demonstration_test(reliability, confidence, None).n,
    draws={"reliability": (0.7, 0.99), "confidence": (0.5, 0.99)},
    within=1e-12,
)
TABLE.add(
    "machine_design.bearing_rating_life",
    "mfgqc.reliability.bearing_life",
    lambda dynamic_rating, load, exponent: (
        1e6 * bearing_life(dynamic_rating, load, 1.0, "ball" if exponent == 3 else "roller").L10_revs_million
    ),
    draws={"dynamic_rating": (20000.0, 90000.0), "load": (1000.0, 20000.0), "exponent": [3.0, 3.3333333333333335, 3.0]},
    asked="L10_revs_million",
    within=1e-12,
)
