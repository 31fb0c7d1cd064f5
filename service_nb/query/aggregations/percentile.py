"""The percentile: the value at a share of the order, between two neighbours linearly, rounded once."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, interpolate

AGGREGATION = Aggregation(
    name="percentile",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.MIDDLES,
    finish=interpolate,
    rounds=True,
    takes_percent=True,
    noun="Percentile {percent} of",
    step="Take percentile {percent} of {of}, between two values linearly, rounded once; nulls are left out",
    label="percentile (of a percent)",
    help="The value below which a percent of the values lie, between two values linearly; percent 50 is the median.",
    synonyms=("quantile", "percentile_cont"),
)
