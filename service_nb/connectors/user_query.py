"""Check what is read from a database: a table by its name, or a user's SELECT that only reads and computes.

A query is parsed, every node of its tree is looked up in a list of what is allowed, and what is sent is written anew
from the tree. So what was understood is what runs: no comment, no hint, no second statement survives. A function is
allowed when its value depends on its arguments alone, it changes nothing, and its value is not much longer than they
are. In Oracle `SELECT purge FROM goods` calls a function unless there is such a column; so every table gets a name
that no package and no schema has, and every column is written as one of its table's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from enum import Enum

import sqlglot
from sqlglot import exp

from service_nb.core.words import describe_value, split_words
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.readers.sqlite_files import parse_select
from service_nb.schema.connector import Descriptor

_CLAUSES = split_words("""
    Select Union Intersect Except Subquery With CTE TableAlias Alias Star From Join Where Group Having Order Ordered
    Limit Offset Fetch Distinct Tuple Identifier Window WindowSpec Filter WithinGroup IgnoreNulls RespectNulls Rollup
    Cube GroupingSets
""")
_OPERATOR_NODES = split_words("""
    Add Sub Mul Div IntDiv Mod Neg DPipe And Or Not Xor Paren EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In
    Between Like ILike Glob Escape BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift
    Exists Any All AtTimeZone Interval Collate
""")
_VALUES = split_words("""
    Literal Null Boolean Var DataTypeParam National HexString WeekStart JSONPath JSONPathRoot JSONPathKey
    JSONPathSubscript
""")
_FUNCTIONS = split_words("""
    Abs Ceil Floor Round Trunc Sign Sqrt Cbrt Exp Ln Log Pow Greatest Least Sin Cos Tan Asin Acos Atan Atan2 Degrees
    Radians Pi IsNan IsInf ToNumber Case If Coalesce Nullif Nvl2 Cast TryCast SafeDivide Lower Upper Initcap Length
    Trim Substring SubstringIndex Left Right Concat ConcatWs Replace Reverse StrPosition StartsWith EndsWith Contains
    SplitPart Ascii Unicode Hex MD5 Translate Extract Year Month Day Hour Minute Second Quarter Week DayOfWeek
    DayOfMonth DayOfYear DayOfWeekIso WeekOfYear DateTrunc TimestampTrunc DateAdd DateSub DateDiff TsOrDsToDate
    TimestampAdd TimestampSub TimestampDiff Date LastDay TimeToStr StrToTime StrToDate ToChar UnixToTime TimeToUnix
    TsOrDsToTimestamp TsOrDsAdd TsOrDsDiff DateStrToDate TimeStrToTime Dayname DateFromParts DateBin JSONExtract
    JSONExtractScalar Count CountIf Sum Avg Min Max Stddev StddevPop StddevSamp Variance VariancePop Median
    PercentileCont PercentileDisc Corr CovarPop CovarSamp LogicalAnd LogicalOr AnyValue RowNumber Rank DenseRank
    PercentRank CumeDist Ntile Lag Lead FirstValue LastValue NthValue Grouping
""")
_TYPES = split_words("""
    BOOLEAN TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 INT256 UTINYINT USMALLINT UMEDIUMINT UINT UBIGINT UINT128
    UINT256 FLOAT DOUBLE DECIMAL DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 BIGDECIMAL UDECIMAL CHAR NCHAR VARCHAR
    NVARCHAR TEXT TINYTEXT MEDIUMTEXT LONGTEXT DATE DATE32 DATETIME DATETIME2 DATETIME64 SMALLDATETIME TIMESTAMP
    TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMPLTZ TIME INTERVAL UUID BIT MONEY YEAR LOWCARDINALITY BINARY VARBINARY
    FIXEDSTRING
