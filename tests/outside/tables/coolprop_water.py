"""Water and steam by the industrial formulation, by CoolProp."""

from __future__ import annotations

import CoolProp
from CoolProp.CoolProp import PropsSI
from oracle import OracleTable

TABLE = OracleTable("CoolProp", CoolProp.__version__)
TABLE.add(
    "water.liquid_density",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("D", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="D of IF97::Water",
    draws={"temperature": [275.0, 620.0], "pressure": [17.0, 99.0]},
)
TABLE.add(
    "water.liquid_enthalpy",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("H", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-09,
    asked="H of IF97::Water",
    draws={"temperature": [275.0, 620.0], "pressure": [17.0, 99.0]},
)
TABLE.add(
    "water.liquid_entropy",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("S", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-09,
    asked="S of IF97::Water",
    draws={"temperature": [275.0, 620.0], "pressure": [17.0, 99.0]},
)
TABLE.add(
    "water.liquid_heat_capacity",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("C", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="C of IF97::Water",
    draws={"temperature": [275.0, 620.0], "pressure": [17.0, 99.0]},
)
TABLE.add(
    "water.liquid_speed_of_sound",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("A", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="A of IF97::Water",
    draws={"temperature": [275.0, 620.0], "pressure": [17.0, 99.0]},
)
TABLE.add(
    "water.steam_density",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("D", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="D of IF97::Water",
    draws={"temperature": [640.0, 1070.0], "pressure": [0.001, 12.0]},
)
TABLE.add(
    "water.steam_enthalpy",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("H", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="H of IF97::Water",
    draws={"temperature": [640.0, 1070.0], "pressure": [0.001, 12.0]},
)
TABLE.add(
    "water.steam_entropy",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("S", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="S of IF97::Water",
    draws={"temperature": [640.0, 1070.0], "pressure": [0.001, 12.0]},
)
TABLE.add(
    "water.steam_heat_capacity",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("C", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="C of IF97::Water",
    draws={"temperature": [640.0, 1070.0], "pressure": [0.001, 12.0]},
)
TABLE.add(
    "water.steam_speed_of_sound",
    "CoolProp.CoolProp.PropsSI",
    lambda temperature, pressure: PropsSI("A", "T", temperature, "P", pressure * 1e6, "IF97::Water"),
    within=1e-10,
    asked="A of IF97::Water",
    draws={"temperature": [640.0, 1070.0], "pressure": [0.001, 12.0]},
)
