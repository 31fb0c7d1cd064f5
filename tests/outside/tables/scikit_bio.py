"""Diversity of communities of scikit-bio."""

# fmt: off
from __future__ import annotations

import skbio
from oracle import OracleTable
from skbio.diversity import alpha

TABLE = OracleTable("scikit-bio", skbio.__version__)
COUNTS = {"counts": (1, 30), "n": (3, 7), "order": [0.5, 2.0, 3.0]}
TABLE.add("ecology.simpson_diversity", "skbio.diversity.alpha.simpson", lambda counts: alpha.simpson([int(each) for each in counts], finite=True), draws=COUNTS, prepare=lambda drawn: {"counts": [float(int(each)) for each in drawn["counts"]]}, within=1e-11, asked="finite")
TABLE.add("ecology.chao1_richness", "skbio.diversity.alpha.chao1", lambda observed, singletons, doubletons: alpha.chao1([1] * int(singletons) + [2] * int(doubletons) + [5] * int(observed - singletons - doubletons)), draws={"observed": [20, 25, 31, 40], "singletons": [0, 3, 7, 9], "doubletons": [1, 2, 4, 6]}, within=1e-11)
TABLE.add("information_theory.good_turing_coverage", "skbio.diversity.alpha.goods_coverage", lambda counts: alpha.goods_coverage(counts), draws={"counts": (1, 5), "n": (3, 8)}, within=1e-11, near_zero=1e-15)
TABLE.add("portfolio.herfindahl_index", "skbio.diversity.alpha.dominance", lambda weights: alpha.dominance([round(each * 10_000) for each in weights]), draws={"n": (2, 6)}, prepare=lambda drawn: {"weights": [round((0.1 + abs(each)) / sum(0.1 + abs(one) for one in drawn["weights"]), 4) for each in drawn["weights"][:-1]] + [round(1 - sum(round((0.1 + abs(each)) / sum(0.1 + abs(one) for one in drawn["weights"]), 4) for each in drawn["weights"][:-1]), 4)]}, within=1e-10)
TABLE.add("cryptography.index_of_coincidence", "skbio.diversity.alpha.simpson_d", lambda counts: alpha.simpson_d(counts, finite=True), draws={"counts": (1, 40), "n": (3, 8)}, within=1e-10, asked="finite")