""")

# Plain functions that the parser knows by name only.
_NAMED: Mapping[str, tuple[str, ...]] = {
    "postgres": split_words("numeric_inc div scale trim_scale char_length octet_length btrim isfinite"),
    "mysql": split_words("char_length octet_length to_days from_days truncate log2 log10 format conv crc32"),
    "clickhouse": split_words("""
        tostring toint8 toint16 toint32 toint64 touint8 touint16 touint32 touint64 tofloat32 tofloat64 todecimal32
        todecimal64 todecimal128 todate todate32 todatetime tostartofyear tostartofquarter tostartofmonth
        tostartofweek tostartofday tostartofhour toyear tomonth todayofmonth tohour tominute tosecond toyyyymm
        toyyyymmdd ifnull assumenotnull tonullable isfinite intdiv lengthutf8 lowerutf8 upperutf8 substringutf8
    """),
    "sqlite": split_words("julianday total ifnull instr typeof iif likely unlikely"),
    "tsql": split_words("isnull charindex datefromparts eomonth"),
    "oracle": split_words("nvl instr add_months months_between"),
}


def _list_classes(*names: str) -> frozenset[type[exp.Expr]]:
    return frozenset(found for name in names if (found := getattr(exp, name, None)) is not None)


NODES = _list_classes(*_CLAUSES, *_OPERATOR_NODES, *_VALUES)
FUNCTIONS = _list_classes(*_FUNCTIONS)
TYPES = frozenset(
    found for name in _TYPES if (found := getattr(exp.DataType.Type, name, None)) is not None
)  # of one release of the parser, which is pinned: a name that it does not know is none that it could read

# The parts that a clause may have, where one of them could do more than read.
PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        split_words("with_ expressions distinct from_ joins where group having qualify order limit offset")
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


def list_named_functions(dialect: str) -> frozenset[str]:
    """Names of functions, in lower case, that a dialect may use beside those that the parser has a class for."""
    return frozenset(_NAMED.get(dialect, ()))


PSEUDO = ("ROWNUM",)  # what a row has without being a column


def qualify_columns(tree: exp.Query) -> exp.Query:
    """Return the query with names of ours for its tables, and its columns named by them. Raises `invalid_intent`."""
    names: dict[int, dict[str, exp.Identifier]] = {}
    numbers = iter(range(1, 1_000_000))
    for select in list(tree.find_all(exp.Select)):
        names[id(select)] = {
            _find_source_key(source): _rename_source(source, next(numbers)) for source in _find_sources(select)
        }
    for column in list(tree.find_all(exp.Column)):
        _name_column(column, names)
    return tree


def _find_sources(select: exp.Select) -> Iterator[exp.Table | exp.Subquery]:
    first = select.args.get("from_")
    joins = [*(select.args.get("joins") or ()), *((first.this.args.get("joins") or ()) if first else ())]
    for holder in [*([first] if first else []), *joins]:
        source = holder.this
        if not isinstance(source, exp.Table | exp.Subquery) or holder.args.get("using"):
            raise _open_error("a join that is not written with ON")
        yield source


def _find_source_key(source: exp.Table | exp.Subquery) -> str:
    alias = source.args.get("alias")
    name = alias.this if alias is not None and alias.this is not None else source.this
    return _fold(name) if isinstance(name, exp.Identifier) else ""


def _fold(name: exp.Identifier) -> str:
    return name.name if name.quoted else name.name.upper()


def _rename_source(source: exp.Table | exp.Subquery, number: int) -> exp.Identifier:
    name = exp.to_identifier(f"source {number}", quoted=True)
    alias = source.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise _open_error("a table whose columns are renamed")
    source.set("alias", exp.TableAlias(this=name))
    return name


def _name_column(column: exp.Column, names: dict[int, dict[str, exp.Identifier]]) -> None:
    if column.args.get("db") is not None:
        raise _open_error(f"{describe_value(column.sql())}, named by its schema")
    select = column.find_ancestor(exp.Select)
    table = column.args.get("table")
    if table is None:
        if _is_of_the_result(column, select):
            return
        own = names[id(select)] if select is not None else {}
        if len(own) != 1:
            raise _open_error(f"the column {describe_value(column.name)} without its table")
        column.set("table", next(iter(own.values())).copy())
        return
    while select is not None:
        found = names[id(select)].get(_fold(table))
        if found is not None:
            column.set("table", found.copy())
            return
        select = select.find_ancestor(exp.Select)
    raise _open_error(f"{describe_value(column.sql())}, whose table it does not read")


def _is_of_the_result(column: exp.Column, select: exp.Select | None) -> bool:
    """Tell whether a name needs no table: `*`, a pseudo-column, or a column of the result in an ORDER BY."""
    name = column.this
    if isinstance(name, exp.Star) or (isinstance(name, exp.Identifier) and _fold(name) in PSEUDO):
        return True
    ordered = isinstance(column.parent, exp.Ordered) and isinstance(column.parent.parent, exp.Order)
    query = column.parent.parent.parent if ordered and column.parent is not None and column.parent.parent else None
    if isinstance(query, exp.SetOperation):
        return True  # nothing but columns of the result can be named there
    if not isinstance(query, exp.Select) or query is not select:
        return False
    told = [one.args["alias"] for one in query.selects if isinstance(one, exp.Alias)]
    return isinstance(name, exp.Identifier) and _fold(name) in map(_fold, told)


def _open_error(what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query has {what}, which could be a function call.",
        hint="Name tables by aliases, join them with ON, and write each column as alias.column.",
        path="connector.query",
    )


MOST_NODES = 20_000
MOST_DEPTH = 100
CALLS_WITHOUT_PARENTHESES = ("oracle",)
MOST_READINGS = 4  # of what was written
MOST_NAMES = 3  # catalog, schema, table

# Where databases keep what is no data: accounts, settings, functions that look like tables.
CATALOGS = frozenset(("information_schema", "mysql", "performance_schema", "sys", "system", "pg_catalog", "pg_toast"))
# Where a descriptor's `database`, and its `schema`, say in which schema a table without one is looked for.
DEFAULTING = ("mysql", "clickhouse", "tsql", "snowflake", "bigquery", "trino")
OWN_CATALOGS = {"tsql": ("master", "msdb", "tempdb", "model"), "snowflake": ("snowflake",)}
# Views of a database about itself that need no schema to be named.
OWN_VIEWS = {
    "oracle": re.compile(
        r"(?:dba|cdb)_\w+|(?:all|user)_(?:tables|tab_col\w+|tab_privs\w*|col_privs\w*|role_privs|sys_privs|users|objects|"
        r"views|source|synonyms|triggers|procedures|arguments|directories|constraints|cons_columns|indexes|ind_columns|"
        r"db_links|dependencies|segments|scheduler_\w+)|session_privs|session_roles|role_(?:tab|sys|role)_privs|"
        r"nls_\w+_parameters|g?v_\$\w+|x\$\w+"
    ),
    "redshift": re.compile(r"(?:stl|stv|svl|svv|svcs|sys)_\w+"),
    "tsql": re.compile(
        r"sys(?:objects|columns|databases|logins|users|processes|comments|indexes|servers|types|permissions|protects|"
        r"members|files|configures|curconfigs|jobs|altfiles|constraints|depends|devices|messages|oledbusers|"
        r"remotelogins|lockinfo|perfinfo|cacheobjects|cursors\w*)"
    ),
}
_PLAIN = re.compile(r"[^\W\d][\w$#]*|\d\w*")  # a name without quotes; Oracle's a@b is one of another database
_DASHED = re.compile(r"\w+(?:-\w+)*")  # of projects
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?: [A-Za-z0-9_]+)*|[0-9]+")
UPPER = ("oracle", "snowflake")  # a name without quotes is one in upper case there
_ENDLESS = re.compile(r"seq_\d+_to_\d+")  # MariaDB makes such a table of as many rows as its name says
_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|\[([^\]]+)\]|([^".`\[\]]+)')


logging.getLogger("sqlglot").setLevel(logging.ERROR)  # its warnings repeat the query, which may hold what is no one's


def build_relation(descriptor: Descriptor, dialect: str) -> exp.Expr:
    """Return the table or the subquery that a descriptor is about. Raises `invalid_intent`, `limit_exceeded`."""
    if (descriptor.table is None) == (descriptor.query is None):
        raise InvalidIntentError(
            "A source of a database is a table or a query.", path="connector.table", expected="table or query"
        )
    if dialect in DEFAULTING:
        _check_default(descriptor, dialect)
    if descriptor.table is not None:
        return parse_table(descriptor.table, dialect)
    return check_query(descriptor.query or "", dialect).subquery("asked", copy=False)


def _check_default(descriptor: Descriptor, dialect: str) -> None:
    for key, text in (("database", descriptor.database), ("schema", descriptor.options.get("schema"))):
        names = text.lower().replace("`", "").replace('"', "").split(".") if isinstance(text, str) else ()
        if any(name.strip() in CATALOGS or name.strip() in OWN_CATALOGS.get(dialect, ()) for name in names):
            raise InvalidIntentError(
                f"{describe_value(text)} belongs to the database itself, and is not read.",
                path=f"connector.{key}",
                met=describe_value(text),
            )


def parse_table(name: str, dialect: str) -> exp.Table:
    """Return the table of that name: `table`, `schema.table`, each part quoted or as it is."""
    parts = _split_name(name, dialect)
    if parts is None or not 1 <= len(parts) <= MOST_NAMES:
        raise InvalidIntentError(
            f"The table is {describe_value(name)}; expected a name, with its schema if it needs one.",
            hint='Write a name that holds a dot in quotes: sales."orders.2024".',
            path="connector.table",
            met=describe_value(name),
        )
    identifiers = [exp.to_identifier(part, quoted=True) for part in reversed(parts)]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), identifiers, strict=False)))
    _check_table(table, "connector.table", dialect)
    return table


def _split_name(name: str, dialect: str) -> list[str] | None:
    parts: list[str] = []
    place = 0
    while found := _PART.match(name, place):
        plain = found[4]
        quoted = next((text for text in found.groups()[:3] if text is not None), None)
        part = plain if quoted is None else quoted.replace('""', '"').replace("``", "`")
        parts.append(part.upper() if plain is not None and plain.islower() and dialect in UPPER else part)
        place = found.end()
        if place == len(name):
            return parts if all(part.strip() == part and "\0" not in part for part in parts) else None
        if name[place] != ".":
            return None
        place += 1
    return None


def check_query(query: str, dialect: str) -> exp.Query:
    """Return the tree of a query, provided that it is exactly one SELECT that reads and computes.

    What is sent is not what was asked but what the tree is written as, and a writer may put a text where a word
    belongs: `date_trunc('day), f(1) --', x)`. So what is written is read and checked again, until it is written as it
    was read; and it reads from the tables that were asked for.

    Raises `invalid_intent`, `limit_exceeded`.
    """
    tree = _check_once(query, dialect)
    digits, asked, written = _count_digits(tree), _list_tables(tree), _write_tree(tree, dialect)
    for _ in range(MOST_READINGS):
        before = written
        tree = _check_once(before, dialect)
        written = _write_tree(tree, dialect)
        if written == before and _list_tables(tree) == asked and _count_digits(tree) >= digits:
            return qualify_columns(tree) if dialect in CALLS_WITHOUT_PARENTHESES else tree
    raise _not_allowed_error("a part that cannot be written as it was read")


def _count_digits(tree: exp.Query) -> int:
    """Count the numbers in types: BigQuery's writer loses the digits of a NUMERIC(12, 2)."""
    return sum(1 for _ in tree.find_all(exp.DataTypeParam))


