"""From a plan to one SELECT as a SQLGlot tree, written through the `Spelling` of the database that runs it.

Nothing is ever concatenated: identifiers are names that the engine made up for its columns, or those of a live source's
schema, quoted; operands are bound parameters, and powers of two are typed literals. The innermost SELECT alone knows
columns of the source; every other one is made of our own names.

The aggregate's shape depends on how it is made exact:

- `Limbs`: three nested steps a limb; only integers are added;
- `WIDE`: the engine's own integer sum, wide enough by proof;
- `SPLIT`: integers and decimals too long for that, added as several smaller integers;
- `EXTREME`: min and max, NaN counted apart;
- `MIDDLE`: each value's place in its group, and of those around the place asked for the values, NaN counted apart;
- `SQUARES`: integers and decimals as groups of their digits, which are added and multiplied with each other;
- `DISTINCT`: the rows grouped by the value too, and those groups counted;
- `COUNT`: nothing but counts.

Limbs over data that may change between two statements carry a `bound`: values beyond it are left out like NaN and
infinities, and the certificate misses them, so that one statement proves itself. There the limbs of a value are the
differences of its integer parts at one scale and at the next, which is the same numbers; but no limb is made of the one
before, and a planner that writes nested expressions out does not write them twice for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import inf, isnan, nan
from typing import Any, assert_never

from sqlglot import exp

from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import COUNTED, Aggregation, Measure, sum_nonfinite
from service_nb.query.aggregations.order_places import HALF, find_place, find_share
from service_nb.query.limbs import Limbs
from service_nb.query.plan import list_named_columns
from service_nb.query.spelling import DuckDBSpelling, Spelling
from service_nb.query.sql_conditions import ConditionWriter
from service_nb.query.sql_keys import build_key_steps
from service_nb.query.sql_squares import build_parts, build_product_sums, build_squares_reader, list_weights
from service_nb.schema.query import Plan
from service_nb.schema.source import Field, Value

DUCKDB = DuckDBSpelling()
SOURCE = "asked_source"  # what the innermost SELECT calls the relation that it reads, where no column is called so


class Method(Enum):
    """The method by which an aggregate other than a float sum is computed."""

    COUNT = "count"
    WIDE = "wide integer sum"
    SPLIT = "split integer sum"
    EXTREME = "extreme"
    MIDDLE = "middle"
    DISTINCT = "distinct"
    SQUARES = "sums of squares"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The engine's knowledge and decisions for one plan."""

    fields: Mapping[str, Field]
    columns: Mapping[str, str] | None  # what the engine calls each; None: they are a live source's own
    method: Method | Limbs
    nulls: bool = True  # the metric may hold nulls
    nonfinite: bool = False  # the metric may hold NaN or infinities that must be left out of limbs and extremes
    bound: float | None = None  # magnitudes beyond are left to the certificate; None: limbs as they are
    digits: int = 0  # of a metric that is no double and whose squares are added
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the values of ENUM columns
    spelling: Spelling = DUCKDB
    gathers: bool = False  # all values of a group may be held in memory at once
    years: Mapping[str, Sequence[int]] = field(default_factory=dict)  # that columns of instants have, where it matters
    indexed: bool = True  # conditions may be looked up in indexes of a live source, as its columns' own types take them


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlStatement:
    """One SELECT, its parameters in order, and the names of its columns after the group keys.

    `weights` belong to the sums of a split metric: what each counts.
    """

    tree: exp.Select
    parameters: list[object]
    measures: tuple[str, ...]
    weights: tuple[int, ...] = ()


def build_statement(plan: Plan, relation: str | exp.Expr, shape: Shape) -> SqlStatement:
    """Return the SELECT that computes the plan's groups over `relation`."""
    return Builder(plan, relation, shape).build_groups()


def build_columns(plan: Plan, relation: str | exp.Expr, shape: Shape) -> SqlStatement:
    """Return the SELECT of the plan's group columns as they stand, of the rows that meet its conditions."""
    return Builder(plan, relation, shape).build_columns()


