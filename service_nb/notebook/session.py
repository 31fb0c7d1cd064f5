"""The client of this notebook, its settings and its results: one for each IPython session, made on first use."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from IPython.core.magic import Magics, magics_class
from traitlets import Bool, Enum, Float, Int, TraitError, validate

from service_nb.cards.digits import MOST_DIGITS
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.notebook.cursor_help import CursorHelp
from service_nb.notebook.magic import Magic
from service_nb.notebook.question_mark import build_question_mark
from service_nb.notebook.screen import Screen
from service_nb.schema.entry import MOST_PLACE_CHARS, Place

if TYPE_CHECKING:
    from service_nb.client.results import Replayable
    from service_nb.client.service import Service
    from service_nb.notebook.extension import Comms

MAGICS = "ServiceMagics"
MOST_RESULTS = 1_000
UNLOADED = "_service_nb_unloaded"  # the attribute of a shell that keeps its magics while the extension is not loaded
_NOTEBOOK = "JPY_SESSION_NAME"  # set by Jupyter's server for the kernels that it starts


@dataclass(slots=True)
class Attempts:
    """The attempts of a session at its exercises: each result that was checked, once."""

    results: dict[str, list[str]] = field(default_factory=dict)  # by exercise: ids, in order
    statuses: dict[str, str] = field(default_factory=dict)  # by exercise: right, wrong or not_asked

    def count(self, exercise: str) -> int:
        """Count the results that were checked for an exercise."""
        return len(self.results.get(exercise, ()))

    def has(self, exercise: str, result_id: str) -> bool:
        """Tell whether a result was checked for an exercise before."""
        return result_id in self.results.get(exercise, ())

    def add(self, exercise: str, result_id: str | None, status: str) -> None:
        """Note the check of a result; one that was checked before is no new attempt."""
        self.statuses[exercise] = status
        if result_id is not None and not self.has(exercise, result_id):
            self.results.setdefault(exercise, []).append(result_id)


@magics_class
class ServiceMagics(Magics):
    """Exact, replayable questions in the notebook; `%service_ask --help` is the place to start."""

    shell: Any
    display_rows = Int(20, help="Number of rows that a card shows.").tag(config=True)
    greeting = Bool(True, help="Whether loading the extension shows how to begin.").tag(config=True)
    digits = Enum(
        [None, "exact", *range(1, MOST_DIGITS + 1)],
        None,
        help="Significant digits that cards show: 1 to 17, 'exact' for all of them; None for about six by column.",
    ).tag(config=True)
    rows = Enum(["all", "none"], "all", help="Whether cards hold values, or only hash and shape.").tag(config=True)
    timeout = Float(None, allow_none=True, help="Timeout of a question in seconds; None: the client's default.").tag(
        config=True
    )

    def __init__(self, shell: Any, records: Iterable[Magic], **settings: Any) -> None:
        super().__init__(shell, **settings)
        self.records = {record.name: record for record in records}
        for name, record in self.records.items():
            for kind in ("line", "cell") if record.takes_cell else ("line",):
                self.magics[kind][name] = record.bind(self)
        self.screen = Screen(shell)
        self.question_mark = build_question_mark(self.records)
        self.cursor_help = CursorHelp(self)
        self.last_error: ServiceError | None = None
        self.results: deque[Replayable] = deque(maxlen=MOST_RESULTS)  # for the magics of evidence
        self.answered_at = -MOST_RESULTS  # the number of the cell that made the last of them; none yet
        self.attempts = Attempts()
        self._service: Service | None = None
        self.place: Place | None = None  # of the panel that runs something, which is none of the cell that ran last
        self.comms: Comms | None = None  # of the front ends, once the extension is loaded
        self._making = threading.Lock()  # front ends ask from threads of their own

    @validate("display_rows")
    def _check_row_count(self, proposal: Any) -> int:
        if not 1 <= proposal["value"] <= 1_000:
            raise TraitError("display_rows must be from 1 to 1,000")
        return int(proposal["value"])

    @property
    def service(self) -> Service:
        """The client that is asked: the notebook's own, made on first use, or what `notebook.use` was given."""
        with self._making:
            if self._service is None:
                # Loading the extension stays cheap: drivers and Arrow come with the first source.
                from service_nb.client.factory import create_service  # noqa: PLC0415

                self._service = create_service(progress=self.screen.report_step, where=self.find_place)
                # What is still open when Python ends is closed by nobody, and DuckDB complains of it page after page.
                atexit.register(_close, weakref.ref(self._service))
            return self._service

    @service.setter
    def service(self, service: Service) -> None:
        with self._making:
            self._service = service

    def keep_results(self, results: Iterable[Replayable]) -> None:
        """Keep the cards of results, and the number of the cell that made them."""
        self.results.extend(each.without_values() for each in results)
        self.answered_at = self.shell.execution_count

    def note_error(self, error: ServiceError, magic: Magic, line: str, cell: str | None) -> None:
        """Keep an error that ended a magic, and add the lines that lead on from it."""
        from service_nb.notebook.ways_on import Met, add_lines  # noqa: PLC0415  # lazy: the client loads with it

        self.last_error = error
        add_lines(Met(error=error, session=self, magic=magic, line=line, cell=cell))
        error.has_lines_below = getattr(self.shell, "kernel", None) is not None

    def show_ways_on(self, result: Any = None) -> None:
        """Show the lines that lead on from the error of the cell that ended; IPython calls it (`post_run_cell`)."""
        error = getattr(result, "error_in_exec", None)
        lines, heading, says = [], "", ""
        if isinstance(error, ServiceError) and error.has_lines_below:
            lines, heading = error.lines, error.heading
        elif isinstance(error, UsageError):
            from service_nb.notebook.ways_on import find_ways_after_unknown_magic  # noqa: PLC0415  # lazy: as above

            ways = find_ways_after_unknown_magic(self, error, result.info.raw_cell or "")
            heading, lines, says = ways.heading, list(ways.lines), ways.says
        if lines:
            from service_nb.notebook.run_lines import build_lines_bundle  # noqa: PLC0415  # lazy: as above

            self.screen.show(*build_lines_bundle(lines, title=heading, says=says))

    def find_place(self) -> Place | None:
        """Name the notebook and the cell that run now, as far as Jupyter tells; never a folder."""
        return self.place or find_running_place(self.shell)

    @property
    def connected(self) -> Service | None:
        """The client if there is one already; completion makes none."""
        return self._service