def _list_tables(tree: exp.Query) -> list[str]:
    return sorted(table.sql().lower() for table in tree.find_all(exp.Table))


def _write_tree(tree: exp.Query, dialect: str) -> str:
    try:
        return tree.sql(dialect=dialect, comments=False)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError, TypeError, AttributeError) as error:
        raise _not_allowed_error("a part that cannot be written") from error


def _check_once(query: str, dialect: str) -> exp.Query:
    if "\0" in query:
        raise _no_select_error("a character that ends texts")
    tree = parse_select(query, dialect, "connector.query")
    _check_size(tree)
    for node in tree.walk():
        node.pop_comments()
        _check_node(node, dialect)
    return _convert_sqlite_casts(tree) if dialect == "sqlite" else tree


def _convert_sqlite_casts(tree: exp.Query) -> exp.Query:
    """Return the tree with types as SQLite itself takes them, for whom most names mean NUMERIC.

    The writer makes REAL of it, which rounds integers of more than 53 bits, and a function of a CAST to a day or time.
    """
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this in _TIMES:
            raise InvalidIntentError(
                f"SQLite has no type {kind.this.value}, and makes a number of what is cast to it.",
                hint="Write date(…), time(…) or datetime(…), or cast it to TEXT.",
                path="connector.query",
                met=kind.this.value,
            )
        if kind.this in _NUMERIC:
            kind.replace(exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="NUMERIC"))
    return tree


