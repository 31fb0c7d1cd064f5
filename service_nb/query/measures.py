"""Measures: how one is written and spelled, and what its values are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service_nb.query.aggregations import RECORDS
from service_nb.schema.query import AskedMeasure
from service_nb.schema.source import Field


def write_measure(measure: AskedMeasure) -> dict[str, object]:
    """Return a measure as specs and plans have it: a percent as decimal text."""
    form: dict[str, object] = {"aggregation": measure.aggregation}
    if measure.metric is not None:
        form["metric"] = measure.metric
    if measure.percent is not None:
        form["percent"] = f"{measure.percent:f}"
    return form


def spell_measure(measure: AskedMeasure) -> str:
    """Return a measure in words: `sum revenue`, `percentile 90 of delay`, and `count` of rows."""
    words = measure.aggregation if measure.percent is None else f"{measure.aggregation} {measure.percent:f} of"
    return words if measure.metric is None else f"{words} {measure.metric}"


def build_measure_field(name: str, measure: AskedMeasure, fields: Mapping[str, Field]) -> Field:
    """Return the type of a measure's values."""
    if measure.metric is None:
        return Field(name=name, type="number", physical="int64")
    field = fields[measure.metric]
    physical = RECORDS[measure.aggregation].hold(field.physical)
    if physical != field.physical:
        return Field(name=name, type="number", physical=physical)
    return replace(field, name=name)
