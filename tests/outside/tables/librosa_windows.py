"""Bandwidths of windows of librosa."""

# fmt: off
from __future__ import annotations

import librosa
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("librosa", librosa.__version__)


def _measure(window: list[float]) -> float:
    librosa.filters.WINDOW_BANDWIDTHS.clear()  # a cache by the identity of the function
    return float(librosa.filters.window_bandwidth(lambda _: np.array(window), n=len(window)))


TABLE.add("signal_processing.window_noise_bandwidth", "librosa.filters.window_bandwidth", _measure, draws={"window": (0.1, 1), "n": (3, 12)}, within=1e-5, asked="which divides by a sum that is enlarged by a small number")
