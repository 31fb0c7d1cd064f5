"""Where a result was asked for: told by the file's name and the cell's id alone."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import pytest

from service_nb.notebook.session import find_running_place


def kernel(metadata: Any, content: Any = None) -> Any:
    """A shell as kernels have it, which knows the message that asked for the cell."""
    return SimpleNamespace(get_parent=lambda: {"header": {}, "metadata": metadata, "content": content})


@pytest.fixture(autouse=True)
def no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)


@pytest.mark.parametrize("path", ["/home/ada/secret-client/report.ipynb", "report.ipynb", r"C:\Users\ada\report.ipynb"])
def test_the_folder_of_a_notebook_is_not_told(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", path)
    assert find_running_place(kernel({"cellId": "a1b2"})) == {"notebook": "report.ipynb", "cell": "a1b2"}


@pytest.mark.parametrize("metadata", [None, [], {}, {"cellId": 7}, {"cellId": None}])
def test_what_is_no_cell_is_not_told(metadata: Any) -> None:
    assert find_running_place(kernel(metadata)) is None


@pytest.mark.parametrize("source", ["", "%service_ask sum revenue by region from sales", "x = 'Zürich'\r\n", "\ud800"])
def test_the_source_of_the_cell_is_told_by_its_hash(source: str) -> None:
    place = find_running_place(kernel({}, {"code": source, "silent": False}))
    assert place == {"source": hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()}


@pytest.mark.parametrize("content", [None, [], {}, {"code": 7}, {"comm_id": "a", "data": {"method": "custom"}}])
def test_what_a_widget_runs_has_no_source(content: Any) -> None:
    assert find_running_place(kernel({"cellId": "a1b2"}, content)) == {"cell": "a1b2"}


def test_a_terminal_and_a_console_have_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", "console-1-0f3a")
    assert find_running_place(SimpleNamespace()) is None


def test_an_endless_name_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", "x" * 5_000 + ".ipynb")
    place = find_running_place(kernel({"cellId": "y" * 5_000}))
    assert place is not None
    assert {key: len(text) for key, text in place.items()} == {"notebook": 200, "cell": 200}  # type: ignore[arg-type]
