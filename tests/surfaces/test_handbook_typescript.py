"""Every block of TypeScript in the handbook and in the README compiles, and runs where it needs no network.

A block without `createService` goes on from a service with the sources below; one of `ts network` is compiled alone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.tools.node import NODE, built
from typescript import build

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs" / "handbook").glob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```ts( network)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = {
    f"{page.stem}-{number}": (not network, code)
    for page in PAGES
    for number, (network, code) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
}
SERVICE = """
import { createService } from "@service-nb/client";
const service = createService();
await service.connect("sales.csv");
await service.connect([{ carrier: "AA", arr_delay: 1.5, dep_delay: 2, month: 7 }], { name: "flights" });
"""
FILES = {
    "sales.csv": "region,revenue,year\nnorth,1.5,2024\nsouth,2,2024\n",
    "people.csv": "team,city,hours,salary\nA,Rome,8,100\nB,Oslo,7,200\n",
    "flights.csv": "carrier,origin,arr_delay,month,tailnum\nAA,EWR,1.5,1,N1\nUA,JFK,2.5,2,N2\n",
    "report.ipynb": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
    "package.json": '{"private": true, "type": "module"}',
}
STRICT = {
    "strict": True,
    "target": "ES2022",
    "lib": ["ES2023", "DOM"],
    "module": "NodeNext",
    "types": ["node"],
    "typeRoots": [str(build.MODULES / "@types")],
    "outDir": "out",
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a module for each block, compiled at once."""
    built()
    project = tmp_path_factory.mktemp("handbook")
    (project / "node_modules").symlink_to(build.MODULES, target_is_directory=True)
    for name, text in FILES.items():
        (project / name).write_text(text, encoding="utf-8")
    for name, (_, code) in BLOCKS.items():
        lead = "" if "createService" in code else SERVICE if "service." in code else "export {};\n"
        (project / f"{name}.ts").write_text(lead + code, encoding="utf-8")
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": STRICT, "include": ["*.ts"]}))
    run(project, str(build.MODULES / "typescript/bin/tsc"))
    return project


def run(project: Path, *arguments: str) -> str:
    env = {**os.environ, "SERVICE_HOME": str(project / "home"), "NO_COLOR": "1"}
    done = subprocess.run(
        [NODE.program, *arguments], cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pages_that_show_the_client_show_it_in_both_languages(compiled: Path) -> None:
    shown = {name.rpartition("-")[0] for name in BLOCKS}
    pages = {"asking", "sources", "policy", "hashes", "verifying", "errors", "evidence", "computing", "live-sources"}
    assert pages | {"typescript", "README"} <= shown
    assert compiled.is_dir()


@pytest.mark.parametrize("name", [name for name, (runs, code) in BLOCKS.items() if runs and "/next" not in code])
def test_a_block_runs_and_prints_what_stands_beside_it(compiled: Path, name: str) -> None:
    printed = run(compiled, f"out/{name}.js")
    for line in re.findall(r"console\.log\([^\n]*\); // (.*?)(?: …)?$", BLOCKS[name][1], re.MULTILINE):
        if re.match(r"[\[\d]|invalid_intent", line):
            assert line in printed
