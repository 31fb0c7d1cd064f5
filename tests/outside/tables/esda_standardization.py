"""Rates that are standardized by age."""

from __future__ import annotations

import esda
import numpy as np
from esda import smoothing
from oracle import OracleTable


def direct(events, population, standard, confidence):
    """Make the record of a directly standardized rate."""
    arrays = [np.array(each, dtype=float) for each in (events, population, standard)]
    found = smoothing.direct_age_standardization(*arrays, 1, alpha=1 - confidence)[0]
    return dict(zip(("rate", "lower", "upper"), map(float, found), strict=True))


def spread(events, population):
    """Put all events into one group; only their sum counts."""
    return np.array([float(events)] + [0.0] * (len(population) - 1))


def indirect(events, population, standard_events, standard_population, confidence):
    """Make the record of an indirectly standardized rate."""
    arrays = [np.array(each, dtype=float) for each in (population, standard_events, standard_population)]
    found = smoothing.indirect_age_standardization(spread(events, population), *arrays, 1, alpha=1 - confidence)[0]
    return dict(zip(("rate", "lower", "upper"), map(float, found), strict=True))


def ratio(events, population, standard_rates):
    """Return a standardized mortality ratio."""
    sizes = np.full(len(population), 1e6)
    rates = np.array(standard_rates) * sizes
    return float(
        smoothing.standardized_mortality_ratio(spread(events, population), np.array(population), rates, sizes, 1)[0]
    )


TABLE = OracleTable("esda", esda.__version__)
TABLE.add(
    "epidemiology.age_standardized_rate",
    "esda.smoothing.direct_age_standardization",
    lambda events, population, standard, confidence: direct(events, population, standard, confidence),
    draws={
        "n": (4, 6),
        "events": (1, 60),
        "population": (500.0, 9000.0),
        "standard": (100.0, 900.0),
        "confidence": (0.8, 0.99),
    },
    within=1e-08,
)
TABLE.add(
    "epidemiology.standardized_mortality_ratio",
    "esda.smoothing.standardized_mortality_ratio",
    lambda events, population, standard_rates: ratio(events, population, standard_rates),
    draws={
        "n": (4, 6),
        "events": (1, 60),
        "population": (500.0, 9000.0),
        "standard": (100.0, 900.0),
        "confidence": (0.8, 0.99),
        "standard_rates": (0.001, 0.02),
    },
    within=1e-11,
)
TABLE.add(
    "epidemiology.indirectly_standardized_rate",
    "esda.smoothing.indirect_age_standardization",
    lambda events, population, standard_events, standard_population, confidence: indirect(
        events, population, standard_events, standard_population, confidence
    ),
    draws={
        "n": (4, 6),
        "events": (1, 60),
        "population": (500.0, 9000.0),
        "standard": (100.0, 900.0),
        "confidence": (0.8, 0.99),
        "standard_events": (20.0, 400.0),
        "standard_population": (5000.0, 90000.0),
    },
    within=1e-09,
)
