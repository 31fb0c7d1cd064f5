"""Heat stress, by thermofeel."""

from __future__ import annotations

from importlib.metadata import version

import thermofeel
from oracle import OracleTable

TABLE = OracleTable("thermofeel", version("thermofeel"))
TABLE.add(
    "thermal_comfort.predicted_percentage_dissatisfied",
    "thermofeel.calculate_ppd",
    lambda vote: float(thermofeel.calculate_ppd(vote)) / 100,
    draws={"vote": [-3, 3]},
)
TABLE.add(
    "thermal_comfort.apparent_temperature",
    "thermofeel.calculate_apparent_temperature",
    lambda temperature, humidity, wind_speed: (
        float(thermofeel.calculate_apparent_temperature(temperature + 273.15, wind_speed, humidity)) - 273.15
    ),
    draws={"temperature": [0, 45], "humidity": [10, 95], "wind_speed": [0.1, 10]},
    within=1e-10,
    near_zero=1e-11,
)
TABLE.add(
    "thermal_comfort.discomfort_index",
    "thermofeel.calculate_discomfort_index",
    lambda temperature, humidity: float(thermofeel.calculate_discomfort_index(temperature + 273.15, humidity)) - 273.15,
    draws={"temperature": [15, 45], "humidity": [10, 95]},
    within=1e-10,
)
TABLE.add(
    "thermal_comfort.wbgt_from_humidity",
    "thermofeel.calculate_wbgt_simple",
    lambda temperature, humidity: float(thermofeel.calculate_wbgt_simple(temperature + 273.15, humidity)) - 273.15,
    draws={"temperature": [15, 45], "humidity": [10, 95]},
    within=1e-10,
)
TABLE.add(
    "thermal_comfort.relative_strain_index",
    "thermofeel.calculate_relative_strain_index",
    lambda temperature, humidity: float(thermofeel.calculate_relative_strain_index(temperature + 273.15, humidity)),
    draws={"temperature": [15, 35], "humidity": [10, 90]},
    within=1e-09,
    near_zero=1e-12,
)
TABLE.add(
    "thermal_comfort.summer_simmer_index",
    "thermofeel.calculate_summer_simmer_index",
    lambda temperature, humidity: (
        float(thermofeel.calculate_summer_simmer_index(temperature + 273.15, humidity)) - 273.15
    ),
    draws={"temperature": [22, 45], "humidity": [10, 95]},
    within=1e-10,
)
