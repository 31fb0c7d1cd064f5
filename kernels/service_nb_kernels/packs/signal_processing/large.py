"""Transforms of long vectors, by the pinned libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from service_nb_kernels.declare import P, R, capability, case


@capability(
    "signal_processing.fft_large",
    tier="pinned",
    source="cooley1965",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n,c]", unit="?u", about="bins as [real, imaginary]"),
    limit={"n": 1000000},
    latex=r"X_k = \sum_j x_j e^{-2\pi i j k/n}",
    keywords=["FFT", "long DFT"],
    cases=[
        case(signal=[1.0, 2.0], result=[[3.0, 0.0], [-1.0, 0.0]], origin="by hand"),
        case(signal=[1.0, 0.0, -1.0, 0.0], result=[[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [2.0, 0.0]], origin="by hand"),
    ],
)
def fft_large(signal: NDArray[Any]) -> Any:
    """Fast Fourier transform of real samples of any number, each bin as real and imaginary part."""
    bins = np.fft.fft(signal)
    return np.stack([bins.real, bins.imag], axis=1)