def build_statistics(field_: Field, relation: exp.Expr, shape: Shape) -> SqlStatement:
    """Return the SELECT of what there is to know of a live source's column: rows, values, extremes.

    Of doubles the extremes are those of the finite ones, with the smallest magnitude beside zero, and how many are
    finite; of text and truth there are none.
    """
    return Builder(Plan(aggregation="count", metric=field_.name), relation, shape).build_statistics(field_)


def _choose_relation_name(columns: Iterable[str]) -> str:
    """A name for the relation that is no column's: `source.size` is a part of a column `source` to some databases."""
    taken, name = {column.lower() for column in columns}, SOURCE
    while any(column == name or column.startswith(f"{name}.") for column in taken):
        name += "0"
    return name


class Builder:
    """One statement while it is written. `conditions` are the plan's, and become part of it."""

    def __init__(self, plan: Plan, relation: str | exp.Expr, shape: Shape) -> None:
        self.plan, self.shape, self.spelling = plan, shape, shape.spelling
        self.relation = relation
        self.share = find_share(plan.percent)
        self.parameters: list[object] = []
        self.keys = [f"k{index}" for index in range(len(plan.group_by))]
        self.measures: dict[str, exp.Expr] = {"rows": self.spelling.count(exp.Star())}
        self.weights: tuple[int, ...] = ()
        self.source = _choose_relation_name(shape.fields)
        writer = ConditionWriter(
            fields=shape.fields,
            members=shape.members,
            spelling=self.spelling,
            column=self._read_column,
            source=self._refer_to_source if shape.columns is None else None,
            indexed=shape.indexed,
            parameters=self.parameters,
        )
        self.conditions = list(map(writer.write, plan.conditions))

    def build_groups(self) -> SqlStatement:
        """Return the statement of the plan's groups."""
        rows = self._compute_keys(self._select_rows(keyed=True))
        if isinstance(self.shape.method, Limbs):
            rows = self._add_limbs(rows, self.shape.method)
        elif self.plan.metric is not None:
            rows = self._add_plain_measures(rows, self.shape.method, self.shape.fields[self.plan.metric])
        outer = self._wrap_rows(rows, self.keys, self.measures)
        if self.keys:
            outer = outer.group_by(*map(self._refer, self.keys), copy=False)
        tree = self.spelling.add_settings(outer)
        return SqlStatement(tree=tree, parameters=self.parameters, measures=tuple(self.measures), weights=self.weights)

    def build_columns(self) -> SqlStatement:
        """Return the statement of the plan's group columns."""
        return SqlStatement(
            tree=self.spelling.add_settings(self._select_rows()), parameters=self.parameters, measures=()
        )

    def build_statistics(self, field_: Field) -> SqlStatement:
        """Return the statement of what there is to know of a column, the plan's metric."""
        spelling, rows = self.spelling, self._select_rows()
        self.measures["n"] = spelling.count(self._refer("m"))
        if field_.physical == "float64":
            rows = self._wrap_rows(rows, ["m"], {"r0": self._keep_finite()})
            away = exp.NEQ(this=self._refer("r0"), expression=spelling.build_double(0.0))
            magnitude = exp.Case().when(away, exp.Abs(this=self._refer("r0")), copy=False)
            self.measures["finite"] = spelling.count(self._refer("r0"))
            self.measures["smallest"] = exp.Min(this=magnitude)
        if field_.type not in ("string", "boolean"):
            value = "r0" if field_.physical == "float64" else "m"
            self.measures |= {
                "minimum": exp.Min(this=self._refer(value)),
                "maximum": exp.Max(this=self._refer(value)),
            }
        tree = spelling.add_settings(self._wrap_rows(rows, [], self.measures))
        return SqlStatement(tree=tree, parameters=[], measures=tuple(self.measures))

    def _select_rows(self, *, keyed: bool = False) -> exp.Select:
        """Select the rows that take part: group columns, as keys or as they are, and the metric as `m`."""
        read = self._build_key if keyed else self._read_column
        columns = [
            self._name_tree(read(key) if isinstance(key, str) else self._read_column(key.column), name)
            for key, name in zip(self.plan.group_by, self.keys, strict=True)
        ]
        if self.plan.metric is not None:
            read_metric = self._build_key if self.shape.method is Method.DISTINCT else self._read_column
            columns.append(self._name_tree(read_metric(self.plan.metric), "m"))
        one = self._name_tree(exp.Literal.number(1), "one")
        rows = exp.Select(expressions=columns or [one]).from_(self._build_relation(), copy=False)
        for condition in (*self.conditions, *self._list_type_conditions()):
            rows = rows.where(condition, copy=False)
        return rows

    def _compute_keys(self, rows: exp.Select) -> exp.Select:
        """Nest the steps that make periods of dates and bins of numbers around `rows`, which have their columns."""
        columns = [*self.keys, *(["m"] if self.plan.metric is not None else [])]
        for key, name in zip(self.plan.group_by, self.keys, strict=True):
            if isinstance(key, str):
                continue
            others = [column for column in columns if column != name]
            given = (self.shape.fields[key.column], self.spelling, name, self._refer)
            for own, computed in build_key_steps(key, *given, years=self.shape.years.get(key.column, ())):
                rows = self._wrap_rows(rows, [*others, *own], computed)
        return rows

    def _list_type_conditions(self) -> list[exp.Expr]:
        """Return the conditions that the columns of a live source are of their types still."""
        if self.shape.columns is not None:
            return []
        names = list_named_columns(self.plan)
        found = [self.spelling.build_type_check(self.shape.fields[name], self._refer_to_source(name)) for name in names]
        return [condition for condition in found if condition is not None]

    def _build_relation(self) -> exp.Expr:
        if isinstance(self.relation, str):
            return exp.to_table(self.relation)
        return exp.alias_(self.relation.copy(), self.spelling.build_alias(self.source), table=True, copy=False)

    def _read_column(self, name: str) -> exp.Expr:
        field_ = self.shape.fields[name]
        if self.shape.columns is not None:
            return self.spelling.read(field_, exp.column(self.shape.columns[name]))
        return self.spelling.read(field_, self._refer_to_source(name))

    def _refer_to_source(self, name: str) -> exp.Expr:
        # Qualified: some databases would take a bare name for an alias of the same SELECT.
        return exp.column(self.spelling.build_name(name), table=self.spelling.build_alias(self.source))

    def _build_key(self, name: str) -> exp.Expr:
        return self.spelling.build_key(self.shape.fields[name], self._read_column(name))

    # --- our own names ------------------------------------------------------------------------------------------

    def _refer(self, name: str) -> exp.Column:
        return exp.column(self.spelling.build_alias(name))

    def _name_tree(self, tree: exp.Expr, name: str) -> exp.Expr:
        return exp.alias_(tree, self.spelling.build_alias(name), copy=False)

    def _wrap_rows(self, rows: exp.Select, kept: Sequence[str], computed: Mapping[str, exp.Expr]) -> exp.Select:
        """Return the SELECT over `rows` that keeps some columns and computes others; no copies, limbs nest deeply."""
        columns: list[exp.Expr] = [self._refer(name) for name in kept]
        columns += [self._name_tree(tree, name) for name, tree in computed.items()]
        inner = rows.subquery(self.spelling.build_alias("input"), copy=False)
        return exp.Select(expressions=columns).from_(inner, copy=False)

    # --- measures -----------------------------------------------------------------------------------------------

    def _add_plain_measures(self, rows: exp.Select, method: Method, metric: Field) -> exp.Select:
        """Name the measures of a plan that needs no limbs, and return the rows that they are taken of."""
        match method:
            case Method.COUNT:
                pass
            case Method.WIDE:
                total = self.spelling.build_wide_sum(metric, self._refer("m"))
                if total is None:
                    raise ValueError(f"{self.spelling.dialect} has no sum as wide as {metric.physical} needs")
                self.measures["total"] = total
            case Method.SPLIT:
                summands = self.spelling.split(metric, self._refer("m"))
                self.weights = tuple(weight for weight, _ in summands)
                self.measures |= {f"part{index}": exp.Sum(this=tree) for index, (_, tree) in enumerate(summands)}
            case Method.EXTREME:
                self._add_extreme_measure(metric)
            case Method.MIDDLE:
                rows = self._add_middle_measures(rows, metric)
            case Method.DISTINCT:
                rows = self._group_distinct_values(rows)
            case Method.SQUARES:
                parts = build_parts(metric, self._refer("m"), self.shape.digits)
                rows = self._wrap_rows(rows, [*self.keys, "m"], parts)
                self._add_square_measures(len(parts))
            case _:
                assert_never(method)
        if self.shape.nulls or method in (Method.EXTREME, Method.MIDDLE, Method.DISTINCT):
            self.measures["n"] = self.spelling.count(self._refer("m"))
        return rows

    def _number_values(self, rows: exp.Select, metric: Field) -> exp.Select:
        """Number the values of each group by their order, nulls apart; of `c` values the middle ones are measured.

        Which of two equal values comes first is left to the database, and does not matter. Some sort long texts by
        their beginnings, and would number the rows of a group in parts; `numbered`, the size of the least part,
        certifies that there is one.
        """
        spelling = self.spelling
        is_null = exp.Is(this=self._refer("m"), expression=exp.Null())
        apart = exp.Case().when(is_null, exp.Literal.number(1), copy=False).else_(exp.Literal.number(0), copy=False)
        within = [*map(self._refer, self.keys), apart]
        order = exp.Order(expressions=[self._refer("m")])
        place = exp.Window(this=exp.RowNumber(), partition_by=within, order=order)
        values = exp.Window(this=spelling.count(self._refer("m")), partition_by=[each.copy() for each in within])
        rows = self._wrap_rows(rows, [*self.keys, "m"], {"p": place, "c": values})
        tests = self._build_middle_tests() if self.share == HALF else self._build_place_tests()
        for name, is_there in zip(("low", "high"), tests, strict=True):
            there = exp.Case().when(is_there, self._refer("m"), copy=False)
            self.measures[name] = exp.Max(this=spelling.build_extreme(metric, there))
        counted = exp.Case().when(
            exp.GT(this=self._refer("c"), expression=exp.Literal.number(0)),
            self._refer("c"),
            copy=False,
        )
        self.measures["numbered"] = exp.Min(this=counted)
        return rows

    def _build_middle_tests(self) -> Iterator[exp.Expr]:
        """Yield the tests that a value is the lower and the upper one in the middle."""
        for beyond in ((0, 1), (1, 2)):  # no difference: some row numbers have no sign
            twice = exp.Mul(this=self._refer("p"), expression=exp.Literal.number(2))
            ends = [exp.Add(this=self._refer("c"), expression=exp.Literal.number(each)) for each in beyond]
            yield exp.In(this=twice, expressions=ends)

    def _build_place_tests(self) -> Iterator[exp.Expr]:
        """Yield the tests that a value is the lower and the upper one around the share of the order.

        With the share ``a / b``, place ``p`` from 1 and ``c`` values, the lower one has the largest place that
        ``(p - 1) * b <= (c - 1) * a`` holds for, and the upper one the smallest for which it is no less.
        """
        top, bottom = self.share.numerator, self.share.denominator

        def compute(name: str, factor: int, added: int) -> exp.Expr:
            whole = exp.cast(self._refer(name), self.spelling.find_type("int64"))  # some row numbers have 32 bits
            product = exp.Mul(this=whole, expression=exp.Literal.number(factor))
            return exp.Add(this=product, expression=exp.Literal.number(added))

        for over, beside in ((exp.GT, exp.LTE), (exp.GTE, exp.LT)):
            begin, end = (0, bottom) if over is exp.GT else (bottom, 2 * bottom)
            above = over(this=compute("p", bottom, top), expression=compute("c", top, begin))
            below = beside(this=compute("p", bottom, top), expression=compute("c", top, end))
            yield exp.and_(above, below, copy=False)

    def _add_middle_measures(self, rows: exp.Select, metric: Field) -> exp.Select:
        spelling = self.spelling
        gathered = spelling.build_middles(self._refer("m")) if self.shape.gathers and self.share == HALF else None
        if gathered is None:
            rows = self._number_values(rows, metric)
        else:
            self.measures |= dict(zip(("low", "high"), gathered, strict=True))
        if self.shape.nonfinite and self._has_nan():
            self.measures["nans"] = spelling.count_where(spelling.is_nan(self._refer("m")))
        if spelling.decimal_nan and metric.physical not in ("float64", "int64"):
            self.measures["extreme"] = exp.Max(
                this=self._refer("m")
            )  # NaN where there is one, which no result can hold
        return rows

    def _group_distinct_values(self, rows: exp.Select) -> exp.Select:
        """Group the rows by their keys and their value, which is read as a key is, and count both."""
        kept = [*self.keys, "m"]
        rows = self._wrap_rows(rows, kept, {"c": self.spelling.count(exp.Star())})
        rows = rows.group_by(*map(self._refer, kept), copy=False)
        total = exp.Sum(this=self._refer("c"))
        self.measures["rows"] = exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])
        none = exp.Case().when(exp.Is(this=self._refer("m"), expression=exp.Null()), self._refer("c"), copy=False)
        self.measures["nulls"] = exp.Sum(this=none)
        return rows

    def _add_extreme_measure(self, metric: Field) -> None:
        value = self.spelling.build_extreme(metric, self._refer("m"))
        if self.shape.nonfinite and self._has_nan():
            value = exp.Case().when(exp.not_(self.spelling.is_nan(self._refer("m"))), value, copy=False)
            self.measures["nans"] = self.spelling.count_where(self.spelling.is_nan(self._refer("m")))
        least = RECORDS[self.plan.aggregation].measure is Measure.LEAST
        self.measures["extreme"] = self.spelling.build_least(metric, value) if least else exp.Max(this=value)

    def _has_nan(self) -> bool:
        return any(map(isnan, self.spelling.nonfinite))

    def _add_square_measures(self, count: int) -> None:
        """Add the sums of the parts `q0`, … and of their products to the measures."""
        self.measures |= {f"s{index}": exp.Sum(this=self._refer(f"q{index}")) for index in range(count)}
        self.measures |= build_product_sums(count, self._refer)

    def _add_limbs(self, rows: exp.Select, limbs: Limbs) -> exp.Select:
        """Nest the steps of every limb around `rows`; the last remainder is `r<K>`."""
        kept = [*self.keys]
        if self.shape.nulls or self.shape.nonfinite or not limbs.proven:
            kept.append("m")
            self.measures["n"] = self.spelling.count(self._refer("m"))
        if self.shape.nonfinite:
            self._count_nonfinite()
        rows = self._wrap_rows(rows, kept, {"r0": self._select_limb_values()})
        if self.shape.bound is not None:
            return self._add_limb_differences(rows, kept, limbs)
        count = len(limbs.scales)
        for index, scale in enumerate(limbs.scales):
            rows = self._wrap_rows(rows, [*kept, f"r{index}"], {f"q{index}": self._build_quotient(index, scale)})
            kept.append(f"q{index}")
            if index + 1 < count or not limbs.proven:
                rows = self._wrap_rows(rows, kept, {f"r{index + 1}": self._build_remainder(index, scale)})
            self.measures[f"s{index}"] = self.spelling.build_limb_sum(self._refer(f"q{index}"))
        if not limbs.proven:
            done = exp.EQ(this=self._refer(f"r{count}"), expression=self.spelling.build_double(0.0))
            self.measures["exact"] = self.spelling.count_where(done)
        if RECORDS[self.plan.aggregation].measure is Measure.SQUARES:
            self.measures |= build_product_sums(count, self._refer)
        return rows

    def _add_limb_differences(self, rows: exp.Select, kept: Sequence[str], limbs: Limbs) -> exp.Select:
        """Make limbs of the integer parts `t<k>` of the values at each scale; the last, scaled back, is the value."""
        spelling, scales = self.spelling, limbs.scales
        parts = {f"t{index}": spelling.scale_to_integer(self._refer("r0"), scale) for index, scale in enumerate(scales)}
        rows = self._wrap_rows(rows, [*kept, "r0"], parts)
        for index, scale in enumerate(scales):
            limb: exp.Expr = self._refer(f"t{index}")
            if index:
                coarser = spelling.scale_by_power(self._refer(f"t{index - 1}"), scale - scales[index - 1])
                limb = exp.Sub(this=limb, expression=coarser)
            self.measures[f"s{index}"] = spelling.build_limb_sum(spelling.cast_to_bigint(exp.paren(limb)))
        back = spelling.scale_by_power(self._refer(f"t{len(scales) - 1}"), -scales[-1])
        self.measures["exact"] = spelling.count_where(exp.EQ(this=self._refer("r0"), expression=back))
        return rows

    def _select_limb_values(self) -> exp.Expr:
        """Select the values that limbs are made of; all others become null."""
        if self.shape.bound is not None:
            near = self.spelling.is_within(self._refer("m"), self.shape.bound)
            return exp.Case().when(near, self._refer("m"), copy=False)
        return self._keep_finite() if self.shape.nonfinite else self._refer("m")

    def _keep_finite(self) -> exp.Expr:
        if not self.spelling.nonfinite:
            return self._refer("m")
        return exp.Case().when(self.spelling.is_finite(self._refer("m")), self._refer("m"), copy=False)

    def _build_quotient(self, index: int, scale: int) -> exp.Expr:
        scaled = self.spelling.scale_by_power(self._refer(f"r{index}"), scale)
        if isinstance(self.shape.method, Limbs) and self.shape.method.proven:
            return self.spelling.cast_to_bigint(scaled)
        return self.spelling.try_bigint(scaled)  # null of NaN and infinities, and the certificate misses the row

    def _build_remainder(self, index: int, scale: int) -> exp.Expr:
        taken = self.spelling.scale_by_power(self.spelling.cast_to_double(self._refer(f"q{index}")), -scale)
        return exp.Sub(this=self._refer(f"r{index}"), expression=taken)

    def _count_nonfinite(self) -> None:
        spelling = self.spelling
        if self._has_nan():
            self.measures["nans"] = spelling.count_where(spelling.is_nan(self._refer("m")))
        for name, sign in (("positive", 1), ("negative", -1)):
            if sign * inf in spelling.nonfinite:
                self.measures[name] = spelling.count_where(spelling.is_infinite(self._refer("m"), sign))


