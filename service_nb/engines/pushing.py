"""One plan over one session: a SELECT that proves itself, and its rows as groups.

Values come from drivers, so each is turned into what its field's type says, or is an error; nothing is rounded here.
"""

from __future__ import annotations

import datetime
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sqlglot import exp

from service_nb.connectors.base import SqlLink
from service_nb.core.words import describe_value
from service_nb.engines.engine import too_many_groups_error
from service_nb.engines.value_counts import build_value_counts, fold_value_counts
from service_nb.errors import EngineError, LimitExceededError, SourceMalformedError
from service_nb.query.aggregations.aggregation import build_decimal
from service_nb.query.group_keys import build_key_check, build_key_field, get_key_column
from service_nb.query.limbs import Limbs, plan_limbs
from service_nb.query.spelling import LARGEST
from service_nb.query.sql import (
    Builder,
    Method,
    Shape,
    SqlStatement,
    build_finisher,
    build_remainder_check,
    build_statistics,
    find_fixed_method,
)
from service_nb.query.used_rows import build_null_counter
from service_nb.schema.query import Group, Plan
from service_nb.schema.source import DEFAULT_LIMITS, Field, FieldStats, Limits, Value

WIDTH = 52  # bits of a limb where sums widen
NARROWEST = 12
SAMPLE = 10_000  # rows that a guess is made from
COARSER, FINER = 2.0**4, 2.0**-16  # how far others may lie beyond them
SMALLEST = 5e-324
HIGHEST = 1023  # no power of two beyond is a double
MOST_KEPT = 128
MOST_PARAMETERS = 100  # of one that is kept: long lists are seldom of one length twice, and large


class Statements:
    """Statements over one relation with its fields, built once. Safe to use from several threads.

    To write a statement takes longer than many a database takes to answer it, and questions differ mostly in what their
    conditions compare with. So conditions alone are written anew for each plan, since how they are written may depend
    on their operands; where all else is the same too, and they came out the same, the tree is the one of before. Trees
    are shared: whoever changes one changes a copy.
    """

    def __init__(self) -> None:
        self._built: OrderedDict[Hashable, SqlStatement] = OrderedDict()
        self._lock = threading.Lock()

    def build_groups(self, plan: Plan, relation: exp.Expr, shape: Shape) -> SqlStatement:
        """Build the statement of a plan's groups, as `query.sql` does."""
        builder = Builder(plan, relation, shape)
        return self._find_or_build("groups", builder, builder.build_groups)

    def build_columns(self, plan: Plan, relation: exp.Expr, shape: Shape) -> SqlStatement:
        """Build the statement of a plan's columns, as `query.sql` does."""
        builder = Builder(plan, relation, shape)
        return self._find_or_build("columns", builder, builder.build_columns)

    def _find_or_build(self, what: str, builder: Builder, make: Callable[[], SqlStatement]) -> SqlStatement:
        if len(builder.parameters) > MOST_PARAMETERS:
            return make()
        key = (what, *_build_key(builder.plan, builder.shape, builder.conditions))
        with self._lock:
            found = self._built.get(key)
            if found is not None:
                self._built.move_to_end(key)
        if found is not None:
            return replace(found, parameters=builder.parameters)
        made = make()
        with self._lock:
            self._built[key] = made
            while len(self._built) > MOST_KEPT:
                self._built.popitem(last=False)
        return made


def _build_key(plan: Plan, shape: Shape, conditions: Sequence[exp.Expr]) -> tuple[object, ...]:
    """Return all that a statement over one relation depends on."""
    decided = (shape.method, shape.nulls, shape.nonfinite, shape.bound, shape.gathers)
    how = type(shape.spelling)  # it has no state
    return plan.aggregation, plan.metric, plan.percent, plan.group_by, how, decided, *map(_freeze_tree, conditions)


