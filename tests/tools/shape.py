"""Count the shape of the package: `make shape`. It counts and does not judge.

Rooms are the folders of `service_nb`. An arrow is an import from one room to another, and a floor is a room's height
above those that import nothing. Names are counted over the whole package, as a reader searches for them.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "service_nb"
Function = ast.FunctionDef | ast.AsyncFunctionDef
BROAD = {"Exception", "BaseException"}


def list_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def walk() -> Iterator[ast.AST]:
    for path in list_files():
        yield from ast.walk(parse(path))


def count_lines() -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in list_files())


def list_rooms() -> list[str]:
    return sorted(path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py")))


def count_at_top() -> int:
    return len(list(PACKAGE.glob("*.py")))


def list_arrows() -> dict[tuple[str, str], int]:
    """Count the imports from each room to each other one."""
    arrows: Counter[tuple[str, str]] = Counter()
    for path in list_files():
        parts = path.relative_to(PACKAGE).parts
        if len(parts) == 1:  # the public names, resolved on first use
            continue
        for target in imported(parse(path)):
            if target != parts[0] and (PACKAGE / target).is_dir():
                arrows[parts[0], target] += 1
    return dict(arrows)


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the room of each import of the package, lazy ones and those for types included."""
    for node in ast.walk(tree):
        names: Iterable[str] = ()
        if isinstance(node, ast.ImportFrom) and node.module == "service_nb":
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("service_nb."):
            names = [(node.module or "").split(".")[1]]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".")[1] for alias in node.names if alias.name.startswith("service_nb.")]
        yield from names


def find_floors(arrows: Iterable[tuple[str, str]]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the floor of each room, and the arrows that close a circle."""
    below: dict[str, set[str]] = defaultdict(set)
    for source, target in arrows:
        below[source].add(target)
    floors: dict[str, int] = {}
    back: list[tuple[str, str]] = []

    def climb(room: str, path: tuple[str, ...]) -> int:
        if room not in floors:
            heights = [0]
            for target in sorted(below[room]):
                if target in (*path, room):
                    back.append((room, target))
                else:
                    heights.append(climb(target, (*path, room)))
            floors[room] = 1 + max(heights)
        return floors[room]

    for room in list_rooms():
        climb(room, ())
    return floors, back


def find_repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def list_classes() -> list[str]:
    return [node.name for path in list_files() for node in parse(path).body if isinstance(node, ast.ClassDef)]


def list_modules() -> list[str]:
    return [path.stem for path in list_files() if path.stem != "__init__"]


def list_functions() -> list[Function]:
    return [node for node in walk() if isinstance(node, Function)]


def is_delegating(function: Function) -> bool:
    """Tell whether the body is at most two lines which only call something else."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if len(body) != 1 or (body[0].end_lineno or 0) - body[0].lineno > 1:
        return False
    statement = body[0]
    value = statement.value if isinstance(statement, ast.Return | ast.Expr) else None
    if isinstance(value, ast.Await):
        value = value.value
    return isinstance(value, ast.Call) and not any(
        isinstance(part, ast.Call) for part in ast.walk(value) if part is not value
    )


def count_any() -> int:
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in walk())


def list_broad_excepts() -> list[str]:
    found = []
    for path in list_files():
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [
            f"{path.relative_to(ROOT)}:{node.lineno}: {lines[node.lineno - 1].strip()}"
            for node in ast.walk(parse(path))
            if isinstance(node, ast.ExceptHandler) and is_broad(node.type)
        ]
    return found


def is_broad(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(part, ast.Name) and part.id in BROAD for part in parts)


# Everything that writes a line in place of one that was not understood, and what only that uses, in both languages.
ADVICE = (
    "service_nb/client/*_advice.py",
    "service_nb/client/line_trial.py",
    "service_nb/client/starting_lines.py",
    "service_nb/client/advice/*.py",
    "service_nb/notebook/ways_on.py",
    "service_nb/query/ask_errors.py",
    "typescript/packages/client/src/query/ask-errors.ts",
    "typescript/packages/client/src/advice/offers.ts",
    "typescript/packages/client/src/advice/question.ts",
    "typescript/packages/client/src/advice/scan.ts",
)


def count_advice() -> tuple[int, int]:
    """Return the lines of advice in Python and in TypeScript."""
    lines = {".py": 0, ".ts": 0}
    for path in sorted({path for pattern in ADVICE for path in ROOT.glob(pattern)}):
        lines[path.suffix] += len(path.read_text(encoding="utf-8").splitlines())
    return lines[".py"], lines[".ts"]


# --- both languages ---------------------------------------------------------------------------------------------------

BUILT = {"dist", "node_modules", "build", "test", "tests", "ui-tests", "_labextension", "_panel", "__pycache__"}
WRITTEN_BY_HAND = (".py", ".ts", ".js", ".cjs", ".css", ".toml", ".json")
NO_SOURCE = ("package.json", "tsconfig", "contract.json", "install.json")  # settings, and copies
LEADING = (
    "above as at before behind below beside beyond by for from if in of on than that though to under until what where "
    "which who whose with within without"
)
SUBJECTLESS = re.compile(rf"(?:{'|'.join(LEADING.split())})\b", re.IGNORECASE)
WHAT_IS = re.compile(r"\bwhat (?:is|was|are|were)\b", re.IGNORECASE)


