"""Cards whose view or statement holds anything at all, through every export: a file or a typed error, never a crash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import service_nb
from service_nb.cards.faces import to_bundle
from service_nb.errors import ServiceError
from service_nb.evidence.stripping import strip_notebook
from service_nb.ledger.exports.formats import ExportMaterial, find_formats
from service_nb.schema.card import CARD_MIME
from tests.simulators.compute import simulated
from tests.simulators.signing import signed_card

ODD: tuple[Any, ...] = (None, True, -1, 1e308, "", "../../x\0\n", [], [[]], {}, {"": None}, ["a", 3])
TIME = "2026-11-21T15:00:00Z"


@pytest.fixture
def cards(tmp_path: Path) -> list[Any]:
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,10.5\nSouth,-3.25\n")
    service = service_nb.create_service()
    service.connect(tmp_path / "sales.csv")
    asked = [service.ask(line).card for line in ("sum revenue by region", "sum revenu by region")]
    called = [simulated(tmp_path).compute(f"stats.extent {values}").card for values in ("values=[3, -1.5, 2]",)]
    return [*asked, *called]


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(item, (*at, key))


def replaced(card: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = json.loads(json.dumps(card))
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


def mutants(card: Any) -> Iterator[Any]:
    for path in paths(card["view"], ("view",)):
        if path[1:2] != ("determinism",):
            yield from (replaced(card, path, value) for value in ODD)
    for name in card["canonical"]:
        yield from (replaced(card, ("canonical", name), text) for text in ("", "null", "[[1]]", '{"a":', "[{}]", "NaN"))


CODES = ("evidence_invalid", "invalid_intent", "limit_exceeded")


def code_of(run: Callable[[], Any]) -> Any:
    """The code of the error that refused it, or what it made."""
    try:
        return run()
    except ServiceError as error:
        return error.code


def test_every_mutant_of_a_view_is_exported_or_refused_by_a_typed_error(
    cards: list[Any], record_property: Callable[[str, object], None]
) -> None:
    tried = refused = 0
    for number, mutant in enumerate(mutant for card in cards for mutant in mutants(card)):
        for name in ("ro-crate", "prov-json", "openlineage", "csv", "card", *(["xlsx"] if number % 20 == 0 else [])):
            tried += 1
            made = code_of(partial(find_formats()[name].write, ExportMaterial(cards=[mutant], time=TIME)))
            assert isinstance(made, bytes | dict) or made in CODES
            refused += made in CODES
            for path in made if isinstance(made, dict) else ():
                assert ".." not in Path(path).parts
                assert not Path(path).is_absolute()
    assert tried > 5_000
    assert refused > 500
    record_property("bad_inputs", refused)  # the others have become files, in which odd texts are texts


@pytest.mark.parametrize("field", ["id", "time", "inputs", "made_by", "bindings", "determinism"])
def test_so_is_every_odd_statement_that_somebody_signed(
    field: str, cards: list[Any], record_property: Callable[[str, object], None]
) -> None:
    deeper = (
        [None],
        [{}],
        [{"name": 3}],
        [{"source_id": [], "name": {}, "content": 3}],
        [{"name": "a", "content": []}],
    )
    odd = (*ODD, *deeper, "2026-11-21", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z")
    refused = 0
    for value in odd:
        mutant = signed_card(cards[0], **{field: value})
        for form in find_formats().values():
            made = code_of(partial(form.write, ExportMaterial(cards=[mutant], time=TIME)))
            assert isinstance(made, bytes | dict) or made in CODES
            refused += made in CODES
    assert refused
    record_property("bad_inputs", refused)


def test_a_notebook_with_such_cards_is_stripped_or_refused(
    cards: list[Any], record_property: Callable[[str, object], None]
) -> None:
    refused = 0
    for card in cards:
        output = new_output("display_data", data=to_bundle(card)[0])
        made = new_notebook(cells=[new_code_cell("x", outputs=[output])])
        for mutant in list(mutants(card))[::5]:
            made.cells[0].outputs[0].data[CARD_MIME] = mutant
            stripped = code_of(partial(strip_notebook, nbformat.writes(made).encode(), lambda each: to_bundle(each)[0]))
            refused += stripped == "evidence_invalid"
            if stripped != "evidence_invalid":
                nbformat.validate(nbformat.reads(stripped.text, 4))
    assert refused
    record_property("bad_inputs", refused)
