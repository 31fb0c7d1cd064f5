"""A user's Cypher, checked to do nothing but read: by a list of what it may hold, not of what it may not.

The text is cut into tokens by rules stricter than Cypher's. Wherever a clause or an operator stands, it has to be one
of those below; whatever is called has to be one of the functions below. A new clause of a later Neo4j is refused until
it is listed. Characters by their number, which Cypher reads before it cuts a text into tokens (so that a SET can be
spelled without its letters), and comments, are refused altogether.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, LimitExceededError

MOST_CHARS = 100_000
MOST_NESTED = 64
STARTS = frozenset(("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN"))
# Clauses and operators that may follow a value; what needs a value behind it is not told apart from what does not.
KEYWORDS = frozenset(
    (
        *(
            "MATCH",
            "OPTIONAL",
            "WHERE",
            "WITH",
            "UNWIND",
            "RETURN",
            "UNION",
            "ALL",
            "DISTINCT",
            "AS",
            "ORDER",
            "BY",
            "SKIP",
        ),
        *("LIMIT", "OFFSET", "ASC", "DESC", "ASCENDING", "DESCENDING"),
        *("AND", "OR", "XOR", "NOT", "IN", "IS", "NULL", "STARTS", "ENDS", "CONTAINS"),
        *("CASE", "WHEN", "THEN", "ELSE", "END", "TRUE", "FALSE", "EXISTS", "COUNT", "COLLECT"),
    )
)
VALUES = frozenset(("NULL", "TRUE", "FALSE", "END"))  # of the keywords, those that a value may end with
ENDINGS = frozenset(("ASC", "DESC", "ASCENDING", "DESCENDING"))
SUBQUERIES = frozenset(("EXISTS", "COUNT", "COLLECT"))
# Names that are clauses of some version: never a plain name, wherever they stand. In backticks they are.
NEVER = frozenset(
    (
        *(
            "CREATE",
            "MERGE",
            "DELETE",
            "DETACH",
            "NODETACH",
            "SET",
            "REMOVE",
            "FOREACH",
            "LOAD",
            "CSV",
            "CALL",
            "YIELD",
        ),
        *("INSERT", "DROP", "ALTER", "RENAME", "GRANT", "DENY", "REVOKE", "SHOW", "USE", "START", "STOP", "TERMINATE"),
        *(
            "ENABLE",
            "DRYRUN",
            "DEALLOCATE",
            "REALLOCATE",
            "SERVER",
            "EXPLAIN",
            "PROFILE",
            "CYPHER",
            "PERIODIC",
            "COMMIT",
        ),
        *("TRANSACTIONS", "FINISH", "LET", "FILTER", "NEXT", "IMPORT"),
    )
)
FUNCTIONS = frozenset(
    (
        *("abs", "ceil", "floor", "round", "sign", "sqrt", "exp", "log", "log10", "e", "pi", "isnan"),
        *("sin", "cos", "tan", "cot", "asin", "acos", "atan", "atan2", "degrees", "radians", "haversin"),
        *("count", "sum", "avg", "min", "max", "collect", "stdev", "stdevp", "percentilecont", "percentiledisc"),
        *("size", "length", "head", "last", "tail", "coalesce", "nullif", "keys", "labels", "type", "properties"),
        *("id", "elementid", "nodes", "relationships", "startnode", "endnode", "exists", "isempty", "valuetype"),
        *("tostring", "tointeger", "tofloat", "toboolean", "tostringornull", "tointegerornull", "tofloatornull"),
        *(
            "tobooleanornull",
            "tolower",
            "toupper",
            "lower",
            "upper",
            "trim",
            "ltrim",
            "rtrim",
            "btrim",
            "left",
            "right",
        ),
        *("substring", "split", "replace", "reverse", "char_length", "character_length"),
        *("date", "datetime", "localdatetime", "time", "localtime", "duration", "duration.between", "duration.indays"),
        *("duration.inmonths", "duration.inseconds", "date.truncate", "datetime.truncate", "localdatetime.truncate"),
        *("point", "point.distance", "point.withinbbox"),
        *("all", "any", "none", "single", "shortestpath", "allshortestpaths", "degree"),
    )
)
_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<comment>//|/\*)
    | (?P<text>'(?:[^'\\]|\\[^uU])*+'|"(?:[^"\\]|\\[^uU])*+")
    | (?P<quoted>`(?:[^`\\]|``)++`)
    | (?P<number>(?:\d[\w]*+(?:\.\d\w*+)?|\.\d\w*+)(?:(?<=[eE])[+-]\d+)?)
    | (?P<word>[A-Za-z_]\w*+)
    | (?P<sign><>|<=|>=|=~|->|<-|\.\.|\|\||::|[-+*/%^=<>(){}\[\],.:|&!])
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_OPENS, _CLOSES = {"(": ")", "[": "]", "{": "}"}, frozenset(")]}")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


def reading(query: str) -> str:
    """Return the query, provided that it only reads.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It holds a clause, a function or a sign that is not on the list.
    LimitExceededError [limit_exceeded]
        It is too long, or nested too deeply.
    """
    if len(query) > MOST_CHARS:
        raise LimitExceededError(
            f"The query has {len(query):,} characters; at most {MOST_CHARS:,} are read.",
            limit=MOST_CHARS,
            value=len(query),
        )
    stripped = query.strip(" \t\r\n").removesuffix(";")
    tokens = _tokens(stripped)
    if not tokens or tokens[0].upper not in STARTS:
        raise _refused(tokens[0].text if tokens else "nothing", "MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN first")
    _check_nesting(tokens)
    for position, token in enumerate(tokens):
        if token.kind == "word":
            _check_word(tokens, position)
        elif token.kind in ("text", "quoted", "number") and _ends_value(tokens, position - 1):
            raise _refused(token.text, "a clause or an operator")
        elif token.kind == "quoted" and _next(tokens, position).text == "(" and not _is_label(tokens, position):
            raise _refused(token.text, "a function of the list")
    return stripped


def identifier(name: str) -> str:
    """Return a label or another name as Cypher writes it: in backticks.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It holds what no reader of Cypher takes the same.
    """
    if not name or len(name) > 1_000 or not name.isprintable() or "\\" in name:
        raise InvalidIntentError(f"{shown(name)} is not a label name.", path="connector.table", met=shown(name))
    return "`" + name.replace("`", "``") + "`"


def _tokens(text: str) -> list[_Token]:
    tokens, at = list[_Token](), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup == "comment":
            raise _refused(
                text[at : at + 10], "Cypher without comments, parameters, escapes of characters, or semicolons"
            )
        if match.lastgroup != "space":
            tokens.append(_Token(str(match.lastgroup), match[0]))
        at = match.end()
    return tokens


def _check_nesting(tokens: Sequence[_Token]) -> None:
    open_: list[str] = []
    for token in tokens:
        if token.kind != "sign":
            continue
        if token.text in _OPENS:
            open_.append(_OPENS[token.text])
        elif token.text in _CLOSES and (not open_ or open_.pop() != token.text):
            raise _refused(token.text, "brackets that close what was opened")
        if len(open_) > MOST_NESTED:
            raise LimitExceededError("The query is nested too deeply.", limit=MOST_NESTED, value=len(open_))
    if open_:
        raise _refused("the end", open_[-1])


def _check_word(tokens: Sequence[_Token], position: int) -> None:
    word = tokens[position]
    if _is_property(tokens, position):
        return
    if word.upper in NEVER:
        raise _refused(word.text, "a read-only query; write a name that is spelled like this in backticks")
    called = _next(tokens, position).text
    if _ends_value(tokens, position - 1) and word.upper not in KEYWORDS:
        raise _refused(word.text, "a clause or an operator that only reads")
    if called == "(" and word.upper not in KEYWORDS and not _is_label(tokens, position):
        name = _dotted(tokens, position)
        # A variable before a bracket is no call in a pattern alone: `p = (a)` has a sign between them.
        if name.lower() not in FUNCTIONS:
            raise _refused(name, "a function of the list")
    if called == "{" and word.upper in KEYWORDS and word.upper not in SUBQUERIES | {"RETURN", "WITH", "THEN", "ELSE"}:
        raise _refused(f"{word.text} {{", "a subquery of EXISTS, COUNT or COLLECT")


def _is_property(tokens: Sequence[_Token], position: int) -> bool:
    """Whether a word names a property, as in `n.set`; one that is called is a function's last part."""
    before = tokens[position - 1].text if position else ""
    if before != "." or tokens[position - 1].kind != "sign":
        return False
    if _next(tokens, position).text == "(":
        name = _dotted(tokens, position)
        if name.lower() not in FUNCTIONS:
            raise _refused(name, "a function of the list")
    return True


