"""Evapotranspiration, by pyet."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import pyet
from oracle import OracleTable


def _series(value: float, day: int = 180) -> Any:
    return pd.Series([value], index=pd.DatetimeIndex([pd.Timestamp("2001-01-01") + pd.Timedelta(days=day - 1)]))


def _value(series: Any) -> float:
    return float(np.asarray(series).ravel()[0])


TABLE = OracleTable("pyet", version("pyet"))
TABLE.add(
    "evapotranspiration.tetens_vapour_pressure",
    "pyet.calc_e0",
    lambda temperature: float(pyet.calc_e0(temperature)),
    draws={"temperature": [5, 32]},
)
TABLE.add(
    "evapotranspiration.vapour_pressure_slope",
    "pyet.calc_vpc",
    lambda temperature: float(pyet.calc_vpc(temperature)),
    draws={"temperature": [5, 32]},
)
TABLE.add(
    "evapotranspiration.psychrometric_constant",
    "pyet.calc_psy",
    lambda pressure: float(pyet.calc_psy(pressure)),
    draws={"pressure": [75, 103]},
)
TABLE.add(
    "evapotranspiration.latent_heat_of_vaporization",
    "pyet.calc_lambda",
    lambda temperature: float(pyet.calc_lambda(temperature)),
    draws={"temperature": [5, 32]},
)
TABLE.add(
    "evapotranspiration.pressure_at_elevation",
    "pyet.calc_press",
    lambda elevation: float(pyet.calc_press(elevation)),
    draws={"elevation": [-100, 4000]},
)
TABLE.add(
    "evapotranspiration.daily_extraterrestrial_radiation",
    "pyet.extraterrestrial_r",
    lambda latitude, day: _value(pyet.extraterrestrial_r(_series(1.0, day).index, np.radians(latitude))),
    draws={"latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.fao_daylight_hours",
    "pyet.daylight_hours",
    lambda latitude, day: _value(pyet.daylight_hours(_series(1.0, day).index, np.radians(latitude))),
    draws={"latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.fao_clear_sky_radiation",
    "pyet.calc_rso",
    lambda elevation, extraterrestrial: float(pyet.calc_rso(extraterrestrial, elevation)),
    draws={"elevation": [0, 4000], "extraterrestrial": [5, 42]},
)
TABLE.add(
    "evapotranspiration.net_longwave_radiation",
    "pyet.calc_rad_long",
    lambda maximum, minimum, vapour_pressure, sunlight, clear_sky: _value(
        pyet.calc_rad_long(
            _series(sunlight),
            tmax=_series(maximum),
            tmin=_series(minimum),
            rso=_series(clear_sky),
            ea=_series(vapour_pressure),
        )
    ),
    draws={
        "maximum": [18, 35],
        "minimum": [5, 17],
        "vapour_pressure": [0.5, 3],
        "sunlight": [11, 22],
        "clear_sky": [23, 32],
    },
    within=1e-06,
)
TABLE.add(
    "evapotranspiration.penman_monteith_fao56",
    "pyet.pm_fao56",
    lambda maximum, minimum, wind_speed, net_radiation, vapour_pressure, pressure, soil_heat: _value(
        pyet.pm_fao56(
            _series((maximum + minimum) / 2),
            _series(wind_speed),
            rn=_series(net_radiation),
            g=soil_heat,
            tmax=_series(maximum),
            tmin=_series(minimum),
            ea=_series(vapour_pressure),
            pressure=pressure,
            clip_zero=False,
        )
    ),
    draws={
        "maximum": [20, 38],
        "minimum": [5, 19],
        "wind_speed": [0.3, 6],
        "net_radiation": [5, 20],
        "vapour_pressure": [0.5, 1.5],
        "pressure": [75, 103],
        "soil_heat": [0.0, 0.0, 0.0],
    },
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.priestley_taylor_evapotranspiration",
    "pyet.priestley_taylor",
    lambda temperature, net_radiation, pressure, soil_heat, coefficient: _value(
        pyet.priestley_taylor(
            _series(temperature),
            rn=_series(net_radiation),
            g=soil_heat,
            pressure=pressure,
            alpha=coefficient,
            clip_zero=False,
        )
    ),
    draws={
        "temperature": [5, 32],
        "net_radiation": [3, 20],
        "pressure": [75, 103],
        "soil_heat": [0.0, 2.0, 1.0],
        "coefficient": [1.1, 1.4],
    },
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.makkink_evapotranspiration",
    "pyet.makkink",
    lambda temperature, sunlight, pressure, coefficient: _value(
        pyet.makkink(_series(temperature), _series(sunlight), pressure=pressure, k=coefficient, clip_zero=False)
    ),
    draws={"temperature": [5, 32], "sunlight": [5, 30], "pressure": [75, 103], "coefficient": [0.6, 0.8]},
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.turc_evapotranspiration",
    "pyet.turc",
    lambda temperature, sunlight, humidity: _value(
        pyet.turc(_series(temperature), _series(sunlight), _series(humidity))
    ),
    draws={"temperature": [2, 32], "sunlight": [5, 30], "humidity": [20, 95]},
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.hargreaves_evapotranspiration",
    "pyet.hargreaves",
    lambda maximum, minimum, latitude, day: _value(
        pyet.hargreaves(
            _series((maximum + minimum) / 2, day), _series(maximum, day), _series(minimum, day), np.radians(latitude)
        )
    ),
    draws={"maximum": [20, 38], "minimum": [5, 19], "latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.oudin_evapotranspiration",
    "pyet.oudin",
    lambda temperature, latitude, day: _value(pyet.oudin(_series(temperature, day), np.radians(latitude))),
    draws={"temperature": [5, 32], "latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.mcguinness_bordne_evapotranspiration",
    "pyet.mcguinness_bordne",
    lambda temperature, latitude, day: _value(pyet.mcguinness_bordne(_series(temperature, day), np.radians(latitude))),
    draws={"temperature": [5, 32], "latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.hamon_evapotranspiration",
    "pyet.hamon",
    lambda temperature, latitude, day: _value(pyet.hamon(_series(temperature, day), np.radians(latitude))),
    draws={"temperature": [5, 32], "latitude": [-60, 60], "day": [1, 365]},
    within=1e-08,
)
TABLE.add(
    "evapotranspiration.jensen_haise_evapotranspiration",
    "pyet.jensen_haise",
    lambda temperature, sunlight: _value(pyet.jensen_haise(_series(temperature), _series(sunlight))),
    draws={"temperature": [5, 32], "sunlight": [5, 30]},
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.abtew_evapotranspiration",
    "pyet.abtew",
    lambda temperature, sunlight: _value(pyet.abtew(_series(temperature), _series(sunlight))),
    draws={"temperature": [5, 32], "sunlight": [5, 30]},
    within=1e-11,
)
TABLE.add(
    "evapotranspiration.romanenko_evapotranspiration",
    "pyet.romanenko",
    lambda temperature, humidity: _value(pyet.romanenko(_series(temperature), _series(humidity))),
    draws={"temperature": [5, 32], "humidity": [20, 95]},
    within=1e-10,
)
TABLE.add(
    "evapotranspiration.blaney_criddle_evapotranspiration",
    "pyet.blaney_criddle",
    lambda temperature, daylight_share, coefficient: _value(
        pyet.blaney_criddle(_series(temperature), 0.5, k=coefficient, py=daylight_share, method=1)
    ),
    draws={"temperature": [5, 32], "daylight_share": [0.1, 0.4], "coefficient": [0.4, 1.0]},
    within=1e-11,
)