_TIMES = {*exp.DataType.TEMPORAL_TYPES, exp.DataType.Type.TIME}
_NUMERIC = {exp.DataType.Type.DECIMAL, exp.DataType.Type.BIGDECIMAL, exp.DataType.Type.BOOLEAN}


def _check_size(tree: exp.Expr) -> None:
    level: list[exp.Expr] = [tree]
    nodes = depth = 0
    while level:
        nodes += len(level)
        depth += 1
        if nodes > MOST_NODES or depth > MOST_DEPTH:
            what, limit = ("parts", MOST_NODES) if nodes > MOST_NODES else ("levels", MOST_DEPTH)
            raise LimitExceededError(f"The query has more than {limit:,} {what}.", limit=limit, value=limit + 1)
        level = [child for node in level for child in node.iter_expressions()]


def _check_node(node: exp.Expr, dialect: str) -> None:
    kind = type(node)
    if kind is exp.Select and not node.expressions:
        raise _no_select_error("SELECT of nothing")
    if kind in (exp.Anonymous, exp.AnonymousAggFunc):
        name = node.name if isinstance(node.this, str) else ""
        if name.lower() not in list_named_functions(dialect):
            raise _not_allowed_error(f"the function {describe_value(name or node.key)}")
    elif isinstance(node, exp.Table):
        _check_table(node, "connector.query", dialect)
    elif isinstance(node, exp.Identifier):
        plain = _DASHED if dialect == "bigquery" else _PLAIN
        if not node.quoted and plain.fullmatch(node.name) is None:
            raise _not_allowed_error(f"the name {describe_value(node.name)} without quotes")
    elif isinstance(node, exp.DataType):
        if node.this not in TYPES:
            raise _not_allowed_error(f"the type {describe_value(str(node.this))}")
    elif isinstance(node, exp.Column):
        if node.name.lower() in ("nextval", "currval") and not isinstance(node.this, exp.Star):
            raise _not_allowed_error("a sequence")
    elif isinstance(node, exp.With) and node.args.get("recursive"):
        raise _not_allowed_error("a recursive WITH")
    elif kind is exp.In:
        _check_list(node, dialect)
    elif kind not in NODES and kind not in FUNCTIONS:
        raise _not_allowed_error(f"{node.key.upper()}")
    _check_word(node)
    _check_parts(node)


