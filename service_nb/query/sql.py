"""From a plan to one SELECT as a SQLGlot tree.

Nothing is ever concatenated: identifiers are names that the engine made up for its columns, operands are bound
parameters, and powers of two are typed literals.

The aggregate's shape depends on how it is made exact:

- `Limbs`: three nested steps a limb; only integers are added (see `query.exact`);
- `WIDE`: the engine's own integer sum, wide enough by proof;
- `SPLIT`: decimals too long for that, added as two integers of 19 digits each;
- `EXTREME`: min and max, NaN counted apart;
- `COUNT`: nothing but counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import Any

from sqlglot import exp

from service_nb.query.exact import Limbs
from service_nb.query.filters import predicate
from service_nb.records.query import Condition, Plan
from service_nb.records.source import Field

SPLIT_AT = 10**19


class Method(Enum):
    """How an aggregate other than a float sum is computed."""

    COUNT = "count"
    WIDE = "wide integer sum"
    SPLIT = "split integer sum"
    EXTREME = "extreme"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the engine knows and decides for one plan.

    `columns` says what the engine calls each column; `members` lists the values of ENUM columns.
    """

    fields: Mapping[str, Field]
    columns: Mapping[str, str]
    method: Method | Limbs
    nulls: bool = True  # the metric may hold nulls
    nonfinite: bool = False  # the metric may hold NaN or infinities that must be left out of limbs and extremes
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One SELECT, its parameters in order, and the names of its columns after the group keys."""

    tree: exp.Select
    parameters: list[Any]
    measures: tuple[str, ...]


def build(plan: Plan, table: str, shape: Shape) -> Statement:
    """Return the SELECT that computes the plan's groups over `table`."""
    return _Builder(plan, table, shape).statement()


def build_columns(plan: Plan, table: str, shape: Shape) -> Statement:
    """Return the SELECT of the plan's group columns as they stand, of the rows that meet its conditions."""
    builder = _Builder(plan, table, shape)
    return Statement(tree=builder.rows(), parameters=builder.parameters, measures=())