def _close(held: weakref.ref[Service]) -> None:
    service = held()
    if service is not None:
        service.close()


def current() -> Service:
    """Return the client that this notebook's magics ask."""
    return find_magics().service


def use(service: Service) -> None:
    """Let this notebook's magics ask `service`, for example one with a policy.

    Raises
    ------
    InvalidIntentError
        Not a client, or the extension is not loaded.
    """
    if not callable(getattr(service, "ask", None)):
        raise InvalidIntentError(
            f"use() takes a client, not {type(service).__name__}.", hint="Make one with service_nb.create_service(…)."
        )
    find_magics().service = service


def find_magics() -> ServiceMagics:
    """Find the magics of this session.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The extension is not loaded.
    """
    shell: Any = get_ipython()
    loaded = shell.magics_manager.registry.get(MAGICS) if shell is not None else None
    if loaded is None:
        raise InvalidIntentError("The magics are not loaded in this session.", hint="Run %load_ext service_nb first.")
    return cast("ServiceMagics", loaded)


def find_running_place(shell: object) -> Place | None:
    """Find the notebook's file name, the cell's id and its source's hash; None in a terminal, or where none is known.

    Front ends send a cell's source as the notebook has it, before IPython transforms it, so that its hash can be
    compared with the saved file. What a widget runs belongs to no cell's source.
    """
    place = Place()
    name = PurePosixPath(os.environ.get(_NOTEBOOK, "").replace("\\", "/")).name
    if name.endswith(".ipynb"):
        place["notebook"] = _clean_name(name)
    cell = _read_message(shell, "metadata", "cellId")  # sent by JupyterLab, not by nbclient
    if cell:
        place["cell"] = _clean_name(cell)
    source = _read_message(shell, "content", "code")
    if source is not None:
        place["source"] = compute_sha256_hex(source.encode("utf-8", "surrogatepass"))
    return place or None


def _read_message(shell: object, part: str, key: str) -> str | None:
    """Read a text of the message that runs now: `content.code` is only in one that runs a cell."""
    get_parent = getattr(shell, "get_parent", None)  # kernels have it, terminals do not
    message = get_parent() if callable(get_parent) else None
    held = message.get(part) if isinstance(message, dict) else None
    text = held.get(key) if isinstance(held, dict) else None
    return text if isinstance(text, str) else None


def _clean_name(name: str) -> str:
    """Make a name fit for a statement: a file's may hold anything at all."""
    return "".join(char if char.isprintable() else "?" for char in name[:MOST_PLACE_CHARS])
