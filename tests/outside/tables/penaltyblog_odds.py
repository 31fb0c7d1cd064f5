"""Chances in odds by penaltyblog, which is installed without what it needs for loading and drawing data."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from penaltyblog.implied.implied import calculate_implied
from penaltyblog.implied.models import OddsFormat, OddsInput

TABLE = OracleTable("penaltyblog", version("penaltyblog"))
IMPLIED = "penaltyblog.implied.implied.calculate_implied"
MARKET = {"n": [2, 3], "odds": [1.2, 2.8]}

TABLE.add(
    "sports.decimal_odds_from_american",
    "penaltyblog.implied.models.OddsInput.to_decimal",
    lambda american: OddsInput(values=[american], format=OddsFormat.AMERICAN).to_decimal()[0],
    draws={"american": [-450.0, -150.0, -110.0, 105.0, 240.0, 1200.0]},
)
TABLE.add(
    "sports.bookmaker_margin",
    IMPLIED,
    lambda odds: calculate_implied(odds).margin,
    draws=MARKET,
    near_zero=1e-14,
)
for _name, _method, _accuracy in (
    ("", "multiplicative", 1e-13),
    ("_additive", "additive", 1e-12),
    ("_power", "power", 1e-10),
    ("_shin", "shin", 1e-9),
    ("_odds_ratio", "odds_ratio", 1e-9),
):
    TABLE.add(
        f"sports.implied_probabilities{_name}",
        IMPLIED,
        lambda odds, method=_method: calculate_implied(odds, method=method).probabilities,
        draws=MARKET,
        asked=_method,
        within=_accuracy,
        near_zero=1e-12,
    )
