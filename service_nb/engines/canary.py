"""Whether a database computes as it must: known rows, written as literals, and answers compared to the bit.

No table is touched. The rows are adversarial: magnitudes at both ends of the doubles, sums that cancel, zeros of both
signs, NaN and infinities, nulls, integers of 64 bits at their limits, decimals, and texts that a collation would take
for one another or order in another way than by code point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.base import SqlLink
from service_nb.engines.direct import DirectEngine
from service_nb.engines.extracting import arrow
from service_nb.engines.pushing import Target, pushed, range_of
from service_nb.errors import ConnectorError, QueryInterruptedError, QueryTimeoutError, ServiceError
from service_nb.query.spelling import Spelling
from service_nb.readers.base import Dataset
from service_nb.schema.query import AggregationName, Condition, Group, Plan
from service_nb.schema.source import Content, Field, Value

ROWS = 64

TEXTS = (
    "a",
    "A",
    "a ",
    "á",
    "a\u0301",
    "b",
    "ab",
    "é",
    "e",
    "ss",
    "ß",
    "z",
    "Z",
    "\uffee",
    "😀",
    "%",
    "_",
    "\\",
    "'",
    "aa",
)
_WORDS = (None, "", *TEXTS)
_INTEGERS = (0, 1, -1, 2**63 - 1, -(2**63) + 1, 2**53, 2**53 + 1, -(2**62), None, 7)
_UNITS = (0, 1, -1, 10**14 - 1, 1 - 10**14, 12_345, None, 50)
# Of 38 digits, which some databases are asked for in two halves, cut out of a text: signs and zeros at both ends.
_LONG = ("0", "0.5", "-0.5", "7", "-3000000000.25", "20000000000000000000", None, "-0.000001", "1000000000.1")
_MIDDLE = (0.1, -0.1, 1e16, -1e16, 1.0, 2.0**-53, 2.0**53, 1e-8, -0.0, 0.0, None, 3.0, 1.5, -1e5, 0.3)
_CONDITIONS: tuple[Condition, ...] = (
    Condition(column="word", op="contains", operand="a"),
    Condition(column="word", op="gt", operand="Z"),
    Condition(column="word", op="not_in", operand=("a", "é", "\uffee")),
    Condition(column="middle", op="lte", operand=0.1),
    Condition(column="whole", op="between", operand=(-1, 2**53)),
)


def passes(link: SqlLink, deadline: float) -> bool:
    """Whether the database answers every plan over the canary's rows to the bit.

    Raises
    ------
    QueryTimeoutError [query_timeout], QueryInterruptedError [interrupted], ConnectorError [connector_failed]
        It was not heard to the end.
    """
    fields, rows = _fields(link.spelling), _rows(link.spelling)
    target = Target(relation=_written(link.spelling, fields, rows), fields={field.name: field for field in fields})
    here = DirectEngine(_dataset(fields, rows))
    try:
        return all(_agrees(link, target, here, plan, deadline) for plan in _plans(fields))
    except (QueryTimeoutError, QueryInterruptedError, ConnectorError):
        raise
    except ServiceError:  # it refuses a statement, or answers in types of its own
        return False


def _agrees(link: SqlLink, target: Target, here: DirectEngine, plan: Plan, deadline: float) -> bool:
    known = None
    if plan.metric is not None and target.fields[plan.metric].physical == "float64":
        stats = here.statistics(plan.metric)
        known = range_of(stats, ROWS - stats.nulls)
    found = pushed(link, target, plan, known, deadline)
    return found is not None and _bits(found.groups) == _bits(here.aggregate(plan).groups)


def _bits(groups: Sequence[Group]) -> dict[object, object]:
    return {tuple(map(_form, group.keys)): (group.rows, _form(group.value)) for group in groups}


def _form(value: Value) -> tuple[str, str]:
    """A form by which values are equal only if they are the same to the bit; -0.0 has become 0.0 before."""
    return type(value).__name__, value.hex() if isinstance(value, float) else str(value)


# --- rows -----------------------------------------------------------------------------------------------------------


def _written(spelling: Spelling, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> exp.Expr:
    """The rows as a relation, which is text already: as a tree it would be copied and written anew for each plan."""
    literals = spelling.literal_rows(fields, rows)
    text = exp.Var(this=literals.sql(dialect=spelling.dialect, comments=False))
    columns: list[exp.Expr] = [exp.column(spelling.name(field.name)) for field in fields]
    select = exp.Select(expressions=columns, from_=exp.From(this=text))
    return select.subquery(spelling.alias("canary"), copy=False)


def _fields(spelling: Spelling) -> tuple[Field, ...]:
    fields = [
        Field(name="word", type="string", physical="string"),
        Field(name="whole", type="number", physical="int64"),
        Field(name="middle", type="number", physical="float64"),
        Field(name="large", type="number", physical="float64"),
        Field(name="small", type="number", physical="float64"),
        Field(name="special", type="number", physical="float64"),
    ]
    if spelling.decimals:
        fields.append(Field(name="units", type="number", physical="decimal(18,4)"))
        fields.append(Field(name="long", type="number", physical="decimal(38,10)"))
    return tuple(fields)


def _rows(spelling: Spelling) -> list[tuple[Value, ...]]:
    least, most = spelling.finite_range
    words = [word for word in _WORDS if word != "" or spelling.empty_text]
    large = (most, -most, most / 3, most * 2.0**-60, -most * 2.0**-100, 1e300, None, -1e250)
    small = (least, -least, least * 3, least * 2.0**40, -least * (2.0**90 + 2.0**40), 0.0, None, least * 2.0**110)
    special = (1.5, *spelling.nonfinite, -0.0, 0.0, None, 1.5, -2.25)
    rows: list[tuple[Value, ...]] = []
    for index in range(ROWS):
        row: list[Value] = [_at(words, index), _at(_INTEGERS, index), _at(_MIDDLE, index)]
        row += [_at(large, index * 3), _at(small, index * 5), _at(special, index // 2)]
        if spelling.decimals:
            units = _at(_UNITS, index)
            row.append(None if units is None else Decimal(units).scaleb(-4))
            long = _at(_LONG, index)
            row.append(None if long is None else Decimal(long))
        rows.append(tuple(row))
    return rows


def _at(values: Sequence[object], index: int) -> Any:
    return values[index % len(values)]


def _dataset(fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> Dataset:
    columns = [pa.array(column, arrow(field)) for field, column in zip(fields, zip(*rows, strict=True), strict=True)]
    return Dataset(
        fields=tuple(fields),
        row_count=len(rows),
        content=Content(algorithm="sha256-arrow", sha256=None, size=len(rows)),
        table=pa.table(columns, names=[field.name for field in fields]),
    )


# --- plans ----------------------------------------------------------------------------------------------------------


def _plans(fields: Sequence[Field]) -> Iterator[Plan]:
    names = [field.name for field in fields]
    yield _plan("sum", "middle", "word")
    yield _plan("avg", "large")
    yield _plan("sum", "small", "whole")
    yield _plan("sum", "special", "word")
    yield _plan("max", "special", "whole")
    yield _plan("count", "word", "special")
    yield _plan("sum", "whole", "word")
    yield _plan("min", "word", "middle")
    yield _plan("max", "word")
    yield _plan("median", "middle", "word")
    yield _plan("median", "special")
    yield _plan("median", "whole", "word")
    yield _plan("count_distinct", "word")
    yield _plan("count_distinct", "special", "word")
    if "units" in names:
        yield _plan("avg", "units", "word")
        yield _plan("sum", "long", "word")
        yield _plan("avg", "long")
    for condition in _CONDITIONS:
        yield _plan("sum", "middle", "word", condition)


def _plan(aggregation: AggregationName, metric: str, by: str = "", *conditions: Condition) -> Plan:
    return Plan(
        source_name="canary",
        schema_revision="",
        aggregation=aggregation,
        metric=metric,
        group_by=(by,) if by else (),
        conditions=conditions,
        order="desc",
        limit=None,
        decision_path="exact_spec",
        plan_hash="",
        notes={},
    )
