"""What a user's query may have: nodes of a tree, functions, types. Whatever is not here is refused.

A function is here when its value depends on its arguments alone, it changes nothing, and its value is not much longer
than they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_CLAUSES = (
    *(
        "Select",
        "Union",
        "Intersect",
        "Except",
        "Subquery",
        "With",
        "CTE",
        "TableAlias",
        "Alias",
        "Star",
        "From",
        "Join",
    ),
    *("Where", "Group", "Having", "Order", "Ordered", "Limit", "Offset", "Fetch", "Distinct", "Tuple", "Identifier"),
    *("Window", "WindowSpec", "Filter", "WithinGroup", "IgnoreNulls", "RespectNulls", "Rollup", "Cube", "GroupingSets"),
)
_OPERATORS = (
    *("Add", "Sub", "Mul", "Div", "IntDiv", "Mod", "Neg", "DPipe", "And", "Or", "Not", "Xor", "Paren"),
    *(
        "EQ",
        "NEQ",
        "GT",
        "GTE",
        "LT",
        "LTE",
        "NullSafeEQ",
        "NullSafeNEQ",
        "Is",
        "In",
        "Between",
        "Like",
        "ILike",
        "Glob",
        "Escape",
    ),
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitwiseLeftShift", "BitwiseRightShift"),
    *("Exists", "Any", "All", "AtTimeZone", "Interval", "Collate"),
)
_VALUES = (
    *("Literal", "Null", "Boolean", "Var", "DataTypeParam", "National", "HexString", "WeekStart"),
    *("JSONPath", "JSONPathRoot", "JSONPathKey", "JSONPathSubscript"),
)
_FUNCTIONS = (
    # numbers
    *("Abs", "Ceil", "Floor", "Round", "Trunc", "Sign", "Sqrt", "Cbrt", "Exp", "Ln", "Log", "Pow", "Greatest", "Least"),
    *("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Degrees", "Radians", "Pi", "IsNan", "IsInf", "ToNumber"),
    # conditions and casts
    *("Case", "If", "Coalesce", "Nullif", "Nvl2", "Cast", "TryCast", "SafeDivide"),
    # text
    *(
        "Lower",
        "Upper",
        "Initcap",
        "Length",
        "Trim",
        "Substring",
        "SubstringIndex",
        "Left",
        "Right",
        "Concat",
        "ConcatWs",
    ),
    *(
        "Replace",
        "Reverse",
        "StrPosition",
        "StartsWith",
        "EndsWith",
        "Contains",
        "SplitPart",
        "Ascii",
        "Unicode",
        "Hex",
    ),
    *("MD5", "Translate"),
    # dates
    *("Extract", "Year", "Month", "Day", "Hour", "Minute", "Second", "Quarter", "Week", "DayOfWeek", "DayOfMonth"),
    *(
        "DayOfYear",
        "DayOfWeekIso",
        "WeekOfYear",
        "DateTrunc",
        "TimestampTrunc",
        "DateAdd",
        "DateSub",
        "DateDiff",
        "TsOrDsToDate",
    ),
    *(
        "TimestampAdd",
        "TimestampSub",
        "TimestampDiff",
        "Date",
        "LastDay",
        "TimeToStr",
        "StrToTime",
        "StrToDate",
        "ToChar",
    ),
    *(
        "UnixToTime",
        "TimeToUnix",
        "TsOrDsToTimestamp",
        "TsOrDsAdd",
        "TsOrDsDiff",
        "DateStrToDate",
        "TimeStrToTime",
        "Dayname",
    ),
    *("DateFromParts", "DateBin", "JSONExtract", "JSONExtractScalar"),
    # aggregates and windows
    *("Count", "CountIf", "Sum", "Avg", "Min", "Max", "Stddev", "StddevPop", "StddevSamp", "Variance", "VariancePop"),
    *(
        "Median",
        "PercentileCont",
        "PercentileDisc",
        "Corr",
        "CovarPop",
        "CovarSamp",
        "LogicalAnd",
        "LogicalOr",
        "AnyValue",
    ),
    *("RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "Lag", "Lead", "FirstValue", "LastValue"),
    *("NthValue", "Grouping"),
)
_TYPES = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INT128", "INT256", "UTINYINT", "USMALLINT"),
    *("UMEDIUMINT", "UINT", "UBIGINT", "UINT128", "UINT256", "FLOAT", "DOUBLE", "DECIMAL", "DECIMAL32", "DECIMAL64"),
    *("DECIMAL128", "DECIMAL256", "BIGDECIMAL", "UDECIMAL", "CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "TINYTEXT"),
    *("MEDIUMTEXT", "LONGTEXT", "DATE", "DATE32", "DATETIME", "DATETIME2", "DATETIME64", "SMALLDATETIME", "TIMESTAMP"),
    *("TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ", "TIME", "INTERVAL", "UUID", "BIT", "MONEY", "YEAR"),
    *("LOWCARDINALITY", "BINARY", "VARBINARY", "FIXEDSTRING"),
)

# Plain functions that the parser knows by name only.
_NAMED: Mapping[str, tuple[str, ...]] = {
    "postgres": ("numeric_inc", "div", "scale", "trim_scale", "char_length", "octet_length", "btrim", "isfinite"),
    "mysql": (
        "char_length",
        "octet_length",
        "to_days",
        "from_days",
        "truncate",
        "log2",
        "log10",
        "format",
        "conv",
        "crc32",
    ),
    "clickhouse": (
        *("tostring", "toint8", "toint16", "toint32", "toint64", "touint8", "touint16", "touint32", "touint64"),
        *("tofloat32", "tofloat64", "todecimal32", "todecimal64", "todecimal128", "todate", "todate32", "todatetime"),
        *("tostartofyear", "tostartofquarter", "tostartofmonth", "tostartofweek", "tostartofday", "tostartofhour"),
        *("toyear", "tomonth", "todayofmonth", "tohour", "tominute", "tosecond", "toyyyymm", "toyyyymmdd", "ifnull"),
        *("assumenotnull", "tonullable", "isfinite", "intdiv", "lengthutf8", "lowerutf8", "upperutf8", "substringutf8"),
    ),
    "sqlite": ("julianday", "total", "ifnull", "instr", "typeof", "iif", "likely", "unlikely"),
    "tsql": ("isnull", "charindex", "datefromparts", "eomonth"),
    "oracle": ("nvl", "instr", "add_months", "months_between"),
}


def _classes(*names: str) -> frozenset[type[exp.Expr]]:
    return frozenset(found for name in names if (found := getattr(exp, name, None)) is not None)


NODES = _classes(*_CLAUSES, *_OPERATORS, *_VALUES)
FUNCTIONS = _classes(*_FUNCTIONS)
TYPES = frozenset(
    found for name in _TYPES if (found := getattr(exp.DataType.Type, name, None)) is not None
)  # of one release of the parser, which is pinned: a name that it does not know is none that it could read

# The parts that a clause may have, where one of them could do more than read.
PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        (
            "with_",
            "expressions",
            "distinct",
            "from_",
            "joins",
            "where",
            "group",
            "having",
            "qualify",
            "order",
            "limit",
            "offset",
        )
    ),
    exp.Table: frozenset(("this", "alias", "db", "catalog", "joins")),
    exp.Join: frozenset(("this", "on", "side", "kind", "using", "method")),
    exp.Subquery: frozenset(("this", "alias", "with_", "joins", "order", "limit", "offset")),
    exp.Star: frozenset(("except_",)),
    exp.CTE: frozenset(("this", "alias", "scalar")),
    exp.Column: frozenset(("this", "table", "db", "catalog")),
    exp.Limit: frozenset(("this", "expression", "offset")),
}
SETTLED = frozenset(("unit", "kind"))  # enumerations of the parser's own


def named_functions(dialect: str) -> frozenset[str]:
    """Names of functions, in lower case, that a dialect may use beside those that the parser has a class for."""
    return frozenset(_NAMED.get(dialect, ()))