def _freeze_tree(value: object) -> Hashable:
    """Return a tree as what is equal for equal trees; its own `==` would have to write it out each time."""
    if isinstance(value, exp.Expr):
        return type(value), *[(key, _freeze_tree(each)) for key, each in value.args.items()]
    return tuple(map(_freeze_tree, value)) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The assumed range of a column of doubles, until a certificate disproves it."""

    values: int
    largest: float
    smallest: float | None
    nonfinite: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """The groups of a plan, and the shape of the statement that made them exact."""

    groups: list[Group]
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The target of pushed plans: a relation, its fields, the limits of a result, and whether indexes are used.

    `statements` are those of the relation; with another one there have to be others.
    """

    relation: exp.Expr
    fields: Mapping[str, Field]
    limits: Limits = DEFAULT_LIMITS
    indexed: bool = True
    statements: Statements = field(default_factory=Statements, compare=False)

    def build_shape(self, link: SqlLink, method: Method | Limbs, **more: Any) -> Shape:
        """Build the shape of one plan's statement."""
        return Shape(
            fields=self.fields, columns=None, method=method, spelling=link.spelling, indexed=self.indexed, **more
        )


def push_plan(link: SqlLink, target: Target, plan: Plan, known: Range | None, deadline: float) -> Pushed | None:
    """Compute a plan's groups in one SELECT; None if its certificate does not hold, or no limbs would do.

    `known` is what is assumed of a metric of doubles that is summed; nothing else needs it.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        There are too many groups.
    EngineError [engine_failed]
        The database refused the statement, or answered what no plan asks for.
    """
    if (counting := build_value_counts(plan)) is not None:
        counted = _push_counts(link, target, counting, deadline)
        return None if counted is None else replace(counted, groups=fold_value_counts(plan, counted.groups))
    shape = _decide_shape(link, target, plan, known)
    if shape is None:
        return None
    statement = target.statements.build_groups(plan, target.relation, shape)
    rows = link.fetch_rows(statement.tree, statement.parameters, target.limits.groups, deadline)
    if len(rows) > target.limits.groups:
        raise too_many_groups_error(target.limits)
    groups = _read_groups(rows, plan, shape, statement)
    return None if groups is None else Pushed(groups=groups, shape=shape)


def _push_counts(link: SqlLink, target: Target, plan: Plan, deadline: float) -> Pushed | None:
    """Count each value in the database; None where there are more than groups may be."""
    try:
        return push_plan(link, target, plan, None, deadline)
    except LimitExceededError:
        return None


def derive_range(stats: FieldStats, values: int) -> Range:
    """Derive the range of a column of doubles from its statistics."""
    extremes = [abs(value) for value in (stats.minimum, stats.maximum) if isinstance(value, float)]
    return Range(
        values=values,
        largest=max(extremes, default=0.0),
        smallest=stats.smallest_nonzero,
        nonfinite=stats.nonfinite,
    )


def read_statistics(link: SqlLink, target: Target, field: Field, deadline: float) -> tuple[FieldStats, int]:
    """Read what there is to know of a column in one pass: its statistics, and how many values it has."""
    statement = build_statistics(field, target.relation, target.build_shape(link, Method.COUNT))
    row = link.fetch_rows(statement.tree, statement.parameters, 1, deadline)[0]
    found = dict(zip(statement.measures, row, strict=True))
    rows, values = read_integer(found["rows"]), read_integer(found["n"])
    held = read_integer(found["finite" if field.physical == "float64" else "n"])
    # Some databases answer 0 for the extreme of nothing.
    extreme = find_value_reader(field) if held else lambda _: None
    smallest = found.get("smallest")
    return FieldStats(
        nulls=rows - values,
        minimum=extreme(found.get("minimum")),
        maximum=extreme(found.get("maximum")),
        smallest_nonzero=float(smallest) if smallest else None,
        nonfinite=values - read_integer(found["finite"]) if "finite" in found else 0,
    ), values


