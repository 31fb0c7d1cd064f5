"""Files, functions and interfaces stay small enough to be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "service_nb"
FILES = sorted(PACKAGE.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def own_lines(function: Function) -> int:
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or 0) - first.lineno + 1


def positional(function: Function) -> int:
    return len([a for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in ("self", "cls")])


def public_names(tree: ast.Module) -> list[str]:
    defined = [node.name for node in tree.body if isinstance(node, Function | ast.ClassDef)]
    return [name for name in defined if not name.startswith("_")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_module_keeps_its_budget(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 400
    assert [f.name for f in functions(tree) if own_lines(f) > 50] == []
    assert [f.name for f in functions(tree) if positional(f) > 5] == []
    # errors.py is one tree, drawn in its docstring.
    assert len(public_names(tree)) <= (30 if path.name == "errors.py" else 12), public_names(tree)


def test_no_module_is_a_drawer_for_leftovers() -> None:
    assert {path.stem for path in FILES} & {"utils", "util", "helpers", "helper", "common", "misc"} == set()
