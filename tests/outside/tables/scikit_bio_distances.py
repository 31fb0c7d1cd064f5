"""Distances of sequences."""

from __future__ import annotations

import numpy as np
import skbio
from oracle import OracleTable
from skbio import DNA
from skbio.sequence import distance

SITES = 10_000


def align(purine_transitions=0.0, pyrimidine_transitions=0.0, transversions=0.0):
    """Make two aligned sequences that differ at these shares of their sites."""
    kinds = [(purine_transitions, "A", "G"), (pyrimidine_transitions, "C", "T"), (transversions, "A", "C")]
    counts = [round(share * SITES) for share, _, _ in kinds]
    rest = "A" * (SITES - sum(counts))
    return [DNA("".join(kind[at] * n for n, kind in zip(counts, kinds, strict=True)) + rest) for at in (1, 2)]


def share(frequencies):
    """Make shares of base counts."""
    return np.array(frequencies) / np.sum(frequencies)


TABLE = OracleTable("scikit-bio", skbio.__version__)
TABLE.add(
    "molecular_evolution.jukes_cantor_distance",
    "skbio.sequence.distance.jc69",
    lambda differing: distance.jc69(*align(purine_transitions=differing)),
    draws={"differing": (0.01, 0.6)},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "molecular_evolution.jukes_cantor_gamma_distance",
    "skbio.sequence.distance.jc69",
    lambda differing, shape: distance.jc69(*align(purine_transitions=differing), gamma=shape),
    draws={"differing": (0.01, 0.6), "shape": (0.3, 4.0)},
    within=1e-11,
    near_zero=1e-14,
    asked="gamma",
)
TABLE.add(
    "molecular_evolution.jukes_cantor_states_distance",
    "skbio.sequence.distance.jc69_correct",
    lambda differing, states: distance.jc69_correct(np.array([differing]), chars=states)[0],
    draws={"differing": (0.01, 0.45)},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "molecular_evolution.kimura_distance",
    "skbio.sequence.distance.k2p",
    lambda transitions, transversions: distance.k2p(*align(transitions, 0.0, transversions)),
    draws={"transitions": (0.01, 0.25), "transversions": (0.01, 0.3)},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "molecular_evolution.kimura_gamma_distance",
    "skbio.sequence.distance.k2p",
    lambda transitions, transversions, shape: distance.k2p(*align(transitions, 0.0, transversions), gamma=shape),
    draws={"transitions": (0.01, 0.25), "transversions": (0.01, 0.3), "shape": (0.3, 4.0)},
    within=1e-11,
    near_zero=1e-14,
    asked="gamma",
)
TABLE.add(
    "molecular_evolution.felsenstein_1981_distance",
    "skbio.sequence.distance.f81",
    lambda differing, frequencies: distance.f81(*align(purine_transitions=differing), freqs=share(frequencies)),
    draws={"differing": (0.01, 0.5), "n": (4, 4), "frequencies": (0.5, 2.0)},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "molecular_evolution.felsenstein_1981_gamma_distance",
    "skbio.sequence.distance.f81",
    lambda differing, frequencies, shape: distance.f81(
        *align(purine_transitions=differing), freqs=share(frequencies), gamma=shape
    ),
    draws={"differing": (0.01, 0.5), "shape": (0.3, 4.0), "n": (4, 4), "frequencies": (0.5, 2.0)},
    within=1e-11,
    near_zero=1e-14,
    asked="gamma",
)
TABLE.add(
    "molecular_evolution.felsenstein_1984_distance",
    "skbio.sequence.distance.f84",
    lambda transitions, transversions, frequencies: distance.f84(
        *align(transitions, 0.0, transversions), freqs=share(frequencies)
    ),
    draws={"transitions": (0.01, 0.2), "transversions": (0.01, 0.25), "n": (4, 4), "frequencies": (0.5, 2.0)},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "molecular_evolution.tamura_nei_distance",
    "skbio.sequence.distance.tn93",
    lambda purine_transitions, pyrimidine_transitions, transversions, frequencies: distance.tn93(
        *align(purine_transitions, pyrimidine_transitions, transversions), freqs=share(frequencies)
    ),
    draws={
        "purine_transitions": (0.01, 0.1),
        "pyrimidine_transitions": (0.01, 0.1),
        "transversions": (0.01, 0.2),
        "n": (4, 4),
        "frequencies": (0.5, 2.0),
    },
    within=1e-11,
    near_zero=1e-14,
)
