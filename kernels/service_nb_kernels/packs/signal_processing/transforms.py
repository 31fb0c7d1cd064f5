"""Discrete transforms of short vectors, every component correctly rounded."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat

from service_nb_kernels.certified import sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.numeric import NDArray
from service_nb_kernels.packs.signal_processing.cosines import cosine_sum, spectrum

MP = "mpmath 1.4.1, 50 digits"


@capability(
    "signal_processing.dft",
    tier="certified",
    source="oppenheim2010, eq. 8.67",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n,c]", unit="?u", about="bins as [real, imaginary], sums not divided by n"),
    limit={"n": 128},
    latex=r"X_k = \sum_j x_j e^{-2\pi i j k/n}",
    keywords=["FFT", "Fourier"],
    cases=[
        case(
            signal=[1.0, 1.0, 1.0, 1.0, 1.0],
            result=[[5.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
            origin="by hand",
        ),
        case(signal=[1.0, 2.0], result=[[3.0, 0.0], [-1.0, 0.0]], origin="by hand"),
        case(
            signal=[0.1, 1.0, -0.5, 2.0, 0.3],
            result=[
                [2.9, 0.0],
                [-0.7118033988749894, 0.8037235693245753],
                [-0.4881966011250105, -2.789090967342615],
                [-0.4881966011250105, 2.789090967342615],
                [-0.7118033988749894, -0.8037235693245753],
            ],
            origin=MP,
        ),
        case(signal=[3.0, -0.25, 0.75, 1.5], result=[[5.0, 0.0], [2.25, 1.75], [2.5, 0.0], [2.25, -1.75]], origin=MP),
        case(
            signal=[0.1, 0.7, -0.4, 0.9, 2.0, 0.3],
            result=[
                [3.6, 0.0],
                [-1.1, 1.7320508075688774],
                [-0.29999999999999993, -2.4248711305964283],
                [-0.19999999999999998, 0.0],
                [-0.29999999999999993, 2.4248711305964283],
                [-1.1, -1.7320508075688774],
            ],
            origin=MP,
        ),
        case(
            signal=[3.97, 0.747, -4.21, 0.907],
            result=[
                [1.4140000000000001, 0.0],
                [8.18, 0.16000000000000003],
                [-1.8939999999999997, 0.0],
                [8.18, -0.16000000000000003],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.fft",
        ),
    ],
)
def dft(signal: NDArray[Any]) -> Any:
    """Discrete Fourier transform of real samples, each bin as its real and imaginary part."""
    return spectrum(sums.rationals(signal), -1)


@capability(
    "signal_processing.inverse_dft",
    tier="certified",
    source="oppenheim2010, eq. 8.68",
    params={
        "real": P("float64[n]", unit="?u", about="real parts of the bins", min_size=1),
        "imaginary": P("float64[n]", unit="?u", about="imaginary parts of the bins"),
    },
    result=R("float64[n,c]", unit="?u", about="samples as [real, imaginary], sums divided by n"),
    limit={"n": 128},
    latex=r"x_j = \frac{1}{n} \sum_k X_k e^{2\pi i j k/n}",
    keywords=["IFFT"],
    cases=[
        case(real=[3.0, -1.0], imaginary=[0.0, 0.0], result=[[1.0, 0.0], [2.0, 0.0]], origin="by hand"),
        case(
            real=[1.0, 0.5, -0.3],
            imaginary=[0.0, 2.0, 0.1],
            result=[[0.4, 0.7], [-0.24848275573014447, -0.1190598923241497], [0.8484827557301444, -0.5809401076758502]],
            origin=MP,
        ),
        case(
            real=[0.1, 1.0, 0.0, 1.0],
            imaginary=[0.0, 0.5, 0.0, -0.5],
            result=[[0.525, 0.0], [-0.225, 0.0], [-0.475, 0.0], [0.275, 0.0]],
            origin=MP,
        ),
        case(
            real=[0.808, -0.88, -3.28, 4.71, 0.502],
            imaginary=[-3.8, 1.85, 1.57, -3.0, -0.25],
            result=[
                [0.3720000000000001, -0.726],
                [-1.029820002605266, -1.6318885556761344],
                [0.9335363950969129, 0.2500601707147975],
                [-0.31125530476495067, -2.4645887678972342],
                [0.8435389122733041, 0.7724171528585707],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.ifft",
        ),
    ],
)
def inverse_dft(real: NDArray[Any], imaginary: NDArray[Any]) -> Any:
    """Inverse discrete Fourier transform, each sample as its real and imaginary part."""
    size = len(real)
    first, second = (spectrum(sums.rationals(part), 1) for part in (real, imaginary))
    return [[(a - d) / size, (b + c) / size] for (a, b), (c, d) in zip(first, second, strict=True)]


@capability(
    "signal_processing.power_spectrum",
    tier="certified",
    source="oppenheim2010, sec. 10.5",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n]", unit="?u^2", about="squared magnitude of each bin, not divided by n"),
    limit={"n": 128},
    latex=r"|X_k|^2 = |\sum_{j=0}^{n-1} x_j e^{-2 \pi i j k / n}|^2",
    keywords=["periodogram"],
    cases=[
        case(signal=[1.0, 1.0, 1.0], result=[9.0, 0.0, 0.0], origin="by hand"),
        case(
            signal=[0.1, 1.0, -0.5, 2.0, 0.3],
            result=[8.41, 1.152635654537823, 8.017364345462177, 8.017364345462177, 1.152635654537823],
            origin=MP,
        ),
        case(signal=[3.0, -0.25, 0.75, 1.5], result=[25.0, 8.125, 6.25, 8.125], origin=MP),
        case(
            signal=[-4.7, -4.16, 4.34],
            result=[20.430400000000006, 77.13159999999999, 77.13159999999999],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.fft: squared magnitudes",
        ),
    ],
)
def power_spectrum(signal: NDArray[Any]) -> Any:
    """Squared magnitudes of the discrete Fourier transform of real samples."""
    values, size = sums.rationals(signal), len(signal)
    around = [sum((values[j] * values[(j + lag) % size] for j in range(size)), fmpq(0)) for lag in range(size)]
    return [cosine_sum(((r, lag * k) for lag, r in enumerate(around)), size) for k in range(size)]


@capability(
    "signal_processing.dct2",
    tier="certified",
    source="ahmed1974; oppenheim2010, eq. 8.154",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n]", unit="?u", about="coefficients"),
    limit={"n": 128},
    latex=r"y_k = 2 \sum_j x_j \cos\frac{\pi k (2j+1)}{2n}",
    keywords=["DCT", "JPEG"],
    cases=[
        case(signal=[1.0, 1.0, 1.0], result=[6.0, 0.0, 0.0], origin="by hand"),
        case(
            signal=[0.1, 1.0, -0.5, 2.0, 0.3],
            result=[5.8, -1.5559931111030076, -0.2068883707497266, 1.6669989316733178, -5.606888370749727],
            origin=MP,
        ),
        case(
            signal=[3.0, -0.25, 0.75, 1.5],
            result=[10.0, 2.0062717328036808, 5.65685424949238, 2.9958093621178428],
            within=1e-12,
            origin="scipy 1.17.1, scipy.fft.dct",
        ),
    ],
)
def dct2(signal: NDArray[Any]) -> Any:
    """Discrete cosine transform of type II, without normalization, twice each sum."""
    values, size = sums.rationals(signal), len(signal)
    return [cosine_sum(((2 * v, k * (2 * j + 1)) for j, v in enumerate(values)), 4 * size) for k in range(size)]


@capability(
    "signal_processing.dct3",
    tier="certified",
    source="ahmed1974; oppenheim2010, eq. 8.155",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n]", unit="?u", about="coefficients"),
    limit={"n": 128},
    latex=r"y_k = x_0 + 2 \sum_{j \ge 1} x_j \cos\frac{\pi j (2k+1)}{2n}",
    keywords=["inverse DCT"],
    cases=[
        case(signal=[2.0, 0.0, 0.0], result=[2.0, 2.0, 2.0], origin="by hand"),
        case(
            signal=[0.1, 1.0, -0.5, 2.0, 0.3],
            result=[3.729647244010221, -2.705048762845689, 1.7, 2.552262358345647, -4.776860839510179],
            origin=MP,
        ),
        case(
            signal=[3.0, -0.25, 0.75, 1.5],
            result=[4.746770702619447, -1.0236404854962264, 4.902320141936584, 3.3745496409401947],
            within=1e-12,
            origin="scipy 1.17.1, scipy.fft.dct",
        ),
    ],
)
def dct3(signal: NDArray[Any]) -> Any:
    """Discrete cosine transform of type III, without normalization: the inverse of type II up to a factor."""
    values, size = sums.rationals(signal), len(signal)
    weights = [v if j == 0 else 2 * v for j, v in enumerate(values)]
    return [cosine_sum(((w, j * (2 * k + 1)) for j, w in enumerate(weights)), 4 * size) for k in range(size)]


@capability(
    "signal_processing.hartley_transform",
    tier="certified",
    source="bracewell1983",
    params={
        "signal": P("float64[n]", unit="?u", about="samples", min_size=1),
    },
    result=R("float64[n]", unit="?u", about="coefficients, sums not divided by n"),
    limit={"n": 64},
    latex=r"H_k = \sum_j x_j \left(\cos\frac{2\pi jk}{n} + \sin\frac{2\pi jk}{n}\right)",
    cases=[
        case(signal=[1.0, 2.0], result=[3.0, -1.0], origin="by hand"),
        case(
            signal=[0.1, 1.0, -0.5, 2.0, 0.3],
            result=[2.9, -1.515526968199565, 2.3008943662176047, -3.2772875684676257, 0.09192017044958582],
            origin=MP,
        ),
        case(signal=[3.0, -0.25, 0.75, 1.5], result=[5.0, 0.5, 2.5, 4.0], origin=MP),
        case(
            signal=[-1.78, -1.25, -3.22, -2.39, 4.64, -0.623],
            result=[
                -4.623,
                -8.386457601918531,
                2.3204617455728447,
                3.9029999999999987,
                -10.207461745572845,
                6.313457601918532,
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.fft: real less imaginary part",
        ),
    ],
)
def hartley_transform(signal: NDArray[Any]) -> Any:
    """Discrete Hartley transform of real samples."""
    values, size = sums.rationals(signal), len(signal)
    turns = [(v, 8 * j) for j, v in enumerate(values)]
    rows = [[(v, k * place) for v, place in turns] for k in range(size)]
    return [cosine_sum([*row, *((v, place - 2 * size) for v, place in row)], 8 * size) for row in rows]


@capability(
    "signal_processing.savitzky_golay_coefficients",
    tier="certified",
    source="savitzky1964",
    params={
        "width": P("int", domain="[1, 201]", about="samples of the window, odd"),
        "degree": P("int", domain="[0, 12]", about="degree of the polynomial, below the width"),
    },
    result=R("float64[n]", unit="1", about="weight of each sample"),
    requires=["width % 2 == 1", "degree < width"],
    latex=r"w = V (V^T V)^{-1} e_0",
    keywords=["smoothing"],
    cases=[
        case(
            width=5,
            degree=2,
            result=[
                -0.08571428571428572,
                0.34285714285714286,
                0.4857142857142857,
                0.34285714285714286,
                -0.08571428571428572,
            ],
            origin="by hand",
        ),
        case(
            width=7,
            degree=3,
            result=[
                -0.09523809523809523,
                0.14285714285714285,
                0.2857142857142857,
                0.3333333333333333,
                0.2857142857142857,
                0.14285714285714285,
                -0.09523809523809523,
            ],
            origin=MP,
        ),
        case(
            width=5,
            degree=0,
            result=[0.2, 0.19999999999999998, 0.19999999999999998, 0.19999999999999998, 0.19999999999999998],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.savgol_coeffs",
        ),
        case(width=4, degree=2, error="domain_error", origin="by hand"),
    ],
)
def savitzky_golay_coefficients(width: int, degree: int) -> Any:
    """Smoothing weights of a local polynomial fit at the middle of a window, exact fractions rounded once."""
    half = width // 2
    powers = [[fmpq(place) ** d for d in range(degree + 1)] for place in range(-half, half + 1)]
    design = fmpq_mat(powers)
    first = fmpq_mat([[1 if d == 0 else 0] for d in range(degree + 1)])
    fitted = (design.transpose() * design).solve(first)
    return [(design * fitted)[place, 0] for place in range(width)]