# --- from measures to values: here, and only here, is rounded --------------------------------------------------------

SPECIAL = ("nans", "positive", "negative")  # counts of what limbs are not made of
Measures = Sequence[Any]  # of one group, in the order of `Statement.measures`


def find_fixed_method(plan: Plan) -> Method | None:
    """Find the method of a plan's measure; None for sums, whose method depends on the engine's."""
    measure = Measure.COUNT if plan.metric is None else RECORDS[plan.aggregation].measure
    match measure:
        case Measure.COUNT:
            return Method.COUNT
        case Measure.LEAST | Measure.GREATEST:
            return Method.EXTREME
        case Measure.MIDDLES:
            return Method.MIDDLE
        case Measure.DISTINCT:
            return Method.DISTINCT
        case Measure.TOTAL | Measure.SQUARES:
            return None
        case _:
            assert_never(measure)


def build_finisher(plan: Plan, shape: Shape, statement: SqlStatement) -> Callable[[Measures], Value]:
    """Return the function that computes a group's value from its measures (count, sum, …)."""
    at = {name: index for index, name in enumerate(statement.measures)}
    count = at.get("n", at["rows"])
    record = RECORDS[plan.aggregation]
    match record.measure:
        case Measure.COUNT | Measure.DISTINCT:
            return lambda measures: int(measures[count])
        case Measure.LEAST | Measure.GREATEST:
            return _finish_values(at, lambda measures: record.finish(measures[at["extreme"]]))
        case Measure.MIDDLES:
            share, low, high = find_share(plan.percent), at["low"], at["high"]

            def finish_middles(measures: Measures) -> Value:
                _, part, parts = find_place(share, int(measures[count]))
                return record.finish(measures[low], measures[high], part, parts)

            return _finish_values(at, finish_middles)
        case Measure.TOTAL:
            return _finish_totals(record, plan, shape, statement)
        case Measure.SQUARES:
            return _finish_squares(record, plan, shape, statement)
        case _:
            assert_never(record.measure)