def guess_range(link: SqlLink, target: Target, field: Field, deadline: float) -> Range | None:
    """Guess the range of a column from a few of its rows, whichever come first; what is wrong fails the certificate.

    None where a guess would not do: of limbs whose width depends on how many rows there are, or without a value.
    """
    if not link.spelling.sum_widens:
        return None
    some = exp.Select(expressions=[exp.Star()]).from_(target.relation.copy())
    few = link.spelling.limit_rows(some, SAMPLE).subquery(link.spelling.build_alias("sample"))
    stats, values = read_statistics(link, replace(target, relation=few, statements=Statements()), field, deadline)
    found = derive_range(stats, values)
    if values + stats.nulls < SAMPLE:  # these are all
        return found
    if found.smallest is None:
        return None
    smallest = max(found.smallest * FINER, SMALLEST)
    return replace(found, largest=min(found.largest * COARSER, LARGEST), smallest=smallest)


# --- what is asked for ----------------------------------------------------------------------------------------------


def _decide_shape(link: SqlLink, target: Target, plan: Plan, known: Range | None) -> Shape | None:
    method, field = find_fixed_method(plan), target.fields.get(plan.metric or "")
    is_double = field is not None and field.physical == "float64"
    if method is not None or field is None:
        return target.build_shape(
            link, method or Method.COUNT, nonfinite=is_double and method in (Method.EXTREME, Method.MIDDLE)
        )
    if not is_double:
        wide = link.spelling.build_wide_sum(field, exp.column("m")) is not None
        return target.build_shape(link, Method.WIDE if wide else Method.SPLIT)
    if known is None:
        raise ValueError("Summing float64 needs the column's range.")
    limbs = _choose_limbs(link, known)
    bound = _compute_bound(known.largest)
    return None if limbs is None else target.build_shape(link, limbs, bound=bound, nonfinite=known.nonfinite > 0)


def _choose_limbs(link: SqlLink, known: Range) -> Limbs | None:
    """Return limbs for all bits of the column; None if it spans more than the scaled values have room for."""
    width = WIDTH
    if not link.spelling.sum_widens:
        width = min(WIDTH, 62 - max(known.values, 1).bit_length())
        if width < NARROWEST:
            return None
    limbs = plan_limbs(known.largest, known.smallest, width=width)
    top = math.frexp(known.largest)[1]
    return replace(limbs, proven=False) if top + limbs.scales[-1] <= HIGHEST else None


def _compute_bound(largest: float) -> float:
    """Return the largest double that the limbs of a column are made for: all below the next power of two."""
    if largest == 0:
        return 0.0
    top = math.frexp(largest)[1]
    return LARGEST if top > HIGHEST else math.nextafter(2.0**top, 0.0)


# --- what is answered -----------------------------------------------------------------------------------------------


def _read_groups(
    rows: Sequence[tuple[object, ...]], plan: Plan, shape: Shape, statement: SqlStatement
) -> list[Group] | None:
    keyed = [build_key_field(key, shape.fields[get_key_column(key)]) for key in plan.group_by]
    readers, check_keys = [*map(find_value_reader, keyed)], build_key_check(plan.group_by, shape.fields)
    width = len(readers)
    incomplete, value = build_remainder_check(statement.measures), build_finisher(plan, shape, statement)
    count_nulls = build_null_counter(statement.measures)
    read = _list_measure_readers(plan, shape, statement)
    most = _find_value_limit(shape, statement)
    groups = []
    for row in rows:
        measures = [reader(cell) for reader, cell in zip(read, row[width:], strict=True)]
        if incomplete(measures) or (most is not None and measures[most[0]] > most[1]):
            return None
        keys = tuple([reader(cell) for reader, cell in zip(readers, row[:width], strict=True)])
        check_keys(keys)
        groups.append(Group(keys, measures[0], value(measures), nulls=count_nulls(measures)))
    if len({group.keys for group in groups}) != len(groups):
        raise EngineError("The database returned one group twice.", engine=shape.spelling.dialect)
    return groups


