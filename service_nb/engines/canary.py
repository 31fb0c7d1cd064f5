"""The canary, a test of a database: query known rows, written as literals, and compare the answers to the bit.

No table is touched. The rows are adversarial: magnitudes at both ends of the doubles, sums that cancel, zeros of both
signs, NaN and infinities, nulls, integers of 64 bits at their limits, decimals, and texts that a collation would take
for one another or order in another way than by code point.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.base import SqlLink
from service_nb.engines.engine import find_arrow_type
from service_nb.engines.memory import MemoryEngine
from service_nb.engines.pushing import Target, derive_range, push_plan
from service_nb.engines.running import compute_wait, stopped_as_told
from service_nb.errors import ConnectorError, QueryInterruptedError, QueryTimeoutError, ServiceError
from service_nb.query.spelling import Spelling
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import AggregationName, Condition, Group, Plan
from service_nb.schema.source import Content, Field, Value

ROWS = 64
DAY_S = 86_400.0

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


class CanaryVerdict:
    """The canary's verdict on one database, shared by all engines over it: whether the database adds exactly.

    It is believed for a day. Safe to share between threads: of several that ask at once, one tries it.
    """

    def __init__(self) -> None:
        self._given = False
        self._until: float | None = None
        self._trying = threading.Lock()

    def find_verdict(self) -> bool | None:
        """Return the canary's verdict on the database; None when it did not run within a day."""
        return self._given if self._until is not None and time.monotonic() <= self._until else None

    def forget_verdict(self) -> None:
        """Believe nothing of before: the database is tried when it is asked next."""
        self._until = None

    def learn_verdict(self, passes: Callable[[], bool], deadline: float) -> bool:
        """Return the verdict, or run `passes` to find it; other threads wait meanwhile."""
        with stopped_as_told():
            while not self._trying.acquire(timeout=compute_wait(deadline)):
                pass
        try:
            known = self.find_verdict()
            if known is None:
                known = self._given = passes()
                self._until = time.monotonic() + DAY_S
            return known
        finally:
            self._trying.release()


def run_canary(link: SqlLink, deadline: float) -> bool:
    """Tell whether the database answers every plan over the canary's rows to the bit.

    Raises
    ------
    QueryTimeoutError [query_timeout], QueryInterruptedError [interrupted], ConnectorError [connector_failed]
        It was not heard to the end.
    """
    fields, rows = _build_fields(link.spelling), _build_rows(link.spelling)
    target = Target(
        relation=_build_relation(link.spelling, fields, rows), fields={field.name: field for field in fields}
    )
    here = MemoryEngine(_build_dataset(fields, rows))
    try:
        return all(_is_answered_exactly(link, target, here, plan, deadline) for plan in _iter_plans(fields))
    except (QueryTimeoutError, QueryInterruptedError, ConnectorError):
        raise
    except ServiceError:  # it refuses a statement, or answers in types of its own
        return False


def _is_answered_exactly(link: SqlLink, target: Target, here: MemoryEngine, plan: Plan, deadline: float) -> bool:
    known = None
    if plan.metric is not None and target.fields[plan.metric].physical == "float64":
        stats = here.read_statistics(plan.metric)
        known = derive_range(stats, ROWS - stats.nulls)
    found = push_plan(link, target, plan, known, deadline)
    return found is not None and _encode_groups(found.groups) == _encode_groups(here.aggregate(plan).groups)


def _encode_groups(groups: Sequence[Group]) -> dict[object, object]:
    return {tuple(map(_encode_value, group.keys)): (group.rows, _encode_value(group.value)) for group in groups}


def _encode_value(value: Value) -> tuple[str, str]:
    """A form by which values are equal only if they are the same to the bit; -0.0 has become 0.0 before."""
    return type(value).__name__, value.hex() if isinstance(value, float) else str(value)


# --- rows -----------------------------------------------------------------------------------------------------------


