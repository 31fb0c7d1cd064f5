"""Images of scikit-image."""
# fmt: off  # a row compares one capability

from __future__ import annotations

import numpy as np
import skimage
from oracle import OracleTable
from skimage import exposure, metrics

TABLE = OracleTable("scikit-image", skimage.__version__)
_IMAGE = {"r": (3, 6), "c": (3, 6), "value": (0, 1), "gain": (0.2, 1), "exponent": (0.3, 3)}
TABLE.add(
    "image_processing.image_mse",
    "skimage.metrics.mean_squared_error",
    lambda image, reference: metrics.mean_squared_error(np.array(image), np.array(reference)),
    draws=_IMAGE,
)
TABLE.add(
    "image_processing.gamma_correction",
    "skimage.exposure.adjust_gamma",
    lambda value, gain, exponent: exposure.adjust_gamma(np.array([[value]]), exponent, gain)[0, 0],
    draws=_IMAGE,
)
TABLE.add(
    "signal_processing.peak_signal_to_noise_db",
    "skimage.metrics.peak_signal_noise_ratio",
    lambda peak, mean_squared_error: metrics.peak_signal_noise_ratio(
        np.zeros((2, 2)), np.full((2, 2), np.sqrt(mean_squared_error)), data_range=peak
    ),
    near_zero=1e-12,
)
