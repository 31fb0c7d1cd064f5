"""Indexes of segregation by PySAL's segregation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd
from oracle import OracleTable
from segregation import multigroup, singlegroup
from segregation.singlegroup.atkinson import _atkinson

TABLE = OracleTable("segregation", version("segregation"))
PEOPLE = {"n": [3, 8], "group": [1.0, 400.0], "others": [1.0, 900.0]}


def make_table(group: Sequence[float], others: Sequence[float]) -> pd.DataFrame:
    """Make the table of a group and of everybody."""
    return pd.DataFrame({"group": group, "everybody": [a + b for a, b in zip(group, others, strict=True)]})


def ask_two(find: Callable[..., Any]) -> Callable[..., float]:
    """Return what asks an index of two groups."""

    def ask(group: Sequence[float], others: Sequence[float]) -> float:
        return float(find(make_table(group, others), "group", "everybody").statistic)

    return ask


def ask_many(find: Callable[..., Any]) -> Callable[..., float]:
    """Return what asks an index of many groups."""

    def ask(counts: Sequence[Sequence[float]]) -> float:
        table = pd.DataFrame(counts, columns=[f"group {each}" for each in range(len(counts[0]))])
        return float(find(table, list(table.columns)).statistic)

    return ask


for _name, _index in (
    ("dissimilarity_index", "Dissim"),
    ("isolation_index", "Isolation"),
    ("interaction_index", "Interaction"),
    ("segregation_correlation_ratio", "CorrelationR"),
    ("segregation_entropy", "Entropy"),
    ("segregation_gini", "Gini"),
):
    TABLE.add(
        f"inequality.{_name}",
        f"segregation.singlegroup.{_index}",
        ask_two(getattr(singlegroup, _index)),
        draws=PEOPLE,
        within=1e-10,
    )
TABLE.add(
    "inequality.segregation_atkinson",
    "segregation.singlegroup.atkinson._atkinson",  # the class Atkinson does not pass the weight on
    lambda group, others, weight: float(_atkinson(make_table(group, others), "group", "everybody", b=weight)[0]),
    draws=PEOPLE,
    within=1e-10,
)
for _name, _index in (
    ("dissimilarity", "MultiDissim"),
    ("entropy", "MultiInfoTheory"),
    ("exposure", "MultiNormExposure"),
    ("relative_diversity", "MultiRelativeDiversity"),
):
    TABLE.add(
        f"inequality.multigroup_{_name}",
        f"segregation.multigroup.{_index}",
        ask_many(getattr(multigroup, _index)),
        draws={"m": [3, 6], "n": [3, 4], "counts": [1.0, 500.0]},
        within=1e-10,
    )
