"""The median: the middle value, or of an even count the mean of the two in the middle, rounded once."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, interpolate

AGGREGATION = Aggregation(
    name="median",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.MIDDLES,
    finish=interpolate,
    rounds=True,
    noun="Median of",
    step="Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out",
    label="median (middle)",
    help="The middle value; of an even count the double nearest to the mean of the two in the middle.",
    synonyms=("middle",),
)
