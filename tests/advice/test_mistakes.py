"""Wrong lines made from right ones: a correction means what was typed, a candidate differs in its slot alone.

Two judges decide: an independent reader of both lines, and the right line that the wrong one was made from.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.advice.offers import MEANT, Face, find_offer
from service_nb.client.advice.trial import can_compute
from service_nb.compute.syntax import parse_compute
from service_nb.errors import ServiceError
from service_nb.query.ask_line import parse_ask
from tests.advice import fixtures
from tests.advice.mistakes import Mistake, generate
from tests.advice.reading import compare, judge
from tests.advice.typing_session import list_fields

EVERY = 20  # of the wrong lines is tried in the ordinary tier


def _write_call(line: str, over: str | None) -> str:
    return f"%service_compute {line}" + (f" --over {over}" if over else "")


FACE = Face(ask="%service_ask {}".format, compute=_write_call)


class Clients:
    """Clients with the fixtures connected, made once for each choice of sources."""

    def __init__(self, folder: Path) -> None:
        fixtures.write_all(folder)
        self.folder = folder
        self._made: dict[tuple[str, ...], service_nb.Service] = {}

    def get(self, names: tuple[str, ...]) -> service_nb.Service:
        if names not in self._made:
            self._made[names] = client = service_nb.create_service(runtime="in_process")
            for each in names:
                source = fixtures.SOURCES[each]
                options: dict[str, Any] = dict(source.options)
                if "types" in options:
                    options["types"] = dict([options["types"].split("=")])
                client.connect(str(self.folder / source.file), name=source.name, **options)
        return self._made[names]


def find_lines(mistake: Mistake, client: service_nb.Service) -> tuple[str, list[str]] | None:
    """Find what is offered for a wrong line; None where it runs as it was typed."""
    if mistake.magic == "compute":
        if can_compute(mistake.typed, client, {}):
            return None
        offer = find_offer(mistake.typed, client, FACE, computes=True)
        return offer.heading, list(offer.lines)
    try:
        found = client.resolve(mistake.typed)
    except ServiceError:
        found = None
    if found is not None and found["status"] == "ok":
        return None
    if found is not None and found["candidates"]:
        return "Which?", [f"%service_ask {each['ask']}" for each in found["candidates"]]
    offer = find_offer(mistake.typed, client, FACE, computes=False)
    return offer.heading, list(offer.lines)


def count_slots(right: str, offered: str) -> int:
    """Count the places in which the parts of two lines differ."""
    bare = offered.split(" ", 1)[1]
    try:
        one, other = (dict(parse_ask(each)) for each in (right, bare))
        one.pop("source_name", None), other.pop("source_name", None)
    except ServiceError:
        try:
            one, other = ({**read.arguments, "": read.function} for read in map(parse_compute, (right, bare)))
        except ServiceError:
            return 9
    return sum(one.get(key) != other.get(key) for key in {*one, *other})


def find_fault(mistake: Mistake, clients: Clients) -> tuple[str, str]:
    """Say how a wrong line ended, and what is wrong with what was offered."""
    found = find_lines(mistake, clients.get(mistake.sources))
    if found is None:
        return "runs as typed", ""
    heading, lines = found
    if not lines:
        return "honest", ""
    fields = list_fields(mistake.sources, clients.folder)
    for line in lines:
        allowed = ("same", "page") if heading == MEANT else ("same", "page", "one slot differs")
        verdict = judge(mistake.typed, line, fields)
        fits = verdict.verdict in allowed
        if not fits and not mistake.ambiguous:
            fits = compare(mistake.meaning, line, fields).verdict in allowed
        if not fits and heading != MEANT:
            fits = count_slots(mistake.right, line) <= 1
        if not fits:
            told = "; ".join(verdict.reasons[:3])
            return "misleading", f"{mistake.kind}: {mistake.typed} -> {heading} {line} ({told})"
    return ("correction" if heading == MEANT else "candidate"), ""


@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_no_wrong_line_is_misled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    monkeypatch.chdir(tmp_path)
    clients = Clients(tmp_path)
    ended = [find_fault(each, clients) for each in list(generate(1))[::every]]
    print(len(ended), dict(Counter(how for how, _ in ended)))
    assert [fault for _, fault in ended if fault] == []
