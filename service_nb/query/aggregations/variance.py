"""The sample variance (n - 1): exact sums of values and squares, rounded once."""

from __future__ import annotations

from service_nb.query.aggregations.aggregation import NUMBERS, Aggregation, Measure, round_ratio

AGGREGATION = Aggregation(
    name="variance",
    accepts=NUMBERS,
    needs="a number column",
    held="float64",
    measure=Measure.SQUARES,
    finish=round_ratio,
    rounds=True,
    noun="Variance (sample, n-1) of",
    step="Divide the exact squares of {of} around their mean by n-1, round once; nulls are left out",
    label="variance (sample n-1)",
    help="The double nearest to the sample variance (n-1); null of fewer than two values.",
    synonyms=("var", "var_samp"),
)
