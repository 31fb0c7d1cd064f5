"""The TypeScript packages compile, and pass their tests: those of all implementations, and their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.tools.node import LABEXTENSION, TYPESCRIPT, VITEST, built, node, tool
from typescript.build import BuildError

PACKAGES = [LABEXTENSION / "package.json", *sorted(TYPESCRIPT.glob("packages/*/package.json"))]
# Styles, the entries that a page may not load, and a command.
EFFECTS = {"style/*.css", "style/index.js", "./dist/next.js", "./dist/next-page.js", "./dist/command/main.js"}
HOSTS = {"@codemirror", "@jupyterlab", "@lumino"}


# To give each file a page of its own takes longer than its tests: done where minutes count for nothing.
@pytest.mark.parametrize("how", ["--no-isolate", pytest.param("--isolate", marks=pytest.mark.slow)])
def test_the_typescript_packages_pass_their_tests(tmp_path: Path, how: str) -> None:
    built()
    report = tmp_path / "report.json"
    with suppress(BuildError):  # the report says what failed
        tool("vitest", "run", "--config", VITEST, how, "--reporter=json", f"--outputFile={report}")
    told = json.loads(report.read_text(encoding="utf-8"))
    assert [each for file in told["testResults"] for each in _faults(file)] == []
    assert told["success"]
    assert told["numPassedTests"] == told["numTotalTests"] > 1_000


def _faults(file: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    if file["status"] != "passed":
        yield file["name"], file["message"]
    for each in file["assertionResults"]:
        if each["status"] != "passed":
            yield each["fullName"], each["failureMessages"]


def test_the_batch_command_answers_line_by_line() -> None:
    batch = built() / "packages" / "verify" / "dist" / "batch.js"
    lines = [
        {"document": "[]"},
        {"document": {"base64": "/w=="}},
        {"document": '{"nbformat": 4, "cells": []}', "keys": []},
    ]
    stdin = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    answers = [json.loads(line) for line in node(batch, stdin=stdin).splitlines()]
    causes = [[check["cause"] for verdict in answer for check in verdict["checks"]] for answer in answers]
    assert causes == [["unknown_document"], ["malformed_json"], []]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.parent.name)
def test_a_package_is_pinned_and_can_be_published(path: Path) -> None:
    package = json.loads(path.read_text(encoding="utf-8"))
    assert package["license"] == "Apache-2.0"
    assert package["sideEffects"] is False or set(package["sideEffects"]) <= EFFECTS
    assert not package.get("private")
    assert (path.parent / "README.md").is_file()
    pinned = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    loose = {name for name, version in pinned.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)}
    # What JupyterLab brings itself is taken in the version that it has, and never bundled.
    assert {name.split("/")[0] for name in loose} == (HOSTS if path.parent == LABEXTENSION else set())
    cryptography = {name for name in pinned if name.startswith("@noble/")}
    wanted = {"verify": {"@noble/curves", "@noble/ed25519", "@noble/hashes"}, "client": {"@noble/hashes"}}
    assert cryptography == wanted.get(path.parent.name, set())


def test_the_lock_has_hashes_and_names_no_host() -> None:
    lock = json.loads((TYPESCRIPT.parent / "package-lock.json").read_text(encoding="utf-8"))
    outside = {
        name: entry
        for name, entry in lock["packages"].items()
        if name.startswith("node_modules/") and not entry.get("link")
    }
    assert len(outside) > 50
    assert [name for name, entry in outside.items() if not entry["integrity"].startswith("sha512-")] == []
    assert [name for name, entry in outside.items() if "resolved" in entry] == []
