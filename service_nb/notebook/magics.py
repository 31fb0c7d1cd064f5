"""The magics. Each reads its line, asks the client, and returns a value that shows itself."""

from __future__ import annotations

import atexit
import sys
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, needs_local_scope, no_var_expand
from traitlets import Enum, Float, Int, TraitError, validate

from service_nb.client.advice import Face, advising
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.notebook import usages
from service_nb.notebook.arguments import Arguments, Usage
from service_nb.notebook.body import form_of, read_computation, read_question
from service_nb.notebook.faces import (
    CapabilityPage,
    ErrorPage,
    Explanation,
    HealthPage,
    Hits,
    LoginPage,
    PlanCheck,
    PolicyPage,
    bundles_of,
)
from service_nb.notebook.place import running_place
from service_nb.notebook.reads import count, is_silent, reads, variable
from service_nb.notebook.screen import Screen

MOST_HITS = 100
MOST_RESULTS = 1_000
TOLD_MS = 5_000  # from which on what the runtime took to be there is told: it was installed


@magics_class
class ServiceMagics(Magics):
    """Exact, replayable questions in the notebook; `%service_ask --help` is the place to start."""

    display_rows = Int(20, help="Number of rows that a card shows.").tag(config=True)
    rows = Enum(["all", "none"], "all", help="Whether cards hold values, or only hash and shape.").tag(config=True)
    timeout = Float(None, allow_none=True, help="Timeout of a question in seconds; None: the client's default.").tag(
        config=True
    )

    def __init__(self, shell: Any, **settings: Any) -> None:
        super().__init__(shell, **settings)
        self.screen = Screen(shell)
        self.last_error: ServiceError | None = None
        self.results: deque[Any] = deque(maxlen=MOST_RESULTS)  # cards of this session, for the magics of evidence
        self._service: Any = None
        self.place: Any = None  # of the panel that runs something, which is none of the cell that ran last
        self.comms: Any = None  # of the front ends, once the extension is loaded
        self._making = threading.Lock()  # front ends ask from threads of their own

    @validate("display_rows")
    def _some_rows(self, proposal: Any) -> int:
        if not 1 <= proposal["value"] <= 1_000:
            raise TraitError("display_rows must be from 1 to 1,000")
        return int(proposal["value"])

    @property
    def service(self) -> Any:
        """The client that is asked: the notebook's own, made on first use, or what `notebook.use` was given."""
        with self._making:
            if self._service is None:
                # Loading the extension stays cheap: drivers and Arrow come with the first source.
                from service_nb.client.compose import create_service  # noqa: PLC0415

                self._service = create_service(progress=self.screen.told, where=self.where)
                # What is still open when Python ends is closed by nobody, and DuckDB complains of it page after page.
                atexit.register(_closed, weakref.ref(self._service))
            return self._service

    @service.setter
    def service(self, service: Any) -> None:
        with self._making:
            self._service = service

    def where(self) -> Any:
        """Return the notebook and the cell that run now, as far as Jupyter tells; never a folder."""
        return self.place or running_place(self.shell)

    @property
    def connected(self) -> Any:
        """The client if there is one already; completion makes none."""
        return self._service

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    @reads(usages.ASK)
    def service_ask(self, arguments: Arguments, cell: str | None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.ASK`."""
        if "--chart" in arguments.options and (arguments.text("--rows") or self.rows) == "none":
            raise InvalidIntentError(
                "--chart would show the values that --rows none leaves out of the notebook.",
                hint="Use one of them; `--rows all` includes the values.",
                met="--chart",
            )
        with self.screen.working("Asking") as progress:
            outcome = self.asked(self.service, arguments, cell)
        silent = is_silent(arguments, cell)
        if "--chart" in arguments.options and outcome["status"] == "ok":
            return self._charted(outcome, progress, silent=silent)
        return self.shown(usages.ASK, outcome, progress, silent=silent)

    def asked(self, service: Any, arguments: Arguments, cell: str | None) -> Any:
        """Ask a client the question of a line or a cell, and remember the outcome's card."""
        spec = _question(usages.ASK, arguments, cell, service)
        timeout = _seconds(arguments) or self.timeout
        rows = arguments.text("--rows") or self.rows
        outcome = service.ask(spec, rows=rows, shown_rows=self.display_rows, timeout=timeout)
        self.results.append(outcome.without_values())
        return outcome

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    @reads(usages.EXPLAIN)
    def service_explain(self, arguments: Arguments, cell: str | None, scope: Mapping[str, Any]) -> Any:
        """See `usages.EXPLAIN`."""
        if cell is None and len(arguments.words) == 1 and arguments.words[0].raw.startswith("$"):
            return PlanCheck(self.service.verify(variable(arguments.words[0].raw[1:], scope)))
        return Explanation(self.service.resolve(_question(usages.EXPLAIN, arguments, cell, self.service)))

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    @reads(usages.COMPUTE)
    def service_compute(self, arguments: Arguments, cell: str | None, scope: Mapping[str, Any]) -> Any:
        """See `usages.COMPUTE`."""
        with self.screen.working("Computing") as progress:
            computed = self.computed(self.service, arguments, cell, scope)
        return self.shown(usages.COMPUTE, computed, progress, silent=is_silent(arguments, cell))

    def computed(self, service: Any, arguments: Arguments, cell: str | None, scope: Mapping[str, Any]) -> Any:
        """Have a client make the computation of a line or a cell, and remember the cards."""
        text = _text(usages.COMPUTE, arguments, cell)
        with service.record_errors(), advising(text, service, FACE, computes=True):
            spec = read_computation(text, scope, null_policy=arguments.text("--null-policy"))
        over = arguments.text("--over")
        computed = service.compute(spec, timeout=_seconds(arguments) or self.timeout, over=over)
        found = [computed] if over is None else computed
        if found and found[0].setup_ms >= TOLD_MS:
            print(f"Installed and started the runtime in {found[0].setup_ms / 1_000:.1f} s.")  # noqa: T201
        self.results.extend(each.without_values() for each in found)
        return computed

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.SEARCH)
    def service_search(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.SEARCH`."""
        query = " ".join(word.text for word in arguments.words)
        if not query:
            raise InvalidIntentError(
                "%service_search needs words to search for.", hint=f"For example: {usages.SEARCH.examples[0]}"
            )
        return Hits(query, self.service.search_capabilities(query, limit=count(arguments, 10, MOST_HITS)))

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.HELP_PAGE)
    def service_help(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.HELP_PAGE`."""
        if len(arguments.words) != 1:
            raise InvalidIntentError(
                "%service_help takes the name of one capability.", hint=f"For example: {usages.HELP_PAGE.examples[0]}"
            )
        return CapabilityPage(self.service.capability(arguments.words[0].text))

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.POLICY)
    def service_policy(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.POLICY`."""
        _no_words(usages.POLICY, arguments)
        return PolicyPage(self.service.policy.to_dict(), mode=self.service.mode)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.LOGIN)
    def service_login(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.LOGIN`."""
        from service_nb.client.device_key import login  # noqa: PLC0415  # lazy: loading the extension stays cheap

        _no_words(usages.LOGIN, arguments)
        return LoginPage(login().to_dict())

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.DOCTOR)
    def service_doctor(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.DOCTOR`."""
        _no_words(usages.DOCTOR, arguments)
        from service_nb.client.doctor.report import report  # noqa: PLC0415  # lazy: as above

        with self.screen.working("Looking") as progress:
            found = report(parity="--parity" in arguments.options, strict="--strict" in arguments.options)
        return self.shown(usages.DOCTOR, HealthPage(found), progress, silent=arguments.silent)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.PANEL)
    def service_panel(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.PANEL`."""
        from service_nb.notebook.panel import panel  # noqa: PLC0415  # lazy: widgets are an extra

        _no_words(usages.PANEL, arguments)
        return panel()

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.LAST_ERROR)
    def service_last_error(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.LAST_ERROR`."""
        _no_words(usages.LAST_ERROR, arguments)
        latest = getattr(sys, "last_value", None)  # where IPython keeps the error of the last cell, magic or not
        error = latest if isinstance(latest, ServiceError) else self.last_error
        if error is None:
            print("No error of service_nb so far.")  # noqa: T201
            return None
        if "--full" in arguments.options:
            print("".join(traceback.format_exception(error)), end="")  # noqa: T201
        return ErrorPage(error)

    def shown(self, usage: Usage, value: Any, progress: Any, *, silent: bool) -> Any:
        """Where a progress line stands, put the card of `value` in its place rather than below it."""
        if silent or not self.screen.will_show(usage.magic.lstrip("%")):
            progress.end(f"Done in {progress.seconds:.1f} s")
        elif progress.visible:
            first, *others = bundles_of(value)
            progress.replace(*first)
            for each in others:
                self.screen.show(*each)
            self.screen.settle(value)
        return value

    def _charted(self, outcome: Any, progress: Any, *, silent: bool) -> Any:
        figure = outcome.plot()
        self.shown(usages.ASK, outcome, progress, silent=silent)
        if not progress.visible and not silent and self.screen.will_show("service_ask"):
            self.screen.show(*outcome._repr_mimebundle_())
            self.screen.settle(outcome)
        if not silent:
            self.screen.show(*figure._repr_mimebundle_())
        return outcome


def _question(usage: Usage, arguments: Arguments, cell: str | None, service: Any) -> dict[str, Any]:
    """Read the question from the line, or from the cell below it."""
    text = _text(usage, arguments, cell)
    with service.record_errors(), advising(text, service, FACE):
        return _with_source(read_question(text), arguments.text("--from"))


def _compute_line(line: str, over: str | None) -> str:
    quoted = over if over is None or over.isidentifier() else f"'{over}'"
    return f"{usages.COMPUTE.magic} {line}" + (f" --over {quoted}" if over is not None else "")


def _text(usage: Usage, arguments: Arguments, cell: str | None) -> str:
    """The text of a question or a computation: on the line, or in the cell below it, and never in both."""
    on_line, below = arguments.question.strip(), (cell or "").strip()
    if on_line and below:
        raise InvalidIntentError(
            f"%{usage.magic} has text on its first line and in the cell.",
            hint="Write options on the first line, and everything else below it.",
            met=on_line,
        )
    if not on_line and not below:
        raise InvalidIntentError(
            f"{usage.magic} needs a question or a computation.", hint=f"For example: {usage.examples[0]}"
        )
    text = arguments.question if on_line else cell or ""
    return text.rstrip()[:-1] if form_of(text) == "line" and below.endswith(";") else text


def _closed(held: weakref.ref[Any]) -> None:
    service = held()
    if service is not None:
        service.close()


def _with_source(spec: dict[str, Any], source: str | None) -> dict[str, Any]:
    named = spec.get("source_name")
    if source is None or named == source:
        return spec
    if named is not None:
        raise InvalidIntentError(
            f"The question names the source {named!r}, and --from {source!r}.", hint="Name one source.", met=source
        )
    return {**spec, "source_name": source}


def _seconds(arguments: Arguments) -> float | None:
    text = arguments.text("--timeout")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InvalidIntentError(f"--timeout is {text!r}.", met=text, expected="seconds above 0")
    return seconds


def _no_words(usage: Usage, arguments: Arguments) -> None:
    if arguments.words:
        raise InvalidIntentError(f"{usage.magic} takes no words, only options.", met=arguments.words[0].raw)


FACE = Face(ask=lambda line: f"{usages.ASK.magic} {line}", compute=_compute_line)