class _Builder:
    def __init__(self, plan: Plan, table: str, shape: Shape) -> None:
        self.plan, self.shape = plan, shape
        self.table = exp.to_table(table)
        self.parameters: list[Any] = []
        self.keys = [f"k{index}" for index in range(len(plan.group_by))]
        self.measures: dict[str, exp.Expr] = {"rows": exp.Count(this=exp.Star())}

    def statement(self) -> Statement:
        rows = self.rows()
        if isinstance(self.shape.method, Limbs):
            rows = self._limbs(rows, self.shape.method)
        elif self.plan.metric is not None:
            self._plain_measures(self.shape.method)
        outer = _around(rows, self.keys, self.measures)
        if self.keys:
            outer = outer.group_by(*map(exp.column, self.keys), copy=False)
        return Statement(tree=outer, parameters=self.parameters, measures=tuple(self.measures))

    def rows(self) -> exp.Select:
        """The rows that take part: group keys, and the metric as `m`."""
        columns = [exp.alias_(self._key(name), key) for name, key in zip(self.plan.group_by, self.keys, strict=True)]
        if self.plan.metric is not None:
            columns.append(exp.alias_(self._column(self.plan.metric), "m"))
        rows = exp.select(*(columns or [exp.Literal.number(1).as_("one")])).from_(self.table)
        for condition in self.plan.conditions:
            rows = rows.where(self._condition(condition), copy=False)
        return rows

    def _column(self, name: str) -> exp.Column:
        return exp.column(self.shape.columns[name])

    def _key(self, name: str) -> exp.Expr:
        column = self._column(name)
        if self.shape.fields[name].physical != "float64":
            return column
        # -0.0 and 0.0 are one group, and it is called 0.
        return exp.Case().when(exp.EQ(this=column.copy(), expression=_double(0.0)), _double(0.0)).else_(column)

    # --- measures -----------------------------------------------------------------------------------------------

    def _plain_measures(self, method: Method | Limbs) -> None:
        metric = exp.column("m")
        match method:
            case Method.WIDE:
                self.measures["total"] = exp.Sum(this=metric)
            case Method.SPLIT:
                self._split_measures(metric)
            case Method.EXTREME:
                self._extreme_measure(metric)
        if self.shape.nulls or method is Method.EXTREME:
            self.measures["n"] = exp.Count(this=exp.column("m"))

    def _split_measures(self, metric: exp.Expr) -> None:
        # A decimal's digits without the point are its exact unscaled integer, whatever its scale.
        text = exp.func("replace", exp.cast(metric, "varchar"), exp.Literal.string("."), exp.Literal.string(""))
        integer = exp.cast(text, exp.DataType.build("int128"))
        base = exp.Literal.number(SPLIT_AT)
        self.measures["high"] = exp.Sum(this=exp.IntDiv(this=integer, expression=base))
        self.measures["low"] = exp.Sum(this=exp.Mod(this=exp.paren(integer.copy()), expression=base.copy()))

    def _extreme_measure(self, metric: exp.Expr) -> None:
        value = metric
        if self.shape.nonfinite:
            is_nan = exp.IsNan(this=metric.copy())
            value = exp.Case().when(exp.Not(this=is_nan), metric)
            self.measures["nans"] = count_where(is_nan.copy())
        kind = exp.Min if self.plan.aggregation == "min" else exp.Max
        self.measures["extreme"] = kind(this=value)

    def _limbs(self, rows: exp.Select, limbs: Limbs) -> exp.Select:
        """Nest the steps of every limb around `rows`; the last remainder is `r<K>`."""
        kept = [*self.keys]
        if self.shape.nulls or self.shape.nonfinite or not limbs.proven:
            kept.append("m")
            self.measures["n"] = exp.Count(this=exp.column("m"))
        first: exp.Expr = exp.column("m")
        if self.shape.nonfinite:
            first = exp.Case().when(exp.func("isfinite", exp.column("m")), exp.column("m"))
            self._nonfinite_measures()
        rows = _around(rows, kept, {"r0": first})
        count = len(limbs.scales)
        for index, scale in enumerate(limbs.scales):
            rows = _around(rows, [*kept, f"r{index}"], {f"q{index}": _quotient(index, scale, limbs.proven)})
            kept.append(f"q{index}")
            if index + 1 < count or not limbs.proven:
                rows = _around(rows, kept, {f"r{index + 1}": _remainder(index, scale)})
            self.measures[f"s{index}"] = exp.Sum(this=exp.column(f"q{index}"))
        if not limbs.proven:
            self.measures["exact"] = count_where(exp.EQ(this=exp.column(f"r{count}"), expression=_double(0.0)))
        return rows

    def _nonfinite_measures(self) -> None:
        self.measures["nans"] = count_where(exp.IsNan(this=exp.column("m")))
        for name, sign in (("positive", 1.0), ("negative", -1.0)):
            infinite = exp.func("isinf", exp.column("m"))
            side = (exp.GT if sign > 0 else exp.LT)(this=exp.column("m"), expression=_double(0.0))
            self.measures[name] = count_where(exp.and_(infinite, side))

    # --- conditions ---------------------------------------------------------------------------------------------

    def _condition(self, condition: Condition) -> exp.Expr:
        field_ = self.shape.fields[condition.column]
        column = self._column(condition.column)
        if condition.op == "is_null":
            return exp.Is(this=column, expression=exp.Null())
        if condition.op == "is_not_null":
            return _not_null(column)
        if condition.column in self.shape.members:
            return self._members(column, condition)
        if field_.decimal_scale is not None:
            return self._exact_number(column, condition, field_)
        compared = self._comparison(column, condition)
        if field_.physical != "float64":
            return compared
        # Engines differ on NaN: it equals nothing here and is ordered with nothing.
        is_nan = exp.IsNan(this=column.copy())
        return exp.or_(compared, is_nan) if condition.op in ("ne", "not_in") else exp.and_(compared, exp.not_(is_nan))

    def _members(self, column: exp.Expr, condition: Condition) -> exp.Expr:
        # An ENUM's values are known, so the condition's own meaning decides which of them hold.
        holds = predicate(condition)
        members = self.shape.members[condition.column]
        chosen = [member for member in members if holds(member)]
        if len(chosen) == len(members):
            return _not_null(column)
        return exp.In(this=column, expressions=[self._bound(member) for member in chosen]) if chosen else exp.false()

    def _comparison(self, column: exp.Expr, condition: Condition) -> exp.Expr:
        op, operand = condition.op, condition.operand
        match op:
            case "contains":
                return exp.func("contains", column, self._bound(operand))
            case "starts_with":
                return exp.func("starts_with", column, self._bound(operand))
            case "in" | "not_in":
                listed = exp.In(this=column, expressions=[self._bound(value) for value in operand])
                return listed if op == "in" else exp.not_(listed)
            case "between":
                low, high = operand
                return exp.and_(
                    exp.GTE(this=column, expression=self._bound(low)),
                    exp.LTE(this=column.copy(), expression=self._bound(high)),
                )
        return _COMPARISONS[op](this=column, expression=self._bound(operand))

    def _exact_number(self, column: exp.Expr, condition: Condition, field_: Field) -> exp.Expr:
        """Compare an integer or decimal column with exact operands: each becomes a bound of the column's own grid."""
        op, operand = condition.op, condition.operand
        grid = _Grid.of(field_)
        if op == "between":
            low, high = (grid.bound(value, up) for value, up in zip(operand, (True, False), strict=True))
            return exp.and_(self._side("gte", column, low, grid), self._side("lte", column.copy(), high, grid))
        if op in ("in", "not_in"):
            held = [grid.value(int(unit)) for unit in (grid.units(value) for value in operand) if grid.holds(unit)]
            if not held:
                return exp.false() if op == "in" else _not_null(column)
            listed = exp.In(this=column, expressions=[self._bound(value) for value in held])
            return listed if op == "in" else exp.not_(listed)
        if op in ("eq", "ne"):
            unit = grid.units(operand)
            if not grid.holds(unit):
                return exp.false() if op == "eq" else _not_null(column)
            return _COMPARISONS[op](this=column, expression=self._bound(grid.value(int(unit))))
        return self._side(op, column, grid.bound(operand, up=op in ("gte", "lt")), grid)

    def _side(self, op: str, column: exp.Expr, unit: int, grid: _Grid) -> exp.Expr:
        if unit > grid.largest:
            return _not_null(column) if op in ("lt", "lte") else exp.false()
        if unit < grid.smallest:
            return _not_null(column) if op in ("gt", "gte") else exp.false()
        return _COMPARISONS[op](this=column, expression=self._bound(grid.value(unit)))

    def _bound(self, value: Any) -> exp.Expr:
        self.parameters.append(value)
        return exp.Placeholder()


