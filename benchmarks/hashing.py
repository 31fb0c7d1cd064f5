"""How many doubles a second a column's hash takes, beside three ways of hashing its JSON.

The slow path gives the same hash. json and orjson give another text: both write whole numbers with ".0" and exponents
in their own way, so their hash is no hash of canonical JSON; they show what that costs.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from benchmarks.measure import Row, against, best_beside
from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.canonical_vectors import digest_column
from service_nb.core.digest import compute_sha256_hex

COUNT = 200_000
MOST_SECONDS = COUNT / 15e6


def main() -> list[Row]:
    return [row for name, values in columns().items() for row in compare(name, values)]


def columns() -> dict[str, NDArray[np.float64]]:
    """Return the columns: the usual shapes of data, and two that stress the writing of exponents."""
    random = np.random.default_rng(8785)
    whole = random.integers(-1_000, 1_000_000, COUNT).astype(np.float64)
    return {
        "uniform": random.random(COUNT),
        "normal": random.normal(0, 100, COUNT),
        "prices": random.integers(0, 1_000_000, COUNT) / 100,
        "whole": whole,
        "whole, 3% NaN": np.where(random.random(COUNT) < 0.03, np.nan, whole),
        "1e-20 to 1e25": 10.0 ** random.uniform(-20, 25, COUNT),
        "about 1e-5": random.normal(0, 1e-5, COUNT),
    }


def compare(name: str, values: NDArray[np.float64]) -> list[Row]:
    if digest_column(values) != compute_sha256_hex(write_canonical_bytes(values.tolist())):
        raise AssertionError(f"{name}: the fast and the slow path differ")
    ours, orjson_, json_, slow = best_beside(
        lambda: digest_column(values),
        lambda: hashlib.sha256(orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)).hexdigest(),
        lambda: hashlib.sha256(_json_text(values)).hexdigest(),
        lambda: compute_sha256_hex(write_canonical_bytes(values.tolist())),
        repeats=3,
    )
    rate = Row(f"hash float64, {name}", f"{COUNT / ours / 1e6:.1f} M/s", bar=">= 15 M/s", met=ours <= MOST_SECONDS)
    peers = (("orjson + sha256", orjson_), ("json + sha256", json_), ("slow path", slow))
    return [rate, *(against(f"  {COUNT:,} values", ours, peer) for peer in peers)]


def _json_text(values: NDArray[Any]) -> bytes:
    return json.dumps(values.tolist(), separators=(",", ":")).encode()
