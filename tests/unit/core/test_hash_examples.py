"""The worked examples of hashes, which any other client can run too: ours gives the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.compute.call_arguments import (
    hash_computation,
    hash_invocation,
    iter_arguments_blocks,
    iter_value_blocks,
)
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import compute_blocks_sha256, hash_schema
from service_nb.schema.source import Field
from tests.vectors import make_hashes

Json = dict[str, Any]
MAKERS = {
    "schemas": make_hashes.schemas,
    "columns": make_hashes.columns,
    "questions": make_hashes.questions,
    "calls": make_hashes.calls,
}


def cases(name: str) -> Any:
    stored = json.loads((make_hashes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return pytest.mark.parametrize("case", stored, ids=[case["name"] for case in stored])


@pytest.mark.parametrize("name", MAKERS)
def test_the_stored_examples_are_those_that_are_made(name: str) -> None:
    stored = json.loads((make_hashes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    assert stored == json.loads(json.dumps(MAKERS[name]()))


@cases("schemas")
def test_a_schema(case: Json) -> None:
    fields = [Field(name=each["name"], type=each["type"], physical="string") for each in case["fields"]]
    assert hash_schema(fields) == case["schema_revision"]


@cases("columns")
def test_a_column(case: Json) -> None:
    blocks = list(iter_value_blocks(case["values"]))
    assert b"".join(blocks).decode() == case["text"]
    assert compute_blocks_sha256(blocks) == case["input_hash"]


@cases("questions")
def test_a_question(case: Json, tmp_path: Path) -> None:
    source = case["source"]
    path = tmp_path / f"{source['name']}.csv"
    path.write_text(source["csv"], encoding="utf-8")
    with service_nb.create_service(ledger="off", project=tmp_path) as service:
        connected = service.connect(path, name=source["name"])
        assert [[each["name"], each["type"]] for each in connected["typed_fields"]] == source["fields"]
        assert connected["schema_revision"] == case["schema_revision"]
        outcome = service.ask(case["spec"])
    texts, digests = outcome.card["canonical"], outcome.card["digests"]
    assert [texts["plan"], texts["result"]] == [case["plan_text"], case["result_text"]]
    assert [digests["plan_hash"], digests["result_hash"]] == [case["plan_hash"], case["result_hash"]]


@cases("calls")
def test_a_call(case: Json) -> None:
    """That calls of a service have such identities is tested where they are made."""
    identity, arguments, value = (json.loads(case[f"{name}_text"]) for name in ("identity", "arguments", "value"))
    assert write_canonical_text(identity) == case["identity_text"]
    assert hash_invocation([case["identity_text"].encode()]) == case["invocation_hash"]
    assert compute_blocks_sha256(iter_arguments_blocks(arguments)) == case["input_hash"]
    assert hash_computation(case["invocation_hash"], iter_value_blocks(value)) == case["computation_hash"]
