"""Opening the panel: its magic, and what is said where it cannot be opened."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.errors import DriverMissingError, InvalidIntentError

WIDGET = "service_nb.notebook.panel_widget"


@pytest.fixture
def no_widget_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a session in which no panel was opened."""
    monkeypatch.delitem(sys.modules, WIDGET, raising=False)


def test_help_says_what_it_is_and_what_it_needs(session: Any) -> None:
    _, printed = session.outputs("%service_panel --help")
    assert "service-nb[ui]" in printed
    assert printed.count("%service_panel") >= 4


def test_it_takes_no_words(session: Any) -> None:
    assert isinstance(session.error("%service_panel sales"), InvalidIntentError)


def test_without_anywidget_it_names_the_extra(
    session: Any, monkeypatch: pytest.MonkeyPatch, no_widget_yet: None
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    error = session.error("%service_panel")
    assert isinstance(error, DriverMissingError)
    assert error.hint == 'pip install "service-nb[ui]"'


def test_where_it_was_not_built_it_names_what_builds_it(
    session: Any, monkeypatch: pytest.MonkeyPatch, no_widget_yet: None, tmp_path: Path
) -> None:
    monkeypatch.setattr(resources, "files", lambda _package: tmp_path)
    error = session.error("%service_panel")
    assert isinstance(error, DriverMissingError)
    assert error.hint is not None
    assert "build.py" in error.hint


def test_without_the_extension_it_says_to_load_it(bare_session: Any) -> None:
    for opened in ("service_nb.panel()", "service_nb.create_service().panel()"):
        error = bare_session.error(f"import service_nb\n{opened}")
        assert isinstance(error, InvalidIntentError)
        assert error.hint == "Run %load_ext service_nb first."


def test_a_client_knows_no_face_until_one_is_opened() -> None:
    assert service_nb.panel.__module__ == "service_nb.notebook.panel"
