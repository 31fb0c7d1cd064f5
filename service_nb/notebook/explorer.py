"""A question with controls: each settled choice of their values is asked once, and its card is an ordinary card.

The controls are ipywidgets, and their values are bound to the question's variables. The card is an output of the cell
that shows the controls, so it stays in the notebook without a kernel. Voilà updates no outputs but those of widgets:
there the card stands in an `Output` widget.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from IPython.core.getipython import get_ipython

from service_nb.cards.faces import Bundle
from service_nb.core.words import find_nearest
from service_nb.errors import DriverMissingError, InvalidIntentError, ServiceError
from service_nb.notebook.displays import ErrorPage
from service_nb.notebook.session import MAGICS, ServiceMagics, find_magics, find_running_place
from service_nb.notebook.slot import PANEL_MIME, Slot, build_text_bundle
from service_nb.query.ask_line import parse_ask
from service_nb.query.variables import StartingControl, list_variables

if TYPE_CHECKING:
    from service_nb.client.results import QueryOutcome
    from service_nb.client.service import Service

Ask = Callable[..., "QueryOutcome"]  # as `Service.ask`

SETTLED_S = 0.3  # a value that stays for so long is asked
MOST_KEPT = 1_000  # outcomes, by the values of the controls
FALLBACK = "Controls: run this cell to use them"
UNREACHED = "The notebook was opened again: below may stand an earlier card. Run this cell again."
_SERVER = "SERVER_SOFTWARE"  # set for its kernels by Voilà


def interact(question: Mapping[str, Any] | str, client: Service | Ask | None = None, /, **controls: Any) -> Explorer:
    """Show controls for the variables of a question, and the card of its answer for what they are set to.

    Parameters
    ----------
    question : str or dict
        An ask line, or a QuerySpec, with variables: ``"sum revenue by region from sales where year = $year"``.
    client : Service or callable, optional
        Who is asked, or its `ask`; without one, the client that this notebook's magics ask.
    **controls
        For each variable a range, ``(2019, 2025)`` or ``(0.0, 1.0, 0.1)``, both ends included; a Python ``range``; a
        list or dict of choices; a truth value, a text or a date to start from; or any widget that has a value.

    Returns
    -------
    Explorer
        A widget, which shows itself as the last value of a cell. `outcome` is the last answer. Each choice of values
        that stays for 0.3 s is asked and recorded once.

    Raises
    ------
    DriverMissingError [driver_missing]
        ipywidgets is not installed.
    InvalidIntentError [invalid_intent]
        The question is malformed, or its variables and the controls are not the same names.

    Examples
    --------
    >>> explorer = service_nb.interact("sum revenue from sales where revenue >= $least", service, least=(1, 5))
    >>> explorer.outcome.rows
    [{'revenue': 8, 'count': 2}]
    """
    asked: Any = find_magics().service if client is None else client
    return Explorer(getattr(asked, "ask", asked), question, controls)


class Explorer:
    """The controls of a question and its last answer."""

    def __init__(self, ask: Ask, question: Mapping[str, Any] | str, controls: Mapping[str, Any]) -> None:
        spec = parse_ask(question) if isinstance(question, str) else question
        _check_names(list_variables(spec), controls)
        self._ask, self._spec = ask, spec
        self._widgets = _load_widgets()
        self._controls = {name: self._build_control(name, value) for name, value in controls.items()}
        self._known: dict[tuple[object, ...], QueryOutcome] = {}
        self._shell: Any = get_ipython()
        self._slot = Slot(self._shell)
        self._place: Any = None  # of the cell that shows the controls
        self._timer: Any = None
        self._output: Any = self._widgets.Output() if os.environ.get(_SERVER, "").startswith("voila") else None
        self._box, self._note = self._build_box()
        self.outcome: QueryOutcome | None = None
        self._bundle = self._ask_settled()
        for control in self._controls.values():
            control.observe(self._take_change, "value")

    @property
    def values(self) -> dict[str, object]:
        """The values of the controls, by variable."""
        return {name: control.value for name, control in self._controls.items()}

    def _build_control(self, name: str, value: Any) -> Any:
        """Build a control from its abbreviation, as ipywidgets has them, from a range, or to start at a value."""
        if isinstance(value, StartingControl):
            control = self._build_control(name, value.control)
            if isinstance(value.control, tuple | range | list | Mapping):  # else the caller said where it starts
                _start_at(control, value.start)
            return control
        if isinstance(value, range):
            if not value:
                raise InvalidIntentError(f"The range of {name} is empty.", path=name)
            first, last = sorted((value[0], value[-1]))
            value = (first, last, abs(value.step)) if first < last else [first]
        control = self._widgets.interactive.widget_from_abbrev(value)
        if control is None or not hasattr(control, "value"):
            raise InvalidIntentError(
                f"{name} is no control.",
                hint=f"For example {name}=(1, 10), or {name}=['a', 'b'].",
                met=type(value).__name__,
                expected="a range, choices, a value to start from, or a widget",
            )
        if not control.description:
            control.description = name
        return control

    # --- shown --------------------------------------------------------------------------------------------------------

    def _ipython_display_(self, **_: object) -> None:
        """Show the controls, and below them the output that the cards go to."""
        if self._shell is None:
            return
        self._place = find_running_place(self._shell)
        data: dict[str, object] = self._box._repr_mimebundle_()
        marked = {PANEL_MIME: {"version": 1, "kind": "controls"}, **data, **build_text_bundle(FALLBACK)}
        self._shell.display_pub.publish(data=marked, metadata={})
        if self._output is None:
            self._slot.show(self._bundle)
        else:
            self._fill_output()

    def _build_box(self) -> tuple[Any, Any]:
        """Build the box of all controls, and the words in it for a page that the cards do not reach."""
        note = self._widgets.HTML(layout={"display": "none"})
        note.add_class("service-unreached")
        shown = [*self._controls.values(), note, *([self._output] if self._output is not None else [])]
        slot = self._slot

        class Box(self._widgets.VBox):  # type: ignore[misc, name-defined]
            def get_state(self, key: Any = None, drop_defaults: bool = False) -> Any:
                slot.note_state_request(self, key)
                return super().get_state(key, drop_defaults)

        return Box(shown), note

    def _fill_output(self) -> None:
        data, metadata = self._bundle
        self._output.outputs = ({"output_type": "display_data", "data": data, "metadata": metadata},)

    def _publish_again(self) -> None:
        """Fill the output below the controls; where a page may not be reached by that, say so beside them."""
        if self._output is not None:
            self._fill_output()
        elif self._shell is not None:
            self._slot.publish(self._bundle, update=True)
            if self._slot.is_reopened:
                self._note.value = UNREACHED
                self._note.layout.display = None

    # --- asked --------------------------------------------------------------------------------------------------------

    def _take_change(self, _: object) -> None:
        """Ask once the values have stayed for a moment; in the kernel's main thread, where an interrupt reaches it."""
        kernel = getattr(self._shell, "kernel", None)
        if kernel is None:
            self._settle()
            return
        loop = kernel.io_loop
        if threading.current_thread() is threading.main_thread():
            self._start_timer(loop)
        else:  # front ends may send the messages of widgets to a subshell, which is another thread
            loop.add_callback(self._start_timer, loop)

    def _start_timer(self, loop: Any) -> None:
        if self._timer is not None:
            loop.remove_timeout(self._timer)
        self._timer = loop.call_later(SETTLED_S, self._settle)

    def _settle(self) -> None:
        self._timer = None
        self._bundle = self._ask_settled()
        self._publish_again()

    def _ask_settled(self) -> Bundle:
        """Ask for the values as they are, unless they were asked before of data that cannot have changed."""
        values = self.values
        key = tuple(map(repr, values.values()))
        outcome = self._known.get(key)
        if outcome is None:
            try:
                outcome = self._ask_here(values)
            except ServiceError as error:
                return ErrorPage(error)._repr_mimebundle_()
            if len(self._known) < MOST_KEPT and not _is_live(outcome):
                self._known[key] = outcome
        self.outcome = outcome
        return outcome._repr_mimebundle_()

    def _ask_here(self, values: Mapping[str, object]) -> QueryOutcome:
        """Ask as the cell that shows the controls, and keep the card for the magics of evidence."""
        magics = self._find_magics()
        if magics is None:
            return self._ask(self._spec, variables=values)
        magics.place = self._place
        try:
            outcome = self._ask(self._spec, variables=values)
        finally:
            magics.place = None
        magics.keep_results([outcome])
        return outcome

    def _find_magics(self) -> ServiceMagics | None:
        is_loaded = self._shell is not None and MAGICS in self._shell.magics_manager.registry
        return find_magics() if is_loaded else None


