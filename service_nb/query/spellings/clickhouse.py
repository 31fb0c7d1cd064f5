"""ClickHouse's SQL.

Its casts cut off, its sums of 64 bits wrap without a word, and settings of an account may make results approximate; so
limbs are narrow, columns are summed in 128 and 256 bits, and each statement carries the settings that it relies on.
"""

from __future__ import annotations

import datetime
import math

from sqlglot import exp

from service_nb.query.lookups import compute_value_range, list_lookup_values
from service_nb.query.spelling import Spelling, call
from service_nb.query.spellings.digits import write_with_exponent
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

ALTERED = "altered meanwhile"  # in the text of the error of a column that has another type than it had
_ANY = "[(].*"
_TYPES = {
    "int64": "Int64|U?Int(8|16|32)|Decimal[(](1[0-8]|[1-9]), 0",
    "float64": "Float32|Float64|BFloat16",
    "string": f"String|UUID|IPv4|IPv6|Enum(8|16){_ANY}|FixedString{_ANY}",
    "boolean": "Bool",
    "date": "Date|Date32",
    "datetime": f"DateTime|DateTime{_ANY}|DateTime64[(][0-6](,.*)?",
    "decimal(20,0)": "UInt64|Decimal[(]20, 0",
}
_EPOCH = datetime.datetime.fromisoformat("1970-01-01")
_SECOND = datetime.timedelta(seconds=1)
_FIRST, _LAST = 86_400, 2**32 - 86_400  # seconds that all types of times have
_SETTINGS = {
    "optimize_arithmetic_operations_in_aggregate_functions": "0",  # or sums of differences become others, rounded
    "aggregate_functions_null_for_empty": "0",
    "transform_null_in": "0",
    "group_by_overflow_mode": "throw",  # or groups beyond a limit are left out
    "distinct_overflow_mode": "throw",
    "read_overflow_mode": "throw",
    "read_overflow_mode_leaf": "throw",
    "result_overflow_mode": "throw",
    "set_overflow_mode": "throw",
    "join_overflow_mode": "throw",
    "sort_overflow_mode": "throw",
    "transfer_overflow_mode": "throw",
    "timeout_overflow_mode": "throw",
    "timeout_overflow_mode_leaf": "throw",
    "use_query_cache": "0",  # a live source is asked, and not what it answered once
    "skip_unavailable_shards": "0",
    "limit": "0",
    "offset": "0",
}


