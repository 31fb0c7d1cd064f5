"""TypeScript, the standalone verifier and the JSON Schema have the shapes that `service_nb/schema` declares."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from service_nb_kernels.contract import UNDEFINED

from service_nb.evidence import standalone
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.schema.json_schema import describe_shapes
from typescript import shapes

ROOT = Path(__file__).parents[2]
OUTPUTS = dict(shapes.write_outputs())


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.name)
def test_what_is_written_of_the_shapes_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == OUTPUTS[path], "run `make schema`"


def test_the_schema_is_one_and_holds_each_reference() -> None:
    schema = describe_shapes()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not (set(shapes.READ) - schema["$defs"].keys())


def test_the_schema_takes_a_card_and_refuses_one_key_more() -> None:
    digests = dict.fromkeys(("error_hash", "view_hash"), "0" * 64)
    card = {
        "kind": "error",
        "version": 1,
        "canonical": {"error": "{}"},
        "digests": digests,
        "receipt": None,
        "view": {"status": "error", "code": "x", "message": "y", "hint": None},
    }
    validator = jsonschema.Draft202012Validator(describe_shapes())
    assert validator.is_valid(card)
    assert not validator.is_valid(card | {"more": 1})
    assert not validator.is_valid(card | {"canonical": {"plan": "{}"}})
    assert not validator.is_valid(card | {"digests": digests | {"plan_hash": "0" * 64}})
    assert not validator.is_valid(card | {"view": {"status": "ok"}})


def test_each_capability_has_the_form_that_a_card_may_hold() -> None:
    capabilities = json.loads(map_packaged_contract()[:])["capabilities"]
    entries = [{key: each[key] for key in each.keys() - UNDEFINED} for each in capabilities.values()]
    assert [each["id"] for each in entries if not standalone._fits(each, "CapabilityEntry")] == []
