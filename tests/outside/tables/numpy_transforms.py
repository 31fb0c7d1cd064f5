"""Transforms and windows of NumPy."""

# fmt: off
from __future__ import annotations

import numpy as np
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)
TABLE.add("signal_processing.fft_large", "numpy.fft.fft", lambda signal: [[float(x.real), float(x.imag)] for x in np.fft.fft(signal)], draws={"signal": (-9, 9), "n": (3, 16)}, within=1e-10, near_zero=1e-12)
TABLE.add("signal_processing.blackman_window", "numpy.blackman", lambda size: np.blackman(size).tolist(), draws={"size": (3, 30)}, within=1e-11, near_zero=1e-14)
