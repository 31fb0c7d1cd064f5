"""Lists beside code are checked against the code."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import service_nb
from service_nb import errors
from service_nb.cli.main import SHARED, build_parser, find_files
from service_nb.client.health import LIBRARIES
from service_nb.connectors import catalog
from service_nb.readers.descriptor import ALIASES
from service_nb.schema.query import Op
from service_nb.schema.source import FIELD_TYPES, FieldType
from service_nb.server.answers import STATUS

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "docs" / "handbook"
TREES = ("service_nb", "kernels", "labextension", "typescript", "tests", "benchmarks", "docs", "notebooks")
LATER = {"docs/reference", "service_nb/runtimes/manifests"}  # written by `make reference`, and by a release


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def error_classes(root: type[errors.ServiceError] = errors.ServiceError) -> list[type[errors.ServiceError]]:
    return [root, *(each for child in root.__subclasses__() for each in error_classes(child))]


def codes() -> set[str]:
    abstract = {"service_error", "source_error", "computation_error"}
    denied = {f"policy_denied_{what}" for what in ("source", "field", "function")}
    return ({each.code for each in error_classes() if each.__module__.startswith(errors.__name__)} - abstract) | denied


def test_every_error_code_has_its_section_in_the_handbook() -> None:
    text = (HANDBOOK / "errors.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### `(\w+)`$", text, re.MULTILINE)) == codes()


def test_every_status_of_an_error_is_in_the_handbook() -> None:
    text = (HANDBOOK / "errors.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\d{3}) \| (.*) \|$", text, re.MULTILINE)
    assert {code: int(status) for status, codes_ in table for code in re.findall(r"`(\w+)`", codes_)} == STATUS
    assert STATUS.keys() >= codes()


def test_every_error_is_drawn_in_the_tree() -> None:
    assert errors.__doc__ is not None
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__))
    assert drawn == {each.__name__ for each in error_classes() if each.__module__.startswith(errors.__name__)} - {
        "ServiceError"
    }
    assert all(code in errors.__doc__ for code in codes())


def test_every_public_name_is_in_the_handbook() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in HANDBOOK.glob("*.md"))
    documented = set(re.findall(r"\w+", text))
    extension = {"load_ipython_extension", "unload_ipython_extension"}  # called by IPython, not by people
    assert set(service_nb.__all__) - extension - documented == set()


def test_every_page_of_the_handbook_is_in_its_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\((handbook/[\w-]+\.md)\)", index))
    assert linked == {f"handbook/{path.name}" for path in HANDBOOK.glob("*.md")}


def test_every_verb_is_in_the_help_of_the_command() -> None:
    files = {path.stem.rstrip("_") for path in (ROOT / "service_nb" / "cli").glob("*.py")}
    assert set(find_files()) == files - SHARED - {"__init"}
    shown = build_parser(["--help"]).format_help()
    assert all(re.search(rf"^    {name}\s+[A-Z]", shown, re.MULTILINE) for name in find_files())


def test_doctor_names_every_dependency() -> None:
    declared = [re.split(r"[^A-Za-z0-9_-]", dependency)[0] for dependency in project()["dependencies"]]
    assert list(LIBRARIES) == declared


def test_choices_are_listed_once() -> None:
    assert get_args(FieldType) == FIELD_TYPES
    assert len(set(get_args(Op))) == len(get_args(Op))


def test_the_changelog_starts_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert versions[0] == service_nb.__version__


def test_the_typescript_packages_have_this_version() -> None:
    packages = [ROOT / "labextension", *(ROOT / "typescript" / "packages").iterdir()]
    manifests = [json.loads((path / "package.json").read_text()) for path in packages]
    stated = [manifest["version"] for manifest in manifests]
    stated += [
        version
        for manifest in manifests
        for name, version in manifest.get("dependencies", {}).items()
        if name.startswith("@service-nb/")
    ]
    assert len(manifests) == 8
    assert set(stated) == {service_nb.__version__}


def test_no_text_of_the_project_names_a_place_on_someones_machine() -> None:
    place = re.compile(r"(?<![\w./])/(root|home|work|Users)/")
    folders = ("service_nb", "docs", "notebooks", "demo", "benchmarks")
    files = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".ipynb"}
    ]
    assert [path.name for path in files if place.search(path.read_text(encoding="utf-8"))] == []


def test_every_path_and_module_that_a_text_names_is_there() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    texts = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in pages}
    for path in (ROOT / "service_nb").rglob("*.py"):
        texts[path.relative_to(ROOT)] = "\n".join(docstrings(path))
    files = [path.relative_to(ROOT) for tree in TREES for path in walk_sources(ROOT / tree)]
    known = {"/".join(path.parts[start:]) for path in files for start in range(len(path.parts))}
    missing = {(str(page), name) for page, text in texts.items() for name in find_paths(text) if name not in known}
    assert {(page, name) for page, name in missing if name not in LATER} == set()
    parts = {found for text in texts.values() for found in re.findall(r"`(\w+)` of\s+`([\w./-]+\.(?:py|ts))`", text)}
    read = {
        (name, file): "".join((ROOT / path).read_text(encoding="utf-8") for path in files if path.match(file))
        for name, file in parts
    }
    assert {part for part, text in read.items() if not re.search(rf"\b{part[0]}\b", text)} == set()
    names = {(str(page), name) for page, text in texts.items() for name in re.findall(r"`(service_nb(?:\.\w+)+)", text)}
    groups = {"service_nb.exports", "service_nb.faces"}  # of entry points
    assert {(page, name) for page, name in names if name not in groups and not is_importable(name)} == set()


def find_paths(text: str) -> set[str]:
    """Find the files of source that a text names in backticks, and the folders from the root of the repository."""
    found = re.findall(r"`([\w.@-]+(?:/[\w.-]+)*\.(?:py|ts|cjs))`", text)
    return {*found, *re.findall(rf"`((?:{'|'.join(TREES)})/(?:[\w.-]+/)*[\w-]+)/`", text)}


def walk_sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in {"node_modules", "__pycache__", "dist"}:
                yield path
                yield from walk_sources(path)
        else:
            yield path


def docstrings(path: Path) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, documented):
            yield ast.get_docstring(node) or ""


def is_importable(name: str) -> bool:
    """Tell whether a dotted name is a module of the package, or something in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_extension_knows_the_contract_of_this_release() -> None:
    contract = json.loads((ROOT / "kernels" / "service_nb_kernels" / "contract.json").read_text(encoding="utf-8"))
    known = (ROOT / "labextension" / "src" / "contract.ts").read_text(encoding="utf-8")
    assert f'OWN_CONTRACT = "{contract["contract_hash"]}"' in known, "write its hash there, and build the extension"
    assert f'VERSION = "{service_nb.__version__}"' in known, "write the version there, and build the extension"