class ClickHouseSpelling(Spelling):
    """ClickHouse 24 and later. A String is bytes, and compared so."""

    dialect = "clickhouse"
    quoted = True
    sum_widens = False
    settings = _SETTINGS

    def find_type(self, physical: str) -> exp.DataType:
        """Return the type that holds a field's physical type; it may be null, as its literals may."""
        match physical:
            case "date":
                return exp.DataType.build("Nullable(Date32)", dialect="clickhouse")
            case "datetime":
                return exp.DataType.build("Nullable(DateTime64(6, 'UTC'))", dialect="clickhouse")
            case "string":
                return exp.DataType.build("Nullable(String)", dialect="clickhouse")
        return super().find_type(physical)

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double."""
        return call("toFloat64", exp.Literal.number(write_with_exponent(value)))

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return NaN or an infinity."""
        name = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return call("toFloat64", exp.Literal.string(name))

    def bound(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Return a placeholder; the link writes the type beside it."""
        return exp.Placeholder()

    def convert_operand(self, value: object) -> object:
        """Return days and times as integers: texts of those beyond the calendar of a server would become its ends."""
        if isinstance(value, datetime.datetime):
            return (value - _EPOCH) // datetime.timedelta(microseconds=1)
        return (value - _EPOCH.date()).days if isinstance(value, datetime.date) else value

    def convert_for_comparison(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return a day as its number, and a time as its microseconds."""
        if field.physical == "datetime":
            return call("toUnixTimestamp64Micro", value)
        return call("toInt32", value) if field.physical == "date" else value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; what may be null may be so afterwards."""
        match field.physical:
            case "int64":
                return call("toInt64", column)
            case "float64":
                return self.cast_to_double(column)
            case "string":
                return call("toString", column)
            case "date":
                return call("toDate32", column)
            case "datetime":
                return call("toDateTime64", column, exp.Literal.number(6), exp.Literal.string("UTC"))
            case "boolean":
                return column
        return call("toDecimal128", column, exp.Literal.number(field.decimal_scale or 0))

    def typed(self, field: Field, column: exp.Expr) -> exp.Expr | None:
        """Return a condition that is made a constant before anything is read: of another type it is no such constant.

        A type as a text is a constant, and to be cast to an enumeration it has to be one of its names.
        """
        inner = _TYPES.get(field.physical) or field.physical.replace("decimal(", "Decimal[(]").replace(",", ", ")[:-1]
        pattern = f"(?s)^(LowCardinality[(])?(Nullable[(])?({inner})[)]*$"
        is_same = call("match", call("toTypeName", column), exp.Literal.string(pattern))
        word = call("if", is_same, exp.Literal.string("same"), exp.Literal.string(ALTERED))
        cast = call("CAST", word, exp.Literal.string("Enum8('same' = 1)"))
        return exp.EQ(this=cast, expression=exp.Literal.string("same"))

    def build_float_key(self, value: exp.Expr) -> exp.Expr:
        """Return a double as a key: NaN of different bits would be different groups."""
        case = exp.Case().when(self.is_nan(value.copy()), self.build_nonfinite(math.nan), copy=False)
        return case.else_(super().build_float_key(value), copy=False)

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN."""
        return call("isNaN", value)

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is neither NaN nor an infinity."""
        return call("isFinite", value)

    def whole(self, value: exp.Expr) -> exp.Expr:
        """Return a double cut off."""
        return call("trunc", value)

    def bigint(self, value: exp.Expr) -> exp.Expr:
        """Return a double as an integer of 64 bits, cut off; 0 of null.

        What is null may hide a NaN, which toInt64 would see and refuse.
        """
        return call("toInt64", call("ifNull", value, self.build_double(0.0)))

    def cast_to_double(self, value: exp.Expr) -> exp.Expr:
        """Return an integer of at most 53 bits as the double that it is."""
        return call("toFloat64", value)

    def count_where(self, condition: exp.Expr) -> exp.Expr:
        """Return the number of rows for which the condition holds."""
        return call("countIf", condition)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum in 128 bits of integers, in 256 bits of decimals: 2**60 rows of the largest fit."""
        if field.physical == "int64":
            return exp.Sum(this=call("toInt128", value))
        return exp.Sum(this=call("toDecimal256", value, exp.Literal.number(field.decimal_scale or 0)))

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself, where an index is not used by what the exact one is made of.

        Of times the ends are whole seconds that every type of them has; decimals are compared with their own type.
        """
        values = list_lookup_values(field, condition)
        if not values or condition.op == "in":
            return None
        if field.physical == "datetime":
            low, high = compute_value_range(condition, [(value - _EPOCH) // _SECOND for value in values])
            return _build_range_condition(column, low, None if high is None else high + 1)
        return None

    def contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text has another in it."""
        return exp.GT(this=call("position", text, part), expression=exp.Literal.number(0))

    def starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Return the condition that a text begins with another."""
        return call("startsWith", text, part)

    def guarded(self, tree: exp.Select) -> exp.Select:
        """Return the statement with its settings."""
        given = [
            exp.EQ(
                this=exp.column(name),
                expression=exp.Literal.number(value) if value.isdigit() else exp.Literal.string(value),
            )
            for name, value in self.settings.items()
        ]
        tree.set("settings", given)
        return tree


def _build_range_condition(column: exp.Expr, low: int | None, high: int | None) -> tuple[exp.Expr, list[object]] | None:
    ends = [(exp.GTE, low), (exp.LTE, high)]
    held = [(kind, end) for kind, end in ends if end is not None and _FIRST <= end <= _LAST]
    if not held:
        return None
    trees: list[exp.Expr] = []
    for kind, _ in held:
        end = call("toDateTime64", exp.Placeholder(), exp.Literal.number(6), exp.Literal.string("UTC"))
        trees.append(kind(this=column.copy(), expression=end))
    return exp.and_(*trees, copy=False), [end for _, end in held]