def _find_value_limit(shape: Shape, statement: SqlStatement) -> tuple[int, int] | None:
    """Where a group's count of values stands, and how many the sum of its limbs is exact for."""
    if not isinstance(shape.method, Limbs) or shape.spelling.sum_widens:
        return None
    scales = shape.method.scales
    steps = [later - earlier for earlier, later in pairwise(scales)]
    width = max([math.frexp(shape.bound or 0.0)[1] + scales[0], *steps])
    return statement.measures.index("n"), 1 << (62 - width)


def _list_measure_readers(plan: Plan, shape: Shape, statement: SqlStatement) -> list[Callable[[Any], Any]]:
    field = None if plan.metric is None else shape.fields[plan.metric]
    of: dict[str, Callable[[object], object]] = {}
    if field is not None:
        of = dict.fromkeys(("extreme", "low", "high"), find_value_reader(field))
        of["total"] = find_value_reader(replace(field, physical=_find_widest_physical(field)))
    return [of.get(name, _read_integer_or_null) for name in statement.measures]


def _find_widest_physical(field: Field) -> str:
    return "int64" if field.physical == "int64" else f"decimal(38,{field.decimal_scale or 0})"


def find_value_reader(field: Field) -> Callable[[object], Value]:
    """Return the function that makes a driver's value one of the field's type, or None of a null."""
    scale = field.decimal_scale
    if field.physical == "float64":
        return _read_double
    if scale is not None:
        return _read_integer_or_null if field.physical == "int64" else lambda value: _read_decimal(value, scale)
    return {"string": _read_text, "boolean": _read_boolean, "date": _read_date, "datetime": _read_datetime}[
        field.physical
    ]


def _read_double(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return math.nan if value != value else float(value) + 0.0  # one NaN: keys that are it are equal
    raise _unexpected_value_error(value, "a double")


def read_integer(value: Any) -> int:
    """Return a driver's whole number as an int, or raise `source_malformed`."""
    if isinstance(value, bool | float):
        raise _unexpected_value_error(value, "an integer")
    try:
        units = Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise _unexpected_value_error(value, "an integer") from None
    if units.denominator != 1:
        raise _unexpected_value_error(value, "an integer")
    return units.numerator


def _read_integer_or_null(value: object) -> int | None:
    return None if value is None else value if type(value) is int else read_integer(value)


def _read_decimal(value: Any, scale: int) -> Value:
    if value is None:
        return None
    if isinstance(value, float | bool):
        raise _unexpected_value_error(value, "a decimal")
    try:
        units = Fraction(value) * 10**scale
    except (TypeError, ValueError, OverflowError):
        raise _unexpected_value_error(value, "a decimal") from None
    if units.denominator != 1:
        raise _unexpected_value_error(value, f"{scale} digits after the point")
    return build_decimal(units.numerator, scale)


def _read_text(value: object) -> str | None:
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            raise _unexpected_value_error(value, "UTF-8") from None
    if value is None or isinstance(value, str):
        return value
    raise _unexpected_value_error(value, "text")


def _read_boolean(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if value in (0, 1):
        return bool(value)
    raise _unexpected_value_error(value, "true or false")


def _read_date(value: object) -> datetime.date | None:
    if isinstance(value, datetime.datetime):
        return value.date()
    if value is None or isinstance(value, datetime.date):
        return value
    raise _unexpected_value_error(value, "a date")


def _read_datetime(value: object) -> datetime.datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime.datetime):
        raise _unexpected_value_error(value, "a date and time")
    return value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)


def _unexpected_value_error(value: object, expected: str) -> SourceMalformedError:
    met = type(value).__name__
    return SourceMalformedError(
        f"The source answered {describe_value(met)} where {expected} was expected.", met=met, expected=expected
    )
