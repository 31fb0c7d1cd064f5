"""Uncertainty of measurements, by the GUM Tree Calculator."""

from __future__ import annotations

from importlib.metadata import version

import GTC
import numpy as np
from oracle import OracleTable


def total(uncertainties, sensitivities, freedoms=None):
    """Return the sum of quantities that are 0, each with its uncertainty."""
    freedoms = freedoms or [float("inf")] * len(uncertainties)
    parts = [GTC.ureal(0.0, u, df) for u, df in zip(uncertainties, freedoms, strict=True)]
    return sum(c * part for c, part in zip(sensitivities, parts, strict=True))


def correlated(uncertainties, sensitivities, correlations):
    """Return the uncertainty of a sum of quantities that are correlated."""
    parts = [GTC.ureal(0.0, u, independent=False) for u in uncertainties]
    for i, one in enumerate(parts):
        for j in range(i):
            GTC.set_correlation(correlations[i][j], one, parts[j])
    return GTC.uncertainty(sum(c * part for c, part in zip(sensitivities, parts, strict=True)))


def correlate(arguments):
    """Make the correlations those of drawn vectors."""
    drawn = np.array(arguments["correlations"])
    lengths = np.sqrt((drawn**2).sum(axis=1))
    matrix = np.round(drawn @ drawn.T / np.outer(lengths, lengths) * 0.9, 3)
    np.fill_diagonal(matrix, 1.0)
    return {**arguments, "correlations": matrix.tolist()}


def power(relative_uncertainties, exponents):
    """Return the relative uncertainty of a product of powers."""
    found = GTC.ureal(1.0, 0.0)
    for u, exponent in zip(relative_uncertainties, exponents, strict=True):
        found = found * GTC.ureal(1.0, u) ** exponent
    return GTC.uncertainty(found)


def line(levels, responses):
    """Make the record of a line of calibration."""
    intercept, slope = GTC.type_a.line_fit(levels, responses).a_b
    return {
        "intercept": intercept.x,
        "slope": slope.x,
        "intercept_uncertainty": intercept.u,
        "slope_uncertainty": slope.u,
        "correlation": GTC.get_correlation(intercept, slope),
    }


def read_back(levels, responses, readings):
    """Make the record of a value that is read from a line of calibration."""
    found = GTC.type_a.line_fit(levels, responses).x_from_y(readings)
    return {"value": found.x, "uncertainty": found.u}


TABLE = OracleTable("GTC", version("GTC"))
TABLE.add(
    "metrology.uniform_uncertainty",
    "GTC.type_b.uniform",
    lambda half_width: GTC.type_b.uniform(half_width),
    draws={"half_width": (0.01, 50.0)},
    within=1e-12,
)
TABLE.add(
    "metrology.triangular_uncertainty",
    "GTC.type_b.triangular",
    lambda half_width: GTC.type_b.triangular(half_width),
    draws={"half_width": (0.01, 50.0)},
    within=1e-12,
)
TABLE.add(
    "metrology.arcsine_uncertainty",
    "GTC.type_b.arcsine",
    lambda half_width: GTC.type_b.arcsine(half_width),
    draws={"half_width": (0.01, 50.0)},
    within=1e-12,
)
TABLE.add(
    "metrology.combined_uncertainty",
    "GTC.uncertainty",
    lambda uncertainties, sensitivities: GTC.uncertainty(total(uncertainties, sensitivities)),
    draws={"n": (3, 5), "uncertainties": (0.01, 3.0), "sensitivities": (-4.0, 4.0)},
    within=1e-12,
)
TABLE.add(
    "metrology.combined_uncertainty_correlated",
    "GTC.uncertainty",
    lambda uncertainties, sensitivities, correlations: correlated(uncertainties, sensitivities, correlations),
    draws={"n": (3, 5), "uncertainties": (0.01, 3.0), "sensitivities": (-4.0, 4.0), "correlations": (-1.0, 1.0)},
    prepare=lambda arguments: correlate(arguments),
    within=1e-10,
)
TABLE.add(
    "metrology.product_relative_uncertainty",
    "GTC.uncertainty",
    lambda relative_uncertainties, exponents: power(relative_uncertainties, exponents),
    draws={"n": (3, 5), "relative_uncertainties": (0.001, 0.2), "exponents": (-3.0, 3.0)},
    within=1e-12,
)
TABLE.add(
    "metrology.effective_degrees_of_freedom",
    "GTC.dof",
    lambda contributions, degrees_of_freedom: GTC.dof(
        total(contributions, [1.0] * len(contributions), degrees_of_freedom)
    ),
    draws={"n": (3, 5), "contributions": (0.01, 3.0), "degrees_of_freedom": (1, 40)},
    within=1e-10,
)
TABLE.add(
    "metrology.coverage_factor",
    "GTC.reporting.k_factor",
    lambda degrees_of_freedom, probability: GTC.reporting.k_factor(degrees_of_freedom, 100 * probability),
    draws={"degrees_of_freedom": (1, 60), "probability": (0.5, 0.997)},
    within=1e-09,
)
TABLE.add(
    "metrology.calibration_line",
    "GTC.type_a.line_fit",
    lambda levels, responses: line(levels, responses),
    draws={"n": (5, 7), "levels": (0.0, 10.0), "responses": (0.0, 20.0)},
    within=1e-10,
)
TABLE.add(
    "metrology.calibrated_value",
    "GTC.type_a.LineFitOLS.x_from_y",
    lambda levels, responses, readings: read_back(levels, responses, readings),
    draws={"n": (5, 7), "m": (1, 3), "levels": (0.0, 10.0), "responses": (0.0, 20.0), "readings": (5.0, 15.0)},
    within=1e-08,
)
