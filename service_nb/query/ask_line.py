"""The ask line: the text spelling of a QuerySpec, read and written.

    <aggregation> [<metric>], … [by <key>, …] [from <source>] [where <condition> and|or …]
        [having <condition> and|or …] [order [by <column of the result>] asc|desc] [limit <n>]

    sum revenue by region, `Order Year` from sales where status = 'paid' and amount >= 10.50 order desc limit 5

An aggregation is `sum`, `avg` and so on, or `percentile 90 of`. A key is a column, `month of order_date` (day, week,
month, quarter, year), also `month of order_time in Europe/Berlin`, or `amount in bins of 10`.

A condition is one of::

    column = value      != (or <>)      <      <=      >      >=
    column in (value, …)                column not in (value, …)
    column between value and value
    column is null                      column is not null
    column contains 'text'              column starts with 'text'
    column during this_month            this_ or last_ month, quarter, year
    condition or condition              `and` binds tighter; brackets: (a = 1 or b = 2) and c = 3

A condition of `having` has a measure of the line in place of a column: `having count > 10 and sum revenue >= 1000`.

Values are 'text' or "text" (a quote inside is doubled), numbers, true, false, dates such as 2013-01-31, and variables:
`$year` is bound to a value when the line is asked, and `in $years` to a list of them; see `variables`. A name that
is a keyword or holds anything but letters, digits and underscores stands in `backticks`. Keywords know no case.

`parse_ask` and `format_ask` are inverse to each other, so a line and a spec have the same plan hash. A basic lexer
suffices: no word means two things, because keywords never are bare names, and `having` is one only where a measure
follows. What may come next is then a question to the
parser's own table, which error messages and completion share. Lark takes 60 ms to load and to build that table, so it
is imported by the functions that use it: a program that asks by dict never pays for it.
"""

from __future__ import annotations

import datetime
import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypedDict, cast

from service_nb.core.canonical import write_float
from service_nb.core.words import KEYWORDS, NAME_PATTERN, ZONE_PATTERN, describe_value, write_name, write_zone
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.query.ask_sugar import SYNONYMS, is_aggregation, translate_line
from service_nb.query.condition_groups import JOINING_WORDS, find_joiner, list_form_leaves
from service_nb.query.conditions import MAX_DIGITS, OPERATORS
from service_nb.query.group_keys import form_series
from service_nb.schema.query import AGGREGATIONS, DATE_UNITS, PERIODS, Joiner, Op

if TYPE_CHECKING:
    from lark import Lark, Token

MAX_CHARS = 10_000
DATE_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?"
SIGNS = sorted({sign for record in OPERATORS.values() for sign in record.ask if not sign[0].isalpha()}, key=len)

_OPENING = re.compile(rf"\s*({NAME_PATTERN})")
# Aggregations of two words, where a column follows: `count distinct by region` counts a column called `distinct`.
_SPACED = "|".join(name.replace("_", r"\s+") for name in AGGREGATIONS if "_" in name)
# A column may be called `having`: it is a keyword where a measure follows, which no name is followed by.
_HAVING = rf"having(?=\s*[(`]|\s+(?!({'|'.join(sorted(KEYWORDS))}|starts|having)\b)[^\W\d])"
_OPERANDS = {"none": "", "one": "value", "text": "text", "two": "value AND value", "list": "values"}
_OPS: Mapping[str, Op] = {
    f"{words} and" if record.takes == "two" else words: op for op, record in OPERATORS.items() for words in record.ask
}


class AskSpec(TypedDict, total=False):
    """The parts of an ask line, under the keys of a QuerySpec; a part that the line leaves out has no key."""

    metric: str
    aggregation: str
    percent: str
    measures: list[dict[str, str]]
    group_by: list[str | dict[str, object]]
    filter: dict[str, object]
    having: dict[str, object]
    order_by: str
    order: str
    limit: int
    source_name: str


def _list_condition_rules() -> Iterator[str]:
    yield "left COMPARISON value"
    for op, record in OPERATORS.items():
        if record.ask[0] not in SIGNS:
            words = op if op in KEYWORDS else record.ask[0]
            yield f"left {words.upper()} {_OPERANDS[record.takes]}"


