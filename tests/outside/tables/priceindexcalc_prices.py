"""Index numbers of prices and quantities of PriceIndexCalc."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from oracle import OracleTable
from PriceIndexCalc.pandas_modules import bilateral

TABLE = OracleTable("PriceIndexCalc", version("PriceIndexCalc"))
DRAWS = dict.fromkeys(("base_prices", "prices", "base_quantities", "quantities"), (0.5, 90)) | {"n": (2, 6)}


def _add(capability: str, function: Any, *names: str, asked: str = "") -> None:
    TABLE.add(
        f"economics.{capability}", f"PriceIndexCalc.bilateral.{function.__name__}",
        lambda **given: float(function(*(np.array(given[name]) for name in names))),
        within=1e-12, draws=DRAWS, asked=asked,
    )


for _name, _function in (("carli", bilateral.carli), ("dutot", bilateral.dutot), ("jevons", bilateral.jevons)):
    _add(f"{_name}_price_index", _function, "base_prices", "prices")
_add("laspeyres_price_index", bilateral.laspeyres, "base_prices", "prices", "base_quantities")
_add("paasche_price_index", bilateral.paasche, "base_prices", "prices", "quantities")
for _name, _function in (
    ("fisher", bilateral.fisher), ("marshall_edgeworth", bilateral.marshall_edgeworth),
    ("tornqvist", bilateral.tornqvist), ("walsh", bilateral.walsh),
):
    _add(f"{_name}_price_index", _function, "base_prices", "prices", "base_quantities", "quantities")
_add("laspeyres_quantity_index", bilateral.laspeyres, "base_quantities", "quantities", "base_prices", asked="of quantities")
_add("paasche_quantity_index", bilateral.paasche, "base_quantities", "quantities", "prices", asked="of quantities")
