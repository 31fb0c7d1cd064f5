"""Transforms, windows and interpolation of NumPy."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from typing import Any

import numpy as np
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"numpy.{function}", compute, **{"within": 1e-10, "near_zero": 1e-12, **more})


def _rows(values: Any) -> list[list[float]]:
    return [[float(each.real), float(each.imag)] for each in values]


_add(
    "signal_processing.inverse_dft",
    "fft.ifft",
    lambda real, imaginary: _rows(np.fft.ifft(np.array(real) + 1j * np.array(imaginary))),
)
_add(
    "signal_processing.power_spectrum",
    "fft.fft",
    lambda signal: np.abs(np.fft.fft(signal)) ** 2,
    asked="squared magnitudes",
)
_add(
    "signal_processing.hartley_transform",
    "fft.fft",
    lambda signal: np.fft.fft(signal).real - np.fft.fft(signal).imag,
    asked="real less imaginary part",
)
_add("signal_processing.signal_energy", "vdot", lambda signal: np.vdot(signal, signal))
_add("signal_processing.blackman_window", "blackman", lambda size: np.blackman(size))
_add(
    "interpolation.linear_many",
    "interp",
    lambda x, y, at: np.interp(at, x, y),
    prepare=lambda given: {
        **given,
        "x": sorted(given["x"]),
        "at": [float(np.clip(each, min(given["x"]), max(given["x"]))) for each in given["at"]],
    },
)