GRAMMAR = rf"""
    start: measures [by] [source] [where] [having] [order] [limit]

    measures: measure (COMMA measure)*
    measure: aggregation [metric] | PERCENTILE_OF metric
    aggregation: NAME | SPACED
    metric: name
    by: BY key (COMMA key)*
    key: name | period_key | bin_key
    period_key: UNIT_OF name [zone] | UNIT_CALL name CLOSE [zone]
    zone: IN_ZONE | IN name
    bin_key: name IN_BINS (INT | DECIMAL)
    source: FROM name
    where: WHERE any{{of_row}}
    having: HAVING any{{of_group}}
    order: ORDER (ASC | DESC) | ORDER BY name [ASC | DESC]
    limit: LIMIT INT

    any{{leaf}}: all{{leaf}} (OR all{{leaf}})*
    all{{leaf}}: test{{leaf}} (AND test{{leaf}})*
    test{{leaf}}: leaf | OPEN any{{leaf}} CLOSE
    of_row: condition{{name}} | during
    of_group: condition{{measure}}
    condition{{left}}: {" | ".join(_list_condition_rules())}
    during: name DURING NAME
    values: OPEN value (COMMA value)* CLOSE | VARIABLE
    value: STRING | INT | DECIMAL | DATE | TRUE | FALSE | VARIABLE
    text: STRING | VARIABLE
    name: NAME | QUOTED_NAME

    NAME: /{NAME_PATTERN}/
    SPACED.2: /({_SPACED})(?=\s+(?!(by|from|where|order|limit)\b|{_HAVING})\S|\s+$)/i
    PERCENTILE_OF.2: /percentile\s+[0-9.]+\s+of(?=\s)/i
    HAVING.2: /{_HAVING}/i
    UNIT_OF.2: /({"|".join(DATE_UNITS)})\s+of(?=\s)/i
    UNIT_CALL.2: /({"|".join(DATE_UNITS)})\s*\(/i
    IN_BINS.2: /in\s+bins\s+of\b/i
    IN_ZONE.2: /in\s+{ZONE_PATTERN}/i
    QUOTED_NAME: /`([^`]|``)+`/
    STRING: /'([^']|'')*'/ | /"([^"]|"")*"/
    STARTS_WITH.2: /starts\s+with\b/i
    DATE.3: /{DATE_PATTERN}(?![\w.:-])/
    DECIMAL.2: /[+-]?([0-9]*\.[0-9]+([eE][+-]?[0-9]{{1,3}})?|[0-9]+[eE][+-]?[0-9]{{1,3}})(?![\w.])/
    INT: /[+-]?[0-9]+(?![\w.])/
    COMPARISON: /{"|".join(reversed(SIGNS))}/
    VARIABLE: /\$[A-Za-z_]\w*/
    COMMA: ","
    OPEN: "("
    CLOSE: ")"

    %declare {" ".join(sorted(word.upper() for word in KEYWORDS - {"starts_with"}))}
    %ignore /\s+/
"""


# --- from a line to a spec --------------------------------------------------------------------------------------------