def _build_relation(spelling: Spelling, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> exp.Expr:
    """The rows as a relation, which is text already: as a tree it would be copied and written anew for each plan."""
    literals = spelling.build_literal_rows(fields, rows)
    text = exp.Var(this=literals.sql(dialect=spelling.dialect, comments=False))
    columns: list[exp.Expr] = [exp.column(spelling.build_name(field.name)) for field in fields]
    select = exp.Select(expressions=columns, from_=exp.From(this=text))
    return select.subquery(spelling.build_alias("canary"), copy=False)


def _build_fields(spelling: Spelling) -> tuple[Field, ...]:
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


def _build_rows(spelling: Spelling) -> list[tuple[Value, ...]]:
    least, most = spelling.finite_range
    words = [word for word in _WORDS if word != "" or spelling.empty_text]
    large = (most, -most, most / 3, most * 2.0**-60, -most * 2.0**-100, 1e300, None, -1e250)
    small = (least, -least, least * 3, least * 2.0**40, -least * (2.0**90 + 2.0**40), 0.0, None, least * 2.0**110)
    special = (1.5, *spelling.nonfinite, -0.0, 0.0, None, 1.5, -2.25)
    rows: list[tuple[Value, ...]] = []
    for index in range(ROWS):
        row: list[Value] = [_pick_cyclic(words, index), _pick_cyclic(_INTEGERS, index), _pick_cyclic(_MIDDLE, index)]
        row += [_pick_cyclic(large, index * 3), _pick_cyclic(small, index * 5), _pick_cyclic(special, index // 2)]
        if spelling.decimals:
            units = _pick_cyclic(_UNITS, index)
            row.append(None if units is None else Decimal(units).scaleb(-4))
            long = _pick_cyclic(_LONG, index)
            row.append(None if long is None else Decimal(long))
        rows.append(tuple(row))
    return rows


def _pick_cyclic(values: Sequence[object], index: int) -> Any:
    return values[index % len(values)]


def _build_dataset(fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> Dataset:
    columns = [
        pa.array(column, find_arrow_type(field)) for field, column in zip(fields, zip(*rows, strict=True), strict=True)
    ]
    return Dataset(
        fields=tuple(fields),
        row_count=len(rows),
        content=Content(algorithm="sha256-arrow", sha256=None, size=len(rows)),
        table=pa.table(columns, names=[field.name for field in fields]),
    )


# --- plans ----------------------------------------------------------------------------------------------------------


def _iter_plans(fields: Sequence[Field]) -> Iterator[Plan]:
    names = [field.name for field in fields]
    yield _build_plan("sum", "middle", "word")
    yield _build_plan("avg", "large")
    yield _build_plan("sum", "small", "whole")
    yield _build_plan("sum", "special", "word")
    yield _build_plan("max", "special", "whole")
    yield _build_plan("count", "word", "special")
    yield _build_plan("sum", "whole", "word")
    yield _build_plan("min", "word", "middle")
    yield _build_plan("max", "word")
    yield _build_plan("median", "middle", "word")
    yield _build_plan("median", "special")
    yield _build_plan("median", "whole", "word")
    yield replace(_build_plan("percentile", "middle", "word"), percent=Decimal(90))
    yield replace(_build_plan("percentile", "whole"), percent=Decimal("99.9"))
    yield _build_plan("count_distinct", "word")
    yield _build_plan("count_distinct", "special", "word")
    yield _build_plan("stddev", "middle", "word")
    yield _build_plan("stddev", "special")
    yield _build_plan("variance", "whole", "whole")
    if "units" in names:
        yield _build_plan("avg", "units", "word")
        yield _build_plan("sum", "long", "word")
        yield _build_plan("avg", "long")
        yield _build_plan("stddev", "long", "word")
    for condition in _CONDITIONS:
        yield _build_plan("sum", "middle", "word", condition)


def _build_plan(aggregation: AggregationName, metric: str, by: str = "", *conditions: Condition) -> Plan:
    return Plan(aggregation=aggregation, metric=metric, group_by=(by,) if by else (), conditions=conditions)
