"""Find in names and docstrings what a program can see of hard prose: `python -m tests.tools.prose [room]` lists it.

- `name`: a function whose name does not begin with a verb (or is, has, can), and is no property, hook, conversion,
  handler of a route, iterator (`iter_rows`) or builder of an error (`timeout_error`);
- `docstring`: a first line that describes by a question or relative clause (`What is …`, `Return what …`);
- `class`: a class name that stands for two things in the package;
- `public`: a public function without the numpy sections that its signature asks for.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import service_nb
from tests.tools.shape import PACKAGE, Function, find_repeated, list_files, parse

VERBS = frozenset(Path(__file__).with_name("verbs.txt").read_text(encoding="utf-8").split())
CLAIMS = {
    "is",
    "has",
    "can",
    "may",
    "needs",
    "should",
    "will",
    "accepts",
    "allows",
    "holds",
    "contains",
    "exists",
    "fits",
}
CONVERSIONS = {"to", "from", "as", "on", "main", "iter"}  # to_pandas, from_json, as_dict, on_message, iter_rows
HOOKS = {  # names that a library calls
    "startup",
    "connection_made", "connection_lost", "data_received", "hexdigest", "readexactly", "readline", "fetchmany",
    "pytest_addoption", "pytest_collect_file", "pytest_plugin_registered", "reportinfo", "repr_failure", "runtest",
    "cert_verify", "init_poolmanager", "urlopen", "_new_conn",
    "_repr_mimebundle_", "_repr_pretty_", "_ipython_display_", "_mime_",
    "_jupyter_labextension_paths", "_jupyter_server_extension_points",
}  # fmt: skip
HARD = re.compile(r"(What|Whether|Who|Whom|Whose|Why|How|Which|Return (what|who|whether|how|which))\b")


class Fault(NamedTuple):
    kind: str
    room: str
    where: str
    met: str


def find_faults() -> Iterator[Fault]:
    repeated: set[str] = set()
    names = [node.name for path in list_files() for node in parse(path).body if isinstance(node, ast.ClassDef)]
    repeated.update(find_repeated(names))
    public = list_public_methods()
    for path in list_files():
        room = path.relative_to(PACKAGE).parts[0]
        place = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ClassDef) and node.name in repeated:
                yield Fault("class", room, f"{place}:{node.lineno}", node.name)
            if isinstance(node, Function) and not begins_with_verb(node) and (place, node.name) not in public:
                yield Fault("name", room, f"{place}:{node.lineno}", node.name)
            if isinstance(node, ast.Module | ast.ClassDef | Function) and HARD.match(first_line(node)):
                yield Fault("docstring", room, f"{place}:{getattr(node, 'lineno', 1)}", first_line(node))


def list_public_methods() -> set[tuple[str, str]]:
    """List the methods that users of the package call, with their files: these names are promised."""
    owners = [owner for name in service_nb.__all__ if inspect.isclass(owner := getattr(service_nb, name))]
    return {
        (function.__module__.partition(".")[2].replace(".", "/") + ".py", name)
        for owner in owners
        for name, function in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_")
    }


def first_line(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def begins_with_verb(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if function.name.startswith("__") or any(map(is_property, function.decorator_list)):
        return True
    if any(map(is_route, function.decorator_list)):
        return True
    if function.name in HOOKS or function.name.endswith("_error"):
        return True
    word = function.name.lstrip("_").partition("_")[0]
    return word in VERBS or word in CLAIMS or word in CONVERSIONS


def is_property(decorator: ast.expr) -> bool:
    name = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")
    return name in {"property", "cached_property", "setter", "getter", "contextmanager", "asynccontextmanager"}


def is_route(decorator: ast.expr) -> bool:
    """Tell whether a function handles a route: its name is the operationId that clients of the deployment see."""
    return isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "Route"


def find_undocumented() -> Iterator[Fault]:
    """Find what a user of the package calls whose docstring lacks a section that its signature asks for."""
    for owner in (getattr(service_nb, name) for name in service_nb.__all__):
        if not (inspect.isfunction(owner) or inspect.isclass(owner)) or not owner.__module__.startswith("service_nb"):
            continue
        members = [owner] if inspect.isfunction(owner) else inspect.getmembers(owner, inspect.isfunction)
        for member in members:
            name, function = (member[0], member[1]) if isinstance(member, tuple) else (member.__name__, member)
            if not name.startswith("_") and function.__module__.startswith("service_nb"):
                yield from missing_sections(f"{owner.__name__}.{name}", function)


def missing_sections(name: str, function: object) -> Iterator[Fault]:
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    wanted = ["Examples"]
    if [parameter for parameter in signature.parameters if parameter != "self"]:
        wanted.append("Parameters")
    if signature.return_annotation not in (None, "None"):
        wanted.append("Returns")
    for section in wanted:
        if not re.search(rf"^{section}\n-+$", text, re.MULTILINE):
            yield Fault("public", "public", name, section)


def count_faults() -> Counter[tuple[str, str]]:
    """Count the faults by kind and room."""
    return Counter((fault.kind, fault.room) for fault in (*find_faults(), *find_undocumented()))


if __name__ == "__main__":
    rooms = set(sys.argv[1:])
    listed = [fault for fault in (*find_faults(), *find_undocumented()) if not rooms or fault.room in rooms]
    for fault in listed:
        print(f"{fault.where}: {fault.kind}: {fault.met}")
    print(Counter(fault.kind for fault in listed))
