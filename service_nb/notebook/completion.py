"""Completion inside our magics, in lines, cells and assignments.

Built on IPython's matchers (API version 2), hence alike in consoles, JupyterLab and every other front end. The grammar
says which kind of word could come next, the client which there are: nothing that a policy denies is ever offered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, completion_matcher

from service_nb.core.words import write_name
from service_nb.errors import ServiceError
from service_nb.notebook.magic import Flag, Magic, split_words
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import format_value
from service_nb.schema.query import AGGREGATIONS, PERIODS

if TYPE_CHECKING:
    from service_nb.notebook.session import ServiceMagics
    from service_nb.query.ask_line import AskState

MOST = 500  # offered at once; more helps nobody
WAIT_S = 0.2  # for a deployment to say what it has; what comes later is offered at the next key
_LINE = re.compile(r"^\s*(?:[^=%'\"]+=\s*)?%(service_\w+)(?:\s(.*))?$", re.DOTALL)
_CELL = re.compile(r"^\s*%%(service_\w+)(?:[ \t]([^\n]*))?(?:\n(.*))?$", re.DOTALL)
_TEXTS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|([`'"])""")
_TYPED = re.compile(r"(?:(?<!\S)--[\w-]*|\$?\w*)$")

Matcher = Callable[[CompletionContext], SimpleMatcherResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A text to insert, and its kind: a column's type, `source`, `keyword`, `option` or `value`.

    Of a source that is not connected it is the place that keeps it: `deployment` or `service.toml`.
    """

    text: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The position of the cursor: its magic, on the first line or in the cell, and the text before and after it."""

    magic: Magic
    options: str  # the first line of a cell magic, when the cursor is below it
    before: str
    after: str
    in_cell: bool

    @property
    def fragment(self) -> str:
        """The text under the cursor: from a quote that is still open, or the word that is being typed."""
        opened = next((found for found in _TEXTS.finditer(self.before) if found[1]), None)
        if opened is not None:
            return self.before[opened.start() :]
        typed = _TYPED.search(self.before)
        return typed.group() if typed else ""

    @property
    def finished(self) -> str:
        """The text before the fragment."""
        return self.before[: len(self.before) - len(self.fragment)]

    @property
    def position(self) -> int:
        """The number of words before the fragment, without options."""
        return sum(not word.raw.startswith("--") for word in split_words(self.finished))


Completed = tuple[str, list[Suggestion]]


def make_matcher(magics: Any) -> Matcher:
    """Make the matcher for IPython's completer, bound to the magics of one session."""

    @completion_matcher(identifier="service_nb", api_version=2)  # type: ignore[untyped-decorator]
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")
        line = lines[context.cursor_line]
        before = "\n".join([*lines[: context.cursor_line], line[: context.cursor_position]])
        after = "\n".join([line[context.cursor_position :], *lines[context.cursor_line + 1 :]])
        fragment, offers = complete_cell(before, after, magics)
        return {
            "completions": [SimpleCompletion(offer.text, type=offer.kind) for offer in offers[:MOST]],
            "matched_fragment": fragment,
            "suppress": bool(offers),
            "ordered": True,
        }

    matcher.magics = magics  # by which unloading finds it
    return cast("Matcher", matcher)


def complete_cell(before: str, after: str, session: ServiceMagics) -> Completed:
    """Find the fragment before the cursor that an offer replaces, and the offers."""
    cursor = locate_cursor(before, after, session.records)
    if cursor is None:
        return "", []
    if not cursor.in_cell and (offers := _offer_options(cursor, session)) is not None:
        return cursor.fragment, offers
    return (cursor.fragment, []) if cursor.magic.offers is None else cursor.magic.offers(cursor, session)


def locate_cursor(before: str, after: str, records: Mapping[str, Magic]) -> Cursor | None:
    """Find the magic that the cursor stands in."""
    cell = _CELL.match(before)
    if cell is not None:
        name, line, body = cell.groups()
        if name not in records or (line is None and body is None):
            return None
        if body is None:
            return Cursor(magic=records[name], options="", before=line, after=after.partition("\n")[0], in_cell=False)
        return Cursor(magic=records[name], options=line or "", before=body, after=after, in_cell=True)
    found = _LINE.match(before.rpartition("\n")[2])
    if found is None or found[1] not in records or found[2] is None:
        return None
    rest = after.partition("\n")[0]
    return Cursor(magic=records[found[1]], options="", before=found[2], after=rest, in_cell=False)


def _find_catalogue(session: ServiceMagics) -> Catalogue:
    """Find the names that the client offers; make a client where a deployment is configured."""
    if session.connected is None and os.environ.get("SERVICE_DEPLOYMENT_URL"):
        with suppress(ServiceError):  # what is wrong with the configuration is told to who runs a cell
            return Catalogue(session.service)
    return Catalogue(session.connected)


def _offer_options(cursor: Cursor, session: ServiceMagics) -> list[Suggestion] | None:
    """Suggest options, or the values of one; None where the cursor is at neither."""
    words = [word.raw for word in split_words(cursor.finished)]
    if cursor.fragment.startswith("--"):
        given = {word.partition("=")[0] for word in words}
        flags = [flag for flag in cursor.magic.all_flags if flag.name not in given]
        return filter_starting([Suggestion(text=flag.name, kind="option") for flag in flags], cursor.fragment)
    waiting = next((flag for flag in cursor.magic.flags if flag.value and words and words[-1] == flag.name), None)
    return None if waiting is None else filter_starting(_offer_values_of(waiting, session), cursor.fragment)


def _offer_values_of(flag: Flag, session: ServiceMagics) -> list[Suggestion]:
    if flag.name == "--from":
        return _find_catalogue(session).sources()
    return [Suggestion(text=choice, kind="value") for choice in flag.choices]


def filter_starting(offers: Sequence[Suggestion], fragment: str) -> list[Suggestion]:
    """Keep the offers that go on from the fragment, whatever its case, and with or without an opening quote."""
    typed = fragment.casefold()
    bare = typed.lstrip("`'\"")
    quoted = typed[:1] in ("`", "'", '"')
    return [
        offer
        for offer in offers
        if offer.text.casefold().startswith(typed)
        or (quoted and offer.text.casefold().lstrip("`'\"").startswith(bare) and offer.kind != "keyword")
    ]


# --- names that the client has ----------------------------------------------------------------------------------------


class Catalogue:
    """The names that a client offers: sources, columns, values; empty while there is no client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def sources(self) -> list[Suggestion]:
        """List the sources, as written in a question; a deployment's too, because naming one connects it."""
        return [*self.connected(), *self._build_offers(self._list_deployed())]

    def connected(self) -> list[Suggestion]:
        """List the sources that are connected."""
        return [Suggestion(text=write_name(source["name"]), kind="source") for source in self._list_sources()]

    def every(self) -> list[Suggestion]:
        """List the sources that are connected, and those that a name alone would connect."""
        return [*self.connected(), *self._build_offers(self._list_unconnected())]

    def stored(self) -> list[Suggestion]:
        """List the names that the project keeps, and those of the deployment that are not connected."""
        kept = self._client.stored_sources() if self._client is not None else []
        offers = [Suggestion(text=write_name(name), kind="source") for name in kept]
        return [*offers, *self._build_offers(each for each in self._list_deployed() if each.name not in kept)]

    def columns(self, source: str | None) -> list[tuple[str, str]]:
        """List columns and their types: of one source, or of all that are connected while the question names none."""
        found: dict[str, str] = {}
        listed = [each for each in self._list_sources() if source in (None, each["name"])]
        for each in listed:
            for field in each["typed_fields"]:
                found.setdefault(field["name"], field["type"])
        if source is not None and not listed:
            found = {column: kind for name, column, kind in self.list_deployed_columns() if name == source}
        return list(found.items())

    def list_deployed_columns(self) -> list[tuple[str, str, str]]:
        """List source, column and type for the unconnected sources of a deployment."""
        return [(each.name, field.name, field.type) for each in self._list_deployed() for field in each.fields]

    def values(self, source: str | None, column: str) -> list[str]:
        """List the values of a low-cardinality column, where the source is known or the only one."""
        names = [listed["name"] for listed in self._list_sources()]
        chosen = source or (names[0] if len(names) == 1 else None)
        return list(self._client.values(chosen, column)) if chosen in names else []

    def _list_deployed(self) -> list[Any]:
        return [each for each in self._list_unconnected() if each.place == "deployment"]

    def _list_unconnected(self) -> Sequence[Any]:
        if self._client is None:
            return ()
        found: Sequence[Any] = self._client.unconnected(wait=WAIT_S).sources
        return found

    def _build_offers(self, unconnected: Iterable[Any]) -> list[Suggestion]:
        return [Suggestion(text=write_name(each.name), kind=each.place) for each in unconnected]

    def _list_sources(self) -> list[Any]:
        return list(self._client.sources()) if self._client is not None else []


def offer_connected(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the sources that are connected, as the first word."""
    offers = _find_catalogue(session).connected() if cursor.position == 0 else []
    return cursor.fragment, filter_starting(offers, cursor.fragment)


def offer_every_source(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the sources that are connected and those that could be, as the first word."""
    offers = _find_catalogue(session).every() if cursor.position == 0 else []
    return cursor.fragment, filter_starting(offers, cursor.fragment)


def offer_input(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the names that are kept as the first word, and variables that hold a table as the second."""
    offers: list[Suggestion] = []
    if cursor.position == 0:
        offers = _find_catalogue(session).stored()
    elif cursor.position == 1:
        # Asked of the class: an instance may answer anything, or do something, when it is asked for an attribute.
        own = ((name, type(value)) for name, value in session.shell.user_ns.items() if not name.startswith("_"))
        tables = (name for name, kind in own if hasattr(kind, "__arrow_c_stream__") or kind.__name__ == "DataFrame")
        offers = [Suggestion(text=f"${name}", kind="variable") for name in sorted(tables)]
    return cursor.fragment, filter_starting(offers, cursor.fragment)


# --- questions --------------------------------------------------------------------------------------------------------

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
# Where a condition goes on after its column: the words that need company come with it.
_PHRASES = {"is": ("is null", "is not null"), "not": ("not in (",), "in": ("in (",)}
_WORDS_OF_TYPE = {"contains": ("string",), "starts with": ("string",), "during": ("date", "datetime")}


def offer_question(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the next word of a question."""
    # The grammar's tables take a moment to build; a session that completes no question does not pay for them.
    from service_nb.query.ask_line import read_ask_state  # noqa: PLC0415

    on_line = cursor.magic.attempt(cursor.options if cursor.in_cell else cursor.finished)
    if on_line is None:
        return cursor.fragment, []
    state = read_ask_state(cursor.finished if cursor.in_cell else on_line.question, cursor.after)
    if state is None:
        return cursor.fragment, []
    offers = _suggest(state, state.source or on_line.get_text("--from"), _find_catalogue(session))
    return cursor.fragment, filter_starting(offers, cursor.fragment)


def _suggest(state: AskState, source: str | None, client: Catalogue) -> list[Suggestion]:
    """List everything that fits the place, names before words."""
    types = dict(client.columns(source))
    return [
        *_suggest_names(state, types, client),
        *_suggest_values(state, source, types, client),
        *_suggest_words(state, types),
    ]


def _suggest_names(state: AskState, types: dict[str, str], client: Catalogue) -> list[Suggestion]:
    match state.slot:
        case "aggregation":
            return [Suggestion(text=name, kind="aggregation") for name in AGGREGATIONS]
        case "period":
            return [Suggestion(text=name, kind="period") for name in PERIODS]
        case "source":
            return client.sources()
        case None:
            return []
    record = RECORDS.get(state.aggregation or "") if state.slot == "metric" else None
    fits = (name for name, kind in types.items() if record is None or kind in record.accepts)
    return [Suggestion(text=write_name(name), kind=types[name]) for name in fits]


def _suggest_values(state: AskState, source: str | None, types: dict[str, str], client: Catalogue) -> list[Suggestion]:
    if state.value_of is None or types.get(state.value_of, "string") != "string":
        return []
    return [Suggestion(text=format_value(value), kind="value") for value in client.values(source, state.value_of)]


def _suggest_words(state: AskState, types: dict[str, str]) -> list[Suggestion]:
    column_type = types.get(state.column or "")
    if state.value_of is not None and column_type not in (None, "boolean"):
        return []
    words = [word for word in state.words if column_type in (None, *_WORDS_OF_TYPE.get(word, (column_type,)))]
    if not state.comparison:
        return [Suggestion(text=word, kind="keyword") for word in words]
    phrases = [phrase for word in words for phrase in _PHRASES.get(word, (word,))]
    return [Suggestion(text=text, kind="keyword") for text in (*_COMPARISONS, *phrases)]


# --- computations -----------------------------------------------------------------------------------------------------

_CAPABILITY = re.compile(r"\s*([\w.]*)$")
_CALLED = re.compile(r"\s*(\w+\.\w+)\s")
_GIVEN = re.compile(r"(?<![\w.$'\"`])(\w+)\s*=")
_VALUE = re.compile(r"(\w+)\s*=\s*([$\w.`]*)$")
_NAME = re.compile(r"(\w*)$")
_WHERE = re.compile(r"\swhere\s(.*)$", re.IGNORECASE | re.DOTALL)
_SOURCE = re.compile(r"=\s*(`(?:[^`]|``)+`|[A-Za-z_]\w*)\.")


def offer_capability(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest capabilities as the one word."""
    text = _read_own_text(cursor)
    return ("", []) if " " in text.strip() else _complete_computation(text, cursor.after, session)


def offer_computation(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the next part of a computation: capabilities, parameters, columns, variables, conditions."""
    return _complete_computation(_read_own_text(cursor), cursor.after, session)


def _read_own_text(cursor: Cursor) -> str:
    """Read the text before the cursor without options."""
    on_line = None if cursor.in_cell else cursor.magic.attempt(cursor.before)
    return cursor.before if on_line is None else on_line.question


def _complete_computation(before: str, after: str, session: ServiceMagics) -> Completed:
    client = session.service
    capability = _CAPABILITY.match(before)
    if capability is not None:
        return capability[1], _offer_capabilities(capability[1], client)
    called = _CALLED.match(before)
    if called is None:
        return "", []
    condition = _WHERE.search(before)
    if condition is not None:
        return _complete_condition(before, condition[1], after, client)
    entry = _find_entry(called[1], client)
    value = _VALUE.search(before)
    if value is not None:
        return value[2], filter_starting(_offer_arguments(value[1], entry, client, session.shell.user_ns), value[2])
    name = _NAME.search(before)
    fragment = name[1] if name else ""
    given = set(_GIVEN.findall(before[called.end() :]))
    return fragment, filter_starting(_offer_parameters(entry, given, has_column=bool(_SOURCE.search(before))), fragment)


def _find_entry(name: str, client: Any) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = client.capability(name)
    except ServiceError:  # it is still being written, or it is denied
        return {"params": [], "tier": ""}
    return found


def _offer_capabilities(fragment: str, client: Any) -> list[Suggestion]:
    ids = client.capabilities()
    if "." in fragment:
        return [Suggestion(text=id_, kind="capability") for id_ in ids if id_.startswith(fragment)]
    fields = dict.fromkeys(id_.partition(".")[0] for id_ in ids)
    return [Suggestion(text=f"{field}.", kind="field") for field in fields if field.startswith(fragment)]


def _offer_parameters(entry: Mapping[str, Any], given: set[str], *, has_column: bool) -> list[Suggestion]:
    left = [parameter["name"] for parameter in entry["params"] if parameter["name"] not in given]
    offers = [Suggestion(text=f"{name}=", kind="parameter") for name in left]
    if entry["tier"] == "seeded" and "seed" not in given:
        offers.append(Suggestion(text="seed=", kind="parameter"))
    return [*offers, Suggestion(text="where", kind="keyword")] if has_column else offers


def _offer_arguments(
    name: str, entry: Mapping[str, Any], client: Any, variables: Mapping[str, Any]
) -> list[Suggestion]:
    parameter = next((part for part in entry["params"] if part["name"] == name), None)
    if parameter is None:
        return []
    if parameter.get("choices"):
        return [Suggestion(text=format_value(choice), kind="value") for choice in parameter["choices"]]
    if parameter["type"] == "bool":
        return [Suggestion(text=text, kind="value") for text in ("true", "false")]
    wanted = "string" if parameter["type"].startswith("string") else "number"
    columns = [
        Suggestion(text=f"{write_name(source)}.{write_name(column)}", kind=kind)
        for source, column, kind in (*_list_columns(client), *Catalogue(client).list_deployed_columns())
        if kind == wanted
    ]
    return [*columns, *_offer_variables(parameter, variables)]


def _list_columns(client: Any) -> Iterator[tuple[str, str, str]]:
    for source in client.sources():
        for field in source["typed_fields"]:
            yield source["name"], field["name"], field["type"]


def _offer_variables(parameter: Mapping[str, Any], variables: Mapping[str, Any]) -> list[Suggestion]:
    is_array = bool(parameter.get("shape"))

    def fits(value: object) -> bool:
        if is_array:
            return isinstance(value, list | tuple) or hasattr(type(value), "tolist") or hasattr(type(value), "to_list")
        return isinstance(value, int | float | str)

    own = {name for name in variables if not name.startswith("_")} - {"In", "Out"}  # IPython keeps its history there
    names = sorted(name for name in own if fits(variables[name]))
    return [Suggestion(text=f"${name}", kind="variable") for name in names]


def _complete_condition(before: str, written: str, after: str, client: object) -> Completed:
    # The grammar's tables take a moment to build; a session that writes no condition does not pay for them.
    from service_nb.query.ask_line import read_ask_state  # noqa: PLC0415

    bound = _SOURCE.search(before)
    source = bound[1].strip("`") if bound else None
    fragment = _NAME.search(written)
    typed = fragment[1] if fragment else ""
    state = read_ask_state("count where " + written[: len(written) - len(typed)], after)
    offers = _suggest(state, source, Catalogue(client)) if state is not None else []
    ends = {"order", "limit", "by", "from"}  # words of a question that no selection has
    return typed, filter_starting([offer for offer in offers if offer.text not in ends], typed)
