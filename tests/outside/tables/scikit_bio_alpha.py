"""Diversity within a community, from counts."""

from __future__ import annotations

import skbio
from oracle import OracleTable
from skbio.diversity import alpha

TABLE = OracleTable("scikit-bio", skbio.__version__)
TABLE.add("biodiversity.berger_parker_dominance", "skbio.diversity.alpha.berger_parker_d", alpha.berger_parker_d)
TABLE.add("biodiversity.brillouin_diversity", "skbio.diversity.alpha.brillouin_d", alpha.brillouin_d)
TABLE.add("biodiversity.simpson_dominance", "skbio.diversity.alpha.dominance", alpha.dominance)
TABLE.add("biodiversity.inverse_simpson_diversity", "skbio.diversity.alpha.inv_simpson", alpha.inv_simpson)
TABLE.add("biodiversity.simpson_evenness", "skbio.diversity.alpha.simpson_e", alpha.simpson_e)
TABLE.add("biodiversity.pielou_evenness", "skbio.diversity.alpha.pielou_e", alpha.pielou_e)
TABLE.add("biodiversity.heip_evenness", "skbio.diversity.alpha.heip_e", alpha.heip_e)
TABLE.add("biodiversity.margalef_richness", "skbio.diversity.alpha.margalef", alpha.margalef)
TABLE.add("biodiversity.menhinick_richness", "skbio.diversity.alpha.menhinick", alpha.menhinick)
TABLE.add("biodiversity.mcintosh_diversity", "skbio.diversity.alpha.mcintosh_d", alpha.mcintosh_d)
TABLE.add("biodiversity.mcintosh_evenness", "skbio.diversity.alpha.mcintosh_e", alpha.mcintosh_e)
TABLE.add("biodiversity.goods_coverage", "skbio.diversity.alpha.goods_coverage", alpha.goods_coverage)
TABLE.add(
    "biodiversity.esty_unseen_interval",
    "skbio.diversity.alpha.esty_ci",
    lambda counts: dict(zip(("low", "high"), alpha.esty_ci(counts), strict=True)),
    within=1e-08,
    near_zero=1e-09,
)
TABLE.add("biodiversity.fisher_alpha", "skbio.diversity.alpha.fisher_alpha", alpha.fisher_alpha, within=1e-06)
TABLE.add("biodiversity.strong_dominance", "skbio.diversity.alpha.strong", alpha.strong, near_zero=1e-15)
TABLE.add("biodiversity.ace_richness", "skbio.diversity.alpha.ace", alpha.ace, draws={"n": (4, 12), "counts": (0, 25)})
