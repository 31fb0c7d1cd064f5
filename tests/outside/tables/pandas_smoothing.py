"""Smoothing of series by pandas."""

# fmt: off
from __future__ import annotations

import pandas as pd
from oracle import OracleTable

TABLE = OracleTable("pandas", pd.__version__)
DRAWS = {"signal": (-9, 9), "values": (-9, 9), "n": (7, 12), "share": (0.05, 0.95), "width": (1, 2), "window": (3, 5)}
TABLE.add("signal_processing.exponential_smoothing_filter", "pandas.Series.ewm", lambda signal, share: pd.Series(signal).ewm(alpha=share, adjust=False).mean().tolist(), draws=DRAWS, within=1e-11, near_zero=1e-12, asked="without adjustment")
TABLE.add("time_series.moving_median", "pandas.Series.rolling", lambda series, window: pd.Series(series).rolling(window).median().dropna().tolist(), draws=DRAWS | {"series": (-9, 9)}, within=1e-13, asked="median")
