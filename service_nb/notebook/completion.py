"""Completion inside our magics, in lines, cells and assignments.

Built on IPython's matchers (API version 2), hence alike in consoles, JupyterLab and every other front end. The grammar
says which kind of word could come next, the client which there are: nothing that a policy denies is ever offered.
"""

from __future__ import annotations

import datetime
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, completion_matcher

from service_nb.core.words import write_name, write_zone
from service_nb.core.zones import list_zones
from service_nb.errors import ServiceError
from service_nb.notebook.connect_lines import list_path_completions, list_tables
from service_nb.notebook.magic import Magic, split_words
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import format_ask, format_value, parse_ask
from service_nb.query.conditions import OPERATORS
from service_nb.query.plan import build_result_columns
from service_nb.query.spec import MEASURE_KEYS, parse_spec
from service_nb.schema.query import AGGREGATIONS, PERIODS, Plan

if TYPE_CHECKING:
    from service_nb.client.live_sources import Offer
    from service_nb.client.results import ServiceSource
    from service_nb.client.service import Service
    from service_nb.notebook.session import ServiceMagics
    from service_nb.query.ask_state import AskState

MOST = 500  # offered at once; more helps nobody
WAIT_S = 0.2  # for a deployment to say what it has; what comes later is offered at the next key
_LINE = re.compile(r"^\s*(?:[^=%'\"]+=\s*)?%(service_\w+)(?:\s(.*))?$", re.DOTALL)
_CELL = re.compile(r"^\s*%%(service_\w+)(?:[ \t]([^\n]*))?(?:\n(.*))?$", re.DOTALL)
_TEXTS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|([`'"])""")
_PATH = re.compile(r"\S*$")
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


def make_matcher(magics: ServiceMagics) -> Matcher:
    """Make the matcher for IPython's completer, bound to the magics of one session."""

    @completion_matcher(identifier="service_nb", api_version=2)  # type: ignore[untyped-decorator]
    def match(context: CompletionContext) -> SimpleMatcherResult:
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

    match.magics = magics  # by which unloading finds it
    return cast("Matcher", match)


def complete_cell(before: str, after: str, session: ServiceMagics) -> Completed:
    """Find the fragment before the cursor that an offer replaces, and the offers that go on from it."""
    cursor = locate_cursor(before, after, session.records)
    if cursor is None:
        return "", []
    options = None if cursor.in_cell else _offer_options(cursor, session)
    if options is not None:
        fragment, offers = cursor.fragment, options
    elif cursor.magic.offers is not None:
        fragment, offers = cursor.magic.offers(cursor, session)
    else:
        return cursor.fragment, []
    return fragment, filter_starting(offers, fragment)


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
        return suggest("option", (flag.name for flag in cursor.magic.all_flags if flag.name not in given))
    waiting = next((flag for flag in cursor.magic.all_flags if flag.value and words and words[-1] == flag.name), None)
    if waiting is not None and waiting.name == "--from":
        return _find_catalogue(session).list_sources("deployment")
    return None if waiting is None else suggest("value", waiting.choices)


def suggest(kind: str, texts: Iterable[str]) -> list[Suggestion]:
    """Make suggestions of one kind."""
    return [Suggestion(text=text, kind=kind) for text in texts]


def filter_starting(offers: Sequence[Suggestion], fragment: str) -> list[Suggestion]:
    """Keep the offers that go on from the fragment, whatever its case, and with or without an opening quote."""
    typed = fragment.casefold()
    bare = typed.lstrip("`'\"")
    quoted = typed[:1] in ("`", "'", '"')
    return [
        offer
        for offer in offers
        if offer.text.casefold().startswith(typed)
        or (
            (offer.kind == "path" or (quoted and offer.kind != "keyword") or offer.text.startswith("`"))
            and offer.text.casefold().lstrip("`'\"").startswith(bare)
        )
    ]


# --- names that the client has ----------------------------------------------------------------------------------------


class Catalogue:
    """The names that a client offers: sources, columns, values; empty while there is no client."""

    def __init__(self, client: Service | None) -> None:
        self._client = client

    def list_sources(self, *places: str) -> list[Suggestion]:
        """List the sources that are connected, and those of `places` that a name alone would connect."""
        connected = suggest("source", (write_name(source["name"]) for source in self._list_connected()))
        return [*connected, *(offer for offer in self._list_unconnected() if offer.kind in places)]

    def list_stored(self) -> list[Suggestion]:
        """List the names that the project keeps, and those of the deployment that are not connected."""
        kept = suggest("source", map(write_name, self._client.stored_sources() if self._client is not None else ()))
        names = {each.text for each in kept}
        deployed = [each for each in self._list_unconnected() if each.kind == "deployment" and each.text not in names]
        return [*kept, *deployed]

    def list_columns(self, source: str | None) -> list[tuple[str, str]]:
        """List columns and their types: of one source, or of all that are connected while the question names none."""
        connected = {each["name"] for each in self._list_connected()}
        found: dict[str, str] = {}
        for name, column, kind in self.list_every_column(has_deployed=source not in (None, *connected)):
            if source in (None, name):
                found.setdefault(column, kind)
        return list(found.items())

    def list_every_column(self, *, has_deployed: bool = True) -> list[tuple[str, str, str]]:
        """List source, column and type of all that is connected, and of a deployment's sources that are not."""
        columns = [
            (each["name"], field["name"], field["type"])
            for each in self._list_connected()
            for field in each["typed_fields"]
        ]
        deployed = [each for each in self._find_offers() if each.place == "deployment"] if has_deployed else []
        return [*columns, *((each.name, field.name, field.type) for each in deployed for field in each.fields)]

    def list_values(self, source: str | None, column: str) -> list[str]:
        """List the values of a low-cardinality column, where the source is known or the only one."""
        names = [listed["name"] for listed in self._list_connected()]
        chosen = source or (names[0] if len(names) == 1 else None)
        return [] if self._client is None or chosen not in names else list(self._client.values(str(chosen), column))

    def _list_connected(self) -> Sequence[ServiceSource]:
        return self._client.sources() if self._client is not None else ()

    def _find_offers(self) -> Sequence[Offer]:
        return self._client.unconnected(wait=WAIT_S).sources if self._client is not None else ()

    def _list_unconnected(self) -> list[Suggestion]:
        return [Suggestion(text=write_name(each.name), kind=each.place) for each in self._find_offers()]


def offer_connected(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the sources that are connected, as the first word."""
    return cursor.fragment, _find_catalogue(session).list_sources() if cursor.position == 0 else []


def offer_every_source(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the sources that are connected and those that could be, as the first word."""
    places = ("deployment", "service.toml")
    return cursor.fragment, _find_catalogue(session).list_sources(*places) if cursor.position == 0 else []


def offer_input(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the names that are kept as the first word; variables that hold a table, and files, as the second.

    A path is offered as the magic takes it: in quotes where it has blanks.
    """
    opened = cursor.fragment[:1] in ("'", '"')
    typed = cursor.fragment if opened else _PATH.search(cursor.before)[0]  # type: ignore[index]
    position = sum(
        not word.raw.startswith("--") for word in split_words(cursor.before[: len(cursor.before) - len(typed)])
    )
    paths = list_path_completions(typed) if position == 1 or opened or "/" in typed else []
    files = suggest("path", paths)
    if position == 0:
        names = _find_catalogue(session).list_stored()
        return (typed, files) if files else (cursor.fragment, names)
    if position > 1:
        return cursor.fragment, []
    return typed, [*suggest("variable", (f"${name}" for name in list_tables(session.shell.user_ns))), *files]


# --- questions --------------------------------------------------------------------------------------------------------

_COMPARISONS = [record.ask[0] for record in OPERATORS.values() if record.takes == "one"]
# Where a condition goes on after its column: the words that need company come with it.
_PHRASES: defaultdict[str, list[str]] = defaultdict(list)
for _record in OPERATORS.values():
    _PHRASES[_record.ask[0].split()[0]].append(_record.ask[0] + (" (" if _record.takes == "list" else ""))
_WORDS_OF_TYPE = {record.ask[0]: ("string",) for record in OPERATORS.values() if record.takes == "text"} | {
    "during": ("date", "datetime")
}


def offer_question(cursor: Cursor, session: ServiceMagics) -> Completed:
    """Suggest the next word of a question."""
    # The grammar's tables take a moment to build; a session that completes no question does not pay for them.
    from service_nb.query.ask_state import read_ask_state  # noqa: PLC0415

    on_line = cursor.magic.attempt(cursor.options if cursor.in_cell else cursor.finished)
    if on_line is None:
        return cursor.fragment, []
    state = read_ask_state(cursor.finished if cursor.in_cell else on_line.question, cursor.after)
    if state is None:
        return cursor.fragment, []
    offers = _suggest(state, state.source or on_line.get_text("--from"), _find_catalogue(session))
    if state.takes_variable and cursor.fragment.startswith("$"):
        return cursor.fragment, _suggest_variables(session.shell.user_ns, takes_list=state.takes_list)
    return cursor.fragment, offers


def _suggest_variables(variables: Mapping[str, object], *, takes_list: bool) -> list[Suggestion]:
    """List the variables whose value a condition can be compared with."""
    kinds = (list, tuple, set) if takes_list else (str, bool, int, float, Decimal, datetime.date)
    own = (name for name in variables if not name.startswith("_") and name not in ("In", "Out", "exit", "quit"))
    return suggest("variable", (f"${name}" for name in sorted(own) if isinstance(variables[name], kinds)))


def _suggest(state: AskState, source: str | None, client: Catalogue) -> list[Suggestion]:
    """List everything that fits the place, names before words."""
    types = dict(client.list_columns(source))
    return [
        *_suggest_names(state, types, client),
        *_suggest_values(state, source, types, client),
        *_suggest_words(state, types),
    ]


def _suggest_names(state: AskState, types: dict[str, str], client: Catalogue) -> list[Suggestion]:
    match state.slot:
        case "aggregation":
            return suggest("aggregation", AGGREGATIONS)
        case "period":
            return suggest("period", PERIODS)
        case "zone":
            return suggest("keyword", map(write_zone, list_zones()))
        case "source":
            return client.list_sources("deployment")
        case "measure":
            return suggest("aggregation", _list_asked_measures(state.asked))
        case "ranked":
            columns = [Suggestion(text=write_name(name), kind=kind) for name, kind in types.items()]
            return [*suggest("aggregation", AGGREGATIONS), *columns]
        case "order_by":
            return suggest("keyword", map(write_name, _list_result_names(state.asked)))
        case None:
            return []
    record = RECORDS.get(state.measured or state.aggregation or "") if state.slot == "metric" else None
    if state.measured is not None and (asked := _list_measured_columns(state.asked, state.measured)):
        types = {name: kind for name, kind in types.items() if name in asked}
    fits = (name for name, kind in types.items() if record is None or kind in record.accepts)
    return [Suggestion(text=write_name(name), kind=types[name]) for name in fits]


def _list_result_names(asked: str) -> tuple[str, ...]:
    """List the columns of the result of a line that goes on with its order."""
    try:
        spec = parse_spec(parse_ask(asked))
    except ServiceError:
        return ()
    if spec.aggregation is None:
        return ()
    plan = Plan(
        aggregation=spec.aggregation,
        metric=spec.metric,
        percent=spec.percent,
        more=spec.more,
        group_by=spec.group_by,
    )
    return build_result_columns(plan).names


def _list_asked_measures(asked: str) -> list[str]:
    """List what a line that goes on with `having` asks for, and the count of rows."""
    try:
        spec = parse_ask(asked)
    except ServiceError:
        return []
    alone: dict[str, Any] = {key: value for key, value in spec.items() if key in MEASURE_KEYS}
    measures: Sequence[Mapping[str, Any]] = spec.get("measures") or [alone]
    return list(dict.fromkeys([*map(format_ask, measures), "count"]))


def _list_measured_columns(asked: str, aggregation: str) -> set[str]:
    """List the columns of which a line that goes on with `having` asks for this aggregation."""
    try:
        spec = parse_ask(asked)
    except ServiceError:
        return set()
    measures: Sequence[Mapping[str, Any]] = spec.get("measures") or [spec]
    return {str(each["metric"]) for each in measures if each.get("aggregation") == aggregation and "metric" in each}


def _suggest_values(state: AskState, source: str | None, types: dict[str, str], client: Catalogue) -> list[Suggestion]:
    if state.value_of is None or types.get(state.value_of, "string") != "string":
        return []
    return suggest("value", map(format_value, client.list_values(source, state.value_of)))


def _suggest_words(state: AskState, types: dict[str, str]) -> list[Suggestion]:
    column_type = types.get(state.column or "")
    if state.value_of is not None and column_type not in (None, "boolean"):
        return []
    words = [word for word in state.words if column_type in (None, *_WORDS_OF_TYPE.get(word, (column_type,)))]
    if not state.comparison:
        return suggest("keyword", words)
    phrases = [phrase for word in words for phrase in _PHRASES.get(word, (word,))]
    return suggest("keyword", (*_COMPARISONS, *phrases))


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
        return value[2], _offer_arguments(value[1], entry, client, session.shell.user_ns)
    name = _NAME.search(before)
    given = set(_GIVEN.findall(before[called.end() :]))
    return name[1] if name else "", _offer_parameters(entry, given, has_column=bool(_SOURCE.search(before)))


def _find_entry(name: str, client: Service) -> Mapping[str, Any]:
    try:
        return client.capability(name)
    except ServiceError:  # it is still being written, or it is denied
        return {"params": [], "tier": ""}


def _offer_capabilities(fragment: str, client: Service) -> list[Suggestion]:
    ids = [id_ for id_ in client.capabilities() if id_.startswith(fragment)]
    if "." in fragment:
        return suggest("capability", ids)
    return suggest("field", dict.fromkeys(f"{id_.partition('.')[0]}." for id_ in ids))


def _offer_parameters(entry: Mapping[str, Any], given: set[str], *, has_column: bool) -> list[Suggestion]:
    names = [*(parameter["name"] for parameter in entry["params"]), *(["seed"] if entry["tier"] == "seeded" else [])]
    offers = suggest("parameter", (f"{name}=" for name in names if name not in given))
    return [*offers, *suggest("keyword", ["where"] if has_column else [])]


def _offer_arguments(
    name: str, entry: Mapping[str, Any], client: Service, variables: Mapping[str, object]
) -> list[Suggestion]:
    parameter = next((part for part in entry["params"] if part["name"] == name), None)
    if parameter is None:
        return []
    if parameter.get("choices"):
        return suggest("value", map(format_value, parameter["choices"]))
    if parameter["type"] == "bool":
        return suggest("value", ("true", "false"))
    wanted = "string" if parameter["type"].startswith("string") else "number"
    columns = [
        Suggestion(text=f"{write_name(source)}.{write_name(column)}", kind=kind)
        for source, column, kind in Catalogue(client).list_every_column()
        if kind == wanted
    ]
    return [*columns, *_offer_variables(parameter, variables)]


def _offer_variables(parameter: Mapping[str, object], variables: Mapping[str, object]) -> list[Suggestion]:
    is_array = bool(parameter.get("shape"))

    def fits(value: object) -> bool:
        if is_array:
            return isinstance(value, list | tuple) or hasattr(type(value), "tolist") or hasattr(type(value), "to_list")
        return isinstance(value, int | float | str)

    own = {name for name in variables if not name.startswith("_")} - {"In", "Out"}  # IPython keeps its history there
    return suggest("variable", (f"${name}" for name in sorted(own) if fits(variables[name])))


def _complete_condition(before: str, written: str, after: str, client: Service) -> Completed:
    # The grammar's tables take a moment to build; a session that writes no condition does not pay for them.
    from service_nb.query.ask_state import read_ask_state  # noqa: PLC0415

    bound = _SOURCE.search(before)
    source = bound[1].strip("`") if bound else None
    fragment = _NAME.search(written)
    typed = fragment[1] if fragment else ""
    state = read_ask_state("count where " + written[: len(written) - len(typed)], after)
    offers = _suggest(state, source, Catalogue(client)) if state is not None else []
    ends = {"order", "limit", "by", "from"}  # words of a question that no selection has
    return typed, [offer for offer in offers if offer.text not in ends]
