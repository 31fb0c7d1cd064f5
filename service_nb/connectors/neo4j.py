"""Neo4j: the nodes of a label, or the answer of a Cypher query that only reads, one record after the other.

A query is cut into tokens by rules stricter than Cypher's. Every clause, operator and function has to be on a list
below; a new clause of a later Neo4j is refused until it is listed. Escapes of characters by number, which Cypher
reads before it cuts a text into tokens (so that a SET can be spelled without its letters), and comments are refused.
"""

from __future__ import annotations

import datetime
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from service_nb.connectors.base import Connector, import_driver
from service_nb.connectors.extraction import (
    Tally,
    answer_error,
    deadline_error,
    key_error,
    lost_error,
    read_whole,
    require_key,
    run_work,
    source_error,
    translate_faults,
)
from service_nb.connectors.options import CA, build_trust, certificate_error, is_certificate_error, read_option
from service_nb.core.canonical import write_canonical_text
from service_nb.core.words import describe_value, split_words
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError, SourceMalformedError
from service_nb.readers.columns import bad_column_error
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.json_records import build_dataset
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits

MOST_CHARS = 100_000
MOST_NESTED = 64


STARTS = frozenset(("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN"))
# Clauses and operators that may follow a value; what needs a value behind it is not told apart from what does not.
KEYWORDS = frozenset(
    split_words("""
    MATCH OPTIONAL WHERE WITH UNWIND RETURN UNION ALL DISTINCT AS ORDER BY SKIP LIMIT OFFSET ASC DESC ASCENDING
    DESCENDING AND OR XOR NOT IN IS NULL STARTS ENDS CONTAINS CASE WHEN THEN ELSE END TRUE FALSE EXISTS COUNT COLLECT
""")
)
VALUES = frozenset(("NULL", "TRUE", "FALSE", "END"))  # of the keywords, those that a value may end with
ENDINGS = frozenset(("ASC", "DESC", "ASCENDING", "DESCENDING"))
SUBQUERIES = frozenset(("EXISTS", "COUNT", "COLLECT"))
# Names that are clauses of some version: never a plain name, wherever they stand. In backticks they are.
NEVER = frozenset(
    split_words("""
    CREATE MERGE DELETE DETACH NODETACH SET REMOVE FOREACH LOAD CSV CALL YIELD INSERT DROP ALTER RENAME GRANT DENY
    REVOKE SHOW USE START STOP TERMINATE ENABLE DRYRUN DEALLOCATE REALLOCATE SERVER EXPLAIN PROFILE CYPHER PERIODIC
    COMMIT TRANSACTIONS FINISH LET FILTER NEXT IMPORT
""")
)
FUNCTIONS = frozenset(
    split_words("""
    abs ceil floor round sign sqrt exp log log10 e pi isnan sin cos tan cot asin acos atan atan2 degrees radians
    haversin count sum avg min max collect stdev stdevp percentilecont percentiledisc size length head last tail
    coalesce nullif keys labels type properties id elementid nodes relationships startnode endnode exists isempty
    valuetype tostring tointeger tofloat toboolean tostringornull tointegerornull tofloatornull tobooleanornull
    tolower toupper lower upper trim ltrim rtrim btrim left right substring split replace reverse char_length
    character_length date datetime localdatetime time localtime duration duration.between duration.indays
    duration.inmonths duration.inseconds date.truncate datetime.truncate localdatetime.truncate point point.distance
    point.withinbbox all any none single shortestpath allshortestpaths degree
""")
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


def check_cypher(query: str) -> str:
    """Return the query, provided that it only reads. Raises `invalid_intent`, `limit_exceeded`."""
    if len(query) > MOST_CHARS:
        raise LimitExceededError(
            f"The query has {len(query):,} characters; at most {MOST_CHARS:,} are read.",
            limit=MOST_CHARS,
            value=len(query),
        )
    stripped = query.strip(" \t\r\n").removesuffix(";")
    tokens = _split_tokens(stripped)
    if not tokens or tokens[0].upper not in STARTS:
        raise _refused_error(
            tokens[0].text if tokens else "nothing", "MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN first"
        )
    _check_nesting(tokens)
    for position, token in enumerate(tokens):
        if token.kind == "word":
            _check_word(tokens, position)
        elif token.kind in ("text", "quoted", "number") and _is_value_end(tokens, position - 1):
            raise _refused_error(token.text, "a clause or an operator")
        elif token.kind == "quoted" and _peek_token(tokens, position).text == "(" and not _is_label(tokens, position):
            raise _refused_error(token.text, "a function of the list")
    return stripped


def quote_label(name: str) -> str:
    """Return a label or another name as Cypher writes it: in backticks. Raises `invalid_intent`."""
    if not name or len(name) > 1_000 or not name.isprintable() or "\\" in name:
        raise InvalidIntentError(
            f"{describe_value(name)} is not a label name.", path="connector.table", met=describe_value(name)
        )
    return "`" + name.replace("`", "``") + "`"


def _split_tokens(text: str) -> list[_Token]:
    tokens, at = list[_Token](), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup == "comment":
            raise _refused_error(
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
            raise _refused_error(token.text, "brackets that close what was opened")
        if len(open_) > MOST_NESTED:
            raise LimitExceededError("The query is nested too deeply.", limit=MOST_NESTED, value=len(open_))
    if open_:
        raise _refused_error("the end", open_[-1])


def _check_word(tokens: Sequence[_Token], position: int) -> None:
    word = tokens[position]
    if _is_property(tokens, position):
        return
    if word.upper in NEVER:
        raise _refused_error(word.text, "a read-only query; write a name that is spelled like this in backticks")
    called = _peek_token(tokens, position).text
    if _is_value_end(tokens, position - 1) and word.upper not in KEYWORDS:
        raise _refused_error(word.text, "a clause or an operator that only reads")
    if called == "(" and word.upper not in KEYWORDS and not _is_label(tokens, position):
        name = _read_dotted_name(tokens, position)
        # A variable before a bracket is no call in a pattern alone: `p = (a)` has a sign between them.
        if name.lower() not in FUNCTIONS:
            raise _refused_error(name, "a function of the list")
    if called == "{" and word.upper in KEYWORDS and word.upper not in SUBQUERIES | {"RETURN", "WITH", "THEN", "ELSE"}:
        raise _refused_error(f"{word.text} {{", "a subquery of EXISTS, COUNT or COLLECT")


def _is_property(tokens: Sequence[_Token], position: int) -> bool:
    """Tell whether a word names a property, as in `n.set`; one that is called is a function's last part."""
    before = tokens[position - 1].text if position else ""
    if before != "." or tokens[position - 1].kind != "sign":
        return False
    if _peek_token(tokens, position).text == "(":
        name = _read_dotted_name(tokens, position)
        if name.lower() not in FUNCTIONS:
            raise _refused_error(name, "a function of the list")
    return True


def _is_label(tokens: Sequence[_Token], position: int) -> bool:
    return position > 0 and tokens[position - 1].kind == "sign" and tokens[position - 1].text in (":", "|", "&", "!")


def _read_dotted_name(tokens: Sequence[_Token], position: int) -> str:
    name = tokens[position].text
    while position >= 2 and tokens[position - 1].text == "." and tokens[position - 2].kind in ("word", "quoted"):
        position -= 2
        name = f"{tokens[position].text}.{name}"
    return name


def _is_value_end(tokens: Sequence[_Token], position: int) -> bool:
    """Tell whether a value ends there, so that only an operator, a clause or a bracket can follow."""
    if position < 0:
        return False
    token = tokens[position]
    if token.kind != "word":
        return token.kind in ("text", "quoted", "number") or token.text in _CLOSES or _is_star(tokens, position)
    return token.upper not in KEYWORDS or token.upper in VALUES | ENDINGS or _is_property(tokens, position)


def _is_star(tokens: Sequence[_Token], position: int) -> bool:
    """Tell whether `*` stands for everything, as in `RETURN *`, and multiplies nothing."""
    if tokens[position].text != "*" or not position:
        return False
    before = tokens[position - 1]
    return before.upper in ("RETURN", "WITH", "DISTINCT") or before.text == "("


def _peek_token(tokens: Sequence[_Token], position: int) -> _Token:
    return tokens[position + 1] if position + 1 < len(tokens) else _Token("end", "")


def _refused_error(met: str, expected: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query does more than read, or more than can be checked: met {describe_value(met)}; expected {expected}.",
        path="connector.query",
        met=describe_value(met),
        expected=expected,
    )


SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
KIND = Kind(
    type="neo4j",
    title="Neo4j",
    group="nosql, graph, search",
    keys=("host", "port", "user", "password", "connection_string", "database", "table", "query"),
    options={
        "scheme": "bolt, or bolt+s with a checked certificate, bolt+ssc with any; neo4j, neo4j+s or neo4j+ssc",
        "ca": f"{CA}; with bolt+s or neo4j+s",
        "members": "of a cluster, separated by commas: the hosts beside `host` that it may send to",
        "max_rows": "the most rows that are read, from 1 to 100000000; by default 10000000; more is an error",
    },
    extra="neo4j",
    driver="neo4j",
    port=7687,
    dsn=Dsn(
        form="neo4j+s://user:password@host:7687/database", schemes={scheme: {"scheme": scheme} for scheme in SCHEMES}
    ),
)
PAGE = 1_000
CONNECT_S = 10.0
MOST_ROWS = 100_000_000
MOST_LEVELS = 16


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read the nodes of a label (`table`), whose properties are columns, or the rows of a query."""
    statement, is_node = _build_statement(descriptor), descriptor.query is None
    work = _read(import_driver(KIND), descriptor, statement, options.limits, deadline, is_node=is_node)
    names, rows = run_work(KIND, work, deadline)
    if descriptor.query is None:
        rows.sort(key=lambda row: write_canonical_text({name: _build_sort_key(value) for name, value in row.items()}))
        names = sorted({name for row in rows for name in row})
        if not names:
            raise SourceMalformedError(
                f"No node of the label {describe_value(descriptor.table)} has a property.",
                met=describe_value(descriptor.table),
            )
    return build_dataset(rows, options, names=names)


def probe(descriptor: Descriptor, deadline: float) -> str:
    """Say that Neo4j answers; a query is checked, and none of it run."""
    if descriptor.table is not None or descriptor.query is not None:
        _build_statement(descriptor)
    work = _read(import_driver(KIND), descriptor, "RETURN 1 AS one", DEFAULT_LIMITS, deadline, is_node=False)
    run_work(KIND, work, deadline)
    return "Neo4j answers."


def _build_statement(descriptor: Descriptor) -> str:
    if (descriptor.table is None) == (descriptor.query is None):
        raise InvalidIntentError(
            "A Neo4j source has either a table, which is a label, or a query.", path="connector.table"
        )
    if descriptor.query is not None:
        return check_cypher(descriptor.query)
    return f"MATCH (n:{quote_label(descriptor.table or '')}) RETURN properties(n) AS properties"


async def _read(
    library: Any, descriptor: Descriptor, statement: str, limits: Limits, deadline: float, *, is_node: bool
) -> tuple[list[str], list[dict[str, object]]]:
    tally = Tally(limits)
    most = read_whole(descriptor, "max_rows", 10_000_000, MOST_ROWS)
    with translate_faults(_translate):
        async with (
            library.AsyncGraphDatabase.driver(
                **_build_driver_options(library, descriptor),
                auth=_read_account(descriptor),
                resolver=_restrict_hosts(find_hosts(descriptor)),
                connection_timeout=CONNECT_S,
                connection_acquisition_timeout=2 * CONNECT_S,
                max_transaction_retry_time=0,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="service-nb",
            ) as client,
            client.session(
                database=descriptor.database, default_access_mode=library.READ_ACCESS, fetch_size=PAGE
            ) as session,
        ):
            # The server ends the transaction by itself, should this side be gone.
            left = max(deadline - time.monotonic(), 0.1)
            result = await session.run(library.Query(statement, timeout=left))
            names, rows = list(result.keys()), list[dict[str, object]]()
            if len(set(names)) != len(names):
                raise key_error("query", "two columns of one name", "a unique name for each column")
            async for record in result:
                tally.count_page(most)
                row = _read_row(record, names, is_node=is_node)
                tally.count_cells(len(row))
                tally.count_bytes(sum(len(value) for value in row.values() if isinstance(value, str)))
                rows.append(row)
            return names, rows


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver may connect to: a cluster tells it of members, of which it is let to those named here."""
    named = (read_option(descriptor, "members") or "").split(",")
    members = tuple(name.strip() for name in named if name.strip())
    found = (require_key(descriptor, "host", "a host"), *members)
    for host in found:
        if not all(char.isalnum() or char in ".-_:" for char in host) or not host.isascii():
            raise key_error("members" if host in members else "host", describe_value(host), "a name or an address")
    return found


def _build_driver_options(library: Any, descriptor: Descriptor) -> dict[str, object]:
    scheme = read_option(descriptor, "scheme") or "bolt"
    if scheme not in SCHEMES:
        raise key_error("scheme", describe_value(scheme), " or ".join(SCHEMES))
    host, ca = find_hosts(descriptor)[0], read_option(descriptor, "ca")
    at = f"{f'[{host}]' if ':' in host else host}:{descriptor.port or KIND.port}"
    if ca is None:
        return {"uri": f"{scheme}://{at}"}
    if not scheme.endswith("+s"):
        raise key_error("ca", "of use only with a checked certificate", "the scheme bolt+s or neo4j+s beside it")
    build_trust(ca)  # or the driver says of a file that is none that the server cannot be reached
    trusted = library.TrustCustomCAs(ca)
    return {"uri": f"{scheme.removesuffix('+s')}://{at}", "encrypted": True, "trusted_certificates": trusted}


def _restrict_hosts(allowed: tuple[str, ...]) -> Callable[[Any], list[object]]:
    """Build the driver's resolver of addresses, which refuses hosts that the connector does not name."""
    plain = frozenset(host.lower() for host in allowed)

    def resolve(address: Any) -> list[object]:
        if str(address.host).strip("[]").lower() not in plain:
            met = describe_value(address.host)
            fault = f"redirects to {met}, which the connector does not name"
            hint = "Name its members: members = host1,host2. Or ask one server alone: scheme bolt or bolt+s."
            raise source_error(KIND, fault, "not_allowed", hint, met=met)
        return [address]

    return resolve


def _read_account(descriptor: Descriptor) -> tuple[str, str] | None:
    if descriptor.user is None or descriptor.password is None:
        return None
    return descriptor.user, descriptor.password.reveal()


def _read_row(record: Any, names: Sequence[str], *, is_node: bool) -> dict[str, object]:
    if is_node:
        properties = record["properties"]
        if not isinstance(properties, Mapping):
            raise answer_error(KIND, "malformed properties")
        return {name: _read_value(name, value) for name, value in properties.items()}
    return {name: _read_value(name, record[name]) for name in names}


def _read_value(name: str, value: Any) -> object:
    """A value as it is held: what has parts becomes JSON text of them, nodes by their properties."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes | bytearray):
        raise bad_column_error(name, "holds bytes, which cannot be queried", met="bytes")
    kind = type(value).__name__
    if kind in ("Date", "DateTime") and hasattr(value, "to_native"):
        return _read_moment(name, value)
    if kind in ("Time", "Duration"):
        return value.iso_format()
    return write_canonical_text(_flatten_value(name, value, MOST_LEVELS))


def _read_moment(name: str, value: Any) -> datetime.date | datetime.datetime:
    if getattr(value, "nanosecond", 0) % 1_000:
        hint = "Cut them in the query, with datetime.truncate('microsecond', …): the loss is yours to decide."
        raise bad_column_error(name, "holds times finer than a microsecond", hint, expected="whole microseconds")
    native: datetime.date | datetime.datetime = value.to_native()
    return native


def _flatten_value(name: str, value: Any, levels: int) -> object:
    if not levels:
        raise bad_column_error(name, "nests values too deeply")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) and type(value).__module__ == "builtins":
        return [_flatten_value(name, each, levels - 1) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _flatten_value(name, each, levels - 1) for key, each in value.items()}
    if hasattr(value, "relationships"):  # a path
        return [_flatten_value(name, each, levels - 1) for each in (*value.nodes, *value.relationships)]
    if hasattr(value, "items"):  # a node or a relationship
        return {str(key): _flatten_value(name, each, levels - 1) for key, each in value.items()}
    if hasattr(value, "srid"):
        return {"srid": value.srid, "coordinates": [float(part) for part in value]}
    if hasattr(value, "iso_format"):
        return value.iso_format()
    met = type(value).__name__
    raise bad_column_error(name, f"holds values of type {met}", met=met)


def _build_sort_key(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str | Decimal) else str(value)


def _translate(error: Exception) -> ServiceError:
    names = {kind.__name__ for kind in type(error).__mro__}
    code = str(getattr(error, "code", "") or "")
    if names & {"AuthError", "TokenExpired"} or (".Security." in code and "Forbidden" not in code):
        return source_error(KIND, "does not accept the user and password", "login_refused")
    if "Forbidden" in names or code.endswith((".Forbidden", ".AccessMode")):
        return source_error(KIND, "does not allow this user to read this", "not_allowed")
    if "TransactionTimedOut" in code or "Terminated" in code or isinstance(error, TimeoutError):
        return deadline_error(KIND)
    if ".Statement." in code:
        hint = f"It says {code}."
        return InvalidIntentError("Neo4j cannot run the query.", hint=hint, path="connector.query", met=code)
    if "DatabaseNotFound" in code:
        return source_error(KIND, "has no database of that name", "misconfigured")
    if names & {"ServiceUnavailable", "SSLError"} and is_certificate_error(error):
        return certificate_error(KIND)
    if names & {"ServiceUnavailable", "SessionExpired"} or isinstance(error, OSError):
        return lost_error(KIND, is_lost="SessionExpired" in names or "defunct" in str(error))
    if "Neo4jError" in names:
        return source_error(KIND, "refuses the query", "misconfigured", f"It says {code[:100]}.")
    return answer_error(KIND, "not the protocol of Neo4j")


CONNECTOR = Connector(kind=KIND, reads_files=False, extract=extract, probe=probe, find_hosts=find_hosts)
