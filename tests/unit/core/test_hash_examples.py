"""The worked examples of hashes, which any other client can run too: ours gives the same."""

from __future__ import annotations

import ast
import json
import re
import struct
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
PAGE = Path(__file__).parents[3] / "docs" / "handbook" / "hashes.md"
NUMBERS = make_hashes.FOLDER.parent / "canonical" / "numbers.json"
HASHES = {"schema_revision", "plan_hash", "result_hash", "refusal_hash", "input_hash", "computation_hash"}


def cases(name: str) -> Any:
    stored = json.loads((make_hashes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return pytest.mark.parametrize("case", stored, ids=[case["name"] for case in stored])


@pytest.mark.parametrize("name", make_hashes.MAKERS)
def test_the_stored_examples_are_those_that_are_made(name: str) -> None:
    stored = json.loads((make_hashes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    assert stored == json.loads(json.dumps(make_hashes.MAKERS[name]()))


@cases("schemas")
def test_a_schema(case: Json) -> None:
    fields = [Field(name=each["name"], type=each["type"], physical="string") for each in case["fields"]]
    assert hash_schema(fields) == case["schema_revision"]


@cases("columns")
def test_a_column(case: Json) -> None:
    blocks = list(iter_value_blocks(case["values"]))
    assert b"".join(blocks).decode() == case["text"]
    assert compute_blocks_sha256(blocks) == case["input_hash"]


def ask(case: Json, place: Path) -> Any:
    source = case["source"]
    path = place / f"{source['name']}.csv"
    path.write_text(source["csv"], encoding="utf-8")
    with service_nb.create_service(ledger="off", project=place) as service:
        connected = service.connect(path, name=source["name"])
        assert [[each["name"], each["type"]] for each in connected["typed_fields"]] == source["fields"]
        return service.ask(case["spec"])


@cases("questions")
def test_a_question(case: Json, tmp_path: Path) -> None:
    outcome = ask(case, tmp_path)
    assert outcome["data"]["schema_revision"] == case["schema_revision"]
    texts, digests = outcome.card["canonical"], outcome.card["digests"]
    assert [texts["plan"], texts["result"]] == [case["plan_text"], case["result_text"]]
    assert [digests["plan_hash"], digests["result_hash"]] == [case["plan_hash"], case["result_hash"]]


@cases("refusals")
def test_a_refusal(case: Json, tmp_path: Path) -> None:
    outcome = ask(case, tmp_path)
    assert outcome.card["canonical"]["spec"] == case["spec_text"]
    codes = {key: value for key, value in outcome["resolution"].items() if key != "reason"}
    assert write_canonical_text(codes) == case["codes_text"]
    assert outcome["refusal_hash"] == case["refusal_hash"]


def test_the_page_computes_what_it_shows() -> None:
    """Each piece of Python on the page shows what stands below it; none of it imports service_nb."""
    blocks = re.findall(
        r"^```python\n(.*?)^```\n```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) >= 7
    names: Json = {}
    for code, shown in blocks:
        assert "service_nb" not in code
        *statements, last = ast.parse(code).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(statements, []), str(PAGE), "exec"), names)
        value = eval(compile(ast.Expression(last.value), str(PAGE), "eval"), names)
        assert (value if isinstance(value, str) else repr(value)) == shown.rstrip("\n")
    for each in json.loads(NUMBERS.read_text(encoding="utf-8"))["cases"]:
        assert names["number"](struct.unpack(">d", bytes.fromhex(each["ieee"]))[0]) == each["text"]


@pytest.mark.parametrize("name", ["questions", "refusals", "calls"])
def test_the_page_has_the_hashes_of_the_examples(name: str) -> None:
    """The hashes that the page shows are of worked examples, which every client runs."""
    stored = json.loads((make_hashes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    page = PAGE.read_text(encoding="utf-8")
    assert any(value in page for case in stored for key, value in case.items() if key in HASHES)


@cases("calls")
def test_a_call(case: Json) -> None:
    """That calls of a service have such identities is tested where they are made."""
    identity, arguments, value = (json.loads(case[f"{name}_text"]) for name in ("identity", "arguments", "value"))
    assert write_canonical_text(identity) == case["identity_text"]
    assert hash_invocation([case["identity_text"].encode()]) == case["invocation_hash"]
    assert compute_blocks_sha256(iter_arguments_blocks(arguments)) == case["input_hash"]
    assert hash_computation(case["invocation_hash"], iter_value_blocks(value)) == case["computation_hash"]
