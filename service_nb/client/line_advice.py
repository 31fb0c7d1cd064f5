"""Suggest the line to type in place of one that was not understood.

Suggestions come from the client's capabilities and columns; what a policy hides is not offered. A line is offered and
never run in place of the one that was typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from service_nb.client.call_advice import repair_computations
from service_nb.client.line_trial import can_compute, list_runnable_questions
from service_nb.client.question_advice import find_mentions, guess_look, guess_questions, use_known_values
from service_nb.compute.syntax import CAPABILITY, NAME, parse_compute
from service_nb.core.words import find_nearest, write_name
from service_nb.errors import (
    DuplicateArgumentBindingError,
    InvalidIntentError,
    LimitExceededError,
    SeedRequiredError,
    ServiceError,
    UnsupportedOperationError,
)
from service_nb.query.ask_line import format_ask, parse_ask
from service_nb.query.ask_sugar import is_aggregation
from service_nb.query.resolve import fold_name
from service_nb.schema.query import AGGREGATIONS

if TYPE_CHECKING:
    from service_nb.client.service import Service

_MOST_CHARS = 1_000  # of a line that is looked at
_MOST_COLUMNS = 20  # of one line that are completed
_MOST_NAMES = 3  # that are offered
_MOST_WORDS, _LETTERS = 8, re.compile(r"[A-Za-z]{2,}")  # of a line in other words
_WRITE = "Write: "
_REPLACED = {False: ("Write", "Did you mean"), True: (_WRITE,)}  # hints that say less than a line that runs
_COUNTED = "count "  # what stands before the `where` of a question without a metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The notation of questions and computations in the interface where the line was typed."""

    ask: Callable[[str], str]
    compute: Callable[[str, str | None], str]  # the line, and the column of `over`
    look: Callable[[str, str], str]  # `preview` or `profile`, and the source


def _write_python_call(line: str, over: str | None) -> str:
    return f"service.compute({line!r}" + (f", over={over!r})" if over is not None else ")")


PYTHON = Face(
    ask=lambda line: f"service.ask({line!r})",
    compute=_write_python_call,
    look=lambda kind, name: f"service.{kind}({name!r})",
)


# The errors of a line that says something else than was meant.
ADVISED = (InvalidIntentError, UnsupportedOperationError, DuplicateArgumentBindingError, SeedRequiredError)


@contextmanager
def advising(
    text: object,
    client: Service,
    face: Face,
    *,
    computes: bool = False,
    variables: Mapping[str, object] = MappingProxyType({}),
) -> Iterator[None]:
    """Add suggested lines to an error that ends the block; see `add_advice`."""
    try:
        yield
    except ADVISED as error:
        add_advice(error, text, client, face, computes=computes, variables=variables)
        raise


