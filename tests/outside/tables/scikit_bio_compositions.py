"""Compositions."""

from __future__ import annotations

import numpy as np
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


def _balance(upper, lower):
    """The first coordinate of the basis of one partition."""
    signs = np.array([[1] * len(upper) + [-1] * len(lower)])
    return composition.ilr(np.array([*upper, *lower]), basis=composition.sbp_basis(signs), validate=False).item()


for name, function, compute in (
    ("closure", "closure", composition.closure),
    ("inverse_additive_log_ratio", "alr_inv", composition.alr_inv),
    ("inverse_centered_log_ratio", "clr_inv", lambda ratios: composition.clr_inv(ratios, validate=False)),
    ("inverse_isometric_log_ratio", "ilr_inv", composition.ilr_inv),
    ("group_balance", "ilr", _balance),
    ("centralized_compositions", "centralize", composition.centralize),
):
    TABLE.add(
        f"compositional_data.{name}",
        f"skbio.stats.composition.{function}",
        lambda *parts, compute=compute, **named: compute(*(np.array(v) for v in (*parts, *named.values()))),
        within=1e-11,
        near_zero=1e-13,
        draws={"ratios": (-3.0, 3.0)},
    )
TABLE.add(
    "compositional_data.multiplicative_replacement",
    "skbio.stats.composition.multi_replace",
    lambda parts, share: composition.multi_replace(np.array(parts), delta=share),
    within=1e-11,
    draws={"share": (1e-4, 0.05)},
)
TABLE.add(
    "compositional_data.variation_matrix",
    "skbio.stats.composition.pairwise_vlr",
    lambda samples: composition.pairwise_vlr(np.array(samples), validate=False).redundant_form(),
    within=1e-9,
    near_zero=1e-11,
)
