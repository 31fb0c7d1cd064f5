"""Color, by colour-science."""

from __future__ import annotations

from typing import Any

import colour
from colour import adaptation, colorimetry, difference, notation, temperature
from colour.models.rgb import transfer_functions as curves
from oracle import OracleTable


def _record(names: str, values: Any) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names.split(), values, strict=True)}


def _xy(x: float, y: float, z: float) -> Any:
    return colour.XYZ_to_xy([x, y, z])


TABLE = OracleTable("colour-science", colour.__version__)
TABLE.add(
    "color.lab_from_xyz",
    "colour.XYZ_to_Lab",
    lambda x, y, z, white_x, white_y, white_z: _record(
        "lightness a b", colour.XYZ_to_Lab([x / white_y, y / white_y, z / white_y], _xy(white_x, white_y, white_z))
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
    },
    near_zero=1e-11,
)
TABLE.add(
    "color.xyz_from_lab",
    "colour.Lab_to_XYZ",
    lambda lightness, a, b, white_x, white_y, white_z: _record(
        "x y z", white_y * colour.Lab_to_XYZ([lightness, a, b], _xy(white_x, white_y, white_z))
    ),
    draws={
        "lightness": [5, 98],
        "a": [-60, 60],
        "b": [-60, 60],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
    },
    near_zero=1e-11,
)
TABLE.add(
    "color.luv_from_xyz",
    "colour.XYZ_to_Luv",
    lambda x, y, z, white_x, white_y, white_z: _record(
        "lightness u v", colour.XYZ_to_Luv([x / white_y, y / white_y, z / white_y], _xy(white_x, white_y, white_z))
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
    },
    near_zero=1e-10,
)
TABLE.add(
    "color.lch_from_lab",
    "colour.Lab_to_LCHab",
    lambda a, b: _record("chroma hue", colour.Lab_to_LCHab([50.0, a, b])[1:]),
    draws={"a": [-60, 60], "b": [-60, 60]},
)
TABLE.add(
    "color.lab_from_lch",
    "colour.LCHab_to_Lab",
    lambda chroma, hue: _record("a b", colour.LCHab_to_Lab([50.0, chroma, hue])[1:]),
    draws={"chroma": [1, 100], "hue": [0, 360]},
    near_zero=1e-12,
)
TABLE.add(
    "color.chromaticity_from_xyz",
    "colour.XYZ_to_xy",
    lambda x, y, z: _record("chromaticity_x chromaticity_y", colour.XYZ_to_xy([x, y, z])),
    draws={"x": [1, 95], "y": [1, 100], "z": [1, 108]},
)
TABLE.add(
    "color.xyz_from_chromaticity",
    "colour.xyY_to_XYZ",
    lambda chromaticity_x, chromaticity_y, luminance: {
        "x": float((xyz := colour.xyY_to_XYZ([chromaticity_x, chromaticity_y, luminance]))[0]),
        "z": float(xyz[2]),
    },
    draws={"chromaticity_x": [0.1, 0.5], "chromaticity_y": [0.1, 0.5], "luminance": [1, 100]},
    near_zero=1e-12,
)
TABLE.add(
    "color.uniform_chromaticity",
    "colour.xy_to_Luv_uv",
    lambda x, y: _record("u v", colour.xy_to_Luv_uv([x, y])),
    draws={"x": [0.25, 0.5], "y": [0.25, 0.45]},
)
TABLE.add(
    "color.chromaticity_from_uniform",
    "colour.Luv_uv_to_xy",
    lambda u, v: _record("x y", colour.Luv_uv_to_xy([u, v])),
    draws={"u": [0.1, 0.4], "v": [0.3, 0.55]},
)
TABLE.add(
    "color.ucs_1960_chromaticity",
    "colour.xy_to_UCS_uv",
    lambda x, y: _record("u v", colour.xy_to_UCS_uv([x, y])),
    draws={"x": [0.25, 0.5], "y": [0.25, 0.45]},
)
TABLE.add(
    "color.hunter_lab",
    "colour.XYZ_to_Hunter_Lab",
    lambda x, y, z, white_x, white_y, white_z: _record(
        "lightness a b", colour.XYZ_to_Hunter_Lab([x, y, z], [white_x, white_y, white_z])
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
    },
    near_zero=1e-11,
)
TABLE.add(
    "color.oklab_from_xyz",
    "colour.XYZ_to_Oklab",
    lambda x, y, z: _record("lightness a b", colour.XYZ_to_Oklab([x / 100, y / 100, z / 100])),
    draws={"x": [1, 95], "y": [1, 100], "z": [1, 108]},
    near_zero=1e-13,
)
TABLE.add(
    "color.ipt_from_xyz",
    "colour.XYZ_to_IPT",
    lambda x, y, z: _record("i p t", colour.XYZ_to_IPT([x / 100, y / 100, z / 100])),
    draws={"x": [1, 95], "y": [1, 100], "z": [1, 108]},
    near_zero=1e-12,
)
TABLE.add(
    "color.din99_from_lab",
    "colour.Lab_to_DIN99",
    lambda lightness, a, b: _record("lightness a b", colour.Lab_to_DIN99([lightness, a, b])),
    draws={"lightness": [5, 98], "a": [-60, 60], "b": [-60, 60]},
    near_zero=1e-12,
)
TABLE.add(
    "color.ictcp_from_rgb",
    "colour.RGB_to_ICtCp",
    lambda red, green, blue: _record(
        "intensity tritan protan", colour.RGB_to_ICtCp([red, green, blue], "ITU-R BT.2100-2 PQ", 10000)
    ),
    draws={"red": [0.01, 1000], "green": [0.01, 1000], "blue": [0.01, 1000]},
    near_zero=1e-13,
)
TABLE.add(
    "color.xyz_from_srgb",
    "colour.RGB_to_XYZ",
    lambda red, green, blue: _record(
        "x y z", 100 * colour.RGB_to_XYZ([red, green, blue], "sRGB", apply_cctf_decoding=True)
    ),
    draws={"red": [0.02, 0.98], "green": [0.02, 0.98], "blue": [0.02, 0.98]},
)
TABLE.add(
    "color.srgb_from_xyz",
    "colour.XYZ_to_RGB",
    lambda x, y, z: _record(
        "red green blue", colour.XYZ_to_RGB([x / 100, y / 100, z / 100], "sRGB", apply_cctf_encoding=True)
    ),
    draws={"x": [1, 95], "y": [1, 100], "z": [1, 108]},
    near_zero=1e-12,
)
TABLE.add(
    "color.bradford_adaptation",
    "colour.adaptation.chromatic_adaptation_VonKries",
    lambda x, y, z, white_x, white_y, white_z, new_white_x, new_white_y, new_white_z: _record(
        "x y z",
        adaptation.chromatic_adaptation_VonKries(
            [x, y, z], [white_x, white_y, white_z], [new_white_x, new_white_y, new_white_z], "Bradford"
        ),
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
        "new_white_x": [95.047, 96.422, 109.85],
        "new_white_y": [100.0],
        "new_white_z": [108.883, 82.521, 35.585],
    },
    within=1e-11,
    near_zero=1e-12,
    asked="Bradford",
)
TABLE.add(
    "color.cat02_adaptation",
    "colour.adaptation.chromatic_adaptation_VonKries",
    lambda x, y, z, white_x, white_y, white_z, new_white_x, new_white_y, new_white_z: _record(
        "x y z",
        adaptation.chromatic_adaptation_VonKries(
            [x, y, z], [white_x, white_y, white_z], [new_white_x, new_white_y, new_white_z], "CAT02"
        ),
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_y": [100.0],
        "white_z": [108.883, 82.521, 35.585],
        "new_white_x": [95.047, 96.422, 109.85],
        "new_white_y": [100.0],
        "new_white_z": [108.883, 82.521, 35.585],
    },
    within=1e-11,
    near_zero=1e-12,
    asked="CAT02",
)
TABLE.add(
    "color.rgb_to_xyz_matrix",
    "colour.normalised_primary_matrix",
    lambda red_x, red_y, green_x, green_y, blue_x, blue_y, white_x, white_y: colour.normalised_primary_matrix(
        [red_x, red_y, green_x, green_y, blue_x, blue_y], [white_x, white_y]
    ),
    draws={
        "red_x": [0.6, 0.72],
        "red_y": [0.28, 0.34],
        "green_x": [0.17, 0.32],
        "green_y": [0.55, 0.8],
        "blue_x": [0.13, 0.16],
        "blue_y": [0.04, 0.09],
        "white_x": [0.3, 0.35],
        "white_y": [0.31, 0.36],
    },
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "color.delta_e_76",
    "colour.difference.delta_E_CIE1976",
    lambda lightness1, a1, b1, lightness2, a2, b2: float(
        difference.delta_E_CIE1976([lightness1, a1, b1], [lightness2, a2, b2])
    ),
    draws={
        "lightness1": [5, 98],
        "a1": [-60, 60],
        "b1": [-60, 60],
        "lightness2": [5, 98],
        "a2": [-60, 60],
        "b2": [-60, 60],
    },
)
TABLE.add(
    "color.delta_e_94",
    "colour.difference.delta_E_CIE1994",
    lambda lightness1, a1, b1, lightness2, a2, b2, weight, k1, k2: float(
        difference.delta_E_CIE1994([lightness1, a1, b1], [lightness2, a2, b2], weight == 2)
    ),
    draws={
        "lightness1": [5, 98],
        "a1": [-60, 60],
        "b1": [-60, 60],
        "lightness2": [5, 98],
        "a2": [-60, 60],
        "b2": [-60, 60],
        "weight": [1.0, 2.0, 1.0],
        "k1": [0.045],
        "k2": [0.015],
    },
    prepare=lambda drawn: drawn | ({"k1": 0.048, "k2": 0.014} if drawn["weight"] == 2 else {}),
)
TABLE.add(
    "color.delta_e_2000",
    "colour.difference.delta_E_CIE2000",
    lambda lightness1, a1, b1, lightness2, a2, b2, weight_lightness, weight_chroma, weight_hue: float(
        difference.delta_E_CIE2000([lightness1, a1, b1], [lightness2, a2, b2], weight_lightness == 2)
    ),
    draws={
        "lightness1": [5, 98],
        "a1": [-60, 60],
        "b1": [-60, 60],
        "lightness2": [5, 98],
        "a2": [-60, 60],
        "b2": [-60, 60],
        "weight_lightness": [1.0, 2.0, 1.0],
        "weight_chroma": [1.0],
        "weight_hue": [1.0],
    },
    within=1e-10,
)
TABLE.add(
    "color.delta_e_cmc",
    "colour.difference.delta_E_CMC",
    lambda lightness1, a1, b1, lightness2, a2, b2, weight_lightness, weight_chroma: float(
        difference.delta_E_CMC([lightness1, a1, b1], [lightness2, a2, b2], weight_lightness, weight_chroma)
    ),
    draws={
        "lightness1": [5, 98],
        "a1": [-60, 60],
        "b1": [-60, 60],
        "lightness2": [5, 98],
        "a2": [-60, 60],
        "b2": [-60, 60],
        "weight_lightness": [1.0, 2.0, 1.5],
        "weight_chroma": [1.0],
    },
)
TABLE.add(
    "color.hyab_difference",
    "colour.difference.delta_E_HyAB",
    lambda lightness1, a1, b1, lightness2, a2, b2: float(
        difference.delta_E_HyAB([lightness1, a1, b1], [lightness2, a2, b2])
    ),
    draws={
        "lightness1": [5, 98],
        "a1": [-60, 60],
        "b1": [-60, 60],
        "lightness2": [5, 98],
        "a2": [-60, 60],
        "b2": [-60, 60],
    },
)
TABLE.add(
    "color.delta_e_itp",
    "colour.difference.delta_E_ITP",
    lambda intensity1, tritan1, protan1, intensity2, tritan2, protan2: float(
        difference.delta_E_ITP([intensity1, tritan1, protan1], [intensity2, tritan2, protan2])
    ),
    draws={
        "intensity1": [0.1, 0.8],
        "tritan1": [-0.3, 0.3],
        "protan1": [-0.3, 0.3],
        "intensity2": [0.1, 0.8],
        "tritan2": [-0.3, 0.3],
        "protan2": [-0.3, 0.3],
    },
)
TABLE.add(
    "color.mccamy_color_temperature",
    "colour.temperature.xy_to_CCT_McCamy1992",
    lambda x, y: float(temperature.xy_to_CCT_McCamy1992([x, y])),
    draws={"x": [0.25, 0.5], "y": [0.25, 0.45]},
)
TABLE.add(
    "color.hernandez_color_temperature",
    "colour.temperature.xy_to_CCT_Hernandez1999",
    lambda x, y: float(temperature.xy_to_CCT_Hernandez1999([x, y])),
    draws={"x": [0.24, 0.44], "y": [0.25, 0.42]},
    within=1e-11,
)
TABLE.add(
    "color.planckian_chromaticity",
    "colour.temperature.CCT_to_xy_Kang2002",
    lambda temperature: _record("x y", colour.temperature.CCT_to_xy_Kang2002([temperature])[0]),
    draws={"temperature": [1667, 25000]},
)
TABLE.add(
    "color.daylight_chromaticity",
    "colour.temperature.CCT_to_xy_CIE_D",
    lambda temperature: _record("x y", colour.temperature.CCT_to_xy_CIE_D(temperature)),
    draws={"temperature": [4000, 25000]},
)
TABLE.add(
    "color.planckian_uv",
    "colour.temperature.CCT_to_uv_Krystek1985",
    lambda temperature: _record("u v", colour.temperature.CCT_to_uv_Krystek1985(temperature)),
    draws={"temperature": [1000, 15000]},
)
TABLE.add(
    "color.mired",
    "colour.temperature.CCT_to_mired",
    lambda temperature: float(colour.temperature.CCT_to_mired(temperature)),
    draws={"temperature": [1500, 15000]},
)
TABLE.add(
    "color.cie_whiteness",
    "colour.colorimetry.whiteness_CIE2004",
    lambda x, y, luminance, white_x, white_y: _record(
        "whiteness tint", colorimetry.whiteness_CIE2004([x, y], luminance, [white_x, white_y])
    ),
    draws={
        "x": [0.25, 0.5],
        "y": [0.25, 0.45],
        "luminance": [60, 100],
        "white_x": [0.3127, 0.3457],
        "white_y": [0.329, 0.3585],
    },
    within=1e-11,
    near_zero=1e-11,
)
TABLE.add(
    "color.ganz_griesser_whiteness",
    "colour.colorimetry.whiteness_Ganz1979",
    lambda x, y, luminance: _record("whiteness tint", colorimetry.whiteness_Ganz1979([x, y], luminance)),
    draws={"x": [0.25, 0.5], "y": [0.25, 0.45], "luminance": [60, 100]},
    within=1e-11,
    near_zero=1e-10,
)
TABLE.add(
    "color.berger_whiteness",
    "colour.colorimetry.whiteness_Berger1959",
    lambda x, y, z, white_x, white_z: float(colorimetry.whiteness_Berger1959([x, y, z], [white_x, 100, white_z])),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "white_x": [95.047, 96.422, 109.85],
        "white_z": [108.883, 82.521, 35.585],
    },
    near_zero=1e-11,
)
TABLE.add(
    "color.stensby_whiteness",
    "colour.colorimetry.whiteness_Stensby1968",
    lambda lightness, a, b: float(colorimetry.whiteness_Stensby1968([lightness, a, b])),
    draws={"lightness": [5, 98], "a": [-60, 60], "b": [-60, 60]},
    near_zero=1e-12,
)
TABLE.add(
    "color.yellowness_e313",
    "colour.colorimetry.yellowness_ASTME313",
    lambda x, y, z, coefficient_x, coefficient_z: float(
        colorimetry.yellowness_ASTME313([x, y, z], [coefficient_x, coefficient_z])
    ),
    draws={
        "x": [1, 95],
        "y": [1, 100],
        "z": [1, 108],
        "coefficient_x": [1.2985, 1.3013],
        "coefficient_z": [1.1335, 1.1498],
    },
    near_zero=1e-10,
)
TABLE.add(
    "color.yellowness_d1925",
    "colour.colorimetry.yellowness_ASTMD1925",
    lambda x, y, z: float(colorimetry.yellowness_ASTMD1925([x, y, z])),
    draws={"x": [1, 95], "y": [1, 100], "z": [1, 108]},
    near_zero=1e-10,
)
TABLE.add(
    "color.lightness_from_luminance",
    "colour.colorimetry.lightness_CIE1976",
    lambda luminance, white: float(colorimetry.lightness_CIE1976(luminance, white)),
    draws={"luminance": [0.1, 100], "white": [80, 100]},
)
TABLE.add(
    "color.munsell_value",
    "colour.notation.munsell_value_McCamy1987",
    lambda luminance: float(notation.munsell_value_McCamy1987(luminance)),
    draws={"luminance": [0.1, 100]},
)
TABLE.add(
    "color.munsell_value_luminance",
    "colour.colorimetry.luminance_ASTMD1535",
    lambda value: float(colorimetry.luminance_ASTMD1535(value)),
    draws={"value": [0.1, 10]},
)
TABLE.add(
    "color.hsv_from_rgb",
    "colour.RGB_to_HSV",
    lambda red, green, blue: _record("hue saturation value", colour.RGB_to_HSV([red, green, blue]) * [360, 1, 1]),
    draws={"red": [0, 1], "green": [0, 1], "blue": [0, 1]},
)
TABLE.add(
    "color.hsl_from_rgb",
    "colour.RGB_to_HSL",
    lambda red, green, blue: _record("hue saturation lightness", colour.RGB_to_HSL([red, green, blue]) * [360, 1, 1]),
    draws={"red": [0, 1], "green": [0, 1], "blue": [0, 1]},
)
TABLE.add(
    "color.rgb_from_hsv",
    "colour.HSV_to_RGB",
    lambda hue, saturation, value: _record("red green blue", colour.HSV_to_RGB([hue / 360, saturation, value])),
    draws={"hue": [0, 360], "saturation": [0, 1], "value": [0, 1]},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "color.rgb_from_hsl",
    "colour.HSL_to_RGB",
    lambda hue, saturation, lightness: _record("red green blue", colour.HSL_to_RGB([hue / 360, saturation, lightness])),
    draws={"hue": [0, 360], "saturation": [0, 1], "lightness": [0, 1]},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "color.ycbcr_from_rgb",
    "colour.RGB_to_YCbCr",
    lambda red, green, blue, weight_red, weight_blue: _record(
        "luma blue_difference red_difference",
        colour.RGB_to_YCbCr([red, green, blue], [weight_red, weight_blue], out_range=(0, 1, -0.5, 0.5)),
    ),
    draws={
        "red": [0, 1],
        "green": [0, 1],
        "blue": [0, 1],
        "weight_red": [0.2126, 0.299, 0.2627],
        "weight_blue": [0.0722, 0.114, 0.0593],
    },
    near_zero=1e-13,
)
TABLE.add(
    "color.rgb_from_ycbcr",
    "colour.YCbCr_to_RGB",
    lambda luma, blue_difference, red_difference, weight_red, weight_blue: _record(
        "red green blue",
        colour.YCbCr_to_RGB(
            [luma, blue_difference, red_difference], [weight_red, weight_blue], in_range=(0, 1, -0.5, 0.5)
        ),
    ),
    draws={
        "luma": [0.1, 0.9],
        "blue_difference": [-0.4, 0.4],
        "red_difference": [-0.4, 0.4],
        "weight_red": [0.2126, 0.299, 0.2627],
        "weight_blue": [0.0722, 0.114, 0.0593],
    },
    near_zero=1e-13,
)
TABLE.add(
    "color.cmyk_from_rgb",
    "colour.CMY_to_CMYK",
    lambda red, green, blue: _record("cyan magenta yellow black", colour.CMY_to_CMYK([1 - red, 1 - green, 1 - blue])),
    draws={"red": [0, 1], "green": [0, 1], "blue": [0, 1]},
    within=1e-11,
    near_zero=1e-14,
)
TABLE.add(
    "color.ycocg_from_rgb",
    "colour.RGB_to_YCoCg",
    lambda red, green, blue: _record(
        "luma orange_difference green_difference", colour.RGB_to_YCoCg([red, green, blue])
    ),
    draws={"red": [0, 1], "green": [0, 1], "blue": [0, 1]},
    near_zero=1e-14,
)
TABLE.add(
    "color.bt709_signal",
    "colour.models.oetf_BT709",
    lambda light: float(curves.oetf_BT709(light)),
    draws={"light": [0, 1]},
)
TABLE.add(
    "color.bt1886_luminance",
    "colour.models.eotf_BT1886",
    lambda signal, white, black: float(curves.eotf_BT1886(signal, black, white)),
    draws={"signal": [0, 1], "white": [80, 200], "black": [0.01, 0.2]},
    within=1e-11,
)
TABLE.add(
    "color.pq_luminance",
    "colour.models.eotf_ST2084",
    lambda signal: float(curves.eotf_ST2084(signal)),
    draws={"signal": [0.01, 1]},
    within=1e-10,
    near_zero=1e-12,
)
TABLE.add(
    "color.pq_signal",
    "colour.models.eotf_inverse_ST2084",
    lambda luminance: float(curves.eotf_inverse_ST2084(luminance)),
    draws={"luminance": [0.01, 10000]},
    within=1e-11,
)
TABLE.add(
    "color.hlg_signal",
    "colour.models.oetf_BT2100_HLG",
    lambda light: float(curves.oetf_BT2100_HLG(light)),
    draws={"light": [0, 1]},
)
TABLE.add(
    "color.dicom_luminance",
    "colour.models.eotf_DICOMGSDF",
    lambda index: float(curves.eotf_DICOMGSDF(index, in_int=True)),
    draws={"index": [1, 1023]},
    within=1e-10,
)
TABLE.add(
    "color.dicom_jnd_index",
    "colour.models.eotf_inverse_DICOMGSDF",
    lambda luminance: 1023 * float(curves.eotf_inverse_DICOMGSDF(luminance)),
    draws={"luminance": [0.06, 3900]},
    within=1e-11,
)
TABLE.add(
    "color.logc3_signal",
    "colour.models.log_encoding_ARRILogC3",
    lambda light: float(curves.log_encoding_ARRILogC3(light)),
    draws={"light": [0.0, 8.0]},
)
TABLE.add(
    "color.vlog_signal",
    "colour.models.log_encoding_VLog",
    lambda light: float(curves.log_encoding_VLog(light)),
    draws={"light": [0.0, 8.0]},
)
TABLE.add(
    "color.slog3_signal",
    "colour.models.log_encoding_SLog3",
    lambda light: float(curves.log_encoding_SLog3(light)),
    draws={"light": [0.0, 8.0]},
)
TABLE.add(
    "color.acescct_signal",
    "colour.models.log_encoding_ACEScct",
    lambda light: float(curves.log_encoding_ACEScct(light)),
    draws={"light": [0.0, 8.0]},
)
TABLE.add(
    "color.log3g10_signal",
    "colour.models.log_encoding_Log3G10",
    lambda light: float(curves.log_encoding_Log3G10(light)),
    draws={"light": [0.0, 8.0]},
)
TABLE.add(
    "color.flog2_signal",
    "colour.models.log_encoding_FLog2",
    lambda light: float(curves.log_encoding_FLog2(light)),
    draws={"light": [0.0, 8.0]},
)