def parse_ask(text: str) -> AskSpec:
    """Read an ask line into the spec a caller would write as a dict.

    Raises
    ------
    InvalidIntentError
        The line breaks the grammar; details name `line`, `column`, `met`, `expected` and `did_you_mean`.
    LimitExceededError
        The line is longer than 10,000 characters, or a number in it longer than 400.
    """
    if not isinstance(text, str):
        raise InvalidIntentError(f"An ask line is text, not {type(text).__name__}.", expected=["text"])
    if len(text) > MAX_CHARS:
        raise LimitExceededError(
            f"The ask line has {len(text):,} characters; the limit is {MAX_CHARS:,}.",
            limit=MAX_CHARS,
            value=len(text),
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        expected = ["text that can be encoded"]
        raise InvalidIntentError("The ask line holds a lone surrogate.", expected=expected) from None
    try:
        return _parse(text)
    except InvalidIntentError as error:
        meant = translate_line(text, _parse)
        try:
            return _parse(text if meant is None else meant)
        except InvalidIntentError:
            raise error from None


def _parse(text: str) -> AskSpec:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # noqa: PLC0415

    from service_nb.query import ask_errors  # noqa: PLC0415

    opening = _OPENING.match(text)
    if opening is None or not is_aggregation(opening[1]):
        raise ask_errors.unknown_aggregation_error(text)
    try:
        # A transformer that is part of the parser runs while it parses, so the "tree" is the spec already.
        return cast("AskSpec", build_parser().parse(text))
    except UnexpectedToken as error:
        raise ask_errors.unexpected_token_error(text, error) from None
    except UnexpectedCharacters as error:
        raise ask_errors.unexpected_character_error(text, error) from None


@functools.cache
def build_parser() -> Lark:
    """Build the parser; once per process, when the first line is read."""
    from lark import Lark  # noqa: PLC0415

    # What each rule of the grammar becomes. Words and signs stay tokens; values are boxed, to be told from them.
    becomes = SimpleNamespace(
        start=lambda parts: {key: value for part in parts for key, value in (part or {}).items()},
        measures=lambda parts: {"measures": parts[::2]} if len(parts) > 1 else parts[0],
        measure=_build_measure,
        aggregation=lambda parts: {"aggregation": _check_aggregation(parts[0])},
        metric=lambda parts: {"metric": parts[0]},
        key=lambda parts: parts[0],
        period_key=_build_period_key,
        zone=lambda parts: (parts[-1].split()[-1] if len(parts) == 1 else parts[1],),
        bin_key=lambda parts: {"column": parts[0], "width": str(parts[2])},
        by=lambda parts: {"group_by": parts[1::2]},
        source=lambda parts: {"source_name": parts[1]},
        where=lambda parts: {"filter": _build_filter(parts[1])},
        having=lambda parts: {"having": {"conditions": parts[1].get("all", [parts[1]])}},
        of_row=lambda parts: parts[0],
        of_group=lambda parts: parts[0],
        any=lambda parts: _join_forms("any", parts[::2]),
        all=lambda parts: _join_forms("all", parts[::2]),
        test=lambda parts: parts[len(parts) // 2],
        order=_build_order,
        limit=lambda parts: {"limit": _read_limit(parts[1])},
        condition=_build_condition,
        during=_build_period,
        values=_build_values,
        value=lambda parts: (_read_value(parts[0]),),
        text=lambda parts: (_read_value(parts[0]),),
        name=lambda parts: read_name(parts[0]),
    )
    return Lark(
        GRAMMAR,
        parser="lalr",
        lexer="basic",
        maybe_placeholders=True,
        transformer=cast(Any, becomes),
        lexer_callbacks={"NAME": _classify_name},
    )


def _classify_name(token: Token) -> Token:
    word = token.lower()
    return token.new_borrow_pos(word.upper(), word, token) if word in KEYWORDS else token


def read_name(token: Token) -> str:
    """Read a name without its backticks."""
    return token[1:-1].replace("``", "`") if token.type == "QUOTED_NAME" else str(token)


def read_aggregation(token: Token) -> str:
    """Return the name of an aggregation, which may stand as two words, or as what people say for it."""
    if token.type == "PERCENTILE_OF":
        return "percentile"
    name = "_".join(token.lower().split())
    return SYNONYMS.get(name, name)


def _read_value(token: Token) -> object:
    if token.type == "STRING":
        quote = token[0]
        return token[1:-1].replace(quote * 2, quote)
    if token.type in ("INT", "DECIMAL"):
        return _read_number(token)
    if token.type == "VARIABLE":
        return {"variable": token[1:]}
    return str(token) if token.type == "DATE" else token.type == "TRUE"


def _read_number(token: Token) -> int | float | str:
    if len(token) > MAX_DIGITS:
        raise LimitExceededError(
            f"A number of {len(token):,} characters at column {token.column}; the limit is {MAX_DIGITS}.",
            limit=MAX_DIGITS,
            value=len(token),
            line=token.line,
            column=token.column,
        )
    if token.lstrip("+-")[:1] == "0" and token.lstrip("+-")[1:2].isdigit():
        # `in (1,000)` would be 1 and 0.
        raise _refuse(
            token, "a number must not begin with 0", hint="Write a thousand as 1000, and a code such as 007 in quotes."
        )
    if token.type == "INT":
        return int(token)
    # A float only where its shortest spelling is the number as typed; else the digits themselves, so none is lost.
    number = float(token)
    return number if Decimal(repr(number)) == Decimal(token) else str(token)


def _check_aggregation(token: Token) -> str:
    name = read_aggregation(token)
    if name not in AGGREGATIONS:
        raise _refuse(
            token,
            f"{describe_value(str(token))} is no aggregation",
            hint="Name one for each column: `sum revenue, avg price`.",
            expected=list(AGGREGATIONS),
        )
    return name


def _build_measure(parts: Sequence[Any]) -> dict[str, str]:
    first, metric = parts
    if isinstance(first, dict):
        return first | (metric or {})
    return {"aggregation": "percentile", "percent": first.split()[1], **metric}


def _build_period_key(parts: Sequence[Any]) -> dict[str, str]:
    zone = {} if parts[-1] is None else {"zone": parts[-1][0]}
    return {"column": parts[1], "unit": re.split(r"\W", parts[0].lower())[0], **zone}


def _build_order(parts: Sequence[Any]) -> dict[str, str]:
    if len(parts) == 2:
        return {"order": str(parts[1])}
    return {"order_by": parts[2]} | ({} if parts[3] is None else {"order": str(parts[3])})


def _read_limit(token: Token) -> int:
    count = _read_number(token)
    if not isinstance(count, int) or count < 1:
        raise _refuse(token, "limit must be a whole number of at least 1", expected=["a whole number"])
    return count


def _build_values(parts: Sequence[Any]) -> tuple[object, ...] | dict[str, object]:
    return {"variable": parts[0][1:]} if len(parts) == 1 else tuple(value for (value,) in parts[1::2])


def _build_condition(parts: Sequence[Any]) -> dict[str, object]:
    first, *rest = parts
    left = first if isinstance(first, dict) else {"column": first}
    words = " ".join(part.lower().replace("_", " ") for part in rest if isinstance(part, str))
    values: Any = [value for part in rest if isinstance(part, tuple) for value in part]
    op = _OPS[" ".join(words.split())]
    match OPERATORS[op].takes:
        case "none":
            return {**left, "op": op}
        case "two" | "list":
            variable = next((part for part in rest if isinstance(part, dict)), None)
            return {**left, "op": op, "values": variable or values}
    return {**left, "op": op, "value": values[0]}


def _build_period(parts: Sequence[Any]) -> dict[str, object]:
    column, _, period = parts
    if period.lower() not in PERIODS:
        from service_nb.query import ask_errors  # noqa: PLC0415

        raise ask_errors.unknown_period_error(period)
    return {"column": column, "period": period}  # still a token, for the place of a second one


def _join_forms(joiner: Joiner, parts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Join conditions; one alone is what it is, and a group of the same kind gives its parts."""
    if len(parts) == 1:
        return parts[0]
    return {joiner: [each for part in parts for each in part.get(joiner, [part])]}


def _build_filter(tree: Mapping[str, Any]) -> dict[str, object]:
    parts = tree.get("all", [tree])
    conditions = [part for part in parts if "period" not in part]
    periods = [part for part in parts if "period" in part]
    if inner := next((leaf for leaf in list_form_leaves(conditions) if "period" in leaf), None):
        hint = "Write it as dates: `column between 2013-01-01 and 2013-03-31`."
        raise _refuse(inner["period"], "a period cannot be one of several alternatives", hint=hint)
    if len(periods) > 1:
        hint = "Write the second as dates: `column between 2013-01-01 and 2013-03-31`."
        raise _refuse(periods[1]["period"], "a question has at most one period", hint=hint)
    built: dict[str, object] = {"conditions": conditions} if conditions else {}
    for period in periods:
        built["time_filter"] = {"column": period["column"], "period": period["period"].lower()}
    return built


def _refuse(token: Token, says: str, **how: Any) -> InvalidIntentError:
    from service_nb.query import ask_errors  # noqa: PLC0415

    return ask_errors.ask_line_error(token, says, **how)


_LITERALS = ("STRING", "INT", "DECIMAL", "DATE", "TRUE", "FALSE")


def read_literal(text: str) -> object:
    """Read a value, or a list of values in brackets, as it stands in an ask line; what is neither is text."""
    tokens = read_tokens(text) if len(text) <= MAX_CHARS else None
    inside = tokens or []
    is_list = len(inside) > 2 and (inside[0].type, inside[-1].type) == ("OPEN", "CLOSE")
    values, commas = (inside[1:-1:2], inside[2:-1:2]) if is_list else (inside, [])
    is_literal = all(each.type in _LITERALS for each in values) and all(each.type == "COMMA" for each in commas)
    if not is_literal or (not is_list and len(values) != 1):
        return text
    try:
        read = [_read_value(each) for each in values]
    except ServiceError:  # a number that an ask line refuses
        return text
    return read if is_list else read[0]


# --- from a spec to a line --------------------------------------------------------------------------------------------


def format_ask(spec: Mapping[str, Any]) -> str:
    """Write a spec as its canonical ask line; a missing aggregation shows as `<aggregation>`."""
    group_by = spec.get("group_by") or []
    keys = [group_by] if isinstance(group_by, str | Mapping) else group_by
    measures = spec.get("measures") or [spec]
    filter_ = spec.get("filter") or {}
    period = filter_.get("time_filter")
    during = [f"{write_name(period['column'])} during {period['period']}"] if period else []
    where = _format_conditions(filter_.get("conditions") or (), during)
    having = _format_conditions((spec.get("having") or {}).get("conditions") or ())
    parts = [
        ", ".join(map(_format_measure, measures)),
        "by " + ", ".join(map(_format_key, keys)) if keys else "",
        "from " + write_name(spec["source_name"]) if spec.get("source_name") is not None else "",
        "where " + where if where else "",
        "having " + having if having else "",
        _format_order(spec),
        f"limit {spec['limit']}" if spec.get("limit") is not None else "",
    ]
    return " ".join(part for part in parts if part)


def drop_default_order(form: dict[str, Any]) -> dict[str, Any]:
    """Return the hashed form of a plan as a question has it: without an order that the question has by itself.

    The order of a series is written out, also where it is by its keys: its recorded line says what it was ordered by.
    """
    is_default = form["order"] == "desc" and "order_by" not in form
    if is_default and not form_series(form.get("group_by", ()), form.get("limit")):
        return {key: value for key, value in form.items() if key != "order"}
    return form


def _format_measure(measure: Mapping[str, Any]) -> str:
    words = str(measure.get("aggregation") or "<aggregation>")
    if measure.get("percent") is not None:
        words = f"{words} {measure['percent']} of"
    return f"{words} {write_name(measure['metric'])}" if measure.get("metric") is not None else words


def _format_key(key: str | Mapping[str, Any]) -> str:
    if isinstance(key, str):
        return write_name(key)
    column = write_name(key["column"])
    if key.get("unit") is None:
        return f"{column} in bins of {key['width']}"
    return f"{key['unit']} of {column}" + (f" in {write_zone(key['zone'])}" if key.get("zone") is not None else "")


def _format_order(spec: Mapping[str, Any]) -> str:
    words = ["order"]
    if spec.get("order_by") is not None:
        words += ["by", write_name(spec["order_by"])]
    if spec.get("order") is not None:
        words.append(spec["order"])
    return " ".join(words) if len(words) > 1 else ""


def format_value(value: object) -> str:
    """Write a value as it stands in an ask line: a number as canonical JSON has it, a whole float with its point."""
    if isinstance(value, Mapping):
        return f"${value['variable']}"
    text = _write_plain(value)
    is_bare = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return text if is_bare or re.fullmatch(DATE_PATTERN, text) else _quote(text)


def _write_plain(value: object) -> str:
    """Write a value without quotes, which a text needs, and any value in a place of text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        return repr(value) if value.is_integer() else write_float(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _format_conditions(forms: Sequence[Mapping[str, Any]], more: Sequence[str] = ()) -> str:
    """Write conditions that all hold; an *or* needs brackets where something else has to hold, too."""
    is_alone = len(forms) + len(more) == 1
    return " and ".join([*(_format_tree(form, needs_brackets=not is_alone) for form in forms), *more])


def _format_tree(form: Mapping[str, Any], *, needs_brackets: bool) -> str:
    joiner = find_joiner(form)
    if joiner is None:
        return _format_condition(form)
    is_alone = len(form[joiner]) == 1
    inside = [
        _format_tree(part, needs_brackets=needs_brackets if is_alone else joiner == "all") for part in form[joiner]
    ]
    text = JOINING_WORDS[joiner].join(inside)
    return f"({text})" if needs_brackets and joiner == "any" and not is_alone else text


def _format_condition(condition: Mapping[str, Any]) -> str:
    record = OPERATORS[condition["op"]]
    left = write_name(condition["column"]) if "column" in condition else _format_measure(condition)
    words = f"{left} {record.ask[0]}"
    match record.takes:
        case "none":
            return words
        case "two":
            return f"{words} {' and '.join(map(format_value, condition['values']))}"
        case "list":
            if isinstance(condition["values"], Mapping):
                return f"{words} {format_value(condition['values'])}"
            return f"{words} ({', '.join(map(format_value, condition['values']))})"
        case "text" if not isinstance(condition["value"], Mapping):
            # Always quoted: the grammar asks for text here, and a date would otherwise stand bare.
            return f"{words} {_quote(_write_plain(condition['value']))}"
    return f"{words} {format_value(condition['value'])}"


def read_tokens(text: str) -> list[Token] | None:
    """Read the words and signs of a text; None where one is none of the grammar's."""
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415

    try:
        return list(build_parser().lex(text))
    except UnexpectedInput:
        return None
