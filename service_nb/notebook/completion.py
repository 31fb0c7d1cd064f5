"""Completion inside our magics, in lines, cells and assignments.

Built on IPython's matchers (API version 2), hence alike in consoles, JupyterLab and every other front end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, completion_matcher

from service_nb.errors import ServiceError
from service_nb.notebook.arguments import Flag, Usage, split_words
from service_nb.notebook.compute_completion import complete_computation
from service_nb.notebook.suggestions import Catalogue, Offer, starting, suggest
from service_nb.notebook.usages import (
    ASK,
    COMPUTE,
    CONNECT,
    DISCONNECT,
    EXPLAIN,
    FORGET,
    HELP_PAGE,
    REFRESH,
    SOURCES,
    USAGES,
)

MOST = 500  # offered at once; more helps nobody
_BY_NAME = {usage.magic.lstrip("%"): usage for usage in USAGES}
_LINE = re.compile(r"^\s*(?:[^=%'\"]+=\s*)?%(service_\w+)(?:\s(.*))?$", re.DOTALL)
_CELL = re.compile(r"^\s*%%(service_\w+)(?:[ \t]([^\n]*))?(?:\n(.*))?$", re.DOTALL)
_TEXTS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|([`'"])""")
_TYPED = re.compile(r"(?:(?<!\S)--[\w-]*|\$?\w*)$")

Matcher = Callable[[CompletionContext], SimpleMatcherResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the cursor stands: in which magic, on its first line (with what) or in its cell, behind and before what."""

    usage: Usage
    options: str  # the first line of a cell magic, when the cursor is below it
    before: str
    after: str
    in_cell: bool


def make_matcher(magics: Any) -> Matcher:
    """Return the matcher for IPython's completer, bound to the magics of one session."""

    @completion_matcher(identifier="service_nb", api_version=2)  # type: ignore[untyped-decorator]
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")
        line = lines[context.cursor_line]
        before = "\n".join([*lines[: context.cursor_line], line[: context.cursor_position]])
        after = "\n".join([line[context.cursor_position :], *lines[context.cursor_line + 1 :]])
        fragment, offers = complete(before, after, magics)
        return {
            "completions": [SimpleCompletion(offer.text, type=offer.kind) for offer in offers[:MOST]],
            "matched_fragment": fragment,
            "suppress": bool(offers),
            "ordered": True,
        }

    matcher.magics = magics  # by which unloading finds it
    return cast("Matcher", matcher)


def complete(before: str, after: str, magics: Any) -> tuple[str, list[Offer]]:
    """Return the fragment before the cursor that an offer replaces, and the offers."""
    place = locate(before, after)
    if place is None:
        return "", []
    if place.usage in (COMPUTE, HELP_PAGE):
        return _computation(place, magics)
    fragment = _fragment(place.before)
    finished = place.before[: len(place.before) - len(fragment)]
    client = Catalogue(_client(magics))
    if not place.in_cell and (offers := _options(place.usage, finished, fragment, client)) is not None:
        return fragment, offers
    return fragment, starting(_offers(place, finished, client, magics.shell.user_ns), fragment)


def _client(magics: Any) -> Any:
    """Return the client; where a deployment may have what is to be named, one is made for it."""
    if magics.connected is None and os.environ.get("SERVICE_DEPLOYMENT_URL"):
        with suppress(ServiceError):  # what is wrong with the configuration is told to who runs a cell
            return magics.service
    return magics.connected


def _computation(place: Place, magics: Any) -> tuple[str, list[Offer]]:
    """Complete options first, then the computation that is left when they are taken out."""
    fragment = _fragment(place.before)
    finished = place.before[: len(place.before) - len(fragment)]
    if not place.in_cell:
        offers = _options(place.usage, finished, fragment, Catalogue(_client(magics)))
        if offers is not None:
            return fragment, offers
    on_line = None if place.in_cell else place.usage.attempt(place.before)
    text = place.before if on_line is None else on_line.question
    if place.usage is HELP_PAGE and " " in text.strip():
        return "", []
    return complete_computation(text, place.after, magics.service, magics.shell.user_ns)


def _offers(place: Place, finished: str, client: Catalogue, variables: Mapping[str, Any]) -> list[Offer]:
    if place.usage in (ASK, EXPLAIN):
        return _question(place, finished, client)
    position = sum(not word.raw.startswith("--") for word in split_words(finished))
    if place.usage in (SOURCES, DISCONNECT) and position == 0:
        return client.connected()
    if place.usage in (REFRESH, FORGET) and position == 0:
        return client.every()
    if place.usage is CONNECT and position == 0:
        return client.stored()
    if place.usage is CONNECT and position == 1:
        return _frames(variables)
    return []


def locate(before: str, after: str) -> Place | None:
    """Find the magic that the cursor stands in."""
    cell = _CELL.match(before)
    if cell is not None:
        name, line, body = cell.groups()
        if name not in _BY_NAME or (line is None and body is None):
            return None
        if body is None:
            return Place(usage=_BY_NAME[name], options="", before=line, after=after.partition("\n")[0], in_cell=False)
        return Place(usage=_BY_NAME[name], options=line or "", before=body, after=after, in_cell=True)
    found = _LINE.match(before.rpartition("\n")[2])
    if found is None or found[1] not in _BY_NAME or found[2] is None:
        return None
    usage, rest = _BY_NAME[found[1]], after.partition("\n")[0]
    return Place(usage=usage, options="", before=found[2], after=rest, in_cell=False)


def _fragment(text: str) -> str:
    """The text under the cursor: from a quote that is still open, or the word that is being typed."""
    opened = next((found for found in _TEXTS.finditer(text) if found[1]), None)
    if opened is not None:
        return text[opened.start() :]
    typed = _TYPED.search(text)
    return typed.group() if typed else ""


def _options(usage: Usage, finished: str, fragment: str, client: Catalogue) -> list[Offer] | None:
    """Offer options, or the values of one; None where the cursor is at neither."""
    words = [word.raw for word in split_words(finished)]
    if fragment.startswith("--"):
        given = {word.partition("=")[0] for word in words}
        flags = [flag for flag in usage.all_flags if flag.name not in given]
        return starting([Offer(text=flag.name, kind="option") for flag in flags], fragment)
    waiting = next((flag for flag in usage.flags if flag.value and words and words[-1] == flag.name), None)
    return None if waiting is None else starting(_values_of(waiting, client), fragment)


def _values_of(flag: Flag, client: Catalogue) -> list[Offer]:
    if flag.name == "--from":
        return client.sources()
    return [Offer(text=choice, kind="value") for choice in flag.choices]


def _question(place: Place, finished: str, client: Catalogue) -> list[Offer]:
    # The grammar's tables take a moment to build; a session that completes no question does not pay for them.
    from service_nb.query.ask_state import state_after  # noqa: PLC0415

    on_line = place.usage.attempt(place.options if place.in_cell else finished)
    if on_line is None:
        return []
    state = state_after(finished if place.in_cell else on_line.question, place.after)
    return suggest(state, state.source or on_line.text("--from"), client) if state is not None else []


def _frames(variables: Mapping[str, Any]) -> list[Offer]:
    """Variables that hold a table, written so that they are taken for nothing else."""
    found = (name for name, value in variables.items() if not name.startswith("_") and _is_table(value))
    return [Offer(text=f"${name}", kind="variable") for name in sorted(found)]


def _is_table(value: Any) -> bool:
    # Asked of the class: an instance may answer anything, or do something, when it is asked for an attribute.
    return hasattr(type(value), "__arrow_c_stream__") or type(value).__name__ == "DataFrame"
