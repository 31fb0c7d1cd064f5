"""The document of the routes: whole, true to the table and the types, and kept by the server whatever it is sent."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from service_nb.server.answers import STATUS
from service_nb.server.openapi import build_document
from service_nb.server.routes import ROUTES, Route
from tests.contracts.test_documents import codes
from tests.deployment.stand import Stand, key
from tests.servers.environment import environment

# Every check that there is, but for those that this file turns off, and says why.
JUDGED = Path(__file__).with_name("schemathesis.toml")
operations = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if "$ref" in value else set()
        return own.union(*(references(each) for each in value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_the_document_holds_all_that_it_refers_to() -> None:
    told = build_document()
    schemas = {f"#/components/schemas/{name}" for name in told["components"]["schemas"]}
    assert references(told) <= schemas
    for schema in told["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_code_of_an_error_has_a_status() -> None:
    assert codes() - set(STATUS) == set()


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [each["operationId"] for path in build_document()["paths"].values() for each in path.values()]
    assert len(set(names)) == len(names) == len(ROUTES)


@operations
def test_every_error_of_a_route_is_documented_with_its_status(route: Route) -> None:
    responses = build_document()["paths"][route.path][route.method.lower()]["responses"]
    for code in route.codes:
        assert f"`{code}`" in responses[str(STATUS[code])]["description"]


@operations
def test_a_route_says_what_it_wants(route: Route) -> None:
    operation = build_document()["paths"][route.path][route.method.lower()]
    assert ("requestBody" in operation) == bool(route.takes)
    assert operation["security"] == ([{"key": []}] if route.scope else [])
    in_path = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
    assert in_path == {name for name in ("id", "name") if f"{{{name}}}" in route.path}


def test_the_served_document_is_the_one_of_the_table(client: httpx.Client) -> None:
    assert client.get("/openapi.json").json() == build_document()


def test_no_example_and_no_default_is_a_secret() -> None:
    text = str(build_document())
    assert "example" not in {part.strip("'\" ") for part in text.split(":")}
    assert "snb_" not in text


@pytest.mark.wide
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_that_is_made_up_from_the_document_is_answered_otherwise(
    stand: Stand, seed: int, tmp_path: Path
) -> None:
    command: list[str | Path] = [
        *(environment("schemathesis") / "schemathesis", "--config-file", str(JUDGED)),
        *("run", f"{stand.url}/openapi.json"),
        *("--header", f"Authorization: Bearer {key(stand.deployment, 'one')}"),
        *("--request-timeout", "60", "--phases", "coverage,fuzzing", "--max-examples", "40", "--seed", str(seed)),
        *("--warnings", "off", "--no-color", "--continue-on-failure"),
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=7_200, check=False)
    assert run.returncode == 0, run.stdout[-8_000:]
    assert "Tested: " in run.stdout