def _start_at(control: Any, value: object) -> None:
    """Set a control to a value, or the nearest that it has; one whose choices do not have it stays as it is."""
    options = getattr(control, "_options_values", None)
    if options is not None:
        if value in options:
            control.value = options[list(options).index(value)]
    elif isinstance(value, int | float | Decimal) and isinstance(control.value, int | float):
        control.value = type(control.value)(value)  # ends of a range hold it


def _is_live(outcome: QueryOutcome) -> bool:
    source = outcome.card["view"].get("source") or {}
    return bool((source.get("content") or {}).get("algorithm") == "live")


def _check_names(variables: list[str], controls: Mapping[str, Any]) -> None:
    """Refuse a variable without a control, and a control without a variable."""
    missing = [name for name in variables if name not in controls]
    unknown = [name for name in controls if name not in variables]
    if unknown:
        near = find_nearest(unknown[0], variables, 1)
        raise InvalidIntentError(
            f"The question has no variable `${unknown[0]}`.",
            hint=f"Did you mean `{near[0]}=…`?"
            if near
            else f"Use it in a condition: `where {unknown[0]} = ${unknown[0]}`.",
            met=unknown[0],
            expected=variables,
        )
    if missing:
        raise InvalidIntentError(
            f"The variable `${missing[0]}` has no control.",
            hint=f"Give one, such as {missing[0]}=(1, 10) or {missing[0]}=['a', 'b'].",
            met="none",
            expected=f"{missing[0]}=…",
        )


def _load_widgets() -> Any:
    try:
        import ipywidgets  # type: ignore[import-untyped]  # noqa: PLC0415  # optional
    except ImportError as error:
        raise DriverMissingError(
            "Controls need ipywidgets, which is not installed.", hint='pip install "service-nb[ui]"'
        ) from error
    return ipywidgets
