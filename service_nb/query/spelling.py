"""The SQL dialect of each database: only the few nodes in which databases differ.

A plan's tree is built once, in `query.sql`, out of what a `Spelling` returns; `dialect` is the SQLGlot dialect that
turns the tree into text. A method is given expressions and returns one new expression. It may use an argument in one
place as it is, and copies it (`.copy()`) for every further place. What it is given as `value` is a column of the row,
or a short expression of one: cheap to write twice.

What every spelling keeps, for a plan to mean the same everywhere:

- doubles are IEEE 754 binary64 from literal to result; no literal is left to be typed by the database;
- text is grouped, compared and ordered by its bytes in UTF-8, which is by code point: no collation decides, case,
  accents and trailing spaces count;
- -0.0 is the key 0.0, all NaN are one key, all nulls are one key;
- a sum of integers is exact or an error, never a value that wrapped, saturated or was rounded.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import ClassVar

from sqlglot import exp

from service_nb.schema.query import Condition, DateUnit
from service_nb.schema.source import Field, Value

LARGEST = 1.7976931348623157e308
MOST_DIGITS = 38
MOST_SUMMED = 25  # digits of a column that is summed as it is: 2**40 rows of it fit into 38
HALF = 19  # digits of one half of a decimal that is summed in two
DAYS_OF_CYCLE = 146_097  # of 400 years
_HALF_DIGITS = 28  # of what is summed where sums have ten more
_TYPES: Mapping[str, str] = {
    "int64": "bigint",
    "float64": "double",
    "string": "varchar",
    "boolean": "boolean",
    "date": "date",
    "datetime": "timestamp",
}
KINDS = (*_TYPES, "decimal")

Summand = tuple[int, exp.Expr]  # a weight, and an integer expression that is summed


@cache
def _parse_type(name: str, dialect: str | None) -> exp.DataType:
    return exp.DataType.build(name, dialect=dialect)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Build the call of a database's own function, which stands in the text by just this name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def write_with_exponent(value: float) -> str:
    """Write the shortest digits of a double with an exponent, which makes them a double in standard SQL."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def count_digits(field: Field) -> tuple[int, int]:
    """Count the digits of an exact column: all of them, and those after the point."""
    if field.physical == "int64":
        return HALF, 0
    precision, scale = field.physical[len("decimal(") : -1].split(",")
    return int(precision), int(scale)


def is_null(value: exp.Expr, *, negated: bool = False) -> exp.Expr:
    """Build the condition that a value is null, or that it is not."""
    found = exp.Is(this=value, expression=exp.Null())
    return exp.not_(found, copy=False) if negated else found


