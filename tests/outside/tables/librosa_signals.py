"""Levels and crossings of signals by librosa."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import librosa
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("librosa", version("librosa"))
DRAWS = {"signal": (-9, 9), "n": (5, 12), "frequency": (20, 12000)}
TABLE.add("signal_processing.mel_frequency", "librosa.hz_to_mel", lambda frequency: float(librosa.hz_to_mel(frequency, htk=True)), draws=DRAWS, within=1e-12, asked="of the form of HTK")
TABLE.add("signal_processing.zero_crossing_rate", "librosa.zero_crossings", lambda signal: float(librosa.zero_crossings(np.array(signal), pad=False).sum() / (len(signal) - 1)), draws=DRAWS, within=1e-12, asked="over the neighbors")
TABLE.add("signal_processing.rms_level", "librosa.feature.rms", lambda signal: float(librosa.feature.rms(y=np.array(signal), frame_length=len(signal), hop_length=len(signal), center=False, dtype=np.float64)[0, 0]), draws=DRAWS, within=1e-12)
TABLE.add("signal_processing.autocorrelation_sequence", "librosa.autocorrelate", lambda signal, lags: (librosa.autocorrelate(np.array(signal), max_size=lags + 1) / len(signal)).tolist(), draws=DRAWS | {"lags": (1, 4)}, within=1e-11, near_zero=1e-12, asked="over the number of samples")