def add_advice(
    error: ServiceError,
    text: object,
    client: Service,
    face: Face = PYTHON,
    *,
    computes: bool = False,
    variables: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Add to the error of a question or a computation the lines that were likely meant, each of which runs.

    The error's hint tells the rules; its `lines` are tried: a question that can be answered, a computation that passes
    every check.

    Parameters
    ----------
    text : object
        The line; for a spec that is no text there is no advice.
    client : Service
        Whose capabilities and columns may be offered.
    face : Face
        How a line of the other kind is typed.
    computes : bool
        The line is that of a computation.
    variables : mapping
        What `$name` stands for.
    """
    if not isinstance(text, str) or len(text) > _MOST_CHARS or (error.lines and face is PYTHON):
        return
    is_known = "write" in error.details and "capability" not in error.details  # the grammar had a line to offer
    if isinstance(error, InvalidIntentError) and not is_known and (error.card is None or face is not PYTHON):
        advise = _advise_computation if computes else _advise_question
        advise(error, text, client, face)
    tried = _list_tried_computations if computes else _list_tried_questions
    found = list(tried(error, text, client, face, variables))
    error.lines = [typed for _, typed in found]
    told = error.hint is not None and not error.hint.startswith(_REPLACED[computes])
    named = error.details.get("did_you_mean") if computes else None
    if found and named and found[0][0].split(" ")[0] not in named:  # what was only spelt like the word
        error.details.pop("did_you_mean")
        told = False
    if found and error.card is None and not told:
        error.hint = f"{_WRITE}{found[0][0]}"
        error.details["write"] = found[0][0]


def _list_tried_questions(
    error: ServiceError, text: str, client: Service, face: Face, variables: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Yield the lines that a question may have meant, alone and as they are typed.

    They are what the grammar offers, or else what the words of the line suggest.
    """
    written = error.details.get("write")
    if "capability" in error.details:
        if written is not None and can_compute(str(written), client, variables):
            yield str(written), _get_typed(error) or face.compute(str(written), None)
        return
    look = guess_look(text, client)
    if look is not None and (written is None or not list_runnable_questions(str(written), client, variables)):
        yield face.look(*look), face.look(*look)
    is_column = bool(_find_holding_sources(_read_first_word(text), client))  # and no misspelt aggregation
    questions = (
        list_runnable_questions(str(written), client, variables) if written is not None and not is_column else []
    )
    known = [use_known_values(line, text, client) for line in questions]
    statistic = None if known else _guess_computation(text, client)
    if statistic is not None and can_compute(statistic, client, variables):
        yield statistic, face.compute(statistic, None)
        return
    yield from ((line, face.ask(line)) for line in known or guess_questions(text, client))


def _guess_computation(text: str, client: Service) -> str | None:
    """Guess the computation of a line that begins with a statistic of as many columns as it mentions."""
    word = _read_first_word(text)
    if not word or is_aggregation(word):
        return None
    for source in client.sources():
        name = str(source["name"])
        columns = [each.column for each in find_mentions(text, source["typed_fields"], [name]) if each.type == "number"]
        for entry in _find_capabilities(word, client):
            parts = entry["params"]
            if len(columns) > 1 and [each["type"] for each in parts] == ["float64[]"] * len(columns):
                pairs = zip(parts, columns, strict=True)
                written = (f"{part['name']}={write_name(name)}.{write_name(column)}" for part, column in pairs)
                return f"{entry['id']} {' '.join(written)}"
    return None


def _list_tried_computations(
    error: ServiceError, text: str, client: Service, face: Face, variables: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Yield the lines that a computation may have meant, alone and as they are typed; or the question."""
    written = error.details.get("write")
    if written is not None and can_compute(str(written), client, variables):
        yield str(written), _get_typed(error) or face.compute(str(written), None)
    elif written is not None and _read_first_word(str(written)).lower() in AGGREGATIONS:
        yield from ((line, face.ask(line)) for line in list_runnable_questions(str(written), client, variables))
    else:
        yield from ((line, face.compute(line, None)) for line in repair_computations(text, client, variables))


def _get_typed(error: ServiceError) -> str | None:
    """Get the line that a hint offers, as it is typed here."""
    said = (error.hint or "").rpartition(_WRITE)
    return said[2] if said[1] and said[2] != error.details.get("write") else None


def _offer(error: InvalidIntentError, line: str, *, face: str | None = None, says: str = "Write") -> None:
    error.hint = f"{says}: {face or line}"
    error.details["write"] = line
    error.details.pop("did_you_mean", None)


# --- questions --------------------------------------------------------------------------------------------------------


def _advise_question(error: InvalidIntentError, text: str, client: Service, face: Face) -> None:
    word = _read_first_word(text)
    if not word or is_aggregation(word):
        return
    if CAPABILITY.match(text.lstrip()) and _can_parse(text):
        line = text.strip()
        _offer(error, line, face=face.compute(line, None), says="This is a computation. Write")
        error.details["capability"] = word
        return
    functions = {name.partition(".")[2] for name in client.capabilities()}
    for meant in (word, *find_nearest(word, functions, 1)):
        if _offer_statistic(error, meant + text.lstrip()[len(word) :], meant, client, face):
            return


def _offer_statistic(error: InvalidIntentError, text: str, word: str, client: Service, face: Face) -> bool:
    """Suggest the capability that the first word of a question names, with its column and filter."""
    entry = next((found for found in _find_capabilities(word, client) if _has_one_column(found)), None)
    if entry is None:
        return False
    try:
        spec = parse_ask("sum" + text.lstrip()[len(word) :])
    except (InvalidIntentError, LimitExceededError) as other:
        return other.details.get("write") is not None and _offer_statistic(
            error, word + str(other.details["write"]).removeprefix("sum"), word, client, face
        )
    metric, groups = spec.get("metric"), spec.get("group_by", [])
    if metric is None or len(groups) > 1:
        return False
    source = spec.get("source_name") or next(iter(_find_holding_sources(metric, client)), None)
    column = f"{write_name(source) if source is not None else 'SOURCE'}.{write_name(metric)}"
    line = f"{entry['id']} {entry['params'][0]['name']}={column}"
    if "filter" in spec:
        line += " " + format_ask({"aggregation": "count", "filter": spec["filter"]}).removeprefix(_COUNTED)
    typed = face.compute(line, groups[0] if groups and isinstance(groups[0], str) else None)
    _offer(error, line, face=typed, says=f"{word} is the capability {entry['id']}. Write")
    error.details["capability"] = entry["id"]
    return True


def _has_one_column(entry: Mapping[str, Any]) -> bool:
    return [parameter["type"] for parameter in entry["params"]] == ["float64[]"]


# --- computations -----------------------------------------------------------------------------------------------------


def _advise_computation(error: InvalidIntentError, text: str, client: Service, face: Face) -> None:
    if error.details.get("name") is not None:
        _offer_columns(error, text, client)
        return
    if CAPABILITY.match(text.lstrip()):
        _add_signature(error, text, client)
        return
    word = _read_first_word(text)
    if word.lower() in AGGREGATIONS and (question := _format_question(text)) is not None:
        _offer(error, question, face=face.ask(question), says="This is a question. Write")
        return
    names = [entry["id"] for entry in _find_capabilities(word, client)]
    whole = [name + text.lstrip()[len(word) :] for name in names]
    if len(names) == 1 and _can_parse(whole[0]) and whole[0] != names[0]:
        _offer(error, whole[0])
    elif not _offer_statistic(error, text, word, client, face):
        _offer_names(error, text, names, client)


def _offer_columns(error: InvalidIntentError, text: str, client: Service) -> None:
    """Suggest the line with each bare word replaced by `source.column`, where exactly one source has that column."""
    line, met = text, error
    for _ in range(_MOST_COLUMNS):
        name, at = str(met.details["name"]), int(met.details["column"]) - 1
        holding = _find_holding_sources(name, client)
        word = NAME.match(line, at)
        if len(holding) != 1 or word is None:
            _offer_choice(error, str(error.details["name"]), client)
            return
        column = _find_column(name, holding[0], client)
        line = f"{line[:at]}{write_name(holding[0])}.{write_name(column)}{line[word.end() :]}"
        try:
            parse_compute(line)
        except InvalidIntentError as other:
            if other.details.get("name") is None:
                return
            met = other
        else:
            _offer(error, line)
            return


def _offer_choice(error: InvalidIntentError, name: str, client: Service) -> None:
    columns = {str(source["name"]): _list_columns(source) for source in client.sources()}
    if name in columns:
        near = [f"{write_name(name)}.{write_name(column)}" for column in columns[name]]
    else:
        known = {column for found in columns.values() for column in found}
        wanted = {name, *find_nearest(name, known, 1)} if not _find_holding_sources(name, client) else {name}
        near = [
            f"{write_name(source)}.{write_name(column)}"
            for source, found in columns.items()
            for column in found
            if fold_name(column) in set(map(fold_name, wanted))
        ]
    if near:
        error.hint = f"Did you mean {_join_choices(near[:_MOST_NAMES])}?"
        error.details["did_you_mean"] = near[:_MOST_NAMES]
    else:
        error.hint = f"No connected source has a column {name!r}. Expected {error.details['expected']}."


def _add_signature(error: InvalidIntentError, text: str, client: Service) -> None:
    found = CAPABILITY.match(text.lstrip())
    try:
        hit = client.capability(found.group()) if found else None
    except ServiceError:  # there is none, or it is denied: that is told when the line is read
        return
    if hit is not None:
        error.hint = f"{error.hint or ''} It is called as {_format_call(hit)}.".lstrip()


def _offer_names(error: InvalidIntentError, text: str, names: Sequence[str], client: Service) -> None:
    if not names:
        words = " ".join(_LETTERS.findall(text)[:_MOST_WORDS])
        names = [hit["name"] for hit in client.search_capabilities(words, _MOST_NAMES)] if words else []
    near = list(names)[:_MOST_NAMES]
    if near:
        error.hint = f"Did you mean {_join_choices([_format_call(client.capability(name)) for name in near])}?"
        error.details["did_you_mean"] = near


# --- what is known ----------------------------------------------------------------------------------------------------


def _find_capabilities(word: str, client: Service) -> list[dict[str, Any]]:
    """List the entries of the capabilities whose function a word names, ignoring spelling, or by a synonym."""
    from service_nb.compute.capability_index import SYNONYMS  # noqa: PLC0415  # lazy: NumPy loads with it

    wanted = {fold_name(word), fold_name("_".join(SYNONYMS.get(word.lower(), ())))} - {""}
    names = [name for name in client.capabilities() if fold_name(name.partition(".")[2]) in wanted]
    return [client.capability(name) for name in names]


def _find_holding_sources(column: str, client: Service) -> list[str]:
    """List the connected sources that have a column of that name, ignoring spelling."""
    return [
        str(source["name"]) for source in client.sources() if fold_name(column) in map(fold_name, _list_columns(source))
    ]


def _find_column(name: str, source: str, client: Service) -> str:
    found = (each for each in client.sources() if each["name"] == source)
    return next(column for each in found for column in _list_columns(each) if fold_name(column) == fold_name(name))


def _list_columns(source: Mapping[str, Any]) -> list[str]:
    return [str(field["name"]) for field in source["typed_fields"]]


def _format_call(entry: Mapping[str, Any]) -> str:
    return f"{entry['id']}({', '.join(parameter['name'] + '=…' for parameter in entry['params'])})"


def _format_question(text: str) -> str | None:
    try:
        spec = parse_ask(text)
        return format_ask(spec) if "metric" in spec or spec.get("aggregation", "count") == "count" else None
    except InvalidIntentError as error:
        write = error.details.get("write")
        return None if write is None else str(write)
    except LimitExceededError:
        return None


def _can_parse(text: str) -> bool:
    try:
        parse_compute(text)
    except (InvalidIntentError, LimitExceededError):
        return False
    return True


def _read_first_word(text: str) -> str:
    found = NAME.match(text.lstrip())
    return found.group().strip("`") if found else ""


def _join_choices(words: Iterable[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last
