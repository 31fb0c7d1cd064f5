"""Indicators of TA-Lib; what it leaves open at the beginning of a series is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import talib
from oracle import OracleTable

TABLE = OracleTable("TA-Lib", talib.__version__)
BARS = {"n": (40, 44), "high": (20, 30), "low": (1, 10), "close": (10, 20), "open": (10, 20), "prices": (5, 30)}
DRAWS = {
    **BARS, "volumes": (100, 900), "window": (2, 9), "fast": (2, 4), "slow": (5, 9), "signal": (2, 5), "short": (2, 4),
    "middle": (5, 7), "long": (8, 12), "deviations": (1, 3),
}  # fmt: skip


def _keep(values: Any) -> list[float]:
    return [float(value) for value in values if not np.isnan(value)]


def _add(capability: str, function: str, *names: str, make: Callable[..., Any] | None = None, **more: Any) -> None:
    """Compare with a function of one series, or of several that are named."""
    indicator = getattr(talib, function)

    def compute(*given: Any) -> Any:
        given = tuple(np.array(each, dtype=float) if isinstance(each, list) else each for each in given)
        found = indicator(*given) if make is None else make(*given)
        if not names:
            return _keep(found)
        return {name: _keep(each) for name, each in zip(names, found, strict=True)}

    TABLE.add(
        f"technical_analysis.{capability}",
        f"talib.{function}",
        compute,
        **{"within": 1e-9, "near_zero": 1e-9, "draws": DRAWS, **more},
    )


def _directional(*given: Any) -> list[Any]:
    return [talib.PLUS_DI(*given), talib.MINUS_DI(*given), talib.DX(*given)]


_add("exponential_moving_average", "EMA")
_add("wilder_moving_average", "RMA")
_add("double_exponential_moving_average", "DEMA")
_add("triple_exponential_moving_average", "TEMA")
_add("triangular_moving_average", "TRIMA")
_add("hull_moving_average", "HMA")
_add("kaufman_adaptive_moving_average", "KAMA")
_add("volume_weighted_moving_average", "VWMA")
_add("window_midpoint", "MIDPOINT")
_add("relative_strength_index", "RSI")
_add("chande_momentum_oscillator", "CMO")
_add("price_momentum", "MOM")
_add("rate_of_change", "ROC")
_add("macd", "MACD", "macd", "signal", "histogram")
_add(
    "percentage_price_oscillator",
    "PPO",
    make=lambda prices, fast, slow: talib.PPO(prices, fast, slow, talib.MA_Type.EMA),
    asked="exponential",
)
_add("trix", "TRIX")
_add("efficiency_ratio", "ER")
_add(
    "fast_stochastic",
    "STOCHF",
    make=lambda high, low, close, window: talib.STOCHF(high, low, close, window, 1, 0)[0],
    asked="%K",
)
_add("williams_r", "WILLR")
_add("commodity_channel_index", "CCI")
_add("ultimate_oscillator", "ULTOSC")
_add("aroon", "AROON", "down", "up")
_add("balance_of_power", "BOP")
_add("directional_movement", "PLUS_DI", "plus", "minus", "index", make=_directional, asked="with MINUS_DI and DX")
_add("average_directional_index", "ADX")
_add("true_range", "TRANGE")
_add("average_true_range", "ATR")
_add("normalized_average_true_range", "NATR")
_add(
    "bollinger_bands",
    "BBANDS",
    "upper",
    "middle",
    "lower",
    make=lambda prices, window, deviations: talib.BBANDS(prices, window, deviations, deviations),
)
_add("donchian_channel", "DONCHIAN", "upper", "middle", "lower")
_add("on_balance_volume", "OBV")
_add("accumulation_distribution", "AD")
_add("chaikin_money_flow", "CMF")
_add(
    "money_flow_index",
    "MFI",  # of typical prices that differ: where two are equal as decimals, its sign is that of a rounding
    prepare=lambda drawn: drawn | {"close": [round(each + at / 997, 6) for at, each in enumerate(drawn["close"])]},
)
