"""One module for each aggregation, with its record as `AGGREGATION`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from service_nb.query.aggregations.aggregation import Aggregation
from service_nb.schema.query import AGGREGATIONS, AggregationName


def _find(name: AggregationName) -> Aggregation:
    found: Aggregation = import_module(f"{__name__}.{name}").AGGREGATION
    return found


RECORDS: Mapping[str, Aggregation] = {name: _find(name) for name in AGGREGATIONS}
