"""The examples on the handbook's page on policy are run, and say what the page says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "handbook" / "policy.md"
PEOPLE = "team,city,hours,salary\ncore,Lisbon,38.5,61000\ncore,Oslo,40,72500\nweb,Oslo,37,58000\n"
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```\n(.*?)```)?", re.DOTALL)


def run(code: str, names: dict[str, Any]) -> Any:
    """Run statements and return the value of the last one, if it is an expression."""
    body = ast.parse(code).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), PAGE.name, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), PAGE.name, "eval"), names)


def test_every_example_says_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    examples = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(examples) >= 4
    names: dict[str, Any] = {}
    for code, expected in examples:
        found = run(code, names)
        if expected:
            assert repr(found) == expected.strip()
    assert names["service"].ask("avg hour by team")["resolution"]["did_you_mean"] == ["hours"]
