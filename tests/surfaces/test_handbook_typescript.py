"""Every block of TypeScript in the handbook and in the README compiles, and runs where it needs no network.

A block without `createService` goes on from a service with the sources below; one of `ts network` is compiled alone.
Those under an error's heading raise that error.
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
SECTIONS = (ROOT / "docs/handbook/errors.md").read_text(encoding="utf-8").split("\n### ")[1:]
ERRORS = {code: section.split("`")[1] for section in SECTIONS for _, code in BLOCK.findall(section)}
RAISED = {name: ERRORS[code] for name, (runs, code) in BLOCKS.items() if runs and code in ERRORS}
PYTHON_ONLY = {"agents", "extending", "packs", "panel", "replaying"}  # pages whose blocks of Python have no other
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
    "umsatz.csv": "tag;betrag\n22.12.2024;1.143,22\n",
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


def execute(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SERVICE_HOME": str(project / "home"), "NO_COLOR": "1"}
    env.pop("SERVICE_DEVICE_KEY", None)
    return subprocess.run(
        [NODE.program, *arguments], cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def run(project: Path, *arguments: str) -> str:
    done = execute(project, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pages_that_show_python_show_both_languages(compiled: Path) -> None:
    shown = {name.rpartition("-")[0] for name in BLOCKS}
    pages = {page.stem for page in PAGES if "\n```python\n" in page.read_text(encoding="utf-8")}
    assert pages - PYTHON_ONLY <= shown
    assert {"typescript", "README", "verifying"} <= shown
    assert compiled.is_dir()


def runs_through(name: str) -> bool:
    is_local, code = BLOCKS[name]
    return is_local and "/next" not in code and name not in RAISED


@pytest.mark.parametrize("name", [name for name in BLOCKS if runs_through(name)])
def test_a_block_runs_and_prints_what_stands_beside_it(compiled: Path, name: str) -> None:
    printed = run(compiled, f"out/{name}.js")
    for line in re.findall(r"console\.log\([^\n]*\); // (.*?)(?: …)?$", BLOCKS[name][1], re.MULTILINE):
        if re.match(r"[\[\d]|invalid_intent", line):
            assert line in printed


@pytest.mark.parametrize("name", RAISED)
def test_a_block_under_an_error_raises_it(compiled: Path, name: str) -> None:
    done = execute(compiled, f"out/{name}.js")
    assert done.returncode == 1
    assert f"code: '{RAISED[name]}'" in done.stderr
