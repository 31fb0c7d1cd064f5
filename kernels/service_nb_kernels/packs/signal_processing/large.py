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
    result=R("float64[n,c]", unit="?u", about="bins as [real, imaginary], sums not divided by n"),
    limit={"n": 1000000},
    latex=r"X_k = \sum_j x_j e^{-2\pi i j k/n}",
    keywords=["FFT", "long DFT"],
    cases=[
        case(signal=[1.0, 2.0], result=[[3.0, 0.0], [-1.0, 0.0]], origin="by hand"),
        case(signal=[1.0, 0.0, -1.0, 0.0], result=[[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [2.0, 0.0]], origin="by hand"),
        case(
            signal=[6.89, -0.872, 5.03, 1.87, -2.27, 3.71, -0.436, 6.91],
            result=[
                [20.832, 0.0],
                [9.483854905783438, 1.3377814485769601],
                [0.025999999999998913, 5.942000000000001],
                [8.836145094216562, 12.26978144857696],
                [-2.4040000000000035, 0.0],
                [8.836145094216562, -12.26978144857696],
                [0.025999999999998913, -5.942000000000001],
                [9.483854905783438, -1.3377814485769601],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.fft",
        ),
    ],
)
def fft_large(signal: NDArray[Any]) -> Any:
    """Fast Fourier transform of real samples of any number, each bin as real and imaginary part."""
    bins = np.fft.fft(signal)
    return np.stack([bins.real, bins.imag], axis=1)
