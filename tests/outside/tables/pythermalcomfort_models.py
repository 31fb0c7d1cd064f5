"""Thermal comfort, by pythermalcomfort."""

from __future__ import annotations

import pythermalcomfort
from oracle import OracleTable
from pythermalcomfort import models, utilities

TABLE = OracleTable("pythermalcomfort", pythermalcomfort.__version__)
TABLE.add(
    "thermal_comfort.predicted_mean_vote",
    "pythermalcomfort.models.pmv_ppd_iso",
    lambda temperature, radiant_temperature, air_speed, humidity, metabolic_rate, clothing, work: float(
        models.pmv_ppd_iso(
            temperature,
            radiant_temperature,
            air_speed,
            humidity,
            metabolic_rate / 58.15,
            clothing / 0.155,
            work / 58.15,
            limit_inputs=False,
            round_output=False,
        ).pmv
    ),
    draws={
        "temperature": [12, 30],
        "radiant_temperature": [12, 38],
        "air_speed": [0.02, 0.9],
        "humidity": [10, 95],
        "metabolic_rate": [50, 180],
        "clothing": [0.01, 0.3],
        "work": [0.0, 0.0, 0.0],
    },
    within=0.005,
    near_zero=0.005,
)
TABLE.add(
    "thermal_comfort.operative_temperature",
    "pythermalcomfort.utilities.operative_tmp",
    lambda temperature, radiant_temperature, air_speed: float(
        utilities.operative_tmp(temperature, radiant_temperature, air_speed)
    ),
    draws={"temperature": [12, 35], "radiant_temperature": [12, 38], "air_speed": [0.02, 1.0]},
)
TABLE.add(
    "thermal_comfort.mean_radiant_temperature",
    "pythermalcomfort.utilities.mean_radiant_tmp",
    lambda globe_temperature, temperature, air_speed, diameter, emissivity: float(
        utilities.mean_radiant_tmp(globe_temperature, temperature, air_speed, diameter, emissivity, "ISO")
    ),
    draws={
        "globe_temperature": [20, 55],
        "temperature": [15, 40],
        "air_speed": [0.1, 2],
        "diameter": [0.04, 0.15],
        "emissivity": [0.9, 0.98],
    },
    within=1e-10,
    near_zero=1e-10,
)
TABLE.add(
    "thermal_comfort.adaptive_comfort_ashrae",
    "pythermalcomfort.models.adaptive_ashrae",
    lambda outdoor_temperature: float(
        models.adaptive_ashrae(25, 25, outdoor_temperature, 0.1, round_output=False).tmp_cmf
    ),
    draws={"outdoor_temperature": [10, 33.5]},
)
TABLE.add(
    "thermal_comfort.adaptive_comfort_en",
    "pythermalcomfort.models.adaptive_en",
    lambda outdoor_temperature: float(models.adaptive_en(25, 25, outdoor_temperature, 0.1, round_output=False).tmp_cmf),
    draws={"outdoor_temperature": [10, 30]},
)
TABLE.add(
    "thermal_comfort.clothing_from_weather",
    "pythermalcomfort.models.clo_tout",
    lambda outdoor_temperature: float(models.clo_tout(outdoor_temperature).clo_tout),
    draws={"outdoor_temperature": [-10, 35]},
    within=0.02,
    asked="rounded to two digits",
)
TABLE.add(
    "thermal_comfort.heat_index",
    "pythermalcomfort.models.heat_index_rothfusz",
    lambda temperature, humidity: float(models.heat_index_rothfusz(temperature, humidity, round_output=False).hi),
    draws={"temperature": [27, 45], "humidity": [40, 95]},
    within=1e-11,
)
TABLE.add(
    "thermal_comfort.humidex",
    "pythermalcomfort.models.humidex",
    lambda temperature, humidity: float(models.humidex(temperature, humidity, round_output=False).humidex),
    draws={"temperature": [15, 45], "humidity": [10, 95]},
)
TABLE.add(
    "thermal_comfort.temperature_humidity_index",
    "pythermalcomfort.models.thi",
    lambda temperature, humidity: float(models.thi(temperature, humidity, round_output=False).thi),
    draws={"temperature": [15, 45], "humidity": [10, 95]},
)
TABLE.add(
    "thermal_comfort.wbgt_outdoors",
    "pythermalcomfort.models.wbgt",
    lambda wet_bulb, globe, temperature: float(
        models.wbgt(wet_bulb, globe, temperature, with_solar_load=True, round_output=False).wbgt
    ),
    draws={"wet_bulb": [10, 32], "globe": [20, 55], "temperature": [15, 45]},
)
TABLE.add(
    "thermal_comfort.wbgt_indoors",
    "pythermalcomfort.models.wbgt",
    lambda wet_bulb, globe: float(models.wbgt(wet_bulb, globe, round_output=False).wbgt),
    draws={"wet_bulb": [10, 32], "globe": [20, 55]},
)
TABLE.add(
    "thermal_comfort.net_effective_temperature",
    "pythermalcomfort.models.net",
    lambda temperature, humidity, wind_speed: float(
        models.net(temperature, humidity, wind_speed, round_output=False).net
    ),
    draws={"temperature": [-10, 40], "humidity": [10, 95], "wind_speed": [0.1, 10]},
    near_zero=1e-11,
)
TABLE.add(
    "thermal_comfort.environmental_stress_index",
    "pythermalcomfort.models.esi",
    lambda temperature, humidity, sunlight: float(models.esi(temperature, humidity, sunlight, round_output=False).esi),
    draws={"temperature": [15, 45], "humidity": [10, 95], "sunlight": [0, 1000]},
)
TABLE.add(
    "thermal_comfort.wind_chill_power",
    "pythermalcomfort.models.wci",
    lambda temperature, wind_speed: float(models.wci(temperature, wind_speed, round_output=False).wci),
    draws={"temperature": [-40, 10], "wind_speed": [1, 20]},
)
TABLE.add(
    "thermal_comfort.hothaps_work_capacity",
    "pythermalcomfort.models.work_capacity_hothaps",
    lambda wbgt, middle, exponent: (
        float(models.work_capacity_hothaps(wbgt, {30.94: "heavy", 32.93: "moderate", 34.64: "light"}[middle]).capacity)
        / 100
    ),
    draws={"wbgt": [20, 38], "middle": [30.94, 32.93, 34.64], "exponent": [16.64]},
    prepare=lambda drawn: drawn | {"exponent": {30.94: 16.64, 32.93: 17.81, 34.64: 22.72}[drawn["middle"]]},
)
TABLE.add(
    "thermal_comfort.dunne_work_capacity",
    "pythermalcomfort.models.work_capacity_dunne",
    lambda wbgt: float(models.work_capacity_dunne(wbgt).capacity) / 100,
    draws={"wbgt": [22, 33]},
    near_zero=1e-12,
)
