"""Transfer functions and luma of colour-science."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import colour
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("colour-science", version("colour-science"))
DRAWS = {"value": (0, 1), "red": (0, 1), "green": (0, 1), "blue": (0, 1)}
TABLE.add("image_processing.srgb_to_linear", "colour.models.eotf_sRGB", lambda value: float(colour.models.eotf_sRGB(value)), draws=DRAWS, within=1e-12)
TABLE.add("image_processing.linear_to_srgb", "colour.models.eotf_inverse_sRGB", lambda value: float(colour.models.eotf_inverse_sRGB(value)), draws=DRAWS, within=1e-12)
for name, standard in {"luma_bt601": "ITU-R BT.601", "luma_bt709": "ITU-R BT.709"}.items():
    TABLE.add(f"image_processing.{name}", "colour.RGB_to_YCbCr", lambda red, green, blue, standard=standard: float(colour.RGB_to_YCbCr(np.array([red, green, blue]), K=colour.WEIGHTS_YCBCR[standard], out_legal=False)[0]), draws=DRAWS, within=1e-12, asked=f"first of three, {standard}")
