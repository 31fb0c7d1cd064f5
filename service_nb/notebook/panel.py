"""The panel: opens it and handles the messages of its views, which ask the link or run a line of its forms.

A panel's view may be scripted by whoever can write to the page, so a line is no code: it is read by the parsers of the
two magics, without options, and anything else is refused. The policy is that of the client, as everywhere. The widget
is in `panel_widget`, which needs anywidget.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from service_nb.cards.faces import Bundle
from service_nb.errors import DriverMissingError, InvalidIntentError, ServiceError
from service_nb.notebook.body import recognise_form
from service_nb.notebook.displays import ErrorPage
from service_nb.notebook.link import answer_message
from service_nb.notebook.magic import Arguments, Magic
from service_nb.notebook.question_magics import ASK, COMPUTE, ask_question, make_computation
from service_nb.notebook.session import find_magics

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.notebook.panel_widget import Panel
    from service_nb.notebook.session import ServiceMagics
    from service_nb.notebook.slot import Slot

Status = Literal["answered", "unclear", "rejected", "error"]
_STATUSES: Mapping[str, Status] = {"ok": "answered", "needs_clarification": "unclear", "rejected": "rejected"}


def panel(client: Service | None = None) -> Panel:
    """Open the panel: forms that build a question or a computation, and run it.

    Parameters
    ----------
    client : Service, optional
        Who is asked, and whose policy holds. Without one, the client that this notebook's magics ask.

    Returns
    -------
    Panel
        A widget, which shows itself as the last value of a cell. What it runs becomes a card below it.

    Raises
    ------
    DriverMissingError [driver_missing]
        anywidget is not installed, or this is a checkout in which the panel was not built.
    InvalidIntentError [invalid_intent]
        The extension is not loaded in this session.

    Examples
    --------
    >>> service_nb.panel()  # doctest: +SKIP
    """
    desk = Desk(find_magics(), client)
    opened: Panel = _load_widget_class()(desk)
    return opened


def _load_widget_class() -> Any:
    try:
        from service_nb.notebook.panel_widget import Panel  # noqa: PLC0415  # optional, and anywidget takes its time
    except ImportError as error:
        raise DriverMissingError(
            "The panel needs anywidget, which is not installed.", hint='pip install "service-nb[ui]"'
        ) from error
    return Panel


class PanelRun(msgspec.Struct):
    """A run that a view asks for. The line is as it came, and not yet read."""

    id: int
    line: Any = None


class PanelMessage(msgspec.Struct):
    """A message of a view: for the link, or for a run."""

    service_nb_panel: Literal[1]  # the version of this envelope; messages of the link have their own
    view: Annotated[str, msgspec.Meta(max_length=64, pattern=r"^[\x00-\x7f]*$")]
    link: Any = msgspec.UNSET
    run: PanelRun | msgspec.UnsetType = msgspec.UNSET

    def reply(self, **body: object) -> dict[str, object]:
        """Write a reply to the view."""
        return {"service_nb_panel": 1, "view": self.view, **body}


class Desk:
    """One panel's client and session, with `service` and `shell` as the session of `link.answer_message`."""

    def __init__(self, magics: ServiceMagics, client: Service | None = None) -> None:
        self._magics = magics
        self._client = client
        self.shell = magics.shell
        self.place: Any = None  # of the cell that shows the panel

    @property
    def service(self) -> Service:
        """The client that answers: the one that the panel was opened for, else the notebook's current one."""
        return self._magics.service if self._client is None else self._client

    def answer(self, message: PanelMessage) -> dict[str, object]:
        """Answer a message of the link."""
        return message.reply(link=answer_message(message.link, self))

    def run(self, message: PanelMessage, run: PanelRun, slot: Slot) -> tuple[dict[str, object], Bundle | None]:
        """Run a line, with its progress in the output `slot`; return the reply to the view, and the card."""
        self._magics.place = self.place
        status: Status = "error"
        bundle: Bundle | None = None
        try:
            status, told, bundle = self._run_line(run.line, slot.id)
        except ServiceError as error:
            self._magics.last_error = error
            told, bundle = f"{error.code}: {error.message}", ErrorPage(error)._repr_mimebundle_()
        except Exception as error:  # noqa: BLE001  # only its kind is told: its words may be private
            told = f"internal: an unexpected {type(error).__name__}; run it as a magic to see the whole error."
        finally:
            self._magics.place = None
        ran = {"id": run.id, "status": status, "message": told, "reopened": slot.is_reopened}
        return message.reply(ran=ran), bundle

    def _run_line(self, text: object, slot: str) -> tuple[Status, str, Bundle]:
        magic, arguments = read_line(text)
        if magic is ASK:
            with self._magics.screen.working("Asking", slot):
                outcome = ask_question(self._magics, self.service, arguments)
            reason = outcome["resolution"]["reason"]
            told = "Answered. The result is below." if outcome["status"] == "ok" or reason is None else reason
            return _STATUSES[outcome["status"]], told, outcome._repr_mimebundle_()
        with self._magics.screen.working("Computing", slot):
            computed = make_computation(self._magics, self.service, replace(arguments, scope=self.shell.user_ns))
        return "answered", "Computed. The result is below.", computed._repr_mimebundle_()


def read_panel_message(content: object) -> PanelMessage | None:
    """Read a message of a view; None for anything else."""
    try:
        return msgspec.convert(content, PanelMessage)
    except msgspec.ValidationError:
        return None


def read_line(text: object) -> tuple[Magic, Arguments]:
    """Read a line that the forms could have made: a magic of the two, without options, on one line or as its cell.

    Raises
    ------
    InvalidIntentError [invalid_intent], LimitExceededError [limit_exceeded]
        It is anything else.
    """
    if not isinstance(text, str):
        raise _refuse(text)
    head, has_body, body = text.partition("\n")
    name, _, rest = head.partition(" ")
    for magic, form in ((ASK, "json"), (COMPUTE, "line")):
        if name != (f"%{magic.magic}" if has_body else magic.magic):
            continue
        arguments = magic.read(rest)
        question, expected = (body, form) if has_body else (arguments.question, "line")
        if arguments.options or arguments.silent or recognise_form(question) != expected or (has_body and rest.strip()):
            break
        return magic, replace(arguments, cell=body if has_body else None)
    raise _refuse(text)


def _refuse(met: object) -> InvalidIntentError:
    return InvalidIntentError(
        "The panel runs only what its forms write.",
        hint="Run any other line in a cell.",
        met=reprlib.repr(met),
        expected=f"{ASK.magic} … or {COMPUTE.magic} …, without options",
    )