def _check_list(node: exp.Expr, dialect: str) -> None:
    """Refuse a name where a list belongs: it is that of a table, which ClickHouse takes in brackets too."""
    listed = node.expressions
    only = listed[0].unnest() if len(listed) == 1 and dialect == "clickhouse" else None
    if node.args.get("field") is not None or isinstance(only, exp.Column):
        raise _not_allowed_error("a name in place of a list")


def _check_word(node: exp.Expr) -> None:
    """Refuse signs in what is written as a plain word, whatever it was read as: the names of units above all."""
    unit = node.args.get("unit")
    words: list[exp.Expr] = [node] if isinstance(node, exp.Var) else []
    words += [unit] if isinstance(unit, exp.Var | exp.Literal | exp.Column) else []
    for each in words:
        if _WORD.fullmatch(each.name) is None:
            raise _not_allowed_error(f"the word {describe_value(each.name)}")


def _check_parts(node: exp.Expr) -> None:
    """Refuse what hangs at a node beside its operands: INTO, locks, hints, samples, settings."""
    allowed = PARTS.get(type(node))
    for name, value in node.args.items():
        if value in (None, False, []) or (allowed is not None and name in allowed):
            continue
        if allowed is not None:
            raise _not_allowed_error(name.strip("_").upper())
        if isinstance(value, str | int | Enum) or _holds_only_trees(value) or name in SETTLED:
            continue
        raise _not_allowed_error(f"{node.key.upper()} with {name}")


def _holds_only_trees(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, exp.Expr) for item in value)
    return isinstance(value, exp.Expr)


def _check_table(table: exp.Table, path: str, dialect: str) -> None:
    if not isinstance(table.this, exp.Identifier):
        raise _not_allowed_error("a function in place of a table")
    if _is_system_table(table, dialect):
        raise InvalidIntentError(
            f"{describe_value(table.name)} belongs to the database itself, and is not read.",
            path=path,
            met=describe_value(table.name),
        )


def _is_system_table(table: exp.Table, dialect: str) -> bool:
    name = table.name.lower()
    schemas = [part.lower() for part in (table.db, table.catalog) if part]
    if any(part in CATALOGS or part.startswith("pg_") for part in schemas):
        return True
    if table.catalog and table.catalog.lower() in OWN_CATALOGS.get(dialect, ()):
        return True
    if dialect == "bigquery" and "information_schema" in ".".join([*schemas, name]).split("."):  # within one pair of `
        return True
    if not table.db and dialect in OWN_VIEWS and OWN_VIEWS[dialect].fullmatch(name):
        return True
    return _ENDLESS.match(name) is not None or (
        not table.db and name.startswith(("pg_", "pragma_", "sqlite_", "v$", "gv$", "information_schema"))
    )


def _not_allowed_error(what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query has {what}, which a query may not contain.",
        hint="It may select from tables, join, filter, group, and use functions that only compute from a row's values.",
        path="connector.query",
        met=what,
    )


def _no_select_error(met: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query is {met}; expected exactly one SELECT.", path="connector.query", met=met, expected="SELECT"
    )
