"""The IPython extension: `%load_ext service_nb` adds magics and completion, `%unload_ext` removes them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

from service_nb import notebook
from service_nb.notebook.completion import make_matcher
from service_nb.notebook.link_message import TARGET
from service_nb.notebook.magic import Magic
from service_nb.notebook.session import MAGICS, UNLOADED, ServiceMagics
from service_nb.readers.descriptor import find_literal_secrets

# By name, so that loading the extension does not load what they stand on.
MAY_BE_SETTLED = (
    ("service_nb.client.results", "QueryOutcome"),
    ("service_nb.client.results", "Computation"),
    ("service_nb.client.results", "ServiceSource"),
    ("service_nb.client.results", "ComputationList"),
    ("service_nb.notebook.displays", "ShownDict"),
    ("service_nb.notebook.evidence_pages", "ReplayPage"),
    ("service_nb.client.replay.flow", "ReplayOutcome"),
)


@cache
def list_magics() -> tuple[Magic, ...]:
    """List the records of all magics: every `Magic` in the modules of this folder whose names end in `_magics`."""
    names = [module.name for module in pkgutil.iter_modules(notebook.__path__) if module.name.endswith("_magics")]
    modules = [importlib.import_module(f"{notebook.__name__}.{name}") for name in names]
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Magic))


def load_ipython_extension(shell: Any) -> None:
    """Add the magics, their settings and their completion to a session; show how to begin when it is the first time.

    Parameters
    ----------
    shell : InteractiveShell
        The session, which IPython hands over.

    Examples
    --------
    In a cell: ``%load_ext service_nb``
    """
    if MAGICS in shell.magics_manager.registry:
        return
    magics = getattr(shell, UNLOADED, None)
    is_first = magics is None
    if magics is None:
        magics = ServiceMagics(shell, list_magics(), parent=shell)
    else:
        shell.configurables.append(magics)
    shell.register_magics(magics)
    shell.Completer.custom_matchers.append(make_matcher(magics))
    for home, name in MAY_BE_SETTLED:
        shell.display_formatter.ipython_display_formatter.for_type_by_name(home, name, magics.screen.take)
    shell.input_transformer_manager.token_transformers.insert(0, magics.question_mark)
    shell.events.register("post_run_cell", magics.screen.forget)
    shell.events.register("post_run_cell", magics.show_ways_on)
    shell.events.register("pre_run_cell", warn_of_secrets)
    magics.cursor_help.register()
    magics.comms = Comms(magics)
    magics.comms.register()
    if is_first and magics.greeting:
        from service_nb.notebook.greeting import build_greeting  # noqa: PLC0415  # lazy: not for a second loading

        magics.screen.show(*build_greeting(magics))


def unload_ipython_extension(shell: Any) -> None:
    """Remove all that loading added; variables that hold results stay, and so do the sources for the next loading.

    Parameters
    ----------
    shell : InteractiveShell
        The session, which IPython hands over.

    Examples
    --------
    In a cell: ``%unload_ext service_nb``
    """
    magics = shell.magics_manager.registry.pop(MAGICS, None)
    if magics is None:
        return
    setattr(shell, UNLOADED, magics)  # after `%reload_ext` its sources are there
    magics.comms.unregister()
    for kind, names in magics.magics.items():
        for name in names:
            shell.magics_manager.magics[kind].pop(name, None)
    if magics in shell.configurables:
        shell.configurables.remove(magics)
    matchers = shell.Completer.custom_matchers
    matchers[:] = [matcher for matcher in matchers if getattr(matcher, "magics", None) is not magics]
    for home, name in MAY_BE_SETTLED:
        shell.display_formatter.ipython_display_formatter.pop(f"{home}.{name}", None)
    transformers = shell.input_transformer_manager.token_transformers
    transformers[:] = [each for each in transformers if each is not magics.question_mark]
    magics.cursor_help.unregister()
    shell.events.unregister("post_run_cell", magics.screen.forget)
    shell.events.unregister("post_run_cell", magics.show_ways_on)
    shell.events.unregister("pre_run_cell", warn_of_secrets)


# --- comms ------------------------------------------------------------------------------------------------------------


class Comms:
    """The open comms of one session: any number of front ends, each on a comm of its own."""

    def __init__(self, magics: ServiceMagics) -> None:
        self._magics = magics
        self._open: dict[str, Any] = {}
        self._one_at_a_time = threading.Lock()

    def register(self) -> None:
        """Let front ends open comms; where there is no kernel, or nothing that carries comms, do nothing."""
        manager = _find_manager(self._magics.shell)
        if manager is not None:
            manager.register_target(TARGET, self.open)

    def unregister(self) -> None:
        """Close all comms and take no more of them."""
        manager = _find_manager(self._magics.shell)
        if manager is None:
            return
        if manager.targets.get(TARGET) == self.open:  # another's target of the same name stays
            manager.unregister_target(TARGET, self.open)
        for comm in list(self._open.values()):
            comm.close()
        self._open.clear()

    def open(self, comm: Any, _message: object) -> None:
        """Take a comm that a front end opened."""
        self._open[comm.comm_id] = comm
        comm.on_msg(lambda message: self._answer(comm, message))
        comm.on_close(lambda _message: self._open.pop(comm.comm_id, None))

    def _answer(self, comm: Any, message: Any) -> None:
        from service_nb.notebook.link import answer_message  # noqa: PLC0415  # lazy: most notebooks are never asked

        with self._one_at_a_time:
            told = answer_message(message["content"].get("data"), self._magics)
        comm.send(told)


def _find_manager(shell: object) -> Any:
    if getattr(shell, "kernel", None) is None:
        return None
    try:
        import comm  # noqa: PLC0415  # IPython alone does not bring it
    except ImportError:
        return None
    return comm.get_comm_manager()  # asked of the module: the kernel puts its own manager there


# --- secrets ----------------------------------------------------------------------------------------------------------

_CALLS = ("connect", "test_connector", "create_connector")
MOST_CHARS = 200_000  # of a cell


def warn_of_secrets(info: object) -> None:
    """Warn of secrets in the cell that is about to run; IPython calls it (`pre_run_cell`)."""
    keys = sorted(set(find_typed_secrets(getattr(info, "raw_cell", None) or "")))
    if keys:
        warnings.warn(
            f"This cell holds a secret ({', '.join(keys)}), which is saved with the notebook. Write a reference, such"
            ' as "env:NAME", or keep the descriptor in a file.',
            stacklevel=2,
        )


def find_typed_secrets(cell: str) -> Iterator[str]:
    """Yield the keys of descriptors whose values are secrets written out in the text of a cell."""
    if len(cell) > MOST_CHARS or not any(name in cell for name in _CALLS):
        return
    try:
        tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in cell.split("\n")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            said = dict(_read_texts(node))
            if "type" in said:
                yield from find_literal_secrets(said)


def _read_texts(node: ast.Dict) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of a dict that are texts as they stand."""
    for key, value in zip(node.keys, node.values, strict=True):
        said = [each.value for each in (key, value) if isinstance(each, ast.Constant)]
        texts = [each for each in said if isinstance(each, str)]
        if len(texts) == 2:
            yield texts[0], texts[1]
