"""Windows and steps between doubles of NumPy."""

# fmt: off
from __future__ import annotations

import numpy as np
from oracle import OracleTable

TABLE = OracleTable("numpy", np.__version__)
TABLE.add("elementary.next_up", "numpy.nextafter", lambda x: float(np.nextafter(x, np.inf)), draws={"x": (-99, 99)}, within=1e-17, asked="towards infinity")
TABLE.add("signal_processing.blackman_window", "numpy.blackman", np.blackman, draws={"size": (3, 40)}, within=1e-12, near_zero=1e-14)
TABLE.add("elementary.decimal_digits", "numpy.format_float_positional", lambda x: np.format_float_positional(x, unique=False, precision=1200, trim="-"), draws={"x": (0.01, 99)}, asked="not unique, trimmed")
TABLE.add("elementary.round_significant", "numpy.format_float_positional", lambda x, digits: float(np.format_float_positional(x, unique=False, precision=digits, fractional=False)), draws={"x": (-99, 99), "digits": (1, 2)}, within=1e-17, asked="not unique, not fractional, as a number")
TABLE.add("elementary.round_decimal", "numpy.format_float_positional", lambda x, digits: float(np.format_float_positional(x, unique=False, precision=digits)), draws={"x": (-9, 9), "digits": (0, 1)}, within=1e-17, asked="not unique, as a number")