class Spelling:
    """The SQL of a database, as DuckDB's; a subclass says where its database or driver wants it otherwise."""

    dialect = "duckdb"  # SQLGlot's name of the SQL that is written
    quoted = False  # our own aliases too; columns and tables of a source always are
    types: ClassVar[Mapping[str, str | exp.DataType]] = {}  # that have another name than `_TYPES` says
    casts_columns = False  # a column is cast to be of exactly its field's physical type
    casts_operands: Collection[str] = ()  # of `KINDS`: whose operands stand in a cast to the column's type
    settings: Mapping[str, str] = {}  # for each statement: `add_settings` writes them, or the link sends them beside it

    # Doubles. What the canary has among its rows is `nonfinite`, and within `finite_range`; doubles below it that a
    # column holds nevertheless fail the certificate, and the rows are extracted.
    nonfinite: tuple[float, ...] = (math.nan, math.inf, -math.inf)  # that a column can hold
    finite_range: tuple[float, float] = (5e-324, LARGEST)  # magnitudes that the database computes with
    quotes_doubles = False  # a literal is a text in a cast, for digits would be a decimal first
    is_nan_equal = False  # to itself
    finite_call = ""  # the function that tests for a finite double; without one, a comparison does
    whole_call = ""  # the function that cuts a fraction off; without one, a cast does
    underflow_raises = False  # a product that is too small for a double is an error

    # Exact numbers.
    decimals = True  # there are numbers of decimal digits
    decimal_nan = False  # a column of decimals may hold NaN, and it is the largest of them
    limb_type = ""  # what an integer is cast to before it is summed
    most_summed: int | None = None  # digits of columns that are summed without `split`
    summed_digits: int | None = None  # digits of the decimal that these are cast to before
    # Any number of integers of 53 bits is summed exactly. Where it is not so, limbs are narrower the more rows there
    # are, and a group of more rows than that is not accepted.
    sum_widens = True

    # Texts.
    empty_text = True  # is a value, and not null
    nul_text = True  # a text may hold the character NUL; where none can, no such operand is sent either
    place_call = ""  # the function that finds the place of a text in another one, from 1
    contains_call = "CONTAINS"  # the function that finds a text in another one; without one, the place does
    prefix_call = "STARTS_WITH"  # the function that tests a beginning; without one, the place does

    # Group keys that are computed: "period" of dates, "period of a zone" of instants, and bins of the physical types
    # "float64", "int64", "decimal".
    computes_keys: Collection[str] = ()

    literal_values = False  # rows of literals are VALUES, planned much faster than a union of them

    # --- names --------------------------------------------------------------------------------------------------

    def build_alias(self, name: str) -> exp.Identifier:
        """Return one of our own names (lower-case letters and digits), as it is defined and as it is used."""
        return exp.to_identifier(name, quoted=self.quoted)

    def build_name(self, name: str) -> exp.Identifier:
        """Return the name of a source's column, exactly as the schema says it."""
        return exp.to_identifier(name, quoted=True)

    # --- types and literals -------------------------------------------------------------------------------------

    def find_type(self, physical: str) -> exp.DataType:
        """Find the type that holds a field's physical type: int64, float64, decimal(p,s), string, boolean, …."""
        own = self.types.get(physical)
        if isinstance(own, exp.DataType):
            return own.copy()
        found = _parse_type(_TYPES.get(physical, physical), None) if own is None else _parse_type(own, self.dialect)
        return found.copy()

    def build_double(self, value: float) -> exp.Expr:
        """Build a literal that is this very double: with an exponent, typed, and never read as a decimal first."""
        text = (
            exp.Literal.string(repr(value)) if self.quotes_doubles else exp.Literal.number(write_with_exponent(value))
        )
        return exp.cast(text, self.find_type("float64"), copy=False)

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Build NaN or an infinity, one of `nonfinite`."""
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return exp.cast(exp.Literal.string(name), self.find_type("float64"), copy=False)

    def build_literal(self, field: Field, value: Value) -> exp.Expr:
        """Build a typed literal of a field's value; only the canary writes values into SQL."""
        kind = self.find_type(field.physical)
        if value is None:
            return exp.cast(exp.Null(), kind, copy=False)
        if isinstance(value, float):
            return self.build_double(value) if math.isfinite(value) else self.build_nonfinite(value)
        if isinstance(value, bool):
            return exp.true() if value else exp.false()
        return exp.cast(exp.Literal.string(str(value)), kind, copy=False)

    def build_literal_rows(self, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> exp.Expr:
        """Build a relation of these rows, made of literals and no table, its columns named as the fields."""
        if self.literal_values:
            listed = [exp.Tuple(expressions=[*map(self.build_literal, fields, row)]) for row in rows]
            names = exp.TableAlias(
                this=self.build_alias("canary"), columns=[self.build_name(field.name) for field in fields]
            )
            return exp.Values(expressions=listed, alias=names)
        selects: list[exp.Select] = []
        for row in rows:
            cells = [self.build_literal(field, value) for field, value in zip(fields, row, strict=True)]
            if not selects:  # the first names the columns of all
                cells = [
                    exp.alias_(cell, self.build_name(field.name)) for cell, field in zip(cells, fields, strict=True)
                ]
            selects.append(self.add_row_table(exp.Select(expressions=cells)))
        relation: exp.Query = exp.union(*selects, distinct=False, copy=False) if len(selects) > 1 else selects[0]
        return relation.subquery(self.build_alias("canary"), copy=False)

    def add_row_table(self, select: exp.Select) -> exp.Select:
        """Return a SELECT of literals as the database wants it: some need a table that has one row."""
        return select

    def build_placeholder(self, value: object, field: Field) -> exp.Expr:  # noqa: ARG002
        """Build a placeholder for a condition's operand, inside a typed cast where drivers leave the type open.

        `value` is what will be bound (see `convert_operand`); the placeholder stands in the expression exactly once.
        """
        if field.physical.partition("(")[0] not in self.casts_operands:
            return exp.Placeholder()
        return exp.cast(exp.Placeholder(), self.find_type(field.physical), copy=False)

    def convert_operand(self, value: object) -> object:
        """Convert the operand for the driver; the same object if the driver takes Python's types."""
        return value

    # --- reading columns ----------------------------------------------------------------------------------------

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a source's column as a value of exactly the field's physical type.

        Here a narrow integer becomes 64 bits, a single a double, padded or localised text plain text, an instant a
        time in UTC. Conditions, keys and metrics are all made of what this returns.
        """
        return exp.cast(column, self.find_type(field.physical), copy=False) if self.casts_columns else column

    def build_type_check(self, field: Field, column: exp.Expr) -> exp.Expr | None:  # noqa: ARG002
        """Build a condition that is true while a source's column is of a type that `field` stands for.

        Of any other type, or of no rows, the statement fails before it reads one. None where a transaction keeps types
        as they were described, or the database has no such condition.
        """
        return None

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Convert a text (a column that was read, or a bound operand) to a form that compares by its bytes in UTF-8."""
        return value

    def build_key(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Build the group key of a value: equal for all rows of a group, and shown as the group's name.

        Rows of the result hold it as it is, so bytes of text are decoded by the link.
        """
        if field.physical == "float64":
            return self.build_float_key(value)
        return self.build_text(value) if field.physical == "string" else value

    def build_float_key(self, value: exp.Expr) -> exp.Expr:
        """Return a double as a key: -0.0 and 0.0 are one group, and it is called 0; all NaN are one."""
        zero = exp.EQ(this=value.copy(), expression=self.build_double(0.0))
        return exp.Case().when(zero, self.build_double(0.0), copy=False).else_(value, copy=False)

    def build_first_day(self, unit: DateUnit, value: exp.Expr) -> exp.Expr:
        """Return the first day of the period in which a date or a time lies, as a date; weeks begin on Monday."""
        return exp.cast(call("DATE_TRUNC", exp.Literal.string(unit), value), self.find_type("date"), copy=False)

    def add_seconds(self, value: exp.Expr, seconds: int) -> exp.Expr:
        """Return the time so many seconds later, or earlier."""
        length = exp.Interval(this=exp.Literal.string(str(seconds)), unit=exp.var("SECOND"))
        return exp.Add(this=value, expression=length)

    def fold_cycles(self, value: exp.Expr, year: int) -> exp.Expr:
        """Return a moment from a year on as that of its first 400 years, whose weekdays repeat after them."""
        start = exp.cast(exp.Literal.string(f"{year}-01-01"), self.find_type("datetime"), copy=False)
        days = call("DATE_DIFF", exp.Literal.string("day"), start, value.copy())
        cycles = exp.IntDiv(this=days, expression=exp.Literal.number(DAYS_OF_CYCLE))
        beyond = exp.cast(exp.Mul(this=exp.paren(cycles), expression=exp.Literal.number(DAYS_OF_CYCLE)), "integer")
        folded = exp.Sub(this=value.copy(), expression=call("TO_DAYS", beyond))
        is_beyond = exp.GTE(this=value.copy(), expression=start.copy())
        return exp.Case().when(is_beyond, folded, copy=False).else_(value, copy=False)

    def build_width(self, field: Field, width: Decimal) -> exp.Expr:
        """Build the width of bins, or zero, as an exact number of the type that `widen` gives."""
        return self.widen(field, exp.Literal.number(f"{width:f}"))

    def widen(self, field: Field, value: exp.Expr) -> exp.Expr:  # noqa: ARG002
        """Return an exact number in a type in which bins are computed: it raises beyond its range, and never wraps."""
        return value

    # --- floats -------------------------------------------------------------------------------------------------

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Build the condition that a double is NaN."""
        if not any(map(math.isnan, self.nonfinite)):
            return self.build_never()
        if self.is_nan_equal:
            return exp.EQ(this=value, expression=self.build_nonfinite(math.nan))
        return exp.IsNan(this=value)

    def is_finite(self, value: exp.Expr) -> exp.Expr:
        """Build the condition that a double is neither NaN nor an infinity; null or false of a null."""
        if not self.nonfinite:
            return is_null(value, negated=True)
        return call(self.finite_call, value) if self.finite_call else self.is_within(value, LARGEST)

    def is_infinite(self, value: exp.Expr, sign: int) -> exp.Expr:
        """Build the condition that a double is the infinity of this sign (1 or -1)."""
        infinity = math.copysign(math.inf, sign)
        if infinity not in self.nonfinite:
            return self.build_never()
        return exp.EQ(this=value, expression=self.build_nonfinite(infinity))

    def is_within(self, value: exp.Expr, bound: float) -> exp.Expr:
        """Build the condition that a double's magnitude is at most `bound`; null or false of NaN and null."""
        return exp.LTE(this=exp.Abs(this=value), expression=self.build_double(bound))

    def scale_by_power(self, value: exp.Expr, scale: int) -> exp.Expr:
        """Return value * 2**scale in binary64; in two factors where one would leave the range of a double."""
        factors = [scale] if abs(scale) <= 1022 else [scale // 2, scale - scale // 2]
        for factor in factors:
            value = exp.Mul(this=value, expression=self.build_double(2.0**factor))
        return value

    def scale_to_integer(self, value: exp.Expr, scale: int) -> exp.Expr:
        """Return an integer next to value * 2**scale, on either side, as a double; of 2**1023 at most.

        Null stays null. The product may be subnormal or zero, which must not be an error.
        """
        cut = self.build_whole(self.scale_by_power(value, scale))
        if scale >= 0 or not self.underflow_raises:
            return cut
        small = self.is_within(value.copy(), math.ldexp(1.0, -scale - 1))
        return exp.Case().when(small, self.build_double(0.0), copy=False).else_(cut, copy=False)

    def build_whole(self, value: exp.Expr) -> exp.Expr:
        """Return a double of any magnitude cut off or rounded to an integer, as a double."""
        if self.whole_call:
            return call(self.whole_call, value)
        # From 2**53 on every double is an integer, and below it 64 bits hold it.
        small = self.is_within(value.copy(), 2.0**53)
        cut = self.cast_to_double(self.cast_to_bigint(value.copy()))
        return exp.Case().when(small, cut, copy=False).else_(value, copy=False)

    def cast_to_bigint(self, value: exp.Expr) -> exp.Expr:
        """Return a double as an integer of 64 bits, rounded or cut off; values beyond 2**53 are never given."""
        return exp.cast(value, self.find_type("int64"), copy=False)

    def try_bigint(self, value: exp.Expr) -> exp.Expr:
        """Return the same, and null of a double that no 64 bits hold. Only the engine of files asks for it."""
        return exp.TryCast(this=value, to=self.find_type("int64"))

    def cast_to_double(self, value: exp.Expr) -> exp.Expr:
        """Return an integer of at most 53 bits as the double that it is."""
        return exp.cast(value, self.find_type("float64"), copy=False)

    # --- measures -----------------------------------------------------------------------------------------------

    def count(self, value: exp.Expr) -> exp.Expr:
        """Count rows (of a star) or values that are not null, as an integer of 64 bits."""
        return exp.Count(this=value)

    def count_where(self, condition: exp.Expr) -> exp.Expr:
        """Build the number of rows for which the condition holds: 0, not null, where it is null for all of them."""
        return self.count(exp.Case().when(condition, exp.Literal.number(1), copy=False))

    def build_limb_sum(self, value: exp.Expr) -> exp.Expr:
        """Build the sum of integers of 64 bits, each of at most 53 used; see `sum_widens`."""
        return exp.Sum(this=exp.cast(value, _parse_type(self.limb_type, self.dialect)) if self.limb_type else value)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Build the sum of a column of integers or decimals that is exact whatever the values, for 2**40 rows of them.

        Its result is an exact number in the column's own unit (an int, or a Decimal with the column's digits after the
        point). Beyond what it can hold it must raise, never wrap. None where the type needs `split`.
        """
        if self.most_summed is not None:
            precision, scale = count_digits(field)
            if precision > self.most_summed:
                return None
            if self.summed_digits is not None:
                value = exp.cast(value, exp.DataType.build(f"decimal({self.summed_digits},{scale})"))
        return exp.Sum(this=value)  # DuckDB: of decimals only where statistics prove that 38 digits suffice

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Return integers whose weighted sum is the column's unscaled value, each small enough to be summed exactly.

        ``value * 10**scale == sum(weight * integer)``; each is summed with SUM as it stands.
        """
        # Cut out of its digits; a number of 38 digits after the point is shown with a zero before it: one more.
        digits: exp.Expr = exp.cast(value.copy(), self.find_type("string"))
        for sign in (".", "-"):
            digits = call("REPLACE", digits, exp.Literal.string(sign), exp.Literal.string(""))
        digits = call("LPAD", digits, exp.Literal.number(MOST_DIGITS + 1), exp.Literal.string("0"))
        parts = []
        for start, length, weight in ((1, HALF + 1, 10**HALF), (HALF + 2, HALF, 1)):
            cut = call("SUBSTR", digits.copy(), exp.Literal.number(start), exp.Literal.number(length))
            part = exp.cast(cut, exp.DataType.build(f"decimal({_HALF_DIGITS},0)"))
            negative = exp.LT(this=value.copy(), expression=exp.Literal.number(0))
            signed = exp.Case().when(negative, exp.Neg(this=part), copy=False).else_(part.copy(), copy=False)
            parts.append((weight, signed))
        return tuple(parts)

    def build_extreme(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Build the expression that min and max are taken of: text by code point; numbers and dates as they are."""
        return self.build_text(value) if field.physical == "string" else value

    def build_least(self, field: Field, value: exp.Expr) -> exp.Expr:  # noqa: ARG002
        """Return the least of what `build_extreme` returned; NaN of decimals where one of them is, as of doubles."""
        return exp.Min(this=value)

    def build_middles(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:  # noqa: ARG002
        """Return both values in the middle of a group, one value twice of an odd count, nulls left out.

        They are exact, and the database holds all values of a group in memory. None where it has no such function:
        then rows are numbered.
        """
        return None

    # --- conditions ---------------------------------------------------------------------------------------------

    def build_never(self) -> exp.Expr:
        """Build a condition that no row meets."""
        return exp.false()

    def convert_for_comparison(self, field: Field, value: exp.Expr) -> exp.Expr:  # noqa: ARG002
        """Convert a date, time, double or boolean for comparison, to the same form as operands."""
        return value

    def build_index_condition(
        self,
        field: Field,  # noqa: ARG002
        condition: Condition,  # noqa: ARG002
        column: exp.Expr,  # noqa: ARG002
    ) -> tuple[exp.Expr, list[object]] | None:
        """Build a condition that every row meets which meets `condition`, for the database to look up in an index.

        It is written of the source's column as it stands, beside the exact condition, and comes with what is bound in
        it. None where there is none that surely leaves no row out.
        """
        return None

    def unwrap_text(self, text: exp.Expr) -> exp.Expr:
        """Return the characters of what `build_text` returned, for the functions that search."""
        return text

    def build_place(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Build the place, from 1, at which a text has another one first; 0 where it has not."""
        return call(self.place_call, text, part)

    def build_contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Build the condition that a text has another in it, byte for byte; every text has the empty one.

        Both are what `build_text` returned. Nothing in `part` is a pattern.
        """
        text, part = self.unwrap_text(text), self.unwrap_text(part)
        if self.contains_call:
            return call(self.contains_call, text, part)
        return exp.GT(this=self.build_place(text, part), expression=exp.Literal.number(0))

    def build_starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        """Build the condition that a text begins with another, byte for byte; every text begins with the empty one.

        `part` may hold a placeholder, so it is written once only.
        """
        text, part = self.unwrap_text(text), self.unwrap_text(part)
        if self.prefix_call:
            return call(self.prefix_call, text, part)
        return exp.EQ(this=self.build_place(text, part), expression=exp.Literal.number(1))

    # --- the whole statement ------------------------------------------------------------------------------------

    def add_settings(self, tree: exp.Select) -> exp.Select:
        """Return the finished statement with `settings` in it, where the database's SQL has a place for them."""
        return tree

    def limit_rows(self, tree: exp.Select, most: int) -> exp.Select:
        """Return the statement cut to `most` rows."""
        return tree.limit(most, copy=False)


class DuckDBSpelling(Spelling):
    """The SQL of DuckDB.

    Its driver binds a small decimal of 38 places as a double, and with it a whole list, or the column compared with it,
    becomes doubles: neighbours among 38 digits are one. So decimals are bound as their digits.
    """

    finite_call = "ISFINITE"
    computes_keys = ("period", "period of a zone", "float64", "int64", "decimal")

    def widen(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return an exact number in as many digits as there are."""
        is_integer = field.physical == "int64"
        return exp.cast(value, "int128" if is_integer else f"decimal({MOST_DIGITS},{field.decimal_scale})", copy=False)

    def build_placeholder(self, value: object, field: Field) -> exp.Expr:
        """Build a placeholder, of the column's own type where that is one of decimals."""
        if isinstance(value, str) and field.decimal_scale is not None:
            return exp.cast(exp.Placeholder(), self.find_type(field.physical))
        return exp.Placeholder()

    def convert_operand(self, value: object) -> object:
        """Return the operand as it is, and a decimal as its digits."""
        return format(value, "f") if isinstance(value, Decimal) else value

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Split the unscaled value, whose digits are the decimal's without the point, in 128 bits."""
        text = exp.func("replace", exp.cast(value, "varchar"), exp.Literal.string("."), exp.Literal.string(""))
        integer = exp.cast(text, exp.DataType.build("int128"))
        base = exp.Literal.number(10**HALF)
        high = exp.IntDiv(this=integer, expression=base)
        low = exp.Mod(this=exp.paren(integer.copy()), expression=base.copy())
        return (10**HALF, high), (1, low)

    def build_middles(self, value: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
        """Return the discrete quantile from both ends."""
        low, high = exp.Literal.number("0.5"), exp.Neg(this=exp.Literal.number("0.5"))
        return call("QUANTILE_DISC", value, low), call("QUANTILE_DISC", value.copy(), high)

    def is_infinite(self, value: exp.Expr, sign: int) -> exp.Expr:
        """Build the condition that a double is the infinity of this sign."""
        side = (exp.GT if sign > 0 else exp.LT)(this=value.copy(), expression=self.build_double(0.0))
        return exp.and_(exp.func("isinf", value), side, copy=False)
