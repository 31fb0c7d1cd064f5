"""Contrast of web pages, by wcag-contrast-ratio."""

from __future__ import annotations

from importlib.metadata import version

import wcag_contrast_ratio
from oracle import OracleTable

TABLE = OracleTable("wcag-contrast-ratio", version("wcag-contrast-ratio"))
TABLE.add(
    "color.wcag_contrast_ratio",
    "wcag_contrast_ratio.rgb",
    lambda red1, green1, blue1, red2, green2, blue2: wcag_contrast_ratio.rgb(
        (red1, green1, blue1), (red2, green2, blue2)
    ),
    draws={"red1": [0, 1], "green1": [0, 1], "blue1": [0, 1], "red2": [0, 1], "green2": [0, 1], "blue2": [0, 1]},
)
