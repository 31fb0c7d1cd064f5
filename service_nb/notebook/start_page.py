"""The start page, which `%service_help` alone shows: what is connected, and lines to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Command
from service_nb.cards.faces import Bundle
from service_nb.client.advice.starters import list_first_lines
from service_nb.core.words import write_name
from service_nb.notebook.connect_lines import list_connect_lines
from service_nb.notebook.displays import ShownDict
from service_nb.notebook.greeting import READING
from service_nb.notebook.run_lines import build_lines_bundle

if TYPE_CHECKING:
    from service_nb.notebook.session import ServiceMagics

_SHOWN = 5  # sources that are told


class StartPage(ShownDict):
    """The start page: names of connected sources, and lines to begin with."""

    def __init__(self, sources: Sequence[str], lines: Sequence[Command]) -> None:
        super().__init__({"sources": list(sources), "lines": [each.line for each in lines]}, lambda _: ())
        self._commands = lines

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        named = self["sources"]
        says = f"Connected: {'; '.join(named)}." if named else "Nothing is connected yet."
        return build_lines_bundle(self._commands, says=says, title="Begin with", more=READING)


def build_start_page(session: ServiceMagics) -> StartPage:
    """Build the page of `%service_help` alone."""
    client = session.service
    sources = client.sources()
    told = [_describe_source(each) for each in sources[-_SHOWN:]]
    told += [f"{len(sources) - _SHOWN:,} more"] if len(sources) > _SHOWN else []
    return StartPage(told, list(_list_commands(session)))


def _list_commands(session: ServiceMagics) -> Iterator[Command]:
    client = session.service
    sources = client.sources()
    if not sources:
        yield from (
            Command(line, "Connect") for line in [*list_connect_lines(session)][:3] or ["%service_connect --help"]
        )
    yield from (Command(f"%service_ask {line}", "Ask") for line in list_first_lines(client))
    yield Command("%service_compute stats.median values=[1, 2, 4]", "Compute")
    if sources:
        yield Command(f"%service_sources {write_name(str(sources[-1]['name']))}", "Look")
    yield Command("%service_search net present value", "Find")


def _describe_source(source: Any) -> str:
    return f"{fmt.write_word(source['name'])} ({fmt.write_count(source['row_count'], 'row')})"