def test_every_hash_of_the_contract_that_is_shown_is_of_this_contract() -> None:
    contract = json.loads((ROOT / "kernels" / "service_nb_kernels" / "contract.json").read_text(encoding="utf-8"))
    shown = {
        (page.name, found)
        for page in (ROOT / "README.md", *HANDBOOK.rglob("*.md"))
        for found in re.findall(
            r"\b(?:contract|parity: \w+)\s+(?:sha256:)?([0-9a-f]{12,64})\b", page.read_text(encoding="utf-8")
        )
    }
    assert shown, "cards in the handbook name their contract"
    stale = {(page, found) for page, found in shown if not contract["contract_hash"].startswith(f"sha256:{found}")}
    assert stale == set(), "make those outputs again"


def test_every_connector_is_in_the_index_with_its_other_names_its_extra_and_its_page() -> None:
    lines = (HANDBOOK / "connectors.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("| `")]
    told = {row[0].strip(" `"): (set(re.findall(r"`(\w+)`", row[1])), row[2].strip(" `")) for row in rows}
    assert told == {type_: (aliases_of(type_), extra_of(type_)) for type_ in catalog.TYPES}
    pages = {page for row in rows for page in re.findall(r"\((connectors/[\w-]+\.md)\)", row[-1])}
    assert pages == {f"connectors/{path.name}" for path in (HANDBOOK / "connectors").glob("*.md")}


def test_every_connector_page_has_a_descriptor_that_its_connector_takes() -> None:
    taken = set()
    for page in (HANDBOOK / "connectors").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for code in re.findall(r"^```python\nconnector = (\{.*?^\}|\{.*?\})", text, re.DOTALL | re.MULTILINE):
            given = ast.literal_eval(code)
            if given["type"] != "file":  # read where the client is, by no connector
                catalog.parse_descriptor(given)
            taken.add(page.name)
    assert taken == {path.name for path in (HANDBOOK / "connectors").glob("*.md")}


def aliases_of(type_: str) -> set[str]:
    return {alias for alias, of in ALIASES.items() if of == type_}


def extra_of(type_: str) -> str:
    if type_ == "file":  # read where it is, by no driver
        return "none"
    extra: str | None = catalog.find_connector(type_).kind.extra
    return extra or "none"
