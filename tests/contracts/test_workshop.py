"""What a contributor finds beside the code works: targets, hooks, changelog fragments, the count of the shape."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import shape

ROOT = Path(__file__).parents[2]


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_each_target_of_make_says_what_it_is_and_how_long_it_takes() -> None:
    targets = re.findall(r"^([a-z-]+):.*## (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(targets) > 12
    assert [name for name, about in targets if not re.match(r"\[\d+ (s|min|h)\] \w", about)] == []


def test_the_hooks_of_pre_commit_are_valid() -> None:
    run(sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml")


def test_the_changelog_has_sections_of_known_kinds_with_lines() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    bodies = re.split(r"^##.*$", text, flags=re.MULTILINE)[1:]
    lines = [line for body in bodies for line in body.splitlines() if line.strip()]
    assert [line for line in lines if not line.startswith(("- ", "  "))] == []


def test_pages_that_are_written_from_the_contract_are_not_committed() -> None:
    assert run("git", "ls-files", "docs/reference") == "" or not (ROOT / ".git").exists()


def test_flows_pass_no_more_files_than_they_did() -> None:
    told = run(sys.executable, "-m", "tests.tools.trace_files")
    assert len(re.findall(r"^\w+: \d+ files", told, re.MULTILINE)) == 4


# --- the count of the shape -------------------------------------------------------------------------------------------


def test_rooms_import_downwards_only() -> None:
    arrows = shape.list_arrows()
    _, back = shape.find_floors(arrows)
    assert back == []
    assert ("cli", "client") in arrows


def test_a_circle_between_rooms_is_found() -> None:
    _, back = shape.find_floors([("cli", "client"), ("client", "core"), ("core", "cli")])
    assert len(back) == 1


@pytest.mark.parametrize(
    ("source", "is_counted"),
    [
        ("def f(x):\n    return g(x)", True),
        ("def f(x):\n    '''Say.'''\n    g(x)", True),
        ("def f(x):\n    return g(h(x))", False),
        ("def f(x):\n    y = g(x)\n    return y + 1", False),
    ],
)
def test_functions_that_only_call_another_are_counted(source: str, is_counted: bool) -> None:
    import ast

    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert shape.is_delegating(function) is is_counted


@pytest.mark.parametrize("name", ["told", "made", "renamed", "opened", "checked"])
def test_names_that_hide_the_verb_are_seen(name: str) -> None:
    assert shape.PARTICIPLE.fullmatch(name)


@pytest.mark.parametrize("name", ["tell_story", "need", "feed", "seed", "read_file", "is_opened"])
def test_names_that_begin_with_a_verb_are_not(name: str) -> None:
    assert not shape.PARTICIPLE.fullmatch(name)