def _finish_totals(
    record: Aggregation, plan: Plan, shape: Shape, statement: SqlStatement
) -> Callable[[Measures], Value]:
    at = {name: index for index, name in enumerate(statement.measures)}
    count = at.get("n", at["rows"])
    field_ = shape.fields[plan.metric or ""]
    scale, finish = field_.decimal_scale, record.finish
    numerator, denominator = _build_total_reader(shape.method, at, scale or 0, statement.weights)
    special = _build_nonfinite_reader(at)

    def finish_group(measures: Measures) -> Value:
        rows = measures[count]
        if not rows:
            return record.empty
        if special is not None and (found := special(measures)) is not None:
            return found
        return finish(numerator(measures), denominator, rows, scale)

    return finish_group


def _finish_squares(
    record: Aggregation, plan: Plan, shape: Shape, statement: SqlStatement
) -> Callable[[Measures], Value]:
    at = {name: index for index, name in enumerate(statement.measures)}
    count, field_ = at.get("n", at["rows"]), shape.fields[plan.metric or ""]
    if isinstance(shape.method, Limbs):
        weights, denominator = shape.method.weigh()
    else:
        weights, denominator = list_weights(shape.digits), 10 ** (field_.decimal_scale or 0)
    read, special = build_squares_reader(at, weights, denominator), _build_nonfinite_reader(at)

    def finish_group(measures: Measures) -> Value:
        rows = int(measures[count])
        is_finite = special is None or special(measures) is None
        return record.finish_squares(read(measures, rows) if is_finite else None, rows)

    return finish_group


