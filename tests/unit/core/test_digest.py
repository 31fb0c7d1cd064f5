from __future__ import annotations

from typing import Any

import pytest

from service_nb.core.digest import (
    ERROR_DOMAIN,
    PLAN_DOMAIN,
    REFUSAL_DOMAIN,
    RESULT_DOMAIN,
    FileDigest,
    compute_sha256_hex,
    digest,
    hash_schema,
    identify_source,
)
from service_nb.schema.source import Field
from tests.vectors.cases import document, params

HASHES = {case["name"]: case for case in document("hashes.json")["cases"]}

# FIPS 180-4, the examples of SHA-256.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("case", params("hashes.json"))
def test_digest_is_that_of_sha256sum(case: dict[str, Any]) -> None:
    assert digest(case["domain"], *case["parts"]) == case["sha256"]
    assert digest(case["domain"], *[part.encode() for part in case["parts"]]) == case["sha256"]


def test_sha256_hex_has_no_domain() -> None:
    assert compute_sha256_hex(b"abc") == ABC
    assert compute_sha256_hex(memoryview(b"")) == EMPTY


@pytest.mark.parametrize(
    ("name", "computed"),
    [
        ("plan", digest(PLAN_DOMAIN, *HASHES["plan"]["parts"])),
        ("result", digest(RESULT_DOMAIN, *HASHES["result"]["parts"])),
        ("refusal", digest(REFUSAL_DOMAIN, *HASHES["refusal"]["parts"])),
        ("error", digest(ERROR_DOMAIN, *HASHES["error"]["parts"])),
        ("schema without fields", hash_schema([])),
    ],
)
def test_hashes_of_meaning_have_their_domain(name: str, computed: str) -> None:
    assert computed == HASHES[name]["sha256"]


def test_schema_revision_covers_names_types_and_order_alone() -> None:
    carrier = Field(name="carrier", type="string", physical="string")
    delay = Field(name="arr_delay", type="number", physical="float64")
    whole = Field(name="arr_delay", type="number", physical="int64")
    assert hash_schema([carrier, delay]) == HASHES["schema"]["sha256"]
    assert hash_schema([carrier, whole]) == HASHES["schema"]["sha256"]
    assert hash_schema([delay, carrier]) != HASHES["schema"]["sha256"]


@pytest.mark.parametrize(
    ("name", "physical", "reading"),
    [
        ("source", "float64", {}),
        ("source, name beyond ASCII", "float64", {}),
        ("source, decimal", "decimal(12,3)", {"types": {"arr_delay": "decimal(12,3)"}}),
        ("source, other nulls", "float64", {"nulls": ["n/a"]}),
    ],
)
def test_source_id_is_the_head_of_its_hash(name: str, physical: str, reading: dict[str, Any]) -> None:
    source, _, schema, _, content, _, _ = HASHES[name]["parts"]
    fields = [
        Field(name="carrier", type="string", physical="string"),
        Field(name="arr_delay", type="number", physical=physical),
    ]
    assert hash_schema(fields) == schema
    assert identify_source(source, fields, content, reading) == HASHES[name]["sha256"][:24]


def test_file_digest_does_not_depend_on_the_blocks() -> None:
    whole, pieces = FileDigest(), FileDigest()
    whole.update(b"abc")
    for piece in (b"", b"a", bytearray(b"b"), memoryview(b"c")):
        pieces.update(piece)
    assert whole.hexdigest() == pieces.hexdigest() == ABC
    assert whole.size == pieces.size == 3
    assert FileDigest().hexdigest() == EMPTY
