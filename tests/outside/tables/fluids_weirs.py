"""Weirs and channels, by fluids."""

from __future__ import annotations

import fluids
from fluids import open_flow
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "hydraulics.rehbock_weir_flow",
    "fluids.open_flow.Q_weir_rectangular_full_Rehbock",
    lambda head, crest_height, width: open_flow.Q_weir_rectangular_full_Rehbock(head, crest_height, width),
    draws={"head": [0.03, 0.7], "crest_height": [0.3, 1.5], "width": [0.3, 3.0]},
)
TABLE.add(
    "hydraulics.ackers_weir_flow",
    "fluids.open_flow.Q_weir_rectangular_full_Ackers",
    lambda head, crest_height, width: open_flow.Q_weir_rectangular_full_Ackers(head, crest_height, width),
    draws={"head": [0.03, 0.7], "crest_height": [0.3, 1.5], "width": [0.3, 3.0]},
)
TABLE.add(
    "hydraulics.chezy_of_manning",
    "fluids.open_flow.n_Manning_to_C_Chezy",
    lambda roughness, hydraulic_radius: open_flow.n_Manning_to_C_Chezy(roughness, hydraulic_radius),
    draws={"roughness": [0.01, 0.05], "hydraulic_radius": [0.1, 3.0]},
)