def build_remainder_check(names: Sequence[str]) -> Callable[[Measures], bool]:
    """Build the check of one group's certificate: true if a value was not fully taken.

    Every value is taken by the limbs without a remainder, or is counted as NaN or as an infinity. Of values that were
    numbered, all of a group were so together.
    """
    if "numbered" in names:
        least, all_values = names.index("numbered"), names.index("n")
        return lambda measures: bool((measures[least] or 0) != measures[all_values])
    if "exact" not in names:
        return lambda _: False
    count = names.index("n")
    taken = [names.index(name) for name in ("exact", *SPECIAL) if name in names]
    return lambda measures: bool(sum(measures[index] for index in taken) != measures[count])


def _finish_values(at: dict[str, int], finish: Callable[[Measures], Value]) -> Callable[[Measures], Value]:
    count, nans = at["n"], at.get("nans")

    def finish_group(measures: Measures) -> Value:
        if not measures[count]:  # the extreme of nothing is 0 to some databases
            return None
        if nans is not None and measures[nans]:
            return nan
        return finish(measures)

    return finish_group


def _build_nonfinite_reader(at: dict[str, int]) -> Callable[[Measures], float | None] | None:
    places = [at.get(name) for name in SPECIAL]
    if not any(place is not None for place in places):
        return None
    return lambda measures: sum_nonfinite(*(0 if place is None else int(measures[place]) for place in places))


