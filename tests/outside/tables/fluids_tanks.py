"""Tanks and vessels, by fluids."""

from __future__ import annotations

import fluids
from fluids import geometry
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "tanks.horizontal_cylinder_volume",
    "fluids.geometry.V_horiz_ellipsoidal",
    lambda diameter, length, height: geometry.V_horiz_ellipsoidal(diameter, length, 0.0, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "height": [0.1, 1.5]},
)
TABLE.add(
    "tanks.horizontal_conical_volume",
    "fluids.geometry.V_horiz_conical",
    lambda diameter, length, head_depth, height: geometry.V_horiz_conical(diameter, length, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "head_depth": [0.2, 0.7], "height": [0.1, 1.5]},
)
TABLE.add(
    "tanks.horizontal_ellipsoidal_volume",
    "fluids.geometry.V_horiz_ellipsoidal",
    lambda diameter, length, head_depth, height: geometry.V_horiz_ellipsoidal(diameter, length, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "head_depth": [0.2, 0.7], "height": [0.1, 1.5]},
)
TABLE.add(
    "tanks.horizontal_dished_volume",
    "fluids.geometry.V_horiz_spherical",
    lambda diameter, length, head_depth, height: geometry.V_horiz_spherical(diameter, length, head_depth, height),
    within=1e-09,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "head_depth": [0.2, 0.7], "height": [0.1, 1.4]},
)
TABLE.add(
    "tanks.horizontal_guppy_volume",
    "fluids.geometry.V_horiz_guppy",
    lambda diameter, length, head_depth, height: geometry.V_horiz_guppy(diameter, length, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "head_depth": [0.2, 0.7], "height": [0.1, 1.5]},
)
TABLE.add(
    "tanks.vertical_conical_volume",
    "fluids.geometry.V_vertical_conical",
    lambda diameter, head_depth, height: geometry.V_vertical_conical(diameter, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.vertical_ellipsoidal_volume",
    "fluids.geometry.V_vertical_ellipsoidal",
    lambda diameter, head_depth, height: geometry.V_vertical_ellipsoidal(diameter, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.vertical_dished_volume",
    "fluids.geometry.V_vertical_spherical",
    lambda diameter, head_depth, height: geometry.V_vertical_spherical(diameter, head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.vertical_torispherical_volume",
    "fluids.geometry.V_vertical_torispherical",
    lambda diameter, dish_ratio, knuckle_ratio, height: geometry.V_vertical_torispherical(
        diameter, dish_ratio, knuckle_ratio, height
    ),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "dish_ratio": [0.8, 1.2], "knuckle_ratio": [0.05, 0.2], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.vertical_concave_conical_volume",
    "fluids.geometry.V_vertical_conical_concave",
    lambda diameter, head_depth, height: geometry.V_vertical_conical_concave(diameter, -head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.vertical_concave_ellipsoidal_volume",
    "fluids.geometry.V_vertical_ellipsoidal_concave",
    lambda diameter, head_depth, height: geometry.V_vertical_ellipsoidal_concave(diameter, -head_depth, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7], "height": [0.1, 3.0]},
)
TABLE.add(
    "tanks.ellipsoidal_head_area",
    "fluids.geometry.SA_ellipsoidal_head",
    lambda diameter, head_depth: geometry.SA_ellipsoidal_head(diameter, head_depth),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7]},
)
TABLE.add(
    "tanks.conical_head_area",
    "fluids.geometry.SA_conical_head",
    lambda diameter, head_depth: geometry.SA_conical_head(diameter, head_depth),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "head_depth": [0.2, 0.7]},
)
TABLE.add(
    "tanks.torispherical_head_depth",
    "fluids.geometry.a_torispherical",
    lambda diameter, dish_ratio, knuckle_ratio: geometry.a_torispherical(diameter, dish_ratio, knuckle_ratio),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "dish_ratio": [0.8, 1.2], "knuckle_ratio": [0.05, 0.2]},
)
TABLE.add(
    "tanks.torispherical_head_area",
    "fluids.geometry.SA_torispheroidal",
    lambda diameter, dish_ratio, knuckle_ratio: geometry.SA_torispheroidal(diameter, dish_ratio, knuckle_ratio),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "dish_ratio": [0.8, 1.2], "knuckle_ratio": [0.05, 0.2]},
)
TABLE.add(
    "tanks.wetted_cylinder_area",
    "fluids.geometry.SA_partial_cylindrical_body",
    lambda diameter, length, height: geometry.SA_partial_cylindrical_body(length, diameter, height),
    within=1e-11,
    draws={"diameter": [1.5, 4.0], "length": [2.0, 20.0], "height": [0.1, 1.5]},
)
