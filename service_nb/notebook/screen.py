"""The display of a magic beside its value: a progress line while it works, and no card twice.

A magic returns its value, and the notebook shows the value of a cell's last expression. Long work wants more than that:
it shows a line that its card replaces, so the value is on the screen already when the notebook comes to display it.
Whether it will is read from the cell's own text, as IPython does to find a closing semicolon.
"""

from __future__ import annotations

import ast
import contextvars
import html
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from service_nb.cards.faces import Bundle
from service_nb.client.results import ComputationList
from service_nb.errors import QueryInterruptedError
from service_nb.notebook.displays import list_bundles
from service_nb.runtimes.interface import Step

DELAY_S = 0.3  # shorter work shows no line
TICK_S = 1.0


class Screen:
    """The output of the cell that runs.

    Parameters
    ----------
    shell : InteractiveShell
        Where to publish. A terminal cannot replace what it printed, so only kernels show progress.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._settled: object = None
        self._progress: Progress | None = None

    def will_show(self, magic: str) -> bool:
        """Tell whether the cell displays the value that the running magic returns."""
        try:
            body = ast.parse(self._shell.history_manager.input_hist_parsed[-1]).body
        except (AttributeError, IndexError, SyntaxError):
            return False
        mode = self._shell.ast_node_interactivity
        shown = body if mode == "all" else body[-1:] if mode.startswith("last_expr") else []
        return any(_is_call_of(statement, magic) for statement in shown)

    def has_buttons(self, magic: str) -> bool:
        """Tell whether lines below the value of the running magic may have buttons: a kernel shows the value."""
        return getattr(self._shell, "kernel", None) is not None and self.will_show(magic)

    def finish(self, magic: str, value: object, progress: Progress, *, is_silent: bool) -> object:
        """Show the value of a magic where its progress line is, and what is attached below; return it for the cell.

        Behind a semicolon nothing is displayed, as behind an expression; where the value goes anywhere else it is
        returned.
        """
        is_shown = self.will_show(magic)
        if is_silent or not is_shown:
            progress.end(f"Done in {progress.seconds:.1f} s")
        elif progress.visible or progress.attached:
            first, *others = list_bundles(value)
            if not progress.replace(*first):
                self.show(*first)
            for each in others:
                self.show(*each)
            self._settled = value
        for each in () if is_silent else progress.attached:
            self.show(*each)
        return None if is_silent and is_shown else value

    def attach(self, bundle: Bundle) -> None:
        """Show a bundle below the value of the magic that runs."""
        if self._progress is not None:
            self._progress.attached.append(bundle)

    def forget(self, *_: object) -> None:
        """Forget the settled value at the end of a cell, so that it may be displayed again."""
        self._settled = None

    def take(self, value: object) -> None:
        """Format a value for `_ipython_display_`: skip the settled one, show lists by their cards."""
        if self._settled is not None and value is self._settled:
            self._settled = None
            return
        if not isinstance(value, ComputationList):
            raise NotImplementedError
        for data, metadata in list_bundles(value):
            self.show(data, metadata)

    @contextmanager
    def working(self, label: str, place: str | None = None) -> Iterator[Progress]:
        """Show `label` and the seconds while the block runs, should it take longer than a moment; no label, no line.

        Parameters
        ----------
        place : str, optional
            The display id of an output that is there already, in which the line stands; else it is a new output.

        Raises
        ------
        QueryInterruptedError
            The user stopped it, wherever it was: a stopped run is one line too, not a traceback.
        """
        progress = self._progress = Progress(self._shell, label, place)
        try:
            yield progress
        except BaseException as error:  # whatever stopped the work, the line ends and the error goes on
            if isinstance(error, KeyboardInterrupt):
                progress.end(f"Stopped after {progress.seconds:.1f} s: {label}")
                raise QueryInterruptedError("It was interrupted.", hint="Sources and session are intact.") from None
            progress.clear()  # what went wrong is shown by the error itself
            raise
        finally:
            progress.stop()

    def report_step(self, step: Step) -> None:
        """Show on the progress line how far the work is."""
        if self._progress is not None:
            self._progress.step = step

    def show(self, data: dict[str, object], metadata: dict[str, object]) -> None:
        """Display a bundle now."""
        self._shell.display_pub.publish(data=data, metadata=metadata)


class Progress:
    """A line of the output that says what is running, and is replaced at the end."""

    def __init__(self, shell: Any, label: str, place: str | None = None) -> None:
        self._shell = shell
        self._label = label
        self._id = place or uuid.uuid4().hex
        self._started = time.perf_counter()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self.visible = place is not None
        self.attached: list[Bundle] = []
        self.step: Step | None = None
        if label and getattr(shell, "kernel", None) is not None:
            # The cell that outputs belong to is kept in a context variable, which a new thread does not inherit.
            run = contextvars.copy_context().run
            self._thread = threading.Thread(target=run, args=(self._tick,), daemon=True, name="service-nb-progress")
            self._thread.start()

    @property
    def seconds(self) -> float:
        """The seconds since the work began."""
        return time.perf_counter() - self._started

    def replace(self, data: dict[str, object], metadata: dict[str, object]) -> bool:
        """Put a bundle where the line is, if there is one."""
        self.stop()
        if self.visible:
            self._publish(data, metadata, is_update=True)
        return self.visible

    def end(self, text: str) -> None:
        """Put a last text on the line, if there is one."""
        self.replace(_build_line_bundle(text), {})

    def clear(self) -> None:
        """Leave no text on the line, if there is one."""
        self.replace({"text/plain": ""}, {})

    def stop(self) -> None:
        """Stop the clock."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _tick(self) -> None:
        wait = DELAY_S
        while not self._stopped.wait(wait):
            self._publish(self._write_line(), {}, is_update=self.visible)
            self.visible = True
            wait = TICK_S

    def _write_line(self) -> dict[str, object]:
        """Write the progress line: label, seconds, and for long work its step with a bar."""
        text, step = f"{self._label} … {self.seconds:.0f} s", self.step
        if step is None or step.done >= step.total > 0:
            return _build_line_bundle(text)
        if not step.total:
            return _build_line_bundle(f"{text} · {step.label}" + (f" {step.done / 1e6:,.0f} MB" if step.done else ""))
        said = f"{text} · {step.label} {step.done / 1e6:,.0f} of {step.total / 1e6:,.0f} MB"
        bar = f'<progress max="{step.total}" value="{step.done}"></progress>'
        return {"text/plain": said, "text/html": f"<div>{html.escape(said)} {bar}</div>"}

    def _publish(self, data: dict[str, object], metadata: dict[str, object], *, is_update: bool) -> None:
        place = {"display_id": self._id}
        self._shell.display_pub.publish(data=data, metadata=metadata, transient=place, update=is_update)


def _build_line_bundle(text: str) -> dict[str, object]:
    return {"text/plain": text, "text/html": f"<div>{html.escape(text)}</div>"}


def _is_call_of(statement: ast.stmt, magic: str) -> bool:
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"), args=[ast.Constant(value=name), *_]
            )
        ):
            return bool(name == magic)
        case _:
            return False
