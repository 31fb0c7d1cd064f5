"""Functions and interfaces stay small enough to be read; `make shape` lists the longest files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels" / "service_nb_kernels"
FILES = sorted([*(ROOT / "service_nb").rglob("*.py"), *KERNELS.rglob("*.py")])
# Files that are one list: the errors, what crosses the wire, the shapes of texts, the kinds of nodes of a formula, its
# functions.
LISTS = {
    "errors/__init__.py": 35,
    "messages.py": 60,
    "server/routes.py": 30,
    "tree.py": 20,
    "elementary.py": 40,
    "special.py": 45,
    "standalone.py": 40,
    "schema/texts.py": 30,
    "query/plan.py": 18,
}
CODE_LINES = {"client/service.py": 400}  # without docstrings
TOPIC_ENTRIES = 40  # of a topic of capabilities, where every function is an entry
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def own_lines(function: Function) -> int:
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or 0) - first.lineno + 1


def docstring_lines(tree: ast.AST) -> int:
    documented = [node for node in ast.walk(tree) if isinstance(node, Function | ast.ClassDef | ast.Module)]
    first = [node.body[0] for node in documented if ast.get_docstring(node)]
    return sum((each.end_lineno or 0) - each.lineno + 1 for each in first)


def positional(function: Function) -> int:
    return len([a for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in ("self", "cls")])


def public_names(tree: ast.Module) -> list[str]:
    defined = [node.name for node in tree.body if isinstance(node, Function | ast.ClassDef)]
    return [name for name in defined if not name.startswith("_")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_keeps_its_budget(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree, place = ast.parse(text), f"{path.parent.name}/{path.name}"
    is_topic = KERNELS / "packs" in path.parents
    assert place not in CODE_LINES or len(text.splitlines()) - docstring_lines(tree) <= CODE_LINES[place]
    assert [f.name for f in functions(tree) if own_lines(f) > 50] == []
    assert is_topic or [f.name for f in functions(tree) if positional(f) > 5] == []  # it takes what its formula takes
    most = TOPIC_ENTRIES if is_topic else LISTS.get(path.name) or LISTS.get(place, 16)
    assert len(public_names(tree)) <= most, public_names(tree)


def test_no_module_is_a_drawer_for_leftovers() -> None:
    assert {path.stem for path in FILES} & {"utils", "util", "helpers", "helper", "common", "misc"} == set()
