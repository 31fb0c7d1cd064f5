"""Spatial autocorrelation."""

from __future__ import annotations

import esda
import numpy as np
import scipy.sparse
from libpysal.weights import WSP
from oracle import OracleTable


def neighbors(weights):
    """Make the weights of a matrix."""
    return WSP(scipy.sparse.csr_matrix(np.array(weights, dtype=float))).to_W(silence_warnings=True)


def clear(arguments):
    """Leave no weight of a place with itself."""
    weights = np.array(arguments["weights"])
    np.fill_diagonal(weights, 0)
    return {**arguments, "weights": weights.tolist()}


def clear_positive(arguments):
    """Leave no weight of a place with itself, and no negative value: where their sum is, esda's ratio turns the sign."""
    return clear({**arguments, "values": [abs(value) for value in arguments["values"]]})


def mirror(arguments):
    """Make the weights symmetric, none of a place with itself."""
    weights = np.triu(np.array(arguments["weights"]), 1)
    return {**arguments, "weights": (weights + weights.T).tolist()}


def judge(found, mean, variance, statistic, z, pvalue):
    """Make the record of a test."""
    values = [getattr(found, name) for name in (statistic, mean, variance, z)]
    return {**dict(zip(("statistic", "expected", "variance", "z"), values, strict=True)), "pvalue": pvalue(found)}


MORE = {"prepare": clear, "draws": {"n": (5, 7)}, "within": 1e-9, "near_zero": 1e-12}


TABLE = OracleTable("esda", esda.__version__)
TABLE.add(
    "spatial_statistics.morans_i",
    "esda.Moran",
    lambda values, weights: esda.Moran(values, neighbors(weights), transformation="O", permutations=0).I,
    **MORE,
)
TABLE.add(
    "spatial_statistics.morans_i_normal_test",
    "esda.Moran",
    lambda values, weights: judge(
        esda.Moran(values, neighbors(weights), transformation="O", permutations=0),
        "EI",
        "VI_norm",
        "I",
        "z_norm",
        lambda found: found.p_norm,
    ),
    asked="normality",
    **MORE,
)
TABLE.add(
    "spatial_statistics.morans_i_test",
    "esda.Moran",
    lambda values, weights: judge(
        esda.Moran(values, neighbors(weights), transformation="O", permutations=0),
        "EI",
        "VI_rand",
        "I",
        "z_rand",
        lambda found: found.p_rand,
    ),
    asked="randomization",
    **MORE,
)
TABLE.add(
    "spatial_statistics.gearys_c",
    "esda.Geary",
    lambda values, weights: esda.Geary(values, neighbors(weights), transformation="O", permutations=0).C,
    **MORE,
)
TABLE.add(
    "spatial_statistics.gearys_c_test",
    "esda.Geary",
    lambda values, weights: judge(
        esda.Geary(values, neighbors(weights), transformation="O", permutations=0),
        "EC",
        "VC_rand",
        "C",
        "z_rand",
        lambda found: 2 * found.p_rand,
    ),
    asked="randomization",
    **MORE,
)
TABLE.add(
    "spatial_statistics.getis_ord_general_g",
    "esda.G",
    lambda values, weights: esda.G(values, neighbors(weights), permutations=0).G,
    **MORE,
)
TABLE.add(
    "spatial_statistics.join_counts",
    "esda.Join_Counts",
    lambda colors, weights: (lambda found: {"both": found.bb, "neither": found.ww, "differ": found.bw})(
        esda.Join_Counts(np.array(colors), neighbors(weights), permutations=0)
    ),
    **MORE | {"prepare": mirror},
)
TABLE.add(
    "spatial_statistics.local_morans_i",
    "esda.Moran_Local",
    lambda values, weights: esda.Moran_Local(values, neighbors(weights), transformation="O", permutations=0).Is,
    **MORE,
)
TABLE.add(
    "spatial_statistics.local_gearys_c",
    "esda.Geary_Local",
    lambda values, weights: (
        esda.Geary_Local(connectivity=neighbors(weights), permutations=0).fit(np.array(values)).localG
    ),
    **MORE,
)
TABLE.add(
    "spatial_statistics.getis_ord_local_g_star",
    "esda.G_Local",
    lambda values, weights: (
        esda.G_Local(
            values,
            neighbors((np.array(weights) + np.eye(len(weights))).tolist()),
            transform="B",
            permutations=0,
            star=True,
        ).Zs
    ),
    **MORE | {"prepare": clear_positive},
)
TABLE.add(
    "spatial_statistics.bivariate_morans_i",
    "esda.Moran_BV",
    lambda first, second, weights: esda.Moran_BV(first, second, neighbors(weights), permutations=0).I,
    **MORE,
)
TABLE.add(
    "spatial_statistics.lees_l",
    "esda.Spatial_Pearson",
    lambda first, second, weights: (
        esda.Spatial_Pearson(connectivity=scipy.sparse.csr_matrix(np.array(weights)), permutations=0)
        .fit(np.array(first)[:, None], np.array(second)[:, None])
        .association_[0, 1]
    ),
    **MORE,
)
TABLE.add(
    "spatial_statistics.standardized_rates",
    "esda.moran.assuncao_rate",
    lambda events, population: esda.moran.assuncao_rate(np.array(events), np.array(population)),
    draws={"events": (0, 60), "population": (80, 400), "n": (3, 7)},
    within=1e-9,
    near_zero=1e-12,
)
TABLE.add(
    "spatial_statistics.rate_morans_i",
    "esda.Moran_Rate",
    lambda events, population, weights: (
        esda.Moran_Rate(
            np.array(events), np.array(population), neighbors(weights), transformation="O", permutations=0
        ).I
    ),
    **{**MORE, "draws": {"events": (0, 60), "population": (80, 400), "n": (5, 7)}},
)
TABLE.add(
    "spatial_statistics.local_bivariate_morans_i",
    "esda.Moran_Local_BV",
    lambda first, second, weights: (
        esda.Moran_Local_BV(
            np.array(first), np.array(second), neighbors(weights), transformation="O", permutations=0
        ).Is
    ),
    **MORE,
)
TABLE.add(
    "spatial_statistics.local_join_counts",
    "esda.Join_Counts_Local",
    lambda marks, weights: [
        int(count) if any(row) else 0  # esda takes a place without neighbors for its own
        for row, count in zip(
            weights,
            np.nan_to_num(
                esda.Join_Counts_Local(connectivity=neighbors(weights), permutations=0, drop_islands=False)
                .fit(np.array(marks), permutations=0)
                .LJC
            ),
            strict=True,
        )
    ],
    **MORE,
)
