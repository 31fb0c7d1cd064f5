"""Loudness, critical bands and speech intelligibility by MOSQITO."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from mosqito import sone_to_phon
from mosqito.sq_metrics.loudness.utils.equal_loudness_contours import equal_loudness_contours
from mosqito.sq_metrics.speech_intelligibility.sii_ansi._main_sii import _main_sii
from mosqito.sq_metrics.tonality.tone_to_noise_ecma._critical_band import _critical_band
from oracle import OracleTable

TABLE = OracleTable("mosqito", version("mosqito"))
FREQUENCIES = [float(each) for each in equal_loudness_contours(40)[1]]
CRITICAL_BAND = "mosqito.sq_metrics.tonality.tone_to_noise_ecma._critical_band._critical_band"


def find_contour(phon: float, frequency: float) -> float:
    """Return the level of a contour at one of the frequencies of the standard."""
    levels, frequencies = equal_loudness_contours(phon)
    return float(levels[list(frequencies).index(frequency)])


def find_band(frequency: float) -> dict[str, float]:
    """Return the edges of a critical band."""
    return dict(zip(("lower", "upper"), map(float, _critical_band(frequency)), strict=True))


def find_bandwidth(frequency: float) -> float:
    """Return the width of a critical band, below 500 Hz, where it is symmetric."""
    lower, upper = _critical_band(frequency)
    return float(upper - lower)


def find_intelligibility(speech: list[float], noise: list[float], threshold: list[float]) -> float:
    """Return the speech intelligibility index by octave bands."""
    return float(_main_sii("octave", np.array(speech), np.array(noise), threshold)[0])


TABLE.add(
    "acoustics.loudness_level",
    "mosqito.sone_to_phon",
    sone_to_phon,
    draws={"loudness": [1.0, 60.0]},  # below, it leaves out the standard's 0.0005
)
TABLE.add(
    "acoustics.equal_loudness_level",
    "mosqito.sq_metrics.loudness.utils.equal_loudness_contours.equal_loudness_contours",
    find_contour,
    draws={"phon": [20.0, 90.0], "frequency": FREQUENCIES},
)
TABLE.add("acoustics.critical_bandwidth", CRITICAL_BAND, find_bandwidth, draws={"frequency": [50.0, 12000.0]})
TABLE.add("acoustics.critical_band", CRITICAL_BAND, find_band, draws={"frequency": [90.0, 12000.0]})
TABLE.add(
    "acoustics.speech_intelligibility_index",
    "mosqito.sq_metrics.speech_intelligibility.sii_ansi._main_sii._main_sii",
    find_intelligibility,
    draws={"n": [6, 6], "speech": [0.0, 60.0], "noise": [-10.0, 50.0], "threshold": [0.0, 50.0]},
)
