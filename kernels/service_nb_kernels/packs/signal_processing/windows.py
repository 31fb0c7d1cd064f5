"""Symmetric windows, each sample correctly rounded."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.packs.signal_processing.cosines import cosine

MP = "mpmath 1.4.1, 50 digits"


def _cosines(size: int, *coefficients: str) -> list[Any]:
    """Alternating sums of cosines with decimal coefficients, from end to end."""
    weights = [fmpq(int(c.replace(".", "")), 10 ** len(c.partition(".")[2])) for c in coefficients]
    return [
        sum(((-1) ** i * w * cosine(fmpq(i * k, size - 1)) for i, w in enumerate(weights)), fmpq(0))
        for k in range(size)
    ]


@capability(
    "signal_processing.hann_window",
    tier="certified",
    source="harris1978, eq. 27",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[0.0, 0.75, 0.75, 0.0], origin=MP),
        case(size=5, result=[0.0, 0.5, 1.0, 0.5, 0.0], origin=MP),
        case(
            size=9,
            result=[
                0.0,
                0.14644660940672627,
                0.5,
                0.8535533905932737,
                1.0,
                0.8535533905932737,
                0.5,
                0.14644660940672627,
                0.0,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.windows.hann",
        ),
    ],
)
def hann_window(size: int) -> Any:
    """Hann window: a raised cosine that is 0 at both ends."""
    return _cosines(size, "0.5", "0.5")


@capability(
    "signal_processing.hamming_window",
    tier="certified",
    source="harris1978, eq. 30",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[0.08, 0.77, 0.77, 0.08], origin=MP),
        case(size=5, result=[0.08, 0.54, 1.0, 0.54, 0.08], origin=MP),
        case(
            size=5,
            result=[0.08000000000000007, 0.54, 1.0, 0.54, 0.08000000000000007],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.windows.hamming",
        ),
    ],
)
def hamming_window(size: int) -> Any:
    """Hamming window: a raised cosine on a pedestal."""
    return _cosines(size, "0.54", "0.46")


@capability(
    "signal_processing.blackman_window",
    tier="certified",
    source="harris1978, eq. 32",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[0.0, 0.63, 0.63, 0.0], origin=MP),
        case(size=5, result=[0.0, 0.34, 1.0, 0.34, 0.0], origin=MP),
    ],
)
def blackman_window(size: int) -> Any:
    """Blackman window of three cosine terms with the usual rounded coefficients."""
    return _cosines(size, "0.42", "0.5", "0.08")


@capability(
    "signal_processing.blackman_harris_window",
    tier="certified",
    source="harris1978, eq. 33",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[6e-05, 0.520575, 0.520575, 6e-05], origin=MP),
        case(size=5, result=[6e-05, 0.21747, 1.0, 0.21747, 6e-05], origin=MP),
        case(
            size=5,
            result=[6.0000000000001025e-05, 0.21747000000000008, 1.0, 0.21747000000000008, 6.0000000000001025e-05],
            within=1e-13,
            origin="scipy 1.17.1, scipy.signal.windows.blackmanharris",
        ),
    ],
)
def blackman_harris_window(size: int) -> Any:
    """Blackman-Harris window of four cosine terms with the least side lobes."""
    return _cosines(size, "0.35875", "0.48829", "0.14128", "0.01168")


@capability(
    "signal_processing.nuttall_window",
    tier="certified",
    source="nuttall1981",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[0.0003628, 0.5292298, 0.5292298, 0.0003628], origin=MP),
        case(size=5, result=[0.0003628, 0.2269824, 1.0, 0.2269824, 0.0003628], origin=MP),
        case(
            size=9,
            result=[
                0.0003628000000000381,
                0.025205566515401824,
                0.22698240000000006,
                0.7019582334845982,
                1.0,
                0.7019582334845982,
                0.22698240000000006,
                0.025205566515401824,
                0.0003628000000000381,
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.windows.nuttall",
        ),
    ],
)
def nuttall_window(size: int) -> Any:
    """Nuttall window of four cosine terms with least side lobes."""
    return _cosines(size, "0.3635819", "0.4891775", "0.1365995", "0.0106411")


@capability(
    "signal_processing.flat_top_window",
    tier="certified",
    source="dantona2006",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=4, result=[-0.000421051, 0.19821053, 0.19821053, -0.000421051], origin=MP),
        case(size=5, result=[-0.000421051, -0.05473684, 1.000000003, -0.05473684, -0.000421051], origin=MP),
        case(
            size=3,
            result=[-0.0004210510000000013, 1.000000003, -0.0004210510000000013],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.windows.flattop",
        ),
    ],
)
def flat_top_window(size: int) -> Any:
    """Flat-top window of five cosine terms, for reading amplitudes."""
    return _cosines(size, "0.21557895", "0.41663158", "0.277263158", "0.083578947", "0.006947368")


@capability(
    "signal_processing.kaiser_window",
    tier="certified",
    source="kaiser1974",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
        "shape": P(
            "float64",
            domain="[0, 500]",
            about="shape, pi times the alpha that others state; higher widens the main lobe",
            symbol="\\beta",
        ),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["taper"],
    cases=[
        case(size=3, shape=0.0, result=[1.0, 1.0, 1.0], origin="by hand"),
        case(
            size=4,
            shape=5.0,
            result=[0.03671089227128667, 0.7753221044454065, 0.7753221044454065, 0.03671089227128667],
            origin=MP,
        ),
        case(
            size=5,
            shape=8.6,
            result=[0.0013325139979024198, 0.34039362244018856, 1.0, 0.34039362244018856, 0.0013325139979024198],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.windows.kaiser",
        ),
    ],
)
def kaiser_window(size: int, shape: float) -> Any:
    """Kaiser window of a stated shape."""
    top, last = arb(shape).bessel_i(0), size - 1
    return [(arb(shape) * arb(fmpq(4 * k * (last - k), last * last)).sqrt()).bessel_i(0) / top for k in range(size)]


@capability(
    "signal_processing.tukey_window",
    tier="certified",
    source="harris1978, eq. 38",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
        "taper": P("float64", domain="(0, 1]", about="share of the length that is tapered", symbol="\\alpha"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["cosine taper"],
    cases=[
        case(size=3, taper=1.0, result=[0.0, 1.0, 0.0], origin="by hand"),
        case(size=5, taper=0.75, result=[0.0, 0.75, 1.0, 0.75, 0.0], origin=MP),
        case(size=4, taper=0.7, result=[0.0, 0.9944154131125643, 0.9944154131125643, 0.0], origin=MP),
        case(
            size=8,
            taper=0.0999,
            result=[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
            within=1e-14,
            origin="scipy 1.17.1, scipy.signal.windows.tukey",
        ),
    ],
)
def tukey_window(size: int, taper: float) -> Any:
    """Tukey window: flat in the middle, with raised cosines over a share of its length."""
    share = fmpq(*taper.as_integer_ratio())
    places = [fmpq(min(k, size - 1 - k), size - 1) for k in range(size)]
    return [fmpq(1) if 2 * x >= share else (1 - cosine(x / share)) / 2 for x in places]


@capability(
    "signal_processing.sine_window",
    tier="certified",
    source="harris1978, eq. 23",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["MDCT", "cosine window"],
    cases=[
        case(
            size=4, result=[0.3826834323650898, 0.9238795325112867, 0.9238795325112867, 0.3826834323650898], origin=MP
        ),
        case(
            size=5,
            result=[0.3090169943749474, 0.8090169943749475, 1.0, 0.8090169943749475, 0.3090169943749475],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.windows.cosine",
        ),
    ],
)
def sine_window(size: int) -> Any:
    """Sine window, as lapped transforms use it: half a period sampled at midpoints."""
    return [cosine(fmpq(2 * k + 1 - size, 4 * size)) for k in range(size)]


@capability(
    "signal_processing.bartlett_window",
    tier="certified",
    source="harris1978, sec. V.B",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    keywords=["triangle"],
    cases=[
        case(size=3, result=[0.0, 1.0, 0.0], origin="by hand"),
        case(size=4, result=[0.0, 0.6666666666666666, 0.6666666666666666, 0.0], origin=MP),
        case(
            size=5, result=[0.0, 0.5, 1.0, 0.5, 0.0], within=1e-12, origin="scipy 1.17.1, scipy.signal.windows.bartlett"
        ),
    ],
)
def bartlett_window(size: int) -> Any:
    """Triangular window that is 0 at both ends, exact fractions rounded once."""
    return [fmpq(2 * min(k, size - 1 - k), size - 1) for k in range(size)]


@capability(
    "signal_processing.gaussian_window",
    tier="certified",
    source="harris1978",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
        "deviation": P("float64", domain="(0, inf)", about="standard deviation in samples", symbol="\\sigma"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    cases=[
        case(
            size=4,
            deviation=1.5,
            result=[0.6065306597126334, 0.9459594689067654, 0.9459594689067654, 0.6065306597126334],
            origin=MP,
        ),
        case(
            size=5,
            deviation=2.3,
            result=[0.6851812798268945, 0.9098113957113441, 1.0, 0.9098113957113441, 0.6851812798268945],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.windows.gaussian",
        ),
    ],
)
def gaussian_window(size: int, deviation: float) -> Any:
    """Gaussian window of a stated standard deviation in samples."""
    spread = fmpq(*deviation.as_integer_ratio())
    return [arb(-((fmpq(2 * k + 1 - size, 2) / spread) ** 2) / 2).exp() for k in range(size)]


@capability(
    "signal_processing.parzen_window",
    tier="certified",
    source="harris1978",
    params={
        "size": P("int", domain="[2, 4096]", about="number of samples"),
    },
    result=R("float64[n]", unit="1", about="symmetric window"),
    cases=[
        case(size=4, result=[0.03125, 0.71875, 0.71875, 0.03125], origin=MP),
        case(
            size=5,
            result=[0.01599999999999999, 0.42399999999999993, 1.0, 0.42399999999999993, 0.01599999999999999],
            within=1e-12,
            origin="scipy 1.17.1, scipy.signal.windows.parzen",
        ),
    ],
)
def parzen_window(size: int) -> Any:
    """Parzen window, a piecewise cubic, exact fractions rounded once."""
    places = [fmpq(abs(2 * k + 1 - size), size) for k in range(size)]
    return [1 - 6 * x**2 * (1 - x) if 2 * x <= 1 else 2 * (1 - x) ** 3 for x in places]
