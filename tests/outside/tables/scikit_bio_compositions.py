"""Compositions."""

from __future__ import annotations

import skbio
from oracle import OracleTable
from skbio.stats import composition

TABLE = OracleTable("scikit-bio", skbio.__version__)
TABLE.add(
    "compositional_data.perturbed_composition",
    "skbio.stats.composition.perturb",
    lambda first, second: composition.perturb(composition.closure(first), composition.closure(second)),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.perturbation_difference",
    "skbio.stats.composition.perturb_inv",
    lambda first, second: composition.perturb_inv(composition.closure(first), composition.closure(second)),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.powered_composition",
    "skbio.stats.composition.power",
    lambda parts, exponent: composition.power(composition.closure(parts), exponent),
    within=1e-11,
    near_zero=1e-13,
    draws={"exponent": (-2.0, 3.0)},
)
TABLE.add(
    "compositional_data.centered_log_ratio",
    "skbio.stats.composition.clr",
    lambda parts: composition.clr(parts),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.additive_log_ratio",
    "skbio.stats.composition.alr",
    lambda parts: composition.alr(parts),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.isometric_log_ratio",
    "skbio.stats.composition.ilr",
    lambda parts: composition.ilr(parts),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.aitchison_inner_product",
    "skbio.stats.composition.inner",
    lambda first, second: composition.inner(composition.closure(first), composition.closure(second)).item(),
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "compositional_data.log_ratio_variance",
    "skbio.stats.composition.vlr",
    lambda first, second: float(composition.vlr(first, second)),
    within=1e-11,
    near_zero=1e-13,
)