def list_sources(*folders: str) -> list[Path]:
    """Return the files of folders that somebody writes, without tests, settings and what is built."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in WRITTEN_BY_HAND]
    kept = [path for path in found if not BUILT & {*path.relative_to(ROOT).parts}]
    return sorted(path for path in kept if not path.name.startswith(NO_SOURCE))


def is_generated(path: Path) -> bool:
    return path.suffix == ".ts" and path.read_text(encoding="utf-8").startswith("// Written by typescript/")


def count_source_lines(*folders: str) -> tuple[int, int]:
    """Return the lines that are written by hand, and those that a program writes."""
    counts = Counter[bool]()
    for path in list_sources(*folders):
        counts[is_generated(path)] += len(path.read_text(encoding="utf-8").splitlines())
    return counts[False], counts[True]


def find_longest(most: int = 20) -> list[tuple[int, str]]:
    """Return the longest files that are written by hand, with their lines."""
    paths = [path for path in list_sources("service_nb", "typescript", "labextension") if not is_generated(path)]
    code = [path for path in paths if path.suffix in (".py", ".ts")]
    sized = [(len(path.read_text(encoding="utf-8").splitlines()), path.relative_to(ROOT).as_posix()) for path in code]
    return sorted(sized, reverse=True)[:most]


def count_loose_types() -> int:
    """Count what a type checker does not see through: Any, object, cast, and `type: ignore`."""
    names = sum(isinstance(node, ast.Name) and node.id in ("Any", "object") for node in walk())
    casts = sum(isinstance(node, ast.Call) and getattr(node.func, "id", "") == "cast" for node in walk())
    return names + casts + sum(path.read_text(encoding="utf-8").count("# type: ignore") for path in list_files())


def count_subjectless_comments() -> int:
    """Count comments that begin with a preposition or a relative word."""
    lines = [line for path in list_files() for line in path.read_text(encoding="utf-8").splitlines()]
    comments = [found[1] for line in lines if (found := re.search(r"(?:^\s*|\s\s)# (\w.*)", line))]
    return sum(SUBJECTLESS.match(comment) is not None for comment in comments)


def count_vague_docstrings() -> int:
    """Count docstrings that say "what is"."""
    documented = ast.Module | ast.ClassDef | Function
    texts = [ast.get_docstring(node) or "" for node in walk() if isinstance(node, documented)]
    return sum(WHAT_IS.search(text) is not None for text in texts)


def count_contract() -> tuple[int, int]:
    """Return how many layers the contract of imports has, and how many exceptions within the machinery."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    machinery = next(contract for contract in contracts if contract["name"].startswith("rooms of the machinery"))
    return len(layers), len(machinery["ignore_imports"])


def find_participles() -> list[str]:
    """Return functions whose name is one word that says what was done, and not what it does."""
    return sorted({f.name for f in list_functions() if PARTICIPLE.fullmatch(f.name.lstrip("_"))})


PARTICIPLE = re.compile(
    r"[a-z]{2,}(?<!e)ed|told|said|made|met|seen|kept|held|found|given|taken|written|read_by|known|chosen|built|sent|meant|shown"
)


def main() -> None:
    arrows = list_arrows()
    floors, back = find_floors(arrows)
    layers, exceptions = count_contract()
    classes, modules = find_repeated(list_classes()), find_repeated(list_modules())
    rows = [
        ("lines of Python in service_nb", count_lines()),
        ("modules; at the top", f"{len(list_files())}; {count_at_top()}"),
        ("rooms", len(list_rooms())),
        (
            "arrows between rooms; floors; arrows that run back up",
            f"{len(arrows)}; {max(floors.values())}; {len(back)}",
        ),
        ("class names used twice; module names used twice", f"{len(classes)}; {len(modules)}"),
        ("functions of two lines or fewer that only call another", sum(map(is_delegating, list_functions()))),
        ("functions", len(list_functions())),
        ("functions named by a past participle", len(find_participles())),
        ("import contract: layers; exceptions within the machinery", f"{layers}; {exceptions}"),
        ("Any", count_any()),
        ("Any, object, cast and type: ignore", count_loose_types()),
        (
            'comments without a subject; docstrings that say "what is"',
            f"{count_subjectless_comments()}; {count_vague_docstrings()}",
        ),
        ("lines of service_nb: by hand; generated", "{}; {}".format(*count_source_lines("service_nb"))),
        (
            "lines of typescript and labextension: by hand; generated",
            "{}; {}".format(*count_source_lines("typescript", "labextension")),
        ),
        ("lines of advice: Python; TypeScript; both", "{}; {}; {}".format(*(advice := count_advice()), sum(advice))),
        ("broad excepts", len(list_broad_excepts())),
    ]
    width = max(len(what) for what, _ in rows)
    for what, figure in rows:
        print(f"{what:<{width}}  {figure}")
    for label, names in [("classes twice", classes), ("modules twice", modules), ("back up", map(str, back))]:
        print(f"{label}: {', '.join(names) or 'none'}")
    print("the longest files by hand:")
    print("\n".join(f"  {lines:,} {path}" for lines, path in find_longest()))


if __name__ == "__main__":
    main()