def _build_total_reader(
    method: Method | Limbs, at: dict[str, int], scale: int, weights: Sequence[int]
) -> tuple[Callable[[Measures], int], int]:
    """Build the function that reads a group's exact sum as an integer; return it with the common denominator."""
    if isinstance(method, Limbs):
        weights, denominator = method.weigh()
        parts = [(weight, at[f"s{index}"]) for index, weight in enumerate(weights)]
        return (lambda measures: sum(weight * int(measures[index] or 0) for weight, index in parts)), denominator
    if method is Method.SPLIT:
        shares = [(weight, at[f"part{index}"]) for index, weight in enumerate(weights)]
        return (lambda measures: sum(weight * int(measures[index]) for weight, index in shares)), 10**scale
    whole = at["total"]
    if scale == 0:
        return (lambda measures: int(measures[whole])), 1
    return (lambda measures: int(Fraction(measures[whole]) * 10**scale)), 10**scale


def describe_method(plan: Plan, shape: Shape) -> str:
    """Describe for a card how the aggregate was kept exact."""
    if isinstance(shape.method, Limbs):
        return f"exact sum, rounded once ({shape.method.describe()})"
    if plan.metric is None:
        return COUNTED
    return RECORDS[plan.aggregation].describe_method(shape.fields[plan.metric].physical)