def _is_label(tokens: Sequence[_Token], position: int) -> bool:
    return position > 0 and tokens[position - 1].kind == "sign" and tokens[position - 1].text in (":", "|", "&", "!")


def _dotted(tokens: Sequence[_Token], position: int) -> str:
    name = tokens[position].text
    while position >= 2 and tokens[position - 1].text == "." and tokens[position - 2].kind in ("word", "quoted"):
        position -= 2
        name = f"{tokens[position].text}.{name}"
    return name


def _ends_value(tokens: Sequence[_Token], position: int) -> bool:
    """Whether a value ends there, so that only an operator, a clause or a bracket can follow."""
    if position < 0:
        return False
    token = tokens[position]
    if token.kind != "word":
        return token.kind in ("text", "quoted", "number") or token.text in _CLOSES or _is_star(tokens, position)
    return token.upper not in KEYWORDS or token.upper in VALUES | ENDINGS or _is_property(tokens, position)


def _is_star(tokens: Sequence[_Token], position: int) -> bool:
    """Whether `*` stands for everything, as in `RETURN *`, and multiplies nothing."""
    if tokens[position].text != "*" or not position:
        return False
    before = tokens[position - 1]
    return before.upper in ("RETURN", "WITH", "DISTINCT") or before.text == "("


def _next(tokens: Sequence[_Token], position: int) -> _Token:
    return tokens[position + 1] if position + 1 < len(tokens) else _Token("end", "")


def _refused(met: str, expected: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query does more than read, or more than can be checked: met {shown(met)}; expected {expected}.",
        path="connector.query",
        met=shown(met),
        expected=expected,
    )
