"""A session of IPython inside the test, with the extension loaded and nothing written anywhere."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output
from traitlets.config import Config

SALES = [
    {"region": "north", "Order Year": 2023, "revenue": 1.5, "paid": True, "secret": "s1"},
    {"region": "south", "Order Year": 2024, "revenue": 0.1, "paid": False, "secret": "s2"},
    {"region": "south", "Order Year": 2024, "revenue": 0.2, "paid": True, "secret": "s3"},
    {"region": "east", "Order Year": 2024, "revenue": None, "paid": True, "secret": "s1"},
]


class Session:
    """What a user does: run cells, look at what they show and raise, and press Tab."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def run(self, cell: str) -> object:
        """Run a cell that is to succeed and return the value it displays."""
        with capture_output():
            result = self.shell.run_cell(cell, store_history=True)
        result.raise_error()
        return result.result

    def outputs(self, cell: str) -> tuple[list[RichOutput], str]:
        """Run a cell and return the outputs it displays beside its value, and what it prints."""
        with capture_output() as captured:
            self.shell.run_cell(cell, store_history=True).raise_error()
        return captured.outputs, captured.stdout

    def error(self, cell: str) -> BaseException:
        """Run a cell that is to fail and return what it raises."""
        with capture_output():
            result = self.shell.run_cell(cell, store_history=True)
        error = result.error_in_exec
        assert error is not None
        return error

    def complete(self, text: str, cursor: int | None = None) -> dict[str, str]:
        """Press Tab at the end of the text, or at `cursor`: what is offered, and as what."""
        place = len(text) if cursor is None else cursor
        return {offer.text: offer.type for offer in self.shell.Completer.completions(text, place)}

    def __getitem__(self, name: str) -> object:
        return self.shell.user_ns[name]


@pytest.fixture
def bare_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session without the extension, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "nocolor"
    config.Completer.use_jedi = False
    InteractiveShell.clear_instance()
    gc.freeze()  # a shell that ends collects garbage: of this session, not of all that earlier tests have loaded
    shell = InteractiveShell.instance(config=config)
    yield Session(shell)
    shell.restore_sys_module_state()
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()
    InteractiveShell.clear_instance()


@pytest.fixture
def session(bare_session: Session) -> Session:
    """A session with the extension loaded and the source `sales` connected."""
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    bare_session.shell.user_ns["rows"] = SALES
    bare_session.run("%service_connect sales $rows")
    return bare_session
