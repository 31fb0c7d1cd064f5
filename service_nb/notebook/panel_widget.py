"""The panel as a widget: its scripts for front ends, its saved form, and the output for its cards."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import partial
from importlib import resources
from typing import Any

import anywidget
import msgspec

from service_nb.cards.faces import Bundle
from service_nb.errors import DriverMissingError
from service_nb.notebook.panel import Desk, PanelMessage, PanelRun, read_panel_message
from service_nb.notebook.session import find_running_place
from service_nb.notebook.slot import PANEL_MIME, Slot, build_text_bundle

FALLBACK = "Panel: run this cell to use it"
EMPTY = "Results appear here."


def _read_built(name: str) -> str:
    """Read a built file of `typescript/packages/panel`."""
    file = resources.files("service_nb") / "_panel" / name
    if not file.is_file():
        raise DriverMissingError(
            f"The panel was not built here: {name} is missing.",
            hint="It is part of the wheel; in a checkout, run python typescript/build.py.",
        )
    return file.read_text(encoding="utf-8")


class Panel(anywidget.AnyWidget):
    """Forms that ask and compute; what they run becomes a card, an output of the same cell that outlives the panel.

    Nothing that matters is kept in the widget: a notebook that is opened without a kernel shows the cards, and a line
    of text where the panel was.
    """

    _esm = _read_built("panel.js")
    _css = _read_built("panel.css")

    def __init__(self, desk: Desk) -> None:
        self._slot = Slot(desk.shell)
        super().__init__()
        self._desk = desk
        self._shown: Bundle = (build_text_bundle(EMPTY), {})
        self._one_at_a_time = threading.Lock()
        self.on_msg(self._take)

    def _ipython_display_(self, **_: object) -> None:
        """Show the panel, and below it the output that its cards go to."""
        self._desk.place = find_running_place(self._desk.shell)
        self._desk.shell.display_pub.publish(*self._repr_mimebundle_())
        self._slot.show(self._shown)

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> Any:
        """Return the state of the widget, and note who asks for all of it."""
        self._slot.note_state_request(self, key)
        return super().get_state(key, drop_defaults)

    def _repr_mimebundle_(self, **options: Any) -> Bundle:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        return {PANEL_MIME: {"version": 1}, **data, **build_text_bundle(FALLBACK)}, metadata

    def _take(self, _widget: object, content: object, _buffers: object) -> None:
        message = read_panel_message(content)
        if message is None:
            return
        if isinstance(message.run, PanelRun):
            self._run_in_main_thread(partial(self._run, message, message.run))
        elif message.link is not msgspec.UNSET:
            with self._one_at_a_time:
                reply = self._desk.answer(message)
            self.send(reply)

    def _run(self, message: PanelMessage, run: PanelRun) -> None:
        reply, shown = self._desk.run(message, run, self._slot)
        if shown is not None:
            self._shown = shown
            self._slot.publish(shown, update=True)
        self.send(reply)

    def _run_in_main_thread(self, work: Callable[[], None]) -> None:
        """Run `work` in the main thread, after the cell that runs now, where an interrupt reaches it.

        Front ends may send the messages of widgets to a subshell, which is another thread.
        """
        if threading.current_thread() is threading.main_thread():
            work()
            return
        kernel = self._desk.shell.kernel
        # The messages that outputs answer are kept in context variables, which belong to this thread.
        run = contextvars.copy_context().run

        def run_interruptibly() -> None:
            kernel.pre_handler_hook()  # an interrupt of the kernel raises KeyboardInterrupt, as while a cell runs
            try:
                run(work)
            finally:
                kernel.post_handler_hook()

        kernel.io_loop.add_callback(run_interruptibly)
