"""Levels, bands and absorption of sound by python-acoustics, which needs an environment with SciPy before 1.15."""

from __future__ import annotations

from importlib.metadata import version

import acoustics.descriptors as levels
import numpy as np
from acoustics import doppler, room
from acoustics.standards import iec_61260_1_2014 as bands
from acoustics.standards import iso_9613_1_1993 as air
from acoustics.standards import iso_tr_25417_2007 as quantities
from oracle import OracleTable

TABLE = OracleTable("acoustics", version("acoustics"))
AIR = {"pressure": [80000.0, 105000.0], "temperature": [250.0, 315.0], "vapor": [0.05, 4.0]}
PRESSURE, TEMPERATURE, TRIPLE = 101325.0, 293.15, 273.16
SPEED = 24 * np.log(10) / 0.161  # m/s


def find_absorption(frequency: float, temperature: float, humidity: float, pressure: float) -> float:
    """Return the attenuation coefficient of humid air."""
    saturation = air.saturation_pressure(temperature, PRESSURE, TRIPLE)
    vapor = air.molar_concentration_water_vapour(100 * humidity, saturation, pressure)
    oxygen = air.relaxation_frequency_oxygen(pressure, vapor, PRESSURE)
    nitrogen = air.relaxation_frequency_nitrogen(pressure, temperature, vapor, PRESSURE, TEMPERATURE)
    return float(air.attenuation_coefficient(pressure, temperature, PRESSURE, TEMPERATURE, nitrogen, oxygen, frequency))


TABLE.add(
    "acoustics.equivalent_level",
    "acoustics.descriptors.leq",
    lambda each: float(levels.leq(each)),
    draws={"levels": [30.0, 95.0]},
)
TABLE.add(
    "acoustics.sound_exposure_level",
    "acoustics.descriptors.sel",
    lambda level, duration: float(levels.sel([level] * int(duration))),
    draws={"level": [30.0, 95.0], "duration": [5.0, 12.0, 60.0, 90.0, 600.0]},
)
TABLE.add(
    "acoustics.day_evening_night_level",
    "acoustics.descriptors.lden",
    lambda day, evening, night, evening_hours, night_hours: float(
        levels.lden(day, evening, night, hours=(24 - evening_hours - night_hours, evening_hours, night_hours))
    ),
    draws={
        "day": [40.0, 80.0],
        "evening": [35.0, 75.0],
        "night": [30.0, 70.0],
        "evening_hours": [2.0, 3.0, 4.0],
        "night_hours": [6.0, 8.0, 9.0],
    },
)
TABLE.add(
    "acoustics.sound_power_level",
    "acoustics.descriptors.lw",
    lambda power: float(levels.lw(power)),
    draws={"power": [1e-6, 2.0]},
)
TABLE.add(
    "acoustics.octave_band_center",
    "acoustics.standards.iec_61260_1_2014.exact_center_frequency",
    lambda band, fraction, reference: float(bands.exact_center_frequency(band, fraction, reference)),
    draws={"band": [-18, 14], "fraction": [1, 12], "reference": [1000.0]},
)
TABLE.add(
    "acoustics.octave_band_edges",
    "acoustics.standards.iec_61260_1_2014.lower_frequency",
    lambda center, fraction: {
        "lower": float(bands.lower_frequency(center, fraction)),
        "upper": float(bands.upper_frequency(center, fraction)),
    },
    draws={"center": [20.0, 16000.0], "fraction": [1, 12]},
    asked="and upper_frequency",
)
TABLE.add(
    "acoustics.oxygen_relaxation_frequency",
    "acoustics.standards.iso_9613_1_1993.relaxation_frequency_oxygen",
    lambda pressure, vapor: float(air.relaxation_frequency_oxygen(pressure, vapor, PRESSURE)),
    draws=AIR,
)
TABLE.add(
    "acoustics.nitrogen_relaxation_frequency",
    "acoustics.standards.iso_9613_1_1993.relaxation_frequency_nitrogen",
    lambda pressure, temperature, vapor: float(
        air.relaxation_frequency_nitrogen(pressure, temperature, vapor, PRESSURE, TEMPERATURE)
    ),
    draws=AIR,
)
TABLE.add(
    "acoustics.air_absorption",
    "acoustics.standards.iso_9613_1_1993.attenuation_coefficient",
    find_absorption,
    draws={"frequency": [50.0, 8000.0], "humidity": [0.1, 1.0], **AIR},
)
TABLE.add(
    "acoustics.sound_pressure_level",
    "acoustics.standards.iso_tr_25417_2007.sound_pressure_level",
    lambda pressure: float(quantities.sound_pressure_level(pressure)),
    draws={"pressure": [1e-4, 20.0]},
)
TABLE.add(
    "acoustics.intensity_level",
    "acoustics.standards.iso_tr_25417_2007.time_averaged_sound_intensity_level",
    lambda intensity: float(quantities.time_averaged_sound_intensity_level([intensity])),
    draws={"intensity": [1e-9, 1e-2]},
)
TABLE.add(
    "acoustics.doppler_frequency",
    "acoustics.doppler.frequency_shift",
    lambda frequency, speed, listener_speed, source_speed: doppler.frequency_shift(
        frequency, -source_speed, listener_speed, speed
    ),
    draws={
        "frequency": [50.0, 5000.0],
        "speed": [320.0, 350.0],
        "listener_speed": [-40.0, 40.0],
        "source_speed": [-40.0, 40.0],
    },
)
TABLE.add(
    "acoustics.sabine_reverberation_time",
    "acoustics.room.t60_sabine",
    lambda volume, absorption: float(room.t60_sabine(np.array([2 * absorption]), np.array([0.5]), volume, SPEED)),
    draws={"volume": [20.0, 9000.0], "absorption": [5.0, 900.0]},
    asked="at the speed of sound at which its constant is 0.161 s/m",
)
TABLE.add(
    "acoustics.eyring_reverberation_time",
    "acoustics.room.t60_eyring",
    lambda volume, surface, absorption_coefficient: float(
        room.t60_eyring(np.array([surface]), np.array([absorption_coefficient]), volume, SPEED)
    ),
    draws={"volume": [20.0, 9000.0], "surface": [40.0, 3000.0], "absorption_coefficient": [0.05, 0.9]},
    asked="at the speed of sound at which its constant is 0.161 s/m",
)