@dataclass(frozen=True, slots=True)
class _Grid:
    """The exact numbers that a column can hold: whole multiples of 10**-scale from `smallest` to `largest` of them."""

    scale: int
    smallest: int
    largest: int

    @classmethod
    def of(cls, field_: Field) -> _Grid:
        if field_.physical == "int64":
            return cls(0, -(2**63), 2**63 - 1)
        precision = int(field_.physical[len("decimal(") :].split(",")[0])
        return cls(field_.decimal_scale or 0, 1 - 10**precision, 10**precision - 1)

    def units(self, value: int | Decimal) -> Fraction:
        return Fraction(value) * Fraction(10) ** self.scale

    def holds(self, units: Fraction) -> bool:
        return units.denominator == 1 and self.smallest <= units <= self.largest

    def bound(self, value: int | Decimal, up: bool) -> int:
        return ceil(self.units(value)) if up else floor(self.units(value))

    def value(self, units: int) -> int | Decimal:
        if self.scale == 0 and self.largest < 2**63:
            return units
        sign = 1 if units < 0 else 0
        return Decimal((sign, tuple(int(digit) for digit in str(abs(units))), -self.scale))


_COMPARISONS: Mapping[str, type[exp.Binary]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "gt": exp.GT,
    "gte": exp.GTE,
    "lt": exp.LT,
    "lte": exp.LTE,
}


def _around(rows: exp.Select, kept: Sequence[str], computed: Mapping[str, exp.Expr]) -> exp.Select:
    """Return the SELECT over `rows` that keeps some columns and computes others; no copies, for limbs nest deeply."""
    columns: list[exp.Expr] = [exp.column(name) for name in kept]
    columns += [exp.alias_(tree, name, copy=False) for name, tree in computed.items()]
    return exp.Select(expressions=columns).from_(rows.subquery("input", copy=False), copy=False)


def count_where(condition: exp.Expr) -> exp.Expr:
    """Return the number of rows for which the condition holds: 0, not null, where it is null for all of them."""
    return exp.Count(this=exp.Case().when(condition, exp.Literal.number(1)))


def _not_null(column: exp.Expr) -> exp.Expr:
    return exp.not_(exp.Is(this=column, expression=exp.Null()))


def _double(value: float) -> exp.Expr:
    return exp.cast(exp.Literal.number(repr(value)), "double")


def _scaled(value: exp.Expr, scale: int) -> exp.Expr:
    """Return value * 2**scale; in two factors where one would leave the range of a double."""
    factors = [scale] if abs(scale) <= 1022 else [scale // 2, scale - scale // 2]
    for factor in factors:
        value = exp.Mul(this=value, expression=_double(2.0**factor))
    return value


def _quotient(index: int, scale: int, proven: bool) -> exp.Expr:
    scaled = _scaled(exp.column(f"r{index}"), scale)
    # Unproven limbs may meet NaN or an infinity: then q is null, and the certificate does not count the row.
    return exp.cast(scaled, "bigint") if proven else exp.TryCast(this=scaled, to=exp.DataType.build("bigint"))


def _remainder(index: int, scale: int) -> exp.Expr:
    taken = _scaled(exp.cast(exp.column(f"q{index}"), "double"), -scale)
    return exp.Sub(this=exp.column(f"r{index}"), expression=taken)
