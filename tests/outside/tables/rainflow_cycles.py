"""Cycle counts of rainflow."""

from __future__ import annotations

import rainflow
from oracle import OracleTable


def count(values):
    """Make the record of a count."""
    cycles = [each[:3] for each in rainflow.extract_cycles(values)]
    return dict(zip(("ranges", "means", "counts"), map(list, zip(*cycles, strict=True)), strict=True))


TABLE = OracleTable("rainflow", rainflow.__version__)
TABLE.add(
    "materials.rainflow_cycles",
    "rainflow.extract_cycles",
    lambda values: count(values),
    draws={"n": (3, 40), "values": (-9.0, 9.0)},
    within=1e-13,
)
